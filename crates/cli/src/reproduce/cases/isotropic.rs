//! Packings under isotropic pressure: how dense they are and how many contacts hold a grain.

use crate::failure::Failure;
use crate::reproduce::bench::{Bench, Run};
use crate::reproduce::case::{Case, Cost, Findings};
use crate::reproduce::row::{Estimate, Row, measured};
use riprap_measure::picture::Picture;
use riprap_measure::plot::{Axis, Chart, Curve, Style};
use riprap_measure::{Contact, Packing, stress};

/// Spheres.
pub const ISOTROPIC_SPHERES: Case = Case {
    name: "isotropic-spheres",
    title: "Spheres under isotropic pressure",
    source: "I. Agnolin, J.-N. Roux 2007, Phys. Rev. E 76, 061302, table II (friction 0: 0.639 and 6; friction 0.3: 0.593 and \
             4.5); C. S. O'Hern, L. E. Silbert, A. J. Liu, S. R. Nagel 2003, Phys. Rev. E 68, 011306, fig. 7 (0.639); L. E. \
             Silbert, D. Ertaş, G. S. Grest, T. C. Halsey, D. Levine 2002, Phys. Rev. E 65, 031304 (towards 4)",
    about: "Equal spheres in a periodic cell are compressed from a solid fraction of 0.3 by the same pressure along \
            all axes until they are at rest, with the friction of the final packing. Contacts below a thousandth of \
            the mean force are not counted, nor are rattlers: grains with too few contacts to be held (without \
            friction, one more than the dimension; with friction, two), after contacts with other rattlers have been \
            removed.",
    cost: Cost { quick_s: 100.0, full_s: 520.0 },
    run: spheres,
};

/// Disks.
pub const ISOTROPIC_DISKS: Case = Case {
    name: "isotropic-disks",
    title: "Disks of two sizes under isotropic pressure",
    source: "C. S. O'Hern, L. E. Silbert, A. J. Liu, S. R. Nagel 2003, Phys. Rev. E 68, 011306, fig. 7 (0.842 and 4); K. \
             Shundyak, M. van Hecke, W. van Saarloos 2007, Phys. Rev. E 75, 010301 (towards 3)",
    about: "Disks of two sizes (ratio 1.4, half of each) in a periodic cell are compressed from a solid fraction of \
            0.5 by the same pressure along both axes until they are at rest. Contacts and rattlers are counted as for \
            isotropic-spheres.",
    cost: Cost { quick_s: 25.0, full_s: 200.0 },
    run: disks,
};

/// What is measured of a packing.
struct SampleNumbers {
    solid_fraction: f64,
    coordination: f64,
    pressure: f64,
}

/// What several packings of one friction gave.
struct SampleMeans {
    solid_fraction: Estimate,
    coordination: Estimate,
    pressure: Estimate,
}

const PUBLISHED_RANGE: &str = "the published range";
const COUNT: &str = "each redundant or missing contact changes it by 2/N; rattlers are uncertain by a few hundredths";
const BALANCE: &str = "a packing at rest must be within one per cent";

fn spheres(bench: &mut Bench) -> Result<Findings, Failure> {
    let scene = include_str!("../scenes/isotropic_spheres.toml");
    let (count, side) = bench.choose((1000, 12.0), (3000, 17.4));
    let mut findings = Findings::default();
    let smooth = packings(bench, scene, count, side, 3, "0", &mut findings)?;
    let rough = packings(bench, scene, count, side, 3, "0.3", &mut findings)?;
    let roughest = packings(bench, scene, count, side, 3, "10", &mut findings)?;
    let row = measured("solid fraction, friction 0", smooth.solid_fraction).published(0.639);
    let row = row.within(0.005, PUBLISHED_RANGE).claim("Agnolin & Roux, table II; O'Hern et al., fig. 7");
    findings.row(row.null("friction 0.3", rough.solid_fraction.value));
    let row = measured("coordination, friction 0", smooth.coordination).published(6.0).within(0.1, COUNT);
    findings.row(row.claim("isostatic: 2d").null("friction 0.3", rough.coordination.value));
    findings.row(balance("0", smooth.pressure));
    let about = "approximate in the source; it depends on how fast the packing is compressed";
    let row = measured("solid fraction, friction 0.3", rough.solid_fraction).published(0.593).within(0.01, about);
    findings.row(row.claim("Agnolin & Roux, table II").null("friction 0", smooth.solid_fraction.value));
    let row = measured("coordination, friction 0.3", rough.coordination).published(4.5).within(0.2, about);
    findings.row(row.claim("Agnolin & Roux, table II").null("friction 0", smooth.coordination.value));
    findings.row(balance("0.3", rough.pressure));
    let row = measured("coordination, friction 10", roughest.coordination).published("towards 4");
    let row = row.between(3.9, 4.3, "isostatic is 4; published packings reach about 4.2 at high friction");
    findings.row(row.claim("Silbert et al. 2002").null("friction 0.3", rough.coordination.value));
    findings.row(balance("10", roughest.pressure));
    findings.remark(
        "At friction 10 most steps reach the limit of sweeps before they have converged: this coordination is less \
         certain than the others.",
    );
    Ok(findings)
}

