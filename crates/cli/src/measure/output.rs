//! What a measurement leaves behind: tables, JSON, plots.

use crate::failure::{Exit, Failure};
use crate::measure::arguments::PlotFormat;
use crate::measure::write_plot;
use riprap_measure::Unavailable;
use riprap_measure::plot::Drawing;
use riprap_measure::report::{Measured, Table, Value};
use riprap_run::{NUMBER_COLUMNS, number, number_row, three_digits};
use riprap_store::write_atomically;
use serde_json::{Map, json};
use std::fs;
use std::path::{Path, PathBuf};

/// The numbers of one measurement of one snapshot.
#[derive(Clone, Debug)]
pub struct Record {
    /// The measurement.
    pub what: &'static str,
    /// The snapshot, or the run.
    pub file: PathBuf,
    /// Its step.
    pub step: u64,
    /// Its time.
    pub time: f64,
    /// The numbers, or why there are none.
    pub values: Result<Vec<Value>, Unavailable>,
}

/// A folder that is written to.
pub struct Output {
    folder: PathBuf,
    formats: Vec<PlotFormat>,
    files: Vec<PathBuf>,
}

impl Output {
    /// The folder, made if it is not there.
    pub fn create(folder: &Path, formats: &[PlotFormat]) -> Result<Output, Failure> {
        fs::create_dir_all(folder).map_err(|error| Failure::writing(folder, error))?;
        Ok(Output { folder: folder.into(), formats: formats.to_vec(), files: Vec::new() })
    }

    /// The tables and plots of a measurement; with the step in their names where there are several.
    pub fn parts(&mut self, word: &str, measured: &Measured, step: Option<u64>) -> Result<(), Failure> {
        for table in &measured.tables {
            let path = self.path(&format!("{word}_{}", table.name), step, "csv");
            write_table(table, &path)?;
            self.files.push(path);
        }
        for (name, drawing) in &measured.plots {
            self.plot(name, step, drawing)?;
        }
        Ok(())
    }

    /// A plot in all formats that were asked for.
    pub fn plot(&mut self, name: &str, step: Option<u64>, drawing: &Drawing) -> Result<(), Failure> {
        for format in self.formats.clone() {
            let path = self.path(name, step, format.ending());
            write_plot(drawing, format, &path)?;
            self.files.push(path);
        }
        Ok(())
    }

    /// True if plots are wanted.
    pub fn draws(&self) -> bool {
        !self.formats.is_empty()
    }

    /// How many files were written.
    pub fn count(&self) -> usize {
        self.files.len()
    }

    /// Where they are.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// All numbers, as measures.csv and measures.json.
    pub fn finish(&mut self, records: &[Record], document: &serde_json::Value) -> Result<(), Failure> {
        let mut lines = vec![NUMBER_COLUMNS.join(",")];
        for record in records {
            match &record.values {
                Ok(values) => lines
                    .extend(values.iter().map(|v| number_row(record.step, record.time, record.what, Ok(v)).join(","))),
                Err(why) => lines.push(number_row(record.step, record.time, record.what, Err(why)).join(",")),
            }
        }
        let whole = [("measures.csv", lines.join("\n") + "\n"), ("measures.json", format!("{document:#}\n"))];
        for (name, contents) in whole {
            let path = self.folder.join(name);
            write_atomically(&path, |out| out.write_all(contents.as_bytes()))
                .map_err(|error| Failure::new(Exit::Unwritable, error.to_string()))?;
            self.files.push(path);
        }
        Ok(())
    }

    fn path(&self, name: &str, step: Option<u64>, ending: &str) -> PathBuf {
        self.folder.join(match step {
            Some(step) => format!("{name}_{step:09}.{ending}"),
            None => format!("{name}.{ending}"),
        })
    }
}

fn write_table(table: &Table, path: &Path) -> Result<(), Failure> {
    write_atomically(path, |out| {
        writeln!(out, "{}", table.columns.join(","))?;
        for row in &table.rows {
            let cells: Vec<String> = row.iter().map(|&value| number(value)).collect();
            writeln!(out, "{}", cells.join(","))?;
        }
        Ok(())
    })
    .map_err(|error| Failure::new(Exit::Unwritable, error.to_string()))
}

/// Everything as one JSON document: snapshots with their measurements, what was skipped, what was written.
pub fn document(records: &[Record], skipped: &[(PathBuf, String)], output: &Output) -> serde_json::Value {
    let mut snapshots: Vec<serde_json::Value> = Vec::new();
    for together in records.chunk_by(|a, b| a.file == b.file) {
        let mut measurements = Map::new();
        for record in together {
            let found = match &record.values {
                Err(why) => json!({"unavailable": why.to_string()}),
                Ok(values) => values.iter().map(|value| (value.name.to_string(), number_document(value))).collect(),
            };
            measurements.insert(record.what.into(), found);
        }
        let first = &together[0];
        snapshots.push(json!({
            "file": first.file.display().to_string(),
            "step": first.step,
            "time_s": first.time,
            "measurements": measurements,
        }));
    }
    let skipped: Vec<_> =
        skipped.iter().map(|(file, reason)| json!({"file": file.display().to_string(), "reason": reason})).collect();
    let files: Vec<String> = output.files.iter().map(|file| file.display().to_string()).collect();
    json!({"snapshots": snapshots, "skipped": skipped, "files": files})
}

fn number_document(value: &Value) -> serde_json::Value {
    let mut entry = Map::new();
    match &value.number {
        Err(why) => {
            entry.insert("unavailable".into(), json!(why.to_string()));
        }
        Ok(found) => {
            entry.insert("value".into(), json!(found.value));
            if let Some(uncertainty) = found.uncertainty {
                entry.insert("uncertainty".into(), json!(uncertainty));
            }
            if let Some(range) = found.range {
                entry.insert("range".into(), json!(range));
            }
            if let Some(points) = found.points {
                entry.insert("points".into(), json!(points));
            }
        }
    }
    if !value.unit.is_empty() {
        entry.insert("unit".into(), json!(value.unit));
    }
    serde_json::Value::Object(entry)
}

/// A number as people read it.
pub fn words(value: &Value) -> String {
    match &value.number {
        Err(why) => format!("none: {why}"),
        Ok(found) if value.is_count() => found.value.to_string(),
        Ok(found) => {
            let mut words = three_digits(found.value);
            if let Some(uncertainty) = found.uncertainty {
                words += &format!(" ± {}", three_digits(uncertainty));
            }
            if !value.unit.is_empty() {
                words += &format!(" {}", value.unit);
            }
            if let (Some([low, high]), Some(points)) = (found.range, found.points) {
                words += &format!("   ({points} points from {} to {})", three_digits(low), three_digits(high));
            } else if let Some(points) = found.points {
                words += &format!("   ({points} points)");
            }
            words
        }
    }
}
