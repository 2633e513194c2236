//! HDF5: the whole snapshot in one file, a dataset for each column.

use crate::codec::{breaking_code, breaking_of_code, status_code, status_of_code};
use crate::datasets;
use crate::forms::FormColumns;
use crate::hash::snapshot_hash;
use crate::{
    ContactColumns, CrackColumns, FaceColumns, GrainColumns, Snapshot, SnapshotCell, StoreError, Wall, WallShape,
    write_atomically,
};
use hdf5_pure::{AttrValue, Dataset, Error, File, FileBuilder, GroupBuilder, H5Element};
use std::io;
use std::path::Path;

const KIND: &str = "riprap snapshot";
const LAYOUT_VERSION: i64 = 1;
/// The attribute with the xxh3 hash of all numbers and names, as [`snapshot_hash`] takes it. A file without it is not
/// compared: it is of an earlier version, or was changed by someone who took the attribute away.
const CHECKSUM: &str = "checksum";
const UNITS: &str = "SI: m, s, kg, N; 2D bodies are 1 m thick";

/// Writes a snapshot.
pub fn write(snapshot: &Snapshot, path: &Path) -> Result<(), StoreError> {
    let file = assemble(snapshot);
    write_atomically(path, |out| {
        file.finish_to(out).map_err(|error| match error {
            Error::Io(error) => error,
            other => io::Error::other(other.to_string()),
        })
    })
}

fn assemble(snapshot: &Snapshot) -> FileBuilder {
    let mut file = FileBuilder::new();
    file.set_attr("format", AttrValue::String(KIND.into()));
    file.set_attr("version", AttrValue::I64(LAYOUT_VERSION));
    file.set_attr("units", AttrValue::String(UNITS.into()));
    file.set_attr("dimension", AttrValue::I64(snapshot.dimension as i64));
    file.set_attr("time", AttrValue::F64(snapshot.time));
    file.set_attr("step", AttrValue::U64(snapshot.step));
    file.set_attr("time_step", AttrValue::F64(snapshot.time_step));
    file.set_attr("gravity", AttrValue::F64Array(snapshot.gravity.into()));
    file.set_attr("cell_origin", AttrValue::F64Array(snapshot.cell.origin.into()));
    file.set_attr("cell_period", AttrValue::F64Array(snapshot.cell.period.into()));
    if snapshot.cell.tilt != 0.0 {
        file.set_attr("cell_tilt", AttrValue::F64(snapshot.cell.tilt));
    }
    file.set_attr(CHECKSUM, AttrValue::String(snapshot_hash(snapshot)));
    // Names are few; as datasets they are strings in every reader.
    for (name, strings) in [("materials", &snapshot.materials), ("groups", &snapshot.groups)] {
        let strings: Vec<&str> = strings.iter().map(String::as_str).collect();
        if !strings.is_empty() {
            file.create_dataset(name).with_vlen_strings(&strings);
        }
    }

    let mut add = |name: &str, fill: &dyn Fn(&mut GroupBuilder)| {
        let mut group = file.create_group(name);
        fill(&mut group);
        file.add_group(group.finish());
    };
    add("grains", &|group| add_grains(group, &snapshot.grains));
    add("contacts", &|group| add_contacts(group, &snapshot.contacts));
    add("walls", &|group| add_walls(group, &snapshot.walls));
    if !snapshot.cracks.is_empty() {
        add("cracks", &|group| add_cracks(group, &snapshot.cracks));
    }
    if !snapshot.faces.is_empty() {
        add("faces", &|group| add_faces(group, &snapshot.faces));
    }
    if !snapshot.membranes.is_empty() {
        add("membranes", &|group| add_membranes(group, &snapshot.membranes));
    }
    if !snapshot.forms.is_empty() {
        add("forms", &|group| add_forms(group, &FormColumns::of(&snapshot.forms)));
    }
    file
}

