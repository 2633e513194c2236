//! Files that are written whole or not at all.

use crate::StoreError;
use crate::disk::{self, DiskFile};
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Writes a file whole or not at all: what `write` produces goes to a temporary file in the same folder, which takes
/// the place of `path` only once it is safe on disk. After a failure, or a kill at any moment, `path` is what it was
/// before. The temporary file is removed on failure; one left by a kill is overwritten the next time.
pub fn write_atomically(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), StoreError> {
    let failed = |action| move |source| StoreError::Write { path: path.into(), action, source };
    let name = path.file_name().ok_or_else(|| {
        failed("choosing a name")(io::Error::new(io::ErrorKind::InvalidInput, "the path does not name a file"))
    })?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let temporary = folder.join(format!(".{}.partial", name.to_string_lossy()));

    let result = write_durably(&temporary, write)
        .map_err(|(action, source)| failed(action)(source))
        .and_then(|()| disk::rename(&temporary, path).map_err(failed("renaming the finished file")));
    if result.is_err() {
        // The first error is the one to report; a temporary file that cannot be removed changes nothing.
        let _ = disk::remove_file(&temporary);
    }
    result?;
    disk::sync_folder(folder).map_err(failed("flushing the folder to disk"))
}

fn write_durably(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), (&'static str, io::Error)> {
    let file = create_anew(path).map_err(|error| ("creating a temporary file", error))?;
    let mut buffered = BufWriter::with_capacity(1 << 18, file);
    write(&mut buffered).map_err(|error| ("writing", error))?;
    let file = buffered.into_inner().map_err(|error| ("writing", error.into_error()))?;
    file.sync().map_err(|error| ("flushing the file to disk", error))
}

/// A new file in the place of what a kill has left there. A link that someone put there is not followed.
fn create_anew(path: &Path) -> io::Result<DiskFile> {
    match disk::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => DiskFile::create_new(path),
    }
}
