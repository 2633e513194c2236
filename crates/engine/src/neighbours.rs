//! Keeps the list of pairs good from step to step, and the contacts of the last step in its order.

use crate::body::Body;
use crate::cache::{Cache, PAIRS_PER_TASK};
use crate::contact::Contact;
use crate::detect::{Pair, PairList};
use crate::report::StepError;
use crate::settings::Scheme;
use crate::stretching::Carrying;
use crate::work::Work;
use crate::world::World;
use rayon::prelude::*;
use riprap_solve::problem::GROUND;
use riprap_solve::{Dim, Vector};

/// How many steps a new list should last.
const LIFETIME: f64 = 12.0;
/// Bounds of the reach, in units of the mean radius; a list that would not last for the next step may exceed the upper one.
const REACH: [f64; 2] = [0.05, 0.5];
/// Grains are at most this many of their radii away from the origin. A place is then known to 2e-7 of the radius or
/// better, and gaps with it.
pub const FARTHEST_RADII: f64 = 1e9;
/// The strain of the cell in one step from which no reach is long enough: what is not listed comes closer by this part of its
/// distance, and reaches grow in proportion to it.
const MOST_STRAIN: f64 = 0.5;
/// Pairs are listed out to this many times the length of the longest capillary bridge.
const ROOM: f64 = 1.2;

impl<D: Dim> World<D> {
    /// Makes sure that the list contains every pair that can touch in this step; true if it had to be made anew.
    pub(crate) fn find_pairs(&mut self, step: &mut Work<D>) -> Result<bool, StepError> {
        if !self.cache.listed && self.state.search.position.len() == self.bodies.len() {
            self.make_list_again();
        }
        let ahead = match self.settings.scheme {
            Scheme::Midpoint { .. } => 0.0,
            Scheme::Euler { .. } => self.time_step(),
        };
        let rebuild = !self.cache.listed || self.cache.outrun || !self.list_holds_for(ahead);
        if rebuild {
            // The contacts of the step are still to be made.
            self.make_list(&mut step.contacts)?;
            self.cache.outrun = false;
        }
        self.number_slots();
        Ok(rebuild)
    }

    /// The bodies of a solve outran the list: the next list has to hold for the velocities found, and for those that other
    /// solves of the same step found before, or two solves could undo each other's list for ever. An error if the cell changes
    /// so much in one step that no list can hold.
    pub(crate) fn outrun_list(&mut self) -> Result<(), StepError> {
        let strain = self.carrying(self.move_after_solve()).map_or(0.0, |carrying| carrying.strain());
        // An older list has seen the strain of the steps before, too.
        if self.cache.failures > 0 && (strain.is_nan() || strain >= MOST_STRAIN) {
            return Err(StepError::CellTooFast { step: self.state.step + 1 });
        }
        let Cache { fastest, strain: most_strain, outrun, failures, .. } = &mut self.cache;
        *most_strain = most_strain.max(strain.min(MOST_STRAIN));
        fastest.resize(self.state.velocity.len(), D::Vector::ZERO);
        for (fastest, &found) in fastest.iter_mut().zip(&self.state.velocity) {
            if found.dot(found) > fastest.dot(*fastest) {
                *fastest = found;
            }
        }
        *outrun = true;
        *failures += 1;
        Ok(())
    }

    /// Called when the list was complete for a whole step.
    pub(crate) fn hold_list(&mut self) {
        self.cache.fastest.clear();
        self.cache.strain = 0.0;
        self.cache.failures = 0;
    }

    /// True if the list is still complete after the bodies have moved like this for `time`.
    pub(crate) fn list_holds_for(&self, time: f64) -> bool {
        let search = &self.state.search;
        let carrying = self.carrying(time);
        let strain = carrying.as_ref().map_or(0.0, Carrying::strain);
        let drifted = search.drift * (self.state.time - search.time + time);
        self.range() <= search.range
            && (0..self.bodies.len()).into_par_iter().with_min_len(4096).all(|body| {
                if carrying.is_none() && !self.cache.radius[body].is_nan() {
                    // Most of them: grains that no cell carries.
                    let (x, v, from) = (self.state.position[body], self.state.velocity[body], search.position[body]);
                    return (x + v * time - from - drifted).length() + 0.5 * search.range <= search.reach[body];
                }
                // Two bodies that are not listed were farther apart than the sum of their radii and reaches; the
                // deformation of the cell has reduced that distance by the strain.
                let nearer = match self.bodies[body].search_radius() {
                    Some(radius) if strain > 0.0 => strain * (radius + search.reach[body]),
                    _ => 0.0,
                };
                self.distance_gone(body, time, carrying.as_ref()) + nearer + 0.5 * search.range <= search.reach[body]
            })
    }

