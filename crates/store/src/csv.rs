//! Comma separated values with a line of headings, for numpy, pandas and spreadsheets.
//!
//! Not based on the crate `csv`: [`RowReader`] reads these rows in the same way as those of LAMMPS dumps and extended XYZ,
//! with the same error messages.

use crate::codec::status_code;
use crate::rows::{Field, RowReader};
use crate::text::{Lines, write_numbers};
use crate::{Snapshot, StoreError, write_atomically};
use std::path::Path;

const GRAIN_HEADINGS: &str = "id,x,y,z,radius,vx,vy,vz,wx,wy,wz,qx,qy,qz,qw,mass,ix,iy,iz,material,group";
const CONTACT_HEADINGS: &str = "body1,body2,x,y,z,normal_x,normal_y,normal_z,gap,impulse_x,impulse_y,impulse_z,force_x,force_y,force_z,torque_x,torque_y,torque_z,attraction,status";
const WALL_HEADINGS: &str = "id,name,shape,x,y,z,vx,vy,vz,wx,wy,wz,radius,ax,ay,az,bx,by,bz,material";

/// Writes the grains.
pub fn write_grains(snapshot: &Snapshot, path: &Path) -> Result<(), StoreError> {
    write_atomically(path, |out| {
        writeln!(out, "{GRAIN_HEADINGS}")?;
        let grains = &snapshot.grains;
        for i in 0..grains.len() {
            write!(out, "{}", grains.id[i])?;
            write_numbers(out, ',', &grains.position[i])?;
            write_numbers(out, ',', &[grains.radius[i]])?;
            write_numbers(out, ',', &grains.velocity[i])?;
            write_numbers(out, ',', &grains.spin[i])?;
            write_numbers(out, ',', &grains.orientation[i])?;
            write_numbers(out, ',', &[grains.mass[i]])?;
            let [ix, iy, iz] = grains.image[i];
            let material = quoted(&snapshot.materials, grains.material[i]);
            writeln!(out, ",{ix},{iy},{iz},{material},{}", quoted(&snapshot.groups, grains.group[i]))?;
        }
        Ok(())
    })
}

/// Writes the contacts.
pub fn write_contacts(snapshot: &Snapshot, path: &Path) -> Result<(), StoreError> {
    write_atomically(path, |out| {
        writeln!(out, "{CONTACT_HEADINGS}")?;
        let contacts = &snapshot.contacts;
        for i in 0..contacts.len() {
            write!(out, "{},{}", contacts.body1[i], contacts.body2[i])?;
            write_numbers(out, ',', &contacts.point[i])?;
            write_numbers(out, ',', &contacts.normal[i])?;
            write_numbers(out, ',', &[contacts.gap[i]])?;
            write_numbers(out, ',', &contacts.impulse[i])?;
            write_numbers(out, ',', &contacts.force[i])?;
            write_numbers(out, ',', &contacts.torque[i])?;
            write_numbers(out, ',', &[contacts.attraction[i]])?;
            writeln!(out, ",{}", status_code(contacts.status[i]))?;
        }
        Ok(())
    })
}

/// Writes the walls; `a` is the normal, the axis or the first half edge, `b` the second half edge.
pub fn write_walls(snapshot: &Snapshot, path: &Path) -> Result<(), StoreError> {
    write_atomically(path, |out| {
        writeln!(out, "{WALL_HEADINGS}")?;
        for wall in &snapshot.walls {
            let (word, radius, directions) = wall.shape.parts();
            write!(out, "{},{},{word}", wall.id, quote(&wall.name))?;
            write_numbers(out, ',', &wall.position)?;
            write_numbers(out, ',', &wall.velocity)?;
            write_numbers(out, ',', &wall.spin)?;
            write_numbers(out, ',', &[radius])?;
            write_numbers(out, ',', directions.as_flattened())?;
            writeln!(out, ",{}", quoted(&snapshot.materials, wall.material))?;
        }
        Ok(())
    })
}

/// Writes what the faces of walls carried since the start.
pub fn write_faces(snapshot: &Snapshot, path: &Path) -> Result<(), StoreError> {
    write_atomically(path, |out| {
        let faces = &snapshot.faces;
        let columns = faces.numbers();
        let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
        writeln!(out, "wall,face,{}", names.join(","))?;
        for row in 0..faces.len() {
            write!(out, "{},{}", faces.wall[row], faces.face[row])?;
            write_numbers(out, ',', &columns.map(|(_, column)| column[row]))?;
            writeln!(out)?;
        }
        Ok(())
    })
}

/// Reads grains. The first line that is not empty or a comment holds the headings; without letters in it, the columns
/// are x, y, z, radius (or x, y, radius where there are three).
pub fn read(path: &Path) -> Result<Snapshot, StoreError> {
    let mut lines = Lines::open(path)?;
    let mut reader: Option<RowReader> = None;
    while lines.advance()? {
        let line = lines.text.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let cells = split(line);
        if let Some(reader) = &mut reader {
            reader.push(cells.iter().map(String::as_str)).map_err(|fault| lines.row_fault(fault))?;
            continue;
        }
        let has_headings = cells.iter().any(|cell| cell.trim().parse::<f64>().is_err());
        let fields = match (has_headings, cells.len()) {
            (true, _) => cells.iter().map(|cell| Field::named(cell)).collect(),
            (false, 3) => vec![Field::Position(0), Field::Position(1), Field::Radius],
            (false, _) => vec![Field::Position(0), Field::Position(1), Field::Position(2), Field::Radius],
        };
        let mut new = RowReader::new(fields).map_err(|missing| lines.fault(line, missing))?;
        if !has_headings {
            new.push(cells.iter().map(String::as_str)).map_err(|fault| lines.row_fault(fault))?;
        }
        reader = Some(new);
    }
    reader.map(RowReader::finish).ok_or_else(|| lines.fault("end of file", "a header line such as x,y,z,radius"))
}

fn quoted(names: &[String], index: u16) -> String {
    names.get(usize::from(index)).map_or(String::new(), |name| quote(name))
}

fn quote(name: &str) -> String {
    if name.contains([',', ';', '"', '\n', '\r']) { format!("\"{}\"", name.replace('"', "\"\"")) } else { name.into() }
}

/// The cells of a line; a quoted cell may hold commas, and quotes doubled. Semicolons separate too.
fn split(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut is_quoted = false;
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        let cell = cells.len() - 1;
        match character {
            '"' if is_quoted && characters.peek() == Some(&'"') => {
                characters.next();
                cells[cell].push('"');
            }
            '"' => is_quoted = !is_quoted,
            ',' | ';' if !is_quoted => cells.push(String::new()),
            _ => cells[cell].push(character),
        }
    }
    cells
}
