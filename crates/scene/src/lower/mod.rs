//! From checked tables to the model of a scene: what the parts mean together. Every function goes on after a fault, so
//! that all faults are found at once; what is missing or broken has been reported and is passed over.

mod cell;
mod grains;
mod laws;
mod materials;
mod methods;
mod openings;
mod shapes;
mod solver;
mod stages;
mod walls;
mod watches;

pub(crate) use cell::{active_cell, cell_spans};
pub(crate) use grains::{DEFAULT_SPACING, period_fault, up_axis};
pub(crate) use stages::{SpanSpec, active_drivers, loaded_spans};
pub(crate) use walls::{mesh_shape, triangles};

use crate::GrainSource;
use crate::check::Table;
use crate::fault::{Collector, suggestion};
use crate::model::*;
use crate::raw::Span;
use crate::vector::{dot, length, unit};
use riprap_engine::{TableCell, TimeFunction};

/// The model of a whole scene; none if something that everything needs is broken.
pub(crate) fn lower(root: &Table, place: &Span, faults: &mut Collector, files: &dyn GrainSource) -> Option<Model> {
    let domain = root.table("domain")?;
    let mut scene = Lowering::new(root.integer("dimension")? as usize, domain, faults);
    let cell_from_snapshot = scene.cell_of_snapshot(root, domain, files);
    let method = scene.method(root);
    let soft = methods::soft(root.table("md")?)?;
    let percussions = methods::percussions(root.table("acd2")?)?;
    let gravity = scene.gravity(domain);
    let tilt = scene.tilt(domain, gravity);
    scene.materials(root);
    let pairs = scene.pairs(root);
    let containers = scene.walls(root);
    let grains = scene.grains(root, place, &containers, gravity);
    let inlets = scene.inlets(root, gravity);
    let outlets = scene.outlets(root, &inlets);
    let gauges = scene.gauges(root);
    let drivers = scene.drivers(root);
    let groups = scene.groups(&grains, &inlets);
    let loads = scene.loads(root, groups.as_deref());
    let springs = scene.springs(root);
    let mut solver = solver::solver(root.table("solver")?);
    let mut stages = scene.stages(root, place, &drivers, groups.as_deref(), gravity);
    scene.check_carriers(drivers.iter().chain(stages.iter().flat_map(|stage| &stage.drivers)));
    scene.check_stiffness(root, method);
    scene.check_momentum(root);
    solver::keep_strain(&mut solver, &mut stages);
    let liquid = scene.liquid(root);
    let bonds = scene.bonds(root, groups.as_deref(), &stages);
    let membranes = scene.membranes(root, groups.as_deref(), &stages);
    let cell = scene.cell(root);
    scene.check_cells(root, cell.as_ref(), &stages, gravity, method);
    Some(Model {
        title: root.text("title").unwrap_or_default().to_owned(),
        method,
        soft,
        percussions,
        dimension: scene.dimension,
        seed: root.integer("seed")? as u64,
        gravity: GravitySpec { acceleration: gravity, tilt, ground: domain.functions("ground_acceleration") },
        period: scene.period,
        origin: scene.origin,
        tilt: scene.tilt_of_cell,
        cell_from_snapshot,
        thickness: scene.thickness,
        cell,
        materials: scene.materials,
        pairs,
        grains,
        inlets,
        outlets,
        gauges,
        walls: scene.walls,
        drivers,
        loads,
        springs,
        membranes,
        liquid,
        bonds,
        solver,
        stages,
        outputs: outputs(root.table("outputs")?)?,
    })
}

/// What has been lowered so far, for the parts that refer to it.
struct Lowering<'a> {
    dimension: usize,
    faults: &'a mut Collector,
    materials: Vec<Material>,
    walls: Vec<Wall>,
    /// Set if a wall has a fault, so that what refers to it is not a fault as well.
    walls_broken: bool,
    period: Point,
    origin: Point,
    /// How far the image one period up the last axis is shifted along the first.
    tilt_of_cell: f64,
    thickness: f64,
}

impl<'a> Lowering<'a> {
    /// Nothing yet but the domain.
    fn new(dimension: usize, domain: &Table, faults: &'a mut Collector) -> Self {
        let period =
            domain.table("periodic").map(|table| ["x", "y", "z"].map(|axis| table.number(axis).unwrap_or(0.0)));
        Lowering {
            dimension,
            faults,
            materials: Vec::new(),
            walls: Vec::new(),
            walls_broken: false,
            period: period.unwrap_or_default(),
            origin: domain.vector("origin").unwrap_or_default(),
            tilt_of_cell: domain.table("periodic").and_then(|table| table.number("shift")).unwrap_or(0.0),
            thickness: domain.number("thickness").unwrap_or(1.0),
        }
    }

