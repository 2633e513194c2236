//! The commands `run` and `resume`.

use crate::arguments::{Manner, RunPlace, ViewChoices, WallLimit};
use crate::failure::{Exit, Failure};
use crate::interrupt;
use crate::screen::{say, tell};
use crate::templates::find_scene;
use crate::view;
use crate::voice::Voice;
use riprap_run::{Output, PreparedScene, RunFolder, RunOptions, Simulation, Status, Until, default_threads};
use riprap_scene::Override;
use std::path::Path;

/// Simulates a scene in a new folder, or goes on with the run that is there if the user says so.
pub fn run(
    scene: &Path,
    place: &RunPlace,
    view: Option<&ViewChoices>,
    overrides: &[Override],
    manner: &Manner,
    limit: &WallLimit,
) -> Result<Exit, Failure> {
    limit.start();
    use_threads(manner.threads)?;
    if scene.is_dir() {
        refuse_choices_of_new_runs(scene, place, overrides)?;
        interrupt::listen()?;
        let simulation = Simulation::in_folder(scene, manner.dump_problem.clone(), options(manner))?;
        return to_the_end_of(simulation, view, manner);
    }
    find_scene(scene)?;
    let prepared = PreparedScene::from_file(scene, overrides)?;
    let folder = match &place.out {
        Some(path) if place.continued => {
            interrupt::listen()?;
            let problems = manner.dump_problem.clone();
            let simulation = Simulation::begin_or_resume(prepared, path, problems, options(manner))?;
            return to_the_end_of(simulation, view, manner);
        }
        Some(path) => RunFolder::named(path, place.force)?,
        None => RunFolder::for_scene(scene)?,
    };
    interrupt::listen()?;
    let simulation = Simulation::begin(prepared, output(folder, manner), options(manner))?;
    to_the_end(simulation, view, manner)
}

/// The run in a folder has its scene and its place.
fn refuse_choices_of_new_runs(folder: &Path, place: &RunPlace, overrides: &[Override]) -> Result<(), Failure> {
    if place.out.is_none() && overrides.is_empty() {
        return Ok(());
    }
    let message = format!(
        "{} is a run folder, which already has its scene; --out and --set apply to scene files only",
        folder.display()
    );
    Err(Failure::new(Exit::BadInput, message))
}

/// Goes on with a run from its last good checkpoint, or makes a complete one longer by a time (s).
pub fn resume(path: &Path, longer: Option<f64>, manner: &Manner, limit: &WallLimit) -> Result<Exit, Failure> {
    limit.start();
    use_threads(manner.threads)?;
    let folder = RunFolder::existing(path)?;
    interrupt::listen()?;
    let (output, options) = (output(folder, manner), options(manner));
    match longer {
        Some(longer) => to_the_end(Simulation::extend(output, longer, options)?, None, manner),
        None => to_the_end_of(Simulation::resume(output, options)?, None, manner),
    }
}

/// Runs what is left of a run, which is nothing if it is complete.
fn to_the_end_of(simulation: Option<Simulation>, view: Option<&ViewChoices>, manner: &Manner) -> Result<Exit, Failure> {
    simulation.map_or(Ok(Exit::Done), |simulation| to_the_end(simulation, view, manner))
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
    let outcome = simulation.pause()?;
    if manner.quiet {
        let folder = simulation.folder().map(|folder| folder.path().display().to_string()).unwrap_or_default();
        for warning in &outcome.warnings {
            tell(format_args!("warning: {folder}: {warning}"));
        }
        say(format_args!("results in {folder}"));
    } else {
        say(&outcome.words);
    }
    Ok(match outcome.status {
        Status::Completed => Exit::Done,
        _ if interrupt::flag().is_out_of_time() => Exit::Again,
        _ => Exit::Interrupted,
    })
}

/// Makes the pool of threads that all parallel work uses, and returns its size.
pub fn use_threads(threads: Option<u16>) -> Result<usize, Failure> {
    let threads = threads.map_or_else(default_threads, usize::from);
    let builder = rayon::ThreadPoolBuilder::new().num_threads(threads);
    builder.build_global().map_err(|error| Failure::new(Exit::RunFailed, format!("cannot start threads: {error}")))?;
    Ok(rayon::current_num_threads())
}
