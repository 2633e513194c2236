//! Variants of `auto`, each without one of its heuristics, or with another number: for `benches/ablation` alone.

use super::regime::{FLOW, Momentum, Regime, Remedy, SETTLING};
use crate::sweep::Damping;
use std::sync::atomic::{AtomicUsize, Ordering};

static CHOSEN: AtomicUsize = AtomicUsize::new(0);

/// From now on all solves of this process are by this variant.
pub fn choose(variant: usize) {
    CHOSEN.store(variant, Ordering::Relaxed);
}

/// The names of all variants; the first is `auto` as it is.
pub fn names() -> Vec<&'static str> {
    VARIANTS.iter().map(|(name, _)| *name).collect()
}

impl Regime {
    /// The regime as the chosen variant has it.
    pub(crate) fn ablated(mut self) -> Self {
        VARIANTS[CHOSEN.load(Ordering::Relaxed)].1(&mut self);
        self
    }

    fn is_compliant(&self) -> bool {
        self.momentum.heaviness > 0.0
    }

    fn is_of_rounds(&self) -> bool {
        self.window == 1
    }

    fn jump_after(&mut self, iterations: usize) {
        if self.remedy == Remedy::Jumps {
            self.round = iterations;
        }
    }

    fn slide(&mut self, sliding: f64) {
        for damping in &mut self.damping {
            if damping.sliding < 1.0 {
                damping.sliding = sliding;
            }
        }
    }
}

/// The name of a variant and what it changes in a regime.
type Variant = (&'static str, fn(&mut Regime));

const VARIANTS: &[Variant] = &[
    ("auto", |_| ()),
    ("open contacts always visited", |regime| regime.skips_open = false),
    ("no overstep", |regime| regime.momentum.overstep = 0.0),
    ("no heavy ball", |regime| {
        if regime.is_compliant() {
            regime.momentum = Momentum { overstep: FLOW.momentum.overstep, heaviness: 0.0, ..regime.momentum };
        }
    }),
    ("no damping", |regime| regime.damping = [Damping { sliding: 1.0, relaxation: 1.0 }; 3]),
    ("sliding 0.4", |regime| regime.slide(0.4)),
    ("no relaxation", |regime| regime.damping.iter_mut().for_each(|damping| damping.relaxation = 1.0)),
    ("one damping of slow solves", |regime| regime.damping[2] = regime.damping[1]),
    ("all damped as very slow ones", |regime| {
        if regime.damping == FLOW.damping {
            regime.damping[1] = regime.damping[2];
        }
    }),
    ("relaxed rounds", |regime| {
        if regime.is_of_rounds() {
            regime.damping = [FLOW.damping[1]; 3];
        }
    }),
    ("no rounds", |regime| {
        if regime.remedy == Remedy::Rounds {
            regime.remedy = Remedy::None;
        }
    }),
    ("no restart of rounds", |regime| {
        if regime.is_of_rounds() {
            regime.remedy = Remedy::None;
        }
    }),
    ("rounds after one bad window", |regime| regime.patience = 1),
    ("rounds up to any momentum", |regime| {
        if regime.is_of_rounds() {
            regime.momentum.cap = f64::INFINITY;
        }
    }),
    ("compliant: no softening", |regime| {
        if regime.remedy == Remedy::Soften {
            regime.remedy = Remedy::None;
        }
    }),
    ("compliant: cap 8", |regime| {
        if regime.is_compliant() {
            regime.momentum.cap = 8.0;
        }
    }),
    ("cap 5", |regime| regime.momentum.cap = regime.momentum.cap.min(SETTLING.momentum.cap)),
    ("cap 8", |regime| {
        if regime.momentum.cap == SETTLING.momentum.cap {
            regime.momentum.cap = FLOW.momentum.cap;
        }
    }),
    ("blocks: bounded", |regime| {
        if regime.remedy == Remedy::Unbind {
            *regime = SETTLING;
        }
    }),
    ("heavy: no jumps", |regime| {
        if regime.remedy == Remedy::Jumps {
            *regime = SETTLING;
        }
    }),
    ("heavy: jumps after 10 iterations", |regime| regime.jump_after(10)),
    ("heavy: jumps after 30 iterations", |regime| regime.jump_after(30)),
];
