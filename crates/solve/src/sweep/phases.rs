//! The phases of a sweep on all threads.
//!
//! A phase may begin when the one before it has ended. A barrier of the thread pool costs several microseconds, as much as
//! the work of a phase in a small problem. Here every thread walks through the phases by itself and waits at each only until
//! the tasks of earlier phases are done. This cannot deadlock: a thread only waits for tasks already claimed by running
//! threads, and one thread alone can finish the sweep.
//!
//! In each phase a thread claims its own share of the tasks first, the same in every sweep, and then whatever others have
//! left, so that most bodies and impulses stay in the cache of one core.

#![allow(unsafe_code)] // Each task writes its own statistics.
use super::stats::SweepStats;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// How often a waiting thread checks before it yields: tens of microseconds, longer than most tasks, so that a thread
/// yields only where there are more threads than cores.
const SPINS_BEFORE_YIELD: u32 = 2000;

/// Runs `tasks` tasks in phases that end at `ends`, and takes their statistics in the order of the tasks. A `backward`
/// sweep numbers its tasks in reverse, and so the shares of the threads.
pub fn run_phases(
    tasks: usize,
    ends: &[usize],
    backward: bool,
    run: impl Fn(usize) -> SweepStats + Sync,
    take: impl FnMut(SweepStats),
) {
    let threads = rayon::current_num_threads();
    if threads == 1 || tasks == ends.len() {
        return (0..tasks).map(run).for_each(take);
    }
    let mut stats = vec![SweepStats::default(); tasks];
    let places = Places(stats.as_mut_ptr());
    // For each phase and each share of it, how many of its tasks are claimed.
    let claimed: Vec<AtomicUsize> = (0..ends.len() * threads).map(|_| AtomicUsize::new(0)).collect();
    let done = AtomicUsize::new(0);
    // A task that panics is never done: those who wait for it go home.
    let failed = AtomicBool::new(false);
    let work = || {
        let _alarm = Alarm(&failed);
        let thread = rayon::current_thread_index().unwrap_or(0) % threads;
        let own = if backward { threads - 1 - thread } else { thread };
        let mut begin = 0;
        for (phase, &end) in ends.iter().enumerate() {
            let mut spins = 0;
            while done.load(Ordering::Acquire) < begin {
                if failed.load(Ordering::Relaxed) {
                    return;
                }
                spins += 1;
                if spins % SPINS_BEFORE_YIELD == 0 { std::thread::yield_now() } else { std::hint::spin_loop() }
            }
            for turn in 0..threads {
                let part = (own + turn) % threads;
                let first = |part: usize| begin + (end - begin) * part / threads;
                loop {
                    let task = first(part) + claimed[phase * threads + part].fetch_add(1, Ordering::Relaxed);
                    if task >= first(part + 1) {
                        break;
                    }
                    let stats = run(task);
                    debug_assert!(task < tasks);
                    // SAFETY: every task is claimed once, and the array outlives the scope below.
                    unsafe { places.write(task, stats) };
                    done.fetch_add(1, Ordering::Release);
                }
            }
            begin = end;
        }
    };
    rayon::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(|_| work());
        }
        work();
    });
    stats.into_iter().for_each(take);
}

/// Tells the other threads of a panic on its way out of this one.
struct Alarm<'a>(&'a AtomicBool);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

/// One place for the statistics of each task.
struct Places(*mut SweepStats);

// SAFETY: different threads write different places.
unsafe impl Sync for Places {}

impl Places {
    /// # Safety
    /// The place must be there, and no other thread may write it.
    unsafe fn write(&self, task: usize, stats: SweepStats) {
        // SAFETY: the caller's promise.
        unsafe { self.0.add(task).write(stats) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    #[test]
    fn a_task_that_panics_leaves_no_thread_waiting() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        for bad in 0..12 {
            let task = |task| {
                assert_ne!(task, bad);
                SweepStats::default()
            };
            let sweep = || run_phases(12, &[4, 8, 12], false, task, |_| ());
            assert!(catch_unwind(AssertUnwindSafe(|| pool.install(sweep))).is_err());
        }
        // The pool is as good as before.
        let mut total = SweepStats::default();
        let task = |_| SweepStats { change: 1.0, ..SweepStats::default() };
        pool.install(|| run_phases(12, &[4, 8, 12], true, task, |stats| total = total.and(stats)));
        assert_eq!(total.change, 12.0);
    }
}
