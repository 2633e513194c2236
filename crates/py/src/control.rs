//! What Python changes between steps: bodies, forces, walls, the cell and laws.
//!
//! Shapes and numbers are checked on the Python side; what is checked here again is what would be a bug of that side.

use crate::arrays::vectors;
use crate::errors::{BodyError, of_run};
use crate::simulation::Core;
use numpy::PyReadonlyArray2;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use riprap_engine::{
    AnyWorld, BodyId, CellDriver, Dim, Freedom, Freedoms, GrainTable, Gravity, LoadedArea, Motion, PairLaw, Placement,
    Stretch, TimeFunction, Vector, World, for_any_world,
};
use std::path::Path;

/// What drives one motion: `("velocity", v)`, `("force", F)` or `("pressure", p, area)`; `None` leaves it as it is.
type Drive = Option<(String, f64, f64)>;

/// Balls to be added, a row each.
#[derive(FromPyObject)]
struct AddedBalls {
    position: Vec<[f64; 3]>,
    radius: Vec<f64>,
    velocity: Vec<[f64; 3]>,
    spin: Vec<[f64; 3]>,
    material: Vec<String>,
    group: Vec<String>,
}

impl From<AddedBalls> for GrainTable {
    fn from(balls: AddedBalls) -> Self {
        let AddedBalls { position, radius, velocity, spin, material, group } = balls;
        GrainTable { position, radius, velocity, spin, material, group, ..GrainTable::default() }
    }
}

/// Bodies.
#[pymethods]
impl Core {
    /// Says that Python controls the run, so that it is not resumed without Python.
    fn control(&self) -> PyResult<()> {
        self.look(|simulation| simulation.control().map_err(|error| of_run(&error)))
    }

    /// Changes, removes and adds grains, all at once or not at all, and returns the ids of those added.
    #[expect(clippy::too_many_arguments, reason = "columns of one table")]
    fn edit(
        &self,
        moved: Vec<u32>,
        position: PyReadonlyArray2<'_, f64>,
        velocity: PyReadonlyArray2<'_, f64>,
        spin: PyReadonlyArray2<'_, f64>,
        orientation: Vec<[f64; 4]>,
        balls: Vec<(u32, f64, u16)>,
        removed: Vec<u32>,
        added: AddedBalls,
    ) -> PyResult<Vec<u32>> {
        self.look(|simulation| {
            simulation.attempt(|simulation| {
                simulation.control().map_err(|error| of_run(&error))?;
                for_any_world!(simulation.world_mut(), world => {
                    change_motion(world, &moved, [&position, &velocity], &spin, &orientation)?;
                });
                for (id, radius, material) in balls {
                    simulation.change_ball(BodyId(id), radius, material).map_err(|error| of_run(&error))?;
                }
                for_any_world!(simulation.world_mut(), world => remove(world, &removed)?);
                let first = for_any_world!(simulation.world(), world => world.bodies.len());
                let ids = simulation.add_grains(added.into()).map_err(|error| of_run(&error))?;
                if !ids.is_empty() {
                    check_room(simulation.world(), first)?;
                }
                Ok(ids.into_iter().map(|id| id.0).collect())
            })
        })
    }

    /// Adds walls, described by `[[walls]]` tables, and returns their names.
    fn add_walls(&self, text: &str) -> PyResult<Vec<String>> {
        self.look(|simulation| {
            simulation.attempt(|simulation| {
                simulation.control().map_err(|error| of_run(&error))?;
                let first = for_any_world!(simulation.world(), world => world.bodies.len());
                simulation.add_walls(text, Path::new("")).map_err(|error| of_run(&error))?;
                check_room(simulation.world(), first)?;
                Ok(for_any_world!(simulation.world(), world => {
                    world.bodies[first..].iter().filter_map(|body| body.name.as_deref().map(str::to_owned)).collect()
                }))
            })
        })
    }

    /// Removes a wall.
    fn remove_wall(&self, name: &str) -> PyResult<()> {
        self.look(|simulation| {
            simulation.control().map_err(|error| of_run(&error))?;
            simulation.remove_wall(name).map_err(|error| of_run(&error))
        })
    }

    /// Force and torque on each grain in every step from now on, in the order of the grains; `None` for no more.
    fn apply_forces(
        &self,
        force: Option<PyReadonlyArray2<'_, f64>>,
        torque: Option<PyReadonlyArray2<'_, f64>>,
    ) -> PyResult<()> {
        self.look(|simulation| {
            for_any_world!(simulation.world_mut(), world => apply_forces(world, force.as_ref(), torque.as_ref()))
        })
    }
}

