//! Loads from outside: functions of time, gravity and forces on bodies.

use riprap_solve::{Dim, Vector};

/// A value that a scene gives as a function of time.
#[derive(Clone, Debug, PartialEq)]
pub enum TimeFunction {
    /// The same at all times.
    Constant(f64),
    /// `from` until `start`, then linear to `to` at `end`, constant after.
    Ramp {
        /// Value before.
        from: f64,
        /// Value after.
        to: f64,
        /// When it starts to change.
        start: f64,
        /// When it has changed.
        end: f64,
    },
    /// `mean + amplitude · sin(2π · frequency · t + phase)`.
    Sine {
        /// The mean.
        mean: f64,
        /// The amplitude.
        amplitude: f64,
        /// Turns per second.
        frequency: f64,
        /// Radians at time zero.
        phase: f64,
    },
    /// Pairs of time and value in increasing time, linear in between, constant outside.
    Table(Vec<(f64, f64)>),
}

impl TimeFunction {
    /// The value at time `t`.
    pub fn at(&self, t: f64) -> f64 {
        match self {
            TimeFunction::Constant(value) => *value,
            TimeFunction::Ramp { from, to, start, end } => {
                if t < *start {
                    *from
                } else if t >= *end {
                    *to
                } else {
                    from + (to - from) * (t - start) / (end - start)
                }
            }
            TimeFunction::Sine { mean, amplitude, frequency, phase } => {
                mean + amplitude * (std::f64::consts::TAU * frequency * t + phase).sin()
            }
            TimeFunction::Table(points) => {
                let after = points.partition_point(|&(time, _)| time <= t);
                match (after.checked_sub(1).map(|i| points[i]), points.get(after)) {
                    (None, None) => 0.0,
                    (None, Some(&(_, first))) => first,
                    (Some((_, last)), None) => last,
                    (Some((t0, v0)), Some(&(t1, v1))) => v0 + (v1 - v0) * (t - t0) / (t1 - t0),
                }
            }
        }
    }

    /// The function times a constant.
    pub fn scaled(&self, factor: f64) -> Self {
        match self {
            TimeFunction::Constant(value) => TimeFunction::Constant(value * factor),
            TimeFunction::Ramp { from, to, start, end } => {
                TimeFunction::Ramp { from: from * factor, to: to * factor, start: *start, end: *end }
            }
            TimeFunction::Sine { mean, amplitude, frequency, phase } => TimeFunction::Sine {
                mean: mean * factor,
                amplitude: amplitude * factor,
                frequency: *frequency,
                phase: *phase,
            },
            TimeFunction::Table(points) => TimeFunction::Table(points.iter().map(|&(t, v)| (t, v * factor)).collect()),
        }
    }

    /// The function delayed: its value at `t` is that of this one at `t − delay`.
    pub fn delayed(&self, delay: f64) -> Self {
        match self {
            TimeFunction::Constant(_) => self.clone(),
            TimeFunction::Ramp { from, to, start, end } => {
                TimeFunction::Ramp { from: *from, to: *to, start: start + delay, end: end + delay }
            }
            TimeFunction::Sine { mean, amplitude, frequency, phase } => TimeFunction::Sine {
                mean: *mean,
                amplitude: *amplitude,
                frequency: *frequency,
                phase: phase - std::f64::consts::TAU * frequency * delay,
            },
            TimeFunction::Table(points) => TimeFunction::Table(points.iter().map(|&(t, v)| (t + delay, v)).collect()),
        }
    }

    /// The largest absolute value that it ever takes.
    pub fn largest(&self) -> f64 {
        match self {
            TimeFunction::Constant(value) => value.abs(),
            TimeFunction::Ramp { from, to, .. } => from.abs().max(to.abs()),
            TimeFunction::Sine { mean, amplitude, .. } => mean.abs() + amplitude.abs(),
            TimeFunction::Table(points) => points.iter().fold(0.0, |most, &(_, v)| f64::max(most, v.abs())),
        }
    }
}

/// Gravity, which may tilt with time.
#[derive(Clone, Debug, PartialEq)]
pub struct Gravity<D: Dim> {
    /// The acceleration when not tilted.
    pub acceleration: D::Vector,
    /// Towards which unit vector, perpendicular to the acceleration, it tilts, and by what angle (rad) over time.
    pub tilt: Option<(D::Vector, TimeFunction)>,
}

impl<D: Dim> Default for Gravity<D> {
    /// 9.81 m/s² downwards, against the last axis.
    fn default() -> Self {
        Gravity::new(D::Vector::axis(D::AXES - 1) * -9.81)
    }
}

impl<D: Dim> Gravity<D> {
    /// A constant acceleration.
    pub fn new(acceleration: D::Vector) -> Self {
        Gravity { acceleration, tilt: None }
    }

    /// No gravity.
    pub fn none() -> Self {
        Gravity::new(D::Vector::ZERO)
    }

    /// The acceleration at time `t`.
    pub fn at(&self, t: f64) -> D::Vector {
        match &self.tilt {
            None => self.acceleration,
            Some((towards, angle)) => {
                let (sin, cos) = angle.at(t).sin_cos();
                self.acceleration * cos + *towards * (self.acceleration.length() * sin)
            }
        }
    }
}

/// A force and a torque on each of its target bodies.
#[derive(Clone, Debug, PartialEq)]
pub struct Load {
    /// Which bodies.
    pub target: Target,
    /// Force along x, y, z.
    pub force: [TimeFunction; 3],
    /// Torque about x, y, z (in 2D only the first is used).
    pub torque: [TimeFunction; 3],
}

/// Which bodies a load acts on; driven bodies are never among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Every free body.
    All,
    /// The free bodies of one group.
    Group(u16),
    /// One free body.
    Body(u32),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_time_take_the_values_that_they_say() {
        let ramp = TimeFunction::Ramp { from: 1.0, to: 3.0, start: 1.0, end: 2.0 };
        assert_eq!([0.0, 1.0, 1.5, 2.0, 9.0].map(|t| ramp.at(t)), [1.0, 1.0, 2.0, 3.0, 3.0]);
        let table = TimeFunction::Table(vec![(0.0, 1.0), (2.0, 5.0)]);
        assert_eq!([-1.0, 0.0, 1.0, 2.0, 3.0].map(|t| table.at(t)), [1.0, 1.0, 3.0, 5.0, 5.0]);
        let sine = TimeFunction::Sine { mean: 1.0, amplitude: 2.0, frequency: 0.25, phase: 0.0 };
        assert!((sine.at(1.0) - 3.0).abs() < 1e-15);
        for function in [ramp, table, sine] {
            assert!((function.delayed(0.7).at(1.9) - function.at(1.2)).abs() < 1e-14);
            assert!((function.scaled(-2.0).at(1.3) + 2.0 * function.at(1.3)).abs() < 1e-14);
            assert!((0..100).all(|i| function.at(0.1 * f64::from(i)).abs() <= function.largest()));
        }
    }

    #[test]
    fn tilted_gravity_keeps_its_strength() {
        use riprap_solve::D2;
        let gravity = Gravity::<D2> {
            acceleration: glam::DVec2::new(0.0, -9.81),
            tilt: Some((glam::DVec2::X, TimeFunction::Constant(0.5))),
        };
        let g = gravity.at(0.0);
        assert!((g.length() - 9.81).abs() < 1e-14);
        assert!((g.x / -g.y - 0.5_f64.tan()).abs() < 1e-14);
    }
}
