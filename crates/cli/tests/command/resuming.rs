//! Runs that are killed, interrupted or damaged, and go on as if nothing had been.
//!
//! On a busy machine a signal may come late by any time. Therefore runs that get signals have no end that they could reach
//! before, and are compared with a reference of as many steps as they have made. Runs that are to stop at a definite step
//! find an obstacle there.
#![cfg(unix)]

use crate::{Place, SCENE, STEPS, template_names};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus, Stdio};
use std::time::Duration;

/// Steps of each of the two stages of the scene.
const STAGE: u64 = STEPS / 2;
/// Where runs are stopped by an obstacle: in the second stage, with a row in every table and a snapshot.
const STOP: u64 = STAGE + STAGE / 2;

/// A run under way, which does not outlive its test.
struct Running(Child);

impl Running {
    /// Waits until something holds, which it must before the run ends.
    #[track_caller]
    fn wait_until(&mut self, holds: impl Fn() -> bool) {
        while !holds() {
            assert_eq!(self.0.try_wait().unwrap(), None, "the run has ended");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Sends a signal and waits for the end.
    fn stop(mut self, signal: Signal) -> ExitStatus {
        kill(Pid::from_raw(self.0.id().try_into().unwrap()), signal).unwrap();
        self.0.wait().unwrap()
    }

    #[track_caller]
    fn kill(self) {
        assert_eq!(self.stop(Signal::SIGKILL).signal(), Some(Signal::SIGKILL as i32));
    }

    #[track_caller]
    fn interrupt(self) {
        assert_eq!(self.stop(Signal::SIGINT).code(), Some(130));
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Place {
    fn start(&self, arguments: &[&str]) -> Running {
        Running(self.command(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
    }

    /// Starts a run whose second stage does not end, and waits until it has so many checkpoints.
    #[track_caller]
    fn start_endless(&self, run: &str, checkpoints: u64) -> Running {
        // A million steps: a run that outlives its test all the same does not fill the disk.
        let mut running = self.start(&run_with(run, &["stages.1.end={ steps = 1000000 }", EVERY_ROW]));
        running.wait_until(|| self.join(run).join("scene.toml").exists() && self.newest(run) >= checkpoints);
        running
    }

    /// Goes on with an endless run, and waits until it has so many more checkpoints.
    #[track_caller]
    fn resume_endless(&self, run: &str, more: u64) -> Running {
        let checkpoints = self.newest(run) + more;
        let mut running = self.start(&["resume", run]);
        running.wait_until(|| self.newest(run) >= checkpoints);
        running
    }

    /// Goes on with an endless run, interrupts it in its second stage, and compares it with one that was left alone.
    #[track_caller]
    fn goes_on_like_reference(&self, run: &str) {
        self.resume_endless(run, STAGE + 5).interrupt();
        let steps = self.summary(run)["steps"].as_u64().unwrap();
        let end = format!("stages.1.end={{ steps = {} }}", steps - STAGE);
        let _ = fs::remove_dir_all(self.join("reference"));
        self.riprap(&run_with("reference", &[&end, EVERY_ROW])).with(0);
        self.is_like_reference(run, "interrupted");
    }

    /// Begins a run of the reference's scene that stops in a step: a folder is where the file of its checkpoint should go.
    #[track_caller]
    fn stopped_in(&self, run: &str, step: u64) {
        let folder = self.join(run);
        fs::create_dir_all(folder.join("checkpoints")).unwrap();
        fs::write(folder.join("log.txt"), "").unwrap();
        fs::copy(self.join("reference/scene.toml"), folder.join("scene.toml")).unwrap();
        // One checkpoint was written before the first step.
        let obstacle = folder.join("checkpoints").join(partial(step + 1));
        fs::create_dir(&obstacle).unwrap();
        self.riprap(&["resume", run]).with(4);
        fs::remove_dir(obstacle).unwrap();
        assert_eq!(self.newest(run), step);
    }

    /// The scene run without disturbance.
    fn reference(&self) {
        self.riprap(&run_with("reference", &[])).with(0);
    }

    /// The run has ended with this status and has the same results as the reference: state, sums and series.
    #[track_caller]
    fn is_like_reference(&self, run: &str, status: &str) {
        let (own, reference) = (self.summary(run), self.summary("reference"));
        assert_eq!(own["status"], status);
        for key in [
            "state_hash",
            "steps",
            "sweeps",
            "contact_updates",
            "unconverged_steps",
            "worst_residual",
            "max_overlap_over_radius",
            "mean_overlap_over_radius",
            "coordination",
            "energy_J",
            "momentum_error",
            "floor_force_over_weight",
            "last_residual",
            "warnings",
        ] {
            assert_eq!(own[key], reference[key], "{key}");
        }
        for file in ["series.csv", "walls.csv"] {
            assert_eq!(self.read(&format!("{run}/{file}")), self.read(&format!("reference/{file}")), "{file}");
        }
    }

    fn checkpoints(&self, run: &str) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> =
            fs::read_dir(self.join(run).join("checkpoints")).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.retain(|path| path.extension().is_some_and(|ending| ending == "riprap"));
        files.sort();
        files
    }

    /// The number of the newest checkpoint; 0 if there is none.
    fn newest(&self, run: &str) -> u64 {
        let number = |path: &PathBuf| path.file_name()?.to_str()?.split('.').nth(1)?.parse().ok();
        self.checkpoints(run).last().map_or(0, |path| number(path).unwrap())
    }
}

/// Rows of the series are due after every step, not only at the end of a stage, which an endless run does not have.
const EVERY_ROW: &str = "outputs.series_interval=0.5 ms";

/// An interval between checkpoints that has passed after every step, however short.
const EVERY_STEP: &str = "outputs.checkpoint_interval=1e-12";

/// The arguments of a run of the scene with changes, which writes a checkpoint after every step.
fn run_with<'a>(run: &'a str, changes: &[&'a str]) -> Vec<&'a str> {
    let mut arguments = vec!["run", "scene.toml", "--out", run, "--quiet", "--set", EVERY_STEP];
    changes.iter().for_each(|change| arguments.extend(["--set", change]));
    arguments
}

/// The name of the file that a checkpoint is written to before it is whole.
fn partial(number: u64) -> String {
    format!(".checkpoint.{number:06}.riprap.partial")
}

#[test]
fn a_run_killed_again_and_again_goes_on_as_if_it_never_was() {
    let place = Place::new();
    // Kills after so many more checkpoints; none means as soon as there is a run, or a program.
    for (round, [first, second, third]) in [[0, 1, 30], [1, 40, 2], [75, 5, 0]].into_iter().enumerate() {
        let run = format!("killed-{round}");
        place.start_endless(&run, first).kill();
        place.resume_endless(&run, second).kill();
        place.resume_endless(&run, third).kill();
        place.goes_on_like_reference(&run);
    }
}

#[test]
fn a_kill_at_any_write_of_a_step_loses_nothing() {
    let place = Place::new();
    fs::write(place.join("scene.toml"), SCENE.replace("[outputs]", "[outputs]\nmeasure = [\"coordination\"]")).unwrap();
    place.reference();
    place.stopped_in("whole", STOP);
    fs::remove_file(place.join("whole/summary.json")).unwrap();
    let partial = format!("checkpoints/{}", partial(STOP + 1));
    fs::copy(place.checkpoints("whole").pop().unwrap(), place.join("whole").join(&partial)).unwrap();

    // What a step writes, in this order.
    let snapshot = format!("snapshots/snapshot_{STOP:09}.h5");
    let writes = ["series.csv", "walls.csv", &snapshot, "snapshots.csv", "measures.csv", &partial];
    for reached in 0..writes.len() {
        let killed = format!("killed-at-{reached}");
        copy_folder(&place.join("whole"), &place.join(&killed));
        for (write, file) in writes.iter().enumerate().skip(reached) {
            cut_back(&place.join(&killed).join(file), write == reached);
        }
        place.riprap(&["resume", &killed]).with(0);
        place.is_like_reference(&killed, "completed");
        for table in ["measures.csv", "snapshots.csv"] {
            let read = |run: &str| place.read(&format!("{run}/{table}"));
            assert_eq!(read(&killed), read("reference"), "{table} after a kill while writing {}", writes[reached]);
        }
    }
}

/// Takes back what the step wrote to a file: half of it if it was `begun`, all of it otherwise.
fn cut_back(path: &Path, begun: bool) {
    let bytes = fs::read(path).unwrap();
    let is_table = path.extension().is_some_and(|ending| ending == "csv");
    let row = format!("\n{STOP},");
    let before = if is_table { 1 + str::from_utf8(&bytes).unwrap().find(&row).unwrap() } else { 0 };
    let kept = if begun { before + (bytes.len() - before) / 2 } else { before };
    if kept > 0 { fs::write(path, &bytes[..kept]) } else { fs::remove_file(path) }.unwrap();
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let (path, copy) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy_folder(&path, &copy);
        } else {
            fs::copy(path, copy).unwrap();
        }
    }
}

#[test]
fn every_template_runs_and_goes_on_from_within_its_last_stage() {
    const STEPS_PER_STAGE: u64 = 8;
    for name in template_names() {
        let place = Place::new();
        fs::remove_file(place.join("scene.toml")).unwrap();
        place.riprap(&["new", name, "scene.toml"]).with(0);
        let stages = place.read("scene.toml").lines().filter(|line| line.starts_with("[[stages]]")).count() as u64;
        let ends: Vec<String> = (0..stages).map(|i| format!("stages.{i}.end.steps={STEPS_PER_STAGE}")).collect();
        let ends: Vec<&str> = ends.iter().map(String::as_str).collect();
        place.riprap(&run_with("reference", &ends)).with(0);
        assert_eq!(place.summary("reference")["steps"], stages * STEPS_PER_STAGE, "{name}");
        place.stopped_in("stopped", (stages - 1) * STEPS_PER_STAGE + STEPS_PER_STAGE / 2);
        place.riprap(&["resume", "stopped"]).with(0);
        place.is_like_reference("stopped", "completed");
    }
}

#[test]
fn a_run_killed_before_its_first_checkpoint_starts_again() {
    let place = Place::new();
    place.reference();
    for (run, begun) in [("early", false), ("begun", true)] {
        // What such a kill leaves behind: the log, the scene and folders, perhaps with the beginning of a checkpoint.
        let folder = place.join(run);
        fs::create_dir_all(folder.join("snapshots")).unwrap();
        fs::create_dir_all(folder.join("checkpoints")).unwrap();
        for file in ["log.txt", "scene.toml"] {
            fs::copy(place.join("reference").join(file), folder.join(file)).unwrap();
        }
        if begun {
            fs::write(folder.join("checkpoints").join(partial(1)), b"riprapCP").unwrap();
        }
        let ended = place.riprap(&["resume", run]).with(0);
        assert!(ended.err.contains("before its first checkpoint"), "{}", ended.err);
        place.is_like_reference(run, "completed");
    }
}

#[test]
fn an_interrupted_run_has_everything_written_and_goes_on() {
    let place = Place::new();
    place.start_endless("run", 3).interrupt();
    let summary = place.summary("run");
    assert_eq!(summary["status"], "interrupted");
    let step = summary["steps"].as_u64().unwrap();
    assert!(step >= 1);
    assert!(place.join("run/snapshots").join(format!("snapshot_{step:09}.h5")).is_file());
    assert!(place.riprap(&["info", "run"]).with(0).out.contains("interrupted run"));
    place.goes_on_like_reference("run");

    let completed = place.riprap(&["resume", "reference"]).with(0);
    assert!(completed.err.contains("is complete; `riprap resume reference --longer TIME`"), "{}", completed.err);
}

#[test]
fn a_damaged_checkpoint_is_recognised_and_the_one_before_it_used() {
    let place = Place::new();
    place.reference();
    place.stopped_in("run", STOP);
    let checkpoints = place.checkpoints("run");
    assert_eq!(checkpoints.len(), 2, "two generations are kept");
    let newest = &checkpoints[1];
    let mut bytes = fs::read(newest).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x10;
    fs::write(newest, &bytes).unwrap();
    let ended = place.riprap(&["resume", "run"]).with(0);
    let from = format!("resuming at step {}, ", STOP - 2);
    for part in ["checksum", "using the previous checkpoint", &from] {
        assert!(ended.err.contains(part), "{part} is not in\n{}", ended.err);
    }
    place.is_like_reference("run", "completed");

    // With both damaged there is nothing to go on from, and that is said.
    place.stopped_in("lost", STOP);
    for path in place.checkpoints("lost") {
        fs::write(&path, b"nonsense").unwrap();
    }
    let ended = place.riprap(&["resume", "lost"]).with(3);
    assert!(ended.err.contains("cannot resume"), "{}", ended.err);
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_stops_the_run_with_the_last_good_state_safe() {
    let place = Place::new();
    place.reference();
    place.stopped_in("run", STOP);
    // The room for last words, which a run sets aside before each step, is to be had from a device that is always full.
    let newest = place.checkpoints("run").pop();
    let room = place.join("run/.room");
    std::os::unix::fs::symlink("/dev/full", &room).unwrap();
    let ended = place.riprap(&["resume", "run"]).with(4);
    for part in ["No space left", "checkpoint", "Free some disk space", "riprap resume run"] {
        assert!(ended.err.contains(part), "{part} is not in\n{}", ended.err);
    }
    assert_eq!(place.summary("run")["status"], "failed");
    assert_eq!(place.checkpoints("run").pop(), newest);
    fs::remove_file(&room).unwrap();
    place.riprap(&["resume", "run"]).with(0);
    place.is_like_reference("run", "completed");
}

#[test]
fn a_scene_that_was_changed_in_the_folder_of_its_run_is_told() {
    let place = Place::new();
    place.reference();
    place.stopped_in("run", STOP);
    let scene = place.join("run/scene.toml");
    let kept = fs::read_to_string(&scene).unwrap();
    fs::write(&scene, format!("# changed\n{kept}")).unwrap();
    let ended = place.riprap(&["resume", "run", "--quiet"]).with(0);
    assert!(ended.err.contains("scene.toml was changed after the last checkpoint"), "{}", ended.err);
    place.is_like_reference("run", "completed");
}

#[test]
fn a_live_run_is_not_replaced_by_force() {
    let place = Place::new();
    let running = place.start_endless("run", 1);
    let refused = place.riprap(&["run", "scene.toml", "--out", "run", "--force"]).with(2);
    assert!(refused.err.contains("another riprap process is running"), "{}", refused.err);
    running.kill();
    place.goes_on_like_reference("run");
}

#[test]
fn one_folder_belongs_to_one_process() {
    let place = Place::new();
    let running = place.start_endless("run", 1);
    let refused = place.riprap(&["resume", "run"]).with(2);
    assert!(refused.err.contains("another riprap process is running"), "{}", refused.err);
    running.kill();
    place.goes_on_like_reference("run");
}
