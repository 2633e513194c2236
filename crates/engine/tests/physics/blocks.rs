//! Blocks whose motion is known: on inclines, under forces, rocking, piled up, tipped over.

use crate::setting::*;
use riprap_engine::{Criterion, D2, D3, Dim, GapVariant, Load, Scheme, Solver, Target, TimeFunction, Vector, World};

in_both_dimensions!(
    a_block_on_an_incline_sticks_without_creep_or_slides_as_newton_says,
    a_block_under_a_swinging_force_moves_as_the_closed_form_says,
    a_rocking_block_loses_spin_as_housner_says,
    bricks_overhang_as_far_as_the_harmonic_series_and_no_farther,
    a_tower_of_twenty_blocks_stands_for_a_minute_without_drift,
);

const G: f64 = 9.81;

/// Accuracy that is enough where nothing is compared to the last digit.
fn loosen<D: Dim>(world: &mut World<D>) {
    world.settings.solver.criterion = Criterion::Residual { tolerance: 1e-9 };
    world.settings.solver.max_sweeps = 2000;
}

fn place<D: Dim>(world: &World<D>, body: usize) -> D::Vector {
    world.state.position[body]
}

fn a_block_on_an_incline_sticks_without_creep_or_slides_as_newton_says<D: Dim>() {
    let (friction, dt) = (0.4_f64, 2e-3);
    for scheme in SCHEMES {
        for slope in [0.39_f64, 0.5] {
            let mut world = world::<D>(scheme, dt, law(friction, 0.0, 0.0));
            gravity(&mut world, G, slope.atan());
            floor(&mut world);
            let block = solid(&mut world, &cuboid::<D>(up::<D>() * 0.05, [0.05; 3], 0.0), 2500.0);
            let start = place(&world, block);
            if slope < friction {
                run(&mut world, 5000);
                let drift = (place(&world, block) - start).length();
                assert!(drift < 1e-9, "crept {drift:e} m");
            } else {
                let time = 0.5;
                run(&mut world, (time / dt) as usize);
                let (sin, cos) = slope.atan().sin_cos();
                let speed = G * (sin - friction * cos) * time;
                near(world.state.velocity[block], along::<D>() * speed, 1e-9);
                assert_eq!(world.state.contacts.len(), if D::AXES == 2 { 2 } else { 4 });
            }
        }
    }
}

/// `m = 1`, `μ = 0.8`, `F = 8 cos t`: the block sticks while `|F| < μ m g = 7.848`, so it moves a little around every
/// extreme of the force.
fn a_block_under_a_swinging_force_moves_as_the_closed_form_says<D: Dim>() {
    let dt = 1e-3;
    for scheme in SCHEMES {
        let mut world = world::<D>(scheme, dt, law(0.8, 0.0, 0.0));
        gravity(&mut world, G, 0.0);
        floor(&mut world);
        let volume = 0.2_f64.powi(D::AXES as i32);
        let block = solid(&mut world, &cuboid::<D>(up::<D>() * 0.1, [0.1; 3], 0.0), 1.0 / volume);
        let swing = |part: f64| TimeFunction::Sine {
            mean: 0.0,
            amplitude: 8.0 * part,
            frequency: 1.0 / std::f64::consts::TAU,
            phase: std::f64::consts::FRAC_PI_2,
        };
        let force = along::<D>().to_array3().map(swing);
        let torque = [0.0; 3].map(TimeFunction::Constant);
        world.loads.push(Load { target: Target::Body(block as u32), force, torque });
        let moved = |world: &World<D>| (place(world, block)).dot(along::<D>());
        run(&mut world, (2.0 / dt) as usize);
        // The first-order scheme is late or early by up to a step.
        close(moved(&world), 0.0043486, 2e-5);
        run(&mut world, (3.0 / dt) as usize);
        close(moved(&world), -0.0086971, 4e-5);
    }
}

