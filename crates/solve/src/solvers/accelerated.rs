//! Nesterov's momentum around anything that iterates: symmetric sweeps, or rounds of them.
//!
//! One iteration leads from the extrapolated state `y` to `p`; then
//!
//! ```text
//!   Σ (y − p)·(p − r)/m_n > 0  ⇒  restart: θ = 1, no extrapolation
//!   else  θ⁺ = ½(1 + √(1 + 4θ²)),  β = (θ − 1)/θ⁺,  y = p + β (z − r) + γ (p − y),  z = p + h (y − p)
//! ```
//!
//! and `r` is the last `z`. Nesterov's own has γ = h = 0; γ = θ/θ⁺ is the optimized gradient method of Kim and Fessler (Math.
//! Program. 159, 2016), whose bound is half of Nesterov's; h = 1 and γ = (1 + √β)² − 1 is the heavy ball of Polyak (1964), twice
//! as fast as Nesterov's where it converges (docs/solvers.md, "Momentum").

use super::monitor::Monitor;
use super::regime::{EVERY, Momentum};
use crate::sweep::{Extrapolation, Measure, SweepStats, Sweeps, Visits};

/// Something that iterates over a problem in some layout.
pub trait Iteration {
    /// The layout.
    type Layout: Sweeps;

    /// The problem and its state.
    fn layout(&mut self) -> &mut Self::Layout;
    /// One iteration, with the statistics of its last sweep; nothing once the monitor accepts the state.
    fn iterate(&mut self, monitor: &mut impl Monitor<Self::Layout>) -> Option<SweepStats>;
}

/// A sweep forward and one backward.
pub struct Symmetric<'a, S> {
    pub layout: &'a mut S,
    /// Contacts that carry nothing are visited only every few iterations, because they seldom close.
    pub skips_open: bool,
    pub iterations: usize,
}

impl<S: Sweeps> Iteration for Symmetric<'_, S> {
    type Layout = S;

    fn layout(&mut self) -> &mut S {
        self.layout
    }

    fn iterate(&mut self, monitor: &mut impl Monitor<S>) -> Option<SweepStats> {
        let is_full = !self.skips_open || self.iterations.is_multiple_of(EVERY);
        let visits = if is_full { Visits::All } else { Visits::Carrying };
        self.iterations += 1;
        let forward = self.layout.directed_sweep(false, visits, Measure::Nothing);
        let stats = self.layout.directed_sweep(true, visits, Measure::Change);
        monitor.count(self.layout.passes(forward) + self.layout.passes(stats));
        (!monitor.done(stats, self.layout)).then_some(stats)
    }
}

/// Momentum around an iteration. It is itself an iteration, a round: a number of inner iterations with momentum from nothing.
pub struct Accelerated<I: Iteration> {
    pub inner: I,
    pub momentum: Momentum,
    round: usize,
    theta: f64,
    y: <I::Layout as Sweeps>::Iterate,
    r: <I::Layout as Sweeps>::Iterate,
}

impl<I: Iteration> Accelerated<I> {
    /// Momentum that starts from the present state.
    pub fn new(mut inner: I, momentum: Momentum, round: usize) -> Self {
        let (y, r) = (inner.layout().blank(), inner.layout().blank());
        let mut new = Accelerated { inner, momentum, round, theta: 1.0, y, r };
        new.begin();
        new
    }

    /// Ends momentum, and returns its memory to the layout.
    pub fn end(self) -> I {
        let Accelerated { mut inner, y, r, .. } = self;
        inner.layout().recycle(y);
        inner.layout().recycle(r);
        inner
    }

    /// Forgets all previous iterations.
    fn begin(&mut self) {
        self.theta = 1.0;
        self.inner.layout().save(&mut self.r);
    }

    /// One inner iteration.
    pub fn step(&mut self, monitor: &mut impl Monitor<I::Layout>) -> Option<SweepStats> {
        match self.momentum.needs_start() {
            true => self.inner.layout().save(&mut self.y),
            false => self.inner.layout().save_impulses(&mut self.y),
        }
        self.inner.iterate(monitor)
    }

    /// True if momentum has overshot.
    pub fn has_overshot(&mut self) -> bool {
        self.inner.layout().progress_against(&self.y, &self.r) > 0.0
    }

