//! Distributions of sizes. Every draw uses plain arithmetic, square roots and the exponential, logarithm and power of
//! `libm` (pure Rust), so that a seed gives the same sizes on every machine.

use crate::model::Point;
use rand_pcg::Pcg64;
use rand_pcg::rand_core::Rng;

/// Random numbers of one entry of a scene.
pub(crate) struct Random(Pcg64);

impl Random {
    /// The stream `stream` of the scene's seed.
    pub fn new(seed: u64, stream: u64) -> Self {
        Random(Pcg64::new(u128::from(seed) ^ 0x2545_f491_4f6c_dd1d_9e37_79b9_7f4a_7c15, u128::from(stream)))
    }

    /// The numbers of the n-th grain of an inlet.
    pub fn of_grain(seed: u64, inlet: u64, grain: u64) -> Self {
        Random::of_words([seed, inlet, 0, grain])
    }

    /// The numbers of the places that an inlet tries in a step.
    pub fn of_place(seed: u64, inlet: u64, step: u64) -> Self {
        Random::of_words([seed, inlet, 1, step])
    }

    /// A generator whose state and stream depend on all bits of all words: neighbouring streams of the same state would
    /// begin alike.
    fn of_words(words: [u64; 4]) -> Self {
        // SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
        let mix = |hash: u64, word: u64| {
            let mut z = (hash ^ word).wrapping_add(0x9e37_79b9_7f4a_7c15);
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ (z >> 31)
        };
        let hash = |start: u64| words.iter().fold(start, |hash, &word| mix(hash, word));
        let wide = |a: u64, b: u64| u128::from(hash(a)) << 64 | u128::from(hash(b));
        Random(Pcg64::new(wide(1, 2), wide(3, 4)))
    }

    /// Uniform from 0 (included) to 1 (not included).
    pub fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
    }

    /// Uniform between two values.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// A whole number from the first to the second, both included.
    pub fn integer(&mut self, [low, high]: [usize; 2]) -> usize {
        (low + (self.unit() * (high - low + 1) as f64) as usize).min(high)
    }

    /// A unit vector, every direction equally often.
    pub fn direction(&mut self) -> Point {
        let (z, angle) = (self.between(-1.0, 1.0), self.between(0.0, std::f64::consts::TAU));
        let radius = (1.0 - z * z).sqrt();
        [radius * libm::cos(angle), radius * libm::sin(angle), z]
    }

    /// Uniform in a box.
    pub fn point(&mut self, lower: Point, upper: Point) -> Point {
        std::array::from_fn(|i| self.between(lower[i], upper[i]))
    }
}

/// A distribution of radii.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Size {
    Constant(f64),
    Uniform {
        min: f64,
        max: f64,
    },
    UniformByVolume {
        min: f64,
        max: f64,
    },
    Normal {
        mean: f64,
        deviation: f64,
        min: f64,
        max: f64,
    },
    LogNormal {
        median: f64,
        sigma: f64,
        min: f64,
        max: f64,
    },
    PowerLaw {
        exponent: f64,
        min: f64,
        max: f64,
    },
    TwoSizes {
        small: f64,
        large: f64,
        large_fraction: f64,
        by_volume: bool,
    },
    Table {
        points: Vec<(f64, f64)>,
        by_volume: bool,
    },
    /// The fraction of the mass that is finer than each radius.
    Sieve {
        points: Vec<(f64, f64)>,
    },
}

impl Size {
    /// The smallest and the largest radius.
    pub fn bounds(&self) -> (f64, f64) {
        match self {
            Size::Constant(radius) => (*radius, *radius),
            Size::Uniform { min, max }
            | Size::UniformByVolume { min, max }
            | Size::Normal { min, max, .. }
            | Size::LogNormal { min, max, .. }
            | Size::PowerLaw { min, max, .. } => (*min, *max),
            Size::TwoSizes { small, large, .. } => (*small, *large),
            Size::Table { points, .. } | Size::Sieve { points } => {
                (points.first().map_or(0.0, |point| point.0), points.last().map_or(0.0, |point| point.0))
            }
        }
    }

