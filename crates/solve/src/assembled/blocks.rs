//! The Delassus operator by blocks of contacts, in units of the problem, and sweeps over it.
//!
//! Velocities are kept up to date: when the impulse of a contact changes, the change times its column of `W` is added
//! to the velocities of its neighbours. A contact that stays open costs nothing, and the residual needs no product.

use super::LocalProblem;
use super::cone::{Limits, natural_map_square};
use super::contact::{OneContact, progress, visit_all};
use super::residual::{Units, matrix_unit, quotient};
use super::solve::ResidualKind;
use super::watch::{Assembled, REFRESH};
use crate::sweep::{Extrapolation, Measure, OrderedSweeps, SweepStats, Sweeps, move_by};

/// `W` by columns of blocks, the law of each contact, and a state `u = W r + q`.
pub struct Blocks<const S: usize> {
    /// What impulses and velocities were divided by.
    pub units: Units,
    /// Where the blocks beside the diagonal of each column begin.
    starts: Vec<u32>,
    /// The row of each block.
    rows: Vec<u32>,
    /// The blocks, by columns.
    values: Vec<[[f64; S]; S]>,
    /// The contacts, with their blocks on the diagonal.
    pub contacts: Vec<OneContact<S>>,
    q: Vec<[f64; S]>,
    /// A permutation of the contacts, for the random order.
    permutation: Vec<u32>,
    /// Impulses.
    pub r: Vec<[f64; S]>,
    /// Velocities.
    pub u: Vec<[f64; S]>,
    /// Visits since velocities were computed from scratch.
    visits: usize,
}

impl<const S: usize> Blocks<S> {
    /// Lays out a problem of `S` rows per contact, that has passed its check, without impulses.
    pub fn new(problem: &LocalProblem) -> Self {
        let w = &problem.w;
        let contacts = problem.friction.len();
        let mut counts = vec![0u32; contacts + 1];
        let mut seen = vec![u32::MAX; contacts];
        let mut trace = [0.0; 2];
        for row in 0..w.rows {
            let contact = row / S;
            for (column, value) in w.row(row) {
                let other = column / S;
                if other != contact && seen[other] != contact as u32 {
                    seen[other] = contact as u32;
                    counts[other + 1] += 1;
                }
                if column == row {
                    trace[usize::from(row % S >= 3)] += value;
                }
            }
        }
        for contact in 0..contacts {
            counts[contact + 1] += counts[contact];
        }
        let units = Units::from_traces(S, trace, contacts);
        let scale: [[f64; S]; S] = std::array::from_fn(|j| std::array::from_fn(|i| 1.0 / matrix_unit(&units, i, j)));

        let blocks = counts[contacts] as usize;
        let mut rows = vec![0u32; blocks];
        let mut values = vec![[[0.0; S]; S]; blocks];
        let mut diagonal = vec![[[0.0; S]; S]; contacts];
        let mut next = counts.clone();
        let mut place = vec![u32::MAX; contacts];
        seen.fill(u32::MAX);
        for contact in 0..contacts {
            for i in 0..S {
                for (column, value) in w.row(contact * S + i) {
                    let (other, j) = (column / S, column % S);
                    let value = value * scale[j][i];
                    if other == contact {
                        diagonal[contact][j][i] = value;
                        continue;
                    }
                    if seen[other] != contact as u32 {
                        seen[other] = contact as u32;
                        place[other] = next[other];
                        rows[next[other] as usize] = contact as u32;
                        next[other] += 1;
                    }
                    values[place[other] as usize][j][i] = value;
                }
            }
        }
        let limits = |contact: usize| Limits {
            friction: problem.friction[contact],
            rolling: problem.rolling.get(contact).map_or(0.0, |rolling| rolling / units.length),
        };
        let list = diagonal.into_iter().enumerate();
        let list = list.map(|(contact, block)| OneContact::new(block, limits(contact))).collect();
        let q: Vec<[f64; S]> = (0..contacts)
            .map(|contact| std::array::from_fn(|i| problem.q[contact * S + i] * units.velocity(i)))
            .collect();
        Blocks {
            units,
            starts: counts,
            rows,
            values,
            contacts: list,
            permutation: (0..contacts as u32).collect(),
            r: vec![[0.0; S]; contacts],
            u: q.clone(),
            q,
            visits: 0,
        }
    }

