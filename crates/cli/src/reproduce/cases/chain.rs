//! What too few sweeps do to a row of disks (P1, figures 6 and 7).

use crate::failure::Failure;
use crate::reproduce::bench::{Bench, step_failed, two_dimensional};
use crate::reproduce::case::{Case, Cost, Findings};
use crate::reproduce::row::{Estimate, measured};
use riprap_engine::{Silent, sweep_diffusivity};
use riprap_measure::damped_oscillation;
use riprap_measure::plot::{Axis, Chart, Curve, Style};

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
