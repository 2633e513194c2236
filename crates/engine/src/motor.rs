//! Motors with a largest torque. A motor that can hold its velocity imposes it; one that cannot gives its largest torque.
//! Which of the two is known only once the contacts are solved for, so a step in which it was the other is solved again.

use crate::body::{Freedom, Motion};
use crate::contact::{Contact, ContactExtras};
use crate::drive::External;
use crate::work::{Effort, Motor, Work};
use crate::world::World;
use riprap_solve::problem::Mass;
use riprap_solve::{Dim, Vector};

/// A motor is at its limit if it would need more than this factor times its largest torque to hold its velocity.
const BEYOND: f64 = 1.0 + 1e-9;
/// A motor that has been found at its limit, and then ahead of its velocity, as often as this in one step is left at its
/// limit: the solve is not accurate enough to decide.
const MAX_CHANGES: u32 = 2;

impl<D: Dim> World<D> {
    /// The motors of this step. What the contacts did in the last step says what each probably has to do.
    pub(crate) fn start_motors(&self, external: &External<D>, step: &mut Work<D>) {
        step.motors.clear();
        for (body, this) in self.bodies.iter().enumerate() {
            let Motion::Driven(freedoms) = &this.motion else { continue };
            for (axis, freedom) in freedoms.rotation[..D::SPINS].iter().enumerate() {
                let Freedom::Motor { velocity, largest } = freedom else { continue };
                let aim = velocity.at(external.time);
                let mut motor = Motor { body, axis, aim, largest: *largest, effort: Effort::Hold, changes: 0 };
                let turning = self.turning_of_contacts(&motor, &self.state.contacts, &self.state.extras);
                let needed = self.needed_torque(&motor, aim, turning, external, step);
                if needed.abs() > largest * BEYOND {
                    motor.effort = Effort::Push(largest.copysign(needed));
                }
                step.motors.push(motor);
            }
        }
    }

    /// The mass that a body with motors shows to the contacts, and its spin without them: where a motor holds its velocity
    /// nothing turns the body.
    pub(crate) fn motored(&self, body: usize, spin: D::Spin, motors: &[Motor]) -> (Mass<D>, D::Spin) {
        let dt = self.time_step();
        let held = |axis: usize| {
            motors.iter().find(|motor| (motor.body, motor.axis) == (body, axis) && motor.effort == Effort::Hold)
        };
        let mass = self.general_mass_where(body, |axis| held(axis).is_none());
        let pushed = motors.iter().filter(|motor| motor.body == body).map(|motor| match motor.effort {
            Effort::Hold => D::Spin::ZERO,
            Effort::Push(torque) => D::apply(mass.inverse_inertia, D::Spin::axis(motor.axis) * (torque * dt)),
        });
        let spin = pushed.fold(spin, |spin, change| spin + change);
        let spin = D::Spin::from_fn(|axis| held(axis).map_or(spin.get(axis), |motor| motor.aim));
        (mass, spin)
    }

    /// Looks at the motors after a solve; true if one of them did what it cannot or need not do, and will do the other.
    pub(crate) fn change_motors(&self, external: &External<D>, step: &mut Work<D>) -> bool {
        let mut motors = std::mem::take(&mut step.motors);
        let mut has_changed = false;
        for motor in &mut motors {
            let spin = self.state.spin[motor.body].get(motor.axis);
            let effort = match motor.effort {
                Effort::Hold => {
                    let turning = self.turning_of_contacts(motor, &step.contacts, &step.extras);
                    let needed = self.needed_torque(motor, spin, turning, external, step);
                    if needed.abs() <= motor.largest * BEYOND {
                        continue;
                    }
                    Effort::Push(motor.largest.copysign(needed))
                }
                Effort::Push(torque) if (spin - motor.aim) * torque > 0.0 && motor.changes < MAX_CHANGES => {
                    Effort::Hold
                }
                Effort::Push(_) => continue,
            };
            (motor.effort, motor.changes, has_changed) = (effort, motor.changes + 1, true);
        }
        step.motors = motors;
        has_changed
    }

    /// Adds the torques of the motors to what acts from outside, once the step is solved.
    pub(crate) fn count_motors(&self, step: &Work<D>, external: &mut External<D>) {
        for motor in &step.motors {
            let torque = match motor.effort {
                Effort::Push(torque) => torque,
                Effort::Hold => {
                    let turning = self.turning_of_contacts(motor, &step.contacts, &step.extras);
                    let spin = self.state.spin[motor.body].get(motor.axis);
                    self.needed_torque(motor, spin, turning, external, step)
                }
            };
            external.loads[motor.body].1 += D::Spin::axis(motor.axis) * torque;
        }
    }

    /// The torque with which a motor gives its body a spin against what else turns it.
    fn needed_torque(&self, motor: &Motor, spin: f64, turning: f64, external: &External<D>, step: &Work<D>) -> f64 {
        let gained = spin - step.spin_before[motor.body].get(motor.axis);
        let inertia = self.inertia_about_axes(motor.body).get(motor.axis);
        (inertia * gained - turning) / self.time_step() - external.on(motor.body).1.get(motor.axis)
    }

    /// The angular impulse of contacts on the body of a motor, about its axis.
    fn turning_of_contacts(&self, motor: &Motor, contacts: &[Contact<D>], extras: &[ContactExtras<D>]) -> f64 {
        let mut turning = 0.0;
        for (index, contact) in contacts.iter().enumerate() {
            for (side, sign) in [(0, -1.0), (1, 1.0)] {
                if contact.bodies[side] as usize == motor.body {
                    let torque = extras.get(index).map_or(D::Spin::ZERO, |extras| extras.torque);
                    let whole = D::wedge(self.lever_arm(contact, side), contact.impulse) + torque;
                    turning += sign * whole.get(motor.axis);
                }
            }
        }
        turning
    }
}
