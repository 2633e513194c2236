//! From the kind of contacts to its kernel. These functions are not generic, so that the kernels are compiled once, here,
//! and not again in every crate that solves something.

#![allow(unsafe_code)] // The kernels' promises are passed on.
use super::ball::Ball;
use super::ball_laws::BallLaws;
use super::block::Block;
use super::group::Kind;
use super::kernel::{Order, Tally, View, run_batches, run_contact};
use std::ops::Range;

/// A pass over some batches of a kind, in 2 or 3 `axes`. Contacts of [`Kind::Joint`] have no kernel.
///
/// # Safety
/// As for [`run_batches`].
pub unsafe fn run_kind(kind: Kind, axes: usize, order: Order, view: View, range: Range<u32>, backward: bool) -> Tally {
    // SAFETY: the caller's promise.
    unsafe {
        match (kind, axes) {
            (Kind::Ball, 2) => run_batches::<Ball<2, 1>, 2, 1, 2>(order, view, range, backward),
            (Kind::Ball, _) => run_batches::<Ball<3, 3>, 3, 3, 3>(order, view, range, backward),
            (Kind::BallLaws, 2) => run_batches::<BallLaws<2, 1, 3>, 2, 1, 3>(order, view, range, backward),
            (Kind::BallLaws, _) => run_batches::<BallLaws<3, 3, 6>, 3, 3, 6>(order, view, range, backward),
            (Kind::Block, 2) => run_batches::<Block<2, 1>, 2, 1, 2>(order, view, range, backward),
            (Kind::Block, _) => run_batches::<Block<3, 3>, 3, 3, 3>(order, view, range, backward),
            (Kind::Joint, _) => Tally::default(),
        }
    }
}

/// A pass over one contact of a kind.
///
/// # Safety
/// As for [`run_contact`].
pub unsafe fn run_kind_contact(kind: Kind, axes: usize, order: Order, view: View, place: u32) -> Tally {
    // SAFETY: the caller's promise.
    unsafe {
        match (kind, axes) {
            (Kind::Ball, 2) => run_contact::<Ball<2, 1>, 2, 1, 2>(order, view, place),
            (Kind::Ball, _) => run_contact::<Ball<3, 3>, 3, 3, 3>(order, view, place),
            (Kind::BallLaws, 2) => run_contact::<BallLaws<2, 1, 3>, 2, 1, 3>(order, view, place),
            (Kind::BallLaws, _) => run_contact::<BallLaws<3, 3, 6>, 3, 3, 6>(order, view, place),
            (Kind::Block, 2) => run_contact::<Block<2, 1>, 2, 1, 2>(order, view, place),
            (Kind::Block, _) => run_contact::<Block<3, 3>, 3, 3, 3>(order, view, place),
            (Kind::Joint, _) => Tally::default(),
        }
    }
}
