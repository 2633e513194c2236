//! How fast a sweep is: contact updates per second per core, in cache and out of it, beside the machine's memory
//! bandwidth. `cargo bench -p riprap-solve --bench sweep [words]` (only rows that have one of the words); the numbers are
//! kept in benches/README.md.
//!
//! A cubic lattice (6 neighbours each, as in a dense packing) under gravity, numbered along a curve through space as the
//! engine does: of balls, of balls with rolling and torsion friction, and of bodies whose contacts have full blocks, with
//! lever arms off the normal and three different moments of inertia. Set-up is excluded by taking the difference of two
//! solves with different numbers of sweeps.

use riprap_solve::problem::{Body, Contact, Inertia, Mass, Torque};
use riprap_solve::{Criterion, D2, D3, Dim, Options, Problem, Solver, SweepOrder, Vector, solve};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Grains {
    Balls,
    Rolling,
    Blocks,
}

/// Seconds for one row of the table.
const SECONDS: f64 = 3.0;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let one = bandwidth(1);
    println!(
        "memory bandwidth (triad a = b + s c, 3 arrays of 128 MB): {:.1} GB/s on 1 thread, {:.1} on 2",
        one,
        bandwidth(2)
    );
    println!(
        "{:>4} {:>8} {:>9} {:>9} {:>12} {:>8} {:>12} {:>8} {:>8} {:>7}",
        "dim", "grains", "bodies", "contacts", "order", "threads", "updates/s", "GB/s", "of triad", "times"
    );
    for grains in [Grains::Balls, Grains::Rolling, Grains::Blocks] {
        for (dimension, side) in [(3, 12), (3, 33), (3, 70), (2, 60), (2, 230), (2, 700)] {
            // The other orders take one thread.
            let mut orders = vec![(SweepOrder::Spatial, &[1, 2][..])];
            if grains == Grains::Balls && dimension == 3 && side < 60 {
                orders.extend([(SweepOrder::Sequential, &[1][..]), (SweepOrder::Random, &[1][..])]);
            }
            for (order, threads) in orders {
                let name = format!("{dimension}D {grains:?} {order:?}").to_lowercase();
                if !words.is_empty() && !words.iter().all(|word| name.contains(word.as_str())) {
                    continue;
                }
                if dimension == 3 {
                    measure::<D3>(side, grains, order, threads, one);
                } else {
                    measure::<D2>(side, grains, order, threads, one);
                }
            }
        }
    }
}

/// A row for each number of threads, all measured in turn, so that what disturbs one disturbs the others.
fn measure<D: Dim>(side: usize, grains: Grains, order: SweepOrder, threads: &[usize], triad: f64) {
    let problem = lattice::<D>(side, grains);
    let contacts = problem.contacts.len();
    // Short solves, and many: on a machine that others use too, only a short one is ever left alone. But the sweeps that
    // make the difference must outweigh the set-up.
    let sweeps = (2_000_000 / contacts).clamp(20, 400) as u32;
    let time = |pool: &rayon::ThreadPool, sweeps: u32| {
        let options = Options {
            solver: Solver::GaussSeidel,
            order,
            criterion: Criterion::Fixed { sweeps },
            ..Options::default()
        };
        let mut copy = problem.clone();
        let threads = pool.current_num_threads();
        pool.install(|| {
            let start = clock(threads);
            let report = solve(&mut copy, &options, 0).expect("options that go together");
            assert_eq!(report.sweeps, sweeps);
            clock(threads) - start
        })
    };
    let pool = |&threads: &usize| rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    let mut rows: Vec<(rayon::ThreadPool, f64, f64)> =
        threads.iter().map(|count| (pool(count), f64::INFINITY, f64::INFINITY)).collect();
    let began = Instant::now();
    for round in 0..60 {
        for (pool, short, long) in &mut rows {
            *short = short.min(time(pool, sweeps));
            *long = long.min(time(pool, 3 * sweeps));
        }
        if round > 2 && began.elapsed().as_secs_f64() > SECONDS * threads.len() as f64 {
            break;
        }
    }
    let rate =
        |(_, short, long): &(rayon::ThreadPool, f64, f64)| f64::from(2 * sweeps) * contacts as f64 / (long - short);
    let alone = rate(&rows[0]);
    for row in &rows {
        let speed = rate(row) * bytes_read(D::AXES, grains) as f64 / 1e9;
        println!(
            "{:>4} {:>8} {:>9} {:>9} {:>12} {:>8} {:>10.1} M {:>8.1} {:>7.0}% {:>7.2}",
            D::AXES,
            format!("{grains:?}").to_lowercase(),
            problem.bodies.len() - 1,
            contacts,
            format!("{order:?}").to_lowercase(),
            row.0.current_num_threads(),
            rate(row) / 1e6,
            speed,
            100.0 * speed / triad,
            rate(row) / alone
        );
    }
}

