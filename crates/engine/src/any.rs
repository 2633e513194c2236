//! One concrete type at the door, so that the generic engine is compiled once, here.

use crate::{Observer, Overlap, StepError, StepReport, World};
use riprap_solve::{D2, D3};

/// A world of either dimension.
#[derive(Clone, Debug)]
pub enum AnyWorld {
    /// Disks.
    D2(World<D2>),
    /// Spheres.
    D3(World<D3>),
}

/// Runs the same expression on a world of either dimension.
#[macro_export]
macro_rules! for_any_world {
    ($any:expr, $world:ident => $body:expr) => {
        match $any {
            $crate::AnyWorld::D2($world) => $body,
            $crate::AnyWorld::D3($world) => $body,
        }
    };
}

impl AnyWorld {
    /// One step.
    pub fn step(&mut self, observer: &mut dyn Observer) -> Result<StepReport, StepError> {
        for_any_world!(self, world => world.step(observer))
    }

    /// See [`World::overlaps`].
    pub fn overlaps(&self, part: f64) -> Vec<Overlap> {
        for_any_world!(self, world => world.overlaps(part))
    }

    /// 2 or 3.
    pub fn dimension(&self) -> usize {
        match self {
            AnyWorld::D2(_) => 2,
            AnyWorld::D3(_) => 3,
        }
    }
}
