//! Directions of contacts, and of the forces by direction: fabric and force anisotropies.
//!
//! In 2D, with the direction `θ` of the normal, each anisotropy has an amplitude and a direction of its own:
//!
//! ```text
//! P(θ)   = (1/π) (1 + a_c cos 2(θ − θ_c))
//! f_n(θ) = f̄ (1 + a_n cos 2(θ − θ_n))
//! f_t(θ) = −f̄ a_t sin 2(θ − θ_t)
//! ```
//!
//! In 3D, with the angle `θ` to an axis of symmetry, by Legendre's polynomial:
//!
//! ```text
//! P(θ)   = (1/4π) (1 + a_c (3 cos²θ − 1))
//! f_n(θ) = f̄ (1 + a_n (3 cos²θ − 1))
//! f_t(θ) = −f̄ a_t sin 2θ
//! ```
//!
//! `f̄` is the mean of `f_n` over directions. The force amplitudes are projections of the mean forces in bins of direction
//! that all count the same, so that they do not depend on how many contacts a direction has.

use crate::forces::bearing_pairs;
use crate::linear::{Tensor, add_outer, dot, length, principal, scaled, sub, times};
use crate::{Packing, Region, Unavailable};
use std::f64::consts::PI;

/// An amplitude with its standard error, and its direction (2D: radians from x, in [0, π); 3D: zero).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anisotropy {
    /// The amplitude.
    pub value: f64,
    /// Its standard error, from the number and the scatter of contacts.
    pub uncertainty: f64,
    /// Its direction.
    pub direction: f64,
}

/// Contacts and forces by direction.
#[derive(Clone, Debug, PartialEq)]
pub struct Fabric {
    /// How many bearing pairs there are.
    pub contacts: usize,
    /// The fabric tensor `⟨n⊗n⟩`.
    pub tensor: Tensor,
    /// Its principal values, largest first, with their directions.
    pub principal: Vec<(f64, [f64; 3])>,
    /// In 3D, the axis of symmetry that angles are taken to.
    pub axis: [f64; 3],
    /// Of the directions of contacts.
    pub contact: Anisotropy,
    /// Of the normal forces; none if a direction has no contact at all.
    pub normal: Result<Anisotropy, Unavailable>,
    /// Of the tangential forces.
    pub tangential: Result<Anisotropy, Unavailable>,
    /// The distributions by direction.
    pub sectors: Vec<Sector>,
}

/// What the contacts of a range of directions have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sector {
    /// The middle: the angle `θ`.
    pub angle: f64,
    /// How many contacts.
    pub contacts: usize,
    /// The probability density: per radian over a half turn in 2D, per steradian over the sphere in 3D.
    pub density: f64,
    /// The mean normal force, in newtons.
    pub normal_force: f64,
    /// The mean tangential force along the direction of growing angle, in newtons.
    pub tangential_force: f64,
    /// Standard errors of the two.
    pub errors: [f64; 2],
}

impl Fabric {
    /// The ratio `q/p` of the stresses that these anisotropies make, to first order in them and for branches of one length:
    /// `½(a_c + a_n + a_t)` in 2D, with `q` half the difference of the principal stresses, and `6/5 (a_c + a_n + a_t)` in 3D,
    /// with `q` the difference of the largest and the smallest.
    pub fn deviator_over_pressure(&self, dimension: usize) -> Result<f64, Unavailable> {
        let [normal, tangential] = [&self.normal, &self.tangential].map(|a| a.as_ref().map_err(Clone::clone));
        let factor = if dimension == 2 { 0.5 } else { 1.2 };
        Ok(factor * (self.contact.value + normal?.value + tangential?.value))
    }
}

/// Sectors in a half turn (2D), and in the half sphere by equal steps of the cosine (3D).
const SECTORS: usize = 18;
/// Fewer pairs than this have no distribution by direction.
const FEWEST_PAIRS: usize = 50;

