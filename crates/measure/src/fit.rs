//! Fits. None gives a number without its uncertainty, the range that it holds in and the number of points.

use crate::Unavailable;

/// A fitted number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fit {
    /// The number.
    pub value: f64,
    /// Its standard error, from the scatter of the points alone.
    pub uncertainty: f64,
    /// Where the points lie that it was fitted to.
    pub range: [f64; 2],
    /// How many points there are.
    pub points: usize,
}

/// The fewest points that a distribution is fitted to.
pub const FEWEST_POINTS: usize = 30;

/// The decay `β` of a density `∝ e^{−βx}` between the ends of `range` (the upper one may be infinite), by maximum
/// likelihood from the values that lie there. It may be negative: a density that grows.
///
/// With `L` the length of the range and `m` the mean of `x` above its lower end, the likelihood is largest where
/// `m = 1/β − L/(e^{βL} − 1)`; the standard error is `1/√(n I)` with Fisher's information
/// `I = 1/β² − L² e^{βL}/(e^{βL} − 1)²`.
pub fn exponential(values: impl Iterator<Item = f64>, range: [f64; 2]) -> Result<Fit, Unavailable> {
    let [low, high] = range;
    let (mut count, mut sum, mut largest) = (0_usize, 0.0, low);
    for value in values.filter(|&value| value >= low && value < high) {
        count += 1;
        sum += value - low;
        largest = f64::max(largest, value);
    }
    if count < FEWEST_POINTS {
        return Err(Unavailable::TooFew {
            what: "values in the range of the fit",
            found: count,
            needed: FEWEST_POINTS,
        });
    }
    let mean = sum / count as f64;
    if high.is_infinite() {
        let value = 1.0 / mean;
        let uncertainty = value / (count as f64).sqrt();
        return Ok(Fit { value, uncertainty, range: [low, largest], points: count });
    }
    // Both sides of the condition in units of the length: `mean/L = 1/b − 1/(e^b − 1)` with `b = βL`, falling in b.
    let length = high - low;
    let target = mean / length;
    let (mut below, mut above) = (-1e4, 1e4);
    for _ in 0..200 {
        let middle = 0.5 * (below + above);
        if mean_of_unit(middle) > target { below = middle } else { above = middle }
    }
    let b = 0.5 * (below + above);
    let information = variance_of_unit(b) * length * length;
    let uncertainty = 1.0 / (count as f64 * information).sqrt();
    Ok(Fit { value: b / length, uncertainty, range, points: count })
}

/// The exponent `α` of a density `∝ x^α` between the ends of `range`, by maximum likelihood: the logarithm of `x` then
/// has an exponential density with the decay `−(α + 1)`.
pub fn power_law(values: impl Iterator<Item = f64>, range: [f64; 2]) -> Result<Fit, Unavailable> {
    let inside = values.filter(|&value| value >= range[0] && value < range[1]).map(f64::ln);
    let fit = exponential(inside, range.map(f64::ln))?;
    Ok(Fit { value: -fit.value - 1.0, range, ..fit })
}

/// A straight line `y = intercept + slope x`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// The slope.
    pub slope: Fit,
    /// The value at `x = 0`.
    pub intercept: Fit,
}

/// The straight line with the least squares through points, with standard errors from the scatter about it.
pub fn line(points: &[[f64; 2]]) -> Result<Line, Unavailable> {
    let finite: Vec<[f64; 2]> = points.iter().copied().filter(|p| p.iter().all(|c| c.is_finite())).collect();
    let count = finite.len();
    if count < 3 {
        return Err(Unavailable::TooFew { what: "points for a line with its uncertainty", found: count, needed: 3 });
    }
    let n = count as f64;
    let mean: [f64; 2] = [0, 1].map(|k| finite.iter().map(|p| p[k]).sum::<f64>() / n);
    let sum = |a: usize, b: usize| finite.iter().map(|p| (p[a] - mean[a]) * (p[b] - mean[b])).sum::<f64>();
    let (xx, xy) = (sum(0, 0), sum(0, 1));
    if xx <= 0.0 {
        return Err(Unavailable::TooFew { what: "distinct abscissae for a line", found: 1, needed: 2 });
    }
    let slope = xy / xx;
    let intercept = mean[1] - slope * mean[0];
    let scatter = finite.iter().map(|p| (p[1] - intercept - slope * p[0]).powi(2)).sum::<f64>() / (n - 2.0);
    let least = finite.iter().map(|p| p[0]).fold(f64::INFINITY, f64::min);
    let most = finite.iter().map(|p| p[0]).fold(f64::NEG_INFINITY, f64::max);
    let fit = |value, variance: f64| Fit { value, uncertainty: variance.sqrt(), range: [least, most], points: count };
    Ok(Line {
        slope: fit(slope, scatter / xx),
        intercept: fit(intercept, scatter * (1.0 / n + mean[0] * mean[0] / xx)),
    })
}

