//! The problem in the layout of the kernels: contacts in batches by kind, bodies in slots, and the state of the solution.

use super::cell::Stretching;
use super::config::{Tuning, Visits};
use super::group::{Group, Kind, ball_contact_length};
use super::lanes::{Lanes, WIDTH};
use super::schedule::Schedule;
use super::slots::Slots;
use crate::problem::{Contact, Problem};
use crate::space::{Dim, Vector};
use rayon::prelude::*;

/// A problem in the layout of the kernels, with the state of its solution.
pub struct Sweeper<D: Dim> {
    pub(super) slots: Slots,
    pub(super) free: Slots,
    pub(super) schedule: Schedule,
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
    /// A permutation of the contacts, for the random order.
    pub(super) permutation: Vec<u32>,
    /// The cell, if its stretching is a freedom.
    pub(super) stretching: Option<Stretching<D>>,
}

impl<D: Dim> Sweeper<D> {
    /// Lays out the problem and applies the impulses that it starts from (none of them unless it starts warm). If sweeps are
    /// to visit only contacts that carry an impulse, those get batches of their own.
    pub fn new(problem: &Problem<D>, warm: bool, visits: Visits) -> Self {
        let count = problem.contacts.len();
        let kinds: Vec<u8> =
            (0..count).into_par_iter().with_min_len(4096).map(|index| Kind::of(problem, index) as u8).collect();
        let pairs: Vec<[u32; 2]> = problem.contacts.iter().map(|contact| contact.bodies).collect();
        let is_sorted = warm && visits == Visits::Carrying;
        let carries = |contact: &Contact<D>| is_sorted && contact.impulse != D::Vector::ZERO;
        let carrying: Vec<bool> = problem.contacts.iter().map(carries).collect();
        let schedule = Schedule::new(&pairs, &kinds, &carrying, problem.bodies.len());
        let places = schedule.places(count);
        let mut starts = [0; 4];
        let mut rows = 0;
        for kind in Kind::ALL {
            starts[kind as usize] = rows;
            rows += schedule.batches[kind as usize].len() * kind.components::<D>();
        }
        let mut impulses = vec![Lanes::default(); rows];
        let groups = Kind::ALL.map(|kind| {
            let end = starts[kind as usize] + schedule.batches[kind as usize].len() * kind.components::<D>();
            Group::new(problem, &schedule, kind, &mut impulses[starts[kind as usize]..end], warm)
        });
        let slots = Slots::of(problem);
        let stretching = problem.cell.as_ref().map(|cell| Stretching::new(cell, problem, &schedule));
        let mut sweeper = Sweeper {
            free: slots.clone(),
            slots,
            schedule,
            groups,
            impulses,
            starts,
            tuning: Tuning { compliance: problem.compliance, ..Tuning::PLAIN },
            kinds,
            places,
            permutation: (0..count as u32).collect(),
            stretching,
        };
        if warm {
            sweeper.apply_impulses();
        } else {
            sweeper.stretch();
        }
        sweeper
    }

    /// True if most contacts couple normal and tangent: they are not between balls, or a ball and a fixed wall.
    pub fn is_mostly_coupled(&self) -> bool {
        let coupled = |kind: &&u8| **kind == Kind::Block as u8 || **kind == Kind::BlockTorque as u8;
        2 * self.kinds.iter().filter(coupled).count() > self.kinds.len()
    }

    /// Writes impulses and velocities back into the problem.
    pub fn store(&mut self, problem: &mut Problem<D>) {
        self.apply_impulses();
        if let (Some(cell), Some(stretching)) = (&mut problem.cell, &self.stretching) {
            cell.rate = stretching.rate();
        }
        for (index, body) in problem.bodies.iter_mut().enumerate() {
            (body.velocity, body.spin) = self.slots.motion::<D>(index as u32);
        }
        for index in 0..self.kinds.len() {
            let (kind, place) = self.kind_and_place(index);
            let components = kind.components::<D>();
            let (batch, lane) = (place as usize / WIDTH, place as usize % WIDTH);
            let start = self.starts[kind as usize] + batch * components;
            let number = |i: usize| self.impulses[start + i].0[lane];
            let (impulse, torque) = match kind {
                Kind::Ball | Kind::Block => (D::Vector::from_fn(number), D::Spin::ZERO),
                Kind::BallTorque => {
                    let length = ball_contact_length(problem, index);
                    (D::Vector::from_fn(number), D::Spin::from_fn(|i| length * number(D::AXES + i)))
                }
                Kind::BlockTorque => {
                    let local = std::array::from_fn(|i| if i < components { number(i) } else { 0.0 });
                    self.groups[kind as usize].torque_contacts[place as usize].to_world(&local)
                }
            };
            problem.contacts[index].impulse = impulse;
            if let Some(stated) = problem.torques.get_mut(index) {
                stated.impulse = torque;
            }
        }
    }

    /// The kind of a contact, and where it is among those: `batch * WIDTH + lane`.
    pub(super) fn kind_and_place(&self, contact: usize) -> (Kind, u32) {
        (Kind::ALL[self.kinds[contact] as usize], self.places[contact])
    }
}
