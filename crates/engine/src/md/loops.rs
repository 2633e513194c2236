//! The loops of molecular dynamics over pairs and balls: forces, their sums in a fixed order, kick and drift.

use super::batch::{BATCH, Batch, ContactOutput, Meeting};
use super::law::{Memory, Springs, SurfaceLaw, Turning, resist};
use super::pack::{Kept, Kind, Listed, Loaded, Moment, Moving, PAIRS, Pack, Place, SLOTS, Task, Wall, plane_normal};
use crate::detect::{Geometry, Placed, gap};
use crate::shape::Shape;
use crate::world::World;
use rayon::prelude::*;
use riprap_solve::simd::{WideLoop, prefetch, run_widest};
use riprap_solve::{Dim, Vector};

/// Balls that one task moves.
const BALLS: usize = 512;
/// For how many steps the pairs that were found near are meant to be all that can touch. Looking for them is then 4 % of
/// the loop over pairs (dense deposit of 16,000; it was 36 % in every step), and few are near that do not touch.
const NEAR_STEPS: f64 = 8.0;

impl<D: Dim> Pack<D> {
    /// The forces of all pairs as they are now. Each task adds up its own for each ball; the sums of the tasks come
    /// together when the balls move.
    pub fn evaluate(&mut self, world: &World<D>, moment: Moment) {
        let within = self.look_around(moment.step);
        let Pack { places, walls, pairs, kinds, touching, memories, tasks, .. } = self;
        let (shifts, surfaces, springs) = (&self.shifts, &self.surfaces, &self.springs);
        let alone = self.extras.is_empty();
        let scenery = &Scenery { world, places, walls, shifts, surfaces, springs, moment, within, alone };
        let listed = pairs.chunks(PAIRS).zip(kinds.chunks(PAIRS)).zip(touching.chunks_mut(PAIRS));
        let kept = memories.chunks_mut(PAIRS).zip(tasks);
        let evaluations = (listed.zip(kept))
            .map(|(((pairs, kinds), touching), (memories, task))| Evaluation {
                scenery,
                pairs,
                kinds,
                touching,
                memories,
                task,
            })
            .collect();
        in_tasks(evaluations, run_widest);
        self.evaluations += 1;
        if !alone {
            self.evaluate_extras(world, moment);
        }
        self.load_walls(world, moment.weight);
        self.pull_ties(world, moment.weight);
    }

    /// The gap up to which a pair counts as near, if it is time to look for near pairs again.
    fn look_around(&mut self, step: f64) -> Option<f64> {
        if self.near_slack >= 0.0 {
            return None;
        }
        self.near_slack = NEAR_STEPS * 2.0 * self.fastest * step;
        Some(self.near_slack)
    }