/// The fabric and force anisotropies of the bearing pairs in a region. In 3D `axis` is the axis of symmetry; by default
/// it is the principal direction of `⟨f⊗l⟩` that differs most from the other two.
pub fn fabric(packing: &Packing, region: Option<&Region>, axis: Option<[f64; 3]>) -> Result<Fabric, Unavailable> {
    let pairs = bearing_pairs(packing, region)?;
    if pairs.len() < FEWEST_PAIRS {
        return Err(Unavailable::TooFew { what: "force-carrying contacts", found: pairs.len(), needed: FEWEST_PAIRS });
    }
    let count = pairs.len() as f64;
    let (mut tensor, mut load) = ([[0.0; 3]; 3], [[0.0; 3]; 3]);
    for pair in &pairs {
        add_outer(&mut tensor, 1.0 / count, pair.normal, pair.normal);
        add_outer(&mut load, 1.0, pair.force, pair.branch());
    }
    let flat = packing.dimension == 2;
    let axis = if flat { [0.0; 3] } else { axis.and_then(unit).unwrap_or_else(|| distinct_axis(load)) };
    let samples: Vec<[f64; 3]> = pairs.iter().map(|pair| sample(pair.normal, pair.force, axis, flat)).collect();
    let sectors = sectors(&samples, flat);

    let contact = if flat {
        let mean = |f: fn(f64) -> f64| samples.iter().map(|s| f(2.0 * s[0])).sum::<f64>() / count;
        amplitude_2d([2.0 * mean(f64::cos), 2.0 * mean(f64::sin)], (2.0 / count).sqrt())
    } else {
        let mean = samples.iter().map(|s| legendre(s[0].cos())).sum::<f64>() / count;
        Anisotropy { value: 1.25 * mean, uncertainty: (1.25 / count).sqrt(), direction: 0.0 }
    };
    let [normal, tangential] = match force_anisotropies(&sectors, flat) {
        Ok(both) => both.map(Ok),
        Err(error) => [Err(error.clone()), Err(error)],
    };
    let principal = principal(tensor, packing.dimension);
    Ok(Fabric { contacts: pairs.len(), principal, tensor, axis, contact, normal, tangential, sectors })
}

/// Angle, normal force and tangential force along the growing angle of a contact.
fn sample(normal: [f64; 3], force: [f64; 3], axis: [f64; 3], flat: bool) -> [f64; 3] {
    let push = dot(force, normal);
    if flat {
        let tangent = [-normal[1], normal[0], 0.0];
        return [normal[1].atan2(normal[0]).rem_euclid(PI), push, dot(force, tangent)];
    }
    // A contact has no sense of direction: the half of the axis is taken, and the force on the body there.
    let sign = if dot(normal, axis) < 0.0 { -1.0 } else { 1.0 };
    let (n, f) = (scaled(normal, sign), scaled(force, sign));
    let cosine = dot(n, axis).clamp(0.0, 1.0);
    // The direction of growing angle: away from the axis, across the normal.
    let away = unit(sub(scaled(n, cosine), axis)).unwrap_or([0.0; 3]);
    [cosine.acos(), push, dot(f, away)]
}

fn sectors(samples: &[[f64; 3]], flat: bool) -> Vec<Sector> {
    let count = if flat { SECTORS } else { SECTORS / 2 };
    let mut sums = vec![[0.0; 4]; count];
    let mut numbers = vec![0_usize; count];
    for &[angle, push, slide] in samples {
        let share = if flat { angle / PI } else { 1.0 - angle.cos() };
        let place = ((share * count as f64) as usize).min(count - 1);
        numbers[place] += 1;
        for (sum, value) in sums[place].iter_mut().zip([push, slide, push * push, slide * slide]) {
            *sum += value;
        }
    }
    let all = samples.len() as f64;
    let measure = if flat { PI } else { 2.0 * 2.0 * PI } / count as f64;
    numbers
        .into_iter()
        .zip(sums)
        .enumerate()
        .map(|(place, (number, sum))| {
            let n = number as f64;
            let mean = |k: usize| sum[k] / n;
            let error = |k: usize| ((mean(k + 2) - mean(k).powi(2)).max(0.0) / (n - 1.0).max(1.0)).sqrt();
            let middle = (place as f64 + 0.5) / count as f64;
            Sector {
                angle: if flat { PI * middle } else { (1.0 - middle).acos() },
                contacts: number,
                density: n / (all * measure),
                normal_force: mean(0),
                tangential_force: mean(1),
                errors: [error(0), error(1)],
            }
        })
        .collect()
}

