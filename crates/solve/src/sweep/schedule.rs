//! The visiting order of contacts; it does not depend on the number of threads.
//!
//! It is a function of the problem alone, and so is every bit of the result:
//!
//! ```text
//!   bodies, in spatial order      |— block 0 —|— block 1 —|— block 2 —| …      as many bodies each
//!   phase 0: contacts inside blocks   task 0      task 1      task 2           tasks share no body
//!   phase 1…c: contacts between blocks, coloured: no two of one colour share a body
//!   last phase: what did not fit a colour, one task
//! ```
//!
//! Inside a task, contacts stand in batches of eight of one kind that share no body, so that the vector units can take
//! them at once. The kinds come one after the other; of each kind, contacts that carry an impulse at the start come first, in
//! batches of their own, so that sweeps can leave out the others. Batches are filled within a moving window, which keeps
//! neighbours in space neighbours in time.

use super::lanes::WIDTH;
use crate::problem::GROUND;
use rayon::prelude::*;
use std::ops::Range;

/// Kinds of contacts: each has its own kernel and its own batches.
pub const KINDS: usize = 4;
/// Bodies in a block, at most: large enough that few contacts lie between blocks, small enough that a block's bodies stay
/// in the first or second level of cache.
const LARGEST_BLOCK: u32 = 1024;
/// Bodies in a block, at least: below this most contacts would lie between blocks.
const SMALLEST_BLOCK: u32 = 128;
/// The number of blocks that is enough to keep all threads of a small problem at work.
const ENOUGH_BLOCKS: u32 = 16;
/// Batches that are open at once while contacts are put into batches: fewer leave more lanes empty, more move neighbours in
/// space further apart in time. At most 32, the bits of a mask.
const OPEN_BATCHES: usize = 24;
/// Batches in one task of a colour: some microseconds of work, a few times the cost of claiming a task.
const BATCHES_PER_COLOUR_TASK: u32 = 32;
/// A colour with fewer contacts than this is not worth a phase of its own: its end is a barrier for all threads.
const SMALL_COLOUR: usize = 128;
/// The lane of a batch that holds no contact.
pub const EMPTY: u32 = u32::MAX;

/// Some batches of each kind.
pub type Task = [Range<u32>; KINDS];

/// The phases of a sweep, each a set of tasks that share no body. What it is made in lives on from problem to problem, so
/// that making it again allocates nothing; the order follows from the present problem alone.
#[derive(Default)]
pub struct Schedule {
    /// All tasks, phase by phase.
    pub tasks: Vec<Task>,
    /// Where the tasks of each phase end.
    pub ends: Vec<usize>,
    /// Where they end if all tasks are numbered from the last to the first.
    pub backward_ends: Vec<usize>,
    /// For each kind, the contact in each lane of each batch, or [`EMPTY`].
    pub batches: [Vec<[u32; WIDTH]>; KINDS],
    /// Bodies in a block.
    pub block_size: u32,
    /// How many of the tasks are inside blocks.
    pub inside_blocks: usize,
    blocks: Vec<Filling>,
    between: Vec<u32>,
    colours: Vec<Vec<u32>>,
    /// The colours of the contacts of each body, as bits.
    used: Vec<u64>,
    /// What did not fit a colour.
    uncoloured: Filling,
    sorted: Vec<u32>,
}

/// Batches of each kind in the making.
#[derive(Default)]
struct Filling {
    /// The contacts to be put into batches.
    contacts: Vec<u32>,
    batches: [Vec<[u32; WIDTH]>; KINDS],
    /// Those of one sort, where there are several.
    of_sort: Vec<u32>,
    /// For each body, which open batches hold it: nothing before and after.
    held: Vec<u32>,
}

