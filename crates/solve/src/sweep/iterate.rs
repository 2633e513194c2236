//! Copies of impulses and velocities, and the extrapolation from them that momentum needs.

use super::config::{Measure, Visits};
use super::lanes::{Lanes, Real};
use super::layout::Sweeper;
use super::stats::SweepStats;
use super::sweeps::{Damping, Extrapolation, OrderedSweeps, Sweeps, move_by};
use crate::space::Dim;
use rayon::prelude::*;
use std::ops::Range;

/// Rows that one thread extrapolates at a time: 256 KB, so that a few chunks stay in the second-level cache (chosen, not
/// measured).
const ROWS_PER_CHUNK: usize = 4096;

/// A copy of impulses and velocities, to be extrapolated from.
#[derive(Clone, Default)]
pub struct Iterate {
    pub(super) impulses: Vec<Lanes>,
    pub(super) slots: Vec<Lanes>,
}

impl<D: Dim> Sweeper<D> {
    /// The impulses that this rank keeps.
    fn own_rows(&self) -> Vec<Range<usize>> {
        self.shares.own_rows::<D>(&self.schedule, &self.starts, self.impulses.len())
    }

    /// The velocities that it keeps.
    fn own_lines(&self) -> Range<usize> {
        self.shares.own_lines::<D>(self.slots.lines.len())
    }
}

/// Copies parts of rows.
fn copy(from: &[Lanes], to: &mut Vec<Lanes>, parts: &[Range<usize>]) {
    to.resize(from.len(), Lanes::default());
    for part in parts {
        to[part.clone()].copy_from_slice(&from[part.clone()]);
    }
}

impl<D: Dim> Sweeps for Sweeper<D> {
    type Iterate = Iterate;

    fn len(&self) -> usize {
        self.kinds.len()
    }

    fn directed_sweep(&mut self, backward: bool, visits: Visits, measure: Measure) -> SweepStats {
        self.spatial_sweep(backward, visits, measure)
    }

    fn listed_sweep(&mut self, contacts: impl Iterator<Item = usize>, measure: Measure) -> SweepStats {
        self.sweep_one_by_one(contacts, measure)
    }

    fn passes(&self, stats: SweepStats) -> f64 {
        let batches: usize = self.groups.iter().map(|group| group.bodies.len()).sum();
        1.0 - f64::from(stats.left_out) / batches.max(1) as f64
    }

    fn blank(&mut self) -> Iterate {
        self.spare.pop().unwrap_or_default()
    }

    fn recycle(&mut self, iterate: Iterate) {
        self.spare.push(iterate);
    }

    fn save_impulses(&self, iterate: &mut Iterate) {
        copy(&self.impulses, &mut iterate.impulses, &self.own_rows());
    }

    fn save_velocities(&self, iterate: &mut Iterate) {
        copy(&self.slots.lines, &mut iterate.slots, &[self.own_lines()]);
    }

    fn progress_against(&self, y: &Iterate, r: &Iterate) -> f64 {
        let [sum] = self.shares.sum(&self.schedule, |task| {
            let mut total = Lanes::default();
            for group in &self.groups {
                let components = group.kind.components::<D>();
                let start = self.starts[group.kind as usize];
                let batches = &task[group.kind as usize];
                let [first, end] = [batches.start, batches.end].map(|batch| batch as usize);
                let rows = start + first * components..start + end * components;
                let [p, y, r] = [&self.impulses, &y.impulses, &r.impulses].map(|impulses| &impulses[rows.clone()]);
                for (batch, &weight) in group.weights[first..end].iter().enumerate() {
                    let mut sum = Lanes::default();
                    for row in batch * components..(batch + 1) * components {
                        sum = sum + (y[row] - p[row]) * (p[row] - r[row]);
                    }
                    total = total + sum * weight;
                }
            }
            [total.sum()]
        });
        sum
    }

    fn extrapolate(&mut self, extrapolation: Extrapolation, y: &Iterate, r: &mut Iterate) {
        let advance = |now: &mut [Lanes], y: &[Lanes], last: &mut [Lanes]| {
            let chunks = now.par_chunks_mut(ROWS_PER_CHUNK).zip(last.par_chunks_mut(ROWS_PER_CHUNK)).enumerate();
            chunks.for_each(|(chunk, (now, last))| {
                let from = (chunk * ROWS_PER_CHUNK).min(y.len());
                extrapolation.advance(now, &y[from..], last);
            });
        };
        // Velocities are not saved where they are not needed.
        let part = |rows: &[Lanes], own: &Range<usize>| own.start.min(rows.len())..own.end.min(rows.len());
        for own in self.own_rows() {
            let of_y = &y.impulses[part(&y.impulses, &own)];
            advance(&mut self.impulses[own.clone()], of_y, &mut r.impulses[own]);
        }
        let own = self.own_lines();
        advance(&mut self.slots.lines[own.clone()], &y.slots[part(&y.slots, &own)], &mut r.slots[own]);
        self.is_whole &= self.shares.ranks.is_alone();
        self.stretch();
    }

    fn move_by(&mut self, part: f64, from: &Iterate, to: &Iterate) {
        for own in self.own_rows() {
            let [from, to] = [from, to].map(|iterate| &iterate.impulses[own.clone()]);
            move_by(&mut self.impulses[own.clone()], part, from, to);
        }
        let own = self.own_lines();
        let [from, to] = [from, to].map(|iterate| &iterate.slots[own.clone()]);
        move_by(&mut self.slots.lines[own], part, from, to);
        self.is_whole &= self.shares.ranks.is_alone();
        self.stretch();
    }

    fn damp(&mut self, damping: Damping) {
        self.tuning.sliding = damping.sliding;
        self.tuning.relaxation = damping.relaxation;
    }

    fn soften(&mut self) {
        self.tuning.compliance *= 2.0;
    }
}

impl<D: Dim> OrderedSweeps for Sweeper<D> {
    fn permutation(&mut self) -> &mut Vec<u32> {
        &mut self.permutation
    }
}
