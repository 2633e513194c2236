//! Bodies and pairs packed for the loops of molecular dynamics: balls in the order of space, and what each loop reads
//! close together. A pack is made from the state at the start of a window and unpacked at its end.

use super::law::{Meeting, Memory, Pull, Springs, Surface, Turning, pull, resist};
use super::{Damping, Soft};
use crate::detect::{Geometry, Placed, gap};
use crate::law::capillary::Liquid;
use crate::material::PairLaw;
use crate::shape::Shape;
use crate::world::{External, World};
use rayon::prelude::*;
use riprap_solve::{Dim, Vector};
use rustc_hash::FxHashMap;

/// Pairs that one task evaluates; the losses of a task are summed on their own.
const PAIRS: usize = 1024;
/// Balls that one task moves.
const BALLS: usize = 512;

/// All that the loops work on.
#[derive(Default)]
pub(super) struct Pack<D: Dim> {
    /// Where the balls are, as the loop over pairs first looks at them.
    places: Vec<Place<D>>,
    /// How the balls move, as the dashpots and tangential springs see it.
    moving: Vec<Moving<D>>,
    /// What only the loop over balls needs.
    pub balls: Vec<Ball<D>>,
    /// The balls that have more acting on them than gravity and contacts.
    loaded: Vec<Loaded<D>>,
    gravity: D::Vector,
    /// The walls.
    pub walls: Vec<Wall<D>>,
    /// The listed pairs, in the order of the list.
    pub pairs: Vec<Listed>,
    /// What each pair remembers.
    pub memories: Vec<Kept<D>>,
    /// Torques and bridges of each pair; empty if the world has neither.
    pub extras: Vec<Extra<D>>,
    /// Whether each pair pulls or pushes now.
    acting: Vec<bool>,
    /// The force of each pair that acts, on body 2, and `n × f`, from which the torques on both follow.
    pulls: Vec<(D::Vector, D::Spin)>,
    /// The sums of these, force and torque over radius, for each ball.
    sums: Vec<(D::Vector, D::Spin)>,
    /// The pairs of each ball: those from `first[ball]` to `first[ball + 1]` in `of_ball`, as twice the pair's number and
    /// the side of the ball. They are in the order of the list, which fixes the order of every sum.
    first: Vec<u32>,
    of_ball: Vec<u32>,
    /// The distinct shifts by whole periods.
    shifts: Vec<D::Vector>,
    surfaces: Vec<Surface>,
    springs: Springs,
    liquid: Option<Liquid>,
    /// What the tasks of the loop over pairs have lost so far.
    losses: Vec<Losses>,
    pub evaluations: u64,
}

#[derive(Clone, Copy, Default)]
struct Place<D: Dim> {
    position: D::Vector,
    radius: f64,
}

#[derive(Clone, Copy, Default)]
struct Moving<D: Dim> {
    velocity: D::Vector,
    spin: D::Spin,
}

/// A ball between two evaluations of forces.
#[derive(Clone, Copy)]
pub(super) struct Ball<D: Dim> {
    /// Half a step after the last force, and at the ends of the window at the same time as the position.
    pub velocity: D::Vector,
    pub spin: D::Spin,
    /// By how much it has turned in this window.
    pub turned: D::Spin,
    /// Zero for a ball that is not free.
    inverse_mass: f64,
    inverse_inertia: f64,
    /// Where the list of pairs was made, and the square of how far it may go from there against the drift.
    listed_at: D::Vector,
    reach: f64,
    pub body: u32,
}

/// A ball under loads of its own, or with freedoms that are ruled one by one.
struct Loaded<D: Dim> {
    ball: u32,
    /// Acceleration and change of spin from outside.
    outside: (D::Vector, D::Spin),
    /// Of a ball that is not free; zero along and about the axes on which its velocity is imposed, and for free balls,
    /// whose contact forces are in the loop over all.
    inverse_mass: D::Vector,
    inverse_inertia: D::Spin,
}

/// A wall, of whatever shape. Its place and motion are in the world's state.
pub(super) struct Wall<D: Dim> {
    pub body: u32,
    /// Zero along and about the axes on which its velocity is imposed.
    inverse_mass: D::Vector,
    inverse_inertia: D::Spin,
    loaded: bool,
    outside: (D::Vector, D::Spin),
    /// As the dashpots see it.
    moving: Moving<D>,
    /// By how much it has turned in this window.
    turned: D::Spin,
    /// The normal of a plane as it stands now.
    plane: Option<D::Vector>,
    /// From its contacts, in the last evaluation.
    force: D::Vector,
    torque: D::Spin,
}

