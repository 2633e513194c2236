//! The inverse of a mass matrix, group by group of freedoms that are coupled.

use super::{ProblemError, SparseMatrix};

/// How far two entries of a symmetric matrix may differ, in units of the diagonal: what writing and reading a file rounds.
const SYMMETRIC: f64 = 1e-14;
/// A pivot below this part of the largest entry is a zero. Masses and inertias of one body may lie many decades apart, so
/// only what cannot be divided by is refused.
const SMALLEST_PIVOT_RATIO: f64 = 1e-300;

/// `M⁻¹`, as dense inverses of the groups of freedoms that `M` couples (one group for each body, as a rule).
#[derive(Clone, Debug, Default)]
pub struct InverseMass {
    /// The freedoms of each group, ascending; the groups by their first freedom.
    pub groups: Vec<Vec<u32>>,
    /// The inverse of each group, by rows.
    pub inverses: Vec<Vec<f64>>,
    /// The group of each freedom.
    pub group_of: Vec<u32>,
    /// Its place in the group.
    pub place_of: Vec<u32>,
}

impl InverseMass {
    /// Inverts `M`.
    pub fn new(m: &SparseMatrix) -> Result<Self, ProblemError> {
        let group_of = groups(m);
        let count = group_of.iter().max().map_or(0, |&last| last as usize + 1);
        let mut groups = vec![Vec::new(); count];
        let mut place_of = vec![0u32; m.rows];
        for (freedom, &group) in group_of.iter().enumerate() {
            place_of[freedom] = groups[group as usize].len() as u32;
            groups[group as usize].push(freedom as u32);
        }
        let mut inverse = InverseMass { groups: Vec::new(), inverses: Vec::new(), group_of, place_of };
        for (index, group) in groups.iter().enumerate() {
            let order = group.len();
            let mut dense = vec![0.0; order * order];
            for (place, &freedom) in group.iter().enumerate() {
                // An entry of another group is a zero that was stored.
                for (column, value) in m.row(freedom as usize).filter(|&(j, _)| inverse.group_of[j] == index as u32) {
                    dense[place * order + inverse.place_of[column] as usize] = value;
                }
            }
            let inverted = invert(dense, order).ok_or(ProblemError::Singular { freedom: group[0] as usize })?;
            inverse.inverses.push(inverted);
        }
        inverse.groups = groups;
        Ok(inverse)
    }

    /// `M⁻¹ x`.
    pub fn multiply(&self, x: &[f64]) -> Vec<f64> {
        let mut y = vec![0.0; x.len()];
        for (group, inverse) in self.groups.iter().zip(&self.inverses) {
            for (&row, values) in group.iter().zip(inverse.chunks_exact(group.len())) {
                y[row as usize] = values.iter().zip(group).map(|(value, &column)| value * x[column as usize]).sum();
            }
        }
        y
    }
}

/// The factors `L` of the masses of all groups, `M = L Lᵀ`.
#[derive(Clone, Debug, Default)]
pub struct Factors {
    /// The group of each freedom.
    pub group_of: Vec<u32>,
    /// Where the freedoms of each group begin in `freedoms`, and where the last one's end.
    starts: Vec<u32>,
    freedoms: Vec<u32>,
    /// Where the factor of each group begins in `lower`.
    places: Vec<u32>,
    /// The factors by rows, with one over its diagonal in the place of the diagonal.
    lower: Vec<f64>,
}

