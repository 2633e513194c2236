//! The contact problem of a step, handed out in a form that others can solve.

use crate::packing::lattice_in_box;
use crate::setting::*;
use riprap_engine::{Criterion, Dim, Observer, Options, Stage, StepError, StepProblem, StepReport};
use riprap_solve::assembled::{AssembledOptions, AssembledProblem, solve_assembled};
use riprap_solve::law::natural_map_error;

in_both_dimensions!(the_problem_of_a_step_has_the_residual_that_the_step_reports, a_solution_of_it_moves_bodies_alike);

/// Keeps the problem of every step.
#[derive(Default)]
struct Keeper {
    kept: Option<(u64, StepProblem)>,
}

impl Observer for Keeper {
    fn begin(&mut self, _: Stage) {}
    fn watches_problems(&self) -> bool {
        true
    }
    fn end(&mut self, step: u64, _: &Result<StepReport, StepError>, problem: &mut dyn FnMut() -> Option<StepProblem>) {
        self.kept = problem().map(|problem| (step, problem));
    }
}

/// The problem of the fourth step of a lattice that settles, solved to `tolerance`, and the report of that step.
fn fourth_step<D: Dim>(tolerance: f64) -> (StepProblem, StepReport) {
    let (mut world, _, _) = lattice_in_box::<D>(EULER, 1e-3, law(0.3, 0.0, 0.0), 4);
    gravity(&mut world, 9.81, 0.3);
    world.settings.solver =
        Options { criterion: Criterion::Residual { tolerance }, max_sweeps: 10_000, ..Options::default() };
    let mut keeper = Keeper::default();
    for _ in 0..3 {
        world.step(&mut keeper).unwrap();
    }
    let report = world.step(&mut keeper).unwrap();
    let (step, problem) = keeper.kept.unwrap();
    assert_eq!(step, 4);
    assert_eq!(problem.residual, report.residual);
    (problem, report)
}

/// The residual of docs/method.md §4 from the matrices alone: `|r − P_K(r − (u + μ|u_t| n)/W_nn)| / |r|`.
fn the_problem_of_a_step_has_the_residual_that_the_step_reports<D: Dim>() {
    let (stated, report) = fourth_step::<D>(1e-3);
    let global = AssembledProblem::Global(stated.problem.clone());
    global.check().unwrap();
    let local = global.condense().unwrap();
    let mut u = local.q.clone();
    local.w.multiply_add(&stated.impulse, &mut u);
    let three = |list: &[f64], c: usize| std::array::from_fn(|i| if i < D::AXES { list[c * D::AXES + i] } else { 0.0 });
    let (mut error, mut size) = (0.0, 0.0);
    for c in 0..local.friction.len() {
        let (r, u): ([f64; 3], [f64; 3]) = (three(&stated.impulse, c), three(&u, c));
        let rho = 1.0 / local.w.get(c * D::AXES, c * D::AXES);
        error += natural_map_error(r, u, local.friction[c], rho).powi(2);
        size += r.iter().map(|r| r * r).sum::<f64>();
    }
    let residual = (error / size).sqrt();
    assert!(report.residual > 1e-9, "a problem that is solved exactly shows nothing: {}", report.residual);
    assert!((residual / report.residual - 1.0).abs() < 1e-6, "{residual} is not {}", report.residual);
}

fn a_solution_of_it_moves_bodies_alike<D: Dim>() {
    let (stated, _) = fourth_step::<D>(1e-11);
    let options = AssembledOptions { tolerance: 1e-11, ..AssembledOptions::default() };
    let problem = AssembledProblem::Global(stated.problem.clone());
    let solution = solve_assembled(&problem, &options, Some(&stated.start), &mut || false).unwrap();
    assert!(solution.converged, "{}", solution.residual_scaled);
    let speed = 1e-3 * 9.81;
    for (ours, engine) in solution.motion.iter().zip(&stated.motion) {
        assert!((ours - engine).abs() < 1e-7 * speed, "{ours} is not {engine}");
    }
}
