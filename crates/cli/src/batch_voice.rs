//! What a batch of runs says on the screen.

use crate::progress::ProgressBar;
use crate::screen::tell;
use riprap_run::{BatchListener, BatchProgress, RunError, duration};
use std::sync::{Mutex, PoisonError};

/// What a batch of runs says on the screen: one bar for all, and a line for each that has ended.
pub struct BatchVoice {
    notes: bool,
    bar: Mutex<ProgressBar>,
}

impl BatchVoice {
    /// All news, or those of failures only.
    pub fn new(quiet: bool) -> Self {
        let bar = if quiet { ProgressBar::hidden() } else { ProgressBar::new("") };
        BatchVoice { notes: !quiet, bar: Mutex::new(bar) }
    }

    /// No run follows.
    pub fn end(&self) {
        self.with_bar(ProgressBar::end);
    }

    fn with_bar(&self, show: impl FnOnce(&mut ProgressBar)) {
        show(&mut self.bar.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl BatchListener for BatchVoice {
    fn step(&self, progress: &mut dyn FnMut() -> BatchProgress) {
        let mut part = || {
            let progress = progress();
            let left = progress.time_left.map_or(String::new(), |left| format!(", about {} left", duration(left)));
            (Some(progress.part), format!("{} of {} runs complete{left}", progress.completed, progress.runs))
        };
        self.with_bar(|bar| bar.show_part(&mut part));
    }

    fn completed(&self, name: &str, cpu_s: Option<f64>, progress: &BatchProgress) {
        if !self.notes {
            return;
        }
        let took = cpu_s.map_or(String::new(), |cpu| format!(" took {} of CPU time", duration(cpu)));
        let left = match progress.time_left {
            Some(left) if progress.completed < progress.runs => format!("; about {} for all others", duration(left)),
            _ => String::new(),
        };
        let words = format!("  {} of {}: {name}{took}{left}", progress.completed, progress.runs);
        self.with_bar(|bar| bar.above(|| tell(words)));
    }

    fn failed(&self, name: &str, error: &RunError) {
        self.with_bar(|bar| bar.above(|| tell(format_args!("  failed: {name}: {error}"))));
    }
}
