//! Convex bodies as the narrow phase sees them: the hull of some points, perhaps rounded by a radius.
//!
//! A polyhedron is the hull of its corners, a ball a point rounded by its radius, a rod a line rounded by its radius, a
//! plate and a triangle of a mesh are flat hulls with two faces. So one code measures them all against each other.

use crate::shape::{Convex, Mesh};
use riprap_solve::{Dim, Vector};

/// A convex body turned as it is in the world, about its own centre.
#[derive(Clone, Copy, Debug)]
pub struct Solid<'a, D: Dim> {
    /// The corners, from the centre.
    pub vertices: &'a [D::Vector],
    /// The outward normal of each face.
    pub normals: &'a [D::Vector],
    /// The distance of each face's plane from the centre.
    pub offsets: &'a [f64],
    /// What joins the corners.
    pub topology: Topology<'a, D>,
    /// By how much it is rounded.
    pub radius: f64,
    /// The radius of a ball about the centre that is inside the hull.
    pub inner: f64,
    /// The radius of a ball about the centre that holds the hull.
    pub outer: f64,
}

/// What joins the corners of a solid.
#[derive(Clone, Copy, Debug)]
pub enum Topology<'a, D: Dim> {
    /// One corner, no face.
    Point,
    /// Two corners; in 2D the two sides of the segment are its faces.
    Segment,
    /// A rectangle in space, with its two sides as faces.
    Rectangle,
    /// A triangle in space, or a segment in the plane, that is a part of a mesh.
    MeshFace {
        /// The mesh.
        mesh: &'a Mesh<D>,
        /// Which face it is.
        face: u32,
        /// The axes of the mesh in the world.
        axes: &'a [D::Vector; 3],
    },
    /// A convex body.
    Convex(&'a Convex<D>),
}

/// An edge of a solid, or a corner of one without edges.
#[derive(Clone, Copy, Debug)]
pub struct Segment<D: Dim> {
    /// Where it starts and ends.
    pub ends: [D::Vector; 2],
    /// From start to end.
    pub along: D::Vector,
    /// Its length.
    pub length: f64,
    /// The height of its higher end (see [`Solid::heights`]).
    pub height: f64,
    /// The corners at its ends.
    pub vertices: [u32; 2],
    /// Unit vectors that a normal to this edge must not point to: into its two faces. Zero forbids nothing.
    pub into: [D::Vector; 2],
    /// The outward normals of its two faces, between which a normal to this edge must be. Zero tells nothing.
    pub normals: [D::Vector; 2],
    /// The far corner of a neighbouring face of a mesh.
    pub beyond: Option<D::Vector>,
}

/// Some segments of a solid, and the memory to sort them.
#[derive(Clone, Debug)]
pub struct Segments<D: Dim> {
    order: Vec<(f64, usize)>,
    /// The highest first.
    pub segments: Vec<Segment<D>>,
}

impl<D: Dim> Default for Segments<D> {
    fn default() -> Self {
        Segments { order: Vec::new(), segments: Vec::new() }
    }
}

impl<'a, D: Dim> Solid<'a, D> {
    /// A ball; `origin` is zero.
    pub fn ball(radius: f64, origin: &'a D::Vector) -> Self {
        Solid {
            vertices: std::slice::from_ref(origin),
            normals: &[],
            offsets: &[],
            topology: Topology::Point,
            radius,
            inner: 0.0,
            outer: 0.0,
        }
    }

    /// The number of faces.
    pub fn faces(&self) -> usize {
        self.normals.len()
    }

    /// How far it reaches from its centre along a direction, its rounding apart.
    pub fn extent(&self, direction: D::Vector) -> f64 {
        self.vertices.iter().map(|vertex| vertex.dot(direction)).fold(f64::NEG_INFINITY, f64::max)
    }

