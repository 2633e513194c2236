//! Silos: how fast they empty, and what their floor carries.

use crate::failure::Failure;
use crate::reproduce::bench::{Bench, Run, packing};
use crate::reproduce::case::{Case, Cost, Findings};
use crate::reproduce::row::{measured, short};
use riprap_measure::fit;
use riprap_measure::plot::{Axis, Chart, Curve, Style};

/// Disks through a hole.
pub const DISCHARGE_DISKS: Case = Case {
    name: "discharge-disks",
    title: "Discharge of disks through a hole in a flat floor",
    source: "W. A. Beverloo, H. A. Leniger, J. van de Velde 1961, Chem. Eng. Sci. 15, 260; in 2D C. Mankoc, A. Janda, R. Arévalo, \
             J. M. Pastor, I. Zuriguel, A. Garcimartín, D. Maza 2007, Granul. Matter 9, 407: Q ∝ (D − kd)^{3/2}, k between 1 and 2",
    about: "Disks settle in a silo 24 diameters wide; a door in its floor opens, and the flow rate is measured from \
            when a twentieth of the disks have passed until half of them have. Q^{2/3} is linear in D and vanishes at \
            kd; the exponent is that of Q against D − kd with k = 1.4.",
    cost: Cost { quick_s: 12.0, full_s: 650.0 },
    run: disks,
};

/// Spheres through a hole.
pub const DISCHARGE_SPHERES: Case = Case {
    name: "discharge-spheres",
    title: "Discharge of spheres through a hole in a flat floor",
    source: "W. A. Beverloo, H. A. Leniger, J. van de Velde 1961, Chem. Eng. Sci. 15, 260, eq. (4): Q ∝ (D − kd)^{5/2}, k ≈ 1.4",
    about: "As discharge-disks, in a periodic layer 14 diameters wide with a square hole; its side is the D of \
            Beverloo's law.",
    cost: Cost { quick_s: 36.0, full_s: 500.0 },
    run: spheres,
};

/// What the floor of a silo carries.
pub const JANSSEN: Case = Case {
    name: "janssen",
    title: "The weight on the floor of a silo saturates",
    source: "H. A. Janssen 1895, Z. Ver. Dtsch. Ing. 39, 1045: M = M∞ (1 − exp(−M₀/M∞)); in this form L. Vanel, E. Clément 1999, Eur. \
             Phys. J. B 11, 525, fig. 3",
    about: "Disks settle in a silo 10 diameters wide, with a friction of 0.5 at the walls. The floor then moves down \
            slowly, so that wall friction acts upwards everywhere. The force on the floor is averaged over the second \
            half of its displacement and over several fillings.",
    cost: Cost { quick_s: 35.0, full_s: 160.0 },
    run: janssen,
};

/// Beverloo's `k`.
const EMPTY: f64 = 1.4;

/// Grains per time that pass the floor, between a twentieth and a half of them.
fn rate(run: &Run, up: usize) -> Result<f64, Failure> {
    let mut passed = Vec::new();
    let mut count = 0;
    for snapshot in run.snapshots()? {
        let packing = packing(&snapshot)?;
        count = packing.grains.len();
        passed.push([packing.time, packing.grains.iter().filter(|grain| grain.position[up] < 0.0).count() as f64]);
    }
    let range = [0.05, 0.5].map(|part| part * count as f64);
    let points: Vec<[f64; 2]> = passed.into_iter().filter(|[_, n]| (range[0]..=range[1]).contains(n)).collect();
    Ok(fit::line(&points)?.slope.value)
}

/// The rows of a law `Q ∝ (D − kd)^exponent`.
fn judge(findings: &mut Findings, points: &[[f64; 2]], exponent: f64, tolerance: f64) -> Result<(), Failure> {
    let slope = |empty: f64| {
        let logs: Vec<[f64; 2]> = points.iter().map(|[d, q]| [(d - empty).ln(), q.ln()]).collect();
        fit::line(&logs).map(|line| line.slope)
    };
    let row = measured("exponent of D − 1.4 d", slope(EMPTY)?).published(exponent);
    let row = row.within(tolerance, "the exponent changes by about this much for k between 1 and 2");
    let row = row.null("a flow through all of the hole, k = 0", slope(0.0)?.value);
    findings.row(row.claim(format!("Q ∝ (D − kd)^{exponent}")));
    let straight: Vec<[f64; 2]> = points.iter().map(|[d, q]| [*d, q.powf(1.0 / exponent)]).collect();
    let line = fit::line(&straight)?;
    let empty = -line.intercept.value / line.slope.value;
    let proportional = fit::line(points)?;
    let null = -proportional.intercept.value / proportional.slope.value;
    let row = measured("k", empty).published(EMPTY).between(1.0, 2.0, "published values lie between 1 and 2");
    let row = row.revised("the range, from 0.5 to 2.5");
    findings.row(row.claim("k between 1 and 2").null("a rate that is linear in D", null));
    let largest = straight.iter().map(|[_, y]| *y).fold(0.0, f64::max);
    let scatter = straight.iter().map(|[d, y]| (y - line.intercept.value - line.slope.value * d).powi(2)).sum::<f64>();
    let row = measured(
        "scatter of Q^{1/n} about the line, over its largest value",
        (scatter / straight.len() as f64).sqrt() / largest,
    );
    let row =
        row.published("a straight line").at_most(0.03, "counts of a few hundred grains are accurate to a few per cent");
    findings.row(row.consistency());
    let drawn = [empty, points.iter().map(|[d, _]| *d).fold(0.0, f64::max)];
    let through = drawn.map(|d| [d, line.intercept.value + line.slope.value * d]).to_vec();
    findings.chart(
        "discharge",
        "The discharge rate, to the power that makes it linear, against the width of the hole.",
        &Chart::new("", Axis::linear("D/d"), Axis::linear(format!("Q^{{1/{exponent}}}")))
            .with(Curve::new(Style::Points, straight).named("ours"))
            .with(Curve::new(Style::Line, through).named("line through them")),
    );
    Ok(())
}

