//! Sweeps over the few contacts that hold most of the error and their neighbours, while all others wait (docs/solvers.md,
//! "Patches").
//!
//! Where contacts slide, what is left of the error is often a circle that a few of them turn in: the others are done, and
//! wait. Plain sweeps there cost little and lead out of it.

#![allow(unsafe_code)] // The kernels are called here; see `Views`.
use super::config::{Measure, Pass, PassConfig};
use super::group::Kind;
use super::kernel::slot_stride;
use super::lanes::WIDTH;
use super::{Iterate, Sweeper, Sweeps};
use crate::incidence::Incidence;
use crate::problem::GROUND;
use crate::solvers::DAMPED_SLIDING;
use crate::solvers::few::few;
use crate::space::Dim;

/// At most this part of all contacts, and so many more, are few; they hold this share of the squared error.
const FEW: f64 = 0.003;
const FEW_MORE: f64 = 20.0;
const SHARE: f64 = 0.4;
/// A patch reaches as far as so many neighbours from these.
const LAYERS: usize = 2;
/// The error of a patch is to fall by this factor. It is looked at after so many sweeps; there are at most so many, and no
/// more visits than a pass has.
const FALL: f64 = 0.1;
const SWEEPS: usize = 10;
const MOST_SWEEPS: usize = 400;

impl<D: Dim> Sweeper<D> {
    /// Where a few contacts hold most of the error, sweeps them and their neighbours until their error has fallen; the
    /// visits that it took, in passes. What the state moves by, the followers move by too, so that momentum does not take
    /// it for a step.
    pub fn settle_patch(&mut self, followers: &mut [&mut Iterate]) -> f64 {
        let Some(worst) = self.worst() else { return 0.0 };
        let patch = self.neighbourhood(&worst);
        let places = self.value_places(&patch);
        let before: Vec<f64> = places.iter().map(|place| self.value(place)).collect();
        let sweeps = self.settle(&patch);
        self.stretch();
        for (place, before) in places.iter().zip(before) {
            let change = self.value(place) - before;
            for follower in followers.iter_mut() {
                let rows = if place.is_impulse { &mut follower.impulses } else { &mut follower.slots };
                rows[place.row].0[place.lane] += change;
            }
        }
        (sweeps * patch.len()) as f64 / self.len() as f64
    }

    /// The few contacts that hold most of the error, if there are such.
    fn worst(&mut self) -> Option<Vec<usize>> {
        let most = (FEW * self.len() as f64 + FEW_MORE) as usize;
        // Where few contacts hold the error, few batches do, which are looked at eight contacts at a time.
        let errors_of_batches = self.errors_of_batches();
        let batches = few(&errors_of_batches, SHARE, most)?;
        let mut is_bad = vec![false; errors_of_batches.len()];
        for &batch in &batches {
            is_bad[batch as usize] = true;
        }
        let mut firsts = [0; Kind::ALL.len()];
        for kind in 1..firsts.len() {
            firsts[kind] = firsts[kind - 1] + self.groups[kind - 1].bodies.len();
        }
        let is_in_bad = |&contact: &usize| {
            let (kind, place) = self.kind_and_place(contact);
            is_bad[firsts[kind as usize] + place as usize / WIDTH]
        };
        let contacts: Vec<usize> = (0..self.len()).filter(is_in_bad).collect();
        let errors = self.errors_of(contacts.iter().copied());
        // Their share of the error of these batches, less rounding.
        let share = SHARE * errors_of_batches.iter().sum::<f64>() / errors.iter().sum::<f64>();
        let worst = few(&errors, share.min(1.0 - 1e-9), most)?;
        Some(worst.iter().map(|&i| contacts[i as usize]).collect())
    }

