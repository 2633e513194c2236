//! A semicircular arch of straight-edged voussoirs under its own weight, between standing and falling.

use crate::setting::*;
use glam::DVec2;
use riprap_engine::{Criterion, D2, Options};

/// Builds an arch of `count` voussoirs whose thickness is `thickness` of the radius of the centre line, on a floor, and
/// lets it go: how far its stones have moved after a second.
fn sag(count: u32, thickness: f64, friction: f64, time: f64) -> f64 {
    let dt = 2e-3;
    let mut world = world::<D2>(EULER, dt, law(friction, 0.0, 0.0));
    world.settings.solver =
        Options { criterion: Criterion::Residual { tolerance: 1e-10 }, max_sweeps: 20_000, ..world.settings.solver };
    gravity(&mut world, 9.81, 0.0);
    floor(&mut world);
    let stones: Vec<usize> = (0..count)
        .map(|i| {
            let corner = |joint: u32, radius: f64| {
                let (sin, cos) = (std::f64::consts::PI * f64::from(joint) / f64::from(count)).sin_cos();
                DVec2::new(cos, sin.max(0.0)) * radius
            };
            let (inner, outer) = (1.0 - 0.5 * thickness, 1.0 + 0.5 * thickness);
            let corners = [corner(i, inner), corner(i, outer), corner(i + 1, outer), corner(i + 1, inner)];
            solid(&mut world, &corners, 2500.0)
        })
        .collect();
    let start: Vec<DVec2> = stones.iter().map(|&stone| world.state.position[stone]).collect();
    for _ in 0..(time / dt) as usize {
        step(&mut world);
    }
    stones.iter().zip(&start).map(|(&stone, &start)| (world.state.position[stone] - start).length()).fold(0.0, f64::max)
}

/// The least thickness of arches of few stones over the radius of their centre line.
const THINNEST: [(u32, f64); 4] = [(9, 0.1015), (11, 0.1046), (16, 0.1071), (20, 0.1074)];

#[test]
fn an_arch_stands_just_above_its_least_thickness() {
    for (count, thinnest) in THINNEST {
        let moved = sag(count, 1.02 * thinnest, 0.8, 1.0);
        assert!(moved < 1e-5, "{count} stones sagged by {moved:e}");
    }
}

#[test]
fn an_arch_falls_just_below_its_least_thickness() {
    for (count, thinnest) in THINNEST {
        let moved = sag(count, 0.98 * thinnest, 0.8, 1.0);
        assert!(moved > 1e-2, "{count} stones moved by {moved:e} only");
    }
}

#[test]
fn a_smooth_arch_slides_apart_however_thick_it_is() {
    assert!(sag(9, 1.02 * 0.1015, 0.4, 1.0) < 1e-5);
    for thickness in [0.12, 0.2, 0.3] {
        let moved = sag(11, thickness, 0.3, 1.0);
        assert!(moved > 1e-2, "{thickness}: moved by {moved:e} only");
    }
}
