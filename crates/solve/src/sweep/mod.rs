//! Passes over all contacts: sweeps in every order, the residual, and velocities from impulses.
//!
//! [`Sweeper`] holds a problem in the layout of the kernels (`layout.rs`: batches of one kind from `group.rs`, in the order
//! of `schedule.rs`, bodies in `slots.rs`). A pass (`pass.rs`) runs the phases of the schedule on all threads (`phases.rs`),
//! finds the kernel of each batch (`views.rs`, `dispatch.rs`) and visits its contacts (`kernel.rs`; the physics of the kinds
//! is in `ball.rs`, `ball_torque.rs`, `block.rs` and `torque_contact.rs`). Solvers see all of it through [`Sweeps`].

mod ball;
mod ball_torque;
mod block;
mod cell;
mod config;
mod dispatch;
mod error;
mod group;
mod iterate;
mod kernel;
mod lanes;
mod layout;
mod pass;
mod phases;
mod schedule;
mod shares;
pub mod simd;
mod slots;
mod stats;
mod sweeps;
mod torque_contact;
mod views;

pub use config::{Measure, Visits};
pub use error::ErrorNorms;
pub use layout::Sweeper;
pub use stats::SweepStats;
pub use sweeps::{Damping, Extrapolation, OrderedSweeps, Sweeps, move_by};