    /// Plain sweeps over a patch; how many.
    fn settle(&mut self, patch: &[usize]) -> usize {
        let mut tuning = self.tuning;
        tuning.sliding = tuning.sliding.min(DAMPED_SLIDING);
        let config = PassConfig::new(Pass::Sweep(Measure::Change), tuning);
        let most = MOST_SWEEPS.min(self.len() / patch.len());
        let error = |sweeper: &mut Self| sweeper.errors_of(patch.iter().copied()).iter().sum::<f64>();
        let goal = FALL.powi(2) * error(self);
        let mut sweeps = 0;
        while sweeps < most {
            let views = self.views();
            for _ in 0..SWEEPS {
                for &contact in patch {
                    let (kind, place) = self.kind_and_place(contact);
                    // SAFETY: one thread, and the arrays live in `self`.
                    unsafe { views.run_one(kind, config, place) };
                }
            }
            sweeps += SWEEPS;
            if error(self) <= goal {
                break;
            }
        }
        sweeps
    }

    /// The squared error of each of some contacts.
    fn errors_of(&mut self, contacts: impl Iterator<Item = usize>) -> Vec<f64> {
        let config = PassConfig::new(Pass::Residual, self.tuning);
        let views = self.views();
        let error = |contact| {
            let (kind, place) = self.kind_and_place(contact);
            // SAFETY: one thread, and the arrays live in `self`.
            unsafe { views.run_one(kind, config, place) }.change
        };
        contacts.map(error).collect()
    }

    /// The squared error of each batch.
    fn errors_of_batches(&mut self) -> Vec<f64> {
        let config = PassConfig::new(Pass::Residual, self.tuning);
        let views = self.views();
        let batches = Kind::ALL.into_iter().flat_map(|kind| {
            (0..self.groups[kind as usize].bodies.len() as u32).map(move |batch| (kind, batch..batch + 1))
        });
        // SAFETY: one thread, and the arrays live in `self`.
        batches.map(|(kind, batch)| unsafe { views.run(kind, config, batch, false) }.change).collect()
    }

    /// Some contacts and their neighbours, ball by ball: all that touches a wall would be one neighbourhood.
    fn neighbourhood(&mut self, contacts: &[usize]) -> Vec<usize> {
        let incidence = self.incidence.take().unwrap_or_else(|| self.contacts_of_balls());
        let mut inside = vec![false; self.len()];
        for &contact in contacts {
            inside[contact] = true;
        }
        let mut found = contacts.to_vec();
        let mut reached = 0;
        for _ in 0..LAYERS {
            let layer = reached..found.len();
            reached = layer.end;
            for i in layer {
                for body in self.bodies_of(found[i]) {
                    for &other in incidence.of(body) {
                        if !std::mem::replace(&mut inside[other as usize], true) {
                            found.push(other as usize);
                        }
                    }
                }
            }
        }
        self.incidence = Some(incidence);
        found.sort_unstable();
        found
    }

    /// The contacts of each ball.
    fn contacts_of_balls(&self) -> Incidence {
        let is_ball = |&body: &u32| self.slots.inverse_mass::<D>(body) > 0.0;
        Incidence::new(self.len(), self.slots.len::<D>(), |contact| self.bodies_of(contact).into_iter().filter(is_ball))
    }

    /// Where the impulses of some contacts and the velocities of the bodies that they can move are.
    fn value_places(&self, contacts: &[usize]) -> Vec<ValuePlace> {
        let mut places = Vec::new();
        for &contact in contacts {
            let (kind, place) = self.kind_and_place(contact);
            let components = kind.components::<D>();
            let (batch, lane) = (place as usize / WIDTH, place as usize % WIDTH);
            let first = self.starts[kind as usize] + batch * components;
            places.extend((first..first + components).map(|row| ValuePlace { is_impulse: true, row, lane }));
        }
        let mut bodies: Vec<u32> = contacts.iter().flat_map(|&contact| self.bodies_of(contact)).collect();
        bodies.sort_unstable();
        bodies.dedup();
        for body in bodies.into_iter().filter(|&body| body != GROUND) {
            let first = body as usize * slot_stride(D::AXES);
            let numbers = first..first + D::AXES + D::SPINS;
            places.extend(numbers.map(|i| ValuePlace { is_impulse: false, row: i / WIDTH, lane: i % WIDTH }));
        }
        places
    }

