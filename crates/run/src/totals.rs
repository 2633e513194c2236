//! Sums and extremes over the whole run, which go into checkpoints and go on when the run is resumed.

use crate::error::RunError;
use crate::journal::Journal;
use crate::stage_totals::StageTotals;
use crate::words::{counted, three_digits};
use riprap_engine::{OVERLAP_GROWTH, Stage, StepReport};

/// Sums and extremes over the whole run. All numbers are `f64`, because that is what a checkpoint keeps; counts are exact up to 2⁵³.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Totals {
    /// The length of the shortest and of the longest step, in seconds; zero before the first.
    pub shortest_step: f64,
    /// See `shortest_step`.
    pub longest_step: f64,
    /// Contact updates of all steps.
    pub contact_updates: f64,
    /// Steps whose criterion did not hold within the limits, and the first of them.
    pub unconverged: Event,
    /// Steps in the soft regime, and the first of them.
    pub soft: Event,
    /// Steps in which compliant contacts were made softer because the solve was slow, and the first of them.
    pub softened: Event,
    /// The softest effective stiffness (N/m) and its speed of sound (m/s).
    pub soft_stiffness: f64,
    /// See `soft_stiffness`.
    pub soft_sound_speed: f64,
    /// Steps that compressed a jammed packing by an imposed velocity, and the first of them.
    pub jammed: Event,
    /// Steps in which an overlap grew by more than [`OVERLAP_GROWTH`], and the first of them.
    pub sinking: Event,
    /// The most by which an overlap grew in a step, over the smaller radius.
    pub worst_growth: f64,
    /// Steps whose contacts gave energy instead of taking it, and the first of them.
    pub clausius_duhem: Event,
    /// The first step after which the energy that contacts created was worth a word; 0 if it never was.
    pub created_first: f64,
    /// The energy that contacts created so far (J), and the largest energy in the balance.
    pub created: f64,
    /// See `created`.
    pub energy_scale: f64,
    /// The largest residual of a step.
    pub worst_residual: f64,
    /// The deepest overlap of a step, in metres.
    pub worst_overlap: f64,
    /// The largest momentum error of a step.
    pub worst_momentum_error: f64,
    /// The largest part of the largest energy that the balance of energies missed after a step.
    pub worst_energy_error: f64,
    /// 1 if whoever stepped the run has controlled it: changed bodies, forces, walls or laws; else 0.
    pub controlled: f64,
    /// Seconds of this run on the clock.
    pub wall_s: f64,
    /// CPU seconds of this run; NaN where the system does not say.
    pub cpu_s: f64,
    /// The most memory that the run held; NaN where the system does not say.
    pub peak_rss_bytes: f64,
    /// What each stage of the scene took, as far as the run has come.
    pub stages: Vec<StageTotals>,
    /// The last step: sweeps.
    pub last_sweeps: f64,
    /// The last step: residual.
    pub last_residual: f64,
    /// The last step: deepest overlap, in metres.
    pub last_max_overlap: f64,
    /// The last step: mean overlap, in metres.
    pub last_mean_overlap: f64,
    /// The last step: momentum error.
    pub last_momentum_error: f64,
    /// The last step: largest speed of a body.
    pub last_max_speed: f64,
}

/// The energy that contacts created is worth a word from this part of the largest energy in the balance on; a solve to
/// a finite tolerance creates a little in every run, some thousandths in those of the folder `scenes`.
const WORTH_A_WORD: f64 = 1e-2;

/// Something that is worth a warning: in how many steps it happened, and first in which.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Event {
    /// The number of steps.
    pub steps: f64,
    /// The first of them.
    pub first: f64,
}

impl Event {
    /// Counts a step; true for the first one.
    fn happened(&mut self, step: u64) -> bool {
        self.steps += 1.0;
        if self.steps == 1.0 {
            self.first = step as f64;
        }
        self.steps == 1.0
    }

    /// True if it ever happened.
    pub fn ever(&self) -> bool {
        self.steps > 0.0
    }
}

impl Totals {
    /// Adds a step of a stage of the scene (from 0 on), with the seconds that the stages of the step took.
    pub(crate) fn add(&mut self, report: &StepReport, stage: usize, seconds: &[f64; Stage::ALL.len()]) {
        let stages = self.stages.len().max(stage + 1);
        self.stages.resize_with(stages, StageTotals::default);
        self.stages[stage].add_step(report, seconds);
        let is_first = self.longest_step == 0.0;
        self.shortest_step = if is_first { report.time_step } else { self.shortest_step.min(report.time_step) };
        self.longest_step = self.longest_step.max(report.time_step);
        self.contact_updates += report.contact_updates as f64;
        self.worst_residual = self.worst_residual.max(report.residual);
        self.worst_overlap = self.worst_overlap.max(report.max_overlap);
        self.worst_growth = self.worst_growth.max(report.overlap_growth);
        self.worst_momentum_error = self.worst_momentum_error.max(report.momentum_error);
        self.last_sweeps = f64::from(report.sweeps);
        self.last_residual = report.residual;
        self.last_max_overlap = report.max_overlap;
        self.last_mean_overlap = report.mean_overlap;
        self.last_momentum_error = report.momentum_error;
        self.last_max_speed = report.max_speed;
    }

