//! Checks scenes and says what they will simulate.

use crate::failure::{Exit, Failure};
use crate::progress::three_digits;
use crate::run::{BesideScene, faulty, load};
use crate::screen::{say, tell};
use riprap_engine::{
    AnyWorld, Criterion, Damping, Dim, GapVariant, Method, Scheme, Settings, Soft, Solver, SweepOrder, Unconverged,
    World, for_any_world,
};
use riprap_measure as measure;
use riprap_scene::{End, Override, Scene};
use std::path::{Path, PathBuf};

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
    let mut scene = load(file, overrides)?;
    let grains = scene.sample(&BesideScene::of(file)).map_err(faulty)?;
    let mut world = scene.build(&grains).map_err(faulty)?;
    Ok(format!("{}: no faults\n{}", file.display(), describe(&scene, &mut world)))
}

/// What will be simulated: everything here is read or computed from the scene.
fn describe(scene: &Scene, world: &mut AnyWorld) -> String {
    let mut lines = vec![format!("  {}", scene.title())];
    lines.extend(for_any_world!(&*world, world => contents(world)));
    lines.push("  stages:".to_string());
    let mut choices = Vec::new();
    let mut before = None;
    for (number, stage) in scene.stages().iter().enumerate() {
        // A stage may have a time step of its own.
        before = Some(scene.enter_stage(number, world, before.as_ref()));
        let (method, settings) = for_any_world!(&*world, world => (world.method, world.settings));
        lines.push(format!("    {}. {}: ends {}", number + 1, stage.name, end_in_words(&stage.end, &settings)));
        if number == 0 {
            choices = numerical_choices(scene, &method, &settings);
        }
    }
    lines.push("  numerical choices:".to_string());
    lines.extend(choices.into_iter().map(|choice| format!("    {choice}")));
    lines.join("\n")
}

/// The numerical choices of the first stage, and what was chosen for the scene and why.
pub fn numerical_choices(scene: &Scene, method: &Method, settings: &Settings) -> Vec<String> {
    let mut lines = match method {
        Method::MolecularDynamics(soft) => soft_choices(soft, settings),
        Method::ContactDynamics | Method::Percussions(_) => rigid_choices(settings),
    };
    lines.extend(scene.choices());
    lines.extend(scene.remarks().iter().cloned());
    lines
}

/// The choices of molecular dynamics.
fn soft_choices(soft: &Soft, settings: &Settings) -> Vec<String> {
    let substeps = soft.substeps(settings.time_step);
    let damping = match soft.damping {
        Damping::FromRestitution => "damped to the restitution of their materials".to_string(),
        Damping::Given(damping) => format!("damped by {} kg/s", three_digits(damping)),
    };
    vec![
        format!(
            "molecular dynamics: time step {} s, each in {substeps} steps of velocity Verlet of {} s",
            three_digits(settings.time_step),
            three_digits(settings.time_step / f64::from(substeps))
        ),
        format!(
            "springs of {} N/m, {damping}{}",
            three_digits(soft.stiffness),
            if soft.clamp { ", never pulling" } else { ", pulling at the end of a collision" }
        ),
    ]
}

/// The choices of contact dynamics and of A-CD².
fn rigid_choices(settings: &Settings) -> Vec<String> {
    let scheme = match settings.scheme {
        Scheme::Midpoint { tolerance } => format!("midpoint, contacts below a gap of {} m", three_digits(tolerance)),
        Scheme::Euler { gap: GapVariant::Keep } => "implicit Euler with gap, overlaps stay".to_string(),
        Scheme::Euler { gap: GapVariant::Correct } => "implicit Euler with gap, overlaps are pushed apart".to_string(),
        Scheme::Euler { gap: GapVariant::Relax } => {
            "implicit Euler with gap, overlaps are taken back gently".to_string()
        }
    };
    let solver = match settings.solver.solver {
        Solver::GaussSeidel => "Gauss-Seidel",
        Solver::Momentum => "Gauss-Seidel with momentum",
        Solver::CappedMomentum => "Gauss-Seidel with bounded momentum",
        Solver::ProjectedGradient => "accelerated projected gradient",
        Solver::Newton => "proximal point with Newton steps",
        Solver::Auto => "chosen by the program",
    };
    let order = match settings.solver.order {
        SweepOrder::Random => "random",
        SweepOrder::Sequential => "sequential",
        SweepOrder::ForwardBackward => "forward and backward",
        SweepOrder::Spatial => "spatial",
    };
    let criterion = match settings.solver.criterion {
        Criterion::LocalForce { epsilon, cutoff } => {
            format!("no force above {cutoff} of the mean changes by more than {epsilon:e} of itself")
        }
        Criterion::MeanForce { epsilon } => format!("the mean force changes by less than {epsilon:e} of itself"),
        Criterion::Fixed { sweeps } => format!("{sweeps} sweeps are done"),
        Criterion::Residual { tolerance } => format!("the residual is below {tolerance:e}"),
        Criterion::Motion { velocity, residual } => {
            format!("the error is below {velocity:e} of the free speed or the residual below {residual:e}")
        }
    };
    vec![
        format!("time step {} s, scheme {scheme}", three_digits(settings.time_step)),
        format!(
            "solver {solver}, {order} sweeps until {criterion}, {} to {} of them, {} from the last impulses",
            settings.solver.min_sweeps,
            settings.solver.max_sweeps,
            if settings.solver.warm_start { "starting" } else { "not starting" }
        ),
        format!(
            "steps that do not converge {}",
            if settings.on_unconverged == Unconverged::Stop { "end the run" } else { "are counted" }
        ),
    ]
}

/// When a stage ends.
fn end_in_words(end: &End, settings: &Settings) -> String {
    let mut words = Vec::new();
    if let Some(time) = end.time {
        // Rounding must not make one step more of a whole number of them.
        let steps = (time / settings.time_step - 1e-6).ceil();
        words.push(format!("after {} s ({steps} steps)", three_digits(time)));
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
    let radii: Vec<f64> = measure::grains(world).filter_map(|i| world.bodies[i].shape.bounding_radius()).collect();
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
