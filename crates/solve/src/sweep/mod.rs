//! Passes over all contacts: sweeps in every order, the residual, and velocities from impulses.

#![allow(unsafe_code)] // The kernels are called here; see `Views`.
mod ball;
mod ball_laws;
mod block;
mod cell;
mod dispatch;
mod group;
mod joint;
mod kernel;
mod lanes;
mod patch;
mod schedule;
mod slots;
mod team;
mod widest;

pub use kernel::{Tally, Visits};
pub use lanes::Real;
pub use widest::{Task, widest};

use crate::law::SIZE;
use crate::options::SweepOrder;
use crate::problem::{Contact, Problem};
use crate::solvers::Along;
use crate::space::{Dim, Vector};
use crate::touching::Touching;
use cell::Stretching;
use dispatch::{run_kind, run_kind_contact};
use group::{Group, Kind, ball_contact_length};
use joint::JointContact;
use kernel::{Order, Pass, Tuning, View};
use lanes::{Lanes, WIDTH};
use rand::{RngExt, SeedableRng};
use rayon::prelude::*;
use schedule::Schedule;
use slots::Slots;
use std::ops::Range;

/// A problem in the layout of the kernels, with the state of its solution.
pub struct Sweeper<D: Dim> {
    slots: Slots,
    free: Slots,
    schedule: Schedule,
    /// The contacts of each kind.
    groups: [Group<D>; 4],
    /// Impulses of all batches, those of one kind after those of the other; one row per component.
    impulses: Vec<Lanes>,
    /// Where the impulses of each kind begin.
    starts: [usize; 4],
    tuning: Tuning,
    /// The kind of each contact, and its batch and lane in it.
    kinds: Vec<u8>,
    places: Vec<u32>,
    /// A permutation of the contacts, for the random order.
    shuffled: Vec<u32>,
    /// The cell, if its stretching is a freedom.
    stretching: Option<Stretching<D>>,
    /// What touches each ball, once it was needed.
    touching: Option<Touching>,
}

/// What a sweep has to tell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tell {
    /// Nothing: the fastest.
    Nothing,
    /// How large the impulses and their changes are.
    Change,
    /// The largest relative change of a force too; forces below the floor are compared with it.
    Forces {
        /// The floor.
        floor: f64,
    },
}

impl Tell {
    fn floor(self) -> f64 {
        match self {
            Tell::Forces { floor } => floor,
            _ => 0.0,
        }
    }
}

/// Impulses and velocities, to be extrapolated from.
#[derive(Clone, Default)]
pub struct Iterate {
    impulses: Vec<Lanes>,
    slots: Vec<Lanes>,
}

