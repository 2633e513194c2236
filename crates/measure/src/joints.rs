//! Joints of blocks: faces that lie on each other, how far they have opened and slid, and what force goes through them
//! and where. The points at which it goes through the joints of an arch are its thrust line.

use crate::linear::{add, cross, dot, length, scaled, sub};
use crate::{Contact, End, Packing, Part, Unavailable, WallSurface};
use riprap_engine::{Convex, D2, D3, Dim, Primitive, Vector};

/// Faces lie on each other if they are this close, over the size of the smaller body.
const CLOSE: f64 = 5e-3;
/// And if their normals are opposite to within this sine.
const PARALLEL: f64 = 1e-3;

/// Two faces that lie on each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Body 1 and body 2; a wall comes first.
    pub ends: [End; 2],
    /// Unit vector from body 1 to body 2.
    pub normal: [f64; 3],
    /// The corners of the area that both faces share; in 2D its two ends.
    pub corners: Vec<[f64; 3]>,
    /// That area; in 2D a length times 1 m.
    pub area: f64,
}

/// What has become of a joint.
#[derive(Clone, Debug, PartialEq)]
pub struct JointState {
    /// The ids of body 1 and body 2.
    pub bodies: [u32; 2],
    /// Unit vector from body 1 to body 2; it turns with body 1.
    pub normal: [f64; 3],
    /// The middle of the joint on body 1.
    pub middle: [f64; 3],
    /// The area of the joint.
    pub area: f64,
    /// How far it has opened, where it has opened most.
    pub opening: f64,
    /// How far its middle on body 2 has slid along body 1.
    pub sliding: f64,
    /// The force on body 2.
    pub force: [f64; 3],
    /// Where the force goes through the joint: the centre of pressure. None without a normal force.
    pub point: Option<[f64; 3]>,
    /// The distance of this point from the middle, over that of the edge of the joint in the same direction: 0 in the
    /// middle, 1 at the edge.
    pub eccentricity: Option<f64>,
}

impl JointState {
    /// The force along the normal, positive in compression.
    pub fn normal_force(&self) -> f64 {
        dot(self.force, self.normal)
    }

    /// How far from the middle the force goes through the joint.
    pub fn distance_from_middle(&self) -> Option<f64> {
        self.point.map(|point| length(sub(point, self.middle)))
    }

    /// The force across the normal.
    pub fn shear_force(&self) -> f64 {
        length(sub(self.force, scaled(self.normal, self.normal_force())))
    }
}

/// All joints of a packing: of grains with plane faces with each other and with walls.
pub fn joints(packing: &Packing) -> Vec<Joint> {
    if packing.dimension == 2 { joints_of::<D2>(packing) } else { joints_of::<D3>(packing) }
}

/// What has become of the joints that an earlier packing had.
pub fn joint_states(earlier: &Packing, packing: &Packing) -> Result<Vec<JointState>, Unavailable> {
    let contacts = packing.contacts.as_ref().ok_or(Unavailable::NoContacts)?;
    let joints = joints(earlier);
    if joints.is_empty() {
        let why =
            "no faces of grains lie on each other in the earlier snapshot: joints are those of blocks that touch there";
        return Err(Unavailable::Because(why.into()));
    }
    let mut by_pair: Vec<([u32; 2], &Contact)> = contacts
        .iter()
        .filter(|contact| contact.bears())
        .map(|contact| (ids(packing, contact.ends), contact))
        .collect();
    by_pair.sort_by_key(|(bodies, _)| [bodies[0].min(bodies[1]), bodies[0].max(bodies[1])]);
    let found = joints.iter().filter_map(|joint| state_of(joint, earlier, packing, &by_pair));
    Ok(found.collect())
}

fn ids(packing: &Packing, ends: [End; 2]) -> [u32; 2] {
    ends.map(|end| match end {
        End::Grain(row) => packing.grains[row as usize].id,
        End::Wall(row) => packing.walls.get(row as usize).map_or(u32::MAX, |wall| wall.id),
    })
}

