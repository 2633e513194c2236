//! Motions of machines: walls on hinges and on other walls, motors with a largest torque, sums of functions.

use crate::setting::*;
use riprap_engine::{
    Body, BodyId, Carrier, Dim, Freedom, Freedoms, Hanging, Motion, Placement, Shape, Silent, TimeFunction, Vector,
    World,
};

in_both_dimensions!(
    a_hinged_body_swings_with_the_period_of_a_compound_pendulum,
    a_hinge_on_an_accelerated_wall_feels_it_as_tilted_gravity,
    a_motor_spins_up_at_its_largest_torque_and_then_holds_its_velocity,
    a_motor_that_is_too_weak_swings_an_arm_up_as_far_as_its_work_reaches,
    a_motor_that_holds_an_arm_does_the_work_of_lifting_it,
    a_motor_that_aims_at_rest_stops_a_body_like_dry_friction,
    a_motor_pushes_a_ball_with_its_largest_torque_and_no_more,
    a_carried_wall_goes_round_at_its_distance_and_spins_on_top,
    an_imposed_angle_is_reached_to_rounding,
);

const SPIN: f64 = 3.0;

/// The axis about which walls turn here, the second one in space, and its index among the spins.
fn turning<D: Dim>(spin: f64) -> (D::Spin, usize) {
    let axis = if D::SPINS == 1 { 0 } else { 1 };
    (D::Spin::axis(axis) * spin, axis)
}

/// The direction in which the top of such a wall moves if it turns with a positive spin.
fn ahead<D: Dim>() -> D::Vector {
    D::cross(turning::<D>(1.0).0, up::<D>())
}

/// Adds a plate that stands up from its position, with one freedom of rotation and a moment of inertia.
fn arm<D: Dim>(world: &mut World<D>, freedom: Freedom, inertia: f64) -> usize {
    let edges = [up::<D>(), if D::AXES == 3 { D::Vector::axis(1) } else { D::Vector::ZERO }];
    let mut freedoms = Freedoms::default();
    freedoms.rotation[turning::<D>(0.0).1] = freedom;
    let body = Body::wall("arm", Shape::Plate { half_edges: edges }).motion(Motion::Driven(Box::new(freedoms)));
    let body = Body { inertia: D::Spin::from_fn(|_| inertia), ..body };
    add(world, body, Placement::default())
}

fn freedoms<D: Dim>(world: &mut World<D>, body: usize) -> &mut Freedoms<D> {
    match &mut world.bodies[body].motion {
        Motion::Driven(freedoms) => freedoms,
        Motion::Free => panic!("a wall"),
    }
}

/// The spin of a wall about its axis.
fn spin<D: Dim>(world: &World<D>, body: usize) -> f64 {
    world.state.spin[body].get(turning::<D>(0.0).1)
}

/// The angle of an arm of the body that pointed along `from` and has turned by less than half a turn.
fn angle<D: Dim>(world: &World<D>, body: usize, from: D::Vector) -> f64 {
    let (axis, now) = (turning::<D>(1.0).0, D::rotate(world.state.orientation[body], from));
    libm::atan2(D::wedge(from, now).dot(axis), from.dot(now))
}

fn motor(velocity: f64, largest: f64) -> Freedom {
    Freedom::Motor { velocity: TimeFunction::Constant(velocity), largest }
}

/// The complete elliptic integral of the first kind of modulus `sin(angle/2)`, by the arithmetic-geometric mean.
fn quarter_period(angle: f64) -> f64 {
    let (mut a, mut b) = (1.0, (0.5 * angle).cos());
    for _ in 0..20 {
        (a, b) = (0.5 * (a + b), f64::sqrt(a * b));
    }
    0.5 * std::f64::consts::PI / a
}

