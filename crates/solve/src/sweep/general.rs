//! Contacts whose normal and tangent are coupled: a wall that moves along some axes only, and every body that is not
//! a ball. One at a time, by the exact solution of the coupled block.

use super::Slots;
use crate::law::{natural_map_error, solve_coupled};
use crate::problem::{Contact, GROUND, Mass, Problem};
use crate::space::{Dim, Vector};
use crate::sweep::Tally;

/// A coupled contact in its own frame (normal first).
#[derive(Clone, Debug)]
pub struct GeneralContact<D: Dim> {
    bodies: [u32; 2],
    frame: [D::Vector; 3],
    arms: [D::Vector; 2],
    masses: [Mass<D>; 2],
    /// The diagonal block `W_αα`.
    block: [[f64; 3]; 3],
    shift: [f64; 3],
    friction: f64,
    /// The impulse in the contact's frame.
    pub impulse: [f64; 3],
}

impl<D: Dim> GeneralContact<D> {
    /// The contact as the problem states it.
    pub fn new(problem: &Problem<D>, contact: &Contact<D>) -> Self {
        let [t1, t2] = D::tangents(contact.normal);
        let frame = [contact.normal, t1, t2];
        let masses = contact.bodies.map(|body| problem.mass(body));
        let mut block = [[0.0; 3]; 3];
        for (arm, mass) in contact.arms.iter().zip(&masses) {
            for j in 0..D::AXES {
                let velocity = mass.inverse_mass.scale(frame[j]);
                let spin = D::apply(mass.inverse_inertia, D::wedge(*arm, frame[j]));
                let at_contact = velocity + D::cross(spin, *arm);
                for i in 0..D::AXES {
                    block[i][j] += frame[i].dot(at_contact);
                }
            }
        }
        let local = |vector: D::Vector| frame.map(|axis| axis.dot(vector));
        GeneralContact {
            bodies: contact.bodies,
            frame,
            arms: contact.arms,
            masses,
            block,
            shift: local(contact.shift),
            friction: contact.friction,
            impulse: local(contact.impulse),
        }
    }

    /// The impulse in the frame of the world.
    pub fn world_impulse(&self) -> D::Vector {
        self.to_world(self.impulse)
    }

    /// `1/W_nn`.
    pub fn normal_mass(&self) -> f64 {
        1.0 / self.block[0][0]
    }

    /// One Gauss–Seidel visit.
    pub fn update(&mut self, slots: &mut Slots, floor: f64) -> Tally {
        let u = self.shifted_velocity(slots);
        let p = self.impulse;
        // What the velocity would be without this contact's own impulse.
        let q = std::array::from_fn(|i| u[i] - (0..3).map(|j| self.block[i][j] * p[j]).sum::<f64>());
        self.impulse = solve_coupled(&self.block, q, self.friction, D::AXES);
        let change = std::array::from_fn(|i| self.impulse[i] - p[i]);
        self.give(slots, change);
        let (change, size) = (square(change), square(self.impulse));
        Tally {
            change,
            size,
            normal: self.impulse[0],
            worst: (change / size.max(floor * floor + f64::MIN_POSITIVE)).sqrt(),
            speed: 0.0,
            scale: 0.0,
        }
    }

    /// Adds `M⁻¹ H p` to the velocities.
    pub fn apply(&self, slots: &mut Slots) {
        self.give(slots, self.impulse);
    }

    /// How far the contact is from its law.
    pub fn residual(&self, slots: &Slots) -> Tally {
        let speeds = self.bodies.map(|body| slots.motion::<D>(body).0);
        let squares = speeds[0].dot(speeds[0]) + speeds[1].dot(speeds[1]) + square(self.shift);
        let error = natural_map_error(self.impulse, self.shifted_velocity(slots), self.friction, self.normal_mass());
        Tally {
            change: error * error,
            size: square(self.impulse),
            normal: self.impulse[0],
            worst: error / self.normal_mass(),
            speed: (error / self.normal_mass()).powi(2),
            scale: squares * self.normal_mass().powi(2),
        }
    }

    fn shifted_velocity(&self, slots: &Slots) -> [f64; 3] {
        let [(v1, s1), (v2, s2)] = self.bodies.map(|body| slots.motion::<D>(body));
        let u = v2 + D::cross(s2, self.arms[1]) - v1 - D::cross(s1, self.arms[0]);
        std::array::from_fn(|i| self.frame[i].dot(u) + self.shift[i])
    }

    fn give(&self, slots: &mut Slots, local: [f64; 3]) {
        let impulse = self.to_world(local);
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            if self.bodies[side] != GROUND {
                let (velocity, spin) = slots.motion::<D>(self.bodies[side]);
                let mass = &self.masses[side];
                let turn = D::apply(mass.inverse_inertia, D::wedge(self.arms[side], impulse));
                slots.set_motion::<D>(
                    self.bodies[side],
                    velocity + mass.inverse_mass.scale(impulse) * sign,
                    spin + turn * sign,
                );
            }
        }
    }

    fn to_world(&self, local: [f64; 3]) -> D::Vector {
        self.frame[0] * local[0] + self.frame[1] * local[1] + self.frame[2] * local[2]
    }
}

fn square(v: [f64; 3]) -> f64 {
    v.iter().map(|x| x * x).sum()
}
