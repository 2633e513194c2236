//! The state of a simulation as arrays: copies, which stay as they are whatever the simulation does.

use crate::arrays::{Stock, Stocks, column, first, for_each_chosen, put, rows};
use crate::simulation::Core;
use numpy::PyArrayMethods;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use riprap_engine::{Contact, Dim, Energy, Inventory, Status, StepReport, Vector, World, for_any_world};
use riprap_measure as measure;

#[pymethods]
impl Core {
    /// A column of the grains, in the order of their ids.
    fn grain_column(&self, py: Python<'_>, name: &str) -> PyResult<Py<PyAny>> {
        self.look(
            |simulation| for_any_world!(simulation.world(), world => grain_column(py, world, name, self.stocks())),
        )
    }

    /// The number of contacts that touched or carried an impulse in the last step.
    fn contact_count(&self) -> PyResult<usize> {
        self.look(|simulation| Ok(for_any_world!(simulation.world(), world => touching(world).count())))
    }

    /// The columns that say where contacts are and what they carry, together.
    fn contact_group(&self, py: Python<'_>) -> PyResult<Py<PyDict>> {
        self.look(|simulation| for_any_world!(simulation.world(), world => contact_group(py, world, self.stocks())))
    }

    /// Another column of the contacts.
    fn contact_column(&self, py: Python<'_>, name: &str) -> PyResult<Py<PyAny>> {
        self.look(
            |simulation| for_any_world!(simulation.world(), world => contact_column(py, world, name, self.stocks())),
        )
    }

    /// The walls: names, and a column for each of their quantities.
    fn walls(&self, py: Python<'_>) -> PyResult<Py<PyDict>> {
        self.look(|simulation| for_any_world!(simulation.world(), world => walls(py, world)))
    }

    /// The names of materials and of groups.
    fn names(&self) -> PyResult<(Vec<String>, Vec<String>)> {
        self.look(|simulation| {
            Ok(for_any_world!(simulation.world(), world => (world.materials.names().to_vec(), world.groups.clone())))
        })
    }

    /// The number of grains.
    fn grain_count(&self) -> PyResult<usize> {
        self.look(|simulation| Ok(for_any_world!(simulation.world(), world => world.free_bodies().count())))
    }

    /// The report of the last step; `None` before the first.
    fn report(&self, py: Python<'_>) -> PyResult<Option<Py<PyDict>>> {
        self.look(|simulation| simulation.report().map(|report| report_dict(py, report)).transpose())
    }

    /// The terms of the energy balance now.
    fn energy(&self, py: Python<'_>) -> PyResult<Py<PyDict>> {
        self.look(|simulation| energy_dict(py, &for_any_world!(simulation.world(), world => world.state.energy)))
    }

    /// What bodies have brought in and taken away that were added, removed or changed.
    fn exchange(&self, py: Python<'_>) -> PyResult<Py<PyDict>> {
        self.look(|simulation| {
            for_any_world!(simulation.world(), world => {
                let dict = PyDict::new(py);
                dict.set_item("added", inventory_dict(py, &world.state.exchange.added)?)?;
                dict.set_item("removed", inventory_dict(py, &world.state.exchange.removed)?)?;
                Ok(dict.unbind())
            })
        })
    }

    /// The mean stress of the packed region as a matrix; an exception says why there is none.
    fn stress(&self, py: Python<'_>) -> PyResult<Vec<Vec<f64>>> {
        self.look(|simulation| {
            let world = simulation.world();
            let packing = measure::Packing::of_any(world);
            let found = py.detach(|| measure::stress(&packing, None));
            let stress = found.map_err(|why| pyo3::exceptions::PyValueError::new_err(why.to_string()))?;
            let size = world.dimension();
            Ok((0..size).map(|i| (0..size).map(|j| stress.contact[i][j]).collect()).collect())
        })
    }

    /// Origin and periods of the periodic cell, and how fast it stretches; a period of zero is none.
    fn cell(&self) -> PyResult<(Vec<f64>, Vec<f64>, Vec<f64>)> {
        self.look(|simulation| {
            Ok(for_any_world!(simulation.world(), world => {
                let cell = &world.state.cell;
                (components(cell.origin), components(cell.period), components(cell.rate))
            }))
        })
    }
}

/// The components of a vector.
pub fn components<V: Vector>(vector: V) -> Vec<f64> {
    (0..V::LEN).map(|axis| vector.get(axis)).collect()
}

fn unknown(kind: &str, name: &str) -> PyErr {
    PyKeyError::new_err(format!("{kind} have no column {name}"))
}