/// `T/4 = √(I/mgc) K(sin(α/2))` from an amplitude α; the error of the scheme goes with the square of the step.
fn a_hinged_body_swings_with_the_period_of_a_compound_pendulum<D: Dim>() {
    let (mass, distance, inertia, g, amplitude) = (3.0, 0.4, 0.7, 9.81, 1.2);
    let exact = f64::sqrt(inertia / (mass * g * distance)) * quarter_period(amplitude);
    for scheme in SCHEMES {
        let errors = [2e-3, 1e-3].map(|dt| {
            let mut world = world::<D>(scheme, dt, law(0.5, 0.0, 0.0));
            gravity(&mut world, g, 0.0);
            let body = arm(&mut world, Freedom::Force(TimeFunction::Constant(0.0)), inertia);
            let out = -up::<D>() * amplitude.cos() + ahead::<D>() * amplitude.sin();
            freedoms(&mut world, body).hanging = Some(Hanging { mass, arm: out * distance });
            let from_below = |world: &World<D>| {
                let now = D::rotate(world.state.orientation[body], out);
                libm::atan2(now.dot(ahead::<D>()), -now.dot(up::<D>()))
            };
            let (mut before, mut time) = (from_below(&world), 0.0);
            loop {
                step(&mut world);
                let now = from_below(&world);
                if now <= 0.0 {
                    break (time + dt * before / (before - now)) / exact - 1.0;
                }
                (before, time) = (now, time + dt);
            }
        });
        // The Euler scheme starts from rest half a step late, which is of first order.
        match scheme {
            MIDPOINT => {
                close(errors[1], 0.0, 2e-6);
                close(errors[0] / errors[1], 4.0, 0.2);
            }
            _ => close(errors[1], 0.0, 0.5 * 1e-3 / exact * 1.1),
        }
    }
}

/// On a wall with the acceleration `a`, a body hangs as under the gravity `g − a`.
fn a_hinge_on_an_accelerated_wall_feels_it_as_tilted_gravity<D: Dim>() {
    let (dt, mass, distance, inertia, g, acceleration) = (1e-3, 2.0, 0.3, 0.4, 9.81, 4.0);
    for scheme in SCHEMES {
        let swing = |on_wall: bool| {
            let mut world = world::<D>(scheme, dt, law(0.5, 0.0, 0.0));
            gravity(&mut world, g, 0.0);
            let body = arm(&mut world, Freedom::Force(TimeFunction::Constant(0.0)), inertia);
            let base = arm(&mut world, Freedom::default(), 0.0);
            freedoms(&mut world, body).hanging = Some(Hanging { mass, arm: -up::<D>() * distance });
            if on_wall {
                let function = TimeFunction::Constant(acceleration * ahead::<D>().get(0));
                freedoms(&mut world, base).translation[0] =
                    Freedom::Acceleration { acceleration: function, start: 0.0 };
                let carrier = Carrier { id: BodyId(base as u32), aligned: D::Orientation::default() };
                freedoms(&mut world, body).carrier = Some(carrier);
            } else {
                world.gravity.acceleration -= ahead::<D>() * acceleration;
            }
            run(&mut world, 700);
            if on_wall {
                near(world.state.position[body], world.state.position[base], 1e-12);
            }
            angle(&world, body, -up::<D>())
        };
        let (carried, tilted) = (swing(true), swing(false));
        assert!(tilted.abs() > 0.1, "{tilted}");
        // In the first step the wall goes from rest to the velocity of the middle of the step: half of the change.
        close(carried, tilted, 0.5 * dt * acceleration * mass * distance / inertia);
    }
}

/// `ω = T t/I` up to the velocity that it aims at, and exactly that one from then on.
fn a_motor_spins_up_at_its_largest_torque_and_then_holds_its_velocity<D: Dim>() {
    let (dt, inertia, torque) = (1e-3, 0.8, 2.5);
    for scheme in SCHEMES {
        let mut world = world::<D>(scheme, dt, law(0.5, 0.0, 0.0));
        let body = arm(&mut world, motor(-SPIN, torque), inertia);
        let steps = (SPIN * inertia / torque / dt) as usize;
        let report = run(&mut world, steps);
        close(spin(&world, body), -torque * report.time / inertia, 1e-12);
        let report = run(&mut world, steps);
        assert_eq!(spin(&world, body), -SPIN);
        close(report.energy.loads, 0.5 * inertia * SPIN * SPIN, 1e-11);
    }
}

