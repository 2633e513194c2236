//! Scenes from text to worlds.

mod holding;
mod keys;
mod machines;
mod midpoint;
mod python;
mod samples;
mod scenes;
mod shapes;
mod worlds;

use riprap_engine::{AnyWorld, GrainTable, Surface, TableCell};
use riprap_scene::{GrainSource, Scene, load_with_files};

/// A source with one small table for every path but those that start with "no".
struct Fixed;

impl GrainSource for Fixed {
    fn read(&self, path: &str) -> Result<GrainTable, String> {
        if path.starts_with("no") {
            return Err("there is no such file".to_owned());
        }
        // A snapshot of a cell that was sheared.
        let cell = match path {
            "sheared.h5" => TableCell { origin: [0.0, -0.1, 0.0], period: [0.5, 0.4, 0.0], tilt: 0.07 },
            _ => TableCell::default(),
        };
        Ok(GrainTable {
            cell,
            position: vec![[0.1, 0.1, 0.1], [0.2, 0.1, 0.1]],
            radius: vec![0.01, 0.02],
            velocity: vec![[0.5, 0.0, 0.0], [0.0; 3]],
            ..GrainTable::default()
        })
    }

    /// A cube, or one without its last face for a path that starts with "open".
    fn read_surface(&self, path: &str) -> Result<Surface, String> {
        if path.starts_with("no") {
            return Err("there is no such file".to_owned());
        }
        let corner = |i: u32| [0, 1, 2].map(|axis| f64::from(i >> axis & 1));
        let mut faces: Vec<Vec<u32>> =
            [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]].map(Vec::from).into();
        if path.starts_with("open") {
            faces.pop();
        }
        Ok(Surface { vertices: (0..8).map(corner).collect(), faces })
    }

    /// An even record of a pulse, or what the path says.
    fn read_text(&self, path: &str) -> Result<String, String> {
        match path {
            "pulse.csv" => Ok("time (ms),ax (g)\n0,0\n100,0.5\n200,0\n".to_owned()),
            "sieves.csv" => Ok("sieve;d (mm);passing (%)\na;1;0\nb;2;40\nc;4;100\n".to_owned()),
            "unsorted.csv" => Ok("0,0\n2,1\n1,0\n".to_owned()),
            _ => Err("there is no such file".to_owned()),
        }
    }
}

fn built(name: &str, text: &str) -> (Scene, GrainTable, AnyWorld) {
    let mut scene = load_with_files(text, name, &[], &Fixed).unwrap_or_else(|faults| panic!("{name}:\n{faults}"));
    let grains = scene.sample(&Fixed).unwrap_or_else(|faults| panic!("{name}:\n{faults}"));
    let world = scene.build(&grains).unwrap_or_else(|faults| panic!("{name}:\n{faults}"));
    (scene, grains, world)
}
