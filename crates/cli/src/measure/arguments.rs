//! The options of `riprap measure` and `riprap picture`.

use crate::arguments::parse_positive;
use clap::{Args, ValueEnum};
use riprap_measure::picture::Shade;
use riprap_measure::report::{Choices, What, Where};
use riprap_measure::{ForceOptions, Region};
use std::path::{Path, PathBuf};

/// What to measure, and how.
#[derive(Args, Debug)]
pub struct MeasureChoices {
    /// Which measurements, by name (default: see below)
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', value_parser = parse_asked)]
    pub what: Vec<Asked>,
    /// Where: a box such as x=0:0.1,y=0.02:0.08 (axes may be left out), or `inner=N`, which is N mean diameters away
    /// from the sides of the packing (default: everywhere)
    #[arg(long, value_name = "REGION", value_parser = parse_region)]
    pub region: Option<Where>,
    /// The folder for the results (default: measure, in the run folder or beside the snapshot)
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print everything as JSON
    #[arg(long)]
    pub json: bool,
    /// Draw plots, in these formats
    #[arg(long, value_name = "svg,png", value_delimiter = ',')]
    pub plots: Vec<PlotFormat>,
    /// Write tables and plots of every snapshot, not of the last one only
    #[arg(long)]
    pub every: bool,
    /// Which snapshot the later ones are compared with
    #[arg(long, value_name = "first|previous", default_value = "first")]
    pub since: Reference,
    /// Divide forces by this many newtons (default: their mean magnitude)
    #[arg(long, value_name = "N", value_parser = parse_positive)]
    pub force_scale: Option<f64>,
    /// Where the exponential tail of forces is fitted, over the scale; `inf` has no end
    #[arg(long, value_name = "FROM:TO", default_value = "1:inf", value_parser = parse_range)]
    pub tail: [f64; 2],
    /// Where the power law of weak forces is fitted, over the scale
    #[arg(long, value_name = "FROM:TO", default_value = "0.01:0.5", value_parser = parse_range)]
    pub weak: [f64; 2],
    /// Divide particle pressures by this many pascals (default: their mean magnitude)
    #[arg(long, value_name = "Pa", value_parser = parse_positive)]
    pub pressure_scale: Option<f64>,
    /// The axis of profiles, and of symmetry of the fabric in 3D (default: gravity's, and found from the forces)
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
    /// The file to write, .png or .svg (default: NAME of the snapshot, .png)
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Draw forces as lines from centre to centre, their width by the force
    #[arg(long)]
    pub forces: bool,
    /// How grains are coloured
    #[arg(long, value_name = "FIELD", default_value = "plain")]
    pub colour: ColourName,
    /// The earlier snapshot that displacements and rotations are since
    #[arg(long, value_name = "SNAPSHOT")]
    pub since: Option<PathBuf>,
    /// The axes to the right and upwards (default: xy in 2D, xz in 3D)
    #[arg(long, value_name = "xy|xz|yz|…", value_parser = parse_axes)]
    pub axes: Option<[usize; 2]>,
    /// In 3D, middle and thickness of the slice along the third axis, in m (default: the middle, three diameters)
    #[arg(long, value_name = "MIDDLE:THICKNESS", value_parser = parse_slice)]
    pub slice: Option<[f64; 2]>,
    /// What to show: a box or `inner=N`, as for measure
    #[arg(long, value_name = "REGION", value_parser = parse_region)]
    pub region: Option<Where>,
    /// Width of the picture in points; a PNG has two pixels to the point
    #[arg(long, value_name = "POINTS", default_value = "520", value_parser = parse_width)]
    pub width: f64,
    /// Written above the picture
    #[arg(long)]
    pub title: Option<String>,
}

/// What `riprap measure` can be asked for.
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
    /// Scalable, for documents
    Svg,
    /// Pixels, for everything
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

    /// The format that the ending of a file tells.
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

/// What grains are coloured by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ColourName {
    /// Nothing
    Plain,
    /// Speed
    Speed,
    /// Spin about the axis towards the eye
    Spin,
    /// Particle pressure
    Pressure,
    /// Sign of the particle pressure: positive black, negative white
    PressureSign,
    /// Displacement since an earlier snapshot
    Displacement,
    /// Rotation since an earlier snapshot
    Rotation,
}

impl From<ColourName> for Shade {
    fn from(name: ColourName) -> Self {
        match name {
            ColourName::Plain => Shade::Plain,
            ColourName::Speed => Shade::Speed,
            ColourName::Spin => Shade::Spin,
            ColourName::Pressure => Shade::Pressure,
            ColourName::PressureSign => Shade::PressureSign,
            ColourName::Displacement => Shade::Displacement,
            ColourName::Rotation => Shade::Rotation,
        }
    }
}

fn parse_asked(word: &str) -> Result<Asked, String> {
    let others = [Asked::History, Asked::Loading, Asked::Spread, Asked::Pictures];
    let known = || What::ALL.into_iter().map(Asked::Of).chain(others);
    known().find(|asked| asked.word() == word).ok_or_else(|| {
        format!("no measurement has this name; known are {}", known().map(Asked::word).collect::<Vec<_>>().join(", "))
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
        _ => Err("expected two different letters of x, y and z".into()),
    }
}

/// A box by its axes, or `inner=N`.
fn parse_region(text: &str) -> Result<Where, String> {
    if let Some(distance) = text.strip_prefix("inner=") {
        return parse_positive(distance).map(Where::Inner);
    }
    let mut region = Region::new([f64::NEG_INFINITY; 3], [f64::INFINITY; 3]);
    for part in text.split(',') {
        let wrong = || format!("expected an axis with its ends, for example x=0:0.1, found {part:?}");
        let (name, ends) = part.split_once('=').ok_or_else(wrong)?;
        let axis = ["x", "y", "z"].iter().position(|known| *known == name.trim()).ok_or_else(wrong)?;
        let (low, high) = ends.split_once(':').ok_or_else(wrong)?;
        (region.low[axis], region.high[axis]) = (parse_number(low)?, parse_number(high)?);
        if region.low[axis].is_nan() || region.low[axis] >= region.high[axis] {
            return Err(format!("the ends of {name} are not in order"));
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
