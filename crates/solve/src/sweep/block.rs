//! Contacts whose normal and tangent are coupled by a full block, with Signorini's and Coulomb's laws: bodies that are not
//! balls, and walls that move along some axes only.
//!
//! ```text
//!   u = v₂ + s₂ × l₂ − v₁ − s₁ × l₁ + shift                  docs/method.md §1
//!   q = u − W p,   p ← the solution of `law::solve_coupled` for W, q, μ
//!   v₂ += M₂⁻¹ δp,  s₂ += I₂⁻¹ (l₂ × δp),  and the opposite on body 1
//! ```
//!
//! Eight contacts are solved at once: open and stick directly, slide by the equation in `λ` of `law/coupled.rs`, written as
//! `Q(λ)/L(λ) = 1`, whose left side is linear in `λ` for an isotropic block. The first guess is the `λ` of the present
//! state. A contact for which this does not settle at once is handed to the slower solution, which always does.

use super::ball::{cone_error, inverse_length};
use super::config::Tuning;
use super::kernel::{Kernel, LocalError, Rows, Side, spin_gain};
use super::lanes::{Pack, Real, cross, wedge};
use crate::law::solve_coupled;

/// The kind of these contacts. Rows: normal, first tangent (in 3D), arms, inverse masses along the axes, inverse inertia
/// tensors, `W` (upper triangle), shift, `μ`.
#[derive(Clone, Copy)]
pub struct Block<const N: usize, const S: usize>;

/// Newton steps on `λ` for eight contacts together; those that need more are solved slowly, one by one.
const SLIDING_STEPS: usize = 10;
/// Determinant over the product of the diagonal, or the square of the trace, below which a block is left to the slow solution.
const NEARLY_SINGULAR: f64 = 1e-9;
/// A step of `λ` below this part of it is the last: Newton's steps are squared from one to the next.
const LAST_SLIDING_STEP: f64 = 1e-9;
/// How far a sliding impulse may be off the cone, before it is put onto it, without being solved slowly.
const OFF_CONE: f64 = 1e-9;

/// One contact, or eight.
pub struct BlockContact<T, const N: usize, const S: usize> {
    /// The axes of the contact, normal first; the third is zero in 2D.
    frame: [Pack<T, N>; 3],
    arms: [Pack<T, N>; 2],
    inverse_mass: [Pack<T, N>; 2],
    /// Upper triangles, row by row; only the first entry counts in 2D.
    inverse_inertia: [[T; 6]; 2],
    /// `W_nn`, `W_n1`, `W_n2`, `W_11`, `W_12`, `W_22`.
    w: [T; 6],
    shift: Pack<T, N>,
    friction: T,
    /// The impulse without deformation, of a compliant contact.
    undeformed: Pack<T, N>,
}

impl<T: Real, const N: usize, const S: usize> BlockContact<T, N, S> {
    #[inline(always)]
    fn velocity(&self, sides: &[Side<T, N, S>; 2]) -> Pack<T, N> {
        let [first, second] = sides;
        second.velocity + cross(second.spin, self.arms[1]) - first.velocity - cross(first.spin, self.arms[0])
            + self.shift
    }

    /// In the frame of the contact.
    #[inline(always)]
    fn local(&self, vector: Pack<T, N>) -> [T; 3] {
        let third = if N == 3 { self.frame[2].dot(vector) } else { T::splat(0.0) };
        [self.frame[0].dot(vector), self.frame[1].dot(vector), third]
    }

    #[inline(always)]
    fn world(&self, local: [T; 3]) -> Pack<T, N> {
        let sum = self.frame[0].times(local[0]) + self.frame[1].times(local[1]);
        if N == 3 { sum + self.frame[2].times(local[2]) } else { sum }
    }

    /// The block with the compliance, and what the compliance adds to the velocity.
    #[inline(always)]
    fn softened(&self, p: Pack<T, N>, tuning: Tuning) -> ([T; 6], [T; 3]) {
        let soft = T::splat(tuning.compliance);
        let soft_t = soft * T::splat(1.0 + spin_gain(N));
        let more = self.local(p - self.undeformed);
        let mut w = self.w;
        w[0] = w[0] + soft;
        w[3] = w[3] + soft_t;
        w[5] = w[5] + soft_t;
        (w, [more[0] * soft, more[1] * soft_t, more[2] * soft_t])
    }
}

impl<const N: usize, const S: usize> Kernel<N, S, N> for Block<N, S> {
    const ROWS: usize = if N == 2 { 18 } else { 40 };
    type Contact<T: Real> = BlockContact<T, N, S>;

