//! The law of soft contacts (docs/method.md §8): a spring and a dashpot along the normal, a spring with history and a
//! dashpot along the tangent, in line with a slider that gives way at Coulomb's limit, and the same for rolling and
//! torsion. The forces are computed in `batch.rs`, the torques here.

use crate::law::torque::TorqueLimit;
use crate::settings::Soft;
use riprap_solve::{Dim, Vector};

/// A dashpot stronger than this many times the critical one is not used: the limit `e_n → 0` of the clamped law needs
/// an endless one, and the step of integration would have to follow it.
const STRONGEST: f64 = 2.0;

/// The damping ratio `ζ = γ/(2√(k m*))` of the dashpot with which two grains rebound with the restitution `e_n`, or with
/// the nearest that a spring and dashpot can reach.
pub fn damping_ratio(restitution: f64, clamp: bool) -> f64 {
    if !clamp {
        // exp(−πβ/ω) = e_n, with β = ζω₀ and ω = ω₀√(1−ζ²).
        let log = -libm::log(restitution.max(f64::MIN_POSITIVE));
        return log / libm::hypot(std::f64::consts::PI, log);
    }
    // The rebound falls as the damping grows: bisection to the last bit.
    let (mut weak, mut strong) = (0.0, STRONGEST);
    if effective_restitution(strong, clamp) >= restitution {
        return strong;
    }
    loop {
        let middle = 0.5 * (weak + strong);
        if middle <= weak || middle >= strong {
            return middle;
        }
        if effective_restitution(middle, clamp) > restitution {
            weak = middle;
        } else {
            strong = middle;
        }
    }
}

/// The restitution of a free collision with the damping ratio `ζ`. With `β = ζω₀` and `ω = ω₀√(1−ζ²)`: `exp(−πβ/ω)` if
/// the force may pull, and `exp[−(β/ω)(π − atan2(2βω, ω²−β²))]` if it is clamped at zero. The latter goes on beyond
/// critical damping with `ω` imaginary.
pub fn effective_restitution(damping_ratio: f64, clamp: bool) -> f64 {
    let beta = damping_ratio;
    if (beta - 1.0).abs() < 1e-7 {
        return if clamp { libm::exp(-2.0) } else { 0.0 };
    }
    let omega = (1.0 - beta * beta).abs().sqrt();
    match (clamp, beta < 1.0) {
        (true, true) => {
            let contact = std::f64::consts::PI - libm::atan2(2.0 * beta * omega, omega * omega - beta * beta);
            libm::exp(-beta / omega * contact)
        }
        (true, false) => libm::exp(-beta / omega * libm::log((beta + omega) / (beta - omega))),
        (false, true) => libm::exp(-std::f64::consts::PI * beta / omega),
        (false, false) => 0.0,
    }
}

/// The springs of all contacts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Springs {
    /// Normal stiffness `k`.
    pub normal: f64,
    /// Tangential stiffness `k_t`.
    pub tangential: f64,
    /// Tangential dashpot over the normal one, `γ_t/γ`: such that both have one damping ratio.
    pub damping_share: f64,
    /// Whether the normal force is clamped at zero.
    pub clamp: bool,
    /// Half the tangential stiffness times the step of integration, `½k_t h`. Tangential springs are stretched by the
    /// velocity at the end of each step, which is half a step ahead of the way and acts as a dashpot of this size: the
    /// dashpot itself is weaker by as much, if it can be. What the force does in a step is then what springs gain and
    /// dashpots and sliding lose, exactly.
    pub ahead: f64,
}

impl Springs {
    pub fn new<D: Dim>(soft: &Soft, step: f64) -> Self {
        // Of two free balls 1/m_t = (1 + m r²/I)/m*, whatever their sizes.
        let mass_share = D::BALL_INERTIA / (1.0 + D::BALL_INERTIA);
        let ratio = soft.tangential_ratio.unwrap_or(mass_share);
        Springs {
            normal: soft.stiffness,
            tangential: ratio * soft.stiffness,
            damping_share: (ratio * mass_share).sqrt(),
            clamp: soft.clamp,
            ahead: 0.5 * ratio * soft.stiffness * step,
        }
    }

    /// The energy of a contact; `turn` is the angle of the spring of rolling and torsion times the reduced radius.
    pub fn energy<D: Dim>(&self, overlap: f64, spring: D::Vector, turn: D::Spin) -> f64 {
        0.5 * (self.normal * overlap * overlap + self.tangential * (spring.dot(spring) + turn.dot(turn)))
    }
}