/// Seconds: of this thread on its core where there is one and the system tells (others on the machine do not count then),
/// else of the clock.
fn clock(threads: usize) -> f64 {
    let on_core = || -> Option<f64> {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        Some(text.split(' ').next()?.parse::<f64>().ok()? * 1e-9)
    };
    let of_clock = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |t| t.as_secs_f64());
    if threads == 1 { on_core().unwrap_or_else(of_clock) } else { of_clock() }
}

/// What a visit reads: two bodies, the constants and the impulse of the contact, the numbers of its bodies.
fn bytes_read(axes: usize, grains: Grains) -> usize {
    let (slot, constants, components) = match (axes, grains) {
        (3, Grains::Balls) => (8, 8, 3),
        (3, Grains::Rolling) => (8, 17, 6),
        (3, Grains::Blocks) => (8, 40, 3),
        (_, Grains::Balls) => (4, 6, 2),
        (_, Grains::Rolling) => (4, 13, 3),
        (_, Grains::Blocks) => (4, 18, 2),
    };
    8 * (2 * slot + constants + components) + 8
}

/// A lattice of touching bodies on a floor, numbered block by block as along a space-filling curve.
fn lattice<D: Dim>(side: usize, grains: Grains) -> Problem<D> {
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
        let inertia = if grains == Grains::Blocks {
            problem.masses.push(Mass {
                inverse_mass: D::Vector::from_fn(|_| inverse),
                inverse_inertia: D::spin_tensor(
                    D::turn(D::Orientation::default(), D::Spin::from_fn(|i| 0.1 * ((number + i) % 17) as f64)),
                    D::Spin::from_fn(|i| inverse * (1.5 + i as f64)),
                ),
            });
            Inertia::General(number as u32)
        } else {
            Inertia::Ball(inverse)
        };
        problem.bodies.push(Body { velocity, inertia, ..Body::default() });
        let mut touch = |bodies: [u32; 2], normal: D::Vector| {
            let off = D::Vector::from_fn(|i| 0.3 * (((number * 13 + 5 * i) % 11) as f64 / 5.0 - 1.0));
            problem.arms.push([normal + off, off - normal]);
            problem.contacts.push(Contact { bodies, normal, friction: 0.5, ..Contact::default() });
            if grains == Grains::Rolling {
                let lengths = [1.0, 1.0 + 0.1 * (number % 3) as f64];
                problem.torques.push(Torque { rolling: 0.05, torsion: 0.05, lengths, ..Torque::default() });
            }
        };
        for axis in 0..D::AXES {
            let mut other = place;
            other[axis] += 1;
            if other[axis] < side {
                touch([number as u32 + 1, index[at(other)]], D::Vector::axis(axis));
            }
        }
        if place[up] == 0 {
            touch([0, number as u32 + 1], D::Vector::axis(up));
        }
    }
    problem
}

/// Gigabytes per second that `threads` threads read and write together.
fn bandwidth(threads: usize) -> f64 {
    const LENGTH: usize = 16 << 20;
    let (mut a, b, c) = (vec![0.0f64; LENGTH], vec![1.0f64; LENGTH], vec![2.0f64; LENGTH]);
    let part = LENGTH.div_ceil(threads);
    let mut best = 0.0f64;
    for round in 0..5 {
        let scale = f64::from(round);
        let start = clock(threads);
        if threads == 1 {
            triad(&mut a, &b, &c, scale);
        } else {
            std::thread::scope(|scope| {
                for ((a, b), c) in a.chunks_mut(part).zip(b.chunks(part)).zip(c.chunks(part)) {
                    scope.spawn(move || triad(a, b, c, scale));
                }
            });
        }
        best = best.max(3.0 * 8.0 * LENGTH as f64 / (clock(threads) - start) / 1e9);
    }
    assert!(a[12345] > 0.0);
    best
}

fn triad(a: &mut [f64], b: &[f64], c: &[f64], scale: f64) {
    for ((a, b), c) in a.iter_mut().zip(b).zip(c) {
        *a = b + scale * c;
    }
}