    /// The height of every corner along a direction, the centre being `away`; gives the largest and its corner.
    pub fn heights(&self, away: D::Vector, direction: D::Vector, heights: &mut Vec<f64>) -> (f64, usize) {
        let centre = away.dot(direction);
        heights.clear();
        heights.extend(self.vertices.iter().map(|vertex| centre + vertex.dot(direction)));
        let mut highest = 0;
        for (vertex, &height) in heights.iter().enumerate() {
            if height > heights[highest] {
                highest = vertex;
            }
        }
        (heights[highest], highest)
    }

    /// The corners of a face, counterclockwise as seen from outside; two in 2D.
    pub fn corners(&self, face: usize) -> &'a [u32] {
        match self.topology {
            Topology::Convex(convex) => &convex.faces[face].vertices,
            Topology::Rectangle => [&[0, 1, 2, 3], &[0, 3, 2, 1]][face],
            Topology::MeshFace { .. } if D::AXES == 3 => [&[0, 1, 2], &[0, 2, 1]][face],
            _ => [&[0, 1], &[1, 0]][face],
        }
    }

    /// True if a mesh face cannot be touched at a corner along `normal`, because faces beyond it are in the way: a grain
    /// would catch on a corner or an edge that sticks out nowhere.
    pub fn forbids(&self, vertex: usize, normal: D::Vector) -> bool {
        let Topology::MeshFace { mesh, face, axes } = self.topology else { return false };
        let corner = mesh.faces[face as usize].vertices[vertex];
        let (at, normal) = (mesh.vertices[corner as usize], turned_back::<D>(axes, normal));
        mesh.beside(corner).iter().any(|&other| points_to::<D>(normal, mesh.vertices[other as usize] - at))
    }

    /// Of a mesh face, the far corner of the neighbour across a side (in the plane: an end).
    fn beyond(&self, side: usize) -> Option<D::Vector> {
        let Topology::MeshFace { mesh, face, axes } = self.topology else { return None };
        let own = &mesh.faces[face as usize];
        let ends = if D::AXES == 2 { [own.vertices[side]; 2] } else { [side, (side + 1) % 3].map(|i| own.vertices[i]) };
        let neighbour = &mesh.faces[own.neighbours[side]? as usize];
        let far = neighbour.vertices[..D::AXES].iter().copied().find(|corner| !ends.contains(corner))?;
        let from = mesh.vertices[own.vertices[0] as usize];
        Some(self.vertices[0] + turned::<D>(axes, mesh.vertices[far as usize] - from))
    }

    /// Gives every face with this corner.
    pub fn for_each_face_at(&self, corner: u32, mut give: impl FnMut(usize)) {
        match self.topology {
            Topology::Convex(convex) => convex.faces_at(corner).iter().for_each(|&face| give(face as usize)),
            _ => (0..self.faces()).filter(|&face| self.corners(face).contains(&corner)).for_each(give),
        }
    }

    /// Gives the corners at the ends of every edge with this corner; there is none in 2D.
    pub fn for_each_edge_at(&self, corner: u32, mut give: impl FnMut([u32; 2])) {
        let count = self.vertices.len() as u32;
        match self.topology {
            _ if D::AXES == 2 => {}
            Topology::Convex(convex) => {
                convex.edges_at(corner).iter().for_each(|&edge| give(convex.edges[edge as usize].vertices));
            }
            Topology::Point => {}
            Topology::Segment => give([0, 1]),
            Topology::Rectangle | Topology::MeshFace { .. } => {
                (0..count).map(|i| [i, (i + 1) % count]).filter(|ends| ends.contains(&corner)).for_each(give);
            }
        }
    }

    /// The edges, in 2D or where there are none the corners, as segments seen from `away` of the centre; only those of
    /// which one end is at least at `height`, of the `heights` of all corners, and the highest first.
    pub fn segments(&self, away: D::Vector, heights: &[f64], height: f64, found: &mut Segments<D>) {
        let Segments { order, segments } = found;
        order.clear();
        segments.clear();
        for index in 0..self.segment_count() {
            let [from, to] = self.segment_ends(index);
            let higher = f64::max(heights[from as usize], heights[to as usize]);
            if higher >= height {
                order.push((higher, index));
            }
        }
        order.sort_unstable_by(|(a, i), (b, j)| b.total_cmp(a).then(i.cmp(j)));
        let at = |vertex: u32| self.vertices[vertex as usize] + away;
        segments.extend(order.iter().map(|&(height, index)| {
            let vertices = self.segment_ends(index);
            let ends = vertices.map(at);
            let along = ends[1] - ends[0];
            let none = [D::Vector::ZERO; 2];
            let (into, normals, beyond) = match self.topology {
                _ if D::AXES == 2 => (none, none, self.beyond(index)),
                Topology::Point | Topology::Segment => (none, none, None),
                Topology::Convex(convex) => {
                    let normals = convex.edges[index].faces.map(|face| self.normals[face as usize]);
                    ([cross::<D>(normals[0], along), cross::<D>(along, normals[1])], normals, None)
                }
                Topology::Rectangle | Topology::MeshFace { .. } => {
                    let (into, beyond) = (cross::<D>(self.normals[0], along), self.beyond(index));
                    ([into, beyond.map_or(into, |far| far + away - ends[0])], none, beyond)
                }
            };
            Segment {
                ends,
                along,
                length: along.length(),
                height,
                vertices,
                into: into.map(|into| into.normalized().unwrap_or(D::Vector::ZERO)),
                normals,
                beyond: beyond.map(|far| far + away),
            }
        }));
    }

    /// The number of segments (see [`Solid::segments`]).
    fn segment_count(&self) -> usize {
        match self.topology {
            Topology::Convex(convex) if D::AXES == 3 => convex.edges.len(),
            Topology::Segment if D::AXES == 3 => 1,
            _ => self.vertices.len(),
        }
    }

    /// The corners at the ends of a segment.
    fn segment_ends(&self, index: usize) -> [u32; 2] {
        match self.topology {
            _ if D::AXES == 2 => [index as u32; 2],
            Topology::Point => [0; 2],
            Topology::Segment => [0, 1],
            Topology::Convex(convex) => convex.edges[index].vertices,
            Topology::Rectangle | Topology::MeshFace { .. } => {
                [index as u32, ((index + 1) % self.vertices.len()) as u32]
            }
        }
    }
}

