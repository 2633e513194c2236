//! A simulation: begun or resumed, stepped, and ended with everything written.

use crate::arrays::Stocks;
use crate::errors::{Trouble, guarded};
use crate::scene::GivenScene;
use crate::threads::Threads;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use riprap_engine::for_any_world;
use riprap_run::{Listener, Output, Progress, RunError, RunFolder, RunOptions, SceneText, Simulation, Stop, Until};
use riprap_store::state_hash;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

/// A simulation, for one thread at a time: a second one gets an exception.
#[pyclass(frozen, module = "riprap._riprap")]
pub struct Core {
    inner: Mutex<Inner>,
    threads: Threads,
    news: Arc<Mutex<News>>,
    stocks: Stocks,
}

pub struct Inner {
    pub simulation: Option<Simulation>,
    /// What a user law raised in the step that is under way.
    pub raised: Arc<Mutex<Option<PyErr>>>,
}

/// What the run has said since it was last asked.
#[derive(Default)]
struct News {
    notes: Vec<String>,
    warnings: Vec<String>,
}

/// Keeps what the run says until Python asks for it.
struct Ear(Arc<Mutex<News>>);

impl Listener for Ear {
    fn note(&mut self, text: &str) {
        lock(&self.0).notes.push(text.to_owned());
    }

    fn warn(&mut self, text: &str) {
        lock(&self.0).warnings.push(text.to_owned());
    }
}

/// A lock that a panic elsewhere does not take away.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

impl Core {
    /// Does something with the simulation, while no other thread may.
    pub fn with<T>(&self, act: impl FnOnce(&mut Inner) -> Result<T, Trouble>) -> Result<T, Trouble> {
        let mut inner = match self.inner.try_lock() {
            Ok(inner) => inner,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return Err(Trouble::Busy),
        };
        act(&mut inner)
    }

    /// The same with Python's lock held, for what takes no time; a panic on the way is an exception.
    pub fn look<T>(&self, act: impl FnOnce(&mut Simulation) -> PyResult<T>) -> PyResult<T> {
        guarded(|| {
            let outcome = self.with(|inner| Ok(act(inner.simulation.as_mut().ok_or(Trouble::Closed)?)));
            outcome.map_err(PyErr::from)?
        })
    }

    /// The memory of arrays that are handed over again and again.
    pub fn stocks(&self) -> &Stocks {
        &self.stocks
    }

    fn new(threads: Threads, news: Arc<Mutex<News>>, mut simulation: Simulation) -> Self {
        simulation.restore_failed_steps();
        let inner = Inner { simulation: Some(simulation), raised: Arc::default() };
        Core { inner: Mutex::new(inner), threads, news, stocks: Stocks::default() }
    }
}

/// Does something that cannot be interrupted on some threads, while Python's lock is free.
fn within<T: Send>(
    py: Python<'_>,
    threads: &Threads,
    act: impl FnOnce() -> Result<T, RunError> + Send,
) -> Result<T, Trouble> {
    Ok(py.detach(|| threads.run(&mut |_| Ok(()), |_| act()))??)
}

fn options(news: &Arc<Mutex<News>>, controls: bool) -> RunOptions {
    RunOptions { listener: Box::new(Ear(Arc::clone(news))), controls, ..RunOptions::default() }
}

/// Beginning and ending.
#[pymethods]
impl Core {
    /// A new run, with a folder or without.
    #[staticmethod]
    fn begin(
        py: Python<'_>,
        scene: GivenScene,
        out: Option<PathBuf>,
        replace: bool,
        threads: Option<usize>,
    ) -> PyResult<Core> {
        guarded(|| {
            let (threads, news) = (Threads::new(threads), Arc::<Mutex<News>>::default());
            let begun = within(py, &threads, || {
                let prepared = SceneText::from(scene).prepare(&[])?;
                match out {
                    None => Simulation::without_files(prepared, options(&news, false)),
                    Some(path) => Simulation::begin(prepared, RunFolder::named(&path, replace)?, options(&news, false)),
                }
            })?;
            Ok(Core::new(threads, news, begun))
        })
    }

    /// Goes on with the run in a folder; `None` if it is completed.
    #[staticmethod]
    fn resume(py: Python<'_>, folder: PathBuf, controls: bool, threads: Option<usize>) -> PyResult<Option<Core>> {
        guarded(|| {
            let (threads, news) = (Threads::new(threads), Arc::<Mutex<News>>::default());
            let resumed = within(py, &threads, || {
                let output = Output::from(RunFolder::existing(&folder)?);
                Simulation::resume(output, options(&news, controls))
            })?;
            Ok(resumed.map(|simulation| Core::new(threads, news, simulation)))
        })
    }

    /// Goes on with the run in a folder, or begins it if it was only prepared there; `None` if it is completed.
    #[staticmethod]
    fn in_folder(py: Python<'_>, folder: PathBuf, controls: bool, threads: Option<usize>) -> PyResult<Option<Core>> {
        guarded(|| {
            let (threads, news) = (Threads::new(threads), Arc::<Mutex<News>>::default());
            let taken_up =
                within(py, &threads, || Simulation::in_folder(&folder, Vec::new(), options(&news, controls)))?;
            Ok(taken_up.map(|simulation| Core::new(threads, news, simulation)))
        })
    }

