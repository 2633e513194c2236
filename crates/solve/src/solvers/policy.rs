//! What comes next in a solve: a pure function of its plan, of how its steps have shrunk, and of its regime.

use super::regime::{EVERY, FALL, HEAVY_FALL, MOST_SOFTENED, Momentum, Regime, Remedy, VERY_SLOW};
use crate::sweep::{Damping, SweepStats};

/// What iterations are like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// How strong momentum is.
    pub momentum: Momentum,
    /// Which parts of their corrections contacts take.
    pub damping: Damping,
    /// How often compliant contacts have become twice as soft.
    pub softened: u32,
}

impl Plan {
    /// How a solve begins.
    pub fn new(regime: &Regime) -> Self {
        Plan { momentum: regime.momentum, damping: regime.damping[0], softened: 0 }
    }
}

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Next {
    /// Going on by this plan.
    GoOn(Plan),
    /// The same, with steps judged afresh and momentum from nothing.
    BeginAnew(Plan),
    /// Rounds.
    Rounds,
}

/// What comes after an iteration by this plan.
pub fn next(mut plan: Plan, history: &History, regime: &Regime) -> Next {
    plan.damping = match history.iterations / regime.window {
        0 => regime.damping[0],
        windows if windows < VERY_SLOW => regime.damping[1],
        _ => regime.damping[2],
    };
    if history.fall(EVERY).is_some_and(|fall| fall < HEAVY_FALL) {
        plan.momentum.heaviness *= 0.5;
    }
    match regime.remedy {
        _ if !history.is_stalled(regime) => Next::GoOn(plan),
        Remedy::None => Next::GoOn(plan),
        Remedy::Restart => Next::BeginAnew(plan),
        Remedy::Rounds => Next::Rounds,
        Remedy::Unbind => {
            plan.momentum.cap = f64::INFINITY;
            Next::GoOn(plan)
        }
        Remedy::Soften => {
            plan.momentum.heaviness = regime.momentum.heaviness;
            plan.softened = (plan.softened + 1).min(MOST_SOFTENED);
            Next::BeginAnew(plan)
        }
    }
}

/// How large the steps of a solve were.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// Iterations of the solve.
    pub iterations: usize,
    /// The logarithms of the squared relative steps since it was begun anew.
    steps: Vec<f64>,
}

impl History {
    /// Notes an iteration.
    pub fn note(&mut self, stats: SweepStats) {
        self.iterations += 1;
        self.steps.push(libm::log((stats.change / stats.size.max(f64::MIN_POSITIVE)).max(f64::MIN_POSITIVE)));
    }

    /// Steps are judged afresh.
    pub fn begin_anew(&mut self) {
        self.steps.clear();
    }

    /// At the end of a window of so many iterations, how far its mean is below that of the window before.
    fn fall(&self, window: usize) -> Option<f64> {
        let mut means = self.means(window)?.rev();
        let (last, before) = (means.next()?, means.next()?);
        Some(before - last)
    }

    /// True at the end of a window if it and those before it, as many as patience allows, are no better than the best before;
    /// or if it took too long.
    fn is_stalled(&self, regime: &Regime) -> bool {
        let Some(means) = self.means(regime.window) else { return false };
        let (mut best, mut worse) = (f64::INFINITY, 0);
        for mean in means {
            (best, worse) = if mean < best - FALL { (mean, 0) } else { (best, worse + 1) };
        }
        worse >= regime.patience || self.steps.len() >= regime.longest
    }

    /// The means of all windows, if one has just ended.
    fn means(&self, window: usize) -> Option<impl DoubleEndedIterator<Item = f64>> {
        let has_ended = !self.steps.is_empty() && self.steps.len().is_multiple_of(window);
        has_ended.then(|| self.steps.chunks(window).map(move |steps| steps.iter().sum::<f64>() / window as f64))
    }
}

