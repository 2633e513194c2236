"""The state of a simulation as arrays.

Arrays are copies and cannot be written to, so that whatever is kept stays as it was. They are made when they are asked for
and kept until the simulation goes on.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from riprap._errors import BodyError, StateError

if TYPE_CHECKING:
    import pandas

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

STATUS = ("open", "stick", "slide")
"""What the numbers of :attr:`Contacts.status` mean."""


TOGETHER = ("body1", "body2", "gap", "point", "normal", "force")
"""The columns of contacts that a simulation hands over together."""


class Source(Protocol):
    """Where columns come from: a simulation, or a snapshot."""

    @property
    def dimension(self) -> int: ...

    def column(self, kind: str, name: str) -> NDArray[Any]: ...

    def names(self, kind: str) -> list[str]: ...


class Live:
    """Columns of a simulation as it is now; once it has gone on, those that were not asked for are gone."""

    def __init__(self, simulation: Any) -> None:
        self._simulation = simulation
        self._core = simulation._core
        self._version = simulation._version
        self.dimension: int = simulation.dimension
        self._group: dict[str, Any] = {}

    def count(self, kind: str) -> int:
        """The number of rows."""
        count: int = self._core.grain_count() if kind == "grains" else self._core.contact_count()
        return count

    @property
    def is_now(self) -> bool:
        """True as long as the simulation has not gone on."""
        return bool(self._simulation._version == self._version)

    def column(self, kind: str, name: str) -> NDArray[Any]:
        if not self.is_now:
            raise StateError(
                "the simulation has gone on since these arrays were made: ask it for them again, as in sim.grains.position"
            )
        if kind == "walls":
            return np.asarray(self._simulation._wall_columns()[name])
        if kind == "contacts" and name in TOGETHER:
            if name not in self._group:
                self._group = self._core.contact_group()
            return np.asarray(self._group.pop(name))
        column = self._core.grain_column if kind == "grains" else self._core.contact_column
        return np.asarray(column(name))

    def names(self, kind: str) -> list[str]:
        materials, groups = self._core.names()
        return list(materials if kind == "materials" else groups)


class Table:
    """Columns that are fetched once, and read-only."""

    _kind: str
    _columns: tuple[str, ...]

    def __init__(self, source: Source) -> None:
        self._source = source
        self._fetched: dict[str, NDArray[Any]] = {}

    def _column(self, name: str) -> NDArray[Any]:
        if name not in self._fetched:
            array = self._source.column(self._kind, name)
            array.flags.writeable = False
            self._fetched[name] = array
        return self._fetched[name]

    def _scalar_in_plane(self, name: str) -> Floats:
        """A spin or torque: three components in space, one number in the plane."""
        array = self._column(name)
        return array if self._source.dimension == 3 else array[:, 0]

    def __len__(self) -> int:
        if not self._fetched and isinstance(self._source, Live) and self._source.is_now:
            return self._source.count(self._kind)
        return len(self._column(self._columns[0]))

    def __repr__(self) -> str:
        return f"<{len(self)} {self._kind}: {', '.join(self._columns)}>"

    def to_dict(self) -> dict[str, NDArray[Any]]:
        """All columns, with one column per component of a vector: ``position_x``, ``position_y``."""
        columns: dict[str, NDArray[Any]] = {}
        for name in self._columns:
            array = np.asarray(getattr(self, name))
            if array.ndim == 1:
                columns[name] = array
            else:
                letters = "xyz" if array.shape[1] <= 3 else "xyzw"
                columns |= {f"{name}_{letters[axis]}": array[:, axis] for axis in range(array.shape[1])}
        return columns

    def to_pandas(self) -> pandas.DataFrame:
        """All columns as a DataFrame."""
        import pandas

        return pandas.DataFrame(self.to_dict())


class Grains(Table):
    """The grains, in the order of their ids."""

    _kind = "grains"
    _columns = ("id", "position", "velocity", "spin", "orientation", "radius", "mass", "material", "group")

    @property
    def id(self) -> Integers:
        """Ids (N,). A grain keeps its id, which is never reused."""
        return self._column("id")

    @property
    def position(self) -> Floats:
        """Centres of mass (N, D) in m. Along periodic axes they are unwrapped, except in snapshots."""
        return self._column("position")

    @property
    def velocity(self) -> Floats:
        """Velocities (N, D) in m/s; in a deforming cell, those of a simulation are relative to the cell."""
        return self._column("velocity")

    @property
    def spin(self) -> Floats:
        """Angular velocities in rad/s: (N, 3) in 3D, (N,) in 2D."""
        return self._scalar_in_plane("spin")

    @property
    def orientation(self) -> Floats:
        """Orientations: quaternions (N, 4) in the order x, y, z, w in 3D, angles (N,) in rad in 2D."""
        quaternion = self._column("orientation")
        if self._source.dimension == 3:
            return quaternion
        angle: Floats = 2.0 * np.arctan2(quaternion[:, 2], quaternion[:, 3])
        return angle

    @property
    def radius(self) -> Floats:
        """Radii (N,) in m; for a grain that is not a ball, the distance from its centre to its farthest point."""
        return self._column("radius")

    @property
    def mass(self) -> Floats:
        """Masses (N,) in kg."""
        return self._column("mass")

    @property
    def material(self) -> NDArray[np.str_]:
        """Names of materials (N,)."""
        names: NDArray[np.str_] = np.asarray(self._source.names("materials"))[self._column("material")]
        return names

    @property
    def group(self) -> NDArray[np.str_]:
        """Names of groups (N,)."""
        names: NDArray[np.str_] = np.asarray(self._source.names("groups"))[self._column("group")]
        return names

    def row(self, id: int) -> int:
        """The row of the grain with this id."""
        row = int(np.searchsorted(self.id, id))
        if row == len(self) or self.id[row] != id:
            raise BodyError(f"there is no grain with id {id}")
        return row


class Contacts(Table):
    """The contacts that touched or carried a force in the last step. Normals point from body 1 to body 2, and forces act on
    body 2; bodies are ids of grains and walls."""

    _kind = "contacts"
    _columns = ("body1", "body2", "point", "normal", "gap", "force", "impulse", "torque", "status")

    @property
    def body1(self) -> Integers:
        """Ids of body 1 (M,); for a contact between wall and grain, the wall."""
        return self._column("body1")

    @property
    def body2(self) -> Integers:
        """Ids of body 2 (M,), always a grain."""
        return self._column("body2")

    @property
    def point(self) -> Floats:
        """Contact points (M, D), midway between the two surfaces."""
        return self._column("point")

    @property
    def normal(self) -> Floats:
        """Unit vectors (M, D) from body 1 to body 2."""
        return self._column("normal")

    @property
    def gap(self) -> Floats:
        """Gaps (M,) in m when they were detected; negative is overlap."""
        return self._column("gap")

    @property
    def impulse(self) -> Floats:
        """Impulses of the last step (M, D) in N s."""
        return self._column("impulse")

    @property
    def force(self) -> Floats:
        """Forces (M, D) in N: impulse over time step."""
        return self._column("force")

    @property
    def torque(self) -> Floats:
        """Torques of rolling and torsion friction, in addition to that of the force, in N m: (M, 3) in 3D, (M,) in 2D."""
        return self._scalar_in_plane("torque")

    @property
    def status(self) -> NDArray[np.uint8]:
        """0 open, 1 sticking, 2 sliding (M,)."""
        return self._column("status")

    @property
    def sliding(self) -> NDArray[np.bool_]:
        """True where the contact slid (M,)."""
        sliding: NDArray[np.bool_] = self.status == 2
        return sliding

    @property
    def normal_force(self) -> Floats:
        """The normal part of the force (M,); compression is positive."""
        force: Floats = np.einsum("ij,ij->i", self.force, self.normal)
        return force

    @property
    def tangential_force(self) -> Floats:
        """The tangential part of the force (M, D)."""
        force: Floats = self.force - self.normal_force[:, None] * self.normal
        return force


class Report(dict[str, Any]):
    """The report of a step: a dict whose entries are attributes too, as in ``report.residual``."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"a report has no {name}; it has {', '.join(self)}") from None

    def __dir__(self) -> Iterator[str]:
        return iter([*super().__dir__(), *self])
