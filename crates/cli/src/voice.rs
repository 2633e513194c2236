//! What a run says on the screen; its log holds everything.

use crate::progress::ProgressBar;
use crate::screen::tell;
use riprap_run::{Listener, Progress};

/// What a run says on the screen.
#[derive(Debug)]
pub struct Voice {
    notes: bool,
    warnings: bool,
    bar: ProgressBar,
}

impl Voice {
    /// All news, and how far it is.
    pub fn full() -> Self {
        Voice { notes: true, warnings: true, bar: ProgressBar::new("") }
    }

    /// Warnings only.
    pub fn warnings() -> Self {
        Voice { notes: false, warnings: true, bar: ProgressBar::hidden() }
    }

    /// Only how far it is, after this label: the run is part of something larger, which has its own words.
    pub fn progress(label: &str) -> Self {
        Voice { notes: false, warnings: false, bar: ProgressBar::new(&format!("{label}, ")) }
    }
}

impl Listener for Voice {
    fn note(&mut self, text: &str) {
        if self.notes {
            self.bar.above(|| tell(text));
        }
    }

    fn warn(&mut self, text: &str) {
        if self.warnings {
            self.bar.above(|| tell(format_args!("warning: {text}")));
        }
    }

    fn step(&mut self, progress: &mut dyn FnMut() -> Progress) {
        self.bar.show(progress);
    }

    fn end(&mut self) {
        self.bar.end();
    }
}