/// A pair of the list in the numbers of the pack.
#[derive(Clone, Copy)]
pub(super) struct Listed {
    /// Body 1, among the balls or among the walls; body 2 is always a ball.
    first: u32,
    second: u32,
    shift: u32,
    surface: u32,
    /// Body 1 is a wall.
    wall: bool,
    /// It touches now.
    pub touching: bool,
}

/// What is kept of a pair from one evaluation to the next.
#[derive(Clone, Copy, Default)]
pub(super) struct Kept<D: Dim> {
    pub memory: Memory<D>,
    /// Momentum that its contact has given to body 2 in this window.
    pub impulse: D::Vector,
    /// Normal dashpot.
    damping: f64,
}

/// What is kept of a pair that may have a contact torque or a bridge.
#[derive(Clone, Copy, Default)]
pub(super) struct Extra<D: Dim> {
    /// The spring of rolling and torsion.
    pub turn: D::Spin,
    /// The torque on body 2 now, and what it has given in this window.
    torque: D::Spin,
    pub torque_impulse: D::Spin,
    /// Liquid in the bridge, and the momentum that it has given to body 2 in this window.
    pub volume: f64,
    pub bridge_impulse: D::Vector,
}

/// Energies lost since the start of the window, and the work of imposed velocities and of bridges.
#[derive(Clone, Copy, Default)]
pub(super) struct Losses {
    pub normal: f64,
    pub tangential: f64,
    pub rolling: f64,
    pub torsion: f64,
    pub bridges: f64,
    pub drivers: f64,
}

/// How a step of integration treats one evaluation of forces.
#[derive(Clone, Copy)]
pub(super) struct Moment {
    /// Time since the last evaluation.
    pub step: f64,
    /// The time that the forces found stand for.
    pub weight: f64,
}

impl<D: Dim> Pack<D> {
    /// Packs the bodies and the listed pairs of a world; memories are put in by the caller.
    pub fn new(world: &World<D>, soft: &Soft, external: &External<D>) -> Self {
        let mut pack = Pack {
            springs: Springs::new::<D>(soft),
            gravity: external.gravity,
            liquid: world.liquid,
            ..Pack::default()
        };
        let (state, search) = (&world.state, &world.state.search);
        let mut slot = vec![u32::MAX; world.bodies.len()];
        for &index in &world.cache.pairs.order {
            let body = index as usize;
            let this = &world.bodies[body];
            let (force, torque) = external.on(body);
            let (velocity, spin) = (state.velocity[body], state.spin[body]);
            let moving = Moving { velocity, spin };
            let inverse = |x: f64| if x > 0.0 { 1.0 / x } else { 0.0 };
            let (mass, inertia) = (world.mass_along_axes(body), world.inertia_about_axes(body));
            let inverse_mass = D::Vector::from_fn(|i| inverse(mass.get(i)));
            let inverse_inertia = D::Spin::from_fn(|i| inverse(inertia.get(i)));
            let outside = (inverse_mass.scale(force), inverse_inertia.scale(torque));
            let Some(radius) = this.shape.ball_radius() else {
                slot[body] = pack.walls.len() as u32;
                pack.walls.push(Wall {
                    body: index,
                    inverse_mass,
                    inverse_inertia,
                    loaded: !this.is_imposed(),
                    outside,
                    moving,
                    turned: D::Spin::ZERO,
                    plane: plane_normal(&this.shape, state.orientation[body]),
                    force: D::Vector::ZERO,
                    torque: D::Spin::ZERO,
                });
                continue;
            };
            slot[body] = pack.balls.len() as u32;
            let free = this.is_free();
            if !free || outside != (D::Vector::ZERO, D::Spin::ZERO) {
                let (inverse_mass, inverse_inertia) =
                    if free { (D::Vector::ZERO, D::Spin::ZERO) } else { (inverse_mass, inverse_inertia) };
                pack.loaded.push(Loaded { ball: slot[body], outside, inverse_mass, inverse_inertia });
            }
            pack.places.push(Place { position: state.position[body], radius });
            pack.moving.push(moving);
            pack.balls.push(Ball {
                velocity,
                spin,
                turned: D::Spin::ZERO,
                inverse_mass: if free { 1.0 / this.mass } else { 0.0 },
                inverse_inertia: if free { 1.0 / this.inertia.get(0) } else { 0.0 },
                listed_at: search.position[body],
                reach: search.reach[body] * search.reach[body],
                body: index,
            });
        }
        pack.list(world, soft, &slot);
        pack
    }

