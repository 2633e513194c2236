//! Studies: one scene at many values of its keys, a run each, in folders that are named by the values.
//!
//! Every run is an ordinary run, in a folder of its own inside that of the study, which is prepared before anything runs: its
//! scene is there from the beginning, so that any scheduler can run it ([`Simulation::in_folder`]). What is there already is
//! taken up, so a study that was ended goes on where it was, and one that is asked for with more values grows.

mod jobs;
mod table;

pub use table::{StudyTable, TableRow};

use crate::batch::{BatchChoices, BatchEnd, BatchListener, BatchRun, RunStanding, run_batch};
use crate::error::RunError;
use crate::folder::RunFolder;
use crate::interrupt::Interrupt;
use crate::prepared::{SceneText, load_scene};
use crate::simulation::{RunOptions, Simulation};
use crate::summary::Status;
use rayon::prelude::*;
use riprap_scene::{Override, StudyPlan, StudyPoint, StudyValue, is_run_name};
use riprap_store::write_atomically;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A study.
#[derive(Clone, Debug)]
pub struct Study {
    /// The names of what is varied.
    pub parameters: Vec<String>,
    /// The runs.
    pub runs: Vec<StudyRun>,
    title: String,
    folder: PathBuf,
    /// Runs that an earlier command made in the folder and this one does not ask for.
    others: Vec<StudyRun>,
}

/// A run of a study.
#[derive(Clone, Debug)]
pub struct StudyRun {
    /// Its name, which is that of its folder.
    pub name: String,
    /// Its folder.
    pub folder: PathBuf,
    /// The values of what is varied, in the order of [`Study::parameters`].
    pub values: Vec<StudyValue>,
    overrides: Vec<Override>,
    /// Runs that differ in the seed alone have the same.
    group: usize,
    /// True if it is to be run again although it failed.
    retried: bool,
    /// Its resolved scene, if it is to be prepared.
    scene: Option<String>,
}

/// The list of the runs, in the folder of the study.
const LIST: &str = "study.json";

impl Study {
    /// Reads and checks everything; nothing is written. All that is wrong is told at once.
    pub fn prepare(plan: &StudyPlan, scene: &SceneText, folder: &Path) -> Result<Study, RunError> {
        let points = plan.points(scene.seed(&plan.set)).map_err(|problems| wrong(&problems))?;
        let parameters: Vec<String> = points[0].parameters.iter().map(|(label, _)| label.clone()).collect();
        let prepared: Vec<Result<(String, String), RunError>> = points
            .par_iter()
            .map(|point| {
                let scene = scene.prepare(&point.overrides)?.scene;
                Ok((scene.title().to_owned(), scene.resolved()))
            })
            .collect();
        let mut faults = same_faults(&points, &prepared);
        let mut study =
            Study { parameters, runs: Vec::new(), title: String::new(), folder: folder.into(), others: Vec::new() };
        if faults.is_empty() {
            for (mut point, (title, scene)) in points.into_iter().zip(prepared.into_iter().flatten()) {
                // What holds in all runs is the same for the whole study.
                point.overrides.drain(..plan.set.len());
                let run = study.run_of(point, scene);
                study.title = title;
                study.runs.push(run);
            }
            faults = study.check_folder(scene, &plan.set)?;
        }
        if !faults.is_empty() {
            return Err(RunError::Study { faults });
        }
        study.number_groups();
        Ok(study)
    }

    /// The study in a folder, with all its runs.
    pub fn open(folder: &Path) -> Result<Study, RunError> {
        let list = folder.join(LIST);
        let text = fs::read_to_string(&list).map_err(RunError::read(&list))?;
        let damaged = || RunError::read(&list)(std::io::Error::other("it is not the list of a study"));
        let list: Value = serde_json::from_str(&text).map_err(|_| damaged())?;
        Study::from_json(&list, folder).ok_or_else(damaged)
    }

    /// True if a folder holds a study.
    pub fn is_in(folder: &Path) -> bool {
        folder.join(LIST).is_file()
    }

    /// Makes the folders of all runs with their scenes, and the files for schedulers. From then on any of them can run.
    pub fn write(&self) -> Result<(), RunError> {
        fs::create_dir_all(&self.folder).map_err(RunError::write(&self.folder))?;
        for run in &self.runs {
            let Some(scene) = &run.scene else { continue };
            let file = run.folder.join("scene.toml");
            if !file.exists() {
                fs::create_dir_all(&run.folder).map_err(RunError::write(&run.folder))?;
                write_whole(&file, scene)?;
            }
        }
        for (name, text) in jobs::files(self.runs.iter().chain(&self.others)) {
            write_whole(&self.folder.join(name), &text)?;
        }
        write_whole(&self.folder.join(LIST), &format!("{:#}\n", self.to_json()))
    }

