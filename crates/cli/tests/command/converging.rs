//! `riprap converge`.

use crate::{Ended, Place};
use serde_json::Value;
use std::fs;

/// A ball that falls and touches nothing: under implicit Euler it is too low by half of g t δt, whatever the step.
const BALL: &str = r#"
title = "a ball falls"
dimension = 3
[domain]
gravity = "10 m/s2"
[materials.glass]
density = "2500 kg/m3"
friction = 0.5
[[walls]]
name = "floor"
shape = "plane"
point = [0, 0, 0]
normal = [0, 0, 1]
[[grains]]
sample = "list"
positions = [[0, 0, "2 m"]]
radius = "1 mm"
[solver]
time_step = "8 ms"
[[stages]]
name = "fall"
end = { time = "0.4 s" }
[outputs]
snapshot_interval = "0.1 s"
snapshot_formats = ["csv"]
checkpoint_interval = 1e9
"#;

impl Place {
    /// A place with the ball in it.
    fn with_ball() -> Self {
        let place = Place::new();
        fs::write(place.join("ball.toml"), BALL).unwrap();
        place
    }

    fn converge(&self, arguments: &[&str]) -> Ended {
        self.riprap(&[&["converge", "--out", "c", "--plots", "none", "--threads", "1"], arguments].concat())
    }

    fn report(&self) -> Value {
        serde_json::from_str(&self.read("c/converge.json")).unwrap()
    }
}

/// A result of a report by its name.
#[track_caller]
fn result<'a>(report: &'a Value, name: &str) -> &'a Value {
    let results = report["results"].as_array().unwrap();
    results.iter().find(|result| result["name"] == name).unwrap_or_else(|| panic!("no {name} in {report:#}"))
}

#[test]
fn a_falling_ball_is_of_first_order_and_its_limit_is_the_closed_form() {
    let place = Place::with_ball();
    let ended = place.converge(&["ball.toml", "--plots", "svg"]).with(0);
    assert!(ended.err.contains("a ball falls: 4 settings × 1 seed = 4 runs in c, 1 at a time"), "{}", ended.err);
    assert!(ended.err.contains("the scene uses no random numbers"), "{}", ended.err);
    assert!(ended.err.contains("for all others"), "{}", ended.err);
    let report = place.report();
    let fallen = result(&report, "energy_J.potential");
    // The ball is at 2 m − g t (t + δt)/2 after the time t.
    let (gravity, time) = (10.0, 0.4);
    let weight = gravity * 2500.0 * 4.0 / 3.0 * std::f64::consts::PI * 1e-9;
    let height = |step: f64| 2.0 - 0.5 * gravity * time * (time + step);
    let number = |value: &Value| value.as_f64().unwrap();
    let close = |value: &Value, expected: f64| (number(value) / expected - 1.0).abs() < 1e-9;
    assert!(close(&fallen["at_the_settings"]["value"], weight * height(8e-3)), "{fallen:#}");
    let limit = &fallen["step"]["limit"];
    assert_eq!(limit["order"], 1.0, "{fallen:#}");
    assert!(close(&limit["value"]["value"], weight * height(0.0)), "{fallen:#}");
    assert!(close(&limit["bias"]["value"], weight * (height(8e-3) - height(0.0))), "{fallen:#}");
    assert!(number(&limit["value"]["standard_error"]) < 1e-9 * weight, "{fallen:#}");
    let changes: Vec<f64> =
        fallen["step"]["changes"].as_array().unwrap().iter().map(|change| number(&change["change"]["value"])).collect();
    assert!((changes[2] / changes[1] - 1.5).abs() < 1e-9, "{changes:?}");
    let percent = 100.0 * (height(2e-3) - height(8e-3)) / height(8e-3);
    assert_eq!(fallen["verdict"], format!("depends on the time step by {percent:+.3} %"));
    // Nothing touches, so the tolerance makes no difference, and the speed of a free fall is exact.
    assert_eq!(fallen["tolerance"]["verdict"], "resolved");
    assert_eq!(result(&report, "max_speed_m_s")["verdict"], "resolved");
    assert_eq!(result(&report, "time_s")["verdict"], "resolved");
    // Steps and sweeps are no physics.
    assert!(report["results"].as_array().unwrap().iter().all(|result| result["name"] != "steps"));
    assert_eq!(report["effort"]["steps"], serde_json::json!([[50.0], [100.0], [200.0], [50.0]]));
    assert!(ended.out.contains("| energy_J.potential"), "{}", ended.out);
    assert_eq!(format!("{}\n", ended.out.split("\nwrote ").next().unwrap()), place.read("c/converge.md"));
    assert!(place.read("c/plots/energy_J.potential.svg").contains("order 1"));
    assert!(place.read("c/converge.csv").contains("steps,0.25,1,1,200\n"), "{}", place.read("c/converge.csv"));

    // An order that is wrong is refused.
    let ended = place.converge(&["ball.toml", "--order", "2", "--json"]).with(0);
    let report: Value = serde_json::from_str(&ended.out).unwrap();
    assert_eq!(result(&report, "energy_J.potential")["step"]["limit"]["none"], "order 2 does not fit");
    assert!(ended.err.contains("4 of them are complete already"), "{}", ended.err);
}

