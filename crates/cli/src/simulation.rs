//! The run itself: step after step, stage after stage, with everything written on the way.

use crate::check::numerical_choices;
use crate::dumps::{Dump, Watcher};
use crate::failure::{Exit, Failure};
use crate::folder::Folder;
use crate::interrupt;
use crate::journal::{Journal, Voice};
use crate::profile::Profile;
use crate::progress::Moment;
use crate::recorder::{Recorder, may_end_before, total_time};
use crate::resources::Effort;
use crate::screen::{say, tell};
use crate::summary::{self, Ending, Status};
use crate::totals::Totals;
use riprap_engine::{AnyWorld, GrainTable, StepError, StepReport, for_any_world};
use riprap_scene::{Scene, StageProgress};
use riprap_store::{AnyState, Checkpoint, write_atomically, write_checkpoint};
use serde_json::Value;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// A run under way.
pub struct Simulation {
    scene: Scene,
    grains: GrainTable,
    world: AnyWorld,
    at: Standing,
    totals: Totals,
    watcher: Watcher,
    effort: Effort,
    recorder: Recorder,
    desk: Desk,
    /// When the last checkpoint was written, and which step it is of and where it is.
    checkpointed: Instant,
    last_checkpoint: Option<(u64, PathBuf)>,
}

/// Where a run writes and speaks, and how many threads it has.
pub struct Desk {
    /// Its folder.
    pub folder: Folder,
    /// Its voice.
    pub journal: Journal,
    /// Its threads.
    pub threads: usize,
    /// The steps whose contact problems are wanted as files.
    pub asked_problems: Vec<RangeInclusive<u64>>,
}

/// Where a run stands.
struct Standing {
    /// The stage that it is in; the last one also when it is finished.
    stage: usize,
    progress: StageProgress,
    finished: bool,
}

impl Simulation {
    /// A new run in a new folder, with a first checkpoint before the first step.
    pub fn begin(scene: Scene, grains: GrainTable, mut world: AnyWorld, mut desk: Desk) -> Result<Self, Failure> {
        let progress = scene.enter_stage(0, &mut world, None);
        for choice in for_any_world!(&world, world => numerical_choices(&scene, &world.method, &world.settings)) {
            desk.journal.note(&format!("  {choice}"))?;
        }
        let recorder = Recorder::create(&desk.folder, &scene, &world)?;
        desk.journal.note(&format!("stage 1 of {}: {}", scene.stages().len(), scene.stages()[0].name))?;
        let at = Standing { stage: 0, progress, finished: false };
        let mut simulation = Simulation::assembled(scene, grains, world, at, Totals::default(), recorder, desk);
        simulation.recorder.snapshot(&simulation.world)?;
        simulation.checkpoint()?;
        Ok(simulation)
    }

    /// Goes on from a checkpoint; `scene` is the one that the run's folder holds.
    pub fn resume(mut scene: Scene, checkpoint: Checkpoint, mut desk: Desk) -> Result<Self, Failure> {
        let unfit = |reason: String| {
            let message =
                format!("the checkpoint does not fit the scene in {}: {reason}", desk.folder.scene().display());
            Failure::new(Exit::Unreadable, message)
        };
        let mut world = scene.build(&checkpoint.grains).map_err(|faults| unfit(faults.render(false)))?;
        let stages = scene.stages().len();
        let stage = usize::try_from(checkpoint.stage).unwrap_or(usize::MAX);
        let progress = StageProgress::from_numbers(&checkpoint.progress)
            .filter(|_| stage <= stages)
            .ok_or_else(|| unfit(format!("it is in stage {} of {stages}", checkpoint.stage + 1)))?;
        let at = Standing { stage: stage.min(stages - 1), progress, finished: stage == stages };
        scene.reenter_stage(at.stage, &at.progress, &mut world);
        checkpoint.state.put_into(&mut world).map_err(|error| unfit(error.to_string()))?;
        let (step, time) = position(&world);
        let recorder = Recorder::reopen(&desk.folder, &scene, &world)?;
        let name = &scene.stages()[at.stage].name;
        let stage = at.stage + 1;
        desk.journal.note(&format!("going on from step {step}, {time:.6} s, in stage {stage} of {stages}: {name}"))?;
        let totals = Totals::from_counters(&checkpoint.counters);
        Ok(Simulation::assembled(scene, checkpoint.grains, world, at, totals, recorder, desk))
    }

    fn assembled(
        scene: Scene,
        grains: GrainTable,
        world: AnyWorld,
        at: Standing,
        totals: Totals,
        recorder: Recorder,
        desk: Desk,
    ) -> Self {
        Simulation {
            watcher: Watcher::new(
                Profile::continued(totals.profile),
                desk.asked_problems.clone(),
                totals.unconverged.steps as u64,
            ),
            effort: Effort::continued(&totals),
            checkpointed: Instant::now(),
            last_checkpoint: None,
            scene,
            grains,
            world,
            at,
            totals,
            recorder,
            desk,
        }
    }

