//! Nesterov momentum around symmetric sweeps (SOLVERS.md, "Two regimes").
//!
//! One iteration sweeps forward and backward from the extrapolated state `y` to `p`; then
//!
//! ```text
//!   Σ (y − p)·(p − r)/m_n > 0  ⇒  restart: θ = 1, no extrapolation
//!   else  θ⁺ = ½(1 + √(1 + 4θ²)),  β = (θ − 1)/θ⁺,  y = p + β (z − r) + γ (p − y),  z = p + h (y − p)
//! ```
//!
//! and `r` is the last `z`. Nesterov's own has γ = h = 0; γ = θ/θ⁺ is the optimized gradient method of Kim and Fessler (Math.
//! Program. 159, 2016), whose bound is half of Nesterov's; h = 1 and γ = (1 + √β)² − 1 is the heavy ball of Polyak (1964), which
//! is twice as fast as Nesterov's where it converges. Rigid flow takes a part of the second, flow of compliant contacts begins
//! with most of the third (docs/solvers.md, "Oversteps" and "The heavy ball").
//!
//! Sliding contacts couple unsymmetrically and can make strong momentum cycle, so θ is capped, and the cap is lowered
//! after plain sweeps when the steps do not shrink over three windows; compliant contacts become softer instead. A solve that
//! is still not done goes on by rounds of bounded momentum with the same momentum around them ([`nested`]). Where a few
//! contacts hold most of the error, they are swept alone for a while ([`Sweeps::settle_few`]).

use super::{DAMPED_SLIDING, Judge};
use crate::sweep::{Damping, Extrapolation, Measure, SweepStats, Sweeps, Visits};

/// Symmetric iterations in a window of the guard.
const WINDOW: u32 = 20;
/// Windows without progress that the guard allows.
const PATIENCE: u32 = 3;
/// Plain symmetric iterations after the guard has spoken.
const CALM: u32 = 75;
/// The largest θ of capped momentum at the start.
const CAP: f64 = 5.0;
/// Windows for which any momentum is allowed where bounded momentum has stalled.
const FREE_WINDOWS: u32 = 30;
/// γ of rigid contacts in flow.
const OVERSTEP: f64 = 0.6;
/// The part of the heavy ball's own γ that compliant contacts begin with, and about how much that is. h is halved after a
/// window of so many iterations in which the squared steps have not shrunk by this logarithm, γ with it, and given up where it
/// is less than the last.
const HEAVY: f64 = 0.9;
const HEAVY_OVERSTEP: f64 = 2.0;
const HEAVY_WINDOW: u32 = 6;
const HEAVY_FALL: f64 = 0.4;
const HEAVY_LEAST: f64 = 0.05;
/// The largest θ where contacts are compliant, `1 + COMPLIANT √σ` as long as that is no more than damped sliding allows: the
/// slowest mode of such contacts is `1/σ` of the fastest.
const COMPLIANT: f64 = 0.3;
/// Symmetric iterations before the first look for a few contacts that hold most of the error, and to the next look: twice as
/// many after each that has found none, up to the last (docs/solvers.md, "Patches").
const FIRST_LOOK: u32 = 20;
const NEXT_LOOK: u32 = 2;
const LAST_LOOK: u32 = 4;
/// In flow, contacts that carry nothing are visited in the first iterations and then in every so many-th (docs/solvers.md, "Open
/// contacts").
const FIRST_FULL: u32 = 2;
const NEXT_FULL: u32 = 6;
/// Symmetric iterations after which a solve is slow enough for damped sliding, which then allows this θ, and those
/// after which sliding is damped more (SOLVERS.md, "Damped sliding").
const UNDAMPED: u32 = 20;
const LESS_DAMPED: u32 = 100;
const DAMPED: Damping = Damping { sliding: DAMPED_SLIDING, relaxation: 0.85 };
const MORE_DAMPED: Damping = Damping { sliding: 0.3, relaxation: 0.7 };
const ROUND_DAMPED: Damping = Damping { sliding: DAMPED_SLIDING, relaxation: 1.0 };
const MOST_DAMPED: Damping = Damping { sliding: 0.2, relaxation: 0.5 };
const DAMPED_CAP: f64 = 8.0;
/// Symmetric iterations after which a solve goes on by rounds, those of a round, the first and the largest θ of the momentum
/// around them, the rounds without progress that it is allowed, and the calm rounds that follow them (docs/solvers.md,
/// "Momentum around momentum").
const NOT_NESTED: u32 = 250;
const ROUND: u32 = 30;
const NESTED_START: f64 = 3.0;
const NESTED_CAP: f64 = 8.0;
const NESTED_PATIENCE: u32 = 6;
const CALM_ROUNDS: u32 = 8;

