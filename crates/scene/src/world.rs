//! From the model of a scene to a world, and from stage to stage.

use crate::bodies::volume_and_thickness;
use crate::fault::{Collector, Faults};
use crate::lower::{SpanSpec, active_cell, active_drivers, cell_spans, loaded_spans, period_fault};
use crate::model::*;
use crate::sample::{FILE_OVERLAP, LIST_OVERLAP};
use crate::vector::length;
use crate::{Scene, StageProgress};
use riprap_engine::{
    AnyWorld, Body, BodyId, Carrier, Cell, CellDriver, D2, D3, Damping, Dim, FARTHEST_RADII, Form, Freedom, Freedoms,
    GrainTable, Gravity, Hanging, Load, LoadedArea, Materials, Membrane, Method, Motion, Options, Overlap, PairLaw,
    Passage, Percussion, Placement, Scheme, Settings, Shape, Soft, Span, Spring, Stretch, Target, TimeFunction, Vector,
    World, for_any_world,
};
use std::ops::Range;

impl Scene {
    /// A world with these grains and the walls of the scene, all at rest but for the grains' own velocities; the first
    /// stage is to be entered next. Grains come first, so that the number of a grain is the number of its body.
    ///
    /// What the scene leaves open (time step, masses of pistons, intervals) is chosen here from the grains;
    /// [`Scene::choices`] and [`Scene::resolved`] say what was chosen.
    pub fn build(&mut self, grains: &GrainTable) -> Result<AnyWorld, Faults> {
        let mut faults = Collector::default();
        self.check_grains(grains, &mut faults);
        self.check_shapes(grains, &mut faults);
        if !faults.faults.is_empty() {
            return self.finish((), faults).map(|()| unreachable!("there are faults"));
        }
        self.settle(grains);
        let mut world = match self.model.dimension {
            2 => AnyWorld::D2(self.world::<D2>(grains)),
            _ => AnyWorld::D3(self.world::<D3>(grains)),
        };
        self.check_overlaps(&world, &mut faults);
        self.check_openings(&world, &mut faults);
        self.check_contents(&world, &mut faults);
        for_any_world!(&mut world, world => self.hold(world, &mut faults));
        self.finish(world, faults)
    }

    /// Bodies that are not balls may overlap by no more than balls may; those were looked at when they were placed.
    fn check_overlaps(&self, world: &AnyWorld, faults: &mut Collector) {
        let model = &self.model;
        let from_files = model.grains.iter().any(|entry| matches!(entry.sample, Sample::File { .. }));
        let is_body: Vec<bool> = for_any_world!(world, world => {
            world.bodies.iter().map(|body| matches!(body.shape, Shape::Convex(_) | Shape::Cluster(_) | Shape::Mesh(_))).collect()
        });
        if !is_body.contains(&true) {
            return;
        }
        let mut found = world.overlaps(if from_files { FILE_OVERLAP } else { LIST_OVERLAP });
        found.retain(|overlap| overlap.bodies.iter().any(|&body| is_body[body as usize]));
        if let Some(&Overlap { bodies: [a, b], depth }) = found.first() {
            let name = for_any_world!(world, world => world.bodies[a as usize].name.clone());
            let message = match name {
                Some(wall) => format!("grain {b} overlaps wall \"{wall}\" by {depth:.3e} m"),
                None => format!("grain {a} overlaps grain {b} by {depth:.3e} m"),
            };
            let others = if found.len() > 1 { format!(" ({} such pairs)", found.len()) } else { String::new() };
            faults.add(model.place_of_grains(), message + &others, "", "");
        }
    }

