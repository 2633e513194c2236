//! One contact of an assembled problem: its block, prepared once, and its exact solution.

use super::cone::{Limits, sliding};
use crate::law::{SIZE, TorqueLaw, solve_coupled};
use crate::sweep::SweepStats;

/// Determinant of the tangential block over the square of its trace below which the careful solution is asked: six digits of
/// it are left.
const SINGULAR: f64 = 1e-9;
/// Newton steps on `λ`. It starts from the last impulse and converges quadratically; what does not is left to the careful
/// solution. Chosen, not measured.
const LAMBDA_STEPS: usize = 12;
/// A step of `λ` below this part of it is the last: the error after a step is about the square of the step.
const LAST_LAMBDA_STEP: f64 = 1e-8;
/// How far the impulse may be off the cone before it is put onto it: more means that the step was not the last.
const ON_CONE: f64 = 1e-9;

/// The block of a contact on the diagonal of `W`, and what follows from it.
#[derive(Clone, Copy, Debug)]
pub struct OneContact<const S: usize> {
    /// The block, by columns.
    pub block: [[f64; S]; S],
    /// Its law.
    pub limits: Limits,
    /// `S = W_tt − w_tn w_nt/w_nn` as `s11, s12, s21, s22`, in 3D.
    s: [f64; 4],
    trace: f64,
    /// Zero where the block is too close to singular for the direct way.
    determinant: f64,
    /// `1/w_nn`.
    inverse: f64,
}

impl<const S: usize> OneContact<S> {
    /// Prepares a block, given by columns.
    pub fn new(block: [[f64; S]; S], limits: Limits) -> Self {
        let inverse = 1.0 / block[0][0];
        let mut contact = OneContact { block, limits, s: [0.0; 4], trace: 0.0, determinant: 0.0, inverse };
        if S == 3 {
            let s = |i: usize, j: usize| block[j][i] - block[0][i] * block[j][0] * inverse;
            contact.s = [s(1, 1), s(1, 2), s(2, 1), s(2, 2)];
            contact.trace = contact.s[0] + contact.s[3];
            let determinant = contact.s[0] * contact.s[3] - contact.s[1] * contact.s[2];
            contact.determinant =
                if determinant > SINGULAR * contact.trace * contact.trace { determinant } else { 0.0 };
        }
        contact
    }

    /// The impulse that satisfies the law when the velocity without it is `q`; `r` is the impulse to start from.
    #[inline]
    pub fn solve(&self, q: &[f64; S], r: &[f64; S]) -> [f64; S] {
        if q[0] >= 0.0 {
            return [0.0; S];
        }
        if S == 3
            && let Some(p) = self.directly([q[0], q[1], q[2]], [r[0], r[1], r[2]])
        {
            return std::array::from_fn(|i| p[i]);
        }
        self.carefully(q, r)
    }

    /// Stick by the inverse of the block, or sliding by Newton's method on the equation in `λ` of `law/coupled.rs`, from
    /// where the contact is. `None` where that is not certain to be right.
    #[inline]
    fn directly(&self, q: [f64; 3], r: [f64; 3]) -> Option<[f64; 3]> {
        let OneContact { block: w, trace, determinant, inverse, .. } = *self;
        let [s11, s12, s21, s22] = self.s;
        let friction = self.limits.friction;
        if determinant == 0.0 || friction == 0.0 {
            return None;
        }
        let (w_nt1, w_nt2) = (w[1][0] * inverse, w[2][0] * inverse);
        let free = -q[0] * inverse;
        let b = [q[1] + w[0][1] * free, q[2] + w[0][2] * free];
        let a = [s22 * b[0] - s12 * b[1], s11 * b[1] - s21 * b[0]];
        // λ = 0: stick, if it is inside of the cone.
        let over = 1.0 / determinant;
        let stick = [-a[0] * over, -a[1] * over];
        let normal = free - w_nt1 * stick[0] - w_nt2 * stick[1];
        let stick_square = stick[0] * stick[0] + stick[1] * stick[1];
        if normal >= 0.0 && stick_square <= friction * friction * normal * normal {
            return Some([normal, stick[0], stick[1]]);
        }
        let c2 = friction * free;
        let c1 = c2 * trace + friction * (w_nt1 * b[0] + w_nt2 * b[1]);
        let c0 = c2 * determinant + friction * (w_nt1 * a[0] + w_nt2 * a[1]);
        let r_t = sliding(&r);
        let mut l = if r_t > 0.0 {
            // λ = |u_t|/|r_t|, with u_t as the present impulse leaves it.
            let u1 = q[1] + w[0][1] * r[0] + w[1][1] * r[1] + w[2][1] * r[2];
            let u2 = q[2] + w[0][2] * r[0] + w[1][2] * r[1] + w[2][2] * r[2];
            ((u1 * u1 + u2 * u2).sqrt()) / r_t
        } else {
            ((b[0] * b[0] + b[1] * b[1]).sqrt() / c2 - 0.5 * trace).max(0.0)
        };
        for _ in 0..LAMBDA_STEPS {
            let v = [l * b[0] + a[0], l * b[1] + a[1]];
            let left = (v[0] * v[0] + v[1] * v[1]).sqrt();
            let value = left - ((c2 * l + c1) * l + c0);
            let slope = (v[0] * b[0] + v[1] * b[1]) / left - (2.0 * c2 * l + c1);
            let step = value / slope;
            l -= step;
            if l < 0.0 || !l.is_finite() {
                return None;
            }
            if step.abs() <= LAST_LAMBDA_STEP * (l + trace) {
                let over = 1.0 / ((l + trace) * l + determinant);
                let t = [-(l * b[0] + a[0]) * over, -(l * b[1] + a[1]) * over];
                let normal = free - w_nt1 * t[0] - w_nt2 * t[1];
                let length = (t[0] * t[0] + t[1] * t[1]).sqrt();
                let factor = friction * normal / length;
                let is_right = normal > 0.0 && (factor - 1.0).abs() < ON_CONE;
                return is_right.then(|| [normal, t[0] * factor, t[1] * factor]);
            }
        }
        None
    }

