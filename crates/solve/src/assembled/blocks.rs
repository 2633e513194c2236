//! The Delassus operator by blocks of contacts, in units of the problem, and sweeps over it.
//!
//! Velocities are kept up to date: when the impulse of a contact changes, the change times its column of `W` is added
//! to the velocities of its neighbours. A contact that stays open costs nothing, and the residual needs no product.

use super::LocalProblem;
use super::cone::{Limits, natural_map_square, project};
use super::residual::{Units, matrix_unit, quotient};
use crate::law::solve_coupled;

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
    /// The blocks on the diagonal, by columns.
    diagonal: Vec<[[f64; S]; S]>,
    limits: Vec<Limits>,
    q: Vec<[f64; S]>,
    /// Impulses.
    pub r: Vec<[f64; S]>,
    /// Velocities.
    pub u: Vec<[f64; S]>,
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
        let limits = (0..contacts)
            .map(|contact| Limits {
                friction: problem.friction[contact],
                rolling: problem.rolling.get(contact).map_or(0.0, |rolling| rolling / units.length),
            })
            .collect();
        let q: Vec<[f64; S]> = (0..contacts)
            .map(|contact| std::array::from_fn(|i| problem.q[contact * S + i] * units.velocity(i)))
            .collect();
        Blocks { units, starts: counts, rows, values, diagonal, limits, r: vec![[0.0; S]; contacts], u: q.clone(), q }
    }

    /// The number of contacts.
    pub fn len(&self) -> usize {
        self.r.len()
    }

    /// Starts from these impulses, given in the units of the problem's owner.
    pub fn set_impulses(&mut self, impulse: &[f64]) {
        for (r, given) in self.r.iter_mut().zip(impulse.chunks_exact(S)) {
            *r = std::array::from_fn(|i| given[i] * self.units.impulse(i));
        }
        self.refresh();
    }

    /// The impulses in the units of the problem's owner.
    pub fn impulses(&self) -> Vec<f64> {
        self.r.iter().flat_map(|r| (0..S).map(|i| r[i] / self.units.impulse(i))).collect()
    }

    /// Velocities from scratch: `u = W r + q`.
    pub fn refresh(&mut self) {
        self.u.clone_from(&self.q);
        for contact in 0..self.len() {
            let r = self.r[contact];
            if r != [0.0; S] {
                self.give(contact, &r);
            }
        }
    }

    /// Visits one contact: gives it the impulse that satisfies its law while the others stay; returns the square of the
    /// change.
    #[inline]
    pub fn visit(&mut self, contact: usize) -> f64 {
        let old = self.r[contact];
        let free = subtract_product(&self.diagonal[contact], &old, &self.u[contact]);
        let new = one_contact(&self.diagonal[contact], &free, &old, self.limits[contact]);
        let change: [f64; S] = std::array::from_fn(|i| new[i] - old[i]);
        if change == [0.0; S] {
            return 0.0;
        }
        self.r[contact] = new;
        self.give(contact, &change);
        change.iter().map(|x| x * x).sum()
    }

    /// The error of the laws, in units of the problem or in those of the owner (as Siconos does).
    pub fn residual(&self, scaled: bool) -> f64 {
        let unit = Units { w: 1.0, length: 1.0 };
        let units = if scaled { unit } else { self.units };
        let impulse: [f64; S] = std::array::from_fn(|i| 1.0 / units.impulse(i));
        let velocity: [f64; S] = std::array::from_fn(|i| 1.0 / units.velocity(i));
        let mut error = 0.0;
        let mut sizes = [0.0; 3];
        for (((r, u), q), limits) in self.r.iter().zip(&self.u).zip(&self.q).zip(&self.limits) {
            let r: [f64; S] = std::array::from_fn(|i| r[i] * impulse[i]);
            let u: [f64; S] = std::array::from_fn(|i| u[i] * velocity[i]);
            error += natural_map_square(&r, &u, Limits { rolling: limits.rolling * units.length, ..*limits });
            for i in 0..S {
                sizes[0] += (q[i] * velocity[i]).powi(2);
                sizes[1] += r[i] * r[i];
                sizes[2] += u[i] * u[i];
            }
        }
        quotient(error, sizes)
    }

    #[inline]
    fn give(&mut self, contact: usize, change: &[f64; S]) {
        add_product(&self.diagonal[contact], change, &mut self.u[contact]);
        let range = self.starts[contact] as usize..self.starts[contact + 1] as usize;
        for (block, &row) in self.values[range.clone()].iter().zip(&self.rows[range]) {
            add_product(block, change, &mut self.u[row as usize]);
        }
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

/// The impulse of one contact whose velocity without it is `free`.
fn one_contact<const S: usize>(block: &[[f64; S]; S], free: &[f64; S], start: &[f64; S], limits: Limits) -> [f64; S] {
    if S == 5 {
        return iterate_one(block, free, start, limits);
    }
    let mut w = [[0.0; 3]; 3];
    let mut q = [0.0; 3];
    for i in 0..S {
        q[i] = free[i];
        for j in 0..S {
            w[i][j] = block[j][i];
        }
    }
    let p = solve_coupled(&w, q, limits.friction, S);
    std::array::from_fn(|i| p[i])
}

/// One contact by projections, for blocks that have no closed form.
fn iterate_one<const S: usize>(block: &[[f64; S]; S], free: &[f64; S], start: &[f64; S], limits: Limits) -> [f64; S] {
    let bound = (0..S).map(|i| (0..S).map(|j| block[j][i].abs()).sum::<f64>()).fold(0.0, f64::max);
    let mut r = *start;
    for _ in 0..100 {
        let mut u = *free;
        add_product(block, &r, &mut u);
        u[0] += limits.friction * super::cone::sliding(&u) + limits.rolling * super::cone::turning(&u);
        let next = project(&std::array::from_fn(|i| r[i] - u[i] / bound), limits);
        if next == r {
            break;
        }
        r = next;
    }
    r
}
