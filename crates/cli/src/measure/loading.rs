//! The curves of a loading test, from `loading.csv` of a run: stresses and strains of the box or cell that holds the grains.

use super::history::read;
use riprap_measure::Unavailable;
use riprap_measure::plot::{Axis, Chart, Curve, Drawing, Style};
use riprap_measure::report::{Measured, Number, Table, Value};
use riprap_run::TimeSeries;
use std::path::Path;

/// Strains, stresses and the criteria of a quasi-static test. Strains count from the end of the first stage, which prepares
/// the sample, if there are several, and are positive in compression.
pub fn loading(run: &Path) -> Result<Measured, Unavailable> {
    let path = run.join("loading.csv");
    if !path.is_file() {
        return Err(Unavailable::Because(
            "there is no loading.csv: the grains are not bounded by planes or periods along every axis".into(),
        ));
    }
    let series = read(&path)?;
    let path = LoadPath::of(&series)?;
    let last = path.rows.len() - 1;
    let ratios: Vec<f64> = path.rows.iter().map(|row| row.deviator / row.pressure).filter(|q| q.is_finite()).collect();
    let late = &ratios[ratios.len() - ratios.len().div_ceil(3)..];
    let mean = |of: fn(&PathRow) -> f64| {
        let values: Vec<f64> = path.rows.iter().map(of).filter(|value| value.is_finite()).collect();
        values.iter().sum::<f64>() / values.len().max(1) as f64
    };
    let end = &path.rows[last];
    let values = [
        ("axial_strain", "", end.axial),
        ("shear_strain", "", end.shear),
        ("volumetric_strain", "", end.volumetric),
        ("pressure", "Pa", end.pressure),
        ("deviator", "Pa", end.deviator),
        ("peak_stress_ratio", "", ratios.iter().copied().fold(0.0, f64::max)),
        ("late_stress_ratio", "", late.iter().sum::<f64>() / late.len().max(1) as f64),
        ("void_ratio", "", end.void_ratio),
        ("mean_inertial_number", "", mean(|row| row.inertial_number)),
        ("mean_unbalanced_force", "", mean(|row| row.unbalanced_force)),
    ];
    let values = values.map(|(name, unit, value)| Value { name, unit, number: Ok(Number::from(value)) });
    let columns =
        vec!["time_s", "axial_strain", "shear_strain", "volumetric_strain", "pressure_Pa", "deviator_Pa", "void_ratio"];
    let rows = path
        .rows
        .iter()
        .map(|row| vec![row.time, row.axial, row.shear, row.volumetric, row.pressure, row.deviator, row.void_ratio]);
    let table = Table { name: "path", columns, rows: rows.collect() };
    Ok(Measured { values: values.into(), tables: vec![table], plots: path.plots() })
}

/// A test row by row, from the end of its preparation on.
struct LoadPath {
    rows: Vec<PathRow>,
    /// True if the sample is sheared more than it is shortened.
    is_shear: bool,
}

struct PathRow {
    time: f64,
    axial: f64,
    shear: f64,
    volumetric: f64,
    pressure: f64,
    deviator: f64,
    void_ratio: f64,
    inertial_number: f64,
    unbalanced_force: f64,
}

