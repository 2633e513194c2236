//! Impacts with a closed form: docs/method.md §3 and §12.

use crate::setting::*;
use riprap_engine::{Dim, PairLaw, Scheme, Vector};

in_both_dimensions!(
    a_frontal_collision_under_constant_forces_has_the_closed_form,
    a_ball_that_arrives_at_the_very_end_of_a_step_rebounds_all_the_same,
    a_bouncing_ball_reaches_the_heights_of_its_restitution,
    halving_the_time_step_halves_the_error_of_a_bounce,
    a_ball_shares_its_velocity_with_a_row_of_touching_balls,
    an_oblique_impact_sticks_or_slides_as_the_angle_says,
    an_oblique_impact_through_a_gap_has_its_tangential_restitution_once,
    tangential_restitution_follows_the_speed_of_approach,
);

/// P0 (38), corrected in docs/method.md §12: on the vertical branch `f_n = a_n/W_nn` with
/// `a_n = −(1+e_n)u_n⁻/δt − (F²/m₂ − F¹/m₁)`. One step from touching, so both schemes have the same law.
fn a_frontal_collision_under_constant_forces_has_the_closed_form<D: Dim>() {
    let (dt, r1, r2, v1, v2, f1, f2) = (0.01, 0.5, 0.3, 1.5, -0.7, 4.0, -9.0);
    for scheme in SCHEMES {
        for restitution in [0.0, 0.4, 1.0] {
            let n = along::<D>();
            let mut world = world::<D>(scheme, dt, law(0.3, restitution, 0.0));
            let first = ball(&mut world, r1, D::Vector::ZERO, n * v1);
            let second = ball(&mut world, r2, n * (r1 + r2), n * v2);
            force(&mut world, first, n * f1);
            force(&mut world, second, n * f2);
            let (m1, m2) = (world.bodies[first].mass, world.bodies[second].mass);
            step(&mut world);

            let w_nn = 1.0 / m1 + 1.0 / m2;
            let a_n = -(1.0 + restitution) * (v2 - v1) / dt - (f2 / m2 - f1 / m1);
            near(world.state.contacts[0].impulse, n * (dt * a_n / w_nn), 1e-13);
            let centre = (m1 * v1 + m2 * v2 + dt * (f1 + f2)) / (m1 + m2);
            let apart = -restitution * (v2 - v1);
            near(world.state.velocity[first], n * (centre - apart * m2 / (m1 + m2)), 1e-13);
            near(world.state.velocity[second], n * (centre + apart * m1 / (m1 + m2)), 1e-13);
        }
    }
    // As printed, with no momentum before: the common velocity is δt(F¹ − F²)/(m₁ + m₂), F² counted towards body 1.
    let mut world = world::<D>(EULER, dt, law(0.0, 0.0, 0.0));
    let m = [r1, r2].map(D::ball_volume);
    let bodies = [(r1, 0.0, m[1]), (r2, r1 + r2, -m[0])]
        .map(|(radius, x, v)| ball(&mut world, radius, along::<D>() * x, along::<D>() * v));
    force(&mut world, bodies[0], along::<D>() * f1);
    force(&mut world, bodies[1], along::<D>() * f2);
    step(&mut world);
    for body in bodies {
        near(world.state.velocity[body], along::<D>() * (dt * (f1 - f2.abs()) / (m[0] + m[1])), 1e-13);
    }
}

/// A gap that closes exactly at the end of a step, where the way needs no impulse, has its shock all the same.
fn a_ball_that_arrives_at_the_very_end_of_a_step_rebounds_all_the_same<D: Dim>() {
    // All numbers are exact in binary: the gap of 1/8 closes to exactly zero after eight steps.
    for (scheme, gap) in [(EULER, 0.125), (MIDPOINT, 0.125), (EULER, 0.126), (MIDPOINT, 0.126)] {
        let mut world = world::<D>(scheme, 1.0 / 64.0, law(0.0, 0.5, 0.0));
        floor(&mut world);
        let grain = ball(&mut world, 0.5, up::<D>() * (0.5 + gap), -up::<D>());
        run(&mut world, 12);
        near(world.state.velocity[grain], up::<D>() * 0.5, 1e-14);
    }
}

/// How high a ball in free flight will rise, by the quantity that the scheme conserves in flight.
fn apex(scheme: Scheme, height: f64, velocity: f64, g: f64, dt: f64) -> f64 {
    let energy = height + velocity * velocity / (2.0 * g);
    match scheme {
        // x moves with the mean of both velocities: energy itself.
        Scheme::Midpoint { .. } => energy,
        // x moves with the new velocity: energy less ½ g δt v.
        Scheme::Euler { .. } => energy - 0.5 * dt * velocity,
    }
}

