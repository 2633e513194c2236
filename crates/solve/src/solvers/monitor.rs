//! When sweeps may end: tests that only judge.

use super::FreeMotion;
use crate::options::{Criterion, Options};
use crate::space::Dim;
use crate::sweep::{ErrorNorms, Measure, SweepStats, Sweeper};

/// Who says when sweeps may end.
pub trait Monitor<S> {
    /// What a plain sweep must measure.
    fn measure(&self, contacts: usize) -> Measure;
    /// Counts visits, in passes over all contacts.
    fn count(&mut self, passes: f64);
    /// True if the solve may end after a sweep with these statistics.
    fn done(&mut self, stats: SweepStats, state: &mut S) -> bool;
}

/// Judges a solve by the criterion of its options.
pub struct StopTest {
    options: Options,
    /// What errors are compared with.
    motion: FreeMotion,
    /// Passes so far.
    passes: f64,
    /// True once the criterion holds.
    pub converged: bool,
    /// Sum of normal impulses after the last sweep.
    normal: f64,
    /// The last look at the error.
    last_look: Option<Look>,
    /// The error as a velocity when it was first looked at.
    first_error: Option<f64>,
}

/// What a look at the error saw.
#[derive(Clone, Copy, Debug)]
struct Look {
    /// The number of sweeps before it.
    sweeps: u32,
    /// The size of the last step before it.
    step: f64,
    /// The error.
    error: ErrorNorms,
}

impl Look {
    /// True if the next look is due after so many sweeps and a last step of this size: once the error, in units of what is
    /// allowed, should not be above 1, having shrunk as the steps have, and after `longest` more sweeps in any case.
    fn is_outdated(self, sweeps: u32, step: f64, longest: u32, excess: impl Fn(ErrorNorms) -> f64) -> bool {
        sweeps >= self.sweeps + longest.max(SHORTEST_WAIT) || excess(self.error.times(step / self.step)) <= 1.0
    }
}

/// The next look at the error is due after at least so many sweeps, …
const SHORTEST_WAIT: u32 = 4;
/// … or after this part of those of the last look, since the error of slow flow falls less evenly than its steps do, …
const LONGEST_WAIT: u32 = 12;
/// … or this many times as many, under the default test (docs/solver-notebook.md, "Looks at the residual").
const LONGEST_WAIT_MOTION: u32 = 3;

/// The error of the worst contact that is allowed, over that allowed in the mean: that of deposits is seldom more than this, so
/// that they pay nothing for the test (docs/time-step.md, "The worst contact").
const WORST: f64 = 20.0;
/// Sweeps after which bodies at rest are no longer solved more sharply than others: the next step continues from what is left.
/// With 40, a layer on an incline creeps ten times as fast; without a limit, some solves do not end (docs/time-step.md, "Rest").
const REST_SWEEPS: u32 = 100;

impl StopTest {
    /// Errors as velocities are compared with those of the free motion.
    pub fn new(options: Options, motion: FreeMotion) -> Self {
        StopTest {
            options,
            motion,
            passes: 0.0,
            converged: false,
            normal: f64::NAN,
            last_look: None,
            first_error: None,
        }
    }

    /// True if a solve that did not converge is farther from the laws than it was at the first look.
    pub fn has_diverged(&self, error: ErrorNorms) -> bool {
        !self.converged && self.first_error.is_some_and(|first| error.velocity > first || error.velocity.is_nan())
    }

    /// Whole sweeps so far.
    pub fn sweeps(&self) -> u32 {
        self.passes as u32
    }

    fn is_at_limit(&self) -> bool {
        !matches!(self.options.criterion, Criterion::Fixed { .. }) && self.sweeps() >= self.options.max_sweeps
    }