/// How much momentum is allowed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Momentum {
    /// Any, without guard.
    Free,
    /// Bounded, with guard.
    Capped,
    /// Bounded, with guard, as compliant contacts with this `σ = K δt²/m_n` need it.
    Compliant(f64),
    /// Bounded, with guard; a solve that takes very long goes on with damped sliding and momentum around momentum.
    Nested,
    /// The same, but sliding is damped soon, which allows more momentum, and rounds begin where the guard speaks. What flows
    /// slowly needs it.
    Damped,
    /// Bounded, with guard; where bounded momentum stalls any is allowed for a while before the guard has its way. Stacks
    /// of blocks need it: their slowest modes are slower than bounded momentum can speed up.
    Unbounded,
}

/// Momentum until the judge says that it may end; the result is always the state after a sweep, which lies in the cones.
pub fn run<S: Sweeps>(sweeper: &mut S, judge: &mut impl Judge<S>, allowed: Momentum) {
    let mut r = S::Iterate::default();
    let mut y = S::Iterate::default();
    let is_guarded = allowed != Momentum::Free;
    let is_flow = matches!(allowed, Momentum::Compliant(_) | Momentum::Damped);
    let (mut next_look, mut wait) = (FIRST_LOOK, NEXT_LOOK);
    let mut overstep = Overstep::new(allowed);
    let mut theta = Theta::of(allowed, &overstep);
    let mut guard = Guard::new(allowed, theta.cap);
    sweeper.save(&mut r);
    let mut iterations = 0;
    let mut untold = 0.0;
    loop {
        if allowed == Momentum::Damped && iterations == UNDAMPED {
            sweeper.damp(DAMPED);
            guard.cap = DAMPED_CAP;
        }
        if allowed == Momentum::Damped && iterations == LESS_DAMPED {
            sweeper.damp(MORE_DAMPED);
        }
        iterations += 1;
        overstep.save(sweeper, &mut y);
        let visits = visits_of(iterations, is_flow);
        let Some(stats) = symmetric_sweep(sweeper, judge, visits, &mut untold) else { return };
        overstep.note(stats);
        let is_calm = is_guarded && guard.is_calm(stats);
        let goes_on_by_rounds = match allowed {
            Momentum::Damped => is_calm || iterations > NOT_NESTED,
            Momentum::Nested => iterations > NOT_NESTED,
            _ => false,
        };
        if goes_on_by_rounds {
            sweeper.damp(ROUND_DAMPED);
            return nested(sweeper, judge, is_flow);
        }
        if is_calm && matches!(allowed, Momentum::Compliant(_)) {
            judge.stalled(sweeper);
            overstep = Overstep::new(allowed);
        }
        theta.cap = overstep.cap(guard.cap);
        let beta = if is_calm || sweeper.progress_against(&y, &r) > 0.0 {
            judge.rest(sweeper);
            theta.restart()
        } else {
            theta.next()
        };
        if is_flow && iterations == next_look {
            let passes = match overstep.needs_start() {
                true => sweeper.settle_few(&mut [&mut y, &mut r]),
                false => sweeper.settle_few(&mut [&mut r]),
            };
            untold += passes;
            wait = if passes > 0.0 { NEXT_LOOK } else { LAST_LOOK.min(2 * wait) };
            next_look += wait;
        }
        sweeper.extrapolate(overstep.along(beta), &y, &mut r);
    }
}

