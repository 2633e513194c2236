//! The geometry of inlets, outlets and gauges.

use crate::model::{Place, Point, Region};
use crate::sizes::Random;
use crate::vector::*;

impl Place {
    /// True if the centre of a grain there is in an outlet.
    pub fn contains(&self, position: Point) -> bool {
        let inside = |region: &Region| {
            (0..3).all(|axis| region.lower[axis] <= position[axis] && position[axis] <= region.upper[axis])
                && region.is_round_enough(position, 0.0, 3)
        };
        match self {
            Place::Region(region) => inside(region),
            Place::Outside(region) => !inside(region),
            Place::Plane { point, normal } => dot(sub(position, *point), *normal) > 0.0,
            // Surfaces have no inside.
            Place::Plate { .. } | Place::Disk { .. } => false,
        }
    }

    /// In which direction a path passes through the surface: 1 along the normal, -1 against it, 0 if it does not. The far
    /// side of the surface belongs to it, so that no grain that ends on it is missed or counted twice.
    pub fn crossing(&self, from: Point, to: Point, dimension: usize) -> f64 {
        let Some((centre, normal)) = self.plane(dimension) else { return 0.0 };
        let [start, end] = [from, to].map(|point| dot(sub(point, centre), normal));
        if (start > 0.0) == (end > 0.0) {
            return 0.0;
        }
        let at = add(from, scale(sub(to, from), start / (start - end)));
        let offset = sub(at, centre);
        let is_within = match self {
            Place::Plate { half_edges, .. } => {
                half_edges[..dimension - 1].iter().all(|&edge| dot(offset, edge).abs() <= dot(edge, edge))
            }
            Place::Disk { radius, .. } => length(offset) <= *radius,
            _ => true,
        };
        match is_within {
            true => (end - start).signum(),
            false => 0.0,
        }
    }

    /// A point and the normal of a surface.
    fn plane(&self, dimension: usize) -> Option<(Point, Point)> {
        match *self {
            Place::Plane { point, normal } => Some((point, normal)),
            Place::Disk { centre, normal, .. } => Some((centre, normal)),
            Place::Plate { centre, half_edges: [a, b] } => {
                let normal = if dimension == 2 { [-a[1], a[0], 0.0] } else { cross(a, b) };
                Some((centre, unit(normal)?))
            }
            Place::Region(_) | Place::Outside(_) => None,
        }
    }

    /// A random place for the centre of a grain of a radius.
    pub fn draw(&self, radius: f64, random: &mut Random, model: &crate::model::Model) -> Option<Point> {
        match self {
            Place::Region(region) => {
                let (lower, upper) = region.centres(radius, model)?;
                let point = random.point(lower, upper);
                region.is_round_enough(point, radius, model.dimension).then_some(point)
            }
            Place::Plate { centre, half_edges } => {
                let mut point = *centre;
                for &edge in &half_edges[..model.dimension - 1] {
                    let room = 1.0 - radius / length(edge);
                    point = add(point, scale(edge, random.between(-room, room)));
                }
                Some(point)
            }
            Place::Disk { centre, normal, radius: outer } => {
                let (a, b) = tangents(*normal);
                let room = outer - radius;
                let (x, y) = (random.between(-room, room), random.between(-room, room));
                (x * x + y * y <= room * room).then(|| add(*centre, add(scale(a, x), scale(b, y))))
            }
            Place::Plane { .. } | Place::Outside(_) => None,
        }
    }

    /// The corners of a box that holds all grains up to a radius.
    pub fn bounds(&self, radius: f64, dimension: usize) -> (Point, Point) {
        let about = |centre: Point, reach: Point| {
            let reach: Point = std::array::from_fn(|i| if i < dimension { reach[i] + radius } else { 0.0 });
            (sub(centre, reach), add(centre, reach))
        };
        match self {
            Place::Region(region) | Place::Outside(region) => (region.lower, region.upper),
            Place::Plate { centre, half_edges: [a, b] } => {
                about(*centre, std::array::from_fn(|i| a[i].abs() + b[i].abs()))
            }
            Place::Disk { centre, radius: outer, .. } => about(*centre, [*outer; 3]),
            Place::Plane { point, .. } => (*point, *point),
        }
    }