impl Schedule {
    /// Makes the schedule for contacts of these sorts (see [`sort_of`]) between these bodies.
    pub fn make(&mut self, contacts: &[[u32; 2]], sorts: &[u8], bodies: usize) {
        self.clear();
        let size = (bodies as u32 / ENOUGH_BLOCKS).next_power_of_two().clamp(SMALLEST_BLOCK, LARGEST_BLOCK);
        let blocks = bodies.div_ceil(size as usize).max(1);
        self.blocks.resize_with(blocks, Filling::default);
        self.block_size = size;
        let shift = size.trailing_zeros();
        for (index, &[a, b]) in contacts.iter().enumerate() {
            let (first, second) = (a >> shift, b >> shift);
            if a != GROUND && b != GROUND && first != second {
                self.between.push(index as u32);
            } else {
                // The ground is in the first block, and no body before it.
                self.blocks[first.max(second) as usize].contacts.push(index as u32);
            }
        }

        self.blocks
            .par_iter_mut()
            .enumerate()
            .for_each(|(block, filling)| filling.fill(contacts, sorts, block as u32 * size, size as usize));
        for filling in &self.blocks {
            append(&mut self.tasks, &mut self.batches, &filling.batches);
        }
        self.inside_blocks = self.tasks.len();
        self.end_phase();

        self.colour(contacts, bodies);
        for colour in 0..self.colours.len() {
            if self.colours[colour].len() >= SMALL_COLOUR {
                self.append_colour(colour, sorts);
            } else {
                self.uncoloured.contacts.extend(&self.colours[colour]);
            }
        }
        if !self.uncoloured.contacts.is_empty() {
            self.uncoloured.contacts.sort_unstable();
            self.uncoloured.fill(contacts, sorts, 0, bodies);
            append(&mut self.tasks, &mut self.batches, &self.uncoloured.batches);
            self.end_phase();
        }
        let count = self.tasks.len();
        self.backward_ends.extend(self.ends.iter().rev().skip(1).map(|end| count - end).chain([count]));
        debug_assert!(self.shares_no_body(contacts, bodies));
    }

    /// True if the contacts of a batch, and the tasks of a phase, have no body in common but the ground, which is never written:
    /// what makes it sound that threads write bodies without asking each other.
    fn shares_no_body(&self, contacts: &[[u32; 2]], bodies: usize) -> bool {
        // The last batch and the last task of each body, counted from 1, and the phase of that task.
        let (mut last_batch, mut last_task) = (vec![0; bodies], vec![(0, 0); bodies]);
        let mut batches = 0;
        let phase_of = |task: usize| self.ends.partition_point(|&end| end <= task) + 1;
        self.tasks.iter().enumerate().all(|(task, ranges)| {
            let phase = phase_of(task);
            ranges.iter().zip(&self.batches).all(|(range, of_kind)| {
                of_kind[range.start as usize..range.end as usize].iter().all(|batch| {
                    batches += 1;
                    let held = batch.iter().filter(|&&contact| contact != EMPTY);
                    // A body may touch its own image.
                    let bodies_of = |[a, b]: [u32; 2]| [a, if a == b { GROUND } else { b }];
                    let bodies = held.flat_map(|&contact| bodies_of(contacts[contact as usize]));
                    bodies.filter(|&body| body != GROUND).all(|body| {
                        let body = body as usize;
                        let batch_before = std::mem::replace(&mut last_batch[body], batches);
                        let (phase_before, task_before) = std::mem::replace(&mut last_task[body], (phase, task));
                        batch_before != batches && (phase_before != phase || task_before == task)
                    })
                })
            })
        })
    }

    fn clear(&mut self) {
        self.tasks.clear();
        self.ends.clear();
        self.backward_ends.clear();
        self.between.clear();
        self.colours.iter_mut().for_each(Vec::clear);
        for filling in self.blocks.iter_mut().chain([&mut self.uncoloured]) {
            filling.contacts.clear();
        }
        self.batches.iter_mut().for_each(Vec::clear);
    }

    /// How many contacts are inside each block.
    pub fn contacts_in_blocks(&self) -> impl Iterator<Item = usize> + '_ {
        self.blocks.iter().map(|block| block.contacts.len())
    }

    /// The tasks of a phase.
    pub fn tasks_of(&self, phase: usize) -> Range<usize> {
        phase.checked_sub(1).map_or(0, |last| self.ends[last])..self.ends[phase]
    }

    /// Where each contact is: `batch * WIDTH + lane`, among the batches of its kind.
    pub fn places(&self, contacts: usize, places: &mut Vec<u32>) {
        places.clear();
        places.resize(contacts, EMPTY);
        for batches in &self.batches {
            for (batch, lanes) in batches.iter().enumerate() {
                for (lane, &contact) in lanes.iter().enumerate() {
                    if contact != EMPTY {
                        places[contact as usize] = (batch * WIDTH + lane) as u32;
                    }
                }
            }
        }
    }

    /// Colours the contacts between blocks so that no two of one colour share a body.
    fn colour(&mut self, contacts: &[[u32; 2]], bodies: usize) {
        self.used.clear();
        self.used.resize(bodies, 0);
        for &contact in &self.between {
            let [a, b] = contacts[contact as usize].map(|body| body as usize);
            let colour = (!(self.used[a] | self.used[b])).trailing_zeros() as usize;
            if colour == 64 {
                self.uncoloured.contacts.push(contact);
                continue;
            }
            self.used[a] |= 1 << colour;
            self.used[b] |= 1 << colour;
            if self.colours.len() <= colour {
                self.colours.resize_with(colour + 1, Vec::new);
            }
            self.colours[colour].push(contact);
        }
    }

    /// Adds a phase for the contacts of a colour, sort by sort.
    fn append_colour(&mut self, colour: usize, sorts: &[u8]) {
        for sort in 0..2 * KINDS as u8 {
            let of_sort = self.colours[colour].iter().copied().filter(|&contact| sorts[contact as usize] == sort);
            self.sorted.clear();
            self.sorted.extend(of_sort);
            for chunk in self.sorted.chunks(BATCHES_PER_COLOUR_TASK as usize * WIDTH) {
                let mut task = self.batches.each_ref().map(|batches| batches.len() as u32..batches.len() as u32);
                let batches = &mut self.batches[kind_of(sort)];
                batches.extend(chunk.chunks(WIDTH).map(batch_of));
                task[kind_of(sort)].end = batches.len() as u32;
                self.tasks.push(task);
            }
        }
        self.end_phase();
    }

    fn end_phase(&mut self) {
        if self.tasks.len() > self.ends.last().copied().unwrap_or(0) {
            self.ends.push(self.tasks.len());
        }
    }
}

