//! The end of a step: momentum and energy are balanced, and the step says what it did.

use crate::contact::{Contact, Status};
use crate::report::{Energy, StepError, StepReport};
use crate::step::Work;
use crate::world::{External, Unconverged, World};
use riprap_solve::problem::GROUND;
use riprap_solve::{Criterion, Dim, Vector};

/// The approach that a jammed packing leaves over, as a fraction of the speed of the wall that presses it.
const JAMMED: f64 = 0.05;

impl<D: Dim> World<D> {
    /// Draws up the balances and ends the step of contact dynamics.
    pub(crate) fn report(&mut self, external: &External<D>, step: &mut Work<D>) -> Result<StepReport, StepError> {
        let settings = self.settings;
        let energy = self.energy_after(external, step);
        let limited = matches!(settings.solver.criterion, Criterion::Fixed { .. }) || !step.solved.converged;
        let said = StepReport {
            sweeps: step.sweeps_before + step.solved.sweeps,
            contact_updates: step.updates + u64::from(step.solved.sweeps) * step.contacts.len() as u64,
            converged: step.solved.converged,
            residual: step.solved.residual,
            worst_contact: step.solved.worst_contact,
            softened: step.solved.softened,
            soft: if limited { self.soft_regime(step.solved.sweeps, &step.contacts) } else { None },
            jammed_compression: self.jammed(&step.contacts),
            clausius_duhem_violated: step.work.violates_clausius_duhem(),
            energy,
            ..StepReport::default()
        };
        let report = self.close_books(external, step, said);
        if !report.converged && settings.on_unconverged == Unconverged::Stop {
            let (step, sweeps, residual) = (report.step, report.sweeps, report.residual);
            return Err(StepError::Unconverged { step, sweeps, residual });
        }
        Ok(report)
    }

    /// The energies at the end of a step of contact dynamics, exact with the mean velocity (METHOD.md section 2).
    fn energy_after(&self, external: &External<D>, step: &Work<D>) -> Energy {
        let dt = self.settings.time_step;
        let (mut gravity_work, mut load_work, mut bridge_work) = (0.0, 0.0, 0.0);
        for body in (0..self.bodies.len()).filter(|&body| !self.bodies[body].is_imposed()) {
            let v_mean = (step.velocity_before[body] + self.state.velocity[body]) * 0.5;
            let w_mean = (step.spin_before[body] + step.spin_after[body]) * 0.5;
            let (force, torque) = external.on(body);
            gravity_work += dt * self.weight(body, external).dot(v_mean);
            load_work += dt * (force.dot(v_mean) + torque.dot(w_mean));
            bridge_work += dt * step.bridge_force(body).dot(v_mean);
        }
        let (before, after) = (self.state.time, self.state.time + dt);
        let (work, cell, mut energy) = (step.work, step.cell_work, self.state.energy);
        let turned = self.gravity_turning_work(before, after);
        energy.kinetic = self.kinetic_energy();
        energy.potential = self.potential_energy(after);
        energy.loads += load_work + turned + cell.loads;
        energy.drivers += work.drivers + cell.drivers;
        energy.friction += work.friction;
        energy.impact += work.impact;
        energy.rolling += work.rolling;
        energy.torsion += work.torsion;
        energy.cohesion += work.cohesion;
        energy.bridges += bridge_work + cell.bridges;
        energy.scheme += energy.potential - self.state.energy.potential + gravity_work - turned + cell.scheme;
        energy.created += f64::max(-work.dissipated(), 0.0);
        energy
    }

    /// The weight of a body; only free bodies have one.
    pub(crate) fn weight(&self, body: usize, external: &External<D>) -> D::Vector {
        if self.bodies[body].is_free() { external.gravity * self.bodies[body].mass } else { D::Vector::ZERO }
    }

    /// Ends a step of any method: the balance of momentum, what all methods report alike, and the state's time.
    pub(crate) fn close_books(&mut self, external: &External<D>, step: &mut Work<D>, said: StepReport) -> StepReport {
        let dt = self.settings.time_step;

        let mut balance = Balance::new(D::Vector::ZERO);
        let mut unbalanced = Unbalanced::default();
        let mut touched = vec![false; self.bodies.len()];
        let mut carried = 0.0;
        let mut active = 0;
        for contact in step.contacts.iter().filter(|contact| contact.status != Status::Open) {
            active += 1;
            carried += contact.impulse.length();
            // In a cell under pressure impulses cancel that no wall and no weight gives, and are rounded all the same.
            balance.size += if self.cell_driver.is_some() { contact.impulse.length() } else { 0.0 };
            for (side, sign) in [(0, -1.0), (1, 1.0)] {
                let body = contact.bodies[side] as usize;
                touched[body] = true;
                balance.add(self.along_imposed_axes(body, contact.impulse) * sign);
            }
        }
        // The tension that holds contacts was given and taken back, and was rounded with the rest.
        for demand in &step.demands {
            balance.size += demand.pull;
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
        let mean_impulse = if active > 0 { carried / f64::from(active) } else { 0.0 };

        self.state.step += 1;
        self.state.time += dt;
        self.state.energy = said.energy;
        let report = StepReport {
            step: self.state.step,
            time: self.state.time,
            time_step: dt,
            candidates: step.contacts.len(),
            contacts: active as usize,
            sliding: step.contacts.iter().filter(|contact| contact.status == Status::Slide).count(),
            max_overlap: step.deepest,
            mean_overlap: step.mean_overlap,
            momentum_error: balance.error(),
            max_speed: self.free_bodies().map(|body| self.state.velocity[body].length()).fold(0.0, f64::max),
            unbalanced_force: unbalanced.mean() / mean_impulse.max(f64::MIN_POSITIVE),
            pairs_rebuilt: step.rebuilt,
            ..said
        };
        self.break_bonds(step);
        self.state.contacts = std::mem::take(&mut step.contacts);
        self.state.bridges = std::mem::take(&mut step.bridges);
        self.state.share = step.share;
        self.cache.pair_of = std::mem::take(&mut step.pair_of);
        report
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
