//! Measurements on a world: coordination, solid fraction, balance of forces, momentum.
//!
//! Every function reads a [`World`](riprap_engine::World) and changes nothing. A *grain* is a free body with a volume;
//! a *wall* is every driven body. A contact *bears* if it carried an impulse in the last step.

mod balance;
mod coordination;
mod overlap;
pub mod plot;
mod solid_fraction;

pub use balance::{FloorForce, ForceBalance, floor_force, force_balance, total_momentum};
pub use coordination::{Coordination, coordination};
pub use overlap::ball_in_box;
pub use solid_fraction::{Cylinder, Region, packed_region, solid_fraction};

use riprap_engine::{Body, Contact, Dim, Status, World};

/// True for a free body with a volume.
pub fn is_grain<D: Dim>(body: &Body<D>) -> bool {
    body.is_free() && body.shape.ball_radius().is_some()
}

/// The indices of the grains, in order.
pub fn grains<D: Dim>(world: &World<D>) -> impl Iterator<Item = usize> + '_ {
    world.bodies.iter().enumerate().filter(|(_, body)| is_grain(body)).map(|(i, _)| i)
}

/// The mean radius of the grains; zero if there is none.
pub fn mean_radius<D: Dim>(world: &World<D>) -> f64 {
    let (mut sum, mut count) = (0.0, 0_u64);
    for radius in grains(world).filter_map(|i| world.bodies[i].shape.ball_radius()) {
        sum += radius;
        count += 1;
    }
    if count == 0 { 0.0 } else { sum / count as f64 }
}

/// True if the contact carried an impulse in the last step.
pub fn bears<D: Dim>(contact: &Contact<D>) -> bool {
    contact.status != Status::Open
}

#[cfg(test)]
mod examples;
