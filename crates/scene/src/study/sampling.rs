//! Points in the unit cube, drawn at random or spread evenly.

use crate::sizes::Random;

/// How values are drawn from intervals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Samples {
    /// How many points.
    pub count: usize,
    /// In which way.
    pub kind: SampleKind,
    /// The seed of random points.
    pub seed: u64,
}

/// A way to draw points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SampleKind {
    /// Halton's sequence: points that leave no large gaps (low discrepancy).
    #[default]
    Halton,
    /// Independent random points.
    Random,
}

impl SampleKind {
    /// All kinds with their words.
    pub const ALL: [(&'static str, SampleKind); 2] = [("halton", SampleKind::Halton), ("random", SampleKind::Random)];
}

/// The bases of Halton's sequence. In more dimensions its first points lie on lines, and random ones are better.
const BASES: [u64; 8] = [2, 3, 5, 7, 11, 13, 17, 19];
/// The stream of random numbers, which no sample of grains uses.
const STREAM: u64 = 0x57ad;

impl Samples {
    /// The points; the first ones stay the same if more are asked for.
    pub(super) fn points(&self, dimensions: usize) -> Result<Vec<Vec<f64>>, String> {
        if dimensions == 0 {
            return Err("there are samples, but no key has an interval to draw from, such as 0.1..0.5".to_owned());
        }
        if self.count == 0 {
            return Err("there must be at least one sample".to_owned());
        }
        match self.kind {
            SampleKind::Halton if dimensions > BASES.len() => {
                let most = BASES.len();
                Err(format!("samples of kind `halton` have at most {most} intervals; use `random` for {dimensions}"))
            }
            SampleKind::Halton => {
                // The first point of the sequence is a corner of the cube, which is left out.
                let point = |k: usize| (0..dimensions).map(|axis| radical_inverse(k as u64, BASES[axis])).collect();
                Ok((1..=self.count).map(point).collect())
            }
            SampleKind::Random => {
                let mut random = Random::new(self.seed, STREAM);
                Ok((0..self.count).map(|_| (0..dimensions).map(|_| random.unit()).collect()).collect())
            }
        }
    }
}

/// The digits of a number in a base, mirrored at the point.
fn radical_inverse(mut number: u64, base: u64) -> f64 {
    let (mut inverse, mut digit) = (0.0, 1.0);
    while number > 0 {
        digit /= base as f64;
        inverse += digit * (number % base) as f64;
        number /= base;
    }
    inverse
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halton_fills_every_box_of_its_bases_once() {
        let samples = Samples { count: 35, kind: SampleKind::Halton, seed: 0 };
        let points = samples.points(2).unwrap();
        // Of 36 points in a row there is one in each box of 1/4 by 1/9; the first of all is the corner that is left out.
        let mut boxes: Vec<(usize, usize)> =
            points.iter().map(|point| ((point[0] * 4.0) as usize, (point[1] * 9.0 + 1e-12) as usize)).collect();
        boxes.sort_unstable();
        boxes.dedup();
        assert_eq!(boxes.len(), 35);
        assert!(!boxes.contains(&(0, 0)));
    }

    #[test]
    fn wrong_numbers_of_samples_and_intervals_are_refused() {
        let samples = |count, kind| Samples { count, kind, seed: 1 };
        assert!(samples(0, SampleKind::Random).points(1).is_err());
        assert!(samples(3, SampleKind::Halton).points(9).unwrap_err().contains("at most 8"));
        assert_eq!(samples(3, SampleKind::Random).points(9).unwrap()[2].len(), 9);
    }
}
