//! The snapshots of a run: their names, and the list of them in `snapshots.csv`.

use crate::error::RunError;
use crate::folder::RunFolder;
use riprap_store::Format;
use std::path::{Path, PathBuf};

/// The columns of `snapshots.csv`.
pub(crate) const LIST_COLUMNS: [&str; 3] = ["step", "time_s", "file"];

/// A snapshot in the list of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ListedSnapshot {
    /// The step that it was taken after.
    pub step: u64,
    /// The time.
    pub time: f64,
}

impl ListedSnapshot {
    /// The file of this snapshot that holds most of it; `None` if there is none.
    pub fn fullest_file(&self, folder: &RunFolder) -> Option<PathBuf> {
        let stem = folder.snapshots().join(stem_name(self.step));
        Format::ALL.iter().map(|format| format.main_file(&stem)).find(|path| path.is_file())
    }
}

/// The name of a snapshot's files, without what comes before and after.
pub(crate) fn stem_name(step: u64) -> String {
    format!("snapshot_{step:09}")
}

/// The snapshots in a list, in order.
pub(crate) fn listed(list: &Path) -> Result<Vec<ListedSnapshot>, RunError> {
    let text = std::fs::read_to_string(list).map_err(RunError::read(list))?;
    let listed = |line: &str| {
        let (step, rest) = line.split_once(',')?;
        let (time, _) = rest.split_once(',')?;
        Some(ListedSnapshot { step: step.parse().ok()?, time: time.parse().ok()? })
    };
    Ok(text.lines().skip(1).filter_map(listed).collect())
}
