//! The smallest problems in 2D, one or two contacts: all ways in which contacts can be open, stick or slide are tried.
//!
//! Sweeps may need a hundred passes for two contacts that work against each other; sixteen systems of at most four equations
//! cost less than ten passes.

use super::blocks::Blocks;

/// What a contact may do.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// `r = 0`, `u_n ≥ 0`.
    Open,
    /// `u = 0`, `|r_t| ≤ μ r_n`.
    Stick,
    /// `u_n = 0`, `r_t = −μ r_n`, `u_t ≥ 0`.
    SlideUp,
    /// `u_n = 0`, `r_t = μ r_n`, `u_t ≤ 0`.
    SlideDown,
}

/// A pivot below this, in units of the mean diagonal of `W`, means that the equations of a way are dependent: twelve digits
/// are lost, and sweeps do better.
const SMALLEST_PIVOT: f64 = 1e-12;

const WAYS: [Way; 4] = [Way::Stick, Way::SlideUp, Way::SlideDown, Way::Open];

/// The impulses of a problem of one or two contacts with two rows each, if a combination of ways fits the laws.
pub fn enumerate<const S: usize>(state: &Blocks<S>) -> Option<[[f64; 2]; 2]> {
    let contacts = state.len_small()?;
    // W by rows and q, of all that there is.
    let mut w = [[0.0; 4]; 4];
    let mut q = [0.0; 4];
    for contact in 0..contacts {
        let diagonal = std::iter::once((contact, &state.contacts[contact].block));
        for (row, block) in diagonal.chain(state.column(contact)) {
            for j in 0..2 {
                for i in 0..2 {
                    w[2 * row + i][2 * contact + j] = block[j][i];
                }
            }
        }
        for i in 0..2 {
            q[2 * contact + i] = state.free_velocity(contact)[i];
        }
    }
    let friction = [0, contacts - 1].map(|contact| state.contacts[contact].limits.friction);
    let seconds: &[Way] = if contacts == 2 { &WAYS } else { &[Way::Open] };
    WAYS.into_iter()
        .flat_map(|first| seconds.iter().map(move |&second| [first, second]))
        .find_map(|ways| solve_ways(&w, &q, friction, ways, contacts))
}

/// The impulses if the contacts behave in these ways, and that is lawful.
fn solve_ways(
    w: &[[f64; 4]; 4],
    q: &[f64; 4],
    friction: [f64; 2],
    ways: [Way; 2],
    contacts: usize,
) -> Option<[[f64; 2]; 2]> {
    let rows = 2 * contacts;
    // One equation for each row: of the velocity, or of the impulse alone.
    let mut a = [[0.0; 5]; 4];
    for contact in 0..contacts {
        let (n, t) = (2 * contact, 2 * contact + 1);
        let velocity = |row: usize| {
            let mut equation = [0.0; 5];
            equation[..4].copy_from_slice(&w[row]);
            equation[4] = -q[row];
            equation
        };
        let tangent = |factor: f64| {
            let mut equation = [0.0; 5];
            (equation[n], equation[t]) = (factor, 1.0);
            equation
        };
        match ways[contact] {
            Way::Open => (a[n][n], a[t][t]) = (1.0, 1.0),
            Way::Stick => (a[n], a[t]) = (velocity(n), velocity(t)),
            Way::SlideUp => (a[n], a[t]) = (velocity(n), tangent(friction[contact])),
            Way::SlideDown => (a[n], a[t]) = (velocity(n), tangent(-friction[contact])),
        }
    }
    let r = eliminate(&mut a, rows)?;
    let lawful = (0..contacts).all(|contact| {
        let (n, t) = (2 * contact, 2 * contact + 1);
        let velocity = |row: usize| q[row] + (0..rows).map(|column| w[row][column] * r[column]).sum::<f64>();
        match ways[contact] {
            Way::Open => velocity(n) >= 0.0,
            Way::Stick => r[t].abs() <= friction[contact] * r[n],
            Way::SlideUp => r[n] >= 0.0 && velocity(t) >= 0.0,
            Way::SlideDown => r[n] >= 0.0 && velocity(t) <= 0.0,
        }
    });
    lawful.then_some([[r[0], r[1]], [r[2], r[3]]])
}

/// Solves `rows` equations with their right sides in the last column; `None` if they are dependent.
fn eliminate(a: &mut [[f64; 5]; 4], rows: usize) -> Option<[f64; 4]> {
    for column in 0..rows {
        let pivot = (column..rows).max_by(|&i, &j| a[i][column].abs().total_cmp(&a[j][column].abs()))?;
        a.swap(column, pivot);
        let line = a[column];
        if line[column].abs() < SMALLEST_PIVOT || !line[column].is_finite() {
            return None;
        }
        for row in 0..rows {
            if row != column {
                let factor = a[row][column] / line[column];
                for (value, of_pivot) in a[row].iter_mut().zip(line) {
                    *value -= factor * of_pivot;
                }
            }
        }
    }
    let mut r = [0.0; 4];
    for row in 0..rows {
        r[row] = a[row][4] / a[row][row];
    }
    Some(r)
}

#[cfg(test)]
mod tests {
    use crate::assembled::{AssembledOptions, AssembledProblem, LocalProblem, SparseMatrix, solve_assembled};

    /// Two contacts of one body, strongly coupled, with random data: solved without a sweep wherever a way fits, and always.
    #[test]
    fn two_contacts_are_solved_whatever_they_do() {
        let mut seed = 1_u64;
        let mut random = move || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        let mut without_sweeps = 0;
        for _ in 0..2000 {
            let h: [[f64; 4]; 4] = std::array::from_fn(|_| std::array::from_fn(|_| random()));
            let entry =
                |i: usize, j: usize| (0..4).map(|k| h[i][k] * h[j][k]).sum::<f64>() + if i == j { 0.1 } else { 0.0 };
            let triplets = (0..16).map(|k| (k / 4, k % 4, entry(k as usize / 4, k as usize % 4))).collect();
            let problem = AssembledProblem::Local(LocalProblem {
                size: 2,
                w: SparseMatrix::from_triplets(4, 4, triplets).unwrap(),
                q: (0..4).map(|_| random()).collect(),
                friction: vec![0.5 * (1.0 + random()), 0.5],
                rolling: Vec::new(),
            });
            let found = solve_assembled(&problem, &AssembledOptions::default(), None, &mut || false).unwrap();
            assert!(found.converged, "{found:?}");
            without_sweeps += usize::from(found.passes == 0);
        }
        assert!(without_sweeps > 1900, "{without_sweeps}");
    }
}
