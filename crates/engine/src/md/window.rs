//! One window: a step of the run under molecular dynamics. [`World::soft_stages`] is the story.

use super::pack::{Extra, Kept, Moment, Pack};
use crate::bridges::Coverage;
use crate::cache::PAIRS_PER_TASK;
use crate::contact::{Contact, ContactExtras, Status};
use crate::detect::{Geometry, Pair};
use crate::drive::External;
use crate::energy::Energy;
use crate::law::capillary::Bridge;
use crate::membrane::Spring;
use crate::observer::{Observer, Stage};
use crate::report::{StepError, StepReport};
use crate::settings::Soft;
use crate::work::Work;
use crate::world::World;
use rayon::prelude::*;
use riprap_solve::{Dim, Vector};
use rustc_hash::FxHashMap;

/// Balls that one task turns.
const BALLS_PER_TASK: usize = 512;

/// Sums over the contacts at the end of a window.
#[derive(Default)]
struct Stretches {
    overlaps: f64,
    max_overlap: f64,
    /// The energy in their springs.
    elastic: f64,
}

impl<D: Dim> World<D> {
    /// The stages of a window.
    pub(crate) fn soft_stages(
        &mut self,
        soft: Soft,
        observer: &mut dyn Observer,
        step: &mut Work<D>,
    ) -> Result<StepReport, StepError> {
        observer.begin(Stage::Drive);
        let mut external = self.drive();
        let (start, window) = (self.state.time, self.time_step());
        // Soft contacts have no lowered laws.
        step.laws.clear();
        step.velocity_before.clone_from(&self.state.velocity);
        step.spin_before.clone_from(&self.state.spin);
        step.start_position.clone_from(&self.state.position);
        let orientation = self.state.orientation.clone();
        observer.begin(Stage::FindPairs);
        let bodies_changed = self.state.search.position.is_empty();
        step.pairs_rebuilt |= self.find_pairs(step)?;
        while self.form_bridges(step) == Coverage::TooShort {
            step.pairs_rebuilt |= self.find_pairs(step)?;
        }
        observer.begin(Stage::RecallImpulses);
        let count = soft.substeps(window);
        let h = window / f64::from(count);
        let mut pack = Pack::new(self, &soft, h, &external);
        self.recall_springs(&mut pack, step);

        observer.begin(Stage::Solve);
        pack.evaluate(self, Moment { step: 0.0, weight: 0.5 * h });
        if bodies_changed {
            self.open_elastic_energy(&pack);
        }
        for substep in 1..=count {
            let first = substep == 1;
            self.state.time = start + f64::from(substep) * h;
            let drifted = self.state.search.drift * (self.state.time - self.state.search.time);
            pack.kick_and_drift(self, if first { 0.5 * h } else { h }, h);
            if !(pack.list_holds(drifted) && self.list_holds_for_walls(&pack)) {
                observer.begin(Stage::FindPairs);
                pack = self.list_anew(&soft, h, &external, &pack)?;
                step.pairs_rebuilt = true;
                observer.begin(Stage::Solve);
            }
            let last = substep == count;
            pack.evaluate(self, Moment { step: h, weight: if last { 0.5 * h } else { h } });
        }
        pack.kick_and_drift(self, 0.5 * h, 0.0);
        self.state.time = start;

        observer.begin(Stage::KeepImpulses);
        self.unpack(&pack, &orientation);
        if let Some(error) = self.not_finite() {
            return Err(error);
        }
        let elastic = self.keep_springs(&pack, step)?;
        self.keep_bridges(&pack, step);
        observer.begin(Stage::Report);
        let by_method = StepReport {
            converged: true,
            substeps: count,
            contact_updates: pack.evaluations * pack.pairs.len() as u64,
            energy: self.soft_energy(&pack, elastic, &external, step),
            ..StepReport::default()
        };
        pack.ties.add_means(1.0 / window, &mut external);
        // What an earlier step of another method left is not of these contacts.
        step.incoming_velocity.clear();
        let listed = step.contacts.len();
        step.contacts.extend(pack.parted.iter().map(|(contact, _)| *contact));
        self.count_contacts(step);
        self.load_faces(step);
        step.contacts.truncate(listed);
        Ok(self.end_step(&external, step, by_method))
    }

