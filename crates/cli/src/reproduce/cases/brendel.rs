//! Cohesion and rolling friction after Brendel, Unger and Wolf (P2).

use crate::failure::Failure;
use crate::reproduce::bench::{Bench, Run};
use crate::reproduce::case::{Case, Cost, Findings};
use crate::reproduce::cases::template;
use crate::reproduce::row::{Estimate, measured, short};
use riprap_measure::picture::Picture;
use riprap_measure::plot::{Axis, Chart, Curve, Reference, Style};

/// The work of opening a contact.
pub const OPENING: Case = Case {
    name: "cohesion-work",
    title: "The work of opening a cohesive contact",
    source: "L. Brendel, T. Unger, D. E. Wolf 2004 (P2), section 1.8",
    about: "Two disks held together by a tension of 2 N over 1 cm fly apart with more energy than it takes to separate \
            them. The energy lost when they are free is measured for time steps over two decades.",
    cost: Cost { quick_s: 1.0, full_s: 1.0 },
    run: opening,
};

/// A heap on a flat plane.
pub const HEAP: Case = Case {
    name: "rolling-heap",
    title: "A heap of spheres on a flat plane, with and without rolling friction",
    source: "L. Brendel, T. Unger, D. E. Wolf 2004 (P2), section 1.7",
    about: "A column of spheres falls onto a bare plane (scenes/rolling-heap.toml). With rolling friction (0.4 of the \
            reduced radius) it forms a heap; with sliding friction alone the spheres roll away.",
    cost: Cost { quick_s: 3.0, full_s: 8.0 },
    run: heap,
};

/// A powder under a piston.
pub const POWDER: Case = Case {
    name: "cohesive-powder",
    title: "Porosity of a cohesive powder under a piston",
    source: "L. Brendel, T. Unger, D. E. Wolf 2004 (P2), section 1.8",
    about: "Disks are compacted by a piston without gravity, at a pressure of a tenth of the cohesion divided by the \
            diameter (scenes/powder.toml): with cohesion and rolling friction, with cohesion alone, and with neither. \
            Values are means over several seeds.",
    cost: Cost { quick_s: 20.0, full_s: 1100.0 },
    run: powder,
};

fn opening(bench: &mut Bench) -> Result<Findings, Failure> {
    const WORK: f64 = 2.0 * 0.01;
    let mut findings = Findings::default();
    let mut points = Vec::new();
    for (name, step) in
        [("1ms", "1 ms"), ("300us", "0.3 ms"), ("100us", "0.1 ms"), ("30us", "30 us"), ("10us", "10 us")]
    {
        let run = bench.run(name, OPENING_SCENE, &[("solver.time_step", step)])?;
        let kinetic = |k: fn(&[f64]) -> Option<&f64>| {
            Ok::<f64, Failure>(k(&run.series()?.column("kinetic_energy_J")).copied().unwrap_or(f64::NAN))
        };
        // Before the first step: two disks of π r² ρ = 7.854 kg at 0.1 m/s.
        let start = std::f64::consts::PI * 0.05_f64.powi(2) * 1000.0 * 0.1_f64.powi(2);
        let work = start - kinetic(|values| values.last())?;
        let row = measured(format!("work at a time step of {step} (J)"), work).published(WORK);
        let row = row.within_part(
            0.02,
            "crossing the range takes ten steps at the longest time step, and the end falls within one of them",
        );
        findings.row(row.closed_form().claim("§1.8, fig. 1.9b: E_C = F_C times the range"));
        let length = run.number("time_s")? / run.number("steps")?;
        points.push([length, work]);
    }
    findings.chart(
        "work",
        "Energy needed to open the contact, against the time step.",
        &Chart::new("", Axis::log("time step (s)"), Axis::linear("work (J)").within(0.0, 1.5 * WORK))
            .with(Curve::new(Style::Points, points).named("ours"))
            .with_reference(Reference { horizontal: true, value: WORK, tolerance: 0.02 * WORK, label: "E_{C}".into() }),
    );
    Ok(findings)
}

const OPENING_SCENE: &str = include_str!("../scenes/opening.toml");

