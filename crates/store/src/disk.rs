//! Everything by which a run changes what is on disk: each function makes one call of the system, and nothing else in this
//! crate and in those that make runs does so. A call that a signal interrupts is made again.
//!
//! A test can have any of these calls fail, or be the last one of the process (docs/testing.md, "Crash points"):
//! `RIPRAP_FAULT=17:no-space` lets the 17th find a full disk. Otherwise that costs the look at a variable.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::Path;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// A file that is written. Nothing is buffered: each write is one call.
#[derive(Debug)]
pub struct DiskFile(File);

impl DiskFile {
    /// A file of this name that is empty, whatever was there.
    pub fn create(path: &Path) -> io::Result<DiskFile> {
        call(|_| File::create(path).map(DiskFile))
    }

    /// A file that was not there.
    pub fn create_new(path: &Path) -> io::Result<DiskFile> {
        call(|_| File::create_new(path).map(DiskFile))
    }

    /// A file that is written on at its end, and made if it is not there.
    pub fn append(path: &Path) -> io::Result<DiskFile> {
        call(|_| OpenOptions::new().create(true).append(true).open(path).map(DiskFile))
    }

    /// Cuts the file off.
    pub fn set_len(&self, length: u64) -> io::Result<()> {
        call(|_| self.0.set_len(length))
    }

    /// Returns once the content is safe on disk.
    pub fn sync(&self) -> io::Result<()> {
        call(|_| self.0.sync_all())
    }

    /// Locks the file against other processes, as long as it is open.
    pub fn try_lock(&self) -> Result<(), TryLockError> {
        self.0.try_lock()
    }
}

impl Write for DiskFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        call(|whole| self.0.write(if whole { bytes } else { &bytes[..bytes.len() / 2] }))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Makes a folder that was not there.
pub fn create_dir(path: &Path) -> io::Result<()> {
    call(|_| fs::create_dir(path))
}

/// Makes a folder and those around it, if they are not there.
pub fn create_dir_all(path: &Path) -> io::Result<()> {
    if path.is_dir() { Ok(()) } else { call(|_| fs::create_dir_all(path)) }
}

/// Gives a file another name, in place of what had it.
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    call(|_| fs::rename(from, to))
}

/// Removes a file or a link.
pub fn remove_file(path: &Path) -> io::Result<()> {
    call(|_| fs::remove_file(path))
}

/// Removes a folder and what is in it. Links in it are removed, not followed.
pub fn remove_dir_all(path: &Path) -> io::Result<()> {
    call(|_| fs::remove_dir_all(path))
}

/// Makes the names in a folder safe on disk; only Unix lets a folder be opened for that.
pub fn sync_folder(path: &Path) -> io::Result<()> {
    if cfg!(unix) { call(|_| File::open(path)?.sync_all()) } else { Ok(()) }
}

/// Makes a call, or what a test wants in its place. The call is told whether it is to be done wholly; a write that is to be
/// done by half is the last one.
fn call<T>(mut make: impl FnMut(bool) -> io::Result<T>) -> io::Result<T> {
    loop {
        let result = match INJECTED.as_ref().filter(|injected| CALLS.fetch_add(1, Ordering::Relaxed) + 1 == injected.at)
        {
            None => make(true),
            Some(Injected { what: Effect::Fails(error), .. }) => Err(io::Error::from_raw_os_error(*error)),
            Some(Injected { what: Effect::EndsBefore, .. }) => std::process::abort(),
            Some(Injected { what: Effect::EndsAfter, .. }) => {
                let _ = make(false);
                std::process::abort()
            }
        };
        match result {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

/// What is to go wrong.
struct Injected {
    /// The number of the call, from 1.
    at: u64,
    what: Effect,
}

enum Effect {
    /// The call fails with this error of the system.
    Fails(i32),
    /// The process is gone before the call.
    EndsBefore,
    /// The process is gone after the call, or after half of a write.
    EndsAfter,
}

static CALLS: AtomicU64 = AtomicU64::new(0);
static INJECTED: LazyLock<Option<Injected>> = LazyLock::new(|| wanted(&std::env::var("RIPRAP_FAULT").ok()?));

fn wanted(words: &str) -> Option<Injected> {
    let (at, what) = words.split_once(':')?;
    // The numbers of Linux, on which the tests of faults run.
    let what = match what {
        "kill-before" => Effect::EndsBefore,
        "kill-after" => Effect::EndsAfter,
        "interrupted" => Effect::Fails(4),
        "io-error" => Effect::Fails(5),
        "no-permission" => Effect::Fails(13),
        "no-space" => Effect::Fails(28),
        _ => return None,
    };
    Some(Injected { at: at.parse().ok()?, what })
}
