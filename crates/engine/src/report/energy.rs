//! The energy balance of a step (docs/method.md §2).

use crate::body::Body;
use crate::contact::Contact;
use crate::drive::External;
use crate::energy::{ContactWork, Energy};
use crate::state::Velocities;
use crate::work::Work;
use crate::world::World;
use riprap_solve::{Dim, Vector};

impl<D: Dim> World<D> {
    /// Kinetic energy of all motions that are not imposed.
    pub fn kinetic_energy(&self) -> f64 {
        self.kinetic_energy_of(&self.state.velocity, &self.state.spin) + self.cell_energy()
    }

    /// The part of the kinetic energy that is rotation about the centres of mass.
    pub fn rotation_energy(&self) -> f64 {
        let still = vec![D::Vector::ZERO; self.bodies.len()];
        self.kinetic_energy_of(&still, &self.state.spin)
    }

    /// That of the bodies alone, for other velocities.
    pub(crate) fn kinetic_energy_of(&self, velocity: &[D::Vector], spin: &[D::Spin]) -> f64 {
        (0..self.bodies.len()).map(|body| self.kinetic_energy_of_body(body, velocity[body], spin[body])).sum()
    }

    /// That of one body.
    pub(crate) fn kinetic_energy_of_body(&self, body: usize, v: D::Vector, w: D::Spin) -> f64 {
        if self.bodies[body].grain_radius().is_some() {
            // The same for a free ball, without a look at each axis.
            let Body { mass, inertia, .. } = &self.bodies[body];
            return 0.5 * ((v * *mass).dot(v) + inertia.scale(w).dot(w));
        }
        let mass = self.mass_along_axes(body);
        0.5 * (mass.scale(v).dot(v) + self.angular_momentum(body, w).dot(w))
    }

    /// Potential energy in gravity as it is at time `t`.
    pub(crate) fn potential_energy(&self, t: f64) -> f64 {
        let gravity = self.gravity.at(t);
        self.free_bodies().map(|body| self.potential_energy_of_body(body, gravity)).sum()
    }

    /// That of one body; only free bodies have a weight.
    pub(crate) fn potential_energy_of_body(&self, body: usize, gravity: D::Vector) -> f64 {
        if self.bodies[body].is_free() { -self.bodies[body].mass * gravity.dot(self.state.position[body]) } else { 0.0 }
    }

    /// The work of the contacts, with the mean relative velocity `ū = (u⁻ + u⁺)/2`, and what else they amount to.
    pub(crate) fn contact_work(&self, step: &mut Work<D>) {
        let at_start = Velocities { velocity: &step.velocity_before, spin: &step.spin_before };
        let at_end = self.state.velocities();
        let mut work = ContactWork::default();
        let totals = &mut step.contact_totals;
        totals.begin(self.bodies.len());
        let mut extras = step.extras.iter();
        for (contact, &u_before) in step.contacts.iter().zip(&step.incoming_velocity) {
            totals.add(self, contact);
            let p = contact.impulse;
            let torque = extras.next().map_or(D::Spin::ZERO, |extras| extras.torque);
            if torque != D::Spin::ZERO {
                let mean = (at_start.relative_spin(contact.bodies) + at_end.relative_spin(contact.bodies)) * 0.5;
                let [torsion, rolling] = D::split_spin(contact.normal, mean);
                work.torsion -= torque.dot(torsion);
                work.rolling -= torque.dot(rolling);
                work.absolute += torque.dot(mean).abs();
                for (side, sign) in [(0, 1.0), (1, -1.0)] {
                    let body = contact.bodies[side] as usize;
                    if !self.bodies[body].is_free() {
                        work.drivers += sign * torque.dot(self.imposed_spin(body, &at_start));
                    }
                }
            }
            if p == D::Vector::ZERO {
                continue;
            }
            let mean = (u_before + contact.velocity) * 0.5;
            let normal = p.dot(contact.normal) * mean.dot(contact.normal);
            work.absolute += p.dot(mean).abs();
            if p.dot(contact.normal) < 0.0 {
                work.cohesion -= normal;
            } else {
                work.impact -= normal;
            }
            work.friction -= p.dot(mean) - normal;
            for (side, sign) in [(0, 1.0), (1, -1.0)] {
                let body = contact.bodies[side] as usize;
                if !self.is_grain(contact.bodies[side]) && !self.bodies[body].is_free() {
                    work.drivers += sign * p.dot(self.imposed_velocity(body, contact, side, &at_start));
                }
            }
        }
        step.contact_work = work;
    }

