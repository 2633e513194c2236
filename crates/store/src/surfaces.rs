//! Bodies and walls as polygons (of walls in 2D, polylines) to look at.

use crate::text::bounds;
use crate::{Snapshot, WallShape};
use glam::{DQuat, DVec3};
use riprap_engine::{Form, FormPart, Primitive, Surface};

/// Surfaces of all walls, or of all grains that are not balls, in one list of points and cells.
#[derive(Default)]
pub struct Surfaces {
    /// Points.
    pub points: Vec<[f64; 3]>,
    /// The points of each cell: a polygon in 3D; in 2D a polyline for walls and a polygon for grains.
    pub cells: Vec<Vec<usize>>,
    /// The row in [`Snapshot::walls`] or [`Snapshot::grains`] that each cell belongs to.
    pub row: Vec<usize>,
}

/// How many sides a round wall has.
const SIDES: usize = 64;

/// The surfaces of the walls of `snapshot`. Endless ones end where the box around the grains does, and a little on.
pub fn wall_surfaces(snapshot: &Snapshot) -> Surfaces {
    let edges = bounds(snapshot);
    wall_surfaces_within(snapshot, [edges.map(|[low, _]| low), edges.map(|[_, high]| high)])
}

/// The surfaces of the walls of `snapshot`, where endless ones end with a box between two corners, and a little on.
pub fn wall_surfaces_within(snapshot: &Snapshot, [low, high]: [[f64; 3]; 2]) -> Surfaces {
    let (low, high) = (DVec3::from_array(low), DVec3::from_array(high));
    let mut surfaces = Surfaces::default();
    for (row, wall) in snapshot.walls.iter().enumerate() {
        let centre = DVec3::from_array(wall.position);
        match wall.shape {
            WallShape::Primitive(primitive) => {
                surfaces.add_primitive(primitive, centre, [low, high], snapshot.dimension);
            }
            WallShape::Form { index, .. } => {
                let turn = DQuat::from_array(wall.orientation);
                let form = &snapshot.forms[index as usize];
                surfaces.add_form(form, centre, turn, snapshot.dimension, Outline::Line, Balls::AsFaces);
            }
        }
        surfaces.row.resize(surfaces.cells.len(), row);
    }
    surfaces
}

/// The surfaces of the grains that are not balls.
pub fn grain_surfaces(snapshot: &Snapshot) -> Surfaces {
    surfaces_of_grains(snapshot, Balls::AsFaces)
}

/// The same without the balls of clumps in 3D ([`ball_parts`]): as faces, a ball takes a thousand times its room on disk.
pub fn flat_surfaces(snapshot: &Snapshot) -> Surfaces {
    surfaces_of_grains(snapshot, Balls::LeftOut)
}

/// A ball of a clump as it stands.
pub struct BallPart {
    /// The row of its grain in [`Snapshot::grains`].
    pub row: usize,
    /// Its centre.
    pub centre: [f64; 3],
    /// Its radius.
    pub radius: f64,
}

/// The balls that clumps are made of.
pub fn ball_parts(snapshot: &Snapshot) -> Vec<BallPart> {
    let grains = &snapshot.grains;
    let mut balls = Vec::new();
    for (row, form) in grains.form.iter().enumerate() {
        let Some(Form::Cluster { parts, .. }) = form.map(|index| &snapshot.forms[index as usize]) else { continue };
        let (place, turn) = (DVec3::from_array(grains.position[row]), DQuat::from_array(grains.orientation[row]));
        for part in parts {
            if let FormPart::Ball { centre, radius } = part {
                let centre = (place + turn * DVec3::from_array(*centre)).to_array();
                balls.push(BallPart { row, centre, radius: *radius });
            }
        }
    }
    balls
}

/// What becomes of the balls of clumps in 3D.
#[derive(Clone, Copy, PartialEq)]
enum Balls {
    AsFaces,
    LeftOut,
}

fn surfaces_of_grains(snapshot: &Snapshot, balls: Balls) -> Surfaces {
    let mut surfaces = Surfaces::default();
    let grains = &snapshot.grains;
    for (row, form) in grains.form.iter().enumerate() {
        if let Some(index) = form {
            let (centre, turn) = (DVec3::from_array(grains.position[row]), DQuat::from_array(grains.orientation[row]));
            let form = &snapshot.forms[*index as usize];
            surfaces.add_form(form, centre, turn, snapshot.dimension, Outline::Area, balls);
            surfaces.row.resize(surfaces.cells.len(), row);
        }
    }
    surfaces
}

/// What a body of the plane becomes: its edges one by one, or a polygon.
#[derive(Clone, Copy, PartialEq)]
enum Outline {
    Line,
    Area,
}

