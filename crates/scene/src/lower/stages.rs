//! Drivers, loads and stages, and whether every stage can end.

use super::{Lowering, solver};
use crate::check::{Node, Table, Value};
use crate::fault::suggestion;
use crate::model::*;
use crate::raw::Span;
use crate::vector::*;
use riprap_engine::TimeFunction;

impl Lowering<'_> {
    pub(super) fn drivers(&mut self, table: &Table) -> Vec<Driver> {
        let mut drivers: Vec<Driver> = Vec::new();
        for (entry, place) in table.tables("drivers") {
            let Some(driver) = self.driver(entry, place) else { continue };
            if drivers.iter().any(|other| other.wall == driver.wall) {
                let message = format!("wall \"{}\" has two drivers at the same time", self.walls[driver.wall].name);
                self.faults.add(entry.place("wall", place), message, "", "combine all motions of a wall in one entry");
            }
            drivers.push(driver);
        }
        drivers
    }

    fn driver(&mut self, table: &Table, place: &Span) -> Option<Driver> {
        let wall = table.get("wall").and_then(|node| self.find_wall(node.as_text()?, &node.place));
        let translation = ["x", "y", "z"].map(|axis| {
            let entry = table.table(axis)?.only()?;
            let Value::Function(function) = &entry.node.value else { return None };
            Some(match entry.key.as_str() {
                "velocity" => Drive::Velocity(function.clone()),
                "acceleration" => Drive::Acceleration(function.clone()),
                "displacement" => Drive::Displacement(function.clone()),
                "force" => Drive::Force(function.clone()),
                _ => Drive::Pressure(function.clone()),
            })
        });
        if !["x", "y", "z", "rotation", "on"].iter().any(|key| table.has(key)) {
            self.faults.add(place, "the driver has no motion", "", "give `x`, `y`, `z`, `rotation` or `on`");
        }
        let on = match table.get("on") {
            Some(node) => Some(self.find_wall(node.as_text()?, &node.place)?),
            None => None,
        };
        let wall = wall?;
        for (axis, drive) in translation.iter().enumerate() {
            if matches!(drive, Some(Drive::Pressure(_))) {
                self.check_pressure(table, place, wall, axis);
            }
        }
        let rotation = match table.get("rotation") {
            Some(node) => Some(self.rotation(node.as_table()?, &node.place, wall, table)?),
            None => None,
        };
        Some(Driver {
            at: At(place.clone()),
            wall,
            on,
            translation,
            rotation,
            mass: table.number("mass"),
            area: table.number("area"),
        })
    }

    /// A pressure needs a plane across the axis and an area that can be known.
    fn check_pressure(&mut self, table: &Table, place: &Span, wall: usize, axis: usize) {
        let at = table.place(AXIS_NAMES[axis], place);
        let Some(normal) = self.walls[wall].shape.plane_normal() else {
            self.faults.add(at, "a pressure can only act on a plane", "", "use `force`");
            return;
        };
        if normal[axis].abs() < 1e-9 {
            let label = format!("the wall's normal has no component along {}", AXIS_NAMES[axis]);
            self.faults.add(at, "a pressure must act along the normal of its wall", label, "");
        } else if !table.has("area") && loaded_spans(&self.walls, self.period, self.dimension, wall, axis).is_none() {
            self.faults.add(
                at,
                "the area of the wall is undefined",
                "",
                "set `area`, or add walls or periods on all sides",
            );
        }
    }

    fn rotation(&mut self, table: &Table, place: &Span, wall: usize, driver: &Table) -> Option<Rotation> {
        let axis = self.axis_of_rotation(table, place, wall)?;
        let [velocity, angle, torque, limit, hinge] =
            ["velocity", "angle", "torque", "largest_torque", "hinge"].map(|key| table.has(key));
        let is_free = torque || limit || hinge;
        let single = [velocity, angle, torque].iter().filter(|given| **given).count();
        let fits = (single == 1 && (velocity || !limit)) || (single == 0 && hinge && !limit);
        if !fits || (hinge && (angle || (velocity && !limit))) {
            let help = "give one of `velocity`, `angle` and `torque`; a `hinge` turns freely, or by `torque`, or by `velocity` \
                        with `largest_torque`; only `velocity` has a `largest_torque`";
            self.faults.add(place, "the rotation is missing or ambiguous", "", help);
            return None;
        }
        if is_free && aligned(axis).is_none() {
            let help = "expected an axis along x, y or z";
            let message = "a wall cannot turn freely about an oblique axis";
            self.faults.add(table.place("axis", place), message, "", help);
            return None;
        }
        let (hinge, inertia) = match table.table("hinge") {
            Some(entry) => {
                let (hinge, inertia) = self.hinge(entry, table.place("hinge", place), wall, axis)?;
                (Some(hinge), Some(inertia))
            }
            None => (None, table.number("inertia")),
        };
        if is_free && inertia.is_none() {
            let help = "a wall under a torque needs a moment of inertia";
            self.faults.add(place, "`inertia` is missing in `rotation`", "", help);
        }
        if table.has("inertia") && (hinge.is_some() || !is_free) {
            let help = if hinge.is_some() { "give it in `hinge`" } else { "an imposed rotation needs none" };
            self.faults.add(table.place("inertia", place), "`inertia` has no effect here", "", help);
        }
        if let Some(axis) = ["x", "y", "z"].iter().find(|axis| {
            let kinds = driver.table(axis).and_then(Table::only).map(|entry| entry.key.as_str());
            hinge.is_some() && matches!(kinds, Some("force" | "pressure"))
        }) {
            let help = "its pivot has an imposed motion";
            self.faults.add(driver.place(axis, place), "a force cannot move a hinged wall", "", help);
        }
        let turn = if limit {
            Turn::Motor {
                velocity: table.function("velocity")?,
                largest: table.number("largest_torque")?,
                inertia: inertia?,
            }
        } else if velocity {
            Turn::Velocity(table.function("velocity")?)
        } else if angle {
            Turn::Angle(table.function("angle")?)
        } else {
            let torque = if torque { table.function("torque")? } else { TimeFunction::Constant(0.0) };
            Turn::Torque { torque, inertia: inertia? }
        };
        Some(Rotation { axis, turn, hinge })
    }

    fn axis_of_rotation(&mut self, table: &Table, place: &Span, wall: usize) -> Option<Point> {
        if self.dimension == 2 {
            return Some([0.0, 0.0, 1.0]);
        }
        if table.has("axis") {
            return self.direction(table, "axis");
        }
        let own = self.walls[wall].shape.axis();
        if own.is_none() {
            let help = "only a drum or rod has an axis of its own";
            self.faults.add(place, "`axis` is missing in `rotation`", "", help);
        }
        own
    }

    /// What hangs on a hinge, and its moment of inertia: as given, or that of a block.
    fn hinge(&mut self, table: &Table, place: &Span, wall: usize, axis: Point) -> Option<(Hinge, f64)> {
        let wall = &self.walls[wall];
        let pivot = wall.shape.position;
        let density = self.materials.get(wall.material).and_then(|material| material.density);
        let own = wall.solid.zip(density).map(|(solid, density)| (solid, density * self.thickness));
        let mass = table.number("mass").or_else(|| own.map(|(solid, density)| density * solid.volume));
        let centre = table.vector("centre_of_mass").or_else(|| own.map(|(solid, _)| solid.centre));
        let inertia = table.number("inertia");
        let inertia = inertia.or_else(|| own.map(|(solid, density)| density * solid.moment_about(pivot, axis)));
        let parts = [("mass", mass.is_some()), ("centre_of_mass", centre.is_some()), ("inertia", inertia.is_some())];
        for (key, _) in parts.iter().filter(|(_, known)| !known) {
            let help = "only a `block` of a material with a density has its own";
            self.faults.add(place, format!("`{key}` is missing in `hinge`"), "", help);
        }
        let (mass, arm, inertia) = (mass?, sub(centre?, pivot), inertia?);
        let arm_across = across(arm, axis);
        let least = mass * dot(arm_across, arm_across);
        if inertia < least {
            let label = format!("the mass at its distance from the axis alone has {least:.3e} kg m2");
            self.faults.add(table.place("inertia", place), "the moment of inertia is too small", label, "");
        }
        Some((Hinge { mass, arm }, inertia))
    }

    /// A carrier has an imposed motion, at all times, and nothing carries itself.
    pub(super) fn check_carriers<'a>(&mut self, drivers: impl Iterator<Item = &'a Driver> + Clone) {
        for driver in drivers.clone() {
            let Some(carrier) = driver.on else { continue };
            let of_carrier = drivers.clone().filter(|other| other.wall == carrier);
            let name = &self.walls[carrier].name;
            if of_carrier.clone().any(Driver::is_loaded) {
                let help = "impose its motion";
                self.faults.add(&driver.at.0, format!("wall \"{name}\" cannot carry another"), "forces move it", help);
            }
            if driver.needs_mass() {
                let help = "along the axes only a motion can be imposed on it";
                self.faults.add(&driver.at.0, "a force cannot move a wall that is carried", "", help);
            }
            let turning = driver.rotation.as_ref().filter(|rotation| rotation.turn.inertia().is_some());
            let crosses = |other: &Driver| {
                let pair = other.rotation.as_ref().zip(turning);
                pair.is_some_and(|(carrier, own)| length(cross(carrier.axis, own.axis)) > 1e-9)
            };
            if of_carrier.clone().any(crosses) {
                let help = format!("wall \"{name}\" must turn about the same direction, or not at all");
                self.faults.add(&driver.at.0, "the axis of a wall that turns freely cannot turn", "", help);
            }
            let carried_by = |wall: usize| drivers.clone().find(|other| other.wall == wall).and_then(|other| other.on);
            let mut chain = std::iter::successors(Some(carrier), |&wall| carried_by(wall)).take(self.walls.len() + 1);
            if chain.any(|wall| wall == driver.wall) {
                self.faults.add(&driver.at.0, "a wall carries itself", "", "");
            }
        }
    }

    pub(super) fn loads(&mut self, table: &Table, groups: Option<&[String]>) -> Vec<LoadSpec> {
        let mut loads = Vec::new();
        for (entry, place) in table.tables("loads") {
            let target = match (entry.get("group"), entry.get("grain")) {
                (Some(node), None) => {
                    let Some(name) = node.as_text() else { continue };
                    if let Some(groups) = groups.filter(|groups| !groups.iter().any(|group| group == name)) {
                        let help = suggestion(name, groups.iter().map(String::as_str));
                        self.faults.add(&node.place, format!("no such group: \"{name}\""), "", help);
                    }
                    TargetSpec::Group(name.to_owned())
                }
                (None, Some(_)) => match entry.integer("grain").and_then(|grain| u32::try_from(grain).ok()) {
                    Some(grain) => TargetSpec::Grain(grain),
                    None => continue,
                },
                (None, None) => TargetSpec::All,
                (Some(_), Some(node)) => {
                    self.faults.add(&node.place, "give either `group` or `grain`", "", "");
                    continue;
                }
            };
            loads.extend(self.action(entry, place).map(|action| LoadSpec { target, action }));
        }
        loads
    }

    /// Force and torque, or a percussion.
    fn action(&mut self, entry: &Table, place: &Span) -> Option<ActionSpec> {
        let zero = || [0; 3].map(|_| TimeFunction::Constant(0.0));
        let of_blow = ["impulse", "time", "arm"];
        let Some(blow) = of_blow.into_iter().find(|key| entry.has(key)) else {
            if !entry.has("force") && !entry.has("torque") {
                let message = "the load has neither a force nor a torque nor an impulse";
                self.faults.add(place, message, "", "");
                return None;
            }
            return Some(ActionSpec::Steady {
                force: entry.functions("force").unwrap_or_else(zero),
                torque: entry.functions("torque").unwrap_or_else(zero),
            });
        };
        if let Some(steady) = ["force", "torque"].into_iter().find(|key| entry.has(key)) {
            let message = format!("`{blow}` does not go with `{steady}`");
            self.faults.add(entry.place(blow, place), message, "", "give the impulse in a load of its own");
            return None;
        }
        for missing in ["impulse", "time"].iter().filter(|key| !entry.has(key)) {
            let help = "a percussion is an `impulse` at a `time`";
            self.faults.add(place, format!("`{missing}` is missing"), "in this table", help);
        }
        Some(ActionSpec::Percussion {
            time: entry.number("time")?,
            impulse: entry.vector("impulse")?,
            arm: entry.vector("arm").unwrap_or_default(),
        })
    }

    pub(super) fn springs(&mut self, root: &Table) -> Vec<SpringSpec> {
        let mut springs = Vec::new();
        for (entry, place) in root.tables("springs") {
            let number = |node: &Node| match node.value {
                Value::Integer(grain) => u32::try_from(grain).ok(),
                _ => None,
            };
            let grains: Vec<u32> = entry.list("grains").iter().filter_map(number).collect();
            let [a, b] = grains[..] else {
                let message = format!("`grains` has {} numbers", entry.list("grains").len());
                self.faults.add(entry.place("grains", place), message, "expected two", "");
                continue;
            };
            if a == b {
                self.faults.add(entry.place("grains", place), "a spring cannot join a grain to itself", "", "");
            }
            let Some(stiffness) = entry.number("stiffness") else { continue };
            springs.push(SpringSpec { grains: [a, b], stiffness, rest: entry.number("rest_length") });
        }
        springs
    }

    pub(super) fn membranes(&mut self, root: &Table, groups: Option<&[String]>, stages: &[Stage]) -> Vec<MembraneSpec> {
        let mut membranes = Vec::new();
        for (entry, place) in root.tables("membranes") {
            let (Some(group), Some(towards), Some(pressure)) =
                (entry.text("group"), entry.vector("towards"), entry.function("pressure"))
            else {
                continue;
            };
            if let Some(groups) = groups.filter(|groups| !groups.iter().any(|name| name == group)) {
                let help = suggestion(group, groups.iter().map(String::as_str));
                self.faults.add(entry.place("group", place), format!("no such group: \"{group}\""), "", help);
            }
            if unit(towards).is_none() {
                let place = entry.place("towards", place);
                self.faults.add(place, "`towards` has no direction", "all components are 0", "");
            }
            let stage = match entry.text("stage") {
                None => 0,
                Some(name) => match stages.iter().position(|stage| stage.name == name) {
                    Some(stage) => stage,
                    None => {
                        let help = suggestion(name, stages.iter().map(|stage| stage.name.as_str()));
                        self.faults.add(entry.place("stage", place), format!("no such stage: \"{name}\""), "", help);
                        continue;
                    }
                },
            };
            membranes.push(MembraneSpec {
                group: group.to_owned(),
                towards,
                pressure: pressure.clone(),
                stiffness: entry.number("stiffness").unwrap_or(0.0),
                rest: entry.number("rest_length"),
                stage,
            });
        }
        membranes
    }

    pub(super) fn stages(
        &mut self,
        root: &Table,
        place: &Span,
        drivers: &[Driver],
        groups: Option<&[String]>,
        gravity: Point,
    ) -> Vec<Stage> {
        let mut stages: Vec<Stage> = Vec::new();
        for (table, place) in root.tables("stages") {
            let own_gravity = table.has("gravity").then(|| self.gravity(table));
            let stage = Stage {
                name: table.text("name").unwrap_or_default().to_owned(),
                end: End::default(),
                drivers: self.drivers(table),
                release: self.walls_named(table, "release"),
                remove: self.walls_named(table, "remove"),
                restore: self.walls_named(table, "restore"),
                let_through: self.let_through(table, groups),
                cell: self.cell(table),
                loads: self.loads(table, groups),
                gravity: own_gravity,
                tilt: self.tilt(table, own_gravity.unwrap_or(gravity)),
                ground: table.functions("ground_acceleration"),
                materials: self.stage_materials(table),
                pairs: self.pairs(table),
                solver: table.table("solver").map(solver::solver).unwrap_or_default(),
            };
            if stages.iter().any(|other| other.name == stage.name) {
                let message = format!("two stages have the name \"{}\"", stage.name);
                self.faults.add(table.place("name", place), message, "", "");
            }
            let weightless = length(own_gravity.unwrap_or(gravity)) == 0.0;
            stages.push(stage);
            if let Some(node) = table.get("end") {
                let driven = Driven {
                    drivers: active_drivers(drivers, &stages),
                    cell: stages.iter().rev().find_map(|stage| stage.cell.clone()).or_else(|| self.cell(root)),
                };
                if let Some(end) = self.end(node, &driven, weightless, groups) {
                    stages.last_mut().expect("one was just added").end = end;
                }
            }
        }
        if root.get("stages").is_some_and(|node| matches!(&node.value, Value::List(items) if items.is_empty())) {
            self.faults.add(root.place("stages", place), "there are no stages", "", "add at least one");
        }
        stages
    }

    /// The walls that a list names.
    pub(super) fn walls_named(&mut self, table: &Table, key: &str) -> Vec<usize> {
        table.list(key).iter().filter_map(|node| self.find_wall(node.as_text()?, &node.place)).collect()
    }

    fn let_through(&mut self, table: &Table, groups: Option<&[String]>) -> Vec<(usize, Vec<String>)> {
        let mut walls = Vec::new();
        for (entry, _) in table.tables("let_through") {
            let wall = entry.get("wall").and_then(|node| self.find_wall(node.as_text()?, &node.place));
            let mut names = Vec::new();
            for node in entry.list("groups") {
                let Some(name) = node.as_text() else { continue };
                if let Some(groups) = groups.filter(|groups| !groups.iter().any(|group| group == name)) {
                    let help = suggestion(name, groups.iter().map(String::as_str));
                    self.faults.add(&node.place, format!("no such group: \"{name}\""), "", help);
                }
                names.push(name.to_owned());
            }
            walls.extend(wall.map(|wall| (wall, names)));
        }
        walls
    }

    fn stage_materials(&mut self, table: &Table) -> Vec<(usize, LawSpec)> {
        let mut changes = Vec::new();
        for entry in table.table("materials").map_or(&[][..], |table| &table.entries) {
            let Some(index) = self.find_material(&entry.key, &entry.place) else { continue };
            let Some(material) = entry.node.as_table() else { continue };
            if let Some(node) = material.get("density") {
                self.faults.add(&node.place, "a stage cannot change a density", "", "");
            }
            let law = self.law(material);
            changes.push((index, law));
        }
        changes
    }

    fn end(&mut self, node: &Node, driven: &Driven<'_>, weightless: bool, groups: Option<&[String]>) -> Option<End> {
        let (table, place) = (node.as_table()?, &node.place);
        let criteria = [
            "time",
            "steps",
            "strain",
            "kinetic_energy",
            "kinetic_energy_over_mgd",
            "force_balance",
            "kinetic_energy_above",
            "kinetic_energy_above_mgd",
            "displacement",
            "contact_lost",
            "force_lost",
            "inside",
        ];
        if !criteria.iter().any(|key| table.has(key)) {
            let help = format!("give at least one of {}", criteria.join(", "));
            self.faults.add(place, "the stage can never end", "no end criterion", help);
            return None;
        }
        if table.has("kinetic_energy_over_mgd") && weightless {
            let at = table.place("kinetic_energy_over_mgd", place);
            self.faults.add(
                at,
                "the stage can never end",
                "there is no gravity, so `m g d` is 0",
                "use `kinetic_energy`",
            );
        }
        if table.has("kinetic_energy_above_mgd") && weightless {
            let at = table.place("kinetic_energy_above_mgd", place);
            let label = "there is no gravity, so `m g d` is 0";
            self.faults.add(at, "the stage would end at the first motion", label, "use `kinetic_energy_above`");
        }
        if let [low, high] = ["kinetic_energy_above", "kinetic_energy"].map(|key| table.number(key))
            && let (Some(low), Some(high)) = (low, high)
            && low <= high
        {
            let at = table.place("kinetic_energy_above", place);
            let message = "the stage ends at any energy";
            self.faults.add(at, message, "this is not above `kinetic_energy`", "give a larger energy for failure");
        }
        let watches = self.watches(table, place, groups);
        let strain = match (table.get("strain"), table.get("wall").or(table.get("axis"))) {
            (Some(_), _) => self.strain(table, place, driven),
            (None, Some(node)) => {
                self.faults.add(&node.place, "`wall` and `axis` apply to `strain`, which is missing", "", "");
                None
            }
            (None, None) => None,
        };
        Some(End {
            time: table.number("time"),
            steps: table.integer("steps").map(|steps| steps as u64),
            strain,
            kinetic_energy: table.number("kinetic_energy"),
            kinetic_energy_over_mgd: table.number("kinetic_energy_over_mgd"),
            force_balance: table.number("force_balance"),
            watches,
            hold: table.number("hold"),
        })
        .filter(|end| {
            let has_effect = !table.has("hold") || end.has_to_last();
            if !has_effect {
                let help = "it applies to energies, `force_balance`, `contact_lost` and `force_lost`";
                self.faults.add(table.place("hold", place), "`hold` has no effect here", "", help);
            }
            has_effect
        })
    }

    fn strain(&mut self, table: &Table, place: &Span, driven: &Driven<'_>) -> Option<Strain> {
        let Some(node) = table.get("wall") else {
            return match &driven.cell {
                Some(cell) => self.strain_of_cell(table, place, cell),
                None => {
                    self.faults.add(place, "`wall` is missing", "the strain needs a wall", "");
                    None
                }
            };
        };
        let wall = self.find_wall(node.as_text()?, &node.place)?;
        let Some(normal) = self.walls[wall].shape.normal(self.dimension) else {
            self.faults.add(&node.place, "the strain of a drum or rod is undefined", "expected a plane or plate", "");
            return None;
        };
        let axis = match table.get("axis") {
            Some(axis) => {
                let name = axis.as_text()?;
                let found = AXIS_NAMES[..self.dimension].iter().position(|axis| *axis == name);
                if found.is_none() {
                    self.faults.add(&axis.place, "there is no z axis in 2D", "", "");
                }
                found?
            }
            None => match aligned(normal) {
                Some((axis, _)) => axis,
                None => {
                    self.faults.add(place, "`axis` is missing", "the wall's normal is oblique", "");
                    return None;
                }
            },
        };
        let moves = driven.drivers.iter().find(|(_, driver)| driver.wall == wall).is_some_and(|(_, driver)| {
            match &driver.translation[axis] {
                Some(Drive::Velocity(rate) | Drive::Acceleration(rate)) => rate.largest() > 0.0,
                Some(Drive::Displacement(place)) => !matches!(place, TimeFunction::Constant(_)),
                Some(Drive::Force(_) | Drive::Pressure(_)) => true,
                None => false,
            }
        });
        if !moves {
            let name = &self.walls[wall].name;
            let label = format!("wall \"{name}\" does not move along {} in this stage", AXIS_NAMES[axis]);
            self.faults.add(
                table.place("strain", place),
                "the stage can never end",
                label,
                "add a driver for this wall",
            );
        }
        Some(Strain { strain: table.number("strain")?, wall: Some(wall), axis })
    }
}

