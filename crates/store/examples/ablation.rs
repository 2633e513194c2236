//! Contact problems from files, solved by each variant of `auto` (`benches/ablation/run.sh`).
//!
//!     cargo run --release -p riprap-store --features ablation --example ablation -- FILE…

use riprap_solve::assembled::{AssembledOptions, solve_assembled};
use riprap_solve::solvers::ablation;
use riprap_store::read_problem;
use std::error::Error;
use std::path::Path;

/// Residuals, and passes after which a problem counts as unsolved.
const TOLERANCES: [f64; 2] = [1e-4, 1e-8];
const MOST_PASSES: u64 = 20_000;

fn main() -> Result<(), Box<dyn Error>> {
    for file in std::env::args().skip(1) {
        let path = Path::new(&file);
        let problem = read_problem(path)?.problem;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().replace(',', " ");
        for tolerance in TOLERANCES {
            let options = AssembledOptions { tolerance, max_iterations: MOST_PASSES, ..AssembledOptions::default() };
            for (variant, words) in ablation::names().iter().enumerate() {
                ablation::choose(variant);
                let solved = solve_assembled(&problem, &options, None, &mut || false)?;
                println!(
                    "{name},{},problem,{tolerance:.0e},{words},{},{},{},",
                    problem.contacts(),
                    solved.iterations,
                    solved.iterations,
                    u8::from(!solved.converged)
                );
            }
        }
    }
    Ok(())
}
