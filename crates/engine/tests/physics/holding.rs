//! What holds grains together: adhesion, cohesion with a range, bonds; and laws that depend on velocity.

use crate::setting::*;
use riprap_engine::{
    Body, BondLaw, BondStrength, Breaking, Cohesion, D2, Dim, Extent, GapVariant, Motion, NotGlued, PairLaw, Placement,
    Scheme, Silent, SpeedCurve, Strength, TimeFunction, Vector, World,
};
use std::f64::consts::PI;

in_both_dimensions!(
    a_hanging_chain_breaks_at_its_top_if_its_weight_is_more_than_the_cohesion,
    opening_takes_the_cohesion_energy_whatever_the_time_step,
    a_shock_that_breaks_a_contact_of_no_range_does_not_break_one_with_a_range,
    a_weakened_contact_is_not_pulled_back_but_can_be_closed,
    cohesion_adds_to_the_pressure_in_friction,
    bonds_break_at_their_tensile_strength,
    bonds_break_at_their_shear_strength,
    bonds_break_at_their_bending_strength,
    a_joint_breaks_at_its_stress_times_its_area,
    a_plug_between_balls_breaks_at_the_stress_of_a_bent_bar,
    a_crack_moves_with_its_first_body_and_is_gone_once_glued_again,
    blocks_that_touch_at_an_edge_have_no_area_to_be_glued_over,
    grains_that_do_not_touch_cannot_be_glued,
    restitution_follows_the_speed_of_approach,
    friction_follows_the_speed_of_sliding,
);

const RADIUS: f64 = 0.5;
const ALL_SCHEMES: [Scheme; 3] = [MIDPOINT, EULER, Scheme::Euler { gap: GapVariant::Correct }];

fn cohesive(friction: f64, force: f64, extent: Extent) -> PairLaw {
    PairLaw { cohesion: Some(Cohesion { strength: Strength::Force(force), extent }), ..PairLaw::frictional(friction) }
}

/// A ball that does not move.
fn fixed_ball<D: Dim>(world: &mut World<D>, position: D::Vector) -> usize {
    let body = Body { motion: Motion::fixed(), ..Body::ball(RADIUS, 1.0) };
    add(world, body, Placement { position, ..Placement::default() })
}

/// A ball on top of the fixed one that has touched it, and then suddenly flies off.
fn thrown_off<D: Dim>(world: &mut World<D>, speed: f64) -> usize {
    let grain = ball(world, RADIUS, up::<D>() * (2.0 * RADIUS), D::Vector::ZERO);
    run(world, 1);
    world.state.velocity[grain] = up::<D>() * speed;
    grain
}

fn mass<D: Dim>() -> f64 {
    D::ball_volume(RADIUS)
}

/// `N m g > F_C`.
fn a_hanging_chain_breaks_at_its_top_if_its_weight_is_more_than_the_cohesion<D: Dim>() {
    let (count, g) = (5, 9.81);
    for scheme in ALL_SCHEMES {
        for extent in [Extent::Contact, Extent::Range(0.01)] {
            for (part, holds) in [(1.01, true), (0.99, false)] {
                let force = part * f64::from(count) * mass::<D>() * g;
                let mut world = world::<D>(scheme, 1e-3, cohesive(0.3, force, extent));
                gravity(&mut world, g, 0.0);
                fixed_ball(&mut world, D::Vector::ZERO);
                for i in 1..=count {
                    ball(&mut world, RADIUS, up::<D>() * (-2.0 * RADIUS * f64::from(i)), D::Vector::ZERO);
                }
                run(&mut world, 800);
                let height = |i: usize| world.state.position[i].dot(up::<D>());
                let gaps: Vec<f64> = (1..=count as usize).map(|i| height(i - 1) - height(i) - 2.0 * RADIUS).collect();
                let case = format!("{scheme:?} {extent:?}: {gaps:?}");
                assert!(gaps[1..].iter().all(|gap| gap.abs() < 1e-6), "{case}");
                assert!(if holds { gaps[0].abs() < 1e-6 } else { gaps[0] > 0.02 }, "{case}");
            }
        }
    }
}

