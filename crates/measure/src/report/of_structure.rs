//! Structure and flow, by name.

use super::{Choices, Measured, Number, Table, Value, values};
use crate::plot::{Axis, Chart, Curve, Polar, Style};
use crate::{Anisotropy, Fabric, Packing, Region, Sector, Unavailable};
use std::f64::consts::PI;

const COORDINATION: [&str; 8] = [
    "coordination",
    "coordination_without_rattlers",
    "neighbours",
    "rattlers",
    "fraction_of_rattlers",
    "contacts_between_grains",
    "contacts_with_walls",
    "fraction_sliding",
];

pub fn coordination(packing: &Packing, region: Option<&Region>) -> Result<Measured, Unavailable> {
    let found = crate::coordination(packing, region)?;
    let grains = packing.grains.iter().filter(|g| region.is_none_or(|r| r.contains(g.position))).count();
    let numbers = [
        found.mean,
        found.without_rattlers,
        found.neighbours,
        found.rattlers as f64,
        found.rattlers as f64 / grains.max(1) as f64,
        found.grain_grain as f64,
        found.grain_wall as f64,
        found.sliding,
    ];
    Ok(plain(values(&COORDINATION, numbers.map(|n| ("", Ok(n.into()))))))
}

const SOLID_FRACTION: [&str; 3] = ["solid_fraction", "void_ratio", "inner_solid_fraction"];

pub fn solid_fraction(packing: &Packing, region: Option<&Region>) -> Result<Measured, Unavailable> {
    let nu = crate::solid_fraction(packing, region)?;
    // Three diameters away from the sides, walls have lost most of their order.
    let inner = match region {
        Some(region) => Ok(*region),
        None => crate::packed_region(packing),
    }
    .map(|region| region.inset(6.0 * packing.mean_radius(), packing))
    .and_then(|inner| {
        let has_room = (0..packing.dimension).all(|axis| inner.low[axis] < inner.high[axis]);
        if has_room {
            crate::solid_fraction(packing, Some(&inner))
        } else {
            Err(Unavailable::Because("no part of the region is three diameters away from all of its sides".into()))
        }
    });
    let numbers = [("", Ok(nu.into())), ("", Ok((1.0 / nu - 1.0).into())), ("", inner.map(Into::into))];
    Ok(plain(values(&SOLID_FRACTION, numbers)))
}

fn fabric_names(dimension: usize) -> Vec<&'static str> {
    let mut names = vec![
        "contact_anisotropy",
        "normal_force_anisotropy",
        "tangential_force_anisotropy",
        "deviator_from_anisotropies",
    ];
    if dimension == 2 {
        names.extend(["contact_direction", "normal_force_direction", "tangential_force_direction"]);
    } else {
        names.extend(["fabric_axis_x", "fabric_axis_y", "fabric_axis_z"]);
    }
    names
}

pub fn fabric(packing: &Packing, region: Option<&Region>, choices: &Choices) -> Result<Measured, Unavailable> {
    let found = crate::fabric(packing, region, choices.fabric_axis)?;
    let amplitude = |a: &Anisotropy| Number::from([a.value, a.uncertainty]);
    let direction = |a: &Anisotropy| Number::from(a.direction.to_degrees());
    let force = |of: &Result<Anisotropy, Unavailable>, get: &dyn Fn(&Anisotropy) -> Number| {
        of.as_ref().map(get).map_err(Clone::clone)
    };
    let sum = found.deviator_over_pressure(packing.dimension).map(Number::from);
    let mut numbers = vec![
        ("", Ok(amplitude(&found.contact))),
        ("", force(&found.normal, &amplitude)),
        ("", force(&found.tangential, &amplitude)),
        ("", sum),
    ];
    if packing.dimension == 2 {
        numbers.extend([
            ("°", Ok(direction(&found.contact))),
            ("°", force(&found.normal, &direction)),
            ("°", force(&found.tangential, &direction)),
        ]);
    } else {
        numbers.extend(found.axis.map(|component| ("", Ok(component.into()))));
    }
    let values = fabric_names(packing.dimension)
        .into_iter()
        .zip(numbers)
        .map(|(name, (unit, number))| Value { name, unit, number })
        .collect();
    let row = |s: &crate::Sector| {
        vec![
            s.angle.to_degrees(),
            s.contacts as f64,
            s.density,
            s.normal_force,
            s.errors[0],
            s.tangential_force,
            s.errors[1],
        ]
    };
    let table = Table {
        name: "by_direction",
        columns: vec![
            "angle_deg",
            "contacts",
            "density",
            "normal_force_N",
            "normal_force_uncertainty_N",
            "tangential_force_N",
            "tangential_force_uncertainty_N",
        ],
        rows: found.sectors.iter().map(row).collect(),
    };
    Ok(Measured { values, tables: vec![table], plots: polar_plots(packing, &found) })
}

