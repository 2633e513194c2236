//! How well forces balance, and what the walls carry.

use crate::grains;
use riprap_engine::{Dim, Motion, Vector, World};

/// The resultant force on each grain in the last step, mean and worst over the grains.
///
/// The resultant is `Σ f + m g + loads`, with `f` the forces of contacts, `p/δt`, and of capillary bridges on the grain, and
/// the loads those of the scene, of springs and of membranes; by Newton's law it equals `m Δv/δt`, so it is zero for a grain
/// at rest and `m g` for one in free fall. Torques are not in it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ForceBalance {
    /// Mean over all grains, in newtons.
    pub mean: f64,
    /// The largest, in newtons.
    pub worst: f64,
    /// The body that has the largest.
    pub worst_body: Option<u32>,
    /// Mean weight `m g` of a grain, in newtons; zero without gravity.
    pub mean_weight: f64,
    /// Mean force of the bearing contacts, in newtons; zero without contacts.
    pub mean_contact_force: f64,
}

impl ForceBalance {
    /// Mean and worst over the mean weight of a grain; `None` without gravity.
    pub fn over_weight(&self) -> Option<[f64; 2]> {
        (self.mean_weight > 0.0).then(|| [self.mean / self.mean_weight, self.worst / self.mean_weight])
    }

    /// Mean and worst over the mean contact force; `None` without contacts.
    pub fn over_contact_force(&self) -> Option<[f64; 2]> {
        (self.mean_contact_force > 0.0)
            .then(|| [self.mean / self.mean_contact_force, self.worst / self.mean_contact_force])
    }
}

/// The balance of forces in the last step. External forces are taken in the middle of the step.
pub fn force_balance<D: Dim>(world: &World<D>) -> ForceBalance {
    let time_step = world.time_step();
    let middle = world.state.time - 0.5 * time_step;
    let gravity = world.gravity.at(middle);

    let mut resultant = outside_forces(world, middle);
    for link in world.links() {
        resultant[link.bodies[0] as usize] -= link.force;
        resultant[link.bodies[1] as usize] += link.force;
    }
    let (mut contact_force, mut bearing) = (0.0, 0_u64);
    for contact in world.state.contacts.iter().filter(|c| crate::bears(c)) {
        contact_force += contact.impulse.length() / time_step;
        bearing += 1;
    }

    let mut balance = ForceBalance::default();
    let mut count = 0_u64;
    for i in grains(world) {
        let mass = world.bodies[i].mass;
        let size = (resultant[i] + gravity * mass).length();
        balance.mean += size;
        balance.mean_weight += mass * gravity.length();
        count += 1;
        if balance.worst_body.is_none() || size > balance.worst {
            (balance.worst, balance.worst_body) = (size, Some(i as u32));
        }
    }
    if count > 0 {
        balance.mean /= count as f64;
        balance.mean_weight /= count as f64;
    }
    if bearing > 0 {
        balance.mean_contact_force = contact_force / bearing as f64;
    }
    balance
}

/// The force on each body at a time in the last step that neither gravity nor another body exerts: loads, springs and
/// membranes.
fn outside_forces<D: Dim>(world: &World<D>, middle: f64) -> Vec<D::Vector> {
    let mut forces = vec![D::Vector::ZERO; world.bodies.len()];
    for load in &world.loads {
        let force = D::Vector::from_fn(|axis| load.force[axis].at(middle));
        let targets = grains(world).filter(|&i| load.target.includes(i, world.bodies[i].group));
        targets.for_each(|i| forces[i] += force);
    }
    let (start, dt) = (world.state.time - world.time_step(), world.time_step());
    for percussion in &world.percussions {
        let Some((impulse, _)) = percussion.within::<D>(start, world.state.time) else { continue };
        let targets = grains(world).filter(|&i| percussion.target.includes(i, world.bodies[i].group));
        targets.for_each(|i| forces[i] += impulse * (1.0 / dt));
    }
    for (force, (applied, _)) in forces.iter_mut().zip(&world.applied) {
        *force += *applied;
    }
    let since = world.state.time - middle;
    let place = |body: u32| world.state.position[body as usize] - world.state.velocity[body as usize] * since;
    for spring in &world.springs {
        let [a, b] = spring.bodies;
        let force = spring.force(place(b) - place(a));
        forces[b as usize] += force;
        forces[a as usize] -= force;
    }
    for membrane in &world.membranes {
        for (&body, force) in membrane.chain.iter().zip(membrane.forces::<D>(middle, place)) {
            forces[body as usize] += force;
        }
    }
    forces
}

/// What the walls carry of the grains' weight.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FloorForce {
    /// The force of the grains on all walls along gravity, in newtons.
    pub force: f64,
    /// The weight of all grains, in newtons.
    pub weight: f64,
}

