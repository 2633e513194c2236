//! Contact problems given as matrices: what other programs write into files, and what a bug report holds.
//!
//! Contacts have 2, 3 or 5 rows, the normal first: `(n, t)` in 2D, `(n, t₁, t₂)` in 3D, and `(n, t₁, t₂, ρ₁, ρ₂)` in 3D
//! with rolling, whose last two rows are a relative spin and a torque impulse. The law of a contact is
//!
//! ```text
//!   K = { r : |r_t| ≤ μ r_n, |r_ρ| ≤ μ_r r_n },   K* ∋ u + (μ|u_t| + μ_r|u_ρ|) n  ⟂  r ∈ K
//! ```
//!
//! which is Signorini's and Coulomb's law (docs/method.md §3); restitution is part of the given vector. Two forms:
//!
//! ```text
//!   local    u = W r + q
//!   global   M v = H r + f,   u = Hᵀ v + w        so that  W = Hᵀ M⁻¹ H,  q = Hᵀ M⁻¹ f + w
//! ```

mod blocks;
mod breadth_first;
mod check;
mod condense;
mod cone;
mod contact;
mod enumerate;
mod freedoms;
mod from_bodies;
mod linear;
mod mass;
mod matrix;
mod newton;
mod residual;
mod solve;
mod watch;

pub use check::ProblemError;
pub use from_bodies::{FromBodies, LeftOut};
pub use matrix::SparseMatrix;
pub use residual::Residuals;
pub use solve::{AssembledOptions, AssembledSolution, AssembledSolver, Reason, ResidualKind, solve_assembled};

/// `u = W r + q` and the law of each contact.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LocalProblem {
    /// Rows per contact: 2, 3, or 5 with rolling.
    pub size: usize,
    /// The Delassus operator `W`, square.
    pub w: SparseMatrix,
    /// The velocity without impulses.
    pub q: Vec<f64>,
    /// Coulomb's `μ` of each contact.
    pub friction: Vec<f64>,
    /// The limit `μ_r` of rolling of each contact, a length; empty unless there are five rows.
    pub rolling: Vec<f64>,
}

/// `M v = H r + f`, `u = Hᵀ v + w` and the law of each contact.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GlobalProblem {
    /// Rows of `u` per contact: 2, 3, or 5 with rolling.
    pub size: usize,
    /// The mass matrix, square.
    pub m: SparseMatrix,
    /// The contact map: a row for each freedom, `size` columns for each contact.
    pub h: SparseMatrix,
    /// Momentum without contacts.
    pub f: Vec<f64>,
    /// What is added to the relative velocity.
    pub w: Vec<f64>,
    /// Coulomb's `μ` of each contact.
    pub friction: Vec<f64>,
    /// The limit `μ_r` of rolling of each contact, a length; empty unless there are five rows.
    pub rolling: Vec<f64>,
}

/// A contact problem in either form.
#[derive(Clone, Debug, PartialEq)]
pub enum AssembledProblem {
    /// In the unknowns of the contacts alone.
    Local(LocalProblem),
    /// With the freedoms of the bodies.
    Global(GlobalProblem),
}

impl AssembledProblem {
    /// Rows per contact: 2, 3, or 5 with rolling.
    pub fn size(&self) -> usize {
        match self {
            AssembledProblem::Local(problem) => problem.size,
            AssembledProblem::Global(problem) => problem.size,
        }
    }

    /// The dimension of space: 2 or 3.
    pub fn dimension(&self) -> usize {
        self.size().min(3)
    }

    /// Coulomb's `μ` of each contact.
    pub fn friction(&self) -> &[f64] {
        match self {
            AssembledProblem::Local(problem) => &problem.friction,
            AssembledProblem::Global(problem) => &problem.friction,
        }
    }

    /// The limit of rolling of each contact; empty without rolling.
    pub fn rolling(&self) -> &[f64] {
        match self {
            AssembledProblem::Local(problem) => &problem.rolling,
            AssembledProblem::Global(problem) => &problem.rolling,
        }
    }

    /// The number of contacts.
    pub fn contacts(&self) -> usize {
        self.friction().len()
    }
}
