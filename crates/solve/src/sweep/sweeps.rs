//! What solvers need of sweeps, in whatever layout the problem is.

use super::config::{Measure, Visits};
use super::lanes::Real;
use super::stats::SweepStats;
use crate::options::SweepOrder;
use rand::{RngExt, SeedableRng};

/// A problem in some layout, with the state of its solution.
pub trait Sweeps {
    /// A copy of a state.
    type Iterate: Default;

    /// The number of contacts.
    fn len(&self) -> usize;
    /// A sweep over these contacts, one after the other.
    fn listed_sweep(&mut self, contacts: impl Iterator<Item = usize>, measure: Measure) -> SweepStats;
    /// A copy to be written, in the memory of an earlier one where there is such.
    fn blank(&mut self) -> Self::Iterate {
        Self::Iterate::default()
    }

    /// Takes the memory of a copy that is no longer needed.
    fn recycle(&mut self, _: Self::Iterate) {}

    /// Copies the impulses.
    fn save_impulses(&self, iterate: &mut Self::Iterate);
    /// Copies the velocities.
    fn save_velocities(&self, iterate: &mut Self::Iterate);

    /// A sweep in the fastest order, or exactly backward. Layouts that do not know which contacts carry an impulse visit all.
    fn directed_sweep(&mut self, backward: bool, _visits: Visits, measure: Measure) -> SweepStats {
        let contacts = self.len();
        if backward { self.listed_sweep((0..contacts).rev(), measure) } else { self.listed_sweep(0..contacts, measure) }
    }

    /// The cost of such a sweep, in passes over all contacts.
    fn passes(&self, _: SweepStats) -> f64 {
        1.0
    }

    /// Copies the state.
    fn save(&self, iterate: &mut Self::Iterate) {
        self.save_impulses(iterate);
        self.save_velocities(iterate);
    }

    /// `Σ w (y − p)·(p − r)` over the contacts, with the present state as `p`: momentum restarts where it is positive.
    fn progress_against(&self, y: &Self::Iterate, r: &Self::Iterate) -> f64;
    /// Moves the state `p` on to `p + β (z − r) + γ (p − y)` with `z = p + h (y − p)`, velocities with it, and makes `r` this
    /// `z`; where `γ` is zero so must `h` be, and `y` is ignored.
    fn extrapolate(&mut self, extrapolation: Extrapolation, y: &Self::Iterate, r: &mut Self::Iterate);

    /// Moves the state on by `part` of the way from one copy to another.
    fn move_by(&mut self, part: f64, from: &Self::Iterate, to: &Self::Iterate);

    /// From now on contacts take only part of their corrections, in layouts that can (docs/solvers.md).
    fn damp(&mut self, _: Damping) {}

    /// Makes compliant contacts twice as soft, in layouts that have such.
    fn soften(&mut self) {}

    /// Called where velocities may be computed afresh: where no momentum would take the correction for a step.
    fn rest(&mut self) {}
}

/// Sweeps that can be made in every order.
pub trait OrderedSweeps: Sweeps {
    /// A permutation of all contacts, kept from one random sweep to the next; it may be empty before the first.
    fn permutation(&mut self) -> &mut Vec<u32>;

    /// One sweep in the given order; `number` counts the sweeps of this solve and `seed` those of the run.
    fn sweep(&mut self, order: SweepOrder, number: u32, seed: u64, measure: Measure) -> SweepStats {
        let contacts = self.len();
        match order {
            SweepOrder::Spatial => self.directed_sweep(false, Visits::All, measure),
            SweepOrder::ForwardBackward if number % 2 == 1 => self.listed_sweep((0..contacts).rev(), measure),
            SweepOrder::Sequential | SweepOrder::ForwardBackward => self.listed_sweep(0..contacts, measure),
            SweepOrder::Random => {
                let mut generator = rand_pcg::Pcg64Mcg::seed_from_u64(seed ^ (u64::from(number) << 40));
                let mut permutation = std::mem::take(self.permutation());
                if permutation.is_empty() {
                    permutation.extend(0..contacts as u32);
                }
                for i in (1..permutation.len()).rev() {
                    permutation.swap(i, generator.random_range(0..=i));
                }
                let stats = self.listed_sweep(permutation.iter().map(|&contact| contact as usize), measure);
                *self.permutation() = permutation;
                stats
            }
        }
    }
}

/// The extrapolation of momentum: how far a state is moved on.
#[derive(Clone, Copy, Debug)]
pub struct Extrapolation {
    /// `β`, the part of the way from the last iteration to this one.
    pub momentum: f64,
    /// `γ`, the part of this iteration's own step.
    pub overstep: f64,
    /// `h`: the way is that from end to end where it is 0, as with Nesterov, and from start to start where it is 1, as with
    /// the heavy ball.
    pub heaviness: f64,
}

impl Extrapolation {
    /// Momentum alone.
    pub fn nesterov(momentum: f64) -> Self {
        Extrapolation { momentum, overstep: 0.0, heaviness: 0.0 }
    }

    /// Moves numbers of the state on; `last` is the last `z` and becomes this one.
    pub fn advance<T: Real>(self, now: &mut [T], y: &[T], last: &mut [T]) {
        let [momentum, overstep, heaviness] = [self.momentum, self.overstep, self.heaviness].map(T::splat);
        if self.overstep == 0.0 {
            for (now, last) in now.iter_mut().zip(last) {
                let p = *now;
                *now = p + (p - *last) * momentum;
                *last = p;
            }
            return;
        }
        for ((now, &y), last) in now.iter_mut().zip(y).zip(last) {
            let p = *now;
            let z = p + (y - p) * heaviness;
            *now = p + (z - *last) * momentum + (p - y) * overstep;
            *last = z;
        }
    }
}

/// Moves numbers on by `part` of the way from one copy to another.
pub fn move_by<T: Real>(now: &mut [T], part: f64, from: &[T], to: &[T]) {
    let part = T::splat(part);
    for ((now, &from), &to) in now.iter_mut().zip(from).zip(to) {
        *now = *now + (to - from) * part;
    }
}

/// The fractions of their corrections that contacts take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Damping {
    /// Fraction of the normal correction, for a contact that slides.
    pub sliding: f64,
    /// Fraction of all corrections, for a contact of two balls.
    pub relaxation: f64,
}
