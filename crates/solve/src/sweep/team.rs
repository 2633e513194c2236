//! The tasks of a sweep on all threads.
//!
//! A phase may begin when the one before has ended. Waiting for that with the tools of the thread pool costs several
//! microseconds each time, as much as the work of a phase in a small problem. Here every thread takes the next task in
//! turn, whatever its phase, and waits only until the tasks of the phases before are done. That cannot lock up: what a
//! thread waits for has been taken before, by threads that run. No more threads than one are ever needed.

#![allow(unsafe_code)] // Each task writes its own tally.
use super::kernel::Tally;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How often a thread looks before it lets others run.
const LOOKS: u32 = 2000;

/// Runs `tasks` tasks in phases that end at `ends`, and adds up what they tell in the order of the tasks.
pub fn run_phases(tasks: usize, ends: &[usize], run: impl Fn(usize) -> Tally + Sync) -> Tally {
    let threads = rayon::current_num_threads();
    if threads == 1 || tasks == ends.len() {
        return (0..tasks).map(run).fold(Tally::default(), Tally::and);
    }
    let mut tallies = vec![Tally::default(); tasks];
    let places = Places(tallies.as_mut_ptr());
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || {
        let mut phase = 0;
        loop {
            let task = next.fetch_add(1, Ordering::Relaxed);
            if task >= tasks {
                return;
            }
            while ends[phase] <= task {
                phase += 1;
            }
            let before = if phase == 0 { 0 } else { ends[phase - 1] };
            let mut looks = 0;
            while done.load(Ordering::Acquire) < before {
                looks += 1;
                if looks % LOOKS == 0 { std::thread::yield_now() } else { std::hint::spin_loop() }
            }
            let tally = run(task);
            // SAFETY: every task is taken once, and the array outlives the scope below.
            unsafe { places.write(task, tally) };
            done.fetch_add(1, Ordering::Release);
        }
    };
    rayon::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(|_| work());
        }
        work();
    });
    tallies.into_iter().fold(Tally::default(), Tally::and)
}

/// Where the tallies go.
struct Places(*mut Tally);

// SAFETY: different threads write different places.
unsafe impl Sync for Places {}

impl Places {
    /// # Safety
    /// The place must be there, and no other thread may write it.
    unsafe fn write(&self, task: usize, tally: Tally) {
        // SAFETY: the caller's promise.
        unsafe { self.0.add(task).write(tally) };
    }
}
