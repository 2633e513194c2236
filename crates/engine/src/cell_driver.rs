//! What drives a periodic cell: along each axis its length is kept, stretched at a given rate, or gives way to a pressure; and
//! it may be sheared at a given rate. `stretching.rs` has the equations.

use crate::body::Span;
use crate::cell::Cell;
use crate::loads::TimeFunction;
use riprap_solve::{Dim, Vector};

/// What determines the length of a cell along an axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Stretch {
    /// It stays as it is.
    #[default]
    Fixed,
    /// It grows at this rate (1/s); negative is compression.
    Rate(TimeFunction),
    /// The stress along the axis is this pressure (Pa), positive in compression.
    Pressure(TimeFunction),
}

/// How a periodic cell is driven.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CellDriver<D: Dim> {
    /// Along each axis; only periodic axes can be stretched.
    pub stretch: [Stretch; 3],
    /// The rate of shear, for cells that are periodic along their first and last axes.
    pub shear: Option<TimeFunction>,
    /// The mass of the cell along each axis under pressure.
    pub mass: D::Vector,
    /// How far the cell extends along axes that are not periodic, and its thickness in 2D.
    pub spans: Vec<Span>,
}

impl<D: Dim> CellDriver<D> {
    /// The mass that grains of this total mass give to a cell: that of the motion `ε̇·r`, a twelfth of the mass times the
    /// period squared; and not less than twice the mass times the square of the grains' diameter, for small cells.
    pub fn natural_mass(cell: &Cell<D>, mass: f64, diameter: f64) -> D::Vector {
        let squared = |length: f64| f64::max(length * length / 12.0, 2.0 * diameter * diameter);
        D::Vector::from_fn(|i| mass * squared(cell.period.get(i)))
    }

    /// True if the cell can give way along an axis.
    pub(crate) fn is_free(&self, axis: usize) -> bool {
        matches!(self.stretch[axis], Stretch::Pressure(_))
    }

    /// The mass that resists along each axis: zero where the rate is imposed.
    pub(crate) fn mass_along_axes(&self) -> D::Vector {
        D::Vector::from_fn(|i| if self.is_free(i) { self.mass.get(i) } else { 0.0 })
    }
}
