//! Passes over all contacts: sweeps, the residual, and velocities from impulses.

#![allow(unsafe_code)] // The kernels are called here; see `Views`.
use super::config::{Measure, Pass, PassConfig, Visits};
use super::error::ErrorNorms;
use super::group::Kind;
use super::kernel::{View, slot_stride};
use super::lanes::WIDTH;
use super::layout::Sweeper;
use super::phases;
use super::schedule::Schedule;
use super::stats::SweepStats;
use super::views::Views;
use crate::space::Dim;

impl<D: Dim> Sweeper<D> {
    /// A sweep block by block on all threads, forward or exactly backward.
    pub(super) fn spatial_sweep(&mut self, backward: bool, visits: Visits, measure: Measure) -> SweepStats {
        let config = PassConfig { visits, ..PassConfig::new(Pass::Sweep(measure), self.tuning) };
        let stats = self.run_pass(config, backward);
        self.stretch();
        stats
    }

    /// A sweep over contacts one at a time in the given sequence, on one thread.
    pub(super) fn sweep_one_by_one(&mut self, contacts: impl Iterator<Item = usize>, measure: Measure) -> SweepStats {
        let config = PassConfig::new(Pass::Sweep(Measure::Forces { floor: measure.floor() }), self.tuning);
        let views = self.views();
        let mut total = SweepStats::default();
        for index in contacts {
            let (kind, place) = self.kind_and_place(index);
            // SAFETY: one thread, and the arrays live in `self`.
            total = total.and(unsafe { views.run_one(kind, config, place) });
        }
        self.stretch();
        total
    }

    /// How far the state is from the laws.
    pub fn residual(&mut self) -> ErrorNorms {
        let stats = self.run_pass(PassConfig::new(Pass::Residual, self.tuning), false);
        ErrorNorms::new(stats, self.kinds.len())
    }

    /// Velocities from scratch: `U = U_free + M⁻¹ H p`.
    pub fn apply_impulses(&mut self) {
        self.slots.lines.clone_from(&self.free.lines);
        self.run_pass(PassConfig::new(Pass::Apply, self.tuning), false);
        self.stretch();
    }

    /// Updates the rate at which the cell stretches from the present impulses.
    pub(super) fn stretch(&mut self) {
        if let Some(stretching) = &mut self.stretching {
            stretching.follow(&self.impulses, &self.starts, &mut self.groups);
        }
    }

    /// The phases of the schedule one after the other, the tasks of each on all threads.
    fn run_pass(&mut self, config: PassConfig, backward: bool) -> SweepStats {
        let views = self.views();
        let Schedule { tasks, ends, backward_ends, .. } = &self.schedule;
        let ends = if backward { backward_ends } else { ends };
        let count = tasks.len();
        phases::run_phases(count, ends, backward, |number| {
            let task = &tasks[if backward { count - 1 - number } else { number }];
            let mut total = SweepStats::default();
            for step in 0..Kind::ALL.len() {
                let kind = Kind::ALL[if backward { Kind::ALL.len() - 1 - step } else { step }];
                let range = task[kind as usize].clone();
                if !range.is_empty() {
                    // SAFETY: the arrays live in `self`, borrowed here; tasks of a phase share no batch and, by the
                    // schedule, no body but the ground, which is never written; and phases do not overlap in time.
                    total = total.and(unsafe { views.run(kind, config, range, backward) });
                }
            }
            total
        })
    }

    /// Views of the arrays of this sweeper, valid while it is borrowed.
    pub(super) fn views(&mut self) -> Views<D> {
        debug_assert!(self.is_laid_out());
        let slots = self.slots.lines.as_mut_ptr().cast();
        let impulses = self.impulses.as_mut_ptr();
        let of_kind = std::array::from_fn(|kind| {
            let group = &self.groups[kind];
            View {
                slots,
                rows: group.rows.as_ptr(),
                stride: group.stride,
                // SAFETY: the start lies in the array, or at its end where there are no contacts of this kind.
                impulses: unsafe { impulses.add(self.starts[kind]) },
                bodies: group.bodies.as_ptr(),
                batches: group.bodies.len(),
            }
        });
        Views { of_kind, torque_contacts: self.groups[Kind::BlockTorque as usize].torque_contacts.as_ptr() }
    }

    /// What the kernels rely on: every array holds all batches of its kind, and every body of a contact has its slot. (That
    /// tasks of a phase share no body is checked where the schedule is made.)
    fn is_laid_out(&self) -> bool {
        let bodies = self.slots.lines.len() * WIDTH / slot_stride(D::AXES);
        self.groups.iter().zip(self.starts).all(|(group, start)| {
            let batches = group.bodies.len();
            let singly = if group.kind == Kind::BlockTorque { batches * WIDTH } else { 0 };
            group.rows.len() == batches * group.stride
                && start + batches * group.kind.components::<D>() <= self.impulses.len()
                && group.torque_contacts.len() == singly
                && group.bodies.iter().flatten().flatten().all(|&body| (body as usize) < bodies)
                && self.schedule.tasks.iter().all(|task| task[group.kind as usize].end as usize <= batches)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{Body, Contact, GROUND, Inertia, Problem};
    use crate::space::{D2, D3, Vector};
    use crate::sweep::Sweeps;

    /// Balls on the ground that carry their weight, and as many that fall on it.
    fn resting_and_falling<D: Dim>(count: usize) -> Problem<D> {
        let up = D::Vector::axis(D::AXES - 1);
        let mut problem = Problem { bodies: vec![Body::default()], ..Problem::default() };
        for number in 0..2 * count {
            problem.bodies.push(Body { velocity: -up, inertia: Inertia::Ball(1.0), ..Body::default() });
            problem.contacts.push(Contact {
                bodies: [GROUND, number as u32 + 1],
                normal: up,
                friction: 0.5,
                impulse: if number % 2 == 0 { up } else { D::Vector::ZERO },
                ..Contact::default()
            });
        }
        problem
    }

    fn what_carries_nothing_is_left_out<D: Dim>() {
        let mut problem = resting_and_falling::<D>(56);
        let mut sweeper = Sweeper::new(&problem, true, Visits::Carrying);
        let stats = sweeper.directed_sweep(false, Visits::Carrying, Measure::Change);
        assert_eq!((sweeper.passes(stats), stats.change), (0.5, 0.0));
        assert_eq!(sweeper.residual().worst, 1.0);
        let stats = sweeper.directed_sweep(true, Visits::All, Measure::Change);
        assert_eq!((sweeper.passes(stats), stats.change), (1.0, 56.0));
        assert_eq!(sweeper.residual().worst, 0.0);
        // Now all of them carry something.
        let stats = sweeper.directed_sweep(false, Visits::Carrying, Measure::Change);
        assert_eq!((sweeper.passes(stats), stats.normal), (1.0, 112.0));
        sweeper.store(&mut problem);
        assert!(problem.contacts.iter().all(|contact| contact.impulse == D::Vector::axis(D::AXES - 1)));
    }

    #[test]
    fn what_carries_nothing_is_left_out_until_all_contacts_are_visited() {
        what_carries_nothing_is_left_out::<D2>();
        what_carries_nothing_is_left_out::<D3>();
    }
}
