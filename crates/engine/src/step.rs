//! One step of contact dynamics (METHOD.md section 2). [`World::step`] is the story; each line is a stage.

use crate::balance::Velocities;
use crate::contact::{Contact, Status};
use crate::detect::{Geometry, Pair, Placed, gap};
use crate::law::{Demand, demand, remembered_approach};
use crate::report::{Observer, Stage, StepError, StepReport};
use crate::shape::Shape;
use crate::world::{External, Scheme, Unconverged, World};
use rayon::prelude::*;
use riprap_solve::problem::{self, GROUND, Inertia};
use riprap_solve::{Criterion, Dim, Problem, SolveReport, Vector, solve};

/// Under the Euler scheme a pair whose gap is below this fraction of the smaller radius takes part in the solve,
/// whatever its velocity; others do when they close, and none that closes is missed (see [`World::look_back`]).
const NEAR: f64 = 0.02;
/// Pairs that would close at this many times their speed take part.
const CLOSING: f64 = 1.5;
/// Pairs that one task measures.
const CHUNK: usize = 2048;
/// The approach that a jammed packing leaves over, as a fraction of the speed of the wall that presses it.
const JAMMED: f64 = 0.05;

impl<D: Dim> World<D> {
    /// Moves the world on by one time step, on the threads of the current pool.
    pub fn step(&mut self, observer: &mut dyn Observer) -> Result<StepReport, StepError> {
        // From inside the pool the many short parallel loops of a step need no hand-over of their own.
        rayon::scope(|_| self.stages(observer))
    }

    /// The stages of a step.
    fn stages(&mut self, observer: &mut dyn Observer) -> Result<StepReport, StepError> {
        let mut step = Work::default();

        observer.begin(Stage::Drive);
        let external = self.drive();
        step.velocity_before.clone_from(&self.state.velocity);
        step.spin_before.clone_from(&self.state.spin);
        step.start.clone_from(&self.state.position);
        if let Scheme::Midpoint { .. } = self.settings.scheme {
            observer.begin(Stage::MoveToMidpoint);
            self.move_bodies(0.5 * self.settings.time_step);
        }
        loop {
            observer.begin(Stage::FindPairs);
            step.rebuilt |= self.find_pairs();
            observer.begin(Stage::FreeVelocity);
            self.free_velocity(&external, &mut step);
            observer.begin(Stage::MeasureGaps);
            self.measure_gaps(&mut step);
            observer.begin(Stage::RecallImpulses);
            self.recall_impulses(&mut step);
            observer.begin(Stage::Solve);
            self.solve(&mut step);
            observer.begin(Stage::KeepImpulses);
            self.keep_impulses(&mut step);
            if self.look_back(&mut step)? {
                break;
            }
        }
        observer.begin(Stage::MoveToEnd);
        self.move_bodies(match self.settings.scheme {
            Scheme::Midpoint { .. } => 0.5 * self.settings.time_step,
            Scheme::Euler { .. } => self.settings.time_step,
        });
        observer.begin(Stage::Report);
        self.report(&external, step)
    }

    /// Positions and orientations move on with the velocities as they are.
    fn move_bodies(&mut self, time: f64) {
        let state = &mut self.state;
        state.position.par_iter_mut().zip(&state.velocity).with_min_len(4096).for_each(|(x, &v)| *x += v * time);
        state
            .orientation
            .par_iter_mut()
            .zip(&state.spin)
            .with_min_len(4096)
            .for_each(|(o, &w)| *o = D::turn(*o, w * time));
    }

