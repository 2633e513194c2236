//! Samples of many balls.

use crate::setting::*;
use riprap_engine::{Criterion, D3, Dim, Options, PairLaw, Scheme, SweepOrder, Vector, World};

/// Numbers in [0, 1) that are the same on every machine (the 64-bit generator of Knuth, high bits).
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x2545_F491_4F6C_DD1D)
    }

    pub fn throw(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A vector with every component between −1 and 1.
    pub fn vector<V: Vector>(&mut self) -> V {
        V::from_fn(|_| 2.0 * self.throw() - 1.0)
    }
}

/// Balls on a square or cubic lattice, all touching, in a box that fits: `side` balls along every axis. The world, its
/// walls (the floor, then the lower and the upper wall of every other axis), and the height of the topmost points.
pub fn lattice_in_box<D: Dim>(scheme: Scheme, dt: f64, law: PairLaw, side: u32) -> (World<D>, Vec<usize>, f64) {
    let radius = 0.1;
    let length = 2.0 * radius * f64::from(side);
    let mut world = world::<D>(scheme, dt, law);
    let mut walls = vec![floor(&mut world)];
    for axis in 0..D::AXES - 1 {
        walls.push(plane(&mut world, D::Vector::axis(axis), D::Vector::ZERO));
        walls.push(plane(&mut world, -D::Vector::axis(axis), D::Vector::axis(axis) * length));
    }
    for i in 0..side.pow(D::AXES as u32) {
        let place = D::Vector::from_fn(|axis| radius * f64::from(2 * (i / side.pow(axis as u32) % side) + 1));
        ball(&mut world, radius, place, D::Vector::ZERO);
    }
    (world, walls, length)
}

/// Balls of several sizes that have fallen into a box and come to rest; the world and its floor.
pub fn deposit<D: Dim>(scheme: Scheme, count: u32, friction: f64) -> (World<D>, usize) {
    let mut dice = Dice::new(7);
    let (side, cell, dt) = (if D::AXES == 2 { 8 } else { 4 }, 0.022, 1e-3);
    let mut world = world::<D>(scheme, dt, law(friction, 0.0, 0.0));
    gravity(&mut world, 9.81, 0.0);
    let base = floor(&mut world);
    for axis in 0..D::AXES - 1 {
        plane(&mut world, D::Vector::axis(axis), D::Vector::ZERO);
        plane(&mut world, -D::Vector::axis(axis), D::Vector::axis(axis) * (cell * f64::from(side)));
    }
    for i in 0..count {
        let radius = 0.01 * (0.7 + 0.3 * dice.throw());
        let place = D::Vector::from_fn(|axis| {
            let row = if axis + 1 < D::AXES {
                i / u32::pow(side, axis as u32) % side
            } else {
                i / u32::pow(side, axis as u32)
            };
            cell * (f64::from(row) + 0.5)
        });
        ball(&mut world, radius, place + dice.vector::<D::Vector>() * 0.001, D::Vector::ZERO);
    }
    // The fall needs no more than the usual accuracy; what is measured is asked for at the end.
    world.settings.solver = Options::default();
    run(&mut world, 1500);
    world.settings.solver.criterion = Criterion::Residual { tolerance: 1e-8 };
    run(&mut world, 100);
    (world, base)
}

/// Thousands of spheres of several sizes that overlap a little and move at random, in a box with gravity: enough for
/// several blocks of the parallel sweep.
pub fn large_packing(scheme: Scheme) -> World<D3> {
    let mut dice = Dice::new(11);
    let side = 16;
    let mut world = world::<D3>(scheme, 1e-4, law(0.4, 0.2, 0.0));
    world.settings.solver = Options {
        criterion: Criterion::Residual { tolerance: 1e-4 },
        order: SweepOrder::Spatial,
        max_sweeps: 30,
        ..Options::default()
    };
    gravity(&mut world, 9.81, 0.0);
    floor(&mut world);
    for i in 0..u32::pow(side, 3) {
        let at = [i % side, i / side % side, i / (side * side)].map(|k| 0.02 * (f64::from(k) + 0.5));
        let place = <D3 as Dim>::Vector::from_array3(at) + dice.vector::<<D3 as Dim>::Vector>() * 0.0005;
        let radius = 0.0097 + 0.0008 * dice.throw();
        let velocity = dice.vector::<<D3 as Dim>::Vector>() * 0.2;
        ball(&mut world, radius, place, velocity);
    }
    world
}
