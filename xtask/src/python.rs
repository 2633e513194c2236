//! The Python package: installed into an environment of its own, and tested there.

use crate::cargo::{Outcome, call};
use crate::environment;

/// What builds and tests the package.
const TOOLS: [&str; 8] = ["maturin>=1.9,<2", "numpy", "pytest", "mypy", "scipy", "pandas", "xarray", "matplotlib"];

/// Installs the package as a user would and runs its tests; says so where there is no Python.
pub fn check() -> Outcome {
    let Some(python) = environment::python("target/python", &TOOLS)? else {
        println!("== there is no python3 of version 3.11 or later: the Python package is not tested");
        return Ok(());
    };
    // Without isolation the build takes the tools that are there, and the release profile what is compiled already.
    let install = ["-m", "pip", "install", "--no-build-isolation", "--no-deps", "--force-reinstall", "."];
    call(&python, &install)?;
    call(&python, &["-m", "mypy", "crates/py/python/riprap", "crates/py/examples"])?;
    call(&python, &["-m", "pytest", "--quiet"])
}
