//! How a number depends on a numerical setting: its change with the error over seeds, and the limit where one is justified.
//!
//! The setting is a factor `f` on the time step or a tolerance, one being the settings as given. Every seed is run at every
//! factor, so that changes are differences of pairs and the scatter between seeds, which is larger, drops out.

use crate::plot::{Axis, Chart, Curve, Style};
use std::fmt;

/// The part of all verdicts that may be wrong by chance is one less this.
const CONFIDENCE: f64 = 0.95;

/// The orders that are tried: Verlet and the midpoint rule are of the second order and implicit Euler of the first, where
/// motion is smooth; impacts and friction that begin within a step can leave half an order.
pub const ORDERS: [f64; 3] = [0.5, 1.0, 2.0];

/// The part of the whole change that terms of higher order may contribute to a fit. Of three steps that are halved twice, a
/// fit of the next order misses by at least 5 %.
const HIGHER_ORDERS: f64 = 0.01;

/// The part of a number that rounding may leave in it: a run of ten thousand steps, each rounded once.
const ROUNDING: f64 = 1e-12;

/// A number at every factor, for every seed.
#[derive(Clone, Debug, PartialEq)]
pub struct Samples {
    /// The factors; one of them is 1, the settings as given.
    pub factors: Vec<f64>,
    /// For each factor the value of every seed.
    pub values: Vec<Vec<f64>>,
    /// False if seeds make no difference, so that one of them tells all.
    pub is_random: bool,
}

/// A number with its standard error, from `seeds` seeds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mean {
    /// The number.
    pub value: f64,
    /// Its standard error; zero if nothing is random, not a number if there is one seed.
    pub error: f64,
    /// How far the true value may be away at the confidence of verdicts.
    pub half_width: f64,
}

/// How a number depends on a setting.
#[derive(Clone, Debug, PartialEq)]
pub struct Dependence {
    /// The number at the settings as given.
    pub reference: Mean,
    /// Its change from there at each factor, in the order of the factors.
    pub changes: Vec<Mean>,
    /// Its change at the smallest factor.
    pub change: Mean,
    /// What the change means.
    pub verdict: Verdict,
    /// The limit of an ever shorter step, or why there is none to tell.
    pub limit: Result<Limit, NoLimit>,
}

/// What is known of a change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// It is within the goal, whatever chance did.
    Resolved,
    /// It is not chance, and may be beyond the goal.
    Depends,
    /// It may be chance, and it may be beyond the goal. With so many seeds of the same scatter it would be known.
    NotResolved {
        /// The seeds, about.
        needed: f64,
    },
    /// There is one seed, which cannot tell a change from chance.
    OneSeed,
}

/// A limit `a` of `a + b f^p`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    /// The order `p`.
    pub order: f64,
    /// The limit, with the scatter between seeds in its error.
    pub value: Mean,
    /// The settings as given less the limit of the same seeds: their error.
    pub bias: Mean,
}

/// Why there is no limit.
#[derive(Clone, Debug, PartialEq)]
pub enum NoLimit {
    /// There are fewer than three factors.
    TooFewFactors,
    /// There is one seed.
    OneSeed,
    /// Nothing changes.
    NoChange,
    /// The change may be chance.
    WithinScatter,
    /// None of these orders fits.
    NoOrderFits(Vec<f64>),
    /// Several orders fit: their limits.
    SeveralOrdersFit(Vec<Limit>),
}

impl fmt::Display for NoLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |orders: &[f64]| orders.iter().map(|&order| order_word(order)).collect::<Vec<_>>().join(", ");
        match self {
            NoLimit::TooFewFactors => f.write_str("fewer than three time steps"),
            NoLimit::OneSeed => f.write_str("one seed cannot distinguish a trend from scatter"),
            NoLimit::NoChange => f.write_str("nothing changes"),
            NoLimit::WithinScatter => f.write_str("the differences are within the scatter of seeds"),
            NoLimit::NoOrderFits(orders) if orders.len() == 1 => write!(f, "order {} does not fit", list(orders)),
            NoLimit::NoOrderFits(orders) => write!(f, "none of the orders {} fits", list(orders)),
            NoLimit::SeveralOrdersFit(limits) => {
                let orders: Vec<f64> = limits.iter().map(|limit| limit.order).collect();
                write!(f, "orders {} all fit", list(&orders))
            }
        }
    }
}