/// Momentum around momentum: what a round of bounded momentum does to the state is taken for one iteration of an outer one.
///
/// Bounded momentum forgets what is older than a few of its iterations, and more of it is unstable where contacts slide: these
/// unstable modes are local and fast. A round has damped them, so that the outer momentum sees the slow modes alone. Where
/// rounds bring nothing, corrections are damped most from then on and not overstepped, and some calm rounds without the outer
/// momentum lead out of the cycle; what was done about a few contacts, which may be what keeps the others moving, is left out,
/// or tried again.
fn nested<S: Sweeps>(sweeper: &mut S, judge: &mut impl Judge<S>, is_flow: bool) {
    let [mut start, mut last] = [S::Iterate::default(), S::Iterate::default()];
    let [mut y, mut r] = [S::Iterate::default(), S::Iterate::default()];
    let mut outer = Theta { value: NESTED_START, cap: NESTED_CAP };
    let mut overstep = Overstep::new(Momentum::Damped);
    let (mut best, mut bad, mut calm) = (f64::INFINITY, 0, 0);
    let (mut untold, mut looks_for_few) = (0.0, true);
    sweeper.save(&mut last);
    loop {
        sweeper.save_impulses(&mut start);
        sweeper.save(&mut r);
        let mut inner = if calm > 0 { Theta { value: CAP, cap: DAMPED_CAP } } else { Theta::new(CAP) };
        let mut step = 0.0;
        for iteration in 1..=ROUND {
            overstep.save(sweeper, &mut y);
            let visits = visits_of(iteration, is_flow);
            let Some(stats) = symmetric_sweep(sweeper, judge, visits, &mut untold) else { return };
            step = stats.change / stats.size.max(f64::MIN_POSITIVE);
            if iteration < ROUND {
                let overshot = sweeper.progress_against(&y, &r) > 0.0;
                let beta = if overshot { inner.restart() } else { inner.next() };
                sweeper.extrapolate(overstep.along(beta), &y, &mut r);
            }
        }
        if looks_for_few {
            untold += sweeper.settle_few(&mut [&mut last]);
        }
        if calm > 0 {
            calm -= 1;
        } else if step < 0.8 * best {
            (best, bad) = (step, 0);
        } else {
            bad += 1;
        }
        if bad == NESTED_PATIENCE {
            sweeper.damp(MOST_DAMPED);
            overstep.light = 0.0;
            looks_for_few = !looks_for_few;
            (best, bad, calm) = (f64::INFINITY, 0, CALM_ROUNDS);
        }
        let beta = if calm > 0 || sweeper.progress_against(&start, &last) > 0.0 {
            judge.rest(sweeper);
            outer.restart()
        } else {
            outer.next()
        };
        sweeper.extrapolate(Extrapolation::nesterov(beta), &start, &mut last);
    }
}

/// What an iteration visits; contacts seldom close in flow.
fn visits_of(iteration: u32, is_flow: bool) -> Visits {
    let is_full = !is_flow || iteration <= FIRST_FULL || iteration.is_multiple_of(NEXT_FULL);
    if is_full { Visits::All } else { Visits::Carrying }
}

/// Sweeps forward and backward; nothing if the judge says that it may end. `untold` are visits, in passes, that the judge does
/// not know of: it is told of whole passes.
fn symmetric_sweep<S: Sweeps>(
    sweeper: &mut S,
    judge: &mut impl Judge<S>,
    visits: Visits,
    untold: &mut f64,
) -> Option<SweepStats> {
    let forward = sweeper.directed_sweep(false, visits, Measure::Nothing);
    let stats = sweeper.directed_sweep(true, visits, Measure::Change);
    *untold += sweeper.passes(forward) + sweeper.passes(stats);
    let passes = untold.floor();
    *untold -= passes;
    (!judge.done(passes as u32, stats, sweeper)).then_some(stats)
}