    /// The same distribution with every size halved: radii for diameters.
    pub fn halved(self) -> Self {
        match self {
            Size::Constant(size) => Size::Constant(0.5 * size),
            Size::Uniform { min, max } => Size::Uniform { min: 0.5 * min, max: 0.5 * max },
            Size::UniformByVolume { min, max } => Size::UniformByVolume { min: 0.5 * min, max: 0.5 * max },
            Size::Normal { mean, deviation, min, max } => {
                Size::Normal { mean: 0.5 * mean, deviation: 0.5 * deviation, min: 0.5 * min, max: 0.5 * max }
            }
            Size::LogNormal { median, sigma, min, max } => {
                Size::LogNormal { median: 0.5 * median, sigma, min: 0.5 * min, max: 0.5 * max }
            }
            Size::PowerLaw { exponent, min, max } => Size::PowerLaw { exponent, min: 0.5 * min, max: 0.5 * max },
            Size::TwoSizes { small, large, large_fraction, by_volume } => {
                Size::TwoSizes { small: 0.5 * small, large: 0.5 * large, large_fraction, by_volume }
            }
            Size::Sieve { points } => {
                Size::Sieve { points: points.into_iter().map(|(size, part)| (0.5 * size, part)).collect() }
            }
            Size::Table { points, by_volume } => {
                Size::Table { points: points.into_iter().map(|(size, part)| (0.5 * size, part)).collect(), by_volume }
            }
        }
    }

    /// One radius; `dimension` says what volume is.
    pub fn draw(&self, random: &mut Random, dimension: usize) -> f64 {
        let (min, max) = self.bounds();
        let radius = match self {
            Size::Constant(radius) => *radius,
            Size::Uniform { min, max } => random.between(*min, *max),
            Size::UniformByVolume { min, max } => by_volume(*min, *max, random.unit(), dimension),
            Size::Normal { mean, deviation, min, max } => bell(*mean, *deviation, *min, *max, random),
            Size::LogNormal { median, sigma, min, max } => {
                libm::exp(bell(libm::log(*median), *sigma, libm::log(*min), libm::log(*max), random))
            }
            Size::PowerLaw { exponent, min, max } => {
                let u = random.unit();
                let power = 1.0 - exponent;
                if power.abs() < 1e-12 {
                    min * libm::pow(max / min, u)
                } else {
                    min * libm::pow(1.0 + u * (libm::pow(max / min, power) - 1.0), 1.0 / power)
                }
            }
            Size::TwoSizes { small, large, large_fraction, by_volume } => {
                let weight = if *by_volume { libm::pow(large / small, -(dimension as f64)) } else { 1.0 };
                let (many, few) = (large_fraction * weight, 1.0 - large_fraction);
                if random.unit() * (many + few) < many { *large } else { *small }
            }
            Size::Table { points, by_volume } => draw_from_table(points, *by_volume, random, dimension),
            Size::Sieve { points } => draw_from_table(points, true, random, dimension),
        };
        // Rounding must not lead beyond the bounds that the rest of the scene relies on.
        if radius.is_nan() { min } else { radius.clamp(min, max) }
    }
}

/// The radius of cumulated number `u` where all sizes have the same volume: number density as `r^-dimension`.
fn by_volume(min: f64, max: f64, u: f64, dimension: usize) -> f64 {
    if dimension == 2 {
        1.0 / (1.0 / min + u * (1.0 / max - 1.0 / min))
    } else {
        let (a, b) = (1.0 / (min * min), 1.0 / (max * max));
        1.0 / (a + u * (b - a)).sqrt()
    }
}

