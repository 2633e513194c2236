//! Makes a large contact problem: a dense packing of frictional grains in an open box, under gravity and a load, at rest.
//!
//!     cargo run --release -p riprap-store --example packing -- DIMENSION GRAINS [SEED] [FILE]
//!
//! Radii are uniform between 0.7 and 1.3. Random points in a box, a little denser than random close packing, relax under
//! repulsion where grains overlap, weak gravity and a lid (the "fast inertial relaxation engine"); whoever overlaps then is in
//! contact. The problem is one step from rest: every grain would fall at speed 1 (`δt g = 1`), those of the top layer
//! carry the weight of all grains once more, masses are `r^d`, friction is 0.3. The file is FCLib, global.

use rand_pcg::Pcg64;
use rand_pcg::rand_core::Rng;
use riprap_solve::assembled::{AssembledProblem, GlobalProblem};
use riprap_solve::problem::{Body, Contact, GROUND, Inertia, Problem};
use riprap_solve::{D2, D3, Dim, Vector};
use riprap_store::{ProblemFile, write_problem};
use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize| arguments.get(index).and_then(|word| word.parse::<u64>().ok());
    let (Some(dimension @ 2..=3), Some(grains @ 10..)) = (number(0), number(1)) else {
        eprintln!("expected: packing DIMENSION GRAINS [SEED] [FILE], with 2 or 3 dimensions and at least 10 grains");
        return ExitCode::from(2);
    };
    let seed = number(2).unwrap_or(0);
    let name = format!("packing{dimension}d-{grains}-{seed}.hdf5");
    let path = arguments.get(3).map_or_else(|| PathBuf::from(&name), PathBuf::from);
    let problem = match dimension {
        2 => make::<D2>(grains as usize, seed, 0.86),
        _ => make::<D3>(grains as usize, seed, 0.66),
    };
    let contacts = problem.friction.len();
    let file = ProblemFile {
        title: format!("packing of {grains} grains, seed {seed}"),
        description: "One step from rest under gravity and a load on top; radii 0.7 to 1.3, friction 0.3".into(),
        ..ProblemFile::new(AssembledProblem::Global(problem))
    };
    match write_problem(&path, &file) {
        Ok(()) => {
            println!("{}: {grains} grains, {contacts} contacts", path.display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(4)
        }
    }
}

