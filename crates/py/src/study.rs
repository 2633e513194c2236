//! Studies: many runs of one scene, and their numbers in one table.

use crate::errors::{guarded, of_faults, of_run};
use crate::scene::GivenScene;
use crate::threads::attend;
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use riprap_run::{
    BatchChoices, BatchListener, BatchProgress, Interrupt, SceneText, Status, StudyTable, default_threads,
};
use riprap_scene::StudyPlan;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A study in its folder.
#[pyclass(frozen, module = "riprap._riprap")]
struct Study {
    study: riprap_run::Study,
}

/// A run of a study: its name, its folder, the values of what is varied, and how it has ended, if it has.
type Listed = (String, PathBuf, Vec<String>, Option<String>);

#[pymethods]
impl Study {
    /// Checks every run of a study, and writes the folders of all. The plan is the text of a file of `riprap study`.
    #[staticmethod]
    fn prepare(py: Python<'_>, scene: GivenScene, plan: &str, folder: PathBuf) -> PyResult<Study> {
        guarded(|| {
            let plan = StudyPlan::parse(plan, "study").map_err(|faults| of_faults(&faults))?;
            let scene = SceneText::from(scene);
            let study = py.detach(|| {
                let study = riprap_run::Study::prepare(&plan, &scene, &folder)?;
                study.write().map(|()| study)
            });
            Ok(Study { study: study.map_err(|error| of_run(&error))? })
        })
    }

    /// The study in a folder.
    #[staticmethod]
    fn open(folder: PathBuf) -> PyResult<Study> {
        guarded(|| Ok(Study { study: riprap_run::Study::open(&folder).map_err(|error| of_run(&error))? }))
    }

    #[getter]
    fn title(&self) -> &str {
        self.study.title()
    }

    /// The names of what is varied.
    #[getter]
    fn parameters(&self) -> Vec<String> {
        self.study.parameters.clone()
    }

    /// The runs, as they stand on disk now.
    fn runs(&self) -> Vec<Listed> {
        let values = |run: &riprap_run::StudyRun| run.values.iter().map(|value| value.text.clone()).collect();
        self.study.runs.iter().map(|run| (run.name.clone(), run.folder.clone(), values(run), run.status())).collect()
    }

    /// Runs all that waits, some at a time, on threads that they share. `meanwhile` hears how far the whole is, now and then.
    /// Returns which runs failed, and why.
    fn run(
        &self,
        py: Python<'_>,
        threads: Option<usize>,
        jobs: Option<usize>,
        retry_failed: bool,
        meanwhile: Option<Py<PyAny>>,
    ) -> PyResult<Vec<(String, String)>> {
        let mut study = self.study.clone();
        let left = study.runs.len() - study.count(Status::Completed);
        let choices = BatchChoices::sharing(threads.unwrap_or_else(default_threads), jobs, left);
        let (interrupt, watcher) = (Interrupt::default(), Arc::<Watcher>::default());
        let listener: Arc<dyn BatchListener> = watcher.clone();
        let mut tell = |py: Python<'_>| match (&meanwhile, watcher.look()) {
            (Some(meanwhile), Some(BatchProgress { completed, runs, part, time_left })) => {
                meanwhile.call1(py, (completed, runs, part, time_left)).map(drop)
            }
            _ => Ok(()),
        };
        let ended = py.detach(|| {
            let end = || {
                interrupt.ask();
            };
            attend(&mut tell, end, || study.run(choices, retry_failed, &listener, &interrupt))
        });
        let (_, failed) = ended?.map_err(|error| of_run(&error))?;
        Ok(failed.into_iter().map(|(place, error)| (self.study.runs[place].name.clone(), error.to_string())).collect())
    }

    /// The numbers of all complete runs, and what could not be measured.
    fn gather(&self, py: Python<'_>, measure: Vec<String>) -> PyResult<(Table, Vec<String>)> {
        guarded(|| {
            let found = py.detach(|| riprap_cli::study_table(&self.study, &measure));
            found.map(|(table, missing)| (Table { table }, missing)).map_err(PyValueError::new_err)
        })
    }
}

/// The numbers of a study.
#[pyclass(frozen, module = "riprap._riprap")]
struct Table {
    table: StudyTable,
}

#[pymethods]
impl Table {
    /// A row per run, as CSV.
    fn runs(&self) -> String {
        self.table.runs_csv()
    }

    /// A row per combination of values with means and errors over the seeds, as CSV.
    fn means(&self) -> String {
        self.table.means_csv()
    }

    /// A column against a parameter or another column, as SVG.
    fn plot(&self, y: &str, x: &str) -> PyResult<String> {
        guarded(|| Ok(self.table.chart(y, x).map_err(PyKeyError::new_err)?.draw().svg()))
    }
}

/// Hears how far a study is, when someone wants to know.
#[derive(Default)]
struct Watcher {
    wanted: AtomicBool,
    seen: Mutex<Option<BatchProgress>>,
}

impl Watcher {
    /// How far it was at the last step since this was asked for, which asks again.
    fn look(&self) -> Option<BatchProgress> {
        self.wanted.store(true, Ordering::Relaxed);
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl BatchListener for Watcher {
    fn step(&self, progress: &mut dyn FnMut() -> BatchProgress) {
        if self.wanted.swap(false, Ordering::Relaxed) {
            *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = Some(progress());
        }
    }
}

/// Adds the classes to the module.
pub fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Study>()?;
    module.add_class::<Table>()
}
