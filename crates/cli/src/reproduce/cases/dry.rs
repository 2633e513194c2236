//! Forces in dry packings of rigid spheres and polyhedra (P4, samples S1 to S3), all prepared alike, and whether what is read
//! off them depends on how they are solved.

use crate::failure::Failure;
use crate::reproduce::bench::{Bench, Run, packing, step_failed, three_dimensional};
use crate::reproduce::case::{Case, Cost, Findings};
use crate::reproduce::cases::isotropic::held;
use crate::reproduce::cases::iterations::stretch_step;
use crate::reproduce::cases::richefeu::{
    SLOPE_PRECISION, at_zero, by_start, chart, exponential, network, over_mean, tail,
};
use crate::reproduce::row::{Estimate, Row, measured, short};
use riprap_engine::{Criterion, D3, GapVariant, PairLaw, Scheme, Silent, Solver, SweepOrder, World};
use riprap_measure::{Component, ForceDistribution, Packing, force_balance, forces, solid_fraction, stress};

/// Samples S1 and S2.
pub const TAIL_SPHERES: Case = Case {
    name: "force-tail-spheres",
    title: "Distribution of forces in spheres, at rest and under triaxial load",
    source: "V. Richefeu, M. S. El Youssoufi, E. Azéma, F. Radjai 2009 (P4), samples S1 and S2, figs. 2 and 3",
    about: "Spheres with a size ratio of 2 in a periodic cell, so that no contact is with a wall, are compressed without \
            friction by the same pressure along all axes until they are at rest; a friction of 0.4 is then added, and \
            the forces are read after 50 more steps (S1; 20,000 in the source and at full size, 2,500 quick). All dry \
            samples by contact dynamics are prepared like this. Then the cell of another such sample (8,000; 1,000 quick) \
            is shortened along z at a constant rate and a constant lateral pressure (S2); the forces are read at strains of \
            0.1 to 0.16. β is a \
            maximum-likelihood fit to forces above twice the mean.",
    cost: Cost { quick_s: 90.0, full_s: 2500.0 },
    run: spheres,
};

/// Sample S3.
pub const POLYHEDRA: Case = Case {
    name: "force-tail-polyhedra",
    title: "Distribution of forces in polyhedra",
    source: "V. Richefeu, M. S. El Youssoufi, E. Azéma, F. Radjai 2009 (P4), sample S3, fig. 4",
    about: "Random convex polyhedra with 8 to 16 corners and a size ratio of 2, prepared as the spheres of \
            force-tail-spheres: compressed without friction to rest, then with a friction of 0.4 (20,000 in the source \
            and at full size, 500 quick). The forces of a pair are summed over its contact points.",
    cost: Cost { quick_s: 85.0, full_s: 5000.0 },
    run: polyhedra,
};

/// What the solution depends on.
pub const STATIONARY: Case = Case {
    name: "force-tail-stationary",
    title: "How far the exponent of a packing at rest depends on how it is solved",
    source: "V. Richefeu, M. S. El Youssoufi, E. Azéma, F. Radjai 2009 (P4), section 2: \"the set of admissible solutions \
             shrinks to a small variability\"",
    about: "Sample S1 (1,000 spheres quick, 4,000 at full size) at rest without friction is given its friction of 0.4 in \
            several ways: with a residual ten times larger and ten times smaller, after fewer and more steps, with steps \
            of half and of ten times the length, with overlaps kept, corrected or relaxed, by plain Gauss–Seidel sweeps, \
            from no forces at all, and from random ones. The same is done without friction, where the packing is \
            isostatic and its forces are unique. Of each, β is shown.",
    cost: Cost { quick_s: 130.0, full_s: 800.0 },
    run: stationary,
};

/// The head of their scenes, to the rest without friction.
pub(super) const DRY: &str = include_str!("../scenes/dry.toml");
/// What follows: friction.
pub(super) const DRY_REST: &str = include_str!("../scenes/dry-rest.toml");
const TRIAXIAL: &str = include_str!("../scenes/dry-triaxial.toml");