impl Dependence {
    /// The verdict in words; `setting` is what was varied, and `seeds` how many there were.
    pub fn words(&self, setting: &str, seeds: usize) -> String {
        let plural = if seeds == 1 { "" } else { "s" };
        match self.verdict {
            Verdict::Resolved => "resolved".to_owned(),
            Verdict::Depends => format!("depends on the {setting} by {}", self.change_in_words()),
            Verdict::NotResolved { needed } if needed.is_finite() && needed < 1e4 => {
                format!("{setting} not resolved by {seeds} seed{plural}, about {needed} would be needed")
            }
            Verdict::NotResolved { .. } | Verdict::OneSeed => {
                format!("{setting} not resolved by {seeds} seed{plural}")
            }
        }
    }

    /// The change as a part of the number, or as it is where the number is zero.
    pub fn change_in_words(&self) -> String {
        let Mean { value, error, .. } = self.change;
        if self.reference.value == 0.0 {
            return with_error(value, error, true);
        }
        if value.abs() <= ROUNDING * self.reference.value.abs() && (error.is_nan() || error <= value.abs()) {
            return "0 %".to_owned();
        }
        let percent = 100.0 / self.reference.value.abs();
        format!("{} %", with_error(percent * value, percent * error, true))
    }

    /// The number against the setting, which is `scale` times the factor, with the errors of its changes and the fits of
    /// all orders that may be. `factors` are those that it was judged from.
    pub fn chart(&self, factors: &[f64], scale: f64, axis: &str, name: &str) -> Chart {
        let point = |(&factor, change): (&f64, &Mean)| [scale * factor, self.reference.value + change.value];
        let points: Vec<[f64; 2]> = factors.iter().zip(&self.changes).map(point).collect();
        let most = points.iter().map(|point| point[0]).fold(0.0, f64::max);
        let errors = self.changes.iter().map(|change| change.error).collect();
        let runs = Curve::new(Style::Points, points).with_errors(errors).named("runs, with the error of the change");
        let mut chart =
            Chart::new("", Axis::linear(axis).within(0.0, 1.05 * most), Axis::linear(name.replace('_', " ")))
                .with(runs);
        let limits: &[Limit] = match &self.limit {
            Ok(limit) => std::slice::from_ref(limit),
            Err(NoLimit::SeveralOrdersFit(limits)) => limits,
            Err(_) => &[],
        };
        for Limit { order, bias, .. } in limits {
            // The fit of the paired seeds passes the limit at zero and is off by the bias at the settings as given.
            let end = self.reference.value - bias.value;
            let at = |part: f64| [part * most, end + bias.value * (part * most / scale).powf(*order)];
            let fit = Curve::new(Style::Dashes, (0..=100).map(|k| at(f64::from(k) / 100.0)).collect());
            chart = chart.with(fit.named(format!("order {}", order_word(*order))));
        }
        chart
    }
}

impl Mean {
    /// The mean of values of different seeds.
    ///
    /// # Panics
    /// If there are none.
    pub fn of(values: &[f64]) -> Mean {
        assert!(!values.is_empty(), "a mean is that of something");
        let samples = Samples { factors: vec![1.0], values: vec![values.to_vec()], is_random: true };
        samples.mean(|seed| values[seed])
    }
}

impl fmt::Display for Mean {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&with_error(self.value, self.error, false))
    }
}

