//! Convex polyhedra and polygons.

use super::error::ShapeError;
use super::hull::{Polytope, faces_of_hull};
use super::mass::{MassProperties, moments_of_inertia, polygon, polyhedron, principal};
use glam::{DMat3, DQuat, DVec3};
use riprap_solve::{Dim, Vector};
use std::sync::Arc;

/// A convex polyhedron, in 2D a convex polygon, about its centre of mass and in its principal axes of inertia.
///
/// In 2D vertices are in counterclockwise order, and face `i` is the edge from vertex `i` to the next.
#[derive(Clone, Debug, PartialEq)]
pub struct Convex<D: Dim> {
    /// The corners.
    pub vertices: Vec<D::Vector>,
    /// The plane faces; in 2D the edges.
    pub faces: Vec<Face<D>>,
    /// The edges between faces; none in 2D, where the faces are edges.
    pub edges: Vec<Edge>,
    /// What meets at each vertex.
    around: Around,
    /// Distance of the farthest vertex from the centre.
    pub bounding_radius: f64,
    /// Volume (in 2D the area times 1 m).
    pub volume: f64,
    /// Principal moments of inertia about the centre, for density 1.
    pub inertia: D::Spin,
}

/// A face of a convex body: the points `x` with `normal·x = offset`, within the corners.
#[derive(Clone, Debug, PartialEq)]
pub struct Face<D: Dim> {
    /// Unit vector out of the body.
    pub normal: D::Vector,
    /// Distance of its plane from the centre of mass, along the normal.
    pub offset: f64,
    /// Its corners, counterclockwise as seen from outside; two in 2D.
    pub vertices: Vec<u32>,
}

/// An edge between two faces of a polyhedron.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Its ends, in the order in which the first face runs along it.
    pub vertices: [u32; 2],
    /// Its two faces.
    pub faces: [u32; 2],
}

/// The faces and edges at each vertex.
#[derive(Clone, Debug, PartialEq)]
struct Around {
    faces: Lists,
    edges: Lists,
}

impl Around {
    fn new(vertices: usize, faces: &[Vec<u32>], edges: &[Edge]) -> Self {
        Around {
            faces: Lists::new(vertices, faces.iter().map(Vec::as_slice)),
            edges: Lists::new(vertices, edges.iter().map(|edge| &edge.vertices[..])),
        }
    }
}

/// For each vertex, which items of a list have it, one vertex after the other.
#[derive(Clone, Debug, PartialEq)]
struct Lists {
    items: Vec<u32>,
    /// Where those of each vertex start.
    starts: Vec<u32>,
}

impl Lists {
    fn new<'a>(vertices: usize, items: impl Iterator<Item = &'a [u32]>) -> Self {
        let mut of_vertex = vec![Vec::new(); vertices];
        for (item, corners) in items.enumerate() {
            corners.iter().for_each(|&corner| of_vertex[corner as usize].push(item as u32));
        }
        let mut starts = vec![0];
        for items in &of_vertex {
            starts.push(starts[starts.len() - 1] + items.len() as u32);
        }
        Lists { items: of_vertex.concat(), starts }
    }

    fn of(&self, vertex: u32) -> &[u32] {
        let vertex = vertex as usize;
        &self.items[self.starts[vertex] as usize..self.starts[vertex + 1] as usize]
    }
}

/// A convex body and where it was: `position + orientation·vertex` are the points that it was made from.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacedConvex<D: Dim> {
    /// The body.
    pub convex: Arc<Convex<D>>,
    /// Its centre of mass.
    pub position: D::Vector,
    /// Its orientation.
    pub orientation: D::Orientation,
}

/// How far a vertex may be from the plane of a face, over the size of the body, to count as on it: what single
/// precision, the numbers of STL files, leaves over.
pub(super) const FLATNESS: f64 = 1e-6;

impl<D: Dim> Convex<D> {
    /// The convex hull of some points, and where it is. Points inside it, and corners that are none within rounding,
    /// are dropped.
    pub fn hull(points: &[D::Vector]) -> Result<PlacedConvex<D>, ShapeError> {
        let points: Vec<DVec3> = points.iter().map(|point| DVec3::from(point.to_array3())).collect();
        Ok(Self::placed(&faces_of_hull(&points, D::AXES)?))
    }

