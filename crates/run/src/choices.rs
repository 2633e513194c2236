//! The numerical choices of a run in words.

use crate::words::three_digits;
use riprap_engine::{Criterion, Damping, GapVariant, Method, Scheme, Settings, Soft, Solver, SweepOrder, Unconverged};
use riprap_scene::Scene;

/// The numerical choices of the first stage, and what was chosen for the scene and why.
pub fn numerical_choices(scene: &Scene, method: &Method, settings: &Settings) -> Vec<String> {
    let mut lines = match method {
        Method::MolecularDynamics(soft) => soft_choices(soft, settings),
        Method::ContactDynamics | Method::Percussions(_) => rigid_choices(settings),
    };
    lines.extend(scene.choices());
    lines.extend(scene.remarks().iter().cloned());
    lines
}

/// The choices of molecular dynamics.
fn soft_choices(soft: &Soft, settings: &Settings) -> Vec<String> {
    let substeps = soft.substeps(settings.time_step);
    let damping = match soft.damping {
        Damping::FromRestitution => "damping from the restitution of the materials".to_string(),
        Damping::Given(damping) => format!("damping {} kg/s", three_digits(damping)),
    };
    vec![
        format!(
            "molecular dynamics: time step {} s, divided into {substeps} velocity Verlet steps of {} s",
            three_digits(settings.time_step),
            three_digits(settings.time_step / f64::from(substeps))
        ),
        format!(
            "spring stiffness {} N/m, {damping}, {}",
            three_digits(soft.stiffness),
            if soft.clamp { "no tension" } else { "tension at the end of a collision" }
        ),
    ]
}

/// The choices of contact dynamics and of A-CD².
fn rigid_choices(settings: &Settings) -> Vec<String> {
    let scheme = match settings.scheme {
        Scheme::Midpoint { tolerance } => {
            format!("midpoint rule, contacts are pairs with a gap below {} m", three_digits(tolerance))
        }
        Scheme::Euler { gap: GapVariant::Keep } => "implicit Euler with gap, overlaps are kept".to_string(),
        Scheme::Euler { gap: GapVariant::Correct } => {
            "implicit Euler with gap, overlaps are removed within the step".to_string()
        }
        Scheme::Euler { gap: GapVariant::Relax } => {
            "implicit Euler with gap, overlaps are removed gradually".to_string()
        }
    };
    let solver = match settings.solver.solver {
        Solver::GaussSeidel => "Gauss-Seidel",
        Solver::Momentum => "Gauss-Seidel with momentum",
        Solver::Auto => "auto",
    };
    let order = match settings.solver.order {
        SweepOrder::Random => "random",
        SweepOrder::Sequential => "sequential",
        SweepOrder::ForwardBackward => "forward and backward",
        SweepOrder::Spatial => "spatial",
    };
    let criterion = match settings.solver.criterion {
        Criterion::LocalForce { epsilon, cutoff } => {
            format!("no force above {cutoff} of the mean has a relative change above {epsilon:e}")
        }
        Criterion::MeanForce { epsilon } => format!("the relative change of the mean force is below {epsilon:e}"),
        Criterion::Fixed { sweeps } => format!("{sweeps} sweeps are done"),
        Criterion::Residual { tolerance } => format!("the residual is below {tolerance:e}"),
        Criterion::Motion { velocity, residual } => {
            format!("the error is below {velocity:e} of the free speed or the residual below {residual:e}")
        }
    };
    vec![
        format!("time step {}, scheme {scheme}", time_step_in_words(settings)),
        format!(
            "solver {solver}, {order} sweeps until {criterion}; {} to {} sweeps per step, {}",
            settings.solver.min_sweeps,
            settings.solver.max_sweeps,
            if settings.solver.warm_start { "warm start" } else { "no warm start" }
        ),
        format!(
            "unconverged steps {}",
            if settings.on_unconverged == Unconverged::Stop { "end the run" } else { "are counted" }
        ),
    ]
}

/// How long steps are.
fn time_step_in_words(settings: &Settings) -> String {
    let longest = three_digits(settings.time_step);
    match settings.halvings {
        0 => format!("{longest} s"),
        halvings => format!(
            "{longest} s, down to {} s while contacts move by more than {} of the smallest radius in a step",
            three_digits(settings.time_step * 0.5_f64.powi(halvings as i32)),
            settings.motion_per_step
        ),
    }
}