fn heap(bench: &mut Bench) -> Result<Findings, Failure> {
    let scene = template("rolling-heap");
    let count = bench.choose("300", "600");
    let region = "[\"11 mm\", \"11 mm\", \"8 cm\"]";
    let lower = "[\"-11 mm\", \"-11 mm\", 0]";
    let mut findings = Findings::default();
    let mut shapes = Vec::new();
    for (name, rolling) in [("with-rolling", "{ coefficient = 0.4 }"), ("without-rolling", "0")] {
        let mut changes = vec![("grains.0.count", count), ("materials.stone.rolling_friction", rolling)];
        if bench.quick {
            changes.extend([("grains.0.region.box.lower", lower), ("grains.0.region.box.upper", region)]);
        }
        let run = bench.run(name, scene, &changes)?;
        let packing = run.last()?;
        let diameter = 2.0 * packing.mean_radius();
        let on_floor = packing.grains.iter().filter(|grain| grain.position[2] < 1.2 * grain.radius).count();
        let mut heights: Vec<f64> =
            packing.grains.iter().map(|grain| (grain.position[2] + grain.radius) / diameter).collect();
        heights.sort_by(f64::total_cmp);
        let top = heights[heights.len() * 98 / 100];
        shapes.push((on_floor as f64 / packing.grains.len() as f64, top));
        let picture = Picture { slice: Some([0.0, 1.0]), ..Picture::new(3) };
        findings.picture(name, format!("Side view, {}.", name.replace('-', " ")), &picture.draw(&packing, None)?);
        findings.remark(format!("{name}: {}.", run.effort()));
    }
    let [(with_floor, with_top), (without_floor, without_top)] = [shapes[0], shapes[1]];
    let row = measured("height with rolling friction (diameters)", with_top).published("a heap stands");
    let (with, without) = ("rolling friction", "no rolling friction");
    findings.row(row.at_least(3.0, "a heap has at least three layers").null(without, without_top));
    let row = measured("share of grains on the floor with rolling friction", with_floor).published("a heap stands");
    findings.row(row.at_most(0.6, "more than a third of the grains rest on others").null(without, without_floor));
    let row = measured("height without rolling friction (diameters)", without_top).published("it flattens");
    findings.row(row.at_most(1.5, "one layer, of spheres whose sizes differ by a third").null(with, with_top));
    let row = measured("share of grains on the floor without rolling friction", without_floor).published("it flattens");
    findings.row(row.at_least(0.9, "one layer except for a few spheres").null(with, with_floor));
    Ok(findings)
}

fn powder(bench: &mut Bench) -> Result<Findings, Failure> {
    let scene = template("powder");
    let variants: [(&str, &[(&str, &str)]); 3] = [
        ("cohesion-and-rolling", &[]),
        ("cohesion", &[("materials.powder.rolling_friction", "0")]),
        ("neither", &[("materials.powder.rolling_friction", "0"), ("materials.powder.cohesion.force", "1e-9")]),
    ];
    let count = bench.choose("300", "1000");
    let upper = bench.choose("[\"5.2 cm\", \"12 cm\"]", "[\"9.5 cm\", \"22 cm\"]");
    let seeds = bench.choose(2, 4);
    let step = bench.choose("\"0.2 ms\"", "\"50 us\"");
    let mut findings = Findings::default();
    let mut porosities = Vec::new();
    let mut scatter: f64 = 0.0;
    for (name, variant) in variants {
        let mut values = Vec::new();
        for seed in 1..=seeds {
            let seed = seed.to_string();
            let mut changes = vec![
                ("seed", seed.as_str()),
                ("grains.0.count", count),
                ("walls.0.upper", upper),
                ("solver.time_step", step),
            ];
            changes.extend(variant.iter().copied());
            let run = bench.run(&format!("{name}-{seed}"), scene, &changes)?;
            values.push(porosity(&run)?);
            if seed == "1" {
                let caption = format!("Packing at the end, {}.", name.replace('-', " "));
                findings.picture(name, caption, &Picture { width: 360.0, ..Picture::new(2) }.draw(&run.last()?, None)?);
            }
        }
        let spread = |pick: fn(f64, f64) -> f64, start: f64| values.iter().copied().fold(start, pick);
        scatter = f64::max(scatter, spread(f64::max, 0.0) - spread(f64::min, 1.0));
        let list: Vec<String> = values.iter().map(|&value| short(value)).collect();
        findings.remark(format!("Porosity, {}: {}.", name.replace('-', " "), list.join(", ")));
        porosities.push(Estimate::mean(&values));
    }
    let difference = |a: Estimate, b: Estimate| Estimate {
        value: a.value - b.value,
        uncertainty: Some(a.uncertainty.unwrap_or(0.0).hypot(b.uncertainty.unwrap_or(0.0))),
    };
    findings.remark(
        "The time step is 0.2 ms at the quick size and 50 µs at full size; scenes/powder.toml uses 16 µs, which \
         resolves the range of cohesion in every collision. The compaction is slow compared with all of these.",
    );
    let row = measured("porosity that cohesion adds", difference(porosities[1], porosities[2]));
    let row = row.published("pores are held up by cohesion").at_least(0.02, "seeds differ by about a hundredth");
    let row = row.null("the largest difference between two seeds of the same powder", scatter);
    findings.row(row.revised(STEP_OF_POWDER));
    let row = measured("porosity that torques add", difference(porosities[0], porosities[1]));
    let row = row.published("torques increase the porosity").at_least(0.02, "seeds differ by about a hundredth");
    let row = row.null("the largest difference between two seeds of the same powder", scatter);
    findings.row(row.revised(STEP_OF_POWDER));
    Ok(findings)
}

/// What the rows of the powder owe to choices.
const STEP_OF_POWDER: &str = "the time step, which is 3 to 12 times the one that the program chooses for this \
                              cohesion";

/// The part of the box below the piston that is empty.
fn porosity(run: &Run) -> Result<f64, Failure> {
    Ok(1.0 - run.number("solid_fraction")?)
}
