"""What a program controls while a simulation runs: forces, walls, the cell, laws.

A value is a constant or a callable. Callables are asked before every step, at the middle of the step, and what they return
holds for that step. Constants hold until they are changed or given free by ``None``.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from riprap import _riprap
from riprap._errors import BodyError, ControlError
from riprap._state import Floats

if TYPE_CHECKING:
    from riprap._simulation import Simulation

Driven = ArrayLike | str | Sequence[str] | Callable[..., Any] | None


def asker(function: Callable[..., Any]) -> Callable[[float, Any], Any]:
    """Calls ``function(time)`` or ``function(time, simulation)``, whichever it takes."""
    try:
        positional = [
            parameter
            for parameter in inspect.signature(function).parameters.values()
            if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
            and parameter.default is parameter.empty
            or parameter.kind == parameter.VAR_POSITIONAL
        ]
    except (TypeError, ValueError):
        return lambda time, _: function(time)
    if len(positional) >= 2 or any(parameter.kind == parameter.VAR_POSITIONAL for parameter in positional):
        return function
    return lambda time, _: function(time)


def numbers(value: Any, shape: tuple[int, ...], what: str, unit: str = "") -> Floats:
    """The value as finite numbers of a shape; texts with units where a unit is known. ``what`` is for messages."""
    try:
        if unit and isinstance(value, str):
            value = _riprap.in_si(value, unit)
        elif unit and isinstance(value, Sequence) and any(isinstance(entry, str) for entry in value):
            value = [_riprap.in_si(entry, unit) if isinstance(entry, str) else entry for entry in value]
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ControlError(f"{what} must be numbers of shape {shape}: {error}") from error
    if array.shape != shape:
        raise ControlError(f"{what} must have shape {shape}, not {array.shape}")
    if not np.isfinite(array).all():
        raise ControlError(f"{what} must be finite")
    return array


class Controls:
    """All that is controlled, by a key of its own each, in the order in which it was set."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._entries: dict[Any, tuple[Callable[[Any], None], Any]] = {}
        self._is_stale = False
        self._stage = -1

    def set(self, key: Any, apply: Callable[[Any], None], value: Any, release: Callable[[], None] | None = None) -> None:
        """Controls something by ``apply``, from now on. A constant is applied at once, so that a wrong one is an exception
        here and changes nothing. ``release`` gives free what no stage of the scene sets anew."""
        simulation = self._simulation
        with simulation._alone(or_called_back=True):
            simulation._core.control()
            if value is None:
                self._entries.pop(key, None)
                (release or simulation._core.restore_stage)()
                self._is_stale = True
            elif callable(value):
                self._entries[key] = (apply, asker(value))
            else:
                apply(value)
                self._entries.pop(key, None)
                if release is None:
                    self._entries[key] = (apply, value)

    def forget_wall(self, name: str) -> None:
        """Controls a wall no more that is gone."""
        for key in [key for key in self._entries if isinstance(key, tuple) and key[:2] == ("wall", name)]:
            del self._entries[key]

    @property
    def step_by_step(self) -> bool:
        """True if something is asked before every step."""
        return any(callable(value) for _, value in self._entries.values())

    def __bool__(self) -> bool:
        return bool(self._entries)

    def apply(self) -> None:
        """Applies all that is due before a step."""
        core = self._simulation._core
        stage = core.stage
        is_stale = self._is_stale or stage != self._stage
        middle = core.time + 0.5 * core.next_time_step
        for apply, value in list(self._entries.values()):
            if callable(value):
                apply(value(middle, self._simulation))
            elif is_stale:
                apply(value)
        self._is_stale, self._stage = False, stage


