//! The command `limit`: the value of a key at which a structure fails.

use crate::arguments::LimitChoices;
use crate::failure::{Exit, Failure};
use crate::interrupt;
use crate::run::use_threads;
use crate::screen::say;
use crate::templates::find_scene;
use riprap_run::{Limit, LimitPlan, LimitTrial, find_limit, three_digits};
use riprap_scene::Override;
use std::fs;
use std::path::Path;

/// Finds the value of a key at which a structure fails.
pub fn limit(scene: &Path, choices: &LimitChoices, overrides: &[Override]) -> Result<Exit, Failure> {
    let LimitChoices { key, from, to, tolerance, csv, threads } = choices;
    if from.unit != to.unit {
        let message = format!("--from and --to have different units, `{}` and `{}`", from.unit, to.unit);
        return Err(Failure::new(Exit::BadInput, message));
    }
    find_scene(scene)?;
    use_threads(*threads)?;
    interrupt::listen()?;
    let plan =
        LimitPlan { key: key.clone(), unit: from.unit.clone(), range: [from.value, to.value], tolerance: *tolerance };
    let tell = |trial: &LimitTrial| say(format_args!("  {}", in_words(trial, &plan.unit)));
    let Some(limit) = find_limit(scene, overrides, &plan, &interrupt::flag(), tell)? else {
        return Ok(Exit::Interrupted);
    };
    if let Some(path) = csv {
        fs::write(path, table(&limit)).map_err(|error| Failure::writing(path, error))?;
    }
    let unit = &plan.unit;
    let middle = 0.5 * (limit.stands + limit.fails);
    let half = 0.5 * (limit.stands - limit.fails).abs();
    let line = format!("limit of {key}: {middle} ± {half} {unit}").trim_end().to_owned();
    say(format_args!("{line} ({} runs)", limit.trials.len()));
    Ok(Exit::Done)
}

fn in_words(trial: &LimitTrial, unit: &str) -> String {
    let value = format!("{} {unit}", trial.value);
    let verdict = if trial.fails { "fails" } else { "stands" };
    format!(
        "{}: {verdict} ({} of stage {} after {} s)",
        value.trim_end(),
        trial.cause.word(),
        trial.stage,
        three_digits(trial.time)
    )
}

fn table(limit: &Limit) -> String {
    let mut text = "value,fails,stage,ended_by,time\n".to_owned();
    for LimitTrial { value, fails, stage, cause, time } in &limit.trials {
        text += &format!("{value},{},{stage},{},{time}\n", u8::from(*fails), cause.word());
    }
    text
}
