//! The commands `run` and `resume`.

use crate::arguments::{Manner, RunPlace, ViewChoices, WallLimit};
use crate::failure::{Exit, Failure};
use crate::interrupt;
use crate::ranks::Team;
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
    let team = Team::find()?;
    use_threads(team.threads(manner.threads))?;
    let end = simulate(&team, scene, place, view, overrides, manner);
    team.leave();
    end
}

fn simulate(
    team: &Team,
    scene: &Path,
    place: &RunPlace,
    view: Option<&ViewChoices>,
    overrides: &[Override],
    manner: &Manner,
) -> Result<Exit, Failure> {
    if view.is_some() && !team.is_alone() {
        let message = "--view shows runs of one process; start it without mpiexec, or view the folder of the run";
        return Err(team.of_all(Failure::new(Exit::BadInput, message)));
    }
    if scene.is_dir() {
        refuse_choices_of_new_runs(scene, place, overrides).map_err(|failure| team.of_all(failure))?;
        interrupt::listen()?;
        let leading = || Ok(Simulation::in_folder(scene, manner.dump_problem.clone(), options(manner))?);
        return to_the_end_of(team, team.simulation(leading, || follow(scene))?, view, manner);
    }
    find_scene(scene).map_err(|failure| team.of_all(failure))?;
    let prepared = team.same_scene(PreparedScene::from_file(scene, overrides).map_err(Failure::from))?;
    interrupt::listen()?;
    let beside = (!team.is_first()).then(|| prepared.clone());
    let leading = || match &place.out {
        Some(path) if place.continued => {
            let problems = manner.dump_problem.clone();
            Ok(Simulation::begin_or_resume(prepared, path, problems, options(manner))?)
        }
        Some(path) => begin(prepared, RunFolder::named(path, place.force)?, manner),
        None => begin(prepared, RunFolder::for_scene(scene)?, manner),
    };
    let following = || match (&place.out, beside) {
        (Some(path), _) if place.continued && RunFolder::has_run(path) => follow(path),
        (_, Some(prepared)) => Ok(Some(Simulation::without_files(prepared, silent())?)),
        (_, None) => Ok(None),
    };
    to_the_end_of(team, team.simulation(leading, following)?, view, manner)
}

fn begin(prepared: PreparedScene, folder: RunFolder, manner: &Manner) -> Result<Option<Simulation>, Failure> {
    Ok(Some(Simulation::begin(prepared, output(folder, manner), options(manner))?))
}

/// The run in a folder, or the one that is prepared there, as ranks other than the first have it.
fn follow(folder: &Path) -> Result<Option<Simulation>, Failure> {
    if RunFolder::has_run(folder) {
        return Ok(Simulation::follow(folder, silent())?);
    }
    let prepared = PreparedScene::from_file(&folder.join("scene.toml"), &[])?;
    Ok(Some(Simulation::without_files(prepared, silent())?))
}

/// A run that nobody hears of.
fn silent() -> RunOptions {
    RunOptions { interrupt: interrupt::flag(), ..RunOptions::default() }
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
    let team = Team::find()?;
    use_threads(team.threads(manner.threads))?;
    let end = go_on(&team, path, longer, manner);
    team.leave();
    end
}

fn go_on(team: &Team, path: &Path, longer: Option<f64>, manner: &Manner) -> Result<Exit, Failure> {
    if longer.is_some() && !team.is_alone() {
        let message = "--longer is for one process; start it without mpiexec, interrupt it, and resume it with several";
        return Err(team.of_all(Failure::new(Exit::BadInput, message)));
    }
    interrupt::listen()?;
    let leading = || {
        let folder = RunFolder::existing(path)?;
        let (output, options) = (output(folder, manner), options(manner));
        match longer {
            Some(longer) => Ok(Some(Simulation::extend(output, longer, options)?)),
            None => Ok(Simulation::resume(output, options)?),
        }
    };
    to_the_end_of(team, team.simulation(leading, || Ok(Simulation::follow(path, silent())?))?, None, manner)
}

/// Runs what is left of a run, which is nothing if it is complete.
fn to_the_end_of(
    team: &Team,
    simulation: Option<Simulation>,
    view: Option<&ViewChoices>,
    manner: &Manner,
) -> Result<Exit, Failure> {
    match simulation {
        None => Ok(Exit::Done),
        Some(simulation) if team.is_first() => to_the_end(simulation, view, manner),
        Some(mut simulation) => match simulation.run(Until::End) {
            // The first one ends with the code.
            Ok(_) => Ok(Exit::Done),
            Err(error) => Err(team.of_all(error.into())),
        },
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
