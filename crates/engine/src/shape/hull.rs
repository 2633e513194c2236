//! Convex hulls in the plane and in space, with exact predicates, and the check of faces that were given.
//!
//! Which side of a line or plane a point is on is decided exactly (`robust`), so the hull is the true one of the points
//! as they are, whatever their position. Only then are faces joined that are plane within [`FLATNESS`], and corners
//! dropped that are none.

use super::convex::{FLATNESS, polytope_normal};
use super::error::ShapeError;
use glam::DVec3;
use robust::{Coord, Coord3D, orient2d, orient3d};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// Corners and faces; in the plane faces are the edges, counterclockwise from one to the next.
#[derive(Clone, Debug)]
pub(super) struct Polytope {
    pub vertices: Vec<DVec3>,
    pub faces: Vec<Vec<u32>>,
}

/// The hull of some points, of dimension 2 (all `z` are zero) or 3.
pub(super) fn faces_of_hull(points: &[DVec3], dimension: usize) -> Result<Polytope, ShapeError> {
    if points.len() < dimension + 1 {
        return Err(ShapeError::TooFewPoints { count: points.len(), needed: dimension + 1 });
    }
    let tolerance = FLATNESS * checked_size(points)?;
    let corners = simplex(points, dimension, tolerance)?;
    let faces = if dimension == 2 {
        polygon_corners(points, tolerance)
    } else {
        join_plane_faces(points, &triangles_of_hull(points, corners), tolerance)
    };
    match renumber(points, &faces) {
        // Within rounding, nothing is left of a body that is thinner than its faces are flat.
        body if body.faces.len() <= dimension => Err(ShapeError::TooSlender),
        body => Ok(body),
    }
}

/// Checks that faces close a body, are plane, and that no vertex lies in front of one.
pub(super) fn check_faces(points: &[DVec3], faces: &[Vec<usize>], dimension: usize) -> Result<(), ShapeError> {
    let tolerance = FLATNESS * checked_size(points)?;
    let mut sides: BTreeMap<[usize; 2], usize> = BTreeMap::new();
    for (face, corners) in faces.iter().enumerate() {
        if let Some(&vertex) = corners.iter().find(|&&corner| corner >= points.len()) {
            return Err(ShapeError::NoSuchVertex { face, vertex, count: points.len() });
        }
        let from = points[*corners.first().ok_or(ShapeError::EmptyFace { face })?];
        let area = (1..corners.len().max(2) - 1)
            .map(|i| (points[corners[i]] - from).cross(points[corners[i + 1]] - from))
            .sum::<DVec3>();
        let is_empty = match dimension {
            2 => corners.len() != 2 || points[corners[1]].distance(from) <= tolerance,
            _ => corners.len() < 3 || area.length() <= tolerance * tolerance,
        };
        if is_empty {
            return Err(ShapeError::EmptyFace { face });
        }
        for side in sides_of(corners, dimension) {
            *sides.entry(side).or_default() += 1;
        }
    }
    for (face, corners) in faces.iter().enumerate() {
        for side in sides_of(corners, dimension) {
            let others = sides.get(&[side[1], side[0]]).copied().unwrap_or(0);
            // In the plane a corner, not an edge, joins two faces: one ends where the other starts.
            if others != 1 || sides[&side] != 1 {
                let edge = if dimension == 2 { [corners[0], corners[1]] } else { side };
                return Err(ShapeError::NotClosed { face, edge, others });
            }
        }
    }
    let mut in_front: Option<(f64, usize, usize)> = None;
    let mut behind = 0.0_f64;
    for (face, corners) in faces.iter().enumerate() {
        let corners: Vec<u32> = corners.iter().map(|&corner| corner as u32).collect();
        let normal = polytope_normal(points, &corners);
        let middle = corners.iter().map(|&corner| points[corner as usize]).sum::<DVec3>() / corners.len() as f64;
        let height = |vertex: usize| normal.dot(points[vertex] - middle);
        for &corner in &corners {
            let distance = height(corner as usize).abs();
            if distance > tolerance {
                return Err(ShapeError::CrookedFace { face, vertex: corner as usize, distance });
            }
        }
        for vertex in 0..points.len() {
            let distance = height(vertex);
            behind = behind.max(-distance);
            if distance > tolerance && in_front.is_none_or(|(largest, ..)| distance > largest) {
                in_front = Some((distance, face, vertex));
            }
        }
    }
    match in_front {
        // Every vertex is in front of every face, or on it.
        Some(_) if behind <= tolerance => Err(ShapeError::InsideOut),
        Some((distance, face, vertex)) => Err(ShapeError::NotConvex { face, vertex, distance }),
        None => Ok(()),
    }
}

