//! Adhesion by a threshold, and cohesion with a range (docs/method.md §3; P0 47–48, P2 §1.8).

/// What holds two bodies together that touch or have touched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cohesion {
    /// The largest tension, `F_C`.
    pub strength: Strength,
    /// How far it reaches.
    pub extent: Extent,
}

/// The largest tension of a pair of bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Strength {
    /// A force.
    Force(f64),
    /// A force over the reduced radius `r* = r₁r₂/(r₁+r₂)`, in N/m.
    PerRadius(f64),
}

impl Strength {
    /// The pull-off force of spheres with the surface energy `energy` (J/m²) each, after Derjaguin, Muller and Toporov:
    /// `F_C = 4πγ r*`.
    pub fn of_surface_energy(energy: f64) -> Self {
        Strength::PerRadius(4.0 * std::f64::consts::PI * energy)
    }
}

/// How far cohesion reaches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Extent {
    /// No farther than the contact: plain adhesion.
    Contact,
    /// Up to this gap, `d_C`.
    Range(f64),
    /// As far as the work of opening is this, `E_C = F_C d_C`.
    Energy(f64),
}

impl Cohesion {
    /// `F_C` of a pair with the reduced radius `radius`.
    pub fn force(&self, radius: f64) -> f64 {
        match self.strength {
            Strength::Force(force) => force,
            Strength::PerRadius(per_radius) => per_radius * radius,
        }
    }

    /// `d_C` of a pair with the reduced radius `radius`; zero for plain adhesion.
    pub fn range(&self, radius: f64) -> f64 {
        match self.extent {
            Extent::Contact => 0.0,
            Extent::Range(range) => range,
            Extent::Energy(energy) => energy / self.force(radius),
        }
    }

    /// The rule for a pair of materials that is not given: geometric means if both are of one kind, else none.
    pub fn mixed(a: Option<Self>, b: Option<Self>) -> Option<Self> {
        let (a, b) = (a?, b?);
        let strength = match (a.strength, b.strength) {
            (Strength::Force(a), Strength::Force(b)) => Strength::Force((a * b).sqrt()),
            (Strength::PerRadius(a), Strength::PerRadius(b)) => Strength::PerRadius((a * b).sqrt()),
            _ => return None,
        };
        let extent = match (a.extent, b.extent) {
            (Extent::Contact, Extent::Contact) => Extent::Contact,
            (Extent::Range(a), Extent::Range(b)) => Extent::Range((a * b).sqrt()),
            (Extent::Energy(a), Extent::Energy(b)) => Extent::Energy((a * b).sqrt()),
            _ => return None,
        };
        Some(Cohesion { strength, extent })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn range_and_energy_are_two_ways_to_say_one_thing() {
        let by_range = Cohesion { strength: Strength::Force(2.0), extent: Extent::Range(0.1) };
        let by_energy = Cohesion { extent: Extent::Energy(0.2), ..by_range };
        assert_eq!(by_range.range(7.0), by_energy.range(7.0));
        let surface = Cohesion { strength: Strength::of_surface_energy(0.05), extent: Extent::Contact };
        assert!((surface.force(1e-3) / 6.283185e-4 - 1.0).abs() < 1e-6);
        assert_eq!(Cohesion::mixed(Some(by_range), None), None);
        assert_eq!(Cohesion::mixed(Some(by_range), Some(by_energy)), None);
        assert_eq!(Cohesion::mixed(Some(by_range), Some(by_range)), Some(by_range));
    }
}
