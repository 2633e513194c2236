//! What has come to rest stays where it is, at the default stop test too: errors are judged against the motion that there is
//! (docs/method.md §4).

use crate::setting::*;
use riprap_engine::{Body, Cell, D2, Freedoms, GapVariant, Motion, Options, Placement, Scheme, Vector, World};

const G: f64 = 9.81;
/// The mean diameter of the grains.
const DIAMETER: f64 = 1e-3;

/// A layer of disks on a base of fixed ones, periodic along the slope, let fall under gravity that is tilted by `angle`.
fn layer(angle: f64, columns: usize, rows: usize) -> World<D2> {
    let dt = 0.1 * (DIAMETER / G).sqrt();
    let mut world = world::<D2>(Scheme::Euler { gap: GapVariant::Correct }, dt, law(0.4, 0.0, 0.0));
    world.settings.solver = Options::default();
    gravity(&mut world, G, angle);
    let spacing = 1.25 * DIAMETER;
    world.state.cell = Cell::new(Vector::ZERO, Vector::from_array3([columns as f64 * spacing, 0.0, 0.0]));
    let mut state = 1_u64;
    let mut radius = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        0.5 * DIAMETER * (1.0 + 0.2 * ((state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0))
    };
    for row in 0..=rows {
        for column in 0..columns {
            let x = (column as f64 + 0.5 * (row % 2) as f64) * spacing;
            let placement = Placement {
                position: Vector::from_array3([x, row as f64 * 1.1 * DIAMETER, 0.0]),
                ..Placement::default()
            };
            let mut body = Body::ball(radius(), 2600.0);
            if row == 0 {
                body.motion = Motion::Driven(Box::new(Freedoms::default()));
            }
            add(&mut world, body, placement);
        }
    }
    world
}

#[test]
fn a_layer_that_has_stopped_on_an_incline_does_not_creep() {
    let mut world = layer(10.0_f64.to_radians(), 12, 8);
    let time = (DIAMETER / G).sqrt();
    let steps = |times: f64| (times * time / world.settings.time_step).round() as usize;
    let (until_rest, watched) = (steps(150.0), steps(100.0));
    run(&mut world, until_rest);
    let places = world.state.position.clone();
    run(&mut world, watched);
    let grains: Vec<usize> = world.free_bodies().collect();
    let moved = |body: usize| (world.state.position[body].x - places[body].x) / DIAMETER;
    let mean = grains.iter().map(|&body| moved(body)).sum::<f64>() / grains.len() as f64;
    let most = grains.iter().map(|&body| moved(body).abs()).fold(0.0, f64::max);
    let square: f64 = grains.iter().map(|&body| world.state.velocity[body].length_squared()).sum();
    let speed = (square / grains.len() as f64).sqrt() / (G * DIAMETER).sqrt();
    println!("mean {mean:e} d, most {most:e} d, rms speed {speed:e} √(gd)");
    assert!(mean.abs() < 1e-4, "a mean of {mean:e} d in 100 √(d/g)");
    assert!(most < 1e-3, "at most {most:e} d in 100 √(d/g)");
    assert!(speed < 1e-4, "at {speed:e} √(gd)");
}
