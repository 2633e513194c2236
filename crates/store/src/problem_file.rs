//! Contact problems that stand alone in a file, so that a hard one can be sent to others and solved by their programs.

use crate::{StoreError, fclib, siconos};
use riprap_solve::assembled::AssembledProblem;
use std::fs;
use std::path::Path;

/// A contact problem with what its file tells beside it.
#[derive(Clone, Debug, PartialEq)]
pub struct ProblemFile {
    /// The problem.
    pub problem: AssembledProblem,
    /// A title; empty where the file has none.
    pub title: String,
    /// What it is and where it comes from; empty where the file does not say.
    pub description: String,
    /// States to start from.
    pub guesses: Vec<ProblemState>,
    /// The state that is said to solve it.
    pub solution: Option<ProblemState>,
    /// What was left out of the file, if anything.
    pub remark: Option<String>,
}

/// Impulses and velocities of a problem.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProblemState {
    /// Impulses `r`, the rows of one contact after those of the other.
    pub impulse: Vec<f64>,
    /// Relative velocities `u`, in the same order; empty where they are not known.
    pub velocity: Vec<f64>,
    /// Velocities `v` of the bodies of a global problem; empty where they are not known.
    pub body_velocity: Vec<f64>,
}

impl ProblemFile {
    /// A problem of which nothing more is known.
    pub fn new(problem: AssembledProblem) -> Self {
        ProblemFile {
            problem,
            title: String::new(),
            description: String::new(),
            guesses: Vec::new(),
            solution: None,
            remark: None,
        }
    }
}

/// What every HDF5 file begins with.
const HDF5_SIGNATURE: &[u8] = b"\x89HDF\r\n\x1a\n";

/// Reads a contact problem, FCLib or Siconos text by what the file begins with, and checks that it is one.
pub fn read_problem(path: &Path) -> Result<ProblemFile, StoreError> {
    let bytes = fs::read(path).map_err(StoreError::read(path))?;
    problem_from_bytes(path, bytes)
}

/// The content of a problem file; `path` is how errors call it.
fn problem_from_bytes(path: &Path, bytes: Vec<u8>) -> Result<ProblemFile, StoreError> {
    let file = if bytes.starts_with(HDF5_SIGNATURE) {
        fclib::read(path, bytes)?
    } else {
        let text = String::from_utf8(bytes).map_err(|_| {
            StoreError::damaged(path, "is not a contact problem: neither HDF5 (FCLib) nor text (Siconos)")
        })?;
        siconos::read(path, &text)?
    };
    file.problem.check().map_err(|error| StoreError::damaged(path, error))?;
    Ok(file)
}

