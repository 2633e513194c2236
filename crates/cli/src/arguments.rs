//! The command line: commands, options and their help.

use crate::converge::arguments::ConvergeChoices;
use crate::interrupt;
use crate::measure::arguments::{MeasureChoices, PictureChoices};
use crate::study::arguments::{GatherChoices, StudyChoices};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use riprap_run::{BatchChoices, default_threads};
use riprap_scene::Override;
use riprap_solve::SweepOrder;
use riprap_solve::assembled::AssembledSolver;
use riprap_store::Format;
use riprap_view::Look;
use std::net::IpAddr;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::{Duration, Instant};

const EXIT_CODES: &str = "\
Exit codes:
    0  success
    1  the simulation failed (a grain passed through a wall, a value became NaN, …)
    2  invalid command line or scene
    3  a file is missing, unreadable or damaged
    4  a file could not be written (disk full, no permission)
    5  a requested measurement or picture could not be made; all others were
    6  a published result was not reproduced (`riprap reproduce`), or a state hash differs (`riprap selftest`)
   75  the time limit of --max-wall was reached; all output is on disk and the same command continues the run
  130  interrupted by Ctrl-C; all output is on disk and `riprap resume` continues the run";

/// Simulate granular matter: disks, spheres, polygons and polyhedra between walls, by contact dynamics.
#[derive(Debug, Parser)]
#[command(name = "riprap", version, max_term_width = 100, after_help = EXIT_CODES, after_long_help = format!("\
Examples:
  riprap new heap            create heap.toml from a template
  riprap check heap.toml     validate it and show what would be simulated
  riprap run heap.toml       simulate it; results go to runs/heap
  riprap info runs/heap      summarise the run

{EXIT_CODES}"))]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What `riprap limit` looks for.
#[derive(Debug, Args)]
pub struct LimitChoices {
    /// Key to vary, named as for --set
    #[arg(long, value_name = "PATH")]
    pub key: String,
    /// One end of the range, with its unit
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    pub from: LimitValue,
    /// The other end, in the same unit
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    pub to: LimitValue,
    /// Relative tolerance of the limit
    #[arg(long, value_name = "FRACTION", default_value_t = 0.01, value_parser = fraction)]
    pub tolerance: f64,
    /// Write all trials to a table
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Number of threads (default: all cores)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
}

/// What `riprap pack` makes.
#[derive(Debug, Args)]
pub struct PackChoices {
    /// Volume of the grains divided by that of the packing
    #[arg(long, value_name = "FRACTION", value_parser = fraction, conflicts_with = "coordination")]
    pub solid_fraction: Option<f64>,
    /// Contacts per grain, without rattlers
    #[arg(long, value_name = "NUMBER", value_parser = parse_positive)]
    pub coordination: Option<f64>,
    /// Snapshot to write
    #[arg(long, value_name = "FILE", default_value = "packing.h5")]
    pub out: PathBuf,
    /// Number of threads (default: all cores)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
}

/// A number and its unit, as it is written.
#[derive(Clone, Debug, PartialEq)]
pub struct LimitValue {
    /// The number.
    pub value: f64,
    /// The unit; may be empty.
    pub unit: String,
}

impl FromStr for LimitValue {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let is_of_number = |(_, letter): &(usize, char)| !(letter.is_ascii_digit() || "+-.eE".contains(*letter));
        let end = text.char_indices().find(is_of_number).map_or(text.len(), |(index, _)| index);
        let (number, unit) = text.split_at(end);
        let value = number.trim().parse().map_err(|_| format!("`{text}` does not start with a number"))?;
        Ok(LimitValue { value, unit: unit.trim().to_owned() })
    }
}

fn seconds(text: &str) -> Result<f64, String> {
    let value = riprap_scene::in_si(text, "s")?;
    if value > 0.0 { Ok(value) } else { Err("expected a time greater than 0".into()) }
}

fn fraction(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| format!("`{text}` is not a number"))?;
    if value > 0.0 && value < 1.0 { Ok(value) } else { Err("expected a number between 0 and 1".into()) }
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Create a scene from a template
    ///
    /// Without a name, list the templates. Existing files are never overwritten.
    #[command(after_help = "\
