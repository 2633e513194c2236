//! Pictures made by the program: curves, histograms, polar plots, packings; as SVG or PNG.
//!
//! A [`Drawing`] is a list of marks on a sheet, in points from the upper left corner. Charts ([`Chart`], [`Polar`]) and
//! pictures of packings ([`crate::picture`]) make drawings; [`Drawing::svg`] and [`Drawing::png`] write them. The font is
//! part of the program, so that a plot looks the same on every machine.

mod axis;
mod chart;
mod colour;
mod polar;
mod raster;
mod svg;
mod text;

pub use axis::{Axis, Scale};
pub use chart::{Chart, Curve, Reference, Style};
pub use colour::{Colour, ColourMap, PALETTE};
pub use polar::Polar;
pub use text::width as text_width;

/// A point on the sheet, in points from the upper left corner.
pub type Spot = [f64; 2];

/// A sheet with marks on it, later ones above earlier ones.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    /// Width in points.
    pub width: f64,
    /// Height in points.
    pub height: f64,
    /// The marks.
    pub marks: Vec<Mark>,
}

/// One mark on a sheet.
#[derive(Clone, Debug, PartialEq)]
pub enum Mark {
    /// A line through spots, closed to a polygon or open.
    Path {
        /// Its corners.
        spots: Vec<Spot>,
        /// True if the last corner is joined to the first.
        closed: bool,
        /// Fill and outline.
        paint: Paint,
    },
    /// A circle.
    Circle {
        /// Its centre.
        centre: Spot,
        /// Its radius.
        radius: f64,
        /// Fill and outline.
        paint: Paint,
    },
    /// A line of text.
    Text(Text),
}

/// How a shape is filled and outlined.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Paint {
    /// The fill; none leaves what is below.
    pub fill: Option<Colour>,
    /// The outline.
    pub stroke: Option<Stroke>,
}

impl Paint {
    /// A fill without outline.
    pub fn fill(colour: Colour) -> Paint {
        Paint { fill: Some(colour), stroke: None }
    }

    /// An outline without fill.
    pub fn stroke(stroke: Stroke) -> Paint {
        Paint { fill: None, stroke: Some(stroke) }
    }
}

/// A pen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stroke {
    /// Its colour.
    pub colour: Colour,
    /// Its width in points.
    pub width: f64,
    /// Lengths of a dash and of the gap after it; none for a full line.
    pub dash: Option<[f64; 2]>,
}

impl Stroke {
    /// A full line.
    pub fn new(colour: Colour, width: f64) -> Stroke {
        Stroke { colour, width, dash: None }
    }

    /// The same pen, dashed.
    pub fn dashed(self, dash: f64, gap: f64) -> Stroke {
        Stroke { dash: Some([dash, gap]), ..self }
    }
}

/// A line of text. `_{n}` is set below the line and `^{2}` above it, in smaller letters.
#[derive(Clone, Debug, PartialEq)]
pub struct Text {
    /// What it says.
    pub words: String,
    /// Where: the left end, middle or right end of its baseline.
    pub at: Spot,
    /// Height of the letters in points.
    pub size: f64,
    /// What `at` is.
    pub anchor: Anchor,
    /// True if it is turned by a quarter, reading upwards.
    pub upwards: bool,
    /// Its colour.
    pub colour: Colour,
}

/// Which part of a text stands at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// The left end.
    Start,
    /// The middle.
    Middle,
    /// The right end.
    End,
}

impl Drawing {
    /// An empty white sheet.
    pub fn new(width: f64, height: f64) -> Drawing {
        Drawing { width, height, marks: Vec::new() }
    }

    /// A line from spot to spot.
    pub fn line(&mut self, from: Spot, to: Spot, stroke: Stroke) {
        self.polyline(vec![from, to], stroke);
    }

    /// A line through spots.
    pub fn polyline(&mut self, spots: Vec<Spot>, stroke: Stroke) {
        self.marks.push(Mark::Path { spots, closed: false, paint: Paint::stroke(stroke) });
    }

    /// A polygon.
    pub fn polygon(&mut self, spots: Vec<Spot>, paint: Paint) {
        self.marks.push(Mark::Path { spots, closed: true, paint });
    }

    /// A rectangle between two opposite corners.
    pub fn rectangle(&mut self, [x0, y0]: Spot, [x1, y1]: Spot, paint: Paint) {
        self.polygon(vec![[x0, y0], [x1, y0], [x1, y1], [x0, y1]], paint);
    }

    /// A circle.
    pub fn circle(&mut self, centre: Spot, radius: f64, paint: Paint) {
        self.marks.push(Mark::Circle { centre, radius, paint });
    }

    /// A line of dark text.
    pub fn text(&mut self, words: impl Into<String>, at: Spot, size: f64, anchor: Anchor) {
        let words = words.into();
        self.marks.push(Mark::Text(Text { words, at, size, anchor, upwards: false, colour: Colour::INK }));
    }

    /// The drawing as an SVG file.
    pub fn svg(&self) -> String {
        svg::write(self)
    }

    /// The drawing as a PNG file, with this many pixels to the point.
    ///
    /// # Panics
    /// If the sheet is empty or larger than memory can hold, which the charts of this module never are.
    pub fn png(&self, pixels_per_point: f64) -> Vec<u8> {
        raster::write(self, pixels_per_point)
    }

    /// The drawing as pixels: width, height, and red, green and blue of each, row by row from the top.
    pub fn pixels(&self, pixels_per_point: f64) -> (usize, usize, Vec<u8>) {
        raster::pixels(self, pixels_per_point)
    }
}