/// A number with as many digits as its error leaves meaning to, two of the error; with a sign where it is a change.
fn with_error(value: f64, error: f64, is_change: bool) -> String {
    if value == 0.0 && (error.is_nan() || error == 0.0) {
        return "0".to_owned();
    }
    let size = |x: f64| if x == 0.0 { 0 } else { x.abs().log10().floor() as i32 };
    // Without an error there are four digits.
    let last = if error > 0.0 { size(error) - 1 } else { size(value) - 3 };
    let largest = size(value).max(last);
    // Numbers that are far from one are written with the power of ten apart.
    let power = if (-4..6).contains(&largest) && last < 3 { 0 } else { largest };
    let (scale, decimals) = (10.0_f64.powi(-power), (power - last).max(0) as usize);
    let sign = if is_change && value > 0.0 { "+" } else { "" };
    let number = format!("{sign}{:.decimals$}", value * scale);
    let error = if error > 0.0 { format!(" ± {:.decimals$}", error * scale) } else { String::new() };
    match (power, error.is_empty()) {
        (0, _) => format!("{number}{error}"),
        (_, true) => format!("{number}e{power}"),
        (_, false) => format!("({number}{error})e{power}"),
    }
}

/// An order as people write it.
pub fn order_word(order: f64) -> String {
    if order == 0.5 { "1/2".to_owned() } else { order.to_string() }
}

impl Samples {
    /// Judges the dependence on the factor. `goal` is the part of the number up to which a change does not matter;
    /// `orders` are those that may be.
    ///
    /// # Panics
    /// If no factor is 1, or a factor has not a value for every seed.
    pub fn dependence(&self, goal: f64, orders: &[f64]) -> Dependence {
        let given = self.factors.iter().position(|&factor| factor == 1.0).expect("one factor is that of the settings");
        assert!(
            self.values.iter().all(|values| values.len() == self.values[given].len()),
            "every seed is at every factor"
        );
        let change_at = |k: usize| self.mean(|seed| self.values[k][seed] - self.values[given][seed]);
        let changes: Vec<Mean> = (0..self.factors.len()).map(change_at).collect();
        let smallest = self.extreme(f64::lt);
        let reference = self.mean(|seed| self.values[given][seed]);
        let change = changes[smallest];
        let verdict = self.verdict(reference.value, change, goal);
        Dependence { reference, change, verdict, limit: self.limit(given, orders), changes }
    }

    fn seeds(&self) -> usize {
        self.values[0].len()
    }

    /// What sums of these values may be off by rounding.
    fn rounding(&self) -> f64 {
        ROUNDING * self.values.iter().flatten().fold(0.0, |most, value| f64::max(most, value.abs()))
    }

    fn extreme(&self, is_better: fn(&f64, &f64) -> bool) -> usize {
        let better = |best: usize, k: usize| if is_better(&self.factors[k], &self.factors[best]) { k } else { best };
        (1..self.factors.len()).fold(0, better)
    }

    fn verdict(&self, reference: f64, change: Mean, goal: f64) -> Verdict {
        let allowed = goal * reference.abs();
        if self.is_random && self.seeds() == 1 {
            Verdict::OneSeed
        } else if change.value.abs() + change.half_width <= allowed {
            Verdict::Resolved
        } else if change.value.abs() > change.half_width {
            Verdict::Depends
        } else {
            // Either the change stands out or it is within the goal. The half-width falls as 1/√n; the quantile of
            // Student, which falls too, is left aside.
            let enough = change.value.abs().max(allowed - change.value.abs());
            Verdict::NotResolved { needed: (self.seeds() as f64 * (change.half_width / enough).powi(2)).ceil() }
        }
    }

    /// The mean over seeds.
    fn mean(&self, value: impl Fn(usize) -> f64) -> Mean {
        self.mean_at(CONFIDENCE, value)
    }

    fn mean_at(&self, confidence: f64, value: impl Fn(usize) -> f64) -> Mean {
        let seeds = self.seeds();
        let n = seeds as f64;
        let mean = (0..seeds).map(&value).sum::<f64>() / n;
        if !self.is_random {
            return Mean { value: mean, error: 0.0, half_width: 0.0 };
        }
        let squares: f64 = (0..seeds).map(|seed| (value(seed) - mean).powi(2)).sum();
        let error = (squares / (n - 1.0) / n).sqrt();
        let half_width = if seeds > 1 { student_quantile(seeds - 1, confidence) * error } else { f64::NAN };
        Mean { value: mean, error, half_width }
    }

