//! The program from outside: every command, run as a user runs it.

mod commands;
mod failing;
mod measuring;
mod reproducing;
mod resuming;
mod running;
mod solving;

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};

/// The scenes to start from.
fn template_names() -> impl Iterator<Item = &'static str> {
    riprap::templates::TEMPLATES.iter().map(|template| template.name)
}

/// A scene that runs in a second also without optimisation: some disks fall into a box and come to rest, in two stages.
/// The interval between checkpoints is below the resolution of any clock, so that there is one after every step.
const SCENE: &str = r#"
title = "a few disks in a box"
dimension = 2

[materials.glass]
density = "2600 kg/m3"
friction = 0.5

[[walls]]
name = "box"
shape = "box"
lower = [0, 0]
upper = ["12 mm", "40 mm"]
open = ["top"]

[[grains]]
sample = "lattice"
radius = "1 mm"
spacing = "2.2 mm"
jitter = "0.05 mm"
count = 24

[solver]
time_step = "0.5 ms"
criterion = { residual = 1e-3 }

[[stages]]
name = "fall"
end = { time = "30 ms" }

[[stages]]
name = "settle"
end = { time = "30 ms" }

[outputs]
snapshot_interval = "15 ms"
series_interval = "1 ms"
checkpoint_interval = 1e-12
"#;

/// Its grains and steps.
const GRAINS: u64 = 24;
const STEPS: u64 = 120;

/// A folder of its own for each test, removed at the end.
struct Place {
    path: PathBuf,
}

impl Place {
    fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("riprap-test-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::SeqCst));
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        fs::write(path.join("scene.toml"), SCENE).unwrap();
        Place { path }
    }

    fn join(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// The program in this folder, with these arguments.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_riprap"));
        command.current_dir(&self.path).args(arguments).env_remove("RIPRAP_THREADS");
        command
    }

    /// Runs the program to its end.
    fn riprap(&self, arguments: &[&str]) -> Ended {
        Ended::from(self.command(arguments).output().unwrap())
    }

    fn summary(&self, run: &str) -> Value {
        summary_in(&self.join(run))
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.join(name)).unwrap()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// How a command ended.
struct Ended {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Ended {
    /// Panics with what the program said if it ended otherwise.
    #[track_caller]
    fn with(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "stdout:\n{}\nstderr:\n{}", self.out, self.err);
        self
    }
}

impl From<Output> for Ended {
    fn from(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Ended { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }
}

fn summary_in(run: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(run.join("summary.json")).unwrap()).unwrap()
}
