//! The method of a run, and whether it knows the laws of the scene.

use super::Lowering;
use crate::check::{Table, Value};
use crate::model::*;

/// Laws that not every method has: the key in a material or pair, the law in words, and the methods that have it.
const LAWS: &[(&str, &str, &[MethodSpec])] = &[
    ("tangential_restitution", "tangential restitution", &[MethodSpec::Cd]),
    ("normal_viscosity", "viscosity of contacts", &[MethodSpec::Acd2]),
    ("tangential_viscosity", "viscosity of contacts", &[MethodSpec::Acd2]),
    ("tresca", "Tresca's threshold", &[MethodSpec::Acd2]),
];

impl Lowering<'_> {
    /// The method, once the laws of all materials and pairs are found to fit it.
    pub(super) fn method(&mut self, root: &Table) -> MethodSpec {
        let method = root.text("method").and_then(MethodSpec::from_word).unwrap_or_default();
        if let (MethodSpec::Acd2, Some(node)) = (method, root.get("method")) {
            self.faults.add(&node.place, "method \"acd2\" is not in this release", "", "choose \"cd\" or \"md\"");
        }
        self.check_laws(root, method);
        for (stage, _) in root.tables("stages") {
            self.check_laws(stage, method);
        }
        method
    }

    fn check_laws(&mut self, table: &Table, method: MethodSpec) {
        let named = table.table("materials").into_iter().flat_map(|named| &named.entries);
        let materials = named.filter_map(|entry| entry.node.as_table());
        let entries: Vec<&Table> = materials.chain(table.tables("pairs").map(|(pair, _)| pair)).collect();
        for (key, law, methods) in LAWS {
            for node in entries.iter().filter_map(|entry| entry.get(key)) {
                let absent = matches!(node.value, Value::Number(value) if value == 0.0);
                if !absent && !methods.contains(&method) {
                    let knows: Vec<String> = methods.iter().map(|method| format!("\"{}\"", method.word())).collect();
                    self.faults.add(
                        &node.place,
                        format!("method \"{}\" has no {law}", method.word()),
                        "",
                        format!("leave it out, or choose method = {}", knows.join(" or ")),
                    );
                }
            }
        }
    }
}

/// What the section `[md]` says.
pub(super) fn soft(table: &Table) -> Option<SoftSpec> {
    Some(SoftSpec {
        stiffness: table.number("stiffness"),
        overlap: table.number("overlap")?,
        tangential_ratio: table.number("tangential_stiffness")?,
        damping: table.number("damping"),
        clamp: table.flag("clamp")?,
        steps_per_collision: table.number("steps_per_collision")?,
        time_step: table.number("time_step"),
    })
}
