//! The run itself: step after step, stage after stage, with everything written on the way.

use crate::choices::numerical_choices;
use crate::dumps::{Dump, UserLaw, Watcher};
use crate::effort::Effort;
use crate::error::RunError;
use crate::fallen::fallen_in_words;
use crate::flows::Traffic;
use crate::folder::RunFolder;
use crate::forecast::check_disk;
use crate::interrupt::Interrupt;
use crate::journal::Journal;
use crate::listener::{Listener, Progress};
use crate::output::{Files, Output};
use crate::pace::{Pace, total_time};
use crate::prepared::{BesideScene, PreparedScene, load_scene};
use crate::standing::{Restored, Standing};
use crate::summary::{self, Ending, Status};
use crate::totals::Totals;
use crate::words::{counted, three_digits, utc};
use riprap_engine::{
    AnyWorld, BodyId, GrainTable, Method, Motion, Placement, StepError, StepReport, Vector, for_any_world,
};
use riprap_scene::{End, EndCause, Override, Scene};
use riprap_solve::Ranks;
use riprap_store::{AnyState, Checkpoint, read_checkpoint, write_atomically};
use serde_json::Value;
use std::fmt;
use std::mem::take;
use std::ops::RangeInclusive;
use std::path::Path;
use std::time::SystemTime;

/// A run under way.
///
/// It belongs to one thread at a time and takes its steps on the threads of the rayon pool that it is called from.
pub struct Simulation {
    scene: Scene,
    /// The grains of the sample, then those that were added, whose ids are in `added`.
    grains: GrainTable,
    added: Vec<u32>,
    /// The walls that were added: their description, and the id of the first.
    walls: Vec<(String, u32)>,
    world: AnyWorld,
    at: Standing,
    has_failed: bool,
    /// Those that compute it together.
    ranks: Ranks,
    last_report: Option<StepReport>,
    totals: Totals,
    traffic: Traffic,
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
    /// True if the caller goes on to control a run as it was controlled before ([`Simulation::control`]); without this such
    /// a run is not resumed.
    pub controls: bool,
}

impl Default for RunOptions {
    fn default() -> Self {
        RunOptions { listener: Box::new(()), interrupt: Interrupt::default(), controls: false }
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
        check_disk(&prepared, output.folder.path())?;
        let mut journal = Journal::open(&output.folder, options.listener)?;
        output.folder.keep_scene(&prepared.scene)?;
        let file = prepared.scene.file();
        journal.log(&format!("riprap {VERSION}, {file} with {}, {}", threads(), utc(SystemTime::now())))?;
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
        // A run that was killed between its summary and the mark gets the mark here.
        folder.mark_complete(folder.is_complete())?;
        if folder.is_complete() {
            let path = folder.path().display();
            journal.note(&format!(
                "the run in {path} is complete; `riprap resume {path} --longer TIME` makes it longer"
            ))?;
            return Ok(None);
        }
        journal.log(&format!("riprap {VERSION}, resumed with {}, {}", threads(), utc(SystemTime::now())))?;
        let mut scene = load_scene(&folder.scene(), &[])?;
        if folder.has_no_checkpoint() {
            journal.note("the run was killed before its first checkpoint; starting from the beginning")?;
            folder.refuse_links()?;
            folder.make_parts()?;
            let prepared = PreparedScene::new(scene, folder.path())?;
            return Simulation::start(prepared, Some(output), journal, options.interrupt).map(Some);
        }
        let (checkpoint, damaged) = read_checkpoint(&folder.checkpoints()).map_err(RunError::NoCheckpoint)?;
        if checkpoint.scene != folder.scene_hash()? {
            let scene = folder.scene();
            let scene = scene.display();
            journal.warn(&format!(
                "{scene} was changed after the last checkpoint; the run continues with the changed scene"
            ))?;
        }
        for reason in damaged {
            journal.warn(&format!("{reason}; using the previous checkpoint"))?;
        }
        if checkpoint.counters.iter().any(|(name, value)| name == "controlled" && *value > 0.0) && !options.controls {
            return Err(RunError::Controlled { folder: folder.path().into() });
        }
        let restored = Restored::new(&mut scene, &folder.scene(), checkpoint)?;
        Simulation::go_on(scene, restored, output, journal, options.interrupt).map(Some)
    }

