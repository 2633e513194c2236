//! A-CD² against closed forms, and its solvers against each other.

use glam::DVec3;
use riprap_solve::percussion::{
    PercussionLaw, PercussionOptions, PercussionReport, PercussionSolver, Stick, Threshold, solve_percussions,
};
use riprap_solve::problem::{Body, Contact, Inertia, Problem};
use riprap_solve::{Criterion, D2, D3, Dim, Options, Vector, solve};

const SOLVERS: [PercussionSolver; 3] =
    [PercussionSolver::GaussSeidel, PercussionSolver::UzawaSequence, PercussionSolver::UzawaSingleLoop];

/// A ball of mass `mass` with velocity `velocity` on a fixed plane with normal `normal`.
fn ball_on_plane<D: Dim>(mass: f64, velocity: D::Vector, normal: D::Vector) -> Problem<D> {
    let mut problem = Problem::default();
    problem.bodies.push(Body::default());
    problem.bodies.push(Body { velocity, inertia: Inertia::Ball(1.0 / mass), ..Body::default() });
    problem.contacts.push(Contact { bodies: [0, 1], normal, ..Contact::default() });
    problem
}

fn sharp(solver: PercussionSolver, stick: Stick) -> PercussionOptions {
    PercussionOptions { solver, stick, tolerance: 1e-12, max_passes: 1_000_000 }
}

#[test]
fn a_mass_on_a_plane_under_the_quadratic_law_has_the_closed_form() {
    // docs/method.md §7: u⁺ = −u⁻ (2K−m)/(2K+m) if 2K > m, else 0.
    let (mass, before) = (2.0, -3.0);
    for viscosity in [0.0, 0.3, 0.9, 1.1, 4.0, 78.0] {
        for solver in SOLVERS {
            let mut problem = ball_on_plane::<D3>(mass, DVec3::Z * before, DVec3::Z);
            let law = PercussionLaw { normal_viscosity: viscosity, ..PercussionLaw::default() };
            let report =
                solve_percussions(&mut problem, &[law], &[DVec3::Z * before], &sharp(solver, Stick::RightLimit));
            assert!(report.converged, "{solver:?}, K = {viscosity}: {report:?}");
            let expected = f64::max(-before * (2.0 * viscosity - mass) / (2.0 * viscosity + mass), 0.0);
            let found = problem.bodies[1].velocity.z;
            let allowed = if solver == PercussionSolver::GaussSeidel { 1e-12 } else { 1e-11 };
            assert!((found - expected).abs() < allowed, "{solver:?}, K = {viscosity}: {found} for {expected}");
            assert!((problem.contacts[0].impulse.z - mass * (expected - before)).abs() < 1e-11);
        }
    }
}

#[test]
fn tresca_takes_a_fixed_percussion_and_coulomb_one_in_proportion() {
    // A ball without spin resistance slides along x while it presses; its tangential mass is m/(1+k), k = 2.5.
    let (mass, before) = (2.0, DVec3::new(5.0, 0.0, -1.0));
    for solver in SOLVERS {
        for (threshold, expected) in [(Threshold::Tresca(0.3), 0.3), (Threshold::Coulomb(0.25), 0.25 * mass)] {
            let mut problem = ball_on_plane::<D3>(mass, before, DVec3::Z);
            let law = PercussionLaw { threshold, ..PercussionLaw::default() };
            let report = solve_percussions(&mut problem, &[law], &[before], &sharp(solver, Stick::RightLimit));
            assert!(report.converged);
            let impulse = problem.contacts[0].impulse;
            assert!((impulse - DVec3::new(-expected, 0.0, mass)).length() < 1e-11, "{solver:?}: {impulse}");
        }
        // Enough threshold: it sticks, by the right limit or by the mean.
        for (stick, slip) in [(Stick::RightLimit, 0.0), (Stick::Mean, -5.0)] {
            let mut problem = ball_on_plane::<D3>(mass, before, DVec3::Z);
            let law = PercussionLaw { threshold: Threshold::Tresca(1e3), ..PercussionLaw::default() };
            assert!(solve_percussions(&mut problem, &[law], &[before], &sharp(solver, stick)).converged);
            let after = problem.relative_velocity(0);
            assert!((after.x - slip).abs() < 1e-11, "{solver:?}, {stick:?}: {after}");
        }
    }
}

/// A heap of balls, row upon row, that comes down on a floor; a little askew, so that nothing is symmetric.
fn heap<D: Dim>(rows: usize) -> (Problem<D>, Vec<D::Vector>) {
    let mut problem = Problem::<D>::default();
    problem.bodies.push(Body::default());
    let mut index = Vec::new();
    for row in 0..rows {
        index.push(Vec::new());
        for place in 0..rows - row {
            index[row].push(problem.bodies.len() as u32);
            let velocity =
                D::Vector::from_fn(|axis| if axis == 1 { -1.0 - 0.1 * row as f64 } else { 0.3 * place as f64 - 0.2 });
            problem.bodies.push(Body { velocity, inertia: Inertia::Ball(1.0 + 0.1 * place as f64), ..Body::default() });
        }
    }
    let up = |x: f64, z: f64| D::Vector::from_array3([x, 1.0, z]).normalized().unwrap();
    for row in 0..rows {
        for place in 0..rows - row {
            let second = index[row][place];
            let mut meet = |first: u32, normal| {
                problem.contacts.push(Contact { bodies: [first, second], normal, ..Contact::default() });
            };
            if row == 0 {
                meet(0, D::Vector::axis(1));
            } else {
                meet(index[row - 1][place], up(0.5, 0.1));
                meet(index[row - 1][place + 1], up(-0.6, 0.05));
            }
        }
    }
    let before = (0..problem.contacts.len()).map(|contact| problem.relative_velocity(contact)).collect();
    (problem, before)
}

