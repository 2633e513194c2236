//! Gaps and normals of the listed pairs: which of them become contacts of the problem.

use crate::detect::{Geometry, Pair, gap_of_balls};
use crate::geometry::PairWalk;
use crate::observer::{Observer, Stage};
use crate::reach::{BodyReach, Reach};
use crate::settings::Scheme;
use crate::work::Work;
use crate::world::World;
use riprap_solve::problem::GROUND;
use riprap_solve::{Dim, Problem, Vector};

/// Under the Euler scheme a pair whose gap is below this fraction of the smaller radius takes part in the solve, whatever
/// its velocity. Others take part if they close; a pair that closes and was left out is found by [`World::verify`].
const NEAR: f64 = 0.05;
/// Pairs that would close at this many times their speed take part.
const CLOSING: f64 = 1.5;

/// Tasks whose points are found before contacts are made at them: work for all threads, while the points of a million grains
/// never take more than some 10 MB.
const TASKS_AT_ONCE: usize = 64;

impl<D: Dim> World<D> {
    /// Measures the gaps of the listed pairs, finds the points that take part in the solve, and makes contacts at them
    /// (`recall_impulses.rs`), a part of the list after the other.
    pub(crate) fn measure_gaps_and_recall_impulses(&mut self, observer: &mut dyn Observer, step: &mut Work<D>) {
        observer.begin(Stage::MeasureGaps);
        self.reach_of_step(&step.problem, &mut step.reach);
        self.cache.poses.turn(&self.bodies, &self.state.orientation);
        let mut chunks = std::mem::take(&mut self.cache.points.chunks);
        let mut found = std::mem::take(&mut step.found);
        let mut making = self.begin_contacts(step);
        let candidates = Candidates::new(self, step);
        let mut first = 0;
        loop {
            let tasks = first..chunks.len().min(first + TASKS_AT_ONCE);
            self.for_pairs(first, &mut chunks[tasks.clone()], &mut found, Vec::clear, |found, walk, index, pair| {
                candidates.add_contacts(walk, index, pair, found);
            });
            observer.begin(Stage::RecallImpulses);
            self.recall_impulses(&found[..tasks.len()], &step.rejected, &mut making);
            first = tasks.end;
            if first == chunks.len() {
                break;
            }
            observer.begin(Stage::MeasureGaps);
        }
        making.end(step);
        self.cache.points.chunks = chunks;
        step.found = found;
    }

    /// The gap up to which pairs take part in this solve, by the free velocities.
    fn reach_of_step(&self, problem: &Problem<D>, reach: &mut Reach<D>) {
        let strain_rate = if self.cell_driver.is_some() { self.strain_rate() } else { 0.0 };
        let (time, least) = match self.settings.scheme {
            Scheme::Midpoint { tolerance } => (0.0, self.cohesive_range().max(tolerance)),
            Scheme::Euler { .. } => (CLOSING * self.time_step(), self.cohesive_range()),
        };
        (reach.time, reach.least) = (time, least);
        reach.bodies.clear();
        for (body, &slot) in self.cache.slots.iter().enumerate() {
            let (velocity, spin, radius) = if slot == GROUND {
                (self.state.velocity[body], self.state.spin[body], f64::NAN)
            } else {
                let free = &problem.bodies[slot as usize];
                (free.velocity, free.spin, self.cache.ball_radius[body])
            };
            let own = if time > 0.0 { self.own_reach(body, spin, strain_rate, 0.0) } else { 0.0 };
            reach.bodies.push(BodyReach { velocity, own, position: self.state.position[body], radius });
        }
    }

    /// The gap up to which pairs take part in the next solve, by the motion before that step and by gravity; other forces
    /// can extend it.
    pub(crate) fn reach_ahead(&self, velocity: &[D::Vector], spin: &[D::Spin]) -> Reach<D> {
        let strain_rate = self.strain_rate();
        // A little more than gravity, since rounding may raise the next free velocity.
        let fall = 1.01 * self.time_step() * self.gravity.largest();
        let of_body = |body: usize| BodyReach {
            velocity: velocity[body],
            own: self.own_reach(body, spin[body], strain_rate, fall),
            position: self.state.position[body],
            radius: f64::NAN,
        };
        Reach {
            bodies: (0..self.bodies.len()).map(of_body).collect(),
            time: CLOSING * self.time_step(),
            least: self.cohesive_range(),
        }
    }

    /// The contribution to the reach of its pairs of a body that spins, and may be faster than known by `more`.
    fn own_reach(&self, body: usize, spin: D::Spin, strain_rate: f64, more: f64) -> f64 {
        let turning = match self.cache.ball_radius[body].is_nan() {
            // The spin of a ball does not move its surface.
            false => 0.0,
            true => spin.length() * self.bodies[body].search_radius().unwrap_or(self.cache.farthest),
        };
        let near = if self.cache.size[body].is_finite() { 0.5 * NEAR * self.cache.size[body] } else { 0.0 };
        let carried =
            if strain_rate > 0.0 { strain_rate * self.bodies[body].search_radius().unwrap_or(0.0) } else { 0.0 };
        CLOSING * self.time_step() * (turning + carried + more) + near
    }
}

/// What decides which points of which pairs take part in the solve.
struct Candidates<'a, D: Dim> {
    world: &'a World<D>,
    problem: &'a Problem<D>,
    /// Pairs that a solve of this step left out and should not have.
    missed: &'a [u32],
    reach: &'a Reach<D>,
    /// Pairs that cohesion held in the last step.
    cohesive: Vec<u32>,
    /// The distance out to which points are cached. It follows from the state, so that a run without the cache looks just
    /// as far.
    cached_reach: Reach<D>,
    /// The bodies whose cached points are valid.
    is_cached: Vec<bool>,
}

