//! Rigid disks that are solved by too few sweeps, beside disks on springs and dashpots (P1, equations 65 to 69).

use crate::failure::Failure;
use crate::reproduce::bench::{Bench, step_failed};
use crate::reproduce::case::{Case, Cost, Findings};
use crate::reproduce::cases::chain::{GRAINS, dispersion, touching, wave_number};
use crate::reproduce::row::{Estimate, measured, short};
use riprap_engine::{Criterion, D2, Damping, Method, Silent, Soft, World, sweep_diffusivity};
use riprap_measure::plot::{Axis, Chart, Curve, Style};
use riprap_measure::{Oscillation, damped_oscillation};

/// The two chains.
pub const SPRINGS: Case = Case {
    name: "chain-springs",
    title: "A chain that is solved by too few sweeps, and a chain of springs and dashpots",
    source: "T. Unger, J. Kertész 2003 (P1), equations 65 to 69",
    about: "The chain of fig. 6, touching the wall, is loaded by 0.05 d m/δt² on its last disk, and solved by 40 sweeps a \
            step in random order. Beside it are the same disks by molecular dynamics, with the published stiffness \
            κ = q m N_I/δt² and damping γ = q m N_I/δt of every contact. Damped oscillations are fitted to the position of \
            the last disk from 20 δt to 300 δt. The chain is also solved by half as many sweeps in steps of half the \
            length.",
    cost: Cost { quick_s: 3.0, full_s: 12.0 },
    run,
};

/// Sweeps per δt: `N_I`.
const PER_STEP: u32 = 40;
const LOAD: f64 = 0.05;
/// From and to where an oscillation is fitted, in units of δt: five of its decay times, after the others have died away.
const WINDOW: [usize; 2] = [20, 300];
/// Ten decay times.
const UNTIL_REST: usize = 640;

fn run(bench: &mut Bench) -> Result<Findings, Failure> {
    let seeds = bench.choose(4, 16);
    let rigid = swings(bench, seeds, Sweeps { number: PER_STEP, parts: 1 })?;
    let [stiffness, damping] = [sweep_diffusivity() * f64::from(PER_STEP); 2];
    let soft = fit(&springs(bench, stiffness, damping)?)?;
    let half = |number: f64| fit(&springs(bench, number * stiffness, number * damping)?);

    let mut findings = Findings::default();
    let reason = "single seeds scatter by 2 %, and both chains have the wave number of 50 disks, but not quite the same \
                  stiffness at the wall";
    let other = half(0.5)?;
    let row = measured("ω by sweeps over ω of the springs", over(rigid.frequency, soft.frequency.value)).published(1.0);
    let row = row.within(0.05, reason).claim("P1 (67): κ = q m N_I/δt²; \"identical to its MD counterpart\"");
    findings.row(row.null("springs half as stiff", rigid.frequency.value / other.frequency.value));
    let row = measured("τ by sweeps over τ of the springs", over(rigid.decay, soft.decay.value)).published(1.0);
    let row = row.within(0.08, reason).claim("P1 (68): γ = q m N_I/δt");
    findings.row(row.null("dashpots half as strong", rigid.decay.value / other.decay.value));

    shrinkage(bench, seeds, stiffness, &mut findings)?;

    // The same updates in a given time, in twice as many steps.
    let parts = swings(bench, seeds, Sweeps { number: PER_STEP / 2, parts: 2 })?;
    let fewer = swings(bench, seeds, Sweeps { number: PER_STEP / 2, parts: 1 })?;
    let k = wave_number(1);
    let whole = dispersion(k, f64::from(PER_STEP));
    // A step of δt/2 is the unit of time here.
    let [omega, tau] = dispersion(k, f64::from(PER_STEP / 2));
    let row = measured(
        "ω by half as many sweeps in steps of half the length, over ω",
        over(parts.frequency, rigid.frequency.value),
    );
    let row = row.published(2.0 * omega / whole[0]).within_part(0.04, "two means of seeds that scatter by 2 %");
    let row = row.claim("P1 after (69): reducing N_I and δt \"while N_I/δt is kept constant increases the stiffness\"");
    findings.row(
        row.null("half as many sweeps in steps of the same length", fewer.frequency.value / rigid.frequency.value),
    );
    let row =
        measured("τ by half as many sweeps in steps of half the length, over τ", over(parts.decay, rigid.decay.value));
    let row = row.published(0.5 * tau / whole[1]).within_part(0.08, "two means of seeds that scatter by 3 %");
    let row = row.claim("P1 after (69): it \"does not affect the value of the dissipation γ\"");
    findings.row(row.null("half as many sweeps in steps of the same length", fewer.decay.value / rigid.decay.value));

    let curve = |points: Vec<[f64; 2]>, name: &str, style| Curve::new(style, points).named(name);
    findings.chart(
        "springs",
        "Position of the last disk: by 40 sweeps a step (one seed), and on springs and dashpots.",
        &Chart::new("", Axis::linear("time (δt)"), Axis::linear("position of the last disk (d)"))
            .with(curve(last_disk(touching(bench, "1", &LOAD.to_string())?, 1)?, "sweeps", Style::Line))
            .with(curve(springs(bench, stiffness, damping)?, "springs and dashpots", Style::Dashes)),
    );
    Ok(findings)
}

