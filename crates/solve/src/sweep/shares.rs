//! Which rank visits what, and which velocities travel between ranks (docs/mpi.md).
//!
//! The schedule is the same on all ranks. A rank owns a run of blocks along the curve through space: it visits their
//! contacts, keeps the velocities of their bodies, which are at *home* there, and of each later phase it visits the tasks that
//! are mostly its own. Tasks of a phase share no body, so a velocity is in one place at a time: before a phase it travels from
//! the rank that has it to the rank that visits the body next, and after the last one home. Nothing travels before the phase
//! of the blocks in a forward sweep.
//!
//! What is summed up over contacts is summed up in each task, and the sums are added in the order of the tasks: each bit is
//! that of one rank.

use super::group::Kind;
use super::kernel::slot_stride;
use super::lanes::{Lanes, WIDTH};
use super::schedule::{EMPTY, Schedule, Task};
use crate::problem::GROUND;
use crate::ranks::{Parcel, Ranks};
use crate::space::Dim;
use rayon::prelude::*;
use std::ops::Range;

/// Batches that one thread sums up at a time: enough work to be worth handing over (chosen, not measured).
const BATCHES_PER_SUM: usize = 1024;

/// What each rank visits in a sweep, and what is sent in between.
#[derive(Default)]
pub struct Shares {
    /// Who sweeps together.
    pub ranks: Ranks,
    /// The rank that visits each task; empty where there is one rank, and so is all that follows.
    rank_of: Vec<u32>,
    /// The bodies that are at home at each rank.
    homes: Vec<Range<u32>>,
    /// What travels before each phase of a forward sweep and after the last one, and of a backward sweep.
    routes: [Vec<Route>; 2],
}

/// Bodies whose velocities this rank sends to others and receives from them.
#[derive(Clone, Default)]
struct Route {
    send: Vec<(usize, Vec<u32>)>,
    receive: Vec<(usize, Vec<u32>)>,
}

impl Route {
    fn add(&mut self, body: u32, from: u32, to: u32, me: u32) {
        let (bodies, other) = match me {
            _ if from == me => (&mut self.send, to as usize),
            _ if to == me => (&mut self.receive, from as usize),
            _ => return,
        };
        match bodies.iter_mut().find(|(rank, _)| *rank == other) {
            Some((_, bodies)) => bodies.push(body),
            None => bodies.push((other, vec![body])),
        }
    }
}

impl Shares {
    /// Divides a schedule among the ranks.
    pub fn make(&mut self, schedule: &Schedule, contacts: &[[u32; 2]], bodies: usize) {
        self.rank_of.clear();
        if self.ranks.is_alone() {
            return;
        }
        self.find_homes(schedule, bodies);
        let home = self.home_of_each(bodies);
        self.rank_of.extend(schedule.tasks.iter().map(|task| home[body_amid(schedule, task, contacts) as usize]));
        for backward in [false, true] {
            self.routes[usize::from(backward)] = self.find_routes(schedule, contacts, &home, backward);
        }
    }

    /// Gives each rank a run of blocks with as many contacts as the others have.
    fn find_homes(&mut self, schedule: &Schedule, bodies: usize) {
        let size = self.ranks.size();
        // An empty block costs something too.
        let weights: Vec<usize> = schedule.contacts_in_blocks().map(|contacts| contacts + 1).collect();
        let total: usize = weights.iter().sum();
        let mut ends = vec![bodies as u32; size];
        let (mut before, mut rank) = (0, 0);
        for (block, weight) in weights.into_iter().enumerate() {
            // The rank in whose part of the whole the middle of the block lies.
            let owner = (size * (2 * before + weight) / (2 * total)).min(size - 1);
            while rank < owner {
                ends[rank] = (block as u32 * schedule.block_size).min(bodies as u32);
                rank += 1;
            }
            before += weight;
        }
        let starts = [0].into_iter().chain(ends.iter().copied());
        self.homes = starts.zip(&ends).map(|(start, &end)| start..end).collect();
    }

    fn home_of_each(&self, bodies: usize) -> Vec<u32> {
        let mut home = vec![0; bodies];
        for (rank, range) in self.homes.iter().enumerate() {
            home[range.start as usize..range.end as usize].fill(rank as u32);
        }
        home
    }

    /// The way of all velocities through a sweep.
    fn find_routes(&self, schedule: &Schedule, contacts: &[[u32; 2]], home: &[u32], backward: bool) -> Vec<Route> {
        let me = self.ranks.rank() as u32;
        let mut at = home.to_vec();
        let mut travelled: Vec<u32> = Vec::new();
        let phases = schedule.ends.len();
        let mut routes = Vec::with_capacity(phases + 1);
        for number in 0..phases {
            let phase = if backward { phases - 1 - number } else { number };
            let mut route = Route::default();
            if backward && phase == 0 {
                send_home(&mut route, &travelled, &mut at, home, me);
            }
            // Inside blocks all bodies are at home.
            for task in schedule.tasks_of(phase).filter(|&task| task >= schedule.inside_blocks) {
                let visitor = self.rank_of[task];
                for body in bodies_of(schedule, &schedule.tasks[task], contacts) {
                    let place = &mut at[body as usize];
                    if *place != visitor {
                        route.add(body, *place, visitor, me);
                        *place = visitor;
                        travelled.push(body);
                    }
                }
            }
            routes.push(route);
        }
        let mut route = Route::default();
        send_home(&mut route, &travelled, &mut at, home, me);
        routes.push(route);
        routes
    }

