//! The formats of snapshots, by their words and by the endings of files.

use crate::{Snapshot, StoreError, csv, hdf5, lammps, vtp, xyz};
use riprap_engine::GrainTable;
use std::path::{Path, PathBuf};

/// A format of snapshots. This is the only list of formats: scenes, commands and runs refer to them by
/// [`Format::word`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// HDF5: everything in one file, for h5py and for export.
    Hdf5,
    /// VTK XML PolyData, for ParaView and OVITO: grains, contacts and walls in a file each, and grains that are not
    /// balls as the polygons of their faces in a fourth; in 3D the balls of clumps are points in a fifth.
    Vtp,
    /// Comma separated values: grains, contacts and walls in a file each, and what the faces of walls carried in a fourth.
    Csv,
    /// Extended XYZ, for OVITO and ASE: grains, and contacts beside them as a LAMMPS dump local.
    Xyz,
    /// Text dump of LAMMPS: grains, and contacts beside them as a dump local.
    LammpsDump,
    /// Data file of LAMMPS, atom style sphere: grains.
    LammpsData,
}

impl Format {
    /// All formats, those first that keep most of a snapshot.
    pub const ALL: [Format; 6] =
        [Format::Hdf5, Format::Vtp, Format::Csv, Format::Xyz, Format::LammpsDump, Format::LammpsData];

    /// The word by which scenes and commands know it, which is also the ending of its files.
    pub fn word(self) -> &'static str {
        match self {
            Format::Hdf5 => "h5",
            Format::Vtp => "vtp",
            Format::Csv => "csv",
            Format::Xyz => "xyz",
            Format::LammpsDump => "dump",
            Format::LammpsData => "data",
        }
    }

    /// Other words for the same format, and other endings of its files.
    pub fn aliases(self) -> &'static [&'static str] {
        match self {
            Format::Hdf5 => &["hdf5"],
            Format::Vtp | Format::Csv => &[],
            Format::Xyz => &["extxyz"],
            Format::LammpsDump => &["lammps-dump", "lammpstrj"],
            Format::LammpsData => &["lammps-data", "lmp"],
        }
    }

    /// What it is and which programs read it, in one line.
    pub fn about(self) -> &'static str {
        match self {
            Format::Hdf5 => "HDF5: h5py, Julia, MATLAB; complete",
            Format::Vtp => "VTK XML: ParaView, VisIt, PyVista",
            Format::Csv => "Comma-separated values: spreadsheets, numpy, pandas",
            Format::Xyz => "Extended XYZ: OVITO, ASE",
            Format::LammpsDump => "LAMMPS dump: OVITO, MDAnalysis",
            Format::LammpsData => "LAMMPS data file: input of a LAMMPS run",
        }
    }

    /// How to open the snapshots of a run.
    pub fn advice(self) -> &'static str {
        match self {
            Format::Hdf5 => "open in Python with h5py",
            Format::Vtp => {
                "open in ParaView (grains: Glyph or Point Gaussian, scaled by radius; angular grains: bodies.pvd, clumps: balls.pvd)"
            }
            Format::Csv => "open in a spreadsheet or numpy",
            Format::Xyz | Format::LammpsDump => "open in OVITO",
            Format::LammpsData => "read into LAMMPS with read_data",
        }
    }

    /// True if [`read_snapshot`] finds contacts in its files.
    pub fn keeps_contacts(self) -> bool {
        matches!(self, Format::Hdf5 | Format::Vtp)
    }

    /// The format that a word or its alias means.
    pub fn from_word(word: &str) -> Result<Format, StoreError> {
        let means = |format: &Format| format.word() == word || format.aliases().contains(&word);
        Self::ALL.into_iter().find(means).ok_or_else(|| unknown(word))
    }

    /// The format given by the ending of `path`.
    pub fn from_path(path: &Path) -> Result<Format, StoreError> {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_lowercase();
        Format::from_word(&ending).map_err(|_| unknown(&path.display().to_string()))
    }

    /// The file by which a snapshot is read that [`write_snapshot`] wrote: that of the grains.
    pub fn main_file(self, stem: &Path) -> PathBuf {
        let role = matches!(self, Format::Vtp | Format::Csv).then_some("grains");
        named(stem, role, self.word())
    }
}

fn unknown(name: &str) -> StoreError {
    let words = |format: &Format| -> Vec<&str> {
        std::iter::once(format.word()).chain(format.aliases().iter().copied()).collect()
    };
    let known: Vec<String> = Format::ALL.iter().map(|format| words(format).join(" or ")).collect();
    StoreError::UnknownFormat { name: name.into(), known: known.join(", ") }
}

/// Writes `snapshot` to files whose names begin with `stem` (a path without ending; a number at its end stays at the
/// end, so that viewers see a series) and returns their paths, grains first.
pub fn write_snapshot(snapshot: &Snapshot, format: Format, stem: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let whole = named(stem, None, format.word());
    let part = |role| named(stem, Some(role), format.word());
    match format {
        Format::Hdf5 => hdf5::write(snapshot, &whole).map(|()| vec![whole]),
        Format::Vtp => {
            let paths = ["grains", "contacts", "walls"].map(part);
            vtp::write_grains(snapshot, &paths[0])?;
            vtp::write_contacts(snapshot, &paths[1])?;
            vtp::write_walls(snapshot, &paths[2])?;
            let mut paths = Vec::from(paths);
            if vtp::has_bodies(snapshot) {
                vtp::write_bodies(snapshot, &part("bodies"))?;
                paths.push(part("bodies"));
            }
            if vtp::has_balls(snapshot) {
                vtp::write_balls(snapshot, &part("balls"))?;
                paths.push(part("balls"));
            }
            if !snapshot.cracks.is_empty() {
                vtp::write_cracks(snapshot, &part("cracks"))?;
                paths.push(part("cracks"));
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
            let mut paths = Vec::from(paths);
            if !snapshot.faces.is_empty() {
                csv::write_faces(snapshot, &part("faces"))?;
                paths.push(part("faces"));
            }
            Ok(paths)
        }
    }
}

/// Reads a snapshot: all of it from HDF5; grains and contacts from VTP (by the path of the grains); grains from the
/// other formats. Of several frames in one text file the last is taken.
pub fn read_snapshot(path: &Path) -> Result<Snapshot, StoreError> {
    let snapshot = match Format::from_path(path)? {
        Format::Hdf5 => hdf5::read(path),
        Format::Vtp => vtp::read(path),
        Format::Xyz => xyz::read(path),
        Format::LammpsDump => lammps::read_dump(path),
        Format::LammpsData => lammps::read_data(path),
        Format::Csv => csv::read(path),
    }?;
    match snapshot.fault() {
        Some(reason) => Err(StoreError::damaged(path, reason)),
        None => Ok(snapshot),
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
    fn formats_are_known_by_word_and_ending() {
        for format in Format::ALL {
            for &word in std::iter::once(&format.word()).chain(format.aliases()) {
                assert_eq!(Format::from_word(word).unwrap(), format);
                assert_eq!(Format::from_path(Path::new(&format!("a.b.{}", word.to_uppercase()))).unwrap(), format);
            }
        }
        assert!(Format::from_word("vtk").unwrap_err().to_string().contains("h5 or hdf5, vtp, csv"));
        assert!(Format::from_path(Path::new("a.vtk")).unwrap_err().to_string().contains("a.vtk"));
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