/// The sides by which faces are joined: directed edges in space; in the plane, for each end of an edge, the step through
/// it, so that an edge that arrives at a corner meets the one that leaves it.
fn sides_of(corners: &[usize], dimension: usize) -> Vec<[usize; 2]> {
    if dimension == 2 {
        // An edge that leaves `a` for `b`: written as (a, start) and (b, end), each the reverse of its partner's.
        return vec![[usize::MAX - corners[0], corners[0]], [corners[1], usize::MAX - corners[1]]];
    }
    (0..corners.len()).map(|i| [corners[i], corners[(i + 1) % corners.len()]]).collect()
}

/// Sizes of bodies in metres whose moments of inertia, fifth powers of a length, are numbers.
pub(super) const SIZES: RangeInclusive<f64> = 1e-50..=1e50;

/// The largest extent along an axis, of points whose volume and inertia can be computed; zero if they are all one.
fn checked_size(points: &[DVec3]) -> Result<f64, ShapeError> {
    if let Some(vertex) = points.iter().position(|point| !point.is_finite()) {
        return Err(ShapeError::NotFinite { vertex });
    }
    let low = points.iter().copied().fold(DVec3::INFINITY, DVec3::min);
    let high = points.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
    match (high - low).max_element() {
        size if size == 0.0 || SIZES.contains(&size) => Ok(size),
        size => Err(ShapeError::OutOfRange { size }),
    }
}

/// Points that are not flat: each is the farthest from the point, line and plane through those before it.
fn simplex(points: &[DVec3], dimension: usize, tolerance: f64) -> Result<[usize; 4], ShapeError> {
    let farthest = |distance: &dyn Fn(DVec3) -> f64| {
        let far = |best: (usize, f64), (index, &point): (usize, &DVec3)| {
            let distance = distance(point);
            if distance > best.1 { (index, distance) } else { best }
        };
        points.iter().enumerate().fold((0, 0.0), far)
    };
    let flat = |thickness: f64, support: &'static str, vertices: &[usize]| ShapeError::Flat {
        thickness,
        support,
        vertices: vertices.to_vec(),
    };
    // The lowest point along x starts, so that the first edge is a long one.
    let a = (0..points.len()).min_by(|&i, &j| points[i].x.total_cmp(&points[j].x)).unwrap_or(0);
    let (b, length) = farthest(&|point| point.distance(points[a]));
    if length <= tolerance || length == 0.0 {
        return Err(flat(length, "point", &[a]));
    }
    let along = (points[b] - points[a]).normalize();
    let (c, width) = farthest(&|point| along.cross(point - points[a]).length());
    if width <= tolerance {
        return Err(flat(width, "line", &[a, b]));
    }
    if dimension == 2 {
        return Ok([a, b, c, c]);
    }
    let normal = along.cross(points[c] - points[a]).normalize();
    let (d, height) = farthest(&|point| normal.dot(point - points[a]).abs());
    if height <= tolerance {
        return Err(flat(height, "plane", &[a, b, c]));
    }
    Ok([a, b, c, d])
}

