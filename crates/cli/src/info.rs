//! Says what a run folder, a snapshot or a checkpoint holds.

use crate::failure::{Exit, Failure};
use crate::screen::say;
use riprap_run::{RunFolder, describe, three_digits};
use riprap_store::{AnyState, Checkpoint, Snapshot, read_checkpoint, read_checkpoint_file, read_snapshot};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// Prints what `path` holds, in words or as JSON.
pub fn info(path: &Path, as_json: bool) -> Result<(), Failure> {
    if !path.exists() {
        return Err(Failure::new(Exit::Unreadable, format!("{} does not exist", path.display())));
    }
    let facts = if path.is_dir() {
        if path.join("log.txt").is_file() { run_facts(path)? } else { newest_checkpoint(path)?.0 }
    } else if path.extension().is_some_and(|ending| ending == "riprap") {
        checkpoint_facts(&read_checkpoint_file(path).map_err(unreadable)?)
    } else {
        snapshot_facts(&read_snapshot(path).map_err(unreadable)?)
    };
    if as_json {
        say(format_args!("{facts:#}"));
    } else {
        say(format_args!("{}: {}", path.display(), words(&facts)));
    }
    Ok(())
}

/// What there is to know about a run.
fn run_facts(path: &Path) -> Result<Value, Failure> {
    let folder = RunFolder::existing(path)?;
    let summary: Value = match fs::read_to_string(folder.summary()) {
        Ok(text) => serde_json::from_str(&text)
            .map_err(|error| Failure::new(Exit::Unreadable, format!("{}: {error}", folder.summary().display())))?,
        Err(_) => Value::Null,
    };
    let (checkpoint, damaged) = match newest_checkpoint(&folder.checkpoints()) {
        Ok((checkpoint, damaged)) => (checkpoint, damaged),
        Err(failure) => (Value::Null, vec![failure.message]),
    };
    let snapshots = folder.listed_snapshots().map_or(0, |listed| listed.len());
    Ok(json!({
        "kind": "run",
        "summary": summary,
        "checkpoint": checkpoint,
        "damaged_checkpoints": damaged,
        "snapshots": snapshots,
    }))
}

/// The newest good checkpoint in a folder, and what is wrong with newer ones.
fn newest_checkpoint(folder: &Path) -> Result<(Value, Vec<String>), Failure> {
    let (checkpoint, damaged) = read_checkpoint(folder).map_err(unreadable)?;
    Ok((checkpoint_facts(&checkpoint), damaged))
}

fn checkpoint_facts(checkpoint: &Checkpoint) -> Value {
    let (dimension, bodies, contacts) = match &checkpoint.state {
        AnyState::D2(state) => (2, state.position.len(), state.contacts.len()),
        AnyState::D3(state) => (3, state.position.len(), state.contacts.len()),
    };
    json!({
        "kind": "checkpoint",
        "dimension": dimension,
        "step": checkpoint.state.step(),
        "time_s": checkpoint.state.time(),
        "stages_done": checkpoint.stage,
        "grains": checkpoint.grains.len(),
        "walls": bodies.saturating_sub(checkpoint.grains.len()),
        "candidates": contacts,
        "counters": checkpoint.counters.iter().cloned().map(|(name, value)| (name, json!(value)))
            .collect::<serde_json::Map<_, _>>(),
    })
}

fn snapshot_facts(snapshot: &Snapshot) -> Value {
    let extent = |values: &[f64]| {
        let (low, high) =
            values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &v| (low.min(v), high.max(v)));
        json!([low, high])
    };
    let along = |axis: usize| snapshot.grains.position.iter().map(|p| p[axis]).collect::<Vec<_>>();
    json!({
        "kind": "snapshot",
        "dimension": snapshot.dimension,
        "step": snapshot.step,
        "time_s": snapshot.time,
        "time_step_s": snapshot.time_step,
        "grains": snapshot.grains.len(),
        "contacts": snapshot.contacts.len(),
        "walls": snapshot.walls.iter().map(|wall| wall.name.as_str()).collect::<Vec<_>>(),
        "materials": snapshot.materials,
        "groups": snapshot.groups,
        "radius_m": extent(&snapshot.grains.radius),
        "centres_m": (0..snapshot.dimension).map(|axis| extent(&along(axis))).collect::<Vec<_>>(),
        "period_m": snapshot.cell.period,
        "cell_origin_m": snapshot.cell.origin,
        "cell_shift_m": snapshot.cell.tilt,
    })
}

