//! Imposed motion: functions of time, drums, torques.

use crate::setting::*;
use riprap_engine::{Body, Dim, Freedom, Freedoms, Motion, Options, Placement, Shape, TimeFunction, Vector, World};

in_both_dimensions!(
    an_imposed_velocity_moves_a_wall_to_its_integral,
    a_torque_turns_an_empty_drum_up,
    a_ball_that_rolls_in_place_at_the_bottom_of_a_drum_stays_and_asks_for_no_torque,
    a_drum_spins_a_sliding_ball_up_at_the_angle_of_friction,
    a_loaded_drum_and_a_ball_turn_each_other_as_two_gears,
    the_energy_balance_of_a_wall_that_moves_and_turns_is_exact,
    a_ball_that_a_steady_wall_carries_along_needs_no_impulse_and_no_sweeps,
);

/// The axis of the drum, and the index of its rotation.
fn drum_axis<D: Dim>() -> (D::Vector, usize) {
    if D::AXES == 2 { (D::Vector::ZERO, 0) } else { (D::Vector::axis(1), 1) }
}

/// A direction along the floor, across the drum's axis.
fn across<D: Dim>() -> D::Vector {
    D::Vector::axis(0)
}

/// Adds a drum about the origin whose rotation is ruled by `freedom`.
fn drum<D: Dim>(world: &mut World<D>, radius: f64, inertia: f64, freedom: Freedom) -> usize {
    let (axis, rotation) = drum_axis::<D>();
    let mut body = Body::wall("drum", Shape::Drum { radius, axis });
    let mut freedoms = Freedoms::default();
    freedoms.rotation[rotation] = freedom;
    body.motion = Motion::Driven(Box::new(freedoms));
    body.inertia = D::Spin::from_fn(|_| inertia);
    add(world, body, Placement::default())
}

/// The component of [`rolling`] about the drum's axis: minus one in the plane, where x turned to y counts as positive.
fn sense<D: Dim>() -> f64 {
    rolling::<D>(across::<D>()).get(drum_axis::<D>().1)
}

fn an_imposed_velocity_moves_a_wall_to_its_integral<D: Dim>() {
    let (dt, steps) = (1e-2, 300);
    let time = dt * f64::from(steps);
    let omega = std::f64::consts::TAU * 0.7;
    let sine = TimeFunction::Sine { mean: 0.2, amplitude: 0.5, frequency: 0.7, phase: 0.3 };
    let sine_integral = 0.2 * time - 0.5 / omega * ((omega * time + 0.3).cos() - 0.3_f64.cos());
    // Velocities are taken in the middle of each step: exact where they are linear within it, and wrong by less than
    // T δt²/24 times the largest second derivative otherwise.
    let cases = [
        (TimeFunction::Constant(0.4), 0.4 * time, 1e-12),
        (TimeFunction::Ramp { from: 0.1, to: -0.7, start: 0.5, end: 2.0 }, 0.05 - 0.3 * 1.5 - 0.7 * 1.0, 1e-12),
        (TimeFunction::Table(vec![(0.0, 0.0), (1.0, 2.0), (1.5, -1.0), (2.5, 0.0)]), 1.0 + 0.25 - 0.5, 1e-12),
        (sine, sine_integral, time * dt * dt / 24.0 * 0.5 * omega * omega),
    ];
    for scheme in SCHEMES {
        for (function, integral, tolerance) in &cases {
            let mut world = world::<D>(scheme, dt, law(0.0, 0.0, 0.0));
            let wall = floor(&mut world);
            let mut freedoms = Freedoms::default();
            freedoms.translation[D::AXES - 1] = Freedom::Velocity(function.clone());
            world.bodies[wall].motion = Motion::Driven(Box::new(freedoms));
            // A grain in the way changes nothing: the motion is imposed.
            world.settings.solver = Options::default();
            ball(&mut world, 0.1, up::<D>() * 0.1, D::Vector::ZERO);
            run(&mut world, steps as usize);
            near(world.state.position[wall], up::<D>() * *integral, *tolerance);
        }
    }
}

