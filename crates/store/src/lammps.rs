//! The files of LAMMPS: text dumps (custom and local) and data files of atom style sphere. Their numbers of atoms
//! count from 1, ours of bodies from 0.

use crate::codec::status_code;
use crate::rows::{Field, RowReader, number};
use crate::text::{Lines, bounds, word, write_numbers};
use crate::{Snapshot, StoreError, write_atomically};
use std::collections::HashMap;
use std::io::{self, Write};
use std::path::Path;

const DUMP_COLUMNS: &str =
    "id type element x y z radius vx vy vz omegax omegay omegaz quati quatj quatk quatw mass ix iy iz";
const CONTACT_COLUMNS: &str = "index batom1 batom2 x y z nx ny nz gap px py pz fx fy fz tx ty tz attraction status";

/// Writes the grains as a dump.
pub fn write_dump(snapshot: &Snapshot, path: &Path) -> Result<(), StoreError> {
    write_atomically(path, |out| {
        let grains = &snapshot.grains;
        write_dump_head(out, snapshot, "ATOMS", grains.len(), DUMP_COLUMNS)?;
        for i in 0..grains.len() {
            let material = grains.material[i];
            write!(out, "{} {} {}", grains.id[i] + 1, material + 1, word(&snapshot.materials, material))?;
            write_numbers(out, ' ', &grains.position[i])?;
            write_numbers(out, ' ', &[grains.radius[i]])?;
            write_numbers(out, ' ', &grains.velocity[i])?;
            write_numbers(out, ' ', &grains.spin[i])?;
            write_numbers(out, ' ', &grains.orientation[i])?;
            write_numbers(out, ' ', &[grains.mass[i]])?;
            let [ix, iy, iz] = grains.image[i];
            writeln!(out, " {ix} {iy} {iz}")?;
        }
        Ok(())
    })
}

/// Writes the contacts between grains as a dump local, which OVITO loads as bonds. It refuses bonds to what is no
/// particle, so the contacts with walls are left to the other formats.
pub fn write_contacts(snapshot: &Snapshot, path: &Path) -> Result<(), StoreError> {
    write_atomically(path, |out| {
        let contacts = &snapshot.contacts;
        let is_grain = |body| snapshot.grains.id.binary_search(body).is_ok();
        let rows: Vec<usize> =
            (0..contacts.len()).filter(|&i| is_grain(&contacts.body1[i]) && is_grain(&contacts.body2[i])).collect();
        write_dump_head(out, snapshot, "ENTRIES", rows.len(), CONTACT_COLUMNS)?;
        for (row, i) in rows.into_iter().enumerate() {
            write!(out, "{} {} {}", row + 1, contacts.body1[i] + 1, contacts.body2[i] + 1)?;
            write_numbers(out, ' ', &contacts.point[i])?;
            write_numbers(out, ' ', &contacts.normal[i])?;
            write_numbers(out, ' ', &[contacts.gap[i]])?;
            write_numbers(out, ' ', &contacts.impulse[i])?;
            write_numbers(out, ' ', &contacts.force[i])?;
            write_numbers(out, ' ', &contacts.torque[i])?;
            write_numbers(out, ' ', &[contacts.attraction[i]])?;
            writeln!(out, " {}", status_code(contacts.status[i]))?;
        }
        Ok(())
    })
}

fn write_dump_head(
    out: &mut dyn Write,
    snapshot: &Snapshot,
    rows: &str,
    count: usize,
    columns: &str,
) -> io::Result<()> {
    let sides = snapshot.cell.period.map(|period| if period > 0.0 { "pp" } else { "ff" });
    // The step comes first and nothing else: MDAnalysis reads the items by their place, and takes neither units nor time.
    writeln!(out, "ITEM: TIMESTEP\n{}\nITEM: NUMBER OF {rows}\n{count}", snapshot.step)?;
    writeln!(out, "ITEM: BOX BOUNDS {} {} {}", sides[0], sides[1], sides[2])?;
    for [low, high] in bounds(snapshot) {
        writeln!(out, "{low:e} {high:e}")?;
    }
    writeln!(out, "ITEM: {rows} {columns}")
}