    /// The gap out to which bodies may act on each other.
    fn range(&self) -> f64 {
        let tolerance = match self.settings.scheme {
            Scheme::Midpoint { tolerance } => tolerance,
            Scheme::Euler { .. } => 0.0,
        };
        tolerance.max(self.cohesive_range()).max(self.bridge_range(&self.state.share))
    }

    /// How far a body will have moved since the list was made, relative to the drift and to the cell that carries it, at
    /// `time` from now.
    pub(crate) fn distance_gone(&self, body: usize, time: f64, carrying: Option<&Carrying<D>>) -> f64 {
        let (state, search) = (&self.state, &self.state.search);
        let drifted = search.drift * (state.time - search.time + time);
        let from = match carrying {
            Some(carrying) if self.bodies[body].is_free() => carrying.since_search(search.position[body]),
            _ => search.position[body],
        };
        let moved = (self.place_after(body, time, carrying) - from - drifted).length();
        moved + self.turned(body, time)
    }

    /// How far the rotation of a wall can have moved its surface near a grain. A grain is represented in the search by its
    /// bounding ball, which rotation does not move.
    fn turned(&self, body: usize, time: f64) -> f64 {
        if self.bodies[body].search_radius().is_some() {
            return 0.0;
        }
        let state = &self.state;
        let spin = state.spin[body];
        let shape = &self.bodies[body].shape;
        let change = |vector: D::Vector| {
            let now = D::rotate(state.orientation[body], vector);
            (now - D::rotate(state.search.orientation[body], vector)).length()
        };
        let (so_far, arm) = shape.moved_by_turn(self.cache.farthest, change);
        if shape.is_unchanged_by(spin) { so_far } else { so_far + spin.length() * arm * time }
    }

    /// Makes the list anew, and brings the contacts of the last step into its order. `spare` is memory for contacts that nobody
    /// needs: a million grains have 0.4 GB of them.
    pub(crate) fn make_list(&mut self, spare: &mut Vec<Contact<D>>) -> Result<(), StepError> {
        self.check_places()?;
        let state = &mut self.state;
        state.search.time = state.time;
        state.search.position.clone_from(&state.position);
        state.search.orientation.clone_from(&state.orientation);
        state.search.cell = state.cell;
        // The share of liquid changes from step to step; a margin makes the list last longer.
        let room = if self.liquid.is_some() { ROOM } else { 1.0 };
        self.state.search.range = room * self.range();
        self.cache.farthest = self.farthest_grain();
        self.choose_reach();
        self.check_reach()?;
        self.list_pairs();

        // The contacts of the last step, in the order of the new list; contacts whose pair is no longer listed opened long
        // ago.
        std::mem::swap(&mut self.state.contacts, spare);
        let kept = &*spare;
        let extras = std::mem::take(&mut self.state.extras);
        let by_pair = ContactsByPair::new(kept, self.bodies.len());
        self.state.contacts.clear();
        self.state.contacts.reserve_exact(kept.len());
        self.cache.pair_of.clear();
        for (index, pair) in self.cache.pairs.pairs.iter().enumerate() {
            for &place in by_pair.of(pair) {
                self.state.contacts.push(kept[place as usize]);
                self.state.extras.extend(extras.get(place as usize));
                self.cache.pair_of.push(index as u32);
            }
        }
        Ok(())
    }

    /// Fails if a place or velocity is not a number, a period is too short for the grains, or a grain too far away to be placed.
    fn check_places(&self) -> Result<(), StepError> {
        if let Some(error) = self.not_finite() {
            return Err(error);
        }
        let step = self.state.step + 1;
        let radii = || self.bodies.iter().map(Body::search_radius).enumerate();
        let largest = radii().filter_map(|(_, radius)| radius).fold(0.0, f64::max);
        if let Some((axis, period, least)) = self.state.cell.too_small_for(largest) {
            return Err(StepError::CellTooSmall { step, axis, period, least });
        }
        for (body, radius) in radii().filter_map(|(body, radius)| Some((body, radius?))) {
            let place = self.state.position[body];
            if place.length() > FARTHEST_RADII * radius || self.state.cell.is_beyond_count(place) {
                let (body, distance) = (self.state.id[body], place.length());
                return Err(StepError::TooFar { step, body, distance, radius });
            }
        }
        Ok(())
    }

