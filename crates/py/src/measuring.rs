//! Packings, from a simulation or from a file: measurements and pictures.

use crate::arrays::column;
use crate::errors::{guarded, of_run};
use crate::simulation::Core;
use numpy::PyArrayMethods;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use riprap_cli::RUN_MEASUREMENTS;
use riprap_measure::Region;
use riprap_measure::picture::{Picture, Shade};
use riprap_measure::plot::Drawing;
use riprap_measure::report::{Choices, Measured, What, Where, measure};
use std::path::PathBuf;

/// Grains, walls and contacts at one time.
#[pyclass(frozen, module = "riprap._riprap")]
pub struct Packing {
    packing: riprap_measure::Packing,
}

#[pymethods]
impl Core {
    /// The packing as it is now.
    fn packing(&self) -> PyResult<Packing> {
        self.look(|simulation| Ok(Packing { packing: riprap_measure::Packing::of_any(simulation.world()) }))
    }
}

#[pymethods]
impl Packing {
    /// The packing in the file of a snapshot.
    #[staticmethod]
    fn read(py: Python<'_>, file: PathBuf) -> PyResult<Packing> {
        guarded(|| {
            let packing = py.detach(|| riprap_run::read_packing(&file)).map_err(|error| of_run(&error))?;
            Ok(Packing { packing })
        })
    }

    /// The words of all measurements, and whether they compare two packings.
    #[staticmethod]
    fn measurements() -> Vec<(&'static str, bool)> {
        What::ALL.iter().map(|what| (what.word(), what.needs_two())).collect()
    }

    /// Makes a measurement: its numbers, tables, and plots as SVG.
    #[pyo3(signature = (what, earlier=None, **choices))]
    fn measure(
        &self,
        py: Python<'_>,
        what: &str,
        earlier: Option<&Packing>,
        choices: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyDict>> {
        guarded(|| {
            let known = || What::ALL.map(What::word).join(", ");
            let what = What::from_word(what).ok_or_else(|| {
                PyValueError::new_err(format!("unknown measurement \"{what}\"; expected one of {}", known()))
            })?;
            let choices = choices.map(read_choices).transpose()?.unwrap_or_default();
            let earlier = earlier.map(|earlier| &earlier.packing);
            let measured = py.detach(|| measure(what, &self.packing, earlier, &choices));
            measured_dict(py, &measured.map_err(|why| PyValueError::new_err(why.to_string()))?)
        })
    }

    /// Draws a picture, as PNG or as SVG.
    #[pyo3(signature = (format="png", colour="plain", forces=false, axes=None, slice=None, width=None, title=None, earlier=None))]
    #[expect(clippy::too_many_arguments, reason = "each is a keyword in Python")]
    fn picture<'py>(
        &self,
        py: Python<'py>,
        format: &str,
        colour: &str,
        forces: bool,
        axes: Option<[usize; 2]>,
        slice: Option<[f64; 2]>,
        width: Option<f64>,
        title: Option<String>,
        earlier: Option<&Packing>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        guarded(|| {
            let plain = Picture::new(self.packing.dimension);
            let known = || Shade::ALL.map(Shade::word).join(", ");
            let grains = Shade::from_word(colour).ok_or_else(|| {
                PyValueError::new_err(format!("unknown colour \"{colour}\"; expected one of {}", known()))
            })?;
            let axes = axes.unwrap_or(plain.axes);
            if axes[0] == axes[1] || axes.iter().any(|&axis| axis >= self.packing.dimension) {
                return Err(PyValueError::new_err("axes must be two different axes of the packing, numbered from 0"));
            }
            let width = width.unwrap_or(plain.width);
            if !(10.0..=10_000.0).contains(&width) {
                return Err(PyValueError::new_err("width must be between 10 and 10000 points"));
            }
            let picture = Picture { grains, forces, axes, slice, width, title: title.unwrap_or_default(), ..plain };
            let drawn = py.detach(|| {
                let drawing = picture.draw(&self.packing, earlier.map(|earlier| &earlier.packing))?;
                Ok(encode(&drawing, format))
            });
            let drawn = drawn.map_err(|why: riprap_measure::Unavailable| PyValueError::new_err(why.to_string()))?;
            drawn
                .map(|bytes| PyBytes::new(py, &bytes))
                .ok_or_else(|| PyValueError::new_err("format must be png or svg"))
        })
    }
}

