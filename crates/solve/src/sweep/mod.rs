//! Passes over all contacts: sweeps in every order, the residual, and velocities from impulses.

mod general;
mod kernel;
mod lanes;
mod schedule;

pub use kernel::Tally;

use crate::law::{Local, SIZE};
use crate::options::SweepOrder;
use crate::problem::{Inertia, Problem};
use crate::space::{Dim, Vector};
use general::GeneralContact;
use kernel::{
    Apply, JudgedUpdate, MeasuredUpdate, Pass, Residual, Update, View, batch_rows, run_batches, run_contact,
    slot_stride,
};
use lanes::{Lanes, Real, WIDTH};
use rand::{RngExt, SeedableRng};
use rayon::prelude::*;
use schedule::{EMPTY, Schedule};

/// Velocities of the bodies in the layout of the kernel, aligned to cache lines.
#[derive(Clone, Debug, Default)]
pub struct Slots {
    lines: Vec<Lanes>,
}

impl Slots {
    fn of<D: Dim>(problem: &Problem<D>) -> Self {
        let stride = slot_stride(D::AXES);
        let lines = vec![Lanes::default(); (problem.bodies.len() * stride).div_ceil(WIDTH)];
        let mut slots = Slots { lines };
        for (index, body) in problem.bodies.iter().enumerate() {
            slots.set_motion::<D>(index as u32, body.velocity, body.spin);
            if let Inertia::Ball(inverse_mass) = body.inertia {
                *slots.number_mut(index * stride + D::AXES + D::SPINS) = inverse_mass;
            }
        }
        slots
    }

    fn number(&self, index: usize) -> f64 {
        self.lines[index / WIDTH].0[index % WIDTH]
    }

    fn number_mut(&mut self, index: usize) -> &mut f64 {
        &mut self.lines[index / WIDTH].0[index % WIDTH]
    }

    /// Velocity and scaled spin of a body.
    fn motion<D: Dim>(&self, body: u32) -> (D::Vector, D::Spin) {
        let start = body as usize * slot_stride(D::AXES);
        (D::Vector::from_fn(|i| self.number(start + i)), D::Spin::from_fn(|i| self.number(start + D::AXES + i)))
    }

    fn set_motion<D: Dim>(&mut self, body: u32, velocity: D::Vector, spin: D::Spin) {
        let start = body as usize * slot_stride(D::AXES);
        for i in 0..D::AXES {
            *self.number_mut(start + i) = velocity.get(i);
        }
        for i in 0..D::SPINS {
            *self.number_mut(start + D::AXES + i) = spin.get(i);
        }
    }
}

/// A problem in the layout of the kernel, with the state of its solution.
pub struct Sweeper<D: Dim> {
    slots: Slots,
    free: Slots,
    schedule: Schedule,
    rows: Vec<Lanes>,
    impulses: Vec<Lanes>,
    bodies: Vec<[[u32; WIDTH]; 2]>,
    /// `1/m_n` of each lane, zero where it is empty.
    weights: Vec<Lanes>,
    general: Vec<GeneralContact<D>>,
    /// Ball contacts then general ones, each in the order given: which contact of the problem it is.
    contact_of: Vec<u32>,
    places: Vec<u32>,
    balls: usize,
    /// A permutation of the contacts, for the random order.
    shuffled: Vec<u32>,
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
    general: Vec<Local>,
    slots: Vec<Lanes>,
}

