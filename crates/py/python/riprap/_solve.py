"""The solver alone: contact problems as matrices, and as files of FCLib and Siconos."""

from __future__ import annotations

import os
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from riprap import _riprap
from riprap._errors import ProblemError

Floats = NDArray[np.float64]

SOLVERS: tuple[str, ...] = tuple(_riprap.SOLVERS)
"""The names of all solvers."""


@dataclass(frozen=True)
class Solution:
    """The result of a solve."""

    impulse: Floats
    """Impulses ``r`` (M, size): the normal one first."""
    velocity: Floats
    """Relative velocities ``u`` (M, size)."""
    motion: Floats
    """Velocities ``v`` of the freedoms of a global problem; empty for a local one."""
    converged: bool
    """True if the residual is below the tolerance."""
    residual: float
    """The residual in units of the problem."""
    residual_siconos: float
    """The residual as Siconos computes it, which depends on units."""
    iterations: int
    """Sweeps, or steps of Newton's method."""
    passes: int
    """Visits of all contacts."""
    solver: str
    """The method that found the result."""
    history: Floats
    """Iterations and residual (K, 2) wherever the solve looked at it, the start first; the residual is that of the
    tolerance."""
    reason: str | None
    """Why it did not converge."""


class Problem:
    """A contact problem: ``u = W r + q``, or ``M v = H r + f`` with ``u = Hᵀ v + w``, and the laws of Signorini and Coulomb for
    each contact. Contacts have 2 rows in 2D, 3 in 3D, and 5 with rolling friction, the normal first."""

    def __init__(self, native: Any) -> None:
        self._native = native
        self._parts: dict[str, Any] = native.parts()
        self.size: int = self._parts["size"]
        """Rows per contact."""
        self.contacts: int = self._parts["contacts"]
        """The number of contacts."""
        self.title: str = self._parts["title"]
        """The title in its file."""
        self.friction: Floats = self._parts["friction"]
        """Coulomb's friction (M,)."""

    @classmethod
    def local(cls, W: Any, q: ArrayLike, mu: ArrayLike, *, rolling: ArrayLike | None = None) -> Problem:
        """``u = W r + q``; the arguments are those of :func:`solve`."""
        q = _vector(q, "q")
        friction, limits, size = _law(mu, rolling, len(q), "q")
        return cls(_riprap.Problem.local(size, _entries(W, "W"), q.tolist(), friction, limits))

    @classmethod
    def from_bodies(
        cls, M: Any, H: Any, f: ArrayLike, w: ArrayLike, mu: ArrayLike, *, rolling: ArrayLike | None = None
    ) -> Problem:
        """``M v = H r + f``, ``u = Hᵀ v + w``; the arguments are those of :func:`solve_global`."""
        w = _vector(w, "w")
        friction, limits, size = _law(mu, rolling, len(w), "w")
        m, h, f = _entries(M, "M"), _entries(H, "H"), _vector(f, "f")
        return cls(_riprap.Problem.global_(size, m, h, f.tolist(), w.tolist(), friction, limits))

    @property
    def is_global(self) -> bool:
        """True for the global form, with ``M`` and ``H``."""
        return "M" in self._parts

    def matrix(self, name: str) -> Any:
        """``W``, ``M`` or ``H`` as a SciPy matrix (COO)."""
        from scipy.sparse import coo_matrix

        if name not in ("W", "M", "H") or name not in self._parts:
            raise KeyError(f"the problem has no matrix {name!r}")
        part = self._parts[name]
        return coo_matrix((part["value"], (part["row"], part["column"])), shape=(part["rows"], part["columns"]))

    def vector(self, name: str) -> Floats:
        """``q`` of a local problem, ``f`` or ``w`` of a global one."""
        if name not in ("q", "f", "w") or name not in self._parts:
            raise KeyError(f"the problem has no vector {name!r}")
        vector: Floats = self._parts[name]
        return vector

    def solve(
        self,
        *,
        solver: str = "auto",
        order: str = "spatial",
        tolerance: float = 1e-8,
        criterion: str = "scaled",
        max_iterations: int = 1_000_000,
        seed: int = 0,
        start: ArrayLike | None = None,
    ) -> Solution:
        """Solves it. ``solver`` is auto, gauss-seidel, momentum or newton; ``criterion``, scaled or siconos, is the
        residual that ``tolerance`` applies to; ``start`` are the initial impulses."""
        if criterion not in ("scaled", "siconos"):
            raise ValueError(f"criterion must be scaled or siconos, not {criterion!r}")
        if not (np.isfinite(tolerance) and tolerance >= 0.0):
            raise ValueError(f"tolerance must be a number, 0 or greater, not {tolerance!r}")
        first = None if start is None else _vector(start, "start").ravel().tolist()
        found = self._native.solve(
            solver, order, float(tolerance), criterion == "siconos", int(max_iterations), int(seed), first
        )
        for name in ("impulse", "velocity"):
            found[name] = found[name].reshape(self.contacts, self.size)
        found["history"] = np.array(found["history"], dtype=np.float64).reshape(-1, 2)
        return Solution(**found)

    def write(self, path: str | os.PathLike[str], *, title: str = "", solution: Solution | None = None) -> None:
        """Writes it to an FCLib file (HDF5)."""
        found = None
        if solution is not None:
            parts = (solution.impulse, solution.velocity, solution.motion)
            found = tuple(np.asarray(part).ravel().tolist() for part in parts)
        self._native.write(os.fspath(path), title or self.title, found)

    def __repr__(self) -> str:
        kind = "global" if self.is_global else "local"
        return f"<{kind} contact problem: {self.contacts} contacts of {self.size} rows>"


