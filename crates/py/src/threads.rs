//! The threads that work is done on, while Python's lock is free.
//!
//! The thread that calls is one of them, so that a call is not handed over to other threads and back, which would cost more
//! than a small step's share. A thread belongs to one pool for good: a call that asks for another number of threads than the
//! first one in its thread did is handed over after all. Ctrl-C is seen in either case.

use crate::errors::{Trouble, of_threads, words_of_panic};
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::cell::OnceCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How often Python is asked for signals; a tenth of a second is not felt as a delay.
const LOOK_UP: Duration = Duration::from_millis(100);

thread_local! {
    /// The pool that this thread is part of; `None` if it cannot be.
    static OWN: OnceCell<Option<ThreadPool>> = const { OnceCell::new() };
}

/// Threads for one simulation or solve.
pub struct Threads {
    count: usize,
    /// A pool without the calling thread, for callers that are part of another one.
    others: OnceLock<ThreadPool>,
}

impl Threads {
    /// So many threads, the calling one included; all that the process may use unless a number is given.
    pub fn new(count: Option<usize>) -> Threads {
        Threads { count: count.unwrap_or_else(riprap_run::default_threads), others: OnceLock::new() }
    }

    /// Does a job on these threads. Python's lock must be free. The job asks now and then whether it is to go on: it is not
    /// once a signal has come or `look_up`, which is called every tenth of a second, has raised, and that is the outcome.
    pub fn run<T: Send>(
        &self,
        look_up: &mut (dyn FnMut(Python<'_>) -> PyResult<()> + Send),
        job: impl FnOnce(&mut (dyn FnMut() -> bool + Send)) -> T + Send,
    ) -> Result<T, Trouble> {
        OWN.with(|own| {
            let own = own.get_or_init(|| pool_of(self.count).use_current_thread().build().ok());
            match own.as_ref().filter(|pool| pool.current_num_threads() == self.count) {
                Some(pool) => here(pool, look_up, job),
                None => elsewhere(self.others()?, look_up, job),
            }
        })
    }

    fn others(&self) -> Result<&ThreadPool, Trouble> {
        if let Some(pool) = self.others.get() {
            return Ok(pool);
        }
        let pool = pool_of(self.count).build().map_err(|error| Trouble::Python(of_threads(&error)))?;
        Ok(self.others.get_or_init(|| pool))
    }
}

fn pool_of(count: usize) -> ThreadPoolBuilder {
    ThreadPoolBuilder::new().num_threads(count)
}

/// Does the job in this thread, with the help of the others of its pool.
fn here<T: Send>(
    pool: &ThreadPool,
    look_up: &mut (dyn FnMut(Python<'_>) -> PyResult<()> + Send),
    job: impl FnOnce(&mut (dyn FnMut() -> bool + Send)) -> T + Send,
) -> Result<T, Trouble> {
    let (mut raised, mut next) = (None, Instant::now() + LOOK_UP);
    let mut goes_on = || {
        if raised.is_none() && Instant::now() >= next {
            raised = Python::attach(|py| py.check_signals().and_then(|()| look_up(py))).err();
            next = Instant::now() + LOOK_UP;
        }
        raised.is_none()
    };
    let result = catch_unwind(AssertUnwindSafe(|| pool.install(|| job(&mut goes_on))));
    match raised {
        Some(error) => Err(Trouble::Python(error)),
        None => result.map_err(|payload| Trouble::Panic(words_of_panic(&*payload))),
    }
}

/// Has the job done by the threads of a pool, while this thread waits and looks up.
fn elsewhere<T: Send>(
    pool: &ThreadPool,
    look_up: &mut (dyn FnMut(Python<'_>) -> PyResult<()> + Send),
    job: impl FnOnce(&mut (dyn FnMut() -> bool + Send)) -> T + Send,
) -> Result<T, Trouble> {
    let (done, outcome) = channel();
    let ends = AtomicBool::new(false);
    let mut goes_on = || !ends.load(Ordering::Relaxed);
    let mut raised = None;
    let result = pool.in_place_scope(|scope| {
        scope.spawn(|_| {
            let result = catch_unwind(AssertUnwindSafe(|| job(&mut goes_on)));
            // The waiting thread listens until this arrives.
            let _ = done.send(result.map_err(|payload| words_of_panic(&*payload)));
        });
        loop {
            match outcome.recv_timeout(LOOK_UP) {
                Ok(result) => return result.map_err(Trouble::Panic),
                Err(RecvTimeoutError::Disconnected) => return Err(Trouble::Panic("the job has vanished".to_owned())),
                Err(RecvTimeoutError::Timeout) if raised.is_some() => {}
                Err(RecvTimeoutError::Timeout) => {
                    raised = Python::attach(|py| py.check_signals().and_then(|()| look_up(py))).err();
                    ends.store(raised.is_some(), Ordering::Relaxed);
                }
            }
        }
    });
    raised.map_or(result, |error| Err(Trouble::Python(error)))
}
