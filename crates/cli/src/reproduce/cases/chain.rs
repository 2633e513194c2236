//! What too few sweeps do to a row of disks (P1, figures 6 and 7): one oscillation, the others of its spectrum, and the soft
//! grains that it equals.

use crate::failure::Failure;
use crate::reproduce::bench::{Bench, step_failed, two_dimensional};
use crate::reproduce::case::{Case, Cost, Findings};
use crate::reproduce::row::{Estimate, measured};
use riprap_engine::{Criterion, D2, Damping, Method, Silent, Soft, World, sweep_diffusivity};
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

/// The soft grains to which it is equivalent.
pub const SOFT_CHAIN: Case = Case {
    name: "chain-md",
    title: "The chain with too few sweeps, and the same chain by molecular dynamics",
    source: "T. Unger, J. Kertész 2003 (P1), equations 65 to 68",
    about: "The chain of fig. 6 is driven against the wall twice: by contact dynamics with 40 sweeps per step, and by \
            molecular dynamics with the springs and dashpots that the source calculates for this number of sweeps. And \
            a chain at rest that touches the wall is loaded: it shrinks.",
    cost: Cost { quick_s: 4.0, full_s: 12.0 },
    run: soft_chain,
};

const CHAIN_SCENE: &str = include_str!("../scenes/chain.toml");
const GRAINS: usize = 50;
const SWEEPS: f64 = 40.0;
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
fn dispersion(k: f64, sweeps: f64) -> [f64; 2] {
    let q_n = sweep_diffusivity() * sweeps;
    [k * (q_n - q_n * q_n * k * k / 4.0).max(0.0).sqrt(), 2.0 / (q_n * k * k)]
}

/// The wave number of the mode with so many quarters of a wave, an odd number, on the chain.
fn wave_number(quarters: u32) -> f64 {
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
        let steps = (2.5 * tau).clamp(20.0, 200.0) as usize;
        let fit = ring(bench, quarters, few, seeds, steps)?.1?;
        let other = ring(bench, quarters, 2.0 * few, seeds, steps)?.1;
        let of_other = |get: fn(&Oscillation) -> f64| other.as_ref().map_or(f64::NAN, get);
        let what = format!("mode of {quarters}/4 waves, 10 sweeps");
        let row = measured(format!("ω δt, {what}"), fit.frequency).published(omega).within_part(0.1, reason);
        let row = row.claim("P1 (58): ω = k √(c² − D²k²/4), works well for all oscillating modes if N_I ≥ 10");
        findings.row(row.null("twice as many sweeps", of_other(|fit| fit.frequency.value)));
        let row = measured(format!("τ/δt, {what}"), fit.decay).published(tau).within_part(0.2, reason);
        findings.row(row.claim("P1 (60): τ = 2/(D k²)").null("twice as many sweeps", of_other(|fit| fit.decay.value)));
    }
    // Seventeen quarters: one and a half times the critical wave number for 40 sweeps, half of it for 5.
    let beyond = back_swing(&ring(bench, 17, SWEEPS, seeds, 40)?.0);
    let below = back_swing(&ring(bench, 17, 5.0, seeds, 40)?.0);
    let row = measured("swing back of a mode of 17/4 waves, 40 sweeps, over its first swing", beyond).published(0.0);
    let row = row.within(0.03, "the scatter of random sweeps; an over-damped mode does not swing back at all");
    let row = row.claim("P1 (59): waves with k > k_c = 2c/D are over-damped; here k = 1.5 k_c");
    findings.row(row.null("5 sweeps, so that k = 0.53 k_c", below));
    findings.remark(
        "Velocities of 0.0005 d/δt at most: the forces of the mode stay far below the load, so that no contact opens.",
    );
    Ok(findings)
}

/// The amplitude of a mode after each step, as a mean over seeds, and its oscillation.
fn ring(
    bench: &Bench,
    quarters: u32,
    sweeps: f64,
    seeds: u32,
    steps: usize,
) -> Result<(Vec<[f64; 2]>, Result<Oscillation, riprap_measure::Unavailable>), Failure> {
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
            world.state.velocity[disk].x = 5e-4 * part;
        }
        for point in &mut points {
            world.step(&mut Silent).map_err(step_failed)?;
            let moved = shape.iter().enumerate().map(|(disk, part)| part * (world.state.position[disk].x - rest[disk]));
            point[1] += moved.sum::<f64>() / f64::from(seeds);
        }
    }
    let fit = damped_oscillation(&points);
    Ok((points, fit))
}

/// How far an amplitude goes below zero, over how far it goes above.
fn back_swing(points: &[[f64; 2]]) -> f64 {
    let most = |sign: f64| points.iter().map(|point| sign * point[1]).fold(0.0, f64::max);
    most(-1.0) / most(1.0)
}

/// The chain at rest against the wall, not yet loaded, with a load on its last disk from the next step on.
fn touching(bench: &Bench, seed: &str, load: &str) -> Result<World<D2>, Failure> {
    let region = "{ box = { lower = [0, 0], upper = [50, 1] } }";
    let force = format!("[-{load}, 0]");
    let changes = [("seed", seed), ("grains.0.region", region), ("loads.0.force", force.as_str())];
    two_dimensional(bench.world(CHAIN_SCENE, &changes)?)
}

