//! Watches a solve go by: when to look at the residual, when to end, and which state was the best.

use super::solve::{AssembledOptions, Reason, ResidualKind};
use crate::solvers::Monitor;
use crate::sweep::{Measure, OrderedSweeps, SweepStats};

/// After this many passes velocities that were kept up to date are computed from scratch, as soon as that does no harm;
/// and a state is no longer trusted to be as good as it looks.
pub const REFRESH: usize = 100;

/// What a watch needs of a state beside its sweeps.
pub trait Assembled: OrderedSweeps {
    /// The error of the laws.
    fn residual(&mut self, kind: ResidualKind) -> f64;
    /// Velocities from scratch.
    fn refresh(&mut self);
    /// Takes over a state that was saved.
    fn restore(&mut self, iterate: &Self::Iterate);
    /// Starts from these impulses, given in the units of the problem's owner.
    fn set_impulses(&mut self, impulse: &[f64]);
    /// The impulses in the units of the problem's owner.
    fn impulses(&self) -> Vec<f64>;
    /// The relative velocities in the units of the problem's owner.
    fn velocities(&self) -> Vec<f64>;
}

/// The residual is computed again after this fraction of the passes that are left by its last fall, but no later than after
/// a fifth of the passes done so far, since the residual of slow solves falls unevenly. Chosen, not measured.
const NEXT_RESIDUAL: f64 = 0.5;
const LONGEST_WAIT_ASSEMBLED: u64 = 5;
/// Sweeps whose best residual fell by less than this (as a logarithm: a tenth) since the last judgement are left.
const LEAST_FALL: f64 = 0.1;

/// How a solve, or a part of it, ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The tolerance is reached.
    Converged,
    /// No more is allowed, or possible.
    Ended(Reason),
}

/// When sweeps are to be left for another method.
#[derive(Clone, Copy, Debug)]
struct Patience {
    /// How many more passes are worth waiting for.
    worth: f64,
    /// The passes at which to judge next, and what had been reached at the judgement before.
    next: u64,
    last: (u64, f64),
}

/// Judges a solve.
pub struct Watch<'a, S: Assembled> {
    options: AssembledOptions,
    stop: &'a mut dyn FnMut() -> bool,
    /// Visits of all contacts so far, and those of a part of them, in passes.
    pub passes: u64,
    part: f64,
    /// Steps of other methods than sweeps.
    pub steps: u64,
    next_look: u64,
    last_look: Option<(u64, f64)>,
    /// When a state was last found to be as good as it looked.
    last_proof: u64,
    /// The best state and its residual.
    best: S::Iterate,
    spare: S::Iterate,
    best_residual: f64,
    /// Iterations and residual at each look.
    pub history: Vec<(u64, f64)>,
    patience: Option<Patience>,
    /// True when the sweeps that were begun patiently should be left.
    pub leaves: bool,
    /// Set when the solve is to end.
    pub verdict: Option<Verdict>,
}

impl<'a, S: Assembled> Watch<'a, S> {
    /// Begins with the state as it is; the verdict is there at once if that is good enough already.
    /// `passes` have been done before.
    pub fn new(options: AssembledOptions, stop: &'a mut dyn FnMut() -> bool, state: &mut S, passes: u64) -> Self {
        let mut watch = Watch {
            options,
            stop,
            passes,
            part: 0.0,
            steps: 0,
            next_look: passes,
            last_look: None,
            last_proof: passes,
            spare: S::Iterate::default(),
            best: S::Iterate::default(),
            best_residual: f64::INFINITY,
            history: Vec::new(),
            patience: None,
            leaves: false,
            verdict: None,
        };
        state.save(&mut watch.best);
        watch.look(state);
        watch
    }

    /// The residual of the best state that was seen.
    pub fn best_residual(&self) -> f64 {
        self.best_residual
    }

    /// Takes over the best state that was seen.
    pub fn restore_best(&mut self, state: &mut S) {
        if self.verdict == Some(Verdict::Converged) {
            // The state itself is the best one, and was proven to be.
            return;
        }
        state.restore(&self.best);
        state.refresh();
        self.last_look = None;
    }

