//! Watches a solve go by: when to look at the residual, when to end, and which state was the best.

use super::solve::{AssembledOptions, Reason, ResidualKind};
use crate::solvers::{Judge, Sweeps};
use crate::sweep::{Tally, Tell};

/// After this many passes velocities that were kept up to date are computed from scratch.
const REFRESH: u64 = 200;

/// What a watch needs of a state beside its sweeps.
pub trait Assembled: Sweeps {
    /// The error of the laws.
    fn residual(&mut self, kind: ResidualKind) -> f64;
    /// Velocities from scratch.
    fn refresh(&mut self);
    /// Takes over a state that was saved.
    fn restore(&mut self, iterate: &Self::Iterate);
}

/// How a solve, or a part of it, ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The tolerance is reached.
    Converged,
    /// No more is allowed, or possible.
    Ended(Reason),
    /// Another method should go on.
    Leave,
}

/// Judges a solve.
pub struct Watch<'a, S: Assembled> {
    options: AssembledOptions,
    stop: &'a mut dyn FnMut() -> bool,
    /// Visits of all contacts so far.
    pub passes: u64,
    next_look: u64,
    last_look: Option<(u64, f64)>,
    next_refresh: u64,
    /// The best state and its residual.
    best: S::Iterate,
    best_residual: f64,
    /// Set when sweeps are to end.
    pub verdict: Option<Verdict>,
}

impl<'a, S: Assembled> Watch<'a, S> {
    /// Begins with the state as it is; the verdict is there at once if that is good enough already.
    pub fn new(options: AssembledOptions, stop: &'a mut dyn FnMut() -> bool, state: &mut S) -> Self {
        let mut watch = Watch {
            options,
            stop,
            passes: 0,
            next_look: 0,
            last_look: None,
            next_refresh: REFRESH,
            best: S::Iterate::default(),
            best_residual: f64::INFINITY,
            verdict: None,
        };
        watch.look(state);
        watch
    }

    /// Takes over the best state that was seen.
    pub fn restore_best(&mut self, state: &mut S) {
        state.restore(&self.best);
    }

    /// Looks at the residual and at the limits.
    fn look(&mut self, state: &mut S) {
        let mut residual = state.residual(self.options.criterion);
        if residual <= self.options.tolerance {
            // What was added up may have drifted.
            state.refresh();
            self.next_refresh = self.passes + REFRESH;
            residual = state.residual(self.options.criterion);
        }
        if residual < self.best_residual {
            self.best_residual = residual;
            state.save(&mut self.best);
        }
        if residual <= self.options.tolerance {
            self.verdict = Some(Verdict::Converged);
        } else if self.passes >= self.options.max_iterations {
            self.verdict = Some(Verdict::Ended(Reason::IterationLimit));
        } else if (self.stop)() {
            self.verdict = Some(Verdict::Ended(Reason::Stopped));
        }
        let (passes, last) = self.last_look.replace((self.passes, residual)).unwrap_or((self.passes, residual));
        let fall = (last / residual).ln() / (self.passes - passes).max(1) as f64;
        let left = (residual / self.options.tolerance).ln() / fall;
        // A fall that cannot be trusted (none yet, or a rise) means the shortest wait.
        let wait = if left.is_finite() && left > 0.0 { 0.5 * left } else { 0.0 };
        self.next_look = self.passes + (wait as u64).clamp(1, (self.passes / 4).max(1));
    }
}

impl<S: Assembled> Judge<S> for Watch<'_, S> {
    fn tell(&self, _contacts: usize) -> Tell {
        Tell::Nothing
    }

    fn done(&mut self, sweeps: u32, _tally: Tally, state: &mut S) -> bool {
        self.passes += u64::from(sweeps);
        if self.passes >= self.next_refresh {
            state.refresh();
            self.next_refresh = self.passes + REFRESH;
        }
        if self.passes >= self.next_look || self.passes >= self.options.max_iterations {
            self.look(state);
        }
        self.verdict.is_some()
    }
}
