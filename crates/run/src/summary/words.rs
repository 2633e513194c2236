//! The summary in words.

use crate::words::{counted, duration, three_digits};
use serde_json::Value;

/// The summary in words, from the content of `summary.json`.
pub fn describe(summary: &Value) -> String {
    let summary = Summary(summary);
    let lines = [
        ("simulated", Some(simulated(summary))),
        ("computed in", Some(cost(summary))),
        ("contacts", Some(contacts(summary))),
        ("solid fraction", summary.number("solid_fraction").map(|fraction| format!("{fraction:.3}"))),
        ("overlaps", Some(overlaps(summary))),
        ("solver", Some(solver(summary))),
        ("solver's way", way(&summary.0["solver_trace"])),
        ("stiffness", stiffness(summary)),
        ("energy", Some(energy(summary))),
        ("floor force", floor_force(summary)),
        ("unbalanced", force_balance(summary)),
        ("problems", problems(summary)),
        ("time spent on", profile(&summary.0["profile_s"])),
    ];
    let stages = long_stages(summary).into_iter().map(|words| ("", Some(words)));
    let hash = ("state hash", Some(summary.0["state_hash"].as_str().unwrap_or("unknown").to_string()));
    let lines = lines.into_iter().chain(stages).chain([hash]);
    let lines = lines.into_iter().filter_map(|(name, text)| Some(format!("  {name:<16}{}", text?)));
    let warnings = summary.0["warnings"].as_array().into_iter().flatten().filter_map(Value::as_str);
    lines.chain(warnings.map(|warning| format!("  warning: {warning}"))).collect::<Vec<_>>().join("\n")
}

/// A summary whose entries are asked for by key.
#[derive(Clone, Copy)]
struct Summary<'a>(&'a Value);

impl Summary<'_> {
    fn number(self, key: &str) -> Option<f64> {
        self.0[key].as_f64()
    }

    fn digits(self, key: &str) -> String {
        self.number(key).map_or("unknown".to_string(), three_digits)
    }

    fn whole(self, key: &str) -> u64 {
        self.0[key].as_u64().unwrap_or(0)
    }
}

fn simulated(summary: Summary) -> String {
    format!(
        "{} s in {}{}, {} and {} in {}D",
        summary.digits("time_s"),
        counted(summary.whole("steps"), "step"),
        step_lengths(summary),
        counted(summary.whole("grains"), "grain"),
        counted(summary.whole("walls"), "wall"),
        summary.whole("dimension")
    )
}

/// How long the steps were.
fn step_lengths(summary: Summary) -> String {
    let [shortest, longest] = ["shortest_step_s", "longest_step_s"].map(|key| summary.digits(key));
    if shortest == longest { format!(" of {longest} s") } else { format!(" of {shortest} to {longest} s") }
}

fn cost(summary: Summary) -> String {
    let mut cost = duration(summary.number("wall_s").unwrap_or(0.0));
    if let Some(cpu) = summary.number("cpu_s") {
        cost += &format!(", {} of CPU time", duration(cpu));
    }
    cost += &format!(" on {}", counted(summary.whole("threads"), "thread"));
    if let Some(bytes) = summary.number("peak_rss_bytes") {
        cost += &format!(", {} MiB of memory", three_digits(bytes / 1_048_576.0));
    }
    cost
}

fn contacts(summary: Summary) -> String {
    format!(
        "{}, coordination {} ({} without {})",
        summary.whole("contacts"),
        summary.digits("coordination"),
        summary.digits("coordination_without_rattlers"),
        counted(summary.whole("rattlers"), "rattler")
    )
}

fn overlaps(summary: Summary) -> String {
    format!(
        "mean {}, worst {} of the mean radius",
        summary.digits("mean_overlap_over_radius"),
        summary.digits("max_overlap_over_radius")
    )
}

fn solver(summary: Summary) -> String {
    format!(
        "{}, {} contact updates, worst residual {}, {}",
        counted(summary.whole("sweeps"), "sweep"),
        summary.digits("contact_updates"),
        summary.digits("worst_residual"),
        counted(summary.whole("unconverged_steps"), "unconverged step")
    )
}

/// What the solver did, as far as it did it.
fn way(trace: &Value) -> Option<String> {
    let words = [
        ("plain_sweeps", "plain sweeps"),
        ("momentum_iterations", "iterations with momentum"),
        ("unbound_iterations", "with unbounded momentum"),
        ("round_iterations", "in rounds"),
        ("restarts", "restarts"),
    ];
    let counts = words.iter().filter_map(|(key, words)| Some((trace[*key].as_f64().filter(|&n| n > 0.0)?, words)));
    let parts: Vec<String> = counts.map(|(count, words)| format!("{count} {words}")).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn stiffness(summary: Summary) -> Option<String> {
    Some(format!(
        "{} N/m, κ = {} from the mean contact force, {} softened steps",
        three_digits(summary.number("stiffness_N_m")?),
        three_digits(summary.number("kappa")?),
        summary.whole("softened_steps")
    ))
}

fn energy(summary: Summary) -> String {
    format!(
        "kinetic {} J; balance error {}, momentum {}",
        summary.digits("kinetic_energy_J"),
        summary.number("energy_error").map_or("unknown".into(), |error| three_digits(error.abs())),
        summary.digits("momentum_error")
    )
}

fn floor_force(summary: Summary) -> Option<String> {
    Some(format!("{:.4} of the weight of the grains", summary.number("floor_force_over_weight")?))
}

fn force_balance(summary: Summary) -> Option<String> {
    let unbalanced = &summary.0["unbalanced_force_over_weight"];
    let (mean, worst) = (unbalanced["mean"].as_f64()?, unbalanced["worst"].as_f64()?);
    Some(format!("mean force {}, worst {} of the weight of a grain", three_digits(mean), three_digits(worst)))
}

fn problems(summary: Summary) -> Option<String> {
    let count = summary.whole("problems_written");
    (count > 0).then(|| format!("{} in problems/", counted(count, "contact problem")))
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

/// The stages of the scene that took at least a tenth of the time, where there are several: what of it, and the way of the
/// solver.
fn long_stages(summary: Summary) -> Vec<String> {
    let stages = summary.0["profile_by_stage"].as_array().map_or(&[][..], Vec::as_slice);
    let seconds = |stage: &Value| {
        stage["profile_s"].as_object().map_or(0.0, |of| of.values().filter_map(Value::as_f64).sum::<f64>())
    };
    let total: f64 = stages.iter().map(seconds).sum();
    let is_long = |stage: &&Value| stages.len() > 1 && total > 0.0 && seconds(stage) >= 0.1 * total;
    let describe = |stage: &Value| {
        let share = 100.0 * seconds(stage) / total;
        let way = way(&stage["solver_trace"]).map_or(String::new(), |way| format!("; {way}"));
        format!("{share:.0} % in stage {}{way}", stage["stage"].as_str().unwrap_or("unknown"))
    };
    stages.iter().filter(is_long).map(describe).collect()
}
