//! Runs that nothing disturbs.

use crate::{GRAINS, Place, SCENE, STEPS};

/// Every key that a summary promises.
const KEYS: [&str; 24] = [
    "status",
    "dimension",
    "grains",
    "steps",
    "time_s",
    "wall_s",
    "cpu_s",
    "peak_rss_bytes",
    "contacts",
    "sweeps",
    "contact_updates",
    "solver_trace",
    "unconverged_steps",
    "worst_residual",
    "max_overlap_over_radius",
    "mean_overlap_over_radius",
    "coordination",
    "solid_fraction",
    "kinetic_energy_J",
    "rotation_energy_J",
    "energy_error",
    "momentum_error",
    "floor_force_over_weight",
    "state_hash",
];

/// Fast disks make the list of pairs too short, and the next solve of the same step makes them fast again.
#[test]
fn a_step_whose_list_of_pairs_fails_again_and_again_comes_to_an_end() {
    let place = Place::new();
    place.riprap(&["new", "powder"]).with(0);
    let changes = ["rolling_friction=0", "seed=1", "count=300", "upper=[\"5.2 cm\", \"12 cm\"]", "end={ steps = 90 }"];
    let paths = ["materials.powder.", "", "grains.0.", "walls.0.", "stages.0."];
    let set: Vec<String> = paths.iter().zip(changes).map(|(path, change)| format!("{path}{change}")).collect();
    let mut arguments = vec!["run", "powder.toml", "--quiet"];
    set.iter().for_each(|change| arguments.extend(["--set", change]));
    place.riprap(&arguments).with(0);
    assert_eq!(place.summary("runs/powder")["steps"], 90);
}

