//! Quasi-static flow, solver by solver (`benches/flow/run.sh`): every trajectory of a scene goes on from one and the same
//! flowing state.
//!
//! `flow SCENE.toml STEPS N…` compresses `N` grains under the pressure of the scene, lets them flow, and then does `STEPS`
//! steps with each solver and tolerance; it prints a line for each.

use riprap_engine::{AnyWorld, Criterion, GrainTable, Options, Silent, Solver, Surface, for_any_world};
use riprap_scene::{GrainSource, Override, load};
use std::error::Error;

/// Side of the empty box, pressure and density of the scenes.
const SIDE: f64 = 0.1;
const PRESSURE: f64 = 1e3;
const DENSITY: f64 = 2500.0;
/// Inertial number of the flow, `γ̇ d √(ρ/p)`.
const INERTIAL: f64 = 1e-3;
/// Time step over the inertial time `d √(ρ/p)`, of the flow that is measured and of that before it.
const STEP: f64 = 0.02;
const STEP_BEFORE: f64 = 0.2;
/// Steps of flow before the trajectories part.
const STEPS_BEFORE: usize = 150;
/// Sweeps after which a step is unconverged.
const MOST_SWEEPS: u32 = 5000;
/// Stiffness over pressure and diameter.
const KAPPA: f64 = 1e5;

struct NoFiles;

impl GrainSource for NoFiles {
    fn read(&self, _: &str) -> Result<GrainTable, String> {
        Err("these scenes need no files".to_owned())
    }
    fn read_surface(&self, _: &str) -> Result<Surface, String> {
        Err("these scenes need no files".to_owned())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, steps, counts @ ..] = &arguments[..] else {
        return Err("flow SCENE.toml STEPS N…".into());
    };
    let text = std::fs::read_to_string(file)?;
    let name = file.rsplit('/').next().unwrap_or(file).trim_end_matches(".toml");
    for count in counts {
        trajectories(name, &text, steps.parse()?, count.parse()?)?;
    }
    Ok(())
}

fn trajectories(name: &str, text: &str, steps: usize, count: usize) -> Result<(), Box<dyn Error>> {
    let is_plane = name.ends_with("2d");
    // Radii from 0.7 to 1.3 of the mean; the sample starts loose.
    let mean = count as f64;
    let diameter = match is_plane {
        true => SIDE * (4.0 * 0.45 / (std::f64::consts::PI * 1.03 * mean)).sqrt(),
        false => SIDE * (6.0 * 0.30 / (std::f64::consts::PI * 1.09 * mean)).cbrt(),
    };
    let time = diameter * (DENSITY / PRESSURE).sqrt();
    let set = |path: &str, value: String| Override { path: path.to_owned(), value };
    let speed = INERTIAL / time * SIDE;
    let flow = match (name.starts_with("shear"), is_plane) {
        (true, _) => ("x", speed),
        (false, true) => ("y", -speed),
        (false, false) => ("z", -speed),
    };
    let overrides = [
        set("grains.0.count", count.to_string()),
        set(
            "grains.0.radius",
            format!("{{ uniform = {{ min = {:e}, max = {:e} }} }}", 0.35 * diameter, 0.65 * diameter),
        ),
        set(&format!("stages.1.drivers.0.{}", flow.0), format!("{{ velocity = {:e} }}", flow.1)),
    ];
    let mut scene = load(text, name, &overrides).map_err(|faults| faults.to_string())?;
    let grains = scene.sample(&NoFiles).map_err(|faults| faults.to_string())?;
    let mut world = scene.build(&grains).map_err(|faults| faults.to_string())?;

    let mut progress = scene.enter_stage(0, &mut world, None);
    loop {
        let report = world.step(&mut Silent)?;
        if progress.ended(&world, &report) {
            break;
        }
    }
    scene.enter_stage(1, &mut world, Some(&progress));
    for_any_world!(&mut world, world => world.settings.time_step = STEP_BEFORE * time);
    for _ in 0..STEPS_BEFORE {
        world.step(&mut Silent)?;
    }
    // The last steps before with the step of what follows, so that impulses go on from impulses of the same size.
    for_any_world!(&mut world, world => {
        world.settings.time_step = STEP * time;
        world.settings.solver.criterion = Criterion::Residual { tolerance: 1e-4 };
    });
    for _ in 0..5 {
        world.step(&mut Silent)?;
    }

    let stiffness = KAPPA * PRESSURE * if is_plane { 1.0 } else { diameter };
    let variants = [
        ("gauss-seidel", Solver::GaussSeidel, 1e-4, None),
        ("auto", Solver::Auto, 1e-4, None),
        ("gauss-seidel", Solver::GaussSeidel, 1e-6, None),
        ("auto", Solver::Auto, 1e-6, None),
        ("auto, stiffness", Solver::Auto, 1e-4, Some(stiffness)),
        ("auto, stiffness", Solver::Auto, 1e-6, Some(stiffness)),
    ];
    for (solver_name, solver, tolerance, stiffness) in variants {
        let mut world = world.clone();
        for_any_world!(&mut world, world => {
            let criterion = Criterion::Residual { tolerance };
            world.settings.solver =
                Options { solver, criterion, max_sweeps: MOST_SWEEPS, ..world.settings.solver };
            world.settings.stiffness = stiffness;
            if stiffness.is_some() {
                world.settings.scheme = riprap_engine::Scheme::Euler { gap: riprap_engine::GapVariant::Keep };
            }
        });
        let tale = trajectory(&mut world, steps)?;
        println!(
            "| {name} | {count} | {tolerance:.0e} | {solver_name} | {:.0} | {} | {} | {} | {:.0} % |",
            tale.sweeps,
            tale.most,
            tale.unconverged,
            tale.softened,
            100.0 * tale.sliding
        );
    }
    Ok(())
}

/// What the steps of a trajectory took.
struct Tale {
    /// Passes in the mean of the steps, and in the worst one.
    sweeps: f64,
    most: u32,
    unconverged: usize,
    softened: usize,
    /// The part of the contacts that slid.
    sliding: f64,
}

fn trajectory(world: &mut AnyWorld, steps: usize) -> Result<Tale, Box<dyn Error>> {
    let mut tale = Tale { sweeps: 0.0, most: 0, unconverged: 0, softened: 0, sliding: 0.0 };
    for _ in 0..steps {
        let report = world.step(&mut Silent)?;
        tale.sweeps += f64::from(report.sweeps) / steps as f64;
        tale.most = tale.most.max(report.sweeps);
        tale.unconverged += usize::from(!report.converged);
        tale.softened += usize::from(report.softened > 0);
        tale.sliding += report.sliding as f64 / report.contacts.max(1) as f64 / steps as f64;
    }
    Ok(tale)
}
