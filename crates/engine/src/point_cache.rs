//! A cache of contact points of angular pairs, measured once where one step ends and the next begins.
//!
//! Under the Euler scheme a step is verified with its bodies where they end, and the next step measures gaps at the same
//! places. So verification finds contact points out to the distance that the next step will need, and they are cached.
//! An entry is used only for bodies that have not moved since, and for gaps out to the same distance, which follows from
//! the state alone: a resumed run, whose cache is empty, measures again and finds the same bits.
//!
//! Also cached: a separating axis for every separated pair (see [`crate::detect::Scratch::axis`]).

use crate::cell::Cell;
use crate::detect::Geometry;
use crate::reach::Reach;
use crate::state::Places;
use riprap_solve::{Dim, Vector};

/// The cached points of all listed pairs, with what they depend on.
#[derive(Clone, Debug)]
pub(crate) struct PointCache<D: Dim> {
    /// One cache per task, as the pairs are divided.
    pub chunks: Vec<ChunkPoints<D>>,
    /// Where each body was.
    position: Vec<D::Vector>,
    orientation: Vec<D::Orientation>,
    cell: Cell<D>,
    /// Each body's place in the problem: pairs that nothing can move were not measured.
    slots: Vec<u32>,
    /// The distance out to which points were looked for.
    reach: Reach<D>,
}

/// The cached points of one task's pairs.
#[derive(Clone, Debug)]
pub(crate) struct ChunkPoints<D: Dim> {
    /// For each pair an axis that separated it, or zero; empty if no body has corners.
    pub axes: Vec<D::Vector>,
    /// Where the step begins.
    now: PointList<D>,
    /// Where the step will end, if it is accepted.
    pub next: PointList<D>,
}

/// The contact points of several pairs, one pair after the other.
#[derive(Clone, Debug)]
pub(crate) struct PointList<D: Dim> {
    points: Vec<Geometry<D>>,
    /// The end of each pair's points.
    ends: Vec<u32>,
}

impl<D: Dim> Default for PointCache<D> {
    fn default() -> Self {
        PointCache {
            chunks: Vec::new(),
            position: Vec::new(),
            orientation: Vec::new(),
            cell: Cell::default(),
            slots: Vec::new(),
            reach: Reach::default(),
        }
    }
}

impl<D: Dim> Default for ChunkPoints<D> {
    fn default() -> Self {
        ChunkPoints { axes: Vec::new(), now: PointList::default(), next: PointList::default() }
    }
}

impl<D: Dim> Default for PointList<D> {
    fn default() -> Self {
        PointList { points: Vec::new(), ends: Vec::new() }
    }
}

impl<D: Dim> PointCache<D> {
    /// Empties the cache for a new list of pairs.
    pub fn reset(&mut self, tasks: usize) {
        *self = PointCache { chunks: vec![ChunkPoints::default(); tasks], ..PointCache::default() };
    }

    /// The step is accepted: the points found at its end are those where the next one begins.
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

    /// For which bodies the cache is valid: they have not moved, and points are needed out to the same distance.
    pub fn valid_for(&self, at: &Places<'_, D>, cell: &Cell<D>, slots: &[u32], reach: &Reach<D>) -> Vec<bool> {
        let shape = |cell: &Cell<D>| (cell.origin, cell.period, cell.tilt);
        let bodies = reach.bodies.len();
        if self.reach.bodies.len() != bodies
            || (self.reach.time, self.reach.least) != (reach.time, reach.least)
            || shape(&self.cell) != shape(cell)
        {
            return vec![false; bodies];
        }
        let same = |body: usize| {
            let (cached, needed) = (&self.reach.bodies[body], &reach.bodies[body]);
            (cached.own, cached.velocity) == (needed.own, needed.velocity)
                && self.slots[body] == slots[body]
                && self.position[body] == at.position[body]
                && self.orientation[body] == at.orientation[body]
        };
        (0..bodies).map(same).collect()
    }
}

impl<D: Dim> ChunkPoints<D> {
    /// Makes room for the axes of this many pairs, and for points found anew.
    pub fn prepare(&mut self, pairs: usize) {
        self.axes.resize(pairs, D::Vector::ZERO);
        self.next.points.clear();
        self.next.ends.clear();
    }

    /// The cached points of a pair.
    pub fn points(&self, pair: usize) -> &[Geometry<D>] {
        let PointList { points, ends } = &self.now;
        let start = if pair == 0 { 0 } else { ends[pair - 1] };
        &points[start as usize..ends[pair] as usize]
    }
}

impl<D: Dim> PointList<D> {
    /// The next pair has these points.
    pub fn push(&mut self, points: &[Geometry<D>]) {
        self.points.extend_from_slice(points);
        self.ends.push(self.points.len() as u32);
    }
}
