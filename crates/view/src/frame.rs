//! What goes over the wire in bulk: a head in JSON, then columns of little-endian numbers.
//!
//! ```text
//! u32 length of the head │ head, padded by spaces to a multiple of 4 │ column │ column │ …
//! ```
//!
//! The head lists the columns: name, kind of number, numbers per row, rows, and where the column begins after the head.
//! A frame takes 12 bytes per ball (20 per angular grain), 4 more for the array that it is coloured by, and 20 bytes per
//! contact, and 24 per line of a broken bond. What stays the same from frame to frame (radii, materials, forms, walls at rest) is sent once: frames name it
//! by a hash.

use glam::{DQuat, DVec3};
use riprap_engine::{Form, FormPart, Status, Surface};
use riprap_measure::CrackPlace;
use riprap_store::{ContactColumns, CrackColumns, Snapshot, Surfaces, wall_surfaces_within};
use serde_json::{Map, Value, json};
use std::hash::{DefaultHasher, Hash, Hasher};

/// The bit in a contact's end that says "a wall": the rest is its row.
const WALL: u32 = 1 << 31;
/// The bit in a contact's status that says that a capillary bridge pulls.
const BRIDGE: u8 = 4;
/// The bit in a contact's status that says that a bond holds it.
const BOND: u8 = 8;

/// A blob under construction.
#[derive(Default)]
struct Blob {
    head: Map<String, Value>,
    columns: Vec<Value>,
    data: Vec<u8>,
}

impl Blob {
    fn set(&mut self, name: &str, value: Value) {
        self.head.insert(name.into(), value);
    }

    /// Adds a column of so many numbers per row.
    fn add<T: Number>(&mut self, name: &str, per_row: usize, numbers: impl IntoIterator<Item = T>) {
        let from = self.data.len();
        for number in numbers {
            number.push(&mut self.data);
        }
        let rows = (self.data.len() - from) / (per_row * T::BYTES);
        self.columns.push(json!({ "name": name, "kind": T::KIND, "per_row": per_row, "rows": rows, "from": from }));
        // Every column begins where any kind of number may.
        self.data.resize(self.data.len().next_multiple_of(4), 0);
    }

    fn finish(mut self) -> Vec<u8> {
        let columns = Value::Array(std::mem::take(&mut self.columns));
        self.set("columns", columns);
        let mut head = Value::Object(self.head).to_string().into_bytes();
        head.resize(head.len().next_multiple_of(4), b' ');
        let mut whole = (head.len() as u32).to_le_bytes().to_vec();
        whole.extend(head);
        whole.extend(self.data);
        whole
    }
}

/// A number of a column.
trait Number: Copy {
    const KIND: &'static str;
    const BYTES: usize;
    fn push(self, to: &mut Vec<u8>);
}

macro_rules! numbers {
    ($($type:ty),*) => {$(
        impl Number for $type {
            const KIND: &'static str = stringify!($type);
            const BYTES: usize = size_of::<$type>();
            fn push(self, to: &mut Vec<u8>) {
                to.extend(self.to_le_bytes());
            }
        }
    )*};
}
numbers!(f32, u32, i32, i16, u16, u8);

/// The frame of a snapshot: where grains are, and their contacts.
pub fn frame(snapshot: &Snapshot) -> Vec<u8> {
    let grains = &snapshot.grains;
    let mut blob = Blob::default();
    let (low, high) = bounds(snapshot);
    for (name, value) in [
        ("dimension", json!(snapshot.dimension)),
        ("time", json!(snapshot.time)),
        ("step", json!(snapshot.step)),
        ("gravity", json!(snapshot.gravity)),
        ("origin", json!(snapshot.cell.origin)),
        ("period", json!(snapshot.cell.period)),
        ("low", json!(low)),
        ("high", json!(high)),
        ("bodies", json!(bodies_key(snapshot))),
        ("walls", json!(walls_key(snapshot))),
    ] {
        blob.set(name, value);
    }
    blob.add("position", 3, grains.position.iter().flatten().map(|&x| x as f32));
    if !grains.form.is_empty() {
        blob.add("orientation", 4, grains.orientation.iter().flatten().map(|&q| (q * 32767.0).round() as i16));
    }
    add_contacts(&mut blob, snapshot, low, high);
    blob.add("crack", 6, cracks(snapshot).into_iter().flatten().flatten().map(|x| x as f32));
    blob.finish()
}

