//! Nonlinear block Gauss–Seidel: the reference.

use super::{Judge, Sweeps};
use crate::options::SweepOrder;

/// Plain sweeps in the given order until the judge says that they may end.
pub fn run<S: Sweeps>(state: &mut S, judge: &mut impl Judge<S>, order: SweepOrder, seed: u64) {
    for number in 0u32.. {
        let tell = judge.tell(state.len());
        let tally = state.sweep(order, number, seed, tell);
        if judge.done(1, tally, state) {
            return;
        }
        judge.rest(state);
    }
}
