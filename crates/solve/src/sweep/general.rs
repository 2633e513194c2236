//! Contacts one at a time: those whose normal and tangent are coupled (a wall that moves along some axes only, and every
//! body that is not a ball), and those with torques or a step in their normal law. By the exact solution of their block.

use super::Slots;
use crate::law::{JointLaw, Local, SIZE, natural_map_error, solve_coupled};
use crate::problem::{GROUND, Mass, Problem};
use crate::space::{Dim, Vector};
use crate::sweep::Tally;

/// A contact in its own frame: normal first, then the tangents, then the torque about each of these axes.
#[derive(Clone, Debug)]
pub struct GeneralContact<D: Dim> {
    bodies: [u32; 2],
    frame: [D::Vector; 3],
    arms: [D::Vector; 2],
    masses: [Mass<D>; 2],
    /// A length of the contact over those of its bodies: how a torque of the contact, over its length, turns them.
    ratios: [f64; 2],
    length: f64,
    /// The diagonal block `W_αα`, with the compliance.
    block: [Local; SIZE],
    shift: Local,
    /// Compliance along each axis, and the impulse without deformation.
    compliance: Local,
    rest_impulse: Local,
    friction: f64,
    /// The laws, if they are more than Signorini's and Coulomb's.
    joint: Option<JointLaw>,
    /// The impulse in the contact's frame; torques over the length.
    pub impulse: Local,
}

impl<D: Dim> GeneralContact<D> {
    /// Contact `index` as the problem states it, with the impulse that it starts from or none.
    pub fn new(problem: &Problem<D>, index: usize, warm: bool) -> Self {
        let contact = &problem.contacts[index];
        let torque = problem.torque(index);
        let [t1, t2] = D::tangents(contact.normal);
        let frame = [contact.normal, t1, t2];
        let masses = contact.bodies.map(|body| problem.mass(body));
        let mut general = GeneralContact {
            bodies: contact.bodies,
            frame,
            arms: problem.arms(contact),
            masses,
            ratios: [0.0; 2],
            length: 1.0,
            block: [[0.0; SIZE]; SIZE],
            shift: [0.0; SIZE],
            compliance: [0.0; SIZE],
            rest_impulse: [0.0; SIZE],
            friction: contact.friction,
            joint: None,
            impulse: [0.0; SIZE],
        };
        let local = |vector: D::Vector| frame.map(|axis| axis.dot(vector));
        general.shift[..3].copy_from_slice(&local(contact.shift));
        let rest = problem.rest_impulses.get(index).copied().unwrap_or(contact.impulse);
        general.rest_impulse[..3].copy_from_slice(&local(rest));
        let tangential = problem.compliance * (1.0 + 1.0 / D::BALL_INERTIA);
        general.compliance[..3].copy_from_slice(&[problem.compliance, tangential, tangential]);
        if warm {
            general.impulse[..3].copy_from_slice(&local(contact.impulse));
        }

        let mut limits = None;
        if let Some(torque) = torque {
            general.ratios = std::array::from_fn(|side| match contact.bodies[side] {
                GROUND => 0.0,
                _ => 1.0 / torque.lengths[side],
            });
            // The length that makes a torque as able to turn as a force is to move: the radius of equal balls.
            general.length = 1.0;
            let block = general.delassus(D::AXES + D::SPINS);
            let turning = (D::AXES..D::AXES + D::SPINS).map(|i| block[i][i]).sum::<f64>() / D::SPINS as f64;
            if turning > 0.0 {
                let length = (block[0][0] / (D::BALL_INERTIA * turning)).sqrt();
                general.length = length;
                general.ratios = general.ratios.map(|ratio| ratio * length);
                limits = Some([torque.rolling / length, torque.torsion / length]);
                let (shift, start) = (general.spin_local(torque.shift), general.spin_local(torque.impulse));
                for i in 0..D::SPINS {
                    general.shift[D::AXES + i] = shift[i] * length;
                    general.impulse[D::AXES + i] = if warm { start[i] / length } else { 0.0 };
                }
            }
        }
        let cohesion = problem.cohesion(index).copied();
        if limits.is_some() || cohesion.is_some() {
            let step = cohesion.unwrap_or_default();
            general.joint = Some(JointLaw::new(D::AXES, contact.friction, limits, step.hold, step.closing));
        }
        general.block = general.delassus(general.size());
        for i in 0..3 {
            general.block[i][i] += general.compliance[i];
        }
        general
    }

    /// The impulse in the frame of the world.
    pub fn world_impulse(&self) -> D::Vector {
        self.to_world(&self.impulse)
    }

    /// The torque impulse in the frame of the world.
    pub fn world_torque(&self) -> D::Spin {
        self.torque_to_world(&self.impulse) * self.length
    }

    /// `1/W_nn`.
    pub fn normal_mass(&self) -> f64 {
        1.0 / self.block[0][0]
    }

