//! A case: a published result, how it is run, and what came out of it.
//!
//! A verdict is never written down: it follows from the number that was measured and the range that was allowed before.

use super::bench::Bench;
use crate::failure::Failure;
use riprap_measure::Fit;
use riprap_measure::plot::{Chart, Drawing};
use serde_json::{Value, json};
use std::fmt;

/// A published result that the program can run again.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is, in a line.
    pub title: &'static str,
    /// Who published it: authors, year, figure or equation.
    pub source: &'static str,
    /// What is run and how it is measured, in a few sentences.
    pub about: &'static str,
    /// What it costs.
    pub cost: Cost,
    /// Runs and measures it.
    pub run: fn(&mut Bench) -> Result<Findings, Failure>,
}

/// CPU seconds of a case on a machine of two cores at about 3 GHz: measured for the quick size, and for the full one measured
/// or estimated from the quick one by the number of grains, steps and sweeps.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// At the size of `--quick`.
    pub quick_s: f64,
    /// At full size.
    pub full_s: f64,
}

impl Cost {
    /// The cost of one of the two sizes.
    pub fn of(&self, quick: bool) -> f64 {
        if quick { self.quick_s } else { self.full_s }
    }
}

/// What came out of a case.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// The numbers beside the published ones.
    pub rows: Vec<Row>,
    /// What to look at.
    pub figures: Vec<Figure>,
    /// What differs and what was done to find out why; what was chosen where the source is silent.
    pub remarks: Vec<String>,
}

impl Findings {
    /// Adds a row.
    pub fn row(&mut self, row: Row) {
        self.rows.push(row);
    }

    /// Adds a chart with its caption.
    pub fn chart(&mut self, name: &str, caption: impl Into<String>, chart: &Chart) {
        self.figure(name, caption, Image::Svg(chart.draw().svg()));
    }

    /// Adds a picture of a packing with its caption. It is kept as pixels, since thousands of grains make a large page.
    pub fn picture(&mut self, name: &str, caption: impl Into<String>, drawing: &Drawing) {
        self.figure(name, caption, Image::Png(drawing.png(1.0)));
    }

    /// Adds a remark.
    pub fn remark(&mut self, text: impl Into<String>) {
        self.remarks.push(text.into());
    }

    fn figure(&mut self, name: &str, caption: impl Into<String>, image: Image) {
        self.figures.push(Figure { name: name.to_owned(), caption: caption.into(), image });
    }

    /// True if every row passes and there is one.
    pub fn passes(&self) -> bool {
        !self.rows.is_empty() && self.rows.iter().all(|row| row.verdict() == Verdict::Pass)
    }
}

/// A figure of the page.
#[derive(Clone, Debug)]
pub struct Figure {
    /// The name of its file, without the ending.
    pub name: String,
    /// What it shows.
    pub caption: String,
    /// The figure itself.
    pub image: Image,
}

/// How a figure is kept.
#[derive(Clone, Debug)]
pub enum Image {
    /// The text of an SVG file.
    Svg(String),
    /// The bytes of a PNG file.
    Png(Vec<u8>),
}

impl Image {
    /// The ending of its file.
    pub fn ending(&self) -> &'static str {
        match self {
            Image::Svg(_) => "svg",
            Image::Png(_) => "png",
        }
    }

    /// The content of its file.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Image::Svg(text) => text.as_bytes(),
            Image::Png(bytes) => bytes,
        }
    }
}

/// A number beside the published one. Made by [`measured`].
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// What was measured, with its unit.
    pub quantity: String,
    /// What the source says.
    pub published: Published,
    /// Our number.
    pub measured: f64,
    /// Its standard error, where there is one.
    pub uncertainty: Option<f64>,
    /// What was allowed.
    pub tolerance: Tolerance,
}

/// The range in which a number passes, and why it is that one.
#[derive(Clone, Debug, PartialEq)]
pub struct Tolerance {
    /// The least.
    pub low: f64,
    /// The most.
    pub high: f64,
    /// Why.
    pub reason: String,
    /// If the range, or what it is asked of, was changed after our number was seen: from what, and why.
    pub revised: Option<String>,
}

/// Whether a number is in the range that was allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is.
    Pass,
    /// It is not, or is not a number.
    Fail,
}

