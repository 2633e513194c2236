//! The summary of a run: `summary.json`, and the same in words.

use crate::progress::{duration, three_digits};
use crate::totals::Totals;
use riprap_engine::{AnyWorld, Dim, Stage, Vector, World, for_any_world};
use riprap_measure as measure;
use serde_json::{Map, Value, json};

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
    /// The stage that the run is in or ended with, its number from 1, and the number of stages.
    pub stage: (&'a str, usize, usize),
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

fn of_world<D: Dim>(world: &World<D>, ending: &Ending, state_hash: String) -> Value {
    let totals = ending.totals;
    let state = &world.state;
    let radius = measure::mean_radius(world);
    let packing = measure::Packing::of(world);
    let coordination = measure::coordination(&packing, None).unwrap_or_default();
    let balance = measure::force_balance(world);
    let floor = measure::floor_force(world);
    let energy = &state.energy;
    let steps = state.step;
    let per_radius = |length: f64| if radius > 0.0 { json!(length / radius) } else { Value::Null };
    let mean_and_worst = |pair: Option<[f64; 2]>| pair.map(|[mean, worst]| json!({"mean": mean, "worst": worst}));
    let profile: Map<String, Value> = Stage::ALL
        .iter()
        .zip(totals.profile)
        .map(|(stage, seconds)| (stage.name().to_string(), json!(seconds)))
        .collect();
    let (stage, number, stages) = ending.stage;
    let energies = json!({
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
    });
    let peak = totals.peak_rss_bytes;
    let entries = [
        ("status", json!(ending.status.word())),
        ("error", json!(ending.error)),
        ("title", json!(ending.title)),
        ("dimension", json!(D::AXES)),
        ("grains", json!(measure::grains(world).count())),
        ("walls", json!(world.bodies.len() - measure::grains(world).count())),
        ("stage", json!(stage)),
        ("stage_number", json!(number)),
        ("stages", json!(stages)),
        ("steps", json!(steps)),
        ("time_s", json!(state.time)),
        ("wall_s", json!(totals.wall_s)),
        ("cpu_s", json!(totals.cpu_s)),
        ("peak_rss_bytes", json!(peak.is_finite().then_some(peak as u64))),
        ("threads", json!(ending.threads)),
        ("contacts", json!(coordination.grain_grain + coordination.grain_wall)),
        ("sweeps", json!(totals.sweeps as u64)),
        ("contact_updates", json!(totals.contact_updates as u64)),
        ("unconverged_steps", json!(totals.unconverged.steps as u64)),
        ("softened_steps", json!(totals.softened.steps as u64)),
        ("stiffness_N_m", json!(world.settings.stiffness)),
        ("kappa", json!(kappa(world, radius))),
        ("problems_written", json!(ending.problems)),
        ("worst_residual", json!(totals.worst_residual)),
        ("last_residual", json!(totals.last_residual)),
        ("max_overlap_over_radius", per_radius(totals.last_max_overlap)),
        ("mean_overlap_over_radius", per_radius(totals.last_mean_overlap)),
        ("worst_overlap_over_radius", per_radius(totals.worst_overlap)),
        ("coordination", json!(coordination.mean)),
        ("coordination_without_rattlers", json!(coordination.without_rattlers)),
        ("rattlers", json!(coordination.rattlers)),
        ("solid_fraction", json!(measure::solid_fraction(&packing, None).ok())),
        ("kinetic_energy_J", json!(energy.kinetic)),
        ("rotation_energy_J", json!(world.rotation_energy())),
        ("energy_error", json!(relative(energy.error(), energy.scale()))),
        ("worst_energy_error", json!(totals.worst_energy_error)),
        ("momentum_error", json!(totals.worst_momentum_error)),
        ("floor_force_over_weight", json!(floor.map(|floor| floor.force / floor.weight))),
        ("unbalanced_force_over_weight", json!(mean_and_worst(balance.over_weight()))),
        ("unbalanced_force_over_contact_force", json!(mean_and_worst(balance.over_contact_force()))),
        ("max_speed_m_s", json!(totals.last_max_speed)),
        ("energy_J", energies),
        ("soft_steps", json!(totals.soft.steps as u64)),
        ("soft_stiffness_N_m", json!(totals.soft.ever().then_some(totals.soft_stiffness))),
        ("soft_sound_speed_m_s", json!(totals.soft.ever().then_some(totals.soft_sound_speed))),
        ("jammed_compression_steps", json!(totals.jammed.steps as u64)),
        ("clausius_duhem_violations", json!(totals.clausius_duhem.steps as u64)),
        ("wall_s_per_step", json!(relative(totals.wall_s, steps as f64))),
        ("profile_s", json!(profile)),
        ("warnings", json!(totals.warnings(steps))),
        ("state_hash", json!(state_hash)),
        ("version", json!(env!("CARGO_PKG_VERSION"))),
    ];
    Value::Object(entries.into_iter().map(|(key, value)| (key.to_string(), value)).collect())
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

/// The summary in words, from the content of `summary.json`.
pub fn describe(summary: &Value) -> String {
    let number = |key: &str| summary[key].as_f64();
    let digits = |key: &str| number(key).map_or("unknown".to_string(), three_digits);
    let whole = |key: &str| summary[key].as_u64().unwrap_or(0);
    let mut lines = Vec::new();
    let mut line = |name: &str, text: String| lines.push(format!("  {name:<16}{text}"));

    line(
        "simulated",
        format!(
            "{} s in {} steps, {} grains and {} walls in {}D",
            digits("time_s"),
            whole("steps"),
            whole("grains"),
            whole("walls"),
            whole("dimension")
        ),
    );
    let mut cost = duration(number("wall_s").unwrap_or(0.0));
    if let Some(cpu) = number("cpu_s") {
        cost += &format!(", {} of CPU time", duration(cpu));
    }
    cost += &format!(" on {} thread{}", whole("threads"), if whole("threads") == 1 { "" } else { "s" });
    if let Some(bytes) = number("peak_rss_bytes") {
        cost += &format!(", {} MiB of memory", three_digits(bytes / 1_048_576.0));
    }
    line("computed in", cost);
    line(
        "contacts",
        format!(
            "{}, coordination {} ({} without {} rattlers)",
            whole("contacts"),
            digits("coordination"),
            digits("coordination_without_rattlers"),
            whole("rattlers")
        ),
    );
    if let Some(fraction) = number("solid_fraction") {
        line("solid fraction", format!("{fraction:.3}"));
    }
    line(
        "overlaps",
        format!(
            "mean {}, worst {} of the mean radius",
            digits("mean_overlap_over_radius"),
            digits("max_overlap_over_radius")
        ),
    );
    line(
        "solver",
        format!(
            "{} sweeps, {} contact updates, worst residual {}, {} steps not converged",
            whole("sweeps"),
            digits("contact_updates"),
            digits("worst_residual"),
            whole("unconverged_steps")
        ),
    );
    if let (Some(stiffness), Some(kappa)) = (number("stiffness_N_m"), number("kappa")) {
        line(
            "stiffness",
            format!(
                "{} N/m, κ = {} by the mean contact force, {} steps solved softer",
                three_digits(stiffness),
                three_digits(kappa),
                whole("softened_steps")
            ),
        );
    }
    line(
        "energy",
        format!(
            "kinetic {} J; balance holds to {}, momentum to {}",
            digits("kinetic_energy_J"),
            number("energy_error").map_or("unknown".into(), |error| three_digits(error.abs())),
            digits("momentum_error")
        ),
    );
    if let Some(ratio) = number("floor_force_over_weight") {
        line("floor force", format!("{ratio:.4} of the grains' weight"));
    }
    let unbalanced = &summary["unbalanced_force_over_weight"];
    if let (Some(mean), Some(worst)) = (unbalanced["mean"].as_f64(), unbalanced["worst"].as_f64()) {
        line("forces balance", format!("to {} of a grain's weight, worst {}", three_digits(mean), three_digits(worst)));
    }
    if whole("problems_written") > 0 {
        let count = whole("problems_written");
        line("problems", format!("{count} contact problem{} of steps in problems/", if count == 1 { "" } else { "s" }));
    }
    if let Some(profile) = profile(&summary["profile_s"]) {
        line("time went to", profile);
    }
    line("state hash", summary["state_hash"].as_str().unwrap_or("unknown").to_string());
    for warning in summary["warnings"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        lines.push(format!("  warning: {warning}"));
    }
    lines.join("\n")
}

/// The stages of the step that took at least a hundredth of the time, the longest first.
fn profile(seconds: &Value) -> Option<String> {
    let mut stages: Vec<(&str, f64)> =
        seconds.as_object()?.iter().filter_map(|(name, s)| Some((name.as_str(), s.as_f64()?))).collect();
    let total: f64 = stages.iter().map(|(_, s)| s).sum();
    stages.retain(|(_, s)| *s >= 0.01 * total && *s > 0.0);
    stages.sort_by(|a, b| b.1.total_cmp(&a.1));
    (!stages.is_empty()).then(|| {
        stages.iter().map(|(name, s)| format!("{name} {:.0} %", 100.0 * s / total)).collect::<Vec<_>>().join(", ")
    })
}
