//! The solver alone: a frictional contact problem `u = W r + q`, defined here or read from an FCLib or Siconos file.
//!
//!     cargo run --release --example contact_problem
//!     cargo run --release --example contact_problem -- problems/global/Box_Stacks-i0122-82-5.hdf5

use riprap::solve::assembled::{
    AssembledOptions, AssembledProblem, AssembledSolution, LocalProblem, SparseMatrix, solve_assembled,
};
use riprap::store::read_problem;
use std::error::Error;
use std::path::Path;

/// A ball of unit mass in a groove: two contacts, normals at ±45° to the vertical, under a downward impulse of 1.
pub fn groove(friction: f64) -> Result<AssembledProblem, Box<dyn Error>> {
    let c = std::f64::consts::FRAC_1_SQRT_2;
    // The normal and the tangent of each contact; a ball's spin adds 2 to the tangential part of W (k = m r²/I, in 2D).
    let rows = [[c, c], [c, -c], [-c, c], [c, c]];
    let mut triplets = Vec::new();
    for (i, a) in rows.iter().enumerate() {
        for (j, b) in rows.iter().enumerate() {
            let spin = if i % 2 == 1 && j % 2 == 1 { 2.0 } else { 0.0 };
            triplets.push((i as u32, j as u32, a[0] * b[0] + a[1] * b[1] + spin));
        }
    }
    Ok(AssembledProblem::Local(LocalProblem {
        size: 2,
        w: SparseMatrix::from_triplets(4, 4, triplets)?,
        q: rows.iter().map(|row| -row[1]).collect(),
        friction: vec![friction; 2],
        rolling: Vec::new(),
    }))
}

/// Solves a problem by the default solver from zero impulses.
pub fn solve(problem: &AssembledProblem) -> Result<AssembledSolution, Box<dyn Error>> {
    let never = &mut || false;
    Ok(solve_assembled(problem, &AssembledOptions::default(), None, never)?)
}

/// The problem in a file, whichever of the known formats it has.
pub fn from_file(path: &Path) -> Result<AssembledProblem, Box<dyn Error>> {
    Ok(read_problem(path)?.problem)
}

/// The problem of a file, or that of the groove.
pub fn main() -> Result<(), Box<dyn Error>> {
    let problem = match std::env::args().nth(1) {
        Some(path) => from_file(Path::new(&path))?,
        None => groove(0.3)?,
    };
    let solution = solve(&problem)?;
    println!(
        "{} contacts: residual {:.1e} after {} iterations of {:?}",
        problem.contacts(),
        solution.residual_scaled,
        solution.iterations,
        solution.solver
    );
    for (contact, impulse) in solution.impulse.chunks(problem.dimension()).enumerate().take(5) {
        println!("contact {contact}: impulse {impulse:.4?}");
    }
    Ok(())
}
