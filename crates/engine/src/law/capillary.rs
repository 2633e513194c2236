//! Capillary bridges between spheres (docs/method.md §3; P4 1–8): the force of one bridge, and how the liquid of a
//! sample is shared among its bridges. Pure functions, the same for every method.

use riprap_solve::Dim;
use std::f64::consts::{PI, SQRT_2};

/// P4's `c` in equation 8, from a fit to the integrated Laplace–Young equation.
const DECAY: f64 = 0.9;

/// The liquid of a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Liquid {
    /// Surface tension `γ`, in N/m.
    pub surface_tension: f64,
    /// Contact angle `θ` of liquid on grains, in radians.
    pub contact_angle: f64,
    /// All liquid of the sample, in m³.
    pub volume: f64,
    /// Which pairs have a bridge.
    pub bridges: Bridges,
}

/// Which pairs of spheres have a bridge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bridges {
    /// Every pair within the debonding distance (P4).
    #[default]
    Shared,
    /// A bridge forms where grains touch, and lives until the debonding distance.
    AtContact,
}

impl Liquid {
    /// The attraction of a bridge of volume `volume` across `gap`: minus P4's `f_n^c`, never negative.
    ///
    /// `κR` for an overlap, `κR e^{−g/λ}` up to the debonding distance, 0 beyond (P4 1, 2, 4, 7), with `R = √(R_i R_j)`.
    ///
    /// ```
    /// use riprap_engine::{Bridges, Liquid};
    /// let water = Liquid { surface_tension: 0.072, contact_angle: 0.0, volume: 0.0, bridges: Bridges::Shared };
    /// let (radius, volume) = (1e-3, 1e-12);
    /// assert!((water.attraction([radius, radius], volume, 0.0) / (2.0 * std::f64::consts::PI * 0.072e-3) - 1.0).abs() < 1e-15);
    /// assert_eq!(water.attraction([radius, radius], volume, 1.01e-4), 0.0);
    /// ```
    pub fn attraction(&self, radii: [f64; 2], volume: f64, gap: f64) -> f64 {
        let at_contact = self.strength() * (radii[0] * radii[1]).sqrt();
        if gap <= 0.0 {
            at_contact
        } else if gap <= self.debonding_distance(volume) {
            at_contact * libm::exp(-gap / decay_length(radii, volume))
        } else {
            0.0
        }
    }

    /// `κ = 2πγ cos θ` (P4 2).
    pub fn strength(&self) -> f64 {
        2.0 * PI * self.surface_tension * libm::cos(self.contact_angle)
    }

    /// The gap at which a bridge of this volume breaks, `(1 + θ/2) V_b^{1/3}` (P4 3).
    pub fn debonding_distance(&self, volume: f64) -> f64 {
        (1.0 + 0.5 * self.contact_angle) * libm::cbrt(volume)
    }

