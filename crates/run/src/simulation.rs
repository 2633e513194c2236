//! The run itself: step after step, stage after stage, with everything written on the way.

use crate::choices::numerical_choices;
use crate::dumps::{Dump, Watcher};
use crate::effort::Effort;
use crate::error::RunError;
use crate::folder::RunFolder;
use crate::interrupt::Interrupt;
use crate::journal::Journal;
use crate::listener::{Listener, Progress};
use crate::output::{Files, Output};
use crate::pace::{Pace, may_end_before, total_time};
use crate::prepared::{PreparedScene, load_scene};
use crate::standing::{Restored, Standing};
use crate::summary::{self, Ending, Status};
use crate::totals::Totals;
use riprap_engine::{AnyWorld, BodyId, GrainTable, StepError, StepReport, for_any_world};
use riprap_scene::Scene;
use riprap_store::{AnyState, read_checkpoint, write_atomically};
use serde_json::Value;
use std::fmt;
use std::ops::RangeInclusive;
use std::path::Path;

/// A run under way.
///
/// It belongs to one thread at a time and takes its steps on the threads of the rayon pool that it is called from.
pub struct Simulation {
    scene: Scene,
    grains: GrainTable,
    world: AnyWorld,
    at: Standing,
    has_failed: bool,
    last_report: Option<StepReport>,
    totals: Totals,
    watcher: Watcher,
    effort: Effort,
    pace: Pace,
    interrupt: Interrupt,
    journal: Journal,
    /// What it writes; a run without a folder writes nothing.
    files: Option<Files>,
}

/// Who hears of a run, and who may end it; by default nobody.
pub struct RunOptions {
    /// Hears notes, warnings and progress.
    pub listener: Box<dyn Listener>,
    /// Asks the run to end.
    pub interrupt: Interrupt,
}

impl Default for RunOptions {
    fn default() -> Self {
        RunOptions { listener: Box::new(()), interrupt: Interrupt::default() }
    }
}

/// How far to run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Until {
    /// So many steps from here.
    Steps(u64),
    /// To this simulated time (s), or as little beyond it as the time step allows.
    Time(f64),
    /// To the end of the stage.
    StageEnd,
    /// To the end of the last stage.
    End,
}

/// Why a run stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// It has come as far as was asked.
    Reached,
    /// All stages are done.
    Finished,
    /// It was asked to end.
    Interrupted,
}

/// How a run ended.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Completed if all stages are done, else interrupted.
    pub status: Status,
    /// The summary, as `summary.json` has it.
    pub summary: Value,
    /// The same in words, with the warnings that stand, and where to look.
    pub words: String,
    /// The warnings that stand at the end.
    pub warnings: Vec<String>,
}

/// Beginning.
impl Simulation {
    /// A run without files that nobody listens to. Files that the scene names are looked for in the current folder.
    pub fn new(scene: Scene) -> Result<Self, RunError> {
        Simulation::without_files(PreparedScene::new(scene, Path::new(""))?, RunOptions::default())
    }

    /// A run without files.
    pub fn without_files(prepared: PreparedScene, options: RunOptions) -> Result<Self, RunError> {
        let mut journal = Journal::without_log(options.listener);
        journal.note(&headline(&prepared.scene))?;
        Simulation::start(prepared, None, journal, options.interrupt)
    }

    /// A new run in a new folder.
    pub fn begin(prepared: PreparedScene, output: impl Into<Output>, options: RunOptions) -> Result<Self, RunError> {
        let output = output.into();
        let mut journal = Journal::open(&output.folder, options.listener)?;
        output.folder.keep_scene(&prepared.scene)?;
        let file = prepared.scene.file();
        journal.log(&format!("riprap {VERSION}, {file} with {} threads", rayon::current_num_threads()))?;
        journal.note(&headline(&prepared.scene))?;
        journal.note(&format!("writing to {}", output.folder.path().display()))?;
        Simulation::start(prepared, Some(output), journal, options.interrupt)
    }

