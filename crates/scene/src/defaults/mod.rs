//! What the scene leaves open is chosen here, from its sizes and speeds, with the reason in words.

mod faces;
mod soft;

use crate::Scene;
use crate::bodies::volume_and_thickness;
use crate::lower::{DEFAULT_SPACING, SpanSpec, cell_spans, loaded_spans};
use crate::model::*;
use crate::raw::quoted;
use crate::sizes::Size;
use crate::vector::*;
use crate::world::materials;
use riprap_engine::{D2, D3, Dim, GrainTable, Stretch, TimeFunction};

/// The part of the smallest radius that the fastest grain may move in one step: a speed that few grains reach, and not
/// for long.
pub(crate) const STEP_OVER_RADIUS: f64 = 0.5;
/// The same for a wall whose velocity is imposed: grains follow it all the time, and the overlap that the turning of
/// contact normals within a step leaves grows with the square of the step.
pub(crate) const STEP_OVER_RADIUS_IMPOSED: f64 = 0.2;
/// The strain of a periodic cell in one step, at a rate that is imposed and at one that it may reach under a pressure.
pub(crate) const STEP_STRAIN_IMPOSED: f64 = 0.01;
/// See [`STEP_STRAIN_IMPOSED`]: few steps are that fast.
pub(crate) const STEP_STRAIN: f64 = 0.02;
/// How far a cell is expected to give way freely before its grains resist.
const FREE_STRAIN: f64 = 0.2;
/// The longest step over the time of a fall by half of the smallest diameter.
pub(crate) const STEP_OVER_FALL: f64 = 0.1;
/// The steps in one period of the fastest oscillation that is imposed.
pub(crate) const STEPS_PER_PERIOD: f64 = 100.0;
/// The steps in one period of the fastest swing of grains on springs and membranes: the force is that of the middle of a
/// step, by which the frequency is wrong by `(2π/20)²/24`, less than a half percent; beyond π steps nothing would hold.
pub(crate) const STEPS_PER_SWING: f64 = 20.0;
/// The part of the range of cohesion over which two grains may move apart in one step, at the largest speed that cohesion
/// stops: the work of opening a contact, `E_C`, is then right to this part at worst.
pub(crate) const STEP_OVER_RANGE: f64 = 0.1;
/// The step of a scene in which nothing sets a time.
pub(crate) const IDLE_STEP: f64 = 1e-3;
/// The steps after which a stage ends that has no other limit.
pub(crate) const STEP_LIMIT: u64 = 1_000_000;

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
        let mut chosen = std::mem::take(&mut self.chosen);
        if chosen.is_empty() {
            chosen = faces::settle_faces(&self.root, &mut self.model, grains);
            chosen.extend(self.implied());
        }
        let mut choose = |path: String, literal: String, reason: String| {
            chosen.push(Choice { path, literal, reason, announced: true });
        };
        let model = &mut self.model;
        let measures = Measures::of(model, grains);

        for (index, entry) in model.grains.iter_mut().enumerate() {
            if let Sample::Lattice { spacing: spacing @ None, .. } = &mut entry.sample {
                let diameter = 2.0 * entry.size.bounds().1;
                *spacing = Some(diameter * DEFAULT_SPACING);
                let reason = format!("{DEFAULT_SPACING} times the largest diameter, {diameter} m");
                choose(format!("grains.{index}.spacing"), number(diameter * DEFAULT_SPACING), reason);
            }
        }
        for (path, driver) in drivers_mut(model) {
            if driver.needs_mass() && driver.mass.is_none() {
                driver.mass = Some(measures.mass);
                choose(format!("{path}.mass"), number(measures.mass), "the total mass of the grains, in kg".to_owned());
            }
        }
        if model.solver.time_step.is_none() {
            let (time_step, reason) = time_step(model, &measures, grains);
            model.solver.time_step = Some(time_step);
            choose("solver.time_step".to_owned(), number(time_step), reason);
        }
        for (path, literal, reason) in soft::settle_soft(model, &measures, grains) {
            choose(path, literal, reason);
        }
        self.remarks = soft::stiffness_in_words(model, &measures);
        let time_step = model.solver.time_step.unwrap_or(IDLE_STEP);
        for (index, stage) in model.stages.iter_mut().enumerate() {
            let end = &mut stage.end;
            let time_step = stage.solver.time_step.unwrap_or(time_step);
            if (end.judges_rest() || end.strain.is_some()) && end.time.is_none() && end.steps.is_none() {
                end.steps = Some(STEP_LIMIT);
                let reason = "step limit, because the other criteria may never end the stage".to_owned();
                choose(format!("stages.{index}.end.steps"), STEP_LIMIT.to_string(), reason);
            }
            if end.judges_rest() && end.hold.is_none() {
                let gravity = length(stage.gravity.unwrap_or(model.gravity.acceleration));
                let (hold, reason) = if gravity > 0.0 {
                    let hold = round((measures.mean_diameter / gravity).sqrt(), 2);
                    (hold, "time in s in which a grain falls half its diameter from rest".to_owned())
                } else {
                    (round(100.0 * time_step, 2), "100 steps, in s, because there is no gravity".to_owned())
                };
                end.hold = Some(hold);
                choose(format!("stages.{index}.end.hold"), number(hold), reason);
            }
        }
        let known: Option<f64> = model
            .stages
            .iter()
            .map(|stage| {
                let steps = stage.end.steps.filter(|&steps| steps != STEP_LIMIT);
                let time_step = stage.solver.time_step.unwrap_or(time_step);
                stage.end.time.or(steps.map(|steps| steps as f64 * time_step))
            })
            .sum();
        let mut interval = |open: &mut Option<f64>, key: &str, parts: f64, steps: f64| {
            if open.is_some() {
                return;
            }
            let (value, reason) = match known {
                Some(time) => (
                    round(time / parts, 4),
                    format!("in s, 1/{parts} of the total duration of all stages, {time:.3} s"),
                ),
                None if steps == 0.0 => {
                    (0.0, "every step, because the total duration of all stages is unknown".to_owned())
                }
                None => (
                    steps * time_step,
                    format!("{steps} steps, in s, because the total duration of all stages is unknown"),
                ),
            };
            *open = Some(value);
            choose(format!("outputs.{key}"), number(value), reason);
        };
        interval(&mut model.outputs.snapshot_interval, "snapshot_interval", 50.0, 1000.0);
        interval(&mut model.outputs.series_interval, "series_interval", 1000.0, 0.0);
        self.chosen = chosen;
    }
}

