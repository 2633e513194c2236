//! Forces and stress, by name.

use super::{Choices, Measured, Table, Value, values};
use crate::fit::Fit;
use crate::histogram::Bin;
use crate::plot::{Axis, Chart, Colour, Curve, Drawing, PALETTE, Reference, Style};
use crate::{Component, ForceDistribution, Packing, Region, Unavailable};

const FORCES: [&str; 15] = [
    "normal_forces",
    "mean_normal_force",
    "force_scale",
    "tail_exponent",
    "tensile_tail_exponent",
    "weak_exponent",
    "fraction_below_mean",
    "peak_position",
    "peak_over_zero",
    "fraction_unresolved",
    "largest_force_over_scale",
    "smallest_force_over_scale",
    "mean_tangential_force",
    "tangential_tail_exponent",
    "tangential_weak_exponent",
];

pub fn forces(packing: &Packing, region: Option<&Region>, choices: &Choices) -> Result<Measured, Unavailable> {
    let taken = |component| {
        crate::forces(packing, region, component).and_then(|forces| crate::distribution(&forces, &choices.forces))
    };
    let normal = taken(Component::Normal)?;
    let tangential = taken(Component::Tangential);
    let of_tangential = |get: fn(&ForceDistribution) -> Result<Fit, Unavailable>| match &tangential {
        Ok(found) => get(found).map(Into::into),
        Err(error) => Err(error.clone()),
    };
    let peak = normal.peak;
    let half = 0.5 * (peak.bin.high - peak.bin.low);
    let values = values(
        &FORCES,
        [
            ("", Ok((normal.count as f64).into())),
            ("N", Ok(normal.mean.into())),
            ("N", Ok(normal.scale.into())),
            ("", normal.tail.clone().map(Into::into)),
            ("", normal.tensile_tail.clone().map(Into::into)),
            ("", normal.weak.clone().map(Into::into)),
            ("", Ok(normal.below_mean.into())),
            ("", Ok([peak.bin.centre(), half].into())),
            ("", Ok([peak.over_zero, peak.error].into())),
            ("", Ok(normal.unresolved.into())),
            ("", Ok(normal.extremes[1].into())),
            ("", Ok(normal.extremes[0].into())),
            ("N", tangential.as_ref().map(|found| found.mean.into()).map_err(Clone::clone)),
            ("", of_tangential(|found| found.tail.clone())),
            ("", of_tangential(|found| found.weak.clone())),
        ],
    );
    let mut tables = vec![
        density_table("normal_force_density", &normal.density),
        density_table("normal_force_log_density", &normal.log_density),
        Table {
            name: "tail_exponent_by_start",
            columns: vec!["start_over_scale", "tail_exponent", "uncertainty", "forces"],
            rows: normal
                .tail_by_start
                .iter()
                .map(|fit| vec![fit.range[0], fit.value, fit.uncertainty, fit.points as f64])
                .collect(),
        },
    ];
    if let Ok(found) = &tangential {
        tables.push(density_table("tangential_force_density", &found.density));
    }
    let label = if choices.forces.scale.is_some() { "f_{n} / f_{0}" } else { "f_{n} / ⟨f_{n}⟩" };
    let plots = vec![
        ("normal_forces".into(), tail_plot(&normal, tangential.as_ref().ok(), label)),
        ("weak_forces".into(), weak_plot(&normal, label, choices.forces.resolution)),
    ];
    Ok(Measured { values, tables, plots })
}

fn density_table(name: &'static str, bins: &[Bin]) -> Table {
    Table {
        name,
        columns: vec!["low", "high", "count", "density", "uncertainty"],
        rows: bins.iter().map(|b| vec![b.low, b.high, b.count as f64, b.density, b.error]).collect(),
    }
}

/// The density on a logarithmic axis, with the exponential tails.
fn tail_plot(normal: &ForceDistribution, tangential: Option<&ForceDistribution>, label: &str) -> Drawing {
    let mut chart = Chart::new("Distribution of forces", Axis::linear(label), Axis::log("probability density"));
    if let Some(found) = tangential {
        let (points, errors) = density_points(&found.density);
        let curve = Curve::new(Style::OpenPoints, points).with_errors(errors).coloured(Colour::GREY);
        chart = chart.with(curve.named("tangential, |f_{t}| / ⟨|f_{t}|⟩"));
    }
    let (points, errors) = density_points(&normal.density);
    chart = chart.with(Curve::new(Style::Points, points).with_errors(errors).named("normal").coloured(PALETTE[0]));
    for (tail, sign) in [(&normal.tail, 1.0), (&normal.tensile_tail, -1.0)] {
        if let Ok(fit) = tail {
            let curve = exponential_curve(fit, normal.count, sign);
            let name = format!("exp(−{:.2} f), ± {:.2}, {} forces", fit.value, fit.uncertainty, fit.points);
            chart = chart.with(curve.named(name).coloured(PALETTE[1]));
        }
    }
    chart.draw()
}

