//! Bodies and pairs packed for the loops of molecular dynamics: balls in the order of space, and what each loop reads
//! close together. A pack is made from the state at the start of a window and unpacked at its end.

use super::law::{Memory, Springs, SurfaceLaw};
use super::ties::Ties;
use crate::contact::Contact;
use crate::detect::Pair;
use crate::drive::External;
use crate::law::capillary::Liquid;
use crate::law::material::PairLaw;
use crate::settings::{Damping, Soft};
use crate::shape::Shape;
use crate::world::World;
use rayon::prelude::*;
use riprap_solve::{Dim, Vector};
use rustc_hash::FxHashMap;

/// Pairs that one task evaluates.
pub(super) const PAIRS: usize = 1024;
/// More than the balls that a task can meet.
pub(super) const SLOTS: usize = 2 * PAIRS;

/// All that the loops work on.
#[derive(Default)]
pub(super) struct Pack<D: Dim> {
    /// Where the balls are and how they move, as the loop over pairs sees them.
    pub places: Vec<Place<D>>,
    /// What only the loop over balls needs.
    pub balls: Vec<PackedBall<D>>,
    /// Where each ball was listed.
    pub listed: Vec<ListedAt<D>>,
    /// How far every ball may go, whichever way, before the list has to be looked at again.
    pub slack: f64,
    /// How far two balls may still come together before a pair that is not in [`Task::near`] can touch.
    pub near_slack: f64,
    /// The speed of the fastest ball against the drift of the list, in the last step.
    pub fastest: f64,
    /// The balls that have more acting on them than gravity and contacts.
    pub loaded: Vec<Loaded<D>>,
    /// Springs and membranes.
    pub ties: Ties<D>,
    pub gravity: D::Vector,
    /// The walls.
    pub walls: Vec<Wall<D>>,
    /// The listed pairs, in the order of the list.
    pub pairs: Vec<Listed>,
    /// Those with walls among them.
    pub with_walls: Vec<u32>,
    /// Which of them touch now.
    pub touching: Vec<bool>,
    /// What is needed only of pairs that touch.
    pub kinds: Vec<Kind>,
    /// What each pair remembers.
    pub memories: Vec<Kept<D>>,
    /// Torques and bridges of each pair; empty if the world has neither.
    pub extras: Vec<Extra<D>>,
    /// The tasks of the loop over pairs, [`PAIRS`] of them each.
    pub tasks: Vec<Task<D>>,
    /// The sums of the tasks that belong to each ball: those from `first[ball]` to `first[ball + 1]` in `parts`, as
    /// [`SLOTS`] times the task plus the slot. They are in the order of the tasks, which fixes the order of every sum.
    pub first: Vec<u32>,
    pub parts: Vec<u32>,
    /// The distinct shifts by whole periods.
    pub shifts: Vec<D::Vector>,
    pub surfaces: Vec<SurfaceLaw>,
    pub springs: Springs,
    pub liquid: Option<Liquid>,
    /// The losses under earlier lists of this window, and the work of imposed velocities.
    pub booked: Losses,
    /// Contacts of this window whose bodies are too far apart for the present list, and what their bridges gave.
    pub parted: Vec<(Contact<D>, Extra<D>)>,
    pub evaluations: u64,
}

/// What a task of the loop over pairs has for itself, so that it waits for no other.
pub(super) struct Task<D: Dim> {
    /// The slots of the balls of each pair in `sums`; a wall has none.
    pub slots: Vec<[u16; 2]>,
    /// The sums of the forces that this task found, and of the torques over the radius, for each ball that it meets.
    pub sums: Vec<(D::Vector, D::Spin)>,
    /// The pairs that touch or may soon, by their place in the task; all with walls are among them.
    pub near: Vec<u16>,
    /// The force of each pair that acts, on body 2, and `n × f`, from which the torques on both follow; empty if nobody
    /// asks for them.
    pub pulls: Vec<(D::Vector, D::Spin)>,
    /// The energy lost so far.
    pub losses: Losses,
}

#[derive(Clone, Copy, Default)]
pub(super) struct Place<D: Dim> {
    pub position: D::Vector,
    pub radius: f64,
    /// As the dashpots and tangential springs see it.
    pub moving: Moving<D>,
}

