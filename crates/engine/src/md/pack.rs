//! Bodies and pairs packed for the loops of molecular dynamics: balls in the order of space, and what each loop reads
//! close together. A pack is made from the state at the start of a window and unpacked at its end.

use super::law::{Meeting, Memory, Pull, Springs, Surface, pull};
use super::{Damping, Soft};
use crate::detect::{Placed, gap};
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
    /// The walls.
    pub walls: Vec<Wall<D>>,
    /// The listed pairs, in the order of the list.
    pub pairs: Vec<Listed>,
    /// Memory of each pair.
    pub memories: Vec<Kept<D>>,
    /// Force of each pair, on body 2, and `n × f`, from which the torques on both follow.
    pulls: Vec<(D::Vector, D::Spin)>,
    /// The pairs of each ball: those from `first[ball]` to `first[ball + 1]` in `of_ball`, as twice the pair's number and
    /// the side of the ball. They are in the order of the list, which fixes the order of every sum.
    first: Vec<u32>,
    of_ball: Vec<u32>,
    /// The distinct shifts by whole periods.
    shifts: Vec<D::Vector>,
    surfaces: Vec<Surface>,
    springs: Springs,
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
    pub body: u32,
    /// Half a step after the last force, and at the ends of the window at the same time as the position.
    pub velocity: D::Vector,
    pub spin: D::Spin,
    /// By how much it has turned in this window.
    pub turned: D::Spin,
    /// Acceleration and change of spin from outside.
    outside: (D::Vector, D::Spin),
    /// Zero along and about the axes on which its velocity is imposed.
    inverse_mass: D::Vector,
    inverse_inertia: D::Spin,
    /// Where the list of pairs was made, and how far it may go from there against the drift.
    listed_at: D::Vector,
    reach: f64,
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
    /// It has touched in this window.
    pub touched: bool,
}

/// What is kept of a pair from one evaluation to the next.
#[derive(Clone, Copy, Default)]
pub(super) struct Kept<D: Dim> {
    pub memory: Memory<D>,
    /// Momentum that it has given to body 2 in this window.
    pub impulse: D::Vector,
    /// Normal dashpot.
    damping: f64,
}

/// Energies lost since the start of the window, and the work of imposed velocities.
#[derive(Clone, Copy, Default)]
pub(super) struct Losses {
    pub normal: f64,
    pub tangential: f64,
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
        let mut pack = Pack { springs: Springs::new::<D>(soft), ..Pack::default() };
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
                    force: D::Vector::ZERO,
                    torque: D::Spin::ZERO,
                });
                continue;
            };
            slot[body] = pack.balls.len() as u32;
            let gravity = if this.is_free() { external.gravity } else { D::Vector::ZERO };
            pack.places.push(Place { position: state.position[body], radius });
            pack.moving.push(moving);
            pack.balls.push(Ball {
                body: index,
                velocity,
                spin,
                turned: D::Spin::ZERO,
                outside: (outside.0 + gravity, outside.1),
                inverse_mass,
                inverse_inertia,
                listed_at: search.position[body],
                reach: search.reach[body],
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
                damping_ratio: super::damping_ratio(law.normal_restitution, soft.clamp),
            });
        }
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
                    self.shifts.push(world.cell.shift(pair.offset));
                    self.shifts.len() as u32 - 1
                })
            };
            let surface = u32::from(world.bodies[a].material) * u32::from(count) + u32::from(world.bodies[b].material);
            let inverse_mass = |body: usize| {
                let mass = world.mass_along_axes(body);
                (0..D::AXES).map(|i| mass.get(i)).filter(|&m| m > 0.0).fold(0.0, |most, m| f64::max(most, 1.0 / m))
            };
            let damping = match soft.damping {
                Damping::Given(damping) => damping,
                Damping::FromRestitution => {
                    // γ = 2ζ√(k m*); nothing resists where no body can move.
                    let inverse = inverse_mass(a) + inverse_mass(b);
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
                touched: false,
            });
            self.memories.push(Kept { damping, ..Kept::default() });
        }
        self.pulls = vec![Default::default(); pairs.len()];
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
        let Pack { places, moving, walls, pairs, memories, pulls, losses, shifts, surfaces, springs, .. } = self;
        let (places, moving, walls) = (&*places, &*moving, &*walls);
        (
            pairs.par_chunks_mut(PAIRS),
            memories.par_chunks_mut(PAIRS),
            pulls.par_chunks_mut(PAIRS),
            losses.par_iter_mut(),
        )
            .into_par_iter()
            .for_each(|(pairs, memories, pulls, losses)| {
                for ((pair, kept), out) in pairs.iter_mut().zip(memories).zip(pulls) {
                    let second = &places[pair.second as usize];
                    let at = second.position + shifts[pair.shift as usize];
                    let found = if !pair.wall {
                        let first = &places[pair.first as usize];
                        meet_balls(first, at, second.radius, || {
                            (&moving[pair.first as usize], &moving[pair.second as usize])
                        })
                    } else {
                        let wall = &walls[pair.first as usize];
                        meet_wall(world, wall, at, second.radius, &moving[pair.second as usize])
                    };
                    let Some(mut meeting) = found else {
                        if pair.touching {
                            pair.touching = false;
                            kept.memory = Memory::default();
                        }
                        continue;
                    };
                    pair.touching = true;
                    pair.touched = true;
                    meeting.damping = kept.damping;
                    let surface = &surfaces[pair.surface as usize];
                    let pull: Pull<D> = pull(springs, surface, &meeting, &mut kept.memory, moment.step);
                    kept.impulse += pull.force * moment.weight;
                    losses.normal += pull.normal_loss * moment.weight;
                    losses.tangential += pull.tangential_loss * moment.weight + pull.slip_loss;
                    *out = (pull.force, D::wedge(meeting.normal, pull.force));
                }
            });
        self.evaluations += 1;
        self.load_walls(world, moment.weight);
    }

    /// Force and torque on the walls that a load moves, and the work of the motions that are imposed.
    fn load_walls(&mut self, world: &World<D>, weight: f64) {
        for wall in &mut self.walls {
            (wall.force, wall.torque) = (D::Vector::ZERO, D::Spin::ZERO);
        }
        let idle = |wall: &Wall<D>| {
            !wall.loaded && wall.moving.velocity == D::Vector::ZERO && wall.moving.spin == D::Spin::ZERO
        };
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
            let body = wall.body as usize;
            let ball = &self.places[pair.second as usize];
            let at = ball.position + self.shifts[pair.shift as usize];
            let arm = geometry(world, wall.body, at, ball.radius).point - world.state.position[body];
            let torque = D::wedge(arm, force);
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

    /// Gives the forces found to the bodies for the time `kick`, then moves all for the time `drift`. True if the list
    /// of pairs still holds where the balls are then; `drifted` is how far the list has drifted.
    pub fn kick_and_drift(&mut self, world: &mut World<D>, kick: f64, drift: f64, drifted: D::Vector) -> bool {
        let Pack { places, moving, balls, pairs, pulls, first, of_ball, walls, .. } = self;
        let holds = (places.par_chunks_mut(BALLS), moving.par_chunks_mut(BALLS), balls.par_chunks_mut(BALLS))
            .into_par_iter()
            .enumerate()
            .map(|(chunk, (places, moving, balls))| {
                let mut holds = true;
                for (i, ((place, moving), ball)) in places.iter_mut().zip(moving).zip(balls).enumerate() {
                    let number = chunk * BALLS + i;
                    let (mut force, mut torque) = (D::Vector::ZERO, D::Spin::ZERO);
                    for &entry in &of_ball[first[number] as usize..first[number + 1] as usize] {
                        let pair = (entry / 2) as usize;
                        if pairs[pair].touching {
                            let (f, t) = pulls[pair];
                            force += if entry % 2 == 1 { f } else { -f };
                            // The arms are r₁n and −r₂n: n × f turns both the same way.
                            torque -= t;
                        }
                    }
                    let a = ball.inverse_mass.scale(force) + ball.outside.0;
                    let b = ball.inverse_inertia.scale(torque * place.radius) + ball.outside.1;
                    ball.velocity += a * kick;
                    ball.spin += b * kick;
                    place.position += ball.velocity * drift;
                    ball.turned += ball.spin * drift;
                    // At the end of the step the velocity will have gained half a step more; with the last acceleration
                    // that is known to second order.
                    moving.velocity = ball.velocity + a * (0.5 * drift);
                    moving.spin = ball.spin + b * (0.5 * drift);
                    let gone = place.position - ball.listed_at - drifted;
                    holds &= gone.dot(gone) <= ball.reach * ball.reach;
                }
                holds
            })
            .reduce(|| true, |a, b| a && b);
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
            drivers: sum.drivers + part.drivers,
        })
    }

    /// Energy of a contact of that overlap and spring.
    pub fn energy(&self, overlap: f64, spring: D::Vector) -> f64 {
        self.springs.energy::<D>(overlap, spring)
    }
}