/// Nesterov's sequence, with a bound.
struct Theta {
    value: f64,
    cap: f64,
}

impl Theta {
    fn new(cap: f64) -> Self {
        Theta { value: 1.0, cap }
    }

    /// Compliant contacts begin with as much as they may have: a step hardly changes what they carry.
    fn of(allowed: Momentum, overstep: &Overstep) -> Self {
        match allowed {
            Momentum::Free => Theta::new(f64::INFINITY),
            Momentum::Compliant(sigma) => {
                let cap = (1.0 + COMPLIANT * sigma.sqrt()).min(DAMPED_CAP);
                Theta { value: overstep.cap(cap), cap }
            }
            _ => Theta::new(CAP),
        }
    }

    /// Begins anew: no momentum.
    fn restart(&mut self) -> f64 {
        self.value = 1.0;
        0.0
    }

    /// The next β.
    fn next(&mut self) -> f64 {
        let next = (0.5 * (1.0 + (1.0 + 4.0 * self.value * self.value).sqrt())).min(self.cap);
        let beta = (self.value - 1.0) / next;
        self.value = next;
        beta
    }
}

/// How far beyond its end an iteration goes on.
#[derive(Default)]
struct Overstep {
    /// γ with Nesterov's momentum.
    light: f64,
    /// h.
    heaviness: f64,
    /// The steps of this window and their mean in the last one, if h depends on how they shrink.
    falls: Option<(Window, f64)>,
}

impl Overstep {
    fn new(allowed: Momentum) -> Self {
        match allowed {
            Momentum::Compliant(_) => {
                let falls = Some((Window::new(HEAVY_WINDOW), f64::INFINITY));
                Overstep { heaviness: 1.0, falls, ..Overstep::default() }
            }
            Momentum::Damped => Overstep { light: OVERSTEP, ..Overstep::default() },
            _ => Overstep::default(),
        }
    }

    /// True if the state that an iteration starts from is needed, velocities and all.
    fn needs_start(&self) -> bool {
        self.light > 0.0 || self.heaviness > 0.0
    }

    /// Saves the state that an iteration starts from, as far as it is needed.
    fn save<S: Sweeps>(&self, sweeper: &S, y: &mut S::Iterate) {
        if self.needs_start() { sweeper.save(y) } else { sweeper.save_impulses(y) }
    }

    /// Where the state goes: a restart does not overstep.
    fn along(&self, beta: f64) -> Extrapolation {
        if beta == 0.0 {
            return Extrapolation::nesterov(0.0);
        }
        let heavy = HEAVY * ((1.0 + beta.sqrt()).powi(2) - 1.0);
        Extrapolation { momentum: beta, overstep: self.light + self.heaviness * heavy, heaviness: self.heaviness }
    }

    /// The largest θ if `cap` is that without overstep, which speeds up the slowest mode as momentum does.
    fn cap(&self, cap: f64) -> f64 {
        1.0 + (cap - 1.0) / (1.0 + self.light + HEAVY_OVERSTEP * self.heaviness).sqrt()
    }

    /// Notes the size of a step.
    fn note(&mut self, stats: SweepStats) {
        let Some((window, last)) = &mut self.falls else { return };
        if let Some(mean) = window.note(stats) {
            if mean > *last - HEAVY_FALL {
                self.heaviness = if 0.5 * self.heaviness < HEAVY_LEAST { 0.0 } else { 0.5 * self.heaviness };
            }
            *last = mean;
        }
    }
}