/// Andrew's chain in the plane, then corners that are none within rounding dropped; the edges in their order.
fn polygon_corners(points: &[DVec3], tolerance: f64) -> Vec<Vec<u32>> {
    let flat = |i: u32| Coord { x: points[i as usize].x, y: points[i as usize].y };
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    order.sort_by(|&i, &j| {
        let (p, q) = (points[i as usize], points[j as usize]);
        p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y))
    });
    let chain = |order: &mut dyn Iterator<Item = u32>| {
        let mut chain: Vec<u32> = Vec::new();
        for next in order {
            while let [.., a, b] = chain[..]
                && orient2d(flat(a), flat(b), flat(next)) <= 0.0
            {
                chain.pop();
            }
            chain.push(next);
        }
        chain.pop();
        chain
    };
    let mut loop_ = chain(&mut order.iter().copied());
    loop_.extend(chain(&mut order.iter().rev().copied()));
    // The flattest corner goes first, so that a finely divided arc does not vanish as a whole.
    loop {
        let height = |i: usize| {
            let at = |k: usize| points[loop_[(i + k) % loop_.len()] as usize];
            let (before, corner, after) = (at(loop_.len() - 1), at(0), at(1));
            (after - before).normalize_or_zero().cross(corner - before).length()
        };
        let flattest = (0..loop_.len()).map(|i| (height(i), i)).min_by(|a, b| a.0.total_cmp(&b.0));
        match flattest {
            Some((height, corner)) if height <= tolerance && loop_.len() > 3 => loop_.remove(corner),
            _ => break,
        };
    }
    (0..loop_.len()).map(|i| vec![loop_[i], loop_[(i + 1) % loop_.len()]]).collect()
}

/// A triangle while the hull grows.
struct Triangle {
    corners: [u32; 3],
    /// The triangle beyond the side from corner `i` to the next.
    beyond: [usize; 3],
    /// The points in front of it that no other triangle looks after.
    outside: Vec<u32>,
    gone: bool,
}

/// Quickhull: the point farthest in front of a triangle joins the hull, and the triangles that it sees are replaced.
///
/// A triangle sees a point that is strictly in front of it, exactly; so the seen triangles are bounded by one closed
/// line, and no new triangle is flat.
fn triangles_of_hull(points: &[DVec3], corners: [usize; 4]) -> Vec<[u32; 3]> {
    let [a, b, c, d] = corners.map(|corner| corner as u32);
    let first = if in_front(points, [a, b, c], d) { [a, c, b, d] } else { [a, b, c, d] };
    let [a, b, c, d] = first;
    // Each triangle of the first tetrahedron with its neighbours, sides in the order of the corners.
    let mut triangles: Vec<Triangle> =
        [([a, b, c], [1, 2, 3]), ([b, a, d], [0, 3, 2]), ([c, b, d], [0, 1, 3]), ([a, c, d], [0, 2, 1])]
            .into_iter()
            .map(|(corners, beyond)| Triangle { corners, beyond, outside: Vec::new(), gone: false })
            .collect();
    let others = (0..points.len() as u32).filter(|point| !first.contains(point));
    hand_out(points, others, &mut triangles, 0);

    let mut next = 0;
    while next < triangles.len() {
        if triangles[next].gone || triangles[next].outside.is_empty() {
            next += 1;
            continue;
        }
        let eye = farthest_in_front(points, &triangles[next]);
        // All triangles that see the point, and the line around them.
        let (mut seen, mut around) = (vec![next], Vec::new());
        triangles[next].gone = true;
        let mut look = 0;
        while look < seen.len() {
            let (corners, beyond) = (triangles[seen[look]].corners, triangles[seen[look]].beyond);
            for side in 0..3 {
                let other = beyond[side];
                if triangles[other].gone {
                    continue;
                }
                if in_front(points, triangles[other].corners, eye) {
                    triangles[other].gone = true;
                    seen.push(other);
                } else {
                    around.push(([corners[side], corners[(side + 1) % 3]], other));
                }
            }
            look += 1;
        }
        // A side whose far triangle was found to see the point only later is not on the line.
        around.retain(|&(_, other)| !triangles[other].gone);
        let fresh = triangles.len();
        let starts: BTreeMap<u32, usize> = around.iter().enumerate().map(|(i, (ends, _))| (ends[0], i)).collect();
        let ends: BTreeMap<u32, usize> = around.iter().enumerate().map(|(i, (ends, _))| (ends[1], i)).collect();
        for (i, &([from, to], other)) in around.iter().enumerate() {
            let side = (0..3).find(|&side| triangles[other].corners[side] == to).unwrap_or(0);
            triangles[other].beyond[side] = fresh + i;
            let beyond = [other, fresh + starts[&to], fresh + ends[&from]];
            triangles.push(Triangle { corners: [from, to, eye], beyond, outside: Vec::new(), gone: false });
        }
        let orphans: Vec<u32> = seen.iter().flat_map(|&old| std::mem::take(&mut triangles[old].outside)).collect();
        hand_out(points, orphans.into_iter().filter(|&point| point != eye), &mut triangles, fresh);
        next += 1;
    }
    triangles.into_iter().filter(|triangle| !triangle.gone).map(|triangle| triangle.corners).collect()
}

