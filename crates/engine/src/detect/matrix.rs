//! The pair matrix: contact points of every pair of shapes.
//!
//! | body 1 ↓  body 2 → | ball                   | convex                 | cluster               |
//! |--------------------|------------------------|------------------------|-----------------------|
//! | ball               | centres (`gap`)        | solids                 | each part             |
//! | convex             | solids                 | solids                 | each part             |
//! | cluster            | each part              | each part              | each part with each   |
//! | plane              | height (`gap`)         | height of each corner  | each part             |
//! | plate              | nearest point (`gap`)  | solids, it is flat     | each part             |
//! | drum               | radius (`gap`)         | radius of each corner  | each part             |
//! | rod                | radius (`gap`)         | solids, a rounded line | each part             |
//! | mesh               | solids, each face near | solids, each face near | each part             |
//!
//! *Solids* are hulls of points, perhaps rounded, and `nearest.rs` has one code for all of them, in the plane and in
//! space. Planes, plates, drums, rods and meshes are walls, and no wall meets a wall.

use super::gap::{Placed, gap};
use super::nearest::{Scratch, touch};
use super::poses::Poses;
use super::solid::{Solid, Topology, axes, turned, turned_back};
use super::{Feature, Geometry};
use crate::shape::{Mesh, Shape};
use riprap_solve::{Dim, Vector};

/// A body where it is, with its convex pieces.
#[derive(Clone, Copy, Debug)]
pub struct Posed<'a, D: Dim> {
    /// Shape, position and orientation.
    pub placed: Placed<'a, D>,
    /// Its index.
    pub body: u32,
    /// The pieces of all bodies.
    pub poses: &'a Poses<D>,
}

/// Finds the contact points of two bodies with gaps up to `reach` and adds them to `found`.
///
/// # Panics
/// If the second is a wall: the pair search lists none.
pub fn contact_points<D: Dim>(
    first: Posed<'_, D>,
    second: Posed<'_, D>,
    reach: f64,
    scratch: &mut Scratch<D>,
    found: &mut Vec<Geometry<D>>,
) {
    if second.placed.shape.ball_radius().is_some() && is_simple(first.placed.shape) {
        let geometry = gap(first.placed, second.placed);
        if geometry.gap <= reach {
            found.push(geometry);
        }
        return;
    }
    let start = found.len();
    let origin = first.placed.position;
    for (part, solid, centre) in second.poses.solids(second.body, second.placed.shape) {
        let query = Query { solid: &solid, part, at: second.placed.position - origin + centre, reach };
        let orientation = first.placed.orientation;
        match first.placed.shape {
            Shape::Ball { .. } | Shape::Convex(_) | Shape::Cluster(_) | Shape::Plate { .. } => {
                for (own_part, own, own_centre) in first.poses.solids(first.body, first.placed.shape) {
                    let from = found.len();
                    touch([&own, &solid], query.at - own_centre, reach, [own_part, part], scratch, found);
                    found[from..].iter_mut().for_each(|geometry| geometry.point += own_centre);
                }
            }
            Shape::Plane { normal } => {
                let normal = D::rotate(orientation, *normal);
                corners(&query, found, |corner| Some((normal, normal.dot(corner))));
            }
            Shape::Drum { radius, axis } => {
                let axis = D::rotate(orientation, *axis);
                corners(&query, found, |corner| {
                    let away = corner - axis * axis.dot(corner);
                    let distance = away.length();
                    (distance > 0.0).then(|| (away * (-1.0 / distance), radius - distance))
                });
            }
            Shape::Rod { radius, axis } => {
                let axis = D::rotate(orientation, *axis);
                rod(*radius, axis, &query, scratch, found);
            }
            Shape::Mesh(mesh) => faces(mesh, orientation, &query, scratch, found),
        }
    }
    for geometry in &mut found[start..] {
        geometry.point += origin;
    }
    // The order of features is the order of contacts, from step to step.
    found[start..].sort_by_key(|geometry| geometry.feature);
}