    /// `U_free = U⁻ + δt M⁻¹ F_ext`, in the layout of the problem.
    fn free_velocity(&self, external: &External<D>, step: &mut Work<D>) {
        let dt = self.settings.time_step;
        let slots = &self.cache.slots;
        step.problem.masses.clear();
        step.problem.bodies.clear();
        step.problem.bodies.push(problem::Body::default());
        for &body in self.cache.pairs.order.iter().filter(|&&body| slots[body as usize] != GROUND) {
            let index = body as usize;
            let body = &self.bodies[index];
            let (velocity, spin) = (step.velocity_before[index], step.spin_before[index]);
            let (force, torque) = external.on(index);
            let (velocity, spin, inertia) = match (body.is_free(), body.shape.ball_radius()) {
                (true, Some(radius)) => (
                    velocity + (external.gravity + force * (1.0 / body.mass)) * dt,
                    (spin + torque * (dt / body.inertia.get(0))) * radius,
                    Inertia::Ball(1.0 / body.mass),
                ),
                _ => {
                    let mass = self.general_mass(index);
                    let gravity = if body.is_free() { external.gravity } else { D::Vector::ZERO };
                    let inertia = Inertia::General(step.problem.masses.len() as u32);
                    step.problem.masses.push(mass);
                    (
                        velocity + (gravity + mass.inverse_mass.scale(force)) * dt,
                        spin + D::apply(mass.inverse_inertia, torque) * dt,
                        inertia,
                    )
                }
            };
            step.problem.bodies.push(problem::Body { velocity, spin, inertia });
        }
        // The gap up to which each body can make two balls take part in the solve (see `measure_gaps`).
        step.reach.clear();
        step.reach.extend(slots.iter().enumerate().map(|(body, &slot)| match self.settings.scheme {
            Scheme::Midpoint { tolerance } => 0.5 * tolerance,
            Scheme::Euler { .. } => {
                let velocity = if slot == GROUND {
                    self.state.velocity[body]
                } else {
                    step.problem.bodies[slot as usize].velocity
                };
                CLOSING * dt * velocity.length() + 0.5 * NEAR * self.cache.radius[body]
            }
        }));
    }

    /// Gaps and normals of the listed pairs; the pairs that take part in the solve become contacts.
    fn measure_gaps(&self, step: &mut Work<D>) {
        let dt = self.settings.time_step;
        let (problem, missed, reach) = (&step.problem, &step.missed, &step.reach);
        let takes_part = |index: usize, pair: &Pair, geometry: &Geometry<D>| match self.settings.scheme {
            Scheme::Midpoint { tolerance } => geometry.gap <= tolerance,
            Scheme::Euler { .. } => {
                let radius = self.smaller_radius(pair.bodies);
                let opening = self.free_surface_velocity(problem, pair.bodies[1], geometry.point)
                    - self.free_surface_velocity(problem, pair.bodies[0], geometry.point);
                let closing = f64::min(opening.dot(geometry.normal), 0.0);
                geometry.gap + CLOSING * dt * closing <= NEAR * radius || missed.binary_search(&(index as u32)).is_ok()
            }
        };
        let chunks: Vec<Vec<(u32, Contact<D>)>> = self
            .cache
            .pairs
            .pairs
            .par_chunks(CHUNK)
            .enumerate()
            .map(|(chunk, pairs)| {
                let mut found = Vec::with_capacity(pairs.len());
                for (i, pair) in pairs.iter().enumerate() {
                    let index = chunk * CHUNK + i;
                    if missed.is_empty() && self.far_apart(pair, &self.state.position, reach) || !self.can_move(pair) {
                        continue;
                    }
                    let geometry = self.geometry(pair, &self.state.position);
                    if takes_part(index, pair, &geometry) {
                        found.push((index as u32, Contact::new(pair.bodies, pair.offset, &geometry)));
                    }
                }
                found
            })
            .collect();
        step.pair_of.clear();
        step.contacts.clear();
        for (pair, contact) in chunks.into_iter().flatten() {
            step.pair_of.push(pair);
            step.contacts.push(contact);
        }
    }

    /// The contacts of the last step are in the order of the same list: both are walked together.
    /// A step that is solved once more starts from the impulses of the solve before.
    fn recall_impulses(&self, step: &mut Work<D>) {
        let mut last = self.state.contacts.iter().zip(&self.cache.pair_of).peekable();
        let mut tried = step.tried.iter().peekable();
        step.last.clear();
        step.last.extend(step.contacts.iter_mut().zip(&step.pair_of).map(|(contact, &pair)| {
            while last.next_if(|&(_, &of)| of < pair).is_some() {}
            let kept = last.next_if(|&(kept, &of)| of == pair && kept.key() == contact.key());
            if let Some((kept, _)) = kept {
                contact.impulse = kept.impulse;
                contact.approach = kept.approach;
            }
            while tried.next_if(|&&(of, _)| of < pair).is_some() {}
            if let Some(&(_, impulse)) = tried.next_if(|&&(of, _)| of == pair) {
                contact.impulse = impulse;
            }
            kept.map(|(kept, _)| kept.status)
        }));
    }

