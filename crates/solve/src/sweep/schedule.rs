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

/// The phases of a sweep, each a set of tasks that share no body.
#[derive(Clone, Debug, Default)]
pub struct Schedule {
    /// All tasks, phase by phase.
    pub tasks: Vec<Task>,
    /// Where the tasks of each phase end.
    pub ends: Vec<usize>,
    /// For each kind, the contact in each lane of each batch, or [`EMPTY`].
    pub batches: [Vec<[u32; WIDTH]>; KINDS],
}

impl Schedule {
    /// The schedule for contacts of these kinds between these bodies, of which some carry something at the start.
    pub fn new(contacts: &[[u32; 2]], kinds: &[u8], carrying: &[bool], bodies: usize) -> Schedule {
        let sorts = Sorts { kinds, carrying };
        let mut schedule = Schedule::default();
        let size = (bodies as u32 / ENOUGH_BLOCKS).next_power_of_two().clamp(SMALLEST_BLOCK, LARGEST_BLOCK);
        let blocks = bodies.div_ceil(size as usize).max(1);
        let mut inside = vec![Vec::new(); blocks];
        let mut between = Vec::new();
        for (index, pair) in contacts.iter().enumerate() {
            let index = index as u32;
            match pair.map(|body| (body != GROUND).then_some((body / size) as usize)) {
                [Some(a), Some(b)] if a != b => between.push(index),
                [Some(a), _] | [None, Some(a)] => inside[a].push(index),
                [None, None] => inside[0].push(index),
            }
        }

        let filled: Vec<[Vec<[u32; WIDTH]>; KINDS]> = inside
            .par_iter()
            .enumerate()
            .map(|(block, list)| fill_kinds(list, contacts, sorts, block as u32 * size, size as usize))
            .collect();
        for batches in filled {
            schedule.append(batches);
        }
        schedule.end_phase();

        let (colours, uncoloured) = colour(&between, contacts, bodies);
        for list in colours {
            for kind in 0..KINDS {
                let sorted = sorts.of(kind, &list);
                for chunk in sorted.iter().flat_map(|list| list.chunks(BATCHES_PER_COLOUR_TASK as usize * WIDTH)) {
                    let mut batches: [Vec<[u32; WIDTH]>; KINDS] = Default::default();
                    batches[kind] = chunk.chunks(WIDTH).map(batch_of).collect();
                    schedule.append(batches);
                }
            }
            schedule.end_phase();
        }
        if !uncoloured.is_empty() {
            schedule.append(fill_kinds(&uncoloured, contacts, sorts, 0, bodies));
            schedule.end_phase();
        }
        schedule
    }

    /// Where each contact is: `batch * WIDTH + lane`, among the batches of its kind.
    pub fn places(&self, contacts: usize) -> Vec<u32> {
        let mut places = vec![EMPTY; contacts];
        for batches in &self.batches {
            for (batch, lanes) in batches.iter().enumerate() {
                for (lane, &contact) in lanes.iter().enumerate() {
                    if contact != EMPTY {
                        places[contact as usize] = (batch * WIDTH + lane) as u32;
                    }
                }
            }
        }
        places
    }

    /// Adds a task to the phase, unless it has nothing to do.
    fn append(&mut self, batches: [Vec<[u32; WIDTH]>; KINDS]) {
        if batches.iter().all(Vec::is_empty) {
            return;
        }
        let mut task = Task::default();
        for (kind, batches) in batches.into_iter().enumerate() {
            let start = self.batches[kind].len() as u32;
            self.batches[kind].extend(batches);
            task[kind] = start..self.batches[kind].len() as u32;
        }
        self.tasks.push(task);
    }

    fn end_phase(&mut self) {
        if self.tasks.len() > self.ends.last().copied().unwrap_or(0) {
            self.ends.push(self.tasks.len());
        }
    }
}

/// What distinguishes contacts that do not share a batch.
#[derive(Clone, Copy)]
struct Sorts<'a> {
    kinds: &'a [u8],
    carrying: &'a [bool],
}

impl Sorts<'_> {
    /// Those of a kind: the ones that carry something, and the others.
    fn of(self, kind: usize, list: &[u32]) -> [Vec<u32>; 2] {
        [true, false].map(|carries| {
            let is_one = |&i: &u32| self.kinds[i as usize] as usize == kind && self.carrying[i as usize] == carries;
            list.iter().copied().filter(is_one).collect()
        })
    }
}

