//! The loops of molecular dynamics over pairs and balls: forces, their sums in a fixed order, kick and drift.

use super::law::{Meeting, Memory, Pull, Springs, Surface, Turning, pull, resist};
use super::pack::{Kept, Listed, Loaded, Losses, Moment, Moving, PAIRS, Pack, Place, Wall, plane_normal};
use crate::detect::{Geometry, Placed, gap};
use crate::shape::Shape;
use crate::world::World;
use rayon::prelude::*;
use riprap_solve::{Dim, Task, Vector, widest};

/// Balls that one task moves.
const BALLS: usize = 512;

impl<D: Dim> Pack<D> {
    /// The forces of all pairs as they are now. One thread gives them to the balls at once; several threads leave them
    /// with the pairs, for each ball to collect its own. Both add the same numbers in the same order.
    pub fn evaluate(&mut self, world: &World<D>, moment: Moment) {
        let Pack { places, moving, walls, pairs, memories, pulls, sums, losses, shifts, surfaces, springs, .. } = self;
        let scenery = Scenery { world, places, moving, walls, shifts, surfaces, springs, moment };
        self.summed = rayon::current_num_threads() == 1 && self.extras.is_empty();
        if self.summed {
            sums.fill((D::Vector::ZERO, D::Spin::ZERO));
            let chunks = pairs.chunks_mut(PAIRS).zip(memories.chunks_mut(PAIRS));
            for (((pairs, memories), pulls), losses) in chunks.zip(pulls.chunks_mut(PAIRS)).zip(losses) {
                let give = |i: usize, pair: &Listed, force: D::Vector, turn: D::Spin| {
                    if pair.wall {
                        pulls[i] = (force, turn);
                    } else {
                        let sum = &mut sums[pair.first as usize];
                        *sum = (sum.0 - force, sum.1 - turn);
                    }
                    // The arms are r₁n and −r₂n: n × f turns both the same way.
                    let sum = &mut sums[pair.second as usize];
                    *sum = (sum.0 + force, sum.1 - turn);
                };
                widest(Evaluation { scenery: &scenery, pairs, memories, losses, give });
            }
        } else {
            (pairs.par_chunks_mut(PAIRS), memories.par_chunks_mut(PAIRS))
                .into_par_iter()
                .zip((pulls.par_chunks_mut(PAIRS), losses.par_iter_mut()))
                .for_each(|((pairs, memories), (pulls, losses))| {
                    let give = |i: usize, _: &Listed, force, turn| pulls[i] = (force, turn);
                    widest(Evaluation { scenery: &scenery, pairs, memories, losses, give });
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
        let Pack { places, moving, walls, pairs, memories, extras, pulls, losses, shifts, surfaces, .. } = self;
        let (places, moving, walls, springs, liquid) = (&*places, &*moving, &*walls, &self.springs, &self.liquid);
        (pairs.par_chunks(PAIRS), memories.par_chunks(PAIRS), extras.par_chunks_mut(PAIRS))
            .into_par_iter()
            .zip((pulls.par_chunks_mut(PAIRS), losses.par_iter_mut()))
            .for_each(|((pairs, memories, extras), (pulls, losses))| {
                for (i, (pair, extra)) in pairs.iter().zip(extras).enumerate() {
                    if !pair.touching {
                        (extra.turn, extra.torque) = (D::Spin::ZERO, D::Spin::ZERO);
                        if extra.volume == 0.0 {
                            continue;
                        }
                    }
                    let second = &places[pair.second as usize];
                    let at = second.position + shifts[pair.shift as usize];
                    let moves = &moving[pair.second as usize];
                    let (normal, gap, radius, other) = if pair.wall {
                        let wall = &walls[pair.first as usize];
                        let geometry = wall_gap(world, wall, at, second.radius);
                        (geometry.normal, geometry.gap, second.radius, &wall.moving)
                    } else {
                        let first = &places[pair.first as usize];
                        let away = at - first.position;
                        let distance = away.length();
                        let normal = away.normalized().unwrap_or(D::Vector::axis(D::AXES - 1));
                        let reduced = first.radius * second.radius / (first.radius + second.radius);
                        let gap = distance - first.radius - second.radius;
                        (normal, gap, reduced, &moving[pair.first as usize])
                    };
                    if pair.touching {
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
                        let surface = &surfaces[pair.surface as usize];
                        let resistance = resist(springs, surface, &turning, &mut extra.turn, moment.step);
                        extra.torque = resistance.torque;
                        extra.torque_impulse += resistance.torque * moment.weight;
                        losses.rolling += resistance.rolling_loss[0] * moment.weight + resistance.rolling_loss[1];
                        losses.torsion += resistance.torsion_loss[0] * moment.weight + resistance.torsion_loss[1];
                    }
                    if let (Some(liquid), true) = (liquid, extra.volume > 0.0) {
                        let radii = [places[pair.first as usize].radius, second.radius];
                        let pull = normal * -liquid.attraction(radii, extra.volume, gap);
                        let touching = pair.touching;
                        pulls[i] = if touching { (pulls[i].0 + pull, pulls[i].1) } else { (pull, D::Spin::ZERO) };
                        extra.bridge_impulse += pull * moment.weight;
                        losses.bridges += pull.dot(moves.velocity - other.velocity) * moment.weight;
                    }
                }
            });
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
        for (number, pair) in self.pairs.iter().enumerate().filter(|(_, pair)| pair.wall && pair.touching) {
            let wall = &mut self.walls[pair.first as usize];
            if idle(wall) {
                continue;
            }
            let (force, _) = self.pulls[number];
            let ball = &self.places[pair.second as usize];
            let at = ball.position + self.shifts[pair.shift as usize];
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
        let Pack { pairs, pulls, sums, extras, first, of_ball, places, .. } = self;
        let has_extras = !extras.is_empty();
        sums.par_iter_mut().enumerate().with_min_len(BALLS).for_each(|(ball, sum)| {
            let (mut force, mut turn) = (D::Vector::ZERO, D::Spin::ZERO);
            for &entry in &of_ball[first[ball] as usize..first[ball + 1] as usize] {
                let number = (entry / 2) as usize;
                if pairs[number].touching || (has_extras && extras[number].volume > 0.0) {
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
        let outside = |loaded: &Loaded<D>, places: &[Place<D>]| {
            let (force, turn) = sums[loaded.ball as usize];
            let torque = turn * places[loaded.ball as usize].radius;
            let a = loaded.inverse_mass.scale(force) + loaded.outside.0;
            (a, loaded.inverse_inertia.scale(torque) + loaded.outside.1)
        };
        for loaded in loaded.iter() {
            let (a, b) = outside(loaded, places);
            let ball = &mut balls[loaded.ball as usize];
            ball.velocity += a * kick;
            ball.spin += b * kick;
        }
        let gravity = *gravity;
        let list_drift = world.state.search.drift;
        let fastest = (places.par_chunks_mut(BALLS), moving.par_chunks_mut(BALLS), balls.par_chunks_mut(BALLS))
            .into_par_iter()
            .zip(sums.par_chunks(BALLS))
            .map(|((places, moving, balls), sums)| {
                let mut fastest = 0.0;
                for (((place, moving), ball), (force, turn)) in places.iter_mut().zip(moving).zip(balls).zip(sums) {
                    let mut a = *force * ball.inverse_mass;
                    if ball.inverse_mass > 0.0 {
                        a += gravity;
                    }
                    let b = *turn * (place.radius * ball.inverse_inertia);
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
        for loaded in loaded.iter() {
            let (a, b) = outside(loaded, places);
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
    /// drifted. As long as the fastest ball since the last look cannot have got there, nobody looks.
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
    surfaces: &'a [Surface],
    springs: &'a Springs,
    moment: Moment,
}

impl<D: Dim> Scenery<'_, D> {
    /// Where the image of body 2 is that a pair meets.
    #[inline(always)]
    fn image(&self, pair: &Listed) -> D::Vector {
        let position = self.places[pair.second as usize].position;
        if pair.shift == 0 { position } else { position + self.shifts[pair.shift as usize] }
    }
}

/// The evaluation of some pairs, at most [`PAIRS`]. It gives away the force of each that touches: its number, the pair,
/// the force on body 2 and `n × f`.
struct Evaluation<'a, D: Dim, G> {
    scenery: &'a Scenery<'a, D>,
    pairs: &'a mut [Listed],
    memories: &'a mut [Kept<D>],
    losses: &'a mut Losses,
    give: G,
}

impl<D: Dim, G: FnMut(usize, &Listed, D::Vector, D::Spin)> Task for Evaluation<'_, D, G> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Evaluation { scenery, pairs, memories, losses, mut give } = self;
        let Scenery { world, places, moving, walls, surfaces, springs, moment, .. } = *scenery;
        // First who touches, without a branch for each pair; then the forces of those alone.
        let mut touching = [0_u16; PAIRS];
        let mut count = 0;
        for (i, pair) in pairs.iter_mut().enumerate() {
            let (second, at) = (&places[pair.second as usize], scenery.image(pair));
            let touches = if pair.wall {
                wall_gap(world, &walls[pair.first as usize], at, second.radius).gap < 0.0
            } else {
                let first = &places[pair.first as usize];
                let (away, sum) = (at - first.position, first.radius + second.radius);
                away.dot(away) < sum * sum
            };
            touching[count] = i as u16;
            count += usize::from(touches);
            if pair.touching & !touches {
                let touched = memories[i].memory.touched;
                memories[i].memory = Memory { touched, ..Memory::default() };
            }
            pair.touching = touches;
        }
        for i in touching[..count].iter().map(|&i| usize::from(i)) {
            let (pair, kept) = (&pairs[i], &mut memories[i]);
            let (second, at) = (&places[pair.second as usize], scenery.image(pair));
            let moves = &moving[pair.second as usize];
            let meeting = if pair.wall {
                meet_wall(world, &walls[pair.first as usize], at, second.radius, moves)
            } else {
                let first = pair.first as usize;
                meet_balls(&places[first], &moving[first], at, second.radius, moves)
            };
            kept.memory.touched = true;
            let surface = &surfaces[pair.surface as usize];
            let pull: Pull<D> = pull(springs, surface, &meeting, kept.damping, &mut kept.memory, moment.step);
            kept.impulse += pull.force * moment.weight;
            losses.normal += pull.normal_loss * moment.weight;
            losses.tangential += pull.tangential_loss * moment.weight + pull.slip_loss;
            give(i, pair, pull.force, D::wedge(meeting.normal, pull.force));
        }
    }
}

/// How two balls that overlap meet.
#[inline(always)]
fn meet_balls<D: Dim>(
    first: &Place<D>,
    one: &Moving<D>,
    second: D::Vector,
    radius: f64,
    two: &Moving<D>,
) -> Meeting<D> {
    let away = second - first.position;
    let distance = away.length();
    let normal = if distance > 0.0 { away * (1.0 / distance) } else { D::Vector::axis(D::AXES - 1) };
    let turning = one.spin * first.radius + two.spin * radius;
    Meeting {
        normal,
        overlap: first.radius + radius - distance,
        velocity: two.velocity - one.velocity - D::cross(turning, normal),
        spins: one.spin + two.spin,
    }
}

/// How a ball that overlaps a wall meets it.
#[inline(always)]
fn meet_wall<D: Dim>(
    world: &World<D>,
    wall: &Wall<D>,
    second: D::Vector,
    radius: f64,
    moving: &Moving<D>,
) -> Meeting<D> {
    let geometry = wall_gap(world, wall, second, radius);
    let normal = geometry.normal;
    let arm = geometry.point - world.state.position[wall.body as usize];
    let surface = wall.moving.velocity + D::cross(wall.moving.spin, arm);
    Meeting {
        normal,
        overlap: -geometry.gap,
        velocity: moving.velocity - D::cross(moving.spin, normal * radius) - surface,
        spins: wall.moving.spin + moving.spin,
    }
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
