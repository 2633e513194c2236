//! The contacts of the step, and their warm start: those that existed in the last step start from its impulses.

use crate::contact::{Contact, ContactExtras, Status};
use crate::detect::{Geometry, Pair};
use crate::work::{RejectedImpulse, Work};
use crate::world::World;
use rayon::prelude::*;
use riprap_solve::{Dim, Vector};
use std::mem::take;

/// A new contact point starts from the impulse of the nearest one that has gone, if that was within this fraction of the
/// smaller radius.
const SAME_PLACE: f64 = 0.2;

/// The contacts of a step in the making, in the memory of an earlier one.
pub(super) struct Making<D: Dim> {
    contacts: Vec<Contact<D>>,
    /// Empty where contacts have no torques.
    extras: Vec<ContactExtras<D>>,
    pair_of: Vec<u32>,
    last_status: Vec<Option<Status>>,
    /// Empty where contacts are rigid.
    last_impulse: Vec<D::Vector>,
    /// How many there are; what comes after these in the lists is of the earlier step.
    count: usize,
    have_torques: bool,
    are_compliant: bool,
    /// The length of the step over that of the last one.
    lengthened: f64,
}

impl<D: Dim> Making<D> {
    /// Puts them into the step.
    pub fn end(mut self, step: &mut Work<D>) {
        self.contacts.truncate(self.count);
        self.pair_of.truncate(self.count);
        self.last_status.truncate(self.count);
        let Making { contacts, extras, pair_of, last_status, last_impulse, .. } = self;
        (step.contacts, step.extras, step.pair_of) = (contacts, extras, pair_of);
        (step.last_status, step.last_impulse) = (last_status, last_impulse);
    }
}

impl<D: Dim> World<D> {
    /// No contacts yet.
    pub(super) fn begin_contacts(&self, step: &mut Work<D>) -> Making<D> {
        let Work { contacts, extras, pair_of, last_status, last_impulse, rejected, .. } = step;
        extras.clear();
        last_impulse.clear();
        Making {
            contacts: take(contacts),
            extras: take(extras),
            pair_of: take(pair_of),
            last_status: take(last_status),
            last_impulse: take(last_impulse),
            count: 0,
            have_torques: !self.state.extras.is_empty() || rejected.iter().any(|one| one.torque != D::Spin::ZERO),
            are_compliant: self.settings.stiffness.is_some(),
            lengthened: step.lengthened,
        }
    }

    /// Makes the next contacts, at these points, each with the impulse and memory that it has from the last step.
    pub(super) fn recall_impulses(
        &self,
        found: &[Vec<(u32, Geometry<D>)>],
        rejected: &[RejectedImpulse<D>],
        making: &mut Making<D>,
    ) {
        let (start, lengthened) = (making.count, making.lengthened);
        making.count += found.iter().map(Vec::len).sum::<usize>();
        let count = making.count;
        let mut contacts = places(&mut making.contacts, start, count, true);
        let mut extras = places(&mut making.extras, start, count, making.have_torques);
        let mut pair_of = places(&mut making.pair_of, start, count, true);
        let mut last_status = places(&mut making.last_status, start, count, true);
        let mut last_impulse = places(&mut making.last_impulse, start, count, making.are_compliant);
        // One task for the points that one task found.
        let mut tasks = Vec::with_capacity(found.len());
        for found in found {
            tasks.push(Recall {
                found,
                contacts: take_first(&mut contacts, found.len()),
                extras: take_first(&mut extras, found.len()),
                pair_of: take_first(&mut pair_of, found.len()),
                last_status: take_first(&mut last_status, found.len()),
                last_impulse: take_first(&mut last_impulse, found.len()),
            });
        }
        tasks.into_par_iter().for_each(|task| self.recall(task, lengthened, rejected));
    }