    /// States the problem and solves it.
    fn solve(&self, step: &mut Work<D>) {
        let Work { problem, contacts, last, before, demands, velocity_before, spin_before, .. } = step;
        let at_start = Velocities { velocity: velocity_before, spin: spin_before };
        (contacts.par_iter(), last.par_iter())
            .into_par_iter()
            .with_min_len(CHUNK)
            .map(|(contact, &last)| {
                let before = self.relative_velocity(contact, &at_start);
                let [a, b] = contact.bodies.map(|body| self.bodies[body as usize].material);
                let radius = self.smaller_radius(contact.bodies);
                (before, demand(&self.settings, self.materials.pair(a, b), contact, last, before, radius))
            })
            .unzip_into_vecs(before, demands);
        let stated = contacts.par_iter().zip(&*demands).with_min_len(CHUNK);
        stated.map(|(contact, demand)| self.state_contact(contact, demand)).collect_into_vec(&mut problem.contacts);
        step.solved = solve(problem, &self.settings.solver, self.state.step);
    }

    /// A contact in the words of the solver: imposed motion goes into the shift.
    fn state_contact(&self, contact: &Contact<D>, demand: &Demand<D>) -> problem::Contact<D> {
        let mut shift = demand.shift;
        let mut arms = [D::Vector::ZERO; 2];
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            let body = contact.bodies[side];
            if self.cache.slots[body as usize] == GROUND {
                let arm = self.lever_arm(contact, side);
                let index = body as usize;
                shift += (self.state.velocity[index] + D::cross(self.state.spin[index], arm)) * sign;
            } else {
                // Of a ball, the arm over its radius is the normal; a gap or an overlap does not lengthen it.
                arms[side] = match (self.bodies[body as usize].is_free(), self.bodies[body as usize].shape) {
                    (true, Shape::Ball { .. }) => contact.normal * -sign,
                    _ => self.lever_arm(contact, side),
                };
            }
        }
        problem::Contact {
            bodies: contact.bodies.map(|body| self.cache.slots[body as usize]),
            normal: contact.normal,
            arms,
            shift,
            friction: demand.friction,
            impulse: contact.impulse,
        }
    }

    /// New velocities of the bodies; impulse, velocity and status of the contacts.
    fn keep_impulses(&mut self, step: &mut Work<D>) {
        let slots = &self.cache.slots;
        for (index, body) in self.bodies.iter().enumerate() {
            if slots[index] != GROUND {
                let solved = &step.problem.bodies[slots[index] as usize];
                self.state.velocity[index] = solved.velocity;
                self.state.spin[index] = match (body.is_free(), body.shape.ball_radius()) {
                    (true, Some(radius)) => solved.spin * (1.0 / radius),
                    _ => solved.spin,
                };
            }
        }
        let at_end = Velocities { velocity: &self.state.velocity, spin: &self.state.spin };
        let Work { contacts, problem, demands, before, .. } = step;
        contacts.par_iter_mut().enumerate().with_min_len(CHUNK).for_each(|(i, contact)| {
            let (p, n) = (problem.contacts[i].impulse, contact.normal);
            contact.impulse = p;
            contact.velocity = self.relative_velocity(contact, &at_end);
            let normal = p.dot(n);
            let tangential = (p - n * normal).length();
            contact.status = if normal <= 0.0 {
                Status::Open
            } else if tangential >= demands[i].friction * normal * (1.0 - 1e-9) {
                Status::Slide
            } else {
                Status::Stick
            };
            contact.approach =
                remembered_approach(demands[i].rebounds, normal > 0.0, contact.approach, before[i].dot(n));
        });
    }

    /// Looks at every listed pair where the bodies will be at the end of the step: true if all is well. A pair that
    /// was left out and would overlap takes part when the step is solved once more, and a list that was made for
    /// slower bodies is made anew; a body that would pass through another is an error.
    fn look_back(&mut self, step: &mut Work<D>) -> Result<bool, StepError> {
        if let Some(error) = self.not_finite() {
            return Err(error);
        }
        let time = match self.settings.scheme {
            Scheme::Midpoint { .. } => 0.5 * self.settings.time_step,
            Scheme::Euler { .. } => self.settings.time_step,
        };
        if !matches!(self.settings.scheme, Scheme::Midpoint { .. }) && !self.list_holds_for(time) {
            self.cache.wanted.clone_from(&self.state.velocity);
            self.cache.failures += 1;
            self.restore_start(step);
            step.tried.clear();
            step.missed.clear();
            return Ok(false);
        }
        self.cache.failures = 0;
        let mut contact_of = vec![u32::MAX; self.cache.pairs.pairs.len()];
        for (contact, &pair) in step.pair_of.iter().enumerate() {
            contact_of[pair as usize] = contact as u32;
        }
        let end: Vec<D::Vector> =
            self.state.position.iter().zip(&self.state.velocity).map(|(&x, &v)| x + v * time).collect();
        // Two balls that are farther apart than they have moved did not meet on the way.
        let moved: Vec<f64> = end.iter().zip(&step.start).map(|(&end, &start)| (end - start).length()).collect();
        let looks: Vec<Look> = self
            .cache
            .pairs
            .pairs
            .par_chunks(CHUNK)
            .enumerate()
            .map(|(chunk, pairs)| {
                let mut look = Look::default();
                for (i, pair) in pairs.iter().enumerate() {
                    let index = (chunk * CHUNK + i) as u32;
                    if self.far_apart(pair, &end, &moved) || !self.can_move(pair) {
                        continue;
                    }
                    let geometry = self.geometry(pair, &end);
                    look.deepest = look.deepest.max(-geometry.gap);
                    match contact_of[index as usize] {
                        u32::MAX if geometry.gap < 0.0 => look.missed.push(index),
                        u32::MAX => {}
                        contact if step.contacts[contact as usize].status != Status::Open => {
                            look.overlap += f64::max(-geometry.gap, 0.0);
                            look.carrying += 1;
                        }
                        _ => {}
                    }
                    let depth = self.passed_through(pair, &step.start, &end, &geometry);
                    if depth > 0.0 && look.tunnel.is_none() {
                        look.tunnel = Some((*pair, depth));
                    }
                }
                look
            })
            .collect();
        if let Some((pair, depth)) = looks.iter().find_map(|look| look.tunnel) {
            let [a, b] = pair.bodies.map(|body| body as usize);
            let moved = ((end[b] - step.start[b]) - (end[a] - step.start[a])).length();
            let step = self.state.step + 1;
            return Err(StepError::Tunnel { step, body: pair.bodies[1], other: pair.bodies[0], moved, depth });
        }
        if matches!(self.settings.scheme, Scheme::Euler { .. }) {
            let known = step.missed.len();
            step.missed.extend(looks.iter().flat_map(|look| &look.missed));
            if step.missed.len() > known {
                step.missed.sort_unstable();
                self.restore_start(step);
                return Ok(false);
            }
        }
        step.deepest = looks.iter().fold(0.0, |deepest, look| f64::max(deepest, look.deepest));
        let carrying: usize = looks.iter().map(|look| look.carrying).sum();
        step.mean_overlap = looks.iter().map(|look| look.overlap).sum::<f64>() / carrying.max(1) as f64;
        Ok(true)
    }

    /// Takes the velocities of the step's start back, to solve the step again from what was found.
    fn restore_start(&mut self, step: &mut Work<D>) {
        step.sweeps_before += step.solved.sweeps;
        step.updates += u64::from(step.solved.sweeps) * step.contacts.len() as u64;
        step.tried.clear();
        step.tried.extend(step.pair_of.iter().zip(&step.contacts).map(|(&pair, contact)| (pair, contact.impulse)));
        self.state.velocity.clone_from(&step.velocity_before);
        self.state.spin.clone_from(&step.spin_before);
    }

    /// How deep the centre of one body has gone into the other on the way from start to end; zero if it has not.
    fn passed_through(&self, pair: &Pair, start: &[D::Vector], end: &[D::Vector], at_end: &Geometry<D>) -> f64 {
        let [a, b] = pair.bodies.map(|body| body as usize);
        let radius = self.bodies[b].shape.ball_radius().unwrap_or(0.0);
        match self.bodies[a].shape {
            Shape::Ball { radius: own } => {
                let from = start[b] + self.cell.shift(pair.offset) - start[a];
                let path = (end[b] - start[b]) - (end[a] - start[a]);
                let square = path.dot(path);
                let nearest = if square > 0.0 { (-from.dot(path) / square).clamp(0.0, 1.0) } else { 0.0 };
                (own.max(radius) - (from + path * nearest).length()).max(0.0)
            }
            Shape::Plate { .. } => {
                let at_start = self.geometry(pair, start);
                if at_start.normal.dot(at_end.normal) < 0.0 && at_end.gap < radius { radius } else { 0.0 }
            }
            Shape::Plane { .. } | Shape::Drum { .. } | Shape::Rod { .. } => (-at_end.gap - radius).max(0.0),
        }
    }

    /// Draws up the balances and ends the step.
    fn report(&mut self, external: &External<D>, step: Work<D>) -> Result<StepReport, StepError> {
        let settings = self.settings;
        let dt = settings.time_step;
        let at_start = Velocities::<D> { velocity: &step.velocity_before, spin: &step.spin_before };
        let work = self.contact_work(&at_start, &step.contacts, &step.before);

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
            pairs_rebuilt: step.rebuilt,
        };
        self.state.contacts = step.contacts;
        self.cache.pair_of = step.pair_of;
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
                self.state.velocity[contact.bodies[side] as usize].dot(outward)
            })
            .fold(0.0, f64::max);
        let dt = self.settings.time_step;
        pressing > 0.0
            && contacts.iter().any(|contact| {
                contact.status != Status::Open
                    && -(contact.velocity.dot(contact.normal) + f64::max(contact.gap, 0.0) / dt) > JAMMED * pressing
            })
    }

    /// True for two balls whose gap is larger than the sum of the given lengths: a quick test without a root.
    #[inline]
    fn far_apart(&self, pair: &Pair, position: &[D::Vector], reach: &[f64]) -> bool {
        let [a, b] = pair.bodies.map(|body| body as usize);
        let sum = self.cache.radius[a] + self.cache.radius[b] + reach[a] + reach[b];
        let shift = if pair.offset == [0; 3] { D::Vector::ZERO } else { self.cell.shift(pair.offset) };
        let away = position[b] + shift - position[a];
        // The radius of a wall is not a number, and no comparison with it holds.
        away.dot(away) > sum * sum
    }

    /// True if impulses can move at least one of the two bodies.
    fn can_move(&self, pair: &Pair) -> bool {
        pair.bodies.iter().any(|&body| self.cache.slots[body as usize] != GROUND)
    }

    /// The gap of a pair with the bodies at `position`.
    fn geometry(&self, pair: &Pair, position: &[D::Vector]) -> Geometry<D> {
        let placed = |body: u32, shift: D::Vector| Placed {
            shape: &self.bodies[body as usize].shape,
            position: position[body as usize] + shift,
            orientation: self.state.orientation[body as usize],
        };
        let shift = if pair.offset == [0; 3] { D::Vector::ZERO } else { self.cell.shift(pair.offset) };
        gap(placed(pair.bodies[0], D::Vector::ZERO), placed(pair.bodies[1], shift))
    }

    /// Velocity of a body's surface at `point`, without contact impulses. Of a ball only the centre counts here, since
    /// its spin does not move the gap.
    fn free_surface_velocity(&self, problem: &Problem<D>, body: u32, point: D::Vector) -> D::Vector {
        let index = body as usize;
        match self.cache.slots[index] {
            GROUND => self.state.velocity[index] + D::cross(self.state.spin[index], point - self.state.position[index]),
            slot => problem.bodies[slot as usize].velocity,
        }
    }
}