impl LoadPath {
    fn of(series: &TimeSeries) -> Result<LoadPath, Unavailable> {
        let names = series.names();
        let first = names.iter().take_while(|name| **name == names[0]).count();
        // The last row of the preparation is where the test begins; a run of one stage is all test.
        let begin = if first < names.len() { first.saturating_sub(1) } else { 0 };
        let column = |name: &str| series.column(name).get(begin..).unwrap_or(&[]).to_vec();
        let lengths: Vec<Vec<f64>> = ["length_x_m", "length_y_m", "length_z_m"]
            .map(column)
            .into_iter()
            .filter(|list| !list.is_empty())
            .collect();
        let (time, shear_rate) = (column("time_s"), column("shear_rate_1_s"));
        if time.len() < 2 || lengths.is_empty() {
            return Err(Unavailable::TooFew { what: "rows in loading.csv", found: time.len(), needed: 2 });
        }
        let strain = |axis: usize, row: usize| -(lengths[axis][row] / lengths[axis][0]).ln();
        let most = |axis: usize| (0..time.len()).map(|row| strain(axis, row).abs()).fold(0.0, f64::max);
        // The axis that is shortened most, the last of several.
        let shortened = |axis: usize| (0..time.len()).map(|row| strain(axis, row)).fold(0.0, f64::max);
        let axial =
            (0..lengths.len()).fold(0, |best, axis| if shortened(axis) >= shortened(best) { axis } else { best });
        let [pressure, deviator, void_ratio] = ["pressure_Pa", "deviator_Pa", "void_ratio"].map(column);
        let [inertial_number, unbalanced_force] = ["inertial_number", "unbalanced_force"].map(column);
        let at = |list: &[f64], row: usize| list.get(row).copied().unwrap_or(f64::NAN);
        let mut shear = 0.0;
        let rows: Vec<PathRow> = (0..time.len())
            .map(|row| {
                if row > 0 {
                    shear += 0.5 * (at(&shear_rate, row - 1) + at(&shear_rate, row)) * (time[row] - time[row - 1]);
                }
                PathRow {
                    time: time[row],
                    axial: strain(axial, row),
                    shear,
                    volumetric: (0..lengths.len()).map(|axis| strain(axis, row)).sum(),
                    pressure: at(&pressure, row),
                    deviator: at(&deviator, row),
                    void_ratio: at(&void_ratio, row),
                    inertial_number: at(&inertial_number, row),
                    unbalanced_force: at(&unbalanced_force, row),
                }
            })
            .collect();
        let is_shear = rows.iter().map(|row| row.shear.abs()).fold(0.0, f64::max) > most(axial);
        Ok(LoadPath { rows, is_shear })
    }

    fn plots(&self) -> Vec<(String, Drawing)> {
        let axis = || Axis::linear(if self.is_shear { "shear strain" } else { "axial strain" });
        let strain = |row: &PathRow| if self.is_shear { row.shear } else { row.axial };
        let curve = |x: &dyn Fn(&PathRow) -> f64, y: &dyn Fn(&PathRow) -> f64| {
            let points = self.rows.iter().map(|row| [x(row), y(row)]);
            Curve::new(Style::Line, points.filter(|point| point.iter().all(|value| value.is_finite())).collect())
        };
        let pascals = Axis::linear;
        let charts = [
            (
                "loading_stress",
                Chart::new("Stress and strain", axis(), pascals("stress (Pa)"))
                    .with(curve(&strain, &|row| row.deviator).named("q"))
                    .with(curve(&strain, &|row| row.pressure).named("p")),
            ),
            (
                "loading_stress_ratio",
                Chart::new("Mobilised friction", axis(), Axis::linear("q/p"))
                    .with(curve(&strain, &|row| row.deviator / row.pressure)),
            ),
            (
                "loading_volume",
                Chart::new("Volume", axis(), Axis::linear("volumetric strain (compression positive)"))
                    .with(curve(&strain, &|row| row.volumetric)),
            ),
            (
                "loading_path",
                Chart::new("Stress path", pascals("p (Pa)"), pascals("q (Pa)"))
                    .with(curve(&|row| row.pressure, &|row| row.deviator)),
            ),
            (
                "loading_compression",
                Chart::new("Compression", Axis::log("p (Pa)"), Axis::linear("void ratio"))
                    .with(curve(&|row| row.pressure, &|row| row.void_ratio)),
            ),
            (
                "loading_criteria",
                Chart::new("Is it quasi-static?", Axis::linear("time (s)"), Axis::log("number"))
                    .with(curve(&|row| row.time, &|row| row.inertial_number).named("inertial number"))
                    .with(curve(&|row| row.time, &|row| row.unbalanced_force).named("unbalanced force")),
            ),
        ];
        charts.map(|(name, chart)| (name.to_owned(), chart.draw())).into()
    }
}