impl Factors {
    /// Factorises `M`; `None` if it is not symmetric to rounding and positive, or couples more than `largest` freedoms.
    pub fn new(m: &SparseMatrix, largest: usize) -> Option<Self> {
        let group_of = groups(m);
        let count = group_of.iter().max().map_or(0, |&last| last as usize + 1);
        let mut starts = vec![0u32; count + 1];
        for &group in &group_of {
            starts[group as usize + 1] += 1;
        }
        for group in 0..count {
            starts[group + 1] += starts[group];
        }
        let mut freedoms = vec![0u32; m.rows];
        let mut place = vec![0u32; m.rows];
        let mut next = starts.clone();
        for (freedom, &group) in group_of.iter().enumerate() {
            let at = &mut next[group as usize];
            place[freedom] = *at - starts[group as usize];
            freedoms[*at as usize] = freedom as u32;
            *at += 1;
        }
        let mut places = Vec::with_capacity(count);
        let mut lower = Vec::with_capacity(m.values.len());
        for group in 0..count {
            let list = &freedoms[starts[group] as usize..starts[group + 1] as usize];
            let order = list.len();
            if order > largest {
                return None;
            }
            let begin = lower.len();
            places.push(u32::try_from(begin).ok()?);
            lower.resize(begin + order * order, 0.0);
            let a = &mut lower[begin..];
            for (row, &freedom) in list.iter().enumerate() {
                for (column, value) in m.row(freedom as usize).filter(|&(_, value)| value != 0.0) {
                    a[row * order + place[column] as usize] = value;
                }
            }
            factorise(a, order)?;
        }
        Some(Factors { group_of, starts, freedoms, places, lower })
    }

    /// The number of groups.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// The freedoms of a group, ascending.
    pub fn freedoms(&self, group: usize) -> &[u32] {
        &self.freedoms[self.starts[group] as usize..self.starts[group + 1] as usize]
    }

    /// `L⁻¹ b` for the rows of a group, in place.
    pub fn divide<const S: usize>(&self, group: usize, b: &mut [[f64; S]]) {
        let (order, lower) = (b.len(), &self.lower[self.places[group] as usize..]);
        for i in 0..order {
            let mut row = b[i];
            for k in 0..i {
                let factor = lower[i * order + k];
                for c in 0..S {
                    row[c] -= factor * b[k][c];
                }
            }
            b[i] = row.map(|value| value * lower[i * order + i]);
        }
    }

    /// `L⁻¹ x` for a vector of all freedoms, in place.
    pub fn divide_vector(&self, x: &mut [f64]) {
        for group in 0..self.len() {
            let freedoms = self.freedoms(group);
            let (order, lower) = (freedoms.len(), &self.lower[self.places[group] as usize..]);
            for i in 0..order {
                let mut value = x[freedoms[i] as usize];
                for k in 0..i {
                    value -= lower[i * order + k] * x[freedoms[k] as usize];
                }
                x[freedoms[i] as usize] = value * lower[i * order + i];
            }
        }
    }

    /// `L⁻ᵀ x` for a vector of all freedoms, in place.
    pub fn divide_transposed(&self, x: &mut [f64]) {
        for group in 0..self.len() {
            let freedoms = self.freedoms(group);
            let (order, lower) = (freedoms.len(), &self.lower[self.places[group] as usize..]);
            for i in (0..order).rev() {
                let mut value = x[freedoms[i] as usize];
                for k in i + 1..order {
                    value -= lower[k * order + i] * x[freedoms[k] as usize];
                }
                x[freedoms[i] as usize] = value * lower[i * order + i];
            }
        }
    }
}

/// Cholesky's factor of a dense matrix by rows, in place, with one over the diagonal in its place; `None` if the matrix is
/// not symmetric to rounding and positive.
fn factorise(a: &mut [f64], order: usize) -> Option<()> {
    for i in 0..order {
        for j in 0..i {
            let size = (a[i * order + i] * a[j * order + j]).abs().sqrt();
            if (a[i * order + j] - a[j * order + i]).abs() > SYMMETRIC * size {
                return None;
            }
        }
    }
    for j in 0..order {
        let mut pivot = a[j * order + j];
        for k in 0..j {
            pivot -= a[j * order + k] * a[j * order + k];
        }
        if !(pivot > 0.0 && pivot.is_finite()) {
            return None;
        }
        let inverse = 1.0 / pivot.sqrt();
        a[j * order + j] = inverse;
        for i in j + 1..order {
            let mut value = a[i * order + j];
            for k in 0..j {
                value -= a[i * order + k] * a[j * order + k];
            }
            a[i * order + j] = value * inverse;
        }
    }
    Some(())
}

