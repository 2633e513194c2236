//! The commands `run` and `resume`.

use crate::arguments::Manner;
use crate::failure::{Exit, Failure};
use crate::folder::Folder;
use crate::interrupt;
use crate::journal::{Journal, Voice};
use crate::simulation::{Desk, Simulation, keep_scene};
use riprap_engine::{GrainTable, Surface};
use riprap_scene::{Faults, GrainSource, Override, Scene};
use riprap_store::{read_checkpoint, read_grains};
use serde_json::Value;
use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

/// Simulates a scene in a new folder.
pub fn run(
    file: &Path,
    out: Option<&Path>,
    replace: bool,
    overrides: &[Override],
    manner: &Manner,
) -> Result<Exit, Failure> {
    let threads = use_threads(manner.threads)?;
    let mut scene = load(file, overrides)?;
    let beside = BesideScene::of(file);
    let grains = scene.sample(&beside).map_err(faulty)?;
    let world = scene.build(&grains).map_err(faulty)?;
    // The run keeps its scene in its own folder, from where the paths of the scene would lead elsewhere.
    scene.move_paths(|path| beside.whole_path(path));

    let folder = match out {
        Some(path) => Folder::named(path, replace)?,
        None => Folder::for_scene(file)?,
    };
    let mut journal = Journal::open(&folder, Voice::of(manner.quiet))?;
    keep_scene(&scene, &folder)?;
    journal.log(&format!("riprap {}, {} with {threads} threads", env!("CARGO_PKG_VERSION"), file.display()))?;
    journal.note(&format!("{} ({})", scene.title(), file.display()))?;
    journal.note(&format!("results go to {}", folder.path().display()))?;
    interrupt::listen()?;
    let desk = Desk { folder, journal, threads, asked_problems: manner.dump_problem.clone() };
    Simulation::begin(scene, grains, world, desk)?.run()
}

/// Goes on with a run from its last good checkpoint.
pub fn resume(path: &Path, manner: &Manner) -> Result<Exit, Failure> {
    let threads = use_threads(manner.threads)?;
    let folder = Folder::existing(path)?;
    let mut journal = Journal::open(&folder, Voice::of(manner.quiet))?;
    if status_of(&folder).as_deref() == Some("completed") {
        journal.note(&format!("the run in {} is completed; there is nothing to resume", path.display()))?;
        return Ok(Exit::Done);
    }
    journal.log(&format!("riprap {}, resumed with {threads} threads", env!("CARGO_PKG_VERSION")))?;
    interrupt::listen()?;
    go_on(folder, journal, threads, manner.dump_problem.clone())
}

/// Goes on with the run in a folder, from its last good checkpoint if there is one.
pub fn go_on(
    folder: Folder,
    mut journal: Journal,
    threads: usize,
    asked_problems: Vec<RangeInclusive<u64>>,
) -> Result<Exit, Failure> {
    let mut scene = load(&folder.scene(), &[])?;
    let desk = |folder, journal| Desk { folder, journal, threads, asked_problems };
    if folder.has_no_checkpoint() {
        journal.note("the run was killed before its first checkpoint; it starts from the beginning")?;
        let folder = folder.with_parts()?;
        let grains = scene.sample(&BesideScene::of(&folder.scene())).map_err(faulty)?;
        let world = scene.build(&grains).map_err(faulty)?;
        return Simulation::begin(scene, grains, world, desk(folder, journal))?.run();
    }
    let (checkpoint, damaged) = read_checkpoint(&folder.checkpoints())
        .map_err(|error| Failure::new(Exit::Unreadable, format!("cannot resume: {error}")))?;
    for reason in damaged {
        journal.warn(&format!("{reason}; the checkpoint before it is used"))?;
    }
    Simulation::resume(scene, checkpoint, desk(folder, journal))?.run()
}

/// Reads and checks a scene.
pub fn load(file: &Path, overrides: &[Override]) -> Result<Scene, Failure> {
    let text = fs::read_to_string(file).map_err(|error| Failure::reading(file, error))?;
    riprap_scene::load(&text, &file.display().to_string(), overrides).map_err(faulty)
}

/// The faults of a scene, as the screen shows them.
pub fn faulty(faults: Faults) -> Failure {
    Failure::rendered(Exit::BadInput, faults.render(crate::failure::screen_has_colour()))
}

/// Files that a scene names, found from the folder that the scene is in.
pub struct BesideScene {
    folder: PathBuf,
}

impl BesideScene {
    /// For the scene in `file`.
    pub fn of(file: &Path) -> Self {
        BesideScene { folder: file.parent().unwrap_or(Path::new("")).to_path_buf() }
    }

    /// A path of the scene from the root of the file system. It stays as it is where a scene cannot write that.
    pub fn whole_path(&self, path: &str) -> String {
        let whole = std::path::absolute(self.folder.join(path)).ok();
        whole.and_then(|whole| whole.to_str().map(str::to_owned)).unwrap_or_else(|| path.to_owned())
    }
}

impl GrainSource for BesideScene {
    fn read(&self, path: &str) -> Result<GrainTable, String> {
        read_grains(&self.folder.join(path)).map_err(|error| error.to_string())
    }

    fn read_surface(&self, path: &str) -> Result<Surface, String> {
        riprap_store::read_surface(&self.folder.join(path)).map_err(|error| error.to_string())
    }
}

/// The status in the summary of a run, if it has one.
pub fn status_of(folder: &Folder) -> Option<String> {
    let summary: Value = serde_json::from_str(&fs::read_to_string(folder.summary()).ok()?).ok()?;
    Some(summary["status"].as_str()?.to_string())
}

/// Makes the pool of threads that all parallel work uses, and returns its size.
pub fn use_threads(threads: Option<u16>) -> Result<usize, Failure> {
    let builder = rayon::ThreadPoolBuilder::new().num_threads(threads.map_or(0, usize::from));
    builder
        .build_global()
        .map_err(|error| Failure::new(Exit::RunFailed, format!("cannot start the threads: {error}")))?;
    Ok(rayon::current_num_threads())
}