/// None if one of the bodies is gone.
fn state_of(
    joint: &Joint,
    earlier: &Packing,
    packing: &Packing,
    by_pair: &[([u32; 2], &Contact)],
) -> Option<JointState> {
    let bodies = ids(earlier, joint.ends);
    let [first, second] = [0, 1].map(|side| {
        let (was, is) = (Pose::of(earlier, bodies[side])?, Pose::of(packing, bodies[side])?);
        Some(move |point: [f64; 3]| add(is.position, is.turn(was.turn_back(sub(point, was.position)))))
    });
    let (first, second) = (first?, second?);
    let origin = first(joint.corners[0]);
    let normal = sub(first(add(joint.corners[0], joint.normal)), origin);
    let apart: Vec<[f64; 3]> =
        joint.corners.iter().map(|&corner| nearest(packing, sub(second(corner), first(corner)))).collect();
    let corners: Vec<[f64; 3]> = joint.corners.iter().map(|&corner| first(corner)).collect();
    let mean = scaled(apart.iter().fold([0.0; 3], |sum, &d| add(sum, d)), 1.0 / apart.len() as f64);
    let middle = centroid(&corners);
    let (force, point) = resultant(packing, bodies, normal, middle, by_pair);
    Some(JointState {
        bodies,
        normal,
        middle,
        area: joint.area,
        opening: apart.iter().map(|&d| dot(d, normal)).fold(f64::NEG_INFINITY, f64::max),
        sliding: length(sub(mean, scaled(normal, dot(mean, normal)))),
        force,
        point,
        eccentricity: point.map(|point| gauge(&corners, normal, middle, sub(point, middle))),
    })
}

/// The force on body 2 of the contacts of a pair, and the centre of pressure, near the middle of the joint.
fn resultant(
    packing: &Packing,
    bodies: [u32; 2],
    normal: [f64; 3],
    middle: [f64; 3],
    by_pair: &[([u32; 2], &Contact)],
) -> ([f64; 3], Option<[f64; 3]>) {
    let key = [bodies[0].min(bodies[1]), bodies[0].max(bodies[1])];
    let sorted = |pair: &[u32; 2]| [pair[0].min(pair[1]), pair[0].max(pair[1])];
    let begin = by_pair.partition_point(|(pair, _)| sorted(pair) < key);
    let own = by_pair[begin..].iter().take_while(|(pair, _)| sorted(pair) == key);
    let (mut force, mut moment, mut pressure) = ([0.0; 3], [0.0; 3], 0.0);
    for (pair, contact) in own {
        let part = if *pair == bodies { contact.force } else { scaled(contact.force, -1.0) };
        let along = dot(part, normal);
        let arm = nearest(packing, sub(packing.point(contact), middle));
        force = add(force, part);
        pressure += along;
        moment = add(moment, scaled(arm, along));
    }
    let carries = pressure.abs() > 1e-12 * length(force) && pressure != 0.0;
    (force, carries.then(|| add(middle, scaled(moment, 1.0 / pressure))))
}

/// A difference of two places, by the shortest way in a periodic domain.
fn nearest(packing: &Packing, difference: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|axis| {
        let period = packing.period[axis];
        if period > 0.0 { difference[axis] - (difference[axis] / period).round() * period } else { difference[axis] }
    })
}

/// Where a body is and how it is turned.
#[derive(Clone, Copy)]
struct Pose {
    position: [f64; 3],
    /// A quaternion (x, y, z, w).
    orientation: [f64; 4],
}

impl Pose {
    fn of(packing: &Packing, id: u32) -> Option<Pose> {
        if let Ok(row) = packing.grains.binary_search_by_key(&id, |grain| grain.id) {
            let grain = &packing.grains[row];
            return Some(Pose { position: grain.position, orientation: grain.orientation });
        }
        let wall = packing.walls.iter().find(|wall| wall.id == id)?;
        Some(Pose { position: wall.position, orientation: wall.orientation })
    }

    fn turn(&self, vector: [f64; 3]) -> [f64; 3] {
        let [x, y, z, w] = self.orientation;
        let v = [x, y, z];
        let twice = scaled(cross(v, vector), 2.0);
        add(vector, add(scaled(twice, w), cross(v, twice)))
    }

