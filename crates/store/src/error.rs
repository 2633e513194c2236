//! What can go wrong with a file, said so that a user knows which file, what is wrong, and what is safe.

use std::path::{Path, PathBuf};

/// Why a file could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A write failed: the disk is full, the folder is not writable, …
    #[error("{}: {action} failed: {source}; {}", path.display(), untouched(path))]
    Write {
        /// The file that was to be written.
        path: PathBuf,
        /// What was being done.
        action: &'static str,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file could not be read.
    #[error("{}: could not be read: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A line of a text file is not what it should be.
    #[error("{}:{line}: expected {expected}, found {found:?}", path.display())]
    Text {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// The text that is wrong.
        found: String,
        /// What should be there.
        expected: String,
    },
    /// A binary file is damaged, of another kind, or of a version that this program does not know.
    #[error("{}: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// No generation of a checkpoint could be read.
    #[error("{}: no readable checkpoint{}", folder.display(), list(reasons))]
    NoCheckpoint {
        /// Where it was looked for.
        folder: PathBuf,
        /// Why each generation could not be read.
        reasons: Vec<String>,
    },
    /// A state was put into a world that it was not taken from.
    #[error("the state has {state}, the world has {world}")]
    OtherWorld {
        /// What the state has.
        state: String,
        /// What the world has.
        world: String,
    },
    /// A format that is not known, by name or by the ending of a file.
    #[error("unknown snapshot format {name:?}; expected one of {known}")]
    UnknownFormat {
        /// What was asked for.
        name: String,
        /// The formats that there are.
        known: String,
    },
}

impl StoreError {
    /// A function that turns what the system said while reading `path` into an error.
    pub(crate) fn read(path: &Path) -> impl Fn(std::io::Error) -> StoreError + '_ {
        move |source| StoreError::Read { path: path.into(), source }
    }

    /// A damaged file.
    pub(crate) fn damaged(path: &Path, reason: impl ToString) -> StoreError {
        StoreError::Damaged { path: path.into(), reason: reason.to_string() }
    }
}

fn untouched(path: &Path) -> &'static str {
    if path.exists() { "the previous file is unchanged" } else { "no partial file was left behind" }
}

fn list(reasons: &[String]) -> String {
    reasons.iter().map(|reason| format!("\n  {reason}")).collect()
}