#[derive(Clone, Copy, Default)]
pub(super) struct Moving<D: Dim> {
    pub velocity: D::Vector,
    pub spin: D::Spin,
}

/// A ball between two evaluations of forces.
#[derive(Clone, Copy)]
pub(super) struct PackedBall<D: Dim> {
    /// Half a step after the last force, and at the ends of the window at the same time as the position.
    pub velocity: D::Vector,
    pub spin: D::Spin,
    /// By how much it has turned in this window.
    pub turned: D::Spin,
    /// Zero for a ball that is not free.
    pub inverse_mass: f64,
    pub inverse_inertia: f64,
    pub body: u32,
}

/// Where a ball was when the list of pairs was made, and how far it may go from there against the drift.
#[derive(Clone, Copy)]
pub(super) struct ListedAt<D: Dim> {
    pub position: D::Vector,
    pub reach: f64,
}

/// A ball under loads of its own, or with freedoms that are ruled one by one.
#[derive(Default)]
pub(super) struct Loaded<D: Dim> {
    pub ball: u32,
    /// Acceleration and change of spin from outside.
    pub outside: (D::Vector, D::Spin),
    /// Of a ball that is not free; zero along and about the axes on which its velocity is imposed, and for free balls,
    /// whose contact forces are in the loop over all.
    pub inverse_mass: D::Vector,
    pub inverse_inertia: D::Spin,
}

/// A wall, of whatever shape. Its place and motion are in the world's state.
pub(super) struct Wall<D: Dim> {
    pub body: u32,
    /// Zero along and about the axes on which its velocity is imposed.
    pub inverse_mass: D::Vector,
    pub inverse_inertia: D::Spin,
    pub loaded: bool,
    pub outside: (D::Vector, D::Spin),
    /// As the dashpots see it.
    pub moving: Moving<D>,
    /// By how much it has turned in this window.
    pub turned: D::Spin,
    /// The normal of a plane as it stands now.
    pub plane: Option<D::Vector>,
    /// From its contacts, in the last evaluation.
    pub force: D::Vector,
    pub torque: D::Spin,
}

impl<D: Dim> Wall<D> {
    /// True if it stands still: what acts on it matters to nobody.
    pub fn is_idle(&self) -> bool {
        !self.loaded && (self.moving.velocity, self.moving.spin) == (D::Vector::ZERO, D::Spin::ZERO)
    }
}

/// A pair of the list in the numbers of the pack, in as few bytes as can be: every step goes through all of them.
#[derive(Clone, Copy)]
pub(super) struct Listed {
    /// Body 1, among the balls or, with the bit [`SPECIAL`], among the walls.
    one: u32,
    /// Body 2, always a ball; with the bit [`SPECIAL`], an image of it.
    two: u32,
}

const SPECIAL: u32 = 1 << 31;

impl Listed {
    fn new(first: u32, wall: bool, second: u32, shifted: bool) -> Self {
        let special = |yes: bool| if yes { SPECIAL } else { 0 };
        Listed { one: first | special(wall), two: second | special(shifted) }
    }

    #[inline(always)]
    pub fn first(self) -> usize {
        (self.one & !SPECIAL) as usize
    }

    #[inline(always)]
    pub fn second(self) -> usize {
        (self.two & !SPECIAL) as usize
    }

    /// Body 1 is a wall.
    #[inline(always)]
    pub fn wall(self) -> bool {
        self.one & SPECIAL != 0
    }
}

/// The shift of body 2 by whole periods, and the pair of materials.
#[derive(Clone, Copy)]
pub(super) struct Kind {
    pub shift: u32,
    pub surface: u32,
}

/// What is kept of a pair from one evaluation to the next, in a line of the cache.
#[derive(Clone, Copy, Default)]
#[repr(align(64))]
pub(super) struct Kept<D: Dim> {
    pub memory: Memory<D>,
    /// Momentum that its contact has given to body 2 in this window.
    pub impulse: D::Vector,
    /// Normal dashpot.
    pub damping: f64,
}

