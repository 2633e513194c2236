//! The end of a step: momentum and energy are balanced, and the step says what it did.

use crate::contact::{Contact, Status};
use crate::report::{StepError, StepReport};
use crate::step::Work;
use crate::world::{External, Unconverged, World};
use riprap_solve::problem::GROUND;
use riprap_solve::{Criterion, Dim, Vector};

/// The approach that a jammed packing leaves over, as a fraction of the speed of the wall that presses it.
const JAMMED: f64 = 0.05;

impl<D: Dim> World<D> {
    /// Draws up the balances and ends the step.
    pub(crate) fn report(&mut self, external: &External<D>, step: &mut Work<D>) -> Result<StepReport, StepError> {
        let settings = self.settings;
        let dt = settings.time_step;
        let work = step.work;

        let mut balance = Balance::new(D::Vector::ZERO);
        let (mut gravity_work, mut load_work) = (0.0, 0.0);
        let mut unbalanced = Unbalanced::default();
        let mut touched = vec![false; self.bodies.len()];
        let mut carried = 0.0;
        let mut active = 0;
        for contact in step.contacts.iter().filter(|contact| contact.status != Status::Open) {
            active += 1;
            carried += contact.impulse.length();
            for (side, sign) in [(0, -1.0), (1, 1.0)] {
                let body = contact.bodies[side] as usize;
                touched[body] = true;
                balance.add(self.along_imposed_axes(body, contact.impulse) * sign);
            }
        }
        for body in 0..self.bodies.len() {
            let (v, w) = (step.velocity_before[body], step.spin_before[body]);
            let (v_new, w_new) = (self.state.velocity[body], self.state.spin[body]);
            let mass = self.mass_along_axes(body);
            if mass == D::Vector::ZERO && self.bodies[body].is_imposed() {
                continue;
            }
            let free = self.bodies[body].is_free();
            let weight = if free { external.gravity * self.bodies[body].mass } else { D::Vector::ZERO };
            let (force, torque) = external.on(body);
            let (v_mean, w_mean) = ((v + v_new) * 0.5, (w + w_new) * 0.5);
            gravity_work += dt * weight.dot(v_mean);
            load_work += dt * (force.dot(v_mean) + torque.dot(w_mean));
            let gained = mass.scale(v_new - v);
            balance.add(gained);
            balance.add((weight + force) * -dt);
            if free && touched[body] {
                unbalanced.add(gained.length());
            }
        }
        let mean_impulse = if active > 0 { carried / f64::from(active) } else { 0.0 };

        let time_before = self.state.time;
        self.state.step += 1;
        self.state.time = time_before + dt;
        let potential_before = self.state.energy.potential;
        let (kinetic, potential) = (self.kinetic_energy(), self.potential_energy(self.state.time));
        let turned = self.gravity_turning_work(time_before, self.state.time);
        let mut energy = self.state.energy;
        energy.kinetic = kinetic;
        energy.potential = potential;
        energy.loads += load_work + turned;
        energy.drivers += work.drivers;
        energy.friction += work.friction;
        energy.impact += work.impact;
        energy.scheme += potential - potential_before + gravity_work - turned;
        energy.created += f64::max(-(work.friction + work.impact), 0.0);
        self.state.energy = energy;

        let limited = matches!(settings.solver.criterion, Criterion::Fixed { .. }) || !step.solved.converged;
        let report = StepReport {
            step: self.state.step,
            time: self.state.time,
            time_step: dt,
            sweeps: step.sweeps_before + step.solved.sweeps,
            contact_updates: step.updates + u64::from(step.solved.sweeps) * step.contacts.len() as u64,
            converged: step.solved.converged,
            residual: step.solved.residual,
            worst_contact: step.solved.worst_contact,
            candidates: step.contacts.len(),
            contacts: active as usize,
            sliding: step.contacts.iter().filter(|contact| contact.status == Status::Slide).count(),
            max_overlap: step.deepest,
            mean_overlap: step.mean_overlap,
            momentum_error: balance.error(),
            energy,
            max_speed: self.free_bodies().map(|body| self.state.velocity[body].length()).fold(0.0, f64::max),
            unbalanced_force: unbalanced.mean() / mean_impulse.max(f64::MIN_POSITIVE),
            soft: if limited { self.soft_regime(step.solved.sweeps, &step.contacts) } else { None },
            jammed_compression: self.jammed(&step.contacts),
            clausius_duhem_violated: work.violates_clausius_duhem(),
            pairs_rebuilt: step.rebuilt,
        };
        self.state.contacts = std::mem::take(&mut step.contacts);
        self.cache.pair_of = std::mem::take(&mut step.pair_of);
        if !report.converged && settings.on_unconverged == Unconverged::Stop {
            let (step, sweeps, residual) = (report.step, report.sweeps, report.residual);
            return Err(StepError::Unconverged { step, sweeps, residual });
        }
        Ok(report)
    }

    /// True if a wall with an imposed velocity presses on contacts that go on approaching all the same: rigid grains
    /// that have no room to yield, whose forces grow with every sweep (METHOD.md section 5).
    fn jammed(&self, contacts: &[Contact<D>]) -> bool {
        let pressing = contacts
            .iter()
            .filter(|contact| contact.status != Status::Open)
            .flat_map(|contact| [0, 1].map(|side| (contact, side)))
            .filter(|(contact, side)| self.cache.slots[contact.bodies[*side] as usize] == GROUND)
            .map(|(contact, side)| {
                let outward = if side == 0 { contact.normal } else { -contact.normal };
                let velocity = self.state.velocity[contact.bodies[side] as usize];
                // A wall that slides along itself presses on nothing, whatever rounding says.
                let pressing = velocity.dot(outward);
                if pressing > 1e-6 * velocity.length() { pressing } else { 0.0 }
            })
            .fold(0.0, f64::max);
        let dt = self.settings.time_step;
        pressing > 0.0
            && contacts.iter().any(|contact| {
                contact.status != Status::Open
                    && -(contact.velocity.dot(contact.normal) + f64::max(contact.gap, 0.0) / dt) > JAMMED * pressing
            })
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

/// A mean over bodies.
#[derive(Default)]
struct Unbalanced {
    sum: f64,
    count: u32,
}

impl Unbalanced {
    fn add(&mut self, value: f64) {
        self.sum += value;
        self.count += 1;
    }

    fn mean(&self) -> f64 {
        self.sum / f64::from(self.count.max(1))
    }
}
