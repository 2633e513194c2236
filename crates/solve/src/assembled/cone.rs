//! The cone of a contact with 2, 3 or 5 rows, and how far a contact is from its law.

/// Coulomb's `μ` and the limit of rolling of one contact (zero where there is none).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// Coulomb's `μ`.
    pub friction: f64,
    /// The limit `μ_r` of rolling, in the length of the problem.
    pub rolling: f64,
}

/// The length of the sliding rows.
pub fn sliding<const S: usize>(y: &[f64; S]) -> f64 {
    if S == 2 { y[1].abs() } else { (y[1] * y[1] + y[2] * y[2]).sqrt() }
}

/// The length of the rolling rows.
pub fn turning<const S: usize>(y: &[f64; S]) -> f64 {
    if S == 5 { (y[3] * y[3] + y[4] * y[4]).sqrt() } else { 0.0 }
}

/// The point of the cone `|y_t| ≤ μ y_n`, `|y_ρ| ≤ μ_r y_n` nearest to `y`.
///
/// It is the `s ≥ 0` that minimises `(s−y_n)² + max(0,|y_t|−μs)² + max(0,|y_ρ|−μ_r s)²`, both parts then cut to it.
#[inline]
pub fn project<const S: usize>(y: &[f64; S], limits: Limits) -> [f64; S] {
    let Limits { friction, rolling } = limits;
    let t = sliding(y);
    if S < 5 {
        return if y[0] >= 0.0 && t <= friction * y[0] {
            *y
        } else if friction * t <= -y[0] {
            [0.0; S]
        } else {
            cut(y, ((y[0] + friction * t) / (1.0 + friction * friction)).max(0.0), limits)
        };
    }
    let r = turning(y);
    let over = |s: f64| (t > friction * s, r > rolling * s);
    let candidate = |(a, b): (bool, bool)| {
        let (a, b) = (f64::from(u8::from(a)), f64::from(u8::from(b)));
        ((y[0] + a * friction * t + b * rolling * r) / (1.0 + a * friction * friction + b * rolling * rolling)).max(0.0)
    };
    // The objective is convex and once differentiable, so the candidate that confirms its own case is the minimum; of
    // those that by rounding do not quite, the best.
    let mut s = candidate((true, true));
    let cases = [(false, false), (true, false), (false, true), (true, true)];
    match cases.into_iter().find(|&case| over(candidate(case)) == case) {
        Some(case) => s = candidate(case),
        None => {
            let cost =
                |s: f64| (s - y[0]).powi(2) + (t - friction * s).max(0.0).powi(2) + (r - rolling * s).max(0.0).powi(2);
            for case in cases {
                if cost(candidate(case)) < cost(s) {
                    s = candidate(case);
                }
            }
        }
    }
    cut(y, s, limits)
}

/// `y` with normal part `s` and the other parts cut to the cone there.
#[inline]
pub fn cut<const S: usize>(y: &[f64; S], s: f64, limits: Limits) -> [f64; S] {
    let mut nearest = *y;
    nearest[0] = s;
    let (t, r) = (sliding(y), turning(y));
    if t > limits.friction * s {
        let factor = limits.friction * s / t;
        for i in 1..S.min(3) {
            nearest[i] *= factor;
        }
    }
    if S == 5 && r > limits.rolling * s {
        let factor = limits.rolling * s / r;
        for i in 3..S {
            nearest[i] *= factor;
        }
    }
    nearest
}

/// The square of the natural-map error `|r − P_K(r − u − (μ|u_t| + μ_r|u_ρ|) n)|` of one contact.
#[inline]
pub fn natural_map_square<const S: usize>(r: &[f64; S], u: &[f64; S], limits: Limits) -> f64 {
    let mut y: [f64; S] = std::array::from_fn(|i| r[i] - u[i]);
    y[0] -= limits.friction * sliding(u) + limits.rolling * turning(u);
    let nearest = project(&y, limits);
    (0..S).map(|i| (r[i] - nearest[i]).powi(2)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::project_on_cone;
    use proptest::prelude::*;

    proptest! {
        /// The projection is in the cone, and what it takes away is in the polar cone and orthogonal to it: `y − P(y)` is
        /// against no direction of the cone. That is the definition of the nearest point of a convex cone.
        #[test]
        fn the_projection_is_the_nearest_point(
            y in prop::array::uniform5(-2.0..2.0f64),
            friction in prop_oneof![Just(0.0), 0.0..3.0f64],
            rolling in prop_oneof![Just(0.0), 0.0..3.0f64],
        ) {
            let limits = Limits { friction, rolling };
            let p = project(&y, limits);
            prop_assert!(sliding(&p) <= friction * p[0] + 1e-12 && turning(&p) <= rolling * p[0] + 1e-12);
            let away: [f64; 5] = std::array::from_fn(|i| y[i] - p[i]);
            let along: f64 = (0..5).map(|i| away[i] * p[i]).sum();
            prop_assert!(along.abs() < 1e-11);
            prop_assert!(away[0] + friction * sliding(&away) + rolling * turning(&away) < 1e-11);
            let three = project(&[y[0], y[1], y[2]], limits);
            let known = project_on_cone([y[0], y[1], y[2]], friction);
            prop_assert!((0..3).all(|i| (three[i] - known[i]).abs() < 1e-12));
        }
    }
}
