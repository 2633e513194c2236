//! One step of contact dynamics (METHOD.md section 2). [`World::stages`] is the story; each line is a stage.

use crate::acd2::percussion_status;
use crate::balance::{ContactWork, Velocities};
use crate::bridges::Bridge;
use crate::contact::{Contact, Status};
use crate::detect::{Geometry, Pair, Placed, Posed, Poses, Scratch, contact_points, gap, is_simple};
use crate::law::capillary::Share;
use crate::law::{Demand, Incoming, demand, remembered_approach};
use crate::report::{Observer, Stage, StepError, StepProblem, StepReport};
use crate::seen::Reach;
use crate::stretching::CellWork;
use crate::world::{External, Method, Scheme, World};
use rayon::prelude::*;
use riprap_solve::assembled::{FromBodies, GlobalProblem};
use riprap_solve::percussion::PercussionLaw;
use riprap_solve::problem::{self, GROUND, Inertia};
use riprap_solve::{D2, D3, Dim, Problem, SolveReport, Vector, solve};
use std::any::Any;

/// Under the Euler scheme a pair whose gap is below this fraction of the smaller radius takes part in the solve,
/// whatever its velocity; others do when they close, and none that closes is missed (see [`World::look_back`]).
pub(crate) const NEAR: f64 = 0.05;
/// Pairs that would close at this many times their speed take part.
pub(crate) const CLOSING: f64 = 1.5;
/// A contact point that was not there in the last step starts from the impulse of the nearest one that has gone, if that
/// was within this part of the smaller radius.
const SAME_PLACE: f64 = 0.2;
/// Pairs that one task measures.
pub(crate) const CHUNK: usize = 2048;

impl<D: Dim> World<D> {
    /// Moves the world on by one time step, on the threads of the current pool.
    pub fn step(&mut self, observer: &mut dyn Observer) -> Result<StepReport, StepError> {
        // A generic function is compiled in every crate that calls it. There are two dimensions only: both are compiled
        // here, once, and callers get a hand-over.
        let world: &mut dyn Any = self;
        match world.downcast_mut::<World<D2>>() {
            Some(plane) => step_in_the_plane(plane, observer),
            None => match world.downcast_mut::<World<D3>>() {
                Some(space) => step_in_space(space, observer),
                None => unreachable!("there are two dimensions"),
            },
        }
    }

    /// The step by the world's method.
    fn step_by_method(&mut self, observer: &mut dyn Observer) -> Result<StepReport, StepError> {
        // From inside the pool the many short parallel loops of a step need no hand-over of their own.
        rayon::scope(|_| {
            let mut step = Work { keeps_start: observer.watches_problems(), ..Work::default() };
            let number = self.state.step + 1;
            let outcome = match self.method {
                Method::ContactDynamics | Method::Percussions(_) => self.stages(observer, &mut step),
                Method::MolecularDynamics(soft) => self.soft_stages(soft, observer, &mut step),
            };
            observer.end(number, &outcome, &mut || step.stated_problem());
            outcome
        })
    }

    /// The stages of a step of contact dynamics, and of A-CD².
    fn stages(&mut self, observer: &mut dyn Observer, step: &mut Work<D>) -> Result<StepReport, StepError> {
        observer.begin(Stage::Drive);
        let external = self.drive();
        step.start.clone_from(&self.state.position);
        if let Scheme::Midpoint { .. } = self.settings.scheme {
            observer.begin(Stage::MoveToMidpoint);
            let half = 0.5 * self.settings.time_step;
            self.carry_start(half, step);
            self.move_bodies(half);
        }
        // An angular body changes its spin as it turns: the step is from the spin at the place where it is solved.
        step.velocity_before.clone_from(&self.state.velocity);
        step.spin_before.clone_from(&self.state.spin);
        step.rate_before = self.state.cell.rate;
        loop {
            observer.begin(Stage::FindPairs);
            step.rebuilt |= self.find_pairs();
            if !self.pull_bridges(step) {
                continue;
            }
            observer.begin(Stage::FreeVelocity);
            self.free_velocity(&external, step);
            observer.begin(Stage::MeasureGaps);
            self.measure_gaps(step);
            observer.begin(Stage::RecallImpulses);
            self.recall_impulses(step);
            observer.begin(Stage::Solve);
            match self.method {
                Method::Percussions(options) => self.solve_percussions(&options, step),
                Method::ContactDynamics | Method::MolecularDynamics(_) => self.solve(&external, step),
            }
            observer.begin(Stage::KeepImpulses);
            self.keep_impulses(step);
            observer.begin(Stage::LookBack);
            if self.look_back(step)? {
                break;
            }
        }
        observer.begin(Stage::KeepImpulses);
        step.work = self.contact_work(step);
        step.cell_work = self.cell_work(&external, step);
        step.spin_after.clone_from(&self.state.spin);
        observer.begin(Stage::MoveToEnd);
        self.move_bodies(self.settings.move_after_solve());
        observer.begin(Stage::Report);
        self.report(&external, step)
    }

