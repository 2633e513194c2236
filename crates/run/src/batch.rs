//! Many runs, some side by side, and how long they still take.

use crate::error::RunError;
use crate::interrupt::Interrupt;
use crate::listener::{Listener, Progress};
use crate::simulation::{RunOptions, Simulation, Stop, Until};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// A run of a batch.
pub trait BatchRun: Sync {
    /// Its name.
    fn name(&self) -> String;

    /// Its folder.
    fn folder(&self) -> &Path;

    /// Runs of one kind are expected to take the same time.
    fn kind(&self) -> usize;

    /// What it is expected to cost, compared with the other runs.
    fn expected_cost(&self) -> f64;

    /// Where it stands on disk.
    fn standing(&self) -> RunStanding;

    /// Begins the run, or goes on with it; `None` if it is complete.
    fn take_up(&self, options: RunOptions) -> Result<Option<Simulation>, RunError>;
}

/// Where a run of a batch stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunStanding {
    /// It has gone through all stages.
    Complete,
    /// It is to be run, or to be gone on with.
    Waiting,
    /// It is left as it is.
    Aside,
}

/// Hears of a batch while it goes on, from the threads of its runs. All methods do nothing unless they are written, and `()`
/// is a listener that hears nothing.
pub trait BatchListener: Send + Sync {
    /// A step of a run is done. `progress` says how far the whole is; whoever shows it asks for it as often.
    fn step(&self, _progress: &mut dyn FnMut() -> BatchProgress) {}

    /// A run is complete; its CPU seconds.
    fn completed(&self, _name: &str, _cpu_s: Option<f64>, _progress: &BatchProgress) {}

    /// A run could not go on.
    fn failed(&self, _name: &str, _error: &RunError) {}
}

impl BatchListener for () {}

/// How far a batch is.
#[derive(Clone, Debug, PartialEq)]
pub struct BatchProgress {
    /// Runs that are complete.
    pub completed: usize,
    /// All runs but those that are left aside.
    pub runs: usize,
    /// The part of the work that is done, from 0 to 1, about.
    pub part: f64,
    /// Seconds until all is done, about; none before anything is known.
    pub time_left: Option<f64>,
}

/// How a batch is run.
#[derive(Clone, Copy, Debug)]
pub struct BatchChoices {
    /// Runs at a time.
    pub side_by_side: usize,
    /// Threads of each.
    pub threads: usize,
    /// True if one that fails ends all others, too.
    pub all_or_none: bool,
}

impl BatchChoices {
    /// As many of these runs at a time as there are threads, unless the user chose a number; they share the threads.
    pub fn sharing(threads: usize, at_a_time: Option<usize>, runs: usize) -> Self {
        let side_by_side = at_a_time.unwrap_or(threads).min(runs).max(1);
        BatchChoices { side_by_side, threads: (threads / side_by_side).max(1), all_or_none: false }
    }
}

/// How a batch ended: because all is done or because it was asked to, and which runs failed, by their places.
pub type BatchEnd = (Stop, Vec<(usize, RunError)>);

/// Takes up all runs that wait. They end, with everything written, if they are asked to; if one of `all_or_none` fails; and
/// if one cannot write, as then no other could.
pub fn run_batch<R: BatchRun>(
    runs: &[R],
    choices: &BatchChoices,
    listener: &Arc<dyn BatchListener>,
    interrupt: &Interrupt,
) -> Result<BatchEnd, RunError> {
    let board = Arc::new(Board::new(runs, choices.side_by_side));
    let next = AtomicUsize::new(0);
    let stop = Interrupt::default();
    let failed = Mutex::new(Vec::new());
    let work = || -> Result<(), RunError> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(choices.threads).build();
        let pool = pool.map_err(|error| RunError::NoThreads(error.to_string()))?;
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(run) = runs.get(place).filter(|_| !stop.asked() && !interrupt.asked()) else { break };
            if !board.is_waiting(place) {
                continue;
            }
            let ear = Ear {
                board: board.clone(),
                place,
                listener: listener.clone(),
                stop: stop.clone(),
                interrupt: interrupt.clone(),
            };
            if let Err(error) = pool.install(|| to_the_end(run, ear)) {
                if choices.all_or_none || error.is_of_writing() {
                    stop.ask();
                    return Err(error);
                }
                listener.failed(&run.name(), &error);
                board.leave_aside(place);
                failed.lock().unwrap_or_else(PoisonError::into_inner).push((place, error));
            } else if run.standing() == RunStanding::Complete {
                let cpu_s = board.complete(place, run.folder());
                listener.completed(&run.name(), cpu_s, &board.progress());
            }
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..choices.side_by_side.max(1)).map(|_| scope.spawn(work)).collect();
        let ends: Vec<Result<(), RunError>> = workers
            .into_iter()
            .map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect();
        ends.into_iter().collect::<Result<Vec<()>, RunError>>()
    })?;
    let is_over = (0..runs.len()).all(|place| !board.is_waiting(place));
    let mut failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
    failed.sort_by_key(|(place, _)| *place);
    Ok((if is_over { Stop::Finished } else { Stop::Interrupted }, failed))
}

