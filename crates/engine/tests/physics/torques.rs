//! Contact torques: rolling and torsion on a floor, step by step.

use crate::setting::*;
use riprap_engine::{D3, Dim, PairLaw, Scheme, Status, TorqueLimit, Vector, World};

in_both_dimensions!(
    rolling_resistance_holds_a_ball_on_an_incline_up_to_its_limit,
    beyond_the_limit_a_ball_rolls_down_against_the_resistance,
    a_rolling_ball_comes_to_rest,
    unequal_balls_share_the_rolling_torque,
    viscous_rolling_dies_away_exponentially,
    rough_surfaces_hold_a_ball_up_to_the_root_of_roughness_and_radius,
);

const G: f64 = 9.81;
const RADIUS: f64 = 0.3;
/// Thousands of steps, each solved to 1e-12 of numbers of order 1.
const EXACT: f64 = 1e-9;

fn ball_on_floor<D: Dim>(scheme: Scheme, dt: f64, law: PairLaw, tilt: f64) -> (World<D>, usize) {
    let mut world = world::<D>(scheme, dt, law);
    gravity(&mut world, G, tilt);
    floor(&mut world);
    let grain = ball(&mut world, RADIUS, up::<D>() * RADIUS, D::Vector::ZERO);
    (world, grain)
}

fn resisting(friction: f64, rolling: f64) -> PairLaw {
    PairLaw { rolling: TorqueLimit::Length(rolling), ..PairLaw::frictional(friction) }
}

/// It rests iff `tan θ ≤ μ_r/R`, given `μ ≥ tan θ`.
fn rolling_resistance_holds_a_ball_on_an_incline_up_to_its_limit<D: Dim>() {
    let angle: f64 = 0.3;
    for scheme in SCHEMES {
        for (part, holds) in [(1.01, true), (0.99, false)] {
            for limit in [TorqueLimit::Length(part * RADIUS * angle.tan()), TorqueLimit::Reduced(part * angle.tan())] {
                let law = PairLaw { rolling: limit, ..PairLaw::frictional(1.2 * angle.tan()) };
                let (mut world, grain) = ball_on_floor::<D>(scheme, 1e-3, law, angle);
                run(&mut world, 300);
                let speed = world.state.velocity[grain].length();
                assert_eq!(speed < 1e-9, holds, "{scheme:?} {limit:?}: {speed:e}");
                let [torsion, rolling] = D::split_spin(up::<D>(), world.state.extras_of(0).torque);
                let most = part.min(1.0) * RADIUS * angle.tan() * world.state.contacts[0].impulse.dot(up::<D>());
                close(rolling.length(), most, 1e-9 * most);
                close(torsion.length(), 0.0, 1e-15);
            }
        }
    }
}

/// `a = g (sin θ − (μ_r/R) cos θ)/(1+κ)`.
fn beyond_the_limit_a_ball_rolls_down_against_the_resistance<D: Dim>() {
    let (angle, t): (f64, _) = (0.4, along::<D>());
    let resistance = 0.2;
    for scheme in SCHEMES {
        let (mut world, grain) = ball_on_floor::<D>(scheme, 1e-3, resisting(2.0, resistance * RADIUS), angle);
        let report = run(&mut world, 500);
        let v = G * (angle.sin() - resistance * angle.cos()) / (1.0 + D::BALL_INERTIA) * report.time;
        near(world.state.velocity[grain], t * v, EXACT);
        near(world.state.spin[grain], rolling::<D>(t) * (v / RADIUS), EXACT / RADIUS);
        // What the torque took is the limit times the angle that the ball has rolled, with the mean spin of each step.
        let pressed = world.bodies[grain].mass * G * angle.cos();
        close(report.energy.rolling, resistance * pressed * 0.5 * v * report.time, 1e-8 * report.energy.rolling);
        close(report.energy.friction, 0.0, 1e-9);
    }
}

/// `v = v₀ − (μ_r/R) g t/(1+κ)`, then rest; all its energy goes into the torque.
fn a_rolling_ball_comes_to_rest<D: Dim>() {
    let (dt, v0, resistance, t) = (1e-3, 1.0, 0.1, along::<D>());
    for scheme in SCHEMES {
        let (mut world, grain) = ball_on_floor::<D>(scheme, dt, resisting(0.5, resistance * RADIUS), 0.0);
        world.state.velocity[grain] = t * v0;
        world.state.spin[grain] = rolling::<D>(t) * (v0 / RADIUS);
        let deceleration = resistance * G / (1.0 + D::BALL_INERTIA);
        let steps = (v0 / deceleration / dt) as usize;
        let report = run(&mut world, steps);
        near(world.state.velocity[grain], t * (v0 - deceleration * report.time), EXACT);
        let report = run(&mut world, 10);
        close(world.state.velocity[grain].length(), 0.0, EXACT);
        assert_eq!(world.state.contacts[0].status, Status::Stick);
        close(report.energy.rolling, report.energy.initial - report.energy.potential, 1e-9);
    }
}

