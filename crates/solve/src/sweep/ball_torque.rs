//! Contacts between balls, or a ball and the ground, with torques, a step in the normal law, or both.
//!
//! Torques are divided by a length `ℓ` of the contact and spins multiplied by it (see `group.rs`), so that all is in units
//! of impulse and velocity; `ρ_i = ℓ/r_i`, and the body's spin is `s = r ω`. With `τ' = τ × n`, `Ω' = Ω × n`, which lie in
//! the tangent plane:
//!
//! ```text
//!   Ω   = ρ₂ s₂ − ρ₁ s₁ + shift
//!   u_n = p_n/m_n + …      Ω_n = d τ_n + …       each alone
//!   u_t = a p_t + c τ' + …                        a = (1+k)/m_n,  c = −k (ρ₂/m₂ − ρ₁/m₁)
//!   Ω'  = c p_t + d τ' + …                        d = k (ρ₂²/m₂ + ρ₁²/m₁)
//! ```
//!
//! So `p_n` and then `τ_n` have closed forms. Friction and rolling are the minimum of a convex function over two discs,
//! `|p_t| ≤ μ p_n`, `|τ'| ≤ μ_r p_n`. With the multiplier `λ ≥ 0` of the second, `p_t` has a closed form again, and
//! `|τ'(λ)|` falls as `λ` grows: one equation for one number, solved by Newton's method inside a bracket. Equal balls have
//! `c = 0`, and the first step is exact.

use super::ball::{BallContact, cut, inverse_length};
use super::config::Tuning;
use super::kernel::{Kernel, LocalError, Rows, Side, spin_gain};
use super::lanes::{Pack, Real, cross, wedge};

/// The kind of these contacts. Rows: those of `Ball`, then `hold`, `closing`, rolling and torsion limits over `ℓ`, `ρ₁`,
/// `ρ₂`, shift of the spin times `ℓ`. Components: force, then torque over `ℓ`.
#[derive(Clone, Copy)]
pub struct BallTorque<const N: usize, const S: usize, const C: usize>;

/// Steps after which the equation for `λ` is given up; bisection alone would need fewer for all digits.
const ROLLING_STEPS: usize = 80;
/// A step of `λ` below this part of it is the last: Newton's steps are squared from one to the next.
const LAST_ROLLING_STEP: f64 = 1e-9;
/// Stands for an infinite `d + λ`, where a contact may carry no rolling torque; finite, so that nothing is zero times infinity.
const NO_TORQUE: f64 = 1e250;

/// One contact, or eight.
pub struct BallTorqueContact<T, const N: usize, const S: usize> {
    ball: BallContact<T, N>,
    hold: T,
    closing: T,
    rolling: T,
    torsion: T,
    ratios: [T; 2],
    spin_shift: Pack<T, S>,
}

impl<T: Real, const N: usize, const S: usize> BallTorqueContact<T, N, S> {
    /// The normal impulse that the free step ends in: the staircase of `Cohesion`.
    #[inline(always)]
    fn staircase(&self, free: T, mass: T) -> T {
        free.min(self.hold).max(free - mass * self.closing).max(T::splat(0.0))
    }

    #[inline(always)]
    fn relative_spin(&self, sides: &[Side<T, N, S>; 2]) -> Pack<T, S> {
        sides[1].spin.times(self.ratios[1]) - sides[0].spin.times(self.ratios[0]) + self.spin_shift
    }

    #[inline(always)]
    fn turn(&self, torque: Pack<T, S>, sides: &mut [Side<T, N, S>; 2]) {
        let gain = T::splat(spin_gain(N));
        let [first, second] = sides;
        first.spin = first.spin - torque.times(gain * first.inverse_mass * self.ratios[0]);
        second.spin = second.spin + torque.times(gain * second.inverse_mass * self.ratios[1]);
    }

