//! What the faces of walls have carried since the start: pressing, sliding and wear by Archard's law
//! (docs/method.md §2).
//!
//! A triangle of a mesh (in 2D a segment) and a face of a convex body count one by one; any other wall is one face.

use crate::contact::{Contact, Status};
use crate::detect::first_part;
use crate::face::{FaceLoad, WallWear};
use crate::shape::{Convex, Mesh, Shape};
use crate::work::Work;
use crate::world::World;
use riprap_solve::{Dim, Vector};

impl<D: Dim> World<D> {
    /// Adds what the contacts of this step did to the faces of walls. To be called while the bodies are where the contacts
    /// were found.
    pub(crate) fn load_faces(&mut self, step: &Work<D>) {
        let mut worn = std::mem::take(&mut self.state.wear);
        for (index, contact) in step.contacts.iter().enumerate() {
            let wall = contact.bodies[0];
            if contact.impulse == D::Vector::ZERO || self.is_grain(wall) || self.bodies[wall as usize].is_free() {
                continue;
            }
            let load = self.face_load(contact, step.incoming_velocity.get(index).copied());
            let (shape, id) = (&self.bodies[wall as usize].shape, self.state.id[wall as usize]);
            let place = worn.binary_search_by_key(&id, |entry| entry.wall).unwrap_or_else(|place| {
                worn.insert(place, WallWear { wall: id, faces: vec![FaceLoad::default(); shape.face_count()] });
                place
            });
            let face = &mut worn[place].faces[self.face_of(contact)];
            face.normal_impulse += load.normal_impulse;
            face.sliding_work += load.sliding_work;
            face.worn_volume += load.worn_volume;
        }
        self.state.wear = worn;
    }

    /// What a contact does to the face of the wall that it is on. `before` is its relative velocity before the solve; without
    /// one, as in molecular dynamics, contacts that stick move by the springs alone, which is no sliding.
    fn face_load(&self, contact: &Contact<D>, before: Option<D::Vector>) -> FaceLoad {
        let mean = match before {
            Some(before) => (before + contact.velocity) * 0.5,
            None if contact.status == Status::Slide => contact.velocity,
            None => D::Vector::ZERO,
        };
        let normal_impulse = contact.impulse.dot(contact.normal);
        let sliding = mean - contact.normal * mean.dot(contact.normal);
        let [a, b] = contact.bodies.map(|body| self.bodies[body as usize].material);
        let rate = self.materials.pair(a, b).wear;
        FaceLoad {
            normal_impulse,
            sliding_work: -contact.impulse.dot(sliding),
            worn_volume: rate * f64::max(normal_impulse, 0.0) * sliding.length(),
        }
    }

    /// The face of the wall, body 1, that a contact is on.
    fn face_of(&self, contact: &Contact<D>) -> usize {
        let wall = contact.bodies[0] as usize;
        match &self.bodies[wall].shape {
            Shape::Mesh(mesh) => first_part(contact.feature).min(mesh.faces.len() - 1),
            Shape::Convex(convex) => {
                let from_wall = contact.point - self.state.position[wall];
                let axis = |i: usize| D::rotate(self.state.orientation[wall], D::Vector::axis(i));
                nearest_face(convex, D::Vector::from_fn(|i| axis(i).dot(from_wall)))
            }
            _ => 0,
        }
    }

    /// The areas of the faces of a body (in 2D lengths times the thickness), in the order of its shape; zero where a face is
    /// endless or has no one area.
    pub fn face_areas(&self, body: usize) -> Vec<f64> {
        let per_face = match &self.bodies[body].shape {
            Shape::Mesh(mesh) => areas_of_mesh(mesh),
            Shape::Convex(convex) => convex.faces.iter().map(|face| area(&convex.vertices, &face.vertices)).collect(),
            Shape::Plate { half_edges: [a, b] } if D::AXES == 3 => vec![4.0 * a.length() * b.length()],
            Shape::Plate { half_edges: [a, _] } => vec![2.0 * a.length()],
            _ => vec![0.0],
        };
        let thickness = if D::AXES == 2 { self.thickness } else { 1.0 };
        per_face.into_iter().map(|area| area * thickness).collect()
    }
}

impl<D: Dim> Shape<D> {
    /// The number of faces that count one by one.
    fn face_count(&self) -> usize {
        match self {
            Shape::Mesh(mesh) => mesh.faces.len(),
            Shape::Convex(convex) => convex.faces.len(),
            _ => 1,
        }
    }
}

/// The face of a convex body that a point of its frame, which is near its surface, lies on.
fn nearest_face<D: Dim>(convex: &Convex<D>, at: D::Vector) -> usize {
    let height = |face: usize| convex.faces[face].normal.dot(at) - convex.faces[face].offset;
    (1..convex.faces.len()).fold(0, |best, face| if height(face) > height(best) { face } else { best })
}

fn areas_of_mesh<D: Dim>(mesh: &Mesh<D>) -> Vec<f64> {
    mesh.faces.iter().map(|face| area(&mesh.vertices, &face.vertices[..D::AXES])).collect()
}

/// The area of a plane polygon, in 2D the length of a segment.
fn area<V: Vector>(vertices: &[V], corners: &[u32]) -> f64 {
    let at = |i: usize| glam::DVec3::from_array(vertices[corners[i] as usize].to_array3());
    if corners.len() == 2 {
        return (at(1) - at(0)).length();
    }
    let fan = (2..corners.len()).map(|i| (at(i - 1) - at(0)).cross(at(i) - at(0)));
    0.5 * fan.fold(glam::DVec3::ZERO, |sum, part| sum + part).length()
}
