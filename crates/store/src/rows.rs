//! Rows of grains in text files: which column is what, and how a row becomes a grain.
//!
//! CSV, LAMMPS dumps and extended XYZ differ in how they name and separate columns; a row means the same in all.

use crate::Snapshot;
use std::collections::HashMap;

/// What stands in the place of a name where there is none and a blank would be no column.
pub const NO_NAME: &str = "-";

/// What a column of a grain's row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    Id,
    Position(usize),
    Image(usize),
    Velocity(usize),
    Spin(usize),
    /// Component of the quaternion (x, y, z, w).
    Orientation(usize),
    Radius,
    Diameter,
    Mass,
    Density,
    /// A name.
    Material,
    /// A name.
    Group,
    /// A number that tells kinds of grains apart.
    Type,
    /// Something that we have no use for.
    Other,
}

impl Field {
    /// The field that a heading names; the words of LAMMPS, OVITO and common spreadsheets are all known.
    pub fn named(heading: &str) -> Field {
        let heading = heading.trim().trim_matches('"').to_lowercase();
        match heading.as_str() {
            "id" | "particle identifier" => Field::Id,
            "x" | "xu" | "xs" | "xsu" | "position.x" => Field::Position(0),
            "y" | "yu" | "ys" | "ysu" | "position.y" => Field::Position(1),
            "z" | "zu" | "zs" | "zsu" | "position.z" => Field::Position(2),
            "ix" => Field::Image(0),
            "iy" => Field::Image(1),
            "iz" => Field::Image(2),
            "vx" | "velocity.x" => Field::Velocity(0),
            "vy" | "velocity.y" => Field::Velocity(1),
            "vz" | "velocity.z" => Field::Velocity(2),
            "wx" | "omegax" | "spin.x" => Field::Spin(0),
            "wy" | "omegay" | "spin.y" => Field::Spin(1),
            "wz" | "omegaz" | "spin.z" | "spin" => Field::Spin(2),
            "qx" | "quati" => Field::Orientation(0),
            "qy" | "quatj" => Field::Orientation(1),
            "qz" | "quatk" => Field::Orientation(2),
            "qw" | "quatw" => Field::Orientation(3),
            "r" | "radius" => Field::Radius,
            "d" | "diameter" => Field::Diameter,
            "m" | "mass" => Field::Mass,
            "density" => Field::Density,
            "material" | "species" | "element" => Field::Material,
            "group" => Field::Group,
            "type" => Field::Type,
            _ => Field::Other,
        }
    }
}

/// Turns rows of text into the grains of a snapshot.
pub struct RowReader {
    fields: Vec<Field>,
    snapshot: Snapshot,
    materials: HashMap<String, u16>,
    groups: HashMap<String, u16>,
    types: Vec<u16>,
}

/// Which column of a row is wrong, and what was expected there.
pub struct RowFault {
    pub found: String,
    pub expected: String,
}

impl RowReader {
    /// A reader of rows with these columns. It fails, saying what is missing, where there is no position or radius.
    pub fn new(fields: Vec<Field>) -> Result<Self, String> {
        for (needed, what) in [(Field::Position(0), "x"), (Field::Position(1), "y")] {
            if !fields.contains(&needed) {
                return Err(format!("a column {what}"));
            }
        }
        if !fields.contains(&Field::Radius) && !fields.contains(&Field::Diameter) {
            return Err("a column radius or diameter".into());
        }
        Ok(RowReader {
            fields,
            snapshot: Snapshot::default(),
            materials: HashMap::new(),
            groups: HashMap::new(),
            types: Vec::new(),
        })
    }

