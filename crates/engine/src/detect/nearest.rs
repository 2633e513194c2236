//! The contact points of two convex solids.
//!
//! First the axis: among the normals of all faces, and in space the normals to an edge of each (separating axes), the one
//! along which the bodies are farthest apart, or overlap least. If a part of one body lies over the face, that face's
//! normal is the answer, and nothing else is looked at. Where neither faces nor pairs of edges show the true distance,
//! the nearest points are on corners and edges, and the axis joins them. Then the points: `manifold.rs` lays the features
//! of both bodies over each other along the axis.
//!
//! All of it is exact to rounding, without iteration, and depends on nothing but the two bodies where they are: no axis of
//! an earlier step is needed, so a resumed run finds the same contacts. Faces are tried in the order of a bound by the
//! ball inside the other body, and edges only where they can be near; that leaves few of them.

use super::manifold::{Overlay, Witness};
use super::solid::{Segment, Solid, cross, points_to};
use super::{Feature, Geometry};
use riprap_solve::{Dim, Vector};

/// A face's normal is preferred to that of two edges if it is worse by no more than this part of the smaller body: so
/// faces that rest on each other do not flicker between the two.
const FACE_FIRST: f64 = 1e-4;
/// Nearer than this part of the smaller body, the line from one nearest point to the other has no direction.
const TOUCHING: f64 = 1e-9;

/// Memory that is used from pair to pair.
#[derive(Clone, Debug, Default)]
pub struct Scratch<D: Dim> {
    segments: [Vec<Segment<D>>; 2],
    overlay: Overlay<D>,
}