/// The sizes of the steps of some iterations.
struct Window {
    length: u32,
    /// Sum of the logarithms of their squares so far.
    sum: f64,
    count: u32,
}

impl Window {
    fn new(length: u32) -> Self {
        Window { length, sum: 0.0, count: 0 }
    }

    /// Notes the size of a step; at the end of a window the mean logarithm of its squares.
    fn note(&mut self, stats: SweepStats) -> Option<f64> {
        self.sum += (stats.change / stats.size.max(f64::MIN_POSITIVE)).max(f64::MIN_POSITIVE).ln();
        self.count += 1;
        (self.count == self.length).then(|| {
            let mean = self.sum / f64::from(self.length);
            *self = Window::new(self.length);
            mean
        })
    }
}

/// Notices when momentum goes round in circles.
struct Guard {
    /// The largest θ allowed.
    cap: f64,
    /// Windows for which there may be no cap.
    free_windows: u32,
    /// Windows without progress that are allowed, and plain iterations after them.
    patience: u32,
    rest: u32,
    window: Window,
    /// The smallest mean of a window so far.
    best: f64,
    /// Windows since then.
    bad: u32,
    /// Plain iterations still to do.
    calm: u32,
}

impl Guard {
    fn new(allowed: Momentum, cap: f64) -> Self {
        let free_windows = if allowed == Momentum::Unbounded { FREE_WINDOWS } else { 0 };
        // Compliant contacts become softer, which is done at once and needs no rest.
        let (patience, rest) = if matches!(allowed, Momentum::Compliant(_)) { (1, 0) } else { (PATIENCE, CALM) };
        let window = Window::new(WINDOW);
        Guard { cap, free_windows, patience, rest, window, best: f64::INFINITY, bad: 0, calm: 0 }
    }