fn soft_chain(bench: &mut Bench) -> Result<Findings, Failure> {
    let seeds = bench.choose(5, 20);
    let stiffness = sweep_diffusivity() * SWEEPS;
    let mut mean = vec![[0.0; 2]; STEPS];
    for seed in 1..=seeds {
        bench.pause()?;
        for (mean, point) in mean.iter_mut().zip(last_disk(bench, &seed.to_string(), SWEEPS)?) {
            *mean = [point[0], mean[1] + point[1] / f64::from(seeds)];
        }
    }
    let rigid = damped_oscillation(&mean[FITTED..])?;
    let soft_points = last_soft_disk(bench, stiffness)?;
    let soft = damped_oscillation(&soft_points[FITTED..])?;
    let softer = damped_oscillation(&last_soft_disk(bench, 0.5 * stiffness)?[FITTED..])?;
    let mut findings = Findings::default();
    let null = "springs and dashpots of half the size";
    let claim = "P1 (67, 68): κ = q m N_I/δt² and γ = q m N_I/δt: on large scales identical to the chain of springs";
    let ratio = |get: fn(&Oscillation) -> f64, of: &Oscillation| get(&rigid) / get(of);
    let frequency = |fit: &Oscillation| fit.frequency.value;
    let decay = |fit: &Oscillation| fit.decay.value;
    let row = measured("ω by contact dynamics over ω by molecular dynamics", ratio(frequency, &soft)).published(1.0);
    let row = row.within(0.03, "single seeds scatter by less than 2 %").claim(claim);
    findings.row(row.null(null, ratio(frequency, &softer)));
    let row = measured("τ by contact dynamics over τ by molecular dynamics", ratio(decay, &soft)).published(1.0);
    let row = row.within(0.05, "τ is known to a few per cent").claim(claim);
    findings.row(row.null(null, ratio(decay, &softer)));

    let few = Criterion::Fixed { sweeps: SWEEPS as u32 };
    let (single, double) = (shrinkage(bench, "0.05", few, STEPS, seeds)?, shrinkage(bench, "0.1", few, STEPS, seeds)?);
    let solved = shrinkage(bench, "0.05", Criterion::Residual { tolerance: 1e-6 }, 3, 1)?;
    let expected = 0.05 * GRAINS as f64 / stiffness;
    let row = measured("shrinkage under a load of 0.05 (d)", single).published(expected);
    let row =
        row.within_part(0.05, "the contact with the wall, one of fifty, is twice as stiff, and random sweeps scatter");
    let claim = "P1 after (68): a global shrinkage proportional to an external compressive load";
    findings.row(row.claim(claim).null("steps that are solved to the end", solved));
    let row = measured("shrinkage under twice the load over that under the load", double / single).published(2.0);
    let row = row.within(0.05, "random sweeps scatter").claim(claim);
    findings.row(row.no_null("the chain without spurious elasticity does not shrink, see the row above"));
    findings.chart(
        "chain",
        "Position of the last disk by contact dynamics with 40 sweeps per step (mean over seeds) and by molecular dynamics.",
        &Chart::new("", Axis::linear("time (δt)"), Axis::linear("position of the last disk (d)"))
            .with(Curve::new(Style::Line, mean).named("contact dynamics"))
            .with(Curve::new(Style::Dashes, soft_points).named("molecular dynamics, κ and γ")),
    );
    Ok(findings)
}

/// The position of the last disk after each step of the chain of springs and dashpots of one size, in units of the step.
fn last_soft_disk(bench: &Bench, stiffness: f64) -> Result<Vec<[f64; 2]>, Failure> {
    let mut world = two_dimensional(bench.world(CHAIN_SCENE, &[])?)?;
    let step = bench.choose(5e-3, 2e-3);
    world.method = Method::MolecularDynamics(Soft { damping: Damping::Given(stiffness), ..Soft::new(stiffness, step) });
    let mut points = Vec::new();
    for step in 0..STEPS {
        bench.pause()?;
        world.step(&mut Silent).map_err(step_failed)?;
        points.push([step as f64 + 1.0, world.state.position[GRAINS - 1].x]);
    }
    Ok(points)
}

/// How far the end of a chain at rest moves in so many steps under a load; a mean over seeds.
fn shrinkage(bench: &Bench, load: &str, criterion: Criterion, steps: usize, seeds: u32) -> Result<f64, Failure> {
    let mut sum = 0.0;
    for seed in 1..=seeds {
        bench.pause()?;
        let mut world = touching(bench, &seed.to_string(), load)?;
        world.settings.solver.criterion = criterion;
        world.settings.solver.max_sweeps = 100_000;
        let start = world.state.position[GRAINS - 1].x;
        for _ in 0..steps {
            world.step(&mut Silent).map_err(step_failed)?;
        }
        sum += start - world.state.position[GRAINS - 1].x;
    }
    Ok(sum / f64::from(seeds))
}