fn a_torque_turns_an_empty_drum_up<D: Dim>() {
    let (dt, inertia, torque, steps) = (1e-3, 0.8, 2.5, 400);
    for scheme in SCHEMES {
        let mut world = world::<D>(scheme, dt, law(0.5, 0.0, 0.0));
        let body = drum(&mut world, 1.0, inertia, Freedom::Force(TimeFunction::Constant(torque)));
        let report = run(&mut world, steps);
        let rate = torque / inertia * report.time;
        close(world.state.spin[body].get(drum_axis::<D>().1), rate, 1e-12);
        close(report.energy.loads, 0.5 * inertia * rate * rate, 1e-12);
    }
}

/// Surface and surface have the same velocity, `r ω = R Ω`: nothing slides, nothing pulls.
fn a_ball_that_rolls_in_place_at_the_bottom_of_a_drum_stays_and_asks_for_no_torque<D: Dim>() {
    let (dt, outer, radius, rate, g) = (1e-3, 1.0, 0.2, 3.0, 9.81);
    for scheme in SCHEMES {
        let mut world = world::<D>(scheme, dt, law(0.5, 0.0, 0.0));
        gravity(&mut world, g, 0.0);
        let body = drum(&mut world, outer, 0.0, Freedom::Velocity(TimeFunction::Constant(rate * sense::<D>())));
        let bottom = up::<D>() * -(outer - radius);
        let grain = ball(&mut world, radius, bottom, D::Vector::ZERO);
        world.state.spin[grain] = rolling::<D>(across::<D>()) * (rate * outer / radius);
        run(&mut world, 1000);
        near(world.state.position[grain], bottom, 1e-10);
        near(world.state.spin[grain], rolling::<D>(across::<D>()) * (rate * outer / radius), 1e-10);
        let load = world.wall_loads()[0];
        assert_eq!(load.body as usize, body);
        let weight = world.bodies[grain].mass * g;
        close(load.torque.length() / (weight * outer), 0.0, 1e-9);
        close(load.power / (weight * outer * rate), 0.0, 1e-9);
        near(load.force * (1.0 / weight), -up::<D>(), 1e-9);
    }
}

/// At the angle `tan φ = μ` a ball that slides neither rises nor falls: `N = m g cos φ`, `μN = m g sin φ`. The wall spins
/// it up by `r dω/dt = μ g cos φ/κ` until `r ω = R Ω`, at `t = κ R Ω/(μ g cos φ)`.
fn a_drum_spins_a_sliding_ball_up_at_the_angle_of_friction<D: Dim>() {
    let (dt, outer, radius, rate, g, friction) = (1e-3, 1.0, 0.2, 3.0, 9.81, 0.3_f64);
    let (phi, kappa) = (friction.atan(), D::BALL_INERTIA);
    let pull = friction * g * phi.cos();
    let end = kappa * outer * rate / pull;
    for scheme in SCHEMES {
        let mut world = world::<D>(scheme, dt, law(friction, 0.0, 0.0));
        gravity(&mut world, g, 0.0);
        drum(&mut world, outer, 0.0, Freedom::Velocity(TimeFunction::Constant(rate * sense::<D>())));
        // The bottom of a drum that rolls forward moves backward, and takes the ball there.
        let place = (across::<D>() * -phi.sin() - up::<D>() * phi.cos()) * (outer - radius);
        let grain = ball(&mut world, radius, place, D::Vector::ZERO);
        let steps = (end / dt) as usize;
        run(&mut world, steps);
        let spin = pull * dt * steps as f64 / (kappa * radius);
        near(world.state.spin[grain], rolling::<D>(across::<D>()) * spin, 1e-9);
        near(world.state.position[grain], place, 1e-9);
        let weight = world.bodies[grain].mass * g;
        let load = world.wall_loads()[0];
        // The ball's weight on the wall, and the torque of friction that the motor has to overcome.
        near(load.force * (1.0 / weight), -up::<D>(), 1e-9);
        close(load.torque.dot(rolling::<D>(across::<D>())) / (weight * outer), -phi.sin(), 1e-9);
        close(load.power / (weight * outer * rate), phi.sin(), 1e-9);
        // Once the surfaces move together it slides no more, and falls back.
        run(&mut world, 20);
        assert!(world.state.velocity[grain].dot(across::<D>()) > 1e-3);
    }
}