    /// Begins a stage: its drivers, materials, gravity, loads and numerical choices. `before` is the progress of the
    /// stage before, from which the times of drivers that hold on are known; there is none for the first stage.
    pub fn enter_stage(&self, stage: usize, world: &mut AnyWorld, before: Option<&StageProgress>) -> StageProgress {
        let progress = for_any_world!(&*world, world => StageProgress::start(&self.model, stage, world, before));
        let step_before = for_any_world!(&*world, world => world.settings.time_step);
        self.reenter_stage(stage, &progress, world);
        for_any_world!(world, world => {
            let step = std::mem::replace(&mut world.settings.time_step, step_before);
            world.change_time_step(step);
        });
        // The bonds of the first stage are in the world since it was built.
        if stage > 0 {
            for_any_world!(world, world => self.glue(stage, world, None));
        }
        progress
    }

    /// How far a stage is, from the numbers that a checkpoint has of it ([`StageProgress::to_numbers`]); none if they are too
    /// few.
    pub fn progress_from(&self, stage: usize, numbers: &[f64]) -> Option<StageProgress> {
        StageProgress::from_numbers(&self.model, stage, numbers)
    }

    /// Puts a stage that had begun before a checkpoint back into a world that was built again.
    pub fn reenter_stage(&self, stage: usize, progress: &StageProgress, world: &mut AnyWorld) {
        for_any_world!(world, world => self.apply(stage, progress, world));
    }

    /// Molecular dynamics knows the overlap of round grains only.
    fn check_shapes(&self, grains: &GrainTable, faults: &mut Collector) {
        let model = &self.model;
        if model.method != MethodSpec::Md {
            return;
        }
        let round = if model.dimension == 2 { "disks" } else { "spheres" };
        let help = format!("use {round}, or method = \"cd\"");
        let shaped = model.grains.iter().filter(|entry| entry.shape.is_some()).map(|entry| &entry.at.0);
        let fed = model.inlets.iter().filter(|inlet| inlet.shape.is_some()).map(|inlet| &inlet.at.0);
        let shaped = shaped.chain(fed).next();
        if shaped.is_some() || grains.form.iter().any(Option::is_some) {
            let place = shaped.unwrap_or_else(|| model.place_of_grains());
            faults.add(place, format!("method \"md\" supports no grains other than {round}"), "", &help);
        }
        for wall in model.walls.iter().filter(|wall| wall.shape.is_body()) {
            let message = format!("method \"md\" does not support the shape of wall \"{}\"", wall.name);
            faults.add(&wall.at.0, message, "", "use a plane, plate, drum or rod, or method = \"cd\"");
        }
        let drivers = model.drivers.iter().chain(model.stages.iter().flat_map(|stage| &stage.drivers));
        let has_motor = |driver: &&Driver| {
            driver.rotation.as_ref().is_some_and(|rotation| matches!(rotation.turn, Turn::Motor { .. }))
        };
        for driver in drivers.filter(has_motor) {
            let message = "method \"md\" does not support a motor with a largest torque";
            faults.add(&driver.at.0, message, "", "use method = \"cd\"");
        }
    }

