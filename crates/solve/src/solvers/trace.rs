//! The way of a solve.

use super::policy::Plan;

/// What a solve did on its way. An iteration is a sweep forward and one backward.
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
    /// Times that momentum began from nothing.
    pub restarts: u32,
    /// Times that the few worst contacts were settled alone.
    pub patches: u32,
    /// Visits in patches, in passes over all contacts.
    pub patch_passes: f64,
    /// Times that compliant contacts became twice as soft.
    pub softened: u32,
}

impl Trace {
    /// The names of all numbers.
    pub const NAMES: [&str; 8] = [
        "plain_sweeps",
        "momentum_iterations",
        "unbound_iterations",
        "round_iterations",
        "restarts",
        "patches",
        "patch_passes",
        "softened",
    ];

    /// All numbers, in the order of their names.
    pub fn numbers(&self) -> [f64; Trace::NAMES.len()] {
        let counts = [self.plain, self.momentum, self.unbound, self.rounds, self.restarts, self.patches];
        let [plain, momentum, unbound, rounds, restarts, patches] = counts.map(f64::from);
        [plain, momentum, unbound, rounds, restarts, patches, self.patch_passes, f64::from(self.softened)]
    }

    /// The ways of two solves together.
    #[must_use]
    pub fn and(self, other: Trace) -> Trace {
        Trace {
            plain: self.plain + other.plain,
            momentum: self.momentum + other.momentum,
            unbound: self.unbound + other.unbound,
            rounds: self.rounds + other.rounds,
            restarts: self.restarts + other.restarts,
            patches: self.patches + other.patches,
            patch_passes: self.patch_passes + other.patch_passes,
            softened: self.softened + other.softened,
        }
    }

    /// Counts an iteration.
    pub(super) fn note(&mut self, plan: &Plan) {
        *if plan.momentum.cap.is_infinite() { &mut self.unbound } else { &mut self.momentum } += 1;
    }

    /// Counts a patch, if there was one.
    pub(super) fn note_patch(&mut self, passes: f64) {
        self.patches += u32::from(passes > 0.0);
        self.patch_passes += passes;
    }
}
