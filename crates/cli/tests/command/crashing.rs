//! Every call that changes what is on disk is once the last one of the process, and fails once in each way
//! (docs/testing.md, "Crash points"): nothing is lost, and the run ends as if nothing had happened.

use crate::{Ended, Place};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Two stages of a few steps, with everything that a run writes.
const TINY: &str = r#"
title = "three disks"
dimension = 2

[materials.glass]
density = "2600 kg/m3"
friction = 0.5

[[walls]]
name = "floor"
shape = "plane"
point = [0, 0]
normal = [0, 1]

[[grains]]
sample = "list"
positions = [["0 mm", "1 mm"], ["2 mm", "1.001 mm"], ["1 mm", "2.8 mm"]]
radius = "1 mm"

[solver]
time_step = "0.5 ms"

[[stages]]
name = "fall"
end = { steps = 2 }

[[stages]]
name = "settle"
end = { steps = 1 }

[outputs]
snapshot_interval = "10 ms"
series_interval = "0.5 ms"
snapshot_formats = ["h5", "vtp"]
"#;

const KILLS: [&str; 2] = ["kill-before", "kill-after"];
const ERRORS: [&str; 4] = ["no-space", "io-error", "no-permission", "interrupted"];
const RUN: [&str; 5] = ["run", "tiny.toml", "--out", "run", "--quiet"];
const RESUME: [&str; 3] = ["resume", "run", "--quiet"];

#[test]
fn a_run_that_is_killed_at_any_write_goes_on_to_the_same_end() {
    let calls = Crash::new().kill_everywhere(&RUN, |_| ());
    assert!(calls > 100, "{calls} calls of a run");
}

#[test]
fn a_resumed_run_that_is_killed_at_any_write_goes_on_to_the_same_end() {
    let crash = Crash::new();
    crash.stop_in_the_middle();
    let calls = crash.kill_everywhere(&RESUME, Crash::take_stopped);
    assert!(calls > 50, "{calls} calls of a resume");
}

#[test]
fn a_run_whose_every_write_fails_once_says_so_and_goes_on_to_the_same_end() {
    Crash::new().fail_everywhere(&RUN, |_| ());
}

#[test]
fn a_resumed_run_whose_every_write_fails_once_says_so_and_goes_on_to_the_same_end() {
    let crash = Crash::new();
    crash.stop_in_the_middle();
    crash.fail_everywhere(&RESUME, Crash::take_stopped);
}

/// A folder with the scene and what a run of it finds that nothing disturbs.
struct Crash {
    place: Place,
    undisturbed: BTreeMap<String, Vec<u8>>,
}

impl Crash {
    fn new() -> Self {
        let place = Place::in_memory();
        fs::write(place.join("tiny.toml"), TINY).unwrap();
        place.riprap(&RUN).with(0);
        let undisturbed = content(&place);
        let crash = Crash { place, undisturbed };
        crash.clear();
        crash
    }

    /// Ends a command before and after each of its calls in turn, and goes on with what that leaves. The number of calls.
    fn kill_everywhere(&self, command: &[&str], make_ready: impl Fn(&Self)) -> u64 {
        let mut calls = 0;
        for what in KILLS {
            calls = (1..)
                .find(|call| {
                    let when = format!("{what} at call {call}");
                    make_ready(self);
                    let ended = self.with_fault(command, *call, what);
                    let is_beyond = ended.code == Some(0);
                    if !is_beyond {
                        assert_eq!(ended.code, None, "{when}: {}", ended.err);
                        self.go_on();
                        assert!(!self.place.join("run/.room").exists(), "{when}: .room is left");
                    }
                    self.compare(&when);
                    is_beyond
                })
                .unwrap()
                - 1;
        }
        calls
    }

    /// Lets each call of a command fail in turn: either that does not matter, or the command says which file cannot be
    /// written, and the run goes on.
    fn fail_everywhere(&self, command: &[&str], make_ready: impl Fn(&Self)) {
        let calls = self.calls_of(command, &make_ready);
        for what in ERRORS {
            let mut failed = 0;
            for call in 1..=calls {
                let when = format!("{what} at call {call}");
                make_ready(self);
                let ended = self.with_fault(command, call, what);
                if ended.code != Some(0) {
                    assert_eq!(ended.code, Some(4), "{when}: {}", ended.err);
                    assert!(ended.err.contains("os error") && ended.err.contains("run"), "{when}: {}", ended.err);
                    self.go_on();
                    failed += 1;
                }
                self.compare(&when);
            }
            // A call that a signal interrupts is made again; other errors nearly always end the run.
            let expected = if what == "interrupted" { 0..=0 } else { calls / 2..=calls };
            assert!(expected.contains(&failed), "{what}: {failed} of {calls} ended the run");
        }
    }

    fn with_fault(&self, command: &[&str], call: u64, what: &str) -> Ended {
        let mut command = self.place.command(command);
        Ended::from(command.env("RIPRAP_FAULT", format!("{call}:{what}")).output().unwrap())
    }

    /// How many calls a command makes, found by halving.
    fn calls_of(&self, command: &[&str], make_ready: impl Fn(&Self)) -> u64 {
        let (mut reached, mut beyond) = (0, 1024);
        while beyond - reached > 1 {
            let call = u64::midpoint(reached, beyond);
            make_ready(self);
            let is_beyond = self.with_fault(command, call, "kill-before").code == Some(0);
            *(if is_beyond { &mut beyond } else { &mut reached }) = call;
            self.clear();
        }
        reached
    }

    /// Keeps a run that was killed in its second half.
    fn stop_in_the_middle(&self) {
        let calls = self.calls_of(&RUN, |_| ());
        assert_eq!(self.with_fault(&RUN, calls * 2 / 3, "kill-before").code, None);
        fs::rename(self.place.join("run"), self.place.join("stopped")).unwrap();
    }

    fn take_stopped(&self) {
        copy(&self.place.join("stopped"), &self.place.join("run"));
    }

    /// Resumes the run; where none had begun, begins it.
    fn go_on(&self) {
        if self.place.join("run/scene.toml").exists() {
            self.place.riprap(&RESUME).with(0);
        } else {
            assert!(self.place.riprap(&RESUME).with(3).err.contains("run"));
            self.place.riprap(&RUN).with(0);
        }
    }

    /// Panics if the run has not found what an undisturbed one finds, and removes it.
    fn compare(&self, when: &str) {
        let found = content(&self.place);
        assert!(found.keys().eq(self.undisturbed.keys()), "{when}: {:?}", found.keys());
        for (name, bytes) in &found {
            assert!(*bytes == self.undisturbed[name], "{when}: {name} differs");
        }
        self.clear();
    }

    /// Removes the run, of which a fault at the first call has left nothing.
    fn clear(&self) {
        let run = self.place.join("run");
        if run.exists() {
            fs::remove_dir_all(run).unwrap();
        }
    }
}

/// What a run has found: the hash of its state, its tables and snapshots. Logs, times and checkpoints are its own, and room
/// that could not be given back does no harm.
fn content(place: &Place) -> BTreeMap<String, Vec<u8>> {
    let summary = place.summary("run");
    assert_eq!(summary["status"], "completed");
    let mut found = BTreeMap::from([("state_hash".to_string(), summary["state_hash"].to_string().into_bytes())]);
    for folder in [place.join("run"), place.join("run/snapshots")] {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let name = entry.file_name().into_string().unwrap();
            if entry.path().is_file() && !["log.txt", "summary.json", ".room"].contains(&name.as_str()) {
                found.insert(name, fs::read(entry.path()).unwrap());
            }
        }
    }
    found
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
