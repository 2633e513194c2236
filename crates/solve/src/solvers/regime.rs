//! The regimes of `auto`, one for each kind of problem: all its tuned numbers, as data.
//!
//! A regime is chosen once, from the nature of the problem; from then on [`next`](super::policy::next) decides by the numbers
//! here. Each number is given with its reason, and in brackets the row of `benches/ablation/README.md` that shows what solves
//! cost without it.

use crate::sweep::Damping;

/// How strong momentum is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Momentum {
    /// The largest θ, were there no overstep; 1 is no momentum.
    pub cap: f64,
    /// γ of Nesterov's momentum.
    pub overstep: f64,
    /// h, with which γ grows to that of the heavy ball.
    pub heaviness: f64,
}

/// What to do when the steps stop shrinking.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Remedy {
    /// Nothing.
    None,
    /// Momentum restarts from nothing, which breaks a cycle.
    Restart,
    /// The solve continues by rounds: momentum around momentum.
    Rounds,
    /// The solve continues by jumps: rounds that are extrapolated along their change.
    Jumps,
    /// Compliant contacts become twice as soft.
    Soften,
    /// Momentum is unbounded from then on.
    Unbind,
}

/// How a solve starts, and what to do when.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Regime {
    /// Initial momentum.
    pub momentum: Momentum,
    /// Damping: initially, from the end of the first window on (a slow solve), and of a very slow solve.
    pub damping: [Damping; 3],
    /// Iterations in a window.
    pub window: usize,
    /// The solve is stalled after this many windows in a row that are no better than the best before them,
    pub patience: usize,
    /// or after this many iterations in any case.
    pub longest: usize,
    /// What to do about a stall.
    pub remedy: Remedy,
    /// Iterations of momentum in a round, and how strong it is there.
    pub round: usize,
    /// See [`Regime::round`].
    pub in_round: Momentum,
    /// Contacts that carry nothing are visited only every few iterations ([`EVERY`]).
    pub skips_open: bool,
}

/// Iterations over which step sizes are averaged, and after which a solve is slow: most easy solves have converged by then,
/// and averages over fewer are noisy.
const WINDOW: usize = 20;
/// Steps shrink if the mean logarithm of their squares is lower by this much than in the best window before.
pub const FALL: f64 = 0.1;
/// Windows without progress allowed for rigid contacts: the residual of slow flow decreases unevenly, and rounds are no better
/// than momentum while it does.
const PATIENCE: usize = 3;
/// Windows after which a solve is very slow.
pub const VERY_SLOW: usize = 5;
/// Open contacts are visited, and the heavy ball is judged, every so many iterations.
pub const EVERY: usize = 5;

/// The largest θ that is stable with undamped sliding contacts, whose coupling is unsymmetric. [cap 8, compliant: cap 8]
const CAP: f64 = 5.0;
/// The same with damped ones. [cap 5]
const DAMPED_CAP: f64 = 8.0;
/// The fraction of its normal correction that a damped sliding contact takes, which weakens the coupling that makes momentum
/// cycle. [no damping, sliding 0.4]
const SLIDING: f64 = 0.5;
/// The fraction of every correction taken by contacts of two balls, against local modes whose sign an overstep reverses. [no
/// relaxation]
const RELAXATION: f64 = 0.85;
/// γ: slow modes decay as if their eigenvalue were 1 + γ times as large; fast ones change sign, so γ must be below 1. [no
/// overstep]
const OVERSTEP: f64 = 0.6;

/// h is halved if the mean logarithm of the squared steps has not decreased by this much in [`EVERY`] iterations: the heavy
/// ball converges fast, or it orbits a mode that sliding has made complex. [no heavy ball]
pub const HEAVY_FALL: f64 = 0.4;
/// Iterations after which compliant contacts are softened even if they make progress, so that a solve that crawls ends.
const LONGEST: usize = 200;
/// How often compliant contacts may become twice as soft: if a thousandth of the stiffness does not help, the stiffness is not
/// the reason.
pub const MOST_SOFTENED: u32 = 10;

/// Iterations of momentum in a round: enough to damp local, fast modes, so that the outer momentum acts on slow, extended ones.
/// [no rounds]
const ROUND: usize = 30;

/// Friction coefficient above which momentum cycles in any case: damped plain sweeps are better
/// (docs/solver-numbers.md, "Very high friction").
pub const STEEP: f64 = 3.0;

