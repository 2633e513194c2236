//! The update of ball contacts, eight at a time: the innermost loop of the program.
//!
//! For two balls, or a ball and the ground, with scaled spins `s = r ω` (see `problem.rs`), `k = m r²/I`:
//!
//! ```text
//!   u   = v₂ − v₁ − (s₁ + s₂) × n            relative velocity, METHOD.md section 1
//!   1/m_n = 1/m₁ + 1/m₂,   1/m_t = (1+k)/m_n   P1 17–18: normal and tangent are not coupled
//!   p_n ← max(0, p_n − m_n ũ_n)               Signorini, ũ = u + shift
//!   p_t ← p_t − m_t ũ_t, cut at μ p_n         Coulomb, P1 34: exact, no iteration
//!   v₂ += δp/m₂,  v₁ −= δp/m₁,  s −= k n × δp/m  on both
//! ```
//!
//! One visit reads 88 bytes of the contact and 8 of its bodies' numbers, writes 24, and moves two bodies of 64 bytes;
//! it takes about 110 operations (in 3D).

#![allow(unsafe_code)] // Tasks of one phase write disjoint bodies of one array from several threads; see `run_batches`.
use super::lanes::{Lanes, Pack, Real, WIDTH, cross, wedge};
use crate::problem::GROUND;
use std::ops::Range;

/// How many numbers a body takes in the array of velocities: `v`, `s`, `1/m`, and padding.
pub const fn slot_stride(axes: usize) -> usize {
    if axes == 2 { 4 } else { 8 }
}

/// How many rows of lanes the constants of a batch take: normal, shift, `m_n`, `μ`.
pub const fn batch_rows(axes: usize) -> usize {
    2 * axes + 2
}

/// `m r²/I` of a full ball.
const fn spin_gain(axes: usize) -> f64 {
    if axes == 2 { 2.0 } else { 2.5 }
}

/// Where the batches and the bodies are.
#[derive(Clone, Copy)]
pub struct View {
    /// Velocities of the bodies, `slot_stride` numbers each.
    pub slots: *mut f64,
    /// Constants of the batches, `batch_rows` lanes each.
    pub rows: *const Lanes,
    /// Impulses of the batches, one lane row per axis.
    pub impulses: *mut Lanes,
    /// Bodies 1 and 2 of each lane.
    pub bodies: *const [[u32; WIDTH]; 2],
}

// SAFETY: the pointers are only followed by `run_batches` and `run_contact`, whose callers hand disjoint tasks to different threads.
unsafe impl Send for View {}
// SAFETY: as above.
unsafe impl Sync for View {}

/// What a pass over contacts adds up.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// `Σ |δp|²` of a sweep, or `Σ |error|²` of a residual.
    pub change: f64,
    /// `Σ |p|²`.
    pub size: f64,
    /// `Σ p_n`.
    pub normal: f64,
    /// The largest `|δp|/max(|p|, floor)` of a sweep, or the largest `|error/m_n|` of a residual.
    pub worst: f64,
    /// `Σ |error/m_n|²` of a residual.
    pub speed: f64,
    /// `Σ m_n² (v₁² + v₂² + shift²)` of a residual: what its rounding errors are in proportion to.
    pub scale: f64,
}

impl Tally {
    /// The two together.
    pub fn and(self, other: Tally) -> Tally {
        Tally {
            change: self.change + other.change,
            size: self.size + other.size,
            normal: self.normal + other.normal,
            worst: self.worst.max(other.worst),
            speed: self.speed + other.speed,
            scale: self.scale + other.scale,
        }
    }
}

/// One ball contact, or eight.
pub struct BallContact<T, const N: usize> {
    normal: Pack<T, N>,
    shift: Pack<T, N>,
    mass: T,
    friction: T,
}

/// One body, or eight.
#[derive(Clone, Copy)]
pub struct Side<T, const N: usize, const S: usize> {
    velocity: Pack<T, N>,
    spin: Pack<T, S>,
    inverse_mass: T,
}

/// Running sums of a pass, one per lane.
pub struct Sums<T> {
    change: T,
    size: T,
    normal: T,
    worst: T,
    speed: T,
    scale: T,
}

/// Something that is done at every contact.
pub trait Pass: Copy + Sync {
    /// Whether the bodies are written back.
    const MOVES: bool;

    /// What is done at one contact, or at eight independent ones.
    fn visit<T: Real, const N: usize, const S: usize>(
        self,
        contact: &BallContact<T, N>,
        impulse: &mut Pack<T, N>,
        sides: &mut [Side<T, N, S>; 2],
        sums: &mut Sums<T>,
    );
}

/// The one-contact solution, applied at once: a Gauss–Seidel visit.
#[derive(Clone, Copy)]
pub struct Update;

