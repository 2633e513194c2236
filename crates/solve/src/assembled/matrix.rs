//! Sparse matrices by rows: just what assembled problems need.

use super::ProblemError;

/// A sparse matrix by rows (CSR), the columns of each row in ascending order, none twice.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SparseMatrix {
    /// The number of rows.
    pub rows: usize,
    /// The number of columns.
    pub columns: usize,
    /// Where each row begins in `indices` and `values`, and where the last one ends.
    pub starts: Vec<usize>,
    /// The column of each entry.
    pub indices: Vec<u32>,
    /// The value of each entry.
    pub values: Vec<f64>,
}

impl SparseMatrix {
    /// The matrix with these entries `(row, column, value)`, in any order; entries at one place are added.
    pub fn from_triplets(rows: usize, columns: usize, triplets: Vec<(u32, u32, f64)>) -> Result<Self, ProblemError> {
        let mut starts = vec![0usize; rows + 1];
        for &(row, column, _) in &triplets {
            if row as usize >= rows || column as usize >= columns {
                return Err(ProblemError::OutOfRange { row: row as usize, column: column as usize, rows, columns });
            }
            starts[row as usize + 1] += 1;
        }
        for row in 0..rows {
            starts[row + 1] += starts[row];
        }
        let mut entries = vec![(0u32, 0.0); triplets.len()];
        let mut next = starts.clone();
        for (row, column, value) in triplets {
            entries[next[row as usize]] = (column, value);
            next[row as usize] += 1;
        }
        let mut matrix = SparseMatrix { rows, columns, starts: vec![0], indices: Vec::new(), values: Vec::new() };
        matrix.indices.reserve(entries.len());
        matrix.values.reserve(entries.len());
        for row in 0..rows {
            let list = &mut entries[starts[row]..starts[row + 1]];
            if !list.is_sorted_by_key(|entry| entry.0) {
                // Stable, so that entries at one place are added in the order given.
                list.sort_by_key(|entry| entry.0);
            }
            let begin = matrix.indices.len();
            for &(column, value) in list.iter() {
                if matrix.indices.len() > begin && matrix.indices.last() == Some(&column) {
                    *matrix.values.last_mut().expect("as long as the indices") += value;
                } else {
                    matrix.indices.push(column);
                    matrix.values.push(value);
                }
            }
            matrix.starts.push(matrix.indices.len());
        }
        Ok(matrix)
    }

    /// The entries of a row, `(column, value)`.
    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.starts[row]..self.starts[row + 1];
        self.indices[range.clone()].iter().map(|&column| column as usize).zip(self.values[range].iter().copied())
    }

    /// All entries `(row, column, value)`, row after row.
    pub fn triplets(&self) -> impl Iterator<Item = (u32, u32, f64)> + '_ {
        (0..self.rows).flat_map(|row| self.row(row).map(move |(column, value)| (row as u32, column as u32, value)))
    }

    /// The entry at a place, zero where none is stored.
    pub fn get(&self, row: usize, column: usize) -> f64 {
        let range = self.starts[row]..self.starts[row + 1];
        let found = self.indices[range.clone()].binary_search(&(column as u32));
        found.map_or(0.0, |place| self.values[range.start + place])
    }

    /// `y += A x`.
    pub fn multiply_add(&self, x: &[f64], y: &mut [f64]) {
        for (row, y) in y.iter_mut().enumerate() {
            *y += self.row(row).map(|(column, value)| value * x[column]).sum::<f64>();
        }
    }

    /// `y += Aᵀ x`.
    pub fn transposed_multiply_add(&self, x: &[f64], y: &mut [f64]) {
        for (row, &x) in x.iter().enumerate() {
            for (column, value) in self.row(row) {
                y[column] += value * x;
            }
        }
    }

    /// The transposed matrix.
    pub fn transposed(&self) -> SparseMatrix {
        let mut starts = vec![0usize; self.columns + 1];
        for &column in &self.indices {
            starts[column as usize + 1] += 1;
        }
        for column in 0..self.columns {
            starts[column + 1] += starts[column];
        }
        let mut next = starts.clone();
        let mut indices = vec![0u32; self.indices.len()];
        let mut values = vec![0.0; self.values.len()];
        for row in 0..self.rows {
            for (column, value) in self.row(row) {
                indices[next[column]] = row as u32;
                values[next[column]] = value;
                next[column] += 1;
            }
        }
        SparseMatrix { rows: self.columns, columns: self.rows, starts, indices, values }
    }

    /// Checks that the arrays describe a matrix; errors call it `name`.
    pub(super) fn check(&self, name: &'static str) -> Result<(), ProblemError> {
        let entries = self.indices.len();
        let malformed = |what: String| Err(ProblemError::Malformed { matrix: name, what });
        if self.starts.len() != self.rows + 1 || self.starts[0] != 0 || self.starts[self.rows] != entries {
            return malformed(format!("the starts of its {} rows do not fit its {entries} entries", self.rows));
        }
        if self.values.len() != entries {
            return malformed(format!("{entries} indices and {} values", self.values.len()));
        }
        if let Some(row) = (0..self.rows).find(|&row| self.starts[row] > self.starts[row + 1]) {
            return malformed(format!("row {row} ends before it begins"));
        }
        for row in 0..self.rows {
            let columns = &self.indices[self.starts[row]..self.starts[row + 1]];
            if let Some(&column) = columns.iter().find(|&&column| column as usize >= self.columns) {
                let (rows, columns) = (self.rows, self.columns);
                return Err(ProblemError::OutOfRange { row, column: column as usize, rows, columns });
            }
            if !columns.is_sorted_by(|a, b| a < b) {
                return malformed(format!("the columns of row {row} are not in ascending order"));
            }
            if let Some((column, value)) = self.row(row).find(|(_, value)| !value.is_finite()) {
                return Err(ProblemError::NotFinite { what: format!("{name}[{row}, {column}]"), value });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triplets_in_any_order_are_sorted_and_added() {
        let list = vec![(1, 2, 1.0), (0, 1, 2.0), (1, 0, 3.0), (1, 2, 4.0), (2, 2, -1.0)];
        let a = SparseMatrix::from_triplets(3, 4, list).unwrap();
        a.check("A").unwrap();
        assert_eq!(a.triplets().collect::<Vec<_>>(), [(0, 1, 2.0), (1, 0, 3.0), (1, 2, 5.0), (2, 2, -1.0)]);
        assert_eq!(a.transposed().transposed(), a);
        assert_eq!((a.get(1, 2), a.get(0, 0)), (5.0, 0.0));
        let mut y = vec![1.0; 3];
        a.multiply_add(&[1.0, 2.0, 3.0, 4.0], &mut y);
        assert_eq!(y, [5.0, 19.0, -2.0]);
        let mut x = vec![0.0; 4];
        a.transposed_multiply_add(&[1.0, 2.0, 3.0], &mut x);
        assert_eq!(x, [6.0, 2.0, 7.0, 0.0]);
    }

    #[test]
    fn an_entry_outside_of_the_matrix_is_an_error() {
        let found = SparseMatrix::from_triplets(2, 2, vec![(0, 2, 1.0)]);
        assert_eq!(found, Err(ProblemError::OutOfRange { row: 0, column: 2, rows: 2, columns: 2 }));
    }
}
