//! Runs that are killed, interrupted or damaged, and go on as if nothing had been.
#![cfg(unix)]

use crate::{Place, STEPS, summary_in, template_names};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::fs;
use std::path::PathBuf;
use std::process::{Child, ExitStatus, Stdio};
use std::time::{Duration, Instant};

impl Place {
    fn start(&self, arguments: &[&str]) -> Child {
        self.command(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    /// Runs the whole scene without disturbance, and says how long that took.
    fn reference(&self) -> Duration {
        let start = Instant::now();
        self.riprap(&["run", "scene.toml", "--out", "reference", "--quiet"]).with(0);
        start.elapsed()
    }

    /// The run has the same results as the reference: state, sums and series.
    #[track_caller]
    fn is_like_reference(&self, run: &str) {
        let (own, reference) = (self.summary(run), self.summary("reference"));
        assert_eq!(own["status"], "completed");
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

    /// Starts a run and interrupts it once it has some checkpoints.
    fn interrupted(&self, run: &str) {
        let mut child = self.start(&["run", "scene.toml", "--out", run]);
        wait_until(&mut child, || self.join(run).join("checkpoints/checkpoint.000003.riprap").exists());
        let status = signal(child, Signal::SIGINT);
        assert_eq!(status.code(), Some(130));
    }
}

/// Waits until something holds, or the child has ended.
fn wait_until(child: &mut Child, holds: impl Fn() -> bool) {
    while !holds() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn signal(mut child: Child, signal: Signal) -> ExitStatus {
    // A child that has ended is still there for its parent, so that the signal cannot hit another process.
    kill(Pid::from_raw(child.id().try_into().unwrap()), signal).unwrap();
    child.wait().unwrap()
}

#[test]
fn a_run_killed_again_and_again_ends_as_if_it_never_was() {
    let place = Place::new();
    let duration = place.reference();
    // Moments spread over the run by multiples of the golden ratio, from before the first checkpoint on.
    let mut share = 0.0;
    for round in 0..3 {
        let run = format!("killed-{round}");
        share = (share + 0.618_034) % 1.0;
        let child = place.start(&["run", "scene.toml", "--out", &run]);
        std::thread::sleep(duration.mul_f64(0.6 * share));
        signal(child, Signal::SIGKILL);
        if !place.join(&run).join("scene.toml").exists() {
            continue;
        }
        for _ in 0..2 {
            share = (share + 0.618_034) % 1.0;
            let child = place.start(&["resume", &run]);
            std::thread::sleep(duration.mul_f64(0.3 * share));
            signal(child, Signal::SIGKILL);
        }
        place.riprap(&["resume", &run, "--threads", "1"]).with(0);
        place.is_like_reference(&run);
    }
}

#[test]
fn every_template_runs_and_goes_on_after_a_kill_in_its_last_stage() {
    const STEPS_PER_STAGE: u64 = 8;
    for name in template_names() {
        let place = Place::new();
        place.riprap(&["new", name]).with(0);
        let scene = format!("{name}.toml");
        let stages = place.read(&scene).lines().filter(|line| line.starts_with("[[stages]]")).count() as u64;
        let mut arguments = vec!["run", &scene, "--set", "outputs.checkpoint_interval=1 us"];
        let limits: Vec<String> = (0..stages).map(|i| format!("stages.{i}.end.steps={STEPS_PER_STAGE}")).collect();
        limits.iter().for_each(|limit| arguments.extend(["--set", limit]));
        place.riprap(&[&arguments[..], &["--out", "reference"]].concat()).with(0);
        assert_eq!(place.summary("reference")["steps"], stages * STEPS_PER_STAGE, "{name}");

        let mut child = place.start(&[&arguments[..], &["--out", "killed"]].concat());
        // One checkpoint before the first step, one after each step; a kill soon after the last stage has begun.
        let number = (stages - 1) * STEPS_PER_STAGE + 4;
        let checkpoint = place.join(&format!("killed/checkpoints/checkpoint.{number:06}.riprap"));
        wait_until(&mut child, || checkpoint.exists());
        signal(child, Signal::SIGKILL);
        place.riprap(&["resume", "killed"]).with(0);
        place.is_like_reference("killed");
    }
}

#[test]
fn a_run_killed_before_its_first_checkpoint_starts_again() {
    let place = Place::new();
    place.reference();
    // What such a kill leaves behind.
    place.interrupted("early");
    let early = place.join("early");
    fs::remove_dir_all(early.join("checkpoints")).unwrap();
    for file in ["summary.json", "series.csv", "walls.csv", "snapshots.csv"] {
        fs::remove_file(early.join(file)).unwrap();
    }
    let ended = place.riprap(&["resume", "early"]).with(0);
    assert!(ended.err.contains("before its first checkpoint"), "{}", ended.err);
    place.is_like_reference("early");
}

#[test]
fn an_interrupted_run_has_everything_written_and_goes_on() {
    let place = Place::new();
    place.reference();
    place.interrupted("run");
    let summary = place.summary("run");
    assert_eq!(summary["status"], "interrupted");
    let step = summary["steps"].as_u64().unwrap();
    assert!((1..STEPS).contains(&step));
    assert!(place.join("run/snapshots").join(format!("snapshot_{step:09}.h5")).is_file());
    assert!(place.riprap(&["info", "run"]).with(0).out.contains("a run that was interrupted"));
    place.riprap(&["resume", "run"]).with(0);
    place.is_like_reference("run");

    let again = place.riprap(&["resume", "run"]).with(0);
    assert!(again.err.contains("nothing to resume"), "{}", again.err);
}

#[test]
fn a_damaged_checkpoint_is_recognised_and_the_one_before_it_used() {
    let place = Place::new();
    place.reference();
    place.interrupted("run");
    let checkpoints = place.checkpoints("run");
    assert_eq!(checkpoints.len(), 2, "two generations are kept");
    let newest = &checkpoints[1];
    let mut bytes = fs::read(newest).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x10;
    fs::write(newest, &bytes).unwrap();
    let ended = place.riprap(&["resume", "run", "--quiet"]).with(0);
    assert!(ended.err.contains("checksum") && ended.err.contains("the checkpoint before it is used"), "{}", ended.err);
    place.is_like_reference("run");

    // With both damaged there is nothing to go on from, and that is said.
    place.interrupted("lost");
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
    place.interrupted("run");
    // The next checkpoint goes to a device that is always full.
    let newest = place.checkpoints("run").pop().unwrap();
    let name = newest.file_name().unwrap().to_str().unwrap();
    let number: u32 = name.split('.').nth(1).unwrap().parse().unwrap();
    let next = place.join("run/checkpoints").join(format!(".checkpoint.{:06}.riprap.partial", number + 1));
    std::os::unix::fs::symlink("/dev/full", &next).unwrap();
    let ended = place.riprap(&["resume", "run"]).with(4);
    for part in ["No space left", "checkpoint", "Make room", "riprap resume run"] {
        assert!(ended.err.contains(part), "{part} is not in\n{}", ended.err);
    }
    assert_eq!(place.summary("run")["status"], "failed");
    assert!(newest.exists());
    // There is room again.
    let _ = fs::remove_file(&next);
    place.riprap(&["resume", "run"]).with(0);
    place.is_like_reference("run");
}

#[test]
fn one_folder_belongs_to_one_process() {
    let place = Place::new();
    let mut child = place.start(&["run", "scene.toml", "--out", "run"]);
    wait_until(&mut child, || place.join("run/checkpoints/checkpoint.000001.riprap").exists());
    let ended = place.riprap(&["resume", "run"]);
    let was_running = child.try_wait().unwrap().is_none();
    signal(child, Signal::SIGKILL);
    // The run may have ended in between on a fast machine; then there is nothing to be refused.
    if was_running {
        assert!(ended.with(2).err.contains("another riprap is running"));
    }
    place.riprap(&["resume", "run"]).with(0);
    assert_eq!(summary_in(&place.join("run"))["status"], "completed");
}
