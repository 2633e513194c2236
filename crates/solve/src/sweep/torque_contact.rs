//! Contacts between bodies that are not both balls, with torques or a step in their normal law: one at a time, by
//! [`TorqueLaw`].

#![allow(unsafe_code)] // These contacts share the bodies with the kernels; see `run`.
use super::config::{Measure, Pass, PassConfig, Tuning};
use super::kernel::spin_gain;
use super::slots::{add_motion, motion};
use super::stats::SweepStats;
use crate::law::{Local, SIZE, TorqueLaw};
use crate::problem::{GROUND, Mass, Problem};
use crate::space::{Dim, Vector};

/// A contact in its own frame: normal first, then the tangents, then the torque about each of these axes (about the one axis
/// in 2D). Its impulse is kept elsewhere, in the same components; torques are over the length of the contact.
#[derive(Clone, Debug, Default)]
pub struct TorqueContact<D: Dim> {
    bodies: [u32; 2],
    frame: [D::Vector; 3],
    arms: [D::Vector; 2],
    masses: [Mass<D>; 2],
    /// The length of the contact over those of its bodies.
    ratios: [f64; 2],
    /// The length of the contact.
    length: f64,
    /// The length that torsion is divided by, over that of the contact: 1 but where sliding and torsion are coupled.
    torsion_scale: f64,
    /// The diagonal block `W_αα`.
    block: [Local; SIZE],
    shift: Local,
    /// The impulse without deformation, of a compliant contact.
    undeformed: Local,
    law: TorqueLaw,
}

impl<D: Dim> TorqueContact<D> {
    /// Contact `index` as the problem states it.
    pub fn new(problem: &Problem<D>, index: usize) -> Self {
        let stated = &problem.contacts[index];
        let [t1, t2] = D::tangents(stated.normal);
        let mut contact = TorqueContact {
            bodies: stated.bodies,
            frame: [stated.normal, t1, t2],
            arms: problem.arms_of(index),
            masses: stated.bodies.map(|body| problem.mass(body)),
            length: 1.0,
            torsion_scale: 1.0,
            ..TorqueContact::default()
        };
        let mut limits = None;
        let coupling = problem.coupling_length(index);
        if let Some(torque) = problem.torque(index) {
            contact.ratios = std::array::from_fn(|side| match stated.bodies[side] {
                GROUND => 0.0,
                _ => 1.0 / torque.lengths[side],
            });
            // The length that makes a torque as able to turn as a force is to move: the radius of equal balls.
            let block = contact.delassus();
            let turning = (D::AXES..D::AXES + D::SPINS).map(|i| block[i][i]).sum::<f64>() / D::SPINS as f64;
            if turning > 0.0 {
                let length = (block[0][0] / (D::BALL_INERTIA * turning)).sqrt();
                contact.length = length;
                contact.ratios = contact.ratios.map(|ratio| ratio * length);
                contact.torsion_scale = coupling.map_or(1.0, |torsion| torsion / length);
                limits = Some([torque.rolling / length, torque.torsion / length / contact.torsion_scale]);
                let shift = contact.spin_local(torque.shift);
                for i in 0..D::SPINS {
                    contact.shift[D::AXES + i] = shift[i] * length;
                }
            }
        }
        let step = problem.cohesion(index).copied().unwrap_or_default();
        contact.law = TorqueLaw::new(D::AXES, stated.friction, limits, step.hold, step.closing);
        if limits.is_some() && coupling.is_some() {
            contact.law = contact.law.coupled();
        }
        contact.block = contact.delassus();
        let undeformed = problem.undeformed_impulses.get(index).copied().unwrap_or(stated.impulse);
        for i in 0..D::AXES {
            contact.shift[i] = contact.frame[i].dot(stated.shift);
            contact.undeformed[i] = contact.frame[i].dot(undeformed);
        }
        contact
    }

    /// An impulse and a torque impulse in the frame of the contact.
    pub fn to_local(&self, impulse: D::Vector, torque: D::Spin) -> Local {
        let mut local = [0.0; SIZE];
        for i in 0..D::AXES {
            local[i] = self.frame[i].dot(impulse);
        }
        if self.law.size() > D::AXES {
            // The parts along the axes, which a scale divides here and multiplies in a velocity.
            let torque = self.spin_local(torque);
            for i in 0..D::SPINS {
                local[D::AXES + i] = torque[i] / self.length;
            }
            local[D::AXES] /= self.torsion_scale * self.torsion_scale;
        }
        local
    }

    /// The inverse of [`TorqueContact::to_local`].
    pub fn to_world(&self, local: &Local) -> (D::Vector, D::Spin) {
        (self.force(local), self.torque(local) * self.length)
    }

    /// Takes another shift of the relative velocity.
    pub fn set_shift(&mut self, shift: D::Vector) {
        for i in 0..D::AXES {
            self.shift[i] = self.frame[i].dot(shift);
        }
    }

    /// `W_nn`.
    pub fn normal_weight(&self) -> f64 {
        self.block[0][0]
    }

    /// What a pass does at this contact.
    ///
    /// # Safety
    /// `slots` must point to the live array of bodies, and no other thread may touch those of this contact meanwhile.
    pub unsafe fn run(&self, config: PassConfig, slots: *mut f64, impulse: &mut Local) -> SweepStats {
        // SAFETY: the caller's promise.
        unsafe {
            match config.pass {
                Pass::Sweep(measure) => self.update(measure, config.tuning, slots, impulse),
                Pass::Apply => {
                    self.give(slots, impulse);
                    SweepStats::default()
                }
                Pass::Residual => self.residual(config.tuning, slots, impulse),
            }
        }
    }

