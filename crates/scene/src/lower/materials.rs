//! Materials, pairs of materials, and the contact laws that their keys define.

use super::Lowering;
use crate::check::{Table, Value};
use crate::fault::suggestion;
use crate::model::*;
use crate::raw::Span;

impl Lowering<'_> {
    pub(super) fn materials(&mut self, root: &Table) {
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
            if law.couples_torsion == Some(true) && !material.has("torsion_friction") {
                let place = material.place("coupled_torsion", &entry.place);
                let message = "`coupled_torsion` has no effect without `torsion_friction`";
                self.faults.add(place, message, "", "give `torsion_friction`, or remove it");
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
    pub(super) fn law(&mut self, table: &Table) -> LawSpec {
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
        let friction_curve = self.speed_curve(table, "friction_by_speed", [0.0, f64::INFINITY]);
        if let (Some(node), true) =
            (table.get("friction_by_speed"), table.has("friction") || table.has("dynamic_friction"))
        {
            let help = "with `friction_by_speed`, only `static_friction` may be given";
            self.faults.add(&node.place, "`friction` is given twice", "", help);
        }
        let restitution_curve = self.speed_curve(table, "restitution_by_speed", [0.0, 1.0]);
        if let (Some(node), true) = (
            table.get("restitution_by_speed"),
            table.number("normal_restitution").is_some_and(|restitution| restitution != 0.0),
        ) {
            self.faults.add(&node.place, "`normal_restitution` is given twice", "", "");
        }
        let tangential_curve = self.speed_curve(table, "tangential_restitution_by_speed", [-1.0, 1.0]);
        if let (Some(node), true) = (
            table.get("tangential_restitution_by_speed"),
            table.number("tangential_restitution").is_some_and(|restitution| restitution != 0.0),
        ) {
            self.faults.add(&node.place, "`tangential_restitution` is given twice", "", "");
        }
        let rest = friction_curve.as_ref().map(|curve| curve.at(0.0));
        LawSpec {
            static_friction: both.or(at_rest).or(sliding).or(rest),
            dynamic_friction: both.or(sliding).or(rest).or(at_rest),
            friction_curve,
            restitution_curve,
            tangential_curve,
            rolling: self.torque_limit(table, "rolling_friction"),
            torsion: self.torque_limit(table, "torsion_friction"),
            couples_torsion: table.flag("coupled_torsion"),
            cohesion: self.cohesion(table),
            normal_restitution: table.number("normal_restitution"),
            tangential_restitution: table.number("tangential_restitution"),
            normal_viscosity: table.number("normal_viscosity"),
            tangential_viscosity: table.number("tangential_viscosity"),
            tresca: table.number("tresca"),
            wear: table.number("wear"),
        }
    }

    pub(super) fn pairs(&mut self, table: &Table) -> Vec<Pair> {
        let mut pairs: Vec<Pair> = Vec::new();
        for (entry, place) in table.tables("pairs") {
            let law = self.law(entry);
            let names = entry.list("materials");
            if entry.get("materials").is_some_and(|node| matches!(node.value, Value::List(_))) && names.len() != 2 {
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

    pub(super) fn find_material(&mut self, name: &str, place: &Span) -> Option<usize> {
        let found = self.materials.iter().position(|material| material.name == name);
        if found.is_none() {
            let help = suggestion(name, self.materials.iter().map(|material| material.name.as_str()));
            self.faults.add(place, format!("no such material: \"{name}\""), "", help);
        }
        found
    }

    /// The material of an entry: the one that it names, or the only one.
    pub(super) fn material(&mut self, table: &Table, place: &Span) -> Option<usize> {
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
}

fn has_friction(table: &Table) -> bool {
    ["friction", "static_friction", "dynamic_friction", "friction_by_speed"].iter().any(|key| table.has(key))
}