impl<'a, D: Dim> Candidates<'a, D> {
    fn new(world: &'a World<D>, step: &'a Work<D>) -> Self {
        let cached_reach = if !world.cache.poses.is_empty() && world.settings.is_euler() {
            world.reach_ahead(&step.velocity_before, &step.spin_before)
        } else {
            Reach::default()
        };
        let (places, cell, slots) = (world.state.places(), &world.state.cell, &world.cache.slots);
        Candidates {
            is_cached: world.cache.points.valid_for(&places, cell, slots, &cached_reach),
            cached_reach,
            cohesive: world.cohesive_pairs(),
            problem: &step.problem,
            missed: &step.missed,
            reach: &step.reach,
            world,
        }
    }

    /// Adds the contacts of a pair, with its number.
    #[inline]
    fn add_contacts(&self, walk: &mut PairWalk<'_, D>, index: u32, pair: &Pair, found: &mut Vec<(u32, Geometry<D>)>) {
        let world = self.world;
        let is_missed = self.missed.binary_search(&index).is_ok();
        let needed = if is_missed { f64::INFINITY } else { self.reach.of(pair) };
        let [a, b] = self.reach.of_bodies(pair);
        if a.radius.is_nan() || b.radius.is_nan() {
            return self.add_others(is_missed, needed, walk, index, pair, found);
        }
        // Two balls, of which there are most: nothing more has to be looked up.
        let place = b.position + world.image_shift(pair);
        let (away, sum) = (place - a.position, a.radius + b.radius + needed);
        if away.dot(away) > sum * sum {
            return;
        }
        let geometry = gap_of_balls(place, away, [a.radius, b.radius]);
        let opening = b.velocity - a.velocity + world.carried_apart_between(pair.bodies, pair.offset);
        if self.takes_part(is_missed, f64::min(a.radius, b.radius), &geometry, || opening)
            || world.is_held_together(&self.cohesive, index, pair, geometry.gap)
        {
            found.push((index, geometry));
        }
    }

    /// Adds the contacts of a pair that is not one of two balls that can move.
    #[inline(never)]
    fn add_others(
        &self,
        is_missed: bool,
        needed: f64,
        walk: &mut PairWalk<'_, D>,
        index: u32,
        pair: &Pair,
        found: &mut Vec<(u32, Geometry<D>)>,
    ) {
        let world = self.world;
        if world.far_apart(pair, &world.state.position, needed) || !world.can_move(pair) {
            return;
        }
        if world.is_listed_round(pair) {
            self.add_point(is_missed, index, pair, &world.listed_geometry(pair, &world.state.position), found);
            return;
        }
        let within = self.cached_reach.or_zero(pair);
        let is_cached = |body: u32| self.is_cached.get(body as usize) == Some(&true);
        if needed <= within && pair.bodies.into_iter().all(is_cached) {
            walk.recall();
        } else {
            walk.measure(world, pair, &world.state.places(), &world.cache.poses, needed.max(within));
        }
        for geometry in walk.points() {
            self.add_point(is_missed, index, pair, geometry, found);
        }
    }

    /// Adds a contact at a point of a pair, if that takes part.
    #[inline]
    fn add_point(
        &self,
        is_missed: bool,
        index: u32,
        pair: &Pair,
        geometry: &Geometry<D>,
        found: &mut Vec<(u32, Geometry<D>)>,
    ) {
        let opening = || {
            self.free_surface_velocity(pair.bodies[1], geometry.point)
                - self.free_surface_velocity(pair.bodies[0], geometry.point)
                + self.world.carried_apart_between(pair.bodies, pair.offset)
        };
        if self.takes_part(is_missed, self.world.smaller_radius(pair.bodies), geometry, opening)
            || self.world.is_held_together(&self.cohesive, index, pair, geometry.gap)
        {
            found.push((index, *geometry));
        }
    }

    /// True if a point takes part by its gap and by how fast it opens, compared with the radius of the smaller body.
    #[inline]
    fn takes_part(
        &self,
        is_missed: bool,
        radius: f64,
        geometry: &Geometry<D>,
        opening: impl FnOnce() -> D::Vector,
    ) -> bool {
        match self.world.settings.scheme {
            Scheme::Midpoint { tolerance } => geometry.gap <= tolerance,
            Scheme::Euler { .. } => {
                let closing = f64::min(opening().dot(geometry.normal), 0.0);
                geometry.gap + CLOSING * self.world.time_step() * closing <= NEAR * radius || is_missed
            }
        }
    }

    /// Velocity of a body's surface at `point`, without contact impulses. Of a ball only the centre counts here, since
    /// its spin does not move the gap.
    fn free_surface_velocity(&self, body: u32, point: D::Vector) -> D::Vector {
        let (world, index) = (self.world, body as usize);
        let state = &world.state;
        match world.cache.slots[index] {
            GROUND => state.velocity[index] + D::cross(state.spin[index], point - state.position[index]),
            slot if !world.cache.ball_radius[index].is_nan() => self.problem.bodies[slot as usize].velocity,
            slot => {
                let free = &self.problem.bodies[slot as usize];
                free.velocity + D::cross(free.spin, point - state.position[index])
            }
        }
    }
}
