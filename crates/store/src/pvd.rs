//! The index of a series of VTK files with their times, which ParaView opens as an animation.

use crate::{StoreError, write_atomically};
use std::path::{Path, PathBuf};

/// A `.pvd` file: which `.vtp` file shows which time.
#[derive(Debug)]
pub struct PvdSeries {
    path: PathBuf,
    entries: Vec<(f64, String)>,
}

impl PvdSeries {
    /// The series of that file, empty if there is none. A run that goes on from an earlier time takes up the entries
    /// up to that `time`; later ones belong to a future that will be written anew.
    pub fn open(path: &Path, time: f64) -> Result<Self, StoreError> {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(source) => return Err(StoreError::Read { path: path.into(), source }),
        };
        let attribute = |line: &str, name: &str| {
            let (_, value) = line.split_once(&format!("{name}=\""))?;
            value.split_once('"').map(|(value, _)| value.to_owned())
        };
        let entries = text
            .lines()
            .filter_map(|line| Some((attribute(line, "timestep")?.parse().ok()?, attribute(line, "file")?)))
            .filter(|&(at, _)| at <= time)
            .collect();
        Ok(PvdSeries { path: path.into(), entries })
    }

    /// Adds a file at a time, in place of an older entry for the same file, and writes the index anew.
    pub fn push(&mut self, time: f64, file: &Path) -> Result<(), StoreError> {
        let folder = self.path.parent().unwrap_or(Path::new(""));
        let name = file.strip_prefix(folder).unwrap_or(file).to_string_lossy().replace('\\', "/");
        self.entries.retain(|(_, other)| *other != name);
        self.entries.push((time, name));
        write_atomically(&self.path, |out| {
            writeln!(out, "<?xml version=\"1.0\"?>")?;
            writeln!(out, "<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n<Collection>")?;
            for (time, name) in &self.entries {
                writeln!(out, "<DataSet timestep=\"{time:e}\" group=\"\" part=\"0\" file=\"{name}\"/>")?;
            }
            writeln!(out, "</Collection>\n</VTKFile>")
        })
    }

    /// The times and files, in the order in which they were added.
    pub fn entries(&self) -> &[(f64, String)] {
        &self.entries
    }
}
