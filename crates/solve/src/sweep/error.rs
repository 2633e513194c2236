//! The norms of the error of a state.

use super::stats::SweepStats;

/// Errors below this part of the velocities that they are differences of are rounding.
const ROUNDING: f64 = 1e-14;

/// How far a state is from the laws: the natural-map error of all contacts (docs/method.md §4).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ErrorNorms {
    /// Relative to the impulses, in the Euclidean norm; 1 where they should not all be zero but are.
    pub relative: f64,
    /// As a velocity, root mean square over the contacts.
    pub velocity: f64,
    /// As a velocity, at the worst contact.
    pub worst: f64,
    /// The Euclidean norm of the impulses.
    pub impulse: f64,
}

impl ErrorNorms {
    pub fn new(stats: SweepStats, contacts: usize) -> Self {
        let (error, size) = (stats.change.sqrt(), stats.size.sqrt());
        if !error.is_finite() || !size.is_finite() {
            let infinite = f64::INFINITY;
            return ErrorNorms { relative: infinite, velocity: infinite, worst: infinite, impulse: 0.0 };
        }
        // Where nothing presses, velocities cancel up to rounding, which is not an error.
        if error <= ROUNDING * stats.scale.sqrt() {
            return ErrorNorms { relative: 0.0, velocity: 0.0, worst: 0.0, impulse: size };
        }
        ErrorNorms {
            relative: error / size.max(error),
            velocity: (stats.speed / contacts.max(1) as f64).sqrt(),
            worst: stats.worst,
            impulse: size,
        }
    }
}
