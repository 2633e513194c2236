//! The door: one function that solves any assembled problem by any solver.

use super::blocks::Blocks;
use super::enumerate::enumerate;
use super::freedoms::Freedoms;
use super::mass::InverseMass;
use super::newton;
use super::watch::{Assembled, Verdict, Watch};
use super::{AssembledProblem, GlobalProblem, LocalProblem, ProblemError};
use crate::options::SweepOrder;
use crate::solvers::{drive, regime};
use crate::sweep::{OrderedSweeps, Sweeps};
use std::fmt;
use std::mem::take;

/// Which residual the tolerance is on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ResidualKind {
    /// In units of the problem.
    #[default]
    Scaled,
    /// As Siconos computes it.
    Siconos,
}

/// The method by which an assembled problem is solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AssembledSolver {
    /// Nonlinear block Gauss–Seidel: plain sweeps, the reference.
    GaussSeidel,
    /// Nesterov's momentum around symmetric sweeps, with restart.
    Momentum,
    /// Plain sweeps as long as they promise to arrive, then proximal point with Newton steps and a sparse factorisation: for
    /// small, redundant and ill-conditioned problems.
    Newton,
    /// The program chooses, and may change its mind while solving.
    #[default]
    Auto,
}

impl AssembledSolver {
    /// All of them, by the names that users know.
    pub const ALL: [AssembledSolver; 4] =
        [AssembledSolver::GaussSeidel, AssembledSolver::Momentum, AssembledSolver::Newton, AssembledSolver::Auto];

    /// The name on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            AssembledSolver::GaussSeidel => "gauss-seidel",
            AssembledSolver::Momentum => "momentum",
            AssembledSolver::Newton => "newton",
            AssembledSolver::Auto => "auto",
        }
    }
}

impl std::str::FromStr for AssembledSolver {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let all = AssembledSolver::ALL;
        all.into_iter().find(|solver| solver.name() == name).ok_or_else(|| {
            format!("unknown solver \"{name}\"; expected one of {}", all.map(AssembledSolver::name).join(", "))
        })
    }
}

/// The choices for one solve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AssembledOptions {
    /// The method.
    pub solver: AssembledSolver,
    /// The order of plain sweeps, which `GaussSeidel` and `Newton` use; the others need the spatial one.
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
            solver: AssembledSolver::Auto,
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
                "no further progress: the problem may have no solution, or its data may be too inaccurate for the tolerance"
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
    pub solver: AssembledSolver,
    /// Iterations and residual, of the kind of the tolerance, wherever the solve looked at it: the start first. The residual
    /// of some methods rises on the way; the result is the best state.
    pub history: Vec<(u64, f64)>,
    /// Why it did not converge.
    pub reason: Option<Reason>,
}

/// Solves an assembled problem that has passed its check, from the impulses `start` if there are any.
///
/// `stop` is asked now and then, and ends the solve by saying true. The result is always a state with its residuals,
/// never worse than the start; an error is only given for what is not a contact problem, or an order that the solver does not
/// use.
pub fn solve_assembled(
    problem: &AssembledProblem,
    options: &AssembledOptions,
    start: Option<&[f64]>,
    stop: &mut dyn FnMut() -> bool,
) -> Result<AssembledSolution, ProblemError> {
    let uses_order = matches!(options.solver, AssembledSolver::GaussSeidel | AssembledSolver::Newton);
    if options.order != SweepOrder::Spatial && !uses_order {
        return Err(ProblemError::Order { solver: options.solver.name(), order: options.order.name() });
    }
    let mut solve = Solve { options, start: start.map(<[f64]>::to_vec), stop, passes: 0, history: Vec::new() };
    match problem {
        AssembledProblem::Local(local) => Ok(solve.local(local)),
        AssembledProblem::Global(global) => solve.global(global),
    }
}

/// A solve under way.
struct Solve<'a> {
    options: &'a AssembledOptions,
    /// The impulses to start from.
    start: Option<Vec<f64>>,
    stop: &'a mut dyn FnMut() -> bool,
    /// Passes done before, on another form of the problem, and their history.
    passes: u64,
    history: Vec<(u64, f64)>,
}

