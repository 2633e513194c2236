//! What the scene leaves open is chosen here, from its sizes and speeds, with the reason in words.

mod faces;
mod plausible;
mod shaking;
mod sieve;
mod soft;
mod time_step;

pub(crate) use time_step::{
    IDLE_STEP, STEP_OVER_FALL, STEP_OVER_RADIUS, STEP_OVER_RADIUS_IMPOSED, STEP_OVER_RANGE, STEP_STRAIN,
    STEP_STRAIN_IMPOSED, STEPS_PER_PERIOD, STEPS_PER_SWING,
};

use crate::Scene;
use crate::bodies::volume_and_thickness;
use crate::lower::DEFAULT_SPACING;
use crate::model::*;
use crate::raw::quoted;
use crate::sizes::Size;
use crate::vector::*;
use riprap_engine::{Criterion, D2, D3, Dim, GrainTable, MOTION_PER_STEP};

/// How often steps may be halved where the scene leaves their length open: the third halving costs a deposit an eighth more and
/// brings friction's share of the dissipation from 5 to 3.5 % below molecular dynamics (docs/time-step.md, "Halved steps").
const HALVINGS: u32 = 3;

/// The steps after which a stage ends that has no other limit.
pub(crate) const STEP_LIMIT: u64 = 1_000_000;

/// The gap up to which pairs touch under the midpoint scheme, over the smallest radius. At zero, rounding alone opens
/// contacts: a pushed block slides 13 % too far. The default stop test leaves up to 8e-3 of the velocity of a fall
/// over one step, which in half of the longest default step ([`STEP_OVER_FALL`]) is a gap of 8e-5 radii.
pub(crate) const TOUCHING: f64 = 1e-4;

/// One thing that was chosen.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Choice {
    /// The key, as `--set` would name it.
    pub path: String,
    /// The TOML value.
    pub literal: String,
    /// Why this value.
    pub reason: String,
    /// Whether it is worth a line on the screen; what merely follows from the scene is written out only.
    pub announced: bool,
}

impl Scene {
    /// What was chosen for the scene and why, one line each; complete once the world has been built. The keys can be
    /// given in the scene, or on the command line, to choose otherwise.
    pub fn choices(&self) -> Vec<String> {
        let announced = self.chosen.iter().filter(|choice| choice.announced);
        announced.map(|choice| format!("{} = {}: {}", choice.path, choice.literal, choice.reason)).collect()
    }

    /// Chooses everything that is still open.
    pub(crate) fn settle(&mut self, grains: &GrainTable) {
        let mut chosen = Chosen(std::mem::take(&mut self.chosen));
        let mass = Measures::of(&self.model, grains).mass;
        let rows = grains.len();
        let grains = &self.typical_grains(grains);
        if chosen.0.is_empty() {
            chosen.0 = faces::settle_faces(&self.root, &mut self.model, grains);
            chosen.0.extend(self.implied());
        }
        let model = &mut self.model;
        let mut measures = Measures::of(model, grains);
        if mass > 0.0 {
            measures.mass = mass;
        }
        settle_spacings(model, &mut chosen);
        settle_waits(model, &mut chosen);
        settle_masses(model, measures.mass, &mut chosen);
        settle_halvings(model, &mut chosen);
        if model.solver.time_step.is_none() {
            let (time_step, reason) = time_step::time_step(model, &measures, grains);
            model.solver.time_step = Some(time_step);
            chosen.add("solver.time_step".to_owned(), number(time_step), reason);
        }
        settle_midpoint_tolerance(model, measures.smallest_radius, &mut chosen);
        for (path, literal, reason) in soft::settle_soft(model, &measures, grains) {
            chosen.add(path, literal, reason);
        }
        self.remarks = soft::stiffness_in_words(model, &measures);
        self.remarks.extend(shaking::drift_in_words(model));
        self.remarks.extend(plausible::hints(&self.root, model));
        self.remarks.extend(sieve::drawn(model, &grains.first(rows)));
        settle_ends(model, measures.mean_diameter, &mut chosen);
        settle_intervals(model, &mut chosen);
        self.chosen = chosen.0;
    }
}

