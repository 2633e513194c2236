//! Laws of contacts beyond friction and restitution, liquid and bonds.

use super::Lowering;
use crate::check::{Node, Table, Value};
use crate::fault::suggestion;
use crate::model::*;
use crate::raw::Span;
use riprap_engine::{BondLaw, BondStrength, Bridges, Cohesion, Extent, SpeedCurve, Strength, TorqueLimit};

impl Lowering<'_> {
    /// A number by speed; its values lie in a range.
    pub(super) fn speed_curve(&mut self, table: &Table, key: &str, range: [f64; 2]) -> Option<SpeedCurve> {
        let given = table.table(key)?;
        let entry = given.only()?;
        match entry.key.as_str() {
            "table" => {
                let Value::Rows(rows) = &entry.node.value else { return None };
                let points: Vec<[f64; 2]> = rows.iter().map(|row| [row[0], row[1]]).collect();
                let place = &entry.node.place;
                if points.is_empty() {
                    self.faults.add(place, "the table is empty", "", "add rows [speed, value]");
                    return None;
                }
                if points[0][0] < 0.0 {
                    self.faults.add(place, "the table contains a negative speed", "", "");
                    return None;
                }
                let [least, most] = range;
                if points.iter().any(|point| !(least..=most).contains(&point[1])) {
                    let label = match most.is_finite() {
                        true => format!("expected {least} to {most}"),
                        false => format!("expected {least} or greater"),
                    };
                    self.faults.add(place, "the table contains a value out of range", label, "");
                    return None;
                }
                Some(SpeedCurve::Table(points))
            }
            "decay" => {
                let decay = entry.node.as_table()?;
                let (from, to) = (decay.number("from")?, decay.number("to")?);
                Some(SpeedCurve::Decay { from, to, speed: decay.number("speed")? })
            }
            _ => {
                let power = entry.node.as_table()?;
                Some(SpeedCurve::Power {
                    value: power.number("value")?,
                    speed: power.number("speed")?,
                    exponent: power.number("exponent")?,
                })
            }
        }
    }

    /// The limit of a contact torque.
    pub(super) fn torque_limit(&mut self, table: &Table, key: &str) -> Option<TorqueLimit> {
        let node = table.get(key)?;
        let limit = match &node.value {
            Value::Number(length) => TorqueLimit::Length(*length),
            Value::Table(limit) => {
                let rough = limit.has("roughness");
                let ways = [
                    limit.has("length"),
                    limit.has("coefficient") && !rough,
                    limit.has("loss") || limit.has("modulus"),
                    rough,
                    limit.has("viscous_time"),
                ];
                if ways.iter().filter(|given| **given).count() != 1 {
                    let help =
                        "give `length`, or `coefficient`, or `loss` with `modulus`, or `roughness`, or `viscous_time`";
                    self.faults.add(&node.place, format!("`{key}` needs exactly one limit"), "", help);
                    return None;
                }
                if ways[2] && !(limit.has("loss") && limit.has("modulus")) {
                    self.faults.add(&node.place, "`loss` and `modulus` must be given together", "", "give both");
                    return None;
                }
                if ways[0] {
                    TorqueLimit::Length(limit.number("length")?)
                } else if rough {
                    TorqueLimit::Rough {
                        roughness: limit.number("roughness")?,
                        coefficient: limit.number("coefficient").unwrap_or(1.0),
                    }
                } else if ways[4] {
                    TorqueLimit::Viscous(limit.number("viscous_time")?)
                } else if ways[1] {
                    TorqueLimit::Reduced(limit.number("coefficient")?)
                } else {
                    // A force in 2D is that of the whole thickness.
                    TorqueLimit::Hertz {
                        loss: limit.number("loss")?,
                        modulus: limit.number("modulus")? * self.thickness,
                    }
                }
            }
            _ => return None,
        };
        Some(limit)
    }

    /// Adhesion or cohesion of a material or pair.
    pub(super) fn cohesion(&mut self, table: &Table) -> Option<Cohesion> {
        let adhesion = table.number("adhesion");
        let Some(node) = table.get("cohesion") else {
            let force = adhesion?;
            return Some(Cohesion { strength: Strength::Force(force), extent: Extent::Contact });
        };
        if let Some(adhesion) = table.get("adhesion") {
            let help = "remove one: adhesion is cohesion without a range";
            self.faults.add(&adhesion.place, "`adhesion` and `cohesion` exclude each other", "", help);
        }
        let cohesion = node.as_table()?;
        let strength = self.one_of(cohesion, node, &["force", "force_per_radius", "surface_energy"]);
        let extent = self.one_of(cohesion, node, &["range", "energy"]);
        let strength = match strength? {
            ("force", force) => Strength::Force(force),
            ("surface_energy", energy) => Strength::of_surface_energy(energy),
            (_, per_radius) => Strength::PerRadius(per_radius),
        };
        let extent = match extent? {
            ("range", range) => Extent::Range(range),
            (_, energy) => Extent::Energy(energy),
        };
        Some(Cohesion { strength, extent })
    }

    /// The only one of some numbers that a table gives; none or several are a fault.
    fn one_of<'k>(&mut self, table: &Table, node: &Node, keys: &[&'k str]) -> Option<(&'k str, f64)> {
        let given: Vec<&&str> = keys.iter().filter(|key| table.has(key)).collect();
        let names = || keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
        match given[..] {
            [key] => Some((key, table.number(key)?)),
            [] => {
                self.faults.add(&node.place, format!("`cohesion` needs one of {}", names()), "", "");
                None
            }
            [_, second, ..] => {
                let label = match *second {
                    "energy" => "the range is the energy divided by the force",
                    _ => "the force is given twice",
                };
                self.faults.add(table.place(second, &node.place), format!("give only one of {}", names()), label, "");
                None
            }
        }
    }

    /// The liquid between grains.
    pub(super) fn liquid(&mut self, root: &Table) -> Option<LiquidSpec> {
        let node = root.get("liquid")?;
        let table = node.as_table()?;
        if self.dimension == 2 {
            let help = "remove `[liquid]`, or make the scene 3D";
            self.faults.add(&node.place, "capillary bridges form between spheres only", "the scene is 2D", help);
        }
        let amount = match (table.number("water_content"), table.number("volume")) {
            (Some(content), None) => LiquidAmount::Content { content, density: table.number("density")? },
            (None, Some(volume)) => LiquidAmount::Volume(volume),
            _ if table.has("water_content") == table.has("volume") => {
                self.faults.add(
                    &node.place,
                    "the amount of liquid must be given exactly once",
                    "",
                    "give either `water_content` or `volume`",
                );
                return None;
            }
            _ => return None,
        };
        Some(LiquidSpec {
            at: At(node.place.clone()),
            amount,
            surface_tension: table.number("surface_tension")?,
            contact_angle: table.number("contact_angle")?,
            bridges: match table.text("bridges")? {
                "contact" => Bridges::AtContact,
                _ => Bridges::Shared,
            },
        })
    }

    /// The bonds, each with the stage at whose start it is made.
    pub(super) fn bonds(&mut self, root: &Table, groups: Option<&[String]>, stages: &[Stage]) -> Vec<BondSpec> {
        let mut bonds = Vec::new();
        for (table, place) in root.tables("bonds") {
            bonds.extend(self.bond(table, place, groups, stages));
        }
        bonds
    }

    fn bond(&mut self, table: &Table, place: &Span, groups: Option<&[String]>, stages: &[Stage]) -> Option<BondSpec> {
        if let (Some(node), Some(name), Some(groups)) = (table.get("group"), table.text("group"), groups)
            && !groups.iter().any(|group| group == name)
        {
            let help = suggestion(name, groups.iter().map(String::as_str));
            self.faults.add(&node.place, format!("no such group: \"{name}\""), "", help);
        }
        let stage = match (table.get("stage"), table.text("stage")) {
            (Some(node), Some(name)) => {
                let found = stages.iter().position(|stage| stage.name == name);
                if found.is_none() {
                    let help = suggestion(name, stages.iter().map(|stage| stage.name.as_str()));
                    self.faults.add(&node.place, format!("no such stage: \"{name}\""), "", help);
                }
                found?
            }
            _ => 0,
        };
        let which = if table.has("pairs") {
            if table.has("group") {
                self.faults.add(table.place("pairs", place), "give either `group` or `pairs`", "", "");
            }
            if stage > 0 {
                let help = "use `group` instead: its grains that touch at that time are bonded";
                let message = "pairs of grains can be bonded in the first stage only";
                self.faults.add(
                    table.place("pairs", place),
                    message,
                    "it is unknown whether they will touch in a later stage",
                    help,
                );
            }
            let mut pairs = Vec::new();
            for node in table.list("pairs") {
                let Value::List(ends) = &node.value else { continue };
                let ends: Vec<u32> = ends
                    .iter()
                    .filter_map(|end| match end.value {
                        Value::Integer(grain) => u32::try_from(grain).ok(),
                        _ => None,
                    })
                    .collect();
                match ends[..] {
                    [a, b] if a != b => pairs.push([a, b]),
                    _ => {
                        self.faults.add(&node.place, "a bond joins exactly two grains", "", "give pairs such as [0, 1]")
                    }
                }
            }
            Glued::Pairs(pairs)
        } else {
            table.text("group").map_or(Glued::All, |group| Glued::Group(group.to_owned()))
        };
        if table.has("walls") && table.has("pairs") {
            self.faults.add(table.place("walls", place), "give either `walls` or `pairs`", "", "");
        }
        let walls = self.walls_named(table, "walls");
        Some(BondSpec { at: At(place.clone()), stage, which, walls, strength: self.strength(table, place)? })
    }

    /// The strength of bonds, as forces and torques of each or as stresses.
    fn strength(&mut self, table: &Table, place: &Span) -> Option<BondStrength> {
        let forces = ["tensile_strength", "shear_strength", "bending_strength", "twisting_strength"];
        let stresses = ["tensile_stress", "shear_stress"];
        let given = stresses.iter().find(|key| table.has(key));
        if let (Some(stress), Some(force)) = (given, forces.iter().find(|key| table.has(key))) {
            let message = format!("give strengths as forces or as stresses: `{force}` does not go with `{stress}`");
            let help = "with stresses, all strengths follow from the area of contact";
            self.faults.add(table.place(force, place), message, "", help);
        }
        let needed = if given.is_some() { &stresses[..] } else { &forces[..2] };
        for missing in needed.iter().filter(|key| !table.has(key)) {
            let help = "strengths are `tensile_strength` and `shear_strength` in N, or `tensile_stress` and `shear_stress` in Pa";
            self.faults.add(place, format!("`{missing}` is missing"), "in this table", help);
        }
        Some(if given.is_some() {
            BondStrength::Stress { tensile: table.number("tensile_stress")?, shear: table.number("shear_stress")? }
        } else {
            BondStrength::Each(BondLaw {
                tensile_strength: table.number("tensile_strength")?,
                shear_strength: table.number("shear_strength")?,
                bending_strength: table.number("bending_strength").unwrap_or(0.0),
                twisting_strength: table.number("twisting_strength").unwrap_or(0.0),
            })
        })
    }
}