    fn check_grains(&self, grains: &GrainTable, faults: &mut Collector) {
        let model = &self.model;
        let place = model.place_of_grains();
        let largest = grains.radius.iter().copied().fold(0.0, f64::max);
        if grains.is_empty() && model.inlets.is_empty() {
            faults.add(place, "there are no grains", "", "");
        }
        let mut places = grains.position.iter().zip(&grains.radius).map(|(&place, &radius)| (length(place), radius));
        if let Some(grain) = places.position(|(distance, radius)| distance > FARTHEST_RADII * radius) {
            let message = format!(
                "grain {grain} is {:e} m from the origin, farther than {FARTHEST_RADII:e} of its radii: its contacts could not be computed",
                length(grains.position[grain])
            );
            faults.add(place, message, "", "move the grains nearer to the origin");
        }
        for axis in 0..model.dimension {
            if let Some(message) = period_fault(model.period[axis], axis, largest) {
                faults.add(place, message, "", "");
            }
        }
        for load in model.loads.iter().chain(model.stages.iter().flat_map(|stage| &stage.loads)) {
            match &load.target {
                TargetSpec::Grain(grain) if *grain as usize >= grains.len() => {
                    let message =
                        format!("no such grain: a load refers to grain {grain}, but there are only {}", grains.len());
                    faults.add(place, message, "", "grains are numbered from 0");
                }
                TargetSpec::Group(name)
                    if !grains.group.contains(name) && !model.inlets.iter().any(|inlet| inlet.group == *name) =>
                {
                    faults.add(place, format!("no such group: a load refers to \"{name}\""), "", "");
                }
                _ => {}
            }
        }
        for spring in &model.springs {
            if let Some(grain) = spring.grains.iter().find(|&&grain| grain as usize >= grains.len()) {
                let message =
                    format!("no such grain: a spring refers to grain {grain}, but there are only {}", grains.len());
                faults.add(place, message, "", "grains are numbered from 0");
            }
        }
        for membrane in &model.membranes {
            let count = grains.group.iter().filter(|group| **group == membrane.group).count();
            if count < 2 {
                let message =
                    format!("a membrane needs at least two grains, but group \"{}\" has {count}", membrane.group);
                faults.add(place, message, "", "");
            }
        }
        for (number, form) in grains.forms.iter().enumerate() {
            if let Err(error) = volume_and_thickness(form, model.dimension) {
                faults.add(place, format!("form {number} of the grains is not a valid body: {error}"), "", "");
            }
        }
        if let Some(form) = grains.form.iter().flatten().find(|&&form| form as usize >= grains.forms.len()) {
            faults.add(place, format!("no such form: {form} of {}", grains.forms.len()), "", "");
        }
        for wall in &model.walls {
            if matches!(&wall.shape.form, WallForm::MeshFile { .. })
                && !grains.surfaces.iter().any(|(name, _)| *name == wall.name)
            {
                faults.add(&wall.at.0, format!("the surface of wall \"{}\" was not read", wall.name), "", "");
            }
        }
        self.check_materials(grains, faults);
    }

    fn check_materials(&self, grains: &GrainTable, faults: &mut Collector) {
        let model = &self.model;
        let is_known = |name: &String| model.materials.iter().any(|m| m.name == *name && m.density.is_some());
        if let Some(name) = grains.material.iter().find(|name| !is_known(name)) {
            faults.add(model.place_of_grains(), format!("there is no material \"{name}\" with a density"), "", "");
        }
    }

    fn world<D: Dim>(&self, grains: &GrainTable) -> World<D> {
        let model = &self.model;
        let solver = Options { seed: model.seed, ..Options::default() };
        let settings = Settings { solver, ..Settings::new(0.0) };
        let mut world = World::new(settings);
        world.state.cell = starting_cell(model);
        world.thickness = model.thickness;
        world.materials = materials(model, None);
        world.gravity = Gravity::none();
        model.solver.apply(&SolverSpec::default(), &mut world.settings);
        world.method = method(model);
        self.add_rows(grains, 0..grains.len(), &mut world);
        for inlet in &model.inlets {
            group(&inlet.group, &mut world.groups);
        }
        let walls = group("walls", &mut world.groups);
        for wall in &model.walls {
            add_wall(wall, wall.material as u16, walls, &grains.surfaces, &mut world);
        }
        world
    }

    /// Adds rows of a table of grains to a world of the scene in the middle of a run, and returns their ids. Materials are
    /// those of the scene; a name that is none of a material with a density is an error.
    pub fn add_grains(
        &self,
        grains: &GrainTable,
        rows: Range<usize>,
        world: &mut AnyWorld,
    ) -> Result<Vec<BodyId>, Faults> {
        let mut faults = Collector::default();
        self.check_materials(grains, &mut faults);
        self.finish((), faults)?;
        Ok(for_any_world!(world, world => self.add_rows(grains, rows, world)))
    }