/// What was chosen so far.
struct Chosen(Vec<Choice>);

impl Chosen {
    fn add(&mut self, path: String, literal: String, reason: String) {
        self.0.push(Choice { path, literal, reason, announced: true });
    }
}

/// The spacings of lattices.
fn settle_spacings(model: &mut Model, chosen: &mut Chosen) {
    for (index, entry) in model.grains.iter_mut().enumerate() {
        if let Sample::Lattice { spacing: spacing @ None, .. } = &mut entry.sample {
            let diameter = 2.0 * entry.size.bounds().1;
            *spacing = Some(diameter * DEFAULT_SPACING);
            let reason = format!("{DEFAULT_SPACING} times the largest diameter, {diameter} m");
            chosen.add(format!("grains.{index}.spacing"), number(diameter * DEFAULT_SPACING), reason);
        }
    }
}

/// How long what is due at an inlet may wait.
fn settle_waits(model: &mut Model, chosen: &mut Chosen) {
    let (gravity, dimension) = (model.gravity.acceleration, model.dimension);
    for (index, inlet) in model.inlets.iter_mut().enumerate() {
        if inlet.wait.is_some() || inlet.rate.is_none() {
            continue;
        }
        let time = inlet.place.clearing_time(inlet.velocity, gravity, inlet.size.bounds().1, dimension);
        // An inlet that grains never leave has a total that fits into it, and no reason to refuse any of it.
        let wait = if time.is_finite() { round(time, 2) } else { 1e9 };
        inlet.wait = Some(wait);
        let reason = "time in s in which a grain leaves the inlet".to_owned();
        chosen.add(format!("inlets.{index}.wait"), number(wait), reason);
    }
}

/// The masses of walls under a load: that of all grains.
fn settle_masses(model: &mut Model, mass: f64, chosen: &mut Chosen) {
    for (path, driver) in drivers_mut(model) {
        if driver.needs_mass() && driver.mass.is_none() {
            driver.mass = Some(mass);
            chosen.add(format!("{path}.mass"), number(mass), "the total mass of the grains, in kg".to_owned());
        }
    }
}

/// How often steps may be halved: not at all where the scene or a stage says how long they are, and where it was not measured
/// that halving brings anything. Grains that are pressed by a wall under a load shake it in shorter steps, in which contacts
/// generate ten times the energy (docs/time-step.md, "What is left").
fn settle_halvings(model: &mut Model, chosen: &mut Chosen) {
    let is_even = |solver: &SolverSpec| {
        solver.time_step.is_some()
            || solver.scheme == Some(SchemeSpec::Midpoint)
            || solver.stiffness.is_some()
            || matches!(solver.criterion, Some(Criterion::Fixed { .. }))
    };
    let is_pressed = time_step::all_drivers(model).any(Driver::needs_mass);
    let mut choose = |path: String, literal: String, reason: &str| {
        chosen.0.push(Choice { path, literal, reason: reason.to_owned(), announced: false });
    };
    if model.solver.halvings.is_none() {
        let (halvings, reason) = if model.method != MethodSpec::Cd || is_pressed || is_even(&model.solver) {
            (
                0,
                "steps of one length for this method, scheme, criterion, stiffness, wall under a load or given time step",
            )
        } else {
            (HALVINGS, "how often a step may be halved while grains move against each other")
        };
        model.solver.halvings = Some(halvings);
        choose("solver.halvings".to_owned(), halvings.to_string(), reason);
    }
    if model.solver.motion_per_step.is_none() {
        model.solver.motion_per_step = Some(MOTION_PER_STEP);
        let reason = "the motion over the smallest radius from which on a step is halved";
        choose("solver.motion_per_step".to_owned(), number(MOTION_PER_STEP), reason);
    }
    for (index, stage) in model.stages.iter_mut().enumerate() {
        if is_even(&stage.solver) && stage.solver.halvings.is_none() {
            stage.solver.halvings = Some(0);
            let reason = "steps of one length for this scheme, criterion, stiffness or given time step";
            choose(format!("stages.{index}.solver.halvings"), "0".to_owned(), reason);
        }
    }
}