    unsafe fn update(&self, measure: Measure, tuning: Tuning, slots: *mut f64, impulse: &mut Local) -> SweepStats {
        let p = *impulse;
        let size = self.law.size();
        let mut block = self.block;
        for i in 0..D::AXES {
            block[i][i] += compliance::<D>(tuning, i);
        }
        // SAFETY: the caller's promise.
        let u = unsafe { self.velocity(tuning, slots, &p) };
        // What the velocity would be without this contact's own impulse.
        let mut q = [0.0; SIZE];
        for i in 0..size {
            q[i] = u[i] - (0..size).map(|j| block[i][j] * p[j]).sum::<f64>();
        }
        let found = self.law.solve(&block, q, p);
        *impulse = if tuning.sliding < 1.0 {
            self.law.damped(p, found, |limit, length| tuning.part(limit, 1.0 / length.max(f64::MIN_POSITIVE)))
        } else {
            found
        };
        let change = std::array::from_fn(|i| impulse[i] - p[i]);
        // SAFETY: the caller's promise.
        unsafe { self.give(slots, &change) };
        let (change, size, floor) = (square(&change), square(impulse), measure.floor());
        SweepStats {
            change,
            size,
            normal: impulse[0],
            worst: (change / size.max(floor * floor + f64::MIN_POSITIVE)).sqrt(),
            ..SweepStats::default()
        }
    }

    unsafe fn residual(&self, tuning: Tuning, slots: *const f64, p: &Local) -> SweepStats {
        // SAFETY: the caller's promise.
        let (u, speeds) =
            unsafe { (self.velocity(tuning, slots, p), self.bodies.map(|body| motion::<D>(slots, body).0)) };
        let squares = speeds[0].dot(speeds[0]) + speeds[1].dot(speeds[1]) + square(&self.shift);
        let rho = 1.0 / (self.block[0][0] + tuning.compliance);
        let error = self.law.error(*p, u, rho);
        SweepStats {
            change: error * error,
            size: square(p),
            normal: p[0],
            worst: error / rho,
            speed: (error / rho).powi(2),
            scale: squares * rho.powi(2),
            left_out: 0,
        }
    }

    /// `W_αα`: the velocity at the contact that each of its unit impulses gives.
    fn delassus(&self) -> [Local; SIZE] {
        let mut block = [[0.0; SIZE]; SIZE];
        for j in 0..D::AXES + D::SPINS {
            let mut unit = [0.0; SIZE];
            unit[j] = 1.0;
            let [first, second] = self.response(&unit);
            let u = self.at_contact(first, second);
            for i in 0..D::AXES + D::SPINS {
                block[i][j] = u[i];
            }
        }
        block
    }

    /// What an impulse of the contact changes in the velocities of its bodies.
    fn response(&self, local: &Local) -> [(D::Vector, D::Spin); 2] {
        let (impulse, torque) = (self.force(local), self.torque(local));
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

    unsafe fn velocity(&self, tuning: Tuning, slots: *const f64, p: &Local) -> Local {
        // SAFETY: the caller's promise.
        let [first, second] = unsafe { self.bodies.map(|body| motion::<D>(slots, body)) };
        let mut u = self.at_contact(first, second);
        for i in 0..SIZE {
            u[i] += self.shift[i];
        }
        for i in 0..D::AXES {
            u[i] += compliance::<D>(tuning, i) * (p[i] - self.undeformed[i]);
        }
        u
    }

    unsafe fn give(&self, slots: *mut f64, local: &Local) {
        let changes = self.response(local);
        for side in 0..2 {
            // The ground is shared by all threads and never written.
            if self.bodies[side] != GROUND {
                let (velocity, spin) = changes[side];
                // SAFETY: the caller's promise.
                unsafe { add_motion::<D>(slots, self.bodies[side], velocity, spin) };
            }
        }
    }

    fn force(&self, local: &Local) -> D::Vector {
        let mut sum = D::Vector::ZERO;
        for i in 0..D::AXES {
            sum += self.frame[i] * local[i];
        }
        sum
    }

    /// The torque part of a local vector. In 2D there is one axis to turn about, and no frame.
    fn torque(&self, local: &Local) -> D::Spin {
        if D::SPINS == 1 {
            return D::Spin::from_fn(|_| local[2]);
        }
        let axes = self.frame.map(|axis| axis.to_array3());
        let parts = [local[3] * self.torsion_scale, local[4], local[5]];
        D::Spin::from_fn(|k| (0..3).map(|i| axes[i][k] * parts[i]).sum())
    }

    /// A spin in the frame of the contact, the part about the normal times its scale.
    fn spin_local(&self, spin: D::Spin) -> [f64; 3] {
        if D::SPINS == 1 {
            return [spin.get(0), 0.0, 0.0];
        }
        let [about_normal, first, second] = self.frame.map(|axis| {
            let axis = axis.to_array3();
            (0..3).map(|k| axis[k] * spin.get(k)).sum::<f64>()
        });
        [about_normal * self.torsion_scale, first, second]
    }
}

/// Compliance along axis `i` of a contact.
fn compliance<D: Dim>(tuning: Tuning, i: usize) -> f64 {
    if i == 0 { tuning.compliance } else { tuning.compliance * (1.0 + spin_gain(D::AXES)) }
}

fn square(v: &Local) -> f64 {
    v.iter().map(|x| x * x).sum()
}