/// Normal and tangential anisotropy, by projection of the sectors on the functions of this module's page.
fn force_anisotropies(sectors: &[Sector], flat: bool) -> Result<[Anisotropy; 2], Unavailable> {
    let filled = sectors.iter().filter(|sector| sector.contacts > 0).count();
    if filled < sectors.len() {
        return Err(Unavailable::TooFew { what: "directions with contacts", found: filled, needed: sectors.len() });
    }
    let count = sectors.len() as f64;
    let mean = sectors.iter().map(|sector| sector.normal_force).sum::<f64>() / count;
    // Projections of both forces on a function of the angle, and their errors, over the mean force.
    let project = |function: &dyn Fn(&Sector) -> f64, norm: f64| {
        let mut sums = [0.0; 2];
        let mut variances = [0.0; 2];
        for sector in sectors {
            let weight = function(sector) * norm / (count * mean);
            for (k, value) in [sector.normal_force, sector.tangential_force].into_iter().enumerate() {
                sums[k] += weight * value;
                variances[k] += (weight * sector.errors[k]).powi(2);
            }
        }
        [0, 1].map(|k| [sums[k], variances[k].sqrt()])
    };
    if flat {
        // The mean of cos² over a sector's width is taken out, so that the amplitude is exact for any number of sectors.
        let half = PI / count;
        let norm = 2.0 / (half.sin() / half);
        let [normal_cos, tangential_cos] = project(&|sector| (2.0 * sector.angle).cos(), norm);
        let [normal_sin, tangential_sin] = project(&|sector| (2.0 * sector.angle).sin(), norm);
        let error = |a: [f64; 2], b: [f64; 2]| (0.5 * (a[1] * a[1] + b[1] * b[1])).sqrt();
        let normal = amplitude_2d([normal_cos[0], normal_sin[0]], error(normal_cos, normal_sin));
        // −a sin 2(θ − θ_t) = a cos 2θ sin 2θ_t − a sin 2θ cos 2θ_t.
        let tangential = amplitude_2d([-tangential_sin[0], tangential_cos[0]], error(tangential_cos, tangential_sin));
        Ok([normal, tangential])
    } else {
        let width = 1.0 / count;
        // The norm is that of the sector's own means of the polynomial, for the same reason.
        let polynomial = |sector: &Sector| {
            let cosine = sector.angle.cos();
            legendre(cosine) + width * width / 4.0
        };
        let square = sectors.iter().map(|sector| polynomial(sector).powi(2)).sum::<f64>() / count;
        let [normal, _] = project(&polynomial, 1.0 / square);
        let sine = |sector: &Sector| (2.0 * sector.angle).sin();
        let square = sectors.iter().map(|sector| sine(sector).powi(2)).sum::<f64>() / count;
        let [_, tangential] = project(&|sector| -sine(sector), 1.0 / square);
        let of = |[value, uncertainty]: [f64; 2]| Anisotropy { value, uncertainty, direction: 0.0 };
        Ok([of(normal), of(tangential)])
    }
}

/// `3 cos²θ − 1`.
fn legendre(cosine: f64) -> f64 {
    3.0 * cosine * cosine - 1.0
}

fn amplitude_2d([cosine, sine]: [f64; 2], uncertainty: f64) -> Anisotropy {
    Anisotropy { value: cosine.hypot(sine), uncertainty, direction: (0.5 * sine.atan2(cosine)).rem_euclid(PI) }
}

/// The principal direction whose value is farthest from the mean of the other two.
fn distinct_axis(tensor: Tensor) -> [f64; 3] {
    let values = principal(times(tensor, 1.0), 3);
    let (top, bottom) = (values[0].0 - values[1].0, values[1].0 - values[2].0);
    if top >= bottom { values[0].1 } else { values[2].1 }
}