impl<D: Dim> Sweeper<D> {
    /// Lays out the problem and applies the impulses that it starts from (none of them if it does not start warm). Where sweeps
    /// are to visit what carries something, it stands apart from the rest.
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
            shuffled: (0..count as u32).collect(),
            stretching,
            touching: None,
        };
        if warm {
            sweeper.apply_impulses();
        } else {
            sweeper.stretch();
        }
        sweeper
    }

    /// The number of contacts.
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// What a sweep was, in passes.
    pub fn passes(&self, tally: Tally) -> f64 {
        let batches: usize = self.groups.iter().map(|group| group.bodies.len()).sum();
        1.0 - f64::from(tally.left_out) / batches.max(1) as f64
    }

    /// True if the normal and tangent of most contacts are coupled: most are not between balls and walls that stand.
    pub fn is_mostly_coupled(&self) -> bool {
        let coupled = |kind: &&u8| **kind == Kind::Block as u8 || **kind == Kind::Joint as u8;
        2 * self.kinds.iter().filter(coupled).count() > self.kinds.len()
    }

    /// `1/(K δt²)` of compliant contacts.
    pub fn compliance(&self) -> f64 {
        self.tuning.compliance
    }

    /// Makes compliant contacts stiffer or softer from now on.
    ///
    /// # Panics
    /// If the contacts were rigid at the start: then they have no impulse to rest in.
    pub fn set_compliance(&mut self, compliance: f64) {
        assert!(self.tuning.compliance > 0.0 && compliance > 0.0, "rigid contacts stay rigid");
        self.tuning.compliance = compliance;
    }

    /// Lets sliding contacts take only this part of their normal correction (SOLVERS.md, "Damped sliding"); 1 is all of it.
    /// The solution is the same.
    pub fn set_sliding(&mut self, part: f64) {
        self.tuning.sliding = part;
    }

    /// Lets contacts of two balls take only this part of every correction; 1 is all of it. The solution is the same.
    pub fn set_relaxation(&mut self, part: f64) {
        self.tuning.relaxation = part;
    }

    /// `σ = K δt²/m_n` of compliant contacts, in the mean.
    pub fn mean_stiffness(&self) -> f64 {
        let weights: f64 = self.groups.iter().flat_map(|group| &group.weights).map(|weights| weights.sum()).sum();
        weights / self.len().max(1) as f64 / self.tuning.compliance
    }

    /// One sweep in the given order; `number` counts the sweeps of this solve and `seed` those of the run.
    pub fn sweep(&mut self, order: SweepOrder, number: u32, seed: u64, tell: Tell) -> Tally {
        let tally = match order {
            SweepOrder::Spatial => return self.spatial_sweep(false, Visits::All, tell),
            SweepOrder::Sequential => self.listed_sweep(0..self.len(), tell),
            SweepOrder::ForwardBackward if number.is_multiple_of(2) => self.listed_sweep(0..self.len(), tell),
            SweepOrder::ForwardBackward => self.listed_sweep((0..self.len()).rev(), tell),
            SweepOrder::Random => {
                let mut generator = rand_pcg::Pcg64Mcg::seed_from_u64(seed ^ (u64::from(number) << 40));
                for i in (1..self.shuffled.len()).rev() {
                    self.shuffled.swap(i, generator.random_range(0..=i));
                }
                let order = std::mem::take(&mut self.shuffled);
                let tally = self.listed_sweep(order.iter().map(|&i| i as usize), tell);
                self.shuffled = order;
                tally
            }
        };
        self.stretch();
        tally
    }

    /// A sweep block by block on all threads, forward or exactly backward.
    pub fn spatial_sweep(&mut self, backward: bool, visits: Visits, tell: Tell) -> Tally {
        let order = Order { visits, ..self.order(tell) };
        let tally = self.pass(order, backward);
        self.stretch();
        tally
    }

    /// Lets the cell answer to the impulses as they are.
    fn stretch(&mut self) {
        if let Some(stretching) = &mut self.stretching {
            stretching.follow(&self.impulses, &self.starts, &mut self.groups);
        }
    }

    /// How far the state is from the laws.
    pub fn residual(&mut self) -> Error {
        self.residual_with(self.tuning)
    }

    /// How far the state is from the laws of rigid contacts, whatever the compliance.
    pub fn rigid_residual(&mut self) -> Error {
        self.residual_with(Tuning { compliance: 0.0, ..self.tuning })
    }

    fn residual_with(&mut self, tuning: Tuning) -> Error {
        let tally = self.pass(Order::new(Pass::Residual, tuning), false);
        Error::new(tally, self.len())
    }

    /// Velocities from scratch: `U = U_free + M⁻¹ H p`.
    pub fn apply_impulses(&mut self) {
        self.slots.lines.clone_from(&self.free.lines);
        self.pass(Order::new(Pass::Apply, self.tuning), false);
        self.stretch();
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
        for index in 0..self.len() {
            let (kind, place) = self.kind_and_place(index);
            let components = kind.components::<D>();
            let (batch, lane) = (place as usize / WIDTH, place as usize % WIDTH);
            let start = self.starts[kind as usize] + batch * components;
            let number = |i: usize| self.impulses[start + i].0[lane];
            let (impulse, torque) = match kind {
                Kind::Ball | Kind::Block => (D::Vector::from_fn(number), D::Spin::ZERO),
                Kind::BallLaws => {
                    let length = ball_contact_length(problem, index);
                    (D::Vector::from_fn(number), D::Spin::from_fn(|i| length * number(D::AXES + i)))
                }
                Kind::Joint => {
                    let local = std::array::from_fn(|i| if i < components { number(i) } else { 0.0 });
                    self.groups[kind as usize].joints[place as usize].to_world(&local)
                }
            };
            problem.contacts[index].impulse = impulse;
            if let Some(stated) = problem.torques.get_mut(index) {
                stated.impulse = torque;
            }
        }
    }

    /// A copy of the state.
    pub fn save(&self, iterate: &mut Iterate) {
        self.save_impulses(iterate);
        iterate.slots.clone_from(&self.slots.lines);
    }

    /// A copy of the impulses alone.
    pub fn save_impulses(&self, iterate: &mut Iterate) {
        iterate.impulses.clone_from(&self.impulses);
    }

    /// `Σ (y − p)·(p − r)/m_n` over the contacts, with the present state as `p`: the sign that tells momentum to stop.
    pub fn progress_against(&self, y: &Iterate, r: &Iterate) -> f64 {
        const CHUNK: usize = 1024;
        let mut sum = 0.0;
        for group in &self.groups {
            let components = group.kind.components::<D>();
            let range =
                self.starts[group.kind as usize]..self.starts[group.kind as usize] + group.weights.len() * components;
            let rows = CHUNK * components;
            let impulses = (self.impulses[range.clone()].par_chunks(rows))
                .zip(y.impulses[range.clone()].par_chunks(rows))
                .zip(r.impulses[range].par_chunks(rows));
            let partial: Vec<f64> = impulses
                .zip(group.weights.par_chunks(CHUNK))
                .map(|(((p, y), r), weights)| {
                    let mut total = Lanes::default();
                    for (batch, &weight) in weights.iter().enumerate() {
                        let mut sum = Lanes::default();
                        for row in batch * components..(batch + 1) * components {
                            sum = sum + (y[row] - p[row]) * (p[row] - r[row]);
                        }
                        total = total + sum * weight;
                    }
                    total.sum()
                })
                .collect();
            sum += partial.iter().sum::<f64>();
        }
        sum
    }

    /// Moves the state on, velocities with it, and makes `r` what it was.
    pub fn extrapolate(&mut self, along: Along, y: &Iterate, r: &mut Iterate) {
        const CHUNK: usize = 4096;
        let advance = |now: &mut [Lanes], y: &[Lanes], last: &mut [Lanes]| {
            let chunks = now.par_chunks_mut(CHUNK).zip(last.par_chunks_mut(CHUNK)).enumerate();
            chunks.for_each(|(chunk, (now, last))| {
                let from = (chunk * CHUNK).min(y.len());
                along.advance(now, &y[from..], last);
            });
        };
        advance(&mut self.impulses, &y.impulses, &mut r.impulses);
        advance(&mut self.slots.lines, &y.slots, &mut r.slots);
        self.stretch();
    }

    fn order(&self, tell: Tell) -> Order {
        let pass = match tell {
            Tell::Nothing => Pass::Update,
            Tell::Change => Pass::Measured,
            Tell::Forces { .. } => Pass::Judged,
        };
        Order { floor: tell.floor(), ..Order::new(pass, self.tuning) }
    }

    /// The phases of the schedule one after the other, the tasks of each on all threads.
    fn pass(&mut self, order: Order, backward: bool) -> Tally {
        let views = self.views();
        let (tasks, ends) = (&self.schedule.tasks, &self.schedule.ends);
        let count = tasks.len();
        let reversed: Vec<usize> = if backward {
            ends.iter().rev().skip(1).map(|end| count - end).chain([count]).collect()
        } else {
            Vec::new()
        };
        let ends = if backward { &reversed } else { ends };
        team::run_phases(count, ends, backward, |number| {
            let task = &tasks[if backward { count - 1 - number } else { number }];
            let mut total = Tally::default();
            for step in 0..Kind::ALL.len() {
                let kind = Kind::ALL[if backward { Kind::ALL.len() - 1 - step } else { step }];
                let range = task[kind as usize].clone();
                if !range.is_empty() {
                    // SAFETY: the arrays live in `self`, borrowed here; tasks of a phase share no batch and, by the
                    // schedule, no body but the ground, which is never written; and phases do not overlap in time.
                    total = total.and(unsafe { views.run(kind, order, range, backward) });
                }
            }
            total
        })
    }

    /// The kind of a contact, and where it is among those: `batch * WIDTH + lane`.
    fn kind_and_place(&self, contact: usize) -> (Kind, u32) {
        (Kind::ALL[self.kinds[contact] as usize], self.places[contact])
    }

    fn listed_sweep(&mut self, sequence: impl Iterator<Item = usize>, tell: Tell) -> Tally {
        let order = Order { pass: Pass::Judged, ..self.order(tell) };
        let views = self.views();
        let mut total = Tally::default();
        for index in sequence {
            let (kind, place) = self.kind_and_place(index);
            // SAFETY: one thread, and the arrays live in `self`.
            total = total.and(unsafe { views.run_one(kind, order, place) });
        }
        total
    }

    fn views(&mut self) -> Views<D> {
        let slots = self.slots.lines.as_mut_ptr().cast();
        let impulses = self.impulses.as_mut_ptr();
        let of_kind = std::array::from_fn(|kind| {
            let group = &self.groups[kind];
            View {
                slots,
                rows: group.rows.as_ptr(),
                stride: group.stride,
                // SAFETY: the start lies in the array, or at its end where there are no contacts of this kind.
                impulses: unsafe { impulses.add(self.starts[kind]) },
                bodies: group.bodies.as_ptr(),
                batches: group.bodies.len(),
            }
        });
        Views { of_kind, joints: self.groups[Kind::Joint as usize].joints.as_ptr() }
    }
}