fn add_grains(group: &mut GroupBuilder, grains: &GrainColumns) {
    column(group, "id", &grains.id, &[]);
    column(group, "position", grains.position.as_flattened(), &[3]);
    column(group, "image", grains.image.as_flattened(), &[3]);
    column(group, "orientation", grains.orientation.as_flattened(), &[4]);
    column(group, "velocity", grains.velocity.as_flattened(), &[3]);
    column(group, "spin", grains.spin.as_flattened(), &[3]);
    column(group, "radius", &grains.radius, &[]);
    column(group, "mass", &grains.mass, &[]);
    column(group, "material", &grains.material, &[]);
    column(group, "group", &grains.group, &[]);
    if !grains.form.is_empty() {
        let form: Vec<i64> = grains.form.iter().map(|form| form.map_or(NO_FORM, i64::from)).collect();
        column(group, "form", &form, &[]);
    }
}

fn add_contacts(group: &mut GroupBuilder, contacts: &ContactColumns) {
    let status: Vec<u8> = contacts.status.iter().map(|&status| status_code(status)).collect();
    column(group, "body1", &contacts.body1, &[]);
    column(group, "body2", &contacts.body2, &[]);
    column(group, "point", contacts.point.as_flattened(), &[3]);
    column(group, "normal", contacts.normal.as_flattened(), &[3]);
    column(group, "gap", &contacts.gap, &[]);
    column(group, "impulse", contacts.impulse.as_flattened(), &[3]);
    column(group, "force", contacts.force.as_flattened(), &[3]);
    column(group, "torque", contacts.torque.as_flattened(), &[3]);
    column(group, "attraction", &contacts.attraction, &[]);
    column(group, "status", &status, &[]);
    if !contacts.friction.is_empty() {
        column(group, "friction", &contacts.friction, &[]);
        column(group, "bonded", &contacts.bonded.iter().map(|&bonded| u8::from(bonded)).collect::<Vec<_>>(), &[]);
    }
    group.set_attr("status_words", AttrValue::String("0 open, 1 stick, 2 slide".into()));
}

fn add_cracks(group: &mut GroupBuilder, cracks: &CrackColumns) {
    column(group, "body1", &cracks.body1, &[]);
    column(group, "body2", &cracks.body2, &[]);
    column(group, "time", &cracks.time, &[]);
    column(group, "mode", &cracks.mode.iter().map(|&mode| breaking_code(mode)).collect::<Vec<_>>(), &[]);
    column(group, "point", cracks.point.as_flattened(), &[3]);
    column(group, "normal", cracks.normal.as_flattened(), &[3]);
    column(group, "area", &cracks.area, &[]);
    group.set_attr("mode_words", AttrValue::String("0 tension, 1 shear, 2 bending, 3 twisting".into()));
}

fn add_forms(group: &mut GroupBuilder, columns: &FormColumns) {
    column(group, "kind", &columns.kind, &[]);
    column(group, "volume", &columns.volume, &[]);
    column(group, "inertia", columns.inertia.as_flattened(), &[3]);
    column(group, "first_part", &columns.first_part, &[]);
    column(group, "part_kind", &columns.part_kind, &[]);
    column(group, "part_radius", &columns.part_radius, &[]);
    column(group, "part_position", columns.part_position.as_flattened(), &[3]);
    column(group, "part_orientation", columns.part_orientation.as_flattened(), &[4]);
    column(group, "first_vertex", &columns.first_vertex, &[]);
    column(group, "first_face", &columns.first_face, &[]);
    column(group, "vertex", columns.vertex.as_flattened(), &[3]);
    column(group, "first_corner", &columns.first_corner, &[]);
    column(group, "corner", &columns.corner, &[]);
    group.set_attr("kind_words", AttrValue::String("0 convex, 1 cluster, 2 mesh".into()));
    group.set_attr("part_kind_words", AttrValue::String("0 ball, 1 surface".into()));
}

fn add_faces(group: &mut GroupBuilder, faces: &FaceColumns) {
    column(group, "wall", &faces.wall, &[]);
    column(group, "face", &faces.face, &[]);
    for (name, numbers) in faces.numbers() {
        column(group, name, numbers, &[]);
    }
}

