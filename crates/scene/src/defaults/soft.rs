//! Stiffness and step of molecular dynamics, from the forces and speeds of the scene.

use super::time_step::{all_drivers, area, free_speed, imposed_speed, loaded_speed};
use super::{Measures, number, round};
use crate::model::*;
use crate::vector::*;
use riprap_engine::{GrainTable, TimeFunction};

/// How much deeper than under steady forces an overlap may be for the moment of an impact.
pub(crate) const IMPACT: f64 = 10.0;

/// Chooses what `[md]` leaves open; each choice with its reason.
pub(super) fn settle_soft(
    model: &mut Model,
    measures: &Measures,
    grains: &GrainTable,
) -> Vec<(String, String, String)> {
    let mut chosen = Vec::new();
    if model.method != MethodSpec::Md {
        return chosen;
    }
    if model.soft.stiffness.is_none() {
        let (stiffness, reason) = stiffness(model, measures, grains);
        model.soft.stiffness = Some(stiffness);
        chosen.push(("md.stiffness".to_owned(), number(stiffness), reason));
    }
    let stiffness = model.soft.stiffness.unwrap_or_default();
    if model.soft.time_step.is_none() {
        // The shortest collision is that of two of the lightest grains: π √(m*/k), m* = m/2. What springs from outside
        // hold such a grain makes it swing faster, at ω² ≤ 2 Σk/m over its springs and the contact.
        let tied = tied_stiffness(model, grains);
        let collision = std::f64::consts::PI * (0.5 * measures.lightest / (stiffness + tied)).sqrt();
        let parts = model.soft.steps_per_collision;
        let time_step = round(collision / parts, 3);
        model.soft.time_step = Some(time_step);
        let reason = if tied > 0.0 {
            format!(
                "in s, 1/{parts} of the {collision:.3e} s that a collision of two of the lightest grains takes, including \
                 springs of {tied:.3e} N/m"
            )
        } else {
            format!("in s, 1/{parts} of the {collision:.3e} s that a collision of two of the lightest grains takes")
        };
        chosen.push(("md.time_step".to_owned(), number(time_step), reason));
    }
    chosen
}

/// The stiffness of all springs and membranes that hold one grain, of the grain with the most.
pub(super) fn tied_stiffness(model: &Model, grains: &GrainTable) -> f64 {
    let mut tied = vec![0.0; grains.len()];
    for spring in &model.springs {
        for &grain in &spring.grains {
            // A grain that does not exist has been reported.
            if let Some(sum) = tied.get_mut(grain as usize) {
                *sum += spring.stiffness;
            }
        }
    }
    for membrane in &model.membranes {
        let chain = tied.iter_mut().zip(&grains.group).filter(|(_, group)| **group == membrane.group);
        // A grain of a chain has two neighbours in it.
        chain.for_each(|(sum, _)| *sum += 2.0 * membrane.stiffness);
    }
    tied.into_iter().fold(0.0, f64::max)
}

/// The stiffness with which the largest force on a contact makes the overlap that is allowed.
fn stiffness(model: &Model, measures: &Measures, grains: &GrainTable) -> (f64, String) {
    let gravity = largest_gravity(model);
    let overlap = model.soft.overlap;
    let depth = overlap * 0.5 * measures.mean_diameter;
    let mean_mass = measures.mass / grains.len().max(1) as f64;
    // An impact at speed v overlaps by v √(m*/k), m* = m/2.
    let speed = free_speed(model, measures, grains, gravity)
        .max(imposed_speed(model, measures))
        .max(loaded_speed(model, measures, grains));
    let impact = 0.5 * mean_mass * (speed / (IMPACT * depth)).powi(2);

    let steady = steady_forces(model, measures).into_iter().map(|(force, cause)| {
        let reason =
            format!("in N/m; {cause}, {force:.3e} N on a grain, then gives overlaps of {overlap} of the mean radius");
        (force / depth, reason)
    });
    let of_impact = (
        impact,
        format!(
            "in N/m; an impact at {speed:.3} m/s then overlaps by {IMPACT} times the {overlap} of the mean radius allowed \
             under steady forces"
        ),
    );
    let (stiffness, reason) =
        steady.chain([of_impact]).max_by(|a, b| a.0.total_cmp(&b.0)).expect("there are five candidates");
    if stiffness > 0.0 {
        (round(stiffness, 2), reason)
    } else {
        // Nothing presses and nothing moves: any stiffness will do, and this one keeps the period near a second.
        (round(mean_mass, 2).max(f64::MIN_POSITIVE), "in N/m; nothing in the scene sets a force scale".to_owned())
    }
}

