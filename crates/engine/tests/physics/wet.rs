//! Capillary bridges in the step: forces, reach, liquid, and the same bits always.

use crate::setting::*;
use riprap_engine::{Bridges, D3, Dim, Liquid, PairLaw, Silent, World, reduced_diameter};

type V = <D3 as Dim>::Vector;

fn water(volume: f64, bridges: Bridges) -> Liquid {
    Liquid { surface_tension: 0.07, contact_angle: 0.2, volume, bridges }
}

/// Two spheres with a gap between them.
fn pair(gap: f64, volume: f64, bridges: Bridges, dt: f64) -> World<D3> {
    let mut world = world::<D3>(EULER, dt, PairLaw::frictional(0.4));
    world.liquid = Some(water(volume, bridges));
    ball(&mut world, 0.5, V::ZERO, V::ZERO);
    ball(&mut world, 1.0, up::<D3>() * (1.5 + gap), V::ZERO);
    world
}

#[test]
fn two_spheres_pull_each_other_by_the_law_at_every_gap() {
    let (volume, dt) = (1e-3, 1e-4);
    let liquid = water(volume, Bridges::Shared);
    let reach = liquid.debonding_distance(volume);
    for scheme in SCHEMES {
        for i in 0..=60 {
            let gap = (f64::from(i) / 50.5) * reach;
            let mut world = pair(gap, volume, Bridges::Shared, dt);
            world.settings.scheme = scheme;
            run(&mut world, 1);
            let expected = if i == 0 { 0.0 } else { liquid.attraction([0.5, 1.0], volume, gap) };
            assert_eq!(gap > reach, i > 50);
            close(world.state.velocity[0].dot(up::<D3>()) * world.bodies[0].mass / dt, expected, 1e-9);
            // Whether they touch or not, the whole force between them is what the law and the contact say.
            let links: Vec<_> = world.links().collect();
            let total: f64 = links.iter().map(|link| link.force.dot(link.normal)).sum();
            close(total, -expected, 1e-9);
            let attraction: f64 = links.iter().map(|link| link.attraction).sum();
            close(attraction, liquid.attraction([0.5, 1.0], volume, gap), 1e-9);
        }
    }
}

#[test]
fn a_bridge_that_forms_at_contact_lives_until_it_breaks() {
    let (volume, dt) = (1e-3, 1e-3);
    let reach = water(volume, Bridges::Shared).debonding_distance(volume);
    let mut apart = pair(0.5 * reach, volume, Bridges::AtContact, dt);
    run(&mut apart, 1);
    assert!(apart.state.bridges.is_empty() && apart.state.velocity[0] == V::ZERO);
    let mut touching = pair(0.0, volume, Bridges::AtContact, dt);
    // Fast enough to come off: the bridge takes less than κR times its reach.
    touching.state.velocity[1] = up::<D3>();
    let mut longest: f64 = 0.0;
    for _ in 0..1000 {
        touching.step(&mut Silent).unwrap();
        let holding = touching.state.bridges.iter().filter(|bridge| bridge.force > 0.0);
        longest = holding.fold(longest, |most, bridge| most.max(bridge.gap));
    }
    assert!(touching.state.bridges.is_empty());
    assert!(longest <= reach && longest > 0.97 * reach, "{longest} of {reach}");
    // It does not form again at a distance.
    touching.state.velocity[1] = -up::<D3>();
    touching.state.velocity[0] = V::ZERO;
    run(&mut touching, 2);
    assert!(touching.state.bridges.is_empty());
}

/// Spheres of two sizes, thrown together loosely, with some liquid.
fn cloud(bridges: Bridges) -> World<D3> {
    let mut world = world::<D3>(EULER, 2e-3, PairLaw::frictional(0.4));
    let mut state = 99_u64;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 40) as f64 / (1u64 << 24) as f64
    };
    let mut solid = 0.0;
    for i in 0..8 {
        for j in 0..8 {
            for k in 0..8 {
                let radius = 0.45 + 0.05 * next();
                let jitter = V::new(next(), next(), next()) * 0.005;
                let velocity = V::new(next() - 0.5, next() - 0.5, next() - 0.5);
                ball(&mut world, radius, V::new(f64::from(i), f64::from(j), f64::from(k)) * 1.01 + jitter, velocity);
                solid += D3::ball_volume(radius);
            }
        }
    }
    world.liquid = Some(Liquid { volume: 0.02 * solid, surface_tension: 1.0, ..water(0.0, bridges) });
    world
}

#[test]
fn the_liquid_is_conserved_and_every_pair_within_reach_has_its_share() {
    let mut world = cloud(Bridges::Shared);
    let liquid = world.liquid.unwrap();
    for step in 0..60 {
        let position = world.state.position.clone();
        let report = world.step(&mut Silent).unwrap();
        close(report.energy.error(), 0.0, 1e-12 * report.energy.scale());
        let total: f64 = world.state.bridges.iter().map(|bridge| bridge.volume).sum();
        close(total / liquid.volume, 1.0, 1e-12);
        if step % 20 != 0 {
            continue;
        }
        // All pairs, without any list.
        let radius: Vec<f64> = world.bodies.iter().map(|body| body.shape.ball_radius().unwrap()).collect();
        let mut pairs = Vec::new();
        for a in 0..radius.len() {
            for b in a + 1..radius.len() {
                let gap = (position[b] - position[a]).length() - radius[a] - radius[b];
                pairs.push((gap, reduced_diameter([radius[a], radius[b]])));
            }
        }
        let share = liquid.share(&pairs);
        close(world.state.share.scale / share.scale, 1.0, 1e-12);
        let bridged = pairs.iter().filter(|&&(gap, d)| liquid.bridge_volume(&share, gap, d) > 0.0).count();
        assert_eq!(world.state.bridges.len(), bridged);
        assert!(bridged > 600);
    }
}

#[test]
fn a_wet_cloud_goes_on_bit_for_bit_on_any_threads_and_after_a_copy() {
    for bridges in [Bridges::Shared, Bridges::AtContact] {
        let on = |threads: usize, copied: bool| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut world = cloud(bridges);
                for step in 0..40 {
                    if copied && step == 17 {
                        let state = world.state.clone();
                        world = cloud(bridges);
                        world.restore(state).unwrap();
                    }
                    world.step(&mut Silent).unwrap();
                }
                world.state
            })
        };
        let one = on(1, false);
        assert!(!one.bridges.is_empty());
        assert_eq!(on(2, false), one);
        assert_eq!(on(1, true), one);
    }
}
