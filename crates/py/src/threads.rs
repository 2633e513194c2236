//! The threads that work is done on, while Python's lock is free.
//!
//! The thread that calls is one of them, so that a call is not handed over to other threads and back, which would cost more
//! than a small step's share. A thread belongs to one pool for good: a call that asks for another number of threads than the
//! first one in its thread did is handed over after all. Ctrl-C is seen in either case. A process that was forked has none of the
//! threads of the other, so pools are good in the process that made them only.

use crate::errors::{BusyError, Trouble, of_threads, words_of_panic};
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::cell::OnceCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How often Python is asked for signals; a tenth of a second is not felt as a delay.
const LOOK_UP: Duration = Duration::from_millis(100);

/// What Python is asked to do every now and then.
type LookUp<'a> = dyn FnMut(Python<'_>) -> PyResult<()> + Send + 'a;

/// A pool and the process that its threads are in.
struct Pool {
    pool: ThreadPool,
    process: u32,
}

impl Pool {
    fn new(builder: ThreadPoolBuilder) -> Result<Pool, rayon::ThreadPoolBuildError> {
        Ok(Pool { pool: builder.build()?, process: std::process::id() })
    }

    fn is_here(&self) -> bool {
        self.process == std::process::id()
    }
}

thread_local! {
    /// The pool that this thread is part of; `None` if it cannot be.
    static OWN: OnceCell<Option<Pool>> = const { OnceCell::new() };
}

/// Threads for one simulation or solve.
pub struct Threads {
    count: usize,
    /// A pool without the calling thread, for callers that are part of another one.
    others: OnceLock<Pool>,
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
        look_up: &mut LookUp<'_>,
        job: impl FnOnce(&mut (dyn FnMut() -> bool + Send)) -> T + Send,
    ) -> Result<T, Trouble> {
        OWN.with(|own| {
            let own = own.get_or_init(|| Pool::new(self.builder().use_current_thread()).ok());
            match own.as_ref().filter(|own| own.is_here() && own.pool.current_num_threads() == self.count) {
                Some(own) => here(&own.pool, look_up, job),
                None => elsewhere(self.others()?, look_up, job),
            }
        })
    }

    fn others(&self) -> Result<&ThreadPool, Trouble> {
        if self.others.get().is_none() {
            let pool = Pool::new(self.builder()).map_err(|error| Trouble::Python(of_threads(&error)))?;
            let _ = self.others.set(pool);
        }
        let others = self.others.get().filter(|others| others.is_here());
        others.map(|others| &others.pool).ok_or_else(|| {
            Trouble::Python(BusyError::new_err(
                "the simulation belongs to the process that this one was forked from; begin or resume one here",
            ))
        })
    }

    fn builder(&self) -> ThreadPoolBuilder {
        ThreadPoolBuilder::new().num_threads(self.count)
    }
}

/// Does a job in a thread of its own, while this one looks up. If that raises, `end` asks the job to end. Python's lock must be
/// free.
pub fn attend<T: Send>(look_up: &mut LookUp<'_>, end: impl Fn(), job: impl FnOnce() -> T + Send) -> Result<T, Trouble> {
    let (done, outcome) = channel();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let result = catch_unwind(AssertUnwindSafe(job));
            // The waiting thread listens until this arrives.
            let _ = done.send(result.map_err(|payload| words_of_panic(&*payload)));
        });
        wait(&outcome, look_up, end)
    })
}

/// Does the job in this thread, with the help of the others of its pool.
fn here<T: Send>(
    pool: &ThreadPool,
    look_up: &mut LookUp<'_>,
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
    look_up: &mut LookUp<'_>,
    job: impl FnOnce(&mut (dyn FnMut() -> bool + Send)) -> T + Send,
) -> Result<T, Trouble> {
    let (done, outcome) = channel();
    let ends = AtomicBool::new(false);
    let mut goes_on = || !ends.load(Ordering::Relaxed);
    pool.in_place_scope(|scope| {
        scope.spawn(|_| {
            let result = catch_unwind(AssertUnwindSafe(|| job(&mut goes_on)));
            // The waiting thread listens until this arrives.
            let _ = done.send(result.map_err(|payload| words_of_panic(&*payload)));
        });
        wait(&outcome, look_up, || ends.store(true, Ordering::Relaxed))
    })
}

/// Waits for what a job gives, and looks up meanwhile; what that raises ends the job and is the outcome.
fn wait<T>(outcome: &Receiver<Result<T, String>>, look_up: &mut LookUp<'_>, end: impl Fn()) -> Result<T, Trouble> {
    let mut raised = None;
    let result = loop {
        match outcome.recv_timeout(LOOK_UP) {
            Ok(result) => break result.map_err(Trouble::Panic),
            Err(RecvTimeoutError::Disconnected) => break Err(Trouble::Panic("the job has vanished".to_owned())),
            Err(RecvTimeoutError::Timeout) if raised.is_some() => {}
            Err(RecvTimeoutError::Timeout) => {
                raised = Python::attach(|py| py.check_signals().and_then(|()| look_up(py))).err();
                if raised.is_some() {
                    end();
                }
            }
        }
    };
    raised.map_or(result, |error| Err(Trouble::Python(error)))
}