/// Where all that a pass needs is.
struct Views<D: Dim> {
    of_kind: [View; 4],
    joints: *const JointContact<D>,
}

// SAFETY: the pointers are followed by `Views::run` and `Views::run_one` alone, whose callers hand disjoint tasks to
// different threads.
unsafe impl<D: Dim> Sync for Views<D> {}

impl<D: Dim> Views<D> {
    /// A pass over some batches of a kind.
    ///
    /// # Safety
    /// As for `run_batches`.
    unsafe fn run(&self, kind: Kind, order: Order, range: Range<u32>, backward: bool) -> Tally {
        // SAFETY: the caller's promise.
        unsafe {
            if kind != Kind::Joint {
                return run_kind(kind, D::AXES, order, self.of_kind[kind as usize], range, backward);
            }
            let (first, end) = (range.start * WIDTH as u32, range.end * WIDTH as u32);
            let mut total = Tally::default();
            for step in 0..end - first {
                let place = if backward { end - 1 - step } else { first + step };
                total = total.and(self.run_joint(order, place));
            }
            total
        }
    }

    /// A pass over one contact.
    ///
    /// # Safety
    /// As for `run_contact`.
    unsafe fn run_one(&self, kind: Kind, order: Order, place: u32) -> Tally {
        // SAFETY: the caller's promise.
        unsafe {
            match kind {
                Kind::Joint => self.run_joint(order, place),
                _ => run_kind_contact(kind, D::AXES, order, self.of_kind[kind as usize], place),
            }
        }
    }

