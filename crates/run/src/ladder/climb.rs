//! The runs of a ladder, some side by side, and how long they still take.

use super::{Ladder, LadderRun};
use crate::error::RunError;
use crate::interrupt::Interrupt;
use crate::listener::{Listener, Progress};
use crate::simulation::{RunOptions, Simulation, Stop, Until};
use serde_json::Value;
use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Hears of a ladder while it goes on, from the threads of its runs. All methods do nothing unless they are written.
pub trait LadderListener: Send + Sync {
    /// A step of a run is done. `progress` says how far the whole is; whoever shows it asks for it as often.
    fn step(&self, _progress: &mut dyn FnMut() -> LadderProgress) {}

    /// A run is complete; its CPU seconds.
    fn completed(&self, _run: &LadderRun, _cpu_s: Option<f64>, _progress: &LadderProgress) {}
}

/// How far a ladder is.
#[derive(Clone, Debug, PartialEq)]
pub struct LadderProgress {
    /// Runs that are complete.
    pub completed: usize,
    /// All runs.
    pub runs: usize,
    /// The part of the work that is done, from 0 to 1, about.
    pub part: f64,
    /// Seconds until all is done, about; none before anything is known.
    pub time_left: Option<f64>,
}

impl Ladder {
    /// Takes up all runs that are not complete, `side_by_side` of them at a time, each on `threads` threads. If one fails,
    /// the others end too, with everything written; so they do if they are asked to.
    pub fn climb(
        &self,
        side_by_side: usize,
        threads: usize,
        listener: Arc<dyn LadderListener>,
        interrupt: &Interrupt,
    ) -> Result<Stop, RunError> {
        self.claim_folder()?;
        let board = Arc::new(Board::new(self, side_by_side));
        let next = AtomicUsize::new(0);
        let stop = Interrupt::default();
        let work = || -> Result<(), RunError> {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let pool = pool.map_err(|error| RunError::NoThreads(error.to_string()))?;
            loop {
                let place = next.fetch_add(1, Ordering::Relaxed);
                let Some(run) = self.runs.get(place).filter(|_| !stop.asked() && !interrupt.asked()) else { break };
                if board.is_done(place) {
                    continue;
                }
                let ear = Ear {
                    board: board.clone(),
                    place,
                    listener: listener.clone(),
                    stop: stop.clone(),
                    interrupt: interrupt.clone(),
                };
                pool.install(|| take_up(run, ear)).inspect_err(|_| _ = stop.ask())?;
                if run.is_complete() {
                    let cpu_s = board.complete(place, run);
                    listener.completed(run, cpu_s, &board.progress());
                }
            }
            Ok(())
        };
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..side_by_side.max(1)).map(|_| scope.spawn(work)).collect();
            let ends: Vec<Result<(), RunError>> = workers
                .into_iter()
                .map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect();
            ends.into_iter().collect::<Result<Vec<()>, RunError>>()
        })?;
        Ok(if interrupt.asked() && self.completed() < self.runs.len() { Stop::Interrupted } else { Stop::Finished })
    }
}

/// Begins a run, or goes on with it, until its end or until it is asked to stop.
fn take_up(run: &LadderRun, ear: Ear) -> Result<(), RunError> {
    let options = RunOptions { interrupt: ear.stop.clone(), listener: Box::new(ear) };
    if let Some(mut simulation) = Simulation::take_up(run.prepared()?, &run.folder, options)? {
        simulation.run(Until::End)?;
        simulation.end()?;
    }
    Ok(())
}

/// Listens to a run for the whole ladder.
struct Ear {
    board: Arc<Board>,
    place: usize,
    listener: Arc<dyn LadderListener>,
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
    /// Which rung it is on.
    rung: usize,
    /// What it is expected to cost, in units of the settings as given: as many steps more as the step is shorter, and no
    /// more sweeps for a sharper tolerance than in proportion.
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
}

