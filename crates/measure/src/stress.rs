//! Stress from contact forces (docs/method.md §10, P4 11–13). Compression is positive.

use crate::fit::{self, Fit};
use crate::histogram::{Bin, density, even_edges};
use crate::linear::{Tensor, add_outer, principal, scaled, sub, times};
use crate::solid_fraction::{grains_inside, packed_region, solid_fraction};
use crate::{Packing, Region, Unavailable};

/// The mean stress in a region.
#[derive(Clone, Debug, PartialEq)]
pub struct Stress {
    /// Where it was taken.
    pub region: Region,
    /// How many grains have their centre there.
    pub grains: usize,
    /// The solid fraction there.
    pub solid_fraction: f64,
    /// Of the contact forces, in pascals.
    pub contact: Tensor,
    /// Of the velocities against their mean, in pascals: small but in fast flows.
    pub kinetic: Tensor,
    /// Principal values of the contact stress, largest first, with their directions.
    pub principal: Vec<(f64, [f64; 3])>,
}

impl Stress {
    /// Mean pressure `p`: the mean of the principal values.
    pub fn pressure(&self) -> f64 {
        self.principal.iter().map(|(value, _)| value).sum::<f64>() / self.principal.len() as f64
    }

    /// The deviator `q`: half the difference of the principal values in 2D, the difference of the largest and the
    /// smallest in 3D.
    pub fn deviator(&self) -> f64 {
        let difference = self.principal[0].0 - self.principal[self.principal.len() - 1].0;
        if self.principal.len() == 2 { 0.5 * difference } else { difference }
    }

    /// The macroscopic friction angle by Mohr and Coulomb, without cohesion: `sin φ = (σ₁ − σ₃)/(σ₁ + σ₃)`, in radians.
    pub fn friction_angle(&self) -> f64 {
        let (most, least) = (self.principal[0].0, self.principal[self.principal.len() - 1].0);
        ((most - least) / (most + least)).clamp(-1.0, 1.0).asin()
    }
}

/// The mean stress of the grains that have their centre in a region; by default in the packed region.
///
/// It is the sum of the particle stresses weighted by their volumes `V_i = V_grain/ν`, with the solid fraction of the
/// region.
pub fn stress(packing: &Packing, region: Option<&Region>) -> Result<Stress, Unavailable> {
    if packing.contacts.is_none() {
        return Err(Unavailable::NoContacts);
    }
    let region = match region {
        Some(region) => *region,
        None => packed_region(packing)?,
    };
    let nu = solid_fraction(packing, Some(&region))?;
    let rows = grains_inside(packing, &region)?;
    let moments = force_moments(packing)?;
    let volume: f64 = rows.iter().map(|&row| packing.grains[row].volume).sum::<f64>() / nu;
    let mass: f64 = rows.iter().map(|&row| packing.grains[row].mass).sum();
    let mut mean = [0.0; 3];
    if mass > 0.0 {
        for &row in &rows {
            let grain = &packing.grains[row];
            mean = crate::linear::add(mean, scaled(grain.velocity, grain.mass / mass));
        }
    }
    let (mut contact, mut kinetic) = ([[0.0; 3]; 3], [[0.0; 3]; 3]);
    for &row in &rows {
        let grain = &packing.grains[row];
        contact = crate::linear::plus(contact, 1.0 / volume, moments[row]);
        let v = sub(grain.velocity, mean);
        add_outer(&mut kinetic, grain.mass / volume, v, v);
    }
    let principal = principal(contact, packing.dimension);
    Ok(Stress { region, grains: rows.len(), solid_fraction: nu, contact, kinetic, principal })
}

/// For each grain `−Σ f⊗r`: `f` acts on it, `r` from its centre to the contact.
fn force_moments(packing: &Packing) -> Result<Vec<Tensor>, Unavailable> {
    let contacts = packing.contacts.as_ref().ok_or(Unavailable::NoContacts)?;
    let mut moments = vec![[[0.0; 3]; 3]; packing.grains.len()];
    for contact in contacts.iter().filter(|contact| contact.bears()) {
        for (side, sign) in [(0, 1.0), (1, -1.0)] {
            if let crate::End::Grain(row) = contact.ends[side] {
                add_outer(&mut moments[row as usize], sign, contact.force, contact.arms[side]);
            }
        }
    }
    Ok(moments)
}