/// What a step works with.
struct Work<D: Dim> {
    velocity_before: Vec<D::Vector>,
    spin_before: Vec<D::Spin>,
    start: Vec<D::Vector>,
    problem: Problem<D>,
    /// See [`World::free_velocity`].
    reach: Vec<f64>,
    contacts: Vec<Contact<D>>,
    /// The pair of each contact.
    pair_of: Vec<u32>,
    /// What each contact did in the last step, if it was there.
    last: Vec<Option<Status>>,
    /// Relative velocity of each contact at the start of the step.
    before: Vec<D::Vector>,
    demands: Vec<Demand<D>>,
    /// Pairs that a first solve left out and should not have, sorted.
    missed: Vec<u32>,
    /// Pairs and impulses of a solve that left some out.
    tried: Vec<(u32, D::Vector)>,
    solved: SolveReport,
    sweeps_before: u32,
    updates: u64,
    rebuilt: bool,
    deepest: f64,
    mean_overlap: f64,
}

impl<D: Dim> Default for Work<D> {
    fn default() -> Self {
        Work {
            velocity_before: Vec::new(),
            spin_before: Vec::new(),
            start: Vec::new(),
            problem: Problem { bodies: Vec::new(), masses: Vec::new(), contacts: Vec::new() },
            reach: Vec::new(),
            contacts: Vec::new(),
            pair_of: Vec::new(),
            last: Vec::new(),
            before: Vec::new(),
            demands: Vec::new(),
            missed: Vec::new(),
            tried: Vec::new(),
            solved: SolveReport::default(),
            sweeps_before: 0,
            updates: 0,
            rebuilt: false,
            deepest: 0.0,
            mean_overlap: 0.0,
        }
    }
}

/// What one task saw at the end of the step.
#[derive(Default)]
struct Look {
    deepest: f64,
    overlap: f64,
    carrying: usize,
    missed: Vec<u32>,
    tunnel: Option<(Pair, f64)>,
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
