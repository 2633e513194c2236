//! Molecular dynamics averaged over windows δt, beside contact dynamics at that δt (P0's closing suggestion).
//!
//! Two worlds start from the same state and run side by side. And at the moments that are written, a third asks the
//! sharper question: from the state in which molecular dynamics began this window, what does one step of contact
//! dynamics give? Velocities and forces of that step can be set beside the means of the window, contact by contact.

use crate::arguments::{Manner, Overrides};
use crate::failure::{Exit, Failure};
use crate::run::use_threads;
use crate::screen::say;
use riprap_engine::{
    AnyWorld, Dim, GapVariant, Scheme, Silent, State, Status, StepReport, Vector, World, for_any_world,
};
use riprap_measure::plot::{Axis, Chart, Curve, Style};
use riprap_run::{BesideScene, TableFile, load_scene, numerical_choices};
use riprap_scene::{Override, Scene};
use riprap_store::write_atomically;
use std::path::{Path, PathBuf};

/// A row of `compare.csv`: both methods after a step, and the window that ended with it.
struct ComparedRow<'a> {
    /// Molecular dynamics, then contact dynamics: the report of the step, and means over the world.
    sides: [(&'a StepReport, Means); 2],
    /// Root mean square difference of the velocities of the two runs.
    apart: f64,
    window: &'a Window,
}

/// A column: its name, and its cell in a row.
type ComparedColumn = (&'static str, fn(&ComparedRow) -> String);

const SERIES: &[ComparedColumn] = &[
    ("step", |row| row.md().0.step.to_string()),
    ("time_s", |row| number(row.md().0.time)),
    ("md_kinetic_energy_J", |row| number(row.md().0.energy.kinetic)),
    ("cd_kinetic_energy_J", |row| number(row.cd().0.energy.kinetic)),
    ("md_contacts", |row| row.md().0.contacts.to_string()),
    ("cd_contacts", |row| row.cd().0.contacts.to_string()),
    ("md_mean_normal_force_N", |row| number(row.md().1.force)),
    ("cd_mean_normal_force_N", |row| number(row.cd().1.force)),
    ("md_mean_speed_m_s", |row| number(row.md().1.speed)),
    ("cd_mean_speed_m_s", |row| number(row.cd().1.speed)),
    ("md_max_overlap_m", |row| number(row.md().0.max_overlap)),
    ("cd_max_overlap_m", |row| number(row.cd().0.max_overlap)),
    ("md_substeps", |row| row.md().0.substeps.to_string()),
    ("cd_sweeps", |row| row.cd().0.sweeps.to_string()),
    ("apart_velocity_rms_m_s", |row| number(row.apart)),
    ("window_velocity_rms_m_s", |row| number(row.window.velocity_rms)),
    ("window_shared_contacts", |row| row.window.shared.len().to_string()),
    ("window_force_rms_over_mean", |row| number(row.window.force_rms_over_mean)),
    ("window_force_correlation", |row| number(row.window.correlation)),
];

impl ComparedRow<'_> {
    fn md(&self) -> &(&StepReport, Means) {
        &self.sides[0]
    }

    fn cd(&self) -> &(&StepReport, Means) {
        &self.sides[1]
    }
}

fn number(value: f64) -> String {
    format!("{value:e}")
}

const CONTACTS: [&str; 7] = [
    "step",
    "body_1",
    "body_2",
    "md_normal_force_N",
    "cd_normal_force_N",
    "md_tangential_force_N",
    "cd_tangential_force_N",
];

/// Runs a scene by both methods and writes tables and plots of the comparison.
pub fn compare(file: &Path, out: &Path, rows: u32, overrides: &Overrides, manner: &Manner) -> Result<Exit, Failure> {
    use_threads(manner.threads)?;
    let by = |method: &str| -> Result<Scene, Failure> {
        let mut set = overrides.set.clone();
        set.push(Override { path: "method".to_owned(), value: format!("\"{method}\"") });
        Ok(load_scene(file, &set)?)
    };
    let (mut soft, mut rigid) = (by("md")?, by("cd")?);
    let grains = soft.sample(&BesideScene::of(file))?;
    let (soft_world, rigid_world) = (soft.build(&grains)?, rigid.build(&grains)?);
    std::fs::create_dir_all(out).map_err(|error| Failure::writing(out, error))?;
    if !manner.quiet {
        for choice in for_any_world!(&soft_world, md => numerical_choices(&soft, &md.method, &md.settings)) {
            say(format_args!("  {choice}"));
        }
    }
    let comparison = sides([&soft, &rigid], [soft_world, rigid_world], rows, out)?;
    comparison.plot(out)?;
    if !manner.quiet {
        say(comparison.summary(out));
    }
    Ok(Exit::Done)
}

/// The points of the plots.
#[derive(Default)]
struct Comparison {
    energy: [Vec<[f64; 2]>; 2],
    contacts: [Vec<[f64; 2]>; 2],
    force: [Vec<[f64; 2]>; 2],
    velocity_difference: [Vec<[f64; 2]>; 2],
    /// Normal force of each shared contact of the last row, by molecular dynamics and by contact dynamics.
    pairs: Vec<[f64; 2]>,
    last: Option<Window>,
}

/// One window against one step of contact dynamics from the same state.
#[derive(Clone, Default)]
struct Window {
    velocity_rms: f64,
    /// Contacts that carry a force in both, with normal and tangential forces.
    shared: Vec<([u32; 2], [[f64; 2]; 2])>,
    force_rms_over_mean: f64,
    correlation: f64,
}

/// Both worlds, stage by stage; the stages end when they end for molecular dynamics.
fn sides([soft, rigid]: [&Scene; 2], worlds: [AnyWorld; 2], rows: u32, out: &Path) -> Result<Comparison, Failure> {
    let [mut md, mut cd] = worlds;
    let mut series =
        TableFile::create(&out.join("compare.csv"), &SERIES.iter().map(|(name, _)| *name).collect::<Vec<_>>())?;
    let mut contacts = TableFile::create(&out.join("contacts.csv"), &CONTACTS)?;
    let mut comparison = Comparison::default();
    let (mut md_progress, mut cd_progress) = (None, None);
    let failed = |error: riprap_engine::StepError| Failure::new(Exit::RunFailed, error.to_string());
    for (number, stage) in soft.stages().iter().enumerate() {
        let mut progress = soft.enter_stage(number, &mut md, md_progress.as_ref());
        cd_progress = Some(rigid.enter_stage(number, &mut cd, cd_progress.as_ref()));
        // Each step is compared with a window of molecular dynamics.
        for_any_world!(&mut cd, cd => cd.settings.halvings = 0);
        let window = for_any_world!(&md, md => md.settings.time_step);
        let steps = stage.end.time.map(|time| (time / window).ceil() as u64).or(stage.end.steps).unwrap_or(1000);
        let every = (steps / u64::from(rows.max(1))).max(1);
        for step in 1.. {
            let write = step % every == 0 || step == steps;
            let start = if write { Some(md.clone()) } else { None };
            let soft_report = md.step(&mut Silent).map_err(failed)?;
            let rigid_report = cd.step(&mut Silent).map_err(failed)?;
            let ended = progress.ended(&md, &soft_report);
            if let Some(start) = start {
                let window = one_window(&start, &md, &cd).map_err(failed)?;
                comparison.record(&md, &cd, [&soft_report, &rigid_report], window, &mut series)?;
            }
            if ended {
                break;
            }
        }
        md_progress = Some(progress);
    }
    let step = for_any_world!(&md, md => md.state.step);
    if let Some(window) = &comparison.last {
        for (bodies, [normal, tangential]) in &window.shared {
            let numbers = [normal[0], normal[1], tangential[0], tangential[1]].map(|force| format!("{force:e}"));
            let mut row = vec![step.to_string(), bodies[0].to_string(), bodies[1].to_string()];
            row.extend(numbers);
            contacts.row(&row)?;
        }
    }
    series.sync()?;
    contacts.sync()?;
    Ok(comparison)
}

/// A step of contact dynamics from the state in which a window of molecular dynamics began, beside its end.
fn one_window(start: &AnyWorld, md: &AnyWorld, cd: &AnyWorld) -> Result<Window, riprap_engine::StepError> {
    match (start, md, cd) {
        (AnyWorld::D2(start), AnyWorld::D2(md), AnyWorld::D2(cd)) => one_window_in(start, md, cd),
        (AnyWorld::D3(start), AnyWorld::D3(md), AnyWorld::D3(cd)) => one_window_in(start, md, cd),
        _ => unreachable!("all worlds are of one scene"),
    }
}

fn one_window_in<D: Dim>(start: &World<D>, md: &World<D>, cd: &World<D>) -> Result<Window, riprap_engine::StepError> {
    let mut rigid = start.clone();
    rigid.method = cd.method;
    rigid.settings.solver = cd.settings.solver;
    // Soft grains overlap; to push them apart within the step would be another question.
    rigid.settings.scheme = Scheme::Euler { gap: GapVariant::Keep };
    rigid.step(&mut Silent)?;
    let mut window = Window { velocity_rms: velocity_rms(&md.state, &rigid.state, md), ..Window::default() };
    let force = |world: &World<D>, impulse: D::Vector, normal: D::Vector| {
        let force = impulse * (1.0 / world.time_step());
        let along = force.dot(normal);
        [along, (force - normal * along).length()]
    };
    let mut kept: Vec<_> = rigid.state.contacts.iter().filter(|contact| contact.status != Status::Open).collect();
    kept.sort_by_key(|contact| contact.key());
    for contact in md.state.contacts.iter().filter(|contact| contact.status != Status::Open) {
        if let Ok(place) = kept.binary_search_by_key(&contact.key(), |contact| contact.key()) {
            let soft = force(md, contact.impulse, contact.normal);
            let rigid = force(&rigid, kept[place].impulse, kept[place].normal);
            window.shared.push((contact.bodies, [[soft[0], rigid[0]], [soft[1], rigid[1]]]));
        }
    }
    let normal: Vec<[f64; 2]> = window.shared.iter().map(|(_, [normal, _])| *normal).collect();
    let count = normal.len().max(1) as f64;
    let mean = |side: usize| normal.iter().map(|pair| pair[side]).sum::<f64>() / count;
    let means = [mean(0), mean(1)];
    let moment =
        |a: usize, b: usize| normal.iter().map(|pair| (pair[a] - means[a]) * (pair[b] - means[b])).sum::<f64>() / count;
    let difference = normal.iter().map(|pair| (pair[0] - pair[1]).powi(2)).sum::<f64>() / count;
    window.force_rms_over_mean = if means[0] > 0.0 { difference.sqrt() / means[0] } else { 0.0 };
    let spread = (moment(0, 0) * moment(1, 1)).sqrt();
    window.correlation = if spread > 0.0 { moment(0, 1) / spread } else { 0.0 };
    Ok(window)
}

/// Root mean square difference of the velocities of all grains.
fn velocity_rms<D: Dim>(a: &State<D>, b: &State<D>, world: &World<D>) -> f64 {
    let (count, sum) = world.free_bodies().fold((0.0, 0.0), |(count, sum), body| {
        let difference = a.velocity[body] - b.velocity[body];
        (count + 1.0, sum + difference.dot(difference))
    });
    (sum / f64::max(count, 1.0)).sqrt()
}

/// Means over a world.
struct Means {
    /// Mean speed of a grain.
    speed: f64,
    /// Mean normal force of the contacts that bear.
    force: f64,
}

fn means<D: Dim>(world: &World<D>) -> Means {
    let (count, speed) = world
        .free_bodies()
        .fold((0.0, 0.0), |(count, sum), body| (count + 1.0, sum + world.state.velocity[body].length()));
    let bearing = world.state.contacts.iter().filter(|contact| contact.status != Status::Open);
    let (bearing, impulse) = bearing.fold((0.0, 0.0), |(count, sum), c| (count + 1.0, sum + c.impulse.dot(c.normal)));
    Means { speed: speed / f64::max(count, 1.0), force: impulse / f64::max(bearing, 1.0) / world.time_step() }
}

impl Comparison {
    fn record(
        &mut self,
        md: &AnyWorld,
        cd: &AnyWorld,
        reports: [&StepReport; 2],
        window: Window,
        series: &mut TableFile,
    ) -> Result<(), Failure> {
        let apart = match (md, cd) {
            (AnyWorld::D2(md), AnyWorld::D2(cd)) => velocity_rms(&md.state, &cd.state, md),
            (AnyWorld::D3(md), AnyWorld::D3(cd)) => velocity_rms(&md.state, &cd.state, md),
            _ => unreachable!("both worlds are of one scene"),
        };
        let [md_means, cd_means] = [md, cd].map(|world| for_any_world!(world, world => means(world)));
        let row = ComparedRow { sides: [(reports[0], md_means), (reports[1], cd_means)], apart, window: &window };
        series.row(&SERIES.iter().map(|(_, cell)| cell(&row)).collect::<Vec<_>>())?;
        let time = reports[0].time;
        for (side, (report, means)) in row.sides.iter().enumerate() {
            self.energy[side].push([time, report.energy.kinetic]);
            self.contacts[side].push([time, report.contacts as f64]);
            self.force[side].push([time, means.force]);
        }
        self.velocity_difference[0].push([time, apart]);
        self.velocity_difference[1].push([time, window.velocity_rms]);
        self.pairs = window.shared.iter().map(|(_, [normal, _])| *normal).collect();
        self.last = Some(window);
        Ok(())
    }

    fn plot(&self, out: &Path) -> Result<(), Failure> {
        let time = || Axis::linear("time (s)");
        let both = |title: &str, y: Axis, curves: &[Vec<[f64; 2]>; 2], names: [&str; 2]| {
            Chart::new(title, time(), y)
                .with(Curve::new(Style::Line, curves[0].clone()).named(names[0]))
                .with(Curve::new(Style::Dashes, curves[1].clone()).named(names[1]))
        };
        let methods = ["molecular dynamics", "contact dynamics"];
        let most = self.pairs.iter().flatten().copied().fold(0.0, f64::max);
        let charts = [
            ("energy.svg", both("Kinetic energy", Axis::log("kinetic energy (J)"), &self.energy, methods)),
            ("contacts.svg", both("Contacts", Axis::linear("force-carrying contacts"), &self.contacts, methods)),
            ("force.svg", both("Mean normal force", Axis::linear("mean normal force (N)"), &self.force, methods)),
            (
                "velocities.svg",
                both(
                    "Velocity difference",
                    Axis::log("root mean square (m/s)"),
                    &self.velocity_difference,
                    ["runs side by side", "one window from the same state"],
                ),
            ),
            (
                "forces.svg",
                Chart::new(
                    "Normal forces in one window",
                    Axis::linear("mean over the window, molecular dynamics (N)"),
                    Axis::linear("one step of contact dynamics (N)"),
                )
                .with(Curve::new(Style::Points, self.pairs.clone()).named("contacts"))
                .with(Curve::new(Style::Dashes, vec![[0.0, 0.0], [most, most]]).named("equal")),
            ),
        ];
        for (name, chart) in charts {
            let path: PathBuf = out.join(name);
            write_atomically(&path, |file| file.write_all(chart.draw().svg().as_bytes()))
                .map_err(|error| Failure::new(Exit::Unwritable, error.to_string()))?;
        }
        Ok(())
    }

    fn summary(&self, out: &Path) -> String {
        let Some(window) = &self.last else { return "no window was compared".to_owned() };
        let last = |points: &[Vec<[f64; 2]>; 2], side: usize| points[side].last().map_or(0.0, |point| point[1]);
        format!(
            "at the end: {} contacts with molecular dynamics and {} with contact dynamics, mean normal force {:.3e} and \
             {:.3e} N\n\
             last window, from the same state: {} shared contacts, forces differ by {:.3} of the mean (correlation {:.4}), \
             velocities by {:.3e} m/s\nwritten to {}",
            last(&self.contacts, 0),
            last(&self.contacts, 1),
            last(&self.force, 0),
            last(&self.force, 1),
            window.shared.len(),
            window.force_rms_over_mean,
            window.correlation,
            window.velocity_rms,
            out.display()
        )
    }
}
