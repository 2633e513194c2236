//! Time series: CSV files that grow by rows and can be cut back to a step.

use crate::error::RunError;
use riprap_store::disk::DiskFile;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// A CSV file whose first column is the step.
#[derive(Debug)]
pub struct TableFile {
    path: PathBuf,
    out: DiskFile,
    columns: usize,
    damaged: usize,
    /// True if the rows that were there had other columns and are gone.
    is_renewed: bool,
}

impl TableFile {
    /// A new file with these columns.
    pub fn create(path: &Path, columns: &[&str]) -> Result<Self, RunError> {
        let out = DiskFile::create(path).map_err(RunError::write(path))?;
        let mut table = TableFile { path: path.into(), out, columns: columns.len(), damaged: 0, is_renewed: false };
        table.line(&columns.join(","))?;
        Ok(table)
    }

    /// Goes on with a file: the rows after `step`, and what was cut off at its end, are dropped. A row before them that is
    /// damaged stays as it is. A file that is not there, or has other columns, is made anew.
    pub fn reopen(path: &Path, columns: &[&str], step: u64) -> Result<Self, RunError> {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return TableFile::create(path, columns),
            Err(error) => return Err(RunError::read(path)(error)),
        };
        let Some(rows) = text.strip_prefix(&columns.join(",")).and_then(|rest| rest.strip_prefix('\n')) else {
            let table = TableFile::create(path, columns)?;
            return Ok(TableFile { is_renewed: !text.is_empty(), ..table });
        };
        let header = text.len() - rows.len();
        let (mut end, mut kept) = (0, 0);
        let (mut strange, mut damaged) = (0, 0);
        for row in rows.split_inclusive('\n') {
            end += row.len();
            match step_of(row) {
                Some(own) if own > step => break,
                Some(_) => {
                    strange += usize::from(cells_of(row) != Some(columns.len()));
                    (kept, damaged) = (end, strange);
                }
                None => strange += 1,
            }
        }
        let out = DiskFile::append(path).map_err(RunError::write(path))?;
        out.set_len((header + kept) as u64).map_err(RunError::write(path))?;
        Ok(TableFile { path: path.into(), out, columns: columns.len(), damaged, is_renewed: false })
    }

    /// What is wrong with rows that were there already, if anything is.
    pub fn damage(&self) -> Option<String> {
        let (path, rows) = (self.path.display(), self.damaged);
        if self.is_renewed {
            return Some(format!(
                "{path}: its first line did not name the columns of this run, so the file was begun anew"
            ));
        }
        (rows > 0).then(|| format!("{path}: {rows} damaged rows before the last checkpoint are left as they are"))
    }

    /// Adds a row; it is in the file, if not yet safe on disk, when this returns.
    pub fn row(&mut self, values: &[String]) -> Result<(), RunError> {
        debug_assert_eq!(values.len(), self.columns, "a row of {}", self.path.display());
        self.line(&values.join(","))
    }

    /// Makes all rows safe on disk.
    pub fn sync(&mut self) -> Result<(), RunError> {
        self.out.sync().map_err(RunError::write(&self.path))
    }

    fn line(&mut self, line: &str) -> Result<(), RunError> {
        self.out.write_all(format!("{line}\n").as_bytes()).map_err(RunError::write(&self.path))
    }
}

/// The step of a whole row.
fn step_of(row: &str) -> Option<u64> {
    row.strip_suffix('\n')?.split(',').next()?.parse().ok()
}

/// The number of cells of a row; none if a quotation mark is left open or something in it cannot be printed.
fn cells_of(row: &str) -> Option<usize> {
    let (mut cells, mut is_quoted) = (1, false);
    for letter in row.trim_end_matches('\n').chars() {
        match letter {
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => cells += 1,
            _ if letter.is_control() => return None,
            _ => {}
        }
    }
    (!is_quoted).then_some(cells)
}

/// A number that reads back as the same number.
pub fn number(value: f64) -> String {
    if value == 0.0 || (1e-4..1e9).contains(&value.abs()) { format!("{value}") } else { format!("{value:e}") }
}

/// A number, or an empty cell where there is none.
pub fn optional(value: Option<f64>) -> String {
    value.map_or(String::new(), number)
}

/// A text as one cell.
pub fn text(value: &str) -> String {
    if value.contains([',', '"', '\n', '\r']) { format!("\"{}\"", value.replace('"', "\"\"")) } else { value.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cutting_back_and_writing_again_gives_the_same_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("series.csv");
        let row = |step: u64| [step.to_string(), number(step as f64 * 1e-5)];
        let mut table = TableFile::create(&path, &["step", "time_s"]).unwrap();
        (1..=5).for_each(|step| table.row(&row(step)).unwrap());
        let whole = fs::read_to_string(&path).unwrap();
        // A kill in the middle of a row.
        fs::write(&path, &whole.as_bytes()[..whole.len() - 3]).unwrap();
        let mut table = TableFile::reopen(&path, &["step", "time_s"], 3).unwrap();
        (4..=5).for_each(|step| table.row(&row(step)).unwrap());
        assert_eq!(fs::read_to_string(&path).unwrap(), whole);
    }

    #[test]
    fn a_damaged_row_takes_no_others_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("series.csv");
        fs::write(&path, "step,time_s\n1,0.1\n2,0.\u{1}\nx3,0.3\n4,0.4\n5,0.5\n6,0.6\n7,0").unwrap();
        let mut table = TableFile::reopen(&path, &["step", "time_s"], 5).unwrap();
        table.row(&["6".into(), "0.7".into()]).unwrap();
        let expected = "step,time_s\n1,0.1\n2,0.\u{1}\nx3,0.3\n4,0.4\n5,0.5\n6,0.7\n";
        assert_eq!(fs::read_to_string(&path).unwrap(), expected);
        assert!(table.damage().unwrap().contains("2 damaged rows"));
    }

    #[test]
    fn rows_with_other_cells_and_files_with_other_columns_are_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("series.csv");
        let damage = |text: &str| {
            fs::write(&path, text).unwrap();
            TableFile::reopen(&path, &["step", "name"], 5).unwrap().damage()
        };
        assert_eq!(damage("step,name\n1,\"a, b\"\n2,c\n"), None);
        for row in ["2", "2,x\"y", "2,a,b"] {
            let told = damage(&format!("step,name\n1,a\n{row}\n3,c\n"));
            assert!(told.unwrap().contains("1 damaged rows"), "{row}");
        }
        let told = damage("step,nom\n1,a\n").unwrap();
        assert!(told.contains("begun anew"), "{told}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "step,name\n");
    }

    #[test]
    fn numbers_read_back_and_texts_are_quoted() {
        for value in [0.0, 1.0 / 3.0, 1e-20, -2.5e12, 0.1] {
            assert_eq!(number(value).parse::<f64>().unwrap(), value);
        }
        assert_eq!(text("a \"b\", c"), "\"a \"\"b\"\", c\"");
    }
}
