//! Quasi-static flow, solver by solver (`benches/flow/run.sh`): every trajectory of a scene goes on from one and the same
//! flowing state.
//!
//! `flow passes SCENE.toml STEPS N…` compresses `N` grains under the pressure of the scene, lets them flow, and then does
//! `STEPS` steps with each solver and tolerance; it prints a line for each, and one for the steps of `auto` solved by
//! Gauss–Seidel, each from where `auto` had started: trajectories part, and then their steps are not equally hard. `flow
//! stiffness …` does the same with compliant contacts, of two stiffnesses, and `flow both …` both from one preparation.
//! `N:SEED` draws other grains than those of the scene. `flow accuracy SCENE.toml N…` solves one step of the compressed
//! packing, from nothing, and one step of the flow, from the step before, by each stop test, and compares velocities and forces
//! on walls with those of a much sharper solution. `flow own KIND SCENE.toml STEPS` does the first steps of a scene by each
//! variant of the solver (`benches/ablation/run.sh`).

use riprap_engine::{
    AnyWorld, Criterion, Dim, GapVariant, GrainTable, Options, Scheme, Silent, Solver, Surface, Vector, World,
    for_any_world,
};
use riprap_scene::{GrainSource, Override, load};
use std::error::Error;
use std::time::Instant;

/// Side of the empty box, pressure and density of the scenes.
const SIDE: f64 = 0.1;
const PRESSURE: f64 = 1e3;
const DENSITY: f64 = 2500.0;
/// Inertial number of the flow, `γ̇ d √(ρ/p)`.
const INERTIAL: f64 = 1e-3;
/// Time step over the inertial time `d √(ρ/p)`, of the flow that is measured and of that before it.
const STEP: f64 = 0.02;
const STEP_BEFORE: f64 = 0.1;
/// The step of compliant flow in 3D with which κ = 1e5 is σ = 100, as it is in 2D with the other; and the steps that a flow
/// goes on for after its step was changed, before it is measured.
const STEP_SOFT: f64 = 0.016;
const STEPS_CHANGED: usize = 20;
/// Steps of flow before the trajectories part.
const STEPS_BEFORE: usize = 600;
/// Steps of compression by the default stop test.
const STEPS_SETTLING: usize = 300;
/// Sweeps after which a step is unconverged.
const MOST_SWEEPS: u32 = 5000;
/// The engine's residual over that of `riprap solve`, in 2D and 3D: the engine measures an error along the tangent by
/// `1/w_n`, `riprap solve` by the mean of the diagonal of `W`, which for balls is `(w_n + w_t)/2` with `w_t = 3 w_n` or
/// `(w_n + 2 w_t)/3` with `w_t = 3.5 w_n`. Tolerances here are those of `riprap solve`.
const OF_SOLVE: [f64; 2] = [2.0, 8.0 / 3.0];
/// Stiffnesses over pressure and diameter.
const KAPPAS: [f64; 2] = [1e5, 4e4];

struct NoFiles;

impl GrainSource for NoFiles {
    fn read(&self, _: &str) -> Result<GrainTable, String> {
        Err("these scenes need no files".to_owned())
    }
    fn read_surface(&self, _: &str) -> Result<Surface, String> {
        Err("these scenes need no files".to_owned())
    }
    fn read_text(&self, _: &str) -> Result<String, String> {
        Err("these scenes need no files".to_owned())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [what @ ("passes" | "stiffness" | "both"), file, steps, ref counts @ ..] => {
            let steps: usize = steps.parse()?;
            for count in counts {
                let states = States::of(file, count, Solver::Auto)?;
                if what != "stiffness" {
                    trajectories(&states, steps, &rigid())?;
                }
                if what != "passes" {
                    trajectories(&states, steps, &compliant(&states))?;
                }
            }
        }
        ["accuracy", file, ref counts @ ..] => {
            for count in counts {
                accuracies(&States::of(file, count, Solver::Auto)?)?;
            }
        }
        ["equal", file, steps, ref counts @ ..] => {
            for count in counts {
                equal_steps(&States::of(file, count, Solver::GaussSeidel)?, steps.parse()?)?;
            }
        }
        ["own", kind, file, steps] => {
            let text = std::fs::read_to_string(file)?;
            let mut scene = load(&text, file, &[]).map_err(|faults| faults.to_string())?;
            let grains = scene.sample(&NoFiles).map_err(|faults| faults.to_string())?;
            let mut world = scene.build(&grains).map_err(|faults| faults.to_string())?;
            scene.enter_stage(0, &mut world, None);
            let name = file.rsplit('/').next().unwrap_or(file).trim_end_matches(".toml");
            own_ways(&format!("{name},{},{kind}", grains.len()), &world, steps.parse()?)?;
        }
        _ => {
            return Err(
                "flow passes|stiffness|both|equal SCENE.toml STEPS N… or flow accuracy SCENE.toml N… or flow own \
                        KIND SCENE.toml STEPS"
                    .into(),
            );
        }
    }
    Ok(())
}

