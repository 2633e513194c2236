//! The summary of a run: `summary.json`, and the same in words.

mod words;

pub use words::describe;

use crate::stage_totals::StageTotals;
use crate::totals::Totals;
use riprap_engine::{AnyWorld, Dim, Energy, Stage, Trace, Vector, World, for_any_world};
use riprap_measure as measure;
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
    /// Contact problems of steps that the folder holds.
    pub problems: usize,
}

/// The content of `summary.json`. What cannot be measured is null.
pub fn summary(world: &AnyWorld, ending: &Ending) -> Value {
    for_any_world!(world, inner => of_world(inner, ending, riprap_store::state_hash(world)))
}

/// The summary entry by entry, in the order of the file.
fn of_world<D: Dim>(world: &World<D>, ending: &Ending, state_hash: String) -> Value {
    let packing = Packing::new(world);
    let mut entries = run_entries(world, ending);
    entries.extend(solver_entries(world, ending, &packing));
    entries.extend(packing_entries(ending.totals, &packing));
    entries.extend(balance_entries(world, ending.totals));
    entries.extend(time_entries(ending, world.state.step));
    entries.extend(warning_entries(ending.totals, world.state.step));
    entries.push(("state_hash", json!(state_hash)));
    entries.push(("version", json!(env!("CARGO_PKG_VERSION"))));
    Value::Object(entries.into_iter().map(|(key, value)| (key.to_string(), value)).collect())
}

