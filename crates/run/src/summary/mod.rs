//! The summary of a run: `summary.json`, and the same in words.

mod words;

pub use words::describe;

use crate::stage_totals::StageTotals;
use crate::totals::Totals;
use riprap_engine::{AnyWorld, D3, Dim, Energy, Exchange, Stage, Trace, Vector, World, for_any_world};
use riprap_measure as measure;
use riprap_scene::EndCause;
use riprap_solve::Ranks;
use riprap_solve::ranks::Traffic;
use serde_json::{Value, json};

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// All stages are done.
    Completed,
    /// The user ended it, and it can go on.
    Interrupted,
    /// It could not go on.
    Failed,
}

impl Status {
    /// The word in `summary.json`.
    pub fn word(self) -> &'static str {
        match self {
            Status::Completed => "completed",
            Status::Interrupted => "interrupted",
            Status::Failed => "failed",
        }
    }
}

/// What a summary is made from, besides the world.
#[derive(Debug)]
pub struct Ending<'a> {
    /// How it ended.
    pub status: Status,
    /// Why it failed.
    pub error: Option<&'a str>,
    /// The scene's title.
    pub title: &'a str,
    /// The names of the scene's stages.
    pub stages: &'a [&'a str],
    /// The one that the run is in or ended with, from 0 on.
    pub stage: usize,
    /// Sums over the run.
    pub totals: &'a Totals,
    /// Threads used.
    pub threads: usize,
    /// Those that compute the run together.
    pub ranks: &'a Ranks,
    /// Contact problems of steps that the folder holds.
    pub problems: usize,
    /// What has come in and gone out, by opening.
    pub flows: Value,
    /// The warnings that stand at the end.
    pub warnings: &'a [String],
}

/// What an entry of the summary tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tells {
    /// What was run, and how it ended.
    Run,
    /// What it took, which depends on the settings as it should.
    Effort,
    /// How accurate it is, which sharper settings should improve.
    Accuracy,
    /// What was found out: physics, which should not depend on numerical settings.
    Result,
}

/// The content of `summary.json`. What cannot be measured is null.
pub fn summary(world: &AnyWorld, ending: &Ending) -> Value {
    for_any_world!(world, inner => of_world(inner, ending, riprap_store::state_hash(world)))
}

/// The numbers of a summary that tell something of this kind, by their keys; those inside a table by both keys with a dot
/// between them. What is null or no number is left out.
pub fn numbers(summary: &Value, tells: Tells) -> Vec<(String, f64)> {
    let mut numbers = Vec::new();
    for (key, ..) in entries::<D3>().into_iter().filter(|(_, kind, _)| *kind == tells) {
        match &summary[key] {
            Value::Object(inner) => numbers
                .extend(inner.iter().filter_map(|(inner, value)| Some((format!("{key}.{inner}"), value.as_f64()?)))),
            value => numbers.extend(value.as_f64().map(|value| (key.to_owned(), value))),
        }
    }
    numbers
}

/// What the entries are made from; what several of them need is measured once.
struct Facts<'a, D: Dim> {
    world: &'a World<D>,
    ending: &'a Ending<'a>,
    totals: &'a Totals,
    state_hash: String,
    grains: usize,
    mean_radius: f64,
    coordination: measure::Coordination,
    solid_fraction: Option<f64>,
    balance: measure::ForceBalance,
}

impl<'a, D: Dim> Facts<'a, D> {
    fn new(world: &'a World<D>, ending: &'a Ending, state_hash: String) -> Self {
        let packing = measure::Packing::of(world);
        Facts {
            world,
            ending,
            totals: ending.totals,
            state_hash,
            grains: measure::grains(world).count(),
            mean_radius: measure::mean_radius(world),
            coordination: measure::coordination(&packing, None).unwrap_or_default(),
            solid_fraction: measure::solid_fraction(&packing, None).ok(),
            balance: measure::force_balance(world),
        }
    }

    fn energy(&self) -> &Energy {
        &self.world.state.energy
    }

    fn per_radius(&self, length: f64) -> Value {
        if self.mean_radius > 0.0 { json!(length / self.mean_radius) } else { Value::Null }
    }
}

