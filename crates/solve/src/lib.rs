//! The frictional contact problem: all contact impulses and velocities of one time step, solved together.
//!
//! This crate knows bodies only by their inverse mass and velocity, and contacts only by their
//! normal, lever arms, friction and the shift of their law. It deals with neither shapes nor files nor clocks.
//! The physics is docs/method.md §3 and §4; ARCHITECTURE.md lists where each equation is implemented.

pub mod assembled;
mod incidence;
pub mod law;
pub mod options;
pub mod percussion;
pub mod problem;
pub mod solvers;
pub mod space;
mod sweep;

pub use options::{Criterion, Options, OptionsError, Solver, SweepOrder};
pub use problem::Problem;
pub use solvers::{SolveMemory, SolveReport, Trace, solve, solve_in};
pub use space::{D2, D3, Dim, Vector};
pub use sweep::simd;
