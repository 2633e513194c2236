//! Charts: curves, points, fits, bars and reference marks between two axes.

use super::axis::{Axis, Span};
use super::{Anchor, Colour, Drawing, Mark, PALETTE, Paint, Spot, Stroke, Text, text_width};

/// A chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// What it shows; may be empty.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The curves, later ones above earlier ones.
    pub curves: Vec<Curve>,
    /// Values that others have published, or limits.
    pub references: Vec<Reference>,
    /// Width and height in points.
    pub size: [f64; 2],
}

/// A curve, a set of points, or bars.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Its points.
    pub points: Vec<[f64; 2]>,
    /// One standard error of each point along y; empty for none.
    pub errors: Vec<f64>,
    /// How it is drawn.
    pub style: Style,
    /// Its name in the legend; none leaves it out.
    pub label: Option<String>,
    /// Its colour; none takes the next of the palette.
    pub colour: Option<Colour>,
}

/// How a curve is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// A full line.
    Line,
    /// A dashed line: a fit, or a law.
    Dashes,
    /// Filled circles.
    Points,
    /// Open circles: someone else's values.
    OpenPoints,
    /// Filled circles joined by a thin line.
    Both,
    /// Bars from the lower end of the axis, as wide as the points are apart.
    Bars,
}

/// A value to compare with: a line across the chart, with a band of tolerance perhaps.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// True for a value of the vertical axis.
    pub horizontal: bool,
    /// The value.
    pub value: f64,
    /// How much may be on either side; zero for a line only.
    pub tolerance: f64,
    /// Its name in the legend.
    pub label: String,
}

impl Curve {
    /// A curve of this style.
    pub fn new(style: Style, points: Vec<[f64; 2]>) -> Curve {
        Curve { points, errors: Vec::new(), style, label: None, colour: None }
    }

    /// The same curve with a name in the legend.
    pub fn named(self, label: impl Into<String>) -> Curve {
        Curve { label: Some(label.into()), ..self }
    }

    /// The same curve in this colour.
    pub fn coloured(self, colour: Colour) -> Curve {
        Curve { colour: Some(colour), ..self }
    }

    /// The same curve with a standard error for each point.
    pub fn with_errors(self, errors: Vec<f64>) -> Curve {
        Curve { errors, ..self }
    }
}

/// Sizes of letters, in points.
const LABEL: f64 = 12.0;
const TICK: f64 = 10.5;
const TITLE: f64 = 12.5;
/// Room around the field of a chart.
const RIGHT: f64 = 16.0;
const BOTTOM: f64 = 50.0;

impl Chart {
    /// An empty chart of the usual size.
    pub fn new(title: impl Into<String>, x: Axis, y: Axis) -> Chart {
        Chart { title: title.into(), x, y, curves: Vec::new(), references: Vec::new(), size: [460.0, 340.0] }
    }

    /// The same chart with another curve.
    pub fn with(mut self, curve: Curve) -> Chart {
        self.curves.push(curve);
        self
    }

    /// The same chart with a value to compare with.
    pub fn with_reference(mut self, reference: Reference) -> Chart {
        self.references.push(reference);
        self
    }

    /// The chart on a sheet.
    pub fn draw(&self) -> Drawing {
        let values = |axis: usize| {
            let of_references = self.references.iter().filter(move |r| usize::from(r.horizontal) == axis);
            let of_curves = self.curves.iter().flat_map(|curve| &curve.points).map(move |point| point[axis]);
            of_curves.chain(of_references.map(|reference| reference.value))
        };
        let spans = [self.x.laid_out(values(0)), self.y.laid_out(values(1))];
        let field = Field::new(self, spans);
        let mut sheet = Drawing::new(self.size[0], self.size[1]);
        field.frame(&mut sheet, self);
        for reference in &self.references {
            field.reference(&mut sheet, reference);
        }
        let mut next = 0;
        let colours: Vec<Colour> = self
            .curves
            .iter()
            .map(|curve| {
                curve.colour.unwrap_or_else(|| {
                    next += 1;
                    PALETTE[(next - 1) % PALETTE.len()]
                })
            })
            .collect();
        for (curve, &colour) in self.curves.iter().zip(&colours) {
            field.curve(&mut sheet, curve, colour);
        }
        field.legend(&mut sheet, self, &colours);
        sheet
    }
}

