//! A row of the page: a number beside the published one.
//!
//! A verdict is never written down: it follows from the number that was measured and the range that was allowed before. A
//! published row also has a null model, in which the published effect is absent; if that passes too, the row proves nothing
//! and its verdict is *hollow*.

use riprap_measure::Fit;
use serde_json::{Value, json};
use std::fmt;

/// A number beside the published one. Made by [`measured`].
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// What it is compared with.
    pub kind: Kind,
    /// What was measured, with its unit.
    pub quantity: String,
    /// What the source says.
    pub published: Published,
    /// The claim in the words of the source, with figure or equation; empty if quantity and number are the whole claim.
    pub claim: String,
    /// Our number.
    pub measured: f64,
    /// Its standard error, where there is one.
    pub uncertainty: Option<f64>,
    /// What was allowed.
    pub tolerance: Tolerance,
    /// What shows that the row could have failed.
    pub null: Null,
}

/// What a row is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A published number or statement.
    Published,
    /// A formula that follows from the laws.
    ClosedForm,
    /// Another number of the same run: shows that the run is sound, and reproduces nothing.
    Consistency,
}

impl Kind {
    /// All of them, in the order of the page.
    pub const ALL: [Kind; 3] = [Kind::Published, Kind::ClosedForm, Kind::Consistency];

    /// The word on the page and in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Published => "published",
            Kind::ClosedForm => "closed form",
            Kind::Consistency => "consistency",
        }
    }
}

/// What shows that a row could have failed.
#[derive(Clone, Debug, PartialEq)]
pub enum Null {
    /// A model without the published effect (shuffled, unloaded, unsolved, another law), and its number for the same quantity.
    Model {
        /// The model in words.
        model: String,
        /// Its number.
        measured: f64,
    },
    /// Why there is no such model.
    None(String),
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
    /// It is, and so is that of the null model: the row could not have failed.
    Hollow,
}

impl Verdict {
    /// The word on the page and in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Pass => "pass",
            Verdict::Fail => "fail",
            Verdict::Hollow => "hollow",
        }
    }
}

impl Tolerance {
    fn contains(&self, number: f64) -> bool {
        number >= self.low && number <= self.high
    }
}

impl Row {
    /// Judges the number by the range, and the range by the null model.
    pub fn verdict(&self) -> Verdict {
        match &self.null {
            _ if !self.tolerance.contains(self.measured) => Verdict::Fail,
            Null::Model { measured, .. } if self.tolerance.contains(*measured) => Verdict::Hollow,
            _ => Verdict::Pass,
        }
    }

    /// What the source says: the claim in its words, and the number.
    pub fn claimed(&self) -> String {
        match (&self.published, self.claim.is_empty()) {
            (published, true) => published.to_string(),
            (Published::Value(value), false) => format!("{} ({})", short(*value), self.claim),
            (Published::Text(text), false) => format!("{text} ({})", self.claim),
        }
    }

    /// What result would have been a failure, in words.
    pub fn failure(&self) -> String {
        let Tolerance { low, high, .. } = self.tolerance;
        let range = match (low.is_finite(), high.is_finite()) {
            (true, true) => format!("a number below {} or above {}", short(low), short(high)),
            (true, false) => format!("a number below {}", short(low)),
            (false, true) => format!("a number above {}", short(high)),
            (false, false) => "nothing".to_owned(),
        };
        match &self.null {
            Null::Model { model, measured } => format!("{range}; the null model, {model}, gives {}", short(*measured)),
            Null::None(why) if why.is_empty() => range,
            Null::None(why) => format!("{range}; no null model: {why}"),
        }
    }

    /// The same row with the claim in the words of the source, and where it stands.
    pub fn claim(mut self, words: impl Into<String>) -> Row {
        self.claim = words.into();
        self
    }

    /// The same row with a model in which the published effect is absent, and its number for the same quantity.
    pub fn null(mut self, model: impl Into<String>, measured: f64) -> Row {
        self.null = Null::Model { model: model.into(), measured };
        self
    }

    /// The same row with the reason why there is no null model.
    pub fn no_null(mut self, why: impl Into<String>) -> Row {
        self.null = Null::None(why.into());
        self
    }

    /// The same row, compared with a formula that follows from the laws.
    pub fn closed_form(mut self) -> Row {
        self.kind = Kind::ClosedForm;
        self
    }

    /// The same row, compared with another number of the same run.
    pub fn consistency(mut self) -> Row {
        self.kind = Kind::Consistency;
        self
    }