    /// Positions and orientations move on with the velocities as they are; angular bodies keep their angular momentum.
    fn move_bodies(&mut self, time: f64) {
        let turned: Vec<(D::Orientation, D::Spin)> =
            (0..self.bodies.len()).into_par_iter().with_min_len(1024).map(|body| self.turn_for(body, time)).collect();
        if let Some(carrying) = self.carrying(time) {
            let bodies = (0..self.bodies.len()).into_par_iter().with_min_len(4096);
            self.state.position = bodies.map(|body| self.place_after(body, time, Some(&carrying))).collect();
            self.state.cell = carrying.cell(&self.state.cell);
        } else {
            let (position, velocity) = (&mut self.state.position, &self.state.velocity);
            position.par_iter_mut().zip(velocity).with_min_len(4096).for_each(|(x, &v)| *x += v * time);
        }
        let state = &mut self.state;
        for (body, (orientation, spin)) in turned.into_iter().enumerate() {
            (state.orientation[body], state.spin[body]) = (orientation, spin);
        }
    }

    /// The places of the start are carried along with the cell: what is left between them and the bodies is their own motion.
    pub(crate) fn carry_start(&self, time: f64, step: &mut Work<D>) {
        if let Some(carrying) = self.carrying(time) {
            for (place, _) in step.start.iter_mut().zip(&self.bodies).filter(|(_, body)| body.is_free()) {
                *place = carrying.now(*place);
            }
        }
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
            let force = force + step.bridge_force(index);
            let (velocity, spin, inertia) = match body.grain_radius() {
                Some(radius) => (
                    velocity + (external.gravity + force * (1.0 / body.mass)) * dt,
                    (spin + torque * (dt / body.inertia.get(0))) * radius,
                    Inertia::Ball(1.0 / body.mass),
                ),
                None => {
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
        // The gap up to which each body can make a pair take part in the solve (see `measure_gaps`).
        let straining = if self.cell_driver.is_some() { self.strain_rate() } else { 0.0 };
        let Reach { velocity, time, own, least } = &mut step.reach;
        velocity.clear();
        own.clear();
        (*time, *least) = match self.settings.scheme {
            Scheme::Midpoint { tolerance } => (0.0, self.hold_range().max(tolerance)),
            Scheme::Euler { .. } => (CLOSING * dt, self.hold_range()),
        };
        for (body, &slot) in slots.iter().enumerate() {
            let (v, spin) = if slot == GROUND {
                (self.state.velocity[body], self.state.spin[body])
            } else {
                let free = &step.problem.bodies[slot as usize];
                (free.velocity, free.spin)
            };
            velocity.push(v);
            own.push(if *time > 0.0 { self.own_reach(body, spin, straining, 0.0) } else { 0.0 });
        }
    }

    /// Gaps and normals of the listed pairs; the pairs that take part in the solve become contacts.
    fn measure_gaps(&mut self, step: &mut Work<D>) {
        self.cache.poses.turn(&self.bodies, &self.state.orientation);
        let dt = self.settings.time_step;
        let (problem, missed, reach) = (&step.problem, &step.missed, &step.reach);
        let held = self.held_pairs();
        let places = Places { position: &self.state.position, orientation: &self.state.orientation };
        let has_corners = !self.cache.poses.is_empty();
        // Points are looked for out to a distance that follows from the state, so that those seen by the look back of the
        // last step can be used, and farther only if that is not enough.
        let ahead = if has_corners && self.settings.is_euler() {
            self.reach_ahead(&step.velocity_before, &step.spin_before)
        } else {
            Reach::default()
        };
        let holds = self.cache.seen.holds_for(&places, &self.state.cell, &self.cache.slots, &ahead);
        let mut seen = std::mem::take(&mut self.cache.seen.chunks);
        let takes_part = |is_missed: bool, pair: &Pair, geometry: &Geometry<D>| match self.settings.scheme {
            Scheme::Midpoint { tolerance } => geometry.gap <= tolerance,
            Scheme::Euler { .. } => {
                let radius = self.smaller_radius(pair.bodies);
                let opening = self.free_surface_velocity(problem, pair.bodies[1], geometry.point)
                    - self.free_surface_velocity(problem, pair.bodies[0], geometry.point)
                    + self.carried_apart(&Contact::new(pair.bodies, pair.offset, geometry));
                let closing = f64::min(opening.dot(geometry.normal), 0.0);
                geometry.gap + CLOSING * dt * closing <= NEAR * radius || is_missed
            }
        };
        let chunks: Vec<Vec<(u32, Contact<D>)>> = self
            .cache
            .pairs
            .pairs
            .par_chunks(CHUNK)
            .zip(&mut seen)
            .enumerate()
            .map(|(chunk, (pairs, seen))| {
                let mut found = Vec::with_capacity(pairs.len());
                let (mut scratch, mut points) = (Scratch::default(), Vec::new());
                seen.make_room(if has_corners { pairs.len() } else { 0 });
                for (i, pair) in pairs.iter().enumerate() {
                    let index = chunk * CHUNK + i;
                    let is_missed = missed.binary_search(&(index as u32)).is_ok();
                    let needed = if is_missed { f64::INFINITY } else { reach.of(pair) };
                    if self.far_apart(pair, &self.state.position, needed) || !self.can_move(pair) {
                        continue;
                    }
                    points.clear();
                    if self.is_round(pair) {
                        points.push(self.geometry(pair, &self.state.position));
                    } else {
                        let [a, b] = pair.bodies.map(|body| body as usize);
                        let within = if ahead.own.is_empty() { 0.0 } else { ahead.of(pair) };
                        if needed <= within && holds.get(a) == Some(&true) && holds.get(b) == Some(&true) {
                            points.extend_from_slice(seen.points(i));
                        } else {
                            scratch.axis = seen.axes.get(i).copied().unwrap_or(D::Vector::ZERO);
                            self.points(
                                pair,
                                &places,
                                &self.cache.poses,
                                needed.max(within),
                                &mut scratch,
                                &mut points,
                            );
                            if let Some(axis) = seen.axes.get_mut(i) {
                                *axis = scratch.axis;
                            }
                        }
                    }
                    let chosen = |geometry: &&Geometry<D>| {
                        takes_part(is_missed, pair, geometry) || self.is_held(&held, index, pair, geometry.gap)
                    };
                    for geometry in points.iter().filter(chosen) {
                        found.push((index as u32, Contact::new(pair.bodies, pair.offset, geometry)));
                    }
                }
                found
            })
            .collect();
        self.cache.seen.chunks = seen;
        step.pair_of.clear();
        step.contacts.clear();
        for (pair, contact) in chunks.into_iter().flatten() {
            step.pair_of.push(pair);
            step.contacts.push(contact);
        }
    }

    /// The contacts of the last step are in the order of the same list: both are walked together, pair by pair.
    /// A step that is solved once more starts from the impulses of the solve before.
    fn recall_impulses(&self, step: &mut Work<D>) {
        let (last, last_pair) = (&self.state.contacts, &self.cache.pair_of);
        let (mut from, mut tried_from) = (0, 0);
        step.last.clear();
        step.rest.clear();
        let mut start = 0;
        while start < step.contacts.len() {
            let pair = step.pair_of[start];
            let end = start + step.pair_of[start..].iter().take_while(|&&of| of == pair).count();
            while last_pair.get(from).is_some_and(|&of| of < pair) {
                from += 1;
            }
            let known = last_pair[from..].iter().take_while(|&&of| of == pair).count();
            let known = &last[from..from + known];
            while step.tried.get(tried_from).is_some_and(|&(of, ..)| of < pair) {
                tried_from += 1;
            }
            for index in start..end {
                let kept = self.same_contact(&step.contacts[index], &step.contacts[start..end], known);
                let contact = &mut step.contacts[index];
                if let Some(kept) = kept {
                    contact.impulse = kept.impulse;
                    contact.approach = kept.approach;
                    contact.torque = kept.torque;
                    contact.bonded = kept.bonded;
                }
                let mut tried = step.tried[tried_from..].iter().take_while(|&&(of, ..)| of == pair);
                if let Some(&(.., impulse, torque)) = tried.find(|&&(_, feature, ..)| feature == contact.feature) {
                    (contact.impulse, contact.torque) = (impulse, torque);
                }
                step.last.push(kept.map(|kept| kept.status));
                step.rest.push(kept.map_or(D::Vector::ZERO, |kept| kept.impulse));
            }
            start = end;
        }
    }

    /// The contact of the last step that a contact goes on from: that of the same feature, or a near one that no contact of
    /// its pair is named after (`group`): corners and edges that slide over each other change names.
    fn same_contact<'a>(
        &self,
        contact: &Contact<D>,
        group: &[Contact<D>],
        known: &'a [Contact<D>],
    ) -> Option<&'a Contact<D>> {
        let named = known.iter().find(|kept| kept.feature == contact.feature);
        if named.is_some() || group.len() + known.len() <= 2 {
            return named;
        }
        let distance = |kept: &Contact<D>| (kept.point - contact.point).length();
        known
            .iter()
            .filter(|kept| group.iter().all(|other| other.feature != kept.feature))
            .filter(|kept| distance(kept) < SAME_PLACE * self.smaller_radius(contact.bodies))
            .min_by(|a, b| distance(a).total_cmp(&distance(b)))
    }

