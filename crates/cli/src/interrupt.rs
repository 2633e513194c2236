//! Ctrl-C: the first one asks the run to end after its step, the second one ends the program at once.

use crate::failure::{Exit, Failure};
use riprap_run::Interrupt;
use std::sync::LazyLock;

static FLAG: LazyLock<Interrupt> = LazyLock::new(Interrupt::default);

/// Listens for Ctrl-C from now on, and for the signals by which a cluster ends a job.
pub fn listen() -> Result<(), Failure> {
    ctrlc::set_handler(|| {
        if FLAG.ask() {
            std::process::exit(Exit::Interrupted as i32);
        }
    })
    .map_err(|error| Failure::new(Exit::RunFailed, format!("cannot listen for Ctrl-C: {error}")))
}

/// The flag that it sets, for runs.
pub fn flag() -> Interrupt {
    FLAG.clone()
}

/// True once the user has asked the run to end.
pub fn asked() -> bool {
    FLAG.asked()
}
