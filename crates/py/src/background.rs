//! Work on the threads of a pool while this thread waits, looks for Ctrl-C, and lets Python show how far it is.

use crate::errors::{Trouble, words_of_panic};
use pyo3::prelude::*;
use rayon::{Scope, ThreadPool};
use riprap_run::Interrupt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// How often the waiting thread looks up; a tenth of a second is not felt as a delay.
const LOOK_UP: Duration = Duration::from_millis(100);

/// Does a job on the threads of the pool, or of the common one. Python's lock must be free. A signal asks the job to end
/// by `interrupt`, and is raised once it has ended. `meanwhile` is called now and then.
pub fn in_background<T: Send>(
    pool: Option<&ThreadPool>,
    interrupt: &Interrupt,
    mut meanwhile: impl FnMut(Python<'_>) -> PyResult<()>,
    job: impl FnOnce() -> T + Send,
) -> Result<T, Trouble> {
    let (done, outcome) = channel();
    let mut raised = None;
    let work = |_: &Scope<'_>| {
        let result = catch_unwind(AssertUnwindSafe(job)).map_err(|payload| words_of_panic(&*payload));
        // The waiting thread listens until this arrives.
        let _ = done.send(result);
    };
    let mut wait = |outcome: &Receiver<Result<T, String>>| loop {
        match outcome.recv_timeout(LOOK_UP) {
            Ok(result) => return result.map_err(Trouble::Panic),
            Err(RecvTimeoutError::Disconnected) => return Err(Trouble::Panic("the job has vanished".to_owned())),
            Err(RecvTimeoutError::Timeout) if raised.is_some() => {}
            Err(RecvTimeoutError::Timeout) => {
                let looked = Python::attach(|py| py.check_signals().and_then(|()| meanwhile(py)));
                if let Err(error) = looked {
                    interrupt.ask();
                    raised = Some(error);
                }
            }
        }
    };
    let result = match pool {
        Some(pool) => pool.in_place_scope(|scope| {
            scope.spawn(work);
            wait(&outcome)
        }),
        None => rayon::in_place_scope(|scope| {
            scope.spawn(work);
            wait(&outcome)
        }),
    };
    match raised {
        Some(error) => {
            interrupt.clear();
            Err(Trouble::Python(error))
        }
        None => result,
    }
}
