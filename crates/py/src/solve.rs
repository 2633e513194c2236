//! The solver alone: contact problems as matrices, from Python or from files.

use crate::arrays::column;
use crate::errors::{FileError, ProblemError, guarded};
use crate::threads::Threads;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use riprap_solve::assembled::{
    AssembledOptions, AssembledProblem, AssembledSolver, GlobalProblem, LocalProblem, ResidualKind, SparseMatrix,
    solve_assembled,
};
use riprap_store::{ProblemFile, ProblemState, read_problem, write_problem};
use std::path::PathBuf;

/// A sparse matrix by its entries.
#[derive(FromPyObject)]
struct Entries {
    rows: usize,
    columns: usize,
    row: Vec<u32>,
    column: Vec<u32>,
    value: Vec<f64>,
}

impl Entries {
    fn matrix(self) -> PyResult<SparseMatrix> {
        let triplets = self.row.into_iter().zip(self.column).zip(self.value).map(|((i, j), value)| (i, j, value));
        SparseMatrix::from_triplets(self.rows, self.columns, triplets.collect()).map_err(wrong)
    }

    fn of(py: Python<'_>, matrix: &SparseMatrix) -> PyResult<Py<PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item("rows", matrix.rows)?;
        dict.set_item("columns", matrix.columns)?;
        let entries: Vec<(u32, u32, f64)> = matrix.triplets().collect();
        dict.set_item("row", column(py, entries.iter().map(|entry| i64::from(entry.0)).collect()))?;
        dict.set_item("column", column(py, entries.iter().map(|entry| i64::from(entry.1)).collect()))?;
        dict.set_item("value", column(py, entries.iter().map(|entry| entry.2).collect()))?;
        Ok(dict.unbind())
    }
}

fn wrong(error: impl std::fmt::Display) -> PyErr {
    ProblemError::new_err(error.to_string())
}

/// A contact problem.
#[pyclass(frozen, module = "riprap._riprap")]
struct Problem {
    file: ProblemFile,
}

#[pymethods]
impl Problem {
    /// `u = W r + q`.
    #[staticmethod]
    fn local(size: usize, w: Entries, q: Vec<f64>, friction: Vec<f64>, rolling: Vec<f64>) -> PyResult<Problem> {
        guarded(|| {
            Problem::checked(AssembledProblem::Local(LocalProblem { size, w: w.matrix()?, q, friction, rolling }))
        })
    }

    /// `M v = H r + f`, `u = Hᵀ v + w`.
    #[staticmethod]
    #[pyo3(name = "global_")]
    fn global(
        size: usize,
        m: Entries,
        h: Entries,
        f: Vec<f64>,
        w: Vec<f64>,
        friction: Vec<f64>,
        rolling: Vec<f64>,
    ) -> PyResult<Problem> {
        guarded(|| {
            let (m, h) = (m.matrix()?, h.matrix()?);
            Problem::checked(AssembledProblem::Global(GlobalProblem { size, m, h, f, w, friction, rolling }))
        })
    }

    /// The problem in a file, FCLib or Siconos text.
    #[staticmethod]
    fn read(py: Python<'_>, path: PathBuf) -> PyResult<Problem> {
        guarded(|| {
            let file = py.detach(|| read_problem(&path)).map_err(|error| FileError::new_err(error.to_string()))?;
            Ok(Problem { file })
        })
    }

    /// Writes it to an FCLib file, with impulses and velocities that solve it if there are any.
    fn write(
        &self,
        py: Python<'_>,
        path: PathBuf,
        title: String,
        solution: Option<(Vec<f64>, Vec<f64>, Vec<f64>)>,
    ) -> PyResult<()> {
        guarded(|| {
            let solution =
                solution.map(|(impulse, velocity, body_velocity)| ProblemState { impulse, velocity, body_velocity });
            let file = ProblemFile { title, solution, ..self.file.clone() };
            py.detach(|| write_problem(&path, &file)).map_err(|error| FileError::new_err(error.to_string()))
        })
    }