    /// The solution that never fails.
    #[cold]
    fn carefully(&self, q: &[f64; S], r: &[f64; S]) -> [f64; S] {
        if S == 5 {
            return self.with_rolling(q, r);
        }
        let mut w = [[0.0; 3]; 3];
        let mut free = [0.0; 3];
        for i in 0..S.min(3) {
            free[i] = q[i];
            for j in 0..S.min(3) {
                w[i][j] = self.block[j][i];
            }
        }
        let p = solve_coupled(&w, free, self.limits.friction, S);
        std::array::from_fn(|i| p[i])
    }

    /// With rolling: by [`TorqueLaw`], with its torsion (row 3) left out.
    fn with_rolling(&self, q: &[f64; S], r: &[f64; S]) -> [f64; S] {
        const PLACE: [usize; 5] = [0, 1, 2, 4, 5];
        let law = TorqueLaw::new(3, self.limits.friction, Some([self.limits.rolling, 0.0]), 0.0, 0.0);
        let mut w = [[0.0; SIZE]; SIZE];
        let (mut free, mut start) = ([0.0; SIZE], [0.0; SIZE]);
        w[3][3] = self.block[0][0];
        for i in 0..S {
            free[PLACE[i]] = q[i];
            start[PLACE[i]] = r[i];
            for j in 0..S {
                w[PLACE[i]][PLACE[j]] = self.block[j][i];
            }
        }
        let p = law.solve(&w, free, start);
        std::array::from_fn(|i| p[PLACE[i]])
    }
}

/// Visits contacts one after the other.
pub fn visit_all(contacts: impl Iterator<Item = usize>, mut visit: impl FnMut(usize, &mut SweepStats)) -> SweepStats {
    let mut stats = SweepStats::default();
    contacts.for_each(|contact| visit(contact, &mut stats));
    stats
}

/// `Σ w (y − p)·(p − r)` over the contacts: momentum restarts where it is positive.
pub fn progress<const S: usize>(contacts: &[OneContact<S>], p: &[[f64; S]], y: &[[f64; S]], r: &[[f64; S]]) -> f64 {
    let mut total = 0.0;
    for (((p, y), r), one) in p.iter().zip(y).zip(r).zip(contacts) {
        let mut sum = 0.0;
        for i in 0..S {
            sum += (y[i] - p[i]) * (p[i] - r[i]);
        }
        total += sum * one.block[0][0];
    }
    total
}

#[cfg(test)]
mod tests {
    use super::super::cone::natural_map_square;
    use super::*;
    use proptest::prelude::*;

    fn check<const S: usize>(a: &[[f64; S]; S], q: &[f64; S], r: &[f64; S], limits: Limits, soft: f64) -> f64 {
        let block: [[f64; S]; S] = std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                (0..S).map(|k| a[i][k] * a[j][k]).sum::<f64>() + if i == j { 0.05 + soft } else { 0.0 }
            })
        });
        let p = OneContact::new(block, limits).solve(q, r);
        let u: [f64; S] = std::array::from_fn(|i| q[i] + (0..S).map(|j| block[j][i] * p[j]).sum::<f64>());
        let size: f64 = p.iter().chain(q).map(|x| x * x).sum();
        (natural_map_square(&p, &u, limits) / size).sqrt()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5_000))]
        /// The law holds to rounding, whatever the impulse to start from.
        #[test]
        fn the_law_holds(
            a in prop::array::uniform5(prop::array::uniform5(-1.0..1.0f64)),
            q in prop::array::uniform5(-1.0..1.0f64),
            r in prop::array::uniform5(-1.0..1.0f64),
            friction in prop_oneof![Just(0.0), 0.0..1.0f64, 1.0..10.0f64],
            rolling in prop_oneof![Just(0.0), 0.0..1.0f64],
            soft in 0.0..0.5f64,
        ) {
            let limits = Limits { friction, rolling };
            prop_assert!(check(&a, &q, &r, limits, soft) < 1e-9);
            let limits = Limits { friction, rolling: 0.0 };
            let three = |x: &[f64; 5]| [x[0], x[1], x[2]];
            prop_assert!(check(&[three(&a[0]), three(&a[1]), three(&a[2])], &three(&q), &three(&r), limits, soft) < 1e-9);
            let two = |x: &[f64; 5]| [x[0], x[1]];
            prop_assert!(check(&[two(&a[0]), two(&a[1])], &two(&q), &two(&r), limits, soft) < 1e-9);
        }
    }
}
