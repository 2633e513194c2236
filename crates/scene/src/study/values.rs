//! The values of a key: a list, a range with a number of steps, or an interval to draw from.

use crate::raw::{Raw, RawValue, Span, quoted, value_or_text};
use crate::units::split_number;
use std::str::FromStr;

/// A key of the scene and the values that it takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Variation {
    /// Keys joined by dots, entries of a list by their number, as for overrides.
    pub key: String,
    /// The values.
    pub values: Values,
}

/// The values of a key.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// One after the other.
    Listed(Vec<StudyValue>),
    /// To be drawn; without samples, the integers between two integers.
    Between(Interval),
}

/// A value as it is shown and as a scene has it.
#[derive(Clone, Debug, PartialEq)]
pub struct StudyValue {
    /// Without the quotes of a string.
    pub text: String,
    /// In TOML.
    pub literal: String,
}

/// An interval of numbers with one unit.
#[derive(Clone, Debug, PartialEq)]
pub struct Interval {
    /// Its ends, both included.
    pub ends: [f64; 2],
    /// The unit of both, or nothing.
    pub unit: String,
    /// True if both ends are integers, so that all numbers in it are.
    pub is_whole: bool,
    /// True if equal ratios count as equal distances.
    pub is_logarithmic: bool,
}

/// Digits of numbers that are drawn, and of those on a range.
const DRAWN_DIGITS: usize = 6;
const RANGE_DIGITS: usize = 12;
/// More values of one key than this are taken for a slip of the keyboard.
const MOST_VALUES: f64 = 100_000.0;

impl StudyValue {
    /// A string.
    pub fn text(text: &str) -> Self {
        StudyValue { text: text.to_owned(), literal: quoted(text) }
    }

    /// A number as it is written.
    pub fn number(text: &str) -> Self {
        StudyValue { text: text.to_owned(), literal: text.to_owned() }
    }

    /// A value as TOML has it.
    pub(super) fn of(raw: &Raw) -> Self {
        match &raw.value {
            RawValue::Text(text) => StudyValue::text(text),
            _ => StudyValue::number(&raw.literal()),
        }
    }

    /// A value of the command line, where strings need no quotes.
    fn parse(text: &str) -> Self {
        StudyValue::of(&value_or_text(text, &Span::Override(0)))
    }

    /// Its number and its unit, where it has a number.
    pub fn in_unit(&self) -> Option<(f64, &str)> {
        split_number(self.text.trim())
    }
}

impl Values {
    /// The values one by one.
    pub(super) fn listed(&self) -> Result<Vec<StudyValue>, String> {
        match self {
            Values::Listed(values) if values.is_empty() => Err("the list of values is empty".to_owned()),
            Values::Listed(values) => Ok(values.clone()),
            Values::Between(interval) if interval.is_whole && !interval.is_logarithmic => interval.integers(),
            Values::Between(_) => {
                Err("an interval needs a number of values, such as 0.1..0.5:5 or `count = 5`, or `samples`".to_owned())
            }
        }
    }
}

impl Interval {
    /// From one end to the other.
    pub(super) fn new(from: &StudyValue, to: &StudyValue, is_logarithmic: bool) -> Result<Self, String> {
        let end = |value: &StudyValue| {
            let found = value.in_unit().map(|(number, unit)| (number, unit.to_owned()));
            found.ok_or_else(|| format!("`{}` is not a number, with or without a unit", value.text))
        };
        let ((from_number, unit), (to_number, other)) = (end(from)?, end(to)?);
        if unit != other {
            return Err(format!("the ends `{}` and `{}` have different units", from.text, to.text));
        }
        if from_number >= to_number {
            return Err(format!("the lower end `{}` must be below the upper end `{}`", from.text, to.text));
        }
        if is_logarithmic && from_number <= 0.0 {
            return Err(format!("`{}` is not greater than 0, as a logarithmic scale requires", from.text));
        }
        let is_whole = |value: &StudyValue| value.text.trim().parse::<i64>().is_ok();
        Ok(Interval { ends: [from_number, to_number], unit, is_whole: is_whole(from) && is_whole(to), is_logarithmic })
    }