/// A ball flies off a fixed one with more energy than `E_C`, and has the rest of it when it is free.
fn opening_takes_the_cohesion_energy_whatever_the_time_step<D: Dim>() {
    let (force, range, speed) = (2.0, 0.02, 0.5);
    for scheme in ALL_SCHEMES {
        for extent in [Extent::Range(range), Extent::Energy(force * range)] {
            for steps_in_range in [100.0, 1000.0, 10_000.0, 100_000.0] {
                if steps_in_range > 10_000.0 && (D::AXES == 3 || scheme != EULER) {
                    continue;
                }
                let dt = range / speed / steps_in_range;
                let mut world = world::<D>(scheme, dt, cohesive(0.0, force, extent));
                fixed_ball(&mut world, D::Vector::ZERO);
                let grain = thrown_off(&mut world, speed);
                let mut left = 3 * steps_in_range as usize;
                while world.state.contacts.iter().any(|contact| contact.bonded) {
                    world.step(&mut Silent).unwrap();
                    left -= 1;
                    assert!(left > 0, "it does not come off");
                }
                let report = world.step(&mut Silent).unwrap();
                let taken = 0.5 * mass::<D>() * (speed * speed - world.state.velocity[grain].length().powi(2));
                close(taken, force * range, 0.01 * force * range);
                close(report.energy.cohesion, taken, 1e-9);
            }
        }
    }
}

fn a_shock_that_breaks_a_contact_of_no_range_does_not_break_one_with_a_range<D: Dim>() {
    let (force, range) = (1.0, 0.02);
    // Half of what it takes to come off.
    let speed = f64::sqrt(force * range / mass::<D>());
    let stands = |scheme, extent, dt: f64| {
        let mut world = world::<D>(scheme, dt, cohesive(0.0, force, extent));
        fixed_ball(&mut world, D::Vector::ZERO);
        let grain = thrown_off(&mut world, speed);
        run(&mut world, (0.5 / dt) as usize);
        let held = world.state.velocity[grain].length() < 1e-9;
        assert_eq!(held, world.state.contacts.first().is_some_and(|contact| contact.bonded));
        held
    };
    for scheme in ALL_SCHEMES {
        // A step so long that the cohesion can take all of the momentum in it; then shorter and shorter ones. (Halfway
        // through such a step the ball would have left already.)
        let long = 1.1 * mass::<D>() * speed / force;
        assert!(scheme == MIDPOINT || stands(scheme, Extent::Contact, long));
        for dt in [1e-2, 1e-3, 1e-4] {
            assert!(!stands(scheme, Extent::Contact, dt * long));
            assert!(stands(scheme, Extent::Range(range), dt * long));
        }
    }
}

fn a_weakened_contact_is_not_pulled_back_but_can_be_closed<D: Dim>() {
    for scheme in ALL_SCHEMES {
        let (force, range) = (1.0, 0.02);
        let speed = f64::sqrt(force * range / mass::<D>());
        let mut world = world::<D>(scheme, 1e-4, cohesive(0.0, force, Extent::Range(range)));
        fixed_ball(&mut world, D::Vector::ZERO);
        let grain = thrown_off(&mut world, speed);
        run(&mut world, 5000);
        let gap = |world: &World<D>| world.state.position[grain].length() - 2.0 * RADIUS;
        let weakened = gap(&world);
        close(weakened, 0.5 * range, 0.01 * range);
        run(&mut world, 100);
        assert_eq!(gap(&world), weakened);
        // Towards the fixed ball it moves freely, and holds with full strength once it is there.
        world.state.velocity[grain] = up::<D>() * -0.1;
        run(&mut world, 20);
        near(world.state.velocity[grain], up::<D>() * -0.1, 1e-12);
        run(&mut world, (weakened / 0.1 / 1e-4) as usize);
        close(world.state.velocity[grain].length(), 0.0, 1e-9);
        assert!(gap(&world).abs() < 1e-4 && world.state.contacts[0].bonded);
    }
}

/// A ball that cannot turn is pushed along a cohesive floor: it yields at `μ (m g + F_C)`.
fn cohesion_adds_to_the_pressure_in_friction<D: Dim>() {
    for scheme in SCHEMES {
        let (friction, g, force) = (0.4, 9.81, 3.0);
        let limit = friction * (mass::<D>() * g + force);
        for (part, holds) in [(0.99, true), (1.01, false)] {
            let mut world = world::<D>(scheme, 1e-3, cohesive(friction, force, Extent::Contact));
            floor(&mut world);
            let load = along::<D>() * (part * limit) - up::<D>() * (mass::<D>() * g);
            let body = Body { motion: pushed::<D>(load), ..Body::ball(RADIUS, 1.0) };
            let placement = Placement { position: up::<D>() * RADIUS, ..Placement::default() };
            let grain = add(&mut world, body, placement);
            let report = run(&mut world, 100);
            let expected = if holds { 0.0 } else { 0.01 * limit / mass::<D>() * report.time };
            near(world.state.velocity[grain], along::<D>() * expected, 1e-9);
        }
    }
}