/// How much shorter the chain is under its load.
fn shrinkage(bench: &Bench, seeds: u32, stiffness: f64, findings: &mut Findings) -> Result<(), Failure> {
    let shorter = |load: f64, criterion: Criterion| -> Result<Estimate, Failure> {
        let mut lengths = Vec::new();
        for seed in 1..=seeds {
            bench.pause()?;
            let mut world = touching(bench, &seed.to_string(), &load.to_string())?;
            world.settings.solver.criterion = criterion;
            let start = world.state.position[GRAINS - 1].x;
            for _ in 0..UNTIL_REST {
                world.step(&mut Silent).map_err(step_failed)?;
            }
            lengths.push(start - world.state.position[GRAINS - 1].x);
        }
        Ok(Estimate::mean(&lengths))
    };
    let few = Criterion::Fixed { sweeps: PER_STEP };
    let expected = LOAD * GRAINS as f64 / stiffness;
    let [once, twice] = [shorter(LOAD, few)?, shorter(2.0 * LOAD, few)?];
    let sharp = shorter(LOAD, Criterion::Residual { tolerance: 1e-8 })?;
    let row = measured("shrinkage of the chain under its load over that of 50 springs", over(once, expected));
    let row = row.published(1.0).within(0.05, "overlaps are stochastic, and the contact at the wall is stiffer");
    let row = row.revised("the number of seeds: a single one gave 0.932");
    let row =
        row.claim("P1 after (68): \"a global shrinkage proportional to an external compressive load\", κ by (67)");
    findings.row(row.null("the chain solved sharply", sharp.value / expected));
    let row = measured("shrinkage under twice the load over that under the load", over(twice, once.value));
    let row = row.published(2.0).within(0.05, "the scatter of seeds");
    let row = row.claim("P1 after (68): \"proportional to an external compressive load\"");
    findings.row(row.null("a shrinkage that does not depend on the load", 1.0));
    findings.remark(format!("Shrinkage: {} d; solved sharply: {} d.", short(once.value), short(sharp.value)));
    Ok(())
}

/// How a step of length δt is solved: in so many parts, by so many sweeps each.
#[derive(Clone, Copy)]
struct Sweeps {
    number: u32,
    parts: u32,
}

/// The mean oscillation over seeds, with the scatter between them.
struct Swing {
    frequency: Estimate,
    decay: Estimate,
}

fn swings(bench: &Bench, seeds: u32, sweeps: Sweeps) -> Result<Swing, Failure> {
    let (mut frequencies, mut decays) = (Vec::new(), Vec::new());
    for seed in 1..=seeds {
        bench.pause()?;
        let mut world = touching(bench, &seed.to_string(), &LOAD.to_string())?;
        world.settings.solver.criterion = Criterion::Fixed { sweeps: sweeps.number };
        let fit = fit(&last_disk(world, sweeps.parts)?)?;
        frequencies.push(fit.frequency.value);
        decays.push(fit.decay.value);
    }
    Ok(Swing { frequency: Estimate::mean(&frequencies), decay: Estimate::mean(&decays) })
}

fn over(estimate: Estimate, value: f64) -> Estimate {
    Estimate { value: estimate.value / value, uncertainty: estimate.uncertainty.map(|error| error / value) }
}

fn fit(points: &[[f64; 2]]) -> Result<Oscillation, Failure> {
    Ok(damped_oscillation(&points[WINDOW[0]..WINDOW[1]])?)
}

/// The position of the last disk on springs of a given stiffness and damping, which hold all disks and the wall.
fn springs(bench: &Bench, stiffness: f64, damping: f64) -> Result<Vec<[f64; 2]>, Failure> {
    let mut world = touching(bench, "1", &LOAD.to_string())?;
    // A dashpot stops two disks within m/(4 γ).
    let soft = Soft::new(stiffness, 0.05 / damping);
    world.method = Method::MolecularDynamics(Soft { damping: Damping::Given(damping), ..soft });
    last_disk(world, 1)
}

/// The position of the last disk after each δt, in so many steps each.
fn last_disk(mut world: World<D2>, parts: u32) -> Result<Vec<[f64; 2]>, Failure> {
    world.settings.time_step /= f64::from(parts);
    let mut points = Vec::new();
    for time in 1..=WINDOW[1] {
        for _ in 0..parts {
            world.step(&mut Silent).map_err(step_failed)?;
        }
        points.push([time as f64, world.state.position[GRAINS - 1].x]);
    }
    Ok(points)
}
