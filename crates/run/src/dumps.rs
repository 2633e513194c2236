//! Contact problems of single steps, written to files so that they can be looked at and solved alone: those that were asked
//! for, and those of steps that failed.

use crate::error::RunError;
use crate::profile::Profile;
use riprap_engine::{Observer, Stage, StepError, StepProblem, StepReport};
use riprap_solve::assembled::AssembledProblem;
use riprap_store::{ProblemFile, ProblemState, write_problem};
use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

/// So many problems of steps that did not converge are kept, the first ones.
pub const MOST_UNCONVERGED: u64 = 10;

/// Watches the steps: with a clock, and for problems that are worth a file.
#[derive(Debug)]
pub struct Watcher {
    /// The clock.
    profile: Profile,
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
        Watcher { profile: Profile::default(), asked, unconverged, taken: None, without: None }
    }

    /// Ends the step that is under way: the seconds that it spent in each stage.
    pub fn end_step(&mut self) -> [f64; Stage::ALL.len()] {
        self.profile.end_step()
    }

    /// Writes the problem of the step that is just over into `folder`, if it was taken.
    pub fn write(&mut self, folder: &Path, title: &str) -> Result<Option<Dump>, RunError> {
        let Some(Taken { step, problem, failure }) = self.taken.take() else { return Ok(None) };
        fs::create_dir_all(folder).map_err(RunError::write(folder))?;
        let path = folder.join(format!("step-{step:06}.hdf5"));
        write_problem(&path, &to_file(problem, format!("{title}, step {step}"), failure.as_deref()))
            .map_err(RunError::Unwritable)?;
        Ok(Some(Dump { step, path, failure }))
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

impl Observer for Watcher {
    fn begin(&mut self, stage: Stage) {
        self.profile.begin(stage);
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
        let failure = match outcome {
            Ok(report) if report.converged => None,
            Ok(report) => {
                self.unconverged += 1;
                Some(format!("not converged after {} sweeps", report.sweeps))
                    .filter(|_| self.unconverged <= MOST_UNCONVERGED)
            }
            Err(error) => Some(error.to_string()),
        };
        let asked = asked.iter().any(|steps| steps.contains(&step));
        if asked || failure.is_some() {
            self.taken = problem().map(|problem| Taken { step, problem, failure });
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
