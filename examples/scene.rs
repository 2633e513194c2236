//! A scene defined in code: the run-out of a column of disks as a function of friction.
//!
//!     cargo run --release --example scene

use riprap::prelude::*;

/// A column of disks stands at a wall on a rough plane, and spreads.
const SCENE: &str = r#"
title = "a column of disks spreads"
dimension = 2

[materials.stone]
density = "2600 kg/m3"
friction = 0.5

[[walls]]
name = "floor"
shape = "plane"
point = [0, 0]
normal = [0, 1]

[[walls]]
name = "left"
shape = "plane"
point = [0, 0]
normal = [1, 0]

[[grains]]
sample = "lattice"
radius = "1 mm"
spacing = "2.05 mm"
jitter = "0.01 mm"
region = { box = { lower = ["0.1 mm", 0], upper = ["10 mm", "40 mm"] } }
count = 60

[[stages]]
name = "spread"
end = { time = "0.2 s" }
"#;

/// How far the foot of the heap is from the wall, in metres.
pub fn foot(friction: f64) -> Result<f64, RunError> {
    let change = Override { path: "materials.stone.friction".into(), value: friction.to_string() };
    let mut simulation = Simulation::new(load_scene(SCENE, "spread.toml", &[change])?)?;
    simulation.run(Until::End)?;
    let AnyWorld::D2(world) = simulation.world() else { unreachable!("the scene has two dimensions") };
    Ok(world.free_bodies().map(|body| world.state.position[body].x).fold(0.0, f64::max))
}

/// A few frictions.
pub fn main() -> Result<(), RunError> {
    for friction in [0.1, 0.3, 0.5] {
        println!("friction {friction}: the foot is at {:.1} mm", 1e3 * foot(friction)?);
    }
    Ok(())
}
