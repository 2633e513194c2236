//! Forces that depend on the positions of bodies: springs between them, and flexible membranes (P3 §5.2, docs/method.md §7).

use crate::loads::TimeFunction;
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
/// pressure on its length, half to each end, at a right angle to the piece. Tension between neighbours is modelled by
/// springs.
#[derive(Clone, Debug, PartialEq)]
pub struct Membrane {
    /// The bodies, one after the other.
    pub chain: Vec<u32>,
    /// The pressure over time (Pa).
    pub pressure: TimeFunction,
    /// True if the pressure pushes to the left of the chain's direction.
    pub pushes_left: bool,
    /// How thick the plane is: the pressure acts on the length of a piece times this (m).
    pub thickness: f64,
}

impl Spring {
    /// The energy of the spring when its bodies are this far apart.
    pub fn energy(&self, distance: f64) -> f64 {
        0.5 * self.stiffness * (distance - self.rest).powi(2)
    }

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
        press::<D>(self.load(t), &self.chain, position).collect()
    }

    /// The force per length of the chain at time `t`, to its left.
    pub(crate) fn load(&self, t: f64) -> f64 {
        self.pressure.at(t) * if self.pushes_left { self.thickness } else { -self.thickness }
    }
}

/// The force on each body of a chain in turn, under a force per length to the left of it.
pub(crate) fn press<D: Dim>(
    load: f64,
    chain: &[u32],
    position: impl Fn(u32) -> D::Vector,
) -> impl Iterator<Item = D::Vector> {
    let quarter_turn = D::Spin::from_fn(|axis| f64::from(axis + 1 == D::SPINS));
    let mut before = D::Vector::ZERO;
    (0..chain.len()).map(move |i| {
        let after = match chain.get(i + 1) {
            Some(&next) => D::cross(quarter_turn, position(next) - position(chain[i])) * (0.5 * load),
            None => D::Vector::ZERO,
        };
        std::mem::replace(&mut before, after) + after
    })
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
        let (pressure, thickness) = (TimeFunction::Constant(14.0), 0.5);
        let mut membrane = Membrane { chain: (0..=12).collect(), pressure, pushes_left: true, thickness };
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
