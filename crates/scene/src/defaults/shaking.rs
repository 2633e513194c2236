//! What an imposed acceleration or displacement brings: the speeds that it leads to, and the drift of its base line.

use super::time_step::all_drivers;
use crate::model::*;
use crate::vector::AXIS_NAMES;
use riprap_engine::TimeFunction;

/// How many times speeds are looked at, besides those of a table.
const LOOKS: u32 = 1000;

/// The largest speed that an acceleration from rest reaches in a time.
pub(super) fn speed_of_acceleration(acceleration: &TimeFunction, duration: f64) -> f64 {
    let even = (1..=LOOKS).map(|i| duration * f64::from(i) / f64::from(LOOKS));
    let rows = rows(acceleration).iter().map(|&(time, _)| time).filter(|&time| time <= duration);
    even.chain(rows).map(|time| acceleration.integral(0.0, time.max(0.0)).abs()).fold(0.0, f64::max)
}

/// The largest speed of a displacement.
pub(super) fn speed_of_displacement(displacement: &TimeFunction) -> f64 {
    match displacement {
        TimeFunction::Constant(_) => 0.0,
        TimeFunction::Ramp { from, to, start, end } => ((to - from) / (end - start)).abs(),
        TimeFunction::Sine { amplitude, frequency, .. } => (std::f64::consts::TAU * frequency * amplitude).abs(),
        TimeFunction::Table(rows) => rows.windows(2).map(slope).fold(0.0, |most, slope| f64::max(most, slope.abs())),
        TimeFunction::Sum(parts) => parts.iter().map(speed_of_displacement).sum(),
    }
}

fn slope(ends: &[(f64, f64)]) -> f64 {
    (ends[1].1 - ends[0].1) / (ends[1].0 - ends[0].0)
}

/// The time for which the stages go on, as far as it is known; long enough for every record.
pub(super) fn duration(model: &Model) -> f64 {
    let stages: f64 = model.stages.iter().filter_map(|stage| stage.end.time).sum();
    let records = accelerations(model).filter_map(|(acceleration, _)| rows(acceleration).last()).map(|row| row.0);
    records.fold(stages, f64::max)
}

/// The usual interval between the rows of accelerations that are tables; none if there is no table.
pub(super) fn interval(model: &Model) -> Option<f64> {
    let ground = model.gravity.ground.iter().chain(model.stages.iter().filter_map(|stage| stage.ground.as_ref()));
    let functions = accelerations(model).map(|(function, _)| function).chain(ground.flatten());
    let usual = |function: &TimeFunction| {
        let mut intervals: Vec<f64> = rows(function).windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
        intervals.sort_by(f64::total_cmp);
        intervals.get(intervals.len() / 2).copied()
    };
    functions.filter_map(usual).min_by(f64::total_cmp)
}

/// Where walls are, and how fast, when the records of their accelerations end, one line each.
pub(super) fn drift_in_words(model: &Model) -> Vec<String> {
    accelerations(model).filter_map(|(acceleration, what)| drift(acceleration, &what)).collect()
}

fn drift(acceleration: &TimeFunction, what: &str) -> Option<String> {
    let rows = rows(acceleration);
    let &(end, last) = rows.last().filter(|_| rows.len() > 1)?;
    let velocity = acceleration.integral(0.0, end);
    let mut words = format!(
        "the record of the acceleration of {what} ends at {end:.4} s with a velocity of {velocity:.3e} m/s and a \
         displacement of {:.3e} m (the baseline is not corrected)",
        displacement(rows)
    );
    if last != 0.0 {
        words += &format!("; its last value, {last:.3e} m/s2, stays in force");
    }
    Some(words)
}

/// The displacement at the end of a record, from rest at time zero: exact for straight lines between the rows.
fn displacement(rows: &[(f64, f64)]) -> f64 {
    let first = (rows[0].0 > 0.0).then_some((0.0, rows[0].1));
    let points: Vec<(f64, f64)> = first.into_iter().chain(rows.iter().copied()).collect();
    let mut way = (0.0, 0.0);
    for ends in points.windows(2).filter(|ends| ends[0].0 >= 0.0) {
        let (dt, a, b) = (ends[1].0 - ends[0].0, ends[0].1, ends[1].1);
        way = (way.0 + dt * (way.1 + dt * (2.0 * a + b) / 6.0), way.1 + 0.5 * dt * (a + b));
    }
    way.0
}

/// The accelerations of drivers, with the wall and axis in words.
fn accelerations(model: &Model) -> impl Iterator<Item = (&TimeFunction, String)> {
    all_drivers(model).flat_map(move |driver| {
        let wall = &model.walls[driver.wall].name;
        driver.translation.iter().enumerate().filter_map(move |(axis, drive)| match drive {
            Some(Drive::Acceleration(function)) => {
                Some((function, format!("wall \"{wall}\" along {}", AXIS_NAMES[axis])))
            }
            _ => None,
        })
    })
}

/// The rows of a table.
fn rows(function: &TimeFunction) -> &[(f64, f64)] {
    match function {
        TimeFunction::Table(rows) => rows,
        _ => &[],
    }
}
