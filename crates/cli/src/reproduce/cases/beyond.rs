//! What users try first, beyond the five sources: flow down an incline, a cylindrical column, heaps, the critical state.

use crate::failure::Failure;
use crate::reproduce::bench::{Bench, Run, packing};
use crate::reproduce::case::{Case, Cost, Findings};
use crate::reproduce::cases::dry::{DRY, DRY_REST};
use crate::reproduce::cases::{reversed, template};
use crate::reproduce::row::{Estimate, measured, short};
use riprap_measure::picture::Picture;
use riprap_measure::plot::{Axis, Chart, Curve, Style};
use riprap_measure::{Packing, fit, repose};
use std::f64::consts::PI;

/// Descent down an incline.
pub const INCLINE: Case = Case {
    name: "incline-flow",
    title: "Steady flow down a rough incline: Bagnold's profile and the angle at which it stops",
    source: "L. E. Silbert, D. Ertaş, G. S. Grest, T. C. Halsey, D. Levine, S. J. Plimpton 2001, Phys. Rev. E 64, 051302 (profile, \
             density, stop); F. da Cruz, S. Emam, M. Prochnow, J.-N. Roux, F. Chevoir 2005, Phys. Rev. E 72, 021309 (μ* = 0.25 + \
             1.1 I, for a friction of 0.4 and a restitution of 0.1)",
    about: "300 disks, about 12 layers, flow down a bed of half disks, periodic along the flow. All flows start at 22°; \
            gravity is then turned to the angle that is studied. Velocities and places are those of snapshots in the second \
            half of the run. A profile v = v₀ − A (h − z)ⁿ is fitted for 20°, without the two lowest diameters and the \
            uppermost one.",
    cost: Cost { quick_s: 16.0, full_s: 120.0 },
    run: incline,
};

/// A cylindrical column.
pub const CYLINDER: Case = Case {
    name: "column-cylinder",
    title: "Run-out of cylindrical columns of spheres against their aspect ratio",
    source: "G. Lube, H. E. Huppert, R. S. J. Sparks, M. A. Hallworth 2004, J. Fluid Mech. 508, 175–199: (r∞ − r₀)/r₀ = 1.24 a for a < \
             1.7 and 1.6 a^½ above, in experiments with several grains",
    about: "Spheres with a friction of 0.5 and a rolling friction of 0.1 settle in a smooth cylinder on a plane; the \
            cylinder is then removed at once. The deposit ends at the first ring, a diameter wide, of which less than three \
            tenths are covered. The aspect ratio a is that of the settled column, height divided by radius.",
    cost: Cost { quick_s: 25.0, full_s: 300.0 },
    run: column,
};

/// The angle of repose.
pub const REPOSE: Case = Case {
    name: "repose-rolling",
    title: "The angle of repose against rolling friction",
    source: "Y. C. Zhou, B. H. Xu, A. B. Yu, P. Zulli 2002, Powder Technol. 125, 45–54 (trend)",
    about: "scenes/rolling-heap.toml with rolling frictions of 0.05, 0.1, 0.2 and 0.4 of the reduced radius. The angle is that of \
            the flank of the heap between a fifth and four fifths of its height; several seeds at full size.",
    cost: Cost { quick_s: 4.0, full_s: 60.0 },
    run: heaps,
};

/// The critical state.
pub const CRITICAL: Case = Case {
    name: "critical-state",
    title: "Dense and loose spheres under triaxial compression reach one critical state",
    source: "C. Thornton 2000, Géotechnique 50, 43–53",
    about: "Spheres in a periodic cell are compressed isotropically without friction (dense) or with a friction of 0.4 (loose), \
            and then, both with that friction, shortened by 40 % along one axis under a constant pressure along the others. \
            Final values are means over the last quarter of the strain.",
    cost: Cost { quick_s: 11.0, full_s: 100.0 },
    run: critical,
};

