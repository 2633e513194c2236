//! The same bits, whatever the number of threads, and after a state was put back.

use crate::packing::large_packing;
use crate::setting::*;
use riprap_engine::{Dim, Scheme, Silent, State, Vector, World};

/// Every bit of the bodies' motion and of the contacts.
pub fn bits<D: Dim>(state: &State<D>) -> Vec<u64> {
    let vectors = state.position.iter().chain(&state.velocity).flat_map(|v| v.to_array3());
    let spins = state.spin.iter().flat_map(|spin| spin.to_array3());
    let orientations = state.orientation.iter().flat_map(|&orientation| D::quaternion(orientation));
    let contacts = state.contacts.iter().flat_map(|contact| {
        let [a, b] = contact.bodies.map(f64::from);
        let [x, y, z] = contact.impulse.to_array3();
        [a, b, contact.gap, contact.velocity.length(), x, y, z]
    });
    vectors.chain(spins).chain(orientations).chain(contacts).map(f64::to_bits).collect()
}

fn steps<D: Dim>(world: &mut World<D>, count: usize) {
    for _ in 0..count {
        world.step(&mut Silent).unwrap();
    }
}

fn on_threads(threads: usize, scheme: Scheme) -> Vec<u64> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let mut world = large_packing(scheme);
        steps(&mut world, 6);
        assert!(world.free_bodies().count() > 3000 && world.state.contacts.len() > 6000);
        bits(&world.state)
    })
}

#[test]
fn the_result_is_the_same_to_the_last_bit_on_one_two_and_three_threads() {
    for scheme in SCHEMES {
        let one = on_threads(1, scheme);
        assert!(on_threads(2, scheme) == one, "two threads");
        assert!(on_threads(3, scheme) == one, "three threads");
    }
}

#[test]
fn a_state_put_into_a_fresh_world_goes_on_bit_for_bit() {
    for scheme in SCHEMES {
        let mut whole = large_packing(scheme);
        // Long enough that the list of pairs is an old one at the copy, and is made anew after it.
        let mut copies = Vec::new();
        for step in 1..=12 {
            steps(&mut whole, 1);
            if step == 5 || step == 6 {
                copies.push((12 - step, whole.state.clone()));
            }
        }
        for (left, state) in copies {
            let mut resumed = large_packing(scheme);
            resumed.restore(state).unwrap();
            steps(&mut resumed, left);
            assert!(bits(&resumed.state) == bits(&whole.state));
            assert_eq!(resumed.state, whole.state);
        }
    }
}