/// The rectangle between the axes.
struct Field {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    spans: [Span; 2],
}

impl Field {
    fn new(chart: &Chart, spans: [Span; 2]) -> Field {
        let [width, height] = chart.size;
        let top = if chart.title.is_empty() { 16.0 } else { 34.0 };
        let mut field = Field { left: 60.0, right: width - RIGHT, top, bottom: height - BOTTOM, spans };
        // The labels of the ticks decide how far the field is from the left side.
        let (ticks, _) = field.ticks(1);
        let widths = ticks.iter().filter_map(|tick| tick.label.as_deref()).map(|label| text_width(label, TICK));
        field.left = 34.0 + widths.fold(12.0, f64::max);
        field
    }

    fn ticks(&self, axis: usize) -> (Vec<super::axis::Tick>, i32) {
        let length = if axis == 0 { self.right - self.left } else { self.bottom - self.top };
        self.spans[axis].ticks((length / if axis == 0 { 62.0 } else { 46.0 }) as usize)
    }

    fn x(&self, value: f64) -> Option<f64> {
        Some(self.left + self.spans[0].place(value)? * (self.right - self.left))
    }

    fn y(&self, value: f64) -> Option<f64> {
        Some(self.bottom - self.spans[1].place(value)? * (self.bottom - self.top))
    }

    fn spot(&self, [x, y]: [f64; 2]) -> Option<Spot> {
        Some([self.x(x)?, self.y(y)?])
    }

    fn holds(&self, [x, y]: Spot) -> bool {
        let slack = 0.5;
        x >= self.left - slack && x <= self.right + slack && y >= self.top - slack && y <= self.bottom + slack
    }

    fn frame(&self, sheet: &mut Drawing, chart: &Chart) {
        let (ink, pale) = (Stroke::new(Colour::INK, 1.0), Stroke::new(Colour::PALE, 0.7));
        let (ticks, exponent) = self.ticks(0);
        for tick in ticks {
            let Some(x) = self.x(tick.value) else { continue };
            let long = if tick.label.is_some() { 5.0 } else { 3.0 };
            if tick.label.is_some() {
                sheet.line([x, self.top], [x, self.bottom], pale);
            }
            sheet.line([x, self.bottom], [x, self.bottom + long], ink);
            if let Some(label) = tick.label {
                sheet.text(label, [x, self.bottom + 17.0], TICK, Anchor::Middle);
            }
        }
        if exponent != 0 {
            sheet.text(times_ten(exponent), [self.right, self.bottom + 31.0], TICK, Anchor::End);
        }
        let (ticks, exponent) = self.ticks(1);
        for tick in ticks {
            let Some(y) = self.y(tick.value) else { continue };
            let long = if tick.label.is_some() { 5.0 } else { 3.0 };
            if tick.label.is_some() {
                sheet.line([self.left, y], [self.right, y], pale);
            }
            sheet.line([self.left - long, y], [self.left, y], ink);
            if let Some(label) = tick.label {
                sheet.text(label, [self.left - 8.0, y + 0.36 * TICK], TICK, Anchor::End);
            }
        }
        if exponent != 0 {
            sheet.text(times_ten(exponent), [self.left, self.top - 5.0], TICK, Anchor::Start);
        }
        sheet.rectangle([self.left, self.top], [self.right, self.bottom], Paint::stroke(ink));
        let middle = 0.5 * (self.left + self.right);
        sheet.text(chart.x.label.clone(), [middle, self.bottom + 38.0], LABEL, Anchor::Middle);
        sheet.marks.push(Mark::Text(Text {
            words: chart.y.label.clone(),
            at: [16.0, 0.5 * (self.top + self.bottom)],
            size: LABEL,
            anchor: Anchor::Middle,
            upwards: true,
            colour: Colour::INK,
        }));
        sheet.text(chart.title.clone(), [middle, 19.0], TITLE, Anchor::Middle);
    }