/// Drops a ball and gives the heights of the rise after each bounce, measured at its lowest point.
fn heights<D: Dim>(scheme: Scheme, dt: f64, g: f64, drop: f64, restitution: f64, bounces: usize) -> Vec<f64> {
    let mut world = world::<D>(scheme, dt, law(0.3, restitution, 0.0));
    gravity(&mut world, g, 0.0);
    floor(&mut world);
    let radius = 0.1;
    let grain = ball(&mut world, radius, up::<D>() * (radius + drop), D::Vector::ZERO);
    let mut heights = Vec::new();
    let mut rising = false;
    while heights.len() < bounces {
        step(&mut world);
        let velocity = world.state.velocity[grain].dot(up::<D>());
        if velocity > 0.0 && !rising {
            // One step later the contact is surely open.
            step(&mut world);
            let height = world.state.position[grain].dot(up::<D>()) - radius;
            heights.push(apex(scheme, height, world.state.velocity[grain].dot(up::<D>()), g, dt));
        }
        rising = velocity > 0.0;
    }
    heights
}

/// One bounce from `h` to `h'`, with `V` the velocity and `x` the height at the step that the law takes `u_n⁻` from:
/// midpoint `h' − e²h = x(1−e²) − ½δtV(1−e)`, `|x| ≤ ½Vδt`; Euler as in [`euler_bounce`], `0 ≤ x ≤ δt(V+gδt)`.
fn bounce_bound(scheme: Scheme, dt: f64, g: f64, speed: f64, e: f64) -> f64 {
    match scheme {
        Scheme::Midpoint { .. } => 0.5 * dt * speed * (1.0 - e) * (2.0 + e),
        Scheme::Euler { .. } => 0.5 * dt * speed * e * (1.0 - e) + 2.0 * g * dt * dt,
    }
}

/// `h' − e²h` of one bounce under the Euler scheme: the ball ends at `e(Vδt − x)` with the velocity `e(V + 2τgδt)`, after
/// the part `τ = x/(V+gδt)δt` of the step. That is `e(1−e)(½Vδt − x)` but for `gδt²`.
fn euler_bounce(dt: f64, g: f64, speed: f64, e: f64, x: f64) -> f64 {
    let after = e * (speed + 2.0 * g * x / (speed + g * dt));
    let [fallen, risen] =
        [(-speed, x), (after, e * f64::max(speed * dt - x, 0.0))].map(|(v, x)| apex(EULER, x, v, g, dt));
    risen - e * e * fallen
}

fn a_bouncing_ball_reaches_the_heights_of_its_restitution<D: Dim>() {
    let (g, drop) = (9.81, 1.0);
    for scheme in SCHEMES {
        for restitution in [0.5, 0.8, 1.0] {
            for dt in [1e-3, 2.5e-4] {
                let (mut expected, mut bound) = (drop, 0.0);
                for height in heights::<D>(scheme, dt, g, drop, restitution, 5) {
                    // The fall is from at most `expected + bound`.
                    let speed = (2.0 * g * (expected + bound)).sqrt();
                    bound = restitution * restitution * bound + bounce_bound(scheme, dt, g, speed, restitution);
                    expected *= restitution * restitution;
                    close(height, expected, bound + 1e-12);
                }
            }
        }
    }
}

fn halving_the_time_step_halves_the_error_of_a_bounce<D: Dim>() {
    let (g, restitution, coarse) = (9.81, 0.7, 2e-3);
    for scheme in SCHEMES {
        let error = |parts: f64| {
            // The ball arrives a quarter of a step's way above the floor for every time step.
            let (dt, steps) = (coarse / parts, 200.0 * parts);
            let speed = g * steps * dt;
            let fallen = match scheme {
                Scheme::Midpoint { .. } => 0.5 * g * dt * dt * steps * steps,
                Scheme::Euler { .. } => 0.5 * g * dt * dt * steps * (steps + 1.0),
            };
            let (x, e) = (0.25 * speed * dt, restitution);
            let drop = fallen + x;
            let found = heights::<D>(scheme, dt, g, drop, e, 1)[0] - e * e * drop;
            let expected = match scheme {
                Scheme::Midpoint { .. } => x * (1.0 - e * e) - 0.5 * dt * speed * (1.0 - e),
                Scheme::Euler { .. } => euler_bounce(dt, g, speed, e, x),
            };
            close(found, expected, 1e-11);
            found
        };
        // The error's terms are linear in the time step, as is the drop's difference from one to the other; under the Euler
        // scheme there are terms of `gδt²` beside those of `Vδt`, `V = 200 gδt`.
        let tolerance = if scheme == EULER { 1e-2 } else { 1e-6 };
        close(error(2.0) / error(1.0), 0.5, tolerance);
        close(error(4.0) / error(1.0), 0.25, tolerance);
    }
}

