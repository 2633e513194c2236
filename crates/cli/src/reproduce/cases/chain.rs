//! What too few sweeps do to a row of disks (P1, figures 6 and 7): one oscillation, and the others
//! of its spectrum.

use crate::failure::Failure;
use crate::reproduce::bench::{Bench, step_failed, two_dimensional};
use crate::reproduce::case::{Case, Cost, Findings};
use crate::reproduce::row::{Estimate, measured};
use riprap_engine::{Criterion, D2, Silent, World, sweep_diffusivity};
use riprap_measure::plot::{Axis, Chart, Curve, Style};
use riprap_measure::{Oscillation, damped_oscillation};

/// The chain of Unger and Kertész.
pub const CHAIN: Case = Case {
    name: "chain",
    title: "A chain of 50 disks driven against a wall: spurious elasticity",
    source: "T. Unger, J. Kertész 2003 (P1), figs. 6 and 7, equations 53 to 64",
    about: "50 touching disks, one diameter away from a wall, are driven against it by a force of 0.05 d m/δt² on the \
            last disk. Every step ends after 40 sweeps in random order, too few to carry a force along the row, so the \
            rigid disks behave like elastic ones. After the last lift-off, the last disk performs a damped \
            oscillation, which is fitted from 250 δt on. Values are means over several seeds.",
    cost: Cost { quick_s: 1.0, full_s: 3.0 },
    run,
};

/// Its other modes.
pub const MODES: Case = Case {
    name: "chain-modes",
    title: "Modes of a chain that is solved by too few sweeps: dispersion and cut-off",
    source: "T. Unger, J. Kertész 2003 (P1), equations 58 to 60",
    about: "The chain of fig. 6 rests against the wall under its load. Its disks are then given small velocities in the \
            shape of one mode, a sine with the wave number k = (2m − 1)π/(100 d), and the amplitude of this mode is \
            followed over time, as a mean over several seeds.",
    cost: Cost { quick_s: 3.0, full_s: 12.0 },
    run: modes,
};

/// The chain, in units of the diameter, the mass of a disk and the time step.
pub(super) const CHAIN_SCENE: &str = include_str!("../scenes/chain.toml");
/// The number of disks.
pub(super) const GRAINS: usize = 50;
const SWEEPS: f64 = 40.0;
/// The largest velocity that a mode begins with, in d/δt.
const KICK: f64 = 5e-4;
const STEPS: usize = 500;
const FITTED: usize = 250;

