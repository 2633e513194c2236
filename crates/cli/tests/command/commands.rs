//! The commands around a run.

use crate::{GRAINS, Place, template_names};
use serde_json::Value;

#[test]
fn every_command_explains_itself_with_an_example() {
    let place = Place::new();
    let help = place.riprap(&["--help"]).with(0).out;
    for command in
        ["new", "check", "run", "resume", "compare", "info", "export", "solve", "selftest", "schema", "completions"]
    {
        assert!(help.contains(&format!("\n  {command}")), "{command} is not listed in\n{help}");
        let own = place.riprap(&[command, "--help"]).with(0).out;
        assert!(own.contains("Example"), "no example for {command}:\n{own}");
    }
    assert!(help.contains("Exit codes:") && help.contains("130"));
    place.riprap(&["--no-such-option"]).with(2);
    place.riprap(&[]).with(2);
}

#[test]
fn every_template_is_listed_written_once_and_without_fault() {
    let place = Place::new();
    let list = place.riprap(&["new"]).with(0).out;
    for name in template_names() {
        assert!(list.contains(&format!("  {name} ")), "{name} is not in\n{list}");
        place.riprap(&["new", name]).with(0);
        let checked = place.riprap(&["check", &format!("{name}.toml")]).with(0).out;
        assert!(checked.contains(" grain") && checked.contains("stages:"), "{checked}");
    }
    // Every scene of the project is one to start from.
    for scene in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes")).unwrap() {
        let name = scene.unwrap().file_name().into_string().unwrap();
        let known = name.strip_suffix(".toml").is_none_or(|name| template_names().any(|template| template == name));
        assert!(known, "{name} is no template");
    }
    let text = place.read("heap.toml");
    assert!(place.riprap(&["new", "heap"]).with(2).err.contains("already exists"));
    assert_eq!(place.read("heap.toml"), text);
    place.riprap(&["new", "drum", "mine.toml"]).with(0);
    assert_eq!(place.read("mine.toml"), place.read("drum.toml"));
    assert!(place.riprap(&["new", "heep"]).with(2).err.contains("did you mean `heap`?"));
    assert!(place.riprap(&["new", "glacier"]).with(2).err.contains("heap, deposit"));
}

#[test]
fn check_tells_all_faults_and_the_worst_exit_code() {
    let place = Place::new();
    std::fs::write(place.join("bad.toml"), crate::SCENE.replace("radius", "radios").replace("0.5", "-0.5")).unwrap();
    let checked = place.riprap(&["check", "scene.toml", "bad.toml"]).with(2);
    assert!(checked.out.contains("scene.toml: no errors"));
    assert!(checked.out.contains("24 grains in 2D") && checked.out.contains("3 walls"), "{}", checked.out);
    assert!(checked.err.contains("radios") && checked.err.contains("-0.5"), "{}", checked.err);
    place.riprap(&["check", "scene.toml", "nothing.toml"]).with(3);
    assert!(!place.join("runs").exists());
}

#[test]
fn the_states_of_the_set_of_scenes_are_the_pinned_ones_without_the_platforms_mathematics() {
    let place = Place::new();
    // The platform's mathematics chooses other variants, as on an older processor. Where it is not glibc, this says nothing.
    let other = "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4";
    for (threads, tunables) in [("1", ""), ("3", other)] {
        let mut command = place.command(&["selftest"]);
        let ended = command.env("RAYON_NUM_THREADS", threads).env("GLIBC_TUNABLES", tunables).output().unwrap();
        let said = crate::Ended::from(ended).with(0).out;
        assert!(said.contains(" scenes: bit-identical"), "{said}");
    }
}

#[test]
fn the_schema_is_json_and_completions_name_the_commands() {
    let place = Place::new();
    let schema: Value = serde_json::from_str(&place.riprap(&["schema"]).with(0).out).unwrap();
    assert!(schema["properties"]["grains"].is_object());
    for shell in ["bash", "zsh", "fish"] {
        assert!(place.riprap(&["completions", shell]).with(0).out.contains("resume"));
    }
}

