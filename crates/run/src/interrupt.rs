//! Asking a run to end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that asks a run to end after the step that it is in. Clones are the same flag: one goes to the run, another to a
/// signal handler or a thread.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    asked: Arc<AtomicBool>,
}

impl Interrupt {
    /// Asks the run to end; true if it was asked before.
    pub fn ask(&self) -> bool {
        self.asked.swap(true, Ordering::SeqCst)
    }

    /// True once the run was asked to end.
    pub fn asked(&self) -> bool {
        self.asked.load(Ordering::SeqCst)
    }

    /// Takes the wish back, so that the run can go on.
    pub fn clear(&self) {
        self.asked.store(false, Ordering::SeqCst);
    }
}
