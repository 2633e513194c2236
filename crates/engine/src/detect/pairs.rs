//! The list of pairs that may touch, good for many steps.
//!
//! Each body has a reach, and pairs whose gap is below the sum of their reaches are listed. The list is complete as long
//! as no body has gone farther than its reach; a fast grain has a long one and does not burden the others. The list
//! depends only on positions and reaches at which it was made, so a resumed run makes the same list again.

use super::gap::{Placed, gap};
use super::grid::{Entry, Grid, Image};
use super::matrix::{Posed, contact_points, is_simple};
use super::nearest::Scratch;
use super::poses::Poses;
use crate::body::{Body, Passage};
use crate::cell::Cell;
use crate::shape::Shape;
use rayon::prelude::*;
use riprap_solve::simd::{WideLoop, run_widest};
use riprap_solve::{Dim, Vector};

/// Two bodies that may touch; the second is never a wall that is searched by its surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pair {
    /// Body 1 and body 2.
    pub bodies: [u32; 2],
    /// How many periods body 2's image is away from body 2.
    pub offset: [i16; 3],
}

/// All pairs with a gap below the sum of their reaches, neighbours in space next to each other, and the order of bodies in space.
#[derive(Clone, Debug, Default)]
pub struct PairList {
    /// The pairs.
    pub pairs: Vec<Pair>,
    /// Grains along a curve that fills space, then the walls.
    pub order: Vec<u32>,
}

/// Grains that one task of the search looks after.
const BODIES_PER_TASK: usize = 512;

impl PairList {
    /// Makes the list for bodies at the given places.
    pub fn new<D: Dim>(
        bodies: &[Body<D>],
        position: &[D::Vector],
        orientation: &[D::Orientation],
        reach: &[f64],
        cell: &Cell<D>,
    ) -> Self {
        let order = spatial_order(bodies, position, cell);
        let balls: Vec<Ball<D>> = order
            .iter()
            .filter_map(|&body| {
                // A grain with a reach is searched for as a larger ball.
                let radius = bodies[body as usize].search_radius()? + reach[body as usize];
                let periods = cell.periods(position[body as usize]);
                let wrapped = position[body as usize] - cell.shift(periods);
                Some(Ball { body, radius, periods, wrapped })
            })
            .collect();
        let searched = |body: &u32| bodies[*body as usize].search_radius().is_none();
        let walls: Vec<u32> = (0..bodies.len() as u32).filter(searched).collect();
        let grid = Grid::new(&entries(&balls, cell));

        let mut poses = Poses::default();
        if walls.iter().any(|&wall| !is_simple(&bodies[wall as usize].shape)) {
            poses.turn(bodies, orientation);
        }
        let wall = |&body: &u32| {
            let (shape, orientation) = (&bodies[body as usize].shape, orientation[body as usize]);
            let placed = Placed { shape, position: position[body as usize], orientation };
            let plane = match shape {
                Shape::Plane { normal } => Some(D::rotate(orientation, *normal)),
                _ => None,
            };
            let passage = &bodies[body as usize].passage;
            SearchedWall { posed: Posed { placed, body, poses: &poses }, plane, reach: reach[body as usize], passage }
        };
        let walls: Vec<SearchedWall<'_, D>> = walls.iter().map(wall).collect();
        let chunks = balls.par_chunks(BODIES_PER_TASK);
        let chunks: Vec<Vec<Pair>> = chunks
            .map(|balls| run_widest(PairSearch { balls, bodies, walls: &walls, grid: &grid, position, cell }))
            .collect();
        PairList { pairs: chunks.concat(), order }
    }
}

/// What one task of the search looks at.
struct PairSearch<'a, D: Dim> {
    balls: &'a [Ball<D>],
    bodies: &'a [Body<D>],
    walls: &'a [SearchedWall<'a, D>],
    grid: &'a Grid,
    position: &'a [D::Vector],
    cell: &'a Cell<D>,
}

