//! What a step says about itself.

use riprap_solve::Dim;
use riprap_solve::assembled::{GlobalProblem, LeftOut};

/// The stages of a step, in order; a profile prints them by these words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stage {
    /// Drivers prescribe velocities and forces.
    Drive,
    /// Bodies move to the middle of the step (midpoint scheme only).
    MoveToMidpoint,
    /// Pairs that may touch are found, or the list of them is found to be still good.
    FindPairs,
    /// Velocities without contact impulses.
    FreeVelocity,
    /// Gaps and normals of the pairs are measured.
    MeasureGaps,
    /// Impulses of the last step are recalled.
    RecallImpulses,
    /// All impulses and velocities together.
    Solve,
    /// Impulses are kept for the next step.
    KeepImpulses,
    /// The pairs are looked at where the step ends: was any left out, did anything pass through anything?
    LookBack,
    /// Bodies move to the end of the step.
    MoveToEnd,
    /// Balances are drawn up.
    Report,
}

impl Stage {
    /// All stages in order.
    pub const ALL: [Stage; 11] = [
        Stage::Drive,
        Stage::MoveToMidpoint,
        Stage::FindPairs,
        Stage::FreeVelocity,
        Stage::MeasureGaps,
        Stage::RecallImpulses,
        Stage::Solve,
        Stage::KeepImpulses,
        Stage::LookBack,
        Stage::MoveToEnd,
        Stage::Report,
    ];

    /// The word that a profile prints.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Drive => "drive",
            Stage::MoveToMidpoint => "move to midpoint",
            Stage::FindPairs => "find pairs",
            Stage::MeasureGaps => "measure gaps",
            Stage::RecallImpulses => "recall impulses",
            Stage::FreeVelocity => "free velocity",
            Stage::Solve => "solve",
            Stage::KeepImpulses => "keep impulses",
            Stage::LookBack => "look back",
            Stage::MoveToEnd => "move to end",
            Stage::Report => "report",
        }
    }
}

/// Someone who watches the stages of a step go by, with a clock perhaps; the engine has none.
pub trait Observer: Send {
    /// `stage` begins.
    fn begin(&mut self, stage: Stage);

    /// True if [`Observer::end`] may ask for contact problems; steps then keep what a solve starts from.
    fn watches_problems(&self) -> bool {
        false
    }

    /// Step number `step` has come out so. Where contact problems are watched, `problem` makes that of its last solve, in a
    /// form that other programs can solve too; it is worth some sweeps.
    fn end(
        &mut self,
        _step: u64,
        _outcome: &Result<StepReport, StepError>,
        _problem: &mut dyn FnMut() -> Option<StepProblem>,
    ) {
    }
}

/// The contact problem of a step, with what its solve started from and what it found.
#[derive(Clone, Debug)]
pub struct StepProblem {
    /// The problem.
    pub problem: GlobalProblem,
    /// What of the step's laws is not in it.
    pub left_out: LeftOut,
    /// The impulses that the solve started from.
    pub start: Vec<f64>,
    /// The impulses that it found.
    pub impulse: Vec<f64>,
    /// The velocities of the bodies that it found.
    pub motion: Vec<f64>,
    /// The residual that it reached.
    pub residual: f64,
    /// True if its criterion held.
    pub converged: bool,
}

/// An observer that does not look.
pub struct Silent;

impl Observer for Silent {
    fn begin(&mut self, _: Stage) {}
}

/// The energies since the start of the run, in joules. In exact arithmetic
/// `kinetic + potential + elastic = initial + loads + drivers + bridges − dissipated + scheme`, with what friction, impact,
/// rolling, torsion and cohesion have dissipated.
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
    /// What the position update of the Euler scheme leaves over (METHOD.md section 2); zero for the midpoint scheme.
    /// Under molecular dynamics, what the integration with a finite step leaves over.
    pub scheme: f64,
    /// The energy that contacts created where their law is not dissipative (the sum of negative dissipations of whole
    /// steps); already contained in the dissipations.
    pub created: f64,
}

impl Energy {
    /// The balance that should be zero but for rounding.
    pub fn error(&self) -> f64 {
        self.kinetic + self.potential + self.elastic
            - (self.initial + self.loads + self.drivers + self.bridges - self.dissipated() + self.scheme)
    }

    /// What all contacts have dissipated.
    pub fn dissipated(&self) -> f64 {
        self.friction + self.impact + self.rolling + self.torsion + self.cohesion
    }

