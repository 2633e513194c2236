//! The working memory of one step. Each group of fields is headed by the stage that writes it.

use crate::contact::{Contact, Status};
use crate::energy::{CellWork, ContactWork};
use crate::law::LoweredLaw;
use crate::law::capillary::{Bridge, Share};
use crate::reach::Reach;
use riprap_solve::percussion::PercussionLaw;
use riprap_solve::{Dim, Problem, SolveReport, Trace, problem};

/// What a step works with. Nothing in it outlives the step.
#[derive(Default)]
pub(crate) struct Work<D: Dim> {
    // Written by `step`, before the first stage.
    /// True if the observer may ask for the contact problem after the step.
    pub keeps_problem: bool,

    // Written where a step begins: what it starts from.
    /// Positions at the start of the step.
    pub start_position: Vec<D::Vector>,
    /// Velocities where the step is solved, without its impulses.
    pub velocity_before: Vec<D::Vector>,
    /// Spins where the step is solved, without its impulses.
    pub spin_before: Vec<D::Spin>,
    /// The stretching rates of the cell before the solve.
    pub rate_before: D::Vector,

    // Written by `find_pairs`.
    /// True if the list of pairs was made anew.
    pub pairs_rebuilt: bool,

    // Written by `form_bridges`.
    /// The capillary bridges of this step.
    pub bridges: Vec<Bridge<D>>,
    /// How they share the liquid.
    pub share: Share,
    /// The force of all bridges on each body; empty without liquid.
    pub bridge_forces: Vec<D::Vector>,

    // Written by `free_velocity`.
    /// The contact problem: its bodies here, the rest by `solve`.
    pub problem: Problem<D>,

    // Written by `measure_gaps`.
    /// The gap up to which each pair takes part in the solve.
    pub reach: Reach<D>,
    /// The pairs that take part.
    pub contacts: Vec<Contact<D>>,
    /// The pair of each contact.
    pub pair_of: Vec<u32>,

    // Written by `recall_impulses`.
    /// The status of each contact in the last step, if it existed.
    pub last_status: Vec<Option<Status>>,
    /// The impulse of each contact in the last step.
    pub last_impulse: Vec<D::Vector>,

    // Written by `solve` and `solve_percussions`.
    /// Relative velocity of each contact before the solve.
    pub incoming_velocity: Vec<D::Vector>,
    /// The law of each contact, lowered to what the solver knows.
    pub laws: Vec<LoweredLaw<D>>,
    /// The laws of the contacts under A-CD²; empty under contact dynamics.
    pub percussion_laws: Vec<PercussionLaw>,
    /// The mass of the cell in this step.
    pub cell_mass: D::Vector,
    /// What the solve started from, where `keeps_problem` is set.
    pub initial_guess: Option<InitialGuess<D>>,
    /// What the solver reports.
    pub solved: SolveReport,

    // Written by `verify`, kept from one solve of the step to the next.
    /// Pairs that a solve left out and should not have, sorted.
    pub missed: Vec<u32>,
    /// The impulses that the last rejected solve found, in the order of the pairs.
    pub rejected: Vec<RejectedImpulse<D>>,
    /// The number of rejected solves; sweeps and contact updates of all solves but the last.
    pub solves_before: u32,
    pub sweeps_before: u32,
    pub updates_before: u64,
    /// The way of the solver in them.
    pub trace_before: Trace,
    /// The deepest overlap at the end of the step.
    pub max_overlap: f64,
    /// The mean overlap of contacts that carry an impulse.
    pub mean_overlap: f64,

    // Written by `shock`.
    /// The way of the bodies, if the step has shocks.
    pub way: Option<Way<D>>,

    // Written by `contact_work`.
    /// Spins at the end of the solve, where `spin_before` is at its start.
    pub spin_after: Vec<D::Spin>,
    pub contact_work: ContactWork,
    pub cell_work: CellWork,

    // Written by `move_along`.
    /// The kinetic energy that bodies gained as they turned along the way of a step with shocks.
    pub turning_work: f64,
}

/// What a rejected solve found for one contact.
pub(crate) struct RejectedImpulse<D: Dim> {
    pub pair: u32,
    pub feature: u64,
    pub impulse: D::Vector,
    pub torque: D::Spin,
}

/// What the last solve started from: free velocities, cell rates, impulses and torque impulses.
pub(crate) struct InitialGuess<D: Dim> {
    pub bodies: Vec<problem::Body<D>>,
    pub rate: D::Vector,
    pub impulses: Vec<D::Vector>,
    pub torques: Vec<D::Spin>,
}

/// How the bodies move in a step with shocks: with the velocities before these. The state has those after them.
pub(crate) struct Way<D: Dim> {
    pub velocity: Vec<D::Vector>,
    pub spin: Vec<D::Spin>,
    pub rate: D::Vector,
}

impl<D: Dim> Work<D> {
    /// Counts a solve that is not the last one of the step.
    pub fn count_solve(&mut self) {
        self.sweeps_before += self.solved.sweeps;
        self.trace_before = self.trace_before.and(self.solved.trace);
        self.updates_before += u64::from(self.solved.sweeps) * self.contacts.len() as u64;
    }

    /// The force of all bridges on a body.
    pub fn bridge_force(&self, body: usize) -> D::Vector {
        self.bridge_forces.get(body).copied().unwrap_or(D::Vector::default())
    }
}