#[cfg(test)]
mod tests {
    use super::super::regime::{BLOCKS, COMPLIANT, FLOW, ROUNDS, SETTLING};
    use super::*;

    /// What comes after each iteration, with steps that shrink by a factor from one to the next.
    fn way(regime: &Regime, factor: f64, iterations: usize) -> Vec<Next> {
        let (mut plan, mut history) = (Plan::new(regime), History::default());
        let mut step = 1.0_f64;
        let mut way = Vec::new();
        for _ in 0..iterations {
            step *= factor;
            history.note(SweepStats { change: step * step, size: 1.0, ..SweepStats::default() });
            let following = next(plan, &history, regime);
            way.push(following);
            match following {
                Next::GoOn(following) => plan = following,
                Next::BeginAnew(following) => {
                    plan = following;
                    history.begin_anew();
                }
                Next::Rounds => break,
            }
        }
        way
    }

    fn plan(next: Next) -> Plan {
        match next {
            Next::GoOn(plan) | Next::BeginAnew(plan) => plan,
            Next::Rounds => panic!("rounds have a plan of their own"),
        }
    }

    /// The iteration after which something else than going on comes first, and what it is.
    fn first_turn(regime: &Regime, factor: f64) -> Option<(usize, Next)> {
        let way = way(regime, factor, 9 * regime.window);
        let turn = way.iter().position(|next| !matches!(next, Next::GoOn(_)))?;
        Some((turn + 1, way[turn]))
    }

    #[test]
    fn a_solve_that_stalls_is_met_by_the_remedy_of_its_regime() {
        for regime in [SETTLING, FLOW] {
            assert_eq!(first_turn(&regime, 1.0), Some((80, Next::Rounds)));
            assert_eq!(first_turn(&regime, 0.9), None);
        }
        // Compliant contacts soften at once.
        let soft = first_turn(&COMPLIANT, 1.0);
        assert!(matches!(soft, Some((40, Next::BeginAnew(Plan { softened: 1, .. })))), "{soft:?}");
        // From window to window the mean logarithm of the squares must fall by a tenth.
        assert!(first_turn(&COMPLIANT, 0.998).is_some());
        assert_eq!(first_turn(&COMPLIANT, 0.997), None);
        // Blocks go on, without a bound.
        assert_eq!(first_turn(&BLOCKS, 1.0), None);
        let caps: Vec<f64> = way(&BLOCKS, 1.0, 40).into_iter().map(|next| plan(next).momentum.cap).collect();
        assert_eq!((caps[38], caps[39]), (BLOCKS.momentum.cap, f64::INFINITY));
        // Rounds begin anew.
        assert!(matches!(first_turn(&ROUNDS, 1.0), Some((4, Next::BeginAnew(_)))), "{:?}", first_turn(&ROUNDS, 1.0));
    }

    #[test]
    fn contacts_soften_so_often_and_no_more() {
        let softened = way(&COMPLIANT, 1.0, 2000).into_iter().map(|next| plan(next).softened);
        assert_eq!(softened.max(), Some(MOST_SOFTENED));
    }

    #[test]
    fn a_slow_solve_is_damped_and_a_very_slow_one_more() {
        let plans: Vec<Plan> = way(&FLOW, 0.9, 120).into_iter().map(plan).collect();
        assert!(plans[..19].iter().all(|plan| plan.damping == FLOW.damping[0]));
        assert!(plans[19..99].iter().all(|plan| plan.damping == FLOW.damping[1]));
        assert!(plans[99..].iter().all(|plan| plan.damping == FLOW.damping[2]));
    }

    #[test]
    fn the_heavy_ball_is_left_where_steps_do_not_shrink() {
        let heaviness = |factor: f64| {
            way(&COMPLIANT, factor, 3 * EVERY).into_iter().next_back().map(|next| plan(next).momentum.heaviness)
        };
        assert_eq!((heaviness(0.99), heaviness(0.96)), (Some(0.25), Some(1.0)));
    }
}
