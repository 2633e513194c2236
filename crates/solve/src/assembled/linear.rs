//! The linear systems of Newton's method: dense ones here, sparse ones by `rsparse`. One thread, no fused products, so that
//! every machine gets the same bits.

use crate::sweep::simd::{WideLoop, run_widest};
use rsparse::data::{Sprs, Trpl};

/// Columns that are eliminated together: their rows stay in the nearest memory while all rows below are updated.
const PANEL: usize = 32;
/// A diagonal entry is the pivot unless it is smaller than this part of the largest in its column, so that the order of
/// least fill is kept: a factorisation of 6,750 unknowns (1,500 disks) takes 24 ms, and 32 ms with 0.1 (2026-11-18).
const DIAGONAL_PIVOT: f64 = 1e-3;

/// A dense system: its matrix by rows, each followed by its right-hand side.
pub struct DenseSystem {
    size: usize,
    rows: Vec<f64>,
}

impl DenseSystem {
    /// A system with the matrix zero.
    pub fn new(right: &[f64]) -> Self {
        let size = right.len();
        let mut system = DenseSystem { size, rows: vec![0.0; size * (size + 1)] };
        for (row, &value) in right.iter().enumerate() {
            system.set(row, size, value);
        }
        system
    }

    /// Sets an entry of the matrix.
    pub fn set(&mut self, row: usize, column: usize, value: f64) {
        self.rows[row * (self.size + 1) + column] = value;
    }

    /// The solution, by elimination with row pivots; `None` where the matrix is singular.
    pub fn solve(mut self) -> Option<Vec<f64>> {
        let size = self.size;
        for first in (0..size).step_by(PANEL) {
            let last = (first + PANEL).min(size);
            self.eliminate_panel(first, last)?;
            run_widest(PanelUpdate { width: size + 1, first, last, rows: &mut self.rows });
        }
        let mut x = vec![0.0; size];
        for row in (0..size).rev() {
            let of_row = &self.rows[row * (size + 1)..][..size + 1];
            let known: f64 = of_row[row + 1..size].iter().zip(&x[row + 1..]).map(|(a, x)| a * x).sum();
            x[row] = (of_row[size] - known) / of_row[row];
        }
        Some(x)
    }

    /// Pivots and factors of the columns of a panel; entries to the right of it wait.
    fn eliminate_panel(&mut self, first: usize, last: usize) -> Option<()> {
        let width = self.size + 1;
        for column in first..last {
            let size_of = |row: &usize| self.rows[row * width + column].abs();
            let pivot = (column..self.size).max_by(|a, b| size_of(a).total_cmp(&size_of(b)))?;
            if size_of(&pivot) == 0.0 || !size_of(&pivot).is_finite() {
                return None;
            }
            if pivot != column {
                let (above, below) = self.rows.split_at_mut(pivot * width);
                above[column * width..][..width].swap_with_slice(&mut below[..width]);
            }
            let (above, below) = self.rows.split_at_mut((column + 1) * width);
            let pivot_row = &above[column * width..];
            for row in below.chunks_exact_mut(width) {
                row[column] /= pivot_row[column];
                subtract(&mut row[column..last], &pivot_row[column..last]);
            }
        }
        Some(())
    }
}

/// Subtracts from all but the first entry of a row those of a pivot's row, times the first.
#[inline(always)]
fn subtract(row: &mut [f64], pivot_row: &[f64]) {
    let factor = row[0];
    for (a, b) in row[1..].iter_mut().zip(&pivot_row[1..]) {
        *a -= factor * b;
    }
}

/// What a panel that is eliminated does to the entries to the right of it.
struct PanelUpdate<'a> {
    width: usize,
    first: usize,
    last: usize,
    rows: &'a mut [f64],
}

impl WideLoop for PanelUpdate<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let PanelUpdate { width, first, last, rows } = self;
        for row in first + 1..rows.len() / width {
            let (above, below) = rows.split_at_mut(row * width);
            let (factors, rest) = below[..width].split_at_mut(last);
            for pivot in first..last.min(row) {
                let factor = factors[pivot];
                for (a, b) in rest.iter_mut().zip(&above[pivot * width + last..(pivot + 1) * width]) {
                    *a -= factor * b;
                }
            }
        }
    }
}

/// The solution of a sparse system with these entries `(row, column, value)`, no place twice; `None` where the matrix is
/// singular.
pub fn solve_sparse(entries: &[(usize, usize, f64)], mut right: Vec<f64>) -> Option<Vec<f64>> {
    let size = right.len();
    let mut triplets = Trpl { m: size, n: size, p: Vec::new(), i: Vec::new(), x: Vec::new() };
    for &(row, column, value) in entries {
        triplets.i.push(row);
        triplets.p.push(column as isize);
        triplets.x.push(value);
    }
    rsparse::lusol(&Sprs::new_from_trpl(&triplets), &mut right, 0, DIAGONAL_PIVOT).ok()?;
    Some(right)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng, SeedableRng};

    /// A matrix of blocks on a ring, of which every third has no diagonal, and a right-hand side.
    fn system(size: usize) -> (Vec<(usize, usize, f64)>, Vec<f64>) {
        let mut random = rand_pcg::Pcg64Mcg::seed_from_u64(size as u64);
        let mut number = move || (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64 - 0.5;
        let near = |row: usize| [0, 1, 2, 7, 40].map(|step| (row + step) % size);
        let mut entries: Vec<(usize, usize, f64)> =
            (0..size).flat_map(|row| near(row).map(|column| (row, column))).map(|(i, j)| (i, j, number())).collect();
        entries.retain(|&(row, column, _)| row != column || row % 3 > 0);
        (entries, (0..size).map(|_| number()).collect())
    }

    #[test]
    fn both_ways_give_the_solution() {
        for size in [41, 64, 150, 333] {
            let (entries, right) = system(size);
            let mut dense = DenseSystem::new(&right);
            entries.iter().for_each(|&(row, column, value)| dense.set(row, column, value));
            for x in [dense.solve().unwrap(), solve_sparse(&entries, right.clone()).unwrap()] {
                let mut left = right.clone();
                entries.iter().for_each(|&(row, column, value)| left[row] -= value * x[column]);
                let largest = x.iter().fold(1.0, |largest: f64, x| largest.max(x.abs()));
                assert!(left.iter().all(|left| left.abs() < 1e-10 * largest), "{size}: {left:?}");
            }
        }
    }

    #[test]
    fn a_singular_matrix_has_no_solution() {
        let (mut entries, right) = system(60);
        entries.iter_mut().filter(|entry| entry.1 == 50).for_each(|entry| entry.2 = 0.0);
        let mut dense = DenseSystem::new(&right);
        entries.iter().for_each(|&(row, column, value)| dense.set(row, column, value));
        assert_eq!((dense.solve(), solve_sparse(&entries, right)), (None, None));
    }
}
