//! The solvers: ways to put sweeps to use until the criterion holds (METHOD.md section 4).

pub(crate) mod few;
pub(crate) mod gauss_seidel;
pub(crate) mod momentum;

use self::momentum::Momentum;
use crate::options::{Criterion, Options, Solver, SweepOrder};
use crate::problem::{Inertia, Problem};
use crate::space::{Dim, Vector};
use crate::sweep::{Damping, ErrorNorms, Measure, SweepStats, Sweeper, Sweeps, Visits};

/// Who says when sweeps may end.
pub(crate) trait Judge<S> {
    /// What must be told about a sweep.
    fn measure(&self, contacts: usize) -> Measure;
    /// Notes `sweeps` sweeps of which the last did `stats`; true if they are to end.
    fn done(&mut self, sweeps: u32, stats: SweepStats, state: &mut S) -> bool;
    /// Called where velocities may be computed afresh: where no momentum would take the correction for a step.
    fn rest(&mut self, _state: &mut S) {}
    /// Called where the steps of compliant contacts do not shrink.
    fn stalled(&mut self, _state: &mut S) {}
}

/// The part of its normal correction that a sliding contact takes where sliding is damped (SOLVERS.md).
pub const DAMPED_SLIDING: f64 = 0.5;
/// The same where contacts are compliant.
pub const COMPLIANT_SLIDING: f64 = 0.6;
/// Where the cone of some contact is steeper than this, momentum goes round in circles, and so do sweeps whose sliding contacts
/// take more than this part (docs/solvers.md, "Very high friction").
const STEEP: f64 = 3.0;
const STEEP_SLIDING: f64 = 0.4;
/// Sweeps after which a solve with compliant contacts is slow, if its steps have not said so before: for this solve they
/// become twice as soft, and again after so many more, and so on (SOLVERS.md).
const SLOW: u32 = 500;
const STILL_SLOW: u32 = 150;
/// How often they may become softer: a solve that a thousandth of the stiffness does not help is not slow for being stiff.
const MOST_SOFTENED: u32 = 10;

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
    /// The residual by the laws of rigid contacts; the same where they are rigid.
    pub rigid_residual: f64,
    /// How often compliant contacts were made twice as soft because the solve was slow.
    pub softened: u32,
}

/// Finds all impulses and velocities of `problem` together, from the impulses that it holds if `options` say so.
///
/// `step` distinguishes the random orders of the steps of a run.
pub fn solve<D: Dim>(problem: &mut Problem<D>, options: &Options, step: u64) -> SolveReport {
    if problem.contacts.is_empty() {
        return SolveReport { converged: true, ..SolveReport::default() };
    }
    // Momentum needs the symmetric sweeps of the spatial order, and a fixed number of sweeps means plain ones.
    let may_choose = options.order == SweepOrder::Spatial
        && matches!(options.criterion, Criterion::Residual { .. } | Criterion::Motion { .. });
    let is_steep =
        may_choose && options.solver == Solver::Auto && problem.contacts.iter().any(|contact| contact.friction > STEEP);
    // Where a residual is asked for, open contacts are left out and sliding is damped. Deposits under the default test, whose
    // contacts close all the time, gain nothing by the one and take more sweeps with the other.
    let is_sharp = may_choose && matches!(options.criterion, Criterion::Residual { .. });
    let visits = if is_sharp && options.solver == Solver::Auto { Visits::Carrying } else { Visits::All };
    let mut sweeper = Sweeper::new(problem, options.warm_start, visits);
    let sliding = if is_steep { options.sliding.min(STEEP_SLIDING) } else { options.sliding };
    sweeper.damp(Damping { sliding, relaxation: 1.0 });
    let mut watch = Watch::new(*options, free_speed(problem));
    match options.solver {
        Solver::Momentum | Solver::CappedMomentum | Solver::Auto if may_choose && !is_steep => {
            let allowed = match options.solver {
                Solver::Momentum => Momentum::Free,
                Solver::Auto if sweeper.is_mostly_coupled() => Momentum::Unbounded,
                Solver::Auto if problem.compliance > 0.0 => Momentum::Compliant(sweeper.mean_stiffness()),
                Solver::Auto if is_sharp => Momentum::Damped,
                Solver::Auto => Momentum::Nested,
                _ => Momentum::Capped,
            };
            momentum::run(&mut sweeper, &mut watch, allowed);
        }
        _ => gauss_seidel::run(
            &mut sweeper,
            &mut watch,
            options.order,
            options.seed ^ step.wrapping_mul(0x9E37_79B9_7F4A_7C15),
        ),
    }
    sweeper.store(problem);
    let error = sweeper.residual();
    let converged = watch.converged && error.relative.is_finite();
    let rigid_residual = if problem.compliance > 0.0 { sweeper.rigid_residual().relative } else { error.relative };
    SolveReport {
        sweeps: watch.sweeps,
        converged,
        residual: error.relative,
        worst_contact: error.worst,
        rigid_residual,
        softened: watch.softened,
    }
}

/// How large the last step was over the impulses; infinite where that was not told.
fn step_size(stats: SweepStats) -> f64 {
    if stats.change > 0.0 { (stats.change / stats.size).sqrt() } else { f64::INFINITY }
}

