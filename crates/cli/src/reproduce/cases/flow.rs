//! The effort of each step in a flow (P0, figure 11).

use crate::failure::Failure;
use crate::reproduce::bench::Bench;
use crate::reproduce::case::{Case, Cost, Findings};
use crate::reproduce::row::{measured, short};
use riprap_measure::plot::{Axis, Chart, Curve, Reference, Style};

/// Iterations follow events.
pub const EVENTS: Case = Case {
    name: "shear-iterations",
    title: "Iterations per step of a shear flow, and the activity in the step",
    source: "F. Radjai, V. Richefeu 2009 (P0), fig. 11 and section 6",
    about: "Disks are sheared slowly between two walls. Every step starts from the forces of the previous one and ends \
            when no force above a hundredth of the mean changes by more than 1 % in a sweep, after at least 50 and at \
            most 3000 sweeps. The activity in a step is the mean change of a grain's momentum, divided by that due to \
            the mean contact force; the correlation is Spearman's rank correlation.",
    cost: Cost { quick_s: 35.0, full_s: 130.0 },
    run,
};

fn run(bench: &mut Bench) -> Result<Findings, Failure> {
    let steps = bench.choose("900", "4000");
    let run = bench.run("shear", include_str!("../scenes/shear_flow.toml"), &[("stages.1.end.steps", steps)])?;
    let series = run.series()?.of("shear");
    // The first steps accelerate the grains; they are no steady flow.
    let skip = 300;
    let of = |name: &str| series.column(name).into_iter().skip(skip).collect::<Vec<f64>>();
    let (sweeps, activity) = (of("sweeps"), of("unbalanced_force_over_contact_force"));
    let mut findings = Findings::default();
    let row = measured("correlation of iterations and activity", rank_correlation(&sweeps, &activity))
        .published("correlated with dynamic events")
        .at_least(0.3, "a correlation visible in a figure; a thousand unrelated steps would give less than 0.1");
    // Half of the run later, another event goes on.
    let mut other = activity.clone();
    other.rotate_left(activity.len() / 2);
    let row = row.null("the activity of half the run later", rank_correlation(&sweeps, &other));
    findings.row(row.claim("P0 §6: \"the number of iterations is correlated with dynamic events\""));
    let (most, fewest) =
        (sweeps.iter().copied().fold(0.0, f64::max), sweeps.iter().copied().fold(f64::INFINITY, f64::min));
    let row = measured("most over fewest iterations of a step", most / fewest);
    let row = row
        .published("varies considerably")
        .at_least(3.0, "an event takes several times as many as the steps between events");
    findings.row(row.consistency().claim("P0 fig. 11; nearly guaranteed by the limits of 50 and 3000 iterations"));
    let points = sweeps.iter().enumerate().map(|(step, &sweeps)| [(step + skip) as f64, sweeps]).collect();
    let limit = |value: f64, label: &str| Reference { horizontal: true, value, tolerance: 0.0, label: label.into() };
    findings.chart(
        "iterations",
        "Iterations of each step of the shear flow.",
        &Chart::new("", Axis::linear("step"), Axis::log("iterations"))
            .with(Curve::new(Style::Line, points))
            .with_reference(limit(50.0, "least allowed"))
            .with_reference(limit(3000.0, "most allowed")),
    );
    let pairs = activity.iter().zip(&sweeps).map(|(&activity, &sweeps)| [activity, sweeps]).collect();
    findings.chart(
        "events",
        "Iterations of a step against what happens in it.",
        &Chart::new("", Axis::log("change of momentum over that due to the mean force"), Axis::log("iterations"))
            .with(Curve::new(Style::Points, pairs)),
    );
    let mean = sweeps.iter().sum::<f64>() / sweeps.len() as f64;
    findings.remark(format!("{} iterations per step on average; {}.", short(mean), run.effort()));
    Ok(findings)
}

/// Spearman's correlation: that of the ranks.
fn rank_correlation(a: &[f64], b: &[f64]) -> f64 {
    let (a, b) = (ranks(a), ranks(b));
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (mean_a, mean_b) = (mean(&a), mean(&b));
    let product =
        |x: &[f64], mx: f64, y: &[f64], my: f64| x.iter().zip(y).map(|(x, y)| (x - mx) * (y - my)).sum::<f64>();
    product(&a, mean_a, &b, mean_b) / (product(&a, mean_a, &a, mean_a) * product(&b, mean_b, &b, mean_b)).sqrt()
}

/// The rank of each value; equal values have the mean of their ranks.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&i, &j| values[i].total_cmp(&values[j]));
    let mut ranks = vec![0.0; values.len()];
    let mut start = 0;
    for group in order.chunk_by(|&i, &j| values[i] == values[j]) {
        let rank = start as f64 + 0.5 * (group.len() - 1) as f64;
        group.iter().for_each(|&i| ranks[i] = rank);
        start += group.len();
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_correlate_whatever_the_scale() {
        let a = [1.0, 2.0, 3.0, 4.0, 5.0];
        assert!((rank_correlation(&a, &a.map(f64::exp)) - 1.0).abs() < 1e-12);
        assert!((rank_correlation(&a, &a.map(|x| -x)) + 1.0).abs() < 1e-12);
        assert_eq!(ranks(&[2.0, 1.0, 2.0]), [1.5, 0.0, 1.5]);
    }
}