    /// The value at a place from 0 to 1.
    pub(super) fn at(&self, place: f64) -> StudyValue {
        if self.is_whole && !self.is_logarithmic {
            let [from, to] = self.ends;
            // All integers are equally likely; a place of 1 is not drawn, and would be one too many.
            return self.value((from + (place * (to - from + 1.0)).floor()).min(to), RANGE_DIGITS);
        }
        let number = self.between(place);
        self.value(if self.is_whole { number.round() } else { number }, DRAWN_DIGITS)
    }

    /// So many values from end to end.
    pub(super) fn range(&self, count: usize) -> Result<Values, String> {
        if count < 2 || count as f64 > MOST_VALUES {
            return Err(format!("a range has from 2 to {MOST_VALUES} values, not {count}"));
        }
        let place = |k: usize| k as f64 / (count - 1) as f64;
        Ok(Values::Listed((0..count).map(|k| self.value(self.between(place(k)), RANGE_DIGITS)).collect()))
    }

    fn integers(&self) -> Result<Vec<StudyValue>, String> {
        let [from, to] = self.ends;
        if to - from >= MOST_VALUES {
            return Err(format!("there are more than {MOST_VALUES} integers from {from} to {to}"));
        }
        Ok((from as i64..=to as i64).map(|k| self.value(k as f64, RANGE_DIGITS)).collect())
    }

    fn between(&self, place: f64) -> f64 {
        let [from, to] = self.ends;
        match place {
            // The ends are exact.
            0.0 => from,
            1.0 => to,
            _ if self.is_logarithmic => from * libm::pow(to / from, place),
            _ => from + place * (to - from),
        }
    }

    fn value(&self, number: f64, digits: usize) -> StudyValue {
        let rounded: f64 = format!("{number:.*e}", digits - 1).parse().unwrap_or(number);
        let plain = rounded == 0.0 || (1e-4..1e9).contains(&rounded.abs());
        let number = if plain { format!("{rounded}") } else { format!("{rounded:e}") };
        if self.unit.is_empty() {
            StudyValue::number(&number)
        } else {
            StudyValue::text(&format!("{number} {}", self.unit))
        }
    }
}

/// `KEY=A,B,C` for a list; `KEY=A..B:N` for N values from A to B, `KEY=A..B:N:log` at equal ratios; `KEY=A..B` for the
/// integers from A to B, or an interval to draw from.
impl FromStr for Variation {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (key, values) =
            text.split_once('=').ok_or("expected KEY=VALUES, such as materials.glass.friction=0.1,0.3")?;
        let (key, values) = (key.trim(), values.trim());
        if key.is_empty() || values.is_empty() {
            return Err("expected KEY=VALUES; neither side may be empty".to_owned());
        }
        let parts = split_list(values);
        let values = match (parts.as_slice(), values.split_once("..")) {
            ([_], Some((from, rest))) if split_number(from.trim()).is_some() => parse_range(from, rest)?,
            ([one], _) => match value_or_text(one, &Span::Override(0)) {
                Raw { value: RawValue::List(items), .. } => Values::Listed(items.iter().map(StudyValue::of).collect()),
                raw => Values::Listed(vec![StudyValue::of(&raw)]),
            },
            _ => Values::Listed(parts.iter().map(|part| StudyValue::parse(part)).collect()),
        };
        Ok(Variation { key: key.to_owned(), values })
    }
}