/// The density for weak forces on logarithmic axes, with where the solver's resolution ends.
fn weak_plot(normal: &ForceDistribution, label: &str, resolution: f64) -> Drawing {
    let points = normal.log_density.iter().filter(|b| b.count > 0).map(|b| [b.log_centre(), b.density]).collect();
    let errors = normal.log_density.iter().filter(|b| b.count > 0).map(|b| b.error).collect();
    let mut chart = Chart::new("Weak forces", Axis::log(label), Axis::log("probability density"))
        .with(Curve::new(Style::Points, points).with_errors(errors).named("normal"))
        .with_reference(Reference {
            horizontal: false,
            value: resolution,
            tolerance: 0.0,
            label: "unresolved below".into(),
        });
    if let Ok(fit) = &normal.weak {
        let share = fit.points as f64 / normal.count as f64;
        let [low, high] = fit.range;
        let power = fit.value + 1.0;
        let whole = if power.abs() < 1e-9 { (high / low).ln() } else { (high.powf(power) - low.powf(power)) / power };
        let points = (0..=20)
            .map(|k| low * (high / low).powf(f64::from(k) / 20.0))
            .map(|x| [x, share * x.powf(fit.value) / whole])
            .collect();
        let name = format!("f^{{{:.2}}}, ± {:.2}, {} forces", fit.value, fit.uncertainty, fit.points);
        chart = chart.with(Curve::new(Style::Dashes, points).named(name.replace('-', "−")));
    }
    chart.draw()
}

fn density_points(bins: &[Bin]) -> (Vec<[f64; 2]>, Vec<f64>) {
    let filled = || bins.iter().filter(|bin| bin.count > 0);
    (filled().map(|bin| [bin.centre(), bin.density]).collect(), filled().map(|bin| bin.error).collect())
}

/// The density that an exponential fit to some of `count` values stands for.
fn exponential_curve(fit: &Fit, count: usize, sign: f64) -> Curve {
    let [low, high] = fit.range;
    let share = fit.points as f64 / count as f64;
    let whole = (1.0 - (-fit.value * (high - low)).exp()) / fit.value;
    let points = (0..=30)
        .map(|k| low + (high - low) * f64::from(k) / 30.0)
        .map(|x| [sign * x, share * (-fit.value * (x - low)).exp() / whole])
        .collect();
    Curve::new(Style::Dashes, points)
}

const NETWORKS: [&str; 16] = [
    "strong_contacts",
    "strong_pressure",
    "strong_deviator",
    "strong_coordination",
    "weak_contacts",
    "weak_pressure",
    "weak_deviator",
    "weak_coordination",
    "compressive_contacts",
    "compressive_pressure",
    "compressive_deviator",
    "compressive_coordination",
    "tensile_contacts",
    "tensile_pressure",
    "tensile_deviator",
    "tensile_coordination",
];

pub fn networks(packing: &Packing, region: Option<&Region>) -> Result<Measured, Unavailable> {
    let found = crate::networks(packing, region)?;
    let numbers = found.iter().flat_map(|n| [n.contacts, n.pressure, n.deviator, n.coordination]);
    let values =
        NETWORKS.into_iter().zip(numbers).map(|(name, n)| Value { name, unit: "", number: Ok(n.into()) }).collect();
    Ok(Measured { values, tables: Vec::new(), plots: Vec::new() })
}

fn stress_names(dimension: usize) -> Vec<&'static str> {
    let mut names = vec!["pressure", "deviator", "deviator_over_pressure", "friction_angle", "kinetic_pressure"];
    names.extend(if dimension == 2 {
        vec!["stress_xx", "stress_yy", "stress_xy", "stress_yx", "major_direction"]
    } else {
        vec![
            "stress_xx",
            "stress_yy",
            "stress_zz",
            "stress_xy",
            "stress_xz",
            "stress_yz",
            "stress_yx",
            "stress_zx",
            "stress_zy",
        ]
    });
    names
}