class Wall:
    """A wall: its position, the forces of the grains on it, and what drives it.

    Setting ``velocity``, ``force`` or ``spin``, or calling :meth:`push`, drives it, with constants or with callables of
    the time, or of the time and the simulation; ``None`` returns control to the scene. Entries that are ``None`` leave
    their axis unchanged.
    """

    def __init__(self, simulation: Simulation, row: int, name: str, id: int) -> None:
        self._simulation = simulation
        self._row = row
        self._mass: float | None = None
        self.name = name
        """Its name in the scene."""
        self.id = id
        """Its id, as in contacts."""

    def _get(self, name: str) -> Floats:
        array = np.asarray(self._simulation._wall_columns()[name][self._row])
        array.flags.writeable = False
        return array

    @property
    def position(self) -> Floats:
        """Its position (D,) in m."""
        return self._get("position")

    @property
    def torque(self) -> Floats:
        """Torque of the grains on it about its position, in N m."""
        return self._get("torque")

    @property
    def power(self) -> float:
        """The power that it supplies to the grains, in W."""
        return float(self._get("power"))

    @property
    def mass(self) -> float:
        """Its mass in kg, for motion under a force or a pressure."""
        return float(self._get("mass"))

    @mass.setter
    def mass(self, mass: float | str) -> None:
        value = float(numbers(mass, (), f"the mass of wall {self.name!r}", "kg"))
        if value <= 0.0:
            raise ControlError(f"the mass of wall {self.name!r} must be positive")
        self._mass = value
        self._set("mass", lambda _: self._drive([]), value)

    @property
    def velocity(self) -> Floats:
        """Its velocity (D,) in m/s. When set: the imposed velocity."""
        return self._get("velocity")

    @velocity.setter
    def velocity(self, value: Driven) -> None:
        self._set("along", lambda value: self._drive(self._vector(value, "velocity", "m/s")), value)

    @property
    def force(self) -> Floats:
        """The force of the grains on it (D,) in N. When set: the external force under which it accelerates according to
        its mass, gravity included."""
        return self._get("force")

    @force.setter
    def force(self, value: Driven) -> None:
        self._set("along", lambda value: self._drive(self._vector(value, "force", "N")), value)

    def push(self, pressure: Driven, axis: int, area: float | str | Callable[..., Any]) -> None:
        """Loads the wall by a pressure along an axis: the force is pressure × area, and its sign is that of the pressure.
        Pressure and area (m²) may be callables."""
        asked = asker(area) if callable(area) else None

        def apply(value: Any) -> None:
            simulation = self._simulation
            middle = simulation.time + 0.5 * simulation.next_time_step
            extent = asked(middle, simulation) if asked else area
            drives: list[Any] = [None] * simulation.dimension
            drives[axis] = (
                "pressure",
                float(numbers(value, (), f"the pressure on wall {self.name!r}", "Pa")),
                float(numbers(extent, (), f"the loaded area of wall {self.name!r}", "m2")),
            )
            self._drive(drives)

        if not (isinstance(axis, int) and 0 <= axis < self._simulation.dimension):
            raise ControlError(f"axis must be between 0 and {self._simulation.dimension - 1}, not {axis!r}")
        if asked and not callable(pressure) and pressure is not None:
            constant = pressure
            pressure = lambda time: constant  # noqa: E731
        self._set(("push", axis), apply, pressure)

    @property
    def spin(self) -> Floats | float:
        """Its angular velocity in rad/s. When set: the imposed angular velocity, about its position."""
        spin = self._get("spin")
        return spin if len(spin) == 3 else float(spin[0])

    @spin.setter
    def spin(self, value: Driven) -> None:
        def apply(value: Any) -> None:
            shape = (3,) if self._simulation.dimension == 3 else ()
            spins = np.atleast_1d(numbers(value, shape, f"the spin of wall {self.name!r}", "rad/s"))
            self._drive([], [("velocity", float(spin), 0.0) for spin in spins])

        self._set("about", apply, value)

    def _vector(self, value: Any, kind: str, unit: str) -> list[tuple[str, float, float] | None]:
        dimension = self._simulation.dimension
        what = f"the {kind} of wall {self.name!r}"
        if isinstance(value, Sequence) and not isinstance(value, str) and None in value:
            if len(value) != dimension:
                raise ControlError(f"{what} must have {dimension} entries, not {len(value)}")
            entries = [None if entry is None else float(numbers(entry, (), what, unit)) for entry in value]
        else:
            entries = list(numbers(value, (dimension,), what, unit))
        return [None if entry is None else (kind, float(entry), 0.0) for entry in entries]

    def _drive(self, along: list[Any], about: list[Any] | None = None) -> None:
        try:
            self._simulation._core.drive_wall(self.id, along, about or [], self._mass)
        except ValueError as error:
            raise ControlError(str(error)) from None

    def _set(self, key: Any, apply: Callable[[Any], None], value: Any) -> None:
        self._simulation._controls.set(("wall", self.name, key), apply, value)

    def __repr__(self) -> str:
        return f"<wall {self.name!r} at {self.position.tolist()}>"