impl Scene {
    /// What is not written in the scene but follows from it, whatever the grains are.
    fn implied(&self) -> Vec<Choice> {
        let (root, model) = (&self.root, &self.model);
        let mut implied = Vec::new();
        let mut choose = |path: String, literal: String, reason: &str| {
            implied.push(Choice { path, literal, reason: reason.to_owned(), announced: false });
        };
        let only_material = || quoted(&model.materials[0].name);
        for (index, _) in root.tables("walls").enumerate().filter(|(_, (table, _))| !table.has("material")) {
            choose(format!("walls.{index}.material"), only_material(), "the only material");
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

/// The time step by which nothing moves far in one step, and why.
fn time_step(model: &Model, measures: &Measures, grains: &GrainTable) -> (f64, String) {
    let gravity = model
        .stages
        .iter()
        .map(|stage| stage.gravity.unwrap_or(model.gravity.acceleration))
        .max_by(|a, b| length(*a).total_cmp(&length(*b)))
        .unwrap_or_default();
    let speeds = [
        (free_speed(model, measures, grains, gravity), STEP_OVER_RADIUS, "free fall or initial speed"),
        (imposed_speed(model, measures), STEP_OVER_RADIUS_IMPOSED, "imposed on a wall"),
        (loaded_speed(model, measures, grains), STEP_OVER_RADIUS, "a wall accelerated by its load"),
    ];
    let radius = measures.smallest_radius;
    let mut step = (f64::INFINITY, String::new());
    let mut limit = |value: f64, reason: String| {
        if value < step.0 {
            step = (value, reason);
        }
    };
    for (speed, part, cause) in speeds.into_iter().filter(|(speed, ..)| *speed > 0.0) {
        limit(
            part * radius / speed,
            format!(
                "time in s in which the expected speed, {speed:.3} m/s ({cause}), covers {part} of the smallest radius, \
                 {radius:.3e} m"
            ),
        );
    }
    for (rate, part, cause) in cell_rates(model, measures) {
        limit(part / rate, format!("time in s in which the cell strains by {part} ({cause}, {rate:.3} per second)"));
    }
    if length(gravity) > 0.0 {
        let fall = (2.0 * radius / length(gravity)).sqrt();
        limit(
            STEP_OVER_FALL * fall,
            format!("{STEP_OVER_FALL} of the time in s in which the smallest grain falls half its diameter"),
        );
    }
    if let Some((time, force, range)) = opening_time(model, measures) {
        let reason = format!(
            "time in s in which grains just held by cohesion, {force:.3e} N over {range:.3e} m, separate by \
             {STEP_OVER_RANGE} of that range"
        );
        limit(STEP_OVER_RANGE * time, reason);
    }
    // Short steps of molecular dynamics resolve this by themselves.
    let tied = soft::tied_stiffness(model, grains);
    if tied > 0.0 && model.method != MethodSpec::Md {
        let period = std::f64::consts::TAU * (0.5 * measures.lightest / tied).sqrt();
        let reason = format!(
            "in s, 1/{STEPS_PER_SWING} of the period, {period:.3e} s, of the lightest grain on springs of {tied:.3e} N/m"
        );
        limit(period / STEPS_PER_SWING, reason);
    }
    let frequency = functions(model).map(frequency).fold(0.0, f64::max);
    if frequency > 0.0 {
        let reason = format!("in s, 1/{STEPS_PER_PERIOD} of the period of the fastest oscillation, {frequency} Hz");
        limit(1.0 / (STEPS_PER_PERIOD * frequency), reason);
    }
    if step.0.is_finite() {
        (round(step.0, 2), step.1)
    } else {
        (IDLE_STEP, "in s; nothing in the scene sets a time scale".to_owned())
    }
}

/// The shortest time in which two of the lightest grains cross the range of their cohesion at the largest speed that it
/// stops, `d_C/√(2 F_C d_C/m*)`, with its force and range.
fn opening_time(model: &Model, measures: &Measures) -> Option<(f64, f64, f64)> {
    let materials = materials(model, None);
    let grains: Vec<u16> =
        (0..model.materials.len()).filter(|&i| model.materials[i].density.is_some()).map(|i| i as u16).collect();
    let (mass, radius) = (0.5 * measures.lightest, 0.5 * measures.smallest_radius);
    let pairs = grains.iter().flat_map(|&a| grains.iter().map(move |&b| (a, b)));
    pairs
        .filter_map(|(a, b)| materials.pair(a, b).cohesion)
        .map(|cohesion| (cohesion.force(radius), cohesion.range(radius)))
        .filter(|&(force, range)| force > 0.0 && range > 0.0)
        .map(|(force, range)| ((0.5 * mass * range / force).sqrt(), force, range))
        .min_by(|a, b| a.0.total_cmp(&b.0))
}

/// The speed of grains that fall to the ground, pulled by loads as well, from their speed at the start.
fn free_speed(model: &Model, measures: &Measures, grains: &GrainTable, gravity: Point) -> f64 {
    let load = model
        .loads
        .iter()
        .chain(model.stages.iter().flat_map(|stage| &stage.loads))
        .map(|load| length(load.force.each_ref().map(TimeFunction::largest)))
        .fold(0.0, f64::max);
    let pulled = load / measures.lightest * measures.extent();
    let fall = match unit(gravity) {
        Some(down) => length(gravity) * fall_height(model, measures, grains, down),
        None => 0.0,
    };
    (measures.speed * measures.speed + 2.0 * (pulled + fall)).sqrt()
}

/// How far a grain can fall: to the planes or drums below it, or else through the whole sample.
fn fall_height(model: &Model, measures: &Measures, grains: &GrainTable, down: Point) -> f64 {
    let depth = |position: Point| {
        let floors = model.walls.iter().filter_map(|wall| wall.shape.depth_below(position, down));
        floors.fold(f64::INFINITY, f64::min)
    };
    let through: f64 = (0..3).map(|i| (measures.upper[i] - measures.lower[i]) * down[i].abs()).sum();
    let deepest = grains.position.iter().map(|&position| depth(position)).fold(0.0, f64::max);
    let height = if deepest.is_finite() { deepest } else { through };
    height.max(measures.mean_diameter)
}

/// The largest speed that a driver imposes on a point of its wall.
fn imposed_speed(model: &Model, measures: &Measures) -> f64 {
    all_drivers(model)
        .map(|driver| {
            let translation = driver.translation.each_ref().map(|drive| match drive {
                Some(Drive::Velocity(velocity)) => velocity.largest(),
                _ => 0.0,
            });
            let reach = model.walls[driver.wall].shape.arm().unwrap_or_else(|| measures.extent());
            let turn = match &driver.rotation {
                Some(Rotation { turn: Turn::Velocity(velocity), .. }) => velocity.largest() * reach,
                _ => 0.0,
            };
            length(translation) + turn
        })
        .fold(0.0, f64::max)
}

/// The speed with which a wall under a force or pressure meets the grains: over its distance to them and a diameter.
fn loaded_speed(model: &Model, measures: &Measures, grains: &GrainTable) -> f64 {
    let mut most = 0.0_f64;
    for driver in all_drivers(model) {
        let mass = driver.mass.unwrap_or(measures.mass);
        for (axis, drive) in driver.translation.iter().enumerate() {
            let force = match drive {
                Some(Drive::Force(force)) => force.largest(),
                Some(Drive::Pressure(pressure)) => pressure.largest() * area(model, driver, axis),
                _ => continue,
            };
            let shape = &model.walls[driver.wall].shape;
            let gap = grains
                .position
                .iter()
                .zip(&grains.radius)
                .map(|(&position, radius)| shape.gap(model.dimension, position) - radius)
                .fold(f64::INFINITY, f64::min)
                .max(0.0);
            most = most.max((2.0 * force / mass * (gap + measures.mean_diameter)).sqrt());
        }
    }
    most
}

/// The rates at which cells are strained, with the strain of a step that is meant for each and its cause.
fn cell_rates(model: &Model, measures: &Measures) -> Vec<(f64, f64, &'static str)> {
    let volume: f64 = model.period.iter().filter(|&&period| period > 0.0).product::<f64>()
        * cell_spans(&model.walls, model.period, model.dimension).map_or(1.0, |spans| length_of(model, spans));
    let mut rates = Vec::new();
    for cell in all_cells(model) {
        for (axis, stretch) in cell.stretch.iter().enumerate() {
            match stretch {
                Stretch::Fixed => {}
                Stretch::Rate(rate) => rates.push((rate.largest(), STEP_STRAIN_IMPOSED, "imposed rate")),
                Stretch::Pressure(pressure) => {
                    let inertia = cell.mass * measures.mass * model.period[axis].powi(2) / 12.0;
                    let rate = (2.0 * FREE_STRAIN * pressure.largest() * volume / inertia).sqrt();
                    rates.push((rate, STEP_STRAIN, "expected rate under the pressure"));
                }
            }
        }
        rates.extend(cell.shear.iter().map(|shear| (shear.largest(), STEP_STRAIN_IMPOSED, "imposed shear rate")));
    }
    rates.retain(|(rate, ..)| *rate > 0.0);
    rates
}

fn all_cells(model: &Model) -> impl Iterator<Item = &CellSpec> {
    model.cell.iter().chain(model.stages.iter().filter_map(|stage| stage.cell.as_ref()))
}

/// The product of spans at the start, with the thickness in 2D.
fn length_of(model: &Model, spans: Vec<SpanSpec>) -> f64 {
    let span = |span: SpanSpec| match span {
        SpanSpec::Period(axis) => model.period[axis],
        // Between planes only.
        SpanSpec::Between(walls, axis) => {
            let [p, q] = walls.map(|wall| model.walls[wall].shape.position[axis]);
            (q - p).abs()
        }
    };
    let thickness = if model.dimension == 2 { model.thickness } else { 1.0 };
    spans.into_iter().map(span).product::<f64>() * thickness
}

/// The area that a pressure acts on at the start.
fn area(model: &Model, driver: &Driver, axis: usize) -> f64 {
    driver.area.unwrap_or_else(|| {
        let spans = loaded_spans(&model.walls, model.period, model.dimension, driver.wall, axis).unwrap_or_default();
        length_of(model, spans)
    })
}

fn all_drivers(model: &Model) -> impl Iterator<Item = &Driver> {
    model.drivers.iter().chain(model.stages.iter().flat_map(|stage| &stage.drivers))
}

/// Every function of time of the drivers and of the tilts.
fn functions(model: &Model) -> impl Iterator<Item = &TimeFunction> {
    let drives = all_drivers(model).flat_map(|driver| {
        let translation = driver.translation.iter().flatten().map(|drive| match drive {
            Drive::Velocity(function) | Drive::Force(function) | Drive::Pressure(function) => function,
        });
        let rotation = driver.rotation.iter().map(|rotation| match &rotation.turn {
            Turn::Velocity(function) | Turn::Torque { torque: function, .. } => function,
        });
        translation.chain(rotation)
    });
    let tilts = model.gravity.tilt.iter().chain(model.stages.iter().filter_map(|stage| stage.tilt.as_ref()));
    let loads = model.loads.iter().chain(model.stages.iter().flat_map(|stage| &stage.loads));
    let cells = all_cells(model).flat_map(|cell| {
        let stretches = cell.stretch.iter().filter_map(|stretch| match stretch {
            Stretch::Fixed => None,
            Stretch::Rate(function) | Stretch::Pressure(function) => Some(function),
        });
        stretches.chain(&cell.shear)
    });
    let loads = loads.flat_map(|load| load.force.iter().chain(&load.torque));
    drives.chain(tilts.map(|(_, angle)| angle)).chain(loads).chain(cells)
}

fn frequency(function: &TimeFunction) -> f64 {
    match function {
        TimeFunction::Sine { frequency, .. } => frequency.abs(),
        _ => 0.0,
    }
}