/// A ball at rest at the bottom of a drum that turns freely, pressed on it: friction brings both to one surface velocity,
/// and what it gives to one it takes from the other, `ΔL/R = Δl/r`.
fn a_loaded_drum_and_a_ball_turn_each_other_as_two_gears<D: Dim>() {
    let (dt, outer, radius, rate, inertia) = (1e-3, 1.0, 0.2, 3.0, 0.7);
    for scheme in SCHEMES {
        let mut world = world::<D>(scheme, dt, law(0.4, 0.0, 0.0));
        let body = drum(&mut world, outer, inertia, Freedom::Force(TimeFunction::Constant(0.0)));
        world.state.spin[body] = rolling::<D>(across::<D>()) * rate;
        // The ball is held in place and pressed on the drum.
        let mut gear = Body::<D>::ball(radius, 1.0);
        let own = gear.inertia.get(0);
        let mut freedoms = Freedoms::default();
        freedoms.translation[D::AXES - 1] = Freedom::Force(TimeFunction::Constant(-10.0));
        for rotation in 0..D::SPINS {
            freedoms.rotation[rotation] = Freedom::Force(TimeFunction::Constant(0.0));
        }
        gear.motion = Motion::Driven(Box::new(freedoms));
        let place = Placement { position: up::<D>() * -(outer - radius), ..Placement::default() };
        let gear = add(&mut world, gear, place);
        run(&mut world, 1500);
        // I(Ω₀ − Ω)/R = J ω/r and R Ω = r ω.
        let expected = inertia * rate / (inertia + own * (outer / radius).powi(2));
        near(world.state.spin[body], rolling::<D>(across::<D>()) * expected, 1e-9);
        near(world.state.spin[gear], rolling::<D>(across::<D>()) * (expected * outer / radius), 1e-8);
    }
}

fn the_energy_balance_of_a_wall_that_moves_and_turns_is_exact<D: Dim>() {
    let (dt, outer, radius, rate) = (1e-3, 1.0, 0.2, 3.0);
    for scheme in SCHEMES {
        let mut world = world::<D>(scheme, dt, law(0.3, 0.0, 0.0));
        gravity(&mut world, 9.81, 0.0);
        let body = drum(&mut world, outer, 0.0, Freedom::Velocity(TimeFunction::Constant(rate * sense::<D>())));
        if let Motion::Driven(freedoms) = &mut world.bodies[body].motion {
            let shake = TimeFunction::Sine { mean: 0.1, amplitude: 0.5, frequency: 2.0, phase: 0.0 };
            freedoms.translation[0] = Freedom::Velocity(shake.clone());
            freedoms.translation[D::AXES - 1] = Freedom::Velocity(shake.scaled(0.7));
        }
        ball(&mut world, radius, up::<D>() * -(outer - radius), D::Vector::ZERO);
        run(&mut world, 500);
    }
}

/// Once ball and wall move together nothing is left to solve but rounding, whatever is asked of the residual.
fn a_ball_that_a_steady_wall_carries_along_needs_no_impulse_and_no_sweeps<D: Dim>() {
    for scheme in SCHEMES {
        let mut world = world::<D>(scheme, 1e-2, law(0.0, 0.0, 0.0));
        let wall = floor(&mut world);
        let mut freedoms = Freedoms::default();
        freedoms.translation[D::AXES - 1] = Freedom::Velocity(TimeFunction::Constant(0.4));
        world.bodies[wall].motion = Motion::Driven(Box::new(freedoms));
        let grain = ball(&mut world, 0.1, up::<D>() * 0.1, D::Vector::ZERO);
        for _ in 0..20 {
            let report = step(&mut world);
            assert!(report.converged && report.sweeps < 10, "{} sweeps in step {}", report.sweeps, report.step);
        }
        near(world.state.velocity[grain], up::<D>() * 0.4, 1e-14);
    }
}
