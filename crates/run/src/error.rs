//! What can go wrong with a run.

use crate::memory::memory_in_words;
use riprap_engine::StepError;
use riprap_scene::{Faults, Unrefinable};
use riprap_store::StoreError;
use std::io;
use std::path::{Path, PathBuf};

/// Why a run cannot begin, or cannot go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The scene has faults.
    #[error(transparent)]
    Scene(#[from] Faults),
    /// A file of the run, or its scene, cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file or folder of the run cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A snapshot, a checkpoint or an animation cannot be read.
    #[error("{0}")]
    Unreadable(StoreError),
    /// A snapshot, a checkpoint, a contact problem or the summary cannot be written.
    #[error("{0}")]
    Unwritable(StoreError),
    /// A snapshot was read, but is no packing.
    #[error("{}: {reason}", path.display())]
    Snapshot {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The folder holds a run already.
    #[error("{} already contains a run; choose another folder", folder.display())]
    Occupied {
        /// The folder.
        folder: PathBuf,
    },
    /// The folder holds no run, but a file that a run would overwrite.
    #[error("{} would be overwritten; choose another folder", path.display())]
    WouldOverwrite {
        /// The file.
        path: PathBuf,
    },
    /// Another process runs in the folder.
    #[error("another riprap process is running in {}; wait until it has finished", folder.display())]
    Busy {
        /// The folder.
        folder: PathBuf,
    },
    /// The folder of a run does not exist.
    #[error("folder {} does not exist", folder.display())]
    NoFolder {
        /// The folder.
        folder: PathBuf,
    },
    /// The folder holds no run.
    #[error("{} is not a run folder: it has no {missing}", folder.display())]
    NotARun {
        /// The folder.
        folder: PathBuf,
        /// The file that every run has and this folder has not.
        missing: String,
    },
    /// The scene in a folder without a run is not one that a run can keep there.
    #[error(
        "{} is not a resolved scene with all values filled in, as runs store it; run it in a folder of its own with --out",
        scene.display()
    )]
    NotPrepared {
        /// The scene.
        scene: PathBuf,
    },
    /// No checkpoint of the run can be read.
    #[error("cannot resume: {0}")]
    NoCheckpoint(StoreError),
    /// The checkpoint is of another scene.
    #[error("the checkpoint does not match the scene in {}: {reason}", scene.display())]
    Unfit {
        /// The scene.
        scene: PathBuf,
        /// What does not fit.
        reason: String,
    },
    /// The scene cannot be run at other settings.
    #[error(transparent)]
    Unrefinable(#[from] Unrefinable),
    /// The folder holds a run of another scene.
    #[error("{} holds a run of another scene, or by another version of riprap; choose another folder", folder.display())]
    OtherScene {
        /// The folder.
        folder: PathBuf,
    },
    /// A study cannot be run: everything that is wrong with it.
    #[error("{}", faults.join("\n\n"))]
    Study {
        /// What is wrong, each laid out with its own headline.
        faults: Vec<String>,
    },
    /// The scene would take more memory than there is.
    #[error(
        "the {grains:.0} grains of the scene would take about {} of memory, and there are {}; with the environment variable \
         RIPRAP_MEMORY, such as RIPRAP_MEMORY=64GB, the run is told that there is more",
        memory_in_words(*needed),
        memory_in_words(*there_is)
    )]
    TooLarge {
        /// The number of grains.
        grains: f64,
        /// The bytes that they take.
        needed: f64,
        /// The bytes that there are.
        there_is: f64,
    },
    /// The run would write more than there is room for.
    #[error(
        "the run would write about {}, and there are {} free in {}; choose fewer snapshots (`outputs.snapshot_interval`) or \
         formats (`outputs.snapshot_formats`), another folder (--out), or with the environment variable RIPRAP_DISK, such as \
         RIPRAP_DISK=1TB, tell the run that there is more",
        memory_in_words(*needed),
        memory_in_words(*there_is),
        folder.display()
    )]
    TooMuchOutput {
        /// The bytes that it would write.
        needed: f64,
        /// The bytes that are free.
        there_is: f64,
        /// Its folder.
        folder: PathBuf,
    },
    /// An environment variable makes no sense.
    #[error("the environment variable {name} is \"{text}\", which is not an amount such as 64GB")]
    Variable {
        /// Its name.
        name: &'static str,
        /// Its value.
        text: String,
    },
    /// The system gives no threads.
    #[error("cannot start threads: {0}")]
    NoThreads(String),
    /// The run was controlled by a program, which alone can go on with it.
    #[error(
        "the run in {} was controlled by the program that stepped it, which changed bodies, forces, walls or laws during the run; only that program can continue it (from Python: riprap.Simulation.resume with control=)",
        folder.display()
    )]
    Controlled {
        /// The folder.
        folder: PathBuf,
    },
    /// There is no such body, or it cannot be changed as asked.
    #[error("{0}")]
    Body(String),
    /// A method that several ranks do not compute together.
    #[error("{method} runs in one process; start it without mpiexec, with as many threads as you like")]
    NotDivided {
        /// The method.
        method: &'static str,
    },
    /// A rank has the run in another state than the first one.
    #[error(
        "rank {rank} has the run in another state than rank 0; all ranks must be started on the same scene or folder, and \
         read the same files"
    )]
    OtherState {
        /// The rank.
        rank: usize,
    },
    /// Another rank could not go on.
    #[error("rank {rank} could not go on")]
    RankFailed {
        /// The rank.
        rank: usize,
    },
    /// A step could not be done.
    #[error("{message}")]
    Step {
        /// What the engine says.
        error: StepError,
        /// The same in the words of the scene, with the place of the contact problem if it was written.
        message: String,
    },
    /// A run under way cannot go on.
    #[error("{cause}\n{safe}")]
    Failed {
        /// Why not.
        cause: Box<RunError>,
        /// What is safe on disk, and how to go on.
        safe: String,
    },
    /// The run has failed before, and cannot be stepped or ended any more.
    #[error("the run has failed and cannot continue")]
    HasFailed,
    /// A run cannot be made longer.
    #[error("{} cannot be made longer: {reason}", folder.display())]
    NotLonger {
        /// Its folder.
        folder: PathBuf,
        /// Why not.
        reason: String,
    },
    /// The value at which a structure fails cannot be found.
    #[error("{what}")]
    NoLimit {
        /// Why not.
        what: String,
    },
    /// All stages of the run are done, and it cannot be stepped any more.
    #[error("all stages of the run are complete; there is nothing left to run")]
    HasFinished,
}

impl RunError {
    /// A function that turns what the system said while reading `path` into an error.
    pub(crate) fn read(path: &Path) -> impl Fn(io::Error) -> RunError + '_ {
        move |source| RunError::Read { path: path.into(), source }
    }

    /// A function that turns what the system said while writing `path` into an error.
    pub(crate) fn write(path: &Path) -> impl Fn(io::Error) -> RunError + '_ {
        move |source| RunError::Write { path: path.into(), source }
    }

    /// True if something could not be written, so that the run can go on once there is room.
    pub fn is_of_writing(&self) -> bool {
        match self {
            RunError::Write { .. } | RunError::Unwritable(_) => true,
            RunError::Failed { cause, .. } => cause.is_of_writing(),
            _ => false,
        }
    }
}
