//! Variants of `auto`, each without one of its heuristics, or with another number: for `benches/ablation` alone.

use super::regime::{FLOW, Momentum, PATCHING, Regime, Remedy, SETTLING};
use crate::sweep::{Damping, Patching};
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

    fn patch(&mut self, patching: Patching) {
        self.patching = self.patching.map(|_| patching);
    }

    fn slow(&mut self, sliding: f64, relaxation: f64) {
        if self.slow_damping == FLOW.slow_damping {
            self.slow_damping = Damping { sliding, relaxation };
        }
    }

    fn slide(&mut self, sliding: f64) {
        for damping in [&mut self.damping, &mut self.slow_damping] {
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
    ("no patches", |regime| regime.patching = None),
    ("patches of 0.3 %", |regime| regime.patch(Patching { few: 0.003, ..PATCHING })),
    ("patches with 0.8 of the error", |regime| regime.patch(Patching { share: 0.8, ..PATCHING })),
    ("patches until 0.3", |regime| regime.patch(Patching { fall: 0.3, ..PATCHING })),
    ("open contacts always visited", |regime| regime.skips_open = false),
    ("no overstep", |regime| regime.momentum.overstep = 0.0),
    ("no heavy ball", |regime| {
        if regime.is_compliant() {
            regime.momentum = Momentum { overstep: FLOW.momentum.overstep, heaviness: 0.0, ..regime.momentum };
        }
    }),
    ("no damping", |regime| {
        regime.damping = Damping { sliding: 1.0, relaxation: 1.0 };
        regime.slow_damping = regime.damping;
    }),
    ("sliding 0.4", |regime| regime.slide(0.4)),
    ("sliding 0.3", |regime| regime.slide(0.3)),
    ("no relaxation", |regime| regime.slow_damping.relaxation = 1.0),
    ("slow damping 0.4 and 0.8", |regime| regime.slow(0.4, 0.8)),
    ("slow damping 0.4 and 0.7", |regime| regime.slow(0.4, 0.7)),
    ("slow damping 0.3 and 0.7", |regime| regime.slow(0.3, 0.7)),
    ("slow damping 0.3 and 0.7 in rounds too", |regime| {
        regime.slow(0.3, 0.7);
        if regime.is_of_rounds() {
            regime.slow_damping = Damping { sliding: 0.3, relaxation: 0.7 };
        }
    }),
    ("relaxed rounds", |regime| {
        if regime.is_of_rounds() {
            regime.slow_damping = FLOW.slow_damping;
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
    ("rounds from no momentum", |regime| regime.momentum.start = 1.0),
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
    ("compliant: cap 5", |regime| {
        if regime.is_compliant() {
            regime.momentum.cap = 5.0;
        }
    }),
    ("compliant: damped as rigid", |regime| {
        if regime.is_compliant() {
            regime.slow_damping = FLOW.slow_damping;
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
];
