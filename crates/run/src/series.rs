//! The rows of `series.csv`: the whole after a step.

use crate::table_file::{number, optional, text};
use riprap_engine::{Dim, StepReport, World};
use riprap_measure as measure;

/// What a row is made from.
pub struct SeriesRow<'a> {
    report: &'a StepReport,
    stage: &'a str,
    /// Bonds that hold.
    bonds: usize,
    mean_radius: f64,
    coordination: f64,
    solid_fraction: Option<f64>,
    /// Mean and worst unbalanced force of a grain, over its weight and over the mean contact force.
    over_weight: Option<[f64; 2]>,
    over_contact_force: Option<[f64; 2]>,
    floor_force_over_weight: Option<f64>,
}

impl<'a> SeriesRow<'a> {
    /// Measures the world after a step.
    pub fn new<D: Dim>(world: &World<D>, report: &'a StepReport, stage: &'a str) -> Self {
        let balance = measure::force_balance(world);
        // A row is made while the steps hold their working memory: no copy of the contacts beside it.
        let packing = measure::Packing::without_contacts(world);
        SeriesRow {
            report,
            stage,
            bonds: world.state.bonds.len(),
            mean_radius: measure::mean_radius(world),
            coordination: measure::mean_coordination(world),
            solid_fraction: measure::solid_fraction(&packing, None).ok(),
            over_weight: balance.over_weight(),
            over_contact_force: balance.over_contact_force(),
            floor_force_over_weight: measure::floor_force(world).map(|floor| floor.force / floor.weight),
        }
    }

    fn per_radius(&self, length: f64) -> Option<f64> {
        (self.mean_radius > 0.0).then(|| length / self.mean_radius)
    }

    fn energy_error(&self) -> f64 {
        let scale = self.report.energy.scale();
        if scale > 0.0 { self.report.energy.error() / scale } else { 0.0 }
    }
}

/// A column: its name, and its cell in a row.
type SeriesColumn = (&'static str, fn(&SeriesRow) -> String);

const SERIES_COLUMNS: &[SeriesColumn] = &[
    ("step", |row| row.report.step.to_string()),
    ("time_s", |row| number(row.report.time)),
    ("stage", |row| text(row.stage)),
    ("time_step_s", |row| number(row.report.time_step)),
    ("sweeps", |row| row.report.sweeps.to_string()),
    ("residual", |row| number(row.report.residual)),
    ("worst_contact_error", |row| number(row.report.worst_contact)),
    ("converged", |row| u8::from(row.report.converged).to_string()),
    ("candidates", |row| row.report.candidates.to_string()),
    ("contacts", |row| row.report.contacts.to_string()),
    ("sliding", |row| row.report.sliding.to_string()),
    ("bonds", |row| row.bonds.to_string()),
    ("max_overlap_over_radius", |row| optional(row.per_radius(row.report.max_overlap))),
    ("mean_overlap_over_radius", |row| optional(row.per_radius(row.report.mean_overlap))),
    ("coordination", |row| number(row.coordination)),
    ("solid_fraction", |row| optional(row.solid_fraction)),
    ("kinetic_energy_J", |row| number(row.report.energy.kinetic)),
    ("potential_energy_J", |row| number(row.report.energy.potential)),
    ("elastic_energy_J", |row| number(row.report.energy.elastic)),
    ("work_of_loads_J", |row| number(row.report.energy.loads)),
    ("work_of_drivers_J", |row| number(row.report.energy.drivers)),
    ("friction_J", |row| number(row.report.energy.friction)),
    ("impact_J", |row| number(row.report.energy.impact)),
    ("rolling_J", |row| number(row.report.energy.rolling)),
    ("torsion_J", |row| number(row.report.energy.torsion)),
    ("cohesion_J", |row| number(row.report.energy.cohesion)),
    ("work_of_bridges_J", |row| number(row.report.energy.bridges)),
    ("scheme_J", |row| number(row.report.energy.scheme)),
    ("created_J", |row| number(row.report.energy.created)),
    ("energy_error", |row| number(row.energy_error())),
    ("momentum_error", |row| number(row.report.momentum_error)),
    ("max_speed_m_s", |row| number(row.report.max_speed)),
    ("unbalanced_force_over_weight", |row| optional(row.over_weight.map(|[mean, _]| mean))),
    ("worst_unbalanced_force_over_weight", |row| optional(row.over_weight.map(|[_, worst]| worst))),
    ("unbalanced_force_over_contact_force", |row| optional(row.over_contact_force.map(|[mean, _]| mean))),
    ("worst_unbalanced_force_over_contact_force", |row| optional(row.over_contact_force.map(|[_, worst]| worst))),
    ("floor_force_over_weight", |row| optional(row.floor_force_over_weight)),
];

/// The names of the columns.
pub fn names() -> Vec<&'static str> {
    SERIES_COLUMNS.iter().map(|(name, _)| *name).collect()
}

/// The cells of a row.
pub fn cells(row: &SeriesRow) -> Vec<String> {
    SERIES_COLUMNS.iter().map(|(_, cell)| cell(row)).collect()
}