    /// Contact torques and bridges, on top of the forces of contacts.
    fn evaluate_extras(&mut self, world: &World<D>, moment: Moment) {
        let Pack { places, walls, pairs, kinds, touching, memories, extras, tasks, shifts, .. } = self;
        let (places, walls, surfaces) = (&*places, &*walls, &self.surfaces);
        let (springs, liquid) = (&self.springs, &self.liquid);
        let listed = (pairs.par_chunks(PAIRS), kinds.par_chunks(PAIRS), touching.par_chunks(PAIRS));
        let kept = (memories.par_chunks(PAIRS), extras.par_chunks_mut(PAIRS), tasks.par_iter_mut());
        listed.into_par_iter().zip(kept).for_each(|((pairs, kinds, touching), (memories, extras, task))| {
            let Task { slots, sums, pulls, losses, .. } = task;
            for (i, (pair, extra)) in pairs.iter().zip(extras).enumerate() {
                let (kind, touches) = (kinds[i], touching[i]);
                if !touches {
                    let turn = extra.turn * reduced_radius(*pair, places);
                    losses.rolling += springs.energy::<D>(0.0, D::Vector::ZERO, turn);
                    (extra.turn, extra.torque) = (D::Spin::ZERO, D::Spin::ZERO);
                    if extra.volume == 0.0 {
                        continue;
                    }
                }
                let second = &places[pair.second()];
                let at = second.position + shifts[kind.shift as usize];
                let moves = &second.moving;
                let radius = reduced_radius(*pair, places);
                let (normal, gap, other) = if pair.wall() {
                    let wall = &walls[pair.first()];
                    let geometry = wall_gap(world, wall, at, second.radius);
                    (geometry.normal, geometry.gap, &wall.moving)
                } else {
                    let first = &places[pair.first()];
                    let away = at - first.position;
                    let distance = away.length();
                    let normal = away.normalized().unwrap_or(D::Vector::axis(D::AXES - 1));
                    let gap = distance - first.radius - second.radius;
                    (normal, gap, &first.moving)
                };
                if touches {
                    let turning = Turning::<D> {
                        normal,
                        force: pulls[i].0.dot(normal).max(0.0),
                        radius,
                        spin: moves.spin - other.spin,
                        damping: memories[i].damping,
                    };
                    if extra.turn != D::Spin::ZERO {
                        let turned = (moves.spin + other.spin) * (0.5 * moment.step);
                        extra.turn = D::carry_spin(extra.turn, extra.normal, normal, turned);
                    }
                    extra.normal = normal;
                    let surface = &surfaces[kind.surface as usize];
                    let resistance = resist(springs, surface, &turning, &mut extra.turn, moment.step);
                    extra.torque = resistance.torque;
                    extra.torque_impulse += resistance.torque * moment.weight;
                    losses.rolling += resistance.rolling_loss[0] * moment.weight + resistance.rolling_loss[1];
                    losses.torsion += resistance.torsion_loss[0] * moment.weight + resistance.torsion_loss[1];
                }
                if let (Some(liquid), true) = (liquid, extra.volume > 0.0) {
                    let radii = [places[pair.first()].radius, second.radius];
                    let pull = normal * -liquid.attraction(radii, extra.volume, gap);
                    pulls[i] = if touches { (pulls[i].0 + pull, pulls[i].1) } else { (pull, D::Spin::ZERO) };
                    extra.bridge_impulse += pull * moment.weight;
                    losses.bridges += pull.dot(moves.velocity - other.velocity) * moment.weight;
                }
                add_to_balls::<D>(sums, slots[i], *pair, pulls[i]);
                if !pair.wall() {
                    sums[usize::from(slots[i][0])].1 -= extra.torque * (1.0 / places[pair.first()].radius);
                }
                sums[usize::from(slots[i][1])].1 += extra.torque * (1.0 / second.radius);
            }
        });
    }

    /// Force and torque on the walls that a load moves, and the work of the motions that are imposed.
    fn load_walls(&mut self, world: &World<D>, weight: f64) {
        for wall in &mut self.walls {
            (wall.force, wall.torque) = (D::Vector::ZERO, D::Spin::ZERO);
        }
        if self.walls.iter().all(Wall::is_idle) {
            return;
        }
        let mut work = 0.0;
        for number in self.with_walls.iter().map(|&number| number as usize).filter(|&number| self.touching[number]) {
            let pair = self.pairs[number];
            let wall = &mut self.walls[pair.first()];
            if wall.is_idle() {
                continue;
            }
            let (force, _) = self.tasks[number / PAIRS].pulls[number % PAIRS];
            let ball = &self.places[pair.second()];
            let at = ball.position + self.shifts[self.kinds[number].shift as usize];
            let arm = wall_gap(world, wall, at, ball.radius).point - world.state.position[wall.body as usize];
            let torque = D::wedge(arm, force) + self.extras.get(number).map_or(D::Spin::ZERO, |extra| extra.torque);
            wall.force -= force;
            wall.torque -= torque;
            let imposed = |velocity: f64, inverse: f64| if inverse == 0.0 { velocity } else { 0.0 };
            let v = D::Vector::from_fn(|i| imposed(wall.moving.velocity.get(i), wall.inverse_mass.get(i)));
            let w = D::Spin::from_fn(|i| imposed(wall.moving.spin.get(i), wall.inverse_inertia.get(i)));
            work += force.dot(v) + torque.dot(w);
        }
        self.booked.drivers += work * weight;
    }

