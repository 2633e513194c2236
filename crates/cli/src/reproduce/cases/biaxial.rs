//! Disks under biaxial load: weak and strong networks, and what the stress is made of.

use crate::failure::Failure;
use crate::reproduce::bench::{Bench, packing};
use crate::reproduce::case::{Case, Cost, Findings};
use crate::reproduce::row::{Estimate, measured};
use rand::RngExt;
use rand_pcg::Pcg64;
use riprap_measure::picture::Picture;
use riprap_measure::plot::{Axis, Chart, Curve, Style};
use riprap_measure::{Packing, Region, fabric, networks, packed_region, stress};

/// Networks and anisotropies.
pub const NETWORKS: Case = Case {
    name: "biaxial-networks",
    title: "Weak and strong forces in disks under biaxial load",
    source: "F. Radjai, D. E. Wolf, M. Jean, J. J. Moreau 1998, Phys. Rev. Lett. 80, 61, figs. 3 and 4 (networks); L. \
             Rothenburg, R. J. Bathurst 1989, Géotechnique 39, 601 (q/p from anisotropies)",
    about: "Disks with a size ratio of 2 and friction 0.5 between smooth walls are compressed isotropically, then \
            slowly from above at constant lateral pressure (inertial number 2e-3 quick, 5e-4 full). Contacts with less \
            than the mean force are weak. Values are means over snapshots between 2 % and 8 % strain, in the region at \
            least three diameters away from the walls.",
    cost: Cost { quick_s: 26.0, full_s: 250.0 },
    run,
};

const BIAXIAL_SCENE: &str = include_str!("../scenes/biaxial_disks.toml");

fn run(bench: &mut Bench) -> Result<Findings, Failure> {
    let changes: &[(&str, &str)] = bench.choose(
        &[][..],
        &[
            ("grains.0.count", "3000"),
            ("walls.0.upper", "[60, 95]"),
            ("drivers.0.mass", "70"),
            ("drivers.1.mass", "70"),
            ("stages.0.end.steps", "4000"),
            ("stages.1.drivers.0.y.velocity", "-0.04"),
            ("outputs.snapshot_interval", "10"),
        ],
    );
    let run = bench.run("biaxial", BIAXIAL_SCENE, changes)?;
    let mut found = Found::default();
    let began = run.series()?.of("load").column("time_s").first().copied().unwrap_or(f64::INFINITY);
    let (mut height, mut last) = (f64::NAN, None);
    for snapshot in run.snapshots()? {
        let packing = packing(&snapshot)?;
        let Some(top) = packing.walls.iter().find(|wall| wall.name == "box.top") else { continue };
        // The last snapshot before the load is of its beginning.
        if packing.time < began - 1e-9 {
            height = top.position[1];
            continue;
        }
        found.add(&packing, 1.0 - top.position[1] / height)?;
        last = Some(packing);
    }
    let mut findings = Findings::default();
    found.judge(&mut findings);
    if let Some(packing) = &last {
        let picture = Picture { forces: true, ..Picture::new(2) };
        findings.picture("forces", "The force network at the end of the load.", &picture.draw(packing, None)?);
    }
    findings.remark(format!("The run: {}.", run.effort()));
    Ok(findings)
}

/// What the snapshots gave.
#[derive(Default)]
struct Found {
    strain: Vec<f64>,
    ratio: Vec<f64>,
    half_sum: Vec<f64>,
    /// Half the sum without the anisotropy of tangential forces.
    half_normal: Vec<f64>,
    weak: Vec<[f64; 3]>,
    /// The share of the deviator that weak contacts carry if the forces are dealt out anew among the contacts.
    shuffled: Vec<f64>,
}

impl Found {
    fn add(&mut self, packing: &Packing, strain: f64) -> Result<(), Failure> {
        let inner = packed_region(packing)?.inset(6.0 * packing.mean_radius(), packing);
        let stress = stress(packing, Some(&inner))?;
        let fabric = fabric(packing, Some(&inner), None)?;
        let amplitude = |part: &Result<riprap_measure::Anisotropy, riprap_measure::Unavailable>| {
            part.as_ref().map_or(f64::NAN, |anisotropy| anisotropy.value)
        };
        let normal = fabric.contact.value + amplitude(&fabric.normal);
        self.strain.push(strain);
        self.ratio.push(stress.deviator() / stress.pressure());
        self.half_sum.push(0.5 * (normal + amplitude(&fabric.tangential)));
        self.half_normal.push(0.5 * normal);
        self.weak.push(weak(packing, &inner)?);
        self.shuffled.push(weak(&dealt_anew(packing), &inner)?[2]);
        Ok(())
    }

