//! What a solve found: new velocities; impulse, velocity, status and memory of each contact.

use super::percussions::percussion_status;
use crate::cache::PAIRS_PER_TASK;
use crate::contact::Status;
use crate::work::Work;
use crate::world::World;
use rayon::prelude::*;
use riprap_solve::problem::GROUND;
use riprap_solve::{Dim, Vector};

impl<D: Dim> World<D> {
    /// Sets the velocities of the bodies, and impulse, velocity, status and memory of the contacts.
    pub(crate) fn keep_impulses(&mut self, step: &mut Work<D>) {
        let slots = &self.cache.slots;
        for (index, body) in self.bodies.iter().enumerate() {
            if slots[index] != GROUND {
                let solved = &step.problem.bodies[slots[index] as usize];
                self.state.velocity[index] = solved.velocity;
                self.state.spin[index] = match body.grain_radius() {
                    Some(radius) => solved.spin * (1.0 / radius),
                    None => solved.spin,
                };
            }
        }
        self.keep_rates(step);
        let after = self.state.velocities();
        let Work { contacts, problem, laws, percussion_laws, .. } = step;
        contacts.par_iter_mut().enumerate().with_min_len(PAIRS_PER_TASK).for_each(|(i, contact)| {
            let (p, n) = (problem.contacts[i].impulse, contact.normal);
            contact.impulse = laws[i].without_tension(n, p);
            contact.torque = problem.torques.get(i).map_or(D::Spin::ZERO, |torque| torque.impulse);
            contact.bonded = laws[i].bonded;
            contact.velocity = self.relative_velocity(contact, &after);
            let normal = p.dot(n);
            let tangential = (p - n * normal).length();
            contact.status = if let Some(law) = percussion_laws.get(i) {
                percussion_status(law, normal, tangential)
            } else if contact.impulse == D::Vector::ZERO {
                Status::Open
            } else if tangential >= laws[i].friction * normal * (1.0 - 1e-9) {
                Status::Slide
            } else {
                Status::Stick
            };
        });
    }
}