    /// Goes on with the run in a folder from its last good checkpoint, or from its beginning if there is none. `None` if
    /// that run is completed.
    pub fn resume(output: impl Into<Output>, options: RunOptions) -> Result<Option<Self>, RunError> {
        let output = output.into();
        let folder = &output.folder;
        let mut journal = Journal::open(folder, options.listener)?;
        if folder.status().as_deref() == Some(Status::Completed.word()) {
            let path = folder.path().display();
            journal.note(&format!("the run in {path} is complete; there is nothing to resume"))?;
            return Ok(None);
        }
        journal.log(&format!("riprap {VERSION}, resumed with {} threads", rayon::current_num_threads()))?;
        let mut scene = load_scene(&folder.scene(), &[])?;
        if folder.has_no_checkpoint() {
            journal.note("the run was killed before its first checkpoint; starting from the beginning")?;
            folder.make_parts()?;
            let prepared = PreparedScene::new(scene, folder.path())?;
            return Simulation::start(prepared, Some(output), journal, options.interrupt).map(Some);
        }
        let (checkpoint, damaged) = read_checkpoint(&folder.checkpoints()).map_err(RunError::NoCheckpoint)?;
        for reason in damaged {
            journal.warn(&format!("{reason}; using the previous checkpoint"))?;
        }
        let restored = Restored::new(&mut scene, &folder.scene(), checkpoint)?;
        Simulation::go_on(scene, restored, output, journal, options.interrupt).map(Some)
    }

    /// Goes on with the run of this scene in the folder `path` if there is one ([`RunFolder::kept`]), and else begins it
    /// there, in place of any other. `None` if it is completed.
    pub fn take_up(prepared: PreparedScene, path: &Path, options: RunOptions) -> Result<Option<Self>, RunError> {
        match RunFolder::kept(path, &prepared.scene) {
            Some(folder) if folder.status().as_deref() == Some(Status::Completed.word()) => Ok(None),
            Some(folder) => Simulation::resume(folder, options),
            None => Simulation::begin(prepared, RunFolder::named(path, true)?, options).map(Some),
        }
    }

    /// Enters the first stage; with files, there is a snapshot and a checkpoint before the first step.
    fn start(
        prepared: PreparedScene,
        output: Option<Output>,
        mut journal: Journal,
        interrupt: Interrupt,
    ) -> Result<Self, RunError> {
        let PreparedScene { scene, grains, mut world } = prepared;
        let progress = scene.enter_stage(0, &mut world, None);
        for choice in for_any_world!(&world, world => numerical_choices(&scene, &world.method, &world.settings)) {
            journal.note(&format!("  {choice}"))?;
        }
        let (folder, problems) = output.map(|output| (output.folder, output.problems)).unzip();
        let files = folder.map(|folder| Files::create(folder, &scene, &world)).transpose()?;
        journal.note(&format!("stage 1 of {}: {}", scene.stages().len(), scene.stages()[0].name))?;
        let at = Standing { stage: 0, progress, finished: false };
        let restored = Restored { grains, world, at, counters: Vec::new() };
        let mut simulation = Simulation::assembled(scene, restored, problems, files, journal, interrupt);
        simulation.snapshot()?;
        simulation.checkpoint()?;
        Ok(simulation)
    }

    fn go_on(
        scene: Scene,
        restored: Restored,
        output: Output,
        mut journal: Journal,
        interrupt: Interrupt,
    ) -> Result<Self, RunError> {
        let (step, time) = position(&restored.world);
        let files = Files::reopen(output.folder, &scene, &restored.world, &restored.counters)?;
        let (stage, stages) = (restored.at.stage + 1, scene.stages().len());
        let name = &scene.stages()[restored.at.stage].name;
        journal.note(&format!("resuming at step {step}, {time:.6} s, in stage {stage} of {stages}: {name}"))?;
        Ok(Simulation::assembled(scene, restored, Some(output.problems), Some(files), journal, interrupt))
    }

    fn assembled(
        scene: Scene,
        restored: Restored,
        problems: Option<Vec<RangeInclusive<u64>>>,
        files: Option<Files>,
        journal: Journal,
        interrupt: Interrupt,
    ) -> Self {
        let Restored { grains, world, at, counters } = restored;
        let totals = Totals::from_counters(&counters);
        Simulation {
            watcher: Watcher::new(problems, totals.unconverged.steps as u64),
            effort: Effort::continued(&totals),
            pace: Pace::default(),
            has_failed: false,
            last_report: None,
            scene,
            grains,
            world,
            at,
            totals,
            interrupt,
            journal,
            files,
        }
    }
}

/// Stepping.
impl Simulation {
    /// Runs until a step, a time, the end of the stage or of all stages is reached, or until it is asked to end. A run that
    /// has reached the end stays there.
    pub fn run(&mut self, until: Until) -> Result<Stop, RunError> {
        self.run_while(until, |_, _| true)
    }

    /// As [`Simulation::run`], but only as long as `goes_on` says so after a step. It may change the world.
    pub fn run_while(
        &mut self,
        until: Until,
        goes_on: impl FnMut(&mut Self, &StepReport) -> bool + Send,
    ) -> Result<Stop, RunError> {
        // All steps are taken from inside the pool: each hand-over from here to its threads costs a wait for the scheduler,
        // which on a busy machine is longer than a small step.
        rayon::scope(|_| self.run_here(until, goes_on))
    }

