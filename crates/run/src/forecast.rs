//! What a run will write, and how long it will take: from the scene, and from a few steps that are tried.

use crate::error::RunError;
use crate::memory::{AMOUNT_OF_DISK, amount_of};
use crate::prepared::PreparedScene;
use riprap_engine::{AnyWorld, GrainTable, Silent, for_any_world};
use riprap_scene::Scene;
use riprap_store::{Format, Snapshot};
use std::path::Path;
use std::time::{Duration, Instant};

/// Contacts per grain of a dense packing, in 2D and 3D: half of the coordination of 4 and 6 that frictionless disks and spheres
/// have at rest.
const DENSE: [f64; 2] = [2.0, 3.0];
/// Bytes of a row of `series.csv`, and of a wall's row of `walls.csv`.
const ROW: f64 = 400.0;
/// Bytes of a checkpoint per grain and per contact; two are kept.
const CHECKPOINT: [f64; 2] = [400.0, 200.0];
/// The stage without a time may go on for longer than any estimate.
const OPEN: u64 = 1_000_000;

/// What a run will write.
#[derive(Clone, Debug, PartialEq)]
pub struct Forecast {
    /// The simulated time of all stages; none if a stage ends by what happens in it.
    pub duration: Option<f64>,
    /// The number of steps in that time, if none is halved.
    pub steps: Option<f64>,
    /// The number of snapshots.
    pub snapshots: Option<f64>,
    /// The bytes of one snapshot in each format of the scene, with as many contacts as a dense packing has.
    pub snapshot_bytes: Vec<(Format, f64)>,
    /// The bytes of all output; none if the number of snapshots is not known.
    pub total: Option<f64>,
    /// The contacts of a dense packing of the grains.
    pub contacts: f64,
}

impl Forecast {
    /// That of a scene in its world, whose grains may become more.
    pub fn of(scene: &Scene, world: &AnyWorld) -> Forecast {
        let snapshot = Snapshot::of(world);
        let (placed, walls) = (snapshot.grains.len() as f64, snapshot.walls.len() as f64);
        let fed = scene.most_grains_with(&GrainTable::default()).all();
        let more = ((placed + fed) / placed.max(1.0)).max(1.0);
        let contacts = DENSE[scene.dimension() - 2] * placed;
        let time_step = for_any_world!(world, world => world.settings.time_step);
        let durations = scene.stages().iter().map(|stage| {
            let by_steps = stage.end.steps.filter(|&steps| steps != OPEN).map(|steps| steps as f64 * time_step);
            stage.end.time.or(by_steps)
        });
        let duration: Option<f64> = durations.sum();
        let outputs = scene.outputs();
        let steps = duration.filter(|_| time_step > 0.0).map(|duration| (duration / time_step).ceil());
        let rows = |interval: Option<f64>| match interval.filter(|interval| *interval > 0.0) {
            Some(interval) => duration.map(|duration| (duration / interval.max(time_step)).ceil()),
            None => steps,
        };
        let stages = scene.stages().len() as f64;
        let snapshots = rows(outputs.snapshot_interval).map(|count| count + stages);
        let formats = outputs.snapshot_formats.iter().filter_map(|word| Format::from_word(word).ok());
        let snapshot_bytes: Vec<(Format, f64)> =
            formats.map(|format| (format, more * format.size(&snapshot, contacts))).collect();
        let each: f64 = snapshot_bytes.iter().map(|(_, bytes)| bytes).sum();
        let series = rows(outputs.series_interval).map(|rows| rows * ROW * (1.0 + walls));
        let kept = 2.0 * more * (CHECKPOINT[0] * placed + CHECKPOINT[1] * contacts);
        let total = snapshots.zip(series).map(|(snapshots, series)| snapshots * each + series + kept);
        Forecast { duration, steps, snapshots, snapshot_bytes, total, contacts }
    }
}

/// Refuses a run whose output would be larger than what is free where its folder is.
pub(crate) fn check_disk(prepared: &PreparedScene, folder: &Path) -> Result<(), RunError> {
    let there_is = match amount_of(AMOUNT_OF_DISK)? {
        Some(bytes) => Some(bytes),
        None => free_disk(folder),
    };
    match (Forecast::of(&prepared.scene, &prepared.world).total, there_is) {
        (Some(needed), Some(there_is)) if needed > there_is => {
            Err(RunError::TooMuchOutput { needed, there_is, folder: folder.into() })
        }
        _ => Ok(()),
    }
}

