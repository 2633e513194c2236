//! Runs that any scheduler may repeat: they begin, go on, or say that they are complete.

use crate::{Place, SCENE, STEPS};
use std::fs;

#[test]
fn the_same_command_begins_goes_on_and_says_that_a_run_is_complete() {
    let place = Place::new();
    place.riprap(&["run", "scene.toml", "--out", "reference"]).with(0);
    assert_eq!(place.read("reference/completed"), "");
    let command = ["run", "scene.toml", "--out", "r", "--continue"];
    // The time is up after the first step, however fast the machine is.
    let limited = [&command[..], &["--max-wall", "1 ns"]].concat();
    for steps in 1..=2 {
        place.riprap(&limited).with(75);
        assert_eq!(
            (&place.summary("r")["status"], &place.summary("r")["steps"]),
            (&"interrupted".into(), &steps.into())
        );
        assert!(!place.join("r/completed").exists());
    }
    place.riprap(&command).with(0);
    assert!(place.join("r/completed").exists());
    let summary = place.summary("r");
    assert_eq!((&summary["state_hash"], &summary["steps"]), (&place.summary("reference")["state_hash"], &STEPS.into()));
    for repeated in [&command[..], &limited, &["run", "r"], &["resume", "r"]] {
        let ended = place.riprap(repeated).with(0);
        assert!(ended.err.contains("the run in r is complete"), "{}", ended.err);
    }
    assert_eq!(place.summary("r"), summary);
    // Killed between the summary and the mark: the next command makes up for it.
    fs::remove_file(place.join("r/completed")).unwrap();
    place.riprap(&["run", "r"]).with(0);
    assert!(place.join("r/completed").exists());
}

#[test]
fn a_prepared_folder_is_begun_and_a_scene_of_the_user_is_not_overwritten() {
    let place = Place::new();
    place.riprap(&["run", "scene.toml", "--out", "reference"]).with(0);
    fs::create_dir(place.join("prepared")).unwrap();
    fs::copy(place.join("reference/scene.toml"), place.join("prepared/scene.toml")).unwrap();
    place.riprap(&["run", "prepared", "--max-wall", "1 ns"]).with(75);
    place.riprap(&["run", "prepared"]).with(0);
    assert_eq!(place.summary("prepared")["state_hash"], place.summary("reference")["state_hash"]);
    assert_eq!(place.read("prepared/scene.toml"), place.read("reference/scene.toml"));

    fs::create_dir(place.join("own")).unwrap();
    fs::write(place.join("own/scene.toml"), SCENE).unwrap();
    let ended = place.riprap(&["run", "own"]).with(2);
    assert!(ended.err.contains("own/scene.toml is not a resolved scene"), "{}", ended.err);
    assert_eq!(place.read("own/scene.toml"), SCENE);
    assert_eq!(fs::read_dir(place.join("own")).unwrap().count(), 1);
    fs::create_dir(place.join("empty")).unwrap();
    place.riprap(&["run", "empty"]).with(3);
}

#[test]
fn a_run_of_another_scene_is_not_continued() {
    let place = Place::new();
    place.riprap(&["run", "scene.toml", "--out", "r", "--max-wall", "1 ns"]).with(75);
    let before = place.summary("r");
    let other = ["run", "scene.toml", "--out", "r", "--continue", "--set", "materials.glass.friction=0.4"];
    let ended = place.riprap(&other).with(2);
    assert!(ended.err.contains("r holds a run of another scene"), "{}", ended.err);
    let ended = place.riprap(&["run", "r", "--set", "materials.glass.friction=0.4"]).with(2);
    assert!(ended.err.contains("--out and --set apply to scene files only"), "{}", ended.err);
    place.riprap(&["run", "scene.toml", "--out", "r"]).with(2);
    assert_eq!(place.summary("r"), before);
    for wrong in ["0 s", "-5min", "5 kg", "soon"] {
        let ended = place.riprap(&["run", "r", &format!("--max-wall={wrong}")]).with(2);
        assert!(ended.err.contains("such as 55min"), "{}", ended.err);
    }
}

#[test]
fn a_failed_run_has_no_mark() {
    let place = Place::new();
    let hard = ["--set", "solver.max_sweeps=1", "--set", "solver.on_unconverged=stop"];
    place.riprap(&[&["run", "scene.toml", "--out", "r", "--continue"], &hard[..]].concat()).with(1);
    assert!(!place.join("r/completed").exists());
    // Repeated, it goes on from its last checkpoint and fails again.
    place.riprap(&["run", "r"]).with(1);
}

#[test]
fn a_job_of_slurm_takes_its_own_cores() {
    let place = Place::new();
    let mut command = place.command(&["run", "scene.toml", "--out", "r"]);
    command.env("SLURM_CPUS_PER_TASK", "1");
    assert!(command.status().unwrap().success());
    assert_eq!(place.summary("r")["threads"], 1);
}
