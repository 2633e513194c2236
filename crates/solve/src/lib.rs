//! The frictional contact problem: all contact impulses and velocities of one time step, solved together.
//!
//! This crate knows bodies only by their inverse mass and velocity, and contacts only by their
//! normal, lever arms, friction and the shift of their law. It deals with neither shapes nor files nor clocks.
//! The physics is docs/method.md §3 and §4; ARCHITECTURE.md lists where each equation is implemented.
//!
//! The engine states a [`Problem`] in every step and calls [`solve`]. Problems given by their matrices are solved by
//! [`assembled::solve_assembled`]:
//!
//! ```
//! use riprap_solve::assembled::{AssembledOptions, AssembledProblem, LocalProblem, SparseMatrix, solve_assembled};
//!
//! // Two unit masses collide in 3D: u = W r + q, with an approach velocity of 1 and a sliding velocity of 0.2.
//! let problem = AssembledProblem::Local(LocalProblem {
//!     size: 3,
//!     w: SparseMatrix::from_triplets(3, 3, (0..3).map(|i| (i, i, 2.0)).collect())?,
//!     q: vec![-1.0, 0.2, 0.0],
//!     friction: vec![0.5],
//!     rolling: Vec::new(),
//! });
//! let solution = solve_assembled(&problem, &AssembledOptions::default(), None, &mut || false)?;
//! assert!(solution.converged);
//! // The masses stay in contact, and friction is strong enough to stop the sliding.
//! assert!((solution.impulse[0] - 0.5).abs() < 1e-8 && (solution.impulse[1] + 0.1).abs() < 1e-8);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod assembled;
pub mod law;
pub mod options;
pub mod percussion;
pub mod problem;
pub mod ranks;
pub mod solvers;
pub mod space;
mod sweep;

pub use options::{Criterion, Options, OptionsError, Solver, SweepOrder};
pub use problem::Problem;
pub use ranks::Ranks;
pub use solvers::{SolveMemory, SolveReport, Trace, solve, solve_in};
pub use space::{D2, D3, Dim, Vector};
pub use sweep::simd;
