//! Passes over batches of contacts, eight at a time: the innermost loop of the program.
//!
//! What is done at a contact depends on its kind ([`Kernel`]: balls in `ball.rs`, balls with torques and cohesion in
//! `ball_torque.rs`, coupled blocks in `block.rs`) and on the pass ([`Pass`]). Both are known at compile time, and so is
//! whether one contact (`f64`) or eight ([`Lanes`]) are visited at once.

#![allow(unsafe_code)] // Tasks of one phase write disjoint bodies of one array from several threads; see `run_batches`.
use super::config::{Measure, Pass, PassConfig, Tuning, Visits};
use super::lanes::{Lanes, Pack, Real, WIDTH};
use super::stats::SweepStats;
use crate::problem::GROUND;
use std::marker::PhantomData;
use std::ops::Range;

/// How many numbers a body takes in the array of velocities: `v`, `s`, `1/m`, and padding.
pub const fn slot_stride(axes: usize) -> usize {
    if axes == 2 { 4 } else { 8 }
}

/// `m r²/I` of a full ball.
pub const fn spin_gain(axes: usize) -> f64 {
    if axes == 2 { 2.0 } else { 2.5 }
}

/// How many batches ahead the bodies of a batch are prefetched: more than an access to main memory takes, and few enough
/// that they are still in the first-level cache when their turn comes.
const AHEAD: usize = 6;

/// Pointers to the batches of one kind, and to the bodies.
#[derive(Clone, Copy)]
pub struct View {
    /// Velocities of the bodies, `slot_stride` numbers each.
    pub slots: *mut f64,
    /// Constants of the batches, `stride` lanes each.
    pub rows: *const Lanes,
    /// Rows of a batch.
    pub stride: usize,
    /// Impulses of the batches, one lane row per component.
    pub impulses: *mut Lanes,
    /// Bodies 1 and 2 of each lane.
    pub bodies: *const [[u32; WIDTH]; 2],
    /// The number of batches.
    pub batches: usize,
}

// SAFETY: the pointers are only followed by `run_batches` and `run_contact`, whose callers hand disjoint tasks to different threads.
unsafe impl Send for View {}
// SAFETY: as above.
unsafe impl Sync for View {}

/// Some batches of one kind, and the direction in which they are visited.
#[derive(Clone)]
pub struct BatchRange {
    /// All batches of the kind.
    pub view: View,
    /// Which of them.
    pub range: Range<u32>,
    /// Whether they are visited from the last to the first.
    pub backward: bool,
}

/// The constants of a batch, or of one contact in it. (A closure would not be inlined reliably: see `lanes.rs`.)
#[derive(Clone, Copy)]
pub struct Rows<T> {
    first: *const Lanes,
    lane: usize,
    of: PhantomData<T>,
}

impl<T: Real> Rows<T> {
    /// The constants from `first` on; `lane` counts if one contact is meant.
    ///
    /// # Safety
    /// All rows that are asked for must be there.
    #[inline(always)]
    unsafe fn new(first: *const Lanes, lane: usize) -> Self {
        Rows { first, lane, of: PhantomData }
    }

    /// Row `index`.
    #[inline(always)]
    pub fn get(self, index: usize) -> T {
        // SAFETY: the promise made to `Rows::new`.
        unsafe { T::load(&*self.first.add(index), self.lane) }
    }

    /// The vector in the rows from `start` on.
    #[inline(always)]
    pub fn pack<const M: usize>(self, start: usize) -> Pack<T, M> {
        let mut pack = Pack::zero();
        for i in 0..M {
            pack.0[i] = self.get(start + i);
        }
        pack
    }
}

/// One body, or eight.
#[derive(Clone, Copy)]
pub struct Side<T, const N: usize, const S: usize> {
    /// Velocity.
    pub velocity: Pack<T, N>,
    /// Scaled spin.
    pub spin: Pack<T, S>,
    /// `1/m` of a ball, zero for others.
    pub inverse_mass: T,
}

/// How far one contact, or eight, are from their laws.
pub struct LocalError<T> {
    /// The square of the natural-map error.
    pub error: T,
    /// `m_n`; zero in an empty lane.
    pub mass: T,
    /// The square of the shift.
    pub shift: T,
}

/// A kind of contact, with `C` components of its impulse, the first `N` of them the force in the frame of the world.
pub trait Kernel<const N: usize, const S: usize, const C: usize>: Copy + Sync {
    /// The rows of constants of a batch, without the undeformed impulse of compliant contacts.
    const ROWS: usize;
    /// The constants of one contact, or eight.
    type Contact<T: Real>;