pub fn stress(packing: &Packing, region: Option<&Region>) -> Result<Measured, Unavailable> {
    let found = crate::stress(packing, region)?;
    let (axes, s) = (packing.dimension, found.contact);
    let kinetic = (0..axes).map(|i| found.kinetic[i][i]).sum::<f64>() / axes as f64;
    let (p, q) = (found.pressure(), found.deviator());
    let mut numbers =
        vec![("Pa", p), ("Pa", q), ("", q / p), ("°", found.friction_angle().to_degrees()), ("Pa", kinetic)];
    if axes == 2 {
        let major = found.principal[0].1;
        let direction = major[1].atan2(major[0]).to_degrees().rem_euclid(180.0);
        numbers.extend([s[0][0], s[1][1], s[0][1], s[1][0]].map(|value| ("Pa", value)));
        numbers.push(("°", direction));
    } else {
        let parts = [s[0][0], s[1][1], s[2][2], s[0][1], s[0][2], s[1][2], s[1][0], s[2][0], s[2][1]];
        numbers.extend(parts.map(|value| ("Pa", value)));
    }
    let values = stress_names(axes)
        .into_iter()
        .zip(numbers)
        .map(|(name, (unit, value))| Value { name, unit, number: Ok(value.into()) })
        .collect();
    Ok(Measured { values, tables: Vec::new(), plots: Vec::new() })
}

const PRESSURES: [&str; 14] = [
    "mean_particle_pressure",
    "particle_pressure_scale",
    "fraction_of_positive_pressures",
    "pressure_asymmetry",
    "positive_pressure_exponent",
    "negative_pressure_exponent",
    "positive_clusters",
    "largest_positive_cluster",
    "positive_percolates_x",
    "positive_percolates_y",
    "negative_clusters",
    "largest_negative_cluster",
    "negative_percolates_x",
    "negative_percolates_y",
];

pub fn pressures(packing: &Packing, region: Option<&Region>, choices: &Choices) -> Result<Measured, Unavailable> {
    let nu = crate::solid_fraction(packing, region)
        .or_else(|_| crate::solid_fraction(packing, Some(&crate::box_of_grains(packing))))?;
    let of_grains = crate::particle_pressures(packing, nu)?;
    let inside = |row: usize| region.is_none_or(|region| region.contains(packing.grains[row].position));
    let chosen: Vec<f64> = (0..of_grains.len()).filter(|&row| inside(row)).map(|row| of_grains[row]).collect();
    let found = crate::pressure_distribution(&chosen, choices.pressure_scale, [0.0, f64::INFINITY])?;
    let positive = crate::clusters(packing, |row| of_grains[row] > 0.0)?;
    let negative = crate::clusters(packing, |row| of_grains[row] < 0.0)?;
    let yes = |percolates: bool| Ok(f64::from(u8::from(percolates)).into());
    let largest = |c: &crate::Clusters| Ok((c.sizes.first().copied().unwrap_or(0) as f64).into());
    let mut values = values(
        &PRESSURES,
        [
            ("Pa", Ok(found.mean.into())),
            ("Pa", Ok(found.scale.into())),
            ("", Ok(found.positive.into())),
            ("", Ok(found.asymmetry.into())),
            ("", found.positive_tail.clone().map(Into::into)),
            ("", found.negative_tail.clone().map(Into::into)),
            ("", Ok((positive.sizes.len() as f64).into())),
            ("", largest(&positive)),
            ("", yes(positive.percolates[0])),
            ("", yes(positive.percolates[1])),
            ("", Ok((negative.sizes.len() as f64).into())),
            ("", largest(&negative)),
            ("", yes(negative.percolates[0])),
            ("", yes(negative.percolates[1])),
        ],
    );
    if packing.dimension == 3 {
        for (name, clusters) in [("positive_percolates_z", &positive), ("negative_percolates_z", &negative)] {
            values.push(Value { name, unit: "", number: yes(clusters.percolates[2]) });
        }
    }
    let cluster_of = |row: usize| match (positive.cluster[row], negative.cluster[row]) {
        (Some(k), _) => f64::from(k) + 1.0,
        (_, Some(k)) => -f64::from(k) - 1.0,
        _ => 0.0,
    };
    let rows = |row: usize| vec![f64::from(packing.grains[row].id), of_grains[row], cluster_of(row)];
    let tables = vec![
        density_table("pressure_density", &found.density),
        Table {
            name: "particle_pressures",
            columns: vec!["grain", "pressure_Pa", "cluster"],
            rows: (0..of_grains.len()).map(rows).collect(),
        },
    ];
    let (points, errors) = density_points(&found.density);
    let label = if choices.pressure_scale.is_some() { "p / p_{0}" } else { "p / ⟨|p|⟩" };
    let mut chart = Chart::new("Particle pressures", Axis::linear(label), Axis::log("probability density"))
        .with(Curve::new(Style::Points, points).with_errors(errors).named("grains"));
    for (tail, sign) in [(&found.positive_tail, 1.0), (&found.negative_tail, -1.0)] {
        if let Ok(fit) = tail {
            let name = format!("exp(−{:.2} |p|), ± {:.2}", fit.value, fit.uncertainty);
            chart = chart.with(exponential_curve(fit, found.count, sign).named(name));
        }
    }
    Ok(Measured { values, tables, plots: vec![("pressures".into(), chart.draw())] })
}
