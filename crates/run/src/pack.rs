//! A packing of a wanted solid fraction or coordination.
//!
//! The protocol is compaction with friction mobilised: the first stage of the scene, which compresses the grains, is run
//! with another friction between them, and the scene's own friction holds from the second stage on. Without friction, the
//! packing is as dense as the compression makes it (random close packing for slow ones); with much, as loose (random loose
//! packing). Solid fraction and coordination fall as the friction rises, so it is found by bisection. Every trial is a whole
//! run of the scene.

use crate::error::RunError;
use crate::interrupt::Interrupt;
use crate::prepared::PreparedScene;
use crate::simulation::{RunOptions, Simulation, Stop, Until};
use crate::words::three_digits;
use riprap_measure::{Packing, coordination, solid_fraction};
use riprap_scene::Override;
use riprap_store::{Format, Snapshot, write_snapshot};
use std::path::{Path, PathBuf};

/// The friction coefficients between which the one is searched for: more than 1 hardly makes a packing looser.
const RANGE: [f64; 2] = [0.0, 1.0];
/// The most runs: after twelve halvings, chance decides between two packings that differ so little.
const MOST_TRIALS: usize = 14;

/// What is wanted of a packing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PackingGoal {
    /// The volume of the grains over that of the packing.
    SolidFraction(f64),
    /// Contacts per grain, without rattlers.
    Coordination(f64),
}

impl PackingGoal {
    /// The number that is wanted.
    pub fn value(self) -> f64 {
        match self {
            PackingGoal::SolidFraction(value) | PackingGoal::Coordination(value) => value,
        }
    }

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            PackingGoal::SolidFraction(_) => "solid fraction",
            PackingGoal::Coordination(_) => "coordination without rattlers",
        }
    }

    /// How near is near enough.
    pub fn tolerance(self) -> f64 {
        match self {
            PackingGoal::SolidFraction(_) => 0.002,
            PackingGoal::Coordination(_) => 0.05,
        }
    }

    fn of(self, trial: &PackingTrial) -> f64 {
        match self {
            PackingGoal::SolidFraction(_) => trial.solid_fraction,
            PackingGoal::Coordination(_) => trial.coordination,
        }
    }
}

/// A run with one friction in its first stage.
#[derive(Clone, Debug, PartialEq)]
pub struct PackingTrial {
    /// The friction.
    pub friction: f64,
    /// The solid fraction at the end: of the periodic cell or the packed region.
    pub solid_fraction: f64,
    /// The coordination at the end, without rattlers.
    pub coordination: f64,
    /// The simulated time at the end (s).
    pub time: f64,
}

/// The packing that came nearest.
#[derive(Clone, Debug)]
pub struct FoundPacking {
    /// Its run.
    pub best: PackingTrial,
    /// Its last state.
    pub snapshot: Snapshot,
    /// All runs, in their order.
    pub trials: Vec<PackingTrial>,
}

impl FoundPacking {
    /// True if it is as near as was asked.
    pub fn is_met(&self, goal: PackingGoal) -> bool {
        (goal.of(&self.best) - goal.value()).abs() <= goal.tolerance()
    }

    /// Writes the packing as HDF5; a scene takes it up by `sample = "snapshot"`, with its periodic cell.
    pub fn write(&self, stem: &Path) -> Result<PathBuf, RunError> {
        let written = write_snapshot(&self.snapshot, Format::Hdf5, stem).map_err(RunError::Unwritable)?;
        Ok(written.into_iter().next().unwrap_or_else(|| stem.into()))
    }
}

