//! The points of a contact between two convex solids, once its normal is known.
//!
//! Each body shows the other a feature: a face if one is turned towards the normal, else an edge or a corner. Both
//! features are seen along the normal and laid over each other; the corners of what they share are the contact points,
//! each with its own gap between the two surfaces. A face that rests on a face is so carried by the corners of the common
//! polygon (in 2D the ends of the common stretch): any pressure between them is a sum of forces at these points, and no
//! torque is lost.

use super::solid::{Segment, Solid, points_to};
use super::{Feature, Geometry};
use riprap_solve::{Dim, Vector};

/// A face counts as turned towards the normal up to this cosine, about 26°.
const FACING: f64 = 0.9;
/// An edge counts as lying across the normal up to this cosine.
const ACROSS: f64 = 0.3;
/// Edges count as parallel up to this sine, about half a degree: their points are then beside the first by no more than
/// this part of its length.
const PARALLEL: f64 = 0.01;
/// Corners within this part of the smaller body outside a polygon count as inside: so faces with a common border keep
/// their corners as contacts, and do not flicker between corners and crossings of edges.
const BORDER: f64 = 1e-6;
/// A point that sticks out of the line of its neighbours by less than this part of the polygon is left out.
const FLAT: f64 = 1e-3;

/// Two features laid over each other.
#[derive(Clone, Debug)]
pub struct Overlay<D: Dim> {
    normal: D::Vector,
    tangents: [D::Vector; 2],
    rims: [Rim; 2],
    shared: Vec<Corner>,
    spare: Vec<Corner>,
}

impl<D: Dim> Default for Overlay<D> {
    fn default() -> Self {
        Overlay {
            normal: D::Vector::ZERO,
            tangents: [D::Vector::ZERO; 2],
            rims: Default::default(),
            shared: Vec::new(),
            spare: Vec::new(),
        }
    }
}

/// A feature of a body seen along the normal: its corners counterclockwise, and its height, which is linear.
#[derive(Clone, Debug, Default)]
struct Rim {
    corners: Vec<([f64; 2], u32)>,
    height: f64,
    slope: [f64; 2],
}

/// A corner of what two features share.
#[derive(Clone, Copy, Debug)]
struct Corner {
    at: [f64; 2],
    feature: Feature,
    /// Which border the line to the next corner runs along.
    along: Border,
}

/// A side of the first or second feature, by the number of the corner that it starts from.
#[derive(Clone, Copy, Debug)]
enum Border {
    First(u32),
    Second(u32),
}

/// A contact point in the frame of the overlay.
#[derive(Clone, Copy, Debug)]
pub struct Shared<D: Dim> {
    /// The points on the two hulls.
    points: [D::Vector; 2],
    feature: Feature,
}

impl<D: Dim> Shared<D> {
    /// The contact of two rounded hulls.
    pub fn geometry(&self, normal: D::Vector, solids: [&Solid<'_, D>; 2], parts: [u32; 2]) -> Geometry<D> {
        let [a, b] = solids.map(|solid| solid.radius);
        let gap = (self.points[1] - self.points[0]).dot(normal) - a - b;
        let point = (self.points[0] + self.points[1] + normal * (a - b)) * 0.5;
        Geometry { normal, gap, point, feature: self.feature.number(parts) }
    }
}

/// The nearest points of two edges.
#[derive(Clone, Copy, Debug)]
pub struct Witness<D: Dim> {
    /// The points.
    pub points: [D::Vector; 2],
    /// The corners nearest to them, for a name.
    corners: [u32; 2],
    /// The far corner of a mesh face beyond the first.
    beyond: Option<D::Vector>,
    /// The corner of the first that the point is, if it is one.
    corner: Option<u32>,
}

impl<D: Dim> Witness<D> {
    /// The nearest points of two segments.
    pub fn new(first: &Segment<D>, second: &Segment<D>) -> Self {
        let (p, q) = (first.ends[0], second.ends[0]);
        let (u, v, r) = (first.ends[1] - p, second.ends[1] - q, p - q);
        let (uu, vv, uv, ur, vr) = (u.dot(u), v.dot(v), u.dot(v), u.dot(r), v.dot(r));
        let share = |numerator: f64, denominator: f64| {
            if denominator > 0.0 { (numerator / denominator).clamp(0.0, 1.0) } else { 0.0 }
        };
        // The nearest point of the first line to the second, kept on the segment; then of the second to that; and back.
        let determinant = uu * vv - uv * uv;
        let mut s = if determinant > 1e-14 * uu * vv { share(uv * vr - ur * vv, determinant) } else { 0.0 };
        let t = share(uv * s + vr, vv);
        s = share(uv * t - ur, uu);
        let corner = |edge: &Segment<D>, share: f64| edge.vertices[usize::from(share == 1.0)];
        let corners = [corner(first, s), corner(second, t)];
        Witness {
            points: [p + u * s, q + v * t],
            corners,
            beyond: first.beyond,
            corner: (s == 0.0 || s == 1.0).then_some(corners[0]),
        }
    }

