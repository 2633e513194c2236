//! The contact points of two convex solids.
//!
//! First the axis: among the normals of all faces, and in space the normals to an edge of each (separating axes), the one
//! along which the bodies are farthest apart, or overlap least. If a part of one body lies over the face, that face's
//! normal is the answer, and nothing else is looked at. Where neither faces nor pairs of edges show the true distance,
//! the nearest points are on corners and edges, and the axis joins them. Then the points: `manifold.rs` lays the features
//! of both bodies over each other along the axis.
//!
//! All of it is exact up to the tolerances named below, without iteration, and what is found depends on nothing but the two
//! bodies where they are, so a resumed run finds the same contacts. Most of it is never looked at: a face only if neither the
//! ball inside the other body nor a corner that was nearest to another face says that it cannot be the best, an edge only
//! where it can be near. An axis along which two bodies were apart in the last step mostly tells that they still are
//! ([`Scratch::axis`]): it saves work and changes no result.

use super::manifold::{Overlay, Witness};
use super::solid::{INWARD, Segment, Segments, Solid, cross};
use super::{Feature, Geometry};
use riprap_solve::{Dim, Vector};

/// A face's normal is preferred to that of two edges if it is worse by no more than this part of the smaller body: so
/// faces that rest on each other do not flicker between the two.
const FACE_FIRST: f64 = 1e-4;
/// Nearer than this part of the smaller body, the line from one nearest point to the other has no direction.
const TOUCHING: f64 = 1e-9;
/// A line that is longer than the distance of two edges' lines by no more than this part of the smaller body is across
/// both, to rounding.
const SQUARE: f64 = 1e-13;

/// An axis of the last step tells that bodies are apart if it does so by more than this part of the smaller body: more than
/// all tolerances of the search for points together, so that no point is lost.
const CLEARLY: f64 = 1e-5;

/// Memory that is used from pair to pair.
#[derive(Clone, Debug, Default)]
pub struct Scratch<D: Dim> {
    /// Before a search: an axis along which the bodies may be apart, zero if none is known. After it: one along which they
    /// were farther apart than asked for, if that is why there is no point.
    pub axis: D::Vector,
    heights: [Vec<f64>; 2],
    segments: [Segments<D>; 2],
    overlay: Overlay<D>,
}

/// Finds the contact points of `a` and `b`, whose centres are `away` from each other, with gaps up to `reach`; points are
/// relative to the centre of `a`. `parts` says which parts of their bodies the two solids are.
pub fn touch<D: Dim>(
    [a, b]: [&Solid<'_, D>; 2],
    away: D::Vector,
    reach: f64,
    parts: [u32; 2],
    scratch: &mut Scratch<D>,
    found: &mut Vec<Geometry<D>>,
) {
    let limit = reach + a.radius + b.radius;
    if away.dot(away) > (limit + a.outer + b.outer).powi(2) {
        return;
    }
    // The size that tolerances are measured by: a body rounded to a point has its radius.
    let size = f64::min(a.outer.max(a.radius), b.outer.max(b.radius));
    let pair = SolidPair { a, b, away, limit, size, slack: FACE_FIRST * size, parts };
    if pair.is_apart_along(scratch.axis) {
        return;
    }
    let face = match face_axis(a, b, away, limit, 1e-3 * pair.slack, &mut scratch.heights[0]) {
        Ok(face) => face,
        Err(apart) => {
            scratch.axis = apart;
            return;
        }
    };
    let start = found.len();
    if face.separation > -pair.slack {
        let least = pair.lay_features(face.normal, &mut scratch.overlay, found);
        if least <= face.separation + pair.slack {
            return;
        }
        found.truncate(start);
    }
    let near = pair.near_segments(face, &mut scratch.heights, &mut scratch.segments);
    match pair.direction(face, &near) {
        Direction::Apart(axis) => scratch.axis = axis,
        Direction::Face => {
            pair.lay_features(face.normal, &mut scratch.overlay, found);
        }
        Direction::Nearest(normal, witness) => pair.add_nearest(normal, &witness, &mut scratch.overlay, found),
        Direction::Deepest => pair.add_deepest(face, &mut scratch.overlay, found),
        Direction::None => {}
    }
}

/// Two solids that may touch.
struct SolidPair<'a, D: Dim> {
    a: &'a Solid<'a, D>,
    b: &'a Solid<'a, D>,
    /// From the centre of `a` to that of `b`.
    away: D::Vector,
    /// Points of the hulls matter up to this distance.
    limit: f64,
    /// The size of the smaller one.
    size: f64,
    /// By how much a face may be worse than edges and still be preferred.
    slack: f64,
    parts: [u32; 2],
}