/// The gap up to which pairs touch, where any stage has the midpoint scheme.
fn settle_midpoint_tolerance(model: &mut Model, smallest_radius: f64, chosen: &mut Chosen) {
    let is_midpoint = |solver: &SolverSpec| solver.scheme == Some(SchemeSpec::Midpoint);
    let is_used = model.method == MethodSpec::Acd2
        || is_midpoint(&model.solver)
        || model.stages.iter().any(|stage| is_midpoint(&stage.solver));
    if is_used && model.solver.midpoint_tolerance.is_none() && smallest_radius.is_finite() {
        let tolerance = round(TOUCHING * smallest_radius, 2);
        model.solver.midpoint_tolerance = Some(tolerance);
        let reason = format!("in m, {TOUCHING} of the smallest radius, {smallest_radius:.3e} m");
        chosen.add("solver.midpoint_tolerance".to_owned(), number(tolerance), reason);
    }
}

/// Step limits and holding times of the ends of stages.
fn settle_ends(model: &mut Model, mean_diameter: f64, chosen: &mut Chosen) {
    let time_step = model.solver.time_step.unwrap_or(IDLE_STEP);
    for (index, stage) in model.stages.iter_mut().enumerate() {
        let end = &mut stage.end;
        let time_step = stage.solver.time_step.unwrap_or(time_step);
        if (end.may_end_early() || end.strain.is_some()) && end.time.is_none() && end.steps.is_none() {
            end.steps = Some(STEP_LIMIT);
            let reason = "step limit, because the other criteria may never end the stage".to_owned();
            chosen.add(format!("stages.{index}.end.steps"), STEP_LIMIT.to_string(), reason);
        }
        if end.has_to_last() && end.hold.is_none() {
            let gravity = length(stage.gravity.unwrap_or(model.gravity.acceleration));
            let (hold, reason) = if gravity > 0.0 {
                let hold = round((mean_diameter / gravity).sqrt(), 2);
                (hold, "time in s in which a grain falls half its diameter from rest".to_owned())
            } else {
                (round(100.0 * time_step, 2), "100 steps, in s, because there is no gravity".to_owned())
            };
            end.hold = Some(hold);
            chosen.add(format!("stages.{index}.end.hold"), number(hold), reason);
        }
    }
}

/// The intervals of outputs.
fn settle_intervals(model: &mut Model, chosen: &mut Chosen) {
    let time_step = model.solver.time_step.unwrap_or(IDLE_STEP);
    let duration = |stage: &Stage| {
        let steps = stage.end.steps.filter(|&steps| steps != STEP_LIMIT);
        let time_step = stage.solver.time_step.unwrap_or(time_step);
        stage.end.time.or(steps.map(|steps| steps as f64 * time_step))
    };
    let known: Option<f64> = model.stages.iter().map(duration).sum();
    let mut interval = |open: &mut Option<f64>, key: &str, parts: f64, steps: f64| {
        if open.is_some() {
            return;
        }
        let (value, reason) = match known {
            Some(time) => {
                (round(time / parts, 4), format!("in s, 1/{parts} of the total duration of all stages, {time:.3} s"))
            }
            None if steps == 0.0 => (0.0, "every step, because the total duration of all stages is unknown".to_owned()),
            None => {
                (steps * time_step, format!("{steps} steps, in s, because the total duration of all stages is unknown"))
            }
        };
        *open = Some(value);
        chosen.add(format!("outputs.{key}"), number(value), reason);
    };
    interval(&mut model.outputs.snapshot_interval, "snapshot_interval", 50.0, 1000.0);
    interval(&mut model.outputs.series_interval, "series_interval", 1000.0, 0.0);
}