    #[inline(always)]
    fn contact<T: Real>(rows: Rows<T>, tuning: Tuning) -> BlockContact<T, N, S> {
        let normal = rows.pack(0);
        let (tangent, second, arms) = if N == 3 {
            let tangent = rows.pack(N);
            (tangent, wedge::<T, N, N>(normal, tangent), 2 * N)
        } else {
            (turned(normal), Pack::zero(), N)
        };
        let masses = arms + 2 * N;
        let inertias = masses + 2 * N;
        let entries = S * (S + 1) / 2;
        let mut inverse_inertia = [[T::splat(0.0); 6]; 2];
        for side in 0..2 {
            for i in 0..entries {
                inverse_inertia[side][i] = rows.get(inertias + side * entries + i);
            }
        }
        let block = inertias + 2 * entries;
        let mut w = [T::splat(0.0); 6];
        let shift = if N == 3 {
            for i in 0..6 {
                w[i] = rows.get(block + i);
            }
            block + 6
        } else {
            w[0] = rows.get(block);
            w[1] = rows.get(block + 1);
            w[3] = rows.get(block + 2);
            block + 3
        };
        BlockContact {
            frame: [normal, tangent, second],
            arms: [rows.pack(arms), rows.pack(arms + N)],
            inverse_mass: [rows.pack(masses), rows.pack(masses + N)],
            inverse_inertia,
            w,
            shift: rows.pack(shift),
            friction: rows.get(shift + N),
            undeformed: if tuning.compliance > 0.0 { rows.pack(Self::ROWS) } else { Pack::zero() },
        }
    }

    #[inline(always)]
    fn update<T: Real, const SPECIAL: bool>(
        contact: &BlockContact<T, N, S>,
        impulse: &mut Pack<T, N>,
        sides: &mut [Side<T, N, S>; 2],
        tuning: Tuning,
    ) {
        let mut u = contact.local(contact.velocity(sides));
        let p = contact.local(*impulse);
        let mut w = contact.w;
        if SPECIAL {
            let (soft, more) = contact.softened(*impulse, tuning);
            w = soft;
            for i in 0..3 {
                u[i] = u[i] + more[i];
            }
        }
        let [nn, n1, n2, w11, w12, w22] = w;
        let q = [
            u[0] - (nn * p[0] + n1 * p[1] + n2 * p[2]),
            u[1] - (n1 * p[0] + w11 * p[1] + w12 * p[2]),
            u[2] - (n2 * p[0] + w12 * p[1] + w22 * p[2]),
        ];
        let mut x = if N == 2 {
            slide_or_stick_2d(w, q, contact.friction)
        } else {
            // With u_t = −λ p_t, the present λ.
            let guess = (u[1] * p[1] + u[2] * p[2])
                .divide((p[1] * p[1] + p[2] * p[2]).max(T::splat(f64::MIN_POSITIVE)))
                .negative();
            slide_or_stick_3d(w, q, contact.friction, guess)
        };
        if SPECIAL {
            let inverse = inverse_length(x[1] * x[1] + x[2] * x[2]);
            let part = tuning.part(contact.friction * x[0], inverse);
            let normal = (p[0] + part * (x[0] - p[0])).max(T::splat(0.0));
            let cut = (contact.friction * normal * inverse).min(T::splat(1.0));
            x = [normal, x[1] * cut, x[2] * cut];
        }
        let new = contact.world(x);
        let change = contact.world([x[0] - p[0], x[1] - p[1], x[2] - p[2]]);
        *impulse = new;
        Self::give(contact, change, sides);
    }

    #[inline(always)]
    fn give<T: Real>(contact: &BlockContact<T, N, S>, impulse: Pack<T, N>, sides: &mut [Side<T, N, S>; 2]) {
        for side in 0..2 {
            let sign = T::splat(if side == 0 { -1.0 } else { 1.0 });
            let p = impulse.times(sign);
            let torque = wedge::<T, N, S>(contact.arms[side], p);
            let i = contact.inverse_inertia[side];
            let body = &mut sides[side];
            for k in 0..N {
                body.velocity.0[k] = body.velocity.0[k] + contact.inverse_mass[side].0[k] * p.0[k];
            }
            if S == 1 {
                body.spin.0[0] = body.spin.0[0] + i[0] * torque.0[0];
            } else {
                let t = torque.0;
                body.spin.0[0] = body.spin.0[0] + (i[0] * t[0] + i[1] * t[1] + i[2] * t[2]);
                body.spin.0[1] = body.spin.0[1] + (i[1] * t[0] + i[3] * t[1] + i[4] * t[2]);
                body.spin.0[2] = body.spin.0[2] + (i[2] * t[0] + i[4] * t[1] + i[5] * t[2]);
            }
        }
    }