const INCLINE_SCENE: &str = include_str!("../scenes/incline.toml");
const CYLINDER_SCENE: &str = include_str!("../scenes/column.toml");
const DRY_CRITICAL: &str = include_str!("../scenes/dry-critical.toml");

/// Half disks side by side, as corners of a line from a diameter before the strip to one behind it.
fn bed(length: u32) -> String {
    let mut corners = Vec::new();
    for k in 0..length + 2 {
        for part in 0..4 {
            let angle = PI * (1.0 - f64::from(part) / 4.0);
            corners.push(format!("[{:.4}, {:.4}]", f64::from(k) - 0.5 + 0.5 * angle.cos(), 0.5 * angle.sin() - 0.5));
        }
    }
    corners.push(format!("[{}, -0.5]", length + 1));
    format!("[{}]", corners.join(", "))
}

/// Descent at one angle: places and velocities of all grains in the second half of the run.
struct Descent {
    angle: f64,
    /// Height above the bed and velocity along it.
    points: Vec<[f64; 2]>,
    snapshots: usize,
    run: Run,
}

fn flow(bench: &mut Bench, angle: f64) -> Result<Descent, Failure> {
    let gravity = |degrees: f64| format!("[{:.6}, {:.6}]", degrees.to_radians().sin(), -degrees.to_radians().cos());
    let changes = [
        ("walls.0.vertices", bed(20)),
        ("domain.gravity", gravity(22.0)),
        ("stages.1.gravity", gravity(angle)),
        ("stages.1.end.time", bench.choose("120", "600").to_owned()),
    ];
    let run = bench.run(&format!("angle-{angle}"), INCLINE_SCENE, &changes)?;
    let time = run.series()?.of("flow").column("time_s");
    let (first, last) = (time.first().copied().unwrap_or(0.0), time.last().copied().unwrap_or(0.0));
    let (mut points, mut snapshots) = (Vec::new(), 0);
    for path in run.snapshots()? {
        let packing = packing(&path)?;
        if packing.time > 0.5 * (first + last) {
            snapshots += 1;
            points.extend(packing.grains.iter().map(|grain| [grain.position[1], grain.velocity[0]]));
        }
    }
    Ok(Descent { angle, points, snapshots, run })
}

impl Descent {
    /// The height that all but two per cent of the grains are below, with a radius above it.
    fn height(&self) -> f64 {
        let mut heights: Vec<f64> = self.points.iter().map(|point| point[0]).collect();
        heights.sort_by(f64::total_cmp);
        heights[(heights.len() * 98 / 100).min(heights.len() - 1)] + 0.5
    }

    fn speed(&self) -> f64 {
        self.points.iter().map(|point| point[1]).sum::<f64>() / self.points.len() as f64
    }

    /// Mean velocities by height, in layers of a diameter.
    fn layers(&self) -> Vec<[f64; 2]> {
        let mut sums = vec![[0.0; 2]; self.height().ceil() as usize];
        for [z, velocity] in &self.points {
            if let Some(sum) = sums.get_mut(z.max(0.0) as usize) {
                sum[0] += 1.0;
                sum[1] += velocity;
            }
        }
        let layer = |(k, [count, sum]): (usize, [f64; 2])| [k as f64 + 0.5, sum / count];
        sums.into_iter().enumerate().filter(|(_, sum)| sum[0] > 0.0).map(layer).collect()
    }

    /// The area of the grains between two heights, over that of the strip.
    fn fraction(&self, low: f64, high: f64) -> f64 {
        let inside = self.points.iter().filter(|point| (low..high).contains(&point[0])).count();
        inside as f64 * MASS / (self.snapshots as f64 * 20.0 * (high - low))
    }
}

/// The mean mass of a disk: radii are uniform between 0.4 and 0.6.
const MASS: f64 = PI * (0.25 + 0.2 * 0.2 / 12.0);

