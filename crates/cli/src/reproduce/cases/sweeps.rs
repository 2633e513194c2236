//! In which order contacts are updated, and what a parallel update does (P1, section on the iterative solver).

use crate::failure::Failure;
use crate::reproduce::bench::{Bench, step_failed, two_dimensional};
use crate::reproduce::case::{Case, Cost, Findings};
use crate::reproduce::row::{Estimate, measured};
use riprap_engine::{Criterion, D2, Load, Silent, SweepOrder, Target, TimeFunction, World};

/// Order and simultaneity of updates.
pub const ORDER: Case = Case {
    name: "sweep-order",
    title: "Random sweeps have no bias, ordered ones have, and a parallel update is unstable",
    source: "T. Unger, J. Kertész 2003 (P1), text on the iterative solver",
    about: "A chain of 50 touching disks is pressed from both ends by the same force, and solved from zero by 20 sweeps: \
            the contact forces should be symmetric. And the contact problem of disks in a triangular pile without \
            friction is solved from zero by updates that all see the velocities before the sweep, and by updates one by \
            one.",
    cost: Cost { quick_s: 0.5, full_s: 2.0 },
    run,
};

const GRAINS: usize = 50;
const PILE: &str = include_str!("../scenes/triangular_pile.toml");

fn run(bench: &mut Bench) -> Result<Findings, Failure> {
    let seeds = bench.choose(40, 200);
    let random: Result<Vec<f64>, Failure> = (1..=seeds).map(|seed| skew(bench, SweepOrder::Random, seed)).collect();
    let random = Estimate::mean(&random?);
    let ordered = skew(bench, SweepOrder::Sequential, 1)?;
    let mut findings = Findings::default();
    let row = measured("skew of the forces, random sweeps", random).published(0.0);
    let row = row.within(0.03, "the mean of 40 seeds");
    let row = row.claim("P1: random sweeps avoid any bias in the information spreading");
    findings.row(row.null("sweeps from one end to the other", ordered));
    let row = measured("skew of the forces, sweeps from one end to the other", ordered.abs());
    let row = row.published("news pass faster along the sweep").between(
        0.2,
        1.0,
        "a fifth of all force is on the wrong side",
    );
    let row = row.claim("P1: with an order from top to bottom, news pass faster downwards than upwards");
    findings.row(row.null("random sweeps", random.value.abs()));

    let contacts = Contacts::of(&pile(bench)?);
    let [parallel, damped, sequential] =
        [(true, 1.0), (true, 0.5), (false, 1.0)].map(|(parallel, part)| contacts.growth(parallel, part));
    let row = measured("growth of the error per parallel sweep", parallel).published("unstable");
    let row = row.between(1.001, f64::INFINITY, "an error that grows from sweep to sweep");
    let row = row.claim("P1: in contrast to the sequential process a simple parallel update would be unstable");
    findings.row(row.null("the same updates one by one", sequential));
    findings.remark(format!(
        "With half of each correction the parallel update of this pile converges: its error changes by the factor {damped:.4} \
         per sweep, that of updates one by one by {sequential:.4}. For a chain, whose operator has the eigenvalues 0 to 4/m, \
         the full correction of 1/(2/m) is just at the limit; each disk of a pile has more contacts than two."
    ));
    Ok(findings)
}

/// The normal forces of one half of a chain that is pressed from both ends, less those of the other half, over all of them.
fn skew(bench: &Bench, order: SweepOrder, seed: u64) -> Result<f64, Failure> {
    bench.pause()?;
    let mut world = two_dimensional(bench.world(include_str!("../scenes/chain.toml"), &[])?)?;
    world.loads.push(Load {
        target: Target::Body(0),
        force: [0.05, 0.0, 0.0].map(TimeFunction::Constant),
        torque: [0.0; 3].map(TimeFunction::Constant),
    });
    let solver = &mut world.settings.solver;
    (solver.order, solver.seed, solver.criterion) = (order, seed, Criterion::Fixed { sweeps: 20 });
    world.step(&mut Silent).map_err(step_failed)?;
    let (mut left, mut right) = (0.0, 0.0);
    for contact in &world.state.contacts {
        let middle = world.state.position[GRAINS / 2].x - 0.5;
        *(if contact.point.x < middle { &mut left } else { &mut right }) += contact.impulse.length();
    }
    Ok((left - right) / (left + right))
}

fn pile(bench: &Bench) -> Result<World<D2>, Failure> {
    let mut world = two_dimensional(bench.world(PILE, &[])?)?;
    world.step(&mut Silent).map_err(step_failed)?;
    Ok(world)
}

/// The contacts of a pile of disks of unit mass without friction, as bodies (none is a wall) and normals.
struct Contacts {
    pairs: Vec<([Option<usize>; 2], [f64; 2])>,
    bodies: usize,
}

impl Contacts {
    fn of(world: &World<D2>) -> Self {
        let body = |index: u32| world.bodies[index as usize].is_free().then_some(index as usize);
        let pairs = world.state.contacts.iter().map(|contact| (contact.bodies.map(body), contact.normal.to_array()));
        Contacts { pairs: pairs.collect(), bodies: world.bodies.len() }
    }

    /// By what factor the largest closing velocity changes from sweep to sweep, once the start is forgotten. An update takes
    /// `part` of the correction that would solve its contact alone. Bodies fall by a unit of velocity before the first.
    fn growth(&self, parallel: bool, part: f64) -> f64 {
        let mut velocities = vec![[0.0, -1.0]; self.bodies];
        let mut impulses = vec![0.0; self.pairs.len()];
        let (early, late) = (40, 80);
        let mut at_early = 0.0;
        for sweep in 0..late {
            let seen = velocities.clone();
            for (index, (bodies, n)) in self.pairs.iter().enumerate() {
                let from = if parallel { &seen } else { &velocities };
                let correction = -self.opening(from, index) * part / bodies.iter().flatten().count() as f64;
                let new = f64::max(impulses[index] + correction, 0.0);
                let change = new - impulses[index];
                impulses[index] = new;
                for (body, sign) in [(bodies[0], -1.0), (bodies[1], 1.0)] {
                    if let Some(body) = body {
                        (0..2).for_each(|axis| velocities[body][axis] += sign * change * n[axis]);
                    }
                }
            }
            let error = (0..self.pairs.len()).map(|index| -self.opening(&velocities, index)).fold(0.0, f64::max);
            if sweep + 1 == early {
                at_early = error;
            } else if sweep + 1 == late {
                return (error / at_early).powf(1.0 / f64::from(late - early));
            }
        }
        f64::NAN
    }

    /// The speed at which a contact opens.
    fn opening(&self, velocities: &[[f64; 2]], index: usize) -> f64 {
        let (bodies, n) = &self.pairs[index];
        let along =
            |body: Option<usize>| body.map_or(0.0, |body| velocities[body][0] * n[0] + velocities[body][1] * n[1]);
        along(bodies[1]) - along(bodies[0])
    }
}