/// What the studies start from.
struct States {
    name: String,
    count: usize,
    /// Before it was compressed.
    loose: AnyWorld,
    /// In equilibrium under the pressure.
    packed: AnyWorld,
    /// In steady flow.
    flowing: AnyWorld,
    /// The stiffness of which κ is 1.
    stiffness: f64,
    /// The engine's residual over that of `riprap solve`.
    of_solve: f64,
}

impl States {
    /// Of `N` or `N:SEED` grains, prepared by this solver.
    fn of(file: &str, grains: &str, solver: Solver) -> Result<Self, Box<dyn Error>> {
        let (count, seed) = grains.split_once(':').map_or((grains, None), |(count, seed)| (count, Some(seed)));
        let count: usize = count.parse()?;
        let text = std::fs::read_to_string(file)?;
        let name = file.rsplit('/').next().unwrap_or(file).trim_end_matches(".toml");
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
        let mut overrides = vec![
            set("grains.0.count", count.to_string()),
            set(
                "grains.0.radius",
                format!("{{ uniform = {{ min = {:e}, max = {:e} }} }}", 0.35 * diameter, 0.65 * diameter),
            ),
            set(&format!("stages.1.drivers.0.{}", flow.0), format!("{{ velocity = {:e} }}", flow.1)),
        ];
        overrides.extend(seed.map(|seed| set("seed", seed.to_owned())));
        let mut scene = load(&text, name, &overrides).map_err(|faults| faults.to_string())?;
        let grains = scene.sample(&NoFiles).map_err(|faults| faults.to_string())?;
        let mut world = scene.build(&grains).map_err(|faults| faults.to_string())?;

        let mut progress = scene.enter_stage(0, &mut world, None);
        let loose = world.clone();
        for_any_world!(&mut world, world => world.settings.solver.solver = solver);
        loop {
            let report = world.step(&mut Silent)?;
            if progress.ended(&world, &report) {
                break;
            }
        }
        let mut packed = world.clone();
        for_any_world!(&mut packed, packed => packed.settings.time_step = STEP * time);
        scene.enter_stage(1, &mut world, Some(&progress));
        for_any_world!(&mut world, world => {
            world.settings.time_step = STEP_BEFORE * time;
            world.settings.solver.solver = solver;
        });
        for _ in 0..STEPS_BEFORE {
            world.step(&mut Silent)?;
        }
        // The last steps before with the step of what follows, so that impulses go on from impulses of the same size.
        for_any_world!(&mut world, world => {
            world.settings.time_step = STEP * time;
            world.settings.solver.criterion = Criterion::Residual { tolerance: 1e-4 };
            world.settings.solver.max_sweeps = MOST_SWEEPS;
        });
        for _ in 0..100 {
            world.step(&mut Silent)?;
        }

        let stiffness = PRESSURE * if is_plane { 1.0 } else { diameter };
        let of_solve = OF_SOLVE[usize::from(!is_plane)];
        Ok(States { name: name.to_owned(), count, loose, packed, flowing: world, stiffness, of_solve })
    }
}

/// One way to solve the steps of a trajectory: its name, the method, the residual, and κ and the step over the inertial time
/// if contacts are compliant.
type Variant = (String, Solver, f64, Option<(f64, f64)>);

