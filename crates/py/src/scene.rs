//! Scenes: checked, described and started from templates.

use crate::errors::{guarded, of_run};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use riprap::templates::TEMPLATES;
use riprap_run::{BesideScene, PreparedScene, RunError};
use riprap_scene::{Override, Scene};
use std::path::PathBuf;

/// A scene as Python hands it over: its text, the name of its file in messages, the folder from which it names files, and
/// values that take the place of others.
#[derive(FromPyObject)]
pub struct SceneText {
    text: String,
    file: String,
    folder: PathBuf,
    overrides: Vec<(String, String)>,
}

impl SceneText {
    /// The scene, checked.
    pub fn load(&self) -> Result<Scene, RunError> {
        let overrides =
            self.overrides.iter().map(|(path, value)| Override { path: path.clone(), value: value.clone() });
        let files = BesideScene::in_folder(&self.folder);
        Ok(riprap_scene::load_with_files(&self.text, &self.file, &overrides.collect::<Vec<_>>(), &files)?)
    }

    /// The scene with its grains and its world.
    pub fn prepare(&self) -> Result<PreparedScene, RunError> {
        Ok(PreparedScene::new(self.load()?, &self.folder)?)
    }
}

/// Checks a scene as a whole, and returns it with all choices made, as TOML.
#[pyfunction]
fn resolve(py: Python<'_>, scene: SceneText) -> PyResult<String> {
    guarded(|| py.detach(|| scene.prepare()).map(|prepared| prepared.scene.resolved()).map_err(|error| of_run(&error)))
}

/// The JSON schema of scenes.
#[pyfunction]
fn schema() -> String {
    riprap_scene::schema().to_string()
}

/// The scenes to start from: name, what it shows, text.
#[pyfunction]
fn templates() -> Vec<(&'static str, &'static str, &'static str)> {
    TEMPLATES.iter().map(|template| (template.name, template.about, template.text)).collect()
}

/// A value with its unit in SI units.
#[pyfunction]
fn in_si(text: &str, unit: &str) -> PyResult<f64> {
    riprap_scene::in_si(text, unit).map_err(PyValueError::new_err)
}

/// Adds these functions to the module.
pub fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(resolve, module)?)?;
    module.add_function(wrap_pyfunction!(schema, module)?)?;
    module.add_function(wrap_pyfunction!(in_si, module)?)?;
    module.add_function(wrap_pyfunction!(templates, module)?)
}
