//! What sets the scale of forces and overlaps in contact dynamics (P0, sections on the coarse-grained force, on time stepping
//! and the last one; P3 on the time step): loads, imposed motion, the time step and the precision.

use super::reversed;
use crate::failure::Failure;
use crate::reproduce::bench::{Bench, step_failed, two_dimensional};
use crate::reproduce::case::{Case, Cost, Findings};
use crate::reproduce::row::measured;
use riprap_engine::{Criterion, D2, Freedom, Motion, Silent, TimeFunction, World};
use riprap_measure::fit;
use riprap_measure::plot::{Axis, Chart, Curve, Style};

/// Compression by a force and by a velocity.
pub const FORCE_SCALE: Case = Case {
    name: "force-scale",
    title: "A dense packing compressed by a growing force, and by an imposed velocity",
    source: "F. Radjai, V. Richefeu 2009 (P0), section 7",
    about: "Disks at rest between two fixed and two loaded walls. Either the load is doubled in twenty steps, or the loaded \
            walls are stopped and the top one is pushed in at a constant velocity, with 50 sweeps per step.",
    cost: Cost { quick_s: 6.0, full_s: 60.0 },
    run: force_scale,
};

/// Overlaps and forces against the time step.
pub const TIME_STEP: Case = Case {
    name: "time-step",
    title: "Overlaps and impact forces against time step and precision",
    source: "F. Radjai, V. Richefeu 2009 (P0), sections on the coarse-grained force and on time stepping; S. Dal Pont, E. Dimnet \
             2006 (P3)",
    about: "Sixteen disks fall into a box and come to rest, by the midpoint scheme with overlaps kept, at several time steps \
            and at several residuals. The largest force of the fall, the largest force at rest and the mean overlap at rest \
            are compared.",
    cost: Cost { quick_s: 4.0, full_s: 15.0 },
    run: time_step,
};

fn force_scale(bench: &mut Bench) -> Result<Findings, Failure> {
    let count = bench.choose("100", "900");
    let side = bench.choose("[13.3, 13.3]", "[40, 40]");
    let changes = [("grains.0.count", count), ("walls.0.upper", side)];
    let run = bench.run("pressed", include_str!("../scenes/pressed_disks.toml"), &changes)?;
    let mut rest = two_dimensional(run.world()?)?;
    rest.settings.solver.criterion = Criterion::Residual { tolerance: 1e-8 };
    rest.settings.solver.max_sweeps = 100_000;
    rest.step(&mut Silent).map_err(step_failed)?;
    let mut findings = Findings::default();
    growing_force(&rest, &mut findings)?;
    imposed_velocity(bench, &rest, &mut findings)?;
    findings.remark(run.effort());
    Ok(findings)
}

fn growing_force(rest: &World<D2>, findings: &mut Findings) -> Result<(), Failure> {
    let mut loaded = rest.clone();
    for step in 1..=20 {
        for (body, start) in loaded.bodies.iter_mut().zip(&rest.bodies) {
            let (Motion::Driven(now), Motion::Driven(start)) = (&mut body.motion, &start.motion) else { continue };
            for (freedom, start) in now.translation.iter_mut().zip(&start.translation) {
                if let (Freedom::Pressure { pressure, .. }, Freedom::Pressure { pressure: first, .. }) =
                    (freedom, start)
                {
                    *pressure = first.scaled(1.0 + 0.05 * f64::from(step));
                }
            }
        }
        loaded.step(&mut Silent).map_err(step_failed)?;
    }
    let pairs = forces_of_both(rest, &loaded);
    let forces: Vec<f64> = pairs.iter().map(|pair| pair[1]).collect();
    let departure = |doubled: &dyn Fn(usize) -> f64| {
        let off: f64 = pairs.iter().enumerate().map(|(i, pair)| (pair[1] - 2.0 * doubled(i)).abs()).sum();
        off / forces.iter().sum::<f64>()
    };
    let own = departure(&|i| pairs[i][0]);
    let shuffled = departure(&|i| pairs[(i + pairs.len() / 2) % pairs.len()][0]);
    let claim = "P0 §7: under an increasing boundary force the contact forces increase in proportion to it";
    let row = measured("mean departure of forces from twice those before, under twice the load", own).published(0.0);
    let row =
        row.within(0.02, "solved to a residual of 1e-8; what is left is that forces with friction are not unique");
    findings.row(row.claim(claim).null("each contact compared with another", shuffled));
    let moved = (0..rest.bodies.len())
        .map(|body| (loaded.state.position[body] - rest.state.position[body]).length())
        .fold(0.0, f64::max);
    let row = measured("largest displacement in these twenty steps (diameters)", moved).published(0.0);
    let row = row.within(1e-3, "the overlaps and gaps of the packing are of this size");
    let claim = "P0 §7: the packing stays indefinitely in static equilibrium";
    findings.row(row.claim(claim).no_null("the case of imposed velocity is the contrary, and has rows of its own"));
    Ok(())
}