/// Writes the grains as a data file of atom style sphere.
pub fn write_data(snapshot: &Snapshot, path: &Path) -> Result<(), StoreError> {
    write_atomically(path, |out| {
        let grains = &snapshot.grains;
        let kinds = snapshot.materials.len().max(1);
        writeln!(out, "LAMMPS data file of spheres in SI units, t = {:e} s\n", snapshot.time)?;
        writeln!(out, "{} atoms\n{kinds} atom types\n", grains.len())?;
        for ([low, high], axis) in bounds(snapshot).into_iter().zip(["x", "y", "z"]) {
            writeln!(out, "{low:e} {high:e} {axis}lo {axis}hi")?;
        }
        writeln!(out, "\nAtoms # sphere\n")?;
        for i in 0..grains.len() {
            let radius = grains.radius[i];
            let density = grains.mass[i] / (4.0 / 3.0 * std::f64::consts::PI * radius.powi(3));
            write!(out, "{} {}", grains.id[i] + 1, grains.material[i] + 1)?;
            write_numbers(out, ' ', &[2.0 * radius, density])?;
            write_numbers(out, ' ', &grains.position[i])?;
            let [ix, iy, iz] = grains.image[i];
            writeln!(out, " {ix} {iy} {iz}")?;
        }
        writeln!(out, "\nVelocities\n")?;
        for i in 0..grains.len() {
            write!(out, "{}", grains.id[i] + 1)?;
            write_numbers(out, ' ', &grains.velocity[i])?;
            write_numbers(out, ' ', &grains.spin[i])?;
            writeln!(out)?;
        }
        Ok(())
    })
}

/// Reads the grains of the last frame of a dump.
pub fn read_dump(path: &Path) -> Result<Snapshot, StoreError> {
    let mut lines = Lines::open(path)?;
    let mut frame = Snapshot::default();
    let mut box_bounds = [[0.0, 1.0]; 3];
    let mut count = 0;
    let mut last = None;
    while lines.advance()? {
        let line = lines.text.trim().to_owned();
        if line.is_empty() {
            continue;
        }
        let item =
            line.strip_prefix("ITEM:").ok_or_else(|| lines.fault(&line, "a line that starts with ITEM:"))?.trim();
        if item == "TIMESTEP" {
            frame.step = next_number(&mut lines, "the number of the step")? as u64;
        } else if item == "TIME" {
            frame.time = next_number(&mut lines, "the time")?;
        } else if item == "UNITS" {
            lines.require("the name of the units")?;
        } else if item == "NUMBER OF ATOMS" {
            lines.require("the number of atoms")?;
            count = lines.text.trim().parse().map_err(|_| lines.fault(&lines.text, "the number of atoms"))?;
        } else if let Some(sides) = item.strip_prefix("BOX BOUNDS") {
            box_bounds = read_bounds(&mut lines, sides, &mut frame)?;
        } else if let Some(columns) = item.strip_prefix("ATOMS") {
            last = Some(read_atoms(&mut lines, columns, count, box_bounds, &frame)?);
        } else {
            return Err(lines.fault(item, "TIMESTEP, NUMBER OF ATOMS, BOX BOUNDS or ATOMS"));
        }
    }
    last.ok_or_else(|| lines.fault("end of file", "ITEM: ATOMS with rows of atoms"))
}

fn next_number(lines: &mut Lines, expected: &str) -> Result<f64, StoreError> {
    lines.require(expected)?;
    number(lines.text.trim(), expected).map_err(|fault| lines.row_fault(fault))
}

fn read_bounds(lines: &mut Lines, sides: &str, frame: &mut Snapshot) -> Result<[[f64; 2]; 3], StoreError> {
    let sides: Vec<String> = sides.split_whitespace().map(str::to_owned).collect();
    if sides.first().is_some_and(|word| word == "xy" || word == "abc") {
        return Err(lines.fault(&lines.text, "an orthogonal box; triclinic boxes are not supported"));
    }
    let mut found = [[0.0; 2]; 3];
    for (k, side) in found.iter_mut().enumerate() {
        lines.require("the lower and upper bound of the box")?;
        *side = low_high(lines, &lines.text)?;
        if sides.get(k).is_some_and(|word| word == "pp") {
            frame.cell.origin[k] = side[0];
            frame.cell.period[k] = side[1] - side[0];
        }
    }
    Ok(found)
}

fn low_high(lines: &Lines, text: &str) -> Result<[f64; 2], StoreError> {
    let mut words = text.split_whitespace();
    let mut next = || number(words.next().unwrap_or("end of line"), "a bound of the box");
    let side = next().and_then(|low| next().map(|high| [low, high])).map_err(|fault| lines.row_fault(fault))?;
    if side[0] <= side[1] { Ok(side) } else { Err(lines.fault(text, "the lower bound before the upper")) }
}

fn read_atoms(
    lines: &mut Lines,
    columns: &str,
    count: usize,
    box_bounds: [[f64; 2]; 3],
    frame: &Snapshot,
) -> Result<Snapshot, StoreError> {
    let columns: Vec<&str> = columns.split_whitespace().collect();
    let fields = columns.iter().map(|column| Field::named(column)).collect();
    let mut reader = RowReader::new(fields).map_err(|missing| lines.fault(&lines.text, missing))?;
    for _ in 0..count {
        lines.require("a row of an atom")?;
        reader.push(lines.text.split_whitespace()).map_err(|fault| lines.row_fault(fault))?;
    }
    let mut snapshot = Snapshot { time: frame.time, step: frame.step, cell: frame.cell, ..reader.finish() };
    for (k, axis) in ["xs", "ys", "zs"].into_iter().enumerate() {
        // Scaled coordinates are fractions of the box.
        if columns.iter().any(|column| column.starts_with(axis)) {
            let [low, high] = box_bounds[k];
            snapshot.grains.position.iter_mut().for_each(|position| position[k] = low + position[k] * (high - low));
        }
    }
    count_from_zero(&mut snapshot);
    Ok(snapshot)
}

