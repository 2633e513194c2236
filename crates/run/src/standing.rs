//! Where a run stands among its stages.

use crate::error::RunError;
use riprap_engine::{AnyWorld, GrainTable, for_any_world};
use riprap_scene::{Scene, StageProgress};
use riprap_store::{AnyState, Checkpoint};
use std::path::Path;

/// Where a run stands.
#[derive(Clone, Debug)]
pub struct Standing {
    /// The stage that it is in; the last one also when it is finished.
    pub stage: usize,
    /// How far that stage is.
    pub progress: StageProgress,
    /// True if all stages are done.
    pub finished: bool,
}

/// A run taken up from a checkpoint.
pub struct Restored {
    /// Its grains, as they were sampled and added.
    pub grains: GrainTable,
    /// The ids of those that were added, the last rows of `grains`.
    pub added: Vec<u32>,
    /// Its world.
    pub world: AnyWorld,
    /// Where it stands.
    pub at: Standing,
    /// Its sums, by name.
    pub counters: Vec<(String, f64)>,
}

impl Restored {
    /// The run of a checkpoint; `scene` is the one that the run's folder holds, in the file `file`.
    pub fn new(scene: &mut Scene, file: &Path, checkpoint: Checkpoint) -> Result<Self, RunError> {
        let Checkpoint { scene: _, state, grains, added, stage, progress, counters } = checkpoint;
        let unfit = |reason: String| RunError::Unfit { scene: file.into(), reason };
        let sampled = grains.len().saturating_sub(added.len());
        let mut world = scene.build(&grains.first(sampled)).map_err(|faults| unfit(faults.render(false)))?;
        for (row, &id) in (sampled..grains.len()).zip(&added) {
            // Ids are never used again, so that the grains that were removed left gaps.
            for_any_world!(&mut world, world => world.state.next_id = id.max(world.state.next_id));
            scene.add_grains(&grains, row..row + 1, &mut world).map_err(|faults| unfit(faults.render(false)))?;
        }
        let stages = scene.stages().len();
        let at = Standing::from_checkpoint(stage, &progress, stages)
            .ok_or_else(|| unfit(format!("it is in stage {} of {stages}", stage + 1)))?;
        scene.reenter_stage(at.stage, &at.progress, &mut world);
        state.put_into(&mut world).map_err(|error| unfit(error.to_string()))?;
        Ok(Restored { grains, added, world, at, counters })
    }
}

impl Standing {
    /// A checkpoint of a run that stands here; it takes the state out of the world, to be put back.
    pub fn checkpoint(
        &self,
        scene: u64,
        state: AnyState,
        grains: GrainTable,
        added: Vec<u32>,
        counters: Vec<(String, f64)>,
    ) -> Checkpoint {
        let stage = (self.stage + usize::from(self.finished)) as u64;
        Checkpoint { scene, state, grains, added, stage, progress: self.progress.to_numbers(), counters }
    }

    fn from_checkpoint(stage: u64, progress: &[f64], stages: usize) -> Option<Self> {
        let stage = usize::try_from(stage).ok().filter(|&stage| stage <= stages)?;
        let progress = StageProgress::from_numbers(progress)?;
        Some(Standing { stage: stage.min(stages - 1), progress, finished: stage == stages })
    }
}