    fn run_here(
        &mut self,
        until: Until,
        mut goes_on: impl FnMut(&mut Self, &StepReport) -> bool,
    ) -> Result<Stop, RunError> {
        let (first_step, first_stage) = (position(&self.world).0, self.at.stage);
        loop {
            if self.at.finished {
                return Ok(Stop::Finished);
            }
            let (step, time) = position(&self.world);
            let is_reached = match until {
                Until::Steps(steps) => step - first_step >= steps,
                // A step that ends there but for rounding counts as ending there.
                Until::Time(end) => time >= end - 1e-6 * for_any_world!(&self.world, world => world.settings.time_step),
                Until::StageEnd => self.at.stage > first_stage,
                Until::End => false,
            };
            if is_reached {
                return Ok(Stop::Reached);
            }
            let report = self.step()?;
            let goes_on = goes_on(self, &report);
            if self.interrupt.asked() && !self.at.finished {
                return Ok(Stop::Interrupted);
            }
            if !goes_on && !self.at.finished {
                return Ok(Stop::Reached);
            }
        }
    }

    /// Takes one step, writes what is due, and goes to the next stage where one ends. After an error the run is over: its
    /// summary is written, if the disk allows it, and the error says what is safe.
    pub fn step(&mut self) -> Result<StepReport, RunError> {
        if self.has_failed {
            return Err(RunError::HasFailed);
        }
        if self.at.finished {
            return Err(RunError::HasFinished);
        }
        self.step_and_record().map_err(|error| self.fail(error))
    }

    fn step_and_record(&mut self) -> Result<StepReport, RunError> {
        if let Some(files) = &mut self.files {
            files.set_room_aside()?;
        }
        let before = position(&self.world).1;
        let step = self.world.step(&mut self.watcher);
        let seconds = self.watcher.end_step();
        let dump = self.write_problem()?;
        let report = step.map_err(|error| self.explain(error, dump.as_ref()))?;
        self.totals.add(&report, self.at.stage, &seconds);
        self.totals.warn(&report, &mut self.journal)?;
        let stage_ended = self.at.progress.ended(&self.world, &report);
        if let Some(files) = &mut self.files {
            let stage = &self.scene.stages()[self.at.stage].name;
            files.recorder.record(&self.world, &report, before, stage_ended, stage)?;
        }
        self.last_report = Some(report.clone());
        self.pace.step(self.at.stage, report.step, self.fraction());
        self.show();

        if stage_ended {
            self.next_stage()?;
        } else if self.files.as_ref().is_some_and(Files::is_checkpoint_due) {
            self.checkpoint()?;
        }
        Ok(report)
    }

    /// Goes to the next stage; without one the run is finished.
    fn next_stage(&mut self) -> Result<(), RunError> {
        let (step, time) = position(&self.world);
        let stages = self.scene.stages().len();
        self.journal.note(&format!(
            "stage {} of {stages}, {}, ended at step {step}, {time:.6} s",
            self.at.stage + 1,
            self.scene.stages()[self.at.stage].name,
        ))?;
        if self.at.stage + 1 == stages {
            self.at.finished = true;
            return self.checkpoint();
        }
        self.at.stage += 1;
        self.at.progress = self.scene.enter_stage(self.at.stage, &mut self.world, Some(&self.at.progress));
        self.checkpoint()?;
        self.journal.note(&format!(
            "stage {} of {stages}: {}",
            self.at.stage + 1,
            self.scene.stages()[self.at.stage].name
        ))
    }

    /// Writes a snapshot in all formats of the scene, unless this step has one or the run has no folder.
    pub fn snapshot(&mut self) -> Result<(), RunError> {
        self.files.as_mut().map_or(Ok(()), |files| files.recorder.snapshot(&self.world))
    }

    /// Writes a checkpoint, once everything that it stands for is safe on disk; nothing if the run has no folder.
    pub fn checkpoint(&mut self) -> Result<(), RunError> {
        self.effort.count(&mut self.totals);
        let Some(files) = &mut self.files else { return Ok(()) };
        files.recorder.sync()?;
        // The state is lent to the checkpoint rather than copied.
        let state = AnyState::take_from(&mut self.world);
        let counters = [self.totals.to_counters(), files.recorder.counters()].concat();
        let checkpoint = self.at.checkpoint(state, std::mem::take(&mut self.grains), counters);
        let step = checkpoint.state.step();
        let written = files.write_checkpoint(&checkpoint);
        self.grains = checkpoint.grains;
        checkpoint.state.put_into(&mut self.world).expect("the state was taken from this world");
        written?;
        self.journal.log(&format!("checkpoint at step {step}"))
    }