impl<D: Dim> Sweeper<D> {
    /// Lays out the problem and applies the impulses that it starts from (none of them if it does not start warm).
    pub fn new(problem: &Problem<D>, warm: bool) -> Self {
        let plain = |index: usize| {
            problem.compliance == 0.0 && problem.torque(index).is_none() && problem.cohesion(index).is_none()
        };
        let is_ball: Vec<bool> = (problem.contacts.iter().enumerate())
            .map(|(index, contact)| plain(index) && problem.is_ball_contact(contact))
            .collect();
        let of_kind = |ball| (0..problem.contacts.len() as u32).filter(move |&i| is_ball[i as usize] == ball);
        let mut contact_of: Vec<u32> = of_kind.clone()(true).collect();
        let balls = contact_of.len();
        contact_of.extend(of_kind(false));

        let pairs: Vec<[u32; 2]> = contact_of[..balls].iter().map(|&i| problem.contacts[i as usize].bodies).collect();
        let schedule = Schedule::new(&pairs, problem.bodies.len());
        let places = schedule.places(balls);
        let rows_each = batch_rows(D::AXES);
        let batches = schedule.batches.len();
        let mut rows = vec![Lanes::default(); batches * rows_each];
        let mut impulses = vec![Lanes::default(); batches * D::AXES];
        let mut bodies = vec![[[0; WIDTH]; 2]; batches];
        let mut weights = vec![Lanes::default(); batches];
        let layout = |batch: usize, rows: &mut [Lanes], impulses: &mut [Lanes], bodies: &mut [[u32; WIDTH]; 2]| {
            let mut weights = Lanes::default();
            for (lane, &ball) in schedule.batches[batch].iter().enumerate().filter(|&(_, &ball)| ball != EMPTY) {
                let contact = &problem.contacts[contact_of[ball as usize] as usize];
                for i in 0..D::AXES {
                    rows[i].0[lane] = contact.normal.get(i);
                    rows[D::AXES + i].0[lane] = contact.shift.get(i);
                    impulses[i].0[lane] = if warm { contact.impulse.get(i) } else { 0.0 };
                }
                let inverse: f64 = contact.bodies.iter().map(|&body| ball_inverse_mass(problem, body)).sum();
                rows[2 * D::AXES].0[lane] = 1.0 / inverse;
                weights.0[lane] = inverse;
                rows[2 * D::AXES + 1].0[lane] = contact.friction;
                for side in 0..2 {
                    bodies[side][lane] = contact.bodies[side];
                }
            }
            weights
        };
        rows.par_chunks_mut(rows_each)
            .zip(impulses.par_chunks_mut(D::AXES))
            .zip(bodies.par_iter_mut().zip(&mut weights))
            .enumerate()
            .with_min_len(64)
            .for_each(|(batch, ((rows, impulses), (bodies, weights)))| {
                *weights = layout(batch, rows, impulses, bodies);
            });

        let general = contact_of[balls..].iter().map(|&i| GeneralContact::new(problem, i as usize, warm)).collect();
        let slots = Slots::of(problem);
        let shuffled = (0..contact_of.len() as u32).collect();
        let mut sweeper = Sweeper {
            free: slots.clone(),
            slots,
            schedule,
            rows,
            impulses,
            bodies,
            weights,
            general,
            contact_of,
            places,
            balls,
            shuffled,
        };
        if warm {
            sweeper.apply_impulses();
        }
        sweeper
    }

    /// The number of contacts.
    pub fn len(&self) -> usize {
        self.contact_of.len()
    }

    /// One sweep in the given order; `number` counts the sweeps of this solve and `seed` those of the run.
    pub fn sweep(&mut self, order: SweepOrder, number: u32, seed: u64, tell: Tell) -> Tally {
        match order {
            SweepOrder::Spatial => self.spatial_sweep(false, tell),
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
        }
    }

    /// A sweep block by block on all threads, forward or exactly backward.
    pub fn spatial_sweep(&mut self, backward: bool, tell: Tell) -> Tally {
        if backward {
            let general = self.general_updates(true, tell);
            general.and(self.ball_updates(true, tell))
        } else {
            let balls = self.ball_updates(false, tell);
            balls.and(self.general_updates(false, tell))
        }
    }

    /// How far the state is from the laws.
    pub fn residual(&mut self) -> Error {
        let mut tally = self.pass(Residual, false);
        for contact in &self.general {
            tally = tally.and(contact.residual(&self.slots));
        }
        Error::new(tally, self.len())
    }

    /// Velocities from scratch: `U = U_free + M⁻¹ H p`.
    pub fn apply_impulses(&mut self) {
        self.slots.lines.clone_from(&self.free.lines);
        self.pass(Apply, false);
        for contact in &self.general {
            contact.apply(&mut self.slots);
        }
    }

