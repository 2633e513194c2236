//! Files of all formats, each read from a file as a user's would be.

use super::{Target, Verdict};
use crate::dice::Dice;
use crate::mutate::mutated;
use crate::worlds;
use riprap_measure::report::{Choices, What, measure};
use riprap_run::packing_of;
use riprap_solve::assembled::{AssembledOptions, solve_assembled};
use riprap_store::{Format, Snapshot, read_grains, read_problem, read_snapshot, read_surface, write_snapshot};
use riprap_view::{Look, Settings, render};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Files of one or several formats. The first byte of an input is the number of its format.
struct Files {
    folder: TempDir,
    endings: &'static [&'static str],
    /// Good files of each format.
    corpus: Vec<Vec<Vec<u8>>>,
    words: &'static [&'static str],
    read: fn(&Path) -> Result<Verdict, String>,
}

impl Target for Files {
    fn input(&self, dice: &mut Dice) -> Vec<u8> {
        let format = dice.below(self.endings.len());
        let mut input = vec![format as u8];
        input.extend(mutated(&self.corpus[format], self.words, dice));
        input
    }

    fn judge(&mut self, input: &[u8]) -> Result<Verdict, String> {
        let Some((&format, bytes)) = input.split_first() else { return Ok(Verdict::Refused) };
        let Some(ending) = self.endings.get(usize::from(format)) else { return Ok(Verdict::Refused) };
        let path = self.folder.path().join(format!("input.{ending}"));
        fs::write(&path, bytes).map_err(|error| error.to_string())?;
        (self.read)(&path)
    }
}

/// A folder in memory where the system has one.
pub fn scratch() -> TempDir {
    let memory = Path::new("/dev/shm");
    let made = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
    made.expect("a folder for files can be made")
}

/// Snapshots of small worlds in a format.
fn snapshots(format: Format) -> Vec<Vec<u8>> {
    let folder = scratch();
    let write = |world| {
        let paths = write_snapshot(&Snapshot::of(&world), format, &folder.path().join("a")).expect("it can be written");
        fs::read(&paths[0]).expect("it was written")
    };
    worlds::all().into_iter().map(write).collect()
}

pub fn grains() -> Box<dyn Target> {
    let formats = [Format::Csv, Format::Xyz, Format::LammpsDump, Format::LammpsData, Format::Vtp];
    let mut corpus: Vec<Vec<Vec<u8>>> = formats.into_iter().map(snapshots).collect();
    for text in
        ["x,y,z,r\n0,0,0,1\n3,0,0,1.5\n", "x;y;diameter;material\n0;0;1;\"a;b\"\n", "# c\nx y r vx vy\n1 2 3 4 5\n"]
    {
        corpus[0].push(text.into());
    }
    Box::new(Files {
        folder: scratch(),
        endings: &["csv", "xyz", "dump", "data", "vtp"],
        corpus,
        words: &[
            "Properties",
            "Lattice",
            "ITEM:",
            "ATOMS",
            "BOX",
            "BOUNDS",
            "NumberOfPoints",
            "format",
            "ascii",
            "r",
            "radius",
        ],
        read: |path| Ok(read_grains(path).map_or(Verdict::Refused, |_| Verdict::Accepted)),
    })
}

pub fn surface() -> Box<dyn Target> {
    let tetrahedron = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
    let text = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n";
    let mut binary = vec![0; 80];
    binary.extend(2_u32.to_le_bytes());
    for face in 0..2 {
        for k in 0..12 {
            binary.extend((face as f32 + (k % 5) as f32).to_le_bytes());
        }
        binary.extend([0, 0]);
    }
    Box::new(Files {
        folder: scratch(),
        endings: &["stl", "obj"],
        corpus: vec![
            vec![text.into(), binary],
            vec![tetrahedron.into(), "o a\nv 0 0 0 1\nvn 0 0 1\nvt 0 0\nv 1 0 0\nv 0 1 0\nf 1//1 2/1/1 -1\n".into()],
        ],
        words: &["solid", "facet", "vertex", "endloop", "f", "v", "-1", "1//1", "\\\n"],
        read: |path| Ok(read_surface(path).map_or(Verdict::Refused, |_| Verdict::Accepted)),
    })
}

/// Contact problems of longer files take too long to be solved by the thousand.
const LARGEST_PROBLEM: usize = 20_000;

/// The smaller contact problems of the repository.
fn problems(ending: &str) -> Vec<Vec<u8>> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../problems");
    let mut found = Vec::new();
    for part in ["local2d", "local3d", "global", "rolling"] {
        let Ok(entries) = fs::read_dir(folder.join(part)) else { continue };
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths.iter().filter(|path| path.extension().is_some_and(|own| own == ending)) {
            let bytes = fs::read(path).unwrap_or_default();
            if bytes.len() < LARGEST_PROBLEM {
                found.push(bytes);
            }
        }
    }
    found
}

/// Reads a contact problem, and solves it by a few sweeps.
fn solve(path: &Path) -> Result<Verdict, String> {
    let Ok(file) = read_problem(path) else { return Ok(Verdict::Refused) };
    let options = AssembledOptions { max_iterations: 20, ..AssembledOptions::default() };
    let solved = solve_assembled(&file.problem, &options, None, &mut || false);
    let Ok(solution) = solved else { return Ok(Verdict::Refused) };
    // Numbers close to the largest one may overflow, but that has to be said.
    if solution.impulse.iter().any(|number| !number.is_finite()) && solution.converged {
        return Err("an impulse is not a number, and the solve says that it converged".into());
    }
    Ok(Verdict::Accepted)
}

pub fn problem_text() -> Box<dyn Target> {
    let mut corpus = problems("dat");
    corpus.push("3 1\n0\n3 3\n3 3\n2 0 0 0 2 0 0 0 2\n-1 0.2 0\n0.5\n".into());
    Box::new(Files { folder: scratch(), endings: &["dat"], corpus: vec![corpus], words: &[], read: solve })
}

pub fn problem_hdf5() -> Box<dyn Target> {
    let mut corpus = problems("hdf5");
    corpus.push(include_bytes!("../../../store/tests/hostile/endless-title.hdf5").to_vec());
    Box::new(Files { folder: scratch(), endings: &["hdf5"], corpus: vec![corpus], words: &[], read: solve })
}

pub fn snapshot() -> Box<dyn Target> {
    Box::new(Files {
        folder: scratch(),
        endings: &["h5"],
        corpus: vec![snapshots(Format::Hdf5)],
        words: &[],
        read: show,
    })
}

/// Reads a snapshot and does with it what users do.
pub fn show(path: &Path) -> Result<Verdict, String> {
    let Ok(snapshot) = read_snapshot(path) else { return Ok(Verdict::Refused) };
    measure_and_draw(&snapshot);
    Ok(Verdict::Accepted)
}

fn measure_and_draw(snapshot: &Snapshot) {
    if let Ok(packing) = packing_of(snapshot, true) {
        for what in What::ALL {
            // What a packing does not have is told, which is as good.
            let _ = measure(what, &packing, Some(&packing), &Choices::default());
        }
    }
    let look = Look::default();
    if let Ok(settings) = Settings::of(&look, &[snapshot], [32, 24]) {
        let _ = render(snapshot, snapshot, &look, &settings);
    }
}
