//! The loops of molecular dynamics over pairs and balls: forces, their sums in a fixed order, kick and drift.

use super::batch::{BATCH, Batch, ContactInput, ContactOutput};
use super::law::{Memory, Springs, SurfaceLaw, Turning, resist};
use super::pack::{Kept, Kind, Listed, Loaded, Losses, Moment, Moving, PAIRS, Pack, Place, Wall, plane_normal};
use crate::detect::{Geometry, Placed, gap};
use crate::shape::Shape;
use crate::world::World;
use rayon::prelude::*;
use riprap_solve::simd::{WideLoop, run_widest};
use riprap_solve::{Dim, Vector};

/// Balls that one task moves.
const BALLS: usize = 512;

impl<D: Dim> Pack<D> {
    /// The forces of all pairs as they are now. A single thread adds them to the balls at once; with several threads each
    /// ball collects its own afterwards. Both add the same numbers in the same order.
    pub fn evaluate(&mut self, world: &World<D>, moment: Moment) {
        self.summed = rayon::current_num_threads() == 1 && self.extras.is_empty();
        let Pack { places, moving, walls, pairs, kinds, touching, memories, pulls, sums, losses, .. } = self;
        let (shifts, surfaces, springs) = (&self.shifts, &self.surfaces, &self.springs);
        let scenery = &Scenery { world, places, moving, walls, shifts, surfaces, springs, moment };
        if self.summed {
            let listed = pairs.chunks(PAIRS).zip(kinds.chunks(PAIRS)).zip(touching.chunks_mut(PAIRS));
            let kept = memories.chunks_mut(PAIRS).zip(pulls.chunks_mut(PAIRS)).zip(losses);
            for (((pairs, kinds), touching), ((memories, pulls), losses)) in listed.zip(kept) {
                let give = Give { pulls, sums: Some(sums) };
                run_widest(Evaluation { scenery, pairs, kinds, touching, memories, losses, give });
            }
        } else {
            let listed = (pairs.par_chunks(PAIRS), kinds.par_chunks(PAIRS), touching.par_chunks_mut(PAIRS));
            let kept = (memories.par_chunks_mut(PAIRS), pulls.par_chunks_mut(PAIRS), losses.par_iter_mut());
            listed.into_par_iter().zip(kept).for_each(|((pairs, kinds, touching), (memories, pulls, losses))| {
                let give = Give { pulls, sums: None };
                run_widest(Evaluation { scenery, pairs, kinds, touching, memories, losses, give });
            });
        }
        self.evaluations += 1;
        if !self.extras.is_empty() {
            self.evaluate_extras(world, moment);
        }
        self.load_walls(world, moment.weight);
        self.pull_ties(world, moment.weight);
    }