impl<D: Dim> WideLoop for PairSearch<'_, D> {
    type Output = Vec<Pair>;

    #[inline(always)]
    fn run(self) -> Vec<Pair> {
        let PairSearch { balls, bodies, walls, grid, position, cell } = self;
        let mut pairs = Vec::with_capacity(4 * balls.len());
        for ball in balls {
            let group = bodies[ball.body as usize].group;
            for wall in walls.iter().filter(|wall| !wall.passage.lets_through(group)) {
                match wall.plane {
                    Some(normal) => {
                        let height = normal.dot(ball.wrapped - wall.posed.placed.position);
                        if height - ball.radius < wall.reach {
                            let offset = ball.periods.map(|periods| -periods);
                            pairs.push(Pair { bodies: [wall.posed.body, ball.body], offset });
                        }
                    }
                    None => wall_pairs(ball, wall, cell, &mut pairs),
                }
            }
            let level = grid.level(ball.radius);
            grid.near::<D>(level, ball.wrapped, ball.radius, |other_level, other| {
                // Pairs of one level are met from both sides and taken from one.
                let once = other_level > level
                    || ball.body < other.body
                    || (ball.body == other.body && other.periods > [0; 3]);
                if once {
                    pairs.push(ball.pair_with(other, cell.periods(position[other.body as usize])));
                }
            });
        }
        pairs
    }
}

/// A wall that is searched by its surface.
struct SearchedWall<'a, D: Dim> {
    posed: Posed<'a, D>,
    /// The normal of a plane, which has no end and no images, as it stands.
    plane: Option<D::Vector>,
    reach: f64,
    /// Which groups do not meet it.
    passage: &'a Passage,
}

/// A grain that looks for neighbours: the ball around it, its reach included in its radius.
struct Ball<D: Dim> {
    body: u32,
    radius: f64,
    periods: [i16; 3],
    wrapped: D::Vector,
}

impl<D: Dim> Ball<D> {
    /// The pair with another ball's image, the smaller index first.
    fn pair_with(&self, other: &Image, other_periods: [i16; 3]) -> Pair {
        // Between unwrapped positions: image − (periods of the other) + (periods of this one).
        let offset = std::array::from_fn(|i| other.periods[i] - other_periods[i] + self.periods[i]);
        if self.body <= other.body {
            Pair { bodies: [self.body, other.body], offset }
        } else {
            Pair { bodies: [other.body, self.body], offset: offset.map(|n| -n) }
        }
    }
}

/// The balls and their images that lie within reach of the first period.
fn entries<D: Dim>(balls: &[Ball<D>], cell: &Cell<D>) -> Vec<Entry<D>> {
    let largest = balls.iter().map(|ball| ball.radius).fold(0.0, f64::max);
    let mut entries = Vec::with_capacity(balls.len());
    let mut found: Vec<[i16; 3]> = Vec::new();
    let is_periodic = (0..D::AXES).any(|axis| cell.is_periodic(axis));
    for ball in balls {
        if !is_periodic {
            let image = Image { body: ball.body, periods: [0; 3] };
            entries.push(Entry { position: ball.wrapped, radius: ball.radius, image });
            continue;
        }
        let reach = ball.radius + largest;
        // Along each axis, the images from the lowest to the highest that can be reached.
        let images = |axis: usize, x: f64| {
            if axis >= D::AXES || !cell.is_periodic(axis) {
                return 0..=0;
            }
            let (period, x) = (cell.period.get(axis), x - cell.origin.get(axis));
            (-((x + reach) / period).floor() as i16)..=(((period - x + reach) / period).floor() as i16)
        };
        // In a tilted cell it depends on the image along the last axis which ones are near along the first.
        let last = D::AXES - 1;
        found.clear();
        for up in images(last, ball.wrapped.get(last)) {
            let tilted = cell.tilt * f64::from(up);
            for i in images(0, ball.wrapped.get(0) + tilted) {
                for j in if last == 2 { images(1, ball.wrapped.get(1)) } else { 0..=0 } {
                    found.push(if last == 2 { [i, j, up] } else { [i, up, 0] });
                }
            }
        }
        found.sort_unstable();
        for &periods in &found {
            let position = ball.wrapped + cell.shift(periods);
            entries.push(Entry { position, radius: ball.radius, image: Image { body: ball.body, periods } });
        }
    }
    entries
}

/// The pairs of a grain with a wall that is no plane and, where it is bounded, with its images.
fn wall_pairs<D: Dim>(ball: &Ball<D>, wall: &SearchedWall<'_, D>, cell: &Cell<D>, pairs: &mut Vec<Pair>) {
    let SearchedWall { posed, reach, .. } = *wall;
    let images: [_; 3] =
        std::array::from_fn(|axis| if axis < D::AXES && cell.is_periodic(axis) { -1..=1 } else { 0..=0 });
    let (mut scratch, mut found) = (Scratch::default(), Vec::new());
    for i in images[0].clone() {
        for j in images[1].clone() {
            for k in images[2].clone() {
                let image = [i, j, k];
                let shape = Shape::Ball { radius: ball.radius };
                let at = ball.wrapped + cell.shift(image);
                let second = Placed { shape: &shape, position: at, orientation: D::Orientation::default() };
                let near = if is_simple(posed.placed.shape) {
                    gap(posed.placed, second).gap < reach
                } else {
                    found.clear();
                    let ball = Posed { placed: second, body: ball.body, poses: posed.poses };
                    contact_points(posed, ball, reach, &mut scratch, &mut found);
                    !found.is_empty()
                };
                if near {
                    let offset = std::array::from_fn(|axis| image[axis] - ball.periods[axis]);
                    pairs.push(Pair { bodies: [posed.body, ball.body], offset });
                }
            }
        }
    }
}

