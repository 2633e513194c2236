//! Torques, cohesion with a range, compliance and full blocks in whole problems: the laws hold at the end, by a check that
//! uses the statement of the problem alone, whatever kernel solved it and on however many threads.

use riprap_solve::problem::{Body, Cohesion, Contact, GROUND, Inertia, Mass, Torque};
use riprap_solve::{
    Criterion, D2, D3, Dim, Options, Problem, SolveMemory, SolveReport, Solver, SweepOrder, Vector, solve_in,
};

/// Numbers between 0 and 1 that are the same everywhere.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
    fn signed(&mut self) -> f64 {
        2.0 * self.next() - 1.0
    }
}

/// A heap of grains on a lattice under a plate that moves up and down; every `angular`-th grain is not a ball.
fn heap<D: Dim>(side: usize, angular: usize) -> Problem<D> {
    let mut random = Numbers(3 + side as u64 + 17 * angular as u64);
    let up = D::Vector::axis(D::AXES - 1);
    let layers = if D::AXES == 3 { side } else { 1 };
    let mut problem = Problem::<D> { bodies: vec![Body::default()], ..Problem::default() };
    for number in 0..side * side * layers {
        let inverse = 0.5 + random.next();
        let inertia = if (number + 1) % angular == 0 {
            let turn = D::turn(D::Orientation::default(), D::Spin::from_fn(|_| random.signed()));
            problem.masses.push(Mass {
                inverse_mass: D::Vector::from_fn(|_| inverse),
                inverse_inertia: D::spin_tensor(turn, D::Spin::from_fn(|_| inverse * (0.5 + 5.0 * random.next()))),
            });
            Inertia::General(problem.masses.len() as u32 - 1)
        } else {
            Inertia::Ball(inverse)
        };
        let velocity = D::Vector::from_fn(|_| 0.1 * random.signed()) - up;
        problem.bodies.push(Body { velocity, spin: D::Spin::from_fn(|_| 0.3 * random.signed()), inertia });
    }
    let plate = problem.bodies.len() as u32;
    problem.masses.push(Mass { inverse_mass: up * 0.2, ..Mass::default() });
    let inertia = Inertia::General(problem.masses.len() as u32 - 1);
    problem.bodies.push(Body { velocity: -up, inertia, ..Body::default() });
    let index = |x: usize, y: usize, z: usize| (1 + x + side * (y + layers * z)) as u32;
    let mut touch = |bodies: [u32; 2], normal: D::Vector| {
        let normal = (normal + D::Vector::from_fn(|_| 0.15 * random.signed())).normalized().unwrap_or(normal);
        let general = |body: u32| matches!(problem.bodies[body as usize].inertia, Inertia::General(_));
        let arms = [(0, 1.0), (1, -1.0)].map(|(side, sign)| {
            let off = D::Vector::from_fn(|_| 0.4 * random.signed());
            normal * sign + if general(bodies[side]) { off } else { D::Vector::ZERO }
        });
        let shift = normal * (0.1 * random.next());
        problem.arms.push(arms);
        problem.contacts.push(Contact { bodies, normal, shift, friction: 0.4, ..Contact::default() });
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
                touch([own, if z + 1 < side { index(x, y, z + 1) } else { plate }], up);
                if z == 0 {
                    touch([GROUND, own], up);
                }
            }
        }
    }
    problem
}

/// Gives every other contact torques, and every third a step in its normal law.
fn with_laws<D: Dim>(mut problem: Problem<D>) -> Problem<D> {
    let mut random = Numbers(11);
    for number in 0..problem.contacts.len() {
        let mut torque =
            Torque { lengths: [0.8 + 0.4 * random.next(), 0.8 + 0.4 * random.next()], ..Torque::default() };
        if number % 2 == 0 {
            torque.rolling = 0.2 * random.next();
            torque.torsion = 0.1 * random.next();
            torque.shift = D::Spin::from_fn(|_| 0.05 * random.signed());
        }
        problem.torques.push(torque);
        let step = Cohesion { hold: 0.3 * random.next(), closing: 0.2 * random.next() };
        problem.cohesions.push(if number % 3 == 0 { step } else { Cohesion::default() });
    }
    problem
}

