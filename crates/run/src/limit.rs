//! The value of a key at which a structure fails: a load, an angle, a friction, found by bisection.
//!
//! Every trial is a whole run of the scene with another value of the key. It fails if a stage ends by a sign of failure
//! ([`riprap_scene::EndCause::is_failure`]), and stands if none does.

use crate::error::RunError;
use crate::interrupt::Interrupt;
use crate::prepared::PreparedScene;
use crate::simulation::{RunOptions, Simulation, Stop, Until};
use riprap_scene::{EndCause, Override};
use std::path::Path;

/// What is searched for.
#[derive(Clone, Debug, PartialEq)]
pub struct LimitPlan {
    /// The key, as `--set` names it.
    pub key: String,
    /// The unit of its values; empty for plain numbers.
    pub unit: String,
    /// Two values: at one of them the structure stands, at the other it fails.
    pub range: [f64; 2],
    /// How close the two may come, as a part of the larger of them.
    pub tolerance: f64,
}

/// A run at one value.
#[derive(Clone, Debug, PartialEq)]
pub struct LimitTrial {
    /// The value of the key.
    pub value: f64,
    /// True if a stage ended by failure.
    pub fails: bool,
    /// The last stage of the run, and what ended it.
    pub stage: String,
    /// See `stage`.
    pub cause: EndCause,
    /// The simulated time at which it ended (s).
    pub time: f64,
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// The value nearest to failure at which the structure stands.
    pub stands: f64,
    /// The value nearest to it at which it fails.
    pub fails: f64,
    /// All runs, in their order.
    pub trials: Vec<LimitTrial>,
}

/// Bisects the value of a key of the scene in `file` until it is known to the tolerance. `tell` hears of every run. `None` if
/// it was asked to end.
pub fn find_limit(
    file: &Path,
    overrides: &[Override],
    plan: &LimitPlan,
    interrupt: &Interrupt,
    mut tell: impl FnMut(&LimitTrial),
) -> Result<Option<Limit>, RunError> {
    let mut trials: Vec<LimitTrial> = Vec::new();
    let mut fails = |value: f64| {
        let trial = plan.trial(file, overrides, value, interrupt)?;
        if let Some(trial) = &trial {
            tell(trial);
        }
        Ok::<_, RunError>(trial)
    };
    let mut known = [(0.0, false); 2];
    for (end, value) in known.iter_mut().zip(plan.range) {
        let Some(trial) = fails(value)? else { return Ok(None) };
        *end = (value, trial.fails);
        trials.push(trial);
    }
    if known[0].1 == known[1].1 {
        return Err(RunError::NoLimit { what: plan.no_limit(known[0].1) });
    }
    let [mut stands, mut broken] = if known[0].1 { [known[1].0, known[0].0] } else { [known[0].0, known[1].0] };
    while (stands - broken).abs() > plan.tolerance * f64::max(stands.abs(), broken.abs()) {
        let Some(trial) = fails(0.5 * (stands + broken))? else { return Ok(None) };
        if trial.fails {
            broken = trial.value;
        } else {
            stands = trial.value;
        }
        trials.push(trial);
    }
    Ok(Some(Limit { stands, fails: broken, trials }))
}

impl LimitPlan {
    /// A run at a value, up to the first stage that ends by failure; none if it was asked to end.
    fn trial(
        &self,
        file: &Path,
        overrides: &[Override],
        value: f64,
        interrupt: &Interrupt,
    ) -> Result<Option<LimitTrial>, RunError> {
        let literal = if self.unit.is_empty() { format!("{value:?}") } else { format!("{value:?} {}", self.unit) };
        let set = Override { path: self.key.clone(), value: literal };
        let prepared = PreparedScene::from_file(file, &[overrides, &[set]].concat())?;
        if !prepared.scene.stages().iter().any(|stage| stage.end.may_fail()) {
            return Err(RunError::NoLimit { what: NO_CRITERION.to_owned() });
        }
        let options = RunOptions { interrupt: interrupt.clone(), ..RunOptions::default() };
        let mut simulation = Simulation::without_files(prepared, options)?;
        loop {
            let stop = simulation.run(Until::StageEnd)?;
            if stop == Stop::Interrupted {
                return Ok(None);
            }
            let Some((stage, cause)) = simulation.stage_ends().pop() else { return Ok(None) };
            if cause.is_failure() || stop == Stop::Finished {
                let (stage, time) = (stage.to_owned(), simulation.progress().time);
                return Ok(Some(LimitTrial { value, fails: cause.is_failure(), stage, cause, time }));
            }
        }
    }

    fn no_limit(&self, fails: bool) -> String {
        let [from, to] = self.range.map(|value| format!("{value} {}", self.unit).trim_end().to_owned());
        let verdict = if fails { "fails" } else { "stands" };
        format!(
            "the structure {verdict} at both ends of the range, {} = {from} and {to}; choose another range",
            self.key
        )
    }
}

/// Why a scene without a sign of failure has no limit.
const NO_CRITERION: &str = "no stage of the scene can end by failure; give `displacement`, `kinetic_energy_above`, \
                            `contact_lost` or `force_lost` in `end` of a stage";