/// Grains sorted along Morton's curve, then the walls: neighbours in space become neighbours in memory.
fn spatial_order<D: Dim>(bodies: &[Body<D>], position: &[D::Vector], cell: &Cell<D>) -> Vec<u32> {
    let balls: Vec<u32> =
        (0..bodies.len() as u32).filter(|&body| bodies[body as usize].search_radius().is_some()).collect();
    let mean =
        balls.iter().filter_map(|&body| bodies[body as usize].search_radius()).sum::<f64>() / balls.len().max(1) as f64;
    let places: Vec<D::Vector> = balls.iter().map(|&body| cell.wrap(position[body as usize])).collect();
    let low = D::Vector::from_fn(|axis| places.iter().map(|place| place.get(axis)).fold(f64::INFINITY, f64::min));
    let mut keyed: Vec<(u64, u32)> = balls
        .iter()
        .zip(&places)
        .map(|(&body, &place)| {
            let cells: [u64; 3] = std::array::from_fn(|axis| {
                if axis < D::AXES { ((place - low).get(axis) / (2.0 * mean)).clamp(0.0, 2_097_151.0) as u64 } else { 0 }
            });
            (interleave(cells, D::AXES), body)
        })
        .collect();
    keyed.par_sort_unstable();
    let mut order: Vec<u32> = keyed.into_iter().map(|(_, body)| body).collect();
    order.extend((0..bodies.len() as u32).filter(|&body| bodies[body as usize].search_radius().is_none()));
    order
}

