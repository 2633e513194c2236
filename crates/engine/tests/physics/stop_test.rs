//! The default stop test: it notices the one contact that carries everything, and lets nothing creep.

use crate::packing::Dice;
use crate::setting::*;
use riprap_engine::{
    Body, Cell, D2, Dim, GapVariant, OVERLAP_GROWTH, Options, Placement, Scheme, Shape, StepReport, Vector, World,
};

in_both_dimensions!(a_heavy_ball_rests_on_light_ones);

const G: f64 = 9.81;
const RADIUS: f64 = 1e-3;
/// The step that scenes choose: in it a grain at rest would fall by 0.02 radii.
const STEP: f64 = 1.4e-3;
/// What scenes with balls choose.
const CORRECTED: Scheme = Scheme::Euler { gap: GapVariant::Correct };

/// A world under gravity with the default stop test.
fn default_world<D: Dim>(friction: f64) -> World<D> {
    let mut world = world::<D>(CORRECTED, STEP, law(friction, 0.0, 0.0));
    world.settings.solver = Options::default();
    gravity(&mut world, G, 0.0);
    world
}

fn add_ball<D: Dim>(world: &mut World<D>, density: f64, place: D::Vector) {
    let placement = Placement { position: place, ..Placement::default() };
    add(world, Body::ball(RADIUS, density), placement);
}

/// Steps in which overlaps must stay small; the mean force on the floor over the second half, in units of the weight.
fn carried<D: Dim>(world: &mut World<D>, floor: usize, steps: usize) -> f64 {
    let weight: f64 = world.free_bodies().map(|body| world.bodies[body].mass * G).sum();
    let mut sum = 0.0;
    for number in 0..steps {
        let report: StepReport = step(world);
        assert!(report.converged, "step {number}: residual {:e} after {} sweeps", report.residual, report.sweeps);
        assert!(report.overlap_growth < OVERLAP_GROWTH, "step {number}: overlap grows by {}", report.overlap_growth);
        assert!(report.max_overlap < 0.05 * RADIUS, "step {number}: overlap {} radii", report.max_overlap / RADIUS);
        if number >= steps / 2 {
            let load = world.wall_loads().into_iter().find(|load| load.body as usize == floor);
            sum -= load.map_or(0.0, |load| load.force.dot(up::<D>()));
        }
    }
    sum / (weight * (steps - steps / 2) as f64)
}

fn a_heavy_ball_rests_on_light_ones<D: Dim>() {
    for ratio in [1.0, 1e2, 1e4, 1e6] {
        for friction in [0.0, 0.5] {
            let mut world = default_world::<D>(friction);
            let floor = floor(&mut world);
            for number in 0..4 {
                let density = if number == 3 { 1000.0 * ratio } else { 1000.0 };
                add_ball(&mut world, density, up::<D>() * (RADIUS * (1.05 + 2.05 * f64::from(number))));
            }
            let carried = carried(&mut world, floor, 100);
            assert!((carried - 1.0).abs() < 1e-2, "mass ratio {ratio:e}: the floor carries {carried} of the weight");
        }
    }
}

#[test]
fn a_heavy_disk_in_a_channel_presses_light_ones_against_floor_and_sides() {
    // The disks lean against the sides in turn, so that every contact carries more than the weight.
    let mut world = default_world::<D2>(0.0);
    let floor = floor(&mut world);
    let (x, width) = (<D2 as Dim>::Vector::axis(0), 2.6 * RADIUS);
    plane(&mut world, x, Vector::ZERO);
    plane(&mut world, -x, x * width);
    for (number, density) in [1e3, 1e3, 1e3, 1e9].into_iter().enumerate() {
        let side = if number % 2 == 0 { RADIUS } else { width - RADIUS };
        add_ball(&mut world, density, x * side + up::<D2>() * (RADIUS * (1.05 + 2.05 * number as f64)));
    }
    let carried = carried(&mut world, floor, 300);
    assert!((carried - 1.0).abs() < 1e-2, "the floor carries {carried} of the weight");
}

#[test]
fn a_layer_that_has_stopped_on_an_incline_does_not_creep() {
    let (columns, rows) = (12, 10);
    let period = 2.1 * RADIUS * f64::from(columns);
    let mut world = default_world::<D2>(0.4);
    let [x, y] = [0, 1].map(<D2 as Dim>::Vector::axis);
    world.state.cell = Cell::new(Vector::ZERO, x * period);
    gravity(&mut world, G, 13_f64.to_radians());
    for number in 0..columns {
        let place = Placement { position: x * (2.1 * RADIUS * f64::from(number)), ..Placement::default() };
        add(&mut world, Body::wall("bump", Shape::Rod { radius: RADIUS, axis: Vector::ZERO }), place);
    }
    let mut dice = Dice::new(3);
    for number in 0..columns * rows {
        let place = x * f64::from(number % columns) + y * (1.0 + f64::from(number / columns));
        let position = place * (2.1 * RADIUS);
        add(
            &mut world,
            Body::ball(RADIUS * (0.8 + 0.2 * dice.throw()), 1000.0),
            Placement { position, ..Placement::default() },
        );
    }
    // A grain falls by its radius in ten steps.
    run(&mut world, 2000);
    let before = world.state.position.clone();
    run(&mut world, 1000);
    let moved = |body: usize| (world.state.position[body] - before[body]).length() / RADIUS;
    let farthest = world.free_bodies().map(moved).fold(0.0, f64::max);
    assert!(farthest < 1e-3, "a grain crept by {farthest} radii");
}
