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
    /// Which one it is.
    pub image: Image,
}

/// A ball, or its image in another period.
#[derive(Clone, Copy, Debug)]
pub struct Image {
    /// Which ball.
    pub body: u32,
    /// How many periods it is away from the ball's place in the first period.
    pub periods: [i16; 3],
}

/// Balls that are compared with one at a time: about as many as there are in three cells.
const STRIP: usize = 32;

/// One level: entries sorted by cell, in columns.
struct Level {
    cell: f64,
    /// Cells along each axis, powers of two and at least 4, so that the three neighbours of a cell never coincide.
    mask: [i64; 3],
    /// Cells that are neighbours along the first axis are neighbours in the table.
    shift: [u32; 3],
    starts: Vec<u32>,
    /// Where they are along each axis; zero along the third in the plane.
    position: [Vec<f64>; 3],
    radius: Vec<f64>,
    image: Vec<Image>,
}

/// The hierarchy.
pub struct Grid {
    smallest: f64,
    levels: Vec<Option<Level>>,
}

impl Grid {
    /// Sorts the entries into levels and cells.
    pub fn new<D: Dim>(entries: &[Entry<D>]) -> Self {
        let smallest = entries.iter().map(|entry| entry.radius).fold(f64::INFINITY, f64::min);
        let mut by_level: Vec<Vec<Entry<D>>> = Vec::new();
        for entry in entries {
            let level = level_of(entry.radius, smallest);
            if by_level.len() <= level {
                by_level.resize_with(level + 1, || Vec::with_capacity(if level == 0 { entries.len() } else { 0 }));
            }
            by_level[level].push(*entry);
        }
        let levels = by_level.iter().map(|list| (!list.is_empty()).then(|| Level::new(list))).collect();
        Grid { smallest, levels }
    }

    /// The level of a ball.
    pub fn level(&self, radius: f64) -> usize {
        level_of(radius, self.smallest)
    }

    /// Calls `found` with every ball of this and all coarser levels that overlaps a ball at `position`, with its level;
    /// `from` is the level of that ball.
    #[inline(always)]
    pub fn near<D: Dim>(&self, from: usize, position: D::Vector, radius: f64, mut found: impl FnMut(usize, &Image)) {
        for (index, level) in self.levels.iter().enumerate().skip(from) {
            if let Some(level) = level {
                level.near::<D>(position, radius, |image| found(index, image));
            }
        }
    }
}

fn level_of(radius: f64, smallest: f64) -> usize {
    // Most balls are not twice as large as the smallest, and need no logarithm to know it.
    if radius < 1.99 * smallest {
        return 0;
    }
    // Rounding may put a ball one level too low or high; the cell size takes the largest ball that is really there.
    libm::log2(radius / smallest).max(0.0) as usize
}

impl Level {
    fn new<D: Dim>(list: &[Entry<D>]) -> Self {
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
        let mut level = Level {
            cell,
            mask,
            shift,
            starts: vec![0; (1 << total) + 1],
            position: std::array::from_fn(|_| vec![0.0; list.len()]),
            radius: vec![0.0; list.len()],
            image: vec![Image { body: 0, periods: [0; 3] }; list.len()],
        };
        level.sort(list);
        level
    }

    /// Puts the entries in the order of their cells.
    fn sort<D: Dim>(&mut self, list: &[Entry<D>]) {
        let cells: Vec<u32> =
            list.iter().map(|entry| self.fold::<D>(self.coordinates::<D>(entry.position)) as u32).collect();
        for &cell in &cells {
            self.starts[cell as usize + 1] += 1;
        }
        for i in 1..self.starts.len() {
            self.starts[i] += self.starts[i - 1];
        }
        let mut next = self.starts.clone();
        for (entry, cell) in list.iter().zip(cells) {
            let place = next[cell as usize] as usize;
            next[cell as usize] += 1;
            for axis in 0..D::AXES {
                self.position[axis][place] = entry.position.get(axis);
            }
            self.radius[place] = entry.radius;
            self.image[place] = entry.image;
        }
    }

    #[inline(always)]
    fn near<D: Dim>(&self, position: D::Vector, radius: f64, mut found: impl FnMut(&Image)) {
        let centre = self.coordinates::<D>(position);
        let place = position.to_array3();
        let depth = if D::AXES == 3 { -1..=1 } else { 0..=0 };
        for dz in depth {
            for dy in -1..=1 {
                let cells = [-1, 0, 1].map(|dx| self.fold::<D>([centre[0] + dx, centre[1] + dy, centre[2] + dz]));
                if cells[2] == cells[0] + 2 {
                    // No fold of the table between them: they are one range.
                    self.overlapping(self.range(cells[0]).start..self.range(cells[2]).end, place, radius, &mut found);
                } else {
                    for cell in cells {
                        self.overlapping(self.range(cell), place, radius, &mut found);
                    }
                }
            }
        }
    }

    /// Those of some entries that overlap a ball, in their order. Distances are computed side by side.
    #[inline(always)]
    fn overlapping(&self, range: Range<usize>, [x, y, z]: [f64; 3], radius: f64, found: &mut impl FnMut(&Image)) {
        let [xs, ys, zs] = self.position.each_ref().map(|column| &column[range.clone()]);
        let (radii, images) = (&self.radius[range.clone()], &self.image[range]);
        let strips = xs.chunks(STRIP).zip(ys.chunks(STRIP)).zip(zs.chunks(STRIP)).zip(radii.chunks(STRIP));
        for ((((xs, ys), zs), radii), images) in strips.zip(images.chunks(STRIP)) {
            let mut apart = [0.0; STRIP];
            for ((((apart, x1), y1), z1), other) in apart.iter_mut().zip(xs).zip(ys).zip(zs).zip(radii) {
                let (dx, dy, dz, sum) = (x1 - x, y1 - y, z1 - z, radius + other);
                *apart = dx * dx + dy * dy + dz * dz - sum * sum;
            }
            for (image, _) in images.iter().zip(apart).filter(|&(_, apart)| apart < 0.0) {
                found(image);
            }
        }
    }

    #[inline(always)]
    fn coordinates<D: Dim>(&self, position: D::Vector) -> [i64; 3] {
        std::array::from_fn(|axis| if axis < D::AXES { (position.get(axis) / self.cell).floor() as i64 } else { 0 })
    }

    #[inline(always)]
    fn fold<D: Dim>(&self, coordinates: [i64; 3]) -> usize {
        (0..D::AXES).map(|axis| ((coordinates[axis] & self.mask[axis]) as usize) << self.shift[axis]).sum()
    }

    #[inline(always)]
    fn range(&self, cell: usize) -> Range<usize> {
        self.starts[cell] as usize..self.starts[cell + 1] as usize
    }
}