    /// The pairs of the world's list, and which of them each ball has.
    fn list(&mut self, world: &World<D>, soft: &Soft, slot: &[u32]) {
        let count = world.materials.names().len() as u16;
        for (a, b) in (0..count).flat_map(|a| (0..count).map(move |b| (a, b))) {
            let law = world.materials.pair(a, b);
            self.surfaces.push(Surface {
                static_friction: law.static_friction,
                dynamic_friction: law.dynamic_friction,
                rolling: law.rolling,
                torsion: law.torsion,
                damping_ratio: super::damping_ratio(law.normal_restitution, soft.clamp),
            });
        }
        // The lightest resistance of each body to a push, for the dashpots.
        let inverse_mass: Vec<f64> = (0..world.bodies.len())
            .map(|body| {
                let mass = world.mass_along_axes(body);
                (0..D::AXES).map(|i| mass.get(i)).filter(|&m| m > 0.0).fold(0.0, |most, m| f64::max(most, 1.0 / m))
            })
            .collect();
        let mut known = FxHashMap::default();
        let pairs = &world.cache.pairs.pairs;
        self.pairs.reserve_exact(pairs.len());
        self.memories.reserve_exact(pairs.len());
        for pair in pairs {
            let [a, b] = pair.bodies.map(|body| body as usize);
            let shift = if pair.offset == [0; 3] && !self.shifts.is_empty() {
                0
            } else {
                if self.shifts.is_empty() {
                    self.shifts.push(D::Vector::ZERO);
                    known.insert([0; 3], 0);
                }
                *known.entry(pair.offset).or_insert_with(|| {
                    self.shifts.push(world.state.cell.shift(pair.offset));
                    self.shifts.len() as u32 - 1
                })
            };
            let surface = u32::from(world.bodies[a].material) * u32::from(count) + u32::from(world.bodies[b].material);
            let damping = match soft.damping {
                Damping::Given(damping) => damping,
                Damping::FromRestitution => {
                    // γ = 2ζ√(k m*); nothing resists where no body can move.
                    let inverse = inverse_mass[a] + inverse_mass[b];
                    let ratio = self.surfaces[surface as usize].damping_ratio;
                    if inverse > 0.0 { 2.0 * ratio * (soft.stiffness / inverse).sqrt() } else { 0.0 }
                }
            };
            self.pairs.push(Listed {
                first: slot[a],
                second: slot[b],
                shift,
                surface,
                wall: world.bodies[a].shape.ball_radius().is_none(),
                touching: false,
            });
            self.memories.push(Kept { damping, ..Kept::default() });
        }
        self.acting = vec![false; pairs.len()];
        self.pulls = vec![Default::default(); pairs.len()];
        self.sums = vec![Default::default(); self.balls.len()];
        if self.liquid.is_some() || world.materials.laws().any(PairLaw::has_torques) {
            self.extras = vec![Extra::default(); pairs.len()];
        }
        self.losses = vec![Losses::default(); pairs.len().div_ceil(PAIRS)];

        // Counting sort by ball keeps the order of the list for each of them.
        let mut first = vec![0_u32; self.balls.len() + 1];
        let sides = |pair: &Listed| [(!pair.wall).then_some(pair.first), Some(pair.second)];
        for ball in self.pairs.iter().flat_map(sides).flatten() {
            first[ball as usize + 1] += 1;
        }
        for ball in 0..self.balls.len() {
            first[ball + 1] += first[ball];
        }
        let mut next = first.clone();
        self.of_ball = vec![0; first[self.balls.len()] as usize];
        for (number, pair) in self.pairs.iter().enumerate() {
            for (side, ball) in sides(pair).into_iter().enumerate().filter_map(|(side, ball)| Some((side, ball?))) {
                let place = &mut next[ball as usize];
                self.of_ball[*place as usize] = (2 * number + side) as u32;
                *place += 1;
            }
        }
        self.first = first;
    }

