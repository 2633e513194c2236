//! The command `reproduce`: published results reproduced.

mod bench;
mod case;
mod cases;
mod claims;
mod kept;
mod markdown;
mod page;
mod row;

use crate::arguments::ReproduceChoices;
use crate::failure::{Exit, Failure};
use crate::interrupt;
use crate::run::use_threads;
use crate::screen::{say, tell};
use bench::Bench;
use case::{Case, Findings};
use cases::CASES;
use riprap_run::{cpu_seconds, duration};
use row::{Row, Verdict, short};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};

/// A case that takes longer than this says so before it starts.
const LONG_S: f64 = 600.0;

/// What became of a case.
#[derive(Debug)]
struct Outcome {
    case: &'static Case,
    /// The findings, or why there are none.
    result: Result<Findings, String>,
    /// CPU seconds that it took.
    cpu_s: f64,
    /// The day on which it was finished.
    date: String,
}

/// The names of all cases.
pub fn names() -> Vec<&'static str> {
    CASES.iter().map(|case| case.name).collect()
}

/// Runs cases, or all of them, and writes the page.
pub fn reproduce(wanted: &[String], choices: &ReproduceChoices) -> Result<Exit, Failure> {
    if choices.list {
        list();
        return Ok(Exit::Done);
    }
    let threads = use_threads(choices.threads)?;
    interrupt::listen()?;
    let default = if choices.quick { "runs/reproduce-quick" } else { "runs/reproduce" };
    let out = choices.out.clone().unwrap_or_else(|| PathBuf::from(default));
    fs::create_dir_all(&out).map_err(|error| Failure::writing(&out, error))?;
    let chosen: Vec<&'static Case> =
        CASES.iter().filter(|case| wanted.is_empty() || wanted.iter().any(|name| name == case.name)).collect();

    let mut exit = Exit::Done;
    for (number, case) in chosen.iter().enumerate() {
        let folder = out.join(case.name);
        if choices.again && folder.exists() {
            fs::remove_dir_all(&folder).map_err(|error| Failure::writing(&folder, error))?;
        }
        let before = kept::read(case, choices.quick, &folder);
        let outcome = match before {
            Some(outcome) => outcome,
            None => {
                announce(case, number, &chosen, choices.quick);
                match run(case, choices.quick, &folder) {
                    Ok(outcome) => outcome,
                    Err(failure) if failure.exit == Exit::Interrupted => {
                        write_page(&out, choices.quick, threads)?;
                        return Err(failure);
                    }
                    // A full disk ends everything; whatever else is wrong with a case is shown as its result.
                    Err(failure) if failure.exit == Exit::Unwritable => return Err(failure),
                    Err(failure) => kept::failed(case, failure.message),
                }
            }
        };
        show(&outcome, choices.json);
        exit = match (&outcome.result, exit) {
            (Err(_), _) | (_, Exit::RunFailed) => Exit::RunFailed,
            (Ok(findings), Exit::Done) if !findings.passes() => Exit::Differs,
            _ => exit,
        };
        kept::write(&outcome, choices.quick, &folder)?;
        write_page(&out, choices.quick, threads)?;
    }
    tell(format_args!("wrote {}", out.join("index.html").display()));
    Ok(exit)
}

/// Runs one case and measures what it costs.
fn run(case: &'static Case, quick: bool, folder: &Path) -> Result<Outcome, Failure> {
    fs::create_dir_all(folder).map_err(|error| Failure::writing(folder, error))?;
    let start = cpu_seconds().unwrap_or(f64::NAN);
    let mut bench = Bench::new(case.name, quick, folder.to_path_buf());
    let findings = (case.run)(&mut bench)?;
    let cpu_s = cpu_seconds().unwrap_or(f64::NAN) - start + bench.kept_cpu_s();
    Ok(Outcome { case, result: Ok(findings), cpu_s, date: page::today() })
}

/// The page of everything that the folder holds, and its numbers as text.
fn write_page(out: &Path, quick: bool, threads: usize) -> Result<(), Failure> {
    let outcomes: Vec<Outcome> =
        CASES.iter().filter_map(|case| kept::read_any(case, quick, &out.join(case.name))).collect();
    let missing: Vec<&Case> =
        CASES.iter().filter(|case| outcomes.iter().all(|outcome| outcome.case.name != case.name)).collect();
    page::write(&out.join("index.html"), &outcomes, &missing, quick, threads)?;
    markdown::write(&out.join("results.md"), &outcomes, &missing, quick)
}

fn announce(case: &Case, number: usize, chosen: &[&Case], quick: bool) {
    let cost = case.cost.of(quick);
    let left: f64 = chosen[number..].iter().map(|case| case.cost.of(quick)).sum();
    tell(format_args!(
        "case {} of {}: {}, about {} of CPU time; about {} for all remaining cases",
        number + 1,
        chosen.len(),
        case.name,
        duration(cost),
        duration(left)
    ));
    if cost > LONG_S {
        tell(format_args!(
            "  this takes a long time, about {} of CPU; you can stop with Ctrl-C and repeat the command to continue",
            duration(cost)
        ));
    }
}

fn list() {
    for case in CASES {
        say(format_args!("{:<24}{}", case.name, case.title));
        say(format_args!("{:<24}{}", "", case.source));
        let [quick, full] = [true, false].map(|quick| duration(case.cost.of(quick)));
        say(format_args!("{:<24}CPU time: about {quick} with --quick, {full} at full size", ""));
    }
    let [quick, full] = [true, false].map(|quick| CASES.iter().map(|case| case.cost.of(quick)).sum::<f64>());
    say(format_args!(
        "{} cases; CPU time in total: about {} with --quick, {} at full size",
        CASES.len(),
        duration(quick),
        duration(full)
    ));
}

/// The result of a case on standard output.
fn show(outcome: &Outcome, as_json: bool) {
    let case = outcome.case;
    match &outcome.result {
        Err(error) if as_json => {
            say(
                json!({"case": case.name, "source": case.source, "quantity": null, "published": null, "measured": null,
                    "uncertainty": null, "tolerance": null, "verdict": "fail", "error": error}),
            );
        }
        Err(error) => say(format_args!("{:<24}could not be run: {error}", case.name)),
        Ok(findings) => {
            for row in &findings.rows {
                if as_json {
                    let mut object = json!({"case": case.name, "source": case.source});
                    if let (Some(object), Some(rest)) = (object.as_object_mut(), row.to_json().as_object()) {
                        object.extend(rest.clone());
                    }
                    say(object);
                } else {
                    say(line(case, row));
                }
            }
        }
    }
}

fn line(case: &Case, row: &Row) -> String {
    let uncertainty = row.uncertainty.map_or(String::new(), |uncertainty| format!(" ± {}", short(uncertainty)));
    let verdict = match row.verdict() {
        Verdict::Pass => "pass",
        Verdict::Fail => "FAIL",
        Verdict::Hollow => "HOLLOW",
    };
    format!(
        "{verdict:<8}{:<22}{}: {}{uncertainty}, {} {}, allowed {}",
        case.name,
        row.quantity,
        short(row.measured),
        row.kind.word(),
        row.published,
        row.tolerance
    )
}
