//! Jumps: heavy bodies on light ones.
//!
//! A sweep passes on momentum in portions of the lighter mass, so that a body of mass `M` on bodies of mass `m` takes some `M/m`
//! sweeps to be stopped, and `√(M/m)` with momentum. But there are only as many such slow modes as heavy bodies have freedoms,
//! and while the others are damped within a few sweeps, these hardly change: two rounds of sweeps differ by a factor near 1,
//! and tell where all the others would lead to. With the changes `s₀` and `s₁` of two rounds in a row, from `y₀` to `p₀` and on
//! to `p₁`,
//!
//! ```text
//!   y = p₁ + β (p₁ − p₀),    β = s₁·(s₀ − s₁)/|s₀ − s₁|²
//! ```
//!
//! which makes the change of the next round smallest if changes are linear: the acceleration of Anderson (J. ACM 12, 1965) with
//! a memory of one, or Aitken's along a single mode.
//!
//! Where the others are damped slowly, as in a column, they hide the slow ones. So after some of these jumps come others of
//! a longer memory, in turn with them, one after each round `k`:
//!
//! ```text
//!   y = Σ α_i p_i,    |Σ α_i s_i| smallest among all α with Σ α_i = 1,    i = k − 5 … k
//! ```

use super::accelerated::Iteration;
use super::monitor::Monitor;
use super::regime::{PAIRS, UNREST};
use crate::law::{Local, SIZE, solve_linear};
use crate::sweep::{Extrapolation, Sweeps};

/// Rounds of the longer memory: as many as small systems have unknowns.
const MEMORY: usize = SIZE;
/// What is added to the diagonal of the products of changes over their lengths, so that changes along one line can be told
/// apart no better than rounding allows.
const RIDGE: f64 = 1e-12;

/// Rounds with jumps between them, until the monitor accepts the state.
pub fn run<I: Iteration>(rounds: &mut I, monitor: &mut impl Monitor<I::Layout>) {
    while by_pairs(rounds, monitor).and_then(|()| by_memory(rounds, monitor)).is_some() {}
}

/// Some pairs of rounds with a jump after each; nothing once the monitor accepts the state.
fn by_pairs<I: Iteration>(rounds: &mut I, monitor: &mut impl Monitor<I::Layout>) -> Option<()> {
    let (mut start, mut middle) = (rounds.layout().blank(), rounds.layout().blank());
    let mut jumps = || {
        for _ in 0..PAIRS {
            let beta = pair(rounds, monitor, [&mut start, &mut middle])?;
            rounds.layout().extrapolate(Extrapolation::nesterov(beta), &start, &mut middle);
        }
        Some(())
    };
    let goes_on = jumps();
    rounds.layout().recycle(start);
    rounds.layout().recycle(middle);
    goes_on
}

/// Two rounds, and how far to jump after them; nothing once the monitor accepts the state.
fn pair<I: Iteration>(
    rounds: &mut I,
    monitor: &mut impl Monitor<I::Layout>,
    [start, middle]: [&mut <I::Layout as Sweeps>::Iterate; 2],
) -> Option<f64> {
    rounds.layout().save(start);
    rounds.iterate(monitor)?;
    let first = -rounds.layout().progress_against(start, start);
    rounds.layout().save(middle);
    rounds.iterate(monitor)?;
    let second = -rounds.layout().progress_against(middle, middle);
    let product = -rounds.layout().progress_against(middle, start) - second;
    let beta = (product - second) / (first - 2.0 * product + second);
    Some(if beta.is_finite() { beta.max(0.0) } else { 0.0 })
}

/// Rounds with a jump after each, until one is upset; nothing once the monitor accepts the state.
fn by_memory<I: Iteration>(rounds: &mut I, monitor: &mut impl Monitor<I::Layout>) -> Option<()> {
    let mut memory = Memory { rounds: Vec::new(), products: Vec::new() };
    let goes_on = loop {
        let mut start = rounds.layout().blank();
        rounds.layout().save(&mut start);
        if rounds.iterate(monitor).is_none() {
            rounds.layout().recycle(start);
            break None;
        }
        memory.note(rounds.layout(), start);
        if memory.is_upset() {
            break Some(());
        }
        memory.jump(rounds.layout());
    };
    memory.forget(rounds.layout());
    goes_on
}

