//! The folder of a run: what is where, and that no run ever overwrites another.

use crate::error::RunError;
use crate::prepared::load_scene;
use crate::snapshots::{self, ListedSnapshot};
use crate::standing::Restored;
use crate::summary::Status;
use riprap_engine::AnyWorld;
use riprap_scene::Scene;
use riprap_store::{read_checkpoint, write_atomically};
use serde_json::Value;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The folder of a run.
#[derive(Clone, Debug)]
pub struct RunFolder {
    path: PathBuf,
}

/// A file that only takes up room, so that a full disk has some for the last words of the run.
const ROOM: &str = ".room";
const ROOM_BYTES: usize = 32 * 1024;

/// Every name that a run writes.
const NAMES: [&str; 16] = [
    ROOM,
    "scene.toml",
    "log.txt",
    "summary.json",
    "series.csv",
    "walls.csv",
    "loading.csv",
    "measures.csv",
    "snapshots.csv",
    "grains.pvd",
    "contacts.pvd",
    "walls.pvd",
    "bodies.pvd",
    "snapshots",
    "checkpoints",
    "problems",
];

impl RunFolder {
    /// The folder `runs/NAME` for a scene, or `NAME-2`, `NAME-3`, … if that exists.
    pub fn for_scene(scene: &Path) -> Result<Self, RunError> {
        let name = scene.file_stem().and_then(|stem| stem.to_str()).unwrap_or("run");
        let runs = Path::new("runs");
        fs::create_dir_all(runs).map_err(RunError::write(runs))?;
        let mut number = 1_u64;
        loop {
            let path = runs.join(if number == 1 { name.to_string() } else { format!("{name}-{number}") });
            // Making the folder is what claims the name, so that two runs started at once get two folders.
            match fs::create_dir(&path) {
                Ok(()) => return RunFolder { path }.with_parts(),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => number += 1,
                Err(error) => return Err(RunError::write(&path)(error)),
            }
        }
    }

    /// The folder that the user named, which must not hold a run unless it is to be replaced.
    pub fn named(path: &Path, replace: bool) -> Result<Self, RunError> {
        let folder = RunFolder { path: path.into() };
        fs::create_dir_all(path).map_err(RunError::write(path))?;
        if !replace && folder.scene().exists() {
            return Err(RunError::Occupied { folder: path.into() });
        }
        for old in NAMES.map(|name| path.join(name)).iter().filter(|old| old.exists()) {
            if !replace {
                return Err(RunError::WouldOverwrite { path: old.clone() });
            }
            let removed = if old.is_dir() { fs::remove_dir_all(old) } else { fs::remove_file(old) };
            removed.map_err(RunError::write(old))?;
        }
        folder.with_parts()
    }

    /// The folder of a run that exists.
    pub fn existing(path: &Path) -> Result<Self, RunError> {
        let folder = RunFolder { path: path.into() };
        if !path.exists() {
            return Err(RunError::NoFolder { folder: path.into() });
        }
        // A scene alone is not a run: the log is there before the scene is kept with the run.
        for file in [folder.log(), folder.scene()] {
            if !file.is_file() {
                return Err(RunError::NotARun { folder: path.into(), missing: file_name(&file) });
            }
        }
        Ok(folder)
    }

    /// The folder of a run of just this scene by this version of the program, complete or not; `scene` has been built. None
    /// for a run that failed: it would fail again, and is to be made anew to say so.
    pub fn kept(path: &Path, scene: &Scene) -> Option<Self> {
        let folder = RunFolder::existing(path).ok()?;
        let is_same = fs::read_to_string(folder.scene()).ok()? == scene.resolved();
        let summary = fs::read_to_string(folder.summary()).ok();
        let summary = summary.and_then(|text| serde_json::from_str::<Value>(&text).ok());
        // A run that was killed has no summary.
        let is_usable = summary.is_none_or(|summary| {
            summary["version"] == env!("CARGO_PKG_VERSION") && summary["status"] != Status::Failed.word()
        });
        (is_same && is_usable).then_some(folder)
    }

    /// Keeps the scene with the run: from then on the folder holds a run.
    pub(crate) fn keep_scene(&self, scene: &Scene) -> Result<(), RunError> {
        write_atomically(&self.scene(), |out| out.write_all(scene.resolved().as_bytes())).map_err(RunError::Unwritable)
    }