/// The mean of the density `∝ e^{−bx}` on the unit interval.
fn mean_of_unit(b: f64) -> f64 {
    if b.abs() < 1e-4 { 0.5 - b / 12.0 } else { 1.0 / b - 1.0 / b.exp_m1() }
}

/// Its variance.
fn variance_of_unit(b: f64) -> f64 {
    if b.abs() < 1e-2 {
        1.0 / 12.0 - b * b / 240.0
    } else {
        // e^b/(e^b − 1)² is the same for both signs, and this way nothing overflows.
        let decay = (-b.abs()).exp();
        1.0 / (b * b) - decay / (1.0 - decay).powi(2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;
    use rand_pcg::Pcg64;

    /// Values with the density `∝ e^{−βx}` on [0, end), by the inverse of its distribution.
    fn sampled(count: usize, beta: f64, end: f64, seed: u128) -> Vec<f64> {
        let mut random = Pcg64::new(seed, 7);
        let whole = -(-beta * end).exp_m1();
        (0..count).map(|_| -(-random.random::<f64>() * whole).ln_1p() / beta).collect()
    }

    #[test]
    fn the_decay_of_a_sampled_distribution_is_found_within_its_error() {
        for (beta, range, seed) in [(1.4, [1.0, f64::INFINITY], 1), (0.97, [0.5, 4.0], 2), (-0.8, [0.0, 3.0], 3)] {
            let fit = exponential(sampled(200_000, beta, if beta < 0.0 { 3.0 } else { 60.0 }, seed).into_iter(), range);
            let fit = fit.unwrap();
            assert!((fit.value - beta).abs() < 4.0 * fit.uncertainty, "{fit:?}");
            assert!(fit.uncertainty < 0.02 && fit.points > 1000, "{fit:?}");
        }
    }

    #[test]
    fn the_error_is_the_scatter_of_repeated_samples() {
        let fits: Vec<Fit> =
            (0..300).map(|seed| exponential(sampled(500, 1.4, 9.0, seed).into_iter(), [0.2, 3.0]).unwrap()).collect();
        let mean = fits.iter().map(|fit| fit.value).sum::<f64>() / 300.0;
        let scatter = (fits.iter().map(|fit| (fit.value - mean).powi(2)).sum::<f64>() / 299.0).sqrt();
        let told = fits.iter().map(|fit| fit.uncertainty).sum::<f64>() / 300.0;
        assert!((scatter / told - 1.0).abs() < 0.15, "{scatter} {told}");
    }

    #[test]
    fn the_exponent_of_a_power_law_is_found() {
        // Density ∝ x^α on (0, 1): x = u^{1/(1+α)}.
        for (alpha, seed) in [(-0.4, 5), (0.5, 6)] {
            let mut random = Pcg64::new(seed, 7);
            let values = (0..100_000).map(|_| random.random::<f64>().powf(1.0 / (1.0 + alpha)));
            let fit = power_law(values, [0.01, 1.0]).unwrap();
            assert!((fit.value - alpha).abs() < 4.0 * fit.uncertainty && fit.uncertainty < 0.02, "{fit:?}");
        }
    }

    #[test]
    fn a_line_with_known_errors() {
        // y = 1 + 2x with residuals +1, −2, +1: slope exact, scatter 6.
        let fit = line(&[[0.0, 2.0], [1.0, 1.0], [2.0, 6.0]]).unwrap();
        assert!((fit.slope.value - 2.0).abs() < 1e-15 && (fit.intercept.value - 1.0).abs() < 1e-15);
        assert!((fit.slope.uncertainty - 3.0_f64.sqrt()).abs() < 1e-14);
        assert!((fit.intercept.uncertainty - 5.0_f64.sqrt()).abs() < 1e-14);
        assert!(line(&[[0.0, 1.0], [1.0, 2.0]]).is_err());
    }

    #[test]
    fn too_few_values_are_refused() {
        let error = exponential((0..29).map(f64::from), [0.0, f64::INFINITY]).unwrap_err();
        assert_eq!(error, Unavailable::TooFew { what: "values in the range of the fit", found: 29, needed: 30 });
    }
}