    /// A grain of the scene's own as a body: with the mass that the density of its material gives it.
    pub fn ball<D: Dim>(&self, radius: f64, material: u16, group: u16) -> Body<D> {
        Body::ball(radius, self.density(usize::from(material))).material(material).group(group)
    }

    /// The density of a material, times the thickness in 2D.
    pub(crate) fn density(&self, material: usize) -> f64 {
        let material = self.model.materials.get(material);
        material.and_then(|material| material.density).unwrap_or_default() * self.model.thickness
    }

    fn add_rows<D: Dim>(&self, grains: &GrainTable, rows: Range<usize>, world: &mut World<D>) -> Vec<BodyId> {
        // Grains of one form share its shape.
        let mut shapes: Vec<Option<Shape<D>>> = vec![None; grains.forms.len()];
        let mut shape_of = |form: u32| -> Shape<D> {
            let shape = shapes[form as usize].get_or_insert_with(|| {
                // That every form is a body was checked in `build`.
                grains.forms[form as usize].shape().unwrap_or_else(|error| unreachable!("form {form}: {error}"))
            });
            shape.clone()
        };
        let material_index = |name: &str| self.model.materials.iter().position(|m| m.name == name).unwrap_or(0);
        let mut add = |index: usize| {
            let material = grains.material.get(index).map_or(0, |name| material_index(name));
            let group_name = grains.group.get(index).map_or("grains", String::as_str);
            let group = group(group_name, &mut world.groups);
            let body = match grains.form.get(index).copied().flatten() {
                Some(form) => Body::solid(shape_of(form), self.density(material)),
                None => Body::ball(grains.radius[index], self.density(material)),
            };
            world.add(body.material(material as u16).group(group), placement::<D>(grains, index))
        };
        rows.map(&mut add).collect()
    }

    /// A membrane of the scene, and the springs between its grains.
    fn membrane<D: Dim>(&self, spec: &MembraneSpec, start: f64, world: &World<D>) -> (Membrane, Vec<Spring>) {
        let group = world.groups.iter().position(|group| *group == spec.group).unwrap_or(0) as u16;
        let chain: Vec<u32> = (0..world.bodies.len() as u32)
            .filter(|&body| world.bodies[body as usize].group == group && world.bodies[body as usize].is_free())
            .collect();
        let along = match (chain.first(), chain.last()) {
            (Some(&first), Some(&last)) => world.state.position[last as usize] - world.state.position[first as usize],
            _ => D::Vector::ZERO,
        };
        let left = D::cross(D::Spin::from_fn(|axis| f64::from(axis + 1 == D::SPINS)), along);
        let springs = chain.windows(2).filter(|_| spec.stiffness > 0.0).map(|ends| Spring {
            bodies: [ends[0], ends[1]],
            stiffness: spec.stiffness,
            rest: spec.rest.unwrap_or_else(|| touching_distance(world, [ends[0], ends[1]])),
        });
        let springs = springs.collect();
        let pushes_left = left.dot(vector::<D>(spec.towards)) > 0.0;
        let (pressure, thickness) = (spec.pressure.delayed(start), self.model.thickness);
        (Membrane { chain, pressure, pushes_left, thickness }, springs)
    }

    /// Walls that are there in a stage, those that are not, and those that let some grains through.
    fn open_and_close<D: Dim>(&self, stage: usize, world: &mut World<D>) {
        let mut has_changed = false;
        for wall in 0..self.model.walls.len() {
            let Some(body) = self.model.body_of_wall(wall, world) else { continue };
            let passage = self.passage(wall, stage, &world.groups);
            has_changed |= world.bodies[body].passage != passage;
            world.bodies[body].passage = passage;
        }
        if has_changed {
            world.forget_pairs();
        }
    }

