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
    /// The sum of several functions.
    Sum(Vec<TimeFunction>),
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
                mean + amplitude * libm::sin(std::f64::consts::TAU * frequency * t + phase)
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
            TimeFunction::Sum(parts) => parts.iter().map(|part| part.at(t)).sum(),
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
            TimeFunction::Sum(parts) => TimeFunction::Sum(parts.iter().map(|part| part.scaled(factor)).collect()),
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
            TimeFunction::Sum(parts) => TimeFunction::Sum(parts.iter().map(|part| part.delayed(delay)).collect()),
        }
    }

    /// The integral from one time to a later one, in closed form: the velocity that an acceleration gives.
    pub fn integral(&self, from: f64, to: f64) -> f64 {
        match self {
            TimeFunction::Constant(value) => value * (to - from),
            TimeFunction::Ramp { from: first, to: last, start, end } => {
                linear_pieces(&[(*start, *first), (*end, *last)], from, to)
            }
            TimeFunction::Sine { amplitude, frequency, .. } if *amplitude == 0.0 || *frequency == 0.0 => {
                self.at(0.0) * (to - from)
            }
            TimeFunction::Sine { mean, amplitude, frequency, phase } => {
                let turns = std::f64::consts::TAU * frequency;
                mean * (to - from)
                    - amplitude / turns * (libm::cos(turns * to + phase) - libm::cos(turns * from + phase))
            }
            TimeFunction::Table(points) => linear_pieces(points, from, to),
            TimeFunction::Sum(parts) => parts.iter().map(|part| part.integral(from, to)).sum(),
        }
    }

    /// The largest absolute value that it ever takes; of a sum, a bound of it.
    pub fn largest(&self) -> f64 {
        match self {
            TimeFunction::Constant(value) => value.abs(),
            TimeFunction::Ramp { from, to, .. } => from.abs().max(to.abs()),
            TimeFunction::Sine { mean, amplitude, .. } => mean.abs() + amplitude.abs(),
            TimeFunction::Table(points) => points.iter().fold(0.0, |most, &(_, v)| f64::max(most, v.abs())),
            TimeFunction::Sum(parts) => parts.iter().map(TimeFunction::largest).sum(),
        }
    }
}

/// The integral of a function that is linear between points and constant outside.
fn linear_pieces(points: &[(f64, f64)], from: f64, to: f64) -> f64 {
    let (Some(&(first, before)), Some(&(last, after))) = (points.first(), points.last()) else { return 0.0 };
    let outside = before * (to.min(first) - from.min(first)) + after * (to.max(last) - from.max(last));
    let begin = points.partition_point(|&(time, _)| time <= from).saturating_sub(1);
    let pieces = points[begin..].windows(2).take_while(|ends| ends[0].0 < to);
    let inside = pieces.map(|ends| {
        let ((t0, v0), (t1, v1)) = (ends[0], ends[1]);
        let (a, b) = (from.clamp(t0, t1), to.clamp(t0, t1));
        // The trapezium below a straight line.
        (b - a) * (v0 + (v1 - v0) * (0.5 * (a + b) - t0) / (t1 - t0))
    });
    outside + inside.sum::<f64>()
}

/// Gravity, which may tilt with time, in a frame that may be accelerated.
#[derive(Clone, Debug, PartialEq)]
pub struct Gravity<D: Dim> {
    /// The acceleration when not tilted.
    pub acceleration: D::Vector,
    /// Towards which unit vector, perpendicular to the acceleration, it tilts, and by what angle (rad) over time.
    pub tilt: Option<(D::Vector, TimeFunction)>,
    /// The acceleration of the ground along x, y, z. Positions and velocities are then those seen from the ground, where
    /// the opposite acceleration acts on all bodies.
    pub ground: Option<Box<[TimeFunction; 3]>>,
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
        Gravity { acceleration, tilt: None, ground: None }
    }

    /// No gravity.
    pub fn none() -> Self {
        Gravity::new(D::Vector::ZERO)
    }

    /// The acceleration of a free body at time `t`.
    pub fn at(&self, t: f64) -> D::Vector {
        let tilted = match &self.tilt {
            None => self.acceleration,
            Some((towards, angle)) => {
                let (sin, cos) = libm::sincos(angle.at(t));
                self.acceleration * cos + *towards * (self.acceleration.length() * sin)
            }
        };
        match &self.ground {
            None => tilted,
            Some(ground) => tilted - D::Vector::from_fn(|axis| ground[axis].at(t)),
        }
    }

    /// True if it is the same at all times.
    pub fn is_constant(&self) -> bool {
        self.tilt.is_none() && self.ground.is_none()
    }

    /// An acceleration that it never exceeds.
    pub fn largest(&self) -> f64 {
        let shaken = |ground: &[TimeFunction; 3]| D::Vector::from_fn(|axis| ground[axis].largest()).length();
        self.acceleration.length() + self.ground.as_ref().map_or(0.0, |ground| shaken(ground))
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

/// A blow on each of its target bodies: an impulse at an instant, at a point of the body (a percussion of P3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Percussion {
    /// Which bodies.
    pub target: Target,
    /// When. It acts in the step during which this time comes.
    pub time: f64,
    /// The impulse along x, y, z (N s).
    pub impulse: [f64; 3],
    /// From the centre of mass of the body to the point that is struck, along x, y, z.
    pub arm: [f64; 3],
}

