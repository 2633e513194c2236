//! Vectors and tensors of three components.

/// A tensor, by rows.
pub type Tensor = [[f64; 3]; 3];

pub fn add(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| a[i] + b[i])
}

pub fn sub(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| a[i] - b[i])
}

pub fn scaled(a: [f64; 3], factor: f64) -> [f64; 3] {
    a.map(|c| c * factor)
}

pub fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3])
}

pub fn length(a: [f64; 3]) -> f64 {
    dot(a, a).sqrt()
}

/// Adds `factor a⊗b`.
pub fn add_outer(tensor: &mut Tensor, factor: f64, a: [f64; 3], b: [f64; 3]) {
    for i in 0..3 {
        for j in 0..3 {
            tensor[i][j] += factor * a[i] * b[j];
        }
    }
}

/// The sum of two tensors, the second times a factor.
pub fn plus(a: Tensor, factor: f64, b: Tensor) -> Tensor {
    std::array::from_fn(|i| std::array::from_fn(|j| a[i][j] + factor * b[i][j]))
}

pub fn times(tensor: Tensor, factor: f64) -> Tensor {
    tensor.map(|row| row.map(|c| c * factor))
}

pub fn symmetric(tensor: Tensor) -> Tensor {
    std::array::from_fn(|i| std::array::from_fn(|j| 0.5 * (tensor[i][j] + tensor[j][i])))
}

/// The principal values of the symmetric part in the first `axes` axes, largest first, each with its direction.
pub fn principal(tensor: Tensor, axes: usize) -> Vec<(f64, [f64; 3])> {
    let mut a = symmetric(tensor);
    let mut vectors: Tensor = std::array::from_fn(|i| std::array::from_fn(|j| f64::from(u8::from(i == j))));
    // Jacobi's method: each turn takes an off-diagonal value away; a few rounds leave rounding only.
    for _ in 0..30 {
        let off: f64 = (0..axes).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| a[i][j].abs()).sum();
        let size: f64 = (0..axes).map(|i| a[i][i].abs()).sum::<f64>() + off;
        if off <= 1e-17 * size {
            break;
        }
        for (p, q) in (0..axes).flat_map(|p| (p + 1..axes).map(move |q| (p, q))) {
            if a[p][q] == 0.0 {
                continue;
            }
            let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
            let t = if theta == 0.0 { 1.0 } else { theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt()) };
            let c = 1.0 / (t * t + 1.0).sqrt();
            let s = t * c;
            for k in 0..3 {
                let (x, y) = (a[k][p], a[k][q]);
                (a[k][p], a[k][q]) = (c * x - s * y, s * x + c * y);
            }
            for k in 0..3 {
                let (x, y) = (a[p][k], a[q][k]);
                (a[p][k], a[q][k]) = (c * x - s * y, s * x + c * y);
                let (x, y) = (vectors[k][p], vectors[k][q]);
                (vectors[k][p], vectors[k][q]) = (c * x - s * y, s * x + c * y);
            }
        }
    }
    let mut values: Vec<(f64, [f64; 3])> =
        (0..axes).map(|i| (a[i][i], std::array::from_fn(|k| vectors[k][i]))).collect();
    values.sort_by(|x, y| y.0.total_cmp(&x.0));
    values
}

/// Solves `matrix x = right` for three unknowns; none if the matrix is singular to rounding.
pub fn solve(matrix: Tensor, right: [f64; 3], axes: usize) -> Option<[f64; 3]> {
    let mut rows: Vec<[f64; 4]> = (0..axes).map(|i| [matrix[i][0], matrix[i][1], matrix[i][2], right[i]]).collect();
    let size = matrix.iter().flatten().fold(0.0_f64, |m, c| m.max(c.abs()));
    for column in 0..axes {
        let pivot = (column..axes).max_by(|&a, &b| rows[a][column].abs().total_cmp(&rows[b][column].abs()))?;
        if rows[pivot][column].abs() <= 1e-12 * size {
            return None;
        }
        rows.swap(column, pivot);
        for row in (0..axes).filter(|&row| row != column) {
            let factor = rows[row][column] / rows[column][column];
            for k in column..4 {
                rows[row][k] -= factor * rows[column][k];
            }
        }
    }
    Some(std::array::from_fn(|i| if i < axes { rows[i][3] / rows[i][i] } else { 0.0 }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn principal_values_of_a_turned_tensor() {
        let (c, s) = (0.6, 0.8);
        let axes = [[c, s, 0.0], [-s * 0.6, c * 0.6, 0.8], [s * 0.8, -c * 0.8, 0.6]];
        let mut tensor = [[0.0; 3]; 3];
        for (value, axis) in [5.0, -1.0, 2.0].into_iter().zip(axes) {
            add_outer(&mut tensor, value, axis, axis);
        }
        let found = principal(tensor, 3);
        for ((value, direction), (expected, axis)) in
            found.iter().zip([(5.0, axes[0]), (2.0, axes[2]), (-1.0, axes[1])])
        {
            assert!((value - expected).abs() < 1e-14 && (dot(*direction, axis).abs() - 1.0).abs() < 1e-14);
        }
        let flat = principal([[1.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0; 3]], 2);
        assert!((flat[0].0 - 3.0).abs() < 1e-14 && (flat[1].0 + 1.0).abs() < 1e-14);
    }

    #[test]
    fn three_equations_are_solved_and_singular_ones_refused() {
        let matrix = [[0.0, 2.0, 1.0], [1.0, 1.0, 0.0], [3.0, 0.0, -1.0]];
        let x = solve(matrix, [7.0, 3.0, 0.0], 3).unwrap();
        for i in 0..3 {
            assert!((dot(matrix[i], x) - [7.0, 3.0, 0.0][i]).abs() < 1e-12);
        }
        assert_eq!(solve([[1.0, 2.0, 0.0], [2.0, 4.0, 0.0], [0.0; 3]], [1.0; 3], 2), None);
    }
}