impl Solve<'_> {
    fn local(&mut self, problem: &LocalProblem) -> AssembledSolution {
        match problem.size {
            2 => self.blocks(Blocks::<2>::new(problem)),
            3 => self.blocks(Blocks::<3>::new(problem)),
            _ => self.blocks(Blocks::<5>::new(problem)),
        }
    }

    /// Sweeps over the freedoms where that is possible and enough; else over `W`.
    fn global(&mut self, problem: &GlobalProblem) -> Result<AssembledSolution, ProblemError> {
        let needs_w = self.options.solver == AssembledSolver::Newton;
        let found = match problem.size {
            _ if needs_w => None,
            2 => self.by_freedoms::<2, 6, 8>(problem),
            3 => self.by_freedoms::<3, 12, 15>(problem),
            _ => self.by_freedoms::<5, 12, 15>(problem),
        };
        if let Some(solution) = found {
            return Ok(solution);
        }
        let inverse = InverseMass::new(&problem.m)?;
        let mut solution = self.local(&problem.condense_by(&inverse));
        let mut momentum = problem.f.clone();
        problem.h.multiply_add(&solution.impulse, &mut momentum);
        solution.motion = inverse.multiply(&momentum);
        Ok(solution)
    }

    /// Sweeps over the freedoms, where no contact touches more of them than two bodies have (`K`), or two bodies and a cell
    /// that stretches (`L`).
    fn by_freedoms<const S: usize, const K: usize, const L: usize>(
        &mut self,
        problem: &GlobalProblem,
    ) -> Option<AssembledSolution> {
        match Freedoms::<S, K>::new(problem) {
            Some(freedoms) => self.freedoms(freedoms),
            None => Freedoms::<S, L>::new(problem).and_then(|freedoms| self.freedoms(freedoms)),
        }
    }

    /// The solution, or nothing where another form of the problem promises more.
    fn freedoms<const S: usize, const K: usize>(&mut self, mut state: Freedoms<S, K>) -> Option<AssembledSolution> {
        let options = self.options;
        let mut watch = self.begin(&mut state);
        let mut ended_by = options.solver;
        if watch.verdict.is_none() && !sweep(&mut state, &mut watch, options) {
            ended_by = AssembledSolver::Momentum;
            let worth = newton_worth::<S>(state.len(), state.count());
            by_momentum(&mut state, &mut watch, worth);
            if watch.verdict.is_none() && state.count() > DENSE * state.len() {
                ended_by = in_turn(&mut state, &mut watch, |_, _| {});
            }
        }
        watch.restore_best(&mut state);
        let done = Done::of(watch, ended_by);
        self.history.extend(&done.history);
        if done.verdict.is_none() {
            (self.start, self.passes) = (Some(state.impulses()), done.passes);
            return None;
        }
        let motion = state.motion();
        Some(AssembledSolution { motion, history: take(&mut self.history), ..finish(&mut state, options, done) })
    }

    fn blocks<const S: usize>(&mut self, mut state: Blocks<S>) -> AssembledSolution {
        let options = self.options;
        let mut watch = self.begin(&mut state);
        let mut ended_by = options.solver;
        if watch.verdict.is_none() && !sweep(&mut state, &mut watch, options) {
            ended_by = match options.solver {
                AssembledSolver::Newton => cascade(&mut state, &mut watch, options),
                _ => auto(&mut state, &mut watch, options.seed),
            };
        }
        watch.restore_best(&mut state);
        let done = Done::of(watch, ended_by);
        self.history.extend(&done.history);
        AssembledSolution { history: take(&mut self.history), ..finish(&mut state, options, done) }
    }

    /// Puts the start into a state and begins to watch it.
    fn begin<S: Assembled>(&mut self, state: &mut S) -> Watch<'_, S> {
        if let Some(start) = &self.start {
            let before = state.residual(self.options.criterion);
            state.set_impulses(start);
            // A start that is no number, or worse than none, is none.
            let after = state.residual(self.options.criterion);
            if after.is_nan() || after > before.max(1.0) {
                state.set_impulses(&vec![0.0; start.len()]);
            }
        }
        Watch::new(*self.options, self.stop, state, self.passes)
    }
}

/// Passes after which it is first judged whether sweeps are worth going on with.
const FIRST_JUDGEMENT: u64 = 40;
/// Problems with more contacts than this are not factorised.
const FACTORISED: usize = 4000;

/// Where a contact shares freedoms with more others than this, as in a large cell that stretches, `W` is never formed.
const DENSE: usize = 1000;

/// Solves by the sweeps that the options ask for; false if they ask for more than sweeps.
fn sweep<S: Assembled + OrderedSweeps>(state: &mut S, watch: &mut Watch<S>, options: &AssembledOptions) -> bool {
    match options.solver {
        AssembledSolver::GaussSeidel => drive::plain(state, watch, regime::UNDAMPED, options.order, options.seed),
        AssembledSolver::Momentum => drive::accelerated(state, watch, &regime::FREE),
        _ => return false,
    };
    true
}

/// How many passes may be waited for before Newton's method is the better choice: about fifteen factorisations.
fn newton_worth<const S: usize>(contacts: usize, blocks: usize) -> f64 {
    if contacts > FACTORISED {
        return f64::INFINITY;
    }
    /// Operations of one visit, without the products with its blocks.
    const VISIT: usize = 60;
    /// How much faster than scattered visits a dense factorisation runs, operation by operation.
    const DENSE_SPEED: f64 = 4.0;
    /// Operations of a sparse factorisation for each entry of each block, fill-in included.
    const FILL: f64 = 40.0;
    /// Factorisations that Newton's method takes. Like the numbers above a rough count, chosen and not measured.
    const FACTORISATIONS: f64 = 15.0;
    let unknowns = (S * contacts) as f64;
    let pass = (contacts * VISIT + blocks * 2 * S * S) as f64;
    // Dense up to where sparse factors are surely thinner.
    let dense = unknowns.powi(3) * (2.0 / 3.0) / DENSE_SPEED;
    let sparse = (blocks * S * S * S) as f64 * FILL;
    FACTORISATIONS * dense.min(sparse) / pass
}

