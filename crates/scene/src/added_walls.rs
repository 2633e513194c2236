//! Walls that come in the middle of a run, in the words of a scene.

use crate::fault::{Collector, Faults};
use crate::raw::key_literal;
use crate::world::{add_wall, group};
use crate::{GrainSource, Scene, load};
use riprap_engine::{AnyWorld, BodyId, Form, for_any_world};

/// What a scene needs beside its materials and walls: it is never built.
const REST: &str = "\n[[grains]]\nsample = \"list\"\npositions = [POINT]\nradius = \"1 m\"\n\
                    [[stages]]\nname = \"none\"\nend = { time = \"1 s\" }\n";

impl Scene {
    /// Adds walls to a world of this scene, described by `[[walls]]` tables, and returns their ids. They are at rest;
    /// `surfaces` are those of walls that come from files ([`Scene::read_wall_surfaces`]).
    pub fn add_walls(
        &self,
        text: &str,
        surfaces: &[(String, Form)],
        world: &mut AnyWorld,
    ) -> Result<Vec<BodyId>, Faults> {
        let described = self.of_walls(text)?;
        let material = |index: usize| {
            let name = &described.model.materials[index].name;
            self.model.materials.iter().position(|material| material.name == *name).unwrap_or(0) as u16
        };
        Ok(for_any_world!(world, world => {
            let walls = group("walls", &mut world.groups);
            let added = described.model.walls.iter();
            added.map(|wall| add_wall(wall, material(wall.material), walls, surfaces, world)).collect()
        }))
    }

    /// The surfaces of the walls that such tables read from files, with the names of the walls.
    pub fn read_wall_surfaces(&self, text: &str, source: &dyn GrainSource) -> Result<Vec<(String, Form)>, Faults> {
        let described = self.of_walls(text)?;
        let mut faults = Collector::default();
        let surfaces = described.read_surfaces(source, &mut faults);
        described.finish(surfaces, faults)
    }

    /// A scene of these walls alone, with the materials of this one by name.
    fn of_walls(&self, text: &str) -> Result<Scene, Faults> {
        let dimension = self.model.dimension;
        let materials = self.model.materials.iter().map(|material| {
            format!("[materials.{}]\ndensity = \"1 kg/m3\"\nfriction = 0\n", key_literal(&material.name))
        });
        let rest = REST.replace("POINT", if dimension == 2 { "[0, 0]" } else { "[0, 0, 0]" });
        let whole = format!("dimension = {dimension}\n{text}\n{}{rest}", materials.collect::<String>());
        load(&whole, "the added walls", &[])
    }
}