/// Housner's block: when it has rocked back onto its base it goes on about the other corner with
/// `ω⁺/ω⁻ = 1 − (3/2) sin²α`, `tan α = width/height`.
fn a_rocking_block_loses_spin_as_housner_says<D: Dim>() {
    for scheme in SCHEMES {
        for (degrees, friction) in [(15.0_f64, 0.5), (15.0, 10.0), (25.0, 0.8)] {
            let alpha = degrees.to_radians();
            let (half_height, tilt, dt, spin) = (0.5, 1e-3_f64, 1e-5, 1.0);
            let half_width = half_height * alpha.tan();
            let mut world = world::<D>(scheme, dt, law(friction, 0.0, 0.0));
            floor(&mut world);
            // Raised about the corner at the origin, and falling back onto the other.
            let x = D::Vector::axis(0);
            let (sin, cos) = tilt.sin_cos();
            let arm = x * (cos * half_width - sin * half_height) + up::<D>() * (sin * half_width + cos * half_height);
            let block = solid(&mut world, &cuboid::<D>(arm, [half_width, 0.3, half_height], -tilt), 1.0);
            world.state.spin[block] = rolling::<D>(x) * spin;
            world.state.velocity[block] = D::cross(world.state.spin[block], arm);
            run(&mut world, 120);
            let ratio = forward::<D>(world.state.spin[block], x) / spin;
            close(ratio, 1.0 - 1.5 * alpha.sin().powi(2), 2e-3);
        }
    }
}

fn bricks_overhang_as_far_as_the_harmonic_series_and_no_farther<D: Dim>() {
    let (count, half, dt) = (4, [0.5, 0.25, 0.1], 2e-3);
    for scheme in SCHEMES {
        for factor in [0.99, 1.01] {
            let mut world = world::<D>(scheme, dt, law(0.7, 0.0, 0.0));
            gravity(&mut world, G, 0.0);
            let x = D::Vector::axis(0);
            // A table that ends at the origin.
            fixed_solid(&mut world, &cuboid::<D>(x * -2.0 - up::<D>() * 0.5, [2.0, 1.0, 0.5], 0.0));
            let mut end = 0.0;
            let mut bricks = Vec::new();
            for (layer, k) in (1..=count).rev().enumerate() {
                end += factor * 0.5 / f64::from(k);
                let centre = x * (end - half[0]) + up::<D>() * (half[2] * (2.0 * layer as f64 + 1.0));
                bricks.push(solid(&mut world, &cuboid::<D>(centre, half, 0.0), 1.0));
            }
            let start: Vec<D::Vector> = bricks.iter().map(|&brick| place(&world, brick)).collect();
            run(&mut world, (1.0 / dt) as usize);
            let moved = |(&brick, &start): (&usize, &D::Vector)| (place(&world, brick) - start).length();
            let farthest = bricks.iter().zip(&start).map(moved).fold(0.0, f64::max);
            if factor < 1.0 {
                assert!(farthest < 1e-7, "stands at {factor}, moved {farthest:e}");
            } else {
                assert!(farthest > 0.01, "falls at {factor}, moved {farthest:e}");
            }
        }
    }
}

/// The bending of a tower is what sweeps are slowest at, and what they leave over makes it creep; with momentum they solve it
/// nearly to rounding, and then nothing moves.
fn a_tower_of_twenty_blocks_stands_for_a_minute_without_drift<D: Dim>() {
    let (dt, half) = (1e-2, 0.1);
    let mut world = world::<D>(Scheme::Euler { gap: GapVariant::Relax }, dt, law(0.5, 0.0, 0.0));
    world.settings.solver.criterion = Criterion::Residual { tolerance: 2e-11 };
    world.settings.solver.solver = Solver::Momentum;
    world.settings.solver.max_sweeps = 5000;
    gravity(&mut world, G, 0.0);
    floor(&mut world);
    let blocks: Vec<usize> = (0..20)
        .map(|i| {
            let centre = up::<D>() * (half * f64::from(2 * i + 1));
            solid(&mut world, &cuboid::<D>(centre, [half; 3], 0.0), 2500.0)
        })
        .collect();
    let start: Vec<D::Vector> = blocks.iter().map(|&block| place(&world, block)).collect();
    let report = run(&mut world, (60.0 / dt) as usize);
    let moved = |(&block, &start): (&usize, &D::Vector)| (place(&world, block) - start).length();
    let farthest = blocks.iter().zip(&start).map(moved).fold(0.0, f64::max);
    assert!(farthest < 1e-8, "drifted {farthest:e} m, overlap {:e}", report.max_overlap);
    let mass: f64 = blocks.iter().map(|&block| world.bodies[block].mass).sum();
    let speed = (2.0 * report.energy.kinetic / mass).sqrt();
    assert!(speed < 1e-7, "trembles at {speed:e} m/s");
    println!("drifted {farthest:e} m, trembles at {speed:e} m/s");
}

