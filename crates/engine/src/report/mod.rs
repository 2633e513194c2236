//! The report of a step: what it did, how well it balances, what it warns of.

mod energy;
mod momentum;
mod step;
mod warnings;

pub use warnings::{SoftRegime, sweep_diffusivity};

use crate::body::BodyId;
use crate::energy::Energy;
use riprap_solve::{OptionsError, Trace};

/// Growth of an overlap in one step, over the smaller radius, that is worth a warning: more than twice what the error of a contact
/// may cause, and more than steps of the default length leave in any of the templates.
pub const OVERLAP_GROWTH: f64 = 0.05;

/// What one step did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Number of the step, counted from 1.
    pub step: u64,
    /// Time at its end.
    pub time: f64,
    /// Time step used.
    pub time_step: f64,
    /// Sweeps done.
    pub sweeps: u32,
    /// Molecular dynamics: steps of integration done within this step; zero under contact dynamics.
    pub substeps: u32,
    /// Contact updates done: the contacts visited in all sweeps, or the forces computed.
    pub contact_updates: u64,
    /// True if the criterion was met within the limits.
    pub converged: bool,
    /// Relative natural-map residual at the end of the solve.
    pub residual: f64,
    /// The worst natural-map error of one contact, as a velocity (m/s).
    pub worst_contact: f64,
    /// The way of the solver.
    pub trace: Trace,
    /// Contacts in the problem, those that stayed open included.
    pub candidates: usize,
    /// Contacts that carried an impulse.
    pub contacts: usize,
    /// Of these, the contacts that slid.
    pub sliding: usize,
    /// Deepest overlap of two bodies at the end of the step, in metres.
    pub max_overlap: f64,
    /// The most by which the overlap of a pair has grown in the step, over its smaller radius; not measured by molecular dynamics.
    pub overlap_growth: f64,
    /// Mean overlap of the contacts that carry an impulse (gaps count as zero), in metres.
    pub mean_overlap: f64,
    /// `|Σ m Δv − δt ΣF − Σ p_walls|` over the sum of the absolute values of these terms, at least 10⁻⁸ of the momenta: rounding,
    /// if all is well.
    pub momentum_error: f64,
    /// Energies since the start of the run.
    pub energy: Energy,
    /// The largest speed of a body.
    pub max_speed: f64,
    /// Mean over bodies with contacts of the unbalanced force over the mean contact force.
    pub unbalanced_force: f64,
    /// Set when the step reached its limit of sweeps before forces could cross the largest cluster.
    pub soft: Option<SoftRegime>,
    /// Set when walls with imposed velocities compress a packing that cannot yield, whose forces are then undetermined.
    pub jammed_compression: bool,
    /// True if the contacts created energy, against the inequality of Clausius and Duhem.
    pub clausius_duhem_violated: bool,
    /// True if the list of pairs was made anew.
    pub pairs_rebuilt: bool,
}

/// Why a step could not be done.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StepError {
    /// A body passed, or began to pass, through another.
    #[error(
        "step {step}: body {body} went through body {other} (it moved {moved:.3e} m in one step, centres or surfaces \
         {depth:.3e} m past each other); the time step is too long for this speed"
    )]
    Tunnel {
        /// The step.
        step: u64,
        /// The body that went through.
        body: BodyId,
        /// The body that it went through.
        other: BodyId,
        /// How far they moved relative to each other in the step.
        moved: f64,
        /// How deep the overlap is.
        depth: f64,
    },
    /// A quantity is not a number.
    #[error("step {step}: the {quantity} of body {body} is not a number")]
    NotFinite {
        /// The step.
        step: u64,
        /// The body.
        body: BodyId,
        /// What is not finite.
        quantity: &'static str,
    },
    /// A periodic cell is too small for its grains: one of them would touch its own image.
    #[error(
        "step {step}: the period along axis {axis} is {period:.3e} m, shorter than one and a half diameters of the \
         largest grain, {least:.3e} m"
    )]
    CellTooSmall {
        /// The step.
        step: u64,
        /// The axis.
        axis: usize,
        /// The period.
        period: f64,
        /// The shortest period that the grains allow.
        least: f64,
    },
    /// A periodic cell changes so much in one step that neighbours cannot be listed.
    #[error(
        "step {step}: the periodic cell would change by more than half of its size; the time step is too long for its load"
    )]
    CellTooFast {
        /// The step.
        step: u64,
    },
    /// A body may go farther than a period in one step.
    #[error(
        "step {step}: body {body} may move {reach:.3e} m in one step, farther than the period along axis {axis}, \
         {period:.3e} m; the time step is too long for this speed"
    )]
    FasterThanPeriod {
        /// The step.
        step: u64,
        /// The id of the body.
        body: BodyId,
        /// How far it may go.
        reach: f64,
        /// The axis.
        axis: usize,
        /// The period.
        period: f64,
    },
    /// A grain is so far from the origin that its place is not known well enough for contacts.
    #[error(
        "step {step}: body {body} is {distance:.3e} m from the origin, too far for a grain of radius {radius:.3e} m or \
         for the periods of the domain"
    )]
    TooFar {
        /// The step.
        step: u64,
        /// The id of the body.
        body: BodyId,
        /// How far it is.
        distance: f64,
        /// Its radius.
        radius: f64,
    },
    /// The step did not converge and the policy is to stop.
    #[error("step {step}: not converged after {sweeps} sweeps (residual {residual:.3e})")]
    Unconverged {
        /// The step.
        step: u64,
        /// Sweeps done.
        sweeps: u32,
        /// Residual reached.
        residual: f64,
    },
    /// The observer failed to change the laws of the contacts; the world is as it was before the step.
    #[error("step {step}: the contact law failed: {reason}")]
    Law {
        /// The step.
        step: u64,
        /// What the observer said.
        reason: String,
    },
    /// The options of the solver do not go together.
    #[error(transparent)]
    Options(#[from] OptionsError),
}