/// With a torque `t_v v f_n`, `v' = −(t_v/R) g v/(1+κ)`: in each step the same part of the speed, and all energy goes into
/// the torque. A step of any length stops the ball at most.
fn viscous_rolling_dies_away_exponentially<D: Dim>() {
    let (v0, time, t) = (1.0, 0.02, along::<D>());
    let decay = time / RADIUS * G / (1.0 + D::BALL_INERTIA);
    let law = PairLaw { rolling: TorqueLimit::Viscous(time), ..PairLaw::frictional(0.5) };
    for scheme in SCHEMES {
        let rolled = |dt: f64, steps: usize| {
            let (mut world, grain) = ball_on_floor::<D>(scheme, dt, law.clone(), 0.0);
            world.state.velocity[grain] = t * v0;
            world.state.spin[grain] = rolling::<D>(t) * (v0 / RADIUS);
            let report = run(&mut world, steps);
            (world.state.velocity[grain].dot(t), report)
        };
        let (dt, steps) = (1e-3, 1500);
        let (v, report) = rolled(dt, steps);
        close(v, v0 * (1.0 - decay * dt).powi(steps as i32), EXACT);
        close(v, v0 * (-decay * report.time).exp(), decay * decay * dt * report.time * v);
        close(report.energy.rolling, report.energy.initial - report.energy.potential - report.energy.kinetic, 1e-9);
        let (v, _) = rolled(3.0 / decay, 1);
        close(v, 0.0, EXACT);
    }
}

/// It rests iff `tan θ ≤ √(ξ r*)/R`.
fn rough_surfaces_hold_a_ball_up_to_the_root_of_roughness_and_radius<D: Dim>() {
    let angle: f64 = 0.1;
    for (part, holds) in [(1.01, true), (0.99, false)] {
        let length: f64 = part * RADIUS * angle.tan();
        let limit = TorqueLimit::Rough { roughness: length * length / RADIUS, coefficient: 1.0 };
        let law = PairLaw { rolling: limit, ..PairLaw::frictional(0.5) };
        let (mut world, grain) = ball_on_floor::<D>(MIDPOINT, 1e-3, law, angle);
        run(&mut world, 300);
        assert_eq!(world.state.velocity[grain].length() < 1e-9, holds, "{part}");
    }
}

/// Momentum, angular momentum and energy are kept by a torque between free balls of different sizes, where force and
/// torque are coupled.
fn unequal_balls_share_the_rolling_torque<D: Dim>() {
    // Under the Euler scheme the contact is where the balls touch when the step begins.
    let mut world = world::<D>(EULER, 1e-2, resisting(0.3, 0.2));
    let [n, t] = [up::<D>(), along::<D>()];
    let small = ball(&mut world, 0.5, D::Vector::ZERO, n * 0.4 + t * 0.3);
    let large = ball(&mut world, 1.5, n * 2.0, n * -0.4);
    world.state.spin[small] = rolling::<D>(t) * 2.0;
    let angular = |world: &World<D>| {
        [small, large].iter().fold(D::Spin::ZERO, |sum, &i| {
            let (body, v) = (&world.bodies[i], world.state.velocity[i]);
            sum + D::wedge(world.state.position[i], v * body.mass) + world.state.spin[i] * body.inertia.get(0)
        })
    };
    let (before, size) = (angular(&world), world.kinetic_energy());
    let report = run(&mut world, 1);
    assert!(world.state.extras_of(0).torque.length() > 0.0);
    near(angular(&world), before, 1e-12 * size.max(1.0));
    assert!(report.energy.rolling > 0.0 && report.energy.kinetic < size);
    // The torque is at its limit or there is no relative spin left.
    let spin = world.state.spin[large] - world.state.spin[small];
    let contact = &world.state.contacts[0];
    let limit = 0.2 * contact.impulse.dot(contact.normal);
    assert!(spin.length() < 1e-10 || (world.state.extras_of(0).torque.length() / limit - 1.0).abs() < 1e-9);
}

/// `2R²ω₀/(5 μ_tor g)`.
#[test]
fn torsion_stops_a_spinning_sphere() {
    let (dt, spin, torsion) = (1e-3, 3.0, 0.02);
    for scheme in SCHEMES {
        let law = PairLaw { torsion: TorqueLimit::Length(torsion), ..PairLaw::frictional(0.5) };
        let (mut world, grain) = ball_on_floor::<D3>(scheme, dt, law, 0.0);
        world.state.spin[grain] = up::<D3>() * spin;
        let stop = 2.0 * RADIUS * RADIUS * spin / (5.0 * torsion * G);
        let report = run(&mut world, (stop / dt) as usize);
        near(world.state.spin[grain], up::<D3>() * (spin * (1.0 - report.time / stop)), EXACT);
        let report = run(&mut world, 2);
        close(world.state.spin[grain].length(), 0.0, EXACT);
        close(report.energy.torsion, report.energy.initial - report.energy.potential, EXACT);
        close(report.energy.rolling, 0.0, EXACT);
    }
}

