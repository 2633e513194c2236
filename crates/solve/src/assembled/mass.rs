//! The inverse of a mass matrix, group by group of freedoms that are coupled.

use super::{ProblemError, SparseMatrix};

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
        let groups = groups(m);
        let mut inverse = InverseMass { group_of: vec![0; m.rows], place_of: vec![0; m.rows], ..Default::default() };
        for (index, group) in groups.iter().enumerate() {
            for (place, &freedom) in group.iter().enumerate() {
                inverse.group_of[freedom as usize] = index as u32;
                inverse.place_of[freedom as usize] = place as u32;
            }
        }
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

/// The sets of freedoms that entries of `M` join, each ascending, in the order of their first freedom.
fn groups(m: &SparseMatrix) -> Vec<Vec<u32>> {
    let mut parent: Vec<u32> = (0..m.rows as u32).collect();
    fn root(parent: &mut [u32], mut i: u32) -> u32 {
        while parent[i as usize] != i {
            parent[i as usize] = parent[parent[i as usize] as usize];
            i = parent[i as usize];
        }
        i
    }
    for (row, column, value) in m.triplets() {
        if value != 0.0 && row != column {
            let (a, b) = (root(&mut parent, row), root(&mut parent, column));
            // The smaller index is the root, so that the first freedom of a group stands for it.
            parent[a.max(b) as usize] = a.min(b);
        }
    }
    let mut index = vec![u32::MAX; m.rows];
    let mut groups: Vec<Vec<u32>> = Vec::new();
    for freedom in 0..m.rows as u32 {
        let first = root(&mut parent, freedom) as usize;
        if index[first] == u32::MAX {
            index[first] = groups.len() as u32;
            groups.push(Vec::new());
        }
        groups[index[first] as usize].push(freedom);
    }
    groups
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
        if value.is_nan() || value.abs() <= f64::MIN_POSITIVE.max(1e-300 * size) {
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