/// The sort of a contact, of which only equal ones share a batch: its kind, and whether it carries something at the start.
pub fn sort_of(kind: u8, carries: bool) -> u8 {
    2 * kind + u8::from(!carries)
}

fn kind_of(sort: u8) -> usize {
    usize::from(sort / 2)
}

/// Adds batches as a task, unless there are none.
fn append(tasks: &mut Vec<Task>, all: &mut [Vec<[u32; WIDTH]>; KINDS], batches: &[Vec<[u32; WIDTH]>; KINDS]) {
    if batches.iter().all(Vec::is_empty) {
        return;
    }
    let mut task = Task::default();
    for kind in 0..KINDS {
        let start = all[kind].len() as u32;
        all[kind].extend_from_slice(&batches[kind]);
        task[kind] = start..all[kind].len() as u32;
    }
    tasks.push(task);
}

fn batch_of(contacts: &[u32]) -> [u32; WIDTH] {
    std::array::from_fn(|lane| contacts.get(lane).copied().unwrap_or(EMPTY))
}

impl Filling {
    /// Puts the contacts into batches, sort by sort. Their bodies are the ground and `bodies` bodies from the first on.
    fn fill(&mut self, contacts: &[[u32; 2]], sorts: &[u8], first_body: u32, bodies: usize) {
        self.batches.iter_mut().for_each(Vec::clear);
        self.held.resize(bodies, 0);
        let present = self.contacts.iter().fold(0u32, |present, &contact| present | 1 << sorts[contact as usize]);
        for sort in (0..2 * KINDS as u8).filter(|sort| present & 1 << sort != 0) {
            let closed = &mut self.batches[kind_of(sort)];
            if present == 1 << sort {
                fill_batches(&self.contacts, contacts, first_body, &mut self.held, closed);
            } else {
                self.of_sort.clear();
                self.of_sort.extend(self.contacts.iter().copied().filter(|&contact| sorts[contact as usize] == sort));
                fill_batches(&self.of_sort, contacts, first_body, &mut self.held, closed);
            }
        }
    }
}