/// How stiff compliant contacts of contact dynamics are: `κ = K d/f` with the largest steady force on a grain, which is
/// `K/(p d)` for spheres under a pressure.
pub(super) fn stiffness_in_words(model: &Model, measures: &Measures) -> Vec<String> {
    let of_stages = model.stages.iter().map(|stage| stage.solver.stiffness.or(model.solver.stiffness));
    let mut stiffnesses: Vec<f64> = of_stages.flatten().collect();
    stiffnesses.sort_by(f64::total_cmp);
    stiffnesses.dedup();
    let (force, cause) =
        steady_forces(model, measures).into_iter().max_by(|a, b| a.0.total_cmp(&b.0)).expect("there are four forces");
    let words = |stiffness: f64| match force > 0.0 {
        true => format!(
            "contact stiffness {stiffness} N/m: κ = K d/f = {:.3e}, where f is {cause}, {force:.3e} N on a grain",
            stiffness * measures.mean_diameter / force
        ),
        false => format!("contact stiffness {stiffness} N/m; the scene has no steady force, so κ is undefined"),
    };
    stiffnesses.into_iter().map(words).collect()
}

fn largest_gravity(model: &Model) -> Point {
    let gravities = model.stages.iter().map(|stage| stage.gravity.unwrap_or(model.gravity.acceleration));
    gravities.max_by(|a, b| length(*a).total_cmp(&length(*b))).unwrap_or_default()
}

/// The steady forces that the scene puts on a contact, in N, and what causes them.
fn steady_forces(model: &Model, measures: &Measures) -> [(f64, &'static str); 4] {
    let gravity = largest_gravity(model);
    let diameter = measures.mean_diameter;
    // Force on a contact: pressure times the area of a grain (in 2D its diameter times the thickness).
    let grain_area = if model.dimension == 2 { diameter * model.thickness } else { diameter * diameter };
    let extent = |axis: usize| (measures.upper[axis] - measures.lower[axis]).max(diameter);
    let section = |axis: usize| {
        let across: f64 = (0..model.dimension).filter(|&other| other != axis).map(extent).product();
        if model.dimension == 2 { across * model.thickness } else { across }
    };
    let down = (0..model.dimension).max_by(|&a, &b| gravity[a].abs().total_cmp(&gravity[b].abs())).unwrap_or(0);
    let weight = measures.mass * length(gravity) * (grain_area / section(down)).min(1.0);
    let mut pressed = 0.0_f64;
    for driver in all_drivers(model) {
        for (axis, drive) in driver.translation.iter().enumerate() {
            let pressure = match drive {
                Some(Drive::Pressure(pressure)) => pressure.largest(),
                Some(Drive::Force(force)) => force.largest() / area(model, driver, axis).max(section(axis)),
                _ => continue,
            };
            pressed = pressed.max(pressure * grain_area);
        }
    }
    let loads = model.loads.iter().chain(model.stages.iter().flat_map(|stage| &stage.loads));
    let forces = loads.filter_map(LoadSpec::steady);
    let load = forces.map(|[force, _]| length(force.each_ref().map(TimeFunction::largest))).fold(0.0, f64::max);
    let confined = model.membranes.iter().map(|membrane| membrane.pressure.largest()).fold(0.0, f64::max) * grain_area;
    [
        (weight, "the weight of the sample"),
        (pressed, "the load on a wall"),
        (load, "a load on grains"),
        (confined, "the pressure of a membrane"),
    ]
}
