//! Letters: the font that is part of the program, and the small markup of labels.

use std::sync::LazyLock;
use ttf_parser::{Face, GlyphId, OutlineBuilder};

/// DejaVu Sans, cut down to the signs of plots; see fonts/LICENSE.
static FONT: LazyLock<Face<'static>> = LazyLock::new(|| {
    Face::parse(include_bytes!("../../fonts/DejaVuSans-subset.ttf"), 0).expect("the font is part of the program")
});

/// Letters set below or above the line are this much smaller …
const SMALLER: f64 = 0.72;
/// … and this part of the size lower or higher.
const LOWERED: f64 = 0.22;
const RAISED: f64 = 0.38;

/// A piece of a text with letters of one size at one height.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Its letters.
    pub letters: String,
    /// Their size over that of the text.
    pub scale: f64,
    /// How much higher than the baseline they stand, over the size of the text.
    pub rise: f64,
}

/// The pieces of a text: `_{…}` is lowered, `^{…}` raised; without braces only the next letter is.
pub fn runs(words: &str) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let mut plain = String::new();
    let mut letters = words.chars().peekable();
    while let Some(letter) = letters.next() {
        let rise = match letter {
            '_' => -LOWERED,
            '^' => RAISED,
            _ => {
                plain.push(letter);
                continue;
            }
        };
        let shifted: String = match letters.next() {
            Some('{') => letters.by_ref().take_while(|&c| c != '}').collect(),
            Some(one) => one.into(),
            None => break,
        };
        if !plain.is_empty() {
            runs.push(Run { letters: std::mem::take(&mut plain), scale: 1.0, rise: 0.0 });
        }
        runs.push(Run { letters: shifted, scale: SMALLER, rise });
    }
    if !plain.is_empty() {
        runs.push(Run { letters: plain, scale: 1.0, rise: 0.0 });
    }
    runs
}

/// The width of a text in letters of this size, in points.
pub fn width(words: &str, size: f64) -> f64 {
    runs(words).iter().map(|run| run.letters.chars().map(advance).sum::<f64>() * run.scale * size).sum()
}

/// Draws a text that begins at the origin, letter by letter, into `pen`, which sees points with y upwards.
pub fn outline(words: &str, size: f64, pen: &mut dyn Pen) {
    let per_unit = 1.0 / f64::from(FONT.units_per_em());
    let mut x = 0.0;
    for run in runs(words) {
        for letter in run.letters.chars() {
            let scale = size * run.scale * per_unit;
            let mut placed = Placed { pen, scale, x, y: run.rise * size };
            FONT.outline_glyph(glyph(letter), &mut placed);
            x += advance(letter) * run.scale * size;
        }
    }
}

/// What takes the outlines of letters.
pub trait Pen {
    /// Begins an outline.
    fn move_to(&mut self, x: f64, y: f64);
    /// Goes on straight.
    fn line_to(&mut self, x: f64, y: f64);
    /// Goes on by a parabola.
    fn curve_to(&mut self, control: [f64; 2], x: f64, y: f64);
    /// Closes the outline.
    fn close(&mut self);
}

/// A letter that the font lacks is shown as its empty box.
fn glyph(letter: char) -> GlyphId {
    FONT.glyph_index(letter).unwrap_or(GlyphId(0))
}

/// The width of a letter over its size.
fn advance(letter: char) -> f64 {
    f64::from(FONT.glyph_hor_advance(glyph(letter)).unwrap_or(0)) / f64::from(FONT.units_per_em())
}

struct Placed<'a> {
    pen: &'a mut dyn Pen,
    scale: f64,
    x: f64,
    y: f64,
}

impl Placed<'_> {
    fn at(&self, x: f32, y: f32) -> [f64; 2] {
        [self.x + f64::from(x) * self.scale, self.y + f64::from(y) * self.scale]
    }
}

impl OutlineBuilder for Placed<'_> {
    fn move_to(&mut self, x: f32, y: f32) {
        let [x, y] = self.at(x, y);
        self.pen.move_to(x, y);
    }
    fn line_to(&mut self, x: f32, y: f32) {
        let [x, y] = self.at(x, y);
        self.pen.line_to(x, y);
    }
    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let (control, [x, y]) = (self.at(x1, y1), self.at(x, y));
        self.pen.curve_to(control, x, y);
    }
    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        // TrueType outlines are parabolas; a cubic of another font would be close to this one.
        let control = self.at(0.5 * (x1 + x2), 0.5 * (y1 + y2));
        let [x, y] = self.at(x, y);
        self.pen.curve_to(control, x, y);
    }
    fn close(&mut self) {
        self.pen.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_makes_runs() {
        let parts = |words| runs(words).into_iter().map(|r| (r.letters, r.rise.signum() * (1.0 - r.scale))).collect();
        let found: Vec<(String, f64)> = parts("f_{n} / 10^2");
        let letters: Vec<&str> = found.iter().map(|(l, _)| l.as_str()).collect();
        assert_eq!(letters, ["f", "n", " / 10", "2"]);
        assert!(found[1].1 < 0.0 && found[3].1 > 0.0);
    }

    #[test]
    fn every_sign_that_labels_use_is_in_the_font() {
        for letter in "abczABCZ0123456789αβμνσφωθεΔΣ⟨⟩−×·°±≈≤≥²³½√∞′/()[],.:;=+%&".chars()
        {
            assert!(FONT.glyph_index(letter).is_some(), "{letter}");
        }
        assert!(width("mm", 10.0) > 1.9 * width("m", 10.0));
        assert!(width("m_m", 10.0) < width("mm", 10.0));
    }
}
