//! What a case works with: a folder, the size that is wanted, and runs that are not made twice.

use crate::failure::{Exit, Failure};
use crate::interrupt;
use crate::measure::source::sources;
use crate::voice::Voice;
use riprap_engine::{AnyWorld, D2, D3, StepError, World};
use riprap_measure::{Packing, Unavailable};
use riprap_run::{PreparedScene, RunFolder, RunOptions, Simulation, Status, TimeSeries, Until, duration, read_packing};
use riprap_scene::Override;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// What a case works with.
#[derive(Debug)]
pub struct Bench {
    /// True for the small size.
    pub quick: bool,
    /// The folder of the case.
    pub folder: PathBuf,
    /// The name of the case.
    case: &'static str,
    /// CPU seconds of runs that were made before and are not made again.
    kept_cpu_s: f64,
}

impl Bench {
    /// For a case, in a folder of its own.
    pub fn new(case: &'static str, quick: bool, folder: PathBuf) -> Bench {
        Bench { quick, folder, case, kept_cpu_s: 0.0 }
    }

    /// One of two values by the size.
    pub fn choose<T>(&self, quick: T, full: T) -> T {
        if self.quick { quick } else { full }
    }

    /// Runs a scene with some of its values replaced, as `riprap run --set` does, into the folder `name`. A run that is
    /// there already and complete is taken as it is; one that was interrupted goes on. Snapshots are HDF5 only.
    pub fn run(&mut self, name: &str, scene: &str, changes: &[(&str, impl AsRef<str>)]) -> Result<Run, Failure> {
        let path = self.folder.join(name);
        let prepared = self.prepared(name, scene, changes)?;
        let voice = Voice::progress(&format!("{} {name}", self.case));
        let options = RunOptions { listener: Box::new(voice), interrupt: interrupt::flag(), ..RunOptions::default() };
        if RunFolder::kept(&path, &prepared.scene).is_some() {
            self.kept_cpu_s += Run::new(&path).and_then(|run| run.number("cpu_s")).unwrap_or(0.0);
        }
        if let Some(simulation) = Simulation::take_up(prepared, &path, options)? {
            to_the_end(simulation)?;
        }
        Run::new(&path)
    }

    /// The world of a scene before its first step, in its first stage, for cases that step by themselves.
    pub fn world(&self, scene: &str, changes: &[(&str, &str)]) -> Result<AnyWorld, Failure> {
        let PreparedScene { scene, mut world, .. } = self.prepared("scene", scene, changes)?;
        scene.enter_stage(0, &mut world, None);
        Ok(world)
    }

    /// Ends the case if the user has asked for it; to be called in long loops of cases that step by themselves.
    pub fn pause(&self) -> Result<(), Failure> {
        if interrupt::asked() { Err(interrupted()) } else { Ok(()) }
    }

    /// CPU seconds of runs that were made before.
    pub fn kept_cpu_s(&self) -> f64 {
        self.kept_cpu_s
    }

    fn prepared(&self, name: &str, text: &str, changes: &[(&str, impl AsRef<str>)]) -> Result<PreparedScene, Failure> {
        let formats = ("outputs.snapshot_formats", "[\"h5\"]");
        let changes: Vec<Override> = std::iter::once(formats)
            .chain(changes.iter().map(|(path, value)| (*path, value.as_ref())))
            .map(|(path, value)| Override { path: path.to_owned(), value: value.to_owned() })
            .collect();
        let label = format!("{}/{name}.toml", self.case);
        let scene = riprap_scene::load(text, &label, &changes)?;
        Ok(PreparedScene::new(scene, &self.folder)?)
    }
}

/// No value of the scene is replaced.
pub const UNCHANGED: &[(&str, &str)] = &[];

/// The version of the program.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

fn to_the_end(mut simulation: Simulation) -> Result<(), Failure> {
    simulation.run(Until::End)?;
    if simulation.end()?.status == Status::Completed { Ok(()) } else { Err(interrupted()) }
}

fn interrupted() -> Failure {
    Failure::new(Exit::Interrupted, "interrupted; repeat the command to continue")
}

/// A run that is complete.
#[derive(Debug)]
pub struct Run {
    /// Its folder.
    pub folder: PathBuf,
    /// Its summary.
    pub summary: Value,
}

