//! Percussions from outside: impulses at instants, at points of bodies.

use crate::setting::*;
use riprap_engine::{Dim, Method, PairLaw, Percussion, PercussionOptions, Soft, Target, Vector, World};

in_both_dimensions!(
    a_blow_gives_its_impulse_and_its_moment_once,
    a_ball_struck_above_its_centre_rolls_at_once,
    a_blow_is_passed_on_to_the_floor,
);

fn blow<D: Dim>(world: &mut World<D>, body: usize, time: f64, impulse: D::Vector, arm: D::Vector) {
    let target = Target::Body(body as u32);
    world.percussions.push(Percussion { target, time, impulse: impulse.to_array3(), arm: arm.to_array3() });
}

/// `v = P/m`, `ω = l×P/I` in the step during which the time comes, be it in the middle of a step or where one ends and the
/// next begins; the work is `P·(v⁻+v⁺)/2 + l×P·(ω⁻+ω⁺)/2` (checked by `step`).
fn a_blow_gives_its_impulse_and_its_moment_once<D: Dim>() {
    let dt = 0.1;
    let methods = [
        (Method::ContactDynamics, MIDPOINT),
        (Method::ContactDynamics, EULER),
        (Method::Percussions(PercussionOptions::default()), MIDPOINT),
    ];
    // The ninth time is a sum of tenths, not 0.9.
    let ninth = (0..9).fold(0.0, |time, _| time + dt);
    for (method, scheme) in methods {
        for (time, steps_before) in [(0.0, 0), (0.25, 2), (ninth, 9)] {
            let mut world = world::<D>(scheme, dt, law(0.0, 0.0, 0.0));
            world.method = method;
            let grain = ball(&mut world, 0.3, D::Vector::ZERO, D::Vector::ZERO);
            let (impulse, arm) = (along::<D>() * 0.2, up::<D>() * 0.1);
            blow(&mut world, grain, time, impulse, arm);
            run(&mut world, steps_before);
            assert_eq!(world.state.velocity[grain], D::Vector::ZERO);
            let report = run(&mut world, 1);
            let (mass, inertia) = (world.bodies[grain].mass, world.bodies[grain].inertia.get(0));
            let spin = D::wedge(arm, impulse) * (1.0 / inertia);
            near(world.state.velocity[grain], impulse * (1.0 / mass), 1e-14);
            near(world.state.spin[grain], spin, 1e-12);
            let work = 0.5 * (0.2 * 0.2 / mass + 0.02 * spin.length());
            close(report.energy.loads, work, 1e-13);
            run(&mut world, 5);
            near(world.state.velocity[grain], impulse * (1.0 / mass), 1e-14);
        }
    }
    // Soft grains feel it spread over the step, to the same end.
    let mut soft = world::<D>(EULER, dt, law(0.0, 0.0, 0.0));
    soft.method = Method::MolecularDynamics(Soft::new(1e4, 1e-3));
    let grain = ball(&mut soft, 0.3, D::Vector::ZERO, D::Vector::ZERO);
    blow(&mut soft, grain, 0.25, along::<D>() * 0.2, up::<D>() * 0.1);
    run(&mut soft, 3);
    let body = &soft.bodies[grain];
    near(soft.state.velocity[grain], along::<D>() * (0.2 / body.mass), 1e-12);
    close(soft.state.spin[grain].length(), 0.02 / body.inertia.get(0), 1e-11);
}

/// The stroke of billiards: at `κ R` above the centre, `I = κ m R²`, the ball rolls without friction.
fn a_ball_struck_above_its_centre_rolls_at_once<D: Dim>() {
    let radius = 0.3;
    for (height, rolls) in [(D::BALL_INERTIA, true), (0.9 * D::BALL_INERTIA, false)] {
        let mut world = world::<D>(MIDPOINT, 1e-3, PairLaw::frictional(0.2));
        gravity(&mut world, 9.81, 0.0);
        floor(&mut world);
        let grain = ball(&mut world, radius, up::<D>() * radius, D::Vector::ZERO);
        blow(&mut world, grain, 0.01, along::<D>() * 0.4, up::<D>() * (height * radius));
        run(&mut world, 20);
        let v = 0.4 / world.bodies[grain].mass;
        let is_free_of_friction = (world.state.velocity[grain].dot(along::<D>()) - v).abs() < 1e-9;
        assert_eq!(is_free_of_friction, rolls);
    }
}

/// Two balls, one on the other: a blow from above comes out below, the same, and nothing moves.
fn a_blow_is_passed_on_to_the_floor<D: Dim>() {
    let dt = 1e-2;
    let mut world = world::<D>(MIDPOINT, dt, PairLaw::frictional(0.5));
    floor(&mut world);
    let lower = ball(&mut world, 0.5, up::<D>() * 0.5, D::Vector::ZERO);
    let upper = ball(&mut world, 0.5, up::<D>() * 1.5, D::Vector::ZERO);
    blow(&mut world, upper, 0.5 * dt, up::<D>() * -3.0, D::Vector::ZERO);
    run(&mut world, 1);
    near(world.wall_loads()[0].force, up::<D>() * (-3.0 / dt), 1e-9);
    for grain in [lower, upper] {
        near(world.state.velocity[grain], D::Vector::ZERO, 1e-10);
    }
}