/// The polar plots of a fabric: directions of contacts, and forces by direction where they are known.
fn polar_plots(packing: &Packing, found: &Fabric) -> Vec<(String, crate::plot::Drawing)> {
    let rose = Rose { flat: packing.dimension == 2 };
    let mut plots = vec![("contact_directions".to_string(), rose.contacts(found).draw())];
    if let (Ok(normal), Ok(tangential)) = (&found.normal, &found.tangential) {
        plots.push(("force_directions".to_string(), rose.forces(&found.sectors, normal, tangential).draw()));
    }
    plots
}

/// How directions are drawn, in the plane or in space.
#[derive(Clone, Copy)]
struct Rose {
    flat: bool,
}

impl Rose {
    fn contacts(self, found: &Fabric) -> Polar {
        let even = if self.flat { 1.0 / PI } else { 1.0 / (4.0 * PI) };
        let measured = found.sectors.iter().map(|s| [s.angle, s.density / even]).collect();
        let style = if self.flat { Style::Bars } else { Style::Points };
        let fitted = self.fitted(|angle| self.second_order(&found.contact, angle));
        Polar {
            title: "Directions of contacts".into(),
            quantity: "probability density relative to an isotropic one".into(),
            axes: self.axes(),
            curves: vec![
                (style, self.around(measured), "contacts".into()),
                (Style::Line, fitted, format!("a_{{c}} = {:.3}", found.contact.value)),
            ],
        }
    }

    fn forces(self, sectors: &[Sector], normal: &Anisotropy, tangential: &Anisotropy) -> Polar {
        let mean = sectors.iter().map(|s| s.normal_force).sum::<f64>() / sectors.len() as f64;
        let of =
            |get: fn(&Sector) -> f64| self.around(sectors.iter().map(|s| [s.angle, (get(s) / mean).abs()]).collect());
        let slide = |angle: f64| {
            let off = if self.flat { angle - tangential.direction } else { angle };
            (tangential.value * (2.0 * off).sin()).abs()
        };
        let of_normal = self.fitted(|angle| self.second_order(normal, angle));
        Polar {
            title: "Forces by direction".into(),
            quantity: "mean force over the mean normal force".into(),
            axes: self.axes(),
            curves: vec![
                (Style::Points, of(|s| s.normal_force), "normal".into()),
                (Style::Points, of(|s| s.tangential_force), "|tangential|".into()),
                (Style::Line, of_normal, format!("a_{{n}} = {:.3}", normal.value)),
                (Style::Line, self.fitted(slide), format!("a_{{t}} = {:.3}", tangential.value)),
            ],
        }
    }

    fn axes(self) -> [String; 2] {
        if self.flat { ["x", "y"] } else { ["", "axis"] }.map(String::from)
    }

    /// The fitted function of second order at an angle.
    fn second_order(self, a: &Anisotropy, angle: f64) -> f64 {
        if self.flat {
            1.0 + a.value * (2.0 * (angle - a.direction)).cos()
        } else {
            1.0 + a.value * (3.0 * angle.cos().powi(2) - 1.0)
        }
    }

    /// A function of the angle all around.
    fn fitted(self, function: impl Fn(f64) -> f64) -> Vec<[f64; 2]> {
        let end = if self.flat { PI } else { PI / 2.0 };
        let angles = (0..72).map(|k| (f64::from(k) + 0.5) / 72.0 * end);
        self.around(angles.map(|angle| [angle, function(angle)]).collect())
    }