/// Makes a measurement of the whole run in a folder.
#[pyfunction]
fn measure_run(py: Python<'_>, what: &str, folder: PathBuf) -> PyResult<Py<PyDict>> {
    guarded(|| {
        let known = || RUN_MEASUREMENTS.map(|(word, _)| word).join(", ");
        let (_, make) = RUN_MEASUREMENTS.into_iter().find(|(word, _)| *word == what).ok_or_else(|| {
            PyValueError::new_err(format!("unknown measurement of runs \"{what}\"; expected one of {}", known()))
        })?;
        let measured = py.detach(|| make(&folder));
        measured_dict(py, &measured.map_err(|why| PyValueError::new_err(why.to_string()))?)
    })
}

/// Adds the class and the function to the module.
pub fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(measure_run, module)?)?;
    module.add_class::<Packing>()
}

/// Pixels of a picture per point: sharp on screens of today.
const PIXELS_PER_POINT: f64 = 2.0;

fn encode(drawing: &Drawing, format: &str) -> Option<Vec<u8>> {
    match format {
        "png" => Some(drawing.png(PIXELS_PER_POINT)),
        "svg" => Some(drawing.svg().into_bytes()),
        _ => None,
    }
}

fn read_choices(given: &Bound<'_, PyDict>) -> PyResult<Choices> {
    let mut choices = Choices::default();
    for (key, value) in given {
        let key: String = key.extract()?;
        match key.as_str() {
            "inner" => choices.region = Where::Inner(value.extract()?),
            "box" => {
                let (low, high): (Vec<f64>, Vec<f64>) = value.extract()?;
                let whole = |corner: &[f64], open: f64| std::array::from_fn(|i| corner.get(i).copied().unwrap_or(open));
                choices.region = Where::Box(Region::new(whole(&low, f64::NEG_INFINITY), whole(&high, f64::INFINITY)));
            }
            "force_scale" => choices.forces.scale = Some(value.extract()?),
            "tail" => choices.forces.tail = value.extract()?,
            "weak" => choices.forces.weak = value.extract()?,
            "pressure_scale" => choices.pressure_scale = Some(value.extract()?),
            "profile_axis" => choices.profile_axis = Some(value.extract()?),
            "fabric_axis" => choices.fabric_axis = Some(value.extract()?),
            _ => {
                let known = "inner, box, force_scale, tail, weak, pressure_scale, profile_axis, fabric_axis";
                return Err(PyValueError::new_err(format!(
                    "unknown choice \"{key}\" of measurements; expected one of {known}"
                )));
            }
        }
    }
    Ok(choices)
}

fn measured_dict(py: Python<'_>, measured: &Measured) -> PyResult<Py<PyDict>> {
    let values = PyList::empty(py);
    for value in &measured.values {
        let entry = PyDict::new(py);
        entry.set_item("name", value.name)?;
        entry.set_item("unit", value.unit)?;
        let number = value.number.as_ref();
        entry.set_item("value", number.ok().map(|number| number.value))?;
        entry.set_item("uncertainty", number.ok().and_then(|number| number.uncertainty))?;
        entry.set_item("range", number.ok().and_then(|number| number.range))?;
        entry.set_item("points", number.ok().and_then(|number| number.points))?;
        entry.set_item("why_not", number.err().map(ToString::to_string))?;
        values.append(entry)?;
    }
    let tables = PyDict::new(py);
    for table in &measured.tables {
        let flat: Vec<f64> = table.rows.iter().flatten().copied().collect();
        let array = column(py, flat).reshape([table.rows.len(), table.columns.len()])?;
        tables.set_item(table.name, (table.columns.clone(), array))?;
    }
    let plots = PyDict::new(py);
    for (name, drawing) in &measured.plots {
        plots.set_item(name, drawing.svg())?;
    }
    let dict = PyDict::new(py);
    dict.set_item("values", values)?;
    dict.set_item("tables", tables)?;
    dict.set_item("plots", plots)?;
    Ok(dict.unbind())
}