    fn passage(&self, wall: usize, stage: usize, groups: &[String]) -> Passage {
        let mut passage = if self.model.walls[wall].absent { Passage::Open } else { Passage::Closed };
        for stage in &self.model.stages[..=stage] {
            if stage.remove.contains(&wall) {
                passage = Passage::Open;
            }
            if stage.restore.contains(&wall) {
                passage = Passage::Closed;
            }
            if let Some((_, names)) = stage.let_through.iter().find(|(own, _)| *own == wall) {
                let indices = groups.iter().enumerate().filter(|(_, group)| names.contains(group));
                passage = Passage::Groups(indices.map(|(index, _)| index as u16).collect());
            }
        }
        passage
    }

    /// For each wall that a stage restores where grains are: its name, how many overlap it, and how deep they do.
    pub fn walls_in_grains(&self, stage: usize, world: &AnyWorld) -> Vec<(String, usize, f64)> {
        let restored = &self.model.stages[stage].restore;
        if restored.is_empty() {
            return Vec::new();
        }
        let overlaps = world.overlaps(LIST_OVERLAP);
        let of_wall = |&wall: &usize| {
            let name = &self.model.walls[wall].name;
            let body = for_any_world!(world, world => world.wall(name))?;
            let depths: Vec<f64> =
                overlaps.iter().filter(|overlap| overlap.bodies[0] == body).map(|overlap| overlap.depth).collect();
            let deepest = depths.iter().copied().fold(0.0, f64::max);
            (!depths.is_empty()).then(|| (name.clone(), depths.len(), deepest))
        };
        restored.iter().filter_map(of_wall).collect()
    }

    /// Sets everything that depends on the stage.
    fn apply<D: Dim>(&self, index: usize, progress: &StageProgress, world: &mut World<D>) {
        let model = &self.model;
        let stage = &model.stages[index];
        let start =
            |origin: Option<usize>| origin.map_or(0.0, |stage| progress.starts.get(stage).copied().unwrap_or(0.0));
        stage.solver.apply(&model.solver, &mut world.settings);
        if model.method == MethodSpec::Acd2 {
            let tolerance = stage.solver.midpoint_tolerance.or(model.solver.midpoint_tolerance).unwrap_or(0.0);
            world.settings.scheme = Scheme::Midpoint { tolerance };
        }
        world.materials = materials(model, Some(stage));

        let (tilt, origin) = match (&stage.tilt, stage.gravity) {
            (Some(tilt), _) => (Some(tilt), Some(index)),
            (None, Some(_)) => (None, None),
            (None, None) => (model.gravity.tilt.as_ref(), None),
        };
        world.gravity = Gravity {
            acceleration: vector::<D>(stage.gravity.unwrap_or(model.gravity.acceleration)),
            tilt: tilt.map(|(towards, angle)| (vector::<D>(*towards), angle.delayed(start(origin)))),
            ground: match (&stage.ground, &model.gravity.ground) {
                (Some(own), _) => Some(Box::new(own.each_ref().map(|f| f.delayed(start(Some(index)))))),
                (None, ground) => ground.clone().map(Box::new),
            },
        };

        world.loads.clear();
        world.percussions.clear();
        let own = stage.loads.iter().map(|load| (load, Some(index)));
        for (load, origin) in model.loads.iter().map(|load| (load, None)).chain(own) {
            let target = match &load.target {
                TargetSpec::All => Target::All,
                // Whoever steps the world may have removed the grain.
                TargetSpec::Grain(grain) => match world.index_of(BodyId(*grain)) {
                    Some(body) => Target::Body(body as u32),
                    None => continue,
                },
                // Every group that a load names was found in `build`.
                TargetSpec::Group(name) => {
                    Target::Group(world.groups.iter().position(|group| group == name).unwrap_or(0) as u16)
                }
            };
            let delayed = |functions: &[TimeFunction; 3]| functions.each_ref().map(|f| f.delayed(start(origin)));
            match &load.action {
                ActionSpec::Steady { force, torque } => {
                    world.loads.push(Load { target, force: delayed(force), torque: delayed(torque) });
                }
                ActionSpec::Percussion { time, impulse, arm } => {
                    let time = start(origin) + time;
                    world.percussions.push(Percussion { target, time, impulse: *impulse, arm: *arm });
                }
            }
        }

        world.springs = springs(model, world);
        world.membranes.clear();
        for membrane in model.membranes.iter().filter(|membrane| membrane.stage <= index) {
            let (chain, springs) = self.membrane(membrane, start(Some(membrane.stage)), world);
            world.membranes.push(chain);
            world.springs.extend(springs);
        }

        self.open_and_close(index, world);
        let cell = active_cell(model.cell.as_ref(), &model.stages[..=index]);
        world.cell_driver = cell.map(|(origin, cell)| cell_driver(model, cell, start(origin), world));
        let active = active_drivers(&model.drivers, &model.stages[..=index]);
        for wall in 0..model.walls.len() {
            let Some(index) = model.body_of_wall(wall, world) else { continue };
            let body = &mut world.bodies[index];
            (body.motion, body.mass, body.inertia) = (Motion::fixed(), 0.0, D::Spin::default());
            if let Some(&(origin, driver)) = active.iter().find(|(_, driver)| driver.wall == wall) {
                body.mass = driver.mass.unwrap_or(0.0);
                if let Some(inertia) = driver.rotation.as_ref().and_then(|rotation| rotation.turn.inertia()) {
                    body.inertia = D::Spin::from_fn(|_| inertia);
                }
                let motion = Motion::Driven(Box::new(freedoms(model, driver, start(origin), world)));
                world.bodies[index].motion = motion;
            }
        }
    }
}