    /// The forces of all pairs as they are now.
    pub fn evaluate(&mut self, world: &World<D>, moment: Moment) {
        let Pack { places, moving, walls, pairs, memories, acting, pulls, losses, shifts, surfaces, springs, .. } =
            self;
        let (places, moving, walls) = (&*places, &*moving, &*walls);
        (pairs.par_chunks_mut(PAIRS), memories.par_chunks_mut(PAIRS), acting.par_chunks_mut(PAIRS))
            .into_par_iter()
            .zip((pulls.par_chunks_mut(PAIRS), losses.par_iter_mut()))
            .for_each(|((pairs, memories, acting), (pulls, losses))| {
                // First who touches, without a branch for each pair; then the forces of those alone.
                let mut touching = [0_u16; PAIRS];
                let mut count = 0;
                for (i, (pair, acting)) in pairs.iter_mut().zip(acting).enumerate() {
                    let second = &places[pair.second as usize];
                    let at = second.position + shifts[pair.shift as usize];
                    let touches = if pair.wall {
                        wall_gap(world, &walls[pair.first as usize], at, second.radius).gap < 0.0
                    } else {
                        let first = &places[pair.first as usize];
                        let (away, sum) = (at - first.position, first.radius + second.radius);
                        away.dot(away) < sum * sum
                    };
                    touching[count] = i as u16;
                    count += usize::from(touches);
                    *acting = touches;
                    if pair.touching & !touches {
                        let touched = memories[i].memory.touched;
                        memories[i].memory = Memory { touched, ..Memory::default() };
                    }
                    pair.touching = touches;
                }
                for i in touching[..count].iter().map(|&i| usize::from(i)) {
                    let (pair, kept) = (&pairs[i], &mut memories[i]);
                    let second = &places[pair.second as usize];
                    let at = second.position + shifts[pair.shift as usize];
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
                    pulls[i] = (pull.force, D::wedge(meeting.normal, pull.force));
                }
            });
        self.evaluations += 1;
        if !self.extras.is_empty() {
            self.evaluate_extras(world, moment);
        }
        self.load_walls(world, moment.weight);
    }