    /// A pass over one contact that has its own law; nothing where the lane is empty.
    unsafe fn run_joint(&self, order: Order, place: u32) -> Tally {
        let view = self.of_kind[Kind::Joint as usize];
        let components = Kind::Joint.components::<D>();
        let (batch, lane) = (place as usize / WIDTH, place as usize % WIDTH);
        // SAFETY: the caller's promise.
        unsafe {
            let joint = &*self.joints.add(place as usize);
            if joint.normal_weight() == 0.0 {
                return Tally::default();
            }
            let rows = view.impulses.add(batch * components);
            let mut local = [0.0; SIZE];
            for i in 0..components {
                local[i] = (*rows.add(i)).0[lane];
            }
            let tally = joint.run(order, view.slots, &mut local);
            for i in 0..components {
                (*rows.add(i)).0[lane] = local[i];
            }
            tally
        }
    }
}

/// Errors below this part of the velocities that they come from are rounding.
const ROUNDING: f64 = 1e-14;

/// How far a state is from the laws: the natural-map error of all contacts (METHOD.md section 4).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Error {
    /// Relative to the impulses, in the Euclidean norm; 1 where they should not all be zero but are.
    pub relative: f64,
    /// As a velocity, root mean square over the contacts.
    pub velocity: f64,
    /// As a velocity, at the worst contact.
    pub worst: f64,
}

