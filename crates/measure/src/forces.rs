//! Distributions of contact forces (docs/method.md §10, P4 sections 3 and 4).

use crate::fit::{self, Fit};
use crate::histogram::{Bin, density, even_edges, log_edges};
use crate::linear::{add, dot, length, scaled, sub};
use crate::{Contact, Packing, Region, Unavailable};

/// The fewest forces that have a distribution.
const FEWEST_FORCES: usize = 30;

/// How a distribution is taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ForceOptions {
    /// The force by which all are divided, in newtons; none for the mean magnitude of the forces themselves. For wet
    /// grains it is the largest capillary force `f₀`.
    pub scale: Option<f64>,
    /// Where the exponential tail is fitted, in units of the scale.
    pub tail: [f64; 2],
    /// Where the power law of weak forces is fitted, in units of the scale.
    pub weak: [f64; 2],
    /// Forces below this part of the scale are not resolved by the solver (P0 section 5.2).
    pub resolution: f64,
}

impl Default for ForceOptions {
    fn default() -> Self {
        ForceOptions { scale: None, tail: [1.0, f64::INFINITY], weak: [0.01, 0.5], resolution: 1e-3 }
    }
}

/// Which component of the forces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Component {
    /// Along the normal; compression is positive.
    Normal,
    /// The magnitude across the normal.
    Tangential,
}

/// The distribution of forces, all in units of `scale`.
#[derive(Clone, Debug, PartialEq)]
pub struct ForceDistribution {
    /// How many forces there are.
    pub count: usize,
    /// Their mean, in newtons.
    pub mean: f64,
    /// What they are divided by, in newtons.
    pub scale: f64,
    /// The smallest and the largest over the scale.
    pub extremes: [f64; 2],
    /// The probability density in even bins.
    pub density: Vec<Bin>,
    /// The probability density of the magnitude of compressive forces in bins of equal ratio, for weak forces.
    pub log_density: Vec<Bin>,
    /// The share of the forces below the mean, with its standard error.
    pub below_mean: [f64; 2],
    /// The share of the forces whose magnitude is below the resolution.
    pub unresolved: f64,
    /// The most frequent force.
    pub peak: Peak,
    /// `β` of `P ∝ e^{−βf}` for strong compressive forces.
    pub tail: Result<Fit, Unavailable>,
    /// The same for the magnitude of tensile forces.
    pub tensile_tail: Result<Fit, Unavailable>,
    /// `β` for several lower ends of the range, which shows how much the choice matters.
    pub tail_by_start: Vec<Fit>,
    /// `α` of `P ∝ f^α` for weak compressive forces.
    pub weak: Result<Fit, Unavailable>,
}

/// Where a density is largest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Peak {
    /// The bin.
    pub bin: Bin,
    /// Its density over that of the bin that begins at zero: 1 where the density has no peak away from zero.
    pub over_zero: f64,
    /// One standard error of it.
    pub error: f64,
}

/// The forces of all bearing pairs whose contact point is in the region, in newtons. The points of a face contact are
/// one pair with their resultant force.
pub fn forces(packing: &Packing, region: Option<&Region>, component: Component) -> Result<Vec<f64>, Unavailable> {
    Ok(bearing_pairs(packing, region)?
        .iter()
        .map(|pair| match component {
            Component::Normal => dot(pair.force, pair.normal),
            Component::Tangential => length(sub(pair.force, scaled(pair.normal, dot(pair.force, pair.normal)))),
        })
        .collect())
}

/// How much the normals of two points of one face contact may differ: their scalar product is at least this (8°). A cluster
/// that touches another in two places has two contacts there, each with its own direction.
const ONE_FACE: f64 = 0.99;

