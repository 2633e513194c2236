//! A ladder of runs: one scene at its own settings, at other time steps and at other tolerances, each with several seeds.
//!
//! Every run is an ordinary run in a folder of its own inside that of the ladder. What is there already is taken up, so a
//! ladder that was ended goes on where it was.

mod climb;
mod numbers;

pub use numbers::Quantity;

use crate::error::RunError;
use crate::folder::RunFolder;
use crate::prepared::{BesideScene, PreparedScene, load_scene};
use crate::summary::Status;
use riprap_engine::for_any_world;
use riprap_scene::{Override, Scene};
use riprap_store::disk;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// A factor on a setting.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Factor(f64);

impl Factor {
    /// The settings as given.
    pub const ONE: Factor = Factor(1.0);

    /// Its value.
    pub fn value(self) -> f64 {
        self.0
    }
}

impl FromStr for Factor {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| text.trim().parse::<f64>().ok();
        let value = match text.split_once('/') {
            Some((above, below)) => number(above).zip(number(below)).map(|(above, below)| above / below),
            None => number(text),
        };
        let value = value.filter(|value| *value > 0.0 && value.is_finite());
        value.map(Factor).ok_or_else(|| "expected a factor greater than 0, for example 1/2 or 0.5".to_owned())
    }
}

impl fmt::Display for Factor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inverse = (1.0 / self.0).round();
        if inverse >= 2.0 && 1.0 / inverse == self.0 { write!(f, "1/{inverse}") } else { write!(f, "{}", self.0) }
    }
}

/// What a run of the ladder has changed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rung {
    /// Nothing.
    AsGiven,
    /// All time steps.
    Step(Factor),
    /// The tolerances of all stop tests.
    Tolerance(Factor),
}

impl Rung {
    /// The factor on the time step.
    pub fn step(self) -> f64 {
        if let Rung::Step(factor) = self { factor.value() } else { 1.0 }
    }

    /// The factor on the tolerance.
    pub fn tolerance(self) -> f64 {
        if let Rung::Tolerance(factor) = self { factor.value() } else { 1.0 }
    }
}

impl fmt::Display for Rung {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rung::AsGiven => f.write_str("as given"),
            Rung::Step(factor) => write!(f, "step × {factor}"),
            Rung::Tolerance(factor) => write!(f, "tolerance × {factor}"),
        }
    }
}

/// What is to be varied, and how often.
#[derive(Clone, Debug)]
pub struct LadderPlan {
    /// Factors on the time step; that of the settings as given is understood.
    pub steps: Vec<Factor>,
    /// Factors on the tolerance, likewise.
    pub tolerances: Vec<Factor>,
    /// How many seeds, from that of the scene on.
    pub seeds: usize,
}

impl LadderPlan {
    /// The settings as given first, then the steps and the tolerances, each from the coarsest to the finest.
    fn rungs(&self) -> Vec<Rung> {
        let sorted = |factors: &[Factor]| {
            let mut factors: Vec<Factor> = factors.iter().copied().filter(|factor| *factor != Factor::ONE).collect();
            factors.sort_by(|a, b| b.value().total_cmp(&a.value()));
            factors.dedup();
            factors
        };
        let steps = sorted(&self.steps).into_iter().map(Rung::Step);
        let tolerances = sorted(&self.tolerances).into_iter().map(Rung::Tolerance);
        std::iter::once(Rung::AsGiven).chain(steps).chain(tolerances).collect()
    }
}

/// A run of the ladder.
#[derive(Clone, Debug)]
pub struct LadderRun {
    /// What it has changed.
    pub rung: Rung,
    /// Its seed.
    pub seed: u64,
    /// Its folder.
    pub folder: PathBuf,
    /// The place of its rung.
    place: usize,
    scene: Scene,
}

