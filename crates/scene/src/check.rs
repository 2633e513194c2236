//! The tree as it was written against the description of the format: every key, type, unit and range.

use crate::GrainSource;
use crate::fault::{Collector, suggestion};
use crate::format::{Fill, Key, Kind, Need, Range, Section, Variant};
use crate::functions;
use crate::raw::{Raw, RawEntry, RawValue, Span};
use crate::units::{Quantity, UnitError};
use riprap_engine::TimeFunction;

/// A checked value in SI units, with its place and how it is written.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub place: Span,
    pub value: Value,
    /// False for a default.
    pub given: bool,
    /// The TOML value.
    pub literal: String,
}

#[derive(Clone, Debug)]
pub(crate) enum Value {
    /// Its fault has been reported; nothing more is said about it.
    Broken,
    Text(String),
    Bool(bool),
    Integer(i64),
    Number(f64),
    Vector([f64; 3]),
    Function(TimeFunction),
    Functions([TimeFunction; 3]),
    List(Vec<Node>),
    Rows(Vec<Vec<f64>>),
    Table(Table),
}

/// A checked table; the keys are in the order of the format, or of the text where the user chooses them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    pub entries: Vec<Entry>,
    /// The choice of the table's tag.
    pub variant: Option<&'static str>,
}

#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub key: String,
    pub place: Span,
    pub node: Node,
}

impl Table {
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entries.iter().find(|entry| entry.key == key).map(|entry| &entry.node)
    }
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        self.entries.iter_mut().find(|entry| entry.key == key).map(|entry| &mut entry.node)
    }
    pub fn place<'a>(&'a self, key: &str, otherwise: &'a Span) -> &'a Span {
        self.get(key).map_or(otherwise, |node| &node.place)
    }
    pub fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }
    pub fn number(&self, key: &str) -> Option<f64> {
        match self.get(key)?.value {
            Value::Number(number) => Some(number),
            _ => None,
        }
    }
    pub fn integer(&self, key: &str) -> Option<i64> {
        match self.get(key)?.value {
            Value::Integer(integer) => Some(integer),
            _ => None,
        }
    }
    pub fn flag(&self, key: &str) -> Option<bool> {
        match self.get(key)?.value {
            Value::Bool(flag) => Some(flag),
            _ => None,
        }
    }
    pub fn text(&self, key: &str) -> Option<&str> {
        self.get(key)?.as_text()
    }
    pub fn vector(&self, key: &str) -> Option<[f64; 3]> {
        self.get(key)?.as_vector()
    }
    pub fn function(&self, key: &str) -> Option<TimeFunction> {
        match &self.get(key)?.value {
            Value::Function(function) => Some(function.clone()),
            _ => None,
        }
    }
    pub fn functions(&self, key: &str) -> Option<[TimeFunction; 3]> {
        match &self.get(key)?.value {
            Value::Functions(functions) => Some(functions.clone()),
            _ => None,
        }
    }
    pub fn table(&self, key: &str) -> Option<&Table> {
        self.get(key)?.as_table()
    }
    pub fn list(&self, key: &str) -> &[Node] {
        match self.get(key).map(|node| &node.value) {
            Some(Value::List(items)) => items,
            _ => &[],
        }
    }
    pub fn list_mut(&mut self, key: &str) -> &mut [Node] {
        match self.get_mut(key).map(|node| &mut node.value) {
            Some(Value::List(items)) => items,
            _ => &mut [],
        }
    }
    /// The tables of a list of tables, with their places.
    pub fn tables(&self, key: &str) -> impl Iterator<Item = (&Table, &Span)> {
        self.list(key).iter().filter_map(|node| Some((node.as_table()?, &node.place)))
    }
    /// The only entry of a table with one of several keys.
    pub fn only(&self) -> Option<&Entry> {
        self.entries.first()
    }
}

