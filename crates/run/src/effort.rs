//! What a run uses of the machine.

use crate::totals::Totals;
use std::time::Instant;

/// The effort of a run from here on, on top of what it took before it was resumed.
#[derive(Debug)]
pub struct Effort {
    began: Instant,
    wall_before: f64,
    whose: Whose,
    /// CPU seconds of the run before, less those that the same threads had used when they took up the run.
    cpu_before: f64,
}

/// Whose CPU time is that of the run.
#[derive(Clone, Copy, Debug)]
enum Whose {
    /// All threads of the process.
    Process,
    /// The threads of the pool that the run was begun in: other pools may have runs of their own.
    Pool,
}

impl Whose {
    fn cpu_seconds(self) -> Option<f64> {
        match self {
            Whose::Process => cpu_seconds(),
            Whose::Pool => rayon::broadcast(|_| system::thread_cpu_seconds()).into_iter().sum(),
        }
    }
}

impl Effort {
    /// Goes on from the effort in `totals`.
    pub fn continued(totals: &Totals) -> Self {
        let whose = if rayon::current_thread_index().is_some() { Whose::Pool } else { Whose::Process };
        Effort {
            began: Instant::now(),
            wall_before: totals.wall_s,
            whose,
            cpu_before: totals.cpu_s - whose.cpu_seconds().unwrap_or(f64::NAN),
        }
    }

    /// Puts the effort up to now into `totals`; what the system does not say is not a number.
    pub fn count(&self, totals: &mut Totals) {
        totals.wall_s = self.wall_before + self.began.elapsed().as_secs_f64();
        // Whoever takes a run out of its pool ends with the CPU time of its last checkpoint there.
        if matches!(self.whose, Whose::Process) || rayon::current_thread_index().is_some() {
            totals.cpu_s = self.cpu_before + self.whose.cpu_seconds().unwrap_or(f64::NAN);
        }
        totals.peak_rss_bytes = peak_memory().map_or(f64::NAN, |peak| f64::max(totals.peak_rss_bytes, peak as f64));
    }
}

/// CPU seconds of all threads so far, user and system; `None` where the system does not say.
pub fn cpu_seconds() -> Option<f64> {
    system::cpu_seconds()
}

/// The most memory that the process ever held, in bytes; `None` where the system does not say.
fn peak_memory() -> Option<u64> {
    system::peak_memory()
}

#[cfg(unix)]
mod system {
    use nix::sys::resource::{UsageWho, getrusage};
    use nix::time::{ClockId, clock_gettime};
    use std::time::Duration;

    pub fn cpu_seconds() -> Option<f64> {
        // To the nanosecond: small contact problems are solved in less than a tick of coarser clocks.
        let time = clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID).ok()?;
        Some(Duration::from(time).as_secs_f64())
    }

    pub fn thread_cpu_seconds() -> Option<f64> {
        Some(Duration::from(clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).ok()?).as_secs_f64())
    }

    pub fn peak_memory() -> Option<u64> {
        // macOS counts in bytes, the others in KiB.
        let unit = if cfg!(target_os = "macos") { 1 } else { 1024 };
        Some(u64::try_from(getrusage(UsageWho::RUSAGE_SELF).ok()?.max_rss()).ok()? * unit)
    }
}

#[cfg(not(unix))]
mod system {
    pub fn cpu_seconds() -> Option<f64> {
        None
    }

    pub fn thread_cpu_seconds() -> Option<f64> {
        None
    }

    pub fn peak_memory() -> Option<u64> {
        None
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn effort_goes_on_from_what_it_was() {
        let mut totals = Totals { wall_s: 5.0, cpu_s: 7.0, peak_rss_bytes: 1e15, ..Totals::default() };
        let (began, cpu_before) = (Instant::now(), cpu_seconds().unwrap());
        Effort::continued(&totals).count(&mut totals);
        let (wall_s, cpu_s) = (began.elapsed().as_secs_f64(), cpu_seconds().unwrap() - cpu_before);
        assert!((5.0..=5.0 + wall_s).contains(&totals.wall_s), "{} after {wall_s} s", totals.wall_s);
        assert!((7.0..=7.0 + cpu_s).contains(&totals.cpu_s), "{} after {cpu_s} s", totals.cpu_s);
        assert_eq!(totals.peak_rss_bytes, 1e15);
        assert!(peak_memory().unwrap() > 100_000);
    }

    #[test]
    fn a_run_in_a_pool_of_its_own_counts_the_threads_of_that_pool() {
        let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let (own, other) = (pool(2), pool(1));
        let mut totals = Totals::default();
        let effort = own.install(|| Effort::continued(&totals));
        let busy = || (0..20_000_000_u64).fold(0, |sum: u64, k| sum.wrapping_mul(31).wrapping_add(k));
        let before = cpu_seconds().unwrap();
        std::hint::black_box(other.install(busy));
        own.install(|| effort.count(&mut totals));
        let of_process = cpu_seconds().unwrap() - before;
        // The other pool did nearly all of the work, and none of it is counted.
        assert!(totals.cpu_s >= 0.0 && totals.cpu_s < 0.5 * of_process, "{} of {of_process}", totals.cpu_s);
    }
}