    /// `c` and `d`.
    #[inline(always)]
    fn coupling(&self, sides: &[Side<T, N, S>; 2]) -> (T, T) {
        let gain = T::splat(spin_gain(N));
        let (first, second) = (sides[0].inverse_mass * self.ratios[0], sides[1].inverse_mass * self.ratios[1]);
        let d = gain * (second * self.ratios[1] + first * self.ratios[0]);
        (gain * (first - second), d.max(T::splat(f64::MIN_POSITIVE)))
    }
}

/// The component of a spin along the normal; none in 2D, where a spin is a rolling spin.
#[inline(always)]
fn along<T: Real, const N: usize, const S: usize>(spin: Pack<T, S>, n: Pack<T, N>) -> T {
    let mut sum = T::splat(0.0);
    if S == 3 {
        for i in 0..3 {
            sum = sum + spin.0[i] * n.0[i];
        }
    }
    sum
}

/// A spin along the normal.
#[inline(always)]
fn about<T: Real, const N: usize, const S: usize>(n: Pack<T, N>, size: T) -> Pack<T, S> {
    let mut result = Pack::zero();
    if S == 3 {
        for i in 0..3 {
            result.0[i] = n.0[i] * size;
        }
    }
    result
}

impl<const N: usize, const S: usize, const C: usize> Kernel<N, S, C> for BallTorque<N, S, C> {
    const ROWS: usize = 2 * N + 2 + 6 + S;
    type Contact<T: Real> = BallTorqueContact<T, N, S>;

    #[inline(always)]
    fn contact<T: Real>(rows: Rows<T>, tuning: Tuning) -> BallTorqueContact<T, N, S> {
        let first = 2 * N + 2;
        BallTorqueContact {
            ball: BallContact::read(rows, Self::ROWS, tuning),
            hold: rows.get(first),
            closing: rows.get(first + 1),
            rolling: rows.get(first + 2),
            torsion: rows.get(first + 3),
            ratios: [rows.get(first + 4), rows.get(first + 5)],
            spin_shift: rows.pack(first + 6),
        }
    }

    #[inline(always)]
    fn update<T: Real, const SPECIAL: bool>(
        contact: &BallTorqueContact<T, N, S>,
        impulse: &mut Pack<T, C>,
        sides: &mut [Side<T, N, S>; 2],
        tuning: Tuning,
    ) {
        let ball = &contact.ball;
        let n = ball.normal;
        let (p, torque) = split::<T, N, S, C>(*impulse);
        let u = ball.velocity::<S, SPECIAL>(p, sides, tuning);
        let spin = contact.relative_spin(sides);
        let m_n = ball.normal_mass::<SPECIAL>(tuning);
        let (u_n, p_n_old) = (u.dot(n), p.dot(n));
        let mut p_n = contact.staircase(p_n_old - m_n * u_n, m_n);
        let (c, d) = contact.coupling(sides);

        let (u_t, p_t) = (u - n.times(u_n), p - n.times(p_n_old));
        let torque_n = along(torque, n);
        let rolling_torque = cross(torque, n);
        // An empty lane has no mass; its inverse is never used for anything but zeros.
        let a = T::splat(1.0 + spin_gain(N)).divide(m_n.max(T::splat(f64::MIN_POSITIVE)));
        let block = Rolling {
            a,
            c,
            d,
            b1: u_t - p_t.times(a) - rolling_torque.times(c),
            b2: cross(spin, n) - p_t.times(c) - rolling_torque.times(d),
        };
        if SPECIAL {
            // How far the contact slides is measured by the tangential impulse that it would need to stick.
            let free = block.b1.dot(block.b1).divide(a * a);
            let part = tuning.part(ball.friction * p_n, inverse_length(free));
            p_n = (p_n_old + part * (p_n - p_n_old)).max(T::splat(0.0));
        }
        let (new_t, new_rolling) = block.solve(ball.friction * p_n, contact.rolling * p_n);
        let limit = contact.torsion * p_n;
        let new_n = (torque_n - along(spin, n).divide(d)).min(limit).max(limit.negative());

        let new = n.times(p_n) + new_t;
        let new_torque = wedge::<T, N, S>(n, new_rolling) + about::<T, N, S>(n, new_n);
        *impulse = join(new, new_torque);
        ball.give(new - p, sides);
        contact.turn(new_torque - torque, sides);
    }