Examples:
  riprap new                      list the templates
  riprap new hopper               create hopper.toml
  riprap new drum my-drum.toml    create my-drum.toml")]
    New {
        /// Name of the template
        template: Option<String>,
        /// File to write (default: TEMPLATE.toml)
        file: Option<PathBuf>,
    },
    /// Validate scenes and show what they would simulate
    ///
    /// Reports all errors in each scene at once, with the line and the expected value. For a valid scene, prints the
    /// grains, walls and stages, and the numerical settings that `run` would choose. Nothing is written.
    #[command(after_help = "\
Examples:
  riprap check heap.toml
  riprap check scenes/*.toml
  riprap check heap.toml --set solver.time_step=1e-4")]
    Check {
        /// Scene files
        #[arg(required = true, value_name = "SCENE")]
        scenes: Vec<PathBuf>,
        #[command(flatten)]
        overrides: Overrides,
    },
    /// Simulate a scene
    ///
    /// Results go to a new folder: the resolved scene, a log, summary.json, series.csv, walls.csv, snapshots and
    /// checkpoints. Ctrl-C stops the run after the current step with all output written; a second Ctrl-C kills it at once.
    ///
    /// For schedulers: given a run folder instead of a scene, or with --continue, the command starts the run, continues it,
    /// or reports that it is complete, and may be repeated any number of times.
    #[command(after_help = "\
Examples:
  riprap run heap.toml
  riprap run heap.toml --out results/heap-1 --threads 4
  riprap run heap.toml --set materials.stone.friction=0.3 --set grains.0.count=2000
  riprap run heap.toml --dump-problem 1200    write problems/step-001200.hdf5 for `riprap solve`
  riprap run heap.toml --out results/heap-1 --continue --max-wall 55min")]
    Run {
        /// Scene file, or the folder of a run to start or continue
        #[arg(value_name = "SCENE|DIR")]
        scene: PathBuf,
        #[command(flatten)]
        place: RunPlace,
        /// Show the run live in the browser, where it can also be paused, stepped and stopped
        #[arg(long)]
        view: bool,
        #[command(flatten)]
        view_choices: ViewChoices,
        #[command(flatten)]
        overrides: Overrides,
        #[command(flatten)]
        manner: Manner,
        #[command(flatten)]
        limit: WallLimit,
    },
    /// Find the load at which a structure fails
    ///
    /// Bisects the value of a key, such as a load, an angle or a friction coefficient, between a value at which the
    /// structure stands and one at which it fails. Every trial is a complete run of the scene; it fails if a stage ends by
    /// `displacement`, `kinetic_energy_above`, `contact_lost` or `force_lost` (see `end` in docs/scene.md). A load that
    /// grows with time shakes the structure: apply it slowly, or all at once to a structure at rest.
    #[command(after_help = "\
Examples:
  riprap limit block.toml --key stages.0.tilt.angle --from \"5 deg\" --to \"45 deg\"
  riprap limit arch.toml --key stages.1.loads.0.force.1 --from=\"-1 kN\" --to=\"-50 kN\" --tolerance 0.005 --csv trials.csv")]
    Limit {
        /// Scene file
        scene: PathBuf,
        #[command(flatten)]
        choices: LimitChoices,
        #[command(flatten)]
        overrides: Overrides,
    },
    /// Make a packing of a wanted solid fraction or coordination
    ///
    /// Runs a scene that compresses its grains in the first stage and lets them rest in the others, with another friction
    /// between the grains in the first stage, until the packing has what is wanted: without friction it is dense, with much
    /// friction loose. The friction is found by bisection; every trial is a complete run. A value that cannot be reached is an
    /// error that gives the range. The packing is written as a snapshot, from which other scenes start.
    #[command(after_help = "\
Examples:
  riprap pack isotropic-cell.toml --solid-fraction 0.60
  riprap pack isotropic-cell.toml --coordination 5 --set grains.0.count=3000 --out loose.h5")]
    Pack {
        /// Scene file
        scene: PathBuf,
        #[command(flatten)]
        choices: PackChoices,
        #[command(flatten)]
        overrides: Overrides,
    },
    /// Show runs in the browser
    ///
    /// Serves a page on this machine until Ctrl-C: grains and force chains in 3D, a time line over the snapshots, curves and
    /// the log. A run in progress is followed as it writes snapshots. Nothing is loaded from the network, and the page can
    /// only be opened with the printed address. With --export, the page is written to a single file that opens anywhere.
    #[command(after_help = "\
Examples:
  riprap view runs/heap
  riprap view runs/heap runs/heap-2 --port 8080 --no-open
  riprap view runs/heap --export heap.html --frames 30
  riprap run heap.toml --view")]
    View {
        /// Run folders or snapshots
        #[arg(required = true, value_name = "RUN|SNAPSHOT")]
        runs: Vec<PathBuf>,
        /// Write a page that shows the first run without a server, then exit
        #[arg(long, value_name = "FILE")]
        export: Option<PathBuf>,
        /// Largest number of snapshots in an exported page
        #[arg(long, value_name = "N", default_value = "100", requires = "export", value_parser = clap::value_parser!(u32).range(1..))]
        frames: u32,
        #[command(flatten)]
        choices: ViewChoices,
    },
    /// Continue a run that was interrupted or killed, or make a complete one longer
    ///
    /// Starts from the last good checkpoint. The results are identical to those of an uninterrupted run. With --longer, the
    /// last stage of a complete run is extended, as if it had been that long from the start; it must have ended by `time`.
    #[command(after_help = "\
Examples:
  riprap resume runs/heap
  riprap resume runs/heap --threads 2
  riprap resume runs/heap --longer \"2 s\"")]
    Resume {
        /// Run folder
        #[arg(value_name = "DIR")]
        folder: PathBuf,
        /// Simulated time by which a complete run is made longer
        #[arg(long, value_name = "TIME", value_parser = seconds)]
        longer: Option<f64>,
        #[command(flatten)]
        manner: Manner,
        #[command(flatten)]
        limit: WallLimit,
    },
    /// Compare molecular dynamics and contact dynamics on one scene
    ///
    /// Both methods share the scene's time step: molecular dynamics is averaged over windows of that length. Writes
    /// compare.csv (both runs over time; each row also has one contact dynamics step taken from the state at the start of
    /// the molecular dynamics window), contacts.csv (contact forces in the last window) and plots of energy, contacts,
    /// forces and velocities. Both runs leave a stage when molecular dynamics does.
    #[command(after_help = "\
Examples:
  riprap compare deposit.toml --out deposit-md-cd
  riprap compare deposit.toml --out softer --set md.overlap=1e-2 --rows 20")]
    Compare {
        /// Scene file
        scene: PathBuf,
        /// Output folder for tables and plots
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
        /// Approximate number of rows per stage
        #[arg(long, value_name = "N", default_value = "100", value_parser = clap::value_parser!(u32).range(1..))]
        rows: u32,
        #[command(flatten)]
        overrides: Overrides,
        #[command(flatten)]
        manner: Manner,
    },
    /// Show how the results of a scene depend on its time step and tolerance
    ///
    /// Runs the scene at its own settings, at shorter time steps and at tighter tolerances, each with several seeds, and
    /// reports every physical quantity in the summary and in the requested measurements with its change, the standard
    /// error of that change over the seeds, the limit of short steps if one is justified, and a verdict. Writes
    /// converge.md, converge.json, converge.csv and plots. The runs are kept: repeat the command to continue after an
    /// interruption, or with more seeds, steps or measurements.
    #[command(after_help = "\
Examples:
  riprap converge deposit.toml
  riprap converge deposit.toml --steps 2,1,1/2,1/4 --tolerance 1 --seeds 6 --measure coordination,fabric
  riprap converge collision.toml --order 1 --json

Exit codes: 0 success, 1 a run failed, 2 the scene has no tolerance to vary or the folder belongs to another
scene, 5 a measurement requested by --measure could not be made in any run, 130 interrupted by Ctrl-C")]
    Converge {
        /// Scene file
        scene: PathBuf,
        #[command(flatten)]
        choices: ConvergeChoices,
        #[command(flatten)]
        overrides: Overrides,
    },
    /// Run a scene for many values of its keys
    ///
    /// Varies any keys over lists, ranges, grids, samples and seeds. All runs are checked before the first one starts. Their
    /// folders, named after their values, are created first, together with files for Slurm, Snakemake and GNU parallel; the
    /// runs are then executed on this machine, one per thread at a time. Repeat the command, or pass it the folder, to
    /// continue after an interruption; with more values or seeds, the study is extended.
    #[command(after_help = "\
Examples:
  riprap study triaxial.toml --vary materials.glass.friction=0.1,0.2,0.3,0.5,0.8 --seeds 4
  riprap study heap.toml --vary solver.time_step=1e-5..1e-3:5:log --prepare
  riprap study heap.toml --vary materials.stone.friction=0.1..0.9 --samples 32
  riprap study study.toml --jobs 4         settings from a file, see docs/study.md
  riprap study runs/triaxial-study         continue

Exit codes: 0 all runs are complete, 1 a run failed (the others were run), 2 the study is invalid, 75 the time
limit of --max-wall was reached or another process holds some of the runs, 130 interrupted by Ctrl-C")]
    Study {
        /// Scene, study file, or folder of a study to continue
        #[arg(value_name = "SCENE|STUDY|DIR")]
        path: PathBuf,
        #[command(flatten)]
        choices: StudyChoices,
        #[command(flatten)]
        overrides: Overrides,
    },
    /// Collect the results of a study in one table
    ///
    /// Writes runs.csv (one row per run: parameters, status, every number in the summaries and the requested measurements),
    /// means.csv (one row per combination of values, with means and standard errors over the seeds), table.json (both) and
    /// plots.
    #[command(after_help = "\
Examples:
  riprap gather runs/triaxial-study --measure loading,fabric
  riprap gather runs/triaxial-study --plot solid_fraction:friction --plots svg,png")]
    Gather {
        /// Folder of a study
        #[arg(value_name = "DIR")]
        folder: PathBuf,
        #[command(flatten)]
        choices: GatherChoices,
    },
    /// Show what a run folder, snapshot or checkpoint contains
    #[command(after_help = "\
Examples:
  riprap info runs/heap
  riprap info runs/heap --json
  riprap info runs/heap/snapshots/snapshot_000000000.h5")]
    Info {
        /// Run folder, snapshot or checkpoint
        path: PathBuf,
        /// Print JSON instead of text
        #[arg(long)]
        json: bool,
    },
    /// Convert snapshots to another format
    ///
    /// For a run folder, all of its snapshots are converted.
    #[command(after_help = "\
Examples:
  riprap export runs/heap --to vtp                          for ParaView
  riprap export runs/heap --to dump --out for-ovito         for OVITO
  riprap export runs/heap/snapshots/snapshot_000000000.h5 --to csv")]
    Export {
        /// Snapshot or run folder
        path: PathBuf,
        /// Output format
        #[arg(long, value_name = "FORMAT", value_parser = formats())]
        to: Format,
        /// Output folder (default: export-FORMAT in the run folder, or next to the snapshot)
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
    /// Solve standalone contact problems from files
    ///
    /// Reads FCLib (HDF5) and Siconos text files: local and global problems, 2D and 3D, with or without rolling friction.
    /// Prints one result per problem. `riprap run --dump-problem` writes such files. An unreadable file is reported and
    /// the remaining ones are still solved.
    #[command(after_help = "\
Examples:
  riprap solve problems/*.hdf5
  riprap solve Capsules.dat --tolerance 1e-6 --max-seconds 10 --json
  riprap solve runs/heap/problems/step-000000123.hdf5 --start guess --solver gauss-seidel
  riprap solve KaplasTower.dat --out solved.hdf5

Exit codes: 0 all problems solved, 1 a problem did not reach the tolerance, 3 a file is missing or is not a
problem (takes precedence over 1), 4 the result could not be written, 130 interrupted by Ctrl-C")]
    Solve {
        /// Problem files
        #[arg(required = true, value_name = "PROBLEM")]
        problems: Vec<PathBuf>,
        #[command(flatten)]
        choices: SolveChoices,
    },
    /// Measure runs and snapshots: forces, stress, fabric, strain and more
    ///
    /// Writes measures.csv and measures.json with the results for every snapshot, and tables and plots for the last one. A
    /// run folder means all of its snapshots, read one at a time. Measurements that a snapshot does not support are
    /// listed with the reason; damaged snapshots are reported and skipped.
    #[command(after_help = "\
Measurements, per snapshot: forces, networks, stress, pressures, coordination, solid-fraction, fabric,
profile, radial; between snapshots: strain, displacements, shear-band; for small packings: indeterminacy;
for mixtures: mixing; for heaps and drums: repose; for run folders: history, loading, spread; and pictures.
Default: all except indeterminacy, mixing, repose and spread.

Examples:
  riprap measure runs/biaxial
  riprap measure runs/biaxial --what forces,fabric --region inner=3 --plots svg,png
  riprap measure runs/biaxial/snapshots/*.h5 --what strain --since previous --json
  riprap measure wet.h5 --what forces --force-scale 1.2e-4 --tail 0.1:1

Exit codes: 0 success, 3 a snapshot was skipped, 5 a measurement requested by --what could not be made
for any snapshot")]
    Measure {
        /// Run folders or snapshots, in chronological order
        #[arg(required = true, value_name = "RUN|SNAPSHOT")]
        paths: Vec<PathBuf>,
        #[command(flatten)]
        choices: MeasureChoices,
    },
    /// Draw a snapshot
    #[command(after_help = "\
Examples:
  riprap picture runs/heap/snapshots/snapshot_000001000.h5 --forces --out chains.png
  riprap picture end.h5 --colour displacement --since start.h5 --out moved.svg
  riprap picture runs/heap --look                                        everything, shaded, in perspective
  riprap picture runs/heap --look 'array=pressure&slice=y&contacts=all'
  riprap picture wet.h5 --colour pressure-sign --axes xz --slice 0.01:0.003
  riprap picture runs/chute --colour wear --axes xy                      a map of the wear of walls")]
    Picture {
        /// Snapshot file, or a run folder for its last snapshot
        snapshot: PathBuf,
        #[command(flatten)]
        choices: Box<PictureChoices>,
    },
    /// Make a movie of a run
    ///
    /// Draws every snapshot with the same camera and colour range, without a browser or a display. .gif, .png (animated) and
    /// a folder of images need no other program; .mp4 and .webm need ffmpeg.
    #[command(after_help = "\
Examples:
  riprap movie runs/heap --out heap.mp4
  riprap movie runs/heap --out heap.gif --fps 10 --size 640x480
  riprap movie runs/heap --out pictures/ --look 'array=pressure&contacts=all&walls=0'

--look takes the part of the `riprap view` address after the #: choose a view there and copy it.")]
    Movie {
        /// Run folder
        run: PathBuf,
        /// File or folder to write
        #[arg(long, value_name = "FILE|DIR")]
        out: PathBuf,
        /// Frames per second
        #[arg(long, value_name = "N", default_value = "25", value_parser = clap::value_parser!(u16).range(1..=100))]
        fps: u16,
        /// Width and height in pixels
        #[arg(long, value_name = "WxH", default_value = "1280x720", value_parser = parse_size)]
        size: [usize; 2],
        /// What to show and how: the address of a `riprap view` page, or the part after its #
        #[arg(long, value_name = "ADDRESS", default_value = "", hide_default_value = true, value_parser = parse_look)]
        look: Look,
    },
    /// Reproduce published results and compare the numbers
    ///
    /// Each case cites its source, runs the simulations, and checks every number against a range fixed in advance. All
    /// cases are reported, passed or failed, on one page, index.html in --out, with tables, plots and remarks. Finished
    /// cases and runs are kept: repeat the command to continue after an interruption.
    #[command(after_help = "\
Examples:
  riprap reproduce --list                     list the cases with sources and run times
  riprap reproduce --quick                    run all cases at reduced size
  riprap reproduce chain piston-waves         run two cases at full size
  riprap reproduce chain --quick --json       print one JSON object per number

Exit codes: 0 all numbers pass, 1 a case could not be run, 6 a number is outside its allowed range,
130 interrupted by Ctrl-C; repeat the command to continue")]
    Reproduce {
        /// Cases to run (default: all)
        #[arg(value_name = "CASE", value_parser = PossibleValuesParser::new(crate::reproduce::names()), hide_possible_values = true)]
        cases: Vec<String>,
        #[command(flatten)]
        choices: ReproduceChoices,
    },
    /// Check that this machine gives bit-identical results
    ///
    /// Runs a set of scenes for a few steps each and compares their state hashes with the reference values. Nothing is
    /// written.
    #[command(after_help = "\
Examples:
  riprap selftest
  riprap selftest --list    print the hashes of this machine

Exit codes: 0 all hashes are as expected, 6 some differ")]
    Selftest {
        #[arg(long)]
        list: bool,
    },
    /// Print the JSON schema of scenes, for editors
    #[command(after_help = "\
Example:
  riprap schema > riprap.schema.json

Editors with the Even Better TOML extension read it if the scene starts with the line
  #:schema riprap.schema.json")]
    Schema,
    /// Print a completion script for a shell
    #[command(after_help = "\
Examples:
  riprap completions bash > ~/.local/share/bash-completion/completions/riprap
  riprap completions zsh > ~/.zfunc/_riprap
  riprap completions fish > ~/.config/fish/completions/riprap.fish")]
    Completions {
        /// Shell
        shell: Shell,
    },
}

/// Scene values overridden on the command line.
#[derive(Args, Debug)]
pub struct Overrides {
    /// Override a value in the scene; repeatable
    #[arg(long = "set", value_name = "PATH.TO.KEY=VALUE", value_parser = parse_override)]
    pub set: Vec<Override>,
}

/// Where a run goes.
#[derive(Args, Debug)]
pub struct RunPlace {
    /// Output folder (default: runs/NAME after the scene file, or NAME-2, NAME-3, … if it exists)
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Overwrite an existing run in the --out folder
    #[arg(long, requires = "out", conflicts_with = "continued")]
    pub force: bool,
    /// Continue the run in the --out folder if it belongs to this scene; a completed run is reported and succeeds
    #[arg(long = "continue", requires = "out")]
    pub continued: bool,
}

/// How long to run.
#[derive(Args, Debug)]
pub struct WallLimit {
    /// Wall-clock time limit, such as 55min; the run then ends with all output written and exit code 75
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub max_wall: Option<Duration>,
}

impl WallLimit {
    /// From here on the time counts.
    pub fn start(&self) {
        if let Some(end) = self.max_wall.and_then(|time| Instant::now().checked_add(time)) {
            interrupt::flag().ask_at(end);
        }
    }
}

/// How to run.
#[derive(Args, Debug)]
pub struct Manner {
    /// Number of threads (default: all cores available to the process); does not affect the results
    #[arg(long, value_name = "N", env = "RIPRAP_THREADS", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Print only warnings and errors
    #[arg(long, short)]
    pub quiet: bool,
    /// Write the contact problem of these steps, for example 120 or 100-110,250; repeatable
    #[arg(long, value_name = "STEPS", value_delimiter = ',', value_parser = parse_steps)]
    pub dump_problem: Vec<RangeInclusive<u64>>,
}

/// How many runs go on at a time, of a command that makes many.
#[derive(Args, Debug)]
pub struct Sharing {
    /// Number of threads for all runs together (default: all cores available to the process); does not affect the results
    #[arg(long, value_name = "N", env = "RIPRAP_THREADS", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Number of concurrent runs, which share the threads (default: one per thread)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
}

impl Sharing {
    /// The same for so many runs.
    pub fn among(&self, runs: usize) -> BatchChoices {
        let threads = self.threads.map_or_else(default_threads, usize::from);
        BatchChoices::sharing(threads, self.jobs.map(usize::from), runs)
    }
}

/// How to serve the page of the viewer.
#[derive(Args, Debug)]
pub struct ViewChoices {
    /// Port of the page (default: any free port)
    #[arg(long, value_name = "PORT", default_value = "0", hide_default_value = true)]
    pub port: u16,
    /// Address to listen on; any address other than loopback allows access from other machines
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub bind: IpAddr,
    /// Do not open a browser
    #[arg(long)]
    pub no_open: bool,
}

/// How to reproduce published results.
#[derive(Args, Debug)]
pub struct ReproduceChoices {
    /// List the cases with their sources and run times, then exit
    #[arg(long)]
    pub list: bool,
    /// Run reduced sizes; all cases finish within half an hour on two cores
    #[arg(long)]
    pub quick: bool,
    /// Output folder for the page, the figures and the runs (default: runs/reproduce or runs/reproduce-quick)
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print one JSON object per number, one per line, instead of a table
    #[arg(long)]
    pub json: bool,
    /// Start over, including finished cases
    #[arg(long)]
    pub again: bool,
    /// Number of threads (default: all cores)
    #[arg(long, value_name = "N", env = "RIPRAP_THREADS", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
}

/// How to solve problems from files.
#[derive(Args, Debug)]
pub struct SolveChoices {
    /// Solver: auto, gauss-seidel, momentum or newton
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = <AssembledSolver as FromStr>::from_str)]
    pub solver: AssembledSolver,
    /// Sweep order: spatial, random, sequential or forward-backward
    #[arg(long, value_name = "ORDER", default_value = "spatial", value_parser = <SweepOrder as FromStr>::from_str)]
    pub order: SweepOrder,
    /// Residual below which a problem counts as solved
    #[arg(long, value_name = "RESIDUAL", default_value = "1e-8", value_parser = parse_positive, allow_negative_numbers = true)]
    pub tolerance: f64,
    /// Residual that the tolerance applies to
    #[arg(long, value_enum, default_value = "scaled")]
    pub criterion: ResidualName,
    /// Maximum number of iterations (default: one million)
    #[arg(long, value_name = "N")]
    pub max_iterations: Option<u64>,
    /// Time limit per problem, in seconds of wall-clock time
    #[arg(long, value_name = "S", default_value = "60", value_parser = parse_positive, allow_negative_numbers = true)]
    pub max_seconds: f64,
    /// Initial impulses
    #[arg(long, value_enum, default_value = "zero")]
    pub start: Start,
    /// Solve (and write) a global problem in its local form, W = Hᵀ M⁻¹ H
    #[arg(long)]
    pub local: bool,
    /// Seed for random sweep orders
    #[arg(long, value_name = "SEED", default_value = "0")]
    pub seed: u64,
    /// Number of threads
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: u16,
    /// Print one JSON object per problem, one per line, instead of a table
    #[arg(long)]
    pub json: bool,
    /// Write the problem and its solution as FCLib, or the problem alone as Siconos text if FILE ends in .dat; with
    /// several problems, a folder for these files
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// The two residuals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ResidualName {
    /// Independent of the units of the problem
    Scaled,
    /// As computed by Siconos; depends on the units
    Siconos,
}

/// Where a solve starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Start {
    /// Zero impulses
    Zero,
    /// The initial guess in the file; for a dumped step, the impulses the run started from
    Guess,
    /// The solution in the file; with --max-iterations 0 this evaluates its residual
    Solution,
}

/// The formats of snapshots, by their words.
fn formats() -> impl TypedValueParser<Value = Format> {
    let value = |format: Format| PossibleValue::new(format.word()).help(format.about()).aliases(format.aliases());
    PossibleValuesParser::new(Format::ALL.map(value))
        .map(|word| Format::from_word(&word).expect("only words of formats are possible"))
}

/// A step, counted from 1, or a range of them.
fn parse_steps(text: &str) -> Result<RangeInclusive<u64>, String> {
    let step = |word: &str| word.trim().parse::<u64>().ok().filter(|&step| step > 0);
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    match (step(first), step(last)) {
        (Some(first), Some(last)) if first <= last => Ok(first..=last),
        _ => Err("expected a step number (from 1) or a range such as 100-110".into()),
    }
}

/// A length of time above zero, with its unit.
fn parse_time(text: &str) -> Result<Duration, String> {
    let seconds = riprap_scene::in_si(text, "s").ok().filter(|seconds| *seconds > 0.0);
    seconds
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or_else(|| "expected a time greater than 0, such as 55min or 12 h".into())
}

/// A number above zero.
pub fn parse_positive(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.trim().parse().ok();
    number.filter(|number| *number > 0.0 && number.is_finite()).ok_or("expected a number greater than 0".into())
}

/// Two numbers of pixels, as 1280x720.
pub fn parse_size(text: &str) -> Result<[usize; 2], String> {
    let sides =
        text.split_once(['x', '×']).and_then(|(width, height)| Some([width.parse().ok()?, height.parse().ok()?]));
    sides
        .filter(|sides: &[usize; 2]| sides.iter().all(|side| (160..=16_384).contains(side)))
        .ok_or_else(|| "expected width and height from 160 to 16384, such as 1280x720".into())
}

/// How to look at a run, from an address.
pub fn parse_look(text: &str) -> Result<Look, String> {
    Look::from_address(text)
}

fn parse_override(text: &str) -> Result<Override, String> {
    let (path, value) =
        text.split_once('=').ok_or("expected path.to.key=value, for example grains.0.count=2000".to_string())?;
    let (path, value) = (path.trim(), value.trim());
    if path.is_empty() || value.is_empty() {
        return Err("expected path.to.key=value; neither side may be empty".into());
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
