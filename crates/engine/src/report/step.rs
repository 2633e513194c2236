//! The end of a step: the report, and the state as it is from now on.

use super::{StepError, StepReport};
use crate::drive::External;
use crate::settings::Unconverged;
use crate::work::Work;
use crate::world::World;
use riprap_solve::{Criterion, Dim};

impl<D: Dim> World<D> {
    /// Reports and ends a step of contact dynamics.
    pub(crate) fn report(&mut self, external: &External<D>, step: &mut Work<D>) -> Result<StepReport, StepError> {
        let settings = self.settings;
        let energy = self.energy_after(external, step);
        let limited = matches!(settings.solver.criterion, Criterion::Fixed { .. }) || !step.solved.converged;
        let by_method = StepReport {
            sweeps: step.sweeps_before + step.solved.sweeps,
            contact_updates: step.updates_before + u64::from(step.solved.sweeps) * step.contacts.len() as u64,
            converged: step.solved.converged,
            residual: step.solved.residual,
            worst_contact: step.solved.worst_contact,
            trace: step.trace_before.and(step.solved.trace),
            soft: if limited { self.soft_regime(step.solved.sweeps, &step.contacts) } else { None },
            overlap_growth: step.overlap_growth,
            jammed_compression: self.is_jammed(step),
            clausius_duhem_violated: step.contact_work.violates_clausius_duhem(),
            energy,
            ..StepReport::default()
        };
        let report = self.end_step(external, step, by_method);
        if !report.converged && settings.on_unconverged == Unconverged::Stop {
            let (step, sweeps, residual) = (report.step, report.sweeps, report.residual);
            return Err(StepError::Unconverged { step, sweeps, residual });
        }
        Ok(report)
    }

    /// Ends a step of any method, whose contacts are counted: completes the report by what all methods report alike, advances the time, and keeps the
    /// contacts and bridges in the state.
    pub(crate) fn end_step(&mut self, external: &External<D>, step: &mut Work<D>, by_method: StepReport) -> StepReport {
        let momentum = self.momentum_balance(external, step);
        self.state.step += 1;
        self.state.time += self.time_step();
        self.state.energy = by_method.energy;
        self.state.contact_motion = self.contact_motion(&step.contact_totals);
        let report = StepReport {
            step: self.state.step,
            time: self.state.time,
            time_step: self.time_step(),
            candidates: step.contacts.len(),
            contacts: step.contact_totals.carrying,
            sliding: step.contact_totals.sliding,
            max_overlap: step.max_overlap,
            mean_overlap: step.mean_overlap,
            momentum_error: momentum.error,
            max_speed: momentum.max_speed,
            unbalanced_force: momentum.unbalanced_force,
            pairs_rebuilt: step.pairs_rebuilt,
            ..by_method
        };
        self.break_bonds(step);
        // The memory of those of the last step serves the next one.
        std::mem::swap(&mut self.state.contacts, &mut step.contacts);
        std::mem::swap(&mut self.state.extras, &mut step.extras);
        std::mem::swap(&mut self.cache.pair_of, &mut step.pair_of);
        self.state.bridges = std::mem::take(&mut step.bridges);
        self.state.share = step.share;
        report
    }
}
