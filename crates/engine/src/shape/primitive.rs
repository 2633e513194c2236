//! Shapes given by a single formula, as plain numbers that do not depend on the dimension. Scenes, files and pictures
//! hold walls in this form.

use super::Shape;
use riprap_solve::{Dim, Vector};

/// A shape given by a single formula; [`Shape`] describes each of them. In 2D the third component of vectors is zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Primitive {
    /// A sphere, in 2D a disk.
    Ball {
        /// Its radius.
        radius: f64,
    },
    /// An endless plane, in 2D a line.
    Plane {
        /// Unit vector towards the grains.
        normal: [f64; 3],
    },
    /// A rectangle, in 2D a segment.
    Plate {
        /// Half of each edge; the second is zero in 2D.
        half_edges: [[f64; 3]; 2],
    },
    /// A cylinder, in 2D a circle, seen from inside.
    Drum {
        /// Its radius.
        radius: f64,
        /// Unit vector along the axis; zero in 2D.
        axis: [f64; 3],
    },
    /// A cylinder, in 2D a circle, seen from outside.
    Rod {
        /// Its radius.
        radius: f64,
        /// Unit vector along the axis; zero in 2D.
        axis: [f64; 3],
    },
}

const NONE: [f64; 3] = [0.0; 3];

impl Primitive {
    /// The primitive of a shape; none for convex bodies, clusters and meshes.
    pub fn of<D: Dim>(shape: &Shape<D>) -> Option<Primitive> {
        Some(match *shape {
            Shape::Ball { radius } => Primitive::Ball { radius },
            Shape::Plane { normal } => Primitive::Plane { normal: normal.to_array3() },
            Shape::Plate { half_edges } => Primitive::Plate { half_edges: half_edges.map(Vector::to_array3) },
            Shape::Drum { radius, axis } => Primitive::Drum { radius, axis: axis.to_array3() },
            Shape::Rod { radius, axis } => Primitive::Rod { radius, axis: axis.to_array3() },
            Shape::Convex(_) | Shape::Cluster(_) | Shape::Mesh(_) => return None,
        })
    }

    /// The shape of this primitive.
    pub fn shape<D: Dim>(self) -> Shape<D> {
        let vector = D::Vector::from_array3;
        match self {
            Primitive::Ball { radius } => Shape::Ball { radius },
            Primitive::Plane { normal } => Shape::Plane { normal: vector(normal) },
            Primitive::Plate { half_edges } => Shape::Plate { half_edges: half_edges.map(vector) },
            Primitive::Drum { radius, axis } => Shape::Drum { radius, axis: vector(axis) },
            Primitive::Rod { radius, axis } => Shape::Rod { radius, axis: vector(axis) },
        }
    }

    /// The primitive rotated with its body: its vectors in the world frame.
    pub fn turned<D: Dim>(self, orientation: D::Orientation) -> Primitive {
        let turned = |vector: [f64; 3]| D::rotate(orientation, D::Vector::from_array3(vector)).to_array3();
        match self {
            Primitive::Ball { .. } => self,
            Primitive::Plane { normal } => Primitive::Plane { normal: turned(normal) },
            Primitive::Plate { half_edges } => Primitive::Plate { half_edges: half_edges.map(turned) },
            Primitive::Drum { radius, axis } => Primitive::Drum { radius, axis: turned(axis) },
            Primitive::Rod { radius, axis } => Primitive::Rod { radius, axis: turned(axis) },
        }
    }

    /// The primitive as a name and numbers, for tables: its radius (zero if it has none) and its vectors (zero if it has
    /// fewer than two).
    pub fn parts(self) -> (&'static str, f64, [[f64; 3]; 2]) {
        match self {
            Primitive::Ball { radius } => ("ball", radius, [NONE, NONE]),
            Primitive::Plane { normal } => ("plane", 0.0, [normal, NONE]),
            Primitive::Plate { half_edges } => ("plate", 0.0, half_edges),
            Primitive::Drum { radius, axis } => ("drum", radius, [axis, NONE]),
            Primitive::Rod { radius, axis } => ("rod", radius, [axis, NONE]),
        }
    }

    /// The inverse of [`Primitive::parts`]; none if there is no primitive of this name.
    pub fn from_parts(name: &str, radius: f64, [a, b]: [[f64; 3]; 2]) -> Option<Primitive> {
        Some(match name {
            "ball" => Primitive::Ball { radius },
            "plane" => Primitive::Plane { normal: a },
            "plate" => Primitive::Plate { half_edges: [a, b] },
            "drum" => Primitive::Drum { radius, axis: a },
            "rod" => Primitive::Rod { radius, axis: a },
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use riprap_solve::{D2, D3};

    #[test]
    fn primitives_are_what_their_shapes_and_parts_say() {
        let (a, b) = ([0.6, 0.8, 0.0], [0.0, 0.0, 2.0]);
        for primitive in [
            Primitive::Ball { radius: 2.0 },
            Primitive::Plane { normal: a },
            Primitive::Plate { half_edges: [a, b] },
            Primitive::Drum { radius: 3.0, axis: a },
            Primitive::Rod { radius: 4.0, axis: a },
        ] {
            assert_eq!(Primitive::of(&primitive.shape::<D3>()), Some(primitive));
            let (name, radius, vectors) = primitive.parts();
            assert_eq!(Primitive::from_parts(name, radius, vectors), Some(primitive));
        }
        assert_eq!(Primitive::from_parts("cone", 1.0, [a, b]), None);
    }

    #[test]
    fn a_plate_in_the_plane_turns_with_its_body() {
        let plate = Primitive::Plate { half_edges: [[1.0, 0.0, 0.0], NONE] };
        let quarter = D2::from_quaternion([0.0, 0.0, 0.5_f64.sqrt(), 0.5_f64.sqrt()]);
        let Primitive::Plate { half_edges: [edge, second] } = plate.turned::<D2>(quarter) else { panic!("no plate") };
        assert!(edge[0].abs() < 1e-15 && (edge[1] - 1.0).abs() < 1e-15 && edge[2] == 0.0);
        assert_eq!(second, NONE);
    }
}
