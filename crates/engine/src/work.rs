//! The working memory of one step. Each group of fields is headed by the stage that writes it.

use crate::before::Before;
use crate::cell::Cell;
use crate::contact::{Contact, ContactExtras, Status};
use crate::detect::Geometry;
use crate::energy::{CellWork, ContactWork};
use crate::law::capillary::{Bridge, Share};
use crate::law::{LawFeatures, LoweredLaw};
use crate::reach::Reach;
use riprap_solve::percussion::PercussionLaw;
use riprap_solve::{Dim, Problem, SolveMemory, SolveReport, Trace, problem};

/// What a step works with. Nothing in it outlives the step but the memory, which the next step uses again.
#[derive(Default)]
pub(crate) struct Work<D: Dim> {
    // Written by `step`, before the first stage.
    /// True if the observer may ask for the contact problem after the step.
    pub keeps_problem: bool,
    /// The state before the step, where the observer wants it back.
    pub before: Before<D>,

    // Written where a step begins: what it starts from.
    /// The length of this step over that of the last one, whose impulses are the first guess.
    pub lengthened: f64,
    /// Positions at the start of the step.
    pub start_position: Vec<D::Vector>,
    /// Velocities where the step is solved, without its impulses.
    pub velocity_before: Vec<D::Vector>,
    /// Spins where the step is solved, without its impulses.
    pub spin_before: Vec<D::Spin>,
    /// The stretching rates of the cell before the solve.
    pub rate_before: D::Vector,

    // Written by `start_motors`, and after each solve by `change_motors`.
    /// The motors with a largest torque.
    pub motors: Vec<Motor>,

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
    /// The points that take part, by task, with the pair of each.
    pub found: Vec<Vec<(u32, Geometry<D>)>>,

    // Written by `recall_impulses`, over what an earlier step left.
    /// The contacts at these points.
    pub contacts: Vec<Contact<D>>,
    /// What only some laws and methods give to them: none, or those of each contact.
    pub extras: Vec<ContactExtras<D>>,
    /// The pair of each contact.
    pub pair_of: Vec<u32>,
    /// The status of each contact in the last step, if it existed.
    pub last_status: Vec<Option<Status>>,
    /// The impulse of each contact in the last step, where contacts are compliant; otherwise empty.
    pub last_impulse: Vec<D::Vector>,

    // Written by `solve` and `solve_percussions`, which write over what the last step left.
    /// Relative velocity of each contact before the solve.
    pub incoming_velocity: Vec<D::Vector>,
    /// The law of each contact, lowered to what the solver knows; none where all are plain.
    pub laws: Vec<LoweredLaw<D>>,
    /// What some of these laws have.
    pub features: LawFeatures,
    /// The laws of the contacts under A-CD²; empty under contact dynamics.
    pub percussion_laws: Vec<PercussionLaw>,
    /// The mass of the cell in this step.
    pub cell_mass: D::Vector,
    /// What the solve started from, where `keeps_problem` is set; otherwise empty.
    pub initial_guess: InitialGuess<D>,
    /// What the solver reports.
    pub solved: SolveReport,
    /// The solver's own memory.
    pub solve_memory: SolveMemory<D>,

    // Written by `keep_impulses`.
    /// The number of contacts that carry an impulse.
    pub carrying: usize,

    // Written by `verify`, kept from one solve of the step to the next.
    /// Where the bodies will be at the end of the step.
    pub end: End<D>,
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
    /// The most by which the overlap of a pair has grown in the step, over its smaller radius.
    pub overlap_growth: f64,
    /// The mean overlap of contacts that carry an impulse.
    pub mean_overlap: f64,

    // Written by `shock`.
    /// The way of the bodies, if the step has shocks.
    pub way: Option<Way<D>>,

    // Written by `contact_work`.
    /// Spins at the end of the solve, where `spin_before` is at its start.
    pub spin_after: Vec<D::Spin>,
    pub contact_work: ContactWork,
    pub contact_totals: ContactTotals<D>,
    pub cell_work: CellWork,

    // Written by `move_along`.
    /// The kinetic energy that bodies gained as they turned along the way of a step with shocks.
    pub turning_work: f64,
}

/// A motor in this step.
#[derive(Clone, Copy)]
pub(crate) struct Motor {
    pub body: usize,
    /// The axis about which it turns the body.
    pub axis: usize,
    /// The spin that it aims at.
    pub aim: f64,
    /// Its largest torque.
    pub largest: f64,
    pub effort: Effort,
    /// How often it was found in this step that it has to do the other.
    pub changes: u32,
}

/// What a motor does.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Effort {
    /// It holds its velocity, by whatever torque.
    Hold,
    /// It gives its largest torque, this one.
    Push(f64),
}

