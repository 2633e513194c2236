//! The folder of a run: what is where, and that no run ever overwrites another.

use crate::error::RunError;
use crate::prepared::{PreparedScene, load_scene};
use crate::snapshots::{self, ListedSnapshot};
use crate::standing::Restored;
use crate::summary::Status;
use riprap_engine::AnyWorld;
use riprap_scene::Scene;
use riprap_store::disk::{self, DiskFile};
use riprap_store::{VTP_ROLES, hash_of_bytes, read_checkpoint, write_atomically};
use serde_json::Value;
use std::fs::{self, TryLockError};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The folder of a run. One that was made for a new run belongs to this process until that run has ended.
#[derive(Clone, Debug)]
pub struct RunFolder {
    path: PathBuf,
    /// The locked log of a folder that is claimed for a run that has not begun.
    claim: Arc<Mutex<Option<DiskFile>>>,
}

/// A file that only takes up room, so that a full disk has some for the last words of the run.
const ROOM: &str = ".room";
const ROOM_BYTES: usize = 32 * 1024;
/// An empty file that is there only if the run is complete, for programs that look for files.
const COMPLETED: &str = "completed";

/// Every name that a run writes.
const NAMES: [&str; 23] = [
    ROOM,
    COMPLETED,
    "scene.toml",
    "log.txt",
    "summary.json",
    "series.csv",
    "walls.csv",
    "loading.csv",
    "measures.csv",
    "bonds.csv",
    "flows.csv",
    "flow_classes.csv",
    "departures.csv",
    "snapshots.csv",
    "grains.pvd",
    "contacts.pvd",
    "walls.pvd",
    "bodies.pvd",
    "balls.pvd",
    "cracks.pvd",
    "snapshots",
    "checkpoints",
    "problems",
];

impl RunFolder {
    /// The folder `runs/NAME` for a scene, or `NAME-2`, `NAME-3`, … if that exists.
    pub fn for_scene(scene: &Path) -> Result<Self, RunError> {
        let name = scene.file_stem().and_then(|stem| stem.to_str()).unwrap_or("run");
        let runs = Path::new("runs");
        disk::create_dir_all(runs).map_err(RunError::write(runs))?;
        let mut number = 1_u64;
        loop {
            let path = runs.join(if number == 1 { name.to_string() } else { format!("{name}-{number}") });
            // Making the folder is what claims the name, so that two runs started at once get two folders.
            match disk::create_dir(&path) {
                Ok(()) => return RunFolder::unclaimed(path).claimed()?.with_parts(),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => number += 1,
                Err(error) => return Err(RunError::write(&path)(error)),
            }
        }
    }

    /// The folder that the user named, which must not hold a run unless it is to be replaced. A run that is going on in
    /// it is never replaced.
    pub fn named(path: &Path, replace: bool) -> Result<Self, RunError> {
        let folder = RunFolder::unclaimed(path.into());
        disk::create_dir_all(path).map_err(RunError::write(path))?;
        if !replace {
            folder.refuse_to_overwrite()?;
        }
        // No run makes a link, which may lead anywhere: this is nobody's log.
        if folder.log().is_symlink() {
            remove(&folder.log())?;
        }
        let folder = folder.claimed()?;
        if replace {
            folder.remove_run()?;
        } else {
            // Another process may have run here since the first look.
            folder.refuse_to_overwrite()?;
        }
        folder.with_parts()
    }

