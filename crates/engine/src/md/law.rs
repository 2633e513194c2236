//! The force of a soft contact (METHOD.md section 8): a spring and a dashpot along the normal, a spring with history and
//! a dashpot along the tangent under Coulomb's limit, and the same for rolling and torsion.

use super::Soft;
use crate::law::torque::TorqueLimit;
use riprap_solve::{Dim, Vector};

/// A dashpot stronger than this many times the critical one is not used: the limit `e_n → 0` of the clamped law needs
/// an endless one, and the step of integration would have to follow it.
const STRONGEST: f64 = 2.0;

/// The part of its squared length that a spring may lose as it turns in one step; that of a turn by 1e-5 in some
/// hundreds of steps of a collision is 1e-10 each.
const SMALL_TURN: f64 = 1e-9;

/// The damping ratio `ζ = γ/(2√(k m*))` of the dashpot with which two grains rebound with the restitution `e_n`, or with
/// the nearest that a spring and dashpot can reach.
pub fn damping_ratio(restitution: f64, clamp: bool) -> f64 {
    if !clamp {
        // exp(−πβ/ω) = e_n, with β = ζω₀ and ω = ω₀√(1−ζ²).
        let log = -restitution.max(f64::MIN_POSITIVE).ln();
        return log / std::f64::consts::PI.hypot(log);
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
        return if clamp { (-2.0_f64).exp() } else { 0.0 };
    }
    let omega = (1.0 - beta * beta).abs().sqrt();
    match (clamp, beta < 1.0) {
        (true, true) => {
            let contact = std::f64::consts::PI - f64::atan2(2.0 * beta * omega, omega * omega - beta * beta);
            (-beta / omega * contact).exp()
        }
        (true, false) => (-beta / omega * ((beta + omega) / (beta - omega)).ln()).exp(),
        (false, true) => (-std::f64::consts::PI * beta / omega).exp(),
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
    /// `1/k_t`.
    inverse_tangential: f64,
}

impl Springs {
    pub fn new<D: Dim>(soft: &Soft) -> Self {
        // Of two free balls 1/m_t = (1 + m r²/I)/m*, whatever their sizes.
        let mass_share = D::BALL_INERTIA / (1.0 + D::BALL_INERTIA);
        let ratio = soft.tangential_ratio.unwrap_or(mass_share);
        Springs {
            normal: soft.stiffness,
            tangential: ratio * soft.stiffness,
            damping_share: (ratio * mass_share).sqrt(),
            clamp: soft.clamp,
            inverse_tangential: 1.0 / (ratio * soft.stiffness),
        }
    }

    /// The energy of a contact; `turn` is the angle of the spring of rolling and torsion times the reduced radius.
    pub fn energy<D: Dim>(&self, overlap: f64, spring: D::Vector, turn: D::Spin) -> f64 {
        0.5 * (self.normal * overlap * overlap + self.tangential * (spring.dot(spring) + turn.dot(turn)))
    }
}

/// What the pair of materials adds to the force law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Surface {
    pub static_friction: f64,
    pub dynamic_friction: f64,
    /// The limits of contact torques.
    pub rolling: TorqueLimit,
    pub torsion: TorqueLimit,
    /// The damping ratio that its restitution asks for.
    pub damping_ratio: f64,
}

/// How two bodies meet at one point in time.
pub(super) struct Meeting<D: Dim> {
    /// From body 1 to body 2.
    pub normal: D::Vector,
    /// How deep they overlap.
    pub overlap: f64,
    /// Relative velocity at the point.
    pub velocity: D::Vector,
    /// Sum of the two spins: half of it turns the tangent plane about the normal.
    pub spins: D::Spin,
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

/// The force of a contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Pull<D: Dim> {
    /// On body 2.
    pub force: D::Vector,
    /// Power lost in the normal dashpot.
    pub normal_loss: f64,
    /// Power lost in the tangential dashpot.
    pub tangential_loss: f64,
    /// Energy lost by sliding in this step.
    pub slip_loss: f64,
}

