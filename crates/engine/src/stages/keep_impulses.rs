//! What a solve found: new velocities; impulse, velocity, status and memory of each contact.

use super::percussions::percussion_status;
use crate::cache::PAIRS_PER_TASK;
use crate::contact::{ContactExtras, Status};
use crate::law::LoweredLaw;
use crate::work::Work;
use crate::world::World;
use rayon::prelude::*;
use riprap_solve::problem::{self, GROUND};
use riprap_solve::{Dim, Vector};

impl<D: Dim> World<D> {
    /// Sets the velocities of the bodies, and impulse, velocity, status and memory of the contacts.
    pub(crate) fn keep_impulses(&mut self, step: &mut Work<D>) {
        for (index, (&slot, &radius)) in self.cache.slots.iter().zip(&self.cache.grain_radius).enumerate() {
            if slot != GROUND {
                let solved = &step.problem.bodies[slot as usize];
                self.state.velocity[index] = solved.velocity;
                self.state.spin[index] = if radius.is_nan() { solved.spin } else { solved.spin * (1.0 / radius) };
            }
        }
        self.keep_rates(step);
        let after = self.state.velocities();
        let Work { contacts, extras, problem, laws, percussion_laws, .. } = step;
        let plain = LoweredLaw::default();
        let kept = contacts.par_iter_mut().enumerate().with_min_len(PAIRS_PER_TASK).map(|(i, contact)| {
            let (stated, n) = (&problem.contacts[i], contact.normal);
            let (p, law) = (stated.impulse, laws.get(i).unwrap_or(&plain));
            contact.impulse = law.without_tension(n, p);
            contact.bonded = law.bonded;
            contact.velocity = self.relative_velocity(contact, &after);
            let normal = p.dot(n);
            let tangential = (p - n * normal).length();
            contact.status = if let Some(law) = percussion_laws.get(i) {
                percussion_status(law, normal, tangential)
            } else if contact.impulse == D::Vector::ZERO {
                Status::Open
            } else if tangential >= stated.friction * normal * (1.0 - 1e-9)
                || problem.torque(i).is_some_and(|torque| shares_limit(torque, n, normal, tangential / stated.friction))
            {
                Status::Slide
            } else {
                Status::Stick
            };
            usize::from(contact.status != Status::Open)
        });
        step.carrying = kept.sum();
        extras.clear();
        extras.extend(
            problem.torques.iter().map(|torque| ContactExtras { torque: torque.impulse, ..Default::default() }),
        );
    }
}

/// True if sliding and torsion share a limit and have reached it: `|p_t|/μ` is `sliding`.
fn shares_limit<D: Dim>(torque: &problem::Torque<D>, n: D::Vector, normal: f64, sliding: f64) -> bool {
    let twisting = D::split_spin(n, torque.impulse)[0].length() / torque.torsion;
    let reached = normal * (1.0 - 1e-9);
    torque.is_coupled && torque.torsion > 0.0 && sliding * sliding + twisting * twisting >= reached * reached
}
