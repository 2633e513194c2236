//! Sliding, rolling and sticking on a floor: motions that both schemes follow exactly, step by step.

use crate::setting::*;
use riprap_engine::{Body, Dim, Freedom, Motion, PairLaw, Placement, Scheme, Status, TimeFunction, Vector, World};

in_both_dimensions!(
    a_sliding_ball_ends_up_rolling,
    a_ball_rolls_down_an_incline_if_friction_is_enough,
    a_ball_slides_down_an_incline_if_friction_is_too_little,
    a_body_that_cannot_turn_slides_to_rest,
    a_body_at_rest_holds_up_to_the_static_friction_and_slides_with_the_dynamic_one,
    a_body_on_a_slope_of_slowly_growing_angle_slips_at_the_angle_of_static_friction,
);

const G: f64 = 9.81;
const RADIUS: f64 = 0.3;
/// Thousands of exact steps, each rounded once or twice, of numbers of order 1.
const EXACT: f64 = 1e-11;

/// A ball on the floor.
fn ball_on_floor<D: Dim>(scheme: Scheme, dt: f64, friction: f64, velocity: f64, tilt: f64) -> (World<D>, usize) {
    let mut world = world::<D>(scheme, dt, law(friction, 0.0, 0.0));
    gravity(&mut world, G, tilt);
    floor(&mut world);
    let grain = ball(&mut world, RADIUS, up::<D>() * RADIUS, along::<D>() * velocity);
    (world, grain)
}

/// `v₀ κ/(μg(1+κ))`: 2v₀/(7μg) for a sphere, v₀/(3μg) for a disk, then v₀/(1+κ).
fn a_sliding_ball_ends_up_rolling<D: Dim>() {
    let (dt, friction, v0, kappa, t) = (1e-3, 0.2, 2.0, D::BALL_INERTIA, along::<D>());
    let last_slip = kappa * v0 / (friction * G * (1.0 + kappa));
    let expected = if D::AXES == 2 { v0 / (3.0 * friction * G) } else { 2.0 * v0 / (7.0 * friction * G) };
    close(last_slip, expected, 1e-14);
    for scheme in SCHEMES {
        let (mut world, grain) = ball_on_floor::<D>(scheme, dt, friction, v0, 0.0);
        let slips = (last_slip / dt) as usize;
        run(&mut world, slips);
        let time = dt * slips as f64;
        near(world.state.velocity[grain], t * (v0 - friction * G * time), EXACT);
        close(forward::<D>(world.state.spin[grain], t) * RADIUS, friction * G * time / kappa, EXACT);
        assert_eq!(world.state.contacts[0].status, Status::Slide);
        run(&mut world, 1);
        for _ in 0..500 {
            near(world.state.velocity[grain], t * (v0 / (1.0 + kappa)), EXACT);
            near(world.state.spin[grain], rolling::<D>(t) * (v0 / (1.0 + kappa) / RADIUS), EXACT / RADIUS);
            run(&mut world, 1);
            assert_eq!(world.state.contacts[0].status, Status::Stick);
        }
    }
}

/// `g sin θ/(1+κ)` if `μ ≥ κ/(1+κ) tan θ`: 5/7 and 2/7 for a sphere, 2/3 and 1/3 for a disk.
fn a_ball_rolls_down_an_incline_if_friction_is_enough<D: Dim>() {
    let (dt, angle, t): (f64, f64, _) = (1e-3, 0.5, along::<D>());
    let (share, limit) = if D::AXES == 2 { (2.0 / 3.0, 1.0 / 3.0) } else { (5.0 / 7.0, 2.0 / 7.0) };
    for scheme in SCHEMES {
        let (mut world, grain) = ball_on_floor::<D>(scheme, dt, 1.001 * limit * angle.tan(), 0.0, angle);
        let v = share * G * angle.sin() * run(&mut world, 1000).time;
        near(world.state.velocity[grain], t * v, EXACT);
        near(world.state.spin[grain], rolling::<D>(t) * (v / RADIUS), EXACT / RADIUS);
    }
}

/// Below that friction it slides with `g(sin θ − μ cos θ)` and spins up by `μ g cos θ/κ`.
fn a_ball_slides_down_an_incline_if_friction_is_too_little<D: Dim>() {
    let (dt, angle, t): (f64, f64, _) = (1e-3, 0.5, along::<D>());
    let limit = if D::AXES == 2 { 1.0 / 3.0 } else { 2.0 / 7.0 };
    for scheme in SCHEMES {
        for friction in [0.0, 0.999 * limit * angle.tan()] {
            let (mut world, grain) = ball_on_floor::<D>(scheme, dt, friction, 0.0, angle);
            let time = run(&mut world, 1000).time;
            near(world.state.velocity[grain], t * (G * (angle.sin() - friction * angle.cos()) * time), EXACT);
            let spin = friction * G * angle.cos() * time / (D::BALL_INERTIA * RADIUS);
            near(world.state.spin[grain], rolling::<D>(t) * spin, EXACT / RADIUS);
        }
    }
}