    /// How far the points are apart.
    pub fn distance(&self) -> f64 {
        (self.points[1] - self.points[0]).length()
    }

    /// True if the first is an edge or a corner of a mesh, and faces beyond it are in the way of a normal.
    pub fn is_forbidden(&self, first: &Solid<'_, D>, normal: D::Vector) -> bool {
        match self.corner {
            Some(corner) => first.forbids(corner as usize, normal),
            None => self.beyond.is_some_and(|far| points_to::<D>(normal, far - self.points[0])),
        }
    }

    /// The contact between the two points.
    pub fn geometry(&self, normal: D::Vector, solids: [&Solid<'_, D>; 2], parts: [u32; 2]) -> Geometry<D> {
        let [first, second] = self.corners;
        Shared { points: self.points, feature: Feature::Nearest(first, second) }.geometry(normal, solids, parts)
    }
}

impl<D: Dim> Overlay<D> {
    /// Lays the features of the two solids that face each other along `normal` over each other.
    pub fn lay(&mut self, [a, b]: [&Solid<'_, D>; 2], away: D::Vector, normal: D::Vector, size: f64) {
        self.normal = normal;
        self.tangents = D::tangents(normal);
        self.rim(0, a, D::Vector::ZERO, 1.0);
        self.rim(1, b, away, -1.0);
        self.shared.clear();
        let border = BORDER * size;
        match self.rims.each_ref().map(|rim| rim.corners.len()) {
            [2, 2] => self.stretch(border),
            [1, _] => self.inside(0, border),
            [_, 1] => self.inside(1, border),
            [2, _] => self.cut(0, border),
            [_, 2] => self.cut(1, border),
            _ => self.clip(border),
        }
        self.drop_flat_corners(border);
    }

    /// Gives the points whose hulls are at most `limit` apart, and returns the least distance of all points.
    pub fn points(&self, limit: f64, mut give: impl FnMut(Shared<D>)) -> f64 {
        let mut least = f64::INFINITY;
        for corner in &self.shared {
            let [x, y] = corner.at;
            let across = self.tangents[0] * x + self.tangents[1] * y;
            let heights = self.rims.each_ref().map(|rim| rim.height_at(corner.at));
            let distance = heights[1] - heights[0];
            least = least.min(distance);
            if distance <= limit {
                let points = heights.map(|height| across + self.normal * height);
                give(Shared { points, feature: corner.feature });
            }
        }
        least
    }

    /// The feature that a solid shows: `sign` is 1 if it looks along the normal, −1 if against it.
    fn rim(&mut self, side: usize, solid: &Solid<'_, D>, away: D::Vector, sign: f64) {
        let (normal, tangents) = (self.normal, self.tangents);
        let rim = &mut self.rims[side];
        rim.corners.clear();
        rim.slope = [0.0; 2];
        let seen = |vertex: u32| {
            let at = solid.vertices[vertex as usize] + away;
            (tangents.map(|tangent| tangent.dot(at)), at.dot(normal))
        };
        let upwards = normal * sign;
        let tops = solid.vertices.iter().map(|vertex| vertex.dot(upwards));
        let highest =
            tops.enumerate().fold((0, f64::NEG_INFINITY), |best, (v, top)| if top > best.1 { (v, top) } else { best });
        let highest = highest.0 as u32;
        // The face at that corner that is turned most towards the normal.
        let mut facing: Option<(f64, usize)> = None;
        solid.for_each_face_at(highest, |face| {
            let cosine = solid.normals[face].dot(upwards);
            if cosine > FACING && facing.is_none_or(|(most, _)| cosine >= most) {
                facing = Some((cosine, face));
            }
        });
        if let Some((_, face)) = facing {
            // The plane of the face: slope and height by its normal.
            let outward = solid.normals[face];
            let steep = -1.0 / outward.dot(normal);
            rim.slope = tangents.map(|tangent| outward.dot(tangent) * steep);
            rim.height = -(solid.offsets[face] + outward.dot(away)) * steep;
            rim.corners.extend(solid.corners(face).iter().map(|&vertex| (seen(vertex).0, vertex)));
            if sign < 0.0 {
                // Counterclockwise from outside is clockwise along the normal.
                rim.corners.reverse();
            }
            return;
        }
        // The edge at the highest corner that lies most across the normal.
        let mut edge: Option<(f64, [u32; 2])> = None;
        solid.for_each_edge_at(highest, |ends| {
            let along = solid.vertices[ends[1] as usize] - solid.vertices[ends[0] as usize];
            let cosine = (along.dot(normal) / along.length()).abs();
            if cosine < ACROSS && edge.is_none_or(|(least, _)| cosine < least) {
                edge = Some((cosine, ends));
            }
        });
        match edge {
            Some((_, ends)) => {
                let [(from, low), (to, high)] = ends.map(seen);
                let along = [to[0] - from[0], to[1] - from[1]];
                let rise = (high - low) / (along[0] * along[0] + along[1] * along[1]);
                rim.slope = along.map(|x| x * rise);
                rim.height = low - rim.slope[0] * from[0] - rim.slope[1] * from[1];
                rim.corners.extend([(from, ends[0]), (to, ends[1])]);
            }
            None => {
                let (at, height) = seen(highest);
                rim.height = height;
                rim.corners.push((at, highest));
            }
        }
    }

    /// One corner, if it is inside the other feature.
    fn inside(&mut self, point: usize, border: f64) {
        let (at, vertex) = self.rims[point].corners[0];
        let other = &self.rims[1 - point].corners;
        let within = match other[..] {
            [(only, _)] => distance(at, only) <= border,
            [(from, _), (to, _)] => {
                let line = Line::new(from, to);
                line.height(at).abs() <= border && (-border..=distance(from, to) + border).contains(&line.place(at))
            }
            _ => (0..other.len()).all(|i| Line::new(other[i].0, other[(i + 1) % other.len()].0).height(at) >= -border),
        };
        if within {
            let feature = if point == 0 { Feature::CornerOfFirst(vertex) } else { Feature::CornerOfSecond(vertex) };
            self.shared.push(Corner { at, feature, along: Border::First(0) });
        }
    }

    /// The common stretch of two edges along one line.
    fn stretch(&mut self, border: f64) {
        let [first, second] = self.rims.each_ref().map(|rim| [rim.corners[0], rim.corners[1]]);
        let (from, to) = (second[0].0, second[1].0);
        let length = distance(from, to);
        let line = Line::new(from, to);
        let places = first.map(|(at, _)| (line.place(at), line.height(at)));
        // Edges that cross are no stretch: their nearest points are found elsewhere.
        let apart = (places[1].1 - places[0].1).abs();
        if D::AXES == 3 && (apart > PARALLEL * distance(first[0].0, first[1].0) || length <= border) {
            return;
        }
        let ascending = places[0].0 <= places[1].0;
        let (low, high) = if ascending { (0, 1) } else { (1, 0) };
        let start = if places[low].0 > border {
            (places[low].0, Feature::CornerOfFirst(first[low].1))
        } else {
            (0.0, Feature::CornerOfSecond(second[0].1))
        };
        let end = if places[high].0 < length - border {
            (places[high].0, Feature::CornerOfFirst(first[high].1))
        } else {
            (length, Feature::CornerOfSecond(second[1].1))
        };
        if start.0 > end.0 + border {
            return;
        }
        let unit = [(to[0] - from[0]) / length, (to[1] - from[1]) / length];
        let at = |place: f64| [from[0] + unit[0] * place, from[1] + unit[1] * place];
        self.shared.push(Corner { at: at(start.0), feature: start.1, along: Border::First(0) });
        if end.0 > start.0 + border {
            self.shared.push(Corner { at: at(end.0), feature: end.1, along: Border::First(0) });
        }
    }

    /// An edge cut by the other body's face.
    fn cut(&mut self, edge: usize, border: f64) {
        let [(from, start), (to, end)] = [self.rims[edge].corners[0], self.rims[edge].corners[1]];
        let face = &self.rims[1 - edge].corners;
        let corner = |vertex| if edge == 0 { Feature::CornerOfFirst(vertex) } else { Feature::CornerOfSecond(vertex) };
        let crossing =
            |side: u32| if edge == 0 { Feature::Crossing(start, side) } else { Feature::Crossing(side, start) };
        let (mut low, mut high) = ((0.0, corner(start)), (1.0, corner(end)));
        for i in 0..face.len() {
            let side = Line::new(face[i].0, face[(i + 1) % face.len()].0);
            let (h0, h1) = (side.height(from), side.height(to));
            if h0 < -border && h1 < -border {
                return;
            }
            let share = h0 / (h0 - h1);
            if h0 < -border && share > low.0 {
                low = (share, crossing(face[i].1));
            } else if h1 < -border && share < high.0 {
                high = (share, crossing(face[i].1));
            }
        }
        let at = |share: f64| [from[0] + (to[0] - from[0]) * share, from[1] + (to[1] - from[1]) * share];
        if low.0 <= high.0 {
            self.shared.push(Corner { at: at(low.0), feature: low.1, along: Border::First(0) });
            if (high.0 - low.0) * distance(from, to) > border {
                self.shared.push(Corner { at: at(high.0), feature: high.1, along: Border::First(0) });
            }
        }
    }

    /// The common polygon of two faces: the second is cut by each side of the first (Sutherland and Hodgman).
    fn clip(&mut self, border: f64) {
        let [first, second] = &self.rims;
        let corner = |&(at, vertex): &([f64; 2], u32)| Corner {
            at,
            feature: Feature::CornerOfSecond(vertex),
            along: Border::Second(vertex),
        };
        self.shared.extend(second.corners.iter().map(corner));
        for i in 0..first.corners.len() {
            let (from, side) = first.corners[i];
            let to = first.corners[(i + 1) % first.corners.len()].0;
            let line = Line::new(from, to);
            self.spare.clear();
            for k in 0..self.shared.len() {
                let (this, next) = (self.shared[k], self.shared[(k + 1) % self.shared.len()]);
                let (h, h_next) = (line.height(this.at), line.height(next.at));
                if h >= -border {
                    self.spare.push(this);
                }
                if (h >= -border) != (h_next >= -border) {
                    let share = (h / (h - h_next)).clamp(0.0, 1.0);
                    let at = std::array::from_fn(|axis| this.at[axis] + (next.at[axis] - this.at[axis]) * share);
                    let feature = match this.along {
                        Border::Second(other) => Feature::Crossing(side, other),
                        // Two sides of the first meet in a corner of it: that which the later one starts from, but
                        // the last side closes the polygon.
                        Border::First(earlier) if i + 1 == first.corners.len() && earlier == first.corners[0].1 => {
                            Feature::CornerOfFirst(earlier)
                        }
                        Border::First(_) => Feature::CornerOfFirst(side),
                    };
                    let along = if h >= -border { Border::First(side) } else { this.along };
                    self.spare.push(Corner { at, feature, along });
                }
            }
            std::mem::swap(&mut self.shared, &mut self.spare);
        }
    }

    /// Drops corners that the others carry as well, but for a thousandth of the polygon; never one that alone is the
    /// nearest, which would be lost with its gap.
    fn drop_flat_corners(&mut self, border: f64) {
        while self.shared.len() > 2 {
            let count = self.shared.len();
            let at = |i: usize| self.shared[i % count].at;
            let extent = (1..count).map(|i| distance(at(0), at(i))).fold(0.0, f64::max);
            let sticks_out = |i: usize| {
                let (before, this, after) = (at(i + count - 1), at(i), at(i + 1));
                let chord = distance(before, after);
                let nearest = f64::min(distance(before, this), distance(this, after));
                if chord > 0.0 { Line::new(before, after).height(this).abs().min(nearest) } else { nearest }
            };
            let kept = self.only_nearest(border);
            let flattest =
                (0..count).filter(|&i| Some(i) != kept).map(|i| (sticks_out(i), i)).min_by(|a, b| a.0.total_cmp(&b.0));
            match flattest {
                Some((least, corner)) if least <= FLAT * extent => self.shared.remove(corner),
                _ => break,
            };
        }
    }

    /// The corner where the features are nearer than at all others, by more than the border.
    fn only_nearest(&self, border: f64) -> Option<usize> {
        let gap = |corner: &Corner| {
            let [first, second] = self.rims.each_ref().map(|rim| rim.height_at(corner.at));
            second - first
        };
        let (nearest, least) = self.shared.iter().map(gap).enumerate().min_by(|a, b| a.1.total_cmp(&b.1))?;
        let is_farther = |(i, corner)| i == nearest || gap(corner) > least + border;
        self.shared.iter().enumerate().all(is_farther).then_some(nearest)
    }
}

impl Rim {
    fn height_at(&self, [x, y]: [f64; 2]) -> f64 {
        self.height + self.slope[0] * x + self.slope[1] * y
    }
}

fn distance(a: [f64; 2], b: [f64; 2]) -> f64 {
    let (x, y) = (b[0] - a[0], b[1] - a[1]);
    (x * x + y * y).sqrt()
}

/// A line on the plane of the overlay.
struct Line {
    from: [f64; 2],
    /// Zero if its ends are one point.
    unit: [f64; 2],
}

impl Line {
    fn new(from: [f64; 2], to: [f64; 2]) -> Self {
        let length = distance(from, to);
        let share = if length > 0.0 { 1.0 / length } else { 0.0 };
        Line { from, unit: [(to[0] - from[0]) * share, (to[1] - from[1]) * share] }
    }

    /// How far to the left of the line a point is.
    fn height(&self, at: [f64; 2]) -> f64 {
        (at[1] - self.from[1]) * self.unit[0] - (at[0] - self.from[0]) * self.unit[1]
    }

    /// How far along the line a point is.
    fn place(&self, at: [f64; 2]) -> f64 {
        (at[0] - self.from[0]) * self.unit[0] + (at[1] - self.from[1]) * self.unit[1]
    }
}
