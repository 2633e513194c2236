//! The formats of snapshots, by name and by the ending of a file.

use crate::{Snapshot, StoreError, csv, hdf5, lammps, vtp, xyz};
use riprap_engine::GrainTable;
use std::path::{Path, PathBuf};

/// A format that snapshots are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// HDF5: everything in one file, for h5py and for export.
    Hdf5,
    /// VTK XML PolyData, for ParaView and OVITO: grains, contacts and walls in a file each, and grains that are not
    /// balls as the polygons of their faces in a fourth.
    Vtp,
    /// Extended XYZ, for OVITO and ASE: grains, and contacts beside them as a LAMMPS dump local.
    Xyz,
    /// Text dump of LAMMPS: grains, and contacts beside them as a dump local.
    LammpsDump,
    /// Data file of LAMMPS, atom style sphere: grains.
    LammpsData,
    /// Comma separated values: grains, contacts and walls in a file each.
    Csv,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 6] =
        [Format::Hdf5, Format::Vtp, Format::Xyz, Format::LammpsDump, Format::LammpsData, Format::Csv];

    /// The name by which scenes and commands know it.
    pub fn name(self) -> &'static str {
        match self {
            Format::Hdf5 => "hdf5",
            Format::Vtp => "vtp",
            Format::Xyz => "xyz",
            Format::LammpsDump => "lammps-dump",
            Format::LammpsData => "lammps-data",
            Format::Csv => "csv",
        }
    }

    /// The endings of its files; the first is the one that we write.
    pub fn endings(self) -> &'static [&'static str] {
        match self {
            Format::Hdf5 => &["h5", "hdf5"],
            Format::Vtp => &["vtp"],
            Format::Xyz => &["xyz", "extxyz"],
            Format::LammpsDump => &["dump", "lammpstrj"],
            Format::LammpsData => &["data", "lmp"],
            Format::Csv => &["csv"],
        }
    }

    /// The format of that name.
    pub fn from_name(name: &str) -> Result<Format, StoreError> {
        Self::ALL.into_iter().find(|format| format.name() == name).ok_or_else(|| unknown(name))
    }

    /// The format that the ending of `path` tells.
    pub fn from_path(path: &Path) -> Result<Format, StoreError> {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_lowercase();
        Self::ALL
            .into_iter()
            .find(|format| format.endings().contains(&ending.as_str()))
            .ok_or_else(|| unknown(&path.display().to_string()))
    }
}

fn unknown(name: &str) -> StoreError {
    let known: Vec<String> =
        Format::ALL.iter().map(|format| format!("{} (.{})", format.name(), format.endings().join(", ."))).collect();
    StoreError::UnknownFormat { name: name.into(), known: known.join(", ") }
}

/// Writes `snapshot` to files whose names begin with `stem` (a path without ending; a number at its end stays at the
/// end, so that viewers see a series) and returns their paths, grains first.
pub fn write_snapshot(snapshot: &Snapshot, format: Format, stem: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let ending = format.endings()[0];
    let whole = named(stem, None, ending);
    let part = |role| named(stem, Some(role), ending);
    match format {
        Format::Hdf5 => hdf5::write(snapshot, &whole).map(|()| vec![whole]),
        Format::Vtp => {
            let paths = ["grains", "contacts", "walls"].map(part);
            vtp::write_grains(snapshot, &paths[0])?;
            vtp::write_contacts(snapshot, &paths[1])?;
            vtp::write_walls(snapshot, &paths[2])?;
            let mut paths = Vec::from(paths);
            if !snapshot.grains.form.is_empty() {
                paths.push(part("bodies"));
                vtp::write_bodies(snapshot, &paths[3])?;
            }
            Ok(paths)
        }
        Format::Xyz => {
            let contacts = named(stem, Some("contacts"), "dump");
            xyz::write(snapshot, &whole)?;
            lammps::write_contacts(snapshot, &contacts)?;
            Ok(vec![whole, contacts])
        }
        Format::LammpsDump => {
            lammps::write_dump(snapshot, &whole)?;
            lammps::write_contacts(snapshot, &part("contacts"))?;
            Ok(vec![whole, part("contacts")])
        }
        Format::LammpsData => lammps::write_data(snapshot, &whole).map(|()| vec![whole]),
        Format::Csv => {
            let paths = ["grains", "contacts", "walls"].map(part);
            csv::write_grains(snapshot, &paths[0])?;
            csv::write_contacts(snapshot, &paths[1])?;
            csv::write_walls(snapshot, &paths[2])?;
            Ok(paths.into())
        }
    }
}

/// Reads a snapshot: all of it from HDF5; grains and contacts from VTP (by the path of the grains); grains from the
/// other formats. Of several frames in one text file the last is taken.
pub fn read_snapshot(path: &Path) -> Result<Snapshot, StoreError> {
    match Format::from_path(path)? {
        Format::Hdf5 => hdf5::read(path),
        Format::Vtp => vtp::read(path),
        Format::Xyz => xyz::read(path),
        Format::LammpsDump => lammps::read_dump(path),
        Format::LammpsData => lammps::read_data(path),
        Format::Csv => csv::read(path),
    }
}

/// Reads grains as a sample for a run, from any format of snapshots.
pub fn read_grains(path: &Path) -> Result<GrainTable, StoreError> {
    read_snapshot(path).map(|snapshot| snapshot.grain_table())
}

/// `stem` with the role of the file in front of its number, and the ending.
fn named(stem: &Path, role: Option<&str>, ending: &str) -> PathBuf {
    let name = stem.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let words = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = &name[words.len()..];
    let words = words.trim_end_matches(['_', '-', '.']);
    let parts: Vec<&str> =
        [words, role.unwrap_or_default(), number].into_iter().filter(|part| !part.is_empty()).collect();
    let whole = if role.is_some() { parts.join("_") } else { name.clone() };
    stem.with_file_name(format!("{whole}.{ending}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_known_by_name_and_ending() {
        for format in Format::ALL {
            assert_eq!(Format::from_name(format.name()).unwrap(), format);
            for ending in format.endings() {
                assert_eq!(Format::from_path(Path::new(&format!("a.b.{}", ending.to_uppercase()))).unwrap(), format);
            }
        }
        assert!(Format::from_name("vtk").unwrap_err().to_string().contains("vtp (.vtp)"));
    }

    #[test]
    fn a_number_stays_at_the_end_of_the_name() {
        let name = |stem: &str, role| named(Path::new(stem), role, "vtp").display().to_string();
        assert_eq!(name("out/snapshot_0012", Some("grains")), "out/snapshot_grains_0012.vtp");
        assert_eq!(name("out/0012", Some("grains")), "out/grains_0012.vtp");
        assert_eq!(name("heap", Some("grains")), "heap_grains.vtp");
        assert_eq!(name("snapshot_0012", None), "snapshot_0012.vtp");
        assert_eq!(name("run.v2", None), "run.v2.vtp");
    }
}
