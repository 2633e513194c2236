//! How many grains a scene asks for, known before any of them is placed.

use crate::Scene;
use crate::filling::{Lattice, MOST_SITES as MOST_GRAINS, ball_volume, too_many};
use crate::lower::DEFAULT_SPACING;
use crate::model::*;
use crate::sample::Outcome;
use crate::sizes::Random;
use riprap_engine::GrainTable;

/// Sizes drawn to find the mean volume of a grain.
const DRAWN: u64 = 256;

/// A number of grains by what they cost: those of angular shapes, clusters included, take many times as much as balls.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GrainCount {
    /// Disks and spheres.
    pub balls: f64,
    /// All others.
    pub angular: f64,
}

impl GrainCount {
    fn new(count: f64, is_angular: bool) -> Self {
        if is_angular { GrainCount { angular: count, balls: 0.0 } } else { GrainCount { balls: count, angular: 0.0 } }
    }

    fn and(self, other: GrainCount) -> Self {
        GrainCount { balls: self.balls + other.balls, angular: self.angular + other.angular }
    }

    /// All of them.
    pub fn all(self) -> f64 {
        self.balls + self.angular
    }
}

impl Scene {
    /// About the largest number of grains that the samples of the scene and the totals of its inlets can come to. Grains in
    /// files are not counted: the file says how many there are.
    pub fn most_grains(&self) -> GrainCount {
        let model = &self.model;
        let sampled = model.grains.iter().map(|entry| GrainCount::new(entry.most(model), entry.is_angular()));
        sampled.fold(self.most_fed(), GrainCount::and)
    }

    /// The same once its grains are there.
    pub fn most_grains_with(&self, grains: &GrainTable) -> GrainCount {
        let angular = grains.form.iter().flatten().count();
        let there = GrainCount { balls: (grains.len() - angular) as f64, angular: angular as f64 };
        self.most_fed().and(there)
    }

    /// What inlets bring in, if it stays and they say how many.
    fn most_fed(&self) -> GrainCount {
        let stays = self.model.outlets.is_empty();
        let fed = self.model.inlets.iter().map(|inlet| match inlet.total {
            Some(Quota::Number(number)) if stays => GrainCount::new(number, inlet.shape.is_some()),
            _ => GrainCount::default(),
        });
        fed.fold(GrainCount::default(), GrainCount::and)
    }
}

impl Grains {
    /// Refuses more grains than anyone can mean.
    pub fn check_amount(&self, model: &Model) -> Outcome {
        let most = self.most(model);
        // Not a number is too many, too.
        if most <= MOST_GRAINS { Ok(()) } else { Err(too_many(most)) }
    }

    fn is_angular(&self) -> bool {
        self.shape.is_some() || matches!(self.sample, Sample::Blocks { .. } | Sample::Voronoi { .. })
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
