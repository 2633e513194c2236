//! How far a state is from the laws: the residual of Siconos, and the same in units of the problem.
//!
//! ```text
//!   |r − P_K(r − u − (μ|u_t| + μ_r|u_ρ|) n)| / max(|q|, |r|, |u|)       over all contacts, u = W r + q
//! ```
//!
//! It adds impulses and velocities and so depends on units. The *scaled* residual is the same formula after `r → w r`,
//! `W → W/w`, with `w` the mean of the diagonal of `W`; rows of rolling, which carry a length, are first divided by the
//! one that gives them the same mean diagonal as the other rows have.

use super::cone::{Limits, natural_map_square};
use super::{AssembledProblem, LocalProblem, ProblemError};

/// Both residuals of a state.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Residuals {
    /// As Siconos computes it, which depends on units.
    pub siconos: f64,
    /// In units of the problem: the one that means something.
    pub scaled: f64,
}

impl AssembledProblem {
    /// The residuals of the state with these impulses. The problem must have passed [`AssembledProblem::check`].
    pub fn residuals(&self, impulse: &[f64]) -> Result<Residuals, ProblemError> {
        Ok(self.condense()?.residuals(impulse))
    }
}

impl LocalProblem {
    /// The residuals of the state with these impulses. The problem must have passed [`LocalProblem::check`].
    pub fn residuals(&self, impulse: &[f64]) -> Residuals {
        let mut velocity = self.q.clone();
        self.w.multiply_add(impulse, &mut velocity);
        let units = Units::of_diagonal(self.size, (0..self.w.rows).map(|row| self.w.get(row, row)));
        let residual = |units: &Units| match self.size {
            2 => relative::<2>(self, units, impulse, &velocity),
            3 => relative::<3>(self, units, impulse, &velocity),
            _ => relative::<5>(self, units, impulse, &velocity),
        };
        Residuals { siconos: residual(&Units::PLAIN), scaled: residual(&units) }
    }
}

/// What one unit of the problem is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Units {
    /// The mean of the diagonal of `W`.
    pub w: f64,
    /// The length that rows of rolling are divided by; 1 without rolling.
    pub length: f64,
}

impl Units {
    /// Nothing is scaled.
    pub const PLAIN: Units = Units { w: 1.0, length: 1.0 };

    /// The units of a problem whose `W` has this diagonal.
    pub fn of_diagonal(size: usize, diagonal: impl Iterator<Item = f64>) -> Self {
        let mut traces = [0.0; 2];
        let mut rows = 0;
        for (row, value) in diagonal.enumerate() {
            traces[usize::from(row % size >= 3)] += value;
            rows = row + 1;
        }
        Units::from_traces(size, traces, rows / size)
    }

    /// The units from the sums of the diagonal of `W` over the rows of forces and over those of rolling.
    pub fn from_traces(size: usize, traces: [f64; 2], contacts: usize) -> Self {
        let mean = |trace: f64, rows: usize| if trace > 0.0 { trace / (rows * contacts) as f64 } else { 1.0 };
        let w = mean(traces[0], size.min(3));
        Units { w, length: if size == 5 { (w / mean(traces[1], 2)).sqrt() } else { 1.0 } }
    }

    /// What an impulse of this row of a contact is multiplied by to be in units of the problem.
    pub fn impulse(&self, row: usize) -> f64 {
        if row < 3 { self.w } else { self.w / self.length }
    }

    /// What a velocity of this row of a contact is multiplied by.
    pub fn velocity(&self, row: usize) -> f64 {
        if row < 3 { 1.0 } else { self.length }
    }
}

/// The matrix `W` in units of the problem has a diagonal of mean 1: what its entry at these rows of contacts is divided by.
pub fn matrix_unit(units: &Units, row: usize, column: usize) -> f64 {
    units.impulse(column) / units.velocity(row)
}

/// The residual in these units, `velocity` being `W r + q` of the state.
fn relative<const S: usize>(problem: &LocalProblem, units: &Units, impulse: &[f64], velocity: &[f64]) -> f64 {
    let mut error = 0.0;
    let mut sizes = [0.0; 3];
    for contact in 0..problem.friction.len() {
        let at = contact * S;
        let r: [f64; S] = std::array::from_fn(|i| impulse[at + i] * units.impulse(i));
        let u: [f64; S] = std::array::from_fn(|i| velocity[at + i] * units.velocity(i));
        let rolling = problem.rolling.get(contact).map_or(0.0, |rolling| rolling / units.length);
        error += natural_map_square(&r, &u, Limits { friction: problem.friction[contact], rolling });
        for i in 0..S {
            sizes[0] += (problem.q[at + i] * units.velocity(i)).powi(2);
            sizes[1] += r[i] * r[i];
            sizes[2] += u[i] * u[i];
        }
    }
    quotient(error, sizes)
}

/// `√error / √max(sizes)`, not divided where all sizes vanish; infinite where something is not a number.
pub fn quotient(error: f64, sizes: [f64; 3]) -> f64 {
    let size = sizes[0].max(sizes[1]).max(sizes[2]).sqrt();
    let error = error.sqrt();
    if !error.is_finite() || !size.is_finite() {
        f64::INFINITY
    } else if size > f64::EPSILON {
        error / size
    } else {
        error
    }
}
