//! The shapes of bodies, in their own frame.

mod cluster;
mod convex;
mod error;
mod hull;
mod mass;
mod mesh;
mod path;
mod primitive;
mod tree;
mod union;

pub use cluster::{Cluster, Part, PartShape, PlacedCluster};
pub use convex::{Convex, Edge, Face, PlacedConvex};
pub use error::ShapeError;
pub use mesh::{Mesh, MeshFace};
pub use primitive::Primitive;

use riprap_solve::{Dim, Vector};
use std::sync::Arc;

/// What a body looks like. Lengths are in the body frame, with the body's position as the origin.
/// A cylinder has no end: close it with planes, or make its axis periodic.
#[derive(Clone, Debug, PartialEq)]
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
    /// A convex polyhedron, in 2D a convex polygon. Bodies of one shape share it.
    Convex(Arc<Convex<D>>),
    /// Convex bodies and balls that move as one.
    Cluster(Arc<Cluster<D>>),
    /// A surface of triangles (in 2D a line of segments), solid from both sides: a wall.
    Mesh(Arc<Mesh<D>>),
}

impl<D: Dim> Shape<D> {
    /// The radius of a ball; `None` for every other shape.
    pub fn ball_radius(&self) -> Option<f64> {
        match *self {
            Shape::Ball { radius } => Some(radius),
            _ => None,
        }
    }

    /// The radius of the smallest ball about the body's position that holds the shape; `None` if it is endless.
    pub fn bounding_radius(&self) -> Option<f64> {
        match self {
            Shape::Ball { radius } => Some(*radius),
            Shape::Plane { .. } => None,
            Shape::Plate { half_edges: [a, b] } => Some((*a + *b).length()),
            // In 2D a cylinder is a circle.
            Shape::Drum { radius, .. } | Shape::Rod { radius, .. } => (D::AXES == 2).then_some(*radius),
            Shape::Convex(convex) => Some(convex.bounding_radius),
            Shape::Cluster(cluster) => Some(cluster.bounding_radius),
            Shape::Mesh(mesh) => Some(mesh.bounding_radius),
        }
    }

    /// The volume of a bounded, solid body (area times 1 m in 2D); zero for surfaces.
    pub fn volume(&self) -> f64 {
        match self {
            Shape::Ball { radius } => D::ball_volume(*radius),
            Shape::Convex(convex) => convex.volume,
            Shape::Cluster(cluster) => cluster.volume,
            Shape::Plane { .. } | Shape::Plate { .. } | Shape::Drum { .. } | Shape::Rod { .. } | Shape::Mesh(_) => 0.0,
        }
    }

    /// The principal moments of inertia of a bounded, solid body of density 1; zero for surfaces.
    pub fn inertia(&self) -> D::Spin {
        match self {
            Shape::Ball { radius } => {
                let moment = D::BALL_INERTIA * D::ball_volume(*radius) * radius * radius;
                D::Spin::from_fn(|_| moment)
            }
            Shape::Convex(convex) => convex.inertia,
            Shape::Cluster(cluster) => cluster.inertia,
            Shape::Plane { .. } | Shape::Plate { .. } | Shape::Drum { .. } | Shape::Rod { .. } | Shape::Mesh(_) => {
                D::Spin::ZERO
            }
        }
    }

    /// How far rotation has moved the surface, at most, near bodies within the distance `farthest`, and the lever arm at
    /// which further rotation moves it. `change` is the length by which a vector of the body frame has changed.
    pub(crate) fn moved_by_turn(&self, farthest: f64, change: impl Fn(D::Vector) -> f64) -> (f64, f64) {
        match *self {
            Shape::Ball { .. } => (0.0, 0.0),
            Shape::Plane { normal: direction }
            | Shape::Drum { axis: direction, .. }
            | Shape::Rod { axis: direction, .. } => (change(direction) * farthest, farthest),
            Shape::Plate { half_edges } => {
                (half_edges.iter().map(|&edge| change(edge)).sum(), half_edges.iter().map(|edge| edge.length()).sum())
            }
            Shape::Convex(_) | Shape::Cluster(_) | Shape::Mesh(_) => {
                let radius = self.bounding_radius().unwrap_or(0.0);
                let square: f64 = (0..D::AXES).map(|axis| change(D::Vector::axis(axis)).powi(2)).sum();
                (square.sqrt() * radius, radius)
            }
        }
    }

    /// True if turning the body by any `spin` leaves the surface where it was.
    pub fn is_unchanged_by(&self, spin: D::Spin) -> bool {
        match *self {
            Shape::Ball { .. } => true,
            // In 2D the axis is zero and every spin turns the circle into itself.
            Shape::Drum { axis, .. } | Shape::Rod { axis, .. } => {
                D::cross(spin, axis).length() <= 1e-12 * spin.length()
            }
            Shape::Plane { .. } | Shape::Plate { .. } | Shape::Convex(_) | Shape::Cluster(_) | Shape::Mesh(_) => {
                spin == D::Spin::ZERO
            }
        }
    }
}