fn run<D: Dim>(law: PercussionLaw, options: PercussionOptions) -> (Problem<D>, PercussionReport) {
    let (mut problem, before) = heap::<D>(5);
    let laws = vec![law; problem.contacts.len()];
    let report = solve_percussions(&mut problem, &laws, &before, &options);
    (problem, report)
}

fn difference<D: Dim>(a: &Problem<D>, b: &Problem<D>) -> f64 {
    a.bodies.iter().zip(&b.bodies).map(|(a, b)| (a.velocity - b.velocity).length()).fold(0.0, f64::max)
}

fn all_solvers_agree<D: Dim>() {
    let laws = [
        PercussionLaw { normal_viscosity: 0.7, tangential_viscosity: 0.4, threshold: Threshold::None },
        PercussionLaw { threshold: Threshold::Tresca(0.2), ..PercussionLaw::default() },
        PercussionLaw { normal_viscosity: 0.2, tangential_viscosity: 0.1, threshold: Threshold::Coulomb(0.3) },
        PercussionLaw { threshold: Threshold::Coulomb(0.3), ..PercussionLaw::default() },
    ];
    for law in laws {
        let at = |solver| PercussionOptions { tolerance: 1e-8, ..sharp(solver, Stick::RightLimit) };
        let (reference, report) = run::<D>(law, at(PercussionSolver::GaussSeidel));
        assert!(report.converged && report.residual <= 1e-8, "{law:?}: {report:?}");
        for solver in [PercussionSolver::UzawaSequence, PercussionSolver::UzawaSingleLoop] {
            let (found, slow) = run::<D>(law, at(solver));
            assert!(slow.converged, "{solver:?}, {law:?}: {slow:?}");
            assert!(difference(&reference, &found) < 1e-6, "{solver:?}, {law:?}: {}", difference(&reference, &found));
            assert!(slow.passes > report.passes, "{solver:?}: {} passes, one by one {}", slow.passes, report.passes);
        }
    }
}

#[test]
fn all_solvers_agree_on_every_law() {
    all_solvers_agree::<D2>();
    all_solvers_agree::<D3>();
}

fn without_viscosity_it_is_contact_dynamics<D: Dim>() {
    // docs/method.md §7: right limit is e_n = e_t = 0; the mean is e_n = 0, e_t = 1.
    for (stick, tangential_restitution) in [(Stick::RightLimit, 0.0), (Stick::Mean, 1.0)] {
        let law = PercussionLaw { threshold: Threshold::Coulomb(0.4), ..PercussionLaw::default() };
        let quick = PercussionOptions { tolerance: 1e-11, ..sharp(PercussionSolver::Auto, stick) };
        let options = PercussionOptions { tolerance: 1e-11, ..sharp(PercussionSolver::GaussSeidel, stick) };
        let (found, report) = run::<D>(law, options);
        assert!(report.converged);
        let (mut problem, before) = heap::<D>(5);
        for (contact, before) in problem.contacts.iter_mut().zip(&before) {
            contact.friction = 0.4;
            contact.shift = (*before - contact.normal * before.dot(contact.normal)) * tangential_restitution;
        }
        let criterion = Criterion::Residual { tolerance: 1e-11 };
        let options = Options { criterion, max_sweeps: 100_000, ..Options::default() };
        assert!(solve(&mut problem, &options, 0).unwrap().converged);
        assert!(difference(&found, &problem) < 1e-8, "{stick:?}: {}", difference(&found, &problem));
        assert!(difference(&run::<D>(law, quick).0, &problem) < 1e-8, "{stick:?}");
    }
}

#[test]
fn without_a_pseudopotential_it_is_contact_dynamics() {
    without_viscosity_it_is_contact_dynamics::<D2>();
    without_viscosity_it_is_contact_dynamics::<D3>();
}

#[test]
fn a_shock_under_associated_laws_dissipates() {
    // Clausius–Duhem, P3 (11): −Σ p·D ≥ 0 where all contacts close; here for stick by the mean, where it is proved.
    for threshold in [Threshold::None, Threshold::Tresca(0.1), Threshold::Coulomb(0.5)] {
        let law = PercussionLaw { normal_viscosity: 0.3, tangential_viscosity: 0.2, threshold };
        let options = PercussionOptions { tolerance: 1e-11, ..sharp(PercussionSolver::GaussSeidel, Stick::Mean) };
        let (_, before) = heap::<D2>(5);
        let (problem, _) = run::<D2>(law, options);
        for (index, (contact, before)) in problem.contacts.iter().zip(before).enumerate() {
            let mean = (problem.relative_velocity(index) + before) * 0.5;
            assert!(-contact.impulse.dot(mean) > -1e-9 || before.dot(contact.normal) > 0.0, "{threshold:?}");
        }
    }
}