    /// Reads the constants. The rows from [`Kernel::ROWS`] on are there for compliant contacts only.
    fn contact<T: Real>(rows: Rows<T>, tuning: Tuning) -> Self::Contact<T>;

    /// The one-contact solution, applied at once: a Gauss–Seidel visit.
    fn update<T: Real, const SPECIAL: bool>(
        contact: &Self::Contact<T>,
        impulse: &mut Pack<T, C>,
        sides: &mut [Side<T, N, S>; 2],
        tuning: Tuning,
    );

    /// Adds `M⁻¹ H p` to the velocities.
    fn give<T: Real>(contact: &Self::Contact<T>, impulse: Pack<T, C>, sides: &mut [Side<T, N, S>; 2]);

    /// How far the contact is from its laws.
    fn local_error<T: Real>(
        contact: &Self::Contact<T>,
        impulse: Pack<T, C>,
        sides: &[Side<T, N, S>; 2],
        tuning: Tuning,
    ) -> LocalError<T>;

    /// The unit normal.
    fn normal<T: Real>(contact: &Self::Contact<T>) -> Pack<T, N>;
}

/// Runs a pass over some batches.
///
/// # Safety
/// The view must point to live arrays that hold all batches of the range and all their bodies, and no other thread may
/// touch these batches, or write these bodies, meanwhile.
pub unsafe fn run_batches<K: Kernel<N, S, C>, const N: usize, const S: usize, const C: usize>(
    config: PassConfig,
    part: BatchRange,
) -> SweepStats {
    debug_assert!(part.range.end as usize <= part.view.batches);
    // SAFETY: the caller's promise; AVX2 is asked for before it is used.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            run_avx2::<K, N, S, C>(config, part)
        } else {
            // One contact at a time gives the same bits, by functions that are compiled anyway: another set of loops for
            // the few machines that have no AVX2 would double the time that this crate takes to compile.
            run::<K, true, N, S, C>(config, part)
        }
        #[cfg(not(target_arch = "x86_64"))]
        run::<K, false, N, S, C>(config, part)
    }
}

/// The same for a machine with AVX2. (AVX-512 was tried and is slower here: the compiler then gathers with the gather
/// instruction.)
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn run_avx2<K: Kernel<N, S, C>, const N: usize, const S: usize, const C: usize>(
    config: PassConfig,
    part: BatchRange,
) -> SweepStats {
    // SAFETY: the caller's promise.
    unsafe { run::<K, false, N, S, C>(config, part) }
}

/// Chooses the loop for the pass, which takes the contacts of a batch one at a time or all at once.
#[inline(always)]
unsafe fn run<K: Kernel<N, S, C>, const SINGLY: bool, const N: usize, const S: usize, const C: usize>(
    config: PassConfig,
    part: BatchRange,
) -> SweepStats {
    // One place for the sums of all passes. Where each loop has sums of its own, the compiler splits eight numbers into pairs,
    // and a deposit of spheres takes 1.4 times as long to solve.
    let mut sums = Sums::<Lanes>::zero();
    let mut single = SweepStats::default();
    let totals = (&mut sums, &mut single);
    // SAFETY: the caller's promise.
    unsafe {
        match (config.pass, config.tuning.is_special()) {
            (Pass::Sweep(Measure::Nothing), false) => {
                batches::<K, Update<false, false>, SINGLY, N, S, C>(config, part, totals)
            }
            (Pass::Sweep(_), false) => batches::<K, Update<false, true>, SINGLY, N, S, C>(config, part, totals),
            (Pass::Sweep(Measure::Nothing), true) => {
                batches::<K, Update<true, false>, SINGLY, N, S, C>(config, part, totals)
            }
            (Pass::Sweep(_), true) => batches::<K, Update<true, true>, SINGLY, N, S, C>(config, part, totals),
            (Pass::Apply, _) => batches::<K, Apply, SINGLY, N, S, C>(config, part, totals),
            (Pass::Residual, _) => batches::<K, Residual, SINGLY, N, S, C>(config, part, totals),
        }
    }
    sums.finish().and(single)
}

