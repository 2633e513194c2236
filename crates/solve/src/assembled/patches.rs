//! Momentum that leaves the many for the few: where most of the error is in a few places, only their neighbourhood is
//! swept for a while.
//!
//! In large packings momentum soon solves the forces that span the whole, and then waits for a few contacts with slow
//! modes of their own: of 114,000 contacts 100 held 84 % of the error, for 600 passes (SOLVERS.md, "Patches").

use super::freedoms::{FreedomState, Freedoms};
use super::watch::Watch;
use crate::options::SweepOrder;
use crate::solvers::momentum::Momentum;
use crate::solvers::{Judge, Sweeps, momentum};
use crate::sweep::{Tally, Tell};

/// Problems with fewer contacts than this have no few among many.
const LARGE: usize = 3000;
/// Passes before the first look at where the error is, and at least so many to the next.
const FIRST_LOOK: u64 = 60;
const NEXT_LOOK: u64 = 20;
/// The part of the squared error that a patch is to hold, and the most contacts in which it may lie, over all.
const SHARE: f64 = 0.8;
const FEW: f64 = 0.03;
/// A patch reaches as far as so many neighbours from these contacts, if it has no more contacts than this part of all.
const LAYERS: usize = 2;
const LARGEST: f64 = 0.2;
/// The error of a patch, squared, is to fall by this factor, for at most this many sweeps of the patch, and as many visits
/// as so many passes have.
const FALL: f64 = 0.09;
const MOST_SWEEPS: u64 = 2000;
const MOST_PASSES: u64 = 20;

/// Momentum until the watch says that it may end, now and then on patches.
pub fn run<const S: usize, const K: usize>(state: &mut Freedoms<S, K>, watch: &mut Watch<Freedoms<S, K>>) {
    let mut judge = Whole { watch, next_look: FIRST_LOOK, few: None };
    loop {
        momentum::run(state, &mut judge, Momentum::Free);
        let Some(few) = judge.few.take() else { return };
        let mut patch = Patch::around(&few, state);
        if (patch.contacts.len() as f64) < LARGEST * patch.state.len() as f64 {
            let visits = patch.settle();
            judge.watch.passes += visits.div_ceil(state.len() as u64);
        }
        judge.rest(state);
    }
}

/// Judges momentum on all contacts, and leaves it when the error is in a few.
struct Whole<'a, 'b, const S: usize, const K: usize> {
    watch: &'a mut Watch<'b, Freedoms<S, K>>,
    next_look: u64,
    /// The contacts with most of the error, if they are few.
    few: Option<Vec<u32>>,
}

impl<const S: usize, const K: usize> Judge<Freedoms<S, K>> for Whole<'_, '_, S, K> {
    fn tell(&self, contacts: usize) -> Tell {
        self.watch.tell(contacts)
    }

    fn done(&mut self, sweeps: u32, tally: Tally, state: &mut Freedoms<S, K>) -> bool {
        if self.watch.done(sweeps, tally, state) {
            return true;
        }
        if state.len() >= LARGE && self.watch.passes >= self.next_look {
            self.next_look = self.watch.passes + NEXT_LOOK.max(self.watch.passes / 8);
            self.few = few(&state.errors());
        }
        self.few.is_some()
    }

    fn rest(&mut self, state: &mut Freedoms<S, K>) {
        self.watch.rest(state);
    }
}

/// The contacts that together have most of the error, if they are few.
fn few(errors: &[f64]) -> Option<Vec<u32>> {
    let most = (FEW * errors.len() as f64) as usize;
    let mut contacts: Vec<u32> = (0..errors.len() as u32).collect();
    // The larger error first; of equal ones the earlier contact, so that the choice repeats.
    let order = |a: &u32, b: &u32| errors[*b as usize].total_cmp(&errors[*a as usize]).then(a.cmp(b));
    contacts.select_nth_unstable_by(most, order);
    contacts.truncate(most);
    contacts.sort_unstable_by(order);
    let mut left = SHARE * errors.iter().sum::<f64>();
    let count = contacts.iter().position(|&contact| {
        left -= errors[contact as usize];
        left <= 0.0
    })? + 1;
    contacts.truncate(count);
    Some(contacts)
}

