//! What the order of updates does to the forces (P1, equations 38 to 46, and what P1 and P2 say of parallel updates).

use crate::failure::Failure;
use crate::reproduce::bench::{Bench, step_failed};
use crate::reproduce::case::{Case, Cost, Findings};
use crate::reproduce::cases::chain::{CHAIN_SCENE, GRAINS};
use crate::reproduce::cases::iterations::{PRESSED_DISKS, at_rest};
use crate::reproduce::row::{Estimate, measured, short};
use rand::RngExt;
use rand_pcg::Pcg64;
use riprap_engine::{AnyWorld, Criterion, D2, Dim, Silent, SweepOrder, World, sweep_diffusivity};
use riprap_measure::fit;
use riprap_measure::plot::{Axis, Chart, Curve, Style};

/// Random, ordered and parallel updates.
pub const ORDER: Case = Case {
    name: "sweep-order",
    title: "Updates in random order, one after the other, and all at once",
    source: "T. Unger, J. Kertész 2003 (P1), equations 38 to 47; L. Brendel, T. Unger, D. E. Wolf 2004 (P2), section 1.5",
    about: "A load is put on one end of a chain of 50 disks, and the forces are looked at after a number of sweeps of one \
            step. They have then diffused a distance S = Σ f/F into the chain, with S + ½ = √(4 q N_I/π) for the diffusion \
            constant q d² per sweep. In a packing of disks without load, whose walls are held, random forces are updated \
            without friction, one contact after the other or all at once.",
    cost: Cost { quick_s: 3.0, full_s: 8.0 },
    run,
};

fn run(bench: &mut Bench) -> Result<Findings, Failure> {
    let mut findings = Findings::default();
    diffusion(bench, &mut findings)?;
    bias(bench, &mut findings)?;
    parallel(bench, &mut findings)?;
    Ok(findings)
}

/// The loaded end of the chain.
#[derive(Clone, Copy)]
enum End {
    First,
    Last,
}

/// How far a load has come: the sum of all contact forces over it, after so many sweeps of one step.
fn reach(bench: &Bench, end: End, order: SweepOrder, sweeps: u32, seed: u32) -> Result<f64, Failure> {
    let (grain, force) = match end {
        End::First => ("0", "[1, 0]"),
        End::Last => ("49", "[-1, 0]"),
    };
    // Away from the wall, so that both ends are alike.
    let changes = [("loads.0.grain", grain), ("loads.0.force", force), ("seed", &seed.to_string())];
    let AnyWorld::D2(mut world) = bench.world(CHAIN_SCENE, &changes)? else { return Ok(f64::NAN) };
    world.settings.solver.order = order;
    world.settings.solver.criterion = Criterion::Fixed { sweeps };
    world.step(&mut Silent).map_err(step_failed)?;
    Ok(world.state.contacts.iter().map(|contact| contact.impulse.length()).sum::<f64>() / world.settings.time_step)
}

fn diffusion(bench: &Bench, findings: &mut Findings) -> Result<(), Failure> {
    let marks = [16_u32, 36, 64, 100, 144, 196];
    let seeds = bench.choose(10, 50);
    let mut points = Vec::new();
    for sweeps in marks {
        bench.pause()?;
        let mean = (1..=seeds).map(|seed| reach(bench, End::Last, SweepOrder::Random, sweeps, seed));
        points.push([f64::from(sweeps).sqrt(), mean.sum::<Result<f64, Failure>>()? / f64::from(seeds)]);
    }
    let of_slope = |slope: f64| 0.25 * std::f64::consts::PI * slope * slope;
    let line = fit::line(&points)?.slope;
    let q = Estimate {
        value: of_slope(line.value),
        uncertainty: Some(0.5 * std::f64::consts::PI * line.value * line.uncertainty),
    };
    // The update (38) of all contacts at once, with the loaded end as a boundary.
    let at_once: Vec<[f64; 2]> = marks
        .into_iter()
        .map(|sweeps| [f64::from(sweeps).sqrt(), averaged(sweeps).iter().skip(1).sum::<f64>()])
        .collect();
    let half = of_slope(fit::line(&at_once)?.slope.value);
    let reason = "the forces of single seeds scatter, and the chain is short: 3 %";
    let row = measured("q of sweeps in random order", q).published(sweep_diffusivity()).within_part(0.03, reason);
    findings.row(row.claim("P1 (46): q = (4√e − 5)/2").null("all contacts at once, q = ½", half));
    let row = measured("q of updates (38) of all contacts at once", half).published(0.5).within_part(0.03, reason);
    let row = row.closed_form();
    findings.row(row.claim("P1 (45): \"q = 1/2 corresponds to a parallel update\"; computed outside of the solver"));
    findings.chart(
        "reach",
        "Sum of the contact forces over the load after N_I sweeps.",
        &Chart::new("", Axis::linear("√N_{I}"), Axis::linear("Σ f/F"))
            .with(Curve::new(Style::Points, points).named("random order"))
            .with(Curve::new(Style::OpenPoints, at_once).named("all at once")),
    );
    Ok(())
}

