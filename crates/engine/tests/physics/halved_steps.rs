//! Steps that are halved while grains move against each other.

use crate::packing::{Dice, large_packing};
use crate::reproducible::bits;
use crate::setting::*;
use riprap_engine::{Cell, Criterion, D2, D3, Dim, GapVariant, Options, Scheme, Silent, Vector, World};

in_both_dimensions!(forces_last_when_a_step_has_another_length_than_the_one_before);

const G: f64 = 9.81;
const RADIUS: f64 = 1e-3;
/// The step that scenes choose: in it a grain at rest would fall by 0.02 radii.
const STEP: f64 = 1.4e-3;

/// A loose bed of disks above a floor, wide without end.
fn falling_bed() -> World<D2> {
    let (columns, rows) = (12, 8);
    let mut world = world::<D2>(Scheme::Euler { gap: GapVariant::Correct }, STEP, law(0.5, 0.0, 0.0));
    world.settings.solver = Options::default();
    world.settings.halvings = 2;
    gravity(&mut world, G, 0.0);
    floor(&mut world);
    let [x, y] = [0, 1].map(<D2 as Dim>::Vector::axis);
    world.state.cell = Cell::new(Vector::ZERO, x * (2.2 * RADIUS * f64::from(columns)));
    let mut dice = Dice::new(5);
    for number in 0..columns * rows {
        let place = x * (f64::from(number % columns) + 0.1 * dice.throw()) + y * (1.0 + f64::from(number / columns));
        ball(&mut world, RADIUS * (0.8 + 0.2 * dice.throw()), place * (2.2 * RADIUS), Vector::ZERO);
    }
    world
}

#[test]
fn steps_are_halved_while_a_bed_falls_and_not_while_it_rests() {
    let mut world = falling_bed();
    // `step` checks the balances of momentum and energy, where lengths change too.
    let lengths: Vec<f64> = (0..1000).map(|_| step(&mut world).time_step).collect();
    let parts: Vec<f64> = lengths.iter().map(|length| length / STEP).collect();
    assert!(parts.iter().all(|part| [0.25, 0.5, 1.0].contains(part)), "{parts:?}");
    assert!(parts[..500].contains(&0.25) && parts[..500].contains(&0.5), "the bed falls in steps of {parts:?}");
    assert_eq!(parts[0], 1.0, "nothing touches");
    assert!(parts[500..].iter().all(|&part| part == 1.0), "the bed rests in steps of {parts:?}");
    close(world.state.time, lengths.iter().sum(), 1e-12 * world.state.time);
}

/// A packing whose contacts move, some steps by more and some by less than what is allowed.
fn packing_that_moves() -> World<D3> {
    let mut world = large_packing(EULER);
    world.step(&mut Silent).unwrap();
    world.settings.halvings = 2;
    world.settings.motion_per_step = 0.7 * world.state.contact_motion * world.time_step();
    world
}

/// So many steps; true if they differ in length.
fn steps_that_differ(world: &mut World<D3>, count: usize) -> bool {
    let lengths: Vec<f64> = (0..count).map(|_| world.step(&mut Silent).unwrap().time_step).collect();
    lengths.iter().any(|&length| length != lengths[0])
}

#[test]
fn lengths_and_states_are_the_same_on_one_and_on_three_threads() {
    let on_threads = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut world = packing_that_moves();
            assert!(steps_that_differ(&mut world, 8));
            (bits(&world.state), world.state.time.to_bits())
        })
    };
    assert!(on_threads(1) == on_threads(3));
}

#[test]
fn a_state_put_into_a_fresh_world_goes_on_with_steps_of_the_same_lengths() {
    let mut whole = packing_that_moves();
    let mut copies = Vec::new();
    for left in (0..8).rev() {
        whole.step(&mut Silent).unwrap();
        copies.push((left, whole.state.clone()));
    }
    for (left, state) in copies {
        let mut resumed = packing_that_moves();
        let length = state.time_step;
        resumed.restore(state).unwrap();
        assert_eq!(resumed.time_step(), length);
        for _ in 0..left {
            resumed.step(&mut Silent).unwrap();
        }
        assert_eq!(resumed.state, whole.state);
    }
}

fn forces_last_when_a_step_has_another_length_than_the_one_before<D: Dim>() {
    let count = 10;
    let mut world = world::<D>(EULER, STEP, law(0.5, 0.0, 0.0));
    gravity(&mut world, G, 0.0);
    floor(&mut world);
    for number in 0..count {
        ball(&mut world, RADIUS, up::<D>() * (RADIUS * f64::from(2 * number + 1)), D::Vector::ZERO);
    }
    run(&mut world, 20);
    let forces = |world: &World<D>| -> Vec<f64> {
        world.state.contacts.iter().map(|contact| contact.impulse.length() / world.time_step()).collect()
    };
    let before = forces(&world);
    let weight = world.free_bodies().map(|body| world.bodies[body].mass * G).sum::<f64>();
    close(before.iter().copied().fold(0.0, f64::max), weight, 1e-6 * weight);
    // A single sweep cannot carry forces through the column: they are right because they are those of the last step.
    world.settings.solver.criterion = Criterion::Fixed { sweeps: 1 };
    for part in [0.25, 0.5, 1.0] {
        world.settings.time_step = part * STEP;
        run(&mut world, 1);
        for (after, before) in forces(&world).into_iter().zip(&before) {
            close(after, *before, 1e-6 * weight);
        }
    }
}