    /// A contact counts in both senses; in space the angle is to the axis of symmetry, which points upwards here.
    fn around(self, points: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
        let turned = |angle: f64| {
            if self.flat {
                vec![angle, angle + PI]
            } else {
                vec![PI / 2.0 - angle, PI / 2.0 + angle, angle - PI / 2.0, 1.5 * PI - angle]
            }
        };
        let mut all: Vec<[f64; 2]> = points
            .into_iter()
            .flat_map(|[angle, r]| turned(angle).into_iter().map(move |a| [a.rem_euclid(2.0 * PI), r]))
            .collect();
        all.sort_by(|a, b| a[0].total_cmp(&b[0]));
        all
    }
}

const PROFILE: [&str; 3] = ["largest_mean_velocity", "shear_rate", "velocity_fluctuation"];

pub fn profile(packing: &Packing, region: Option<&Region>, choices: &Choices) -> Result<Measured, Unavailable> {
    let axes = packing.dimension;
    let up = (0..axes).max_by(|&a, &b| packing.gravity[a].abs().total_cmp(&packing.gravity[b].abs()));
    let by_gravity = up.filter(|&axis| packing.gravity[axis] != 0.0);
    let axis = choices.profile_axis.or(by_gravity).unwrap_or(axes - 1);
    let layers = crate::profile(packing, region, axis, None)?;
    let filled = || layers.iter().filter(|layer| layer.grains > 0);
    let speed = |layer: &crate::Layer| crate::linear::length(layer.velocity);
    let largest = filled().map(speed).fold(0.0, f64::max);
    // The component across the axis that changes most is the one that shears.
    let extent = |k: usize| {
        let (low, high) = filled().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), layer| {
            (low.min(layer.velocity[k]), high.max(layer.velocity[k]))
        });
        high - low
    };
    let along = (0..axes).filter(|&k| k != axis).max_by(|&a, &b| extent(a).total_cmp(&extent(b))).unwrap_or(0);
    let points: Vec<[f64; 2]> = filled().map(|layer| [layer.at, layer.velocity[along]]).collect();
    let rate = crate::fit::line(&points).map(|line| line.slope.into());
    let fluctuation = {
        let grains: usize = filled().map(|layer| layer.grains).sum();
        let sum: f64 =
            filled().map(|l| l.grains as f64 * l.fluctuation.iter().map(|f| f * f).sum::<f64>() / axes as f64).sum();
        (sum / grains.max(1) as f64).sqrt()
    };
    let values = values(&PROFILE, [("m/s", Ok(largest.into())), ("1/s", rate), ("m/s", Ok(fluctuation.into()))]);
    let row = |l: &crate::Layer| {
        let mut row = vec![l.at, l.grains as f64];
        row.extend(l.velocity);
        row.extend(l.fluctuation);
        row.extend(l.spin);
        row.push(l.solid_fraction);
        row
    };
    let table = Table {
        name: "profile",
        columns: vec![
            "position_m",
            "grains",
            "velocity_x_m_s",
            "velocity_y_m_s",
            "velocity_z_m_s",
            "fluctuation_x_m_s",
            "fluctuation_y_m_s",
            "fluctuation_z_m_s",
            "spin_x_rad_s",
            "spin_y_rad_s",
            "spin_z_rad_s",
            "solid_fraction",
        ],
        rows: layers.iter().map(row).collect(),
    };
    let name = ["x", "y", "z"];
    let mut velocity = Chart::new(
        format!("Velocity by {}", name[axis]),
        Axis::linear("mean velocity (m/s)"),
        Axis::linear(format!("{} (m)", name[axis])),
    );
    for k in 0..axes {
        let points = filled().map(|layer| [layer.velocity[k], layer.at]).collect();
        velocity = velocity.with(Curve::new(Style::Both, points).named(format!("v_{{{}}}", name[k])));
    }
    let fraction = Chart::new(
        format!("Solid fraction by {}", name[axis]),
        Axis::linear("solid fraction").within(0.0, 1.0),
        Axis::linear(format!("{} (m)", name[axis])),
    )
    .with(Curve::new(Style::Both, layers.iter().map(|layer| [layer.solid_fraction, layer.at]).collect()));
    let plots = vec![("velocity_profile".into(), velocity.draw()), ("solid_fraction_profile".into(), fraction.draw())];
    Ok(Measured { values, tables: vec![table], plots })
}

