//! The door: one function that solves any assembled problem by any solver.

use super::blocks::Blocks;
use super::residual::{Units, residuals};
use super::watch::{Verdict, Watch};
use super::{AssembledProblem, LocalProblem, ProblemError};
use crate::options::{Solver, SweepOrder};
use crate::solvers::momentum::Momentum;
use crate::solvers::{gauss_seidel, momentum};
use std::fmt;

/// Which residual the tolerance is on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ResidualKind {
    /// In units of the problem.
    #[default]
    Scaled,
    /// As Siconos computes it.
    Siconos,
}

/// The choices for one solve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AssembledOptions {
    /// The method.
    pub solver: Solver,
    /// The order of plain sweeps.
    pub order: SweepOrder,
    /// The residual at which to end.
    pub tolerance: f64,
    /// Which residual that is.
    pub criterion: ResidualKind,
    /// At most this many iterations: sweeps, or steps of Newton's method.
    pub max_iterations: u64,
    /// The seed of random orders.
    pub seed: u64,
}

impl Default for AssembledOptions {
    fn default() -> Self {
        AssembledOptions {
            solver: Solver::Auto,
            order: SweepOrder::Spatial,
            tolerance: 1e-8,
            criterion: ResidualKind::Scaled,
            max_iterations: 1_000_000,
            seed: 0,
        }
    }
}

/// Why a solve ended above its tolerance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// All iterations that were allowed are done.
    IterationLimit,
    /// The caller said stop.
    Stopped,
    /// No method gets any further: there may be no solution, or the data are too rough for the tolerance.
    Stagnation,
    /// The numbers overflow.
    Overflow,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::IterationLimit => "the iteration limit was reached",
            Reason::Stopped => "stopped before the tolerance was reached",
            Reason::Stagnation => {
                "no progress any more: the problem may have no solution, or its data are too rough for the tolerance"
            }
            Reason::Overflow => "the numbers of this problem are too large or too small to compute with",
        })
    }
}

/// What a solve found.
#[derive(Clone, Debug, PartialEq)]
pub struct AssembledSolution {
    /// Impulses `r`, in the rows of the problem.
    pub impulse: Vec<f64>,
    /// Relative velocities `u`, in the rows of the problem.
    pub velocity: Vec<f64>,
    /// Velocities `v` of the freedoms; empty for a local problem.
    pub motion: Vec<f64>,
    /// True if the residual is below the tolerance.
    pub converged: bool,
    /// Iterations of the method: sweeps, or steps of Newton's method.
    pub iterations: u64,
    /// Visits of all contacts.
    pub passes: u64,
    /// The residual as Siconos computes it.
    pub residual_siconos: f64,
    /// The residual in units of the problem.
    pub residual_scaled: f64,
    /// The method that found the result.
    pub solver: Solver,
    /// Why it did not converge.
    pub reason: Option<Reason>,
}

/// Solves an assembled problem, from the impulses `start` if there are any.
///
/// `stop` is asked now and then, and ends the solve by saying true. The result is always a state with its residuals,
/// never worse than the start; an error is only given for what is not a contact problem.
pub fn solve_assembled(
    problem: &AssembledProblem,
    options: &AssembledOptions,
    start: Option<&[f64]>,
    stop: &mut dyn FnMut() -> bool,
) -> Result<AssembledSolution, ProblemError> {
    let local = problem.condense()?;
    let mut solution = match local.size {
        2 => solve_local::<2>(&local, options, start, stop),
        3 => solve_local::<3>(&local, options, start, stop),
        _ => solve_local::<5>(&local, options, start, stop),
    };
    if let AssembledProblem::Global(global) = problem {
        let mut momentum = global.f.clone();
        global.h.multiply_add(&solution.impulse, &mut momentum);
        solution.motion = super::mass::InverseMass::new(&global.m)?.multiply(&momentum);
    }
    Ok(solution)
}

fn solve_local<const S: usize>(
    problem: &LocalProblem,
    options: &AssembledOptions,
    start: Option<&[f64]>,
    stop: &mut dyn FnMut() -> bool,
) -> AssembledSolution {
    let mut blocks = Blocks::<S>::new(problem);
    if let Some(start) = start.filter(|start| start.len() == problem.q.len()) {
        blocks.set_impulses(start);
    }
    let mut watch = Watch::new(*options, stop, &mut blocks);
    if watch.verdict.is_none() {
        match options.solver {
            Solver::GaussSeidel => gauss_seidel::run(&mut blocks, &mut watch, options.order, options.seed),
            Solver::Momentum => momentum::run(&mut blocks, &mut watch, Momentum::Free),
            Solver::CappedMomentum => momentum::run(&mut blocks, &mut watch, Momentum::Capped),
            _ => momentum::run(&mut blocks, &mut watch, Momentum::Careful),
        }
    }
    watch.restore_best(&mut blocks);
    let (passes, verdict) = (watch.passes, watch.verdict);
    finish(problem, &blocks, options, passes, verdict)
}

fn finish<const S: usize>(
    problem: &LocalProblem,
    blocks: &Blocks<S>,
    options: &AssembledOptions,
    passes: u64,
    verdict: Option<Verdict>,
) -> AssembledSolution {
    let impulse = blocks.impulses();
    let mut velocity = problem.q.clone();
    problem.w.multiply_add(&impulse, &mut velocity);
    let units: Units = blocks.units;
    let found = residuals(S, &units, &problem.q, &impulse, &velocity, &problem.friction, &problem.rolling);
    let judged = if options.criterion == ResidualKind::Scaled { found.scaled } else { found.siconos };
    let converged = judged <= options.tolerance;
    let reason = match verdict {
        Some(Verdict::Ended(reason)) => reason,
        _ => Reason::Stagnation,
    };
    AssembledSolution {
        impulse,
        velocity,
        motion: Vec::new(),
        converged,
        iterations: passes,
        passes,
        residual_siconos: found.siconos,
        residual_scaled: found.scaled,
        solver: options.solver,
        reason: (!converged).then_some(reason),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assembled::SparseMatrix;

    #[test]
    fn a_block_on_the_ground_sticks_or_slides() {
        let w = SparseMatrix::from_triplets(2, 2, vec![(0, 0, 2.0), (1, 1, 2.0)]).unwrap();
        let problem = |push: f64| {
            let (q, friction) = (vec![-1.0, push], vec![0.5]);
            AssembledProblem::Local(LocalProblem { size: 2, w: w.clone(), q, friction, rolling: Vec::new() })
        };
        let solve = |push| {
            let problem = problem(push);
            problem.check().unwrap();
            solve_assembled(&problem, &AssembledOptions::default(), None, &mut || false).unwrap()
        };
        let sticks = solve(0.2);
        assert!(sticks.converged && (sticks.impulse[1] + 0.1).abs() < 1e-12 && sticks.velocity[1].abs() < 1e-12);
        let slides = solve(2.0);
        assert!(
            slides.converged && (slides.impulse[1] + 0.25).abs() < 1e-12 && (slides.velocity[1] - 1.5).abs() < 1e-12
        );
    }
}