type Entries = Vec<(&'static str, Value)>;

/// What is measured of the packing once, for several entries.
struct Packing {
    mean_radius: f64,
    coordination: measure::Coordination,
    solid_fraction: Option<f64>,
}

impl Packing {
    fn new<D: Dim>(world: &World<D>) -> Self {
        let packing = measure::Packing::of(world);
        Packing {
            mean_radius: measure::mean_radius(world),
            coordination: measure::coordination(&packing, None).unwrap_or_default(),
            solid_fraction: measure::solid_fraction(&packing, None).ok(),
        }
    }

    fn per_radius(&self, length: f64) -> Value {
        if self.mean_radius > 0.0 { json!(length / self.mean_radius) } else { Value::Null }
    }
}

/// What was run, how it ended, and what it took.
fn run_entries<D: Dim>(world: &World<D>, ending: &Ending) -> Entries {
    let Ending { totals, stages, stage, .. } = *ending;
    let peak = totals.peak_rss_bytes;
    let grains = measure::grains(world).count();
    vec![
        ("status", json!(ending.status.word())),
        ("error", json!(ending.error)),
        ("title", json!(ending.title)),
        ("dimension", json!(D::AXES)),
        ("grains", json!(grains)),
        ("walls", json!(world.bodies.len() - grains)),
        ("stage", json!(stages[stage])),
        ("stage_number", json!(stage + 1)),
        ("stages", json!(stages.len())),
        ("steps", json!(world.state.step)),
        ("time_s", json!(world.state.time)),
        ("wall_s", json!(totals.wall_s)),
        ("cpu_s", json!(totals.cpu_s)),
        ("peak_rss_bytes", json!(peak.is_finite().then_some(peak as u64))),
        ("threads", json!(ending.threads)),
    ]
}

/// How the contact problems were solved.
fn solver_entries<D: Dim>(world: &World<D>, ending: &Ending, packing: &Packing) -> Entries {
    let totals = ending.totals;
    let all = totals.all_stages();
    vec![
        ("contacts", json!(packing.coordination.grain_grain + packing.coordination.grain_wall)),
        ("sweeps", json!(all.sweeps as u64)),
        ("contact_updates", json!(totals.contact_updates as u64)),
        ("solver_trace", trace(&all)),
        ("unconverged_steps", json!(totals.unconverged.steps as u64)),
        ("softened_steps", json!(totals.softened.steps as u64)),
        ("stiffness_N_m", json!(world.settings.stiffness)),
        ("kappa", json!(kappa(world, packing.mean_radius))),
        ("problems_written", json!(ending.problems)),
        ("worst_residual", json!(totals.worst_residual)),
        ("last_residual", json!(totals.last_residual)),
    ]
}

/// Overlaps, coordination, density.
fn packing_entries(totals: &Totals, packing: &Packing) -> Entries {
    vec![
        ("max_overlap_over_radius", packing.per_radius(totals.last_max_overlap)),
        ("mean_overlap_over_radius", packing.per_radius(totals.last_mean_overlap)),
        ("worst_overlap_over_radius", packing.per_radius(totals.worst_overlap)),
        ("coordination", json!(packing.coordination.mean)),
        ("coordination_without_rattlers", json!(packing.coordination.without_rattlers)),
        ("rattlers", json!(packing.coordination.rattlers)),
        ("solid_fraction", json!(packing.solid_fraction)),
    ]
}

/// Balances of energy, momentum and forces.
fn balance_entries<D: Dim>(world: &World<D>, totals: &Totals) -> Entries {
    let energy = &world.state.energy;
    let balance = measure::force_balance(world);
    let floor = measure::floor_force(world);
    let mean_and_worst = |pair: Option<[f64; 2]>| pair.map(|[mean, worst]| json!({"mean": mean, "worst": worst}));
    vec![
        ("kinetic_energy_J", json!(energy.kinetic)),
        ("rotation_energy_J", json!(world.rotation_energy())),
        ("energy_error", json!(relative(energy.error(), energy.scale()))),
        ("worst_energy_error", json!(totals.worst_energy_error)),
        ("momentum_error", json!(totals.worst_momentum_error)),
        ("floor_force_over_weight", json!(floor.map(|floor| floor.force / floor.weight))),
        ("unbalanced_force_over_weight", json!(mean_and_worst(balance.over_weight()))),
        ("unbalanced_force_over_contact_force", json!(mean_and_worst(balance.over_contact_force()))),
        ("max_speed_m_s", json!(totals.last_max_speed)),
        ("energy_J", energies(energy)),
    ]
}

fn energies(energy: &Energy) -> Value {
    json!({
        "kinetic": energy.kinetic,
        "potential": energy.potential,
        "elastic": energy.elastic,
        "initial": energy.initial,
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

/// Where the time went, and by which way the solver.
fn time_entries(ending: &Ending, steps: u64) -> Entries {
    let totals = ending.totals;
    let of_stage = |(name, stage): (&&str, &StageTotals)| {
        json!({
            "stage": name,
            "steps": stage.steps as u64,
            "sweeps": stage.sweeps as u64,
            "profile_s": profile(stage),
            "solver_trace": trace(stage),
        })
    };
    vec![
        ("wall_s_per_step", json!(relative(totals.wall_s, steps as f64))),
        ("profile_s", profile(&totals.all_stages())),
        ("profile_by_stage", ending.stages.iter().zip(&totals.stages).map(of_stage).collect()),
    ]
}

fn profile(stage: &StageTotals) -> Value {
    Stage::ALL.iter().zip(stage.profile).map(|(stage, seconds)| (stage.name(), json!(seconds))).collect()
}

fn trace(stage: &StageTotals) -> Value {
    Trace::NAMES.iter().zip(stage.trace).map(|(name, sum)| (*name, json!(sum))).collect()
}

/// What is worth a warning.
fn warning_entries(totals: &Totals, steps: u64) -> Entries {
    vec![
        ("soft_steps", json!(totals.soft.steps as u64)),
        ("soft_stiffness_N_m", json!(totals.soft.ever().then_some(totals.soft_stiffness))),
        ("soft_sound_speed_m_s", json!(totals.soft.ever().then_some(totals.soft_sound_speed))),
        ("jammed_compression_steps", json!(totals.jammed.steps as u64)),
        ("clausius_duhem_violations", json!(totals.clausius_duhem.steps as u64)),
        ("warnings", json!(totals.warnings(steps))),
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
    let force = carried.iter().sum::<f64>() / carried.len() as f64 / world.settings.time_step;
    (force > 0.0).then(|| stiffness * 2.0 * radius / force)
}
