//! The command line: commands, options and their help.

use crate::measure::arguments::{MeasureChoices, PictureChoices};
use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use riprap_scene::Override;
use riprap_solve::{Solver, SweepOrder};
use riprap_store::Format;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;

const EXIT_CODES: &str = "\
Exit codes:
    0  done
    1  the simulation could not go on (a grain went through a wall, a value is not a number, …)
    2  the command line or the scene is wrong
    3  a file is missing, unreadable or damaged
    4  a file could not be written (disk full, no permission)
    5  something that was asked for could not be measured or drawn; the rest was
    6  a published result was not reproduced (`riprap reproduce`)
  130  ended by Ctrl-C, with everything written; `riprap resume` goes on";

/// Simulates granular matter: disks and spheres between walls, by contact dynamics.
#[derive(Debug, Parser)]
#[command(name = "riprap", version, max_term_width = 100, after_help = EXIT_CODES, after_long_help = format!("\
Examples:
  riprap new heap            writes heap.toml, a scene to start from
  riprap check heap.toml     says what will be simulated, or all that is wrong
  riprap run heap.toml       simulates it; the results are in runs/heap
  riprap info runs/heap      shows how the run went

{EXIT_CODES}"))]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Writes a scene to start from
    ///
    /// Without a name, lists the templates. An existing file is never overwritten.
    #[command(after_help = "\
Examples:
  riprap new                      lists the templates
  riprap new hopper               writes hopper.toml
  riprap new drum my-drum.toml    writes my-drum.toml")]
    New {
        /// Which template
        template: Option<String>,
        /// The file to write (default: TEMPLATE.toml)
        file: Option<PathBuf>,
    },
    /// Checks scenes and says what they will simulate
    ///
    /// Reports all faults of each scene at once, with the line and what was expected. For a scene without fault, prints
    /// the grains, walls and stages and the numerical choices that `run` would make. Nothing is written.
    #[command(after_help = "\