fn rigid() -> Vec<Variant> {
    let all = [1e-4, 1e-6]
        .into_iter()
        .flat_map(|tolerance| [Solver::GaussSeidel, Solver::Auto].map(|solver| (solver, tolerance)));
    all.map(|(solver, tolerance)| (solver.name().to_owned(), solver, tolerance, None)).collect()
}

fn compliant(states: &States) -> Vec<Variant> {
    let steps = if states.name.ends_with("2d") { &[STEP][..] } else { &[STEP, STEP_SOFT] };
    let all = steps.iter().flat_map(|&step| KAPPAS.into_iter().map(move |kappa| (kappa, step)));
    let all = all.flat_map(|soft| [1e-4, 1e-6].map(|tolerance| (soft, tolerance)));
    let name = |(kappa, step): (f64, f64)| format!("auto, κ = {kappa:.0e}, step {step}");
    all.map(|(soft, tolerance)| (name(soft), Solver::Auto, tolerance, Some(soft))).collect()
}

fn trajectories(states: &States, steps: usize, variants: &[Variant]) -> Result<(), Box<dyn Error>> {
    let States { name, count, flowing, .. } = states;
    for &(ref solver_name, solver, tolerance, soft) in variants {
        let stiffness = soft.map(|(kappa, _)| kappa * states.stiffness);
        let change = soft.map_or(1.0, |(_, step)| step / STEP);
        let mut world = flowing.clone();
        for_any_world!(&mut world, world => {
            let criterion = Criterion::Residual { tolerance: tolerance * states.of_solve };
            world.settings.solver =
                Options { solver, criterion, max_sweeps: MOST_SWEEPS, ..world.settings.solver };
            world.settings.stiffness = stiffness;
            if stiffness.is_some() {
                world.settings.scheme = Scheme::Euler { gap: GapVariant::Keep };
            }
            world.settings.time_step *= change;
        });
        if change != 1.0 {
            trajectory(&mut world, STEPS_CHANGED, None)?;
        }
        let is_compared = solver == Solver::Auto && soft.is_none();
        let (own, other) = trajectory(&mut world, steps, is_compared.then_some(Solver::GaussSeidel))?;
        let same = "gauss-seidel, the same steps".to_owned();
        for (solver_name, tale) in [(solver_name, Some(own)), (&same, other)] {
            let Some(tale) = tale else { continue };
            println!(
                "| {name} | {count} | {tolerance:.0e} | {solver_name} | {:.0} | {} | {} | {} | {:.0} % | {:.3} |",
                tale.sweeps,
                tale.most,
                tale.unconverged,
                tale.softened,
                100.0 * tale.sliding,
                tale.seconds
            );
        }
    }
    Ok(())
}

/// The variants of `auto`, by name.
#[cfg(feature = "ablation")]
fn variants() -> Vec<&'static str> {
    riprap_engine::ablation::names()
}

#[cfg(not(feature = "ablation"))]
fn variants() -> Vec<&'static str> {
    vec!["auto"]
}

/// Solves by a variant from now on.
fn choose(_variant: usize) {
    #[cfg(feature = "ablation")]
    riprap_engine::ablation::choose(_variant);
}

