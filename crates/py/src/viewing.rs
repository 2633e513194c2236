//! The page of the viewer, served from inside this process.

use crate::errors::{FileError, guarded, of_run};
use pyo3::prelude::*;
use riprap_view::{Server, Site};
use std::net::Ipv4Addr;
use std::path::PathBuf;

/// A server of some runs, until it is dropped.
#[pyclass(frozen, module = "riprap._riprap")]
struct Viewer {
    server: Server,
}

#[pymethods]
impl Viewer {
    /// Shows run folders or snapshots on the loopback address; port 0 is any that is free.
    #[staticmethod]
    fn open(paths: Vec<PathBuf>, port: u16) -> PyResult<Viewer> {
        guarded(|| {
            let mut site = Site::default();
            for path in paths {
                site.add(&path).map_err(|error| of_run(&error))?;
            }
            let server = Server::open(site, (Ipv4Addr::LOCALHOST, port).into())
                .map_err(|error| FileError::new_err(format!("cannot serve at port {port}: {error}")))?;
            Ok(Viewer { server })
        })
    }

    /// The address of the page, with its token.
    #[getter]
    fn url(&self) -> String {
        self.server.url()
    }
}

/// Adds the class to the module.
pub fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Viewer>()
}
