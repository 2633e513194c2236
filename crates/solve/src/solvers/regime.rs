//! What `auto` does with which kind of problem: all its tuned numbers, as data.
//!
//! A regime is chosen once, from the nature of the problem; what follows is decided by [`next`](super::policy::next), which
//! reads the numbers here. Beside each number stands its reason, and in brackets the row of `benches/ablation/README.md` that
//! says what solves cost without it.

use crate::sweep::{Damping, Patching};

/// How strong momentum is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Momentum {
    /// θ to begin with; 1 is no momentum.
    pub start: f64,
    /// The largest θ, were there no overstep.
    pub cap: f64,
    /// γ of Nesterov's momentum.
    pub overstep: f64,
    /// h, with which γ grows to that of the heavy ball.
    pub heaviness: f64,
}

/// What is done where steps do not shrink.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Remedy {
    /// Nothing.
    None,
    /// Momentum begins anew, from nothing, which leads out of a cycle.
    Restart,
    /// The solve goes on by rounds: momentum around momentum.
    Rounds,
    /// Compliant contacts become twice as soft.
    Soften,
    /// Momentum has no bound from then on.
    Unbind,
}

/// How a solve begins and what is done when.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Regime {
    /// Momentum to begin with.
    pub momentum: Momentum,
    /// Damping to begin with.
    pub damping: Damping,
    /// Damping of a solve that is slow: from the end of its first window on.
    pub slow_damping: Damping,
    /// Iterations in a window.
    pub window: usize,
    /// Windows in a row that are no better than the best before them: then steps do not shrink.
    pub patience: usize,
    /// Iterations after which that is so in any case.
    pub longest: usize,
    /// What is done about it.
    pub remedy: Remedy,
    /// The few worst contacts are settled alone in a slow solve, now and then.
    pub patching: Option<Patching>,
    /// Contacts that carry nothing are visited only now and then.
    pub skips_open: bool,
}

/// Iterations over which the sizes of steps are averaged, and after which a solve is slow: most easy solves are done by then,
/// and the mean of fewer is noise.
const WINDOW: usize = 20;
/// Steps shrink if the mean logarithm of their squares has fallen by this from the best window before.
pub const FALL: f64 = 0.1;
/// Windows without progress that rigid contacts are allowed: the residual of slow flow falls unevenly, and rounds are no
/// better than momentum where it still falls.
const PATIENCE: usize = 3;
/// "Now and then": every so many iterations.
pub const EVERY: usize = 5;

/// The largest θ that undamped sliding contacts, which couple unsymmetrically, leave stable. [cap 8]
const CAP: f64 = 5.0;
/// And damped ones. [cap 5]
const DAMPED_CAP: f64 = 8.0;
/// The part of its normal correction that a sliding contact takes where it is damped, which weakens what makes momentum
/// cycle. [no damping, sliding 0.4, sliding 0.3]
const SLIDING: f64 = 0.5;
/// The part of every correction that contacts of two balls take, against local modes that an overstep turns over. [no relaxation]
const RELAXATION: f64 = 0.85;
/// γ: slow modes fall as if their eigenvalue were so much larger; fast ones are turned over, so it must be below 1. [no overstep]
const OVERSTEP: f64 = 0.6;

/// Compliant contacts have no mode slower than `1/σ` of the fastest, so that θ need not grow beyond `1 + 0.3 √σ`. [compliant: cap 5]
const COMPLIANT_CAP: f64 = 0.3;
/// h is halved where the mean logarithm of the squared steps of so many iterations has not fallen by so much from those before:
/// the heavy ball falls fast, or it turns round a mode that sliding has made complex. [no heavy ball]
pub const HEAVY_WINDOW: usize = 6;
/// See above.
pub const HEAVY_FALL: f64 = 0.4;
/// Sweeps after which compliant contacts become softer even if they get on: a tenth of what a hard step may take.
const LONGEST: usize = 400;
/// How often compliant contacts may become twice as soft: what a thousandth of the stiffness does not help is not slow for
/// being stiff.
pub const MOST_SOFTENED: u32 = 10;

