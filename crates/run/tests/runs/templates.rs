//! The scenes to start from, run as they are shipped: none of them warns.

use riprap_run::{PreparedScene, RunOptions, Simulation, Until};
use riprap_scene::Override;
use std::path::{Path, PathBuf};

/// Those that take less than a second or two of CPU time.
const SHORT: [&str; 23] = [
    "arch",
    "arch-collapse",
    "biaxial-walls",
    "collision",
    "corner",
    "cube",
    "deposit",
    "domino",
    "earthquake",
    "edges",
    "incline",
    "isotropic-cell",
    "isotropic-cell-disks",
    "isotropic-disks",
    "mortar-wall",
    "overhang",
    "painleve",
    "piston",
    "pushed-block",
    "rocking",
    "screw",
    "undrained",
    "wet",
];

/// Others, with fewer grains or less of their last stage.
const SHORTENED: [(&str, &[(&str, &str)]); 7] = [
    ("chute", &[("stages.0.end.time", "0.6 s")]),
    ("drum", &[("stages.1.end.time", "0.5 s")]),
    ("heap", &[("grains.0.count", "200")]),
    ("mixer", &[("stages.1.end.time", "0.4 s")]),
    ("recirculation", &[("stages.1.end.time", "0.2 s")]),
    ("oedometer", &[("grains.0.count", "200"), ("walls.0.upper", "[\"10 mm\", \"10 mm\", \"20 mm\"]")]),
    (
        "triaxial",
        &[
            ("grains.0.count", "150"),
            ("walls.0.upper", "[\"12 mm\", \"12 mm\", \"20 mm\"]"),
            ("stages.1.end.strain", "0.05"),
        ],
    ),
];

fn scene(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes").join(name).with_extension("toml")
}

/// The warnings that stand at the end of a run.
fn warnings(name: &str, changes: &[(&str, &str)]) -> Vec<String> {
    let change = |(path, value): &(&str, &str)| Override { path: (*path).into(), value: (*value).into() };
    let overrides: Vec<Override> = changes.iter().map(change).collect();
    let prepared = PreparedScene::from_file(&scene(name), &overrides).unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut simulation = Simulation::without_files(prepared, RunOptions::default()).unwrap();
    simulation.run(Until::End).unwrap_or_else(|error| panic!("{name}: {error}"));
    simulation.end().unwrap().warnings
}

#[test]
fn no_scene_to_start_from_warns_as_it_is_shipped() {
    let short = SHORT.iter().map(|name| (*name, warnings(name, &[])));
    let shortened = SHORTENED.iter().map(|(name, changes)| (*name, warnings(name, changes)));
    let warned: Vec<(&str, Vec<String>)> =
        short.chain(shortened).filter(|(_, warnings)| !warnings.is_empty()).collect();
    assert!(warned.is_empty(), "{warned:#?}");
}