/// What is kept of a pair that may have a contact torque or a bridge.
#[derive(Clone, Copy, Default)]
pub(super) struct Extra<D: Dim> {
    /// The spring of rolling and torsion, and the normal of the frame that it is in.
    pub turn: D::Spin,
    pub normal: D::Vector,
    /// The torque on body 2 now, and what it has given in this window.
    pub torque: D::Spin,
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
    pub fn new(world: &World<D>, soft: &Soft, step: f64, external: &External<D>) -> Self {
        let count = world.bodies.len();
        let mut pack = Pack {
            springs: Springs::new::<D>(soft, step),
            gravity: external.gravity,
            liquid: world.liquid,
            places: Vec::with_capacity(count),
            balls: Vec::with_capacity(count),
            listed: Vec::with_capacity(count),
            near_slack: f64::NEG_INFINITY,
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
            pack.places.push(Place { position: state.position[body], radius, moving });
            pack.balls.push(PackedBall {
                velocity,
                spin,
                turned: D::Spin::ZERO,
                inverse_mass: if free { 1.0 / this.mass } else { 0.0 },
                inverse_inertia: if free { 1.0 / this.inertia.get(0) } else { 0.0 },
                body: index,
            });
            pack.listed.push(ListedAt { position: search.position[body], reach: search.reach[body] });
        }
        pack.tie(world, external, &slot);
        pack.list(world, soft, &slot);
        pack
    }

    /// The pairs of the world's list, and the tasks that evaluate them.
    fn list(&mut self, world: &World<D>, soft: &Soft, slot: &[u32]) {
        let pairs = &world.cache.pairs.pairs;
        self.surfaces = surface_laws(world, soft);
        let shifts = Shifts::of(world);
        let materials = world.materials.names().len() as u32;
        let inverse_mass = lightest_resistance(world);
        let surface =
            |[a, b]: [usize; 2]| u32::from(world.bodies[a].material) * materials + u32::from(world.bodies[b].material);
        let of_pair = |pair: &Pair| {
            let [a, b] = pair.bodies.map(|body| body as usize);
            let kind = Kind { shift: shifts.number(pair.offset), surface: surface([a, b]) };
            let damping = match soft.damping {
                Damping::Given(damping) => damping,
                Damping::FromRestitution => {
                    // γ = 2ζ√(k m*); nothing resists where no body can move.
                    let inverse = inverse_mass[a] + inverse_mass[b];
                    let ratio = self.surfaces[kind.surface as usize].damping_ratio;
                    if inverse > 0.0 { 2.0 * ratio * (soft.stiffness / inverse).sqrt() } else { 0.0 }
                }
            };
            let wall = world.bodies[a].shape.ball_radius().is_none();
            (Listed::new(slot[a], wall, slot[b], kind.shift != 0), (kind, Kept { damping, ..Kept::default() }))
        };
        let (listed, (kinds, memories)) = pairs.par_iter().with_min_len(PAIRS).map(of_pair).unzip();
        (self.pairs, self.kinds, self.memories, self.shifts) = (listed, kinds, memories, shifts.vectors);
        self.touching = vec![false; pairs.len()];
        if self.liquid.is_some() || world.materials.laws().any(PairLaw::has_torques) {
            self.extras = vec![Extra::default(); pairs.len()];
        }
        self.with_walls = (0..).zip(&self.pairs).filter(|(_, pair)| pair.wall()).map(|(number, _)| number).collect();
        self.share_out();
    }