fn unit(vector: [f64; 3]) -> Option<[f64; 3]> {
    let size = length(vector);
    (size > 0.0).then(|| scaled(vector, 1.0 / size))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::{add_ball, empty, touch, touch3};
    use riprap_engine::{D2, D3};

    #[test]
    fn imposed_anisotropies_in_the_plane_come_back() {
        // Directions spaced so that their density is (1 + a_c cos 2(θ−0.4))/π, by inverting the distribution.
        let (a_c, a_n, a_t) = (0.3, 0.5, 0.2);
        let mut world = empty::<D2>();
        add_ball(&mut world, [0.0; 3], 0.5);
        add_ball(&mut world, [1.0, 0.0, 0.0], 0.5);
        let count = 20_000;
        for i in 0..count {
            let wanted = (f64::from(i) + 0.5) / f64::from(count) * PI;
            let mut angle = wanted;
            for _ in 0..60 {
                angle = wanted - 0.5 * a_c * ((2.0 * (angle - 0.4)).sin() + 0.8_f64.sin());
            }
            let (n, t) = ([angle.cos(), angle.sin()], [-angle.sin(), angle.cos()]);
            let push = 1e-3 * (1.0 + a_n * (2.0 * (angle - 0.7)).cos());
            let slide = -1e-3 * a_t * (2.0 * (angle - 0.1)).sin();
            // Every second contact is told by the other body.
            let sign = if i % 2 == 0 { 1.0 } else { -1.0 };
            let force = [0, 1].map(|k| sign * (push * n[k] + slide * t[k]));
            touch(&mut world, u32::from(i % 2 == 1), u32::from(i % 2 == 0), n.map(|c| sign * c), force);
        }
        let found = fabric(&Packing::of(&world), None, None).unwrap();
        assert_eq!(found.contacts, count as usize);
        assert!((found.contact.value - a_c).abs() < 1e-4 && (found.contact.direction - 0.4).abs() < 1e-3, "{found:?}");
        let normal = found.normal.unwrap();
        assert!((normal.value - a_n).abs() < 3e-3 && (normal.direction - 0.7).abs() < 3e-3, "{normal:?}");
        let tangential = found.tangential.unwrap();
        assert!((tangential.value - a_t).abs() < 3e-3 && (tangential.direction - 0.1).abs() < 5e-3, "{tangential:?}");
        let whole: f64 = found.sectors.iter().map(|s| s.density * PI / 18.0).sum();
        assert!((whole - 1.0).abs() < 1e-12);
    }

    #[test]
    fn imposed_anisotropies_in_space_come_back() {
        let (a_c, a_n, a_t) = (0.3, 0.4, 0.15);
        let mut world = empty::<D3>();
        add_ball(&mut world, [0.0; 3], 0.5);
        add_ball(&mut world, [1.0, 0.0, 0.0], 0.5);
        let count = 20_000_u32;
        for i in 0..count {
            // The distribution of the cosine is c + a_c (c³ − c) on (0, 1).
            let wanted = (f64::from(i) + 0.5) / f64::from(count);
            let mut cosine = wanted;
            for _ in 0..80 {
                cosine = wanted - a_c * (cosine.powi(3) - cosine);
            }
            let (sine, turn) = ((1.0 - cosine * cosine).sqrt(), 2.399_963 * f64::from(i));
            // The axis of symmetry is y.
            let n = [sine * turn.cos(), cosine, sine * turn.sin()];
            let away = [cosine * turn.cos(), -sine, cosine * turn.sin()];
            let push = 1.0 + a_n * legendre(cosine);
            let slide = -a_t * 2.0 * sine * cosine;
            let sign = if i % 2 == 0 { 1.0 } else { -1.0 };
            let force = [0, 1, 2].map(|k| sign * (push * n[k] + slide * away[k]));
            touch3(&mut world, u32::from(i % 2 == 1), u32::from(i % 2 == 0), n.map(|c| sign * c), force);
        }
        let found = fabric(&Packing::of(&world), None, None).unwrap();
        assert!((found.axis[1].abs() - 1.0).abs() < 1e-3, "{:?}", found.axis);
        assert!((found.contact.value - a_c).abs() < 1e-3, "{:?}", found.contact);
        assert!((found.normal.clone().unwrap().value - a_n).abs() < 5e-3, "{:?}", found.normal);
        assert!((found.tangential.clone().unwrap().value - a_t).abs() < 5e-3, "{:?}", found.tangential);
        // The stresses of these very contacts, with branches of length 1 along the normals.
        let mut stress = [[0.0; 3]; 3];
        for pair in bearing_pairs(&Packing::of(&world), None).unwrap() {
            add_outer(&mut stress, 1.0, pair.force, pair.normal);
        }
        let pressure = (0..3).map(|i| stress[i][i]).sum::<f64>() / 3.0;
        let ratio = (stress[1][1] - 0.5 * (stress[0][0] + stress[2][2])) / pressure;
        let predicted = found.deviator_over_pressure(3).unwrap();
        // What is of second order: products of the anisotropies, 0.12 and 0.05.
        assert!((predicted / ratio - 1.0).abs() < 0.12, "{predicted} {ratio}");
        let given = fabric(&Packing::of(&world), None, Some([0.0, 2.0, 0.0])).unwrap();
        assert!((given.contact.value - found.contact.value).abs() < 1e-3);
        let whole: f64 = found.sectors.iter().map(|s| s.density * 4.0 * PI / 9.0).sum();
        assert!((whole - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_lattice_has_directions_without_contacts_and_says_so() {
        let packing = Packing::of(&crate::examples::periodic_square_lattice(6, [1.0, 1.0]));
        let found = fabric(&packing, None, None).unwrap();
        assert!(found.contact.value < 1e-12 && (found.tensor[0][0] - 0.5).abs() < 1e-12);
        assert_eq!(
            found.normal.unwrap_err(),
            Unavailable::TooFew { what: "directions with contacts", found: 2, needed: 18 }
        );
    }
}