    /// The run in a folder as ranks other than the first have it: from its last good checkpoint, or from its beginning.
    /// They read the folder and write nothing. `None` if the run is complete.
    pub fn follow(path: &Path, options: RunOptions) -> Result<Option<Self>, RunError> {
        let folder = RunFolder::existing(path)?;
        if folder.is_complete() {
            return Ok(None);
        }
        let mut scene = load_scene(&folder.scene(), &[])?;
        if folder.has_no_checkpoint() {
            return Simulation::without_files(PreparedScene::new(scene, folder.path())?, options).map(Some);
        }
        let (checkpoint, _) = read_checkpoint(&folder.checkpoints()).map_err(RunError::NoCheckpoint)?;
        let restored = Restored::new(&mut scene, &folder.scene(), checkpoint)?;
        let journal = Journal::without_log(options.listener);
        Ok(Some(Simulation::assembled(scene, restored, None, None, journal, options.interrupt)))
    }

    /// From now on these ranks compute the run together: each has it in the same state, and the first may write files. An
    /// error if they have not, or cannot.
    pub fn join(&mut self, ranks: &Ranks) -> Result<(), RunError> {
        if !ranks.is_alone() {
            refuse_ranks(&self.world)?;
        }
        let state = u64::from_str_radix(&riprap_store::state_hash(&self.world), 16).unwrap_or_default();
        if let Some(rank) = unequal(ranks, state) {
            return Err(RunError::OtherState { rank });
        }
        self.ranks = ranks.clone();
        for_any_world!(&mut self.world, world => world.ranks = ranks.clone());
        Ok(())
    }

    /// Makes a completed run longer by a time (s): its last stage goes on from where its time ended it, and the scene of the
    /// folder says so. The result is that of a run whose last stage had the longer time from the start.
    pub fn extend(output: impl Into<Output>, longer: f64, options: RunOptions) -> Result<Self, RunError> {
        let output = output.into();
        let folder = &output.folder;
        let mut journal = Journal::open(folder, options.listener)?;
        let refuse = |reason: &str| RunError::NotLonger { folder: folder.path().into(), reason: reason.to_owned() };
        if !folder.is_complete() {
            return Err(refuse("it is not complete; continue it first"));
        }
        let (checkpoint, _) = read_checkpoint(&folder.checkpoints()).map_err(RunError::NoCheckpoint)?;
        if checkpoint.counters.iter().any(|(name, value)| name == "controlled" && *value > 0.0) && !options.controls {
            return Err(RunError::Controlled { folder: folder.path().into() });
        }
        let scene = load_scene(&folder.scene(), &[])?;
        let last = scene.stages().len() - 1;
        let ended_by = Totals::from_counters(&checkpoint.counters).stages.get(last).map_or(0.0, |stage| stage.ended_by);
        if EndCause::from_number(ended_by) != Some(EndCause::Time) {
            return Err(refuse("its last stage was not ended by its time"));
        }
        let unfit = || refuse("its last checkpoint is not that of a completed run");
        let progress = scene.progress_from(last, &checkpoint.progress).ok_or_else(unfit)?;
        let start = progress.starts.last().copied().ok_or_else(unfit)?;
        let end = checkpoint.state.time() + longer;
        let time = Override { path: format!("stages.{last}.end.time"), value: format!("{:?}", end - start) };
        let mut scene = load_scene(&folder.scene(), &[time])?;
        let mut restored = Restored::new(&mut scene, &folder.scene(), checkpoint)?;
        restored.at.finished = false;
        restored.at.progress.end_time = Some(end);
        folder.keep_scene(&scene)?;
        journal.log(&format!("riprap {VERSION}, made longer with {}, {}", threads(), utc(SystemTime::now())))?;
        let mut simulation = Simulation::go_on(scene, restored, output, journal, options.interrupt)?;
        simulation.totals.stages[last].ended_by = 0.0;
        // From here on the run is an interrupted one, also for those who look at its folder.
        simulation.checkpoint()?;
        simulation.write_summary(Status::Interrupted, None)?;
        if let Some(files) = &simulation.files {
            files.folder.mark_complete(false)?;
        }
        Ok(simulation)
    }

    /// Goes on with the run of this scene in the folder `path` if there is one ([`RunFolder::kept`]), and else begins it
    /// there, in place of any other. `None` if it is completed.
    pub fn take_up(prepared: PreparedScene, path: &Path, options: RunOptions) -> Result<Option<Self>, RunError> {
        match RunFolder::kept(path, &prepared.scene) {
            Some(folder) if folder.is_complete() => folder.mark_complete(true).map(|()| None),
            Some(folder) => Simulation::resume(folder, options),
            None => Simulation::begin(prepared, RunFolder::named(path, true)?, options).map(Some),
        }
    }

