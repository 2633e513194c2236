//! The Python package: installed into an environment of its own, and tested there.

use crate::cargo::{Outcome, call};
use crate::environment;

/// What tests the package; what builds it is in pyproject.toml.
const TOOLS: [&str; 9] = ["numpy", "pytest", "mypy", "scipy", "pandas", "xarray", "matplotlib", "h5py", "pyvista"];

/// Installs the package as a user would and runs its tests; says so where there is no Python.
pub fn check() -> Outcome {
    let Some(python) = install()? else {
        println!("== there is no python3 of version 3.11 or later: the Python package is not tested");
        return Ok(());
    };
    call(&python, &["-m", "mypy", "crates/py/python/riprap", "crates/py/examples"])?;
    call(&python, &["-m", "pytest", "--quiet"])
}

/// The Python of an environment into which the package is installed; `None` where there is no Python.
pub fn install() -> Result<Option<String>, String> {
    let python = environment::python("target/python", &TOOLS)?;
    if let Some(python) = &python {
        call(python, &["-m", "pip", "install", "--no-deps", "--force-reinstall", "."])?;
    }
    Ok(python)
}
