//! The momentum balance of a step.

use crate::contact::Status;
use crate::drive::External;
use crate::work::Work;
use crate::world::World;
use riprap_solve::{Dim, Vector};

/// How well momentum and forces balance.
pub(super) struct MomentumBalance {
    /// `|Σ m Δv − δt ΣF − Σ p_walls|` over the largest of these sums of absolute values.
    pub error: f64,
    /// Mean over bodies with contacts of the unbalanced force, over the mean contact force.
    pub unbalanced_force: f64,
}

impl<D: Dim> World<D> {
    /// Balances the momentum that the bodies gained with the impulses from outside.
    pub(super) fn momentum_balance(&self, external: &External<D>, step: &Work<D>) -> MomentumBalance {
        let dt = self.settings.time_step;
        let mut balance = Balance::new(D::Vector::ZERO);
        let mut unbalanced = Mean::default();
        let mut contact_impulse = Mean::default();
        let mut touched = vec![false; self.bodies.len()];
        for contact in step.contacts.iter().filter(|contact| contact.status != Status::Open) {
            contact_impulse.add(contact.impulse.length());
            // In a cell under pressure the impulses between grains balance without walls or weight; they set the scale of
            // rounding too.
            balance.size += if self.cell_driver.is_some() { contact.impulse.length() } else { 0.0 };
            for (side, sign) in [(0, -1.0), (1, 1.0)] {
                let body = contact.bodies[side] as usize;
                touched[body] = true;
                if self.is_grain(contact.bodies[side]) {
                    continue;
                }
                balance.add(self.along_imposed_axes(body, contact.impulse) * sign);
            }
        }
        // The tension of cohesive contacts was applied and taken back, and was rounded with the rest.
        for law in &step.laws {
            balance.size += law.tension;
        }
        for body in 0..self.bodies.len() {
            if self.bodies[body].is_imposed() {
                continue;
            }
            let gained = self.mass_along_axes(body).scale(self.state.velocity[body] - step.velocity_before[body]);
            balance.add(gained);
            balance.add((self.weight(body, external) + external.on(body).0 + step.bridge_force(body)) * -dt);
            if self.bodies[body].is_free() && touched[body] {
                unbalanced.add(gained.length());
            }
        }
        let unbalanced_force = unbalanced.value() / contact_impulse.value().max(f64::MIN_POSITIVE);
        MomentumBalance { error: balance.error(), unbalanced_force }
    }
}

/// A sum of vectors that should vanish.
struct Balance<V> {
    sum: V,
    size: f64,
}

impl<V: Vector> Balance<V> {
    fn new(sum: V) -> Self {
        Balance { sum, size: 0.0 }
    }

    fn add(&mut self, term: V) {
        self.sum += term;
        self.size += term.length();
    }

    fn error(&self) -> f64 {
        if self.size > 0.0 { self.sum.length() / self.size } else { 0.0 }
    }
}

/// A mean; zero if nothing was added.
#[derive(Default)]
struct Mean {
    sum: f64,
    count: u32,
}

impl Mean {
    fn add(&mut self, value: f64) {
        self.sum += value;
        self.count += 1;
    }

    fn value(&self) -> f64 {
        self.sum / f64::from(self.count.max(1))
    }
}
