//! How far apart two bodies may be and still take part in a solve.

use crate::detect::Pair;
use riprap_solve::{Dim, Vector};

/// The gap up to which a pair takes part in a solve: the distance by which its bodies approach each other, plus a
/// contribution of each body. Bodies that move side by side, however fast, need not look far.
#[derive(Clone, Debug)]
pub(crate) struct Reach<D: Dim> {
    /// The velocity of each body.
    pub velocity: Vec<D::Vector>,
    /// The time, with a margin, for which bodies keep these velocities.
    pub time: f64,
    /// Each body's own contribution, which does not depend on the other one.
    pub own: Vec<f64>,
    /// The smallest gap for any pair.
    pub least: f64,
}

impl<D: Dim> Default for Reach<D> {
    fn default() -> Self {
        Reach { velocity: Vec::new(), time: 0.0, own: Vec::new(), least: 0.0 }
    }
}

impl<D: Dim> Reach<D> {
    /// The gap for a pair.
    pub fn of(&self, pair: &Pair) -> f64 {
        let [a, b] = pair.bodies.map(|body| body as usize);
        let approach = self.time * (self.velocity[b] - self.velocity[a]).length();
        self.least.max(approach + self.own[a] + self.own[b])
    }

    /// The gap for a pair, or zero where no reach was computed.
    pub fn or_zero(&self, pair: &Pair) -> f64 {
        if self.own.is_empty() { 0.0 } else { self.of(pair) }
    }
}