    /// Begins the run of this scene in the folder `path`, or goes on with it, whichever way it ended. `None` if it is
    /// complete. A run of another scene is left alone. `problems` are the steps whose contact problems are wanted.
    pub fn begin_or_resume(
        prepared: PreparedScene,
        path: &Path,
        problems: Vec<RangeInclusive<u64>>,
        options: RunOptions,
    ) -> Result<Option<Self>, RunError> {
        match RunFolder::existing(path) {
            Ok(folder) if folder.holds(&prepared.scene) => Simulation::resume(Output { folder, problems }, options),
            Ok(_) => Err(RunError::OtherScene { folder: path.into() }),
            Err(_) => {
                let folder = RunFolder::named(path, false)?;
                Simulation::begin(prepared, Output { folder, problems }, options).map(Some)
            }
        }
    }

    /// Goes on with the run in the folder `path`, or begins it if it was only prepared there ([`RunFolder::prepared`]).
    /// `None` if it is complete.
    pub fn in_folder(
        path: &Path,
        problems: Vec<RangeInclusive<u64>>,
        options: RunOptions,
    ) -> Result<Option<Self>, RunError> {
        if RunFolder::has_run(path) {
            return Simulation::resume(Output { folder: RunFolder::existing(path)?, problems }, options);
        }
        let (folder, prepared) = RunFolder::prepared(path)?;
        Simulation::begin(prepared, Output { folder, problems }, options).map(Some)
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
        let (added, walls, waiting, counters) = Default::default();
        let restored = Restored { grains, added, walls, world, at, waiting, counters };
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
        for damage in files.recorder.damage() {
            journal.warn(&damage)?;
        }
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
        let Restored { grains, added, walls, world, at, waiting, counters } = restored;
        let mut traffic = Traffic::new(&scene, &counters);
        for (feed, waiting) in traffic.flows.inlets.iter_mut().zip(waiting) {
            feed.waiting = waiting;
        }
        let totals = Totals::from_counters(&counters);
        Simulation {
            watcher: Watcher::new(problems, totals.unconverged.steps as u64),
            effort: Effort::continued(&totals),
            pace: Pace::default(),
            has_failed: false,
            ranks: Ranks::default(),
            last_report: None,
            scene,
            grains,
            added,
            walls,
            world,
            at,
            totals,
            traffic,
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
            let report = self.step();
            let is_asked = self.agree(&report)?;
            let report = report?;
            let goes_on = goes_on(self, &report);
            if is_asked && !self.at.finished {
                return Ok(Stop::Interrupted);
            }
            if !goes_on && !self.at.finished {
                return Ok(Stop::Reached);
            }
        }
    }