/// Every step of a trajectory by Gauss–Seidel, solved by each variant of `auto` from the same state: rigid and compliant flow,
/// and the packing from nothing; and the compression of the loose sample by each variant.
fn equal_steps(states: &States, steps: usize) -> Result<(), Box<dyn Error>> {
    let States { name, count, loose, packed, flowing, stiffness, of_solve } = states;
    let cases = [
        ("rigid", 1e-4, None),
        ("compliant", 1e-6, Some(KAPPAS[0] * stiffness)),
        ("cold", 1e-4, None),
        ("cold", 1e-6, None),
    ];
    for (kind, tolerance, stiffness) in cases {
        let is_cold = kind == "cold";
        let mut world = if is_cold { packed.clone() } else { flowing.clone() };
        for_any_world!(&mut world, world => {
            world.settings.stiffness = stiffness;
            if stiffness.is_some() {
                world.settings.scheme = Scheme::Euler { gap: GapVariant::Keep };
            }
            world.settings.solver.solver = Solver::GaussSeidel;
            world.settings.solver.warm_start = !is_cold;
        });
        let criterion = |tolerance: f64| Criterion::Residual { tolerance: tolerance * of_solve };
        let mut tales: Vec<Tale> = variants().iter().map(|_| Tale::default()).collect();
        let steps = if is_cold { 4 } else { steps };
        for _ in 0..steps {
            for (variant, tale) in tales.iter_mut().enumerate() {
                let mut copy = world.clone();
                for_any_world!(&mut copy, copy => {
                    let solver = Options { solver: Solver::Auto, criterion: criterion(tolerance), ..copy.settings.solver };
                    copy.settings.solver = Options { max_sweeps: MOST_SWEEPS, ..solver };
                });
                choose(variant);
                tale.step(&mut copy, steps)?;
            }
            // The reference goes on to the same accuracy whatever is compared.
            for_any_world!(&mut world, world => {
                world.settings.solver.criterion = criterion(1e-4);
                world.settings.solver.max_sweeps = MOST_SWEEPS;
            });
            world.step(&mut Silent)?;
        }
        for (variant, tale) in variants().iter().zip(&tales) {
            tale.print(&format!("{name},{count},{kind},{tolerance:.0e},{variant}"));
        }
    }
    own_ways(&format!("{name},{count},settling"), loose, STEPS_SETTLING)
}

/// Steps by each variant of `auto` on its own way, by the stop test of the world.
fn own_ways(case: &str, start: &AnyWorld, steps: usize) -> Result<(), Box<dyn Error>> {
    for (variant, words) in variants().iter().enumerate() {
        let (mut world, mut tale) = (start.clone(), Tale::default());
        choose(variant);
        for step in 0..steps {
            // A variant may end in a step that fails: what it takes to the end is then without a bound.
            if tale.step(&mut world, steps).is_err() {
                tale.sweeps = f64::INFINITY;
                tale.unconverged += steps - step;
                break;
            }
        }
        tale.print(&format!("{case},default,{words}"));
    }
    choose(0);
    Ok(())
}

/// What the steps of a trajectory took.
#[derive(Default)]
struct Tale {
    /// Passes in the mean of the steps, and in the worst one.
    sweeps: f64,
    most: u32,
    unconverged: usize,
    softened: usize,
    /// The part of the contacts that slid.
    sliding: f64,
    /// Seconds of a step in the mean, by the clock.
    seconds: f64,
}

impl Tale {
    /// A line of a table: what it is of, mean and most passes, steps not converged, seconds a step.
    fn print(&self, what: &str) {
        println!("{what},{:.1},{},{},{:.5}", self.sweeps, self.most, self.unconverged, self.seconds);
    }

    /// Does a step and tells of it.
    fn step(&mut self, world: &mut AnyWorld, steps: usize) -> Result<(), Box<dyn Error>> {
        let start = Instant::now();
        let report = world.step(&mut Silent)?;
        self.seconds += start.elapsed().as_secs_f64() / steps as f64;
        self.sweeps += f64::from(report.sweeps) / steps as f64;
        self.most = self.most.max(report.sweeps);
        self.unconverged += usize::from(!report.converged);
        self.softened += usize::from(report.trace.softened > 0);
        self.sliding += report.sliding as f64 / report.contacts.max(1) as f64 / steps as f64;
        Ok(())
    }
}

/// Goes on for some steps; each of them is also done by `other`, from the same state.
fn trajectory(
    world: &mut AnyWorld,
    steps: usize,
    other: Option<Solver>,
) -> Result<(Tale, Option<Tale>), Box<dyn Error>> {
    let mut own = Tale::default();
    let mut others = other.map(|solver| (solver, Tale::default()));
    for _ in 0..steps {
        if let Some((solver, tale)) = &mut others {
            let mut copy = world.clone();
            for_any_world!(&mut copy, copy => copy.settings.solver.solver = *solver);
            tale.step(&mut copy, steps)?;
        }
        own.step(world, steps)?;
    }
    Ok((own, others.map(|(_, tale)| tale)))
}

