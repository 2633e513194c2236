//! Grains from the entries of a scene, the same for the same seed on every machine.

use crate::fault::{Collector, Faults, suggestion};
use crate::lower::{DEFAULT_SPACING, period_fault, up_axis};
use crate::model::*;
use crate::place::{Room, wall_gap};
use crate::sizes::Random;
use crate::vector::*;
use crate::{GrainSource, Scene};
use riprap_engine::GrainTable;

/// How often a place is tried for a grain before it is said not to fit.
const TRIES: usize = 20_000;
/// How often a place in a layer of rain is tried before the next layer begins.
const LAYER_TRIES: usize = 200;

/// More grains or sites of a lattice than this are taken for a mistake in a unit.
const MOST_SITES: f64 = 1e8;

/// The overlap over the radius that grains of a list may have: rounding of decimal numbers.
const LIST_OVERLAP: f64 = 1e-6;
/// The same for grains of files, which may come from a soft method.
const FILE_OVERLAP: f64 = 0.1;

impl Scene {
    /// All grains of all entries, in their final order.
    pub fn sample(&self, source: &dyn GrainSource) -> Result<GrainTable, Faults> {
        let model = &self.model;
        let mut faults = Collector::default();
        let files = self.read_files(source, &mut faults);
        let typical = typical_radius(model, &files);
        let mut room = Room::new(model, typical);
        let mut table = GrainTable::default();
        for (index, (entry, file)) in model.grains.iter().zip(files).enumerate() {
            let mut random = Random::new(model.seed, index as u64);
            let start = room.position.len();
            let outcome = match &entry.sample {
                Sample::Lattice { close, spacing, jitter, count, region } => {
                    let spacing = spacing.unwrap_or(2.0 * entry.size.bounds().1 * DEFAULT_SPACING);
                    lattice(model, entry, &mut room, &mut random, (*close, spacing, *jitter), *count, region)
                }
                Sample::Random { amount, region } => fill(model, entry, &mut room, &mut random, *amount, region),
                Sample::Rain { count, cover, region } => {
                    rain(model, entry, &mut room, &mut random, *count, *cover, region)
                }
                Sample::List { positions, radii, .. } => {
                    for (i, &position) in positions.iter().enumerate() {
                        let radius =
                            radii.get(i).copied().unwrap_or_else(|| entry.size.draw(&mut random, model.dimension));
                        room.add(position, radius);
                    }
                    check_overlaps(model, &room, start, LIST_OVERLAP)
                }
                Sample::File { .. } => match &file {
                    Some(file) => {
                        for (&position, &radius) in file.position.iter().zip(&file.radius) {
                            room.add(position, radius);
                        }
                        check_overlaps(model, &room, start, FILE_OVERLAP)
                    }
                    None => Ok(()),
                },
            };
            if let Err((message, help)) = outcome {
                faults.add(&entry.at.0, message, "", help);
            }
            append(&mut table, model, entry, &room, start, file);
        }
        if faults.faults.is_empty() && table.is_empty() {
            faults.add(&model.grains[0].at.0, "there are no grains", "", "");
        }
        self.finish(table, faults)
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

type Outcome = Result<(), (String, String)>;

/// What is wrong with a table from a file: a message and a hint.
fn file_problem(file: &GrainTable, model: &Model, needs_material: bool) -> Option<(String, String)> {
    let rows = file.len();
    let whole = |length: usize| length == 0 || length == rows;
    if file.position.len() != rows
        || ![file.velocity.len(), file.spin.len(), file.orientation.len(), file.material.len(), file.group.len()]
            .into_iter()
            .all(whole)
    {
        return Some(("columns of different lengths".to_owned(), String::new()));
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
            format!("grain {row} has the radius {}", file.radius[row]),
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
            return Some(("the file has no materials".to_owned(), "give `material`".to_owned()));
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
            (Sample::File { .. }, None) => Vec::new(),
            _ => vec![0.5 * (entry.size.bounds().0 + entry.size.bounds().1)],
        };
        largest = radii.iter().copied().fold(largest, f64::max).max(entry.size.bounds().1);
        if !radii.is_empty() {
            sum = (sum.0 + radii.iter().sum::<f64>() / radii.len() as f64, sum.1 + 1.0);
        }
    }
    let mean = if sum.1 > 0.0 { sum.0 / sum.1 } else { 1.0 };
    // A large grain is in many cells, but never in very many.
    mean.max(largest / 16.0)
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
        table.orientation.push(file.orientation.get(row).copied().unwrap_or([0.0, 0.0, 0.0, 1.0]));
        let material = match entry.material {
            Some(index) => &model.materials[index].name,
            None => file.material.get(row).unwrap_or(&model.materials[0].name),
        };
        table.material.push(material.clone());
        let group = entry.group.as_ref().or_else(|| file.group.get(row)).map_or("grains", String::as_str);
        table.group.push(group.to_owned());
    }
}