    /// Visits one contact: its impulse becomes the one that satisfies its law, all others being fixed.
    #[inline]
    fn visit(&mut self, contact: usize, stats: &mut SweepStats) {
        let one = &self.contacts[contact];
        let old = self.r[contact];
        let free = subtract_product(&one.block, &old, &self.u[contact]);
        let new = one.solve(&free, &old);
        let change: [f64; S] = std::array::from_fn(|i| new[i] - old[i]);
        let square: f64 = change.iter().map(|x| x * x).sum();
        let size: f64 = new.iter().map(|x| x * x).sum();
        stats.change += square;
        stats.size += size;
        stats.normal += new[0];
        if square == 0.0 {
            return;
        }
        self.r[contact] = new;
        self.give(contact, &change);
    }

    /// The number of contacts, if there are one or two of two rows each.
    pub fn len_small(&self) -> Option<usize> {
        (S == 2 && (1..=2).contains(&self.r.len())).then_some(self.r.len())
    }

    /// The velocity of a contact without impulses.
    pub fn free_velocity(&self, contact: usize) -> &[f64; S] {
        &self.q[contact]
    }

    /// Starts from these impulses, in units of the problem.
    pub fn put(&mut self, impulses: &[[f64; 2]; 2]) {
        for (r, new) in self.r.iter_mut().zip(impulses) {
            r[..2].copy_from_slice(new);
        }
        self.refresh();
    }

    /// The number of blocks beside the diagonal.
    pub fn count(&self) -> usize {
        self.values.len()
    }

    /// The blocks beside the diagonal in a column, with their rows.
    pub fn column(&self, contact: usize) -> impl Iterator<Item = (usize, &[[f64; S]; S])> {
        let range = self.starts[contact] as usize..self.starts[contact + 1] as usize;
        self.rows[range.clone()].iter().map(|&row| row as usize).zip(&self.values[range])
    }

    /// Adds the column of a contact times `change` to `velocity`.
    pub fn add_columns(&self, contact: usize, change: &[f64; S], velocity: &mut [[f64; S]]) {
        add_product(&self.contacts[contact].block, change, &mut velocity[contact]);
        for (row, block) in self.column(contact) {
            add_product(block, change, &mut velocity[row]);
        }
    }

    #[inline]
    fn give(&mut self, contact: usize, change: &[f64; S]) {
        add_product(&self.contacts[contact].block, change, &mut self.u[contact]);
        let range = self.starts[contact] as usize..self.starts[contact + 1] as usize;
        for (block, &row) in self.values[range.clone()].iter().zip(&self.rows[range]) {
            add_product(block, change, &mut self.u[row as usize]);
        }
    }
}

/// Impulses and velocities of all contacts.
#[derive(Clone, Debug, Default)]
pub struct State<const S: usize> {
    r: Vec<[f64; S]>,
    u: Vec<[f64; S]>,
}

impl<const S: usize> Sweeps for Blocks<S> {
    type Iterate = State<S>;

    fn len(&self) -> usize {
        self.r.len()
    }

    fn listed_sweep(&mut self, contacts: impl Iterator<Item = usize>, _: Measure) -> SweepStats {
        visit_all(contacts, |contact, stats| {
            self.visit(contact, stats);
            self.visits += 1;
        })
    }

    fn rest(&mut self) {
        if self.visits >= REFRESH * self.r.len() {
            self.refresh();
        }
    }

    fn save_impulses(&self, iterate: &mut State<S>) {
        iterate.r.clone_from(&self.r);
    }

    fn save_velocities(&self, iterate: &mut State<S>) {
        iterate.u.clone_from(&self.u);
    }