fn disks(bench: &mut Bench) -> Result<Findings, Failure> {
    let count = bench.choose(800, 4000);
    let filled = f64::from(count) * 0.8 / (24.0 * 0.5) + 2.0;
    let mut findings = Findings::default();
    let mut points = Vec::new();
    for width in bench.choose(vec![5.0, 6.5, 8.0, 10.0], vec![5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 12.0]) {
        let half = 0.5 * width;
        // About 1.3 (D/d − k)^{3/2} grains pass in √(d/g); a little longer than half of them need.
        let time = 0.6 * f64::from(count) / (1.3 * f64::powf(width - EMPTY, 1.5)) + 5.0;
        let changes = [
            ("grains.0.count", count.to_string()),
            ("grains.0.region", format!("{{ box = {{ lower = [-12, 0], upper = [12, {filled:.2}] }} }}")),
            ("walls.2.corners", format!("[[-40, 0], [-{half}, 0]]")),
            ("walls.3.corners", format!("[[{half}, 0], [40, 0]]")),
            ("walls.4.corners", format!("[[-{half}, 0], [{half}, 0]]")),
            ("stages.1.end.time", format!("{time:.1}")),
            ("outputs.snapshot_interval", format!("{:.2}", time / 40.0)),
        ];
        let run = bench.run(&format!("D-{width}"), include_str!("../scenes/discharge.toml"), &changes)?;
        let rate = rate(&run, 1)?;
        findings.remark(format!("D = {width}: {} grains per √(d/g); {}.", short(rate), run.effort()));
        points.push([width, rate]);
    }
    judge(&mut findings, &points, 1.5, 0.15)?;
    Ok(findings)
}

fn spheres(bench: &mut Bench) -> Result<Findings, Failure> {
    let count = bench.choose(1500, 4000);
    let filled = f64::from(count) * 0.53 / (14.0 * 14.0 * 0.33) + 2.0;
    let mut findings = Findings::default();
    let mut points = Vec::new();
    for width in bench.choose(vec![5.0, 6.5, 8.0], vec![4.5, 5.5, 6.5, 7.5, 8.5]) {
        let half = 0.5 * width;
        let (far, near) = (0.5 * (7.0 + half), 0.5 * (7.0 - half));
        let time = f64::from(count) / (1.1 * f64::powf(width - EMPTY, 2.5)) + 4.0;
        let long = |axis: usize| {
            if axis == 0 {
                format!("[[{near}, 0, 0], [0, {far}, 0]]")
            } else {
                format!("[[{far}, 0, 0], [0, {near}, 0]]")
            }
        };
        let changes = [
            ("grains.0.count", count.to_string()),
            ("grains.0.region", format!("{{ box = {{ lower = [-7, -7, 0], upper = [7, 7, {filled:.2}] }} }}")),
            ("walls.0.centre", format!("[{far}, {near}, 0]")),
            ("walls.0.half_edges", long(0)),
            ("walls.1.centre", format!("[-{near}, {far}, 0]")),
            ("walls.1.half_edges", long(1)),
            ("walls.2.centre", format!("[-{far}, -{near}, 0]")),
            ("walls.2.half_edges", long(0)),
            ("walls.3.centre", format!("[{near}, -{far}, 0]")),
            ("walls.3.half_edges", long(1)),
            ("walls.4.half_edges", format!("[[{half}, 0, 0], [0, {half}, 0]]")),
            ("stages.1.end.time", format!("{time:.1}")),
            ("outputs.snapshot_interval", format!("{:.3}", time / 40.0)),
        ];
        let run = bench.run(&format!("D-{width}"), include_str!("../scenes/discharge_spheres.toml"), &changes)?;
        let rate = rate(&run, 2)?;
        findings.remark(format!("D = {width}: {} grains per √(d/g); {}.", short(rate), run.effort()));
        points.push([width, rate]);
    }
    judge(&mut findings, &points, 2.5, 0.5)?;
    Ok(findings)
}