/// The cosine up to which a normal does not count as pointing to where it must not: rounding.
pub const INWARD: f64 = 1e-9;

/// True if a normal points towards a direction that it must not, but for rounding.
pub fn points_to<D: Dim>(normal: D::Vector, forbidden: D::Vector) -> bool {
    normal.dot(forbidden) > INWARD * forbidden.length()
}

/// The vector product in space; the plane has none that is a vector of the plane.
pub fn cross<D: Dim>(a: D::Vector, b: D::Vector) -> D::Vector {
    D::Vector::from_array3(D::wedge(a, b).to_array3())
}

/// The axes of a body frame in the world, to turn many vectors.
pub fn axes<D: Dim>(orientation: D::Orientation) -> [D::Vector; 3] {
    std::array::from_fn(|i| if i < D::AXES { D::rotate(orientation, D::Vector::axis(i)) } else { D::Vector::ZERO })
}

/// A vector of the body frame, in the world.
#[inline]
pub fn turned<D: Dim>(axes: &[D::Vector; 3], vector: D::Vector) -> D::Vector {
    (1..D::AXES).fold(axes[0] * vector.get(0), |sum, i| sum + axes[i] * vector.get(i))
}

/// A vector of the world, in the body frame.
pub fn turned_back<D: Dim>(axes: &[D::Vector; 3], vector: D::Vector) -> D::Vector {
    D::Vector::from_fn(|i| axes[i].dot(vector))
}