fn read_faces(source: &SnapshotSource) -> Result<FaceColumns, StoreError> {
    if source.file.dataset("faces/wall").is_err() {
        return Ok(FaceColumns::default());
    }
    let count = source.count("faces/wall")?;
    let numbers = |name: &str| source.scalars(&format!("faces/{name}"), count);
    Ok(FaceColumns {
        wall: source.scalars("faces/wall", count)?,
        face: source.scalars("faces/face", count)?,
        area: numbers("area")?,
        normal_impulse: numbers("normal_impulse")?,
        normal_stress: numbers("normal_stress")?,
        sliding_work: numbers("sliding_work")?,
        worn_volume: numbers("worn_volume")?,
        wear_depth: numbers("wear_depth")?,
    })
}

/// The grains of all membranes one after the other, and where each membrane ends.
fn add_membranes(group: &mut GroupBuilder, membranes: &[Vec<u32>]) {
    let mut end = 0;
    let ends: Vec<u32> = membranes.iter().map(|chain| (end += chain.len() as u32, end).1).collect();
    column(group, "grain", &membranes.concat(), &[]);
    column(group, "end", &ends, &[]);
}

/// What stands for a ball in the column of forms.
const NO_FORM: i64 = -1;

fn add_walls(group: &mut GroupBuilder, walls: &[Wall]) {
    let parts: Vec<_> = walls.iter().map(|wall| wall.shape.parts()).collect();
    let of = |value: fn(&Wall) -> [f64; 3]| walls.iter().map(value).collect::<Vec<_>>();
    column(group, "id", &walls.iter().map(|wall| wall.id).collect::<Vec<_>>(), &[]);
    column(group, "position", of(|wall| wall.position).as_flattened(), &[3]);
    let orientation: Vec<_> = walls.iter().map(|wall| wall.orientation).collect();
    column(group, "orientation", orientation.as_flattened(), &[4]);
    column(group, "velocity", of(|wall| wall.velocity).as_flattened(), &[3]);
    column(group, "spin", of(|wall| wall.spin).as_flattened(), &[3]);
    column(group, "material", &walls.iter().map(|wall| wall.material).collect::<Vec<_>>(), &[]);
    column(group, "radius", &parts.iter().map(|part| part.1).collect::<Vec<_>>(), &[]);
    let directions: Vec<_> = parts.iter().map(|part| part.2).collect();
    column(group, "direction", directions.as_flattened().as_flattened(), &[2, 3]);
    if walls.iter().any(|wall| wall.shape.form().is_some()) {
        let form: Vec<i64> = walls.iter().map(|wall| wall.shape.form().map_or(NO_FORM, i64::from)).collect();
        column(group, "form", &form, &[]);
    }
    if !walls.is_empty() {
        group
            .create_dataset("name")
            .with_vlen_strings(&walls.iter().map(|wall| wall.name.as_str()).collect::<Vec<_>>());
        group.create_dataset("shape").with_vlen_strings(&parts.iter().map(|part| part.0).collect::<Vec<_>>());
    }
}

/// A dataset of rows, each of the given shape.
fn column<T: H5Element>(group: &mut GroupBuilder, name: &str, values: &[T], row: &[u64]) {
    let rows = values.len() as u64 / row.iter().product::<u64>();
    let shape: Vec<u64> = std::iter::once(rows).chain(row.iter().copied()).collect();
    group.create_dataset(name).with_data(values).with_shape(&shape);
}