    /// Fails if a body may go farther than a period before the list is made again: the images of its pairs, of which there
    /// is one for each period within reach, would fill the memory.
    fn check_reach(&self) -> Result<(), StepError> {
        let (cell, search) = (&self.state.cell, &self.state.search);
        for axis in (0..D::AXES).filter(|&axis| cell.is_periodic(axis)) {
            let period = cell.period.get(axis);
            if let Some(body) = search.reach.iter().position(|&reach| reach.is_nan() || reach > period) {
                let (step, reach) = (self.state.step + 1, search.reach[body]);
                let body = self.state.id[body];
                return Err(StepError::FasterThanPeriod { step, body, reach, axis, period });
            }
        }
        Ok(())
    }

    /// A body's reach is the distance that it covers in a number of steps, within bounds, but at least what the next step
    /// needs. The mean motion of the grains counts as drift where that makes the reaches shorter.
    fn choose_reach(&mut self) {
        let radii = self.bodies.iter().filter_map(|body| body.search_radius());
        let (count, sum) = radii.fold((0.0, 0.0), |(count, sum), radius| (count + 1.0, sum + radius));
        let mean_radius = if count > 0.0 { sum / count } else { 1.0 };
        let bounds = REACH.map(|factor| factor * mean_radius);
        let dt = self.time_step();
        let fall = self.gravity.largest() * dt * dt;
        let fastest = &self.cache.fastest;
        // Each failure in a row doubles the reach, so that a list is complete in the end.
        let safety = 1.25 * libm::pow(2.0, f64::from(self.cache.failures));
        // The cell brings neighbours closer, which are somewhat more than two radii apart.
        let strain =
            self.cell_driver.as_ref().map_or(0.0, |_| 1.5 * f64::max(self.strain_rate() * dt, self.cache.strain));
        let reaches = |world: &Self| -> Vec<f64> {
            let carrying = world.carrying(dt);
            (0..world.bodies.len())
                .into_par_iter()
                .with_min_len(4096)
                .map(|body| {
                    let nearer = strain * world.bodies[body].search_radius().unwrap_or(0.0);
                    let step = world.distance_gone(body, dt, carrying.as_ref()) + fall + nearer;
                    let found = fastest.get(body).map_or(0.0, |&v| ((v - world.state.search.drift) * dt).length());
                    let motion = (LIFETIME * step).clamp(bounds[0], bounds[1]).max(safety * f64::max(step, found));
                    motion + 0.5 * world.state.search.range
                })
                .collect()
        };
        let balls = self.bodies.iter().zip(&self.state.velocity).filter(|(body, _)| body.is_free());
        let shared = balls.fold(D::Vector::ZERO, |sum, (_, &v)| sum + v) * (1.0 / f64::max(count, 1.0));
        self.state.search.drift = D::Vector::ZERO;
        let still = reaches(self);
        self.state.search.drift = shared;
        let drifting = reaches(self);
        self.state.search.reach = if drifting.iter().sum::<f64>() < still.iter().sum::<f64>() {
            drifting
        } else {
            self.state.search.drift = D::Vector::ZERO;
            still
        };
    }

    /// After a resume: makes the list again from the positions at which it was made first.
    fn make_list_again(&mut self) {
        self.cache.farthest = self.farthest_grain();
        self.list_pairs();
        let mut pairs = self.cache.pairs.pairs.iter().zip(0..).peekable();
        self.cache.pair_of.clear();
        for contact in &self.state.contacts {
            let is_other = |pair: &Pair| (pair.bodies, pair.offset) != (contact.bodies, contact.offset);
            while pairs.next_if(|(pair, _)| is_other(pair)).is_some() {}
            self.cache.pair_of.extend(pairs.peek().map(|&(_, index)| index));
        }
        debug_assert_eq!(self.cache.pair_of.len(), self.state.contacts.len());
    }

    fn list_pairs(&mut self) {
        self.cache.size.clear();
        self.cache.size.extend(self.bodies.iter().map(Body::equivalent_radius));
        self.cache.radius.clear();
        self.cache.radius.extend(self.bodies.iter().map(|body| body.search_radius().unwrap_or(f64::NAN)));
        self.cache.ball_radius.clear();
        self.cache.ball_radius.extend(self.bodies.iter().map(|body| body.shape.ball_radius().unwrap_or(f64::NAN)));
        let search = &self.state.search;
        self.cache.pairs =
            PairList::new(&self.bodies, &search.position, &search.orientation, &search.reach, &search.cell);
        self.cache.points.reset(self.cache.pairs.pairs.len().div_ceil(PAIRS_PER_TASK));
        self.cache.listed = true;
    }