    /// Shares the pairs out among the tasks, and tells each ball which of their sums are its own.
    fn share_out(&mut self) {
        let balls = self.balls.len();
        let asked_for = !self.extras.is_empty() || !self.walls.iter().all(Wall::is_idle);
        let task = |seen: &mut Vec<u32>, (number, pairs): (usize, &[Listed])| {
            let mut met = Vec::new();
            let first = (number * SLOTS) as u32;
            let mut slot = |ball: usize| {
                let known = seen[ball].wrapping_sub(first);
                if known < SLOTS as u32 {
                    return known as u16;
                }
                met.push(ball as u32);
                seen[ball] = first + met.len() as u32 - 1;
                (met.len() - 1) as u16
            };
            let slots =
                pairs.iter().map(|pair| [if pair.wall() { 0 } else { slot(pair.first()) }, slot(pair.second())]);
            let slots = slots.collect();
            let pulls = vec![Default::default(); if asked_for { pairs.len() } else { 0 }];
            let sums = vec![Default::default(); met.len()];
            (Task { slots, sums, near: Vec::new(), pulls, losses: Losses::default() }, met)
        };
        let chunks = self.pairs.par_chunks(PAIRS).enumerate();
        let met: Vec<Vec<u32>>;
        (self.tasks, met) = chunks.map_init(|| vec![u32::MAX; balls], task).unzip();
        self.first = vec![0; balls + 1];
        for &ball in met.iter().flatten() {
            self.first[ball as usize + 1] += 1;
        }
        for ball in 0..balls {
            self.first[ball + 1] += self.first[ball];
        }
        let mut next = self.first.clone();
        self.parts = vec![0; self.first[balls] as usize];
        for (number, met) in met.iter().enumerate() {
            for (slot, &ball) in met.iter().enumerate() {
                let place = &mut next[ball as usize];
                self.parts[*place as usize] = (number * SLOTS + slot) as u32;
                *place += 1;
            }
        }
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
        for (ball, place) in self.balls.iter_mut().zip(&mut self.places) {
            let old = slot[ball.body as usize] as usize;
            place.moving = from.places[old].moving;
            let PackedBall { velocity, spin, turned, .. } = from.balls[old];
            (ball.velocity, ball.spin, ball.turned) = (velocity, spin, turned);
        }
        // Walls are in the order of bodies in every list.
        for (wall, old) in self.walls.iter_mut().zip(&from.walls) {
            (wall.moving, wall.turned) = (old.moving, old.turned);
        }
        self.ties.carry_on(&from.ties);
        self.evaluations = from.evaluations;
        self.fastest = from.fastest;
        self.booked = from.losses();
        self.parted.clone_from(&from.parted);
    }

    /// What has been lost since the start of the window.
    pub fn losses(&self) -> Losses {
        self.tasks.iter().map(|task| &task.losses).fold(self.booked, |sum, part| Losses {
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

/// The distinct shifts by whole periods, the first of which is none.
struct Shifts<D: Dim> {
    vectors: Vec<D::Vector>,
    known: FxHashMap<[i16; 3], u32>,
}

impl<D: Dim> Shifts<D> {
    /// Those of the listed pairs.
    fn of(world: &World<D>) -> Self {
        let mut shifts = Shifts { vectors: vec![D::Vector::ZERO], known: FxHashMap::default() };
        for pair in world.cache.pairs.pairs.iter().filter(|pair| pair.offset != [0; 3]) {
            shifts.known.entry(pair.offset).or_insert_with(|| {
                shifts.vectors.push(world.state.cell.shift(pair.offset));
                shifts.vectors.len() as u32 - 1
            });
        }
        shifts
    }

    /// The number of the shift by this many periods.
    fn number(&self, offset: [i16; 3]) -> u32 {
        if offset == [0; 3] { 0 } else { self.known[&offset] }
    }
}

/// The parameters of every pair of materials.
fn surface_laws<D: Dim>(world: &World<D>, soft: &Soft) -> Vec<SurfaceLaw> {
    let surface = |law: &PairLaw| SurfaceLaw {
        static_friction: law.static_friction,
        dynamic_friction: law.dynamic_friction,
        rolling: law.rolling,
        torsion: law.torsion,
        damping_ratio: super::damping_ratio(law.normal_restitution, soft.clamp),
    };
    world.materials.laws().map(surface).collect()
}

/// The largest inverse mass of each body along any axis, for the dashpots; zero if its motion is imposed.
fn lightest_resistance<D: Dim>(world: &World<D>) -> Vec<f64> {
    let lightest = |body: usize| {
        let mass = world.mass_along_axes(body);
        (0..D::AXES).map(|i| mass.get(i)).filter(|&m| m > 0.0).fold(0.0, |most, m| f64::max(most, 1.0 / m))
    };
    (0..world.bodies.len()).map(lightest).collect()
}

/// The normal of a plane that is turned like this; none for every other shape.
pub(super) fn plane_normal<D: Dim>(shape: &Shape<D>, orientation: D::Orientation) -> Option<D::Vector> {
    match shape {
        Shape::Plane { normal } => Some(D::rotate(orientation, *normal)),
        _ => None,
    }
}