const MIXING: [&str; 6] =
    ["lacey_index", "relative_standard_deviation", "unlike_neighbours_over_random", "segregation", "kinds", "samples"];

pub fn mixing(packing: &Packing, region: Option<&Region>) -> Result<Measured, Unavailable> {
    let found = crate::mixing(packing, region, None)?;
    let numbers = [
        found.lacey,
        found.relative_deviation,
        found.neighbours,
        found.segregation,
        found.count as f64,
        found.samples as f64,
    ];
    Ok(plain(values(&MIXING, numbers.map(|n| ("", Ok(n.into()))))))
}

const REPOSE: [&str; 3] = ["angle_of_repose", "left_flank", "right_flank"];

pub fn repose(packing: &Packing, region: Option<&Region>) -> Result<Measured, Unavailable> {
    let found = crate::repose(packing, region)?;
    let angle = [found.angle.to_degrees(), found.uncertainty.to_degrees()];
    let flank = |side: usize| {
        let alone = || Unavailable::Because("only a heap in 2D has two flanks".into());
        let other = (found.flanks.len() > 1).then(|| found.flanks[side].to_degrees());
        other.map(Number::from).ok_or_else(alone)
    };
    let values = values(&REPOSE, [("°", Ok(angle.into())), ("°", flank(0)), ("°", flank(1))]);
    let chart = Chart::new("Free surface", Axis::linear("distance (m)"), Axis::linear("height (m)"))
        .with(Curve::new(Style::Points, found.surface.clone()));
    let rows = found.surface.iter().map(|point| point.to_vec()).collect();
    let table = Table { name: "free_surface", columns: vec!["distance_m", "height_m"], rows };
    Ok(Measured { values, tables: vec![table], plots: vec![("free_surface".into(), chart.draw())] })
}

const RADIAL: [&str; 2] = ["first_peak_position", "first_peak_height"];

pub fn radial(packing: &Packing, region: Option<&Region>) -> Result<Measured, Unavailable> {
    // Up to five diameters where there is room for it.
    let found = [5.0, 3.0, 2.0]
        .into_iter()
        .map(|reach| crate::radial_distribution(packing, region, reach, 0.05))
        .reduce(|best, next| best.or(next))
        .unwrap_or(Err(Unavailable::NoGrains))?;
    let top = found.points.iter().copied().fold([0.0, 0.0], |a, b| if b[1] > a[1] { b } else { a });
    let values = values(&RADIAL, [("diameters", Ok([top[0], 0.025].into())), ("", Ok(top[1].into()))]);
    let chart = Chart::new("Radial distribution", Axis::linear("r / ⟨d⟩"), Axis::linear("g(r)"))
        .with(Curve::new(Style::Line, found.points.clone()));
    let table = Table {
        name: "radial_distribution",
        columns: vec!["distance_over_diameter", "g"],
        rows: found.points.iter().map(|point| point.to_vec()).collect(),
    };
    Ok(Measured { values, tables: vec![table], plots: vec![("radial".into(), chart.draw())] })
}

const INDETERMINACY: [&str; 6] = [
    "unknown_forces",
    "equations_of_balance",
    "rank",
    "indeterminacy",
    "frictionless_rank",
    "frictionless_indeterminacy",
];

pub fn indeterminacy(packing: &Packing) -> Result<Measured, Unavailable> {
    let with = crate::indeterminacy(packing, false)?;
    let without = crate::indeterminacy(packing, true)?;
    let numbers =
        [with.unknowns, with.equations, with.rank, with.null_space.len(), without.rank, without.null_space.len()];
    Ok(plain(values(&INDETERMINACY, numbers.map(|n| ("", Ok((n as f64).into()))))))
}

fn plain(values: Vec<Value>) -> Measured {
    Measured { values, tables: Vec::new(), plots: Vec::new() }
}