/// The normal forces of the contacts that both packings have.
fn forces_of_both(before: &World<D2>, after: &World<D2>) -> Vec<[f64; 2]> {
    let force = |contact: &riprap_engine::Contact<D2>| contact.impulse.dot(contact.normal);
    let found = before.state.contacts.iter().filter_map(|contact| {
        let same = after.state.contacts.iter().find(|other| other.bodies == contact.bodies)?;
        Some([force(contact), force(same)])
    });
    found.collect()
}

fn imposed_velocity(bench: &Bench, rest: &World<D2>, findings: &mut Findings) -> Result<(), Failure> {
    let mut pushed = rest.clone();
    let mut top = 0;
    let speed = 1e-4;
    for (index, body) in pushed.bodies.iter_mut().enumerate() {
        let Motion::Driven(freedoms) = &mut body.motion else { continue };
        for (axis, freedom) in freedoms.translation.iter_mut().enumerate() {
            if let Freedom::Pressure { .. } = freedom {
                let velocity = if axis == 1 { -speed } else { 0.0 };
                *freedom = Freedom::Velocity(TimeFunction::Constant(velocity));
                top = if axis == 1 { index } else { top };
            }
        }
    }
    pushed.settings.solver.criterion = Criterion::Fixed { sweeps: 50 };
    let mut held = pushed.clone();
    if let Motion::Driven(freedoms) = &mut held.bodies[top].motion {
        freedoms.translation[1] = Freedom::Velocity(TimeFunction::Constant(0.0));
    }
    let steps = 200;
    let (forces, overlaps) = over_time(bench, &mut pushed, top, steps)?;
    let (still, _) = over_time(bench, &mut held, top, steps)?;
    // The second half, in which what the load has left behind no longer matters.
    let growth = |points: &[[f64; 2]]| -> Result<f64, Failure> {
        let late = points[steps / 2..].iter().map(|point| [point[0].ln(), (point[1] - points[0][1]).max(1e-300).ln()]);
        Ok(fit::line(&late.collect::<Vec<_>>())?.slope.value)
    };
    let claim = "P0 §7: under an imposed velocity the contact forces increase proportionally to the displacement and the \
                 particles interpenetrate";
    let reason = "proportional to the displacement, but for what rearranges";
    let null = growth(&still)?;
    let row = measured("exponent of the displacement in the force on the wall", growth(&forces)?).published(1.0);
    findings.row(row.within(0.2, reason).claim(claim).null("the same walls, stopped", null));
    let row = measured("exponent of the displacement in the largest overlap", growth(&overlaps)?).published(1.0);
    let row = row.within(0.3, reason).claim(claim);
    findings.row(row.no_null("an overlap that does not grow has no exponent"));
    findings.chart(
        "imposed-velocity",
        "The force on the wall that is pushed in, and on the same wall stopped, against time.",
        &Chart::new("", Axis::linear("step"), Axis::linear("force"))
            .with(Curve::new(Style::Line, forces).named("pushed in"))
            .with(Curve::new(Style::Dashes, still).named("stopped")),
    );
    Ok(())
}

/// The force on a wall and the largest overlap after each step.
fn over_time(
    bench: &Bench,
    world: &mut World<D2>,
    wall: usize,
    steps: usize,
) -> Result<(Vec<[f64; 2]>, Vec<[f64; 2]>), Failure> {
    let (mut forces, mut overlaps) = (Vec::new(), Vec::new());
    for step in 1..=steps {
        bench.pause()?;
        world.step(&mut Silent).map_err(step_failed)?;
        let of_wall = world.state.contacts.iter().filter(|contact| contact.bodies.contains(&(wall as u32)));
        let force = of_wall.map(|contact| contact.impulse.dot(contact.normal)).sum::<f64>() / world.settings.time_step;
        forces.push([step as f64, force]);
        overlaps.push([step as f64, largest_overlap(world)]);
    }
    Ok((forces, overlaps))
}

fn largest_overlap(world: &World<D2>) -> f64 {
    world.state.contacts.iter().map(|contact| -contact.gap).fold(0.0, f64::max)
}

/// What a fall leaves behind.
struct Fallen {
    /// The largest force of a contact in any step.
    impact: f64,
    /// The largest force of a contact at the end.
    rest: f64,
    /// The mean overlap of bearing contacts at the end, in radii.
    overlap: f64,
}