    fn turn_back(&self, vector: [f64; 3]) -> [f64; 3] {
        let [x, y, z, w] = self.orientation;
        Pose { orientation: [-x, -y, -z, w], ..*self }.turn(vector)
    }
}

/// A plane face of a body: its normal out of the body and its corners; none for an endless one, which `point` is on.
struct Face {
    normal: [f64; 3],
    point: [f64; 3],
    corners: Vec<[f64; 3]>,
}

/// A body with plane faces.
struct Block {
    end: End,
    low: [f64; 3],
    high: [f64; 3],
    size: f64,
    faces: Vec<Face>,
}

fn joints_of<D: Dim>(packing: &Packing) -> Vec<Joint> {
    let mut grains: Vec<Block> = Vec::new();
    for (row, grain) in packing.grains.iter().enumerate() {
        let faces: Vec<Face> = grain.parts.iter().flat_map(|part| faces_of::<D>(grain.position, part)).collect();
        if !faces.is_empty() {
            grains.push(Block::new(End::Grain(row as u32), faces));
        }
    }
    let walls: Vec<Block> = packing.walls.iter().enumerate().map(|(row, _)| wall_block::<D>(packing, row)).collect();
    let mut found = Vec::new();
    // Along x, a block is compared with those that begin before it ends.
    grains.sort_by(|a, b| a.low[0].total_cmp(&b.low[0]));
    for (place, block) in grains.iter().enumerate() {
        for wall in &walls {
            found.extend(joint(packing.dimension, wall, block));
        }
        let reach = block.high[0] + CLOSE * block.size;
        for other in grains[place + 1..].iter().take_while(|other| other.low[0] <= reach) {
            let [first, second] = if block.end < other.end { [block, other] } else { [other, block] };
            found.extend(joint(packing.dimension, first, second));
        }
    }
    found.sort_by_key(|joint: &Joint| {
        joint.ends.map(|end| match end {
            End::Wall(row) => (0, row),
            End::Grain(row) => (1, row),
        })
    });
    found
}

impl Block {
    fn new(end: End, faces: Vec<Face>) -> Block {
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for corner in faces.iter().flat_map(|face| &face.corners) {
            for axis in 0..3 {
                low[axis] = low[axis].min(corner[axis]);
                high[axis] = high[axis].max(corner[axis]);
            }
        }
        let size = (0..3).map(|axis| high[axis] - low[axis]).filter(|&edge| edge > 0.0).fold(f64::INFINITY, f64::min);
        Block { end, low, high, size, faces }
    }
}

fn faces_of<D: Dim>(position: [f64; 3], part: &Part) -> Vec<Face> {
    let Part::Hull(corners) = part else { return Vec::new() };
    let points: Vec<D::Vector> = corners.iter().map(|&corner| D::Vector::from_array3(add(position, corner))).collect();
    let Ok(placed) = Convex::<D>::hull(&points) else { return Vec::new() };
    let placed_vector = |v: D::Vector| D::rotate(placed.orientation, v);
    let face = |face: &riprap_engine::Face<D>| {
        let at = |&k: &u32| (placed.position + placed_vector(placed.convex.vertices[k as usize])).to_array3();
        let corners: Vec<[f64; 3]> = face.vertices.iter().map(at).collect();
        Face { normal: placed_vector(face.normal).to_array3(), point: corners[0], corners }
    };
    placed.convex.faces.iter().map(face).collect()
}

/// The plane faces of a wall: those of a block, both sides of a plate, a plane.
fn wall_block<D: Dim>(packing: &Packing, row: usize) -> Block {
    let wall = &packing.walls[row];
    let faces = match &wall.surface {
        WallSurface::Primitive(Primitive::Plane { normal }) => {
            vec![Face { normal: *normal, point: wall.position, corners: Vec::new() }]
        }
        WallSurface::Primitive(Primitive::Plate { half_edges: [p, q] }) => {
            let corner = |s: f64, t: f64| add(wall.position, add(scaled(*p, s), scaled(*q, t)));
            let (corners, normal) = if packing.dimension == 2 {
                (vec![corner(-1.0, 0.0), corner(1.0, 0.0)], [-p[1], p[0], 0.0])
            } else {
                (vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)], cross(*p, *q))
            };
            let normal = scaled(normal, 1.0 / length(normal));
            let behind = Face {
                normal: scaled(normal, -1.0),
                point: wall.position,
                corners: corners.iter().rev().copied().collect(),
            };
            vec![Face { normal, point: wall.position, corners }, behind]
        }
        WallSurface::Primitive(_) => Vec::new(),
        WallSurface::Pieces(pieces) => {
            pieces.iter().flat_map(|piece| faces_of::<D>(wall.position, &Part::Hull(piece.clone()))).collect()
        }
    };
    Block::new(End::Wall(row as u32), faces)
}