/// With `T < m g c` the arm comes to rest where the work `T θ` is that of lifting it, `m g c (1 − cos θ)`.
fn a_motor_that_is_too_weak_swings_an_arm_up_as_far_as_its_work_reaches<D: Dim>() {
    let (dt, mass, distance, inertia, g) = (1e-3, 2.0, 0.5, 0.6, 9.81);
    let moment = mass * g * distance;
    let torque = 0.5 * moment;
    let mut top = 1.0_f64;
    for _ in 0..50 {
        top -= (torque * top - moment * (1.0 - top.cos())) / (torque - moment * top.sin());
    }
    for scheme in SCHEMES {
        let mut world = world::<D>(scheme, dt, law(0.5, 0.0, 0.0));
        gravity(&mut world, g, 0.0);
        let body = arm(&mut world, motor(SPIN * 10.0, torque), inertia);
        freedoms(&mut world, body).hanging = Some(Hanging { mass, arm: -up::<D>() * distance });
        let mut highest = 0.0_f64;
        for _ in 0..1500 {
            let report = world.step(&mut Silent).unwrap();
            highest = highest.max(angle(&world, body, -up::<D>()));
            // All terms vanish as the arm comes back; what they had been sets the scale of rounding.
            close(report.energy.error(), 0.0, ROUNDING * moment);
        }
        // The Euler scheme is half a step late at the start, which changes the energy by that part.
        close(highest, top, if scheme == MIDPOINT { 1e-5 } else { 2e-3 });
        assert!(angle(&world, body, -up::<D>()) < 0.9 * top, "it swings back");
    }
}

/// A motor with `T > m g c` turns at its velocity; its work and that of the weight are those of the spin alone.
fn a_motor_that_holds_an_arm_does_the_work_of_lifting_it<D: Dim>() {
    let (dt, mass, distance, inertia, g) = (1e-3, 2.0, 0.5, 0.6, 9.81);
    for scheme in SCHEMES {
        let mut world = world::<D>(scheme, dt, law(0.5, 0.0, 0.0));
        gravity(&mut world, g, 0.0);
        let body = arm(&mut world, motor(SPIN, 4.0 * mass * g * distance), inertia);
        freedoms(&mut world, body).hanging = Some(Hanging { mass, arm: -up::<D>() * distance });
        let report = run(&mut world, 400);
        assert_eq!(spin(&world, body), SPIN);
        close(report.energy.loads, 0.5 * inertia * SPIN * SPIN, 1e-9);
    }
}

/// A brake of torque `T` stops a spin `ω` in the time `Iω/T`, takes its energy, and then holds.
fn a_motor_that_aims_at_rest_stops_a_body_like_dry_friction<D: Dim>() {
    let (dt, inertia, torque) = (1e-3, 0.5, 2.0);
    for scheme in SCHEMES {
        let mut world = world::<D>(scheme, dt, law(0.5, 0.0, 0.0));
        let body = arm(&mut world, motor(0.0, torque), inertia);
        world.state.spin[body] = turning::<D>(SPIN).0;
        let report = run(&mut world, 500);
        close(spin(&world, body), SPIN - torque * report.time / inertia, 1e-12);
        let report = run(&mut world, 500);
        assert_eq!(spin(&world, body), 0.0);
        close(report.energy.loads, -0.5 * inertia * SPIN * SPIN, 1e-11);
    }
}

/// An arm that pushes a smooth ball at the distance `r` gains `ω = T t/(I + m r²)` at first. When it hits a ball at its
/// full speed, it is slowed down and never gives more than its torque.
fn a_motor_pushes_a_ball_with_its_largest_torque_and_no_more<D: Dim>() {
    let (dt, inertia, torque, radius, distance) = (1e-3, 0.3, 0.4, 0.1, 0.6);
    for scheme in SCHEMES {
        let mut world = world::<D>(scheme, dt, law(0.0, 0.0, 0.0));
        let body = arm(&mut world, motor(SPIN, torque), inertia);
        let grain = ball(&mut world, radius, up::<D>() * distance + ahead::<D>() * radius, D::Vector::ZERO);
        let mass = world.bodies[grain].mass;
        let report = run(&mut world, 50);
        let expected = torque * report.time / (inertia + mass * distance * distance);
        close(spin(&world, body) / expected, 1.0, 2e-3);

        let mut world = self::world::<D>(scheme, dt, law(0.0, 0.0, 0.0));
        let inertia = 0.02;
        let body = arm(&mut world, motor(SPIN, torque), inertia);
        world.state.spin[body] = turning::<D>(SPIN).0;
        ball(&mut world, radius, up::<D>() * distance + ahead::<D>() * (radius + 0.2), D::Vector::ZERO);
        let (mut slowest, mut largest) = (SPIN, 0.0_f64);
        for _ in 0..600 {
            let before = spin(&world, body);
            step(&mut world);
            let load = world.wall_loads().iter().find(|load| load.body as usize == body).unwrap().torque;
            let gained = inertia * (spin(&world, body) - before) / dt;
            largest = largest.max((gained - load.get(turning::<D>(0.0).1)).abs());
            slowest = slowest.min(spin(&world, body));
        }
        assert!(largest <= torque * (1.0 + 1e-6), "{largest}");
        assert!(slowest < 0.95 * SPIN, "{slowest}");
        close(largest, torque, 1e-6 * torque);
    }
}

