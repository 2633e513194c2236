//! Every solver, every sweep order and every criterion on random problems: the laws hold at the end, by a check of their own.

use riprap_solve::assembled::{AssembledOptions, AssembledProblem, AssembledSolver, GlobalProblem, solve_assembled};
use riprap_solve::law::natural_map_error;
use riprap_solve::problem::{Body, Cell, Contact, GROUND, Inertia, Mass};
use riprap_solve::{Criterion, D2, D3, Dim, Options, OptionsError, Problem, SolveReport, Solver, SweepOrder, Vector};

const ORDERS: [SweepOrder; 4] =
    [SweepOrder::Random, SweepOrder::Sequential, SweepOrder::ForwardBackward, SweepOrder::Spatial];

/// Solves with options that go together.
fn solve<D: Dim>(problem: &mut Problem<D>, options: &Options, step: u64) -> SolveReport {
    riprap_solve::solve(problem, options, step).expect("options that go together")
}

/// Numbers between 0 and 1 that are the same everywhere.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// A heap of balls on a lattice with random masses, velocities and slightly turned normals on the ground, and a plate
/// that is free to move up and down on top of it.
fn heap<D: Dim>(side: usize, friction: f64) -> Problem<D> {
    let mut random = Numbers(7 + side as u64);
    let up = D::Vector::axis(D::AXES - 1);
    let layers = if D::AXES == 3 { side } else { 1 };
    let mut problem = Problem { bodies: vec![Body::default()], ..Problem::default() };
    let index = |x: usize, y: usize, z: usize| (1 + x + side * (y + layers * z)) as u32;
    for _ in 0..side * side * layers {
        let velocity = D::Vector::from_fn(|_| 0.2 * (random.next() - 0.5)) - up;
        let spin = D::Spin::from_fn(|_| 0.1 * random.next());
        problem.bodies.push(Body { velocity, spin, inertia: Inertia::Ball(0.5 + random.next()) });
    }
    let plate = problem.bodies.len() as u32;
    problem.masses.push(Mass { inverse_mass: up * 0.2, ..Mass::default() });
    problem.bodies.push(Body { velocity: -up, inertia: Inertia::General(0), ..Body::default() });
    let mut touch = |bodies: [u32; 2], normal: D::Vector| {
        let normal = (normal + D::Vector::from_fn(|_| 0.3 * (random.next() - 0.5))).normalized().unwrap_or(normal);
        let shift = normal * (0.1 * random.next());
        problem.contacts.push(Contact { bodies, normal, shift, friction, ..Contact::default() });
    };
    for z in 0..side {
        for y in 0..layers {
            for x in 0..side {
                let own = index(x, y, z);
                if x + 1 < side {
                    touch([own, index(x + 1, y, z)], D::Vector::axis(0));
                }
                if y + 1 < layers {
                    touch([own, index(x, y + 1, z)], D::Vector::axis(1));
                }
                if z + 1 < side {
                    touch([own, index(x, y, z + 1)], up);
                } else {
                    touch([own, plate], up);
                }
                if z == 0 {
                    touch([GROUND, own], up);
                }
            }
        }
    }
    problem
}

/// The heap in a cell that is free to stretch along its first axis and stretches at an imposed rate along the last; its
/// mass is half as large again as convergence without friction asks for (`Σ m_n ℓ²`).
fn heap_in_a_cell<D: Dim>(side: usize, friction: f64) -> Problem<D> {
    let mut problem = heap::<D>(side, friction);
    let mut random = Numbers(99);
    let branches: Vec<D::Vector> = (problem.contacts.iter())
        .map(|contact| contact.normal * (1.0 + random.next()) + D::Vector::from_fn(|_| 0.2 * random.next()))
        .collect();
    let heaviness = |(contact, branch): (&Contact<D>, &D::Vector)| {
        let inverse: f64 = contact.bodies.iter().map(|&body| problem.mass(body).inverse_mass.get(0)).sum();
        branch.get(0).powi(2) / inverse.max(0.5)
    };
    let mass: f64 = 1.5 * problem.contacts.iter().zip(&branches).map(heaviness).sum::<f64>();
    let rate = D::Vector::axis(0) * -0.05 + D::Vector::axis(D::AXES - 1) * 0.02;
    problem.cell = Some(Cell { rate, inverse_mass: D::Vector::axis(0) * (1.0 / mass), branches });
    problem
}

