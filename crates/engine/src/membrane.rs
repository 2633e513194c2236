//! Forces that depend on where bodies are: springs between them, and flexible membranes (P3 §5.2, METHOD.md section 7).

use crate::drive::TimeFunction;
use riprap_solve::{Dim, Vector};

/// A spring between the centres of two bodies; it pulls and pushes.
#[derive(Clone, Debug, PartialEq)]
pub struct Spring {
    /// The two bodies.
    pub bodies: [u32; 2],
    /// Force per length (N/m).
    pub stiffness: f64,
    /// The length at which there is no force.
    pub rest: f64,
}

/// A chain of bodies in the plane that holds a pressure: each piece of the chain between two neighbours carries the
/// pressure on its length, half to each end, at a right angle to the piece. Tension between neighbours is a matter of
/// springs.
#[derive(Clone, Debug, PartialEq)]
pub struct Membrane {
    /// The bodies, one after the other.
    pub chain: Vec<u32>,
    /// The pressure over time (Pa).
    pub pressure: TimeFunction,
    /// True if the pressure pushes to the left of the chain's direction.
    pub pushes_left: bool,
}

impl Spring {
    /// The force on the second body when it is `away` from the first.
    pub fn force<V: Vector>(&self, away: V) -> V {
        match away.normalized() {
            Some(direction) => direction * (-self.stiffness * (away.length() - self.rest)),
            None => V::ZERO,
        }
    }
}

impl Membrane {
    /// The force on each body of the chain in turn, at time `t` and with the bodies at `position`.
    pub fn forces<D: Dim>(&self, t: f64, position: impl Fn(u32) -> D::Vector) -> Vec<D::Vector> {
        let pressure = self.pressure.at(t) * if self.pushes_left { 1.0 } else { -1.0 };
        let quarter_turn = D::Spin::from_fn(|axis| f64::from(axis + 1 == D::SPINS));
        let mut forces = vec![D::Vector::ZERO; self.chain.len()];
        for (piece, ends) in self.chain.windows(2).enumerate() {
            let along = position(ends[1]) - position(ends[0]);
            let half = D::cross(quarter_turn, along) * (0.5 * pressure);
            forces[piece] += half;
            forces[piece + 1] += half;
        }
        forces
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec2;
    use riprap_solve::D2;

    #[test]
    fn a_spring_pulls_back_to_its_length() {
        let spring = Spring { bodies: [0, 1], stiffness: 10.0, rest: 2.0 };
        assert_eq!(spring.force(DVec2::new(0.0, 3.0)), DVec2::new(0.0, -10.0));
        assert_eq!(spring.force(DVec2::new(1.5, 0.0)), DVec2::new(5.0, 0.0));
        assert_eq!(spring.force(DVec2::ZERO), DVec2::ZERO);
    }

    #[test]
    fn a_closed_chain_under_pressure_feels_no_force_and_an_open_one_that_on_its_chord() {
        let points: Vec<DVec2> = (0..=12)
            .map(|i| {
                DVec2::from_angle(std::f64::consts::TAU * f64::from(i % 12) / 12.0) * (1.0 + 0.1 * f64::from(i % 3))
            })
            .collect();
        let mut membrane =
            Membrane { chain: (0..=12).collect(), pressure: TimeFunction::Constant(7.0), pushes_left: true };
        let sum: DVec2 = membrane.forces::<D2>(0.0, |i| points[i as usize]).into_iter().sum();
        assert!(sum.length() < 1e-13);
        // Over a quarter of it, the pressure on the chord, to the left of its direction: inwards.
        membrane.chain.truncate(4);
        let sum: DVec2 = membrane.forces::<D2>(0.0, |i| points[i as usize]).into_iter().sum();
        let chord = points[3] - points[0];
        assert!((sum - chord.perp() * 7.0).length() < 1e-13);
        assert!(sum.dot(points[1]) < 0.0);
    }
}
