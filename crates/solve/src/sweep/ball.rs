//! Contacts between balls, or a ball and the ground, with Signorini's and Coulomb's laws.
//!
//! With scaled spins `s = r ω` (see `problem.rs`), `k = m r²/I`:
//!
//! ```text
//!   u   = v₂ − v₁ − (s₁ + s₂) × n            relative velocity, docs/method.md §1
//!   1/m_n = 1/m₁ + 1/m₂,   1/m_t = (1+k)/m_n   P1 17–18: normal and tangent are not coupled
//!   p_n ← max(0, p_n − m_n ũ_n)               Signorini, ũ = u + shift
//!   p_t ← p_t − m_t ũ_t, cut at μ p_n         Coulomb, P1 34: exact, no iteration
//!   v₂ += δp/m₂,  v₁ −= δp/m₁,  s −= k n × δp/m  on both
//! ```
//!
//! One visit reads 64 bytes of constants, 24 of the impulse and 8 of its bodies' numbers, writes 24, and moves two bodies
//! of 64 bytes; it takes about 110 operations (in 3D).

use super::config::Tuning;
use super::kernel::{Kernel, LocalError, Rows, Side, spin_gain};
use super::lanes::{Pack, Real, cross, wedge};

/// The kind of these contacts. Rows: normal, shift, `m_n`, `μ`.
#[derive(Clone, Copy)]
pub struct Ball<const N: usize, const S: usize>;

/// One contact, or eight.
pub struct BallContact<T, const N: usize> {
    /// Unit normal.
    pub normal: Pack<T, N>,
    /// Shift of the relative velocity.
    pub shift: Pack<T, N>,
    /// `m_n` without compliance.
    pub mass: T,
    /// Coulomb's `μ`.
    pub friction: T,
    /// The impulse without deformation, of a compliant contact.
    pub undeformed: Pack<T, N>,
}

impl<T: Real, const N: usize> BallContact<T, N> {
    /// Reads what all ball contacts have; the impulse without deformation stands in the rows from `undeformed` on.
    #[inline(always)]
    pub fn read(rows: Rows<T>, undeformed: usize, tuning: Tuning) -> Self {
        BallContact {
            normal: rows.pack(0),
            shift: rows.pack(N),
            mass: rows.get(2 * N),
            friction: rows.get(2 * N + 1),
            undeformed: if tuning.compliance > 0.0 { rows.pack(undeformed) } else { Pack::zero() },
        }
    }

    /// `ũ`, with the deformation of a compliant contact.
    #[inline(always)]
    pub fn velocity<const S: usize, const SPECIAL: bool>(
        &self,
        p: Pack<T, N>,
        sides: &[Side<T, N, S>; 2],
        tuning: Tuning,
    ) -> Pack<T, N> {
        let turning = cross(sides[0].spin + sides[1].spin, self.normal);
        let u = sides[1].velocity - sides[0].velocity - turning + self.shift;
        if !SPECIAL || tuning.compliance == 0.0 {
            return u;
        }
        let more = p - self.undeformed;
        let along = self.normal.times(more.dot(self.normal));
        let soft = T::splat(tuning.compliance);
        u + along.times(soft) + (more - along).times(soft * T::splat(1.0 + spin_gain(N)))
    }

    /// `m_n`, reduced by the compliance.
    #[inline(always)]
    pub fn normal_mass<const SPECIAL: bool>(&self, tuning: Tuning) -> T {
        if !SPECIAL || tuning.compliance == 0.0 {
            return self.mass;
        }
        self.mass.divide(T::splat(1.0) + T::splat(tuning.compliance) * self.mass)
    }

    /// Applies an impulse to the two bodies.
    #[inline(always)]
    pub fn give<const S: usize>(&self, impulse: Pack<T, N>, sides: &mut [Side<T, N, S>; 2]) {
        let turn = wedge::<T, N, S>(self.normal, impulse).times(T::splat(spin_gain(N)));
        let [first, second] = sides;
        first.velocity = first.velocity - impulse.times(first.inverse_mass);
        second.velocity = second.velocity + impulse.times(second.inverse_mass);
        first.spin = first.spin - turn.times(first.inverse_mass);
        second.spin = second.spin - turn.times(second.inverse_mass);
    }
}

