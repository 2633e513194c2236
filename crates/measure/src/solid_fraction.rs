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
//! The grains count with the part of their volume that is inside; a rod in the region counts as empty space. Overlaps
//! are counted twice, and are far below the statistical error of any packing that is worth the name.

use crate::overlap::{ball_in_box, disk_in_rectangle};
use crate::{grains, mean_radius};
use riprap_engine::{Dim, Shape, Vector, World};

/// Fewer grains than this have no solid fraction worth the name.
const FEWEST: usize = 20;
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
    /// Its volume (area times 1 m in 2D).
    pub fn volume<D: Dim>(&self) -> f64 {
        let length = |i: usize| (self.high[i] - self.low[i]).max(0.0);
        match self.drum {
            None => (0..D::AXES).map(length).product(),
            Some(drum) => {
                let [a, b] = across(drum.axis);
                let corner = |of: [f64; 3]| [of[a] - drum.centre[a], of[b] - drum.centre[b]];
                let section = disk_in_rectangle(drum.radius, corner(self.low), corner(self.high));
                section * if D::AXES == 3 { length(drum.axis) } else { 1.0 }
            }
        }
    }
}

/// The volume of the grains in the packed region over the volume of the region. `None` for fewer than 20 grains.
pub fn solid_fraction<D: Dim>(world: &World<D>) -> Option<f64> {
    let region = packed_region(world)?;
    let volume = region.volume::<D>();
    if volume.is_nan() || volume <= 0.0 {
        return None;
    }
    // A grain that reaches over the edge of a period is back on the other side: it counts whole along that axis.
    let (mut low, mut high) = (region.low, region.high);
    for axis in (0..D::AXES).filter(|&axis| world.cell.is_periodic(axis)) {
        (low[axis], high[axis]) = (f64::NEG_INFINITY, f64::INFINITY);
    }
    let solid: f64 = balls(world).map(|(centre, radius)| ball_in_box::<D>(centre, radius, low, high)).sum();
    Some(solid / volume)
}

/// The region in which the solid fraction is taken, as this module's page describes it.
pub fn packed_region<D: Dim>(world: &World<D>) -> Option<Region> {
    if grains(world).count() < FEWEST {
        return None;
    }
    let up = up_axis(world);
    let drum = enclosing_drum(world);
    let mut region = Region { low: [0.0; 3], high: [0.0; 3], drum };
    let mut free_sides = false;

    for axis in (0..D::AXES).filter(|&axis| up.is_none_or(|(u, _)| u != axis)) {
        let walls = walls_across(world, axis);
        let curved = drum.filter(|drum| drum.axis != axis);
        (region.low[axis], region.high[axis]) = if world.cell.is_periodic(axis) {
            let origin = world.cell.origin.get(axis);
            (origin, origin + world.cell.period.get(axis))
        } else if let Some(drum) = curved.filter(|drum| up.is_none_or(|(u, _)| u == drum.axis)) {
            (drum.centre[axis] - drum.radius, drum.centre[axis] + drum.radius)
        } else if let [Some(low), Some(high)] = walls {
            (low, high)
        } else {
            free_sides = true;
            let mut centres: Vec<f64> = balls(world).map(|(centre, _)| centre[axis]).collect();
            let (low, high) = (quantile(&mut centres, BEYOND), quantile(&mut centres, 1.0 - BEYOND));
            ((2.0 * low + high) / 3.0, (low + 2.0 * high) / 3.0)
        };
    }
    if let Some((axis, sign)) = up {
        let inside = |centre: [f64; 3]| {
            (0..D::AXES).all(|i| i == axis || (region.low[i] <= centre[i] && centre[i] <= region.high[i]))
        };
        let mut heights: Vec<f64> =
            balls(world).filter(|&(centre, _)| inside(centre)).map(|(centre, _)| sign * centre[axis]).collect();
        if heights.is_empty() {
            return None;
        }
        let lowest = balls(world).map(|(centre, radius)| sign * centre[axis] - radius).fold(f64::INFINITY, f64::min);
        let floor = walls_across(world, axis)[usize::from(sign < 0.0)];
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
    Some(region)
}

/// Centre, folded into the first period, and radius of every grain.
fn balls<D: Dim>(world: &World<D>) -> impl Iterator<Item = ([f64; 3], f64)> + '_ {
    grains(world).filter_map(|i| {
        let radius = world.bodies[i].shape.ball_radius()?;
        Some((world.cell.wrap(world.state.position[i]).to_array3(), radius))
    })
}

