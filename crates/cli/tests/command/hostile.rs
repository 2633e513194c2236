//! What files of people one does not know can do, and what they cannot: the sentences of SECURITY.md.

use crate::{Ended, Place, SCENE};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

impl Ended {
    /// Nothing that was said is a command to the terminal.
    #[track_caller]
    fn is_printable(&self) {
        for said in [&self.out, &self.err] {
            let command = said.chars().find(|c| c.is_control() && !"\n\t".contains(*c));
            assert_eq!(command, None, "{said:?}");
        }
    }
}

/// Every name that a run makes in its folder, of a run that makes as many as it can.
fn names_of_a_run(place: &Place) -> Vec<String> {
    let formats = r#"outputs.snapshot_formats=["h5", "vtp"]"#;
    let measure = r#"outputs.measure=["coordination"]"#;
    place
        .riprap(&["run", "scene.toml", "--out", "whole", "--set", formats, "--set", measure, "--dump-problem", "100"])
        .with(0);
    let mut names: Vec<String> = fs::read_dir(place.join("whole"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    // What is there while it runs, and what other scenes write.
    names.extend(
        [".room", "loading.csv", "bonds.csv", "flows.csv", "flow_classes.csv", "departures.csv"].map(str::to_owned),
    );
    names.sort();
    assert!(names.len() >= 19, "{names:?}");
    names
}

#[test]
fn a_run_writes_through_no_link_that_someone_put_into_its_folder() {
    let place = Place::new();
    let names = names_of_a_run(&place);
    fs::create_dir(place.join("elsewhere")).unwrap();
    fs::write(place.join("mine"), "mine").unwrap();
    let is_folder = |name: &str| place.join("whole").join(name).is_dir();
    for name in &names {
        let run = place.join("run");
        fs::create_dir_all(&run).unwrap();
        symlink(place.join(if is_folder(name) { "elsewhere" } else { "mine" }), run.join(name)).unwrap();
        place.riprap(&["run", "scene.toml", "--out", "run"]).with(2);
        place.riprap(&["run", "scene.toml", "--out", "run", "--continue"]);
        place.riprap(&["run", "scene.toml", "--out", "run", "--force"]).with(0);
        assert!(!run.join(name).is_symlink(), "{name}");
        fs::remove_dir_all(&run).unwrap();
        assert_eq!(fs::read_dir(place.join("elsewhere")).unwrap().count(), 0, "{name}");
        assert_eq!(place.read("mine"), "mine", "{name}");
    }
}

#[test]
fn a_folder_that_was_prepared_with_links_is_not_run() {
    let place = Place::new();
    let names = names_of_a_run(&place);
    fs::write(place.join("mine"), "mine").unwrap();
    for name in names.iter().filter(|name| *name != "scene.toml") {
        place.riprap(&["study", "scene.toml", "--seeds", "1", "--out", "s", "--prepare"]).with(0);
        symlink(place.join("mine"), place.join("s/seed=1").join(name)).unwrap();
        place.riprap(&["run", "s/seed=1"]).with(2);
        place.riprap(&["study", "s"]);
        assert_eq!(place.read("mine"), "mine", "{name}");
        fs::remove_dir_all(place.join("s")).unwrap();
    }
}

#[test]
fn a_study_has_no_runs_outside_of_its_folder_and_writes_nothing_to_the_terminal() {
    let place = Place::new();
    place.riprap(&["study", "scene.toml", "--seeds", "1", "--out", "s", "--prepare"]).with(0);
    let list = place.read("s/study.json");
    fs::create_dir(place.join("elsewhere")).unwrap();
    fs::copy(place.join("s/seed=1/scene.toml"), place.join("elsewhere/scene.toml")).unwrap();
    let absolute = place.join("elsewhere").to_str().unwrap().to_owned();
    for name in ["../elsewhere", absolute.as_str(), "seed=1/../../elsewhere", "..", "", "x=$(touch y)", "x=\\u001b[2J"]
    {
        fs::write(place.join("s/study.json"), list.replace("seed=1", name)).unwrap();
        for command in [&["study", "s"][..], &["gather", "s"]] {
            let ended = place.riprap(command).with(3);
            assert!(ended.err.contains("not the list of a study"), "{name}: {}", ended.err);
            ended.is_printable();
        }
        assert_eq!(fs::read_dir(place.join("elsewhere")).unwrap().count(), 1, "{name}");
    }
    fs::write(place.join("s/study.json"), list.replace("a few disks", "\\u001b[2J")).unwrap();
    place.riprap(&["gather", "s"]).with(3).is_printable();
}

#[test]
fn measurements_and_exports_of_a_run_stay_in_its_folder() {
    let place = Place::new();
    place.riprap(&["run", "scene.toml", "--out", "run", "--quiet"]).with(0);
    fs::create_dir(place.join("elsewhere")).unwrap();
    symlink(place.join("elsewhere"), place.join("run/measure")).unwrap();
    symlink(place.join("elsewhere"), place.join("run/export-csv")).unwrap();
    for command in [&["measure", "run"][..], &["export", "run", "--to", "csv"]] {
        let ended = place.riprap(command).with(2);
        assert!(ended.err.contains("is a link"), "{}", ended.err);
    }
    assert_eq!(fs::read_dir(place.join("elsewhere")).unwrap().count(), 0);
    // A folder that the user names is the user's, link or not.
    place.riprap(&["export", "run", "--to", "csv", "--out", "run/export-csv"]).with(0);
}

/// Every key of a scene that names a file; `PATH` stands for its name.
const KEYS_OF_FILES: [&str; 6] = [
    "[[grains]]\nsample = \"file\"\npath = \"PATH\"",
    "[[grains]]\nsample = \"snapshot\"\npath = \"PATH\"",
    "[[grains]]\nsample = \"blocks\"\npath = \"PATH\"",
    "[[grains]]\nsample = \"random\"\ncount = 1\nradius = \"1 mm\"\nshape = { file = { path = \"PATH\" } }",
    "[[walls]]\nname = \"mesh\"\nshape = \"mesh\"\npath = \"PATH\"",
    "[[drivers]]\nwall = \"box.left\"\nx = { velocity = { file = \"PATH\" } }",
];

const IN_SPACE: &str = r#"
title = "a ball in a box"
dimension = 3
[materials.glass]
density = "2600 kg/m3"
friction = 0.5
[[walls]]
name = "box"
shape = "box"
lower = [0, 0, 0]
upper = ["1 cm", "1 cm", "1 cm"]
[[grains]]
sample = "list"
positions = [["5 mm", "5 mm", "5 mm"]]
radius = "1 mm"
[[stages]]
name = "fall"
end = { steps = 1 }
"#;

#[test]
fn what_a_scene_names_is_read_only_if_it_is_a_file() {
    let place = Place::new();
    // Nobody writes to this pipe: who opens it waits for ever.
    nix::unistd::mkfifo(&place.join("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    for key in KEYS_OF_FILES {
        for path in ["/dev/zero", "pipe", ".", "../../../../../../../../dev/zero"] {
            fs::write(place.join("named.toml"), format!("{IN_SPACE}{}\n", key.replace("PATH", path))).unwrap();
            let ended = place.riprap(&["check", "named.toml"]).with(2);
            assert!(ended.err.contains("it is not a file"), "{key} {path}: {}", ended.err);
        }
        for path in ["a\\u001b[2Jb", "no\\u0000thing"] {
            fs::write(place.join("named.toml"), format!("{IN_SPACE}{}\n", key.replace("PATH", path))).unwrap();
            place.riprap(&["check", "named.toml"]).with(2).is_printable();
        }
    }
}

#[test]
fn nothing_in_a_file_is_a_command_to_the_terminal() {
    let place = Place::new();
    let escape = "\\u001b]0;x\\u0007\\u009b2J";
    let changes = [
        ("a few disks in a box", escape),
        ("dimension = 2", &format!("dimension = 2\n\"{escape}\" = 1")),
        ("sample = \"lattice\"", &format!("sample = \"{escape}\"")),
        ("\"1 mm\"", &format!("\"1 {escape}\"")),
        ("[materials.glass]", &format!("[materials.\"{escape}\"]")),
        ("name = \"settle\"", &format!("name = \"{escape}\"")),
        ("[solver]", "[solver] # \u{1b}[2J raw"),
        ("[solver]", "[solver]\n\u{1b}[2J = 1"),
        ("[solver]", "[solver]\nscheme = \"\u{9b}2J\""),
    ];
    for (old, new) in changes {
        let text = SCENE.replacen(old, new, 1);
        assert_ne!(text, SCENE, "{old}");
        fs::write(place.join("bad.toml"), &text).unwrap();
        place.riprap(&["check", "bad.toml"]).is_printable();
        fs::write(place.join("study.toml"), format!("scene = \"scene.toml\"\n[vary]\n\"{escape}\" = [\"{escape}\"]\n"))
            .unwrap();
        place.riprap(&["study", "study.toml", "--out", "s"]).with(2).is_printable();
    }
    // Files of columns, particles, triangles and contact problems, each wrong at the escape.
    let raw = "\u{1b}[2J";
    for (name, content) in [
        ("a.csv", format!("x,y,radius\n0,{raw},1\n")),
        ("b.csv", format!("x,{raw},radius\n0,0,1\n")),
        ("a.xyz", format!("1\nProperties={raw}:S:1:pos:R:3\n{raw} 0 0 0\n")),
        ("b.xyz", format!("{raw}\n\n")),
        ("a.dump", format!("ITEM: TIMESTEP\n{raw}\n")),
        ("a.stl", format!("solid {raw}\n facet normal {raw} 0 0\n")),
        ("a.obj", format!("v 0 0 {raw}\n")),
        ("a.vtp", format!("<VTKFile {raw}>")),
        ("a.dat", format!("2\n1\n{raw}\n")),
        ("a.h5", raw.to_owned()),
    ] {
        fs::write(place.join(name), content).unwrap();
        for key in ["grains]]\nsample = \"file\"", "walls]]\nname = \"m\"\nshape = \"mesh\""] {
            let end = SCENE.find("[solver]").unwrap();
            let text = format!("{}[[{key}\npath = \"{name}\"\n{}", &SCENE[..end], &SCENE[end..]);
            fs::write(place.join("bad.toml"), text).unwrap();
            place.riprap(&["check", "bad.toml"]).with(2).is_printable();
        }
        for command in ["info", "measure", "picture", "solve"] {
            let ended = place.riprap(&[command, name]);
            assert_ne!(ended.code, Some(0), "{command} {name}");
            ended.is_printable();
        }
    }
}

/// The files in a folder and those below it.
fn files_below(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        if entry.path().is_dir() { files_below(&entry.path(), found) } else { found.push(entry.path()) }
    }
}

#[test]
fn markup_in_names_stays_a_name() {
    let place = Place::new();
    let name = |key: &str| format!("{key}</script><script>alert(1)</script>\\\"&]]>,;'{key}");
    let text = SCENE
        .replace("a few disks in a box", &name("title"))
        .replace("[materials.glass]", &format!("[materials.\"{}\"]", name("glass")))
        .replace("name = \"box\"", &format!("name = \"{}\"", name("box")))
        .replace("name = \"settle\"", &format!("name = \"{}\"", name("settle")))
        .replace("sample = \"lattice\"", &format!("sample = \"lattice\"\ngroup = \"{}\"", name("group")));
    fs::write(place.join("scene.toml"), text).unwrap();
    let formats = r#"outputs.snapshot_formats=["h5", "vtp", "csv", "xyz", "dump"]"#;
    place.riprap(&["run", "scene.toml", "--out", "run", "--set", formats]).with(0);
    assert_eq!(place.summary("run")["title"], name("title").replace('\\', ""));
    place.riprap(&["measure", "run", "--plots", "svg"]);
    place.riprap(&["picture", "run", "--out", "run/picture.svg", "--title", &name("title")]).with(0);
    place.riprap(&["view", "run", "--export", "run/page.html"]).with(0);
    let mut files = Vec::new();
    files_below(&place.join("run"), &mut files);
    let mut seen = [0; 3];
    for path in files {
        let bytes = fs::read(&path).unwrap();
        match path.extension().and_then(|ending| ending.to_str()) {
            // What a browser or ParaView reads.
            Some("svg" | "html" | "vtp" | "pvd") => {
                seen[0] += 1;
                let text = String::from_utf8(bytes).unwrap();
                assert!(!text.contains("<script>alert(1)"), "{}", path.display());
            }
            // Every row has the fields of the header.
            Some("csv") => {
                seen[1] += 1;
                let text = String::from_utf8(bytes).unwrap();
                let separator = |line: &str| {
                    let mut inside = false;
                    line.chars()
                        .filter(|&c| {
                            inside ^= c == '"';
                            c == ',' && !inside
                        })
                        .count()
                };
                let columns = separator(text.lines().next().unwrap());
                assert!(text.lines().all(|line| separator(line) == columns), "{}", path.display());
            }
            Some("json") => {
                seen[2] += 1;
                serde_json::from_slice::<serde_json::Value>(&bytes).unwrap();
            }
            _ => {}
        }
    }
    assert!(seen.iter().all(|&count| count > 0), "{seen:?}");
    // On the screen the names are as they were.
    let ended = place.riprap(&["info", "run"]).with(0);
    assert!(ended.out.contains(&name("settle").replace('\\', "")), "{}", ended.out);
}

#[test]
fn a_scene_for_which_there_is_no_memory_is_told_so_before_anything_is_done() {
    let place = Place::new();
    let with = |memory: &str, arguments: &[&str]| {
        Ended::from(place.command(arguments).env("RIPRAP_MEMORY", memory).output().unwrap())
    };
    let large = ["--set", "grains.0.count=50000000", "--set", "walls.0.upper=[\"10 m\", \"10000 m\"]"];
    let checked = with("16GB", &[&["check", "scene.toml"], &large[..]].concat()).with(0);
    assert!(checked.out.contains("warning: the 50000000 grains of the scene would take about"), "{}", checked.out);
    assert!(checked.out.contains("there are 16.0 GB"), "{}", checked.out);
    let refused = with("16GB", &[&["run", "scene.toml", "--out", "run"], &large[..]].concat()).with(2);
    assert!(refused.err.contains("RIPRAP_MEMORY"), "{}", refused.err);
    assert!(!place.join("run").exists());
    // Grains in a file are counted once they are read.
    place.riprap(&["run", "scene.toml", "--out", "small"]).with(0);
    let file = "grains=[{ sample = \"file\", path = \"small/snapshots/snapshot_000000120.h5\" }]";
    with("64 kB", &["run", "scene.toml", "--out", "run", "--set", file]).with(2);
    assert!(!place.join("run").exists());
    let ended = with("a lot", &["check", "scene.toml"]).with(2);
    assert!(ended.err.contains("not an amount such as"), "{}", ended.err);
    assert!(with("1GB", &["check", "scene.toml"]).with(0).out.contains(" of memory\n"));
}

#[test]
fn a_run_whose_output_does_not_fit_on_the_disk_is_refused_and_check_says_how_much_it_is() {
    let place = Place::new();
    let with = |disk: &str, arguments: &[&str]| {
        Ended::from(place.command(arguments).env("RIPRAP_DISK", disk).output().unwrap())
    };
    let refused = with("1kB", &["run", "scene.toml", "--out", "run"]).with(2);
    for words in ["would write about", "1.00 kB free", "snapshot_interval", "RIPRAP_DISK"] {
        assert!(refused.err.contains(words), "{words}: {}", refused.err);
    }
    assert!(!place.join("run/summary.json").exists());
    with("1GB", &["run", "scene.toml", "--out", "fits", "--quiet"]).with(0);
    assert!(with("much", &["run", "scene.toml", "--out", "other"]).with(2).err.contains("RIPRAP_DISK"));
    let told = place.riprap(&["check", "scene.toml"]).with(0).out;
    for words in [" of output", " snapshots, each ", " as h5", "running time: ", " tried, "] {
        assert!(told.contains(words), "{words}: {told}");
    }
}