/// A ball that cannot turn, pressed on the floor by its weight and pushed along it.
fn block<D: Dim>(scheme: Scheme, dt: f64, law: PairLaw, push: TimeFunction, velocity: f64) -> (World<D>, usize) {
    let mut world = world::<D>(scheme, dt, law);
    floor(&mut world);
    let mut body = Body::ball(RADIUS, 1.0);
    body.motion = pushed::<D>(up::<D>() * (-body.mass * G));
    if let Motion::Driven(freedoms) = &mut body.motion {
        let push = push.scaled(body.mass);
        for axis in 0..D::AXES - 1 {
            freedoms.translation[axis] = Freedom::Force(push.scaled(along::<D>().get(axis)));
        }
    }
    let placement =
        Placement { position: up::<D>() * RADIUS, velocity: along::<D>() * velocity, ..Placement::default() };
    let block = add(&mut world, body, placement);
    (world, block)
}

/// `v²/(2μg)`, with the start `N` steps of `μgδt` away from rest: exact at the midpoint; the Euler scheme moves with the
/// velocity at the end of each step and so comes short by `½ v δt`.
fn a_body_that_cannot_turn_slides_to_rest<D: Dim>() {
    let (dt, friction, steps) = (1e-3, 0.25, 400);
    let v0 = friction * G * dt * f64::from(steps);
    for scheme in SCHEMES {
        let (mut world, body) = block::<D>(scheme, dt, law(friction, 0.0, 0.0), TimeFunction::Constant(0.0), v0);
        run(&mut world, steps as usize + 50);
        let short = if scheme == EULER { 0.5 * v0 * dt } else { 0.0 };
        let expected = v0 * v0 / (2.0 * friction * G) - short;
        near(world.state.position[body], up::<D>() * RADIUS + along::<D>() * expected, EXACT);
        near(world.state.velocity[body], D::Vector::ZERO, EXACT);
        let report = run(&mut world, 1);
        // All of the kinetic energy went into friction.
        close(report.energy.friction, report.energy.initial, EXACT);
    }
}

fn a_body_at_rest_holds_up_to_the_static_friction_and_slides_with_the_dynamic_one<D: Dim>() {
    let (dt, fixed, moving) = (1e-3, 0.5, 0.3);
    let law = PairLaw { static_friction: fixed, dynamic_friction: moving, ..PairLaw::frictional(0.0) };
    for scheme in SCHEMES {
        // Just below the static friction it holds.
        let push = TimeFunction::Constant(0.999 * fixed * G);
        let (mut world, body) = block::<D>(scheme, dt, law.clone(), push, 0.0);
        run(&mut world, 200);
        near(world.state.velocity[body], D::Vector::ZERO, EXACT);
        // Above it, it slides; only the first step, which begins at rest, has the static friction.
        let push = 1.001 * fixed * G;
        let (mut world, body) = block::<D>(scheme, dt, law.clone(), TimeFunction::Constant(push), 0.0);
        run(&mut world, 201);
        let v = dt * (push - fixed * G) + 200.0 * dt * (push - moving * G);
        near(world.state.velocity[body], along::<D>() * v, EXACT);
        // Once sliding, a push between the two frictions does not let it come to rest.
        let push = 0.5 * (fixed + moving) * G;
        let (mut world, body) = block::<D>(scheme, dt, law.clone(), TimeFunction::Constant(push), 0.1);
        run(&mut world, 200);
        near(world.state.velocity[body], along::<D>() * (0.1 + 200.0 * dt * (push - moving * G)), EXACT);
    }
}

fn a_body_on_a_slope_of_slowly_growing_angle_slips_at_the_angle_of_static_friction<D: Dim>() {
    // The push along the slope grows from 0 to g in 1 s; the body slips in the first step whose middle is past μ_s.
    let (dt, fixed, moving) = (1e-3, 0.4, 0.2);
    let law = PairLaw { static_friction: fixed, dynamic_friction: moving, ..PairLaw::frictional(0.0) };
    for scheme in SCHEMES {
        let push = TimeFunction::Ramp { from: 0.0, to: G, start: 0.0, end: 1.0 };
        let (mut world, body) = block::<D>(scheme, dt, law.clone(), push, 0.0);
        run(&mut world, 400);
        near(world.state.velocity[body], D::Vector::ZERO, EXACT);
        assert_eq!(world.state.contacts[0].status, Status::Stick);
        run(&mut world, 1);
        assert_eq!(world.state.contacts[0].status, Status::Slide);
    }
}
