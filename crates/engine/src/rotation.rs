//! The free rotation of a body whose inertia is not the same about all axes (docs/method.md §2).
//!
//! Between impulses a free body keeps its angular momentum `L = R J Rᵀ ω`, while its spin changes as it turns. With
//! `π = J Ω` the angular momentum and `Ω` the spin in the body frame, Euler's equation `π̇ = π × Ω` is taken by the
//! implicit midpoint rule,
//!
//! ```text
//! π' − π = h π_m × Ω_m ,   π_m = J Ω_m = (π + π')/2 ,     R' = R cay(h Ω_m)
//! ```
//!
//! with Cayley's map `cay(θ)`, the rotation by the quaternion `(1, θ/2)` over its length. The first line is
//! `π' = cay(h Ω_m)ᵀ π`, so `R'π' = Rπ`: the angular momentum in space stays what it was. The rule keeps every quadratic
//! invariant, and so the energy `½ π·J⁻¹π` as well. Both hold to rounding, for any length of step; the angle turned is
//! exact to second order.

use glam::{DMat3, DQuat, DVec3};
use riprap_solve::{Dim, Vector};

/// A step is divided until a part turns by less than this, in radians.
const LONGEST_TURN: f64 = 0.1;
/// Moments that differ by less than this, relative to the largest, are equal: then the spin does not change.
const EQUAL: f64 = 1e-12;

/// Orientation and spin of a free body after `time`, with its principal moments of inertia.
pub fn turn_freely<D: Dim>(
    orientation: D::Orientation,
    spin: D::Spin,
    inertia: D::Spin,
    time: f64,
) -> (D::Orientation, D::Spin) {
    let moments = inertia.to_array3();
    let largest = moments.iter().copied().fold(0.0, f64::max);
    if D::SPINS == 1 || moments.iter().all(|moment| largest - moment <= EQUAL * largest) {
        return (D::turn(orientation, spin * time), spin);
    }
    let q = DQuat::from_array(D::quaternion(orientation));
    let (q, w) = turn_in_space(q, DVec3::from(spin.to_array3()), DVec3::from(moments), time);
    (D::from_quaternion(q.to_array()), D::Spin::from_array3(w.to_array()))
}

fn turn_in_space(mut q: DQuat, w: DVec3, j: DVec3, time: f64) -> (DQuat, DVec3) {
    if w == DVec3::ZERO {
        return (q, w);
    }
    let momentum = q * (j * (q.conjugate() * w));
    let parts = (w.length() * time.abs() / LONGEST_TURN).ceil().clamp(1.0, 1e6);
    let h = time / parts;
    for _ in 0..parts as u32 {
        // From the momentum in space each time, so that rounding does not add up.
        let pi = q.conjugate() * momentum;
        let middle = spin_at_middle(pi, j, h);
        let [x, y, z] = (middle * (0.5 * h)).to_array();
        q = (q * DQuat::from_xyzw(x, y, z, 1.0)).normalize();
    }
    (q, q * ((q.conjugate() * momentum) / j))
}

/// The spin `Ω_m` in the body frame with `J Ω_m − π − (h/2) (J Ω_m) × Ω_m = 0`, by Newton's method.
fn spin_at_middle(pi: DVec3, j: DVec3, h: f64) -> DVec3 {
    let mut w = pi / j;
    let tensor = DMat3::from_diagonal(j);
    for _ in 0..20 {
        let rest = j * w - pi - (j * w).cross(w) * (0.5 * h);
        let slope = tensor - (skew(j * w) - skew(w) * tensor) * (0.5 * h);
        let change = slope.inverse() * rest;
        w -= change;
        if change.length() <= 1e-15 * w.length() {
            break;
        }
    }
    w
}