/// A normal variable between two bounds, by rejection from the uniform one; the density is measured against its
/// largest value between the bounds. At least one draw in ten is accepted.
fn bell(mean: f64, deviation: f64, min: f64, max: f64, random: &mut Random) -> f64 {
    let top = mean.clamp(min, max);
    if (top - mean).abs() > deviation {
        return tail(top, (top - mean) / deviation, deviation, min, max, random);
    }
    // Nothing is lost by ignoring what is eight deviations away from the most likely value.
    let (min, max) = (min.max(top - 8.0 * deviation), max.min(top + 8.0 * deviation));
    let square = |x: f64| ((x - mean) / deviation) * ((x - mean) / deviation);
    loop {
        let x = random.between(min, max);
        if random.unit() <= libm::exp(0.5 * (square(top) - square(x))) {
            return x;
        }
    }
}

/// A normal variable between bounds on one side of its mean, the nearer of which, `top`, is `away` deviations from it, on
/// the side of its sign: from `top` on, in units of the deviation, the density falls as `exp(-|away| z) exp(-z²/2)`. The
/// first factor is drawn from directly, the second by rejection, which accepts two draws in three or more beyond one
/// deviation (Robert, Stat. Comput. 5, 121, 1995).
fn tail(top: f64, away: f64, deviation: f64, min: f64, max: f64, random: &mut Random) -> f64 {
    let (rate, span) = (away.abs(), (max - min) / deviation);
    let missed = libm::exp(-rate * span);
    loop {
        let z = -libm::log(1.0 - random.unit() * (1.0 - missed)) / rate;
        // Whatever is not a number is accepted: bounds closer together than numbers are leave no choice.
        if random.unit() <= libm::exp(-0.5 * z * z) || z.is_nan() {
            return top + away.signum() * deviation * z;
        }
    }
}