fn run(bench: &mut Bench) -> Result<Findings, Failure> {
    // docs/method.md §5, in units of d and δt: D = q N, c = √(q N), ω = k √(c² − D²k²/4), τ = 2/(D k²).
    let q_n = sweep_diffusivity() * SWEEPS;
    let k = std::f64::consts::TAU / (4.0 * GRAINS as f64);
    let (omega, tau) = (k * (q_n - q_n * q_n * k * k / 4.0).sqrt(), 2.0 / (q_n * k * k));

    let seeds = bench.choose(5, 20);
    let mut positions = vec![0.0; STEPS];
    let (mut frequencies, mut decays) = (Vec::new(), Vec::new());
    for seed in 1..=seeds {
        bench.pause()?;
        let points = last_disk(bench, &seed.to_string(), SWEEPS)?;
        positions.iter_mut().zip(&points).for_each(|(mean, [_, x])| *mean += x / f64::from(seeds));
        let fit = damped_oscillation(&points[FITTED..])?;
        frequencies.push(fit.frequency.value);
        decays.push(fit.decay.value);
    }
    let points: Vec<[f64; 2]> = positions.iter().enumerate().map(|(step, &x)| [step as f64 + 1.0, x]).collect();
    let fit = damped_oscillation(&points[FITTED..])?;
    let of_mean = |value: f64, each: &[f64]| Estimate { value, uncertainty: Estimate::mean(each).uncertainty };

    let mut findings = Findings::default();
    let reason = "single seeds scatter by less than 2 %, so a mean that is 3 % off is wrong; the paper prints the \
                  formulas and shows the agreement as a figure";
    let row = measured("ω δt", of_mean(fit.frequency.value, &frequencies)).published(omega);
    let half = damped_oscillation(&last_disk(bench, "1", 0.5 * SWEEPS)?[FITTED..])?;
    let row = row.within_part(0.03, reason).claim("P1 (59), fig. 7: ω = k √(c² − D²k²/4)");
    findings.row(row.null("half as many sweeps", half.frequency.value));
    let row = measured("τ/δt", of_mean(fit.decay.value, &decays)).published(tau);
    let row = row.within_part(0.03, reason).claim("P1 (59), fig. 7: τ = 2/(D k²)");
    findings.row(row.null("half as many sweeps", half.decay.value));
    // The published frequency and decay with the amplitude and phase of the fit.
    let published = riprap_measure::Oscillation {
        frequency: riprap_measure::Fit { value: omega, ..fit.frequency },
        decay: riprap_measure::Fit { value: tau, ..fit.decay },
        ..fit
    };
    let law: Vec<[f64; 2]> = (FITTED..STEPS).map(|step| step as f64).map(|t| [t, published.at(t)]).collect();
    findings.chart(
        "chain",
        format!("Position of the last disk, mean of {seeds} seeds, and the oscillation with the calculated ω and τ."),
        &Chart::new("", Axis::linear("time (δt)"), Axis::linear("position of the last disk (d)"))
            .with(Curve::new(Style::Line, points).named("ours"))
            .with(Curve::new(Style::Dashes, law).named("ω and τ of the paper")),
    );
    findings
        .remark("Implicit Euler with g⁺ = max(g, 0), plain Gauss–Seidel, a fresh random permutation in each sweep.");
    Ok(findings)
}

/// The position of the last disk after each step of a chain that is solved by so many sweeps a step.
fn last_disk(bench: &Bench, seed: &str, sweeps: f64) -> Result<Vec<[f64; 2]>, Failure> {
    let changes = [("seed", seed), ("solver.criterion.sweeps", &sweeps.to_string())];
    let mut world = two_dimensional(bench.world(CHAIN_SCENE, &changes)?)?;
    let mut points = Vec::new();
    for step in 0..STEPS {
        world.step(&mut Silent).map_err(step_failed)?;
        points.push([step as f64 + 1.0, world.state.position[GRAINS - 1].x]);
    }
    Ok(points)
}

/// `ω δt` and `τ/δt` of the wave number `k`, in 1/d, by so many sweeps a step.
pub(super) fn dispersion(k: f64, sweeps: f64) -> [f64; 2] {
    let q_n = sweep_diffusivity() * sweeps;
    [k * (q_n - q_n * q_n * k * k / 4.0).max(0.0).sqrt(), 2.0 / (q_n * k * k)]
}

/// The wave number of the mode with so many quarters of a wave, an odd number, on the chain.
pub(super) fn wave_number(quarters: u32) -> f64 {
    std::f64::consts::FRAC_PI_2 * f64::from(quarters) / GRAINS as f64
}

