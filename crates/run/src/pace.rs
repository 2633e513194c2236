//! How fast a run goes, how long its stage still takes, and when it ends.

use riprap_scene::{End, Scene};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// The speed is that of this last stretch of time, of which so often a sample is kept.
const WINDOW: Duration = Duration::from_secs(20);
const INTERVAL: Duration = Duration::from_millis(100);

/// Samples of the last while.
#[derive(Debug, Default)]
pub struct Pace {
    samples: VecDeque<Sample>,
}

#[derive(Clone, Copy, Debug)]
struct Sample {
    at: Instant,
    stage: usize,
    step: u64,
    fraction: Option<f64>,
}

impl Pace {
    /// A step is done; `fraction` of its stage is done, where its end is known.
    pub fn step(&mut self, stage: usize, step: u64, fraction: Option<f64>) {
        self.note(Sample { at: Instant::now(), stage, step, fraction });
    }

    fn note(&mut self, sample: Sample) {
        if let Some(last) = self.samples.back() {
            if last.stage != sample.stage {
                // A new stage starts a new measurement.
                self.samples.clear();
            } else if sample.at.duration_since(last.at) < INTERVAL {
                return;
            }
        }
        self.samples.push_back(sample);
        while self.samples.len() > 2 && sample.at.duration_since(self.samples[1].at) > WINDOW {
            self.samples.pop_front();
        }
    }

    /// Steps per second.
    pub fn speed(&self) -> Option<f64> {
        let (first, last, seconds) = self.ends()?;
        Some((last.step - first.step) as f64 / seconds)
    }

    /// Seconds until the stage ends; `None` where its end is not known or nothing moved.
    pub fn time_left(&self) -> Option<f64> {
        let (first, last, seconds) = self.ends()?;
        let (before, now) = (first.fraction?, last.fraction?);
        let left = (1.0 - now) * seconds / (now - before);
        (now > before && left.is_finite()).then_some(left.max(0.0))
    }

    fn ends(&self) -> Option<(Sample, Sample, f64)> {
        let (first, last) = (*self.samples.front()?, *self.samples.back()?);
        let seconds = last.at.duration_since(first.at).as_secs_f64();
        (seconds > 0.0).then_some((first, last, seconds))
    }
}

/// The time at which the run ends; `None` if that cannot be known.
pub fn total_time(scene: &Scene) -> Option<f64> {
    let length = |end: &End| end.time.filter(|_| !end.may_end_early() && end.steps.is_none() && end.strain.is_none());
    scene.stages().iter().map(|stage| length(&stage.end)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speed_and_time_left_are_those_of_the_stage_as_far_as_they_are_known() {
        let start = Instant::now();
        let sample = |stage, seconds: u64, fraction| Sample {
            at: start + Duration::from_secs(seconds),
            stage,
            step: 10 * seconds,
            fraction,
        };
        let paced = |samples: &[Sample]| {
            let mut pace = Pace::default();
            samples.iter().for_each(|&sample| pace.note(sample));
            (pace.speed(), pace.time_left().map(|left| (left * 1e9).round()))
        };
        assert_eq!(paced(&[sample(0, 0, Some(0.2)), sample(0, 2, Some(0.6))]), (Some(10.0), Some(2e9)));
        assert_eq!(paced(&[sample(0, 0, None), sample(0, 2, Some(0.6))]), (Some(10.0), None));
        assert_eq!(paced(&[sample(0, 0, Some(0.6)), sample(0, 2, Some(0.6))]), (Some(10.0), None));
        assert_eq!(paced(&[sample(0, 0, Some(0.2)), sample(1, 2, Some(0.6))]), (None, None));
        let long: Vec<Sample> = (0..100).map(|s| sample(0, s, Some(0.001 * (s * s) as f64 / 100.0))).collect();
        // The second sample kept is twenty seconds old, the first one a second more: not the slow start.
        assert_eq!(paced(&long).1, Some(((1.0 - 0.09801) * 21.0 / (0.09801 - 0.06084) * 1e9_f64).round()));
    }
}
