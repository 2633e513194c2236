//! Copies of impulses and velocities, and the extrapolation from them that momentum needs.

use super::config::{Measure, Visits};
use super::lanes::{Lanes, Real};
use super::layout::Sweeper;
use super::stats::SweepStats;
use super::sweeps::{Damping, Extrapolation, OrderedSweeps, Sweeps};
use crate::space::Dim;
use rayon::prelude::*;

/// Batches in one partial sum of [`Sweeps::progress_against`]. The sums are part of the result, so this is part of the bits.
const BATCHES_PER_SUM: usize = 1024;
/// Rows that one thread extrapolates at a time: 256 KB, so that a few chunks stay in the second-level cache (chosen, not
/// measured).
const ROWS_PER_CHUNK: usize = 4096;

/// A copy of impulses and velocities, to be extrapolated from.
#[derive(Clone, Default)]
pub struct Iterate {
    pub(super) impulses: Vec<Lanes>,
    pub(super) slots: Vec<Lanes>,
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
        iterate.impulses.clone_from(&self.impulses);
    }

    fn save_velocities(&self, iterate: &mut Iterate) {
        iterate.slots.clone_from(&self.slots.lines);
    }

    fn progress_against(&self, y: &Iterate, r: &Iterate) -> f64 {
        let mut sum = 0.0;
        for group in &self.groups {
            let components = group.kind.components::<D>();
            let range =
                self.starts[group.kind as usize]..self.starts[group.kind as usize] + group.weights.len() * components;
            let rows = BATCHES_PER_SUM * components;
            let [p, y, r] = [&self.impulses, &y.impulses, &r.impulses].map(|impulses| &impulses[range.clone()]);
            let part = |[p, y, r]: [&[Lanes]; 3], weights: &[Lanes]| {
                let mut total = Lanes::default();
                for (batch, &weight) in weights.iter().enumerate() {
                    let mut sum = Lanes::default();
                    for row in batch * components..(batch + 1) * components {
                        sum = sum + (y[row] - p[row]) * (p[row] - r[row]);
                    }
                    total = total + sum * weight;
                }
                total.sum()
            };
            sum += if group.weights.len() <= BATCHES_PER_SUM {
                part([p, y, r], &group.weights)
            } else {
                let impulses = p.par_chunks(rows).zip(y.par_chunks(rows)).zip(r.par_chunks(rows));
                let chunks = impulses.zip(group.weights.par_chunks(BATCHES_PER_SUM));
                let parts: Vec<f64> = chunks.map(|(((p, y), r), weights)| part([p, y, r], weights)).collect();
                parts.iter().sum::<f64>()
            };
        }
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
        advance(&mut self.impulses, &y.impulses, &mut r.impulses);
        advance(&mut self.slots.lines, &y.slots, &mut r.slots);
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
