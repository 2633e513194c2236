//! What a run says: to the screen and to `log.txt`.

use crate::failure::{Exit, Failure};
use crate::folder::Folder;
use crate::progress::Progress;
use crate::screen::tell;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

/// The voice of a run. While it lives, the run's folder belongs to this process.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    voice: Voice,
    start: Instant,
    progress: Progress,
}

/// How much a run says on the screen; its log holds everything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Voice {
    /// All news, and how far it is.
    Full,
    /// Warnings only.
    Warnings,
    /// Only how far it is, after this label: the run is part of something larger, which has its own words.
    Progress(String),
}

impl Voice {
    /// By the option `--quiet`.
    pub fn of(quiet: bool) -> Voice {
        if quiet { Voice::Warnings } else { Voice::Full }
    }
}

impl Journal {
    /// Opens the log of `folder`, to go on at its end, and claims the folder.
    pub fn open(folder: &Folder, voice: Voice) -> Result<Self, Failure> {
        let path = folder.log();
        let file =
            OpenOptions::new().create(true).append(true).open(&path).map_err(|error| Failure::writing(&path, error))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let message =
                    format!("another riprap is running in {}; wait until it has ended", folder.path().display());
                return Err(Failure::new(Exit::BadInput, message));
            }
            // Some network file systems have no locks; the run is worth more than the claim.
            Err(TryLockError::Error(_)) => {}
        }
        let progress = match &voice {
            Voice::Full => Progress::new(false),
            Voice::Warnings => Progress::new(true),
            Voice::Progress(label) => Progress::new(false).labelled(label),
        };
        Ok(Journal { path, file, voice, start: Instant::now(), progress })
    }

    /// Says something that the user may like to know.
    pub fn note(&mut self, text: &str) -> Result<(), Failure> {
        if self.voice == Voice::Full {
            self.progress.above(|| tell(text));
        }
        self.log(text)
    }

    /// Says something that the user has to know.
    pub fn warn(&mut self, text: &str) -> Result<(), Failure> {
        if !matches!(self.voice, Voice::Progress(_)) {
            self.progress.above(|| tell(format_args!("warning: {text}")));
        }
        self.log(&format!("warning: {text}"))
    }

    /// Writes to the log only.
    pub fn log(&mut self, text: &str) -> Result<(), Failure> {
        let seconds = self.start.elapsed().as_secs_f64();
        let lines: String = text.lines().map(|line| format!("[{seconds:10.3}] {line}\n")).collect();
        self.file.write_all(lines.as_bytes()).map_err(|error| Failure::writing(&self.path, error))
    }

    /// The progress on the screen.
    pub fn progress(&mut self) -> &mut Progress {
        &mut self.progress
    }

    /// How much it says on the screen.
    pub fn voice(&self) -> &Voice {
        &self.voice
    }
}
