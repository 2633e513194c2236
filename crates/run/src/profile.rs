//! Where the time of the steps goes.

use riprap_engine::{Observer, Stage};
use std::time::Instant;

/// A clock that watches the stages of steps.
#[derive(Debug, Default)]
pub struct Profile {
    seconds: [f64; Stage::ALL.len()],
    current: Option<(usize, Instant)>,
}

impl Profile {
    /// Ends the step that is under way: the seconds that it spent in each stage, in the order of [`Stage::ALL`].
    pub fn end_step(&mut self) -> [f64; Stage::ALL.len()] {
        self.end_stage();
        std::mem::take(&mut self.seconds)
    }

    fn end_stage(&mut self) {
        if let Some((stage, since)) = self.current.take() {
            self.seconds[stage] += since.elapsed().as_secs_f64();
        }
    }
}

impl Observer for Profile {
    fn begin(&mut self, stage: Stage) {
        self.end_stage();
        let index = Stage::ALL.iter().position(|&s| s == stage).unwrap_or(0);
        self.current = Some((index, Instant::now()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_stage_gets_its_own_time() {
        let mut profile = Profile::default();
        profile.begin(Stage::Solve);
        let began = Instant::now();
        while began.elapsed().as_millis() < 2 {}
        profile.begin(Stage::Report);
        let seconds = profile.end_step();
        let at = |stage| seconds[Stage::ALL.iter().position(|&s| s == stage).unwrap()];
        assert!(at(Stage::Solve) >= 0.002);
        assert!(at(Stage::Report) >= 0.0);
        assert_eq!(at(Stage::Drive), 0.0);
        assert_eq!(profile.end_step(), [0.0; Stage::ALL.len()]);
    }
}