/// The lines by which broken bonds are drawn: the outlines of their joints.
pub fn cracks(snapshot: &Snapshot) -> Vec<[[f64; 3]; 2]> {
    let CrackColumns { point, normal, area, .. } = &snapshot.cracks;
    let outline = |k: usize| {
        let corners = CrackPlace { point: point[k], normal: normal[k], area: area[k] }.outline(snapshot.dimension);
        let sides = if snapshot.dimension == 2 { 1 } else { corners.len() };
        (0..sides).map(|side| [corners[side], corners[(side + 1) % corners.len()]]).collect::<Vec<_>>()
    };
    (0..snapshot.cracks.len()).flat_map(outline).collect()
}

/// Contacts in 20 bytes each: the two bodies, the normal force, the point on a grid of 65,536 steps along each edge of the
/// box around the grains, how much of its friction is mobilised, and the status.
fn add_contacts(blob: &mut Blob, snapshot: &Snapshot, low: [f64; 3], high: [f64; 3]) {
    let contacts = &snapshot.contacts;
    let wall_row = |id: u32| snapshot.walls.iter().position(|wall| wall.id == id).unwrap_or(0) as u32;
    let end = |id: u32| match snapshot.grains.id.binary_search(&id) {
        Ok(row) => row as u32,
        Err(_) => WALL | wall_row(id),
    };
    let rows = 0..contacts.len();
    let normal_force = |k: usize| dot(contacts.force[k], contacts.normal[k]);
    blob.add("contact_bodies", 2, rows.clone().flat_map(|k| [end(contacts.body1[k]), end(contacts.body2[k])]));
    blob.add("contact_force", 1, rows.clone().map(|k| normal_force(k) as f32));
    let on_grid = |point: [f64; 3]| {
        std::array::from_fn::<u16, 3, _>(|axis| {
            let share = (point[axis] - low[axis]) / (high[axis] - low[axis]).max(f64::MIN_POSITIVE);
            (share * 65535.0).round() as u16
        })
    };
    blob.add("contact_point", 3, rows.clone().flat_map(|k| on_grid(contacts.point[k])));
    blob.add("contact_friction", 1, rows.clone().map(|k| (255.0 * mobilised(contacts, k)).round() as u8));
    blob.add("contact_status", 1, rows.map(|k| status_of(contacts, k)));
}

/// How much of its friction a contact uses, 0 to 1: the tangential force over friction times repulsion, and 1 where it
/// slides. A contact that a bond holds uses none. Where the friction is not known it is taken to be 1.
pub fn mobilised(contacts: &ContactColumns, k: usize) -> f64 {
    if contacts.status[k] == Status::Slide {
        return 1.0;
    }
    let (force, normal) = (contacts.force[k], contacts.normal[k]);
    let along = dot(force, normal);
    let across = (dot(force, force) - along * along).max(0.0).sqrt();
    if across == 0.0 || is_bonded(contacts, k) {
        return 0.0;
    }
    let repulsion = along + contacts.attraction.get(k).copied().unwrap_or(0.0);
    let limit = contacts.friction.get(k).copied().unwrap_or(1.0) * repulsion;
    if limit > across { across / limit } else { 1.0 }
}

/// True if a bond holds a contact.
pub fn is_bonded(contacts: &ContactColumns, k: usize) -> bool {
    contacts.bonded.get(k).copied().unwrap_or(false)
}

