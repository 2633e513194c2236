//! The examples of A-CD² (P3): a biaxial test between membranes, and a landslide.

use crate::failure::Failure;
use crate::reproduce::bench::{Bench, packing};
use crate::reproduce::case::{Case, Cost, Estimate, Findings, measured};
use riprap_measure::picture::strain_picture;
use riprap_measure::{local_strains, shear_band, stress};

/// The shear band.
pub const BAND: Case = Case {
    name: "shear-band",
    title: "The shear band of a biaxial test between membranes",
    source: "S. Dal Pont, E. Dimnet 2006 (P3), fig. 7, table 2",
    about: "scenes/biaxial.toml by A-CD²: 200 disks of radius 0.1 m with a contact friction of 0.1 between two plates, with \
            membranes at the sides, are compressed by 12 % of their height. The band is the strip in which the local strains \
            between the beginning and the end of the load are concentrated most; its angle is taken to the plates. Mean over \
            several seeds.",
    cost: Cost { quick_s: 25.0, full_s: 80.0 },
    run,
};

const SCENE: &str = include_str!("../../../../../scenes/biaxial.toml");

fn run(bench: &mut Bench) -> Result<Findings, Failure> {
    let seeds = bench.choose(4, 16);
    let (mut angles, mut frictions, mut contrasts) = (Vec::new(), Vec::new(), Vec::new());
    let mut findings = Findings::default();
    for seed in 1..=seeds {
        let run = bench.run(&format!("seed-{seed}"), SCENE, &[("seed", &seed.to_string())])?;
        let began = run.series()?.of("load").column("time_s").first().copied().unwrap_or(f64::INFINITY);
        let packings = run.snapshots()?.iter().map(|path| packing(path)).collect::<Result<Vec<_>, _>>()?;
        let first = packings.iter().rfind(|packing| packing.time < began - 1e-9);
        let (Some(first), Some(last)) = (first, packings.last()) else { continue };
        let strains = local_strains(first, last)?;
        let band = shear_band(&strains, [0, 1], 2.0 * last.mean_radius())?;
        let angle = band.angle.to_degrees();
        angles.push(angle.min(180.0 - angle));
        contrasts.push(band.contrast);
        // The strength is the largest friction angle of the whole stress on the way.
        let loaded = packings.iter().filter(|packing| packing.time >= began);
        let angles = loaded.map(|packing| Ok(stress(packing, None)?.friction_angle().to_degrees()));
        frictions.push(angles.collect::<Result<Vec<f64>, Failure>>()?.into_iter().fold(0.0, f64::max));
        if seed == 1 {
            let picture = strain_picture(&strains, last, "")?;
            findings.picture("band", "Local shear strain, first seed.", &picture);
        }
    }
    let (angle, friction) = (Estimate::mean(&angles), Estimate::mean(&frictions));
    let row = measured("angle of the band to the plates (°)", angle).published(50.0);
    findings.row(row.within(5.0, "read off a figure of one sample; bands of 200 disks are some ten disks long"));
    let contact = 45.0 + 0.5 * 0.1_f64.atan().to_degrees();
    let row = measured("the same, against π/4 + φ/2 with the contact's φ (°)", angle).published(contact);
    findings.row(row.within(5.0, "as above; the source compares with this angle"));
    let row =
        measured("the same, against π/4 + φ/2 with the measured φ (°)", angle).published(45.0 + 0.5 * friction.value);
    findings.row(row.within(5.0, "as above; Coulomb's angle with the friction of the packing"));
    findings.remark(format!(
        "Largest friction angle of the packing on the way: {:.1}° ± {:.1}° over {seeds} seeds. The band shears {:.1} times as \
         much as the mean. Shape, confining force and stiffness of the membranes are not published: twice as high as wide, \
         10 kPa, 200 kN/m. Angles of the single seeds: {}.",
        friction.value,
        friction.uncertainty.unwrap_or(0.0),
        Estimate::mean(&contrasts).value,
        angles.iter().map(|angle| format!("{angle:.0}°")).collect::<Vec<_>>().join(", ")
    ));
    Ok(findings)
}
