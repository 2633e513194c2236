//! Which bodies overlap at present: a check of a world before its first step.

use crate::detect::{PairList, Poses, Scratch};
use crate::world::World;
use riprap_solve::Dim;

/// Two bodies that overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlap {
    /// The two bodies; of a grain and a wall the wall comes first.
    pub bodies: [u32; 2],
    /// By how much.
    pub depth: f64,
}

impl<D: Dim> World<D> {
    /// The pairs of bodies of any shape that overlap by more than a part of the smaller of their radii (of a body that
    /// is not a ball, the radius of the ball about it), in the order of the bodies.
    pub fn overlaps(&self, part: f64) -> Vec<Overlap> {
        let reach = vec![0.0; self.bodies.len()];
        let (position, orientation) = (&self.state.position, &self.state.orientation);
        let list = PairList::new(&self.bodies, position, orientation, &reach, &self.state.cell);
        let mut poses = Poses::default();
        poses.turn(&self.bodies, orientation);
        let at = self.state.places();
        let radius = |body: u32| self.bodies[body as usize].shape.bounding_radius().unwrap_or(f64::INFINITY);
        let (mut scratch, mut points) = (Scratch::default(), Vec::new());
        let mut overlaps = Vec::new();
        for pair in &list.pairs {
            points.clear();
            self.contact_points(pair, &at, &poses, 0.0, &mut scratch, &mut points);
            let depth = points.iter().map(|geometry| -geometry.gap).fold(0.0, f64::max);
            if depth > part * radius(pair.bodies[0]).min(radius(pair.bodies[1])) {
                overlaps.push(Overlap { bodies: pair.bodies, depth });
            }
        }
        overlaps.sort_by_key(|overlap| overlap.bodies);
        overlaps
    }
}
