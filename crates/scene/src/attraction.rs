//! Attraction between grains: puts the liquid and the bonds of a scene into its world, and computes Bond numbers.

use crate::Scene;
use crate::fault::Collector;
use crate::model::*;
use crate::vector::length;
use riprap_engine::{Dim, Liquid, World};

impl Scene {
    /// True if bonds hold grains together, from some stage on.
    pub fn has_bonds(&self) -> bool {
        !self.model.bonds.is_empty()
    }

    /// How stiff compliant contacts are, and how strongly grains hold each other against their weight or the pressure on
    /// them, one line each; known once the world has been built.
    pub fn remarks(&self) -> &[String] {
        &self.remarks
    }

    /// Puts the liquid and the bonds of the first stage into a world that was just built.
    pub(crate) fn hold<D: Dim>(&mut self, world: &mut World<D>, faults: &mut Collector) {
        if let Some(spec) = &self.model.liquid {
            let mass: f64 = world.free_bodies().map(|body| world.bodies[body].mass).sum();
            let volume = match spec.amount {
                LiquidAmount::Content { content, density } => content * mass / density,
                LiquidAmount::Volume(volume) => volume,
            };
            if world.free_bodies().any(|body| world.bodies[body].shape.ball_radius().is_none()) {
                let help = "remove `[liquid]`, or use spheres";
                faults.add(
                    &spec.at.0,
                    "capillary bridges form between spheres only",
                    "some grains are not spheres",
                    help,
                );
            }
            world.liquid = Some(Liquid {
                surface_tension: spec.surface_tension,
                contact_angle: spec.contact_angle,
                volume,
                bridges: spec.bridges,
            });
        }
        self.glue(0, world, Some(faults));
        self.remarks.extend(self.bond_numbers(world));
    }

    /// Glues what is to be glued at the start of a stage; in the first stage, what cannot be is a fault.
    pub(crate) fn glue<D: Dim>(&self, stage: usize, world: &mut World<D>, mut faults: Option<&mut Collector>) {
        for spec in self.model.bonds.iter().filter(|spec| spec.stage == stage) {
            let grains = world.bodies.len() - self.model.walls.len();
            let group = match &spec.which {
                Glued::Group(name) => world.groups.iter().position(|group| group == name),
                _ => None,
            };
            let count = match &spec.which {
                Glued::All | Glued::Group(_) => {
                    let walls: Vec<_> =
                        spec.walls.iter().filter_map(|&wall| self.model.body_of_wall(wall, world)).collect();
                    let is_grain = |world: &World<D>, body: usize| {
                        body < grains && group.is_none_or(|group| usize::from(world.bodies[body].group) == group)
                    };
                    world.glue_touching(spec.strength, |world, bodies| {
                        let [a, b] = bodies.map(|body| body as usize);
                        match [a, b].map(|body| is_grain(world, body)) {
                            [true, true] => true,
                            [true, false] => walls.contains(&b),
                            [false, true] => walls.contains(&a),
                            [false, false] => false,
                        }
                    })
                }
                Glued::Pairs(pairs) => {
                    let fault = match pairs.iter().flatten().find(|&&grain| grain as usize >= grains) {
                        Some(grain) => {
                            let message = format!("a bond refers to grain {grain}, but there are only {grains}");
                            Some((format!("no such grain: {message}"), "grains are numbered from 0"))
                        }
                        None => world
                            .glue(spec.strength, pairs)
                            .err()
                            .map(|error| (error.to_string(), "only touching grains can be bonded")),
                    };
                    if let (Some((message, help)), Some(faults)) = (fault, faults.as_mut()) {
                        faults.add(&spec.at.0, message, "in this bond", help);
                    }
                    pairs.len()
                }
            };
            if let (0, Some(faults)) = (count, faults.as_mut()) {
                let help = "only touching grains can be bonded";
                faults.add(&spec.at.0, "there are no touching grains to bond", "", help);
            }
        }
    }

    /// Bond numbers: the force that holds two grains of mean size over the weight of one, or without gravity over the
    /// largest pressure times its diameter squared (in 2D, times its diameter and the thickness).
    fn bond_numbers<D: Dim>(&self, world: &World<D>) -> Vec<String> {
        let model = &self.model;
        let grains: Vec<_> = world.free_bodies().map(|body| &world.bodies[body]).collect();
        let count = grains.len().max(1) as f64;
        let radius = grains.iter().filter_map(|body| body.shape.bounding_radius()).sum::<f64>() / count;
        let mass = grains.iter().map(|body| body.mass).sum::<f64>() / count;
        let gravity = length(model.gravity.acceleration);
        let drivers = model.drivers.iter().chain(model.stages.iter().flat_map(|stage| &stage.drivers));
        let pressure = drivers
            .flat_map(|driver| driver.translation.iter().flatten())
            .map(|drive| match drive {
                Drive::Pressure(pressure) => pressure.largest(),
                _ => 0.0,
            })
            .fold(0.0, f64::max);
        let (scale, what) = if gravity > 0.0 {
            (mass * gravity, "the mean weight of a grain")
        } else if D::AXES == 2 {
            (
                pressure * 2.0 * radius * model.thickness,
                "the largest pressure times the mean diameter and the thickness",
            )
        } else {
            (pressure * (2.0 * radius).powi(2), "the largest pressure times the mean diameter squared")
        };
        let mut remarks = Vec::new();
        let mut remark = |force: f64, of: String| {
            let number = if scale > 0.0 { format!("{:.3e}", force / scale) } else { "infinite".to_owned() };
            remarks.push(format!("Bond number {number}: {of}, {force:.3e} N, divided by {what}, {scale:.3e} N"));
        };
        let mut used: Vec<u16> = grains.iter().map(|body| body.material).collect();
        used.sort_unstable();
        used.dedup();
        for (index, &a) in used.iter().enumerate() {
            for &b in &used[index..] {
                if let Some(cohesion) = world.materials.pair(a, b).cohesion {
                    let names = [a, b].map(|material| &world.materials.names()[usize::from(material)]);
                    let of = if a == b { names[0].clone() } else { format!("{} and {}", names[0], names[1]) };
                    remark(cohesion.force(0.5 * radius), format!("the cohesion of {of}"));
                }
            }
        }
        if let Some(liquid) = world.liquid {
            remark(liquid.attraction([radius; 2], 0.0, 0.0), "the force of a capillary bridge".to_owned());
        }
        remarks
    }
}
