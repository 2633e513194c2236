//! What a run with a folder writes, and when.

use crate::error::RunError;
use crate::folder::{Room, RunFolder};
use crate::recorder::Recorder;
use riprap_engine::AnyWorld;
use riprap_scene::Scene;
use riprap_store::{Checkpoint, write_checkpoint};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Where a run writes, and what besides the outputs of its scene.
#[derive(Clone, Debug)]
pub struct Output {
    /// Its folder.
    pub folder: RunFolder,
    /// The steps whose contact problems are wanted as files.
    pub problems: Vec<RangeInclusive<u64>>,
}

impl From<RunFolder> for Output {
    fn from(folder: RunFolder) -> Self {
        Output { folder, problems: Vec::new() }
    }
}

/// The files of a run under way.
#[derive(Debug)]
pub struct Files {
    /// The folder that they are in.
    pub folder: RunFolder,
    /// Series and snapshots.
    pub recorder: Recorder,
    interval: Duration,
    /// When the last checkpoint was written, and which step it is of and where it is.
    checkpointed: Instant,
    last_checkpoint: Option<(u64, PathBuf)>,
    room: Option<Room>,
    /// The hash of the scene that the run began with, or goes on with.
    pub scene_hash: u64,
}

impl Files {
    /// New files for a new run.
    pub fn create(folder: RunFolder, scene: &Scene, world: &AnyWorld) -> Result<Self, RunError> {
        Files::new(Recorder::create(&folder, scene, world)?, folder, scene)
    }

    /// The files of a run that goes on, cut back to the step that the world is at, with the sums of its checkpoint.
    pub fn reopen(
        folder: RunFolder,
        scene: &Scene,
        world: &AnyWorld,
        counters: &[(String, f64)],
    ) -> Result<Self, RunError> {
        Files::new(Recorder::reopen(&folder, scene, world, counters)?, folder, scene)
    }

    fn new(recorder: Recorder, folder: RunFolder, scene: &Scene) -> Result<Self, RunError> {
        Ok(Files {
            scene_hash: folder.scene_hash()?,
            room: folder.room_left(),
            folder,
            recorder,
            interval: Duration::try_from_secs_f64(scene.outputs().checkpoint_interval).unwrap_or(Duration::MAX),
            checkpointed: Instant::now(),
            last_checkpoint: None,
        })
    }

    /// Sets room aside for the last words of the run, unless that was done.
    pub fn set_room_aside(&mut self) -> Result<(), RunError> {
        if self.room.is_none() {
            self.room = Some(self.folder.set_room_aside()?);
        }
        Ok(())
    }

    /// Gives the room free for the last words.
    pub fn free_room(&mut self) {
        self.room = None;
    }

    /// True if it is time for a checkpoint.
    pub fn is_checkpoint_due(&self) -> bool {
        self.checkpointed.elapsed() >= self.interval
    }

    /// True if the last checkpoint is of this step.
    pub fn has_checkpoint_of(&self, step: u64) -> bool {
        self.last_checkpoint.as_ref().is_some_and(|(last, _)| *last == step)
    }

    /// Writes a checkpoint, once everything that it stands for is safe on disk ([`Recorder::sync`]).
    pub fn write_checkpoint(&mut self, checkpoint: &Checkpoint) -> Result<(), RunError> {
        let written = write_checkpoint(&self.folder.checkpoints(), checkpoint).map_err(RunError::Unwritable)?;
        self.last_checkpoint = Some((checkpoint.state.step(), written));
        self.checkpointed = Instant::now();
        Ok(())
    }

    /// What is safe on disk after `error`, and how to go on.
    pub fn what_is_safe(&self, error: &RunError) -> String {
        let safe = match &self.last_checkpoint {
            Some((step, path)) => format!("the last good checkpoint is {}, at step {step}", path.display()),
            None => format!("the last good checkpoint is in {}", self.folder.checkpoints().display()),
        };
        if error.is_of_writing() {
            let folder = self.folder.path().display();
            format!(
                "{safe}; all output up to it is intact. Free some disk space and continue with: riprap resume {folder}"
            )
        } else {
            safe
        }
    }
}
