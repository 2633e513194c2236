//! Friction and restitution that depend on velocity (docs/method.md §3, P0 end of §5.2).

/// A parameter that depends on speed. It is evaluated at the velocity with which a contact enters the step, and frozen
/// during the solve.
#[derive(Clone, Debug, PartialEq)]
pub enum SpeedCurve {
    /// The same at all speeds.
    Constant(f64),
    /// Straight lines between points of speed and value, constant before the first and after the last; speeds increase.
    Table(Vec<[f64; 2]>),
    /// From one value at rest to another at high speed: `to + (from − to) e^{−v/speed}`.
    Decay {
        /// At rest.
        from: f64,
        /// At high speed.
        to: f64,
        /// The speed of the change.
        speed: f64,
    },
    /// `value (v/speed)^exponent`.
    Power {
        /// The value at `speed`.
        value: f64,
        /// The speed at which it has that value.
        speed: f64,
        /// The exponent; −1/4 for restitution of plastic impacts.
        exponent: f64,
    },
    /// The geometric mean of two curves: friction between two materials.
    Mean(Box<[SpeedCurve; 2]>),
    /// The smaller of two curves: restitution between two materials.
    Least(Box<[SpeedCurve; 2]>),
}

impl SpeedCurve {
    /// The value at a speed, never negative.
    ///
    /// ```
    /// use riprap_engine::SpeedCurve;
    /// let table = SpeedCurve::Table(vec![[0.0, 0.5], [2.0, 0.3]]);
    /// assert_eq!([table.at(0.0), table.at(1.0), table.at(9.0)], [0.5, 0.4, 0.3]);
    /// assert_eq!(SpeedCurve::Power { value: 0.8, speed: 2.0, exponent: -1.0 }.at(4.0), 0.4);
    /// ```
    pub fn at(&self, speed: f64) -> f64 {
        self.signed(speed).max(0.0)
    }

    /// The value at a speed, which may be negative: tangential restitution.
    pub fn signed(&self, speed: f64) -> f64 {
        match self {
            SpeedCurve::Constant(value) => *value,
            SpeedCurve::Table(points) => match points.iter().position(|point| point[0] > speed) {
                None => points.last().map_or(0.0, |point| point[1]),
                Some(0) => points[0][1],
                Some(next) => {
                    let ([v0, y0], [v1, y1]) = (points[next - 1], points[next]);
                    y0 + (y1 - y0) * (speed - v0) / (v1 - v0)
                }
            },
            SpeedCurve::Decay { from, to, speed: scale } => to + (from - to) * libm::exp(-speed / scale),
            SpeedCurve::Power { value, speed: scale, exponent } => value * libm::pow(speed / scale, *exponent),
            SpeedCurve::Mean(curves) => (curves[0].at(speed) * curves[1].at(speed)).sqrt(),
            SpeedCurve::Least(curves) => f64::min(curves[0].signed(speed), curves[1].signed(speed)),
        }
    }
}