fn count_from_zero(snapshot: &mut Snapshot) {
    snapshot.grains.id.iter_mut().for_each(|id| *id = id.saturating_sub(1));
}

/// Reads the grains of a data file.
pub fn read_data(path: &Path) -> Result<Snapshot, StoreError> {
    let mut lines = Lines::open(path)?;
    lines.require("the title of a LAMMPS data file")?;
    let mut count = 0;
    let mut atoms: Option<Snapshot> = None;
    let mut rows: HashMap<u32, usize> = HashMap::new();
    while lines.advance()? {
        let line = lines.text.clone();
        let (content, comment) = line.split_once('#').unwrap_or((&line, ""));
        let words: Vec<&str> = content.split_whitespace().collect();
        match words[..] {
            [] => {}
            [number, "atoms"] => {
                count = number.parse().map_err(|_| lines.fault(number, "the number of atoms"))?;
            }
            ["Atoms"] => {
                let snapshot = read_data_atoms(&mut lines, comment.trim(), count)?;
                rows = snapshot.grains.id.iter().enumerate().map(|(row, &id)| (id, row)).collect();
                atoms = Some(snapshot);
            }
            ["Velocities"] => {
                let snapshot = atoms.as_mut().ok_or_else(|| lines.fault("Velocities", "a preceding section Atoms"))?;
                read_velocities(&mut lines, snapshot, &rows)?;
            }
            // The box of a sample is the scene's business; masses and coefficients belong to the types.
            _ => {}
        }
    }
    let mut snapshot = atoms.ok_or_else(|| lines.fault("end of file", "a section Atoms"))?;
    count_from_zero(&mut snapshot);
    Ok(snapshot)
}

fn read_data_atoms(lines: &mut Lines, style: &str, count: usize) -> Result<Snapshot, StoreError> {
    if !style.is_empty() && style != "sphere" {
        return Err(lines.fault(style, "atom style sphere; other styles have no diameter"));
    }
    const STYLE: [Field; 10] = [
        Field::Id,
        Field::Type,
        Field::Diameter,
        Field::Density,
        Field::Position(0),
        Field::Position(1),
        Field::Position(2),
        Field::Image(0),
        Field::Image(1),
        Field::Image(2),
    ];
    let mut reader = None;
    for _ in 0..count {
        let line = next_row(lines, "id type diameter density x y z")?;
        if reader.is_none() {
            // The periods gone by are optional, for all rows or none.
            let fields = if line.split_whitespace().count() > 7 { &STYLE[..] } else { &STYLE[..7] };
            reader = Some(RowReader::new(fields.to_vec()).map_err(|missing| lines.fault(&line, missing))?);
        }
        if let Some(reader) = &mut reader {
            reader.push(line.split_whitespace()).map_err(|fault| lines.row_fault(fault))?;
        }
    }
    reader
        .map(RowReader::finish)
        .ok_or_else(|| lines.fault("Atoms", "a preceding line 'N atoms' with N greater than 0"))
}

fn read_velocities(lines: &mut Lines, snapshot: &mut Snapshot, rows: &HashMap<u32, usize>) -> Result<(), StoreError> {
    for _ in 0..rows.len() {
        let line = next_row(lines, "id vx vy vz wx wy wz")?;
        let mut words = line.split_whitespace();
        let id = words.next().unwrap_or_default();
        let row = *id
            .parse()
            .ok()
            .and_then(|id: u32| rows.get(&id))
            .ok_or_else(|| lines.fault(id, "the id of an atom in the section Atoms"))?;
        let found: Result<Vec<f64>, _> = words.map(|word| number(word, "a velocity")).collect();
        match found.map_err(|fault| lines.row_fault(fault))?[..] {
            [vx, vy, vz] => snapshot.grains.velocity[row] = [vx, vy, vz],
            [vx, vy, vz, wx, wy, wz] => {
                snapshot.grains.velocity[row] = [vx, vy, vz];
                snapshot.grains.spin[row] = [wx, wy, wz];
            }
            _ => return Err(lines.fault(&line, "id vx vy vz wx wy wz")),
        }
    }
    Ok(())
}

/// The next line that is not empty, without its comment.
fn next_row(lines: &mut Lines, expected: &str) -> Result<String, StoreError> {
    loop {
        lines.require(expected)?;
        let row = lines.text.split('#').next().unwrap_or_default().trim();
        if !row.is_empty() {
            return Ok(row.to_owned());
        }
    }
}