/// How two balls meet, if they overlap. The motion is looked at only then.
#[inline(always)]
fn meet_balls<'a, D: Dim>(
    first: &Place<D>,
    second: D::Vector,
    radius: f64,
    moving: impl FnOnce() -> (&'a Moving<D>, &'a Moving<D>),
) -> Option<Meeting<D>> {
    let away = second - first.position;
    let sum = first.radius + radius;
    let square = away.dot(away);
    if square >= sum * sum {
        return None;
    }
    let distance = square.sqrt();
    let normal = if distance > 0.0 { away * (1.0 / distance) } else { D::Vector::axis(D::AXES - 1) };
    let (one, two) = moving();
    let turning = one.spin * first.radius + two.spin * radius;
    Some(Meeting {
        normal,
        overlap: sum - distance,
        velocity: two.velocity - one.velocity - D::cross(turning, normal),
        spins: one.spin + two.spin,
        damping: 0.0,
    })
}

/// How a ball meets a wall, if they overlap.
fn meet_wall<D: Dim>(
    world: &World<D>,
    wall: &Wall<D>,
    second: D::Vector,
    radius: f64,
    moving: &Moving<D>,
) -> Option<Meeting<D>> {
    let geometry = geometry(world, wall.body, second, radius);
    if geometry.gap >= 0.0 {
        return None;
    }
    let normal = geometry.normal;
    let arm = geometry.point - world.state.position[wall.body as usize];
    let surface = wall.moving.velocity + D::cross(wall.moving.spin, arm);
    Some(Meeting {
        normal,
        overlap: -geometry.gap,
        velocity: moving.velocity - D::cross(moving.spin, normal * radius) - surface,
        spins: wall.moving.spin + moving.spin,
        damping: 0.0,
    })
}

/// The gap between a wall, which is where the state says, and a ball.
fn geometry<D: Dim>(world: &World<D>, wall: u32, ball: D::Vector, radius: f64) -> crate::detect::Geometry<D> {
    let body = wall as usize;
    let first = Placed {
        shape: &world.bodies[body].shape,
        position: world.state.position[body],
        orientation: world.state.orientation[body],
    };
    let shape = crate::shape::Shape::Ball { radius };
    gap(first, Placed { shape: &shape, position: ball, orientation: D::Orientation::default() })
}
