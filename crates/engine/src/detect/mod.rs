//! Who may touch whom: the list of pairs, and the gap of each.

mod gap;
mod grid;
mod pairs;

pub use gap::{Geometry, Placed, gap};
pub use pairs::{Pair, PairList};
