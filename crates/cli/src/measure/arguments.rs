//! The options of `riprap measure` and `riprap picture`.

use crate::arguments::{parse_look, parse_positive, parse_size};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use riprap_measure::picture::Shade;
use riprap_measure::report::{Choices, What, Where};
use riprap_measure::{ForceOptions, Region};
use riprap_view::Look;
use std::path::{Path, PathBuf};

/// What to measure, and how.
#[derive(Args, Debug)]
pub struct MeasureChoices {
    /// Measurements to make (default: see below)
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', value_parser = parse_asked)]
    pub what: Vec<Asked>,
    /// Region to measure: a box such as x=0:0.1,y=0.02:0.08 (axes may be omitted), or `inner=N`, which leaves out a margin
    /// of N mean diameters at the sides of the packing (default: everywhere)
    #[arg(long, value_name = "REGION", value_parser = parse_region)]
    pub region: Option<Where>,
    /// Output folder (default: measure, in the run folder or next to the snapshot)
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print the results as JSON
    #[arg(long)]
    pub json: bool,
    /// Draw plots in these formats
    #[arg(long, value_name = "svg,png", value_delimiter = ',')]
    pub plots: Vec<PlotFormat>,
    /// Write tables and plots for every snapshot, not just the last
    #[arg(long)]
    pub every: bool,
    /// Reference snapshot for strain and displacements
    #[arg(long, value_name = "first|previous", default_value = "first")]
    pub since: Reference,
    /// Force scale in N that forces are divided by (default: their mean magnitude)
    #[arg(long, value_name = "N", value_parser = parse_positive)]
    pub force_scale: Option<f64>,
    /// Range in which the exponential force tail is fitted, in units of the force scale; TO may be `inf`
    #[arg(long, value_name = "FROM:TO", default_value = "1:inf", value_parser = parse_range)]
    pub tail: [f64; 2],
    /// Range in which the power law of weak forces is fitted, in units of the force scale
    #[arg(long, value_name = "FROM:TO", default_value = "0.01:0.5", value_parser = parse_range)]
    pub weak: [f64; 2],
    /// Pressure scale in Pa that particle pressures are divided by (default: their mean magnitude)
    #[arg(long, value_name = "Pa", value_parser = parse_positive)]
    pub pressure_scale: Option<f64>,
    /// Axis of profiles, and symmetry axis of the fabric in 3D (default: along gravity for profiles, found from the forces
    /// for the fabric)
    #[arg(long, value_name = "x|y|z")]
    pub axis: Option<AxisName>,
}

impl MeasureChoices {
    /// The choices as the measurements know them.
    pub fn choices(&self) -> Choices {
        let unit = |axis: usize| std::array::from_fn(|i| if i == axis { 1.0 } else { 0.0 });
        Choices {
            region: self.region.unwrap_or(Where::Whole),
            forces: ForceOptions {
                scale: self.force_scale,
                tail: self.tail,
                weak: self.weak,
                ..ForceOptions::default()
            },
            pressure_scale: self.pressure_scale,
            profile_axis: self.axis.map(|axis| axis as usize),
            fabric_axis: self.axis.map(|axis| unit(axis as usize)),
        }
    }
}

/// How a picture is drawn.
#[derive(Args, Debug)]
pub struct PictureChoices {
    /// File to write, .png or .svg (default: the snapshot's name with .png)
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Draw the whole packing as `riprap view` does, shaded and in perspective; ADDRESS, the part of the viewer's address after
    /// the #, sets camera, colours, contacts and cuts
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, default_missing_value = "", value_parser = parse_look,
          conflicts_with_all = ["forces", "colour", "axes", "slice", "region", "width", "title"])]
    pub look: Option<Look>,
    /// Width and height in pixels of a picture with --look
    #[arg(long, value_name = "WxH", default_value = "1280x960", requires = "look", value_parser = parse_size)]
    pub size: [usize; 2],
    /// Draw contact forces as lines between centres, with width proportional to the force
    #[arg(long)]
    pub forces: bool,
    /// What to colour grains by
    #[arg(long, value_name = "FIELD", default_value = "plain", value_parser = shades())]
    pub colour: Shade,
    /// Earlier snapshot from which displacements and rotations are taken
    #[arg(long, value_name = "SNAPSHOT")]
    pub since: Option<PathBuf>,
    /// Axes that point right and up (default: xy in 2D, xz in 3D)
    #[arg(long, value_name = "xy|xz|yz|…", value_parser = parse_axes)]
    pub axes: Option<[usize; 2]>,
    /// In 3D, position and thickness of the slice along the third axis, in m (default: mid-plane, three diameters)
    #[arg(long, value_name = "MIDDLE:THICKNESS", value_parser = parse_slice)]
    pub slice: Option<[f64; 2]>,
    /// Region to show: a box or `inner=N`, as for `riprap measure`
    #[arg(long, value_name = "REGION", value_parser = parse_region)]
    pub region: Option<Where>,
    /// Width of the picture in points; a PNG has two pixels per point
    #[arg(long, value_name = "POINTS", default_value = "520", value_parser = parse_width)]
    pub width: f64,
    /// Title above the picture
    #[arg(long)]
    pub title: Option<String>,
}

/// Measurements that `riprap measure` can make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// A measurement of a snapshot.
    Of(What),
    /// The history of a run's steps.
    History,
    /// The curves of a loading test.
    Loading,
    /// The spread of solutions from random initial forces, at a run's last checkpoint.
    Spread,
    /// Pictures of the last snapshot.
    Pictures,
}

