//! Draws a picture of a snapshot.

use crate::failure::{Exit, Failure};
use crate::measure::arguments::{PictureChoices, PlotFormat};
use crate::measure::write_plot;
use crate::screen::say;
use riprap_measure::Packing;
use riprap_measure::picture::Picture;
use std::path::{Path, PathBuf};

/// Draws the picture of a snapshot into a file, whose ending tells the format.
pub fn picture(snapshot: &Path, choices: &PictureChoices) -> Result<(), Failure> {
    let packing = read(snapshot)?;
    let out = choices
        .out
        .clone()
        .unwrap_or_else(|| PathBuf::from(snapshot.file_stem().unwrap_or_default()).with_extension("png"));
    let format = PlotFormat::of_path(&out)
        .ok_or_else(|| Failure::new(Exit::BadInput, format!("{} must end in .svg or .png", out.display())))?;
    let earlier = choices.since.as_deref().map(read).transpose()?;
    let unable = |why: riprap_measure::Unavailable| {
        Failure::new(Exit::Incomplete, format!("cannot draw {}: {why}", snapshot.display()))
    };
    let region = choices.region.map(|region| region.region(&packing)).transpose().map_err(unable)?.flatten();
    let plain = Picture::new(packing.dimension);
    let picture = Picture {
        grains: choices.colour,
        forces: choices.forces,
        axes: choices.axes.unwrap_or(plain.axes),
        slice: choices.slice,
        region,
        width: choices.width,
        title: choices.title.clone().unwrap_or_default(),
    };
    let drawing = picture.draw(&packing, earlier.as_ref()).map_err(unable)?;
    write_plot(&drawing, format, &out)?;
    say(format_args!("wrote {}", out.display()));
    Ok(())
}

fn read(file: &Path) -> Result<Packing, Failure> {
    if !file.is_file() {
        return Err(Failure::new(Exit::Unreadable, format!("snapshot {} does not exist", file.display())));
    }
    Ok(riprap_run::read_packing(file)?)
}