impl LadderRun {
    /// The name of its folder.
    pub fn name(&self) -> String {
        self.folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// The run as a user would prepare it.
    pub fn prepared(&self) -> Result<PreparedScene, RunError> {
        PreparedScene::new(self.scene.clone(), Path::new(""))
    }
}

/// A ladder of runs.
#[derive(Clone, Debug)]
pub struct Ladder {
    /// What is varied; the settings as given are the first.
    pub rungs: Vec<Rung>,
    /// The seeds.
    pub seeds: Vec<u64>,
    /// False if nothing in the scene is drawn at random, so that one seed tells all.
    pub is_random: bool,
    /// The time step of the settings as given, in the first stage, with the first seed (s).
    pub time_step: f64,
    /// The runs, seed by seed, each in the order of `rungs`.
    pub runs: Vec<LadderRun>,
    folder: PathBuf,
    title: String,
}

/// The scene at its own settings, in the folder of the ladder: what the folder is about.
const AS_GIVEN: &str = "as-given.toml";

impl Ladder {
    /// Reads and checks everything; nothing is written. A folder that holds something else is an error.
    pub fn prepare(file: &Path, overrides: &[Override], plan: &LadderPlan, folder: &Path) -> Result<Ladder, RunError> {
        let with_seed = |seed: u64| {
            let mut overrides = overrides.to_vec();
            overrides.push(Override { path: "seed".to_owned(), value: seed.to_string() });
            load_scene(file, &overrides)
        };
        let first = load_scene(file, overrides)?;
        let beside = BesideScene::of(file);
        let is_random =
            first.sweeps_at_random() || first.sample(&beside)? != with_seed(first.seed() + 1)?.sample(&beside)?;
        let count = if is_random { plan.seeds.max(1) as u64 } else { 1 };
        let mut ladder = Ladder {
            rungs: plan.rungs(),
            seeds: (first.seed()..first.seed() + count).collect(),
            is_random,
            time_step: 0.0,
            runs: Vec::new(),
            folder: folder.into(),
            title: first.title().to_owned(),
        };
        for &seed in &ladder.seeds.clone() {
            let PreparedScene { scene, grains, mut world } =
                PreparedScene::new(with_seed(seed)?, file.parent().unwrap_or(Path::new("")))?;
            if ladder.runs.is_empty() {
                scene.enter_stage(0, &mut world, None);
                ladder.time_step = for_any_world!(&world, world => world.settings.time_step);
            }
            for (place, &rung) in ladder.rungs.iter().enumerate() {
                let mut scene = scene.refined(rung.step(), rung.tolerance())?;
                scene.build(&grains)?;
                let folder = folder.join(folder_name(rung, seed));
                ladder.runs.push(LadderRun { rung, seed, folder, place, scene });
            }
        }
        ladder.check_folder()?;
        Ok(ladder)
    }

    /// The folder of the whole.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The title of the scene.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// How many runs are complete.
    pub fn completed(&self) -> usize {
        self.runs.iter().filter(|run| run.is_complete()).count()
    }

    /// The place of a run by its rung and its seed.
    pub(crate) fn run_at(&self, rung: usize, seed: usize) -> &LadderRun {
        &self.runs[seed * self.rungs.len() + rung]
    }

    fn check_folder(&self) -> Result<(), RunError> {
        let other = |folder: &Path| RunError::OtherScene { folder: folder.into() };
        if RunFolder::existing(&self.folder).is_ok() {
            return Err(other(&self.folder));
        }
        let kept = fs::read_to_string(self.folder.join(AS_GIVEN));
        if kept.is_ok_and(|kept| kept != self.runs[0].scene.resolved()) {
            return Err(other(&self.folder));
        }
        for run in &self.runs {
            let is_other = RunFolder::kept(&run.folder, &run.scene).is_none();
            // A run that failed is made anew, in case it was for a reason that is gone.
            let may_stay = |folder: RunFolder| folder.status().as_deref() != Some(Status::Failed.word());
            if is_other && RunFolder::existing(&run.folder).is_ok_and(may_stay) {
                return Err(other(&run.folder));
            }
        }
        Ok(())
    }

    /// Makes the folder and says in it what it is about.
    fn claim_folder(&self) -> Result<(), RunError> {
        disk::create_dir_all(&self.folder).map_err(RunError::write(&self.folder))?;
        let text = self.runs[0].scene.resolved();
        riprap_store::write_atomically(&self.folder.join(AS_GIVEN), |out| out.write_all(text.as_bytes()))
            .map_err(RunError::Unwritable)
    }
}

impl LadderRun {
    fn is_complete(&self) -> bool {
        let kept = RunFolder::kept(&self.folder, &self.scene);
        kept.and_then(|folder| folder.status()).as_deref() == Some(Status::Completed.word())
    }
}

fn folder_name(rung: Rung, seed: u64) -> String {
    let word = |factor: Factor| factor.to_string().replace('/', "-over-");
    match rung {
        Rung::AsGiven => format!("as-given-seed-{seed}"),
        Rung::Step(factor) => format!("step-{}-seed-{seed}", word(factor)),
        Rung::Tolerance(factor) => format!("tolerance-{}-seed-{seed}", word(factor)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_are_read_and_written_as_people_do() {
        let read = |text: &str| text.parse::<Factor>();
        assert_eq!(
            ["1/3", "0.5", "2", "0.3", "2/3"].map(|text| read(text).unwrap().to_string()),
            ["1/3", "1/2", "2", "0.3", "0.6666666666666666"]
        );
        for wrong in ["0", "-1", "1/0", "inf", "nan", "a", "", "1/-2", "1/2/3"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_settings_as_given_come_first_and_nothing_comes_twice() {
        let factors = |words: &[&str]| words.iter().map(|word| word.parse().unwrap()).collect();
        let plan =
            LadderPlan { steps: factors(&["1/4", "1/2", "0.5", "2"]), tolerances: factors(&["1", "1/3"]), seeds: 1 };
        let words: Vec<String> = plan.rungs().iter().map(Rung::to_string).collect();
        assert_eq!(words, ["as given", "step × 2", "step × 1/2", "step × 1/4", "tolerance × 1/3"]);
    }
}