    /// The body within the given faces, and where it is. Vertices of a face are counterclockwise as seen from outside;
    /// in 2D faces are the edges of a polygon, with two vertices each.
    pub fn from_faces(points: &[D::Vector], faces: &[Vec<usize>]) -> Result<PlacedConvex<D>, ShapeError> {
        let points: Vec<DVec3> = points.iter().map(|point| DVec3::from(point.to_array3())).collect();
        super::hull::check_faces(&points, faces, D::AXES)?;
        Ok(Self::placed(&faces_of_hull(&points, D::AXES)?))
    }

    /// The body with these corners, which are about its centre of mass and in its principal axes already, as those of
    /// another body are; they stay as they are, to the last bit.
    pub fn centred(vertices: &[D::Vector]) -> Result<Self, ShapeError> {
        let points: Vec<DVec3> = vertices.iter().map(|point| DVec3::from(point.to_array3())).collect();
        Ok(Self::in_frame(&faces_of_hull(&points, D::AXES)?, DVec3::ZERO, DQuat::IDENTITY))
    }

    /// The faces that meet at a vertex.
    pub fn faces_at(&self, vertex: u32) -> &[u32] {
        self.around.faces.of(vertex)
    }

    /// The edges that meet at a vertex; none in 2D.
    pub fn edges_at(&self, vertex: u32) -> &[u32] {
        self.around.edges.of(vertex)
    }

    /// The body whose every length is `factor` times as large.
    pub fn scaled(&self, factor: f64) -> Self {
        let dimension = D::AXES as f64;
        Convex {
            vertices: self.vertices.iter().map(|&vertex| vertex * factor).collect(),
            faces: self.faces.iter().map(|face| Face { offset: face.offset * factor, ..face.clone() }).collect(),
            edges: self.edges.clone(),
            around: self.around.clone(),
            bounding_radius: self.bounding_radius * factor,
            volume: self.volume * libm::pow(factor, dimension),
            inertia: self.inertia * libm::pow(factor, dimension + 2.0),
        }
    }

    /// `∫ x xᵀ` over the body in its own frame, for density 1.
    pub(super) fn second_moment(&self) -> DMat3 {
        let vertices = self.vertices.iter().map(|vertex| DVec3::from(vertex.to_array3())).collect();
        let faces = self.faces.iter().map(|face| face.vertices.clone()).collect();
        mass_properties::<D>(&Polytope { vertices, faces }).second_moment
    }

    /// From the corners and faces in the frame of the world to a body in its own.
    fn placed(polytope: &Polytope) -> PlacedConvex<D> {
        let MassProperties { centre, second_moment, .. } = mass_properties::<D>(polytope);
        let (axes, _) = principal(second_moment, D::AXES);
        PlacedConvex {
            convex: Arc::new(Self::in_frame(polytope, centre, axes)),
            position: D::Vector::from_array3(centre.to_array()),
            orientation: D::from_quaternion(axes.to_array()),
        }
    }

    /// The body in the frame with this origin and these axes.
    fn in_frame(polytope: &Polytope, origin: DVec3, axes: DQuat) -> Self {
        let to_body = axes.conjugate();
        let vertices: Vec<DVec3> = if (origin, axes) == (DVec3::ZERO, DQuat::IDENTITY) {
            polytope.vertices.clone()
        } else {
            polytope.vertices.iter().map(|&vertex| to_body * (vertex - origin)).collect()
        };
        let faces = polytope
            .faces
            .iter()
            .map(|corners| {
                let normal = polytope_normal(&vertices, corners);
                let offset = corners.iter().map(|&corner| normal.dot(vertices[corner as usize])).sum::<f64>();
                Face {
                    normal: D::Vector::from_array3(normal.to_array()),
                    offset: offset / corners.len() as f64,
                    vertices: corners.clone(),
                }
            })
            .collect();
        let MassProperties { volume, second_moment, .. } =
            mass_properties::<D>(&Polytope { vertices: vertices.clone(), faces: polytope.faces.clone() });
        let inertia = moments_of_inertia(second_moment);
        let edges = if D::AXES == 2 { Vec::new() } else { edges(&polytope.faces) };
        Convex {
            around: Around::new(vertices.len(), &polytope.faces, &edges),
            bounding_radius: vertices.iter().map(|vertex| vertex.length()).fold(0.0, f64::max),
            vertices: vertices.iter().map(|vertex| D::Vector::from_array3(vertex.to_array())).collect(),
            edges,
            faces,
            volume,
            inertia: D::Spin::from_fn(|i| inertia[if D::AXES == 2 { 2 } else { i }]),
        }
    }
}