/// Runs until the end or until it is asked to stop.
fn to_the_end(run: &impl BatchRun, ear: Ear) -> Result<(), RunError> {
    let options = RunOptions { interrupt: ear.stop.clone(), listener: Box::new(ear), ..RunOptions::default() };
    if let Some(mut simulation) = run.take_up(options)? {
        simulation.run(Until::End)?;
        simulation.end()?;
    }
    Ok(())
}

/// Listens to a run for the whole batch.
struct Ear {
    board: Arc<Board>,
    place: usize,
    listener: Arc<dyn BatchListener>,
    /// Ends all runs.
    stop: Interrupt,
    /// The wish of the user.
    interrupt: Interrupt,
}

impl Listener for Ear {
    fn step(&mut self, progress: &mut dyn FnMut() -> Progress) {
        if self.interrupt.asked() {
            self.stop.ask();
        }
        let Ear { board, place, listener, .. } = self;
        listener.step(&mut || {
            board.note(*place, &progress());
            board.progress()
        });
    }
}

/// Where all runs are.
struct Board {
    side_by_side: usize,
    runs: Mutex<Vec<BoardEntry>>,
}

/// Where a run is.
#[derive(Clone, Copy, Debug)]
struct BoardEntry {
    kind: usize,
    expected: f64,
    at: At,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum At {
    Waiting,
    /// Since when, and the part that was done then and is done now.
    Running {
        since: Instant,
        from: f64,
        part: f64,
    },
    /// The seconds that it took, and the simulated time at its end.
    Done {
        wall_s: f64,
        time: f64,
    },
    Aside,
}

impl Board {
    fn new<R: BatchRun>(runs: &[R], side_by_side: usize) -> Self {
        let entry = |run: &R| BoardEntry {
            kind: run.kind(),
            expected: run.expected_cost(),
            at: match run.standing() {
                RunStanding::Complete => done(run.folder()).0,
                RunStanding::Waiting => At::Waiting,
                RunStanding::Aside => At::Aside,
            },
        };
        Board { side_by_side: side_by_side.max(1), runs: Mutex::new(runs.iter().map(entry).collect()) }
    }

    fn entries(&self) -> MutexGuard<'_, Vec<BoardEntry>> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_waiting(&self, place: usize) -> bool {
        matches!(self.entries()[place].at, At::Waiting | At::Running { .. })
    }

    fn leave_aside(&self, place: usize) {
        self.entries()[place].at = At::Aside;
    }

    /// A run has come so far.
    fn note(&self, place: usize, progress: &Progress) {
        let mut entries = self.entries();
        let known =
            entries.iter().find_map(|entry| if let At::Done { time, .. } = entry.at { Some(time) } else { None });
        // A stage that ends at rest ends about when it did in the runs before.
        let total = progress.total_time.or(known);
        let part = total.map_or(0.0, |total| (progress.time / total).clamp(0.0, 1.0));
        let at = &mut entries[place].at;
        *at = match *at {
            At::Running { since, from, .. } => At::Running { since, from, part },
            _ => At::Running { since: Instant::now(), from: part, part },
        };
    }

    /// A run is complete; its CPU seconds.
    fn complete(&self, place: usize, folder: &Path) -> Option<f64> {
        let (at, cpu_s) = done(folder);
        self.entries()[place].at = at;
        cpu_s
    }

    fn progress(&self) -> BatchProgress {
        progress(&self.entries(), self.side_by_side)
    }
}