    /// True if any rank is asked to end; an error if one of the others has failed where this one has not.
    fn agree(&self, report: &Result<StepReport, RunError>) -> Result<bool, RunError> {
        if self.ranks.is_alone() {
            return Ok(self.interrupt.asked());
        }
        let own = if report.is_err() { FAILED } else { f64::from(self.interrupt.asked()) };
        let all = self.ranks.gather_each(own);
        match all.iter().position(|&state| state == FAILED) {
            Some(rank) if own != FAILED => Err(RunError::RankFailed { rank }),
            _ => Ok(all.contains(&1.0)),
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
        self.step_and_record().map_err(|error| match error {
            // Everything is as it was before the step, and the caller may try another law.
            RunError::Step { error: StepError::Law { .. }, .. } => error,
            error => self.fail(error),
        })
    }

    fn step_and_record(&mut self) -> Result<StepReport, RunError> {
        if let Some(files) = &mut self.files {
            files.set_room_aside()?;
        }
        self.exchange()?;
        let before = position(&self.world).1;
        let places = self.places();
        let step = self.world.step(&mut self.watcher);
        let seconds = self.watcher.end_step();
        let dump = self.write_problem()?;
        let report = step.map_err(|error| self.explain(error, dump.as_ref()))?;
        self.totals.add(&report, self.at.stage, &seconds);
        self.totals.warn(&report, &mut self.journal)?;
        self.scene.gauge(&mut self.traffic.flows, &places, &self.world);
        let stage_ended = self.at.progress.ended(&self.world, &report);
        if let Some(files) = &mut self.files {
            let stage = &self.scene.stages()[self.at.stage].name;
            let of_scene = (&self.scene, stage.as_str());
            files.recorder.record(&mut self.world, &report, before, stage_ended, of_scene, &mut self.traffic)?;
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

    /// Between two steps: grains that are in an outlet leave, and those that are due come in.
    fn exchange(&mut self) -> Result<(), RunError> {
        let (step, time) = position(&self.world);
        // A step that failed may be tried again, but what is due falls due once.
        if step == 0 || self.traffic.exchanged == step as f64 || !self.scene.is_open() {
            return Ok(());
        }
        self.traffic.exchanged = step as f64;
        let stage = self.at.stage;
        let gone = self.scene.let_out(stage, &mut self.traffic.flows, &mut self.world);
        if let Some(files) = &mut self.files {
            files.recorder.departed(&self.scene, step + 1, time, &gone)?;
        }
        for inlet in 0..self.traffic.flows.inlets.len() {
            let grains = self.scene.let_in(stage, inlet, &mut self.traffic.flows, &self.world);
            if !grains.is_empty() {
                self.add_grains(grains)?;
            }
        }
        match self.traffic.first_refusal(&self.scene, step) {
            Some(warning) => self.journal.warn(&warning),
            None => Ok(()),
        }
    }

    /// Where all bodies are; nothing if no gauge asks for it.
    fn places(&self) -> Vec<[f64; 3]> {
        if self.traffic.flows.gauges.is_empty() {
            return Vec::new();
        }
        for_any_world!(&self.world, world => world.state.position.iter().map(|place| place.to_array3()).collect())
    }

    /// Goes to the next stage; without one the run is finished.
    fn next_stage(&mut self) -> Result<(), RunError> {
        let (step, time) = position(&self.world);
        let stages = self.scene.stages().len();
        let stage = &self.scene.stages()[self.at.stage];
        let cause = self.at.progress.cause().unwrap_or(EndCause::Steps);
        self.totals.stages[self.at.stage].ended_by = cause.number();
        self.journal.note(&format!(
            "stage {} of {stages}, {}, ended at step {step}, {time:.6} s: {}",
            self.at.stage + 1,
            stage.name,
            cause_in_words(cause, &stage.end)
        ))?;
        for reason in self.at.progress.never_armed() {
            self.journal.warn(&format!("stage {} could not fail by what it was to lose: {reason}", stage.name))?;
        }
        if let Some(fallen) = fallen_in_words(&self.scene, &self.world) {
            self.journal.note(&fallen)?;
        }
        if self.at.stage + 1 == stages {
            self.at.finished = true;
            return self.checkpoint();
        }
        self.at.stage += 1;
        self.at.progress = self.scene.enter_stage(self.at.stage, &mut self.world, Some(&self.at.progress));
        for (wall, grains, depth) in self.scene.walls_in_grains(self.at.stage, &self.world) {
            self.journal.warn(&format!(
                "wall \"{wall}\" appears and cuts {}, up to {} m deep; what it cuts is pushed out, which adds energy",
                counted(grains as u64, "grain"),
                three_digits(depth)
            ))?;
        }
        self.checkpoint()?;
        self.journal.note(&format!(
            "stage {} of {stages}: {}",
            self.at.stage + 1,
            self.scene.stages()[self.at.stage].name
        ))
    }

    /// Writes a snapshot in all formats of the scene, unless this step has one or the run has no folder.
    pub fn snapshot(&mut self) -> Result<(), RunError> {
        self.files.as_mut().map_or(Ok(()), |files| files.recorder.snapshot(&mut self.world))
    }

    /// Writes a checkpoint, once everything that it stands for is safe on disk; nothing if the run has no folder.
    pub fn checkpoint(&mut self) -> Result<(), RunError> {
        self.effort.count(&mut self.totals);
        if self.files.is_some() {
            self.drop_rows_of_grains_gone();
        }
        let Some(files) = &mut self.files else { return Ok(()) };
        files.recorder.sync()?;
        // The state is lent to the checkpoint rather than copied.
        let state = AnyState::take_from(&mut self.world);
        let counters = [self.totals.to_counters(), self.traffic.to_counters(), files.recorder.counters()].concat();
        let checkpoint = Checkpoint {
            scene: files.scene_hash,
            state,
            grains: take(&mut self.grains),
            added: take(&mut self.added),
            walls: take(&mut self.walls),
            waiting: self.traffic.flows.inlets.iter().map(|feed| feed.waiting.clone()).collect(),
            stage: self.at.noted_stage(),
            progress: self.at.progress.to_numbers(),
            counters,
        };
        let step = checkpoint.state.step();
        let written = files.write_checkpoint(&checkpoint);
        (self.grains, self.added, self.walls) = (checkpoint.grains, checkpoint.added, checkpoint.walls);
        checkpoint.state.put_into(&mut self.world).expect("the state was taken from this world");
        written?;
        self.journal.log(&format!("checkpoint at step {step}"))
    }

    /// Forgets the rows of added grains that have left, from which no checkpoint needs to build them again.
    fn drop_rows_of_grains_gone(&mut self) {
        let sampled = self.grains.len() - self.added.len();
        let is_here = |id: &u32| for_any_world!(&self.world, world => world.index_of(BodyId(*id)).is_some());
        let stays: Vec<bool> = self.added.iter().map(is_here).collect();
        if stays.contains(&false) {
            self.grains.retain(&[vec![true; sampled], stays.clone()].concat());
            let mut stays = stays.into_iter();
            self.added.retain(|_| stays.next().unwrap_or(true));
        }
    }

    /// Writes the contact problem of the step that is just over, if it was asked for or the step failed.
    fn write_problem(&mut self) -> Result<Option<Dump>, RunError> {
        let Some(files) = &self.files else { return Ok(None) };
        let journal = &mut self.journal;
        let missed = |why: &str| journal.warn(why);
        let dump = self.watcher.write(&files.folder.problems(), self.scene.title(), missed)?;
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
            StepError::CellTooSmall { step, axis, period, least } => format!(
                "step {step}: the periodic cell has become too small: its period along {} is {period:.3e} m, shorter \
                 than one and a half diameters of the largest grain, {least:.3e} m, so that grains would soon touch \
                 their own images; use more grains, or end the stage earlier",
                AXES[*axis]
            ),
            StepError::CellTooFast { .. } => format!("{error}: reduce solver.time_step, or increase cell.mass"),
            StepError::FasterThanPeriod { step, body, reach, axis, period } => format!(
                "step {step}: {} may move {reach:.3e} m in one step, farther than the period along {}, {period:.3e} m; the \
                 time step is too long for this speed: reduce solver.time_step",
                name(*body),
                AXES[*axis]
            ),
            StepError::TooFar { step, body, distance, radius } => format!(
                "step {step}: {} (radius {radius:.3e} m) is {distance:.3e} m from the origin, too far for its \
                 contacts to be computed; enclose the grains by walls, or end the stage earlier",
                name(*body)
            ),
            StepError::Law { .. } => error.to_string(),
            StepError::Options(error) => error.to_string(),
        };
        if let Some(dump) = dump {
            message += &format!("\nthe contact problem of this step is in {}", dump.path.display());
        }
        RunError::Step { error, message }
    }
}

/// Changing it between steps, beyond what [`Simulation::world_mut`] can: these changes are kept in checkpoints.
impl Simulation {
    /// Says that the caller controls the run: it changes bodies, forces, walls or laws between steps, so that the run cannot
    /// be resumed without it ([`RunOptions::controls`]).
    pub fn control(&mut self) -> Result<(), RunError> {
        if self.totals.controlled == 0.0 {
            self.totals.controlled = 1.0;
            self.journal.log("from here on the run is controlled by the program that steps it")?;
        }
        Ok(())
    }

    /// Puts back what the scene says of this stage: drivers, laws, gravity, loads and numerical choices.
    pub fn restore_stage(&mut self) {
        for_any_world!(&mut self.world, world => {
            for wall in world.bodies.iter_mut().filter(|body| body.name.is_some()) {
                // Walls that were added are at rest; the scene says what drives the others.
                (wall.motion, wall.mass) = (Motion::fixed(), 0.0);
            }
        });
        self.scene.reenter_stage(self.at.stage, &self.at.progress, &mut self.world);
    }

    /// From now on a step that fails leaves bodies, contacts and energies as they were before it.
    pub fn restore_failed_steps(&mut self) {
        self.watcher.restores = true;
    }

    /// Lets a law of the caller change those of the scene from the next step on, or no longer. Contact dynamics only.
    pub fn set_law(&mut self, law: Option<Box<dyn UserLaw>>) {
        self.watcher.law = law;
    }

    /// Makes a change of several parts; if one of them fails, everything is as it was before.
    pub fn attempt<T, E>(&mut self, change: impl FnOnce(&mut Self) -> Result<T, E>) -> Result<T, E> {
        let bodies = (self.grains.clone(), self.added.clone(), self.walls.clone());
        let before = (self.world.clone(), bodies, self.traffic.clone());
        change(self).inspect_err(|_| (self.world, (self.grains, self.added, self.walls), self.traffic) = before)
    }

    /// Adds grains, in materials of the scene, and returns their ids.
    pub fn add_grains(&mut self, mut grains: GrainTable) -> Result<Vec<BodyId>, RunError> {
        let material = self.first_material();
        grains.complete(&material);
        let ids = self.scene.add_grains(&grains, 0..grains.len(), &mut self.world)?;
        self.grains.complete(&material);
        self.grains.append(grains);
        self.added.extend(ids.iter().map(|id| id.0));
        Ok(ids)
    }

    /// Adds walls that are at rest, described by `[[walls]]` tables as in a scene, and returns their ids. Files that they name
    /// are looked for in `folder`.
    pub fn add_walls(&mut self, text: &str, folder: &Path) -> Result<Vec<BodyId>, RunError> {
        let surfaces = self.scene.read_wall_surfaces(text, &BesideScene::in_folder(folder))?;
        // A wall of this name may have been removed.
        self.grains.surfaces.retain(|(name, _)| surfaces.iter().all(|(new, _)| new != name));
        self.grains.surfaces.extend(surfaces);
        let ids = self.scene.add_walls(text, &self.grains.surfaces, &mut self.world)?;
        for_any_world!(&self.world, world => {
            let bearers = |name: &str| world.bodies.iter().filter(|body| body.name.as_deref() == Some(name)).count();
            let names = ids.iter().filter_map(|&id| world.bodies[world.index_of(id)?].name.as_deref());
            if let Some(name) = { names }.find(|name| bearers(name) > 1) {
                return Err(RunError::Body(format!("wall \"{name}\" already exists")));
            }
        });
        self.walls.extend(ids.first().map(|id| (text.to_owned(), id.0)));
        Ok(ids)
    }

    /// Removes a wall; one that others of the scene refer to, by a pressure between them for instance, stays.
    pub fn remove_wall(&mut self, name: &str) -> Result<(), RunError> {
        for_any_world!(&mut self.world, world => {
            let index = world.wall(name).ok_or_else(|| RunError::Body(format!("there is no wall \"{name}\"")))?;
            let id = world.state.id[index as usize];
            if let Some(user) = world.used_by(id) {
                return Err(RunError::Body(format!("wall \"{name}\" cannot be removed: {user} refers to it")));
            }
            world.remove(id).map(drop).map_err(|error| RunError::Body(error.to_string()))
        })
    }

    /// Gives a ball another radius and another material of the scene, by its index.
    pub fn change_ball(&mut self, id: BodyId, radius: f64, material: u16) -> Result<(), RunError> {
        let no_ball = || RunError::Body(format!("there is no ball with id {id}"));
        let sampled = self.grains.len() - self.added.len();
        let row = match id.0 as usize {
            row if row < sampled => row,
            _ => sampled + self.added.binary_search(&id.0).map_err(|_| no_ball())?,
        };
        let name = for_any_world!(&mut self.world, world => {
            let names = world.materials.names();
            let name = names.get(usize::from(material)).cloned().ok_or_else(|| RunError::Body(format!("there is no material {material}")))?;
            let index = world.index_of(id).filter(|&i| world.bodies[i].shape.ball_radius().is_some()).ok_or_else(no_ball)?;
            let body = self.scene.ball(radius, material, world.bodies[index].group);
            let state = &world.state;
            let placement = Placement {
                position: state.position[index],
                orientation: state.orientation[index],
                velocity: state.velocity[index],
                spin: state.spin[index],
            };
            world.change_body(id, body, placement).map_err(|error| RunError::Body(error.to_string()))?;
            name
        });
        let first = self.first_material();
        self.grains.complete(&first);
        (self.grains.radius[row], self.grains.material[row]) = (radius, name);
        Ok(())
    }

    /// What grains are made of that a table of grains has no material for.
    fn first_material(&self) -> String {
        for_any_world!(&self.world, world => world.materials.names().first().cloned()).unwrap_or_default()
    }
}

/// Ending.
impl Simulation {
    /// Ends the run with everything written: a snapshot and a checkpoint of the last step, from which it can be resumed
    /// unless it is finished, and the summary.
    pub fn end(mut self) -> Result<Outcome, RunError> {
        self.pause()
    }

    /// Writes everything, as at the end of a run, so that the process may end here; or the run goes on.
    pub fn pause(&mut self) -> Result<Outcome, RunError> {
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
        if let Some(files) = &self.files {
            files.folder.mark_complete(status == Status::Completed)?;
        }
        let words = self.last_words(status, &summary);
        self.journal.log(&words)?;
        Ok(Outcome { status, summary, words, warnings: self.warnings() })
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

    /// The warnings that stand at the end.
    fn warnings(&self) -> Vec<String> {
        let steps = position(&self.world).0;
        [self.totals.warnings(steps, self.problems_written()), self.traffic.warnings(&self.scene)].concat()
    }

    fn problems_written(&self) -> usize {
        self.files.as_ref().map_or(0, |files| files.folder.count_problems())
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
                ranks: &self.ranks,
                problems: self.problems_written(),
                flows: self.traffic.summary(&self.scene),
                warnings: &self.warnings(),
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

    /// The stages that have ended, and what ended each.
    pub fn stage_ends(&self) -> Vec<(&str, EndCause)> {
        let names = self.scene.stages().iter().map(|stage| stage.name.as_str());
        let causes = self.totals.stages.iter().map(|stage| EndCause::from_number(stage.ended_by));
        names.zip(causes).filter_map(|(name, cause)| Some((name, cause?))).collect()
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

/// An error if a world moves on by a method that several ranks do not compute together.
pub fn refuse_ranks(world: &AnyWorld) -> Result<(), RunError> {
    let method = match for_any_world!(world, world => world.method) {
        Method::ContactDynamics => return Ok(()),
        Method::MolecularDynamics(_) => "molecular dynamics (method = \"md\")",
        Method::Percussions(_) => "A-CD² (method = \"acd2\")",
    };
    Err(RunError::NotDivided { method })
}

/// The first rank that has another number than the first one.
pub fn unequal(ranks: &Ranks, number: u64) -> Option<usize> {
    // Halves are exact as floating-point numbers.
    let halves = [number >> 32, number & 0xffff_ffff].map(|half| half as f64);
    let all = ranks.gather(&halves, &vec![2; ranks.size()]);
    all.chunks_exact(2).position(|halves| halves != &all[..2])
}

/// What a rank that cannot go on says to the others after a step, instead of 1 (it is asked to end) or 0.
const FAILED: f64 = 2.0;

/// The axes by name.
const AXES: [&str; 3] = ["x", "y", "z"];

/// The version in logs and summaries.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The number of threads, in words.
fn threads() -> String {
    counted(rayon::current_num_threads() as u64, "thread")
}

fn headline(scene: &Scene) -> String {
    format!("{} ({})", scene.title(), scene.file())
}

fn position(world: &AnyWorld) -> (u64, f64) {
    for_any_world!(world, world => (world.state.step, world.state.time))
}

/// What ended a stage, for the log.
fn cause_in_words(cause: EndCause, end: &End) -> &'static str {
    match cause {
        EndCause::Time if end.judges_rest() => "its time is up, and it has not come to rest",
        EndCause::Steps if end.judges_rest() => "its steps are done, and it has not come to rest",
        EndCause::Time => "its time is up",
        EndCause::Steps => "its steps are done",
        EndCause::Strain => "the strain is reached",
        EndCause::Rest => "at rest, by its kinetic energy",
        EndCause::ForceBalance => "at rest, by the balance of forces",
        EndCause::Energy => "failure: the kinetic energy stayed above its threshold",
        EndCause::Displacement => "failure: the displacement is beyond its limit",
        EndCause::ContactLost => "failure: a contact was lost",
        EndCause::ForceLost => "failure: the force on a wall was lost",
        EndCause::Inside => "what is inside the given place has reached its limit",
    }
}

/// The part of the stage that is done, unless the stage may end before.
fn fraction(scene: &Scene, at: &Standing) -> Option<f64> {
    at.progress.fraction().filter(|_| !scene.stages()[at.stage].end.may_end_early())
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
