//! Contact points of angular pairs, measured once where one step ends and the next begins.
//!
//! Under the Euler scheme a step looks back at the places where its bodies end, and the next step measures gaps at the same
//! places. So the look back finds contact points out to where the next step will want them, and they are kept. They are
//! notes of what would be found again: used only for bodies that are where they were then, and for gaps out to the same
//! distance, which follows from the state alone. A resumed run, which has no notes, measures and finds the same bits.
//!
//! Beside them is, for every pair that was apart, an axis along which it was (see [`crate::detect::Scratch::axis`]).

use crate::cell::Cell;
use crate::detect::Geometry;
use crate::shape::Shape;
use crate::step::{CLOSING, NEAR, Places};
use crate::world::World;
use riprap_solve::{Dim, Vector};

/// What was seen of all listed pairs.
#[derive(Clone, Debug)]
pub(crate) struct Seen<D: Dim> {
    /// By tasks, as the pairs are.
    pub chunks: Vec<SeenPairs<D>>,
    /// Where each body was.
    position: Vec<D::Vector>,
    orientation: Vec<D::Orientation>,
    cell: Cell<D>,
    /// Its place in the problem: pairs that nothing can move were not looked at.
    slots: Vec<u32>,
    /// The part of each body in the distance out to which points were looked for.
    reach: Vec<f64>,
}

/// What was seen of the pairs of one task.
#[derive(Clone, Debug)]
pub(crate) struct SeenPairs<D: Dim> {
    /// For each pair an axis along which it was apart, or zero; none if no body has corners.
    pub axes: Vec<D::Vector>,
    now: Points<D>,
    /// At the end of the step that is not yet taken.
    pub next: Points<D>,
}

/// The contact points of some pairs, one pair after the other.
#[derive(Clone, Debug)]
pub(crate) struct Points<D: Dim> {
    pub points: Vec<Geometry<D>>,
    /// Where those of each pair end.
    pub ends: Vec<u32>,
}

impl<D: Dim> Default for Seen<D> {
    fn default() -> Self {
        Seen {
            chunks: Vec::new(),
            position: Vec::new(),
            orientation: Vec::new(),
            cell: Cell::default(),
            slots: Vec::new(),
            reach: Vec::new(),
        }
    }
}

impl<D: Dim> Default for SeenPairs<D> {
    fn default() -> Self {
        SeenPairs { axes: Vec::new(), now: Points::default(), next: Points::default() }
    }
}

impl<D: Dim> Default for Points<D> {
    fn default() -> Self {
        Points { points: Vec::new(), ends: Vec::new() }
    }
}

impl<D: Dim> Seen<D> {
    /// Nothing was seen of the pairs of a new list.
    pub fn start(&mut self, tasks: usize) {
        *self = Seen { chunks: vec![SeenPairs::default(); tasks], ..Seen::default() };
    }

    /// The step is taken: what was seen at its end is where the next one begins.
    pub fn accept(&mut self, at: &Places<'_, D>, cell: Cell<D>, slots: &[u32], reach: Vec<f64>) {
        self.position.clear();
        self.position.extend_from_slice(at.position);
        self.orientation.clear();
        self.orientation.extend_from_slice(at.orientation);
        self.slots.clear();
        self.slots.extend_from_slice(slots);
        (self.cell, self.reach) = (cell, reach);
        for chunk in &mut self.chunks {
            std::mem::swap(&mut chunk.now, &mut chunk.next);
        }
    }

    /// Of which bodies what was seen still holds: they are where they were, and points are wanted as far out as then.
    pub fn holds_for(&self, at: &Places<'_, D>, cell: &Cell<D>, slots: &[u32], reach: &[f64]) -> Vec<bool> {
        let shape = |cell: &Cell<D>| (cell.origin, cell.period, cell.tilt);
        if self.reach.len() != reach.len() || shape(&self.cell) != shape(cell) {
            return vec![false; reach.len()];
        }
        let same = |body: usize| {
            self.reach[body] == reach[body]
                && self.slots[body] == slots[body]
                && self.position[body] == at.position[body]
                && self.orientation[body] == at.orientation[body]
        };
        (0..reach.len()).map(same).collect()
    }
}

impl<D: Dim> SeenPairs<D> {
    /// Makes room for the axes of this many pairs.
    pub fn make_room(&mut self, pairs: usize) {
        self.axes.resize(pairs, D::Vector::ZERO);
    }

    /// The contact points that a pair had.
    pub fn points(&self, pair: usize) -> &[Geometry<D>] {
        let Points { points, ends } = &self.now;
        let start = if pair == 0 { 0 } else { ends[pair - 1] };
        &points[start as usize..ends[pair] as usize]
    }
}

impl<D: Dim> World<D> {
    /// The gap up to which each body can make a pair take part in the next solve, by how it moves before that step and
    /// gravity; other forces can make it longer.
    pub(crate) fn reach_ahead(&self, velocity: &[D::Vector], spin: &[D::Spin]) -> Vec<f64> {
        let (hold, strain_rate) = (0.5 * self.hold_range(), self.strain_rate());
        // A little more than gravity, which may lift the next free velocity by rounding.
        let fall = 1.01 * self.settings.time_step * self.gravity.acceleration.length();
        let reach = |body: usize| self.reach_of(body, velocity[body], spin[body], strain_rate, fall);
        (0..self.bodies.len()).map(|body| hold.max(reach(body))).collect()
    }

    /// The gap up to which a body that moves like this, and by `more` faster, can make a pair take part in the solve.
    pub(crate) fn reach_of(&self, body: usize, velocity: D::Vector, spin: D::Spin, strain_rate: f64, more: f64) -> f64 {
        let turning = match self.bodies[body].shape {
            // The spin of a ball does not move its surface.
            Shape::Ball { .. } => 0.0,
            _ => spin.length() * self.bodies[body].search_radius().unwrap_or(self.cache.farthest),
        };
        let near = if self.cache.size[body].is_finite() { 0.5 * NEAR * self.cache.size[body] } else { 0.0 };
        let carried =
            if strain_rate > 0.0 { strain_rate * self.bodies[body].search_radius().unwrap_or(0.0) } else { 0.0 };
        CLOSING * self.settings.time_step * (velocity.length() + turning + carried + more) + near
    }
}