    fn reference(&self, sheet: &mut Drawing, reference: &Reference) {
        let pen = Stroke::new(Colour::GREY, 1.2).dashed(2.0, 3.0);
        let [from, to] = [reference.value - reference.tolerance, reference.value + reference.tolerance];
        let band = Paint::fill(Colour::GREY.with_opacity(0.16));
        if reference.horizontal {
            let clamped = |value| self.y(value).map(|y| y.clamp(self.top, self.bottom));
            if let (true, Some(a), Some(b)) = (reference.tolerance > 0.0, clamped(from), clamped(to)) {
                sheet.rectangle([self.left, a], [self.right, b], band);
            }
            if let Some(y) = self.y(reference.value).filter(|&y| self.holds([self.left, y])) {
                sheet.line([self.left, y], [self.right, y], pen);
            }
        } else {
            let clamped = |value| self.x(value).map(|x| x.clamp(self.left, self.right));
            if let (true, Some(a), Some(b)) = (reference.tolerance > 0.0, clamped(from), clamped(to)) {
                sheet.rectangle([a, self.top], [b, self.bottom], band);
            }
            if let Some(x) = self.x(reference.value).filter(|&x| self.holds([x, self.top])) {
                sheet.line([x, self.top], [x, self.bottom], pen);
            }
        }
    }

    fn curve(&self, sheet: &mut Drawing, curve: &Curve, colour: Colour) {
        match curve.style {
            Style::Line => self.lines(sheet, curve, Stroke::new(colour, 1.7)),
            Style::Dashes => self.lines(sheet, curve, Stroke::new(colour, 1.5).dashed(6.0, 4.0)),
            Style::Both => self.lines(sheet, curve, Stroke::new(colour.with_opacity(0.6), 1.0)),
            Style::Bars => self.bars(sheet, curve, colour),
            Style::Points | Style::OpenPoints => {}
        }
        if !matches!(curve.style, Style::Points | Style::OpenPoints | Style::Both) {
            return;
        }
        for (i, &point) in curve.points.iter().enumerate() {
            let Some(spot) = self.spot(point).filter(|&spot| self.holds(spot)) else { continue };
            if let Some(&error) = curve.errors.get(i).filter(|error| error.is_finite() && **error > 0.0) {
                let pen = Stroke::new(colour, 0.9);
                let end = |value: f64, none: f64| self.y(value).unwrap_or(none).clamp(self.top, self.bottom);
                let (high, low) = (end(point[1] + error, self.top), end(point[1] - error, self.bottom));
                sheet.line([spot[0], high], [spot[0], low], pen);
            }
            sheet.circle(spot, 2.9, symbol(curve.style, colour));
        }
    }

    /// The parts of a line that are inside the field.
    fn lines(&self, sheet: &mut Drawing, curve: &Curve, pen: Stroke) {
        let mut inside: Vec<Spot> = Vec::new();
        let mut last: Option<Spot> = None;
        for point in &curve.points {
            let spot = self.spot(*point);
            if let (Some(from), Some(to)) = (last, spot) {
                match self.clipped(from, to) {
                    Some([a, b]) => {
                        if inside.last() != Some(&a) {
                            finish(sheet, &mut inside, pen);
                            inside.push(a);
                        }
                        inside.push(b);
                    }
                    None => finish(sheet, &mut inside, pen),
                }
            } else {
                finish(sheet, &mut inside, pen);
            }
            last = spot;
        }
        finish(sheet, &mut inside, pen);
    }

    /// The part of a segment that is inside the field, by Liang and Barsky.
    fn clipped(&self, from: Spot, to: Spot) -> Option<[Spot; 2]> {
        let along = [to[0] - from[0], to[1] - from[1]];
        let (mut start, mut end) = (0.0_f64, 1.0_f64);
        for (axis, low, high) in [(0, self.left, self.right), (1, self.top, self.bottom)] {
            if along[axis] == 0.0 {
                if from[axis] < low || from[axis] > high {
                    return None;
                }
            } else {
                let [a, b] = [(low - from[axis]) / along[axis], (high - from[axis]) / along[axis]];
                (start, end) = (start.max(a.min(b)), end.min(a.max(b)));
            }
        }
        let at = |share: f64| match share {
            0.0 => from,
            1.0 => to,
            _ => [from[0] + share * along[0], from[1] + share * along[1]],
        };
        (start <= end).then(|| [at(start), at(end)])
    }

