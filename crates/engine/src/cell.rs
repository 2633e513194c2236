//! The domain: which axes are periodic, and how long a period is.

use riprap_solve::{Dim, Vector};

/// The periodic directions of the domain. Positions are kept unwrapped: a body that has gone round twice is two
/// periods away, and only the pair search and the output fold it back.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cell<D: Dim> {
    /// The lower corner of the first period.
    pub origin: D::Vector,
    /// The length of a period along each axis; zero where the axis is not periodic.
    pub period: D::Vector,
}

impl<D: Dim> Cell<D> {
    /// True if axis `i` is periodic.
    pub fn is_periodic(&self, axis: usize) -> bool {
        self.period.get(axis) > 0.0
    }

    /// How many whole periods `position` is away from the first one, along each axis.
    pub fn periods(&self, position: D::Vector) -> [i16; 3] {
        std::array::from_fn(|i| {
            if i < D::AXES && self.is_periodic(i) {
                ((position.get(i) - self.origin.get(i)) / self.period.get(i)).floor() as i16
            } else {
                0
            }
        })
    }

    /// The vector of `periods` whole periods.
    pub fn shift(&self, periods: [i16; 3]) -> D::Vector {
        D::Vector::from_fn(|i| self.period.get(i) * f64::from(periods[i]))
    }

    /// `position` folded back into the first period.
    pub fn wrap(&self, position: D::Vector) -> D::Vector {
        position - self.shift(self.periods(position))
    }
}