/// The method in the engine's own type; what it leaves open has been chosen.
fn method(model: &Model) -> Method {
    let soft = &model.soft;
    match model.method {
        MethodSpec::Cd => Method::ContactDynamics,
        MethodSpec::Acd2 => Method::Percussions(model.percussions),
        MethodSpec::Md => Method::MolecularDynamics(Soft {
            stiffness: soft.stiffness.unwrap_or_default(),
            tangential_ratio: Some(soft.tangential_ratio),
            damping: soft.damping.map_or(Damping::FromRestitution, Damping::Given),
            clamp: soft.clamp,
            longest_step: soft.time_step.unwrap_or_default(),
        }),
    }
}

/// The index of a group, which is made if there is none of that name.
pub(crate) fn group(name: &str, groups: &mut Vec<String>) -> u16 {
    let found = groups.iter().position(|group| group == name).unwrap_or_else(|| {
        groups.push(name.to_owned());
        groups.len() - 1
    });
    u16::try_from(found).unwrap_or(u16::MAX)
}

/// A point in the engine's own type.
fn vector<D: Dim>(point: Point) -> D::Vector {
    D::Vector::from_array3(point)
}

fn placement<D: Dim>(grains: &GrainTable, index: usize) -> Placement<D> {
    let spin = grains.spin.get(index).copied().unwrap_or_default();
    Placement {
        position: vector::<D>(grains.position[index]),
        orientation: grains.orientation.get(index).map_or_else(D::Orientation::default, |&q| D::from_quaternion(q)),
        velocity: vector::<D>(grains.velocity.get(index).copied().unwrap_or_default()),
        // In 2D the only spin is the one about z.
        spin: D::Spin::from_fn(|i| if D::SPINS == 1 { spin[2] } else { spin[i] }),
    }
}

/// Adds a wall at rest to a world, in a material and a group of it.
pub(crate) fn add_wall<D: Dim>(
    wall: &Wall,
    material: u16,
    group: u16,
    surfaces: &[(String, Form)],
    world: &mut World<D>,
) -> BodyId {
    let placement = Placement {
        position: vector::<D>(wall.shape.position),
        orientation: D::from_quaternion(wall.shape.orientation),
        ..Placement::default()
    };
    let mut body = Body::wall(&wall.name, shape(wall, surfaces)).material(material).group(group);
    if wall.absent {
        body.passage = Passage::Open;
    }
    world.add(body, placement)
}

