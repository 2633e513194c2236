//! Probability densities from values.

/// One bin of a density.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bin {
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// How many values are in it.
    pub count: usize,
    /// Their share of all values over the width of the bin.
    pub density: f64,
    /// One standard error of the density, from counting.
    pub error: f64,
}

impl Bin {
    /// The middle.
    pub fn centre(&self) -> f64 {
        0.5 * (self.low + self.high)
    }

    /// The middle on a logarithmic axis.
    pub fn log_centre(&self) -> f64 {
        (self.low * self.high).sqrt()
    }
}

/// The density of values in bins between these edges, which increase. Values outside count in the whole.
pub fn density(values: &[f64], edges: &[f64]) -> Vec<Bin> {
    let mut counts = vec![0_usize; edges.len().saturating_sub(1)];
    for &value in values {
        let above = edges.partition_point(|&edge| edge <= value);
        if above > 0 && above < edges.len() {
            counts[above - 1] += 1;
        }
    }
    let all = values.len().max(1) as f64;
    counts
        .into_iter()
        .zip(edges.windows(2))
        .map(|(count, ends)| {
            let per = 1.0 / (all * (ends[1] - ends[0]));
            Bin { low: ends[0], high: ends[1], count, density: count as f64 * per, error: (count as f64).sqrt() * per }
        })
        .collect()
}

/// Edges of equal width from `low` up to the first one above `high`.
pub fn even_edges(low: f64, high: f64, width: f64) -> Vec<f64> {
    let count = ((high - low) / width + 1e-9).floor().clamp(0.0, 1e5) as usize + 1;
    (0..=count).map(|i| low + width * i as f64).collect()
}

/// Edges of equal ratio, `per_decade` to a factor of ten, from `low` up to `high` at least.
pub fn log_edges(low: f64, high: f64, per_decade: usize) -> Vec<f64> {
    let count = ((high / low).log10() * per_decade as f64 - 1e-9).ceil().clamp(1.0, 1e4) as usize;
    (0..=count).map(|i| low * 10_f64.powf(i as f64 / per_decade as f64)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_densities_and_errors() {
        let bins = density(&[0.0, 0.5, 0.9, 1.0, 7.0], &[0.0, 1.0, 3.0]);
        assert_eq!([bins[0].count, bins[1].count], [3, 1]);
        assert!((bins[0].density - 0.6).abs() < 1e-15 && (bins[1].density - 0.1).abs() < 1e-15);
        assert!((bins[0].error - 3_f64.sqrt() / 5.0).abs() < 1e-15);
        assert_eq!(bins[1].centre(), 2.0);
    }

    #[test]
    fn edges_reach_beyond_the_last_value() {
        assert_eq!(even_edges(0.0, 1.0, 0.5), [0.0, 0.5, 1.0, 1.5]);
        let edges = log_edges(0.01, 1.0, 2);
        assert!(
            edges.len() == 5 && (edges[4] - 1.0).abs() < 1e-12 && (edges[1] / edges[0] - 10_f64.sqrt()).abs() < 1e-12
        );
    }
}