/// Walls, cell, gravity and laws.
#[pymethods]
impl Core {
    /// Puts back what the scene says about walls, cell, gravity, loads and laws in this stage.
    fn restore_stage(&self) -> PyResult<()> {
        self.look(|simulation| {
            simulation.restore_stage();
            Ok(())
        })
    }

    /// Drives a wall along and about the axes; a wall under a force or a pressure needs a mass.
    fn drive_wall(&self, id: u32, along: Vec<Drive>, about: Vec<Drive>, mass: Option<f64>) -> PyResult<()> {
        self.look(|simulation| {
            for_any_world!(simulation.world_mut(), world => drive_wall(world, BodyId(id), &along, &about, mass))
        })
    }

    /// Stretches the periodic cell along an axis: `("rate", 1/s)` or `("pressure", Pa)`.
    fn drive_cell(&self, axis: usize, kind: &str, value: f64) -> PyResult<()> {
        self.look(|simulation| for_any_world!(simulation.world_mut(), world => drive_cell(world, axis, kind, value)))
    }

    /// Gravity from now on.
    fn set_gravity(&self, acceleration: [f64; 3]) -> PyResult<()> {
        self.look(|simulation| {
            for_any_world!(simulation.world_mut(), world => world.gravity = Gravity::new(Vector::from_array3(acceleration)));
            Ok(())
        })
    }

    /// Gravity now.
    fn gravity(&self) -> PyResult<Vec<f64>> {
        self.look(|simulation| {
            Ok(for_any_world!(simulation.world(), world => {
                crate::state::components(world.gravity.at(world.state.time))
            }))
        })
    }

    /// The law between two materials.
    fn pair_law(&self, py: Python<'_>, a: u16, b: u16) -> PyResult<Py<PyDict>> {
        self.look(|simulation| {
            let law = for_any_world!(simulation.world(), world => world.materials.pair(a, b).clone());
            let dict = PyDict::new(py);
            dict.set_item("static_friction", law.static_friction)?;
            dict.set_item("dynamic_friction", law.dynamic_friction)?;
            dict.set_item("restitution", law.normal_restitution)?;
            dict.set_item("tangential_restitution", law.tangential_restitution)?;
            Ok(dict.unbind())
        })
    }

    /// Changes the law between two materials from now on.
    fn set_pair_law(
        &self,
        a: u16,
        b: u16,
        static_friction: f64,
        dynamic_friction: f64,
        restitution: f64,
        tangential_restitution: f64,
    ) -> PyResult<()> {
        self.look(|simulation| {
            for_any_world!(simulation.world_mut(), world => {
                let law = PairLaw {
                    static_friction,
                    dynamic_friction,
                    normal_restitution: restitution,
                    tangential_restitution,
                    friction_curve: None,
                    restitution_curve: None,
                    tangential_curve: None,
                    ..world.materials.pair(a, b).clone()
                };
                world.materials.set_pair(a, b, law);
            });
            Ok(())
        })
    }
}

fn index_of<D: Dim>(world: &World<D>, id: BodyId) -> PyResult<usize> {
    world.index_of(id).ok_or_else(|| BodyError::new_err(format!("there is no body with id {id}")))
}

