//! Where results go if nothing is said.

use crate::failure::{Exit, Failure};
use std::path::{Path, PathBuf};

/// A folder of this name in another one, which may come from people one does not know: a link in its place, which would lead
/// elsewhere, is refused.
pub fn inside(folder: &Path, name: &str) -> Result<PathBuf, Failure> {
    let path = folder.join(name);
    if path.is_symlink() {
        let message = format!("{} is a link and is not written through; choose a folder with --out", path.display());
        return Err(Failure::new(Exit::BadInput, message));
    }
    Ok(path)
}
