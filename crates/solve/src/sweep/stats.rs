//! Statistics of a pass over contacts.

/// Sums and maxima over the contacts of a pass.
#[derive(Clone, Copy, Debug, Default)]
pub struct SweepStats {
    /// `Σ |δp|²` of a sweep, or `Σ |error|²` of a residual.
    pub change: f64,
    /// `Σ |p|²`.
    pub size: f64,
    /// `Σ p_n` of a sweep.
    pub normal: f64,
    /// The largest `|δp|/max(|p|, floor)` of a sweep, or the largest `|error/m_n|` of a residual.
    pub worst: f64,
    /// `Σ |error/m_n|²` of a residual.
    pub speed: f64,
    /// `Σ m_n² (v₁² + v₂² + shift²)` of a residual: the scale of its rounding errors.
    pub scale: f64,
    /// Batches that were left out because they carry nothing.
    pub left_out: u32,
}

impl SweepStats {
    /// The numbers, to be sent.
    pub fn to_numbers(self) -> [f64; 7] {
        let SweepStats { change, size, normal, worst, speed, scale, left_out } = self;
        [change, size, normal, worst, speed, scale, f64::from(left_out)]
    }

    /// The inverse of [`SweepStats::to_numbers`].
    pub fn from_numbers([change, size, normal, worst, speed, scale, left_out]: [f64; 7]) -> Self {
        SweepStats { change, size, normal, worst, speed, scale, left_out: left_out as u32 }
    }

    /// Those of two passes over different contacts together.
    pub fn and(self, other: SweepStats) -> SweepStats {
        SweepStats {
            change: self.change + other.change,
            size: self.size + other.size,
            normal: self.normal + other.normal,
            worst: self.worst.max(other.worst),
            speed: self.speed + other.speed,
            scale: self.scale + other.scale,
            left_out: self.left_out + other.left_out,
        }
    }
}