/// A wall that turns beneath a sphere drags it along by torsion, and feels the torque.
#[test]
fn a_turning_plate_feels_the_torsion() {
    use riprap_engine::{Freedom, Freedoms, Motion, TimeFunction};
    let torsion = 0.02;
    for scheme in SCHEMES {
        let law = PairLaw { torsion: TorqueLimit::Length(torsion), ..PairLaw::frictional(0.5) };
        let (mut world, grain) = ball_on_floor::<D3>(scheme, 1e-3, law, 0.0);
        let mut freedoms = Freedoms::default();
        freedoms.rotation[2] = Freedom::Velocity(TimeFunction::Constant(2.0));
        world.bodies[0].motion = Motion::Driven(Box::new(freedoms));
        let report = run(&mut world, 50);
        let torque = torsion * world.bodies[grain].mass * G;
        close(world.wall_loads()[0].torque.z, -torque, 1e-9);
        close(world.wall_loads()[0].power, 2.0 * torque, 1e-9);
        close(report.energy.drivers, 2.0 * torque * report.time, 1e-9);
        close(world.state.spin[grain].z, torque * report.time / world.bodies[grain].inertia.z, 1e-9);
    }
}

/// A sphere that slides over a floor and spins about the vertical, without rolling: contact velocity and spin at the start,
/// and the coupled law with `μ_tor/μ = λ`.
fn sliding_and_spinning(scheme: Scheme, dt: f64, lambda: f64, u0: f64, spin: f64) -> (World<D3>, usize) {
    let torsion = TorqueLimit::Length(lambda * 0.3);
    let law = PairLaw { torsion, couples_torsion: true, ..PairLaw::frictional(0.3) };
    let (mut world, grain) = ball_on_floor::<D3>(scheme, dt, law, 0.0);
    world.state.velocity[grain] = along::<D3>() * u0;
    world.state.spin[grain] = up::<D3>() * spin;
    (world, grain)
}

/// The velocity at the contact along the floor, and the spin about the vertical.
fn slip(world: &World<D3>) -> [f64; 2] {
    let contact = &world.state.contacts[0];
    [contact.velocity.dot(along::<D3>()), world.state.spin[contact.bodies[1] as usize].dot(up::<D3>())]
}

/// With `λ² = 7R²/5`, sliding and spin keep their ratio, and both end at once: `u = u₀ − 7/2 μ g t u₀/√(u₀² + λ²Ω₀²)`.
#[test]
fn coupled_sliding_and_spinning_end_together() {
    let (u0, spin, dt) = (0.7, 2.0, 1e-3);
    let lambda = RADIUS * 1.4_f64.sqrt();
    for scheme in SCHEMES {
        let (mut world, grain) = sliding_and_spinning(scheme, dt, lambda, u0, spin);
        let size = u0.hypot(lambda * spin);
        let deceleration = 3.5 * 0.3 * G;
        let steps = (size / deceleration / dt) as usize;
        let report = run(&mut world, steps);
        let left = 1.0 - deceleration * report.time / size;
        let [u, turning] = slip(&world);
        close(u, u0 * left, EXACT);
        close(turning, spin * left, EXACT);
        assert_eq!(world.state.contacts[0].status, Status::Slide);
        let (force, torque) = (world.state.contacts[0].impulse, world.state.extras_of(0).torque);
        let pressed = world.bodies[grain].mass * G * dt;
        close(force.dot(along::<D3>()), -0.3 * pressed * u0 / size, EXACT);
        close(torque.dot(up::<D3>()), -0.3 * pressed * lambda * lambda * spin / size, EXACT);
        run(&mut world, 2);
        let [u, turning] = slip(&world);
        assert!(u.abs() < EXACT && turning.abs() < EXACT, "{u} {turning}");
        assert_eq!(world.state.contacts[0].status, Status::Stick);
    }
}

/// In general `Ω/Ω₀ = (u/u₀)^(5λ²/7R²)`, up to the step.
#[test]
fn coupled_sliding_and_spinning_follow_a_power_law() {
    for part in [0.5, 2.0] {
        let lambda = RADIUS * (1.4_f64 * part).sqrt();
        let errors = [1e-3, 5e-4].map(|dt| {
            let (mut world, _) = sliding_and_spinning(MIDPOINT, dt, lambda, 0.7, 2.0);
            run(&mut world, (0.04 / dt) as usize);
            let [u, spin] = slip(&world);
            assert!(u > 0.1 && u < 0.6, "{u}");
            spin / 2.0 - (u / 0.7).powf(part)
        });
        assert!(errors[0].abs() < 5e-3, "{errors:?}");
        close(errors[0] / errors[1], 2.0, 0.1);
    }
}

/// Fast spin makes friction viscous: the force on a sphere that slides slowly is `μ N u/(λ Ω)`, far below `μ N`.
#[test]
fn a_spinning_contact_slides_under_a_small_force() {
    let (u0, spin, lambda) = (1e-3, 50.0, 0.1);
    let (mut world, grain) = sliding_and_spinning(MIDPOINT, 1e-4, lambda, u0, spin);
    step(&mut world);
    let friction = world.state.contacts[0].impulse.dot(along::<D3>()) / 1e-4;
    let expected = 0.3 * world.bodies[grain].mass * G * slip(&world)[0] / (lambda * spin);
    close(friction, -expected, 1e-3 * expected);
}