/// All batches of a range. Contacts of a piston or a driven wall share that body, so each is alone in its batch and is
/// visited as one contact.
#[inline(always)]
unsafe fn batches<K: Kernel<N, S, C>, A: Act, const SINGLY: bool, const N: usize, const S: usize, const C: usize>(
    config: PassConfig,
    part: BatchRange,
    (sums, single): (&mut Sums<Lanes>, &mut SweepStats),
) {
    let BatchRange { view, range, backward } = part;
    let (first, count) = (range.start as usize, range.len());
    for step in 0..count {
        let batch = first + if backward { count - 1 - step } else { step };
        // SAFETY: the caller's promise.
        unsafe {
            if config.visits == Visits::Carrying && !carries::<C>(view, batch) {
                single.left_out += 1;
                continue;
            }
            let ahead = if backward { batch.wrapping_sub(AHEAD) } else { batch + AHEAD };
            if ahead < view.batches {
                prefetch_bodies::<N>(view, ahead);
            }
            if is_single(&*view.bodies.add(batch)) {
                *single = single.and(visit_one::<K, A, N, S, C>(config, view, batch, 0));
            } else if SINGLY {
                for lane in 0..WIDTH {
                    let mut of_lane = sums.lane(lane);
                    visit_scalar::<K, A, N, S, C>(config, view, batch, lane, &mut of_lane);
                    sums.set_lane(lane, of_lane);
                }
            } else {
                visit::<K, A, Lanes, N, S, C>(config, view, batch, 0, sums);
            }
        }
    }
}

/// True if some contact of a batch has an impulse.
#[inline(always)]
unsafe fn carries<const C: usize>(view: View, batch: usize) -> bool {
    let mut squares = Lanes::default();
    for i in 0..C {
        // SAFETY: the caller's promise.
        let row = unsafe { *view.impulses.add(batch * C + i) };
        squares = squares + row * row;
    }
    squares.sum() != 0.0
}

/// True if there is a contact in the first lane only: lanes are filled in turn.
#[inline(always)]
fn is_single(bodies: &[[u32; WIDTH]; 2]) -> bool {
    bodies[0][1] == GROUND && bodies[1][1] == GROUND
}

/// Runs a pass over one contact: lane `place % WIDTH` of batch `place / WIDTH`.
///
/// # Safety
/// As for [`run_batches`].
pub unsafe fn run_contact<K: Kernel<N, S, C>, const N: usize, const S: usize, const C: usize>(
    config: PassConfig,
    view: View,
    place: u32,
) -> SweepStats {
    let (batch, lane) = (place as usize / WIDTH, place as usize % WIDTH);
    debug_assert!(batch < view.batches);
    // SAFETY: the caller's promise.
    unsafe {
        match (config.pass, config.tuning.is_special()) {
            (Pass::Residual, _) => visit_one::<K, Residual, N, S, C>(config, view, batch, lane),
            (_, true) => visit_one::<K, Update<true, true>, N, S, C>(config, view, batch, lane),
            (_, false) => visit_one::<K, Update<false, true>, N, S, C>(config, view, batch, lane),
        }
    }
}

/// One contact of a batch, and its sums.
#[inline(never)]
unsafe fn visit_one<K: Kernel<N, S, C>, A: Act, const N: usize, const S: usize, const C: usize>(
    config: PassConfig,
    view: View,
    batch: usize,
    lane: usize,
) -> SweepStats {
    let mut sums = Sums::<f64>::zero();
    // SAFETY: the caller's promise.
    unsafe { visit_scalar::<K, A, N, S, C>(config, view, batch, lane, &mut sums) };
    sums.finish()
}

/// One contact of a batch. It is not inlined: it is compiled once, and the loop over batches stays as it is without it.
#[inline(never)]
unsafe fn visit_scalar<K: Kernel<N, S, C>, A: Act, const N: usize, const S: usize, const C: usize>(
    config: PassConfig,
    view: View,
    batch: usize,
    lane: usize,
    sums: &mut Sums<f64>,
) {
    // SAFETY: the caller's promise.
    unsafe { visit::<K, A, f64, N, S, C>(config, view, batch, lane, sums) };
}

/// Running sums of a pass, one per lane.
struct Sums<T> {
    change: T,
    size: T,
    normal: T,
    worst: T,
    speed: T,
    scale: T,
}

impl<T: Real> Sums<T> {
    fn zero() -> Self {
        let zero = T::splat(0.0);
        Sums { change: zero, size: zero, normal: zero, worst: zero, speed: zero, scale: zero }
    }

    /// Squares become lengths here, once, instead of at every contact.
    fn finish(self) -> SweepStats {
        SweepStats {
            change: self.change.sum(),
            size: self.size.sum(),
            normal: self.normal.sum(),
            worst: self.worst.largest().sqrt(),
            speed: self.speed.sum(),
            scale: self.scale.sum(),
            left_out: 0,
        }
    }
}

