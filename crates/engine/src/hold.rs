//! What holds contacts besides Signorini and Coulomb, in the words of the solver: cohesion, bonds, contact torques.

use crate::contact::Contact;
use crate::detect::Pair;
use crate::law::ADHERES;
use crate::step::Work;
use crate::world::World;
use riprap_solve::problem::{self, GROUND};
use riprap_solve::solvers::COMPLIANT_SLIDING;
use riprap_solve::{Criterion, Dim, Options, Vector};

/// Bonds are looked for across gaps up to this fraction of the largest radius.
const BONDS: f64 = 0.01;

impl<D: Dim> World<D> {
    /// The gap out to which cohesion or a bond can hold a pair.
    pub(crate) fn hold_range(&self) -> f64 {
        let bonded = !self.state.bonds.is_empty();
        if !bonded && self.materials.laws().all(|law| law.cohesion.is_none()) {
            return 0.0;
        }
        let radii = self.bodies.iter().map(|body| body.size()).filter(|radius| radius.is_finite());
        let (least, most) =
            radii.fold((f64::INFINITY, 0.0), |(least, most), r| (f64::min(least, r), f64::max(most, r)));
        // A given energy reaches farthest where the force is smallest: between two of the smallest grains.
        let ranges = self
            .materials
            .laws()
            .filter_map(|law| law.cohesion)
            .flat_map(|cohesion| [cohesion.range(0.5 * least), cohesion.range(most), ADHERES * most]);
        ranges.fold(if bonded { BONDS * most } else { 0.0 }, f64::max)
    }

    /// `r* = r₁r₂/(r₁+r₂)`. Walls count as flat, and a body that is no ball as the ball of its volume.
    pub(crate) fn reduced_radius(&self, bodies: [u32; 2]) -> f64 {
        let curvature = bodies.map(|body| 1.0 / self.bodies[body as usize].size());
        1.0 / (curvature[0] + curvature[1])
    }

    /// The pairs that cohesion held in the last step, in the order of the list.
    pub(crate) fn held_pairs(&self) -> Vec<u32> {
        let contacts = self.state.contacts.iter().zip(&self.cache.pair_of);
        contacts.filter(|(contact, _)| contact.bonded).map(|(_, &pair)| pair).collect()
    }

    /// True if a pair takes part because cohesion or a bond holds it.
    pub(crate) fn is_held(&self, held: &[u32], index: usize, pair: &Pair, gap: f64) -> bool {
        if self.bond_of(pair.bodies, pair.offset).is_some() {
            return true;
        }
        if held.binary_search(&(index as u32)).is_err() {
            return false;
        }
        let [a, b] = pair.bodies.map(|body| self.bodies[body as usize].material);
        self.materials.pair(a, b).cohesion.is_some_and(|cohesion| {
            let range = cohesion.range(self.reduced_radius(pair.bodies));
            gap <= range.max(ADHERES * self.smaller_radius(pair.bodies))
        })
    }

    /// For each contact, how many contacts its two bodies have with each other, where that is asked for: cohesion and
    /// bonds belong to the pair of bodies, and its contacts share them.
    pub(crate) fn points_of_pairs(&self, contacts: &[Contact<D>]) -> Vec<f64> {
        if self.state.bonds.is_empty() && self.materials.laws().all(|law| law.cohesion.is_none()) {
            return Vec::new();
        }
        let same = |a: &Contact<D>, b: &Contact<D>| (a.bodies, a.offset) == (b.bodies, b.offset);
        contacts.chunk_by(same).flat_map(|group| std::iter::repeat_n(group.len() as f64, group.len())).collect()
    }

    /// States torques and cohesion, and gives the bodies the tension from which the solver counts the impulses of held
    /// contacts. Returns the solver's options for this problem.
    pub(crate) fn state_holds(&self, step: &mut Work<D>) -> Options {
        let Work { problem, contacts, demands, .. } = step;
        problem.torques.clear();
        if demands.iter().any(|demand| demand.rolling > 0.0 || demand.torsion > 0.0) {
            problem.torques.extend(contacts.iter().zip(&*demands).map(|(contact, demand)| {
                let mut torque = problem::Torque {
                    rolling: demand.rolling,
                    torsion: demand.torsion,
                    lengths: [1.0; 2],
                    shift: D::Spin::ZERO,
                    impulse: contact.torque,
                };
                for (side, sign) in [(0, -1.0), (1, 1.0)] {
                    let body = contact.bodies[side] as usize;
                    if self.cache.slots[body] == GROUND {
                        torque.shift += self.state.spin[body] * sign;
                    } else if let Some(radius) = self.bodies[body].grain_radius() {
                        torque.lengths[side] = radius;
                    }
                }
                torque
            }));
        }
        problem.cohesions.clear();
        if demands.iter().any(|demand| demand.cohesion != problem::Cohesion::default()) {
            problem.cohesions.extend(demands.iter().map(|demand| demand.cohesion));
        }
        let mut options = self.settings.solver;
        self.state_stiffness(step, &mut options);
        let Work { problem, demands, .. } = step;
        if demands.iter().any(|demand| demand.pull > 0.0) {
            let speed = mean_square_speed(problem);
            for i in 0..demands.len() {
                if demands[i].pull > 0.0 {
                    let contact = problem.contacts[i];
                    problem.apply(&contact, contact.normal * -demands[i].pull);
                }
            }
            // The motion that errors are judged against is that of the bodies without this tension, which the contacts
            // only take back.
            if let Criterion::Motion { velocity, .. } = &mut options.criterion {
                *velocity *= (speed / mean_square_speed(problem)).sqrt().min(1.0);
            }
        }
        options
    }

    /// Compliant contacts: `1/(K δt²)`, about the impulses of the last step, and with damped sliding, which they need
    /// (SOLVERS.md, "Slightly compliant").
    fn state_stiffness(&self, step: &mut Work<D>, options: &mut Options) {
        let Work { problem, contacts, demands, rest, .. } = step;
        problem.rest_impulses.clear();
        if let Some(stiffness) = self.settings.stiffness {
            problem.compliance = 1.0 / (stiffness * self.settings.time_step * self.settings.time_step);
            options.sliding = options.sliding.min(COMPLIANT_SLIDING);
            let at_rest = rest.iter().zip(&*contacts).zip(&*demands);
            problem.rest_impulses.extend(at_rest.map(|((&rest, contact), demand)| rest + contact.normal * demand.pull));
        }
    }
}

fn mean_square_speed<D: Dim>(problem: &problem::Problem<D>) -> f64 {
    let sum: f64 = problem.bodies.iter().map(|body| body.velocity.dot(body.velocity)).sum();
    sum / problem.bodies.len() as f64
}