/// The power n with which v = v₀ − A (h − z)ⁿ fits best.
fn bagnold(layers: &[[f64; 2]], height: f64) -> Result<f64, Failure> {
    let mut best = (f64::INFINITY, f64::NAN);
    for step in 0..=200 {
        let power = 0.5 + 0.01 * f64::from(step);
        let points: Vec<[f64; 2]> = layers.iter().map(|[z, v]| [(height - z).powf(power), *v]).collect();
        let line = fit::line(&points)?;
        let off = |[x, v]: &[f64; 2]| (v - line.intercept.value - line.slope.value * x).powi(2);
        let error: f64 = points.iter().map(off).sum();
        if error < best.0 {
            best = (error, power);
        }
    }
    Ok(best.1)
}

fn incline(bench: &mut Bench) -> Result<Findings, Failure> {
    let mut findings = Findings::default();
    let mut flows = Vec::new();
    for angle in bench.choose(vec![12.0, 16.0, 18.0, 20.0], vec![11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 18.0, 20.0]) {
        flows.push(flow(bench, angle)?);
    }
    let steep = flows.last().expect("several angles");
    let height = steep.height();
    let inner: Vec<[f64; 2]> = steep.layers().into_iter().filter(|[z, _]| *z > 2.0 && *z < height - 1.0).collect();
    let row = measured("power of depth in the velocity profile, 20°", bagnold(&inner, height)?).published(1.5);
    let row = row.within(0.25, "a dozen layers; a uniform rate gives 1, a viscous liquid 2");
    let row = row.claim("Silbert et al.: Bagnold's scaling, v ∝ h^{3/2} − (h − z)^{3/2}");
    findings.row(row.null("a uniform rate of shear", 1.0));
    let (low, high) = (steep.fraction(2.0, 0.5 * height), steep.fraction(0.5 * height, height - 1.5));
    let row = measured("solid fraction of the upper half over that of the lower, 20°", high / low).published(1.0);
    let row = row.within(0.04, "grains counted by their centres, in four to five layers");
    let row = row.claim("Silbert et al.: the density is constant throughout the depth");
    findings.row(row.no_null("a dense layer of rigid grains has it in rest, too"));
    let middle: Vec<[f64; 2]> = inner.iter().filter(|[z, _]| *z > 0.3 * height && *z < 0.7 * height).copied().collect();
    let rate = fit::line(&middle)?.slope.value;
    let pressure = 0.5 * (low + high) * steep.angle.to_radians().cos() * 0.5 * height;
    let expected = |angle: f64| (angle.to_radians().tan() - 0.25) / 1.1;
    let row = measured("inertial number at half height, 20°", rate * (MASS / pressure).sqrt());
    let row =
        row.published(expected(20.0)).within_part(0.3, "μ* is known to 0.01 to 0.02, and the slope of μ*(I) is 1.1");
    let row = row.claim("da Cruz et al.: μ* = 0.25 + 1.1 I, where tan θ = μ*");
    findings.row(row.null("16°", expected(16.0)));
    let slow = &flows[0];
    let row = measured(format!("mean speed at {}° over that at 20°", short(slow.angle)), slow.speed() / steep.speed());
    let row = row.published(0.0).within(0.01, "at rest but for single grains");
    let row = row.claim("Silbert et al.: no flow below an angle of repose; da Cruz et al.: arctan 0.25 = 14.0°");
    findings.row(row.null("18°", flows[flows.len() - 2].speed() / steep.speed()));
    let moving = flows.iter().find(|flow| flow.speed() > 0.01 * steep.speed()).map_or(f64::NAN, |flow| flow.angle);
    findings.remark(format!(
        "Mean speeds (√(g d)): {}. The smallest of these angles that keeps flowing is {}°.",
        flows.iter().map(|flow| format!("{} at {}°", short(flow.speed()), flow.angle)).collect::<Vec<_>>().join(", "),
        short(moving)
    ));
    findings.remark(format!(
        "At 20°: height {} d, solid fraction {}; {}.",
        short(height),
        short(0.5 * (low + high)),
        steep.run.effort()
    ));
    findings.chart(
        "profile",
        "Velocity against the height above the bed, 20°.",
        &Chart::new("", Axis::linear("height (d)"), Axis::linear("velocity (√(g d))"))
            .with(Curve::new(Style::Points, steep.layers()).named("layers")),
    );
    Ok(findings)
}

