//! Patches: the few contacts that hold most of the error are swept with their neighbours, while all others wait
//! (docs/solvers.md, "Patches").
//!
//! What is left of an error after some iterations is often a circle that a few sliding contacts turn in, or a slow mode of a
//! few places; the others are done, and wait. Plain sweeps there cost little and lead out of it.

use super::sweeps::Sweeps;

/// Which contacts make a patch, and how long they are swept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Patching {
    /// They hold this share of the squared error,
    pub share: f64,
    /// and are at most this part of all contacts.
    pub few: f64,
    /// They are swept with their neighbours until their error has fallen by this factor, or their visits are a pass.
    pub fall: f64,
}

/// A layout that can sweep some of its contacts.
pub trait Patches: Sweeps {
    /// The contacts that hold a share of the squared error, if that many at most do.
    fn worst(&mut self, share: f64, most: usize) -> Option<Vec<usize>>;
    /// Some contacts and all that touch the same bodies, in order.
    fn around(&mut self, contacts: &[usize]) -> Vec<usize>;
    /// The squared error of some contacts.
    fn error_of(&mut self, contacts: &[usize]) -> f64;
    /// Sweeps some contacts.
    fn sweep_patch(&mut self, contacts: &[usize]);
    /// Where the impulses of some contacts and the velocities that they change are.
    fn places(&self, contacts: &[usize]) -> Vec<Place>;
    /// The number at a place of the state.
    fn value(&self, place: Place) -> f64;
    /// The number at a place of a copy.
    fn value_in(iterate: &mut Self::Iterate, place: Place) -> &mut f64;
}

/// The place of a number of a state.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Among the impulses, or the velocities.
    pub is_impulse: bool,
    /// The row.
    pub row: usize,
    /// The place in the row.
    pub lane: usize,
}

/// Where a few contacts hold most of the error, sweeps them and their neighbours until their error has fallen; the visits that
/// it took, in passes. What the state moves by, the followers move by too, so that momentum does not take it for a step.
pub fn settle_worst<L: Patches>(layout: &mut L, patching: &Patching, followers: &mut [&mut L::Iterate]) -> f64 {
    let contacts = layout.len();
    let most = (patching.few * contacts as f64).ceil() as usize;
    let Some(worst) = layout.worst(patching.share, most) else { return 0.0 };
    let patch = layout.around(&worst);
    let places = layout.places(&patch);
    let before: Vec<f64> = places.iter().map(|&place| layout.value(place)).collect();
    let goal = patching.fall * patching.fall * layout.error_of(&patch);
    let mut sweeps = 0;
    while sweeps * patch.len() < contacts && (sweeps == 0 || layout.error_of(&patch) > goal) {
        layout.sweep_patch(&patch);
        sweeps += 1;
    }
    for (&place, before) in places.iter().zip(before) {
        let change = layout.value(place) - before;
        for follower in followers.iter_mut() {
            *L::value_in(follower, place) += change;
        }
    }
    (sweeps * patch.len()) as f64 / contacts as f64
}

/// The places that together hold a share of the squared error, worst first, if at most `most` of them do.
pub fn worst(errors: &[f64], share: f64, most: usize) -> Option<Vec<usize>> {
    let sum: f64 = errors.iter().sum();
    if sum <= 0.0 {
        return None;
    }
    let mut places: Vec<usize> = (0..errors.len()).collect();
    // The larger error first; of equal ones the earlier place, so that the choice repeats.
    let order = |a: &usize, b: &usize| errors[*b].total_cmp(&errors[*a]).then(a.cmp(b));
    if most < places.len() {
        places.select_nth_unstable_by(most, order);
        places.truncate(most);
    }
    places.sort_unstable_by(order);
    let mut left = share * sum;
    let count = places.iter().position(|&place| {
        left -= errors[place];
        left <= 0.0
    })? + 1;
    places.truncate(count);
    Some(places)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_are_found_only_where_they_hold_most_of_the_error() {
        let mut errors = vec![1e-3; 1000];
        assert_eq!(worst(&errors, 0.8, 30), None);
        for place in [7, 500, 501] {
            errors[place] = 2.0 + place as f64;
        }
        // 9 + 502 + 503 of 1015: two of them are enough, and one is not.
        assert_eq!(worst(&errors, 0.8, 30), Some(vec![501, 500]));
        assert_eq!(worst(&errors, 0.8, 1), None);
        errors[7] = 1e6;
        assert_eq!(worst(&errors, 0.8, 1), Some(vec![7]));
        assert_eq!(worst(&[1.0, 1.0], 0.8, 30), Some(vec![0, 1]));
        assert_eq!(worst(&[0.0, 0.0], 0.8, 30), None);
        assert_eq!(worst(&[], 0.8, 30), None);
    }
}
