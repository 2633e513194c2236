//! The loop of a solve: sweep, note, decide, extrapolate.

use super::accelerated::{Accelerated, Iteration, Symmetric};
use super::monitor::Monitor;
use super::policy::{History, Next, Plan, next};
use super::regime::{IN_ROUND, ROUND, ROUNDS, Regime, Remedy};
use super::trace::Trace;
use crate::options::SweepOrder;
use crate::sweep::{Measure, OrderedSweeps, Sweeps};

/// Plain sweeps in the given order until the monitor says that they may end: nonlinear block Gauss–Seidel, the reference.
pub fn plain<S: OrderedSweeps>(
    layout: &mut S,
    monitor: &mut impl Monitor<S>,
    regime: &Regime,
    order: SweepOrder,
    seed: u64,
) -> Trace {
    let mut run = Run::new(regime);
    for number in 0u32.. {
        layout.damp(run.plan.damping);
        let measure = match monitor.measure(layout.len()) {
            Measure::Nothing if regime.remedy != Remedy::None => Measure::Change,
            asked => asked,
        };
        let stats = layout.sweep(order, number, seed, measure);
        monitor.count(1.0);
        run.trace.plain += 1;
        if monitor.done(stats, layout) {
            break;
        }
        run.history.note(stats);
        run.decide(layout, regime);
        layout.rest();
    }
    run.trace
}

/// Momentum by a regime until the monitor says that it may end; the result is the state after a sweep, which lies in the cones.
pub fn accelerated<S: Sweeps>(layout: &mut S, monitor: &mut impl Monitor<S>, regime: &Regime) -> Trace {
    let regime = &regime.ablated();
    let symmetric = Symmetric { layout, skips_open: regime.skips_open, iterations: 0 };
    let mut momentum = Accelerated::new(symmetric, regime.momentum, ROUND);
    let (mut trace, goes_on_by_rounds) = run(&mut momentum, monitor, regime);
    if goes_on_by_rounds {
        momentum.momentum = IN_ROUND;
        let before = momentum.inner.iterations;
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

/// Momentum by a regime; the way of it, and true if it is to go on by rounds.
fn run<I: Iteration>(
    momentum: &mut Accelerated<I>,
    monitor: &mut impl Monitor<I::Layout>,
    regime: &Regime,
) -> (Trace, bool) {
    let mut run = Run::new(regime);
    loop {
        momentum.layout().damp(run.plan.damping);
        run.trace.note(&run.plan);
        let Some(stats) = momentum.step(monitor) else { return (run.trace, false) };
        run.history.note(stats);
        let Some(begins_anew) = run.decide(momentum.layout(), regime) else { return (run.trace, true) };
        momentum.momentum = run.plan.momentum;
        let restarts = begins_anew || momentum.has_overshot();
        run.trace.restarts += u32::from(restarts);
        if let Some(patching) = regime.patching.filter(|_| run.plan.patches) {
            let passes = momentum.settle_worst(&patching);
            monitor.count(passes);
            run.trace.note_patch(passes);
        }
        momentum.extrapolate(restarts);
    }
}

/// A solve under way.
struct Run {
    plan: Plan,
    history: History,
    trace: Trace,
}

impl Run {
    fn new(regime: &Regime) -> Self {
        Run { plan: Plan::new(regime), history: History::default(), trace: Trace::default() }
    }

    /// Decides what comes next; true if momentum begins from nothing, and nothing if rounds are next.
    fn decide<S: Sweeps>(&mut self, layout: &mut S, regime: &Regime) -> Option<bool> {
        let (plan, begins_anew) = match next(self.plan, &self.history, regime) {
            Next::GoOn(plan) => (plan, false),
            Next::BeginAnew(plan) => (plan, true),
            Next::Rounds => return None,
        };
        if begins_anew {
            self.history.begin_anew();
        }
        for _ in self.plan.softened..plan.softened {
            layout.soften();
        }
        self.plan = plan;
        self.trace.softened = plan.softened;
        Some(begins_anew)
    }
}