/// The same, which also adds up impulses and their changes.
#[derive(Clone, Copy)]
pub struct MeasuredUpdate;

/// The same, which also finds the largest relative change of a force.
#[derive(Clone, Copy)]
pub struct JudgedUpdate {
    /// Forces below this are compared with it instead of themselves.
    pub floor: f64,
}

/// Adds `M⁻¹ H p` to the velocities.
#[derive(Clone, Copy)]
pub struct Apply;

/// Measures how far each contact is from its law.
#[derive(Clone, Copy)]
pub struct Residual;

impl Pass for Update {
    const MOVES: bool = true;

    #[inline(always)]
    fn visit<T: Real, const N: usize, const S: usize>(
        self,
        contact: &BallContact<T, N>,
        impulse: &mut Pack<T, N>,
        sides: &mut [Side<T, N, S>; 2],
        _: &mut Sums<T>,
    ) {
        let n = contact.normal;
        let p = *impulse;
        let u = shifted_velocity(contact, sides);
        let (u_n, p_n_old) = (u.dot(n), p.dot(n));
        let m_n = contact.mass;
        let m_t = m_n * T::splat(1.0 / (1.0 + spin_gain(N)));
        let p_n = (p_n_old - m_n * u_n).max(T::splat(0.0));
        let trial = p - n.times(p_n_old) - (u - n.times(u_n)).times(m_t);
        let length = trial.dot(trial).sqrt().max(T::splat(f64::MIN_POSITIVE));
        let cut = (contact.friction * p_n).divide(length).min(T::splat(1.0));
        let new = n.times(p_n) + trial.times(cut);
        let change = new - p;
        *impulse = new;
        give_impulse(contact, change, sides);
    }
}

impl Pass for MeasuredUpdate {
    const MOVES: bool = true;

    #[inline(always)]
    fn visit<T: Real, const N: usize, const S: usize>(
        self,
        contact: &BallContact<T, N>,
        impulse: &mut Pack<T, N>,
        sides: &mut [Side<T, N, S>; 2],
        sums: &mut Sums<T>,
    ) {
        let before = *impulse;
        Update.visit(contact, impulse, sides, sums);
        let change = *impulse - before;
        sums.change = sums.change + change.dot(change);
        sums.size = sums.size + impulse.dot(*impulse);
        sums.normal = sums.normal + impulse.dot(contact.normal);
    }
}

impl Pass for JudgedUpdate {
    const MOVES: bool = true;

    #[inline(always)]
    fn visit<T: Real, const N: usize, const S: usize>(
        self,
        contact: &BallContact<T, N>,
        impulse: &mut Pack<T, N>,
        sides: &mut [Side<T, N, S>; 2],
        sums: &mut Sums<T>,
    ) {
        let before = *impulse;
        MeasuredUpdate.visit(contact, impulse, sides, sums);
        let change = *impulse - before;
        let floor = T::splat(self.floor * self.floor + f64::MIN_POSITIVE);
        sums.worst = sums.worst.max(change.dot(change).divide(impulse.dot(*impulse).max(floor)));
    }
}

impl Pass for Apply {
    const MOVES: bool = true;

    #[inline(always)]
    fn visit<T: Real, const N: usize, const S: usize>(
        self,
        contact: &BallContact<T, N>,
        impulse: &mut Pack<T, N>,
        sides: &mut [Side<T, N, S>; 2],
        _: &mut Sums<T>,
    ) {
        give_impulse(contact, *impulse, sides);
    }
}

impl Pass for Residual {
    const MOVES: bool = false;

    /// The natural map of `law::natural_map_error`, with `ρ = m_n`.
    #[inline(always)]
    fn visit<T: Real, const N: usize, const S: usize>(
        self,
        contact: &BallContact<T, N>,
        impulse: &mut Pack<T, N>,
        sides: &mut [Side<T, N, S>; 2],
        sums: &mut Sums<T>,
    ) {
        let (n, mu, m_n) = (contact.normal, contact.friction, contact.mass);
        let p = *impulse;
        let (zero, one) = (T::splat(0.0), T::splat(1.0));
        let u = shifted_velocity(contact, sides);
        let u_n = u.dot(n);
        let u_t = u - n.times(u_n);
        let y = p - (u + n.times(mu * u_t.dot(u_t).sqrt())).times(m_n);
        let y_n = y.dot(n);
        let y_t = y - n.times(y_n);
        let length = y_t.dot(y_t).sqrt();
        // On the cone's surface, or at its tip where that is negative; inside, y itself.
        let surface_n = (y_n + mu * length).divide(one + mu * mu).max(zero);
        let surface_cut = (mu * surface_n).divide(length.max(T::splat(f64::MIN_POSITIVE)));
        let inside = length - mu * y_n;
        let nearest_n = inside.select_below(zero, y_n.max(zero), surface_n);
        let cut = inside.select_below(zero, one, surface_cut);
        let error = p - n.times(nearest_n) - y_t.times(cut);
        let error = error.dot(error);
        sums.change = sums.change + error;
        sums.size = sums.size + p.dot(p);
        sums.normal = sums.normal + p.dot(n);
        // An empty lane has no mass and no error.
        let speed = error.divide((m_n * m_n).max(T::splat(f64::MIN_POSITIVE)));
        sums.speed = sums.speed + speed;
        sums.worst = sums.worst.max(speed);
        let [v1, v2] = [sides[0].velocity, sides[1].velocity];
        let squares = v1.dot(v1) + v2.dot(v2) + contact.shift.dot(contact.shift);
        sums.scale = sums.scale + squares * (m_n * m_n);
    }
}

