//! Grains that come and go: inlets, outlets, recirculation, gauges and gates.

use crate::Place;
use riprap_engine::{Vector, for_any_world};
use riprap_run::{PreparedScene, RunFolder, RunOptions, Simulation, Until};
use riprap_store::state_hash;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Two inlets, one of which also takes back what leaves by the first outlet; pentagons leave by the second.
const OPEN: &str = r#"
title = "an open box"
dimension = 2
seed = 5
[materials.glass]
density = "2600 kg/m3"
friction = 0.5
[materials.steel]
density = "7800 kg/m3"
friction = 0.3
[[walls]]
name = "box"
shape = "box"
material = "steel"
lower = [0, 0]
upper = ["40 mm", "60 mm"]
open = ["top"]
[[grains]]
sample = "list"
positions = [["10 mm", "1 mm"], ["20 mm", "1 mm"]]
radius = "1 mm"
material = "glass"
[[inlets]]
name = "rain"
place = { box = { lower = ["2 mm", "45 mm"], upper = ["38 mm", "55 mm"] } }
number_rate = "600 1/s"
total_number = 40
diameter = { uniform = { min = "2 mm", max = "3 mm" } }
material = "glass"
velocity = [0, "-0.3 m/s"]
velocity_spread = "0.05 m/s"
[[inlets]]
name = "jet"
place = { plate = { corners = [["2 mm", "10 mm"], ["2 mm", "20 mm"]] } }
mass_rate = "4 kg/s"
shape = { polygon = { sides = 5 } }
radius = "1.2 mm"
material = "steel"
group = "fives"
velocity = ["0.4 m/s", 0]
[[outlets]]
name = "right"
place = { box = { lower = ["30 mm", 0], upper = ["40 mm", "6 mm"] } }
group = "grains"
sizes = ["2.5 mm"]
to = "rain"
[[outlets]]
name = "fives"
place = { plane = { point = ["25 mm", 0], normal = [1, 0] } }
group = "fives"
[[gauges]]
name = "middle"
place = { plane = { point = [0, "30 mm"], normal = [0, -1] } }
[solver]
time_step = "0.25 ms"
[[stages]]
name = "feed"
end = { time = "150 ms" }
[outputs]
series_interval = "5 ms"
checkpoint_interval = 1e9
snapshot_formats = ["h5"]
"#;