/// The lowest 21 bits of the coordinates in turn.
fn interleave(cells: [u64; 3], axes: usize) -> u64 {
    // Halves, quarters and so on of the bits move apart, until there is room for the other axes between any two.
    let spread = |bits: u64| match axes {
        2 => [(16, 0x0000_ffff_0000_ffff), (8, 0x00ff_00ff_00ff_00ff), (4, 0x0f0f_0f0f_0f0f_0f0f)]
            .into_iter()
            .chain([(2, 0x3333_3333_3333_3333), (1, 0x5555_5555_5555_5555)])
            .fold(bits, |bits, (by, mask)| (bits | bits << by) & mask),
        _ => [(32, 0x001f_0000_0000_ffff), (16, 0x001f_0000_ff00_00ff), (8, 0x100f_00f0_0f00_f00f)]
            .into_iter()
            .chain([(4, 0x10c3_0c30_c30c_30c3), (2, 0x1249_2492_4924_9249)])
            .fold(bits, |bits, (by, mask)| (bits | bits << by) & mask),
    };
    (0..axes).fold(0, |key, axis| key | spread(cells[axis]) << axis)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{DVec2, DVec3};
    use proptest::prelude::*;
    use riprap_solve::{D2, D3};
    use std::collections::BTreeSet;

    /// Every pair of balls (images included) found by trying all of them.
    fn brute_force<D: Dim>(
        bodies: &[Body<D>],
        position: &[D::Vector],
        cell: &Cell<D>,
        margin: f64,
    ) -> BTreeSet<([u32; 2], [i16; 3])> {
        let mut found = BTreeSet::new();
        // A tilted cell goes round more often along the first axis.
        let most = |axis: usize| if axis == 0 && cell.tilt != 0.0 { 12 } else { 4 };
        let span =
            |axis: usize| if axis < D::AXES && cell.is_periodic(axis) { -most(axis)..=most(axis) } else { 0..=0 };
        for a in 0..bodies.len() {
            for b in a..bodies.len() {
                for i in span(0) {
                    for j in span(1) {
                        for k in span(2) {
                            let offset = [i, j, k];
                            if a == b && offset <= [0; 3] {
                                continue;
                            }
                            let away = position[b] + cell.shift(offset) - position[a];
                            let reach = [a, b].iter().filter_map(|&x| bodies[x].shape.ball_radius()).sum::<f64>();
                            if away.length() - reach < margin {
                                found.insert(([a as u32, b as u32], offset));
                            }
                        }
                    }
                }
            }
        }
        found
    }

    fn check<D: Dim>(positions: Vec<[f64; 3]>, sizes: Vec<f64>, period: [f64; 3], tilt: f64, margin: f64) {
        let tilt = if period[0] * period[D::AXES - 1] > 0.0 { tilt } else { 0.0 };
        let cell = Cell { tilt, ..Cell::<D>::new(D::Vector::from_fn(|_| -0.3), D::Vector::from_array3(period)) };
        let bodies: Vec<Body<D>> = sizes.iter().map(|&radius| Body::ball(radius, 1.0)).collect();
        let position: Vec<D::Vector> = positions.iter().map(|&p| D::Vector::from_array3(p)).collect();
        let orientation = vec![D::Orientation::default(); bodies.len()];
        let list = PairList::new(&bodies, &position, &orientation, &vec![0.5 * margin; bodies.len()], &cell);
        let listed: Vec<_> = list.pairs.iter().map(|pair| (pair.bodies, pair.offset)).collect();
        let set: BTreeSet<_> = listed.iter().copied().collect();
        assert_eq!(set.len(), listed.len(), "a pair is listed twice");
        assert_eq!(set, brute_force(&bodies, &position, &cell, margin));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        /// The list is what trying all pairs gives: size ratio 100, any periodic axes, tilted or not, positions several periods away.
        #[test]
        fn the_list_is_complete_and_has_no_pair_twice(
            seeds in prop::collection::vec((prop::array::uniform3(-3.0..4.0_f64), 0.0..1.0_f64), 2..60),
            periodic in prop::array::uniform3(prop::bool::ANY),
            tilt in prop_oneof![Just(0.0), -4.0..4.0_f64],
            margin in 0.001..0.1_f64,
        ) {
            let positions: Vec<[f64; 3]> = seeds.iter().map(|(p, _)| *p).collect();
            let sizes: Vec<f64> = seeds.iter().map(|(_, s)| 0.005 * 100.0_f64.powf(*s)).collect();
            let period = periodic.map(|yes| if yes { 2.2 } else { 0.0 });
            check::<D2>(positions.clone(), sizes.clone(), period, tilt, margin);
            check::<D3>(positions, sizes, period, tilt, margin);
        }
    }

    #[test]
    fn balls_meet_walls_and_images_of_bounded_walls() {
        let cell = Cell::<D2>::new(DVec2::ZERO, DVec2::new(10.0, 0.0));
        let mut bodies = vec![Body::ball(1.0, 1.0)];
        bodies.push(Body::wall("floor", Shape::Plane { normal: DVec2::Y }));
        bodies.push(Body::wall("rod", Shape::Rod { radius: 1.0, axis: DVec2::ZERO }));
        // The ball is two periods away; seen from the rod at x = 9.5 its image at 10.5 + 1 touches across the border.
        let position = [DVec2::new(21.4, 1.05), DVec2::ZERO, DVec2::new(9.4, 1.05)];
        let list = PairList::new(&bodies, &position, &[0.0; 3], &[0.05; 3], &cell);
        let pairs: BTreeSet<_> = list.pairs.iter().map(|pair| (pair.bodies, pair.offset)).collect();
        assert_eq!(pairs, BTreeSet::from([([1, 0], [-2, 0, 0]), ([2, 0], [-1, 0, 0])]));
    }

    #[test]
    fn bits_are_interleaved() {
        let cells = [0x15_5a3c, 0x1f_ffff, 0x0c_0f01];
        for axes in [2, 3] {
            let bit = |bit: usize, axis: usize| ((cells[axis] >> bit) & 1) << (bit * axes + axis);
            let key = (0..21).flat_map(|b| (0..axes).map(move |axis| bit(b, axis))).fold(0, |key, bit| key | bit);
            assert_eq!(interleave(cells, axes), key);
        }
    }

    #[test]
    fn the_order_of_bodies_follows_space() {
        let bodies: Vec<Body<D3>> = (0..512).map(|_| Body::ball(0.5, 1.0)).collect();
        let position: Vec<DVec3> =
            (0..512).map(|i| DVec3::new(f64::from(i % 8), f64::from(i / 8 % 8), f64::from(i / 64))).collect();
        let order = spatial_order(&bodies, &position, &Cell::default());
        // The first eighth of the order is one octant of the cube.
        for &body in &order[..64] {
            assert!(position[body as usize].max_element() < 4.0);
        }
    }
}
