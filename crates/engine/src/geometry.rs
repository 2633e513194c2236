//! Gaps and contact points of listed pairs, and the walk over all of them.

use crate::cache::PAIRS_PER_TASK;
use crate::detect::{Geometry, Pair, Placed, Posed, Poses, Scratch, contact_points, gap, gap_of_balls, is_simple};
use crate::point_cache::ChunkPoints;
use crate::state::Places;
use crate::world::World;
use rayon::prelude::*;
use riprap_solve::problem::GROUND;
use riprap_solve::{Dim, Vector};

/// One task's walk over its pairs: finds the contact points of one pair after the other.
pub(crate) struct PairWalk<'a, D: Dim> {
    /// The cached points of the task's pairs.
    cache: &'a mut ChunkPoints<D>,
    /// The place of the pair among those of the task.
    place: usize,
    scratch: Scratch<D>,
    points: Vec<Geometry<D>>,
}

impl<D: Dim> PairWalk<'_, D> {
    /// Measures the contact points of the pair within a distance.
    pub fn measure(&mut self, world: &World<D>, pair: &Pair, at: &Places<'_, D>, poses: &Poses<D>, within: f64) {
        self.points.clear();
        if world.is_listed_round(pair) {
            self.points.push(world.listed_geometry(pair, at.position));
            return;
        }
        self.scratch.axis = self.cache.axes.get(self.place).copied().unwrap_or(D::Vector::ZERO);
        world.contact_points(pair, at, poses, within, &mut self.scratch, &mut self.points);
        if let Some(axis) = self.cache.axes.get_mut(self.place) {
            *axis = self.scratch.axis;
        }
    }

    /// Takes the cached contact points of the pair.
    pub fn recall(&mut self) {
        self.points.clear();
        self.points.extend_from_slice(self.cache.points(self.place));
    }

    /// The points that were measured or recalled last.
    pub fn points(&self) -> &[Geometry<D>] {
        &self.points
    }

    /// Caches these points for the next step if the pair is angular; of every other pair, that there are none. To be
    /// called once for every pair of a world with corners.
    pub fn keep(&mut self, found: bool) {
        self.cache.next.push(if found { &self.points } else { &[] });
    }
}

impl<D: Dim> World<D> {
    /// Visits the listed pairs with their numbers, from the first of task `first` on: one chunk of the list per task. What the
    /// tasks find is put into the first entries of `found`, in the order of the list; these are emptied by `empty`, and their
    /// memory is used again.
    pub(crate) fn for_pairs<T: Default + Send>(
        &self,
        first: usize,
        chunks: &mut [ChunkPoints<D>],
        found: &mut Vec<T>,
        empty: impl Fn(&mut T) + Sync,
        visit: impl Fn(&mut T, &mut PairWalk<'_, D>, u32, &Pair) + Sync,
    ) {
        let has_corners = !self.cache.poses.is_empty();
        let tasks = self.cache.pairs.pairs[first * PAIRS_PER_TASK..].par_chunks(PAIRS_PER_TASK).zip(chunks);
        found.resize_with(found.len().max(tasks.len()), T::default);
        tasks.zip(found).enumerate().for_each(|(task, ((pairs, cache), found))| {
            cache.prepare(if has_corners { pairs.len() } else { 0 });
            empty(found);
            let mut walk = PairWalk { cache, place: 0, scratch: Scratch::default(), points: Vec::new() };
            for (place, pair) in pairs.iter().enumerate() {
                walk.place = place;
                visit(found, &mut walk, ((first + task) * PAIRS_PER_TASK + place) as u32, pair);
            }
        });
    }

    /// True for two balls whose gap is larger than `reach`: a quick test without a square root.
    #[inline]
    pub(crate) fn far_apart(&self, pair: &Pair, position: &[D::Vector], reach: f64) -> bool {
        let [a, b] = pair.bodies.map(|body| body as usize);
        let sum = self.cache.radius[a] + self.cache.radius[b] + reach;
        let away = position[b] + self.image_shift(pair) - position[a];
        // The radius of a wall is NaN, and no comparison with it holds.
        away.dot(away) > sum * sum
    }

    /// True if impulses can move at least one of the two bodies.
    pub(crate) fn can_move(&self, pair: &Pair) -> bool {
        pair.bodies.iter().any(|&body| self.cache.slots[body as usize] != GROUND)
    }

    /// True if the gap of a listed pair is one formula.
    #[inline]
    pub(crate) fn is_listed_round(&self, pair: &Pair) -> bool {
        self.listed_ball_radii(pair).is_some() || self.is_round(pair)
    }

    /// True if the gap of a pair is one formula: of balls, and of a ball and a wall that is not angular.
    #[inline]
    pub(crate) fn is_round(&self, pair: &Pair) -> bool {
        let [a, b] = pair.bodies.map(|body| &self.bodies[body as usize].shape);
        b.ball_radius().is_some() && is_simple(a)
    }

    /// The contact points of a pair within a distance, added to `found`.
    pub(crate) fn contact_points(
        &self,
        pair: &Pair,
        at: &Places<'_, D>,
        poses: &Poses<D>,
        within: f64,
        scratch: &mut Scratch<D>,
        found: &mut Vec<Geometry<D>>,
    ) {
        let posed = |body: u32, shift: D::Vector| Posed {
            placed: Placed {
                shape: &self.bodies[body as usize].shape,
                position: at.position[body as usize] + shift,
                orientation: at.orientation[body as usize],
            },
            body,
            poses,
        };
        let [first, second] = [posed(pair.bodies[0], D::Vector::ZERO), posed(pair.bodies[1], self.image_shift(pair))];
        contact_points(first, second, within, scratch, found);
    }

    /// The radii of a listed pair if both bodies are balls.
    #[inline]
    fn listed_ball_radii(&self, pair: &Pair) -> Option<[f64; 2]> {
        let radii = pair.bodies.map(|body| self.cache.ball_radius[body as usize]);
        (!radii[0].is_nan() && !radii[1].is_nan()).then_some(radii)
    }

    /// The gap of a listed round pair with the bodies at `position`: that of two balls, of which there are most, without a
    /// look at their shapes.
    #[inline]
    pub(crate) fn listed_geometry(&self, pair: &Pair, position: &[D::Vector]) -> Geometry<D> {
        let Some(radii) = self.listed_ball_radii(pair) else { return self.geometry(pair, position) };
        let [first, second] = pair.bodies.map(|body| position[body as usize]);
        let second = second + self.image_shift(pair);
        gap_of_balls(second, second - first, radii)
    }

    /// The gap of a round pair with the bodies at `position`.
    pub(crate) fn geometry(&self, pair: &Pair, position: &[D::Vector]) -> Geometry<D> {
        let placed = |body: u32, shift: D::Vector| Placed {
            shape: &self.bodies[body as usize].shape,
            position: position[body as usize] + shift,
            orientation: self.state.orientation[body as usize],
        };
        gap(placed(pair.bodies[0], D::Vector::ZERO), placed(pair.bodies[1], self.image_shift(pair)))
    }

    /// From body 2 to the image of it that belongs to the pair.
    #[inline]
    pub(crate) fn image_shift(&self, pair: &Pair) -> D::Vector {
        if pair.offset == [0; 3] { D::Vector::ZERO } else { self.state.cell.shift(pair.offset) }
    }
}