/// Corrections are taken in full.
pub const UNDAMPED: Damping = Damping { sliding: 1.0, relaxation: 1.0 };
/// Sliding contacts are damped: rounds, and plain sweeps of contacts with very high friction.
pub const DAMPED: Damping = Damping { sliding: SLIDING, relaxation: 1.0 };
const SLOW_DAMPING: Damping = Damping { sliding: SLIDING, relaxation: RELAXATION };
/// The same applied twice, where slow modes of sliding contacts dominate. [one damping of slow solves]
const VERY_SLOW_DAMPING: Damping = Damping { sliding: SLIDING * SLIDING, relaxation: RELAXATION * RELAXATION };

/// Plain Nesterov momentum, the solver `momentum`; also packings from nothing in `riprap solve`.
pub const FREE: Regime = Regime {
    momentum: Momentum { cap: f64::INFINITY, overstep: 0.0, heaviness: 0.0 },
    damping: [UNDAMPED; 3],
    window: WINDOW,
    patience: PATIENCE,
    longest: usize::MAX,
    remedy: Remedy::None,
    round: ROUND,
    in_round: Momentum { cap: CAP, overstep: OVERSTEP, heaviness: 0.0 },
    skips_open: false,
};

/// The default stop test: deposits and fast motion. Contacts open and close all the time, and solves are short.
pub const SETTLING: Regime =
    Regime { momentum: Momentum { cap: CAP, ..FREE.momentum }, remedy: Remedy::Rounds, ..FREE };

/// The ratio of masses above which bodies are heavy for others: momentum, whose θ is bounded by 5, then takes more than a window.
pub const UNEVEN: f64 = 100.0;
/// Heavy bodies on light ones: the few slow modes of what takes longer than a window are met by jumps, each after two windows.
/// [heavy: no jumps, heavy: jumps after 10 and 30 iterations]
pub const HEAVY: Regime = Regime { remedy: Remedy::Jumps, round: WINDOW, longest: WINDOW, ..SETTLING };

/// Jumps by pairs of rounds between those of a longer memory: beds of grains seldom need more, and a longer memory serves them
/// worse (benches/ablation/README.md, "Third: heavy bodies on light ones").
pub const PAIRS: usize = 5;
/// The longer memory ends when a round changes this many times as much as the calmest in it: contacts have opened or closed, and
/// the changes before are no longer those of the same modes.
pub const UNREST: f64 = 2.0;
/// The same with friction above [`STEEP`]: no momentum, and jumps between rounds of damped sweeps.
pub const STEEP_HEAVY: Regime = Regime { momentum: STILL, damping: [DAMPED; 3], in_round: STILL, ..HEAVY };
const STILL: Momentum = Momentum { cap: 1.0, overstep: 0.0, heaviness: 0.0 };

/// Most contacts couple normal and tangent, as those of blocks do: the slowest modes of a stack are too slow for bounded
/// momentum. [blocks: bounded]
pub const BLOCKS: Regime = Regime { remedy: Remedy::Unbind, patience: 1, ..SETTLING };

/// A criterion on the residual, rigid contacts: statics and slow flow.
pub const FLOW: Regime = Regime {
    momentum: Momentum { cap: DAMPED_CAP, overstep: OVERSTEP, heaviness: 0.0 },
    damping: [UNDAMPED, SLOW_DAMPING, VERY_SLOW_DAMPING],
    skips_open: true,
    ..SETTLING
};

/// A criterion on the residual, compliant contacts: sweeps are nearly symmetric, and the heavy ball is stable. [compliant: cap 8]
pub const COMPLIANT: Regime = Regime {
    momentum: Momentum { cap: CAP, overstep: 0.0, heaviness: 1.0 },
    damping: [UNDAMPED; 3],
    patience: 1,
    longest: LONGEST,
    remedy: Remedy::Soften,
    ..FLOW
};

/// Momentum around rounds, each of which is one step.
pub const ROUNDS: Regime = Regime {
    momentum: Momentum { cap: DAMPED_CAP, overstep: 0.0, heaviness: 0.0 },
    damping: [DAMPED; 3],
    window: 1,
    remedy: Remedy::Restart,
    ..FLOW
};

#[cfg(not(feature = "ablation"))]
impl Regime {
    /// The regime as it is.
    pub(crate) fn ablated(self) -> Self {
        self
    }
}
