//! The shocks that end a step of the Euler scheme (docs/method.md §3). The solve before has found the way of the bodies:
//! which gaps close, and where bodies are at the end of the step. If a contact that closes has restitution, the velocities
//! after the step are those of a second problem, of all that touch: Moreau's law with the velocities before the step. It
//! keeps the energy at `e = 1` however many contacts meet in one step, and wherever in it.

use crate::contact::{Contact, Status};
use crate::drive::External;
use crate::law::{CLOSED, LoweredLaw, Shock, lower_shock};
use crate::report::StepError;
use crate::work::{Way, Work};
use crate::world::World;
use riprap_solve::problem::GROUND;
use riprap_solve::{Dim, Vector};

impl<D: Dim> World<D> {
    /// Solves for the velocities after the shocks of the step, if there are any, and keeps the way of the bodies apart.
    pub(crate) fn shock(&mut self, external: &External<D>, step: &mut Work<D>) -> Result<(), StepError> {
        let has_restitution = |(contact, law): (&Contact<D>, &LoweredLaw<D>)| {
            contact.status != Status::Open && law.restitution != [0.0; 2]
        };
        if !step.features.restitution || !step.contacts.iter().zip(&step.laws).any(has_restitution) {
            return Ok(());
        }
        step.way = Some(Way {
            velocity: self.state.velocity.clone(),
            spin: self.state.spin.clone(),
            rate: self.state.cell.rate,
        });
        self.state.cell.rate = step.rate_before;
        step.count_solve();
        self.keep_touching(step);
        self.free_velocity(external, step);
        for i in 0..step.contacts.len() {
            let shock = Shock { velocity: step.incoming_velocity[i], change: self.change(&step.contacts[i], step) };
            step.laws[i] = lower_shock(self.time_step(), &step.laws[i], &step.contacts[i], &shock);
        }
        self.state_laws(step);
        let (converged, residual) = (step.solved.converged, step.solved.residual);
        self.solve_laws(external, step)?;
        step.solved.converged &= converged;
        step.solved.residual = step.solved.residual.max(residual);
        self.keep_impulses(step);
        self.not_finite().map_or(Ok(()), Err)
    }

    /// Leaves the contacts that touch at the end of the step, or that cohesion or a bond holds.
    fn keep_touching(&self, step: &mut Work<D>) {
        let touches = |(contact, law): (&Contact<D>, &LoweredLaw<D>)| {
            let gap = contact.gap + self.time_step() * contact.velocity.dot(contact.normal);
            contact.status != Status::Open || law.bonded || gap <= CLOSED * self.smaller_radius(contact.bodies)
        };
        let touching: Vec<bool> = step.contacts.iter().zip(&step.laws).map(touches).collect();
        retain(&mut step.contacts, &touching);
        retain(&mut step.extras, &touching);
        retain(&mut step.laws, &touching);
        retain(&mut step.pair_of, &touching);
        retain(&mut step.last_status, &touching);
        retain(&mut step.last_impulse, &touching);
        retain(&mut step.incoming_velocity, &touching);
    }

    /// The change of the normal velocity of a contact by forces from outside.
    fn change(&self, contact: &Contact<D>, step: &Work<D>) -> f64 {
        let change = |side: usize| {
            let body = contact.bodies[side] as usize;
            let slot = self.cache.slots[body];
            if slot == GROUND {
                return D::Vector::ZERO;
            }
            let free = &step.problem.bodies[slot as usize];
            let turned = match self.bodies[body].grain_radius() {
                // The spin of a ball does not move its surface.
                Some(_) => D::Vector::ZERO,
                None => D::cross(free.spin - step.spin_before[body], self.lever_arm(contact, side)),
            };
            free.velocity - step.velocity_before[body] + turned
        };
        (change(1) - change(0)).dot(contact.normal)
    }
}

/// Keeps the entries that are marked.
fn retain<T>(entries: &mut Vec<T>, marked: &[bool]) {
    let mut marks = marked.iter();
    entries.retain(|_| *marks.next().expect("a mark for each entry"));
}
