//! Extremes are right: the closed forms of a ball that slides and of one that bounces, over all units, time steps, frictions and
//! places; the balance of forces over all ratios of sizes; worlds of one grain and of none.

use crate::setting::*;
use riprap_engine::{Body, Dim, GapVariant, Options, Placement, Scheme, Silent, Status, Vector, World};

in_both_dimensions!(
    a_ball_slides_and_rolls_alike_in_all_units_and_frictions,
    a_ball_slides_and_rolls_alike_with_all_time_steps,
    a_ball_slides_and_rolls_alike_far_from_the_origin,
    balls_without_loss_exchange_their_velocities_in_all_units_and_places,
    a_ball_rolls_down_the_steepest_incline_if_friction_is_enough,
    a_large_ball_rests_on_a_small_one,
    a_grain_alone_moves_on_and_falls,
    impulses_below_the_rounding_of_momenta_are_no_error_of_the_balance,
    a_world_without_bodies_is_stepped,
);

const G: f64 = 9.81;

/// A ball of a radius on a floor through its lowest point, which starts to slide at a speed.
fn sliding<D: Dim>(radius: f64, dt: f64, friction: f64, speed: f64, place: f64) -> (World<D>, usize) {
    let mut world = world::<D>(EULER, dt, law(friction, 0.0, 0.0));
    gravity(&mut world, G, 0.0);
    floor(&mut world);
    let grain = ball(&mut world, radius, up::<D>() * radius + along::<D>() * place, along::<D>() * speed);
    (world, grain)
}

/// The speed of a ball that started to slide at `speed`: `v₀ − μ g t` until it rolls at `v₀/(1+κ)`.
fn speed_after<D: Dim>(speed: f64, friction: f64, time: f64) -> f64 {
    if friction == 0.0 { speed } else { f64::max(speed - friction * G * time, speed / (1.0 + D::BALL_INERTIA)) }
}

#[track_caller]
fn slides_as_it_should<D: Dim>(radius: f64, dt: f64, friction: f64, speed: f64, place: f64, tolerance: f64) {
    let (mut world, grain) = sliding::<D>(radius, dt, friction, speed, place);
    let weight = world.bodies[grain].mass * G;
    for number in 1..=100 {
        let report = world.step(&mut Silent).unwrap_or_else(|error| panic!("{error}"));
        assert!(report.converged && report.momentum_error < 1e-6, "step {number}: {report:?}");
        // The last step of sliding ends in rolling, so the speed is exact at all ends of steps.
        let expected = speed_after::<D>(speed, friction, f64::from(number) * dt);
        let found = world.state.velocity[grain];
        near(found, along::<D>() * expected, tolerance * speed);
        let carried = world.state.contacts[0].impulse.dot(up::<D>()) / dt;
        close(carried / weight, 1.0, tolerance);
    }
    let way = (world.state.position[grain] - up::<D>() * radius).dot(up::<D>());
    assert!(way.abs() <= tolerance * radius, "the ball is {way:e} above the floor");
}

fn a_ball_slides_and_rolls_alike_in_all_units_and_frictions<D: Dim>() {
    for radius in [1e-6, 1e-3, 1.0, 1e3] {
        for friction in [0.0, 0.1, 1.0, 10.0, 100.0] {
            let speed = (G * radius).sqrt();
            // It slides for about fifty steps at a friction of one.
            slides_as_it_should::<D>(radius, 0.01 * speed / G, friction, speed, 0.0, 1e-10);
        }
    }
}

fn a_ball_slides_and_rolls_alike_with_all_time_steps<D: Dim>() {
    for dt in [1e-12, 1e-9, 1e-6, 1e-3, 1.0, 10.0] {
        for friction in [0.0, 0.3, 100.0] {
            // In short steps the ball is so slow that its speed changes by more than rounding.
            let speed = f64::min(50.0 * G * dt, 1.0);
            slides_as_it_should::<D>(0.3, dt, friction, speed, 0.0, 1e-10);
        }
    }
}

fn a_ball_slides_and_rolls_alike_far_from_the_origin<D: Dim>() {
    for place in [1e3, 1e6, -1e6] {
        for friction in [0.0, 0.3, 10.0] {
            slides_as_it_should::<D>(0.3, 1e-3, friction, 1.0, place, 1e-9);
        }
    }
}

fn balls_without_loss_exchange_their_velocities_in_all_units_and_places<D: Dim>() {
    for radius in [1e-6, 1e-3, 1.0, 1e3] {
        for place in [0.0, 1e3, 1e6].map(|place| place * radius) {
            for scheme in SCHEMES {
                let mut world = world::<D>(scheme, 0.01, law(0.0, 1.0, 0.0));
                let (x, centre) = (along::<D>(), D::Vector::from_fn(|_| place));
                let fast = ball(&mut world, radius, centre - x * (1.5 * radius), x * radius);
                let still = ball(&mut world, radius, centre + x * (1.5 * radius), D::Vector::ZERO);
                for _ in 0..300 {
                    world.step(&mut Silent).unwrap_or_else(|error| panic!("{error}"));
                }
                // Rounding of places turns the normal.
                let tolerance = radius * (1e-12 + 1e-14 * place / radius);
                near(world.state.velocity[fast], D::Vector::ZERO, tolerance);
                near(world.state.velocity[still], x * radius, tolerance);
            }
        }
    }
}

