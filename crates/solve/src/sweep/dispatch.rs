//! From the kind of contacts to its kernel. These functions are not generic, so that the kernels are compiled once, here,
//! and not again in every crate that solves something.

#![allow(unsafe_code)] // The kernels' promises are passed on.
use super::ball::Ball;
use super::ball_torque::BallTorque;
use super::block::Block;
use super::config::PassConfig;
use super::group::Kind;
use super::kernel::{BatchRange, View, run_batches, run_contact};
use super::stats::SweepStats;

/// A pass over some batches of a kind, in 2 or 3 `axes`. Contacts of [`Kind::BlockTorque`] have no kernel.
///
/// # Safety
/// As for [`run_batches`].
pub unsafe fn run_kind(kind: Kind, axes: usize, config: PassConfig, part: BatchRange) -> SweepStats {
    // SAFETY: the caller's promise.
    unsafe {
        match (kind, axes) {
            (Kind::Ball, 2) => run_batches::<Ball<2, 1>, 2, 1, 2>(config, part),
            (Kind::Ball, _) => run_batches::<Ball<3, 3>, 3, 3, 3>(config, part),
            (Kind::BallTorque, 2) => run_batches::<BallTorque<2, 1, 3>, 2, 1, 3>(config, part),
            (Kind::BallTorque, _) => run_batches::<BallTorque<3, 3, 6>, 3, 3, 6>(config, part),
            (Kind::Block, 2) => run_batches::<Block<2, 1>, 2, 1, 2>(config, part),
            (Kind::Block, _) => run_batches::<Block<3, 3>, 3, 3, 3>(config, part),
            (Kind::BlockTorque, _) => SweepStats::default(),
        }
    }
}

/// A pass over one contact of a kind.
///
/// # Safety
/// As for [`run_contact`].
pub unsafe fn run_kind_contact(kind: Kind, axes: usize, config: PassConfig, view: View, place: u32) -> SweepStats {
    // SAFETY: the caller's promise.
    unsafe {
        match (kind, axes) {
            (Kind::Ball, 2) => run_contact::<Ball<2, 1>, 2, 1, 2>(config, view, place),
            (Kind::Ball, _) => run_contact::<Ball<3, 3>, 3, 3, 3>(config, view, place),
            (Kind::BallTorque, 2) => run_contact::<BallTorque<2, 1, 3>, 2, 1, 3>(config, view, place),
            (Kind::BallTorque, _) => run_contact::<BallTorque<3, 3, 6>, 3, 3, 6>(config, view, place),
            (Kind::Block, 2) => run_contact::<Block<2, 1>, 2, 1, 2>(config, view, place),
            (Kind::Block, _) => run_contact::<Block<3, 3>, 3, 3, 3>(config, view, place),
            (Kind::BlockTorque, _) => SweepStats::default(),
        }
    }
}
