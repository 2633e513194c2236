//! Where a run stands among its stages.

use crate::error::RunError;
use riprap_engine::{AnyWorld, BodyId, GrainTable, for_any_world};
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
    /// The walls that were added: their description, and the id of the first.
    pub walls: Vec<(String, u32)>,
    /// Its world.
    pub world: AnyWorld,
    /// Where it stands.
    pub at: Standing,
    /// Grains that wait to be put back, for each inlet.
    pub waiting: Vec<GrainTable>,
    /// Its sums, by name.
    pub counters: Vec<(String, f64)>,
}

impl Restored {
    /// The run of a checkpoint; `scene` is the one that the run's folder holds, in the file `file`.
    pub fn new(scene: &mut Scene, file: &Path, checkpoint: Checkpoint) -> Result<Self, RunError> {
        let Checkpoint { scene: _, state, grains, added, walls, waiting, stage, progress, counters } = checkpoint;
        let unfit = |reason: String| RunError::Unfit { scene: file.into(), reason };
        let sampled = grains.len().saturating_sub(added.len());
        let mut world = scene.build(&grains.first(sampled)).map_err(|faults| unfit(faults.render(false)))?;
        // Bodies come in the order in which they were added.
        let rows = (sampled..grains.len()).zip(&added).map(|(row, &id)| (id, Added::Grain(row)));
        let mut bodies: Vec<(u32, Added)> =
            rows.chain(walls.iter().map(|(text, id)| (*id, Added::Walls(text)))).collect();
        bodies.sort_by_key(|(id, _)| *id);
        for (id, body) in bodies {
            // Ids are never used again, so that those of bodies that were removed are gaps.
            for_any_world!(&mut world, world => world.state.next_id = id.max(world.state.next_id));
            let done = match body {
                Added::Grain(row) => scene.add_grains(&grains, row..row + 1, &mut world).map(drop),
                Added::Walls(text) => scene.add_walls(text, &grains.surfaces, &mut world).map(drop),
            };
            done.map_err(|faults| unfit(faults.render(false)))?;
        }
        // Before the stage refers to them.
        remove_gone_walls(&mut world, &state).map_err(unfit)?;
        let stages = scene.stages().len();
        let at = Standing::from_checkpoint(stage, &progress, scene)
            .ok_or_else(|| unfit(format!("it is in stage {} of {stages}", stage + 1)))?;
        scene.reenter_stage(at.stage, &at.progress, &mut world);
        state.put_into(&mut world).map_err(|error| unfit(error.to_string()))?;
        Ok(Restored { grains, added, walls, world, at, waiting, counters })
    }
}

/// What was added in the middle of a run: the row of a grain, or the description of walls.
enum Added<'a> {
    Grain(usize),
    Walls(&'a str),
}

/// Removes the walls that had been removed when the state was kept.
fn remove_gone_walls(world: &mut AnyWorld, state: &AnyState) -> Result<(), String> {
    let stays = |id: BodyId| match state {
        AnyState::D2(state) => state.id.binary_search(&id).is_ok(),
        AnyState::D3(state) => state.id.binary_search(&id).is_ok(),
    };
    for_any_world!(world, world => {
        let walls = world.bodies.iter().zip(&world.state.id).filter(|(body, _)| !body.is_free());
        let gone: Vec<BodyId> = walls.map(|(_, &id)| id).filter(|&id| !stays(id)).collect();
        gone.into_iter().try_for_each(|id| world.remove(id).map(drop).map_err(|error| error.to_string()))
    })
}

impl Standing {
    /// The stage that a checkpoint notes: the one after the last if the run is finished.
    pub fn noted_stage(&self) -> u64 {
        (self.stage + usize::from(self.finished)) as u64
    }

    fn from_checkpoint(stage: u64, progress: &[f64], scene: &Scene) -> Option<Self> {
        let stages = scene.stages().len();
        let noted = usize::try_from(stage).ok().filter(|&stage| stage <= stages)?;
        let stage = noted.min(stages - 1);
        Some(Standing { stage, progress: scene.progress_from(stage, progress)?, finished: noted == stages })
    }
}
