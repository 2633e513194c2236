//! The contact problem of a step, stated and solved.

use super::stop_test::mean_square_speed;
use crate::drive::External;
use crate::observer::Observer;
use crate::report::StepError;
use crate::work::{InitialGuess, Work};
use crate::world::World;
use riprap_solve::{Dim, Problem, Vector, solve_in};

impl<D: Dim> World<D> {
    /// States the problem and solves it: all impulses and velocities together.
    pub(crate) fn solve(
        &self,
        external: &External<D>,
        observer: &mut dyn Observer,
        step: &mut Work<D>,
    ) -> Result<(), StepError> {
        self.lower_laws(observer.changes_laws(), step);
        if observer.changes_laws() {
            self.have_laws_changed(observer, step)?;
        }
        self.solve_laws(external, step)
    }

    /// Solves for contacts whose laws have been stated.
    pub(super) fn solve_laws(&self, external: &External<D>, step: &mut Work<D>) -> Result<(), StepError> {
        self.state_features(step);
        self.state_compliance(step);
        let free_speed = mean_square_speed(&step.problem);
        let stirring = self.stirring(step);
        self.apply_tension(step);
        self.state_cell(external, step);
        if step.keeps_problem {
            step.initial_guess.keep(&step.problem);
        }
        let options = self.solver_options(&step.problem, free_speed, stirring);
        step.solve_memory.divide_among(&self.ranks);
        step.solved = solve_in(&mut step.solve_memory, &mut step.problem, &options, self.state.step)?;
        Ok(())
    }
}

impl<D: Dim> InitialGuess<D> {
    /// Keeps what the solve of a problem starts from.
    fn keep(&mut self, problem: &Problem<D>) {
        self.bodies.clone_from(&problem.bodies);
        self.rate = problem.cell.as_ref().map_or(D::Vector::ZERO, |cell| cell.rate);
        self.impulses.clear();
        self.impulses.extend(problem.contacts.iter().map(|contact| contact.impulse));
        self.torques.clear();
        self.torques.extend(problem.torques.iter().map(|torque| torque.impulse));
    }
}
