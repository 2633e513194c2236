//! `riprap measure` and `riprap picture`, and measurements while a run goes on.

use crate::{GRAINS, Place};
use serde_json::Value;
use std::fs;

/// A place with a run of the usual scene in `run`, and its snapshots in HDF5.
fn with_run() -> (Place, Vec<String>) {
    let place = Place::new();
    let set = r#"outputs.measure=["coordination", "stress", "forces"]"#;
    place.riprap(&["run", "scene.toml", "--out", "run", "--quiet", "--set", set]).with(0);
    let mut snapshots: Vec<String> = fs::read_dir(place.join("run/snapshots"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".h5"))
        .map(|name| format!("run/snapshots/{name}"))
        .collect();
    snapshots.sort();
    (place, snapshots)
}

fn json(out: &str) -> Value {
    serde_json::from_str(out).unwrap_or_else(|error| panic!("{error}:\n{out}"))
}

/// Every command that reads snapshots ends with a documented code on each of the files that once made one of them panic, ask
/// for the memory that the file claims, or go on for ever.
#[test]
fn hostile_snapshots_end_no_command_but_by_a_message() {
    let place = Place::new();
    let corpus = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../store/tests/hostile");
    let mut count = 0;
    for entry in std::fs::read_dir(corpus).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|ending| ending != "h5") {
            continue;
        }
        let file = path.to_str().unwrap();
        for command in [
            &["info", file, "--json"][..],
            &["measure", file, "--out", "measured"],
            &["picture", file, "--out", "picture.svg", "--forces"],
            &["export", file, "--to", "csv", "--out", "exported"],
        ] {
            let ended = place.riprap(command);
            assert_eq!(ended.code, Some(3), "{command:?}\n{}", ended.err);
            assert!(!ended.err.contains("panicked"), "{command:?}\n{}", ended.err);
        }
        count += 1;
    }
    assert!(count >= 6);
}

#[test]
fn a_run_is_measured_with_numbers_tables_and_plots() {
    let (place, snapshots) = with_run();
    let ended = place.riprap(&["measure", "run", "--json", "--plots", "svg,png", "--out", "m"]).with(0);
    let document = json(&ended.out);
    let of_snapshots: Vec<&Value> = document["snapshots"].as_array().unwrap().iter().collect();
    assert_eq!(of_snapshots.iter().filter(|s| s["file"] != "run").count(), snapshots.len());
    let last = &of_snapshots[snapshots.len() - 1]["measurements"];
    let coordination = last["coordination"]["coordination"]["value"].as_f64().unwrap();
    assert!(coordination > 1.0 && coordination < 6.0, "{last:#}");
    // The summary of the run says the same.
    let summary = place.summary("run");
    assert!((coordination - summary["coordination"].as_f64().unwrap()).abs() < 1e-9, "{summary:#}");
    assert!(last["strain"]["volumetric_strain"]["value"].is_number(), "{last:#}");
    // A few dozen forces in a box of disks do not fill all directions: the fit says so, the rest is there.
    assert_eq!(document["skipped"].as_array().unwrap().len(), 0);
    for file in document["files"].as_array().unwrap() {
        assert!(place.join(file.as_str().unwrap()).is_file(), "{file}");
    }
    let network = fs::read(place.join("m/force_network.png")).unwrap();
    assert_eq!(&network[1..4], b"PNG");
    assert!(place.read("m/displacements.svg").starts_with("<svg"));
    assert!(place.join("m/history_energies.svg").is_file());
    let table = place.read("m/measures.csv");
    assert!(table.lines().any(|line| line.contains(",coordination,rattlers,")), "{table}");
}

