//! Errors as Python knows them: the classes of `riprap/_errors.py`.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use riprap_run::RunError;
use riprap_scene::Faults;

pyo3::import_exception!(riprap._errors, SceneError);
pyo3::import_exception!(riprap._errors, StepError);
pyo3::import_exception!(riprap._errors, EndedError);
pyo3::import_exception!(riprap._errors, BodyError);
pyo3::import_exception!(riprap._errors, FileError);
pyo3::import_exception!(riprap._errors, BusyError);
pyo3::import_exception!(riprap._errors, ControlledError);
pyo3::import_exception!(riprap._errors, ProblemError);
pyo3::import_exception!(riprap._errors, InternalError);

/// What went wrong while Python's lock was free.
pub enum Trouble {
    /// In a run.
    Run(RunError),
    /// In Python: a signal, or a callable that raised.
    Python(PyErr),
    /// A bug of this program, caught on its way.
    Panic(String),
    /// Another thread is using the simulation.
    Busy,
    /// The simulation was closed.
    Closed,
}

impl From<RunError> for Trouble {
    fn from(error: RunError) -> Self {
        Trouble::Run(error)
    }
}

impl From<PyErr> for Trouble {
    fn from(error: PyErr) -> Self {
        Trouble::Python(error)
    }
}

impl From<Trouble> for PyErr {
    fn from(trouble: Trouble) -> PyErr {
        match trouble {
            Trouble::Run(error) => of_run(&error),
            Trouble::Python(error) => error,
            Trouble::Panic(message) => InternalError::new_err(format!(
                "riprap has a bug and stopped this call: {message}; please report it with the script"
            )),
            Trouble::Busy => BusyError::new_err(
                "the simulation is in the middle of a step, in another thread or in the step that called this; wait until \
                 it is done",
            ),
            Trouble::Closed => EndedError::new_err("the simulation was closed"),
        }
    }
}

/// The exception for an error of a run.
pub fn of_run(error: &RunError) -> PyErr {
    let text = error.to_string();
    match error {
        RunError::Scene(faults) => of_faults(faults),
        RunError::Study { .. } => SceneError::new_err(text),
        RunError::Step { .. } => StepError::new_err(text),
        RunError::Failed { cause, .. } if matches!(**cause, RunError::Step { .. }) => StepError::new_err(text),
        RunError::HasFailed | RunError::HasFinished => EndedError::new_err(text),
        RunError::Controlled { .. } => ControlledError::new_err(text),
        RunError::Body(_) => BodyError::new_err(text),
        _ => FileError::new_err(text),
    }
}

/// All faults of a scene in one exception, which prints as `riprap check` does.
pub fn of_faults(faults: &Faults) -> PyErr {
    Python::attach(|py| match fault_dicts(py, faults) {
        Ok(list) => SceneError::new_err((faults.render(false), list)),
        Err(error) => error,
    })
}

fn fault_dicts(py: Python<'_>, faults: &Faults) -> PyResult<Py<PyList>> {
    let list = PyList::empty(py);
    for fault in faults {
        let entry = PyDict::new(py);
        entry.set_item("message", &fault.message)?;
        entry.set_item("label", &fault.label)?;
        entry.set_item("help", &fault.help)?;
        entry.set_item("origin", &fault.origin)?;
        entry.set_item("line", fault.line)?;
        entry.set_item("column", fault.column)?;
        list.append(entry)?;
    }
    Ok(list.unbind())
}

/// The words of a panic.
pub fn words_of_panic(payload: &(dyn std::any::Any + Send)) -> String {
    let words = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    words.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no words".to_owned())
}

/// Does something that cannot fail by the user's doing; if it panics all the same, that is an exception.
pub fn guarded<T>(act: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(act));
    outcome.unwrap_or_else(|payload| Err(Trouble::Panic(words_of_panic(&*payload)).into()))
}

/// The exception for threads that cannot be started.
pub fn of_threads(error: &rayon::ThreadPoolBuildError) -> PyErr {
    PyRuntimeError::new_err(format!("cannot start threads: {error}"))
}
