//! Fits of damped oscillations.

use crate::{Fit, Unavailable};

/// `x = offset + e^{−t/τ} (sine sin ωt + cosine cos ωt)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Oscillation {
    /// The angular frequency ω.
    pub frequency: Fit,
    /// The decay time τ.
    pub decay: Fit,
    /// Where it comes to rest.
    pub offset: f64,
    /// The amplitude of the sine at `t = 0`.
    pub sine: f64,
    /// The amplitude of the cosine at `t = 0`.
    pub cosine: f64,
}

impl Oscillation {
    /// Its value at a time.
    pub fn at(&self, time: f64) -> f64 {
        let (sin, cos) = (self.frequency.value * time).sin_cos();
        self.offset + (-time / self.decay.value).exp() * (self.sine * sin + self.cosine * cos)
    }
}

/// The damped oscillation with the least squares through points `[t, x]`, in the order of time and evenly spaced.
///
/// Offset and amplitudes are linear; ω and τ are looked for on a grid that closes in. Their standard errors follow from the
/// curvature of the squares and take the points for independent.
pub fn damped_oscillation(points: &[[f64; 2]]) -> Result<Oscillation, Unavailable> {
    let count = points.len();
    if count < 20 {
        return Err(Unavailable::TooFew { what: "points for an oscillation", found: count, needed: 20 });
    }
    let (start, end) = (points[0][0], points[count - 1][0]);
    let (length, spacing) = (end - start, (end - start) / (count - 1) as f64);
    let squares = |omega: f64, tau: f64| Projection::new(points, start, omega, tau).rest;
    // From half a period in the whole stretch to a period of eight points; decays from five points to ten stretches.
    let ladder = |low: f64, high: f64, steps: usize| {
        (0..=steps).map(move |i| low * (high / low).powf(i as f64 / steps as f64)).collect::<Vec<f64>>()
    };
    let (slowest, fastest) = (std::f64::consts::PI / length, std::f64::consts::FRAC_PI_4 / spacing);
    let mut best = (f64::INFINITY, 0.0, 0.0);
    let try_at = |best: &mut (f64, f64, f64), omega: f64, tau: f64| {
        let rest = squares(omega, tau);
        if rest < best.0 {
            *best = (rest, omega, tau);
        }
    };
    for omega in ladder(slowest, fastest, 120) {
        for tau in ladder(5.0 * spacing, 10.0 * length, 12) {
            try_at(&mut best, omega, tau);
        }
    }
    let (mut omega_range, mut tau_range) = (0.06, 0.6);
    for _ in 0..28 {
        let (_, omega, tau) = best;
        for i in -4..=4 {
            for j in -4..=4 {
                let factor = |range: f64, k: i32| (range * f64::from(k) / 4.0).exp();
                try_at(&mut best, omega * factor(omega_range, i), tau * factor(tau_range, j));
            }
        }
        omega_range *= 0.6;
        tau_range *= 0.6;
    }
    let (rest, omega, tau) = best;
    // Half the second derivatives of the squares by the logarithms of ω and τ; their inverse times the variance of a
    // point is the covariance.
    let step = 1e-3;
    let at = |i: f64, j: f64| squares(omega * (i * step).exp(), tau * (j * step).exp());
    let half = |sum: f64| 0.5 * sum / (step * step);
    let (a, b) = (half(at(1.0, 0.0) + at(-1.0, 0.0) - 2.0 * rest), half(at(0.0, 1.0) + at(0.0, -1.0) - 2.0 * rest));
    let c = half(0.25 * (at(1.0, 1.0) + at(-1.0, -1.0) - at(1.0, -1.0) - at(-1.0, 1.0)));
    let variance = rest / (count - 5) as f64;
    let determinant = a * b - c * c;
    let fit = |value: f64, other: f64| {
        let uncertainty = value * (variance * other / determinant).sqrt();
        Fit { value, uncertainty, range: [start, end], points: count }
    };
    let [offset, sine, cosine] = Projection::new(points, start, omega, tau).amplitudes;
    // The amplitudes are those at the first point; turned back to `t = 0`.
    let (sin, cos) = (omega * start).sin_cos();
    let growth = (start / tau).exp();
    let (sine, cosine) = (growth * (sine * cos + cosine * sin), growth * (cosine * cos - sine * sin));
    Ok(Oscillation { frequency: fit(omega, b), decay: fit(tau, a), offset, sine, cosine })
}

