//! `riprap study` and `riprap gather`.

use crate::{Ended, Place};
use serde_json::Value;
use std::fs;

const VARY: [&str; 4] = ["--vary", "materials.glass.friction=0.1,0.5", "--seeds", "2"];

impl Place {
    fn study(&self, arguments: &[&str]) -> Ended {
        self.riprap(&[&["study", "scene.toml", "--out", "s", "--threads", "2"], arguments].concat())
    }
}

#[test]
fn a_grid_is_run_gathered_and_drawn() {
    let place = Place::new();
    let ended = place.study(&VARY).with(0);
    assert!(ended.err.contains("a few disks in a box: 4 runs in s, 2 at a time"), "{}", ended.err);
    assert!(ended.out.contains("4 of 4 runs complete, 0 failed"), "{}", ended.out);
    // Each run is the one that `riprap run` makes with the same values.
    place
        .riprap(&["run", "scene.toml", "--out", "r", "--set", "materials.glass.friction=0.5", "--set", "seed=2"])
        .with(0);
    let hash = |run: &str| place.summary(run)["state_hash"].clone();
    assert_eq!(hash("s/friction=0.5,seed=2"), hash("r"));
    assert_ne!(hash("s/friction=0.5,seed=1"), hash("r"));

    let plot = ["gather", "s", "--measure", "coordination", "--plot", "energy_J.friction:friction"];
    place.riprap(&plot).with(0);
    let runs = place.read("s/runs.csv");
    let header: Vec<&str> = runs.lines().next().unwrap().split(',').collect();
    assert_eq!(header[..4], ["run", "status", "friction", "seed"]);
    assert!(header.contains(&"coordination.coordination") && header.contains(&"worst_residual"), "{header:?}");
    assert_eq!(runs.lines().count(), 5);
    assert!(runs.contains("\n\"friction=0.1,seed=2\",completed,0.1,2,"), "{runs}");
    // The mean and its standard error over two seeds.
    let table: Value = serde_json::from_str(&place.read("s/table.json")).unwrap();
    let number = |run: usize| table["runs"][run]["numbers"]["energy_J.friction"].as_f64().unwrap();
    let found = &table["means"][1]["numbers"]["energy_J.friction"];
    let close = |value: &Value, expected: f64| (value.as_f64().unwrap() - expected).abs() <= 1e-12 * expected.abs();
    assert!(close(&found["mean"], 0.5 * (number(2) + number(3))), "{found}");
    assert!(close(&found["standard_error"], 0.5 * (number(2) - number(3)).abs()), "{found}");
    assert!(place.read("s/means.csv").starts_with("friction,runs,"));
    assert!(place.read("s/energy_J.friction-over-friction.svg").contains("<svg"));
    let ended = place.riprap(&["gather", "s", "--plot", "density:friction"]).with(2);
    assert!(ended.err.contains("no column density"), "{}", ended.err);
}

#[test]
fn a_study_goes_on_where_it_was_and_grows() {
    let place = Place::new();
    place.study(&VARY).with(0);
    let hash = place.summary("s/friction=0.5,seed=2")["state_hash"].clone();
    let written = |run: &str| fs::metadata(place.join(&format!("s/{run}/summary.json"))).unwrap().modified().unwrap();
    let before = written("friction=0.1,seed=1");
    // As if it had been killed in one run and before another; a run is then what a scheduler would make it, too.
    fs::remove_file(place.join("s/friction=0.5,seed=1/summary.json")).unwrap();
    fs::remove_dir_all(place.join("s/friction=0.5,seed=2")).unwrap();
    let ended = place.study(&VARY).with(0);
    assert!(ended.err.contains("2 of them are complete already"), "{}", ended.err);
    assert!(place.read("s/friction=0.5,seed=1/log.txt").contains("resuming at step"));
    assert_eq!(place.summary("s/friction=0.5,seed=2")["state_hash"], hash);
    place.study(&["--vary", "materials.glass.friction=0.5,0.7", "--seeds", "2"]).with(0);
    place.riprap(&["gather", "s"]).with(0);
    assert_eq!(place.read("s/runs.csv").lines().count(), 7);
    assert_eq!(written("friction=0.1,seed=1"), before);
    // Out of time before the first run.
    let limited = ["--vary", "materials.glass.friction=0.9", "--seeds", "1", "--max-wall", "1 ns"];
    place.study(&limited).with(75);
    place.riprap(&["study", "s"]).with(0);
    assert!(place.join("s/friction=0.9,seed=1/completed").exists());
}

