//! Where the time of the steps goes.

use riprap_engine::{Observer, Stage};
use std::time::Instant;

/// A clock that watches the stages of steps.
#[derive(Debug)]
pub struct Profile {
    seconds: [f64; Stage::ALL.len()],
    current: Option<(usize, Instant)>,
}

impl Profile {
    /// A clock that goes on from the seconds that it showed before.
    pub fn continued(seconds: [f64; Stage::ALL.len()]) -> Self {
        Profile { seconds, current: None }
    }

    /// Ends the stage that is under way; to be called after each step.
    pub fn end_step(&mut self) {
        if let Some((stage, since)) = self.current.take() {
            self.seconds[stage] += since.elapsed().as_secs_f64();
        }
    }

    /// The seconds spent in each stage, in the order of [`Stage::ALL`].
    pub fn seconds(&self) -> [f64; Stage::ALL.len()] {
        self.seconds
    }
}

impl Observer for Profile {
    fn begin(&mut self, stage: Stage) {
        self.end_step();
        let index = Stage::ALL.iter().position(|&s| s == stage).unwrap_or(0);
        self.current = Some((index, Instant::now()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_stage_gets_its_own_time() {
        let mut profile = Profile::continued([1.0; Stage::ALL.len()]);
        profile.begin(Stage::Solve);
        let began = Instant::now();
        while began.elapsed().as_millis() < 2 {}
        profile.begin(Stage::Report);
        profile.end_step();
        let at = |stage| profile.seconds()[Stage::ALL.iter().position(|&s| s == stage).unwrap()];
        assert!(at(Stage::Solve) >= 1.002);
        assert!(at(Stage::Report) >= 1.0);
        assert_eq!(at(Stage::Drive), 1.0);
    }
}
