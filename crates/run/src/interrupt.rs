//! Asking a run to end.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// A flag that asks a run to end after the step that it is in. Clones are the same flag: one goes to the run, another to a
/// signal handler or a thread.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    asked: Arc<AtomicBool>,
    deadline: Arc<OnceLock<Instant>>,
}

impl Interrupt {
    /// Asks the run to end; true if it was asked before.
    pub fn ask(&self) -> bool {
        self.asked.swap(true, Ordering::SeqCst)
    }

    /// Asks the run to end at a moment of wall-clock time, unless a moment was given before.
    pub fn ask_at(&self, moment: Instant) {
        let _ = self.deadline.set(moment);
    }

    /// True once the run was asked to end, or its time is up.
    pub fn asked(&self) -> bool {
        self.asked.load(Ordering::SeqCst) || self.is_past_deadline()
    }

    /// True if the run is to end because its time is up, and for no other reason.
    pub fn is_out_of_time(&self) -> bool {
        !self.asked.load(Ordering::SeqCst) && self.is_past_deadline()
    }

    /// Takes the wish back, so that the run can go on; a moment that was given stays.
    pub fn clear(&self) {
        self.asked.store(false, Ordering::SeqCst);
    }

    fn is_past_deadline(&self) -> bool {
        self.deadline.get().is_some_and(|&moment| Instant::now() >= moment)
    }
}
