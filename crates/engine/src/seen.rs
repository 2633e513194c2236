//! Contact points of angular pairs, measured once where one step ends and the next begins.
//!
//! Under the Euler scheme a step looks back at the places where its bodies end, and the next step measures gaps at the same
//! places. So the look back finds contact points out to where the next step will want them, and they are kept. They are
//! notes of what would be found again: used only for bodies that are where they were then, and for gaps out to the same
//! distance, which follows from the state alone. A resumed run, which has no notes, measures and finds the same bits.
//!
//! Beside them is, for every pair that was apart, an axis along which it was (see [`crate::detect::Scratch::axis`]).

use crate::cell::Cell;
use crate::detect::{Geometry, Pair};
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
    /// The distance out to which points were looked for.
    reach: Reach<D>,
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
            reach: Reach::default(),
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
    pub fn accept(&mut self, at: &Places<'_, D>, cell: Cell<D>, slots: &[u32], reach: Reach<D>) {
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
    pub fn holds_for(&self, at: &Places<'_, D>, cell: &Cell<D>, slots: &[u32], reach: &Reach<D>) -> Vec<bool> {
        let shape = |cell: &Cell<D>| (cell.origin, cell.period, cell.tilt);
        let bodies = reach.own.len();
        if self.reach.own.len() != bodies
            || (self.reach.time, self.reach.least) != (reach.time, reach.least)
            || shape(&self.cell) != shape(cell)
        {
            return vec![false; bodies];
        }
        let same = |body: usize| {
            self.reach.own[body] == reach.own[body]
                && self.reach.velocity[body] == reach.velocity[body]
                && self.slots[body] == slots[body]
                && self.position[body] == at.position[body]
                && self.orientation[body] == at.orientation[body]
        };
        (0..bodies).map(same).collect()
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

/// The gap up to which a pair takes part in a solve: what its bodies come towards each other by, and a part of their own.
/// Bodies that move side by side, however fast, do not have to look far.
#[derive(Clone, Debug)]
pub(crate) struct Reach<D: Dim> {
    pub velocity: Vec<D::Vector>,
    /// For this time, with a margin, bodies go on with their velocities.
    pub time: f64,
    /// The part of each body that does not depend on the other one.
    pub own: Vec<f64>,
    /// The least gap.
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
}

impl<D: Dim> World<D> {
    /// The gap up to which pairs take part in the next solve, by how bodies move before that step and gravity; other forces
    /// can make it longer.
    pub(crate) fn reach_ahead(&self, velocity: &[D::Vector], spin: &[D::Spin]) -> Reach<D> {
        let strain_rate = self.strain_rate();
        // A little more than gravity, which may lift the next free velocity by rounding.
        let fall = 1.01 * self.settings.time_step * self.gravity.acceleration.length();
        let own = |body: usize| self.own_reach(body, spin[body], strain_rate, fall);
        Reach {
            velocity: velocity.to_vec(),
            time: CLOSING * self.settings.time_step,
            own: (0..self.bodies.len()).map(own).collect(),
            least: self.hold_range(),
        }
    }

    /// The part of a body that turns like this, and moves by `more` faster than is known, in the reach of its pairs.
    pub(crate) fn own_reach(&self, body: usize, spin: D::Spin, strain_rate: f64, more: f64) -> f64 {
        let turning = match self.bodies[body].shape {
            // The spin of a ball does not move its surface.
            Shape::Ball { .. } => 0.0,
            _ => spin.length() * self.bodies[body].search_radius().unwrap_or(self.cache.farthest),
        };
        let near = if self.cache.size[body].is_finite() { 0.5 * NEAR * self.cache.size[body] } else { 0.0 };
        let carried =
            if strain_rate > 0.0 { strain_rate * self.bodies[body].search_radius().unwrap_or(0.0) } else { 0.0 };
        CLOSING * self.settings.time_step * (turning + carried + more) + near
    }
}
