//! Shapes of corners and faces in plain numbers of either dimension: what tables of grains and files hold.

use crate::shape::{Cluster, Convex, Mesh, Part, PartShape, Shape, ShapeError};
use riprap_solve::{Dim, Vector};
use std::sync::Arc;

/// A shape of corners and faces, in the body frame; those of one formula are [`Primitive`](crate::Primitive)s. In 2D the third component of vectors is zero.
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// A convex body, about its centre of mass and in its principal axes.
    Convex(Surface),
    /// Convex bodies and balls that are one body, about its centre of mass and in its principal axes.
    Cluster {
        /// The parts, which may overlap.
        parts: Vec<FormPart>,
        /// Volume of all parts together (in 2D the area times 1 m).
        volume: f64,
        /// Principal moments of inertia for density 1; in 2D the third counts.
        inertia: [f64; 3],
    },
    /// A surface without volume: a wall.
    Mesh(Surface),
}

/// A part of a cluster.
#[derive(Clone, Debug, PartialEq)]
pub enum FormPart {
    /// A sphere, in 2D a disk.
    Ball {
        /// Its centre.
        centre: [f64; 3],
        /// Its radius.
        radius: f64,
    },
    /// A convex body.
    Convex {
        /// Its surface, about its own centre of mass and in its own principal axes.
        surface: Surface,
        /// Where that centre is.
        position: [f64; 3],
        /// How it is turned, a quaternion (x, y, z, w).
        orientation: [f64; 4],
    },
}

/// Corners and faces. A face of a body is counterclockwise as seen from outside; in 2D faces are segments.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// The corners.
    pub vertices: Vec<[f64; 3]>,
    /// The corners of each face.
    pub faces: Vec<Vec<u32>>,
}

impl Form {
    /// The form of a shape; none for a [`Primitive`](crate::Primitive).
    pub fn of<D: Dim>(shape: &Shape<D>) -> Option<Form> {
        match shape {
            Shape::Convex(convex) => Some(Form::Convex(surface(convex))),
            Shape::Cluster(cluster) => Some(Form::Cluster {
                parts: cluster.parts.iter().map(form_of_part).collect(),
                volume: cluster.volume,
                inertia: std::array::from_fn(|i| match (D::SPINS, i) {
                    (1, 2) => cluster.inertia.get(0),
                    (1, _) => 0.0,
                    _ => cluster.inertia.get(i),
                }),
            }),
            Shape::Mesh(mesh) => Some(Form::Mesh(Surface {
                vertices: mesh.vertices.iter().map(|vertex| vertex.to_array3()).collect(),
                faces: mesh.faces.iter().map(|face| face.vertices[..D::AXES].to_vec()).collect(),
            })),
            _ => None,
        }
    }

    /// The shape of this form. The same form always gives the same shape, to the last bit.
    pub fn shape<D: Dim>(&self) -> Result<Shape<D>, ShapeError> {
        Ok(match self {
            Form::Convex(surface) => Shape::Convex(Arc::new(Convex::centred(&points::<D>(&surface.vertices))?)),
            Form::Cluster { parts, volume, inertia } => {
                let parts = parts.iter().map(part_of_form).collect::<Result<Vec<_>, _>>()?;
                let inertia = D::Spin::from_fn(|i| inertia[if D::SPINS == 1 { 2 } else { i }]);
                Shape::Cluster(Arc::new(Cluster::centred(parts, *volume, inertia)?))
            }
            Form::Mesh(surface) => {
                let corner = |face: &[u32], i: usize| face.get(i).map_or(0, |&corner| corner as usize);
                let faces: Vec<[usize; 3]> =
                    surface.faces.iter().map(|face| std::array::from_fn(|i| corner(face, i))).collect();
                Shape::Mesh(Arc::new(Mesh::new(&points::<D>(&surface.vertices), &faces)?))
            }
        })
    }
}

fn points<D: Dim>(vertices: &[[f64; 3]]) -> Vec<D::Vector> {
    vertices.iter().map(|&vertex| D::Vector::from_array3(vertex)).collect()
}

fn surface<D: Dim>(convex: &Convex<D>) -> Surface {
    Surface {
        vertices: convex.vertices.iter().map(|vertex| vertex.to_array3()).collect(),
        faces: convex.faces.iter().map(|face| face.vertices.clone()).collect(),
    }
}

fn form_of_part<D: Dim>(part: &Part<D>) -> FormPart {
    match &part.shape {
        PartShape::Ball { radius } => FormPart::Ball { centre: part.position.to_array3(), radius: *radius },
        PartShape::Convex(convex) => FormPart::Convex {
            surface: surface(convex),
            position: part.position.to_array3(),
            orientation: D::quaternion(part.orientation),
        },
    }
}

fn part_of_form<D: Dim>(part: &FormPart) -> Result<Part<D>, ShapeError> {
    Ok(match part {
        FormPart::Ball { centre, radius } => Part {
            shape: PartShape::Ball { radius: *radius },
            position: D::Vector::from_array3(*centre),
            orientation: D::Orientation::default(),
        },
        FormPart::Convex { surface, position, orientation } => Part {
            shape: PartShape::Convex(Arc::new(Convex::centred(&points::<D>(&surface.vertices))?)),
            position: D::Vector::from_array3(*position),
            orientation: D::from_quaternion(*orientation),
        },
    })
}
