//! Where rigid grains have their scale of force from (P0, section 7).

use crate::failure::Failure;
use crate::reproduce::bench::{Bench, step_failed};
use crate::reproduce::case::{Case, Cost, Findings};
use crate::reproduce::cases::iterations::{PRESSED_DISKS, SHORT, at_rest, forceless, normal_forces, stretch_step};
use crate::reproduce::row::{measured, short};
use riprap_engine::{
    AnyWorld, Criterion, D2, Freedom, GapVariant, Motion, Scheme, Silent, Solver, SweepOrder, TimeFunction, World,
};
use riprap_measure::fit;
use riprap_measure::plot::{Axis, Chart, Curve, Style};

/// Imposed velocity and growing load.
pub const SCALE: Case = Case {
    name: "force-scale",
    title: "Forces of rigid grains under an imposed velocity and under a growing load",
    source: "F. Radjai, V. Richefeu 2009 (P0), section 7",
    about: "225 disks are at rest between two fixed and two loaded walls. From zero forces, one wall is then moved inwards at \
            a constant velocity, by a hundredth of a diameter in all, while the others are held; every step has 100 sweeps, \
            and overlaps are kept. Or the pressure on the two walls is increased tenfold in 90 equal steps, solved to a \
            residual of 1e-8.",
    cost: Cost { quick_s: 18.0, full_s: 18.0 },
    run,
};

const PUSHES: usize = 200;
/// How far the wall comes in.
const WAY: f64 = 0.01;
const INWARDS: &str = "box.right";

fn run(bench: &mut Bench) -> Result<Findings, Failure> {
    let AnyWorld::D2(mut rest) = at_rest(bench, PRESSED_DISKS, 2, 225, 1)? else { return Ok(Findings::default()) };
    stretch_step(&mut rest, 1.0 / SHORT);
    rest.settings.scheme = Scheme::Euler { gap: GapVariant::Keep };
    rest.settings.solver.warm_start = true;
    let mut findings = Findings::default();
    imposed(bench, &rest, &mut findings)?;
    growing(bench, &rest, &mut findings)?;
    Ok(findings)
}

/// What the packing does while a wall comes in: displacement of the wall, mean normal force, mean overlap.
struct Squeeze {
    force: Vec<[f64; 2]>,
    overlap: Vec<[f64; 2]>,
}

fn imposed(bench: &Bench, rest: &World<D2>, findings: &mut Findings) -> Result<(), Failure> {
    let squeeze = |velocity: f64, sweeps: u32| -> Result<Squeeze, Failure> {
        let mut world = rest.clone();
        let inwards = world.wall(INWARDS);
        for (index, body) in world.bodies.iter_mut().enumerate() {
            if let Motion::Driven(freedoms) = &mut body.motion {
                freedoms.translation.fill(Freedom::default());
                if Some(index as u32) == inwards {
                    freedoms.translation[0] = Freedom::Velocity(TimeFunction::Constant(-velocity));
                }
            }
        }
        world.settings.solver.order = SweepOrder::Random;
        world.settings.solver.criterion = Criterion::Fixed { sweeps };
        world.state.contacts = forceless(&world);
        let mut found = Squeeze { force: Vec::new(), overlap: Vec::new() };
        for step in 1..=PUSHES {
            let report = world.step(&mut Silent).map_err(step_failed)?;
            let way = velocity * world.settings.time_step * step as f64;
            found.force.push([way, mean(&normal_forces(&world))]);
            found.overlap.push([way, report.mean_overlap]);
        }
        Ok(found)
    };
    bench.pause()?;
    let velocity = WAY / (PUSHES as f64 * rest.settings.time_step);
    let found = squeeze(velocity, 100)?;
    let sharp = squeeze(velocity, 300)?;
    // The first tenth starts from nothing.
    let exponent =
        |points: &[[f64; 2]]| fit::line(&points[PUSHES / 10..].iter().map(|p| p.map(f64::ln)).collect::<Vec<_>>());
    let row =
        measured("exponent of the mean force against the displacement of the wall", exponent(&found.force)?.slope);
    let row = row.published(1.0).within(0.2, "the packing rearranges a little, and forces take time to cross it");
    let row = row
        .claim("P0 §7: under an imposed velocity \"the contact forces increase proportionally to the displacement\"");
    findings.row(row.null("a wall under a constant pressure", 0.0));
    let row =
        measured("exponent of the mean overlap against the displacement of the wall", exponent(&found.overlap)?.slope);
    let row = row.published("the particles interpenetrate").at_least(0.5, "overlaps that grow with the displacement");
    findings.row(row.claim("P0 §7").null("a wall under a constant pressure", 0.0));
    let last = |points: &[[f64; 2]]| points.last().map_or(f64::NAN, |point| point[1]);
    findings.remark(format!(
        "Nothing but the number of sweeps sets the scale: the mean force at the end is {} times the first pressure times a \
         diameter by 100 sweeps a step, and {} times by 300; the mean overlaps are {} and {} diameters.",
        short(last(&found.force)),
        short(last(&sharp.force)),
        short(last(&found.overlap)),
        short(last(&sharp.overlap))
    ));
    findings.chart(
        "imposed",
        "Mean normal force while a wall is moved into a dense packing.",
        &Chart::new("", Axis::linear("displacement (d)"), Axis::linear("mean normal force (p d)"))
            .with(Curve::new(Style::Line, found.force).named("100 sweeps a step"))
            .with(Curve::new(Style::Dashes, sharp.force).named("300 sweeps a step")),
    );
    Ok(())
}