fn make<D: Dim>(grains: usize, seed: u64, solid_fraction: f64) -> GlobalProblem {
    let mut random = Pcg64::new(u128::from(seed), 1);
    let mut uniform = move || (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
    let radius: Vec<f64> = (0..grains).map(|_| 0.7 + 0.6 * uniform()).collect();
    let volume: f64 = radius.iter().map(|&r| D::ball_volume(r)).sum();
    let side = (volume / solid_fraction).powf(1.0 / D::AXES as f64);
    let mut position: Vec<D::Vector> =
        (0..grains).map(|_| D::Vector::from_fn(|_| 1.0 + (side - 2.0) * uniform())).collect();
    relax::<D>(&mut position, &radius, side);

    let mut problem = Problem::<D>::default();
    problem.bodies.push(Body::default());
    let mass: Vec<f64> = radius.iter().map(|r| r.powi(D::AXES as i32)).collect();
    let up = D::AXES - 1;
    let is_top = |x: D::Vector| x.get(up) > side - 2.0;
    let load = mass.iter().sum::<f64>() / position.iter().filter(|&&x| is_top(x)).count().max(1) as f64;
    for (&x, &mass) in position.iter().zip(&mass) {
        let speed = 1.0 + if is_top(x) { load / mass } else { 0.0 };
        let velocity = D::Vector::axis(up) * -speed;
        problem.bodies.push(Body { velocity, spin: D::Spin::ZERO, inertia: Inertia::Ball(1.0 / mass) });
    }
    let mut touch = |bodies: [usize; 2], normal: D::Vector| {
        let bodies = bodies.map(|body| body as u32);
        problem.contacts.push(Contact { bodies, normal, friction: 0.3, ..Contact::default() });
    };
    let mut pairs = neighbours::<D>(&position, &radius, side, 0.0);
    pairs.sort_unstable();
    for (grain, &x) in position.iter().enumerate() {
        for axis in 0..D::AXES {
            if x.get(axis) < radius[grain] {
                touch([GROUND as usize, grain + 1], D::Vector::axis(axis));
            }
            // The box is open at the top.
            if axis != up && x.get(axis) + radius[grain] > side {
                touch([GROUND as usize, grain + 1], -D::Vector::axis(axis));
            }
        }
    }
    for [a, b] in pairs.into_iter().map(|pair| pair.map(|grain| grain as usize)) {
        let away = position[b] - position[a];
        if let Some(normal) = away.normalized().filter(|_| away.length() < radius[a] + radius[b]) {
            touch([a + 1, b + 1], normal);
        }
    }
    GlobalProblem::from_bodies(&problem).problem
}

/// Moves the grains apart until forces nearly balance: E. Bitzek et al., Structural relaxation made simple, Physical Review
/// Letters 97 (2006) 170201.
fn relax<D: Dim>(position: &mut [D::Vector], radius: &[f64], side: f64) {
    const SKIN: f64 = 0.6;
    const GRAVITY: f64 = 2e-4;
    let steps = if D::AXES == 3 && position.len() >= 32_000 { 800 } else { 3000 };
    let mut velocity = vec![D::Vector::ZERO; position.len()];
    let mut force = velocity.clone();
    let (mut dt, mut mixing, mut downhill) = (0.1, 0.1, 0);
    let mut pairs = Vec::new();
    let mut listed: Vec<D::Vector> = Vec::new();
    for step in 0..steps {
        let moved = position.iter().zip(&listed).map(|(&x, &y)| (x - y).length()).fold(0.0, f64::max);
        if listed.is_empty() || moved > 0.5 * SKIN {
            pairs = neighbours::<D>(position, radius, side, SKIN);
            listed = position.to_vec();
        }
        for (grain, force) in force.iter_mut().enumerate() {
            let (x, r) = (position[grain], radius[grain]);
            *force = D::Vector::from_fn(|axis| {
                let gravity = if axis == D::AXES - 1 { GRAVITY } else { 0.0 };
                f64::max(r - x.get(axis), 0.0) - f64::max(x.get(axis) + r - side, 0.0) - gravity
            });
        }
        for [a, b] in pairs.iter().map(|pair| pair.map(|grain| grain as usize)) {
            let away = position[b] - position[a];
            let reach = radius[a] + radius[b];
            let square = away.dot(away);
            if square < reach * reach {
                let distance = square.sqrt().max(1e-9);
                let push = away * ((reach - distance) / distance);
                force[a] -= push;
                force[b] += push;
            }
        }
        let dot = |a: &[D::Vector], b: &[D::Vector]| a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum::<f64>();
        let (power, size, speed) =
            (dot(&force, &velocity), dot(&force, &force).sqrt(), dot(&velocity, &velocity).sqrt());
        if power > 0.0 {
            let along = mixing * speed / size.max(1e-300);
            velocity.iter_mut().zip(&force).for_each(|(v, &f)| *v = *v * (1.0 - mixing) + f * along);
            downhill += 1;
            if downhill > 5 {
                dt = f64::min(1.1 * dt, 0.4);
                mixing *= 0.99;
            }
        } else {
            velocity.fill(D::Vector::ZERO);
            dt = f64::max(0.5 * dt, 1e-3);
            (mixing, downhill) = (0.1, 0);
        }
        for ((x, v), &f) in position.iter_mut().zip(&mut velocity).zip(&force) {
            *v += f * dt;
            *x += *v * dt;
        }
        if step > 100 && size / (position.len() as f64).sqrt() < 2e-5 {
            break;
        }
    }
}

/// The pairs of grains whose surfaces are nearer than `skin`, by cells of the size of the largest pair.
fn neighbours<D: Dim>(position: &[D::Vector], radius: &[f64], side: f64, skin: f64) -> Vec<[u32; 2]> {
    let across = ((side / (2.6 + skin)) as usize).max(1);
    let cell_of = |x: D::Vector| {
        let place = |axis: usize| ((x.get(axis) / side * across as f64).max(0.0) as usize).min(across - 1);
        (0..D::AXES).rev().fold(0, |cell, axis| cell * across + place(axis))
    };
    let cells: Vec<usize> = position.iter().map(|&x| cell_of(x)).collect();
    let mut starts = vec![0_usize; across.pow(D::AXES as u32) + 1];
    cells.iter().for_each(|&cell| starts[cell + 1] += 1);
    for cell in 1..starts.len() {
        starts[cell] += starts[cell - 1];
    }
    let mut next = starts.clone();
    let mut members = vec![0_u32; position.len()];
    for (grain, &cell) in cells.iter().enumerate() {
        members[next[cell]] = grain as u32;
        next[cell] += 1;
    }
    let mut pairs = Vec::new();
    for (a, &cell) in cells.iter().enumerate() {
        for neighbour in 0..3_usize.pow(D::AXES as u32) {
            // The cell beside along every axis by −1, 0 or 1, if there is one.
            let (mut other, mut stride, mut inside) = (0, 1, true);
            for axis in 0..D::AXES as u32 {
                let place = cell / across.pow(axis) % across + neighbour / 3_usize.pow(axis) % 3;
                inside &= (1..=across).contains(&place);
                other += place.saturating_sub(1) * stride;
                stride *= across;
            }
            if !inside {
                continue;
            }
            for &b in members[starts[other]..starts[other + 1]].iter().filter(|&&b| b as usize > a) {
                let away = position[b as usize] - position[a];
                let reach = radius[a] + radius[b as usize] + skin;
                if away.dot(away) < reach * reach {
                    pairs.push([a as u32, b]);
                }
            }
        }
    }
    pairs
}
