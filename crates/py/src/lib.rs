//! The module behind the Python package: what of riprap crosses the border, in plain arrays, numbers and text.
//!
//! Names and documentation for users are on the Python side, in `crates/py/python/riprap`; nobody else imports this module.
//! Everything that steps or solves runs on the threads of a pool while Python's lock is free, and looks for Ctrl-C.

mod arrays;
mod control;
mod errors;
mod files;
mod law;
mod measuring;
mod scene;
mod simulation;
mod solve;
mod state;
mod study;
mod threads;
mod viewing;

use pyo3::prelude::*;
use std::ffi::OsString;

/// Carries out a command line of `riprap`, the name of the program first, and returns the exit code.
#[pyfunction]
fn command(py: Python<'_>, command_line: Vec<OsString>) -> u8 {
    py.detach(|| riprap_cli::main(command_line))
}

/// The module.
#[pymodule]
fn _riprap(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_function(wrap_pyfunction!(command, module)?)?;
    scene::add_to(module)?;
    files::add_to(module)?;
    solve::add_to(module)?;
    measuring::add_to(module)?;
    study::add_to(module)?;
    viewing::add_to(module)?;
    module.add_class::<simulation::Core>()
}