/// The joint of two blocks: their two faces that lie on each other over the largest area.
fn joint(dimension: usize, first: &Block, second: &Block) -> Option<Joint> {
    let tolerance = CLOSE * first.size.min(second.size);
    let is_endless = first.faces.iter().any(|face| face.corners.is_empty());
    let is_near = |axis: usize| {
        first.low[axis] <= second.high[axis] + tolerance && second.low[axis] <= first.high[axis] + tolerance
    };
    if !is_endless && !(0..dimension).all(is_near) {
        return None;
    }
    let mut best: Option<Joint> = None;
    for a in &first.faces {
        for b in second
            .faces
            .iter()
            .filter(|b| dot(a.normal, b.normal) < 0.0 && length(cross(a.normal, b.normal)) < PARALLEL)
        {
            let is_apart = |corner: &[f64; 3]| dot(sub(*corner, a.point), a.normal).abs() > tolerance;
            if b.corners.iter().any(is_apart) {
                continue;
            }
            let corners = shared(dimension, a, b);
            let area = area(&corners);
            if area > 1e-9 * self::area(&b.corners) && best.as_ref().is_none_or(|best| area > best.area) {
                best = Some(Joint { ends: [first.end, second.end], normal: a.normal, corners, area });
            }
        }
    }
    best
}

/// The part of face `b` that lies on face `a`.
fn shared(dimension: usize, a: &Face, b: &Face) -> Vec<[f64; 3]> {
    if a.corners.is_empty() {
        return b.corners.clone();
    }
    if dimension == 2 {
        let along = scaled(sub(b.corners[1], b.corners[0]), 1.0 / length(sub(b.corners[1], b.corners[0])));
        let at = |corner: &[f64; 3]| dot(sub(*corner, b.corners[0]), along);
        let range = |corners: &[[f64; 3]]| {
            let ends = [at(&corners[0]), at(&corners[1])];
            [ends[0].min(ends[1]), ends[0].max(ends[1])]
        };
        let ([low_a, high_a], [low_b, high_b]) = (range(&a.corners), range(&b.corners));
        let (low, high) = (low_a.max(low_b), high_a.min(high_b));
        if high <= low {
            return Vec::new();
        }
        return [low, high].map(|t| add(b.corners[0], scaled(along, t))).to_vec();
    }
    // Face b, cut by every edge of face a (Sutherland and Hodgman).
    let mut left = b.corners.clone();
    for (from, to) in a.corners.iter().zip(a.corners.iter().cycle().skip(1)) {
        let inward = cross(a.normal, sub(*to, *from));
        let depth = |point: &[f64; 3]| dot(sub(*point, *from), inward);
        let mut kept = Vec::new();
        for (p, q) in left.iter().zip(left.iter().cycle().skip(1)) {
            let (dp, dq) = (depth(p), depth(q));
            if dp >= 0.0 {
                kept.push(*p);
            }
            if (dp < 0.0) != (dq < 0.0) {
                kept.push(add(*p, scaled(sub(*q, *p), dp / (dp - dq))));
            }
        }
        left = kept;
    }
    left
}

/// The area of a plane polygon; of two points their distance.
fn area(corners: &[[f64; 3]]) -> f64 {
    match corners {
        [] | [_] => 0.0,
        [a, b] => length(sub(*b, *a)),
        [first, rest @ ..] => {
            let fan = rest.windows(2).map(|ends| cross(sub(ends[0], *first), sub(ends[1], *first)));
            0.5 * length(fan.fold([0.0; 3], add))
        }
    }
}

