//! Shapes of grains, drawn one by one from what a scene says about them. As for sizes, every draw uses plain arithmetic
//! and `libm`, so that a seed gives the same shapes on every machine.

use crate::GrainSource;
use crate::bodies::{Solid, closed, hull};
use crate::model::{Point, ShapeSpec, Shaping};
use crate::sizes::Random;
use crate::tessellation::cell;
use crate::vector::*;
use riprap_engine::Form;
use std::collections::HashMap;
use std::f64::consts::{PI, TAU};

/// How often a random shape is tried that turns out to be flat.
const SHAPE_TRIES: usize = 1000;

/// Of so many random directions the one that is farthest from the corners so far becomes a corner of a polyhedron, so
/// that few polyhedra are slivers.
const CANDIDATES: usize = 4;

/// Draws the shapes of one entry.
pub(crate) struct Shaper<'a> {
    shaping: &'a Shaping,
    dimension: usize,
    random: Random,
    /// The one body that all grains have the form of, if that is so.
    only: Option<Solid>,
    /// The forms of that body that were drawn, by the bits of their radius.
    known: HashMap<u64, (u32, f64)>,
}

/// The shape of one grain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Drawn {
    /// Its number among the forms.
    pub form: u32,
    /// Its volume (in 2D area).
    pub volume: f64,
    /// Its orientation, a quaternion (x, y, z, w).
    pub orientation: [f64; 4],
}

impl<'a> Shaper<'a> {
    /// For one entry of a scene; a file that is not a body is an error with a hint.
    pub fn new(
        shaping: &'a Shaping,
        dimension: usize,
        seed: u64,
        entry: usize,
        source: &dyn GrainSource,
    ) -> Result<Self, (String, String)> {
        let only = match &shaping.spec {
            ShapeSpec::Fixed(solid) => Some(Solid::clone(solid)),
            ShapeSpec::File { path, hull: of_points } => {
                let surface = source
                    .read_surface(path)
                    .map_err(|error| (format!("cannot read a shape from \"{path}\": {error}"), String::new()))?;
                let solid = if *of_points { hull(&surface.vertices, 3) } else { closed(&surface) };
                let hint = if *of_points { "" } else { "set `hull = true` to use the convex hull of its points" };
                Some(solid.map_err(|error| (format!("\"{path}\": {error}"), hint.to_owned()))?)
            }
            _ => None,
        };
        // A stream of its own, so that a shape does not change where the grains are.
        let random = Random::new(seed, (1 << 32) + entry as u64);
        Ok(Shaper { shaping, dimension, random, only, known: HashMap::new() })
    }

    /// For one grain, with its own random numbers; the shape does not come from a file.
    pub fn of_one(shaping: &'a Shaping, dimension: usize, random: Random) -> Self {
        let only = match &shaping.spec {
            ShapeSpec::Fixed(solid) => Some(Solid::clone(solid)),
            _ => None,
        };
        Shaper { shaping, dimension, random, only, known: HashMap::new() }
    }

    /// The shape of a grain of a radius; a new form is added to `forms`.
    pub fn draw(&mut self, radius: f64, forms: &mut Vec<Form>) -> Drawn {
        let (form, volume, described) = match &self.only {
            Some(solid) => {
                let (form, volume) = *self.known.entry(radius.to_bits()).or_insert_with(|| {
                    let solid = solid.of_radius(radius, self.dimension);
                    forms.push(solid.form);
                    (forms.len() as u32 - 1, solid.volume)
                });
                (form, volume, solid.orientation)
            }
            None => {
                let solid = self.random_body().of_radius(radius, self.dimension);
                forms.push(solid.form);
                (forms.len() as u32 - 1, solid.volume, solid.orientation)
            }
        };
        let orientation = if self.shaping.aligned { described } else { self.random_orientation() };
        Drawn { form, volume, orientation }
    }

    fn random_body(&mut self) -> Solid {
        for _ in 0..SHAPE_TRIES {
            if let Ok(solid) = hull(&self.random_points(), self.dimension) {
                return solid;
            }
        }
        // Random points are in one plane by chance only, and stretches are greater than zero.
        unreachable!("{SHAPE_TRIES} random bodies are all flat")
    }