/// The summary entry by entry, in the order of the file.
fn of_world<D: Dim>(world: &World<D>, ending: &Ending, state_hash: String) -> Value {
    let facts = Facts::new(world, ending, state_hash);
    Value::Object(entries().into_iter().map(|(key, _, value)| (key.to_owned(), value(&facts))).collect())
}

/// An entry: its key, what it tells, and its value.
type Entry<D> = (&'static str, Tells, fn(&Facts<D>) -> Value);

/// All entries, in the order of the file.
fn entries<D: Dim>() -> Vec<Entry<D>> {
    [run_entries(), solver_entries(), packing_entries(), balance_entries(), time_entries(), warning_entries()].concat()
}

/// What was run, how it ended, and what it took.
fn run_entries<D: Dim>() -> Vec<Entry<D>> {
    use Tells::*;
    vec![
        ("status", Run, |facts| json!(facts.ending.status.word())),
        ("error", Run, |facts| json!(facts.ending.error)),
        ("title", Run, |facts| json!(facts.ending.title)),
        ("dimension", Run, |_| json!(D::AXES)),
        ("grains", Run, |facts| json!(facts.grains)),
        ("walls", Run, |facts| json!(facts.world.bodies.len() - facts.grains)),
        ("stage", Run, |facts| json!(facts.ending.stages[facts.ending.stage])),
        ("stage_number", Run, |facts| json!(facts.ending.stage + 1)),
        ("stages", Run, |facts| json!(facts.ending.stages.len())),
        ("steps", Effort, |facts| json!(facts.world.state.step)),
        ("time_s", Result, |facts| json!(facts.world.state.time)),
        ("shortest_step_s", Effort, |facts| json!(facts.totals.shortest_step)),
        ("longest_step_s", Effort, |facts| json!(facts.totals.longest_step)),
        ("wall_s", Effort, |facts| json!(facts.totals.wall_s)),
        ("cpu_s", Effort, |facts| json!(facts.totals.cpu_s)),
        ("peak_rss_bytes", Effort, |facts| {
            let peak = facts.totals.peak_rss_bytes;
            json!(peak.is_finite().then_some(peak as u64))
        }),
        ("threads", Run, |facts| json!(facts.ending.threads)),
        ("ranks", Run, |facts| json!(facts.ending.ranks.size())),
    ]
}

/// How the contact problems were solved.
fn solver_entries<D: Dim>() -> Vec<Entry<D>> {
    use Tells::*;
    vec![
        ("contacts", Result, |facts| json!(facts.coordination.grain_grain + facts.coordination.grain_wall)),
        ("sweeps", Effort, |facts| json!(facts.totals.all_stages().sweeps as u64)),
        ("contact_updates", Effort, |facts| json!(facts.totals.contact_updates as u64)),
        ("solver_trace", Effort, |facts| trace(&facts.totals.all_stages())),
        ("unconverged_steps", Accuracy, |facts| json!(facts.totals.unconverged.steps as u64)),
        ("softened_steps", Accuracy, |facts| json!(facts.totals.softened.steps as u64)),
        ("stiffness_N_m", Run, |facts| json!(facts.world.settings.stiffness)),
        ("kappa", Result, |facts| json!(kappa(facts.world, facts.mean_radius))),
        ("problems_written", Run, |facts| json!(facts.ending.problems)),
        ("worst_residual", Accuracy, |facts| json!(facts.totals.worst_residual)),
        ("last_residual", Accuracy, |facts| json!(facts.totals.last_residual)),
    ]
}

/// Overlaps, coordination, density.
fn packing_entries<D: Dim>() -> Vec<Entry<D>> {
    use Tells::*;
    vec![
        ("max_overlap_over_radius", Accuracy, |facts| facts.per_radius(facts.totals.last_max_overlap)),
        ("mean_overlap_over_radius", Accuracy, |facts| facts.per_radius(facts.totals.last_mean_overlap)),
        ("worst_overlap_over_radius", Accuracy, |facts| facts.per_radius(facts.totals.worst_overlap)),
        ("coordination", Result, |facts| json!(facts.coordination.mean)),
        ("coordination_without_rattlers", Result, |facts| json!(facts.coordination.without_rattlers)),
        ("rattlers", Result, |facts| json!(facts.coordination.rattlers)),
        ("solid_fraction", Result, |facts| json!(facts.solid_fraction)),
    ]
}

/// Balances of energy, momentum and forces.
fn balance_entries<D: Dim>() -> Vec<Entry<D>> {
    use Tells::*;
    vec![
        ("kinetic_energy_J", Result, |facts| json!(facts.energy().kinetic)),
        ("rotation_energy_J", Result, |facts| json!(facts.world.rotation_energy())),
        ("energy_error", Accuracy, |facts| json!(relative(facts.energy().error(), facts.energy().scale()))),
        ("worst_energy_error", Accuracy, |facts| json!(facts.totals.worst_energy_error)),
        ("momentum_error", Accuracy, |facts| json!(facts.totals.worst_momentum_error)),
        ("floor_force_over_weight", Result, |facts| {
            json!(measure::floor_force(facts.world).map(|floor| floor.force / floor.weight))
        }),
        ("unbalanced_force_over_weight", Result, |facts| mean_and_worst(facts.balance.over_weight())),
        ("unbalanced_force_over_contact_force", Result, |facts| mean_and_worst(facts.balance.over_contact_force())),
        ("max_speed_m_s", Result, |facts| json!(facts.totals.last_max_speed)),
        ("friction_over_dissipation", Result, |facts| {
            let dissipated = facts.energy().dissipated();
            json!((dissipated != 0.0).then(|| facts.energy().friction / dissipated))
        }),
        ("energy_J", Result, |facts| energies(facts.energy())),
        ("flows", Result, |facts| facts.ending.flows.clone()),
        ("exchange", Result, |facts| exchange(&facts.world.state.exchange)),
    ]
}

fn mean_and_worst(pair: Option<[f64; 2]>) -> Value {
    json!(pair.map(|[mean, worst]| json!({"mean": mean, "worst": worst})))
}

fn energies(energy: &Energy) -> Value {
    json!({
        "kinetic": energy.kinetic,
        "potential": energy.potential,
        "elastic": energy.elastic,
        "initial": energy.initial,
        "exchanged": energy.exchanged,
        "loads": energy.loads,
        "drivers": energy.drivers,
        "friction": energy.friction,
        "impact": energy.impact,
        "rolling": energy.rolling,
        "torsion": energy.torsion,
        "cohesion": energy.cohesion,
        "bridges": energy.bridges,
        "scheme": energy.scheme,
        "created": energy.created,
    })
}

/// What grains have brought in and taken away.
fn exchange<D: Dim>(exchange: &Exchange<D>) -> Value {
    json!({
        "added_number": exchange.added.bodies,
        "added_mass_kg": exchange.added.mass,
        "removed_number": exchange.removed.bodies,
        "removed_mass_kg": exchange.removed.mass,
    })
}

/// Where the time went, and by which way the solver.
fn time_entries<D: Dim>() -> Vec<Entry<D>> {
    use Tells::*;
    vec![
        ("wall_s_per_step", Effort, |facts| json!(relative(facts.totals.wall_s, facts.world.state.step as f64))),
        ("messages", Effort, |facts| messages(facts)),
        ("profile_s", Effort, |facts| profile(&facts.totals.all_stages())),
        ("stage_ends", Run, |facts| {
            facts.ending.stages.iter().zip(&facts.totals.stages).filter_map(end_of_stage).collect()
        }),
        ("profile_by_stage", Effort, |facts| {
            facts.ending.stages.iter().zip(&facts.totals.stages).map(of_stage).collect()
        }),
    ]
}

/// What the first rank has sent since it was started, and how long it was busy with messages; null where there is one rank.
fn messages<D: Dim>(facts: &Facts<D>) -> Value {
    let ranks = facts.ending.ranks;
    if ranks.is_alone() {
        return Value::Null;
    }
    let Traffic { messages, bytes, seconds } = ranks.traffic();
    json!({ "number": messages, "bytes": bytes, "seconds": seconds })
}

/// What ended a stage; none while it goes on.
fn end_of_stage((name, stage): (&&str, &StageTotals)) -> Option<Value> {
    let cause = EndCause::from_number(stage.ended_by)?;
    Some(json!({ "stage": name, "ended_by": cause.word(), "failure": cause.is_failure() }))
}

fn of_stage((name, stage): (&&str, &StageTotals)) -> Value {
    json!({
        "stage": name,
        "steps": stage.steps as u64,
        "sweeps": stage.sweeps as u64,
        "profile_s": profile(stage),
        "solver_trace": trace(stage),
    })
}

fn profile(stage: &StageTotals) -> Value {
    Stage::ALL.iter().zip(stage.profile).map(|(stage, seconds)| (stage.name(), json!(seconds))).collect()
}

fn trace(stage: &StageTotals) -> Value {
    Trace::NAMES.iter().zip(stage.trace).map(|(name, sum)| (*name, json!(sum))).collect()
}

/// What is worth a warning, and what the state is.
fn warning_entries<D: Dim>() -> Vec<Entry<D>> {
    use Tells::*;
    vec![
        ("soft_steps", Accuracy, |facts| json!(facts.totals.soft.steps as u64)),
        ("soft_stiffness_N_m", Accuracy, |facts| {
            json!(facts.totals.soft.ever().then_some(facts.totals.soft_stiffness))
        }),
        ("soft_sound_speed_m_s", Accuracy, |facts| {
            json!(facts.totals.soft.ever().then_some(facts.totals.soft_sound_speed))
        }),
        ("worst_overlap_growth_over_radius", Accuracy, |facts| json!(facts.totals.worst_growth)),
        ("overlap_growth_steps", Accuracy, |facts| json!(facts.totals.sinking.steps as u64)),
        ("jammed_compression_steps", Accuracy, |facts| json!(facts.totals.jammed.steps as u64)),
        ("clausius_duhem_violations", Accuracy, |facts| json!(facts.totals.clausius_duhem.steps as u64)),
        ("warnings", Run, |facts| json!(facts.ending.warnings)),
        ("state_hash", Run, |facts| json!(facts.state_hash)),
        ("version", Run, |_| json!(env!("CARGO_PKG_VERSION"))),
    ]
}

fn relative(part: f64, whole: f64) -> f64 {
    if whole == 0.0 { 0.0 } else { part / whole }
}

/// The dimensionless stiffness of compliant contacts, `κ = K d/f`, with the mean normal force `f` of the contacts of the last
/// step: a diameter over the mean overlap that is strain.
fn kappa<D: Dim>(world: &World<D>, radius: f64) -> Option<f64> {
    let stiffness = world.settings.stiffness?;
    let normal = world.state.contacts.iter().map(|contact| contact.impulse.dot(contact.normal));
    let carried: Vec<f64> = normal.filter(|&impulse| impulse > 0.0).collect();
    let force = carried.iter().sum::<f64>() / carried.len() as f64 / world.time_step();
    (force > 0.0).then(|| stiffness * 2.0 * radius / force)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_there_once_and_physics_is_told_from_effort() {
        let mut keys: Vec<&str> = entries::<D3>().iter().map(|(key, ..)| *key).collect();
        let count = keys.len();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), count);
        let summary = json!({
            "steps": 120, "solid_fraction": 0.6, "coordination": null, "worst_residual": 1e-3,
            "energy_J": {"friction": 2.0, "impact": 1.0}, "title": "7",
        });
        let named = |tells| numbers(&summary, tells);
        let results = [("solid_fraction", 0.6), ("energy_J.friction", 2.0), ("energy_J.impact", 1.0)];
        assert_eq!(named(Tells::Result), results.map(|(key, value)| (key.to_owned(), value)));
        assert_eq!(named(Tells::Effort), [("steps".to_owned(), 120.0)]);
        assert_eq!(named(Tells::Accuracy), [("worst_residual".to_owned(), 1e-3)]);
        assert_eq!(named(Tells::Run), []);
    }
}