    fn bars(&self, sheet: &mut Drawing, curve: &Curve, colour: Colour) {
        let places: Vec<f64> = curve.points.iter().filter_map(|point| self.x(point[0])).collect();
        let apart = places.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(f64::INFINITY, f64::min);
        let half = 0.5 * if apart.is_finite() { apart } else { 20.0 };
        let floor = self.y(0.0).unwrap_or(self.bottom).clamp(self.top, self.bottom);
        let paint =
            Paint { fill: Some(colour.with_opacity(0.45)), stroke: Some(Stroke::new(colour.with_opacity(0.9), 0.6)) };
        for point in &curve.points {
            if let Some([x, y]) = self.spot(*point) {
                let [a, b] = [x - half, x + half].map(|x| x.clamp(self.left, self.right));
                sheet.rectangle([a, y.clamp(self.top, self.bottom)], [b, floor], paint);
            }
        }
    }

    /// The names of curves and references, in the corner where they hide least.
    fn legend(&self, sheet: &mut Drawing, chart: &Chart, colours: &[Colour]) {
        let references = chart.references.iter().map(|reference| (reference.label.as_str(), None));
        let curves =
            chart.curves.iter().zip(colours).filter_map(|(c, &colour)| Some((c.label.as_deref()?, Some((c, colour)))));
        let entries: Vec<_> = curves.chain(references).collect();
        if entries.is_empty() {
            return;
        }
        let (sample, row, pad) = (22.0, 16.0, 7.0);
        let widest = entries.iter().map(|(label, _)| text_width(label, TICK)).fold(0.0, f64::max);
        let (width, height) = (widest + sample + 3.0 * pad, row * entries.len() as f64 + pad);
        let corners = [
            [self.right - width - 8.0, self.top + 8.0],
            [self.left + 8.0, self.top + 8.0],
            [self.right - width - 8.0, self.bottom - height - 8.0],
            [self.left + 8.0, self.bottom - height - 8.0],
        ];
        let hidden = |corner: &[f64; 2]| {
            let covers = |[x, y]: Spot| {
                x >= corner[0] - 6.0
                    && x <= corner[0] + width + 6.0
                    && y >= corner[1] - 6.0
                    && y <= corner[1] + height + 6.0
            };
            chart.curves.iter().map(|curve| self.weight_of_hidden(curve, &covers)).sum::<f64>()
        };
        let best = corners.iter().min_by(|a, b| hidden(a).total_cmp(&hidden(b))).copied().unwrap_or(corners[0]);
        let paint =
            Paint { fill: Some(Colour::WHITE.with_opacity(0.88)), stroke: Some(Stroke::new(Colour::PALE, 0.8)) };
        sheet.rectangle(best, [best[0] + width, best[1] + height], paint);
        for (i, (label, what)) in entries.into_iter().enumerate() {
            let middle = best[1] + 0.5 * pad + row * (i as f64 + 0.5);
            let [from, to] = [[best[0] + pad, middle], [best[0] + pad + sample, middle]];
            let centre = [0.5 * (from[0] + to[0]), middle];
            match what {
                None => sheet.line(from, to, Stroke::new(Colour::GREY, 1.2).dashed(2.0, 3.0)),
                Some((curve, colour)) => match curve.style {
                    Style::Line => sheet.line(from, to, Stroke::new(colour, 1.7)),
                    Style::Dashes => sheet.line(from, to, Stroke::new(colour, 1.5).dashed(6.0, 4.0)),
                    Style::Points | Style::OpenPoints => sheet.circle(centre, 2.9, symbol(curve.style, colour)),
                    Style::Both => {
                        sheet.line(from, to, Stroke::new(colour.with_opacity(0.6), 1.0));
                        sheet.circle(centre, 2.9, symbol(curve.style, colour));
                    }
                    Style::Bars => sheet.rectangle(
                        [from[0] + 4.0, middle - 4.0],
                        [to[0] - 4.0, middle + 4.0],
                        Paint::fill(colour.with_opacity(0.45)),
                    ),
                },
            }
            sheet.text(label, [to[0] + pad, middle + 0.36 * TICK], TICK, Anchor::Start);
        }
    }