/// Writes a contact problem: as Siconos text where the name ends with `.dat`, as FCLib everywhere else. The text format
/// holds the problem alone, without title, guesses and solution.
pub fn write_problem(path: &Path, file: &ProblemFile) -> Result<(), StoreError> {
    if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("dat")) {
        siconos::write(path, &file.problem)
    } else {
        fclib::write(path, file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use riprap_solve::assembled::{GlobalProblem, LocalProblem, SparseMatrix};
    use std::path::PathBuf;

    /// Three contacts of a 3D problem with rolling or without, local or global, whose numbers need all their digits.
    fn sample(size: usize, global: bool) -> ProblemFile {
        let contacts = 3;
        let rows = size * contacts;
        let number = |i: usize, j: usize| ((i * 7 + j * 3) as f64).sin() / 3.0;
        let friction = vec![0.1, 0.0, 0.7];
        let rolling = if size == 5 { vec![0.01, 0.02, 0.0] } else { Vec::new() };
        let matrix = |rows: usize, columns: usize, diagonal: f64, step: usize| {
            let places = (0..rows).flat_map(|i| (0..columns).step_by(step).map(move |j| (i, j)));
            let mut list: Vec<_> = places.map(|(i, j)| (i as u32, j as u32, number(i.min(j), i.max(j)))).collect();
            list.extend((0..rows.min(columns)).map(|i| (i as u32, i as u32, diagonal)));
            SparseMatrix::from_triplets(rows, columns, list).unwrap()
        };
        let vector = |length: usize| (0..length).map(|i| number(i, 1)).collect::<Vec<f64>>();
        let state =
            |freedoms| ProblemState { impulse: vector(rows), velocity: vector(rows), body_velocity: vector(freedoms) };
        let (problem, freedoms) = if global {
            let (m, h) = (matrix(12, 12, 9.0, 12), matrix(12, rows, 1.0, 1));
            let problem = GlobalProblem { size, m, h, f: vector(12), w: vector(rows), friction, rolling };
            (AssembledProblem::Global(problem), 12)
        } else {
            let w = matrix(rows, rows, 9.0, 1);
            (AssembledProblem::Local(LocalProblem { size, w, q: vector(rows), friction, rolling }), 0)
        };
        ProblemFile {
            title: "three contacts".into(),
            description: "µ as in Coulomb".into(),
            guesses: vec![ProblemState { velocity: Vec::new(), ..state(freedoms) }, state(freedoms)],
            solution: Some(state(freedoms)),
            ..ProblemFile::new(problem)
        }
    }

    fn samples() -> Vec<ProblemFile> {
        [2, 3, 5].into_iter().flat_map(|size| [sample(size, false), sample(size, true)]).collect()
    }

    /// Writes and reads it again, in a file of its own.
    fn written(file: &ProblemFile, name: &str) -> (Vec<u8>, Result<ProblemFile, StoreError>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        write_problem(&path, file).unwrap();
        (fs::read(&path).unwrap(), read_problem(&path))
    }

    fn text_error(text: &str) -> String {
        problem_from_bytes(Path::new("bad.dat"), text.into()).unwrap_err().to_string()
    }

    #[test]
    fn what_is_written_is_read_again_to_the_same_bits() {
        for (index, file) in samples().into_iter().enumerate() {
            let (_, read) = written(&file, &format!("{index}.hdf5"));
            assert_eq!(read.unwrap(), file);
            // The text holds the problem alone.
            let (_, read) = written(&file, &format!("{index}.dat"));
            assert_eq!(read.unwrap(), ProblemFile::new(file.problem));
        }
    }

    #[test]
    fn problems_of_other_programs_are_what_their_names_say() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../problems");
        let mut found = 0;
        for (kind, size, global) in
            [("local2d", 2, false), ("local3d", 3, false), ("global", 3, true), ("rolling", 5, false)]
        {
            let mut files: Vec<PathBuf> =
                fs::read_dir(folder.join(kind)).unwrap().map(|entry| entry.unwrap().path()).collect();
            files.sort();
            for path in files {
                let name = path.file_name().unwrap().to_str().unwrap();
                let file = read_problem(&path).unwrap();
                assert_eq!(file.problem.size(), if name.starts_with("gfc2d") { 2 } else { size }, "{name}");
                let is_global = matches!(file.problem, AssembledProblem::Global(_));
                assert_eq!(is_global, global || name.starts_with("Chute"), "{name}");
                assert_eq!(file.remark, None, "{name}");
                found += 1;
            }
        }
        assert_eq!(found, 20);
    }

    #[test]
    fn the_storages_of_one_problem_are_the_same_problem() {
        let read = |name: &str| {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../problems").join(name);
            read_problem(&path).unwrap().problem
        };
        assert_eq!(read("local3d/FC3D_Example1.dat"), read("local3d/FC3D_Example1_SBM.dat"));
        assert_eq!(read("global/GFC3D_Example0.dat"), read("global/GFC3D_Example0_SBM.dat"));
        let banner = "CSparse Version 3.1.9, May 4, 2016.  Copyright (c) Timothy A. Davis, 2006-2016";
        let vectors = "-1 2\n0.5\n";
        let dense = format!("2 1 0 2 2 2 2 4 1 1 3 {vectors}");
        let triplets = format!(
            "2\n1\n2\n2\n2\n1\n{banner}\ntriplet: 2-by-2, nzmax: 9 nnz: 5\n    0 0 : 3\n    0 0 : 1\n    1 0 : 1\n    0 1 : \
             1\n    1 1 : 3\n{vectors}"
        );
        let half = format!(
            "2\n1\n2\n2\n2\n4\n{banner}\ntriplet: 2-by-2, nzmax: 3 nnz: 3\n    0 0 : 4\n    0 1 : 1\n    1 1 : \
             3\n{vectors}"
        );
        let compressed = |kind: u8, prefix: &str, word: &str| {
            format!(
                "2\n1\n2\n2\n2\n{kind}\n{banner}\n{prefix}2-by-2, nzmax: 4 nnz: 4, 1-norm: 5\n    {word} 0 : locations 0 \
                 to 1\n      0 : 4\n      1 : 1\n    {word} 1 : locations 2 to 3\n      0 : 1\n      1 : 3\n{vectors}"
            )
        };
        let problem = |text: &str| problem_from_bytes(Path::new("a.dat"), text.into()).unwrap().problem;
        for text in [triplets, half, compressed(2, "", "col"), compressed(3, "csr: ", "row")] {
            assert_eq!(problem(&text), problem(&dense), "{text}");
        }
    }

    #[test]
    fn a_text_that_is_no_problem_is_told_with_the_line_and_what_was_expected() {
        let good = "2\n1\n0\n2\n2\n2 2\n4 1\n1 3\n-1 2\n0.5\n";
        assert!(problem_from_bytes(Path::new("good.dat"), good.into()).is_ok());
        for (from, to, parts) in [
            ("2\n1\n0", "4\n1\n0", ["bad.dat:1", "rows per contact"]),
            ("2\n1\n0", "2\nmany\n0", ["bad.dat:2", "number of contacts"]),
            ("2\n1\n0", "2\n1000000\n0", ["bad.dat:2", "too short for that many"]),
            ("2\n1\n0", "2\n2\n0", ["bad.dat:3", "4 rows and columns"]),
            ("2\n1\n0", "2\n1\n7", ["bad.dat:3", "0 dense, 1 blocks, 2 sparse"]),
            ("2 2\n4 1", "2 3\n4 1", ["bad.dat:6", "again"]),
            ("4 1", "4 x", ["bad.dat:7", "a finite number"]),
            ("4 1", "4 nan", ["bad.dat:7", "a finite number"]),
            ("-1 2", "-1 inf", ["bad.dat:9", "vector q"]),
            ("0.5", "-0.5", ["bad.dat:10", "0 or greater"]),
            ("0.5", "", ["bad.dat:11", "cut off"]),
            ("4 1", "0 1", ["diagonal of W", "must be positive"]),
        ] {
            let error = text_error(&good.replacen(from, to, 1));
            assert!(parts.iter().all(|part| error.contains(part)), "{to:?}: {error}");
        }
        assert!(text_error("").contains("cut off"));
        assert!(text_error("title = \"a scene\"").contains("rows per contact"));
        let binary = problem_from_bytes(Path::new("picture.png"), vec![0x89, b'P', b'N', b'G', 0xff]);
        assert!(binary.unwrap_err().to_string().contains("neither HDF5 (FCLib) nor text (Siconos)"));
    }

    #[test]
    fn a_wrong_block_or_entry_is_told_with_its_line() {
        let blocks = "2\n1\n1\n2\n2\n1\n1\n1\n2\n2\n2\n1\n0 1\n0\n0\n4 1 1 3\n-1 2\n0.5\n";
        assert!(problem_from_bytes(Path::new("good.dat"), blocks.into()).is_ok());
        for (from, to, parts) in [
            ("0 1\n0\n0\n4", "0 1\n0\n1\n4", ["bad.dat:15", "numbered consecutively"]),
            ("0 1\n0\n0\n4", "0 1\n1\n0\n4", ["bad.dat:14", "below 1"]),
            ("0 1\n0\n0\n4", "0 2\n0\n0\n4", ["bad.dat:13", "from 0 to 1"]),
            ("2\n2\n2\n1\n0 1", "2\n3\n2\n1\n0 1", ["bad.dat:10", "up to 2"]),
            ("2\n2\n2\n1\n0 1", "2\n2\n4\n1\n0 1", ["bad.dat:12", "starts of block rows"]),
        ] {
            let error = text_error(&blocks.replacen(from, to, 1));
            assert!(parts.iter().all(|part| error.contains(part)), "{to:?}: {error}");
        }
        let sparse =
            "2\n1\n2\n2\n2\n1\nCSparse\ntriplet: 2-by-2, nzmax: 3 nnz: 3\n 0 0 : 4\n 0 1 : 1\n 1 1 : 3\n-1 2\n0.5\n";
        assert!(problem_from_bytes(Path::new("good.dat"), sparse.into()).is_ok());
        for (from, to, parts) in [
            ("0 1 : 1", "0 2 : 1", ["bad.dat:10", "a column below 2"]),
            ("0 1 : 1", "0 1 : one", ["bad.dat:10", "a finite number"]),
            ("0 1 : 1", "0 1 : nan", ["bad.dat:10", "a finite number"]),
            ("nnz: 3", "nnz: 4", ["bad.dat:8", "the number of entries that follow: 3"]),
            ("2-by-2", "2-by-3", ["bad.dat:8", "2-by-2"]),
            ("\n1\nCSparse", "\n5\nCSparse", ["bad.dat:6", "half of a symmetric matrix"]),
        ] {
            let error = text_error(&sparse.replacen(from, to, 1));
            assert!(parts.iter().all(|part| error.contains(part)), "{to:?}: {error}");
        }
    }

    #[test]
    fn h_and_m_that_do_not_fit_are_told() {
        let global = "2 1\n0 3 3 3 3\n1 0 0 0 1 0 0 0 1\n0 3 2 3 2\n1 0 0 0 1 0\n0 0 0\n-1 0\n0.5\n";
        let read = problem_from_bytes(Path::new("good.dat"), global.into()).unwrap();
        assert!(matches!(read.problem, AssembledProblem::Global(_)));
        for (from, to, part) in [
            ("0 3 2 3 2", "0 2 3 2 3", "a matrix H of 3 rows"),
            ("0 3 3 3 3", "0 9 1 9 1", "a square matrix M"),
            ("1 0 0 0 1 0 0 0 1", "1 0 0 0 1 0 0 0 0", "M"),
        ] {
            let error = text_error(&global.replacen(from, to, 1));
            assert!(error.contains(part), "{to:?}: {error}");
        }
    }

    #[test]
    fn what_is_wrong_in_fclib_is_told_with_its_dataset() {
        let local = |change: &dyn Fn(&mut LocalProblem)| {
            let mut file = sample(3, false);
            if let AssembledProblem::Local(problem) = &mut file.problem {
                change(problem);
            }
            file
        };
        let global = |change: &dyn Fn(&mut GlobalProblem)| {
            let mut file = sample(3, true);
            if let AssembledProblem::Global(problem) = &mut file.problem {
                change(problem);
            }
            file
        };
        let mut guess = sample(3, true);
        guess.guesses[1].impulse.pop();
        let cases = [
            (local(&|p| p.q[2] = f64::NAN), ["/fclib_local/vectors/q", "entry 2 is NaN"]),
            (local(&|p| p.friction[1] = -0.5), ["/fclib_local/vectors/mu", "contact 1 is -0.5"]),
            (local(&|p| p.size = 4), ["/fclib_local/spacedim", "is 4, expected 2 or 3"]),
            (local(&|p| p.q.truncate(8)), ["/fclib_local/vectors/q", "has 8 numbers, expected 9"]),
            (local(&|p| p.friction.push(0.1)), ["/fclib_local/W", "is 9 by 9, expected 12"]),
            (local(&|p| p.w.indices[3] = 9), ["/fclib_local/W/i", "index 9 at position 3 is not below 9"]),
            (local(&|p| p.w.values.truncate(80)), ["/fclib_local/W/x", "has 80 numbers"]),
            (local(&|p| p.w.starts[2] = 0), ["/fclib_local/W/p", "decreases"]),
            (local(&|p| p.w.values[0] = f64::INFINITY), ["/fclib_local/W/x", "entry 0 is inf"]),
            (local(&|p| p.w.values[0] = 0.0), ["diagonal of W", "contact 0"]),
            (global(&|p| p.f.truncate(11)), ["/fclib_global/M", "is 12 by 12, expected 11"]),
            (global(&|p| p.h.columns = 10), ["/fclib_global/H", "is 12 by 10, expected 12"]),
            (guess, ["/guesses/2/r", "has 8 numbers, expected 9"]),
        ];
        for (index, (file, parts)) in cases.into_iter().enumerate() {
            let error = written(&file, &format!("bad-{index}.hdf5")).1.unwrap_err().to_string();
            assert!(parts.iter().all(|part| error.contains(part)), "{parts:?}: {error}");
        }
    }

    #[test]
    fn no_damage_to_a_file_makes_the_reader_panic() {
        // Cut at many places, and with single bytes changed: an error, or a problem that can still be one.
        let mut seed = 1_u64;
        let mut random = move |below: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % below
        };
        let mut whole = Vec::new();
        for (index, file) in [sample(2, true), sample(5, false)].iter().enumerate() {
            for ending in ["dat", "hdf5"] {
                whole.push(written(file, &format!("whole-{index}.{ending}")).0);
            }
        }
        // Files of other programs are laid out in other ways than ours.
        for name in ["global/Box_Stacks-i0122-82-5.hdf5", "global/gfc2d_granularflowonwall_00069_00350.dat"] {
            whole.push(fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../problems").join(name)).unwrap());
        }
        let (mut errors, mut tries) = (0, 0);
        for bytes in whole {
            for round in 0..600 {
                let mut damaged = bytes.clone();
                if round % 3 == 0 {
                    damaged.truncate(random(bytes.len()));
                } else {
                    // Most of what holds a file together is at its beginning.
                    let at = if round % 3 == 1 { random(bytes.len()) } else { random(bytes.len().min(4096)) };
                    damaged[at] ^= 1 << random(8);
                }
                tries += 1;
                errors += usize::from(problem_from_bytes(Path::new("damaged"), damaged).is_err());
            }
        }
        assert!(errors > tries / 4, "{errors} of {tries}");
    }
}