/// Reads a snapshot.
pub fn read(path: &Path) -> Result<Snapshot, StoreError> {
    let source = SnapshotSource::open(path)?;
    let attributes = source.file.root().attrs().map_err(|error| source.fault("attributes", error))?;
    let text = |name| attributes.get(name).and_then(AttrValue::as_str);
    if text("format") != Some(KIND) {
        return Err(StoreError::damaged(
            path,
            format!("is not a {KIND}: the attribute 'format' has a different value"),
        ));
    }
    let need = |name: &str| source.need(attributes.get(name), name);
    let version = need("version")?.as_i64().unwrap_or_default();
    if version > LAYOUT_VERSION {
        let reason = format!("is a snapshot of version {version}; this program reads up to version {LAYOUT_VERSION}");
        return Err(StoreError::damaged(path, reason));
    }
    let number = |name: &str| source.need(need(name)?.as_f64(), name);
    let whole = |name: &str| source.need(need(name)?.as_u64(), name);
    let vector = |name: &str| source.need(need(name)?.to_f64s().and_then(|list| <[f64; 3]>::try_from(list).ok()), name);
    let snapshot = Snapshot {
        dimension: whole("dimension")? as usize,
        time: number("time")?,
        step: whole("step")?,
        time_step: number("time_step")?,
        gravity: vector("gravity")?,
        cell: SnapshotCell {
            origin: vector("cell_origin")?,
            period: vector("cell_period")?,
            tilt: attributes.get("cell_tilt").and_then(AttrValue::as_f64).unwrap_or_default(),
        },
        materials: source.strings("materials")?,
        groups: source.strings("groups")?,
        grains: read_grains(&source)?,
        walls: read_walls(&source)?,
        contacts: read_contacts(&source)?,
        cracks: read_cracks(&source)?,
        faces: read_faces(&source)?,
        membranes: read_membranes(&source)?,
        forms: read_forms(&source)?,
    };
    if text(CHECKSUM).is_some_and(|checksum| checksum != snapshot_hash(&snapshot)) {
        let reason = format!(
            "its checksum is wrong: it is damaged, or was changed by another program, which must then remove the attribute \
             '{CHECKSUM}'"
        );
        return Err(StoreError::damaged(path, reason));
    }
    let known = |form: &Option<u32>| form.is_none_or(|form| (form as usize) < snapshot.forms.len());
    let of_walls: Vec<Option<u32>> = snapshot.walls.iter().map(|wall| wall.shape.form()).collect();
    if !snapshot.grains.form.iter().chain(&of_walls).all(known) {
        return Err(source.fault("forms", "a grain or wall refers to a form that does not exist"));
    }
    Ok(snapshot)
}

fn read_forms(source: &SnapshotSource) -> Result<Vec<riprap_engine::Form>, StoreError> {
    if source.file.dataset("forms/kind").is_err() {
        return Ok(Vec::new());
    }
    let forms = source.count("forms/kind")?;
    let (parts, faces) = (source.count("forms/part_kind")?, source.count("forms/first_corner")?.saturating_sub(1));
    let (vertices, corners) = (source.count("forms/vertex")?, source.count("forms/corner")?);
    let columns = FormColumns {
        kind: source.scalars("forms/kind", forms)?,
        volume: source.scalars("forms/volume", forms)?,
        inertia: source.rows("forms/inertia", forms)?,
        first_part: source.scalars("forms/first_part", forms + 1)?,
        part_kind: source.scalars("forms/part_kind", parts)?,
        part_radius: source.scalars("forms/part_radius", parts)?,
        part_position: source.rows("forms/part_position", parts)?,
        part_orientation: source.rows("forms/part_orientation", parts)?,
        first_vertex: source.scalars("forms/first_vertex", parts + 1)?,
        first_face: source.scalars("forms/first_face", parts + 1)?,
        vertex: source.rows("forms/vertex", vertices)?,
        first_corner: source.scalars("forms/first_corner", faces + 1)?,
        corner: source.scalars("forms/corner", corners)?,
    };
    source.need(columns.forms(), "forms")
}

/// The forms of rows; none where the column is missing.
fn read_form_column(source: &SnapshotSource, name: &str, count: usize) -> Result<Vec<Option<u32>>, StoreError> {
    if source.file.dataset(name).is_err() {
        return Ok(Vec::new());
    }
    let form: Vec<i64> = source.scalars(name, count)?;
    let index = |form: i64| if form == NO_FORM { Some(None) } else { u32::try_from(form).ok().map(Some) };
    source.need(form.into_iter().map(index).collect(), name)
}