    #[inline(always)]
    fn local_error<T: Real>(
        contact: &BlockContact<T, N, S>,
        p: Pack<T, N>,
        sides: &[Side<T, N, S>; 2],
        tuning: Tuning,
    ) -> LocalError<T> {
        let (w, more) = contact.softened(p, tuning);
        let u = contact.velocity(sides) + contact.world(more);
        let empty = w[0].select_below(T::splat(0.0), T::splat(0.0), T::splat(1.0));
        let mass = empty.divide(w[0].max(T::splat(f64::MIN_POSITIVE)));
        let error = cone_error(p, u, contact.frame[0], contact.friction, mass);
        LocalError { error, mass, shift: contact.shift.dot(contact.shift) }
    }

    #[inline(always)]
    fn normal<T: Real>(contact: &BlockContact<T, N, S>) -> Pack<T, N> {
        contact.frame[0]
    }
}

/// The tangent of a normal in 2D.
#[inline(always)]
fn turned<T: Real, const N: usize>(normal: Pack<T, N>) -> Pack<T, N> {
    let mut tangent = Pack::zero();
    tangent.0[0] = normal.0[1].negative();
    tangent.0[1] = normal.0[0];
    tangent
}

/// Eight contacts in 2D; see `law/coupled.rs`.
#[inline(always)]
fn slide_or_stick_2d<T: Real>(w: [T; 6], q: [T; 3], friction: T) -> [T; 3] {
    let (zero, one, tiny) = (T::splat(0.0), T::splat(1.0), T::splat(f64::MIN_POSITIVE));
    let (nn, nt, tt) = (w[0], w[1], w[3]);
    let determinant = nn * tt - nt * nt;
    let inverse = one.divide(determinant.max(tiny));
    let stick_n = (nt * q[1] - tt * q[0]) * inverse;
    let stick_t = (nt * q[0] - nn * q[1]) * inverse;
    let outside = stick_t.max(stick_t.negative()) - friction * stick_n;
    // The two ways to slide; the velocity must agree with the direction.
    let mut normal = [zero; 2];
    let mut agrees = [zero; 2];
    for (way, sign) in [(0, 1.0), (1, -1.0)] {
        let along = T::splat(sign) * friction;
        let divisor = nn - along * nt;
        normal[way] = divisor.select_below(tiny, T::splat(-1.0), q[0].divide(divisor.max(tiny)).negative());
        agrees[way] = T::splat(sign) * ((nt - along * tt) * normal[way] + q[1]);
    }
    let backward_better = agrees[1] - agrees[0];
    let forward = normal[0].select_below(T::splat(-0.5), zero, one) * backward_better.select_below(zero, one, zero);
    let forward = normal[1].select_below(T::splat(-0.5), one, forward);
    let slide_n = forward.select_below(zero, normal[1], normal[0]).max(zero);
    let slide_t = forward.select_below(zero, friction * slide_n, (friction * slide_n).negative());
    let sticks = determinant.select_below(zero, zero, outside.select_below(zero, one, zero));
    let p_n = sticks.select_below(zero, slide_n, stick_n);
    let p_t = sticks.select_below(zero, slide_t, stick_t);
    let closing = q[0].select_below(T::splat(-f64::MIN_POSITIVE), one, zero);
    let mut p = [p_n * closing, p_t * closing, zero];
    // Nearly singular: for the slow solution.
    let failed = (determinant - T::splat(NEARLY_SINGULAR) * nn * tt).select_below(zero, closing, zero);
    if failed.largest() > 0.0 {
        solve_slowly(w, q, friction, failed, 2, &mut p);
    }
    p
}

