//! Ctrl-C: the first one asks the run to end after its step, the second one ends the program at once.

use crate::failure::{Exit, Failure};
use std::sync::atomic::{AtomicBool, Ordering};

static ASKED: AtomicBool = AtomicBool::new(false);

/// Listens for Ctrl-C from now on, and for the signals by which a cluster ends a job.
pub fn listen() -> Result<(), Failure> {
    ctrlc::set_handler(|| {
        if ASKED.swap(true, Ordering::SeqCst) {
            std::process::exit(Exit::Interrupted as i32);
        }
    })
    .map_err(|error| Failure::new(Exit::RunFailed, format!("cannot listen for Ctrl-C: {error}")))
}

/// True once the user has asked the run to end.
pub fn asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}
