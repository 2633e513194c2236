//! Axes: from values to places, and where the ticks are.

/// An axis of a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// Its label, with the unit.
    pub label: String,
    /// How values are spread on it.
    pub scale: Scale,
    /// The values at its ends; none for the range of the data.
    pub range: Option<[f64; 2]>,
}

/// How values are spread on an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Evenly.
    Linear,
    /// By their logarithm; values that are not positive are left out.
    Log,
}

impl Axis {
    /// A linear axis with the range of the data.
    pub fn linear(label: impl Into<String>) -> Axis {
        Axis { label: label.into(), scale: Scale::Linear, range: None }
    }

    /// A logarithmic axis with the range of the data.
    pub fn log(label: impl Into<String>) -> Axis {
        Axis { label: label.into(), scale: Scale::Log, range: None }
    }

    /// The same axis with these values at its ends.
    pub fn within(self, low: f64, high: f64) -> Axis {
        Axis { range: Some([low, high]), ..self }
    }

    /// The axis laid out for these values.
    pub(super) fn laid_out(&self, values: impl Iterator<Item = f64>) -> Span {
        let is_shown = |value: &f64| value.is_finite() && (self.scale == Scale::Linear || *value > 0.0);
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.filter(is_shown) {
            (low, high) = (low.min(value), high.max(value));
        }
        if let Some([a, b]) = self.range.filter(|range| range.iter().all(is_shown) && range[0] != range[1]) {
            (low, high) = (a, b);
        } else if low > high {
            (low, high) = if self.scale == Scale::Log { (0.1, 1.0) } else { (0.0, 1.0) };
        } else {
            (low, high) = self.with_margin(low, high);
        }
        Span { low, high, scale: self.scale }
    }

    fn with_margin(&self, low: f64, high: f64) -> (f64, f64) {
        match self.scale {
            Scale::Log => {
                let ratio = (high / low).max(1.5).powf(0.05);
                (low / ratio, high * ratio)
            }
            Scale::Linear if low == high => {
                let margin = if low == 0.0 { 1.0 } else { 0.5 * low.abs() };
                (low - margin, high + margin)
            }
            Scale::Linear => {
                let margin = 0.05 * (high - low);
                // Data that begin at zero, or nearly, are shown from zero.
                let starts_at_zero = low >= 0.0 && low < 0.15 * high;
                (if starts_at_zero { 0.0 } else { low - margin }, high + margin)
            }
        }
    }
}

/// An axis with its ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    pub low: f64,
    pub high: f64,
    pub scale: Scale,
}

/// A tick, with a label or without.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    pub value: f64,
    pub label: Option<String>,
}

impl Span {
    /// Where a value is, from 0 at the lower end to 1 at the upper; none where the axis does not go.
    pub fn place(&self, value: f64) -> Option<f64> {
        let place = match self.scale {
            Scale::Linear => (value - self.low) / (self.high - self.low),
            Scale::Log if value > 0.0 => (value / self.low).ln() / (self.high / self.low).ln(),
            Scale::Log => return None,
        };
        place.is_finite().then_some(place)
    }

    /// The ticks, at most about `most` with a label, and the power of ten that all labels are to be multiplied with.
    pub fn ticks(&self, most: usize) -> (Vec<Tick>, i32) {
        match self.scale {
            Scale::Linear => self.linear_ticks(most),
            Scale::Log => (self.log_ticks(most), 0),
        }
    }