/// What the summary of a complete run says of its effort, and its CPU seconds.
fn done(folder: &Path) -> (At, Option<f64>) {
    let summary = fs::read_to_string(folder.join("summary.json")).ok();
    let summary: Value = summary.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    let number = |key: &str| summary[key].as_f64();
    let at = At::Done { wall_s: number("wall_s").unwrap_or(0.0), time: number("time_s").unwrap_or(0.0) };
    (at, number("cpu_s"))
}

/// How far all runs are: what a kind costs is known from its runs that are done, and else scaled from all others.
fn progress(entries: &[BoardEntry], side_by_side: usize) -> BatchProgress {
    let entries: Vec<BoardEntry> = entries.iter().copied().filter(|entry| entry.at != At::Aside).collect();
    let (mut seconds, mut work) = (0.0, 0.0);
    for entry in &entries {
        match entry.at {
            At::Waiting | At::Aside => {}
            At::Running { since, from, part } => {
                seconds += since.elapsed().as_secs_f64();
                work += entry.expected * (part - from);
            }
            At::Done { wall_s, .. } => {
                seconds += wall_s;
                work += entry.expected;
            }
        }
    }
    let unit = (work > 0.0).then_some(seconds / work);
    let cost = |entry: &BoardEntry| {
        let same = entries.iter().filter(|other| other.kind == entry.kind);
        let took: Vec<f64> =
            same.filter_map(|other| if let At::Done { wall_s, .. } = other.at { Some(wall_s) } else { None }).collect();
        if took.is_empty() {
            entry.expected * unit.unwrap_or(1.0)
        } else {
            took.iter().sum::<f64>() / took.len() as f64
        }
    };
    let (mut all, mut left) = (0.0, 0.0);
    for entry in &entries {
        let part = match entry.at {
            At::Waiting | At::Aside => 0.0,
            At::Running { part, .. } => part,
            At::Done { .. } => 1.0,
        };
        all += cost(entry);
        left += cost(entry) * (1.0 - part);
    }
    let completed = entries.iter().filter(|entry| matches!(entry.at, At::Done { .. })).count();
    let at_a_time = side_by_side.min(entries.len() - completed).max(1) as f64;
    BatchProgress {
        completed,
        runs: entries.len(),
        part: if all > 0.0 { 1.0 - left / all } else { 0.0 },
        time_left: unit.map(|_| left / at_a_time),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_left_is_that_of_the_kinds_that_are_known_and_scaled_for_the_others() {
        let entry = |kind: usize, expected: f64, at: At| BoardEntry { kind, expected, at };
        let done = |wall_s: f64| At::Done { wall_s, time: 1.0 };
        // Nothing is known before something is done.
        let waiting = [entry(0, 1.0, At::Waiting), entry(1, 2.0, At::Waiting)];
        assert_eq!(progress(&waiting, 1), BatchProgress { completed: 0, runs: 2, part: 0.0, time_left: None });
        // A run of ten seconds is done: one that costs twice as much is expected to take twenty.
        let one = [entry(0, 1.0, done(10.0)), entry(1, 2.0, At::Waiting)];
        let found = progress(&one, 1);
        assert_eq!((found.completed, found.time_left), (1, Some(20.0)));
        assert!((found.part - 1.0 / 3.0).abs() < 1e-15);
        // It took fifteen: so will the other of its kind, and two at a time the rest takes as long as one. What was left
        // aside does not count.
        let two = [
            entry(0, 1.0, done(10.0)),
            entry(1, 2.0, done(15.0)),
            entry(0, 1.0, At::Waiting),
            entry(1, 2.0, At::Waiting),
            entry(2, 5.0, At::Aside),
        ];
        let found = progress(&two, 2);
        assert_eq!((found.runs, found.time_left), (4, Some(12.5)));
    }

    #[test]
    fn runs_share_the_threads() {
        let sharing = |threads, at_a_time, runs| {
            let choices = BatchChoices::sharing(threads, at_a_time, runs);
            (choices.side_by_side, choices.threads)
        };
        assert_eq!(sharing(8, None, 20), (8, 1));
        assert_eq!(sharing(8, None, 3), (3, 2));
        assert_eq!(sharing(8, Some(2), 20), (2, 4));
        assert_eq!(sharing(1, Some(4), 20), (4, 1));
        assert_eq!(sharing(4, None, 0), (1, 4));
    }
}