impl Verdict {
    /// The word on the page and in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Pass => "pass",
            Verdict::Fail => "fail",
        }
    }
}

impl Row {
    /// Judges the number by the range.
    pub fn verdict(&self) -> Verdict {
        let Tolerance { low, high, .. } = self.tolerance;
        if self.measured >= low && self.measured <= high { Verdict::Pass } else { Verdict::Fail }
    }

    /// The same row, with the admission that the range, or what it is asked of, was changed after our number was seen.
    pub fn revised(mut self, from_what_and_why: impl Into<String>) -> Row {
        self.tolerance.revised = Some(from_what_and_why.into());
        self
    }
}

/// What a source says.
#[derive(Clone, Debug, PartialEq)]
pub enum Published {
    /// A number.
    Value(f64),
    /// In words, where it is no single number.
    Text(String),
}

impl From<f64> for Published {
    fn from(value: f64) -> Self {
        Published::Value(value)
    }
}

impl From<&str> for Published {
    fn from(text: &str) -> Self {
        Published::Text(text.to_owned())
    }
}

impl fmt::Display for Published {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Published::Value(value) => write!(f, "{}", short(*value)),
            Published::Text(text) => write!(f, "{text}"),
        }
    }
}

/// A number with its standard error, if that is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The number.
    pub value: f64,
    /// Its standard error.
    pub uncertainty: Option<f64>,
}

impl Estimate {
    /// The mean of several samples with its standard error; of a single one there is none.
    pub fn mean(values: &[f64]) -> Estimate {
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
        Estimate { value: mean, uncertainty: (values.len() > 1).then(|| (variance / count).sqrt()) }
    }
}

impl From<f64> for Estimate {
    fn from(value: f64) -> Self {
        Estimate { value, uncertainty: None }
    }
}

impl From<Fit> for Estimate {
    fn from(fit: Fit) -> Self {
        Estimate { value: fit.value, uncertainty: Some(fit.uncertainty) }
    }
}

/// Begins a row: `measured("solid fraction", 0.64).published(0.639).within(0.005, "the spread of the sources")`.
pub fn measured(quantity: impl Into<String>, number: impl Into<Estimate>) -> Measured {
    Measured { quantity: quantity.into(), number: number.into() }
}

/// A number that has nothing to be compared with yet.
#[derive(Clone, Debug)]
pub struct Measured {
    quantity: String,
    number: Estimate,
}

impl Measured {
    /// Sets the published number, or what the source says in words, beside it.
    pub fn published(self, published: impl Into<Published>) -> Unjudged {
        Unjudged { measured: self, published: published.into() }
    }
}

/// A number beside the published one, without a range yet.
#[derive(Clone, Debug)]
pub struct Unjudged {
    measured: Measured,
    published: Published,
}

impl Unjudged {
    /// At most so far from the published number; nothing passes if that is in words.
    pub fn within(self, most: f64, reason: impl Into<String>) -> Row {
        let middle = match self.published {
            Published::Value(value) => value,
            Published::Text(_) => f64::NAN,
        };
        self.between(middle - most, middle + most, reason)
    }

    /// Off by at most this part of the published number.
    pub fn within_part(self, part: f64, reason: impl Into<String>) -> Row {
        let most = match self.published {
            Published::Value(value) => part * value.abs(),
            Published::Text(_) => f64::NAN,
        };
        self.within(most, reason)
    }

    /// In a range.
    pub fn between(self, low: f64, high: f64, reason: impl Into<String>) -> Row {
        let Unjudged { measured: Measured { quantity, number }, published } = self;
        let tolerance = Tolerance { low, high, reason: reason.into(), revised: None };
        Row { quantity, published, measured: number.value, uncertainty: number.uncertainty, tolerance }
    }

    /// Not above a limit.
    pub fn at_most(self, high: f64, reason: impl Into<String>) -> Row {
        self.between(f64::NEG_INFINITY, high, reason)
    }

    /// Not below a limit.
    pub fn at_least(self, low: f64, reason: impl Into<String>) -> Row {
        self.between(low, f64::INFINITY, reason)
    }
}