    /// The part of a wall's velocity at a contact that is imposed.
    fn imposed_velocity(&self, body: usize, contact: &Contact<D>, side: usize, at: &Velocities<'_, D>) -> D::Vector {
        let mass = self.mass_along_axes(body);
        let v = D::Vector::from_fn(|i| if mass.get(i) == 0.0 { at.velocity[body].get(i) } else { 0.0 });
        v + D::cross(self.imposed_spin(body, at), self.lever_arm(contact, side))
    }

    /// The part of a wall's spin that is imposed.
    fn imposed_spin(&self, body: usize, at: &Velocities<'_, D>) -> D::Spin {
        let inertia = self.inertia_about_axes(body);
        D::Spin::from_fn(|i| if inertia.get(i) == 0.0 { at.spin[body].get(i) } else { 0.0 })
    }

    /// Before the first step, the energies as they are become the start of the balance; a change of gravity or of drivers
    /// since the last step counts as their work.
    pub(crate) fn open_energy_balance(&mut self) {
        let (kinetic, potential) = (self.kinetic_energy(), self.potential_energy(self.state.time));
        let energy = &mut self.state.energy;
        if self.state.step == 0 {
            *energy = Energy { kinetic, potential, initial: kinetic + potential, ..Energy::default() };
        } else {
            energy.loads += potential - energy.potential;
            energy.drivers += kinetic - energy.kinetic;
            (energy.kinetic, energy.potential) = (kinetic, potential);
        }
    }

    /// The energies at the end of a step of contact dynamics, exact with the mean velocity (docs/method.md §2).
    pub(super) fn energy_after(&self, external: &External<D>, step: &Work<D>) -> Energy {
        let dt = self.time_step();
        let (before, after) = (self.state.time, self.state.time + dt);
        let gravity_after = self.gravity.at(after);
        let (mut kinetic, mut potential) = (0.0, 0.0);
        let (mut gravity_work, mut load_work, mut bridge_work) = (0.0, 0.0, 0.0);
        for body in 0..self.bodies.len() {
            kinetic += self.kinetic_energy_of_body(body, self.state.velocity[body], self.state.spin[body]);
            if self.bodies[body].is_free() {
                potential += self.potential_energy_of_body(body, gravity_after);
            } else if self.bodies[body].is_imposed() {
                continue;
            }
            let v_mean = (step.velocity_before[body] + self.state.velocity[body]) * 0.5;
            let w_mean = (step.spin_before[body] + step.spin_after[body]) * 0.5;
            let (force, torque) = external.on(body);
            gravity_work += dt * self.weight(body, external).dot(v_mean);
            load_work += dt * (force.dot(v_mean) + torque.dot(w_mean));
            bridge_work += dt * step.bridge_force(body).dot(v_mean);
        }
        let (work, cell, mut energy) = (step.contact_work, step.cell_work, self.state.energy);
        let turned = self.gravity_turning_work(before, after);
        energy.kinetic = kinetic + self.cell_energy();
        energy.potential = potential;
        energy.loads += load_work + turned + cell.loads;
        energy.drivers += work.drivers + cell.drivers;
        energy.friction += work.friction;
        energy.impact += work.impact;
        energy.rolling += work.rolling;
        energy.torsion += work.torsion;
        energy.cohesion += work.cohesion;
        energy.bridges += bridge_work + cell.bridges;
        energy.scheme += energy.potential - self.state.energy.potential + gravity_work - turned + cell.scheme;
        energy.scheme += step.turning_work;
        energy.created += f64::max(-work.dissipated(), 0.0);
        energy
    }

    /// Work of the change of gravity between two times, with the bodies where they are at the later one.
    pub(crate) fn gravity_turning_work(&self, from: f64, to: f64) -> f64 {
        if self.gravity.is_constant() {
            return 0.0;
        }
        let change = self.gravity.at(to) - self.gravity.at(from);
        self.free_bodies().map(|body| -self.bodies[body].mass * change.dot(self.state.position[body])).sum()
    }

    /// The weight of a body; only free bodies have one.
    pub(crate) fn weight(&self, body: usize, external: &External<D>) -> D::Vector {
        if self.bodies[body].is_free() { external.gravity * self.bodies[body].mass } else { D::Vector::ZERO }
    }
}
