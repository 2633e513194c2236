//! Neighbours among balls, in a time linear in their number for any range of sizes: a hierarchy of grids.
//!
//! A ball lives in the level whose cells are about as large as itself, and asks its own level and all coarser ones.
//! A ball of level `l` has radius up to `R_l`, and a cell of that level is `2 R_l` wide, so whatever overlaps a ball of
//! the same or a lower level is in one of the 3ᵈ cells around it. Cells are folded
//! into a table of a size in proportion to the number of balls, whatever the extent of space.

use riprap_solve::{Dim, Vector};
use std::ops::Range;

/// A ball in the grid: itself, or its image in another period.
#[derive(Clone, Copy, Debug)]
pub struct Entry<D: Dim> {
    /// Where it is.
    pub position: D::Vector,
    /// Its radius.
    pub radius: f64,
    /// Which ball.
    pub body: u32,
    /// How many periods it is away from the ball's place in the first period.
    pub periods: [i16; 3],
}

/// One level: entries sorted by cell.
struct Level<D: Dim> {
    cell: f64,
    /// Cells along each axis, powers of two and at least 4, so that the three neighbours of a cell never coincide.
    mask: [i64; 3],
    shift: [u32; 3],
    starts: Vec<u32>,
    entries: Vec<Entry<D>>,
}

/// The hierarchy.
pub struct Grid<D: Dim> {
    smallest: f64,
    levels: Vec<Option<Level<D>>>,
}

impl<D: Dim> Grid<D> {
    /// Sorts the entries into levels and cells.
    pub fn new(entries: Vec<Entry<D>>) -> Self {
        let smallest = entries.iter().map(|entry| entry.radius).fold(f64::INFINITY, f64::min);
        let mut by_level: Vec<Vec<Entry<D>>> = Vec::new();
        for entry in entries {
            let level = level_of(entry.radius, smallest);
            if by_level.len() <= level {
                by_level.resize_with(level + 1, Vec::new);
            }
            by_level[level].push(entry);
        }
        let levels = by_level.into_iter().map(|list| (!list.is_empty()).then(|| Level::new(list))).collect();
        Grid { smallest, levels }
    }

    /// The level of a ball.
    pub fn level(&self, radius: f64) -> usize {
        level_of(radius, self.smallest)
    }

    /// Calls `found` with every entry of the ball's own and all coarser levels that may overlap a ball at
    /// `position`, with the entry's level.
    pub fn near(&self, position: D::Vector, radius: f64, mut found: impl FnMut(usize, &Entry<D>)) {
        for (index, level) in self.levels.iter().enumerate().skip(self.level(radius)) {
            if let Some(level) = level {
                level.near(position, |entry| found(index, entry));
            }
        }
    }
}

fn level_of(radius: f64, smallest: f64) -> usize {
    // Rounding may put a ball one level too low or high; the cell size takes the largest ball that is really there.
    (radius / smallest).log2().max(0.0) as usize
}

impl<D: Dim> Level<D> {
    fn new(list: Vec<Entry<D>>) -> Self {
        let largest = list.iter().map(|entry| entry.radius).fold(0.0, f64::max);
        let cell = 2.0 * largest;
        let mut mask = [0; 3];
        let mut bits = [0u32; 3];
        for axis in 0..D::AXES {
            let (low, high) = list.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), entry| {
                let x = entry.position.get(axis);
                (low.min(x), high.max(x))
            });
            let cells = ((high - low) / cell).min(1e6) as u64 + 1;
            bits[axis] = cells.next_power_of_two().trailing_zeros().max(2);
        }
        let most = (4 * list.len().max(16)).next_power_of_two().trailing_zeros();
        while bits.iter().sum::<u32>() > most {
            let Some(axis) = (0..D::AXES).filter(|&axis| bits[axis] > 2).max_by_key(|&axis| bits[axis]) else { break };
            bits[axis] -= 1;
        }
        let mut shift = [0; 3];
        let mut total = 0;
        for axis in 0..D::AXES {
            mask[axis] = (1 << bits[axis]) - 1;
            shift[axis] = total;
            total += bits[axis];
        }
        let mut level = Level { cell, mask, shift, starts: vec![0; (1 << total) + 1], entries: Vec::new() };
        let cells: Vec<u32> = list.iter().map(|entry| level.fold(level.coordinates(entry.position)) as u32).collect();
        for &cell in &cells {
            level.starts[cell as usize + 1] += 1;
        }
        for i in 1..level.starts.len() {
            level.starts[i] += level.starts[i - 1];
        }
        let mut next = level.starts.clone();
        let mut sorted = list.clone();
        for (entry, cell) in list.into_iter().zip(cells) {
            let place = &mut next[cell as usize];
            sorted[*place as usize] = entry;
            *place += 1;
        }
        level.entries = sorted;
        level
    }

    fn near(&self, position: D::Vector, mut found: impl FnMut(&Entry<D>)) {
        let centre = self.coordinates(position);
        let depth = if D::AXES == 3 { -1..=1 } else { 0..=0 };
        for dz in depth {
            for dy in -1..=1 {
                for dx in -1..=1 {
                    let cell = self.fold([centre[0] + dx, centre[1] + dy, centre[2] + dz]);
                    for entry in &self.entries[self.range(cell)] {
                        found(entry);
                    }
                }
            }
        }
    }

    fn coordinates(&self, position: D::Vector) -> [i64; 3] {
        std::array::from_fn(|axis| if axis < D::AXES { (position.get(axis) / self.cell).floor() as i64 } else { 0 })
    }

    fn fold(&self, coordinates: [i64; 3]) -> usize {
        (0..D::AXES).map(|axis| ((coordinates[axis] & self.mask[axis]) as usize) << self.shift[axis]).sum()
    }

    fn range(&self, cell: usize) -> Range<usize> {
        self.starts[cell] as usize..self.starts[cell + 1] as usize
    }
}
