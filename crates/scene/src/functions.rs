//! Functions of time against the description of the format: constants, ramps, sines, tables, records in files and sums.

use crate::check::{Checker, Value};
use crate::fault::suggestion;
use crate::format::{Kind, Range};
use crate::raw::{Raw, RawEntry, RawValue};
use crate::record::{Column, Columns, RecordFault, read_record};
use crate::units::{ANGLE, FREQUENCY, PLAIN, Quantity, TIME};
use riprap_engine::TimeFunction;

/// The keys of a record.
pub(crate) const RECORD_KEYS: [&str; 9] =
    ["path", "time", "value", "time_unit", "unit", "scale", "offset", "start", "bridge_gaps"];

/// The TOML of functions of time that come from a file, with their rows in it: a scene that is kept with its run depends
/// on no other file. None for whatever else.
pub(crate) fn literal(raw: &Raw, value: &Value) -> Option<String> {
    match (value, &raw.value) {
        (Value::Function(function), _) if has_record(raw) => Some(written(raw, function)),
        (Value::Rows(rows), _) if has_record(raw) => Some(format!("{rows:?}")),
        (Value::Functions(functions), RawValue::Table(_)) if has_record(raw) => Some(written(raw, &functions[0])),
        (Value::Functions(functions), RawValue::List(items)) if items.iter().any(has_record) => {
            let items: Vec<String> =
                items.iter().zip(functions).map(|(raw, function)| written(raw, function)).collect();
            Some(format!("[{}]", items.join(", ")))
        }
        _ => None,
    }
}

/// The TOML of one function.
fn written(raw: &Raw, function: &TimeFunction) -> String {
    match (function, parts_of_sum(raw)) {
        (TimeFunction::Table(rows), _) if has_record(raw) => {
            let rows: Vec<String> = rows.iter().map(|(time, value)| format!("[{time:?}, {value:?}]")).collect();
            format!("{{ table = [{}] }}", rows.join(", "))
        }
        (TimeFunction::Sum(functions), Some(parts)) => {
            let parts: Vec<String> = parts.iter().zip(functions).map(|(raw, part)| written(raw, part)).collect();
            format!("{{ sum = [{}] }}", parts.join(", "))
        }
        _ => raw.literal(),
    }
}

/// True for `{ file = … }`, and for a sum with such a part.
fn has_record(raw: &Raw) -> bool {
    let is_record = |entries: &Vec<RawEntry>| matches!(entries.as_slice(), [entry] if entry.key == "file");
    matches!(&raw.value, RawValue::Table(entries) if is_record(entries))
        || parts_of_sum(raw).is_some_and(|parts| parts.iter().any(has_record))
}

/// The parts of `{ sum = … }`.
fn parts_of_sum(raw: &Raw) -> Option<&[Raw]> {
    let RawValue::Table(entries) = &raw.value else { return None };
    match entries.as_slice() {
        [RawEntry { key, value: Raw { value: RawValue::List(parts), .. }, .. }] if key == "sum" => Some(parts),
        _ => None,
    }
}

