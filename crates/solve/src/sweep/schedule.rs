//! In which order the ball contacts are visited, on how many threads it may be.
//!
//! The order depends on the problem alone, never on the number of threads, and so does every bit of the result:
//!
//! ```text
//!   bodies, in spatial order      |— block 0 —|— block 1 —|— block 2 —| …      BLOCK bodies each
//!   phase 0: contacts inside blocks   task 0      task 1      task 2           tasks share no body
//!   phase 1…c: contacts between blocks, coloured: no two of one colour share a body
//!   last phase: what did not fit a colour, one task
//! ```
//!
//! Inside a task, contacts stand in batches of eight that share no body, so that the vector units can take them at
//! once. Batches are filled within a moving window, which keeps neighbours in space neighbours in time.

use super::lanes::WIDTH;
use crate::problem::GROUND;
use rayon::prelude::*;
use std::ops::Range;

/// Bodies in a block: large enough that few contacts lie between blocks, small enough that a block's bodies stay in
/// the first or second level of cache.
const BLOCK: u32 = 1024;
/// Batches that are open at once while contacts are put into batches.
const WINDOW: usize = 24;
/// Batches in one task of a colour.
const TASK: u32 = 64;
/// A colour with fewer contacts than this is not worth a phase of its own.
const SMALL_COLOUR: usize = 256;
/// The lane of a batch that holds no contact.
pub const EMPTY: u32 = u32::MAX;

/// The phases of a sweep, each a set of tasks that share no body; a task is a range of batches.
#[derive(Clone, Debug, Default)]
pub struct Schedule {
    /// Tasks by phase.
    pub phases: Vec<Vec<Range<u32>>>,
    /// The contact in each lane of each batch, or [`EMPTY`].
    pub batches: Vec<[u32; WIDTH]>,
}

impl Schedule {
    /// The schedule for contacts between these bodies.
    pub fn new(contacts: &[[u32; 2]], bodies: usize) -> Schedule {
        let mut schedule = Schedule::default();
        let blocks = bodies.div_ceil(BLOCK as usize).max(1);
        let mut inside = vec![Vec::new(); blocks];
        let mut between = Vec::new();
        for (index, pair) in contacts.iter().enumerate() {
            let index = index as u32;
            match pair.map(|body| (body != GROUND).then_some((body / BLOCK) as usize)) {
                [Some(a), Some(b)] if a != b => between.push(index),
                [Some(a), _] | [None, Some(a)] => inside[a].push(index),
                [None, None] => inside[0].push(index),
            }
        }

        let filled: Vec<Vec<[u32; WIDTH]>> = inside
            .par_iter()
            .enumerate()
            .map(|(block, list)| fill_batches(list, contacts, block as u32 * BLOCK, BLOCK as usize))
            .collect();
        let tasks =
            filled.into_iter().map(|batches| schedule.append(batches)).filter(|task| !task.is_empty()).collect();
        schedule.phases.push(tasks);

        let (colours, rest) = colour(&between, contacts, bodies);
        for list in colours {
            let batches = list.chunks(WIDTH).map(batch_of).collect();
            let all = schedule.append(batches);
            let tasks = (all.start..all.end).step_by(TASK as usize).map(|start| start..(start + TASK).min(all.end));
            schedule.phases.push(tasks.collect());
        }
        if !rest.is_empty() {
            let task = schedule.append(fill_batches(&rest, contacts, 0, bodies));
            schedule.phases.push(vec![task]);
        }
        schedule
    }

    /// Where each contact is: `batch * WIDTH + lane`.
    pub fn places(&self, contacts: usize) -> Vec<u32> {
        let mut places = vec![EMPTY; contacts];
        for (batch, lanes) in self.batches.iter().enumerate() {
            for (lane, &contact) in lanes.iter().enumerate() {
                if contact != EMPTY {
                    places[contact as usize] = (batch * WIDTH + lane) as u32;
                }
            }
        }
        places
    }

    fn append(&mut self, batches: Vec<[u32; WIDTH]>) -> Range<u32> {
        let start = self.batches.len() as u32;
        self.batches.extend(batches);
        start..self.batches.len() as u32
    }
}

fn batch_of(contacts: &[u32]) -> [u32; WIDTH] {
    std::array::from_fn(|lane| contacts.get(lane).copied().unwrap_or(EMPTY))
}

/// Puts contacts into batches of independent ones: each goes into the first open batch that has none of its bodies;
/// where there is none, the fullest batch is closed.
fn fill_batches(list: &[u32], contacts: &[[u32; 2]], first_body: u32, bodies: usize) -> Vec<[u32; WIDTH]> {
    let mut closed = Vec::with_capacity(list.len() / WIDTH + WINDOW);
    let mut open: Vec<Vec<u32>> = vec![Vec::new(); WINDOW];
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
        if choice >= WINDOW {
            choice = (0..WINDOW).max_by_key(|&i| open[i].len()).unwrap_or(0);
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

/// Colours contacts so that no two of one colour share a body; returns the colours that are worth a phase, and the rest.
fn colour(list: &[u32], contacts: &[[u32; 2]], bodies: usize) -> (Vec<Vec<u32>>, Vec<u32>) {
    let mut used = vec![0u64; bodies];
    let mut colours: Vec<Vec<u32>> = Vec::new();
    let mut rest = Vec::new();
    for &contact in list {
        let [a, b] = contacts[contact as usize].map(|body| body as usize);
        let colour = (!(used[a] | used[b])).trailing_zeros() as usize;
        if colour == 64 {
            rest.push(contact);
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
    rest.extend(small.into_iter().flatten());
    rest.sort_unstable();
    (large, rest)
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
            let schedule = Schedule::new(&contacts, bodies as usize);
            let mut seen: Vec<u32> = schedule.batches.iter().flatten().copied().filter(|&c| c != EMPTY).collect();
            seen.sort_unstable();
            assert_eq!(seen, (0..count as u32).collect::<Vec<_>>());
            assert!(schedule.places(count).iter().all(|&place| place != EMPTY));

            let bodies_of = |batch: u32| {
                schedule.batches[batch as usize]
                    .iter()
                    .filter(|&&c| c != EMPTY)
                    .flat_map(|&c| contacts[c as usize])
                    .filter(|&body| body != GROUND)
                    .collect::<Vec<_>>()
            };
            let mut next_batch = 0;
            for phase in &schedule.phases {
                let mut of_phase = HashSet::new();
                for task in phase {
                    assert_eq!(task.start, next_batch);
                    next_batch = task.end;
                    let mut of_task = HashSet::new();
                    for batch in task.clone() {
                        let list = bodies_of(batch);
                        let set: HashSet<u32> = list.iter().copied().collect();
                        assert_eq!(set.len(), list.len(), "a batch shares a body");
                        of_task.extend(set);
                    }
                    assert!(of_phase.is_disjoint(&of_task), "two tasks of a phase share a body");
                    of_phase.extend(of_task);
                }
            }
            assert_eq!(next_batch as usize, schedule.batches.len());
        }
    }
}
