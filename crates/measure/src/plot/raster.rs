//! Drawings as PNG.

use super::text::{self, Pen};
use super::{Anchor, Colour, Drawing, Mark, Paint, Text};
use tiny_skia::{FillRule, LineCap, LineJoin, Path, PathBuilder, Pixmap, StrokeDash, Transform};

pub fn write(drawing: &Drawing, pixels_per_point: f64) -> Vec<u8> {
    paint(drawing, pixels_per_point).encode_png().expect("a picture in memory can be written to memory")
}

/// Width and height in pixels; red, green and blue of each.
pub fn pixels(drawing: &Drawing, pixels_per_point: f64) -> (usize, usize, Vec<u8>) {
    let painted = paint(drawing, pixels_per_point);
    // The sheet is white, so that nothing is left to see through.
    let rgb = painted.pixels().iter().flat_map(|pixel| [pixel.red(), pixel.green(), pixel.blue()]).collect();
    (painted.width() as usize, painted.height() as usize, rgb)
}

fn paint(drawing: &Drawing, pixels_per_point: f64) -> Pixmap {
    let side = |points: f64| (points * pixels_per_point).ceil().max(1.0) as u32;
    let mut pixels = Pixmap::new(side(drawing.width), side(drawing.height)).expect("a sheet of some pixels");
    pixels.fill(tiny_skia::Color::WHITE);
    let scale = pixels_per_point as f32;
    let to_pixels = Transform::from_scale(scale, scale);
    for mark in &drawing.marks {
        match mark {
            Mark::Path { spots, closed, paint } => {
                let mut path = PathBuilder::new();
                for (i, &[x, y]) in spots.iter().enumerate() {
                    let (x, y) = (x as f32, y as f32);
                    if i == 0 { path.move_to(x, y) } else { path.line_to(x, y) }
                }
                if *closed {
                    path.close();
                }
                apply(&mut pixels, path.finish(), paint, to_pixels);
            }
            Mark::Circle { centre: [x, y], radius, paint } => {
                apply(&mut pixels, PathBuilder::from_circle(*x as f32, *y as f32, *radius as f32), paint, to_pixels);
            }
            Mark::Text(text) => letters(&mut pixels, text, to_pixels),
        }
    }
    pixels
}

fn apply(pixels: &mut Pixmap, path: Option<Path>, paint: &Paint, to_pixels: Transform) {
    // A path without extent leaves no mark.
    let Some(path) = path else { return };
    if let Some(colour) = paint.fill {
        pixels.fill_path(&path, &ink(colour), FillRule::Winding, to_pixels, None);
    }
    if let Some(stroke) = paint.stroke {
        let pen = tiny_skia::Stroke {
            width: stroke.width as f32,
            line_cap: if stroke.dash.is_some() { LineCap::Butt } else { LineCap::Round },
            line_join: LineJoin::Round,
            dash: stroke.dash.and_then(|[dash, gap]| StrokeDash::new(vec![dash as f32, gap as f32], 0.0)),
            ..tiny_skia::Stroke::default()
        };
        pixels.stroke_path(&path, &ink(stroke.colour), &pen, to_pixels, None);
    }
}

fn letters(pixels: &mut Pixmap, text: &Text, to_pixels: Transform) {
    let width = text::width(&text.words, text.size);
    let before = match text.anchor {
        Anchor::Start => 0.0,
        Anchor::Middle => 0.5 * width,
        Anchor::End => width,
    };
    let [x, y] = text.at.map(|c| c as f32);
    let mut outline = Outline(PathBuilder::new());
    text::outline(&text.words, text.size, &mut outline);
    // The letters stand with y upwards; the sheet has y downwards.
    let placed = if text.upwards {
        Transform::from_row(0.0, -1.0, -1.0, 0.0, x, y + before as f32)
    } else {
        Transform::from_row(1.0, 0.0, 0.0, -1.0, x - before as f32, y)
    };
    if let Some(path) = outline.0.finish() {
        pixels.fill_path(&path, &ink(text.colour), FillRule::Winding, placed.post_concat(to_pixels), None);
    }
}

struct Outline(PathBuilder);

impl Pen for Outline {
    fn move_to(&mut self, x: f64, y: f64) {
        self.0.move_to(x as f32, y as f32);
    }
    fn line_to(&mut self, x: f64, y: f64) {
        self.0.line_to(x as f32, y as f32);
    }
    fn curve_to(&mut self, control: [f64; 2], x: f64, y: f64) {
        self.0.quad_to(control[0] as f32, control[1] as f32, x as f32, y as f32);
    }
    fn close(&mut self) {
        self.0.close();
    }
}

fn ink(colour: Colour) -> tiny_skia::Paint<'static> {
    let [red, green, blue] = colour.rgb;
    let mut paint = tiny_skia::Paint { anti_alias: true, ..tiny_skia::Paint::default() };
    paint.set_color_rgba8(red, green, blue, (colour.opacity.clamp(0.0, 1.0) * 255.0).round() as u8);
    paint
}

#[cfg(test)]
mod tests {
    use crate::plot::{Anchor, Colour, Drawing, Paint, Stroke};
    use tiny_skia::Pixmap;

    #[test]
    fn marks_are_where_they_belong() {
        let mut drawing = Drawing::new(40.0, 30.0);
        drawing.circle([10.0, 10.0], 4.0, Paint::fill(Colour::new(255, 0, 0)));
        drawing.line([20.0, 25.0], [35.0, 25.0], Stroke::new(Colour::new(0, 0, 255), 2.0));
        drawing.text("H", [30.0, 15.0], 12.0, Anchor::Middle);
        let picture = Pixmap::decode_png(&drawing.png(2.0)).unwrap();
        assert_eq!((picture.width(), picture.height()), (80, 60));
        let at = |x: u32, y: u32| {
            let pixel = picture.pixel(x, y).unwrap();
            [pixel.red(), pixel.green(), pixel.blue()]
        };
        assert_eq!(at(20, 20), [255, 0, 0]);
        assert_eq!(at(60, 50), [0, 0, 255]);
        assert_eq!(at(1, 1), [255, 255, 255]);
        // The bar of the H is in the middle of the letter, above the baseline; nothing is below it.
        assert!(at(60, 21)[0] < 120);
        assert!((40..80).all(|x| at(x, 34) == [255, 255, 255]));
    }
}