/// A ball that hangs or leans on a fixed one, glued to it, under the force `load`.
fn glued<D: Dim>(
    scheme: Scheme,
    law: BondLaw,
    direction: D::Vector,
    load: D::Vector,
    turns: bool,
) -> (World<D>, usize) {
    let mut world = world::<D>(scheme, 1e-3, PairLaw::frictional(0.3));
    fixed_ball(&mut world, D::Vector::ZERO);
    let position = direction * (2.0 * RADIUS);
    let motion = if turns { Motion::Free } else { pushed::<D>(load) };
    let body = Body { motion, ..Body::ball(RADIUS, 1.0) };
    let grain = add(&mut world, body, Placement { position, ..Placement::default() });
    if turns {
        force(&mut world, grain, load);
    }
    assert_eq!(world.glue_touching(law, |_, _| true), 1);
    run(&mut world, 50);
    (world, grain)
}

fn holds<D: Dim>((world, grain): &(World<D>, usize), load: D::Vector) -> bool {
    let speed = world.state.velocity[*grain].length();
    let free = load.length() / mass::<D>() * world.state.time;
    let held = speed < 1e-9;
    assert!(held || speed > 1e-3 * free);
    assert_eq!(held, !world.state.bonds.is_empty());
    held
}

fn bonds_break_at_their_tensile_strength<D: Dim>() {
    let law = BondLaw { tensile_strength: 2.0, shear_strength: 5.0, ..BondLaw::default() };
    for scheme in ALL_SCHEMES {
        for (part, expected) in [(0.99, true), (1.01, false)] {
            let load = up::<D>() * (-2.0 * part);
            assert_eq!(holds(&glued::<D>(scheme, law, -up::<D>(), load, true), load), expected);
        }
    }
}

/// `|f_t| ≤ S (1 + f_n/T)`.
fn bonds_break_at_their_shear_strength<D: Dim>() {
    let law = BondLaw { tensile_strength: 4.0, shear_strength: 3.0, ..BondLaw::default() };
    for scheme in ALL_SCHEMES {
        for pressure in [0.0, 2.0, -2.0] {
            for (part, expected) in [(0.99, true), (1.01, false)] {
                let shear = part * 3.0 * (1.0 + pressure / 4.0);
                let load = along::<D>() * shear + up::<D>() * pressure;
                assert_eq!(holds(&glued::<D>(scheme, law, -up::<D>(), load, false), load), expected);
            }
        }
    }
}

/// A ball beside a fixed one bends the bond with its weight times its radius.
fn bonds_break_at_their_bending_strength<D: Dim>() {
    let weight = 1.0;
    for scheme in ALL_SCHEMES {
        for (part, expected) in [(1.01, true), (0.99, false)] {
            let bending_strength = part * weight * RADIUS;
            let law = BondLaw { tensile_strength: 10.0, shear_strength: 10.0, bending_strength, ..BondLaw::default() };
            let load = up::<D>() * -weight;
            assert_eq!(holds(&glued::<D>(scheme, law, along::<D>(), load, true), load), expected);
        }
    }
}

const MORTAR: BondStrength = BondStrength::Stress { tensile: 8.0, shear: 5.0 };