/// Finds the contact points of `a` and `b`, whose centres are `away` from each other, with gaps up to `reach`; points are
/// seen from the centre of `a`. `parts` says which parts of their bodies the two solids are.
pub fn touch<D: Dim>(
    [a, b]: [&Solid<'_, D>; 2],
    away: D::Vector,
    reach: f64,
    parts: [u32; 2],
    scratch: &mut Scratch<D>,
    found: &mut Vec<Geometry<D>>,
) {
    let limit = reach + a.radius + b.radius;
    let Scratch { segments: [of_a, of_b], overlay } = scratch;
    if away.dot(away) > (limit + a.outer + b.outer).powi(2) {
        return;
    }
    // The size that tolerances are measured by: a body rounded to a point has its radius.
    let size = f64::min(a.outer.max(a.radius), b.outer.max(b.radius));
    let slack = FACE_FIRST * size;
    let Some(face) = face_axis(a, b, away, limit, 1e-3 * slack) else { return };
    let start = found.len();
    if face.separation > -slack {
        overlay.lay([a, b], away, face.normal, size);
        let least = overlay.points(limit, |point| found.push(point.geometry(face.normal, [a, b], parts)));
        if least <= face.separation + slack {
            return;
        }
        found.truncate(start);
    }

    // Nearest points are at most `limit` apart, or as far as the bodies overlap along the face's axis. So along that
    // axis they are within this distance of the end of their body.
    let axis = if face.separation.is_finite() { face } else { Axis::between(away) };
    let depth = limit.max(-axis.separation) - axis.separation;
    let top = a.vertices.iter().map(|vertex| vertex.dot(axis.normal)).fold(f64::NEG_INFINITY, f64::max);
    let bottom =
        away.dot(axis.normal) + b.vertices.iter().map(|vertex| vertex.dot(axis.normal)).fold(f64::INFINITY, f64::min);
    if face.separation.is_finite() {
        a.segments(D::Vector::ZERO, axis.normal, top - depth, of_a);
        b.segments(away, -axis.normal, -(bottom + depth), of_b);
    } else {
        a.segments(D::Vector::ZERO, axis.normal, f64::NEG_INFINITY, of_a);
        b.segments(away, -axis.normal, f64::NEG_INFINITY, of_b);
    }
    let edges = if D::AXES == 3 { edge_axis(of_a, of_b) } else { None };
    let separation = edges.map_or(face.separation, |(edge, _)| face.separation.max(edge.separation));

    let (normal, witness) = if separation > TOUCHING * size || !face.separation.is_finite() {
        let Some((distance, witness)) = nearest_points(of_a, of_b) else { return };
        if distance > limit {
            return;
        }
        let between = witness.points[1] - witness.points[0];
        let normal = match edges {
            // Between two edges, their common normal is more exact than the short line between them.
            Some((edge, _)) if edge.separation >= distance - 1e-3 * slack => edge.normal,
            _ if distance > TOUCHING * size => between * (1.0 / distance),
            _ if face.separation.is_finite() => face.normal,
            _ => axis.normal,
        };
        if witness.is_forbidden(a, normal) {
            // An edge of a mesh that sticks out nowhere: only the face itself may touch.
            overlay.lay([a, b], away, face.normal, size);
            overlay.points(limit, |point| found.push(point.geometry(face.normal, [a, b], parts)));
            return;
        }
        (normal, Some(witness))
    } else {
        match edges {
            Some((edge, witness)) if edge.separation > face.separation + slack => (edge.normal, Some(witness)),
            _ => (face.normal, None),
        }
    };
    overlay.lay([a, b], away, normal, size);
    let least = overlay.points(limit, |point| found.push(point.geometry(normal, [a, b], parts)));
    match witness {
        // The nearest points themselves, unless the overlay has them.
        Some(witness) => {
            let distance = (witness.points[1] - witness.points[0]).dot(normal);
            if least > distance + slack {
                found.push(witness.geometry(normal, [a, b], parts));
            }
        }
        // Deep in each other with nothing over the face: the deepest corner.
        None if found.len() == start => found.push(deepest(a, b, away, face, parts)),
        None => {}
    }
}

/// An axis from body 1 to body 2, and how far they are apart along it; negative is overlap.
#[derive(Clone, Copy, Debug)]
struct Axis<D: Dim> {
    normal: D::Vector,
    separation: f64,
}

impl<D: Dim> Axis<D> {
    /// The axis through two centres, of which nothing is known.
    fn between(away: D::Vector) -> Self {
        Axis { normal: away.normalized().unwrap_or(D::Vector::axis(D::AXES - 1)), separation: 0.0 }
    }
}

/// The normal of a face of `a` or `b` along which the two are farthest apart; `None` if that is farther than `limit`. Of
/// two equally good faces that of `a` is taken. Bodies without faces are infinitely close along none.
fn face_axis<D: Dim>(a: &Solid<'_, D>, b: &Solid<'_, D>, away: D::Vector, limit: f64, margin: f64) -> Option<Axis<D>> {
    let mut best = Axis { normal: D::Vector::ZERO, separation: f64::NEG_INFINITY };
    for (own, other, away, sign, margin) in [(a, b, away, 1.0, 0.0), (b, a, -away, -1.0, margin)] {
        // The height of the other centre over a face. No corner is nearer to its plane than the ball inside allows.
        let height = |face: usize| own.normals[face].dot(away) - own.offset(face);
        let mut first = (f64::NEG_INFINITY, 0);
        for face in 0..own.faces() {
            let height = height(face);
            if height > first.0 {
                first = (height, face);
            }
        }
        let others = (0..own.faces()).filter(|&face| face != first.1);
        for face in std::iter::once(first.1).chain(others).take(own.faces()) {
            let height = height(face);
            if height - other.inner <= best.separation + margin {
                continue;
            }
            let normal = own.normals[face];
            let rise = |vertex: usize| normal.dot(other.vertices[vertex]);
            let lowest = (1..other.vertices.len()).fold((0, rise(0)), |low, vertex| {
                let rise = rise(vertex);
                if rise < low.1 { (vertex, rise) } else { low }
            });
            let separation = height + lowest.1;
            if separation > limit {
                return None;
            }
            if separation > best.separation + margin && !other.forbids(lowest.0, -normal) {
                best = Axis { normal: normal * sign, separation };
            }
        }
    }
    Some(best)
}

/// Of all pairs of edges that can face each other, the common normal along which the bodies are farthest apart.
fn edge_axis<D: Dim>(of_a: &[Segment<D>], of_b: &[Segment<D>]) -> Option<(Axis<D>, Witness<D>)> {
    let mut best: Option<(Axis<D>, &Segment<D>, &Segment<D>)> = None;
    for first in of_a {
        let along = first.ends[1] - first.ends[0];
        for second in of_b {
            let across = cross::<D>(along, second.ends[1] - second.ends[0]);
            let square = across.dot(across);
            let product = along.dot(along) * (second.ends[1] - second.ends[0]).dot(second.ends[1] - second.ends[0]);
            if square <= 1e-12 * product {
                continue;
            }
            // The normal must point out of both bodies at their edges; flat and round bodies may allow both ways.
            for normal in [across * (1.0 / square.sqrt()), across * (-1.0 / square.sqrt())] {
                if first.forbids(normal) || second.forbids(-normal) {
                    continue;
                }
                let separation = normal.dot(second.ends[0] - first.ends[0]);
                if best.is_none_or(|(axis, ..)| separation > axis.separation) {
                    best = Some((Axis { normal, separation }, first, second));
                }
            }
        }
    }
    best.map(|(axis, first, second)| (axis, Witness::new(first, second)))
}

/// The nearest points of two sets of segments.
fn nearest_points<D: Dim>(of_a: &[Segment<D>], of_b: &[Segment<D>]) -> Option<(f64, Witness<D>)> {
    let mut best: Option<(f64, Witness<D>)> = None;
    for first in of_a {
        for second in of_b {
            let witness = Witness::new(first, second);
            let distance = (witness.points[1] - witness.points[0]).length();
            if best.as_ref().is_none_or(|(least, _)| distance < *least) {
                best = Some((distance, witness));
            }
        }
    }
    best
}

/// The corner of one body that is deepest in the other.
fn deepest<D: Dim>(a: &Solid<'_, D>, b: &Solid<'_, D>, away: D::Vector, axis: Axis<D>, parts: [u32; 2]) -> Geometry<D> {
    let height = |vertex: usize| axis.normal.dot(b.vertices[vertex]);
    let lowest = (1..b.vertices.len()).fold(0, |low, vertex| if height(vertex) < height(low) { vertex } else { low });
    let gap = axis.separation - a.radius - b.radius;
    let point = b.vertices[lowest] + away - axis.normal * (b.radius + 0.5 * gap);
    Geometry { normal: axis.normal, gap, point, feature: Feature::CornerOfSecond(lowest as u32).number(parts) }
}

impl<D: Dim> Segment<D> {
    /// True if a normal to this edge does not point out of the body.
    pub fn forbids(&self, normal: D::Vector) -> bool {
        self.into.iter().any(|&into| points_to::<D>(normal, into))
    }
}