#[test]
fn a_run_leaves_a_complete_folder() {
    let place = Place::new();
    let ended = place.riprap(&["run", "scene.toml"]).with(0);
    assert!(ended.out.contains("completed") && ended.out.contains("results in runs/scene"), "{}", ended.out);
    let summary = place.summary("runs/scene");
    for key in KEYS {
        assert!(!summary[key].is_null(), "{key} is missing or null in {summary:#}");
    }
    assert_eq!(summary["status"], "completed");
    assert_eq!((summary["steps"].as_u64(), summary["grains"].as_u64()), (Some(STEPS), Some(GRAINS)));
    assert!((summary["time_s"].as_f64().unwrap() - 0.06).abs() < 1e-9);

    // The disks have fallen, rest on each other and on the floor, which carries them.
    assert!((summary["floor_force_over_weight"].as_f64().unwrap() - 1.0).abs() < 0.3, "{summary:#}");
    assert!((2.0..5.0).contains(&summary["coordination"].as_f64().unwrap()), "{summary:#}");
    assert!((0.6..0.95).contains(&summary["solid_fraction"].as_f64().unwrap()), "{summary:#}");
    assert!(summary["momentum_error"].as_f64().unwrap() < 1e-9, "{summary:#}");
    assert!(summary["sweeps"].as_u64().unwrap() >= STEPS);
    // Two sweeps an iteration, each a pass or, where it leaves open contacts out, less; a step is rounded to whole passes.
    let of_trace = |key: &str| summary["solver_trace"][key].as_f64().unwrap();
    let iterations =
        ["momentum_iterations", "unbound_iterations", "round_iterations"].map(of_trace).iter().sum::<f64>();
    let passes = 2.0 * iterations + of_trace("plain_sweeps");
    let sweeps = summary["sweeps"].as_f64().unwrap();
    assert!((0.5 * passes..=passes + STEPS as f64).contains(&sweeps), "{sweeps} of {passes}: {summary:#}");
    assert!(ended.out.contains("iterations with momentum"), "{}", ended.out);

    // Each stage of the scene has its share of steps, time and the solver's way.
    let stages = summary["profile_by_stage"].as_array().unwrap();
    assert_eq!(stages.iter().map(|stage| stage["stage"].as_str().unwrap()).collect::<Vec<_>>(), ["fall", "settle"]);
    for (part, names) in
        [("profile_s", &["solve", "measure gaps"]), ("solver_trace", &["momentum_iterations", "restarts"])]
    {
        for name in names {
            let parts: Vec<f64> = stages.iter().map(|stage| stage[part][name].as_f64().unwrap()).collect();
            assert_eq!(parts.iter().sum::<f64>(), summary[part][name].as_f64().unwrap(), "{name} of {summary:#}");
        }
    }
    assert!(
        stages.iter().all(|stage| stage["solver_trace"]["momentum_iterations"].as_f64() > Some(0.0)),
        "{summary:#}"
    );
    assert!(ended.out.contains("% in stage "), "{}", ended.out);

    let series = place.read("runs/scene/series.csv");
    assert_eq!(series.lines().count(), 1 + 60);
    let walls = place.read("runs/scene/walls.csv");
    assert_eq!(walls.lines().count(), 1 + 3 * 60);
    assert!(walls.contains(",box.bottom,"));
    let snapshots = place.read("runs/scene/snapshots.csv");
    assert_eq!(snapshots.lines().count(), 1 + 5);
    assert_eq!(place.read("runs/scene/grains.pvd").matches("<DataSet").count(), 5);
    let log = place.read("runs/scene/log.txt");
    assert!(log.contains("stage 1 of 2: fall") && log.contains("completed"), "{log}");
    // The scene that is kept is a scene, and says the same.
    place.riprap(&["run", "runs/scene/scene.toml", "--out", "again", "--quiet"]).with(0);
    assert_eq!(place.summary("again")["state_hash"], summary["state_hash"]);
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let place = Place::new();
    for threads in ["1", "2", "3"] {
        place.riprap(&["run", "scene.toml", "--out", threads, "--threads", threads, "--quiet"]).with(0);
        assert_eq!(place.summary(threads)["threads"].to_string(), threads);
        assert_eq!(place.summary(threads)["state_hash"], place.summary("1")["state_hash"]);
        assert_eq!(place.read(&format!("{threads}/series.csv")), place.read("1/series.csv"));
    }
    let by_variable = place.command(&["run", "scene.toml", "--out", "4"]).env("RIPRAP_THREADS", "4").output().unwrap();
    assert!(by_variable.status.success());
    assert_eq!(place.summary("4")["threads"], 4);
    place.riprap(&["run", "scene.toml", "--threads", "0"]).with(2);
}

#[test]
fn the_scene_that_is_kept_finds_the_files_of_the_first() {
    let place = Place::new();
    std::fs::create_dir(place.join("there")).unwrap();
    std::fs::write(place.join("there/few.csv"), "x,y,r\n0.003,0.002,0.001\n0.0035,0.006,0.001\n").unwrap();
    let with_sample = |name: &str, sample: &str| {
        let lattice = SCENE.find("sample = ").unwrap()..SCENE.find("[solver]").unwrap();
        std::fs::write(place.join(name), SCENE.replace(&SCENE[lattice], sample)).unwrap();
    };
    with_sample("there/scene.toml", "sample = \"file\"\npath = \"few.csv\"\n");
    place.riprap(&["run", "there/scene.toml", "--out", "first", "--quiet"]).with(0);
    place.riprap(&["run", "first/scene.toml", "--out", "second", "--quiet"]).with(0);
    assert_eq!(place.summary("first")["grains"], 2);
    assert_eq!(place.summary("second")["state_hash"], place.summary("first")["state_hash"]);

    // So does one that goes on from a snapshot.
    let snapshot = "../first/snapshots/snapshot_000000120.h5";
    with_sample("there/on.toml", &format!("sample = \"snapshot\"\npath = \"{snapshot}\"\n"));
    place.riprap(&["run", "there/on.toml", "--out", "third", "--quiet"]).with(0);
    place.riprap(&["run", "third/scene.toml", "--out", "deeper/fourth", "--quiet"]).with(0);
    assert_eq!(place.summary("deeper/fourth")["state_hash"], place.summary("third")["state_hash"]);
}