/// Puts contacts into batches of independent ones: each goes into the first open batch that has none of its bodies;
/// where there is none, the fullest batch is closed.
fn fill_batches(
    list: &[u32],
    contacts: &[[u32; 2]],
    first_body: u32,
    held: &mut [u32],
    closed: &mut Vec<[u32; WIDTH]>,
) {
    let mut open = [[EMPTY; WIDTH]; OPEN_BATCHES];
    let mut counts = [0; OPEN_BATCHES];
    let place = |body: u32| body.wrapping_sub(first_body) as usize;
    let mut close = |batch: &mut [u32; WIDTH], count: &mut usize, bit: u32, held: &mut [u32]| {
        for body in batch[..*count].iter().flat_map(|&contact| contacts[contact as usize]) {
            if body != GROUND {
                held[place(body)] &= !bit;
            }
        }
        closed.push(std::mem::replace(batch, [EMPTY; WIDTH]));
        *count = 0;
    };
    for &contact in list {
        let pair = contacts[contact as usize];
        let of_body = |body: u32, held: &[u32]| if body == GROUND { 0 } else { held[place(body)] };
        let taken = of_body(pair[0], held) | of_body(pair[1], held);
        let mut choice = (!taken).trailing_zeros() as usize;
        if choice >= OPEN_BATCHES {
            choice = (0..OPEN_BATCHES).max_by_key(|&batch| counts[batch]).unwrap_or(0);
            close(&mut open[choice], &mut counts[choice], 1 << choice, held);
        }
        open[choice][counts[choice]] = contact;
        counts[choice] += 1;
        for body in pair {
            if body != GROUND {
                held[place(body)] |= 1 << choice;
            }
        }
        if counts[choice] == WIDTH {
            close(&mut open[choice], &mut counts[choice], 1 << choice, held);
        }
    }
    for batch in 0..OPEN_BATCHES {
        if counts[batch] > 0 {
            close(&mut open[batch], &mut counts[batch], 1 << batch, held);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// A random graph with some ground contacts and one body that touches very many.
    fn graph(bodies: u32, contacts: usize) -> Vec<[u32; 2]> {
        let mut state = 12345u64;
        let mut next = |n: u32| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((state >> 33) % u64::from(n)) as u32
        };
        (0..contacts)
            .map(|i| {
                let a = 1 + next(bodies - 1);
                let near = (a + 1 + next(40)).min(bodies - 1);
                let b = match i % 50 {
                    0 => GROUND,
                    1 => 7,
                    _ => near,
                };
                if a == b { [GROUND, a] } else { [a, b] }
            })
            .collect()
    }

    #[test]
    fn every_contact_has_one_place_and_no_task_of_a_phase_shares_a_body() {
        // One schedule is made again and again, from large to small and back: nothing of the last may be left.
        let mut schedule = Schedule::default();
        for (bodies, count) in [(50, 100), (9000, 30000), (1000, 3000), (9000, 30000)] {
            let contacts = graph(bodies, count);
            let kinds: Vec<u8> = (0..count).map(|i| [0, 0, 0, 1, 2, 2, 3][i % 7]).collect();
            let carrying: Vec<bool> = (0..count).map(|i| i % 5 < 3).collect();
            let sorts: Vec<u8> = kinds.iter().zip(&carrying).map(|(&kind, &carries)| sort_of(kind, carries)).collect();
            schedule.make(&contacts, &sorts, bodies as usize);
            let mut seen: Vec<u32> =
                schedule.batches.iter().flatten().flatten().copied().filter(|&c| c != EMPTY).collect();
            seen.sort_unstable();
            assert_eq!(seen, (0..count as u32).collect::<Vec<_>>());
            let mut places = Vec::new();
            schedule.places(count, &mut places);
            assert!(places.iter().all(|&place| place != EMPTY));

            for batch in schedule.batches.iter().flatten() {
                let sorts: HashSet<bool> =
                    batch.iter().filter(|&&c| c != EMPTY).map(|&c| carrying[c as usize]).collect();
                assert_eq!(sorts.len(), 1, "a batch mixes what carries with what does not");
            }
            let bodies_of = |kind: usize, batch: u32| {
                schedule.batches[kind][batch as usize]
                    .iter()
                    .filter(|&&c| c != EMPTY)
                    .inspect(|&&c| assert_eq!(kinds[c as usize] as usize, kind))
                    .flat_map(|&c| contacts[c as usize])
                    .filter(|&body| body != GROUND)
                    .collect::<Vec<_>>()
            };
            let mut next_batch = [0; KINDS];
            let mut start = 0;
            for &end in &schedule.ends {
                let mut of_phase = HashSet::new();
                for task in &schedule.tasks[start..end] {
                    let mut of_task = HashSet::new();
                    for (kind, range) in task.iter().enumerate() {
                        assert_eq!(range.start, next_batch[kind]);
                        next_batch[kind] = range.end;
                        for batch in range.clone() {
                            let list = bodies_of(kind, batch);
                            let set: HashSet<u32> = list.iter().copied().collect();
                            assert_eq!(set.len(), list.len(), "a batch shares a body");
                            of_task.extend(set);
                        }
                    }
                    assert!(of_phase.is_disjoint(&of_task), "two tasks of a phase share a body");
                    of_phase.extend(of_task);
                }
                start = end;
            }
            assert_eq!(start, schedule.tasks.len());
            for kind in 0..KINDS {
                assert_eq!(next_batch[kind] as usize, schedule.batches[kind].len());
            }
            // The check of debug builds agrees, and finds a contact that is also in another task.
            assert!(schedule.shares_no_body(&contacts, bodies as usize));
            if schedule.ends[0] > 1 {
                let stranger = schedule.batches[0][schedule.tasks[1][0].start as usize][0];
                schedule.batches[0][schedule.tasks[0][0].start as usize][0] = stranger;
                assert!(!schedule.shares_no_body(&contacts, bodies as usize));
            }
        }
    }
}
