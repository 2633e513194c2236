//! Draws a picture of a snapshot.

use crate::failure::{Exit, Failure};
use crate::measure::arguments::{PictureChoices, PlotFormat};
use crate::measure::write_plot;
use crate::screen::say;
use riprap_measure::Packing;
use riprap_measure::picture::Picture;
use riprap_run::RunFolder;
use riprap_store::{read_snapshot, write_atomically};
use riprap_view::{Look, Settings, render};
use std::path::{Path, PathBuf};

/// Draws the picture of a snapshot, or of the last one of a run, into a file whose ending tells the format.
pub fn picture(path: &Path, choices: &PictureChoices) -> Result<(), Failure> {
    let snapshot = &if path.is_dir() { last_snapshot(path)? } else { path.to_owned() };
    if let Some(look) = &choices.look {
        return shaded(snapshot, look, choices);
    }
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
        ..plain
    };
    let drawing = picture.draw(&packing, earlier.as_ref()).map_err(unable)?;
    write_plot(&drawing, format, &out)?;
    say(format_args!("wrote {}", out.display()));
    Ok(())
}

/// The file of the last snapshot of a run.
fn last_snapshot(run: &Path) -> Result<PathBuf, Failure> {
    let folder = RunFolder::existing(run)?;
    let last = folder.listed_snapshots()?.last().and_then(|listed| listed.fullest_file(&folder));
    last.ok_or_else(|| Failure::new(Exit::Unreadable, format!("{} has no snapshots yet", run.display())))
}

/// The whole packing, shaded and in perspective.
fn shaded(file: &Path, look: &Look, choices: &PictureChoices) -> Result<(), Failure> {
    let open = |file: &Path| read_snapshot(file).map_err(|error| Failure::new(Exit::Unreadable, error.to_string()));
    let out = choices
        .out
        .clone()
        .unwrap_or_else(|| PathBuf::from(file.file_stem().unwrap_or_default()).with_extension("png"));
    if PlotFormat::of_path(&out) != Some(PlotFormat::Png) {
        return Err(Failure::new(
            Exit::BadInput,
            format!("{} must end in .png: a shaded picture is made of pixels", out.display()),
        ));
    }
    let snapshot = open(file)?;
    let since = choices.since.as_deref().map(open).transpose()?.unwrap_or_else(|| snapshot.clone());
    let unable = |reason: String| Failure::new(Exit::Incomplete, format!("cannot draw {}: {reason}", file.display()));
    let settings = Settings::of(look, &[&snapshot], choices.size).map_err(unable)?;
    let image = render(&snapshot, &since, look, &settings).map_err(unable)?;
    write_atomically(&out, |to| to.write_all(&image.png()))
        .map_err(|error| Failure::new(Exit::Unwritable, error.to_string()))?;
    say(format_args!("wrote {}", out.display()));
    Ok(())
}

fn read(file: &Path) -> Result<Packing, Failure> {
    if !file.is_file() {
        return Err(Failure::new(Exit::Unreadable, format!("snapshot {} does not exist", file.display())));
    }
    Ok(riprap_run::read_packing(file)?)
}
