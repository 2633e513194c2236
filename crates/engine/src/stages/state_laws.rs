//! The laws of the contacts, in the words of the solver: shifts, friction, torques, cohesion.

use crate::cache::PAIRS_PER_TASK;
use crate::contact::Contact;
use crate::law::material::PairLaw;
use crate::law::{IncomingContact, LawFeatures, LawTable, LoweredLaw, lower_law};
use crate::observer::Observer;
use crate::report::StepError;
use crate::state::Velocities;
use crate::work::Work;
use crate::world::World;
use rayon::prelude::*;
use riprap_solve::problem::{self, GROUND};
use riprap_solve::{Dim, Problem, Vector};

impl<D: Dim> World<D> {
    /// Lowers the law of each contact, and states it to the solver while it is at hand. Laws that are plain are not kept, since
    /// all that matters of them is stated; an observer that changes laws asks for all.
    pub(super) fn lower_laws(&self, keeps_plain: bool, step: &mut Work<D>) {
        let Work { problem, contacts, last_status, incoming_velocity, laws, velocity_before, spin_before, .. } = step;
        let before = Velocities { velocity: velocity_before, spin: spin_before };
        let (scheme, dt) = (self.settings.scheme, self.time_step());
        let points = self.points_of_pairs(contacts);
        let count = contacts.len();
        incoming_velocity.resize(count, D::Vector::ZERO);
        problem.contacts.resize(count, problem::Contact::default());
        let are_plain = self.state.bonds.is_empty() && self.materials.laws().all(PairLaw::is_plain);
        laws.resize(if are_plain && !keeps_plain { 0 } else { count }, LoweredLaw::default());
        let mut kept = laws.chunks_mut(PAIRS_PER_TASK);
        let kept: Vec<_> = (0..count.div_ceil(PAIRS_PER_TASK)).map(|_| kept.next().unwrap_or_default()).collect();
        let incoming = contacts.par_chunks(PAIRS_PER_TASK).zip(last_status.par_chunks(PAIRS_PER_TASK)).enumerate();
        let stated =
            incoming_velocity.par_chunks_mut(PAIRS_PER_TASK).zip(problem.contacts.par_chunks_mut(PAIRS_PER_TASK));
        let features =
            incoming.zip(stated).zip(kept).map(|(((task, (contacts, last)), (velocities, stated)), kept)| {
                let mut features = LawFeatures::default();
                for (i, contact) in contacts.iter().enumerate() {
                    velocities[i] = self.relative_velocity(contact, &before);
                    let incoming = IncomingContact {
                        contact,
                        last_status: last[i],
                        velocity: velocities[i],
                        spin: before.relative_spin(contact.bodies),
                        radius: self.smaller_radius(contact.bodies),
                        reduced_radius: self.reduced_radius(contact.bodies),
                        points: points.get(task * PAIRS_PER_TASK + i).copied().unwrap_or(1.0),
                        bond: self.bond_of(contact.bodies, contact.offset).map(|bond| &self.state.bonds[bond]),
                    };
                    let [a, b] = contact.bodies.map(|body| self.cache.material[body as usize]);
                    let law = lower_law(scheme, dt, self.materials.pair(a, b), &incoming);
                    stated[i] = self.state_contact(contact, &law);
                    if let Some(kept) = kept.get_mut(i) {
                        *kept = law;
                        features = features.or(LawFeatures::of(&law));
                    }
                }
                features
            });
        step.features = features.reduce(LawFeatures::default, LawFeatures::or);
    }

    /// Hands the lowered laws to the observer, in plain numbers, and states what it made of them.
    pub(super) fn have_laws_changed(&self, observer: &mut dyn Observer, step: &mut Work<D>) -> Result<(), StepError> {
        let failed = |reason| StepError::Law { step: self.state.step + 1, reason };
        let Work { contacts, incoming_velocity, laws, .. } = step;
        let mut table = LawTable::new(self.state.time, self.time_step(), D::AXES);
        for ((contact, &velocity), law) in contacts.iter().zip(&*incoming_velocity).zip(&*laws) {
            table.push(contact.bodies.map(|body| self.state.id[body as usize]), contact, velocity, law);
        }
        observer.change_laws(&mut table).map_err(failed)?;
        table.check().map_err(failed)?;
        for (row, law) in laws.iter_mut().enumerate() {
            table.take(row, law);
        }
        self.state_laws(step);
        Ok(())
    }

