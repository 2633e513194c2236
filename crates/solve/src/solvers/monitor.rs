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
    /// The number of sweeps at which the residual is computed next.
    next_look: u32,
    /// When it was computed last, and what it was in units of what is allowed.
    last_look: Option<(u32, f64)>,
    /// What it was then over the size of the last step.
    over_step: f64,
    /// The error as a velocity when it was first looked at.
    first_error: Option<f64>,
}

/// A look at the residual costs a pass. It is due when this part of the way that is left should be done, by how the residual
/// fell between the last two looks, but after at least so many sweeps, and at most one in so many of those so far: the residual
/// of slow solves falls unevenly.
const WAY: f64 = 0.7;
const SHORTEST_WAIT: u32 = 4;
const LONGEST_WAIT: u32 = 12;
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
            next_look: 0,
            last_look: None,
            over_step: f64::INFINITY,
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

    /// True if the error, in units of what is allowed, is not above 1, as far as it is looked at: when most of the way should
    /// be done, when the last step was so small that all of it should be, and at the limit of sweeps.
    fn look<D: Dim>(&mut self, sweeper: &mut Sweeper<D>, step: f64, excess: impl Fn(ErrorNorms) -> f64) -> bool {
        let sweeps = self.sweeps();
        // Never where the size of the step is not told.
        let is_small = step * self.over_step <= 1.0;
        if sweeps < self.next_look && !is_small && !self.is_at_limit() {
            return false;
        }
        let error = sweeper.residual();
        self.first_error.get_or_insert(error.velocity);
        let found = excess(error);
        self.over_step = found / step;
        let (before, last) = self.last_look.replace((sweeps, found)).unwrap_or((sweeps, found));
        let fall = libm::log(last / found) / f64::from((sweeps - before).max(1));
        let left = libm::log(found) / fall;
        // A fall that cannot be trusted (none yet, or a rise) means the shortest wait.
        let wait = if left.is_finite() && left > 0.0 { WAY * left } else { 0.0 };
        let longest = match self.options.criterion {
            Criterion::Residual { .. } => sweeps / LONGEST_WAIT,
            _ => sweeps / LONGEST_WAIT_MOTION,
        };
        self.next_look = sweeps + (wait as u32).clamp(SHORTEST_WAIT, longest.max(SHORTEST_WAIT));
        found <= 1.0
    }
}

/// How large a step was over the impulses; infinite where that was not measured.
fn step_size(stats: SweepStats) -> f64 {
    if stats.change > 0.0 { (stats.change / stats.size).sqrt() } else { f64::INFINITY }
}

impl<D: Dim> Monitor<Sweeper<D>> for StopTest {
    fn measure(&self, contacts: usize) -> Measure {
        match self.options.criterion {
            // Forces below a floor are not judged by their own size.
            Criterion::LocalForce { cutoff, .. } => {
                Measure::Forces { floor: cutoff * self.normal.max(0.0) / contacts as f64 }
            }
            Criterion::MeanForce { .. } => Measure::Change,
            _ => Measure::Nothing,
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
                self.look(sweeper, f64::INFINITY, excess)
            }
        };
        self.converged = holds && self.sweeps() >= self.options.min_sweeps;
        self.converged || self.is_at_limit()
    }
}