/// One step of the packing from nothing and one of the flow from the step before, by all stop tests.
fn accuracies(states: &States) -> Result<(), Box<dyn Error>> {
    let residuals = [1e-2, 1e-3, 1e-4, 1e-5, 1e-6].map(|tolerance| Criterion::Residual { tolerance });
    // The residual that is always enough is put out of reach, so that the velocity alone is judged.
    let motions = [1e-1, 1e-2, 1e-3, 1e-4].map(|velocity| Criterion::Motion { velocity, residual: SHARP });
    let criteria: Vec<Criterion> = residuals.into_iter().chain(motions).chain([Criterion::default()]).collect();
    for (state, start, warm) in [("packing, cold", &states.packed, false), ("flow, warm", &states.flowing, true)] {
        for_any_world!(start, start => compare(states, state, start, warm, &criteria))?;
    }
    Ok(())
}

/// The residual and the most sweeps of the solution to compare with.
const SHARP: f64 = 1e-10;
const SHARP_SWEEPS: u32 = 50_000;

fn compare<D: Dim>(
    states: &States,
    state: &str,
    start: &World<D>,
    warm_start: bool,
    criteria: &[Criterion],
) -> Result<(), Box<dyn Error>> {
    let solved = |solver: Solver, criterion: Criterion, max_sweeps: u32| {
        let mut world = start.clone();
        world.settings.solver = Options { solver, criterion, max_sweeps, warm_start, ..world.settings.solver };
        world.step(&mut Silent).map(|report| (world, report))
    };
    // What one solver cannot do another may; the sharpest solution is the one to compare with.
    let (mut sharp, mut sharpest) = solved(Solver::Auto, Criterion::Residual { tolerance: SHARP }, SHARP_SWEEPS)?;
    for solver in [Solver::Momentum, Solver::GaussSeidel] {
        if !sharpest.converged {
            let other = solved(solver, Criterion::Residual { tolerance: SHARP }, SHARP_SWEEPS)?;
            if other.1.residual < sharpest.residual {
                (sharp, sharpest) = other;
            }
        }
    }
    println!("| {state} | compared with | {} | {:.1e} | | | |", sharpest.sweeps, sharpest.residual);
    let (mut square, mut mass, mut count) = (0.0, 0.0, 0.0);
    for body in sharp.free_bodies() {
        square += sharp.state.velocity[body].dot(sharp.state.velocity[body]);
        mass += sharp.bodies[body].mass;
        count += 1.0;
    }
    let normal: Vec<f64> = sharp.state.contacts.iter().map(|c| c.impulse.dot(c.normal)).filter(|&p| p > 0.0).collect();
    let kick = normal.iter().sum::<f64>() / normal.len() as f64 / (mass / count);
    let walls = sharp.wall_loads();
    let most = walls.iter().map(|wall| wall.force.length()).fold(0.0, f64::max);
    for &criterion in criteria {
        let (world, report) = solved(Solver::Auto, criterion, MOST_SWEEPS)?;
        let errors = sharp.free_bodies().map(|body| world.state.velocity[body] - sharp.state.velocity[body]);
        let error = errors.map(|error| error.dot(error)).sum::<f64>();
        let pairs = world.wall_loads().into_iter().zip(&walls);
        let wall = pairs.map(|(found, wall)| (found.force - wall.force).length()).fold(0.0, f64::max);
        let words = match criterion {
            Criterion::Residual { tolerance } => format!("residual {tolerance:.0e}"),
            Criterion::Motion { velocity, residual } if residual > SHARP => {
                format!("default: motion {velocity:.0e} or residual {residual:.0e}")
            }
            Criterion::Motion { velocity, .. } => format!("motion {velocity:.0e}"),
            other => format!("{other:?}"),
        };
        println!(
            "| {} {} {state} | {words} | {} | {:.1e} | {:.1e} | {:.1e} | {:.1e} |",
            states.name,
            states.count,
            report.sweeps,
            report.residual,
            (error / square).sqrt(),
            (error / count).sqrt() / kick,
            wall / most
        );
    }
    Ok(())
}
