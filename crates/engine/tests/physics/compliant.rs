//! Slightly compliant contacts: springs about the forces of the step before.

use crate::setting::*;
use riprap_engine::{Dim, Vector};

in_both_dimensions!(
    a_column_sinks_by_the_weight_that_each_contact_bears_over_the_stiffness,
    without_a_stiffness_nothing_sinks,
);

const G: f64 = 9.81;
const RADIUS: f64 = 0.3;
const DT: f64 = 1e-3;

/// Contact `i` from the top bears `i` balls: `δ_i = i m g/K`, summed step by step from `u δt = −Δf/K`.
fn a_column_sinks_by_the_weight_that_each_contact_bears_over_the_stiffness<D: Dim>() {
    let mut world = world::<D>(EULER, DT, law(0.5, 0.0, 0.0));
    gravity(&mut world, G, 0.0);
    floor(&mut world);
    let balls: Vec<usize> =
        (0..3).map(|i| ball(&mut world, RADIUS, up::<D>() * (RADIUS * (1 + 2 * i) as f64), D::Vector::ZERO)).collect();
    let mass = world.bodies[balls[0]].mass;
    let stiffness = mass / (DT * DT);
    world.settings.stiffness = Some(stiffness);
    let last = run(&mut world, 400);
    assert!(last.converged && last.trace.softened == 0);
    let unit = mass * G / stiffness;
    let sunk = |i: usize| RADIUS * (1 + 2 * i) as f64 - world.state.position[balls[i]].dot(up::<D>());
    for (i, borne) in [3.0, 3.0 + 2.0, 3.0 + 2.0 + 1.0].into_iter().enumerate() {
        close(sunk(i) / unit, borne, 1e-6);
    }
}

fn without_a_stiffness_nothing_sinks<D: Dim>() {
    let mut world = world::<D>(EULER, DT, law(0.5, 0.0, 0.0));
    gravity(&mut world, G, 0.0);
    floor(&mut world);
    let grain = ball(&mut world, RADIUS, up::<D>() * RADIUS, D::Vector::ZERO);
    run(&mut world, 100);
    near(world.state.position[grain], up::<D>() * RADIUS, 1e-12);
}
