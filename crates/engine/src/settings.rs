//! How a world moves on: the method, the time scheme, and the other numerical choices of a run.

use riprap_solve::Options;
use riprap_solve::percussion::PercussionOptions;

/// The method by which a world moves on.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Method {
    /// Rigid grains: one contact problem per step (docs/method.md §2 to §4).
    #[default]
    ContactDynamics,
    /// A-CD²: percussions from pseudopotentials of dissipation, under the midpoint scheme (docs/method.md §7).
    Percussions(PercussionOptions),
    /// Soft grains: springs and dashpots, many short steps within each step of the run (docs/method.md §8).
    MolecularDynamics(Soft),
}

/// The time scheme: how positions and velocities are updated (docs/method.md §2).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scheme {
    /// Moreau's midpoint: contacts are the pairs with a gap below `tolerance` halfway through the step.
    Midpoint {
        /// Gap up to which a pair counts as touching; zero or a small length.
        tolerance: f64,
    },
    /// Implicit Euler with gap: contacts are all pairs that could close during the step.
    Euler {
        /// What happens to an overlap.
        gap: GapVariant,
    },
}

impl Default for Scheme {
    /// The scheme of scenes with balls: implicit Euler, overlaps corrected.
    fn default() -> Self {
        Scheme::Euler { gap: GapVariant::Correct }
    }
}

/// What happens to an overlap under the Euler scheme.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GapVariant {
    /// `g⁺ = max(g, 0)`: overlaps remain, and measure the error; no energy is pumped in.
    #[default]
    Keep,
    /// `g` itself: overlaps are pushed apart within a step, which pumps energy.
    Correct,
    /// A tenth of `g`: overlaps are removed over several steps, at a hundredth of the energy. For faces on faces, where
    /// what a solve leaves over at one corner would come back as a push on one side: blocks on blocks sway under
    /// `Correct`.
    Relax,
}

impl GapVariant {
    /// The fraction of an overlap that one step removes.
    pub fn part(self) -> f64 {
        match self {
            GapVariant::Keep => 0.0,
            GapVariant::Correct => 1.0,
            GapVariant::Relax => 0.1,
        }
    }
}

/// What to do when a step does not converge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unconverged {
    /// Continue with the best state found, and count the step.
    #[default]
    Continue,
    /// End the run.
    Stop,
}

/// The default of [`Settings::motion_per_step`]. With up to three halvings, friction then dissipates as much of the energy of a
/// deposit as in molecular dynamics, to some per cent; with 0.008, a third of what shorter steps gain is lost (docs/time-step.md,
/// "Halved steps").
pub const MOTION_PER_STEP: f64 = 0.005;

/// The numerical choices of a run; a stage may change them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The time step; where steps may be halved, the longest one.
    pub time_step: f64,
    /// How often a step of contact dynamics may be halved while grains move against each other; zero if all steps have one
    /// length.
    pub halvings: u32,
    /// How far the contacts of a grain may move in a step that is not halved, over the smallest radius.
    pub motion_per_step: f64,
    /// The time scheme.
    pub scheme: Scheme,
    /// The solver's options.
    pub solver: Options,
    /// The stiffness of a contact in N/m, where grains are slightly compliant; `None` if they are rigid.
    pub stiffness: Option<f64>,
    /// What to do when a step does not converge.
    pub on_unconverged: Unconverged,
}

impl Settings {
    /// Rigid grains, steps of one length, the default scheme and solver; a step that does not converge is counted and the
    /// run continues.
    pub fn new(time_step: f64) -> Self {
        Settings {
            time_step,
            halvings: 0,
            motion_per_step: MOTION_PER_STEP,
            scheme: Scheme::default(),
            solver: Options::default(),
            stiffness: None,
            on_unconverged: Unconverged::default(),
        }
    }

    /// True if contacts are found where a step begins, which is where the last one ended.
    pub(crate) fn is_euler(&self) -> bool {
        matches!(self.scheme, Scheme::Euler { .. })
    }
}

/// The parameters of soft contacts (molecular dynamics).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Soft {
    /// Stiffness of the normal spring of every contact (N/m).
    pub stiffness: f64,
    /// Stiffness of the tangential spring over that of the normal one; by default such that both have one period.
    pub tangential_ratio: Option<f64>,
    /// The dashpots.
    pub damping: Damping,
    /// Whether the normal force is clamped at zero, so that the dashpot does not pull at the end of a collision.
    pub clamp: bool,
    /// The longest step of integration; the time step of the run is divided into equal parts not longer than this.
    pub longest_step: f64,
}

/// How the dashpot of a contact is set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Damping {
    /// Such that a free collision rebounds with the restitution of the pair of materials, as nearly as possible.
    FromRestitution,
    /// The same for all contacts (kg/s).
    Given(f64),
}

impl Soft {
    /// Contacts of the given stiffness, damped by their restitution, that never pull.
    pub fn new(stiffness: f64, longest_step: f64) -> Self {
        Soft { stiffness, tangential_ratio: None, damping: Damping::FromRestitution, clamp: true, longest_step }
    }

    /// The number of steps of integration in a window of the given length.
    pub fn substeps(&self, window: f64) -> u32 {
        // A window that is a whole number of steps but for rounding is divided into that number.
        (window / self.longest_step - 1e-9).ceil().clamp(1.0, f64::from(u32::MAX)) as u32
    }
}
