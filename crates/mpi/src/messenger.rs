//! A messenger by MPI, with a clock and a count.

use crate::MpiError;
use crate::launch::Launch;
use riprap_solve::ranks::{Messenger, Parcel, Traffic};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

#[cfg(unix)]
use crate::library::open;

#[cfg(not(unix))]
use absent::open;

/// What is asked of MPI, in our words.
pub trait Functions: Send {
    /// What the library calls itself.
    fn name(&self) -> String;
    /// Starts it: which of how many processes this is.
    fn begin(&self) -> Result<[usize; 2], String>;
    /// Sends parcels and fills those to be received.
    fn swap(&self, send: &[Parcel], receive: &mut [Parcel]);
    /// Fills `all` with the numbers of all processes, of each as many as `counts` says.
    fn gather(&self, own: &[f64], counts: &[usize], all: &mut [f64]);
    /// Ends it.
    fn end(&self);
}

/// Processes joined by MPI.
pub struct OfMpi {
    rank: usize,
    size: usize,
    library: String,
    /// MPI is told to expect one call at a time.
    functions: Mutex<Box<dyn Functions>>,
    traffic: Mutex<Traffic>,
}

impl OfMpi {
    /// Opens the first library that there is, and joins the others.
    pub fn open(launch: &Launch) -> Result<Self, MpiError> {
        let mut tried = Vec::new();
        for name in &launch.libraries {
            let functions = match open(name) {
                Ok(functions) => functions,
                Err(reason) => {
                    tried.push(reason);
                    continue;
                }
            };
            let library = functions.name();
            let unusable = |reason| MpiError::Unusable { library: library.clone(), reason };
            let [rank, found] = functions.begin().map_err(unusable)?;
            if found != launch.size {
                return Err(MpiError::OtherLibrary { library, found, size: launch.size });
            }
            let (functions, traffic) = (Mutex::new(functions), Mutex::default());
            return Ok(OfMpi { rank, size: found, library, functions, traffic });
        }
        Err(MpiError::NoLibrary { size: launch.size, tried })
    }

    /// What the library calls itself.
    pub fn library(&self) -> &str {
        &self.library
    }

    /// Waits until all take leave.
    pub fn leave(&self) {
        locked(&self.functions).end();
    }

    /// Does something with MPI, and counts what it sends.
    fn with<T>(&self, sent: impl Iterator<Item = usize>, call: impl FnOnce(&dyn Functions) -> T) -> T {
        let functions = locked(&self.functions);
        let began = Instant::now();
        let result = call(&**functions);
        let mut traffic = locked(&self.traffic);
        traffic.seconds += began.elapsed().as_secs_f64();
        for numbers in sent {
            traffic.messages += 1;
            traffic.bytes += (numbers * size_of::<f64>()) as u64;
        }
        result
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Messenger for OfMpi {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn swap(&self, send: &[Parcel], receive: &mut [Parcel]) {
        let sent = send.iter().map(|parcel| parcel.numbers.len());
        self.with(sent, |functions| functions.swap(send, receive));
    }

    fn gather(&self, own: &[f64], counts: &[usize]) -> Vec<f64> {
        assert_eq!((own.len(), counts.len()), (counts[self.rank], self.size));
        let mut all = vec![0.0; counts.iter().sum()];
        self.with([own.len()].into_iter(), |functions| functions.gather(own, counts, &mut all));
        all
    }

    fn traffic(&self) -> Traffic {
        *locked(&self.traffic)
    }
}

#[cfg(not(unix))]
mod absent {
    use super::Functions;

    /// There is none.
    pub fn open(name: &str) -> Result<Box<dyn Functions>, String> {
        Err(format!("{name}: MPI is used on Unix only"))
    }
}