/// The contacts of each kind in batches.
fn fill_kinds(
    list: &[u32],
    contacts: &[[u32; 2]],
    sorts: Sorts<'_>,
    first_body: u32,
    bodies: usize,
) -> [Vec<[u32; WIDTH]>; KINDS] {
    std::array::from_fn(|kind| {
        let fill = |list: &Vec<u32>| fill_batches(list, contacts, first_body, bodies);
        sorts.of(kind, list).iter().filter(|list| !list.is_empty()).flat_map(fill).collect()
    })
}

fn batch_of(contacts: &[u32]) -> [u32; WIDTH] {
    std::array::from_fn(|lane| contacts.get(lane).copied().unwrap_or(EMPTY))
}

/// Puts contacts into batches of independent ones: each goes into the first open batch that has none of its bodies;
/// where there is none, the fullest batch is closed.
fn fill_batches(list: &[u32], contacts: &[[u32; 2]], first_body: u32, bodies: usize) -> Vec<[u32; WIDTH]> {
    let mut closed = Vec::with_capacity(list.len() / WIDTH + OPEN_BATCHES);
    let mut open: Vec<Vec<u32>> = vec![Vec::new(); OPEN_BATCHES];
    // For each body, which open batches hold it.
    let mut held = vec![0u32; bodies];
    let slot = |body: u32| (body != GROUND).then(|| (body - first_body) as usize);
    let close = |batch: &mut Vec<u32>, bit: u32, held: &mut [u32], closed: &mut Vec<[u32; WIDTH]>| {
        for &contact in batch.iter() {
            for body in contacts[contact as usize].into_iter().filter_map(slot) {
                held[body] &= !bit;
            }
        }
        closed.push(batch_of(batch));
        batch.clear();
    };
    for &contact in list {
        let pair = contacts[contact as usize];
        let taken = pair.into_iter().filter_map(slot).fold(0, |mask, body| mask | held[body]);
        let mut choice = (!taken).trailing_zeros() as usize;
        if choice >= OPEN_BATCHES {
            choice = (0..OPEN_BATCHES).max_by_key(|&i| open[i].len()).unwrap_or(0);
            close(&mut open[choice], 1 << choice, &mut held, &mut closed);
        }
        open[choice].push(contact);
        for body in pair.into_iter().filter_map(slot) {
            held[body] |= 1 << choice;
        }
        if open[choice].len() == WIDTH {
            close(&mut open[choice], 1 << choice, &mut held, &mut closed);
        }
    }
    closed.extend(open.iter().filter(|batch| !batch.is_empty()).map(|batch| batch_of(batch)));
    closed
}

/// Colours contacts so that no two of one colour share a body; returns the colours that are worth a phase, and the other
/// contacts.
fn colour(list: &[u32], contacts: &[[u32; 2]], bodies: usize) -> (Vec<Vec<u32>>, Vec<u32>) {
    let mut used = vec![0u64; bodies];
    let mut colours: Vec<Vec<u32>> = Vec::new();
    let mut uncoloured = Vec::new();
    for &contact in list {
        let [a, b] = contacts[contact as usize].map(|body| body as usize);
        let colour = (!(used[a] | used[b])).trailing_zeros() as usize;
        if colour == 64 {
            uncoloured.push(contact);
            continue;
        }
        used[a] |= 1 << colour;
        used[b] |= 1 << colour;
        if colours.len() <= colour {
            colours.resize_with(colour + 1, Vec::new);
        }
        colours[colour].push(contact);
    }
    let (large, small): (Vec<_>, Vec<_>) = colours.into_iter().partition(|list| list.len() >= SMALL_COLOUR);
    uncoloured.extend(small.into_iter().flatten());
    uncoloured.sort_unstable();
    (large, uncoloured)
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
        for (bodies, count) in [(50, 100), (1000, 3000), (9000, 30000)] {
            let contacts = graph(bodies, count);
            let kinds: Vec<u8> = (0..count).map(|i| [0, 0, 0, 1, 2, 2, 3][i % 7]).collect();
            let carrying: Vec<bool> = (0..count).map(|i| i % 5 < 3).collect();
            let schedule = Schedule::new(&contacts, &kinds, &carrying, bodies as usize);
            let mut seen: Vec<u32> =
                schedule.batches.iter().flatten().flatten().copied().filter(|&c| c != EMPTY).collect();
            seen.sort_unstable();
            assert_eq!(seen, (0..count as u32).collect::<Vec<_>>());
            assert!(schedule.places(count).iter().all(|&place| place != EMPTY));

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
        }
    }
}
