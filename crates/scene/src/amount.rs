//! How many grains a scene asks for, known before any of them is placed.

use crate::Scene;
use crate::filling::{Lattice, MOST_SITES as MOST_GRAINS, ball_volume, too_many};
use crate::lower::DEFAULT_SPACING;
use crate::model::*;
use crate::sample::Outcome;
use crate::sizes::Random;

/// Sizes drawn to find the mean volume of a grain.
const DRAWN: u64 = 256;

impl Scene {
    /// About the largest number of grains that the samples of the scene and the totals of its inlets can come to. Grains in
    /// files are not counted: the file says how many there are.
    pub fn most_grains(&self) -> f64 {
        let model = &self.model;
        let fed = model.inlets.iter().map(|inlet| match inlet.total {
            Some(Quota::Number(number)) => number,
            _ => 0.0,
        });
        model.grains.iter().map(|entry| entry.most(model)).sum::<f64>() + fed.sum::<f64>()
    }
}

impl Grains {
    /// Refuses more grains than anyone can mean.
    pub fn check_amount(&self, model: &Model) -> Outcome {
        let most = self.most(model);
        // Not a number is too many, too.
        if most <= MOST_GRAINS { Ok(()) } else { Err(too_many(most)) }
    }

    fn most(&self, model: &Model) -> f64 {
        let filled = |region: &Region, fraction: f64| {
            let volume = fraction * region.volume(model.dimension);
            if volume > 0.0 { volume / self.mean_volume(model) } else { 0.0 }
        };
        match &self.sample {
            Sample::Lattice { count: Some(count), .. } | Sample::Rain { count: Some(count), .. } => *count as f64,
            Sample::Random { amount: Amount::Count(count), .. } | Sample::Voronoi { count, .. } => *count as f64,
            Sample::Random { amount: Amount::SolidFraction(fraction), region } => filled(region, *fraction),
            Sample::Lattice { count: None, close, spacing, region, .. } => {
                let spacing = spacing.unwrap_or(2.0 * self.size.bounds().1 * DEFAULT_SPACING);
                Lattice::new(model, region, spacing, *close).count()
            }
            // Layers that are loose in themselves and lie apart.
            Sample::Rain { count: None, cover, region } => filled(region, *cover),
            Sample::List { positions, .. } => positions.len() as f64,
            Sample::Blocks { corners, .. } => corners.len() as f64,
            Sample::File { .. } => 0.0,
        }
    }

    /// The mean volume of a grain of the entry, taken as a ball.
    fn mean_volume(&self, model: &Model) -> f64 {
        let mut random = Random::new(model.seed, 0);
        let volume = |_| ball_volume(self.size.draw(&mut random, model.dimension), model.dimension);
        (0..DRAWN).map(volume).sum::<f64>() / DRAWN as f64
    }
}