#[test]
fn what_cannot_be_measured_says_why_and_the_rest_is_made() {
    let (place, snapshots) = with_run();
    let last = snapshots.last().unwrap();
    let ended = place.riprap(&["measure", last, "--what", "strain,coordination", "--json"]).with(5);
    let measured = &json(&ended.out)["snapshots"][0]["measurements"];
    assert!(measured["strain"]["unavailable"].as_str().unwrap().contains("there is only one"), "{measured:#}");
    assert!(measured["coordination"]["coordination"]["value"].is_number());

    let far = place.riprap(&["measure", last, "--what", "stress", "--region", "x=5:6", "--json"]).with(5);
    let why = json(&far.out)["snapshots"][0]["measurements"]["stress"]["unavailable"].clone();
    assert!(why.as_str().unwrap().contains("no grain has its centre in the region"), "{why}");

    place.riprap(&["export", last, "--to", "xyz", "--out", "plain"]).with(0);
    let plain = fs::read_dir(place.join("plain")).unwrap().map(|e| e.unwrap().path());
    let plain = plain.into_iter().find(|path| path.extension().is_some_and(|e| e == "xyz")).unwrap();
    let asked = ["measure", plain.to_str().unwrap(), "--what", "forces,profile", "--json"];
    let measured = json(&place.riprap(&asked).with(5).out);
    let found = &measured["snapshots"][0]["measurements"];
    assert!(found["forces"]["unavailable"].as_str().unwrap().contains("no contacts are stored"), "{found:#}");
    assert!(found["profile"]["largest_mean_velocity"]["value"].is_number(), "{found:#}");

    let first = place.riprap(&["measure", &snapshots[0], "--what", "forces"]).with(5);
    assert!(first.out.contains("forces: not measured: no contact carries a force"), "{}", first.out);
    place.riprap(&["measure", last, "--what", "force"]).with(2);
    place.riprap(&["measure", last, "--region", "x=2:1"]).with(2);
    place.riprap(&["measure", "nowhere"]).with(3);
}

#[test]
fn a_damaged_snapshot_is_named_and_skipped() {
    let (place, snapshots) = with_run();
    let damaged = &snapshots[1];
    let bytes = fs::read(place.join(damaged)).unwrap();
    fs::write(place.join(damaged), &bytes[..bytes.len() / 2]).unwrap();
    let ended = place.riprap(&["measure", "run", "--what", "coordination", "--json"]).with(3);
    assert!(ended.err.contains("skipped") && ended.err.contains("snapshot_000000030.h5"), "{}", ended.err);
    let document = json(&ended.out);
    assert_eq!(document["skipped"].as_array().unwrap().len(), 1);
    assert_eq!(document["snapshots"].as_array().unwrap().len(), snapshots.len() - 1);
}

#[test]
fn runs_measure_as_they_go() {
    let (place, _) = with_run();
    let table = place.read("run/measures.csv");
    let rows: Vec<Vec<&str>> = table.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let steps: Vec<&str> = rows.iter().filter(|r| r[3] == "coordination").map(|r| r[0]).collect();
    assert_eq!(steps, ["30", "60", "90", "120"]);
    // Fits have their uncertainty, range and points, or say why there is none.
    for row in rows.iter().filter(|r| r[3] == "tail_exponent") {
        assert!(
            (!row[5].is_empty() && row[6..10].iter().all(|cell| !cell.is_empty())) || !row[10].is_empty(),
            "{row:?}"
        );
    }
    assert!(rows.iter().any(|r| r[2] == "stress" && r[3] == "pressure" && !r[5].is_empty()), "{table}");
}

#[test]
fn the_spread_of_solutions_and_the_rank_are_told_for_a_small_run() {
    let (place, snapshots) = with_run();
    let last = snapshots.last().unwrap();
    let ended = place.riprap(&["measure", last, "--what", "indeterminacy", "--json"]).with(0);
    let rank = &json(&ended.out)["snapshots"][0]["measurements"]["indeterminacy"];
    let number = |name: &str| rank[name]["value"].as_f64().unwrap();
    assert_eq!(number("equations_of_balance"), 3.0 * GRAINS as f64);
    assert!((number("rank") + number("indeterminacy") - number("unknown_forces")).abs() < 1e-9);
    let ended = place.riprap(&["measure", "run", "--what", "spread", "--json"]).with(0);
    let document = json(&ended.out);
    let spread = document["snapshots"].as_array().unwrap().iter().find(|s| s["file"] == "run").unwrap();
    assert!(spread["measurements"]["spread"]["relative_spread"]["value"].as_f64().unwrap() >= 0.0);
    place.riprap(&["measure", last, "--what", "spread"]).with(5);
}

