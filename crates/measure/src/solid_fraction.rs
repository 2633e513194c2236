//! The solid fraction of the packed part of a world.
//!
//! The region in which it is taken is found from the walls and the grains, axis by axis:
//!
//! * a periodic axis: the whole period;
//! * between two walls (planes, or plates across the axis) that are each within a mean diameter of the outermost grain:
//!   from wall to wall;
//! * across a drum or silo that encloses all grains: the inside of the cylinder;
//! * along gravity: from the floor (or the lowest point of a grain) up to the height under which nine tenths of the
//!   grains have their centres, so that the loose top layer is left out;
//! * any other axis has free sides, as for a heap: the middle third between the places that leave a twentieth of the
//!   grains on either side. A region with free sides ends halfway up, below the slopes, and so does the region in a
//!   lying drum, whose surface is inclined.
//!
//! The grains count with the part of their volume that is inside, cut as the bodies that they are; a rod in the region counts
//! as empty space. Overlaps are counted twice, and are far below the statistical error of any packing that is worth the name.

use crate::linear::length;
use crate::overlap::{disk_in_rectangle, grain_in_box};
use crate::{Packing, Unavailable, WallSurface};
use riprap_engine::Primitive;

/// Fewer grains than this have no solid fraction worth the name.
const FEWEST_GRAINS: usize = 20;
/// The share of the grains that are below the top of the region.
const BELOW_TOP: f64 = 0.9;
/// The share of the grains beyond either end of a free axis before its middle third is taken.
const BEYOND: f64 = 0.05;

/// A box, cut by a cylinder perhaps, in which grains are packed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Region {
    /// Lower corner.
    pub low: [f64; 3],
    /// Upper corner.
    pub high: [f64; 3],
    /// The cylinder (in 2D the circle) that encloses the grains.
    pub drum: Option<Cylinder>,
}

/// A cylinder along an axis of the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cylinder {
    /// Its centre; the component along the axis has no meaning.
    pub centre: [f64; 3],
    /// Its radius.
    pub radius: f64,
    /// The axis that it lies along; 2 in the plane.
    pub axis: usize,
}

impl Region {
    /// A box.
    pub fn new(low: [f64; 3], high: [f64; 3]) -> Region {
        Region { low, high, drum: None }
    }

    /// True if a point is inside. A box without height along an axis, as one in 2D, does not ask along that axis.
    pub fn contains(&self, point: [f64; 3]) -> bool {
        let in_box =
            (0..3).all(|i| self.low[i] == self.high[i] || (self.low[i] <= point[i] && point[i] <= self.high[i]));
        in_box
            && self.drum.is_none_or(|drum| {
                let [a, b] = across(drum.axis).map(|i| point[i] - drum.centre[i]);
                a * a + b * b <= drum.radius * drum.radius
            })
    }

    /// The part of the region that is at least `distance` away from its sides. Periodic axes have no sides.
    pub fn inset(&self, distance: f64, packing: &Packing) -> Region {
        let mut inner = *self;
        for axis in (0..packing.dimension).filter(|&axis| !packing.is_periodic(axis)) {
            inner.low[axis] += distance;
            inner.high[axis] -= distance;
        }
        inner.drum = self.drum.map(|drum| Cylinder { radius: drum.radius - distance, ..drum });
        inner
    }

    /// Its volume (area times 1 m in 2D).
    pub fn volume(&self, dimension: usize) -> f64 {
        let length = |i: usize| (self.high[i] - self.low[i]).max(0.0);
        match self.drum {
            None => (0..dimension).map(length).product(),
            Some(drum) => {
                let [a, b] = across(drum.axis);
                let corner = |of: [f64; 3]| [of[a] - drum.centre[a], of[b] - drum.centre[b]];
                let section = disk_in_rectangle(drum.radius, corner(self.low), corner(self.high));
                section * if dimension == 3 { length(drum.axis) } else { 1.0 }
            }
        }
    }
}