/// The forces after so many parallel updates (38) of a chain with the force 1 at its first place.
fn averaged(sweeps: u32) -> Vec<f64> {
    let mut forces = vec![0.0; GRAINS + 1];
    forces[0] = 1.0;
    for _ in 0..sweeps {
        let before = forces.clone();
        for place in 1..GRAINS {
            forces[place] = 0.5 * (before[place - 1] + before[place + 1]);
        }
    }
    forces
}

fn bias(bench: &Bench, findings: &mut Findings) -> Result<(), Failure> {
    const FEW: u32 = 10;
    let seeds = bench.choose(10, 50);
    let ratio = |order: SweepOrder| -> Result<f64, Failure> {
        let mut sums = [0.0; 2];
        for seed in 1..=seeds {
            for (sum, end) in sums.iter_mut().zip([End::First, End::Last]) {
                *sum += reach(bench, end, order, FEW, seed)?;
            }
        }
        Ok(sums[0] / sums[1])
    };
    let [random, sequential, spatial] =
        [ratio(SweepOrder::Random)?, ratio(SweepOrder::Sequential)?, ratio(SweepOrder::Spatial)?];
    let row = measured(
        "reach of a load on the first disk over that on the last, ten sweeps in the order of the chain",
        sequential,
    );
    let row =
        row.published("information passes faster along the order").at_least(1.1, "twice what random order may have");
    let row = row.revised("the range, from at least 1.5, which no estimate supported");
    let row =
        row.claim("P2 §1.5: if the order was from top to bottom, information would pass faster downwards than upwards");
    findings.row(row.null("random order", random));
    let row = measured("the same ratio, ten sweeps in random order", random).published(1.0);
    let row = row.within(0.05, "means over seeds, which scatter by a few per cent");
    let row = row.claim("P1 §3: random sweeps \"avoid any bias in the information spreading\"");
    findings.row(row.null("sweeps in the order of the chain", sequential));
    findings.remark(format!(
        "In spatial order, the default, the ratio is {}: blocks of contacts are visited one after the other, so a few sweeps \
         have a direction there too. A solve that ends by its residual does not depend on it.",
        short(spatial)
    ));
    Ok(())
}

fn parallel(bench: &mut Bench, findings: &mut Findings) -> Result<(), Failure> {
    let AnyWorld::D2(world) = at_rest(bench, PRESSED_DISKS, 2, 225, 1)? else { return Ok(()) };
    let at_once = growth(&world, true);
    let in_turn = growth(&world, false);
    let row = measured("growth of the forces in a sweep, all contacts at once", at_once).published("unstable");
    let row = row.at_least(1.0 + 1e-3, "forces that grow in every sweep diverge; without a load they must vanish");
    let row = row.claim("P1 §3, P2 §1.5: \"a simple parallel update would be unstable\"; computed outside of the solver, which has no such update");
    findings.row(row.null("one contact after the other", in_turn));
    Ok(())
}

/// The mean factor of the normal forces in a sweep, over the last ten of forty, from random forces without a load, between walls
/// that are held, and without friction.
fn growth(world: &World<D2>, at_once: bool) -> f64 {
    let contacts = &world.state.contacts;
    let inverse = |body: u32| {
        let body = &world.bodies[body as usize];
        if body.is_free() { 1.0 / body.mass } else { 0.0 }
    };
    let mut random = Pcg64::new(1, 29);
    let mut impulses: Vec<f64> = contacts.iter().map(|_| random.random::<f64>()).collect();
    let mut velocities = vec![<D2 as Dim>::Vector::ZERO; world.bodies.len()];
    let give = |velocities: &mut [<D2 as Dim>::Vector], index: usize, impulse: f64| {
        let contact = &contacts[index];
        for (body, sign) in contact.bodies.into_iter().zip([-1.0, 1.0]) {
            velocities[body as usize] += contact.normal * (sign * impulse * inverse(body));
        }
    };
    impulses.iter().enumerate().for_each(|(index, &impulse)| give(&mut velocities, index, impulse));
    let size = |impulses: &[f64]| impulses.iter().map(|impulse| impulse * impulse).sum::<f64>().sqrt();
    let mut before = 0.0;
    for sweep in 0..40 {
        if sweep == 30 {
            before = size(&impulses);
        }
        let mut changes = vec![0.0; impulses.len()];
        for (index, contact) in contacts.iter().enumerate() {
            let [first, second] = contact.bodies;
            let opening = (velocities[second as usize] - velocities[first as usize]).dot(contact.normal);
            let impulse = (impulses[index] - opening / (inverse(first) + inverse(second))).max(0.0);
            changes[index] = impulse - impulses[index];
            if !at_once {
                impulses[index] = impulse;
                give(&mut velocities, index, changes[index]);
            }
        }
        if at_once {
            for (index, change) in changes.into_iter().enumerate() {
                impulses[index] += change;
                give(&mut velocities, index, change);
            }
        }
    }
    (size(&impulses) / before).powf(0.1)
}