/// Iterations of momentum in a round: enough to damp what is local and fast, so that the momentum around rounds meets what is
/// slow and extended. [no rounds]
pub const ROUND: usize = 30;
/// θ that the momentum around rounds begins with: a solve that comes to them is known to be slow. [rounds from no momentum]
const ROUNDS_START: f64 = 3.0;

/// Friction above which momentum goes round in circles, whatever the rest: plain sweeps, damped, are better. (docs/solver-numbers.md, "Very high friction")
pub const STEEP: f64 = 3.0;

/// Patches: contacts that hold half of the squared error, if a hundredth of all do, until their error is a tenth. [no patches, and those of other patches]
pub const PATCHING: Patching = Patching { share: 0.5, few: 0.01, fall: 0.1 };

const UNDAMPED: Damping = Damping { sliding: 1.0, relaxation: 1.0 };
const DAMPED: Damping = Damping { sliding: SLIDING, relaxation: 1.0 };

/// Plain sweeps.
pub const PLAIN: Regime = Regime {
    momentum: Momentum { start: 1.0, cap: 1.0, overstep: 0.0, heaviness: 0.0 },
    damping: UNDAMPED,
    slow_damping: UNDAMPED,
    window: WINDOW,
    patience: PATIENCE,
    longest: usize::MAX,
    remedy: Remedy::None,
    patching: None,
    skips_open: false,
};

/// Plain sweeps of contacts with very high friction.
pub const STEEP_CONES: Regime = Regime { damping: DAMPED, slow_damping: DAMPED, ..PLAIN };

/// Plain sweeps of compliant contacts.
pub const PLAIN_COMPLIANT: Regime = Regime { remedy: Remedy::Soften, patience: 1, longest: LONGEST, ..PLAIN };

/// Nesterov's momentum as it is, by the name `momentum`.
pub const FREE: Regime = Regime { momentum: Momentum { cap: f64::INFINITY, ..PLAIN.momentum }, ..PLAIN };

/// Packings from nothing, of `riprap solve`.
pub const PACKED: Regime = Regime { patching: Some(PATCHING), ..FREE };

/// The default stop test: deposits, and what moves fast. Contacts close and open all the time, and solves are short.
pub const SETTLING: Regime =
    Regime { momentum: Momentum { cap: CAP, ..PLAIN.momentum }, remedy: Remedy::Rounds, ..PLAIN };

/// Most contacts couple normal and tangent, as those of blocks do: the slowest modes of a stack are slower than bounded
/// momentum can speed up. [blocks: bounded]
pub const BLOCKS: Regime = Regime { remedy: Remedy::Unbind, patience: 1, ..SETTLING };

/// A residual is asked for, and contacts are rigid: statics and slow flow.
pub const FLOW: Regime = Regime {
    momentum: Momentum { start: 1.0, cap: DAMPED_CAP, overstep: OVERSTEP, heaviness: 0.0 },
    slow_damping: Damping { sliding: SLIDING, relaxation: RELAXATION },
    patching: Some(PATCHING),
    skips_open: true,
    ..SETTLING
};

/// A residual is asked for, and contacts are compliant, with `σ = K δt²/m_n` in the mean.
pub fn compliant(sigma: f64) -> Regime {
    let cap = (1.0 + COMPLIANT_CAP * sigma.sqrt()).min(DAMPED_CAP);
    Regime {
        momentum: Momentum { start: 1.0, cap, overstep: 0.0, heaviness: 1.0 },
        slow_damping: UNDAMPED,
        patience: 1,
        longest: LONGEST / 2,
        remedy: Remedy::Soften,
        ..FLOW
    }
}

/// Momentum around rounds. Each round is a step.
pub const ROUNDS: Regime = Regime {
    momentum: Momentum { start: ROUNDS_START, cap: DAMPED_CAP, overstep: 0.0, heaviness: 0.0 },
    damping: DAMPED,
    slow_damping: DAMPED,
    window: 1,
    remedy: Remedy::Restart,
    ..FLOW
};

/// Momentum inside a round.
pub const IN_ROUND: Momentum = Momentum { cap: CAP, ..FLOW.momentum };

#[cfg(not(feature = "ablation"))]
impl Regime {
    /// The regime as it is.
    pub(crate) fn ablated(self) -> Self {
        self
    }
}