fn change_motion<D: Dim>(
    world: &mut World<D>,
    ids: &[u32],
    [position, velocity]: [&PyReadonlyArray2<'_, f64>; 2],
    spin: &PyReadonlyArray2<'_, f64>,
    orientation: &[[f64; 4]],
) -> PyResult<()> {
    let indices = ids.iter().map(|&id| index_of(world, BodyId(id))).collect::<PyResult<Vec<_>>>()?;
    let position = vectors::<D::Vector>(position, ids.len(), "position")?;
    let velocity = vectors::<D::Vector>(velocity, ids.len(), "velocity")?;
    let spin = vectors::<D::Spin>(spin, ids.len(), "spin")?;
    if orientation.len() != ids.len() {
        return Err(PyValueError::new_err("there must be an orientation for each grain"));
    }
    for (row, index) in indices.into_iter().enumerate() {
        let placement = Placement {
            position: position[row],
            orientation: D::from_quaternion(orientation[row]),
            velocity: velocity[row],
            spin: spin[row],
        };
        let body = world.bodies[index].clone();
        world.change_body(BodyId(ids[row]), body, placement).map_err(|error| BodyError::new_err(error.to_string()))?;
    }
    Ok(())
}

fn remove<D: Dim>(world: &mut World<D>, ids: &[u32]) -> PyResult<()> {
    for &id in ids {
        let index = index_of(world, BodyId(id))?;
        if !world.bodies[index].is_free() {
            let name = world.bodies[index].name.as_deref().unwrap_or("");
            return Err(BodyError::new_err(format!("\"{name}\" is a wall; remove_wall removes it")));
        }
        if let Some(user) = world.used_by(BodyId(id)) {
            return Err(BodyError::new_err(format!("grain {id} cannot be removed: {user} refers to it")));
        }
    }
    for &id in ids {
        world.remove(BodyId(id)).map_err(|error| BodyError::new_err(error.to_string()))?;
    }
    Ok(())
}

/// An error if a body from index `first` on, all of which were added just now, overlaps another.
fn check_room(world: &AnyWorld, first: usize) -> PyResult<()> {
    let is_new = |body: u32| body as usize >= first;
    let found = world.overlaps(OVERLAP).into_iter().filter(|overlap| overlap.bodies.iter().any(|&body| is_new(body)));
    let Some(deepest) = found.max_by(|a, b| a.depth.total_cmp(&b.depth)) else { return Ok(()) };
    let name = |body: u32| {
        for_any_world!(world, world => match world.bodies[body as usize].name.as_deref() {
            Some(wall) => format!("wall \"{wall}\""),
            None if is_new(body) => format!("added grain {}", body as usize - first),
            None => format!("grain {}", world.state.id[body as usize]),
        })
    };
    let [a, b] = deepest.bodies;
    let (new, other) = if is_new(b) { (b, a) } else { (a, b) };
    Err(BodyError::new_err(format!("{} would overlap {} by {:.3e} m", name(new), name(other), deepest.depth)))
}

/// The part of the smaller radius by which an added ball may overlap others: what is left of two that touch.
const OVERLAP: f64 = 1e-3;

fn apply_forces<D: Dim>(
    world: &mut World<D>,
    force: Option<&PyReadonlyArray2<'_, f64>>,
    torque: Option<&PyReadonlyArray2<'_, f64>>,
) -> PyResult<()> {
    let free: Vec<usize> = world.free_bodies().collect();
    let force = force.map(|force| vectors::<D::Vector>(force, free.len(), "force")).transpose()?;
    let torque = torque.map(|torque| vectors::<D::Spin>(torque, free.len(), "torque")).transpose()?;
    world.applied.clear();
    if force.is_none() && torque.is_none() {
        return Ok(());
    }
    world.applied.resize(world.bodies.len(), Default::default());
    for (row, &body) in free.iter().enumerate() {
        world.applied[body].0 = force.as_ref().map_or(D::Vector::ZERO, |force| force[row]);
        world.applied[body].1 = torque.as_ref().map_or(D::Spin::ZERO, |torque| torque[row]);
    }
    Ok(())
}

fn drive_wall<D: Dim>(
    world: &mut World<D>,
    id: BodyId,
    along: &[Drive],
    about: &[Drive],
    mass: Option<f64>,
) -> PyResult<()> {
    let index = index_of(world, id)?;
    let Motion::Driven(freedoms) = &world.bodies[index].motion else {
        return Err(BodyError::new_err(format!("body {id} is a grain; walls are driven, grains are pushed by forces")));
    };
    let mut freedoms: Freedoms<D> = (**freedoms).clone();
    for (axis, drive) in along.iter().enumerate().take(D::AXES) {
        if let Some(drive) = drive {
            freedoms.translation[axis] = freedom(drive);
        }
    }
    for (axis, drive) in about.iter().enumerate().take(D::SPINS) {
        if let Some(drive) = drive {
            freedoms.rotation[axis] = freedom(drive);
        }
    }
    let body = &mut world.bodies[index];
    let mass = mass.unwrap_or(body.mass);
    let name = body.name.as_deref().unwrap_or("");
    if freedoms.translation[..D::AXES].iter().any(Freedom::is_loaded) && mass <= 0.0 {
        let message = format!("wall \"{name}\" needs a mass to move under a force or a pressure: set its mass first");
        return Err(PyValueError::new_err(message));
    }
    body.mass = mass;
    body.motion = Motion::Driven(Box::new(freedoms));
    Ok(())
}

fn freedom((kind, value, area): &(String, f64, f64)) -> Freedom {
    let value = TimeFunction::Constant(*value);
    match kind.as_str() {
        "velocity" => Freedom::Velocity(value),
        "pressure" => Freedom::Pressure { pressure: value, area: LoadedArea::Constant(*area) },
        _ => Freedom::Force(value),
    }
}

fn drive_cell<D: Dim>(world: &mut World<D>, axis: usize, kind: &str, value: f64) -> PyResult<()> {
    let driver: &mut CellDriver<D> = world
        .cell_driver
        .as_mut()
        .ok_or_else(|| PyValueError::new_err("the scene has no [cell], so the cell cannot be driven"))?;
    let value = TimeFunction::Constant(value);
    driver.stretch[axis.min(D::AXES - 1)] = match kind {
        "pressure" => Stretch::Pressure(value),
        _ => Stretch::Rate(value),
    };
    Ok(())
}