impl Checker<'_> {
    /// As many functions of time as the scene has dimensions.
    pub fn functions(
        &mut self,
        name: &str,
        raw: &Raw,
        items: &[Raw],
        quantity: &Quantity,
    ) -> Option<[TimeFunction; 3]> {
        self.length(name, raw, items.len())?;
        let functions: Vec<_> = items.iter().map(|item| self.function(name, item, quantity)).collect();
        let mut functions = functions.into_iter().collect::<Option<Vec<_>>>()?;
        functions.resize(3, TimeFunction::Constant(0.0));
        functions.try_into().ok()
    }

    /// A number, or a table with exactly one of `ramp`, `sine`, `table`, `file`, `sum`.
    pub fn function(&mut self, name: &str, raw: &Raw, quantity: &Quantity) -> Option<TimeFunction> {
        let RawValue::Table(entries) = &raw.value else {
            return self.number(name, raw, quantity, Range::Any).map(TimeFunction::Constant);
        };
        let [entry] = entries.as_slice() else {
            let message = format!("`{name}` needs exactly one key but has {}", entries.len());
            self.faults.add(&raw.place, message, "expected one of ramp, sine, table, file, sum", "");
            return None;
        };
        match (entry.key.as_str(), &entry.value.value) {
            ("ramp", RawValue::Table(parts)) => {
                let spec = [
                    ("from", quantity, Some(0.0)),
                    ("to", quantity, None),
                    ("start", &TIME, Some(0.0)),
                    ("duration", &TIME, None),
                ];
                let [from, to, start, duration] = self.parts("ramp", &entry.value, parts, spec)?;
                if duration <= 0.0 {
                    let at =
                        parts.iter().find(|part| part.key == "duration").map_or(&raw.place, |part| &part.value.place);
                    self.faults.add(at, "`duration` must be greater than 0", format!("got {duration}"), "");
                    return None;
                }
                Some(TimeFunction::Ramp { from, to, start, end: start + duration })
            }
            ("sine", RawValue::Table(parts)) => {
                let spec = [
                    ("mean", quantity, Some(0.0)),
                    ("amplitude", quantity, None),
                    ("frequency", &FREQUENCY, None),
                    ("phase", &ANGLE, Some(0.0)),
                ];
                let [mean, amplitude, frequency, phase] = self.parts("sine", &entry.value, parts, spec)?;
                Some(TimeFunction::Sine { mean, amplitude, frequency, phase })
            }
            ("table", RawValue::List(items)) => {
                const KIND: Kind = Kind::Rows(&[("time", TIME), ("value", crate::units::PLAIN)]);
                let rows = self.rows("table", items, &[&TIME, quantity], &KIND)?;
                if rows.is_empty() {
                    self.faults.add(
                        &entry.value.place,
                        "`table` has no rows",
                        "expected a list of rows [time, value]",
                        "",
                    );
                    return None;
                }
                Some(TimeFunction::Table(rows.iter().map(|row| (row[0], row[1])).collect()))
            }
            ("file", RawValue::Text(_) | RawValue::Table(_)) => {
                self.record(&entry.value, quantity).map(TimeFunction::Table)
            }
            ("sum", RawValue::List(parts)) => {
                if parts.is_empty() {
                    let label = "expected a list of functions of time";
                    self.faults.add(&entry.value.place, "`sum` has no parts", label, "");
                    return None;
                }
                if let Some(inner) = parts.iter().find(|part| parts_of_sum(part).is_some()) {
                    self.faults.add(&inner.place, "a sum in a sum", "", "put all parts into one list");
                    return None;
                }
                let parts: Vec<_> = parts.iter().map(|part| self.function("sum", part, quantity)).collect();
                parts.into_iter().collect::<Option<_>>().map(TimeFunction::Sum)
            }
            ("ramp" | "sine" | "table" | "file" | "sum", _) => {
                let message = format!("`{}` cannot be {}", entry.key, entry.value.kind());
                let label = match entry.key.as_str() {
                    "table" => "expected a list of rows [time, value]",
                    "file" => "expected a path, or a table with `path`",
                    "sum" => "expected a list of functions of time",
                    _ => "expected a table",
                };
                self.faults.add(&entry.value.place, message, label, "");
                None
            }
            (other, _) => {
                let help = suggestion(other, ["ramp", "sine", "table", "file", "sum"]);
                self.faults.add(&entry.key_place, format!("unknown function of time `{other}`"), "", help);
                None
            }
        }
    }

    /// The numbers of a ramp or sine; `None` as default means that it must be there.
    fn parts(
        &mut self,
        name: &str,
        raw: &Raw,
        parts: &[RawEntry],
        spec: [(&'static str, &Quantity, Option<f64>); 4],
    ) -> Option<[f64; 4]> {
        let mut whole = true;
        for part in parts.iter().filter(|part| spec.iter().all(|(key, ..)| *key != part.key)) {
            let help = suggestion(&part.key, spec.iter().map(|(key, ..)| *key));
            self.faults.add(&part.key_place, format!("unknown key `{}`", part.key), "", help);
            whole = false;
        }
        let mut numbers = [0.0; 4];
        for (number, (key, quantity, default)) in numbers.iter_mut().zip(spec) {
            let value = match parts.iter().find(|part| part.key == key) {
                Some(part) => self.number(key, &part.value, quantity, Range::Any),
                None => {
                    if default.is_none() {
                        let help = format!("expected {}", quantity.expectation());
                        self.faults.add(&raw.place, format!("`{key}` is missing in `{name}`"), "", help);
                    }
                    default
                }
            };
            match value {
                Some(value) => *number = value,
                None => whole = false,
            }
        }
        whole.then_some(numbers)
    }

    /// The rows of a record: a path, or a table with `path` and how its columns are read.
    fn record(&mut self, raw: &Raw, quantity: &Quantity) -> Option<Vec<(f64, f64)>> {
        let parts: &[RawEntry] = match &raw.value {
            RawValue::Table(parts) => parts,
            _ => &[],
        };
        let mut whole = true;
        for part in parts.iter().filter(|part| !RECORD_KEYS.contains(&part.key.as_str())) {
            let help = suggestion(&part.key, RECORD_KEYS);
            self.faults.add(&part.key_place, format!("unknown key `{}`", part.key), "", help);
            whole = false;
        }
        let part = |key: &str| parts.iter().find(|part| part.key == key).map(|part| &part.value);
        let path = match &raw.value {
            RawValue::Text(_) => Some(raw),
            _ => part("path"),
        };
        let Some(path) = path else {
            self.faults.add(&raw.place, "`path` is missing in `file`", "", "expected the path of a file of columns");
            return None;
        };
        let RawValue::Text(name) = &path.value else {
            self.faults.add(&path.place, format!("`path` cannot be {}", path.kind()), "expected a string", "");
            return None;
        };
        let columns = Columns {
            names: ["times", "values"],
            time: self.column("time", part("time"), 1)?,
            value: self.column("value", part("value"), 2)?,
            bridge_gaps: match part("bridge_gaps").map(|raw| (&raw.value, raw)) {
                None => false,
                Some((RawValue::Bool(flag), _)) => *flag,
                Some((_, raw)) => {
                    let message = format!("`bridge_gaps` cannot be {}", raw.kind());
                    self.faults.add(&raw.place, message, "expected `true` or `false`", "");
                    return None;
                }
            },
        };
        let time_unit = self.unit("time_unit", part("time_unit"), &TIME)?;
        let unit = self.unit("unit", part("unit"), quantity)?;
        let mut number = |key: &str, quantity: &Quantity, default: f64| match part(key) {
            Some(raw) => self.number(key, raw, quantity, Range::Any),
            None => Some(default),
        };
        let (scale, offset) = (number("scale", &PLAIN, 1.0)?, number("offset", quantity, 0.0)?);
        let start = number("start", &TIME, 0.0)?;
        if !whole {
            return None;
        }
        let rows = self.files.read_text(name).map_err(|why| {
            let message = format!("cannot read a record from \"{name}\"");
            self.faults.add(&path.place, message, why, "");
        });
        match read_record(&rows.ok()?, name, &columns) {
            Ok(rows) => Some(rows.iter().map(|(t, v)| (t * time_unit + start, v * unit * scale + offset)).collect()),
            Err(RecordFault { message, help }) => {
                self.faults.add(&path.place, message, "", help);
                None
            }
        }
    }

    /// The rows of a table that stands in a file: `{ file = … }`, a path, or a table with `path` and, for each column by its
    /// name, where it is and in what unit.
    pub fn rows_of_file(
        &mut self,
        name: &str,
        raw: &Raw,
        columns: &'static [(&'static str, Quantity)],
    ) -> Option<Vec<Vec<f64>>> {
        let RawValue::Table(entries) = &raw.value else { return None };
        let [RawEntry { key, value: file, .. }] = entries.as_slice() else {
            self.faults.add(&raw.place, format!("`{name}` cannot be a table"), "expected rows, or `{ file = … }`", "");
            return None;
        };
        if key != "file" || !matches!(file.value, RawValue::Text(_) | RawValue::Table(_)) {
            self.faults.add(&raw.place, format!("`{name}` cannot be a table"), "expected rows, or `{ file = … }`", "");
            return None;
        }
        let &[(first, first_quantity), (second, second_quantity)] = columns else { return None };
        let parts: &[RawEntry] = if let RawValue::Table(parts) = &file.value { parts } else { &[] };
        let units = [format!("{first}_unit"), format!("{second}_unit")];
        let known = ["path", first, second, &units[0], &units[1]];
        let mut unknown = parts.iter().filter(|part| !known.contains(&part.key.as_str())).peekable();
        if unknown.peek().is_some() {
            for part in unknown {
                let help = suggestion(&part.key, known);
                self.faults.add(&part.key_place, format!("unknown key `{}`", part.key), "", help);
            }
            return None;
        }
        let part = |key: &str| parts.iter().find(|part| part.key == key).map(|part| &part.value);
        let path = if let RawValue::Text(_) = &file.value { Some(file) } else { part("path") };
        let Some((path, RawValue::Text(text))) = path.map(|path| (path, &path.value)) else {
            self.faults.add(&file.place, "`path` is missing in `file`", "", "expected the path of a file of columns");
            return None;
        };
        let factors = [
            self.unit(&units[0], part(&units[0]), &first_quantity)?,
            self.unit(&units[1], part(&units[1]), &second_quantity)?,
        ];
        let columns = Columns {
            time: self.column(first, part(first), 1)?,
            value: self.column(second, part(second), 2)?,
            bridge_gaps: true,
            names: [first, second],
        };
        let read = self.files.read_text(text).map_err(|why| (format!("cannot read a table from \"{text}\""), why));
        let rows = read.and_then(|content| {
            read_record(&content, text, &columns).map_err(|RecordFault { message, help }| (message, help))
        });
        match rows {
            Ok(rows) => Some(rows.iter().map(|(a, b)| vec![a * factors[0], b * factors[1]]).collect()),
            Err((message, help)) => {
                self.faults.add(&path.place, message, "", help);
                None
            }
        }
    }

    /// A column by its name or number.
    fn column(&mut self, key: &str, raw: Option<&Raw>, default: usize) -> Option<Column> {
        match raw.map(|raw| (&raw.value, raw)) {
            None => Some(Column::Number(default)),
            Some((RawValue::Text(name), _)) => Some(Column::Name(name.clone())),
            Some((RawValue::Integer(number @ 1..=1_000_000), _)) => Some(Column::Number(*number as usize)),
            Some((_, raw)) => {
                let message = format!("`{key}` is not a column");
                self.faults.add(&raw.place, message, "expected a name or a number, counted from 1", "");
                None
            }
        }
    }

    /// The factor of a unit such as `"cm/s2"` to SI.
    fn unit(&mut self, key: &str, raw: Option<&Raw>, quantity: &Quantity) -> Option<f64> {
        let Some(raw) = raw else { return Some(1.0) };
        if let RawValue::Text(unit) = &raw.value
            && let Ok(factor) = quantity.parse(&format!("1 {unit}"))
        {
            return Some(factor);
        }
        let expected = format!("expected a unit of {}, such as \"{}\"", quantity.name, quantity.unit);
        self.faults.add(&raw.place, format!("`{key}` is not a unit of {}", quantity.name), expected, "");
        None
    }
}
