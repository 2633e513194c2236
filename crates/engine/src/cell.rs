//! The domain: which axes are periodic, how long a period is, and how it deforms.

use riprap_solve::{Dim, Vector};

/// The periodic directions of the domain. Positions are stored unwrapped: a body that has gone round twice is two
/// periods away, and only the pair search and the output wrap it.
///
/// A cell that deforms carries the grains along: the velocity of a grain at `r` is its own plus `ε̇·(r − origin)`, where `ε̇`
/// stretches along the axes and shears, along the first axis, planes across the last one (see [`crate::CellDriver`]).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cell<D: Dim> {
    /// The lower corner of the first period, which stays where it is.
    pub origin: D::Vector,
    /// The length of a period along each axis; zero where the axis is not periodic.
    pub period: D::Vector,
    /// How far the image one period up the last axis is shifted along the first.
    pub tilt: f64,
    /// The rate of stretching along each axis.
    pub rate: D::Vector,
    /// The rate of shear: how the velocity along the first axis grows along the last.
    pub shear: f64,
}

impl<D: Dim> Cell<D> {
    /// A cell that does not deform.
    pub fn new(origin: D::Vector, period: D::Vector) -> Self {
        Cell { origin, period, ..Cell::default() }
    }

    /// True if axis `i` is periodic.
    pub fn is_periodic(&self, axis: usize) -> bool {
        self.period.get(axis) > 0.0
    }

    /// How many whole periods `position` is away from the first one, along each axis.
    pub fn periods(&self, position: D::Vector) -> [i16; 3] {
        let count = |axis: usize, x: f64| {
            if self.is_periodic(axis) {
                ((x - self.origin.get(axis)) / self.period.get(axis)).floor() as i16
            } else {
                0
            }
        };
        let last = count(D::AXES - 1, position.get(D::AXES - 1));
        std::array::from_fn(|i| match i {
            0 => count(0, position.get(0) - self.tilt * f64::from(last)),
            _ if i + 1 == D::AXES => last,
            _ if i < D::AXES => count(i, position.get(i)),
            _ => 0,
        })
    }

    /// An axis whose period is shorter than one and a half diameters of a grain, from which on lists of pairs, with their reach
    /// of half a radius on either side, pair the grain with its own image: the axis, the period, and the shortest period that
    /// is long enough.
    pub fn too_small_for(&self, radius: f64) -> Option<(usize, f64, f64)> {
        let least = 3.0 * radius;
        let is_short = |axis: &usize| {
            let period = self.period.get(*axis);
            period != 0.0 && (period.is_nan() || period < least)
        };
        (0..D::AXES).find(is_short).map(|axis| (axis, self.period.get(axis), least))
    }

    /// True if `position` is so many periods away that the number of periods between two such places may not fit into
    /// 16 bits.
    pub(crate) fn is_beyond_count(&self, position: D::Vector) -> bool {
        const MOST: i16 = i16::MAX / 2 - 2;
        self.periods(position).iter().any(|&periods| !(-MOST..=MOST).contains(&periods))
    }

    /// The vector of `periods` whole periods.
    pub fn shift(&self, periods: [i16; 3]) -> D::Vector {
        let straight = D::Vector::from_fn(|i| self.period.get(i) * f64::from(periods[i]));
        straight + D::Vector::axis(0) * (self.tilt * f64::from(periods[D::AXES - 1]))
    }

    /// `position` wrapped into the first period.
    pub fn wrap(&self, position: D::Vector) -> D::Vector {
        position - self.shift(self.periods(position))
    }

    /// The velocity of a grain at a wrapped position: its own plus that of the deforming cell.
    pub fn carried(&self, place: D::Vector, own: D::Vector) -> D::Vector {
        own + self.velocity(place - self.origin)
    }

    /// `ε̇·branch`: how fast two points move apart because the cell deforms.
    pub fn velocity(&self, branch: D::Vector) -> D::Vector {
        self.rate.scale(branch) + D::Vector::axis(0) * (self.shear * branch.get(D::AXES - 1))
    }