    /// Writes the contact problem of the step that is just over, if it was asked for or the step failed.
    fn write_problem(&mut self) -> Result<Option<Dump>, RunError> {
        let Some(files) = &self.files else { return Ok(None) };
        let dump = self.watcher.write(&files.folder.problems(), self.scene.title())?;
        if let Some(dump) = &dump {
            let why = dump.failure.as_ref().map_or(String::new(), |failure| format!(" ({failure})"));
            self.journal.log(&format!("contact problem of step {}{why}: {}", dump.step, dump.path.display()))?;
        }
        Ok(dump)
    }

    fn show(&mut self) {
        let Simulation { journal, scene, at, pace, world, last_report, .. } = self;
        journal.step(&mut || progress(scene, at, pace, world, last_report.as_ref()));
    }

    /// A failed step in the words of the scene: grains by number, walls by name.
    fn explain(&self, error: StepError, dump: Option<&Dump>) -> RunError {
        let name = |id: BodyId| {
            for_any_world!(&self.world, world => {
                let body = world.index_of(id).map(|index| &world.bodies[index]);
                match body.and_then(|body| body.name.as_deref()) {
                    Some(name) => format!("wall \"{name}\""),
                    None => format!("grain {id}"),
                }
            })
        };
        let mut message = match &error {
            StepError::Tunnel { step, body, other, moved, depth } => format!(
                "step {step}: {} passed through {} (a relative motion of {moved:.3e} m in one step, ending {depth:.3e} m \
                 past each other); the time step is too long for this speed: reduce solver.time_step",
                name(*body),
                name(*other)
            ),
            StepError::NotFinite { step, body, quantity } => {
                format!("step {step}: the {quantity} of {} is not a number", name(*body))
            }
            StepError::Unconverged { step, sweeps, residual } => format!(
                "step {step}: not converged after {sweeps} sweeps (residual {residual:.3e}), and solver.on_unconverged is \
                 \"stop\"; increase solver.max_sweeps"
            ),
            StepError::Options(error) => error.to_string(),
        };
        if let Some(dump) = dump {
            message += &format!("\nthe contact problem of this step is in {}", dump.path.display());
        }
        RunError::Step { error, message }
    }
}

/// Ending.
impl Simulation {
    /// Ends the run with everything written: a snapshot and a checkpoint of the last step, from which it can be resumed
    /// unless it is finished, and the summary.
    pub fn end(mut self) -> Result<Outcome, RunError> {
        if self.has_failed {
            return Err(RunError::HasFailed);
        }
        if let Err(error) = self.keep_last_step() {
            return Err(self.fail(error));
        }
        self.journal.end();
        if let Some(files) = &mut self.files {
            files.free_room();
        }
        self.warn_of_missing_problems()?;
        let status = if self.at.finished { Status::Completed } else { Status::Interrupted };
        let summary = self.write_summary(status, None)?;
        let words = self.last_words(status, &summary);
        self.journal.log(&words)?;
        Ok(Outcome { status, summary, words, warnings: self.totals.warnings(position(&self.world).0) })
    }

    /// Keeps the step at which an unfinished run ends.
    fn keep_last_step(&mut self) -> Result<(), RunError> {
        if self.at.finished {
            return Ok(());
        }
        self.snapshot()?;
        let step = position(&self.world).0;
        match &mut self.files {
            Some(files) if files.has_checkpoint_of(step) => files.recorder.sync(),
            _ => self.checkpoint(),
        }
    }

    fn warn_of_missing_problems(&mut self) -> Result<(), RunError> {
        if let Some(step) = self.watcher.without_problem() {
            self.journal.warn(&format!(
                "step {step} of --dump-problem has no contact problem: there were no contacts, or the method does not solve one"
            ))?;
        }
        if let Some(steps) = self.watcher.not_reached(position(&self.world).0) {
            self.journal.warn(&format!("step {steps} of --dump-problem was not reached"))?;
        }
        Ok(())
    }