    /// The contacts that the last window left go on from their springs. They are in the order of the list.
    fn recall_springs(&mut self, pack: &mut Pack<D>, step: &Work<D>) {
        for (index, (contact, &pair)) in self.state.contacts.iter().zip(&self.cache.pair_of).enumerate() {
            let (kept, extras) = (&mut pack.memories[pair as usize], self.state.extras_of(index));
            kept.memory.spring = extras.spring;
            kept.memory.slid = contact.status == Status::Slide;
            pack.touching[pair as usize] = true;
            if let Some(extra) = pack.extras.get_mut(pair as usize) {
                (extra.turn, extra.normal) = (extras.turn, contact.normal);
            }
        }
        // The liquid is shared anew in every window; within it a bridge keeps its volume.
        let mut bridges = step.bridges.iter().peekable();
        for (extra, pair) in pack.extras.iter_mut().zip(&self.cache.pairs.pairs) {
            if let Some(bridge) = bridges.next_if(|bridge| (bridge.bodies, bridge.offset) == (pair.bodies, pair.offset))
            {
                extra.volume = bridge.volume;
            }
        }
        self.state.contacts.clear();
        self.state.extras.clear();
        self.cache.pair_of.clear();
    }

    /// True if no wall has gone or turned farther than the list allows.
    fn list_holds_for_walls(&self, pack: &Pack<D>) -> bool {
        let mut walls = pack.walls.iter().map(|wall| wall.body as usize);
        walls.all(|body| self.distance_gone(body, 0.0, None) <= self.state.search.reach[body])
    }

    /// Makes a new list in the middle of a window, and carries everything over.
    fn list_anew(
        &mut self,
        soft: &Soft,
        step: f64,
        external: &External<D>,
        pack: &Pack<D>,
    ) -> Result<Pack<D>, StepError> {
        for (number, ball) in pack.balls.iter().enumerate() {
            let body = ball.body as usize;
            self.state.position[body] = pack.position(number);
            self.state.velocity[body] = ball.velocity;
            self.state.spin[body] = ball.spin;
        }
        let is_kept = |number: &usize| {
            let has_liquid = pack.extras.get(*number).is_some_and(|extra| extra.volume > 0.0);
            pack.memories[*number].memory.touched || pack.touching[*number] || has_liquid
        };
        let old = self.cache.pairs.pairs.clone();
        let mut kept: FxHashMap<Pair, usize> =
            (0..old.len()).filter(is_kept).map(|number| (old[number], number)).collect();
        self.make_list(&mut Vec::new())?;
        let mut new = Pack::new(self, soft, step, external);
        new.carry_on(pack, self.bodies.len());
        for (number, pair) in self.cache.pairs.pairs.iter().enumerate() {
            if let Some(before) = kept.remove(pair) {
                new.memories[number] = pack.memories[before];
                new.touching[number] = pack.touching[before];
                if let Some(place) = new.extras.get_mut(number) {
                    *place = pack.extras[before];
                }
            }
        }
        // Bodies that have flown apart since they touched: what they gave each other still counts in this window.
        for (number, pair) in old.iter().enumerate().filter(|(_, pair)| kept.contains_key(pair)) {
            let extra = pack.extras.get(number);
            new.parted
                .push((self.contact_of(pair, &pack.memories[number], extra).0, extra.copied().unwrap_or_default()));
        }
        Ok(new)
    }

