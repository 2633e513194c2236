//! What goes over the wire in bulk: a head in JSON, then columns of little-endian numbers.
//!
//! ```text
//! u32 length of the head │ head, padded by spaces to a multiple of 4 │ column │ column │ …
//! ```
//!
//! The head lists the columns: name, kind of number, numbers per row, rows, and where the column begins after the head.
//! A frame takes 12 bytes per ball (20 per angular grain), 4 more for the array that it is coloured by, and 20 bytes per
//! contact. What stays the same from frame to frame (radii, materials, forms, walls at rest) is sent once: frames name it
//! by a hash.

use glam::{DQuat, DVec3};
use riprap_engine::{Form, FormPart, Status, Surface};
use riprap_store::{Snapshot, wall_surfaces};
use serde_json::{Map, Value, json};
use std::hash::{DefaultHasher, Hash, Hasher};

/// The bit in a contact's end that says "a wall": the rest is its row.
const WALL: u32 = 1 << 31;
/// The bit in a contact's status that says that a capillary bridge pulls.
const BRIDGE: u8 = 4;
/// The largest ratio of tangential to normal force that is told apart.
const LARGEST_RATIO: f64 = 2.0;

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
        ("bodies", json!(hash_of(&bodies(snapshot)))),
        ("walls", json!(hash_of(&walls(snapshot)))),
    ] {
        blob.set(name, value);
    }
    blob.add("position", 3, grains.position.iter().flatten().map(|&x| x as f32));
    if !grains.form.is_empty() {
        blob.add("orientation", 4, grains.orientation.iter().flatten().map(|&q| (q * 32767.0).round() as i16));
    }
    add_contacts(&mut blob, snapshot, low, high);
    blob.finish()
}

/// Contacts in 20 bytes each: the two bodies, the normal force, the point on a grid of 65,536 steps along each edge of the
/// box around the grains, the ratio of tangential to normal force, and the status.
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
    blob.add("contact_ratio", 1, rows.clone().map(|k| ratio_of(contacts.force[k], contacts.normal[k])));
    blob.add("contact_status", 1, rows.map(|k| status_of(contacts.status[k], contacts.attraction.get(k))));
    blob.set("largest_ratio", json!(LARGEST_RATIO));
}

/// The ratio of tangential to normal force in 255 steps.
fn ratio_of(force: [f64; 3], normal: [f64; 3]) -> u8 {
    let along = dot(force, normal);
    let across = (dot(force, force) - along * along).max(0.0).sqrt();
    if across > 0.0 { (across / along.abs() / LARGEST_RATIO * 255.0).round() as u8 } else { 0 }
}

fn status_of(status: Status, attraction: Option<&f64>) -> u8 {
    let word = match status {
        Status::Open => 0,
        Status::Stick => 1,
        Status::Slide => 2,
    };
    word + if attraction.is_some_and(|&pull| pull > 0.0) { BRIDGE } else { 0 }
}

/// What does not change unless grains come and go: ids, radii, materials, groups, forms.
pub fn bodies(snapshot: &Snapshot) -> Vec<u8> {
    let grains = &snapshot.grains;
    let mut blob = Blob::default();
    blob.set("materials", json!(snapshot.materials));
    blob.set("groups", json!(snapshot.groups));
    blob.set("forms", snapshot.forms.iter().map(form_of).collect());
    blob.add("id", 1, grains.id.iter().copied());
    blob.add("radius", 1, grains.radius.iter().map(|&radius| radius as f32));
    blob.add("material", 1, grains.material.iter().copied());
    blob.add("group", 1, grains.group.iter().copied());
    blob.add("form", 1, grains.form.iter().map(|form| form.map_or(-1, |index| index as i32)));
    blob.finish()
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

/// The walls as triangles, in 2D as segments, each with the row of its wall.
pub fn walls(snapshot: &Snapshot) -> Vec<u8> {
    let surfaces = wall_surfaces(snapshot);
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

fn hash_of(bytes: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    DVec3::from_array(a).dot(DVec3::from_array(b))
}