    /// Runs to the end, and says how it ended. Whatever happens, the summary is written if the disk allows it.
    pub fn run(mut self) -> Result<Exit, Failure> {
        // All steps are taken from inside the pool: each hand-over from here to its threads costs a wait for the scheduler,
        // which on a busy machine is longer than a small step.
        let ended = self.desk.folder.set_room_aside().and_then(|()| rayon::scope(|_| self.steps()));
        self.desk.journal.progress().end();
        self.desk.folder.free_room();
        match ended {
            Ok(status) => {
                if let Some(step) = self.watcher.without_problem() {
                    self.desk.journal.warn(&format!(
                        "step {step} of --dump-problem has no contact problem: nothing touched, or its method solves none"
                    ))?;
                }
                if let Some(steps) = self.watcher.not_reached(position(&self.world).0) {
                    self.desk.journal.warn(&format!("step {steps} of --dump-problem was not reached"))?;
                }
                let summary = self.write_summary(status, None)?;
                self.say_goodbye(status, &summary)?;
                Ok(if status == Status::Completed { Exit::Done } else { Exit::Interrupted })
            }
            Err(failure) => Err(self.fail(failure)),
        }
    }

    fn steps(&mut self) -> Result<Status, Failure> {
        // A run that was killed after its last checkpoint lacks its summary only.
        if self.at.finished {
            return Ok(Status::Completed);
        }
        loop {
            let before = position(&self.world).1;
            let step = self.world.step(&mut self.watcher);
            self.watcher.end_step();
            let dump = self.write_problem()?;
            let report = step.map_err(|error| self.explain(&error, dump.as_ref()))?;
            self.totals.add(&report, &mut self.desk.journal)?;
            let stage_ended = self.at.progress.ended(&self.world, &report);
            self.recorder.record(
                &self.world,
                &report,
                before,
                stage_ended,
                &self.scene.stages()[self.at.stage].name,
            )?;
            self.show(&report);

            if stage_ended {
                if let Some(status) = self.next_stage()? {
                    return Ok(status);
                }
            } else if self.checkpointed.elapsed() >= self.checkpoint_interval() {
                self.checkpoint()?;
            }
            if interrupt::asked() {
                if !stage_ended {
                    self.recorder.snapshot(&self.world)?;
                    self.checkpoint()?;
                }
                return Ok(Status::Interrupted);
            }
        }
    }

    /// Goes to the next stage; the status if there is none.
    fn next_stage(&mut self) -> Result<Option<Status>, Failure> {
        let (step, time) = position(&self.world);
        let stages = self.scene.stages().len();
        self.desk.journal.note(&format!(
            "stage {} of {stages}, {}, ended at step {step}, {time:.6} s",
            self.at.stage + 1,
            self.scene.stages()[self.at.stage].name,
        ))?;
        if self.at.stage + 1 == stages {
            self.at.finished = true;
            self.checkpoint()?;
            return Ok(Some(Status::Completed));
        }
        self.at.stage += 1;
        self.at.progress = self.scene.enter_stage(self.at.stage, &mut self.world, Some(&self.at.progress));
        self.checkpoint()?;
        self.desk.journal.note(&format!(
            "stage {} of {stages}: {}",
            self.at.stage + 1,
            self.scene.stages()[self.at.stage].name
        ))?;
        Ok(None)
    }

    /// Writes a checkpoint, once everything that it stands for is safe on disk.
    fn checkpoint(&mut self) -> Result<(), Failure> {
        self.recorder.sync()?;
        self.count_resources();
        let checkpoint = Checkpoint {
            state: AnyState::take_from(&mut self.world),
            grains: std::mem::take(&mut self.grains),
            stage: (self.at.stage + usize::from(self.at.finished)) as u64,
            progress: self.at.progress.to_numbers(),
            counters: self.totals.to_counters(),
        };
        let step = checkpoint.state.step();
        let written = write_checkpoint(&self.desk.folder.checkpoints(), &checkpoint);
        self.grains = checkpoint.grains;
        checkpoint.state.put_into(&mut self.world).map_err(|error| Failure::new(Exit::RunFailed, error.to_string()))?;
        self.last_checkpoint = Some((step, written.map_err(unwritable)?));
        self.checkpointed = Instant::now();
        self.desk.journal.log(&format!("checkpoint at step {step}"))
    }

    /// Writes the contact problem of the step that is just over, if it was asked for or the step failed.
    fn write_problem(&mut self) -> Result<Option<Dump>, Failure> {
        let dump = self.watcher.write(&self.desk.folder.problems(), self.scene.title())?;
        if let Some(dump) = &dump {
            let why = dump.failure.as_ref().map_or(String::new(), |failure| format!(" ({failure})"));
            self.desk.journal.log(&format!("contact problem of step {}{why}: {}", dump.step, dump.path.display()))?;
        }
        Ok(dump)
    }

    fn checkpoint_interval(&self) -> Duration {
        Duration::try_from_secs_f64(self.scene.outputs().checkpoint_interval).unwrap_or(Duration::MAX)
    }

