//! The solvers: ways to put sweeps to use until the criterion holds (METHOD.md section 4).

mod gauss_seidel;
mod momentum;

use crate::options::{Criterion, Options, Solver, SweepOrder};
use crate::problem::Problem;
use crate::space::Dim;
use crate::sweep::{Sweeper, Tally};

/// What a solve did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SolveReport {
    /// Sweeps done, a forward and a backward one counted as two.
    pub sweeps: u32,
    /// True if the criterion held within the limits.
    pub converged: bool,
    /// Relative natural-map residual of the result.
    pub residual: f64,
    /// The worst natural-map error of one contact over the mean impulse (root mean square).
    pub worst_contact: f64,
}

/// Finds all impulses and velocities of `problem` together, from the impulses that it holds if `options` say so.
///
/// `step` distinguishes the random orders of the steps of a run.
pub fn solve<D: Dim>(problem: &mut Problem<D>, options: &Options, step: u64) -> SolveReport {
    if problem.contacts.is_empty() {
        return SolveReport { converged: true, ..SolveReport::default() };
    }
    let mut sweeper = Sweeper::new(problem, options.warm_start);
    let mut watch = Watch::new(*options);
    match (options.solver, options.order, options.criterion) {
        // Momentum needs the symmetric sweeps of the spatial order, and a fixed number of sweeps means plain ones.
        (Solver::Momentum | Solver::Auto, SweepOrder::Spatial, Criterion::Residual { .. }) => {
            momentum::run(&mut sweeper, &mut watch)
        }
        _ => gauss_seidel::run(&mut sweeper, &mut watch, options.seed ^ step.wrapping_mul(0x9E37_79B9_7F4A_7C15)),
    }
    sweeper.store(problem);
    let (residual, worst_contact) = sweeper.residual();
    let converged = watch.converged && residual.is_finite();
    SolveReport { sweeps: watch.sweeps, converged, residual, worst_contact }
}

/// Watches the sweeps go by and says when they may end.
struct Watch {
    options: Options,
    sweeps: u32,
    converged: bool,
    /// Sum of normal impulses after the last sweep.
    normal: f64,
    /// The change per sweep below which the residual is worth computing.
    trigger: f64,
}

impl Watch {
    fn new(options: Options) -> Self {
        let trigger = match options.criterion {
            Criterion::Residual { tolerance } => tolerance,
            _ => 0.0,
        };
        Watch { options, sweeps: 0, converged: false, normal: f64::NAN, trigger }
    }

    /// The floor that a sweep must be told: forces below it are not judged by their own size.
    fn floor(&self, contacts: usize) -> f64 {
        match self.options.criterion {
            Criterion::LocalForce { cutoff, .. } if self.normal > 0.0 => cutoff * self.normal / contacts as f64,
            _ => 0.0,
        }
    }

    /// Notes `sweeps` sweeps of which the last did `tally`; true if they are to end.
    fn done<D: Dim>(&mut self, sweeps: u32, tally: Tally, sweeper: &mut Sweeper<D>) -> bool {
        self.sweeps += sweeps;
        let last_normal = std::mem::replace(&mut self.normal, tally.normal);
        let holds = match self.options.criterion {
            Criterion::LocalForce { epsilon, .. } => tally.worst <= epsilon && !last_normal.is_nan(),
            Criterion::MeanForce { epsilon } => (tally.normal - last_normal).abs() <= epsilon * tally.normal,
            Criterion::Fixed { sweeps } => self.sweeps >= sweeps,
            Criterion::Residual { tolerance } => self.residual_holds(tolerance, tally, sweeper),
        };
        self.converged = holds && self.sweeps >= self.options.min_sweeps;
        self.converged || self.at_limit()
    }

    fn at_limit(&self) -> bool {
        !matches!(self.options.criterion, Criterion::Fixed { .. }) && self.sweeps >= self.options.max_sweeps
    }

    /// The residual costs a pass: it is computed when the change per sweep is small enough to hope, and the hope
    /// adjusted each time that it was in vain.
    fn residual_holds<D: Dim>(&mut self, tolerance: f64, tally: Tally, sweeper: &mut Sweeper<D>) -> bool {
        let change = tally.change.sqrt();
        if change > self.trigger * tally.size.sqrt() {
            return false;
        }
        let (residual, _) = sweeper.residual();
        if residual > tolerance {
            self.trigger *= (tolerance / residual).clamp(0.2, 0.9);
        }
        residual <= tolerance
    }
}
