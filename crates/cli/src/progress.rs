//! How far the run is: a bar on a terminal, a line every few seconds elsewhere, nothing when quiet.

use crate::screen::tell;
use indicatif::{ProgressDrawTarget, ProgressStyle};
use riprap_run::{Progress, duration, three_digits};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// How often a bar is drawn, and a line printed.
const REDRAW: Duration = Duration::from_millis(100);
const LINE: Duration = Duration::from_secs(5);
/// A bar where the end of the stage is known, and a sign of life where it is not.
const BAR: &str = "{bar:16} {wide_msg}";
const SPINNER: &str = "{spinner} {wide_msg}";

/// The progress of a run.
#[derive(Debug)]
pub struct ProgressBar {
    display: Display,
    label: String,
    shown: Option<Instant>,
}

#[derive(Debug)]
enum Display {
    Nothing,
    Bar(indicatif::ProgressBar),
    Lines,
}

impl ProgressBar {
    /// A bar or lines, whichever the screen can show, with a label before everything.
    pub fn new(label: &str) -> Self {
        let display = if std::io::stderr().is_terminal() {
            let bar = indicatif::ProgressBar::with_draw_target(Some(1000), ProgressDrawTarget::stderr());
            bar.set_style(style(BAR));
            Display::Bar(bar)
        } else {
            Display::Lines
        };
        ProgressBar { display, label: label.into(), shown: None }
    }

    /// Shows nothing.
    pub fn hidden() -> Self {
        ProgressBar { display: Display::Nothing, label: String::new(), shown: None }
    }

    /// Prints something that is to stay above the bar.
    pub fn above(&self, print: impl FnOnce()) {
        match &self.display {
            Display::Bar(bar) => bar.suspend(print),
            _ => print(),
        }
    }

    /// Shows where the run is, if it is time to; `progress` is asked for only then.
    pub fn show(&mut self, progress: &mut dyn FnMut() -> Progress) {
        if self.is_due() {
            let progress = progress();
            self.draw(progress.fraction, self.describe(&progress));
        }
    }

    /// Shows the part of something that is done, if it is time to, with a text.
    pub fn show_part(&mut self, part: &mut dyn FnMut() -> (Option<f64>, String)) {
        if self.is_due() {
            let (part, text) = part();
            self.draw(part, format!("{}{text}", self.label));
        }
    }

    fn is_due(&mut self) -> bool {
        let every = match self.display {
            Display::Nothing => return false,
            Display::Bar(_) => REDRAW,
            Display::Lines => LINE,
        };
        let now = Instant::now();
        // The first line waits like all others, so that a run of a second prints none.
        let shown = *self.shown.get_or_insert(now);
        let is_due = now.duration_since(shown) >= every;
        if is_due {
            self.shown = Some(now);
        }
        is_due
    }

    fn draw(&self, fraction: Option<f64>, text: String) {
        match &self.display {
            Display::Nothing => {}
            Display::Lines => tell(&text),
            Display::Bar(bar) => {
                match fraction {
                    Some(fraction) => {
                        bar.set_style(style(BAR));
                        bar.set_position((1000.0 * fraction.clamp(0.0, 1.0)) as u64);
                    }
                    None => {
                        bar.set_style(style(SPINNER));
                        bar.tick();
                    }
                }
                bar.set_message(text);
            }
        }
    }

    /// Takes the bar away.
    pub fn end(&mut self) {
        if let Display::Bar(bar) = &self.display {
            bar.finish_and_clear();
        }
        self.display = Display::Nothing;
    }

    /// The most important first: a narrow terminal cuts off the end.
    fn describe(&self, progress: &Progress) -> String {
        let Progress { stage, time, .. } = progress;
        let mut parts = vec![match progress.total_time {
            Some(total) => format!("{}{stage}: {time:.4} of {total:.4} s", self.label),
            None => format!("{}{stage}: {time:.4} s", self.label),
        }];
        if let Some(left) = progress.time_left {
            parts.push(format!("{} left{}", duration(left), if progress.last_stage { "" } else { " in stage" }));
        }
        parts.push(format!("step {}", progress.step));
        parts.push(format!("{} contacts", progress.contacts));
        parts.push(format!("{} sweeps", progress.sweeps));
        parts.extend(progress.speed.map(|speed| format!("{} steps/s", three_digits(speed))));
        parts.join(", ")
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("█▉▊▋▌▍▎▏ ")
}
