//! Scenes: checked, described and started from templates.

use crate::errors::{guarded, of_run};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use riprap::templates::TEMPLATES;
use riprap_run::SceneText;
use riprap_scene::Override;
use std::path::PathBuf;

/// A scene as Python hands it over: its text, the name of its file in messages, the folder from which it names files, and
/// values that take the place of others.
#[derive(FromPyObject)]
pub struct GivenScene {
    text: String,
    file: String,
    folder: PathBuf,
    overrides: Vec<(String, String)>,
}

impl From<GivenScene> for SceneText {
    fn from(GivenScene { text, file, folder, overrides }: GivenScene) -> Self {
        let overrides = overrides.into_iter().map(|(path, value)| Override { path, value }).collect();
        SceneText { text, file, folder, overrides }
    }
}

/// Checks a scene as a whole, and returns it with all choices made, as TOML.
#[pyfunction]
fn resolve(py: Python<'_>, scene: GivenScene) -> PyResult<String> {
    let scene = SceneText::from(scene);
    guarded(|| {
        py.detach(|| scene.prepare(&[])).map(|prepared| prepared.scene.resolved()).map_err(|error| of_run(&error))
    })
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