/// Newton's cradle solved all at once: the first ball gets `(2/n − 1)v`, all others `2v/n` (docs/method.md §3 with
/// `u_n⁺ = −u_n⁻` at the first contact and zero at the others).
fn a_ball_shares_its_velocity_with_a_row_of_touching_balls<D: Dim>() {
    let (radius, v) = (0.25, 3.0);
    for scheme in SCHEMES {
        for n in [2, 3, 7] {
            let mut world = world::<D>(scheme, 1e-3, law(0.0, 1.0, 0.0));
            let direction = along::<D>();
            for i in 0..n {
                let velocity = if i == 0 { direction * v } else { D::Vector::ZERO };
                ball(&mut world, radius, direction * (2.0 * radius * f64::from(i)), velocity);
            }
            let report = step(&mut world);
            assert!(report.converged);
            for i in 0..n as usize {
                let share = 2.0 / f64::from(n) - if i == 0 { 1.0 } else { 0.0 };
                // A residual of 1e-12 leaves velocities wrong by at most about n² of it.
                near(world.state.velocity[i], direction * (v * share), 1e-9);
            }
            close(report.energy.kinetic / report.energy.initial, 1.0, 1e-9);
        }
    }
}

/// γ from the normal: slides if `tan γ > c μ(1+e_n)/(1+e_t)`, `c = 1 + 1/κ` with `I = κ m r²`.
fn an_oblique_impact_sticks_or_slides_as_the_angle_says<D: Dim>() {
    let (radius, speed, n, t) = (0.2, 2.0, up::<D>(), along::<D>());
    let kappa = D::BALL_INERTIA;
    let c = 1.0 + 1.0 / kappa;
    assert_eq!(c, if D::AXES == 2 { 3.0 } else { 3.5 });
    for scheme in SCHEMES {
        for (friction, e_n, e_t) in
            [(0.1, 0.9, 0.0), (0.3, 0.0, 0.0), (0.25, 0.6, 0.5), (0.2, 0.8, -0.4), (0.0, 0.5, 0.5)]
        {
            let limit: f64 = c * friction * (1.0 + e_n) / (1.0 + e_t);
            for (tan, slides) in
                [(0.5 * limit, false), (0.999 * limit, false), (1.001 * limit, true), (3.0 + limit, true)]
            {
                let gamma = tan.atan();
                let (v_n, v_t) = (speed * gamma.cos(), speed * gamma.sin());
                let mut world = world::<D>(scheme, 1e-4, law(friction, e_n, e_t));
                floor(&mut world);
                let grain = ball(&mut world, radius, n * radius, t * v_t - n * v_n);
                step(&mut world);

                let pull = if slides { friction * (1.0 + e_n) * v_n } else { (1.0 + e_t) * v_t / c };
                near(world.state.velocity[grain], n * (e_n * v_n) + t * (v_t - pull), 1e-13);
                near(world.state.spin[grain], rolling::<D>(t) * (pull / (kappa * radius)), 1e-12);
            }
        }
    }
}

/// Under the Euler scheme the shock takes two steps, one that closes the gap and one that rebounds. With friction enough
/// to stick in both, the result is that of one shock, whatever part of the first step was left.
fn an_oblique_impact_through_a_gap_has_its_tangential_restitution_once<D: Dim>() {
    let (radius, dt, v_n, v_t, e_n, e_t) = (0.2, 1e-3, 1.0, 0.3, 0.6, 0.5);
    let c = 1.0 + 1.0 / D::BALL_INERTIA;
    for scheme in SCHEMES {
        for part in [0.2, 0.5, 0.8] {
            let mut world = world::<D>(scheme, dt, law(10.0, e_n, e_t));
            floor(&mut world);
            let start = up::<D>() * (radius + (3.0 + part) * v_n * dt);
            let grain = ball(&mut world, radius, start, along::<D>() * v_t - up::<D>() * v_n);
            run(&mut world, 6);
            let expected = up::<D>() * (e_n * v_n) + along::<D>() * (v_t - (1.0 + e_t) * v_t / c);
            near(world.state.velocity[grain], expected, 1e-12);
        }
    }
}

/// `e_t` at the speed of approach, negative values too; between two materials the smaller of the two.
fn tangential_restitution_follows_the_speed_of_approach<D: Dim>() {
    use riprap_engine::SpeedCurve;
    let curve = SpeedCurve::Table(vec![[0.5, 0.6], [1.5, -0.4]]);
    let (radius, dt, v_t) = (0.2, 1e-3, 0.3);
    let c = 1.0 + 1.0 / D::BALL_INERTIA;
    let by_speed = PairLaw { tangential_curve: Some(curve), ..law(10.0, 0.5, 0.9) };
    let mixed = PairLaw::mixed(&by_speed, &law(10.0, 0.5, 0.0));
    for scheme in SCHEMES {
        for (v_n, e_t, least) in [(0.5, 0.6, 0.0), (1.0, 0.1, 0.0), (1.25, -0.15, -0.15), (4.0, -0.4, -0.4)] {
            for (law, e_t) in [(&by_speed, e_t), (&mixed, least)] {
                let mut world = world::<D>(scheme, dt, law.clone());
                floor(&mut world);
                let start = up::<D>() * (radius + 3.5 * v_n * dt);
                let grain = ball(&mut world, radius, start, along::<D>() * v_t - up::<D>() * v_n);
                run(&mut world, 6);
                let expected = up::<D>() * (0.5 * v_n) + along::<D>() * (v_t - (1.0 + e_t) * v_t / c);
                near(world.state.velocity[grain], expected, 1e-12);
            }
        }
    }
}
