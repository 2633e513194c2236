//! Springs and membranes within a window of molecular dynamics: their forces follow the bodies in every short step.

use super::pack::{Loaded, Pack};
use crate::drive::External;
use crate::membrane::{Spring, press};
use crate::world::World;
use riprap_solve::{Dim, Vector};

/// The bodies that springs and membranes hold, and these in the numbers of those bodies.
#[derive(Default)]
pub(super) struct Ties<D: Dim> {
    /// In the order of the world, whatever the list of pairs is.
    bodies: Vec<Tied<D>>,
    /// Where they are.
    places: Vec<D::Vector>,
    springs: Vec<Spring>,
    /// Each chain with the force per length that pushes it to its left.
    chains: Vec<(Vec<u32>, f64)>,
    /// Work of the pressure since the start of the window.
    work: f64,
}

struct Tied<D: Dim> {
    body: u32,
    part: TiedAs,
    inverse_mass: D::Vector,
    /// The acceleration by loads, which a window does not change.
    steady: D::Vector,
    /// How far it has gone since the last evaluation.
    way: D::Vector,
    /// By springs and membranes.
    force: D::Vector,
    /// The part of the membranes.
    pressure: D::Vector,
    /// Momentum since the start of the window.
    impulse: D::Vector,
}

/// Where a body stands in the pack.
#[derive(Clone, Copy)]
enum TiedAs {
    /// Its number among the balls, and among those with loads.
    Ball(u32, u32),
    /// Its number among the walls.
    Wall(u32),
}

impl<D: Dim> Pack<D> {
    /// Ties the packed bodies together; the pressure of the window is that of its middle, like every load.
    pub fn tie(&mut self, world: &World<D>, external: &External<D>, slot: &[u32]) {
        let in_springs = world.springs.iter().flat_map(|spring| spring.bodies);
        let in_chains = world.membranes.iter().flat_map(|membrane| membrane.chain.iter().copied());
        let mut bodies: Vec<u32> = in_springs.chain(in_chains).collect();
        bodies.sort_unstable();
        bodies.dedup();
        let number = |body: u32| bodies.binary_search(&body).expect("it was collected") as u32;
        let rename = |spring: &Spring| Spring { bodies: spring.bodies.map(number), ..spring.clone() };
        self.ties.springs = world.springs.iter().map(rename).collect();
        let chains = world.membranes.iter();
        self.ties.chains = chains
            .map(|membrane| (membrane.chain.iter().map(|&body| number(body)).collect(), membrane.load(external.time)))
            .collect();
        for &index in &bodies {
            let (body, slot) = (index as usize, slot[index as usize]);
            let mass = world.mass_along_axes(body);
            let inverse_mass = D::Vector::from_fn(|i| if mass.get(i) > 0.0 { 1.0 / mass.get(i) } else { 0.0 });
            let part = if world.bodies[body].shape.ball_radius().is_none() {
                TiedAs::Wall(slot)
            } else {
                let known = self.loaded.iter().position(|loaded| loaded.ball == slot);
                let loaded = known.unwrap_or_else(|| {
                    self.loaded.push(Loaded { ball: slot, ..Loaded::default() });
                    self.loaded.len() - 1
                });
                TiedAs::Ball(slot, loaded as u32)
            };
            self.ties.places.push(world.state.position[body]);
            self.ties.bodies.push(Tied {
                body: index,
                part,
                inverse_mass,
                steady: inverse_mass.scale(external.on(body).0),
                way: D::Vector::ZERO,
                force: D::Vector::ZERO,
                pressure: D::Vector::ZERO,
                impulse: D::Vector::ZERO,
            });
        }
    }

    /// The forces of springs and membranes with the bodies where they are now, for the time `weight`.
    pub fn pull_ties(&mut self, world: &World<D>, weight: f64) {
        let Ties { bodies, places, springs, chains, work } = &mut self.ties;
        for (tied, place) in bodies.iter_mut().zip(&mut *places) {
            let now = match tied.part {
                TiedAs::Ball(ball, _) => self.places[ball as usize].position,
                TiedAs::Wall(_) => world.state.position[tied.body as usize],
            };
            // The pressure's force is linear in the places: the mean of its values at both ends of a straight way gives
            // its work exactly.
            tied.way = now - *place;
            *work += 0.5 * tied.pressure.dot(tied.way);
            (*place, tied.pressure) = (now, D::Vector::ZERO);
        }
        for (chain, load) in chains.iter() {
            let ends = press::<D>(*load, chain, |body| places[body as usize]);
            for (&body, force) in chain.iter().zip(ends) {
                bodies[body as usize].pressure += force;
            }
        }
        for tied in bodies.iter_mut() {
            *work += 0.5 * tied.pressure.dot(tied.way);
            tied.force = tied.pressure;
        }
        for spring in springs.iter() {
            let [a, b] = spring.bodies.map(|body| body as usize);
            let force = spring.force(places[b] - places[a]);
            bodies[b].force += force;
            bodies[a].force -= force;
        }
        for tied in bodies.iter_mut() {
            tied.impulse += tied.force * weight;
            let acceleration = tied.steady + tied.inverse_mass.scale(tied.force);
            match tied.part {
                TiedAs::Ball(_, loaded) => self.loaded[loaded as usize].outside.0 = acceleration,
                TiedAs::Wall(wall) => self.walls[wall as usize].outside.0 = acceleration,
            }
        }
    }
}

impl<D: Dim> Ties<D> {
    /// Takes over what has happened in the window from a pack that was made for another list.
    pub fn carry_on(&mut self, from: &Ties<D>) {
        self.work = from.work;
        self.places.clone_from(&from.places);
        for (tied, old) in self.bodies.iter_mut().zip(&from.bodies) {
            (tied.pressure, tied.impulse) = (old.pressure, old.impulse);
        }
    }

    /// Work of the membranes' pressure in this window.
    pub fn work(&self) -> f64 {
        self.work
    }

    /// Adds the mean forces over the window to those from outside.
    pub fn add_means(&self, per_time: f64, external: &mut External<D>) {
        for tied in &self.bodies {
            external.loads[tied.body as usize].0 += tied.impulse * per_time;
        }
    }
}
