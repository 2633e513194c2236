//! A custom observer: how the time of a step is spent, and how large its contact problems are.
//!
//!     cargo run --release --example observer

use riprap::engine::{Observer, Stage, StepProblem};
use riprap::prelude::*;
use std::time::{Duration, Instant};

/// Times the stages of the step, and keeps the largest contact problem.
#[derive(Default)]
pub struct Watch {
    /// The time spent in each stage.
    pub times: Vec<(Stage, Duration)>,
    /// The contacts of the largest problem.
    pub most_contacts: usize,
    current: Option<(Stage, Instant)>,
}

impl Watch {
    fn stop(&mut self) {
        if let Some((stage, since)) = self.current.take() {
            match self.times.iter_mut().find(|(known, _)| *known == stage) {
                Some((_, time)) => *time += since.elapsed(),
                None => self.times.push((stage, since.elapsed())),
            }
        }
    }
}

impl Observer for Watch {
    fn begin(&mut self, stage: Stage) {
        self.stop();
        self.current = Some((stage, Instant::now()));
    }

    fn watches_problems(&self) -> bool {
        true
    }

    fn end(
        &mut self,
        _step: u64,
        _outcome: &Result<StepReport, StepError>,
        problem: &mut dyn FnMut() -> Option<StepProblem>,
    ) {
        self.stop();
        if let Some(step) = problem() {
            self.most_contacts = self.most_contacts.max(step.problem.friction.len());
        }
    }
}

/// Steps a template by hand, without files.
pub fn watched(template: &str, steps: u64) -> Result<Watch, Box<dyn std::error::Error>> {
    let template = riprap::templates::find(template).ok_or("no such template")?;
    let mut scene = load_scene(template.text, template.name, &[])?;
    let grains = scene.sample(&NoFiles)?;
    let mut world = scene.build(&grains)?;
    scene.enter_stage(0, &mut world, None);
    let mut watch = Watch::default();
    for _ in 0..steps {
        world.step(&mut watch)?;
    }
    Ok(watch)
}

/// A hundred steps of a collapsing column.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let watch = watched("collapse", 100)?;
    println!("at most {} contacts in a step", watch.most_contacts);
    for (stage, time) in &watch.times {
        println!("{:<18}{:8.2} ms", stage.name(), 1e3 * time.as_secs_f64());
    }
    Ok(())
}
