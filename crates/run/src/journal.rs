//! What is said about a run: to its listener, and to `log.txt`.

use crate::error::RunError;
use crate::folder::RunFolder;
use crate::listener::{Listener, Progress};
use riprap_store::disk::DiskFile;
use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

/// What is said about a run.
pub struct Journal {
    listener: Box<dyn Listener>,
    log: Option<Log>,
}

/// The log of a run. While it is open, the run's folder belongs to this process.
struct Log {
    path: PathBuf,
    file: DiskFile,
    start: Instant,
}

impl Journal {
    /// For a run without files.
    pub fn without_log(listener: Box<dyn Listener>) -> Self {
        Journal { listener, log: None }
    }

    /// Opens the log of `folder`, to go on at its end, and claims the folder.
    pub fn open(folder: &RunFolder, listener: Box<dyn Listener>) -> Result<Self, RunError> {
        let path = folder.log();
        let file = folder.claim()?;
        Ok(Journal { listener, log: Some(Log { path, file, start: Instant::now() }) })
    }

    /// Says something that the user may like to know.
    pub fn note(&mut self, text: &str) -> Result<(), RunError> {
        self.listener.note(text);
        self.log(text)
    }

    /// Says something that the user has to know.
    pub fn warn(&mut self, text: &str) -> Result<(), RunError> {
        self.listener.warn(text);
        self.log(&format!("warning: {text}"))
    }

    /// Writes to the log only.
    pub fn log(&mut self, text: &str) -> Result<(), RunError> {
        let Some(log) = &mut self.log else { return Ok(()) };
        let seconds = log.start.elapsed().as_secs_f64();
        let lines: String = text.lines().map(|line| format!("[{seconds:10.3}] {line}\n")).collect();
        log.file.write_all(lines.as_bytes()).map_err(RunError::write(&log.path))
    }

    /// A step is done.
    pub fn step(&mut self, progress: &mut dyn FnMut() -> Progress) {
        self.listener.step(progress);
    }

    /// No step follows.
    pub fn end(&mut self) {
        self.listener.end();
    }
}
