//! How far the run is: a bar on a terminal, a line every few seconds elsewhere, nothing when quiet.

use crate::screen::tell;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::collections::VecDeque;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// How often a bar is drawn, and a line printed.
const REDRAW: Duration = Duration::from_millis(100);
const LINE: Duration = Duration::from_secs(5);
/// A bar where the end of the stage is known, and a sign of life where it is not.
const BAR: &str = "{bar:16} {wide_msg}";
const SPINNER: &str = "{spinner} {wide_msg}";
/// The speed is that of this last stretch of time.
const WINDOW: Duration = Duration::from_secs(20);

/// What is shown about the step that was just done.
#[derive(Clone, Debug, Default)]
pub struct Moment {
    /// The stage's name.
    pub stage: String,
    /// Simulated time.
    pub time: f64,
    /// Simulated time at the end of the run, where it is known.
    pub total_time: Option<f64>,
    /// Steps done.
    pub step: u64,
    /// Contacts that carry an impulse.
    pub contacts: usize,
    /// Sweeps of the last step.
    pub sweeps: u32,
    /// How much of the stage is done, from 0 to 1, where its end is known.
    pub fraction: Option<f64>,
    /// True if this is the last stage, so that its end is the end of the run.
    pub last_stage: bool,
}

/// The progress of a run.
#[derive(Debug)]
pub struct Progress {
    display: Display,
    label: String,
    shown: Option<Instant>,
    samples: VecDeque<(Instant, Moment)>,
}

#[derive(Debug)]
enum Display {
    Nothing,
    Bar(ProgressBar),
    Lines,
}

impl Progress {
    /// Chooses how to show it.
    pub fn new(quiet: bool) -> Self {
        let display = if quiet {
            Display::Nothing
        } else if std::io::stderr().is_terminal() {
            let bar = ProgressBar::with_draw_target(Some(1000), ProgressDrawTarget::stderr());
            bar.set_style(style(BAR));
            Display::Bar(bar)
        } else {
            Display::Lines
        };
        Progress { display, label: String::new(), shown: None, samples: VecDeque::new() }
    }

    /// The same with a label before everything.
    pub fn labelled(self, label: &str) -> Self {
        Progress { label: format!("{label}, "), ..self }
    }

    /// Prints something that is to stay above the bar.
    pub fn above(&self, print: impl FnOnce()) {
        match &self.display {
            Display::Bar(bar) => bar.suspend(print),
            _ => print(),
        }
    }

    /// Shows where the run is, if it is time to; `moment` is asked for only then.
    pub fn show(&mut self, moment: impl FnOnce() -> Moment) {
        let every = match self.display {
            Display::Nothing => return,
            Display::Bar(_) => REDRAW,
            Display::Lines => LINE,
        };
        let now = Instant::now();
        // The first line waits like all others, so that a run of a second prints none.
        let shown = *self.shown.get_or_insert(now);
        if now.duration_since(shown) < every && !self.samples.is_empty() {
            return;
        }
        let moment = moment();
        let first = self.samples.is_empty();
        self.remember(now, moment.clone());
        if first {
            return;
        }
        self.shown = Some(now);
        let text = self.describe(&moment);
        match &self.display {
            Display::Nothing => {}
            Display::Lines => tell(&text),
            Display::Bar(bar) => {
                match moment.fraction {
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

    fn remember(&mut self, now: Instant, moment: Moment) {
        // A new stage starts a new measurement of speed.
        if self.samples.back().is_some_and(|(_, last)| last.stage != moment.stage) {
            self.samples.clear();
        }
        self.samples.push_back((now, moment));
        while self.samples.len() > 2 && now.duration_since(self.samples[1].0) > WINDOW {
            self.samples.pop_front();
        }
    }

    /// The most important first: a narrow terminal cuts off the end.
    fn describe(&self, moment: &Moment) -> String {
        let mut parts = vec![match moment.total_time {
            Some(total) => format!("{}{}: {:.4} of {total:.4} s", self.label, moment.stage, moment.time),
            None => format!("{}{}: {:.4} s", self.label, moment.stage, moment.time),
        }];
        let mut speed = None;
        if let (Some((then, first)), Some((now, _))) = (self.samples.front(), self.samples.back()) {
            let seconds = now.duration_since(*then).as_secs_f64();
            if let Some(left) = time_left(first.fraction, moment.fraction, seconds) {
                parts.push(format!("{} left{}", duration(left), if moment.last_stage { "" } else { " in stage" }));
            }
            speed = (seconds > 0.0).then(|| (moment.step - first.step) as f64 / seconds);
        }
        parts.push(format!("step {}", moment.step));
        parts.push(format!("{} contacts", moment.contacts));
        parts.push(format!("{} sweeps", moment.sweeps));
        parts.extend(speed.map(|speed| format!("{} steps/s", three_digits(speed))));
        parts.join(", ")
    }
}

/// The seconds until the fraction is 1 at the speed measured; `None` where the end is not known or nothing moved.
fn time_left(before: Option<f64>, now: Option<f64>, seconds: f64) -> Option<f64> {
    let (before, now) = (before?, now?);
    let left = (1.0 - now) * seconds / (now - before);
    (now > before && left.is_finite()).then_some(left.max(0.0))
}

/// A duration as people write it.
pub fn duration(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    match whole {
        0..60 if seconds < 10.0 => format!("{seconds:.1} s"),
        0..60 => format!("{whole} s"),
        60..3600 => format!("{} min {:02} s", whole / 60, whole % 60),
        3600..86400 => format!("{} h {:02} min", whole / 3600, whole % 3600 / 60),
        _ => format!("{} d {:02} h", whole / 86400, whole % 86400 / 3600),
    }
}

/// A positive number with three digits that matter.
pub fn three_digits(value: f64) -> String {
    if value == 0.0 {
        "0".into()
    } else if !(1e-2..1e6).contains(&value.abs()) {
        format!("{value:.2e}")
    } else {
        let decimals = (2 - value.abs().log10().floor() as i32).max(0) as usize;
        format!("{value:.decimals$}")
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("█▉▊▋▌▍▎▏ ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_left_is_only_said_where_it_is_known() {
        assert_eq!(time_left(Some(0.2), Some(0.6), 2.0).map(|left| (left * 1e9).round()), Some(2e9));
        assert_eq!(time_left(None, Some(0.6), 2.0), None);
        assert_eq!(time_left(Some(0.6), None, 2.0), None);
        assert_eq!(time_left(Some(0.6), Some(0.6), 2.0), None);
    }

    #[test]
    fn numbers_and_durations_read_well() {
        assert_eq!([0.5, 12.3456, 1234.5, 4.2e7].map(three_digits), ["0.500", "12.3", "1234", "4.20e7"]);
        assert_eq!(
            [1.26, 42.0, 75.0, 7260.0, 90000.0].map(duration),
            ["1.3 s", "42 s", "1 min 15 s", "2 h 01 min", "1 d 01 h"]
        );
    }
}
