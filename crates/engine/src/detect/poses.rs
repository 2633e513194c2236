//! Angular bodies turned as they are: corners and normals of all of them, made once and read by every pair.

use super::solid::{Solid, Topology, axes, cross, turned};
use crate::body::Body;
use crate::shape::{Convex, PartShape, Shape};
use rayon::prelude::*;
use riprap_solve::{Dim, Vector};
use std::ops::Range;

/// The pieces of all bodies that are convex: convex bodies, the parts of clusters, and plates.
#[derive(Clone, Debug, Default)]
pub struct Poses<D: Dim> {
    pieces: Vec<Piece<D>>,
    /// The pieces of each body.
    of_body: Vec<Range<u32>>,
    vertices: Vec<D::Vector>,
    normals: Vec<D::Vector>,
    /// The distance of each face from the centre of its piece.
    offsets: Vec<f64>,
    /// The orientations that all this is for.
    orientation: Vec<D::Orientation>,
    /// Zero: the corner of every ball.
    origin: D::Vector,
}

#[derive(Clone, Debug)]
struct Piece<D: Dim> {
    body: u32,
    part: u32,
    /// Its centre, from the body's position.
    centre: D::Vector,
    vertices: Range<u32>,
    normals: Range<u32>,
    inner: f64,
}

/// Bodies that one task turns.
const POSES_PER_TASK: usize = 256;

impl<D: Dim> Poses<D> {
    /// Turns all bodies as `orientation` says.
    pub fn turn(&mut self, bodies: &[Body<D>], orientation: &[D::Orientation]) {
        if self.of_body.len() != bodies.len() {
            self.lay_out(bodies);
        }
        if self.pieces.is_empty() || self.orientation == orientation {
            return;
        }
        self.orientation.clear();
        self.orientation.extend_from_slice(orientation);
        let (mut vertices, mut normals) = (&mut self.vertices[..], &mut self.normals[..]);
        let mut tasks = Vec::new();
        for pieces in self.pieces.chunks_mut(POSES_PER_TASK) {
            let count = |range: fn(&Piece<D>) -> &Range<u32>| pieces.iter().map(|piece| range(piece).len()).sum();
            let (own_vertices, other_vertices) = vertices.split_at_mut(count(|piece| &piece.vertices));
            let (own_normals, other_normals) = normals.split_at_mut(count(|piece| &piece.normals));
            tasks.push((pieces, own_vertices, own_normals));
            (vertices, normals) = (other_vertices, other_normals);
        }
        tasks.into_par_iter().for_each(|(pieces, vertices, normals)| {
            let (mut vertices, mut normals) = (vertices.iter_mut(), normals.iter_mut());
            for piece in pieces {
                let body = piece.body as usize;
                piece.turn(&bodies[body].shape, orientation[body], &mut vertices, &mut normals);
            }
        });
    }