    fn judge(&self, findings: &mut Findings) {
        let loaded: Vec<usize> = (0..self.strain.len()).filter(|&k| self.strain[k] >= 0.02).collect();
        let mean = |value: &dyn Fn(usize) -> f64| Estimate::mean(&loaded.iter().map(|&k| value(k)).collect::<Vec<_>>());
        let row = measured("share of contacts that are weak", mean(&|k| self.weak[k][0])).published(0.6);
        let row = row.within(0.05, "published values are between 0.58 and 0.63");
        findings.row(
            row.claim("fig. 3: about 60 % of the contacts").null("forces spread symmetrically about their mean", 0.5),
        );
        let row = measured("share of the pressure that they carry", mean(&|k| self.weak[k][1])).published(0.3);
        let row = row.within(0.05, "published values are between 0.27 and 0.3");
        // Half of a normal distribution lies below its mean, on average 0.8 of its standard deviation.
        let normal = 0.5 * (1.0 - 0.3 * (2.0 / std::f64::consts::PI).sqrt());
        let row = row.null("a normal distribution of forces with a width of 30 %", normal);
        findings.row(row.claim("fig. 4: 28 to 29 % of the mean stress"));
        let row = measured("share of the deviator that they carry", mean(&|k| self.weak[k][2]));
        let row = row.published("almost none").between(-0.05, 0.05, "a sixth of their share of the pressure");
        let row = row.revised("the range, which was ± 0.1, so wide that 0.091 ± 0.006 passed");
        let shuffled = mean(&|k| self.shuffled[k]).value;
        findings.row(
            row.claim("fig. 4: \"the deviatoric load is carried by the strong network\"")
                .null("forces shuffled among the contacts", shuffled),
        );
        let row = measured("q/p over ½(a_c + a_n + a_t)", mean(&|k| self.ratio[k] / self.half_sum[k])).published(1.0);
        let row = row.within(0.05, "the relation neglects products of anisotropies, a few per cent");
        let without = mean(&|k| self.ratio[k] / self.half_normal[k]).value;
        findings.row(row.claim("Rothenburg & Bathurst 1989").null("the relation without tangential forces", without));
        let points = |values: &[f64]| self.strain.iter().zip(values).map(|(&x, &y)| [x, y]).collect::<Vec<[f64; 2]>>();
        findings.chart(
            "ratio",
            "q/p, and half the sum of the anisotropies, against the vertical strain.",
            &Chart::new("", Axis::linear("strain"), Axis::linear("q/p"))
                .with(Curve::new(Style::Points, points(&self.ratio)).named("from contact forces"))
                .with(Curve::new(Style::OpenPoints, points(&self.half_sum)).named("½(a_{c} + a_{n} + a_{t})")),
        );
        findings.remark(format!("{} snapshots between 2 % and 8 % strain.", loaded.len()));
    }
}

/// The shares of contacts, pressure and deviator of the weak network in a region.
fn weak(packing: &Packing, inner: &Region) -> Result<[f64; 3], Failure> {
    let networks = networks(packing, Some(inner))?;
    let weak = networks.iter().find(|network| network.name == "weak");
    Ok(weak.map_or([f64::NAN; 3], |weak| [weak.contacts, weak.pressure, weak.deviator]))
}

/// The same contacts, each of which has the magnitude of another's force and the direction of its own.
fn dealt_anew(packing: &Packing) -> Packing {
    let mut packing = packing.clone();
    let size = |force: [f64; 3]| force.iter().map(|f| f * f).sum::<f64>().sqrt();
    let mut bearing: Vec<_> = packing.contacts.iter_mut().flatten().filter(|contact| contact.bears()).collect();
    let mut sizes: Vec<f64> = bearing.iter().map(|contact| size(contact.force)).collect();
    let mut random = Pcg64::new(7, 29);
    (1..sizes.len()).rev().for_each(|last| sizes.swap(last, random.random_range(0..=last)));
    for (contact, other) in bearing.iter_mut().zip(sizes) {
        let own = size(contact.force);
        contact.force = contact.force.map(|f| f * other / own);
    }
    packing
}