    fn linear_ticks(&self, most: usize) -> (Vec<Tick>, i32) {
        let rough = (self.high - self.low).abs() / most.max(1) as f64;
        let power = rough.log10().floor();
        let unit = 10_f64.powf(power);
        let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|m| m * unit).find(|&s| s >= rough * 0.999).unwrap_or(unit);
        let largest = self.low.abs().max(self.high.abs());
        let exponent = if !(1e-2..1e5).contains(&largest) { largest.log10().floor() as i32 } else { 0 };
        // No number has more digits than seventeen.
        let decimals = exponent.saturating_sub((step * 1.001).log10().floor() as i32).clamp(0, 17) as usize;
        let [low, high] = if self.low < self.high { [self.low, self.high] } else { [self.high, self.low] };
        let first = (low / step - 1e-9).ceil() as i64;
        // Where the ends differ by no more than rounding, or are beyond all numbers, steps do not lead from one to the other.
        let last = ((high / step + 1e-9).floor() as i64).min(first.saturating_add(10 * most as i64));
        let tick = |i: i64| {
            let value = i as f64 * step;
            let shown = format!("{:.decimals$}", value / 10_f64.powi(exponent)).replace('-', "−");
            let is_zero = shown.trim_start_matches('−').chars().all(|c| c == '0' || c == '.');
            Tick { value, label: Some(if is_zero { "0".into() } else { shown }) }
        };
        ((first..=last).map(tick).collect(), exponent)
    }

    fn log_ticks(&self, most: usize) -> Vec<Tick> {
        let [low, high] = [self.low.min(self.high), self.low.max(self.high)];
        let decades = (high / low).log10();
        let every = (decades / most.max(1) as f64).ceil().max(1.0) as i32;
        let mut ticks = Vec::new();
        for power in (low.log10().floor() as i32)..=(high.log10().ceil() as i32) {
            for digit in 1..10 {
                let value = f64::from(digit) * 10_f64.powi(power);
                if value < low * (1.0 - 1e-9) || value > high * (1.0 + 1e-9) {
                    continue;
                }
                let label = match digit {
                    1 if power % every == 0 => Some(power_of_ten(power)),
                    // Few decades leave room for more.
                    2 | 5 if decades < 1.6 => Some(plain(value)),
                    3 if decades < 0.6 => Some(plain(value)),
                    _ => None,
                };
                // Minor ticks of many decades would be a black line.
                if label.is_some() || (decades < 7.0) || digit == 1 {
                    ticks.push(Tick { value, label });
                }
            }
        }
        ticks
    }
}

fn power_of_ten(power: i32) -> String {
    match power {
        0 => "1".into(),
        1 => "10".into(),
        -1 => "0.1".into(),
        _ => format!("10^{{{}}}", power.to_string().replace('-', "−")),
    }
}

fn plain(value: f64) -> String {
    if (1e-3..1e5).contains(&value) {
        format!("{}", (value * 1e6).round() / 1e6)
    } else {
        let power = value.log10().floor() as i32;
        let digit = (value / 10_f64.powi(power)).round();
        format!("{digit}·10^{{{}}}", power.to_string().replace('-', "−"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(span: Span, most: usize) -> (Vec<String>, i32) {
        let (ticks, exponent) = span.ticks(most);
        (ticks.into_iter().filter_map(|tick| tick.label).collect(), exponent)
    }

    #[test]
    fn linear_ticks_are_round_numbers() {
        let span = |low, high| Span { low, high, scale: Scale::Linear };
        assert_eq!(labels(span(0.0, 1.0), 5), (vec!["0", "0.2", "0.4", "0.6", "0.8", "1.0"].map_into(), 0));
        assert_eq!(labels(span(-2.5, 2.5), 5).0, ["−2", "−1", "0", "1", "2"]);
        assert_eq!(labels(span(0.0, 4e6), 4), (vec!["0", "1", "2", "3", "4"].map_into(), 6));
        assert_eq!(labels(span(0.0, 2e-5), 4), (vec!["0", "0.5", "1.0", "1.5", "2.0"].map_into(), -5));
    }

    #[test]
    fn an_axis_without_extent_has_few_ticks() {
        for (low, high) in [(0.0, 5e-324), (1.0, 1.0), (1.0, 1.0 + f64::EPSILON), (-1e308, 1e308), (0.0, f64::INFINITY)]
        {
            assert!(Span { low, high, scale: Scale::Linear }.ticks(5).0.len() <= 51, "from {low} to {high}");
        }
    }

    trait MapInto {
        fn map_into(self) -> Vec<String>;
    }

    impl MapInto for Vec<&str> {
        fn map_into(self) -> Vec<String> {
            self.into_iter().map(String::from).collect()
        }
    }

    #[test]
    fn log_ticks_are_decades_and_their_parts() {
        let span = Span { low: 1e-4, high: 20.0, scale: Scale::Log };
        assert_eq!(labels(span, 6).0, ["10^{−4}", "10^{−3}", "10^{−2}", "0.1", "1", "10"]);
        let narrow = Span { low: 0.9, high: 12.0, scale: Scale::Log };
        assert_eq!(labels(narrow, 6).0, ["1", "2", "5", "10"]);
        assert_eq!(span.place(0.0), None);
        assert!((span.place(20.0).unwrap() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn the_range_of_the_data_gets_a_margin_and_bad_values_are_left_out() {
        let axis = Axis::linear("x");
        let span = axis.laid_out([0.1, 2.0, f64::NAN].into_iter());
        assert_eq!((span.low, span.high), (0.0, 2.095));
        let none = Axis::log("x").laid_out([-1.0, 0.0].into_iter());
        assert!(none.low > 0.0 && none.high > none.low);
    }
}
