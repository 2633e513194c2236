//! How far apart two bodies may be and still take part in a solve.

use crate::detect::Pair;
use riprap_solve::{Dim, Vector};

/// The gap up to which a pair takes part in a solve: the distance by which its bodies approach each other, plus a
/// contribution of each body. Bodies that move side by side, however fast, need not look far.
#[derive(Clone, Debug)]
pub(crate) struct Reach<D: Dim> {
    /// What there is to know of each body.
    pub bodies: Vec<BodyReach<D>>,
    /// The time, with a margin, for which bodies keep their velocities.
    pub time: f64,
    /// The smallest gap for any pair.
    pub least: f64,
}

/// A body as the walk over pairs meets it, in a line of the cache.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct BodyReach<D: Dim> {
    pub velocity: D::Vector,
    /// Its contribution, which does not depend on the other body.
    pub own: f64,
    pub position: D::Vector,
    /// The radius of a ball that impulses can move; NaN for other bodies.
    pub radius: f64,
}

impl<D: Dim> Default for Reach<D> {
    fn default() -> Self {
        Reach { bodies: Vec::new(), time: 0.0, least: 0.0 }
    }
}

impl<D: Dim> Reach<D> {
    /// The two bodies of a pair.
    #[inline]
    pub fn of_bodies(&self, pair: &Pair) -> [&BodyReach<D>; 2] {
        pair.bodies.map(|body| &self.bodies[body as usize])
    }

    /// The gap for a pair.
    #[inline]
    pub fn of(&self, pair: &Pair) -> f64 {
        let [a, b] = self.of_bodies(pair);
        let approach = self.time * (b.velocity - a.velocity).length();
        self.least.max(approach + a.own + b.own)
    }

    /// The gap for a pair, or zero where no reach was computed.
    pub fn or_zero(&self, pair: &Pair) -> f64 {
        if self.bodies.is_empty() { 0.0 } else { self.of(pair) }
    }
}
