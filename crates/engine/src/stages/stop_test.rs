//! The solver's options for the problem of one step, where the stop test is adapted to it.

use crate::work::Work;
use crate::world::World;
use riprap_solve::problem::Problem;
use riprap_solve::{Criterion, Dim, Options, Vector};

/// The overlap that the error of one contact may cause in a step, over the smallest radius: what deposits at the default step
/// reach anyway.
const OVERLAP_OF_ERROR: f64 = 0.02;
/// The least part of the tolerances that bodies at rest are solved to: with it a layer on an incline moves by less than 1e-4
/// diameters while a grain would fall a hundred.
const CALMEST: f64 = 0.01;

impl<D: Dim> World<D> {
    /// The solver's options for a stated problem, whose bodies had the mean square speed `free_speed` before the tension
    /// of cohesive contacts was applied. [`Criterion::Motion`] judges errors against the motion of the bodies: that
    /// without the tension, which the contacts only take back.
    ///
    /// Bodies that contacts hold would fall without them. Compared with that fall, errors would let a layer creep down a slope
    /// for ever, so that the test gets sharper as the bodies come to rest.
    pub(super) fn solver_options(&self, step: &Work<D>, free_speed: f64) -> Options {
        let problem = &step.problem;
        let mut options = self.settings.solver;
        if let Criterion::Motion { velocity, .. } = &mut options.criterion {
            *velocity *= (free_speed / mean_square_speed(problem)).sqrt().min(1.0);
        }
        let before = &step.velocity_before;
        let speed = before.iter().map(|velocity| velocity.dot(*velocity)).sum::<f64>() / before.len().max(1) as f64;
        options.calm = (speed / free_speed).sqrt().max(CALMEST).min(1.0);
        options.worst_contact = OVERLAP_OF_ERROR * self.smallest_radius() / self.settings.time_step;
        options
    }

    /// The smallest equivalent radius of a free body.
    fn smallest_radius(&self) -> f64 {
        self.free_bodies().map(|body| self.size(body as u32)).fold(f64::INFINITY, f64::min)
    }
}

/// The mean square speed of the bodies of a problem.
pub(super) fn mean_square_speed<D: Dim>(problem: &Problem<D>) -> f64 {
    let sum: f64 = problem.bodies.iter().map(|body| body.velocity.dot(body.velocity)).sum();
    sum / problem.bodies.len() as f64
}