/// The centroid of a plane polygon, or of a line.
fn centroid(corners: &[[f64; 3]]) -> [f64; 3] {
    if let [a, b] = corners {
        return scaled(add(*a, *b), 0.5);
    }
    let first = corners[0];
    let whole = corners[1..].windows(2).map(|e| cross(sub(e[0], first), sub(e[1], first))).fold([0.0; 3], add);
    let size = length(whole);
    let mut sum = [0.0; 3];
    for ends in corners[1..].windows(2) {
        let part = dot(cross(sub(ends[0], first), sub(ends[1], first)), whole) / size;
        let third = scaled(add(sub(ends[0], first), sub(ends[1], first)), 1.0 / 3.0);
        sum = add(sum, scaled(third, part));
    }
    add(first, scaled(sum, 1.0 / size))
}

/// How far a point is from the middle of a joint, over the distance of the edge in the same direction.
fn gauge(corners: &[[f64; 3]], normal: [f64; 3], middle: [f64; 3], arm: [f64; 3]) -> f64 {
    if let [a, b] = corners {
        let half = scaled(sub(*b, *a), 0.5);
        return (dot(arm, half) / dot(half, half)).abs();
    }
    let edges = corners.iter().zip(corners.iter().cycle().skip(1));
    let shares = edges.map(|(from, to)| {
        let outward = cross(sub(*to, *from), normal);
        (dot(arm, outward) / dot(sub(*from, middle), outward)).max(0.0)
    });
    shares.fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::{add_floor, empty};
    use riprap_engine::glam::{DQuat, DVec2, DVec3};
    use riprap_engine::{Body, Load, Placement, Shape, Silent, Target, TimeFunction, World};

    /// A box of half lengths `half`; friction holds it.
    fn cuboid<D: Dim>(world: &mut World<D>, centre: [f64; 3], half: [f64; 3]) -> u32 {
        let corner =
            |bits: usize| D::Vector::from_fn(|axis| if bits >> axis & 1 == 1 { half[axis] } else { -half[axis] });
        let corners: Vec<D::Vector> = (0..1 << D::AXES).map(corner).collect();
        let placed = Convex::<D>::hull(&corners).unwrap();
        let body = Body::solid(Shape::Convex(placed.convex), 1000.0);
        let placement = Placement { orientation: placed.orientation, ..Placement::at(D::Vector::from_array3(centre)) };
        let id = world.add(body, placement);
        world.index_of(id).unwrap() as u32
    }

    fn close(a: f64, b: f64, tolerance: f64) {
        assert!((a - b).abs() <= tolerance, "{a}, not {b}");
    }

    /// A block is pushed along a floor and leans on one corner; another stands on it and only goes with it.
    #[test]
    fn opening_and_sliding_are_those_of_the_motion() {
        let mut world = empty::<D2>();
        add_floor(&mut world);
        let lower = cuboid(&mut world, [1.0, 0.2, 0.0], [0.5, 0.2, 0.0]) as usize;
        let upper = cuboid(&mut world, [1.2, 0.5, 0.0], [0.4, 0.1, 0.0]) as usize;
        let before = Packing::of(&world);
        let found = joints(&before);
        assert_eq!(found.len(), 2);
        close(found[0].area, 1.0, 1e-12);
        // From 0.8 to 1.5.
        close(found[1].area, 0.7, 1e-12);
        let (angle, shift) = (0.05_f64, 0.03);
        let corner = DVec2::new(1.5, 0.0);
        for body in [lower, upper] {
            let arm = world.state.position[body] - corner;
            world.state.position[body] = corner + DVec2::from_angle(-angle).rotate(arm) + DVec2::X * shift;
            world.state.orientation[body] -= angle;
        }
        let states = joint_states(&before, &Packing::of(&world)).unwrap();
        close(states[0].opening, angle.sin(), 1e-12);
        // The middle goes with the shift and with the turn about the corner.
        close(states[0].sliding, shift + 0.5 * (1.0 - angle.cos()), 1e-12);
        close(states[1].opening, 0.0, 1e-12);
        close(states[1].sliding, 0.0, 1e-12);
        assert_eq!((states[0].point, states[0].force), (None, [0.0; 3]));
    }

    /// A stack under a load beside its axis: in each joint the resultant is off by `F e / (F + W)`.
    fn thrust_line_of_a_stack<D: Dim>(offset: [f64; 2]) {
        let up = D::AXES - 1;
        let axis = |axis: usize| D::Vector::axis(axis);
        let mut world = empty::<D>();
        world.settings.solver.criterion = riprap_engine::Criterion::Residual { tolerance: 1e-12 };
        world.gravity = riprap_engine::Gravity::new(axis(up) * -10.0);
        world.add(Body::wall("floor", Shape::Plane { normal: axis(up) }), Placement::default());
        let half = if D::AXES == 2 { [0.5, 0.2, 0.0] } else { [0.5, 0.4, 0.2] };
        for k in 0..3 {
            let mut centre = [0.0; 3];
            centre[up] = 0.2 + 0.4 * f64::from(k);
            cuboid(&mut world, centre, half);
        }
        let load = 3000.0;
        let constant = |values: [f64; 3]| values.map(TimeFunction::Constant);
        let (mut force, [x, y]) = ([0.0; 3], offset);
        force[up] = -load;
        // The moment of the force at (x, y) about the axis of the stack: (x, y) × (0, −F).
        let torque = if D::AXES == 2 { [-x * load, 0.0, 0.0] } else { [-y * load, x * load, 0.0] };
        world.loads.push(Load { target: Target::Body(3), force: constant(force), torque: constant(torque) });
        let before = Packing::of(&world);
        for _ in 0..30 {
            world.step(&mut Silent).unwrap();
        }
        let states = joint_states(&before, &Packing::of(&world)).unwrap();
        assert_eq!(states.len(), 3);
        let weight = 10.0 * world.bodies[1].mass;
        for (k, state) in states.iter().enumerate() {
            let whole = load + f64::from(3 - k as u32) * weight;
            close(state.normal_force(), whole, 1e-6 * whole);
            let point = state.point.unwrap();
            close(point[0], x * load / whole, 1e-6);
            let mut share = (point[0] / half[0]).abs();
            if D::AXES == 3 {
                close(point[1], y * load / whole, 1e-6);
                share = share.max((point[1] / half[1]).abs());
            }
            close(state.eccentricity.unwrap(), share, 1e-9);
            close(point[up], 0.4 * k as f64, 1e-6);
        }
    }

    #[test]
    fn the_thrust_line_of_a_stack_is_that_of_statics() {
        thrust_line_of_a_stack::<D2>([0.3, 0.0]);
        thrust_line_of_a_stack::<D3>([-0.2, 0.15]);
    }

    /// A brick that lies crosswise on another, on a plate: the shared area is the overlap of the faces.
    #[test]
    fn faces_share_the_area_in_which_they_overlap() {
        let mut world = empty::<D3>();
        let plate = Shape::Plate { half_edges: [DVec3::X * 0.3, DVec3::Y * 2.0] };
        world.add(Body::wall("plate", plate), Placement::default());
        cuboid(&mut world, [0.0, 0.0, 0.5], [0.5, 1.0, 0.5]);
        let upper = cuboid(&mut world, [0.1, 0.0, 1.1], [1.0, 0.25, 0.1]) as usize;
        let areas: Vec<f64> = joints(&Packing::of(&world)).iter().map(|joint| joint.area).collect();
        assert_eq!(areas.len(), 2);
        close(areas[0], 0.6 * 2.0, 1e-12);
        close(areas[1], 1.0 * 0.5, 1e-12);
        // Turned about the vertical, the strip across the lower brick is longer.
        world.state.orientation[upper] = DQuat::from_rotation_z(0.3) * world.state.orientation[upper];
        let found = joints(&Packing::of(&world));
        close(found[1].area, 0.5 / 0.3_f64.cos(), 1e-12);
        world.state.position[upper].z += 0.01;
        assert_eq!(joints(&Packing::of(&world)).len(), 1);
    }
}
