//! Converts snapshots from one format to another.

use crate::failure::{Exit, Failure};
use crate::screen::say;
use crate::target;
use riprap_run::RunFolder;
use riprap_store::{Format, read_snapshot, write_snapshot};
use std::fs;
use std::path::{Path, PathBuf};

/// Converts a snapshot, or all snapshots of a run.
pub fn export(path: &Path, format: Format, out: Option<PathBuf>) -> Result<(), Failure> {
    let (sources, target) = if path.is_dir() {
        let folder = RunFolder::existing(path)?;
        let within = || target::inside(path, &format!("export-{}", format.word()));
        (snapshots_of(&folder)?, out.map_or_else(within, Ok)?)
    } else {
        let beside = path.parent().unwrap_or(Path::new("")).to_path_buf();
        (vec![path.to_path_buf()], out.unwrap_or(beside))
    };
    if !target.as_os_str().is_empty() {
        fs::create_dir_all(&target).map_err(|error| Failure::writing(&target, error))?;
    }
    let mut written = Vec::new();
    for source in &sources {
        let snapshot = read_snapshot(source).map_err(|error| Failure::new(Exit::Unreadable, error.to_string()))?;
        let stem = target.join(source.file_stem().unwrap_or_default());
        if stem.with_extension(format.word()) == *source {
            let message = format!("{} is already in this format; choose another folder with --out", source.display());
            return Err(Failure::new(Exit::BadInput, message));
        }
        written.extend(
            write_snapshot(&snapshot, format, &stem)
                .map_err(|error| Failure::new(Exit::Unwritable, error.to_string()))?,
        );
    }
    match written.as_slice() {
        [only] => say(format_args!("wrote {}", only.display())),
        files => say(format_args!("wrote {} files, the first of which is {}", files.len(), files[0].display())),
    }
    Ok(())
}

/// For each snapshot of a run the file that holds most of it.
fn snapshots_of(folder: &RunFolder) -> Result<Vec<PathBuf>, Failure> {
    let mut sources = Vec::new();
    for listed in folder.listed_snapshots()? {
        sources.push(listed.fullest_file(folder).ok_or_else(|| {
            let message =
                format!("{}: the files of the snapshot at step {} are missing", folder.path().display(), listed.step);
            Failure::new(Exit::Unreadable, message)
        })?);
    }
    if sources.is_empty() {
        let message = format!("{} has no snapshots", folder.path().display());
        return Err(Failure::new(Exit::Unreadable, message));
    }
    Ok(sources)
}