#[inline(always)]
fn shifted_velocity<T: Real, const N: usize, const S: usize>(
    contact: &BallContact<T, N>,
    sides: &[Side<T, N, S>; 2],
) -> Pack<T, N> {
    let turning = cross(sides[0].spin + sides[1].spin, contact.normal);
    sides[1].velocity - sides[0].velocity - turning + contact.shift
}

#[inline(always)]
fn give_impulse<T: Real, const N: usize, const S: usize>(
    contact: &BallContact<T, N>,
    impulse: Pack<T, N>,
    sides: &mut [Side<T, N, S>; 2],
) {
    let turn = wedge::<T, N, S>(contact.normal, impulse).times(T::splat(spin_gain(N)));
    let [first, second] = sides;
    first.velocity = first.velocity - impulse.times(first.inverse_mass);
    second.velocity = second.velocity + impulse.times(second.inverse_mass);
    first.spin = first.spin - turn.times(first.inverse_mass);
    second.spin = second.spin - turn.times(second.inverse_mass);
}

/// Runs a pass over the batches of one task, forward or backward.
///
/// # Safety
/// `view` must point to live arrays that hold all batches of `range` and all their bodies, and no other thread may
/// touch these batches, or write these bodies, meanwhile.
pub unsafe fn run_batches<P: Pass>(pass: P, axes: usize, view: View, range: Range<u32>, backward: bool) -> Tally {
    // SAFETY: the caller's promise; AVX2 is asked for before it is used.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            return if axes == 2 {
                run_avx2::<P, 2, 1>(pass, view, range, backward)
            } else {
                run_avx2::<P, 3, 3>(pass, view, range, backward)
            };
        }
        if axes == 2 {
            run::<P, 2, 1>(pass, view, range, backward)
        } else {
            run::<P, 3, 3>(pass, view, range, backward)
        }
    }
}

/// The same for a machine with AVX2, which gives the same bits. (AVX-512 was tried and is slower here: the compiler
/// then gathers with the gather instruction.)
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn run_avx2<P: Pass, const N: usize, const S: usize>(
    pass: P,
    view: View,
    range: Range<u32>,
    backward: bool,
) -> Tally {
    // SAFETY: the caller's promise.
    unsafe { run::<P, N, S>(pass, view, range, backward) }
}

#[inline(always)]
unsafe fn run<P: Pass, const N: usize, const S: usize>(
    pass: P,
    view: View,
    range: Range<u32>,
    backward: bool,
) -> Tally {
    let zero = Lanes::splat(0.0);
    let mut sums = Sums { change: zero, size: zero, normal: zero, worst: zero, speed: zero, scale: zero };
    let (first, count) = (range.start as usize, range.len());
    for step in 0..count {
        let batch = first + if backward { count - 1 - step } else { step };
        // SAFETY: the caller's promise.
        unsafe {
            let rows = view.rows.add(batch * batch_rows(N));
            let contact = BallContact {
                normal: load_pack::<N>(rows),
                shift: load_pack::<N>(rows.add(N)),
                mass: *rows.add(2 * N),
                friction: *rows.add(2 * N + 1),
            };
            let impulses = view.impulses.add(batch * N);
            let mut impulse = load_pack::<N>(impulses);
            let bodies = &*view.bodies.add(batch);
            let mut sides = [gather::<N, S>(view.slots, &bodies[0]), gather::<N, S>(view.slots, &bodies[1])];
            pass.visit(&contact, &mut impulse, &mut sides, &mut sums);
            if P::MOVES {
                for i in 0..N {
                    *impulses.add(i) = impulse.0[i];
                }
                scatter(view.slots, &bodies[0], &sides[0]);
                scatter(view.slots, &bodies[1], &sides[1]);
            }
        }
    }
    finish(sums)
}

