//! The phases of a solve.

use super::policy::Plan;

/// What a solve did, phase by phase. An iteration is a sweep forward and one backward.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Trace {
    /// Plain sweeps.
    pub plain: u32,
    /// Iterations with momentum up to its bound.
    pub momentum: u32,
    /// Iterations with momentum without a bound.
    pub unbound: u32,
    /// Iterations in rounds, with momentum around them.
    pub rounds: u32,
    /// Restarts of the momentum.
    pub restarts: u32,
    /// Times that compliant contacts became twice as soft.
    pub softened: u32,
}

impl Trace {
    /// The names of all numbers.
    pub const NAMES: [&str; 6] =
        ["plain_sweeps", "momentum_iterations", "unbound_iterations", "round_iterations", "restarts", "softened"];

    /// All numbers, in the order of their names.
    pub fn numbers(&self) -> [f64; Trace::NAMES.len()] {
        [self.plain, self.momentum, self.unbound, self.rounds, self.restarts, self.softened].map(f64::from)
    }

    /// The sum of two traces.
    #[must_use]
    pub fn and(self, other: Trace) -> Trace {
        Trace {
            plain: self.plain + other.plain,
            momentum: self.momentum + other.momentum,
            unbound: self.unbound + other.unbound,
            rounds: self.rounds + other.rounds,
            restarts: self.restarts + other.restarts,
            softened: self.softened + other.softened,
        }
    }

    /// Counts an iteration.
    pub(super) fn note(&mut self, plan: &Plan) {
        *if plan.momentum.cap.is_infinite() { &mut self.unbound } else { &mut self.momentum } += 1;
    }
}
