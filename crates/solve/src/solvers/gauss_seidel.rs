//! Nonlinear block Gauss–Seidel: the reference.

use super::Watch;
use crate::space::Dim;
use crate::sweep::Sweeper;

/// Plain sweeps in the order of the options until the criterion holds.
pub fn run<D: Dim>(sweeper: &mut Sweeper<D>, watch: &mut Watch, seed: u64) {
    loop {
        let tell = watch.tell(sweeper.len());
        let tally = sweeper.sweep(watch.options.order, watch.sweeps, seed, tell);
        if watch.done(1, tally, sweeper) {
            return;
        }
    }
}