    /// True if this rank visits the task.
    pub fn visits(&self, task: usize) -> bool {
        self.rank_of.is_empty() || self.rank_of[task] as usize == self.ranks.rank()
    }

    /// Which batches of a kind this rank visits; empty where it visits all.
    pub fn own_batches(&self, schedule: &Schedule, kind: Kind) -> Vec<bool> {
        if self.ranks.is_alone() {
            return Vec::new();
        }
        let mut own = vec![false; schedule.batches[kind as usize].len()];
        for task in (0..schedule.tasks.len()).filter(|&task| self.visits(task)) {
            let batches = &schedule.tasks[task][kind as usize];
            own[batches.start as usize..batches.end as usize].fill(true);
        }
        own
    }

    /// The velocities that this rank keeps, as lines of the slots.
    pub fn own_lines<D: Dim>(&self, lines: usize) -> Range<usize> {
        self.homes
            .get(self.ranks.rank())
            .filter(|_| !self.ranks.is_alone())
            .map_or(0..lines, |home| clamped(lines_of::<D>(home), lines))
    }

    /// The rows of impulses that this rank keeps, in order.
    pub fn own_rows<D: Dim>(&self, schedule: &Schedule, starts: &[usize; 4], rows: usize) -> Vec<Range<usize>> {
        if self.ranks.is_alone() {
            return std::iter::once(0..rows).collect();
        }
        self.rows_of::<D>(self.ranks.rank(), schedule, starts)
    }

    fn rows_of<D: Dim>(&self, rank: usize, schedule: &Schedule, starts: &[usize; 4]) -> Vec<Range<usize>> {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for kind in Kind::ALL {
            let (start, components) = (starts[kind as usize], kind.components::<D>());
            for (task, _) in schedule.tasks.iter().zip(&self.rank_of).filter(|&(_, &of)| of as usize == rank) {
                let batches = &task[kind as usize];
                let rows = start + batches.start as usize * components..start + batches.end as usize * components;
                match ranges.last_mut() {
                    Some(last) if last.end == rows.start => last.end = rows.end,
                    _ if rows.is_empty() => {}
                    _ => ranges.push(rows),
                }
            }
        }
        ranges
    }

    /// Sends velocities to where they are needed before a phase, counted in the direction of the sweep, or home after the
    /// last.
    pub fn travel<D: Dim>(&self, phase: usize, backward: bool, lines: &mut [Lanes]) {
        let Some(route) = self.routes[usize::from(backward)].get(phase).filter(|_| !self.ranks.is_alone()) else {
            return;
        };
        if route.send.is_empty() && route.receive.is_empty() {
            return;
        }
        let numbers = D::AXES + D::SPINS;
        let pack = |(rank, bodies): &(usize, Vec<u32>)| {
            let mut parcel = Parcel { rank: *rank, numbers: Vec::with_capacity(bodies.len() * numbers) };
            for &body in bodies {
                let (line, place) = place_of::<D>(body);
                parcel.numbers.extend_from_slice(&lines[line].0[place..place + numbers]);
            }
            parcel
        };
        let send: Vec<Parcel> = route.send.iter().map(pack).collect();
        let empty =
            |(rank, bodies): &(usize, Vec<u32>)| Parcel { rank: *rank, numbers: vec![0.0; bodies.len() * numbers] };
        let mut receive: Vec<Parcel> = route.receive.iter().map(empty).collect();
        self.ranks.swap(&send, &mut receive);
        for ((_, bodies), parcel) in route.receive.iter().zip(&receive) {
            for (&body, motion) in bodies.iter().zip(parcel.numbers.chunks_exact(numbers)) {
                let (line, place) = place_of::<D>(body);
                lines[line].0[place..place + numbers].copy_from_slice(motion);
            }
        }
    }

    /// Gives every rank all velocities and impulses.
    pub fn gather_all<D: Dim>(
        &self,
        schedule: &Schedule,
        starts: &[usize; 4],
        lines: &mut [Lanes],
        impulses: &mut [Lanes],
    ) {
        let whole = lines.len();
        let lines_of: Vec<_> =
            self.homes.iter().map(|home| clamped(lines_of::<D>(home), whole)).map(|own| vec![own]).collect();
        self.gather_rows(&lines_of, lines);
        let rows_of: Vec<_> = (0..self.ranks.size()).map(|rank| self.rows_of::<D>(rank, schedule, starts)).collect();
        self.gather_rows(&rows_of, impulses);
    }

