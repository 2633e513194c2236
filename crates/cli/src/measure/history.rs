//! What only a run can tell: the history of its steps, and how far its forces are determined.

use riprap_engine::for_any_world;
use riprap_measure::plot::{Axis, Chart, Curve, Drawing, Style};
use riprap_measure::report::{Measured, Number, Value};
use riprap_measure::{Spread, Unavailable, spread_of_solutions};
use riprap_run::RunFolder;
use std::fs;
use std::path::Path;

/// Energies, sweeps, residuals and balance over time, from the series of a run.
pub fn history(run: &Path) -> Result<Measured, Unavailable> {
    let series = Series::read(&run.join("series.csv"))?;
    let mean = |column: &str| {
        let values = series.column(column);
        let count = values.len().max(1) as f64;
        values.iter().sum::<f64>() / count
    };
    let most = |column: &str| series.column(column).into_iter().fold(f64::NEG_INFINITY, f64::max);
    let rows = series.rows.len();
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
        ("history_energies", series.chart("Energies", time(), Axis::linear("energy (J)"), &energies)),
        ("history_kinetic", series.chart("Kinetic energy", time(), Axis::log("kinetic energy (J)"), &energies[..1])),
        ("history_sweeps", series.chart("Sweeps", time(), Axis::linear("sweeps per step"), &[("sweeps", "")])),
        (
            "history_residual",
            series.chart(
                "Residual",
                time(),
                Axis::log("relative error"),
                &[("residual", "residual"), ("worst_contact_error", "worst contact")],
            ),
        ),
        (
            "history_balance",
            series.chart(
                "Unbalanced force",
                time(),
                Axis::log("over the mean contact force"),
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

/// The columns of series.csv or walls.csv; what is no number is a text.
#[derive(Clone, Debug)]
pub struct Series {
    columns: Vec<String>,
    rows: Vec<Vec<Option<f64>>>,
    /// The first text of each row: the stage or the wall.
    names: Vec<String>,
}

impl Series {
    /// Reads such a file.
    pub fn read(path: &Path) -> Result<Series, Unavailable> {
        let text = fs::read_to_string(path)
            .map_err(|error| Unavailable::Because(format!("cannot read {}: {error}", path.display())))?;
        let mut lines = text.lines();
        let columns: Vec<String> = lines.next().unwrap_or_default().split(',').map(String::from).collect();
        let (mut rows, mut names) = (Vec::new(), Vec::new());
        for line in lines {
            let row: Vec<Option<f64>> = cells(line).map(|cell| cell.parse().ok()).collect();
            if row.len() == columns.len() {
                rows.push(row);
                let name = cells(line).find(|cell| !cell.is_empty() && cell.parse::<f64>().is_err());
                names.push(name.unwrap_or_default().trim_matches('"').to_owned());
            }
        }
        Ok(Series { columns, rows, names })
    }

    /// The rows of one stage of series.csv, or of one wall of walls.csv.
    pub fn of(&self, name: &str) -> Series {
        let kept = |k: &usize| self.names[*k] == name;
        let rows: Vec<usize> = (0..self.rows.len()).filter(kept).collect();
        Series {
            columns: self.columns.clone(),
            rows: rows.iter().map(|&k| self.rows[k].clone()).collect(),
            names: rows.iter().map(|&k| self.names[k].clone()).collect(),
        }
    }

    /// The stage or wall of each row.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    fn index(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column == name)
    }

    /// The numbers of a column, without empty cells; none if there is no such column.
    pub fn column(&self, name: &str) -> Vec<f64> {
        let Some(index) = self.index(name) else { return Vec::new() };
        self.rows.iter().filter_map(|row| row[index]).collect()
    }

    fn chart(&self, title: &str, x: Axis, y: Axis, columns: &[(&str, &str)]) -> Drawing {
        let mut chart = Chart::new(title, x, y);
        let time = self.index("time_s");
        for (column, label) in columns {
            let (Some(time), Some(index)) = (time, self.index(column)) else { continue };
            let points: Vec<[f64; 2]> = self.rows.iter().filter_map(|row| Some([row[time]?, row[index]?])).collect();
            // A quantity that is zero throughout has nothing to show.
            if points.iter().any(|point| point[1] != 0.0) {
                let curve = Curve::new(Style::Line, points);
                chart = chart.with(if label.is_empty() { curve } else { curve.named(*label) });
            }
        }
        chart.draw()
    }
}

/// The cells of a row; a quoted one may hold commas.
fn cells(line: &str) -> impl Iterator<Item = &str> {
    let mut is_quoted = false;
    line.split(move |letter| {
        is_quoted ^= letter == '"';
        letter == ',' && !is_quoted
    })
}
