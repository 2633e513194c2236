//! The solvers: sweeps until the criterion holds (docs/solvers.md).
//!
//! A solve starts from a regime (`regime.rs`: all tuned numbers). The loop (`drive.rs`) iterates, records the size of the step,
//! decides what comes next (`policy.rs`: a pure function), and extrapolates (`accelerated.rs`: momentum around anything that
//! iterates, itself included). A monitor (`monitor.rs`) decides when the solve has converged, and a trace (`trace.rs`) records
//! its phases.

#[cfg(feature = "ablation")]
pub mod ablation;
mod accelerated;
pub(crate) mod drive;
mod jumps;
mod monitor;
mod policy;
pub(crate) mod regime;
mod trace;

pub(crate) use monitor::Monitor;
pub use trace::Trace;

use crate::options::{Criterion, Options, OptionsError, Solver, SweepOrder};
use crate::problem::{Inertia, Problem};
use crate::ranks::Ranks;
use crate::space::{Dim, Vector};
use crate::sweep::{Sweeper, Visits};
use monitor::StopTest;

/// What a solve did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SolveReport {
    /// Sweeps done, a forward and a backward one counted as two; what leaves contacts out counts as the part that it visits.
    pub sweeps: u32,
    /// True if the criterion held within the limits.
    pub converged: bool,
    /// Relative natural-map residual of the result.
    pub residual: f64,
    /// The worst natural-map error of one contact, as a velocity.
    pub worst_contact: f64,
    /// The phases of the solve.
    pub trace: Trace,
}

/// Finds all impulses and velocities of `problem` together, from the impulses that it holds if `options` say so.
///
/// `step` distinguishes the random orders of the steps of a run. An error means that the options do not go together; then
/// nothing is done.
pub fn solve<D: Dim>(problem: &mut Problem<D>, options: &Options, step: u64) -> Result<SolveReport, OptionsError> {
    solve_in(&mut SolveMemory::default(), problem, options, step)
}

/// The memory of solves, which lives on from one to the next. Nothing in it changes a result.
pub struct SolveMemory<D: Dim> {
    sweeper: Sweeper<D>,
    ranks: Ranks,
}

impl<D: Dim> SolveMemory<D> {
    /// Later solves in spatial order are made by these ranks together, each of which states the same problem and gets the
    /// whole solution. In other orders each rank makes them by itself.
    pub fn divide_among(&mut self, ranks: &Ranks) {
        self.ranks = ranks.clone();
    }
}

impl<D: Dim> Default for SolveMemory<D> {
    fn default() -> Self {
        SolveMemory { sweeper: Sweeper::default(), ranks: Ranks::default() }
    }
}

