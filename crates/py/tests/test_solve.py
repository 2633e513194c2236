"""The solver alone."""

from __future__ import annotations

import numpy as np
import pytest

import riprap


def random_problem(contacts: int, size: int, seed: int = 1):
    """A problem with more freedoms than contacts, so that it has a solution."""
    rng = np.random.default_rng(seed)
    rows = size * contacts
    H = rng.normal(size=(2 * rows, rows))
    M = np.diag(rng.uniform(1, 3, 2 * rows))
    f, w = rng.normal(size=2 * rows), rng.normal(size=rows)
    return M, H, f, w


def check(problem_rows: np.ndarray, impulse: np.ndarray, mu: float) -> None:
    """The laws of Signorini and Coulomb, from their definition."""
    u, r = problem_rows, impulse
    tangential, normal = np.linalg.norm(r[:, 1:], axis=1), r[:, 0]
    assert (normal >= -1e-9).all()
    assert (tangential <= mu * normal + 1e-8).all()
    assert (u[:, 0] >= -1e-7).all()
    assert np.abs(u[:, 0] * normal).max() < 1e-6
    slides = np.linalg.norm(u[:, 1:], axis=1) > 1e-6
    np.testing.assert_allclose(tangential[slides], mu * normal[slides], atol=1e-6)


@pytest.mark.parametrize("solver", riprap.SOLVERS)
@pytest.mark.parametrize("size", [2, 3])
def test_every_solver_gives_impulses_that_obey_the_laws(solver, size):
    M, H, f, w = random_problem(12, size)
    mu = 0.4
    solution = riprap.solve_global(M, H, f, w, np.full(12, mu), solver=solver, tolerance=1e-10)
    assert solution.converged and solution.residual < 1e-10
    inverse = np.linalg.inv(M)
    W, q = H.T @ inverse @ H, H.T @ inverse @ f + w
    check((W @ solution.impulse.ravel() + q).reshape(-1, size), solution.impulse, mu)
    np.testing.assert_allclose(solution.velocity.ravel(), W @ solution.impulse.ravel() + q, atol=1e-9)
    local = riprap.solve(W, q, np.full(12, mu), solver=solver, tolerance=1e-10)
    np.testing.assert_allclose(local.velocity, solution.velocity, atol=1e-6)
    again = riprap.solve(W, q, np.full(12, mu), start=local.impulse, tolerance=1e-9)
    assert again.iterations <= local.iterations


def test_sparse_matrices_are_those_of_scipy():
    sparse = pytest.importorskip("scipy.sparse")
    M, H, f, w = random_problem(6, 3)
    dense = riprap.solve_global(M, H, f, w, 0.5)
    for kind in (sparse.csr_matrix, sparse.coo_array):
        found = riprap.solve_global(kind(M), kind(H), f, w, 0.5)
        np.testing.assert_array_equal(found.impulse, dense.impulse)


def test_files_of_fclib_come_back(tmp_path, root):
    M, H, f, w = random_problem(4, 3)
    problem = riprap.Problem.from_bodies(M, H, f, w, 0.3)
    solution = problem.solve()
    problem.write(tmp_path / "a.hdf5", title="four contacts", solution=solution)
    again = riprap.read_problem(tmp_path / "a.hdf5")
    assert (again.contacts, again.size, again.title, again.is_global) == (4, 3, "four contacts", True)
    np.testing.assert_array_equal(again.vector("f"), f)
    np.testing.assert_array_equal(again.solve().impulse, solution.impulse)
    known = sorted((root / "problems").rglob("*.hdf5"))
    assert known
    assert riprap.read_problem(known[0]).solve(tolerance=1e-6, max_iterations=20_000).residual < 1e-2


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ((np.eye(3), [1.0, 2.0], 0.5), riprap.ProblemError, "."),
        ((np.eye(3), [1.0, np.nan, 0.0], 0.5), riprap.ProblemError, "finite"),
        ((np.diag([np.inf, 1, 1]), [1.0, 0.0, 0.0], 0.5), riprap.ProblemError, "finite"),
        ((np.eye(3), [1.0, 0.0, 0.0], -0.5), riprap.ProblemError, "."),
        ((np.eye(3), [1.0, 0.0, 0.0], [0.5, 0.5]), riprap.ProblemError, "."),
        ((-np.eye(3), [1.0, 0.0, 0.0], 0.5), riprap.ProblemError, "."),
        (("nonsense", [1.0, 0.0, 0.0], 0.5), riprap.ProblemError, "W"),
        ((np.zeros(3), [1.0, 0.0, 0.0], 0.5), riprap.ProblemError, "two dimensions"),
        ((np.eye(7), np.ones(7), 0.5), riprap.ProblemError, "7 rows"),
    ],
)
def test_what_is_no_problem_is_an_exception(arguments, error, words):
    with pytest.raises(error, match=words):
        riprap.solve(*arguments)


def test_choices_that_do_not_exist_are_exceptions():
    for choices in ({"solver": "magic"}, {"order": "chaos"}, {"criterion": "mine"}, {"tolerance": np.nan}, {"start": [1]}):
        with pytest.raises(ValueError, match="."):
            riprap.solve(np.eye(3), [-1.0, 0.0, 0.0], 0.5, **choices)


def test_the_history_of_a_solve_falls_from_the_start_to_the_tolerance():
    count = 30
    rng = np.random.default_rng(1)
    A = rng.normal(size=(3 * count, 3 * count))
    W = A @ A.T / count + np.eye(3 * count)
    solution = riprap.solve(W, -np.ones(3 * count), mu=0.3, solver="gauss-seidel", tolerance=1e-9)
    iterations, residual = solution.history.T
    assert iterations[0] == 0 and (np.diff(iterations) >= 0).all() and iterations[-1] == solution.iterations
    assert residual[0] > 0.1 and residual[-1] <= 1e-9 and residual[-1] == pytest.approx(solution.residual, abs=1e-12)
    assert len(residual) > 5
