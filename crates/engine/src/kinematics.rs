//! Motion of bodies and of contacts: lever arms, relative velocities, and the update of positions.

use crate::contact::Contact;
use crate::state::Velocities;
use crate::work::Work;
use crate::world::World;
use rayon::prelude::*;
use riprap_solve::Dim;

impl<D: Dim> World<D> {
    /// Moves the bodies to the end of the step: with their velocities, or along the way of a step with shocks. There they
    /// keep the momentum that they have after the shocks, as they turn too.
    pub(crate) fn move_to_end(&mut self, step: &mut Work<D>) {
        let time = self.settings.move_after_solve();
        let Some(way) = step.way.take() else { return self.move_bodies(time) };
        let bodies = 0..self.bodies.len();
        let momentum: Vec<D::Spin> =
            bodies.clone().map(|body| self.angular_momentum(body, self.state.spin[body])).collect();
        let energy = self.kinetic_energy();
        let velocity = std::mem::replace(&mut self.state.velocity, way.velocity);
        let spin = std::mem::replace(&mut self.state.spin, way.spin.clone());
        let rate = std::mem::replace(&mut self.state.cell.rate, way.rate);
        self.move_bodies(time);
        (self.state.velocity, self.state.cell.rate) = (velocity, rate);
        for body in bodies {
            let keeps_turning = spin[body] == way.spin[body];
            if !keeps_turning {
                let is_angular = self.bodies[body].is_free() && self.bodies[body].grain_radius().is_none();
                self.state.spin[body] = match is_angular {
                    true => D::apply(self.general_mass(body).inverse_inertia, momentum[body]),
                    false => spin[body],
                };
            }
        }
        step.turning_work = self.kinetic_energy() - energy;
    }

    /// Moves positions and orientations with the velocities as they are; angular bodies keep their angular momentum.
    pub(crate) fn move_bodies(&mut self, time: f64) {
        let turned: Vec<(D::Orientation, D::Spin)> =
            (0..self.bodies.len()).into_par_iter().with_min_len(1024).map(|body| self.turn_for(body, time)).collect();
        if let Some(carrying) = self.carrying(time) {
            let bodies = (0..self.bodies.len()).into_par_iter().with_min_len(4096);
            self.state.position = bodies.map(|body| self.place_after(body, time, Some(&carrying))).collect();
            self.state.cell = carrying.cell(&self.state.cell);
        } else {
            let (position, velocity) = (&mut self.state.position, &self.state.velocity);
            position.par_iter_mut().zip(velocity).with_min_len(4096).for_each(|(x, &v)| *x += v * time);
        }
        let state = &mut self.state;
        for (body, (orientation, spin)) in turned.into_iter().enumerate() {
            (state.orientation[body], state.spin[body]) = (orientation, spin);
        }
    }

    /// The arm from the centre of body 1 (side 0) or body 2 (side 1) to the contact. A grain's arm is its radius, with a
    /// gap or an overlap too, as in the solver.
    pub(crate) fn lever_arm(&self, contact: &Contact<D>, side: usize) -> D::Vector {
        let index = contact.bodies[side] as usize;
        let sign = if side == 0 { 1.0 } else { -1.0 };
        match self.bodies[index].grain_radius() {
            Some(radius) => contact.normal * (sign * radius),
            None if side == 0 => contact.point - self.state.position[index],
            None => contact.point - self.state.cell.shift(contact.offset) - self.state.position[index],
        }
    }

    /// Relative velocity of a contact, including what the cell adds to it.
    pub(crate) fn relative_velocity(&self, contact: &Contact<D>, at: &Velocities<'_, D>) -> D::Vector {
        let surface = |side: usize| {
            let body = contact.bodies[side] as usize;
            at.velocity[body] + D::cross(at.spin[body], self.lever_arm(contact, side))
        };
        surface(1) - surface(0) + self.carried_apart(contact)
    }

    /// The equivalent radius of the smaller body of a pair.
    pub(crate) fn smaller_radius(&self, bodies: [u32; 2]) -> f64 {
        let size =
            |body: usize| self.cache.size.get(body).copied().unwrap_or_else(|| self.bodies[body].equivalent_radius());
        bodies.iter().map(|&body| size(body as usize)).fold(f64::INFINITY, f64::min)
    }

    /// `r* = r₁r₂/(r₁+r₂)` by equivalent radii; walls count as flat.
    pub(crate) fn reduced_radius(&self, bodies: [u32; 2]) -> f64 {
        let curvature = bodies.map(|body| 1.0 / self.bodies[body as usize].equivalent_radius());
        1.0 / (curvature[0] + curvature[1])
    }
}
