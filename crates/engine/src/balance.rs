//! The books of a step: momentum and energy (METHOD.md section 2), overlaps, and what the step should warn of.

use crate::contact::{Contact, Status};
use crate::report::SoftRegime;
use crate::step::Work;
use crate::world::World;
use riprap_solve::{Dim, Vector};

/// How fast random Gauss–Seidel sweeps carry forces along a chain, `q = (4√e − 5)/2` (METHOD.md section 5).
pub fn sweep_diffusivity() -> f64 {
    0.5 * (4.0 * 1.0_f64.exp().sqrt() - 5.0)
}

/// Velocities of all bodies at one moment.
pub struct Velocities<'a, D: Dim> {
    /// Velocity of each body.
    pub velocity: &'a [D::Vector],
    /// Spin of each body.
    pub spin: &'a [D::Spin],
}

/// Contact work of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactWork {
    /// `−Σ p_t·ū_t`.
    pub friction: f64,
    /// `−Σ p_n ū_n`.
    pub impact: f64,
    /// `−Σ τ_t·Ω̄_t`.
    pub rolling: f64,
    /// `−Σ τ_n Ω̄_n`.
    pub torsion: f64,
    /// `−Σ p_n ū_n` of contacts under tension.
    pub cohesion: f64,
    /// Work of imposed velocities through the contacts.
    pub drivers: f64,
    /// `Σ |p·ū|`, which rounding errors of the others are in proportion to.
    pub absolute: f64,
}

impl ContactWork {
    /// True if the contacts gave energy, more than rounding can: `−Σ p·ū < 0` (Clausius–Duhem, P3 11).
    pub fn violates_clausius_duhem(&self) -> bool {
        self.dissipated() < -1e-12 * self.absolute
    }

    /// What the contacts took from the bodies.
    pub fn dissipated(&self) -> f64 {
        self.friction + self.impact + self.rolling + self.torsion + self.cohesion
    }
}

impl<D: Dim> World<D> {
    /// Kinetic energy of all motions that are not imposed.
    pub fn kinetic_energy(&self) -> f64 {
        self.kinetic_energy_of(&self.state.velocity, &self.state.spin) + self.cell_energy()
    }

    /// The part of the kinetic energy that is rotation about the centres of mass.
    pub fn rotation_energy(&self) -> f64 {
        let still = vec![D::Vector::ZERO; self.bodies.len()];
        self.kinetic_energy_of(&still, &self.state.spin)
    }

    /// That of the bodies alone, for other velocities.
    pub(crate) fn kinetic_energy_of(&self, velocity: &[D::Vector], spin: &[D::Spin]) -> f64 {
        (0..self.bodies.len())
            .map(|body| {
                let (v, w) = (velocity[body], spin[body]);
                let mass = self.mass_along_axes(body);
                0.5 * (mass.scale(v).dot(v) + self.angular_momentum(body, w).dot(w))
            })
            .sum()
    }

    /// Potential energy in gravity as it is at time `t`.
    pub(crate) fn potential_energy(&self, t: f64) -> f64 {
        let gravity = self.gravity.at(t);
        self.free_bodies().map(|body| -self.bodies[body].mass * gravity.dot(self.state.position[body])).sum()
    }

    /// What the contacts did to energy, with the mean relative velocity `ū = (u⁻ + u⁺)/2`.
    pub(crate) fn contact_work(&self, step: &Work<D>) -> ContactWork {
        let at_start = Velocities { velocity: &step.velocity_before, spin: &step.spin_before };
        let at_end = Velocities { velocity: &self.state.velocity, spin: &self.state.spin };
        let mut work = ContactWork::default();
        for (contact, &u_before) in step.contacts.iter().zip(&step.before) {
            let p = contact.impulse;
            if contact.torque != D::Spin::ZERO {
                let mean = (relative_spin(contact, &at_start) + relative_spin(contact, &at_end)) * 0.5;
                let [torsion, rolling] = D::split_spin(contact.normal, mean);
                work.torsion -= contact.torque.dot(torsion);
                work.rolling -= contact.torque.dot(rolling);
                work.absolute += contact.torque.dot(mean).abs();
                for (side, sign) in [(0, 1.0), (1, -1.0)] {
                    let body = contact.bodies[side] as usize;
                    if !self.bodies[body].is_free() {
                        work.drivers += sign * contact.torque.dot(self.imposed_spin(body, &at_start));
                    }
                }
            }
            if p == D::Vector::ZERO {
                continue;
            }
            let mean = (u_before + contact.velocity) * 0.5;
            let normal = p.dot(contact.normal) * mean.dot(contact.normal);
            work.absolute += p.dot(mean).abs();
            if p.dot(contact.normal) < 0.0 {
                work.cohesion -= normal;
            } else {
                work.impact -= normal;
            }
            work.friction -= p.dot(mean) - normal;
            for (side, sign) in [(0, 1.0), (1, -1.0)] {
                let body = contact.bodies[side] as usize;
                if !self.bodies[body].is_free() {
                    work.drivers += sign * p.dot(self.imposed_velocity(body, contact, side, &at_start));
                }
            }
        }
        work
    }

    /// The part of a wall's velocity at a contact that is imposed.
    fn imposed_velocity(&self, body: usize, contact: &Contact<D>, side: usize, at: &Velocities<'_, D>) -> D::Vector {
        let mass = self.mass_along_axes(body);
        let v = D::Vector::from_fn(|i| if mass.get(i) == 0.0 { at.velocity[body].get(i) } else { 0.0 });
        v + D::cross(self.imposed_spin(body, at), self.lever_arm(contact, side))
    }

    /// The part of a wall's spin that is imposed.
    fn imposed_spin(&self, body: usize, at: &Velocities<'_, D>) -> D::Spin {
        let inertia = self.inertia_about_axes(body);
        D::Spin::from_fn(|i| if inertia.get(i) == 0.0 { at.spin[body].get(i) } else { 0.0 })
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

    /// METHOD.md section 5: whether `sweeps` sweeps were too few for forces to cross the largest cluster.
    pub(crate) fn soft_regime(&self, sweeps: u32, contacts: &[Contact<D>]) -> Option<SoftRegime> {
        let grains = self.free_bodies().map(|body| (2.0 * self.bodies[body].size(), self.bodies[body].mass));
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

/// Spin of body 2 against body 1.
fn relative_spin<D: Dim>(contact: &Contact<D>, at: &Velocities<'_, D>) -> D::Spin {
    at.spin[contact.bodies[1] as usize] - at.spin[contact.bodies[0] as usize]
}