/// The relative residual, computed from the solved problem alone.
fn residual<D: Dim>(problem: &Problem<D>) -> f64 {
    let (mut error, mut size) = (0.0, 0.0);
    for (index, contact) in problem.contacts.iter().enumerate() {
        let [t1, t2] = D::tangents(contact.normal);
        let local = |v: D::Vector| [contact.normal.dot(v), t1.dot(v), t2.dot(v)];
        let inverse: f64 = contact
            .bodies
            .iter()
            .map(|&body| problem.mass(body).inverse_mass.scale(contact.normal).dot(contact.normal))
            .sum();
        let stretching = problem.cell.as_ref().map_or(D::Vector::ZERO, |cell| cell.velocity(index));
        let velocity = problem.relative_velocity(index) + contact.shift + stretching;
        error += natural_map_error(local(contact.impulse), local(velocity), contact.friction, 1.0 / inverse).powi(2);
        size += contact.impulse.dot(contact.impulse);
    }
    (error / size).sqrt()
}

fn every_way<D: Dim>(side: usize) {
    for friction in [0.0, 0.3, 0.8] {
        let problems = [heap::<D>(side, friction), heap_in_a_cell::<D>(side, friction)];
        for (problem, (solver, order)) in problems.iter().flat_map(|problem| {
            ORDERS
                .map(|order| (Solver::GaussSeidel, order))
                .into_iter()
                .chain([Solver::Momentum, Solver::Auto].map(|solver| (solver, SweepOrder::Spatial)))
                // Momentum without a bound goes round in circles where friction is high.
                .filter(|(solver, _)| *solver != Solver::Momentum || friction < 0.5)
                .map(move |way| (problem, way))
        }) {
            let criterion = Criterion::Residual { tolerance: 1e-8 };
            let options = Options { solver, order, criterion, max_sweeps: 20_000, ..Options::default() };
            let mut solved = problem.clone();
            let report = solve(&mut solved, &options, 3);
            assert!(report.converged, "{solver:?} {order:?} friction {friction}: {report:?}");
            // The plate's contacts are weighed slightly differently here: by mass alone, not by the whole block.
            assert!(residual(&solved) < 1e-7, "{solver:?} {order:?} friction {friction}: {}", residual(&solved));
            // Velocities are what the impulses make of the free ones.
            let mut again = problem.clone();
            for (index, contact) in solved.contacts.iter().enumerate() {
                again.apply(index, contact.impulse);
            }
            for (a, b) in again.bodies.iter().zip(&solved.bodies) {
                let (dv, ds) = ((a.velocity - b.velocity).length(), (a.spin - b.spin).length());
                assert!(dv < 1e-12 && ds < 1e-12, "{dv:e} {ds:e}");
            }
            // And so is the rate of stretching.
            if let (Some(free), Some(cell)) = (&problem.cell, &solved.cell) {
                let pushed =
                    solved.contacts.iter().zip(&cell.branches).map(|(contact, &branch)| branch.scale(contact.impulse));
                let sum = pushed.fold(D::Vector::ZERO, |sum, part| sum + part);
                let difference = cell.rate - free.rate - free.inverse_mass.scale(sum);
                assert!(difference.length() < 1e-12, "{difference:?}");
            }
            // From its own solution it needs far less than from nothing.
            let mut warm = problem.clone();
            for (contact, known) in warm.contacts.iter_mut().zip(&solved.contacts) {
                contact.impulse = known.impulse;
            }
            let again = solve(&mut warm, &options, 4);
            assert!(again.converged && 4 * again.sweeps <= report.sweeps, "{solver:?} {order:?}: {again:?} {report:?}");
        }
    }
}

#[test]
fn every_solver_and_order_reaches_the_laws_in_the_plane() {
    every_way::<D2>(9);
}

#[test]
fn every_solver_and_order_reaches_the_laws_in_space() {
    every_way::<D3>(5);
}