    /// Gives the forces found to the bodies for the time `kick`, then moves all for the time `drift`.
    pub fn kick_and_drift(&mut self, world: &mut World<D>, kick: f64, drift: f64) {
        let Pack { places, balls, tasks, first, parts, loaded, gravity, walls, .. } = self;
        let (first, parts, tasks) = (&*first, &*parts, &*tasks);
        // Force, and torque over radius, in the order of the tasks.
        let sum = |ball: usize| {
            let of_ball = &parts[first[ball] as usize..first[ball + 1] as usize];
            of_ball.iter().fold((D::Vector::ZERO, D::Spin::ZERO), |(force, turn), &part| {
                let (f, t) = tasks[part as usize / SLOTS].sums[part as usize % SLOTS];
                (force + f, turn + t)
            })
        };
        let outside = |loaded: &Loaded<D>| {
            let (force, turn) = sum(loaded.ball as usize);
            let torque = turn * places[loaded.ball as usize].radius;
            let a = loaded.inverse_mass.scale(force) + loaded.outside.0;
            (a, loaded.inverse_inertia.scale(torque) + loaded.outside.1)
        };
        let outside: Vec<(D::Vector, D::Spin)> = loaded.iter().map(outside).collect();
        for (loaded, &(a, b)) in loaded.iter().zip(&outside) {
            let ball = &mut balls[loaded.ball as usize];
            ball.velocity += a * kick;
            ball.spin += b * kick;
        }
        let gravity = *gravity;
        let list_drift = world.state.search.drift;
        let chunks = places.chunks_mut(BALLS).zip(balls.chunks_mut(BALLS));
        let fastest = in_tasks(chunks.enumerate().collect(), |(chunk, (places, balls))| {
            let mut fastest = 0.0;
            for (i, (place, ball)) in places.iter_mut().zip(balls).enumerate() {
                let (force, turn) = sum(chunk * BALLS + i);
                let mut a = force * ball.inverse_mass;
                if ball.inverse_mass > 0.0 {
                    a += gravity;
                }
                let b = turn * (place.radius * ball.inverse_inertia);
                ball.velocity += a * kick;
                ball.spin += b * kick;
                place.position += ball.velocity * drift;
                ball.turned += ball.spin * drift;
                // At the end of the step the velocity will have gained half a step more; with the last acceleration
                // that is known to second order.
                place.moving.velocity = ball.velocity + a * (0.5 * drift);
                place.moving.spin = ball.spin + b * (0.5 * drift);
                let relative = ball.velocity - list_drift;
                fastest = f64::max(fastest, relative.dot(relative));
            }
            fastest
        });
        self.fastest = fastest.into_iter().fold(0.0, f64::max).sqrt();
        self.slack -= self.fastest * drift;
        self.near_slack -= 2.0 * self.fastest * drift;
        for (loaded, &(a, b)) in loaded.iter().zip(&outside) {
            let moving = &mut places[loaded.ball as usize].moving;
            moving.velocity += a * (0.5 * drift);
            moving.spin += b * (0.5 * drift);
        }
        for wall in walls.iter_mut() {
            let body = wall.body as usize;
            let state = &mut world.state;
            let a = wall.inverse_mass.scale(wall.force) + wall.outside.0;
            let b = wall.inverse_inertia.scale(wall.torque) + wall.outside.1;
            state.velocity[body] += a * kick;
            state.spin[body] += b * kick;
            state.position[body] += state.velocity[body] * drift;
            if state.spin[body] != D::Spin::ZERO {
                state.orientation[body] = D::turn(state.orientation[body], state.spin[body] * drift);
                wall.turned += state.spin[body] * drift;
                wall.plane = plane_normal(&world.bodies[body].shape, state.orientation[body]);
            }
            wall.moving.velocity = state.velocity[body] + a * (0.5 * drift);
            wall.moving.spin = state.spin[body] + b * (0.5 * drift);
        }
    }

    /// True if no ball has gone farther from where it was listed than the list allows; `drifted` is how far the list has
    /// drifted. The check is skipped as long as even the fastest ball cannot have gone that far.
    pub fn list_holds(&mut self, drifted: D::Vector) -> bool {
        if self.slack >= 0.0 {
            return true;
        }
        let (places, listed) = (&self.places, &self.listed);
        let left = |i: usize| listed[i].reach - (places[i].position - listed[i].position - drifted).length();
        self.slack = (0..places.len()).into_par_iter().with_min_len(BALLS).map(left).reduce(|| f64::INFINITY, f64::min);
        self.slack >= 0.0
    }
}