/// Runs a pass over one contact: lane `place % WIDTH` of batch `place / WIDTH`.
///
/// # Safety
/// As for [`run_batches`].
pub unsafe fn run_contact<P: Pass>(pass: P, axes: usize, view: View, place: u32) -> Tally {
    // SAFETY: the caller's promise.
    unsafe { if axes == 2 { run_one::<P, 2, 1>(pass, view, place) } else { run_one::<P, 3, 3>(pass, view, place) } }
}

unsafe fn run_one<P: Pass, const N: usize, const S: usize>(pass: P, view: View, place: u32) -> Tally {
    let (batch, lane) = (place as usize / WIDTH, place as usize % WIDTH);
    let mut sums = Sums { change: 0.0, size: 0.0, normal: 0.0, worst: 0.0, speed: 0.0, scale: 0.0 };
    // SAFETY: the caller's promise.
    unsafe {
        let rows = view.rows.add(batch * batch_rows(N));
        let number = |row: *const Lanes| (*row).0[lane];
        let vector = |row: *const Lanes| Pack::<f64, N>(std::array::from_fn(|i| number(row.add(i))));
        let contact = BallContact {
            normal: vector(rows),
            shift: vector(rows.add(N)),
            mass: number(rows.add(2 * N)),
            friction: number(rows.add(2 * N + 1)),
        };
        let impulses = view.impulses.add(batch * N);
        let mut impulse = vector(impulses);
        let bodies = (*view.bodies.add(batch)).map(|side| side[lane]);
        let mut sides = bodies.map(|body| {
            let slot = view.slots.add(body as usize * slot_stride(N));
            Side::<f64, N, S> {
                velocity: Pack(std::array::from_fn(|i| *slot.add(i))),
                spin: Pack(std::array::from_fn(|i| *slot.add(N + i))),
                inverse_mass: *slot.add(N + S),
            }
        });
        pass.visit(&contact, &mut impulse, &mut sides, &mut sums);
        if P::MOVES {
            for i in 0..N {
                (*impulses.add(i)).0[lane] = impulse.0[i];
            }
            for (body, side) in bodies.into_iter().zip(sides) {
                if body != GROUND {
                    let slot = view.slots.add(body as usize * slot_stride(N));
                    for i in 0..N {
                        *slot.add(i) = side.velocity.0[i];
                    }
                    for i in 0..S {
                        *slot.add(N + i) = side.spin.0[i];
                    }
                }
            }
        }
    }
    finish(sums)
}

/// Squares become lengths here, once, instead of at every contact.
#[inline(always)]
fn finish<T: Real>(sums: Sums<T>) -> Tally {
    Tally {
        change: sums.change.sum(),
        size: sums.size.sum(),
        normal: sums.normal.sum(),
        worst: sums.worst.largest().sqrt(),
        speed: sums.speed.sum(),
        scale: sums.scale.sum(),
    }
}

#[inline(always)]
unsafe fn load_pack<const N: usize>(rows: *const Lanes) -> Pack<Lanes, N> {
    let mut pack = Pack::zero();
    for i in 0..N {
        // SAFETY: the caller's promise.
        pack.0[i] = unsafe { *rows.add(i) };
    }
    pack
}

#[inline(always)]
unsafe fn gather<const N: usize, const S: usize>(slots: *const f64, bodies: &[u32; WIDTH]) -> Side<Lanes, N, S> {
    let mut velocity = Pack::<Lanes, N>::zero();
    let mut spin = Pack::<Lanes, S>::zero();
    let mut inverse_mass = Lanes::splat(0.0);
    for lane in 0..WIDTH {
        // SAFETY: the caller's promise.
        unsafe {
            let slot = slots.add(bodies[lane] as usize * slot_stride(N));
            for i in 0..N {
                velocity.0[i].0[lane] = *slot.add(i);
            }
            for i in 0..S {
                spin.0[i].0[lane] = *slot.add(N + i);
            }
            inverse_mass.0[lane] = *slot.add(N + S);
        }
    }
    Side { velocity, spin, inverse_mass }
}

#[inline(always)]
unsafe fn scatter<const N: usize, const S: usize>(slots: *mut f64, bodies: &[u32; WIDTH], side: &Side<Lanes, N, S>) {
    for lane in 0..WIDTH {
        // The ground is shared by all threads and never written.
        if bodies[lane] != GROUND {
            // SAFETY: the caller's promise.
            unsafe {
                let slot = slots.add(bodies[lane] as usize * slot_stride(N));
                for i in 0..N {
                    *slot.add(i) = side.velocity.0[i].0[lane];
                }
                for i in 0..S {
                    *slot.add(N + i) = side.spin.0[i].0[lane];
                }
            }
        }
    }
}
