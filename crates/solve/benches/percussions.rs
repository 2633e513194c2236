//! How much faster our own solvers of A-CD² are than Uzawa's method, on one heap: passes and time to the same residual.
//!
//! `cargo bench -p riprap-solve --bench percussions`

use riprap_solve::percussion::{
    PercussionLaw, PercussionOptions, PercussionSolver, Stick, Threshold, solve_percussions,
};
use riprap_solve::problem::{Body, Contact, Inertia, Problem};
use riprap_solve::{D2, Dim, Vector};
use std::time::Instant;

const TOLERANCE: f64 = 1e-6;

fn main() {
    println!("heap of disks that comes down on a floor, residual {TOLERANCE:e}: passes, seconds, residual reached");
    for rows in [5, 10, 20] {
        for (name, law) in [
            ("viscous", PercussionLaw { normal_viscosity: 0.7, tangential_viscosity: 0.4, threshold: Threshold::None }),
            ("Tresca", PercussionLaw { threshold: Threshold::Tresca(0.2), ..PercussionLaw::default() }),
            ("Coulomb", PercussionLaw { threshold: Threshold::Coulomb(0.3), ..PercussionLaw::default() }),
        ] {
            print!("{:5} contacts, {name:8}", rows * (rows + 1) / 2 + rows * (rows - 1) / 2);
            for solver in [
                PercussionSolver::UzawaSequence,
                PercussionSolver::UzawaSingleLoop,
                PercussionSolver::GaussSeidel,
                PercussionSolver::Auto,
            ] {
                let (mut problem, before) = heap::<D2>(rows);
                let laws = vec![law; problem.contacts.len()];
                let options =
                    PercussionOptions { solver, stick: Stick::RightLimit, tolerance: TOLERANCE, max_passes: 200_000 };
                let start = Instant::now();
                let report = solve_percussions(&mut problem, &laws, &before, &options);
                let seconds = start.elapsed().as_secs_f64();
                print!("   {solver:?} {} {seconds:.1e} {:.0e}", report.passes, report.residual);
            }
            println!();
        }
    }
}

/// Balls in rows, each on two of the row below, that come down on a floor.
fn heap<D: Dim>(rows: usize) -> (Problem<D>, Vec<D::Vector>) {
    let mut problem = Problem::<D>::default();
    problem.bodies.push(Body::default());
    let start = |row: usize| 1 + (0..row).map(|below| rows - below).sum::<usize>();
    for row in 0..rows {
        for place in 0..rows - row {
            let velocity = D::Vector::from_fn(|axis| if axis == 1 { -1.0 } else { 0.02 * place as f64 });
            problem.bodies.push(Body { velocity, inertia: Inertia::Ball(1.0), ..Body::default() });
            let second = (start(row) + place) as u32;
            let mut meet = |first: usize, x: f64| {
                let normal = D::Vector::from_array3([x, 1.0, 0.0]).normalized().unwrap_or(D::Vector::axis(1));
                problem.contacts.push(Contact { bodies: [first as u32, second], normal, ..Contact::default() });
            };
            if row == 0 {
                meet(0, 0.0);
            } else {
                meet(start(row - 1) + place, 0.57);
                meet(start(row - 1) + place + 1, -0.57);
            }
        }
    }
    let before = (0..problem.contacts.len()).map(|contact| problem.relative_velocity(contact)).collect();
    (problem, before)
}
