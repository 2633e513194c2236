//! The program from outside: every command, run as a user runs it.

mod commands;
mod converging;
mod crashing;
mod failing;
mod hostile;
mod measuring;
mod repeating;
mod reproducing;
mod resuming;
mod running;
mod solving;
mod studying;

use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};
use tempfile::TempDir;

/// The scenes to start from.
fn template_names() -> impl Iterator<Item = &'static str> {
    riprap::templates::TEMPLATES.iter().map(|template| template.name)
}

/// A scene that runs in a second also without optimisation: some disks fall into a box and come to rest, in two stages.
const SCENE: &str = include_str!("../../../run/tests/disks.toml");

/// Its grains and steps.
const GRAINS: u64 = 24;
const STEPS: u64 = 120;

/// Variables by which a user's shell would change what the program does or prints.
const VARIABLES: [&str; 11] = [
    "RIPRAP_DISK",
    "RIPRAP_THREADS",
    "RIPRAP_MEMORY",
    "RIPRAP_FAULT",
    "RAYON_NUM_THREADS",
    "SLURM_CPUS_PER_TASK",
    "COLUMNS",
    "NO_COLOR",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "RUST_BACKTRACE",
];

/// A folder of its own for each test, removed at the end.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Self {
        Place::with(tempfile::tempdir().unwrap())
    }

    /// In a file system that is kept in memory, where there is one: nothing waits for a disk there.
    fn in_memory() -> Self {
        Place::with(tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap())
    }

    fn with(folder: TempDir) -> Self {
        fs::write(folder.path().join("scene.toml"), SCENE).unwrap();
        Place { folder }
    }

    fn join(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The program in this folder, with these arguments.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_riprap"));
        command.current_dir(self.folder.path()).args(arguments);
        VARIABLES.iter().for_each(|variable| _ = command.env_remove(variable));
        command
    }

    /// Runs the program to its end.
    fn riprap(&self, arguments: &[&str]) -> Ended {
        Ended::from(self.command(arguments).output().unwrap())
    }

    fn summary(&self, run: &str) -> Value {
        serde_json::from_str(&self.read(&format!("{run}/summary.json"))).unwrap()
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.join(name)).unwrap()
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