    /// The contacts of one task. Those of the last step are in the order of the same list: both are walked together, pair by
    /// pair. Forces last: the impulses of a step that is `lengthened` times as long are larger by as much. A step that is solved
    /// again starts from the impulses of the rejected solve.
    fn recall(&self, task: Recall<'_, D>, lengthened: f64, rejected: &[RejectedImpulse<D>]) {
        let (last, last_pair) = (&self.state.contacts, &self.cache.pair_of);
        let Some(&(first, _)) = task.found.first() else { return };
        let mut from = last_pair.partition_point(|&of| of < first);
        let mut rejected_from = rejected.partition_point(|rejected| rejected.pair < first);
        let mut index = 0;
        for group in task.found.chunk_by(|(a, _), (b, _)| a == b) {
            let pair = group[0].0;
            while last_pair.get(from).is_some_and(|&of| of < pair) {
                from += 1;
            }
            let known = last_pair[from..].iter().take_while(|&&of| of == pair).count();
            let known = from..from + known;
            while rejected.get(rejected_from).is_some_and(|rejected| rejected.pair < pair) {
                rejected_from += 1;
            }
            let Pair { bodies, offset } = self.cache.pairs.pairs[pair as usize];
            for (_, geometry) in group {
                let kept =
                    self.same_contact(bodies, geometry, group, &last[known.clone()]).map(|place| known.start + place);
                let mut contact = Contact::new(bodies, offset, geometry);
                let mut torque = D::Spin::ZERO;
                if let Some(kept) = kept {
                    contact.impulse = last[kept].impulse * lengthened;
                    contact.bonded = last[kept].bonded;
                    torque = self.state.extras_of(kept).torque * lengthened;
                }
                let mut rejected = rejected[rejected_from..].iter().take_while(|rejected| rejected.pair == pair);
                if let Some(rejected) = rejected.find(|rejected| rejected.feature == contact.feature) {
                    (contact.impulse, torque) = (rejected.impulse, rejected.torque);
                }
                task.contacts[index] = contact;
                task.pair_of[index] = pair;
                task.last_status[index] = kept.map(|kept| last[kept].status);
                if let Some(extras) = task.extras.get_mut(index) {
                    extras.torque = torque;
                }
                if let (Some(impulse), Some(kept)) = (task.last_impulse.get_mut(index), kept) {
                    *impulse = last[kept].impulse * lengthened;
                }
                index += 1;
            }
        }
    }

    /// Which contact of the last step (`known`) one at this point of a pair continues: that of the same feature, or a near one
    /// whose feature no point of the pair has now (`group`), since corners and edges that slide over each other change
    /// features.
    fn same_contact(
        &self,
        bodies: [u32; 2],
        point: &Geometry<D>,
        group: &[(u32, Geometry<D>)],
        known: &[Contact<D>],
    ) -> Option<usize> {
        let named = known.iter().position(|kept| kept.feature == point.feature);
        if named.is_some() || group.len() + known.len() <= 2 {
            return named;
        }
        let distance = |kept: usize| (known[kept].point - point.point).length();
        (0..known.len())
            .filter(|&kept| group.iter().all(|(_, other)| other.feature != known[kept].feature))
            .filter(|&kept| distance(kept) < SAME_PLACE * self.smaller_radius(bodies))
            .min_by(|&a, &b| distance(a).total_cmp(&distance(b)))
    }
}

/// The points that one task found, and what is to be known of the contacts at them.
struct Recall<'a, D: Dim> {
    found: &'a [(u32, Geometry<D>)],
    contacts: &'a mut [Contact<D>],
    /// Empty where it is not needed, and so is the last impulse.
    extras: &'a mut [ContactExtras<D>],
    pair_of: &'a mut [u32],
    last_status: &'a mut [Option<Status>],
    last_impulse: &'a mut [D::Vector],
}

/// The entries from `start` to `end`, made where there are none yet; none if they are not needed.
fn places<T: Clone + Default>(entries: &mut Vec<T>, start: usize, end: usize, are_needed: bool) -> &mut [T] {
    if !are_needed {
        return &mut [];
    }
    if entries.len() < end {
        entries.resize(end, T::default());
    }
    &mut entries[start..end]
}

/// Takes the first `count` entries, or as many as there are.
fn take_first<'a, T>(entries: &mut &'a mut [T], count: usize) -> &'a mut [T] {
    let count = count.min(entries.len());
    let (first, rest) = std::mem::take(entries).split_at_mut(count);
    *entries = rest;
    first
}