fn lattice(
    model: &Model,
    entry: &Grains,
    room: &mut Room<'_>,
    random: &mut Random,
    (close, spacing, jitter): (bool, f64, f64),
    count: Option<usize>,
    region: &Region,
) -> Outcome {
    let dimension = model.dimension;
    let largest = entry.size.bounds().1;
    // Along a whole period the lattice is stretched so that it closes; rows and layers lie closer where it is close.
    let step: Point = std::array::from_fn(|axis| match (close, axis, dimension) {
        (true, 1, _) => spacing * 0.75_f64.sqrt(),
        (true, 2, 3) => spacing * (2.0_f64 / 3.0).sqrt(),
        _ => spacing,
    });
    let mut step = step;
    let mut number = [1_usize; 3];
    for axis in 0..dimension {
        let extent = region.upper[axis] - region.lower[axis];
        let whole = model.period[axis] > 0.0 && extent >= model.period[axis] * (1.0 - 1e-9);
        if whole {
            number[axis] = ((extent / step[axis] + 1e-9).floor() as usize).max(1);
            step[axis] = extent / number[axis] as f64;
        } else {
            // One more than fits: sites that reach out of the region are left out below.
            number[axis] = (extent / step[axis]).floor().min(1e6) as usize + 1;
        }
    }
    let sites: f64 = number.iter().map(|&n| n as f64).product();
    if sites > MOST_SITES {
        return Err(too_many(sites));
    }
    let wanted = count.unwrap_or(usize::MAX);
    let mut placed = 0;
    'sites: for k in 0..number[2] {
        for j in 0..number[1] {
            for i in 0..number[0] {
                let mut site = [i as f64, j as f64, k as f64];
                if close {
                    let odd = |n: usize| (n % 2) as f64;
                    site[0] += 0.5 * odd(j) + 0.5 * odd(k);
                    site[1] += odd(k) / 3.0;
                }
                let radius = entry.size.draw(random, dimension);
                let position: Point = std::array::from_fn(|axis| {
                    if axis >= dimension {
                        return 0.0;
                    }
                    let shake = if jitter > 0.0 { random.between(-jitter, jitter) } else { 0.0 };
                    region.lower[axis] + largest.max(0.5 * spacing) + site[axis] * step[axis] + shake
                });
                let inside = region.centres(radius * (1.0 - 1e-9), model).is_some_and(|(lower, upper)| {
                    (0..dimension).all(|axis| {
                        let periodic = model.period[axis] > 0.0;
                        periodic || (lower[axis] <= position[axis] && position[axis] <= upper[axis])
                    })
                });
                // Neighbours at exactly one diameter touch, which rounding must not turn into an overlap.
                let free = radius * (1.0 - 1e-9);
                if inside && region.is_round_enough(position, radius, dimension) && room.is_free(position, free) {
                    room.add(position, radius);
                    placed += 1;
                    if placed == wanted {
                        break 'sites;
                    }
                }
            }
        }
    }
    match count {
        Some(count) if placed < count => Err(does_not_fit(placed, count)),
        _ if placed == 0 => Err(does_not_fit(0, 1)),
        _ => Ok(()),
    }
}

fn does_not_fit(placed: usize, count: usize) -> (String, String) {
    let message = format!("the sample does not fit: {placed} of {count} grains found a place");
    (message, "make the region larger, or the grains fewer or smaller".to_owned())
}

fn too_many(count: f64) -> (String, String) {
    (
        format!("the sample would have up to {count:.1e} grains"),
        "check the units of the sizes and of the region".to_owned(),
    )
}

