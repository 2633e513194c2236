//! Whether a grain has room: against walls, and against the grains before it by a grid.

use crate::model::{Model, Point, Region, Round, Wall, WallForm};
use crate::vector::*;
use riprap_engine::{Form, Surface};
use std::collections::HashMap;

/// The grains placed so far and the walls around them.
pub(crate) struct Room<'a> {
    model: &'a Model,
    /// Edge of a grid cell along each axis; periods are whole numbers of cells.
    cell: Point,
    /// Number of cells along periodic axes; zero along others.
    cells: [i64; 3],
    grid: HashMap<[i64; 3], Vec<u32>>,
    /// Grains that would be in very many cells.
    large: Vec<u32>,
    /// The surface of each wall that is a mesh, where it is.
    meshes: Vec<Option<Surface>>,
    pub position: Vec<Point>,
    pub radius: Vec<f64>,
    /// The number of each grain's form; none for a ball.
    pub form: Vec<Option<u32>>,
    /// Quaternions (x, y, z, w).
    pub orientation: Vec<[f64; 4]>,
}

impl<'a> Room<'a> {
    /// An empty room for grains of about the given radius; `surfaces` are those of walls that come from files.
    pub fn new(model: &'a Model, typical_radius: f64, surfaces: &[(String, Form)]) -> Self {
        let edge = 2.0 * typical_radius;
        let mut cell = [edge; 3];
        let mut cells = [0; 3];
        for axis in 0..model.dimension {
            if model.period[axis] > 0.0 {
                cells[axis] = ((model.period[axis] / edge).floor() as i64).max(1);
                cell[axis] = model.period[axis] / cells[axis] as f64;
            }
        }
        let meshes = model.walls.iter().map(|wall| mesh_in_place(wall, surfaces)).collect();
        let grid = HashMap::new();
        let (position, radius, form, orientation) = Default::default();
        Room { model, cell, cells, grid, large: Vec::new(), meshes, position, radius, form, orientation }
    }

    /// Adds a grain, whether there is room or not.
    pub fn add(&mut self, position: Point, radius: f64, form: Option<u32>, orientation: [f64; 4]) {
        let index = self.position.len() as u32;
        match self.cell_list(position, radius) {
            Some(cells) => cells.into_iter().for_each(|cell| self.grid.entry(cell).or_default().push(index)),
            None => self.large.push(index),
        }
        self.position.push(position);
        self.radius.push(radius);
        self.form.push(form);
        self.orientation.push(orientation);
    }

    /// True if a grain there touches no wall and no other grain.
    pub fn is_free(&self, position: Point, radius: f64) -> bool {
        let wall_is_clear = |(wall, mesh): (&Wall, &Option<Surface>)| match mesh {
            Some(mesh) => mesh_distance(mesh, position) >= radius,
            // A mesh that could not be read has been reported.
            None if matches!(wall.shape.form, WallForm::MeshFile { .. }) => true,
            None => wall.shape.gap(self.model.dimension, position) >= radius,
        };
        self.model.walls.iter().zip(&self.meshes).filter(|(wall, _)| !wall.absent).all(wall_is_clear)
            && self.deepest(position, radius, None).is_none_or(|(_, overlap)| overlap <= 0.0)
    }

    /// The grain that overlaps most with one there, and by how much; negative means a gap.
    pub fn deepest(&self, position: Point, radius: f64, except: Option<u32>) -> Option<(u32, f64)> {
        let mut deepest: Option<(u32, f64)> = None;
        self.visit(position, radius, |index| {
            if Some(index) == except {
                return;
            }
            let other = index as usize;
            let overlap = radius + self.radius[other] - self.distance(position, self.position[other]);
            if deepest.is_none_or(|(_, most)| overlap > most) {
                deepest = Some((index, overlap));
            }
        });
        deepest
    }

    /// The distance to the nearest image.
    fn distance(&self, a: Point, b: Point) -> f64 {
        let mut difference = sub(a, b);
        // In a sheared cell, places are in one period, and what meets across its upper side is not looked at.
        let is_sheared = |axis: usize| self.model.tilt != 0.0 && axis + 1 == self.model.dimension;
        for (axis, (component, period)) in difference.iter_mut().zip(self.model.period).enumerate() {
            if period > 0.0 && !is_sheared(axis) {
                *component -= period * (*component / period).round();
            }
        }
        length(difference)
    }

    fn range(&self, position: Point, radius: f64, axis: usize) -> (i64, i64) {
        if axis >= self.model.dimension {
            return (0, 0);
        }
        let from = |x: f64| ((x - self.model.origin[axis]) / self.cell[axis]).floor() as i64;
        let (low, high) = (from(position[axis] - radius), from(position[axis] + radius));
        match self.cells[axis] {
            0 => (low, high),
            // A grain longer than the period is in every cell, once.
            count => (low, high.min(low + count - 1)),
        }
    }