fn mass_properties<D: Dim>(body: &Polytope) -> MassProperties {
    if D::AXES == 2 { polygon(body) } else { polyhedron(body) }
}

/// The outward unit normal of a polygon by Newell's sum over its edges, or of an edge in the plane.
pub(super) fn polytope_normal(vertices: &[DVec3], corners: &[u32]) -> DVec3 {
    let at = |i: usize| vertices[corners[i % corners.len()] as usize];
    if corners.len() == 2 {
        let along = at(1) - at(0);
        return DVec3::new(along.y, -along.x, 0.0).normalize();
    }
    // From the first corner, so that the sum does not lose digits far from the origin.
    (1..corners.len() - 1).map(|i| (at(i) - at(0)).cross(at(i + 1) - at(0))).sum::<DVec3>().normalize()
}

/// Every edge once, from the face that comes first.
fn edges(faces: &[Vec<u32>]) -> Vec<Edge> {
    let mut sides: Vec<([u32; 2], [u32; 2], u32)> = Vec::new();
    for (index, corners) in faces.iter().enumerate() {
        for i in 0..corners.len() {
            let ends = [corners[i], corners[(i + 1) % corners.len()]];
            sides.push(([ends[0].min(ends[1]), ends[0].max(ends[1])], ends, index as u32));
        }
    }
    sides.sort_unstable_by_key(|&(key, _, face)| (key, face));
    let pairs = sides.chunks_exact(2);
    pairs.map(|pair| Edge { vertices: pair[0].1, faces: [pair[0].2, pair[1].2] }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec2;
    use riprap_solve::{D2, D3};

    fn box_points(half: DVec3) -> Vec<DVec3> {
        (0..8)
            .map(|i| half * DVec3::from_array(std::array::from_fn(|axis| if i >> axis & 1 == 1 { 1.0 } else { -1.0 })))
            .collect()
    }

    /// What every convex body must be.
    fn is_sound(convex: &Convex<D3>) {
        let (v, e, f) = (convex.vertices.len(), convex.edges.len(), convex.faces.len());
        assert_eq!(v + f, e + 2, "Euler's formula");
        assert_eq!(convex.faces.iter().map(|face| face.vertices.len()).sum::<usize>(), 2 * e);
        for face in &convex.faces {
            for (index, vertex) in convex.vertices.iter().enumerate() {
                let height = face.normal.dot(*vertex) - face.offset;
                let on_face = face.vertices.contains(&(index as u32));
                assert!(height < 2.0 * FLATNESS * convex.bounding_radius, "{height:e}");
                assert!(!on_face || height > -2.0 * FLATNESS * convex.bounding_radius, "{height:e}");
            }
        }
        for edge in &convex.edges {
            assert!(edge.faces[0] != edge.faces[1]);
            let runs = |face: u32, [from, to]: [u32; 2]| {
                let corners = &convex.faces[face as usize].vertices;
                (0..corners.len()).any(|i| [corners[i], corners[(i + 1) % corners.len()]] == [from, to])
            };
            let [from, to] = edge.vertices;
            assert!(runs(edge.faces[0], [from, to]) && runs(edge.faces[1], [to, from]));
        }
        assert!(convex.volume > 0.0);
    }

    #[test]
    fn a_box_has_its_closed_forms_wherever_it_is() {
        let half = DVec3::new(0.5, 1.0, 1.5);
        let still = Convex::<D3>::hull(&box_points(half)).unwrap();
        is_sound(&still.convex);
        assert_eq!((still.convex.vertices.len(), still.convex.faces.len(), still.convex.edges.len()), (8, 6, 12));
        assert_eq!(still.orientation, DQuat::IDENTITY);
        let mass = 6.0;
        let expected = DVec3::new(4.0 + 9.0, 1.0 + 9.0, 1.0 + 4.0) * (mass / 12.0);
        assert!((still.convex.volume - mass).abs() < 1e-14);
        assert!((still.convex.inertia - expected).length() < 1e-13);
        // Turned and moved, the body is the same up to the order of its axes, and its corners are where they were.
        let turn = DQuat::from_scaled_axis(DVec3::new(0.3, -1.1, 0.7));
        let points: Vec<DVec3> = box_points(half).iter().map(|&p| turn * p + DVec3::new(7.0, -3.0, 2.0)).collect();
        let placed = Convex::<D3>::hull(&points).unwrap();
        is_sound(&placed.convex);
        assert_eq!(placed.convex.faces.len(), 6);
        assert!((placed.position - DVec3::new(7.0, -3.0, 2.0)).length() < 1e-13);
        let mut moments = placed.convex.inertia.to_array();
        moments.sort_by(f64::total_cmp);
        assert!((DVec3::from(moments) - DVec3::new(2.5, 5.0, 6.5)).length() < 1e-12);
        for (corner, point) in placed.convex.vertices.iter().zip(&points) {
            assert!((placed.position + placed.orientation * *corner - *point).length() < 1e-13);
        }
    }

    #[test]
    fn a_tetrahedron_has_its_closed_forms() {
        // Edge a: V = a³/(6√2), I = m a²/20 about any axis.
        let points: Vec<DVec3> = [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]]
            .into_iter()
            .map(DVec3::from)
            .collect();
        let Convex { volume, inertia, faces, .. } = Arc::unwrap_or_clone(Convex::<D3>::hull(&points).unwrap().convex);
        let a = 8.0_f64.sqrt();
        assert_eq!(faces.len(), 4);
        assert!((volume - a.powi(3) / (6.0 * 2.0_f64.sqrt())).abs() < 1e-14);
        assert!((inertia - DVec3::splat(volume * a * a / 20.0)).length() < 1e-13);
    }

    #[test]
    fn a_regular_polygon_has_its_closed_forms() {
        for n in [3, 5, 6, 17] {
            let corner = |i: usize| DVec2::from_angle(0.4 + std::f64::consts::TAU * i as f64 / n as f64) * 2.0;
            let points: Vec<DVec2> = (0..n).map(|i| corner(i) + DVec2::new(100.0, 50.0)).collect();
            let placed = Convex::<D2>::hull(&points).unwrap();
            let (sin, cos) = (std::f64::consts::TAU / n as f64).sin_cos();
            let area = 0.5 * n as f64 * 4.0 * sin;
            assert_eq!((placed.convex.vertices.len(), placed.convex.faces.len()), (n, n));
            assert!((placed.position - DVec2::new(100.0, 50.0)).length() < 1e-12);
            assert!((placed.convex.volume - area).abs() < 1e-11);
            assert!((placed.convex.inertia - area * 4.0 * (2.0 + cos) / 6.0).abs() < 1e-10);
            for (i, face) in placed.convex.faces.iter().enumerate() {
                assert_eq!(face.vertices, [i as u32, ((i + 1) % n) as u32]);
                assert!(face.offset > 0.0);
                assert!((face.offset - 2.0 * (std::f64::consts::PI / n as f64).cos()).abs() < 1e-12);
            }
        }
    }

    /// Random numbers enough for points.
    fn noise(seed: &mut u64) -> f64 {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 11) as f64 / (1_u64 << 53) as f64
    }

    #[test]
    fn hulls_of_many_points_are_sound() {
        let mut seed = 7;
        for count in [4, 5, 20, 300] {
            for _ in 0..20 {
                let mut point = || DVec3::new(noise(&mut seed), noise(&mut seed), noise(&mut seed)) - 0.5;
                let inside: Vec<DVec3> = (0..count).map(|_| point()).collect();
                is_sound(&Convex::<D3>::hull(&inside).unwrap().convex);
                let on_sphere: Vec<DVec3> = inside.iter().map(|point| point.normalize()).collect();
                let placed = Convex::<D3>::hull(&on_sphere).unwrap();
                is_sound(&placed.convex);
                assert_eq!(placed.convex.vertices.len(), count);
            }
        }
    }

    #[test]
    fn points_on_faces_and_edges_are_no_corners() {
        let lattice = |n: usize| {
            let step = 1.0 / (n - 1) as f64;
            (0..n * n * n).map(move |i| DVec3::new((i % n) as f64, (i / n % n) as f64, (i / n / n) as f64) * step)
        };
        let turn = DQuat::from_scaled_axis(DVec3::new(0.2, 0.5, -0.9));
        // In single precision, as STL has it, no face of the turned box is quite plane.
        let rounded = |point: DVec3| (turn * point * 3.0).as_vec3().as_dvec3();
        for points in [lattice(5).collect::<Vec<_>>(), lattice(5).map(rounded).collect()] {
            let placed = Convex::<D3>::hull(&points).unwrap();
            is_sound(&placed.convex);
            assert_eq!((placed.convex.vertices.len(), placed.convex.faces.len()), (8, 6));
        }
        let square: Vec<DVec2> = (0..25).map(|i| DVec2::new((i % 5) as f64, (i / 5) as f64)).collect();
        assert_eq!(Convex::<D2>::hull(&square).unwrap().convex.vertices.len(), 4);
    }

    #[test]
    fn what_is_no_body_is_told_with_its_place() {
        let hull = |points: &[DVec3]| Convex::<D3>::hull(points).unwrap_err();
        let (x, y, z) = (DVec3::X, DVec3::Y, DVec3::Z);
        assert_eq!(hull(&[x, y, z]), ShapeError::TooFewPoints { count: 3, needed: 4 });
        assert_eq!(hull(&[x, y, z, z * f64::NAN]), ShapeError::NotFinite { vertex: 3 });
        assert!(matches!(hull(&[x; 5]), ShapeError::Flat { support: "point", .. }));
        assert!(matches!(hull(&[x, x * 2.0, x * 3.0, x * 4.0]), ShapeError::Flat { support: "line", .. }));
        assert!(matches!(hull(&[x, y, x + y, x - y, -x]), ShapeError::Flat { support: "plane", .. }));
        assert!(matches!(Convex::<D2>::hull(&[DVec2::X; 3]).unwrap_err(), ShapeError::Flat { .. }));

        let points = box_points(DVec3::ONE);
        let faces: Vec<Vec<usize>> =
            [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]].map(Vec::from).into();
        is_sound(&Convex::<D3>::from_faces(&points, &faces).unwrap().convex);
        let wrong = |points: &[DVec3], faces: &[Vec<usize>]| Convex::<D3>::from_faces(points, faces).unwrap_err();
        assert_eq!(wrong(&points, &faces[1..]), ShapeError::NotClosed { face: 1, edge: [0, 1], others: 0 });
        let turned: Vec<Vec<usize>> = faces.iter().map(|face| face.iter().rev().copied().collect()).collect();
        assert_eq!(wrong(&points, &turned), ShapeError::InsideOut);
        let mut crooked = points.clone();
        crooked[7] *= 1.1;
        assert!(matches!(wrong(&crooked, &faces), ShapeError::CrookedFace { .. }));
        // A corner that is pushed in, with triangles around it.
        let mut dented = points.clone();
        dented[7] = DVec3::splat(-0.5);
        let triangles: Vec<Vec<usize>> =
            faces.iter().flat_map(|f| [vec![f[0], f[1], f[2]], vec![f[0], f[2], f[3]]]).collect();
        assert!(matches!(wrong(&dented, &triangles), ShapeError::NotConvex { .. }));
        assert_eq!(wrong(&points, &[vec![0, 1, 9]]), ShapeError::NoSuchVertex { face: 0, vertex: 9, count: 8 });
        assert_eq!(wrong(&points, &[vec![0, 1, 0]]), ShapeError::EmptyFace { face: 0 });
        // In the plane edges are faces: a polygon that is open, and one that is not convex.
        let corners = [DVec2::ZERO, DVec2::X, DVec2::ONE, DVec2::new(0.9, 0.1)];
        let edges: Vec<Vec<usize>> = (0..4).map(|i| vec![i, (i + 1) % 4]).collect();
        let plane = |edges: &[Vec<usize>]| Convex::<D2>::from_faces(&corners, edges).unwrap_err();
        assert!(matches!(plane(&edges[..3]), ShapeError::NotClosed { .. }));
        assert!(matches!(plane(&edges), ShapeError::NotConvex { .. }));
    }
}