impl Surfaces {
    /// A primitive at `centre`; what is endless ends with the box between two corners, and a little on.
    fn add_primitive(&mut self, primitive: Primitive, centre: DVec3, [low, high]: [DVec3; 2], dimension: usize) {
        let (middle, reach) = (0.5 * (low + high), 0.55 * (high - low).length());
        match primitive {
            Primitive::Plane { normal } => {
                let normal = DVec3::from_array(normal);
                // The part of the plane that faces the middle of the grains.
                let foot = middle - normal * normal.dot(middle - centre);
                let [a, b] = tangents(normal, dimension);
                self.add_plate(foot, a * reach, b * reach);
            }
            Primitive::Plate { half_edges: [a, b] } => {
                self.add_plate(centre, DVec3::from_array(a), DVec3::from_array(b));
            }
            Primitive::Ball { radius } | Primitive::Drum { radius, .. } | Primitive::Rod { radius, .. }
                if dimension == 2 =>
            {
                self.add_circle(centre, radius);
            }
            Primitive::Ball { radius } => self.add_sphere(centre, radius),
            Primitive::Drum { radius, axis } | Primitive::Rod { radius, axis } => {
                let axis = DVec3::from_array(axis);
                let foot = centre + axis * axis.dot(middle - centre);
                let half = axis * (0.5 * axis.abs().dot(high - low));
                let rings = [foot - half, foot + half].map(|centre| (centre, radius));
                self.add_tube(&rings, axis);
            }
        }
    }

    fn add_form(&mut self, form: &Form, centre: DVec3, turn: DQuat, dimension: usize, outline: Outline, balls: Balls) {
        match form {
            Form::Convex(surface) | Form::Mesh(surface) => self.add_faces(surface, centre, turn, dimension, outline),
            Form::Cluster { parts, .. } => {
                for part in parts {
                    match part {
                        FormPart::Ball { centre: own, radius } => {
                            let centre = centre + turn * DVec3::from_array(*own);
                            if dimension == 2 {
                                self.add_circle(centre, *radius);
                            } else if balls == Balls::AsFaces {
                                self.add_sphere(centre, *radius);
                            }
                        }
                        FormPart::Convex { surface, position, orientation } => {
                            let centre = centre + turn * DVec3::from_array(*position);
                            let turn = turn * DQuat::from_array(*orientation);
                            self.add_faces(surface, centre, turn, dimension, outline);
                        }
                    }
                }
            }
        }
    }

    fn add_faces(&mut self, surface: &Surface, centre: DVec3, turn: DQuat, dimension: usize, outline: Outline) {
        let first = self.points.len();
        self.points.extend(surface.vertices.iter().map(|&v| (centre + turn * DVec3::from_array(v)).to_array()));
        if dimension == 2 && outline == Outline::Area {
            // The edges follow each other around the polygon.
            self.cells.push(surface.faces.iter().map(|edge| first + edge[0] as usize).collect());
        } else {
            let face = |face: &Vec<u32>| face.iter().map(|&corner| first + corner as usize).collect();
            self.cells.extend(surface.faces.iter().map(face));
        }
    }

    /// A rectangle, or a segment where the second half edge is zero.
    fn add_plate(&mut self, centre: DVec3, a: DVec3, b: DVec3) {
        let corners = if b == DVec3::ZERO {
            vec![centre - a, centre + a]
        } else {
            vec![centre - a - b, centre + a - b, centre + a + b, centre - a + b]
        };
        self.add_cell(corners);
    }

    fn add_circle(&mut self, centre: DVec3, radius: f64) {
        self.add_cell((0..=SIDES).map(|i| centre + around(DVec3::X, DVec3::Y, i) * radius).collect());
    }

    fn add_sphere(&mut self, centre: DVec3, radius: f64) {
        let rings: Vec<_> = (0..=SIDES / 2)
            .map(|i| {
                let (sin, cos) = (i as f64 * std::f64::consts::TAU / SIDES as f64).sin_cos();
                (centre - DVec3::Z * (radius * cos), radius * sin)
            })
            .collect();
        self.add_tube(&rings, DVec3::Z);
    }

    /// Four-sided faces between rings, each a centre and a radius, about a common axis.
    fn add_tube(&mut self, rings: &[(DVec3, f64)], axis: DVec3) {
        let first = self.points.len();
        let [a, b] = tangents(axis, 3);
        for &(centre, radius) in rings {
            self.points.extend((0..SIDES).map(|i| (centre + around(a, b, i) * radius).to_array()));
        }
        for ring in 1..rings.len() {
            let (below, above) = (first + (ring - 1) * SIDES, first + ring * SIDES);
            self.cells.extend((0..SIDES).map(|i| {
                let next = (i + 1) % SIDES;
                vec![below + i, below + next, above + next, above + i]
            }));
        }
    }

    fn add_cell(&mut self, corners: Vec<DVec3>) {
        let first = self.points.len();
        self.cells.push((first..first + corners.len()).collect());
        self.points.extend(corners.iter().map(|corner| corner.to_array()));
    }
}

/// Two unit vectors across `normal`; in 2D the second is zero, so that a plane becomes a line.
fn tangents(normal: DVec3, dimension: usize) -> [DVec3; 2] {
    if dimension == 2 {
        [DVec3::new(-normal.y, normal.x, 0.0), DVec3::ZERO]
    } else {
        let (a, b) = normal.any_orthonormal_pair();
        [a, b]
    }
}

/// The unit vector at step `i` of a turn from `a` by way of `b`.
fn around(a: DVec3, b: DVec3, i: usize) -> DVec3 {
    let (sin, cos) = ((i % SIDES) as f64 * std::f64::consts::TAU / SIDES as f64).sin_cos();
    a * cos + b * sin
}