    #[inline(always)]
    fn give<T: Real>(contact: &BallTorqueContact<T, N, S>, impulse: Pack<T, C>, sides: &mut [Side<T, N, S>; 2]) {
        let (force, torque) = split::<T, N, S, C>(impulse);
        contact.ball.give(force, sides);
        contact.turn(torque, sides);
    }

    /// The map of `TorqueLaw::error`, with `ρ = m_n`.
    #[inline(always)]
    fn local_error<T: Real>(
        contact: &BallTorqueContact<T, N, S>,
        impulse: Pack<T, C>,
        sides: &[Side<T, N, S>; 2],
        tuning: Tuning,
    ) -> LocalError<T> {
        let ball = &contact.ball;
        let n = ball.normal;
        let (p, torque) = split::<T, N, S, C>(impulse);
        let u = ball.velocity::<S, true>(p, sides, tuning);
        let spin = contact.relative_spin(sides);
        let m_n = ball.normal_mass::<true>(tuning);
        let (u_n, p_n) = (u.dot(n), p.dot(n));
        let normal = p_n - contact.staircase(p_n - m_n * u_n, m_n);
        let pressing = p_n.max(T::splat(0.0));

        let p_t = p - n.times(p_n);
        let z = p_t - (u - n.times(u_n)).times(m_n);
        let sliding = p_t - z.times(cut(ball.friction * pressing, z.dot(z)));

        let rolling_torque = cross(torque, n);
        let z = rolling_torque - cross(spin, n).times(m_n);
        let rolling = rolling_torque - z.times(cut(contact.rolling * pressing, z.dot(z)));

        let torque_n = along(torque, n);
        let limit = contact.torsion * pressing;
        let torsion = torque_n - (torque_n - m_n * along(spin, n)).min(limit).max(limit.negative());
        let error = normal * normal + sliding.dot(sliding) + rolling.dot(rolling) + torsion * torsion;
        LocalError { error, mass: m_n, shift: ball.shift.dot(ball.shift) }
    }

    #[inline(always)]
    fn normal<T: Real>(contact: &BallTorqueContact<T, N, S>) -> Pack<T, N> {
        contact.ball.normal
    }
}

#[inline(always)]
fn split<T: Real, const N: usize, const S: usize, const C: usize>(impulse: Pack<T, C>) -> (Pack<T, N>, Pack<T, S>) {
    let (mut force, mut torque) = (Pack::zero(), Pack::zero());
    for i in 0..N {
        force.0[i] = impulse.0[i];
    }
    for i in 0..S {
        torque.0[i] = impulse.0[N + i];
    }
    (force, torque)
}

#[inline(always)]
fn join<T: Real, const N: usize, const S: usize, const C: usize>(force: Pack<T, N>, torque: Pack<T, S>) -> Pack<T, C> {
    let mut impulse = Pack::zero();
    for i in 0..N {
        impulse.0[i] = force.0[i];
    }
    for i in 0..S {
        impulse.0[N + i] = torque.0[i];
    }
    impulse
}

/// Friction and rolling in the tangent plane: `u_t = a p + c τ + b₁`, `Ω' = c p + d τ + b₂`.
struct Rolling<T, const N: usize> {
    a: T,
    c: T,
    d: T,
    b1: Pack<T, N>,
    b2: Pack<T, N>,
}