    /// From now on sweeps are to be left when more than `worth` passes seem to be needed, judged first after `first`.
    pub fn begin_patience(&mut self, first: u64, worth: f64) {
        let last = (self.passes, self.best_residual);
        self.patience = Some(Patience { worth, next: self.passes + first, last });
        self.leaves = false;
    }

    /// Notes a step of a method without sweeps; true if the solve is to end.
    pub fn count_iteration(&mut self) -> bool {
        self.steps += 1;
        self.check_limits();
        self.verdict.is_some()
    }

    fn check_limits(&mut self) {
        if self.verdict.is_some() {
            return;
        }
        if self.passes + self.steps >= self.options.max_iterations {
            self.verdict = Some(Verdict::Ended(Reason::IterationLimit));
        } else if (self.stop)() {
            self.verdict = Some(Verdict::Ended(Reason::Stopped));
        }
    }

    /// Looks at the residual and at the limits.
    pub fn look(&mut self, state: &mut S) {
        let mut residual = state.residual(self.options.criterion);
        let good = residual <= self.options.tolerance;
        if good || residual < self.best_residual && self.passes > self.last_proof + REFRESH as u64 {
            // What was added up may have drifted. The state itself goes on as it was: a correction would be taken for a
            // step by momentum, and be multiplied by it.
            state.save(&mut self.spare);
            state.refresh();
            residual = state.residual(self.options.criterion);
            self.note(residual, state);
            if residual > self.options.tolerance {
                state.restore(&self.spare);
            }
            self.last_proof = self.passes;
        }
        self.note(residual, state);
        self.history.push((self.passes + self.steps, residual));
        if residual <= self.options.tolerance {
            self.verdict = Some(Verdict::Converged);
        }
        self.check_limits();
        let (passes, last) = self.last_look.replace((self.passes, residual)).unwrap_or((self.passes, residual));
        let fall = libm::log(last / residual) / (self.passes - passes).max(1) as f64;
        let left = libm::log(residual / self.options.tolerance) / fall;
        // A fall that cannot be trusted (none yet, or a rise) means the shortest wait.
        let wait = if left.is_finite() && left > 0.0 { NEXT_RESIDUAL * left } else { 0.0 };
        self.next_look = self.passes + (wait as u64).clamp(1, (self.passes / LONGEST_WAIT_ASSEMBLED).max(1));
        self.judge_patience();
    }

    /// Keeps the state if it is the best.
    fn note(&mut self, residual: f64, state: &S) {
        if residual < self.best_residual {
            self.best_residual = residual;
            state.save(&mut self.best);
        }
    }

    /// Predicts from the fall since the last judgement how many passes are left.
    fn judge_patience(&mut self) {
        let Some(patience) = self.patience.as_mut().filter(|patience| self.passes >= patience.next) else { return };
        let (passes, residual) = patience.last;
        let count = (self.passes - passes) as f64;
        let fall = libm::log(residual / self.best_residual);
        let left = libm::log(self.best_residual / self.options.tolerance) / fall * count;
        // Written so that no fall at all, or one that is not a number, means to leave.
        if !(fall > LEAST_FALL && left <= patience.worth.max(count)) {
            self.leaves = true;
        }
        patience.last = (self.passes, self.best_residual);
        patience.next = self.passes + 2 * (self.passes - passes);
    }
}

impl<S: Assembled> Monitor<S> for Watch<'_, S> {
    fn measure(&self, _contacts: usize) -> Measure {
        Measure::Nothing
    }

    fn count(&mut self, passes: f64) {
        self.part += passes;
        self.passes += self.part as u64;
        self.part -= self.part.floor();
    }

    fn done(&mut self, _stats: SweepStats, state: &mut S) -> bool {
        if self.passes >= self.next_look || self.passes >= self.options.max_iterations {
            self.look(state);
        }
        self.verdict.is_some() || self.leaves
    }
}