    /// Places and velocities of the balls at the end of the window. A ball's turn has no part in its motion, so it is
    /// taken as one.
    fn unpack(&mut self, pack: &Pack<D>, orientation: &[D::Orientation]) {
        let turned: Vec<D::Orientation> = (pack.balls.par_iter().with_min_len(BALLS_PER_TASK))
            .map(|ball| D::turn(orientation[ball.body as usize], ball.turned))
            .collect();
        for (number, (ball, turned)) in pack.balls.iter().zip(turned).enumerate() {
            let body = ball.body as usize;
            self.state.position[body] = pack.position(number);
            self.state.velocity[body] = ball.velocity;
            self.state.spin[body] = ball.spin;
            self.state.orientation[body] = turned;
        }
    }

    /// Every pair that touched within the window becomes a contact. Returns the energy in the springs.
    fn keep_springs(&self, pack: &Pack<D>, step: &mut Work<D>) -> Result<f64, StepError> {
        let touched = pack.memories.iter().zip(0..).filter(|(kept, _)| kept.memory.touched);
        step.pair_of.clear();
        step.pair_of.extend(touched.map(|(_, number)| number));
        let pairs = step.pair_of.par_iter().with_min_len(PAIRS_PER_TASK);
        let contacts = pairs.map(|&number| {
            let number = number as usize;
            self.contact_of(&self.cache.pairs.pairs[number], &pack.memories[number], pack.extras.get(number))
        });
        contacts.unzip_into_vecs(&mut step.contacts, &mut step.extras);
        let parts = step.contacts.par_chunks(PAIRS_PER_TASK).zip(step.pair_of.par_chunks(PAIRS_PER_TASK));
        let parts: Vec<_> = parts.map(|(contacts, pair_of)| self.stretches(pack, contacts, pair_of, step)).collect();
        let mut total = Stretches::default();
        for part in parts {
            let part = part?;
            total.overlaps += part.overlaps;
            total.max_overlap = total.max_overlap.max(part.max_overlap);
            total.elastic += part.elastic;
        }
        step.max_overlap = step.max_overlap.max(total.max_overlap);
        step.mean_overlap = total.overlaps / step.contacts.len().max(1) as f64;
        Ok(total.elastic)
    }

    /// The contact of a pair that touched within the window.
    fn contact_of(&self, pair: &Pair, kept: &Kept<D>, extra: Option<&Extra<D>>) -> (Contact<D>, ContactExtras<D>) {
        let geometry = self.geometry(pair, &self.state.position);
        let mut contact = Contact::new(pair.bodies, pair.offset, &geometry);
        contact.impulse = kept.impulse;
        let mut extras = ContactExtras { spring: kept.memory.spring, ..ContactExtras::default() };
        if let Some(extra) = extra {
            (extras.turn, extras.torque) = (extra.turn, extra.torque_impulse);
        }
        contact.velocity = self.relative_velocity(&contact, &self.state.velocities());
        contact.status = match (kept.impulse == D::Vector::ZERO, kept.memory.slid) {
            (true, _) => Status::Open,
            (false, true) => Status::Slide,
            (false, false) => Status::Stick,
        };
        (contact, extras)
    }

    /// Overlaps and energy of some contacts, or the first that is too deep to be one.
    fn stretches(
        &self,
        pack: &Pack<D>,
        contacts: &[Contact<D>],
        pair_of: &[u32],
        step: &Work<D>,
    ) -> Result<Stretches, StepError> {
        let mut sum = Stretches::default();
        for (contact, &number) in contacts.iter().zip(pair_of) {
            let overlap = f64::max(-contact.gap, 0.0);
            if overlap > self.smaller_radius(contact.bodies) {
                let [a, b] = contact.bodies.map(|body| body as usize);
                let moved = (self.state.position[b] - step.start_position[b])
                    - (self.state.position[a] - step.start_position[a]);
                return Err(StepError::Tunnel {
                    step: self.state.step + 1,
                    body: self.state.id[b],
                    other: self.state.id[a],
                    moved: moved.length(),
                    depth: overlap,
                });
            }
            sum.max_overlap = sum.max_overlap.max(overlap);
            sum.overlaps += overlap;
            if pack.touching[number as usize] {
                sum.elastic += pack.energy(number as usize, contact.gap, self.reduced_radius(contact.bodies));
            }
        }
        Ok(sum)
    }