/// The force on all walls along gravity in the last step, and the weight of the grains. `None` without gravity, without
/// grains, and without a wall; a piston that presses from above counts with its sign, so that grains at rest under it
/// have exactly their weight here.
pub fn floor_force<D: Dim>(world: &World<D>) -> Option<FloorForce> {
    let gravity = world.gravity.at(world.state.time - 0.5 * world.time_step());
    let down = gravity.normalized()?;
    let mass: f64 = grains(world).map(|i| world.bodies[i].mass).sum();
    let has_walls = world.bodies.iter().any(|body| matches!(body.motion, Motion::Driven(_)));
    (mass > 0.0 && has_walls).then(|| FloorForce {
        force: world.wall_loads().iter().map(|load| load.force.dot(down)).sum(),
        weight: mass * gravity.length(),
    })
}

/// The momentum of all grains, in kg m/s.
pub fn total_momentum<D: Dim>(world: &World<D>) -> D::Vector {
    grains(world).fold(D::Vector::ZERO, |sum, i| sum + world.state.velocity[i] * world.bodies[i].mass)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::{add_floor, touch, world_of_disks};
    use riprap_engine::{Bridge, Gravity, Load, Spring, Target, TimeFunction};

    fn down(strength: f64) -> Gravity<riprap_engine::D2> {
        Gravity::new(Vector::from_array3([0.0, -strength, 0.0]))
    }

    #[test]
    fn a_grain_in_free_fall_has_its_weight_and_one_on_a_floor_nothing() {
        let mut world = world_of_disks(&[([0.0, 1.0], 1.0), ([5.0, 9.0], 1.0)]);
        world.gravity = down(10.0);
        world.settings.time_step = 0.01;
        let weight = world.bodies[0].mass * 10.0;
        let floor = add_floor(&mut world);
        touch(&mut world, floor, 0, [0.0, 1.0], [0.0, weight * 0.01]);
        let balance = force_balance(&world);
        assert!((balance.worst - weight).abs() < 1e-9 * weight);
        assert_eq!(balance.worst_body, Some(1));
        let [mean, worst] = balance.over_weight().unwrap();
        assert!((mean - 0.5).abs() < 1e-12 && (worst - 1.0).abs() < 1e-12);
        assert!((balance.over_contact_force().unwrap()[1] - 1.0).abs() < 1e-12);
        let carried = floor_force(&world).unwrap();
        assert!((carried.weight - 2.0 * weight).abs() < 1e-9 * weight);
    }

    #[test]
    fn loads_count_and_action_equals_reaction() {
        let mut world = world_of_disks(&[([0.0, 0.0], 1.0), ([2.0, 0.0], 1.0)]);
        world.settings.time_step = 0.1;
        touch(&mut world, 0, 1, [1.0, 0.0], [0.3, 0.0]);
        let push = |x| [TimeFunction::Constant(x), TimeFunction::Constant(0.0), TimeFunction::Constant(0.0)];
        for (body, force) in [(0, 3.0), (1, -3.0)] {
            world.loads.push(Load { target: Target::Body(body), force: push(force), torque: push(0.0) });
        }
        assert!(force_balance(&world).worst < 1e-12);
        assert!(force_balance(&world).over_weight().is_none());
        assert!(floor_force(&world).is_none());
        world.state.velocity[0] = Vector::from_array3([2.0, 0.0, 0.0]);
        assert!((total_momentum(&world).get(0) - 2.0 * world.bodies[0].mass).abs() < 1e-12);
    }

    #[test]
    fn a_capillary_bridge_balances_the_contact_that_it_presses_together() {
        let mut world = world_of_disks(&[([0.0, 0.0], 1.0), ([2.0, 0.0], 1.0)]);
        world.settings.time_step = 0.1;
        touch(&mut world, 0, 1, [1.0, 0.0], [0.3, 0.0]);
        world.state.bridges.push(Bridge {
            bodies: [0, 1],
            offset: [0; 3],
            normal: Vector::axis(0),
            point: Vector::axis(0),
            gap: 0.0,
            volume: 1e-9,
            force: 3.0,
        });
        assert!(force_balance(&world).worst < 1e-12);
    }

    #[test]
    fn springs_and_applied_forces_count() {
        let mut world = world_of_disks(&[([0.0, 0.0], 1.0), ([3.0, 0.0], 1.0)]);
        world.springs.push(Spring { bodies: [0, 1], stiffness: 2.0, rest: 2.5 });
        let pull = <<riprap_engine::D2 as Dim>::Vector as Vector>::from_array3([1.0, 0.0, 0.0]);
        world.applied = vec![(-pull, 0.0), (pull, 0.0)];
        assert!(force_balance(&world).worst < 1e-12);
    }
}