/// What the loop over pairs reads.
struct Scenery<'a, D: Dim> {
    world: &'a World<D>,
    places: &'a [Place<D>],
    walls: &'a [Wall<D>],
    shifts: &'a [D::Vector],
    surfaces: &'a [SurfaceLaw],
    springs: &'a Springs,
    moment: Moment,
    /// The gap up to which pairs are near, if the near ones have to be found again.
    within: Option<f64>,
    /// True if nothing acts between the bodies but these forces.
    alone: bool,
}

/// The evaluation of some pairs, at most [`PAIRS`].
struct Evaluation<'a, D: Dim> {
    scenery: &'a Scenery<'a, D>,
    pairs: &'a [Listed],
    kinds: &'a [Kind],
    touching: &'a mut [bool],
    memories: &'a mut [Kept<D>],
    task: &'a mut Task<D>,
}

impl<D: Dim> WideLoop for Evaluation<'_, D> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Evaluation { scenery, pairs, kinds, touching, memories, task } = self;
        let Task { slots, sums, near, pulls, losses } = task;
        let Scenery { surfaces, springs, moment, .. } = *scenery;
        if let Some(within) = scenery.within {
            near.clear();
            let is_near = |i: usize| touching[i] || scenery.is_near(pairs[i], kinds[i], within);
            near.extend((0..pairs.len()).filter(|&i| is_near(i)).map(|i| i as u16));
        }
        sums.fill((D::Vector::ZERO, D::Spin::ZERO));
        let mut batch = Batch::new();
        for (number, group) in near.chunks(BATCH).enumerate() {
            // What the next group remembers is on its way while this one is computed.
            for &i in near.iter().skip((number + 1) * BATCH).take(BATCH) {
                prefetch(&memories[usize::from(i)]);
            }
            // The shortest loop is the first: in it many balls are on their way from memory at once.
            for (place, &i) in group.iter().enumerate() {
                let i = usize::from(i);
                batch.put_reach(place, scenery.reach(pairs[i], kinds[i]));
            }
            for (place, &i) in group.iter().enumerate() {
                let i = usize::from(i);
                batch.put_meeting(place, &scenery.meeting(pairs[i], kinds[i]));
            }
            for (place, &i) in group.iter().enumerate() {
                let i = usize::from(i);
                let Kept { memory: Memory { spring, slid, .. }, damping, .. } = memories[i];
                batch.put_memory::<D>(place, spring, damping, surfaces[kinds[i].surface as usize].frictions(slid));
            }
            batch.compute(group.len(), springs, moment.step);
            for (place, &i) in group.iter().enumerate() {
                let i = usize::from(i);
                let kept = &mut memories[i];
                let touched = std::mem::replace(&mut touching[i], batch.touches(place));
                if !touching[i] {
                    if touched {
                        // What is left in the tangential spring is lost with the contact.
                        losses.tangential += springs.energy::<D>(0.0, kept.memory.spring, D::Spin::ZERO);
                        kept.memory = Memory { touched: kept.memory.touched, ..Memory::default() };
                    }
                    continue;
                }
                let ContactOutput { force, turn, spring, slid, dashpots, slip_loss } = batch.take::<D>(place);
                kept.memory = Memory { spring, slid, touched: true };
                kept.impulse += force * moment.weight;
                if let Some(pull) = pulls.get_mut(i) {
                    *pull = (force, turn);
                }
                if scenery.alone {
                    add_to_balls::<D>(sums, slots[i], pairs[i], (force, turn));
                }
                losses.normal += dashpots[0] * moment.weight;
                losses.tangential += dashpots[1] * moment.weight + slip_loss;
            }
        }
    }
}

/// Adds the force of a pair, and `n × f`, to the sums of its balls.
#[inline(always)]
fn add_to_balls<D: Dim>(
    sums: &mut [(D::Vector, D::Spin)],
    [one, two]: [u16; 2],
    pair: Listed,
    (force, turn): (D::Vector, D::Spin),
) {
    if !pair.wall() {
        let sum = &mut sums[usize::from(one)];
        *sum = (sum.0 - force, sum.1 - turn);
    }
    // The arms are r₁n and −r₂n: n × f turns both the same way.
    let sum = &mut sums[usize::from(two)];
    *sum = (sum.0 + force, sum.1 - turn);
}