/// The axis that is closest to the vertical, and the sign of upwards along it; `None` without gravity.
fn up_axis<D: Dim>(world: &World<D>) -> Option<(usize, f64)> {
    let gravity = world.gravity.at(world.state.time);
    let axis = (0..D::AXES).max_by(|&a, &b| gravity.get(a).abs().total_cmp(&gravity.get(b).abs()))?;
    (gravity.length() > 0.0).then(|| (axis, -gravity.get(axis).signum()))
}

/// The two axes across a cylinder along `axis`.
fn across(axis: usize) -> [usize; 2] {
    [[1, 2], [0, 2], [0, 1]][axis]
}

/// The drum that all grains are inside of, if it lies along an axis.
fn enclosing_drum<D: Dim>(world: &World<D>) -> Option<Cylinder> {
    world.bodies.iter().zip(&world.state.position).zip(&world.state.orientation).find_map(|((body, position), turn)| {
        let Shape::Drum { radius, axis } = body.shape else { return None };
        let along = D::rotate(*turn, axis);
        let axis = if D::AXES == 2 { 2 } else { (0..3).find(|&i| along.get(i).abs() > 1.0 - 1e-9)? };
        let centre = position.to_array3();
        let slack = radius * 1e-6 + mean_radius(world);
        let encloses = balls(world).all(|(ball, r)| {
            let [a, b] = across(axis).map(|i| ball[i] - centre[i]);
            (a * a + b * b).sqrt() + r <= radius + slack
        });
        encloses.then_some(Cylinder { centre, radius, axis })
    })
}

/// Where walls bound the grains along an axis, below and above: within a mean diameter of the outermost grain.
fn walls_across<D: Dim>(world: &World<D>, axis: usize) -> [Option<f64>; 2] {
    let near = 2.0 * mean_radius(world);
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for (centre, radius) in balls(world) {
        (low, high) = (low.min(centre[axis] - radius), high.max(centre[axis] + radius));
    }
    let mut bounds = [None, None];
    for ((body, position), turn) in world.bodies.iter().zip(&world.state.position).zip(&world.state.orientation) {
        let along = |vector: D::Vector| D::rotate(*turn, vector).get(axis).abs();
        let is_across = match body.shape {
            Shape::Plane { normal } => along(normal) > 1.0 - 1e-9,
            Shape::Plate { half_edges } => half_edges.iter().all(|&edge| along(edge) <= 1e-9 * edge.length()),
            _ => false,
        };
        if is_across {
            let at = position.get(axis);
            if (at - low).abs() <= near {
                bounds[0] = Some(at);
            }
            if (at - high).abs() <= near {
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
    use riprap_engine::{Body, D2, D3, Gravity, Placement};
    use std::f64::consts::PI;

    fn down<D: Dim>(axis: usize) -> Gravity<D> {
        Gravity { acceleration: D::Vector::axis(axis) * -9.81, tilt: None }
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
        assert!((solid_fraction(&world).unwrap() - PI / 6.0).abs() < 1e-12);
        // With gravity the top tenth is left out, and a plane through centres cuts the lattice fairly.
        world.gravity = down(2);
        assert!((solid_fraction(&world).unwrap() - PI / 6.0).abs() < 1e-12);
        // A lid far above is no lid.
        world.state.position.last_mut().unwrap().z = 60.0;
        assert!((solid_fraction(&world).unwrap() - PI / 6.0).abs() < 1e-12);
    }

    #[test]
    fn a_periodic_lattice_counts_grains_across_the_edge_once() {
        let mut world = cubic_lattice([4, 4, 4]);
        world.cell.period = Vector::from_array3([4.0; 3]);
        let shift = <D3 as Dim>::Vector::from_array3([7.3, -2.9, 0.4]);
        world.state.position.iter_mut().for_each(|position| *position += shift);
        assert!((solid_fraction(&world).unwrap() - PI / 6.0).abs() < 1e-12);
    }

    #[test]
    fn a_silo_is_measured_against_its_round_section() {
        // A column of 25 unit spheres in a silo of twice their radius: a sixth of the volume, 4/3 π r³ / (4 π r² 2 r).
        let mut world = cubic_lattice([1, 1, 25]);
        world.gravity = down(2);
        let placement = Placement { position: Vector::from_array3([0.5, 0.5, 0.0]), ..Default::default() };
        world.add(Body::wall("silo", Shape::Drum { radius: 1.0, axis: Vector::axis(2) }, 0, 0), placement);
        add_plane(&mut world, "floor", [0.0; 3], [0.0, 0.0, 1.0]);
        assert!((solid_fraction(&world).unwrap() - 1.0 / 6.0).abs() < 1e-12);
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
        let measured = solid_fraction(&world).unwrap();
        assert!((measured - PI / 4.0).abs() < 0.02, "{measured}");
    }

    #[test]
    fn a_few_grains_have_none() {
        assert!(solid_fraction(&square_lattice(4)).is_none());
    }
}