/// So many grains, which fill three tenths of their cell at first.
fn sized(count: u32) -> Vec<(&'static str, String)> {
    // The mean volume of spheres whose radii are uniform by volume between 0.5 and 1 is 4π/9.
    let side = (f64::from(count) * 1.396 / 0.3).cbrt().to_string();
    let period = format!("{{ x = {side}, y = {side}, z = {side} }}");
    vec![("grains.0.count", count.to_string()), ("domain.periodic", period)]
}

fn spheres(bench: &mut Bench) -> Result<Findings, Failure> {
    let run = bench.run("isotropic", &format!("{DRY}{DRY_REST}"), &sized(bench.choose(2500, 20_000)))?;
    let mut changes = sized(bench.choose(1000, 8000));
    changes.push(("outputs.snapshot_interval", "10".to_owned()));
    let sheared = bench.run("sheared", &format!("{DRY}{DRY_REST}{TRIAXIAL}"), &changes)?;
    let mut findings = Findings::default();
    let isotropic = run.at_end_of("rest")?;
    let [smooth, rest] = [distribution_of(&run.at_end_of("smooth")?)?, distribution_of(&isotropic)?];
    proof_of_rest(&mut findings, &run, "S1")?;
    of_isotropic(&mut findings, &rest)?;
    let shear =
        sheared_rows(&mut findings, &distribution_of(&sheared.at_end_of("rest")?)?, &sheared_states(&sheared)?)?;
    findings.row(balance(&isotropic)?);
    chart(&mut findings, &[("isotropic", &rest), ("sheared", &shear)], 1.4, "⟨f⟩");
    by_start(&mut findings, &rest, "S1");
    by_start(&mut findings, &shear, "S2");
    findings.remark(format!(
        "S1: solid fraction {:.3}, largest density at {:.2} of the mean; β is {} before friction is added and {} after.",
        solid_fraction(&isotropic, None)?,
        rest.peak.bin.centre(),
        exponent(&smooth),
        exponent(&rest)
    ));
    findings.remark(PREPARATION);
    let mut changes = sized(bench.choose(1000, 8000));
    changes.push(("materials.grain.friction", "0.4".to_owned()));
    let with_friction = bench.run("made-with-friction", &format!("{DRY}{DRY_REST}"), &changes)?;
    findings.remark(format!(
        "Spheres compacted with friction from the start: β = {}; {}.",
        exponent(&distribution_of(&with_friction.at_end_of("rest")?)?),
        with_friction.effort()
    ));
    network(&mut findings, &isotropic, "Forces of S1 in a slice three diameters thick.")?;
    findings.remark(format!("S1: {}. S2: {}.", run.effort(), sheared.effort()));
    Ok(findings)
}

fn balance(packing: &Packing) -> Result<Row, Failure> {
    let row = measured("pressure over that imposed", stress(packing, None)?.pressure()).published(1.0);
    Ok(row.within(0.01, "the contact stress equals the pressure on the cell").consistency())
}

/// The preparation, as far as the source states it.
const PREPARATION: &str = "The source says that its samples were \"prepared by isotropic compaction\", and that μ = 0.4 \"for \
                           all simulations\"; it does not say whether friction acts during the compaction, nor what the \
                           boundaries are. Here it does not act, for spheres and polyhedra alike: the frictionless packing \
                           at rest is a state that can be proved, as spheres then have no more contacts than they need. \
                           Friction that is added at rest leaves the forces as they are. Packings that are compacted with \
                           friction depend on how fast they are compacted.";