/// True if a liquid bridge pulls at a contact.
pub fn is_bridged(contacts: &ContactColumns, k: usize) -> bool {
    contacts.attraction.get(k).is_some_and(|&pull| pull > 0.0)
}

fn status_of(contacts: &ContactColumns, k: usize) -> u8 {
    let word = match contacts.status[k] {
        Status::Open => 0,
        Status::Stick => 1,
        Status::Slide => 2,
    };
    word + if is_bridged(contacts, k) { BRIDGE } else { 0 } + if is_bonded(contacts, k) { BOND } else { 0 }
}

/// What does not change unless grains come and go: ids, radii, materials, groups, forms.
pub fn bodies(snapshot: &Snapshot) -> Vec<u8> {
    let grains = &snapshot.grains;
    let mut blob = Blob::default();
    blob.set("materials", json!(snapshot.materials));
    blob.set("groups", json!(snapshot.groups));
    blob.set("forms", snapshot.forms.iter().map(form_of).collect());
    blob.set("membranes", json!(membrane_rows(snapshot)));
    blob.add("id", 1, grains.id.iter().copied());
    blob.add("radius", 1, grains.radius.iter().map(|&radius| radius as f32));
    blob.add("material", 1, grains.material.iter().copied());
    blob.add("group", 1, grains.group.iter().copied());
    blob.add("form", 1, grains.form.iter().map(|form| form.map_or(-1, |index| index as i32)));
    blob.finish()
}

/// The rows of the grains along each membrane.
pub fn membrane_rows(snapshot: &Snapshot) -> Vec<Vec<usize>> {
    let row = |id: &u32| snapshot.grains.id.binary_search(id).ok();
    snapshot.membranes.iter().map(|chain| chain.iter().filter_map(row).collect()).collect()
}

/// What [`bodies`] depends on, in a few letters.
fn bodies_key(snapshot: &Snapshot) -> String {
    let Snapshot { grains, materials, groups, membranes, .. } = snapshot;
    let mut hasher = DefaultHasher::new();
    (&grains.id, &grains.material, &grains.group, &grains.form).hash(&mut hasher);
    grains.radius.iter().for_each(|radius| radius.to_bits().hash(&mut hasher));
    (materials, groups, membranes).hash(&mut hasher);
    hash_forms(snapshot, &mut hasher);
    format!("{:016x}", hasher.finish())
}

/// What [`walls`] depends on, in a few letters.
fn walls_key(snapshot: &Snapshot) -> String {
    let mut hasher = DefaultHasher::new();
    let numbers = |numbers: &[f64], hasher: &mut DefaultHasher| numbers.iter().for_each(|x| x.to_bits().hash(hasher));
    for wall in &snapshot.walls {
        (wall.id, &wall.name, format!("{:?}", wall.shape)).hash(&mut hasher);
        numbers(&wall.position, &mut hasher);
        numbers(&wall.orientation, &mut hasher);
    }
    room(snapshot).iter().for_each(|corner| numbers(corner, &mut hasher));
    hash_forms(snapshot, &mut hasher);
    format!("{:016x}", hasher.finish())
}

fn hash_forms(snapshot: &Snapshot, hasher: &mut DefaultHasher) {
    snapshot.forms.iter().for_each(|form| format!("{form:?}").hash(hasher));
}

/// A form as balls and triangles.
fn form_of(form: &Form) -> Value {
    let parts: &[FormPart] = if let Form::Cluster { parts, .. } = form { parts } else { &[] };
    let ball = |part: &FormPart| match part {
        FormPart::Ball { centre, radius } => Some([centre[0], centre[1], centre[2], *radius]),
        FormPart::Convex { .. } => None,
    };
    json!({ "balls": parts.iter().filter_map(ball).collect::<Vec<_>>(), "triangles": triangles(form) })
}