/// The volume of the grains in a region over its volume; by default in the packed region.
pub fn solid_fraction(packing: &Packing, region: Option<&Region>) -> Result<f64, Unavailable> {
    let region = match region {
        Some(region) => *region,
        None => packed_region(packing)?,
    };
    let volume = region.volume(packing.dimension);
    if volume.is_nan() || volume <= 0.0 {
        return Err(empty(packing, &region));
    }
    // A grain that reaches over the edge of a period is back on the other side: it counts whole along that axis if the
    // region is a whole period long, and with its images otherwise.
    let (mut low, mut high) = (region.low, region.high);
    let mut images = [0_i32; 3];
    for axis in (0..packing.dimension).filter(|&axis| packing.is_periodic(axis)) {
        if high[axis] - low[axis] >= packing.period[axis] * (1.0 - 1e-12) {
            (low[axis], high[axis]) = (f64::NEG_INFINITY, f64::INFINITY);
        } else {
            images[axis] = 1;
        }
    }
    let mut solid = 0.0;
    for grain in &packing.grains {
        for k in 0..27_i32 {
            let shift = [k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1];
            if (0..3).any(|axis| shift[axis].abs() > images[axis]) {
                continue;
            }
            let centre = std::array::from_fn(|i| grain.position[i] + f64::from(shift[i]) * packing.period[i]);
            solid += grain_in_box(packing.dimension, grain, centre, low, high);
        }
    }
    if solid > 0.0 { Ok(solid / volume) } else { Err(empty(packing, &region)) }
}

/// The grains whose centres are in the region, by their places.
pub fn grains_inside(packing: &Packing, region: &Region) -> Result<Vec<usize>, Unavailable> {
    let rows: Vec<usize> =
        (0..packing.grains.len()).filter(|&row| region.contains(packing.grains[row].position)).collect();
    if rows.is_empty() { Err(empty(packing, region)) } else { Ok(rows) }
}

fn empty(packing: &Packing, region: &Region) -> Unavailable {
    if packing.grains.is_empty() {
        return Unavailable::NoGrains;
    }
    let words = |low: [f64; 3], high: [f64; 3]| {
        let sides: Vec<String> =
            (0..packing.dimension).map(|i| format!("{}={:.4e}:{:.4e}", ["x", "y", "z"][i], low[i], high[i])).collect();
        sides.join(",")
    };
    let around = box_of_grains(packing);
    Unavailable::EmptyRegion { region: words(region.low, region.high), grains: words(around.low, around.high) }
}