/// `A..` has been read; the rest is `B`, `B:N` or `B:N:log`.
fn parse_range(from: &str, rest: &str) -> Result<Values, String> {
    let mut parts = rest.split(':').map(str::trim);
    let (to, count, scale) = (parts.next().unwrap_or_default(), parts.next(), parts.next());
    let is_logarithmic = match scale {
        None => false,
        Some("log") if parts.next().is_none() => true,
        Some(_) => return Err("expected FROM..TO:COUNT or FROM..TO:COUNT:log".to_owned()),
    };
    // A unit may stand at the end only: 1..5 mm.
    let (from, to) = (StudyValue::parse(from), StudyValue::parse(to));
    let from = match (from.in_unit(), to.in_unit()) {
        (Some((_, "")), Some((_, unit))) if !unit.is_empty() => StudyValue::text(&format!("{} {unit}", from.text)),
        _ => from,
    };
    let interval = Interval::new(&from, &to, is_logarithmic)?;
    match count {
        None | Some("") => Ok(Values::Between(interval)),
        Some(count) => {
            let count = count.parse().map_err(|_| format!("`{count}` is not a number of values"))?;
            interval.range(count)
        }
    }
}

/// The parts between commas that are not inside brackets or quotes.
fn split_list(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth, mut quote) = (Vec::new(), 0, 0_i32, None);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '[' | '{') => depth += 1,
            (None, ']' | '}') => depth -= 1,
            (None, ',') if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn literals(text: &str) -> Vec<String> {
        let Variation { key, values } = text.parse().unwrap();
        assert_eq!(key, "a.b");
        values.listed().unwrap().into_iter().map(|value| value.literal).collect()
    }

    #[test]
    fn lists_ranges_and_integers_are_read_as_people_write_them() {
        assert_eq!(literals("a.b=0.1,0.3, 5"), ["0.1", "0.3", "5"]);
        assert_eq!(literals("a.b=[0.1, 0.3]"), ["0.1", "0.3"]);
        assert_eq!(literals("a.b=2 mm,3 mm"), ["\"2 mm\"", "\"3 mm\""]);
        assert_eq!(literals("a.b={ residual = 1e-3 },{ sweeps = 20 }").len(), 2);
        assert_eq!(literals("a.b=[1, 2],[3, 4]"), ["[1, 2]", "[3, 4]"]);
        assert_eq!(literals("a.b=euler"), ["\"euler\""]);
        assert_eq!(literals("a.b=3..6"), ["3", "4", "5", "6"]);
        assert_eq!(literals("a.b=0.1..0.5:5"), ["0.1", "0.2", "0.3", "0.4", "0.5"]);
        assert_eq!(literals("a.b=1e-6..1e-4:3:log"), ["1e-6", "1e-5", "0.0001"]);
        assert_eq!(literals("a.b=1 mm..2 mm:3"), ["\"1 mm\"", "\"1.5 mm\"", "\"2 mm\""]);
        assert_eq!(literals("a.b=1..2 mm:2"), ["\"1 mm\"", "\"2 mm\""]);
    }

    #[test]
    fn what_is_no_list_and_no_range_is_refused() {
        for (wrong, why) in [
            ("a", "expected KEY=VALUES"),
            ("a=", "neither side"),
            ("a=5..1", "must be below"),
            ("a=1..2:one", "not a number of values"),
            ("a=1..2:1", "from 2 to"),
            ("a=0..2:3:log", "logarithmic"),
            ("a=1..2:3:lin", "expected FROM..TO:COUNT"),
            ("a=1 mm..2 cm:3", "different units"),
            ("a=1..b", "not a number"),
        ] {
            let refused = wrong.parse::<Variation>().unwrap_err();
            assert!(refused.contains(why), "{wrong}: {refused}");
        }
        assert!("a=1.5..3".parse::<Variation>().unwrap().values.listed().is_err());
        assert!("a=1..1000000".parse::<Variation>().unwrap().values.listed().is_err());
    }

    #[test]
    fn drawn_values_are_inside_and_have_few_digits() {
        let interval = |text: &str| match text.parse::<Variation>().unwrap().values {
            Values::Between(interval) => interval,
            Values::Listed(values) => panic!("{values:?}"),
        };
        assert_eq!(interval("a=0.1..0.7").at(1.0 / 3.0).text, "0.3");
        assert_eq!(interval("a=1..100 mm").at(0.123456789).text, "13.2222 mm");
        let dice = interval("a=1..6");
        assert_eq!([0.0, 0.16, 0.17, 0.99].map(|u| dice.at(u).text), ["1", "1", "2", "6"]);
    }
}