    /// The deformation of the cell within `time` at the present rates.
    pub(crate) fn deformation(&self, time: f64) -> Deformation<D> {
        // The exponential of the upper triangle (a s; 0 b), with (eᵃ − eᵇ)/(a − b) written so that a = b needs no special case.
        let growth = |x: f64| if x == 0.0 { 1.0 } else { libm::expm1(x) / x };
        let (a, b) = (self.rate.get(0) * time, self.rate.get(D::AXES - 1) * time);
        Deformation {
            stretch: D::Vector::from_fn(|i| libm::exp(self.rate.get(i) * time)),
            shear: self.shear * time * libm::exp(b) * growth(a - b),
        }
    }

    /// The cell after a deformation.
    pub(crate) fn deformed(&self, by: &Deformation<D>) -> Self {
        let last = self.period.get(D::AXES - 1);
        let tilt = by.stretch.get(0) * self.tilt + by.shear * last;
        Cell { period: by.stretch.scale(self.period), tilt, ..*self }
    }
}

/// A linear map of space about the origin of a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Deformation<D: Dim> {
    stretch: D::Vector,
    shear: f64,
}

impl<D: Dim> Deformation<D> {
    /// The deformation that turns one cell into another.
    pub fn between(from: &Cell<D>, to: &Cell<D>) -> Self {
        let ratio = |i: usize| if from.is_periodic(i) { to.period.get(i) / from.period.get(i) } else { 1.0 };
        let stretch = D::Vector::from_fn(ratio);
        let last = from.period.get(D::AXES - 1);
        let shear = if last > 0.0 { (to.tilt - stretch.get(0) * from.tilt) / last } else { 0.0 };
        Deformation { stretch, shear }
    }

    /// Where a point goes.
    pub fn carry(&self, origin: D::Vector, point: D::Vector) -> D::Vector {
        let from = point - origin;
        origin + self.stretch.scale(from) + D::Vector::axis(0) * (self.shear * from.get(D::AXES - 1))
    }

    /// The largest relative change of the length of a vector.
    pub fn strain(&self) -> f64 {
        let stretch = (0..D::AXES).map(|i| (self.stretch.get(i) - 1.0).abs()).fold(0.0, f64::max);
        stretch + self.shear.abs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;
    use riprap_solve::D3;

    fn tilted() -> Cell<D3> {
        Cell { tilt: 5.3, ..Cell::new(DVec3::new(-0.5, 0.2, 1.0), DVec3::new(2.0, 3.0, 1.5)) }
    }

    #[test]
    fn a_point_folded_back_lies_in_the_first_period_whatever_the_tilt() {
        let cell = tilted();
        for number in 0..200 {
            let place = DVec3::new(0.37, -0.81, 0.53) * f64::from(number - 100);
            let folded = cell.wrap(place) - cell.origin;
            for axis in 0..3 {
                assert!(folded[axis] > -1e-9 && folded[axis] < cell.period[axis] + 1e-9, "{place} {folded}");
            }
        }
    }

    #[test]
    fn a_deformation_is_that_of_many_small_steps() {
        let cell = Cell { rate: DVec3::new(0.3, -0.1, -0.2), shear: 0.7, ..tilted() };
        let whole = cell.deformation(0.8);
        let place = DVec3::new(1.3, -0.4, 2.2);
        let mut point = place;
        for _ in 0..100_000 {
            point += cell.velocity(point - cell.origin) * (0.8 / 100_000.0);
        }
        assert!((whole.carry(cell.origin, place) - point).length() < 1e-4);
        // What makes the one cell of the other is the deformation itself.
        let between = Deformation::between(&cell, &cell.deformed(&whole));
        assert!((between.carry(cell.origin, place) - whole.carry(cell.origin, place)).length() < 1e-12);
        // Without stretching, the shear is plain.
        let plain = Cell::<D3> { rate: DVec3::ZERO, ..cell }.deformation(0.8);
        assert_eq!((plain.shear, plain.strain()), (0.7 * 0.8, 0.7 * 0.8));
    }
}