def read_problem(path: str | os.PathLike[str]) -> Problem:
    """The contact problem in an FCLib (HDF5) or Siconos (text) file."""
    return Problem(_riprap.Problem.read(os.fspath(path)))


def solve(W: Any, q: ArrayLike, mu: ArrayLike, *, rolling: ArrayLike | None = None, **choices: Any) -> Solution:
    """Solves ``u = W r + q``. ``W`` is dense or a SciPy sparse matrix; ``mu`` is the friction coefficient of each
    contact, or of all; with ``rolling``, the rolling limits, contacts have 5 rows. ``choices`` are the arguments of
    :meth:`Problem.solve`.

    >>> import numpy as np
    >>> solution = solve(np.eye(2), [-1.0, 0.1], mu=0.5)
    >>> solution.impulse.round(3).tolist()
    [[1.0, -0.1]]
    """
    return Problem.local(W, q, mu, rolling=rolling).solve(**choices)


def solve_global(
    M: Any,
    H: Any,
    f: ArrayLike,
    w: ArrayLike,
    mu: ArrayLike,
    *,
    rolling: ArrayLike | None = None,
    **choices: Any,
) -> Solution:
    """Solves ``M v = H r + f``, ``u = Hᵀ v + w``. ``M`` and ``H`` are dense or SciPy sparse matrices; everything else
    is as in :func:`solve`."""
    return Problem.from_bodies(M, H, f, w, mu, rolling=rolling).solve(**choices)


def _law(mu: ArrayLike, rolling: ArrayLike | None, rows: int, name: str) -> tuple[list[float], list[float], int]:
    """Frictions, limits of rolling, and rows per contact. Contacts in the plane and in space are told apart by the number
    of frictions; one friction for all is for space, unless only the plane divides the rows."""
    friction = np.asarray(mu, dtype=np.float64)
    if rolling is not None:
        size = 5
    elif friction.ndim == 0:
        size = 3 if rows % 3 == 0 else 2
    else:
        size = rows // max(len(friction), 1)
    if size not in (2, 3, 5) or rows % size:
        raise ProblemError(f"{name} has {rows} rows, which do not fit {friction.size} contacts of 2, 3 or 5 rows")
    contacts = rows // size
    try:
        friction = np.broadcast_to(friction, (contacts,))
        limits = [] if rolling is None else np.broadcast_to(np.asarray(rolling, dtype=np.float64), (contacts,)).tolist()
    except ValueError:
        raise ProblemError(f"friction and rolling limit must be given for each of the {contacts} contacts") from None
    return friction.tolist(), limits, size


def _vector(values: ArrayLike, name: str) -> Floats:
    try:
        array = np.asarray(values, dtype=np.float64).ravel()
    except (TypeError, ValueError) as error:
        raise ProblemError(f"{name} must be numbers: {error}") from error
    if not np.isfinite(array).all():
        raise ProblemError(f"{name} must be finite")
    return array


def _entries(matrix: Any, name: str) -> SimpleNamespace:
    if hasattr(matrix, "tocoo"):
        coo = matrix.tocoo()
        rows, columns = coo.shape
        row, column, value = coo.row, coo.col, coo.data
    else:
        try:
            dense = np.asarray(matrix, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise ProblemError(f"{name} must be a matrix of numbers: {error}") from error
        if dense.ndim != 2:
            raise ProblemError(f"{name} must have two dimensions, not {dense.ndim}")
        rows, columns = dense.shape
        row, column = np.nonzero(dense)
        value = dense[row, column]
    value = np.asarray(value, dtype=np.float64)
    if not np.isfinite(value).all():
        raise ProblemError(f"{name} must be finite")
    return SimpleNamespace(
        rows=int(rows), columns=int(columns), row=row.tolist(), column=column.tolist(), value=value.tolist()
    )
