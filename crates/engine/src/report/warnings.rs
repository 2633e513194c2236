//! What a step warns of: too few sweeps for the size of the packing, and compression of a jammed packing.

use crate::contact::{Contact, Status};
use crate::work::Work;
use crate::world::World;
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
    /// True if a wall with an imposed velocity presses on contacts that keep approaching nevertheless: rigid grains without
    /// room to yield, whose forces grow with every sweep (docs/method.md §5).
    pub(super) fn is_jammed(&self, step: &Work<D>) -> bool {
        let (pressing, dt) = (step.contact_totals.pressing, self.settings.time_step);
        pressing > 0.0
            && step.contacts.iter().any(|contact| {
                contact.status != Status::Open
                    && -(contact.velocity.dot(contact.normal) + f64::max(contact.gap, 0.0) / dt) > JAMMED * pressing
            })
    }

    /// The largest extent, along any axis, of a set of bodies held together by contacts that carry impulses.
    pub(crate) fn largest_cluster(&self, contacts: &[Contact<D>]) -> f64 {
        let mut leader: Vec<u32> = (0..self.bodies.len() as u32).collect();
        fn find(leader: &mut [u32], mut body: u32) -> u32 {
            while leader[body as usize] != body {
                let above = leader[leader[body as usize] as usize];
                leader[body as usize] = above;
                body = above;
            }
            body
        }
        for contact in contacts.iter().filter(|contact| contact.status != Status::Open) {
            if contact.bodies.iter().all(|&body| self.bodies[body as usize].is_free()) {
                let [a, b] = contact.bodies.map(|body| find(&mut leader, body));
                leader[a.max(b) as usize] = a.min(b);
            }
        }
        let mut bounds = vec![None; self.bodies.len()];
        for body in self.free_bodies() {
            let root = find(&mut leader, body as u32) as usize;
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
            stiffness: q_n * m / self.settings.time_step.powi(2),
            sound_speed: q_n.sqrt() * d / self.settings.time_step,
        })
    }
}