    /// States the problem and solves it.
    fn solve(&self, external: &External<D>, step: &mut Work<D>) {
        let Work { problem, contacts, last, before, demands, velocity_before, spin_before, .. } = step;
        let at_start = Velocities { velocity: velocity_before, spin: spin_before };
        let points = self.points_of_pairs(contacts);
        (0..contacts.len())
            .into_par_iter()
            .with_min_len(CHUNK)
            .map(|i| {
                let contact = &contacts[i];
                let before = self.relative_velocity(contact, &at_start);
                let [a, b] = contact.bodies.map(|body| self.bodies[body as usize].material);
                let incoming = Incoming {
                    contact,
                    last: last[i],
                    before,
                    radius: self.smaller_radius(contact.bodies),
                    reduced_radius: self.reduced_radius(contact.bodies),
                    points: points.get(i).copied().unwrap_or(1.0),
                    bond: self.bond_of(contact.bodies, contact.offset).map(|bond| &self.state.bonds[bond]),
                };
                (before, demand(&self.settings, self.materials.pair(a, b), &incoming))
            })
            .unzip_into_vecs(before, demands);
        let stated = contacts.par_iter().zip(&*demands).with_min_len(CHUNK);
        stated.map(|(contact, demand)| self.state_contact(contact, demand)).collect_into_vec(&mut problem.contacts);
        let options = self.state_holds(step);
        self.state_cell(external, step);
        if step.keeps_start {
            let problem = &step.problem;
            step.start_from = Some(StartedFrom {
                bodies: problem.bodies.clone(),
                rate: problem.cell.as_ref().map_or(D::Vector::ZERO, |cell| cell.rate),
                impulses: problem.contacts.iter().map(|contact| contact.impulse).collect(),
                torques: problem.torques.iter().map(|torque| torque.impulse).collect(),
            });
        }
        step.solved = solve(&mut step.problem, &options, self.state.step);
    }

