//! Raw views of the arrays that a pass reads and writes, one per kind of contact.

#![allow(unsafe_code)] // The kernels are called here, with promises made by the callers of `Views`.
use super::config::PassConfig;
use super::dispatch::{run_kind, run_kind_contact};
use super::group::Kind;
use super::kernel::{BatchRange, View};
use super::lanes::WIDTH;
use super::stats::SweepStats;
use super::torque_contact::TorqueContact;
use crate::law::SIZE;
use crate::space::Dim;
use std::ops::Range;

/// Pointers to all that a pass reads and writes.
pub struct Views<D: Dim> {
    pub of_kind: [View; 4],
    pub torque_contacts: *const TorqueContact<D>,
}

// SAFETY: the pointers are followed by `Views::run` and `Views::run_one` alone, whose callers hand disjoint tasks to
// different threads.
unsafe impl<D: Dim> Sync for Views<D> {}

impl<D: Dim> Views<D> {
    /// A pass over some batches of a kind.
    ///
    /// # Safety
    /// As for `run_batches`.
    pub unsafe fn run(&self, kind: Kind, config: PassConfig, range: Range<u32>, backward: bool) -> SweepStats {
        // SAFETY: the caller's promise.
        unsafe {
            if kind != Kind::BlockTorque {
                let view = self.of_kind[kind as usize];
                return run_kind(kind, D::AXES, config, BatchRange { view, range, backward });
            }
            let (first, end) = (range.start * WIDTH as u32, range.end * WIDTH as u32);
            let mut total = SweepStats::default();
            for step in 0..end - first {
                let place = if backward { end - 1 - step } else { first + step };
                total = total.and(self.run_torque_contact(config, place));
            }
            total
        }
    }

    /// A pass over one contact.
    ///
    /// # Safety
    /// As for `run_contact`.
    pub unsafe fn run_one(&self, kind: Kind, config: PassConfig, place: u32) -> SweepStats {
        // SAFETY: the caller's promise.
        unsafe {
            match kind {
                Kind::BlockTorque => self.run_torque_contact(config, place),
                _ => run_kind_contact(kind, D::AXES, config, self.of_kind[kind as usize], place),
            }
        }
    }

    /// A pass over one contact that has its own law; nothing where the lane is empty.
    unsafe fn run_torque_contact(&self, config: PassConfig, place: u32) -> SweepStats {
        let view = self.of_kind[Kind::BlockTorque as usize];
        let components = Kind::BlockTorque.components::<D>();
        let (batch, lane) = (place as usize / WIDTH, place as usize % WIDTH);
        debug_assert!(batch < view.batches);
        // SAFETY: the caller's promise.
        unsafe {
            let contact = &*self.torque_contacts.add(place as usize);
            if contact.normal_weight() == 0.0 {
                return SweepStats::default();
            }
            let rows = view.impulses.add(batch * components);
            let mut local = [0.0; SIZE];
            for i in 0..components {
                local[i] = (*rows.add(i)).0[lane];
            }
            let stats = contact.run(config, view.slots, &mut local);
            for i in 0..components {
                (*rows.add(i)).0[lane] = local[i];
            }
            stats
        }
    }
}