#[test]
fn values_can_be_set_and_a_wrong_path_is_a_fault() {
    let place = Place::new();
    let set = ["--set", "stages.0.end.time=10 ms", "--set", "stages.1.end.time=0.01", "--set", "title=shorter"];
    place.riprap(&[&["run", "scene.toml", "--out", "short", "--quiet"], &set[..]].concat()).with(0);
    let summary = place.summary("short");
    assert_eq!((summary["steps"].as_u64(), summary["title"].as_str()), (Some(40), Some("shorter")));
    assert!(place.riprap(&["run", "scene.toml", "--set", "solver.tme_step=1"]).with(2).err.contains("time_step"));
    place.riprap(&["run", "scene.toml", "--set", "nonsense"]).with(2);
    assert!(!place.join("runs").exists());
}

#[test]
fn no_run_overwrites_another() {
    let place = Place::new();
    let short = ["--quiet", "--set", "stages.0.end.time=2 ms", "--set", "stages.1.end.time=2 ms"];
    let run = |more: &[&str]| place.riprap(&[&["run", "scene.toml"], &short[..], more].concat());
    for _ in 0..3 {
        run(&[]).with(0);
    }
    for name in ["scene", "scene-2", "scene-3"] {
        assert_eq!(place.summary(&format!("runs/{name}"))["status"], "completed");
    }
    let refused = run(&["--out", "runs/scene"]).with(2);
    assert!(refused.err.contains("already contains a run") && refused.err.contains("--force"), "{}", refused.err);
    run(&["--out", "runs/scene", "--force", "--set", "title=replaced"]).with(0);
    assert_eq!(place.summary("runs/scene")["title"], "replaced");
    // Other files in the folder are neither touched nor in the way.
    std::fs::create_dir(place.join("mine")).unwrap();
    std::fs::write(place.join("mine/notes.txt"), "keep").unwrap();
    run(&["--out", "mine"]).with(0);
    assert_eq!(place.read("mine/notes.txt"), "keep");
}

#[test]
fn quiet_is_quiet_and_a_pipe_gets_plain_lines() {
    let place = Place::new();
    let ended = place.riprap(&["run", "scene.toml", "--quiet"]).with(0);
    assert_eq!((ended.out.as_str(), ended.err.as_str()), ("results in runs/scene\n", ""));
    let ended = place.riprap(&["run", "scene.toml"]).with(0);
    assert!(ended.err.contains("stage 2 of 2: settle"), "{}", ended.err);
    assert!(!ended.err.contains('\u{1b}') && !ended.err.contains('\r'), "{}", ended.err);
}

#[test]
fn a_scene_runs_by_molecular_dynamics_and_beside_contact_dynamics() {
    let place = Place::new();
    let told = place.riprap(&["check", "scene.toml", "--set", "method=md"]).with(0).out;
    assert!(told.contains("velocity Verlet") && told.contains("md.stiffness = "), "{told}");
    place.riprap(&["run", "scene.toml", "--quiet", "--out", "soft", "--set", "method=md"]).with(0);
    let summary = place.summary("soft");
    assert_eq!(summary["status"], "completed");
    assert!(summary["energy_J"]["elastic"].as_f64().unwrap() > 0.0, "{summary}");
    assert!(place.read("soft/series.csv").lines().next().unwrap().contains("elastic_energy_J"));

    let told = place.riprap(&["compare", "scene.toml", "--out", "both", "--rows", "10"]).with(0).out;
    assert!(told.contains("shared contacts"), "{told}");
    let table = place.read("both/compare.csv");
    let columns = table.lines().next().unwrap().split(',').count();
    assert!(table.lines().count() > 10 && table.lines().all(|line| line.split(',').count() == columns), "{table}");
    assert!(place.read("both/contacts.csv").lines().count() > 1);
    for plot in ["energy", "contacts", "force", "velocities", "forces"] {
        assert!(place.read(&format!("both/{plot}.svg")).starts_with("<svg"), "{plot}");
    }
    let refused =
        place.riprap(&["compare", "scene.toml", "--out", "x", "--set", "materials.glass.tangential_restitution=0.5"]);
    assert!(refused.with(2).err.contains("method \"md\" does not support tangential restitution"));
}