/// The facts as people read them.
fn words(facts: &Value) -> String {
    let whole = |key: &str| facts[key].as_u64().unwrap_or(0);
    let digits = |value: &Value| value.as_f64().map_or("unknown".into(), three_digits);
    let list = |key: &str| {
        let names: Vec<&str> = facts[key].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        if names.is_empty() { "none".to_string() } else { names.join(", ") }
    };
    match facts["kind"].as_str() {
        Some("run") => {
            let summary = &facts["summary"];
            let at = &facts["checkpoint"];
            let mut text = match summary["status"].as_str() {
                Some(status) => format!("{status} run\n{}", describe(summary)),
                None => "run in progress, or killed: there is no summary yet".to_string(),
            };
            if let Some(error) = summary["error"].as_str() {
                text += &format!("\n  error: {error}");
            }
            if at.is_object() {
                text += &format!("\n  {:<16}step {}, {} s", "checkpoint", at["step"], digits(&at["time_s"]));
            }
            for damage in facts["damaged_checkpoints"].as_array().into_iter().flatten().filter_map(Value::as_str) {
                text += &format!("\n  warning: {damage}");
            }
            text + &format!("\n  {:<16}{}", "snapshots", whole("snapshots"))
        }
        Some("checkpoint") => format!(
            "checkpoint at step {}, {} s, after {} completed stages, with {} grains and {} walls in {}D",
            whole("step"),
            digits(&facts["time_s"]),
            whole("stages_done"),
            whole("grains"),
            whole("walls"),
            whole("dimension")
        ),
        _ => {
            format!(
                "snapshot at step {}, {} s, with {} grains in {}D\n  {:<16}{}\n  {:<16}{} to {} m\n  {:<16}{}\n  {:<16}{}",
                whole("step"),
                digits(&facts["time_s"]),
                whole("grains"),
                whole("dimension"),
                "contacts",
                whole("contacts"),
                "radii",
                digits(&facts["radius_m"][0]),
                digits(&facts["radius_m"][1]),
                "walls",
                list("walls"),
                "materials",
                list("materials"),
            ) + &cell_in_words(facts)
        }
    }
}

/// The periodic cell of a snapshot, if it has one, as a scene would have it.
fn cell_in_words(facts: &Value) -> String {
    let of = |key: &str, axis: usize| facts[key][axis].as_f64().unwrap_or(0.0);
    let periodic = (0..3).filter(|&axis| of("period_m", axis) > 0.0);
    let mut parts: Vec<String> =
        periodic.map(|axis| format!("{} = {:?}", ["x", "y", "z"][axis], of("period_m", axis))).collect();
    if parts.is_empty() {
        return String::new();
    }
    let shift = facts["cell_shift_m"].as_f64().unwrap_or(0.0);
    if shift != 0.0 {
        parts.push(format!("shift = {shift:?}"));
    }
    let origin: Vec<String> =
        (0..whole_of(facts, "dimension")).map(|axis| format!("{:?}", of("cell_origin_m", axis))).collect();
    format!("\n  {:<16}periodic = {{ {} }}, origin = [{}] (m)", "cell", parts.join(", "), origin.join(", "))
}

fn whole_of(facts: &Value, key: &str) -> usize {
    facts[key].as_u64().unwrap_or(0) as usize
}

fn unreadable(error: riprap_store::StoreError) -> Failure {
    Failure::new(Exit::Unreadable, error.to_string())
}