/// True for shapes whose gap to a ball is one formula.
pub fn is_simple<D: Dim>(shape: &Shape<D>) -> bool {
    !matches!(shape, Shape::Convex(_) | Shape::Cluster(_) | Shape::Mesh(_))
}

/// One solid of the second body that may touch a wall, as seen from the wall.
struct Query<'a, D: Dim> {
    solid: &'a Solid<'a, D>,
    /// The solid's number in its body.
    part: u32,
    /// Where the solid's centre is, from the position of the wall.
    at: D::Vector,
    /// The widest gap that counts.
    reach: f64,
}

/// Every corner within reach of a surface that bulges nowhere towards the bodies: `surface` gives the normal and the
/// height of a corner. A face or edge touches such a surface with its corners first.
fn corners<D: Dim>(
    &Query { solid, part, at, reach }: &Query<'_, D>,
    found: &mut Vec<Geometry<D>>,
    surface: impl Fn(D::Vector) -> Option<(D::Vector, f64)>,
) {
    for (index, &vertex) in solid.vertices.iter().enumerate() {
        let corner = at + vertex;
        let Some((normal, height)) = surface(corner) else { continue };
        let gap = height - solid.radius;
        if gap <= reach {
            let point = corner - normal * (solid.radius + 0.5 * gap);
            let feature = Feature::CornerOfSecond(index as u32).number([0, part]);
            found.push(Geometry { normal, gap, point, feature });
        }
    }
}

/// A rod is a rounded line: of its endless axis, the stretch beside the other body; in the plane, a point.
fn rod<D: Dim>(
    radius: f64,
    axis: D::Vector,
    &Query { solid, part, at, reach }: &Query<'_, D>,
    scratch: &mut Scratch<D>,
    found: &mut Vec<Geometry<D>>,
) {
    let beside = axis * axis.dot(at);
    let half = 2.0 * (solid.outer + solid.radius);
    let ends = [axis * -half, axis * half];
    let (vertices, topology) =
        if D::AXES == 2 { (&ends[..1], Topology::Point) } else { (&ends[..], Topology::Segment) };
    let line = Solid { vertices, normals: &[], offsets: &[], topology, radius, inner: 0.0, outer: half };
    let start = found.len();
    touch([&line, solid], at - beside, reach, [0, part], scratch, found);
    found[start..].iter_mut().for_each(|geometry| geometry.point += beside);
}

/// Every face of a mesh near the solid.
fn faces<D: Dim>(
    mesh: &Mesh<D>,
    orientation: D::Orientation,
    &Query { solid, part, at, reach }: &Query<'_, D>,
    scratch: &mut Scratch<D>,
    found: &mut Vec<Geometry<D>>,
) {
    let axes = axes::<D>(orientation);
    let centre = turned_back::<D>(&axes, at);
    let around = D::Vector::from_fn(|_| solid.outer + solid.radius + reach);
    let count = D::AXES;
    mesh.faces_near(centre - around, centre + around, |index| {
        let face = &mesh.faces[index as usize];
        let corner = |i: usize| mesh.vertices[face.vertices[i] as usize];
        let middle = (1..count).fold(corner(0), |sum, i| sum + corner(i)) * (1.0 / count as f64);
        let vertices: [D::Vector; 3] =
            std::array::from_fn(|i| if i < count { turned::<D>(&axes, corner(i) - middle) } else { D::Vector::ZERO });
        let normal = turned::<D>(&axes, face.normal);
        let offset = normal.dot(vertices[0]);
        let own = Solid {
            vertices: &vertices[..count],
            normals: &[normal, -normal],
            offsets: &[offset, -offset],
            topology: Topology::MeshFace { mesh, face: index, axes: &axes },
            radius: 0.0,
            inner: 0.0,
            outer: vertices.iter().map(|vertex| vertex.length()).fold(0.0, f64::max),
        };
        let middle = turned::<D>(&axes, middle);
        let start = found.len();
        touch([&own, solid], at - middle, reach, [index, part], scratch, found);
        found[start..].iter_mut().for_each(|geometry| geometry.point += middle);
    });
}