/// A wall on a disk that turns with Ω, itself turning with ω: its distance stays to rounding, its place is that of the disk,
/// its spin is `Ω + ω`. Its own motion turns with the carrier.
fn a_carried_wall_goes_round_at_its_distance_and_spins_on_top<D: Dim>() {
    let (dt, distance, own, steps) = (1e-2, 0.7, -5.0, 2000);
    for scheme in SCHEMES {
        let mut world = world::<D>(scheme, dt, law(0.5, 0.0, 0.0));
        // The carrier comes after what it carries.
        let cup = arm(&mut world, Freedom::Velocity(TimeFunction::Constant(own)), 0.0);
        let disk = arm(&mut world, Freedom::Velocity(TimeFunction::Constant(SPIN)), 0.0);
        world.state.position[cup] = up::<D>() * distance;
        let aligned = world.state.orientation[disk];
        freedoms(&mut world, cup).carrier = Some(Carrier { id: BodyId(disk as u32), aligned });
        let report = run(&mut world, steps);
        let turned = D::turn(D::Orientation::default(), turning::<D>(SPIN * report.time).0);
        near(world.state.position[cup], D::rotate(turned, up::<D>() * distance), 1e-10);
        near(world.state.spin[cup], turning::<D>(SPIN + own).0, 1e-12);

        // A slide along the spoke of the disk: after some time it is farther out, on the same spoke.
        freedoms(&mut world, cup).translation[D::AXES - 1] = Freedom::Velocity(TimeFunction::Constant(0.1));
        let report = run(&mut world, steps);
        let turned = D::turn(D::Orientation::default(), turning::<D>(SPIN * report.time).0);
        let out = distance + 0.1 * dt * steps as f64;
        near(world.state.position[cup], D::rotate(turned, up::<D>() * out), 1e-10);
        if D::AXES == 3 {
            // An axis of its own across that of the disk turns with it.
            let across = freedoms(&mut world, cup);
            across.rotation = [Freedom::Velocity(TimeFunction::Constant(own)), Freedom::default(), Freedom::default()];
            let report = run(&mut world, 1);
            let middle = D::turn(D::Orientation::default(), turning::<D>(SPIN * (report.time - 0.5 * dt)).0);
            let own_spin = D::rotate_spin(middle, D::Spin::axis(0) * own);
            near(world.state.spin[cup], turning::<D>(SPIN).0 + own_spin, 1e-9);
        }
    }
}

fn an_imposed_angle_is_reached_to_rounding<D: Dim>() {
    let (dt, steps) = (1e-2, 137);
    let swing = TimeFunction::Sine { mean: 0.0, amplitude: 0.5, frequency: 2.0, phase: 0.0 };
    let drift = TimeFunction::Table(vec![(0.0, 0.0), (0.6, 0.3), (3.0, -0.4)]);
    let sum = TimeFunction::Sum(vec![swing, drift]);
    for scheme in SCHEMES {
        let mut world = world::<D>(scheme, dt, law(0.5, 0.0, 0.0));
        let body = arm(&mut world, Freedom::Displacement(sum.clone()), 0.0);
        let report = run(&mut world, steps);
        close(angle(&world, body, up::<D>()), sum.at(report.time), 1e-12);
    }
}