#[test]
fn seeds_are_paired_and_more_of_them_take_up_the_runs_that_are_there() {
    let place = Place::new();
    let ladder = ["scene.toml", "--steps", "1,1/2", "--measure", "coordination,stress"];
    let one = place.converge(&[&ladder[..], &["--seeds", "1"]].concat()).with(0);
    assert!(one.out.contains("time step not resolved by 1 seed"), "{}", one.out);
    let written = |run: &str| fs::metadata(place.join(&format!("c/{run}/summary.json"))).unwrap().modified().unwrap();
    let before = written("step-1-over-2-seed-1");
    place.converge(&[&ladder[..], &["--seeds", "3", "--jobs", "2"]].concat()).with(0);
    assert_eq!(written("step-1-over-2-seed-1"), before);
    let report = place.report();
    assert_eq!(report["seeds"], serde_json::json!([1, 2, 3]));
    let coordination = result(&report, "coordination.coordination");
    assert_eq!(coordination["values"], result(&report, "coordination")["values"]);
    // The change is the mean of the differences of pairs, with their standard error.
    let values: Vec<Vec<f64>> = serde_json::from_value(result(&report, "energy_J.friction")["values"].clone()).unwrap();
    let pairs: Vec<f64> = (0..3).map(|seed| values[1][seed] - values[0][seed]).collect();
    let mean = pairs.iter().sum::<f64>() / 3.0;
    let error = (pairs.iter().map(|pair| (pair - mean).powi(2)).sum::<f64>() / 6.0).sqrt();
    let change = &result(&report, "energy_J.friction")["step"]["changes"][1]["change"];
    assert!((change["value"].as_f64().unwrap() - mean).abs() <= 1e-12 * mean.abs(), "{change}");
    assert!((change["standard_error"].as_f64().unwrap() - error).abs() <= 1e-12 * error, "{change}");
    // Each run is the one that `riprap run` makes of the scene that the folder holds.
    place.riprap(&["run", "c/step-1-over-2-seed-3/scene.toml", "--out", "again"]).with(0);
    assert_eq!(place.summary("again")["state_hash"], place.summary("c/step-1-over-2-seed-3")["state_hash"]);
    // A run of a pool of its own counts its own CPU time only.
    assert!(place.summary("c/as-given-seed-1")["cpu_s"].as_f64().unwrap() >= 0.0);
}

