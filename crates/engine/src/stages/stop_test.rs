//! The solver's options for the problem of one step, where the stop test is adapted to it.

use crate::work::Work;
use crate::world::World;
use riprap_solve::problem::{GROUND, Problem};
use riprap_solve::{Criterion, Dim, Options, Vector};

/// How much sharper a step is solved where nothing moves, at most. What a solve leaves over as velocity, bodies move on
/// with, and what rests would creep: a layer of disks on a slope by 1e-3 of their diameter d in 100 √(d/g). At a hundredth
/// that is 4e-6, for one and a half times the sweeps (`tests/physics/resting.rs`).
const SHARPEST_AT_REST: f64 = 0.01;

impl<D: Dim> World<D> {
    /// The solver's options for a stated problem, whose bodies had the mean square speed `free_speed` before the tension
    /// of cohesive contacts was applied. [`Criterion::Motion`] judges errors against the motion of the bodies: that
    /// without the tension, which the contacts only take back, and where bodies rest under a load, not the fall that the
    /// contacts prevent but the motion that there was before the step.
    pub(super) fn solver_options(&self, step: &Work<D>, free_speed: f64) -> Options {
        let mut options = self.settings.solver;
        if let Criterion::Motion { velocity, residual } = &mut options.criterion {
            // Without any motion there is nothing to compare: `min` is 1 then.
            let at_rest = (self.speed_before(step) / free_speed).sqrt().min(1.0).max(SHARPEST_AT_REST);
            *velocity *= at_rest * (free_speed / mean_square_speed(&step.problem)).sqrt().min(1.0);
            *residual *= at_rest;
        }
        options
    }

    /// The mean square speed before the step of the bodies of the problem.
    fn speed_before(&self, step: &Work<D>) -> f64 {
        let free = step.velocity_before.iter().zip(&self.cache.slots).filter(|(_, slot)| **slot != GROUND);
        free.map(|(velocity, _)| velocity.dot(*velocity)).sum::<f64>() / step.problem.bodies.len() as f64
    }
}

/// The mean square speed of the bodies of a problem.
pub(super) fn mean_square_speed<D: Dim>(problem: &Problem<D>) -> f64 {
    let sum: f64 = problem.bodies.iter().map(|body| body.velocity.dot(body.velocity)).sum();
    sum / problem.bodies.len() as f64
}
