//! Several ranks that solve a problem together find what one rank finds, bit for bit.

use riprap_solve::problem::{Body, Cell, Cohesion, Contact, GROUND, Inertia, Mass, Torque};
use riprap_solve::ranks::on_threads;
use riprap_solve::{
    Criterion, D2, D3, Dim, Options, Problem, Ranks, SolveMemory, SolveReport, Solver, SweepOrder, Vector, solve_in,
};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Balls,
    /// Balls with torques and cohesion.
    Sticky,
    /// Bodies with full blocks.
    Blocks,
    /// Some of each, with torques.
    Mixed,
}

/// A lattice on the ground below a plate, numbered along a curve through space, with velocities at random.
fn lattice<D: Dim>(side: usize, kind: Kind) -> Problem<D> {
    let depth = if D::AXES == 3 { side } else { 1 };
    let mut places: Vec<[usize; 3]> =
        (0..side * side * depth).map(|i| [i % side, i / side % side, i / side / side]).collect();
    places.sort_by_key(|place| {
        (0..20).fold(0u64, |key, bit| {
            (0..3).fold(key, |key, axis| key | ((place[axis] as u64 >> bit) & 1) << (3 * bit + axis))
        })
    });
    let mut number = vec![0u32; places.len()];
    for (index, place) in places.iter().enumerate() {
        number[(place[2] * side + place[1]) * side + place[0]] = index as u32 + 1;
    }
    let mut state = 1u64;
    let mut random = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    };
    let mut problem = Problem { bodies: vec![Body::default()], ..Problem::default() };
    for index in 0..places.len() {
        let velocity = D::Vector::from_fn(|_| random()) - D::Vector::axis(1);
        let is_block = kind == Kind::Blocks || kind == Kind::Mixed && index % 3 == 0;
        let inertia = if is_block {
            let inverse_mass = D::Vector::from_fn(|_| 1.0);
            let inverse_inertia = D::spin_tensor(D::Orientation::default(), D::Spin::from_fn(|i| 1.5 + i as f64));
            problem.masses.push(Mass { inverse_mass, inverse_inertia });
            Inertia::General(problem.masses.len() as u32 - 1)
        } else {
            Inertia::Ball(0.8 + 0.4 * (random() + 0.5))
        };
        problem.bodies.push(Body { velocity, inertia, ..Body::default() });
    }
    let plate = problem.bodies.len() as u32;
    problem.masses.push(Mass { inverse_mass: D::Vector::axis(1) * 0.01, ..Mass::default() });
    problem.bodies.push(Body {
        velocity: D::Vector::axis(1) * -2.0,
        inertia: Inertia::General(problem.masses.len() as u32 - 1),
        ..Body::default()
    });
    let mut touch = |bodies: [u32; 2], axis: usize| {
        let normal = D::Vector::axis(axis) + D::Vector::from_fn(|_| 0.3 * random());
        let normal = normal * (1.0 / normal.length());
        problem.contacts.push(Contact {
            bodies,
            normal,
            friction: 0.4,
            shift: normal * (0.1 * random()),
            ..Contact::default()
        });
    };
    for (index, place) in places.iter().enumerate() {
        let own = index as u32 + 1;
        for axis in 0..D::AXES {
            let mut next = *place;
            next[axis] += 1;
            if next[axis] < side {
                touch([own, number[(next[2] * side + next[1]) * side + next[0]]], axis);
            }
        }
        if place[1] == 0 {
            touch([GROUND, own], 1);
        } else if place[1] + 1 == side {
            touch([own, plate], 1);
        }
    }
    if kind != Kind::Balls {
        problem.arms = problem.contacts.iter().map(|contact| [contact.normal, contact.normal * -1.1]).collect();
    }
    if kind == Kind::Sticky || kind == Kind::Mixed {
        let torque = |_| Torque { rolling: 0.1, torsion: 0.05, lengths: [1.0; 2], ..Torque::default() };
        problem.torques = problem.contacts.iter().map(torque).collect();
        problem.cohesions = (0..problem.contacts.len())
            .map(|i| if i % 5 == 0 { Cohesion { hold: 0.1, closing: 0.01 } } else { Cohesion::default() })
            .collect();
    }
    problem
}

/// The same in a cell that its contacts stretch.
fn in_a_cell<D: Dim>(mut problem: Problem<D>) -> Problem<D> {
    let branches: Vec<D::Vector> = problem.contacts.iter().map(|contact| contact.normal * 1.5).collect();
    let inverse_mass = D::Vector::axis(0) * (0.2 / branches.len() as f64);
    problem.cell = Some(Cell { rate: D::Vector::axis(0) * -0.05, inverse_mass, branches });
    problem
}

/// Every bit of a solution.
fn bits<D: Dim>(problem: &Problem<D>, report: &SolveReport) -> Vec<u64> {
    let vector = |v: D::Vector| (0..D::AXES).map(move |i| v.get(i).to_bits());
    let spin = |v: D::Spin| (0..D::SPINS).map(move |i| v.get(i).to_bits());
    let bodies = problem.bodies.iter().flat_map(|body| vector(body.velocity).chain(spin(body.spin)));
    let contacts = problem.contacts.iter().flat_map(|contact| vector(contact.impulse));
    let torques = problem.torques.iter().flat_map(|torque| spin(torque.impulse));
    let rate = problem.cell.iter().flat_map(|cell| vector(cell.rate));
    let report = [report.residual.to_bits(), report.worst_contact.to_bits(), u64::from(report.sweeps)];
    bodies.chain(contacts).chain(torques).chain(rate).chain(report).collect()
}