    /// How much of a curve a box hides: points count one each, a line by pieces of ten points length.
    fn weight_of_hidden(&self, curve: &Curve, covers: &dyn Fn(Spot) -> bool) -> f64 {
        let spots: Vec<Spot> = curve.points.iter().filter_map(|point| self.spot(*point)).collect();
        let share = 1.0 / spots.len().max(1) as f64;
        let points = spots.iter().filter(|&&spot| covers(spot)).count() as f64;
        if matches!(curve.style, Style::Points | Style::OpenPoints) {
            return points * share;
        }
        let mut pieces = 0.0;
        for pair in spots.windows(2) {
            let length = (pair[1][0] - pair[0][0]).hypot(pair[1][1] - pair[0][1]);
            let count = (length / 10.0).ceil().clamp(1.0, 100.0) as usize;
            let at = |i: usize| {
                let share = i as f64 / count as f64;
                [0, 1].map(|k| pair[0][k] + share * (pair[1][k] - pair[0][k]))
            };
            pieces += (0..count).filter(|&i| covers(at(i))).count() as f64 * 0.01;
        }
        points * share + pieces
    }
}

fn finish(sheet: &mut Drawing, spots: &mut Vec<Spot>, pen: Stroke) {
    if spots.len() > 1 {
        sheet.polyline(std::mem::take(spots), pen);
    }
    spots.clear();
}

fn symbol(style: Style, colour: Colour) -> Paint {
    if style == Style::OpenPoints {
        Paint { fill: Some(Colour::WHITE), stroke: Some(Stroke::new(colour, 1.3)) }
    } else {
        Paint::fill(colour)
    }
}

fn times_ten(exponent: i32) -> String {
    format!("×10^{{{}}}", exponent.to_string().replace('-', "−"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart() -> Chart {
        let parabola: Vec<[f64; 2]> = (0..=20).map(|i| f64::from(i) * 0.1).map(|x| [x, x * x]).collect();
        Chart::new("a parabola", Axis::linear("x (m)"), Axis::linear("y").within(0.0, 2.0))
            .with(Curve::new(Style::Points, parabola.clone()).named("measured").with_errors(vec![0.1; 21]))
            .with(Curve::new(Style::Line, parabola).named("x^2"))
            .with_reference(Reference { horizontal: true, value: 1.0, tolerance: 0.1, label: "published".into() })
    }

    #[test]
    fn nothing_leaves_the_sheet_and_lines_end_at_the_frame() {
        let sheet = chart().draw();
        let mut top_of_lines = f64::INFINITY;
        for mark in &sheet.marks {
            let spots = match mark {
                Mark::Path { spots, closed, .. } => {
                    if !closed && spots.len() > 3 {
                        top_of_lines = spots.iter().map(|spot| spot[1]).fold(top_of_lines, f64::min);
                    }
                    spots.clone()
                }
                Mark::Circle { centre, .. } => vec![*centre],
                Mark::Text(text) => vec![text.at],
            };
            for [x, y] in spots {
                assert!((0.0..=sheet.width).contains(&x) && (0.0..=sheet.height).contains(&y), "{mark:?}");
            }
        }
        // The parabola leaves the field through its upper side at y = 2.
        assert!((top_of_lines - 34.0).abs() < 1e-9, "{top_of_lines}");
    }

    #[test]
    fn labels_and_legend_are_there_once() {
        let svg = chart().draw().svg();
        for words in [">x (m)<", ">measured<", ">published<", ">a parabola<"] {
            assert_eq!(svg.matches(words).count(), 1, "{words}");
        }
    }

    #[test]
    fn a_chart_without_data_is_a_frame() {
        let empty =
            Chart::new("", Axis::log("x"), Axis::linear("y")).with(Curve::new(Style::Bars, vec![[f64::NAN, 1.0]]));
        assert!(empty.draw().svg().contains("polygon"));
    }
}