#[test]
fn pictures_are_drawn_or_refused() {
    let (place, snapshots) = with_run();
    let (first, last) = (&snapshots[0], snapshots.last().unwrap());
    place.riprap(&["picture", last, "--forces", "--out", "chains.png"]).with(0);
    assert_eq!(&fs::read(place.join("chains.png")).unwrap()[1..4], b"PNG");
    place.riprap(&["picture", last, "--colour", "displacement", "--since", first, "--out", "moved.svg"]).with(0);
    assert!(place.read("moved.svg").contains("displacement (m)"));
    let alone = place.riprap(&["picture", last, "--colour", "rotation", "--out", "turned.svg"]).with(5);
    assert!(alone.err.contains("compares two snapshots"), "{}", alone.err);
    place.riprap(&["picture", last, "--out", "chains.gif"]).with(2);
    place.riprap(&["picture", last, "--axes", "xz", "--out", "a.svg"]).with(5);
    place.riprap(&["picture", "nothing.h5"]).with(3);
    // A run folder means its last snapshot; shaded pictures have the size that is asked for.
    place.riprap(&["picture", "run", "--look", "contacts=all", "--size", "400x300", "--out", "shaded.png"]).with(0);
    assert_eq!(png_size(&fs::read(place.join("shaded.png")).unwrap()), [400, 300]);
    let wrong = place.riprap(&["picture", "run", "--look", "array=mood"]).with(2);
    assert!(wrong.err.contains("mood"), "{}", wrong.err);
    place.riprap(&["picture", "run", "--look", "--out", "shaded.svg"]).with(2);
}

/// Width and height of a PNG.
fn png_size(bytes: &[u8]) -> [u32; 2] {
    assert_eq!(&bytes[1..4], b"PNG");
    [16, 20].map(|at| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()))
}

#[test]
fn movies_are_made_with_nothing_else_installed() {
    let (place, snapshots) = with_run();
    let size = ["--size", "320x240"];
    place.riprap(&[&["movie", "run", "--out", "pictures"], &size[..]].concat()).with(0);
    assert_eq!(fs::read_dir(place.join("pictures")).unwrap().count(), snapshots.len());
    place.riprap(&[&["movie", "run", "--out", "run.gif", "--fps", "10"], &size[..]].concat()).with(0);
    let gif = fs::read(place.join("run.gif")).unwrap();
    assert_eq!(&gif[..6], b"GIF89a");
    assert_eq!([6, 8].map(|at| u16::from_le_bytes(gif[at..at + 2].try_into().unwrap())), [320, 240]);
    place.riprap(&[&["movie", "run", "--out", "run.png", "--look", "array=id"], &size[..]].concat()).with(0);
    let animated = fs::read(place.join("run.png")).unwrap();
    assert_eq!(png_size(&animated), [320, 240]);
    let control = animated.windows(4).position(|word| word == b"acTL").expect("it is animated") + 4;
    assert_eq!(u32::from_be_bytes(animated[control..control + 4].try_into().unwrap()) as usize, snapshots.len());
    place.riprap(&["movie", "run", "--out", "run.txt"]).with(2);
    place.riprap(&["movie", "nowhere", "--out", "run.gif"]).with(3);
}

#[test]
fn a_loading_test_gives_its_curves_and_other_runs_say_why_not() {
    let place = Place::new();
    place.riprap(&["new", "shear-cell"]).with(0);
    let limits = ["stages.0.end.steps=30", "stages.1.end.steps=30", "outputs.snapshot_formats=[\"h5\"]"];
    let mut arguments = vec!["run", "shear-cell.toml", "--out", "sheared", "--threads", "1"];
    limits.iter().for_each(|limit| arguments.extend(["--set", limit]));
    place.riprap(&arguments).with(0);
    let table = place.read("sheared/loading.csv");
    assert!(table.starts_with("step,time_s,stage,length_x_m,length_y_m,stress_x_Pa"), "{table}");
    let measured = place.riprap(&["measure", "sheared", "--what", "loading", "--plots", "svg", "--json"]).with(0);
    let document = json(&measured.out);
    let text = document.to_string();
    assert!(text.contains("peak_stress_ratio") && text.contains("mean_inertial_number"), "{document:#}");
    for plot in ["stress", "stress_ratio", "volume", "path", "compression", "criteria"] {
        let path = place.join(&format!("sheared/measure/loading_{plot}.svg"));
        assert!(fs::read_to_string(&path).is_ok_and(|text| text.contains("<svg")), "{}", path.display());
    }
    let (place, _) = with_run();
    assert!(!place.join("run/loading.csv").exists());
    let none = place.riprap(&["measure", "run", "--what", "loading"]).with(5);
    assert!(none.out.contains("loading: not measured: there is no loading.csv"), "{}", none.out);
}
