//! Molecular dynamics of soft grains, for comparison with contact dynamics (METHOD.md section 8).
//!
//! A step of the run is a window of many short steps of velocity Verlet. Their number follows from the stiffness; the
//! scene's time step stays what it is under contact dynamics, and so do drivers, stages and outputs. What a contact tells
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

/// The parameters of soft contacts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Soft {
    /// Stiffness of the normal spring of every contact (N/m).
    pub stiffness: f64,
    /// Stiffness of the tangential spring over that of the normal one; none: such that both have one period.
    pub tangential_ratio: Option<f64>,
    /// The dashpots.
    pub damping: Damping,
    /// Whether the normal force is clamped at zero, so that the dashpot does not pull at the end of a collision.
    pub clamp: bool,
    /// The longest step of integration; the time step of the run is divided into equal parts not longer than this.
    pub longest_step: f64,
}

/// How the dashpot of a contact is set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Damping {
    /// Such that a free collision rebounds with the restitution of the pair of materials, as near as can be.
    FromRestitution,
    /// The same for all contacts (kg/s).
    Given(f64),
}

impl Soft {
    /// Contacts of the given stiffness, damped by their restitution, that never pull.
    pub fn new(stiffness: f64, longest_step: f64) -> Self {
        Soft { stiffness, tangential_ratio: None, damping: Damping::FromRestitution, clamp: true, longest_step }
    }

    /// The number of steps of integration in a window of the given length.
    pub fn substeps(&self, window: f64) -> u32 {
        // A window that is a whole number of steps but for rounding is divided into that number.
        (window / self.longest_step - 1e-9).ceil().clamp(1.0, f64::from(u32::MAX)) as u32
    }
}