class Walls(Mapping[str, Wall]):
    """The walls by name."""

    def __init__(self, simulation: Simulation) -> None:
        columns = simulation._wall_columns()
        self._walls = {
            name: Wall(simulation, row, name, int(columns["id"][row])) for row, name in enumerate(columns["name"])
        }

    def __getitem__(self, name: str) -> Wall:
        if name not in self._walls:
            raise BodyError(f"there is no wall {name!r}; there are {', '.join(self._walls) or 'none'}")
        return self._walls[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._walls)

    def __len__(self) -> int:
        return len(self._walls)

    def __contains__(self, name: object) -> bool:
        return name in self._walls


class Cell:
    """The periodic cell of a scene with a ``[cell]``: its lengths, and what drives it."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation

    @property
    def period(self) -> Floats:
        """Lengths of the periods (D,) in m; zero along axes that are not periodic."""
        return np.asarray(self._simulation._core.cell()[1])

    @property
    def rate(self) -> Floats:
        """Rates of stretching (D,) in 1/s."""
        return np.asarray(self._simulation._core.cell()[2])

    def stretch(self, axis: int, rate: Driven) -> None:
        """Imposes the rate of stretching along an axis, in 1/s."""
        self._drive(axis, "rate", rate, "1/s")

    def press(self, axis: int, pressure: Driven) -> None:
        """Imposes the pressure along an axis, in Pa."""
        self._drive(axis, "pressure", pressure, "Pa")

    def _drive(self, axis: int, kind: str, value: Driven, unit: str) -> None:
        simulation = self._simulation
        if not (isinstance(axis, int) and 0 <= axis < simulation.dimension):
            raise ControlError(f"axis must be between 0 and {simulation.dimension - 1}, not {axis!r}")

        def apply(value: Any) -> None:
            try:
                simulation._core.drive_cell(axis, kind, float(numbers(value, (), f"the {kind} of the cell", unit)))
            except ControlError:
                raise
            except ValueError as error:
                raise ControlError(str(error)) from None

        simulation._controls.set(("cell", axis), apply, value)


class PairLaw:
    """The contact law between two materials. Setting one of its numbers changes it from the next step on."""

    _NAMES = ("static_friction", "dynamic_friction", "restitution", "tangential_restitution")
    _RANGES = {"restitution": (0.0, 1.0), "tangential_restitution": (-1.0, 1.0)}

    def __init__(self, simulation: Simulation, materials: tuple[str, str], indices: tuple[int, int]) -> None:
        self._simulation = simulation
        self._materials = materials
        self._indices = indices

    def _get(self, name: str) -> float:
        return float(self._simulation._core.pair_law(*self._indices)[name])

    def _put(self, values: dict[str, Driven]) -> None:
        for name, value in values.items():
            apply = functools.partial(self._change, name)
            self._simulation._controls.set(("law", self._materials, name), apply, value)

    def _change(self, name: str, value: Any) -> None:
        number = float(numbers(value, (), f"the {name} between {' and '.join(self._materials)}"))
        low, high = self._RANGES.get(name, (0.0, np.inf))
        if not low <= number <= high:
            raise ControlError(f"the {name} between {' and '.join(self._materials)} must be between {low} and {high}")
        core = self._simulation._core
        core.set_pair_law(*self._indices, **(core.pair_law(*self._indices) | {name: number}))

    @property
    def friction(self) -> float:
        """Friction coefficient of sliding contacts; setting it also sets the static one."""
        return self._get("dynamic_friction")

    @friction.setter
    def friction(self, value: Driven) -> None:
        self._put({"static_friction": value, "dynamic_friction": value})

    @property
    def static_friction(self) -> float:
        """Friction coefficient of sticking contacts."""
        return self._get("static_friction")

    @static_friction.setter
    def static_friction(self, value: Driven) -> None:
        self._put({"static_friction": value})

    @property
    def restitution(self) -> float:
        """Normal restitution, 0 to 1."""
        return self._get("restitution")

    @restitution.setter
    def restitution(self, value: Driven) -> None:
        self._put({"restitution": value})

    @property
    def tangential_restitution(self) -> float:
        """Tangential restitution, -1 to 1."""
        return self._get("tangential_restitution")

    @tangential_restitution.setter
    def tangential_restitution(self, value: Driven) -> None:
        self._put({"tangential_restitution": value})

    def __repr__(self) -> str:
        law = ", ".join(f"{name}={self._get(name):g}" for name in self._NAMES)
        return f"<law between {' and '.join(self._materials)}: {law}>"


class PairLaws:
    """The contact laws by pair of materials: ``sim.laws["stone", "steel"]``; ``sim.laws["stone"]`` is that of stone on
    stone."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation

    def __getitem__(self, materials: str | tuple[str, str]) -> PairLaw:
        a, b = (materials, materials) if isinstance(materials, str) else materials
        names: list[str] = self._simulation._core.names()[0]
        for name in (a, b):
            if name not in names:
                raise BodyError(f"there is no material {name!r}; there are {', '.join(names)}")
        return PairLaw(self._simulation, (a, b), (names.index(a), names.index(b)))