/// Has sliding and torsion share a limit at every fourth contact, half of those with torques.
fn with_coupling<D: Dim>(mut problem: Problem<D>) -> Problem<D> {
    problem.torques.iter_mut().step_by(4).for_each(|torque| torque.is_coupled = true);
    problem
}

/// How far each law is from holding, as a velocity or an impulse, whichever is smaller; the largest over all contacts.
fn worst<D: Dim>(problem: &Problem<D>, compliance: f64) -> f64 {
    let mut worst = 0.0_f64;
    let mut hold = |what: f64| worst = worst.max(what);
    for (number, contact) in problem.contacts.iter().enumerate() {
        let (n, p) = (contact.normal, contact.impulse);
        let p_n = p.dot(n);
        let more = p - problem.undeformed_impulses.get(number).copied().unwrap_or(D::Vector::ZERO);
        let tangential = compliance * (1.0 + 1.0 / D::BALL_INERTIA);
        let soft = n * (compliance * more.dot(n)) + (more - n * more.dot(n)) * tangential;
        let u = problem.relative_velocity(number) + contact.shift + soft;
        let u_n = u.dot(n);
        let step = problem.cohesions.get(number).copied().unwrap_or_default();
        // The staircase: four ways to satisfy it.
        let ways = [
            p_n.abs().max(-u_n),
            u_n.abs().max(-p_n).max(p_n - step.hold),
            (p_n - step.hold).abs().max(u_n).max(-step.closing - u_n),
            (u_n + step.closing).abs().max(step.hold - p_n),
        ];
        hold(ways.into_iter().fold(f64::INFINITY, f64::min));
        let coulomb = |part: f64, speed: f64, power: f64, limit: f64| {
            let at_limit = (part - limit).abs().max(power + part * speed);
            (part - limit).max(f64::min(speed, at_limit))
        };
        let (p_t, u_t) = (p - n * p_n, u - n * u_n);
        let is_coupled = D::AXES == 3 && problem.torques.get(number).is_some_and(|torque| torque.is_coupled);
        if !is_coupled {
            hold(coulomb(p_t.length(), u_t.length(), p_t.dot(u_t), contact.friction * p_n));
        }
        if let Some(torque) = problem.torques.get(number) {
            let spin = problem.relative_spin(contact, torque) + torque.shift;
            let normal = D::Spin::from_fn(|i| if D::AXES == 3 { n.get(i) } else { 0.0 });
            let (spin_n, torque_n) = (spin.dot(normal), torque.impulse.dot(normal));
            let (spin_t, torque_t) = (spin - normal * spin_n, torque.impulse - normal * torque_n);
            hold(coulomb(torque_t.length(), spin_t.length(), torque_t.dot(spin_t), torque.rolling * p_n));
            if is_coupled {
                // The ellipsoid is a ball if torques are divided by a length, and spins multiplied by it.
                let length = torque.torsion / contact.friction;
                let part = p_t.length().hypot(torque_n / length);
                let power = p_t.dot(u_t) + torque_n * spin_n;
                hold(coulomb(part, u_t.length().hypot(spin_n * length), power, contact.friction * p_n));
            } else if D::AXES == 3 {
                hold(coulomb(torque_n.abs(), spin_n.abs(), torque_n * spin_n, torque.torsion * p_n));
            }
        }
    }
    worst
}

/// Solves with options that go together.
fn solve<D: Dim>(problem: &mut Problem<D>, options: &Options, step: u64) -> SolveReport {
    riprap_solve::solve(problem, options, step).expect("options that go together")
}

/// A residual that leaves no doubt about the laws.
fn sharp() -> Options {
    Options { criterion: Criterion::Residual { tolerance: 1e-10 }, max_sweeps: 30_000, ..Options::default() }
}

