//! Scenes from text to worlds.

mod samples;
mod scenes;
mod worlds;

use riprap_engine::{AnyWorld, GrainTable};
use riprap_scene::{GrainSource, Scene, load};

/// A source with one small table for every path but those that start with "no".
struct Fixed;

impl GrainSource for Fixed {
    fn read(&self, path: &str) -> Result<GrainTable, String> {
        if path.starts_with("no") {
            return Err("there is no such file".to_owned());
        }
        Ok(GrainTable {
            position: vec![[0.1, 0.1, 0.1], [0.2, 0.1, 0.1]],
            radius: vec![0.01, 0.02],
            velocity: vec![[0.5, 0.0, 0.0], [0.0; 3]],
            ..GrainTable::default()
        })
    }
}

fn built(name: &str, text: &str) -> (Scene, GrainTable, AnyWorld) {
    let mut scene = load(text, name, &[]).unwrap_or_else(|faults| panic!("{name}:\n{faults}"));
    let grains = scene.sample(&Fixed).unwrap_or_else(|faults| panic!("{name}:\n{faults}"));
    let world = scene.build(&grains).unwrap_or_else(|faults| panic!("{name}:\n{faults}"));
    (scene, grains, world)
}