    /// Fills rows that each rank has a part of.
    fn gather_rows(&self, parts: &[Vec<Range<usize>>], rows: &mut [Lanes]) {
        let own: Vec<f64> =
            parts[self.ranks.rank()].iter().flat_map(|part| &rows[part.clone()]).flat_map(|row| row.0).collect();
        let counts: Vec<usize> = parts.iter().map(|parts| parts.iter().map(|part| part.len() * WIDTH).sum()).collect();
        let all = self.ranks.gather(&own, &counts);
        let targets = parts.iter().flatten().flat_map(|part| part.clone());
        for (row, numbers) in targets.zip(all.chunks_exact(WIDTH)) {
            rows[row].0.copy_from_slice(numbers);
        }
    }

    /// The numbers of each task, which the rank that visits it has found, in the order of the tasks.
    pub fn gather_tasks<const N: usize>(&self, own: impl Iterator<Item = [f64; N]>) -> Vec<[f64; N]> {
        let own: Vec<f64> = own.flatten().collect();
        let mut counts = vec![0; self.ranks.size()];
        for &rank in &self.rank_of {
            counts[rank as usize] += N;
        }
        let all = self.ranks.gather(&own, &counts);
        let mut next: Vec<usize> =
            counts.iter().scan(0, |sum, count| Some(std::mem::replace(sum, *sum + count))).collect();
        let of_task = |&rank: &u32| {
            let first = next[rank as usize];
            next[rank as usize] += N;
            std::array::from_fn(|i| all[first + i])
        };
        self.rank_of.iter().map(of_task).collect()
    }

    /// Sums over all contacts: `of_task` are those over the contacts of a task, which are added in the order of the tasks.
    pub fn sum<const N: usize>(&self, schedule: &Schedule, of_task: impl Fn(&Task) -> [f64; N] + Sync) -> [f64; N] {
        let tasks = &schedule.tasks;
        let batches: usize = schedule.batches.iter().map(Vec::len).sum();
        let add = |sum: [f64; N], part: [f64; N]| std::array::from_fn(|i| sum[i] + part[i]);
        let is_alone = self.ranks.is_alone();
        if is_alone && batches <= BATCHES_PER_SUM {
            return tasks.iter().map(of_task).fold([0.0; N], add);
        }
        let at_a_time = (tasks.len() * BATCHES_PER_SUM / batches.max(1)).max(1);
        let found: Vec<[f64; N]> = if is_alone {
            tasks.par_iter().with_min_len(at_a_time).map(&of_task).collect()
        } else {
            let own: Vec<usize> = (0..tasks.len()).filter(|&task| self.visits(task)).collect();
            let own: Vec<_> = own.into_par_iter().with_min_len(at_a_time).map(|task| of_task(&tasks[task])).collect();
            self.gather_tasks(own.into_iter())
        };
        found.into_iter().fold([0.0; N], add)
    }
}

/// Sends the bodies that are elsewhere home.
fn send_home(route: &mut Route, travelled: &[u32], at: &mut [u32], home: &[u32], me: u32) {
    for &body in travelled {
        let (place, home) = (&mut at[body as usize], home[body as usize]);
        if *place != home {
            route.add(body, *place, home, me);
            *place = home;
        }
    }
}

/// The contacts of a task.
fn contacts_of<'a>(schedule: &'a Schedule, task: &'a Task) -> impl Iterator<Item = u32> + 'a {
    let batches = task.iter().zip(&schedule.batches);
    batches
        .flat_map(|(range, of_kind)| of_kind[range.start as usize..range.end as usize].iter().flatten().copied())
        .filter(|&contact| contact != EMPTY)
}

/// The bodies of a task, some of them more than once.
fn bodies_of<'a>(schedule: &'a Schedule, task: &'a Task, contacts: &'a [[u32; 2]]) -> impl Iterator<Item = u32> + 'a {
    contacts_of(schedule, task).flat_map(|contact| contacts[contact as usize]).filter(|&body| body != GROUND)
}

/// A body of a contact in the middle of a task.
fn body_amid(schedule: &Schedule, task: &Task, contacts: &[[u32; 2]]) -> u32 {
    let kind = (0..task.len()).find(|&kind| !task[kind].is_empty()).expect("tasks are not empty");
    let batch = (task[kind].start + task[kind].end) / 2;
    let [a, b] = contacts[schedule.batches[kind][batch as usize][0] as usize];
    a.max(b)
}

/// The line of the slots in which a body is, and where in it.
fn place_of<D: Dim>(body: u32) -> (usize, usize) {
    let first = body as usize * slot_stride(D::AXES);
    (first / WIDTH, first % WIDTH)
}

/// The lines in which bodies are. Blocks begin with a line of their own.
fn lines_of<D: Dim>(bodies: &Range<u32>) -> Range<usize> {
    let line = |body: u32| (body as usize * slot_stride(D::AXES)).div_ceil(WIDTH);
    line(bodies.start)..line(bodies.end)
}

fn clamped(range: Range<usize>, most: usize) -> Range<usize> {
    range.start.min(most)..range.end.min(most)
}
