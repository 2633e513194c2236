//! VTK XML PolyData, for ParaView and OVITO.
//!
//! Arrays are inline, in Base64 of little-endian numbers with a 64-bit length in front: the one encoding that both
//! read. OVITO takes a file of vertices for particles (`radius`, `mass` and `id` by these names), and a file of lines
//! with cell arrays `id1` and `id2` for a contact network.

use crate::codec::{breaking_code, breaking_of_code, status_code, status_of_code};
use crate::surfaces::{Surfaces, ball_parts, flat_surfaces, wall_surfaces};
use crate::{ContactColumns, CrackColumns, GrainColumns, Snapshot, SnapshotCell, StoreError, write_atomically};
use base64::prelude::{BASE64_STANDARD, Engine};
use base64::write::EncoderWriter;
use riprap_engine::{Form, FormPart};
use std::io::{self, Write};
use std::path::Path;

/// Writes the grains as vertices with point arrays.
pub fn write_grains(snapshot: &Snapshot, path: &Path) -> Result<(), StoreError> {
    let grains = &snapshot.grains;
    let count = grains.len();
    write_atomically(path, |out| {
        begin(out, Counts { points: count, vertices: count, lines: 0, polygons: 0 })?;
        writeln!(out, "<PointData Scalars=\"radius\" Vectors=\"velocity\">")?;
        array(out, "radius", 1, &grains.radius)?;
        array(out, "velocity", 3, grains.velocity.as_flattened())?;
        array(out, "spin", 3, grains.spin.as_flattened())?;
        array(out, "orientation", 4, grains.orientation.as_flattened())?;
        array(out, "mass", 1, &grains.mass)?;
        integers(out, "material", 1, grains.material.iter().map(|&index| index.into()))?;
        integers(out, "group", 1, grains.group.iter().map(|&index| index.into()))?;
        integers(out, "id", 1, grains.id.iter().map(|&id| id.into()))?;
        integers(out, "image", 3, grains.image.as_flattened().iter().map(|&image| image.into()))?;
        if !grains.form.is_empty() {
            integers(out, "form", 1, grains.form.iter().map(|form| form.map_or(-1, i64::from)))?;
        }
        writeln!(out, "</PointData>")?;
        points(out, grains.position.as_flattened())?;
        cells(out, "Verts", 0..count as i64, 1..=count as i64)?;
        end(out, snapshot)
    })
}

/// Writes the contacts as lines between centres (to the contact point, on a wall) with cell arrays.
pub fn write_contacts(snapshot: &Snapshot, path: &Path) -> Result<(), StoreError> {
    let contacts = &snapshot.contacts;
    let count = contacts.len();
    write_atomically(path, |out| {
        begin(out, Counts { points: 2 * count, vertices: 0, lines: count, polygons: 0 })?;
        let normal_force: Vec<f64> =
            contacts.force.iter().zip(&contacts.normal).map(|(f, n)| (0..3).map(|k| f[k] * n[k]).sum()).collect();
        // The same number at both ends, so that a tube filter can make the line as thick as its force.
        writeln!(out, "<PointData Scalars=\"normal_force\">")?;
        let both_ends: Vec<f64> = normal_force.iter().flat_map(|&force| [force, force]).collect();
        array(out, "normal_force", 1, &both_ends)?;
        writeln!(out, "</PointData>\n<CellData Scalars=\"normal_force\" Vectors=\"force\">")?;
        integers(out, "id1", 1, contacts.body1.iter().map(|&body| body.into()))?;
        integers(out, "id2", 1, contacts.body2.iter().map(|&body| body.into()))?;
        array(out, "force", 3, contacts.force.as_flattened())?;
        array(out, "normal_force", 1, &normal_force)?;
        array(out, "impulse", 3, contacts.impulse.as_flattened())?;
        array(out, "torque", 3, contacts.torque.as_flattened())?;
        array(out, "attraction", 1, &contacts.attraction)?;
        if !contacts.friction.is_empty() {
            array(out, "friction", 1, &contacts.friction)?;
            integers(out, "bonded", 1, contacts.bonded.iter().map(|&bonded| bonded.into()))?;
        }
        array(out, "normal", 3, contacts.normal.as_flattened())?;
        array(out, "point", 3, contacts.point.as_flattened())?;
        array(out, "gap", 1, &contacts.gap)?;
        integers(out, "status", 1, contacts.status.iter().map(|&status| status_code(status).into()))?;
        writeln!(out, "</CellData>")?;
        let lines: Vec<[[f64; 3]; 2]> = (0..count).map(|i| snapshot.contact_line(i)).collect();
        points(out, lines.as_flattened().as_flattened())?;
        cells(out, "Lines", 0..2 * count as i64, (1..=count as i64).map(|i| 2 * i))?;
        end(out, snapshot)
    })
}

