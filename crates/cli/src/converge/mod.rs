//! The command `converge`: how results depend on time step and tolerance.

pub mod arguments;
mod report;

use crate::batch_voice::BatchVoice;
use crate::failure::{Exit, Failure};
use crate::interrupt;
use crate::measure::arguments::{Asked, PlotFormat};
use crate::measure::numbers_of_run;
use crate::screen::{say, tell};
use arguments::ConvergeChoices;
use report::Report;
use riprap_measure::Unavailable;
use riprap_measure::convergence::ORDERS;
use riprap_run::{BatchListener, Factor, Ladder, LadderPlan, Quantity, RunError, Stop};
use riprap_scene::{Override, Unrefinable};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Runs the ladder as far as it is not there yet, and reports.
pub fn converge(file: &Path, choices: &ConvergeChoices, overrides: &[Override]) -> Result<Exit, Failure> {
    let name = file.file_stem().and_then(|stem| stem.to_str()).unwrap_or("run");
    let out = choices.out.clone().unwrap_or_else(|| PathBuf::from("runs").join(format!("{name}-converge")));
    let ladder = prepare(file, choices, overrides, &out)?;
    let batch = choices.sharing.among(ladder.runs.len());
    interrupt::listen()?;
    if !choices.quiet {
        announce(&ladder, batch.side_by_side);
    }
    let voice = Arc::new(BatchVoice::new(choices.quiet));
    let listener: Arc<dyn BatchListener> = voice.clone();
    let stop = ladder.climb(batch, &listener, &interrupt::flag());
    voice.end();
    if stop? == Stop::Interrupted {
        let (done, runs) = (ladder.completed(), ladder.runs.len());
        let message = format!("interrupted with {done} of {runs} runs complete; repeat the command to continue");
        return Err(Failure::new(Exit::Interrupted, message));
    }
    let Measurements { found, missing } = measurements(&ladder, &choices.measure)?;
    let orders = choices.order.map_or(ORDERS.to_vec(), |order| vec![order.value()]);
    let report = Report::new(&ladder, found, choices.within / 100.0, &orders)?;
    let formats: Vec<PlotFormat> = choices.plots.iter().filter_map(|plots| plots.format()).collect();
    let files = report.write(&formats)?;
    if choices.json {
        say(format_args!("{:#}", report.json()));
    } else {
        say(report.text());
        say(format_args!("wrote {files} files to {}", out.display()));
    }
    for (asked, why) in &missing {
        tell(format_args!("warning: {} could not be measured in any run: {why}", asked.word()));
    }
    Ok(if missing.is_empty() { Exit::Done } else { Exit::Incomplete })
}

/// Checks everything. A scene without a tolerance is varied in its time step only, unless the user asked for more.
fn prepare(file: &Path, choices: &ConvergeChoices, overrides: &[Override], out: &Path) -> Result<Ladder, Failure> {
    let by_default = || vec!["1/3".parse().expect("it is a factor")];
    let chosen = if choices.tolerance.is_empty() { by_default() } else { choices.tolerance.clone() };
    let plan = |tolerances: Vec<Factor>| LadderPlan {
        steps: choices.steps.clone(),
        tolerances,
        seeds: usize::from(choices.seeds),
    };
    match Ladder::prepare(file, overrides, &plan(chosen), out) {
        Err(RunError::Unrefinable(Unrefinable::FixedSweeps | Unrefinable::NoStopTest))
            if choices.tolerance.is_empty() =>
        {
            Ok(Ladder::prepare(file, overrides, &plan(Vec::new()), out)?)
        }
        Err(RunError::OtherScene { folder }) => {
            let message = format!(
                "{} holds a run of another scene, of other overrides or by another version of riprap; choose another folder \
                 with --out, or remove it",
                folder.display()
            );
            Err(Failure::new(Exit::BadInput, message))
        }
        prepared => Ok(prepared?),
    }
}

fn announce(ladder: &Ladder, jobs: usize) {
    let (runs, settings, seeds) = (ladder.runs.len(), ladder.rungs.len(), ladder.seeds.len());
    let plural = |count: usize| if count == 1 { "" } else { "s" };
    tell(format_args!(
        "{}: {settings} settings × {seeds} seed{} = {runs} runs in {}, {jobs} at a time",
        ladder.title(),
        plural(seeds),
        ladder.folder().display()
    ));
    if !ladder.is_random {
        tell("  the scene uses no random numbers, so one seed is enough");
    }
    let complete = ladder.completed();
    if complete > 0 {
        tell(format_args!("  {complete} of them {} complete already", if complete == 1 { "is" } else { "are" }));
    }
}

/// What was measured of all runs.
#[derive(Default)]
struct Measurements {
    found: Vec<Quantity>,
    /// What no run could give, and why.
    missing: Vec<(Asked, Unavailable)>,
}

fn measurements(ladder: &Ladder, asked: &[Asked]) -> Result<Measurements, Failure> {
    let mut measurements = Measurements::default();
    for &asked in asked {
        let mut why = None;
        let quantities = ladder.gather(|run| -> Result<Vec<(String, f64)>, Failure> {
            match numbers_of_run(&run.folder, asked)? {
                Ok(numbers) => Ok(numbers),
                Err(reason) => {
                    why = Some(reason);
                    Ok(Vec::new())
                }
            }
        })?;
        if quantities.is_empty() {
            let reason = why.unwrap_or(Unavailable::Because("it has no numbers".into()));
            measurements.missing.push((asked, reason));
        }
        measurements.found.extend(quantities);
    }
    Ok(measurements)
}
