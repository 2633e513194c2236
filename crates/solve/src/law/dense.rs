//! Small dense systems of linear equations.

use super::torque_contact::{Local, SIZE};

/// The solution of `matrix x = right` for the first `size` rows and columns, by elimination with row pivots; `None` where
/// the matrix is singular.
pub fn solve_linear(mut matrix: [Local; SIZE], mut right: Local, size: usize) -> Option<Local> {
    for column in 0..size {
        let pivot = (column..size).max_by(|&a, &b| matrix[a][column].abs().total_cmp(&matrix[b][column].abs()))?;
        if matrix[pivot][column] == 0.0 || !matrix[pivot][column].is_finite() {
            return None;
        }
        matrix.swap(column, pivot);
        right.swap(column, pivot);
        for row in column + 1..size {
            let factor = matrix[row][column] / matrix[column][column];
            for k in column..size {
                matrix[row][k] -= factor * matrix[column][k];
            }
            right[row] -= factor * right[column];
        }
    }
    let mut x = [0.0; SIZE];
    for row in (0..size).rev() {
        let mut sum = right[row];
        for k in row + 1..size {
            sum -= matrix[row][k] * x[k];
        }
        x[row] = sum / matrix[row][row];
    }
    x.iter().all(|value| value.is_finite()).then_some(x)
}