/// Solves it in every order; the laws hold and velocities are what the impulses make of the free ones.
fn check<D: Dim>(problem: &Problem<D>, what: &str) {
    let orders = SweepOrder::ALL.map(|order| (Solver::GaussSeidel, order));
    let others = [Solver::Momentum, Solver::Auto].map(|solver| (solver, SweepOrder::Spatial));
    for (solver, order) in orders.into_iter().chain(others) {
        let mut solved = problem.clone();
        let report = solve(&mut solved, &Options { solver, order, ..sharp() }, 1);
        assert!(report.converged && report.trace.softened == 0, "{what}, {solver:?} {order:?}: {report:?}");
        let wrong = worst(&solved, problem.compliance);
        assert!(wrong < 1e-8, "{what}, {solver:?} {order:?}: {wrong:e}");
        let mut again = problem.clone();
        for (number, contact) in solved.contacts.iter().enumerate() {
            again.apply(number, contact.impulse);
            if let Some(torque) = solved.torque(number) {
                again.apply_torque(contact, torque);
            }
        }
        for (a, b) in again.bodies.iter().zip(&solved.bodies) {
            let difference = (a.velocity - b.velocity).length() + (a.spin - b.spin).length();
            assert!(difference < 1e-12, "{what}: {difference:e}");
        }
    }
}

#[test]
fn full_blocks_among_balls() {
    check(&heap::<D2>(8, 2), "plane");
    check(&heap::<D3>(4, 2), "space");
    check(&heap::<D3>(4, 1), "no balls");
}

#[test]
fn torques_and_cohesion_of_balls_and_others() {
    check(&with_laws(heap::<D2>(8, 1000)), "plane, balls");
    check(&with_laws(heap::<D3>(4, 1000)), "space, balls");
    check(&with_laws(heap::<D2>(6, 2)), "plane, mixed");
    check(&with_laws(heap::<D3>(4, 2)), "space, mixed");
}

#[test]
fn coupled_sliding_and_torsion_of_balls_and_others() {
    check(&with_coupling(with_laws(heap::<D3>(4, 1000))), "balls");
    check(&with_coupling(with_laws(heap::<D3>(4, 2))), "mixed");
}

#[test]
fn compliant_contacts_of_every_kind() {
    let soft = |mut problem: Problem<D3>| {
        let mut random = Numbers(29);
        problem.compliance = 0.5;
        problem.undeformed_impulses =
            problem.contacts.iter().map(|contact| contact.normal * (0.1 * random.next())).collect();
        problem
    };
    check(&soft(heap::<D3>(4, 1000)), "balls");
    check(&soft(heap::<D3>(4, 2)), "mixed");
    check(&soft(with_laws(heap::<D3>(4, 2))), "mixed with all laws");
}

#[test]
fn compliant_contacts_rest_in_the_impulses_that_they_start_from() {
    // Solved once, a rigid problem is its own rest: the compliant one starts there and stays.
    let mut problem = heap::<D2>(6, 3);
    let sharp =
        Options { criterion: Criterion::Residual { tolerance: 1e-13 }, max_sweeps: 30_000, ..Options::default() };
    let free = problem.bodies.clone();
    assert!(solve(&mut problem, &sharp, 0).converged);
    let solved = problem.clone();
    problem.bodies = free;
    problem.compliance = 1.0;
    let report = solve(&mut problem, &Options { criterion: Criterion::Residual { tolerance: 1e-11 }, ..sharp }, 0);
    assert!(report.converged && report.sweeps <= 8, "{report:?}");
    // It obeys the laws of rigid contacts.
    assert!(worst(&problem, 0.0) < 1e-10, "{:e}", worst(&problem, 0.0));
    for (a, b) in problem.bodies.iter().zip(&solved.bodies) {
        assert!((a.velocity - b.velocity).length() < 1e-10);
    }
}

#[test]
fn compliant_solves_that_stall_are_softened_and_say_so() {
    let mut problem = heap::<D2>(24, 1000);
    problem.compliance = 1e-9;
    // What is asked for cannot be reached; contacts do not soften for ever.
    let criterion = Criterion::Residual { tolerance: 1e-300 };
    let options = Options { criterion, max_sweeps: 5000, ..Options::default() };
    let report = solve(&mut problem.clone(), &options, 0);
    assert!(!report.converged && report.trace.softened == 10 && report.residual.is_finite(), "{report:?}");
    // The reference solves the problem as it is stated.
    let report = solve(&mut problem, &Options { solver: Solver::GaussSeidel, max_sweeps: 900, ..options }, 0);
    assert!(!report.converged && report.trace.softened == 0, "{report:?}");
}