/// The stress of each grain, `σ_i = −(1/V_i) Σ f⊗r` with `V_i = V_grain/ν` (P4 11–12).
pub fn particle_stresses(packing: &Packing, solid_fraction: f64) -> Result<Vec<Tensor>, Unavailable> {
    let moments = force_moments(packing)?;
    let per_volume = packing.grains.iter().map(|grain| solid_fraction / grain.volume);
    Ok(moments.into_iter().zip(per_volume).map(|(moment, factor)| times(moment, factor)).collect())
}

/// The pressure of each grain, `tr σ_i/dim` (P4 13).
pub fn particle_pressures(packing: &Packing, solid_fraction: f64) -> Result<Vec<f64>, Unavailable> {
    let axes = packing.dimension;
    let pressure = |stress: Tensor| (0..axes).map(|i| stress[i][i]).sum::<f64>() / axes as f64;
    Ok(particle_stresses(packing, solid_fraction)?.into_iter().map(pressure).collect())
}

/// The distribution of particle pressures, in units of `scale`.
#[derive(Clone, Debug, PartialEq)]
pub struct PressureDistribution {
    /// How many grains there are.
    pub count: usize,
    /// The mean, in pascals.
    pub mean: f64,
    /// What all are divided by, in pascals: what was given, or the mean magnitude.
    pub scale: f64,
    /// The share of grains with a positive pressure.
    pub positive: f64,
    /// `⟨x³⟩/⟨x²⟩^{3/2}`: zero for a distribution that is symmetric about zero.
    pub asymmetry: f64,
    /// The probability density.
    pub density: Vec<Bin>,
    /// Exponential decay of positive pressures.
    pub positive_tail: Result<Fit, Unavailable>,
    /// Exponential decay of the magnitude of negative pressures.
    pub negative_tail: Result<Fit, Unavailable>,
}

