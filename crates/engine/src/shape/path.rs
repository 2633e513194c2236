//! Does a straight path go through a shape? For bodies that are too fast for a time step.

use super::{Convex, Mesh, PartShape, Shape};
use riprap_solve::{Dim, Vector};

impl<D: Dim> Shape<D> {
    /// The radius of a ball about the body's position that is inside the shape; zero if there is none.
    pub(crate) fn core_radius(&self) -> f64 {
        match self {
            Shape::Ball { radius } => *radius,
            Shape::Convex(convex) => convex.faces.iter().map(|face| face.offset).fold(f64::INFINITY, f64::min),
            _ => 0.0,
        }
    }

    /// True for walls that are solid everywhere behind their surface.
    pub(crate) fn is_one_sided(&self) -> bool {
        matches!(self, Shape::Plane { .. } | Shape::Drum { .. } | Shape::Rod { .. })
    }

    /// True if the straight path from one point to another, in the body frame, meets the shape; for those that have two
    /// sides or an inside.
    pub(crate) fn is_crossed_by(&self, from: D::Vector, to: D::Vector) -> bool {
        match self {
            Shape::Ball { radius } => meets_ball::<D>(*radius, from, to),
            Shape::Plate { half_edges } => meets_plate::<D>(half_edges, from, to),
            Shape::Convex(convex) => convex.is_crossed_by(from, to),
            Shape::Cluster(cluster) => cluster.parts.iter().any(|part| {
                let back = |point: D::Vector| {
                    let from_part = point - part.position;
                    D::Vector::from_fn(|i| D::rotate(part.orientation, D::Vector::axis(i)).dot(from_part))
                };
                match &part.shape {
                    PartShape::Ball { radius } => meets_ball::<D>(*radius, back(from), back(to)),
                    PartShape::Convex(convex) => convex.is_crossed_by(back(from), back(to)),
                }
            }),
            Shape::Mesh(mesh) => mesh.is_crossed_by(from, to),
            Shape::Plane { .. } | Shape::Drum { .. } | Shape::Rod { .. } => false,
        }
    }
}

impl<D: Dim> Convex<D> {
    fn is_crossed_by(&self, from: D::Vector, to: D::Vector) -> bool {
        let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
        for face in &self.faces {
            let (start, end) = (face.normal.dot(from) - face.offset, face.normal.dot(to) - face.offset);
            match (start > 0.0, end > 0.0) {
                (true, true) => return false,
                (true, false) => enter = enter.max(start / (start - end)),
                (false, true) => leave = leave.min(start / (start - end)),
                (false, false) => {}
            }
        }
        enter <= leave
    }
}

impl<D: Dim> Mesh<D> {
    fn is_crossed_by(&self, from: D::Vector, to: D::Vector) -> bool {
        let low = D::Vector::from_fn(|i| f64::min(from.get(i), to.get(i)));
        let high = D::Vector::from_fn(|i| f64::max(from.get(i), to.get(i)));
        let mut crossed = false;
        self.faces_near(low, high, |index| {
            let face = &self.faces[index as usize];
            let corner = |i: usize| self.vertices[face.vertices[i % D::AXES] as usize];
            let height = |point: D::Vector| face.normal.dot(point - corner(0));
            let (start, end) = (height(from), height(to));
            if start * end < 0.0 {
                let at = from + (to - from) * (start / (start - end));
                // Within every side: on the same side of it as the corner across.
                crossed |= (0..D::AXES).all(|i| {
                    let along = if D::AXES == 2 { D::Vector::ZERO } else { corner(i + 1) - corner(i) };
                    let across = |vector: D::Vector| {
                        let square = along.dot(along);
                        if square > 0.0 { vector - along * (along.dot(vector) / square) } else { vector }
                    };
                    let inward = across(corner(i + D::AXES - 1) - corner(i));
                    inward.dot(at - corner(i)) >= 0.0
                });
            }
        });
        crossed
    }
}

fn meets_ball<D: Dim>(radius: f64, from: D::Vector, to: D::Vector) -> bool {
    let path = to - from;
    let square = path.dot(path);
    let nearest = if square > 0.0 { (-from.dot(path) / square).clamp(0.0, 1.0) } else { 0.0 };
    (from + path * nearest).length() < radius
}

/// Where the path meets the plate's plane, if it does: is that on the plate?
fn meets_plate<D: Dim>(half_edges: &[D::Vector; 2], from: D::Vector, to: D::Vector) -> bool {
    let edges = half_edges.iter().filter(|edge| edge.dot(**edge) > 0.0);
    let across = |from_plate: D::Vector| {
        edges.clone().fold(from_plate, |rest, &edge| rest - edge * (edge.dot(from_plate) / edge.dot(edge)))
    };
    let (height, height_end) = (across(from), across(to));
    if height.dot(height_end) >= 0.0 {
        return false;
    }
    let share = height.length() / (height.length() + height_end.length());
    let crossing = from + (to - from) * share;
    edges.clone().all(|edge| edge.dot(crossing).abs() <= edge.dot(*edge))
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{DVec2, DVec3};
    use riprap_solve::{D2, D3};
    use std::sync::Arc;

    #[test]
    fn a_path_through_a_shape_is_seen_and_one_beside_it_is_not() {
        let corners: Vec<DVec3> =
            (0..8).map(|i| DVec3::new((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2) as f64)).collect();
        let cube = Shape::<D3>::Convex(Convex::hull(&corners).unwrap().convex);
        let square =
            Mesh::<D3>::new(&[DVec3::ZERO, DVec3::X, DVec3::ONE - DVec3::Z, DVec3::Y], &[[0, 1, 2], [0, 2, 3]]);
        let square = Shape::Mesh(Arc::new(square.unwrap()));
        let step = |x: f64, y: f64| (DVec3::new(x, y, 3.0), DVec3::new(x, y, -3.0));
        for (x, y) in [(0.2, 0.1), (0.1, 0.3), (0.4, 0.4)] {
            assert!(cube.is_crossed_by(step(x, y).0, step(x, y).1));
            assert!(square.is_crossed_by(step(x, y).0, step(x, y).1));
            assert!(!square.is_crossed_by(step(x, y).0, step(x, y).0 * 0.9));
        }
        for (x, y) in [(1.2, 0.1), (-0.6, 0.3)] {
            assert!(!cube.is_crossed_by(step(x, y).0, step(x, y).1));
            assert!(!square.is_crossed_by(step(x, y).0, step(x, y).1));
        }
        let line = Mesh::<D2>::new(&[DVec2::ZERO, DVec2::X], &[[0, 1, 0]]).unwrap();
        let line = Shape::Mesh(Arc::new(line));
        assert!(line.is_crossed_by(DVec2::new(0.5, 1.0), DVec2::new(0.6, -1.0)));
        assert!(!line.is_crossed_by(DVec2::new(1.5, 1.0), DVec2::new(1.6, -1.0)));
        let plate = Shape::<D2>::Plate { half_edges: [DVec2::X, DVec2::ZERO] };
        assert!(plate.is_crossed_by(DVec2::new(0.5, 1.0), DVec2::new(0.6, -1.0)));
        assert!(!plate.is_crossed_by(DVec2::new(1.5, 1.0), DVec2::new(1.6, -1.0)));
    }
}
