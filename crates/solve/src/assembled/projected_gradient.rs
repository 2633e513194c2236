//! Accelerated projected gradient: all contacts at once, no sweep.
//!
//! From the extrapolated state `y` each contact takes a step against its own velocity and is cut to its disc,
//!
//! ```text
//!   r_n = max(0, y_n − τ u_n/w),    r_t = y_t − τ u_t/w cut to μ r_n    (rolling likewise)
//! ```
//!
//! with `w` the mean diagonal of its block; momentum and restart are those of `momentum.rs`. The step `τ` is one over the
//! largest eigenvalue of `W` scaled by its diagonal, which a few power iterations estimate; where the residual rises in
//! spite of it, it is halved.

use super::blocks::Blocks;
use super::watch::Watch;
use crate::solvers::Judge;
use crate::sweep::{Extrapolation, SweepStats, Sweeps};

/// Iterations of the power method.
const POWERS: usize = 20;
/// Iterations between looks at whether the steps still shrink.
const WINDOW: u32 = 200;

/// Iterations until the watch gives its verdict. Each costs a product with `W`, and counts as a pass.
pub fn run<const S: usize>(state: &mut Blocks<S>, watch: &mut Watch<Blocks<S>>) {
    let weights: Vec<f64> =
        state.contacts.iter().map(|one| (0..S).map(|i| one.block[i][i]).sum::<f64>() / S as f64).collect();
    let mut step = 0.95 / largest_eigenvalue(state, &weights).max(f64::MIN_POSITIVE);
    let mut last = <Blocks<S> as Sweeps>::Iterate::default();
    let mut y = <Blocks<S> as Sweeps>::Iterate::default();
    let mut theta = 1.0_f64;
    let (mut iterations, mut before) = (0u32, f64::INFINITY);
    state.save(&mut last);
    loop {
        state.save_impulses(&mut y);
        for contact in 0..state.r.len() {
            let factor = step / weights[contact];
            let moved: [f64; S] = std::array::from_fn(|i| state.r[contact][i] - factor * state.u[contact][i]);
            state.r[contact] = super::cone::cut(&moved, moved[0].max(0.0), state.contacts[contact].limits);
        }
        super::watch::Assembled::refresh(state);
        if watch.done(1, SweepStats::default(), state) {
            return;
        }
        let beta = if state.progress_against(&y, &last) > 0.0 {
            theta = 1.0;
            0.0
        } else {
            let next = 0.5 * (1.0 + (1.0 + 4.0 * theta * theta).sqrt());
            let beta = (theta - 1.0) / next;
            theta = next;
            beta
        };
        state.extrapolate(Extrapolation::nesterov(beta), &y, &mut last);
        iterations += 1;
        if iterations == WINDOW {
            if watch.best_residual() > 0.99 * before {
                step *= 0.5;
                watch.restore_best(state);
                state.save(&mut last);
                theta = 1.0;
            }
            (iterations, before) = (0, watch.best_residual());
        }
    }
}

/// About the largest eigenvalue of `D⁻¹ W`, with `D` the mean diagonal of each contact's block.
fn largest_eigenvalue<const S: usize>(state: &Blocks<S>, weights: &[f64]) -> f64 {
    // A start that is no eigenvector of anything regular.
    let mut x: Vec<[f64; S]> = (0..weights.len())
        .map(|contact| std::array::from_fn(|i| 1.0 + 0.3 * ((contact * S + i) as f64 * 0.7548776662).fract()))
        .collect();
    let mut value = 1.0;
    for _ in 0..POWERS {
        let mut product = vec![[0.0; S]; x.len()];
        for (contact, x) in x.iter().enumerate() {
            state.add_columns(contact, x, &mut product);
        }
        for (product, weight) in product.iter_mut().zip(weights) {
            *product = product.map(|p| p / weight);
        }
        let size = |x: &[[f64; S]]| x.iter().flatten().map(|x| x * x).sum::<f64>().sqrt();
        let (before, after) = (size(&x), size(&product));
        if !(after > 0.0 && after.is_finite()) {
            break;
        }
        value = after / before;
        x = product;
        x.iter_mut().flatten().for_each(|x| *x /= after);
    }
    // The estimate comes from below.
    1.1 * value
}
