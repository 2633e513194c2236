//! Solves contact problems that stand alone in files, ours or those of other programs.

use crate::arguments::{ResidualName, SolveChoices, Start};
use crate::failure::{Exit, Failure};
use crate::interrupt;
use crate::run::use_threads;
use crate::screen::{say, tell};
use riprap_run::{cpu_seconds, three_digits};
use riprap_solve::assembled::{
    AssembledOptions, AssembledProblem, AssembledSolution, Reason, ResidualKind, solve_assembled,
};
use riprap_store::{ProblemFile, ProblemState, read_problem, write_problem};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Solves each problem and says how it went. A file that is no problem does not keep the others from being solved; the
/// exit code is that of the worst: a bad file before a problem that was not solved.
pub fn solve(files: &[PathBuf], choices: &SolveChoices) -> Result<Exit, Failure> {
    let outputs = choices.out.as_deref().map(|out| outputs(files, out)).transpose()?;
    use_threads(Some(choices.threads))?;
    interrupt::listen()?;
    let width = files.iter().map(|file| file.display().to_string().chars().count()).max().unwrap_or(0).max(7);
    if !choices.json {
        say(headline(width));
    }
    let mut worst = Exit::Done;
    for (index, file) in files.iter().enumerate() {
        match solve_one(file, choices, outputs.as_ref().map(|paths| paths[index].as_path())) {
            Ok(solved) => {
                say(if choices.json { solved.to_json().to_string() } else { solved.to_row(width) });
                if !solved.solution.converged && worst == Exit::Done {
                    worst = Exit::RunFailed;
                }
            }
            Err(failure) if failure.exit == Exit::Unreadable => {
                tell(failure.for_screen());
                if choices.json {
                    let reason = &failure.message;
                    say(json!({"problem": file.display().to_string(), "converged": false, "reason": reason}));
                }
                worst = Exit::Unreadable;
            }
            Err(failure) => return Err(failure),
        }
        if interrupt::asked() {
            return Ok(Exit::Interrupted);
        }
    }
    Ok(worst)
}

/// A problem and what came of it.
struct Solved {
    file: String,
    dimension: usize,
    contacts: usize,
    cpu_s: Option<f64>,
    solution: AssembledSolution,
    /// Why it did not converge.
    reason: Option<String>,
}

fn solve_one(path: &Path, choices: &SolveChoices, out: Option<&Path>) -> Result<Solved, Failure> {
    let unreadable = |error: &dyn std::fmt::Display| Failure::new(Exit::Unreadable, error.to_string());
    let mut file = read_problem(path).map_err(|error| unreadable(&error))?;
    if let Some(remark) = &file.remark {
        tell(format_args!("warning: {}: {remark}", path.display()));
    }
    if choices.local {
        let local =
            file.problem.condense().map_err(|error| unreadable(&format_args!("{}: {error}", path.display())))?;
        file.problem = AssembledProblem::Local(local.into_owned());
        file.guesses.iter_mut().chain(&mut file.solution).for_each(|state| state.body_velocity.clear());
    }
    let options = AssembledOptions {
        solver: choices.solver,
        order: choices.order,
        tolerance: choices.tolerance,
        criterion: match choices.criterion {
            ResidualName::Scaled => ResidualKind::Scaled,
            ResidualName::Siconos => ResidualKind::Siconos,
        },
        max_iterations: choices.max_iterations.unwrap_or(AssembledOptions::default().max_iterations),
        seed: choices.seed,
    };
    let start = start(path, &file, choices.start)?;

    let limit = Duration::try_from_secs_f64(choices.max_seconds).unwrap_or(Duration::MAX);
    let (began, cpu_before) = (Instant::now(), cpu_seconds());
    let mut stop = || began.elapsed() >= limit || interrupt::asked();
    let solution = solve_assembled(&file.problem, &options, start, &mut stop)
        .map_err(|error| unreadable(&format_args!("{}: {error}", path.display())))?;
    let cpu_s = cpu_seconds().zip(cpu_before).map(|(after, before)| after - before);

    let reason = (!solution.converged).then(|| match solution.reason {
        Some(Reason::Stopped) if interrupt::asked() => "interrupted".to_string(),
        Some(Reason::Stopped) => format!("the time limit of {} s was reached", choices.max_seconds),
        Some(reason) => reason.to_string(),
        None => "the tolerance was not reached".to_string(),
    });
    if let Some(out) = out {
        file.solution = Some(ProblemState {
            impulse: solution.impulse.clone(),
            velocity: solution.velocity.clone(),
            body_velocity: solution.motion.clone(),
        });
        write_problem(out, &file).map_err(|error| Failure::new(Exit::Unwritable, error.to_string()))?;
    }
    Ok(Solved {
        file: path.display().to_string(),
        dimension: file.problem.dimension(),
        contacts: file.problem.contacts(),
        cpu_s,
        solution,
        reason,
    })
}

