//! Contact problems of single steps, written to files so that they can be looked at and solved alone: those that were asked
//! for, and those of steps that failed.

use crate::error::RunError;
use crate::profile::Profile;
use riprap_engine::{LawTable, Observer, Stage, StepError, StepProblem, StepReport};
use riprap_solve::assembled::AssembledProblem;
use riprap_store::disk;
use riprap_store::{ProblemFile, ProblemState, write_problem};
use std::fmt;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

/// So many problems of steps that did not converge are kept, the first ones.
const MOST_UNCONVERGED: u64 = 10;

/// The most contacts of a problem that is written without being asked for: some 8 MB in 3D, at 400 bytes a contact with its
/// share of a body (45,364 contacts of spheres took 17.8 MB). All such files of a run together are then 90 MB at most.
const MOST_UNASKED_CONTACTS: usize = 20_000;

/// Watches the steps: with a clock, and for problems that are worth a file.
#[derive(Debug)]
pub struct Watcher {
    /// The clock.
    profile: Profile,
    /// Changes the laws of the contacts, if there is one.
    pub law: Option<Box<dyn UserLaw>>,
    /// True if a step that fails is to leave the world as it was before.
    pub restores: bool,
    /// The steps whose problems were asked for; `None` if there is nowhere to write problems to.
    asked: Option<Vec<RangeInclusive<u64>>>,
    /// Steps that did not converge so far.
    unconverged: u64,
    /// A problem that was taken and is to be written.
    taken: Option<Taken>,
    /// A step that was asked for and has no problem.
    without: Option<u64>,
}

#[derive(Debug)]
struct Taken {
    step: u64,
    problem: StepProblem,
    failure: Option<String>,
    asked: bool,
}

/// A problem that was written.
#[derive(Debug)]
pub struct Dump {
    /// The step.
    pub step: u64,
    /// The file.
    pub path: PathBuf,
    /// Why the step failed, if it did.
    pub failure: Option<String>,
}

impl Watcher {
    /// Watches from a step on before which so many did not converge.
    pub fn new(asked: Option<Vec<RangeInclusive<u64>>>, unconverged: u64) -> Self {
        Watcher {
            profile: Profile::default(),
            law: None,
            restores: false,
            asked,
            unconverged,
            taken: None,
            without: None,
        }
    }

    /// Ends the step that is under way: the seconds that it spent in each stage.
    pub fn end_step(&mut self) -> [f64; Stage::ALL.len()] {
        self.profile.end_step()
    }

    /// Writes the problem of the step that is just over into `folder`, if it was taken. One that nobody asked for is not
    /// worth the run: if it cannot be written, `missed` hears of that.
    pub fn write(
        &mut self,
        folder: &Path,
        title: &str,
        missed: impl FnOnce(&str) -> Result<(), RunError>,
    ) -> Result<Option<Dump>, RunError> {
        let Some(Taken { step, problem, failure, asked }) = self.taken.take() else { return Ok(None) };
        let path = folder.join(format!("step-{step:06}.hdf5"));
        let file = to_file(problem, format!("{title}, step {step}"), failure.as_deref());
        let written = disk::create_dir_all(folder)
            .map_err(RunError::write(folder))
            .and_then(|()| write_problem(&path, &file).map_err(RunError::Unwritable));
        match written {
            Ok(()) => Ok(Some(Dump { step, path, failure })),
            Err(error) if asked => Err(error),
            Err(error) => {
                missed(&format!("the contact problem of step {step} could not be saved: {error}")).map(|()| None)
            }
        }
    }

    /// The first step that was asked for and had no problem.
    pub fn without_problem(&self) -> Option<u64> {
        self.without
    }

    /// The steps that were asked for and lie beyond `last`.
    pub fn not_reached(&self, last: u64) -> Option<String> {
        let beyond = self.asked.iter().flatten().filter(|steps| *steps.end() > last);
        let words: Vec<String> =
            beyond.map(|steps| (*steps.start().max(&(last + 1)), *steps.end())).map(range).collect();
        (!words.is_empty()).then(|| words.join(", "))
    }
}

fn range((first, last): (u64, u64)) -> String {
    if first == last { first.to_string() } else { format!("{first}-{last}") }
}

/// A law of contacts that whoever steps a run brings along.
pub trait UserLaw: Send + fmt::Debug {
    /// May change the laws of the contacts of a step before they are solved for; see [`Observer::change_laws`].
    fn change(&mut self, laws: &mut LawTable) -> Result<(), String>;
}

impl Observer for Watcher {
    fn begin(&mut self, stage: Stage) {
        self.profile.begin(stage);
    }

    fn restores(&self) -> bool {
        self.restores
    }

    fn changes_laws(&self) -> bool {
        self.law.is_some()
    }

    fn change_laws(&mut self, laws: &mut LawTable) -> Result<(), String> {
        self.law.as_mut().map_or(Ok(()), |law| law.change(laws))
    }