impl Board {
    fn new(ladder: &Ladder, side_by_side: usize) -> Self {
        let rungs = ladder.rungs.len();
        let entry = |(place, run): (usize, &LadderRun)| BoardEntry {
            rung: place % rungs,
            expected: 1.0 / (run.rung.step() * run.rung.tolerance()),
            at: if run.is_complete() { done(run).0 } else { At::Waiting },
        };
        let runs = ladder.runs.iter().enumerate().map(entry).collect();
        Board { side_by_side: side_by_side.max(1), runs: Mutex::new(runs) }
    }

    fn entries(&self) -> MutexGuard<'_, Vec<BoardEntry>> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_done(&self, place: usize) -> bool {
        matches!(self.entries()[place].at, At::Done { .. })
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
    fn complete(&self, place: usize, run: &LadderRun) -> Option<f64> {
        let (at, cpu_s) = done(run);
        self.entries()[place].at = at;
        cpu_s
    }

    fn progress(&self) -> LadderProgress {
        progress(&self.entries(), self.side_by_side)
    }
}

/// What the summary of a complete run says of its effort, and its CPU seconds.
fn done(run: &LadderRun) -> (At, Option<f64>) {
    let summary = fs::read_to_string(run.folder.join("summary.json")).ok();
    let summary: Value = summary.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    let number = |key: &str| summary[key].as_f64();
    let at = At::Done { wall_s: number("wall_s").unwrap_or(0.0), time: number("time_s").unwrap_or(0.0) };
    (at, number("cpu_s"))
}

/// How far all runs are: what a rung costs is known from its runs that are done, and else scaled from all others.
fn progress(entries: &[BoardEntry], side_by_side: usize) -> LadderProgress {
    let (mut seconds, mut work) = (0.0, 0.0);
    for entry in entries {
        match entry.at {
            At::Waiting => {}
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
        let same = entries.iter().filter(|other| other.rung == entry.rung);
        let took: Vec<f64> =
            same.filter_map(|other| if let At::Done { wall_s, .. } = other.at { Some(wall_s) } else { None }).collect();
        if took.is_empty() {
            entry.expected * unit.unwrap_or(1.0)
        } else {
            took.iter().sum::<f64>() / took.len() as f64
        }
    };
    let (mut all, mut left) = (0.0, 0.0);
    for entry in entries {
        let part = match entry.at {
            At::Waiting => 0.0,
            At::Running { part, .. } => part,
            At::Done { .. } => 1.0,
        };
        all += cost(entry);
        left += cost(entry) * (1.0 - part);
    }
    let completed = entries.iter().filter(|entry| matches!(entry.at, At::Done { .. })).count();
    let at_a_time = side_by_side.min(entries.len() - completed).max(1) as f64;
    LadderProgress {
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
    fn time_left_is_that_of_the_rungs_that_are_known_and_scaled_for_the_others() {
        let entry = |rung: usize, expected: f64, at: At| BoardEntry { rung, expected, at };
        let done = |wall_s: f64| At::Done { wall_s, time: 1.0 };
        // Nothing is known before something is done.
        let waiting = [entry(0, 1.0, At::Waiting), entry(1, 2.0, At::Waiting)];
        assert_eq!(progress(&waiting, 1), LadderProgress { completed: 0, runs: 2, part: 0.0, time_left: None });
        // A run of ten seconds is done: that at half its step is expected to take twenty.
        let one = [entry(0, 1.0, done(10.0)), entry(1, 2.0, At::Waiting)];
        let found = progress(&one, 1);
        assert_eq!((found.completed, found.time_left), (1, Some(20.0)));
        assert!((found.part - 1.0 / 3.0).abs() < 1e-15);
        // It took fifteen: so will the other seed, and two at a time the rest takes as long as one.
        let two = [
            entry(0, 1.0, done(10.0)),
            entry(1, 2.0, done(15.0)),
            entry(0, 1.0, At::Waiting),
            entry(1, 2.0, At::Waiting),
        ];
        assert_eq!(progress(&two, 2).time_left, Some(12.5));
    }
}
