//! Arrays of NumPy from columns, and back.

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PySlice;
use riprap_engine::{Dim, Vector, World};
use std::ops::Range;
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
    /// Not memory, but found once for all columns too.
    pub grains: GrainRanges,
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
        put(row, vector);
        count += 1;
    }
    first(&memory, count, V::LEN)
}

/// Rows of the vectors of grains, in memory of a stock.
pub fn rows_of<'py, V: Vector>(
    py: Python<'py>,
    vectors: &[V],
    grains: &[Range<usize>],
    stock: &Stock<f64>,
) -> PyResult<Bound<'py, PyAny>> {
    let count = grains.iter().map(Range::len).sum();
    let memory = stock.memory(py, V::LEN * count)?;
    {
        let mut all = memory.readwrite();
        let mut rows = all.as_slice_mut()?.chunks_exact_mut(V::LEN);
        for range in grains {
            vectors[range.clone()].iter().zip(rows.by_ref()).for_each(|(vector, row)| put(row, *vector));
        }
    }
    first(&memory, count, V::LEN)
}

/// Which bodies are grains, as ranges of indices: kept until a body is added or removed, since bodies are large and have to be
/// read from memory one by one for it. Nothing else changes which they are.
#[derive(Default)]
pub struct GrainRanges {
    kept: Mutex<Kept>,
}

/// The ranges, and the number of bodies and the next id with which they were found.
#[derive(Default)]
struct Kept {
    bodies: usize,
    next_id: u32,
    ranges: Vec<Range<usize>>,
}

impl GrainRanges {
    /// Does something with the ranges of a world.
    pub fn with<D: Dim, T>(&self, world: &World<D>, act: impl FnOnce(&[Range<usize>]) -> T) -> T {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let now = (world.bodies.len(), world.state.next_id);
        if (kept.bodies, kept.next_id) != now {
            (kept.bodies, kept.next_id) = now;
            kept.ranges.clear();
            for body in world.free_bodies() {
                match kept.ranges.last_mut() {
                    Some(range) if range.end == body => range.end += 1,
                    _ => kept.ranges.push(body..body + 1),
                }
            }
        }
        act(&kept.ranges)
    }
}

/// Writes a vector into its row.
pub fn put<V: Vector>(row: &mut [f64], vector: V) {
    row.copy_from_slice(&vector.to_array3()[..V::LEN]);
}

/// How many are asked at a time whether they are chosen.
const BLOCK: usize = 32;

/// Acts on each index below `count` that is chosen. A block of them is asked before any of it is acted on: a short loop that
/// only reads has many reads from memory under way at the same time, and what follows finds the block in the cache. Bodies
/// and contacts are large and are read once, so waiting for memory is most of the work.
pub fn for_each_chosen(count: usize, mut choose: impl FnMut(usize) -> bool, mut act: impl FnMut(usize)) {
    let mut chosen = [0; BLOCK];
    for begin in (0..count).step_by(BLOCK) {
        let mut found = 0;
        for index in begin..count.min(begin + BLOCK) {
            chosen[found] = index;
            found += usize::from(choose(index));
        }
        chosen[..found].iter().for_each(|&index| act(index));
    }
}
