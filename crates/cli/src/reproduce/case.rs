//! A case: a published result, how it is run, and what came out of it.

use super::bench::Bench;
use super::row::{Row, Verdict};
use crate::failure::Failure;
use riprap_measure::plot::{Chart, Drawing};

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