    fn watches_problems(&self) -> bool {
        // Any step may fail, and is then worth its file.
        self.asked.is_some()
    }

    fn end(
        &mut self,
        step: u64,
        outcome: &Result<StepReport, StepError>,
        problem: &mut dyn FnMut() -> Option<StepProblem>,
    ) {
        let Some(asked) = &self.asked else { return };
        let (failure, is_small) = match outcome {
            Ok(report) if report.converged => (None, true),
            Ok(report) => {
                self.unconverged += 1;
                let failure = format!("not converged after {} sweeps", report.sweeps);
                let failure = Some(failure).filter(|_| self.unconverged <= MOST_UNCONVERGED);
                (failure, report.candidates <= MOST_UNASKED_CONTACTS)
            }
            // How large the problem of a step without a report is can be told from the problem only.
            Err(error) => (Some(error.to_string()), true),
        };
        let asked = asked.iter().any(|steps| steps.contains(&step));
        if asked || (failure.is_some() && is_small) {
            let is_wanted = |taken: &StepProblem| asked || taken.problem.friction.len() <= MOST_UNASKED_CONTACTS;
            self.taken = problem().filter(is_wanted).map(|problem| Taken { step, problem, failure, asked });
            if asked && self.taken.is_none() {
                self.without.get_or_insert(step);
            }
        }
    }
}

/// The file of a step's problem: the start as a guess, and what was found as the solution if it is finite.
fn to_file(taken: StepProblem, title: String, failure: Option<&str>) -> ProblemFile {
    let StepProblem { problem, left_out, start, impulse, motion, residual, converged } = taken;
    let mut description = format!(
        "The contact problem of one step, written by riprap {}. Guess 1 is the state that the step started from, the \
         solution the one that it found: {}, residual {residual:e} (|r - P(r - (u + mu |u_t| n)/w)| / |r|, with w of each \
         contact). Each body has three rows of M in 2D and six in 3D, for its velocity and its angular velocity times a \
         length (the radius of a ball), except for components that cannot move.",
        env!("CARGO_PKG_VERSION"),
        failure.unwrap_or(if converged { "converged" } else { "not converged" })
    );
    for (missing, what) in [
        (left_out.rolling, "rolling friction"),
        (left_out.torsion, "torsion friction"),
        (left_out.cohesion, "cohesion with a range"),
        (left_out.compliance, "compliant contacts"),
    ] {
        if missing {
            description += &format!(" The step also has {what}, which this format cannot express.");
        }
    }
    let finite = |values: &[f64]| values.iter().all(|value| value.is_finite());
    let solution = (finite(&impulse) && finite(&motion)).then(|| {
        let mut velocity = problem.w.clone();
        problem.h.transposed_multiply_add(&motion, &mut velocity);
        ProblemState { impulse, velocity, body_velocity: motion }
    });
    let guess = ProblemState { impulse: start, ..ProblemState::default() };
    ProblemFile {
        guesses: if finite(&guess.impulse) { vec![guess] } else { Vec::new() },
        solution,
        title,
        description,
        ..ProblemFile::new(AssembledProblem::Global(problem))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use riprap_solve::assembled::{GlobalProblem, LeftOut, SparseMatrix};

    fn problem_of(contacts: usize) -> StepProblem {
        let none = || SparseMatrix::from_triplets(0, 0, Vec::new()).unwrap();
        let problem = GlobalProblem {
            size: 3,
            m: none(),
            h: none(),
            f: Vec::new(),
            w: Vec::new(),
            friction: vec![0.5; contacts],
            rolling: Vec::new(),
        };
        StepProblem {
            problem,
            left_out: LeftOut::default(),
            start: Vec::new(),
            impulse: Vec::new(),
            motion: Vec::new(),
            residual: 1.0,
            converged: false,
        }
    }

    /// True if the problem of a step with this outcome and so many contacts is taken by a watcher that was asked for step 7.
    fn is_taken(step: u64, outcome: &Result<StepReport, StepError>, contacts: usize) -> bool {
        let mut watcher = Watcher::new(Some(vec![7..=7]), 0);
        watcher.end(step, outcome, &mut || Some(problem_of(contacts)));
        watcher.taken.is_some()
    }

    #[test]
    fn a_large_problem_is_written_only_if_it_was_asked_for() {
        let (small, large) = (MOST_UNASKED_CONTACTS, MOST_UNASKED_CONTACTS + 1);
        let unconverged = |candidates| Ok(StepReport { candidates, converged: false, ..StepReport::default() });
        assert!(is_taken(3, &unconverged(small), small));
        assert!(!is_taken(3, &unconverged(large), large));
        assert!(is_taken(7, &unconverged(large), large));
        let failed = Err(StepError::Unconverged { step: 3, sweeps: 1, residual: 1.0 });
        assert!(is_taken(3, &failed, small));
        assert!(!is_taken(3, &failed, large));
    }
}
