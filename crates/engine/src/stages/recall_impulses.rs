//! The warm start: contacts that existed in the last step start from its impulses.

use crate::contact::Contact;
use crate::work::Work;
use crate::world::World;
use riprap_solve::{Dim, Vector};

/// A new contact point starts from the impulse of the nearest one that has gone, if that was within this fraction of the
/// smaller radius.
const SAME_PLACE: f64 = 0.2;

impl<D: Dim> World<D> {
    /// Recalls impulse and memory of each contact. The contacts of the last step are in the order of the same list: both
    /// are walked together, pair by pair. A step that is solved again starts from the impulses of the rejected solve.
    pub(crate) fn recall_impulses(&self, step: &mut Work<D>) {
        let (last, last_pair) = (&self.state.contacts, &self.cache.pair_of);
        let (mut from, mut rejected_from) = (0, 0);
        step.last_status.clear();
        step.last_impulse.clear();
        let mut start = 0;
        while start < step.contacts.len() {
            let pair = step.pair_of[start];
            let end = start + step.pair_of[start..].iter().take_while(|&&of| of == pair).count();
            while last_pair.get(from).is_some_and(|&of| of < pair) {
                from += 1;
            }
            let known = last_pair[from..].iter().take_while(|&&of| of == pair).count();
            let known = &last[from..from + known];
            while step.rejected.get(rejected_from).is_some_and(|rejected| rejected.pair < pair) {
                rejected_from += 1;
            }
            for index in start..end {
                let kept = self.same_contact(&step.contacts[index], &step.contacts[start..end], known);
                let contact = &mut step.contacts[index];
                if let Some(kept) = kept {
                    contact.impulse = kept.impulse;
                    contact.torque = kept.torque;
                    contact.bonded = kept.bonded;
                }
                let mut rejected = step.rejected[rejected_from..].iter().take_while(|rejected| rejected.pair == pair);
                if let Some(rejected) = rejected.find(|rejected| rejected.feature == contact.feature) {
                    (contact.impulse, contact.torque) = (rejected.impulse, rejected.torque);
                }
                step.last_status.push(kept.map(|kept| kept.status));
                step.last_impulse.push(kept.map_or(D::Vector::ZERO, |kept| kept.impulse));
            }
            start = end;
        }
    }

    /// The contact of the last step that a contact continues: that of the same feature, or a near one whose feature no
    /// contact of the pair has now (`group`), since corners and edges that slide over each other change features.
    fn same_contact<'a>(
        &self,
        contact: &Contact<D>,
        group: &[Contact<D>],
        known: &'a [Contact<D>],
    ) -> Option<&'a Contact<D>> {
        let named = known.iter().find(|kept| kept.feature == contact.feature);
        if named.is_some() || group.len() + known.len() <= 2 {
            return named;
        }
        let distance = |kept: &Contact<D>| (kept.point - contact.point).length();
        known
            .iter()
            .filter(|kept| group.iter().all(|other| other.feature != kept.feature))
            .filter(|kept| distance(kept) < SAME_PLACE * self.smaller_radius(contact.bodies))
            .min_by(|a, b| distance(a).total_cmp(&distance(b)))
    }
}