fn grain_column<D: Dim>(py: Python<'_>, world: &World<D>, name: &str, stocks: &Stocks) -> PyResult<Py<PyAny>> {
    let (state, bodies) = (&world.state, &world.bodies);
    let free = || world.free_bodies();
    let rows_of = |vectors: &[D::Vector]| {
        stocks.grains.with(world, |grains| crate::arrays::rows_of(py, vectors, grains, &stocks.floats))
    };
    Ok(match name {
        "id" => column(py, free().map(|i| i64::from(state.id[i].0)).collect()).into_any(),
        "position" => rows_of(&state.position)?,
        "velocity" => rows_of(&state.velocity)?,
        "spin" => rows(py, free().map(|i| state.spin[i]), &stocks.floats)?,
        "orientation" => {
            crate::arrays::cut(py, &free().map(|i| D::quaternion(state.orientation[i])).collect::<Vec<_>>(), 4)?
                .into_any()
        }
        "radius" => column(py, free().map(|i| bodies[i].shape.bounding_radius().unwrap_or(0.0)).collect()).into_any(),
        "mass" => column(py, free().map(|i| bodies[i].mass).collect()).into_any(),
        "material" => column(py, free().map(|i| i64::from(bodies[i].material)).collect()).into_any(),
        "group" => column(py, free().map(|i| i64::from(bodies[i].group)).collect()).into_any(),
        "is_ball" => column(py, free().map(|i| bodies[i].shape.ball_radius().is_some()).collect()).into_any(),
        _ => return Err(unknown("grains", name)),
    }
    .unbind())
}

/// The contacts that touched or carried an impulse in the last step.
fn touching<D: Dim>(world: &World<D>) -> impl Iterator<Item = &Contact<D>> {
    world.state.contacts.iter().filter(|contact| is_touching(contact))
}

fn is_touching<D: Dim>(contact: &Contact<D>) -> bool {
    contact.gap <= 0.0 || contact.status != Status::Open
}

/// The columns that are asked for together most often. A contact is much larger than each of its parts, so that reading all
/// of them again for each column would be most of the work; so would counting them first.
fn contact_group<D: Dim>(py: Python<'_>, world: &World<D>, stocks: &Stocks) -> PyResult<Py<PyDict>> {
    let (most, width, per_time) = (world.state.contacts.len(), D::Vector::LEN, 1.0 / world.time_step());
    let ids = [stocks.integers.memory(py, most)?, stocks.integers.memory(py, most)?];
    let gap = stocks.floats.memory(py, most)?;
    let floats = || stocks.floats.memory(py, width * most);
    let vectors = [floats()?, floats()?, floats()?];
    let mut count = 0;
    {
        let [mut first, mut second] = ids.each_ref().map(|memory| memory.readwrite());
        let (first, second) = (first.as_slice_mut()?, second.as_slice_mut()?);
        let mut gap = gap.readwrite();
        let gap = gap.as_slice_mut()?;
        let [mut point, mut normal, mut force] = vectors.each_ref().map(|memory| memory.readwrite());
        let (point, normal, force) = (point.as_slice_mut()?, normal.as_slice_mut()?, force.as_slice_mut()?);
        let contacts = &world.state.contacts;
        let mut read = 0.0;
        // A contact fills two cache lines or three; all of them are read while it is asked whether it touches.
        let touches = |index: usize| {
            let contact = &contacts[index];
            read += contact.normal.get(0) + contact.impulse.get(0) + contact.velocity.get(0);
            is_touching(contact)
        };
        for_each_chosen(contacts.len(), touches, |index| {
            let contact = &contacts[index];
            [first[count], second[count]] = contact.bodies.map(|body| i64::from(world.state.id[body as usize].0));
            gap[count] = contact.gap;
            let row = width * count..width * (count + 1);
            put(&mut point[row.clone()], contact.point);
            put(&mut normal[row.clone()], contact.normal);
            put(&mut force[row], contact.impulse * per_time);
            count += 1;
        });
        std::hint::black_box(read);
    }
    let dict = PyDict::new(py);
    for (name, memory) in ["body1", "body2"].into_iter().zip(&ids) {
        dict.set_item(name, first(memory, count, 0)?)?;
    }
    dict.set_item("gap", first(&gap, count, 0)?)?;
    for (name, memory) in ["point", "normal", "force"].into_iter().zip(&vectors) {
        dict.set_item(name, first(memory, count, width)?)?;
    }
    Ok(dict.unbind())
}