impl Run {
    fn new(folder: &Path) -> Result<Run, Failure> {
        let path = folder.join("summary.json");
        let text = fs::read_to_string(&path).map_err(|error| Failure::reading(&path, error))?;
        let summary = serde_json::from_str(&text).map_err(|error| Failure::reading(&path, error))?;
        Ok(Run { folder: folder.to_path_buf(), summary })
    }

    /// A number of the summary, by its key.
    pub fn number(&self, key: &str) -> Result<f64, Failure> {
        self.summary[key].as_f64().ok_or_else(|| self.lacks(&format!("the summary has no number {key}")))
    }

    /// The time series of the whole.
    pub fn series(&self) -> Result<TimeSeries, Failure> {
        TimeSeries::read(&self.folder.join("series.csv")).map_err(|reason| self.lacks(&reason.to_string()))
    }

    /// Stresses and lengths of its sample over time.
    pub fn loading(&self) -> Result<TimeSeries, Failure> {
        TimeSeries::read(&self.folder.join("loading.csv")).map_err(|reason| self.lacks(&reason.to_string()))
    }

    /// The time series of one wall.
    pub fn wall(&self, name: &str) -> Result<TimeSeries, Failure> {
        let walls =
            TimeSeries::read(&self.folder.join("walls.csv")).map_err(|reason| self.lacks(&reason.to_string()))?;
        Ok(walls.of(name))
    }

    /// Its snapshots, in the order of time.
    pub fn snapshots(&self) -> Result<Vec<PathBuf>, Failure> {
        sources(std::slice::from_ref(&self.folder))
    }

    /// The packing at the end of a stage, which always has a snapshot; so has a run where it was interrupted.
    pub fn at_end_of(&self, stage: &str) -> Result<Packing, Failure> {
        let steps = self.series()?.of(stage).column("step").last().copied();
        let step = steps.ok_or_else(|| self.lacks(&format!("the series has no stage {stage}")))?;
        let name = format!("{step:09}");
        let is_it = |path: &&PathBuf| path.file_stem().is_some_and(|stem| stem.to_string_lossy().ends_with(&name));
        let snapshots = self.snapshots()?;
        let path = snapshots.iter().find(is_it);
        packing(path.ok_or_else(|| self.lacks(&format!("there is no snapshot at the end of stage {stage}")))?)
    }

    /// The packing of its last snapshot.
    pub fn last(&self) -> Result<Packing, Failure> {
        let snapshots = self.snapshots()?;
        let last = snapshots.last().ok_or_else(|| self.lacks("there is no snapshot"))?;
        packing(last)
    }

    /// The world at its end.
    pub fn world(&self) -> Result<AnyWorld, Failure> {
        let world = RunFolder::existing(&self.folder).and_then(|folder| folder.world());
        world.map_err(|error| self.lacks(&error.to_string()))
    }

    /// How it went, for a remark.
    pub fn effort(&self) -> String {
        let count = |key: &str| self.summary[key].as_u64().unwrap_or(0);
        format!(
            "{} grains, {} steps ({} unconverged), {} of CPU time",
            count("grains"),
            count("steps"),
            count("unconverged_steps"),
            duration(self.summary["cpu_s"].as_f64().unwrap_or(0.0))
        )
    }

    fn lacks(&self, what: &str) -> Failure {
        Failure::new(Exit::Incomplete, format!("run folder {}: {what}", self.folder.display()))
    }
}

/// The packing of a snapshot.
pub fn packing(snapshot: &Path) -> Result<Packing, Failure> {
    Ok(read_packing(snapshot)?)
}

impl From<Unavailable> for Failure {
    fn from(reason: Unavailable) -> Self {
        Failure::new(Exit::Incomplete, format!("the measurement failed: {reason}"))
    }
}

/// A world of two dimensions; the scenes of the cases are known to have them.
pub fn two_dimensional(world: AnyWorld) -> Result<World<D2>, Failure> {
    match world {
        AnyWorld::D2(world) => Ok(world),
        AnyWorld::D3(_) => Err(Failure::new(Exit::BadInput, "the scene is not two-dimensional")),
    }
}

/// A world of three dimensions.
pub fn three_dimensional(world: AnyWorld) -> Result<World<D3>, Failure> {
    match world {
        AnyWorld::D3(world) => Ok(world),
        AnyWorld::D2(_) => Err(Failure::new(Exit::BadInput, "the scene is not three-dimensional")),
    }
}

/// A step that could not be done.
pub fn step_failed(error: StepError) -> Failure {
    Failure::new(Exit::RunFailed, error.to_string())
}