/// The distribution of pressures; tails are fitted between the ends of `range`, in units of the scale.
pub fn pressure_distribution(
    pressures: &[f64],
    scale: Option<f64>,
    range: [f64; 2],
) -> Result<PressureDistribution, Unavailable> {
    let count = pressures.len();
    if count < fit::FEWEST_POINTS {
        return Err(Unavailable::TooFew { what: "grains", found: count, needed: fit::FEWEST_POINTS });
    }
    let n = count as f64;
    let scale = scale.unwrap_or(pressures.iter().map(|p| p.abs()).sum::<f64>() / n);
    if scale.is_nan() || scale <= 0.0 {
        return Err(Unavailable::NoForces);
    }
    let values: Vec<f64> = pressures.iter().map(|pressure| pressure / scale).collect();
    let least = values.iter().copied().fold(0.0, f64::min);
    let most = values.iter().copied().fold(0.0, f64::max);
    // About 60 bins, with an edge at zero.
    let width = ((most - least) / 60.0).max(1e-12);
    let moment = |k: i32| values.iter().map(|value| value.powi(k)).sum::<f64>() / n;
    let below = (-least / width).ceil();
    Ok(PressureDistribution {
        count,
        mean: moment(1) * scale,
        scale,
        positive: values.iter().filter(|&&value| value > 0.0).count() as f64 / n,
        asymmetry: moment(3) / moment(2).powf(1.5),
        density: density(&values, &even_edges(-below * width, most, width)),
        positive_tail: fit::exponential(values.iter().copied().filter(|&value| value > 0.0), range),
        negative_tail: fit::exponential(values.iter().map(|value| -value).filter(|&value| value > 0.0), range),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::{cubic_lattice, periodic_square_lattice, touch3};
    use riprap_engine::Vector;

    #[test]
    fn a_periodic_lattice_has_the_stress_that_its_forces_make() {
        // Disks of diameter 1: a force f across each bond of length 1 on each unit of length is a stress f.
        let packing = Packing::of(&periodic_square_lattice(6, [3.0, 7.0]));
        let measured = stress(&packing, None).unwrap();
        assert!((measured.contact[0][0] - 3.0).abs() < 1e-12 && (measured.contact[1][1] - 7.0).abs() < 1e-12);
        assert!(measured.contact[0][1].abs() < 1e-12);
        assert!((measured.pressure() - 5.0).abs() < 1e-12 && (measured.deviator() - 2.0).abs() < 1e-12);
        assert!((measured.friction_angle() - 0.4_f64.asin()).abs() < 1e-12);
        assert!((measured.principal[0].1[1].abs() - 1.0).abs() < 1e-12);
        // Every grain has the stress of the whole.
        for particle in particle_stresses(&packing, measured.solid_fraction).unwrap() {
            assert!((particle[0][0] - 3.0).abs() < 1e-12 && (particle[1][1] - 7.0).abs() < 1e-12);
        }
        let pressures = particle_pressures(&packing, measured.solid_fraction).unwrap();
        assert!(pressures.iter().all(|pressure| (pressure - 5.0).abs() < 1e-12));
        // And so has a region inside.
        let inner = stress(&packing, Some(&Region::new([1.0, 1.0, 0.0], [4.0, 3.0, 0.0]))).unwrap();
        assert!((inner.contact[1][1] - 7.0).abs() < 1e-9, "{inner:?}");
    }

    #[test]
    fn shear_on_a_cubic_lattice_is_off_the_diagonal() {
        let mut world = cubic_lattice([3, 3, 3]);
        world.state.cell.period = Vector::from_array3([3.0; 3]);
        let at = |x: u32, y: u32, z: u32| x + 3 * (y + 3 * z);
        for (x, y, z) in (0..27).map(|i| (i % 3, i / 3 % 3, i / 9)) {
            // Normal force 2 along x; along z none, but a tangential force 1 in x.
            touch3(&mut world, at(x, y, z), at((x + 1) % 3, y, z), [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]);
            touch3(&mut world, at(x, y, z), at(x, y, (z + 1) % 3), [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]);
        }
        let measured = stress(&Packing::of(&world), None).unwrap();
        let expected = [[2.0, 0.0, 1.0], [0.0; 3], [0.0; 3]];
        for i in 0..3 {
            for j in 0..3 {
                assert!((measured.contact[i][j] - expected[i][j]).abs() < 1e-12, "{measured:?}");
            }
        }
    }

    #[test]
    fn fluctuating_velocities_press() {
        let mut world = periodic_square_lattice(6, [1.0, 1.0]);
        for (i, velocity) in world.state.velocity.iter_mut().enumerate() {
            *velocity = Vector::from_array3([5.0 + if i % 2 == 0 { 2.0 } else { -2.0 }, 1.0, 0.0]);
        }
        let mass = world.bodies[0].mass;
        let measured = stress(&Packing::of(&world), None).unwrap();
        assert!((measured.kinetic[0][0] - 4.0 * mass).abs() < 1e-9 && measured.kinetic[1][1].abs() < 1e-9);
    }

    #[test]
    fn a_two_sided_exponential_distribution_is_symmetric() {
        // Quantiles of e^{−3|x|}, both signs.
        let half: Vec<f64> = (0..5000).map(|i| -(1.0 - (f64::from(i) + 0.5) / 5000.0).ln() / 3.0).collect();
        let values: Vec<f64> = half.iter().copied().chain(half.iter().map(|x| -x)).collect();
        let found = pressure_distribution(&values, Some(1.0), [0.0, f64::INFINITY]).unwrap();
        assert!(found.asymmetry.abs() < 1e-12 && found.mean.abs() < 1e-12 && found.positive == 0.5);
        for tail in [found.positive_tail.unwrap(), found.negative_tail.unwrap()] {
            assert!((tail.value - 3.0).abs() < 0.01 && tail.points == 5000, "{tail:?}");
        }
    }

    #[test]
    fn what_is_missing_is_said() {
        let mut packing = Packing::of(&periodic_square_lattice(6, [1.0, 1.0]));
        let far = Region::new([90.0, 90.0, 0.0], [95.0, 95.0, 0.0]);
        assert!(matches!(stress(&packing, Some(&far)), Err(Unavailable::EmptyRegion { .. })));
        packing.contacts = None;
        assert_eq!(stress(&packing, None), Err(Unavailable::NoContacts));
    }
}