#[test]
fn a_stiffness_of_contacts_is_told_with_kappa_and_softened_steps() {
    let place = Place::new();
    let told = place.riprap(&["check", "scene.toml", "--set", "solver.stiffness=2 MN/m"]).with(0).out;
    assert!(told.contains("contact stiffness 2000000 N/m: κ = K d/f = "), "{told}");
    place.riprap(&["run", "scene.toml", "--quiet", "--out", "stiff", "--set", "solver.stiffness=2 MN/m"]).with(0);
    let summary = place.summary("stiff");
    assert_eq!(summary["stiffness_N_m"], 2e6);
    assert!(summary["kappa"].as_f64().unwrap() > 1e3, "{summary:#}");
    assert_eq!(summary["softened_steps"], 0);
    assert!(place.read("stiff/scene.toml").contains("gap = \"keep\""));
    // Contacts that are hardly stiff give way visibly.
    place.riprap(&["run", "scene.toml", "--quiet", "--out", "soft", "--set", "solver.stiffness=2 kN/m"]).with(0);
    let overlap = |run: &str| place.summary(run)["mean_overlap_over_radius"].as_f64().unwrap();
    assert!(overlap("soft") > 10.0 * overlap("stiff"), "{} {}", overlap("soft"), overlap("stiff"));
    // Rigid contacts have none.
    place.riprap(&["run", "scene.toml", "--quiet", "--out", "rigid"]).with(0);
    assert!(place.summary("rigid")["stiffness_N_m"].is_null() && place.summary("rigid")["kappa"].is_null());
}

#[test]
fn a_packing_of_a_wanted_density_is_made_and_one_out_of_reach_says_what_is_in_reach() {
    let place = Place::new();
    place.riprap(&["new", "isotropic-cell-disks"]).with(0);
    let with = |more: &[&str]| {
        let mut arguments = vec!["pack", "isotropic-cell-disks.toml", "--threads", "1"];
        for set in ["grains.0.count=80", "domain.periodic={ x = \"22 mm\", y = \"22 mm\" }"] {
            arguments.extend(["--set", set]);
        }
        arguments.extend(more);
        place.riprap(&arguments)
    };
    let refused = with(&["--solid-fraction", "0.95"]).with(2);
    assert!(refused.err.contains("a solid fraction of 0.95 is out of reach"), "{}", refused.err);
    // The two ends of the range, in the words of the trials.
    let reached: Vec<f64> = (refused.out.lines())
        .filter_map(|line| line.split("solid fraction ").nth(1)?.split(',').next()?.parse().ok())
        .collect();
    assert!(reached.len() == 2 && reached[0] > reached[1] + 0.01, "denser without friction: {reached:?}");
    let goal = format!("{:.3}", 0.5 * (reached[0] + reached[1]));
    let made = with(&["--solid-fraction", &goal, "--out", "half.h5"]).with(0);
    let last: f64 =
        made.out.split("half.h5: ").nth(1).unwrap().split("solid fraction ").nth(1).unwrap()[..6].parse().unwrap();
    let is_near = (last - goal.parse::<f64>().unwrap()).abs() <= 0.002;
    assert!(is_near || made.err.contains("warning: the solid fraction is not within"), "{goal}: {last}");
    assert_eq!(with(&["--solid-fraction", &goal, "--out", "half.h5"]).with(0).out, made.out, "the same again");
    let told = place.riprap(&["info", "half.h5"]).with(0).out;
    assert!(told.contains("periodic = { x = 0.0") && told.contains("y = 0.0"), "{told}");
    assert!(with(&[]).with(2).err.contains("--solid-fraction or --coordination"));
}
