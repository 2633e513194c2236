//! Runs on disk: what their folders hold.

use crate::arrays::{column, cut};
use crate::errors::{FileError, guarded, of_run};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use riprap_run::{ListedSnapshot, RunFolder};
use riprap_store::{Snapshot, read_snapshot, state_hash};
use std::path::PathBuf;

/// The status of a run, `None` if it has no summary, and its snapshots: step, time, and the file that holds most.
#[pyfunction]
#[expect(clippy::type_complexity, reason = "a tuple in Python")]
fn run_folder(folder: PathBuf) -> PyResult<(Option<String>, Vec<(u64, f64, Option<PathBuf>)>)> {
    guarded(|| {
        let folder = RunFolder::existing(&folder).map_err(|error| of_run(&error))?;
        let listed = folder.listed_snapshots().map_err(|error| of_run(&error))?;
        let file = |listed: &ListedSnapshot| (listed.step, listed.time, listed.fullest_file(&folder));
        Ok((folder.status(), listed.iter().map(file).collect()))
    })
}

/// The hash of the state at the last good checkpoint of a run.
#[pyfunction]
fn folder_hash(py: Python<'_>, folder: PathBuf) -> PyResult<String> {
    guarded(|| {
        let world = py.detach(|| RunFolder::existing(&folder)?.world()).map_err(|error| of_run(&error))?;
        Ok(state_hash(&world))
    })
}

/// A snapshot: its facts, and the columns of grains, walls and contacts.
#[pyfunction]
fn snapshot(py: Python<'_>, file: PathBuf) -> PyResult<Py<PyDict>> {
    guarded(|| {
        let snapshot = py.detach(|| read_snapshot(&file)).map_err(|error| FileError::new_err(error.to_string()))?;
        snapshot_dict(py, snapshot)
    })
}

fn snapshot_dict(py: Python<'_>, snapshot: Snapshot) -> PyResult<Py<PyDict>> {
    let width = snapshot.dimension;
    // The only spin of a plane stands in the third component.
    let spins = |spins: &[[f64; 3]]| match width {
        2 => cut(py, &spins.iter().map(|spin| [spin[2]]).collect::<Vec<_>>(), 1),
        _ => cut(py, spins, 3),
    };
    let ids = |ids: &[u32]| column(py, ids.iter().map(|&id| i64::from(id)).collect());
    let numbers = |numbers: &[u16]| column(py, numbers.iter().map(|&number| i64::from(number)).collect());
    let from = &snapshot.grains;
    let grains = PyDict::new(py);
    grains.set_item("id", ids(&from.id))?;
    grains.set_item("position", cut(py, &from.position, width)?)?;
    let image: Vec<[f64; 3]> = from.image.iter().map(|image| image.map(f64::from)).collect();
    grains.set_item("image", cut(py, &image, width)?)?;
    grains.set_item("orientation", cut(py, &from.orientation, 4)?)?;
    grains.set_item("velocity", cut(py, &from.velocity, width)?)?;
    grains.set_item("spin", spins(&from.spin)?)?;
    grains.set_item("radius", column(py, from.radius.clone()))?;
    grains.set_item("mass", column(py, from.mass.clone()))?;
    grains.set_item("material", numbers(&from.material))?;
    grains.set_item("group", numbers(&from.group))?;
    let from = &snapshot.contacts;
    let contacts = PyDict::new(py);
    contacts.set_item("body1", ids(&from.body1))?;
    contacts.set_item("body2", ids(&from.body2))?;
    contacts.set_item("point", cut(py, &from.point, width)?)?;
    contacts.set_item("normal", cut(py, &from.normal, width)?)?;
    contacts.set_item("gap", column(py, from.gap.clone()))?;
    contacts.set_item("impulse", cut(py, &from.impulse, width)?)?;
    contacts.set_item("force", cut(py, &from.force, width)?)?;
    contacts.set_item("torque", spins(&from.torque)?)?;
    contacts.set_item("attraction", column(py, from.attraction.clone()))?;
    contacts.set_item("status", column(py, from.status.iter().map(|&status| status as u8).collect()))?;
    let walls = PyDict::new(py);
    walls.set_item("name", snapshot.walls.iter().map(|wall| wall.name.as_str()).collect::<Vec<_>>())?;
    walls.set_item("id", column(py, snapshot.walls.iter().map(|wall| i64::from(wall.id)).collect()))?;
    walls
        .set_item("position", cut(py, &snapshot.walls.iter().map(|wall| wall.position).collect::<Vec<_>>(), width)?)?;
    walls
        .set_item("velocity", cut(py, &snapshot.walls.iter().map(|wall| wall.velocity).collect::<Vec<_>>(), width)?)?;
    walls.set_item("spin", spins(&snapshot.walls.iter().map(|wall| wall.spin).collect::<Vec<_>>())?)?;
    let dict = PyDict::new(py);
    dict.set_item("dimension", snapshot.dimension)?;
    dict.set_item("time", snapshot.time)?;
    dict.set_item("step", snapshot.step)?;
    dict.set_item("time_step", snapshot.time_step)?;
    dict.set_item("gravity", snapshot.gravity[..width].to_vec())?;
    dict.set_item("origin", snapshot.cell.origin[..width].to_vec())?;
    dict.set_item("period", snapshot.cell.period[..width].to_vec())?;
    dict.set_item("materials", snapshot.materials)?;
    dict.set_item("groups", snapshot.groups)?;
    dict.set_item("grains", grains)?;
    dict.set_item("contacts", contacts)?;
    dict.set_item("walls", walls)?;
    Ok(dict.unbind())
}

/// Adds these functions to the module.
pub fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(run_folder, module)?)?;
    module.add_function(wrap_pyfunction!(folder_hash, module)?)?;
    module.add_function(wrap_pyfunction!(snapshot, module)?)
}
