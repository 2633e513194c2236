//! Bodies that are not balls, in plain numbers: built by the engine from points, faces and parts.

use crate::model::{Point, SolidWall};
use crate::vector::*;
use riprap_engine::glam::{DQuat, DVec3};
use riprap_engine::{
    Cluster, Convex, D2, D3, Dim, Form, FormPart, Part, PartShape, Shape, ShapeError, Surface, Vector,
};

/// A body and where it is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Solid {
    pub form: Form,
    /// Its centre of mass.
    pub position: Point,
    /// Its orientation, a quaternion (x, y, z, w).
    pub orientation: [f64; 4],
    /// The distance of its farthest point from its centre.
    pub radius: f64,
    /// Volume (in 2D area).
    pub volume: f64,
}

impl SolidWall {
    /// What a block is of.
    pub fn of(solid: &Solid, dimension: usize) -> Self {
        fn moments<D: Dim>(form: &Form) -> Point {
            let inertia = form.shape::<D>().map_or(D::Spin::ZERO, |shape| shape.inertia());
            std::array::from_fn(|i| if D::SPINS == 1 { inertia.get(0) } else { inertia.get(i) })
        }
        let inertia = if dimension == 2 { moments::<D2>(&solid.form) } else { moments::<D3>(&solid.form) };
        SolidWall { volume: solid.volume, centre: solid.position, inertia, orientation: solid.orientation }
    }

    /// The moment of inertia for density 1 about an axis through a point; along z in 2D.
    pub fn moment_about(&self, point: Point, axis: Point) -> f64 {
        let own = (0..3).map(|i| {
            let principal = DQuat::from_array(self.orientation) * DVec3::AXES[i];
            self.inertia[i] * principal.dot(DVec3::from(axis)).powi(2)
        });
        let arm = across(sub(self.centre, point), axis);
        own.sum::<f64>() + self.volume * dot(arm, arm)
    }
}

/// The convex hull of some points.
pub(crate) fn hull(points: &[Point], dimension: usize) -> Result<Solid, ShapeError> {
    fn of<D: Dim>(points: &[Point]) -> Result<Solid, ShapeError> {
        let placed = Convex::<D>::hull(&vectors::<D>(points))?;
        Ok(solid::<D>(&Shape::Convex(placed.convex), placed.position, placed.orientation))
    }
    if dimension == 2 { of::<D2>(points) } else { of::<D3>(points) }
}

/// The convex body within a closed surface in space.
pub(crate) fn closed(surface: &Surface) -> Result<Solid, ShapeError> {
    let faces: Vec<Vec<usize>> =
        surface.faces.iter().map(|face| face.iter().map(|&corner| corner as usize).collect()).collect();
    let placed = Convex::<D3>::from_faces(&vectors::<D3>(&surface.vertices), &faces)?;
    Ok(solid::<D3>(&Shape::Convex(placed.convex), placed.position, placed.orientation))
}

/// A cluster of balls and of the hulls of points. The number in front of an error is the one of the body.
pub(crate) fn cluster(
    balls: &[(Point, f64)],
    bodies: &[Vec<Point>],
    dimension: usize,
) -> Result<Solid, (Option<usize>, ShapeError)> {
    fn of<D: Dim>(balls: &[(Point, f64)], bodies: &[Vec<Point>]) -> Result<Solid, (Option<usize>, ShapeError)> {
        let mut parts: Vec<Part<D>> = Vec::new();
        for &(centre, radius) in balls {
            let position = D::Vector::from_array3(centre);
            parts.push(Part { shape: PartShape::Ball { radius }, position, orientation: D::Orientation::default() });
        }
        for (index, points) in bodies.iter().enumerate() {
            let placed = Convex::<D>::hull(&vectors::<D>(points)).map_err(|error| (Some(index), error))?;
            let shape = PartShape::Convex(placed.convex);
            parts.push(Part { shape, position: placed.position, orientation: placed.orientation });
        }
        let placed = Cluster::join(parts).map_err(|error| (None, error))?;
        Ok(solid::<D>(&Shape::Cluster(placed.cluster), placed.position, placed.orientation))
    }
    if dimension == 2 { of::<D2>(balls, bodies) } else { of::<D3>(balls, bodies) }
}

/// The volume of a form (in 2D the area), and the radius of a ball about its centre that it holds, or of the largest
/// ball that one of its parts holds.
pub(crate) fn volume_and_thickness(form: &Form, dimension: usize) -> Result<(f64, f64), ShapeError> {
    fn of<D: Dim>(form: &Form) -> Result<(f64, f64), ShapeError> {
        let inside = |convex: &Convex<D>| convex.faces.iter().map(|face| face.offset).fold(f64::INFINITY, f64::min);
        let shape = form.shape::<D>()?;
        let thickness = match &shape {
            Shape::Convex(convex) => inside(convex),
            Shape::Cluster(cluster) => cluster
                .parts
                .iter()
                .map(|part| match &part.shape {
                    PartShape::Ball { radius } => *radius,
                    PartShape::Convex(convex) => inside(convex),
                })
                .fold(0.0, f64::max),
            other => other.bounding_radius().unwrap_or(f64::INFINITY),
        };
        Ok((shape.volume(), thickness))
    }
    if dimension == 2 { of::<D2>(form) } else { of::<D3>(form) }
}

fn vectors<D: Dim>(points: &[Point]) -> Vec<D::Vector> {
    points.iter().map(|&point| D::Vector::from_array3(point)).collect()
}

fn solid<D: Dim>(shape: &Shape<D>, position: D::Vector, orientation: D::Orientation) -> Solid {
    Solid {
        form: Form::of(shape).expect("a convex body or a cluster has a form"),
        position: position.to_array3(),
        orientation: D::quaternion(orientation),
        radius: shape.bounding_radius().unwrap_or(0.0),
        volume: shape.volume(),
    }
}

impl Solid {
    /// The body with its farthest point at a distance from its centre, which stays where it is.
    pub fn of_radius(&self, radius: f64, dimension: usize) -> Solid {
        let factor = radius / self.radius;
        let scaled = |surface: &Surface| Surface {
            vertices: surface.vertices.iter().map(|vertex| vertex.map(|x| x * factor)).collect(),
            faces: surface.faces.clone(),
        };
        let form = match &self.form {
            Form::Convex(surface) => Form::Convex(scaled(surface)),
            Form::Mesh(surface) => Form::Mesh(scaled(surface)),
            Form::Cluster { parts, volume, inertia } => Form::Cluster {
                parts: parts
                    .iter()
                    .map(|part| match part {
                        FormPart::Ball { centre, radius } => {
                            FormPart::Ball { centre: centre.map(|x| x * factor), radius: radius * factor }
                        }
                        FormPart::Convex { surface, position, orientation } => FormPart::Convex {
                            surface: scaled(surface),
                            position: position.map(|x| x * factor),
                            orientation: *orientation,
                        },
                    })
                    .collect(),
                volume: volume * libm::pow(factor, dimension as f64),
                inertia: inertia.map(|moment| moment * libm::pow(factor, dimension as f64 + 2.0)),
            },
        };
        Solid { form, radius, volume: self.volume * libm::pow(factor, dimension as f64), ..self.clone() }
    }
}