/// The same heap with the impulses that it had before, but every other grain is pushed to the left and the others to the right:
/// contacts between neighbours that were open must close.
fn pushed<D: Dim>(mut problem: Problem<D>) -> Problem<D> {
    let mut free = problem.bodies.clone();
    assert!(solve(&mut problem, &sharp(), 0).converged);
    for (number, body) in free.iter_mut().enumerate().skip(1) {
        body.velocity += D::Vector::axis(0) * if number % 2 == 0 { -1.0 } else { 1.0 };
    }
    problem.bodies = free;
    problem
}

#[test]
fn contacts_that_close_are_found_though_sweeps_leave_open_ones_out() {
    fn check_closed<D: Dim>(problem: &Problem<D>, what: &str) {
        let open = |problem: &Problem<D>| -> Vec<bool> {
            problem.contacts.iter().map(|contact| contact.impulse == D::Vector::ZERO).collect()
        };
        let before = open(problem);
        let mut solved = problem.clone();
        let report = solve(&mut solved, &sharp(), 0);
        assert!(report.converged && worst(&solved, problem.compliance) < 1e-8, "{what}: {report:?}");
        let closed = before.iter().zip(open(&solved)).filter(|&(&before, after)| before && !after).count();
        assert!(10 * closed > before.len(), "{what}: {closed} of {} contacts have closed", before.len());
    }
    check_closed(&pushed(heap::<D2>(12, 1000)), "disks");
    check_closed(&pushed(heap::<D3>(6, 1000)), "spheres");
    check_closed(&pushed(with_laws(heap::<D3>(6, 1000))), "spheres with all laws");
    let mut compliant = pushed(heap::<D3>(6, 1000));
    compliant.undeformed_impulses = compliant.contacts.iter().map(|contact| contact.impulse).collect();
    compliant.compliance = 0.05;
    check_closed(&compliant, "compliant spheres");
}

#[test]
fn the_same_bits_on_any_number_of_threads() {
    the_same_bits_of(&with_laws(heap::<D3>(12, 3)));
    the_same_bits_of(&with_coupling(with_laws(heap::<D3>(12, 3))));
    the_same_bits_of(&pushed(heap::<D3>(12, 1000)));
}

fn the_same_bits_of(problem: &Problem<D3>) {
    let solved = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        let mut copy = problem.clone();
        let options = Options { criterion: Criterion::Residual { tolerance: 1e-3 }, ..Options::default() };
        let report = pool.install(|| solve(&mut copy, &options, 0));
        (report, copy.bodies, copy.contacts, copy.torques)
    };
    let one = solved(1);
    assert!(one.0.converged, "{:?}", one.0);
    for threads in [2, 3, 5] {
        assert!(solved(threads) == one, "{threads} threads");
    }
}

/// Laws, kinds and numbers of contacts follow each other in the same memory.
#[test]
fn the_same_bits_in_memory_of_other_problems() {
    let mut memory = SolveMemory::default();
    let options = Options { criterion: Criterion::Residual { tolerance: 1e-3 }, ..Options::default() };
    let last = pushed(heap::<D3>(6, 3));
    // The same contacts in other motion, for which the schedule lives on, and as many contacts in another order.
    let (mut faster, mut exchanged) = (last.clone(), last.clone());
    faster.bodies.iter_mut().for_each(|body| body.velocity *= 2.0);
    exchanged.contacts.swap(0, 7);
    let problems =
        [with_laws(heap(8, 3)), pushed(heap(5, 1000)), heap(8, 1000), with_laws(heap(4, 2)), last, faster, exchanged];
    for (number, problem) in problems.iter().enumerate() {
        let (mut fresh, mut kept) = (problem.clone(), problem.clone());
        let report = solve(&mut fresh, &options, 0);
        let in_memory = solve_in(&mut memory, &mut kept, &options, 0).expect("options that go together");
        assert_eq!(report, in_memory, "problem {number}");
        assert!(
            (fresh.bodies, fresh.contacts, fresh.torques) == (kept.bodies, kept.contacts, kept.torques),
            "{number}"
        );
    }
}
