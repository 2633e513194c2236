//! The examples of A-CD² (P3): a biaxial test between membranes, and a landslide.

use crate::failure::Failure;
use crate::reproduce::bench::{Bench, Run, packing, step_failed, two_dimensional};
use crate::reproduce::case::{Case, Cost, Findings};
use crate::reproduce::cases::template;
use crate::reproduce::row::{Estimate, measured, short};
use rand::RngExt;
use rand_pcg::Pcg64;
use riprap_engine::Silent;
use riprap_measure::picture::{Picture, Shade, strain_picture};
use riprap_measure::plot::{Axis, Chart, Curve, Style};
use riprap_measure::{LocalStrain, Packing, local_strains, shear_band, stress};

/// The shear band.
pub const BAND: Case = Case {
    name: "shear-band",
    title: "The shear band of a biaxial test between membranes",
    source: "S. Dal Pont, E. Dimnet 2006 (P3), fig. 7, table 2",
    about: "scenes/biaxial.toml with A-CD², and with random regular polygons of circumradius 0.1 m inside, as in the \
            landslide of the same paper: 200 grains with a contact friction of 0.1, between two plates and with \
            membranes at the sides, are compressed by 12 % of their height. The band is the strip in which the local \
            strains between the beginning and the end of loading are most concentrated; its angle is measured from \
            the plates. A sample has localised if its band shears more than those of 40 fields in which the same \
            strains are placed at random; only the bands of such samples are measured.",
    cost: Cost { quick_s: 60.0, full_s: 240.0 },
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

/// Uzawa's method.
pub const UZAWA: Case = Case {
    name: "uzawa",
    title: "Uzawa's method and exact sweeps give the same motion",
    source: "S. Dal Pont, E. Dimnet 2006 (P3), section 4",
    about: "Disks with friction fall onto a floor and come to rest, by A-CD²: solved contact by contact, by Uzawa's method \
            with Coulomb's law as a sequence of Tresca problems, and by Uzawa's method with thresholds and multipliers \
            updated together, all to a residual of 1e-9. Compared are the speeds of all disks after each step.",
    cost: Cost { quick_s: 5.0, full_s: 5.0 },
    run: run_uzawa,
};

/// What became of one sample of the biaxial test.
struct Sample {
    /// Degrees from the plates.
    angle: f64,
    /// Shear strain in the band over the mean.
    contrast: f64,
    /// The largest contrast of the fields with strains at random places.
    noise: f64,
    /// The angle in one of these.
    noise_angle: f64,
    /// Largest friction angle of the whole stress on the way, in degrees.
    friction: f64,
}

fn run_band(bench: &mut Bench) -> Result<Findings, Failure> {
    let seeds = bench.choose(4, 16);
    let mut findings = Findings::default();
    let mut samples = Vec::new();
    for seed in 1..=seeds {
        let changes = [
            ("seed", seed.to_string()),
            ("grains.1.radius", "\"10 cm\"".to_owned()),
            ("grains.1.shape", "{ polygon = { sides = 5, sides_max = 9 } }".to_owned()),
        ];
        let run = bench.run(&format!("seed-{seed}"), template("biaxial"), &changes)?;
        let Some((sample, strains, last)) = band_of(&run)? else { continue };
        if seed == 1 {
            let picture = strain_picture(&strains, &last, "")?;
            findings.picture("band", "Local shear strain, first seed.", &picture);
        }
        findings.remark(format!(
            "Seed {seed}: {:.0}°, {:.2} times the mean strain, at most {:.2} if strains are placed at random; {}.",
            sample.angle,
            sample.contrast,
            sample.noise,
            run.effort()
        ));
        samples.push(sample);
    }
    judge_bands(&mut findings, &samples);
    Ok(findings)
}

/// The band of a run, its local strains and its last packing.
fn band_of(run: &Run) -> Result<Option<(Sample, Vec<LocalStrain>, Packing)>, Failure> {
    let began = run.series()?.of("load").column("time_s").first().copied().unwrap_or(f64::INFINITY);
    let mut packings = run.snapshots()?.iter().map(|path| packing(path)).collect::<Result<Vec<_>, _>>()?;
    let Some(last) = packings.pop() else { return Ok(None) };
    let Some(first) = packings.iter().rfind(|packing| packing.time < began - 1e-9) else { return Ok(None) };
    let strains = local_strains(first, &last)?;
    let band = |strains: &[LocalStrain]| -> Result<(f64, f64), Failure> {
        let band = shear_band(strains, [0, 1], 2.0 * last.mean_radius())?;
        let angle = band.angle.to_degrees();
        Ok((angle.min(180.0 - angle), band.contrast))
    };
    let (angle, contrast) = band(&strains)?;
    let mut random = Pcg64::new(7, 29);
    let (mut noise, mut noise_angle) = (0.0, f64::NAN);
    for _ in 0..40 {
        let (angle, contrast) = band(&dealt_anew(&strains, &mut random))?;
        noise = f64::max(noise, contrast);
        noise_angle = angle;
    }
    let loaded = packings.iter().filter(|packing| packing.time >= began);
    let frictions = loaded.map(|packing| Ok(stress(packing, None)?.friction_angle().to_degrees()));
    let friction = frictions.collect::<Result<Vec<f64>, Failure>>()?.into_iter().fold(0.0, f64::max);
    Ok(Some((Sample { angle, contrast, noise, noise_angle, friction }, strains, last)))
}

/// The same strains at random places.
fn dealt_anew(strains: &[LocalStrain], random: &mut Pcg64) -> Vec<LocalStrain> {
    let mut shears: Vec<f64> = strains.iter().map(|strain| strain.shear).collect();
    (1..shears.len()).rev().for_each(|last| shears.swap(last, random.random_range(0..=last)));
    strains.iter().zip(shears).map(|(strain, shear)| LocalStrain { shear, ..*strain }).collect()
}

fn judge_bands(findings: &mut Findings, samples: &[Sample]) {
    let bands: Vec<&Sample> = samples.iter().filter(|sample| sample.contrast > sample.noise).collect();
    let share = bands.len() as f64 / samples.len() as f64;
    let row = measured("share of samples that localise", share).published("a slipping band forms");
    let row = row.at_least(0.5, "most of them; the source shows one").claim("P3 fig. 7").revised(CHOICES);
    findings.row(row.null("strains placed at random, by definition of the threshold", 1.0 / 40.0));
    let angles: Vec<f64> = bands.iter().map(|sample| sample.angle).collect();
    let angle = Estimate::mean(&angles);
    // The source compares with π/4 + φ/2 for the friction of the contacts.
    let coulomb = |sign: f64| 45.0 + sign * 0.5 * 0.1_f64.atan().to_degrees();
    let row = measured("angle of the band to the plates (°)", angle).published(50.0);
    let row = row.within(5.0, "read off a figure of one sample; bands of 200 grains are some ten grains long");
    let row = row.claim(format!("P3 fig. 7: \"an angle of about 50°\", with π/4 + φ/2 = {:.1}°", coulomb(1.0)));
    findings.row(row.revised(CHOICES).null("the direction π/4 − φ/2", coulomb(-1.0)));
    let row =
        measured("scatter of the angle over the samples (°)", deviation(&angles)).published("one band, one angle");
    let row = row.at_most(10.0, "less than half of that of random directions").revised(CHOICES);
    let noise: Vec<f64> = samples.iter().map(|sample| sample.noise_angle).collect();
    findings.row(row.null("strains placed at random", deviation(&noise)));
    let friction = Estimate::mean(&samples.iter().map(|sample| sample.friction).collect::<Vec<_>>());
    findings.remark(format!(
        "Largest friction angle of the packing during loading: {:.1}° ± {:.1}°; Coulomb's angle would then be {:.1}°. \
         Shape, confining force and stiffness of the membranes are not published: twice as high as wide, 10 kPa, 200 \
         kN/m.",
        friction.value,
        friction.uncertainty.unwrap_or(0.0),
        45.0 + 0.5 * friction.value
    ));
}

/// What all rows of the band owe to choices.
const CHOICES: &str = "the grains, which were disks of 0.08 to 0.1 m, whose bands had angles from 4° to 70° and were \
                       hardly visible; and the rows, which were three comparisons of one mean angle, and which noise \
                       passes every second time";

/// The standard deviation of some values.
fn deviation(values: &[f64]) -> f64 {
    let mean = Estimate::mean(values);
    mean.uncertainty.map_or(f64::NAN, |error| error * (values.len() as f64).sqrt())
}

fn run_landslide(bench: &mut Bench) -> Result<Findings, Failure> {
    let changes: &[(&str, &str)] =
        bench.choose(&[("grains.0.count", "100"), ("solver.time_step", "\"0.5 ms\"")][..], &[]);
    let run = bench.run("landslide", template("landslide"), changes)?;
    let mut findings = Findings::default();
    let grains = run.number("grains")?;
    let violations = run.number("clausius_duhem_violations")?;
    let row = measured("steps in which contacts generate energy", violations).published(0.0);
    let row = row.within(0.0, "the inequality must hold in every step");
    let row = row.revised("the quantity, which was the error of the energy balance and only tested the bookkeeping");
    let row = row.no_null("no law of this method can generate energy, so there is nothing to compare with");
    findings.row(row.claim("P3 (11), (12): \"It proves that the evolution is dissipative\""));
    let row = measured("mean kinetic energy of a polygon at the end (J)", run.number("kinetic_energy_J")? / grains);
    let row = row.published("falls below a threshold").at_most(1.0, "the end of the last stage");
    findings.row(row.consistency());
    let row = measured("error of the balance of energy", run.number("energy_error")?.abs()).published(0.0);
    findings.row(row.at_most(1e-6, "the balance is closed to rounding in every step").consistency());
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
            let at = time.iter().position(|&t| t >= packing.time - 1e-9).and_then(|row| energy.get(row));
            let mean = at.map_or(f64::NAN, |energy| energy / grains);
            findings.remark(format!(
                "{shown} s after the gate opened: {}; the mean kinetic energy of a polygon is {} J.",
                whereabouts(&packing),
                short(mean)
            ));
        }
    }
    findings.remark(format!(
        "The slide came to rest {:.1} s after the gate opened. Fig. 6 of the source has no numbers. The run: {}.",
        run.number("time_s")? - began,
        run.effort()
    ));
    Ok(findings)
}