    fn farthest_grain(&self) -> f64 {
        let at = &self.state.search.position;
        let radius = |body: usize| self.bodies[body].search_radius();
        let walls: Vec<usize> = (0..self.bodies.len()).filter(|&body| radius(body).is_none()).collect();
        let farthest = |grain: usize| {
            // The root is monotonic: one of the largest square instead of the largest root.
            let square = |&wall: &usize| (at[grain] - at[wall]).dot(at[grain] - at[wall]);
            let centre = walls.iter().map(square).fold(0.0, f64::max).sqrt();
            // A ball touches with the side that faces the wall, an angular grain with any corner.
            if self.bodies[grain].shape.ball_radius().is_some() {
                centre
            } else {
                centre + radius(grain).unwrap_or(0.0)
            }
        };
        (0..self.bodies.len()).filter(|&body| radius(body).is_some()).map(farthest).fold(0.0, f64::max)
    }

    /// Numbers the bodies that can move, along the space-filling curve, as the bodies of the contact problem, and notes what
    /// the passes over contacts ask of bodies.
    fn number_slots(&mut self) {
        let Cache { slots, grain_radius, material, smallest, size, .. } = &mut self.cache;
        slots.clear();
        slots.resize(self.bodies.len(), GROUND);
        grain_radius.clear();
        material.clear();
        *smallest = f64::INFINITY;
        for (body, &size) in self.bodies.iter().zip(&*size) {
            grain_radius.push(body.grain_radius().unwrap_or(f64::NAN));
            material.push(body.material);
            if body.is_free() {
                *smallest = smallest.min(size);
            }
        }
        let mut next = GROUND + 1;
        for &body in &self.cache.pairs.order {
            if !self.bodies[body as usize].is_imposed() {
                self.cache.slots[body as usize] = next;
                next += 1;
            }
        }
    }

    /// The first body with a velocity or position that is not a number.
    pub(crate) fn not_finite(&self) -> Option<StepError> {
        let state = &self.state;
        let broken = |body: usize| {
            if !state.velocity[body].is_finite() {
                Some("velocity")
            } else if !state.spin[body].is_finite() {
                Some("spin")
            } else if !state.position[body].is_finite() {
                Some("position")
            } else {
                None
            }
        };
        (0..self.bodies.len())
            .into_par_iter()
            .with_min_len(4096)
            .find_map_first(|body| broken(body).map(|quantity| (body, quantity)))
            .map(|(body, quantity)| StepError::NotFinite { step: state.step + 1, body: state.id[body], quantity })
    }
}

/// Contacts by pair: those of one body 2 after those of the other, each sorted by body 1 and offset. (Of a wall and a grain
/// body 2 is the grain, which has few.)
struct ContactsByPair<'a, D: Dim> {
    contacts: &'a [Contact<D>],
    starts: Vec<u32>,
    order: Vec<u32>,
}

impl<'a, D: Dim> ContactsByPair<'a, D> {
    fn new(contacts: &'a [Contact<D>], bodies: usize) -> Self {
        let mut starts = vec![0; bodies + 1];
        for contact in contacts {
            starts[contact.bodies[1] as usize + 1] += 1;
        }
        for body in 0..bodies {
            starts[body + 1] += starts[body];
        }
        let (mut next, mut order) = (starts.clone(), vec![0; contacts.len()]);
        for (index, contact) in contacts.iter().enumerate() {
            let next = &mut next[contact.bodies[1] as usize];
            order[*next as usize] = index as u32;
            *next += 1;
        }
        for body in 0..bodies {
            let own = &mut order[starts[body] as usize..starts[body + 1] as usize];
            own.sort_by_key(|&index| (contacts[index as usize].bodies[0], contacts[index as usize].offset));
        }
        ContactsByPair { contacts, starts, order }
    }

    /// The places of the contacts of a pair, in their order.
    fn of(&self, pair: &Pair) -> &[u32] {
        let second = pair.bodies[1] as usize;
        let own = &self.order[self.starts[second] as usize..self.starts[second + 1] as usize];
        let key = |index: u32| (self.contacts[index as usize].bodies[0], self.contacts[index as usize].offset);
        let wanted = (pair.bodies[0], pair.offset);
        let first = own.partition_point(|&index| key(index) < wanted);
        let count = own[first..].iter().take_while(|&&index| key(index) == wanted).count();
        &own[first..first + count]
    }
}