#[test]
fn a_ladder_that_was_killed_goes_on_where_it_was() {
    let place = Place::with_ball();
    let ladder = ["ball.toml", "--steps", "1,1/2,1/4", "--tolerance", "1"];
    let whole = place.converge(&ladder).with(0).out;
    let hash = place.summary("c/step-1-over-4-seed-1")["state_hash"].clone();
    // As if it had been killed before the last run and in the one before, which has a checkpoint but no summary.
    fs::remove_dir_all(place.join("c/step-1-over-4-seed-1")).unwrap();
    fs::remove_file(place.join("c/step-1-over-2-seed-1/summary.json")).unwrap();
    let again = place.converge(&ladder).with(0);
    assert!(again.err.contains("1 of them is complete already"), "{}", again.err);
    assert!(place.read("c/step-1-over-2-seed-1/log.txt").contains("resuming at step"));
    assert_eq!(place.summary("c/step-1-over-4-seed-1")["state_hash"], hash);
    let physics = |text: &str| text.split("What the settings cost").next().unwrap().to_owned();
    assert_eq!(physics(&again.out), physics(&whole));
}

#[test]
fn what_cannot_be_done_is_said_before_any_work() {
    let place = Place::with_ball();
    let refused = |arguments: &[&str], words: &str| {
        let ended = place.converge(arguments).with(2);
        assert!(ended.err.contains(words), "{arguments:?}: {}", ended.err);
        assert!(!place.join("c").exists(), "{arguments:?}");
    };
    refused(&["ball.toml", "--measure", "colour"], "unknown measurement; expected one of forces");
    refused(&["ball.toml", "--measure", "pictures"], "pictures have no numbers");
    refused(&["ball.toml", "--steps", "1,0"], "expected a factor greater than 0");
    refused(&["ball.toml", "--steps", "1,-1/2"], "expected a factor greater than 0");
    refused(&["ball.toml", "--tolerance", "1/0"], "expected a factor greater than 0");
    refused(&["ball.toml", "--seeds", "0"], "0 is not in 1..=1000");
    refused(&["ball.toml", "--set", "solver.time_stop=1"], "time_step");
    let fixed = ["--set", "solver.criterion={ sweeps = 20 }", "--tolerance", "1,1/3"];
    refused(&[&["ball.toml"], &fixed[..]].concat(), "a fixed number of sweeps in every step");
    let soft = ["--set", "method=md", "--tolerance", "1/3"];
    refused(&[&["ball.toml"], &soft[..]].concat(), "molecular dynamics solves no contact problem");
    place.converge(&["nothing.toml"]).with(3);
}

#[test]
fn a_scene_without_a_tolerance_is_varied_in_its_step_only() {
    let place = Place::with_ball();
    let ended = place.converge(&["ball.toml", "--set", "solver.criterion={ sweeps = 20 }"]).with(0);
    assert!(ended.err.contains("3 settings × 1 seed = 3 runs"), "{}", ended.err);
    assert!(!ended.out.contains("tolerance"), "{}", ended.out);
}

#[test]
fn a_folder_of_another_scene_is_left_alone() {
    let place = Place::with_ball();
    place.converge(&["ball.toml", "--steps", "1,1/2", "--tolerance", "1"]).with(0);
    let before = place.read("c/as-given.toml");
    let ended = place.converge(&["ball.toml", "--set", "domain.gravity=9 m/s2"]).with(2);
    assert!(ended.err.contains("c holds a run of another scene"), "{}", ended.err);
    assert!(ended.err.contains("--out"), "{}", ended.err);
    assert_eq!(place.read("c/as-given.toml"), before);
    // So is a folder of an ordinary run, be it of the same scene.
    place.riprap(&["run", "ball.toml", "--out", "run", "--quiet"]).with(0);
    let hash = place.summary("run")["state_hash"].clone();
    let ended = place.riprap(&["converge", "ball.toml", "--out", "run"]).with(2);
    assert!(ended.err.contains("run holds a run"), "{}", ended.err);
    assert_eq!(place.summary("run")["state_hash"], hash);
}

#[test]
fn a_measurement_that_no_run_can_give_has_an_exit_code_of_its_own() {
    let place = Place::with_ball();
    let ended = place.converge(&["ball.toml", "--steps", "1,1/2", "--tolerance", "1", "--measure", "stress"]).with(5);
    assert!(ended.err.contains("stress could not be measured in any run"), "{}", ended.err);
    assert!(ended.out.contains("energy_J.potential"), "{}", ended.out);
}
