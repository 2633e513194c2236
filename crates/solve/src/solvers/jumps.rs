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

use super::accelerated::Iteration;
use super::monitor::Monitor;
use crate::sweep::{Extrapolation, Sweeps};

/// Pairs of rounds with a jump after each, until the monitor accepts the state.
pub fn run<I: Iteration>(rounds: &mut I, monitor: &mut impl Monitor<I::Layout>) {
    let (mut start, mut middle) = (rounds.layout().blank(), rounds.layout().blank());
    while let Some(beta) = pair(rounds, monitor, [&mut start, &mut middle]) {
        rounds.layout().extrapolate(Extrapolation::nesterov(beta), &start, &mut middle);
    }
    rounds.layout().recycle(start);
    rounds.layout().recycle(middle);
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