    /// Takes steps until so many are done, a time is reached, the stage has ended, or all stages have, whatever comes first.
    /// `meanwhile` hears how far the run is, now and then. Returns why it stopped.
    #[pyo3(signature = (steps=None, time=None, stage_end=false, meanwhile=None))]
    fn advance(
        &self,
        py: Python<'_>,
        steps: Option<u64>,
        time: Option<f64>,
        stage_end: bool,
        meanwhile: Option<Py<PyAny>>,
    ) -> PyResult<&'static str> {
        let shown = Mutex::new(None);
        let mut tell = |py: Python<'_>| match (&meanwhile, lock(&shown).take()) {
            (Some(meanwhile), Some(progress)) => meanwhile.call1(py, (progress_dict(py, &progress)?,)).map(drop),
            _ => Ok(()),
        };
        let outcome = py.detach(|| {
            self.with(|inner| {
                let raised = Arc::clone(&inner.raised);
                let simulation = inner.simulation.as_mut().ok_or(Trouble::Closed)?;
                let (first, stage) = (simulation.progress().step, simulation.stage());
                if steps == Some(0) || time.is_some_and(|end| end <= simulation.progress().time) {
                    return Ok(Stop::Reached);
                }
                let result = self.threads.run(&mut tell, |goes_on| {
                    simulation.run_while(Until::End, |simulation, report| {
                        if meanwhile.is_some() {
                            *lock(&shown) = Some(simulation.progress());
                        }
                        let is_done = steps.is_some_and(|steps| report.step - first >= steps)
                            // A step that ends there but for rounding counts as ending there.
                            || time.is_some_and(|end| report.time >= end - 1e-6 * report.time_step)
                            || (stage_end && simulation.stage() != stage);
                        !is_done && goes_on()
                    })
                });
                // What a callable raised says more than that the step failed.
                match lock(&raised).take() {
                    Some(error) => Err(Trouble::Python(error)),
                    None => Ok(result??),
                }
            })
        });
        Ok(match outcome? {
            Stop::Reached => "reached",
            Stop::Finished => "finished",
            Stop::Interrupted => "interrupted",
        })
    }

    /// Writes everything that is to be written when a process ends, and returns the summary as JSON, the same in words, and
    /// the warnings that stand. The run can go on.
    fn pause(&self, py: Python<'_>) -> PyResult<(String, String, Vec<String>)> {
        guarded(|| {
            let outcome = self.with(|inner| {
                let simulation = inner.simulation.as_mut().ok_or(Trouble::Closed)?;
                within(py, &self.threads, || simulation.pause())
            })?;
            Ok((outcome.summary.to_string(), outcome.words, outcome.warnings))
        })
    }

    /// Gives the simulation and its folder free.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| {
            self.with(|inner| {
                inner.simulation = None;
                Ok(())
            })
        })
        .map_err(PyErr::from)
    }

    /// What the run has said since it was last asked: notes, and warnings.
    fn news(&self) -> (Vec<String>, Vec<String>) {
        let news = std::mem::take(&mut *lock(&self.news));
        (news.notes, news.warnings)
    }
}

/// Where it stands.
#[pymethods]
impl Core {
    #[getter]
    fn time(&self) -> PyResult<f64> {
        self.look(|simulation| Ok(for_any_world!(simulation.world(), world => world.state.time)))
    }

    #[getter]
    fn step(&self) -> PyResult<u64> {
        self.look(|simulation| Ok(for_any_world!(simulation.world(), world => world.state.step)))
    }

    #[getter]
    fn next_time_step(&self) -> PyResult<f64> {
        self.look(|simulation| Ok(for_any_world!(simulation.world(), world => world.next_time_step())))
    }

    #[getter]
    fn time_step(&self) -> PyResult<f64> {
        self.look(|simulation| Ok(for_any_world!(simulation.world(), world => world.time_step())))
    }

    #[getter]
    fn stage(&self) -> PyResult<usize> {
        self.look(|simulation| Ok(simulation.stage()))
    }

    #[getter]
    fn stages(&self) -> PyResult<Vec<String>> {
        self.look(|simulation| Ok(simulation.scene().stages().iter().map(|stage| stage.name.clone()).collect()))
    }

    #[getter]
    fn finished(&self) -> PyResult<bool> {
        self.look(|simulation| Ok(simulation.is_finished()))
    }

    #[getter]
    fn dimension(&self) -> PyResult<usize> {
        self.look(|simulation| Ok(simulation.world().dimension()))
    }

    #[getter]
    fn title(&self) -> PyResult<String> {
        self.look(|simulation| Ok(simulation.scene().title().to_owned()))
    }

    /// The scene with all choices made, as TOML.
    #[getter]
    fn scene(&self) -> PyResult<String> {
        self.look(|simulation| Ok(simulation.scene().resolved()))
    }

    #[getter]
    fn folder(&self) -> PyResult<Option<PathBuf>> {
        self.look(|simulation| Ok(simulation.folder().map(|folder| folder.path().to_owned())))
    }

    fn state_hash(&self) -> PyResult<String> {
        self.look(|simulation| Ok(state_hash(simulation.world())))
    }

    fn progress(&self, py: Python<'_>) -> PyResult<Py<PyDict>> {
        self.look(|simulation| progress_dict(py, &simulation.progress()))
    }
}

fn progress_dict(py: Python<'_>, progress: &Progress) -> PyResult<Py<PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("stage", &progress.stage)?;
    dict.set_item("time", progress.time)?;
    dict.set_item("total_time", progress.total_time)?;
    dict.set_item("step", progress.step)?;
    dict.set_item("contacts", progress.contacts)?;
    dict.set_item("sweeps", progress.sweeps)?;
    dict.set_item("fraction", progress.fraction)?;
    dict.set_item("time_left", progress.time_left)?;
    dict.set_item("speed", progress.speed)?;
    Ok(dict.unbind())
}