    /// What all stages of the scene took together.
    pub fn all_stages(&self) -> StageTotals {
        let mut all = StageTotals::default();
        self.stages.iter().for_each(|stage| all.add_stage(stage));
        all
    }

    /// Counts what is worth a warning in a step, and warns of what happens for the first time.
    pub(crate) fn warn(&mut self, report: &StepReport, journal: &mut Journal) -> Result<(), RunError> {
        let step = report.step;
        if !report.converged && self.unconverged.happened(step) {
            journal.warn(&format!(
                "step {step} did not converge in {} sweeps (residual {}); further such steps are only counted",
                report.sweeps,
                three_digits(report.residual)
            ))?;
        }
        if report.trace.softened > 0 && self.softened.happened(step) {
            journal.warn(&format!(
                "the solver stalled in step {step}: the contact stiffness is reduced to 1/{} for this step; further such \
                 steps are only counted",
                1_u64 << report.trace.softened.min(63)
            ))?;
        }
        if let Some(soft) = report.soft {
            let first = self.soft.happened(step);
            if first || soft.stiffness < self.soft_stiffness {
                (self.soft_stiffness, self.soft_sound_speed) = (soft.stiffness, soft.sound_speed);
            }
            if first {
                journal.warn(&format!(
                    "step {step} is in the soft regime: {} sweeps carry forces over {} m, less than the {} m of the largest \
                     contact cluster; grains behave as if elastic, with a stiffness of {} N/m and a sound speed of {} m/s",
                    soft.sweeps,
                    three_digits(soft.diffusion_length),
                    three_digits(soft.cluster_size),
                    three_digits(soft.stiffness),
                    three_digits(soft.sound_speed)
                ))?;
            }
        }
        if report.jammed_compression && self.jammed.happened(step) {
            journal.warn(&format!(
                "in step {step} an imposed velocity compresses a packing that cannot yield: rigid grains then have no force \
                 scale, and forces and overlaps grow without bound; impose a pressure instead"
            ))?;
        }
        if report.overlap_growth > OVERLAP_GROWTH && self.sinking.happened(step) {
            journal.warn(&format!(
                "in step {step} an overlap grows by {} of the smaller radius: the time step is too long, or the \
                 solver's tolerance too loose; further such steps are only counted",
                three_digits(report.overlap_growth)
            ))?;
        }
        if report.clausius_duhem_violated {
            self.clausius_duhem.happened(step);
        }
        self.created = report.energy.created;
        self.energy_scale = report.energy.scale();
        if self.energy_scale > 0.0 {
            let error = report.energy.error().abs() / self.energy_scale;
            self.worst_energy_error = self.worst_energy_error.max(error);
        }
        if self.created_first == 0.0 && self.created > WORTH_A_WORD * self.energy_scale {
            self.created_first = step as f64;
            journal.warn(&format!(
                "by step {step}, contacts have generated {} J; this can happen if restitution differs between contacts or \
                 between normal and tangential direction, if overlaps are removed (gap = \"correct\"), or if steps do not \
                 converge",
                three_digits(self.created)
            ))?;
        }
        Ok(())
    }

    /// The warnings that stand at the end of the run, which has written so many contact problems.
    pub fn warnings(&self, steps: u64, problems: usize) -> Vec<String> {
        let mut warnings = Vec::new();
        let mut tell = |event: &Event, what: String| {
            if event.ever() {
                let steps = counted(steps, "step");
                warnings.push(format!("{} of {steps} {what} (first in step {})", event.steps, event.first));
            }
        };
        let written = match problems {
            0 => String::new(),
            _ => format!(" ({} in the folder problems)", counted(problems as u64, "contact problem")),
        };
        tell(
            &self.unconverged,
            format!("did not converge{written}, worst residual {}", three_digits(self.worst_residual)),
        );
        tell(
            &self.soft,
            format!(
                "were in the soft regime, with a stiffness down to {} N/m and a sound speed down to {} m/s; allow more \
                 sweeps or reduce the time step",
                three_digits(self.soft_stiffness),
                three_digits(self.soft_sound_speed)
            ),
        );
        tell(&self.softened, "were softened because the solver stalled".into());
        tell(&self.jammed, "compressed a jammed packing by an imposed velocity; its forces are meaningless".into());
        tell(
            &self.sinking,
            format!("let an overlap grow by up to {} of the smaller radius", three_digits(self.worst_growth)),
        );
        if self.created_first > 0.0 {
            warnings.push(format!(
                "contacts generated {} J in total, {} of the largest energy in the balance",
                three_digits(self.created),
                three_digits(self.created / self.energy_scale)
            ));
        }
        warnings
    }

