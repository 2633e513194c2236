//! Keeps the list of pairs good from step to step, and the contacts of the last step in its order.

use crate::contact::Contact;
use crate::detect::PairList;
use crate::report::StepError;
use crate::shape::Shape;
use crate::world::{Scheme, World};
use rayon::prelude::*;
use riprap_solve::problem::GROUND;
use riprap_solve::{Dim, Vector};
use std::collections::HashMap;

/// What can be made again from the state at any time.
#[derive(Clone, Debug, Default)]
pub struct Neighbours {
    /// The list of pairs.
    pub pairs: PairList,
    /// The pair of each contact of the last step.
    pub pair_of: Vec<u32>,
    /// The place of each body in the contact problem; the ground for bodies whose every motion is imposed.
    pub slots: Vec<u32>,
    /// The margin that the next list must have at least.
    pub next_margin: Option<f64>,
    /// The distance of the farthest ball from any wall's position, when the list was made.
    reach: f64,
    made: bool,
}

/// How many steps a new list should last, at the speed of the fastest grain.
const LIFETIME: f64 = 10.0;
/// The margin in units of the mean radius is kept within these bounds, as long as the list lasts two steps.
const MARGIN: [f64; 2] = [0.1, 0.6];

impl<D: Dim> World<D> {
    /// Makes sure that the list holds every pair that can touch in this step; true if it had to be made anew.
    pub(crate) fn find_pairs(&mut self) -> bool {
        if !self.cache.made && self.state.search_position.len() == self.bodies.len() {
            self.make_list_again();
        }
        let ahead = match self.settings.scheme {
            Scheme::Midpoint { .. } => 0.0,
            Scheme::Euler { .. } => self.settings.time_step,
        };
        let rebuild = !self.cache.made || self.cache.next_margin.is_some() || !self.list_holds_for(ahead);
        if rebuild {
            self.make_list(ahead);
        }
        self.number_slots();
        rebuild
    }

    /// True if the list is complete for as long as the bodies go on like this for `time`.
    pub(crate) fn list_holds_for(&self, time: f64) -> bool {
        let tolerance = match self.settings.scheme {
            Scheme::Midpoint { tolerance } => tolerance,
            Scheme::Euler { .. } => 0.0,
        };
        self.largest_approach(time) + tolerance <= self.state.search_margin
    }

    /// By how much two bodies can have come closer since the list was made, at `time` from now.
    pub(crate) fn largest_approach(&self, time: f64) -> f64 {
        let state = &self.state;
        let moved =
            |body: usize| (state.position[body] + state.velocity[body] * time - state.search_position[body]).length();
        let (balls, walls) = (0..self.bodies.len())
            .into_par_iter()
            .with_min_len(4096)
            .map(|body| {
                if self.bodies[body].shape.ball_radius().is_some() {
                    (moved(body), 0.0)
                } else {
                    (0.0, moved(body) + self.turned(body, time))
                }
            })
            .reduce(|| (0.0, 0.0), |a, b| (f64::max(a.0, b.0), f64::max(a.1, b.1)));
        balls + f64::max(balls, walls)
    }

    /// By how much the turning of a wall can have moved its surface near a ball.
    fn turned(&self, body: usize, time: f64) -> f64 {
        let state = &self.state;
        let spin = state.spin[body];
        let shape = &self.bodies[body].shape;
        let change = |vector: D::Vector| {
            let now = D::rotate(state.orientation[body], vector);
            (now - D::rotate(state.search_orientation[body], vector)).length()
        };
        let (so_far, arm) = match *shape {
            Shape::Ball { .. } => (0.0, 0.0),
            Shape::Plane { normal } => (change(normal) * self.cache.reach, self.cache.reach),
            Shape::Plate { half_edges } => {
                (half_edges.iter().map(|&edge| change(edge)).sum(), half_edges.iter().map(|edge| edge.length()).sum())
            }
            Shape::Drum { axis, .. } | Shape::Rod { axis, .. } => (change(axis) * self.cache.reach, self.cache.reach),
        };
        if shape.is_unchanged_by(spin) { so_far } else { so_far + spin.length() * arm * time }
    }

    fn make_list(&mut self, ahead: f64) {
        let (count, sum) = self
            .bodies
            .iter()
            .filter_map(|body| body.shape.ball_radius())
            .fold((0.0, 0.0), |(count, sum), radius| (count + 1.0, sum + radius));
        let mean_radius = if count > 0.0 { sum / count } else { 1.0 };
        self.state.search_position.clone_from(&self.state.position);
        self.state.search_orientation.clone_from(&self.state.orientation);
        self.cache.reach = self.farthest_ball();
        let per_step = self.largest_approach(self.settings.time_step);
        let wanted = (LIFETIME * per_step).clamp(MARGIN[0] * mean_radius, MARGIN[1] * mean_radius);
        let needed = 2.0 * per_step.max(self.largest_approach(ahead));
        self.state.search_margin = wanted.max(needed).max(self.cache.next_margin.take().unwrap_or(0.0));
        self.list_pairs();

        // The contacts of the last step, in the order of the new list; those whose pair is gone have opened long ago.
        let kept: HashMap<_, Contact<D>> =
            self.state.contacts.drain(..).map(|contact| (contact.key(), contact)).collect();
        self.cache.pair_of.clear();
        for (index, pair) in self.cache.pairs.pairs.iter().enumerate() {
            if let Some(contact) = kept.get(&(pair.bodies, pair.offset, 0)) {
                self.state.contacts.push(*contact);
                self.cache.pair_of.push(index as u32);
            }
        }
    }

    /// After a resume: the list is made again from where the bodies were when it was first made.
    fn make_list_again(&mut self) {
        self.cache.reach = self.farthest_ball();
        self.list_pairs();
        let mut pairs = self.cache.pairs.pairs.iter().enumerate();
        self.cache.pair_of.clear();
        for contact in &self.state.contacts {
            let place = pairs.find(|(_, pair)| (pair.bodies, pair.offset) == (contact.bodies, contact.offset));
            self.cache.pair_of.extend(place.map(|(index, _)| index as u32));
        }
        debug_assert_eq!(self.cache.pair_of.len(), self.state.contacts.len());
    }

    fn list_pairs(&mut self) {
        let state = &self.state;
        self.cache.pairs = PairList::new(
            &self.bodies,
            &state.search_position,
            &state.search_orientation,
            &self.cell,
            state.search_margin,
        );
        self.cache.made = true;
    }

    fn farthest_ball(&self) -> f64 {
        let at = &self.state.search_position;
        let is_ball = |body: &usize| self.bodies[*body].shape.ball_radius().is_some();
        let walls: Vec<usize> = (0..self.bodies.len()).filter(|body| !is_ball(body)).collect();
        let farthest = |ball: usize| walls.iter().map(|&wall| (at[ball] - at[wall]).length()).fold(0.0, f64::max);
        (0..self.bodies.len()).filter(is_ball).map(farthest).fold(0.0, f64::max)
    }

    /// Bodies that can move get a place in the problem each, in the order of space.
    fn number_slots(&mut self) {
        self.cache.slots.clear();
        self.cache.slots.resize(self.bodies.len(), GROUND);
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
            .map(|(body, quantity)| StepError::NotFinite { step: state.step + 1, body: body as u32, quantity })
    }
}