/// Writes the places where bonds have broken as vertices with point arrays.
pub fn write_cracks(snapshot: &Snapshot, path: &Path) -> Result<(), StoreError> {
    let cracks = &snapshot.cracks;
    let count = cracks.len();
    write_atomically(path, |out| {
        begin(out, Counts { points: count, vertices: count, lines: 0, polygons: 0 })?;
        writeln!(out, "<PointData Scalars=\"time\" Vectors=\"normal\">")?;
        array(out, "time", 1, &cracks.time)?;
        array(out, "normal", 3, cracks.normal.as_flattened())?;
        array(out, "area", 1, &cracks.area)?;
        integers(out, "mode", 1, cracks.mode.iter().map(|&mode| breaking_code(mode).into()))?;
        integers(out, "id1", 1, cracks.body1.iter().map(|&body| body.into()))?;
        integers(out, "id2", 1, cracks.body2.iter().map(|&body| body.into()))?;
        writeln!(out, "</PointData>")?;
        points(out, cracks.point.as_flattened())?;
        cells(out, "Verts", 0..count as i64, 1..=count as i64)?;
        end(out, snapshot)
    })
}

/// Writes the walls as surfaces (in 2D lines) with cell arrays; endless ones are cut off around the grains.
pub fn write_walls(snapshot: &Snapshot, path: &Path) -> Result<(), StoreError> {
    let surfaces = wall_surfaces(snapshot);
    let count = surfaces.cells.len();
    let (lines, polygons, word) = if snapshot.dimension == 2 { (count, 0, "Lines") } else { (0, count, "Polys") };
    write_atomically(path, |out| {
        begin(out, Counts { points: surfaces.points.len(), vertices: 0, lines, polygons })?;
        writeln!(out, "<CellData>")?;
        integers(out, "id", 1, surfaces.row.iter().map(|&row| snapshot.walls[row].id.into()))?;
        integers(out, "material", 1, surfaces.row.iter().map(|&row| snapshot.walls[row].material.into()))?;
        let velocity: Vec<[f64; 3]> = surfaces.row.iter().map(|&row| snapshot.walls[row].velocity).collect();
        array(out, "velocity", 3, velocity.as_flattened())?;
        for (name, values) in face_arrays(snapshot, &surfaces) {
            array(out, name, 1, &values)?;
        }
        writeln!(out, "</CellData>")?;
        surface_cells(out, word, &surfaces)?;
        end(out, snapshot)
    })
}

/// What each cell of a wall's surface has carried: stress, work of friction and depth of wear, where the face has an area, and
/// the sums of a wall that is one face on all of its cells. None where no grain has touched a wall yet.
fn face_arrays(snapshot: &Snapshot, surfaces: &Surfaces) -> Vec<(&'static str, Vec<f64>)> {
    let faces = &snapshot.faces;
    let mut before = (usize::MAX, 0);
    let rows: Vec<Option<usize>> = (surfaces.row.iter())
        .map(|&row| {
            before = if before.0 == row { (row, before.1 + 1) } else { (row, 0) };
            faces.row(snapshot.walls[row].id, before.1)
        })
        .collect();
    if faces.is_empty() {
        return Vec::new();
    }
    let of = |column: &[f64]| rows.iter().map(|row| row.map_or(0.0, |row| column[row])).collect();
    faces.numbers().into_iter().map(|(name, column)| (name, of(column))).collect()
}

/// The roles of the files of a snapshot, which are also the names of the animations that list them.
pub const ROLES: [&str; 6] = ["grains", "contacts", "walls", "bodies", "balls", "cracks"];

/// True if grains have faces to write.
pub fn has_bodies(snapshot: &Snapshot) -> bool {
    let is_all_balls = |form: &Form| match form {
        Form::Cluster { parts, .. } => parts.iter().all(|part| matches!(part, FormPart::Ball { .. })),
        _ => false,
    };
    let mut forms = snapshot.grains.form.iter().flatten().map(|&index| &snapshot.forms[index as usize]);
    forms.any(|form| snapshot.dimension == 2 || !is_all_balls(form))
}

