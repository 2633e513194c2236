//! The problem in the layout of the kernels: contacts in batches by kind, bodies in slots, and the state of the solution.

use super::cell::Stretching;
use super::config::{Tuning, Visits};
use super::group::{Group, Kind, ball_contact_length};
use super::iterate::Iterate;
use super::lanes::{Lanes, WIDTH};
use super::schedule::{Schedule, sort_of};
use super::shares::Shares;
use super::slots::Slots;
use crate::problem::{Contact, Problem};
use crate::ranks::Ranks;
use crate::space::{Dim, Vector};
use rayon::prelude::*;

/// A problem in the layout of the kernels, with the state of its solution. Its memory serves one problem after the other.
pub struct Sweeper<D: Dim> {
    pub(super) slots: Slots,
    pub(super) free: Slots,
    pub(super) schedule: Schedule,
    /// What each rank visits.
    pub(super) shares: Shares,
    /// True while this rank has all impulses and velocities, and not only its own.
    pub(super) is_whole: bool,
    /// The contacts of each kind.
    pub(super) groups: [Group<D>; 4],
    /// Impulses of all batches, those of one kind after those of the other; one row per component.
    pub(super) impulses: Vec<Lanes>,
    /// Where the impulses of each kind begin.
    pub(super) starts: [usize; 4],
    pub(super) tuning: Tuning,
    /// The kind of each contact, and its batch and lane in it.
    pub(super) kinds: Vec<u8>,
    pub(super) places: Vec<u32>,
    /// What the schedule was made for: the number of bodies, the bodies of each contact, and its sort.
    bodies: usize,
    pairs: Vec<[u32; 2]>,
    sorts: Vec<u8>,
    /// The largest friction of a contact.
    pub steepest: f64,
    /// A permutation of the contacts, once it was needed for the random order.
    pub(super) permutation: Vec<u32>,
    /// Copies of states that are no longer needed.
    pub(super) spare: Vec<Iterate>,
    /// The cell, if its stretching is a freedom.
    pub(super) stretching: Option<Stretching<D>>,
}

impl<D: Dim> Default for Sweeper<D> {
    fn default() -> Self {
        Sweeper {
            slots: Slots::default(),
            free: Slots::default(),
            schedule: Schedule::default(),
            shares: Shares::default(),
            is_whole: true,
            groups: Kind::ALL.map(Group::new),
            impulses: Vec::new(),
            starts: [0; 4],
            tuning: Tuning::PLAIN,
            kinds: Vec::new(),
            places: Vec::new(),
            bodies: 0,
            pairs: Vec::new(),
            sorts: Vec::new(),
            steepest: 0.0,
            permutation: Vec::new(),
            spare: Vec::new(),
            stretching: None,
        }
    }
}

impl<D: Dim> Sweeper<D> {
    /// From the next problem on, these ranks sweep together.
    pub fn divide_among(&mut self, ranks: &Ranks) {
        if ranks.size() != self.shares.ranks.size() {
            // Makes the next schedule a new one.
            self.bodies = 0;
        }
        self.shares.ranks = ranks.clone();
    }

    /// A sweeper of this problem: see [`Sweeper::lay_out`].
    #[cfg(test)]
    pub fn new(problem: &Problem<D>, warm: bool, visits: Visits) -> Self {
        let mut sweeper = Sweeper::default();
        sweeper.lay_out(problem, warm, visits);
        sweeper
    }

    /// Lays out a problem and applies the impulses that it starts from (none of them unless it starts warm). If sweeps are
    /// to visit only contacts that carry an impulse, those get batches of their own.
    pub fn lay_out(&mut self, problem: &Problem<D>, warm: bool, visits: Visits) {
        let count = problem.contacts.len();
        self.find_kinds(problem);
        let mut is_same = self.bodies == problem.bodies.len();
        self.bodies = problem.bodies.len();
        self.steepest = 0.0;
        let pairs = problem.contacts.iter().map(|contact| {
            self.steepest = self.steepest.max(contact.friction);
            contact.bodies
        });
        is_same &= renew(&mut self.pairs, pairs);
        let is_sorted = warm && visits == Visits::Carrying;
        let carries = |contact: &Contact<D>| is_sorted && contact.impulse != D::Vector::ZERO;
        let sorts = self.kinds.iter().zip(&problem.contacts).map(|(&kind, contact)| sort_of(kind, carries(contact)));
        is_same &= renew(&mut self.sorts, sorts);
        // The schedule follows from these alone: it lives on where no contact has come or gone.
        if !is_same {
            self.schedule.make(&self.pairs, &self.sorts, self.bodies);
            self.schedule.places(count, &mut self.places);
            self.shares.make(&self.schedule, &self.pairs, self.bodies);
        }
        let mut rows = 0;
        for kind in Kind::ALL {
            self.starts[kind as usize] = rows;
            rows += self.schedule.batches[kind as usize].len() * kind.components::<D>();
        }
        self.impulses.resize(rows, Lanes::default());
        for kind in Kind::ALL {
            let start = self.starts[kind as usize];
            let end = start + self.schedule.batches[kind as usize].len() * kind.components::<D>();
            let own = self.shares.own_batches(&self.schedule, kind);
            self.groups[kind as usize].lay_out(problem, &self.schedule, &mut self.impulses[start..end], warm, &own);
        }
        self.free.fill(problem);
        self.tuning = Tuning { compliance: problem.compliance, ..Tuning::PLAIN };
        self.stretching = problem.cell.as_ref().map(|cell| Stretching::new(cell, problem, &self.schedule));
        self.permutation.clear();
        self.is_whole = self.shares.ranks.is_alone();
        if warm {
            self.apply_impulses();
        } else {
            self.slots.lines.clone_from(&self.free.lines);
            self.stretch();
        }
    }