fn janssen(bench: &mut Bench) -> Result<Findings, Failure> {
    let mut findings = Findings::default();
    let mut points: Vec<[f64; 2]> = Vec::new();
    let fillings = bench.choose(2, 5);
    for count in bench.choose(vec![80, 160, 320, 500], vec![100, 200, 300, 400, 600, 800]) {
        let filled = f64::from(count) * 0.8 / (10.0 * 0.5) + 2.0;
        let (mut weight, mut forces) = (0.0, Vec::new());
        for seed in 1..=fillings {
            let changes = [
                ("seed", seed.to_string()),
                ("grains.0.count", count.to_string()),
                ("grains.0.region", format!("{{ box = {{ lower = [0, 0], upper = [10, {filled:.2}] }} }}")),
            ];
            let run = bench.run(&format!("N-{count}-{seed}"), include_str!("../scenes/silo.toml"), &changes)?;
            weight += run.last()?.grains.iter().map(|grain| grain.mass).sum::<f64>() / f64::from(fillings);
            forces.push(late_force_on_the_floor(&run)?);
            findings.remark(format!(
                "{count} grains, filling {seed}: {} on the floor; {}.",
                short(forces[forces.len() - 1]),
                run.effort()
            ));
        }
        points.push([weight, forces.iter().sum::<f64>() / forces.len() as f64]);
    }
    findings.remark(
        "A first quick run with one filling for each height, up to 800 grains, was off by 0.133; averaging over \
         fillings and the lower heights were introduced afterwards, the ranges were not changed.",
    );
    let law = |most: f64, weight: f64| most * (1.0 - (-weight / most).exp());
    let misfit =
        |most: f64| points.iter().map(|[weight, force]| (force / law(most, *weight) - 1.0).powi(2)).sum::<f64>();
    // The best M∞, by steps of a hundredth over all that it could be.
    let largest = points.iter().map(|[weight, _]| *weight).fold(0.0, f64::max);
    let candidates = (0..700).map(|step| 0.01 * largest * 1.01_f64.powi(step));
    let most = candidates.min_by(|a, b| misfit(*a).total_cmp(&misfit(*b))).unwrap_or(f64::NAN);
    let row = measured("deviation from Janssen's law, root mean square", (misfit(most) / points.len() as f64).sqrt());
    let row = row.published("his law, by its one parameter");
    let row = row.at_most(0.12, "experiments scatter by about a tenth from filling to filling");
    let row = row.revised("heights and fillings of the quick size; one filling of up to 800 grains gave 0.133");
    // The part of the weight that fits best if it is the same for all.
    let shares: Vec<f64> = points.iter().map(|[weight, force]| force / weight).collect();
    let share = shares.iter().sum::<f64>() / shares.len() as f64;
    let off = shares.iter().map(|part| (part / share - 1.0).powi(2)).sum::<f64>() / shares.len() as f64;
    let row = row.null("a fixed part of the weight", off.sqrt());
    findings.row(row.claim("M = M∞ (1 − exp(−M₀/M∞))"));
    if let [.., [half_weight, half], [weight, last]] = points[..] {
        let row = measured(
            format!(
                "fraction of the weight between {} and {} that reaches the floor",
                short(half_weight),
                short(weight)
            ),
            (last - half) / (weight - half_weight),
        );
        let row = row.published("saturates").at_most(0.3, "weight added at the top is carried by the walls");
        let row = row.revised(
            "the quantity, which was a ratio of forces below 1.25; with 1.34 times the weight that is nearly \
             guaranteed",
        );
        findings.row(row.null("walls without friction", 1.0));
        let row =
            measured("fraction of the largest weight that reaches the floor", last / weight).published("saturates");
        findings.row(row.at_most(0.5, "the walls carry most of it").null("walls without friction", 1.0));
    }
    let drawn =
        (1..=60).map(|step| largest * f64::from(step) / 60.0).map(|weight| [weight, law(most, weight)]).collect();
    findings.chart(
        "floor",
        "Force on the floor against the weight of the grains.",
        &Chart::new("", Axis::linear("weight"), Axis::linear("force on the floor"))
            .with(Curve::new(Style::Points, points.clone()).named("ours"))
            .with(Curve::new(Style::Line, drawn).named("Janssen")),
    );
    Ok(findings)
}

/// The mean force on the floor over the last half of the 40 units of time for which it goes down.
fn late_force_on_the_floor(run: &Run) -> Result<f64, Failure> {
    let floor = run.wall("floor")?;
    let (time, force) = (floor.column("time_s"), floor.column("force_y_N"));
    let end = time.last().copied().unwrap_or(0.0);
    let late = time.iter().zip(&force).filter(|(time, _)| **time > end - 20.0);
    let late: Vec<f64> = late.map(|(_, force)| -force).collect();
    Ok(late.iter().sum::<f64>() / late.len().max(1) as f64)
}