/// `g sin θ/(1+κ)` if `μ ≥ κ/(1+κ) tan θ`.
fn a_ball_rolls_down_the_steepest_incline_if_friction_is_enough<D: Dim>() {
    for (friction, angle) in [(10.0, 1.5_f64), (100.0, 1.56), (1e3, 1.57)] {
        assert!(friction > angle.tan() * D::BALL_INERTIA / (1.0 + D::BALL_INERTIA));
        let (mut world, grain) = sliding::<D>(0.3, 1e-3, friction, 0.0, 0.0);
        gravity(&mut world, G, angle);
        for _ in 0..500 {
            world.step(&mut Silent).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(world.state.contacts[0].status, Status::Stick);
        }
        let expected = G * angle.sin() / (1.0 + D::BALL_INERTIA) * 0.5;
        near(world.state.velocity[grain], along::<D>() * expected, 1e-9);
    }
}

/// One hundred times the radius is up to 10⁶ times the mass. With the settings that scenes choose.
fn a_large_ball_rests_on_a_small_one<D: Dim>() {
    for ratio in [1.0, 10.0, 100.0] {
        for friction in [0.0, 0.5, 10.0] {
            let small = 1e-3;
            let scheme = Scheme::Euler { gap: GapVariant::Correct };
            let mut world = world::<D>(scheme, 1.4e-3, law(friction, 0.0, 0.0));
            world.settings.solver = Options::default();
            gravity(&mut world, G, 0.0);
            let floor = floor(&mut world);
            for (radius, height) in [(small, 1.02 * small), (ratio * small, (2.05 + ratio) * small)] {
                let placement = Placement { position: up::<D>() * height, ..Placement::default() };
                add(&mut world, Body::ball(radius, 1000.0), placement);
            }
            let weight: f64 = world.free_bodies().map(|body| world.bodies[body].mass * G).sum();
            let (mut sum, mut is_solved) = (0.0, true);
            for number in 0..100 {
                let report = match world.step(&mut Silent) {
                    Err(error) if is_solved => panic!("{error}"),
                    Err(_) => break,
                    Ok(report) => report,
                };
                is_solved &= report.converged;
                let overlap = report.max_overlap / small;
                assert!(overlap < 0.05 || !is_solved, "ratio {ratio}, friction {friction}: overlap {overlap}");
                if number >= 50 {
                    let load = world.wall_loads().into_iter().find(|load| load.body as usize == floor);
                    sum -= load.map_or(0.0, |load| load.force.dot(up::<D>()));
                }
            }
            // Plain sweeps, which steep friction takes, are too slow for great ratios: such steps say that they did not converge.
            assert!(is_solved || friction > 3.0, "ratio {ratio}, friction {friction}");
            if is_solved {
                close(sum / (50.0 * weight), 1.0, 1e-2);
            }
        }
    }
}

fn a_grain_alone_moves_on_and_falls<D: Dim>() {
    for acceleration in [0.0, G] {
        let mut world = world::<D>(MIDPOINT, 0.01, law(0.5, 1.0, 0.0));
        gravity(&mut world, acceleration, 0.0);
        let grain = ball(&mut world, 0.1, D::Vector::ZERO, along::<D>());
        let time = run(&mut world, 1000).time;
        near(world.state.velocity[grain], along::<D>() - up::<D>() * (acceleration * time), 1e-10);
        let fallen = 0.5 * acceleration * time * time;
        near(world.state.position[grain], along::<D>() * time - up::<D>() * fallen, 1e-9);
    }
}

/// A light grain and one a million times as heavy pull at each other by a force that changes their momenta by less than these
/// are rounded.
fn impulses_below_the_rounding_of_momenta_are_no_error_of_the_balance<D: Dim>() {
    for scheme in SCHEMES {
        let mut world = world::<D>(scheme, 0.01, law(0.5, 0.0, 0.0));
        gravity(&mut world, 0.0, 0.0);
        let heavy = ball(&mut world, 1.0, D::Vector::ZERO, along::<D>() * 0.7 + up::<D>() * 0.3);
        let light = ball(&mut world, 1.0, along::<D>() * 1e3, along::<D>() * -23.1);
        world.bodies[light].mass *= 1e-6;
        let force = along::<D>() * (1e-12 * world.bodies[heavy].mass);
        world.applied = vec![Default::default(); world.bodies.len()];
        world.applied[heavy].0 = force;
        world.applied[light].0 = -force;
        for _ in 0..20 {
            let report = world.step(&mut Silent).unwrap_or_else(|error| panic!("{error}"));
            assert!(report.momentum_error < 1e-7, "{report:?}");
        }
    }
}

fn a_world_without_bodies_is_stepped<D: Dim>() {
    for scheme in SCHEMES {
        let mut world = world::<D>(scheme, 0.5, law(0.5, 0.0, 0.0));
        gravity(&mut world, G, 0.0);
        let report = run(&mut world, 4);
        assert!(report.converged && report.time == 2.0 && world.state.contacts.is_empty());
        assert_eq!(world.kinetic_energy(), 0.0);
        // A floor alone carries nothing.
        floor(&mut world);
        run(&mut world, 4);
        assert!(world.wall_loads().iter().all(|load| load.force == D::Vector::ZERO));
    }
}
