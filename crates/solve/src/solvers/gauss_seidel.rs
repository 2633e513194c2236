//! Nonlinear block Gauss–Seidel: the reference.

use super::Judge;
use crate::options::SweepOrder;
use crate::sweep::OrderedSweeps;

/// Plain sweeps in the given order until the judge says that they may end.
pub fn run<S: OrderedSweeps>(state: &mut S, judge: &mut impl Judge<S>, order: SweepOrder, seed: u64) {
    for number in 0u32.. {
        let measure = judge.measure(state.len());
        let stats = state.sweep(order, number, seed, measure);
        if judge.done(1, stats, state) {
            return;
        }
        judge.rest(state);
    }
}