/// True if grains are clumps with balls that are written as points.
pub fn has_balls(snapshot: &Snapshot) -> bool {
    snapshot.dimension == 3 && !ball_parts(snapshot).is_empty()
}

/// Writes the balls of clumps as vertices, each with its own radius and the point arrays of its grain.
pub fn write_balls(snapshot: &Snapshot, path: &Path) -> Result<(), StoreError> {
    let (grains, balls) = (&snapshot.grains, ball_parts(snapshot));
    let count = balls.len();
    let vectors = |column: &[[f64; 3]]| balls.iter().map(|ball| column[ball.row]).collect::<Vec<_>>();
    let radius: Vec<f64> = balls.iter().map(|ball| ball.radius).collect();
    let centre: Vec<[f64; 3]> = balls.iter().map(|ball| ball.centre).collect();
    write_atomically(path, |out| {
        begin(out, Counts { points: count, vertices: count, lines: 0, polygons: 0 })?;
        writeln!(out, "<PointData Scalars=\"radius\" Vectors=\"velocity\">")?;
        array(out, "radius", 1, &radius)?;
        array(out, "velocity", 3, vectors(&grains.velocity).as_flattened())?;
        array(out, "spin", 3, vectors(&grains.spin).as_flattened())?;
        integers(out, "material", 1, balls.iter().map(|ball| grains.material[ball.row].into()))?;
        integers(out, "group", 1, balls.iter().map(|ball| grains.group[ball.row].into()))?;
        integers(out, "grain", 1, balls.iter().map(|ball| grains.id[ball.row].into()))?;
        writeln!(out, "</PointData>")?;
        points(out, centre.as_flattened())?;
        cells(out, "Verts", 0..count as i64, 1..=count as i64)?;
        end(out, snapshot)
    })
}

/// Writes the grains that are not balls as polygons, each face (in 2D each body) with cell arrays of its grain. The balls of
/// clumps in 3D are left to [`write_balls`].
pub fn write_bodies(snapshot: &Snapshot, path: &Path) -> Result<(), StoreError> {
    let surfaces = flat_surfaces(snapshot);
    let (grains, rows) = (&snapshot.grains, &surfaces.row);
    write_atomically(path, |out| {
        let polygons = surfaces.cells.len();
        begin(out, Counts { points: surfaces.points.len(), vertices: 0, lines: 0, polygons })?;
        writeln!(out, "<CellData Scalars=\"id\" Vectors=\"velocity\">")?;
        integers(out, "id", 1, rows.iter().map(|&row| grains.id[row].into()))?;
        let vectors = |column: &[[f64; 3]]| rows.iter().map(|&row| column[row]).collect::<Vec<_>>();
        array(out, "velocity", 3, vectors(&grains.velocity).as_flattened())?;
        array(out, "spin", 3, vectors(&grains.spin).as_flattened())?;
        let numbers = |column: &[f64]| rows.iter().map(|&row| column[row]).collect::<Vec<_>>();
        array(out, "radius", 1, &numbers(&grains.radius))?;
        array(out, "mass", 1, &numbers(&grains.mass))?;
        integers(out, "material", 1, rows.iter().map(|&row| grains.material[row].into()))?;
        integers(out, "group", 1, rows.iter().map(|&row| grains.group[row].into()))?;
        writeln!(out, "</CellData>")?;
        surface_cells(out, "Polys", &surfaces)?;
        end(out, snapshot)
    })
}

fn surface_cells(out: &mut dyn Write, word: &str, surfaces: &Surfaces) -> io::Result<()> {
    points(out, surfaces.points.as_flattened())?;
    let connectivity: Vec<i64> = surfaces.cells.iter().flatten().map(|&point| point as i64).collect();
    let ends = surfaces.cells.iter().scan(0, |end, cell| {
        *end += cell.len() as i64;
        Some(*end)
    });
    cells(out, word, connectivity, ends)
}

struct Counts {
    points: usize,
    vertices: usize,
    lines: usize,
    polygons: usize,
}

