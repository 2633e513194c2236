//! The state before a step, which is put back if the step fails.

use crate::contact::{Contact, ContactExtras};
use crate::state::State;
use riprap_solve::Dim;
use std::mem::swap;

/// What a step changes in place, as it was before. Contacts are not copied: a step makes its own beside those of the last
/// one, and exchanges them at its very end.
#[derive(Default)]
pub(crate) struct Before<D: Dim> {
    state: State<D>,
}

impl<D: Dim> Before<D> {
    /// Keeps the state as it is now.
    pub fn keep(&mut self, now: &State<D>) {
        let kept = &mut self.state;
        kept.position.clone_from(&now.position);
        kept.orientation.clone_from(&now.orientation);
        kept.velocity.clone_from(&now.velocity);
        kept.spin.clone_from(&now.spin);
        kept.bonds.clone_from(&now.bonds);
        kept.cracks.clone_from(&now.cracks);
        kept.bridges.clone_from(&now.bridges);
        (kept.step, kept.time, kept.share, kept.cell) = (now.step, now.time, now.share, now.cell);
        (kept.time_step, kept.contact_motion) = (now.time_step, now.contact_motion);
        kept.energy.clone_from(&now.energy);
        kept.exchange.clone_from(&now.exchange);
        kept.wear.clone_from(&now.wear);
    }

    /// Puts it back; `contacts` and `extras` are those of the step that failed, or those before it if they were exchanged.
    pub fn put_back(&mut self, now: &mut State<D>, contacts: &mut Vec<Contact<D>>, extras: &mut Vec<ContactExtras<D>>) {
        let kept = &mut self.state;
        if now.step != kept.step {
            swap(&mut now.contacts, contacts);
            swap(&mut now.extras, extras);
        }
        swap(&mut now.position, &mut kept.position);
        swap(&mut now.orientation, &mut kept.orientation);
        swap(&mut now.velocity, &mut kept.velocity);
        swap(&mut now.spin, &mut kept.spin);
        swap(&mut now.bonds, &mut kept.bonds);
        swap(&mut now.cracks, &mut kept.cracks);
        swap(&mut now.bridges, &mut kept.bridges);
        (now.step, now.time, now.share, now.cell) = (kept.step, kept.time, kept.share, kept.cell);
        (now.time_step, now.contact_motion) = (kept.time_step, kept.contact_motion);
        now.energy.clone_from(&kept.energy);
        now.exchange.clone_from(&kept.exchange);
        swap(&mut now.wear, &mut kept.wear);
    }
}