    /// Contact torques and bridges, on top of the forces of contacts.
    fn evaluate_extras(&mut self, world: &World<D>, moment: Moment) {
        let Pack { places, moving, walls, pairs, memories, extras, acting, pulls, losses, shifts, surfaces, .. } = self;
        let (places, moving, walls, springs, liquid) = (&*places, &*moving, &*walls, &self.springs, &self.liquid);
        (pairs.par_chunks(PAIRS), memories.par_chunks(PAIRS), extras.par_chunks_mut(PAIRS))
            .into_par_iter()
            .zip((acting.par_chunks_mut(PAIRS), pulls.par_chunks_mut(PAIRS), losses.par_iter_mut()))
            .for_each(|((pairs, memories, extras), (acting, pulls, losses))| {
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
                        pulls[i] = if acting[i] { (pulls[i].0 + pull, pulls[i].1) } else { (pull, D::Spin::ZERO) };
                        acting[i] = true;
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

    /// The sums of all forces for each ball, in the order of the list. One thread walks the list and gives each force to
    /// both sides; several threads have each ball collect its own. Both add the same numbers in the same order.
    fn sum_forces(&mut self) {
        let Pack { pairs, acting, pulls, sums, extras, first, of_ball, places, .. } = self;
        let rolling = |number: usize, ball: usize| extras[number].torque * (1.0 / places[ball].radius);
        if rayon::current_num_threads() == 1 {
            sums.fill((D::Vector::ZERO, D::Spin::ZERO));
            for (number, pair) in pairs.iter().enumerate().filter(|(number, _)| acting[*number]) {
                let (force, turn) = pulls[number];
                // The arms are r₁n and −r₂n: n × f turns both the same way.
                if !pair.wall {
                    let sum = &mut sums[pair.first as usize];
                    *sum = (sum.0 - force, sum.1 - turn);
                }
                let sum = &mut sums[pair.second as usize];
                *sum = (sum.0 + force, sum.1 - turn);
                if !extras.is_empty() {
                    if !pair.wall {
                        sums[pair.first as usize].1 -= rolling(number, pair.first as usize);
                    }
                    sums[pair.second as usize].1 += rolling(number, pair.second as usize);
                }
            }
            return;
        }
        sums.par_iter_mut().enumerate().with_min_len(BALLS).for_each(|(ball, sum)| {
            let (mut force, mut turn) = (D::Vector::ZERO, D::Spin::ZERO);
            for &entry in &of_ball[first[ball] as usize..first[ball + 1] as usize] {
                let number = (entry / 2) as usize;
                if acting[number] {
                    let (f, t) = pulls[number];
                    let second = entry % 2 == 1;
                    force = if second { force + f } else { force - f };
                    turn -= t;
                    if !extras.is_empty() {
                        let torque = rolling(number, ball);
                        turn = if second { turn + torque } else { turn - torque };
                    }
                }
            }
            *sum = (force, turn);
        });
    }

    /// Gives the forces found to the bodies for the time `kick`, then moves all for the time `drift`. True if the list
    /// of pairs still holds where the balls are then; `drifted` is how far the list has drifted.
    pub fn kick_and_drift(&mut self, world: &mut World<D>, kick: f64, drift: f64, drifted: D::Vector) -> bool {
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
        let holds = (places.par_chunks_mut(BALLS), moving.par_chunks_mut(BALLS), balls.par_chunks_mut(BALLS))
            .into_par_iter()
            .zip(sums.par_chunks(BALLS))
            .map(|((places, moving, balls), sums)| {
                let mut holds = true;
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
                    let gone = place.position - ball.listed_at - drifted;
                    holds &= gone.dot(gone) <= ball.reach;
                }
                holds
            })
            .reduce(|| true, |a, b| a && b);
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
        holds
    }

    /// Where a ball is.
    pub fn position(&self, ball: usize) -> D::Vector {
        self.places[ball].position
    }

    /// By how much each body has turned in this window.
    pub fn turned(&self) -> impl Iterator<Item = (usize, D::Spin)> {
        let balls = self.balls.iter().map(|ball| (ball.body as usize, ball.turned));
        balls.chain(self.walls.iter().map(|wall| (wall.body as usize, wall.turned)))
    }

    /// Takes over how the balls and walls move, by body, from a pack that was made for another list.
    pub fn carry_on(&mut self, from: &Pack<D>, bodies: usize) {
        let mut slot = vec![u32::MAX; bodies];
        for (number, ball) in from.balls.iter().enumerate() {
            slot[ball.body as usize] = number as u32;
        }
        for (ball, moving) in self.balls.iter_mut().zip(&mut self.moving) {
            let old = slot[ball.body as usize] as usize;
            *moving = from.moving[old];
            let Ball { velocity, spin, turned, .. } = from.balls[old];
            (ball.velocity, ball.spin, ball.turned) = (velocity, spin, turned);
        }
        // Walls are in the order of bodies in every list.
        for (wall, old) in self.walls.iter_mut().zip(&from.walls) {
            (wall.moving, wall.turned) = (old.moving, old.turned);
        }
        self.evaluations = from.evaluations;
        let total = from.losses();
        if self.losses.is_empty() {
            self.losses.push(total);
        } else {
            self.losses[0] = total;
        }
    }

    /// What has been lost since the start of the window.
    pub fn losses(&self) -> Losses {
        self.losses.iter().fold(Losses::default(), |sum, part| Losses {
            normal: sum.normal + part.normal,
            tangential: sum.tangential + part.tangential,
            rolling: sum.rolling + part.rolling,
            torsion: sum.torsion + part.torsion,
            bridges: sum.bridges + part.bridges,
            drivers: sum.drivers + part.drivers,
        })
    }

    /// Energy of a pair of that gap and reduced radius.
    pub fn energy(&self, number: usize, gap: f64, radius: f64) -> f64 {
        let turn = self.extras.get(number).map_or(D::Spin::ZERO, |extra| extra.turn);
        self.springs.energy::<D>(f64::max(-gap, 0.0), self.memories[number].memory.spring, turn * radius)
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
#[inline]
fn wall_gap<D: Dim>(world: &World<D>, wall: &Wall<D>, ball: D::Vector, radius: f64) -> Geometry<D> {
    let body = wall.body as usize;
    if let Some(normal) = wall.plane {
        let gap = normal.dot(ball - world.state.position[body]) - radius;
        return Geometry { normal, gap, point: ball - normal * (radius + 0.5 * gap), feature: 0 };
    }
    let first = Placed {
        shape: &world.bodies[body].shape,
        position: world.state.position[body],
        orientation: world.state.orientation[body],
    };
    let shape = Shape::Ball { radius };
    gap(first, Placed { shape: &shape, position: ball, orientation: D::Orientation::default() })
}

/// The normal of a plane that is turned like this; none for every other shape.
fn plane_normal<D: Dim>(shape: &Shape<D>, orientation: D::Orientation) -> Option<D::Vector> {
    match shape {
        Shape::Plane { normal } => Some(D::rotate(orientation, *normal)),
        _ => None,
    }
}