impl fmt::Display for Tolerance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.low.is_finite(), self.high.is_finite()) {
            (true, true) => write!(f, "{} to {}", short(self.low), short(self.high)),
            (true, false) => write!(f, "at least {}", short(self.low)),
            (false, true) => write!(f, "at most {}", short(self.high)),
            (false, false) => write!(f, "none"),
        }
    }
}

/// A number with the four digits that matter.
pub fn short(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    if !value.is_finite() {
        return "not a number".to_owned();
    }
    if !(1e-3..1e6).contains(&value.abs()) {
        return format!("{value:.3e}");
    }
    let decimals = (3 - value.abs().log10().floor() as i32).max(0) as usize;
    let text = format!("{value:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

impl Row {
    /// The row as an object of `--json`, without the case.
    pub fn to_json(&self) -> Value {
        let published = match &self.published {
            Published::Value(value) => json!(value),
            Published::Text(text) => json!(text),
        };
        json!({
            "quantity": self.quantity,
            "published": published,
            "measured": self.measured,
            "uncertainty": self.uncertainty,
            "tolerance": {
                "low": finite(self.tolerance.low),
                "high": finite(self.tolerance.high),
                "reason": self.tolerance.reason,
                "revised": self.tolerance.revised,
            },
            "verdict": self.verdict().word(),
        })
    }

    /// Reads what [`Row::to_json`] wrote; the verdict is judged anew.
    pub fn from_json(value: &Value) -> Option<Row> {
        let published = match &value["published"] {
            Value::String(text) => Published::Text(text.clone()),
            number => Published::Value(number.as_f64()?),
        };
        let tolerance = &value["tolerance"];
        Some(Row {
            quantity: value["quantity"].as_str()?.to_owned(),
            published,
            measured: value["measured"].as_f64().unwrap_or(f64::NAN),
            uncertainty: value["uncertainty"].as_f64(),
            tolerance: Tolerance {
                low: tolerance["low"].as_f64().unwrap_or(f64::NEG_INFINITY),
                high: tolerance["high"].as_f64().unwrap_or(f64::INFINITY),
                reason: tolerance["reason"].as_str()?.to_owned(),
                revised: tolerance["revised"].as_str().map(str::to_owned),
            },
        })
    }
}

fn finite(value: f64) -> Value {
    if value.is_finite() { json!(value) } else { Value::Null }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_follows_from_the_number_and_the_range() {
        let row = |value: f64| measured("solid fraction", value).published(0.639).within(0.005, "as published");
        assert_eq!(row(0.6431).verdict(), Verdict::Pass);
        assert_eq!(row(0.6445).verdict(), Verdict::Fail);
        assert_eq!(row(f64::NAN).verdict(), Verdict::Fail);
        assert_eq!(measured("slope", 1.2).published("about 1").at_most(1.0, "").verdict(), Verdict::Fail);
        // A range about words is no range.
        assert_eq!(measured("slope", 1.2).published("some").within(1.0, "").verdict(), Verdict::Fail);
    }

    #[test]
    fn a_row_reads_back_and_is_judged_anew() {
        let row = measured("z", Estimate { value: 6.02, uncertainty: Some(0.01) }).published(6.0).within(0.1, "why");
        let open = measured("z", 6.0).published("towards 4").at_most(4.5, "why").revised("was 4.2");
        for row in [row, open] {
            assert_eq!(Row::from_json(&row.to_json()), Some(row.clone()));
        }
        let mut forged = measured("z", 7.0).published(6.0).within(0.1, "why").to_json();
        forged["verdict"] = json!("pass");
        assert_eq!(Row::from_json(&forged).unwrap().verdict(), Verdict::Fail);
    }

    #[test]
    fn a_mean_has_its_standard_error() {
        let mean = Estimate::mean(&[1.0, 2.0, 3.0]);
        assert_eq!(mean.value, 2.0);
        assert!((mean.uncertainty.unwrap() - (1.0_f64 / 3.0).sqrt()).abs() < 1e-15);
        assert_eq!(Estimate::mean(&[4.0]), Estimate::from(4.0));
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!([0.639, 6.0, 63.5123, 1.5e-7, 12345.6].map(short), ["0.639", "6", "63.51", "1.500e-7", "12346"]);
        assert_eq!(measured("x", 1.0).published(2.0).between(0.5, 1.5, "").tolerance.to_string(), "0.5 to 1.5");
    }
}