    /// Notes the size of a step; true while plain iterations are called for.
    fn is_calm(&mut self, stats: SweepStats) -> bool {
        if self.calm > 0 {
            self.calm -= 1;
            return true;
        }
        if let Some(mean) = self.window.note(stats) {
            if self.cap == f64::INFINITY {
                self.free_windows -= 1;
                if self.free_windows == 0 {
                    (self.cap, self.best, self.bad) = (CAP, f64::INFINITY, 0);
                }
                return false;
            }
            if mean < self.best - 0.1 {
                (self.best, self.bad) = (mean, 0);
            } else {
                self.bad += 1;
            }
            if self.bad > 0 && self.free_windows > 0 {
                self.cap = f64::INFINITY;
            } else if self.bad == self.patience {
                self.cap = (0.75 * self.cap).max(1.0);
                (self.best, self.bad, self.calm) = (f64::INFINITY, 0, self.rest);
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_goes_on_by_momentum_and_by_a_part_of_its_step() {
        let mut state = [3.0, 3.0];
        let mut last = [1.0, 2.0];
        Extrapolation { momentum: 0.5, overstep: 0.25, heaviness: 0.0 }.advance(&mut state, &[2.0, 5.0], &mut last);
        assert_eq!((state, last), ([4.25, 3.0], [3.0, 3.0]));
        // Without overstep the start is not needed.
        Extrapolation::nesterov(0.5).advance(&mut state, &[], &mut last);
        assert_eq!((state, last), ([4.875, 3.0], [4.25, 3.0]));
        // A heavy ball goes on by the way between the starts.
        Extrapolation { momentum: 0.5, overstep: 1.0, heaviness: 1.0 }.advance(&mut state, &[4.0, 3.0], &mut last);
        assert_eq!((state, last), ([5.625, 3.0], [4.0, 3.0]));
    }

    /// The heaviness after each window of steps that shrink by a factor from window to window.
    fn heaviness(allowed: Momentum, factor: f64) -> Vec<f64> {
        let mut overstep = Overstep::new(allowed);
        let mut step = 1.0_f64;
        let window = |_| {
            for _ in 0..HEAVY_WINDOW {
                overstep.note(SweepStats { change: step * step, size: 1.0, ..SweepStats::default() });
            }
            step *= factor;
            overstep.heaviness
        };
        (0..7).map(window).collect()
    }

    #[test]
    fn compliant_contacts_are_less_heavy_where_the_steps_do_not_shrink() {
        assert_eq!(heaviness(Momentum::Compliant(100.0), 0.9), [1.0, 0.5, 0.25, 0.125, 0.0625, 0.0, 0.0]);
        assert_eq!(heaviness(Momentum::Compliant(100.0), 0.8), [1.0; 7]);
        assert_eq!(heaviness(Momentum::Damped, 1.0), [0.0; 7]);
    }

    /// The iteration at which the guard first speaks if the steps shrink by a factor from one to the next.
    fn speaks_at(allowed: Momentum, factor: f64) -> Option<u32> {
        let mut guard = Guard::new(allowed, CAP);
        let mut step = 1.0_f64;
        (1..=5 * WINDOW).find(|_| {
            step *= factor;
            guard.is_calm(SweepStats { change: step * step, size: 1.0, ..SweepStats::default() })
        })
    }

    #[test]
    fn the_guard_has_patience_but_not_with_compliant_contacts() {
        assert_eq!(speaks_at(Momentum::Capped, 1.0), Some(4 * WINDOW));
        assert_eq!(speaks_at(Momentum::Compliant(100.0), 1.0), Some(2 * WINDOW));
        // From window to window the squares must fall by a tenth.
        assert_eq!(speaks_at(Momentum::Compliant(100.0), 0.998), Some(2 * WINDOW));
        assert_eq!(speaks_at(Momentum::Compliant(100.0), 0.997), None);
    }

    #[test]
    fn an_overstep_lowers_the_largest_momentum() {
        let overstep = Overstep::new(Momentum::Damped);
        assert!((overstep.cap(8.0) - (1.0 + 7.0 / 1.6_f64.sqrt())).abs() < 1e-12);
        assert_eq!(overstep.cap(f64::INFINITY), f64::INFINITY);
        assert_eq!(Overstep::new(Momentum::Capped).cap(5.0), 5.0);
        // A restart begins with the state as it is.
        assert_eq!((overstep.along(0.0).overstep, overstep.along(0.5).overstep), (0.0, OVERSTEP));
    }

    /// How many iterations it takes until every mode of a symmetric sweep has shrunk by 1e-6: a mode with eigenvalue λ shrinks
    /// to (1 − λ) of itself in a sweep.
    fn iterations(overstep: &Overstep, momentum: f64) -> usize {
        let modes: Vec<f64> = (0..=100).map(|i| 0.01_f64.powf(f64::from(i) / 100.0)).collect();
        let mut state = vec![1.0; modes.len()];
        let mut last = state.clone();
        for iteration in 1.. {
            let y = state.clone();
            for (state, mode) in state.iter_mut().zip(&modes) {
                *state *= 1.0 - mode;
            }
            if iteration > 1000 || state.iter().all(|error| error.abs() < 1e-6) {
                return iteration;
            }
            overstep.along(momentum).advance(&mut state, &y, &mut last);
        }
        unreachable!()
    }

    #[test]
    fn the_heavy_ball_is_faster_than_nesterov_where_sweeps_are_symmetric() {
        // Each at its best β, to within a hundredth.
        let best = |overstep: &Overstep| (0..100).map(|i| iterations(overstep, f64::from(i) / 100.0)).min();
        let plain = best(&Overstep::new(Momentum::Capped)).unwrap();
        let rigid = best(&Overstep::new(Momentum::Damped)).unwrap();
        let heavy = best(&Overstep::new(Momentum::Compliant(100.0))).unwrap();
        assert!(10 * rigid < 9 * plain && 10 * heavy < 9 * rigid, "{plain}, {rigid}, {heavy}");
    }
}