impl<T: Real, const N: usize> Rolling<T, N> {
    /// `p` within `friction` and `τ` within `rolling`, each opposite to its velocity where it is at its limit.
    #[inline(always)]
    fn solve(&self, friction: T, rolling: T) -> (Pack<T, N>, Pack<T, N>) {
        let (zero, one, tiny) = (T::splat(0.0), T::splat(1.0), T::splat(f64::MIN_POSITIVE));
        let e_free = self.d;
        let (p, w, _) = self.given(e_free, friction);
        let excess = w.dot(w).sqrt() - rolling * e_free;
        // With e = d + λ: the torque alone gives the first guess, and a bound on what friction can add the last.
        let length_2 = self.b2.dot(self.b2).sqrt();
        let radius = rolling.max(tiny);
        let mut low = e_free;
        let mut high =
            (length_2 + self.c.max(self.c.negative()) * friction).divide(radius).max(e_free) * T::splat(1.0 + 1e-9);
        // Where rolling is not limited, e stays; where it may not be at all, e is as good as infinite.
        let open = rolling.select_below(zero, T::splat(NO_TORQUE), e_free);
        let free = excess.select_below(zero, one, rolling.select_below(zero, one, zero));
        let mut e = free.select_below(zero, w.dot(w).sqrt().divide(radius).max(low).min(high), open);
        let mut active = one - free;
        for _ in 0..ROLLING_STEPS {
            if active.largest() <= 0.0 {
                break;
            }
            let (_, w, slope) = self.given(e, friction);
            let length = w.dot(w).sqrt();
            let value = length - rolling * e;
            low = value.select_below(zero, low, e);
            high = value.select_below(zero, e, high);
            let fall = rolling - slope.dot(w).divide(length.max(tiny));
            let newton = e + value.divide(fall.max(tiny));
            let middle = (low + high) * T::splat(0.5);
            let next = (low - newton).select_below(zero, (newton - high).select_below(zero, newton, middle), middle);
            let step = next - e;
            let close = (step.max(step.negative()) - e * T::splat(LAST_ROLLING_STEP)).max(zero);
            e = active.select_below(zero, e, next);
            active = close.select_below(zero, zero, active);
        }
        let (p_limited, w, _) = self.given(e, friction);
        let torque = w.times(one.divide(e).negative());
        let torque = torque.times(cut(rolling, torque.dot(torque)));
        let unlimited = excess.select_below(zero, one, zero);
        let mut chosen = p_limited;
        for i in 0..N {
            chosen.0[i] = unlimited.select_below(zero, p_limited.0[i], p.0[i]);
        }
        (chosen, torque)
    }

    /// For `e = d + λ`: `p`, `b₂ + c p` and its derivative by `e`.
    #[inline(always)]
    fn given(&self, e: T, friction: T) -> (Pack<T, N>, Pack<T, N>, Pack<T, N>) {
        let (one, tiny) = (T::splat(1.0), T::splat(f64::MIN_POSITIVE));
        let inverse = one.divide(e.max(tiny));
        let ratio = self.c * inverse;
        let g = self.b1 - self.b2.times(ratio);
        let s = (self.a - self.c * ratio).max(tiny);
        let length = g.dot(g).sqrt().max(tiny);
        let stick = one.divide(s);
        let slide = friction.divide(length);
        let slides = slide - stick;
        let factor = slides.select_below(T::splat(0.0), slide, stick);
        let p = g.times(factor.negative());
        let w = self.b2 + p.times(self.c);
        // g' = (c/e²) b₂ and s' = (c/e)².
        let change = self.b2.times(ratio * inverse);
        let radial = g.times(g.dot(change).divide(length * length));
        let slid = (change - radial).times(slide.negative());
        let stuck = (change - g.times(ratio * ratio * stick)).times(stick.negative());
        let mut slope = Pack::zero();
        for i in 0..N {
            slope.0[i] = slides.select_below(T::splat(0.0), slid.0[i], stuck.0[i]) * self.c;
        }
        (p, w, slope)
    }
}
