//! What a run uses of the machine.

use crate::totals::Totals;
use std::time::Instant;

/// The effort of a run from here on, on top of what it took before it was resumed.
#[derive(Debug)]
pub struct Effort {
    began: Instant,
    wall_before: f64,
    /// CPU seconds of the run before, less those that this process had used when it took up the run.
    cpu_before: f64,
}

impl Effort {
    /// Goes on from the effort in `totals`.
    pub fn continued(totals: &Totals) -> Self {
        Effort {
            began: Instant::now(),
            wall_before: totals.wall_s,
            cpu_before: totals.cpu_s - cpu_seconds().unwrap_or(f64::NAN),
        }
    }

    /// Puts the effort up to now into `totals`; what the system does not say is not a number.
    pub fn count(&self, totals: &mut Totals) {
        totals.wall_s = self.wall_before + self.began.elapsed().as_secs_f64();
        totals.cpu_s = self.cpu_before + cpu_seconds().unwrap_or(f64::NAN);
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
}