fn column(bench: &mut Bench) -> Result<Findings, Failure> {
    let count = bench.choose(600_u32, 3000);
    let mut findings = Findings::default();
    let mut points = Vec::new();
    for aspect in bench.choose(vec![0.5, 0.9, 1.4, 2.5, 5.0, 10.0], vec![0.5, 0.8, 1.2, 1.6, 2.5, 4.0, 6.0, 9.0, 14.0])
    {
        let volume = f64::from(count) * 0.5288;
        let radius = (volume / (0.58 * PI * aspect)).cbrt();
        let filled = volume / (PI * radius * radius * 0.3) + 2.0;
        let region = format!(
            "{{ cylinder = {{ centre = [0, 0, {:.3}], radius = {radius:.3}, length = {filled:.3} }} }}",
            0.5 * filled
        );
        let changes = [
            ("grains.0.count", count.to_string()),
            ("walls.1.radius", format!("{radius:.3}")),
            ("grains.0.region", region),
            ("stages.1.end.time", format!("{:.2}", 6.0 * (aspect * radius).sqrt() + 15.0)),
        ];
        let run = bench.run(&format!("a-{aspect}"), CYLINDER_SCENE, &changes)?;
        let (settled, end) = (run.at_end_of("settle")?, run.last()?);
        let (a, run_out) = (top(&settled) / radius, edge(&end) / radius - 1.0);
        points.push([a, run_out]);
        findings.remark(format!("a = {}: run-out {}; {}.", short(a), short(run_out), run.effort()));
        if (2.0..3.5).contains(&aspect) {
            let picture = Picture { slice: Some([0.0, 1.0]), ..Picture::new(3) };
            findings.picture(
                "deposit",
                format!("Deposit of the column with a = {}.", short(a)),
                &picture.draw(&end, None)?,
            );
        }
    }
    let ratio = |keeps: &dyn Fn(f64) -> bool| -> Vec<f64> {
        points.iter().filter(|[a, _]| keeps(*a)).map(|[a, out]| out / a).collect()
    };
    let row = measured("run-out over a, below 1.7", Estimate::mean(&ratio(&|a| a < 1.7))).published(1.24);
    let row = row.within(0.3, "a diameter is a tenth of the radius");
    findings
        .row(row.claim("(r∞ − r₀)/r₀ = 1.24 a").null("columns above 2.5", Estimate::mean(&ratio(&|a| a > 2.5)).value));
    let logs = |keeps: &dyn Fn(f64) -> bool| -> Vec<[f64; 2]> {
        points.iter().filter(|[a, _]| keeps(*a)).map(|point| point.map(f64::ln)).collect()
    };
    let low = fit::line(&logs(&|a| a < 1.7))?.slope.value;
    let row = measured("exponent of a, above 1.7", fit::line(&logs(&|a| a > 1.7))?.slope).published(0.5);
    findings.row(
        row.within(0.12, "as wide as the range of exponents in the literature")
            .claim("1.6 a^½")
            .null("columns below 1.7", low),
    );
    let (below, above) = ([0.5, 1.7].map(|a| [a, 1.24 * a]), [1.7, 12.0_f64].map(|a| [a, 1.6 * a.sqrt()]));
    findings.chart(
        "run_out",
        "Run-out against the aspect ratio.",
        &Chart::new("", Axis::log("a"), Axis::log("(r∞ − r₀)/r₀"))
            .with(Curve::new(Style::Points, points).named("ours"))
            .with(Curve::new(Style::Line, below.to_vec()).named("1.24 a"))
            .with(Curve::new(Style::Line, above.to_vec()).named("1.6 a^{1/2}")),
    );
    Ok(findings)
}