    fn value(&self, place: &ValuePlace) -> f64 {
        let rows = if place.is_impulse { &self.impulses } else { &self.slots.lines };
        rows[place.row].0[place.lane]
    }

    fn bodies_of(&self, contact: usize) -> [u32; 2] {
        let (kind, place) = self.kind_and_place(contact);
        let (batch, lane) = (place as usize / WIDTH, place as usize % WIDTH);
        self.groups[kind as usize].bodies[batch].map(|side| side[lane])
    }
}

/// The place of a number of the state.
struct ValuePlace {
    is_impulse: bool,
    row: usize,
    lane: usize,
}

#[cfg(test)]
mod tests {
    use super::super::lanes::Lanes;
    use super::super::{Measure, Visits};
    use super::*;
    use crate::problem::{Body, Contact, Inertia, Problem};
    use crate::space::{D2, D3, Vector};

    /// A tower of balls among many that lie on the ground, all of weight 1.
    fn tower_among_balls<D: Dim>(height: usize, others: usize) -> Problem<D> {
        let up = D::Vector::axis(D::AXES - 1);
        let mut problem = Problem { bodies: vec![Body::default()], ..Problem::default() };
        for number in 0..height + others {
            problem.bodies.push(Body { velocity: -up, inertia: Inertia::Ball(1.0), ..Body::default() });
            let below = if (1..height).contains(&number) { number as u32 } else { GROUND };
            problem.contacts.push(Contact {
                bodies: [below, number as u32 + 1],
                normal: up,
                arms: [up, -up],
                friction: 0.5,
                ..Contact::default()
            });
        }
        problem
    }

    fn the_tower_is_settled_and_the_others_wait<D: Dim>() {
        let (height, others) = (8, 2000);
        let mut problem = tower_among_balls::<D>(height, others);
        let mut sweeper = Sweeper::new(&problem, false, Visits::All);
        let mut plain = 0;
        while sweeper.residual().relative > 1e-10 {
            sweeper.directed_sweep(false, Visits::All, Measure::Nothing);
            plain += 1;
        }
        let mut sweeper = Sweeper::new(&problem, false, Visits::All);
        // From nothing the error is everywhere; after a sweep, in the tower alone. A residual of 1e-10 is one of 5e-9 in forces,
        // and the slowest mode of the tower makes a hundred times that of it.
        assert_eq!(sweeper.settle_patch(&mut []), 0.0);
        sweeper.directed_sweep(false, Visits::All, Measure::Nothing);
        let mut follower = Iterate::default();
        let mut total = 0.0;
        while sweeper.residual().relative > 1e-10 {
            sweeper.save(&mut follower);
            let passes = sweeper.settle_patch(&mut [&mut follower]);
            total += passes;
            assert!(passes > 0.0 && total < 0.2 * f64::from(plain), "{passes} passes, {total} in all; {plain} sweeps");
            // What followed is where the state is, but for the rounding of a difference.
            let same = |a: &[Lanes], b: &[Lanes]| {
                a.iter().zip(b).all(|(a, b)| a.0.iter().zip(&b.0).all(|(a, b)| (a - b).abs() < 1e-14))
            };
            assert!(same(&follower.impulses, &sweeper.impulses) && same(&follower.slots, &sweeper.slots.lines));
        }
        sweeper.store(&mut problem);
        for (level, contact) in problem.contacts[..height].iter().enumerate() {
            let carried = contact.impulse.dot(contact.normal);
            assert!((carried - (height - level) as f64).abs() < 1e-6, "{level} carries {carried}");
        }
    }

    #[test]
    fn a_tower_among_balls_is_settled_and_the_others_wait() {
        the_tower_is_settled_and_the_others_wait::<D2>();
        the_tower_is_settled_and_the_others_wait::<D3>();
    }
}