/// True if the point is strictly in front of the triangle.
fn in_front(points: &[DVec3], [a, b, c]: [u32; 3], point: u32) -> bool {
    let at = |i: u32| {
        let DVec3 { x, y, z } = points[i as usize];
        Coord3D { x, y, z }
    };
    // `orient3d` is positive for a point behind the counterclockwise side.
    orient3d(at(a), at(b), at(c), at(point)) < 0.0
}

/// Gives each point to the first of the triangles from `from` on that sees it; points that none sees are inside.
fn hand_out(points: &[DVec3], orphans: impl Iterator<Item = u32>, triangles: &mut [Triangle], from: usize) {
    for point in orphans {
        if let Some(keeper) = triangles[from..].iter_mut().find(|keeper| in_front(points, keeper.corners, point)) {
            keeper.outside.push(point);
        }
    }
}

fn farthest_in_front(points: &[DVec3], triangle: &Triangle) -> u32 {
    let [a, b, c] = triangle.corners.map(|corner| points[corner as usize]);
    let normal = (b - a).cross(c - a);
    let height = |point: u32| normal.dot(points[point as usize] - a);
    let far = |best: u32, point: u32| if height(point) > height(best) { point } else { best };
    triangle.outside[1..].iter().fold(triangle.outside[0], |best, &point| far(best, point))
}

/// Joins triangles that lie in one plane within `tolerance`, largest first, and leaves the corners where at least three
/// of the joined faces meet.
fn join_plane_faces(points: &[DVec3], triangles: &[[u32; 3]], tolerance: f64) -> Vec<Vec<u32>> {
    let at = |corner: u32| points[corner as usize];
    let area = |[a, b, c]: [u32; 3]| (at(b) - at(a)).cross(at(c) - at(a));
    let mut beyond: BTreeMap<[u32; 2], usize> = BTreeMap::new();
    for (index, corners) in triangles.iter().enumerate() {
        for side in 0..3 {
            beyond.insert([corners[side], corners[(side + 1) % 3]], index);
        }
    }
    let neighbour = |triangle: usize, side: usize| {
        let corners = triangles[triangle];
        beyond[&[corners[(side + 1) % 3], corners[side]]]
    };
    let mut by_area: Vec<usize> = (0..triangles.len()).collect();
    by_area.sort_by(|&i, &j| area(triangles[j]).length().total_cmp(&area(triangles[i]).length()).then(i.cmp(&j)));
    let mut plane_of = vec![usize::MAX; triangles.len()];
    let mut planes = 0;
    for seed in by_area {
        if plane_of[seed] != usize::MAX {
            continue;
        }
        let (normal, origin) = (area(triangles[seed]).normalize_or_zero(), at(triangles[seed][0]));
        plane_of[seed] = planes;
        let mut open = vec![seed];
        while let Some(triangle) = open.pop() {
            for side in 0..3 {
                let other = neighbour(triangle, side);
                let in_plane =
                    triangles[other].iter().all(|&corner| normal.dot(at(corner) - origin).abs() <= tolerance);
                // A thin body has two sides in one plane within the tolerance: they look different ways.
                if plane_of[other] == usize::MAX && in_plane && normal.dot(area(triangles[other])) >= 0.0 {
                    plane_of[other] = planes;
                    open.push(other);
                }
            }
        }
        planes += 1;
    }
    // How many planes meet at each vertex, and the outline of each plane's triangles.
    let mut meet: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    let mut outline: Vec<BTreeMap<u32, u32>> = vec![BTreeMap::new(); planes];
    for (index, corners) in triangles.iter().enumerate() {
        let plane = plane_of[index];
        for side in 0..3 {
            let around = meet.entry(corners[side]).or_default();
            if !around.contains(&plane) {
                around.push(plane);
            }
            if plane_of[neighbour(index, side)] != plane {
                outline[plane].insert(corners[side], corners[(side + 1) % 3]);
            }
        }
    }
    let walk = |outline: &BTreeMap<u32, u32>| {
        let mut corners = Vec::new();
        let Some((&start, _)) = outline.first_key_value() else { return corners };
        let mut corner = start;
        loop {
            if meet[&corner].len() >= 3 {
                corners.push(corner);
            }
            corner = outline[&corner];
            if corner == start || corners.len() > outline.len() {
                return corners;
            }
        }
    };
    outline.iter().map(walk).filter(|corners| corners.len() >= 3).collect()
}