/// Painlevé's rod slides with its lower end ahead, more steeply and roughly than `μ > (1 + 3cos²θ)/(3 sinθ cosθ)`: no
/// finite force solves the equations of motion, but a finite impulse does.
#[test]
fn the_rod_of_painleve_is_stopped_by_a_finite_impulse() {
    let (theta, friction, speed) = (60.0_f64.to_radians(), 2.0, 1.0);
    assert!(friction > (1.0 + 3.0 * theta.cos().powi(2)) / (3.0 * theta.sin() * theta.cos()));
    for scheme in SCHEMES {
        for direction in [-1.0, 1.0] {
            let mut world = world::<D2>(scheme, 1e-3, law(friction, 0.0, 0.0));
            gravity(&mut world, G, 0.0);
            floor(&mut world);
            let half = [0.5, 0.0, 0.005];
            let corners = cuboid::<D2>(glam::DVec2::ZERO, half, -theta);
            let lowest = corners.iter().map(|corner| corner.y).fold(f64::INFINITY, f64::min);
            let corners: Vec<_> = corners.iter().map(|corner| *corner - glam::DVec2::Y * lowest).collect();
            let rod = solid(&mut world, &corners, 100.0);
            world.state.velocity[rod] = glam::DVec2::X * (direction * speed);
            let mass = world.bodies[rod].mass;
            let mut hardest: f64 = 0.0;
            for _ in 0..1500 {
                step(&mut world);
                hardest = world.state.contacts.iter().map(|contact| contact.impulse.length()).fold(hardest, f64::max);
            }
            // A few times the momentum that there is to take away, the fall onto its side included.
            let fall = (2.0 * G * 0.5_f64).sqrt();
            assert!(hardest.is_finite() && hardest < 3.0 * mass * (speed + fall), "{hardest}");
            assert!(world.state.velocity[rod].length() < 0.1 && world.state.position[rod].y < 0.1);
        }
    }
}

#[test]
fn a_dropped_cube_comes_to_rest_on_a_face_and_stays() {
    for scheme in SCHEMES {
        let mut world = world::<D3>(scheme, 1e-3, law(0.5, 0.0, 0.0));
        gravity(&mut world, G, 0.0);
        floor(&mut world);
        let turn = glam::DQuat::from_scaled_axis(glam::DVec3::new(0.7, -0.4, 0.9));
        let corners = cuboid::<D3>(glam::DVec3::ZERO, [0.05; 3], 0.0);
        let corners: Vec<_> = corners.iter().map(|&corner| turn * corner + glam::DVec3::Z * 0.3).collect();
        let cube = solid(&mut world, &corners, 2500.0);
        let report = run(&mut world, 2000);
        assert!(report.energy.kinetic < 1e-20, "{:e}", report.energy.kinetic);
        let rest = (place(&world, cube), world.state.orientation[cube]);
        // The midpoint scheme sees a contact once it overlaps, by up to half a step of the fall.
        let overlap = if scheme == EULER { 1e-5 } else { 0.5e-3 * (2.0 * G * 0.3).sqrt() };
        assert!((rest.0.z - 0.05).abs() < overlap, "at {}", rest.0.z);
        run(&mut world, 2000);
        assert!((place(&world, cube) - rest.0).length() < 1e-12);
        assert!(world.state.orientation[cube].angle_between(rest.1) < 1e-7);
    }
}

/// In a long row every domino is tipped like the one before it: the speed of the front is steady.
#[test]
fn a_row_of_dominoes_falls_with_a_steady_speed() {
    let (count, spacing, half, dt) = (24, 0.4, [0.05, 0.0, 0.5], 1e-3);
    let mut world = world::<D2>(EULER, dt, law(0.3, 0.0, 0.0));
    loosen(&mut world);
    gravity(&mut world, G, 0.0);
    floor(&mut world);
    let dominoes: Vec<usize> = (0..count)
        .map(|i| {
            let centre = glam::DVec2::new(spacing * f64::from(i), half[2]);
            solid(&mut world, &cuboid::<D2>(centre, half, 0.0), 1000.0)
        })
        .collect();
    let upright = world.state.orientation.clone();
    // The first is set rolling about its lower front corner.
    let push = 1.5;
    world.state.spin[dominoes[0]] = -push;
    world.state.velocity[dominoes[0]] = glam::DVec2::new(push * half[2], push * half[0]);
    let mut fallen = Vec::new();
    for _ in 0..4000 {
        step(&mut world);
        while let Some(&next) = dominoes.get(fallen.len())
            && (world.state.orientation[next] - upright[next]).abs() > 0.1
        {
            fallen.push(world.state.time);
        }
    }
    assert_eq!(fallen.len(), dominoes.len(), "all have fallen");
    let speed = |from: usize, to: usize| spacing * (to - from) as f64 / (fallen[to] - fallen[from]);
    let (middle, late) = (speed(8, 14), speed(14, 20));
    assert!((middle / late - 1.0).abs() < 0.05, "{middle} m/s, then {late} m/s");
}
