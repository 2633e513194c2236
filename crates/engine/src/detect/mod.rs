//! Who may touch whom: the list of pairs, and the contact points of each.

mod feature;
mod gap;
mod grid;
mod manifold;
mod matrix;
mod nearest;
mod pairs;
mod poses;
mod solid;
#[cfg(test)]
mod tests;

pub use feature::{Feature, first_part};
pub use gap::{Geometry, Placed, gap, gap_of_balls};
pub use matrix::{Posed, contact_points, is_simple};
pub use nearest::Scratch;
pub use pairs::{Pair, PairList};
pub use poses::Poses;