    /// The centre and the corners of the box that centres of grains of a radius are in.
    pub fn sample_points(&self, radius: f64) -> Vec<Point> {
        match self {
            Place::Region(region) => {
                let corner = |i: usize| {
                    std::array::from_fn(|axis| {
                        let (low, high) = (region.lower[axis], region.upper[axis]);
                        let shrink = radius.min(0.5 * (high - low));
                        if i >> axis & 1 == 1 { high - shrink } else { low + shrink }
                    })
                };
                let middle = scale(add(region.lower, region.upper), 0.5);
                let corners = (0..8).map(corner).filter(|&point| region.is_round_enough(point, 0.0, 3));
                corners.chain([middle]).collect()
            }
            Place::Plate { centre, half_edges: [a, b] } => {
                let ends = [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0], [0.0, 0.0]];
                ends.iter().map(|&[s, t]| add(*centre, add(scale(*a, s), scale(*b, t)))).collect()
            }
            Place::Disk { centre, .. } => vec![*centre],
            Place::Plane { .. } | Place::Outside(_) => Vec::new(),
        }
    }

    /// The radius of the largest grain that fits in.
    pub fn widest_ball(&self, dimension: usize, period: Point) -> f64 {
        match self {
            Place::Region(region) => {
                let half = |axis: usize| {
                    let extent = region.upper[axis] - region.lower[axis];
                    // Over a whole period grains may reach.
                    let is_whole = period[axis] > 0.0 && extent >= period[axis] * (1.0 - 1e-9);
                    if is_whole { f64::INFINITY } else { 0.5 * extent }
                };
                let round = region.round.map_or(f64::INFINITY, |round| round.radius);
                (0..dimension).map(half).fold(round, f64::min)
            }
            Place::Plate { half_edges, .. } => {
                half_edges[..dimension - 1].iter().map(|&edge| length(edge)).fold(f64::INFINITY, f64::min)
            }
            Place::Disk { radius, .. } => *radius,
            Place::Plane { .. } | Place::Outside(_) => f64::INFINITY,
        }
    }

    /// The volume that grains up to a radius may take up, in 2D the area.
    pub fn volume(&self, radius: f64, dimension: usize) -> f64 {
        match self {
            Place::Region(region) | Place::Outside(region) => region.volume(dimension),
            Place::Plate { half_edges, .. } => {
                half_edges[..dimension - 1].iter().map(|&edge| 2.0 * length(edge)).product::<f64>() * 2.0 * radius
            }
            Place::Disk { radius: outer, .. } => std::f64::consts::PI * outer * outer * 2.0 * radius,
            Place::Plane { .. } => f64::INFINITY,
        }
    }

    /// The time in which a grain that starts anywhere in it has left it, if nothing is in the way.
    pub fn clearing_time(&self, velocity: Point, gravity: Point, radius: f64, dimension: usize) -> f64 {
        let fall = |way: f64, speed: f64, acceleration: f64| {
            if acceleration > 0.0 {
                // The solution of way = speed t + acceleration t²/2 without a difference of large numbers.
                2.0 * way / (speed + (speed * speed + 2.0 * acceleration * way).sqrt())
            } else {
                way / speed
            }
        };
        match self.plane(dimension) {
            Some((_, normal)) => fall(2.0 * radius, dot(velocity, normal).abs(), dot(gravity, normal).abs()),
            None => {
                let (lower, upper) = self.bounds(0.0, dimension);
                let along = |axis: usize| fall(upper[axis] - lower[axis], velocity[axis].abs(), gravity[axis].abs());
                (0..dimension).map(along).fold(f64::INFINITY, f64::min)
            }
        }
    }
}

/// Two unit vectors across a unit vector and each other.
fn tangents(normal: Point) -> (Point, Point) {
    let least = (0..3).min_by(|&i, &j| normal[i].abs().total_cmp(&normal[j].abs())).unwrap_or(0);
    let axis: Point = std::array::from_fn(|i| if i == least { 1.0 } else { 0.0 });
    let first = unit(cross(normal, axis)).unwrap_or(axis);
    (first, cross(normal, first))
}
