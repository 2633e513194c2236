//! How large a contact torque may be (docs/method.md §3, P2 1.40–1.45 and the paragraphs around them).

use riprap_solve::Dim;
use std::f64::consts::PI;

/// The limit of a contact torque over the normal force: a length.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum TorqueLimit {
    /// No torque.
    #[default]
    None,
    /// The length itself.
    Length(f64),
    /// `μ̄ r*` with the reduced radius `r* = r₁r₂/(r₁+r₂)` (P2 1.41).
    Reduced(f64),
    /// `α a` with the size `a` of a Hertzian contact (P2 1.43–1.45): `a = (3 r* f/4E*)^{1/3}` of spheres,
    /// `a = (4 r* f/πE*)^{1/2}` of disks, at the normal force `f` of the last step.
    Hertz {
        /// `α`, the part of the elastic energy that is lost.
        loss: f64,
        /// The effective modulus `E*` (in 2D times the thickness).
        modulus: f64,
    },
    /// `√(ξ r*)`, the size of a contact between surfaces that are rough on the scale `ξ` (P2 §1.7), times a coefficient.
    Rough {
        /// `ξ`.
        roughness: f64,
        /// The part of that size.
        coefficient: f64,
    },
    /// `t v` with the speed `v = r* |Ω|` of rolling (or of torsion) before the step: the torque of viscoelastic grains, in
    /// proportion to their rolling velocity (Brilliantov and Pöschel 1998), with the time `t`.
    Viscous(f64),
}

impl TorqueLimit {
    /// The length, for a contact of reduced radius `radius` that carried the normal force `force` in the last step and whose
    /// bodies turn at the relative rate `spin` against what the torque resists.
    pub fn length<D: Dim>(&self, radius: f64, force: f64, spin: f64) -> f64 {
        match *self {
            TorqueLimit::None => 0.0,
            TorqueLimit::Length(length) => length,
            TorqueLimit::Reduced(coefficient) => coefficient * radius,
            TorqueLimit::Hertz { loss, modulus } => {
                let force = force.max(0.0);
                loss * match D::AXES {
                    2 => (4.0 * radius * force / (PI * modulus)).sqrt(),
                    _ => libm::cbrt(0.75 * radius * force / modulus),
                }
            }
            TorqueLimit::Rough { roughness, coefficient } => coefficient * (roughness * radius).sqrt(),
            TorqueLimit::Viscous(time) => time * radius * spin,
        }
    }

    /// The rule for a pair of materials that is not given: the geometric mean if both limits are of one kind, else none.
    pub fn mixed(self, other: Self) -> Self {
        match (self, other) {
            (TorqueLimit::Length(a), TorqueLimit::Length(b)) => TorqueLimit::Length((a * b).sqrt()),
            (TorqueLimit::Reduced(a), TorqueLimit::Reduced(b)) => TorqueLimit::Reduced((a * b).sqrt()),
            (TorqueLimit::Hertz { loss, modulus }, TorqueLimit::Hertz { loss: other, modulus: softer }) => {
                TorqueLimit::Hertz { loss: (loss * other).sqrt(), modulus: (modulus * softer).sqrt() }
            }
            (
                TorqueLimit::Rough { roughness, coefficient },
                TorqueLimit::Rough { roughness: other, coefficient: factor },
            ) => {
                TorqueLimit::Rough { roughness: (roughness * other).sqrt(), coefficient: (coefficient * factor).sqrt() }
            }
            (TorqueLimit::Viscous(a), TorqueLimit::Viscous(b)) => TorqueLimit::Viscous((a * b).sqrt()),
            _ => TorqueLimit::None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use riprap_solve::{D2, D3};

    #[test]
    fn limits_are_lengths() {
        assert_eq!(TorqueLimit::Length(1e-4).length::<D3>(5.0, 7.0, 3.0), 1e-4);
        assert_eq!(TorqueLimit::Reduced(0.1).length::<D2>(5.0, 7.0, 3.0), 0.5);
        assert_eq!(TorqueLimit::Viscous(0.2).length::<D3>(5.0, 7.0, 3.0), 3.0);
        // 1 µm on grains with r* = 4 mm touch over 63 µm.
        let rough = TorqueLimit::Rough { roughness: 1e-6, coefficient: 0.5 };
        assert!((rough.length::<D3>(4e-3, 7.0, 3.0) / (0.5 * 6.324555e-5) - 1.0).abs() < 1e-6);
        let mixed = rough.mixed(TorqueLimit::Rough { roughness: 4e-6, coefficient: 0.5 });
        assert_eq!(mixed, TorqueLimit::Rough { roughness: 2e-6, coefficient: 0.5 });
        // A sphere of 1 cm under 10 N with E* of 1 GPa touches over 422 µm; eight times the force, twice the size.
        let hertz = TorqueLimit::Hertz { loss: 0.5, modulus: 1e9 };
        assert!((hertz.length::<D3>(0.01, 10.0, 0.0) / (0.5 * 4.217163e-4) - 1.0).abs() < 1e-6);
        assert!((hertz.length::<D3>(0.01, 80.0, 0.0) / hertz.length::<D3>(0.01, 10.0, 0.0) - 2.0).abs() < 1e-12);
        assert!((hertz.length::<D2>(0.01, 40.0, 0.0) / hertz.length::<D2>(0.01, 10.0, 0.0) - 2.0).abs() < 1e-12);
    }
}