impl Scene {
    /// What is not written in the scene but follows from it, whatever the grains are.
    fn implied(&self) -> Vec<Choice> {
        let (root, model) = (&self.root, &self.model);
        let mut implied = Vec::new();
        let mut choose = |path: String, literal: String, reason: &str| {
            implied.push(Choice { path, literal, reason: reason.to_owned(), announced: false });
        };
        if model.cell_from_snapshot {
            let (periodic, origin) = cell_literals(model);
            choose("domain.periodic".to_owned(), periodic, "the cell of the snapshot");
            choose("domain.origin".to_owned(), origin, "the cell of the snapshot");
        }
        let only_material = || quoted(&model.materials[0].name);
        for (index, _) in root.tables("walls").enumerate().filter(|(_, (table, _))| !table.has("material")) {
            choose(format!("walls.{index}.material"), only_material(), "the only material");
        }
        for (index, _) in root.tables("inlets").enumerate().filter(|(_, (table, _))| !table.has("material")) {
            choose(format!("inlets.{index}.material"), only_material(), "the only material");
        }
        for (index, ((table, _), entry)) in root.tables("grains").zip(&model.grains).enumerate() {
            let from_file = matches!(entry.sample, Sample::File { .. });
            if !table.has("material") && !from_file {
                choose(format!("grains.{index}.material"), only_material(), "the only material");
            }
            let (key, factor) = if table.has("diameter") { ("diameter", 2.0) } else { ("radius", 1.0) };
            let law = match entry.size {
                Size::Normal { .. } => "normal",
                Size::LogNormal { .. } => "log_normal",
                _ => "",
            };
            let given = table.table(key).and_then(|size| size.table(law));
            let (min, max) = entry.size.bounds();
            for (end, value) in [("min", min), ("max", max)] {
                if given.is_some_and(|given| !given.has(end)) {
                    choose(
                        format!("grains.{index}.{key}.{law}.{end}"),
                        number(factor * value),
                        "three standard deviations from the centre",
                    );
                }
            }
            if let Sample::Lattice { region, .. } | Sample::Random { region, .. } | Sample::Rain { region, .. } =
                &entry.sample
                && !table.has("region")
                && region.round.is_none()
                && region.upper.iter().all(|x| x.is_finite())
            {
                let corner = |point: Point| {
                    let numbers: Vec<String> = point[..model.dimension].iter().map(|&x| number(x)).collect();
                    format!("[{}]", numbers.join(", "))
                };
                let literal =
                    format!("{{ box = {{ lower = {}, upper = {} }} }}", corner(region.lower), corner(region.upper));
                choose(format!("grains.{index}.region"), literal, "the space inside the walls and periods");
            }
        }
        let gap_is_open = root.table("solver").is_some_and(|solver| !solver.has("gap"));
        for (index, ((table, _), stage)) in root.tables("stages").zip(&model.stages).enumerate() {
            let stiff = table.table("solver").is_some_and(|solver| solver.has("stiffness") && !solver.has("gap"));
            if gap_is_open && stiff {
                choose(
                    format!("stages.{index}.solver.gap"),
                    faces::word(stage.solver.gap),
                    "overlaps are the deformation of contacts",
                );
            }
        }
        for (index, ((table, _), stage)) in root.tables("stages").zip(&model.stages).enumerate() {
            if let Some(strain) = stage.end.strain
                && table.table("end").is_some_and(|end| !end.has("axis"))
            {
                let axis = quoted(AXIS_NAMES[strain.axis]);
                choose(format!("stages.{index}.end.axis"), axis, "the axis of the wall's normal");
            }
        }
        implied
    }
}

