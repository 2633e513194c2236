//! Faults of a scene: all at once, each with its place, the text underlined and a hint.

use crate::raw::Span;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use std::sync::Arc;

/// Everything that is wrong with a scene, in the order of the text.
#[derive(Clone, Debug)]
pub struct Faults {
    faults: Vec<Fault>,
    sources: Arc<Sources>,
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// What is wrong.
    pub message: String,
    /// What was expected, in a few words under the underlined text.
    pub label: String,
    /// What to do about it, if that is known.
    pub help: Option<String>,
    /// The file, or `--set PATH` for a value from the command line.
    pub origin: String,
    /// Line, counted from 1.
    pub line: usize,
    /// Column, counted from 1, in characters.
    pub column: usize,
    place: Span,
}

/// The texts that faults point into.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    pub file: String,
    pub text: String,
    /// The values given on the command line, as (path, value).
    pub overrides: Vec<(String, String)>,
}

impl Sources {
    fn of(&self, place: &Span) -> (String, &str, std::ops::Range<usize>) {
        let (origin, text, span) = match place {
            Span::Text(span) => (self.file.clone(), self.text.as_str(), span.clone()),
            Span::Override(index) => match self.overrides.get(*index) {
                Some((path, value)) => (format!("--set {path}"), value.as_str(), 0..value.len()),
                None => ("--set".to_owned(), "", 0..0),
            },
        };
        let end = span.end.min(text.len());
        (printable(origin), text, span.start.min(end)..end)
    }
}

impl Faults {
    pub(crate) fn new(mut faults: Vec<Fault>, sources: Arc<Sources>) -> Self {
        for fault in &mut faults {
            let (origin, text, span) = sources.of(&fault.place);
            let before = text.get(..span.start).unwrap_or_default();
            fault.line = before.matches('\n').count() + 1;
            fault.column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
            fault.origin = origin;
        }
        faults.sort_by_key(|fault| fault.place.order());
        faults.dedup();
        Faults { faults, sources }
    }

    /// How many there are; never zero.
    pub fn len(&self) -> usize {
        self.faults.len()
    }

    /// Always false.
    pub fn is_empty(&self) -> bool {
        self.faults.is_empty()
    }

    /// The faults in the order of the text.
    pub fn iter(&self) -> std::slice::Iter<'_, Fault> {
        self.faults.iter()
    }

    /// All faults as the Rust compiler would show them, with or without colour.
    pub fn render(&self, color: bool) -> String {
        let renderer = if color { Renderer::styled() } else { Renderer::plain() };
        let shown: Vec<String> = self.faults.iter().map(|fault| self.render_one(fault, &renderer)).collect();
        shown.join("\n\n")
    }

    /// Each fault, and how it is shown without colour.
    pub fn rendered(&self) -> impl Iterator<Item = (&Fault, String)> {
        self.faults.iter().map(|fault| (fault, self.render_one(fault, &Renderer::plain())))
    }

    fn render_one(&self, fault: &Fault, renderer: &Renderer) -> String {
        let (origin, text, mut span) = self.sources.of(&fault.place);
        // Only the first line of a long value is underlined.
        let excerpt = text.get(span.clone()).unwrap_or_default();
        span.end = span.start + excerpt.find('\n').unwrap_or(excerpt.len());
        // The renderer shows the control characters of ASCII by signs; those beyond are replaced by a character of their length.
        let text = &text.replace(|c: char| c.is_control() && !c.is_ascii(), "\u{b7}");
        let label = (!fault.label.is_empty()).then_some(fault.label.as_str());
        let snippet =
            Snippet::source(text).path(origin).fold(true).annotation(AnnotationKind::Primary.span(span).label(label));
        let mut report: Vec<Group<'_>> = vec![Level::ERROR.primary_title(fault.message.as_str()).element(snippet)];
        if let Some(help) = &fault.help {
            report.push(Group::with_title(Level::HELP.secondary_title(help.as_str())));
        }
        renderer.render(&report)
    }
}

impl<'a> IntoIterator for &'a Faults {
    type Item = &'a Fault;
    type IntoIter = std::slice::Iter<'a, Fault>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl std::fmt::Display for Faults {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl std::error::Error for Faults {}

/// Faults as they are found.
#[derive(Debug, Default)]
pub(crate) struct Collector {
    pub faults: Vec<Fault>,
}

impl Collector {
    /// Adds a fault; `label` and `help` may be empty.
    pub fn add(&mut self, place: &Span, message: impl Into<String>, label: impl Into<String>, help: impl Into<String>) {
        let help = printable(help);
        self.faults.push(Fault {
            message: printable(message),
            label: printable(label),
            help: (!help.is_empty()).then_some(help),
            origin: String::new(),
            line: 0,
            column: 0,
            place: place.clone(),
        });
    }
}

/// Words of a scene in a message are no commands to a terminal.
fn printable(text: impl Into<String>) -> String {
    let text: String = text.into();
    let is_command = |c: char| c.is_control() && c != '\n';
    if !text.contains(is_command) {
        return text;
    }
    text.chars().map(|c| if is_command(c) { c.escape_default().to_string() } else { c.to_string() }).collect()
}

/// "did you mean `friction`?" if one of the words is near, otherwise a list of them.
pub fn suggestion<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    if known.is_empty() {
        return String::new();
    }
    let lower = word.to_lowercase();
    let nearest = known
        .iter()
        .map(|&candidate| (strsim::damerau_levenshtein(&lower, &candidate.to_lowercase()), candidate))
        .min_by_key(|&(distance, _)| distance);
    match nearest {
        Some((distance, candidate)) if distance <= 1 + candidate.chars().count() / 4 => {
            format!("did you mean `{candidate}`?")
        }
        _ => format!("available: {}", known.join(", ")),
    }
}
