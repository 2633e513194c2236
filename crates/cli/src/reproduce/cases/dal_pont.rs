//! The examples of A-CD² (P3): a biaxial test between membranes, and a landslide.

use crate::failure::Failure;
use crate::reproduce::bench::{Bench, packing};
use crate::reproduce::case::{Case, Cost, Estimate, Findings, measured};
use crate::reproduce::cases::template;
use riprap_measure::picture::{Picture, Shade, strain_picture};
use riprap_measure::plot::{Axis, Chart, Curve, Style};
use riprap_measure::{local_strains, shear_band, stress};

/// The shear band.
pub const BAND: Case = Case {
    name: "shear-band",
    title: "The shear band of a biaxial test between membranes",
    source: "S. Dal Pont, E. Dimnet 2006 (P3), fig. 7, table 2",
    about: "scenes/biaxial.toml with A-CD²: 200 disks of radius 0.1 m with a contact friction of 0.1, between two \
            plates and with membranes at the sides, are compressed by 12 % of their height. The band is the strip in \
            which the local strains between the beginning and the end of loading are most concentrated; its angle is \
            measured from the plates. Values are means over several seeds.",
    cost: Cost { quick_s: 25.0, full_s: 80.0 },
    run: run_band,
};

/// The landslide.
pub const LANDSLIDE: Case = Case {
    name: "landslide",
    title: "A landslide of 300 random regular polygons",
    source: "S. Dal Pont, E. Dimnet 2006 (P3), figs. 5 and 6, table 1",
    about: "scenes/landslide.toml with A-CD² and viscous contacts, K_N = K_T = 78 kg/m, δt = 0.1 ms (quick: 100 \
            polygons, δt = 0.5 ms): polygons settle behind a gate on a chute of 30°, slide down when it is removed, \
            and come to rest. The published geometry is given only as a figure.",
    cost: Cost { quick_s: 40.0, full_s: 600.0 },
    run: run_landslide,
};

fn run_band(bench: &mut Bench) -> Result<Findings, Failure> {
    let seeds = bench.choose(4, 16);
    let (mut angles, mut frictions, mut contrasts) = (Vec::new(), Vec::new(), Vec::new());
    let mut findings = Findings::default();
    for seed in 1..=seeds {
        let run = bench.run(&format!("seed-{seed}"), template("biaxial"), &[("seed", &seed.to_string())])?;
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

fn run_landslide(bench: &mut Bench) -> Result<Findings, Failure> {
    let changes: &[(&str, &str)] =
        bench.choose(&[("grains.0.count", "100"), ("solver.time_step", "\"0.5 ms\"")][..], &[]);
    let run = bench.run("landslide", template("landslide"), changes)?;
    let mut findings = Findings::default();
    let grains = run.number("grains")?;
    let row = measured("mean kinetic energy of a polygon at the end (J)", run.number("kinetic_energy_J")? / grains);
    findings.row(
        row.published("falls below a threshold").at_most(
            1.0,
            "a thousandth of its weight times its radius; the source names a threshold without its value",
        ),
    );
    let row = measured("error of the balance of energy", run.number("energy_error")?.abs());
    findings.row(
        row.published("dissipation is not negative").at_most(1e-6, "the balance is closed to rounding in every step"),
    );
    let slide = run.series()?.of("slide");
    let (time, energy) = (slide.column("time_s"), slide.column("kinetic_energy_J"));
    let began = time.first().copied().unwrap_or(0.0);
    let points = time.iter().zip(&energy).map(|(&t, &e)| [t - began, e / grains]).collect();
    findings.chart(
        "energy",
        "Mean kinetic energy of a polygon since the gate opened.",
        &Chart::new("", Axis::linear("time (s)"), Axis::log("kinetic energy (J)"))
            .with(Curve::new(Style::Line, points)),
    );
    for path in run.snapshots()? {
        let packing = packing(&path)?;
        let since = packing.time - began;
        // The published states.
        if let Some(shown) = [1.0, 2.5, 5.0, 10.0].into_iter().find(|shown: &f64| (since - shown).abs() < 0.05) {
            let picture = Picture { grains: Shade::Speed, ..Picture::new(2) };
            let caption = format!("{shown} s after the gate opened, by speed.");
            findings.picture(&format!("slide-{shown}"), caption, &picture.draw(&packing, None)?);
        }
    }
    let violations = run.summary["clausius_duhem_violations"].as_u64().unwrap_or(0);
    findings.remark(format!(
        "It came to rest {:.1} s after the gate opened. {violations} steps violate the inequality of Clausius and Duhem in some \
         contact. The run: {}.",
        run.number("time_s")? - began,
        run.effort()
    ));
    Ok(findings)
}