    fn random_points(&mut self) -> Vec<Point> {
        let random = &mut self.random;
        let around = |angle: f64| [libm::cos(angle), libm::sin(angle), 0.0];
        match &self.shaping.spec {
            ShapeSpec::Polygon { sides } => {
                let sides = random.integer(*sides);
                (0..sides).map(|i| around(TAU * i as f64 / sides as f64)).collect()
            }
            ShapeSpec::Cuboid { aspect } => {
                let mut edges = [1.0, 1.0, 0.0];
                for edge in &mut edges[..self.dimension - 1] {
                    *edge = random.between(aspect[0], aspect[1]);
                }
                edges[self.dimension - 1] = 1.0;
                box_corners(edges, self.dimension)
            }
            ShapeSpec::RandomPolygon { vertices, elongation } => {
                let vertices = random.integer(*vertices);
                let corner = |sector: usize, random: &mut Random| {
                    let [x, y, _] = around(TAU * (sector as f64 + random.unit()) / vertices as f64);
                    [elongation * x, y, 0.0]
                };
                (0..vertices).map(|sector| corner(sector, random)).collect()
            }
            ShapeSpec::Polyhedron { faces, truncation, stretch } => {
                let truncation = random.between(truncation[0], truncation[1]);
                regular(*faces, truncation).into_iter().map(|point| stretched(point, *stretch)).collect()
            }
            ShapeSpec::RandomPolyhedron { vertices, stretch } => {
                let vertices = random.integer(*vertices);
                let mut points: Vec<Point> = Vec::new();
                for _ in 0..vertices {
                    let nearest = |point: &Point| {
                        points.iter().map(|other| length(sub(*point, *other))).fold(f64::INFINITY, f64::min)
                    };
                    let candidates: [Point; CANDIDATES] = std::array::from_fn(|_| random.direction());
                    points.extend(candidates.into_iter().max_by(|a, b| nearest(a).total_cmp(&nearest(b))));
                }
                points.into_iter().map(|point| stretched(point, *stretch)).collect()
            }
            ShapeSpec::Voronoi => {
                // The cell of the origin among points so many that the box around them does not count.
                let extent = |side: f64| std::array::from_fn(|axis| if axis < self.dimension { side } else { 0.0 });
                let count = if self.dimension == 2 { 30 } else { 100 };
                let mut sites = vec![[0.0; 3]];
                sites.extend((0..count).map(|_| random.point(extent(-1.0), extent(1.0))));
                cell(&sites, 0, extent(-1.0), extent(1.0), 0.0, self.dimension)
            }
            ShapeSpec::Fixed(_) | ShapeSpec::File { .. } => unreachable!("these are one body for all"),
        }
    }

    fn random_orientation(&mut self) -> [f64; 4] {
        if self.dimension == 2 {
            let half = 0.5 * self.random.between(-PI, PI);
            return [0.0, 0.0, libm::sin(half), libm::cos(half)];
        }
        // A point on the sphere in four dimensions, from two disks.
        let (share, a, b) = (self.random.unit(), self.random.between(0.0, TAU), self.random.between(0.0, TAU));
        let (u, v) = ((1.0 - share).sqrt(), share.sqrt());
        [u * libm::sin(a), u * libm::cos(a), v * libm::sin(b), v * libm::cos(b)]
    }
}

/// The corners of a box about the origin.
pub(crate) fn box_corners(edges: Point, dimension: usize) -> Vec<Point> {
    let corner = |i: usize| std::array::from_fn(|axis| edges[axis] * if i >> axis & 1 == 1 { 0.5 } else { -0.5 });
    (0..1 << dimension).map(corner).collect()
}

fn stretched(point: Point, stretch: Point) -> Point {
    std::array::from_fn(|axis| point[axis] * stretch[axis])
}

/// The corners of one of the five regular solids with a part of each edge cut off at each end.
fn regular(faces: usize, truncation: f64) -> Vec<Point> {
    let golden = 0.5 * (1.0 + 5_f64.sqrt());
    let signs = || (0..4).map(|i| [if i & 1 == 0 { 1.0 } else { -1.0 }, if i & 2 == 0 { 1.0 } else { -1.0 }]);
    // All cyclic orders of (0, ±a, ±b).
    let cyclic = |a: f64, b: f64| {
        signs().flat_map(move |[s, t]| [[0.0, s * a, t * b], [t * b, 0.0, s * a], [s * a, t * b, 0.0]])
    };
    let corners: Vec<Point> = match faces {
        4 => vec![[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]],
        6 => box_corners([2.0; 3], 3),
        8 => (0..3)
            .flat_map(|axis| [1.0, -1.0].map(|s| std::array::from_fn(|i| if i == axis { s } else { 0.0 })))
            .collect(),
        12 => box_corners([2.0; 3], 3).into_iter().chain(cyclic(1.0 / golden, golden)).collect(),
        _ => cyclic(1.0, golden).collect(),
    };
    if truncation == 0.0 {
        return corners;
    }
    // Neighbours are the pairs at the smallest distance.
    let distance = |i: usize, j: usize| length(sub(corners[i], corners[j]));
    let pairs = || (0..corners.len()).flat_map(|i| (0..corners.len()).filter(move |&j| j != i).map(move |j| (i, j)));
    let edge = pairs().map(|(i, j)| distance(i, j)).fold(f64::INFINITY, f64::min);
    pairs()
        .filter(|&(i, j)| distance(i, j) < 1.001 * edge)
        .map(|(i, j)| add(corners[i], scale(sub(corners[j], corners[i]), truncation)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corners_and_faces(points: &[Point]) -> (usize, usize) {
        match hull(points, 3).unwrap().form {
            Form::Convex(surface) => (surface.vertices.len(), surface.faces.len()),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_regular_solids_have_their_corners_and_faces() {
        for (faces, corners) in [(4, 4), (6, 8), (8, 6), (12, 20), (20, 12)] {
            assert_eq!(corners_and_faces(&regular(faces, 0.0)), (corners, faces));
            // Cut off, a corner becomes a face, and an edge of each face at each end a corner.
            let degree = 2 * (corners + faces - 2) / corners;
            assert_eq!(corners_and_faces(&regular(faces, 0.2)), (degree * corners, faces + corners));
            // Halfway, neighbouring cuts meet in the middle of the edges.
            assert_eq!(corners_and_faces(&regular(faces, 0.5)).0, corners + faces - 2);
        }
    }
}
