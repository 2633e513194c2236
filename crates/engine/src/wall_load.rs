//! What the walls carry.

use crate::world::World;
use riprap_solve::{Dim, Vector};

/// Force, torque and power on a wall in the last step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WallLoad<D: Dim> {
    /// The index of the wall.
    pub body: u32,
    /// Force of the grains on the wall.
    pub force: D::Vector,
    /// Torque of the grains on the wall, about its position.
    pub torque: D::Spin,
    /// Power that the wall gives to the grains.
    pub power: f64,
}

impl<D: Dim> World<D> {
    /// Force, torque and power on every wall in the last step, in the order of the bodies.
    pub fn wall_loads(&self) -> Vec<WallLoad<D>> {
        let mut place = vec![usize::MAX; self.bodies.len()];
        let mut loads = Vec::new();
        for (index, _) in self.bodies.iter().enumerate().filter(|(_, body)| !body.is_free()) {
            place[index] = loads.len();
            loads.push(WallLoad { body: index as u32, ..WallLoad::default() });
        }
        let per_time = 1.0 / self.time_step();
        for (index, contact) in self.state.contacts.iter().enumerate() {
            for (side, sign) in [(0, -1.0), (1, 1.0)] {
                let body = contact.bodies[side] as usize;
                if place[body] != usize::MAX {
                    let load = &mut loads[place[body]];
                    let force = contact.impulse * (sign * per_time);
                    let arm = self.lever_arm(contact, side);
                    let velocity = self.state.velocity[body] + D::cross(self.state.spin[body], arm);
                    load.force += force;
                    let torque = self.state.extras_of(index).torque * (sign * per_time);
                    load.torque += D::wedge(arm, force) + torque;
                    load.power -= force.dot(velocity) + torque.dot(self.state.spin[body]);
                }
            }
        }
        loads
    }
}