Examples:
  riprap check heap.toml
  riprap check scenes/*.toml
  riprap check heap.toml --set solver.time_step=1e-4")]
    Check {
        /// The scene files
        #[arg(required = true, value_name = "SCENE")]
        scenes: Vec<PathBuf>,
        #[command(flatten)]
        overrides: Overrides,
    },
    /// Simulates a scene
    ///
    /// The results go to a new folder: the scene as resolved, a log, summary.json, series.csv, walls.csv, snapshots and
    /// checkpoints. Ctrl-C ends the run after the current step with everything written; a second Ctrl-C ends it at once.
    #[command(after_help = "\
Examples:
  riprap run heap.toml
  riprap run heap.toml --out results/heap-1 --threads 4
  riprap run heap.toml --set materials.glass.friction=0.3 --set grains.0.count=2000
  riprap run heap.toml --dump-problem 1200    writes problems/step-001200.hdf5 for `riprap solve`")]
    Run {
        /// The scene file
        scene: PathBuf,
        /// The folder for the results (default: runs/NAME of the scene, or NAME-2, NAME-3, … if that exists)
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
        /// Replace the run that the folder given by --out holds
        #[arg(long, requires = "out")]
        force: bool,
        #[command(flatten)]
        overrides: Overrides,
        #[command(flatten)]
        manner: Manner,
    },
    /// Goes on with a run that was interrupted or killed
    ///
    /// Starts from the last good checkpoint and ends with the same results as a run that was never interrupted.
    #[command(after_help = "\
Examples:
  riprap resume runs/heap
  riprap resume runs/heap --threads 2")]
    Resume {
        /// The folder of the run
        #[arg(value_name = "DIR")]
        folder: PathBuf,
        #[command(flatten)]
        manner: Manner,
    },
    /// Runs a scene by molecular dynamics and by contact dynamics, and sets them side by side
    ///
    /// Molecular dynamics is averaged over windows of the scene's time step, contact dynamics takes steps of it. Writes
    /// compare.csv (both runs over time, and at each row one step of contact dynamics from the state in which the window
    /// of molecular dynamics began), contacts.csv (forces of the last window, contact by contact) and plots of energy,
    /// contacts, forces and velocities. A stage ends when it ends for molecular dynamics.
    #[command(after_help = "\
Examples:
  riprap compare deposit.toml --out deposit-md-cd
  riprap compare deposit.toml --out softer --set md.overlap=1e-2 --rows 20")]
    Compare {
        /// The scene file
        scene: PathBuf,
        /// The folder for tables and plots
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
        /// About how many rows to write for each stage
        #[arg(long, value_name = "N", default_value = "100", value_parser = clap::value_parser!(u32).range(1..))]
        rows: u32,
        #[command(flatten)]
        overrides: Overrides,
        #[command(flatten)]
        manner: Manner,
    },
    /// Says what a run folder, a snapshot or a checkpoint holds
    #[command(after_help = "\
Examples:
  riprap info runs/heap
  riprap info runs/heap --json
  riprap info runs/heap/snapshots/snapshot_000000000.h5")]
    Info {
        /// A run folder, a snapshot or a checkpoint
        path: PathBuf,
        /// Print JSON instead of text
        #[arg(long)]
        json: bool,
    },
    /// Converts snapshots to another format
    ///
    /// A run folder stands for all of its snapshots.
    #[command(after_help = "\
Examples:
  riprap export runs/heap --to vtp                          for ParaView
  riprap export runs/heap --to dump --out for-ovito         for OVITO
  riprap export runs/heap/snapshots/snapshot_000000000.h5 --to csv")]
    Export {
        /// A snapshot, or a run folder
        path: PathBuf,
        /// The format to write
        #[arg(long, value_name = "FORMAT")]
        to: FormatName,
        /// The folder to write to (default: export-FORMAT in the run folder, or beside the snapshot)
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
    /// Solves contact problems that stand alone in files
    ///
    /// Reads FCLib (HDF5) and Siconos text files, local and global, in 2D and 3D, with rolling too, and prints for each how
    /// it was solved. `riprap run --dump-problem` writes such files. A bad file does not keep the others from being solved.
    #[command(after_help = "\
Examples:
  riprap solve problems/*.hdf5
  riprap solve Capsules.dat --tolerance 1e-6 --max-seconds 10 --json
  riprap solve runs/heap/problems/step-000000123.hdf5 --start guess --solver gauss-seidel
  riprap solve KaplasTower.dat --out solved.hdf5

Exit codes: 0 all are solved, 1 a problem was not solved to the tolerance, 3 a file is missing or no
problem (also where another was not solved), 4 the result could not be written, 130 ended by Ctrl-C")]
    Solve {
        /// The problem files
        #[arg(required = true, value_name = "PROBLEM")]
        problems: Vec<PathBuf>,
        #[command(flatten)]
        choices: SolveChoices,
    },
    /// Measures runs and snapshots: forces, stress, fabric, strain and more
    ///
    /// Writes measures.csv and measures.json with all numbers of all snapshots, and tables and plots of the last one. A
    /// run folder stands for all of its snapshots, which are read one after the other. What a snapshot cannot give is
    /// said with the reason; a damaged snapshot is named and skipped.
    #[command(after_help = "\
Measurements: forces, networks, stress, pressures, coordination, solid-fraction, fabric, profile,
radial; between snapshots strain, displacements, shear-band; of small packings indeterminacy; of runs
history, loading and spread; pictures. By default all but indeterminacy and spread.

Examples:
  riprap measure runs/biaxial
  riprap measure runs/biaxial --what forces,fabric --region inner=3 --plots svg,png
  riprap measure runs/biaxial/snapshots/*.h5 --what strain --since previous --json
  riprap measure wet.h5 --what forces --force-scale 1.2e-4 --tail 0.1:1

Exit codes: 0 done, 3 a snapshot was skipped, 5 a measurement that was asked for by --what could not be
made in any snapshot")]
    Measure {
        /// Run folders or snapshots, in the order of time
        #[arg(required = true, value_name = "RUN|SNAPSHOT")]
        paths: Vec<PathBuf>,
        #[command(flatten)]
        choices: MeasureChoices,
    },
    /// Draws a picture of a snapshot
    #[command(after_help = "\
Examples:
  riprap picture runs/heap/snapshots/snapshot_000001000.h5 --forces --out chains.png
  riprap picture end.h5 --colour displacement --since start.h5 --out moved.svg
  riprap picture wet.h5 --colour pressure-sign --axes xz --slice 0.01:0.003")]
    Picture {
        /// The snapshot
        snapshot: PathBuf,
        #[command(flatten)]
        choices: PictureChoices,
    },
    /// Runs published results again and sets our numbers beside theirs
    ///
    /// Each case names its source, runs, measures and judges each number by a range that was chosen before. All cases go to
    /// one page, index.html in --out, with tables, plots and remarks, failures as plainly as successes. Finished cases and
    /// runs are kept: the same command goes on where an earlier one was interrupted.
    #[command(after_help = "\
Examples:
  riprap reproduce --list                     the cases, their sources and how long they take
  riprap reproduce --quick                    all cases at a small size
  riprap reproduce chain piston-waves         two cases at full size
  riprap reproduce chain --quick --json       an object for each number

Exit codes: 0 all numbers pass, 1 a case could not be run, 6 a number differs from the published one by
more than is allowed, 130 ended by Ctrl-C; the same command goes on")]
    Reproduce {
        /// The cases (default: all)
        #[arg(value_name = "CASE", value_parser = PossibleValuesParser::new(crate::reproduce::names()), hide_possible_values = true)]
        cases: Vec<String>,
        #[command(flatten)]
        choices: ReproduceChoices,
    },
    /// Prints the JSON schema of scenes, for editors
    #[command(after_help = "\
Example:
  riprap schema > riprap.schema.json

Editors that know Even Better TOML use it by a first line in the scene:
  #:schema riprap.schema.json")]
    Schema,
    /// Prints completions for a shell
    #[command(after_help = "\
Examples:
  riprap completions bash > ~/.local/share/bash-completion/completions/riprap
  riprap completions zsh > ~/.zfunc/_riprap
  riprap completions fish > ~/.config/fish/completions/riprap.fish")]
    Completions {
        /// Which shell
        shell: Shell,
    },
}

/// Values of the scene that the command line replaces.
#[derive(Args, Debug)]
pub struct Overrides {
    /// Replace a value of the scene; may be given several times
    #[arg(long = "set", value_name = "PATH.TO.KEY=VALUE", value_parser = parse_override)]
    pub set: Vec<Override>,
}

/// How to run.
#[derive(Args, Debug)]
pub struct Manner {
    /// How many threads to use (default: all cores); the result does not depend on it
    #[arg(long, value_name = "N", env = "RIPRAP_THREADS", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Print nothing but warnings and errors
    #[arg(long, short)]
    pub quiet: bool,
    /// Write the contact problem of these steps, as in 120 or 100-110,250; may be given several times
    #[arg(long, value_name = "STEPS", value_delimiter = ',', value_parser = parse_steps)]
    pub dump_problem: Vec<RangeInclusive<u64>>,
}

/// How to reproduce published results.
#[derive(Args, Debug)]
pub struct ReproduceChoices {
    /// List the cases with their sources and costs, and do nothing else
    #[arg(long)]
    pub list: bool,
    /// Run smaller sizes, all cases within half an hour on two cores
    #[arg(long)]
    pub quick: bool,
    /// The folder for the page, the figures and the runs (default: runs/reproduce or runs/reproduce-quick)
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print a JSON object for each number, a line each, instead of a table
    #[arg(long)]
    pub json: bool,
    /// Make everything anew, also what is finished
    #[arg(long)]
    pub again: bool,
    /// How many threads to use (default: all cores)
    #[arg(long, value_name = "N", env = "RIPRAP_THREADS", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
}

/// How to solve problems from files.
#[derive(Args, Debug)]
pub struct SolveChoices {
    /// The method: auto, gauss-seidel, momentum, capped-momentum, projected-gradient or newton
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = <Solver as FromStr>::from_str)]
    pub solver: Solver,
    /// The order of sweeps: spatial, random, sequential or forward-backward
    #[arg(long, value_name = "ORDER", default_value = "spatial", value_parser = <SweepOrder as FromStr>::from_str)]
    pub order: SweepOrder,
    /// The residual at which a problem counts as solved
    #[arg(long, value_name = "RESIDUAL", default_value = "1e-8", value_parser = parse_positive, allow_negative_numbers = true)]
    pub tolerance: f64,
    /// Which residual the tolerance is on
    #[arg(long, value_enum, default_value = "scaled")]
    pub criterion: ResidualName,
    /// At most so many iterations (default: a million)
    #[arg(long, value_name = "N")]
    pub max_iterations: Option<u64>,
    /// At most so many seconds on the clock for each problem
    #[arg(long, value_name = "S", default_value = "60", value_parser = parse_positive, allow_negative_numbers = true)]
    pub max_seconds: f64,
    /// The impulses to start from
    #[arg(long, value_enum, default_value = "zero")]
    pub start: Start,
    /// Solve (and write) a global problem in its local form, W = Hᵀ M⁻¹ H
    #[arg(long)]
    pub local: bool,
    /// The seed of random orders
    #[arg(long, value_name = "SEED", default_value = "0")]
    pub seed: u64,
    /// How many threads to use
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: u16,
    /// Print a JSON object for each problem, a line each, instead of a table
    #[arg(long)]
    pub json: bool,
    /// Write the problem with its solution: as FCLib, or (without the solution) as Siconos text if FILE ends with .dat; for
    /// several problems, the folder for such files
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// The two residuals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ResidualName {
    /// The same whatever units the problem is in
    Scaled,
    /// As Siconos computes it, which depends on the units
    Siconos,
}

/// Where a solve starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Start {
    /// No impulses
    Zero,
    /// The first guess that the file holds; that of a step of a run is what the run started from
    Guess,
    /// The solution that the file holds; with --max-iterations 0 this tells how good it is
    Solution,
}

/// The formats of snapshots, by the ending of their files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FormatName {
    /// VTK XML: ParaView, VisIt, PyVista
    Vtp,
    /// HDF5: h5py, Julia, MATLAB; holds everything
    #[value(alias = "hdf5")]
    H5,
    /// Extended XYZ: OVITO, ASE
    Xyz,
    /// LAMMPS dump: OVITO
    #[value(alias = "lammps-dump")]
    Dump,
    /// LAMMPS data file: to start a LAMMPS run from
    #[value(alias = "lammps-data")]
    Data,
    /// Comma-separated values: spreadsheets, numpy, pandas
    Csv,
}

impl From<FormatName> for Format {
    fn from(name: FormatName) -> Self {
        match name {
            FormatName::Vtp => Format::Vtp,
            FormatName::H5 => Format::Hdf5,
            FormatName::Xyz => Format::Xyz,
            FormatName::Dump => Format::LammpsDump,
            FormatName::Data => Format::LammpsData,
            FormatName::Csv => Format::Csv,
        }
    }
}

/// A step, counted from 1, or a range of them.
fn parse_steps(text: &str) -> Result<RangeInclusive<u64>, String> {
    let step = |word: &str| word.trim().parse::<u64>().ok().filter(|&step| step > 0);
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    match (step(first), step(last)) {
        (Some(first), Some(last)) if first <= last => Ok(first..=last),
        _ => Err("expected a step, counted from 1, or a range of steps, as in 100-110".into()),
    }
}

/// A number above zero.
pub fn parse_positive(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.trim().parse().ok();
    number.filter(|number| *number > 0.0 && number.is_finite()).ok_or("expected a number above zero".into())
}

fn parse_override(text: &str) -> Result<Override, String> {
    let (path, value) =
        text.split_once('=').ok_or("expected path.to.key=value, for example grains.0.count=2000".to_string())?;
    let (path, value) = (path.trim(), value.trim());
    if path.is_empty() || value.is_empty() {
        return Err("expected path.to.key=value, with neither side empty".into());
    }
    Ok(Override { path: path.into(), value: value.into() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_description_of_the_arguments_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn overrides_keep_later_equal_signs() {
        let parsed = parse_override("grains.name = a=b").unwrap();
        assert_eq!((parsed.path.as_str(), parsed.value.as_str()), ("grains.name", "a=b"));
        assert!(parse_override("grains.count").is_err());
        assert!(parse_override("=3").is_err());
    }

    #[test]
    fn steps_are_single_or_in_ranges() {
        assert_eq!(parse_steps("7"), Ok(7..=7));
        assert_eq!(parse_steps("7-9"), Ok(7..=9));
        for bad in ["0", "9-7", "-3", "a", "3-", ""] {
            assert!(parse_steps(bad).is_err(), "{bad}");
        }
    }
}