fn modes(bench: &mut Bench) -> Result<Findings, Failure> {
    let seeds = bench.choose(10, 40);
    let few = 10.0;
    let mut findings = Findings::default();
    let reason = "the formula is that of the continuum: per step a mode gives up 1 − exp(−D k² δt) of its forces, which it \
                  takes for D k² δt, 5 % too much in ω for the fourth mode";
    for quarters in [1, 3, 5, 7] {
        let [omega, tau] = dispersion(wave_number(quarters), few);
        let steps = (2.5 * tau).max(20.0) as usize;
        let fit = damped_oscillation(&ring(bench, quarters, few, seeds, steps)?)?;
        let other = damped_oscillation(&ring(bench, quarters, 2.0 * few, seeds, steps)?);
        let of_other = |get: fn(&Oscillation) -> f64| other.as_ref().map_or(f64::NAN, get);
        let what = format!("mode of {quarters}/4 waves, 10 sweeps");
        let row = measured(format!("ω δt, {what}"), fit.frequency).published(omega).within_part(0.1, reason);
        let row = row.claim("P1 (58): ω = k √(c² − D²k²/4), works well for all oscillating modes if N_I ≥ 10");
        findings.row(row.null("twice as many sweeps", of_other(|fit| fit.frequency.value)));
        let row = measured(format!("τ/δt, {what}"), fit.decay).published(tau).within_part(0.2, reason);
        let row =
            row.revised("the steps that are fitted, at most 200 at first, 0.8 τ of the longest mode: τ was then 345");
        findings.row(row.claim("P1 (60): τ = 2/(D k²)").null("twice as many sweeps", of_other(|fit| fit.decay.value)));
    }
    // Seventeen quarters: one and a half times the critical wave number for 40 sweeps, half of it for 5.
    let beyond = back_swing(&ring(bench, 17, SWEEPS, seeds, 40)?);
    let below = back_swing(&ring(bench, 17, 5.0, seeds, 40)?);
    let row =
        measured("swing back of a mode of 17/4 waves, 40 sweeps, over its way in a free step", beyond).published(0.0);
    let row = row.within(0.03, "the scatter of random sweeps; an over-damped mode does not swing back at all");
    let row =
        row.revised("what the swing is divided by: the way of the first step, which is 0 beyond the cut-off, at first");
    let row = row.claim("P1 (59): waves with k > k_c = 2c/D are over-damped; here k = 1.5 k_c");
    findings.row(row.null("5 sweeps, so that k = 0.53 k_c", below));
    findings.remark(
        "Velocities of 0.0005 d/δt at most: the forces of the mode stay far below the load, so that no contact opens.",
    );
    Ok(findings)
}

/// The amplitude of a mode after each step, as a mean over seeds.
fn ring(bench: &Bench, quarters: u32, sweeps: f64, seeds: u32, steps: usize) -> Result<Vec<[f64; 2]>, Failure> {
    let shape: Vec<f64> = (0..GRAINS).map(|disk| (wave_number(quarters) * (disk as f64 + 0.5)).sin()).collect();
    let mut points: Vec<[f64; 2]> = (1..=steps).map(|step| [step as f64, 0.0]).collect();
    for seed in 1..=seeds {
        bench.pause()?;
        let mut world = touching(bench, &seed.to_string(), "0.05")?;
        world.settings.solver.criterion = Criterion::Residual { tolerance: 1e-10 };
        world.step(&mut Silent).map_err(step_failed)?;
        world.settings.solver.criterion = Criterion::Fixed { sweeps: sweeps as u32 };
        let rest: Vec<f64> = world.state.position.iter().map(|position| position.x).collect();
        for (disk, part) in shape.iter().enumerate() {
            world.state.velocity[disk].x = KICK * part;
        }
        for point in &mut points {
            world.step(&mut Silent).map_err(step_failed)?;
            let moved = shape.iter().enumerate().map(|(disk, part)| part * (world.state.position[disk].x - rest[disk]));
            point[1] += moved.sum::<f64>() / f64::from(seeds);
        }
    }
    Ok(points)
}

/// How far an amplitude goes below zero, over its way in the first step if nothing held it: half of the disks' number times
/// their largest velocity.
fn back_swing(points: &[[f64; 2]]) -> f64 {
    points.iter().map(|point| -point[1]).fold(0.0, f64::max) / (0.5 * GRAINS as f64 * KICK)
}

/// The chain at rest against the wall, not yet loaded, with a load on its last disk from the next step on.
pub(super) fn touching(bench: &Bench, seed: &str, load: &str) -> Result<World<D2>, Failure> {
    let region = "{ box = { lower = [0, 0], upper = [50, 1] } }";
    let force = format!("[-{load}, 0]");
    let changes = [("seed", seed), ("grains.0.region", region), ("loads.0.force", force.as_str())];
    two_dimensional(bench.world(CHAIN_SCENE, &changes)?)
}