/// The engine's shape of a wall.
fn shape<D: Dim>(wall: &Wall, surfaces: &[(String, Form)]) -> Shape<D> {
    let form = match &wall.shape.form {
        WallForm::Primitive(primitive) => return primitive.shape(),
        WallForm::Block { form, .. } => form,
        WallForm::Mesh(surface) => &Form::Mesh(surface.clone()),
        WallForm::MeshFile { .. } => {
            let (_, form) = surfaces.iter().find(|(name, _)| *name == wall.name).expect("checked in `build`");
            form
        }
    };
    // That blocks and meshes are bodies was checked when they were read.
    form.shape().unwrap_or_else(|error| unreachable!("wall {}: {error}", wall.name))
}

/// The laws of all pairs of materials, as they are in a stage.
pub(crate) fn materials(model: &Model, stage: Option<&Stage>) -> Materials {
    let mut own: Vec<PairLaw> = model.materials.iter().map(|m| m.law.over(PairLaw::frictional(0.0))).collect();
    for (index, law) in stage.map_or(&[][..], |stage| &stage.materials) {
        own[*index] = law.over(own[*index].clone());
    }
    let mut materials = Materials::new(model.materials.iter().map(|m| m.name.clone()).zip(own));
    for pair in model.pairs.iter().chain(stage.map_or(&[][..], |stage| &stage.pairs)) {
        let [a, b] = pair.materials.map(|index| index as u16);
        let law = pair.law.over(materials.pair(a, b).clone());
        materials.set_pair(a, b, law);
    }
    materials
}

fn freedoms<D: Dim>(model: &Model, driver: &Driver, start: f64, world: &World<D>) -> Freedoms<D> {
    let mut freedoms = Freedoms::default();
    for (axis, drive) in driver.translation.iter().enumerate() {
        freedoms.translation[axis] = match drive {
            None => Freedom::default(),
            Some(Drive::Velocity(velocity)) => Freedom::Velocity(velocity.delayed(start)),
            Some(Drive::Acceleration(acceleration)) => {
                Freedom::Acceleration { acceleration: acceleration.delayed(start), start }
            }
            Some(Drive::Displacement(place)) => Freedom::Displacement(place.delayed(start)),
            Some(Drive::Force(force)) => Freedom::Force(force.delayed(start)),
            Some(Drive::Pressure(pressure)) => {
                // A positive pressure pushes along the normal, towards the grains.
                let component = model.walls[driver.wall].shape.plane_normal().map_or(1.0, |normal| normal[axis]);
                let pressure = pressure.delayed(start).scaled(component);
                Freedom::Pressure { pressure, area: loaded_area(model, driver, axis, world) }
            }
        };
    }
    if let Some(rotation) = &driver.rotation {
        for axis in 0..D::SPINS {
            let component = if D::SPINS == 1 { 1.0 } else { rotation.axis[axis] };
            freedoms.rotation[axis] = match &rotation.turn {
                Turn::Velocity(velocity) => Freedom::Velocity(velocity.delayed(start).scaled(component)),
                Turn::Angle(angle) => Freedom::Displacement(angle.delayed(start).scaled(component)),
                Turn::Torque { torque, .. } if component != 0.0 => {
                    Freedom::Force(torque.delayed(start).scaled(component))
                }
                Turn::Motor { velocity, largest, .. } if component != 0.0 => {
                    Freedom::Motor { velocity: velocity.delayed(start).scaled(component), largest: *largest }
                }
                Turn::Torque { .. } | Turn::Motor { .. } => Freedom::default(),
            };
        }
        let start = D::from_quaternion(model.walls[driver.wall].shape.orientation);
        freedoms.hanging = rotation
            .hinge
            .map(|Hinge { mass, arm }| Hanging { mass, arm: D::rotate(D::inverse(start), vector::<D>(arm)) });
    }
    freedoms.carrier = driver.on.and_then(|wall| {
        let id = world.state.id[model.body_of_wall(wall, world)?];
        Some(Carrier { id, aligned: D::from_quaternion(model.walls[wall].shape.orientation) })
    });
    freedoms
}