    /// The same row, with the admission that the range, or what it is asked of, was changed after our number was seen.
    pub fn revised(mut self, from_what_and_why: impl Into<String>) -> Row {
        self.tolerance.revised = Some(from_what_and_why.into());
        self
    }
}

/// How many numbers of one kind there are, and what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    passing: usize,
    failing: usize,
    hollow: usize,
    revised: usize,
}

/// The counts of these rows in a sentence for each kind.
pub fn count<'a>(rows: impl Iterator<Item = &'a Row> + Clone) -> String {
    let sentence = |kind: Kind| {
        let mut tally = Tally::default();
        for row in rows.clone().filter(|row| row.kind == kind) {
            match row.verdict() {
                Verdict::Pass => tally.passing += 1,
                Verdict::Fail => tally.failing += 1,
                Verdict::Hollow => tally.hollow += 1,
            }
            tally.revised += usize::from(row.tolerance.revised.is_some());
        }
        let Tally { passing, failing, hollow, revised } = tally;
        let total = passing + failing + hollow;
        format!(
            "{}: {passing} of {total} pass, {failing} fail, {hollow} are hollow; {revised} were changed after the \
             number had been seen.",
            kind.word()
        )
    };
    Kind::ALL.map(sentence).join(" ")
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
        Row {
            kind: Kind::Published,
            quantity,
            published,
            claim: String::new(),
            measured: number.value,
            uncertainty: number.uncertainty,
            tolerance,
            null: Null::None(String::new()),
        }
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
        let model = match &self.null {
            Null::Model { model, measured } => json!({ "model": model, "measured": measured }),
            Null::None(why) => json!({ "none": why }),
        };
        json!({
            "kind": self.kind.word(),
            "quantity": self.quantity,
            "published": published,
            "claim": self.claim,
            "measured": self.measured,
            "uncertainty": self.uncertainty,
            "tolerance": {
                "low": finite(self.tolerance.low),
                "high": finite(self.tolerance.high),
                "reason": self.tolerance.reason,
                "revised": self.tolerance.revised,
            },
            "null": model,
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
        let text = |key: &str| Some(value[key].as_str()?.to_owned());
        let null = match value["null"]["model"].as_str() {
            Some(model) => Null::Model {
                model: model.to_owned(),
                measured: value["null"]["measured"].as_f64().unwrap_or(f64::NAN),
            },
            None => Null::None(value["null"]["none"].as_str()?.to_owned()),
        };
        Some(Row {
            kind: Kind::ALL.into_iter().find(|kind| value["kind"] == kind.word())?,
            claim: text("claim")?,
            null,
            quantity: text("quantity")?,
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
        // The null model has to fail.
        assert_eq!(row(0.64).null("loose", 0.58).verdict(), Verdict::Pass);
        assert_eq!(row(0.64).null("loose", 0.637).verdict(), Verdict::Hollow);
        assert_eq!(row(0.65).null("loose", 0.637).verdict(), Verdict::Fail);
        // A range about words is no range.
        assert_eq!(measured("slope", 1.2).published("some").within(1.0, "").verdict(), Verdict::Fail);
    }

    #[test]
    fn a_row_reads_back_and_is_judged_anew() {
        let row = measured("z", Estimate { value: 6.02, uncertainty: Some(0.01) }).published(6.0).within(0.1, "why");
        let open = measured("z", 6.0).published("towards 4").at_most(4.5, "why").revised("was 4.2");
        let turned = row.clone().claim("fig. 1").null("shuffled", 4.0).closed_form();
        for row in [row, open, turned] {
            assert_eq!(Row::from_json(&row.to_json()), Some(row.clone()));
        }
        let mut forged = measured("z", 7.0).published(6.0).within(0.1, "why").to_json();
        forged["verdict"] = json!("pass");
        assert_eq!(Row::from_json(&forged).unwrap().verdict(), Verdict::Fail);
    }

    #[test]
    fn a_row_says_what_would_have_been_a_failure() {
        let row = measured("z", 6.0).published(6.0).within(0.5, "why");
        assert_eq!(row.failure(), "a number below 5.5 or above 6.5");
        assert_eq!(
            row.null("shuffled", 4.0).failure(),
            "a number below 5.5 or above 6.5; the null model, shuffled, gives 4"
        );
        let open = measured("z", 6.0).published("many").at_least(5.0, "why").no_null("a reason");
        assert_eq!(open.failure(), "a number below 5; no null model: a reason");
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