fn time_step(bench: &mut Bench) -> Result<Findings, Failure> {
    let steps: &[f64] = bench.choose(&[4e-3, 2e-3, 1e-3, 5e-4], &[4e-3, 2e-3, 1e-3, 5e-4, 2.5e-4, 1.25e-4]);
    let by_step: Result<Vec<Fallen>, Failure> = steps.iter().map(|&step| fall(bench, step, 1e-6)).collect();
    let by_step = by_step?;
    let residuals = [1e-2, 1e-3, 1e-4, 1e-5];
    let by_residual: Result<Vec<Fallen>, Failure> =
        residuals.iter().map(|&residual| fall(bench, 1e-3, residual)).collect();
    let by_residual = by_residual?;
    let curve = |at: &[f64], of: &[Fallen], get: fn(&Fallen) -> f64| -> Vec<[f64; 2]> {
        at.iter().zip(of).map(|(&at, fallen)| [at, get(fallen)]).collect()
    };
    let exponent = |points: &[[f64; 2]]| -> Result<f64, Failure> {
        Ok(fit::line(&points.iter().map(|point| point.map(f64::ln)).collect::<Vec<_>>())?.slope.value)
    };
    let backwards = "the same numbers in reverse order";
    let mut findings = Findings::default();
    let impact = curve(steps, &by_step, |fallen| fallen.impact);
    let row = measured("exponent of δt in the largest force of the fall", exponent(&impact)?).published(-1.0);
    let row = row.within(0.25, "the impulse of an impact, over δt; which impact is the largest depends on chance");
    let claim = "P0 (13): the force is coarse-grained over δt, in dynamic transients the value of δt matters";
    findings.row(row.claim(claim).null(backwards, exponent(&reversed(&impact))?));
    let at_rest = curve(steps, &by_step, |fallen| fallen.rest);
    let row = measured("exponent of δt in the largest force at rest", exponent(&at_rest)?).published(0.0);
    let row = row.within(0.1, "the disks do not come to rest in the same places");
    let claim = "P0 (13): in quasi-static states the value of δt has a negligible effect on the forces";
    findings.row(row.claim(claim).null("the largest force of the fall", exponent(&impact)?));
    let overlap = curve(steps, &by_step, |fallen| fallen.overlap);
    let row = measured("exponent of δt in the overlap at rest", exponent(&overlap)?).published("overlaps limit δt");
    let row = row.between(0.5, 3.0, "between the square root and the third power; overlaps that fall with δt");
    let claim = "P0: the real limit on the time step are excess overlaps; P3: the interpenetration falls with the step";
    findings.row(row.claim(claim).null(backwards, exponent(&reversed(&overlap))?));
    let sharper = curve(&residuals, &by_residual, |fallen| fallen.overlap);
    let ratio = sharper[0][1] / sharper[residuals.len() - 1][1];
    let row =
        measured("overlap at a residual of 1e-2 over that at 1e-5", ratio).published("imprecision leads to overlaps");
    let row = row.between(1.1, f64::INFINITY, "a tenth more");
    let claim = "P0: the numerical imprecision of velocities may lead to overlaps";
    findings.row(row.claim(claim).null(backwards, 1.0 / ratio));
    findings.chart(
        "overlap",
        "Mean overlap at rest against the time step.",
        &Chart::new("", Axis::log("time step (s)"), Axis::log("overlap (radii)"))
            .with(Curve::new(Style::Points, overlap).named("ours")),
    );
    Ok(findings)
}

/// Lets the disks fall and come to rest.
fn fall(bench: &Bench, time_step: f64, residual: f64) -> Result<Fallen, Failure> {
    let step = time_step.to_string();
    let criterion = format!("{{ residual = {residual:e} }}");
    let changes = [("solver.time_step", step.as_str()), ("solver.criterion", &criterion)];
    let mut world = two_dimensional(bench.world(include_str!("../scenes/falling_disks.toml"), &changes)?)?;
    let mut impact = 0.0;
    let mut rest = 0.0;
    for _ in 0..(2.0 / time_step) as usize {
        bench.pause()?;
        world.step(&mut Silent).map_err(step_failed)?;
        rest = world.state.contacts.iter().map(|contact| contact.impulse.length()).fold(0.0, f64::max) / time_step;
        impact = f64::max(impact, rest);
    }
    let bearing = world.state.contacts.iter().filter(|contact| contact.impulse.length() > 0.0);
    let overlaps: Vec<f64> = bearing.map(|contact| -contact.gap / 0.09).collect();
    Ok(Fallen { impact, rest, overlap: overlaps.iter().sum::<f64>() / overlaps.len() as f64 })
}