/// The cascade of `newton`: plain sweeps as long as they promise to arrive, then Newton's method.
fn cascade<const S: usize>(
    state: &mut Blocks<S>,
    watch: &mut Watch<Blocks<S>>,
    options: &AssembledOptions,
) -> AssembledSolver {
    watch.begin_patience(FIRST_JUDGEMENT, newton_worth::<S>(state.len(), state.count()));
    drive::plain(state, watch, regime::UNDAMPED, options.order, options.seed);
    if watch.verdict.is_some() {
        return AssembledSolver::GaussSeidel;
    }
    newton::run(state, watch, 10, options.seed);
    AssembledSolver::Newton
}

/// The program chooses: all ways of the smallest problems; else momentum as long as it promises to arrive; else Newton's method where the problem is small enough,
/// and both in turn as long as one of them makes progress.
fn auto<const S: usize>(state: &mut Blocks<S>, watch: &mut Watch<Blocks<S>>, seed: u64) -> AssembledSolver {
    if let Some(impulses) = enumerate(state) {
        state.put(&impulses);
        watch.look(state);
        if watch.verdict.is_some() {
            return AssembledSolver::Auto;
        }
        watch.restore_best(state);
    }
    if watch.passes == 0 {
        let worth = newton_worth::<S>(state.len(), state.count());
        by_momentum(state, watch, worth);
        if watch.verdict.is_some() {
            return AssembledSolver::Momentum;
        }
    }
    in_turn(state, watch, |state, watch| {
        if state.len() <= FACTORISED {
            watch.restore_best(state);
            newton::run(state, watch, 1, seed);
        }
    })
}

/// Momentum as long as it promises to arrive within so many passes: Nesterov's, which forces that spread through the whole
/// need, and then, from the best that it found, bounded momentum and rounds, which sliding contacts need.
fn by_momentum<S: Assembled>(state: &mut S, watch: &mut Watch<S>, worth: f64) {
    for regime in [regime::FREE, regime::FLOW] {
        watch.begin_patience(FIRST_JUDGEMENT, worth);
        drive::accelerated(state, watch, &regime);
        if watch.verdict.is_some() {
            return;
        }
        watch.restore_best(state);
    }
}

/// A method (Newton, where it can be) and capped momentum in turn, as long as one of them gets on.
fn in_turn<S: Assembled>(
    state: &mut S,
    watch: &mut Watch<S>,
    mut method: impl FnMut(&mut S, &mut Watch<S>),
) -> AssembledSolver {
    let mut stale = 0;
    loop {
        let before = watch.best_residual();
        method(state, watch);
        if watch.verdict.is_some() {
            return AssembledSolver::Newton;
        }
        watch.restore_best(state);
        watch.begin_patience(100, f64::INFINITY);
        drive::accelerated(state, watch, &regime::SETTLING);
        if watch.verdict.is_some() {
            return AssembledSolver::Momentum;
        }
        stale = if watch.best_residual() < 0.5 * before { 0 } else { stale + 1 };
        if stale == 3 {
            watch.verdict = Some(Verdict::Ended(Reason::Stagnation));
            return AssembledSolver::Auto;
        }
    }
}

/// How a solve went.
struct Done {
    passes: u64,
    iterations: u64,
    verdict: Option<Verdict>,
    ended_by: AssembledSolver,
    history: Vec<(u64, f64)>,
}

impl Done {
    fn of<S: Assembled>(watch: Watch<S>, ended_by: AssembledSolver) -> Self {
        let Watch { passes, steps, verdict, history, .. } = watch;
        Done { passes, iterations: passes + steps, verdict, ended_by, history }
    }
}

/// The state as a solution.
fn finish<S: Assembled>(state: &mut S, options: &AssembledOptions, done: Done) -> AssembledSolution {
    let residual_scaled = state.residual(ResidualKind::Scaled);
    let residual_siconos = state.residual(ResidualKind::Siconos);
    let judged = if options.criterion == ResidualKind::Scaled { residual_scaled } else { residual_siconos };
    let converged = judged <= options.tolerance;
    let reason = match done.verdict {
        _ if converged => None,
        _ if !judged.is_finite() => Some(Reason::Overflow),
        Some(Verdict::Ended(reason)) => Some(reason),
        _ => Some(Reason::Stagnation),
    };
    AssembledSolution {
        impulse: state.impulses(),
        velocity: state.velocities(),
        motion: Vec::new(),
        converged,
        iterations: done.iterations,
        passes: done.passes,
        residual_siconos,
        residual_scaled,
        solver: done.ended_by,
        history: done.history,
        reason,
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
