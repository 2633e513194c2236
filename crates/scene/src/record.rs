//! Records: functions of time in files of columns, such as an accelerogram in a CSV file.
//!
//! Not based on the crate `csv`: columns may also be separated by runs of blanks, and errors name line and column.

use crate::fault::suggestion;

/// A column of a file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Column {
    /// By its name in the first line.
    Name(String),
    /// By its number, from 1 on.
    Number(usize),
}

/// Which columns of a file are read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Columns {
    pub time: Column,
    pub value: Column,
    /// True if a stretch without rows in an otherwise even record is to be bridged by a straight line.
    pub bridge_gaps: bool,
    /// What is in the two columns, in plural: "times" and "values".
    pub names: [&'static str; 2],
}

/// A fault of a file: where it is, what is wrong, and what would help.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RecordFault {
    pub message: String,
    pub help: String,
}

/// An interval is a gap if it is longer than this many usual ones, in a record of which nearly all are of one length.
const GAP: f64 = 1.5;
/// Nearly all: this part of the intervals, each the usual one to within [`EVEN`].
const NEARLY_ALL: f64 = 0.9;
/// See [`NEARLY_ALL`]: times are often written with few digits.
const EVEN: f64 = 0.1;

/// The rows (time, value) of a text, in the units of the file.
pub(crate) fn read_record(text: &str, file: &str, columns: &Columns) -> Result<Vec<(f64, f64)>, RecordFault> {
    let lines: Vec<Line> = lines(text).collect();
    let Some(first) = lines.first() else {
        return Err(fault(format!("{file} has no rows"), "expected lines with two columns of numbers"));
    };
    let separator = Separator::of(first.text);
    let first_cells = separator.cells(first.text);
    // A line that is no row of numbers is a heading.
    let heading = first_cells.iter().any(|cell| !cell.text.is_empty() && cell.text.parse::<f64>().is_err());
    let header = if heading { &first_cells[..] } else { &[] };
    let width = first_cells.len();
    let time = find(&columns.time, header, width, file)?;
    let value = find(&columns.value, header, width, file)?;
    let mut rows: Vec<(f64, f64)> = Vec::new();
    let mut places = Vec::new();
    for line in &lines[usize::from(heading)..] {
        let cells = separator.cells(line.text);
        let row = (number(&cells, time, line, file, separator)?, number(&cells, value, line, file, separator)?);
        if let Some(last) = rows.last().filter(|last| last.0 >= row.0) {
            let place = CellPlace { file, line: line.number, column: cells[time].column };
            let message = format!("{place}: the {} are not sorted: {} after {}", columns.names[0], row.0, last.0);
            return Err(fault(message, "sort the rows by the first of the two columns, each value once"));
        }
        rows.push(row);
        places.push(line.number);
    }
    if rows.is_empty() {
        return Err(fault(format!("{file} has a heading but no rows"), "expected lines with two columns of numbers"));
    }
    match gap(&rows) {
        Some(row) if !columns.bridge_gaps => {
            let (line, before, after) = (places[row], rows[row - 1].0, rows[row].0);
            let message =
                format!("{file}:{line}: the record has a gap: no rows between the times {before} and {after}");
            Err(fault(message, "add the missing rows, or set `bridge_gaps = true` to interpolate across it"))
        }
        _ => Ok(rows),
    }
}

/// A line that says something.
struct Line<'a> {
    /// From 1 on.
    number: usize,
    text: &'a str,
}

/// The lines without comments and empty ones.
fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines = text.lines().enumerate().map(|(index, text)| Line { number: index + 1, text });
    lines.filter(|line| !line.text.trim().is_empty() && !line.text.trim_start().starts_with('#'))
}

/// What stands between the cells of a row.
#[derive(Clone, Copy, PartialEq)]
enum Separator {
    Character(char),
    Blanks,
}

/// One cell of a row.
struct Cell<'a> {
    text: &'a str,
    /// Where it starts in its line, from 1 on, in characters.
    column: usize,
}

