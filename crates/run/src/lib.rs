//! Runs: a scene simulated stage by stage, with all the files that a run writes.
//!
//! A [`Simulation`] steps a scene through its stages. With a [`RunFolder`] it writes the same files as `riprap run`: series,
//! snapshots, checkpoints, a log and a summary; [`Simulation::resume`] continues from them with bit-identical results.
//! Without one it writes nothing:
//!
//! ```
//! use riprap_run::{Simulation, Until};
//!
//! let scene = riprap_scene::load(
//!     r#"
//!     title = "a ball falls on a floor"
//!     dimension = 3
//!     [materials.glass]
//!     density = "2500 kg/m3"
//!     friction = 0.5
//!     [[walls]]
//!     name = "floor"
//!     shape = "plane"
//!     point = [0, 0, 0]
//!     normal = [0, 0, 1]
//!     [[grains]]
//!     sample = "list"
//!     positions = [[0, 0, "3 mm"]]
//!     radius = "1 mm"
//!     [[stages]]
//!     name = "fall"
//!     end = { time = "0.1 s" }
//!     "#,
//!     "ball.toml",
//!     &[],
//! )?;
//! let mut simulation = Simulation::new(scene)?;
//! simulation.run(Until::End)?;
//! let summary = simulation.end()?.summary;
//! assert_eq!(summary["contacts"], 1);
//! # Ok::<(), riprap_run::RunError>(())
//! ```
//!
//! The library does not print, handle signals or exit the process: messages go to a [`Listener`], an [`Interrupt`] asks a
//! run to stop, and all errors are a [`RunError`].

mod batch;
mod breaking;
mod choices;
mod dumps;
mod effort;
mod error;
mod fallen;
mod flows;
mod folder;
mod forecast;
mod interrupt;
mod journal;
mod ladder;
mod limit;
mod listener;
mod loading;
mod measures;
mod memory;
mod output;
mod pace;
mod pack;
mod packing;
mod prepared;
mod profile;
mod recorder;
mod series;
mod simulation;
mod snapshots;
mod stage_totals;
mod standing;
mod study;
mod summary;
mod table_file;
mod threads;
mod time_series;
mod totals;
mod walls;
mod words;

pub use batch::{BatchChoices, BatchEnd, BatchListener, BatchProgress, BatchRun, RunStanding, run_batch};
pub use choices::numerical_choices;
pub use dumps::UserLaw;
pub use effort::cpu_seconds;
pub use error::RunError;
pub use folder::RunFolder;
pub use forecast::{Forecast, Trial, free_disk, try_steps};
pub use interrupt::Interrupt;
pub use ladder::{Factor, Ladder, LadderPlan, LadderRun, Quantity, Rung};
pub use limit::{Limit, LimitPlan, LimitTrial, find_limit};
pub use listener::{Listener, Progress};
pub use measures::{NUMBER_COLUMNS, number_row};
pub use memory::{memory_estimate, memory_in_words};
pub use output::Output;
pub use pack::{FoundPacking, PackingGoal, PackingTrial, find_packing};
pub use packing::{packing_of, read_packing};
pub use prepared::{BesideScene, PreparedScene, SceneText, load_scene};
pub use simulation::{Outcome, RunOptions, Simulation, Stop, Until, refuse_ranks, unequal};
pub use snapshots::ListedSnapshot;
pub use stage_totals::StageTotals;
pub use study::{Study, StudyRun, StudyTable, TableRow};
pub use summary::{Status, Tells, describe};
pub use table_file::{TableFile, number, optional, text};
pub use threads::default_threads;
pub use time_series::TimeSeries;
pub use totals::{Event, Totals};
pub use words::{counted, duration, three_digits};
