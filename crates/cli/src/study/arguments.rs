//! The options of `riprap study` and `riprap gather`.

use crate::arguments::{Sharing, WallLimit};
use crate::converge::arguments::{Plots, parse_measurement};
use crate::measure::arguments::Asked;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use riprap_scene::{SampleKind, Seeds, Variation};
use std::path::PathBuf;
use std::str::FromStr;

/// What to vary, and how to run it.
#[derive(Args, Debug)]
pub struct StudyChoices {
    /// Vary a key of the scene: a list, N evenly spaced values from A to B (logarithmically with :log), the integers from A to
    /// B, or with --samples an interval; repeatable, all combinations are run
    #[arg(long, value_name = "KEY=A,B,…|A..B:N|A..B", value_parser = <Variation as FromStr>::from_str)]
    pub vary: Vec<Variation>,
    /// Number of seeds per combination, starting with the scene's, or a comma-separated list of seeds
    #[arg(long, value_name = "N|A,B,…", value_parser = parse_seeds)]
    pub seeds: Option<Seeds>,
    /// Number of points to sample from the intervals
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub samples: Option<u32>,
    /// How points are sampled: evenly spread (Halton sequence) or at random
    #[arg(long, value_name = "halton|random", requires = "samples", value_parser = sample_kinds())]
    pub sampling: Option<SampleKind>,
    /// Seed for random sampling
    #[arg(long, value_name = "SEED", requires = "samples")]
    pub sample_seed: Option<u64>,
    /// Output folder (default: runs/NAME-study for a scene, runs/NAME for a study file)
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Create the folders of all runs and the files for Slurm, Snakemake and GNU parallel, but run nothing
    #[arg(long)]
    pub prepare: bool,
    /// Retry runs that failed before
    #[arg(long)]
    pub retry_failed: bool,
    /// Print only warnings and errors
    #[arg(long, short)]
    pub quiet: bool,
    #[command(flatten)]
    pub sharing: Sharing,
    #[command(flatten)]
    pub limit: WallLimit,
}

/// What to put into the table, and what to draw.
#[derive(Args, Debug)]
pub struct GatherChoices {
    /// Measurements of the final state of each run to include, as in `riprap measure --what`
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', value_parser = parse_measurement)]
    pub measure: Vec<Asked>,
    /// Plot a column against a parameter or another column; repeatable
    #[arg(long, value_name = "Y:X", value_parser = parse_pair)]
    pub plot: Vec<(String, String)>,
    /// Formats of the plots
    #[arg(long, value_name = "svg,png", value_delimiter = ',', default_value = "svg")]
    pub plots: Vec<Plots>,
    /// Output folder (default: that of the study)
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print the table as JSON
    #[arg(long)]
    pub json: bool,
}

fn sample_kinds() -> impl TypedValueParser<Value = SampleKind> {
    PossibleValuesParser::new(SampleKind::ALL.map(|(word, _)| word)).map(|word| {
        let kind = SampleKind::ALL.iter().find(|(name, _)| *name == word);
        kind.expect("only words of kinds are possible").1
    })
}

fn parse_seeds(text: &str) -> Result<Seeds, String> {
    let wrong = || "expected a number of seeds or a comma-separated list of seeds".to_owned();
    let seeds: Vec<u64> =
        text.split(',').map(|seed| seed.trim().parse::<u64>()).collect::<Result<_, _>>().map_err(|_| wrong())?;
    match seeds[..] {
        [count @ 1..=100_000] => Ok(Seeds::Count(count)),
        [_] => Err(wrong()),
        _ => Ok(Seeds::List(seeds)),
    }
}

fn parse_pair(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once(':').map(|(y, x)| (y.trim().to_owned(), x.trim().to_owned()));
    pair.filter(|(y, x)| !y.is_empty() && !x.is_empty())
        .ok_or_else(|| "expected Y:X, for example solid_fraction:friction".to_owned())
}