#[test]
fn a_sharper_criterion_of_each_kind_gives_a_smaller_residual() {
    let reached = |criterion: Criterion| {
        let mut problem = heap::<D3>(6, 0.4);
        let options = Options { criterion, max_sweeps: 20_000, ..Options::default() };
        let report = solve(&mut problem, &options, 0);
        assert!(report.converged, "{criterion:?}");
        (report.sweeps, residual(&problem))
    };
    let kinds: [fn(f64) -> Criterion; 4] = [
        |epsilon| Criterion::LocalForce { epsilon, cutoff: 0.01 },
        |epsilon| Criterion::MeanForce { epsilon },
        |tolerance| Criterion::Residual { tolerance },
        |velocity| Criterion::Motion { velocity, residual: 1e-12 },
    ];
    for kind in kinds {
        let (dull, sharp) = (reached(kind(1e-3)), reached(kind(1e-7)));
        // The change of the mean force is the weakest of them: it may be small by chance.
        let gain = if matches!(kind(1.0), Criterion::MeanForce { .. }) { 0.5 } else { 0.1 };
        assert!(dull.0 < sharp.0 && sharp.1 < gain * dull.1, "{:?}: {dull:?} {sharp:?}", kind(1e-3));
    }
    assert_eq!(reached(Criterion::Fixed { sweeps: 37 }).0, 37);
}

#[test]
fn limits_are_kept_and_said() {
    let options = Options {
        criterion: Criterion::Residual { tolerance: 1e-14 },
        max_sweeps: 10,
        solver: Solver::GaussSeidel,
        ..Options::default()
    };
    let report = solve(&mut heap::<D2>(9, 0.4), &options, 0);
    assert!(!report.converged && report.sweeps == 10 && report.residual > 1e-14);
    let options = Options { criterion: Criterion::Residual { tolerance: 1.0 }, min_sweeps: 25, ..options };
    let report = solve(&mut heap::<D2>(9, 0.4), &Options { max_sweeps: 100, ..options }, 0);
    assert!(report.converged && report.sweeps >= 25);
}

#[test]
fn no_energy_from_nothing_without_restitution() {
    let energy = |problem: &Problem<D3>| -> f64 {
        let balls = problem.bodies.iter().filter_map(|body| match body.inertia {
            Inertia::Ball(inverse) => {
                Some((body.velocity.dot(body.velocity) + D3::BALL_INERTIA * body.spin.dot(body.spin)) / inverse)
            }
            _ => None,
        });
        balls.sum::<f64>()
            + problem
                .bodies
                .iter()
                .filter(|b| matches!(b.inertia, Inertia::General(_)))
                .map(|b| 5.0 * b.velocity.z.powi(2))
                .sum::<f64>()
    };
    let mut problem = heap::<D3>(6, 0.5);
    for contact in &mut problem.contacts {
        contact.shift = glam::DVec3::ZERO;
    }
    let before = energy(&problem);
    let criterion = Criterion::Residual { tolerance: 1e-7 };
    let report = solve(&mut problem, &Options { criterion, max_sweeps: 20_000, ..Options::default() }, 0);
    assert!(report.converged && energy(&problem) < before, "{report:?} {} {before}", energy(&problem));
}

#[test]
fn a_steep_cone_is_solved_where_momentum_goes_round_in_circles() {
    let solved = |solver| {
        let mut problem = heap::<D3>(6, 3.1);
        let criterion = Criterion::Residual { tolerance: 1e-6 };
        let report = solve(&mut problem, &Options { solver, criterion, max_sweeps: 6000, ..Options::default() }, 0);
        (report.converged, residual(&problem))
    };
    let (converged, left) = solved(Solver::Auto);
    assert!(converged && left < 2e-6, "{left:e}");
    let (_, left_by_momentum) = solved(Solver::Momentum);
    assert!(left < 0.01 * left_by_momentum, "{left:e} {left_by_momentum:e}");
}