/// The driver of the cell, with the mass that the grains and the cell of the scene give it.
fn cell_driver<D: Dim>(model: &Model, cell: &CellSpec, start: f64, world: &World<D>) -> CellDriver<D> {
    let grains = || world.free_bodies().map(|body| &world.bodies[body]);
    let mass: f64 = grains().map(|body| body.mass).sum();
    let radii = grains().filter_map(|body| body.shape.bounding_radius());
    let diameter = 2.0 * radii.sum::<f64>() / grains().count().max(1) as f64;
    let at_start = starting_cell::<D>(model);
    // That the spans are known was checked when the scene was loaded.
    let spans = cell_spans(&model.walls, model.period, model.dimension).unwrap_or_default();
    CellDriver {
        stretch: cell.stretch.each_ref().map(|stretch| match stretch {
            Stretch::Fixed => Stretch::Fixed,
            Stretch::Rate(rate) => Stretch::Rate(rate.delayed(start)),
            Stretch::Pressure(pressure) => Stretch::Pressure(pressure.delayed(start)),
        }),
        shear: cell.shear.as_ref().map(|shear| shear.delayed(start)),
        mass: CellDriver::<D>::natural_mass(&at_start, mass, diameter) * cell.mass,
        spans: engine_spans(model, spans, world),
    }
}

fn loaded_area<D: Dim>(model: &Model, driver: &Driver, axis: usize, world: &World<D>) -> LoadedArea {
    if let Some(area) = driver.area {
        return LoadedArea::Constant(area);
    }
    // That the spans are known was checked when the scene was loaded.
    let spans = loaded_spans(&model.walls, model.period, model.dimension, driver.wall, axis).unwrap_or_default();
    LoadedArea::Spans(engine_spans(model, spans, world))
}

/// Spans in the engine's own type, with the thickness in 2D; one to a wall that was removed is left out.
fn engine_spans<D: Dim>(model: &Model, spans: Vec<SpanSpec>, world: &World<D>) -> Vec<Span> {
    let body = |wall: usize| model.body_of_wall(wall, world).map(|body| body as u32);
    let mut spans: Vec<Span> = spans
        .into_iter()
        .filter_map(|span| match span {
            SpanSpec::Period(axis) => Some(Span::Period(axis)),
            SpanSpec::Between([a, b], axis) => Some(Span::Between { walls: [body(a)?, body(b)?], axis }),
        })
        .collect();
    if model.dimension == 2 {
        spans.push(Span::Constant(model.thickness));
    }
    spans
}

/// The springs that the scene names by their grains; one of a grain that was removed is left out.
fn springs<D: Dim>(model: &Model, world: &World<D>) -> Vec<Spring> {
    let spring = |spec: &SpringSpec| {
        let [a, b] = spec.grains.map(|grain| world.index_of(BodyId(grain)).map(|body| body as u32));
        let bodies = [a?, b?];
        let rest = spec.rest.unwrap_or_else(|| touching_distance(world, bodies));
        Some(Spring { bodies, stiffness: spec.stiffness, rest })
    };
    model.springs.iter().filter_map(spring).collect()
}

/// The distance of the centres of two grains that touch.
fn touching_distance<D: Dim>(world: &World<D>, grains: [u32; 2]) -> f64 {
    grains.iter().map(|&grain| world.bodies[grain as usize].shape.bounding_radius().unwrap_or(0.0)).sum()
}

/// The periodic cell as the run begins.
fn starting_cell<D: Dim>(model: &Model) -> Cell<D> {
    Cell { tilt: model.tilt, ..Cell::new(vector::<D>(model.origin), vector::<D>(model.period)) }
}
