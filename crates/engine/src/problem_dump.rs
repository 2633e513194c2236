//! The contact problem of a step, for observers that ask for it.

use crate::observer::StepProblem;
use crate::work::Work;
use riprap_solve::Dim;
use riprap_solve::assembled::{FromBodies, GlobalProblem};

impl<D: Dim> Work<D> {
    /// The problem of the last solve, if there was one with contacts and its initial guess was kept.
    pub(crate) fn step_problem(&self) -> Option<StepProblem> {
        let guess = Some(&self.initial_guess).filter(|guess| !guess.impulses.is_empty())?;
        let mut stated = self.problem.clone();
        stated.bodies.clone_from(&guess.bodies);
        if let Some(cell) = &mut stated.cell {
            cell.rate = guess.rate;
        }
        for (contact, &impulse) in stated.contacts.iter_mut().zip(&guess.impulses) {
            contact.impulse = impulse;
        }
        for (torque, &impulse) in stated.torques.iter_mut().zip(&guess.torques) {
            torque.impulse = impulse;
        }
        let FromBodies { problem, left_out } = GlobalProblem::from_bodies(&stated);
        Some(StepProblem {
            start: problem.impulses_of(&stated),
            impulse: problem.impulses_of(&self.problem),
            motion: problem.velocities_of(&self.problem),
            problem,
            left_out,
            residual: self.solved.residual,
            converged: self.solved.converged,
        })
    }
}