    /// Takes over the periodic cell of the first snapshot that has one, where the scene says nothing of periods; true if it
    /// did. A snapshot that cannot be read is reported where its grains are placed.
    fn cell_of_snapshot(&mut self, root: &Table, domain: &Table, files: &dyn GrainSource) -> bool {
        let snapshots = root.tables("grains").filter(|(entry, _)| entry.variant == Some("snapshot"));
        let mut paths = snapshots.filter_map(|(entry, _)| entry.text("path")).peekable();
        if domain.has("periodic") || paths.peek().is_none() {
            self.check_shift(root, domain);
            return false;
        }
        let cell = paths.filter_map(|path| files.read(path).ok()).map(|table| table.cell).find(TableCell::is_periodic);
        if let Some(cell) = cell {
            (self.period, self.origin, self.tilt_of_cell) = (cell.period, cell.origin, cell.tilt);
        }
        cell.is_some()
    }

    /// Only grains that come from such a cell find their neighbours across its upper side.
    fn check_shift(&mut self, root: &Table, domain: &Table) {
        let placed = root.tables("grains").any(|(entry, _)| entry.variant != Some("snapshot"));
        if self.tilt_of_cell != 0.0 && (placed || root.tables("inlets").next().is_some()) {
            let place = domain.table("periodic").and_then(|table| table.get("shift"));
            if let Some(place) = place.map(|node| node.place.clone()) {
                self.faults.add(&place, "a sheared cell can only hold grains from a snapshot", "", "leave out `shift`");
            }
        }
    }

    /// The axis that points up if gravity is a number: y in 2D, z in 3D.
    fn last_axis(&self) -> usize {
        self.dimension - 1
    }

    fn gravity(&self, table: &Table) -> Point {
        match (table.number("gravity"), table.vector("gravity")) {
            (Some(strength), _) => std::array::from_fn(|i| if i == self.last_axis() { -strength } else { 0.0 }),
            (None, Some(vector)) => vector,
            (None, None) => [0.0; 3],
        }
    }

    fn tilt(&mut self, table: &Table, gravity: Point) -> Option<(Point, TimeFunction)> {
        let tilt = table.table("tilt")?;
        let towards = tilt.vector("towards")?;
        let angle = tilt.function("angle")?;
        let place = &tilt.get("towards")?.place;
        let Some(direction) = unit(towards) else {
            self.faults.add(place, "`towards` has no direction", "all components are 0", "");
            return None;
        };
        if dot(direction, gravity).abs() > 1e-9 * length(gravity) {
            self.faults.add(place, "`towards` must be perpendicular to gravity", "", "");
            return None;
        }
        Some((direction, angle))
    }

    fn find_wall(&mut self, name: &str, place: &Span) -> Option<usize> {
        let found = self.walls.iter().position(|wall| wall.name == name);
        if found.is_none() && !self.walls_broken {
            let help = suggestion(name, self.walls.iter().map(|wall| wall.name.as_str()));
            self.faults.add(place, format!("no such wall: \"{name}\""), "", help);
        }
        found
    }

    /// A vector as a direction; a zero vector is a fault.
    fn direction(&mut self, table: &Table, key: &str) -> Option<Point> {
        let vector = table.vector(key)?;
        let direction = unit(vector);
        if direction.is_none() {
            self.faults.add(&table.get(key)?.place, format!("`{key}` has no direction"), "all components are 0", "");
        }
        direction
    }

    /// The corners of a box; a box without room is a fault.
    fn corners(&mut self, table: &Table, place: &Span) -> Option<(Point, Point)> {
        let (lower, upper) = (table.vector("lower")?, table.vector("upper")?);
        for axis in 0..self.dimension {
            if lower[axis] >= upper[axis] {
                let message = format!("the box has no extent along {}", crate::vector::AXIS_NAMES[axis]);
                let label = format!("`lower` is {} and `upper` is {}", lower[axis], upper[axis]);
                self.faults.add(table.place("upper", place), message, label, "");
                return None;
            }
        }
        Some((lower, upper))
    }
}

fn outputs(table: &Table) -> Option<Outputs> {
    Some(Outputs {
        snapshot_interval: table.number("snapshot_interval"),
        snapshot_formats: words(table, "snapshot_formats"),
        series_interval: table.number("series_interval"),
        measure: words(table, "measure"),
        measure_interval: table.number("measure_interval"),
        checkpoint_interval: table.number("checkpoint_interval")?,
    })
}

/// A list of words.
fn words(table: &Table, key: &str) -> Vec<String> {
    table.list(key).iter().filter_map(|node| node.as_text().map(str::to_owned)).collect()
}
