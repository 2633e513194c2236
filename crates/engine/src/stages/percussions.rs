//! A-CD² (P3, docs/method.md §7): the solve of a step whose contact percussions come from pseudopotentials of
//! dissipation. All else is a step of the midpoint scheme, which is what atomized forces and percussions at `t + δt/2`
//! amount to: bodies move at constant velocity before and after.

use crate::contact::Status;
use crate::law::LoweredLaw;
use crate::law::material::PairLaw;
use crate::state::Velocities;
use crate::work::Work;
use crate::world::World;
use riprap_solve::percussion::{PercussionLaw, PercussionOptions, Threshold, solve_percussions};
use riprap_solve::{Dim, SolveReport, Vector};

impl<D: Dim> World<D> {
    /// States the problem of percussions and solves it.
    pub(crate) fn solve_percussions(&self, options: &PercussionOptions, step: &mut Work<D>) {
        let before = Velocities { velocity: &step.velocity_before, spin: &step.spin_before };
        let dt = self.time_step();
        step.incoming_velocity = step.contacts.iter().map(|contact| self.relative_velocity(contact, &before)).collect();
        step.percussion_laws.clear();
        step.laws.clear();
        for ((contact, &last), &velocity) in step.contacts.iter().zip(&step.last_status).zip(&step.incoming_velocity) {
            let [a, b] = contact.bodies.map(|body| self.bodies[body as usize].material);
            let slips = velocity - contact.normal * velocity.dot(contact.normal) != D::Vector::ZERO;
            step.percussion_laws.push(percussion_law(self.materials.pair(a, b), last, slips, dt));
            // The shift holds the motion of walls only, and friction is in the percussion's law.
            step.laws.push(LoweredLaw::default());
        }
        let stated = step.contacts.iter().zip(&step.laws);
        step.problem.contacts = stated.map(|(contact, law)| self.state_contact(contact, law)).collect();
        self.state_all_arms(&mut step.problem, &step.contacts);
        let solved = solve_percussions(&mut step.problem, &step.percussion_laws, &step.incoming_velocity, options);
        step.solved = SolveReport {
            sweeps: solved.passes,
            converged: solved.converged,
            residual: solved.residual,
            worst_contact: solved.worst_contact,
            ..SolveReport::default()
        };
    }
}

/// The law of a contact in this step; friction is that of rest if the contact stuck in the last step.
fn percussion_law(pair: &PairLaw, last: Option<Status>, slips: bool, time_step: f64) -> PercussionLaw {
    let stuck = last.map_or(!slips, |status| status == Status::Stick);
    let dissipation = pair.dissipation;
    PercussionLaw {
        normal_viscosity: dissipation.normal_viscosity,
        tangential_viscosity: dissipation.tangential_viscosity,
        threshold: match dissipation.tresca {
            Some(force) => Threshold::Tresca(force * time_step),
            None => Threshold::Coulomb(if stuck { pair.static_friction } else { pair.dynamic_friction }),
        },
    }
}

/// Under A-CD² a viscous contact may pull while it opens: it is open only if nothing passes through it.
pub(super) fn percussion_status(law: &PercussionLaw, normal: f64, tangential: f64) -> Status {
    let limit = match law.threshold {
        Threshold::None => 0.0,
        Threshold::Tresca(threshold) => threshold,
        Threshold::Coulomb(friction) => friction * normal.max(0.0),
    };
    if normal == 0.0 && tangential == 0.0 {
        Status::Open
    } else if tangential >= limit * (1.0 - 1e-9) {
        Status::Slide
    } else {
        Status::Stick
    }
}