/// The root mean square velocity that the bodies would have without contacts, with that at which a cell moves them apart. A
/// body that is not free along every axis does not count: a light piston under its load would be so fast without contacts
/// that any error looked small.
fn free_speed<D: Dim>(problem: &Problem<D>) -> f64 {
    let free = |inertia: &Inertia| match *inertia {
        Inertia::Imposed => false,
        Inertia::Ball(inverse_mass) => inverse_mass > 0.0,
        Inertia::General(index) => {
            let inverse_mass = problem.masses[index as usize].inverse_mass;
            (0..D::AXES).all(|axis| inverse_mass.get(axis) > 0.0)
        }
    };
    let speeds = problem.bodies.iter().filter(|body| free(&body.inertia)).map(|body| body.velocity.dot(body.velocity));
    let (sum, count) = speeds.fold((0.0, 0_usize), |(sum, count), square| (sum + square, count + 1));
    let stretching: f64 = problem.cell.as_ref().map_or(0.0, |cell| {
        let speeds = (0..cell.branches.len()).map(|contact| cell.velocity(contact)).map(|u| u.dot(u));
        speeds.sum::<f64>() / cell.branches.len().max(1) as f64
    });
    (sum / count.max(1) as f64 + stretching).sqrt()
}

/// Watches the sweeps go by and says when they may end.
struct Watch {
    options: Options,
    sweeps: u32,
    converged: bool,
    /// Sum of normal impulses after the last sweep.
    normal: f64,
    /// The velocity to compare errors with.
    speed: f64,
    /// The number of sweeps at which the residual is computed next.
    next_look: u32,
    /// When it was computed last, and what it was in units of what is allowed.
    last_look: Option<(u32, f64)>,
    /// What it was then over the size of the last step.
    over_step: f64,
    /// How often the contacts were made softer.
    softened: u32,
}

impl<D: Dim> Judge<Sweeper<D>> for Watch {
    fn measure(&self, contacts: usize) -> Measure {
        // Forces below a floor are not judged by their own size.
        match self.options.criterion {
            Criterion::LocalForce { cutoff, .. } => {
                Measure::Forces { floor: cutoff * self.normal.max(0.0) / contacts as f64 }
            }
            Criterion::MeanForce { .. } => Measure::Change,
            _ => Measure::Nothing,
        }
    }

    fn done(&mut self, sweeps: u32, stats: SweepStats, sweeper: &mut Sweeper<D>) -> bool {
        self.sweeps += sweeps;
        let last_normal = std::mem::replace(&mut self.normal, stats.normal);
        let holds = match self.options.criterion {
            Criterion::LocalForce { epsilon, .. } => stats.worst <= epsilon && !last_normal.is_nan(),
            Criterion::MeanForce { epsilon } => (stats.normal - last_normal).abs() <= epsilon * stats.normal,
            Criterion::Fixed { sweeps } => self.sweeps >= sweeps,
            Criterion::Residual { tolerance } => {
                self.look(sweeper, step_size(stats), |error| error.relative / tolerance)
            }
            Criterion::Motion { velocity, residual } => {
                let allowed = (velocity * self.speed).max(f64::MIN_POSITIVE);
                self.look(sweeper, f64::INFINITY, |error| f64::min(error.relative / residual, error.velocity / allowed))
            }
        };
        self.converged = holds && self.sweeps >= self.options.min_sweeps;
        if !self.converged && self.sweeps >= SLOW + self.softened * STILL_SLOW && sweeper.compliance() > 0.0 {
            self.stalled(sweeper);
        }
        self.converged || self.at_limit()
    }

    fn stalled(&mut self, sweeper: &mut Sweeper<D>) {
        if self.softened < MOST_SOFTENED {
            self.softened += 1;
            sweeper.set_compliance(2.0 * sweeper.compliance());
        }
    }
}

impl Watch {
    fn new(options: Options, speed: f64) -> Self {
        Watch {
            options,
            sweeps: 0,
            converged: false,
            normal: f64::NAN,
            speed,
            next_look: 0,
            last_look: None,
            over_step: f64::INFINITY,
            softened: 0,
        }
    }

    fn at_limit(&self) -> bool {
        !matches!(self.options.criterion, Criterion::Fixed { .. }) && self.sweeps >= self.options.max_sweeps
    }

    /// True if the error, in units of what is allowed, is not above 1. It costs a pass, so it is computed only when, by
    /// how it fell between the last two looks, most of the way should be done, or when the last step was so small that all
    /// of it should be; and always at the end.
    fn look<D: Dim>(&mut self, sweeper: &mut Sweeper<D>, step: f64, excess: impl Fn(ErrorNorms) -> f64) -> bool {
        // Never where the size of the step is not told.
        let is_small = step * self.over_step <= 1.0;
        if self.sweeps < self.next_look && !is_small && !self.at_limit() {
            return false;
        }
        let found = excess(sweeper.residual());
        self.over_step = found / step;
        let (sweeps, last) = self.last_look.replace((self.sweeps, found)).unwrap_or((self.sweeps, found));
        let fall = (last / found).ln() / f64::from((self.sweeps - sweeps).max(1));
        let left = found.ln() / fall;
        // A fall that cannot be trusted (none yet, or a rise) means the shortest wait.
        let wait = if left.is_finite() && left > 0.0 { 0.7 * left } else { 0.0 };
        // The residual of slow solves falls unevenly; a look costs less than the sweeps that it may save.
        let longest = match self.options.criterion {
            Criterion::Residual { .. } => self.sweeps / 12,
            _ => self.sweeps / 3,
        };
        self.next_look = self.sweeps + (wait as u32).clamp(4, longest.max(4));
        found <= 1.0
    }
}