    /// Adds a grain.
    pub fn push<'a>(&mut self, cells: impl IntoIterator<Item = &'a str>) -> Result<(), RowFault> {
        let mut grain = Grain { orientation: [0.0, 0.0, 0.0, 1.0], ..Grain::default() };
        let row = self.snapshot.grains.len();
        grain.id = row as u32;
        let mut count = 0;
        for cell in cells {
            let cell = cell.trim();
            let Some(&field) = self.fields.get(count) else {
                return Err(self.wrong_count(cell, "more"));
            };
            count += 1;
            match field {
                Field::Id => grain.id = whole(cell, "the number of a grain")?,
                Field::Position(k) => grain.position[k] = number(cell, "a coordinate")?,
                Field::Image(k) => grain.image[k] = whole(cell, "a whole number of periods")?,
                Field::Velocity(k) => grain.velocity[k] = number(cell, "a velocity")?,
                Field::Spin(k) => grain.spin[k] = number(cell, "a spin")?,
                Field::Orientation(k) => grain.orientation[k] = number(cell, "a component of a quaternion")?,
                Field::Radius => grain.radius = positive(cell, "a radius above zero")?,
                Field::Diameter => grain.radius = 0.5 * positive(cell, "a diameter above zero")?,
                Field::Mass => grain.mass = number(cell, "a mass")?,
                Field::Density => grain.density = number(cell, "a density")?,
                Field::Material => grain.material = index_of(&mut self.materials, &mut self.snapshot.materials, cell)?,
                Field::Group => grain.group = index_of(&mut self.groups, &mut self.snapshot.groups, cell)?,
                Field::Type => self.types.push(whole(cell, "the number of a type")?),
                Field::Other => {}
            }
        }
        if count < self.fields.len() {
            return Err(self.wrong_count("end of line", "fewer"));
        }
        let grains = &mut self.snapshot.grains;
        grains.id.push(grain.id);
        grains.position.push(grain.position);
        grains.image.push(grain.image);
        grains.orientation.push(grain.orientation);
        grains.velocity.push(grain.velocity);
        grains.spin.push(grain.spin);
        grains.radius.push(grain.radius);
        // Without a mass of its own a grain has that of a sphere of its density, if that is given.
        let volume = 4.0 / 3.0 * std::f64::consts::PI * grain.radius.powi(3);
        grains.mass.push(if grain.mass > 0.0 { grain.mass } else { grain.density * volume });
        grains.material.push(grain.material);
        grains.group.push(grain.group);
        Ok(())
    }

    fn wrong_count(&self, found: &str, than: &str) -> RowFault {
        RowFault { found: found.into(), expected: format!("{} columns, not {than}", self.fields.len()) }
    }

    /// The grains, in the order of their numbers. Where a file says nothing of its dimension, grains that all lie at
    /// z = 0 are disks. Types become groups where there are several and no groups are named.
    pub fn finish(self) -> Snapshot {
        let mut snapshot = self.snapshot;
        let grains = &mut snapshot.grains;
        snapshot.dimension = if grains.position.iter().all(|position| position[2] == 0.0) { 2 } else { 3 };
        for names in [&mut snapshot.materials, &mut snapshot.groups] {
            // A column that is empty in every row says nothing.
            if names.iter().all(|name| name.is_empty() || name == NO_NAME) {
                names.clear();
            }
        }
        if snapshot.groups.is_empty() && self.types.windows(2).any(|pair| pair[0] != pair[1]) {
            let mut kinds = self.types.clone();
            kinds.sort_unstable();
            kinds.dedup();
            grains.group = self.types.iter().map(|kind| kinds.binary_search(kind).unwrap_or_default() as u16).collect();
            snapshot.groups = kinds.iter().map(|kind| format!("type{kind}")).collect();
        }
        let mut order: Vec<usize> = (0..grains.len()).collect();
        order.sort_by_key(|&row| grains.id[row]);
        if order.iter().enumerate().any(|(row, &old)| row != old) {
            reorder(&mut grains.id, &order);
            reorder(&mut grains.position, &order);
            reorder(&mut grains.image, &order);
            reorder(&mut grains.orientation, &order);
            reorder(&mut grains.velocity, &order);
            reorder(&mut grains.spin, &order);
            reorder(&mut grains.radius, &order);
            reorder(&mut grains.mass, &order);
            reorder(&mut grains.material, &order);
            reorder(&mut grains.group, &order);
        }
        snapshot
    }
}

#[derive(Default)]
struct Grain {
    id: u32,
    position: [f64; 3],
    image: [i32; 3],
    orientation: [f64; 4],
    velocity: [f64; 3],
    spin: [f64; 3],
    radius: f64,
    mass: f64,
    density: f64,
    material: u16,
    group: u16,
}

fn reorder<T: Copy>(column: &mut Vec<T>, order: &[usize]) {
    *column = order.iter().map(|&row| column[row]).collect();
}

/// A finite number.
pub fn number(cell: &str, expected: &str) -> Result<f64, RowFault> {
    cell.parse()
        .ok()
        .filter(|value: &f64| value.is_finite())
        .ok_or_else(|| RowFault { found: cell.into(), expected: format!("{expected} (a finite number)") })
}

fn positive(cell: &str, expected: &str) -> Result<f64, RowFault> {
    number(cell, expected)
        .ok()
        .filter(|&value| value > 0.0)
        .ok_or_else(|| RowFault { found: cell.into(), expected: expected.into() })
}

fn whole<T: std::str::FromStr>(cell: &str, expected: &str) -> Result<T, RowFault> {
    cell.parse().map_err(|_| RowFault { found: cell.into(), expected: format!("{expected} (a whole number)") })
}

fn index_of(known: &mut HashMap<String, u16>, names: &mut Vec<String>, name: &str) -> Result<u16, RowFault> {
    if let Some(&index) = known.get(name) {
        return Ok(index);
    }
    let index = u16::try_from(names.len())
        .map_err(|_| RowFault { found: name.into(), expected: "at most 65536 different names".into() })?;
    known.insert(name.into(), index);
    names.push(name.into());
    Ok(index)
}