    /// The cells that a grain is in; none if they are very many.
    fn cell_list(&self, position: Point, radius: f64) -> Option<Vec<[i64; 3]>> {
        let ranges: [(i64, i64); 3] = std::array::from_fn(|axis| self.range(position, radius, axis));
        let count: f64 = ranges.iter().map(|&(low, high)| (high - low) as f64 + 1.0).product();
        if count > MOST_CELLS {
            return None;
        }
        let fold = |axis: usize, i: i64| if self.cells[axis] > 0 { i.rem_euclid(self.cells[axis]) } else { i };
        let mut list = Vec::new();
        for z in ranges[2].0..=ranges[2].1 {
            for y in ranges[1].0..=ranges[1].1 {
                for x in ranges[0].0..=ranges[0].1 {
                    list.push([fold(0, x), fold(1, y), fold(2, z)]);
                }
            }
        }
        Some(list)
    }

    fn visit(&self, position: Point, radius: f64, mut visit: impl FnMut(u32)) {
        match self.cell_list(position, radius) {
            Some(cells) => {
                let near = cells.iter().flat_map(|cell| self.grid.get(cell).map_or(&[][..], Vec::as_slice));
                near.chain(&self.large).for_each(|&index| visit(index));
            }
            None => (0..self.position.len() as u32).for_each(visit),
        }
    }
}

/// A grain in more cells than this is kept apart from the grid.
const MOST_CELLS: f64 = 10_000.0;

/// The surface of a wall that is a mesh, in the frame of the world; none if it is not, or could not be read.
fn mesh_in_place(wall: &Wall, surfaces: &[(String, Form)]) -> Option<Surface> {
    let surface = match &wall.shape.form {
        WallForm::Mesh(surface) => surface,
        WallForm::MeshFile { .. } => match surfaces.iter().find(|(name, _)| *name == wall.name) {
            Some((_, Form::Mesh(surface))) => surface,
            _ => return None,
        },
        WallForm::Primitive(_) | WallForm::Block { .. } => return None,
    };
    let vertices = surface.vertices.iter().map(|&vertex| add(vertex, wall.shape.position)).collect();
    Some(Surface { vertices, faces: surface.faces.clone() })
}

/// The distance of a point from the nearest triangle or segment.
fn mesh_distance(mesh: &Surface, position: Point) -> f64 {
    let distance = |face: &Vec<u32>| {
        let corner = |i: usize| mesh.vertices[face[i] as usize];
        let to_edges = (0..face.len())
            .map(|i| segment_distance(corner(i), corner((i + 1) % face.len()), position))
            .fold(f64::INFINITY, f64::min);
        if face.len() < 3 {
            return to_edges;
        }
        let Some(normal) = unit(cross(sub(corner(1), corner(0)), sub(corner(2), corner(0)))) else { return to_edges };
        let inside = (0..3).all(|i| {
            let (from, to) = (corner(i), corner((i + 1) % 3));
            dot(cross(normal, sub(to, from)), sub(position, from)) >= 0.0
        });
        if inside { dot(sub(position, corner(0)), normal).abs() } else { to_edges }
    };
    mesh.faces.iter().map(distance).fold(f64::INFINITY, f64::min)
}

fn segment_distance(from: Point, to: Point, position: Point) -> f64 {
    let along = sub(to, from);
    let square = dot(along, along);
    let part = if square > 0.0 { (dot(sub(position, from), along) / square).clamp(0.0, 1.0) } else { 0.0 };
    length(sub(position, add(from, scale(along, part))))
}

impl Region {
    /// True if axis `axis` of the region is a whole period, over which grains may reach.
    fn is_whole_period(&self, axis: usize, model: &Model) -> bool {
        let period = model.period[axis];
        period > 0.0 && self.upper[axis] - self.lower[axis] >= period * (1.0 - 1e-9)
    }

    /// Between which corners the centres of grains of a radius are; none if they do not fit.
    pub fn centres(&self, radius: f64, model: &Model) -> Option<(Point, Point)> {
        let (mut lower, mut upper) = (self.lower, self.upper);
        for axis in 0..model.dimension {
            if !self.is_whole_period(axis, model) {
                lower[axis] += radius;
                upper[axis] -= radius;
            }
            if lower[axis] > upper[axis] {
                return None;
            }
        }
        Some((lower, upper))
    }

    /// True if a grain is inside of the cylinder, if there is one.
    pub fn is_round_enough(&self, position: Point, radius: f64, dimension: usize) -> bool {
        self.round.is_none_or(|Round { centre, axis, radius: limit }| {
            let offset: Point =
                std::array::from_fn(|i| if i == axis || i >= dimension { 0.0 } else { position[i] - centre[i] });
            length(offset) + radius <= limit
        })
    }

    /// The volume (in 2D the area).
    pub fn volume(&self, dimension: usize) -> f64 {
        self.section(dimension, dimension)
    }

    /// The volume without its extent along `axis`.
    pub fn section(&self, dimension: usize, axis: usize) -> f64 {
        let extent = |i: usize| if i == axis { 1.0 } else { self.upper[i] - self.lower[i] };
        match self.round {
            // A round region keeps π/4 of its bounding box, but for a cut along its own diameter.
            Some(round) if round.axis == axis || axis >= dimension => {
                std::f64::consts::FRAC_PI_4 * (0..dimension).map(extent).product::<f64>()
            }
            _ => (0..dimension).map(extent).product(),
        }
    }
}
