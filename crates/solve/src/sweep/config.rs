//! What a pass over contacts is to do: its action, what it measures, which contacts it visits, and how they are tuned.

use super::lanes::Real;

/// What a pass does at every contact it visits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pass {
    /// Solves the contact given all others: a Gauss–Seidel sweep.
    Sweep(Measure),
    /// Adds `M⁻¹ H p` to the velocities.
    Apply,
    /// Measures how far the contact is from its law.
    Residual,
}

/// What a sweep measures on its way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Measure {
    /// Nothing: the fastest.
    Nothing,
    /// The size of the impulses and of their changes.
    Change,
    /// The largest relative change of a force as well.
    Forces {
        /// Forces below this are compared with it instead of themselves.
        floor: f64,
    },
}

impl Measure {
    /// The floor below which forces are not compared with themselves; zero if no forces are compared.
    pub fn floor(self) -> f64 {
        match self {
            Measure::Forces { floor } => floor,
            _ => 0.0,
        }
    }
}

/// The contacts that a sweep visits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visits {
    /// All of them.
    All,
    /// Those in batches that carry an impulse, and those that are visited one at a time for their own law.
    Carrying,
}

/// The configuration of a pass.
#[derive(Clone, Copy, Debug)]
pub struct PassConfig {
    /// What is done at each contact.
    pub pass: Pass,
    /// How contacts are tuned.
    pub tuning: Tuning,
    /// Which contacts are visited.
    pub visits: Visits,
}

impl PassConfig {
    /// A pass over all contacts.
    pub fn new(pass: Pass, tuning: Tuning) -> Self {
        PassConfig { pass, tuning, visits: Visits::All }
    }
}

/// What a solver may change about the contacts during a solve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tuning {
    /// `1/(K δt²)`; 0 is rigid.
    pub compliance: f64,
    /// The part of the normal correction that a sliding contact takes (docs/solvers.md); 1 is all of it.
    pub sliding: f64,
    /// The part of every correction that a contact of two balls takes; 1 is all of it.
    pub relaxation: f64,
}

impl Tuning {
    /// Contacts that are updated in the plain way.
    pub const PLAIN: Tuning = Tuning { compliance: 0.0, sliding: 1.0, relaxation: 1.0 };

    /// True if contacts are not updated in the plain way.
    pub fn is_special(self) -> bool {
        self != Tuning::PLAIN
    }

    /// The part of the normal correction to take where the undamped tangent has this `limit`, and `inverse` is one over its
    /// length: all while it is below half of the limit, `sliding` from the limit on, and linear between, since a switch would
    /// make limit cycles of its own. A contact that opens does so at once.
    #[inline(always)]
    pub fn part<T: Real>(self, limit: T, inverse: T) -> T {
        let (zero, one) = (T::splat(0.0), T::splat(1.0));
        let over = (T::splat(2.0) - limit * inverse).max(zero).min(one);
        limit.select_below(zero, one, one - over * T::splat(1.0 - self.sliding))
    }
}