fn contact_column<D: Dim>(py: Python<'_>, world: &World<D>, name: &str, stocks: &Stocks) -> PyResult<Py<PyAny>> {
    let contacts = || touching(world);
    let per_time = 1.0 / world.time_step();
    Ok(match name {
        "impulse" => rows(py, contacts().map(|contact| contact.impulse), &stocks.floats)?,
        "velocity" => rows(py, contacts().map(|contact| contact.velocity), &stocks.floats)?,
        "torque" => {
            let touching = (0..).zip(&world.state.contacts).filter(|(_, contact)| is_touching(contact));
            rows(py, touching.map(|(index, _)| world.state.extras_of(index).torque * per_time), &stocks.floats)?
        }
        "status" => column(py, contacts().map(|contact| contact.status as u8).collect()).into_any(),
        _ => return Err(unknown("contacts", name)),
    }
    .unbind())
}

fn walls<D: Dim>(py: Python<'_>, world: &World<D>) -> PyResult<Py<PyDict>> {
    let loads = world.wall_loads();
    let state = &world.state;
    let walls = || loads.iter().map(|load| load.body as usize);
    let dict = PyDict::new(py);
    dict.set_item("name", walls().map(|i| world.bodies[i].name.as_deref().unwrap_or("")).collect::<Vec<_>>())?;
    dict.set_item("id", column(py, walls().map(|i| i64::from(state.id[i].0)).collect()))?;
    dict.set_item("mass", column(py, walls().map(|i| world.bodies[i].mass).collect()))?;
    // Walls are few: memory of their own leaves that of grains and contacts to these.
    let fresh = Stock::default();
    dict.set_item("position", rows(py, walls().map(|i| state.position[i]), &fresh)?)?;
    dict.set_item("velocity", rows(py, walls().map(|i| state.velocity[i]), &fresh)?)?;
    dict.set_item("spin", rows(py, walls().map(|i| state.spin[i]), &fresh)?)?;
    dict.set_item("force", rows(py, loads.iter().map(|load| load.force), &fresh)?)?;
    dict.set_item("torque", rows(py, loads.iter().map(|load| load.torque), &fresh)?)?;
    dict.set_item("power", column(py, loads.iter().map(|load| load.power).collect()))?;
    Ok(dict.unbind())
}

fn report_dict(py: Python<'_>, report: &StepReport) -> PyResult<Py<PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("step", report.step)?;
    dict.set_item("time", report.time)?;
    dict.set_item("time_step", report.time_step)?;
    dict.set_item("sweeps", report.sweeps)?;
    dict.set_item("substeps", report.substeps)?;
    dict.set_item("contact_updates", report.contact_updates)?;
    dict.set_item("converged", report.converged)?;
    dict.set_item("residual", report.residual)?;
    dict.set_item("worst_contact", report.worst_contact)?;
    dict.set_item("candidates", report.candidates)?;
    dict.set_item("contacts", report.contacts)?;
    dict.set_item("sliding", report.sliding)?;
    dict.set_item("max_overlap", report.max_overlap)?;
    dict.set_item("mean_overlap", report.mean_overlap)?;
    dict.set_item("momentum_error", report.momentum_error)?;
    dict.set_item("max_speed", report.max_speed)?;
    dict.set_item("unbalanced_force", report.unbalanced_force)?;
    dict.set_item("overlap_growth", report.overlap_growth)?;
    dict.set_item("jammed_compression", report.jammed_compression)?;
    dict.set_item("energy", energy_dict(py, &report.energy)?)?;
    Ok(dict.unbind())
}

fn energy_dict(py: Python<'_>, energy: &Energy) -> PyResult<Py<PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("kinetic", energy.kinetic)?;
    dict.set_item("potential", energy.potential)?;
    dict.set_item("elastic", energy.elastic)?;
    dict.set_item("initial", energy.initial)?;
    dict.set_item("exchanged", energy.exchanged)?;
    dict.set_item("loads", energy.loads)?;
    dict.set_item("drivers", energy.drivers)?;
    dict.set_item("friction", energy.friction)?;
    dict.set_item("impact", energy.impact)?;
    dict.set_item("rolling", energy.rolling)?;
    dict.set_item("torsion", energy.torsion)?;
    dict.set_item("cohesion", energy.cohesion)?;
    dict.set_item("bridges", energy.bridges)?;
    dict.set_item("scheme", energy.scheme)?;
    dict.set_item("created", energy.created)?;
    dict.set_item("error", energy.error())?;
    Ok(dict.unbind())
}

fn inventory_dict<D: Dim>(py: Python<'_>, inventory: &Inventory<D>) -> PyResult<Py<PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("bodies", inventory.bodies)?;
    dict.set_item("mass", inventory.mass)?;
    dict.set_item("momentum", components(inventory.momentum))?;
    dict.set_item("angular_momentum", components(inventory.angular_momentum))?;
    dict.set_item("kinetic", inventory.kinetic)?;
    dict.set_item("potential", inventory.potential)?;
    Ok(dict.unbind())
}
