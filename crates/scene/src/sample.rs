//! Grains from the entries of a scene, the same for the same seed on every machine.

use crate::fault::{Collector, Faults, suggestion};
use crate::filling::Filling;
use crate::lower::{mesh_shape, period_fault, triangles};
use crate::model::*;
use crate::room::Room;
use crate::shapes::Shaper;
use crate::sizes::Random;
use crate::vector::*;
use crate::{GrainSource, Scene};
use riprap_engine::{Form, GrainTable, Surface};

/// The overlap over the radius that grains of a list may have: rounding of decimal numbers.
pub(crate) const LIST_OVERLAP: f64 = 1e-6;
/// The same for grains of files, which may come from a soft method.
pub(crate) const FILE_OVERLAP: f64 = 0.1;

impl Scene {
    /// All grains of all entries, in their final order.
    pub fn sample(&self, source: &dyn GrainSource) -> Result<GrainTable, Faults> {
        let model = &self.model;
        let mut faults = Collector::default();
        let files = self.read_files(source, &mut faults);
        let typical = typical_radius(model, &files);
        let mut table = GrainTable { surfaces: self.read_surfaces(source, &mut faults), ..GrainTable::default() };
        let mut room = Room::new(model, typical, &table.surfaces);
        for (index, (entry, file)) in model.grains.iter().zip(files).enumerate() {
            let start = room.position.len();
            if let Err((message, help)) = entry.check_amount(model) {
                faults.add(&entry.at.0, message, "", help);
                continue;
            }
            let shaper = entry.shape.as_ref();
            let shaper = shaper.map(|shape| Shaper::new(shape, model.dimension, model.seed, index, source)).transpose();
            let outcome = shaper.and_then(|shaper| {
                let random = Random::new(model.seed, index as u64);
                let mut filling = Filling { model, entry, room: &mut room, random, shaper, forms: &mut table.forms };
                match &entry.sample {
                    Sample::Lattice { close, spacing, jitter, count, region } => {
                        filling.lattice(*close, *spacing, *jitter, *count, region)
                    }
                    Sample::Random { amount, region } => filling.random(*amount, region),
                    Sample::Rain { count, cover, region } => filling.rain(*count, *cover, region),
                    Sample::List { positions, radii, orientations, .. } => {
                        filling.list(positions, radii, orientations);
                        check_overlaps(model, &room, start, LIST_OVERLAP)
                    }
                    Sample::Blocks { corners, file, shift } => filling.blocks(corners, file.as_ref(), *shift, source),
                    Sample::Voronoi { count, joint, region, shift } => filling.voronoi(*count, *joint, region, *shift),
                    Sample::File { .. } => match &file {
                        Some(file) => {
                            filling.file(file);
                            check_overlaps(model, &room, start, FILE_OVERLAP)
                        }
                        None => Ok(()),
                    },
                }
            });
            if let Err((message, help)) = outcome {
                faults.add(&entry.at.0, message, "", help);
            }
            append(&mut table, model, entry, &room, start, file);
        }
        if room.form.iter().any(Option::is_some) {
            table.form = std::mem::take(&mut room.form);
        }
        if faults.faults.is_empty() && table.is_empty() && model.inlets.is_empty() {
            faults.add(model.place_of_grains(), "there are no grains", "", "");
        }
        self.finish(table, faults)
    }

    /// The surfaces of the walls that come from files, with the names of the walls.
    pub(crate) fn read_surfaces(&self, source: &dyn GrainSource, faults: &mut Collector) -> Vec<(String, Form)> {
        let mut surfaces = Vec::new();
        for wall in &self.model.walls {
            let WallForm::MeshFile { at, path, scale: factor } = &wall.shape.form else { continue };
            let read = source.read_surface(path).map(|surface| Surface {
                vertices: surface.vertices.iter().map(|&vertex| scale(vertex, *factor)).collect(),
                faces: triangles(&surface.faces, self.model.dimension),
            });
            let checked = read.and_then(|surface| {
                mesh_shape(&surface, self.model.dimension).map(|()| surface).map_err(|error| error.to_string())
            });
            match checked {
                Ok(surface) => surfaces.push((wall.name.clone(), Form::Mesh(surface))),
                Err(error) => faults.add(&at.0, format!("cannot read a mesh from \"{path}\""), error, ""),
            }
        }
        surfaces
    }

