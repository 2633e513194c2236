//! A movie of a run.

use crate::failure::{Exit, Failure};
use crate::screen::{say, tell};
use indicatif::{ProgressBar, ProgressStyle};
use riprap_run::RunFolder;
use riprap_store::read_snapshot;
use riprap_view::{Look, Movie, MovieFormat};
use std::path::{Path, PathBuf};

/// Draws the snapshots of a run into a movie.
pub fn movie(run: &Path, out: &Path, speed: u16, size: [usize; 2], look: &Look) -> Result<(), Failure> {
    let bad = |reason: String| Failure::new(Exit::BadInput, reason);
    MovieFormat::of_path(out).map_err(bad)?;
    let folder = RunFolder::existing(run)?;
    let files = whole_files(&folder)?;
    if files.is_empty() {
        return Err(Failure::new(Exit::Unreadable, format!("{} has no snapshots that can be read", run.display())));
    }
    let bar = ProgressBar::new(files.len() as u64).with_style(
        ProgressStyle::with_template("{bar:40} {pos} of {len} pictures, {eta} left")
            .unwrap_or_else(|_| ProgressStyle::default_bar()),
    );
    let film = Movie {
        look,
        size,
        speed,
        count: files.len(),
        read: &mut |k| read_snapshot(&files[k]).map_err(|error| error.to_string()),
        drawn: &mut |_| bar.inc(1),
    };
    film.write(out).map_err(|reason| Failure::new(Exit::Incomplete, reason))?;
    bar.finish_and_clear();
    say(format_args!("wrote {} ({} pictures)", out.display(), files.len()));
    Ok(())
}

/// The files of all snapshots that can be read; the others are told, and skipped.
fn whole_files(folder: &RunFolder) -> Result<Vec<PathBuf>, Failure> {
    let files = folder.listed_snapshots()?.into_iter().filter_map(|snapshot| snapshot.fullest_file(folder));
    let is_whole =
        |file: &PathBuf| read_snapshot(file).map_err(|error| tell(format_args!("warning: skipped: {error}"))).is_ok();
    Ok(files.filter(is_whole).collect())
}