/// Periods and origin of the cell as TOML.
fn cell_literals(model: &Model) -> (String, String) {
    let periods = (0..model.dimension).filter(|&axis| model.period[axis] > 0.0);
    let mut parts: Vec<String> =
        periods.map(|axis| format!("{} = {}", AXIS_NAMES[axis], number(model.period[axis]))).collect();
    if model.tilt != 0.0 {
        parts.push(format!("shift = {}", number(model.tilt)));
    }
    let origin: Vec<String> = model.origin[..model.dimension].iter().map(|&x| number(x)).collect();
    (format!("{{ {} }}", parts.join(", ")), format!("[{}]", origin.join(", ")))
}

/// A number as TOML; it reads back as the same number.
fn number(value: f64) -> String {
    format!("{value:?}")
}

/// A number of few digits: more would pretend that the choice is finer than it is.
fn round(value: f64, digits: usize) -> f64 {
    format!("{value:.*e}", digits - 1).parse().unwrap_or(value)
}

/// All drivers with the paths of their entries.
fn drivers_mut(model: &mut Model) -> impl Iterator<Item = (String, &mut Driver)> {
    let top = model.drivers.iter_mut().enumerate().map(|(i, driver)| (format!("drivers.{i}"), driver));
    let stages = model.stages.iter_mut().enumerate().flat_map(|(s, stage)| {
        let entries = stage.drivers.iter_mut().enumerate();
        entries.map(move |(i, driver)| (format!("stages.{s}.drivers.{i}"), driver))
    });
    top.chain(stages)
}

/// Sizes, masses and speeds of a sample.
struct Measures {
    /// Of a grain that is not a ball, the radius of the ball about its centre that it holds.
    smallest_radius: f64,
    mean_diameter: f64,
    /// Of all grains.
    mass: f64,
    /// Of each grain.
    masses: Vec<f64>,
    lightest: f64,
    /// The largest speed of a point of a grain at the start.
    speed: f64,
    lower: Point,
    upper: Point,
}

impl Measures {
    fn of(model: &Model, grains: &GrainTable) -> Self {
        let mut measures = Measures {
            smallest_radius: f64::INFINITY,
            mean_diameter: 2.0 * grains.radius.iter().sum::<f64>() / grains.len().max(1) as f64,
            mass: 0.0,
            masses: Vec::with_capacity(grains.len()),
            lightest: f64::INFINITY,
            speed: 0.0,
            lower: [f64::INFINITY; 3],
            upper: [f64::NEG_INFINITY; 3],
        };
        // A form that is no body has been reported before; here it counts for nothing.
        let forms: Vec<(f64, f64)> =
            grains.forms.iter().map(|form| volume_and_thickness(form, model.dimension).unwrap_or_default()).collect();
        for (index, &radius) in grains.radius.iter().enumerate() {
            let form = grains.form.get(index).copied().flatten().map(|form| forms[form as usize]);
            let material = grains.material.get(index).and_then(|name| model.materials.iter().find(|m| m.name == *name));
            let density = material.unwrap_or(&model.materials[0]).density.unwrap_or(0.0);
            let ball = if model.dimension == 2 { D2::ball_volume(radius) } else { D3::ball_volume(radius) };
            let (volume, thickness) = form.unwrap_or((ball, radius));
            let volume = if model.dimension == 2 { volume * model.thickness } else { volume };
            measures.mass += density * volume;
            measures.masses.push(density * volume);
            measures.lightest = measures.lightest.min(density * volume);
            measures.smallest_radius = measures.smallest_radius.min(thickness);
            let speed = length(grains.velocity.get(index).copied().unwrap_or_default());
            let spin = length(grains.spin.get(index).copied().unwrap_or_default());
            measures.speed = measures.speed.max(speed + radius * spin);
            for axis in 0..3 {
                let x = grains.position[index][axis];
                let radius = if axis < model.dimension { radius } else { 0.0 };
                measures.lower[axis] = measures.lower[axis].min(x - radius);
                measures.upper[axis] = measures.upper[axis].max(x + radius);
            }
        }
        measures
    }

    fn extent(&self) -> f64 {
        length(sub(self.upper, self.lower))
    }
}