/// The part of the tangent `length` (squared) that `limit` allows.
#[inline(always)]
pub fn cut<T: Real>(limit: T, square: T) -> T {
    limit.divide(square.sqrt().max(T::splat(f64::MIN_POSITIVE))).min(T::splat(1.0))
}

/// One over the length of a vector with this square, finite.
#[inline(always)]
pub fn inverse_length<T: Real>(square: T) -> T {
    T::splat(1.0).divide(square.sqrt().max(T::splat(f64::MIN_POSITIVE)))
}

impl<const N: usize, const S: usize> Kernel<N, S, N> for Ball<N, S> {
    const ROWS: usize = 2 * N + 2;
    type Contact<T: Real> = BallContact<T, N>;

    #[inline(always)]
    fn contact<T: Real>(rows: Rows<T>, tuning: Tuning) -> BallContact<T, N> {
        BallContact::read(rows, Self::ROWS, tuning)
    }

    #[inline(always)]
    fn update<T: Real, const SPECIAL: bool>(
        contact: &BallContact<T, N>,
        impulse: &mut Pack<T, N>,
        sides: &mut [Side<T, N, S>; 2],
        tuning: Tuning,
    ) {
        let n = contact.normal;
        let p = *impulse;
        let u = contact.velocity::<S, SPECIAL>(p, sides, tuning);
        let (u_n, p_n_old) = (u.dot(n), p.dot(n));
        let mut m_n = contact.normal_mass::<SPECIAL>(tuning);
        if SPECIAL {
            m_n = m_n * T::splat(tuning.relaxation);
        }
        let m_t = m_n * T::splat(1.0 / (1.0 + spin_gain(N)));
        let mut p_n = (p_n_old - m_n * u_n).max(T::splat(0.0));
        let trial = p - n.times(p_n_old) - (u - n.times(u_n)).times(m_t);
        let square = trial.dot(trial);
        let kept = if SPECIAL {
            let inverse = inverse_length(square);
            p_n = (p_n_old + tuning.part(contact.friction * p_n, inverse) * (p_n - p_n_old)).max(T::splat(0.0));
            (contact.friction * p_n * inverse).min(T::splat(1.0))
        } else {
            cut(contact.friction * p_n, square)
        };
        let new = n.times(p_n) + trial.times(kept);
        *impulse = new;
        contact.give(new - p, sides);
    }

    #[inline(always)]
    fn give<T: Real>(contact: &BallContact<T, N>, impulse: Pack<T, N>, sides: &mut [Side<T, N, S>; 2]) {
        contact.give(impulse, sides);
    }

    /// The natural map of `law::natural_map_error`, with `ρ = m_n`.
    #[inline(always)]
    fn local_error<T: Real>(
        contact: &BallContact<T, N>,
        p: Pack<T, N>,
        sides: &[Side<T, N, S>; 2],
        tuning: Tuning,
    ) -> LocalError<T> {
        let u = contact.velocity::<S, true>(p, sides, tuning);
        let m_n = contact.normal_mass::<true>(tuning);
        let error = cone_error(p, u, contact.normal, contact.friction, m_n);
        LocalError { error, mass: m_n, shift: contact.shift.dot(contact.shift) }
    }

    #[inline(always)]
    fn normal<T: Real>(contact: &BallContact<T, N>) -> Pack<T, N> {
        contact.normal
    }
}

/// The square of `|p − P_K(p − ρ (ũ + μ|ũ_t| n))|`.
#[inline(always)]
pub fn cone_error<T: Real, const N: usize>(p: Pack<T, N>, u: Pack<T, N>, n: Pack<T, N>, mu: T, rho: T) -> T {
    let (zero, one) = (T::splat(0.0), T::splat(1.0));
    let u_n = u.dot(n);
    let u_t = u - n.times(u_n);
    let y = p - (u + n.times(mu * u_t.dot(u_t).sqrt())).times(rho);
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
    error.dot(error)
}