fn prepared(text: &str) -> PreparedScene {
    PreparedScene::new(riprap_scene::load(text, "open.toml", &[]).unwrap(), Path::new("")).unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

#[test]
fn what_comes_in_and_goes_out_accounts_for_what_is_there() {
    let mut run = Simulation::without_files(prepared(OPEN), RunOptions::default()).unwrap();
    let mass = |run: &Simulation| for_any_world!(run.world(), world => world.free_bodies().map(|body| world.bodies[body].mass).sum::<f64>());
    let before = mass(&run);
    let mut worst = 0.0_f64;
    while !run.is_finished() {
        let report = run.step().unwrap();
        worst = worst.max(report.energy.error().abs() / report.energy.scale()).max(report.momentum_error);
    }
    assert!(worst < 1e-12, "energy and momentum are accounted for to {worst}");
    let after = mass(&run);
    let grains = for_any_world!(run.world(), world => world.free_bodies().count()) as f64;
    let outcome = run.end().unwrap();
    let flows = &outcome.summary["flows"];
    let total = |key: &str| {
        let of = |name: &str| number(&flows[name][key]);
        of("rain") + of("jet") - of("right") - of("fives")
    };
    assert_eq!(2.0 + total("number"), grains);
    assert!((before + total("mass_kg") - after).abs() < 1e-12 * after, "{before} + {} = {after}", total("mass_kg"));
    // Grains come back by the inlet that the outlet leads to, which has let in all of its own.
    let [right, rain] = ["right", "rain"].map(|name| number(&flows[name]["number"]));
    assert!(right > 3.0 && number(&flows["fives"]["number"]) > 3.0, "{flows}");
    assert_eq!(number(&flows["rain"]["new"]), 40.0);
    assert_eq!(rain, 40.0 + right - number(&flows["rain"]["waiting"]));
    // Mass falls due at the rate of the inlet, to less than a grain.
    let one = number(&flows["jet"]["mass_kg"]) / number(&flows["jet"]["number"]);
    let due = 4.0 * (0.15 - 0.25e-3);
    assert!((number(&flows["jet"]["mass_kg"]) + number(&flows["jet"]["refused_kg"]) - due).abs() < 2.0 * one);
    assert!(number(&flows["middle"]["number"]) > 20.0, "{flows}");
}

#[test]
fn grains_that_come_and_go_are_the_same_bits_on_any_threads_and_after_a_kill() {
    let whole = on_threads(1, || {
        let mut run = Simulation::without_files(prepared(OPEN), RunOptions::default()).unwrap();
        run.run(Until::End).unwrap();
        state_hash(run.world())
    });
    let place = Place::new();
    let (hash, files) = on_threads(2, || {
        let mut run = Simulation::begin(prepared(OPEN), place.folder(), RunOptions::default()).unwrap();
        run.run(Until::Steps(333)).unwrap();
        run.checkpoint().unwrap();
        // What is done after the checkpoint is lost.
        run.run(Until::Steps(50)).unwrap();
        drop(run);
        let folder = RunFolder::existing(&place.path).unwrap();
        let mut run = Simulation::resume(folder, RunOptions::default()).unwrap().expect("it is not completed");
        run.run(Until::End).unwrap();
        let hash = state_hash(run.world());
        run.end().unwrap();
        (hash, tables(&place.path))
    });
    assert_eq!(hash, whole);
    let other = Place::new();
    let mut run = Simulation::begin(prepared(OPEN), other.folder(), RunOptions::default()).unwrap();
    run.run(Until::End).unwrap();
    run.end().unwrap();
    for ((name, own), (_, others)) in files.iter().zip(tables(&other.path)) {
        assert_eq!(*own, others, "{name}");
    }
}

fn tables(path: &Path) -> Vec<(&'static str, String)> {
    let names = ["series.csv", "flows.csv", "flow_classes.csv", "departures.csv"];
    names.map(|name| (name, fs::read_to_string(path.join(name)).unwrap())).into()
}

#[test]
fn nothing_is_put_into_anything_else() {
    let mut run = Simulation::without_files(prepared(OPEN), RunOptions::default()).unwrap();
    let mut known = 0;
    while !run.is_finished() {
        run.step().unwrap();
        for_any_world!(run.world(), world => {
            // The bodies that are new in this step have moved by one step since they were put in.
            let reach = 0.25e-3 * 1.5;
            for overlap in world.overlaps(0.0) {
                let is_new = overlap.bodies.iter().any(|&body| world.state.id[body as usize].0 >= known);
                assert!(!is_new || overlap.depth < reach, "{overlap:?}");
            }
            known = world.state.next_id;
        });
    }
    assert!(known > 60);
}

#[test]
fn an_inlet_that_is_blocked_says_how_much_it_refused() {
    let text = OPEN.replace("velocity = [\"0.4 m/s\", 0]", "velocity = [\"0.4 m/s\", 0]\nwait = \"1 ms\"");
    let text = text.replace("mass_rate = \"4 kg/s\"", "mass_rate = \"25 kg/s\"");
    let mut run = Simulation::without_files(prepared(&text), RunOptions::default()).unwrap();
    run.run(Until::End).unwrap();
    let outcome = run.end().unwrap();
    let flows = &outcome.summary["flows"]["jet"];
    let refused = number(&flows["refused_kg"]);
    assert!(refused > 0.0);
    let due = 25.0 * (0.15 - 0.25e-3);
    // What still waits is at most what falls due in the time that it may, and a grain.
    let one = number(&flows["mass_kg"]) / number(&flows["number"]);
    assert!((refused + number(&flows["mass_kg"]) - due).abs() < 25.0 * 1.5e-3 + 2.0 * one, "{flows} of {due}");
    assert!(
        outcome.warnings.iter().any(|warning| warning.starts_with("inlet \"jet\" refused")),
        "{:?}",
        outcome.warnings
    );
}

/// Two balls on a shelf above the floor.
const GATE: &str = r#"
dimension = 2
[materials.glass]
density = "2600 kg/m3"
friction = 0.5
[[walls]]
name = "floor"
shape = "plane"
point = [0, 0]
normal = [0, 1]
[[walls]]
name = "shelf"
shape = "plate"
corners = [["-50 mm", "20 mm"], ["50 mm", "20 mm"]]
[[walls]]
name = "lid"
shape = "plane"
point = [0, "10 mm"]
normal = [0, 1]
absent = true
[[grains]]
sample = "list"
positions = [[0, "21 mm"]]
radius = "1 mm"
group = "one"
[[grains]]
sample = "list"
positions = [["10 mm", "21 mm"]]
radius = "1 mm"
group = "other"
[solver]
time_step = "0.5 ms"
[[stages]]
name = "stand"
end = { time = "20 ms" }
[[stages]]
name = "sieve"
let_through = [{ wall = "shelf", groups = ["one"] }]
end = { time = "200 ms" }
[[stages]]
name = "open"
remove = ["shelf"]
restore = ["lid"]
end = { time = "200 ms" }
[outputs]
checkpoint_interval = 1e9
"#;

#[test]
fn a_gate_holds_lets_a_group_through_and_vanishes() {
    let mut run =
        Simulation::without_files(prepared(&GATE.replace("restore = [\"lid\"]\n", "")), RunOptions::default()).unwrap();
    let heights =
        |run: &Simulation| for_any_world!(run.world(), world => [0, 1].map(|ball| world.state.position[ball].get(1)));
    let rest = |found: [f64; 2], expected: [f64; 2]| {
        assert!((0..2).all(|i| (found[i] - expected[i]).abs() < 1e-6), "{found:?}, expected {expected:?}");
    };
    run.run(Until::StageEnd).unwrap();
    rest(heights(&run), [21e-3, 21e-3]);
    run.run(Until::StageEnd).unwrap();
    rest(heights(&run), [1e-3, 21e-3]);
    run.run(Until::End).unwrap();
    rest(heights(&run), [1e-3, 1e-3]);
}

#[test]
fn a_wall_that_appears_carries_what_is_above_it_and_warns_of_what_it_cuts() {
    let place = Place::new();
    let mut run = Simulation::begin(prepared(GATE), place.folder(), RunOptions::default()).unwrap();
    run.run(Until::Steps(445)).unwrap();
    run.checkpoint().unwrap();
    drop(run);
    let folder = RunFolder::existing(&place.path).unwrap();
    let mut run = Simulation::resume(folder, RunOptions::default()).unwrap().expect("it is not completed");
    run.run(Until::End).unwrap();
    let height = for_any_world!(run.world(), world => world.state.position[1].get(1));
    assert!((height - 11e-3).abs() < 1e-6, "it lies on the lid: {height}");
    run.end().unwrap();
    let log = fs::read_to_string(place.path.join("log.txt")).unwrap();
    assert!(log.contains("wall \"lid\" appears and cuts 1 grain, "), "{log}");
}
