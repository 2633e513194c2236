//! The collapse of columns: how far they run out.

use crate::failure::Failure;
use crate::reproduce::bench::Bench;
use crate::reproduce::case::{Case, Cost, Findings};
use crate::reproduce::row::{Estimate, measured, short};
use riprap_measure::picture::Picture;
use riprap_measure::plot::{Axis, Chart, Curve, Style};
use riprap_measure::{Packing, fit};

/// Columns of several aspect ratios.
pub const COLUMN: Case = Case {
    name: "column-collapse",
    title: "Run-out of columns of disks against their aspect ratio",
    source: "L. Staron, E. J. Hinch 2005, J. Fluid Mech. 545, 1–27, eq. (3.2): (R∞ − R₀)/R₀ ≈ 2.5 a for a ≲ 2 and 3.25 a^0.7 above",
    about: "A column of disks stands on a plane between two gates; the gates are removed instantly, and the column \
            collapses to both sides. Friction is 1 and restitution 0.5, as published. The deposit ends at the first \
            gap of more than a diameter, so that single disks that roll away do not count; the run-out is the mean of \
            both sides. The aspect ratio a is that of the settled column, height divided by half the width.",
    cost: Cost { quick_s: 35.0, full_s: 500.0 },
    run,
};

const COLUMN_SCENE: &str = include_str!("../scenes/collapse.toml");
/// Area of a disk with a radius between 0.4 and 0.5, on average.
const DISK: f64 = 0.6388;

fn run(bench: &mut Bench) -> Result<Findings, Failure> {
    let count = bench.choose(700, 3000);
    let mut findings = Findings::default();
    let mut points = Vec::new();
    for aspect in bench.choose(vec![0.7, 1.4, 2.5, 5.0, 10.0], vec![0.5, 0.8, 1.2, 1.6, 2.5, 4.0, 7.0, 12.0, 20.0]) {
        let half = (f64::from(count) * DISK / (0.82 * 2.0 * aspect)).sqrt();
        let filled = f64::from(count) * DISK / (2.0 * half * 0.5) + 2.0;
        let height = aspect * half;
        let gate = |x: f64| format!("[[{x:.3}, 0], [{x:.3}, {:.3}]]", 2.0 * filled);
        let changes = [
            ("grains.0.count", count.to_string()),
            ("grains.0.region", format!("{{ box = {{ lower = [-{half:.3}, 0], upper = [{half:.3}, {filled:.3}] }} }}")),
            ("walls.1.corners", gate(-half)),
            ("walls.2.corners", gate(half)),
            // The fall and the spreading take a few times √(2H/g).
            ("stages.1.end.time", format!("{:.2}", 6.0 * height.sqrt() + 15.0)),
        ];
        let run = bench.run(&format!("a-{aspect}"), COLUMN_SCENE, &changes)?;
        let (settled, end) = (run.at_end_of("settle")?, run.last()?);
        let a = top(&settled) / half;
        let run_out = (edges(&end) / half) - 1.0;
        points.push([a, run_out]);
        findings.remark(format!("a = {}: run-out {}; {}.", short(a), short(run_out), run.effort()));
        if (2.5..4.5).contains(&aspect) {
            let picture = Picture { width: 480.0, ..Picture::new(2) };
            findings.picture(
                "deposit",
                format!("Deposit of the column with a = {}.", short(a)),
                &picture.draw(&end, None)?,
            );
        }
    }
    findings.remark(
        "A first quick run with 400 disks gave an exponent of 0.83 ± 0.16 from three columns; the quick size was \
         increased afterwards, the ranges were not changed.",
    );
    let low: Vec<f64> = points.iter().filter(|[a, _]| *a < 2.0).map(|[a, out]| out / a).collect();
    let row = measured("run-out over a, below 2", Estimate::mean(&low)).published(2.5);
    let row = row.within(0.5, "the published points scatter about the line by a fifth");
    let row = row.revised("the quick size, from 400 disks to 700");
    let tall: Vec<f64> = points.iter().filter(|[a, _]| *a > 4.0).map(|[a, out]| out / a).collect();
    findings.row(row.claim("(3.2): 2.5 a for a ≲ 2").null("columns above 4", Estimate::mean(&tall).value));
    let logs: Vec<[f64; 2]> = points.iter().filter(|[a, _]| *a > 2.0).map(|p| p.map(f64::ln)).collect();
    let row = measured("exponent of a, above 2", fit::line(&logs)?.slope).published(0.7);
    let row = row.within(0.1, "as wide as the range of exponents in the literature");
    let row = row.revised("the quick size, from 400 disks (three columns gave 0.83 ± 0.16) to 700");
    let short: Vec<[f64; 2]> = points.iter().filter(|[a, _]| *a < 2.0).map(|p| p.map(f64::ln)).collect();
    let null = fit::line(&short)?.slope.value;
    findings.row(row.claim("(3.2): 3.25 a^0.7 above").null("columns below 2", null));
    let (below, above) = ([0.5, 2.0].map(|a| [a, 2.5 * a]), [2.0, 20.0_f64].map(|a| [a, 3.25 * a.powf(0.7)]));
    findings.chart(
        "run_out",
        "Run-out against the aspect ratio.",
        &Chart::new("", Axis::log("a"), Axis::log("(R∞ − R₀)/R₀"))
            .with(Curve::new(Style::Points, points).named("ours"))
            .with(Curve::new(Style::Line, below.to_vec()).named("2.5 a"))
            .with(Curve::new(Style::Line, above.to_vec()).named("3.25 a^{0.7}")),
    );
    Ok(findings)
}

/// The height that all but two per cent of the grains are below.
fn top(packing: &Packing) -> f64 {
    let mut heights: Vec<f64> = packing.grains.iter().map(|grain| grain.position[1] + grain.radius).collect();
    heights.sort_by(f64::total_cmp);
    heights[(heights.len() * 98 / 100).min(heights.len() - 1)]
}

/// How far the deposit reaches from the middle, on average of both sides.
fn edges(packing: &Packing) -> f64 {
    let diameter = 2.0 * packing.mean_radius();
    let side = |sign: f64| {
        let mut places: Vec<f64> =
            packing.grains.iter().map(|grain| sign * grain.position[0]).filter(|x| *x >= 0.0).collect();
        places.sort_by(f64::total_cmp);
        let mut edge = 0.0;
        for x in places {
            // From centre to centre of neighbours that are a diameter apart there are two.
            if x - edge > 2.0 * diameter {
                break;
            }
            edge = x;
        }
        edge + 0.5 * diameter
    };
    0.5 * (side(1.0) + side(-1.0))
}