/// The triangles of a form's surface, in 2D of its area: nine numbers each, in the frame of the body. Balls have none.
pub fn triangles(form: &Form) -> Vec<f32> {
    let mut triangles = Vec::new();
    match form {
        Form::Convex(surface) | Form::Mesh(surface) => add_triangles(&mut triangles, surface, |corner| corner),
        Form::Cluster { parts, .. } => {
            for part in parts {
                match part {
                    FormPart::Ball { .. } => {}
                    FormPart::Convex { surface, position, orientation } => {
                        let (place, turn) = (DVec3::from_array(*position), DQuat::from_array(*orientation));
                        add_triangles(&mut triangles, surface, |corner| {
                            (place + turn * DVec3::from_array(corner)).to_array()
                        });
                    }
                }
            }
        }
    }
    triangles
}

/// Fans of all faces. In the plane faces are segments: the fan is over the outline, from its first corner.
fn add_triangles(triangles: &mut Vec<f32>, surface: &Surface, place: impl Fn([f64; 3]) -> [f64; 3]) {
    let mut add = |corners: [u32; 3]| {
        for corner in corners {
            let Some(&vertex) = surface.vertices.get(corner as usize) else { return };
            triangles.extend(place(vertex).map(|x| x as f32));
        }
    };
    if surface.faces.iter().all(|face| face.len() == 2) {
        for k in 1..surface.vertices.len().saturating_sub(1) as u32 {
            add([0, k, k + 1]);
        }
    }
    for face in &surface.faces {
        for k in 1..face.len().saturating_sub(1) {
            add([face[0], face[k], face[k + 1]]);
        }
    }
}

/// The surfaces of walls. Endless ones end with a box of round corners, which stays the same from frame to frame as long as
/// the grains do not go far, so that walls at rest are sent once.
pub fn surfaces(snapshot: &Snapshot) -> Surfaces {
    wall_surfaces_within(snapshot, room(snapshot))
}

/// The box around the grains, with corners at multiples of about a quarter of its size.
fn room(snapshot: &Snapshot) -> [[f64; 3]; 2] {
    let (low, high) = bounds(snapshot);
    let size = (DVec3::from_array(high) - DVec3::from_array(low)).length();
    let step = 0.25 * size.log2().floor().exp2();
    [low.map(|x| (x / step).floor() * step), high.map(|x| (x / step).ceil() * step)]
}

/// The walls as triangles, in 2D as segments, each with the row of its wall.
pub fn walls(snapshot: &Snapshot) -> Vec<u8> {
    let surfaces = surfaces(snapshot);
    let mut blob = Blob::default();
    let name = |wall: &riprap_store::Wall| json!({ "id": wall.id, "name": wall.name });
    blob.set("walls", snapshot.walls.iter().map(name).collect());
    let (mut points, mut rows) = (Vec::new(), Vec::new());
    let corners = if snapshot.dimension == 2 { 2 } else { 3 };
    for (cell, &row) in surfaces.cells.iter().zip(&surfaces.row) {
        for k in 1..(cell.len() + 2).saturating_sub(corners) {
            let simplex = if corners == 2 { vec![cell[k - 1], cell[k]] } else { vec![cell[0], cell[k], cell[k + 1]] };
            points.extend(simplex.iter().flat_map(|&point| surfaces.points[point].map(|x| x as f32)));
            rows.push(row as u16);
        }
    }
    blob.add("points", 3 * corners, points);
    blob.add("row", 1, rows);
    blob.finish()
}

/// One number for each grain.
pub fn array(values: &[f32]) -> Vec<u8> {
    let mut blob = Blob::default();
    blob.add("value", 1, values.iter().copied());
    blob.finish()
}

