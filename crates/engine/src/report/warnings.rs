//! What a step warns of: too few sweeps for the size of the packing, and compression of a jammed packing.

use super::momentum::pressing;
use crate::contact::{Contact, Status};
use crate::work::Work;
use crate::world::World;
use riprap_solve::problem::GROUND;
use riprap_solve::{Dim, Vector};

/// The approach velocity that remains in a jammed packing, as a fraction of the speed of the wall that compresses it.
const JAMMED: f64 = 0.05;

/// How fast random Gauss–Seidel sweeps carry forces along a chain, `q = (4√e − 5)/2` (docs/method.md §5).
pub fn sweep_diffusivity() -> f64 {
    0.5 * (4.0 * std::f64::consts::E.sqrt() - 5.0)
}

/// Too few sweeps make rigid grains elastic (docs/method.md §5): by how much.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SoftRegime {
    /// Sweeps of the step, `N_I`.
    pub sweeps: u32,
    /// How far forces can diffuse in one step, `√(4 q N_I) d`.
    pub diffusion_length: f64,
    /// Size of the largest cluster of contacts.
    pub cluster_size: f64,
    /// Effective stiffness of a contact, `q m N_I/δt²`.
    pub stiffness: f64,
    /// Effective speed of sound, `√(q N_I) d/δt`.
    pub sound_speed: f64,
}

impl<D: Dim> World<D> {
    /// True if a wall with an imposed velocity presses on grains that keep approaching nevertheless: rigid grains without
    /// room to yield, whose forces grow with every sweep (docs/method.md §5). Grains that lean on something that gives way to
    /// a force can yield, and what they still approach is the tolerance of the solve.
    pub(super) fn is_jammed(&self, step: &Work<D>) -> bool {
        let (fastest, dt, contacts) = (step.contact_totals.pressing, self.time_step(), &step.contacts);
        let approaches = |contact: &Contact<D>| {
            contact.status != Status::Open
                && -(contact.velocity.dot(contact.normal) + f64::max(contact.gap, 0.0) / dt) > JAMMED * fastest
        };
        if fastest <= 0.0 || !contacts.iter().any(approaches) || self.cell_gives_way() {
            return false;
        }
        let is_ground = |body: u32| self.cache.slots[body as usize] == GROUND;
        let clusters = self.clusters(contacts, |body| self.cache.slots[body] != GROUND);
        let gives_way = |body: &u32| !is_ground(*body) && !self.bodies[*body as usize].is_free();
        let yielding: Vec<u32> =
            (0..self.bodies.len() as u32).filter(gives_way).map(|body| clusters[body as usize]).collect();
        // The clusters that imposed walls press on, and that lean on nothing that yields.
        let stuck: Vec<u32> = contacts
            .iter()
            .filter(|contact| contact.status != Status::Open)
            .flat_map(|contact| [(contact, 0), (contact, 1)])
            .filter(|(contact, side)| {
                let wall = contact.bodies[*side];
                let outward = if *side == 0 { contact.normal } else { -contact.normal };
                is_ground(wall) && pressing(outward, self.state.velocity[wall as usize]) > 0.0
            })
            .map(|(contact, side)| clusters[contact.bodies[1 - side] as usize])
            .filter(|cluster| !yielding.contains(cluster))
            .collect();
        contacts
            .iter()
            .filter(|contact| approaches(contact))
            .any(|contact| contact.bodies.iter().any(|&body| stuck.contains(&clusters[body as usize])))
    }

    /// True if the periodic cell is under a pressure, to which it yields.
    fn cell_gives_way(&self) -> bool {
        self.cell_driver.as_ref().is_some_and(|driver| (0..D::AXES).any(|axis| driver.is_free(axis)))
    }

    /// For each body, the first one of the cluster that contacts which carry impulses make of it; only bodies that `joins` holds
    /// of can be held together.
    fn clusters(&self, contacts: &[Contact<D>], joins: impl Fn(usize) -> bool) -> Vec<u32> {
        fn find(leader: &mut [u32], mut body: u32) -> u32 {
            while leader[body as usize] != body {
                let above = leader[leader[body as usize] as usize];
                leader[body as usize] = above;
                body = above;
            }
            body
        }
        let mut leader: Vec<u32> = (0..self.bodies.len() as u32).collect();
        for contact in contacts.iter().filter(|contact| contact.status != Status::Open) {
            if contact.bodies.iter().all(|&body| joins(body as usize)) {
                let [a, b] = contact.bodies.map(|body| find(&mut leader, body));
                leader[a.max(b) as usize] = a.min(b);
            }
        }
        (0..self.bodies.len() as u32).map(|body| find(&mut leader, body)).collect()
    }

    /// The largest extent, along any axis, of a set of bodies held together by contacts that carry impulses.
    pub(crate) fn largest_cluster(&self, contacts: &[Contact<D>]) -> f64 {
        let clusters = self.clusters(contacts, |body| self.bodies[body].is_free());
        let mut bounds = vec![None; self.bodies.len()];
        for body in self.free_bodies() {
            let root = clusters[body] as usize;
            let (x, r) = (self.state.position[body], self.bodies[body].search_radius().unwrap_or(0.0));
            let (low, high) = bounds[root].unwrap_or((x, x));
            bounds[root] = Some((
                D::Vector::from_fn(|i| f64::min(low.get(i), x.get(i) - r)),
                D::Vector::from_fn(|i| f64::max(high.get(i), x.get(i) + r)),
            ));
        }
        let extent =
            |(low, high): (D::Vector, D::Vector)| (0..D::AXES).map(|i| (high - low).get(i)).fold(0.0, f64::max);
        bounds.into_iter().flatten().map(extent).fold(0.0, f64::max)
    }

    /// Whether `sweeps` sweeps were too few for forces to cross the largest cluster (docs/method.md §5).
    pub(crate) fn soft_regime(&self, sweeps: u32, contacts: &[Contact<D>]) -> Option<SoftRegime> {
        let grains =
            self.free_bodies().map(|body| (2.0 * self.bodies[body].equivalent_radius(), self.bodies[body].mass));
        let (count, d, m) = grains.fold((0.0, 0.0, 0.0), |(count, ds, ms), (d, m)| (count + 1.0, ds + d, ms + m));
        if count == 0.0 {
            return None;
        }
        let (d, m) = (d / count, m / count);
        let q_n = sweep_diffusivity() * f64::from(sweeps);
        let diffusion_length = (4.0 * q_n).sqrt() * d;
        let cluster_size = self.largest_cluster(contacts);
        (diffusion_length < cluster_size).then(|| SoftRegime {
            sweeps,
            diffusion_length,
            cluster_size,
            stiffness: q_n * m / self.time_step().powi(2),
            sound_speed: q_n.sqrt() * d / self.time_step(),
        })
    }
}
