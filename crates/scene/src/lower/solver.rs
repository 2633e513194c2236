//! The numerical choices of a scene or stage.

use crate::check::Table;
use crate::model::*;
use riprap_engine::{Criterion, GapVariant, Solver, SweepOrder, Unconverged};

/// The choices that a `[solver]` table gives.
pub(super) fn solver(table: &Table) -> SolverSpec {
    let sweeps = |key: &str| table.integer(key).and_then(|n| u32::try_from(n).ok());
    let criterion = table.table("criterion").and_then(Table::only).and_then(|entry| {
        let table = table.table("criterion")?;
        Some(match entry.key.as_str() {
            "residual" => Criterion::Residual { tolerance: table.number("residual")? },
            "mean_force" => Criterion::MeanForce { epsilon: table.number("mean_force")? },
            "motion" => {
                let motion = table.table("motion")?;
                Criterion::Motion { velocity: motion.number("velocity")?, residual: motion.number("residual")? }
            }
            "sweeps" => Criterion::Fixed { sweeps: u32::try_from(table.integer("sweeps")?).ok()? },
            _ => {
                let local = table.table("local_force")?;
                Criterion::LocalForce { epsilon: local.number("change")?, cutoff: local.number("cutoff")? }
            }
        })
    });
    SolverSpec {
        time_step: table.number("time_step"),
        halvings: sweeps("halvings"),
        motion_per_step: table.number("motion_per_step"),
        scheme: table.text("scheme").map(|word| match word {
            "midpoint" => SchemeSpec::Midpoint,
            _ => SchemeSpec::Euler,
        }),
        gap: table.text("gap").map(|word| match word {
            "keep" => GapVariant::Keep,
            "relax" => GapVariant::Relax,
            _ => GapVariant::Correct,
        }),
        midpoint_tolerance: table.number("midpoint_tolerance"),
        solver: table.text("solver").map(|word| match word {
            "gauss-seidel" => Solver::GaussSeidel,
            "momentum" => Solver::Momentum,
            _ => Solver::Auto,
        }),
        order: table.text("order").map(|word| match word {
            "random" => SweepOrder::Random,
            "sequential" => SweepOrder::Sequential,
            "forward-backward" => SweepOrder::ForwardBackward,
            _ => SweepOrder::Spatial,
        }),
        criterion,
        min_sweeps: sweeps("min_sweeps"),
        max_sweeps: sweeps("max_sweeps"),
        warm_start: table.flag("warm_start"),
        stiffness: table.number("stiffness"),
        on_unconverged: table.text("on_unconverged").map(|word| match word {
            "stop" => Unconverged::Stop,
            _ => Unconverged::Continue,
        }),
    }
}

/// Where the scene leaves it open, overlaps stay if contacts have a stiffness, as they are its strain. What they do if not
/// depends on the grains, and is chosen once these are known.
pub(super) fn keep_strain(solver: &mut SolverSpec, stages: &mut [Stage]) {
    if solver.gap.is_none() {
        solver.gap = solver.stiffness.map(|_| GapVariant::Keep);
        for stage in stages.iter_mut().filter(|stage| stage.solver.stiffness.is_some()) {
            stage.solver.gap.get_or_insert(GapVariant::Keep);
        }
    }
}