/// The bytes that may still be written where a folder is, or will be; none where the system does not say.
#[cfg(unix)]
pub fn free_disk(folder: &Path) -> Option<f64> {
    let whole = std::path::absolute(folder).ok()?;
    let existing = whole.ancestors().find(|folder| folder.exists())?;
    let disk = nix::sys::statvfs::statvfs(existing).ok()?;
    Some(disk.blocks_available() as f64 * disk.fragment_size() as f64)
}

/// The bytes that may still be written where a folder is, or will be; none where the system does not say.
#[cfg(not(unix))]
pub fn free_disk(_folder: &Path) -> Option<f64> {
    None
}

/// Steps that were tried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trial {
    /// How many, besides the first one, which makes the lists.
    pub steps: u32,
    /// Seconds for each.
    pub seconds: f64,
    /// Contacts that took part in the last one.
    pub contacts: f64,
}

/// Tries steps of a world in its first stage for about so long, two at least; none if a step fails.
pub fn try_steps(world: &mut AnyWorld, budget: Duration) -> Option<Trial> {
    const MOST: u32 = 500;
    let mut step = || for_any_world!(&mut *world, world => world.step(&mut Silent)).ok();
    step()?;
    let start = Instant::now();
    let (mut steps, mut contacts) = (0, 0.0);
    while steps == 0 || (steps < MOST && start.elapsed() < budget) {
        contacts = step()?.candidates as f64;
        steps += 1;
    }
    Some(Trial { steps, seconds: start.elapsed().as_secs_f64() / f64::from(steps), contacts })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_snapshots_and_steps_of_a_scene_are_counted_and_its_size_is_that_of_the_files() {
        let text = include_str!("../../../scenes/heap.toml");
        let scene = riprap_scene::load(
            text,
            "heap.toml",
            &[
                riprap_scene::Override { path: "grains.0.count".into(), value: "300".into() },
                riprap_scene::Override {
                    path: "outputs.snapshot_formats".into(),
                    value: r#"["h5", "vtp", "csv", "xyz", "dump", "data"]"#.into(),
                },
            ],
        );
        let prepared = PreparedScene::new(scene.unwrap(), Path::new("")).unwrap();
        let snapshot = Snapshot::of(&prepared.world);
        let folder = tempfile::tempdir().unwrap();
        for format in Format::ALL {
            let files = riprap_store::write_snapshot(&snapshot, format, &folder.path().join("grains_1")).unwrap();
            let written: f64 = files.iter().map(|file| std::fs::metadata(file).unwrap().len() as f64).sum();
            let expected = format.size(&snapshot, 0.0);
            assert!((0.5..2.0).contains(&(expected / written)), "{format:?}: {expected} of {written}");
        }
        let forecast = Forecast::of(&prepared.scene, &prepared.world);
        assert_eq!(forecast.snapshot_bytes.len(), 6);
        let (duration, steps) = (forecast.duration.unwrap(), forecast.steps.unwrap());
        assert!(steps >= duration / 1e-2 && forecast.snapshots.unwrap() >= 50.0);
        let each: f64 = forecast.snapshot_bytes.iter().map(|(_, bytes)| bytes).sum();
        assert!(forecast.total.unwrap() > 50.0 * each);
    }

    #[test]
    fn there_is_room_where_a_folder_will_be_and_steps_can_be_tried() {
        assert!(free_disk(Path::new("some/folder/to/come")).is_none_or(|bytes| bytes >= 0.0));
        let scene = riprap_scene::load(
            include_str!("../../../scenes/heap.toml"),
            "heap.toml",
            &[riprap_scene::Override { path: "grains.0.count".into(), value: "50".into() }],
        );
        let mut prepared = PreparedScene::new(scene.unwrap(), Path::new("")).unwrap();
        prepared.scene.enter_stage(0, &mut prepared.world, None);
        let trial = try_steps(&mut prepared.world, Duration::ZERO).unwrap();
        assert_eq!(trial.steps, 1);
        assert!(trial.seconds > 0.0);
    }
}