/// The parameters of a pair of materials.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SurfaceLaw {
    pub static_friction: f64,
    pub dynamic_friction: f64,
    /// The limits of contact torques.
    pub rolling: TorqueLimit,
    pub torsion: TorqueLimit,
    /// The damping ratio that gives its restitution.
    pub damping_ratio: f64,
}

impl SurfaceLaw {
    /// The friction coefficient up to which a contact sticks that slid or stuck before, and that of sliding.
    #[inline(always)]
    pub fn frictions(&self, slid: bool) -> [f64; 2] {
        [if slid { self.dynamic_friction } else { self.static_friction }, self.dynamic_friction]
    }
}

/// What a contact remembers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Memory<D: Dim> {
    /// The tangential spring.
    pub spring: D::Vector,
    /// True if it slid.
    pub slid: bool,
    /// True if it has touched in this window.
    pub touched: bool,
}

/// How two bodies in contact turn against each other.
pub(super) struct Turning<D: Dim> {
    /// From body 1 to body 2.
    pub normal: D::Vector,
    /// The normal force that limits the torques.
    pub force: f64,
    /// Reduced radius `r* = r₁r₂/(r₁+r₂)`.
    pub radius: f64,
    /// Relative spin, of body 2 against body 1.
    pub spin: D::Spin,
    /// Normal dashpot.
    pub damping: f64,
}

/// The torque of a contact.
pub(super) struct Resistance<D: Dim> {
    /// On body 2.
    pub torque: D::Spin,
    /// Power lost in the dashpot, and energy lost by turning beyond the limit in this step.
    pub rolling_loss: [f64; 2],
    /// The same of torsion.
    pub torsion_loss: [f64; 2],
}

/// Rolling and torsion: springs of stiffness `k_t r*²` with dashpots `γ_t r*²`, as if the tangential ones acted at the
/// arm `r*`, each under its limit, a length times the normal force (docs/method.md §3).
pub(super) fn resist<D: Dim>(
    springs: &Springs,
    surface: &SurfaceLaw,
    turning: &Turning<D>,
    turn: &mut D::Spin,
    step: f64,
) -> Resistance<D> {
    let square = turning.radius * turning.radius;
    let stiffness = springs.tangential * square;
    let ahead = springs.ahead * square;
    let damping = f64::max(springs.damping_share * turning.damping * square - ahead, 0.0);
    let part = |turned: D::Spin, spin: D::Spin, limit: TorqueLimit| {
        let limit = limit.length::<D>(turning.radius, turning.force, spin.length()) * turning.force;
        let angle = turned + spin * step;
        let trial = -(angle * stiffness + spin * damping);
        let size = trial.dot(trial);
        if size > limit * limit {
            let torque = trial * (limit / size.sqrt());
            let slipping = (torque - trial) * (1.0 / (damping + 2.0 * ahead));
            let held = spin - slipping;
            (
                torque,
                angle - slipping * step,
                [damping * held.dot(held), (ahead * held.dot(held) - torque.dot(slipping)) * step],
            )
        } else {
            (trial, angle, [damping * spin.dot(spin), ahead * spin.dot(spin) * step])
        }
    };
    let [twisted, rolled] = D::split_spin(turning.normal, *turn);
    let [twist, roll] = D::split_spin(turning.normal, turning.spin);
    let (rolling, rolled, rolling_loss) = part(rolled, roll, surface.rolling);
    let (torsion, twisted, torsion_loss) = part(twisted, twist, surface.torsion);
    *turn = rolled + twisted;
    Resistance { torque: rolling + torsion, rolling_loss, torsion_loss }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damping_and_restitution_are_inverse_to_each_other() {
        for clamp in [false, true] {
            for restitution in [0.06, 0.1, 0.135, 0.14, 0.3, 0.5, 0.8, 0.99, 1.0] {
                let ratio = damping_ratio(restitution, clamp);
                assert!((effective_restitution(ratio, clamp) - restitution).abs() < 1e-7, "{clamp} {restitution}");
            }
        }
        // What cannot be reached is approached: by the strongest dashpot, or by nearly critical damping.
        assert_eq!(damping_ratio(0.0, true), STRONGEST);
        assert!((damping_ratio(0.0, false) - 1.0).abs() < 1e-4);
    }

    #[test]
    fn clamped_restitution_is_continuous_at_critical_damping() {
        let [below, at, above] = [1.0 - 1e-5, 1.0, 1.0 + 1e-5].map(|ratio| effective_restitution(ratio, true));
        assert!((below - at).abs() < 1e-5 && (above - at).abs() < 1e-5 && below > at && at > above);
    }
}