impl Sums<Lanes> {
    /// The sums of one lane.
    fn lane(&self, lane: usize) -> Sums<f64> {
        Sums {
            change: self.change.lane(lane),
            size: self.size.lane(lane),
            normal: self.normal.lane(lane),
            worst: self.worst.lane(lane),
            speed: self.speed.lane(lane),
            scale: self.scale.lane(lane),
        }
    }

    fn set_lane(&mut self, lane: usize, sums: Sums<f64>) {
        self.change.set_lane(lane, sums.change);
        self.size.set_lane(lane, sums.size);
        self.normal.set_lane(lane, sums.normal);
        self.worst.set_lane(lane, sums.worst);
        self.speed.set_lane(lane, sums.speed);
        self.scale.set_lane(lane, sums.scale);
    }
}

/// What a pass does at a contact, as the compiler knows it.
trait Act {
    /// Whether impulses and bodies are written back.
    const MOVES: bool;

    fn act<K: Kernel<N, S, C>, T: Real, const N: usize, const S: usize, const C: usize>(
        config: PassConfig,
        contact: &K::Contact<T>,
        impulse: &mut Pack<T, C>,
        sides: &mut [Side<T, N, S>; 2],
        sums: &mut Sums<T>,
    );
}

/// A Gauss–Seidel visit, of plain or tuned contacts, measured or not.
struct Update<const SPECIAL: bool, const MEASURED: bool>;
/// Velocities from impulses.
struct Apply;
/// The error of the laws.
struct Residual;

impl<const SPECIAL: bool, const MEASURED: bool> Act for Update<SPECIAL, MEASURED> {
    const MOVES: bool = true;

    #[inline(always)]
    fn act<K: Kernel<N, S, C>, T: Real, const N: usize, const S: usize, const C: usize>(
        config: PassConfig,
        contact: &K::Contact<T>,
        impulse: &mut Pack<T, C>,
        sides: &mut [Side<T, N, S>; 2],
        sums: &mut Sums<T>,
    ) {
        let before = *impulse;
        K::update::<T, SPECIAL>(contact, impulse, sides, config.tuning);
        if MEASURED {
            let force = impulse.part::<0, N>();
            measure(before, *impulse, force.dot(K::normal(contact)), config, sums);
        }
    }
}

impl Act for Apply {
    const MOVES: bool = true;

    #[inline(always)]
    fn act<K: Kernel<N, S, C>, T: Real, const N: usize, const S: usize, const C: usize>(
        _: PassConfig,
        contact: &K::Contact<T>,
        impulse: &mut Pack<T, C>,
        sides: &mut [Side<T, N, S>; 2],
        _: &mut Sums<T>,
    ) {
        K::give(contact, *impulse, sides);
    }
}

impl Act for Residual {
    const MOVES: bool = false;

    #[inline(always)]
    fn act<K: Kernel<N, S, C>, T: Real, const N: usize, const S: usize, const C: usize>(
        config: PassConfig,
        contact: &K::Contact<T>,
        impulse: &mut Pack<T, C>,
        sides: &mut [Side<T, N, S>; 2],
        sums: &mut Sums<T>,
    ) {
        let p = *impulse;
        let local_error = K::local_error(contact, p, sides, config.tuning);
        sums.change = sums.change + local_error.error;
        sums.size = sums.size + p.dot(p);
        let square = local_error.mass * local_error.mass;
        // An empty lane has no mass and no error.
        let speed = local_error.error.divide(square.max(T::splat(f64::MIN_POSITIVE)));
        sums.speed = sums.speed + speed;
        sums.worst = sums.worst.max(speed);
        let [v1, v2] = [sides[0].velocity, sides[1].velocity];
        sums.scale = sums.scale + (v1.dot(v1) + v2.dot(v2) + local_error.shift) * square;
    }
}

#[inline(always)]
fn measure<T: Real, const C: usize>(
    before: Pack<T, C>,
    now: Pack<T, C>,
    normal: T,
    config: PassConfig,
    sums: &mut Sums<T>,
) {
    let change = now - before;
    let (change, size) = (change.dot(change), now.dot(now));
    sums.change = sums.change + change;
    sums.size = sums.size + size;
    sums.normal = sums.normal + normal;
    if let Pass::Sweep(Measure::Forces { floor }) = config.pass {
        let floor = T::splat(floor * floor + f64::MIN_POSITIVE);
        sums.worst = sums.worst.max(change.divide(size.max(floor)));
    }
}