    /// Solves it.
    #[pyo3(signature = (solver, order, tolerance, siconos, max_iterations, seed, start=None))]
    #[expect(clippy::too_many_arguments, reason = "each is a keyword in Python")]
    fn solve(
        &self,
        py: Python<'_>,
        solver: &str,
        order: &str,
        tolerance: f64,
        siconos: bool,
        max_iterations: u64,
        seed: u64,
        start: Option<Vec<f64>>,
    ) -> PyResult<Py<PyDict>> {
        guarded(|| {
            let options = AssembledOptions {
                solver: solver.parse::<AssembledSolver>().map_err(PyValueError::new_err)?,
                order: order.parse().map_err(|error: String| PyValueError::new_err(error))?,
                tolerance,
                criterion: if siconos { ResidualKind::Siconos } else { ResidualKind::Scaled },
                max_iterations,
                seed,
            };
            let rows = self.file.problem.size() * self.file.problem.contacts();
            if start.as_ref().is_some_and(|start| start.len() != rows) {
                return Err(PyValueError::new_err(format!(
                    "start must have {rows} numbers, as many as the problem has rows"
                )));
            }
            let solution = py.detach(|| {
                Threads::new(None).run(&mut |_| Ok(()), |goes_on| {
                    solve_assembled(&self.file.problem, &options, start.as_deref(), &mut || !goes_on())
                })
            });
            let solution = solution?.map_err(wrong)?;
            let dict = PyDict::new(py);
            dict.set_item("impulse", column(py, solution.impulse))?;
            dict.set_item("velocity", column(py, solution.velocity))?;
            dict.set_item("motion", column(py, solution.motion))?;
            dict.set_item("converged", solution.converged)?;
            dict.set_item("iterations", solution.iterations)?;
            dict.set_item("passes", solution.passes)?;
            dict.set_item("residual", solution.residual_scaled)?;
            dict.set_item("residual_siconos", solution.residual_siconos)?;
            dict.set_item("solver", solution.solver.name())?;
            dict.set_item("history", solution.history)?;
            dict.set_item("reason", solution.reason.map(|reason| reason.to_string()))?;
            Ok(dict.unbind())
        })
    }

    /// What it consists of, as a dict of numbers, arrays and entries of matrices.
    fn parts(&self, py: Python<'_>) -> PyResult<Py<PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item("title", &self.file.title)?;
        dict.set_item("description", &self.file.description)?;
        dict.set_item("size", self.file.problem.size())?;
        dict.set_item("contacts", self.file.problem.contacts())?;
        dict.set_item("friction", column(py, self.file.problem.friction().to_vec()))?;
        dict.set_item("rolling", column(py, self.file.problem.rolling().to_vec()))?;
        match &self.file.problem {
            AssembledProblem::Local(problem) => {
                dict.set_item("W", Entries::of(py, &problem.w)?)?;
                dict.set_item("q", column(py, problem.q.clone()))?;
            }
            AssembledProblem::Global(problem) => {
                dict.set_item("M", Entries::of(py, &problem.m)?)?;
                dict.set_item("H", Entries::of(py, &problem.h)?)?;
                dict.set_item("f", column(py, problem.f.clone()))?;
                dict.set_item("w", column(py, problem.w.clone()))?;
            }
        }
        dict.set_item("solution", self.file.solution.as_ref().map(|state| column(py, state.impulse.clone())))?;
        Ok(dict.unbind())
    }
}

impl Problem {
    fn checked(problem: AssembledProblem) -> PyResult<Problem> {
        problem.check().map_err(wrong)?;
        Ok(Problem { file: ProblemFile::new(problem) })
    }
}

/// Adds the class to the module.
pub fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("SOLVERS", AssembledSolver::ALL.map(AssembledSolver::name).to_vec())?;
    module.add_class::<Problem>()
}
