//! Passes over all contacts: sweeps, the residual, and velocities from impulses.

#![allow(unsafe_code)] // The kernels are called here; see `Views`.
use super::config::{Measure, Pass, PassConfig, Visits};
use super::error::ErrorNorms;
use super::group::Kind;
use super::kernel::{View, slot_stride};
use super::lanes::WIDTH;
use super::layout::Sweeper;
use super::phases;
use super::schedule::{Schedule, Task};
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
        debug_assert!(self.shares.ranks.is_alone(), "there is nothing to divide in such an order");
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
            stretching.follow(&self.impulses, &self.starts, &mut self.groups, (&self.schedule, &self.shares));
        }
    }

    /// The phases of the schedule one after the other, the tasks of each on all threads of all ranks.
    fn run_pass(&mut self, config: PassConfig, backward: bool) -> SweepStats {
        if !self.shares.ranks.is_alone() {
            return self.run_shared_pass(config, backward);
        }
        let views = self.views();
        let Schedule { tasks, ends, backward_ends, .. } = &self.schedule;
        let ends = if backward { backward_ends } else { ends };
        let count = tasks.len();
        let mut total = SweepStats::default();
        let run = |number| {
            let task = &tasks[if backward { count - 1 - number } else { number }];
            // SAFETY: the arrays live in `self`, borrowed here; tasks of a phase share no batch and, by the schedule, no
            // body but the ground, which is never written; and phases do not overlap in time.
            unsafe { run_task(&views, task, config, backward) }
        };
        phases::run_phases(count, ends, backward, run, |stats| total = total.and(stats));
        total
    }

    /// The same where each rank visits its share, with what it has to be sent before each phase.
    fn run_shared_pass(&mut self, config: PassConfig, backward: bool) -> SweepStats {
        self.is_whole &= config.pass == Pass::Residual;
        let (tasks, phases) = (self.schedule.tasks.len(), self.schedule.ends.len());
        let mut found = vec![SweepStats::default(); tasks];
        for number in 0..phases {
            self.shares.travel::<D>(number, backward, &mut self.slots.lines);
            let phase = if backward { phases - 1 - number } else { number };
            let mut own: Vec<usize> = self.schedule.tasks_of(phase).filter(|&task| self.shares.visits(task)).collect();
            if backward {
                own.reverse();
            }
            let views = self.views();
            let schedule = &self.schedule;
            // SAFETY: as in `run_pass`.
            let run = |number: usize| unsafe { run_task(&views, &schedule.tasks[own[number]], config, backward) };
            let mut task = own.iter();
            let take = |stats| found[*task.next().expect("a task for each result")] = stats;
            phases::run_phases(own.len(), &[own.len()], backward, run, take);
        }
        self.shares.travel::<D>(phases, backward, &mut self.slots.lines);
        self.gather_stats(config, backward, &found)
    }

    /// The statistics of a pass, of which each rank has those of the tasks that it visited.
    fn gather_stats(&self, config: PassConfig, backward: bool, found: &[SweepStats]) -> SweepStats {
        let shares = &self.shares;
        if matches!(config.pass, Pass::Apply | Pass::Sweep(Measure::Nothing)) {
            // Only what was left out is counted, and only where something may be.
            let left_out: u32 = found.iter().map(|stats| stats.left_out).sum();
            let left_out =
                if config.visits == Visits::All { vec![] } else { shares.ranks.gather_each(f64::from(left_out)) };
            return SweepStats { left_out: left_out.iter().sum::<f64>() as u32, ..SweepStats::default() };
        }
        let own = (0..found.len()).filter(|&task| shares.visits(task)).map(|task| found[task].to_numbers());
        let all = shares.gather_tasks(own).into_iter().map(SweepStats::from_numbers);
        if backward {
            all.rev().fold(SweepStats::default(), SweepStats::and)
        } else {
            all.fold(SweepStats::default(), SweepStats::and)
        }
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

/// A pass over the contacts of a task.
///
/// # Safety
/// As for [`Views::run`].
unsafe fn run_task<D: Dim>(views: &Views<D>, task: &Task, config: PassConfig, backward: bool) -> SweepStats {
    let mut total = SweepStats::default();
    for step in 0..Kind::ALL.len() {
        let kind = Kind::ALL[if backward { Kind::ALL.len() - 1 - step } else { step }];
        let range = task[kind as usize].clone();
        if !range.is_empty() {
            // SAFETY: the caller's promise.
            total = total.and(unsafe { views.run(kind, config, range, backward) });
        }
    }
    total
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
