//! A law of contacts that is a Python function of arrays.

use crate::arrays::{column, cut};
use crate::simulation::Core;
use numpy::{PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use riprap_engine::LawTable;
use riprap_run::UserLaw;
use std::sync::{Arc, Mutex, PoisonError};

#[pymethods]
impl Core {
    /// Lets a function change the laws of contacts from the next step on; `None` for no more. It gets the columns of the
    /// contacts as a dict and returns those of shift, friction and adhesion.
    fn set_law(&self, function: Option<Py<PyAny>>) -> PyResult<()> {
        self.with(|inner| {
            let raised = Arc::clone(&inner.raised);
            let simulation = inner.simulation.as_mut().ok_or(crate::errors::Trouble::Closed)?;
            simulation
                .set_law(function.map(|function| -> Box<dyn UserLaw> { Box::new(PythonLaw { function, raised }) }));
            Ok(())
        })
        .map_err(PyErr::from)
    }
}

#[derive(Debug)]
struct PythonLaw {
    function: Py<PyAny>,
    /// Where an exception waits until the step has ended.
    raised: Arc<Mutex<Option<PyErr>>>,
}

impl UserLaw for PythonLaw {
    fn change(&mut self, laws: &mut LawTable) -> Result<(), String> {
        Python::attach(|py| self.call(py, laws)).map_err(|error| {
            let words = error.to_string();
            *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            words
        })
    }
}

impl PythonLaw {
    fn call(&self, py: Python<'_>, laws: &mut LawTable) -> PyResult<()> {
        let width = laws.dimension;
        let dict = PyDict::new(py);
        let ids = |side: usize| laws.bodies.iter().map(|bodies| i64::from(bodies[side].0)).collect::<Vec<_>>();
        dict.set_item("time", laws.time)?;
        dict.set_item("time_step", laws.time_step)?;
        dict.set_item("body1", column(py, ids(0)))?;
        dict.set_item("body2", column(py, ids(1)))?;
        dict.set_item("normal", cut(py, &laws.normal, width)?)?;
        dict.set_item("point", cut(py, &laws.point, width)?)?;
        dict.set_item("gap", column(py, laws.gap.clone()))?;
        dict.set_item("velocity", cut(py, &laws.velocity, width)?)?;
        dict.set_item("force", cut(py, &laws.force, width)?)?;
        dict.set_item("shift", cut(py, &laws.shift, width)?)?;
        dict.set_item("friction", column(py, laws.friction.clone()))?;
        dict.set_item("adhesion", column(py, laws.adhesion.clone()))?;
        let answer = self.function.call1(py, (dict,))?;
        let (shift, friction, adhesion): (
            PyReadonlyArray2<'_, f64>,
            PyReadonlyArray1<'_, f64>,
            PyReadonlyArray1<'_, f64>,
        ) = answer.extract(py)?;
        laws.friction = friction.to_vec()?;
        laws.adhesion = adhesion.to_vec()?;
        let rows = shift.as_array();
        laws.shift = rows
            .rows()
            .into_iter()
            .map(|row| std::array::from_fn(|axis| row.get(axis).copied().unwrap_or(0.0)))
            .collect();
        Ok(())
    }
}
