//! Ranks: processes that solve one problem together (docs/mpi.md).
//!
//! Every rank walks through the same solve; what it does not compute itself it is sent. There are two things to be said
//! between them, and [`Messenger`] is all that a sweep knows of how: by MPI, or from thread to thread in one process
//! (`threads.rs`), as tests do.

mod threads;

pub use threads::on_threads;

use std::fmt;
use std::sync::Arc;

/// Carries numbers between ranks, bit for bit. All ranks call the same functions in the same order.
///
/// A rank that has gone ends the others: no function returns without what it was to receive.
pub trait Messenger: Send + Sync {
    /// Which of the ranks this is, from 0 on.
    fn rank(&self) -> usize;
    /// How many there are.
    fn size(&self) -> usize;
    /// Sends parcels, and fills those to be received, whose lengths are those of what their ranks send.
    fn swap(&self, send: &[Parcel], receive: &mut [Parcel]);
    /// The numbers of all ranks, those of one after those of the other; `counts` says how many each has.
    fn gather(&self, own: &[f64], counts: &[usize]) -> Vec<f64>;
    /// What that has taken so far.
    fn traffic(&self) -> Traffic;
}

/// Numbers to or from a rank.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parcel {
    /// The other rank.
    pub rank: usize,
    /// The numbers.
    pub numbers: Vec<f64>,
}

/// What a rank has sent, and how long it has waited.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Traffic {
    /// Messages sent; what is gathered from all counts as one.
    pub messages: u64,
    /// Bytes in them.
    pub bytes: u64,
    /// Seconds spent in sending and receiving, waits for others included.
    pub seconds: f64,
}

/// The ranks that compute together: one, unless there is a messenger.
#[derive(Clone, Default)]
pub struct Ranks(Option<Arc<dyn Messenger>>);

impl Ranks {
    /// The ranks that a messenger joins.
    pub fn joined_by(messenger: Arc<dyn Messenger>) -> Self {
        Ranks((messenger.size() > 1).then_some(messenger))
    }

    /// Which of them this is.
    pub fn rank(&self) -> usize {
        self.0.as_ref().map_or(0, |messenger| messenger.rank())
    }

    /// How many there are.
    pub fn size(&self) -> usize {
        self.0.as_ref().map_or(1, |messenger| messenger.size())
    }

    /// True if there is no other.
    pub fn is_alone(&self) -> bool {
        self.0.is_none()
    }

    /// See [`Messenger::swap`]; one rank has nobody to swap with.
    pub fn swap(&self, send: &[Parcel], receive: &mut [Parcel]) {
        if let Some(messenger) = &self.0 {
            messenger.swap(send, receive);
        }
    }

    /// See [`Messenger::gather`].
    pub fn gather(&self, own: &[f64], counts: &[usize]) -> Vec<f64> {
        self.0.as_ref().map_or_else(|| own.to_vec(), |messenger| messenger.gather(own, counts))
    }

    /// The number that each rank has.
    pub fn gather_each(&self, own: f64) -> Vec<f64> {
        self.gather(&[own], &vec![1; self.size()])
    }

    /// What messages have taken so far; nothing where there is one rank.
    pub fn traffic(&self) -> Traffic {
        self.0.as_ref().map_or(Traffic::default(), |messenger| messenger.traffic())
    }
}

impl fmt::Debug for Ranks {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "rank {} of {}", self.rank(), self.size())
    }
}