/// What the source says of S1.
fn of_isotropic(findings: &mut Findings, rest: &ForceDistribution) -> Result<(), Failure> {
    tail(findings, "β of S1, isotropic", rest, 1.4)?;
    exponential(findings, "S1", rest);
    let row = measured("share of forces below the mean, S1", rest.below_mean[0]).published("more than 0.6");
    let row = row
        .at_least(0.6, "as published")
        .revised(LEFT_OUT)
        .claim("P4 §3: \"a fraction of more than 60 % of contact forces\"");
    findings.row(row.null("forces spread symmetrically about their mean", 0.5));
    let row = measured("largest density of S1 over that at zero", rest.peak.over_zero).published("a small peak");
    let row = row.at_least(1.1, PEAK_SCATTER).revised(format!("added after it had been seen to fail; {LEFT_OUT}"));
    let row = row.claim("P4 fig. 2: \"a small peak for a force slightly below the average force\"");
    findings.row(row.null("an exponential", 1.0));
    let row =
        measured("place of the largest density of S1 (⟨f⟩)", rest.peak.bin.centre()).published("slightly below 1");
    let row = row.between(0.3, 1.0, "below the mean, and not at zero").claim("P4 fig. 2");
    findings.row(row.null("an exponential, largest at zero", 0.0));
    let row = measured("density of S1 at zero force (1/⟨f⟩)", at_zero(rest)).published("finite");
    let row =
        row.between(0.1, 2.0, "neither vanishing nor divergent").claim("P4 fig. 2: \"a finite value at zero force\"");
    findings.row(row.null("a density that vanishes at zero", 0.0));
    Ok(())
}

/// What all rows of these distributions owe to choices.
const LEFT_OUT: &str = "forces below a thousandth of the mean, which are left out";

const PEAK_SCATTER: &str = "bins at the peak and at zero hold a few hundred forces each, and scatter by 5 %";

/// The packings of the sheared state.
fn sheared_states(run: &Run) -> Result<Vec<Packing>, Failure> {
    let series = run.series()?.of("shear");
    let time = series.column("time_s");
    let (Some(first), Some(last)) = (time.first(), time.last()) else { return Ok(Vec::new()) };
    // From a strain of 0.1 to 0.16.
    let from = first + 0.62 * (last - first);
    let mut packings = Vec::new();
    for path in run.snapshots()? {
        let packing = packing(&path)?;
        if packing.time >= from {
            packings.push(packing);
        }
    }
    Ok(packings)
}

/// What the source says of S2, beside S1; returns the distribution of all sheared states together.
fn sheared_rows(
    findings: &mut Findings,
    rest: &ForceDistribution,
    packings: &[Packing],
) -> Result<ForceDistribution, Failure> {
    let mut all = Vec::new();
    let (mut slopes, mut ratios) = (Vec::new(), Vec::new());
    for packing in packings {
        // Each in units of its own mean.
        let forces = forces(packing, None, Component::Normal)?;
        let mean = forces.iter().sum::<f64>() / forces.len() as f64;
        all.extend(forces.iter().map(|force| force / mean));
        slopes.push(distribution_of(packing)?.tail?.value);
        let stress = stress(packing, None)?;
        ratios.push(stress.deviator() / stress.pressure());
    }
    let shear = over_mean(&all)?;
    let row = measured("β of S2, sheared", Estimate::mean(&slopes)).published(1.4).within(0.15, SLOPE_PRECISION);
    let row = row.revised("the start of the fit at twice the mean; the forces, which were those of one state");
    findings.row(row.claim("P4 (9): β \"remains nearly unchanged\"").null("an exponential from zero on", 1.0));
    exponential(findings, "S2", &shear);
    let row = measured("largest density of S2 over that at zero", shear.peak.over_zero).published("the peak is gone");
    let row = row.at_most(1.15, PEAK_SCATTER).claim("P4 fig. 3: \"the small peak near the average force disappears\"");
    findings.row(row.null("S1", rest.peak.over_zero));
    let reason = "more by more than the scatter of the counts";
    let more = "P4 §3: shear acts \"by increasing the relative densities of both strong and weak forces\"";
    let row =
        measured("forces below a fifth of the mean, S2 over S1", part(&shear, [0.0, 0.2]) / part(rest, [0.0, 0.2]));
    let row = row.published("more").at_least(1.1, reason).revised("added").claim(more);
    findings.row(row.null("S1 itself", 1.0));
    let strong = [3.0, f64::INFINITY];
    let row = measured("forces above three times the mean, S2 over S1", part(&shear, strong) / part(rest, strong));
    let row = row.published("more").at_least(1.1, reason).revised("added").claim(more);
    findings.row(row.null("S1 itself", 1.0));
    let even = |found: &ForceDistribution| part(found, [0.0, 0.4]) / part(found, [0.4, 0.8]);
    let row = measured("forces below 0.4 of the mean over those from 0.4 to 0.8, S2", even(&shear)).published(1.0);
    let row = row.within(0.15, "\"nearly\"; an exponential with β = 1.4 gives 1.75").revised("added");
    let row = row.claim("P4 fig. 3: \"the distribution of weak forces tends to become nearly uniform\"");
    findings.row(row.null("S1", even(rest)));
    let ratio = Estimate::mean(&ratios);
    findings.remark(format!(
        "S2: {} states at strains of 0.1 to 0.16, q/p = {:.2}; β of each: {}.",
        packings.len(),
        ratio.value,
        slopes.iter().map(|&slope| short(slope)).collect::<Vec<_>>().join(", ")
    ));
    Ok(shear)
}