    /// Shares the liquid among `pairs`, each given by gap and reduced diameter `d* = d_i d_j/(d_i+d_j)`: a bridge has
    /// `V_b = s d*`, and those pairs have one whose gap is below the debonding distance of that volume. The volume
    /// wanted, `s Σ d*`, grows with `s` and jumps where a pair becomes eligible; where the liquid runs out within a
    /// jump, the pairs of the jump get what is left, which is too little to hold them.
    pub fn share(&self, pairs: &[(f64, f64)]) -> Share {
        let mut touching = 0.0;
        // The `s` from which on each other pair is eligible, and its `d*`.
        let mut open: Vec<(f64, f64)> = Vec::new();
        for &(gap, diameter) in pairs {
            if gap <= 0.0 {
                touching += diameter;
            } else {
                open.push((self.threshold(gap, diameter), diameter));
            }
        }
        // The last pair, in the order of thresholds, at whose threshold there is liquid left, by halves.
        let mut rest = open.as_mut_slice();
        let mut before = touching;
        while rest.len() > 1 {
            let middle = rest.len() / 2;
            let (below, pivot, _) = rest.select_nth_unstable_by(middle, |a, b| a.0.total_cmp(&b.0));
            let with_below = before + below.iter().map(|pair| pair.1).sum::<f64>();
            if pivot.0 * with_below < self.volume {
                before = with_below;
                rest = &mut rest[middle..];
            } else {
                rest = &mut rest[..middle];
            }
        }
        let last = rest.first().map(|pair| pair.0).filter(|threshold| threshold * before < self.volume);
        let sum = |chosen: &dyn Fn(f64) -> bool| -> f64 {
            pairs
                .iter()
                .filter(|&&(gap, diameter)| gap > 0.0 && chosen(self.threshold(gap, diameter)))
                .map(|pair| pair.1)
                .sum()
        };
        let Some(threshold) = last else {
            return Share { scale: if touching > 0.0 { self.volume / touching } else { 0.0 }, last: 0.0 };
        };
        let (before, jump) = (touching + sum(&|other| other < threshold), sum(&|other| other == threshold));
        if threshold * (before + jump) > self.volume {
            Share { scale: threshold, last: (self.volume - threshold * before) / jump }
        } else {
            Share { scale: self.volume / (before + jump), last: 0.0 }
        }
    }

    /// The volume of a pair's bridge by this share; 0 if it has none.
    pub fn bridge_volume(&self, share: &Share, gap: f64, diameter: f64) -> f64 {
        let threshold = self.threshold(gap, diameter);
        if gap <= 0.0 || threshold < share.scale {
            share.scale * diameter
        } else if threshold == share.scale {
            share.last * diameter
        } else {
            0.0
        }
    }

    /// The `s` from which on a pair with a gap is within its debonding distance.
    fn threshold(&self, gap: f64, diameter: f64) -> f64 {
        (gap.max(0.0) / (1.0 + 0.5 * self.contact_angle)).powi(3) / diameter
    }
}

/// How the liquid is shared: see [`Liquid::share`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Share {
    /// The scalar `s` in `V_b = s d*`.
    pub scale: f64,
    /// The same for pairs exactly at the debonding distance of `scale`, which get only part of their liquid.
    pub last: f64,
}

/// The length over which a bridge's force decays, `λ = (c/√2) {(1/R_i + 1/R_j) V_b / max(R_i/R_j, R_j/R_i)}^{1/2}`
/// (P4 8).
pub fn decay_length([a, b]: [f64; 2], volume: f64) -> f64 {
    let ratio = f64::max(a / b, b / a);
    DECAY / SQRT_2 * ((1.0 / a + 1.0 / b) * volume / ratio).sqrt()
}

/// `d* = d_i d_j/(d_i + d_j)`.
pub fn reduced_diameter([a, b]: [f64; 2]) -> f64 {
    2.0 * a * b / (a + b)
}