    /// The limit by the one order that fits.
    fn limit(&self, given: usize, orders: &[f64]) -> Result<Limit, NoLimit> {
        if self.factors.len() < 3 {
            return Err(NoLimit::TooFewFactors);
        }
        if self.is_random && self.seeds() == 1 {
            return Err(NoLimit::OneSeed);
        }
        let (smallest, largest) = (self.extreme(f64::lt), self.extreme(f64::gt));
        let whole = self.mean(|seed| self.values[smallest][seed] - self.values[largest][seed]);
        if whole.value.abs() <= self.rounding() && whole.error <= self.rounding() {
            return Err(NoLimit::NoChange);
        }
        if whole.value.abs() <= whole.half_width {
            return Err(NoLimit::WithinScatter);
        }
        let mut limits: Vec<Limit> =
            orders.iter().filter_map(|&order| self.limit_of_order(order, given, whole.value)).collect();
        match limits.len() {
            0 => Err(NoLimit::NoOrderFits(orders.to_vec())),
            1 => Ok(limits.remove(0)),
            _ => Err(NoLimit::SeveralOrdersFit(limits)),
        }
    }

    /// The limit by an order; `None` if the order does not fit. What is left over by the fit of each seed is tested
    /// along every direction that it can have: it must be chance, or a small part of the whole change.
    fn limit_of_order(&self, order: f64, given: usize, whole: f64) -> Option<Limit> {
        let fit = PowerFit::new(&self.factors, order);
        let column = |seed: usize| -> Vec<f64> { self.values.iter().map(|values| values[seed]).collect() };
        // By Bonferroni, all directions together are wrong by chance as rarely as one.
        let confidence = 1.0 - (1.0 - CONFIDENCE) / fit.residuals.len() as f64;
        let mut is_exact = true;
        for direction in &fit.residuals {
            let left = self.mean_at(confidence, |seed| dot(direction, &column(seed)));
            let by_chance = left.value.abs() <= left.half_width.max(self.rounding());
            if !by_chance && left.value.abs() > HIGHER_ORDERS * whole.abs() {
                return None;
            }
            is_exact &= by_chance;
        }
        let mut value = self.mean(|seed| dot(&fit.limit, &column(seed)));
        let mut bias = self.mean(|seed| self.values[given][seed] - dot(&fit.limit, &column(seed)));
        if !is_exact {
            // Terms of higher order are there: how much they matter, the two shortest steps alone tell.
            let last = self.mean(|seed| dot(&fit.limit_of_shortest, &column(seed)));
            let apart = (last.value - value.value).abs();
            for mean in [&mut value, &mut bias] {
                mean.error = mean.error.hypot(apart);
                mean.half_width = mean.half_width.hypot(2.0 * apart);
            }
        }
        Some(Limit { order, value, bias })
    }
}

/// The fit of `a + b f^p` by least squares: what it gives is linear in the values.
struct PowerFit {
    /// The weights of the values in `a`.
    limit: Vec<f64>,
    /// The weights in the `a` of the two smallest factors.
    limit_of_shortest: Vec<f64>,
    /// Directions of length one, each normal to all the others, along which values may differ from every such curve.
    residuals: Vec<Vec<f64>>,
}