/// What the contacts of a step amount to.
#[derive(Default)]
pub(crate) struct ContactTotals<D: Dim> {
    /// Those that carry an impulse, and those of them that slide.
    pub carrying: usize,
    pub sliding: usize,
    /// The sum of the sizes of their impulses.
    pub size: f64,
    /// The sum of the squares of their relative velocities.
    pub square_speed: f64,
    /// The sum of their impulses on bodies along imposed axes, and of the sizes of these.
    pub on_imposed: D::Vector,
    pub on_imposed_size: f64,
    /// How fast the fastest of the walls with imposed motion presses on its contacts.
    pub pressing: f64,
    /// The bodies that they touch.
    pub touched: Vec<bool>,
}

/// The end of a step. Its memory lives on; what it holds is of the last step that was verified.
#[derive(Default)]
pub(crate) struct End<D: Dim> {
    /// Positions at the start of the step, carried along with the cell: the rest is the bodies' own motion.
    pub start: Vec<D::Vector>,
    pub position: Vec<D::Vector>,
    /// Empty where no body has corners.
    pub orientation: Vec<D::Orientation>,
    pub bodies: Vec<BodyAtEnd<D>>,
    pub cell: Cell<D>,
    /// The distance out to which the next step needs contact points; empty where they are not cached.
    pub next_reach: Reach<D>,
}

/// A body as the walk over pairs meets it at the end of the step, in a line of the cache.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(crate) struct BodyAtEnd<D: Dim> {
    pub position: D::Vector,
    /// From start to end.
    pub moved: D::Vector,
    /// The radius of a ball that impulses can move; NaN for other bodies.
    pub radius: f64,
}

/// What a rejected solve found for one contact.
pub(crate) struct RejectedImpulse<D: Dim> {
    pub pair: u32,
    pub feature: u64,
    pub impulse: D::Vector,
    pub torque: D::Spin,
}

/// What the last solve started from: free velocities, cell rates, impulses and torque impulses.
#[derive(Default)]
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

    /// Forgets the last step and keeps its memory.
    pub fn begin(&mut self) {
        let Work { problem, reach, initial_guess, solve_memory, .. } = self;
        *self = Work {
            before: std::mem::take(&mut self.before),
            start_position: emptied(&mut self.start_position),
            velocity_before: emptied(&mut self.velocity_before),
            spin_before: emptied(&mut self.spin_before),
            problem: Problem {
                bodies: emptied(&mut problem.bodies),
                masses: emptied(&mut problem.masses),
                contacts: std::mem::take(&mut problem.contacts),
                arms: emptied(&mut problem.arms),
                torques: emptied(&mut problem.torques),
                cohesions: emptied(&mut problem.cohesions),
                undeformed_impulses: emptied(&mut problem.undeformed_impulses),
                ..Problem::default()
            },
            reach: Reach { bodies: emptied(&mut reach.bodies), ..Reach::default() },
            found: std::mem::take(&mut self.found),
            contacts: std::mem::take(&mut self.contacts),
            extras: emptied(&mut self.extras),
            pair_of: std::mem::take(&mut self.pair_of),
            last_status: std::mem::take(&mut self.last_status),
            last_impulse: emptied(&mut self.last_impulse),
            incoming_velocity: std::mem::take(&mut self.incoming_velocity),
            laws: std::mem::take(&mut self.laws),
            initial_guess: InitialGuess {
                bodies: emptied(&mut initial_guess.bodies),
                impulses: emptied(&mut initial_guess.impulses),
                torques: emptied(&mut initial_guess.torques),
                ..InitialGuess::default()
            },
            solve_memory: std::mem::take(solve_memory),
            end: std::mem::take(&mut self.end),
            missed: emptied(&mut self.missed),
            rejected: emptied(&mut self.rejected),
            spin_after: emptied(&mut self.spin_after),
            contact_totals: ContactTotals {
                touched: emptied(&mut self.contact_totals.touched),
                ..ContactTotals::default()
            },
            ..Work::default()
        };
    }

    /// The torque impulse of a contact.
    pub fn torque_of(&self, contact: usize) -> D::Spin {
        self.extras.get(contact).map_or(D::Spin::default(), |extras| extras.torque)
    }

    /// The force of all bridges on a body.
    pub fn bridge_force(&self, body: usize) -> D::Vector {
        self.bridge_forces.get(body).copied().unwrap_or(D::Vector::default())
    }
}

/// The memory of a list, without what it held.
fn emptied<T>(list: &mut Vec<T>) -> Vec<T> {
    list.clear();
    std::mem::take(list)
}

/// The working memory between steps. It means nothing then: a copy of it is empty.
#[derive(Default)]
pub(crate) struct IdleWork<D: Dim>(pub Option<Box<Work<D>>>);

impl<D: Dim> Clone for IdleWork<D> {
    fn clone(&self) -> Self {
        IdleWork::default()
    }
}

impl<D: Dim> std::fmt::Debug for IdleWork<D> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("IdleWork")
    }
}
