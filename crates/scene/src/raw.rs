//! The TOML tree as it was written, with the place of every key and value, and the overrides of the command line.

use crate::fault::Collector;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value for one key, given on the command line as `--set path.to.key=value`.
#[derive(Clone, Debug, PartialEq)]
pub struct Override {
    /// Keys joined by dots; entries of a list by their number, counted from 0: `stages.0.end.time`.
    pub path: String,
    /// A TOML value; what is not one is taken as a string, so that `2 mm` needs no quotes.
    pub value: String,
}

/// Where something was written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Span {
    /// Bytes of the scene's text.
    Text(Range<usize>),
    /// The value of an override, by its index.
    Override(usize),
}

impl Span {
    /// Places in the order of the text, overrides last.
    pub fn order(&self) -> (usize, usize) {
        match self {
            Span::Text(span) => (0, span.start),
            Span::Override(index) => (1, *index),
        }
    }
}

/// A value as it was written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Raw {
    pub place: Span,
    pub value: RawValue,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum RawValue {
    Text(String),
    Integer(i64),
    Float(f64),
    Bool(bool),
    /// A date or time, which no key of a scene takes.
    Date,
    List(Vec<Raw>),
    Table(Vec<RawEntry>),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RawEntry {
    pub key: String,
    pub key_place: Span,
    pub value: Raw,
}

impl Raw {
    /// What it is, for a message.
    pub fn kind(&self) -> &'static str {
        match self.value {
            RawValue::Text(_) => "a string",
            RawValue::Integer(_) => "an integer",
            RawValue::Float(_) => "a number",
            RawValue::Bool(_) => "a Boolean",
            RawValue::Date => "a date",
            RawValue::List(_) => "a list",
            RawValue::Table(_) => "a table",
        }
    }
}

/// The tree of `text` with the overrides put in; faults of override paths go to `faults`. None if the text is not TOML: the
/// faults then are those of its syntax alone, since whatever else seems to be missing may only not have been read.
pub(crate) fn read(text: &str, overrides: &[Override], faults: &mut Collector) -> Option<Raw> {
    let (document, errors) = DeTable::parse_recoverable(text);
    let mut last_line = None;
    for error in &errors {
        let span = error.span().unwrap_or(0..0);
        let start = span.start.min(text.len());
        let (before, after) = (text.get(..start).unwrap_or_default(), text.get(start..).unwrap_or_default());
        let line = before.matches('\n').count();
        // What follows in the same line is mostly a consequence.
        if last_line.replace(line) != Some(line) {
            let end_of_before = before.rsplit('\n').next().unwrap_or_default();
            let whole_line = format!("{end_of_before}{}", after.split('\n').next().unwrap_or_default());
            let help = syntax_help(&whole_line);
            faults.add(&Span::Text(span), format!("not valid TOML: {}", error.message()), "here", help);
        }
    }
    if !errors.is_empty() {
        return None;
    }
    let span = document.span();
    let mut root = Raw { place: Span::Text(span), value: table(document.into_inner(), &|span| Span::Text(span)) };
    for (index, change) in overrides.iter().enumerate() {
        put(&mut root, index, change, faults);
    }
    Some(root)
}

/// What is probably meant by a line that is not TOML.
fn syntax_help(line: &str) -> &'static str {
    let key = line.trim_start().trim_start_matches("- ");
    let is_yaml = key.split_once(':').is_some_and(|(key, _)| {
        !key.is_empty() && key.chars().all(|letter| letter.is_alphanumeric() || letter == '_' || letter == '-')
    });
    if line.contains('\\') {
        "between \" … \" a backslash starts an escape sequence: write paths with / or between ' … '"
    } else if is_yaml {
        "a scene is written in TOML: `key = value`, and `[name]` above the keys of a table"
    } else {
        ""
    }
}

fn table(table: DeTable<'_>, place: &dyn Fn(Range<usize>) -> Span) -> RawValue {
    let mut entries: Vec<(usize, RawEntry)> = table
        .into_iter()
        .map(|(key, value)| {
            let span = key.span();
            let start = span.start;
            (start, RawEntry { key: key.into_inner().into_owned(), key_place: place(span), value: item(value, place) })
        })
        .collect();
    entries.sort_by_key(|(start, _)| *start);
    RawValue::Table(entries.into_iter().map(|(_, entry)| entry).collect())
}

