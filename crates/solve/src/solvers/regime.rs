//! What `auto` does with which kind of problem: all its tuned numbers, as data.
//!
//! A regime is chosen once, from the nature of the problem; what follows is decided by [`next`](super::policy::next), which
//! reads the numbers here. Beside each number stands its reason, and in brackets the row of `benches/ablation/README.md` that
//! says what solves cost without it.

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
    /// Damping to begin with, of a solve that is slow, from the end of its first window on, and of one that is very slow.
    pub damping: [Damping; 3],
    /// Iterations in a window.
    pub window: usize,
    /// Windows in a row that are no better than the best before them: then steps do not shrink.
    pub patience: usize,
    /// Iterations after which that is so in any case.
    pub longest: usize,
    /// What is done about it.
    pub remedy: Remedy,
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
/// Windows after which a solve is very slow.
pub const VERY_SLOW: usize = 5;
/// "Now and then": every so many iterations.
pub const EVERY: usize = 5;

/// The largest θ that undamped sliding contacts, which couple unsymmetrically, leave stable. [cap 8, compliant: cap 8]
const CAP: f64 = 5.0;
/// And damped ones. [cap 5]
const DAMPED_CAP: f64 = 8.0;
/// The part of its normal correction that a sliding contact takes where it is damped, which weakens what makes momentum
/// cycle. [no damping, sliding 0.4]
const SLIDING: f64 = 0.5;
/// The part of every correction that contacts of two balls take, against local modes that an overstep turns over. [no relaxation]
const RELAXATION: f64 = 0.85;
/// γ: slow modes fall as if their eigenvalue were so much larger; fast ones are turned over, so it must be below 1. [no overstep]
const OVERSTEP: f64 = 0.6;

/// Now and then, h is halved if the mean logarithm of the squared steps has not fallen by so much since the last time: the
/// heavy ball falls fast, or it turns round a mode that sliding has made complex. [no heavy ball]
pub const HEAVY_FALL: f64 = 0.4;
/// Iterations after which compliant contacts are softened even if they make progress, so that a solve that crawls ends.
const LONGEST: usize = 200;
/// How often compliant contacts may become twice as soft: what a thousandth of the stiffness does not help is not slow for
/// being stiff.
pub const MOST_SOFTENED: u32 = 10;

/// Iterations of momentum in a round: enough to damp what is local and fast, so that the momentum around rounds meets what is
/// slow and extended. [no rounds]
pub const ROUND: usize = 30;

/// Friction above which momentum goes round in circles, whatever the rest: plain sweeps, damped, are better. (docs/solver-numbers.md, "Very high friction")
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
    skips_open: false,
};

/// The default stop test: deposits, and what moves fast. Contacts close and open all the time, and solves are short.
pub const SETTLING: Regime =
    Regime { momentum: Momentum { cap: CAP, ..FREE.momentum }, remedy: Remedy::Rounds, ..FREE };

/// Most contacts couple normal and tangent, as those of blocks do: the slowest modes of a stack are slower than bounded
/// momentum can speed up. [blocks: bounded]
pub const BLOCKS: Regime = Regime { remedy: Remedy::Unbind, patience: 1, ..SETTLING };

/// A residual is asked for, and contacts are rigid: statics and slow flow.
pub const FLOW: Regime = Regime {
    momentum: Momentum { cap: DAMPED_CAP, overstep: OVERSTEP, heaviness: 0.0 },
    damping: [UNDAMPED, SLOW_DAMPING, VERY_SLOW_DAMPING],
    skips_open: true,
    ..SETTLING
};

/// A residual is asked for, and contacts are compliant: sweeps are nearly symmetric, and the heavy ball is stable. [compliant: cap 8]
pub const COMPLIANT: Regime = Regime {
    momentum: Momentum { cap: CAP, overstep: 0.0, heaviness: 1.0 },
    damping: [UNDAMPED; 3],
    patience: 1,
    longest: LONGEST,
    remedy: Remedy::Soften,
    ..FLOW
};

/// Momentum around rounds. Each round is a step.
pub const ROUNDS: Regime = Regime {
    momentum: Momentum { cap: DAMPED_CAP, overstep: 0.0, heaviness: 0.0 },
    damping: [DAMPED; 3],
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
