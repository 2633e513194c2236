//! Drawings as SVG.

use super::text::runs;
use super::{Anchor, Colour, Drawing, Mark, Paint, Text};
use std::fmt::Write;

/// Fonts that have the same widths as the one of the program come first.
const FONTS: &str = "DejaVu Sans, Verdana, Bitstream Vera Sans, sans-serif";

pub fn write(drawing: &Drawing) -> String {
    let (width, height) = (number(drawing.width), number(drawing.height));
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"{FONTS}\">\n<rect width=\"100%\" height=\"100%\" \
         fill=\"#ffffff\"/>\n"
    );
    for mark in &drawing.marks {
        // Writing to a string cannot fail.
        let _ = match mark {
            Mark::Path { spots, closed, paint } => {
                let tag = if *closed { "polygon" } else { "polyline" };
                let spots: Vec<String> = spots.iter().map(|[x, y]| format!("{},{}", number(*x), number(*y))).collect();
                writeln!(out, "<{tag} points=\"{}\"{}/>", spots.join(" "), attributes(paint))
            }
            Mark::Circle { centre: [x, y], radius, paint } => writeln!(
                out,
                "<circle cx=\"{}\" cy=\"{}\" r=\"{}\"{}/>",
                number(*x),
                number(*y),
                number(*radius),
                attributes(paint)
            ),
            Mark::Text(text) => writeln!(out, "{}", element(text)),
        };
    }
    out + "</svg>\n"
}

fn attributes(paint: &Paint) -> String {
    let mut out = match paint.fill {
        None => " fill=\"none\"".to_string(),
        Some(colour) => format!(" fill=\"{}\"{}", hexadecimal(colour), opacity("fill-opacity", colour)),
    };
    if let Some(stroke) = paint.stroke {
        let _ = write!(
            out,
            " stroke=\"{}\" stroke-width=\"{}\" stroke-linejoin=\"round\"{}",
            hexadecimal(stroke.colour),
            number(stroke.width),
            opacity("stroke-opacity", stroke.colour)
        );
        match stroke.dash {
            Some([dash, gap]) => {
                let _ = write!(out, " stroke-dasharray=\"{} {}\"", number(dash), number(gap));
            }
            None => out += " stroke-linecap=\"round\"",
        }
    }
    out
}

fn element(text: &Text) -> String {
    let anchor = match text.anchor {
        Anchor::Start => "start",
        Anchor::Middle => "middle",
        Anchor::End => "end",
    };
    let [x, y] = text.at.map(number);
    let turn = if text.upwards { format!(" transform=\"rotate(-90 {x} {y})\"") } else { String::new() };
    let mut spans = String::new();
    let mut rise = 0.0;
    for run in runs(&text.words) {
        let letters = escaped(&run.letters);
        if run.rise == rise && run.scale == 1.0 {
            spans += &letters;
        } else {
            let (shift, size) = (number((rise - run.rise) * text.size), number(run.scale * text.size));
            let _ = write!(spans, "<tspan dy=\"{shift}\" font-size=\"{size}\">{letters}</tspan>");
        }
        rise = run.rise;
    }
    format!(
        "<text x=\"{x}\" y=\"{y}\" font-size=\"{}\" text-anchor=\"{anchor}\" fill=\"{}\"{turn}>{spans}</text>",
        number(text.size),
        hexadecimal(text.colour)
    )
}

fn hexadecimal(colour: Colour) -> String {
    let [red, green, blue] = colour.rgb;
    format!("#{red:02x}{green:02x}{blue:02x}")
}

fn opacity(name: &str, colour: Colour) -> String {
    if colour.opacity < 1.0 { format!(" {name}=\"{}\"", number(colour.opacity)) } else { String::new() }
}

/// A hundredth of a point is finer than any eye.
fn number(value: f64) -> String {
    let rounded = (value * 100.0).round() / 100.0;
    if rounded == 0.0 { "0".into() } else { format!("{rounded}") }
}

fn escaped(letters: &str) -> String {
    letters.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use crate::plot::{Anchor, Colour, Drawing, Paint, Stroke};

    #[test]
    fn marks_become_elements() {
        let mut drawing = Drawing::new(100.0, 50.0);
        drawing.line([0.0, 0.0], [10.004, 5.0], Stroke::new(Colour::INK, 1.5).dashed(4.0, 2.0));
        drawing.circle([1.0, 2.0], 3.0, Paint::fill(Colour::new(255, 0, 0).with_opacity(0.5)));
        drawing.text("a < f_{n}", [5.0, 5.0], 10.0, Anchor::Middle);
        let svg = drawing.svg();
        assert!(svg.contains("<polyline points=\"0,0 10,5\" fill=\"none\" stroke=\"#222222\" stroke-width=\"1.5\""));
        assert!(svg.contains("stroke-dasharray=\"4 2\""));
        assert!(svg.contains("fill=\"#ff0000\" fill-opacity=\"0.5\""));
        assert!(svg.contains("a &lt; f<tspan dy=\"2.2\" font-size=\"7.2\">n</tspan></text>"));
    }
}