/// Some contacts of a problem, and the freedoms that they move; all others wait.
struct Patch<'a, const S: usize, const K: usize> {
    state: &'a mut Freedoms<S, K>,
    contacts: Vec<u32>,
    freedoms: Vec<u32>,
}

impl<'a, const S: usize, const K: usize> Patch<'a, S, K> {
    /// The neighbourhood of `few` contacts.
    fn around(few: &[u32], state: &'a mut Freedoms<S, K>) -> Self {
        let (contacts, freedoms) = state.neighbourhood(few, LAYERS);
        Patch { state, contacts, freedoms }
    }

    /// Sweeps the patch until its error has fallen; the visits that it took.
    fn settle(&mut self) -> u64 {
        let contacts = self.contacts.len() as u64;
        let most = MOST_SWEEPS.min(MOST_PASSES * self.state.len() as u64 / contacts);
        let mut judge = Part { goal: FALL * self.error(), sweeps: 0, most };
        momentum::run(self, &mut judge, Momentum::Free);
        judge.sweeps * contacts
    }

    fn error(&self) -> f64 {
        self.contacts.iter().map(|&contact| self.state.error(contact as usize)).sum()
    }
}

impl<const S: usize, const K: usize> Sweeps for Patch<'_, S, K> {
    type Iterate = FreedomState<S>;

    fn len(&self) -> usize {
        self.contacts.len()
    }

    fn sweep(&mut self, _: SweepOrder, _: u32, _: u64, tell: Tell) -> Tally {
        self.directed_sweep(false, tell)
    }

    fn directed_sweep(&mut self, backward: bool, _: Tell) -> Tally {
        let contacts = self.contacts.iter().map(|&contact| contact as usize);
        if backward { self.state.visit_all(contacts.rev()) } else { self.state.visit_all(contacts) }
    }

    fn save(&self, iterate: &mut FreedomState<S>) {
        self.save_impulses(iterate);
        self.state.save_motion_of(&self.freedoms, iterate);
    }

    fn save_impulses(&self, iterate: &mut FreedomState<S>) {
        self.state.save_impulses_of(&self.contacts, iterate);
    }

    fn progress_against(&self, y: &FreedomState<S>, r: &FreedomState<S>) -> f64 {
        self.state.progress_of(self.contacts.iter().copied(), y, r)
    }

    fn extrapolate(&mut self, beta: f64, r: &mut FreedomState<S>) {
        self.state.extrapolate_part(beta, &self.contacts, &self.freedoms, r);
    }
}

/// Judges momentum on a patch.
struct Part {
    /// The squared error that is enough.
    goal: f64,
    sweeps: u64,
    most: u64,
}

impl<const S: usize, const K: usize> Judge<Patch<'_, S, K>> for Part {
    fn tell(&self, _: usize) -> Tell {
        Tell::Nothing
    }

    fn done(&mut self, sweeps: u32, _: Tally, patch: &mut Patch<S, K>) -> bool {
        self.sweeps += u64::from(sweeps);
        self.sweeps >= self.most || self.sweeps % 8 == 0 && patch.error() <= self.goal
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_contacts_are_found_only_where_they_hold_most_of_the_error() {
        let mut errors = vec![1e-3; 1000];
        assert_eq!(few(&errors), None);
        for contact in [7, 500, 501] {
            errors[contact] = 2.0 + contact as f64;
        }
        // 8 + 502 + 503 of 1012: two of them are enough.
        assert_eq!(few(&errors), Some(vec![501, 500]));
        errors[7] = 1e6;
        assert_eq!(few(&errors), Some(vec![7]));
    }
}
