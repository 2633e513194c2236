//! A plain table of grains of either dimension, for samples and files.

use crate::form::Form;
use std::ops::Range;

/// Grains, one row each. A column that is empty has its default value (zero, identity, or a ball) in every row; the
/// columns of position and radius are always full. In 2D the third component of vectors is zero, and spins are in the
/// third.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GrainTable {
    /// Centres of mass.
    pub position: Vec<[f64; 3]>,
    /// Radii; of a grain that is not a ball, the distance of its farthest point from its centre of mass.
    pub radius: Vec<f64>,
    /// Velocities.
    pub velocity: Vec<[f64; 3]>,
    /// Spins.
    pub spin: Vec<[f64; 3]>,
    /// Orientations as quaternions (x, y, z, w).
    pub orientation: Vec<[f64; 4]>,
    /// Names of materials.
    pub material: Vec<String>,
    /// Names of groups.
    pub group: Vec<String>,
    /// Which of the forms a grain has; none for a ball.
    pub form: Vec<Option<u32>>,
    /// The forms of grains that are not balls, each for one grain or more.
    pub forms: Vec<Form>,
    /// The surfaces of walls that came from files, by the names of the walls.
    pub surfaces: Vec<(String, Form)>,
    /// The periodic cell that they came from.
    pub cell: TableCell,
}

/// The periodic cell that the grains of a table came from; a period is zero where an axis is not periodic.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TableCell {
    /// The lower corner of the first period.
    pub origin: [f64; 3],
    /// The length of a period along each axis.
    pub period: [f64; 3],
    /// How far the image one period up the last axis is shifted along the first.
    pub tilt: f64,
}

impl TableCell {
    /// True if any axis is periodic.
    pub fn is_periodic(&self) -> bool {
        self.period != [0.0; 3]
    }
}

impl GrainTable {
    /// The number of grains.
    pub fn len(&self) -> usize {
        self.radius.len()
    }

    /// The first rows, with the forms and surfaces.
    pub fn first(&self, rows: usize) -> GrainTable {
        self.rows(0..rows)
    }

    /// A row as a table, with no other forms than its own, and without surfaces.
    pub fn row(&self, row: usize) -> GrainTable {
        let mut table = GrainTable { forms: Vec::new(), surfaces: Vec::new(), ..self.columns(row..row + 1) };
        if let Some(form) = table.form.first_mut().and_then(Option::as_mut) {
            table.forms.push(self.forms[*form as usize].clone());
            *form = 0;
        }
        table
    }

    /// Some rows, with the forms and surfaces.
    pub fn rows(&self, rows: Range<usize>) -> GrainTable {
        GrainTable { forms: self.forms.clone(), surfaces: self.surfaces.clone(), ..self.columns(rows) }
    }

    fn columns(&self, rows: Range<usize>) -> GrainTable {
        fn part<T: Clone>(column: &[T], rows: &Range<usize>) -> Vec<T> {
            column[rows.start.min(column.len())..rows.end.min(column.len())].to_vec()
        }
        GrainTable {
            position: part(&self.position, &rows),
            radius: part(&self.radius, &rows),
            velocity: part(&self.velocity, &rows),
            spin: part(&self.spin, &rows),
            orientation: part(&self.orientation, &rows),
            material: part(&self.material, &rows),
            group: part(&self.group, &rows),
            form: part(&self.form, &rows),
            forms: Vec::new(),
            surfaces: Vec::new(),
            cell: self.cell,
        }
    }

    /// Drops the rows that `keep` is false for, and the forms that no row has any more. The table must be complete.
    pub fn retain(&mut self, keep: &[bool]) {
        fn retain<T>(column: &mut Vec<T>, keep: &[bool]) {
            let mut keep = keep.iter();
            column.retain(|_| *keep.next().unwrap_or(&true));
        }
        retain(&mut self.position, keep);
        retain(&mut self.radius, keep);
        retain(&mut self.velocity, keep);
        retain(&mut self.spin, keep);
        retain(&mut self.orientation, keep);
        retain(&mut self.material, keep);
        retain(&mut self.group, keep);
        retain(&mut self.form, keep);
        let mut is_used = vec![false; self.forms.len()];
        self.form.iter().flatten().for_each(|&form| is_used[form as usize] = true);
        let mut used = 0;
        let places: Vec<u32> = is_used
            .iter()
            .map(|&is_used| {
                used += u32::from(is_used);
                used - u32::from(is_used)
            })
            .collect();
        self.form.iter_mut().flatten().for_each(|form| *form = places[*form as usize]);
        retain(&mut self.forms, &is_used);
    }

    /// Fills the columns that are empty with their default values; `material` is what a row without one is made of.
    pub fn complete(&mut self, material: &str) {
        let rows = self.len();
        fn fill<T: Clone>(column: &mut Vec<T>, rows: usize, default: T) {
            if column.is_empty() {
                column.resize(rows, default);
            }
        }
        fill(&mut self.velocity, rows, [0.0; 3]);
        fill(&mut self.spin, rows, [0.0; 3]);
        fill(&mut self.orientation, rows, [0.0, 0.0, 0.0, 1.0]);
        fill(&mut self.material, rows, material.to_owned());
        fill(&mut self.group, rows, "grains".to_owned());
        fill(&mut self.form, rows, None);
    }

    /// Appends the rows of a table; both must be complete.
    pub fn append(&mut self, mut rows: GrainTable) {
        let first = self.forms.len() as u32;
        rows.form.iter_mut().flatten().for_each(|form| *form += first);
        self.forms.append(&mut rows.forms);
        self.position.extend(rows.position);
        self.radius.extend(rows.radius);
        self.velocity.extend(rows.velocity);
        self.spin.extend(rows.spin);
        self.orientation.extend(rows.orientation);
        self.material.extend(rows.material);
        self.group.extend(rows.group);
        self.form.extend(rows.form);
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.radius.is_empty()
    }
}
