//! Ranks joined by MPI (docs/mpi.md).
//!
//! A build needs no MPI. A process that `mpiexec` has started, which its environment tells, opens the library at run time:
//! Open MPI, MPICH and its kin, or any library with the standard ABI of MPI 5. A process that was started otherwise looks for
//! nothing.

mod launch;
#[cfg(unix)]
mod library;
mod messenger;

use launch::Launch;
use messenger::OfMpi;
use riprap_solve::Ranks;
use std::sync::Arc;

/// The environment variable that names the library of MPI, or says `none`.
pub const VARIABLE: &str = "RIPRAP_MPI";

/// Why processes that `mpiexec` has started cannot work together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MpiError {
    /// No library was found.
    #[error(
        "this is one of {size} processes that were started together, but no library of MPI can be opened ({}); set {VARIABLE} \
         to its path, or to none for {size} independent runs",
        tried.join("; ")
    )]
    NoLibrary {
        /// How many processes there are.
        size: usize,
        /// What was tried, and what came of it.
        tried: Vec<String>,
    },
    /// The library is not that of the launcher.
    #[error(
        "{library} sees {found} of the {size} processes that were started together: it does not belong to the mpiexec that \
         started them; set {VARIABLE} to the library that does"
    )]
    OtherLibrary {
        /// The library.
        library: String,
        /// How many processes it sees.
        found: usize,
        /// How many there are.
        size: usize,
    },
    /// The library refuses to start.
    #[error("{library} cannot be used: {reason}")]
    Unusable {
        /// The library.
        library: String,
        /// What it says.
        reason: String,
    },
}

/// The processes that this one works with.
pub struct Joined {
    messenger: Arc<OfMpi>,
}

impl Joined {
    /// They as ranks.
    pub fn ranks(&self) -> Ranks {
        Ranks::joined_by(self.messenger.clone())
    }

    /// The library by which they are joined.
    pub fn library(&self) -> &str {
        self.messenger.library()
    }

    /// Takes leave of the others, and waits until they do so.
    pub fn leave(self) {
        self.messenger.leave();
    }
}

/// Joins the processes that were started with this one; `None` if there are none.
pub fn join() -> Result<Option<Joined>, MpiError> {
    let Some(launch) = Launch::of(&|name| std::env::var(name).ok()) else { return Ok(None) };
    OfMpi::open(&launch).map(|messenger| Some(Joined { messenger: Arc::new(messenger) }))
}

/// True for the one of the processes that were started together which speaks for all, also where they cannot be joined. One that
/// cannot be among them has nobody to speak for it.
pub fn speaks() -> bool {
    Launch::of(&|name| std::env::var(name).ok()).is_none_or(|launch| launch.rank == 0 || launch.rank >= launch.size)
}