/// The share of the forces in a range of their mean, from the density in bins.
fn part(found: &ForceDistribution, [low, high]: [f64; 2]) -> f64 {
    let inside = found.density.iter().filter(|bin| bin.low > low - 1e-9 && bin.high < high + 1e-9);
    inside.map(|bin| bin.count as f64).sum::<f64>() / found.count as f64
}

fn polyhedra(bench: &mut Bench) -> Result<Findings, Failure> {
    let mut changes = sized(bench.choose(500, 20_000));
    changes.push(("grains.0.shape", "{ random_polyhedron = { vertices = 8, vertices_max = 16 } }".to_owned()));
    // Faces on faces have many solutions, and a sharp solve takes long.
    changes.extend(
        [("stages.2.solver.criterion.residual", "1e-4"), ("stages.3.solver.criterion.residual", "1e-4")].map(own),
    );
    let run = bench.run("polyhedra", &format!("{DRY}{DRY_REST}"), &changes)?;
    let packing = run.at_end_of("rest")?;
    let [smooth, found] = [distribution_of(&run.at_end_of("smooth")?)?, distribution_of(&packing)?];
    let mut findings = Findings::default();
    proof_of_rest(&mut findings, &run, "S3")?;
    tail(&mut findings, "β of S3", &found, 0.97)?;
    exponential(&mut findings, "S3", &found);
    let row = measured("exponent of weak forces", found.weak.clone()?).published("a decreasing power law");
    let row = row.between(-1.0, -0.05, "decreasing and normalizable").null("an even density", 0.0);
    findings.row(row.claim("P4 fig. 4: \"a decreasing power law distribution for weak forces\""));
    let half = found.density.iter().find(|bin| bin.low > 0.39).map_or(f64::NAN, |bin| bin.density);
    let row = measured("density at zero force over that at about half of the mean", at_zero(&found) / half);
    let row = row.published("practically divergent").at_least(2.0, "more than an exponential has").revised("added");
    let row = row.claim("P4 §6: \"the practically divergent pdf of weak forces at zero force\"");
    findings.row(row.null("an exponential with β = 0.97", (0.97_f64 * 0.4).exp()));
    findings.row(balance(&packing)?);
    chart(&mut findings, &[("polyhedra", &found)], 0.97, "⟨f⟩");
    by_start(&mut findings, &found, "S3");
    network(&mut findings, &packing, "Forces in a slice three diameters thick.")?;
    findings.remark(format!("β is {} before friction is added.", exponent(&smooth)));
    findings.remark(PREPARATION);
    findings.remark(
        "The source does not describe the shape of its polyhedra either. Of 1,500 compacted with friction, those with \
         8 to 16 corners gave 0.66 ± 0.03 and those with 20 to 30 corners 0.70 ± 0.04: shape matters less than \
         preparation.",
    );
    findings.remark(format!("The run: {}.", run.effort()));
    Ok(findings)
}