/// Eight contacts in 3D; see `law/coupled.rs`.
#[inline(always)]
fn slide_or_stick_3d<T: Real>(w: [T; 6], q: [T; 3], friction: T, guess: T) -> [T; 3] {
    let (zero, one, tiny) = (T::splat(0.0), T::splat(1.0), T::splat(f64::MIN_POSITIVE));
    let [nn, n1, n2, w11, w12, w22] = w;
    let inverse = one.divide(nn.max(tiny));
    let (r1, r2, q_n) = (n1 * inverse, n2 * inverse, q[0] * inverse);
    let (s11, s12, s22) = (w11 - n1 * r1, w12 - n1 * r2, w22 - n2 * r2);
    let b = [q[1] - n1 * q_n, q[2] - n2 * q_n];
    let (trace, determinant) = (s11 + s22, s11 * s22 - s12 * s12);
    let a = [s22 * b[0] - s12 * b[1], s11 * b[1] - s12 * b[0]];
    let c2 = friction.negative() * q_n;
    let c1 = c2 * trace + friction * (r1 * b[0] + r2 * b[1]);
    let c0 = c2 * determinant + friction * (r1 * a[0] + r2 * a[1]);

    let opens = q[0].select_below(T::splat(-f64::MIN_POSITIVE), zero, one);
    // Nearly singular along a tangent: for the slow solution.
    let singular = (determinant - T::splat(NEARLY_SINGULAR) * trace * trace).select_below(zero, one, zero);
    let sticks = ((a[0] * a[0] + a[1] * a[1]).sqrt() - c0).select_below(zero, one, zero);
    // Without friction λ is infinite.
    let slick = friction.select_below(zero, one, zero);
    let settled = opens.max(sticks).max(singular).max(slick);
    let mut active = one - settled;
    let (mut low, mut high) = (zero, T::splat(1e300));
    let mut l = guess.select_below(zero, trace, guess);
    for _ in 0..SLIDING_STEPS {
        if active.largest() <= 0.0 {
            break;
        }
        let v = [l * b[0] + a[0], l * b[1] + a[1]];
        let left = (v[0] * v[0] + v[1] * v[1]).sqrt().max(tiny);
        let right = (c2 * l + c1) * l + c0;
        let excess = left - right;
        low = excess.select_below(zero, low, l);
        high = excess.select_below(zero, l, high);
        // Newton's step on right/left = 1.
        let slope = (T::splat(2.0) * c2 * l + c1) * left - (right * (v[0] * b[0] + v[1] * b[1])).divide(left);
        let newton = l + (excess * left).divide(slope);
        let middle = ((low + high) * T::splat(0.5)).min(T::splat(4.0) * l + trace);
        let next = (low - newton).select_below(zero, (newton - high).select_below(zero, newton, middle), middle);
        let step = next - l;
        let close =
            (step.max(step.negative()) - next * T::splat(LAST_SLIDING_STEP) - trace * T::splat(1e-16)).max(zero);
        l = active.select_below(zero, l, next);
        active = close.select_below(zero, zero, active);
    }
    l = slick.select_below(zero, sticks.select_below(zero, l, zero), T::splat(1e150));
    let divisor = one.divide(((l + trace) * l + determinant).max(tiny));
    let mut t1 = (l * b[0] + a[0]).negative() * divisor;
    let mut t2 = (l * b[1] + a[1]).negative() * divisor;
    let normal = (q_n.negative() - r1 * t1 - r2 * t2).max(zero);
    let length = (t1 * t1 + t2 * t2).sqrt();
    let limit = friction * normal;
    // Exactly on the cone where it slides: that loses no digits where friction is small.
    let onto = sticks.select_below(zero, limit.divide(length.max(tiny)), one);
    let miss = (length - limit).max(limit - length) - T::splat(OFF_CONE) * (length + limit);
    let miss = sticks.max(slick).select_below(zero, miss, zero);
    let failed = active.max(singular).max(miss.select_below(zero, zero, one)) * (one - opens);
    t1 = t1 * onto;
    t2 = t2 * onto;
    let closing = one - opens;
    let mut p = [normal * closing, t1 * closing, t2 * closing];
    if failed.largest() > 0.0 {
        solve_slowly(w, q, friction, failed, 3, &mut p);
    }
    p
}

/// Those of eight contacts that failed, one by one.
#[cold]
#[inline(never)]
fn solve_slowly<T: Real>(w: [T; 6], q: [T; 3], friction: T, failed: T, axes: usize, p: &mut [T; 3]) {
    for i in 0..T::COUNT {
        if failed.lane(i) > 0.0 {
            let [nn, n1, n2, w11, w12, w22] = w.map(|entry| entry.lane(i));
            let block = [[nn, n1, n2], [n1, w11, w12], [n2, w12, w22]];
            let found = solve_coupled(&block, q.map(|entry| entry.lane(i)), friction.lane(i), axes);
            for k in 0..3 {
                p[k].set_lane(i, found[k]);
            }
        }
    }
}