    fn write_summary(&mut self, status: Status, error: Option<&str>) -> Result<Value, RunError> {
        self.effort.count(&mut self.totals);
        let stages = self.scene.stages();
        let summary = summary::summary(
            &self.world,
            &Ending {
                status,
                error,
                title: self.scene.title(),
                stages: &stages.iter().map(|stage| stage.name.as_str()).collect::<Vec<_>>(),
                stage: self.at.stage,
                totals: &self.totals,
                threads: rayon::current_num_threads(),
                problems: self.files.as_ref().map_or(0, |files| files.folder.count_problems()),
            },
        );
        if let Some(files) = &self.files {
            write_atomically(&files.folder.summary(), |out| writeln!(out, "{summary:#}"))
                .map_err(RunError::Unwritable)?;
        }
        Ok(summary)
    }

    fn last_words(&self, status: Status, summary: &Value) -> String {
        let mut words = match (&self.files, status) {
            (Some(files), Status::Interrupted) => {
                let folder = files.folder.path().display();
                format!("interrupted; all output is on disk. Continue with: riprap resume {folder}")
            }
            _ => status.word().to_string(),
        };
        words += &format!("\n{}", summary::describe(summary));
        if let Some(files) = &self.files {
            words += &format!("\n{}", files.recorder.where_to_look());
        }
        words
    }

    /// Ends the run after an error: says what is safe, and writes the summary if the disk still takes it.
    fn fail(&mut self, error: RunError) -> RunError {
        self.has_failed = true;
        self.journal.end();
        let error = match &mut self.files {
            None => error,
            Some(files) => {
                files.free_room();
                let safe = files.what_is_safe(&error);
                RunError::Failed { cause: Box::new(error), safe }
            }
        };
        let message = error.to_string();
        // On a full disk these fail as well; the first failure is the one to tell.
        let _ = self.journal.log(&format!("error: {message}"));
        let _ = self.write_summary(Status::Failed, Some(&message));
        error
    }
}

/// Looking at it.
impl Simulation {
    /// The scene.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The world as it is now.
    pub fn world(&self) -> &AnyWorld {
        &self.world
    }

    /// The world as it is now, to be changed between steps. A checkpoint holds its state; what else is changed has to be
    /// changed again after a resume.
    pub fn world_mut(&mut self) -> &mut AnyWorld {
        &mut self.world
    }

    /// What the last step reported; `None` before the first step.
    pub fn report(&self) -> Option<&StepReport> {
        self.last_report.as_ref()
    }

    /// Sums and extremes over the run; times and memory are those of the last checkpoint.
    pub fn totals(&self) -> &Totals {
        &self.totals
    }

    /// How far the run is, and how long the stage still takes.
    pub fn progress(&self) -> Progress {
        progress(&self.scene, &self.at, &self.pace, &self.world, self.last_report.as_ref())
    }

    /// The stage that the run is in, from 0 on; the last one also when it is finished.
    pub fn stage(&self) -> usize {
        self.at.stage
    }

    /// True if all stages are done.
    pub fn is_finished(&self) -> bool {
        self.at.finished
    }

    /// The folder that it writes to, if any.
    pub fn folder(&self) -> Option<&RunFolder> {
        self.files.as_ref().map(|files| &files.folder)
    }

    /// The flag that asks it to end.
    pub fn interrupt(&self) -> Interrupt {
        self.interrupt.clone()
    }

    fn fraction(&self) -> Option<f64> {
        fraction(&self.scene, &self.at)
    }
}

impl fmt::Debug for Simulation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Simulation");
        shown.field("title", &self.scene.title()).field("folder", &self.folder()).field("progress", &self.progress());
        shown.finish_non_exhaustive()
    }
}

/// The version in logs and summaries.
const VERSION: &str = env!("CARGO_PKG_VERSION");

fn headline(scene: &Scene) -> String {
    format!("{} ({})", scene.title(), scene.file())
}

fn position(world: &AnyWorld) -> (u64, f64) {
    for_any_world!(world, world => (world.state.step, world.state.time))
}

/// The part of the stage that is done, unless the stage may end before.
fn fraction(scene: &Scene, at: &Standing) -> Option<f64> {
    at.progress.fraction().filter(|_| !may_end_before(&scene.stages()[at.stage].end))
}

fn progress(scene: &Scene, at: &Standing, pace: &Pace, world: &AnyWorld, report: Option<&StepReport>) -> Progress {
    let (step, time) = position(world);
    Progress {
        stage: scene.stages()[at.stage].name.clone(),
        time,
        total_time: total_time(scene),
        step,
        contacts: report.map_or(0, |report| report.contacts),
        sweeps: report.map_or(0, |report| report.sweeps),
        fraction: fraction(scene, at),
        last_stage: at.stage + 1 == scene.stages().len(),
        time_left: pace.time_left(),
        speed: pace.speed(),
    }
}
