//! What comes next in a solve: a pure function of its plan, its step sizes so far, and its regime.

use super::regime::{EVERY, FALL, HEAVY_FALL, MOST_SOFTENED, Momentum, Regime, Remedy, VERY_SLOW};
use crate::sweep::{Damping, SweepStats};

/// How the next iterations are made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// How strong momentum is.
    pub momentum: Momentum,
    /// The fractions of their corrections that contacts take.
    pub damping: Damping,
    /// How often compliant contacts have become twice as soft.
    pub softened: u32,
}

impl Plan {
    /// The plan at the start of a solve.
    pub fn new(regime: &Regime) -> Self {
        Plan { momentum: regime.momentum, damping: regime.damping[0], softened: 0 }
    }
}

/// How the solve continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// As it is.
    Continue,
    /// Momentum restarts from nothing, and steps are judged afresh.
    Restart,
    /// By rounds.
    Rounds,
}

/// The plan of the next iteration, after one by this plan, and how the solve continues.
pub fn next(mut plan: Plan, history: &History, regime: &Regime) -> (Plan, Turn) {
    plan.damping = match history.iterations / regime.window {
        0 => regime.damping[0],
        windows if windows < VERY_SLOW => regime.damping[1],
        _ => regime.damping[2],
    };
    if history.fall(EVERY).is_some_and(|fall| fall < HEAVY_FALL) {
        plan.momentum.heaviness *= 0.5;
    }
    if !history.is_stalled(regime) {
        return (plan, Turn::Continue);
    }
    match regime.remedy {
        Remedy::None => (plan, Turn::Continue),
        Remedy::Restart => (plan, Turn::Restart),
        Remedy::Rounds | Remedy::Jumps => (plan, Turn::Rounds),
        Remedy::Unbind => {
            plan.momentum.cap = f64::INFINITY;
            (plan, Turn::Continue)
        }
        Remedy::Soften => {
            plan.momentum.heaviness = regime.momentum.heaviness;
            plan.softened = (plan.softened + 1).min(MOST_SOFTENED);
            (plan, Turn::Restart)
        }
    }
}

/// The step sizes of a solve.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// Iterations of the solve.
    pub iterations: usize,
    /// The logarithms of the squared relative steps since the last restart.
    steps: Vec<f64>,
}

impl History {
    /// Records an iteration.
    pub fn note(&mut self, stats: SweepStats) {
        self.iterations += 1;
        self.steps.push(libm::log((stats.change / stats.size.max(f64::MIN_POSITIVE)).max(f64::MIN_POSITIVE)));
    }

    /// Forgets the steps, so that they are judged afresh.
    pub fn clear(&mut self) {
        self.steps.clear();
    }

    /// At the end of a window of this length, the decrease of its mean from that of the window before.
    fn fall(&self, window: usize) -> Option<f64> {
        let mut means = self.means(window)?.rev();
        let (last, before) = (means.next()?, means.next()?);
        Some(before - last)
    }

    /// True at the end of a window if as many windows as the regime allows have been no better than the best before them, or if
    /// the solve has taken too long.
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

    /// Plan and turn after each iteration, with steps that shrink by a factor from one to the next.
    fn course(regime: &Regime, factor: f64, iterations: usize) -> Vec<(Plan, Turn)> {
        let (mut plan, mut history) = (Plan::new(regime), History::default());
        let mut step = 1.0_f64;
        let mut course = Vec::new();
        for _ in 0..iterations {
            step *= factor;
            history.note(SweepStats { change: step * step, size: 1.0, ..SweepStats::default() });
            course.push(next(plan, &history, regime));
            let turn;
            (plan, turn) = course[course.len() - 1];
            match turn {
                Turn::Continue => {}
                Turn::Restart => history.clear(),
                Turn::Rounds => break,
            }
        }
        course
    }

    /// The iteration after which a solve first turns, how, and how often contacts have been softened then.
    fn first_turn(regime: &Regime, factor: f64) -> Option<(usize, Turn, u32)> {
        let course = course(regime, factor, 9 * regime.window);
        let turn = course.iter().position(|(_, turn)| *turn != Turn::Continue)?;
        Some((turn + 1, course[turn].1, course[turn].0.softened))
    }

    #[test]
    fn a_solve_that_stalls_is_met_by_the_remedy_of_its_regime() {
        for regime in [SETTLING, FLOW] {
            assert_eq!(first_turn(&regime, 1.0), Some((80, Turn::Rounds, 0)));
            assert_eq!(first_turn(&regime, 0.9), None);
        }
        // Compliant contacts soften at once.
        assert_eq!(first_turn(&COMPLIANT, 1.0), Some((40, Turn::Restart, 1)));
        // From window to window the mean logarithm of the squares must fall by a tenth.
        assert!(first_turn(&COMPLIANT, 0.998).is_some());
        assert_eq!(first_turn(&COMPLIANT, 0.997), None);
        // Blocks continue, without a bound.
        assert_eq!(first_turn(&BLOCKS, 1.0), None);
        let caps: Vec<f64> = course(&BLOCKS, 1.0, 40).into_iter().map(|(plan, _)| plan.momentum.cap).collect();
        assert_eq!((caps[38], caps[39]), (BLOCKS.momentum.cap, f64::INFINITY));
        // Rounds restart.
        assert_eq!(first_turn(&ROUNDS, 1.0), Some((4, Turn::Restart, 0)));
    }

    #[test]
    fn contacts_soften_so_often_and_no_more() {
        let softened = course(&COMPLIANT, 1.0, 2000).into_iter().map(|(plan, _)| plan.softened);
        assert_eq!(softened.max(), Some(MOST_SOFTENED));
    }

    #[test]
    fn a_compliant_solve_that_crawls_is_softened_in_the_end() {
        // Each window is a little better than the one before, so the solve never stalls.
        let course = course(&COMPLIANT, 0.997, COMPLIANT.longest);
        assert!(course[..COMPLIANT.longest - 1].iter().all(|(_, turn)| *turn == Turn::Continue));
        assert_eq!(course[COMPLIANT.longest - 1].1, Turn::Restart);
    }

    #[test]
    fn a_slow_solve_is_damped_and_a_very_slow_one_more() {
        let damping: Vec<Damping> = course(&FLOW, 0.9, 120).into_iter().map(|(plan, _)| plan.damping).collect();
        assert!(damping[..19].iter().all(|damping| *damping == FLOW.damping[0]));
        assert!(damping[19..99].iter().all(|damping| *damping == FLOW.damping[1]));
        assert!(damping[99..].iter().all(|damping| *damping == FLOW.damping[2]));
    }

    #[test]
    fn the_heavy_ball_is_left_where_steps_do_not_shrink() {
        let heaviness = |factor: f64| course(&COMPLIANT, factor, 3 * EVERY)[3 * EVERY - 1].0.momentum.heaviness;
        assert_eq!((heaviness(0.99), heaviness(0.96)), (0.25, 1.0));
    }
}