    /// A contact in the words of the solver: imposed motion goes into the shift.
    pub(crate) fn state_contact(&self, contact: &Contact<D>, demand: &Demand<D>) -> problem::Contact<D> {
        let mut shift = demand.shift + self.imposed_apart(contact);
        let mut arms = [D::Vector::ZERO; 2];
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            let body = contact.bodies[side];
            if self.cache.slots[body as usize] == GROUND {
                let arm = self.lever_arm(contact, side);
                let index = body as usize;
                shift += (self.state.velocity[index] + D::cross(self.state.spin[index], arm)) * sign;
            } else {
                // Of a ball, the arm over its radius is the normal; a gap or an overlap does not lengthen it.
                arms[side] = match self.bodies[body as usize].grain_radius() {
                    Some(_) => contact.normal * -sign,
                    None => self.lever_arm(contact, side),
                };
            }
        }
        problem::Contact {
            bodies: contact.bodies.map(|body| self.cache.slots[body as usize]),
            normal: contact.normal,
            arms,
            shift,
            friction: demand.friction,
            impulse: contact.impulse + contact.normal * demand.pull,
        }
    }

    /// New velocities of the bodies; impulse, velocity and status of the contacts.
    fn keep_impulses(&mut self, step: &mut Work<D>) {
        let slots = &self.cache.slots;
        for (index, body) in self.bodies.iter().enumerate() {
            if slots[index] != GROUND {
                let solved = &step.problem.bodies[slots[index] as usize];
                self.state.velocity[index] = solved.velocity;
                self.state.spin[index] = match body.grain_radius() {
                    Some(radius) => solved.spin * (1.0 / radius),
                    None => solved.spin,
                };
            }
        }
        self.keep_rates(step);
        let at_end = Velocities { velocity: &self.state.velocity, spin: &self.state.spin };
        let Work { contacts, problem, demands, before, percussion_laws, .. } = step;
        contacts.par_iter_mut().enumerate().with_min_len(CHUNK).for_each(|(i, contact)| {
            let (p, n) = (problem.contacts[i].impulse, contact.normal);
            contact.impulse = demands[i].without_pull(n, p);
            contact.torque = problem.torques.get(i).map_or(D::Spin::ZERO, |torque| torque.impulse);
            contact.bonded = demands[i].bonded;
            contact.velocity = self.relative_velocity(contact, &at_end);
            let normal = p.dot(n);
            let tangential = (p - n * normal).length();
            contact.status = if let Some(law) = percussion_laws.get(i) {
                percussion_status(law, normal, tangential)
            } else if contact.impulse == D::Vector::ZERO {
                Status::Open
            } else if tangential >= demands[i].friction * normal * (1.0 - 1e-9) {
                Status::Slide
            } else {
                Status::Stick
            };
            contact.approach = remembered_approach(demands[i].rebounds, contact, before[i]);
        });
    }

    /// True for two balls whose gap is larger than `reach`: a quick test without a root.
    #[inline]
    pub(crate) fn far_apart(&self, pair: &Pair, position: &[D::Vector], reach: f64) -> bool {
        let [a, b] = pair.bodies.map(|body| body as usize);
        let sum = self.cache.radius[a] + self.cache.radius[b] + reach;
        let shift = if pair.offset == [0; 3] { D::Vector::ZERO } else { self.state.cell.shift(pair.offset) };
        let away = position[b] + shift - position[a];
        // The radius of a wall is not a number, and no comparison with it holds.
        away.dot(away) > sum * sum
    }

    /// True if impulses can move at least one of the two bodies.
    pub(crate) fn can_move(&self, pair: &Pair) -> bool {
        pair.bodies.iter().any(|&body| self.cache.slots[body as usize] != GROUND)
    }

    /// True if the gap of a pair is one formula: of balls, and of a ball and a wall that is not angular.
    #[inline]
    pub(crate) fn is_round(&self, pair: &Pair) -> bool {
        let [a, b] = pair.bodies.map(|body| &self.bodies[body as usize].shape);
        b.ball_radius().is_some() && is_simple(a)
    }

    /// The contact points of a pair within a distance, added to `found`.
    pub(crate) fn points(
        &self,
        pair: &Pair,
        at: &Places<'_, D>,
        poses: &Poses<D>,
        within: f64,
        scratch: &mut Scratch<D>,
        found: &mut Vec<Geometry<D>>,
    ) {
        let posed = |body: u32, shift: D::Vector| Posed {
            placed: Placed {
                shape: &self.bodies[body as usize].shape,
                position: at.position[body as usize] + shift,
                orientation: at.orientation[body as usize],
            },
            body,
            poses,
        };
        let shift = if pair.offset == [0; 3] { D::Vector::ZERO } else { self.state.cell.shift(pair.offset) };
        let [first, second] = [posed(pair.bodies[0], D::Vector::ZERO), posed(pair.bodies[1], shift)];
        contact_points(first, second, within, scratch, found);
    }

    /// The gap of a round pair with the bodies at `position`.
    pub(crate) fn geometry(&self, pair: &Pair, position: &[D::Vector]) -> Geometry<D> {
        let placed = |body: u32, shift: D::Vector| Placed {
            shape: &self.bodies[body as usize].shape,
            position: position[body as usize] + shift,
            orientation: self.state.orientation[body as usize],
        };
        let shift = if pair.offset == [0; 3] { D::Vector::ZERO } else { self.state.cell.shift(pair.offset) };
        gap(placed(pair.bodies[0], D::Vector::ZERO), placed(pair.bodies[1], shift))
    }

    /// Velocity of a body's surface at `point`, without contact impulses. Of a ball only the centre counts here, since
    /// its spin does not move the gap.
    fn free_surface_velocity(&self, problem: &Problem<D>, body: u32, point: D::Vector) -> D::Vector {
        let index = body as usize;
        match self.cache.slots[index] {
            GROUND => self.state.velocity[index] + D::cross(self.state.spin[index], point - self.state.position[index]),
            slot if self.bodies[index].shape.ball_radius().is_some() => problem.bodies[slot as usize].velocity,
            slot => {
                let free = &problem.bodies[slot as usize];
                free.velocity + D::cross(free.spin, point - self.state.position[index])
            }
        }
    }
}