    /// The numbers as a checkpoint keeps them.
    pub fn to_counters(&self) -> Vec<(String, f64)> {
        self.clone().fields().into_iter().map(|(name, value)| (name, *value)).collect()
    }

    /// The numbers of a checkpoint; names that are not known are passed over, and missing ones are zero.
    pub fn from_counters(counters: &[(String, f64)]) -> Self {
        let has_stage = |number: &usize| counters.iter().any(|(name, _)| *name == stage_field(*number, "steps"));
        let stages = (1..).take_while(has_stage).count();
        let mut totals = Totals { stages: vec![StageTotals::default(); stages], ..Totals::default() };
        for (name, value) in totals.fields() {
            if let Some((_, stored)) = counters.iter().find(|(stored, _)| *stored == name) {
                *value = *stored;
            }
        }
        totals
    }

    /// Every number with its name: the one place that both directions share.
    fn fields(&mut self) -> Vec<(String, &mut f64)> {
        let mut fields: Vec<(String, &mut f64)> = [
            ("shortest_step", &mut self.shortest_step),
            ("longest_step", &mut self.longest_step),
            ("contact_updates", &mut self.contact_updates),
            ("unconverged_steps", &mut self.unconverged.steps),
            ("unconverged_first", &mut self.unconverged.first),
            ("soft_steps", &mut self.soft.steps),
            ("soft_first", &mut self.soft.first),
            ("softened_steps", &mut self.softened.steps),
            ("softened_first", &mut self.softened.first),
            ("soft_stiffness", &mut self.soft_stiffness),
            ("soft_sound_speed", &mut self.soft_sound_speed),
            ("jammed_steps", &mut self.jammed.steps),
            ("jammed_first", &mut self.jammed.first),
            ("sinking_steps", &mut self.sinking.steps),
            ("sinking_first", &mut self.sinking.first),
            ("worst_growth", &mut self.worst_growth),
            ("clausius_duhem_steps", &mut self.clausius_duhem.steps),
            ("clausius_duhem_first", &mut self.clausius_duhem.first),
            ("created_first", &mut self.created_first),
            ("created", &mut self.created),
            ("energy_scale", &mut self.energy_scale),
            ("worst_residual", &mut self.worst_residual),
            ("worst_overlap", &mut self.worst_overlap),
            ("worst_momentum_error", &mut self.worst_momentum_error),
            ("worst_energy_error", &mut self.worst_energy_error),
            ("controlled", &mut self.controlled),
            ("wall_s", &mut self.wall_s),
            ("cpu_s", &mut self.cpu_s),
            ("peak_rss_bytes", &mut self.peak_rss_bytes),
            ("last_sweeps", &mut self.last_sweeps),
            ("last_residual", &mut self.last_residual),
            ("last_max_overlap", &mut self.last_max_overlap),
            ("last_mean_overlap", &mut self.last_mean_overlap),
            ("last_momentum_error", &mut self.last_momentum_error),
            ("last_max_speed", &mut self.last_max_speed),
        ]
        .into_iter()
        .map(|(name, value)| (name.to_string(), value))
        .collect();
        for (index, stage) in self.stages.iter_mut().enumerate() {
            fields.extend(stage.fields().map(|(name, value)| (stage_field(index + 1, &name), value)));
        }
        fields
    }
}

/// The name of a number of a stage in a checkpoint.
fn stage_field(number: usize, name: &str) -> String {
    format!("stage {number} {name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkpoint_keeps_every_number() {
        let mut totals = Totals { stages: vec![StageTotals::default(); 2], ..Totals::default() };
        for (i, (_, value)) in totals.fields().into_iter().enumerate() {
            *value = 1.5 + i as f64;
        }
        assert_eq!(Totals::from_counters(&totals.to_counters()), totals);
        let mut names: Vec<_> = totals.to_counters().into_iter().map(|(name, _)| name).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), totals.to_counters().len());
    }

    #[test]
    fn warnings_stand_only_for_what_happened() {
        let mut totals = Totals::default();
        assert!(totals.warnings(10, 0).is_empty());
        totals.unconverged = Event { steps: 3.0, first: 7.0 };
        let warnings = totals.warnings(10, 0);
        assert_eq!(warnings.len(), 1);
        assert!(warnings[0].starts_with("3 of 10 steps did not converge"), "{}", warnings[0]);
        assert!(warnings[0].ends_with("(first in step 7)"));
        // A step of very many contacts is not written unasked, so the folder is named only if something is in it.
        assert!(!warnings[0].contains("problems"), "{}", warnings[0]);
        assert!(totals.warnings(10, 2)[0].contains("(2 contact problems in the folder problems)"));
    }
}