    /// Contact torques and bridges, on top of the forces of contacts.
    fn evaluate_extras(&mut self, world: &World<D>, moment: Moment) {
        let Pack { places, moving, walls, pairs, kinds, touching, memories, extras, pulls, losses, shifts, .. } = self;
        let (places, moving, walls, surfaces) = (&*places, &*moving, &*walls, &self.surfaces);
        let (springs, liquid) = (&self.springs, &self.liquid);
        let listed = (pairs.par_chunks(PAIRS), kinds.par_chunks(PAIRS), touching.par_chunks(PAIRS));
        let kept = (memories.par_chunks(PAIRS), extras.par_chunks_mut(PAIRS));
        listed.into_par_iter().zip((kept, (pulls.par_chunks_mut(PAIRS), losses.par_iter_mut()))).for_each(
            |((pairs, kinds, touching), ((memories, extras), (pulls, losses)))| {
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
                    let moves = &moving[pair.second()];
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
                        (normal, gap, &moving[pair.first()])
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
                }
            },
        );
    }

    /// Force and torque on the walls that a load moves, and the work of the motions that are imposed.
    fn load_walls(&mut self, world: &World<D>, weight: f64) {
        for wall in &mut self.walls {
            (wall.force, wall.torque) = (D::Vector::ZERO, D::Spin::ZERO);
        }
        let still = (D::Vector::ZERO, D::Spin::ZERO);
        let idle = |wall: &Wall<D>| !wall.loaded && (wall.moving.velocity, wall.moving.spin) == still;
        if self.walls.iter().all(idle) {
            return;
        }
        let mut work = 0.0;
        let touching = self.pairs.iter().enumerate().filter(|(number, pair)| pair.wall() && self.touching[*number]);
        for (number, pair) in touching {
            let wall = &mut self.walls[pair.first()];
            if idle(wall) {
                continue;
            }
            let (force, _) = self.pulls[number];
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
        if let Some(losses) = self.losses.first_mut() {
            losses.drivers += work * weight;
        }
    }

    /// The sums of all forces for each ball, in the order of the list.
    fn sum_forces(&mut self) {
        if self.summed {
            return;
        }
        let Pack { touching, pulls, sums, extras, first, of_ball, places, .. } = self;
        let has_extras = !extras.is_empty();
        sums.par_iter_mut().enumerate().with_min_len(BALLS).for_each(|(ball, sum)| {
            let (mut force, mut turn) = (D::Vector::ZERO, D::Spin::ZERO);
            for &entry in &of_ball[first[ball] as usize..first[ball + 1] as usize] {
                let number = (entry / 2) as usize;
                if touching[number] || (has_extras && extras[number].volume > 0.0) {
                    let (f, t) = pulls[number];
                    let second = entry % 2 == 1;
                    force = if second { force + f } else { force - f };
                    turn -= t;
                    if has_extras {
                        let torque = extras[number].torque * (1.0 / places[ball].radius);
                        turn = if second { turn + torque } else { turn - torque };
                    }
                }
            }
            *sum = (force, turn);
        });
        self.summed = true;
    }

    /// Gives the forces found to the bodies for the time `kick`, then moves all for the time `drift`.
    pub fn kick_and_drift(&mut self, world: &mut World<D>, kick: f64, drift: f64) {
        self.sum_forces();
        let Pack { places, moving, balls, sums, loaded, gravity, walls, .. } = self;
        let outside = |loaded: &Loaded<D>| {
            let (force, turn) = sums[loaded.ball as usize];
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
        let fastest = (places.par_chunks_mut(BALLS), moving.par_chunks_mut(BALLS), balls.par_chunks_mut(BALLS))
            .into_par_iter()
            .zip(sums.par_chunks_mut(BALLS))
            .map(|((places, moving, balls), sums)| {
                let mut fastest = 0.0;
                for (((place, moving), ball), sum) in places.iter_mut().zip(moving).zip(balls).zip(sums) {
                    // The sums are empty for the next evaluation.
                    let (force, turn) = std::mem::replace(sum, (D::Vector::ZERO, D::Spin::ZERO));
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
                    moving.velocity = ball.velocity + a * (0.5 * drift);
                    moving.spin = ball.spin + b * (0.5 * drift);
                    let relative = ball.velocity - list_drift;
                    fastest = f64::max(fastest, relative.dot(relative));
                }
                fastest
            })
            .reduce(|| 0.0, f64::max);
        self.slack -= fastest.sqrt() * drift;
        for (loaded, &(a, b)) in loaded.iter().zip(&outside) {
            let moving = &mut moving[loaded.ball as usize];
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
    moving: &'a [Moving<D>],
    walls: &'a [Wall<D>],
    shifts: &'a [D::Vector],
    surfaces: &'a [SurfaceLaw],
    springs: &'a Springs,
    moment: Moment,
}

/// The evaluation of some pairs, at most [`PAIRS`].
struct Evaluation<'a, D: Dim> {
    scenery: &'a Scenery<'a, D>,
    pairs: &'a [Listed],
    kinds: &'a [Kind],
    touching: &'a mut [bool],
    memories: &'a mut [Kept<D>],
    losses: &'a mut Losses,
    give: Give<'a, D>,
}

/// Where the forces go: to the pairs, or to the balls at once. Forces of walls stay with the pairs in any case.
struct Give<'a, D: Dim> {
    pulls: &'a mut [(D::Vector, D::Spin)],
    sums: Option<&'a mut [(D::Vector, D::Spin)]>,
}

impl<D: Dim> Give<'_, D> {
    #[inline(always)]
    fn give(&mut self, i: usize, pair: Listed, force: D::Vector, turn: D::Spin) {
        let Some(sums) = &mut self.sums else {
            self.pulls[i] = (force, turn);
            return;
        };
        if pair.wall() {
            self.pulls[i] = (force, turn);
        } else {
            let sum = &mut sums[pair.first()];
            *sum = (sum.0 - force, sum.1 - turn);
        }
        // The arms are r₁n and −r₂n: n × f turns both the same way.
        let sum = &mut sums[pair.second()];
        *sum = (sum.0 + force, sum.1 - turn);
    }
}