impl PowerFit {
    fn new(factors: &[f64], order: f64) -> Self {
        let count = factors.len();
        let powers: Vec<f64> = factors.iter().map(|factor| factor.powf(order)).collect();
        let mean = powers.iter().sum::<f64>() / count as f64;
        let spread: f64 = powers.iter().map(|power| (power - mean).powi(2)).sum();
        let limit = powers.iter().map(|power| 1.0 / count as f64 - mean * (power - mean) / spread).collect();

        let mut by_size: Vec<usize> = (0..count).collect();
        by_size.sort_by(|&a, &b| factors[a].total_cmp(&factors[b]));
        let (first, second) = (by_size[0], by_size[1]);
        let mut limit_of_shortest = vec![0.0; count];
        limit_of_shortest[first] = powers[second] / (powers[second] - powers[first]);
        limit_of_shortest[second] = 1.0 - limit_of_shortest[first];

        // Gram and Schmidt: constants and the power first, then whatever is left of the unit vectors.
        let unit = |k: usize| (0..count).map(|i| f64::from(i == k)).collect();
        let candidates = [vec![1.0; count], powers].into_iter().chain((0..count).map(unit));
        let mut basis: Vec<Vec<f64>> = Vec::new();
        for mut vector in candidates {
            let length = dot(&vector, &vector).sqrt();
            for other in &basis {
                let along = dot(&vector, other);
                vector.iter_mut().zip(other).for_each(|(x, y)| *x -= along * y);
            }
            let left = dot(&vector, &vector).sqrt();
            if basis.len() < count && left > 1e-9 * length {
                basis.push(vector.iter().map(|x| x / left).collect());
            }
        }
        PowerFit { limit, limit_of_shortest, residuals: basis.split_off(2) }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// The `t` within which Student's variable with `freedoms` degrees of freedom lies with this probability.
fn student_quantile(freedoms: usize, probability: f64) -> f64 {
    let (mut below, mut above) = (0.0_f64, 1.0_f64);
    while student_within(freedoms, above) < probability {
        above *= 2.0;
    }
    for _ in 0..100 {
        let middle = 0.5 * (below + above);
        if student_within(freedoms, middle) < probability { below = middle } else { above = middle }
    }
    0.5 * (below + above)
}

/// The probability that Student's variable lies between `−t` and `t`: the finite sums for whole degrees of freedom
/// (Abramowitz and Stegun 26.7.3 and 26.7.4).
fn student_within(freedoms: usize, t: f64) -> f64 {
    let angle = (t / (freedoms as f64).sqrt()).atan();
    let (sine, cosine) = angle.sin_cos();
    let is_odd = freedoms % 2 == 1;
    let (mut term, mut sum) = if is_odd { (cosine, 0.0) } else { (1.0, 0.0) };
    let mut power = usize::from(is_odd);
    while power + 2 <= freedoms {
        sum += term;
        let k = power as f64;
        term *= cosine * cosine * (k + 1.0) / (k + 2.0);
        power += 2;
    }
    if is_odd { (angle + sine * sum) * std::f64::consts::FRAC_2_PI } else { sine * sum }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;
    use rand_pcg::Pcg64;

    const FACTORS: [f64; 3] = [1.0, 0.5, 0.25];

    /// Values `7 + scatter of the seed + b f^p + noise`, both drawn evenly.
    fn synthetic(factors: &[f64], seeds: usize, slope: f64, order: f64, noise: f64, seed: u128) -> Samples {
        let mut random = Pcg64::new(seed, 11);
        let mut even = |width: f64| width * (2.0 * random.random::<f64>() - 1.0);
        let offsets: Vec<f64> = (0..seeds).map(|_| even(0.5)).collect();
        let value = |factor: f64, offset: f64, noise: f64| 7.0 + offset + slope * factor.powf(order) + noise;
        let values =
            factors.iter().map(|&factor| offsets.iter().map(|&o| value(factor, o, even(noise))).collect()).collect();
        Samples { factors: factors.to_vec(), values, is_random: true }
    }

    #[test]
    fn numbers_have_the_digits_that_their_errors_leave() {
        let plain = |value, error| with_error(value, error, false);
        assert_eq!(plain(0.543_21, 0.001_62), "0.5432 ± 0.0016");
        assert_eq!(plain(1.3e-9, 2.1e-10), "(1.30 ± 0.21)e-9");
        assert_eq!(plain(1.3e-9, 0.0), "1.300e-9");
        assert_eq!(plain(2281.25, 0.0), "2281");
        assert_eq!(plain(2281.25, 13.2), "2281 ± 13");
        assert_eq!(plain(0.0, 0.0), "0");
        assert_eq!(plain(0.543, f64::NAN), "0.5430");
        assert_eq!(plain(0.01, 3.2), "0.0 ± 3.2");
        assert_eq!(with_error(-1.42, 0.38, true), "-1.42 ± 0.38");
        assert_eq!(with_error(1.42, 0.38, true), "+1.42 ± 0.38");
    }

    #[test]
    fn verdicts_are_said_in_words() {
        let samples = |values: [[f64; 3]; 2]| Samples {
            factors: vec![1.0, 0.25],
            values: values.map(Vec::from).to_vec(),
            is_random: true,
        };
        let words = |values, goal| samples(values).dependence(goal, &ORDERS).words("time step", 3);
        let shifted = [[10.0, 11.0, 12.0], [10.5, 11.5, 12.6]];
        assert_eq!(words(shifted, 0.01), "depends on the time step by +4.85 ± 0.30 %");
        assert_eq!(words(shifted, 0.1), "resolved");
        let scattered = [[10.0, 11.0, 12.0], [10.5, 10.9, 12.6]];
        assert_eq!(words(scattered, 0.05), "time step not resolved by 3 seeds, about 24 would be needed");
    }

    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (freedoms, probability, expected) in [
            (1, 0.95, 12.706_204_736),
            (2, 0.95, 4.302_652_730),
            (3, 0.95, 3.182_446_305),
            (4, 0.99, 4.604_094_871),
            (7, 0.95, 2.364_624_252),
            (30, 0.95, 2.042_272_456),
            (2, 0.5, 0.816_496_581),
        ] {
            let found = student_quantile(freedoms, probability);
            assert!((found / expected - 1.0).abs() < 1e-9, "{freedoms} {probability}: {found}");
        }
    }

    #[test]
    fn a_change_has_the_error_of_the_pairs_and_not_that_of_the_seeds() {
        // Three seeds that are far apart, with changes of 1, 2 and 3.
        let samples = Samples {
            factors: vec![1.0, 0.5],
            values: vec![vec![10.0, 20.0, 30.0], vec![11.0, 22.0, 33.0]],
            is_random: true,
        };
        let found = samples.dependence(0.01, &ORDERS);
        assert_eq!((found.reference.value, found.change.value), (20.0, 2.0));
        assert!((found.change.error - (1.0_f64 / 3.0).sqrt()).abs() < 1e-15);
        assert!((found.change.half_width / found.change.error - 4.302_652_730).abs() < 1e-8);
        assert!((found.reference.error - (100.0_f64 / 3.0).sqrt()).abs() < 1e-14);
        assert_eq!(found.limit, Err(NoLimit::TooFewFactors));
        // 2 ± 2.48 may be nothing, and may be much.
        assert_eq!(found.verdict, Verdict::NotResolved { needed: 5.0 });
        assert_eq!(samples.dependence(0.25, &ORDERS).verdict, Verdict::Resolved);
    }

    #[test]
    fn the_order_and_the_limit_are_given_back_and_other_orders_are_refused() {
        for order in ORDERS {
            let samples = synthetic(&FACTORS, 6, -2.0, order, 1e-3, 3);
            let found = samples.dependence(0.01, &ORDERS);
            assert_eq!(found.verdict, Verdict::Depends);
            let limit = found.limit.unwrap();
            assert_eq!(limit.order, order);
            assert!((limit.bias.value + 2.0).abs() < limit.bias.half_width, "{order}: {limit:?}");
            assert!(limit.bias.error < 2e-2 && limit.value.error > 0.05, "{order}: {limit:?}");
            for wrong in ORDERS.into_iter().filter(|&other| other != order) {
                assert_eq!(samples.dependence(0.01, &[wrong]).limit, Err(NoLimit::NoOrderFits(vec![wrong])));
            }
        }
    }

    #[test]
    fn noise_that_hides_the_order_leaves_several_and_noise_that_hides_the_change_leaves_none() {
        let samples = synthetic(&FACTORS, 6, -2.0, 1.0, 0.2, 5);
        let found = samples.dependence(0.01, &ORDERS);
        assert_eq!(found.verdict, Verdict::Depends);
        let Err(NoLimit::SeveralOrdersFit(limits)) = found.limit else { panic!("{:?}", found.limit) };
        assert!(limits.iter().any(|limit| limit.order == 1.0) && limits.len() > 1);
        // Whoever knows the order gets the limit.
        let known = samples.dependence(0.01, &[1.0]).limit.unwrap();
        assert!((known.bias.value + 2.0).abs() < known.bias.half_width);

        let hidden = synthetic(&FACTORS, 6, -0.02, 1.0, 0.2, 5).dependence(0.01, &ORDERS);
        assert_eq!(hidden.limit, Err(NoLimit::WithinScatter));
        assert!(matches!(hidden.verdict, Verdict::NotResolved { .. }));
    }

    #[test]
    fn verdicts_are_wrong_as_rarely_as_they_say() {
        let (mut depends, mut covered, trials) = (0, 0, 2000);
        for trial in 0..trials {
            let still = synthetic(&FACTORS, 4, 0.0, 1.0, 0.1, 1000 + trial).dependence(1e-6, &ORDERS);
            depends += u32::from(still.verdict == Verdict::Depends);
            let moving = synthetic(&FACTORS, 4, -2.0, 1.0, 0.1, 9000 + trial).dependence(1e-6, &[1.0]);
            // An order that is right is refused by chance in one of twenty; its limit is judged where it is given.
            covered +=
                u32::from(moving.limit.is_ok_and(|limit| (limit.bias.value + 2.0).abs() < limit.bias.half_width));
        }
        // One in twenty, with the scatter of two thousand trials; differences of even noise are nearly normal.
        let wrong = f64::from(depends) / trials as f64;
        assert!((0.03..0.07).contains(&wrong), "{wrong}");
        let covered = f64::from(covered) / trials as f64;
        assert!((0.87..0.96).contains(&covered), "{covered}");
    }

    #[test]
    fn four_steps_refuse_what_is_no_power_at_all() {
        let factors = [1.0, 0.5, 0.25, 0.125];
        let mut samples = synthetic(&factors, 5, -2.0, 1.0, 1e-3, 7);
        assert_eq!(samples.dependence(0.01, &ORDERS).limit.unwrap().order, 1.0);
        samples.values[2].iter_mut().for_each(|value| *value += 0.3);
        assert_eq!(samples.dependence(0.01, &ORDERS).limit, Err(NoLimit::NoOrderFits(ORDERS.to_vec())));
    }

    #[test]
    fn without_chance_one_seed_tells_all_and_terms_of_higher_order_are_in_the_error() {
        let exact = |curve: fn(f64) -> f64| Samples {
            factors: FACTORS.to_vec(),
            values: FACTORS.iter().map(|&factor| vec![curve(factor)]).collect(),
            is_random: false,
        };
        let line = exact(|f| 3.0 + 0.5 * f).dependence(0.01, &ORDERS);
        let limit = line.limit.unwrap();
        assert_eq!((line.verdict, limit.order), (Verdict::Depends, 1.0));
        assert!((limit.value.value - 3.0).abs() < 1e-14 && limit.value.error == 0.0, "{limit:?}");
        let bent = exact(|f| 3.0 + 0.5 * f + 0.02 * f * f).dependence(0.01, &ORDERS).limit.unwrap();
        assert!((bent.value.value - 3.0).abs() < bent.value.half_width && bent.value.error < 0.01, "{bent:?}");
        let twisted = exact(|f| 3.0 + 0.5 * f + 0.2 * f * f).dependence(0.01, &ORDERS).limit;
        assert_eq!(twisted, Err(NoLimit::NoOrderFits(ORDERS.to_vec())));
        let still = exact(|_| 3.0).dependence(0.01, &ORDERS);
        assert_eq!((still.verdict, still.limit), (Verdict::Resolved, Err(NoLimit::NoChange)));

        let mut one_seed = exact(|f| 3.0 + 0.5 * f);
        one_seed.is_random = true;
        let found = one_seed.dependence(0.01, &ORDERS);
        assert_eq!((found.verdict, found.limit), (Verdict::OneSeed, Err(NoLimit::OneSeed)));
    }
}
