//! Clusters: convex bodies and balls that move as one body, which need not be convex. Parts may overlap; what they
//! have in common counts once (`union.rs`).

use super::convex::Convex;
use super::error::ShapeError;
use super::hull::SIZES;
use super::mass::{MassProperties, principal};
use super::union::union;
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
    pub fn join(parts: Vec<Part<D>>) -> Result<PlacedCluster<D>, ShapeError> {
        if parts.is_empty() {
            return Err(ShapeError::Empty);
        }
        if let Some(part) = parts.iter().position(|part| part.volume() <= 0.0) {
            return Err(ShapeError::EmptyPart { part });
        }
        if let Some(size) = parts.iter().map(Part::farthest).find(|size| !SIZES.contains(size)) {
            return Err(ShapeError::OutOfRange { size });
        }
        let MassProperties { volume, centre, second_moment } = union(&parts);
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
        Ok(PlacedCluster {
            cluster: Arc::new(Self::assembled(parts, volume, inertia)),
            position: D::Vector::from_array3(centre.to_array()),
            orientation: D::from_quaternion(axes.to_array()),
        })
    }

    /// A cluster of parts that are about its centre of mass and in its principal axes already, with its volume and its
    /// moments of inertia for density 1: nothing is moved, and nothing integrated again.
    pub fn centred(parts: Vec<Part<D>>, volume: f64, inertia: D::Spin) -> Result<Self, ShapeError> {
        if parts.is_empty() {
            return Err(ShapeError::Empty);
        }
        let moments = std::array::from_fn(|i| inertia.get(if D::AXES == 2 { 0 } else { i }));
        Ok(Self::assembled(parts, volume, moments))
    }

    fn assembled(parts: Vec<Part<D>>, volume: f64, inertia: [f64; 3]) -> Self {
        Cluster {
            bounding_radius: parts.iter().map(|part| part.farthest()).fold(0.0, f64::max),
            parts,
            volume,
            inertia: D::Spin::from_fn(|i| inertia[if D::AXES == 2 { 2 } else { i }]),
        }
    }

    /// The cluster whose every length is `factor` times as large.
    pub fn scaled(&self, factor: f64) -> Self {
        let dimension = D::AXES as f64;
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
            volume: self.volume * libm::pow(factor, dimension),
            inertia: self.inertia * libm::pow(factor, dimension + 2.0),
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

    /// Its own mass properties, in the frame of the cluster.
    pub(super) fn mass_properties(&self) -> MassProperties {
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

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec2;
    use riprap_solve::{D2, D3};
    use std::f64::consts::PI;

    fn ball<D: Dim>(position: D::Vector, radius: f64) -> Part<D> {
        Part { shape: PartShape::Ball { radius }, position, orientation: D::Orientation::default() }
    }

    fn cuboid(centre: DVec3, edges: DVec3) -> Part<D3> {
        let corner =
            |i: usize| DVec3::from_array(std::array::from_fn(|axis| if i >> axis & 1 == 1 { 0.5 } else { -0.5 }));
        let points: Vec<DVec3> = (0..8).map(|i| centre + corner(i) * edges).collect();
        let placed = Convex::hull(&points).unwrap();
        Part { shape: PartShape::Convex(placed.convex), position: placed.position, orientation: placed.orientation }
    }

    #[test]
    fn two_spheres_that_touch_are_exact() {
        // Radii 1 and 2 with centres 3 apart: reduced mass times square of the distance across, 2/5 m r² along.
        let (m, n) = (4.0 / 3.0 * PI, 32.0 / 3.0 * PI);
        let placed = Cluster::<D3>::join(vec![ball(DVec3::X, 1.0), ball(DVec3::X * 4.0, 2.0)]).unwrap();
        let along = 0.4 * (m + 4.0 * n);
        let across = along + m * n / (m + n) * 9.0;
        assert!((placed.cluster.volume - m - n).abs() < 1e-13);
        assert!((placed.position - DVec3::X * (m + 4.0 * n) / (m + n)).length() < 1e-14);
        assert!((placed.cluster.inertia - DVec3::new(along, across, across)).length() < 1e-12 * across);
        assert!(
            (placed.cluster.bounding_radius - (4.0 + 2.0 - placed.position.x).max(placed.position.x)).abs() < 1e-14
        );
    }

    #[test]
    fn two_spheres_that_overlap_count_once() {
        // Unit spheres with centres 1 apart: the lens has the volume 5π/12, and each half of the clump, cut by the plane
        // between them, is a sphere without a cap of height 1/2.
        let placed = Cluster::<D3>::join(vec![ball(DVec3::ZERO, 1.0), ball(DVec3::Z, 1.0)]).unwrap();
        let volume = 8.0 / 3.0 * PI - 5.0 / 12.0 * PI;
        assert!((placed.cluster.volume / volume - 1.0).abs() < 1e-5);
        assert!((placed.position - DVec3::Z * 0.5).length() < 1e-5);
        // ∫ z² and ∫ x² over one half in the frame of its centre, from z = −1 to 1/2 with sections π(1−z²).
        let primitive = |z: f64| PI * (z.powi(3) / 3.0 - z.powi(5) / 5.0);
        let shifted = |z: f64| PI * (z - z.powi(3) / 3.0 - 2.0 * z * z + z.powi(4)) / 4.0;
        let zz = 2.0 * (primitive(0.5) - primitive(-1.0) + shifted(0.5) - shifted(-1.0));
        let quarter = |z: f64| 0.25 * PI * (z - 2.0 / 3.0 * z.powi(3) + z.powi(5) / 5.0);
        let xx = 2.0 * (quarter(0.5) - quarter(-1.0));
        let expected = DVec3::new(xx + zz, xx + zz, 2.0 * xx);
        assert!(
            (placed.cluster.inertia - expected).length() < 1e-4 * expected.length(),
            "{:?}",
            placed.cluster.inertia
        );
    }

    #[test]
    fn disks_that_overlap_count_once() {
        let placed = Cluster::<D2>::join(vec![ball(DVec2::ZERO, 1.0), ball(DVec2::Y, 1.0)]).unwrap();
        let lens = 2.0 * PI / 3.0 - 0.75_f64.sqrt();
        assert!((placed.cluster.volume - (2.0 * PI - lens)).abs() < 1e-6);
        assert!((placed.position - DVec2::Y * 0.5).length() < 1e-6);
    }

    #[test]
    fn an_angle_of_two_boxes_is_exact_and_the_same_where_they_overlap() {
        // An L: a box 3×1×1 along x and a box 1×1×2 on its end, once side by side, once sharing a corner.
        let apart = [
            cuboid(DVec3::new(1.5, 0.5, 0.5), DVec3::new(3.0, 1.0, 1.0)),
            cuboid(DVec3::new(0.5, 0.5, 2.0), DVec3::new(1.0, 1.0, 2.0)),
        ];
        let sharing = [apart[0].clone(), cuboid(DVec3::new(0.5, 0.5, 1.5), DVec3::new(1.0, 1.0, 3.0))];
        let [exact, shared] = [apart, sharing].map(|parts| Cluster::<D3>::join(parts.to_vec()).unwrap());
        let centre = (DVec3::new(1.5, 0.5, 0.5) * 3.0 + DVec3::new(0.5, 0.5, 2.0) * 2.0) / 5.0;
        assert!((exact.cluster.volume - 5.0).abs() < 1e-13 && (exact.position - centre).length() < 1e-14);
        assert!((shared.cluster.volume - 5.0).abs() < 5e-5 && (shared.position - centre).length() < 5e-5);
        // The two legs lie the same way, so which of the axes along the diagonals comes first is a matter of rounding.
        let sorted = |inertia: DVec3| {
            let mut moments = inertia.to_array();
            moments.sort_by(f64::total_cmp);
            DVec3::from(moments)
        };
        let (own, other) = (sorted(exact.cluster.inertia), sorted(shared.cluster.inertia));
        assert!((own - other).length() < 1e-4 * own.length(), "{own:?} {other:?}");
        // About y the two boxes add up by the theorem of parallel axes, whatever the principal axes are.
        let own = 3.0 / 12.0 * 10.0 + 2.0 / 12.0 * 5.0;
        let steiner = 3.0 * (DVec3::new(1.5, 0.5, 0.5) - centre).length_squared()
            + 2.0 * (DVec3::new(0.5, 0.5, 2.0) - centre).length_squared();
        assert!((exact.cluster.inertia.y - own - steiner).abs() < 1e-12);
    }
}
