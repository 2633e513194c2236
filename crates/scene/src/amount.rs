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

/// A number of grains by what they cost: those of angular shapes, clusters included, take many times as much as balls, and cells
/// that touch their neighbours with all of their faces take more again.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GrainCount {
    /// Disks and spheres.
    pub balls: f64,
    /// Cells of a broken box.
    pub cells: f64,
    /// All others.
    pub angular: f64,
}

impl GrainCount {
    fn new(count: f64, is_angular: bool) -> Self {
        let none = GrainCount::default();
        if is_angular { GrainCount { angular: count, ..none } } else { GrainCount { balls: count, ..none } }
    }

    fn and(self, other: GrainCount) -> Self {
        let GrainCount { balls, cells, angular } = other;
        GrainCount { balls: self.balls + balls, cells: self.cells + cells, angular: self.angular + angular }
    }

    /// All of them.
    pub fn all(self) -> f64 {
        self.balls + self.cells + self.angular
    }
}

impl Scene {
    /// About the largest number of grains that the samples of the scene and the totals of its inlets can come to. Grains in
    /// files are not counted: the file says how many there are.
    pub fn most_grains(&self) -> GrainCount {
        let model = &self.model;
        let sampled = model.grains.iter().map(|entry| entry.most_by_kind(model));
        sampled.fold(self.most_fed(), GrainCount::and)
    }

    /// The same once its grains are there.
    pub fn most_grains_with(&self, grains: &GrainTable) -> GrainCount {
        let angular = grains.form.iter().flatten().count();
        let (balls, angular) = ((grains.len() - angular) as f64, angular as f64);
        let sampled = self.model.grains.iter().map(|entry| entry.most_by_kind(&self.model).cells);
        let cells = sampled.sum::<f64>().min(angular);
        self.most_fed().and(GrainCount { balls, cells, angular: angular - cells })
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

    /// The largest number of grains of the entry.
    fn most_by_kind(&self, model: &Model) -> GrainCount {
        let most = self.most(model);
        match self.sample {
            Sample::Voronoi { .. } => GrainCount { cells: most, ..GrainCount::default() },
            Sample::Blocks { .. } => GrainCount::new(most, true),
            _ => GrainCount::new(most, self.shape.is_some()),
        }
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
