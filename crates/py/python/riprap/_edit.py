"""Changing grains between two steps: ``with sim.edit() as edit:``."""

from __future__ import annotations

from types import SimpleNamespace, TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from riprap import _riprap
from riprap._control import numbers
from riprap._errors import BodyError, ControlError
from riprap._state import Floats, Integers

if TYPE_CHECKING:
    from riprap._simulation import Simulation


class Edit:
    """The grains as writable arrays. All changes are applied together at the end of the block; if one of them is
    impossible, or if the block raises, none is applied.

    Masses follow from radius and density. The mass, momentum and energy that the changes add and remove are recorded in
    ``sim.exchange``, and as ``exchanged`` in the energy balance.
    """

    id: Integers
    """Ids (N,), to be read only."""
    position: Floats
    """Centres of mass (N, D) in m."""
    velocity: Floats
    """Velocities (N, D) in m/s."""
    spin: Floats
    """Angular velocities in rad/s: (N, 3) in 3D, (N,) in 2D."""
    orientation: Floats
    """Quaternions (N, 4) in the order x, y, z, w in space, angles (N,) in rad in the plane."""
    radius: Floats
    """Radii (N,) in m; only those of balls can be changed."""
    material: NDArray[np.object_]
    """Names of materials (N,); only those of balls can be changed."""
    added: Integers
    """After the block: the ids of the grains that were added."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._removed: list[int] = []
        self._balls = _Balls()
        self.added = np.empty(0, dtype=np.int64)

    def __enter__(self) -> Edit:
        grains = self._simulation.grains
        self.id = grains.id
        self._before = {
            name: np.array(getattr(grains, name))
            for name in ("position", "velocity", "spin", "orientation", "radius")
        } | {"material": grains.material.astype(object)}
        for name, array in self._before.items():
            setattr(self, name, array.copy())
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if kind is None:
            self._apply()

    def remove(self, which: ArrayLike) -> None:
        """Removes grains, given by a mask of N Booleans or by ids, together with their contacts."""
        which = np.asarray(which)
        if which.dtype == np.bool_:
            if which.shape != self.id.shape:
                raise ControlError(f"the mask must have shape {self.id.shape}, not {which.shape}")
            self._removed += self.id[which].tolist()
            return
        ids = np.atleast_1d(which)
        if ids.size and (not np.issubdtype(ids.dtype, np.integer) or ids.ndim != 1):
            raise ControlError("remove takes a mask of Booleans, or ids, which are integers")
        gone = np.setdiff1d(ids, self.id)
        if gone.size:
            raise BodyError(f"there is no grain with id {gone[0]}")
        self._removed += ids.tolist()

    def add(
        self,
        position: ArrayLike,
        radius: ArrayLike | str,
        *,
        material: str | None = None,
        group: str = "grains",
        velocity: ArrayLike = 0.0,
        spin: ArrayLike = 0.0,
    ) -> None:
        """Adds balls at positions (K, D), or (D,) for one; the other values are given for each of them or for all. They
        must not overlap other bodies. The default ``material`` is the first of the scene."""
        dimension = self._simulation.dimension
        position = np.atleast_2d(np.asarray(position, dtype=object if _has_text(position) else None))
        count = len(position)
        centres = numbers(position.tolist(), (count, dimension), "position of the grains to be added")
        if isinstance(radius, str):
            radius = _riprap.in_si(radius, "m")
        radii = _for_each(radius, (count,), "radius of the grains to be added")
        if (radii <= 0.0).any():
            raise ControlError("the radius of added grains must be positive")
        spin_shape = (count, 3) if dimension == 3 else (count,)
        materials = self._simulation.materials
        if material is not None and material not in materials:
            raise BodyError(f"there is no material {material!r}; there are {', '.join(materials)}")
        spins = _for_each(spin, spin_shape, "spin of the grains to be added")
        balls = self._balls
        balls.position += _three(centres)
        balls.radius += radii.tolist()
        balls.velocity += _three(_for_each(velocity, (count, dimension), "velocity of the grains to be added"))
        balls.spin += spins.tolist() if dimension == 3 else [[0.0, 0.0, turn] for turn in spins]
        balls.material += [material or materials[0]] * count
        balls.group += [str(group)] * count

    def _apply(self) -> None:
        dimension = self._simulation.dimension
        before = self._before
        after: dict[str, Any] = {}
        for name in ("position", "velocity", "spin", "orientation", "radius"):
            after[name] = numbers(getattr(self, name), before[name].shape, name)
        material = np.asarray(self.material, dtype=object)
        if material.shape != self.id.shape:
            raise ControlError(f"material must have shape {self.id.shape}, not {material.shape}")
        if (after["radius"] <= 0.0).any():
            raise ControlError(f"radius must be positive, but that of grain {self.id[after['radius'].argmin()]} is not")
        removed = np.unique(np.asarray(self._removed, dtype=np.int64))
        stays = ~np.isin(self.id, removed)
        moved = np.zeros(len(self.id), dtype=bool)
        for name in ("position", "velocity", "spin", "orientation"):
            moved |= (after[name] != before[name]).reshape(len(self.id), -1).any(axis=1)
        moved &= stays
        changed = ((after["radius"] != before["radius"]) | (material != before["material"])) & stays
        balls = [
            (int(self.id[row]), float(after["radius"][row]), self._material_index(material[row]))
            for row in np.flatnonzero(changed)
        ]
        spin = after["spin"].reshape(len(self.id), -1)
        quaternion = _quaternions(after["orientation"], dimension)
        if moved.any() or balls or removed.size or self._balls.radius:
            added = self._simulation._edit(
                self.id[moved].tolist(),
                np.ascontiguousarray(after["position"][moved]),
                np.ascontiguousarray(after["velocity"][moved]),
                np.ascontiguousarray(spin[moved]),
                quaternion[moved].tolist(),
                balls,
                removed.tolist(),
                self._balls,
            )
            self.added = np.asarray(added, dtype=np.int64)

    def _material_index(self, name: Any) -> int:
        materials = self._simulation.materials
        if name not in materials:
            raise BodyError(f"there is no material {name!r}; there are {', '.join(materials)}")
        return materials.index(name)


class _Balls(SimpleNamespace):
    """Columns of balls to be added, as the module takes them."""

    def __init__(self) -> None:
        super().__init__(position=[], radius=[], velocity=[], spin=[], material=[], group=[])


def _for_each(value: ArrayLike, shape: tuple[int, ...], what: str) -> Floats:
    """The value for each of the rows, or one for all."""
    try:
        return numbers(np.broadcast_to(np.asarray(value), shape), shape, what)
    except ValueError as error:
        if isinstance(error, ControlError):
            raise
        raise ControlError(f"{what} does not fit shape {shape}: {error}") from error


def _three(vectors: Floats) -> list[list[float]]:
    """Vectors with a third component, which is zero in the plane."""
    padded = np.zeros((len(vectors), 3))
    padded[:, : vectors.shape[1]] = vectors
    rows: list[list[float]] = padded.tolist()
    return rows


def _has_text(value: Any) -> bool:
    return bool(np.asarray(value).dtype.kind in "USO")


def _quaternions(orientation: Floats, dimension: int) -> Floats:
    if dimension == 2:
        half = 0.5 * orientation
        zero = np.zeros_like(half)
        return np.stack([zero, zero, np.sin(half), np.cos(half)], axis=1)
    length = np.linalg.norm(orientation, axis=1, keepdims=True)
    if (length <= 0.0).any():
        raise ControlError("an orientation must be a quaternion that is not zero")
    # One that was not changed has length 1 but for rounding, and keeps its bits.
    unit: Floats = np.where(np.abs(length - 1.0) < 1e-12, orientation, orientation / length)
    return unit