impl Percussion {
    /// Its impulse and its angular impulse about the centre of mass, if it acts in the step from `start` to `end`.
    pub fn within<D: Dim>(&self, start: f64, end: f64) -> Option<(D::Vector, D::Spin)> {
        let [impulse, arm] = [self.impulse, self.arm].map(D::Vector::from_array3);
        (start <= self.time && self.time < end).then(|| (impulse, D::wedge(arm, impulse)))
    }
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

impl Target {
    /// True for the free body of this index and group.
    pub fn includes(self, index: usize, group: u16) -> bool {
        match self {
            Target::All => true,
            Target::Group(own) => group == own,
            Target::Body(own) => index == own as usize,
        }
    }
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
        let sum = TimeFunction::Sum(vec![ramp.clone(), sine.clone()]);
        assert_eq!(sum.at(1.5), ramp.at(1.5) + sine.at(1.5));
        for function in [ramp, table, sine, sum] {
            assert!((function.delayed(0.7).at(1.9) - function.at(1.2)).abs() < 1e-14);
            assert!((function.scaled(-2.0).at(1.3) + 2.0 * function.at(1.3)).abs() < 1e-14);
            assert!((0..100).all(|i| function.at(0.1 * f64::from(i)).abs() <= function.largest()));
        }
    }

    #[test]
    fn integrals_are_those_of_many_short_intervals() {
        let functions = [
            TimeFunction::Constant(2.0),
            TimeFunction::Ramp { from: 1.0, to: 3.0, start: 1.0, end: 2.0 },
            TimeFunction::Sine { mean: 1.0, amplitude: 2.0, frequency: 0.7, phase: 0.4 },
            TimeFunction::Sine { mean: 1.0, amplitude: 2.0, frequency: 0.0, phase: 0.4 },
            TimeFunction::Table(vec![(0.5, -1.0), (0.75, 4.0), (2.25, 2.0), (2.5, 7.0)]),
            TimeFunction::Sum(vec![
                TimeFunction::Constant(2.0),
                TimeFunction::Ramp { from: 1.0, to: 3.0, start: 1.0, end: 2.0 },
            ]),
        ];
        for function in functions {
            for (from, to) in [(-1.0, 0.25), (0.0, 3.0), (0.6, 0.7), (0.6, 2.4), (1.0, 1.0), (2.75, 4.0)] {
                let n = 4000;
                let dt = (to - from) / f64::from(n);
                let sum: f64 = (0..n).map(|i| dt * function.at(from + dt * (f64::from(i) + 0.5))).sum();
                let exact = function.integral(from, to);
                assert!((exact - sum).abs() < 1e-5, "{function:?} from {from} to {to}: {exact}, not {sum}");
            }
        }
    }

    #[test]
    fn bodies_on_accelerated_ground_feel_the_opposite_acceleration() {
        use riprap_solve::D2;
        let ground = [TimeFunction::Constant(2.0), TimeFunction::Constant(0.0), TimeFunction::Constant(0.0)];
        let gravity = Gravity::<D2> { ground: Some(Box::new(ground)), ..Gravity::default() };
        assert_eq!(gravity.at(0.3), glam::DVec2::new(-2.0, -9.81));
        assert!(gravity.largest() >= gravity.at(0.3).length() && !gravity.is_constant());
    }

    #[test]
    fn tilted_gravity_keeps_its_strength() {
        use riprap_solve::D2;
        let gravity = Gravity::<D2> {
            acceleration: glam::DVec2::new(0.0, -9.81),
            tilt: Some((glam::DVec2::X, TimeFunction::Constant(0.5))),
            ground: None,
        };
        let g = gravity.at(0.0);
        assert!((g.length() - 9.81).abs() < 1e-14);
        assert!((g.x / -g.y - 0.5_f64.tan()).abs() < 1e-14);
    }
}