    /// States the contacts of the problem with laws that have changed since they were lowered.
    pub(super) fn state_laws(&self, step: &mut Work<D>) {
        let Work { problem, contacts, laws, features, .. } = step;
        let stated = contacts.par_iter().zip(&*laws).with_min_len(PAIRS_PER_TASK);
        stated.map(|(contact, law)| self.state_contact(contact, law)).collect_into_vec(&mut problem.contacts);
        *features = laws.iter().map(LawFeatures::of).fold(LawFeatures::default(), LawFeatures::or);
    }

    /// States what only some contacts have: lever arms off the normal, torques, and steps in the normal law.
    pub(super) fn state_features(&self, step: &mut Work<D>) {
        let Work { problem, contacts, extras, laws, features, .. } = step;
        self.state_all_arms(problem, contacts);
        problem.torques.clear();
        if features.torques {
            let last = |index: usize| extras.get(index).map_or(D::Spin::ZERO, |extras| extras.torque);
            let stated = contacts.iter().zip(&*laws).enumerate();
            let stated = stated.map(|(index, (contact, law))| self.state_torque(contact, law, last(index)));
            problem.torques.extend(stated);
        }
        problem.cohesions.clear();
        if features.cohesion {
            problem.cohesions.extend(laws.iter().map(|law| law.cohesion));
        }
    }

    /// Gives the bodies the impulses of the tension from which the solver measures the impulses of cohesive contacts.
    pub(super) fn apply_tension(&self, step: &mut Work<D>) {
        if !step.features.tension {
            return;
        }
        let Work { problem, laws, .. } = step;
        for (i, law) in laws.iter().enumerate().filter(|(_, law)| law.tension > 0.0) {
            problem.apply(i, problem.contacts[i].normal * -law.tension);
        }
    }

    /// A contact in the words of the solver: imposed motion becomes part of the shift.
    pub(super) fn state_contact(&self, contact: &Contact<D>, law: &LoweredLaw<D>) -> problem::Contact<D> {
        let mut shift = law.shift + self.imposed_apart(contact);
        let slots = contact.bodies.map(|body| self.cache.slots[body as usize]);
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            if slots[side] == GROUND {
                let (body, arm) = (contact.bodies[side] as usize, self.lever_arm(contact, side));
                shift += (self.state.velocity[body] + D::cross(self.state.spin[body], arm)) * sign;
            }
        }
        problem::Contact {
            bodies: slots,
            normal: contact.normal,
            shift,
            friction: law.friction,
            impulse: contact.impulse + contact.normal * law.tension,
        }
    }

    /// States the lever arms of all contacts where there are bodies that are not balls.
    pub(super) fn state_all_arms(&self, problem: &mut Problem<D>, contacts: &[Contact<D>]) {
        let count = if problem.masses.is_empty() { 0 } else { contacts.len() };
        let contacts = contacts[..count].par_iter().with_min_len(PAIRS_PER_TASK);
        contacts.map(|contact| self.state_arms(contact)).collect_into_vec(&mut problem.arms);
    }

    /// Scaled lever arms of a contact. Of a ball, the arm over its radius is the normal; a gap or an overlap does not lengthen
    /// it.
    fn state_arms(&self, contact: &Contact<D>) -> [D::Vector; 2] {
        [(0, 1.0), (1, -1.0)].map(|(side, sign)| match contact.bodies[side] {
            body if self.is_grain(body) => contact.normal * sign,
            body if self.cache.slots[body as usize] == GROUND => D::Vector::ZERO,
            _ => self.lever_arm(contact, side),
        })
    }

    fn state_torque(&self, contact: &Contact<D>, law: &LoweredLaw<D>, last: D::Spin) -> problem::Torque<D> {
        let mut torque = problem::Torque {
            rolling: law.rolling,
            torsion: law.torsion,
            is_coupled: law.is_coupled,
            lengths: [1.0; 2],
            shift: D::Spin::ZERO,
            impulse: last,
        };
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            let body = contact.bodies[side] as usize;
            if self.cache.slots[body] == GROUND {
                torque.shift += self.state.spin[body] * sign;
            } else if let Some(radius) = self.bodies[body].grain_radius() {
                torque.lengths[side] = radius;
            }
        }
        torque
    }
}
