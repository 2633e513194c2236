//! The rows of `loading.csv`: stresses and lengths of a sample between walls or in a periodic cell.

use crate::table_file::{number, text};
use riprap_engine::StepReport;
use riprap_measure::Loading;

/// What a row is made from.
pub struct LoadingRow<'a> {
    /// The step.
    pub report: &'a StepReport,
    /// The stage that it is in.
    pub stage: &'a str,
    /// The sample after it.
    pub loading: Loading,
}

/// A column: the number of axes that a sample must have for it, its name, and its cell in a row.
type LoadingColumn = (usize, &'static str, fn(&LoadingRow) -> String);

const LOADING_COLUMNS: &[LoadingColumn] = &[
    (2, "step", |row| row.report.step.to_string()),
    (2, "time_s", |row| number(row.report.time)),
    (2, "stage", |row| text(row.stage)),
    (2, "length_x_m", |row| number(row.loading.length[0])),
    (2, "length_y_m", |row| number(row.loading.length[1])),
    (3, "length_z_m", |row| number(row.loading.length[2])),
    (2, "stress_x_Pa", |row| number(row.loading.stress[0])),
    (2, "stress_y_Pa", |row| number(row.loading.stress[1])),
    (3, "stress_z_Pa", |row| number(row.loading.stress[2])),
    (2, "shear_stress_Pa", |row| number(row.loading.shear_stress)),
    (2, "pressure_Pa", |row| number(row.loading.pressure())),
    (2, "deviator_Pa", |row| number(row.loading.deviator())),
    (2, "void_ratio", |row| number(row.loading.void_ratio())),
    (2, "shear_rate_1_s", |row| number(row.loading.shear_rate)),
    (2, "inertial_number", |row| number(row.loading.inertial_number())),
    (2, "unbalanced_force", |row| number(row.report.unbalanced_force)),
];

fn columns(dimension: usize) -> impl Iterator<Item = &'static LoadingColumn> {
    LOADING_COLUMNS.iter().filter(move |(axes, ..)| *axes <= dimension)
}

/// The names of the columns.
pub fn names(dimension: usize) -> Vec<&'static str> {
    columns(dimension).map(|(_, name, _)| *name).collect()
}

/// The cells of a row.
pub fn cells(row: &LoadingRow) -> Vec<String> {
    columns(row.loading.dimension).map(|(_, _, cell)| cell(row)).collect()
}