/// Where a slide is: its front and its centre of mass.
fn whereabouts(packing: &Packing) -> String {
    let mut places: Vec<f64> = packing.grains.iter().map(|grain| grain.position[0]).collect();
    places.sort_by(f64::total_cmp);
    let front = places[(places.len() * 97 / 100).min(places.len() - 1)];
    let mass: f64 = packing.grains.iter().map(|grain| grain.mass).sum();
    let centre = |axis: usize| packing.grains.iter().map(|grain| grain.mass * grain.position[axis]).sum::<f64>() / mass;
    format!(
        "97 % of the polygons are behind {front:.2} m, the centre of mass is at ({:.2}, {:.2}) m",
        centre(0),
        centre(1)
    )
}

fn run_uzawa(bench: &mut Bench) -> Result<Findings, Failure> {
    let motion = |solver: &str, passes: &str| -> Result<Vec<f64>, Failure> {
        let changes = [("acd2.solver", solver), ("acd2.max_passes", passes)];
        let mut world = two_dimensional(bench.world(include_str!("../scenes/uzawa.toml"), &changes)?)?;
        let mut speeds = Vec::new();
        for _ in 0..120 {
            bench.pause()?;
            world.step(&mut Silent).map_err(step_failed)?;
            speeds.extend(world.state.velocity.iter().map(|velocity| velocity.length()));
        }
        Ok(speeds)
    };
    const ENOUGH: &str = "1000000";
    let exact = motion("gauss-seidel", ENOUGH)?;
    let apart = |speeds: &[f64]| {
        let largest = exact.iter().copied().fold(0.0, f64::max);
        exact.iter().zip(speeds).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) / largest
    };
    let mut findings = Findings::default();
    for (solver, words) in [("uzawa-sequence", "sequence of Tresca problems"), ("uzawa-single-loop", "single loop")] {
        let row = measured(format!("largest difference of a speed, {words}"), apart(&motion(solver, ENOUGH)?));
        let row = row.published("converges to the solution");
        let row =
            row.at_most(1e-4, "residuals of 1e-9 over 120 steps, in which differences grow where grains slide or roll");
        // So rough a solve may let disks pass through each other, which ends the run.
        let rough = motion(solver, "10").map_or(f64::NAN, |speeds| apart(&speeds));
        findings.row(row.claim("P3 §4.2").null("ten passes", rough));
    }
    Ok(findings)
}
