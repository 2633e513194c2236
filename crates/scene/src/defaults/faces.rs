//! What happens to overlaps, and how sharply a step is solved. Balls forgive more than bodies with faces: what a solve leaves
//! at one point of a face turns the body that stands on it, and a tower is as tall as the errors that it adds up.

use super::Choice;
use crate::check::Table;
use crate::model::*;
use riprap_engine::{Criterion, GapVariant, GrainTable};

/// How much sharper than with balls a step is solved.
const SHARPER: f64 = 0.1;
/// Up to so many grains a step is solved to rounding, nearly: blocks that stand then do not creep. It costs little, since
/// most steps of what rests then end after a sweep or two.
const FEW: usize = 50;
/// How much sharper than with balls a step with few blocks is solved. Not with bonds: a face that is glued at several points
/// holds more than it needs, and 44 bonded bricks took all of 2000 sweeps in 148 of 176 steps.
const SHARPEST: f64 = 1e-5;

/// Chooses `solver.gap` and `solver.criterion` where the scene leaves them open.
pub(super) fn settle_faces(root: &Table, model: &mut Model, grains: &GrainTable) -> Vec<Choice> {
    let mut chosen = Vec::new();
    let has_faces = grains.form.iter().any(Option::is_some) && model.method == MethodSpec::Cd;
    let mut choose = |key: &str, literal: String, reason: &str, announced: bool| {
        chosen.push(Choice { path: format!("solver.{key}"), literal, reason: reason.to_owned(), announced });
    };
    if root.table("solver").is_some_and(|solver| !solver.has("gap")) {
        let reason = match model.solver.gap {
            Some(_) => "overlaps are the deformation of contacts",
            None if has_faces => {
                "overlaps of faces are removed gradually, because removing them at once makes blocks sway"
            }
            None => "contacts are rigid, so overlaps are errors to remove",
        };
        let announced = model.solver.gap.is_none() && has_faces;
        let gap = *model.solver.gap.get_or_insert(if has_faces { GapVariant::Relax } else { GapVariant::Correct });
        choose("gap", word(Some(gap)), reason, announced);
    }
    if model.solver.criterion.is_none() {
        let sharper = |factor: f64| match Criterion::default() {
            Criterion::Motion { velocity, residual } => {
                Criterion::Motion { velocity: factor * velocity, residual: factor * residual }
            }
            other => other,
        };
        let is_bonded = !model.bonds.is_empty();
        // An inlet may bring any number of them.
        let is_fed = model.inlets.iter().any(|inlet| inlet.rate.is_some());
        let (criterion, reason) = if has_faces && grains.len() <= FEW && !is_bonded && !is_fed {
            (
                sharper(SHARPEST),
                "close to rounding error: with few blocks this is cheap, and standing blocks do not creep",
            )
        } else if has_faces {
            (
                sharper(SHARPER),
                "ten times tighter than for spheres: errors at the contact points of a face rotate the block on it",
            )
        } else {
            (Criterion::default(), "the error is small compared with the motion")
        };
        model.solver.criterion = Some(criterion);
        if let Criterion::Motion { velocity, residual } = criterion {
            let literal = format!("{{ motion = {{ velocity = {velocity:?}, residual = {residual:?} }} }}");
            choose("criterion", literal, reason, has_faces);
        }
    }
    chosen
}

/// A variant as TOML.
pub(super) fn word(gap: Option<GapVariant>) -> String {
    match gap {
        Some(GapVariant::Keep) => "\"keep\"",
        Some(GapVariant::Relax) => "\"relax\"",
        Some(GapVariant::Correct) | None => "\"correct\"",
    }
    .to_owned()
}