fn disks(bench: &mut Bench) -> Result<Findings, Failure> {
    let scene = include_str!("../scenes/isotropic_disks.toml");
    let (count, side) = bench.choose((1000, 40.0), (4000, 80.0));
    let mut findings = Findings::default();
    let smooth = packings(bench, scene, count, side, 2, "0", &mut findings)?;
    let roughest = packings(bench, scene, count, side, 2, "10", &mut findings)?;
    let row = measured("solid fraction, friction 0", smooth.solid_fraction).published(0.842);
    let row = row.within(0.005, PUBLISHED_RANGE).claim("O'Hern et al., fig. 7");
    findings.row(row.null("friction 10", roughest.solid_fraction.value));
    let row = measured("coordination, friction 0", smooth.coordination).published(4.0).within(0.1, COUNT);
    findings.row(row.claim("isostatic: 2d").null("friction 10", roughest.coordination.value));
    findings.row(balance("0", smooth.pressure));
    let row = measured("coordination, friction 10", roughest.coordination).published("towards 3");
    let row = row.between(2.9, 3.3, "isostatic is 3; published packings reach about 3.1 at high friction");
    findings.row(row.claim("Shundyak et al. 2007").null("friction 0", smooth.coordination.value));
    findings.row(balance("10", roughest.pressure));
    Ok(findings)
}

fn balance(friction: &str, pressure: Estimate) -> Row {
    let row = measured(format!("pressure from contact forces over that imposed, friction {friction}"), pressure);
    row.published(1.0).within(0.01, BALANCE).consistency()
}

/// Makes packings of one friction, from several seeds at full size.
fn packings(
    bench: &mut Bench,
    scene: &str,
    count: u32,
    side: f64,
    dimension: usize,
    friction: &str,
    findings: &mut Findings,
) -> Result<SampleMeans, Failure> {
    let seeds = bench.choose(1, 2);
    let material = if dimension == 3 { "materials.sphere.friction" } else { "materials.disk.friction" };
    let (count, side) = (count.to_string(), side.to_string());
    let mut all = Vec::new();
    for seed in 1..=seeds {
        let seed = seed.to_string();
        let mut changes = vec![
            ("seed", seed.as_str()),
            ("grains.0.count", &count),
            (material, friction),
            ("domain.periodic.x", &side),
        ];
        changes.push(("domain.periodic.y", &side));
        if dimension == 3 {
            changes.push(("domain.periodic.z", &side));
        }
        let run = bench.run(&format!("friction-{friction}-{seed}"), scene, &changes)?;
        let packing = run.last()?;
        all.push(measure(&packing, friction)?);
        findings.remark(format!("Friction {friction}, seed {seed}: {}.", describe(&run, &packing, friction)?));
        if seed == "1" {
            figures(&run, &packing, friction, findings)?;
        }
    }
    let mean = |value: fn(&SampleNumbers) -> f64| Estimate::mean(&all.iter().map(value).collect::<Vec<_>>());
    Ok(SampleMeans {
        solid_fraction: mean(|found| found.solid_fraction),
        coordination: mean(|found| found.coordination),
        pressure: mean(|found| found.pressure),
    })
}