impl Node {
    pub fn as_table(&self) -> Option<&Table> {
        match &self.value {
            Value::Table(table) => Some(table),
            _ => None,
        }
    }
    pub fn as_table_mut(&mut self) -> Option<&mut Table> {
        match &mut self.value {
            Value::Table(table) => Some(table),
            _ => None,
        }
    }
    pub fn as_text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }
    pub fn as_vector(&self) -> Option<[f64; 3]> {
        match self.value {
            Value::Vector(vector) => Some(vector),
            _ => None,
        }
    }
}

/// Checks trees of a scene of one dimension; faults are collected.
pub(crate) struct Checker<'a> {
    pub dimension: usize,
    /// False if the scene does not say its dimension; lengths of vectors are not judged then.
    pub dimension_known: bool,
    pub faults: &'a mut Collector,
    /// Where records come from.
    pub files: &'a dyn GrainSource,
}

impl Checker<'_> {
    /// A table against its section.
    pub fn table(&mut self, entries: &[RawEntry], place: &Span, section: &'static Section, fill: Fill) -> Table {
        let mut variant = None;
        let mut tag_entry = None;
        if let Some(tag) = &section.tag {
            let names = || tag.variants.iter().flat_map(|v| [v.name, v.alias]).filter(|name| !name.is_empty());
            let entry = entries.iter().find(|entry| entry.key == tag.key);
            match entry.map(|entry| &entry.value.value) {
                None => {
                    let help = format!("one of {}", names().collect::<Vec<_>>().join(", "));
                    self.faults.add(place, format!("`{}` is missing", tag.key), "in this table", help);
                }
                Some(RawValue::Text(name)) => {
                    variant = tag.variant(name);
                    if variant.is_none() {
                        let at = entry.map_or(place, |entry| &entry.value.place);
                        let message = format!("no such {}: \"{name}\"", tag.key);
                        self.faults.add(at, message, "", suggestion(name, names()));
                    }
                }
                Some(_) => {
                    let raw = &entry.expect("it was found above").value;
                    self.wrong_kind(tag.key, raw, &Kind::Text);
                }
            }
            tag_entry = Some(tag.key);
            // Without its tag nothing can be said about the other keys.
            if variant.is_none() {
                return Table::default();
            }
        }
        let mut table = self.keys(entries, place, &|| section.keys_of(variant), tag_entry, fill);
        table.variant = variant.map(|variant: &Variant| variant.name);
        table
    }

    fn keys<I: Iterator<Item = &'static Key>>(
        &mut self,
        entries: &[RawEntry],
        place: &Span,
        keys: &dyn Fn() -> I,
        tag: Option<&'static str>,
        fill: Fill,
    ) -> Table {
        let here = |key: &&Key| key.only.allows(self.dimension) || !self.dimension_known;
        for entry in entries {
            let name = entry.key.as_str();
            if Some(name) == tag {
                continue;
            }
            match keys().find(|key| key.name == name) {
                None => {
                    let known = keys().filter(here).map(|key| key.name).chain(tag);
                    let help = suggestion(name, known);
                    self.faults.add(&entry.key_place, format!("unknown key `{name}`"), "", help);
                }
                Some(key) if !here(&key) => {
                    let other = 5 - self.dimension;
                    let message = format!("`{name}` is available in {other}D only");
                    self.faults.add(&entry.key_place, message, format!("the scene is {}D", self.dimension), "");
                }
                Some(_) => {}
            }
        }
        let keys: Vec<&'static Key> = keys().filter(here).collect();
        let mut table = Table::default();
        for key in keys {
            match entries.iter().find(|entry| entry.key == key.name) {
                Some(entry) => {
                    let node = self.value(key.name, &entry.value, &key.kind);
                    table.entries.push(Entry { key: key.name.to_owned(), place: entry.key_place.clone(), node });
                }
                None if fill == Fill::Defaults => {
                    if let Some(node) = self.missing(key, place) {
                        table.entries.push(Entry { key: key.name.to_owned(), place: place.clone(), node });
                    }
                }
                None => {}
            }
        }
        table
    }

    /// The default of a key that is not given, or the fault that it must be.
    fn missing(&mut self, key: &'static Key, place: &Span) -> Option<Node> {
        let literal = match key.need {
            Need::Required => {
                let mut help = key.kind.expectation(self.dimension);
                help.insert_str(0, "expected ");
                self.faults.add(place, format!("`{}` is missing", key.name), "in this table", help);
                return Some(Node { place: place.clone(), value: Value::Broken, given: false, literal: String::new() });
            }
            Need::Optional | Need::Chosen(_) => return None,
            Need::Default(literal) => literal.to_owned(),
            Need::Taken(literal) => literal(),
            Need::ByDimension(plane, space) => if self.dimension == 2 { plane } else { space }.to_owned(),
        };
        let raw = crate::raw::value_of(&literal, place);
        let mut node = self.value(key.name, &raw, &key.kind);
        node.given = false;
        Some(node)
    }

    /// A value against its kind.
    pub fn value(&mut self, name: &str, raw: &Raw, kind: &'static Kind) -> Node {
        let value = self.checked(name, raw, kind).unwrap_or(Value::Broken);
        let literal = functions::literal(raw, &value).unwrap_or_else(|| raw.literal());
        Node { place: raw.place.clone(), value, given: true, literal }
    }

    fn checked(&mut self, name: &str, raw: &Raw, kind: &'static Kind) -> Option<Value> {
        match (kind, &raw.value) {
            (Kind::Any(kinds), _) => match kinds.iter().find(|kind| fits(kind, raw)) {
                Some(kind) => self.checked(name, raw, kind),
                None => self.wrong_kind(name, raw, kind),
            },
            (Kind::Text, RawValue::Text(text)) => {
                self.refuse_control_characters(text, &raw.place);
                Some(Value::Text(text.clone()))
            }
            (Kind::Bool, RawValue::Bool(flag)) => Some(Value::Bool(*flag)),
            (Kind::Integer { min, max }, RawValue::Integer(integer)) => {
                if (min..=max).contains(&integer) {
                    return Some(Value::Integer(*integer));
                }
                self.unexpected(raw, kind, format!("`{name}` is out of range: {integer}"), "")
            }
            (Kind::Number(quantity, range), RawValue::Text(_) | RawValue::Integer(_) | RawValue::Float(_)) => {
                self.number(name, raw, quantity, *range).map(Value::Number)
            }
            (Kind::Vector(quantity), _) => self.vector(name, raw, quantity).map(Value::Vector),
            (Kind::Spin(quantity), _) if self.dimension == 2 => {
                self.number(name, raw, quantity, Range::Any).map(|spin| Value::Vector([0.0, 0.0, spin]))
            }
            (Kind::Spin(quantity), _) => self.vector(name, raw, quantity).map(Value::Vector),
            (Kind::Function(quantity), _) => self.function(name, raw, quantity).map(Value::Function),
            (Kind::SpinFunctions(quantity), _) if self.dimension == 2 => {
                let function = self.function(name, raw, quantity)?;
                let zero = || TimeFunction::Constant(0.0);
                Some(Value::Functions([function, zero(), zero()]))
            }
            (Kind::Functions(quantity) | Kind::SpinFunctions(quantity), RawValue::List(items)) => {
                self.functions(name, raw, items, quantity).map(Value::Functions)
            }
            (Kind::Choice(words), RawValue::Text(text)) => match words.iter().find(|(word, _)| word == text) {
                Some((word, _)) => Some(Value::Text((*word).to_owned())),
                None => {
                    let help = suggestion(text, words.iter().map(|(word, _)| *word));
                    self.unexpected(raw, kind, format!("`{name}` cannot be \"{text}\""), &help)
                }
            },
            (Kind::List(inner), RawValue::List(items)) => {
                Some(Value::List(items.iter().map(|item| self.value(name, item, inner)).collect()))
            }
            (Kind::Rows(columns), RawValue::Table(_)) => self.rows_of_file(name, raw, columns).map(Value::Rows),
            (Kind::Rows(columns), RawValue::List(items)) => {
                let quantities: Vec<&Quantity> = columns.iter().map(|(_, quantity)| quantity).collect();
                self.rows(name, items, &quantities, kind).map(Value::Rows)
            }
            (Kind::Table(section, fill), RawValue::Table(entries)) => {
                Some(Value::Table(self.table(entries, &raw.place, section, *fill)))
            }
            (Kind::Tables(section, fill), RawValue::List(items)) => {
                Some(Value::List(items.iter().map(|item| self.table_node(name, item, section, *fill)).collect()))
            }
            (Kind::Named(section, fill), RawValue::Table(entries)) => {
                let mut table = Table::default();
                for entry in entries {
                    self.refuse_control_characters(&entry.key, &entry.key_place);
                    let node = self.table_node(&entry.key, &entry.value, section, *fill);
                    table.entries.push(Entry { key: entry.key.clone(), place: entry.key_place.clone(), node });
                }
                Some(Value::Table(table))
            }
            (Kind::OneOf(keys), RawValue::Table(entries)) => self.one_of(name, raw, entries, keys).map(Value::Table),
            _ => self.wrong_kind(name, raw, kind),
        }
    }

    /// Names and titles go into tables, logs and terminals, in which a line break or an escape would be a command.
    fn refuse_control_characters(&mut self, text: &str, place: &Span) {
        if let Some(found) = text.chars().find(|character| character.is_control()) {
            let message = format!("a name or title contains the control character {found:?}");
            self.faults.add(place, message, "", "use printable characters and spaces only");
        }
    }

    /// One table of a list or of tables with names.
    fn table_node(&mut self, name: &str, raw: &Raw, section: &'static Section, fill: Fill) -> Node {
        let value = match &raw.value {
            RawValue::Table(entries) => Value::Table(self.table(entries, &raw.place, section, fill)),
            _ => self.wrong_kind(name, raw, &Kind::Table(section, fill)).unwrap_or(Value::Broken),
        };
        Node { place: raw.place.clone(), value, given: true, literal: String::new() }
    }

    /// A table with exactly one of some keys.
    fn one_of(&mut self, name: &str, raw: &Raw, entries: &[RawEntry], keys: &'static [Key]) -> Option<Table> {
        let table = self.keys(entries, &raw.place, &|| keys.iter(), None, Fill::Nothing);
        if entries.len() == 1 {
            return (table.entries.len() == 1).then_some(table);
        }
        let names: Vec<&str> = keys.iter().map(|key| key.name).collect();
        let message = format!("`{name}` needs exactly one key but has {}", entries.len());
        self.faults.add(&raw.place, message, format!("expected one of {}", names.join(", ")), "");
        None
    }

    fn wrong_kind(&mut self, name: &str, raw: &Raw, kind: &Kind) -> Option<Value> {
        self.unexpected(raw, kind, format!("`{name}` cannot be {}", raw.kind()), "")
    }

    /// The fault of a value that is not what its kind expects.
    fn unexpected(&mut self, raw: &Raw, kind: &Kind, message: String, help: &str) -> Option<Value> {
        self.faults.add(&raw.place, message, format!("expected {}", kind.expectation(self.dimension)), help);
        None
    }

    pub fn number(&mut self, name: &str, raw: &Raw, quantity: &Quantity, range: Range) -> Option<f64> {
        let value = match &raw.value {
            RawValue::Integer(integer) => *integer as f64,
            RawValue::Float(float) => *float,
            RawValue::Text(text) => match quantity.parse(text) {
                Ok(value) => value,
                Err(error) => {
                    let expected = format!("expected {}", quantity.expectation());
                    let (message, label) = match error {
                        UnitError::NotANumber => (format!("`{name}` does not start with a number"), expected),
                        UnitError::UnknownUnit(unit) => (format!("`{name}` has the unknown unit `{unit}`"), expected),
                        UnitError::WrongQuantity(other, unit) => {
                            let got = match other {
                                Some(other) => format!("got {other} ({unit})"),
                                None => format!("got a different quantity ({unit})"),
                            };
                            (format!("`{name}` has the wrong unit"), format!("{expected}, {got}"))
                        }
                    };
                    self.faults.add(&raw.place, message, label, "");
                    return None;
                }
            },
            _ => {
                let message = format!("`{name}` cannot be {}", raw.kind());
                self.faults.add(&raw.place, message, format!("expected {}", quantity.expectation()), "");
                return None;
            }
        };
        if !value.is_finite() {
            self.faults.add(&raw.place, format!("`{name}` must be a finite number"), "", "");
            return None;
        }
        if !range.holds(value) {
            let message = format!("`{name}` must be {}", range.words());
            self.faults.add(&raw.place, message, format!("got {value}"), "");
            return None;
        }
        Some(value)
    }

    pub fn length(&mut self, name: &str, raw: &Raw, length: usize) -> Option<()> {
        if length == self.dimension || (!self.dimension_known && length == 2) {
            return Some(());
        }
        let message = format!("`{name}` has {length} components in a {}D scene", self.dimension);
        self.faults.add(&raw.place, message, format!("expected {}", self.dimension), "");
        None
    }

    fn vector(&mut self, name: &str, raw: &Raw, quantity: &Quantity) -> Option<[f64; 3]> {
        let RawValue::List(items) = &raw.value else {
            let label = format!("expected a list of {} numbers, each {}", self.dimension, quantity.expectation());
            self.faults.add(&raw.place, format!("`{name}` cannot be {}", raw.kind()), label, "");
            return None;
        };
        let numbers: Vec<_> = items.iter().map(|item| self.number(name, item, quantity, Range::Any)).collect();
        self.length(name, raw, items.len())?;
        let mut vector = [0.0; 3];
        for (component, number) in vector.iter_mut().zip(numbers) {
            *component = number?;
        }
        Some(vector)
    }

    pub fn rows(&mut self, name: &str, items: &[Raw], columns: &[&Quantity], kind: &Kind) -> Option<Vec<Vec<f64>>> {
        let mut rows = Vec::new();
        let mut whole = true;
        for item in items {
            match &item.value {
                RawValue::List(cells) if cells.len() == columns.len() => {
                    let row: Vec<_> =
                        cells.iter().zip(columns).map(|(cell, q)| self.number(name, cell, q, Range::Any)).collect();
                    match row.into_iter().collect::<Option<Vec<f64>>>() {
                        Some(row) => {
                            if rows.last().is_some_and(|last: &Vec<f64>| last[0] >= row[0]) {
                                let message = format!("the first column of `{name}` must increase");
                                self.faults.add(&item.place, message, "not greater than in the previous row", "");
                                whole = false;
                            }
                            rows.push(row);
                        }
                        None => whole = false,
                    }
                }
                _ => {
                    self.wrong_kind(name, item, kind);
                    whole = false;
                }
            }
        }
        whole.then_some(rows)
    }
}

/// Whether a value has the TOML type of a kind, before any other check.
fn fits(kind: &Kind, raw: &Raw) -> bool {
    match raw.value {
        RawValue::Text(_) => matches!(kind, Kind::Text | Kind::Number(..) | Kind::Function(_) | Kind::Choice(_)),
        RawValue::Integer(_) | RawValue::Float(_) => {
            matches!(kind, Kind::Number(..) | Kind::Function(_) | Kind::Integer { .. })
        }
        RawValue::Bool(_) => matches!(kind, Kind::Bool),
        RawValue::Date => false,
        RawValue::List(_) => matches!(kind, Kind::Vector(_) | Kind::List(_) | Kind::Rows(_)),
        RawValue::Table(_) => matches!(kind, Kind::OneOf(_) | Kind::Table(..) | Kind::Function(_) | Kind::Rows(_)),
    }
}
