//! Measurements on packings: forces, stress, fabric, strain and more, and their plots.
//!
//! Most functions take a [`Packing`], the plain data of grains and contacts at one time, made from a [`World`] or from a
//! stored snapshot. A measurement that a packing does not support returns an [`Unavailable`] with the reason. A *grain* is
//! a free body with a volume; a *wall* is any other body. A contact *bears* if it carries a force.
//!
//! ```
//! use riprap_engine::{Body, D3, Placement, Settings, Shape, Silent, World, glam::DVec3};
//! use riprap_measure::{Packing, coordination, floor_force};
//!
//! // Two balls on top of each other on a floor.
//! let mut world = World::<D3>::new(Settings::new(1e-3));
//! world.add(Body::wall("floor", Shape::Plane { normal: DVec3::Z }), Placement::default());
//! world.add(Body::ball(0.01, 2600.0), Placement::at(DVec3::Z * 0.01));
//! world.add(Body::ball(0.01, 2600.0), Placement::at(DVec3::Z * 0.03));
//! for _ in 0..100 {
//!     world.step(&mut Silent)?;
//! }
//! let contacts = coordination(&Packing::of(&world), None).expect("it has contacts");
//! assert_eq!((contacts.grain_grain, contacts.grain_wall), (1, 1));
//! let floor = floor_force(&world).expect("there is a floor");
//! assert!((floor.force / floor.weight - 1.0).abs() < 0.05, "it carries the weight");
//! # Ok::<(), riprap_engine::StepError>(())
//! ```

mod balance;
pub mod convergence;
mod coordination;
mod fabric;
pub mod fit;
mod forces;
mod grid;
pub mod histogram;
mod indeterminacy;
mod joints;
mod law_graphs;
mod linear;
mod loading;
mod mixing;
mod oscillation;
mod overlap;
mod packing;
mod percolation;
pub mod picture;
pub mod plot;
mod profile;
mod radial;
pub mod report;
mod repose;
mod solid_fraction;
mod strain;
mod stress;
mod unavailable;

pub use balance::{FloorForce, ForceBalance, floor_force, force_balance, total_momentum};
pub use coordination::{Coordination, coordination, mean_coordination, rattlers};
pub use fabric::{Anisotropy, Fabric, Sector, fabric};
pub use fit::Fit;
pub use forces::{
    Component, ForceDistribution, ForceOptions, Network, Peak, bearing_pairs, distribution, forces, networks,
};
pub use indeterminacy::{Indeterminacy, Spread, indeterminacy, spread_of_solutions};
pub use joints::{Joint, JointState, joint_states, joints};
pub use law_graphs::law_graphs;
pub use linear::Tensor;
pub use loading::{Loading, loading};
pub use mixing::{Kinds, Mixing, mixing};
pub use oscillation::{Oscillation, damped_oscillation};
pub use overlap::ball_in_box;
pub use packing::{
    Contact, CrackPlace, End, Grain, Packing, Part, Wall, WallSurface, parts_of_shape, radius_of_volume,
};
pub use percolation::{Clusters, clusters};
pub use profile::{Layer, profile};
pub use radial::{RadialDistribution, radial_distribution};
pub use repose::{Repose, repose};
pub use solid_fraction::{Cylinder, Region, box_of_grains, grains_inside, packed_region, solid_fraction};
pub use strain::{LocalStrain, Motion, ShearBand, Strain, local_strains, motions, shear_band, strain};
pub use stress::{PressureDistribution, Stress, particle_pressures, particle_stresses, pressure_distribution, stress};
pub use unavailable::Unavailable;

use riprap_engine::{Body, Dim, Status, World};

/// True for a free body with a volume.
pub fn is_grain<D: Dim>(body: &Body<D>) -> bool {
    body.is_free() && body.shape.volume() > 0.0
}

/// The indices of the grains, in order.
pub fn grains<D: Dim>(world: &World<D>) -> impl Iterator<Item = usize> + '_ {
    world.bodies.iter().enumerate().filter(|(_, body)| is_grain(body)).map(|(i, _)| i)
}

/// The mean radius of the grains (of balls with their volume); zero if there is none.
pub fn mean_radius<D: Dim>(world: &World<D>) -> f64 {
    let (mut sum, mut count) = (0.0, 0_u64);
    for shape in grains(world).map(|i| &world.bodies[i].shape) {
        sum += shape.ball_radius().unwrap_or_else(|| radius_of_volume(D::AXES, shape.volume()));
        count += 1;
    }
    if count == 0 { 0.0 } else { sum / count as f64 }
}

/// True if the contact carried an impulse in the last step.
pub fn bears<D: Dim>(contact: &riprap_engine::Contact<D>) -> bool {
    contact.status != Status::Open
}

#[cfg(test)]
mod examples;
