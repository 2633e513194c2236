//! A run that is watched while it goes on: what passes between its steps and the page.

use riprap_run::{Interrupt, Progress};
use riprap_store::Snapshot;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The largest part of its time that a run spends on being looked at.
const LARGEST_SHARE: f64 = 0.01;
/// How long a page waits for a picture of the run; a step of many grains may take longer, and the page asks again.
const WAIT: Duration = Duration::from_secs(2);
/// How often a run that waits looks whether it was interrupted.
const GLANCE: Duration = Duration::from_millis(50);

/// What a run and its page share. Clones are the same.
#[derive(Clone, Debug, Default)]
pub struct Live {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    picture: Option<Arc<Snapshot>>,
    progress: Progress,
    is_wanted: bool,
    is_paused: bool,
    has_ended: bool,
    /// Steps that are still to be done while the run is paused.
    steps: u64,
    interrupt: Interrupt,
    /// When the next picture may be taken, so that pictures cost no more than their share.
    next: Option<Instant>,
}

/// For the run.
impl Live {
    /// A run that this flag ends.
    pub fn new(interrupt: Interrupt) -> Live {
        let live = Live::default();
        live.lock().interrupt = interrupt;
        live
    }

    /// To be called after every step: takes a picture if the page wants one, and waits as long as the page has the run
    /// paused.
    pub fn after_step(&self, picture: impl Fn() -> Snapshot, progress: impl FnOnce() -> Progress) {
        let mut state = self.lock();
        if !state.is_wanted && !state.is_paused {
            return;
        }
        state.progress = progress();
        state.steps = state.steps.saturating_sub(1);
        loop {
            if state.is_wanted && state.next.is_none_or(|next| Instant::now() >= next) {
                let began = Instant::now();
                state.picture = Some(Arc::new(picture()));
                state.is_wanted = false;
                state.next = Some(Instant::now() + began.elapsed().div_f64(LARGEST_SHARE));
                self.shared.changed.notify_all();
            }
            if !state.is_paused || state.steps > 0 || state.interrupt.asked() {
                return;
            }
            state = self.shared.changed.wait_timeout(state, GLANCE).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// The run is over.
    pub fn end(&self, picture: Snapshot) {
        let mut state = self.lock();
        state.picture = Some(Arc::new(picture));
        state.has_ended = true;
        self.shared.changed.notify_all();
    }
}

/// For the page.
impl Live {
    /// The run as it is now: its last state if it is over, else one of the next steps.
    pub fn picture(&self) -> Option<Arc<Snapshot>> {
        let mut state = self.lock();
        if !state.has_ended {
            state.is_wanted = true;
            self.shared.changed.notify_all();
            let waits = |state: &mut State| state.is_wanted && !state.has_ended;
            state =
                self.shared.changed.wait_timeout_while(state, WAIT, waits).unwrap_or_else(PoisonError::into_inner).0;
        }
        state.picture.clone()
    }

    /// Does what a button of the page says; false if there is no such button.
    pub fn press(&self, button: &str) -> bool {
        let mut state = self.lock();
        match button {
            "pause" => state.is_paused = true,
            "go" => state.is_paused = false,
            "step" => {
                state.is_paused = true;
                state.steps += 1;
            }
            "stop" => {
                state.interrupt.ask();
            }
            _ => return false,
        }
        self.shared.changed.notify_all();
        true
    }

    /// True if the page has it paused.
    pub fn is_paused(&self) -> bool {
        self.lock().is_paused
    }

    /// True if the run is over.
    pub fn has_ended(&self) -> bool {
        self.lock().has_ended
    }

    /// How far the run was when it was last looked at.
    pub fn progress(&self) -> Progress {
        self.lock().progress.clone()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    fn snapshot_at(step: u64) -> Snapshot {
        Snapshot { step, ..Snapshot::default() }
    }

    /// Steps until the run is asked to end, and returns how many there were.
    fn steps_until_the_end(live: &Live, interrupt: &Interrupt) -> u64 {
        let mut step = 0;
        while !interrupt.asked() {
            step += 1;
            live.after_step(|| snapshot_at(step), Progress::default);
        }
        live.end(snapshot_at(step));
        step
    }

    #[test]
    fn a_paused_run_does_the_steps_that_are_asked_for_and_no_more() {
        let interrupt = Interrupt::default();
        let live = Live::new(interrupt.clone());
        assert!(live.press("pause"));
        thread::scope(|scope| {
            let run = scope.spawn(|| steps_until_the_end(&live, &interrupt));
            // The first step finds the run paused.
            let at = || loop {
                if let Some(picture) = live.picture() {
                    break picture.step;
                }
            };
            assert_eq!(at(), 1);
            for step in 2..5 {
                live.press("step");
                // A picture of the step before may still be on its way.
                while at() < step {}
                assert_eq!(at(), step);
            }
            assert!(live.is_paused() && !live.has_ended());
            assert!(live.press("stop"));
            assert_eq!(run.join().expect("the run ends"), 4);
        });
        assert!(live.has_ended());
        assert_eq!(live.picture().map(|picture| picture.step), Some(4));
        assert!(!live.press("explode"));
    }

    #[test]
    fn a_run_that_nobody_watches_takes_no_pictures() {
        let live = Live::default();
        live.after_step(|| panic!("nobody looks"), || panic!("nobody asks"));
    }
}
