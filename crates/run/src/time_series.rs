//! Time series that a run has written, read back.

use crate::error::RunError;
use std::fs;
use std::path::Path;

/// The columns of `series.csv`, `walls.csv` or `loading.csv`; what is no number is a text.
#[derive(Clone, Debug)]
pub struct TimeSeries {
    columns: Vec<String>,
    rows: Vec<Vec<Option<f64>>>,
    /// The first text of each row: the stage or the wall.
    names: Vec<String>,
}

impl TimeSeries {
    /// Reads such a file.
    pub fn read(path: &Path) -> Result<TimeSeries, RunError> {
        let text = fs::read_to_string(path).map_err(RunError::read(path))?;
        let mut lines = text.lines();
        let columns: Vec<String> = lines.next().unwrap_or_default().split(',').map(String::from).collect();
        let (mut rows, mut names) = (Vec::new(), Vec::new());
        for line in lines {
            let row: Vec<Option<f64>> = cells(line).map(|cell| cell.parse().ok()).collect();
            if row.len() == columns.len() {
                rows.push(row);
                let name = cells(line).find(|cell| !cell.is_empty() && cell.parse::<f64>().is_err());
                names.push(unquoted(name.unwrap_or_default()));
            }
        }
        Ok(TimeSeries { columns, rows, names })
    }

    /// The rows of one stage of series.csv, or of one wall of walls.csv.
    pub fn of(&self, name: &str) -> TimeSeries {
        let kept = |k: &usize| self.names[*k] == name;
        let rows: Vec<usize> = (0..self.rows.len()).filter(kept).collect();
        TimeSeries {
            columns: self.columns.clone(),
            rows: rows.iter().map(|&k| self.rows[k].clone()).collect(),
            names: rows.iter().map(|&k| self.names[k].clone()).collect(),
        }
    }

    /// The names of the columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The numbers of each row, in the order of the columns.
    pub fn rows(&self) -> &[Vec<Option<f64>>] {
        &self.rows
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// True if there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
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

    /// The points of a column over time, without empty cells; `None` if there is no such column.
    pub fn over_time(&self, name: &str) -> Option<Vec<[f64; 2]>> {
        let (time, index) = (self.index("time_s")?, self.index(name)?);
        Some(self.rows.iter().filter_map(|row| Some([row[time]?, row[index]?])).collect())
    }
}

/// The text of a cell: within quotes, quotes are doubled.
fn unquoted(cell: &str) -> String {
    match cell.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(inside) => inside.replace("\"\"", "\""),
        None => cell.to_owned(),
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