    /// The kind of each contact.
    fn find_kinds(&mut self, problem: &Problem<D>) {
        let count = problem.contacts.len();
        if problem.masses.is_empty() && problem.torques.is_empty() && problem.cohesions.is_empty() {
            // Nothing but balls with Coulomb's law: no need to look at their bodies.
            self.kinds.clear();
            self.kinds.resize(count, Kind::Ball as u8);
            return;
        }
        let kinds = (0..count).into_par_iter().with_min_len(4096).map(|index| Kind::of(problem, index) as u8);
        kinds.collect_into_vec(&mut self.kinds);
    }

    /// True if most contacts couple normal and tangent: they are not between balls, or a ball and a fixed wall.
    pub fn is_mostly_coupled(&self) -> bool {
        let coupled = |kind: &&u8| **kind == Kind::Block as u8 || **kind == Kind::BlockTorque as u8;
        2 * self.kinds.iter().filter(coupled).count() > self.kinds.len()
    }

    /// Writes impulses and velocities back into the problem.
    pub fn store(&mut self, problem: &mut Problem<D>) {
        self.apply_impulses();
        self.make_whole();
        if let (Some(cell), Some(stretching)) = (&mut problem.cell, &self.stretching) {
            cell.rate = stretching.rate();
        }
        let solved = &*self;
        problem.bodies.par_iter_mut().enumerate().with_min_len(4096).for_each(|(index, body)| {
            (body.velocity, body.spin) = solved.slots.motion::<D>(index as u32);
        });
        problem.contacts.par_iter_mut().enumerate().with_min_len(4096).for_each(|(index, contact)| {
            contact.impulse = solved.impulse_of(index);
        });
        for index in 0..problem.torques.len() {
            problem.torques[index].impulse = solved.torque_of(problem, index);
        }
    }

    /// Gives this rank the impulses and velocities of all others.
    pub(super) fn make_whole(&mut self) {
        if !std::mem::replace(&mut self.is_whole, true) {
            let Sweeper { shares, schedule, starts, slots, impulses, .. } = self;
            shares.gather_all::<D>(schedule, starts, &mut slots.lines, impulses);
        }
    }

    /// The impulse of a contact, in the frame of the world.
    fn impulse_of(&self, index: usize) -> D::Vector {
        let (kind, place) = self.kind_and_place(index);
        match kind {
            Kind::BlockTorque => self.torque_contact_at(place).0,
            _ => D::Vector::from_fn(|i| self.component(kind, place, i)),
        }
    }

    /// The torque impulse of a contact, in the frame of the world.
    fn torque_of(&self, problem: &Problem<D>, index: usize) -> D::Spin {
        let (kind, place) = self.kind_and_place(index);
        match kind {
            Kind::Ball | Kind::Block => D::Spin::ZERO,
            Kind::BallTorque => {
                let length = ball_contact_length(problem, index);
                D::Spin::from_fn(|i| length * self.component(kind, place, D::AXES + i))
            }
            Kind::BlockTorque => self.torque_contact_at(place).1,
        }
    }

    /// Impulse and torque impulse of a contact that is visited on its own.
    fn torque_contact_at(&self, place: u32) -> (D::Vector, D::Spin) {
        let (kind, components) = (Kind::BlockTorque, Kind::BlockTorque.components::<D>());
        let local = std::array::from_fn(|i| if i < components { self.component(kind, place, i) } else { 0.0 });
        self.groups[kind as usize].torque_contacts[place as usize].to_world(&local)
    }

    /// A component of the impulse at a place.
    fn component(&self, kind: Kind, place: u32, component: usize) -> f64 {
        let (batch, lane) = (place as usize / WIDTH, place as usize % WIDTH);
        self.impulses[self.starts[kind as usize] + batch * kind.components::<D>() + component].0[lane]
    }

    /// The kind of a contact, and where it is among those: `batch * WIDTH + lane`.
    pub(super) fn kind_and_place(&self, contact: usize) -> (Kind, u32) {
        (Kind::ALL[self.kinds[contact] as usize], self.places[contact])
    }
}

/// Replaces the entries; true if they were the same before.
fn renew<T: PartialEq>(entries: &mut Vec<T>, new: impl ExactSizeIterator<Item = T>) -> bool {
    if entries.len() != new.len() {
        entries.clear();
        entries.extend(new);
        return false;
    }
    let mut is_same = true;
    for (entry, new) in entries.iter_mut().zip(new) {
        is_same &= *entry == new;
        *entry = new;
    }
    is_same
}