/// Only the points that are corners, in the order in which they were given; of a polygon in the order of its edges.
fn renumber(points: &[DVec3], faces: &[Vec<u32>]) -> Polytope {
    let mut used: Vec<u32> = if faces.iter().all(|face| face.len() == 2) {
        faces.iter().map(|ends| ends[0]).collect()
    } else {
        let mut used: Vec<u32> = faces.iter().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        used
    };
    let mut number = vec![0; points.len()];
    for (new, &old) in used.iter().enumerate() {
        number[old as usize] = new as u32;
    }
    let faces = faces.iter().map(|face| face.iter().map(|&corner| number[corner as usize]).collect()).collect();
    Polytope { vertices: used.drain(..).map(|old| points[old as usize]).collect(), faces }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_are_built_as_long_as_their_inertia_is_a_number() {
        let corners = |size: f64| -> Vec<DVec3> {
            let at = |corner: usize| DVec3::from_array([0, 1, 2].map(|axis| (corner >> axis & 1) as f64 * size));
            (0..8).map(at).collect()
        };
        for size in [1e-50, 1e-6, 1.0, 1e6, 1e50] {
            let body = faces_of_hull(&corners(size), 3).unwrap();
            assert_eq!((body.vertices.len(), body.faces.len()), (8, 6), "{size:e}");
        }
        for size in [1e-131, 1e131] {
            assert_eq!(faces_of_hull(&corners(size), 3).unwrap_err(), ShapeError::OutOfRange { size });
        }
    }

    #[test]
    fn a_body_hardly_thicker_than_the_tolerance_is_refused_or_has_faces_on_all_sides() {
        let corner = |i: usize| DVec3::new((i & 1) as f64, (i >> 1 & 1) as f64, 0.0);
        for number in 0..5000_usize {
            // Eight points above the corners of a square, at heights of up to three tolerances.
            let height = |i: usize| FLATNESS * ((number * 7919 + i * (number + 31) * 104_729) % 97) as f64 / 32.0;
            let points: Vec<DVec3> = (0..8).map(|i| corner(i) + DVec3::Z * height(i)).collect();
            match faces_of_hull(&points, 3) {
                Ok(body) => assert!(body.vertices.len() >= 4 && body.faces.len() >= 4, "{points:?}: {body:?}"),
                Err(error) => {
                    assert!(matches!(error, ShapeError::Flat { .. } | ShapeError::TooSlender), "{points:?}: {error}")
                }
            }
        }
    }
}
