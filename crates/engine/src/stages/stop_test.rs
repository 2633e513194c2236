//! The solver's options for the problem of one step, where the stop test is adapted to it.

use crate::work::Work;
use crate::world::World;
use riprap_solve::problem::Problem;
use riprap_solve::{Criterion, Dim, Options, Vector};

/// The overlap that the error of one contact may cause in a step, over the smallest radius: what deposits at the default step
/// reach anyway.
const OVERLAP_OF_ERROR: f64 = 0.02;
/// Bodies are at rest if their speed is below this part of the one that they would have without contacts: deposits cost no more
/// until then (docs/time-step.md, "Rest").
const REST: f64 = 0.25;
/// The error that bodies at rest are solved to, over the speed that they would have without contacts: a layer on an incline does
/// not creep.
const ERROR_AT_REST: f64 = 1e-4;

/// How much larger errors may be in steps that are halved: short steps with loose solves spread a shock over time as stiff grains
/// do (docs/time-step.md, "Halved steps").
const HALVED: f64 = 1.5;

impl<D: Dim> World<D> {
    /// The solver's options for a stated problem, whose bodies had the mean square speed `free_speed` before the tension
    /// of cohesive contacts was applied. [`Criterion::Motion`] judges errors against the motion of the bodies: that
    /// without the tension, which the contacts only take back.
    ///
    /// Bodies at rest would fall without contacts. Errors that are small compared with that fall would let a layer creep down an
    /// incline for ever, so the test gets sharper as bodies, with `stirring` left of their free motion, come to rest.
    pub(super) fn solver_options(&self, problem: &Problem<D>, free_speed: f64, stirring: f64) -> Options {
        let mut options = self.settings.solver;
        if let Criterion::Motion { velocity, .. } = &mut options.criterion {
            if self.is_halved() {
                *velocity *= HALVED;
            }
            *velocity *= (free_speed / mean_square_speed(problem)).sqrt().min(1.0);
            let least = f64::min(ERROR_AT_REST / *velocity, 1.0);
            // Where nothing moves at all, `stirring` is not a number, and the test is as it is.
            options.calm = f64::max(f64::min(stirring / (REST * REST), 1.0), least);
        }
        options.worst_contact = OVERLAP_OF_ERROR * self.cache.smallest / self.time_step();
        options
    }

    /// The mean square speed of free bodies before the step, over that at its end if there were no contacts (nor tension). Driven
    /// bodies do not count: a piston held by grains without weight does not put these to rest.
    pub(super) fn stirring(&self, step: &Work<D>) -> f64 {
        let (mut before, mut free) = (0.0, 0.0);
        for body in self.free_bodies() {
            let velocity = step.velocity_before[body];
            before += velocity.dot(velocity);
            let velocity = step.problem.bodies[self.cache.slots[body] as usize].velocity;
            free += velocity.dot(velocity);
        }
        before / free
    }
}

/// The mean square speed of the bodies of a problem.
pub(super) fn mean_square_speed<D: Dim>(problem: &Problem<D>) -> f64 {
    let sum: f64 = problem.bodies.iter().map(|body| body.velocity.dot(body.velocity)).sum();
    sum / problem.bodies.len() as f64
}
