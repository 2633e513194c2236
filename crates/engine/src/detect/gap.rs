//! The gap of a ball and a body whose surface is one formula. The other pairs are in `matrix.rs`, with the table of all.

use crate::shape::Shape;
use riprap_solve::{Dim, Vector};

/// The gap of a pair and where it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Geometry<D: Dim> {
    /// Unit vector from body 1 to body 2.
    pub normal: D::Vector,
    /// Signed gap; negative is overlap.
    pub gap: f64,
    /// Midway between the two surfaces, next to body 1.
    pub point: D::Vector,
    /// Which contact point of the pair it is, from step to step; zero where there can be only one.
    pub feature: u64,
}

/// A body where it is.
#[derive(Clone, Copy, Debug)]
pub struct Placed<'a, D: Dim> {
    /// Its shape.
    pub shape: &'a Shape<D>,
    /// Its position.
    pub position: D::Vector,
    /// Its orientation.
    pub orientation: D::Orientation,
}

/// The gap between two bodies of which the second is a ball and the first has a surface of one formula.
///
/// # Panics
/// If they are not.
#[inline]
pub fn gap<D: Dim>(first: Placed<'_, D>, second: Placed<'_, D>) -> Geometry<D> {
    let Shape::Ball { radius } = *second.shape else { unreachable!("the second body is a ball") };
    let from_first = second.position - first.position;
    // The outward normal of body 1 at the point nearest to the ball's centre, and the centre's height above it.
    let (normal, height) = match *first.shape {
        Shape::Ball { radius: own } => return gap_of_balls(second.position, from_first, [own, radius]),
        Shape::Plane { normal } => {
            let normal = D::rotate(first.orientation, normal);
            (normal, normal.dot(from_first))
        }
        Shape::Plate { half_edges } => {
            let nearest = half_edges.iter().fold(D::Vector::ZERO, |nearest, &edge| {
                let edge = D::rotate(first.orientation, edge);
                let square = edge.dot(edge);
                if square > 0.0 { nearest + edge * (edge.dot(from_first) / square).clamp(-1.0, 1.0) } else { nearest }
            });
            let away = from_first - nearest;
            let distance = away.length();
            (direction::<D>(away, distance), distance)
        }
        Shape::Drum { radius: own, axis } => {
            let away = from_axis::<D>(from_first, D::rotate(first.orientation, axis));
            let distance = away.length();
            (-direction::<D>(away, distance), own - distance)
        }
        Shape::Rod { radius: own, axis } => {
            let away = from_axis::<D>(from_first, D::rotate(first.orientation, axis));
            let distance = away.length();
            (direction::<D>(away, distance), distance - own)
        }
        Shape::Convex(_) | Shape::Cluster(_) | Shape::Mesh(_) => unreachable!("its surface is not one formula"),
    };
    let gap = height - radius;
    Geometry { normal, gap, point: second.position - normal * (radius + 0.5 * gap), feature: 0 }
}

/// The gap between two balls with these radii, the second at `position` and `from_first` away from the first.
#[inline]
pub fn gap_of_balls<D: Dim>(position: D::Vector, from_first: D::Vector, radii: [f64; 2]) -> Geometry<D> {
    let distance = from_first.length();
    let normal = direction::<D>(from_first, distance);
    let gap = distance - radii[0] - radii[1];
    Geometry { normal, gap, point: position - normal * (radii[1] + 0.5 * gap), feature: 0 }
}

/// The part of `vector` perpendicular to the unit vector `axis`; in 2D the axis is zero and this is all of it.
fn from_axis<D: Dim>(vector: D::Vector, axis: D::Vector) -> D::Vector {
    vector - axis * axis.dot(vector)
}