/// The best offset and amplitudes for given ω and τ, and the sum of squares that they leave.
struct Projection {
    amplitudes: [f64; 3],
    rest: f64,
}

impl Projection {
    fn new(points: &[[f64; 2]], start: f64, omega: f64, tau: f64) -> Projection {
        let basis = |time: f64| {
            let (sin, cos) = (omega * (time - start)).sin_cos();
            let decay = (-(time - start) / tau).exp();
            [1.0, decay * sin, decay * cos]
        };
        // Normal equations of three unknowns, about the mean of the points so that nothing large cancels.
        let mean = points.iter().map(|point| point[1]).sum::<f64>() / points.len() as f64;
        let (mut matrix, mut right) = ([[0.0; 3]; 3], [0.0; 3]);
        for &[time, x] in points {
            let functions = basis(time);
            for i in 0..3 {
                right[i] += functions[i] * (x - mean);
                for j in 0..3 {
                    matrix[i][j] += functions[i] * functions[j];
                }
            }
        }
        let amplitudes = solved(matrix, right);
        let rest = points.iter().map(|&[time, x]| {
            let functions = basis(time);
            let fitted: f64 = (0..3).map(|i| amplitudes[i] * functions[i]).sum();
            (x - mean - fitted).powi(2)
        });
        let rest = rest.sum();
        Projection { amplitudes: [amplitudes[0] + mean, amplitudes[1], amplitudes[2]], rest }
    }
}

/// The solution of a positive definite system by elimination.
fn solved(mut matrix: [[f64; 3]; 3], mut right: [f64; 3]) -> [f64; 3] {
    for k in 0..3 {
        for i in k + 1..3 {
            let factor = matrix[i][k] / matrix[k][k];
            for j in k..3 {
                matrix[i][j] -= factor * matrix[k][j];
            }
            right[i] -= factor * right[k];
        }
    }
    let mut solution = [0.0; 3];
    for k in (0..3).rev() {
        let known: f64 = (k + 1..3).map(|j| matrix[k][j] * solution[j]).sum();
        solution[k] = (right[k] - known) / matrix[k][k];
    }
    solution
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;
    use rand_pcg::Pcg64;

    #[test]
    fn a_sampled_oscillation_is_found_within_its_error() {
        let mut random = Pcg64::new(3, 7);
        let points: Vec<[f64; 2]> = (0..250)
            .map(|i| {
                let t = 250.0 + f64::from(i);
                let x = 7.0 + 300.0 * (-t / 63.5).exp() * (0.1767 * t + 0.4).sin();
                [t, x + 0.01 * (random.random::<f64>() - 0.5)]
            })
            .collect();
        let fit = damped_oscillation(&points).unwrap();
        assert!((fit.frequency.value - 0.1767).abs() < 4.0 * fit.frequency.uncertainty, "{fit:?}");
        assert!((fit.decay.value - 63.5).abs() < 4.0 * fit.decay.uncertainty, "{fit:?}");
        assert!(fit.frequency.uncertainty < 1e-4 && fit.decay.uncertainty < 1.0, "{fit:?}");
        assert!((fit.offset - 7.0).abs() < 0.01);
        for [t, x] in points {
            assert!((fit.at(t) - x).abs() < 0.02, "{t} {x} {}", fit.at(t));
        }
    }

    #[test]
    fn too_few_points_are_refused() {
        assert!(damped_oscillation(&[[0.0, 1.0]; 19]).is_err());
    }
}