    /// True if no body has corners.
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// The convex pieces of a body, each with its number and with its centre from the body's position. Planes, drums,
    /// rods and meshes have none.
    pub fn solids<'a>(
        &'a self,
        body: u32,
        shape: &'a Shape<D>,
    ) -> impl Iterator<Item = (u32, Solid<'a, D>, D::Vector)> + Clone {
        let ball = shape.ball_radius().map(|radius| (0, Solid::ball(radius, &self.origin), D::Vector::ZERO));
        let pieces = if ball.is_some() { 0..0 } else { self.of_body[body as usize].clone() };
        let pieces = &self.pieces[pieces.start as usize..pieces.end as usize];
        ball.into_iter().chain(pieces.iter().map(move |piece| (piece.part, self.solid(piece, shape), piece.centre)))
    }

    fn solid<'a>(&'a self, piece: &Piece<D>, shape: &'a Shape<D>) -> Solid<'a, D> {
        let range = |range: &Range<u32>| range.start as usize..range.end as usize;
        let convex = |convex: &'a Convex<D>| (Topology::Convex(convex), 0.0, convex.bounding_radius);
        let (topology, radius, outer) = match shape {
            Shape::Convex(body) => convex(body),
            Shape::Cluster(cluster) => match &cluster.parts[piece.part as usize].shape {
                PartShape::Convex(part) => convex(part),
                PartShape::Ball { radius } => (Topology::Point, *radius, 0.0),
            },
            _ => {
                let flat = if D::AXES == 2 { Topology::Segment } else { Topology::Rectangle };
                (flat, 0.0, shape.bounding_radius().unwrap_or(0.0))
            }
        };
        Solid {
            vertices: &self.vertices[range(&piece.vertices)],
            normals: &self.normals[range(&piece.normals)],
            offsets: &self.offsets[range(&piece.normals)],
            topology,
            radius,
            inner: piece.inner,
            outer,
        }
    }

    /// Gives every piece its place.
    fn lay_out(&mut self, bodies: &[Body<D>]) {
        *self = Poses::default();
        let (mut vertices, mut normals) = (0, 0);
        let offsets = |convex: &'_ Convex<D>| convex.faces.iter().map(|face| face.offset).collect::<Vec<f64>>();
        for (index, body) in bodies.iter().enumerate() {
            let start = self.pieces.len() as u32;
            let mut push = |part: usize, own_vertices: usize, offsets: &[f64]| {
                let (v, n) = (own_vertices as u32, offsets.len() as u32);
                self.offsets.extend_from_slice(offsets);
                self.pieces.push(Piece {
                    body: index as u32,
                    part: part as u32,
                    centre: D::Vector::ZERO,
                    vertices: vertices..vertices + v,
                    normals: normals..normals + n,
                    // A body without faces has no inside.
                    inner: offsets.iter().copied().reduce(f64::min).unwrap_or(0.0),
                });
                vertices += v;
                normals += n;
            };
            match &body.shape {
                Shape::Convex(convex) => push(0, convex.vertices.len(), &offsets(convex)),
                Shape::Cluster(cluster) => {
                    for (part, piece) in cluster.parts.iter().enumerate() {
                        match &piece.shape {
                            PartShape::Convex(convex) => {
                                push(part, convex.vertices.len(), &offsets(convex));
                            }
                            PartShape::Ball { .. } => push(part, 1, &[]),
                        }
                    }
                }
                Shape::Plate { .. } => push(0, 2 * (D::AXES - 1), &[0.0; 2]),
                // Other surfaces of one formula have no corners, and the faces of a mesh are turned one by one.
                _ => {}
            }
            self.of_body.push(start..self.pieces.len() as u32);
        }
        self.vertices.resize(vertices as usize, D::Vector::ZERO);
        self.normals.resize(normals as usize, D::Vector::ZERO);
    }
}

impl<D: Dim> Piece<D> {
    /// Writes the turned corners and normals to the next places.
    fn turn<'a>(
        &mut self,
        shape: &Shape<D>,
        orientation: D::Orientation,
        vertices: &mut impl Iterator<Item = &'a mut D::Vector>,
        normals: &mut impl Iterator<Item = &'a mut D::Vector>,
    ) {
        let of_body = axes::<D>(orientation);
        let mut write = |convex: &Convex<D>, axes: &[D::Vector; 3]| {
            for (&vertex, place) in convex.vertices.iter().zip(&mut *vertices) {
                *place = turned::<D>(axes, vertex);
            }
            for (face, place) in convex.faces.iter().zip(&mut *normals) {
                *place = turned::<D>(axes, face.normal);
            }
        };
        match shape {
            Shape::Convex(convex) => write(convex, &of_body),
            Shape::Cluster(cluster) => {
                let part = &cluster.parts[self.part as usize];
                self.centre = turned::<D>(&of_body, part.position);
                match &part.shape {
                    PartShape::Convex(convex) => {
                        write(convex, &axes::<D>(part.orientation).map(|axis| turned::<D>(&of_body, axis)));
                    }
                    PartShape::Ball { .. } => vertices.by_ref().take(1).for_each(|place| *place = D::Vector::ZERO),
                }
            }
            Shape::Plate { half_edges } => {
                let [a, b] = half_edges.map(|edge| turned::<D>(&of_body, edge));
                let (corners, normal) = if D::AXES == 2 {
                    ([a, -a, a, a], D::tangents(a)[0])
                } else {
                    ([a + b, b - a, -a - b, a - b], cross::<D>(a, b))
                };
                let normal = normal.normalized().unwrap_or(D::Vector::axis(0));
                for (corner, place) in corners.into_iter().take(2 * (D::AXES - 1)).zip(&mut *vertices) {
                    *place = corner;
                }
                for (normal, place) in [normal, -normal].into_iter().zip(&mut *normals) {
                    *place = normal;
                }
            }
            _ => {}
        }
    }
}
