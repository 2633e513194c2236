//! The options of `riprap converge`.

use crate::arguments::{Sharing, parse_positive};
use crate::measure::arguments::{Asked, PlotFormat, parse_asked};
use clap::{Args, ValueEnum};
use riprap_run::Factor;
use std::path::PathBuf;

/// What to vary, and what to report.
#[derive(Args, Debug)]
pub struct ConvergeChoices {
    /// Factors on the time step; that of the scene, 1, is always included
    #[arg(
        long,
        value_name = "FACTOR,…",
        value_delimiter = ',',
        default_value = "1,1/2,1/4",
        allow_negative_numbers = true
    )]
    pub steps: Vec<Factor>,
    /// Factors on the tolerance of the convergence criterion, whichever the scene has (default: 1,1/3, or 1 if the scene has
    /// no tolerance)
    #[arg(long, value_name = "FACTOR,…", value_delimiter = ',', allow_negative_numbers = true)]
    pub tolerance: Vec<Factor>,
    /// Number of seeds, starting with the scene's; a scene without random numbers is run with one
    #[arg(long, value_name = "N", default_value = "3", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub seeds: u16,
    /// Measurements of the final state to include, as in `riprap measure --what`
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', value_parser = parse_measurement)]
    pub measure: Vec<Asked>,
    /// Change, in percent, up to which a number counts as resolved
    #[arg(long, value_name = "PERCENT", default_value = "1", value_parser = parse_positive, allow_negative_numbers = true)]
    pub within: f64,
    /// Order of convergence, if it is known from theory; tested like the default candidates 1/2, 1 and 2
    #[arg(long, value_name = "ORDER", allow_negative_numbers = true)]
    pub order: Option<Factor>,
    /// Output folder (default: runs/NAME-converge)
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Formats of the plots, or none
    #[arg(long, value_name = "svg,png|none", value_delimiter = ',', default_value = "svg")]
    pub plots: Vec<Plots>,
    /// Print converge.json instead of the tables
    #[arg(long)]
    pub json: bool,
    /// Print only results, warnings and errors
    #[arg(long, short)]
    pub quiet: bool,
    #[command(flatten)]
    pub sharing: Sharing,
}

/// Which plots are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Plots {
    /// Vector graphics
    Svg,
    /// Bitmaps
    Png,
    /// None
    None,
}

impl Plots {
    /// Their format, if any are drawn.
    pub fn format(self) -> Option<PlotFormat> {
        match self {
            Plots::Svg => Some(PlotFormat::Svg),
            Plots::Png => Some(PlotFormat::Png),
            Plots::None => None,
        }
    }
}

/// Measurements that give numbers.
pub fn parse_measurement(word: &str) -> Result<Asked, String> {
    match parse_asked(word)? {
        Asked::Pictures => Err("pictures have no numbers".into()),
        asked => Ok(asked),
    }
}