impl Error {
    fn new(tally: Tally, contacts: usize) -> Self {
        let (error, size) = (tally.change.sqrt(), tally.size.sqrt());
        if !error.is_finite() || !size.is_finite() {
            return Error { relative: f64::INFINITY, velocity: f64::INFINITY, worst: f64::INFINITY };
        }
        // Where nothing presses, what is left of velocities that cancel is rounding and not an error.
        if error <= ROUNDING * tally.scale.sqrt() {
            return Error { relative: 0.0, velocity: 0.0, worst: 0.0 };
        }
        Error {
            relative: error / size.max(error),
            velocity: (tally.speed / contacts.max(1) as f64).sqrt(),
            worst: tally.worst,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{Body, GROUND, Inertia};
    use crate::space::{D2, D3};

    /// Balls on the ground that carry their weight, and as many that fall on it.
    fn resting_and_falling<D: Dim>(count: usize) -> Problem<D> {
        let up = D::Vector::axis(D::AXES - 1);
        let mut problem = Problem { bodies: vec![Body::default()], ..Problem::default() };
        for number in 0..2 * count {
            problem.bodies.push(Body { velocity: -up, inertia: Inertia::Ball(1.0), ..Body::default() });
            problem.contacts.push(Contact {
                bodies: [GROUND, number as u32 + 1],
                normal: up,
                arms: [up, -up],
                friction: 0.5,
                impulse: if number % 2 == 0 { up } else { D::Vector::ZERO },
                ..Contact::default()
            });
        }
        problem
    }

    fn what_carries_nothing_is_left_out<D: Dim>() {
        let mut problem = resting_and_falling::<D>(56);
        let mut sweeper = Sweeper::new(&problem, true, Visits::Carrying);
        let tally = sweeper.spatial_sweep(false, Visits::Carrying, Tell::Change);
        assert_eq!((sweeper.passes(tally), tally.change), (0.5, 0.0));
        assert_eq!(sweeper.residual().worst, 1.0);
        let tally = sweeper.spatial_sweep(true, Visits::All, Tell::Change);
        assert_eq!((sweeper.passes(tally), tally.change), (1.0, 56.0));
        assert_eq!(sweeper.residual().worst, 0.0);
        // Now all of them carry something.
        let tally = sweeper.spatial_sweep(false, Visits::Carrying, Tell::Change);
        assert_eq!((sweeper.passes(tally), tally.normal), (1.0, 112.0));
        sweeper.store(&mut problem);
        assert!(problem.contacts.iter().all(|contact| contact.impulse == D::Vector::axis(D::AXES - 1)));
    }

    #[test]
    fn what_carries_nothing_is_left_out_until_all_contacts_are_visited() {
        what_carries_nothing_is_left_out::<D2>();
        what_carries_nothing_is_left_out::<D3>();
    }
}
