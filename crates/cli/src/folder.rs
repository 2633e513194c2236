//! The folder of a run: what is where, and that no run ever overwrites another.

use crate::failure::{Exit, Failure};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The folder of a run.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
}

/// A file that only takes up room, so that a full disk has some for the last words of the run.
const ROOM: &str = ".room";
const ROOM_BYTES: usize = 32 * 1024;

/// Every name that a run writes.
const NAMES: [&str; 15] = [
    ROOM,
    "scene.toml",
    "log.txt",
    "summary.json",
    "series.csv",
    "walls.csv",
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

impl Folder {
    /// The folder `runs/NAME` for a scene, or `NAME-2`, `NAME-3`, … if that exists.
    pub fn for_scene(scene: &Path) -> Result<Self, Failure> {
        let name = scene.file_stem().and_then(|stem| stem.to_str()).unwrap_or("run");
        let runs = Path::new("runs");
        fs::create_dir_all(runs).map_err(|error| Failure::writing(runs, error))?;
        for number in 1_u32.. {
            let path = runs.join(if number == 1 { name.to_string() } else { format!("{name}-{number}") });
            // Making the folder is what claims the name, so that two runs started at once get two folders.
            match fs::create_dir(&path) {
                Ok(()) => return Folder { path }.with_parts(),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(Failure::writing(&path, error)),
            }
        }
        Err(Failure::new(Exit::Unwritable, "there are too many runs of this name"))
    }

    /// The folder that the user named, which must not hold a run unless it is to be replaced.
    pub fn named(path: &Path, replace: bool) -> Result<Self, Failure> {
        let folder = Folder { path: path.into() };
        fs::create_dir_all(path).map_err(|error| Failure::writing(path, error))?;
        if !replace && folder.scene().exists() {
            let message = format!(
                "{} already holds a run; choose another folder, go on with `riprap resume {0}`, or replace it with \
                 --force",
                path.display()
            );
            return Err(Failure::new(Exit::BadInput, message));
        }
        for old in NAMES.map(|name| path.join(name)).iter().filter(|old| old.exists()) {
            if !replace {
                let message = format!("{} would be overwritten; choose another folder", old.display());
                return Err(Failure::new(Exit::BadInput, message));
            }
            let removed = if old.is_dir() { fs::remove_dir_all(old) } else { fs::remove_file(old) };
            removed.map_err(|error| Failure::writing(old, error))?;
        }
        folder.with_parts()
    }

    /// The folder of a run that exists.
    pub fn existing(path: &Path) -> Result<Self, Failure> {
        let folder = Folder { path: path.into() };
        if !path.exists() {
            return Err(Failure::new(Exit::Unreadable, format!("there is no folder {}", path.display())));
        }
        // A scene alone is not a run: the log is there before the scene is kept with the run.
        for file in [folder.log(), folder.scene()] {
            if !file.is_file() {
                let message = format!("{} is no run folder: it has no {}", path.display(), file_name(&file));
                return Err(Failure::new(Exit::Unreadable, message));
            }
        }
        Ok(folder)
    }

    /// Sets room aside for the last words of the run.
    pub fn set_room_aside(&self) -> Result<(), Failure> {
        let path = self.path.join(ROOM);
        fs::write(&path, vec![0; ROOM_BYTES]).map_err(|error| Failure::writing(&path, error))
    }

    /// Gives the room free again; there may be none.
    pub fn free_room(&self) {
        let _ = fs::remove_file(self.path.join(ROOM));
    }

    /// How many contact problems of steps there are.
    pub fn count_problems(&self) -> usize {
        let is_whole = |entry: &fs::DirEntry| entry.path().extension().is_some_and(|ending| ending == "hdf5");
        fs::read_dir(self.problems()).map_or(0, |entries| entries.flatten().filter(is_whole).count())
    }

    /// True if no checkpoint was ever finished; the first may have been begun.
    pub fn has_no_checkpoint(&self) -> bool {
        let is_whole = |entry: &fs::DirEntry| entry.path().extension().is_none_or(|ending| ending != "partial");
        fs::read_dir(self.checkpoints()).map_or(true, |entries| !entries.flatten().any(|entry| is_whole(&entry)))
    }

    /// Makes the parts that are not there yet.
    pub fn with_parts(self) -> Result<Self, Failure> {
        for part in [self.snapshots(), self.checkpoints()] {
            fs::create_dir_all(&part).map_err(|error| Failure::writing(&part, error))?;
        }
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

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
