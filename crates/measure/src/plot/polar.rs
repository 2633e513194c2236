//! Polar plots: a quantity by direction.

use super::{Anchor, Colour, Drawing, PALETTE, Paint, Spot, Stroke, Style, text_width};

/// A quantity by direction, over a whole turn; directions count counter-clockwise from the right.
#[derive(Clone, Debug, PartialEq)]
pub struct Polar {
    /// What it shows; may be empty.
    pub title: String,
    /// What the radius is, with the unit.
    pub quantity: String,
    /// Names of the direction to the right and of the one upwards.
    pub axes: [String; 2],
    /// Curves: style, points (angle in radians, radius), and name in the legend.
    pub curves: Vec<(Style, Vec<[f64; 2]>, String)>,
}

impl Polar {
    /// The plot on a sheet.
    pub fn draw(&self) -> Drawing {
        let (width, height) = (400.0, 430.0);
        let (centre, reach) = ([0.5 * width, 218.0], 148.0);
        let mut sheet = Drawing::new(width, height);
        let largest = self
            .curves
            .iter()
            .flat_map(|(_, points, _)| points)
            .map(|point| point[1].abs())
            .filter(|radius| radius.is_finite())
            .fold(0.0, f64::max);
        let (step, rings) = rings(largest);
        let scale = reach / (step * rings as f64);
        let pale = Stroke::new(Colour::PALE, 0.8);
        for ring in 1..=rings {
            let radius = step * ring as f64 * scale;
            sheet.circle(centre, radius, Paint::stroke(pale));
        }
        for direction in 0..12 {
            let angle = f64::from(direction) * std::f64::consts::PI / 6.0;
            sheet.line(centre, spot(centre, angle, reach), pale);
            let [x, y] = spot(centre, angle, reach + 15.0);
            sheet.text(format!("{}°", 30 * direction), [x, y + 4.0], 10.0, Anchor::Middle);
        }
        for (i, (style, points, _)) in self.curves.iter().enumerate() {
            let colour = PALETTE[i % PALETTE.len()];
            let shown = points.iter().filter(|point| point.iter().all(|c| c.is_finite()));
            let spots: Vec<Spot> = shown.map(|&[angle, radius]| spot(centre, angle, radius.max(0.0) * scale)).collect();
            match style {
                Style::Line if spots.len() > 1 => sheet.polygon(spots, Paint::stroke(Stroke::new(colour, 1.7))),
                Style::Dashes if spots.len() > 1 => {
                    sheet.polygon(spots, Paint::stroke(Stroke::new(colour, 1.5).dashed(6.0, 4.0)));
                }
                Style::Bars => {
                    let half = std::f64::consts::PI / points.len().max(1) as f64;
                    for &[angle, radius] in points {
                        let ends = [angle - half, angle + half].map(|a| spot(centre, a, radius.max(0.0) * scale));
                        let paint = Paint {
                            fill: Some(colour.with_opacity(0.35)),
                            stroke: Some(Stroke::new(colour.with_opacity(0.8), 0.6)),
                        };
                        sheet.polygon(vec![centre, ends[0], ends[1]], paint);
                    }
                }
                _ => spots.into_iter().for_each(|s| sheet.circle(s, 2.6, Paint::fill(colour))),
            }
        }
        for ring in 1..=rings {
            let radius = step * ring as f64;
            let [x, y] = spot(centre, 75_f64.to_radians(), radius * scale);
            sheet.text(short(radius), [x + 3.0, y - 2.0], 9.0, Anchor::Start);
        }
        sheet.text(self.title.clone(), [0.5 * width, 20.0], 12.5, Anchor::Middle);
        sheet.text(self.quantity.clone(), [0.5 * width, 40.0], 11.0, Anchor::Middle);
        sheet.text(self.axes[0].clone(), [centre[0] + reach + 42.0, centre[1] + 4.0], 12.0, Anchor::Middle);
        sheet.text(self.axes[1].clone(), [centre[0] + 22.0, centre[1] - reach - 8.0], 12.0, Anchor::Middle);
        self.legend(&mut sheet, [0.5 * width, height - 14.0]);
        sheet
    }

    /// The names of the curves in a row below the plot.
    fn legend(&self, sheet: &mut Drawing, [middle, baseline]: Spot) {
        let (sample, gap) = (20.0, 16.0);
        let widths: Vec<f64> = self.curves.iter().map(|(_, _, label)| sample + 5.0 + text_width(label, 10.5)).collect();
        let total: f64 = widths.iter().sum::<f64>() + gap * widths.len().saturating_sub(1) as f64;
        let mut x = middle - 0.5 * total;
        for (i, ((style, _, label), width)) in self.curves.iter().zip(&widths).enumerate() {
            let colour = PALETTE[i % PALETTE.len()];
            let y = baseline - 4.0;
            match style {
                Style::Line => sheet.line([x, y], [x + sample, y], Stroke::new(colour, 1.7)),
                Style::Dashes => sheet.line([x, y], [x + sample, y], Stroke::new(colour, 1.5).dashed(6.0, 4.0)),
                Style::Bars => {
                    let paint = Paint::fill(colour.with_opacity(0.35));
                    sheet.rectangle([x + 3.0, y - 4.0], [x + sample - 3.0, y + 4.0], paint);
                }
                _ => sheet.circle([x + 0.5 * sample, y], 2.6, Paint::fill(colour)),
            }
            sheet.text(label.clone(), [x + sample + 5.0, baseline], 10.5, Anchor::Start);
            x += width + gap;
        }
    }
}

fn spot(centre: Spot, angle: f64, radius: f64) -> Spot {
    [centre[0] + radius * angle.cos(), centre[1] - radius * angle.sin()]
}

/// How far apart rings are, and how many hold the largest value.
fn rings(largest: f64) -> (f64, usize) {
    if largest <= 0.0 {
        return (1.0, 1);
    }
    let unit = 10_f64.powf((largest / 3.0).log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|m| m * unit).into_iter().find(|s| s * 4.0 >= largest).unwrap_or(unit);
    (step, (largest / step - 1e-9).ceil().max(1.0) as usize)
}

fn short(value: f64) -> String {
    if (1e-3..1e5).contains(&value) { format!("{}", (value * 1e6).round() / 1e6) } else { format!("{value:.0e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rings_hold_the_largest_value_in_few_round_steps() {
        for largest in [0.013, 0.9, 1.0, 3.7, 250.0] {
            let (step, count) = rings(largest);
            assert!(step * count as f64 >= largest * (1.0 - 1e-9) && (1..=4).contains(&count), "{largest}");
        }
    }

    #[test]
    fn a_plot_has_its_curves_and_names() {
        let circle: Vec<[f64; 2]> = (0..36).map(|i| [f64::from(i) * 10_f64.to_radians(), 1.0]).collect();
        let plot = Polar {
            title: "fabric".into(),
            quantity: "P(θ)".into(),
            axes: ["x".into(), "y".into()],
            curves: vec![(Style::Bars, circle.clone(), "measured".into()), (Style::Line, circle, "fit".into())],
        };
        let svg = plot.draw().svg();
        assert!(svg.matches("<polygon").count() == 38 && svg.contains(">measured<") && svg.contains("90°"));
    }
}