/// One contact, or the eight of a batch.
#[inline(always)]
unsafe fn visit<K: Kernel<N, S, C>, A: Act, T: Real, const N: usize, const S: usize, const C: usize>(
    config: PassConfig,
    view: View,
    batch: usize,
    lane: usize,
    sums: &mut Sums<T>,
) {
    // `Rows::new` is promised all rows of the kind, and those of compliant contacts where they are read.
    debug_assert!(K::ROWS + if config.tuning.compliance > 0.0 { N } else { 0 } <= view.stride);
    // SAFETY: the caller's promise.
    unsafe {
        let contact = K::contact(Rows::<T>::new(view.rows.add(batch * view.stride), lane), config.tuning);
        let impulses = view.impulses.add(batch * C);
        let mut impulse = Pack::<T, C>::zero();
        for i in 0..C {
            impulse.0[i] = T::load(&*impulses.add(i), lane);
        }
        let bodies = &*view.bodies.add(batch);
        let mut sides =
            [gather::<T, N, S>(view.slots, &bodies[0], lane), gather::<T, N, S>(view.slots, &bodies[1], lane)];
        A::act::<K, T, N, S, C>(config, &contact, &mut impulse, &mut sides, sums);
        if A::MOVES {
            for i in 0..C {
                impulse.0[i].store(&mut *impulses.add(i), lane);
            }
            scatter(view.slots, &bodies[0], lane, &sides[0]);
            scatter(view.slots, &bodies[1], lane, &sides[1]);
        }
    }
}

#[inline(always)]
unsafe fn gather<T: Real, const N: usize, const S: usize>(
    slots: *const f64,
    bodies: &[u32; WIDTH],
    lane: usize,
) -> Side<T, N, S> {
    let mut velocity = Pack::<T, N>::zero();
    let mut spin = Pack::<T, S>::zero();
    let mut inverse_mass = T::splat(0.0);
    for i in 0..T::COUNT {
        // SAFETY: the caller's promise.
        unsafe {
            let slot = slots.add(bodies[lane + i] as usize * slot_stride(N));
            for k in 0..N {
                velocity.0[k].set_lane(i, *slot.add(k));
            }
            for k in 0..S {
                spin.0[k].set_lane(i, *slot.add(N + k));
            }
            inverse_mass.set_lane(i, *slot.add(N + S));
        }
    }
    Side { velocity, spin, inverse_mass }
}

#[inline(always)]
unsafe fn scatter<T: Real, const N: usize, const S: usize>(
    slots: *mut f64,
    bodies: &[u32; WIDTH],
    lane: usize,
    side: &Side<T, N, S>,
) {
    for i in 0..T::COUNT {
        // The ground is shared by all threads and never written.
        if bodies[lane + i] != GROUND {
            // SAFETY: the caller's promise.
            unsafe {
                let slot = slots.add(bodies[lane + i] as usize * slot_stride(N));
                for k in 0..N {
                    *slot.add(k) = side.velocity.0[k].lane(i);
                }
                for k in 0..S {
                    *slot.add(N + k) = side.spin.0[k].lane(i);
                }
            }
        }
    }
}

/// Prefetches the bodies of a batch.
#[inline(always)]
unsafe fn prefetch_bodies<const N: usize>(view: View, batch: usize) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the caller's promise; a prefetch reads nothing.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let bodies = &*view.bodies.add(batch);
        for side in 0..2 {
            for lane in 0..WIDTH {
                let slot = view.slots.add(bodies[side][lane] as usize * slot_stride(N));
                _mm_prefetch::<_MM_HINT_T0>(slot.cast());
            }
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (view, batch);
}

#[cfg(test)]
mod tests {
    use super::super::ball::Ball;
    use super::super::ball_torque::BallTorque;
    use super::super::block::Block;
    use super::super::group::Kind;
    use super::super::layout::Sweeper;
    use super::*;
    use crate::problem::{Body, Cohesion, Contact, Inertia, Mass, Problem, Torque};
    use crate::space::{D2, D3, Dim, Vector};