/// A block of half lengths 0.3, 0.2 and 0.25 below a larger one, or a ceiling: the joint is the whole of its upper face.
fn a_joint_breaks_at_its_stress_times_its_area<D: Dim>() {
    let area = if D::AXES == 2 { 0.6 } else { 0.6 * 0.4 };
    for scheme in ALL_SCHEMES {
        for is_wall in [false, true] {
            for (direction, stress) in [(-up::<D>(), 8.0), (along::<D>(), 5.0)] {
                for (part, expected) in [(0.99, true), (1.01, false)] {
                    let mut world = world::<D>(scheme, 1e-3, PairLaw::frictional(0.3));
                    let block = solid(&mut world, &cuboid::<D>(up::<D>() * -0.25, [0.3, 0.2, 0.25], 0.0), 1.0);
                    if is_wall {
                        plane(&mut world, -up::<D>(), D::Vector::ZERO);
                    } else {
                        fixed_solid(&mut world, &cuboid::<D>(up::<D>(), [1.0, 1.0, 1.0], 0.0));
                    }
                    // Shear without bending: the moment of the force about the joint is taken back.
                    let load = direction * (part * stress * area);
                    force(&mut world, block, load);
                    let [x, y] = [0, 1].map(|axis| 0.25 * load.get(axis));
                    let torque = if D::AXES == 2 { [0.0, 0.0, -x] } else { [-y, x, 0.0] };
                    world.loads[0].torque = torque.map(TimeFunction::Constant);
                    assert_eq!(world.glue_touching(MORTAR, |_, _| true), 1);
                    run(&mut world, 20);
                    assert_eq!(world.state.bonds.len() == 1, expected, "{scheme:?} {direction:?} {part}");
                    assert_eq!(world.state.cracks.is_empty(), expected);
                    if let Some(&crack) = world.state.cracks.first() {
                        // The load is as large as the strength times `part`, before anything moves.
                        let mode = if direction == along::<D>() { Breaking::Shear } else { Breaking::Tension };
                        assert_eq!((crack.mode, crack.step), (mode, 1));
                        let [point, normal] = world.place_of(&crack);
                        close(point.length(), 0.0, 1e-4);
                        close(normal.dot(up::<D>()).abs(), 1.0, 1e-6);
                        close(crack.area, area, 1e-12);
                        let force = if mode == Breaking::Shear { crack.shear_force } else { -crack.normal_force };
                        close(force, stress * area, 1e-6 * stress * area);
                    }
                }
            }
        }
    }
}

/// `f/A + M/W = σ`: a ball beside a fixed one, pulled away and bent by a load at its centre.
fn a_plug_between_balls_breaks_at_the_stress_of_a_bent_bar<D: Dim>() {
    let r = RADIUS;
    let (area, modulus) =
        if D::AXES == 2 { (2.0 * r, 2.0 * r * 2.0 * r / 6.0) } else { (PI * r * r, PI * r * r * r / 4.0) };
    for scheme in ALL_SCHEMES {
        for (part, expected) in [(0.99, true), (1.01, false)] {
            let bent = part * 5.0 * modulus / r;
            let load = along::<D>() * (part * 3.0 * area) - up::<D>() * bent;
            let mut world = world::<D>(scheme, 1e-3, PairLaw::frictional(0.3));
            fixed_ball(&mut world, D::Vector::ZERO);
            let grain = ball(&mut world, r, along::<D>() * (2.0 * r), D::Vector::ZERO);
            force(&mut world, grain, load);
            let strength = BondStrength::Stress { tensile: 8.0, shear: 100.0 };
            assert_eq!(world.glue_touching(strength, |_, _| true), 1);
            run(&mut world, 20);
            assert_eq!(world.state.bonds.len() == 1, expected, "{scheme:?} {part}");
            assert_eq!(world.state.cracks.first().map(|crack| crack.mode), (!expected).then_some(Breaking::Bending));
        }
    }
}

/// A ball that is torn off a fixed ball that then turns; and that is removed.
fn a_crack_moves_with_its_first_body_and_is_gone_once_glued_again<D: Dim>() {
    let law = BondLaw { tensile_strength: 2.0, shear_strength: 5.0, ..BondLaw::default() };
    let (mut world, grain) = glued::<D>(EULER, law, -up::<D>(), up::<D>() * -3.0, true);
    let crack = world.state.cracks[0];
    near(world.place_of(&crack)[0], up::<D>() * -RADIUS, 1e-6);
    let shift = along::<D>() * 2.0;
    world.state.position[0] += shift;
    world.state.orientation[0] = D::turn(world.state.orientation[0], D::wedge(up::<D>(), along::<D>()) * 0.3);
    let turned = D::rotate(world.state.orientation[0], up::<D>() * -RADIUS);
    near(world.place_of(&crack)[0], shift + turned, 1e-6);
    world.state.position[0] = up::<D>() * (2.0 * RADIUS) + world.state.position[grain];
    assert!(world.glue(law, &[[0, grain as u32]]).is_ok());
    assert!(world.state.cracks.is_empty());
    let (mut world, grain) = glued::<D>(EULER, law, -up::<D>(), up::<D>() * -3.0, true);
    world.loads.clear();
    world.remove(world.state.id[grain]).unwrap();
    assert!(world.state.cracks.is_empty());
}

