//! What happened between two snapshots, by name.

use super::{Measured, Table, Value, values};
use crate::linear::{length, sub};
use crate::picture::{Picture, Shade, strain_picture};
use crate::plot::{Axis, Chart, Curve, Style};
use crate::{Packing, Region, Unavailable};

fn strain_names(dimension: usize) -> Vec<&'static str> {
    let mut names = vec!["volumetric_strain", "deviatoric_strain", "non_affine_displacement"];
    names.extend(if dimension == 2 {
        vec!["strain_xx", "strain_yy", "strain_xy"]
    } else {
        vec!["strain_xx", "strain_yy", "strain_zz", "strain_xy", "strain_xz", "strain_yz"]
    });
    names
}

pub fn strain(packing: &Packing, earlier: &Packing, region: Option<&Region>) -> Result<Measured, Unavailable> {
    let found = crate::strain(earlier, packing, region)?;
    let e = found.strain;
    let mut numbers = vec![("", found.volumetric()), ("", found.deviatoric()), ("m", found.fluctuation)];
    if packing.dimension == 2 {
        numbers.extend([e[0][0], e[1][1], e[0][1]].map(|value| ("", value)));
    } else {
        numbers.extend([e[0][0], e[1][1], e[2][2], e[0][1], e[0][2], e[1][2]].map(|value| ("", value)));
    }
    let values = strain_names(packing.dimension)
        .into_iter()
        .zip(numbers)
        .map(|(name, (unit, value))| Value { name, unit, number: Ok(value.into()) })
        .collect();
    Ok(Measured { values, tables: Vec::new(), plots: Vec::new() })
}

const DISPLACEMENTS: [&str; 4] =
    ["mean_displacement", "largest_displacement", "mean_rotation_magnitude", "displacement_fluctuation"];

pub fn displacements(packing: &Packing, earlier: &Packing) -> Result<Measured, Unavailable> {
    let motions = crate::motions(earlier, packing)?;
    let n = motions.len() as f64;
    let mean: [f64; 3] = std::array::from_fn(|i| motions.iter().map(|m| m.displacement[i]).sum::<f64>() / n);
    let size = |motion: &crate::Motion| length(motion.displacement);
    let off = motions.iter().map(|m| length(sub(m.displacement, mean)).powi(2)).sum::<f64>() / n;
    let values = values(
        &DISPLACEMENTS,
        [
            ("m", Ok((motions.iter().map(size).sum::<f64>() / n).into())),
            ("m", Ok(motions.iter().map(size).fold(0.0, f64::max).into())),
            ("rad", Ok((motions.iter().map(|m| length(m.rotation)).sum::<f64>() / n).into())),
            ("m", Ok(off.sqrt().into())),
        ],
    );
    let row = |motion: &crate::Motion| {
        let mut row = vec![f64::from(motion.id)];
        row.extend(motion.position);
        row.extend(motion.displacement);
        row.extend(motion.rotation);
        row
    };
    let table = Table {
        name: "displacements",
        columns: vec![
            "grain",
            "x_m",
            "y_m",
            "z_m",
            "displacement_x_m",
            "displacement_y_m",
            "displacement_z_m",
            "rotation_x_rad",
            "rotation_y_rad",
            "rotation_z_rad",
        ],
        rows: motions.iter().map(row).collect(),
    };
    let mut plots = Vec::new();
    for (name, grains, title) in
        [("displacements", Shade::Displacement, "Displacements"), ("rotations", Shade::Rotation, "Rotations")]
    {
        let picture = Picture { grains, title: title.into(), ..Picture::new(packing.dimension) };
        plots.push((name.into(), picture.draw(packing, Some(earlier))?));
    }
    Ok(Measured { values, tables: vec![table], plots })
}

const SHEAR_BAND: [&str; 5] =
    ["shear_band_angle", "shear_band_width", "shear_band_contrast", "mean_local_shear", "local_shear_deviation"];

pub fn shear_band(packing: &Packing, earlier: &Packing) -> Result<Measured, Unavailable> {
    let strains = crate::local_strains(earlier, packing)?;
    let diameter = 2.0 * earlier.mean_radius();
    // In space the band is looked for in the plane of the first and the last axis.
    let plane = [0, packing.dimension - 1];
    let band = crate::shear_band(&strains, plane, diameter)?;
    let whole: f64 = strains.iter().map(|strain| strain.weight).sum();
    let mean = strains.iter().map(|strain| strain.weight * strain.shear).sum::<f64>() / whole;
    let off = strains.iter().map(|strain| strain.weight * (strain.shear - mean).powi(2)).sum::<f64>() / whole;
    let values = values(
        &SHEAR_BAND,
        [
            (
                "°",
                Ok(super::Number {
                    points: Some(band.points),
                    ..[band.angle.to_degrees(), band.uncertainty.to_degrees()].into()
                }),
            ),
            ("diameters", Ok(band.width.into())),
            ("", Ok(band.contrast.into())),
            ("", Ok(mean.into())),
            ("", Ok(off.sqrt().into())),
        ],
    );
    let row = |s: &crate::LocalStrain| {
        vec![s.position[0], s.position[1], s.position[2], s.weight, s.shear, s.volumetric, s.rotation]
    };
    let tables = vec![
        Table {
            name: "local_strains",
            columns: vec!["x_m", "y_m", "z_m", "weight", "shear", "volumetric", "rotation_rad"],
            rows: strains.iter().map(row).collect(),
        },
        Table {
            name: "across_the_band",
            columns: vec!["distance_over_diameter", "shear"],
            rows: band.profile.iter().map(|point| point.to_vec()).collect(),
        },
    ];
    let across = Chart::new(
        format!("Across the band at {:.0}°", band.angle.to_degrees()),
        Axis::linear("distance / ⟨d⟩"),
        Axis::linear("mean shear strain"),
    )
    .with(Curve::new(Style::Both, band.profile.clone()));
    let plots = vec![
        ("local_shear".into(), strain_picture(&strains, earlier, "Local shear strain")?),
        ("across_the_band".into(), across.draw()),
    ];
    Ok(Measured { values, tables, plots })
}