fn draw_from_table(points: &[(f64, f64)], volume: bool, random: &mut Random, dimension: usize) -> f64 {
    // The number of grains in each interval of the table, up to a common factor.
    let weight = |pair: &[(f64, f64)]| {
        let ((r0, f0), (r1, f1)) = (pair[0], pair[1]);
        let part = f1 - f0;
        if !volume {
            part
        } else if dimension == 2 {
            part * (1.0 / r0 - 1.0 / r1) / (r1 - r0)
        } else {
            part * 0.5 * (1.0 / (r0 * r0) - 1.0 / (r1 * r1)) / (r1 - r0)
        }
    };
    let total: f64 = points.windows(2).map(weight).sum();
    let mut left = random.unit() * total;
    let u = random.unit();
    let mut interval = &points[..2];
    for pair in points.windows(2) {
        if weight(pair) > 0.0 {
            interval = pair;
            if left < weight(pair) {
                break;
            }
        }
        left -= weight(pair);
    }
    let (min, max) = (interval[0].0, interval[1].0);
    if volume { by_volume(min, max, u, dimension) } else { min + u * (max - min) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draws(size: &Size, dimension: usize) -> Vec<f64> {
        let mut random = Random::new(7, 3);
        (0..20_000).map(|_| size.draw(&mut random, dimension)).collect()
    }

    fn mean(values: impl Iterator<Item = f64>) -> f64 {
        let (sum, count) = values.fold((0.0, 0.0), |(sum, count), x| (sum + x, count + 1.0));
        sum / count
    }

    #[test]
    fn distributions_have_their_means_and_bounds() {
        for (size, expected) in [
            (Size::Uniform { min: 1.0, max: 3.0 }, 2.0),
            (Size::Normal { mean: 2.0, deviation: 0.3, min: 1.1, max: 2.9 }, 2.0),
            // The mean of a log-normal is exp(σ²/2) medians, a little less when cut at three sigma.
            (Size::LogNormal { median: 2.0, sigma: 0.2, min: 1.0976, max: 3.6443 }, 2.0 * 1.0193),
            // ∫ r·r⁻² / ∫ r⁻² from 1 to 4 = ln 4 / (3/4).
            (Size::PowerLaw { exponent: 2.0, min: 1.0, max: 4.0 }, 4_f64.ln() / 0.75),
            (Size::PowerLaw { exponent: 1.0, min: 1.0, max: 4.0 }, 3.0 / 4_f64.ln()),
            (Size::TwoSizes { small: 1.0, large: 2.0, large_fraction: 0.25, by_volume: false }, 1.25),
            (Size::Table { points: vec![(1.0, 0.0), (2.0, 0.5), (4.0, 1.0)], by_volume: false }, 2.25),
        ] {
            let radii = draws(&size, 3);
            let (min, max) = size.bounds();
            assert!(radii.iter().all(|r| (min..=max).contains(r)), "{size:?}");
            let mean = mean(radii.into_iter());
            assert!((mean / expected - 1.0).abs() < 0.01, "{size:?}: mean {mean}, expected {expected}");
        }
    }

    #[test]
    fn bounds_on_a_tail_are_drawn_from_as_from_any_others() {
        // The mean beyond a deviations is that of the normal density over its tail: φ(a)/Q(a).
        for (a, excess) in [(1.5, 1.938_68), (3.0, 3.283_10), (8.0, 8.121_37)] {
            let size = Size::Normal { mean: 1.0, deviation: 0.1, min: 1.0 + 0.1 * a, max: 3.0 };
            let found = 10.0 * (mean(draws(&size, 3).into_iter()) - 1.0);
            assert!((found / excess - 1.0).abs() < 0.01, "beyond {a}: {found}, expected {excess}");
            let mirrored = Size::Normal { mean: 4.0, deviation: 0.1, min: 1.0, max: 4.0 - 0.1 * a };
            let found = 10.0 * (4.0 - mean(draws(&mirrored, 3).into_iter()));
            assert!((found / excess - 1.0).abs() < 0.01, "below {a}: {found}, expected {excess}");
        }
    }

    #[test]
    fn bounds_outside_of_the_mass_end_the_draw_at_the_nearer_one() {
        for deviation in [1e-13, 1e-200, 5e-324] {
            for (min, max, nearest) in [(1.9, 2.0, 1.9), (0.1, 0.5, 0.5), (1.9, 1.9, 1.9)] {
                let size = Size::Normal { mean: 1.0, deviation, min, max };
                assert!(draws(&size, 3).iter().all(|radius| (radius / nearest - 1.0).abs() < 1e-12), "{size:?}");
                let size = Size::LogNormal { median: 1.0, sigma: deviation, min, max };
                assert!(draws(&size, 3).iter().all(|radius| (radius / nearest - 1.0).abs() < 1e-12), "{size:?}");
            }
        }
    }

    #[test]
    fn distributions_by_volume_have_their_volumes() {
        for dimension in [2, 3] {
            let volume = |r: &f64| r.powi(dimension as i32);
            for (size, cut, part) in [
                (Size::UniformByVolume { min: 1.0, max: 3.0 }, 2.0, 0.5),
                (Size::TwoSizes { small: 1.0, large: 3.0, large_fraction: 0.4, by_volume: true }, 2.0, 0.6),
                (Size::Table { points: vec![(1.0, 0.0), (2.0, 0.3), (3.0, 1.0)], by_volume: true }, 2.0, 0.3),
            ] {
                let radii = draws(&size, dimension);
                let below: f64 = radii.iter().filter(|&&r| r < cut).map(volume).sum();
                let all: f64 = radii.iter().map(volume).sum();
                assert!((below / all - part).abs() < 0.02, "{dimension}D {size:?}: {}", below / all);
            }
        }
    }

    #[test]
    fn the_first_numbers_of_a_seed_never_change() {
        let mut random = Random::new(1, 0);
        let first: Vec<f64> = (0..3).map(|_| random.unit()).collect();
        assert_eq!(first, [0.5471950246362901, 0.6492908729639372, 0.9321652791456485]);
        assert_ne!(first[0], Random::new(1, 1).unit());
        assert_ne!(first[0], Random::new(2, 0).unit());
    }
}
