//! What only a run can tell: the history of its steps, and how far its forces are determined.

use riprap_engine::for_any_world;
use riprap_measure::plot::{Axis, Chart, Curve, Drawing, Style};
use riprap_measure::report::{Measured, Number, Value};
use riprap_measure::{Spread, Unavailable, spread_of_solutions};
use riprap_run::{RunFolder, TimeSeries};
use std::path::Path;

/// Energies, sweeps, residuals and balance over time, from the series of a run.
pub fn history(run: &Path) -> Result<Measured, Unavailable> {
    let series = read(&run.join("series.csv"))?;
    let mean = |column: &str| {
        let values = series.column(column);
        let count = values.len().max(1) as f64;
        values.iter().sum::<f64>() / count
    };
    let most = |column: &str| series.column(column).into_iter().fold(f64::NEG_INFINITY, f64::max);
    let rows = series.len();
    if rows < 2 {
        return Err(Unavailable::TooFew { what: "rows in series.csv", found: rows, needed: 2 });
    }
    let values = [
        ("rows", "", rows as f64),
        ("mean_sweeps", "", mean("sweeps")),
        ("largest_sweeps", "", most("sweeps")),
        ("mean_residual", "", mean("residual")),
        ("fraction_converged", "", mean("converged")),
        ("largest_energy_error", "", series.column("energy_error").into_iter().map(f64::abs).fold(0.0, f64::max)),
        ("last_kinetic_energy", "J", series.column("kinetic_energy_J").last().copied().unwrap_or(0.0)),
    ];
    let values = values.map(|(name, unit, value)| Value { name, unit, number: Ok(Number::from(value)) });
    let energies = [
        ("kinetic_energy_J", "kinetic"),
        ("potential_energy_J", "potential"),
        ("work_of_loads_J", "work of loads"),
        ("work_of_drivers_J", "work of drivers"),
        ("friction_J", "lost by friction"),
        ("impact_J", "lost by impact"),
        ("scheme_J", "scheme"),
    ];
    let time = || Axis::linear("time (s)");
    let plots = vec![
        ("history_energies", chart(&series, "Energies", time(), Axis::linear("energy (J)"), &energies)),
        ("history_kinetic", chart(&series, "Kinetic energy", time(), Axis::log("kinetic energy (J)"), &energies[..1])),
        ("history_sweeps", chart(&series, "Sweeps", time(), Axis::linear("sweeps per step"), &[("sweeps", "")])),
        (
            "history_residual",
            chart(
                &series,
                "Residual",
                time(),
                Axis::log("relative error"),
                &[("residual", "residual"), ("worst_contact_error", "worst contact")],
            ),
        ),
        (
            "history_balance",
            chart(
                &series,
                "Unbalanced force",
                time(),
                Axis::log("fraction of the mean contact force"),
                &[
                    ("unbalanced_force_over_contact_force", "mean"),
                    ("worst_unbalanced_force_over_contact_force", "worst"),
                ],
            ),
        ),
    ];
    let plots = plots.into_iter().map(|(name, drawing)| (name.to_string(), drawing)).collect();
    Ok(Measured { values: values.into(), tables: Vec::new(), plots })
}

/// How much the forces of the next step differ from random start to random start.
pub fn spread(run: &Path) -> Result<Measured, Unavailable> {
    const STARTS: usize = 10;
    let world = RunFolder::existing(run).and_then(|folder| folder.world());
    let world = world.map_err(|error| Unavailable::Because(error.to_string()))?;
    let Spread { starts, contacts, mean_force, relative, worst, converged } =
        for_any_world!(&world, world => spread_of_solutions(world, STARTS, None, 1))?;
    let values = [
        ("starts", "", starts as f64),
        ("bearing_contacts", "", contacts as f64),
        ("mean_force", "N", mean_force),
        ("relative_spread", "", relative),
        ("worst_spread", "", worst),
        ("converged_starts", "", converged as f64),
    ];
    let values = values.map(|(name, unit, value)| Value { name, unit, number: Ok(Number::from(value)) });
    Ok(Measured { values: values.into(), tables: Vec::new(), plots: Vec::new() })
}

/// The time series in a file of a run.
pub fn read(path: &Path) -> Result<TimeSeries, Unavailable> {
    TimeSeries::read(path).map_err(|error| Unavailable::Because(error.to_string()))
}

fn chart(series: &TimeSeries, title: &str, x: Axis, y: Axis, columns: &[(&str, &str)]) -> Drawing {
    let mut chart = Chart::new(title, x, y);
    for (column, label) in columns {
        let Some(points) = series.over_time(column) else { continue };
        // A quantity that is zero throughout has nothing to show.
        if points.iter().any(|point| point[1] != 0.0) {
            let curve = Curve::new(Style::Line, points);
            chart = chart.with(if label.is_empty() { curve } else { curve.named(*label) });
        }
    }
    chart.draw()
}