/// The impulses to start from.
fn start<'a>(path: &Path, file: &'a ProblemFile, start: Start) -> Result<Option<&'a [f64]>, Failure> {
    let (state, what) = match start {
        Start::Zero => return Ok(None),
        Start::Guess => (file.guesses.first(), "guess"),
        Start::Solution => (file.solution.as_ref(), "solution"),
    };
    let state = state.ok_or_else(|| {
        Failure::new(
            Exit::Unreadable,
            format!("{}: the file has no {what} to start from (--start {what})", path.display()),
        )
    })?;
    Ok(Some(&state.impulse))
}

/// The file to write for each problem: `out` itself for one, files in the folder `out` for several.
fn outputs(files: &[PathBuf], out: &Path) -> Result<Vec<PathBuf>, Failure> {
    if files.len() == 1 && !out.is_dir() {
        return Ok(vec![out.into()]);
    }
    let names: Vec<PathBuf> =
        files.iter().map(|file| Path::new(file.file_name().unwrap_or_default()).with_extension("hdf5")).collect();
    for (index, name) in names.iter().enumerate() {
        if let Some(other) = names[..index].iter().position(|earlier| earlier == name) {
            let message = format!(
                "{} and {} would both be written to {}; solve them separately, with different output names",
                files[other].display(),
                files[index].display(),
                out.join(name).display()
            );
            return Err(Failure::new(Exit::BadInput, message));
        }
    }
    fs::create_dir_all(out).map_err(|error| Failure::writing(out, error))?;
    Ok(names.iter().map(|name| out.join(name)).collect())
}

fn headline(width: usize) -> String {
    format!(
        "{:width$}  {:>2} {:>8}  {:18} {:>10} {:>10} {:>9} {:>9} {:>9}",
        "problem", "", "contacts", "solver", "iterations", "passes", "CPU s", "scaled", "siconos"
    )
}

impl Solved {
    fn to_json(&self) -> Value {
        let solution = &self.solution;
        let mut object = json!({
            "problem": self.file,
            "dimension": self.dimension,
            "contacts": self.contacts,
            "solver": solution.solver.name(),
            "converged": solution.converged,
            "iterations": solution.iterations,
            "passes": solution.passes,
            "cpu_s": self.cpu_s,
            "residual_siconos": solution.residual_siconos,
            "residual_scaled": solution.residual_scaled,
        });
        if let Some(reason) = &self.reason {
            object["reason"] = json!(reason);
        }
        object
    }

    fn to_row(&self, width: usize) -> String {
        let solution = &self.solution;
        let row = format!(
            "{:width$}  {}D {:>8}  {:18} {:>10} {:>10} {:>9} {:>9.2e} {:>9.2e}",
            self.file,
            self.dimension,
            self.contacts,
            solution.solver.name(),
            solution.iterations,
            solution.passes,
            self.cpu_s.map_or("unknown".into(), three_digits),
            solution.residual_scaled,
            solution.residual_siconos,
        );
        match &self.reason {
            Some(reason) => format!("{row}  not solved: {reason}"),
            None => row,
        }
    }
}