/// The last rounds.
struct Memory<S: Sweeps> {
    /// The states at the start and at the end of each.
    rounds: Vec<[S::Iterate; 2]>,
    /// The products of their changes.
    products: Vec<Vec<f64>>,
}

impl<S: Sweeps> Memory<S> {
    /// Remembers a round, which led from `start` to the present state, and forgets the one before so many.
    fn note(&mut self, layout: &mut S, start: S::Iterate) {
        if self.rounds.len() == MEMORY {
            self.rounds.remove(0).into_iter().for_each(|state| layout.recycle(state));
            self.products.remove(0);
            for row in &mut self.products {
                row.remove(0);
            }
        }
        let with = |[other_start, other_end]: &[S::Iterate; 2]| {
            layout.progress_against(&start, other_end) - layout.progress_against(&start, other_start)
        };
        let mut row: Vec<f64> = self.rounds.iter().map(with).collect();
        for (products, &product) in self.products.iter_mut().zip(&row) {
            products.push(product);
        }
        row.push(-layout.progress_against(&start, &start));
        self.products.push(row);
        let mut end = layout.blank();
        layout.save(&mut end);
        self.rounds.push([start, end]);
    }

    /// True if the last round changed much more than one before it.
    fn is_upset(&self) -> bool {
        let square = |round: usize| self.products[round][round];
        let calmest = (0..self.products.len()).map(square).fold(f64::INFINITY, f64::min);
        square(self.products.len() - 1) > UNREST * UNREST * calmest
    }

    /// Returns the memory to the layout.
    fn forget(self, layout: &mut S) {
        self.rounds.into_iter().flatten().for_each(|state| layout.recycle(state));
    }

    /// Moves the present state, the end of the last round, to where the changes cancel best.
    fn jump(&self, layout: &mut S) {
        let Some((last, before)) = self.rounds.split_last() else { return };
        let Some(weights) = weights(&self.products) else { return };
        for (round, weight) in before.iter().zip(weights) {
            layout.move_by(weight, &last[1], &round[1]);
        }
    }
}

/// The weights `α`, with the sum 1, that make `Σ α_i α_j products_ij` smallest; `None` where they are not told apart.
fn weights(products: &[Vec<f64>]) -> Option<Vec<f64>> {
    let size = products.len();
    let (mut matrix, mut right) = ([[0.0; SIZE]; SIZE], Local::default());
    for row in 0..size {
        right[row] = 1.0 / products[row][row].sqrt();
    }
    let scale = right;
    for row in 0..size {
        for column in 0..size {
            matrix[row][column] = products[row][column] * scale[row] * scale[column];
        }
        matrix[row][row] += RIDGE;
    }
    let solution = solve_linear(matrix, right, size)?;
    let parts: Vec<f64> = solution.iter().zip(scale).take(size).map(|(x, scale)| x * scale).collect();
    let sum: f64 = parts.iter().sum();
    let weights: Vec<f64> = parts.iter().map(|part| part / sum).collect();
    weights.iter().all(|weight| weight.is_finite()).then_some(weights)
}

#[cfg(test)]
mod tests {
    use super::weights;

    #[test]
    fn weights_cancel_changes() {
        // Two modes, of which each round leaves 0.999 and -0.5: three changes tell where both vanish.
        let changes: Vec<[f64; 2]> = (0..3).map(|round| [0.999_f64.powi(round), (-0.5_f64).powi(round)]).collect();
        let product = |a: &[f64; 2], b: &[f64; 2]| a[0] * b[0] + a[1] * b[1];
        let products: Vec<Vec<f64>> = changes.iter().map(|a| changes.iter().map(|b| product(a, b)).collect()).collect();
        let found = weights(&products).unwrap();
        assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-6);
        for mode in 0..2 {
            let left: f64 = changes.iter().zip(&found).map(|(change, weight)| change[mode] * weight).sum();
            assert!(left.abs() < 1e-4, "mode {mode}: {left:e}");
        }
        assert_eq!(weights(&[vec![0.0]]), None);
    }
}
