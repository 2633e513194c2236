//! The rows of `measures.csv`: what is measured while a run goes on, or afterwards by `riprap measure`.

use crate::table_file::{number, optional, text};
use riprap_measure::Unavailable;
use riprap_measure::report::{Number, Value};

/// The columns of measures.csv: a number a row, so that each has its uncertainty, range and points beside it.
pub const NUMBER_COLUMNS: [&str; 11] = [
    "step",
    "time_s",
    "measurement",
    "quantity",
    "unit",
    "value",
    "uncertainty",
    "range_low",
    "range_high",
    "points",
    "why_not",
];

/// A row of measures.csv; without a value the row says why a whole measurement is missing.
pub fn number_row(step: u64, time: f64, what: &str, value: Result<&Value, &Unavailable>) -> Vec<String> {
    let mut row = vec![step.to_string(), number(time), what.to_string()];
    let (name, unit, found) = match value {
        Ok(value) => (value.name, value.unit, value.number.as_ref()),
        Err(why) => ("", "", Err(why)),
    };
    row.extend([name.to_string(), text(unit)]);
    match found {
        Ok(Number { value, uncertainty, range, points }) => {
            row.extend([number(*value), optional(*uncertainty)]);
            row.extend([optional(range.map(|r| r[0])), optional(range.map(|r| r[1]))]);
            row.extend([points.map_or(String::new(), |points| points.to_string()), String::new()]);
        }
        Err(why) => {
            row.extend(std::iter::repeat_n(String::new(), 5));
            row.push(text(&why.to_string()));
        }
    }
    row
}
