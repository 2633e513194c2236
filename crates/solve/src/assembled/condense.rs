//! From the global form to the local one: `W = Hᵀ M⁻¹ H`, `q = Hᵀ M⁻¹ f + w`.

use super::mass::InverseMass;
use super::{AssembledProblem, GlobalProblem, LocalProblem, ProblemError, SparseMatrix};
use std::borrow::Cow;

impl AssembledProblem {
    /// The problem in its local form.
    pub fn condense(&self) -> Result<Cow<'_, LocalProblem>, ProblemError> {
        match self {
            AssembledProblem::Local(problem) => Ok(Cow::Borrowed(problem)),
            AssembledProblem::Global(problem) => problem.condense().map(Cow::Owned),
        }
    }
}

impl GlobalProblem {
    /// The local form: `W = Hᵀ M⁻¹ H`, `q = Hᵀ M⁻¹ f + w`.
    pub fn condense(&self) -> Result<LocalProblem, ProblemError> {
        let inverse = InverseMass::new(&self.m)?;
        Ok(self.condense_by(&inverse))
    }

    pub(super) fn condense_by(&self, inverse: &InverseMass) -> LocalProblem {
        let mut q = self.w.clone();
        self.h.transposed_multiply_add(&inverse.multiply(&self.f), &mut q);
        let mut triplets = Vec::new();
        let mut columns: Vec<u32> = Vec::new();
        for (group, inverse) in inverse.groups.iter().zip(&inverse.inverses) {
            // The part of H that this group sees, dense: B with a row for each of its freedoms.
            columns.clear();
            for &freedom in group {
                columns.extend(self.h.row(freedom as usize).map(|(column, _)| column as u32));
            }
            columns.sort_unstable();
            columns.dedup();
            let (order, width) = (group.len(), columns.len());
            let mut b = vec![0.0; order * width];
            for (place, &freedom) in group.iter().enumerate() {
                for (column, value) in self.h.row(freedom as usize) {
                    let at = columns.binary_search(&(column as u32)).expect("collected above");
                    b[place * width + at] = value;
                }
            }
            // Mᵍ⁻¹ B, then Bᵀ times that.
            let mut mb = vec![0.0; order * width];
            for i in 0..order {
                for k in 0..order {
                    let factor = inverse[i * order + k];
                    if factor != 0.0 {
                        for c in 0..width {
                            mb[i * width + c] += factor * b[k * width + c];
                        }
                    }
                }
            }
            for a in 0..width {
                for c in 0..width {
                    let value: f64 = (0..order).map(|i| b[i * width + a] * mb[i * width + c]).sum();
                    if value != 0.0 {
                        triplets.push((columns[a], columns[c], value));
                    }
                }
            }
        }
        let rows = self.size * self.friction.len();
        let w = SparseMatrix::from_triplets(rows, rows, triplets).expect("columns of H are rows of W");
        LocalProblem { size: self.size, w, q, friction: self.friction.clone(), rolling: self.rolling.clone() }
    }
}