fn read_grains(source: &SnapshotSource) -> Result<GrainColumns, StoreError> {
    let count = source.count("grains/radius")?;
    Ok(GrainColumns {
        id: source.scalars("grains/id", count)?,
        position: source.rows("grains/position", count)?,
        image: source.rows("grains/image", count)?,
        orientation: source.rows("grains/orientation", count)?,
        velocity: source.rows("grains/velocity", count)?,
        spin: source.rows("grains/spin", count)?,
        radius: source.scalars("grains/radius", count)?,
        mass: source.scalars("grains/mass", count)?,
        material: source.scalars("grains/material", count)?,
        group: source.scalars("grains/group", count)?,
        form: read_form_column(source, "grains/form", count)?,
    })
}

fn read_contacts(source: &SnapshotSource) -> Result<ContactColumns, StoreError> {
    let count = source.count("contacts/gap")?;
    let status: Vec<u8> = source.scalars("contacts/status", count)?;
    let status: Option<Vec<_>> = status.into_iter().map(status_of_code).collect();
    Ok(ContactColumns {
        body1: source.scalars("contacts/body1", count)?,
        body2: source.scalars("contacts/body2", count)?,
        point: source.rows("contacts/point", count)?,
        normal: source.rows("contacts/normal", count)?,
        gap: source.scalars("contacts/gap", count)?,
        impulse: source.rows("contacts/impulse", count)?,
        force: source.rows("contacts/force", count)?,
        // Files of earlier versions have no torques and no bridges.
        torque: match source.file.dataset("contacts/torque") {
            Ok(_) => source.rows("contacts/torque", count)?,
            Err(_) => vec![[0.0; 3]; count],
        },
        attraction: match source.file.dataset("contacts/attraction") {
            Ok(_) => source.scalars("contacts/attraction", count)?,
            Err(_) => vec![0.0; count],
        },
        status: source.need(status, "contacts/status")?,
        friction: match source.file.dataset("contacts/friction") {
            Ok(_) => source.scalars("contacts/friction", count)?,
            Err(_) => Vec::new(),
        },
        bonded: match source.file.dataset("contacts/bonded") {
            Ok(_) => source.scalars("contacts/bonded", count)?.into_iter().map(|bonded: u8| bonded != 0).collect(),
            Err(_) => Vec::new(),
        },
    })
}

fn read_cracks(source: &SnapshotSource) -> Result<CrackColumns, StoreError> {
    if source.file.dataset("cracks/area").is_err() {
        return Ok(CrackColumns::default());
    }
    let count = source.count("cracks/area")?;
    let mode: Vec<u8> = source.scalars("cracks/mode", count)?;
    Ok(CrackColumns {
        body1: source.scalars("cracks/body1", count)?,
        body2: source.scalars("cracks/body2", count)?,
        time: source.scalars("cracks/time", count)?,
        mode: source.need(mode.into_iter().map(breaking_of_code).collect(), "cracks/mode")?,
        point: source.rows("cracks/point", count)?,
        normal: source.rows("cracks/normal", count)?,
        area: source.scalars("cracks/area", count)?,
    })
}

fn read_membranes(source: &SnapshotSource) -> Result<Vec<Vec<u32>>, StoreError> {
    if source.file.dataset("membranes/end").is_err() {
        return Ok(Vec::new());
    }
    let (count, grains) = (source.count("membranes/end")?, source.count("membranes/grain")?);
    let end: Vec<u32> = source.scalars("membranes/end", count)?;
    let grain: Vec<u32> = source.scalars("membranes/grain", grains)?;
    let first = |k: usize| if k == 0 { 0 } else { end[k - 1] as usize };
    let chains = (0..count).map(|k| grain.get(first(k)..end[k] as usize).map(<[u32]>::to_vec)).collect();
    source.need(chains, "membranes")
}

