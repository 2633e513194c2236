//! The runs of a ladder as a batch.

use super::{Ladder, LadderRun};
use crate::batch::{BatchChoices, BatchListener, BatchRun, RunStanding, run_batch};
use crate::error::RunError;
use crate::interrupt::Interrupt;
use crate::simulation::{RunOptions, Simulation, Stop};
use std::path::Path;
use std::sync::Arc;

impl Ladder {
    /// Takes up all runs that are not complete. If one fails, the others end too, with everything written; so they do if
    /// they are asked to.
    pub fn climb(
        &self,
        choices: BatchChoices,
        listener: &Arc<dyn BatchListener>,
        interrupt: &Interrupt,
    ) -> Result<Stop, RunError> {
        self.claim_folder()?;
        let choices = BatchChoices { all_or_none: true, ..choices };
        Ok(run_batch(&self.runs, &choices, listener, interrupt)?.0)
    }
}

impl BatchRun for LadderRun {
    fn name(&self) -> String {
        LadderRun::name(self)
    }

    fn folder(&self) -> &Path {
        &self.folder
    }

    fn kind(&self) -> usize {
        self.place
    }

    /// In units of the settings as given: as many steps more as the step is shorter, and no more sweeps for a sharper
    /// tolerance than in proportion.
    fn expected_cost(&self) -> f64 {
        1.0 / (self.rung.step() * self.rung.tolerance())
    }

    fn standing(&self) -> RunStanding {
        if self.is_complete() { RunStanding::Complete } else { RunStanding::Waiting }
    }

    fn take_up(&self, options: RunOptions) -> Result<Option<Simulation>, RunError> {
        Simulation::take_up(self.prepared()?, &self.folder, options)
    }
}