class LawContacts:
    """The contacts of a step before it is solved, for user-defined laws.

    ``friction``, ``adhesion`` and ``shift`` may be written to: the friction coefficient of each contact (M,), its
    largest tension (M,) in N, and a velocity (M, D) in m/s that is added to its relative velocity in the laws of
    Signorini and Coulomb. Their initial values are those of the materials.
    """

    time: float
    """Time at the start of the step."""
    time_step: float
    """The time step."""
    body1: NDArray[np.int64]
    """Ids of body 1 (M,)."""
    body2: NDArray[np.int64]
    """Ids of body 2 (M,)."""
    normal: Floats
    """Unit vectors (M, D) from body 1 to body 2."""
    point: Floats
    """Contact points (M, D)."""
    gap: Floats
    """Gaps (M,); negative is overlap."""
    velocity: Floats
    """Relative velocities (M, D) of body 2 against body 1 before the solve."""
    force: Floats
    """Forces (M, D) of the last step on body 2; zero for a new contact."""
    friction: Floats
    """Coulomb's friction (M,)."""
    adhesion: Floats
    """The tension that a contact bears (M,) in N."""
    shift: Floats
    """Added to the relative velocity in the law (M, D)."""

    def __init__(self, columns: dict[str, Any]) -> None:
        self.__dict__.update(columns)

    def __len__(self) -> int:
        return len(self.gap)


def law_caller(function: Callable[[LawContacts], Any]) -> Callable[[dict[str, Any]], tuple[Floats, Floats, Floats]]:
    """What the module calls in every step: hands the contacts to the user's function and takes back the three columns."""

    def call(columns: dict[str, Any]) -> tuple[Floats, Floats, Floats]:
        contacts = LawContacts(columns)
        count, dimension = contacts.normal.shape
        function(contacts)
        friction = numbers(contacts.friction, (count,), "friction of the law")
        adhesion = numbers(contacts.adhesion, (count,), "adhesion of the law")
        shift = numbers(contacts.shift, (count, dimension), "shift of the law")
        for name, column in (("friction", friction), ("adhesion", adhesion)):
            if (column < 0.0).any():
                raise ControlError(f"{name} of the law must not be negative, but that of contact {column.argmin()} is")
        return shift, friction, adhesion

    return call