/// The smallest box that holds all grains.
pub fn box_of_grains(packing: &Packing) -> Region {
    let mut region = Region::new([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for grain in &packing.grains {
        for (axis, [down, up]) in grain.bounds().into_iter().enumerate().take(packing.dimension) {
            region.low[axis] = region.low[axis].min(grain.position[axis] + down);
            region.high[axis] = region.high[axis].max(grain.position[axis] + up);
        }
    }
    for axis in packing.dimension..3 {
        (region.low[axis], region.high[axis]) = (0.0, 0.0);
    }
    region
}

/// The region in which the solid fraction is taken, as this module's page describes it.
pub fn packed_region(packing: &Packing) -> Result<Region, Unavailable> {
    let found = packing.grains.len();
    if found < FEWEST_GRAINS {
        return Err(Unavailable::TooFew { what: "grains for a packed region", found, needed: FEWEST_GRAINS });
    }
    let up = up_axis(packing);
    let drum = enclosing_drum(packing);
    let mut region = Region { low: [0.0; 3], high: [0.0; 3], drum };
    let mut free_sides = false;

    for axis in (0..packing.dimension).filter(|&axis| up.is_none_or(|(u, _)| u != axis)) {
        let walls = walls_across(packing, axis);
        let curved = drum.filter(|drum| drum.axis != axis);
        (region.low[axis], region.high[axis]) = if packing.is_periodic(axis) {
            (packing.origin[axis], packing.origin[axis] + packing.period[axis])
        } else if let Some(drum) = curved.filter(|drum| up.is_none_or(|(u, _)| u == drum.axis)) {
            (drum.centre[axis] - drum.radius, drum.centre[axis] + drum.radius)
        } else if let [Some(low), Some(high)] = walls {
            (low, high)
        } else {
            free_sides = true;
            let mut centres: Vec<f64> = balls(packing).map(|(centre, _)| centre[axis]).collect();
            let (low, high) = (quantile(&mut centres, BEYOND), quantile(&mut centres, 1.0 - BEYOND));
            ((2.0 * low + high) / 3.0, (low + 2.0 * high) / 3.0)
        };
    }
    if let Some((axis, sign)) = up {
        let inside = |centre: [f64; 3]| {
            (0..packing.dimension).all(|i| i == axis || (region.low[i] <= centre[i] && centre[i] <= region.high[i]))
        };
        let mut heights: Vec<f64> =
            balls(packing).filter(|&(centre, _)| inside(centre)).map(|(centre, _)| sign * centre[axis]).collect();
        if heights.is_empty() {
            return Err(Unavailable::NoGrains);
        }
        let around = box_of_grains(packing);
        let lowest = f64::min(sign * around.low[axis], sign * around.high[axis]);
        let floor = walls_across(packing, axis)[usize::from(sign < 0.0)];
        let curved = drum.filter(|drum| drum.axis != axis);
        let bottom = match (curved, floor) {
            (Some(drum), _) => sign * drum.centre[axis] - drum.radius,
            (None, Some(floor)) => sign * floor,
            (None, None) => lowest,
        };
        let mut top = quantile(&mut heights, BELOW_TOP);
        if free_sides {
            top = 0.5 * (bottom + top);
        }
        let ends = [sign * bottom, sign * top];
        (region.low[axis], region.high[axis]) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
    }
    Ok(region)
}

/// Centre, folded into the first period, and radius of every grain.
fn balls(packing: &Packing) -> impl Iterator<Item = ([f64; 3], f64)> + '_ {
    packing.grains.iter().map(|grain| (grain.position, grain.radius))
}

/// The axis that is closest to the vertical, and the sign of upwards along it; `None` without gravity.
fn up_axis(packing: &Packing) -> Option<(usize, f64)> {
    let gravity = packing.gravity;
    let axis = (0..packing.dimension).max_by(|&a, &b| gravity[a].abs().total_cmp(&gravity[b].abs()))?;
    (length(gravity) > 0.0).then(|| (axis, -gravity[axis].signum()))
}

/// The two axes across a cylinder along `axis`.
fn across(axis: usize) -> [usize; 2] {
    [[1, 2], [0, 2], [0, 1]][axis]
}

/// The drum that all grains are inside of, if it lies along an axis.
fn enclosing_drum(packing: &Packing) -> Option<Cylinder> {
    packing.walls.iter().find_map(|wall| {
        let WallSurface::Primitive(Primitive::Drum { radius, axis: along }) = wall.surface else { return None };
        let axis = if packing.dimension == 2 { 2 } else { (0..3).find(|&i| along[i].abs() > 1.0 - 1e-9)? };
        let centre = wall.position;
        let slack = radius * 1e-6 + packing.mean_radius();
        let encloses = balls(packing).all(|(ball, r)| {
            let [a, b] = across(axis).map(|i| ball[i] - centre[i]);
            (a * a + b * b).sqrt() + r <= radius + slack
        });
        encloses.then_some(Cylinder { centre, radius, axis })
    })
}

/// Where walls bound the grains along an axis, below and above: within a mean diameter of the outermost grain.
pub(crate) fn walls_across(packing: &Packing, axis: usize) -> [Option<f64>; 2] {
    let near = 2.0 * packing.mean_radius();
    let around = box_of_grains(packing);
    let mut bounds = [None, None];
    for wall in &packing.walls {
        let is_across = match wall.surface {
            WallSurface::Primitive(Primitive::Plane { normal }) => normal[axis].abs() > 1.0 - 1e-9,
            WallSurface::Primitive(Primitive::Plate { half_edges }) => {
                half_edges.iter().all(|&edge| edge[axis].abs() <= 1e-9 * length(edge))
            }
            _ => false,
        };
        if is_across {
            let at = wall.position[axis];
            if (at - around.low[axis]).abs() <= near {
                bounds[0] = Some(at);
            }
            if (at - around.high[axis]).abs() <= near {
                bounds[1] = Some(at);
            }
        }
    }
    bounds
}

/// The smallest value that a share of the values does not exceed; there must be one. Their order is lost.
fn quantile(values: &mut [f64], share: f64) -> f64 {
    let rank = (share * values.len() as f64).ceil() as usize;
    let rank = rank.clamp(1, values.len()) - 1;
    *values.select_nth_unstable_by(rank, f64::total_cmp).1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::{add_ball, add_plane, cubic_lattice, empty, square_lattice};
    use riprap_engine::{Body, Convex, D2, D3, Dim, Gravity, Placement, Shape, Vector, World};
    use std::f64::consts::PI;

    fn measured<D: Dim>(world: &World<D>) -> f64 {
        solid_fraction(&Packing::of(world), None).unwrap()
    }

    fn down<D: Dim>(axis: usize) -> Gravity<D> {
        Gravity::new(D::Vector::axis(axis) * -9.81)
    }

    fn box_around(world: &mut World<D3>, sides: [f64; 3]) {
        for (axis, side) in sides.into_iter().enumerate() {
            let unit = |s: f64| std::array::from_fn(|i| if i == axis { s } else { 0.0 });
            add_plane(world, &format!("low {axis}"), [0.0; 3], unit(1.0));
            add_plane(world, &format!("high {axis}"), unit(side), unit(-1.0));
        }
    }

    #[test]
    fn a_cubic_lattice_between_walls_is_a_sixth_of_pi() {
        let mut world = cubic_lattice([5, 4, 6]);
        box_around(&mut world, [5.0, 4.0, 6.0]);
        assert!((measured(&world) - PI / 6.0).abs() < 1e-12);
        // With gravity the top tenth is left out, and a plane through centres cuts the lattice fairly.
        world.gravity = down(2);
        assert!((measured(&world) - PI / 6.0).abs() < 1e-12);
        // A lid far above is no lid.
        world.state.position.last_mut().unwrap().z = 60.0;
        assert!((measured(&world) - PI / 6.0).abs() < 1e-12);
    }

    #[test]
    fn a_periodic_lattice_counts_grains_across_the_edge_once() {
        let mut world = cubic_lattice([4, 4, 4]);
        world.state.cell.period = Vector::from_array3([4.0; 3]);
        let shift = <D3 as Dim>::Vector::from_array3([7.3, -2.9, 0.4]);
        world.state.position.iter_mut().for_each(|position| *position += shift);
        assert!((measured(&world) - PI / 6.0).abs() < 1e-12);
    }

    #[test]
    fn a_silo_is_measured_against_its_round_section() {
        // A column of 25 unit spheres in a silo of twice their radius: a sixth of the volume, 4/3 π r³ / (4 π r² 2 r).
        let mut world = cubic_lattice([1, 1, 25]);
        world.gravity = down(2);
        let placement = Placement { position: Vector::from_array3([0.5, 0.5, 0.0]), ..Default::default() };
        world.add(Body::wall("silo", Shape::Drum { radius: 1.0, axis: Vector::axis(2) }), placement);
        add_plane(&mut world, "floor", [0.0; 3], [0.0, 0.0, 1.0]);
        assert!((measured(&world) - 1.0 / 6.0).abs() < 1e-12);
    }

    #[test]
    fn a_heap_without_sides_is_measured_inside() {
        // Rows of a square lattice that get shorter upwards; inside, the fraction is a quarter of pi.
        let mut world = empty::<D2>();
        for row in 0..40 {
            for column in 0..(160 - 4 * row) {
                add_ball(&mut world, [f64::from(column) + 0.5 + 2.0 * f64::from(row), f64::from(row) + 0.5, 0.0], 0.5);
            }
        }
        add_plane(&mut world, "floor", [0.0; 3], [0.0, 1.0, 0.0]);
        world.gravity = down(1);
        // The free sides cut the lattice anywhere, so the answer is right to a row in fifty.
        let found = measured(&world);
        assert!((found - PI / 4.0).abs() < 0.02, "{found}");
    }

    /// Bricks of two by one by one that fill a box of six by eight by eight without a joint.
    fn bricks<D: Dim>() -> World<D> {
        let corner =
            |k: usize| D::Vector::from_array3([[-1.0, 1.0][k % 2], [-0.5, 0.5][k / 2 % 2], [-0.5, 0.5][k / 4]]);
        let corners: Vec<D::Vector> = (0..if D::AXES == 2 { 4 } else { 8 }).map(corner).collect();
        let brick = Convex::<D>::hull(&corners).unwrap();
        let mut world = empty::<D>();
        let layers = if D::AXES == 2 { 1 } else { 8 };
        for (x, y, z) in (0..3).flat_map(|x| (0..8).flat_map(move |y| (0..layers).map(move |z| (x, y, z)))) {
            let centre = [2.0 * f64::from(x) + 1.0, f64::from(y) + 0.5, f64::from(z) + 0.5];
            let position = D::Vector::from_array3(centre);
            let placement = Placement { position, orientation: brick.orientation, ..Default::default() };
            let mut body = Body::<D>::ball(1.0, 1.0);
            body.shape = Shape::Convex(brick.convex.clone());
            world.add(body, placement);
        }
        world
    }

    #[test]
    fn bricks_without_joints_fill_any_region_and_no_more() {
        fn check<D: Dim>() {
            let world = bricks::<D>();
            let whole = solid_fraction(&Packing::of(&world), Some(&Region::new([0.0; 3], [6.0, 8.0, 8.0]))).unwrap();
            let cut = Region::new([0.3, 1.2, 2.3], [4.1, 6.6, 7.4]);
            let inside = solid_fraction(&Packing::of(&world), Some(&cut)).unwrap();
            assert!((whole - 1.0).abs() < 1e-9 && (inside - 1.0).abs() < 1e-9, "{}D: {whole}, {inside}", D::AXES);
        }
        check::<D2>();
        check::<D3>();
        // Free sides and gravity, as a brick wall has them.
        let mut wall = bricks::<D3>();
        wall.gravity = down(2);
        add_plane(&mut wall, "ground", [0.0; 3], [0.0, 0.0, 1.0]);
        assert!((measured(&wall) - 1.0).abs() < 1e-9, "{}", measured(&wall));
    }

    #[test]
    fn a_few_grains_have_none() {
        let error = solid_fraction(&Packing::of(&square_lattice(4)), None).unwrap_err();
        assert_eq!(error.to_string(), "too few grains for a packed region: 16, but at least 20 are needed");
    }

    #[test]
    fn any_region_can_be_asked_and_an_empty_one_says_where_the_grains_are() {
        let mut world = cubic_lattice([4, 4, 4]);
        let region = Region::new([0.5; 3], [2.5; 3]);
        let cut = |world: &World<D3>| solid_fraction(&Packing::of(world), Some(&region));
        // Eight eighths of a sphere and the like: two whole periods of the lattice, cut through centres.
        assert!((cut(&world).unwrap() - PI / 6.0).abs() < 1e-4);
        // Through the edge of a period the lattice goes on.
        world.state.cell.period = Vector::from_array3([4.0; 3]);
        let around = Region::new([3.0, 0.0, 0.0], [5.0, 4.0, 4.0]);
        assert!((solid_fraction(&Packing::of(&world), Some(&around)).unwrap() - PI / 6.0).abs() < 1e-4);
        let far = Region::new([9.0; 3], [11.0; 3]);
        world.state.cell.period = Vector::from_array3([0.0; 3]);
        let error = solid_fraction(&Packing::of(&world), Some(&far)).unwrap_err();
        assert!(error.to_string().contains("the grains are in x=0.0000e0:4.0000e0"), "{error}");
    }

    #[test]
    fn an_inner_region_keeps_away_from_walls_but_not_from_periods() {
        let mut world = cubic_lattice([5, 5, 5]);
        box_around(&mut world, [5.0, 5.0, 5.0]);
        world.state.cell.period = Vector::from_array3([5.0, 0.0, 0.0]);
        let packing = Packing::of(&world);
        let inner = packed_region(&packing).unwrap().inset(1.0, &packing);
        assert_eq!((inner.low, inner.high), ([0.0, 1.0, 1.0], [5.0, 4.0, 4.0]));
        assert!((solid_fraction(&packing, Some(&inner)).unwrap() - PI / 6.0).abs() < 1e-12);
    }
}
