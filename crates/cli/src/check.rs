//! Checks scenes and says what they will simulate.

use crate::failure::{Exit, Failure};
use crate::screen::{say, tell};
use crate::templates::find_scene;
use riprap_engine::{Dim, Settings, World, for_any_world};
use riprap_measure as measure;
use riprap_run::{
    Forecast, PreparedScene, RunError, Trial, counted, duration, free_disk, memory_estimate, memory_in_words,
    numerical_choices, three_digits, try_steps,
};
use riprap_scene::{End, Override};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Checks each scene; the worst of their exit codes.
pub fn check(files: &[PathBuf], overrides: &[Override]) -> Result<Exit, Failure> {
    let mut worst = Exit::Done;
    for file in files {
        match check_one(file, overrides) {
            Ok(text) => say(&text),
            Err(failure) => {
                tell(failure.for_screen());
                worst = if worst == Exit::Unreadable { worst } else { failure.exit };
            }
        }
    }
    Ok(worst)
}

fn check_one(file: &Path, overrides: &[Override]) -> Result<String, Failure> {
    find_scene(file)?;
    match PreparedScene::from_file(file, overrides) {
        // What the grains would have shown is not known, but everything else is right.
        Err(error @ RunError::TooLarge { .. }) => {
            Ok(format!("{}: no errors, but its grains were not placed\n  warning: {error}", file.display()))
        }
        prepared => Ok(format!("{}: no errors\n{}", file.display(), describe(prepared?))),
    }
}

/// What will be simulated: everything here is read or computed from the scene.
fn describe(prepared: PreparedScene) -> String {
    let PreparedScene { scene, grains, mut world } = prepared;
    let mut lines = vec![format!("  {}", scene.title())];
    lines.extend(for_any_world!(&world, world => contents(world)));
    let memory = memory_estimate(scene.most_grains_with(&grains), scene.dimension());
    lines.push(format!("  about {} of memory", memory_in_words(memory)));
    let forecast = Forecast::of(&scene, &world);
    lines.push(format!("  {}", output_in_words(&forecast)));
    lines.push("  stages:".to_string());
    let (mut choices, mut trial) = (Vec::new(), None);
    let mut before = None;
    for (number, stage) in scene.stages().iter().enumerate() {
        // A stage may have a time step of its own.
        before = Some(scene.enter_stage(number, &mut world, before.as_ref()));
        let (method, settings) = for_any_world!(&world, world => (world.method, world.settings));
        lines.push(format!("    {}. {}: ends {}", number + 1, stage.name, end_in_words(&stage.end, &settings)));
        if number == 0 {
            trial = try_steps(&mut world.clone(), TRIAL_TIME);
            choices = numerical_choices(&scene, &method, &settings);
        }
    }
    lines.push(format!("  {}", time_in_words(trial, &forecast)));
    lines.push("  numerical settings:".to_string());
    lines.extend(choices.into_iter().map(|choice| format!("    {choice}")));
    lines.join("\n")
}

/// How long steps are tried.
const TRIAL_TIME: Duration = Duration::from_millis(300);

/// What a run would write, and how much room there is in the current folder, below which runs are by default.
fn output_in_words(forecast: &Forecast) -> String {
    let formats = forecast.snapshot_bytes.iter();
    let formats: Vec<String> =
        formats.map(|(format, bytes)| format!("{} as {}", memory_in_words(*bytes), format.word())).collect();
    let each = if formats.is_empty() { "none".to_string() } else { formats.join(" and ") };
    let free = free_disk(Path::new("."));
    let of_free = free.map(|bytes| format!(" of {} free on the disk", memory_in_words(bytes))).unwrap_or_default();
    match (forecast.snapshots, forecast.total) {
        (Some(snapshots), Some(total)) => {
            let warning = if free.is_some_and(|free| total > free) { "; warning: `run` refuses this" } else { "" };
            let count = counted(snapshots as u64, "snapshot");
            let total = memory_in_words(total);
            format!("about {total} of output{of_free}: {count}, each {each}{warning}")
        }
        _ => format!("output: each snapshot about {each}; how many depends on when the stages end{of_free}"),
    }
}

/// How long the run takes, from steps that were tried.
fn time_in_words(trial: Option<Trial>, forecast: &Forecast) -> String {
    let Some(trial) = trial else { return "running time: unknown, a step that was tried failed".to_string() };
    let tried = format!(
        "running time: {} tried, {} s each with {}",
        counted(u64::from(trial.steps), "step"),
        three_digits(trial.seconds),
        counted(trial.contacts as u64, "contact")
    );
    let Some(steps) = forecast.steps else { return format!("{tried}; how many follow depends on when the stages end") };
    let all =
        format!("{tried}; at this speed {} take {}", counted(steps as u64, "step"), duration(steps * trial.seconds));
    // Of a few contacts, the time of a step is not theirs.
    match trial.contacts {
        0.0 => format!("{all}; steps with contacts take longer"),
        few if few < 0.1 * forecast.contacts => format!("{all}; steps with more contacts take longer"),
        contacts => {
            let dense = forecast.contacts / contacts * steps * trial.seconds;
            format!("{all}, and {} with the {} contacts of a dense packing", duration(dense), forecast.contacts as u64)
        }
    }
}

/// When a stage ends.
fn end_in_words(end: &End, settings: &Settings) -> String {
    let mut words = Vec::new();
    if let Some(time) = end.time {
        // Rounding must not make one step more of a whole number of them.
        let steps = (time / settings.time_step - 1e-6).ceil();
        let more = if settings.halvings > 0 { ", more if they are halved" } else { "" };
        words.push(format!("after {} s ({}{more})", three_digits(time), counted(steps as u64, "step")));
    }
    if let Some(steps) = end.steps {
        words.push(format!("after {}", counted(steps, "step")));
    }
    if let Some(strain) = &end.strain {
        words.push(format!("at a strain of {}", three_digits(strain.strain)));
    }
    if let Some(energy) = end.kinetic_energy {
        words.push(format!("when the mean kinetic energy of a grain is below {} J", three_digits(energy)));
    }
    if let Some(energy) = end.kinetic_energy_over_mgd {
        words.push(format!("when the mean kinetic energy of a grain is below {} m g d", three_digits(energy)));
    }
    if let Some(force) = end.force_balance {
        words.push(format!("when the unbalanced force is below {} of the mean contact force", three_digits(force)));
    }
    words.extend(end.watch_words());
    words.join(", or ")
}

fn contents<D: Dim>(world: &World<D>) -> Vec<String> {
    let radii: Vec<f64> = measure::grains(world).filter_map(|i| world.bodies[i].shape.bounding_radius()).collect();
    let mass: f64 = measure::grains(world).map(|i| world.bodies[i].mass).sum();
    let smallest = radii.iter().copied().fold(f64::INFINITY, f64::min);
    let largest = radii.iter().copied().fold(0.0, f64::max);
    let sizes = match radii.len() {
        0 => String::new(),
        _ if smallest == largest => {
            format!(", radius {} m, total mass {} kg", three_digits(largest), three_digits(mass))
        }
        _ => format!(
            ", radii {} to {} m, total mass {} kg",
            three_digits(smallest),
            three_digits(largest),
            three_digits(mass)
        ),
    };
    let names: Vec<&str> = world.bodies.iter().filter_map(|body| body.name.as_deref()).collect();
    vec![
        format!("  {} in {}D{sizes}", counted(radii.len() as u64, "grain"), D::AXES),
        match names.len() {
            0 => "  no walls".to_string(),
            count => format!("  {}: {}", counted(count as u64, "wall"), names.join(", ")),
        },
    ]
}