    /// The folder of a run that exists.
    pub fn existing(path: &Path) -> Result<Self, RunError> {
        let folder = RunFolder::unclaimed(path.into());
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

    /// A folder in which a run was prepared: it holds a resolved scene ([`Scene::resolved`]) and no run yet. The scene, ready
    /// to be begun there.
    pub fn prepared(path: &Path) -> Result<(Self, PreparedScene), RunError> {
        let folder = RunFolder::unclaimed(path.into());
        if !folder.scene().is_file() {
            return Err(RunError::NotARun { folder: path.into(), missing: file_name(&folder.scene()) });
        }
        let prepared = PreparedScene::from_file(&folder.scene(), &[])?;
        // A scene of the user leaves more open, and stays out of the files of the run.
        if !folder.holds_values_of(&prepared.scene) {
            return Err(RunError::NotPrepared { scene: folder.scene() });
        }
        folder.refuse_links()?;
        let folder = folder.claimed()?;
        Ok((folder.with_parts()?, prepared))
    }

    /// The log, open at its end and locked: while it is open, the folder belongs to this process.
    pub(crate) fn claim(&self) -> Result<DiskFile, RunError> {
        if let Some(claimed) = self.claim.lock().unwrap_or_else(PoisonError::into_inner).take() {
            return Ok(claimed);
        }
        let path = self.log();
        if path.is_symlink() {
            return Err(RunError::WouldOverwrite { path });
        }
        let file = DiskFile::append(&path).map_err(RunError::write(&path))?;
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(TryLockError::WouldBlock) => Err(RunError::Busy { folder: self.path.clone() }),
            // Some network file systems have no locks; the run is worth more than the claim.
            Err(TryLockError::Error(_)) => Ok(file),
        }
    }

    fn unclaimed(path: PathBuf) -> Self {
        RunFolder { path, claim: Arc::default() }
    }

    fn claimed(self) -> Result<Self, RunError> {
        let claim = Arc::new(Mutex::new(Some(self.claim()?)));
        Ok(RunFolder { claim, ..self })
    }

    /// Fails if there is anything that a new run would overwrite. What a run makes before it keeps its scene is empty, and
    /// nothing is lost with it: the folder of a run that was killed before that can be used again.
    fn refuse_to_overwrite(&self) -> Result<(), RunError> {
        if self.scene().exists() {
            return Err(RunError::Occupied { folder: self.path.clone() });
        }
        match NAMES.map(|name| self.path.join(name)).into_iter().find(|path| holds_something(path)) {
            Some(path) => Err(RunError::WouldOverwrite { path }),
            None => Ok(()),
        }
    }

    /// Fails if a run that begins here would write through a link: whoever made the folder does not choose where else it writes.
    pub(crate) fn refuse_links(&self) -> Result<(), RunError> {
        match NAMES.map(|name| self.path.join(name)).into_iter().find(|path| path.is_symlink()) {
            Some(path) => Err(RunError::WouldOverwrite { path }),
            None => Ok(()),
        }
    }

    /// Removes all that a run has written, and empties its log, by which the folder is claimed.
    fn remove_run(&self) -> Result<(), RunError> {
        let log = self.log();
        for old in NAMES.map(|name| self.path.join(name)).iter().filter(|&old| *old != log) {
            remove(old)?;
        }
        DiskFile::create(&log).map(drop).map_err(RunError::write(&log))
    }

    /// The folder of a run of just this scene by this version of the program, complete or not; `scene` has been built. None
    /// for a run that failed: it would fail again, and is to be made anew to say so.
    pub fn kept(path: &Path, scene: &Scene) -> Option<Self> {
        let folder = RunFolder::existing(path).ok()?;
        let summary = fs::read_to_string(folder.summary()).ok();
        let summary = summary.and_then(|text| serde_json::from_str::<Value>(&text).ok());
        // A run that was killed has no summary.
        let is_usable = summary.is_none_or(|summary| {
            summary["version"] == env!("CARGO_PKG_VERSION") && summary["status"] != Status::Failed.word()
        });
        (folder.holds(scene) && is_usable).then_some(folder)
    }

    /// True if the scene in the folder is this one, which has been built.
    pub fn holds(&self, scene: &Scene) -> bool {
        fs::read_to_string(self.scene()).is_ok_and(|text| text == scene.resolved())
    }

    /// True if the scene in the folder has the same values, all of them written; the remarks behind them may differ.
    fn holds_values_of(&self, scene: &Scene) -> bool {
        let values = |text: &str| -> Vec<String> {
            text.lines().map(|line| line.split("  # ").next().unwrap_or_default().to_owned()).collect()
        };
        fs::read_to_string(self.scene()).is_ok_and(|text| values(&text) == values(&scene.resolved()))
    }

    /// True if there is a run in the folder, under way or ended.
    pub fn has_run(path: &Path) -> bool {
        RunFolder::existing(path).is_ok()
    }

