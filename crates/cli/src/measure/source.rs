//! Where packings come from: files of snapshots.

use crate::failure::{Exit, Failure};
use crate::target;
use riprap_run::RunFolder;
use std::path::{Path, PathBuf};

/// The files with the snapshots of runs and files, in order. A run stands for all of its snapshots, also those that it
/// has lost: they are named when they cannot be read.
pub fn sources(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut sources = Vec::new();
    for path in paths {
        if !path.is_dir() {
            if !path.exists() {
                return Err(Failure::new(Exit::Unreadable, format!("{} does not exist", path.display())));
            }
            sources.push(path.clone());
            continue;
        }
        let folder = RunFolder::existing(path)?;
        let listed = folder.listed_snapshots()?;
        if listed.is_empty() {
            return Err(Failure::new(Exit::Unreadable, format!("{} has no snapshots", path.display())));
        }
        sources.extend(listed.iter().map(|snapshot| {
            let lost = || folder.snapshots().join(format!("snapshot_{:09}.h5", snapshot.step));
            snapshot.fullest_file(&folder).unwrap_or_else(lost)
        }));
    }
    Ok(sources)
}

/// Where results go if nothing is said: into the run, or beside the snapshot.
pub fn default_target(path: &Path) -> Result<PathBuf, Failure> {
    target::inside(if path.is_dir() { path } else { path.parent().unwrap_or(Path::new("")) }, "measure")
}
