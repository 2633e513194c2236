//! The table of a study: parameters and numbers of all runs, and their means over the seeds.

use super::{Study, StudyRun};
use crate::error::RunError;
use crate::summary::{Tells, numbers};
use crate::table_file::{number, text};
use riprap_measure::convergence::Mean;
use riprap_measure::plot::{Axis, Chart, Curve, Style};
use serde_json::{Value, json};
use std::fs;

/// A point of a curve and the standard error of its height.
type PointWithError = ([f64; 2], f64);

/// The numbers of all runs of a study.
#[derive(Clone, Debug)]
pub struct StudyTable {
    /// The names of the parameters; the seed is among them if it was varied.
    pub parameters: Vec<String>,
    /// The names of the numbers.
    pub columns: Vec<String>,
    /// The runs.
    pub rows: Vec<TableRow>,
    seed: Option<usize>,
}

/// A run in the table.
#[derive(Clone, Debug)]
pub struct TableRow {
    /// The name of the run.
    pub name: String,
    /// How it ended: completed, interrupted, failed, or waiting if it has no summary.
    pub status: String,
    /// The values of the parameters.
    pub values: Vec<String>,
    /// Its numbers in the order of the columns; those that it has not, and all of a run that is not complete, are none.
    pub numbers: Vec<Option<f64>>,
    group: usize,
}

impl Study {
    /// The table of all runs: every number of the summaries of complete runs, and what `measure` gives of each.
    pub fn table<E: From<RunError>>(
        &self,
        mut measure: impl FnMut(&StudyRun) -> Result<Vec<(String, f64)>, E>,
    ) -> Result<StudyTable, E> {
        let mut table = StudyTable {
            parameters: self.parameters.clone(),
            columns: Vec::new(),
            rows: Vec::new(),
            seed: self.seed_place(),
        };
        for run in &self.runs {
            let status = run.status().unwrap_or_else(|| "waiting".to_owned());
            let mut found = Vec::new();
            if status == "completed" {
                found = of_summary(run)?;
                found.extend(measure(run)?);
            }
            table.add(run, status, found);
        }
        Ok(table)
    }
}

/// All numbers of the summary of a run.
fn of_summary(run: &StudyRun) -> Result<Vec<(String, f64)>, RunError> {
    let path = run.folder.join("summary.json");
    let text = fs::read_to_string(&path).map_err(RunError::read(&path))?;
    let summary: Value = serde_json::from_str(&text).map_err(|error| RunError::read(&path)(error.into()))?;
    let kinds = [Tells::Result, Tells::Accuracy, Tells::Effort, Tells::Run];
    Ok(kinds.into_iter().flat_map(|kind| numbers(&summary, kind)).collect())
}

impl StudyTable {
    fn add(&mut self, run: &StudyRun, status: String, found: Vec<(String, f64)>) {
        let mut numbers = vec![None; self.columns.len()];
        for (name, value) in found {
            let place = self.columns.iter().position(|column| *column == name).unwrap_or_else(|| {
                self.columns.push(name);
                self.rows.iter_mut().for_each(|row| row.numbers.push(None));
                numbers.push(None);
                self.columns.len() - 1
            });
            numbers[place] = Some(value);
        }
        let values = run.values.iter().map(|value| value.text.clone()).collect();
        self.rows.push(TableRow { name: run.name.clone(), status, values, numbers, group: run.group });
    }

    /// A row per run, as CSV.
    pub fn runs_csv(&self) -> String {
        let names = ["run", "status"].into_iter().map(str::to_owned);
        let header = names.chain(self.parameters.iter().chain(&self.columns).map(|name| text(name)));
        let mut lines = vec![header.collect::<Vec<_>>().join(",")];
        for row in &self.rows {
            let words = [&row.name, &row.status].into_iter().chain(&row.values).map(|word| text(word));
            let numbers = row.numbers.iter().map(|value| value.map_or(String::new(), number));
            lines.push(words.chain(numbers).collect::<Vec<_>>().join(","));
        }
        lines.join("\n") + "\n"
    }

    /// A row per combination of values, with means and standard errors over the seeds, as CSV.
    pub fn means_csv(&self) -> String {
        let parameters: Vec<String> = self.varied().map(|k| text(&self.parameters[k])).collect();
        let columns = self.columns.iter().flat_map(|name| [text(name), text(&format!("{name}_error"))]);
        let header: Vec<String> = parameters.into_iter().chain(["runs".to_owned()]).chain(columns).collect();
        let mut lines = vec![header.join(",")];
        for group in self.groups() {
            let values = self.varied().map(|k| text(&group[0].values[k]));
            let count = group.iter().filter(|row| row.status == "completed").count().to_string();
            let numbers = (0..self.columns.len()).flat_map(|column| {
                let found = mean(&group, column);
                // One run has no error to tell.
                let error = found.map(|mean| mean.error).filter(|error| error.is_finite());
                [found.map(|mean| mean.value), error].map(|value| value.map_or(String::new(), number))
            });
            lines.push(values.chain([count]).chain(numbers).collect::<Vec<_>>().join(","));
        }
        lines.join("\n") + "\n"
    }

