//! Velocities without contact impulses.

use crate::drive::External;
use crate::work::Work;
use crate::world::World;
use riprap_solve::problem::{self, GROUND, Inertia};
use riprap_solve::{Dim, Vector};

impl<D: Dim> World<D> {
    /// `U_free = U⁻ + δt M⁻¹ F_ext`, in the layout of the problem.
    pub(crate) fn free_velocity(&self, external: &External<D>, step: &mut Work<D>) {
        let dt = self.time_step();
        let slots = &self.cache.slots;
        step.problem.masses.clear();
        step.problem.bodies.clear();
        step.problem.bodies.push(problem::Body::default());
        for &body in self.cache.pairs.order.iter().filter(|&&body| slots[body as usize] != GROUND) {
            let index = body as usize;
            let body = &self.bodies[index];
            let (velocity, spin) = (step.velocity_before[index], step.spin_before[index]);
            let (force, torque) = external.on(index);
            let force = force + step.bridge_force(index);
            let (velocity, spin, inertia) = match body.grain_radius() {
                Some(radius) => (
                    velocity + (external.gravity + force * (1.0 / body.mass)) * dt,
                    (spin + torque * (dt / body.inertia.get(0))) * radius,
                    Inertia::Ball(1.0 / body.mass),
                ),
                None => {
                    let (mass, spin) = match step.motors.as_slice() {
                        [] => (self.general_mass(index), spin),
                        motors => self.motored(index, spin, motors),
                    };
                    let gravity = if body.is_free() { external.gravity } else { D::Vector::ZERO };
                    let inertia = Inertia::General(step.problem.masses.len() as u32);
                    step.problem.masses.push(mass);
                    (
                        velocity + (gravity + mass.inverse_mass.scale(force)) * dt,
                        spin + D::apply(mass.inverse_inertia, torque) * dt,
                        inertia,
                    )
                }
            };
            step.problem.bodies.push(problem::Body { velocity, spin, inertia });
        }
    }
}