fn measure(packing: &Packing, friction: &str) -> Result<SampleNumbers, Failure> {
    let cell: f64 = packing.period[..packing.dimension].iter().product();
    let volume: f64 = packing.grains.iter().map(|grain| grain.volume).sum();
    let (held, contacts) = held(packing, friction);
    Ok(SampleNumbers {
        solid_fraction: volume / cell,
        coordination: 2.0 * contacts as f64 / held as f64,
        pressure: stress(packing, None)?.pressure(),
    })
}

/// How many grains are held, and by how many contacts among each other. Contacts below a thousandth of the mean force do not
/// count, since a solve does not resolve them.
pub(super) fn held(packing: &Packing, friction: &str) -> (usize, usize) {
    let least = if friction == "0" { packing.dimension + 1 } else { 2 };
    let size = |contact: &Contact| contact.force.iter().map(|f| f * f).sum::<f64>().sqrt();
    let bearing: Vec<&Contact> = packing.contacts.iter().flatten().filter(|contact| contact.bears()).collect();
    let mean = bearing.iter().map(|contact| size(contact)).sum::<f64>() / bearing.len().max(1) as f64;
    let pairs: Vec<Vec<usize>> = bearing
        .iter()
        .filter(|contact| size(contact) >= 1e-3 * mean)
        .map(|contact| contact.grains().collect())
        .collect();
    let mut is_held = vec![true; packing.grains.len()];
    loop {
        let mut count = vec![0; packing.grains.len()];
        let among = || pairs.iter().filter(|pair| pair.iter().all(|&grain| is_held[grain]));
        among().flatten().for_each(|&grain| count[grain] += 1);
        let contacts = among().count();
        let still: Vec<bool> = is_held.iter().zip(&count).map(|(&is_held, &count)| is_held && count >= least).collect();
        if still == is_held {
            return (is_held.iter().filter(|&&is_held| is_held).count(), contacts);
        }
        is_held = still;
    }
}

fn describe(run: &Run, packing: &Packing, friction: &str) -> Result<String, Failure> {
    let rattlers = packing.grains.len() - held(packing, friction).0;
    let unbalanced = run.summary["unbalanced_force_over_contact_force"]["mean"].as_f64().unwrap_or(f64::NAN);
    Ok(format!(
        "{}; {:.1} % rattlers, mean unbalanced force {unbalanced:.1e} of the mean contact force, residual {:.1e}",
        run.effort(),
        100.0 * rattlers as f64 / packing.grains.len() as f64,
        run.number("last_residual")?
    ))
}

fn figures(run: &Run, packing: &Packing, friction: &str, findings: &mut Findings) -> Result<(), Failure> {
    let series = run.series()?;
    let (time, fraction) = (series.column("time_s"), series.column("solid_fraction"));
    let points = time.iter().zip(&fraction).map(|(&t, &fraction)| [t, fraction]).collect();
    findings.chart(
        &format!("compression-{friction}"),
        format!("Solid fraction while the cell is compressed, friction {friction}."),
        &Chart::new("", Axis::linear("time (d √(ρ/p))"), Axis::linear("solid fraction"))
            .with(Curve::new(Style::Line, points)),
    );
    if packing.dimension == 2 {
        let picture = Picture { forces: true, width: 420.0, ..Picture::new(2) };
        let caption = format!("The force network, friction {friction}.");
        findings.picture(&format!("forces-{friction}"), caption, &picture.draw(packing, None)?);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use riprap_engine::Status;
    use riprap_measure::{End, Grain};

    #[test]
    fn rattlers_are_taken_away_one_after_the_other() {
        // Four grains that all touch each other, and a chain of two that hangs on the first.
        let pairs = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3], [0, 4], [4, 5]];
        let contact = |[a, b]: [u32; 2]| Contact {
            ends: [End::Grain(a), End::Grain(b)],
            normal: [1.0, 0.0, 0.0],
            arms: [[0.0; 3]; 2],
            force: [1.0, 0.0, 0.0],
            gap: 0.0,
            status: Status::Stick,
        };
        let mut packing = Packing { dimension: 2, grains: vec![Grain::default(); 6], ..Packing::default() };
        packing.contacts = Some(pairs.map(contact).to_vec());
        assert_eq!(held(&packing, "0"), (4, 6));
        assert_eq!(held(&packing, "0.3"), (4, 6));
        packing.dimension = 3;
        assert_eq!(held(&packing, "0"), (0, 0));
    }
}
