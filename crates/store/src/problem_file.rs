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
        let text = String::from_utf8(bytes)
            .map_err(|_| StoreError::damaged(path, "is no contact problem: neither HDF5 (FCLib) nor text (Siconos)"))?;
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