fn item(value: Spanned<DeValue<'_>>, place: &dyn Fn(Range<usize>) -> Span) -> Raw {
    let span = place(value.span());
    let value = match value.into_inner() {
        DeValue::String(text) => RawValue::Text(text.into_owned()),
        // An integer beyond 64 bits can only be meant as a number.
        DeValue::Integer(integer) => match i64::from_str_radix(integer.as_str(), integer.radix()) {
            Ok(integer) => RawValue::Integer(integer),
            Err(_) => RawValue::Float(integer.as_str().parse().unwrap_or(f64::NAN)),
        },
        DeValue::Float(float) => RawValue::Float(float.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(value) => RawValue::Bool(value),
        DeValue::Datetime(_) => RawValue::Date,
        DeValue::Array(list) => RawValue::List(list.into_iter().map(|value| item(value, place)).collect()),
        DeValue::Table(entries) => table(entries, place),
    };
    Raw { place: span, value }
}

/// Puts one override into the tree, making the tables on its way.
fn put(root: &mut Raw, index: usize, change: &Override, faults: &mut Collector) {
    let place = Span::Override(index);
    let value = value_or_text(&change.value, &place);
    let mut at = root;
    let mut walked = String::new();
    for key in change.path.split('.').map(str::trim) {
        if key.is_empty() {
            let message = format!("`{}` is not a valid key path", change.path);
            faults.add(&place, message, "", "expected keys joined by dots, for example `stages.0.end.time`");
            return;
        }
        let here = at.kind();
        at = match &mut at.value {
            RawValue::Table(entries) => {
                let position = entries.iter().position(|entry| entry.key == key).unwrap_or_else(|| {
                    entries.push(RawEntry {
                        key: key.to_owned(),
                        key_place: place.clone(),
                        value: Raw { place: place.clone(), value: RawValue::Table(Vec::new()) },
                    });
                    entries.len() - 1
                });
                &mut entries[position].value
            }
            RawValue::List(items) => {
                let count = items.len();
                match key.parse::<usize>().ok().and_then(|i| items.get_mut(i)) {
                    Some(item) => item,
                    None => {
                        let message = format!("`{walked}` has no entry `{key}`");
                        let help = format!("it has {count} entries, numbered from 0");
                        faults.add(&place, message, "", help);
                        return;
                    }
                }
            }
            _ => {
                let message = format!("`{walked}` is {here} and has no key `{key}`");
                faults.add(&place, message, "", "");
                return;
            }
        };
        if !walked.is_empty() {
            walked.push('.');
        }
        walked.push_str(key);
    }
    *at = value;
}

/// A value of the command line: TOML, or else a string without its quotes.
pub(crate) fn value_or_text(text: &str, place: &Span) -> Raw {
    let text = text.trim();
    match DeValue::parse(text) {
        Ok(value) => item(value, &|_| place.clone()),
        Err(_) => Raw { place: place.clone(), value: RawValue::Text(text.to_owned()) },
    }
}

/// The tree of one TOML value that the format itself gives, as if it stood at `place`.
pub(crate) fn value_of(literal: &str, place: &Span) -> Raw {
    let value = DeValue::parse(literal).expect("defaults of the format are TOML");
    item(value, &|_| place.clone())
}

impl Raw {
    /// The value as TOML.
    pub fn literal(&self) -> String {
        match &self.value {
            RawValue::Text(text) => quoted(text),
            RawValue::Integer(integer) => integer.to_string(),
            RawValue::Float(float) => format!("{float:?}"),
            RawValue::Bool(flag) => flag.to_string(),
            RawValue::Date => quoted(""),
            RawValue::List(items) => {
                format!("[{}]", items.iter().map(Raw::literal).collect::<Vec<_>>().join(", "))
            }
            RawValue::Table(entries) => {
                let inner: Vec<_> =
                    entries.iter().map(|e| format!("{} = {}", key_literal(&e.key), e.value.literal())).collect();
                format!("{{ {} }}", inner.join(", "))
            }
        }
    }
}

/// A string as TOML.
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            c if c.is_control() => quoted.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// A key as TOML: bare if it can be.
pub(crate) fn key_literal(key: &str) -> String {
    let bare = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if bare { key.to_owned() } else { quoted(key) }
}