/// Searches for the friction in the first stage of the scene in `file` that makes a packing of the goal. `tell` hears of
/// every run. `None` if it was asked to end.
pub fn find_packing(
    file: &Path,
    overrides: &[Override],
    goal: PackingGoal,
    interrupt: &Interrupt,
    mut tell: impl FnMut(&PackingTrial),
) -> Result<Option<FoundPacking>, RunError> {
    let mut trials: Vec<PackingTrial> = Vec::new();
    let mut best: Option<(f64, PackingTrial, Snapshot)> = None;
    let mut run = |friction: f64, trials: &mut Vec<PackingTrial>| -> Result<Option<f64>, RunError> {
        let Some((trial, snapshot)) = trial(file, overrides, friction, interrupt)? else { return Ok(None) };
        tell(&trial);
        let reached = goal.of(&trial);
        let off = (reached - goal.value()).abs();
        if best.as_ref().is_none_or(|(least, ..)| off < *least) {
            best = Some((off, trial.clone(), snapshot));
        }
        trials.push(trial);
        Ok(Some(reached))
    };
    let Some(most) = run(RANGE[0], &mut trials)? else { return Ok(None) };
    let Some(least) = run(RANGE[1], &mut trials)? else { return Ok(None) };
    let within = least - goal.tolerance()..=most + goal.tolerance();
    if !within.contains(&goal.value()) {
        return Err(RunError::NoLimit { what: out_of_reach(goal, [least, most]) });
    }
    let (mut denser, mut looser) = (RANGE[0], RANGE[1]);
    let mut near = [most, least].iter().any(|reached| (reached - goal.value()).abs() <= goal.tolerance());
    while !near && trials.len() < MOST_TRIALS {
        let friction = 0.5 * (denser + looser);
        let Some(reached) = run(friction, &mut trials)? else { return Ok(None) };
        near = (reached - goal.value()).abs() <= goal.tolerance();
        if reached > goal.value() {
            denser = friction;
        } else {
            looser = friction;
        }
    }
    Ok(best.map(|(_, best, snapshot)| FoundPacking { best, snapshot, trials }))
}

/// A run with a friction between the grains in its first stage; none if it was asked to end.
fn trial(
    file: &Path,
    overrides: &[Override],
    friction: f64,
    interrupt: &Interrupt,
) -> Result<Option<(PackingTrial, Snapshot)>, RunError> {
    let scene = PreparedScene::from_file(file, overrides)?;
    if scene.scene.stages().len() < 2 {
        return Err(RunError::NoLimit { what: ONE_STAGE.to_owned() });
    }
    let mut materials = scene.grains.material.clone();
    materials.sort();
    materials.dedup();
    let set = |name: &String| Override {
        path: format!("stages.0.materials.{name}.friction"),
        value: format!("{friction:?}"),
    };
    let changed: Vec<Override> = overrides.iter().cloned().chain(materials.iter().map(set)).collect();
    let prepared = PreparedScene::from_file(file, &changed)?;
    let options = RunOptions { interrupt: interrupt.clone(), ..RunOptions::default() };
    let mut simulation = Simulation::without_files(prepared, options)?;
    if simulation.run(Until::End)? == Stop::Interrupted {
        return Ok(None);
    }
    let world = simulation.world();
    let packing = Packing::of_any(world);
    let unmeasured = |error: riprap_measure::Unavailable| RunError::NoLimit { what: error.to_string() };
    let trial = PackingTrial {
        friction,
        solid_fraction: solid_fraction(&packing, None).map_err(unmeasured)?,
        coordination: coordination(&packing, None).map_err(unmeasured)?.without_rattlers,
        time: packing.time,
    };
    Ok(Some((trial, Snapshot::of(world))))
}

fn out_of_reach(goal: PackingGoal, [least, most]: [f64; 2]) -> String {
    let words = |value: f64| three_digits(value);
    format!(
        "a {} of {} is out of reach: compacted with a friction of {} to {}, the packing has {} to {}; another pressure, other \
         sizes or a slower first stage change this range",
        goal.name(),
        goal.value(),
        RANGE[1],
        RANGE[0],
        words(least),
        words(most)
    )
}

const ONE_STAGE: &str = "a packing is made in two stages: the first compresses the grains with the friction that is searched \
                         for, and the others keep the scene's own; the scene has only one stage";