/// The group of each freedom: the sets that entries of `M` join, counted in the order of their first freedom.
fn groups(m: &SparseMatrix) -> Vec<u32> {
    let mut parent: Vec<u32> = (0..m.rows as u32).collect();
    fn root(parent: &mut [u32], mut i: u32) -> u32 {
        while parent[i as usize] != i {
            parent[i as usize] = parent[parent[i as usize] as usize];
            i = parent[i as usize];
        }
        i
    }
    for row in 0..m.rows {
        for (column, value) in m.row(row) {
            if value != 0.0 && row != column {
                let (a, b) = (root(&mut parent, row as u32), root(&mut parent, column as u32));
                // The smaller index is the root, so that the first freedom of a group stands for it.
                parent[a.max(b) as usize] = a.min(b);
            }
        }
    }
    let mut count = 0;
    let mut group_of = vec![0u32; m.rows];
    for freedom in 0..m.rows {
        let first = root(&mut parent, freedom as u32) as usize;
        if first == freedom {
            group_of[freedom] = count;
            count += 1;
        } else {
            group_of[freedom] = group_of[first];
        }
    }
    group_of
}

/// The inverse of a dense matrix by rows, by elimination with pivots; `None` if it is singular to rounding.
pub fn invert(mut a: Vec<f64>, order: usize) -> Option<Vec<f64>> {
    let mut inverse = vec![0.0; order * order];
    for i in 0..order {
        inverse[i * order + i] = 1.0;
    }
    let size = a.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
    for column in 0..order {
        let pivot =
            (column..order).max_by(|&i, &j| a[i * order + column].abs().total_cmp(&a[j * order + column].abs()))?;
        let value = a[pivot * order + column];
        if value.is_nan() || value.abs() <= f64::MIN_POSITIVE.max(SMALLEST_PIVOT_RATIO * size) {
            return None;
        }
        for k in 0..order {
            a.swap(column * order + k, pivot * order + k);
            inverse.swap(column * order + k, pivot * order + k);
        }
        let factor = 1.0 / value;
        for k in 0..order {
            a[column * order + k] *= factor;
            inverse[column * order + k] *= factor;
        }
        for row in 0..order {
            let factor = a[row * order + column];
            if row != column && factor != 0.0 {
                for k in 0..order {
                    a[row * order + k] -= factor * a[column * order + k];
                    inverse[row * order + k] -= factor * inverse[column * order + k];
                }
            }
        }
    }
    Some(inverse)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_inverted_one_by_one() {
        // Freedoms 0 and 2 are coupled, 1 stands alone.
        let list = vec![(0, 0, 4.0), (0, 2, 1.0), (2, 0, 1.0), (2, 2, 3.0), (1, 1, 0.5), (1, 0, 0.0)];
        let m = SparseMatrix::from_triplets(3, 3, list).unwrap();
        let inverse = InverseMass::new(&m).unwrap();
        assert_eq!(inverse.groups, [vec![0, 2], vec![1]]);
        let x = [1.0, -2.0, 0.5];
        let mut back = vec![0.0; 3];
        m.multiply_add(&inverse.multiply(&x), &mut back);
        assert!(back.iter().zip(x).all(|(a, b)| (a - b).abs() < 1e-15));
    }

    #[test]
    fn a_singular_group_is_an_error() {
        let list = vec![(0, 0, 1.0), (1, 1, 1.0), (1, 2, 1.0), (2, 1, 1.0), (2, 2, 1.0)];
        let m = SparseMatrix::from_triplets(3, 3, list).unwrap();
        assert_eq!(InverseMass::new(&m).unwrap_err(), ProblemError::Singular { freedom: 1 });
    }
}