impl Asked {
    /// Its name.
    pub fn word(self) -> &'static str {
        match self {
            Asked::Of(what) => what.word(),
            Asked::History => "history",
            Asked::Loading => "loading",
            Asked::Spread => "spread",
            Asked::Pictures => "pictures",
        }
    }
}

/// Which snapshot the later ones are compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Reference {
    /// The first one.
    First,
    /// The one before.
    Previous,
}

/// The formats of plots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PlotFormat {
    /// Vector graphics
    Svg,
    /// Bitmap
    Png,
}

impl PlotFormat {
    /// The ending of its files.
    pub fn ending(self) -> &'static str {
        match self {
            PlotFormat::Svg => "svg",
            PlotFormat::Png => "png",
        }
    }

    /// The format given by a file extension.
    pub fn of_path(path: &Path) -> Option<PlotFormat> {
        let ending = path.extension()?.to_str()?.to_lowercase();
        [PlotFormat::Svg, PlotFormat::Png].into_iter().find(|format| format.ending() == ending)
    }
}

/// An axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AxisName {
    /// The first.
    X,
    /// The second.
    Y,
    /// The third.
    Z,
}

/// What grains are coloured by, by its word.
fn shades() -> impl TypedValueParser<Value = Shade> {
    PossibleValuesParser::new(Shade::ALL.map(|shade| PossibleValue::new(shade.word()).help(shade.about())))
        .map(|word| Shade::from_word(&word).expect("only words of shades are possible"))
}

/// A measurement by its name.
pub fn parse_asked(word: &str) -> Result<Asked, String> {
    let others = [Asked::History, Asked::Loading, Asked::Spread, Asked::Pictures];
    let known = || What::ALL.into_iter().map(Asked::Of).chain(others);
    known().find(|asked| asked.word() == word).ok_or_else(|| {
        format!("unknown measurement; expected one of {}", known().map(Asked::word).collect::<Vec<_>>().join(", "))
    })
}

fn parse_number(text: &str) -> Result<f64, String> {
    text.trim().parse().map_err(|_| format!("expected a number, found {text:?}"))
}

fn parse_width(text: &str) -> Result<f64, String> {
    let value = parse_number(text)?;
    if (150.0..=5000.0).contains(&value) { Ok(value) } else { Err("expected 150 to 5000 points".into()) }
}

/// Two numbers with a colon between them, the second larger.
fn parse_range(text: &str) -> Result<[f64; 2], String> {
    let (low, high) = text.split_once(':').ok_or("expected FROM:TO, for example 1:5")?;
    let range = [parse_number(low)?, parse_number(high)?];
    if range[0] < range[1] && range[0] >= 0.0 { Ok(range) } else { Err("expected 0 ≤ FROM < TO".into()) }
}

fn parse_slice(text: &str) -> Result<[f64; 2], String> {
    let (middle, thickness) = text.split_once(':').ok_or("expected MIDDLE:THICKNESS, for example 0.01:0.003")?;
    Ok([parse_number(middle)?, parse_positive(thickness)?])
}

fn parse_axes(text: &str) -> Result<[usize; 2], String> {
    let axis = |letter: char| "xyz".find(letter);
    let letters: Vec<usize> = text.chars().filter_map(axis).collect();
    match letters[..] {
        [right, up] if right != up && text.len() == 2 => Ok([right, up]),
        _ => Err("expected two different axes, for example xz".into()),
    }
}

/// A box by its axes, or `inner=N`.
fn parse_region(text: &str) -> Result<Where, String> {
    if let Some(distance) = text.strip_prefix("inner=") {
        return parse_positive(distance).map(Where::Inner);
    }
    let mut region = Region::new([f64::NEG_INFINITY; 3], [f64::INFINITY; 3]);
    for part in text.split(',') {
        let wrong = || format!("expected a range along an axis such as x=0:0.1, found {part:?}");
        let (name, ends) = part.split_once('=').ok_or_else(wrong)?;
        let axis = ["x", "y", "z"].iter().position(|known| *known == name.trim()).ok_or_else(wrong)?;
        let (low, high) = ends.split_once(':').ok_or_else(wrong)?;
        (region.low[axis], region.high[axis]) = (parse_number(low)?, parse_number(high)?);
        if region.low[axis].is_nan() || region.low[axis] >= region.high[axis] {
            return Err(format!("the range along {name} is empty: its lower end must be below its upper end"));
        }
    }
    Ok(Where::Box(region))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_ranges_and_names_are_read_or_refused() {
        assert_eq!(parse_region("inner=3").unwrap(), Where::Inner(3.0));
        let Where::Box(region) = parse_region("y=0.02:0.08").unwrap() else { panic!() };
        assert_eq!((region.low[1], region.high[1]), (0.02, 0.08));
        assert!(region.low[0].is_infinite());
        for wrong in ["", "x", "x=3", "x=2:1", "w=0:1", "x=a:b", "inner=-1"] {
            assert!(parse_region(wrong).is_err(), "{wrong}");
        }
        assert_eq!(parse_range("1:inf").unwrap(), [1.0, f64::INFINITY]);
        assert!(parse_range("2:1").is_err() && parse_range("1").is_err());
        assert_eq!(parse_axes("xz").unwrap(), [0, 2]);
        assert!(parse_axes("xx").is_err() && parse_axes("xyz").is_err() && parse_axes("aé").is_err());
        assert!(parse_asked("force").unwrap_err().contains("forces, networks"));
    }
}