fn begin(out: &mut dyn Write, counts: Counts) -> io::Result<()> {
    let Counts { points, vertices, lines, polygons } = counts;
    writeln!(out, "<?xml version=\"1.0\"?>")?;
    writeln!(out, "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">")?;
    writeln!(out, "<PolyData>")?;
    write!(out, "<Piece NumberOfPoints=\"{points}\" NumberOfVerts=\"{vertices}\" NumberOfLines=\"{lines}\" ")?;
    writeln!(out, "NumberOfStrips=\"0\" NumberOfPolys=\"{polygons}\">")
}

/// The fields of the whole come last: OVITO looks no further than to the first thing to tell what a file holds.
fn end(out: &mut dyn Write, snapshot: &Snapshot) -> io::Result<()> {
    writeln!(out, "</Piece>\n<FieldData>")?;
    for (name, value) in [
        ("TimeValue", snapshot.time),
        ("step", snapshot.step as f64),
        ("time_step", snapshot.time_step),
        ("dimension", snapshot.dimension as f64),
        ("cell_tilt", snapshot.cell.tilt),
    ] {
        write!(out, "<DataArray type=\"Float64\" Name=\"{name}\" NumberOfTuples=\"1\" format=\"ascii\">")?;
        writeln!(out, "{value:e}</DataArray>")?;
    }
    for (name, [x, y, z]) in [("cell_origin", snapshot.cell.origin), ("cell_period", snapshot.cell.period)] {
        write!(out, "<DataArray type=\"Float64\" Name=\"{name}\" NumberOfTuples=\"3\" format=\"ascii\">")?;
        writeln!(out, "{x:e} {y:e} {z:e}</DataArray>")?;
    }
    for (name, words) in [("materials", &snapshot.materials), ("groups", &snapshot.groups)] {
        if !words.is_empty() {
            write!(
                out,
                "<DataArray type=\"String\" Name=\"{name}\" NumberOfTuples=\"{}\" format=\"ascii\">",
                words.len()
            )?;
            // VTK writes a string as the codes of its bytes with a zero behind.
            words.iter().flat_map(|word| word.bytes().chain([0])).try_for_each(|byte| write!(out, "{byte} "))?;
            writeln!(out, "</DataArray>")?;
        }
    }
    writeln!(out, "</FieldData>\n</PolyData>\n</VTKFile>")
}

fn points(out: &mut dyn Write, flat: &[f64]) -> io::Result<()> {
    writeln!(out, "<Points>")?;
    array(out, "Points", 3, flat)?;
    writeln!(out, "</Points>")
}

fn cells(
    out: &mut dyn Write,
    word: &str,
    connectivity: impl IntoIterator<Item = i64>,
    ends: impl IntoIterator<Item = i64>,
) -> io::Result<()> {
    writeln!(out, "<{word}>")?;
    integers(out, "connectivity", 1, connectivity)?;
    integers(out, "offsets", 1, ends)?;
    writeln!(out, "</{word}>")
}

fn array(out: &mut dyn Write, name: &str, components: usize, flat: &[f64]) -> io::Result<()> {
    data_array(out, "Float64", name, components, flat.len(), flat.iter().map(|value| value.to_le_bytes()))
}

fn integers(
    out: &mut dyn Write,
    name: &str,
    components: usize,
    values: impl IntoIterator<Item = i64>,
) -> io::Result<()> {
    let values: Vec<i64> = values.into_iter().collect();
    data_array(out, "Int64", name, components, values.len(), values.iter().map(|value| value.to_le_bytes()))
}

fn data_array(
    out: &mut dyn Write,
    kind: &str,
    name: &str,
    components: usize,
    length: usize,
    values: impl Iterator<Item = [u8; 8]>,
) -> io::Result<()> {
    writeln!(out, "<DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{components}\" format=\"binary\">")?;
    let mut coded = EncoderWriter::new(out, &BASE64_STANDARD);
    coded.write_all(&(8 * length as u64).to_le_bytes())?;
    for value in values {
        coded.write_all(&value)?;
    }
    let out = coded.finish()?;
    writeln!(out, "\n</DataArray>")
}

/// Reads the grains of a file that [`write_grains`] wrote, and the contacts and cracks if their files are still
/// beside it.
pub fn read(path: &Path) -> Result<Snapshot, StoreError> {
    let mut snapshot = read_grains(path)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if let Some(role) = name.rfind("grains") {
        let beside =
            |other: &str| path.with_file_name(format!("{}{other}{}", &name[..role], &name[role + "grains".len()..]));
        let (contacts, cracks) = (beside("contacts"), beside("cracks"));
        if contacts.is_file() {
            snapshot.contacts = read_contacts(&contacts)?;
        }
        if cracks.is_file() {
            snapshot.cracks = read_cracks(&cracks)?;
        }
    }
    Ok(snapshot)
}

fn read_contacts(path: &Path) -> Result<ContactColumns, StoreError> {
    let text = std::fs::read_to_string(path).map_err(StoreError::read(path))?;
    let arrays = Arrays { path, text: &text };
    let gap = arrays.numbers("gap", f64::from_le_bytes)?;
    let count = gap.len();
    let status = arrays.rows::<i64, 1>("status", count, i64::from_le_bytes)?;
    let status: Option<Vec<_>> =
        status.iter().map(|&[code]| u8::try_from(code).ok().and_then(status_of_code)).collect();
    Ok(ContactColumns {
        body1: arrays.bodies("id1", count)?,
        body2: arrays.bodies("id2", count)?,
        point: arrays.rows("point", count, f64::from_le_bytes)?,
        normal: arrays.rows("normal", count, f64::from_le_bytes)?,
        gap,
        impulse: arrays.rows("impulse", count, f64::from_le_bytes)?,
        force: arrays.rows("force", count, f64::from_le_bytes)?,
        // Files of earlier versions have no torques and no bridges.
        torque: match arrays.content("torque") {
            Some(_) => arrays.rows("torque", count, f64::from_le_bytes)?,
            None => vec![[0.0; 3]; count],
        },
        attraction: match arrays.content("attraction") {
            Some(_) => arrays.numbers("attraction", f64::from_le_bytes)?,
            None => vec![0.0; count],
        },
        status: status.ok_or_else(|| arrays.fault("status", "contains a number that is not a status"))?,
        friction: match arrays.content("friction") {
            Some(_) => arrays.rows::<f64, 1>("friction", count, f64::from_le_bytes)?.concat(),
            None => Vec::new(),
        },
        bonded: match arrays.content("bonded") {
            Some(_) => {
                let bonded = arrays.rows::<i64, 1>("bonded", count, i64::from_le_bytes)?;
                bonded.iter().map(|&[bonded]| bonded != 0).collect()
            }
            None => Vec::new(),
        },
    })
}

fn read_cracks(path: &Path) -> Result<CrackColumns, StoreError> {
    let text = std::fs::read_to_string(path).map_err(StoreError::read(path))?;
    let arrays = Arrays { path, text: &text };
    let area = arrays.numbers("area", f64::from_le_bytes)?;
    let count = area.len();
    let mode = arrays.rows::<i64, 1>("mode", count, i64::from_le_bytes)?;
    let mode: Option<Vec<_>> = mode.iter().map(|&[code]| u8::try_from(code).ok().and_then(breaking_of_code)).collect();
    Ok(CrackColumns {
        body1: arrays.bodies("id1", count)?,
        body2: arrays.bodies("id2", count)?,
        time: arrays.rows::<f64, 1>("time", count, f64::from_le_bytes)?.concat(),
        mode: mode.ok_or_else(|| arrays.fault("mode", "contains a number out of range"))?,
        point: arrays.rows("Points", count, f64::from_le_bytes)?,
        normal: arrays.rows("normal", count, f64::from_le_bytes)?,
        area,
    })
}

fn read_grains(path: &Path) -> Result<Snapshot, StoreError> {
    let text = std::fs::read_to_string(path).map_err(StoreError::read(path))?;
    let arrays = Arrays { path, text: &text };
    if arrays.content("form").is_some() {
        return Err(arrays.fault("form", "contains angular grains, whose shapes VTP does not store: use the .h5 file"));
    }
    let radius = arrays.numbers("radius", f64::from_le_bytes)?;
    let count = radius.len();
    let field = |name: &str| arrays.field(name).and_then(|words| words.first().copied());
    let cell_vector = |name: &str| arrays.field(name).and_then(|list| list.try_into().ok()).unwrap_or_default();
    let index = |name: &str| -> Result<Vec<u16>, StoreError> {
        let list = arrays.rows::<i64, 1>(name, count, i64::from_le_bytes)?;
        list.iter().map(|&[index]| arrays.narrow(name, index)).collect()
    };
    let id = arrays.rows::<i64, 1>("id", count, i64::from_le_bytes)?;
    let image = arrays.rows::<i64, 3>("image", count, i64::from_le_bytes)?;
    let mass = arrays.rows::<f64, 1>("mass", count, f64::from_le_bytes)?;
    let grains = GrainColumns {
        id: id.iter().map(|&[id]| arrays.narrow("id", id)).collect::<Result<_, _>>()?,
        position: arrays.rows("Points", count, f64::from_le_bytes)?,
        image: image.iter().map(|image| image.map(|periods| periods as i32)).collect(),
        orientation: arrays.rows("orientation", count, f64::from_le_bytes)?,
        velocity: arrays.rows("velocity", count, f64::from_le_bytes)?,
        spin: arrays.rows("spin", count, f64::from_le_bytes)?,
        radius,
        mass: mass.into_flattened(),
        material: index("material")?,
        group: index("group")?,
        form: Vec::new(),
    };
    let cell = SnapshotCell {
        origin: cell_vector("cell_origin"),
        period: cell_vector("cell_period"),
        tilt: field("cell_tilt").unwrap_or_default(),
    };
    Ok(Snapshot {
        dimension: field("dimension").map_or(3, |dimension| dimension as usize),
        time: field("TimeValue").unwrap_or_default(),
        step: field("step").unwrap_or_default() as u64,
        time_step: field("time_step").unwrap_or_default(),
        cell,
        materials: arrays.strings("materials"),
        groups: arrays.strings("groups"),
        grains,
        ..Snapshot::default()
    })
}

/// The data arrays of a file, by name.
struct Arrays<'a> {
    path: &'a Path,
    text: &'a str,
}