/// The height that all but two per cent of the grains are below.
fn top(packing: &Packing) -> f64 {
    let mut heights: Vec<f64> = packing.grains.iter().map(|grain| grain.position[2] + grain.radius).collect();
    heights.sort_by(f64::total_cmp);
    heights[(heights.len() * 98 / 100).min(heights.len() - 1)]
}

/// The inner radius of the first ring, a diameter wide, of which less than three tenths are covered.
fn edge(packing: &Packing) -> f64 {
    let diameter = 2.0 * packing.mean_radius();
    let mut covered: Vec<f64> = Vec::new();
    for grain in &packing.grains {
        let ring = (grain.position[0].hypot(grain.position[1]) / diameter) as usize;
        if ring >= covered.len() {
            covered.resize(ring + 1, 0.0);
        }
        covered[ring] += PI * grain.radius * grain.radius;
    }
    let area = |ring: usize| PI * diameter * diameter * (2 * ring + 1) as f64;
    let bare = (0..covered.len()).find(|&ring| covered[ring] < 0.3 * area(ring)).unwrap_or(covered.len());
    bare as f64 * diameter
}

fn heaps(bench: &mut Bench) -> Result<Findings, Failure> {
    let (count, seeds) = bench.choose(("300", 1), ("600", 4));
    let mut points = Vec::new();
    for rolling in ["0.05", "0.1", "0.2", "0.4"] {
        let mut angles = Vec::new();
        for seed in 5..5 + seeds {
            let changes = [
                ("seed", seed.to_string()),
                ("grains.0.count", count.to_owned()),
                ("materials.stone.rolling_friction", format!("{{ coefficient = {rolling} }}")),
                ("grains.0.region.box.lower", "[\"-11 mm\", \"-11 mm\", 0]".to_owned()),
                ("grains.0.region.box.upper", format!("[\"11 mm\", \"11 mm\", \"{}\"]", bench.choose("8 cm", "16 cm"))),
            ];
            let run = bench.run(&format!("rolling-{rolling}-{seed}"), template("rolling-heap"), &changes)?;
            angles.push(repose(&run.last()?, None)?.angle.to_degrees());
        }
        points.push([rolling.parse::<f64>().unwrap_or(f64::NAN).ln(), Estimate::mean(&angles).value]);
    }
    let mut findings = Findings::default();
    let slope = |points: &[[f64; 2]]| fit::line(points).map(|line| line.slope);
    let row =
        measured("degrees by which the angle of repose grows for every e-fold of rolling friction", slope(&points)?);
    let row = row.published("increases").at_least(2.0, "flanks of a few hundred spheres are known to a few degrees");
    let row = row.claim("Zhou et al.: the angle of repose \"increases with rolling friction\"");
    findings.row(row.null("the same angles in reverse order", slope(&reversed(&points))?.value));
    let list: Vec<String> =
        points.iter().map(|[rolling, angle]| format!("{angle:.1}° at {}", short(rolling.exp()))).collect();
    findings.remark(format!("Angles: {}.", list.join(", ")));
    Ok(findings)
}

/// What a sample does under triaxial compression.
struct Compression {
    /// Solid fraction and ratio of stresses q/p over the strain.
    fraction: Vec<f64>,
    ratio: Vec<f64>,
}

impl Compression {
    /// The mean over the last quarter.
    fn last(values: &[f64]) -> f64 {
        let quarter = &values[values.len() * 3 / 4..];
        quarter.iter().sum::<f64>() / quarter.len() as f64
    }

    /// The largest mean over twentieths.
    fn peak(&self) -> f64 {
        let part = self.ratio.len().div_ceil(20).max(1);
        self.ratio.chunks(part).map(|part| part.iter().sum::<f64>() / part.len() as f64).fold(0.0, f64::max)
    }
}