/// Two solves in a row, in one memory: from nothing, and with some contacts gone from what was found.
fn twice<D: Dim>(mut problem: Problem<D>, options: &Options, ranks: &Ranks) -> Vec<u64> {
    let mut memory = SolveMemory::default();
    memory.divide_among(ranks);
    let report = solve_in(&mut memory, &mut problem, options, 3).expect("options that go together");
    let mut found = bits(&problem, &report);
    let half = problem.contacts.len() / 2;
    problem.contacts.truncate(half);
    problem.arms.truncate(half);
    problem.torques.truncate(half);
    problem.cohesions.truncate(half);
    if let Some(cell) = &mut problem.cell {
        cell.branches.truncate(half);
    }
    let report = solve_in(&mut memory, &mut problem, options, 4).expect("options that go together");
    found.extend(bits(&problem, &report));
    found
}

fn any_number_of_ranks_finds_the_same<D: Dim>(problem: &Problem<D>, options: &Options, case: &str) {
    let alone = twice(problem.clone(), options, &Ranks::default());
    for (size, threads) in [(2, 1), (3, 2), (8, 1)] {
        let found = on_threads(size, threads, |ranks| twice(problem.clone(), options, &ranks));
        for (rank, found) in found.into_iter().enumerate() {
            assert!(found == alone, "rank {rank} of {size} differs: {case}, {options:?}");
        }
    }
}

const MOTION: Criterion = Criterion::Motion { velocity: 1e-3, residual: 1e-5 };
const RESIDUAL: Criterion = Criterion::Residual { tolerance: 1e-3 };

fn every_kind<D: Dim>(side: usize) {
    for kind in [Kind::Balls, Kind::Sticky, Kind::Blocks, Kind::Mixed] {
        let problem = lattice::<D>(side, kind);
        let options = Options { criterion: MOTION, max_sweeps: 40, ..Options::default() };
        any_number_of_ranks_finds_the_same(&problem, &options, &format!("{kind:?}"));
        let options = Options { criterion: RESIDUAL, max_sweeps: 40, ..Options::default() };
        any_number_of_ranks_finds_the_same(&in_a_cell(problem), &options, &format!("{kind:?} in a cell"));
    }
}

#[test]
fn all_kinds_of_contacts_in_the_plane() {
    every_kind::<D2>(40);
}

#[test]
fn all_kinds_of_contacts_in_space() {
    every_kind::<D3>(12);
}

#[test]
fn all_orders_solvers_and_criteria() {
    let problem = lattice::<D3>(12, Kind::Mixed);
    let few = Options { max_sweeps: 20, ..Options::default() };
    for order in SweepOrder::ALL {
        for criterion in [MOTION, Criterion::Fixed { sweeps: 7 }, Criterion::LocalForce { epsilon: 0.05, cutoff: 0.1 }]
        {
            let options = Options { solver: Solver::GaussSeidel, order, criterion, ..few };
            any_number_of_ranks_finds_the_same(&problem, &options, "plain sweeps");
        }
    }
    let options = Options { solver: Solver::Momentum, criterion: RESIDUAL, warm_start: false, ..few };
    any_number_of_ranks_finds_the_same(&problem, &options, "momentum");
    // Compliant contacts, heavy bodies on light ones.
    let compliant = Problem { compliance: 0.01, ..problem.clone() };
    any_number_of_ranks_finds_the_same(&compliant, &Options { criterion: RESIDUAL, ..few }, "compliant");
    let mut heavy = lattice::<D3>(12, Kind::Balls);
    heavy.bodies[1000].inertia = Inertia::Ball(1e-4);
    any_number_of_ranks_finds_the_same(&heavy, &Options { max_sweeps: 120, ..few }, "heavy");
}

#[test]
fn fewer_blocks_than_ranks() {
    for side in [1, 2, 4] {
        let problem = lattice::<D3>(side, Kind::Balls);
        any_number_of_ranks_finds_the_same(&problem, &Options::default(), &format!("{} bodies", side * side * side));
    }
}

#[test]
fn less_is_sent_than_there_is() {
    // What one rank sends in a sweep is a part of the surface between the ranks.
    let problem = lattice::<D3>(20, Kind::Balls);
    let sent = |sweeps: u32| {
        let options =
            Options { solver: Solver::GaussSeidel, criterion: Criterion::Fixed { sweeps }, ..Options::default() };
        let found = on_threads(2, 1, |ranks| {
            let mut memory = SolveMemory::default();
            memory.divide_among(&ranks);
            solve_in(&mut memory, &mut problem.clone(), &options, 0).expect("options that go together");
            ranks.traffic()
        });
        (found[0].messages, found[0].bytes)
    };
    let (few, many) = (sent(10), sent(20));
    let bodies = problem.bodies.len() as u64;
    let (messages, bytes) = ((many.0 - few.0) / 10, (many.1 - few.1) / 10);
    assert!(messages <= 16, "{messages} messages a sweep");
    assert!(bytes < bodies * 6 * 8 / 4, "{bytes} bytes a sweep of {bodies} bodies");
}
