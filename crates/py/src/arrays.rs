//! Arrays of NumPy from columns, and back.

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use riprap_engine::Vector;

/// A column of numbers.
pub fn column<T: numpy::Element>(py: Python<'_>, values: Vec<T>) -> Bound<'_, PyArray1<T>> {
    values.into_pyarray(py)
}

/// A row for each vector.
pub fn rows<V: Vector>(py: Python<'_>, vectors: impl Iterator<Item = V>) -> PyResult<Bound<'_, PyArray2<f64>>> {
    let mut flat = Vec::with_capacity(V::LEN * vectors.size_hint().1.unwrap_or(0));
    vectors.for_each(|vector| flat.extend_from_slice(&vector.to_array3()[..V::LEN]));
    let count = flat.len() / V::LEN;
    flat.into_pyarray(py).reshape([count, V::LEN])
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
