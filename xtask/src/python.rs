//! The Python package: installed into an environment of its own, and tested there.

use crate::cargo::{Outcome, call};
use crate::environment;

/// What tests the package; what builds it is in pyproject.toml.
const TOOLS: [&str; 7] = ["numpy", "pytest", "mypy", "scipy", "pandas", "xarray", "matplotlib"];

/// Installs the package as a user would and runs its tests; says so where there is no Python.
pub fn check() -> Outcome {
    let Some(python) = environment::python("target/python", &TOOLS)? else {
        println!("== there is no python3 of version 3.11 or later: the Python package is not tested");
        return Ok(());
    };
    call(&python, &["-m", "pip", "install", "--no-deps", "--force-reinstall", "."])?;
    call(&python, &["-m", "mypy", "crates/py/python/riprap", "crates/py/examples"])?;
    call(&python, &["-m", "pytest", "--quiet"])
}
