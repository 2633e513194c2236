//! A piston on rigid disks swings when the sweeps are too few (P1, figures 5 and 8).

use crate::failure::Failure;
use crate::reproduce::bench::{Bench, UNCHANGED, step_failed, two_dimensional};
use crate::reproduce::case::{Case, Cost, Findings};
use crate::reproduce::cases::reversed;
use crate::reproduce::row::{measured, short};
use riprap_engine::{Criterion, D2, Freedom, Motion, Silent, Solver, SweepOrder, World, sweep_diffusivity};
use riprap_measure::plot::{Axis, Chart, Curve, Style};
use riprap_measure::{Oscillation, damped_oscillation, fit};

/// The oscillating piston.
pub const PISTON: Case = Case {
    name: "piston-waves",
    title: "Waves in a packing of rigid disks under a piston",
    source: "T. Unger, J. Kertész 2003 (P1), figs. 5 and 8",
    about: "1,000 disks with radii between r and 2r and friction 0.05 are compressed by a piston and relaxed. Then the \
            force on the piston is suddenly increased by 1/500, and every step ends after N_I sweeps in random order, \
            with N_I from 8 to 64. A damped sine is fitted to the position of the piston after the first swing.",
    cost: Cost { quick_s: 6.0, full_s: 25.0 },
    run,
};

/// By what part the force on the piston rises.
const RISE: f64 = 0.002;
const PISTON_SCENE: &str = include_str!("../scenes/piston_waves.toml");

fn run(bench: &mut Bench) -> Result<Findings, Failure> {
    let rest = two_dimensional(bench.run("relaxed", PISTON_SCENE, UNCHANGED)?.world()?)?;
    let numbers: &[u32] = bench.choose(&[8, 16, 32, 64], &[8, 12, 16, 24, 32, 48, 64]);
    let seeds = bench.choose(1, 4);
    let mut findings = Findings::default();
    let (mut frequencies, mut decays) = (Vec::new(), Vec::new());
    for &sweeps in numbers {
        for seed in 1..=seeds {
            bench.pause()?;
            let (points, fit) = swing(&rest, sweeps, seed)?;
            let at = |value: f64| [f64::from(sweeps).ln(), value.ln()];
            frequencies.push(at(fit.frequency.value));
            decays.push(at(fit.decay.value));
            findings.remark(format!(
                "N_I = {sweeps}, seed {seed}: ω δt = {} ± {}, τ/δt = {} ± {}, fitted from {} to {} δt.",
                short(fit.frequency.value),
                short(fit.frequency.uncertainty),
                short(fit.decay.value),
                short(fit.decay.uncertainty),
                short(fit.frequency.range[0]),
                short(fit.frequency.range[1])
            ));
            if sweeps == 8 && seed == 1 {
                let curve = points.iter().map(|&[t, _]| [t, fit.at(t)]).collect();
                findings.chart(
                    "piston",
                    "The piston after the force step, with 8 sweeps per step, and the damped sine.",
                    &Chart::new("", Axis::linear("time (δt)"), Axis::linear("position of the piston (r)"))
                        .with(Curve::new(Style::Points, points).named("ours"))
                        .with(Curve::new(Style::Line, curve).named("damped sine")),
                );
            }
        }
    }
    let (frequency, decay) = (fit::line(&frequencies)?, fit::line(&decays)?);
    let row = measured("exponent of N_I in ω", frequency.slope).published(0.5);
    let row = row.within(0.05, "the frequency of several oscillations is known to a few per cent at each N_I");
    let row =
        row.revised("the force step, from a tenth to a hundredth to a five-hundredth, until the packing was stable");
    let row = row.claim("P1 (57), fig. 8: c = √(q N_I) d/δt, so ω ∝ √N_I");
    let turned = "the same oscillations with the numbers of sweeps in reverse order";
    findings.row(row.null(turned, fit::line(&reversed(&frequencies))?.slope.value));
    let row = measured("exponent of N_I in τ", decay.slope).published(-1.0);
    let row = row.within(0.15, "the decay of a few oscillations is known to about 10 % at each N_I").revised(
        "the numbers of sweeps: from 4 to 32 the exponent was −0.836 ± 0.027, because sliding contacts add a decay of \
         their own (1/τ = 0.0014 N_I + 0.003), which is visible at small N_I",
    );
    let row = row.claim("P1 (59), fig. 8: 1/τ = q N_I d²k²/(2δt)");
    findings.row(row.null(turned, fit::line(&reversed(&decays))?.slope.value));
    findings.remark(
        "The source does not give the size of the force step. With a tenth the packing rearranged while it \
         oscillated. With a hundredth it did not (0.500 ± 0.002 and −0.94) or, in another build, yielded at N_I = 8 \
         (where ω was then not that of the oscillation, and the exponent 1.1). With a five-hundredth it does not.",
    );
    let back = |points: &[[f64; 2]]| points.iter().map(|point| point.map(f64::exp)).collect::<Vec<_>>();
    findings.chart(
        "scaling",
        "Frequency and decay time against the number of sweeps.",
        &Chart::new("", Axis::log("N_{I}"), Axis::log("ω δt, and 1/τ in 1/δt"))
            .with(Curve::new(Style::Points, back(&frequencies)).named("ω"))
            .with(Curve::new(Style::Points, back(&decays).iter().map(|p| [p[0], 1.0 / p[1]]).collect()).named("1/τ")),
    );
    Ok(findings)
}

/// The position of the piston over the steps after its force has risen, and the fit from the second swing on.
fn swing(rest: &World<D2>, sweeps: u32, seed: u64) -> Result<(Vec<[f64; 2]>, Oscillation), Failure> {
    let mut world = rest.clone();
    world.settings.solver.solver = Solver::GaussSeidel;
    world.settings.solver.order = SweepOrder::Random;
    world.settings.solver.criterion = Criterion::Fixed { sweeps };
    world.settings.solver.seed = seed;
    let mut piston = 0;
    for (index, body) in world.bodies.iter_mut().enumerate() {
        let Motion::Driven(freedoms) = &mut body.motion else { continue };
        if let Freedom::Pressure { pressure, .. } = &mut freedoms.translation[1] {
            *pressure = pressure.scaled(1.0 + RISE);
            piston = index;
        }
    }
    // What the chain of equal grains would do, to know how long to look: docs/method.md §5 with a mean diameter of 3.
    let q_n = sweep_diffusivity() * f64::from(sweeps);
    let k = std::f64::consts::FRAC_PI_2 * 3.0 / rest.state.position[piston].y;
    let (period, tau) = (std::f64::consts::TAU / (k * q_n.sqrt()), 2.0 / (q_n * k * k));
    let steps = (1.5 * period + 2.5 * tau).ceil() as usize;
    let mut points = Vec::new();
    for step in 0..steps {
        world.step(&mut Silent).map_err(step_failed)?;
        points.push([step as f64 + 1.0, world.state.position[piston].y]);
    }
    let first = (0.5 * period) as usize;
    let fit = damped_oscillation(&points[first..])?;
    Ok((points, fit))
}