/// What moves in a stage.
struct Driven<'a> {
    drivers: Vec<(Option<usize>, &'a Driver)>,
    cell: Option<CellSpec>,
}

/// The drivers that hold in the last of the given stages, each with the stage that it came with.
pub(crate) fn active_drivers<'a>(top: &'a [Driver], stages: &'a [Stage]) -> Vec<(Option<usize>, &'a Driver)> {
    let mut active: Vec<(Option<usize>, &Driver)> = top.iter().map(|driver| (None, driver)).collect();
    for (index, stage) in stages.iter().enumerate() {
        let ended =
            |wall: usize| stage.release.contains(&wall) || stage.drivers.iter().any(|driver| driver.wall == wall);
        active.retain(|(_, driver)| !ended(driver.wall));
        active.extend(stage.drivers.iter().map(|driver| (Some(index), driver)));
    }
    active
}

/// One factor of the area that a pressure acts on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum SpanSpec {
    Period(usize),
    Between([usize; 2], usize),
}

/// The spans of a wall across `axis`: periods, or the distance of the nearest planes that face each other, the sides
/// of the wall's own box first.
pub(crate) fn loaded_spans(
    walls: &[Wall],
    period: Point,
    dimension: usize,
    wall: usize,
    axis: usize,
) -> Option<Vec<SpanSpec>> {
    let family = walls[wall].name.split_once('.').map(|(family, _)| family);
    (0..dimension)
        .filter(|&across| across != axis)
        .map(|across| {
            if period[across] > 0.0 {
                return Some(SpanSpec::Period(across));
            }
            let find = |sign: f64| {
                facing_planes(walls, across, sign, Some(family)).or_else(|| facing_planes(walls, across, sign, None))
            };
            Some(SpanSpec::Between([find(1.0)?, find(-1.0)?], across))
        })
        .collect()
}

/// A plane across `axis` whose normal has this sign, of the walls of one box if its name is given.
pub(super) fn facing_planes(walls: &[Wall], axis: usize, sign: f64, family: Option<Option<&str>>) -> Option<usize> {
    walls.iter().position(|wall| {
        let own = wall.name.split_once('.').map(|(family, _)| family);
        let Some(normal) = wall.shape.plane_normal() else { return false };
        family.is_none_or(|family| family == own) && aligned(normal) == Some((axis, sign))
    })
}