/// All bearing contacts whose point is in the region; the points of a face contact are put together.
pub fn bearing_pairs(packing: &Packing, region: Option<&Region>) -> Result<Vec<Contact>, Unavailable> {
    let contacts = packing.contacts.as_ref().ok_or(Unavailable::NoContacts)?;
    let mut pairs: Vec<Contact> = Vec::new();
    let inside = |contact: &Contact| region.is_none_or(|region| region.contains(packing.point(contact)));
    for contact in contacts.iter().filter(|contact| contact.bears() && inside(contact)) {
        let of_pair = pairs.iter_mut().rev().take_while(|other| is_same_pair(other, contact));
        let same_face = |other: &&mut Contact| dot(other.normal, contact.normal) >= ONE_FACE;
        match of_pair.into_iter().find(same_face) {
            None => pairs.push(*contact),
            Some(pair) => {
                // The resultant acts where its moment is that of the parts, to the order of the weights.
                let weights = [length(pair.force), length(contact.force)];
                let share = weights[1] / (weights[0] + weights[1]);
                let mixed = |a: [f64; 3], b: [f64; 3]| add(scaled(a, 1.0 - share), scaled(b, share));
                pair.arms = [0, 1].map(|side| mixed(pair.arms[side], contact.arms[side]));
                let normal = mixed(pair.normal, contact.normal);
                if length(normal) > 0.0 {
                    pair.normal = scaled(normal, 1.0 / length(normal));
                }
                pair.force = add(pair.force, contact.force);
            }
        }
    }
    if pairs.is_empty() { Err(Unavailable::NoForces) } else { Ok(pairs) }
}

/// Points of one pair follow each other in the list; through another image the branch is longer by a period.
fn is_same_pair(a: &Contact, b: &Contact) -> bool {
    let has_wall = a.grains().count() < 2;
    a.ends == b.ends && (has_wall || length(sub(a.branch(), b.branch())) <= 1e-3 * length(a.branch()))
}

/// The distribution of forces in newtons, with its fits.
pub fn distribution(forces: &[f64], options: &ForceOptions) -> Result<ForceDistribution, Unavailable> {
    if forces.len() < FEWEST_FORCES {
        return Err(Unavailable::TooFew { what: "forces", found: forces.len(), needed: FEWEST_FORCES });
    }
    let count = forces.len();
    let n = count as f64;
    let mean = forces.iter().sum::<f64>() / n;
    let magnitude = forces.iter().map(|force| force.abs()).sum::<f64>() / n;
    let scale = options.scale.unwrap_or(magnitude);
    if scale.is_nan() || scale <= 0.0 {
        return Err(Unavailable::NoForces);
    }
    let values: Vec<f64> = forces.iter().map(|force| force / scale).collect();
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let width = match count {
        3000.. => 0.1,
        500.. => 0.2,
        _ => 0.5,
    };
    // Bins begin and end at zero, so that compression and tension share none.
    let below_zero = if least < 0.0 { (-least / width).ceil() } else { 0.0 };
    let bins = density(&values, &even_edges(-below_zero * width, most, width));
    let share = values.iter().filter(|&&value| value < mean / scale).count() as f64 / n;
    let compressive = || values.iter().copied().filter(|&value| value > 0.0);
    let fit_tail = |start: f64| fit::exponential(compressive(), [start, options.tail[1]]);
    let starts = [1.0, 1.25, 1.5, 2.0, 2.5, 3.0].map(|factor| factor * options.tail[0].max(0.1));
    Ok(ForceDistribution {
        count,
        mean,
        scale,
        extremes: [least, most],
        peak: peak(&bins),
        density: bins,
        log_density: density(&values, &log_edges(1e-4, most.max(1e-3), 5)),
        below_mean: [share, (share * (1.0 - share) / n).sqrt()],
        unresolved: values.iter().filter(|value| value.abs() < options.resolution).count() as f64 / n,
        tail: fit_tail(options.tail[0]),
        tensile_tail: fit::exponential(values.iter().map(|value| -value).filter(|&value| value > 0.0), options.tail),
        tail_by_start: starts.into_iter().filter_map(|start| fit_tail(start).ok()).collect(),
        weak: fit::power_law(compressive(), [options.weak[0].max(options.resolution), options.weak[1]]),
    })
}

fn peak(bins: &[Bin]) -> Peak {
    let largest = bins.iter().fold(bins[0], |best, bin| if bin.density > best.density { *bin } else { best });
    let zero = bins.iter().find(|bin| bin.low.abs() < 1e-9).copied().unwrap_or(largest);
    let over_zero = largest.density / zero.density;
    // Both counts scatter.
    let error = over_zero * (1.0 / largest.count.max(1) as f64 + 1.0 / zero.count.max(1) as f64).sqrt();
    Peak { bin: largest, over_zero, error: if largest == zero { 0.0 } else { error } }
}