/// `vector` over its length; where two centres coincide, any direction is as good.
#[inline]
fn direction<D: Dim>(vector: D::Vector, length: f64) -> D::Vector {
    if length > 0.0 { vector * (1.0 / length) } else { D::Vector::axis(D::AXES - 1) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{DQuat, DVec2, DVec3};
    use riprap_solve::{D2, D3};

    fn check3(shape: Shape<D3>, orientation: DQuat, centre: DVec3, radius: f64, expected: (DVec3, f64, DVec3)) {
        let first = Placed { shape: &shape, position: DVec3::new(1.0, 2.0, 3.0), orientation };
        let ball = Shape::Ball { radius };
        let second =
            Placed { shape: &ball, position: DVec3::new(1.0, 2.0, 3.0) + centre, orientation: DQuat::IDENTITY };
        let found = gap(first, second);
        assert!((found.normal - expected.0).length() < 1e-14, "{shape:?}: {found:?}");
        assert!((found.gap - expected.1).abs() < 1e-14, "{shape:?}: {found:?}");
        assert!((found.point - DVec3::new(1.0, 2.0, 3.0) - expected.2).length() < 1e-14, "{shape:?}: {found:?}");
    }

    #[test]
    fn gaps_of_all_pairs_in_space() {
        let still = DQuat::IDENTITY;
        check3(Shape::Ball { radius: 1.0 }, still, DVec3::X * 3.0, 1.5, (DVec3::X, 0.5, DVec3::X * 1.25));
        check3(
            Shape::Plane { normal: DVec3::Z },
            still,
            DVec3::new(5.0, -7.0, 0.9),
            1.0,
            (DVec3::Z, -0.1, DVec3::new(5.0, -7.0, -0.05)),
        );
        // A plane that has turned by a quarter about x: its normal was z and is now −y.
        let quarter = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
        check3(
            Shape::Plane { normal: DVec3::Z },
            quarter,
            DVec3::new(0.0, -2.0, 4.0),
            1.0,
            (-DVec3::Y, 1.0, DVec3::new(0.0, -0.5, 4.0)),
        );
        let plate = Shape::Plate { half_edges: [DVec3::X * 2.0, DVec3::Y] };
        check3(plate.clone(), still, DVec3::new(1.0, 0.5, -3.0), 1.0, (-DVec3::Z, 2.0, DVec3::new(1.0, 0.5, -1.0)));
        // Beyond its edge: the nearest point is on the edge at x = 2, and the ball touches it from the side.
        check3(
            plate,
            still,
            DVec3::new(5.0, 0.5, 4.0),
            4.0,
            (DVec3::new(0.6, 0.0, 0.8), 1.0, DVec3::new(2.3, 0.5, 0.4)),
        );
        check3(
            Shape::Drum { radius: 5.0, axis: DVec3::Y },
            still,
            DVec3::new(3.0, 9.0, 0.0),
            1.0,
            (-DVec3::X, 1.0, DVec3::new(4.5, 9.0, 0.0)),
        );
        check3(
            Shape::Rod { radius: 1.0, axis: DVec3::Y },
            still,
            DVec3::new(0.0, 9.0, 3.0),
            1.0,
            (DVec3::Z, 1.0, DVec3::new(0.0, 9.0, 1.5)),
        );
    }

    #[test]
    fn gaps_in_the_plane() {
        let ball = Shape::<D2>::Ball { radius: 1.0 };
        let at = |shape, position| Placed { shape, position, orientation: 0.0 };
        let drum = Shape::Drum { radius: 4.0, axis: DVec2::ZERO };
        let found = gap(at(&drum, DVec2::ZERO), at(&ball, DVec2::new(0.0, -2.5)));
        assert!((found.normal - DVec2::Y).length() < 1e-15 && (found.gap - 0.5).abs() < 1e-15);
        let segment = Shape::Plate { half_edges: [DVec2::X, DVec2::ZERO] };
        let found = gap(at(&segment, DVec2::ZERO), at(&ball, DVec2::new(4.0, 4.0)));
        assert!((found.gap - 4.0).abs() < 1e-15 && (found.normal - DVec2::new(0.6, 0.8)).length() < 1e-15);
        // Coinciding centres still give a unit normal and the full depth.
        let found = gap(at(&ball, DVec2::ZERO), at(&ball, DVec2::ZERO));
        assert_eq!((found.normal.length(), found.gap), (1.0, -2.0));
    }
}