    /// Writes impulses and velocities back into the problem.
    pub fn store(&mut self, problem: &mut Problem<D>) {
        self.apply_impulses();
        for (index, body) in problem.bodies.iter_mut().enumerate() {
            (body.velocity, body.spin) = self.slots.motion::<D>(index as u32);
        }
        for torque in &mut problem.torques {
            torque.impulse = D::Spin::ZERO;
        }
        for (ball, &place) in self.places.iter().enumerate() {
            let (batch, lane) = (place as usize / WIDTH, place as usize % WIDTH);
            let impulse = D::Vector::from_fn(|i| self.impulses[batch * D::AXES + i].0[lane]);
            problem.contacts[self.contact_of[ball] as usize].impulse = impulse;
        }
        for (contact, &index) in self.general.iter().zip(&self.contact_of[self.balls..]) {
            problem.contacts[index as usize].impulse = contact.world_impulse();
            if let Some(torque) = problem.torques.get_mut(index as usize) {
                torque.impulse = contact.world_torque();
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
        iterate.general.clear();
        iterate.general.extend(self.general.iter().map(|contact| contact.impulse));
    }

    /// `Σ (y − p)·(p − r)/m_n` over the contacts, with the present state as `p`: the sign that tells momentum to stop.
    pub fn progress_against(&self, y: &Iterate, r: &Iterate) -> f64 {
        const CHUNK: usize = 1024;
        let rows = CHUNK * D::AXES;
        let impulses = self.impulses.par_chunks(rows).zip(y.impulses.par_chunks(rows)).zip(r.impulses.par_chunks(rows));
        let partial: Vec<f64> = impulses
            .zip(self.weights.par_chunks(CHUNK))
            .map(|(((p, y), r), weights)| {
                let mut total = Lanes::default();
                for (batch, &weight) in weights.iter().enumerate() {
                    let mut sum = Lanes::default();
                    for row in batch * D::AXES..(batch + 1) * D::AXES {
                        sum = sum + (y[row] - p[row]) * (p[row] - r[row]);
                    }
                    total = total + sum * weight;
                }
                total.sum()
            })
            .collect();
        let general: f64 = (self.general.iter().zip(&y.general).zip(&r.general))
            .map(|((contact, y), r)| {
                let p = contact.impulse;
                (0..SIZE).map(|i| (y[i] - p[i]) * (p[i] - r[i])).sum::<f64>() / contact.normal_mass()
            })
            .sum();
        partial.iter().sum::<f64>() + general
    }

    /// Moves the state `p` on to `p + β (p − r)`, velocities with it, and makes `r` the old `p`.
    pub fn extrapolate(&mut self, beta: f64, r: &mut Iterate) {
        let advance = |now: &mut [Lanes], last: &mut [Lanes]| {
            now.par_chunks_mut(4096).zip(last.par_chunks_mut(4096)).for_each(|(now, last)| {
                for (now, last) in now.iter_mut().zip(last) {
                    let value = *now;
                    *now = value + (value - *last) * Lanes::splat(beta);
                    *last = value;
                }
            });
        };
        advance(&mut self.impulses, &mut r.impulses);
        advance(&mut self.slots.lines, &mut r.slots);
        for (contact, last) in self.general.iter_mut().zip(&mut r.general) {
            for (now, last) in contact.impulse.iter_mut().zip(last) {
                let value = *now;
                *now = value + beta * (value - *last);
                *last = value;
            }
        }
    }

    /// The phases of the schedule one after the other, the tasks of each on all threads.
    #[allow(unsafe_code)]
    fn pass<P: Pass>(&mut self, pass: P, backward: bool) -> Tally {
        let view = self.view();
        let run = |task: &std::ops::Range<u32>| {
            // SAFETY: the arrays live in `self`, borrowed here; tasks of a phase share no batch and, by the schedule,
            // no body but the ground, which is never written.
            unsafe { run_batches(pass, D::AXES, view, task.clone(), backward) }
        };
        let phases = &self.schedule.phases;
        let parallel = rayon::current_num_threads() > 1;
        let mut total = Tally::default();
        for step in 0..phases.len() {
            let tasks = &phases[if backward { phases.len() - 1 - step } else { step }];
            if parallel && tasks.len() > 1 {
                let tallies: Vec<Tally> = tasks.par_iter().map(run).collect();
                total = tallies.into_iter().fold(total, Tally::and);
            } else {
                total = tasks.iter().map(run).fold(total, Tally::and);
            }
        }
        total
    }

    fn ball_updates(&mut self, backward: bool, tell: Tell) -> Tally {
        match tell {
            Tell::Nothing => self.pass(Update, backward),
            Tell::Change => self.pass(MeasuredUpdate, backward),
            Tell::Forces { floor } => self.pass(JudgedUpdate { floor }, backward),
        }
    }

    #[allow(unsafe_code)]
    fn listed_sweep(&mut self, order: impl Iterator<Item = usize>, tell: Tell) -> Tally {
        let floor = tell.floor();
        let mut total = Tally::default();
        for index in order {
            let tally = if index < self.balls {
                // SAFETY: one thread, and the arrays live in `self`.
                unsafe { run_contact(JudgedUpdate { floor }, D::AXES, self.view(), self.places[index]) }
            } else {
                self.general[index - self.balls].update(&mut self.slots, floor)
            };
            total = total.and(tally);
        }
        total
    }

    fn general_updates(&mut self, backward: bool, tell: Tell) -> Tally {
        let floor = tell.floor();
        let slots = &mut self.slots;
        let update = |contact: &mut GeneralContact<D>| contact.update(slots, floor);
        if backward {
            self.general.iter_mut().rev().map(update).fold(Tally::default(), Tally::and)
        } else {
            self.general.iter_mut().map(update).fold(Tally::default(), Tally::and)
        }
    }

    fn view(&mut self) -> View {
        View {
            slots: self.slots.lines.as_mut_ptr().cast(),
            rows: self.rows.as_ptr(),
            impulses: self.impulses.as_mut_ptr(),
            bodies: self.bodies.as_ptr(),
        }
    }
}

fn ball_inverse_mass<D: Dim>(problem: &Problem<D>, body: u32) -> f64 {
    match problem.bodies[body as usize].inertia {
        Inertia::Ball(inverse) => inverse,
        _ => 0.0,
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