impl Separator {
    /// A semicolon, tab or comma if the line has one, in this order: decimal commas stand between semicolons.
    fn of(line: &str) -> Self {
        [';', '\t', ','].into_iter().find(|&c| line.contains(c)).map_or(Separator::Blanks, Separator::Character)
    }

    fn cells(self, line: &str) -> Vec<Cell<'_>> {
        let start = |cell: &str| line[..cell.as_ptr() as usize - line.as_ptr() as usize].chars().count() + 1;
        let parts: Vec<&str> = match self {
            Separator::Character(separator) => line.split(separator).map(str::trim).collect(),
            Separator::Blanks => line.split_whitespace().collect(),
        };
        parts.into_iter().map(|part| Cell { column: start(part), text: part.trim_matches('"').trim() }).collect()
    }
}

/// Where a fault is in a file.
struct CellPlace<'a> {
    file: &'a str,
    line: usize,
    column: usize,
}

impl std::fmt::Display for CellPlace<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

fn fault(message: String, help: &str) -> RecordFault {
    RecordFault { message, help: help.to_owned() }
}

/// The index of a column.
fn find(column: &Column, header: &[Cell<'_>], width: usize, file: &str) -> Result<usize, RecordFault> {
    match column {
        Column::Number(number) if (1..=width).contains(number) => Ok(number - 1),
        Column::Number(number) => {
            let message = format!("{file} has no column {number}");
            Err(fault(message, &format!("its first line has {width}; they are numbered from 1")))
        }
        Column::Name(name) => {
            let found: Vec<usize> = (0..header.len()).filter(|&i| header[i].text == name).collect();
            match found[..] {
                [index] => Ok(index),
                [] if header.is_empty() => Err(fault(
                    format!("{file} has no heading with the name \"{name}\""),
                    "give the number of the column",
                )),
                [] => {
                    let help = suggestion(name, header.iter().map(|cell| cell.text));
                    Err(fault(format!("{file} has no column \"{name}\""), &help))
                }
                _ => Err(fault(format!("{file} has several columns \"{name}\""), "give the number of the column")),
            }
        }
    }
}

/// The number in a cell of a row.
fn number(
    cells: &[Cell<'_>],
    index: usize,
    line: &Line<'_>,
    file: &str,
    separator: Separator,
) -> Result<f64, RecordFault> {
    let Some(cell) = cells.get(index) else {
        let message = format!("{file}:{}: the row has no column {}", line.number, index + 1);
        return Err(fault(message, "every row needs both columns"));
    };
    let place = CellPlace { file, line: line.number, column: cell.column };
    if cell.text.is_empty() {
        return Err(fault(format!("{place}: the cell is empty"), "every row needs both columns"));
    }
    match cell.text.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        _ => {
            let has_comma = cell.text.contains(',') && separator != Separator::Character(',');
            let help = if has_comma { "write decimals with a point" } else { "" };
            Err(fault(format!("{place}: `{}` is not a number", cell.text), help))
        }
    }
}

/// The first row after a gap, in a record whose other rows follow each other evenly.
fn gap(rows: &[(f64, f64)]) -> Option<usize> {
    let intervals: Vec<f64> = rows.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
    let mut sorted = intervals.clone();
    sorted.sort_by(f64::total_cmp);
    let usual = *sorted.get(sorted.len() / 2)?;
    let even = intervals.iter().filter(|&&interval| (interval / usual - 1.0).abs() <= EVEN).count();
    if (even as f64) < NEARLY_ALL * intervals.len() as f64 {
        return None;
    }
    intervals.iter().position(|&interval| interval > GAP * usual).map(|index| index + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, time: Column, value: Column) -> Result<Vec<(f64, f64)>, String> {
        let columns = Columns { time, value, bridge_gaps: false, names: ["times", "values"] };
        read_record(text, "quake.csv", &columns).map_err(|fault| format!("{}; {}", fault.message, fault.help))
    }

    fn plain(text: &str) -> Result<Vec<(f64, f64)>, String> {
        read(text, Column::Number(1), Column::Number(2))
    }

    #[test]
    fn columns_are_found_by_name_and_by_number_whatever_separates_them() {
        let rows = Ok(vec![(0.0, 1.5), (0.1, -2.0)]);
        for text in [
            "0,1.5\n0.1,-2\n",
            "\u{feff}t;a\r\n0; 1.5\r\n0.1; -2\r\n",
            "# station 7\n0 1.5\n\n0.1 -2e0",
            "0\t1.5\n0.1\t-2",
        ] {
            assert_eq!(plain(text), rows, "{text}");
        }
        let table = "\"az (g)\",t,ax\n9,0,1.5\n9,0.1,-2\n";
        assert_eq!(read(table, Column::Name("t".into()), Column::Name("ax".into())), rows);
        assert_eq!(read(table, Column::Number(2), Column::Number(3)), rows);
        assert_eq!(read(table, Column::Name("t".into()), Column::Name("az (g)".into())).unwrap()[0], (0.0, 9.0));
    }

    #[test]
    fn faults_of_a_file_are_told_with_line_and_column() {
        for (text, message) in [
            ("", "quake.csv has no rows"),
            ("t,a\n", "quake.csv has a heading but no rows"),
            ("t,a\n0,1\n0.1,x\n", "quake.csv:3:5: `x` is not a number"),
            // A first line that is no row of numbers is a heading.
            ("0;1,5\n", "quake.csv has a heading but no rows"),
            ("t;a\n0;1,5\n", "quake.csv:2:3: `1,5` is not a number; write decimals with a point"),
            ("0,1\n0.2,2\n0.1,3\n", "quake.csv:3:1: the times are not sorted: 0.1 after 0.2"),
            ("0,1\n0,2\n", "quake.csv:2:1: the times are not sorted: 0 after 0"),
            ("0,1\n0.1,\n", "quake.csv:2:5: the cell is empty"),
            ("0,1\n0.1\n", "quake.csv:2: the row has no column 2"),
            ("0\n0.1\n", "quake.csv has no column 2; its first line has 1"),
            ("0,1\n1,inf\n", "quake.csv:2:3: `inf` is not a number"),
        ] {
            let found = plain(text).unwrap_err();
            assert!(found.starts_with(message), "{text:?}: {found}");
        }
        let misspelt = read("time,ax\n0,1\n", Column::Name("tme".into()), Column::Number(2)).unwrap_err();
        assert_eq!(misspelt, "quake.csv has no column \"tme\"; did you mean `time`?");
        let twice = read("t,a,a\n0,1,1\n", Column::Number(1), Column::Name("a".into())).unwrap_err();
        assert!(twice.starts_with("quake.csv has several columns \"a\""), "{twice}");
        let bare = read("0,1\n", Column::Name("t".into()), Column::Number(2)).unwrap_err();
        assert!(bare.starts_with("quake.csv has no heading with the name \"t\""), "{bare}");
    }

    #[test]
    fn a_missing_stretch_of_an_even_record_is_a_gap_and_an_uneven_table_has_none() {
        let even = |missing: std::ops::Range<u32>| -> String {
            (0..100).filter(|i| !missing.contains(i)).map(|i| format!("{:.3},1\n", f64::from(i) * 0.01)).collect()
        };
        assert_eq!(plain(&even(0..0)).unwrap().len(), 100);
        let found = plain(&even(40..42)).unwrap_err();
        assert!(
            found.starts_with("quake.csv:41: the record has a gap: no rows between the times 0.39 and 0.42"),
            "{found}"
        );
        let columns = Columns {
            time: Column::Number(1),
            value: Column::Number(2),
            bridge_gaps: true,
            names: ["times", "values"],
        };
        assert_eq!(read_record(&even(40..42), "quake.csv", &columns).unwrap().len(), 98);
        assert_eq!(plain("0,0\n1,1\n1.2,1\n9,0\n9.5,0\n").unwrap().len(), 5);
    }
}
