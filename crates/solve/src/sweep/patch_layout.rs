//! Patches of the sweeper, by visits of single contacts; the method is in `patch.rs`.

#![allow(unsafe_code)] // The kernels are called here; see `Views`.
use super::config::{Measure, Pass, PassConfig};
use super::group::Kind;
use super::kernel::slot_stride;
use super::lanes::WIDTH;
use super::patch::{Patches, Place, worst};
use super::{Iterate, Sweeper, Sweeps};
use crate::incidence::Incidence;
use crate::problem::GROUND;
use crate::space::Dim;

impl<D: Dim> Patches for Sweeper<D> {
    fn worst(&mut self, share: f64, most: usize) -> Option<Vec<usize>> {
        // Where few contacts hold the error, few batches do, which are looked at eight contacts at a time.
        let errors_of_batches = self.errors_of_batches();
        let batches = worst(&errors_of_batches, share, most)?;
        let mut is_bad = vec![false; errors_of_batches.len()];
        for batch in batches {
            is_bad[batch] = true;
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
        let errors = self.errors_of(&contacts);
        // Their share of the error of these batches, less rounding.
        let share = share * errors_of_batches.iter().sum::<f64>() / errors.iter().sum::<f64>();
        Some(worst(&errors, share.min(1.0 - 1e-9), most)?.into_iter().map(|i| contacts[i]).collect())
    }

    /// Ball by ball: all that touches a wall would be one neighbourhood.
    fn around(&mut self, contacts: &[usize]) -> Vec<usize> {
        let known = self.incidence.take();
        let is_ball = |&body: &u32| self.slots.inverse_mass::<D>(body) > 0.0;
        let balls = |contact| self.bodies_of(contact).into_iter().filter(is_ball);
        let incidence = known.unwrap_or_else(|| Incidence::new(self.len(), self.slots.len::<D>(), balls));
        let found = incidence.around(contacts, balls);
        self.incidence = Some(incidence);
        found
    }

    fn error_of(&mut self, contacts: &[usize]) -> f64 {
        self.errors_of(contacts).iter().sum()
    }

    fn sweep_patch(&mut self, contacts: &[usize]) {
        self.sweep_one_by_one(contacts.iter().copied(), Measure::Nothing);
    }

    fn places(&self, contacts: &[usize]) -> Vec<Place> {
        let mut places = Vec::new();
        for &contact in contacts {
            let (kind, place) = self.kind_and_place(contact);
            let components = kind.components::<D>();
            let (batch, lane) = (place as usize / WIDTH, place as usize % WIDTH);
            let first = self.starts[kind as usize] + batch * components;
            places.extend((first..first + components).map(|row| Place { is_impulse: true, row, lane }));
        }
        let mut bodies: Vec<u32> = contacts.iter().flat_map(|&contact| self.bodies_of(contact)).collect();
        bodies.sort_unstable();
        bodies.dedup();
        for body in bodies.into_iter().filter(|&body| body != GROUND) {
            let first = body as usize * slot_stride(D::AXES);
            let numbers = first..first + D::AXES + D::SPINS;
            places.extend(numbers.map(|i| Place { is_impulse: false, row: i / WIDTH, lane: i % WIDTH }));
        }
        places
    }

    fn value(&self, place: Place) -> f64 {
        let rows = if place.is_impulse { &self.impulses } else { &self.slots.lines };
        rows[place.row].0[place.lane]
    }

    fn value_in(iterate: &mut Iterate, place: Place) -> &mut f64 {
        let rows = if place.is_impulse { &mut iterate.impulses } else { &mut iterate.slots };
        &mut rows[place.row].0[place.lane]
    }
}

impl<D: Dim> Sweeper<D> {
    /// The squared error of each of some contacts.
    fn errors_of(&mut self, contacts: &[usize]) -> Vec<f64> {
        let config = PassConfig::new(Pass::Residual, self.tuning);
        let views = self.views();
        let error = |&contact: &usize| {
            let (kind, place) = self.kind_and_place(contact);
            // SAFETY: one thread, and the arrays live in `self`.
            unsafe { views.run_one(kind, config, place) }.change
        };
        contacts.iter().map(error).collect()
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

    fn bodies_of(&self, contact: usize) -> [u32; 2] {
        let (kind, place) = self.kind_and_place(contact);
        let (batch, lane) = (place as usize / WIDTH, place as usize % WIDTH);
        self.groups[kind as usize].bodies[batch].map(|side| side[lane])
    }
}

#[cfg(test)]
mod tests {
    use super::super::lanes::Lanes;
    use super::super::{Measure, Visits};
    use super::*;
    use crate::problem::{Body, Contact, Inertia, Problem};
    use crate::sweep::Patching;

    const PATCHING: Patching = Patching { share: 0.5, few: 0.01, fall: 0.1 };
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
        assert_eq!(sweeper.settle_worst(&PATCHING, &mut []), 0.0);
        sweeper.directed_sweep(false, Visits::All, Measure::Nothing);
        let mut follower = Iterate::default();
        let mut total = 0.0;
        while sweeper.residual().relative > 1e-10 {
            sweeper.save(&mut follower);
            let passes = sweeper.settle_worst(&PATCHING, &mut [&mut follower]);
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
