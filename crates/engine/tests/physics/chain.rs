//! What too few sweeps do: the chain of Unger & Kertész 2003, figures 6 and 7 (docs/method.md §5 and §11).

use crate::setting::*;
use riprap_engine::{Criterion, D2, Dim, Solver, StepReport, SweepOrder, Vector, World, sweep_diffusivity};

const GRAINS: u32 = 50;
const SWEEPS: u32 = 40;

/// 50 disks in a row at rest, a wall one diameter to the left of them, and a force on the rightmost towards the wall.
/// Units are the diameter, the mass of a disk and the time step.
fn chain(seed: u64) -> (World<D2>, usize) {
    let mut world = world::<D2>(EULER, 1.0, law(0.0, 0.0, 0.0));
    let solver = &mut world.settings.solver;
    solver.solver = Solver::GaussSeidel;
    solver.order = SweepOrder::Random;
    solver.criterion = Criterion::Fixed { sweeps: SWEEPS };
    solver.seed = seed;
    let x = <D2 as Dim>::Vector::axis(0);
    plane(&mut world, x, <D2 as Dim>::Vector::ZERO);
    for i in 0..GRAINS {
        let grain = ball(&mut world, 0.5, x * (1.5 + f64::from(i)), Vector::ZERO);
        world.bodies[grain].mass = 1.0;
        world.bodies[grain].inertia = D2::BALL_INERTIA * 0.25;
    }
    let last = world.bodies.len() - 1;
    force(&mut world, last, x * -0.05);
    (world, last)
}

/// The parameters of `x₀ + A e^{−t/τ} sin(ωt + φ)` that fit the samples `x(t)`, `t` counted in steps from the first.
struct Oscillation {
    omega: f64,
    tau: f64,
}

/// Least squares: offset, sine and cosine are linear; ω and τ are searched for on a grid that closes in.
fn fit(samples: &[f64]) -> Oscillation {
    let (mut omega, mut tau) = (0.18, 60.0);
    let (mut omega_range, mut tau_range) = (0.5, 0.8);
    for _ in 0..12 {
        let candidates = (-10..=10).flat_map(|i| (-10..=10).map(move |j| (i, j)));
        let tried = candidates.map(|(i, j)| {
            let try_omega = omega * (1.0 + omega_range * f64::from(i) / 10.0);
            let try_tau = tau * (1.0 + tau_range * f64::from(j) / 10.0);
            (misfit(samples, try_omega, try_tau), try_omega, try_tau)
        });
        let best = tried.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
        (omega, tau) = (best.1, best.2);
        omega_range *= 0.5;
        tau_range *= 0.5;
    }
    Oscillation { omega, tau }
}

/// What least squares leave over with the three linear parameters chosen best.
fn misfit(samples: &[f64], omega: f64, tau: f64) -> f64 {
    let basis = |i: usize| {
        let t = i as f64;
        let (sin, cos) = (omega * t).sin_cos();
        let decay = (-t / tau).exp();
        [1.0, decay * sin, decay * cos]
    };
    // Gram–Schmidt on the three functions; what remains of the samples after taking their parts away.
    let mut rest = samples.to_vec();
    let mut kept: Vec<Vec<f64>> = Vec::new();
    for k in 0..3 {
        let mut function: Vec<f64> = (0..samples.len()).map(|i| basis(i)[k]).collect();
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        for other in &kept {
            let part = dot(&function, other);
            function.iter_mut().zip(other).for_each(|(f, o)| *f -= part * o);
        }
        let length = dot(&function, &function).sqrt();
        function.iter_mut().for_each(|f| *f /= length);
        let part = dot(&rest, &function);
        rest.iter_mut().zip(&function).for_each(|(r, f)| *r -= part * f);
        kept.push(function);
    }
    rest.iter().map(|r| r * r).sum()
}

/// The positions of the rightmost disk over the steps, and the last report.
fn record(seed: u64, steps: usize) -> (Vec<f64>, StepReport) {
    let (mut world, last) = chain(seed);
    let mut positions = Vec::new();
    let mut report = StepReport::default();
    for _ in 0..steps {
        report = step(&mut world);
        positions.push(world.state.position[last].x);
    }
    (positions, report)
}

#[test]
fn the_chain_of_unger_and_kertesz_oscillates_as_published() {
    let q_n = sweep_diffusivity() * f64::from(SWEEPS);
    let k = std::f64::consts::TAU / (4.0 * f64::from(GRAINS));
    let omega = k * (q_n - q_n * q_n * k * k / 4.0).sqrt();
    let tau = 2.0 / (q_n * k * k);
    close(omega, 0.1767, 5e-5);
    close(tau, 63.5, 0.05);
    // Random sweeps are noise; the mean of a few runs has less of it than one.
    let runs = 20;
    let mut mean = vec![0.0; 250];
    for seed in 0..runs {
        let (positions, _) = record(seed, 500);
        for (mean, x) in mean.iter_mut().zip(&positions[250..]) {
            *mean += x / runs as f64;
        }
        let one = fit(&positions[250..]);
        println!("seed {seed}: omega {:.5}, tau {:.2}", one.omega, one.tau);
    }
    let found = fit(&mean);
    println!("mean: omega {:.5} ({omega:.5}), tau {:.2} ({tau:.2})", found.omega, found.tau);
    close(found.omega, omega, 0.03 * omega);
    close(found.tau, tau, 0.03 * tau);
}

#[test]
fn the_chain_is_reported_as_soft_with_its_stiffness_and_its_speed_of_sound() {
    let (_, report) = record(1, 300);
    let soft = report.soft.expect("40 sweeps cannot carry forces along 50 disks");
    let q_n = sweep_diffusivity() * f64::from(SWEEPS);
    assert_eq!(soft.sweeps, SWEEPS);
    close(soft.stiffness, q_n, 1e-12);
    close(soft.sound_speed, q_n.sqrt(), 1e-12);
    close(soft.diffusion_length, (4.0 * q_n).sqrt(), 1e-12);
    // From end to end; the force has pressed the chain together by less than F L/κ and the impact's overlaps.
    close(soft.cluster_size, f64::from(GRAINS), 1.0);
}