/// What the contacts whose forces are of one kind carry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Network {
    /// Its name: strong or weak, compressive or tensile.
    pub name: &'static str,
    /// Its share of the contacts.
    pub contacts: f64,
    /// Its share of the mean pressure.
    pub pressure: f64,
    /// Its share of the deviator, along the principal directions of the whole stress.
    pub deviator: f64,
    /// Its coordination: contacts of this kind per grain, each counted for both.
    pub coordination: f64,
}

/// Strong and weak networks (forces above and below the mean), and compressive and tensile ones.
pub fn networks(packing: &Packing, region: Option<&Region>) -> Result<Vec<Network>, Unavailable> {
    let pairs = bearing_pairs(packing, region)?;
    let normal: Vec<f64> = pairs.iter().map(|pair| dot(pair.force, pair.normal)).collect();
    let mean = normal.iter().map(|force| force.abs()).sum::<f64>() / normal.len() as f64;
    let axes = packing.dimension;
    let inside = packing.grains.iter().filter(|g| region.is_none_or(|r| r.contains(g.position))).count();
    if inside == 0 {
        return Err(Unavailable::NoGrains);
    }
    let sum = |keeps: &dyn Fn(f64) -> bool| {
        let mut tensor = [[0.0; 3]; 3];
        let (mut count, mut ends) = (0, 0);
        for (pair, _) in pairs.iter().zip(&normal).filter(|(_, force)| keeps(**force)) {
            crate::linear::add_outer(&mut tensor, 1.0, pair.force, pair.branch());
            count += 1;
            ends += pair.grains().count();
        }
        (tensor, count, ends)
    };
    let (whole, all, _) = sum(&|_| true);
    let principal = crate::linear::principal(whole, axes);
    let trace = |t: crate::linear::Tensor| (0..axes).map(|i| t[i][i]).sum::<f64>();
    // The deviator is the difference of the parts along the largest and the smallest principal direction.
    let along = |t: crate::linear::Tensor, e: [f64; 3]| dot(e, t.map(|row| dot(row, e)));
    let deviator = |t| along(t, principal[0].1) - along(t, principal[axes - 1].1);
    let kinds: [(&'static str, &dyn Fn(f64) -> bool); 4] = [
        ("strong", &|force| force.abs() >= mean),
        ("weak", &|force| force.abs() < mean),
        ("compressive", &|force| force >= 0.0),
        ("tensile", &|force| force < 0.0),
    ];
    Ok(kinds
        .into_iter()
        .map(|(name, keeps)| {
            let (tensor, count, ends) = sum(keeps);
            Network {
                name,
                contacts: f64::from(count) / f64::from(all),
                pressure: trace(tensor) / trace(whole),
                deviator: deviator(tensor) / deviator(whole),
                coordination: ends as f64 / inside as f64,
            }
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::{add_floor, square_lattice, touch, world_of_disks};
    use rand::RngExt;
    use rand_pcg::Pcg64;

    #[test]
    fn a_sampled_distribution_gives_back_what_it_was_made_from() {
        // Half uniform on (0, 1), half 1 + exponential with decay 2: mean 1, so that the scale is 1.
        let mut random = Pcg64::new(11, 3);
        let forces: Vec<f64> = (0..100_000)
            .map(|i| {
                let u: f64 = random.random();
                0.01 * if i % 2 == 0 { u } else { 1.0 - (1.0 - u).ln() / 2.0 }
            })
            .collect();
        let found = distribution(&forces, &ForceOptions::default()).unwrap();
        assert!((found.scale - 0.01).abs() < 5e-5, "{}", found.scale);
        let tail = found.tail.clone().unwrap();
        assert!((tail.value - 2.0).abs() < 4.0 * tail.uncertainty + 0.02 && tail.points > 49_000, "{tail:?}");
        let weak = found.weak.clone().unwrap();
        assert!(weak.value.abs() < 4.0 * weak.uncertainty + 0.01, "{weak:?}");
        assert!((found.below_mean[0] - 0.5).abs() < 0.01);
        // The density is 1 just above the mean, 1/2 below: the peak is at the first bin above it.
        assert!((found.peak.bin.centre() - 1.05).abs() < 0.06 && found.peak.over_zero > 1.5, "{:?}", found.peak);
        assert!(found.tensile_tail.is_err());
        let area: f64 = found.density.iter().map(|bin| bin.density * (bin.high - bin.low)).sum();
        assert!((area - 1.0).abs() < 1e-9);
    }

    #[test]
    fn both_signs_have_their_tails() {
        let mut random = Pcg64::new(5, 3);
        let forces: Vec<f64> = (0..60_000)
            .map(|i| -(1.0 - random.random::<f64>()).ln() / 4.0 * if i % 2 == 0 { 1.0 } else { -1.0 })
            .collect();
        let options = ForceOptions { scale: Some(1.0), tail: [0.1, 1.0], ..ForceOptions::default() };
        let found = distribution(&forces, &options).unwrap();
        for tail in [found.tail.unwrap(), found.tensile_tail.unwrap()] {
            assert!((tail.value - 4.0).abs() < 4.0 * tail.uncertainty && tail.range == [0.1, 1.0], "{tail:?}");
        }
        assert!(found.density[0].low < -1.0 && found.density.iter().any(|bin| bin.low == 0.0));
    }

    #[test]
    fn two_places_where_the_same_bodies_touch_are_two_contacts() {
        let mut world = world_of_disks(&[([0.0, 0.0], 1.0)]);
        let wall = add_floor(&mut world);
        // As a cluster in a corner of one wall: two points of one place, and one of another, told in between.
        touch(&mut world, wall, 0, [0.0, 1.0], [0.0, 1e-3]);
        touch(&mut world, wall, 0, [1.0, 0.0], [4e-3, 0.0]);
        touch(&mut world, wall, 0, [0.0, 1.0], [0.0, 2e-3]);
        let found = forces(&Packing::of(&world), None, Component::Normal).unwrap();
        assert!(found.len() == 2 && (found[0] - 3.0).abs() < 1e-12 && (found[1] - 4.0).abs() < 1e-12, "{found:?}");
    }

    #[test]
    fn points_of_a_face_contact_are_one_pair_and_open_contacts_none() {
        let mut world = world_of_disks(&[([0.0, 0.0], 1.0), ([2.0, 0.0], 1.0), ([4.0, 0.0], 1.0)]);
        touch(&mut world, 0, 1, [1.0, 0.0], [1e-3, 0.0]);
        touch(&mut world, 0, 1, [1.0, 0.0], [2e-3, 1e-3]);
        touch(&mut world, 1, 2, [1.0, 0.0], [0.0, 0.0]);
        let packing = Packing::of(&world);
        let found = forces(&packing, None, Component::Normal).unwrap();
        assert!(found.len() == 1 && (found[0] - 3.0).abs() < 1e-12);
        assert!((forces(&packing, None, Component::Tangential).unwrap()[0] - 1.0).abs() < 1e-12);
        assert_eq!(
            distribution(&found, &ForceOptions::default()).unwrap_err(),
            Unavailable::TooFew { what: "forces", found: 1, needed: 30 }
        );
    }

    #[test]
    fn strong_contacts_along_one_axis_carry_the_deviator() {
        // A square lattice with force 3 upwards and 1 sideways; the weak ones are the sideways ones.
        let mut world = square_lattice(6);
        for contact in &mut world.state.contacts {
            let factor = if contact.normal.y > 0.5 { 3e-3 } else { 1e-3 };
            contact.impulse = contact.normal * factor;
        }
        let found = networks(&Packing::of(&world), None).unwrap();
        let (upwards, sideways) = (30.0 + 6.0, 30.0);
        // Contacts with the floor have half a branch.
        let [up, side] = [3.0 * (30.0 + 3.0), 30.0];
        assert!((found[0].contacts - upwards / (upwards + sideways)).abs() < 1e-12);
        assert!((found[0].pressure - up / (up + side)).abs() < 1e-12);
        assert!((found[0].deviator - up / (up - side)).abs() < 1e-12);
        assert!((found[1].deviator + side / (up - side)).abs() < 1e-12);
        assert_eq!((found[2].contacts, found[3].contacts), (1.0, 0.0));
        assert!((found[1].coordination - 60.0 / 36.0).abs() < 1e-12);
    }
}