/// The matrix of `v ×`.
fn skew(v: DVec3) -> DMat3 {
    DMat3::from_cols(DVec3::new(0.0, v.z, -v.y), DVec3::new(-v.z, 0.0, v.x), DVec3::new(v.y, -v.x, 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use riprap_solve::D3;

    fn energy(q: DQuat, w: DVec3, j: DVec3) -> f64 {
        let body = q.conjugate() * w;
        0.5 * body.dot(j * body)
    }

    fn momentum(q: DQuat, w: DVec3, j: DVec3) -> DVec3 {
        q * (j * (q.conjugate() * w))
    }

    #[test]
    fn angular_momentum_and_energy_stay_over_ten_thousand_turns() {
        let j = DVec3::new(1.0, 2.2, 2.9);
        let (mut q, mut w) = (DQuat::from_rotation_y(0.4), DVec3::new(0.3, 6.0, -0.5));
        let (start, first) = (momentum(q, w, j), energy(q, w, j));
        // About 20 steps a turn: so coarse that an explicit gyroscopic term would blow up in no time.
        let dt = 0.05;
        let steps = (1e4 * std::f64::consts::TAU / (w.length() * dt)) as usize;
        for _ in 0..steps {
            (q, w) = turn_freely::<D3>(q, w, j, dt);
        }
        // Rounding adds up at random: √(1e6 steps) × 1e-16 per operation, some ten operations each.
        assert!((momentum(q, w, j) - start).length() < 1e-12 * start.length());
        assert!((energy(q, w, j) - first).abs() < 1e-11 * first, "{:e}", energy(q, w, j) / first - 1.0);
    }

    /// A symmetric top: its axis goes round the angular momentum at `L/I₁`, at a constant angle.
    #[test]
    fn a_symmetric_top_precesses_at_its_rate() {
        let j = DVec3::new(1.0, 1.0, 1.7);
        let w = DVec3::new(0.8, 0.0, 2.0);
        let l = j * w;
        let rate = l.length() / j.x;
        let time = 7.3;
        let expected = DQuat::from_axis_angle(l.normalize(), rate * time) * DVec3::Z;
        let axis_after = |steps: usize| {
            let (mut q, mut spin) = (DQuat::IDENTITY, w);
            for _ in 0..steps {
                (q, spin) = turn_freely::<D3>(q, spin, j, time / steps as f64);
            }
            q * DVec3::Z
        };
        let errors = [400, 800, 1600].map(|steps| (axis_after(steps) - expected).length());
        // Second order: each halving of the step leaves a quarter.
        assert!(errors[0] < 2e-3, "{errors:?}");
        assert!((errors[0] / errors[1] - 4.0).abs() < 0.1 && (errors[1] / errors[2] - 4.0).abs() < 0.1, "{errors:?}");
    }

    /// Dzhanibekov's flip: a body that turns about its middle axis tumbles over, with the period of Jacobi's functions:
    /// `T = 4 K(k)/λ` for the angular momentum, and half of that between flips.
    #[test]
    fn a_body_that_turns_about_its_middle_axis_flips_with_the_closed_form_period() {
        let j = DVec3::new(1.0, 2.0, 3.0);
        let w = DVec3::new(0.01, 4.0, 0.0);
        let (l2, twice_t) = ((j * w).length_squared(), 2.0 * energy(DQuat::IDENTITY, w, j));
        // Landau and Lifshitz, Mechanics §37, for L² > 2E I₂ with I₁ < I₂ < I₃; here L² < 2E I₂, so 1 and 3 change places.
        assert!(l2 < twice_t * j.y);
        let (i1, i2, i3) = (j.z, j.y, j.x);
        let lambda = ((i3 - i2) * (twice_t * i1 - l2) / (i1 * i2 * i3)).abs().sqrt();
        let k2 = ((i2 - i1) * (twice_t * i3 - l2) / ((i3 - i2) * (twice_t * i1 - l2))).abs();
        let period = 4.0 * complete_elliptic_integral(k2) / lambda;
        let dt = 1e-3;
        let (mut q, mut spin, mut crossings) = (DQuat::IDENTITY, w, Vec::new());
        let mut before = w.y;
        for step in 1..60_000 {
            (q, spin) = turn_freely::<D3>(q, spin, j, dt);
            let now = (q.conjugate() * spin).y;
            if before * now < 0.0 {
                crossings.push(f64::from(step) * dt - dt * now / (now - before));
            }
            before = now;
        }
        assert!(crossings.len() >= 4);
        for pair in crossings.windows(2) {
            assert!((pair[1] - pair[0] - 0.5 * period).abs() < 1e-4 * period, "{pair:?} {period}");
        }
    }

    /// `K` by the arithmetic-geometric mean, for the square of the modulus.
    fn complete_elliptic_integral(k2: f64) -> f64 {
        let (mut a, mut b) = (1.0_f64, (1.0 - k2).sqrt());
        while (a - b).abs() > 1e-15 {
            (a, b) = (0.5 * (a + b), (a * b).sqrt());
        }
        0.5 * std::f64::consts::PI / a
    }
}