    /// One Gauss–Seidel visit.
    pub fn update(&mut self, slots: &mut Slots, floor: f64) -> Tally {
        let u = self.shifted_velocity(slots);
        let p = self.impulse;
        let size = self.size();
        // What the velocity would be without this contact's own impulse.
        let mut q = [0.0; SIZE];
        for i in 0..size {
            q[i] = u[i] - (0..size).map(|j| self.block[i][j] * p[j]).sum::<f64>();
        }
        self.impulse = match &self.joint {
            Some(law) => law.solve(&self.block, q, p),
            None => {
                let block = std::array::from_fn(|i| std::array::from_fn(|j| self.block[i][j]));
                let [n, t1, t2] = solve_coupled(&block, [q[0], q[1], q[2]], self.friction, D::AXES);
                [n, t1, t2, 0.0, 0.0, 0.0]
            }
        };
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
        let (p, u, rho) = (self.impulse, self.shifted_velocity(slots), self.normal_mass());
        let error = match &self.joint {
            Some(law) => law.error(p, u, rho),
            None => natural_map_error([p[0], p[1], p[2]], [u[0], u[1], u[2]], self.friction, rho),
        };
        Tally {
            change: error * error,
            size: square(p),
            normal: p[0],
            worst: error / rho,
            speed: (error / rho).powi(2),
            scale: squares * rho.powi(2),
        }
    }

    /// Components of the impulse.
    fn size(&self) -> usize {
        self.joint.as_ref().map_or(D::AXES, JointLaw::size)
    }

    /// `W_αα`: the velocity at the contact that each of its unit impulses gives, without compliance.
    fn delassus(&self, size: usize) -> [Local; SIZE] {
        let mut block = [[0.0; SIZE]; SIZE];
        for j in 0..size {
            let mut unit = [0.0; SIZE];
            unit[j] = 1.0;
            let [first, second] = self.response(&unit);
            let u = self.at_contact(first, second);
            for i in 0..size {
                block[i][j] = u[i];
            }
        }
        block
    }

    /// What an impulse of the contact changes in the velocities of its bodies.
    fn response(&self, local: &Local) -> [(D::Vector, D::Spin); 2] {
        let (impulse, torque) = (self.to_world(local), self.torque_to_world(local));
        std::array::from_fn(|side| {
            let sign = if side == 0 { -1.0 } else { 1.0 };
            let mass = &self.masses[side];
            let turn = D::wedge(self.arms[side], impulse) + torque * self.ratios[side];
            (mass.inverse_mass.scale(impulse) * sign, D::apply(mass.inverse_inertia, turn) * sign)
        })
    }

    /// The relative velocity and spin in the contact's frame.
    fn at_contact(&self, (v1, s1): (D::Vector, D::Spin), (v2, s2): (D::Vector, D::Spin)) -> Local {
        let u = v2 + D::cross(s2, self.arms[1]) - v1 - D::cross(s1, self.arms[0]);
        let mut local = [0.0; SIZE];
        for i in 0..D::AXES {
            local[i] = self.frame[i].dot(u);
        }
        let turning = self.spin_local(s2 * self.ratios[1] - s1 * self.ratios[0]);
        local[D::AXES..D::AXES + D::SPINS].copy_from_slice(&turning[..D::SPINS]);
        local
    }

    fn shifted_velocity(&self, slots: &Slots) -> Local {
        let [first, second] = self.bodies.map(|body| slots.motion::<D>(body));
        let mut u = self.at_contact(first, second);
        for i in 0..SIZE {
            u[i] += self.shift[i] + self.compliance[i] * (self.impulse[i] - self.rest_impulse[i]);
        }
        u
    }

    fn give(&self, slots: &mut Slots, local: Local) {
        let changes = self.response(&local);
        for side in 0..2 {
            if self.bodies[side] != GROUND {
                let (velocity, spin) = slots.motion::<D>(self.bodies[side]);
                let (change, turn) = changes[side];
                slots.set_motion::<D>(self.bodies[side], velocity + change, spin + turn);
            }
        }
    }

    fn to_world(&self, local: &Local) -> D::Vector {
        let mut sum = D::Vector::ZERO;
        for i in 0..D::AXES {
            sum += self.frame[i] * local[i];
        }
        sum
    }

    /// The torque part of a local vector. In 2D there is one axis to turn about, and no frame.
    fn torque_to_world(&self, local: &Local) -> D::Spin {
        if D::SPINS == 1 {
            return D::Spin::from_fn(|_| local[2]);
        }
        let axes = self.frame.map(|axis| axis.to_array3());
        D::Spin::from_fn(|k| (0..3).map(|i| axes[i][k] * local[3 + i]).sum())
    }

    fn spin_local(&self, spin: D::Spin) -> [f64; 3] {
        if D::SPINS == 1 {
            return [spin.get(0), 0.0, 0.0];
        }
        self.frame.map(|axis| {
            let axis = axis.to_array3();
            (0..3).map(|k| axis[k] * spin.get(k)).sum()
        })
    }
}

fn square(v: Local) -> f64 {
    v.iter().map(|x| x * x).sum()
}
