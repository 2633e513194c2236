//! A periodic cell that stretches as its contacts push it (see [`Cell`]).
//!
//! All contacts share this one freedom, so it cannot be a body among those that tasks keep apart. It answers after each
//! sweep instead, to all impulses at once:
//!
//! ```text
//!   ε̇ = ε̇_free + M⁻¹ Σ ℓ∘p,   shift = shift₀ + ε̇∘ℓ
//! ```
//!
//! Within a sweep the contacts do not feel what the sweep does to the cell. Gauss–Seidel with such a delay converges if
//! the part of `W` that comes late is smaller than the diagonal of the other part: along each axis `Σ m_n ℓ²/M < 1`. The
//! caller must choose the mass of the cell accordingly.

use super::group::{Group, Kind};
use super::lanes::{Lanes, Real, WIDTH};
use super::schedule::{EMPTY, Schedule};
use super::shares::Shares;
use crate::law::SIZE;
use crate::problem::{Cell, Problem};
use crate::space::{Dim, Vector};
use rayon::prelude::*;
use std::ops::Range;

/// Batches whose shifts one thread writes at a time: enough work to be worth handing over (chosen, not measured).
const BATCHES_PER_TASK: usize = 256;

/// The rate of stretching, and branches and shifts of all contacts in the layout of the kernels.
pub struct Stretching<D: Dim> {
    free: D::Vector,
    rate: D::Vector,
    inverse_mass: D::Vector,
    /// One row for each axis and batch, for each kind of contacts.
    branches: [Vec<Lanes>; 4],
    /// The shifts without stretching, in the same rows.
    shifts: [Vec<Lanes>; 4],
}

impl<D: Dim> Stretching<D> {
    /// The cell of a problem.
    pub fn new(cell: &Cell<D>, problem: &Problem<D>, schedule: &Schedule) -> Self {
        let lay_out = |kind: usize, of: &dyn Fn(usize) -> D::Vector| {
            let batches = &schedule.batches[kind];
            let mut rows = vec![Lanes::default(); batches.len() * D::AXES];
            for (rows, batch) in rows.chunks_mut(D::AXES).zip(batches) {
                for (lane, &index) in batch.iter().enumerate().filter(|&(_, &index)| index != EMPTY) {
                    let vector = of(index as usize);
                    for i in 0..D::AXES {
                        rows[i].0[lane] = vector.get(i);
                    }
                }
            }
            rows
        };
        Stretching {
            free: cell.rate,
            rate: cell.rate,
            inverse_mass: cell.inverse_mass,
            branches: std::array::from_fn(|kind| lay_out(kind, &|index| cell.branches[index])),
            shifts: std::array::from_fn(|kind| lay_out(kind, &|index| problem.contacts[index].shift)),
        }
    }

    /// The rate as it is now.
    pub fn rate(&self) -> D::Vector {
        self.rate
    }

    /// Computes the rate from the impulses, and from it the shifts of all contacts.
    pub fn follow(
        &mut self,
        impulses: &[Lanes],
        starts: &[usize; 4],
        groups: &mut [Group<D>; 4],
        (schedule, shares): (&Schedule, &Shares),
    ) {
        let sum = shares.sum(schedule, |task| {
            let mut sums = [Lanes::default(); 3];
            for group in groups.iter() {
                self.add_moves(group, &impulses[starts[group.kind as usize]..], &task[group.kind as usize], &mut sums);
            }
            sums.map(Lanes::sum)
        });
        self.rate = self.free + self.inverse_mass.scale(D::Vector::from_fn(|i| sum[i]));
        for group in groups {
            self.shift(group);
        }
    }

    /// Adds `ℓ∘p` of some batches of a kind, whose impulses begin with `impulses`.
    fn add_moves(&self, group: &Group<D>, impulses: &[Lanes], batches: &Range<u32>, sums: &mut [Lanes; 3]) {
        let components = group.kind.components::<D>();
        for batch in batches.start as usize..batches.end as usize {
            let branch = &self.branches[group.kind as usize][batch * D::AXES..][..D::AXES];
            let p = &impulses[batch * components..][..components];
            if group.kind == Kind::BlockTorque {
                for (lane, contact) in group.torque_contacts[batch * WIDTH..][..WIDTH].iter().enumerate() {
                    let mut local = [0.0; SIZE];
                    for i in 0..components {
                        local[i] = p[i].0[lane];
                    }
                    let (impulse, _) = contact.to_world(&local);
                    for i in 0..D::AXES {
                        sums[i].0[lane] += branch[i].0[lane] * impulse.get(i);
                    }
                }
            } else {
                for i in 0..D::AXES {
                    sums[i] = sums[i] + branch[i] * p[i];
                }
            }
        }
    }

    /// Writes the shifts of a kind of contacts.
    fn shift(&self, group: &mut Group<D>) {
        let (branches, shifts) = (&self.branches[group.kind as usize], &self.shifts[group.kind as usize]);
        if group.kind == Kind::BlockTorque {
            for (place, contact) in group.torque_contacts.iter_mut().enumerate() {
                let (batch, lane) = (place / WIDTH, place % WIDTH);
                let number = |rows: &[Lanes], i: usize| rows[batch * D::AXES + i].0[lane];
                contact.set_shift(D::Vector::from_fn(|i| number(shifts, i) + self.rate.get(i) * number(branches, i)));
            }
            return;
        }
        let (stride, row) = (group.stride, group.kind.shift_row::<D>());
        let rates: [Lanes; 3] = std::array::from_fn(|i| Lanes::splat(if i < D::AXES { self.rate.get(i) } else { 0.0 }));
        (group.rows.par_chunks_mut(stride))
            .zip(branches.par_chunks(D::AXES).zip(shifts.par_chunks(D::AXES)))
            .with_min_len(BATCHES_PER_TASK)
            .for_each(|(rows, (branch, shift))| {
                for i in 0..D::AXES {
                    rows[row + i] = shift[i] + rates[i] * branch[i];
                }
            });
    }
}
