//! Bonds that break: each is a row of `bonds.csv`, the same after a kill, and a crack in snapshots.

use super::Place;
use riprap_engine::for_any_world;
use riprap_run::{PreparedScene, RunFolder, RunOptions, Simulation, Until, read_packing};
use riprap_store::read_snapshot;
use std::fs;
use std::path::Path;

/// Three bricks in mortar hang from a ceiling that cannot bear them. As they fall, the lowest is pulled down.
const HANGING: &str = r#"
dimension = 2
[materials.brick]
density = 2000
friction = 0.5
[[walls]]
name = "ceiling"
shape = "plate"
corners = [[-1, 0.3], [1, 0.3]]
[[grains]]
sample = "bricks"
lower = [0, 0]
brick = [0.5, 0.1]
courses = 3
bond = 0
[[bonds]]
tensile_strength = "1.5 kN"
shear_strength = "2 kN"
walls = ["ceiling"]
[[stages]]
name = "fall"
end = { time = 0.2 }
[[stages.loads]]
grain = 0
force = [0, { ramp = { to = "-3 kN", duration = 0.1 } }]
[solver]
time_step = 0.001
[outputs]
checkpoint_interval = 1e9
snapshot_interval = 0.05
snapshot_formats = ["h5", "vtp"]
"#;

fn prepared() -> PreparedScene {
    PreparedScene::new(riprap_scene::load(HANGING, "hanging.toml", &[]).unwrap(), Path::new("")).unwrap()
}

fn bonds(place: &Place) -> String {
    fs::read_to_string(place.path.join("bonds.csv")).unwrap()
}

/// The weight of a brick is 981 N. Of the load on the lowest of three falling bricks, the joint above it carries two thirds.
#[test]
fn every_bond_that_breaks_is_a_row_and_a_crack_also_after_a_kill() {
    let whole = Place::new();
    let mut run = Simulation::begin(prepared(), whole.folder(), RunOptions::default()).unwrap();
    run.run(Until::End).unwrap();
    run.end().unwrap();
    let text = bonds(&whole);
    let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|row| row.split(',').collect()).collect();
    assert!(!rows.is_empty(), "{text}");
    let number = |row: usize, name: &str| -> f64 {
        let column = text.lines().next().unwrap().split(',').position(|column| column == name).unwrap();
        rows[row][column].parse().unwrap()
    };
    // Three weights are more than the strength from the start: it breaks in the first step, with the force that it can bear.
    assert_eq!((number(0, "step"), rows[0][4]), (1.0, "tension"));
    assert!((number(0, "normal_force_N") + 1500.0).abs() < 1e-3 * 1500.0, "{text}");
    assert!((number(0, "y_m") - 0.3).abs() < 1e-9 && (number(0, "x_m") - 0.25).abs() < 1e-4, "{text}");
    assert!((number(0, "area_m2") - 0.5).abs() < 1e-9, "{text}");
    assert_eq!((rows.len(), [rows[1][2], rows[1][3]]), (2, ["0", "1"]), "{text}");
    // 2/3 of the load, 30 N more in every step, reaches 1.5 kN.
    assert!((number(1, "step") - 75.0).abs() <= 1.0, "{text}");

    let killed = Place::new();
    let mut run = Simulation::begin(prepared(), killed.folder(), RunOptions::default()).unwrap();
    run.run(Until::Steps(60)).unwrap();
    run.checkpoint().unwrap();
    run.run(Until::Steps(70)).unwrap();
    drop(run);
    let folder = RunFolder::existing(&killed.path).unwrap();
    let mut run = Simulation::resume(folder, RunOptions::default()).unwrap().expect("it is not completed");
    for_any_world!(run.world(), world => assert_eq!(world.state.cracks.len(), 1));
    run.run(Until::End).unwrap();
    run.end().unwrap();
    assert_eq!(bonds(&killed), text);

    let snapshots = whole.path.join("snapshots");
    let cracks = read_snapshot(&snapshots.join("snapshot_000000200.h5")).unwrap().cracks;
    assert_eq!(cracks.len(), rows.len());
    assert_eq!(cracks.body1[0].to_string(), rows[0][2]);
    let of_vtk = read_snapshot(&snapshots.join("snapshot_grains_000000200.vtp"));
    assert!(of_vtk.is_err(), "angular grains have their shapes in HDF5 only");
    assert!(snapshots.join("snapshot_cracks_000000200.vtp").is_file() && whole.path.join("cracks.pvd").is_file());
    let packing = read_packing(&snapshots.join("snapshot_000000200.h5")).unwrap();
    assert_eq!(packing.cracks.len(), rows.len());
    assert_eq!(packing.cracks[0].outline(2).len(), 2);
}
