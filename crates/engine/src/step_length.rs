//! How long a step is (docs/time-step.md, "Halved steps").
//!
//! What a step resolves at once, a cluster of contacts that close and stick, is in nature a sequence of impacts between which
//! grains slide. Results therefore depend on how much happens in a step, and a step is halved as long as the contacts of a grain
//! would move farther in it than a part of the smallest radius. Its length is a function of the state, so that it is the same for
//! any number of threads and after a resume.

use crate::settings::{Method, Scheme};
use crate::work::ContactTotals;
use crate::world::World;
use riprap_solve::Dim;

impl<D: Dim> World<D> {
    /// The length of the step that is being made, or of the last one; before the first, that of the longest step.
    pub fn time_step(&self) -> f64 {
        if self.state.time_step > 0.0 { self.state.time_step } else { self.settings.time_step }
    }

    /// The length of the step that comes next.
    pub fn next_time_step(&self) -> f64 {
        let mut length = self.settings.time_step;
        let halvings = if self.method == Method::ContactDynamics { self.settings.halvings } else { 0 };
        for _ in 0..halvings {
            if self.state.contact_motion * length > self.settings.motion_per_step {
                length *= 0.5;
            }
        }
        length
    }

    /// Sets the length of the steps that follow, or of the longest. Impulses become those of the same forces over a step of this
    /// length.
    pub fn change_time_step(&mut self, time_step: f64) {
        // The same step leaves every bit as it is.
        if time_step == self.settings.time_step {
            return;
        }
        let ratio = time_step / self.time_step();
        self.settings.time_step = time_step;
        self.state.time_step = time_step;
        self.state.contacts.iter_mut().for_each(|contact| contact.impulse = contact.impulse * ratio);
        self.state.extras.iter_mut().for_each(|extra| extra.torque = extra.torque * ratio);
    }

    /// Begins a step; returns its length over that of the last one, with which the first guess of impulses is multiplied, since
    /// forces last: with friction, where a solve starts decides which of many solutions it finds.
    pub(crate) fn begin_time_step(&mut self) -> f64 {
        let last = self.time_step();
        self.state.time_step = self.next_time_step();
        self.state.time_step / last
    }

    /// True if the present step is shorter than the longest.
    pub(crate) fn is_halved(&self) -> bool {
        self.time_step() < self.settings.time_step
    }

    /// How long bodies move with the new velocity: the second half of a midpoint step, the whole of an Euler step.
    pub(crate) fn move_after_solve(&self) -> f64 {
        match self.settings.scheme {
            Scheme::Midpoint { .. } => 0.5 * self.time_step(),
            Scheme::Euler { .. } => self.time_step(),
        }
    }

    /// How fast grains move against each other after a step with these contacts (see [`crate::State::contact_motion`]).
    pub(crate) fn contact_motion(&self, contacts: &ContactTotals<D>) -> f64 {
        if contacts.carrying == 0 {
            return 0.0;
        }
        (contacts.square_speed / self.free_bodies().count().max(1) as f64).sqrt() / self.cache.smallest
    }
}
