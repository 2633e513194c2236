//! The method of a run, and whether it knows the laws of the scene.

use super::Lowering;
use crate::check::{Node, Table, Value};
use crate::model::*;
use riprap_engine::{PercussionOptions, PercussionSolver, Stick};

/// Laws that not every method has: the key in a material or pair, the law in words, and the methods that have it.
const LAWS: &[(&str, &str, &[MethodSpec])] = &[
    ("normal_restitution", "restitution", &[MethodSpec::Cd, MethodSpec::Md]),
    ("tangential_restitution", "tangential restitution", &[MethodSpec::Cd]),
    ("normal_viscosity", "contact viscosity", &[MethodSpec::Acd2]),
    ("tangential_viscosity", "contact viscosity", &[MethodSpec::Acd2]),
    ("tresca", "Tresca's threshold", &[MethodSpec::Acd2]),
    ("friction_by_speed", "speed-dependent friction", &[MethodSpec::Cd]),
    ("restitution_by_speed", "speed-dependent restitution", &[MethodSpec::Cd]),
    ("tangential_restitution_by_speed", "speed-dependent restitution", &[MethodSpec::Cd]),
    ("rolling_friction", "rolling friction", &[MethodSpec::Cd, MethodSpec::Md]),
    ("torsion_friction", "torsion friction", &[MethodSpec::Cd, MethodSpec::Md]),
    ("coupled_torsion", "coupled sliding and torsion", &[MethodSpec::Cd]),
    ("adhesion", "adhesion", &[MethodSpec::Cd]),
    ("cohesion", "cohesion", &[MethodSpec::Cd]),
];

/// The same for sections of the scene.
const SECTIONS: &[(&str, &str, &[MethodSpec])] =
    &[("liquid", "capillary bridges", &[MethodSpec::Cd, MethodSpec::Md]), ("bonds", "bonds", &[MethodSpec::Cd])];

impl Lowering<'_> {
    /// The method, once the laws of all materials and pairs are found to fit it.
    pub(super) fn method(&mut self, root: &Table) -> MethodSpec {
        let method = root.text("method").and_then(MethodSpec::from_word).unwrap_or_default();
        self.check_laws(root, method);
        for (section, law, methods) in SECTIONS {
            if let Some(node) = root.get(section) {
                self.check_law(node, law, method, methods);
            }
        }
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
                self.check_law(node, law, method, methods);
            }
        }
    }

    /// A stiffness of the contacts is for contact dynamics, and for overlaps that stay: they are the strain of the contacts.
    pub(super) fn check_stiffness(&mut self, root: &Table, method: MethodSpec) {
        let base = root.table("solver");
        let stages = root.tables("stages").filter_map(|(stage, _)| stage.table("solver"));
        for solver in base.into_iter().chain(stages) {
            if let Some(node) = solver.get("stiffness") {
                self.check_law(node, "stiffness in `[solver]`", method, &[MethodSpec::Cd]);
            }
            let own_or_base = |key: &str| solver.get(key).or(base.and_then(|base| base.get(key)));
            let concerned = solver.has("stiffness") || solver.has("gap");
            if let (true, Some(_), Some(gap)) = (concerned, own_or_base("stiffness"), own_or_base("gap"))
                && gap.as_text() != Some("keep")
            {
                self.faults.add(
                    &gap.place,
                    "contacts with a stiffness need gap = \"keep\"",
                    "would remove the deformation of contacts",
                    "remove either `gap` or `stiffness`",
                );
            }
        }
    }

    /// Momentum needs the spatial order, and a criterion that measures an error.
    pub(super) fn check_momentum(&mut self, root: &Table) {
        let base = root.table("solver");
        let stages = root.tables("stages").filter_map(|(stage, _)| stage.table("solver"));
        for solver in base.into_iter().chain(stages) {
            let own_or_base = |key: &str| solver.get(key).or(base.and_then(|base| base.get(key)));
            let concerned = ["solver", "order", "criterion"].iter().any(|key| solver.has(key));
            if !concerned || own_or_base("solver").and_then(Node::as_text) != Some("momentum") {
                continue;
            }
            if let Some(order) = own_or_base("order").filter(|order| order.as_text() != Some("spatial")) {
                self.faults.add(
                    &order.place,
                    "the solver \"momentum\" needs order = \"spatial\"",
                    "",
                    "remove `order`, or use solver = \"gauss-seidel\"",
                );
            }
            let criterion =
                own_or_base("criterion").and_then(|node| Some((node, node.as_table()?.only()?.key.as_str())));
            if let Some((criterion, word)) = criterion.filter(|(_, word)| !["residual", "motion"].contains(word)) {
                self.faults.add(
                    &criterion.place,
                    format!("the solver \"momentum\" cannot stop by `{word}`"),
                    "",
                    "stop by `residual` or `motion`, or use solver = \"gauss-seidel\"",
                );
            }
        }
    }

    /// A law that the scene gives, other than by zero, must be one of the method's.
    fn check_law(&mut self, node: &Node, law: &str, method: MethodSpec, methods: &[MethodSpec]) {
        let absent = match node.value {
            Value::Number(value) => value == 0.0,
            Value::Bool(is_on) => !is_on,
            _ => false,
        };
        if !absent && !methods.contains(&method) {
            let knows: Vec<String> = methods.iter().map(|method| format!("\"{}\"", method.word())).collect();
            self.faults.add(
                &node.place,
                format!("method \"{}\" does not support {law}", method.word()),
                "",
                format!("remove it, or use method = {}", knows.join(" or ")),
            );
        }
    }
}

/// What the section `[acd2]` says.
pub(super) fn percussions(table: &Table) -> Option<PercussionOptions> {
    Some(PercussionOptions {
        solver: match table.text("solver")? {
            "gauss-seidel" => PercussionSolver::GaussSeidel,
            "uzawa-sequence" => PercussionSolver::UzawaSequence,
            "uzawa-single-loop" => PercussionSolver::UzawaSingleLoop,
            _ => PercussionSolver::Auto,
        },
        stick: if table.text("stick")? == "mean" { Stick::Mean } else { Stick::RightLimit },
        tolerance: table.number("tolerance")?,
        max_passes: u32::try_from(table.integer("max_passes")?).ok()?,
    })
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