fn blocks_that_touch_at_an_edge_have_no_area_to_be_glued_over<D: Dim>() {
    let mut world = world::<D>(EULER, 1e-3, PairLaw::frictional(0.3));
    floor(&mut world);
    let half = 0.3;
    let turned = cuboid::<D>(up::<D>() * (half * 2.0_f64.sqrt()), [half; 3], std::f64::consts::FRAC_PI_4);
    let block = solid(&mut world, &turned, 1.0) as u32;
    assert_eq!(world.glue_touching(MORTAR, |_, _| true), 0);
    assert_eq!(world.glue(MORTAR, &[[0, block]]), Err(NotGlued::NoArea { bodies: [0, block] }));
    assert!(
        world.glue(BondLaw { tensile_strength: 1.0, shear_strength: 1.0, ..BondLaw::default() }, &[[0, block]]).is_ok()
    );
}

fn grains_that_do_not_touch_cannot_be_glued<D: Dim>() {
    let mut world = world::<D>(EULER, 1e-3, PairLaw::frictional(0.3));
    for x in [0.0, 1.0, 2.1] {
        ball(&mut world, RADIUS, along::<D>() * x, D::Vector::ZERO);
    }
    let law = BondLaw { tensile_strength: 1.0, shear_strength: 1.0, ..BondLaw::default() };
    assert!(world.glue(law, &[[1, 0]]).is_ok());
    let error = world.glue(law, &[[0, 1], [1, 2]]).unwrap_err();
    let NotGlued::Apart { bodies: [1, 2], gap } = error else { panic!("{error}") };
    close(gap, 0.1, 1e-12);
    assert_eq!(error.to_string(), "grains 1 and 2 do not touch: they are 1.000e-1 m apart");
    assert_eq!(world.state.bonds.len(), 1);
    assert_eq!(world.glue_touching(law, |_, bodies| !bodies.contains(&0)), 0);
}

fn restitution_follows_the_speed_of_approach<D: Dim>() {
    let curve = SpeedCurve::Table(vec![[0.5, 0.9], [1.5, 0.3]]);
    for scheme in SCHEMES {
        for (speed, expected) in [(0.25, 0.9), (1.0, 0.6), (3.0, 0.3)] {
            let law = PairLaw { restitution_curve: Some(curve.clone()), ..PairLaw::frictional(0.0) };
            let mut world = world::<D>(scheme, 1e-3, law);
            floor(&mut world);
            let grain = ball(&mut world, RADIUS, up::<D>() * (RADIUS + 0.01), up::<D>() * -speed);
            run(&mut world, 100);
            near(world.state.velocity[grain], up::<D>() * (speed * expected), 1e-9);
        }
    }
}

/// `v` loses `μ(v) g δt` in every step.
fn friction_follows_the_speed_of_sliding<D: Dim>() {
    let (g, dt) = (9.81, 1e-3);
    let curve = SpeedCurve::Decay { from: 0.5, to: 0.2, speed: 0.3 };
    for scheme in SCHEMES {
        let law = PairLaw { friction_curve: Some(curve.clone()), ..PairLaw::frictional(0.5) };
        let mut world = world::<D>(scheme, dt, law);
        floor(&mut world);
        let body = Body { motion: pushed::<D>(up::<D>() * (-g * mass::<D>())), ..Body::ball(RADIUS, 1.0) };
        let placement =
            Placement { position: up::<D>() * RADIUS, velocity: along::<D>() * 1.0, ..Placement::default() };
        let grain = add(&mut world, body, placement);
        let mut expected = 1.0;
        for _ in 0..200 {
            run(&mut world, 1);
            expected -= curve.at(expected) * g * dt;
            near(world.state.velocity[grain], along::<D>() * expected, 1e-10);
        }
        run(&mut world, 200);
        close(world.state.velocity[grain].length(), 0.0, 1e-12);
    }
}

/// Two materials mix by the rule of the scene's reference.
#[test]
fn laws_of_two_materials_mix() {
    let a = cohesive(0.4, 4.0, Extent::Range(0.1));
    let b = cohesive(0.9, 9.0, Extent::Range(0.1));
    let pair = PairLaw::mixed(&a, &b);
    assert_eq!(pair.cohesion.map(|cohesion| cohesion.force(1.0)), Some(6.0));
    let sticky = PairLaw { friction_curve: Some(SpeedCurve::Constant(0.1)), ..PairLaw::frictional(0.3) };
    assert!((PairLaw::mixed(&sticky, &PairLaw::frictional(0.4)).friction_at(2.0) - 0.2).abs() < 1e-15);
    let _ = world::<D2>(EULER, 1.0, pair);
}
