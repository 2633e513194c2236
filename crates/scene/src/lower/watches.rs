//! Ends of stages by failure, or by what is in a part of space.

use super::Lowering;
use crate::check::Table;
use crate::fault::suggestion;
use crate::model::*;
use crate::raw::Span;
use crate::vector::AXIS_NAMES;

impl Lowering<'_> {
    /// What else ends a stage.
    pub(super) fn watches(&mut self, table: &Table, place: &Span, groups: Option<&[String]>) -> Vec<Watch> {
        let energy = table.number("kinetic_energy_above").map(|energy| Watch::Energy { energy });
        let over_mgd = table.number("kinetic_energy_above_mgd").map(|part| Watch::EnergyOverMgd { part });
        let displacement = table.table("displacement").and_then(|inner| {
            Some(Watch::Displacement {
                group: self.group_named(inner, groups)?,
                axis: self.axis_named(inner)?,
                distance: inner.number("distance")?,
            })
        });
        let contact_lost = table.has("contact_lost").then(|| self.contact_lost(table, place, groups)).flatten();
        let force_lost = table.table("force_lost").and_then(|inner| {
            let node = inner.get("wall")?;
            let wall = self.find_wall(node.as_text()?, &node.place)?;
            Some(Watch::ForceLost { wall: self.walls[wall].name.clone(), force: inner.number("force")? })
        });
        let inside = table.get("inside").and_then(|node| self.contents(node.as_table()?, &node.place, groups));
        [energy, over_mgd, displacement, contact_lost, force_lost, inside].into_iter().flatten().collect()
    }

    /// The group that `group` names, if any; none if there is no such group.
    fn group_named(&mut self, table: &Table, groups: Option<&[String]>) -> Option<Option<String>> {
        let Some(node) = table.get("group") else { return Some(None) };
        let name = node.as_text()?;
        if let Some(groups) = groups.filter(|groups| !groups.iter().any(|group| group == name)) {
            let help = suggestion(name, groups.iter().map(String::as_str));
            self.faults.add(&node.place, format!("no such group: \"{name}\""), "", help);
            return None;
        }
        Some(Some(name.to_owned()))
    }

    /// The axis that `axis` names, if any; none if there is no such axis.
    fn axis_named(&mut self, table: &Table) -> Option<Option<usize>> {
        let Some(node) = table.get("axis") else { return Some(None) };
        let name = node.as_text()?;
        let found = AXIS_NAMES[..self.dimension].iter().position(|axis| *axis == name);
        if found.is_none() {
            self.faults.add(&node.place, "there is no z axis in 2D", "", "");
        }
        found.map(Some)
    }

    fn contact_lost(&mut self, table: &Table, place: &Span, groups: Option<&[String]>) -> Option<Watch> {
        let names: Vec<(String, Span)> = table
            .list("contact_lost")
            .iter()
            .filter_map(|node| Some((node.as_text()?.to_owned(), node.place.clone())))
            .collect();
        let [(a, _), (b, _)] = &names[..] else {
            let message = format!("`contact_lost` has {} names", names.len());
            self.faults.add(table.place("contact_lost", place), message, "expected two", "");
            return None;
        };
        let walls: Vec<String> = self.walls.iter().map(|wall| wall.name.clone()).collect();
        let mut is_known = true;
        for (name, at) in &names {
            let is_group = groups.is_none_or(|groups| groups.contains(name));
            if !is_group && !walls.contains(name) {
                let known = groups.unwrap_or_default().iter().chain(&walls);
                let help = suggestion(name, known.map(String::as_str));
                self.faults.add(at, format!("no such group or wall: \"{name}\""), "", help);
                is_known = false;
            }
        }
        if walls.contains(a) && walls.contains(b) {
            let at = table.place("contact_lost", place);
            self.faults.add(at, "the stage can never end", "two walls never touch", "name a group of grains");
            return None;
        }
        is_known.then(|| Watch::ContactLost { between: [a.clone(), b.clone()] })
    }

    fn contents(&mut self, table: &Table, place: &Span, groups: Option<&[String]>) -> Option<Watch> {
        let (within, group) = (self.place(table), self.group_named(table, groups));
        let limits = ["number_below", "number_above", "mass_below", "mass_above"];
        let given: Vec<&str> = limits.into_iter().filter(|key| table.has(key)).collect();
        let [limit] = given[..] else {
            let help = format!("give one of {}", limits.join(", "));
            self.faults.add(place, "`inside` needs one limit", format!("there are {}", given.len()), help);
            return None;
        };
        Some(Watch::Inside {
            at: At(table.place(limit, place).clone()),
            place: within?,
            group: group?,
            number: table.integer(limit).filter(|_| limit.starts_with("number")).map(|number| number as f64),
            mass: table.number(limit).filter(|_| limit.starts_with("mass")),
            below: limit.ends_with("below"),
        })
    }
}