fn critical(bench: &mut Bench) -> Result<Findings, Failure> {
    let count = bench.choose(400_u32, 2000);
    let side = (f64::from(count) * 1.396 / 0.3).cbrt();
    let compress = |bench: &mut Bench, name: &str, friction: &str| -> Result<(Compression, Run), Failure> {
        let changes = [
            ("grains.0.count", count.to_string()),
            ("domain.periodic", format!("{{ x = {side}, y = {side}, z = {side} }}")),
            ("materials.grain.friction", friction.to_owned()),
            ("outputs.series_interval", "0".to_owned()),
        ];
        let run = bench.run(name, &format!("{DRY}{DRY_REST}{DRY_CRITICAL}"), &changes)?;
        let series = run.loading()?.of("shear");
        let [x, y, z] = ["stress_x_Pa", "stress_y_Pa", "stress_z_Pa"].map(|name| series.column(name));
        let ratio = (0..z.len()).map(|k| 3.0 * (z[k] - 0.5 * (x[k] + y[k])) / (x[k] + y[k] + z[k])).collect();
        let fraction = series.column("void_ratio").iter().map(|e| 1.0 / (1.0 + e)).collect();
        Ok((Compression { fraction, ratio }, run))
    };
    let (dense, dense_run) = compress(bench, "dense", "0")?;
    let (loose, loose_run) = compress(bench, "loose", "0.4")?;
    let first = |found: &Compression| found.fraction.first().copied().unwrap_or(f64::NAN);
    let [end_dense, end_loose] = [&dense, &loose].map(|found| Compression::last(&found.fraction));
    let mut findings = Findings::default();
    let row = measured("final solid fraction, dense less loose", end_dense - end_loose).published(0.0);
    let row = row
        .within(0.01, "a quarter of what they differ by at first")
        .claim("Thornton 2000: the same critical void ratio");
    findings.row(row.null("before the compression", first(&dense) - first(&loose)));
    let [q_dense, q_loose] = [&dense, &loose].map(|found| Compression::last(&found.ratio));
    let row = measured("final q/p, dense less loose", q_dense - q_loose).published(0.0);
    let row =
        row.within(0.05, "stresses fluctuate by a few per cent").claim("Thornton 2000: the same deviatoric stress");
    findings.row(row.null("the dense sample at its peak", dense.peak() - q_loose));
    let row = measured("solid fraction that the dense sample loses", first(&dense) - end_dense).published("it dilates");
    let row = row.at_least(0.02, "visible in a figure").claim("Thornton 2000; Reynolds 1885");
    findings.row(row.null("the loose sample", first(&loose) - end_loose));
    let row = measured("peak of q/p over its final value, dense", dense.peak() / q_dense).published("a peak");
    let row = row.at_least(1.1, "twice the fluctuation").claim("Thornton 2000: dense systems soften after a peak");
    findings.row(row.null("loose", loose.peak() / q_loose));
    findings.remark(format!(
        "Solid fractions: {:.3} to {:.3} (dense), {:.3} to {:.3} (loose); final q/p {:.2} and {:.2}, peak {:.2}.",
        first(&dense),
        end_dense,
        first(&loose),
        end_loose,
        q_dense,
        q_loose,
        dense.peak()
    ));
    for run in [&dense_run, &loose_run] {
        findings.remark(format!("The run: {}.", run.effort()));
    }
    let over_strain = |values: &[f64], name: &str, style| {
        let last = values.len().max(2) as f64 - 1.0;
        let points = values.iter().enumerate().map(|(k, value)| [0.4 * k as f64 / last, *value]).collect();
        Curve::new(style, points).named(name)
    };
    for (name, caption, of) in [
        (
            "fraction",
            "Solid fraction against strain.",
            (|found: &Compression| found.fraction.clone()) as fn(&Compression) -> Vec<f64>,
        ),
        ("ratio", "q/p against strain.", |found: &Compression| found.ratio.clone()),
    ] {
        findings.chart(
            name,
            caption,
            &Chart::new("", Axis::linear("strain"), Axis::linear(name))
                .with(over_strain(&of(&dense), "dense", Style::Line))
                .with(over_strain(&of(&loose), "loose", Style::Dashes)),
        );
    }
    Ok(findings)
}
