//! What bodies bring in and take away that are added or removed during a run.

use riprap_solve::Dim;
use std::ops::AddAssign;

/// The sums, since the start of a run, over the bodies that were added and over those that were removed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Exchange<D: Dim> {
    /// Brought in by bodies that were added.
    pub added: Inventory<D>,
    /// Taken away with bodies that were removed.
    pub removed: Inventory<D>,
}

/// What bodies have of the quantities that are balanced, at the moment when they are added or removed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Inventory<D: Dim> {
    /// The number of bodies.
    pub bodies: u64,
    /// Mass.
    pub mass: f64,
    /// Momentum, imposed motions excluded.
    pub momentum: D::Vector,
    /// Angular momentum about the origin, imposed motions excluded.
    pub angular_momentum: D::Spin,
    /// Kinetic energy, imposed motions excluded.
    pub kinetic: f64,
    /// Potential energy in gravity.
    pub potential: f64,
}

impl<D: Dim> AddAssign for Inventory<D> {
    fn add_assign(&mut self, other: Self) {
        self.bodies += other.bodies;
        self.mass += other.mass;
        self.momentum += other.momentum;
        self.angular_momentum += other.angular_momentum;
        self.kinetic += other.kinetic;
        self.potential += other.potential;
    }
}
