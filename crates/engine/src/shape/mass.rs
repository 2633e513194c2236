//! Volume, centre of mass and moments of inertia from the geometry, exactly.

use super::hull::Polytope;
use glam::{DMat3, DQuat, DVec3};

/// The integrals of 1, `x` and `(x − c)(x − c)ᵀ` over a body of density 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct MassProperties {
    /// Volume (area in 2D).
    pub volume: f64,
    /// Centre of mass `c`.
    pub centre: DVec3,
    /// Second moment about the centre.
    pub second_moment: DMat3,
}

/// Of a polyhedron, by the signed tetrahedra from one of its points to the triangles of its faces.
pub(super) fn polyhedron(body: &Polytope) -> MassProperties {
    let apex = body.vertices[0];
    let at = |corner: u32| body.vertices[corner as usize] - apex;
    let triangles = body
        .faces
        .iter()
        .flat_map(|corners| (1..corners.len() - 1).map(|i| [at(corners[0]), at(corners[i]), at(corners[i + 1])]));
    // ∫ over the tetrahedron (0, a, b, c) of volume V = a·(b×c)/6: 1 → V, x → V s/4, xxᵀ → V (aaᵀ+bbᵀ+ccᵀ+ssᵀ)/20 with s = a+b+c.
    sum(triangles.map(|[a, b, c]| {
        let (volume, s) = (a.dot(b.cross(c)) / 6.0, a + b + c);
        (volume, s * (0.25 * volume), (outer(a) + outer(b) + outer(c) + outer(s)) * (volume / 20.0))
    }))
    .about_centre(apex)
}

/// Of a polygon in the plane, by the signed triangles from one of its points to its edges.
pub(super) fn polygon(body: &Polytope) -> MassProperties {
    let apex = body.vertices[0];
    let at = |corner: u32| body.vertices[corner as usize] - apex;
    // ∫ over the triangle (0, a, b) of area A = a×b/2: 1 → A, x → A s/3, xxᵀ → A (aaᵀ+bbᵀ+ssᵀ)/12 with s = a+b.
    sum(body.faces.iter().map(|ends| {
        let (a, b) = (at(ends[0]), at(ends[1]));
        let (area, s) = (0.5 * a.cross(b).z, a + b);
        (area, s * (area / 3.0), (outer(a) + outer(b) + outer(s)) * (area / 12.0))
    }))
    .about_centre(apex)
}

/// Several bodies as one.
pub(super) fn together(parts: impl Iterator<Item = MassProperties>) -> MassProperties {
    sum(parts.map(|part| {
        let MassProperties { volume, centre, second_moment } = part;
        (volume, centre * volume, second_moment + outer(centre) * volume)
    }))
    .about_centre(DVec3::ZERO)
}

/// The moments of inertia about the axes of the frame.
pub(super) fn moments_of_inertia(second_moment: DMat3) -> [f64; 3] {
    let trace = trace(second_moment);
    [trace - second_moment.x_axis.x, trace - second_moment.y_axis.y, trace - second_moment.z_axis.z]
}

fn trace(matrix: DMat3) -> f64 {
    matrix.x_axis.x + matrix.y_axis.y + matrix.z_axis.z
}

/// The principal axes as a rotation from the body frame, and the moments of inertia about them. A body whose axes are
/// those of the world already is not turned.
pub(super) fn principal(second_moment: DMat3, dimension: usize) -> (DQuat, [f64; 3]) {
    if dimension == 2 {
        return (DQuat::IDENTITY, moments_of_inertia(second_moment));
    }
    // Jacobi's rotations: each makes one element beside the diagonal vanish, and all become small quadratically.
    let small = 1e-14 * trace(second_moment);
    let (mut moment, mut axes) = (second_moment, DMat3::IDENTITY);
    for _ in 0..64 {
        let beside = [(0, 1), (0, 2), (1, 2)];
        let (i, j) = beside.into_iter().max_by(|a, b| at(&moment, *a).abs().total_cmp(&at(&moment, *b).abs())).unwrap();
        if at(&moment, (i, j)).abs() <= small {
            break;
        }
        // tan φ is the smaller root of t² + 2θt − 1 = 0 with θ = cot 2φ = (m_jj − m_ii)/(2 m_ij); no function of the
        // platform takes part, so that a body is the same on every machine.
        let theta = (at(&moment, (j, j)) - at(&moment, (i, i))) / (2.0 * at(&moment, (i, j)));
        let tangent = sign(theta) / (theta.abs() + (theta * theta + 1.0).sqrt());
        let cos = 1.0 / (tangent * tangent + 1.0).sqrt();
        let sin = tangent * cos;
        let mut turn = DMat3::IDENTITY;
        *turn.col_mut(i) = DVec3::AXES[i] * cos - DVec3::AXES[j] * sin;
        *turn.col_mut(j) = DVec3::AXES[i] * sin + DVec3::AXES[j] * cos;
        moment = turn.transpose() * moment * turn;
        axes *= turn;
    }
    (DQuat::from_mat3(&axes).normalize(), moments_of_inertia(moment))
}

fn at(matrix: &DMat3, (row, column): (usize, usize)) -> f64 {
    matrix.col(column)[row]
}

fn sign(number: f64) -> f64 {
    if number < 0.0 { -1.0 } else { 1.0 }
}

/// `v vᵀ`.
pub(super) fn outer(v: DVec3) -> DMat3 {
    DMat3::from_cols(v * v.x, v * v.y, v * v.z)
}

/// The integrals of 1, `x` and `xxᵀ` about some origin.
struct Sums(f64, DVec3, DMat3);

fn sum(parts: impl Iterator<Item = (f64, DVec3, DMat3)>) -> Sums {
    parts.fold(Sums(0.0, DVec3::ZERO, DMat3::ZERO), |sums, (volume, first, second)| {
        Sums(sums.0 + volume, sums.1 + first, sums.2 + second)
    })
}

impl Sums {
    fn about_centre(self, origin: DVec3) -> MassProperties {
        let Sums(volume, first, second) = self;
        let centre = first / volume;
        MassProperties { volume, centre: origin + centre, second_moment: second - outer(centre) * volume }
    }
}

/// Of many boxes (in the plane rectangles) along the axes that do not overlap, by their centres and edges.
pub(super) fn of_boxes(boxes: &[(DVec3, DVec3)], dimension: usize) -> MassProperties {
    together(boxes.iter().map(|&(centre, edges)| {
        let volume = edges.to_array()[..dimension].iter().product::<f64>();
        let flat = if dimension == 2 { edges.with_z(0.0) } else { edges };
        MassProperties { volume, centre, second_moment: DMat3::from_diagonal(flat * flat * (volume / 12.0)) }
    }))
}