/// [`solve`] in memory that the caller keeps.
pub fn solve_in<D: Dim>(
    memory: &mut SolveMemory<D>,
    problem: &mut Problem<D>,
    options: &Options,
    step: u64,
) -> Result<SolveReport, OptionsError> {
    options.check()?;
    if problem.contacts.is_empty() {
        return Ok(SolveReport { converged: true, ..SolveReport::default() });
    }
    let chooses = options.solver == Solver::Auto && options.allow_momentum();
    // Deposits under the default test, whose contacts close all the time, gain nothing by leaving open ones out.
    let is_sharp = matches!(options.criterion, Criterion::Residual { .. });
    let visits = if chooses && is_sharp { Visits::Carrying } else { Visits::All };
    let sweeper = &mut memory.sweeper;
    match options.order {
        SweepOrder::Spatial => sweeper.divide_among(&memory.ranks),
        _ => sweeper.divide_among(&Ranks::default()),
    }
    sweeper.lay_out(problem, options.warm_start, visits);
    let motion = FreeMotion::of(problem);
    let mut monitor = StopTest::new(*options, motion);
    let is_uneven = motion.mass_ratio > regime::UNEVEN;
    let regime = match options.solver {
        Solver::Momentum => Some(regime::FREE),
        _ if !chooses => None,
        _ if sweeper.steepest > regime::STEEP => {
            (is_uneven && problem.compliance == 0.0).then_some(regime::STEEP_HEAVY)
        }
        _ if problem.compliance > 0.0 && !sweeper.is_mostly_coupled() => Some(regime::COMPLIANT),
        _ if is_uneven => Some(regime::HEAVY),
        _ if sweeper.is_mostly_coupled() => Some(regime::BLOCKS),
        _ if is_sharp => Some(regime::FLOW),
        _ => Some(regime::SETTLING),
    };
    let seed = options.seed ^ step.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mut trace = match regime {
        Some(regime) => drive::accelerated(sweeper, &mut monitor, &regime),
        None => {
            let damping = if chooses { regime::DAMPED } else { regime::UNDAMPED };
            drive::plain(sweeper, &mut monitor, damping, options.order, seed)
        }
    };
    let mut sweeps = monitor.sweeps();
    if regime.is_some() && !monitor.converged && monitor.has_diverged(sweeper.residual()) {
        // Momentum has no bound where sliding contacts turn in circles; damped plain sweeps from nothing do not grow.
        sweeper.lay_out(problem, false, Visits::All);
        monitor = StopTest::new(*options, motion);
        trace = trace.and(drive::plain(sweeper, &mut monitor, regime::DAMPED, options.order, seed));
        sweeps += monitor.sweeps();
    }
    let is_judged = monitor.converged && !matches!(options.criterion, Criterion::Fixed { .. });
    if !is_judged && !sweeper.residual().relative.is_finite() {
        // No impulses are better than these; the step is reported as not converged.
        monitor.converged = false;
        sweeper.lay_out(problem, false, Visits::All);
    }
    sweeper.store(problem);
    let error = sweeper.residual();
    Ok(SolveReport {
        sweeps,
        converged: monitor.converged && error.relative.is_finite(),
        residual: error.relative,
        worst_contact: error.worst,
        trace,
    })
}

/// What bodies would do without contacts. A body that is not free along every axis does not count: a light piston under its
/// load would be so fast without contacts that any error looked small.
#[derive(Clone, Copy, Debug)]
struct FreeMotion {
    /// The root mean square velocity, with that at which a cell moves bodies apart.
    speed: f64,
    /// The Euclidean norm of their masses.
    mass: f64,
    /// The largest mass over the smallest.
    mass_ratio: f64,
}

impl FreeMotion {
    fn of<D: Dim>(problem: &Problem<D>) -> Self {
        let inverse_mass = |inertia: &Inertia| match *inertia {
            Inertia::Imposed => 0.0,
            Inertia::Ball(inverse_mass) => inverse_mass,
            Inertia::General(index) => {
                let inverse_mass = problem.masses[index as usize].inverse_mass;
                (0..D::AXES).map(|axis| inverse_mass.get(axis)).fold(f64::INFINITY, f64::min)
            }
        };
        let (mut speeds, mut masses, mut count) = (0.0, 0.0, 0_usize);
        let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
        for body in &problem.bodies {
            let inverse = inverse_mass(&body.inertia);
            if inverse > 0.0 {
                speeds += body.velocity.dot(body.velocity);
                masses += (1.0 / inverse).powi(2);
                count += 1;
                (least, most) = (least.min(inverse), most.max(inverse));
            }
        }
        let stretching: f64 = problem.cell.as_ref().map_or(0.0, |cell| {
            let speeds = (0..cell.branches.len()).map(|contact| cell.velocity(contact)).map(|u| u.dot(u));
            speeds.sum::<f64>() / cell.branches.len().max(1) as f64
        });
        FreeMotion {
            speed: (speeds / count.max(1) as f64 + stretching).sqrt(),
            mass: f64::sqrt(masses),
            mass_ratio: most / least,
        }
    }
}