    /// The size of what was balanced, to judge [`Energy::error`] against.
    pub fn scale(&self) -> f64 {
        let state = [self.kinetic, self.potential, self.elastic, self.initial];
        let given = [self.loads, self.drivers, self.bridges, self.scheme];
        let lost = [self.friction, self.impact, self.rolling, self.torsion, self.cohesion];
        state.iter().chain(&given).chain(&lost).fold(0.0, |most, e| f64::max(most, e.abs()))
    }
}

/// Too few sweeps make rigid grains elastic (METHOD.md section 5): what that amounts to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SoftRegime {
    /// Sweeps of the step, `N_I`.
    pub sweeps: u32,
    /// How far forces can diffuse in one step, `√(4 q N_I) d`.
    pub diffusion_length: f64,
    /// Size of the largest cluster of contacts.
    pub cluster_size: f64,
    /// Effective stiffness of a contact, `q m N_I/δt²`.
    pub stiffness: f64,
    /// Effective speed of sound, `√(q N_I) d/δt`.
    pub sound_speed: f64,
}

/// What one step did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Number of the step, counted from 1.
    pub step: u64,
    /// Time at its end.
    pub time: f64,
    /// Time step used.
    pub time_step: f64,
    /// Sweeps done.
    pub sweeps: u32,
    /// Molecular dynamics: steps of integration done within this step; zero under contact dynamics.
    pub substeps: u32,
    /// Contact updates done: the contacts visited in all sweeps, or the forces computed.
    pub contact_updates: u64,
    /// True if the criterion held within the limits.
    pub converged: bool,
    /// Relative natural-map residual at the end of the solve.
    pub residual: f64,
    /// The worst natural-map error of one contact, as a velocity (m/s).
    pub worst_contact: f64,
    /// How often compliant contacts were made twice as soft, for this step, because its solve was slow.
    pub softened: u32,
    /// Contacts in the problem, those that stayed open included.
    pub candidates: usize,
    /// Contacts that carried an impulse.
    pub contacts: usize,
    /// Of these, the contacts that slid.
    pub sliding: usize,
    /// Deepest overlap of two bodies at the end of the step, in metres.
    pub max_overlap: f64,
    /// Mean overlap of the contacts that carry an impulse (gaps count as zero), in metres.
    pub mean_overlap: f64,
    /// `|Σ m Δv − δt ΣF − Σ p_walls|` over the largest of these sums of absolute values: rounding, if all is well.
    pub momentum_error: f64,
    /// Energies since the start of the run.
    pub energy: Energy,
    /// The largest speed of a body.
    pub max_speed: f64,
    /// Mean over bodies with contacts of the unbalanced force over the mean contact force.
    pub unbalanced_force: f64,
    /// Set when the step ended by its limit of sweeps while forces could not cross the largest cluster.
    pub soft: Option<SoftRegime>,
    /// Set when walls with imposed velocities compress a packing that cannot yield: forces have no scale then.
    pub jammed_compression: bool,
    /// True if the contacts gave energy instead of taking it, against the inequality of Clausius and Duhem.
    pub clausius_duhem_violated: bool,
    /// True if the list of pairs was made anew.
    pub pairs_rebuilt: bool,
}

/// Force, torque and power on a wall in the last step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WallLoad<D: Dim> {
    /// The wall.
    pub body: u32,
    /// Force of the grains on the wall.
    pub force: D::Vector,
    /// Torque of the grains on the wall, about its position.
    pub torque: D::Spin,
    /// Power that the wall gives to the grains.
    pub power: f64,
}

/// Why a step could not be done.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StepError {
    /// A body passed, or began to pass, through another.
    #[error(
        "step {step}: body {body} went through body {other} (it moved {moved:.3e} m in one step, centres or surfaces \
         {depth:.3e} m past each other); the time step is too long for this speed"
    )]
    Tunnel {
        /// The step.
        step: u64,
        /// The body that went through.
        body: u32,
        /// The body that it went through.
        other: u32,
        /// How far they moved against each other in the step.
        moved: f64,
        /// How deep the overlap is.
        depth: f64,
    },
    /// A quantity is not a number.
    #[error("step {step}: the {quantity} of body {body} is not a number")]
    NotFinite {
        /// The step.
        step: u64,
        /// The body.
        body: u32,
        /// What is not finite.
        quantity: &'static str,
    },
    /// The step did not converge and the policy is to stop.
    #[error("step {step}: not converged after {sweeps} sweeps (residual {residual:.3e})")]
    Unconverged {
        /// The step.
        step: u64,
        /// Sweeps done.
        sweeps: u32,
        /// Residual reached.
        residual: f64,
    },
}