    /// The tables of the entries that come from files, moved and checked.
    fn read_files(&self, source: &dyn GrainSource, faults: &mut Collector) -> Vec<Option<GrainTable>> {
        let model = &self.model;
        let mut files = Vec::new();
        for entry in &model.grains {
            let Sample::File { path, shift, at_rest } = &entry.sample else {
                files.push(None);
                continue;
            };
            let mut file = match source.read(path) {
                Ok(file) => file,
                Err(error) => {
                    faults.add(&entry.at.0, format!("cannot read grains from \"{path}\""), error, "");
                    files.push(None);
                    continue;
                }
            };
            let problem = file_problem(&file, model, entry.material.is_none());
            if let Some((message, help)) = problem {
                faults.add(&entry.at.0, format!("\"{path}\": {message}"), "", help);
                files.push(None);
                continue;
            }
            for position in &mut file.position {
                *position = add(*position, *shift);
                if model.dimension == 2 {
                    position[2] = 0.0;
                }
            }
            if *at_rest {
                file.velocity.clear();
                file.spin.clear();
            }
            files.push(Some(file));
        }
        files
    }
}

/// Nothing, or what is wrong and a hint.
pub(crate) type Outcome = Result<(), (String, String)>;

/// What is wrong with a table from a file: a message and a hint.
fn file_problem(file: &GrainTable, model: &Model, needs_material: bool) -> Option<(String, String)> {
    let rows = file.len();
    let whole = |length: usize| length == 0 || length == rows;
    if file.position.len() != rows
        || ![
            file.velocity.len(),
            file.spin.len(),
            file.orientation.len(),
            file.material.len(),
            file.group.len(),
            file.form.len(),
        ]
        .into_iter()
        .all(whole)
    {
        return Some(("the columns have different lengths".to_owned(), String::new()));
    }
    let numbers = |row: usize| {
        let vectors = [&file.position, &file.velocity, &file.spin];
        vectors.into_iter().filter_map(|column| column.get(row)).all(|v| v.iter().all(|x| x.is_finite()))
    };
    if let Some(row) = (0..rows).find(|&row| !numbers(row)) {
        return Some((format!("grain {row} has a value that is not a number"), String::new()));
    }
    if let Some(row) = file.radius.iter().position(|&r| !(r > 0.0 && r.is_finite())) {
        return Some((
            format!("grain {row} has radius {}", file.radius[row]),
            "radii must be greater than 0".to_owned(),
        ));
    }
    let largest = file.radius.iter().copied().fold(0.0, f64::max);
    if let Some(message) = (0..model.dimension).find_map(|axis| period_fault(model.period[axis], axis, largest)) {
        return Some((message, String::new()));
    }
    if needs_material {
        let known = || model.materials.iter().map(|material| material.name.as_str());
        if file.material.is_empty() && model.materials.len() > 1 {
            return Some(("the file does not specify materials".to_owned(), "set `material`".to_owned()));
        }
        for name in &file.material {
            match model.materials.iter().find(|material| material.name == *name) {
                None => return Some((format!("no such material: \"{name}\""), suggestion(name, known()))),
                Some(material) if material.density.is_none() => {
                    return Some((format!("material \"{name}\" has no density"), String::new()));
                }
                Some(_) => {}
            }
        }
        if file.material.is_empty() && model.materials[0].density.is_none() {
            return Some((format!("material \"{}\" has no density", model.materials[0].name), String::new()));
        }
    }
    None
}

