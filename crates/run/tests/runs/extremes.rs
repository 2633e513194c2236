//! Scenes of all sizes, with the settings that they choose themselves.

use riprap_run::{Simulation, Until};

/// A ball that falls from a height of its radius, and rests for a while.
fn dropped(dimension: usize, unit: &str) -> String {
    let (place, normal) = if dimension == 2 { ("0, 0", "0, 1") } else { ("0, 0, 0", "0, 0, 1") };
    let start = if dimension == 2 { format!("0, \"2 {unit}\"") } else { format!("0, 0, \"2 {unit}\"") };
    format!(
        "dimension = {dimension}\n[materials.a]\ndensity = 2600\nfriction = 0.5\n[[walls]]\nname = \"floor\"\n\
         shape = \"plane\"\npoint = [{place}]\nnormal = [{normal}]\n[[grains]]\nsample = \"list\"\npositions = [[{start}]]\n\
         radius = \"1 {unit}\"\n[[stages]]\nname = \"fall\"\nend = {{ kinetic_energy_over_mgd = 1e-12 }}\n"
    )
}

#[test]
fn a_ball_of_any_size_comes_to_rest_on_the_floor() {
    for dimension in [2, 3] {
        for unit in ["um", "mm", "m", "km"] {
            let scene = riprap_scene::load(&dropped(dimension, unit), "ball.toml", &[]);
            let mut simulation = Simulation::new(scene.unwrap_or_else(|faults| panic!("{faults}"))).unwrap();
            simulation.run(Until::End).unwrap();
            let summary = simulation.end().unwrap().summary;
            let carried = summary["floor_force_over_weight"].as_f64().unwrap();
            assert!((carried - 1.0).abs() < 1e-9, "{unit}: the floor carries {carried} of the weight");
            assert_eq!((&summary["unconverged_steps"], &summary["contacts"]), (&0.into(), &1.into()));
            assert!(summary["worst_overlap_over_radius"].as_f64().unwrap() < 1e-9, "{unit}: {summary:#}");
        }
    }
}
