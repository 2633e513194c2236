//! What can be wrong with a shape, and where.

use thiserror::Error;

/// A shape that cannot be built. Vertices and faces are numbered from 0, as they were given.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ShapeError {
    /// Fewer points than a body needs.
    #[error("{count} points do not define a body; at least {needed} are needed")]
    TooFewPoints {
        /// How many there are.
        count: usize,
        /// How many are needed.
        needed: usize,
    },
    /// A coordinate is not a finite number.
    #[error("vertex {vertex} has a coordinate that is not finite")]
    NotFinite {
        /// The vertex.
        vertex: usize,
    },
    /// Its volume or inertia would not be a number.
    #[error("a body {size:e} m long is out of range for computation")]
    OutOfRange {
        /// Its largest extent.
        size: f64,
    },
    /// All points are on one plane, line or point, within rounding.
    #[error(
        "the body is flat: no point is farther than {thickness:.3e} m from the {support} through vertices {vertices:?}"
    )]
    Flat {
        /// The largest distance from it.
        thickness: f64,
        /// "point", "line" or "plane".
        support: &'static str,
        /// The vertices that span it.
        vertices: Vec<usize>,
    },
    /// Nothing is left of it once faces that are plane within rounding are joined.
    #[error("the body is too slender: within rounding it has no faces")]
    TooSlender,
    /// A face lists a vertex that does not exist.
    #[error("face {face} refers to vertex {vertex}, but there are only {count} vertices (numbered from 0)")]
    NoSuchVertex {
        /// The face.
        face: usize,
        /// The vertex.
        vertex: usize,
        /// How many vertices there are.
        count: usize,
    },
    /// A face without area.
    #[error("face {face} has no area")]
    EmptyFace {
        /// The face.
        face: usize,
    },
    /// A face whose vertices are not in one plane.
    #[error("face {face} is not planar: vertex {vertex} is {distance:.3e} m away from its plane")]
    CrookedFace {
        /// The face.
        face: usize,
        /// The vertex that is farthest off.
        vertex: usize,
        /// By how much.
        distance: f64,
    },
    /// An edge that does not join exactly two faces that turn the same way.
    #[error(
        "the surface is not closed: the edge from vertex {} to vertex {} of face {face} is shared in the opposite direction \
         by {others} faces instead of 1", edge[0], edge[1]
    )]
    NotClosed {
        /// The face it belongs to.
        face: usize,
        /// The vertices at its ends.
        edge: [usize; 2],
        /// How many faces run along it the other way.
        others: usize,
    },
    /// The faces turn inwards.
    #[error("the faces point inwards: their vertices must be counterclockwise as seen from outside")]
    InsideOut,
    /// A vertex lies in front of a face.
    #[error("the body is not convex: vertex {vertex} lies {distance:.3e} m in front of face {face}")]
    NotConvex {
        /// The face.
        face: usize,
        /// The vertex that is farthest in front.
        vertex: usize,
        /// By how much.
        distance: f64,
    },
    /// A cluster or mesh without parts.
    #[error("it is empty")]
    Empty,
    /// A part of a cluster with a radius that is not positive.
    #[error("part {part} has no volume")]
    EmptyPart {
        /// The part.
        part: usize,
    },
}