/// The box around grains and contacts. No edge has length zero, so that shares of it are numbers.
pub fn bounds(snapshot: &Snapshot) -> ([f64; 3], [f64; 3]) {
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    let mut include = |point: [f64; 3], radius: f64| {
        for axis in 0..3 {
            low[axis] = low[axis].min(point[axis] - radius);
            high[axis] = high[axis].max(point[axis] + radius);
        }
    };
    for (&position, &radius) in snapshot.grains.position.iter().zip(&snapshot.grains.radius) {
        include(position, radius);
    }
    for &point in &snapshot.contacts.point {
        include(point, 0.0);
    }
    if snapshot.grains.is_empty() && snapshot.contacts.is_empty() {
        include([0.0; 3], 1.0);
    }
    (low, high)
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    DVec3::from_array(a).dot(DVec3::from_array(b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use riprap_engine::Primitive;
    use riprap_store::{GrainColumns, Wall, WallShape};

    /// A contact with this normal and tangential force.
    fn contact(normal: f64, tangential: f64, status: Status) -> ContactColumns {
        ContactColumns {
            body1: vec![0],
            body2: vec![1],
            point: vec![[0.0; 3]],
            normal: vec![[0.0, 0.0, 1.0]],
            gap: vec![0.0],
            force: vec![[tangential, 0.0, normal]],
            attraction: vec![0.0],
            status: vec![status],
            friction: vec![0.5],
            bonded: vec![false],
            ..ContactColumns::default()
        }
    }

    #[test]
    fn friction_is_mobilised_against_its_own_limit() {
        assert!((mobilised(&contact(4.0, 1.0, Status::Stick), 0) - 0.5).abs() < 1e-12);
        assert_eq!(mobilised(&contact(4.0, 0.0, Status::Stick), 0), 0.0);
        assert_eq!(mobilised(&contact(4.0, 1.9, Status::Slide), 0), 1.0);
        // A bridge that pulls by 4 N leaves a total of 0, but the repulsion of 4 N bears friction.
        let wet = ContactColumns { attraction: vec![4.0], ..contact(0.0, 1.0, Status::Stick) };
        assert!((mobilised(&wet, 0) - 0.5).abs() < 1e-12);
        let glued = ContactColumns { bonded: vec![true], ..contact(-1.0, 1.0, Status::Stick) };
        assert_eq!(mobilised(&glued, 0), 0.0);
        assert_eq!((status_of(&wet, 0), status_of(&glued, 0)), (1 + BRIDGE, 1 + BOND));
        let unknown = ContactColumns { friction: Vec::new(), ..contact(4.0, 1.0, Status::Stick) };
        assert!((mobilised(&unknown, 0) - 0.25).abs() < 1e-12);
    }

    #[test]
    fn walls_at_rest_keep_their_name_while_grains_move_and_bodies_until_they_change() {
        let plane = Wall {
            id: 1,
            name: "floor".into(),
            shape: WallShape::Primitive(Primitive::Plane { normal: [0.0, 0.0, 1.0] }),
            material: 0,
            position: [0.0; 3],
            orientation: [0.0, 0.0, 0.0, 1.0],
            velocity: [0.0; 3],
            spin: [0.0; 3],
        };
        let at = |height: f64| Snapshot {
            dimension: 3,
            grains: GrainColumns {
                id: vec![0],
                position: vec![[0.1, 0.1, height]],
                radius: vec![1.0],
                material: vec![0],
                group: vec![0],
                ..GrainColumns::default()
            },
            walls: vec![plane.clone()],
            ..Snapshot::default()
        };
        let (now, later) = (at(1.05), at(1.06));
        assert_eq!((walls_key(&now), bodies_key(&now)), (walls_key(&later), bodies_key(&later)));
        assert_eq!(walls(&now), walls(&later));
        let mut moved = at(1.05);
        moved.walls[0].position[2] = -0.1;
        assert_ne!(walls_key(&moved), walls_key(&now));
        let mut grown = at(1.05);
        grown.grains.radius[0] = 1.1;
        assert_ne!(bodies_key(&grown), bodies_key(&now));
    }
}
