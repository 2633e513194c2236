//! The tasks of a sweep on all threads.
//!
//! A phase may begin when the one before has ended. Waiting for that with the tools of the thread pool costs several
//! microseconds each time, as much as the work of a phase in a small problem. Here every thread goes through the phases by
//! itself, and waits at each only until the tasks of those before are done. That cannot lock up: what a thread waits for has
//! been taken before, by threads that run. No more threads than one are ever needed.
//!
//! Of each phase a thread takes its own part first, the same in every sweep, and then what others have left: so most bodies
//! and impulses stay in the cache of one core.

#![allow(unsafe_code)] // Each task writes its own stats.
use super::stats::SweepStats;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How often a thread looks before it lets others run.
const LOOKS: u32 = 2000;

/// Runs `tasks` tasks in phases that end at `ends`, and adds up what they tell in the order of the tasks. A sweep that goes
/// `backward` has its tasks in reverse order, and so the parts of the threads.
pub fn run_phases(
    tasks: usize,
    ends: &[usize],
    backward: bool,
    run: impl Fn(usize) -> SweepStats + Sync,
) -> SweepStats {
    let threads = rayon::current_num_threads();
    if threads == 1 || tasks == ends.len() {
        return (0..tasks).map(run).fold(SweepStats::default(), SweepStats::and);
    }
    let mut stats = vec![SweepStats::default(); tasks];
    let places = Places(stats.as_mut_ptr());
    // For each phase and each part of it, how many of its tasks are taken.
    let taken: Vec<AtomicUsize> = (0..ends.len() * threads).map(|_| AtomicUsize::new(0)).collect();
    let done = AtomicUsize::new(0);
    let work = || {
        let thread = rayon::current_thread_index().unwrap_or(0) % threads;
        let own = if backward { threads - 1 - thread } else { thread };
        let mut begin = 0;
        for (phase, &end) in ends.iter().enumerate() {
            let mut looks = 0;
            while done.load(Ordering::Acquire) < begin {
                looks += 1;
                if looks % LOOKS == 0 { std::thread::yield_now() } else { std::hint::spin_loop() }
            }
            for turn in 0..threads {
                let part = (own + turn) % threads;
                let first = |part: usize| begin + (end - begin) * part / threads;
                loop {
                    let task = first(part) + taken[phase * threads + part].fetch_add(1, Ordering::Relaxed);
                    if task >= first(part + 1) {
                        break;
                    }
                    let stats = run(task);
                    // SAFETY: every task is taken once, and the array outlives the scope below.
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
    stats.into_iter().fold(SweepStats::default(), SweepStats::and)
}

/// Where the stats go.
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
