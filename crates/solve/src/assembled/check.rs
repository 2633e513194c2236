//! Checks that matrices and vectors are a contact problem, with an error for each way in which they are not.

use super::{AssembledProblem, GlobalProblem, LocalProblem, SparseMatrix};
use thiserror::Error;

/// Why something is not a contact problem. Rows, columns and contacts are counted from 0.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ProblemError {
    /// Contacts with an unknown number of rows.
    #[error("a contact has {size} rows, expected 2 (2D), 3 (3D) or 5 (3D with rolling friction)")]
    Size {
        /// Rows per contact.
        size: usize,
    },
    /// An order of sweeps that the solver does not use.
    #[error("only plain sweeps can be {order} (gauss-seidel, newton); {solver} sweeps forward and backward")]
    Order {
        /// The solver.
        solver: &'static str,
        /// The order.
        order: &'static str,
    },
    /// Shapes that do not match.
    #[error("{what} is {found}, expected {expected}")]
    Shape {
        /// What has the wrong shape.
        what: &'static str,
        /// Its shape.
        found: String,
        /// The shape that it should have, and why.
        expected: String,
    },
    /// An entry of a matrix lies outside of it.
    #[error("entry [{row}, {column}] is outside a matrix of {rows} rows and {columns} columns")]
    OutOfRange {
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        column: usize,
        /// Rows of the matrix.
        rows: usize,
        /// Columns of the matrix.
        columns: usize,
    },
    /// Arrays that do not describe a sparse matrix.
    #[error("{matrix} is not a valid sparse matrix: {what}")]
    Malformed {
        /// The matrix.
        matrix: &'static str,
        /// What is wrong with it.
        what: String,
    },
    /// A number that is not finite.
    #[error("{what} is {value}, which is not a finite number")]
    NotFinite {
        /// Where it is.
        what: String,
        /// What it is.
        value: f64,
    },
    /// Negative friction, or a negative limit of rolling.
    #[error("{what}[{contact}] is {value}; it cannot be negative")]
    Negative {
        /// `friction` or `rolling`.
        what: &'static str,
        /// The contact.
        contact: usize,
        /// Its value.
        value: f64,
    },
    /// A diagonal entry that is not positive.
    #[error("the diagonal of {matrix} is {value} in row {row}{of}; it must be positive")]
    Diagonal {
        /// The matrix.
        matrix: &'static str,
        /// The row.
        row: usize,
        /// Its value.
        value: f64,
        /// Which contact that is.
        of: String,
    },
    /// A mass matrix without inverse.
    #[error("M cannot be inverted: it is singular in the degrees of freedom coupled to number {freedom}")]
    Singular {
        /// One of the freedoms.
        freedom: usize,
    },
}

impl AssembledProblem {
    /// Checks that this is a contact problem; the error names what is wrong and where.
    pub fn check(&self) -> Result<(), ProblemError> {
        match self {
            AssembledProblem::Local(problem) => problem.check(),
            AssembledProblem::Global(problem) => problem.check(),
        }
    }
}

impl LocalProblem {
    /// Checks that this is a contact problem; the error names what is wrong and where.
    pub fn check(&self) -> Result<(), ProblemError> {
        let rows = check_contacts(self.size, &self.friction, &self.rolling)?;
        check_matrix(&self.w, "W", rows, rows, "rows per contact times contacts")?;
        check_vector("q", &self.q, rows, "one for each row of W")?;
        check_diagonal(&self.w, "W", Some(self.size))
    }
}

impl GlobalProblem {
    /// Checks that this is a contact problem; the error names what is wrong and where.
    pub fn check(&self) -> Result<(), ProblemError> {
        let rows = check_contacts(self.size, &self.friction, &self.rolling)?;
        let freedoms = self.m.rows;
        check_matrix(&self.m, "M", freedoms, freedoms, "it must be square")?;
        check_matrix(&self.h, "H", freedoms, rows, "rows of M by rows per contact times contacts")?;
        check_vector("f", &self.f, freedoms, "one for each row of M")?;
        check_vector("w", &self.w, rows, "one for each column of H")?;
        check_diagonal(&self.m, "M", None)?;
        let mut reached = vec![false; rows];
        for (&column, &value) in self.h.indices.iter().zip(&self.h.values) {
            reached[column as usize] |= value != 0.0;
        }
        match reached.iter().position(|&reached| !reached) {
            Some(row) => Err(ProblemError::Diagonal {
                matrix: "Hᵀ M⁻¹ H",
                row,
                value: 0.0,
                of: format!(" (contact {}, whose column of H is empty)", row / self.size),
            }),
            None => Ok(()),
        }
    }
}

/// Checks what each contact has; returns the number of rows.
fn check_contacts(size: usize, friction: &[f64], rolling: &[f64]) -> Result<usize, ProblemError> {
    if ![2, 3, 5].contains(&size) {
        return Err(ProblemError::Size { size });
    }
    let contacts = friction.len();
    let expected = if size == 5 { contacts } else { 0 };
    if rolling.len() != expected {
        return Err(ProblemError::Shape {
            what: "rolling",
            found: format!("{} numbers", rolling.len()),
            expected: format!("{expected} ({contacts} contacts of {size} rows)"),
        });
    }
    for (what, list) in [("friction", friction), ("rolling", rolling)] {
        for (contact, &value) in list.iter().enumerate() {
            if !value.is_finite() {
                return Err(ProblemError::NotFinite { what: format!("{what}[{contact}]"), value });
            }
            if value < 0.0 {
                return Err(ProblemError::Negative { what, contact, value });
            }
        }
    }
    Ok(size * contacts)
}

fn check_matrix(
    matrix: &SparseMatrix,
    name: &'static str,
    rows: usize,
    columns: usize,
    why: &str,
) -> Result<(), ProblemError> {
    if (matrix.rows, matrix.columns) != (rows, columns) {
        return Err(ProblemError::Shape {
            what: name,
            found: format!("{} by {}", matrix.rows, matrix.columns),
            expected: format!("{rows} by {columns} ({why})"),
        });
    }
    matrix.check(name)
}

fn check_vector(name: &'static str, vector: &[f64], length: usize, why: &str) -> Result<(), ProblemError> {
    if vector.len() != length {
        return Err(ProblemError::Shape {
            what: name,
            found: format!("{} numbers", vector.len()),
            expected: format!("{length} ({why})"),
        });
    }
    match vector.iter().position(|value| !value.is_finite()) {
        Some(row) => Err(ProblemError::NotFinite { what: format!("{name}[{row}]"), value: vector[row] }),
        None => Ok(()),
    }
}

fn check_diagonal(matrix: &SparseMatrix, name: &'static str, size: Option<usize>) -> Result<(), ProblemError> {
    for row in 0..matrix.rows {
        let value = matrix.get(row, row);
        if value <= 0.0 {
            let of = size.map_or(String::new(), |size| format!(" (row {} of contact {})", row % size, row / size));
            return Err(ProblemError::Diagonal { matrix: name, row, value, of });
        }
    }
    Ok(())
}
