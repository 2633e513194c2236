//! The geometry of walls: where their surfaces are, and which of them leave no room between them.

use crate::model::{Point, Wall, WallForm, WallShape};
use crate::vector::*;
use riprap_engine::{Form, FormPart, Primitive};

impl WallShape {
    /// The normal of a plane; none for other walls.
    pub fn plane_normal(&self) -> Option<Point> {
        match self.form {
            WallForm::Primitive(Primitive::Plane { normal }) => Some(normal),
            _ => None,
        }
    }

    /// The normal of a plane or plate; none for other walls.
    pub fn normal(&self, dimension: usize) -> Option<Point> {
        match self.form {
            WallForm::Primitive(Primitive::Plane { normal }) => Some(normal),
            WallForm::Primitive(Primitive::Plate { half_edges: [edge, _] }) if dimension == 2 => {
                unit([-edge[1], edge[0], 0.0])
            }
            WallForm::Primitive(Primitive::Plate { half_edges: [a, b] }) => unit(cross(a, b)),
            _ => None,
        }
    }

    /// The axis of a wall that is round about one.
    pub fn axis(&self) -> Option<Point> {
        match self.form {
            WallForm::Primitive(Primitive::Drum { axis, .. } | Primitive::Rod { axis, .. }) => Some(axis),
            _ => None,
        }
    }

    /// True for walls whose distance from a grain needs more than a formula.
    pub fn is_body(&self) -> bool {
        !matches!(self.form, WallForm::Primitive(_))
    }

    /// The lever arm of the surface when the wall rotates: its distance from the wall's position; none if that is infinite
    /// or unknown.
    pub fn arm(&self) -> Option<f64> {
        match &self.form {
            WallForm::Primitive(primitive) => match *primitive {
                Primitive::Ball { radius } | Primitive::Drum { radius, .. } | Primitive::Rod { radius, .. } => {
                    Some(radius)
                }
                Primitive::Plate { half_edges } => Some(length(add(half_edges[0], half_edges[1]))),
                Primitive::Plane { .. } => None,
            },
            WallForm::Block { radius, .. } => Some(*radius),
            WallForm::Mesh(surface) => {
                Some(surface.vertices.iter().fold(0.0, |most, &vertex| f64::max(most, length(vertex))))
            }
            WallForm::MeshFile { .. } => None,
        }
    }

    /// How far a grain can fall from a point until it meets the wall; none if it can fall past the wall.
    pub fn depth_below(&self, position: Point, down: Point) -> Option<f64> {
        let WallForm::Primitive(primitive) = self.form else { return None };
        match primitive {
            Primitive::Plane { normal } if dot(normal, down) < -0.5 => {
                Some(dot(sub(self.position, position), normal) / dot(down, normal))
            }
            Primitive::Drum { axis, radius } if dot(axis, down).abs() < 0.5 => {
                Some(dot(sub(self.position, position), down) + radius)
            }
            _ => None,
        }
    }

    /// The distance of a point from the wall's surface, negative behind it. For a block this is a lower bound; for a mesh,
    /// whose surface may not be known yet, it is zero.
    pub fn gap(&self, dimension: usize, position: Point) -> f64 {
        match &self.form {
            WallForm::Primitive(primitive) => self.primitive_gap(*primitive, dimension, position),
            WallForm::Block { form, radius } => self.block_gap(form, *radius, position),
            WallForm::Mesh(_) | WallForm::MeshFile { .. } => 0.0,
        }
    }

    fn primitive_gap(&self, primitive: Primitive, dimension: usize, position: Point) -> f64 {
        let from_axis = |axis: Point| length(across(sub(position, self.position), axis));
        match primitive {
            Primitive::Ball { radius } => length(sub(position, self.position)) - radius,
            Primitive::Plane { normal } => dot(sub(position, self.position), normal),
            Primitive::Plate { half_edges } => {
                let mut nearest = self.position;
                let offset = sub(position, self.position);
                for edge in &half_edges[..dimension - 1] {
                    let along = (dot(offset, *edge) / dot(*edge, *edge)).clamp(-1.0, 1.0);
                    nearest = add(nearest, scale(*edge, along));
                }
                length(sub(position, nearest))
            }
            Primitive::Drum { axis, radius } => radius - from_axis(axis),
            Primitive::Rod { axis, radius } => from_axis(axis) - radius,
        }
    }

