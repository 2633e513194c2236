//! Surfaces of triangles, in 2D lines of segments: walls of any form.

use super::error::ShapeError;
use super::tree::Tree;
use glam::DVec3;
use riprap_solve::{Dim, Vector};
use std::collections::BTreeMap;

/// A surface of triangles, in 2D a line of segments, in the frame of its body. It is solid from both sides and has no
/// volume, so it is a wall: fixed or driven.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh<D: Dim> {
    /// The corners, each once.
    pub vertices: Vec<D::Vector>,
    /// The triangles or segments.
    pub faces: Vec<MeshFace<D>>,
    /// Distance of the farthest vertex from the body's position.
    pub bounding_radius: f64,
    /// Where the faces are.
    tree: Tree<D>,
    /// The corners that share an edge with each corner.
    beside: Vec<Vec<u32>>,
}

/// A triangle of a mesh, in 2D a segment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshFace<D: Dim> {
    /// Its corners, counterclockwise about the normal; in 2D the first two count.
    pub vertices: [u32; 3],
    /// The face beyond each side: side `i` runs from corner `i` to the next (in 2D, "beyond" corner `i`).
    /// `None` where the mesh ends, or where more than two faces meet.
    pub neighbours: [Option<u32>; 3],
    /// Its unit normal, by the order of its corners.
    pub normal: D::Vector,
}

impl<D: Dim> Mesh<D> {
    /// A mesh of triangles (in 2D segments) by the indices of their corners. Corners at the same place are made one, so
    /// that neighbours know each other.
    pub fn new(points: &[D::Vector], faces: &[[usize; 3]]) -> Result<Self, ShapeError> {
        if faces.is_empty() {
            return Err(ShapeError::Empty);
        }
        if let Some(vertex) = points.iter().position(|point| !point.is_finite()) {
            return Err(ShapeError::NotFinite { vertex });
        }
        let mut vertices = Vec::new();
        let mut number_of = BTreeMap::new();
        let mut number = |point: D::Vector| {
            // Zero has two signs, which are one place.
            let key = point.to_array3().map(|x| (x + 0.0).to_bits());
            *number_of.entry(key).or_insert_with(|| {
                vertices.push(point);
                vertices.len() as u32 - 1
            })
        };
        let corners_of_face = if D::AXES == 2 { 2 } else { 3 };
        let mut corners = Vec::with_capacity(faces.len());
        for (face, given) in faces.iter().enumerate() {
            let given = &given[..corners_of_face];
            if let Some(&vertex) = given.iter().find(|&&corner| corner >= points.len()) {
                return Err(ShapeError::NoSuchVertex { face, vertex, count: points.len() });
            }
            let mut own = [0; 3];
            for (own, &given) in own.iter_mut().zip(given) {
                *own = number(points[given]);
            }
            corners.push(own);
        }
        let mut beyond: BTreeMap<[u32; 2], Vec<u32>> = BTreeMap::new();
        for (face, own) in corners.iter().enumerate() {
            for side in sides::<D>(own) {
                beyond.entry(side).or_default().push(face as u32);
            }
        }
        let made = corners.iter().enumerate().map(|(face, own)| {
            let normal = normal::<D>(&vertices, own).ok_or(ShapeError::EmptyFace { face })?;
            let mut neighbours = [None; 3];
            for (neighbour, side) in neighbours.iter_mut().zip(sides::<D>(own)) {
                *neighbour = match beyond[&side][..] {
                    [a, b] => Some(if a == face as u32 { b } else { a }),
                    _ => None,
                };
            }
            Ok(MeshFace { vertices: *own, neighbours, normal })
        });
        let faces = made.collect::<Result<Vec<_>, ShapeError>>()?;
        let bounding_radius = vertices.iter().map(|vertex| vertex.length()).fold(0.0, f64::max);
        let around = |face: &MeshFace<D>, pick: fn(f64, f64) -> f64| {
            let corners = face.vertices[..corners_of_face].iter().map(|&corner| vertices[corner as usize]);
            let first = vertices[face.vertices[0] as usize];
            corners.fold(first, |bound, at| D::Vector::from_fn(|i| pick(bound.get(i), at.get(i))))
        };
        let boxes: Vec<_> = faces.iter().map(|face| [around(face, f64::min), around(face, f64::max)]).collect();
        let mut beside = vec![Vec::new(); vertices.len()];
        for face in &faces {
            let own = &face.vertices[..corners_of_face];
            for &corner in own {
                beside[corner as usize].extend(own.iter().filter(|&&other| other != corner));
            }
        }
        for others in &mut beside {
            others.sort_unstable();
            others.dedup();
        }
        Ok(Mesh { tree: Tree::new(&boxes), beside, vertices, faces, bounding_radius })
    }

    /// The corners that share an edge with a corner.
    pub fn beside(&self, corner: u32) -> &[u32] {
        &self.beside[corner as usize]
    }

    /// Gives every face whose box meets the box from `low` to `high`, and some beside it, in an order that depends on
    /// nothing else.
    pub fn faces_near(&self, low: D::Vector, high: D::Vector, found: impl FnMut(u32)) {
        self.tree.near([low, high], found);
    }
}

/// What joins a face to others: its edges, or in 2D its two ends.
fn sides<D: Dim>(corners: &[u32; 3]) -> Vec<[u32; 2]> {
    if D::AXES == 2 {
        return corners[..2].iter().map(|&corner| [corner, corner]).collect();
    }
    let edge = |i: usize| [corners[i], corners[(i + 1) % 3]];
    (0..3).map(|i| [edge(i)[0].min(edge(i)[1]), edge(i)[0].max(edge(i)[1])]).collect()
}

/// The unit normal of a triangle, or of a segment to its right; `None` if it is degenerate.
fn normal<D: Dim>(vertices: &[D::Vector], corners: &[u32; 3]) -> Option<D::Vector> {
    let [a, b, c] = corners.map(|corner| DVec3::from(vertices[corner as usize].to_array3()));
    let normal = if D::AXES == 2 { (b - a).cross(DVec3::Z) } else { (b - a).cross(c - a) };
    D::Vector::from_array3(normal.to_array()).normalized()
}
