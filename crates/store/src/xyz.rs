//! Extended XYZ, with the columns that OVITO knows by name.

use crate::rows::{Field, RowReader, number};
use crate::text::{Lines, bounds, word, write_numbers};
use crate::{Snapshot, SnapshotCell, StoreError, write_atomically};
use std::path::Path;

/// The material is the `element`, which OVITO takes for the type; ASE reads `species` as chemical symbols only.
const PROPERTIES: &str = "element:S:1:pos:R:3:radius:R:1:velo:R:3:orientation:R:4:angular_velocity:R:3:mass:R:1:id:I:1:\
                          image:I:3:group:S:1";

/// Writes the grains.
pub fn write(snapshot: &Snapshot, path: &Path) -> Result<(), StoreError> {
    write_atomically(path, |out| {
        let (grains, edges) = (&snapshot.grains, bounds(snapshot));
        let length = edges.map(|[low, high]| high - low);
        let periodic = snapshot.cell.period.map(|period| if period > 0.0 { 'T' } else { 'F' });
        writeln!(out, "{}", grains.len())?;
        write!(out, "Lattice=\"{:e} 0 0 0 {:e} 0 0 0 {:e}\" ", length[0], length[1], length[2])?;
        write!(out, "Origin=\"{:e} {:e} {:e}\" ", edges[0][0], edges[1][0], edges[2][0])?;
        write!(out, "pbc=\"{} {} {}\" ", periodic[0], periodic[1], periodic[2])?;
        write!(out, "dimension={} Time={:e} step={} ", snapshot.dimension, snapshot.time, snapshot.step)?;
        writeln!(out, "time_step={:e} Properties={PROPERTIES}", snapshot.time_step)?;
        for i in 0..grains.len() {
            write!(out, "{}", word(&snapshot.materials, grains.material[i]))?;
            write_numbers(out, ' ', &grains.position[i])?;
            write_numbers(out, ' ', &[grains.radius[i]])?;
            write_numbers(out, ' ', &grains.velocity[i])?;
            write_numbers(out, ' ', &grains.orientation[i])?;
            write_numbers(out, ' ', &grains.spin[i])?;
            write_numbers(out, ' ', &[grains.mass[i]])?;
            let [ix, iy, iz] = grains.image[i];
            writeln!(out, " {} {ix} {iy} {iz} {}", grains.id[i], word(&snapshot.groups, grains.group[i]))?;
        }
        Ok(())
    })
}

/// Reads the grains of the last frame.
pub fn read(path: &Path) -> Result<Snapshot, StoreError> {
    let mut lines = Lines::open(path)?;
    let mut last = None;
    while lines.advance()? {
        if lines.text.trim().is_empty() {
            continue;
        }
        last = Some(read_frame(&mut lines)?);
    }
    last.ok_or_else(|| lines.fault("end of file", "the number of grains"))
}

fn read_frame(lines: &mut Lines) -> Result<Snapshot, StoreError> {
    let count: usize = lines.text.trim().parse().map_err(|_| lines.fault(&lines.text, "the number of grains"))?;
    lines.require("a line with Properties=… and Lattice=…")?;
    let comment = lines.text.clone();
    let pairs = key_values(&comment);
    let value = |key: &str| pairs.iter().find(|(name, _)| name.eq_ignore_ascii_case(key)).map(|&(_, value)| value);

    let properties = value("Properties").ok_or_else(|| {
        lines.fault(&comment, "extended XYZ with columns named by Properties=species:S:1:pos:R:3:radius:R:1…")
    })?;
    let fields = fields(properties).ok_or_else(|| lines.fault(properties, "columns as name:type:count:…"))?;
    let mut reader = RowReader::new(fields).map_err(|missing| lines.fault(properties, missing))?;
    let cell = read_cell(lines, value("Lattice"), value("Origin"), value("pbc"))?;
    for _ in 0..count {
        lines.require("a row of a grain")?;
        reader.push(lines.text.split_whitespace()).map_err(|fault| lines.row_fault(fault))?;
    }

    let mut snapshot = reader.finish();
    snapshot.cell = cell;
    let read = |key| value(key).and_then(|text| text.parse().ok());
    snapshot.time = read("Time").unwrap_or_default();
    snapshot.time_step = read("time_step").unwrap_or_default();
    snapshot.step = value("step").and_then(|text| text.parse().ok()).unwrap_or_default();
    if let Some(dimension @ (2 | 3)) = value("dimension").and_then(|text| text.parse().ok()) {
        snapshot.dimension = dimension;
    }
    Ok(snapshot)
}

/// The pairs `key=value` of a comment line; values with blanks are in quotes.
fn key_values(comment: &str) -> Vec<(&str, &str)> {
    let mut pairs = Vec::new();
    let mut rest = comment;
    while let Some((key, after)) = rest.split_once('=') {
        let key = key.split_whitespace().next_back().unwrap_or_default();
        let (value, next) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => after.split_once(char::is_whitespace).unwrap_or((after, "")),
        };
        pairs.push((key, value));
        rest = next;
    }
    pairs
}

fn fields(properties: &str) -> Option<Vec<Field>> {
    let words: Vec<&str> = properties.split(':').collect();
    let mut fields = Vec::new();
    for column in words.chunks(3) {
        let &[name, _, count] = column else { return None };
        let count: usize = count.parse().ok().filter(|&count| count <= 1000)?;
        let of = |k| match (name.to_lowercase().as_str(), count) {
            ("pos" | "position", 3) => Field::Position(k),
            ("velo" | "vel" | "velocity" | "velocities", 3) => Field::Velocity(k),
            ("angular_velocity" | "omega" | "spin", 3) => Field::Spin(k),
            ("orientation" | "quaternion", 4) => Field::Orientation(k),
            ("image" | "periodic_image", 3) => Field::Image(k),
            ("masses", 1) => Field::Mass,
            (other, 1) => Field::named(other),
            _ => Field::Other,
        };
        fields.extend((0..count).map(of));
    }
    Some(fields)
}

fn read_cell(
    lines: &Lines,
    lattice: Option<&str>,
    origin: Option<&str>,
    periodic: Option<&str>,
) -> Result<SnapshotCell, StoreError> {
    let mut cell = SnapshotCell::default();
    if let Some(text) = origin {
        cell.origin = numbers(lines, text)?;
    }
    let Some(text) = lattice else { return Ok(cell) };
    let edges: [f64; 9] = numbers(lines, text)?;
    // A lattice without pbc is periodic along all axes.
    let periodic: Vec<bool> = periodic
        .unwrap_or("T T T")
        .split_whitespace()
        .map(|word| matches!(word, "T" | "True" | "true" | "1"))
        .collect();
    if periodic.contains(&true) && (0..9).any(|i| i % 4 != 0 && edges[i] != 0.0) {
        return Err(lines.fault(text, "an orthogonal lattice along the axes"));
    }
    for k in 0..3 {
        if periodic.get(k) == Some(&true) {
            cell.period[k] = edges[4 * k];
        }
    }
    Ok(cell)
}

fn numbers<const N: usize>(lines: &Lines, text: &str) -> Result<[f64; N], StoreError> {
    let found: Result<Vec<f64>, _> = text.split_whitespace().map(|word| number(word, "a length")).collect();
    let found = found.map_err(|fault| lines.row_fault(fault))?;
    found.try_into().map_err(|_| lines.fault(text, format!("{N} numbers")))
}