#[test]
fn a_large_cell_is_solved_by_its_freedoms() {
    // Every contact moves the cell, so each of these 1,800 acts on all others, and W is full.
    let problem = heap_in_a_cell::<D2>(30, 0.3);
    let stated = AssembledProblem::Global(GlobalProblem::from_bodies(&problem).problem);
    assert_eq!(problem.contacts.len(), 1800);
    let options = AssembledOptions { tolerance: 1e-5, ..AssembledOptions::default() };
    let solution = solve_assembled(&stated, &options, None, &mut || false).expect("a problem");
    assert!(solution.converged && solution.residual_scaled < 1e-5, "{solution:?}");
    assert_eq!(solution.solver, AssembledSolver::Momentum);
}

#[test]
fn options_that_momentum_cannot_honour_are_refused() {
    let solve = |solver, order, criterion| {
        let options = Options { solver, order, criterion, ..Options::default() };
        riprap_solve::solve(&mut heap::<D2>(4, 0.4), &options, 0).map(|report| report.converged)
    };
    let residual = Criterion::Residual { tolerance: 1e-3 };
    for order in ORDERS {
        let expected = if order == SweepOrder::Spatial { Ok(true) } else { Err(OptionsError::Order(order)) };
        assert_eq!(solve(Solver::Momentum, order, residual), expected);
        // The program may choose, and chooses plain sweeps.
        assert_eq!(solve(Solver::Auto, order, residual), Ok(true));
    }
    let forces = [
        Criterion::LocalForce { epsilon: 0.01, cutoff: 0.01 },
        Criterion::MeanForce { epsilon: 0.01 },
        Criterion::Fixed { sweeps: 3 },
    ];
    for criterion in forces {
        assert_eq!(solve(Solver::Momentum, SweepOrder::Spatial, criterion), Err(OptionsError::Criterion));
        assert_eq!(solve(Solver::Auto, SweepOrder::Spatial, criterion), Ok(true));
    }
}

/// A column of light balls on the ground with a heavy one on top, all of which would fall at speed 1.
fn loaded_column<D: Dim>(count: u32, ratio: f64, friction: f64) -> Problem<D> {
    let up = D::Vector::axis(D::AXES - 1);
    let mut problem = Problem { bodies: vec![Body::default()], ..Problem::default() };
    for number in 0..=count {
        let inverse_mass = if number == count { 1.0 / ratio } else { 1.0 };
        problem.bodies.push(Body { velocity: -up, inertia: Inertia::Ball(inverse_mass), ..Body::default() });
        let contact = Contact { bodies: [number, number + 1], normal: up, ..Contact::default() };
        problem.contacts.push(Contact { friction, ..contact });
    }
    problem
}

fn a_column_carries_a_heavy_ball_within_the_limit_of_sweeps<D: Dim>(counts: &[u32], friction: f64) {
    let up = D::Vector::axis(D::AXES - 1);
    for &count in counts {
        for ratio in [1e3, 1e6] {
            let mut problem = loaded_column::<D>(count, ratio, friction);
            let criterion = Criterion::Motion { velocity: 5e-4, residual: 1e-5 };
            let report = solve(&mut problem, &Options { criterion, ..Options::default() }, 0);
            assert!(report.converged, "{count} at ratio {ratio:e}: {report:?}");
            for (number, contact) in problem.contacts.iter().enumerate() {
                // Each contact carries what is above it.
                let weight = ratio + f64::from(count) - number as f64;
                let error = contact.impulse.dot(up) / weight - 1.0;
                // The worst contact may be wrong by 20 times the mean, and the errors of a column add up.
                let allowed = 20.0 * 5e-4 * f64::from(count + 1);
                assert!(error.abs() < allowed, "ratio {ratio:e}: contact {number} carries too much by {error:e}");
            }
        }
    }
}

#[test]
fn jumps_find_what_carries_a_heavy_ball() {
    a_column_carries_a_heavy_ball_within_the_limit_of_sweeps::<D2>(&[1, 3, 10, 30], 0.5);
    a_column_carries_a_heavy_ball_within_the_limit_of_sweeps::<D3>(&[1, 3, 10, 30], 0.5);
}

#[test]
fn jumps_find_it_without_momentum_where_friction_is_very_high() {
    a_column_carries_a_heavy_ball_within_the_limit_of_sweeps::<D2>(&[1, 3], 10.0);
    a_column_carries_a_heavy_ball_within_the_limit_of_sweeps::<D3>(&[1, 3], 10.0);
}