fn read_walls(source: &SnapshotSource) -> Result<Vec<Wall>, StoreError> {
    let count = source.count("walls/id")?;
    if count == 0 {
        return Ok(Vec::new());
    }
    let id: Vec<u32> = source.scalars("walls/id", count)?;
    let material: Vec<u16> = source.scalars("walls/material", count)?;
    let radius: Vec<f64> = source.scalars("walls/radius", count)?;
    let direction: Vec<[f64; 6]> = source.rows("walls/direction", count)?;
    let position = source.rows("walls/position", count)?;
    let orientation = source.rows("walls/orientation", count)?;
    let velocity = source.rows("walls/velocity", count)?;
    let spin = source.rows("walls/spin", count)?;
    let form = read_form_column(source, "walls/form", count)?;
    let (name, shape) = (source.strings("walls/name")?, source.strings("walls/shape")?);
    let wall = |i: usize| {
        let [ax, ay, az, bx, by, bz] = direction[i];
        let shape = WallShape::from_parts(
            shape.get(i)?,
            radius[i],
            [[ax, ay, az], [bx, by, bz]],
            form.get(i).copied().flatten(),
        )?;
        Some(Wall {
            id: id[i],
            name: name.get(i)?.clone(),
            shape,
            material: material[i],
            position: position[i],
            orientation: orientation[i],
            velocity: velocity[i],
            spin: spin[i],
        })
    };
    source.need((0..count).map(wall).collect(), "walls/name and walls/shape")
}

/// An open file that says what is wrong with it.
struct SnapshotSource<'a> {
    path: &'a Path,
    file: File,
}

impl<'a> SnapshotSource<'a> {
    fn open(path: &'a Path) -> Result<Self, StoreError> {
        // Streaming keeps only the columns that are read in memory, not the file beside them.
        match File::open_streaming(path) {
            Ok(file) => Ok(SnapshotSource { path, file }),
            Err(Error::Io(source)) => Err(StoreError::Read { path: path.into(), source }),
            Err(error) => Err(StoreError::damaged(path, format!("is not an HDF5 file, or is damaged: {error}"))),
        }
    }

    fn fault(&self, name: &str, error: impl std::fmt::Display) -> StoreError {
        let error = error.to_string();
        let cause = if error.contains("unexpected EOF") { "the file is truncated: " } else { "" };
        StoreError::damaged(self.path, format!("{cause}{name}: {error}"))
    }

    fn need<T>(&self, value: Option<T>, name: &str) -> Result<T, StoreError> {
        value.ok_or_else(|| self.fault(name, "missing, or not of the expected type"))
    }

    /// The number of rows of a dataset.
    fn count(&self, name: &str) -> Result<usize, StoreError> {
        datasets::rows(&self.dataset(name)?, self.file.file_size()).map_err(|reason| self.fault(name, reason))
    }

    fn dataset(&self, name: &str) -> Result<Dataset, StoreError> {
        self.file.dataset(name).map_err(|error| self.fault(name, error))
    }

    fn scalars<T: H5Element>(&self, name: &str, count: usize) -> Result<Vec<T>, StoreError> {
        let read = datasets::numbers(&self.dataset(name)?, self.file.file_size());
        let values = read.map_err(|reason| self.fault(name, reason))?;
        if values.len() == count { Ok(values) } else { Err(self.wrong_length(name, values.len(), count)) }
    }

    fn rows<T: H5Element + Copy, const N: usize>(&self, name: &str, count: usize) -> Result<Vec<[T; N]>, StoreError> {
        let flat = self.scalars::<T>(name, count * N)?;
        Ok(flat.as_chunks::<N>().0.to_vec())
    }

    fn wrong_length(&self, name: &str, found: usize, expected: usize) -> StoreError {
        self.fault(name, format!("has {found} numbers, but the other columns need {expected}"))
    }

    /// The strings of a dataset; none where there is no such dataset.
    fn strings(&self, name: &str) -> Result<Vec<String>, StoreError> {
        match self.file.dataset(name) {
            Ok(dataset) => {
                datasets::strings(&dataset, self.file.file_size()).map_err(|reason| self.fault(name, reason))
            }
            Err(_) => Ok(Vec::new()),
        }
    }
}
