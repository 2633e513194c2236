//! The contact problem of a step, stated and solved.

use super::stop_test::mean_square_speed;
use crate::drive::External;
use crate::report::StepError;
use crate::work::{InitialGuess, Work};
use crate::world::World;
use riprap_solve::{Dim, Problem, Vector, solve};

impl<D: Dim> World<D> {
    /// States the problem and solves it: all impulses and velocities together.
    pub(crate) fn solve(&self, external: &External<D>, step: &mut Work<D>) -> Result<(), StepError> {
        self.lower_laws(step);
        self.solve_laws(external, step)
    }

    /// States the problem of laws that have been lowered, and solves it.
    pub(super) fn solve_laws(&self, external: &External<D>, step: &mut Work<D>) -> Result<(), StepError> {
        self.state_laws(step);
        self.state_compliance(step);
        let free_speed = mean_square_speed(&step.problem);
        self.apply_tension(step);
        self.state_cell(external, step);
        if step.keeps_problem {
            step.initial_guess = Some(initial_guess(&step.problem));
        }
        let options = self.solver_options(&step.problem, free_speed);
        step.solved = solve(&mut step.problem, &options, self.state.step)?;
        Ok(())
    }
}

fn initial_guess<D: Dim>(problem: &Problem<D>) -> InitialGuess<D> {
    InitialGuess {
        bodies: problem.bodies.clone(),
        rate: problem.cell.as_ref().map_or(D::Vector::ZERO, |cell| cell.rate),
        impulses: problem.contacts.iter().map(|contact| contact.impulse).collect(),
        torques: problem.torques.iter().map(|torque| torque.impulse).collect(),
    }
}
