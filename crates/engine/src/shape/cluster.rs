//! Clusters: convex bodies and balls that move as one body, which need not be convex.

use super::convex::Convex;
use super::error::ShapeError;
use super::mass::{MassProperties, principal, together};
use glam::{DMat3, DQuat, DVec3};
use riprap_solve::{Dim, Vector};
use std::sync::Arc;

/// A rigid cluster, about its centre of mass and in its principal axes of inertia.
#[derive(Clone, Debug, PartialEq)]
pub struct Cluster<D: Dim> {
    /// What it is made of.
    pub parts: Vec<Part<D>>,
    /// The radius of a ball about the centre of mass that holds all parts.
    pub bounding_radius: f64,
    /// Volume (in 2D the area times 1 m).
    pub volume: f64,
    /// Principal moments of inertia about the centre, for density 1.
    pub inertia: D::Spin,
}

/// A part of a cluster, in the frame of the cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct Part<D: Dim> {
    /// What it is.
    pub shape: PartShape<D>,
    /// Where its centre of mass is.
    pub position: D::Vector,
    /// How it is turned.
    pub orientation: D::Orientation,
}

/// What a part of a cluster can be.
#[derive(Clone, Debug, PartialEq)]
pub enum PartShape<D: Dim> {
    /// A sphere, in 2D a disk.
    Ball {
        /// Its radius.
        radius: f64,
    },
    /// A convex body.
    Convex(Arc<Convex<D>>),
}

/// A cluster and where it was: `position + orientation·point` brings its frame to where its parts were.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacedCluster<D: Dim> {
    /// The cluster.
    pub cluster: Arc<Cluster<D>>,
    /// Its centre of mass.
    pub position: D::Vector,
    /// Its orientation.
    pub orientation: D::Orientation,
}

impl<D: Dim> Cluster<D> {
    /// A cluster of parts in any common frame, and where its own frame is in that.
    pub fn new(parts: Vec<Part<D>>) -> Result<PlacedCluster<D>, ShapeError> {
        if parts.is_empty() {
            return Err(ShapeError::Empty);
        }
        if let Some(part) = parts.iter().position(|part| part.volume() <= 0.0) {
            return Err(ShapeError::EmptyPart { part });
        }
        let MassProperties { volume, centre, second_moment } = together(parts.iter().map(Part::mass_properties));
        let (axes, inertia) = principal(second_moment, D::AXES);
        let to_body = axes.conjugate();
        let parts: Vec<Part<D>> = parts
            .into_iter()
            .map(|part| {
                let position = to_body * (DVec3::from(part.position.to_array3()) - centre);
                let orientation = to_body * DQuat::from_array(D::quaternion(part.orientation));
                Part {
                    shape: part.shape,
                    position: D::Vector::from_array3(position.to_array()),
                    orientation: D::from_quaternion(orientation.to_array()),
                }
            })
            .collect();
        let cluster = Cluster {
            bounding_radius: parts.iter().map(|part| part.farthest()).fold(0.0, f64::max),
            parts,
            volume,
            inertia: D::Spin::from_fn(|i| inertia[if D::AXES == 2 { 2 } else { i }]),
        };
        Ok(PlacedCluster {
            cluster: Arc::new(cluster),
            position: D::Vector::from_array3(centre.to_array()),
            orientation: D::from_quaternion(axes.to_array()),
        })
    }

    /// The cluster whose every length is `factor` times as large.
    pub fn scaled(&self, factor: f64) -> Self {
        let dimension = D::AXES as i32;
        let scaled = |part: &Part<D>| Part {
            shape: match &part.shape {
                PartShape::Ball { radius } => PartShape::Ball { radius: radius * factor },
                PartShape::Convex(convex) => PartShape::Convex(Arc::new(convex.scaled(factor))),
            },
            position: part.position * factor,
            orientation: part.orientation,
        };
        Cluster {
            parts: self.parts.iter().map(scaled).collect(),
            bounding_radius: self.bounding_radius * factor,
            volume: self.volume * factor.powi(dimension),
            inertia: self.inertia * factor.powi(dimension + 2),
        }
    }
}

impl<D: Dim> Part<D> {
    fn volume(&self) -> f64 {
        match &self.shape {
            PartShape::Ball { radius } if *radius > 0.0 => D::ball_volume(*radius),
            PartShape::Ball { .. } => 0.0,
            PartShape::Convex(convex) => convex.volume,
        }
    }

    /// The distance of its farthest point from the origin.
    fn farthest(&self) -> f64 {
        match &self.shape {
            PartShape::Ball { radius } => self.position.length() + radius,
            PartShape::Convex(convex) => {
                let corner = |&vertex: &D::Vector| (self.position + D::rotate(self.orientation, vertex)).length();
                convex.vertices.iter().map(corner).fold(0.0, f64::max)
            }
        }
    }

    fn mass_properties(&self) -> MassProperties {
        let centre = DVec3::from(self.position.to_array3());
        let second_moment = match &self.shape {
            PartShape::Ball { radius } => {
                // ∫ x² of a ball along each of its axes: (2/5 m r²)/2 of a sphere, (1/2 m r²)/2 of a disk.
                let along = 0.5 * D::BALL_INERTIA * self.volume() * radius * radius;
                DMat3::from_diagonal(DVec3::from_array(std::array::from_fn(|i| if i < D::AXES { along } else { 0.0 })))
            }
            PartShape::Convex(convex) => {
                let turn = DMat3::from_quat(DQuat::from_array(D::quaternion(self.orientation)));
                turn * convex.second_moment() * turn.transpose()
            }
        };
        MassProperties { volume: self.volume(), centre, second_moment }
    }
}
