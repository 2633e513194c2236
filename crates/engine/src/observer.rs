//! Watching a step from outside: its stages, its contact problem, its outcome.

use crate::law::LawTable;
use crate::report::{StepError, StepReport};
use riprap_solve::assembled::{GlobalProblem, LeftOut};

/// The stages of a step, in order; a profile prints them by these words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stage {
    /// Drivers prescribe velocities and forces.
    Drive,
    /// Bodies move to the middle of the step (midpoint scheme only).
    MoveToMidpoint,
    /// The list of pairs that may touch is found to be still good, or made anew.
    FindPairs,
    /// Velocities without contact impulses.
    FreeVelocity,
    /// Gaps and normals of the pairs are measured.
    MeasureGaps,
    /// Impulses of the last step are recalled.
    RecallImpulses,
    /// All impulses and velocities together.
    Solve,
    /// New velocities; impulses are kept for the next step.
    KeepImpulses,
    /// The pairs are looked at where the step ends: was any left out, did a body pass through another?
    Verify,
    /// Velocities after the shocks of contacts with restitution (Euler scheme only).
    Shock,
    /// The work of the contacts and of the cell.
    ContactWork,
    /// Bodies move to the end of the step.
    MoveToEnd,
    /// Balances are drawn up.
    Report,
}

impl Stage {
    /// All stages in order.
    pub const ALL: [Stage; 13] = [
        Stage::Drive,
        Stage::MoveToMidpoint,
        Stage::FindPairs,
        Stage::FreeVelocity,
        Stage::MeasureGaps,
        Stage::RecallImpulses,
        Stage::Solve,
        Stage::KeepImpulses,
        Stage::Verify,
        Stage::Shock,
        Stage::ContactWork,
        Stage::MoveToEnd,
        Stage::Report,
    ];

    /// The word that a profile prints.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Drive => "drive",
            Stage::MoveToMidpoint => "move to midpoint",
            Stage::FindPairs => "find pairs",
            Stage::MeasureGaps => "measure gaps",
            Stage::RecallImpulses => "recall impulses",
            Stage::FreeVelocity => "free velocity",
            Stage::Solve => "solve",
            Stage::KeepImpulses => "keep impulses",
            Stage::Verify => "verify",
            Stage::Shock => "shock",
            Stage::ContactWork => "contact work",
            Stage::MoveToEnd => "move to end",
            Stage::Report => "report",
        }
    }
}

/// Watches the stages of a step, to time them for instance: the engine has no clock.
pub trait Observer: Send {
    /// `stage` begins.
    fn begin(&mut self, stage: Stage);

    /// True if [`Observer::end`] may ask for contact problems; steps then keep the initial guess of a solve.
    fn watches_problems(&self) -> bool {
        false
    }

    /// True if a step that fails is to leave bodies, contacts, bonds, energies and the cell as they were before it, for the
    /// price of a copy of all places and velocities in every step.
    fn restores(&self) -> bool {
        false
    }

    /// True if [`Observer::change_laws`] is to be asked; only contact dynamics asks.
    fn changes_laws(&self) -> bool {
        false
    }

    /// May change the laws of the contacts before they are solved for, once in each solve. If it fails, the step fails with
    /// [`StepError::Law`], and the world is as it was before the step.
    fn change_laws(&mut self, _laws: &mut LawTable) -> Result<(), String> {
        Ok(())
    }

    /// Step number `step` has ended with this outcome. Where contact problems are watched, `problem` returns that of its
    /// last solve, in a form that other programs can solve too, at the cost of some sweeps.
    fn end(
        &mut self,
        _step: u64,
        _outcome: &Result<StepReport, StepError>,
        _problem: &mut dyn FnMut() -> Option<StepProblem>,
    ) {
    }
}

/// The contact problem of a step, with the initial guess and the solution of its solve.
#[derive(Clone, Debug)]
pub struct StepProblem {
    /// The problem.
    pub problem: GlobalProblem,
    /// The parts of the step's laws that it leaves out.
    pub left_out: LeftOut,
    /// The impulses that the solve started from.
    pub start: Vec<f64>,
    /// The impulses that it found.
    pub impulse: Vec<f64>,
    /// The velocities of the bodies that it found.
    pub motion: Vec<f64>,
    /// The residual that it reached.
    pub residual: f64,
    /// True if its criterion held.
    pub converged: bool,
}

/// An observer that ignores everything.
pub struct Silent;

impl Observer for Silent {
    fn begin(&mut self, _: Stage) {}
}
