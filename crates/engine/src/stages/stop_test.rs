//! The solver's options for the problem of one step, where the stop test is adapted to it.

use crate::world::World;
use riprap_solve::problem::Problem;
use riprap_solve::{Criterion, Dim, Options, Vector};

/// The overlap that the error of one contact may cause in a step, over the smallest radius: what deposits at the default step
/// reach anyway.
const OVERLAP_OF_ERROR: f64 = 0.02;

impl<D: Dim> World<D> {
    /// The solver's options for a stated problem, whose bodies had the mean square speed `free_speed` before the tension
    /// of cohesive contacts was applied. [`Criterion::Motion`] judges errors against the motion of the bodies: that
    /// without the tension, which the contacts only take back.
    pub(super) fn solver_options(&self, problem: &Problem<D>, free_speed: f64) -> Options {
        let mut options = self.settings.solver;
        if let Criterion::Motion { velocity, .. } = &mut options.criterion {
            *velocity *= (free_speed / mean_square_speed(problem)).sqrt().min(1.0);
        }
        options.worst_contact = OVERLAP_OF_ERROR * self.cache.smallest / self.settings.time_step;
        options
    }
}

/// The mean square speed of the bodies of a problem.
pub(super) fn mean_square_speed<D: Dim>(problem: &Problem<D>) -> f64 {
    let sum: f64 = problem.bodies.iter().map(|body| body.velocity.dot(body.velocity)).sum();
    sum / problem.bodies.len() as f64
}
