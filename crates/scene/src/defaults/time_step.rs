//! The time step that the sizes and speeds of a scene allow.

use super::{Measures, round};
use super::{shaking, soft};
use crate::lower::{SpanSpec, cell_spans, loaded_spans};
use crate::model::*;
use crate::vector::*;
use crate::world::materials;
use riprap_engine::{GrainTable, Stretch, TimeFunction};

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

/// The time step by which nothing moves far in one step, and why.
pub(super) fn time_step(model: &Model, measures: &Measures, grains: &GrainTable) -> (f64, String) {
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
    if let Some(interval) = shaking::interval(model) {
        limit(interval, "interval in s between the rows of the recorded acceleration".to_owned());
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
pub(super) fn free_speed(model: &Model, measures: &Measures, grains: &GrainTable, gravity: Point) -> f64 {
    let loads = model.loads.iter().chain(model.stages.iter().flat_map(|stage| &stage.loads));
    let pulled = loads.clone().map(|load| work_per_mass(load, measures, grains)).fold(0.0, f64::max);
    let fall = match unit(gravity) {
        Some(down) => length(gravity) * fall_height(model, measures, grains, down),
        None => 0.0,
    };
    let struck = loads.map(|load| strike(load, measures, grains)).fold(0.0, f64::max);
    (measures.speed * measures.speed + 2.0 * (pulled + fall)).sqrt() + struck
}

/// The work of a load on a grain before others stop it, over the mass of the lightest grain that it acts on. A load on all
/// grains carries them through the whole sample, as gravity does; one on a grain or a group meets the resistance of the
/// others, as a wall under a load does, after a diameter.
fn work_per_mass(load: &LoadSpec, measures: &Measures, grains: &GrainTable) -> f64 {
    let Some([force, _]) = load.steady() else { return 0.0 };
    let force = length(force.each_ref().map(TimeFunction::largest));
    let way = if load.target == TargetSpec::All { measures.extent() } else { measures.mean_diameter };
    force / lightest_target(load, measures, grains) * way
}

/// The speed that a percussion gives to the lightest grain that it acts on.
fn strike(load: &LoadSpec, measures: &Measures, grains: &GrainTable) -> f64 {
    match load.action {
        ActionSpec::Percussion { impulse, .. } => length(impulse) / lightest_target(load, measures, grains),
        ActionSpec::Steady { .. } => 0.0,
    }
}

/// The mass of the lightest grain that a load acts on.
fn lightest_target(load: &LoadSpec, measures: &Measures, grains: &GrainTable) -> f64 {
    let is_meant = |index: usize| match &load.target {
        TargetSpec::All => true,
        TargetSpec::Group(name) => grains.group.get(index).is_some_and(|group| group == name),
        TargetSpec::Grain(grain) => index == *grain as usize,
    };
    let meant = measures.masses.iter().enumerate().filter(|(index, _)| is_meant(*index));
    let lightest = meant.map(|(_, &mass)| mass).fold(f64::INFINITY, f64::min);
    // Grains that an inlet will feed are not there yet.
    if lightest.is_finite() { lightest } else { measures.lightest }
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

/// The largest speed that drivers impose on a point of a wall.
pub(super) fn imposed_speed(model: &Model, measures: &Measures) -> f64 {
    let speed = |driver: &Driver| {
        let reach = model.walls[driver.wall].shape.arm().unwrap_or_else(|| measures.extent());
        // No chain of carriers is longer than there are walls.
        let (velocity, spin) = imposed_motion(model, driver, model.walls.len());
        velocity + spin * reach
    };
    all_drivers(model).map(speed).fold(0.0, f64::max)
}

/// The largest speed that a driver imposes on the position of its wall, and the largest spin, with those of the walls that
/// carry it.
fn imposed_motion(model: &Model, driver: &Driver, carriers: usize) -> (f64, f64) {
    let duration = shaking::duration(model);
    let translation = driver.translation.each_ref().map(|drive| match drive {
        Some(Drive::Velocity(velocity)) => velocity.largest(),
        Some(Drive::Acceleration(acceleration)) => shaking::speed_of_acceleration(acceleration, duration),
        Some(Drive::Displacement(place)) => shaking::speed_of_displacement(place),
        _ => 0.0,
    });
    let spin = driver.rotation.as_ref().map_or(0.0, |rotation| match &rotation.turn {
        Turn::Velocity(velocity) | Turn::Motor { velocity, .. } => velocity.largest(),
        Turn::Angle(angle) => shaking::speed_of_displacement(angle),
        Turn::Torque { .. } => 0.0,
    });
    let Some(carrier) = driver.on.filter(|_| carriers > 0) else { return (length(translation), spin) };
    let arm = length(sub(model.walls[driver.wall].shape.position, model.walls[carrier].shape.position));
    let of_carrier = all_drivers(model).filter(|other| other.wall == carrier);
    let (velocity, turning) = of_carrier
        .map(|other| imposed_motion(model, other, carriers - 1))
        .fold((0.0, 0.0), |most, motion| (f64::max(most.0, motion.0), f64::max(most.1, motion.1)));
    (length(translation) + velocity + turning * arm, spin + turning)
}

/// The speed with which a wall under a force or pressure meets the grains: over its distance to them and a diameter.
pub(super) fn loaded_speed(model: &Model, measures: &Measures, grains: &GrainTable) -> f64 {
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
pub(super) fn area(model: &Model, driver: &Driver, axis: usize) -> f64 {
    driver.area.unwrap_or_else(|| {
        let spans = loaded_spans(&model.walls, model.period, model.dimension, driver.wall, axis).unwrap_or_default();
        length_of(model, spans)
    })
}

pub(super) fn all_drivers(model: &Model) -> impl Iterator<Item = &Driver> {
    model.drivers.iter().chain(model.stages.iter().flat_map(|stage| &stage.drivers))
}

/// Every function of time of drivers, gravity, loads and cells.
fn functions(model: &Model) -> impl Iterator<Item = &TimeFunction> {
    let drives = all_drivers(model).flat_map(|driver| {
        let translation = driver.translation.iter().flatten().map(|drive| match drive {
            Drive::Velocity(function) | Drive::Acceleration(function) | Drive::Displacement(function) => function,
            Drive::Force(function) | Drive::Pressure(function) => function,
        });
        let rotation = driver.rotation.iter().map(|rotation| match &rotation.turn {
            Turn::Velocity(function) | Turn::Angle(function) | Turn::Torque { torque: function, .. } => function,
            Turn::Motor { velocity, .. } => velocity,
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
    let loads = loads.filter_map(LoadSpec::steady).flatten().flatten();
    let ground = model.gravity.ground.iter().chain(model.stages.iter().filter_map(|stage| stage.ground.as_ref()));
    drives.chain(tilts.map(|(_, angle)| angle)).chain(ground.flatten()).chain(loads).chain(cells)
}

fn frequency(function: &TimeFunction) -> f64 {
    match function {
        TimeFunction::Sine { frequency, .. } => frequency.abs(),
        TimeFunction::Sum(parts) => parts.iter().map(frequency).fold(0.0, f64::max),
        _ => 0.0,
    }
}