    fn count_resources(&mut self) {
        self.effort.count(&mut self.totals);
        self.totals.profile = self.watcher.profile.seconds();
    }

    fn write_summary(&mut self, status: Status, error: Option<&str>) -> Result<Value, Failure> {
        self.count_resources();
        let stages = self.scene.stages();
        let summary = summary::summary(
            &self.world,
            &Ending {
                status,
                error,
                title: self.scene.title(),
                stage: (&stages[self.at.stage].name, self.at.stage + 1, stages.len()),
                totals: &self.totals,
                threads: self.desk.threads,
                problems: self.desk.folder.count_problems(),
            },
        );
        write_atomically(&self.desk.folder.summary(), |out| writeln!(out, "{summary:#}")).map_err(unwritable)?;
        Ok(summary)
    }

    fn show(&mut self, report: &StepReport) {
        let Simulation { desk, scene, at, .. } = self;
        let stage = &scene.stages()[at.stage];
        desk.journal.progress().show(|| Moment {
            stage: stage.name.clone(),
            time: report.time,
            total_time: total_time(scene),
            step: report.step,
            contacts: report.contacts,
            sweeps: report.sweeps,
            fraction: at.progress.fraction().filter(|_| !may_end_before(&stage.end)),
            last_stage: at.stage + 1 == scene.stages().len(),
        });
    }

    fn say_goodbye(&mut self, status: Status, summary: &Value) -> Result<(), Failure> {
        let folder = self.desk.folder.path().display().to_string();
        let headline = match status {
            Status::Completed => "completed".to_string(),
            _ => format!("interrupted; everything is written. Go on with: riprap resume {folder}"),
        };
        let text = format!("{headline}\n{}\n{}", summary::describe(summary), self.recorder.where_to_look());
        self.desk.journal.log(&text)?;
        match self.desk.journal.voice() {
            Voice::Full => say(&text),
            Voice::Warnings => {
                for warning in self.totals.warnings(position(&self.world).0) {
                    tell(format_args!("warning: {warning}"));
                }
            }
            Voice::Progress(_) => {}
        }
        Ok(())
    }

    /// Says what is safe after a failure, and writes the summary if the disk still takes it.
    fn fail(&mut self, failure: Failure) -> Failure {
        let safe = match &self.last_checkpoint {
            Some((step, path)) => format!("the last good checkpoint is {}, of step {step}", path.display()),
            None => format!("the last good checkpoint is in {}", self.desk.folder.checkpoints().display()),
        };
        let remedy = match failure.exit {
            Exit::Unwritable => format!(
                "{safe}; what was written before it is whole. Make room and go on with: riprap resume {}",
                self.desk.folder.path().display()
            ),
            _ => safe,
        };
        let message = format!("{}\n{remedy}", failure.message);
        // On a full disk these fail as well; the first failure is the one to tell.
        let _ = self.desk.journal.log(&format!("error: {message}"));
        let _ = self.write_summary(Status::Failed, Some(&message));
        Failure::new(failure.exit, message)
    }

    /// A failed step in the words of the scene: grains by number, walls by name.
    fn explain(&self, error: &StepError, dump: Option<&Dump>) -> Failure {
        let name = |body: u32| {
            for_any_world!(&self.world, world => match world.bodies.get(body as usize).and_then(|b| b.name.as_deref()) {
                Some(name) => format!("wall \"{name}\""),
                None => format!("grain {body}"),
            })
        };
        let message = match error {
            StepError::Tunnel { step, body, other, moved, depth } => format!(
                "step {step}: {} went through {} (they moved {moved:.3e} m against each other in one step and are \
                 {depth:.3e} m past each other); the time step is too long for this speed, shorten it by \
                 solver.time_step",
                name(*body),
                name(*other)
            ),
            StepError::NotFinite { step, body, quantity } => {
                format!("step {step}: the {quantity} of {} is not a number", name(*body))
            }
            StepError::Unconverged { step, sweeps, residual } => format!(
                "step {step}: not converged after {sweeps} sweeps (residual {residual:.3e}), and the scene asks to stop \
                 then (solver.on_unconverged); allow more by solver.max_sweeps"
            ),
        };
        let message = match dump {
            Some(dump) => format!("{message}\nits contact problem is in {}", dump.path.display()),
            None => message,
        };
        Failure::new(Exit::RunFailed, message)
    }
}

/// Keeps the scene with the run: from then on the folder holds a run.
pub fn keep_scene(scene: &Scene, folder: &Folder) -> Result<(), Failure> {
    write_atomically(&folder.scene(), |out| out.write_all(scene.resolved().as_bytes())).map_err(unwritable)
}

fn position(world: &AnyWorld) -> (u64, f64) {
    for_any_world!(world, world => (world.state.step, world.state.time))
}

fn unwritable(error: riprap_store::StoreError) -> Failure {
    Failure::new(Exit::Unwritable, error.to_string())
}
