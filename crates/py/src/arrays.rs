//! Arrays of NumPy from columns, and back.

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PySlice;
use riprap_engine::Vector;
use std::sync::{Mutex, PoisonError};

/// A column of numbers.
pub fn column<T: numpy::Element>(py: Python<'_>, values: Vec<T>) -> Bound<'_, PyArray1<T>> {
    values.into_pyarray(py)
}

/// A row for each vector of three components, cut to those of the dimension.
pub fn cut<'py, const N: usize>(
    py: Python<'py>,
    vectors: &[[f64; N]],
    width: usize,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let flat: Vec<f64> = vectors.iter().flat_map(|vector| vector[..width.min(N)].iter().copied()).collect();
    flat.into_pyarray(py).reshape([vectors.len(), width.min(N)])
}

/// The rows of an array as vectors; their number and width must be as expected.
pub fn vectors<V: Vector>(array: &PyReadonlyArray2<'_, f64>, count: usize, name: &str) -> PyResult<Vec<V>> {
    let view = array.as_array();
    if view.shape() != [count, V::LEN] {
        let shape = view.shape();
        let message = format!("{name} has shape ({}, {}), expected ({count}, {})", shape[0], shape[1], V::LEN);
        return Err(PyValueError::new_err(message));
    }
    Ok(view.rows().into_iter().map(|row| V::from_fn(|axis| row[axis])).collect())
}

/// Memory for the arrays that a simulation hands over again and again: that of arrays which Python has dropped is used
/// anew. Fresh memory costs several times the copying, since the system clears it page by page.
#[derive(Default)]
pub struct Stock<T> {
    kept: Mutex<Vec<Py<PyArray1<T>>>>,
}

/// The stocks of a simulation.
#[derive(Default)]
pub struct Stocks {
    pub floats: Stock<f64>,
    pub integers: Stock<i64>,
}

/// How many arrays a stock keeps: more than the columns that are handed over together.
const KEPT: usize = 8;

impl<T: numpy::Element> Stock<T> {
    /// Memory for so many numbers to which no array refers.
    pub fn memory<'py>(&self, py: Python<'py>, room: usize) -> PyResult<Bound<'py, PyArray1<T>>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        // As many references as to an array that nobody else can have.
        let alone = references(PyArray1::<T>::zeros(py, [1], false).unbind().bind(py))?;
        let mut in_use = Vec::with_capacity(KEPT);
        let mut found = None;
        for memory in kept.drain(..) {
            let is_free = references(memory.bind(py))? == alone;
            if is_free && found.is_none() && memory.bind(py).len() >= room {
                found = Some(memory);
            } else if !is_free || memory.bind(py).len() >= room {
                in_use.push(memory);
            }
        }
        *kept = in_use;
        let memory = found.map_or_else(|| PyArray1::zeros(py, [room], false), |memory| memory.into_bound(py));
        if kept.len() < KEPT {
            kept.push(memory.clone().unbind());
        }
        Ok(memory)
    }
}

/// How many references there are to an object, as Python counts them.
fn references<T: numpy::Element>(object: &Bound<'_, PyArray1<T>>) -> PyResult<usize> {
    object.py().import("sys")?.call_method1("getrefcount", (object,))?.extract()
}

/// The first numbers of some memory, as rows of this width; a width of 0 makes a column.
pub fn first<'py, T: numpy::Element>(
    memory: &Bound<'py, PyArray1<T>>,
    count: usize,
    width: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let py = memory.py();
    let used = memory.get_item(PySlice::new(py, 0, (count * width.max(1)) as isize, 1))?;
    if width == 0 { Ok(used) } else { used.call_method1("reshape", (count, width)) }
}

/// A row for each vector, in memory of a stock.
pub fn rows<'py, V: Vector>(
    py: Python<'py>,
    vectors: impl Iterator<Item = V>,
    stock: &Stock<f64>,
) -> PyResult<Bound<'py, PyAny>> {
    let memory = stock.memory(py, V::LEN * vectors.size_hint().1.unwrap_or(0))?;
    let mut count = 0;
    for (row, vector) in memory.readwrite().as_slice_mut()?.chunks_exact_mut(V::LEN).zip(vectors) {
        row.copy_from_slice(&vector.to_array3()[..V::LEN]);
        count += 1;
    }
    first(&memory, count, V::LEN)
}
