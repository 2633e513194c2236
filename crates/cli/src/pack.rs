//! The command `pack`: a packing of a wanted solid fraction or coordination.

use crate::arguments::PackChoices;
use crate::failure::{Exit, Failure};
use crate::interrupt;
use crate::run::use_threads;
use crate::screen::{say, tell};
use crate::templates::find_scene;
use riprap_run::{PackingGoal, PackingTrial, find_packing, three_digits};
use riprap_scene::Override;
use std::path::Path;

/// Makes a packing and writes it.
pub fn pack(scene: &Path, choices: &PackChoices, overrides: &[Override]) -> Result<Exit, Failure> {
    let goal = match (choices.solid_fraction, choices.coordination) {
        (Some(fraction), _) => PackingGoal::SolidFraction(fraction),
        (None, Some(number)) => PackingGoal::Coordination(number),
        (None, None) => {
            return Err(Failure::new(Exit::BadInput, "give --solid-fraction or --coordination".to_string()));
        }
    };
    find_scene(scene)?;
    use_threads(choices.threads)?;
    interrupt::listen()?;
    let hear = |trial: &PackingTrial| say(format_args!("  {}", in_words(trial)));
    let Some(found) = find_packing(scene, overrides, goal, &interrupt::flag(), hear)? else {
        return Ok(Exit::Interrupted);
    };
    let written = found.write(&choices.out.with_extension(""))?;
    say(format_args!("{}: {} ({} runs)", written.display(), in_words(&found.best), found.trials.len()));
    say(format_args!(
        "start from it with: [[grains]] sample = \"snapshot\", path = \"{}\"; its periodic cell comes with it",
        written.display()
    ));
    if !found.is_met(goal) {
        tell(format_args!(
            "warning: the {} is not within {} of {}: packings of so few grains differ by more than that from friction to friction",
            goal.name(),
            goal.tolerance(),
            goal.value()
        ));
    }
    Ok(Exit::Done)
}

fn in_words(trial: &PackingTrial) -> String {
    format!(
        "friction {} in the first stage: solid fraction {:.4}, coordination {:.2} without rattlers, after {} s",
        three_digits(trial.friction),
        trial.solid_fraction,
        trial.coordination,
        three_digits(trial.time)
    )
}