    /// The error in units of what [`Criterion::Motion`] allows, in the mean and at the worst contact.
    fn excess_of_motion(&self, velocity: f64, residual: f64) -> impl Fn(ErrorNorms) -> f64 + use<> {
        let (motion, limit) = (self.motion, self.options.worst_contact);
        let calm = if self.sweeps() < REST_SWEEPS { self.options.calm } else { 1.0 };
        move |error| {
            let speed = velocity * motion.speed;
            let mean = f64::min(error.relative / residual, error.velocity / speed.max(f64::MIN_POSITIVE));
            let pushed = residual * error.impulse / motion.mass.max(f64::MIN_POSITIVE);
            let worst = error.worst / (WORST * f64::max(speed, pushed)).max(f64::MIN_POSITIVE);
            f64::max(f64::max(mean, worst) / calm, error.worst / limit)
        }
    }

    /// True if the error, in units of what is allowed, is not above 1, as far as it is looked at, which costs one and a half sweeps.
    fn look<D: Dim>(&mut self, sweeper: &mut Sweeper<D>, step: f64, excess: impl Fn(ErrorNorms) -> f64) -> bool {
        let sweeps = self.sweeps();
        let longest = |last: Look| match self.options.criterion {
            Criterion::Residual { .. } => last.sweeps / LONGEST_WAIT,
            _ => last.sweeps * LONGEST_WAIT_MOTION,
        };
        let is_outdated = |last: Look| last.is_outdated(sweeps, step, longest(last), &excess);
        if !self.last_look.is_none_or(is_outdated) && !self.is_at_limit() {
            return false;
        }
        let error = sweeper.residual();
        self.first_error.get_or_insert(error.velocity);
        self.last_look = Some(Look { sweeps, step, error });
        excess(error) <= 1.0
    }
}

/// How large a step was over the impulses.
fn step_size(stats: SweepStats) -> f64 {
    (stats.change / stats.size).sqrt()
}

impl<D: Dim> Monitor<Sweeper<D>> for StopTest {
    fn measure(&self, contacts: usize) -> Measure {
        match self.options.criterion {
            // Forces below a floor are not judged by their own size.
            Criterion::LocalForce { cutoff, .. } => {
                Measure::Forces { floor: cutoff * self.normal.max(0.0) / contacts as f64 }
            }
            Criterion::Fixed { .. } => Measure::Nothing,
            Criterion::MeanForce { .. } | Criterion::Residual { .. } | Criterion::Motion { .. } => Measure::Change,
        }
    }

    fn count(&mut self, passes: f64) {
        self.passes += passes;
    }

    fn done(&mut self, stats: SweepStats, sweeper: &mut Sweeper<D>) -> bool {
        let last_normal = std::mem::replace(&mut self.normal, stats.normal);
        let holds = match self.options.criterion {
            Criterion::LocalForce { epsilon, .. } => stats.worst <= epsilon && !last_normal.is_nan(),
            Criterion::MeanForce { epsilon } => (stats.normal - last_normal).abs() <= epsilon * stats.normal,
            Criterion::Fixed { sweeps } => self.sweeps() >= sweeps,
            Criterion::Residual { tolerance } => {
                self.look(sweeper, step_size(stats), |error| error.relative / tolerance)
            }
            Criterion::Motion { velocity, residual } => {
                let excess = self.excess_of_motion(velocity, residual);
                self.look(sweeper, step_size(stats), excess)
            }
        };
        self.converged = holds && self.sweeps() >= self.options.min_sweeps;
        self.converged || self.is_at_limit()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_is_due_once_the_steps_say_that_the_error_is_as_small_as_allowed() {
        let error = ErrorNorms { relative: 8e-3, velocity: 1.0, worst: 5.0, impulse: 1.0 };
        let look = Look { sweeps: 10, step: 0.4, error };
        let is_due = |sweeps, step| look.is_outdated(sweeps, step, 30, |error| error.relative / 1e-3);
        assert_eq!([0.06, 0.05, 0.0].map(|step| is_due(12, step)), [false, true, true]);
        // In any case some time later, also where no step says anything.
        assert_eq!([39, 40].map(|sweeps| is_due(sweeps, 0.4)), [false, true]);
        assert_eq!([39, 40].map(|sweeps| is_due(sweeps, f64::NAN)), [false, true]);
    }
}