/// Does every part of some work, on all threads; what was found is in the order of the parts. A single thread does it
/// where it is, to save the hand-over.
fn in_tasks<T: Send, R: Send>(parts: Vec<T>, work: impl Fn(T) -> R + Sync + Send) -> Vec<R> {
    if rayon::current_num_threads() == 1 {
        parts.into_iter().map(work).collect()
    } else {
        parts.into_par_iter().map(work).collect()
    }
}

impl<D: Dim> Scenery<'_, D> {
    /// Where the image of body 2 is that a pair meets.
    #[inline(always)]
    fn image(&self, pair: Listed, kind: Kind) -> D::Vector {
        let position = self.places[pair.second()].position;
        if kind.shift == 0 { position } else { position + self.shifts[kind.shift as usize] }
    }

    /// Whether the gap of a pair of balls is below `within`; true for a wall, which may move as it likes.
    #[inline(always)]
    fn is_near(&self, pair: Listed, kind: Kind, within: f64) -> bool {
        if pair.wall() {
            return true;
        }
        let (first, second) = (&self.places[pair.first()], &self.places[pair.second()]);
        let (away, reach) = (self.image(pair, kind) - first.position, first.radius + second.radius + within);
        away.dot(away) < reach * reach
    }

    /// The sum of the radii of a pair; of a wall and a ball, the radius of the ball and the overlap.
    #[inline(always)]
    fn reach(&self, pair: Listed, kind: Kind) -> f64 {
        let radius = self.places[pair.second()].radius;
        if pair.wall() {
            radius - wall_gap(self.world, &self.walls[pair.first()], self.image(pair, kind), radius).gap
        } else {
            self.places[pair.first()].radius + radius
        }
    }

    /// How the bodies of a pair meet.
    #[inline(always)]
    fn meeting(&self, pair: Listed, kind: Kind) -> Meeting<D> {
        let (at, Place { radius, moving: two, .. }) = (self.image(pair, kind), &self.places[pair.second()]);
        if pair.wall() {
            return self.meet_wall(&self.walls[pair.first()], at, *radius, two);
        }
        let Place { position, radius: other, moving: one } = &self.places[pair.first()];
        Meeting {
            away: at - *position,
            velocity: two.velocity - one.velocity,
            turning: one.spin * *other + two.spin * *radius,
            spins: one.spin + two.spin,
        }
    }

    /// How a ball meets a wall.
    fn meet_wall(&self, wall: &Wall<D>, ball: D::Vector, radius: f64, moving: &Moving<D>) -> Meeting<D> {
        let Geometry { normal, point, .. } = wall_gap(self.world, wall, ball, radius);
        let arm = point - self.world.state.position[wall.body as usize];
        let surface = wall.moving.velocity + D::cross(wall.moving.spin, arm);
        Meeting {
            away: normal * radius,
            velocity: moving.velocity - surface,
            turning: moving.spin * radius,
            spins: wall.moving.spin + moving.spin,
        }
    }
}

/// `r₁r₂/(r₁+r₂)`; of a wall and a ball, the radius of the ball.
fn reduced_radius<D: Dim>(pair: Listed, places: &[Place<D>]) -> f64 {
    let radius = places[pair.second()].radius;
    if pair.wall() {
        return radius;
    }
    let other = places[pair.first()].radius;
    other * radius / (other + radius)
}

/// The gap between a wall, which is where the state says, and a ball.
#[inline(always)]
fn wall_gap<D: Dim>(world: &World<D>, wall: &Wall<D>, ball: D::Vector, radius: f64) -> Geometry<D> {
    let body = wall.body as usize;
    if let Some(normal) = wall.plane {
        let gap = normal.dot(ball - world.state.position[body]) - radius;
        return Geometry { normal, gap, point: ball - normal * (radius + 0.5 * gap), feature: 0 };
    }
    other_wall_gap(world, body, ball, radius)
}

/// The same for walls that are not planes.
fn other_wall_gap<D: Dim>(world: &World<D>, body: usize, ball: D::Vector, radius: f64) -> Geometry<D> {
    let first = Placed {
        shape: &world.bodies[body].shape,
        position: world.state.position[body],
        orientation: world.state.orientation[body],
    };
    let shape = Shape::Ball { radius };
    gap(first, Placed { shape: &shape, position: ball, orientation: D::Orientation::default() })
}
