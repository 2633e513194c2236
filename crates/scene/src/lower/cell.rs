//! The deformation of the periodic cell.

use super::Lowering;
use super::stages::{SpanSpec, facing_planes};
use crate::check::{Table, Value};
use crate::model::*;
use crate::raw::Span;
use crate::vector::AXIS_NAMES;
use riprap_engine::Stretch;

impl Lowering<'_> {
    /// The section `cell` of the scene or of a stage.
    pub(super) fn cell(&self, table: &Table) -> Option<CellSpec> {
        let node = table.get("cell")?;
        let cell = node.as_table()?;
        let stretch = AXIS_NAMES.map(|axis| {
            let entry = cell.table(axis).and_then(Table::only)?;
            let Value::Function(function) = &entry.node.value else { return None };
            Some(match entry.key.as_str() {
                "rate" => Stretch::Rate(function.clone()),
                _ => Stretch::Pressure(function.clone()),
            })
        });
        Some(CellSpec {
            at: At(node.place.clone()),
            stretch: stretch.map(Option::unwrap_or_default),
            shear: cell.function("shear"),
            mass: cell.number("mass")?,
        })
    }

    /// Whether every cell, with the gravity of its stages and all else in the scene, can deform as it is told to.
    pub(super) fn check_cells(
        &mut self,
        root: &Table,
        top: Option<&CellSpec>,
        stages: &[Stage],
        gravity: Point,
        method: MethodSpec,
    ) {
        for cell in top.into_iter().chain(stages.iter().filter_map(|stage| stage.cell.as_ref())) {
            self.check_cell(root, cell, method);
        }
        let mut told: Vec<&CellSpec> = Vec::new();
        for index in 0..stages.len() {
            let Some((_, cell)) = active_cell(top, &stages[..=index]) else { continue };
            let gravity = stages[index].gravity.unwrap_or(gravity);
            let falls = |axis: &usize| cell.moves_along(*axis, self.dimension) && gravity[*axis] != 0.0;
            if let Some(axis) = (0..self.dimension).find(falls)
                && !told.iter().any(|other| std::ptr::eq(*other, cell))
            {
                told.push(cell);
                let message = format!("gravity acts along {}, but the cell deforms along this axis", AXIS_NAMES[axis]);
                self.faults.add(&cell.at.0, message, "", "set `gravity = 0`");
            }
        }
    }

    fn check_cell(&mut self, root: &Table, cell: &CellSpec, method: MethodSpec) {
        let place = &cell.at.0;
        if method != MethodSpec::Cd {
            let message = format!("method \"{}\" does not support a deforming cell", method.word());
            self.faults.add(place, message, "", "use method = \"cd\"");
        }
        for axis in (0..self.dimension).filter(|&axis| cell.moves_along(axis, self.dimension)) {
            if self.period[axis] == 0.0 {
                let message =
                    format!("the cell deforms along {} but is not periodic along this axis", AXIS_NAMES[axis]);
                self.faults.add(place, message, "", "set the period in `domain.periodic`");
            }
            let crossing = |wall: &&Wall| wall.shape.plane_normal().is_none_or(|normal| normal[axis].abs() > 1e-9);
            if let Some(wall) = self.walls.iter().find(crossing) {
                let message =
                    format!("wall \"{}\" does not allow the cell to deform along {}", wall.name, AXIS_NAMES[axis]);
                self.faults.add(place, message, "", "only planes parallel to the axes that deform are allowed");
                break;
            }
        }
        let shaken = |table: &Table| table.has("ground_acceleration");
        if root.table("domain").is_some_and(shaken) || root.tables("stages").any(|(stage, _)| shaken(stage)) {
            self.faults.add(place, "a deforming cell cannot be combined with an acceleration of the ground", "", "");
        }
        for (key, things) in [("loads", "loads"), ("springs", "springs"), ("membranes", "membranes")] {
            if root.tables(key).next().is_some() {
                let message = format!("a deforming cell cannot be combined with {things}");
                self.faults.add(place, message, "", "");
            }
        }
        let pressed = cell.stretch.iter().any(|stretch| matches!(stretch, Stretch::Pressure(_)));
        if pressed && !self.walls_broken && cell_spans(&self.walls, self.period, self.dimension).is_none() {
            let help = "add opposite walls or a period along every axis";
            self.faults.add(place, "the volume of the cell is undefined", "", help);
        }
    }

    /// A strain that is that of the cell.
    pub(super) fn strain_of_cell(&mut self, table: &Table, place: &Span, cell: &CellSpec) -> Option<Strain> {
        let Some(node) = table.get("axis") else {
            self.faults.add(place, "`axis` is missing", "the strain of the cell needs an axis", "");
            return None;
        };
        let name = node.as_text()?;
        let axis = AXIS_NAMES[..self.dimension].iter().position(|axis| *axis == name);
        let Some(axis) = axis.filter(|&axis| cell.stretch[axis] != Stretch::Fixed) else {
            let label = format!("the cell does not deform along {name} in this stage");
            self.faults.add(&node.place, "the stage can never end", label, "");
            return None;
        };
        Some(Strain { strain: table.number("strain")?, wall: None, axis })
    }
}

/// The cell that holds in the last of the given stages, with the stage that it came with.
pub(crate) fn active_cell<'a>(top: Option<&'a CellSpec>, stages: &'a [Stage]) -> Option<(Option<usize>, &'a CellSpec)> {
    let last = stages.iter().enumerate().rev().find_map(|(index, stage)| Some((Some(index), stage.cell.as_ref()?)));
    last.or(top.map(|cell| (None, cell)))
}

/// The walls between which a cell lies along the axes on which it is not periodic.
pub(crate) fn cell_spans(walls: &[Wall], period: Point, dimension: usize) -> Option<Vec<SpanSpec>> {
    (0..dimension)
        .filter(|&axis| period[axis] == 0.0)
        .map(|axis| {
            Some(SpanSpec::Between(
                [facing_planes(walls, axis, 1.0, None)?, facing_planes(walls, axis, -1.0, None)?],
                axis,
            ))
        })
        .collect()
}