#[test]
fn snapshots_go_through_every_format_and_keep_their_grains() {
    let place = Place::new();
    place.riprap(&["run", "scene.toml", "--out", "run", "--quiet"]).with(0);
    let facts =
        |path: &str| -> Value { serde_json::from_str(&place.riprap(&["info", path, "--json"]).with(0).out).unwrap() };
    let first = facts("run/snapshots/snapshot_000000000.h5");
    assert_eq!((first["grains"].as_u64(), first["dimension"].as_u64()), (Some(GRAINS), Some(2)));
    for (format, grains) in
        [("vtp", "snapshot_grains_"), ("csv", "snapshot_grains_"), ("xyz", "snapshot_"), ("dump", "snapshot_")]
    {
        place.riprap(&["export", "run", "--to", format]).with(0);
        let exported = facts(&format!("run/export-{format}/{grains}000000000.{format}"));
        assert_eq!(exported["grains"], first["grains"], "{format}");
        for end in 0..2 {
            let [a, b] = [&exported, &first].map(|facts| facts["centres_m"][1][end].as_f64().unwrap());
            assert!((a - b).abs() < 1e-9, "{format}: {a} is not {b}");
        }
    }
    // And back again, from one file beside which nothing else stands.
    let one = "run/export-csv/snapshot_grains_000000000.csv";
    place.riprap(&["export", one, "--to", "h5", "--out", "back"]).with(0);
    assert_eq!(facts("back/snapshot_grains_000000000.h5")["grains"], first["grains"]);
    place.riprap(&["export", "run/snapshots/nothing.h5", "--to", "csv"]).with(3);
}

#[test]
fn info_tells_what_a_path_holds() {
    let place = Place::new();
    place.riprap(&["run", "scene.toml", "--out", "run", "--quiet"]).with(0);
    let run = place.riprap(&["info", "run"]).with(0).out;
    assert!(run.contains("completed run") && run.contains("state hash"), "{run}");
    let newest =
        std::fs::read_dir(place.join("run/checkpoints")).unwrap().map(|entry| entry.unwrap().path()).max().unwrap();
    let checkpoint = place.riprap(&["info", newest.to_str().unwrap()]).with(0).out;
    assert!(checkpoint.contains("checkpoint at step 120"), "{checkpoint}");
    std::fs::write(place.join("cut.riprap"), &std::fs::read(&newest).unwrap()[..100]).unwrap();
    assert!(place.riprap(&["info", "cut.riprap"]).with(3).err.contains("cut off"));
    place.riprap(&["info", "nowhere"]).with(3);
    assert!(place.riprap(&["info", "scene.toml"]).with(3).err.contains("scene.toml"));
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    // As in `riprap schema | head -1`, but gone before the first word.
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = Place::new().command(&["schema"]).stdout(writer).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stderr.is_empty());
}

#[test]
fn what_is_not_there_is_told_with_what_was_probably_meant() {
    let place = Place::new();
    let told = |arguments: &[&str], code: i32| place.riprap(arguments).with(code).err;
    assert!(told(&["new", "haep"], 2).contains("did you mean `heap`?"));
    assert!(told(&["run", "heap"], 3).contains("`riprap new heap` creates a scene"));
    assert!(told(&["run", "scene"], 3).contains("did you mean scene.toml?"));
    assert!(told(&["check", "scne.toml"], 3).contains("did you mean `scene.toml`?"));
}

#[test]
fn the_limit_of_a_tilted_block_is_printed_and_its_trials_are_a_table() {
    let place = Place::new();
    std::fs::write(place.join("block.toml"), BLOCK).unwrap();
    let key = ["limit", "block.toml", "--key", "stages.0.tilt.angle", "--tolerance", "0.05", "--csv", "trials.csv"];
    let ended = place.riprap(&[&key[..], &["--from", "10 deg", "--to", "40 deg"]].concat()).with(0);
    assert!(
        ended.out.contains("limit of stages.0.tilt.angle: 21.") && ended.out.contains("10 deg: stands"),
        "{}",
        ended.out
    );
    let trials = place.read("trials.csv");
    assert!(trials.starts_with("value,fails,stage,ended_by,time\n10,0,tilted,time,"), "{trials}");
    let error = place.riprap(&[&key[..], &["--from", "10 deg", "--to", "0.5 rad"]].concat()).with(2).err;
    assert!(error.contains("different units"), "{error}");
    let error = place.riprap(&[&key[..], &["--from", "1 deg", "--to", "2 deg"]].concat()).with(2).err;
    assert!(error.contains("stands at both ends"), "{error}");
}

/// A block that slides at 21.8 degrees.
const BLOCK: &str = r#"
dimension = 2
[materials.stone]
density = "2600 kg/m3"
friction = 0.4
[[walls]]
name = "plane"
shape = "plane"
point = [0, 0]
normal = [0, 1]
[[grains]]
sample = "list"
shape = { box = { edges = ["20 cm", "10 cm"] } }
positions = [[0, "5 cm"]]
[solver]
time_step = "1 ms"
[[stages]]
name = "tilted"
tilt = { towards = [1, 0], angle = 0 }
end = { displacement = { distance = "1 mm" }, time = "0.3 s" }
"#;