    /// Bodies thrown at their neighbours, balls and others, with all laws at some of the contacts.
    fn all_kinds<D: Dim>(bodies: u32, compliance: f64) -> Problem<D> {
        let mut state = 7_u64;
        let mut random = move || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        let mut problem = Problem::<D> { bodies: vec![Body::default()], compliance, ..Problem::default() };
        problem.masses.push(Mass {
            inverse_mass: D::Vector::from_fn(|_| 0.8),
            inverse_inertia: D::spin_tensor(D::Orientation::default(), D::Spin::from_fn(|i| 2.0 + i as f64)),
        });
        for number in 1..bodies {
            let inertia = if number % 3 == 0 { Inertia::General(0) } else { Inertia::Ball(1.0 + 0.3 * random()) };
            let (velocity, spin) = (D::Vector::from_fn(|_| random()), D::Spin::from_fn(|_| random()));
            problem.bodies.push(Body { velocity, spin, inertia });
        }
        for number in 1..bodies {
            for near in [0, number + 1, number + 4].into_iter().filter(|&near| near < bodies) {
                let normal = D::Vector::from_fn(|_| random());
                let normal = normal * (1.0 / normal.dot(normal).sqrt());
                let arm = D::Vector::from_fn(|_| 0.3 * random());
                problem.arms.push([normal + arm, arm - normal]);
                problem.contacts.push(Contact {
                    bodies: [near, number],
                    normal,
                    shift: D::Vector::from_fn(|_| 0.1 * random()),
                    friction: 0.5 * (1.0 + random()),
                    impulse: normal * (0.5 * (1.0 + random())),
                });
                let limit = if number % 2 == 0 { 0.1 } else { 0.0 };
                problem.torques.push(Torque {
                    rolling: limit,
                    torsion: 0.5 * limit,
                    lengths: [1.0, 1.3],
                    ..Torque::default()
                });
                let hold = if number % 5 == 0 { 0.2 } else { 0.0 };
                problem.cohesions.push(Cohesion { hold, closing: hold });
            }
        }
        problem
    }

    /// The numbers of a pass over all batches of a kind, and of the state after it.
    fn after<D: Dim, K: Kernel<N, S, C>, const SINGLY: bool, const N: usize, const S: usize, const C: usize>(
        problem: &Problem<D>,
        kind: Kind,
        config: PassConfig,
    ) -> Vec<u64> {
        let mut sweeper = Sweeper::new(problem, true, Visits::All);
        let view = sweeper.views().of_kind[kind as usize];
        let part = BatchRange { view, range: 0..view.batches as u32, backward: false };
        assert!(view.batches > 3);
        // SAFETY: one thread, and the arrays live in `sweeper`.
        let stats = unsafe {
            if SINGLY { run::<K, true, N, S, C>(config, part) } else { run_batches::<K, N, S, C>(config, part) }
        };
        let state = sweeper.impulses.iter().chain(&sweeper.slots.lines).flat_map(|lanes| lanes.0);
        let sums = [stats.change, stats.size, stats.normal, stats.worst, stats.speed, stats.scale];
        state.chain(sums).map(f64::to_bits).collect()
    }

    fn bits_agree<D: Dim, K: Kernel<N, S, C>, const N: usize, const S: usize, const C: usize>(kind: Kind) {
        for compliance in [0.0, 0.3] {
            let problem = all_kinds::<D>(200, compliance);
            let tuning = Tuning { compliance, ..Tuning::PLAIN };
            for pass in [Pass::Sweep(Measure::Forces { floor: 1e-3 }), Pass::Residual, Pass::Apply] {
                let config = PassConfig::new(pass, tuning);
                let at_once = after::<D, K, false, N, S, C>(&problem, kind, config);
                let singly = after::<D, K, true, N, S, C>(&problem, kind, config);
                let first = at_once.iter().zip(&singly).position(|(a, b)| a != b);
                assert_eq!(first, None, "{kind:?} in {N}D, {pass:?}, compliance {compliance}");
            }
        }
    }

    #[test]
    fn one_contact_at_a_time_gives_the_bits_of_eight() {
        bits_agree::<D2, Ball<2, 1>, 2, 1, 2>(Kind::Ball);
        bits_agree::<D3, Ball<3, 3>, 3, 3, 3>(Kind::Ball);
        bits_agree::<D2, BallTorque<2, 1, 3>, 2, 1, 3>(Kind::BallTorque);
        bits_agree::<D3, BallTorque<3, 3, 6>, 3, 3, 6>(Kind::BallTorque);
        bits_agree::<D2, Block<2, 1>, 2, 1, 2>(Kind::Block);
        bits_agree::<D3, Block<3, 3>, 3, 3, 3>(Kind::Block);
    }
}