    fn progress_against(&self, y: &State<S>, r: &State<S>) -> f64 {
        progress(&self.contacts, &self.r, &y.r, &r.r)
    }

    fn extrapolate(&mut self, extrapolation: Extrapolation, y: &State<S>, r: &mut State<S>) {
        extrapolation.advance(self.r.as_flattened_mut(), y.r.as_flattened(), r.r.as_flattened_mut());
        extrapolation.advance(self.u.as_flattened_mut(), y.u.as_flattened(), r.u.as_flattened_mut());
    }

    fn move_by(&mut self, part: f64, from: &State<S>, to: &State<S>) {
        move_by(self.r.as_flattened_mut(), part, from.r.as_flattened(), to.r.as_flattened());
        move_by(self.u.as_flattened_mut(), part, from.u.as_flattened(), to.u.as_flattened());
    }
}

impl<const S: usize> OrderedSweeps for Blocks<S> {
    fn permutation(&mut self) -> &mut Vec<u32> {
        &mut self.permutation
    }
}

impl<const S: usize> Assembled for Blocks<S> {
    /// In units of the problem, or in those of the owner (as Siconos does).
    fn residual(&mut self, kind: ResidualKind) -> f64 {
        let units = if kind == ResidualKind::Scaled { Units::PLAIN } else { self.units };
        let impulse: [f64; S] = std::array::from_fn(|i| 1.0 / units.impulse(i));
        let velocity: [f64; S] = std::array::from_fn(|i| 1.0 / units.velocity(i));
        let mut error = 0.0;
        let mut sizes = [0.0; 3];
        for (((r, u), q), one) in self.r.iter().zip(&self.u).zip(&self.q).zip(&self.contacts) {
            let limits = one.limits;
            let r: [f64; S] = std::array::from_fn(|i| r[i] * impulse[i]);
            let u: [f64; S] = std::array::from_fn(|i| u[i] * velocity[i]);
            error += natural_map_square(&r, &u, Limits { rolling: limits.rolling * units.length, ..limits });
            for i in 0..S {
                sizes[0] += (q[i] * velocity[i]).powi(2);
                sizes[1] += r[i] * r[i];
                sizes[2] += u[i] * u[i];
            }
        }
        quotient(error, sizes)
    }

    /// `u = W r + q`.
    fn refresh(&mut self) {
        self.visits = 0;
        self.u.clone_from(&self.q);
        for contact in 0..self.r.len() {
            let r = self.r[contact];
            if r != [0.0; S] {
                self.give(contact, &r);
            }
        }
    }

    fn restore(&mut self, iterate: &State<S>) {
        self.r.clone_from(&iterate.r);
        self.u.clone_from(&iterate.u);
    }

    fn set_impulses(&mut self, impulse: &[f64]) {
        for (r, given) in self.r.iter_mut().zip(impulse.chunks_exact(S)) {
            *r = std::array::from_fn(|i| given[i] * self.units.impulse(i));
        }
        self.refresh();
    }

    fn impulses(&self) -> Vec<f64> {
        self.r.iter().flat_map(|r| (0..S).map(|i| r[i] / self.units.impulse(i))).collect()
    }

    fn velocities(&self) -> Vec<f64> {
        self.u.iter().flat_map(|u| (0..S).map(|i| u[i] / self.units.velocity(i))).collect()
    }
}

/// `y += B x`, the block by columns.
#[inline]
fn add_product<const S: usize>(block: &[[f64; S]; S], x: &[f64; S], y: &mut [f64; S]) {
    for i in 0..S {
        let mut sum = 0.0;
        for j in 0..S {
            sum += block[j][i] * x[j];
        }
        y[i] += sum;
    }
}

/// `y − B x`.
fn subtract_product<const S: usize>(block: &[[f64; S]; S], x: &[f64; S], y: &[f64; S]) -> [f64; S] {
    let mut result = *y;
    add_product(block, &x.map(|x| -x), &mut result);
    result
}
