//! How fast a sweep is: contact updates per second per core, in cache and out of it, beside the machine's memory
//! bandwidth. `cargo bench -p riprap-solve --bench sweep`; the numbers are kept in benches/README.md.
//!
//! A cubic lattice of balls (6 neighbours each, as in a dense packing) under gravity, numbered along a curve through
//! space as the engine does. Set-up is excluded by taking the difference of two solves with different numbers of sweeps.

use riprap_solve::problem::{Body, Contact, Inertia};
use riprap_solve::{Criterion, D2, D3, Dim, Options, Problem, Solver, SweepOrder, Vector, solve};
use std::time::Instant;

fn main() {
    println!("memory bandwidth, one core: {:.1} GB/s (read and write of an array of 256 MB)", bandwidth() / 1e9);
    println!(
        "{:>4} {:>9} {:>9} {:>12} {:>10} {:>12} {:>8}",
        "dim", "bodies", "contacts", "order", "threads", "updates/s", "GB/s"
    );
    for threads in [1, 2] {
        for (dimension, side) in [(3, 12), (3, 33), (3, 70), (2, 60), (2, 230), (2, 700)] {
            let orders: &[SweepOrder] = if threads == 1 && side < 60 {
                &[SweepOrder::Spatial, SweepOrder::Sequential, SweepOrder::Random]
            } else {
                &[SweepOrder::Spatial]
            };
            for &order in orders {
                if dimension == 3 { measure::<D3>(side, order, threads) } else { measure::<D2>(side, order, threads) }
            }
        }
    }
}

fn measure<D: Dim>(side: usize, order: SweepOrder, threads: usize) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    let problem = lattice::<D>(side);
    let contacts = problem.contacts.len();
    let sweeps = (10_000_000 / contacts).clamp(30, 4000) as u32;
    let time = |sweeps: u32| {
        let options = Options {
            solver: Solver::GaussSeidel,
            order,
            criterion: Criterion::Fixed { sweeps },
            ..Options::default()
        };
        let mut copy = problem.clone();
        pool.install(|| {
            let start = Instant::now();
            let report = solve(&mut copy, &options, 0);
            assert_eq!(report.sweeps, sweeps);
            start.elapsed().as_secs_f64()
        })
    };
    // The best of several: other programs on the machine only ever make it slower.
    let best = (0..3).map(|_| time(2 * sweeps) - time(sweeps)).filter(|&t| t > 0.0).fold(f64::INFINITY, f64::min);
    let rate = f64::from(sweeps) * contacts as f64 / best;
    let bytes = if D::AXES == 3 { 2 * 64 + 11 * 8 + 3 * 8 + 8 } else { 2 * 32 + 8 * 8 + 2 * 8 + 8 } as f64;
    println!(
        "{:>4} {:>9} {:>9} {:>12} {:>10} {:>10.1} M {:>8.1}",
        D::AXES,
        problem.bodies.len() - 1,
        contacts,
        format!("{order:?}").to_lowercase(),
        threads,
        rate / 1e6,
        rate * bytes / 1e9
    );
}

/// A lattice of touching balls on a floor, numbered block by block as along a space-filling curve.
fn lattice<D: Dim>(side: usize) -> Problem<D> {
    let depth = if D::AXES == 3 { side } else { 1 };
    let mut places: Vec<[usize; 3]> = Vec::new();
    for z in 0..depth {
        for y in 0..side {
            for x in 0..side {
                places.push([x, y, z]);
            }
        }
    }
    places.sort_by_key(|place| {
        (0..20).fold(0u64, |key, bit| {
            (0..3).fold(key, |key, axis| key | ((place[axis] as u64 >> bit) & 1) << (3 * bit + axis))
        })
    });
    let mut index = vec![0u32; side * side * depth];
    let at = |[x, y, z]: [usize; 3]| (z * side + y) * side + x;
    for (number, &place) in places.iter().enumerate() {
        index[at(place)] = number as u32 + 1;
    }
    let up = D::AXES - 1;
    let mut problem = Problem { bodies: vec![Body::default()], ..Problem::default() };
    for (number, &place) in places.iter().enumerate() {
        let inverse = 1.0 + 0.1 * ((number * 7) % 5) as f64;
        let velocity = D::Vector::axis(up) * -1.0;
        problem.bodies.push(Body { velocity, inertia: Inertia::Ball(inverse), ..Body::default() });
        for axis in 0..D::AXES {
            let mut other = place;
            other[axis] += 1;
            let bodies = if other[axis] < side { [number as u32 + 1, index[at(other)]] } else { continue };
            let normal = D::Vector::axis(axis);
            problem.contacts.push(Contact { bodies, normal, friction: 0.5, ..Contact::default() });
        }
        if place[up] == 0 {
            let normal = D::Vector::axis(up);
            problem.contacts.push(Contact {
                bodies: [0, number as u32 + 1],
                normal,
                friction: 0.5,
                ..Contact::default()
            });
        }
    }
    problem
}

/// Bytes per second that one core reads and writes.
fn bandwidth() -> f64 {
    let mut array = vec![1.0f64; 32 << 20];
    let mut best = 0.0f64;
    for round in 0..4 {
        let start = Instant::now();
        for x in &mut array {
            *x += f64::from(round);
        }
        best = best.max(2.0 * 8.0 * array.len() as f64 / start.elapsed().as_secs_f64());
    }
    assert!(array[12345] > 0.0);
    best
}