    /// Both tables as one JSON document.
    pub fn json(&self) -> Value {
        let numbers = |row: &TableRow| -> Value {
            self.columns.iter().zip(&row.numbers).map(|(name, value)| (name.clone(), json!(value))).collect()
        };
        let values = |row: &TableRow, places: &[usize]| -> Value {
            places.iter().map(|&k| (self.parameters[k].clone(), json!(row.values[k]))).collect()
        };
        let all: Vec<usize> = (0..self.parameters.len()).collect();
        let varied: Vec<usize> = self.varied().collect();
        let run = |row: &TableRow| json!({"run": row.name, "status": row.status, "parameters": values(row, &all), "numbers": numbers(row)});
        let group = |group: &Vec<&TableRow>| {
            let means: Value = (0..self.columns.len())
                .filter_map(|column| {
                    let Mean { value, error, .. } = mean(group, column)?;
                    Some((self.columns[column].clone(), json!({"mean": value, "standard_error": error})))
                })
                .collect();
            json!({"parameters": values(group[0], &varied), "runs": group.len(), "numbers": means})
        };
        json!({
            "runs": self.rows.iter().map(run).collect::<Vec<_>>(),
            "means": self.groups().iter().map(group).collect::<Vec<_>>(),
        })
    }

    /// A column against a parameter or another column: means over the seeds with their standard errors, and a curve for
    /// each value of what else is varied.
    pub fn chart(&self, y: &str, x: &str) -> Result<Chart, String> {
        let column = |name: &str| self.columns.iter().position(|column| column == name);
        let y_place = column(y).ok_or_else(|| self.unknown(y))?;
        let parameter = self.varied().find(|&k| self.parameters[k] == x);
        let x_place = if parameter.is_none() { Some(column(x).ok_or_else(|| self.unknown(x))?) } else { None };
        let mut curves: Vec<(String, Vec<PointWithError>)> = Vec::new();
        for group in self.groups() {
            let at = match (parameter, x_place) {
                (Some(k), _) => Some(
                    leading_number(&group[0].values[k])
                        .ok_or_else(|| format!("the values of {x} are not numbers: `{}`", group[0].values[k]))?,
                ),
                (None, Some(place)) => mean(&group, place).map(|mean| mean.value),
                (None, None) => None,
            };
            let Some((at, found)) = at.zip(mean(&group, y_place)) else { continue };
            // Against a number that is itself an outcome, all points are one cloud.
            let label = if parameter.is_none() { String::new() } else { self.label(group[0], x) };
            let error = if found.error.is_finite() { found.error } else { 0.0 };
            let point = ([at, found.value], error);
            match curves.iter_mut().find(|(name, _)| *name == label) {
                Some((_, points)) => points.push(point),
                None => curves.push((label, vec![point])),
            }
        }
        if curves.is_empty() {
            return Err(format!("no complete run has both {y} and {x}"));
        }
        let words = |name: &str| Axis::linear(name.replace('_', " "));
        let mut chart = Chart::new("", words(x), words(y));
        for (label, mut points) in curves {
            points.sort_by(|a, b| a.0[0].total_cmp(&b.0[0]));
            let (points, errors): (Vec<[f64; 2]>, Vec<f64>) = points.into_iter().unzip();
            let style = if parameter.is_some() { Style::Both } else { Style::Points };
            let curve = Curve::new(style, points).with_errors(errors);
            chart = chart.with(if label.is_empty() { curve } else { curve.named(label) });
        }
        Ok(chart)
    }

    /// The places of the parameters other than the seed.
    fn varied(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.parameters.len()).filter(|k| Some(*k) != self.seed)
    }

    /// The rows that differ in the seed alone, together.
    fn groups(&self) -> Vec<Vec<&TableRow>> {
        let count = self.rows.iter().map(|row| row.group + 1).max().unwrap_or(0);
        (0..count).map(|group| self.rows.iter().filter(|row| row.group == group).collect()).collect()
    }

    /// What is varied besides `x`, in words.
    fn label(&self, row: &TableRow, x: &str) -> String {
        let others = self.varied().filter(|&k| self.parameters[k] != x);
        others.map(|k| format!("{} = {}", self.parameters[k], row.values[k])).collect::<Vec<_>>().join(", ")
    }

    fn unknown(&self, name: &str) -> String {
        let known: Vec<&str> =
            self.varied().map(|k| &self.parameters[k]).chain(&self.columns).map(String::as_str).collect();
        format!("the table has no column {name}; it has {}", known.join(", "))
    }
}

/// The mean of a column over the complete runs of a group.
fn mean(group: &[&TableRow], column: usize) -> Option<Mean> {
    let values: Vec<f64> = group.iter().filter_map(|row| row.numbers[column]).collect();
    (!values.is_empty()).then(|| Mean::of(&values))
}

/// The number that a text begins with, whatever its unit.
fn leading_number(text: &str) -> Option<f64> {
    riprap_scene::StudyValue::text(text).in_unit().map(|(number, _)| number)
}
