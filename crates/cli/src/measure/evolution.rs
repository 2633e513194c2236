//! How measured numbers change from snapshot to snapshot.

use crate::measure::output::Record;
use riprap_measure::plot::{Axis, Chart, Curve, Drawing, Style};

/// The charts: name, title, label of the axis, and the quantities as measurement, number and name in the legend.
type Plan = (&'static str, &'static str, &'static str, &'static [(&'static str, &'static str, &'static str)]);

const PLANS: [Plan; 7] = [
    ("evolution_stress", "Stress", "stress (Pa)", &[("stress", "pressure", "p"), ("stress", "deviator", "q")]),
    (
        "evolution_stress_ratio",
        "Stress ratio and anisotropies",
        "ratio",
        &[("stress", "deviator_over_pressure", "q/p"), ("fabric", "deviator_from_anisotropies", "from anisotropies")],
    ),
    (
        "evolution_coordination",
        "Coordination",
        "contacts per grain",
        &[
            ("coordination", "coordination", "all"),
            ("coordination", "coordination_without_rattlers", "without rattlers"),
        ],
    ),
    (
        "evolution_solid_fraction",
        "Solid fraction",
        "solid fraction",
        &[("solid-fraction", "solid_fraction", "whole"), ("solid-fraction", "inner_solid_fraction", "inside")],
    ),
    (
        "evolution_anisotropy",
        "Anisotropies",
        "amplitude",
        &[
            ("fabric", "contact_anisotropy", "a_{c}"),
            ("fabric", "normal_force_anisotropy", "a_{n}"),
            ("fabric", "tangential_force_anisotropy", "a_{t}"),
        ],
    ),
    (
        "evolution_strain",
        "Strain since the first snapshot",
        "strain",
        &[("strain", "volumetric_strain", "volumetric"), ("strain", "deviatoric_strain", "deviatoric")],
    ),
    ("evolution_force_tail", "Tail of the force distribution", "β", &[("forces", "tail_exponent", "normal forces")]),
];

/// The charts for which at least two snapshots have a number.
pub fn charts(records: &[Record]) -> Vec<(String, Drawing)> {
    let mut charts = Vec::new();
    for (name, title, label, quantities) in PLANS {
        let mut chart = Chart::new(title, Axis::linear("time (s)"), Axis::linear(label));
        for (what, quantity, legend) in quantities {
            let (mut points, mut errors) = (Vec::new(), Vec::new());
            for record in records.iter().filter(|record| record.what == *what) {
                let values = record.values.iter().flatten();
                for number in values.filter(|v| v.name == *quantity).filter_map(|v| v.number.as_ref().ok()) {
                    points.push([record.time, number.value]);
                    errors.push(number.uncertainty.unwrap_or(0.0));
                }
            }
            if points.len() > 1 {
                chart = chart.with(Curve::new(Style::Both, points).with_errors(errors).named(*legend));
            }
        }
        if !chart.curves.is_empty() {
            charts.push((name.to_string(), chart.draw()));
        }
    }
    charts
}