    /// Runs all that is not complete; runs that failed before only if they are to be retried. Returns which failed.
    pub fn run(
        &mut self,
        choices: BatchChoices,
        retry_failed: bool,
        listener: &Arc<dyn BatchListener>,
        interrupt: &Interrupt,
    ) -> Result<BatchEnd, RunError> {
        self.runs.iter_mut().for_each(|run| run.retried = retry_failed);
        run_batch(&self.runs, &choices, listener, interrupt)
    }

    /// The folder of the study.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The title of its scene.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// How many runs have ended so.
    pub fn count(&self, status: Status) -> usize {
        self.runs.iter().filter(|run| run.status().as_deref() == Some(status.word())).count()
    }

    fn run_of(&self, point: StudyPoint, scene: String) -> StudyRun {
        let StudyPoint { name, parameters, overrides } = point;
        let values = parameters.into_iter().map(|(_, value)| value).collect();
        StudyRun {
            folder: self.folder.join(&name),
            name,
            values,
            overrides,
            group: 0,
            retried: false,
            scene: Some(scene),
        }
    }

    /// Numbers the groups of runs that differ in the seed alone.
    fn number_groups(&mut self) {
        let seed = self.seed_place();
        let key = |run: &StudyRun| -> Vec<String> {
            let values = run.values.iter().enumerate().filter(|(k, _)| Some(*k) != seed);
            values.map(|(_, value)| value.text.clone()).collect()
        };
        let mut keys: Vec<Vec<String>> = Vec::new();
        for run in &mut self.runs {
            let own = key(run);
            run.group = keys.iter().position(|other| *other == own).unwrap_or_else(|| {
                keys.push(own);
                keys.len() - 1
            });
        }
    }

    /// The place of the seed among the parameters.
    pub(crate) fn seed_place(&self) -> Option<usize> {
        self.parameters.iter().position(|parameter| parameter == riprap_scene::SEED)
    }

    /// What the folder holds that is not of this study; its other runs are kept in mind.
    fn check_folder(&mut self, scene: &SceneText, set: &[Override]) -> Result<Vec<String>, RunError> {
        let shown = self.folder.display().to_string();
        if RunFolder::has_run(&self.folder) {
            return Ok(vec![format!("error: {shown} holds a run; choose another folder for the study")]);
        }
        if Study::is_in(&self.folder) {
            let there = Study::open(&self.folder)?;
            let is_same =
                there.parameters == self.parameters && there.runs.first().is_none_or(|run| run.is_of(scene, set));
            if !is_same {
                return Ok(vec![format!(
                    "error: {shown} holds a study of another scene or of other keys; choose another folder"
                )]);
            }
            let is_new = |run: &StudyRun| self.runs.iter().all(|own| own.name != run.name);
            self.others = there.runs.into_iter().filter(is_new).collect();
        }
        let is_other = |run: &&StudyRun| {
            let text = fs::read_to_string(run.folder.join("scene.toml")).ok();
            text.is_some_and(|text| Some(text) != run.scene)
        };
        let other = |run: &StudyRun| {
            format!("error: {} holds a run of another scene, or by another version of riprap", run.folder.display())
        };
        Ok(self.runs.iter().filter(is_other).map(other).collect())
    }

    fn to_json(&self) -> Value {
        let run = |run: &StudyRun| {
            json!({
                "name": run.name,
                "values": run.values.iter().map(|value| json!([value.text, value.literal])).collect::<Vec<_>>(),
                "set": run.overrides.iter().map(|set| json!([set.path, set.value])).collect::<Vec<_>>(),
            })
        };
        let runs: Vec<Value> = self.runs.iter().chain(&self.others).map(run).collect();
        json!({"title": self.title, "parameters": self.parameters, "runs": runs})
    }