#[test]
fn a_failed_run_is_told_kept_and_repeated_on_request_only() {
    let place = Place::new();
    let vary = ["--vary", "solver.max_sweeps=1,2000", "--set", "solver.on_unconverged=stop"];
    let ended = place.study(&vary).with(1);
    assert!(ended.err.contains("failed: max_sweeps=1: step"), "{}", ended.err);
    assert!(ended.out.contains("1 of 2 runs complete, 1 failed"), "{}", ended.out);
    let log = || place.read("s/max_sweeps=1/log.txt");
    let before = log();
    let ended = place.riprap(&["study", "s"]).with(1);
    assert!(ended.err.contains("1 failed before and are left as they are"), "{}", ended.err);
    assert_eq!(log(), before);
    place.riprap(&["study", "s", "--retry-failed"]).with(1);
    assert_ne!(log(), before);
    place.riprap(&["gather", "s"]).with(0);
    assert!(place.read("s/runs.csv").contains("\nmax_sweeps=1,failed,1,,"), "{}", place.read("s/runs.csv"));
}

#[test]
fn schedulers_get_their_files_and_run_the_prepared_folders() {
    let place = Place::new();
    fs::write(
        place.join("study.toml"),
        "scene = \"scene.toml\"\nseeds = [3]\nsamples = 2\n[vary]\nmaterials.glass.friction = { from = 0.2, to = 0.6 }\n",
    )
    .unwrap();
    place.riprap(&["study", "study.toml", "--prepare"]).with(0);
    let runs = place.read("runs/study/runs.txt");
    assert_eq!(runs, "friction=0.4,seed=3\nfriction=0.3,seed=3\n");
    assert_eq!(place.read("runs/study/parallel.txt").lines().next(), Some("riprap run 'friction=0.4,seed=3'"));
    assert!(place.read("runs/study/slurm.sh").contains("--array=1-2"));
    assert!(place.read("runs/study/Snakefile").contains("completed"));
    assert!(!place.join("runs/study/friction=0.4,seed=3/log.txt").exists());
    for run in runs.lines() {
        place.riprap(&["run", &format!("runs/study/{run}")]).with(0);
    }
    let ended = place.riprap(&["study", "runs/study"]).with(0);
    assert!(ended.out.contains("2 of 2 runs complete"), "{}", ended.out);
}

#[test]
fn everything_that_is_wrong_is_told_before_anything_runs() {
    let place = Place::new();
    let refused = |arguments: &[&str], words: &[&str]| {
        let ended = place.study(arguments).with(2);
        for word in words {
            assert!(ended.err.contains(word), "{arguments:?}, {word}: {}", ended.err);
        }
        assert!(!place.join("s").exists(), "{arguments:?}");
    };
    let two = ["--vary", "materials.glass.fiction=0.1,0.3", "--vary", "solver.max_sweeps=5,-1"];
    refused(&two, &["did you mean `friction`?", "in 4 runs, the first of them", "in 2 runs, the first of them"]);
    refused(&["--vary", "materials.glass.friction=0.1,0.1"], &["two runs would have the same folder: friction=0.1"]);
    refused(&["--vary", "materials.glass.friction=0.1..0.5"], &["an interval needs a number of values"]);
    refused(&[], &["nothing is varied"]);
    refused(&["--seeds", "0"], &["expected a number of seeds"]);
    fs::write(place.join("wrong.toml"), "scene = 'scene.toml'\nsids = 3\n[vary]\na = 3\n").unwrap();
    let ended = place.riprap(&["study", "wrong.toml"]).with(2);
    assert!(ended.err.contains("unknown key `sids`") && ended.err.contains("wrong.toml:4"), "{}", ended.err);
    place.riprap(&["study", "nothing.toml"]).with(3);
    place.riprap(&["gather", "nothing"]).with(3);

    // A folder with another study, or with a run, is left alone.
    place.study(&["--vary", "materials.glass.friction=0.1,0.3", "--prepare"]).with(0);
    let list = place.read("s/study.json");
    for other in [
        &["--vary", "solver.time_step=1 ms"][..],
        &["--vary", "materials.glass.friction=0.5", "--set", "grains.0.count=20"],
        &["--vary", "materials.glass.friction=0.1", "--set", "grains.0.count=20"],
    ] {
        let ended = place.study(other).with(2);
        assert!(ended.err.contains("s holds a study of another scene or of other keys"), "{}", ended.err);
    }
    assert_eq!(place.read("s/study.json"), list);
    place.riprap(&["run", "scene.toml", "--out", "r", "--max-wall", "1 ns"]).with(75);
    let ended = place.riprap(&["study", "scene.toml", "--seeds", "2", "--out", "r"]).with(2);
    assert!(ended.err.contains("r holds a run"), "{}", ended.err);
}