fn own((key, value): (&'static str, &str)) -> (&'static str, String) {
    (key, value.to_owned())
}

/// Whether a packing was at rest before friction was added, and what it was solved with.
fn proof_of_rest(findings: &mut Findings, run: &Run, sample: &str) -> Result<(), Failure> {
    let smooth = run.at_end_of("smooth")?;
    let (grains, contacts) = held(&smooth, "0");
    let coordination = 2.0 * contacts as f64 / grains as f64;
    let unbalanced = |stage: &str| -> Result<f64, Failure> {
        let series = run.series()?.of(stage);
        Ok(series.column("unbalanced_force_over_contact_force").last().copied().unwrap_or(f64::NAN))
    };
    let row = measured(
        format!("unbalanced force over the mean contact force, {sample} before friction"),
        unbalanced("smooth")?,
    );
    let row = row.published("at rest").at_most(5e-3, "forces below this share of the mean are not read");
    findings.row(row.consistency());
    if sample == "S1" {
        let row = measured("contacts per held grain before friction", coordination).published(6.0);
        let row = row.within(0.1, "isostatic: each redundant or missing contact changes it by 2/N").closed_form();
        findings.row(row.claim("three equations of force per grain, one unknown per contact"));
    }
    findings.remark(format!(
        "{sample}: {coordination:.3} contacts per held grain before friction is added ({} are not held). Mean unbalanced \
         force over the mean contact force: {:.1e} then, {:.1e} when the forces are read. Overlaps are kept; there are no \
         walls; the solver is the default.",
        smooth.grains.len() - grains,
        unbalanced("smooth")?,
        unbalanced("rest")?
    ));
    Ok(())
}

/// How a packing is brought to rest once friction acts.
#[derive(Clone, Copy)]
struct Rest {
    steps: u32,
    /// Over that of the scene.
    time_step: f64,
    residual: f64,
    gap: GapVariant,
    solver: Solver,
    start: FirstForces,
}

/// The forces that the first step starts from.
#[derive(Clone, Copy, PartialEq)]
enum FirstForces {
    Before,
    Nothing,
    Random,
}

const REFERENCE: Rest = Rest {
    steps: 50,
    time_step: 1.0,
    residual: 1e-5,
    gap: GapVariant::Keep,
    solver: Solver::Auto,
    start: FirstForces::Before,
};

fn stationary(bench: &mut Bench) -> Result<Findings, Failure> {
    let run = bench.run("smooth", DRY, &sized(bench.choose(1000, 4000)))?;
    let mut smooth = three_dimensional(run.world()?)?;
    // The step of the scene's later stage is ten times that in which friction is added.
    stretch_step(&mut smooth, 0.1);
    let variants = [
        ("reference: 50 steps, residual 1e-5, overlaps kept", REFERENCE),
        ("residual 1e-4", Rest { residual: 1e-4, ..REFERENCE }),
        ("residual 1e-6", Rest { residual: 1e-6, ..REFERENCE }),
        ("10 steps", Rest { steps: 10, ..REFERENCE }),
        ("200 steps", Rest { steps: 200, ..REFERENCE }),
        ("steps of half the length", Rest { time_step: 0.5, steps: 100, ..REFERENCE }),
        ("steps of ten times the length", Rest { time_step: 10.0, ..REFERENCE }),
        (
            "plain Gauss–Seidel, residual 1e-4, 20 steps",
            Rest { solver: Solver::GaussSeidel, residual: 1e-4, steps: 20, ..REFERENCE },
        ),
        ("overlaps relaxed", Rest { gap: GapVariant::Relax, ..REFERENCE }),
        ("overlaps corrected", Rest { gap: GapVariant::Correct, ..REFERENCE }),
        ("from no forces", Rest { start: FirstForces::Nothing, ..REFERENCE }),
        ("from random forces", Rest { start: FirstForces::Random, ..REFERENCE }),
    ];
    let mut findings = Findings::default();
    let mut spread = Vec::new();
    for (friction, word) in [(0.4, "with friction"), (0.0, "without friction")] {
        let mut slopes = Vec::new();
        // Without friction nothing is to be decided over time.
        for (name, rest) in variants.into_iter().filter(|(_, rest)| friction > 0.0 || rest.steps == REFERENCE.steps) {
            bench.pause()?;
            let world = at_rest(&smooth, friction, rest)?;
            let found = distribution_of(&Packing::of(&world))?;
            let slope = found.tail.clone()?;
            findings.remark(format!(
                "{word}, {name}: β = {}; {} contacts, {:.3} of the forces below the mean, unbalanced force {:.1e} of the \
                 mean contact force.",
                exponent(&found),
                found.count,
                found.below_mean[0],
                force_balance(&world).over_contact_force().map_or(f64::NAN, |[mean, _]| mean),
            ));
            slopes.push((rest, slope));
        }
        spread.push(slopes);
    }
    // What a number that is read off a packing at rest must not depend on, and what another solution is.
    let numerical = |rest: &Rest| rest.gap == GapVariant::Keep && rest.start == FirstForces::Before;
    let furthest = |slopes: &[(Rest, riprap_measure::Fit)], keeps: &dyn Fn(&Rest) -> bool| {
        let reference = slopes[0].1.value;
        let chosen = slopes.iter().filter(|(rest, _)| keeps(rest));
        chosen.map(|(_, slope)| (slope.value - reference).abs()).fold(0.0, f64::max)
    };
    let error = spread[0][0].1.uncertainty;
    let any = |_: &Rest| true;
    let reason = "the precision of the published slope";
    let row = measured(
        "largest difference of β by residual, number and length of steps, and solver",
        furthest(&spread[0], &numerical),
    );
    findings.row(row.published(0.0).at_most(0.15, reason).consistency().claim("the number read is stationary"));
    let others = |rest: &Rest| rest.gap != GapVariant::Keep;
    let row = measured("largest difference of β by the treatment of overlaps", furthest(&spread[0], &others));
    findings.row(row.published(0.0).at_most(0.15, reason).consistency());
    let row = measured("difference of β if each step does not start from the forces before", {
        furthest(&spread[0], &|rest: &Rest| rest.start != FirstForces::Before)
    });
    let row = row.published("other solutions").at_least(2.0 * error, "two errors of the fit of one packing");
    let row = row
        .claim("P4 §2: the solution is not unique, but steps that start from the forces of the one before select one");
    findings.row(
        row.null(
            "steps that do, by residual, number and length of steps, and solver",
            furthest(&spread[0], &numerical),
        ),
    );
    let row = measured("largest difference of β without friction, by any of these", furthest(&spread[1], &any));
    findings.row(row.published(0.0).at_most(0.15, "isostatic: the forces are unique").consistency());
    findings.remark(format!("One error of the fit is {}.", short(error)));
    Ok(findings)
}

fn at_rest(smooth: &World<D3>, friction: f64, rest: Rest) -> Result<World<D3>, Failure> {
    let mut world = smooth.clone();
    stretch_step(&mut world, rest.time_step);
    let kinds = world.materials.names().len() as u16;
    for (a, b) in (0..kinds).flat_map(|a| (0..kinds).map(move |b| (a, b))) {
        world.materials.set_pair(a, b, PairLaw::frictional(friction));
    }
    world.settings.scheme = Scheme::Euler { gap: rest.gap };
    let options = &mut world.settings.solver;
    options.solver = rest.solver;
    options.criterion = Criterion::Residual { tolerance: rest.residual };
    options.max_sweeps = 50_000;
    if rest.solver == Solver::GaussSeidel {
        options.order = SweepOrder::Random;
    }
    match rest.start {
        FirstForces::Before => (),
        FirstForces::Nothing => world.settings.solver.warm_start = false,
        FirstForces::Random => scatter(&mut world),
    }
    for _ in 0..rest.steps {
        world.step(&mut Silent).map_err(step_failed)?;
    }
    Ok(world)
}

/// Gives each contact the impulse of another, along its own normal.
fn scatter(world: &mut World<D3>) {
    let impulses: Vec<f64> = world.state.contacts.iter().map(|contact| contact.impulse.length()).collect();
    let half = impulses.len() / 2;
    for (k, contact) in world.state.contacts.iter_mut().enumerate() {
        contact.impulse = contact.normal * impulses[(k + half) % impulses.len()];
    }
}

/// β with its error.
fn exponent(found: &ForceDistribution) -> String {
    found.tail.as_ref().map_or("unknown".to_owned(), |fit| format!("{:.3} ± {:.3}", fit.value, fit.uncertainty))
}

/// The normal forces of a packing over their mean.
fn distribution_of(packing: &Packing) -> Result<ForceDistribution, Failure> {
    over_mean(&forces(packing, None, Component::Normal)?)
}
