//! The door: one function that solves any assembled problem by any solver.

use super::blocks::Blocks;
use super::newton;
use super::residual::{Units, residuals};
use super::watch::{Verdict, Watch};
use super::{AssembledProblem, LocalProblem, ProblemError};
use crate::options::{Solver, SweepOrder};
use crate::solvers::momentum::Momentum;
use crate::solvers::{Sweeps, gauss_seidel, momentum};
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
    let mut ended_by = options.solver;
    if watch.verdict.is_none() {
        match options.solver {
            Solver::GaussSeidel => gauss_seidel::run(&mut blocks, &mut watch, options.order, options.seed),
            Solver::Momentum => momentum::run(&mut blocks, &mut watch, Momentum::Free),
            Solver::CappedMomentum => momentum::run(&mut blocks, &mut watch, Momentum::Capped),
            Solver::Newton => {
                watch.begin_patience(40, 15.0 * factor_cost(&blocks));
                gauss_seidel::run(&mut blocks, &mut watch, options.order, options.seed);
                if watch.verdict.is_none() {
                    newton::run(&mut blocks, &mut watch, 10, options.seed);
                }
            }
            _ => ended_by = auto(&mut blocks, &mut watch, options.seed),
        }
    }
    watch.restore_best(&mut blocks);
    let done = Done { passes: watch.passes, iterations: watch.passes + watch.steps, verdict: watch.verdict, ended_by };
    finish(problem, &blocks, options, done)
}

/// What a factorisation costs, in passes.
fn factor_cost<const S: usize>(blocks: &Blocks<S>) -> f64 {
    let unknowns = (S * blocks.len()) as f64;
    let pass = (blocks.len() * 60 + blocks.count() * 2 * S * S) as f64;
    // Dense up to where sparse factors are surely thinner.
    let dense = unknowns.powi(3) * (2.0 / 3.0) / 4.0;
    let sparse = blocks.count() as f64 * (S * S * S) as f64 * 40.0;
    dense.min(sparse) / pass
}

/// The program chooses: momentum as long as it promises to arrive; else Newton's method where the problem is small enough,
/// and both in turn as long as one of them makes progress.
fn auto<const S: usize>(blocks: &mut Blocks<S>, watch: &mut Watch<Blocks<S>>, seed: u64) -> Solver {
    let small = blocks.len() <= 4000;
    watch.begin_patience(40, if small { 15.0 * factor_cost(blocks) } else { f64::INFINITY });
    momentum::run(blocks, watch, Momentum::Careful);
    let mut stale = 0;
    while watch.verdict.is_none() {
        let before = watch.best_residual();
        watch.restore_best(blocks);
        if small {
            newton::run(blocks, watch, 1, seed);
            if watch.verdict.is_some() {
                return Solver::Newton;
            }
            watch.restore_best(blocks);
        }
        watch.begin_patience(100, f64::INFINITY);
        momentum::run(blocks, watch, Momentum::Capped);
        stale = if watch.best_residual() < 0.5 * before { 0 } else { stale + 1 };
        if stale == 3 && watch.verdict.is_none() {
            watch.verdict = Some(Verdict::Ended(Reason::Stagnation));
        }
    }
    Solver::CappedMomentum
}

/// How a solve went.
struct Done {
    passes: u64,
    iterations: u64,
    verdict: Option<Verdict>,
    ended_by: Solver,
}

fn finish<const S: usize>(
    problem: &LocalProblem,
    blocks: &Blocks<S>,
    options: &AssembledOptions,
    done: Done,
) -> AssembledSolution {
    let impulse = blocks.impulses();
    let mut velocity = problem.q.clone();
    problem.w.multiply_add(&impulse, &mut velocity);
    let units: Units = blocks.units;
    let found = residuals(S, &units, &problem.q, &impulse, &velocity, &problem.friction, &problem.rolling);
    let judged = if options.criterion == ResidualKind::Scaled { found.scaled } else { found.siconos };
    let converged = judged <= options.tolerance;
    let reason = match done.verdict {
        Some(Verdict::Ended(reason)) => reason,
        _ => Reason::Stagnation,
    };
    AssembledSolution {
        impulse,
        velocity,
        motion: Vec::new(),
        converged,
        iterations: done.iterations,
        passes: done.passes,
        residual_siconos: found.siconos,
        residual_scaled: found.scaled,
        solver: done.ended_by,
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