    /// Extrapolates the state, or restarts momentum.
    pub fn extrapolate(&mut self, restarts: bool) {
        let mut beta = 0.0;
        if restarts {
            self.theta = 1.0;
            self.inner.layout().rest();
        } else {
            let theta = (0.5 * (1.0 + (1.0 + 4.0 * self.theta * self.theta).sqrt())).min(self.momentum.bound());
            beta = (self.theta - 1.0) / theta;
            self.theta = theta;
        }
        let extrapolation = self.momentum.extrapolation(beta);
        self.inner.layout().extrapolate(extrapolation, &self.y, &mut self.r);
    }
}

impl<I: Iteration> Iteration for Accelerated<I> {
    type Layout = I::Layout;

    fn layout(&mut self) -> &mut I::Layout {
        self.inner.layout()
    }

    fn iterate(&mut self, monitor: &mut impl Monitor<I::Layout>) -> Option<SweepStats> {
        self.begin();
        for _ in 1..self.round {
            self.step(monitor)?;
            let restarts = self.has_overshot();
            self.extrapolate(restarts);
        }
        self.step(monitor)
    }
}

impl Momentum {
    /// γ for a given β: that of Nesterov's momentum plus a fraction of that of the heavy ball.
    fn overstep(&self, beta: f64) -> f64 {
        self.overstep + self.heaviness * ((1.0 + beta.sqrt()).powi(2) - 1.0)
    }

    /// True if extrapolation needs the velocities at the start of the iteration.
    fn needs_start(&self) -> bool {
        self.overstep > 0.0 || self.heaviness > 0.0
    }

    /// The largest θ, reduced because the overstep also accelerates the slowest mode.
    fn bound(&self) -> f64 {
        if self.cap.is_infinite() {
            return self.cap;
        }
        1.0 + (self.cap - 1.0) / (1.0 + self.overstep(1.0 - 1.0 / self.cap)).sqrt()
    }

    /// The extrapolation for a given β; a restart has no overstep.
    fn extrapolation(&self, momentum: f64) -> Extrapolation {
        if momentum == 0.0 {
            return Extrapolation::nesterov(0.0);
        }
        Extrapolation { momentum, overstep: self.overstep(momentum), heaviness: self.heaviness }
    }
}

#[cfg(test)]
mod tests {
    use super::super::regime::{COMPLIANT, FLOW, FREE};
    use super::*;

    #[test]
    fn an_overstep_lowers_the_largest_momentum() {
        let flow = FLOW.momentum;
        assert!((flow.bound() - (1.0 + (flow.cap - 1.0) / (1.0 + flow.overstep).sqrt())).abs() < 1e-12);
        assert_eq!(FREE.momentum.bound(), f64::INFINITY);
        // A restart begins with the state as it is.
        assert_eq!((flow.extrapolation(0.0).overstep, flow.extrapolation(0.5).overstep), (0.0, flow.overstep));
    }

    /// How many iterations it takes until every mode of a symmetric sweep has shrunk by 1e-6: a mode with eigenvalue λ shrinks
    /// to (1 − λ) of itself in a sweep.
    fn iterations(momentum: Momentum, beta: f64) -> usize {
        let modes: Vec<f64> = (0..=100).map(|i| 0.01_f64.powf(f64::from(i) / 100.0)).collect();
        let mut state = vec![1.0; modes.len()];
        let mut last = state.clone();
        for iteration in 1.. {
            let y = state.clone();
            for (state, mode) in state.iter_mut().zip(&modes) {
                *state *= 1.0 - mode;
            }
            if iteration > 1000 || state.iter().all(|error| error.abs() < 1e-6) {
                return iteration;
            }
            momentum.extrapolation(beta).advance(&mut state, &y, &mut last);
        }
        unreachable!()
    }

    #[test]
    fn the_heavy_ball_is_faster_than_nesterov_where_sweeps_are_symmetric() {
        // Each at its best β, to within a hundredth.
        let best = |momentum: Momentum| (0..100).map(|i| iterations(momentum, f64::from(i) / 100.0)).min();
        let plain = best(FREE.momentum).unwrap();
        let rigid = best(FLOW.momentum).unwrap();
        let heavy = best(COMPLIANT.momentum).unwrap();
        assert!(10 * rigid < 9 * plain && 10 * heavy < 9 * rigid, "{plain}, {rigid}, {heavy}");
    }
}
