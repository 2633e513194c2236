//! Motion of bodies and of contacts: lever arms, relative velocities, and the update of positions.

use crate::contact::Contact;
use crate::state::{State, Velocities};
use crate::work::Work;
use crate::world::World;
use rayon::prelude::*;
use riprap_solve::Dim;

impl<D: Dim> World<D> {
    /// Moves the bodies to the end of the step: with their velocities, or along the way of a step with shocks. There they
    /// keep the momentum that they have after the shocks, as they turn too.
    pub(crate) fn move_to_end(&mut self, step: &mut Work<D>) {
        let time = self.move_after_solve();
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
        let State { orientation, spin, .. } = &mut self.state;
        let turning = orientation.par_iter_mut().zip(spin).zip(&self.bodies).with_min_len(1024);
        turning.for_each(|((orientation, spin), body)| (*orientation, *spin) = body.turned(*orientation, *spin, time));
        if let Some(carrying) = self.carrying(time) {
            let bodies = (0..self.bodies.len()).into_par_iter().with_min_len(4096);
            self.state.position = bodies.map(|body| self.place_after(body, time, Some(&carrying))).collect();
            self.state.cell = carrying.cell(&self.state.cell);
        } else {
            let (position, velocity) = (&mut self.state.position, &self.state.velocity);
            position.par_iter_mut().zip(velocity).with_min_len(4096).for_each(|(x, &v)| *x += v * time);
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

    /// Relative velocity of a contact of the present step, including what the cell adds to it.
    #[inline]
    pub(crate) fn relative_velocity(&self, contact: &Contact<D>, at: &Velocities<'_, D>) -> D::Vector {
        let [a, b] = contact.bodies.map(|body| body as usize);
        let [r1, r2] = [a, b].map(|body| self.cache.grain_radius[body]);
        let apart = if r1.is_nan() || r2.is_nan() {
            let surface =
                |side: usize, body: usize| at.velocity[body] + D::cross(at.spin[body], self.lever_arm(contact, side));
            surface(1, b) - surface(0, a)
        } else {
            // The same with the arms of grains, without a look at the bodies.
            let second = at.velocity[b] + D::cross(at.spin[b], contact.normal * -r2);
            second - (at.velocity[a] + D::cross(at.spin[a], contact.normal * r1))
        };
        apart + self.carried_apart(contact)
    }

    /// True if a body is a free ball in the present step: the answer for most, without a look at the body.
    #[inline]
    pub(crate) fn is_grain(&self, body: u32) -> bool {
        !self.cache.grain_radius[body as usize].is_nan()
    }

    /// The equivalent radius of a body.
    #[inline]
    pub(crate) fn size(&self, body: u32) -> f64 {
        let listed = self.cache.size.get(body as usize).copied();
        listed.unwrap_or_else(|| self.bodies[body as usize].equivalent_radius())
    }

    /// The equivalent radius of the smaller body of a pair.
    #[inline]
    pub(crate) fn smaller_radius(&self, bodies: [u32; 2]) -> f64 {
        bodies.iter().map(|&body| self.size(body)).fold(f64::INFINITY, f64::min)
    }

    /// `r* = r₁r₂/(r₁+r₂)` by equivalent radii; walls count as flat.
    pub(crate) fn reduced_radius(&self, bodies: [u32; 2]) -> f64 {
        let curvature = bodies.map(|body| 1.0 / self.size(body));
        1.0 / (curvature[0] + curvature[1])
    }
}
