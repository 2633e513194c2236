//! What is fuzzed: each target makes inputs and judges them.

mod files;
mod forged;
mod runs;
mod scenes;
mod server;

pub use files::scratch;

use crate::dice::Dice;

/// What became of an input that did no harm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It was read, or run.
    Accepted,
    /// It was refused, in words.
    Refused,
}

/// Makes inputs and judges them. A panic, an abort and CPU time or memory beyond the limits are findings as well.
pub trait Target {
    /// The input that the dice make.
    fn input(&self, dice: &mut Dice) -> Vec<u8>;
    /// What became of it, or what is wrong.
    fn judge(&mut self, input: &[u8]) -> Result<Verdict, String>;
}

/// A target with its name.
pub struct Entry {
    /// Its name on the command line.
    pub name: &'static str,
    /// What its inputs are.
    pub about: &'static str,
    /// How many inputs the whole check judges: some seconds of them.
    pub short: u64,
    /// Makes it ready, in the process that judges.
    pub make: fn() -> Box<dyn Target>,
}

/// All targets.
pub const TARGETS: &[Entry] = &[
    Entry { name: "scene", about: "scenes, read, sampled and built", short: 6000, make: scenes::scene },
    Entry { name: "set", about: "values of --set over the templates", short: 6000, make: scenes::set },
    Entry { name: "study", about: "studies and the runs that they name", short: 10_000, make: scenes::study },
    Entry { name: "record", about: "functions of time in files of columns", short: 20_000, make: scenes::record },
    Entry {
        name: "grains",
        about: "grains in CSV, extended XYZ, LAMMPS and VTK files",
        short: 20_000,
        make: files::grains,
    },
    Entry { name: "surface", about: "STL and OBJ files", short: 100_000, make: files::surface },
    Entry {
        name: "problem-text",
        about: "contact problems in text, read and solved",
        short: 1500,
        make: files::problem_text,
    },
    Entry {
        name: "problem-hdf5",
        about: "contact problems in HDF5, read and solved",
        short: 100,
        make: files::problem_hdf5,
    },
    Entry { name: "snapshot", about: "snapshots, read, measured and drawn", short: 2000, make: files::snapshot },
    Entry {
        name: "checkpoint",
        about: "checkpoints with the right checksum, read and put into a world",
        short: 20_000,
        make: forged::checkpoint,
    },
    Entry {
        name: "forged",
        about: "snapshots of wrong numbers with the right checksum, measured and drawn",
        short: 2000,
        make: forged::snapshot,
    },
    Entry { name: "look", about: "addresses of views", short: 100_000, make: server::look },
    Entry { name: "http", about: "requests to the viewer", short: 100_000, make: server::http },
    Entry { name: "run", about: "random valid scenes, run, on other threads and resumed", short: 800, make: runs::run },
];