/// Along which normal two solids touch.
enum Direction<D: Dim> {
    /// They are farther apart along this axis than points matter.
    Apart(D::Vector),
    /// Only the face itself may touch: at an edge of a mesh that does not stick out.
    Face,
    /// Along this normal, at these nearest points.
    Nearest(D::Vector, Witness<D>),
    /// Deep in each other, along the normal of the face.
    Deepest,
    /// They have no nearest points within the distance.
    None,
}

/// The edges and corners among which the nearest points of two solids are.
struct NearSegments<'a, D: Dim> {
    /// The axis by whose heights they were chosen: the normal of the best face, or that from centre to centre.
    axis: Axis<D>,
    of_a: &'a [Segment<D>],
    of_b: &'a [Segment<D>],
    /// The nearest points are not farther apart than this.
    most: f64,
    /// The common normal of two edges along which the solids are farthest apart, and the nearest points of these.
    edges: Option<(Axis<D>, Witness<D>)>,
}

impl<D: Dim> SolidPair<'_, D> {
    /// True if they are clearly apart along an axis; zero is none.
    fn is_apart_along(&self, axis: D::Vector) -> bool {
        let separation = || self.away.dot(axis) - self.a.extent(axis) - self.b.extent(-axis);
        axis != D::Vector::ZERO && separation() > self.limit + CLEARLY * self.size
    }

    /// Lays the features that face each other along `normal` over each other and adds the points within the limit; returns
    /// the least distance of all points.
    fn lay_features(&self, normal: D::Vector, overlay: &mut Overlay<D>, found: &mut Vec<Geometry<D>>) -> f64 {
        let solids = [self.a, self.b];
        overlay.lay(solids, self.away, normal, self.size);
        overlay.points(self.limit, |point| found.push(point.geometry(normal, solids, self.parts)))
    }

    /// The edges and corners among which the nearest points are, and the best normal of two edges.
    fn near_segments<'s>(
        &self,
        face: Axis<D>,
        [heights_of_a, heights_of_b]: &mut [Vec<f64>; 2],
        [of_a, of_b]: &'s mut [Segments<D>; 2],
    ) -> NearSegments<'s, D> {
        let Self { a, b, away, limit, .. } = *self;
        let axis = if face.separation.is_finite() { face } else { Axis::between(away) };
        let (top, highest) = a.heights(D::Vector::ZERO, axis.normal, heights_of_a);
        let (bottom, lowest) = b.heights(away, -axis.normal, heights_of_b);
        // Nearest points are at most as far apart as these two corners and, if they matter, `limit`, or as far as the
        // bodies overlap along the face's axis. So along that axis they are within this distance of the end of their body.
        let most = (b.vertices[lowest] + away - a.vertices[highest]).length() * (1.0 + 1e-9);
        let depth = if face.separation.is_finite() {
            (limit.min(most).max(-axis.separation) - axis.separation) * (1.0 + 1e-9)
        } else {
            f64::INFINITY
        };
        a.segments(D::Vector::ZERO, heights_of_a, top - depth, of_a);
        b.segments(away, heights_of_b, bottom - depth, of_b);
        let (of_a, of_b) = (&of_a.segments[..], &of_b.segments[..]);
        let edges = if D::AXES == 3 { edge_axis(of_a, of_b, limit.min(most).max(-axis.separation)) } else { None };
        NearSegments { axis, of_a, of_b, most, edges }
    }

    /// The normal along which they touch, where the best face does not decide.
    fn direction(&self, face: Axis<D>, near: &NearSegments<'_, D>) -> Direction<D> {
        let separation = near.edges.map_or(face.separation, |(edge, _)| face.separation.max(edge.separation));
        if separation > TOUCHING * self.size || !face.separation.is_finite() {
            return self.direction_across_gap(face, near);
        }
        match near.edges {
            Some((edge, witness)) if edge.separation > face.separation + self.slack => {
                Direction::Nearest(edge.normal, witness)
            }
            _ => Direction::Deepest,
        }
    }

    /// That of solids that do not overlap: by their nearest points.
    fn direction_across_gap(&self, face: Axis<D>, near: &NearSegments<'_, D>) -> Direction<D> {
        let Self { a, limit, size, slack, .. } = *self;
        let NearSegments { axis, of_a, of_b, most, edges } = *near;
        // Nothing is nearer than bodies are apart along an axis: two edges that are no farther are the nearest.
        let joined = edges.map(|(edge, witness)| (edge.separation, witness.distance(), witness));
        let nearest = match joined {
            Some((separation, distance, witness)) if separation >= distance - 1e-3 * slack => Some((distance, witness)),
            _ => nearest_points(of_a, of_b, joined.map_or(most, |(_, distance, _)| most.min(distance * (1.0 + 1e-9)))),
        };
        let Some((distance, witness)) = nearest else { return Direction::None };
        let between = witness.points[1] - witness.points[0];
        if distance > limit {
            return Direction::Apart(between * (1.0 / distance));
        }
        // Where the line between two edges is across both, their common normal is it, and more exact if it is short. At
        // the end of an edge it is not, and the points would not face each other along that normal.
        let slant = if distance > TOUCHING * size { SQUARE * size } else { 1e-3 * slack };
        let normal = match edges {
            Some((edge, _)) if edge.separation >= distance - slant => edge.normal,
            _ if distance > TOUCHING * size => between * (1.0 / distance),
            _ if face.separation.is_finite() => face.normal,
            _ => axis.normal,
        };
        if witness.is_forbidden(a, normal) { Direction::Face } else { Direction::Nearest(normal, witness) }
    }

    /// Adds the points along a normal, and the nearest points themselves unless they are among them.
    fn add_nearest(
        &self,
        normal: D::Vector,
        witness: &Witness<D>,
        overlay: &mut Overlay<D>,
        found: &mut Vec<Geometry<D>>,
    ) {
        let least = self.lay_features(normal, overlay, found);
        let distance = (witness.points[1] - witness.points[0]).dot(normal);
        if least > distance + self.slack {
            found.push(witness.geometry(normal, [self.a, self.b], self.parts));
        }
    }

    /// Adds the points along the normal of the best face, and the deepest corner if none of them is as deep.
    fn add_deepest(&self, face: Axis<D>, overlay: &mut Overlay<D>, found: &mut Vec<Geometry<D>>) {
        let least = self.lay_features(face.normal, overlay, found);
        if least > face.separation + self.slack {
            found.push(deepest(self.a, self.b, self.away, face, self.parts));
        }
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

/// The normal of a face of `a` or `b` along which the two are farthest apart; an error with that normal if they are
/// farther apart along it than `limit`. Of two equally good faces that of `a` is taken. Bodies without faces are infinitely
/// close along none.
fn face_axis<D: Dim>(
    a: &Solid<'_, D>,
    b: &Solid<'_, D>,
    away: D::Vector,
    limit: f64,
    margin: f64,
    heights: &mut Vec<f64>,
) -> Result<Axis<D>, D::Vector> {
    let mut best = Axis { normal: D::Vector::ZERO, separation: f64::NEG_INFINITY };
    for (own, other, away, sign, margin) in [(a, b, away, 1.0, 0.0), (b, a, -away, -1.0, margin)] {
        // A face of `b` must be better than the best of `a` by a margin, but not so than another of `b`.
        let mut bar = best.separation + margin;
        // The height of the other centre over each face.
        heights.clear();
        heights.extend(own.normals.iter().zip(own.offsets).map(|(normal, offset)| normal.dot(away) - offset));
        let mut first = (f64::NEG_INFINITY, 0);
        for (face, &height) in heights.iter().enumerate() {
            if height > first.0 {
                first = (height, face);
            }
        }
        // The corners that were nearest to the first face and to the last one: near to a good face as well, they tell
        // of most others that they are not better.
        let mut near = [None; 2];
        let others = (0..own.faces()).filter(|&face| face != first.1);
        for face in std::iter::once(first.1).chain(others).take(own.faces()) {
            let (height, normal) = (heights[face], own.normals[face]);
            // No corner is nearer to the plane of the face than the ball inside allows.
            let enough = bar - height;
            let is_near = |corner: &Option<D::Vector>| corner.is_some_and(|corner| normal.dot(corner) <= enough);
            if -other.inner <= enough || near.iter().any(is_near) {
                continue;
            }
            let rise = |vertex: usize| normal.dot(other.vertices[vertex]);
            let lowest = (1..other.vertices.len()).fold((0, rise(0)), |low, vertex| {
                let rise = rise(vertex);
                if rise < low.1 { (vertex, rise) } else { low }
            });
            near = [near[0].or(Some(other.vertices[lowest.0])), Some(other.vertices[lowest.0])];
            let separation = height + lowest.1;
            if separation > limit {
                return Err(normal * sign);
            }
            if separation > bar && !other.forbids(lowest.0, -normal) {
                best = Axis { normal: normal * sign, separation };
                bar = separation;
            }
        }
    }
    Ok(best)
}

/// Of all pairs of edges that can face each other within a distance, the common normal along which the bodies are farthest
/// apart.
fn edge_axis<D: Dim>(of_a: &[Segment<D>], of_b: &[Segment<D>], within: f64) -> Option<(Axis<D>, Witness<D>)> {
    let mut best: Option<(Axis<D>, &Segment<D>, &Segment<D>)> = None;
    for first in of_a {
        for second in of_b {
            if first.apart(second) > within * (1.0 + 1e-9) {
                break;
            }
            // A normal across both edges that lies between the faces of each: the planes across one edge must have the
            // normals of the other's faces on both sides. That leaves few pairs.
            if first.is_passed_by(second) || second.is_passed_by(first) {
                continue;
            }
            let across = cross::<D>(first.along, second.along);
            let length = across.length();
            if length <= 1e-6 * first.length * second.length {
                continue;
            }
            // The normal must point out of both bodies at their edges; flat and round bodies may allow both ways.
            for sign in [1.0, -1.0] {
                if first.forbids(across, sign, length) || second.forbids(across, -sign, length) {
                    continue;
                }
                let normal = across * (sign / length);
                let separation = normal.dot(second.ends[0] - first.ends[0]);
                if best.is_none_or(|(axis, ..)| separation > axis.separation) {
                    best = Some((Axis { normal, separation }, first, second));
                }
            }
        }
    }
    best.map(|(axis, first, second)| (axis, Witness::new(first, second)))
}

/// The nearest points of two sets of segments, which are not farther apart than `most`.
fn nearest_points<D: Dim>(of_a: &[Segment<D>], of_b: &[Segment<D>], most: f64) -> Option<(f64, Witness<D>)> {
    let mut best: Option<(f64, Witness<D>)> = None;
    for first in of_a {
        for second in of_b {
            if first.apart(second) > best.as_ref().map_or(most, |(least, _)| *least) {
                break;
            }
            let witness = Witness::new(first, second);
            let distance = witness.distance();
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
    /// How far it is apart from one of the other body along the axis of their heights, at least; they are sorted by that.
    fn apart(&self, other: &Segment<D>) -> f64 {
        -self.height - other.height
    }

    /// True if the normals of both faces of this edge are on one side of the plane across another edge, by more than
    /// rounding: then no normal between them is across both edges.
    fn is_passed_by(&self, other: &Segment<D>) -> bool {
        let [p, q] = self.normals.map(|normal| normal.dot(other.along));
        let rounding = 2.0 * INWARD * other.length;
        p.min(q) > rounding || p.max(q) < -rounding
    }

    /// True if a normal to this edge, `sign` times `across` over its length, does not point out of the body.
    fn forbids(&self, across: D::Vector, sign: f64, length: f64) -> bool {
        self.into.iter().any(|&into| sign * across.dot(into) > INWARD * length)
    }
}
