//! The momentum balance of a step.

use crate::contact::{Contact, Status};
use crate::drive::External;
use crate::work::{ContactTotals, Work};
use crate::world::World;
use riprap_solve::problem::GROUND;
use riprap_solve::{Dim, Vector};

/// The part of the momenta that sets the scale of their balance in a step whose impulses are smaller still. Velocities are
/// rounded at 10⁻¹⁶ of themselves, so that such impulses cannot balance to much better than 10⁻⁸, whatever the solver does;
/// where impulses are larger, as under weight, this adds nothing that matters.
const LEAST_CHANGE: f64 = 1e-8;

/// How well momentum and forces balance.
pub(super) struct MomentumBalance {
    /// `|Σ m Δv − δt ΣF − Σ p_walls|` over the sum of the absolute values of these terms, and of a small part of the momenta.
    pub error: f64,
    /// Mean over bodies with contacts of the unbalanced force, over the mean contact force.
    pub unbalanced_force: f64,
    /// The largest speed of a free body.
    pub max_speed: f64,
}

impl<D: Dim> World<D> {
    /// What the contacts of a step amount to.
    pub(crate) fn count_contacts(&self, step: &mut Work<D>) {
        let totals = &mut step.contact_totals;
        totals.begin(self.bodies.len());
        step.contacts.iter().for_each(|contact| totals.add(self, contact));
    }

    /// Balances the momentum that the bodies gained with the impulses from outside.
    pub(super) fn momentum_balance(&self, external: &External<D>, step: &Work<D>) -> MomentumBalance {
        let (dt, contacts) = (self.time_step(), &step.contact_totals);
        let mut balance = Balance { sum: contacts.on_imposed, size: contacts.on_imposed_size };
        if self.cell_driver.is_some() {
            // In a cell under pressure the impulses between grains balance without walls or weight; they set the scale of
            // rounding too.
            balance.size += contacts.size;
        }
        if step.features.tension {
            // The tension of cohesive contacts was applied and taken back, and was rounded with the rest.
            balance.size += step.laws.iter().map(|law| law.tension).sum::<f64>();
        }
        let mut unbalanced = Mean::default();
        let mut max_speed: f64 = 0.0;
        for body in 0..self.bodies.len() {
            if self.bodies[body].is_imposed() {
                continue;
            }
            let mass = self.mass_along_axes(body);
            let gained = mass.scale(self.state.velocity[body] - step.velocity_before[body]);
            balance.add(gained);
            balance.size += LEAST_CHANGE * mass.scale(self.state.velocity[body]).length();
            balance.add((self.weight(body, external) + external.on(body).0 + step.bridge_force(body)) * -dt);
            if self.bodies[body].is_free() {
                max_speed = max_speed.max(self.state.velocity[body].length());
                if contacts.touched[body] {
                    unbalanced.add(gained.length());
                }
            }
        }
        let contact_impulse = contacts.size / contacts.carrying.max(1) as f64;
        let unbalanced_force = unbalanced.value() / contact_impulse.max(f64::MIN_POSITIVE);
        MomentumBalance { error: balance.error(), unbalanced_force, max_speed }
    }
}

impl<D: Dim> ContactTotals<D> {
    /// Nothing yet, in a world of so many bodies.
    pub fn begin(&mut self, bodies: usize) {
        let mut touched = std::mem::take(&mut self.touched);
        touched.clear();
        touched.resize(bodies, false);
        *self = ContactTotals { touched, ..ContactTotals::default() };
    }

    /// Adds a contact of the present step.
    #[inline]
    pub fn add(&mut self, world: &World<D>, contact: &Contact<D>) {
        if contact.status == Status::Open {
            return;
        }
        self.carrying += 1;
        self.sliding += usize::from(contact.status == Status::Slide);
        self.size += contact.impulse.length();
        self.square_speed += contact.velocity.dot(contact.velocity);
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            let body = contact.bodies[side];
            self.touched[body as usize] = true;
            if world.is_grain(body) {
                continue;
            }
            let imposed = world.along_imposed_axes(body as usize, contact.impulse) * sign;
            self.on_imposed += imposed;
            self.on_imposed_size += imposed.length();
            if world.cache.slots[body as usize] == GROUND {
                self.pressing =
                    self.pressing.max(pressing(contact.normal * -sign, world.state.velocity[body as usize]));
            }
        }
    }
}

/// How fast a wall with this velocity presses on a contact whose normal points away from the wall.
pub(super) fn pressing<V: Vector>(outward: V, velocity: V) -> f64 {
    // A wall that slides along itself does not press, whatever the rounding errors.
    let pressing = velocity.dot(outward);
    if pressing > 1e-6 * velocity.length() { pressing } else { 0.0 }
}

/// A sum of vectors that should vanish.
struct Balance<V> {
    sum: V,
    size: f64,
}

impl<V: Vector> Balance<V> {
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