/// What a load that grows tenfold does.
struct Grown {
    /// The difference of the forces from ten times those before, over these (root mean square).
    off: f64,
    /// The same, if the forces stood at other contacts.
    elsewhere: f64,
    /// The largest displacement of a grain.
    moved: f64,
}

fn growing(bench: &Bench, rest: &World<D2>, findings: &mut Findings) -> Result<(), Failure> {
    let grown = grow(bench, rest, Growth { tolerance: 1e-8, steps: 90, scaled: false })?;
    let row = measured(
        "difference of the forces under ten times the load from ten times the forces (root mean square)",
        grown.off,
    );
    let row = row.published(0.0).within(0.1, "a tenth is hardly visible in a picture of the forces");
    let row = row
        .claim("P0 §7: under an increasing force \"the contact forces increase in proportion to the applied force\"");
    findings.row(row.null("the same forces at other contacts", grown.elsewhere));
    let row = measured("largest displacement of a grain meanwhile (diameters)", grown.moved).published(0.0);
    let row = row.at_most(1e-3, "a tenth of what the wall of imposed velocity covers");
    let row = row.revised("the residual and the number of steps: 1e-6 and 900 gave 5e-3, a creep that these two set");
    let row = row.claim("P0 §7: \"the packing stays indefinitely in static equilibrium\"");
    findings.row(row.null("the wall of imposed velocity", WAY));
    for (tolerance, steps, scaled) in [(1e-6, 90, false), (1e-8, 9, false), (1e-8, 90, true)] {
        let grown = grow(bench, rest, Growth { tolerance, steps, scaled })?;
        findings.remark(format!(
            "In {steps} steps, solved to a residual of {tolerance:e}{}: forces differ by {}, the largest displacement is {} \
             diameters.",
            if scaled { ", each started from the forces of the last in proportion to the load" } else { "" },
            short(grown.off),
            short(grown.moved)
        ));
    }
    findings.remark(
        "Proportional forces are a solution, and a solver that starts from them keeps them. But with friction there are many \
         solutions, and one that starts from the forces of the step before finds another: the mean grows in proportion, single \
         forces do not.",
    );
    Ok(())
}

/// How a load grows.
#[derive(Clone, Copy)]
struct Growth {
    /// To what residual each step is solved.
    tolerance: f64,
    /// In how many steps.
    steps: u32,
    /// True if a step starts from the forces of the last times the ratio of the loads.
    scaled: bool,
}

/// Increases the load tenfold.
fn grow(bench: &Bench, rest: &World<D2>, growth: Growth) -> Result<Grown, Failure> {
    let Growth { tolerance, steps, scaled } = growth;
    let mut world = rest.clone();
    world.settings.solver.solver = Solver::Auto;
    world.settings.solver.order = SweepOrder::Spatial;
    world.settings.solver.criterion = Criterion::Residual { tolerance };
    world.settings.solver.max_sweeps = 50_000;
    for _ in 0..50 {
        world.step(&mut Silent).map_err(step_failed)?;
    }
    let before = world.clone();
    for count in 1..=steps {
        bench.pause()?;
        let load = |count: u32| 1.0 + 9.0 * f64::from(count) / f64::from(steps);
        press(&mut world, load(count));
        if scaled {
            let ratio = load(count) / load(count - 1);
            world.state.contacts.iter_mut().for_each(|contact| contact.impulse *= ratio);
        }
        world.step(&mut Silent).map_err(step_failed)?;
    }
    let moved = world.state.position.iter().zip(&before.state.position).map(|(a, b)| (*a - *b).length());
    // A contact that has opened carries nothing.
    let last: Vec<([u32; 2], f64)> = {
        let mut keyed: Vec<_> = world.state.contacts.iter().map(|c| c.bodies).zip(normal_forces(&world)).collect();
        keyed.sort_by_key(|(bodies, _)| *bodies);
        keyed
    };
    let force_of =
        |bodies: [u32; 2]| last.binary_search_by_key(&bodies, |(other, _)| *other).map_or(0.0, |k| last[k].1);
    let was = normal_forces(&before);
    let now: Vec<f64> = before.state.contacts.iter().map(|contact| force_of(contact.bodies)).collect();
    let mut rotated = now.clone();
    rotated.rotate_left(now.len() / 2);
    let off = |now: &[f64]| {
        let squares: f64 = now.iter().zip(&was).map(|(now, was)| (0.1 * now - was).powi(2)).sum();
        (squares / was.iter().map(|was| was * was).sum::<f64>()).sqrt()
    };
    Ok(Grown { off: off(&now), elsewhere: off(&rotated), moved: moved.fold(0.0, f64::max) })
}

/// Sets the pressure of all loaded walls.
fn press(world: &mut World<D2>, by: f64) {
    for body in &mut world.bodies {
        if let Motion::Driven(freedoms) = &mut body.motion {
            for freedom in &mut freedoms.translation {
                if let Freedom::Pressure { pressure: TimeFunction::Constant(pressure), .. } = freedom {
                    *pressure = by.copysign(*pressure);
                }
            }
        }
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}
