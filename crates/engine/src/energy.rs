//! The terms of the energy balance (docs/method.md §2); `report/energy.rs` computes them.

/// The energies since the start of the run, in joules. In exact arithmetic
/// `kinetic + potential + elastic = initial + exchanged + loads + drivers + bridges − dissipated + scheme`, where
/// `dissipated` sums friction, impact, rolling, torsion and cohesion.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energy {
    /// Kinetic energy now.
    pub kinetic: f64,
    /// Potential energy in gravity now (zero at the origin; with tilting gravity, in gravity as it is now).
    pub potential: f64,
    /// Energy now in the springs of molecular dynamics; zero under contact dynamics.
    pub elastic: f64,
    /// Kinetic, potential and elastic energy at the start.
    pub initial: f64,
    /// Brought in by bodies that were added since, less what bodies that were removed have taken away.
    pub exchanged: f64,
    /// Work of loads, of imposed forces, and of the turning of gravity.
    pub loads: f64,
    /// Work of imposed velocities.
    pub drivers: f64,
    /// Dissipated by friction, `−Σ p_t·ū_t`; under molecular dynamics, by sliding and by tangential dashpots.
    pub friction: f64,
    /// Dissipated by impact, `−Σ p_n ū_n`; under molecular dynamics, by normal dashpots.
    pub impact: f64,
    /// Dissipated by rolling, `−Σ τ_t·Ω̄_t`.
    pub rolling: f64,
    /// Dissipated by torsion, `−Σ τ_n Ω̄_n`.
    pub torsion: f64,
    /// Taken by contacts under tension as they open, `−Σ p_n ū_n` where `p_n < 0`: cohesion and bonds.
    pub cohesion: f64,
    /// Work of capillary bridges on the grains.
    pub bridges: f64,
    /// What the position update of the Euler scheme leaves over (docs/method.md §2); zero for the midpoint scheme.
    /// Under molecular dynamics, the error of integration with a finite step.
    pub scheme: f64,
    /// The energy that contacts created where their law is not dissipative (the sum of negative dissipations of whole
    /// steps); already contained in the dissipations.
    pub created: f64,
}

impl Energy {
    /// The balance, which should be zero but for rounding.
    pub fn error(&self) -> f64 {
        self.kinetic + self.potential + self.elastic
            - (self.initial + self.exchanged + self.loads + self.drivers + self.bridges - self.dissipated()
                + self.scheme)
    }

    /// A body brings in, or takes away, kinetic and potential energy.
    pub(crate) fn exchange(&mut self, kinetic: f64, potential: f64) {
        self.kinetic += kinetic;
        self.potential += potential;
        self.exchanged += kinetic + potential;
    }

    /// The energy that all contacts have dissipated.
    pub fn dissipated(&self) -> f64 {
        self.friction + self.impact + self.rolling + self.torsion + self.cohesion
    }

    /// The largest term of the balance, to judge [`Energy::error`] against.
    pub fn scale(&self) -> f64 {
        let state = [self.kinetic, self.potential, self.elastic, self.initial];
        let given = [self.exchanged, self.loads, self.drivers, self.bridges, self.scheme];
        let lost = [self.friction, self.impact, self.rolling, self.torsion, self.cohesion];
        state.iter().chain(&given).chain(&lost).fold(0.0, |most, e| f64::max(most, e.abs()))
    }
}

/// The work of the contacts in one step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct ContactWork {
    /// `−Σ p_t·ū_t`.
    pub friction: f64,
    /// `−Σ p_n ū_n`.
    pub impact: f64,
    /// `−Σ τ_t·Ω̄_t`.
    pub rolling: f64,
    /// `−Σ τ_n Ω̄_n`.
    pub torsion: f64,
    /// `−Σ p_n ū_n` of contacts under tension.
    pub cohesion: f64,
    /// Work of imposed velocities through the contacts.
    pub drivers: f64,
    /// `Σ |p·ū|`, to which the rounding errors of the other terms are proportional.
    pub absolute: f64,
}

impl ContactWork {
    /// True if the contacts gave energy, beyond rounding: `−Σ p·ū < 0` (Clausius–Duhem, P3 11).
    pub fn violates_clausius_duhem(&self) -> bool {
        self.dissipated() < -1e-12 * self.absolute
    }

    /// The energy that the contacts took from the bodies.
    pub fn dissipated(&self) -> f64 {
        self.friction + self.impact + self.rolling + self.torsion + self.cohesion
    }
}

/// The work of the periodic cell's deformation in one step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CellWork {
    /// Work of the pressures.
    pub loads: f64,
    /// Work of the imposed rates.
    pub drivers: f64,
    /// Work of bridges between grains that the cell carries apart.
    pub bridges: f64,
    /// The energy taken up by the extra mass of a cell that had to be heavier than its own.
    pub scheme: f64,
}