    /// The bridges as they are at the end of the window, with their mean forces.
    fn keep_bridges(&self, pack: &Pack<D>, step: &mut Work<D>) {
        if self.liquid.is_none() {
            return;
        }
        let per_time = 1.0 / self.time_step();
        step.bridges.clear();
        step.bridge_forces.fill(D::Vector::ZERO);
        for (contact, extra) in &pack.parted {
            let mean = extra.bridge_impulse * per_time;
            step.bridge_forces[contact.bodies[0] as usize] -= mean;
            step.bridge_forces[contact.bodies[1] as usize] += mean;
        }
        for (extra, pair) in pack.extras.iter().zip(&self.cache.pairs.pairs).filter(|(extra, _)| extra.volume > 0.0) {
            let mean = extra.bridge_impulse * per_time;
            step.bridge_forces[pair.bodies[0] as usize] -= mean;
            step.bridge_forces[pair.bodies[1] as usize] += mean;
            let Geometry { normal, point, gap, .. } = self.geometry(pair, &self.state.position);
            let (bodies, offset) = (pair.bodies, pair.offset);
            step.bridges.push(Bridge {
                bodies,
                offset,
                normal,
                point,
                gap,
                volume: extra.volume,
                force: mean.length(),
            });
        }
    }

    /// Before the first step, the energy in the springs belongs to the start; later, what bodies have brought or taken that
    /// were added or removed.
    fn open_elastic_energy(&mut self, pack: &Pack<D>) {
        let elastic = self.elastic_energy(pack);
        let energy = &mut self.state.energy;
        let change = elastic - energy.elastic;
        if self.state.step == 0 {
            energy.initial += change;
        } else {
            energy.exchanged += change;
        }
        energy.elastic = elastic;
    }

    /// The energy in the springs of contacts at the start of a window.
    fn elastic_energy(&self, pack: &Pack<D>) -> f64 {
        (pack.touching.iter().zip(&self.cache.pairs.pairs).enumerate())
            .filter(|(_, (touching, _))| **touching)
            .map(|(number, (_, pair))| {
                let gap = self.geometry(pair, &self.state.position).gap;
                pack.energy(number, gap, self.reduced_radius(pair.bodies))
            })
            .sum()
    }

    /// The energy in the springs between bodies that are at these places.
    fn energy_of_springs(&self, position: &[D::Vector]) -> f64 {
        let energy = |spring: &Spring| {
            let [a, b] = spring.bodies.map(|body| position[body as usize]);
            spring.energy((b - a).length())
        };
        self.springs.iter().map(energy).sum()
    }

    /// The energies at the end of a window. Losses are those of the dashpots and of sliding, work of loads is force
    /// times way, to which springs between bodies give what they lose; what these do not explain is the error of the
    /// integration.
    fn soft_energy(&self, pack: &Pack<D>, elastic: f64, external: &External<D>, step: &Work<D>) -> Energy {
        let (before, after) = (self.state.time, self.state.time + self.time_step());
        let losses = pack.losses();
        let mut energy = self.state.energy;
        let load_work: f64 = pack
            .turned()
            .map(|(body, turned)| {
                let (force, torque) = external.on(body);
                force.dot(self.state.position[body] - step.start_position[body]) + torque.dot(turned)
            })
            .sum();
        energy.kinetic = self.kinetic_energy();
        energy.potential = self.potential_energy(after);
        energy.elastic = elastic;
        let drawn = self.energy_of_springs(&step.start_position) - self.energy_of_springs(&self.state.position);
        energy.loads += load_work + drawn + pack.ties.work() + self.gravity_turning_work(before, after);
        energy.drivers += losses.drivers;
        energy.friction += losses.tangential;
        energy.impact += losses.normal;
        energy.rolling += losses.rolling;
        energy.torsion += losses.torsion;
        energy.bridges += losses.bridges;
        energy.scheme += energy.error();
        energy
    }
}