/// Where all bodies are.
pub(crate) struct Places<'a, D: Dim> {
    pub position: &'a [D::Vector],
    pub orientation: &'a [D::Orientation],
}

/// What a step works with.
#[derive(Default)]
pub(crate) struct Work<D: Dim> {
    pub velocity_before: Vec<D::Vector>,
    pub spin_before: Vec<D::Spin>,
    /// Spins at the end of the solve, where `spin_before` is at its start.
    pub spin_after: Vec<D::Spin>,
    pub start: Vec<D::Vector>,
    pub problem: Problem<D>,
    /// True if the problem may be asked for when the step is over.
    pub keeps_start: bool,
    pub start_from: Option<StartedFrom<D>>,
    /// See [`World::free_velocity`].
    pub reach: Reach<D>,
    pub contacts: Vec<Contact<D>>,
    /// The pair of each contact.
    pub pair_of: Vec<u32>,
    /// What each contact did in the last step, if it was there.
    pub last: Vec<Option<Status>>,
    /// The impulse of each contact at the end of the last step.
    pub rest: Vec<D::Vector>,
    /// Relative velocity of each contact at the start of the step.
    pub before: Vec<D::Vector>,
    pub demands: Vec<Demand<D>>,
    /// The laws of the contacts under A-CD²; empty under contact dynamics.
    pub percussion_laws: Vec<PercussionLaw>,
    /// Pairs that a first solve left out and should not have, sorted.
    pub missed: Vec<u32>,
    /// Pair, feature, impulse and torque of the contacts of a solve that left some out.
    pub tried: Vec<(u32, u64, D::Vector, D::Spin)>,
    pub solved: SolveReport,
    /// The solves before the last one, and their sweeps.
    pub solves: u32,
    pub sweeps_before: u32,
    pub updates: u64,
    pub rebuilt: bool,
    /// The bridges of this step, and how they share the liquid.
    pub bridges: Vec<Bridge<D>>,
    pub share: Share,
    /// What bridges do to each body; empty without liquid.
    pub bridge_forces: Vec<D::Vector>,
    /// The rates at which the cell stretched at the start of the step, and its mass in this step.
    pub rate_before: D::Vector,
    pub cell_mass: D::Vector,
    /// What the contacts did to energy, and the cell.
    pub work: ContactWork,
    pub cell_work: CellWork,
    pub deepest: f64,
    pub mean_overlap: f64,
}

