//! Which grains are near to each other.

use crate::Packing;
use crate::linear::dot;

/// The grains of a packing in boxes of a given size, to find those that are near.
pub struct Grid<'a> {
    packing: &'a Packing,
    low: [f64; 3],
    side: [f64; 3],
    boxes: [i64; 3],
    /// Where the grains of each box begin in `rows`.
    start: Vec<u32>,
    rows: Vec<u32>,
}

impl<'a> Grid<'a> {
    /// Boxes of at least this size.
    pub fn new(packing: &'a Packing, size: f64) -> Grid<'a> {
        let around = crate::box_of_grains(packing);
        let (mut low, mut side, mut boxes) = ([0.0; 3], [1.0; 3], [1_i64; 3]);
        for axis in 0..packing.dimension {
            let (from, length) = if packing.is_periodic(axis) {
                (packing.origin[axis], packing.period[axis])
            } else {
                (around.low[axis], (around.high[axis] - around.low[axis]).max(f64::MIN_POSITIVE))
            };
            // More boxes than this are of no use, and few grains far apart would need many.
            boxes[axis] = ((length / size).floor() as i64).clamp(1, 256);
            (low[axis], side[axis]) = (from, length / boxes[axis] as f64);
        }
        let mut grid = Grid { packing, low, side, boxes, start: Vec::new(), rows: Vec::new() };
        let places: Vec<usize> = packing.grains.iter().map(|grain| grid.index(grid.place(grain.position))).collect();
        let mut start = vec![0_u32; (boxes[0] * boxes[1] * boxes[2]) as usize + 1];
        places.iter().for_each(|&place| start[place + 1] += 1);
        for i in 1..start.len() {
            start[i] += start[i - 1];
        }
        let mut next = start.clone();
        grid.rows = vec![0; places.len()];
        for (row, &place) in places.iter().enumerate() {
            grid.rows[next[place] as usize] = row as u32;
            next[place] += 1;
        }
        grid.start = start;
        grid
    }

    /// Calls `visit` with each grain within `reach` of a point, and the vector from the point to it (to its image).
    /// Through periods shorter than twice the reach a grain may come more than once.
    pub fn near(&self, point: [f64; 3], reach: f64, mut visit: impl FnMut(usize, [f64; 3])) {
        let packing = self.packing;
        let axes = packing.dimension;
        let range = |axis: usize| {
            if axis >= axes {
                return 0..=0;
            }
            let box_at = |x: f64| ((x - self.low[axis]) / self.side[axis]).floor() as i64;
            let (first, last) = (box_at(point[axis] - reach), box_at(point[axis] + reach));
            if packing.is_periodic(axis) { first..=last } else { first.max(0)..=last.min(self.boxes[axis] - 1) }
        };
        for z in range(2) {
            for y in range(1) {
                for x in range(0) {
                    let at = [x, y, z];
                    let folded: [i64; 3] = std::array::from_fn(|axis| at[axis].rem_euclid(self.boxes[axis]));
                    let shift: [f64; 3] = std::array::from_fn(|axis| {
                        (at[axis] - folded[axis]) as f64 / self.boxes[axis] as f64 * packing.period[axis]
                    });
                    let index = self.index(folded);
                    for &row in &self.rows[self.start[index] as usize..self.start[index + 1] as usize] {
                        let position = packing.grains[row as usize].position;
                        let to = std::array::from_fn(|axis| position[axis] + shift[axis] - point[axis]);
                        if dot(to, to) <= reach * reach {
                            visit(row as usize, to);
                        }
                    }
                }
            }
        }
    }

    fn place(&self, position: [f64; 3]) -> [i64; 3] {
        std::array::from_fn(|axis| {
            let place = ((position[axis] - self.low[axis]) / self.side[axis]).floor() as i64;
            place.clamp(0, self.boxes[axis] - 1)
        })
    }

    fn index(&self, place: [i64; 3]) -> usize {
        (place[0] + self.boxes[0] * (place[1] + self.boxes[1] * place[2])) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::{cubic_lattice, periodic_square_lattice};
    use riprap_engine::Vector;

    #[test]
    fn a_lattice_has_its_shells_also_across_periods() {
        let mut world = cubic_lattice([5, 5, 5]);
        world.state.cell.period = Vector::from_array3([5.0; 3]);
        let packing = Packing::of(&world);
        for size in [0.7, 1.3, 3.0] {
            let grid = Grid::new(&packing, size);
            for grain in &packing.grains {
                let mut shells = [0; 3];
                grid.near(grain.position, 1.8, |_, to| {
                    let distance = dot(to, to).round() as usize;
                    if distance > 0 {
                        shells[distance - 1] += 1;
                    }
                });
                assert_eq!(shells, [6, 12, 8]);
            }
        }
    }

    #[test]
    fn a_short_period_shows_its_images() {
        let packing = Packing::of(&periodic_square_lattice(2, [1.0, 1.0]));
        let mut found = 0;
        Grid::new(&packing, 1.0).near(packing.grains[0].position, 2.1, |_, _| found += 1);
        // Itself, four at 1, four at √2, four at 2.
        assert_eq!(found, 13);
    }
}
