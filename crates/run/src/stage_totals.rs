//! What each stage of the scene took: time and the way of the solver.

use riprap_engine::{Stage, StepReport, Trace};

/// Sums over the steps of one stage of the scene.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StageTotals {
    /// The number of steps.
    pub steps: f64,
    /// Sweeps of all steps.
    pub sweeps: f64,
    /// What ended it, as [`riprap_scene::EndCause::number`]; 0 while it goes on.
    pub ended_by: f64,
    /// Seconds in each stage of the step, in the order of [`Stage::ALL`].
    pub profile: [f64; Stage::ALL.len()],
    /// The way of the solver: the entries of [`Trace`].
    pub trace: [f64; Trace::NAMES.len()],
}

impl StageTotals {
    /// Adds a step and the seconds that its stages took.
    pub(crate) fn add_step(&mut self, report: &StepReport, seconds: &[f64; Stage::ALL.len()]) {
        self.steps += 1.0;
        self.sweeps += f64::from(report.sweeps);
        add_to(&mut self.profile, seconds);
        add_to(&mut self.trace, &report.trace.numbers());
    }

    /// Adds another stage.
    pub(crate) fn add_stage(&mut self, other: &StageTotals) {
        self.steps += other.steps;
        self.sweeps += other.sweeps;
        add_to(&mut self.profile, &other.profile);
        add_to(&mut self.trace, &other.trace);
    }

    /// Every number with its name.
    pub(crate) fn fields(&mut self) -> impl Iterator<Item = (String, &mut f64)> {
        let counts = [
            ("steps".to_string(), &mut self.steps),
            ("sweeps".to_string(), &mut self.sweeps),
            ("ended by".to_string(), &mut self.ended_by),
        ];
        let profile =
            Stage::ALL.iter().zip(&mut self.profile).map(|(stage, s)| (format!("profile {}", stage.name()), s));
        let trace = Trace::NAMES.iter().zip(&mut self.trace).map(|(name, sum)| (format!("trace {name}"), sum));
        counts.into_iter().chain(profile).chain(trace)
    }
}

fn add_to(sums: &mut [f64], numbers: &[f64]) {
    for (sum, number) in sums.iter_mut().zip(numbers) {
        *sum += number;
    }
}