    /// How far a point is in front of the face of a block that it is farthest in front of.
    fn block_gap(&self, form: &Form, radius: f64, position: Point) -> f64 {
        let ball = length(sub(position, self.position)) - radius;
        let (surface, centre, [x, y, z, w]) = match form {
            Form::Convex(surface) => (surface, self.position, self.orientation),
            // A block with a pivot is the one part of a cluster, which is not turned itself.
            Form::Cluster { parts, .. } => match &parts[..] {
                [FormPart::Convex { surface, position: arm, orientation }] => {
                    (surface, add(self.position, *arm), *orientation)
                }
                _ => return ball,
            },
            Form::Mesh(_) => return ball,
        };
        let p = sub(position, centre);
        // In the frame of the block: p − 2w(v×p) + 2v×(v×p) is p turned back by the quaternion (v, w).
        let v = [x, y, z];
        let twice = scale(cross(v, p), 2.0);
        let own = add(sub(p, scale(twice, w)), cross(v, twice));
        let above = |face: &Vec<u32>| {
            let corner = |i: usize| surface.vertices[face[i] as usize];
            let along = sub(corner(1), corner(0));
            let normal = if face.len() == 2 {
                [along[1], -along[0], 0.0]
            } else {
                // The widest corner of the face says best how it lies.
                (2..face.len())
                    .map(|i| cross(along, sub(corner(i), corner(0))))
                    .max_by(|a, b| length(*a).total_cmp(&length(*b)))
                    .unwrap_or_default()
            };
            dot(sub(own, corner(0)), normal) / length(normal)
        };
        surface.faces.iter().map(above).fold(f64::NEG_INFINITY, f64::max)
    }

    /// True if the whole wall is behind a plane.
    fn is_behind(&self, point: Point, normal: Point) -> bool {
        let height = || dot(sub(self.position, point), normal);
        match &self.form {
            WallForm::Primitive(primitive) => match *primitive {
                Primitive::Ball { radius } => height() <= -radius,
                Primitive::Plane { .. } => false,
                Primitive::Plate { half_edges } => {
                    let reach = dot(half_edges[0], normal).abs() + dot(half_edges[1], normal).abs();
                    height() + reach < -1e-9 * (reach + length(half_edges[0]))
                }
                Primitive::Drum { axis, radius } | Primitive::Rod { axis, radius } => {
                    // A plane across the axis of an endless cylinder always cuts it.
                    dot(axis, normal).abs() < 1e-9 && height() <= -radius
                }
            },
            WallForm::Block { radius, .. } => height() <= -radius,
            // What is in a file is not known yet.
            WallForm::Mesh(_) | WallForm::MeshFile { .. } => false,
        }
    }
}

/// Why no grain fits between two walls, if none does. `both_stand` is true if no driver moves either of them.
pub(crate) fn no_room(earlier: &Wall, later: &Wall, both_stand: bool) -> Option<&'static str> {
    let (first, second) = (&earlier.shape, &later.shape);
    match (first.plane_normal(), second.plane_normal()) {
        (Some(n), Some(m)) => {
            let facing = dot(n, m) < -1.0 + 1e-9;
            return (facing && dot(sub(second.position, first.position), n) <= 0.0)
                .then_some("these planes face away from each other or intersect: nothing fits between them");
        }
        (Some(normal), None) | (None, Some(normal)) => {
            let (plane, other) = if first.plane_normal().is_some() { (first, second) } else { (second, first) };
            return (both_stand && other.is_behind(plane.position, normal))
                .then_some("one is entirely behind the other, where there can be no grains");
        }
        (None, None) => {}
    }
    let (WallForm::Primitive(a), WallForm::Primitive(b)) = (&first.form, &second.form) else { return None };
    let apart = |axis: Point| length(across(sub(second.position, first.position), axis));
    match (*a, *b) {
        (Primitive::Drum { axis: u, radius: r }, Primitive::Drum { axis: v, radius: s }) => {
            (are_parallel(u, v) && apart(u) >= r + s).then_some("the two drums are apart and have no common interior")
        }
        (Primitive::Drum { axis: u, radius: drum }, Primitive::Rod { axis: v, radius: rod })
        | (Primitive::Rod { axis: v, radius: rod }, Primitive::Drum { axis: u, radius: drum })
            if are_parallel(u, v) =>
        {
            let apart = apart(u);
            if apart >= drum + rod {
                Some("the rod is entirely outside the drum")
            } else {
                (apart + drum <= rod).then_some("the rod fills the drum")
            }
        }
        _ => None,
    }
}

fn are_parallel(u: Point, v: Point) -> bool {
    length(cross(u, v)) < 1e-9
}
