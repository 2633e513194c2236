//! The shapes of bodies, in their own frame.

use riprap_solve::{Dim, Vector};

/// What a body looks like. Lengths are in the body frame, with the body's position as the origin.
/// A cylinder has no end: close it with planes, or make its axis periodic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape<D: Dim> {
    /// A sphere, in 2D a disk.
    Ball {
        /// Its radius.
        radius: f64,
    },
    /// An endless plane (in 2D a line) through the body's position; grains are on the side of the normal.
    Plane {
        /// Unit vector towards the grains.
        normal: D::Vector,
    },
    /// A thin rectangle (in 2D a segment) centred on the body's position, solid from both sides.
    Plate {
        /// Half of each edge, as vectors from the centre, perpendicular to each other; the second is zero in 2D.
        half_edges: [D::Vector; 2],
    },
    /// A cylinder (in 2D a circle) seen from inside: a drum, a silo.
    Drum {
        /// Its inner radius.
        radius: f64,
        /// Unit vector along the axis; zero in 2D.
        axis: D::Vector,
    },
    /// A cylinder (in 2D a circle) seen from outside: a rod.
    Rod {
        /// Its radius.
        radius: f64,
        /// Unit vector along the axis; zero in 2D.
        axis: D::Vector,
    },
}

impl<D: Dim> Shape<D> {
    /// The radius of a ball; `None` for every other shape.
    pub fn ball_radius(&self) -> Option<f64> {
        match *self {
            Shape::Ball { radius } => Some(radius),
            _ => None,
        }
    }

    /// The volume of a bounded, solid body (area times 1 m in 2D); zero for walls.
    pub fn volume(&self) -> f64 {
        self.ball_radius().map_or(0.0, D::ball_volume)
    }

    /// True if turning the body by any `spin` leaves the surface where it was.
    pub fn is_unchanged_by(&self, spin: D::Spin) -> bool {
        match *self {
            Shape::Ball { .. } => true,
            Shape::Plane { .. } | Shape::Plate { .. } => spin == D::Spin::ZERO,
            // In 2D the axis is zero and every spin turns the circle into itself.
            Shape::Drum { axis, .. } | Shape::Rod { axis, .. } => {
                D::cross(spin, axis).length() <= 1e-12 * spin.length()
            }
        }
    }
}
