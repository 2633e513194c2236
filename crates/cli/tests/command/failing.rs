//! Scenes and runs that cannot go well, and what is said about them.

use crate::{Ended, Place, SCENE};

#[test]
fn a_bad_scene_is_refused_before_any_work() {
    let place = Place::new();
    std::fs::write(place.join("bad.toml"), SCENE.replace("2600 kg/m3", "2600 kg/m2")).unwrap();
    let ended = place.riprap(&["run", "bad.toml"]).with(2);
    assert!(ended.err.contains("bad.toml:6") && ended.err.contains("kg/m2"), "{}", ended.err);
    assert!(!place.join("runs").exists());
    assert!(place.riprap(&["run", "nothing.toml"]).with(3).err.contains("nothing.toml"));
    assert!(place.riprap(&["resume", "nowhere"]).with(3).err.contains("nowhere"));
    assert!(place.riprap(&["resume", "."]).with(3).err.contains("not a run folder"), "a scene alone is no run");
}

#[test]
fn a_run_that_may_not_leave_steps_unsolved_stops_and_says_where() {
    let place = Place::new();
    let strict = [
        "--set",
        "solver.on_unconverged=stop",
        "--set",
        "solver.max_sweeps=1",
        "--set",
        "solver.criterion.residual=1e-13",
    ];
    let ended = place.riprap(&[&["run", "scene.toml", "--out", "run"], &strict[..]].concat()).with(1);
    for part in ["not converged after", "solver.max_sweeps", "last good checkpoint"] {
        assert!(ended.err.contains(part), "{part} is not in\n{}", ended.err);
    }
    let summary = place.summary("run");
    assert_eq!(summary["status"], "failed");
    assert!(summary["error"].as_str().unwrap().contains("not converged"));
}

#[test]
fn steps_left_unsolved_are_counted_and_told() {
    let place = Place::new();
    let loose = ["--set", "solver.max_sweeps=1", "--set", "solver.criterion.residual=1e-13"];
    let ended = place.riprap(&[&["run", "scene.toml", "--out", "run", "--quiet"], &loose[..]].concat()).with(0);
    assert!(ended.err.contains("did not converge"), "{}", ended.err);
    let summary = place.summary("run");
    assert!(summary["unconverged_steps"].as_u64().unwrap() > 0);
    assert!(summary["warnings"][0].as_str().unwrap().contains("did not converge"));
}

#[test]
fn a_folder_that_cannot_be_written_is_told() {
    let place = Place::new();
    std::fs::write(place.join("file"), "no folder").unwrap();
    let ended = place.riprap(&["run", "scene.toml", "--out", "file/run"]).with(4);
    assert!(ended.err.contains("file"), "{}", ended.err);
}

#[test]
fn a_grain_that_would_go_through_a_wall_is_named_with_the_wall() {
    let place = Place::new();
    let bullet = SCENE
        .replace("[solver]", "velocity = [0, \"-1000 m/s\"]\n\n[solver]\nscheme = \"midpoint\"")
        .replace("count = 24", "count = 1");
    std::fs::write(place.join("bullet.toml"), bullet).unwrap();
    let ended = place.riprap(&["run", "bullet.toml", "--out", "run"]).with(1);
    for part in
        ["step 1: grain 0 passed through wall \"box.bottom\"", "time_step", "checkpoint.000001.riprap, at step 0"]
    {
        assert!(ended.err.contains(part), "{part} is not in\n{}", ended.err);
    }
    let summary = place.summary("run");
    assert_eq!(summary["status"], "failed");
    assert!(summary["error"].as_str().unwrap().contains("grain 0"));
    assert!(place.riprap(&["info", "run"]).with(0).out.contains("failed run"));
}

#[test]
fn a_process_that_cannot_join_the_others_does_not_seem_to_have_run() {
    let place = Place::new();
    let of_two = |rank: &str| {
        let mut command = place.command(&["run", "scene.toml", "--out", "run"]);
        command.envs([("OMPI_COMM_WORLD_RANK", rank), ("OMPI_COMM_WORLD_SIZE", "2"), ("RIPRAP_MPI", "scene.toml")]);
        Ended::from(command.output().unwrap())
    };
    // The first of two speaks for the other one; the tenth of two is nobody's other one.
    for (rank, speaks) in [("0", true), ("1", false), ("9", true)] {
        let ended = of_two(rank).with(1);
        assert_eq!(ended.err.contains("no library of MPI can be opened"), speaks, "rank {rank}: {}", ended.err);
        assert!(!place.join("run").exists(), "rank {rank}");
    }
    // What is no number does not come from a launcher.
    of_two("-1").with(0);
}