fn fill(
    model: &Model,
    entry: &Grains,
    room: &mut Room<'_>,
    random: &mut Random,
    amount: Amount,
    region: &Region,
) -> Outcome {
    let dimension = model.dimension;
    let mut radii = Vec::new();
    match amount {
        Amount::Count(count) => radii.extend((0..count).map(|_| entry.size.draw(random, dimension))),
        Amount::SolidFraction(fraction) => {
            let target = fraction * region.volume(dimension);
            let most = target / ball_volume(entry.size.bounds().0, dimension);
            if most > MOST_SITES {
                return Err(too_many(most));
            }
            let mut volume = 0.0;
            while volume < target {
                let radius = entry.size.draw(random, dimension);
                volume += ball_volume(radius, dimension);
                radii.push(radius);
            }
        }
    }
    // The volume alone says when it cannot work, before any place is tried.
    let volume: f64 = radii.iter().map(|&radius| ball_volume(radius, dimension)).sum();
    if volume > region.volume(dimension) {
        let fraction = volume / region.volume(dimension);
        let message = format!("the sample does not fit: its solid fraction in the region would be {fraction:.2}");
        return Err((message, does_not_fit(0, 0).1));
    }
    radii.sort_by(|a, b| b.total_cmp(a));
    for (placed, &radius) in radii.iter().enumerate() {
        let place = region.centres(radius, model).and_then(|(lower, upper)| {
            (0..TRIES)
                .map(|_| random.point(lower, upper))
                .find(|&position| region.is_round_enough(position, radius, dimension) && room.is_free(position, radius))
        });
        match place {
            Some(position) => room.add(position, radius),
            None => return Err(does_not_fit(placed, radii.len())),
        }
    }
    Ok(())
}

fn ball_volume(radius: f64, dimension: usize) -> f64 {
    use riprap_engine::{D2, D3, Dim};
    if dimension == 2 { D2::ball_volume(radius) } else { D3::ball_volume(radius) }
}

fn rain(
    model: &Model,
    entry: &Grains,
    room: &mut Room<'_>,
    random: &mut Random,
    count: Option<usize>,
    cover: f64,
    region: &Region,
) -> Outcome {
    let dimension = model.dimension;
    let up = up_axis(model.gravity.acceleration, dimension);
    let largest = entry.size.bounds().1;
    let height = 2.0 * largest * DEFAULT_SPACING;
    let area = cover * region.section(dimension, up);
    let shadow = |radius: f64| if dimension == 2 { 2.0 * radius } else { std::f64::consts::PI * radius * radius };
    let wanted = count.unwrap_or(usize::MAX);
    let mut placed = 0;
    let mut empty_layers = 0;
    let mut next = entry.size.draw(random, dimension);
    for layer in 0.. {
        let level = region.lower[up] + (layer as f64 + 0.5) * height;
        // A thousand empty layers: something is in the way all the way up.
        if placed == wanted || level + 0.5 * height > region.upper[up] + 1e-9 * height || empty_layers > 1000 {
            break;
        }
        let (mut covered, mut in_layer) = (0.0, 0);
        while placed < wanted {
            let Some((mut lower, mut upper)) = region.centres(next, model) else { break };
            (lower[up], upper[up]) = (level, level);
            let place = (0..LAYER_TRIES)
                .map(|_| random.point(lower, upper))
                .find(|&position| region.is_round_enough(position, next, dimension) && room.is_free(position, next));
            let Some(position) = place else { break };
            room.add(position, next);
            covered += shadow(next);
            placed += 1;
            in_layer += 1;
            next = entry.size.draw(random, dimension);
            if covered + shadow(next) > area {
                break;
            }
        }
        empty_layers = if in_layer == 0 { empty_layers + 1 } else { 0 };
    }
    match count {
        Some(count) if placed < count => Err(does_not_fit(placed, count)),
        _ if placed == 0 => Err(does_not_fit(0, 1)),
        _ => Ok(()),
    }
}

/// Grains from `start` on that overlap with others, or with walls, by more than they may.
fn check_overlaps(model: &Model, room: &Room<'_>, start: usize, allowed: f64) -> Outcome {
    let mut first = None;
    let mut count = 0;
    for index in start..room.position.len() {
        let (position, radius) = (room.position[index], room.radius[index]);
        let with_grain = room.deepest(position, radius, Some(index as u32)).and_then(|(other, overlap)| {
            let smaller = radius.min(room.radius[other as usize]);
            (overlap > allowed * smaller).then(|| format!("grain {index} overlaps grain {other} by {overlap:.3e} m"))
        });
        let with_wall = || {
            model.walls.iter().find_map(|wall| {
                let overlap = radius - wall_gap(&wall.shape, model.dimension, position);
                let name = &wall.name;
                (overlap > allowed * radius)
                    .then(|| format!("grain {index} overlaps wall \"{name}\" by {overlap:.3e} m"))
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
