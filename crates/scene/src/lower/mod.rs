//! From checked tables to the model of a scene: what the parts mean together. Every function goes on after a fault, so
//! that all faults are found at once; what is missing or broken has been reported and is passed over.

mod cell;
mod grains;
mod laws;
mod methods;
mod shapes;
mod stages;
mod walls;

pub(crate) use cell::{active_cell, cell_spans};
pub(crate) use grains::{DEFAULT_SPACING, period_fault, up_axis};
pub(crate) use stages::{SpanSpec, active_drivers, loaded_spans};
pub(crate) use walls::{mesh_shape, triangles};

use crate::check::Table;
use crate::fault::{Collector, suggestion};
use crate::model::*;
use crate::raw::Span;
use crate::vector::{dot, length, unit};
use riprap_engine::{Criterion, GapVariant, Solver, SweepOrder, TimeFunction, Unconverged};

/// The model of a whole scene; none if something that everything needs is broken.
pub(crate) fn lower(root: &Table, place: &Span, faults: &mut Collector) -> Option<Model> {
    let dimension = root.integer("dimension")? as usize;
    let mut scene = Lowering {
        dimension,
        faults,
        materials: Vec::new(),
        walls: Vec::new(),
        walls_broken: false,
        period: [0.0; 3],
        origin: [0.0; 3],
        thickness: 1.0,
    };
    let domain = root.table("domain")?;
    scene.thickness = domain.number("thickness").unwrap_or(1.0);
    scene.origin = domain.vector("origin").unwrap_or_default();
    if let Some(periodic) = domain.table("periodic") {
        scene.period = ["x", "y", "z"].map(|axis| periodic.number(axis).unwrap_or(0.0));
    }
    let method = scene.method(root);
    let soft = methods::soft(root.table("md")?)?;
    let percussions = methods::percussions(root.table("acd2")?)?;
    let gravity = scene.gravity(domain);
    let tilt = scene.tilt(domain, gravity);
    scene.materials(root);
    let pairs = scene.pairs(root);
    let containers = scene.walls(root);
    let grains = scene.grains(root, &containers, gravity);
    let drivers = scene.drivers(root);
    let groups = scene.groups(&grains);
    let loads = scene.loads(root, groups.as_deref());
    let springs = scene.springs(root);
    let mut solver = solver(root.table("solver")?);
    let mut stages = scene.stages(root, place, &drivers, groups.as_deref(), gravity);
    scene.check_stiffness(root, method);
    keep_strain(&mut solver, &mut stages);
    let liquid = scene.liquid(root);
    let bonds = scene.bonds(root, groups.as_deref(), &stages);
    let membranes = scene.membranes(root, groups.as_deref(), &stages);
    let cell = scene.cell(root);
    scene.check_cells(root, cell.as_ref(), &stages, gravity, method);
    let outputs = root.table("outputs")?;
    let outputs = Outputs {
        snapshot_interval: outputs.number("snapshot_interval"),
        snapshot_formats: words(outputs, "snapshot_formats"),
        series_interval: outputs.number("series_interval"),
        measure: words(outputs, "measure"),
        measure_interval: outputs.number("measure_interval"),
        checkpoint_interval: outputs.number("checkpoint_interval")?,
    };
    Some(Model {
        title: root.text("title").unwrap_or_default().to_owned(),
        method,
        soft,
        percussions,
        dimension,
        seed: root.integer("seed")? as u64,
        gravity: GravitySpec { acceleration: gravity, tilt },
        period: scene.period,
        origin: scene.origin,
        thickness: scene.thickness,
        cell,
        materials: scene.materials,
        pairs,
        grains,
        walls: scene.walls,
        drivers,
        loads,
        springs,
        membranes,
        liquid,
        bonds,
        solver,
        stages,
        outputs,
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
    thickness: f64,
}

impl Lowering<'_> {
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

    fn materials(&mut self, root: &Table) {
        let Some(table) = root.table("materials") else { return };
        for entry in &table.entries {
            let Some(material) = entry.node.as_table() else {
                self.materials.push(Material { name: entry.key.clone(), density: None, law: LawSpec::default() });
                continue;
            };
            let law = self.law(material);
            if law.static_friction.is_none() && !has_friction(material) {
                let message = format!("material \"{}\" has no friction", entry.key);
                self.faults.add(
                    &entry.place,
                    message,
                    "",
                    "give `friction`, or `static_friction` and `dynamic_friction`",
                );
            }
            self.materials.push(Material {
                name: entry.key.clone(),
                density: material.number("density").or(material.has("density").then_some(f64::NAN)),
                law,
            });
        }
        if table.entries.is_empty() {
            self.faults.add(&root.get("materials").expect("it is there").place, "no material is defined", "", "");
        }
    }

    /// The law's parameters of a material or pair. `friction` stands for both frictions, and one of them for the other.
    fn law(&mut self, table: &Table) -> LawSpec {
        let both = table.number("friction");
        if let (Some(node), true) =
            (table.get("friction"), table.has("static_friction") || table.has("dynamic_friction"))
        {
            let help = "give `friction` alone, or `static_friction` and `dynamic_friction`";
            self.faults.add(&node.place, "`friction` is given twice", "", help);
        }
        let (at_rest, sliding) = (table.number("static_friction"), table.number("dynamic_friction"));
        if let (Some(at_rest), Some(sliding), Some(node)) = (at_rest, sliding, table.get("dynamic_friction"))
            && sliding > at_rest
        {
            let message = "`dynamic_friction` is greater than `static_friction`";
            self.faults.add(&node.place, message, format!("expected at most {at_rest}"), "");
        }
        let friction_curve = self.speed_curve(table, "friction_by_speed", f64::INFINITY);
        if let (Some(node), true) =
            (table.get("friction_by_speed"), table.has("friction") || table.has("dynamic_friction"))
        {
            let help = "with `friction_by_speed`, only `static_friction` may be given";
            self.faults.add(&node.place, "`friction` is given twice", "", help);
        }
        let restitution_curve = self.speed_curve(table, "restitution_by_speed", 1.0);
        if let (Some(node), true) = (
            table.get("restitution_by_speed"),
            table.number("normal_restitution").is_some_and(|restitution| restitution != 0.0),
        ) {
            self.faults.add(&node.place, "`normal_restitution` is given twice", "", "");
        }
        let rest = friction_curve.as_ref().map(|curve| curve.at(0.0));
        LawSpec {
            static_friction: both.or(at_rest).or(sliding).or(rest),
            dynamic_friction: both.or(sliding).or(rest).or(at_rest),
            friction_curve,
            restitution_curve,
            rolling: self.torque_limit(table, "rolling_friction"),
            torsion: self.torque_limit(table, "torsion_friction"),
            cohesion: self.cohesion(table),
            normal_restitution: table.number("normal_restitution"),
            tangential_restitution: table.number("tangential_restitution"),
            normal_viscosity: table.number("normal_viscosity"),
            tangential_viscosity: table.number("tangential_viscosity"),
            tresca: table.number("tresca"),
        }
    }

    fn pairs(&mut self, table: &Table) -> Vec<Pair> {
        let mut pairs: Vec<Pair> = Vec::new();
        for (entry, place) in table.tables("pairs") {
            let law = self.law(entry);
            let names = entry.list("materials");
            if entry.get("materials").is_some_and(|node| matches!(node.value, crate::check::Value::List(_)))
                && names.len() != 2
            {
                let message = format!("`materials` has {} names", names.len());
                self.faults.add(entry.place("materials", place), message, "expected two", "");
                continue;
            }
            let found: Vec<Option<usize>> =
                names.iter().map(|node| self.find_material(node.as_text()?, &node.place)).collect();
            let [Some(a), Some(b)] = found[..] else { continue };
            if pairs.iter().any(|pair| pair.materials == [a, b] || pair.materials == [b, a]) {
                self.faults.add(entry.place("materials", place), "this pair of materials is given twice", "", "");
            }
            pairs.push(Pair { materials: [a, b], law });
        }
        pairs
    }

    fn find_material(&mut self, name: &str, place: &Span) -> Option<usize> {
        let found = self.materials.iter().position(|material| material.name == name);
        if found.is_none() {
            let help = suggestion(name, self.materials.iter().map(|material| material.name.as_str()));
            self.faults.add(place, format!("no such material: \"{name}\""), "", help);
        }
        found
    }

    /// The material of an entry: the one that it names, or the only one.
    fn material(&mut self, table: &Table, place: &Span) -> Option<usize> {
        match table.get("material") {
            Some(node) => self.find_material(node.as_text()?, &node.place),
            None if self.materials.len() == 1 => Some(0),
            None => {
                if !self.materials.is_empty() {
                    let names: Vec<&str> = self.materials.iter().map(|m| m.name.as_str()).collect();
                    let help = format!("the scene has several materials: {}", names.join(", "));
                    self.faults.add(place, "`material` is missing", "in this table", help);
                }
                None
            }
        }
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

fn has_friction(table: &Table) -> bool {
    ["friction", "static_friction", "dynamic_friction", "friction_by_speed"].iter().any(|key| table.has(key))
}

/// The choices that a `[solver]` table gives.
fn solver(table: &Table) -> SolverSpec {
    let sweeps = |key: &str| table.integer(key).and_then(|n| u32::try_from(n).ok());
    let criterion = table.table("criterion").and_then(Table::only).and_then(|entry| {
        let table = table.table("criterion")?;
        Some(match entry.key.as_str() {
            "residual" => Criterion::Residual { tolerance: table.number("residual")? },
            "mean_force" => Criterion::MeanForce { epsilon: table.number("mean_force")? },
            "motion" => {
                let motion = table.table("motion")?;
                Criterion::Motion { velocity: motion.number("velocity")?, residual: motion.number("residual")? }
            }
            "sweeps" => Criterion::Fixed { sweeps: u32::try_from(table.integer("sweeps")?).ok()? },
            _ => {
                let local = table.table("local_force")?;
                Criterion::LocalForce { epsilon: local.number("change")?, cutoff: local.number("cutoff")? }
            }
        })
    });
    SolverSpec {
        time_step: table.number("time_step"),
        scheme: table.text("scheme").map(|word| match word {
            "midpoint" => SchemeSpec::Midpoint,
            _ => SchemeSpec::Euler,
        }),
        gap: table.text("gap").map(|word| match word {
            "keep" => GapVariant::Keep,
            "relax" => GapVariant::Relax,
            _ => GapVariant::Correct,
        }),
        midpoint_tolerance: table.number("midpoint_tolerance"),
        solver: table.text("solver").map(|word| match word {
            "gauss-seidel" => Solver::GaussSeidel,
            "momentum" => Solver::Momentum,
            "capped-momentum" => Solver::CappedMomentum,
            _ => Solver::Auto,
        }),
        order: table.text("order").map(|word| match word {
            "random" => SweepOrder::Random,
            "sequential" => SweepOrder::Sequential,
            "forward-backward" => SweepOrder::ForwardBackward,
            _ => SweepOrder::Spatial,
        }),
        criterion,
        min_sweeps: sweeps("min_sweeps"),
        max_sweeps: sweeps("max_sweeps"),
        warm_start: table.flag("warm_start"),
        stiffness: table.number("stiffness"),
        on_unconverged: table.text("on_unconverged").map(|word| match word {
            "stop" => Unconverged::Stop,
            _ => Unconverged::Continue,
        }),
    }
}

/// Where the scene leaves it open, overlaps stay if contacts have a stiffness, as they are its strain. What they do if not
/// depends on the grains, and is chosen once these are known.
fn keep_strain(solver: &mut SolverSpec, stages: &mut [Stage]) {
    if solver.gap.is_none() {
        solver.gap = solver.stiffness.map(|_| GapVariant::Keep);
        for stage in stages.iter_mut().filter(|stage| stage.solver.stiffness.is_some()) {
            stage.solver.gap.get_or_insert(GapVariant::Keep);
        }
    }
}

/// A list of words.
fn words(table: &Table, key: &str) -> Vec<String> {
    table.list(key).iter().filter_map(|node| node.as_text().map(str::to_owned)).collect()
}