    /// The study that a list describes; none if it is not one that a study has written, be it damaged or made up to lead
    /// elsewhere or to write to the terminal.
    fn from_json(list: &Value, folder: &Path) -> Option<Study> {
        let printable =
            |value: &Value| value.as_str().filter(|text| !text.contains(char::is_control)).map(str::to_owned);
        let pairs = |value: &Value| -> Option<Vec<(String, String)>> {
            let pair = |pair: &Value| Some((printable(&pair[0])?, pair[1].as_str()?.to_owned()));
            value.as_array()?.iter().map(pair).collect()
        };
        let run = |run: &Value| {
            let name = run["name"].as_str().filter(|name| is_run_name(name))?.to_owned();
            let values = pairs(&run["values"])?.into_iter().map(|(text, literal)| StudyValue { text, literal });
            let overrides = pairs(&run["set"])?.into_iter().map(|(path, value)| Override { path, value });
            Some(StudyRun {
                folder: folder.join(&name),
                name,
                values: values.collect(),
                overrides: overrides.collect(),
                group: 0,
                retried: false,
                scene: None,
            })
        };
        let parameters = list["parameters"].as_array()?.iter().map(printable);
        let mut study = Study {
            parameters: parameters.collect::<Option<_>>()?,
            runs: list["runs"].as_array()?.iter().map(run).collect::<Option<_>>()?,
            title: printable(&list["title"])?,
            folder: folder.into(),
            others: Vec::new(),
        };
        if study.runs.iter().any(|run| run.values.len() != study.parameters.len()) {
            return None;
        }
        study.number_groups();
        Some(study)
    }
}

impl StudyRun {
    /// The status in its summary, if it has one.
    pub fn status(&self) -> Option<String> {
        RunFolder::existing(&self.folder).ok()?.status()
    }

    /// True if it is a run of this scene with these values for all runs.
    fn is_of(&self, scene: &SceneText, set: &[Override]) -> bool {
        let overrides = [set, &self.overrides].concat();
        let resolved = scene.prepare(&overrides).map(|prepared| prepared.scene.resolved());
        let kept = fs::read_to_string(self.folder.join("scene.toml"));
        resolved.ok().zip(kept.ok()).is_some_and(|(resolved, kept)| resolved == kept)
    }
}

impl BatchRun for StudyRun {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn folder(&self) -> &Path {
        &self.folder
    }

    fn kind(&self) -> usize {
        self.group
    }

    fn expected_cost(&self) -> f64 {
        1.0
    }

    fn standing(&self) -> RunStanding {
        match self.status().as_deref() {
            Some(word) if word == Status::Completed.word() => RunStanding::Complete,
            Some(word) if word == Status::Failed.word() && !self.retried => RunStanding::Aside,
            _ => RunStanding::Waiting,
        }
    }

    fn take_up(&self, options: RunOptions) -> Result<Option<Simulation>, RunError> {
        // Whether the scene can still be read is told of this run, and does not end the others.
        load_scene(&self.folder.join("scene.toml"), &[])?;
        Simulation::in_folder(&self.folder, Vec::new(), options)
    }
}

fn wrong(problems: &[String]) -> RunError {
    RunError::Study { faults: problems.iter().map(|problem| format!("error: {problem}")).collect() }
}

/// What is wrong with the scenes of the runs; what several have in common is told once.
fn same_faults<T>(points: &[StudyPoint], prepared: &[Result<T, RunError>]) -> Vec<String> {
    // What tells a fault from others, the first one as it is shown, and the runs that have it.
    let mut found: Vec<(String, String, Vec<&str>)> = Vec::new();
    for (point, error) in points.iter().zip(prepared).filter_map(|(point, made)| Some((point, made.as_ref().err()?))) {
        let faults: Vec<(String, String)> = match error {
            RunError::Scene(faults) => {
                faults.rendered().map(|(fault, text)| (format!("{} {}", fault.origin, fault.message), text)).collect()
            }
            error => vec![(error.to_string(), format!("error: {error}"))],
        };
        for (kind, text) in faults {
            match found.iter_mut().find(|(other, ..)| *other == kind) {
                Some((.., names)) => names.push(&point.name),
                None => found.push((kind, text, vec![&point.name])),
            }
        }
    }
    let words = |(_, text, names): (String, String, Vec<&str>)| match names.len() {
        1 => format!("{text}\nin the run {}", names[0]),
        count => format!("{text}\nin {count} runs, the first of them {}", names[0]),
    };
    found.into_iter().map(words).collect()
}

fn write_whole(path: &Path, text: &str) -> Result<(), RunError> {
    write_atomically(path, |out| out.write_all(text.as_bytes())).map_err(RunError::Unwritable)
}