impl<'a> Arrays<'a> {
    /// What is inside the array of that name.
    fn content(&self, name: &str) -> Option<&'a str> {
        let start = self.text.find(&format!(" Name=\"{name}\""))?;
        let (_, content) = self.text[start..].split_once('>')?;
        content.split_once("</DataArray>").map(|(content, _)| content)
    }

    fn fault(&self, name: &str, reason: &str) -> StoreError {
        StoreError::damaged(self.path, format!("array {name:?} {reason}"))
    }

    fn field(&self, name: &str) -> Option<Vec<f64>> {
        self.content(name)?.split_whitespace().map(|word| word.parse().ok()).collect()
    }

    fn strings(&self, name: &str) -> Vec<String> {
        let bytes: Option<Vec<u8>> =
            self.content(name).and_then(|content| content.split_whitespace().map(|word| word.parse().ok()).collect());
        let bytes = bytes.unwrap_or_default();
        let words = bytes.strip_suffix(&[0]).map(|bytes| bytes.split(|&byte| byte == 0)).into_iter().flatten();
        words.map(|word| String::from_utf8_lossy(word).into_owned()).collect()
    }

    fn numbers<T>(&self, name: &str, number: fn([u8; 8]) -> T) -> Result<Vec<T>, StoreError> {
        let content =
            self.content(name).ok_or_else(|| self.fault(name, "is missing: this is not a riprap snapshot"))?;
        let bytes = BASE64_STANDARD.decode(content.trim()).map_err(|_| self.fault(name, "is not inline Base64"))?;
        let ([length, values @ ..], []) = bytes.as_chunks::<8>() else {
            return Err(self.fault(name, "is not a list of 64-bit numbers"));
        };
        if u64::from_le_bytes(*length) != 8 * values.len() as u64 {
            return Err(self.fault(name, "does not have the stated length"));
        }
        Ok(values.iter().map(|&bytes| number(bytes)).collect())
    }

    fn rows<T: Copy, const N: usize>(
        &self,
        name: &str,
        count: usize,
        number: fn([u8; 8]) -> T,
    ) -> Result<Vec<[T; N]>, StoreError> {
        let flat = self.numbers(name, number)?;
        if flat.len() != N * count {
            return Err(self.fault(name, "does not have the same number of rows as the others"));
        }
        Ok(flat.as_chunks::<N>().0.to_vec())
    }

    /// The ids of bodies.
    fn bodies(&self, name: &str, count: usize) -> Result<Vec<u32>, StoreError> {
        let list = self.rows::<i64, 1>(name, count, i64::from_le_bytes)?;
        list.iter().map(|&[body]| self.narrow(name, body)).collect()
    }

    fn narrow<T: TryFrom<i64>>(&self, name: &str, value: i64) -> Result<T, StoreError> {
        T::try_from(value).map_err(|_| self.fault(name, "contains a number out of range"))
    }
}