    /// True if the run has gone through all of its stages.
    pub fn is_complete(&self) -> bool {
        self.status().as_deref() == Some(Status::Completed.word())
    }

    /// Says by a file that the run is complete, or that it is not.
    pub(crate) fn mark_complete(&self, is_complete: bool) -> Result<(), RunError> {
        let mark = self.path.join(COMPLETED);
        match (is_complete, mark.exists()) {
            (true, false) => DiskFile::create(&mark).map(drop).map_err(RunError::write(&mark)),
            (false, true) => remove(&mark),
            _ => Ok(()),
        }
    }

    /// Keeps the scene with the run: from then on the folder holds a run. One that was prepared there says how its values
    /// came about, and stays.
    pub(crate) fn keep_scene(&self, scene: &Scene) -> Result<(), RunError> {
        if self.holds_values_of(scene) {
            return Ok(());
        }
        write_atomically(&self.scene(), |out| out.write_all(scene.resolved().as_bytes())).map_err(RunError::Unwritable)
    }

    /// The hash of the scene as the folder holds it.
    pub(crate) fn scene_hash(&self) -> Result<u64, RunError> {
        let path = self.scene();
        fs::read(&path).map(|bytes| hash_of_bytes(&bytes)).map_err(RunError::read(&path))
    }

    /// Sets room aside for the last words of the run.
    pub(crate) fn set_room_aside(&self) -> Result<Room, RunError> {
        let path = self.path.join(ROOM);
        let written = DiskFile::create(&path).and_then(|mut room| room.write_all(&[0; ROOM_BYTES]));
        written.map_err(RunError::write(&path))?;
        Ok(Room { path })
    }

    /// The room that a killed run had set aside; a file of another size, or a link, is none.
    pub(crate) fn room_left(&self) -> Option<Room> {
        let path = self.path.join(ROOM);
        let is_room = |found: fs::Metadata| found.is_file() && found.len() == ROOM_BYTES as u64;
        // Not `then_some`, which would make a room in any case and remove its file when that is dropped.
        fs::symlink_metadata(&path).is_ok_and(is_room).then(|| Room { path })
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
            disk::create_dir_all(&part).map_err(RunError::write(&part))?;
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
    /// What has come in and gone out.
    pub fn flows(&self) -> PathBuf {
        self.path.join("flows.csv")
    }
    /// The same by material and size class.
    pub fn flow_classes(&self) -> PathBuf {
        self.path.join("flow_classes.csv")
    }
    /// The grains that have left, one by one.
    pub fn departures(&self) -> PathBuf {
        self.path.join("departures.csv")
    }
    /// The bonds that broke.
    pub fn bonds(&self) -> PathBuf {
        self.path.join("bonds.csv")
    }
    /// The list of snapshots.
    pub fn snapshot_list(&self) -> PathBuf {
        self.path.join("snapshots.csv")
    }
    /// The snapshots.
    pub fn snapshots(&self) -> PathBuf {
        self.path.join("snapshots")
    }
    /// What ParaView opens as animations, one for each role of a snapshot's VTK files ([`VTP_ROLES`]).
    pub fn animations(&self) -> [PathBuf; VTP_ROLES.len()] {
        VTP_ROLES.map(|role| self.path.join(format!("{role}.pvd")))
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
        let _ = disk::remove_file(&self.path);
    }
}

/// True if something is at `path` that is more than an empty file or folder.
fn holds_something(path: &Path) -> bool {
    let Ok(found) = fs::symlink_metadata(path) else { return false };
    if found.is_dir() {
        fs::read_dir(path).map_or(true, |mut entries| entries.next().is_some())
    } else {
        found.is_symlink() || found.len() > 0
    }
}

/// Removes a file, a link or a folder with all that is in it, if it is there.
fn remove(path: &Path) -> Result<(), RunError> {
    let removed = match fs::symlink_metadata(path) {
        Err(_) => return Ok(()),
        Ok(found) if found.is_dir() => disk::remove_dir_all(path),
        Ok(_) => disk::remove_file(path),
    };
    removed.map_err(RunError::write(path))
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