/// What the last solve started from: free velocities, impulses and torque impulses.
pub(crate) struct StartedFrom<D: Dim> {
    bodies: Vec<problem::Body<D>>,
    rate: D::Vector,
    impulses: Vec<D::Vector>,
    torques: Vec<D::Spin>,
}

impl<D: Dim> Work<D> {
    /// The problem of the last solve, if there was one with contacts and its start was kept.
    fn stated_problem(&self) -> Option<StepProblem> {
        let start = self.start_from.as_ref().filter(|_| !self.problem.contacts.is_empty())?;
        let mut stated = self.problem.clone();
        stated.bodies.clone_from(&start.bodies);
        if let Some(cell) = &mut stated.cell {
            cell.rate = start.rate;
        }
        for (contact, &impulse) in stated.contacts.iter_mut().zip(&start.impulses) {
            contact.impulse = impulse;
        }
        for (torque, &impulse) in stated.torques.iter_mut().zip(&start.torques) {
            torque.impulse = impulse;
        }
        let FromBodies { problem, left_out } = GlobalProblem::from_bodies(&stated);
        Some(StepProblem {
            start: problem.impulses_of(&stated),
            impulse: problem.impulses_of(&self.problem),
            motion: problem.velocities_of(&self.problem),
            problem,
            left_out,
            residual: self.solved.residual,
            converged: self.solved.converged,
        })
    }
}

#[inline(never)]
fn step_in_the_plane(world: &mut World<D2>, observer: &mut dyn Observer) -> Result<StepReport, StepError> {
    world.step_by_method(observer)
}

#[inline(never)]
fn step_in_space(world: &mut World<D3>, observer: &mut dyn Observer) -> Result<StepReport, StepError> {
    world.step_by_method(observer)
}