/// The force on body 2, after the contact has moved on by `step` to where it is now; `damping` is the normal dashpot
/// (kg/s).
#[inline(always)]
pub(super) fn pull<D: Dim>(
    springs: &Springs,
    surface: &Surface,
    meeting: &Meeting<D>,
    damping: f64,
    memory: &mut Memory<D>,
    step: f64,
) -> Pull<D> {
    let n = meeting.normal;
    let u_n = meeting.velocity.dot(n);
    let u_t = meeting.velocity - n * u_n;
    // f_n = kδ − γu_n; with the clamp the dashpot cannot make the contact pull.
    let elastic = springs.normal * meeting.overlap;
    let free = elastic - damping * u_n;
    let f_n = if springs.clamp { free.max(0.0) } else { free };

    // The spring turns with the tangent plane at constant length, then stretches.
    let (k_t, gamma_t) = (springs.tangential, springs.damping_share * damping);
    let mut xi = memory.spring;
    let length = xi.dot(xi);
    if length > 0.0 {
        xi += D::cross(meeting.spins, xi) * (0.5 * step);
        xi -= n * xi.dot(n);
        let turned = xi.dot(xi);
        // In a step of most contacts nothing is lost that rounding would not lose; the others get their length back.
        if (length - turned).abs() > SMALL_TURN * length {
            xi = if turned > 0.0 { xi * (length / turned).sqrt() } else { D::Vector::ZERO };
        }
    }
    xi += u_t * step;
    let trial = -(xi * k_t + u_t * gamma_t);
    let friction = if memory.slid { surface.dynamic_friction } else { surface.static_friction };
    let limit = friction * f_n.max(0.0);
    let size = trial.dot(trial);
    memory.slid = size > limit * limit;
    let (f_t, slip_loss, tangential_loss) = if memory.slid {
        // On Coulomb's cone the dashpot is silent and the spring holds the limit; the rest of the way was sliding, with
        // the dynamic friction.
        let limit = surface.dynamic_friction * f_n.max(0.0);
        let f_t = trial * (limit / size.sqrt());
        let held = f_t * -springs.inverse_tangential;
        memory.spring = held;
        (f_t, -f_t.dot(xi - held), 0.0)
    } else {
        memory.spring = xi;
        (trial, 0.0, gamma_t * u_t.dot(u_t))
    };
    Pull { force: n * f_n + f_t, normal_loss: (elastic - f_n) * u_n, tangential_loss, slip_loss }
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
/// arm `r*`, each under its limit, a length times the normal force (METHOD.md section 3).
pub(super) fn resist<D: Dim>(
    springs: &Springs,
    surface: &Surface,
    turning: &Turning<D>,
    turn: &mut D::Spin,
    step: f64,
) -> Resistance<D> {
    let square = turning.radius * turning.radius;
    let stiffness = springs.tangential * square;
    let damping = springs.damping_share * turning.damping * square;
    let part = |turned: D::Spin, spin: D::Spin, limit: TorqueLimit| {
        let limit = limit.length::<D>(turning.radius, turning.force) * turning.force;
        let angle = turned + spin * step;
        let trial = -(angle * stiffness + spin * damping);
        let size = trial.dot(trial);
        if size > limit * limit {
            let torque = trial * (limit / size.sqrt());
            let held = torque * (-1.0 / stiffness);
            (torque, held, [0.0, -torque.dot(angle - held)])
        } else {
            (trial, angle, [damping * spin.dot(spin), 0.0])
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
    use riprap_solve::D3;

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

    #[test]
    fn the_tangential_force_stays_in_coulombs_cone_and_loses_energy() {
        let springs = Springs::new::<D3>(&Soft::new(1e4, 1e-5));
        let surface = Surface {
            static_friction: 0.5,
            dynamic_friction: 0.3,
            rolling: TorqueLimit::None,
            torsion: TorqueLimit::None,
            damping_ratio: 0.2,
        };
        let mut memory = Memory::<D3>::default();
        let mut slid = 0;
        for i in 0..400 {
            let meeting = Meeting {
                normal: glam::DVec3::Z,
                overlap: 1e-4,
                velocity: glam::DVec3::new(0.3 * (0.05 * f64::from(i)).sin(), 0.1, 0.0),
                spins: glam::DVec3::Z,
            };
            let pull = pull(&springs, &surface, &meeting, 0.05, &mut memory, 1e-5);
            let (f_n, f_t) = (pull.force.z, pull.force.truncate().length());
            assert!((f_n - 1.0).abs() < 1e-12);
            assert!(f_t <= 0.5 * (1.0 + 1e-12) && pull.slip_loss >= -1e-15 && pull.tangential_loss >= 0.0);
            if memory.slid {
                slid += 1;
                assert!((f_t - 0.3).abs() < 1e-12);
            }
        }
        assert!(slid > 100, "it slid in {slid} of 400 steps");
    }
}
