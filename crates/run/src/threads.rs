//! How many threads there are for a run that was not given a number.

use std::env;
use std::thread::available_parallelism;

/// The number of threads where the user gives none: that of `RAYON_NUM_THREADS`, or else as many as the process may use.
///
/// These are the cores that its affinity and the quota of its control group (a container's limit) leave to it, and no more
/// than `SLURM_CPUS_PER_TASK`, since not every cluster ties a job to the cores that it was given.
pub fn default_threads() -> usize {
    let number = |variable: &str| env::var(variable).ok().and_then(|text| text.trim().parse().ok());
    let cores = available_parallelism().map_or(1, usize::from);
    threads(number("RAYON_NUM_THREADS"), number("SLURM_CPUS_PER_TASK"), cores)
}

/// Zero counts as not given, as rayon has it.
fn threads(rayon: Option<usize>, slurm: Option<usize>, cores: usize) -> usize {
    let given = |count: &usize| *count > 0;
    rayon.filter(given).unwrap_or_else(|| slurm.filter(given).map_or(cores, |slurm| slurm.min(cores)))
}

#[cfg(test)]
mod tests {
    use super::threads;

    #[test]
    fn a_job_takes_the_cores_that_it_was_given_and_no_more_than_there_are() {
        assert_eq!(threads(None, None, 128), 128);
        assert_eq!(threads(None, Some(4), 128), 4);
        assert_eq!(threads(None, Some(16), 8), 8);
        assert_eq!(threads(Some(2), Some(4), 128), 2);
        assert_eq!(threads(Some(0), Some(0), 8), 8);
    }
}