/// A radius by which to choose the cells of the grid.
fn typical_radius(model: &Model, files: &[Option<GrainTable>]) -> f64 {
    let mut sum = (0.0, 0.0);
    let mut largest = 0.0_f64;
    for (entry, file) in model.grains.iter().zip(files) {
        let radii: Vec<f64> = match (&entry.sample, file) {
            (_, Some(file)) => file.radius.clone(),
            (Sample::List { radii, .. }, _) if !radii.is_empty() => radii.clone(),
            (Sample::Blocks { corners, .. }, _) => corners.iter().map(|block| half_extent(block)).collect(),
            (Sample::Voronoi { count, region, .. }, _) => {
                let cells = libm::pow(*count as f64, 1.0 / model.dimension as f64);
                vec![half_extent(&[region.lower, region.upper]) / cells]
            }
            (Sample::File { .. }, None) => Vec::new(),
            _ => vec![0.5 * (entry.size.bounds().0 + entry.size.bounds().1)],
        };
        largest = radii.iter().copied().fold(largest, f64::max).max(entry.size.bounds().1);
        if !radii.is_empty() {
            sum = (sum.0 + radii.iter().sum::<f64>() / radii.len() as f64, sum.1 + 1.0);
        }
    }
    let mean = if sum.0 > 0.0 { sum.0 / sum.1 } else { 1.0 };
    // A large grain is in many cells, but never in very many.
    mean.max(largest / 16.0)
}

/// Half the longest extent of some points along an axis.
fn half_extent(points: &[Point]) -> f64 {
    let extent = |axis: usize| {
        let along = || points.iter().map(|point| point[axis]);
        along().fold(f64::NEG_INFINITY, f64::max) - along().fold(f64::INFINITY, f64::min)
    };
    0.5 * (0..3).map(extent).fold(0.0, f64::max)
}

/// Adds the grains from `start` on to the table.
fn append(
    table: &mut GrainTable,
    model: &Model,
    entry: &Grains,
    room: &Room<'_>,
    start: usize,
    file: Option<GrainTable>,
) {
    let file = file.unwrap_or_default();
    for index in start..room.position.len() {
        let row = index - start;
        let own_velocity = match &entry.sample {
            Sample::List { velocities, .. } => velocities.get(row),
            Sample::File { .. } => file.velocity.get(row),
            _ => None,
        };
        table.position.push(room.position[index]);
        table.radius.push(room.radius[index]);
        table.velocity.push(own_velocity.copied().unwrap_or(entry.velocity));
        table.spin.push(file.spin.get(row).copied().unwrap_or(entry.spin));
        table.orientation.push(room.orientation[index]);
        let material = match entry.material {
            Some(index) => &model.materials[index].name,
            None => file.material.get(row).unwrap_or(&model.materials[0].name),
        };
        table.material.push(material.clone());
        let group = entry.group.as_ref().or_else(|| file.group.get(row)).map_or("grains", String::as_str);
        table.group.push(group.to_owned());
    }
}

/// Balls from `start` on that overlap with others, or with walls, by more than they may. Whether bodies of other forms
/// overlap is seen when the world has been built.
fn check_overlaps(model: &Model, room: &Room<'_>, start: usize, allowed: f64) -> Outcome {
    let mut first = None;
    let mut count = 0;
    for index in start..room.position.len() {
        if room.form[index].is_some() {
            continue;
        }
        let (position, radius) = (room.position[index], room.radius[index]);
        let with_grain = room.deepest(position, radius, Some(index as u32)).and_then(|(other, overlap)| {
            let smaller = radius.min(room.radius[other as usize]);
            let both_balls = room.form[other as usize].is_none();
            (both_balls && overlap > allowed * smaller)
                .then(|| format!("grain {index} overlaps grain {other} by {overlap:.3e} m"))
        });
        let with_wall = || {
            model.walls.iter().filter(|wall| !wall.shape.is_body() && !wall.absent).find_map(|wall| {
                let gap = wall.shape.gap(model.dimension, position);
                let (overlap, name) = (radius - gap, &wall.name);
                (overlap > allowed * radius).then(|| match gap < -radius {
                    true => format!("grain {index} is entirely behind wall \"{name}\", its centre by {:.3e} m", -gap),
                    false => format!("grain {index} overlaps wall \"{name}\" by {overlap:.3e} m"),
                })
            })
        };
        if let Some(message) = with_grain.or_else(with_wall) {
            count += 1;
            first.get_or_insert(message);
        }
    }
    match first {
        None => Ok(()),
        Some(message) if count == 1 => Err((message, String::new())),
        Some(message) => Err((format!("{message} ({count} such grains)"), String::new())),
    }
}
