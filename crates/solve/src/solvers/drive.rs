//! The loop of a solve: sweep, note, decide, extrapolate.

use super::accelerated::{Accelerated, Iteration, Symmetric};
use super::jumps;
use super::monitor::Monitor;
use super::policy::{History, Plan, Turn, next};
use super::regime::{ROUNDS, Regime, Remedy};
use super::trace::Trace;
use crate::options::SweepOrder;
use crate::sweep::{Damping, OrderedSweeps, Sweeps};

/// Plain sweeps in the given order until the monitor accepts the state: nonlinear block Gauss–Seidel, the reference.
pub fn plain<S: OrderedSweeps>(
    layout: &mut S,
    monitor: &mut impl Monitor<S>,
    damping: Damping,
    order: SweepOrder,
    seed: u64,
) -> Trace {
    layout.damp(damping);
    let mut trace = Trace::default();
    loop {
        let stats = layout.sweep(order, trace.plain, seed, monitor.measure(layout.len()));
        monitor.count(1.0);
        trace.plain += 1;
        if monitor.done(stats, layout) {
            return trace;
        }
        layout.rest();
    }
}

/// Momentum by a regime until the monitor accepts the state; the result is the state after a sweep, which lies in the cones.
pub fn accelerated<S: Sweeps>(layout: &mut S, monitor: &mut impl Monitor<S>, regime: &Regime) -> Trace {
    let regime = &regime.ablated();
    let symmetric = Symmetric { layout, skips_open: regime.skips_open, iterations: 0 };
    let mut momentum = Accelerated::new(symmetric, regime.momentum, regime.round);
    let (mut trace, needs_rounds) = run(&mut momentum, monitor, regime);
    if needs_rounds {
        momentum.momentum = regime.in_round;
        let before = momentum.inner.iterations;
        if regime.remedy == Remedy::Jumps {
            jumps::run(&mut momentum, monitor);
            trace.rounds += (momentum.inner.iterations - before) as u32;
            momentum.end();
            return trace;
        }
        let rounds = ROUNDS.ablated();
        let mut outer = Accelerated::new(momentum, rounds.momentum, 1);
        let (of_rounds, _) = run(&mut outer, monitor, &rounds);
        momentum = outer.end();
        let iterations = (momentum.inner.iterations - before) as u32;
        trace = trace.and(Trace { momentum: 0, rounds: iterations, ..of_rounds });
    }
    momentum.end();
    trace
}

/// Momentum by a regime; what it did, and true if it is to continue by rounds.
fn run<I: Iteration>(
    momentum: &mut Accelerated<I>,
    monitor: &mut impl Monitor<I::Layout>,
    regime: &Regime,
) -> (Trace, bool) {
    let (mut plan, mut history, mut trace) = (Plan::new(regime), History::default(), Trace::default());
    loop {
        momentum.layout().damp(plan.damping);
        trace.note(&plan);
        let Some(stats) = momentum.step(monitor) else { return (trace, false) };
        history.note(stats);
        let turn;
        (plan, turn) = next(plan, &history, regime);
        match turn {
            Turn::Continue => {}
            Turn::Restart => history.clear(),
            Turn::Rounds => return (trace, true),
        }
        for _ in trace.softened..plan.softened {
            momentum.layout().soften();
        }
        trace.softened = plan.softened;
        momentum.momentum = plan.momentum;
        let restarts = turn == Turn::Restart || momentum.has_overshot();
        trace.restarts += u32::from(restarts);
        momentum.extrapolate(restarts);
    }
}
