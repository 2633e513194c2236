//! What a world keeps from step to step besides its state: all of it can be made again from the state.

use crate::detect::{PairList, Poses};
use crate::point_cache::PointCache;
use crate::work::IdleWork;
use riprap_solve::Dim;

/// Pairs that one task looks at.
pub(crate) const PAIRS_PER_TASK: usize = 2048;

/// Derived data. It can be dropped between any two steps without changing a bit.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cache<D: Dim> {
    /// True once the list of pairs is made.
    pub listed: bool,
    /// The list of pairs.
    pub pairs: PairList,
    /// The pair of each contact of the last step.
    pub pair_of: Vec<u32>,
    /// The place of each body in the contact problem; the ground for bodies whose every motion is imposed.
    pub slots: Vec<u32>,
    /// The radius of each free ball (see [`crate::Body::grain_radius`]), as of the present step; NaN for other bodies.
    pub grain_radius: Vec<f64>,
    /// The material of each body, as of the present step.
    pub material: Vec<u16>,
    /// The smallest equivalent radius of a free body, as of the present step.
    pub smallest: f64,
    /// The radius of the ball around each grain, stored compactly for the passes over pairs; NaN for walls.
    pub radius: Vec<f64>,
    /// The radius of each body that is a ball; NaN for others.
    pub ball_radius: Vec<f64>,
    /// The equivalent radius of each body (see [`crate::Body::equivalent_radius`]).
    pub size: Vec<f64>,
    /// The corners of angular bodies, turned.
    pub poses: Poses<D>,
    /// Contact points found where the last step ended.
    pub points: PointCache<D>,
    /// The largest velocities found by the solves of a step since one of them outran the list; empty otherwise.
    pub fastest: Vec<D::Vector>,
    /// True if the bodies of the last solve outran the list.
    pub outrun: bool,
    /// The largest strain of a cell found by these solves.
    pub strain: f64,
    /// How many times in a row a list was outrun in the step that it was made for.
    pub failures: i32,
    /// The distance of the farthest grain from any wall's position when the list was made.
    pub farthest: f64,
    /// The working memory of the last step, for the next one.
    pub work: IdleWork<D>,
}