impl<D: Dim> WideLoop for Evaluation<'_, D> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Evaluation { scenery, pairs, kinds, touching, memories, losses, mut give } = self;
        let Scenery { places, surfaces, springs, moment, .. } = *scenery;
        // First who touches, without a branch for each pair; then the forces of those alone, many side by side.
        let mut found = [0_u16; PAIRS];
        let mut count = 0;
        for (i, (&pair, touching)) in pairs.iter().zip(touching).enumerate() {
            let touches = if pair.plain() {
                let (first, second) = (&places[pair.first()], &places[pair.second()]);
                let (away, sum) = (second.position - first.position, first.radius + second.radius);
                away.dot(away) < sum * sum
            } else {
                scenery.touches(pair, kinds[i])
            };
            found[count] = i as u16;
            count += usize::from(touches);
            if *touching & !touches {
                // What is left in the tangential spring is lost with the contact.
                let Memory { spring, touched, .. } = memories[i].memory;
                losses.tangential += springs.energy::<D>(0.0, spring, D::Spin::ZERO);
                memories[i].memory = Memory { touched, ..Memory::default() };
            }
            *touching = touches;
        }
        let mut batch = Batch::new();
        for group in found[..count].chunks(BATCH) {
            for (place, &i) in group.iter().enumerate() {
                let i = usize::from(i);
                let entry = scenery.entry(pairs[i], kinds[i], &memories[i]);
                batch.put(place, &entry, &surfaces[kinds[i].surface as usize]);
            }
            batch.compute(group.len(), springs, moment.step);
            for (place, &i) in group.iter().enumerate() {
                let i = usize::from(i);
                let ContactOutput { force, turn, spring, slid, dashpots, slip_loss } = batch.take::<D>(place);
                let kept = &mut memories[i];
                kept.memory = Memory { spring, slid, touched: true };
                kept.impulse += force * moment.weight;
                give.give(i, pairs[i], force, turn);
                losses.normal += dashpots[0] * moment.weight;
                losses.tangential += dashpots[1] * moment.weight + slip_loss;
            }
        }
    }
}

impl<D: Dim> Scenery<'_, D> {
    /// Where the image of body 2 is that a pair meets.
    #[inline(always)]
    fn image(&self, pair: Listed, kind: Kind) -> D::Vector {
        let position = self.places[pair.second()].position;
        if kind.shift == 0 { position } else { position + self.shifts[kind.shift as usize] }
    }

    /// Whether a pair with a wall or with an image touches.
    fn touches(&self, pair: Listed, kind: Kind) -> bool {
        let (at, radius) = (self.image(pair, kind), self.places[pair.second()].radius);
        if pair.wall() {
            wall_gap(self.world, &self.walls[pair.first()], at, radius).gap < 0.0
        } else {
            let first = &self.places[pair.first()];
            let (away, sum) = (at - first.position, first.radius + radius);
            away.dot(away) < sum * sum
        }
    }

    /// How the bodies of a pair that touches meet.
    #[inline(always)]
    fn entry(&self, pair: Listed, kind: Kind, kept: &Kept<D>) -> ContactInput<D> {
        let (at, radius) = (self.image(pair, kind), self.places[pair.second()].radius);
        let two = &self.moving[pair.second()];
        let (away, reach, velocity, turning, spins) = if pair.wall() {
            self.meet_wall(&self.walls[pair.first()], at, radius, two)
        } else {
            let (first, one) = (&self.places[pair.first()], &self.moving[pair.first()]);
            let turning = one.spin * first.radius + two.spin * radius;
            (at - first.position, first.radius + radius, two.velocity - one.velocity, turning, one.spin + two.spin)
        };
        let Memory { spring, slid, .. } = kept.memory;
        ContactInput { away, reach, velocity, turning, spins, spring, damping: kept.damping, slid }
    }

    /// How a ball meets a wall, in the words of a batch.
    fn meet_wall(
        &self,
        wall: &Wall<D>,
        ball: D::Vector,
        radius: f64,
        moving: &Moving<D>,
    ) -> (D::Vector, f64, D::Vector, D::Spin, D::Spin) {
        let Geometry { normal, point, gap, .. } = wall_gap(self.world, wall, ball, radius);
        let arm = point - self.world.state.position[wall.body as usize];
        let surface = wall.moving.velocity + D::cross(wall.moving.spin, arm);
        let spins = wall.moving.spin + moving.spin;
        (normal * radius, radius - gap, moving.velocity - surface, moving.spin * radius, spins)
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
