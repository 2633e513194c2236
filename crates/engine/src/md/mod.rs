//! Molecular dynamics of soft grains, for comparison with contact dynamics (docs/method.md §8).
//!
//! A step of the run is a window of many short steps of velocity Verlet. Their number follows from the stiffness; the
//! scene's time step stays what it is under contact dynamics, and so do drivers, stages and outputs. What a contact reports
//! at the end of a window is the mean over the window: its impulse is the whole momentum that it carried, so that
//! impulse over time step is the mean force, to be set beside that of contact dynamics at the same time step.
//!
//! ```text
//!  window δt = n h      |----h----|----h----|  …  |----h----|
//!  forces               f₀        f₁        f₂          f_n      from the state alone: a window can start anywhere
//!  velocities           v₀   v½        v½           v½       v_n
//!  impulse of a contact h (f₀/2 + f₁ + f₂ + … + f_n/2)
//! ```
//!
//! The dashpots see the velocity that is predicted for the end of the step, `v½ + h a/2` with the last acceleration, so
//! that the whole is of second order.

mod batch;
mod law;
mod loops;
mod pack;
mod ties;
mod window;

pub use law::{damping_ratio, effective_restitution};
