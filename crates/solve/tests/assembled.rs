//! Assembled problems: every solver reaches the laws, nothing gains energy, and what is no problem is refused.

use rand::{Rng, SeedableRng};
use riprap_solve::SweepOrder;
use riprap_solve::assembled::{
    AssembledOptions, AssembledProblem, AssembledSolution, AssembledSolver, GlobalProblem, LocalProblem, ProblemError,
    Reason, SparseMatrix, solve_assembled,
};

/// A random heap: bodies with a full mass matrix each, contacts between neighbours and with the ground, whose directions
/// are off by up to `rough`.
fn heap(size: usize, bodies: usize, seed: u64, rough: f64) -> GlobalProblem {
    let mut random = rand_pcg::Pcg64Mcg::seed_from_u64(seed);
    let order = if size == 2 { 3 } else { 6 };
    let mut number = |low: f64, high: f64| low + (high - low) * (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
    let mut m = Vec::new();
    for body in 0..bodies {
        let a: Vec<f64> = (0..order * order).map(|_| number(-0.3, 0.3)).collect();
        let heavy = number(0.5, 2.0);
        for i in 0..order {
            for j in 0..order {
                let mut value = if i == j { heavy } else { 0.0 };
                value += (0..order).map(|k| a[i.min(j) * order + k] * a[i.max(j) * order + k]).sum::<f64>();
                m.push(((body * order + i) as u32, (body * order + j) as u32, value));
            }
        }
    }
    // Normals that are not too far from upright, so that the heap presses.
    let mut h = Vec::new();
    let mut contacts = 0;
    for body in 0..bodies {
        for below in [body.checked_sub(1), body.checked_sub(2), None] {
            for row in 0..size {
                let column = (contacts * size + row) as u32;
                for i in 0..order {
                    let along = if i == row { 1.0 } else { 0.0 };
                    h.push(((body * order + i) as u32, column, along + number(-rough, rough)));
                    if let Some(below) = below {
                        h.push(((below * order + i) as u32, column, -along + number(-rough, rough)));
                    }
                }
            }
            contacts += 1;
        }
    }
    let freedoms = bodies * order;
    let free: Vec<f64> = (0..freedoms).map(|i| number(-1.0, 1.0) - if i % order == 0 { 2.0 } else { 0.0 }).collect();
    let m = SparseMatrix::from_triplets(freedoms, freedoms, m).unwrap();
    let mut f = vec![0.0; freedoms];
    m.multiply_add(&free, &mut f);
    let h = SparseMatrix::from_triplets(freedoms, contacts * size, h).unwrap();
    let friction = (0..contacts).map(|_| number(0.0, 1.2)).collect();
    let rolling = if size == 5 { (0..contacts).map(|_| number(0.0, 0.5)).collect() } else { Vec::new() };
    GlobalProblem { size, m, h, f, w: vec![0.0; contacts * size], friction, rolling }
}

fn solve(problem: &AssembledProblem, solver: AssembledSolver, tolerance: f64) -> AssembledSolution {
    let options = AssembledOptions { solver, tolerance, max_iterations: 20_000, ..AssembledOptions::default() };
    solve_assembled(problem, &options, None, &mut || false).unwrap()
}

#[test]
fn every_solver_reaches_the_laws_in_both_forms_and_none_gains_energy() {
    // Sweeps go round in circles on some of these problems, and say so; on most they arrive.
    let (mut asked, mut arrived) = (0, 0);
    for (size, bodies) in [(2, 8), (3, 8), (5, 4)] {
        for seed in 0..6 {
            let heap = heap(size, bodies, seed, 0.15);
            let local = AssembledProblem::Local(heap.condense().unwrap());
            let global = AssembledProblem::Global(heap.clone());
            local.check().unwrap();
            global.check().unwrap();
            for problem in [&local, &global] {
                for solver in [
                    AssembledSolver::GaussSeidel,
                    AssembledSolver::Momentum,
                    AssembledSolver::Newton,
                    AssembledSolver::Auto,
                ] {
                    let solution = solve(problem, solver, 1e-8);
                    let sweeps = matches!(solver, AssembledSolver::GaussSeidel | AssembledSolver::Momentum);
                    assert!(solution.converged || sweeps, "{size} {seed} {solver:?}: {solution:?}");
                    if sweeps {
                        asked += 1;
                        arrived += u32::from(solution.converged);
                    }
                    if !solution.converged {
                        assert_eq!(solution.reason, Some(Reason::IterationLimit));
                        continue;
                    }
                    // Judged again from the impulses alone.
                    let found = problem.residuals(&solution.impulse).unwrap();
                    assert!(found.scaled < 1.01e-8, "{size} {seed} {solver:?}: {found:?}");
                    if problem == &global {
                        let energy = |v: &[f64]| {
                            let mut momentum = vec![0.0; v.len()];
                            heap.m.multiply_add(v, &mut momentum);
                            momentum.iter().zip(v).map(|(p, v)| 0.5 * p * v).sum::<f64>()
                        };
                        let free = solve(&without_contacts(&heap), AssembledSolver::Auto, 1e-8).motion;
                        assert!(energy(&solution.motion) <= energy(&free) * (1.0 + 1e-7), "{size} {seed} {solver:?}");
                    }
                }
            }
            // Momentum may not arrive; what it says is true in any case.
            let solution = solve(&local, AssembledSolver::Momentum, 1e-6);
            let found = local.residuals(&solution.impulse).unwrap();
            assert!((found.scaled - solution.residual_scaled).abs() <= 1e-9 * (1.0 + found.scaled));
            assert_eq!(solution.converged, solution.reason.is_none());
        }
    }
    assert!(4 * arrived >= 3 * asked, "{arrived} of {asked}");
}

#[test]
fn auto_arrives_where_sweeps_go_round_in_circles() {
    for (size, bodies) in [(2, 8), (3, 10), (5, 5)] {
        for seed in 0..20 {
            let problem = AssembledProblem::Global(heap(size, bodies, seed, 0.4));
            let solution = solve(&problem, AssembledSolver::Auto, 1e-8);
            assert!(solution.converged, "{size} {seed}: {:?} {:e}", solution.reason, solution.residual_scaled);
        }
    }
}

/// The same bodies with contacts that never close.
/// A tower among many blocks that lie on the ground: each moves along two axes, its weight is 1.
fn tower_among_blocks(height: u32, blocks: u32) -> AssembledProblem {
    let bodies = height + blocks;
    let mut h = Vec::new();
    for body in 0..bodies {
        let below = (1..height).contains(&body).then(|| body - 1);
        for axis in 0..2 {
            h.push((2 * body + axis, 2 * body + axis, 1.0));
            h.extend(below.map(|below| (2 * below + axis, 2 * body + axis, -1.0)));
        }
    }
    let rows = 2 * bodies as usize;
    AssembledProblem::Global(GlobalProblem {
        size: 2,
        m: SparseMatrix::from_triplets(rows, rows, (0..2 * bodies).map(|i| (i, i, 1.0)).collect()).unwrap(),
        h: SparseMatrix::from_triplets(rows, rows, h).unwrap(),
        f: (0..bodies).flat_map(|_| [-1.0, 0.1]).collect(),
        w: vec![0.0; rows],
        friction: vec![0.5; bodies as usize],
        rolling: Vec::new(),
    })
}

#[test]
fn each_block_of_a_tower_among_blocks_carries_what_is_above_it() {
    let (height, blocks) = (60, 4000);
    let problem = tower_among_blocks(height, blocks);
    problem.check().unwrap();
    for solver in [AssembledSolver::Momentum, AssembledSolver::Auto] {
        let solution = solve(&problem, solver, 1e-9);
        assert!(solution.converged, "{solver:?}");
        // It sticks. A residual leaves up to the height squared of itself.
        for level in 0..height as usize {
            let above = (height as usize - level) as f64;
            let [normal, tangent] = [solution.impulse[2 * level], solution.impulse[2 * level + 1]];
            assert!((normal - above).abs() < 1e-3, "{solver:?}, {level}: {normal}");
            assert!((tangent + 0.1 * above).abs() < 1e-3, "{solver:?}, {level}: {tangent}");
        }
    }
}

fn without_contacts(heap: &GlobalProblem) -> AssembledProblem {
    let w = (0..heap.w.len()).map(|row| if row % heap.size == 0 { 1e6 } else { 0.0 }).collect();
    AssembledProblem::Global(GlobalProblem { w, ..heap.clone() })
}

#[test]
fn every_order_of_sweeps_reaches_the_laws_and_the_random_one_repeats_itself() {
    for problem in [
        AssembledProblem::Global(heap(3, 8, 11, 0.15)),
        AssembledProblem::Local(heap(3, 8, 11, 0.15).condense().unwrap()),
    ] {
        for order in SweepOrder::ALL {
            let solver = AssembledSolver::GaussSeidel;
            let options = AssembledOptions { solver, order, seed: 5, max_iterations: 20_000, ..Default::default() };
            let once = solve_assembled(&problem, &options, None, &mut || false).unwrap();
            assert!(once.converged, "{order:?}: {once:?}");
            assert_eq!(once, solve_assembled(&problem, &options, None, &mut || false).unwrap());
        }
    }
}

#[test]
fn auto_is_never_worse_than_its_start_and_a_solution_needs_no_sweep() {
    let problem = AssembledProblem::Global(heap(3, 10, 3, 0.3));
    let solution = solve(&problem, AssembledSolver::Auto, 1e-9);
    for tolerance in [1e-6, 1e-13] {
        let options = AssembledOptions { tolerance, max_iterations: 3, ..AssembledOptions::default() };
        let again = solve_assembled(&problem, &options, Some(&solution.impulse), &mut || false).unwrap();
        assert!(again.residual_scaled <= solution.residual_scaled * (1.0 + 1e-6), "{again:?}");
        if tolerance > 1e-9 {
            assert_eq!((again.passes, again.converged), (0, true));
        } else if !again.converged {
            assert_eq!(again.reason, Some(Reason::IterationLimit));
        }
    }
    // A start that is no number is no start.
    let nonsense = vec![f64::NAN; solution.impulse.len()];
    let options = AssembledOptions::default();
    assert!(solve_assembled(&problem, &options, Some(&nonsense), &mut || false).unwrap().converged);
}

#[test]
fn a_problem_without_solution_ends_with_its_best_state_and_a_reason() {
    // Two contacts push one body apart: u₁ = r₁ − r₂ − 1, u₂ = r₂ − r₁ − 1 cannot both be positive.
    let w = vec![(0, 0, 1.0), (0, 2, -1.0), (2, 0, -1.0), (2, 2, 1.0), (1, 1, 1.0), (3, 3, 1.0)];
    let w = SparseMatrix::from_triplets(4, 4, w).unwrap();
    let local = LocalProblem { size: 2, w, q: vec![-1.0, 0.0, -1.0, 0.0], friction: vec![0.0; 2], rolling: Vec::new() };
    let problem = AssembledProblem::Local(local);
    problem.check().unwrap();
    for solver in AssembledSolver::ALL {
        let solution = solve(&problem, solver, 1e-8);
        assert!(solution.impulse.iter().all(|r| r.is_finite()), "{solver:?}");
        // Impulses grow without bound, and the relative residual falls with them; it never claims what does not hold.
        let found = problem.residuals(&solution.impulse).unwrap();
        assert_eq!(solution.converged, found.scaled <= 1e-8, "{solver:?}: {solution:?}");
        assert_eq!(solution.converged, solution.reason.is_none());
    }
    let mut asked = 0;
    let mut stop = || {
        asked += 1;
        asked > 3
    };
    let options =
        AssembledOptions { solver: AssembledSolver::GaussSeidel, tolerance: 0.0, ..AssembledOptions::default() };
    let solution = solve_assembled(&problem, &options, None, &mut stop).unwrap();
    assert_eq!(solution.reason, Some(Reason::Stopped));
}

#[test]
fn what_is_no_problem_is_refused_with_its_place() {
    let good = heap(3, 3, 1, 0.3);
    let check = |change: &dyn Fn(&mut GlobalProblem)| {
        let mut problem = good.clone();
        change(&mut problem);
        AssembledProblem::Global(problem).check().unwrap_err().to_string()
    };
    assert!(check(&|p| p.size = 4).contains("4 rows"));
    assert!(check(&|p| p.f[2] = f64::NAN).starts_with("f[2] is NaN"));
    assert!(check(&|p| p.friction[1] = -0.5).starts_with("friction[1] is -0.5"));
    assert!(check(&|p| p.w.truncate(4)).starts_with("w is 4 numbers"));
    assert!(check(&|p| p.h.rows -= 1).starts_with("H is 17 by"));
    assert!(check(&|p| p.m.values[0] = 0.0).contains("diagonal of M is 0 in row 0"));
    assert!(check(&|p| p.h.values[5] = f64::INFINITY).contains("is inf"));
    assert!(check(&|p| p.h.indices[0] = 1000).contains("outside"));
    assert!(check(&|p| p.rolling = vec![0.1]).starts_with("rolling is 1 numbers"));
    assert!(check(&|p| p.h.values.iter_mut().for_each(|x| *x = 0.0)).contains("contact 0"));
    let singular = SparseMatrix::from_triplets(2, 2, vec![(0, 0, 1.0), (0, 1, 1.0), (1, 0, 1.0), (1, 1, 1.0)]).unwrap();
    let h = SparseMatrix::from_triplets(2, 2, vec![(0, 0, 1.0), (1, 1, 1.0)]).unwrap();
    let problem = GlobalProblem {
        size: 2,
        m: singular,
        h,
        f: vec![-1.0, 0.0],
        w: vec![0.0; 2],
        friction: vec![0.5],
        rolling: Vec::new(),
    };
    let found = solve_assembled(&AssembledProblem::Global(problem), &AssembledOptions::default(), None, &mut || false);
    assert_eq!(found.unwrap_err(), ProblemError::Singular { freedom: 0 });
}

#[test]
fn an_order_that_the_solver_does_not_use_is_refused() {
    let problem = AssembledProblem::Global(heap(3, 4, 1, 0.3));
    for solver in AssembledSolver::ALL {
        let options = AssembledOptions { solver, order: SweepOrder::Random, ..AssembledOptions::default() };
        let solved = solve_assembled(&problem, &options, None, &mut || false);
        let is_used = matches!(solver, AssembledSolver::GaussSeidel | AssembledSolver::Newton);
        assert_eq!(solved.is_ok(), is_used, "{solver:?}: {solved:?}");
    }
}
