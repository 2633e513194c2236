//! The commands `run` and `resume`.

use crate::arguments::{Manner, ViewChoices};
use crate::failure::{Exit, Failure};
use crate::interrupt;
use crate::screen::{say, tell};
use crate::view;
use crate::voice::Voice;
use riprap_run::{Output, PreparedScene, RunFolder, RunOptions, Simulation, Status, Until};
use riprap_scene::Override;
use std::path::Path;

/// Simulates a scene in a new folder.
pub fn run(
    file: &Path,
    out: Option<&Path>,
    replace: bool,
    view: Option<&ViewChoices>,
    overrides: &[Override],
    manner: &Manner,
) -> Result<Exit, Failure> {
    use_threads(manner.threads)?;
    let prepared = PreparedScene::from_file(file, overrides)?;
    let folder = match out {
        Some(path) => RunFolder::named(path, replace)?,
        None => RunFolder::for_scene(file)?,
    };
    interrupt::listen()?;
    let simulation = Simulation::begin(prepared, output(folder, manner), options(manner))?;
    to_the_end(simulation, view, manner)
}

/// Goes on with a run from its last good checkpoint.
pub fn resume(path: &Path, manner: &Manner) -> Result<Exit, Failure> {
    use_threads(manner.threads)?;
    let folder = RunFolder::existing(path)?;
    interrupt::listen()?;
    match Simulation::resume(output(folder, manner), options(manner))? {
        Some(simulation) => to_the_end(simulation, None, manner),
        None => Ok(Exit::Done),
    }
}

fn output(folder: RunFolder, manner: &Manner) -> Output {
    Output { folder, problems: manner.dump_problem.clone() }
}

fn options(manner: &Manner) -> RunOptions {
    let voice = if manner.quiet { Voice::warnings() } else { Voice::full() };
    RunOptions { listener: Box::new(voice), interrupt: interrupt::flag(), ..RunOptions::default() }
}

/// Runs all stages that are left, in view of a page if that was asked for, and says how it ended.
fn to_the_end(mut simulation: Simulation, view: Option<&ViewChoices>, manner: &Manner) -> Result<Exit, Failure> {
    match view {
        Some(choices) => view::watched(&mut simulation, choices)?,
        None => {
            simulation.run(Until::End)?;
        }
    }
    let outcome = simulation.end()?;
    if manner.quiet {
        for warning in &outcome.warnings {
            tell(format_args!("warning: {warning}"));
        }
    } else {
        say(&outcome.words);
    }
    Ok(if outcome.status == Status::Completed { Exit::Done } else { Exit::Interrupted })
}

/// Makes the pool of threads that all parallel work uses, and returns its size.
pub fn use_threads(threads: Option<u16>) -> Result<usize, Failure> {
    let builder = rayon::ThreadPoolBuilder::new().num_threads(threads.map_or(0, usize::from));
    builder.build_global().map_err(|error| Failure::new(Exit::RunFailed, format!("cannot start threads: {error}")))?;
    Ok(rayon::current_num_threads())
}