    /// Sets room aside for the last words of the run.
    pub(crate) fn set_room_aside(&self) -> Result<Room, RunError> {
        let path = self.path.join(ROOM);
        fs::write(&path, vec![0; ROOM_BYTES]).map_err(RunError::write(&path))?;
        Ok(Room { path })
    }

    /// The status in the summary of the run: completed, interrupted or failed. None if it has no summary, as a run that
    /// is under way or was killed.
    pub fn status(&self) -> Option<String> {
        let summary: Value = serde_json::from_str(&fs::read_to_string(self.summary()).ok()?).ok()?;
        Some(summary["status"].as_str()?.to_string())
    }

    /// The world at the last good checkpoint of the run.
    pub fn world(&self) -> Result<AnyWorld, RunError> {
        let mut scene = load_scene(&self.scene(), &[])?;
        let (checkpoint, _) = read_checkpoint(&self.checkpoints()).map_err(RunError::Unreadable)?;
        Ok(Restored::new(&mut scene, &self.scene(), checkpoint)?.world)
    }

    /// The snapshots that the run has listed, in order.
    pub fn listed_snapshots(&self) -> Result<Vec<ListedSnapshot>, RunError> {
        snapshots::listed(&self.snapshot_list())
    }

    /// How many contact problems of steps there are.
    pub(crate) fn count_problems(&self) -> usize {
        let is_whole = |entry: &fs::DirEntry| entry.path().extension().is_some_and(|ending| ending == "hdf5");
        fs::read_dir(self.problems()).map_or(0, |entries| entries.flatten().filter(is_whole).count())
    }

    /// True if no checkpoint was ever finished; the first may have been begun.
    pub(crate) fn has_no_checkpoint(&self) -> bool {
        let is_whole = |entry: &fs::DirEntry| entry.path().extension().is_none_or(|ending| ending != "partial");
        fs::read_dir(self.checkpoints()).map_or(true, |entries| !entries.flatten().any(|entry| is_whole(&entry)))
    }

    /// Makes the parts that are not there yet.
    pub(crate) fn make_parts(&self) -> Result<(), RunError> {
        for part in [self.snapshots(), self.checkpoints()] {
            fs::create_dir_all(&part).map_err(RunError::write(&part))?;
        }
        Ok(())
    }

    fn with_parts(self) -> Result<Self, RunError> {
        self.make_parts()?;
        Ok(self)
    }

    /// The folder itself.
    pub fn path(&self) -> &Path {
        &self.path
    }
    /// The log.
    pub fn log(&self) -> PathBuf {
        self.path.join("log.txt")
    }
    /// The scene as resolved.
    pub fn scene(&self) -> PathBuf {
        self.path.join("scene.toml")
    }
    /// The summary.
    pub fn summary(&self) -> PathBuf {
        self.path.join("summary.json")
    }
    /// The time series of the whole.
    pub fn series(&self) -> PathBuf {
        self.path.join("series.csv")
    }
    /// The time series of the walls.
    pub fn walls(&self) -> PathBuf {
        self.path.join("walls.csv")
    }
    /// The time series of a loading test.
    pub fn loading(&self) -> PathBuf {
        self.path.join("loading.csv")
    }
    /// What was measured while the run went on.
    pub fn measures(&self) -> PathBuf {
        self.path.join("measures.csv")
    }
    /// The list of snapshots.
    pub fn snapshot_list(&self) -> PathBuf {
        self.path.join("snapshots.csv")
    }
    /// The snapshots.
    pub fn snapshots(&self) -> PathBuf {
        self.path.join("snapshots")
    }
    /// What ParaView opens as animations, in the order in which a snapshot's VTK files are written.
    pub fn animations(&self) -> [PathBuf; 4] {
        ["grains.pvd", "contacts.pvd", "walls.pvd", "bodies.pvd"].map(|name| self.path.join(name))
    }
    /// The contact problems of steps.
    pub fn problems(&self) -> PathBuf {
        self.path.join("problems")
    }
    /// The checkpoints.
    pub fn checkpoints(&self) -> PathBuf {
        self.path.join("checkpoints")
    }
}

/// Room that was set aside, and is given back when this is dropped.
#[derive(Debug)]
pub(crate) struct Room {
    path: PathBuf,
}

impl Drop for Room {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
