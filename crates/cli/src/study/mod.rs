//! The commands `study` and `gather`: many runs of one scene, and their numbers in one table.

pub mod arguments;
mod gather;

pub use gather::{gather, table_of};

use crate::batch_voice::BatchVoice;
use crate::failure::{Exit, Failure};
use crate::interrupt;
use crate::screen::{say, tell};
use arguments::StudyChoices;
use riprap_run::{BatchChoices, BatchListener, RunError, SceneText, Status, Stop, Study};
use riprap_scene::{Override, Samples, StudyPlan};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Prepares a study, or opens one that is there, and runs what is not complete.
pub fn study(path: &Path, choices: &StudyChoices, overrides: &[Override]) -> Result<Exit, Failure> {
    choices.limit.start();
    let mut study = if path.is_dir() { open(path, choices, overrides)? } else { prepare(path, choices, overrides)? };
    study.write()?;
    if choices.prepare {
        let (runs, folder) = (study.runs.len(), study.folder().display());
        say(format_args!(
            "prepared {runs} runs in {folder}; there, run `sbatch slurm.sh`, `snakemake --cores all`, \
             `parallel < parallel.txt`, or from here `riprap study {folder}`"
        ));
        return Ok(Exit::Done);
    }
    let left = study.runs.len() - study.count(Status::Completed);
    let batch = choices.sharing.among(left);
    interrupt::listen()?;
    if !choices.quiet {
        announce(&study, choices.retry_failed, &batch);
    }
    let voice = Arc::new(BatchVoice::new(choices.quiet));
    let listener: Arc<dyn BatchListener> = voice.clone();
    let ended = study.run(batch, choices.retry_failed, &listener, &interrupt::flag());
    voice.end();
    let (stop, failed) = ended?;
    let is_busy = |error: &RunError| matches!(error, RunError::Busy { .. });
    let busy = failed.iter().filter(|(_, error)| is_busy(error)).count();
    let done = study.count(Status::Completed);
    let broken = study.count(Status::Failed).max(failed.len() - busy);
    if !choices.quiet || broken > 0 {
        say(format_args!("{done} of {} runs complete, {broken} failed", study.runs.len()));
    }
    if !choices.quiet && done > 0 {
        say(format_args!("collect the results with: riprap gather {}", study.folder().display()));
    }
    Ok(match stop {
        Stop::Interrupted if interrupt::flag().is_out_of_time() => Exit::Again,
        Stop::Interrupted => Exit::Interrupted,
        _ if broken > 0 => Exit::RunFailed,
        // Another process has them, and it is not known how that ends.
        _ if busy > 0 => Exit::Again,
        _ => Exit::Done,
    })
}

/// A study that is there has its scene and its keys.
fn open(folder: &Path, choices: &StudyChoices, overrides: &[Override]) -> Result<Study, Failure> {
    let is_new =
        !choices.vary.is_empty() || choices.seeds.is_some() || choices.samples.is_some() || choices.out.is_some();
    if is_new || !overrides.is_empty() {
        let message = format!(
            "{} is the folder of a study, which already has its keys; to extend it, pass the scene again with --out",
            folder.display()
        );
        return Err(Failure::new(Exit::BadInput, message));
    }
    Ok(Study::open(folder)?)
}

fn prepare(file: &Path, choices: &StudyChoices, overrides: &[Override]) -> Result<Study, Failure> {
    let text = fs::read_to_string(file).map_err(|error| Failure::reading(file, error))?;
    let name = file.file_stem().and_then(|stem| stem.to_str()).unwrap_or("run");
    let mut plan = StudyPlan::default();
    let (mut scene, mut folder) = (file.to_path_buf(), PathBuf::from("runs").join(format!("{name}-study")));
    if StudyPlan::is_study(&text) {
        plan = StudyPlan::parse(&text, &file.display().to_string())?;
        scene = file.parent().unwrap_or(Path::new("")).join(plan.scene.as_deref().unwrap_or_default());
        folder = PathBuf::from("runs").join(name);
    }
    for variation in &choices.vary {
        plan.vary.retain(|other| other.key != variation.key);
        plan.vary.push(variation.clone());
    }
    plan.set.extend(overrides.iter().cloned());
    plan.seeds = choices.seeds.clone().or(plan.seeds);
    if let Some(count) = choices.samples {
        let (kind, seed) = (choices.sampling.unwrap_or_default(), choices.sample_seed.unwrap_or(1));
        plan.samples = Some(Samples { count: count as usize, kind, seed });
    }
    Ok(Study::prepare(&plan, &SceneText::read(&scene)?, choices.out.as_ref().unwrap_or(&folder))?)
}

fn announce(study: &Study, retry_failed: bool, batch: &BatchChoices) {
    let (runs, folder) = (study.runs.len(), study.folder().display());
    tell(format_args!("{}: {runs} runs in {folder}, {} at a time", study.title(), batch.side_by_side));
    let complete = study.count(Status::Completed);
    if complete > 0 {
        tell(format_args!("  {complete} of them {} complete already", if complete == 1 { "is" } else { "are" }));
    }
    let failed = study.count(Status::Failed);
    if failed > 0 && !retry_failed {
        tell(format_args!("  {failed} failed before and are left as they are; --retry-failed retries them"));
    }
}
