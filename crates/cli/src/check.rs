//! Checks scenes and says what they will simulate.

use crate::failure::{Exit, Failure};
use crate::progress::three_digits;
use crate::run::{BesideScene, faulty, load};
use riprap_engine::{AnyWorld, Dim, World, for_any_world};
use riprap_measure as measure;
use riprap_scene::{End, Override, Scene};
use std::path::{Path, PathBuf};

/// Checks each scene; the worst of their exit codes.
pub fn check(files: &[PathBuf], overrides: &[Override]) -> Result<Exit, Failure> {
    let mut worst = Exit::Done;
    for file in files {
        match check_one(file, overrides) {
            Ok(text) => println!("{text}"),
            Err(failure) => {
                eprintln!("{}", failure.for_screen());
                worst = if worst == Exit::Unreadable { worst } else { failure.exit };
            }
        }
    }
    Ok(worst)
}

fn check_one(file: &Path, overrides: &[Override]) -> Result<String, Failure> {
    let mut scene = load(file, overrides)?;
    let grains = scene.sample(&BesideScene::of(file)).map_err(faulty)?;
    let world = scene.build(&grains).map_err(faulty)?;
    Ok(format!("{}: no faults\n{}", file.display(), describe(&scene, &world)))
}

/// What will be simulated: everything here is read or computed from the scene.
fn describe(scene: &Scene, world: &AnyWorld) -> String {
    let mut lines = vec![format!("  {}", scene.title())];
    lines.extend(for_any_world!(world, world => contents(world)));
    lines.push("  stages:".to_string());
    for (number, stage) in scene.stages().iter().enumerate() {
        lines.push(format!("    {}. {}: ends {}", number + 1, stage.name, end_in_words(&stage.end)));
    }
    lines.push("  numerical choices:".to_string());
    lines.extend(scene.choices().into_iter().map(|choice| format!("    {choice}")));
    lines.join("\n")
}

/// When a stage ends.
fn end_in_words(end: &End) -> String {
    let mut words = Vec::new();
    if let Some(time) = end.time {
        words.push(format!("after {} s", three_digits(time)));
    }
    if let Some(steps) = end.steps {
        words.push(format!("after {steps} steps"));
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
    words.join(", or ")
}

fn contents<D: Dim>(world: &World<D>) -> Vec<String> {
    let radii: Vec<f64> = measure::grains(world).filter_map(|i| world.bodies[i].shape.ball_radius()).collect();
    let mass: f64 = measure::grains(world).map(|i| world.bodies[i].mass).sum();
    let smallest = radii.iter().copied().fold(f64::INFINITY, f64::min);
    let largest = radii.iter().copied().fold(0.0, f64::max);
    let sizes = match radii.len() {
        0 => String::new(),
        _ if smallest == largest => format!(", radius {} m, {} kg in all", three_digits(largest), three_digits(mass)),
        _ => format!(
            ", radii {} to {} m, {} kg in all",
            three_digits(smallest),
            three_digits(largest),
            three_digits(mass)
        ),
    };
    let names: Vec<&str> = world.bodies.iter().filter_map(|body| body.name.as_deref()).collect();
    vec![
        format!("  {} grains in {}D{sizes}", radii.len(), D::AXES),
        match names.len() {
            0 => "  no walls".to_string(),
            count => format!("  {count} walls: {}", names.join(", ")),
        },
    ]
}