/// A bridge of the last step. The normal points from body 1 to body 2.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bridge<D: Dim> {
    /// Body 1 and body 2.
    pub bodies: [u32; 2],
    /// How many periods body 2's image is away from body 2 itself.
    pub offset: [i16; 3],
    /// Unit vector from body 1 to body 2.
    pub normal: D::Vector,
    /// Midway between the two surfaces.
    pub point: D::Vector,
    /// Signed gap.
    pub gap: f64,
    /// Volume of liquid.
    pub volume: f64,
    /// Attraction; the force on body 2 is this along −`normal`. It is zero where the liquid that is left is too little to
    /// hold the pair.
    pub force: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn water(volume: f64, contact_angle: f64) -> Liquid {
        Liquid { surface_tension: 0.072, contact_angle, volume, bridges: Bridges::Shared }
    }

    #[test]
    fn the_force_follows_the_equations_at_every_gap() {
        for (radii, volume, angle) in
            [([1e-3, 1e-3], 1e-12, 0.0), ([1e-3, 2e-3], 3e-12, 0.3), ([4e-4, 1e-4], 1e-14, 1.0_f64)]
        {
            let liquid = water(0.0, angle);
            // P4 2, 3, 5, 6 with R' and h(r), and 7, written out on their own.
            let kappa = 2.0 * PI * 0.072 * angle.cos();
            let f_0 = kappa * f64::sqrt(radii[0] * radii[1]);
            let most = (1.0 + 0.5 * angle) * f64::powf(volume, 1.0 / 3.0);
            let r = f64::max(radii[0] / radii[1], radii[1] / radii[0]);
            let reduced = 2.0 * radii[0] * radii[1] / (radii[0] + radii[1]);
            let lambda = 0.9 * f64::powf(r, -0.5) * f64::sqrt(volume / reduced);
            for i in -100..300 {
                // Never the debonding distance itself, where rounding decides.
                let gap = f64::from(i) / 199.5 * most;
                let expected = match gap {
                    g if g < 0.0 => f_0,
                    g if g <= most => f_0 * f64::exp(-g / lambda),
                    _ => 0.0,
                };
                let found = liquid.attraction(radii, volume, gap);
                assert!((found - expected).abs() <= 1e-12 * f_0, "gap {gap}: {found} and not {expected}");
                assert_eq!(found, liquid.attraction([radii[1], radii[0]], volume, gap));
            }
            assert!((liquid.debonding_distance(volume) / most - 1.0).abs() < 1e-14);
        }
    }

    #[test]
    fn the_liquid_is_conserved_and_goes_to_the_pairs_within_reach() {
        // Gaps and sizes from a plain generator, some of them tied, as on a lattice.
        let mut state = 7_u64;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 40) as f64 / (1u64 << 24) as f64
        };
        for round in 0..200 {
            let tied = round % 3 == 0;
            let pairs: Vec<(f64, f64)> = (0..1 + round)
                .map(|_| {
                    let gap = next() * 0.4 - if round % 5 == 0 { 0.0 } else { 0.1 };
                    if tied { ((gap * 8.0).round() / 8.0, 0.5) } else { (gap, 0.3 + next()) }
                })
                .collect();
            let liquid = water(next() * 0.01 * (1 + round) as f64, 0.2);
            let share = liquid.share(&pairs);
            let volumes: Vec<f64> = pairs.iter().map(|&(gap, d)| liquid.bridge_volume(&share, gap, d)).collect();
            let total: f64 = volumes.iter().sum();
            assert!((total / liquid.volume - 1.0).abs() < 1e-12, "round {round}: {total} of {}", liquid.volume);
            for (&(gap, d), &volume) in pairs.iter().zip(&volumes) {
                let whole = (volume - share.scale * d).abs() < 1e-12 * volume;
                let reach = liquid.debonding_distance(share.scale * d);
                assert!(volume == 0.0 || whole || (gap / reach - 1.0).abs() < 1e-9, "round {round}");
                assert!((gap < reach * (1.0 - 1e-9)) <= whole, "round {round}: a pair within reach is left out");
                assert!((gap > reach * (1.0 + 1e-9)) <= (volume == 0.0), "round {round}: a pair beyond reach has some");
            }
        }
        assert_eq!(water(1.0, 0.0).share(&[]), Share::default());
    }

    #[test]
    fn a_pair_beyond_reach_of_all_the_liquid_is_not_pulled() {
        let liquid = water(1e-12, 0.0);
        let radii = [1e-3, 1e-3];
        let pull = |gap: f64| {
            let diameter = reduced_diameter(radii);
            let share = liquid.share(&[(gap, diameter)]);
            liquid.attraction(radii, liquid.bridge_volume(&share, gap, diameter), gap)
        };
        assert_eq!(pull(1.001e-4), 0.0);
        assert!((pull(0.999e-4) / liquid.attraction(radii, 1e-12, 0.999e-4) - 1.0).abs() < 1e-12);
    }
}
