"""Simulations: stepping, callbacks, state and control."""

from __future__ import annotations

import base64
import contextlib
import html
import json
import os
import threading
import warnings
import weakref
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from riprap import _riprap, _toml
from riprap._control import Cell, Controls, Driven, LawContacts, PairLaws, Walls, law_caller, numbers
from riprap._edit import Edit
from riprap._errors import (
    BusyError,
    ControlError,
    EndedError,
    NotConvergedWarning,
    RiprapError,
    RunWarning,
)
from riprap._measure import Measurable
from riprap._progress import ProgressLine
from riprap._scene import Scene, as_scene
from riprap._state import Contacts, Floats, Grains, Live, Report
from riprap._view import View, view

Callback = Callable[["Simulation"], Any]


class Simulation(Measurable):
    """A running scene.

    ``scene`` is a :class:`Scene`, a dict, or the path of a scene file. With ``out``, a folder, it writes exactly what
    ``riprap run`` writes; without, nothing. ``replace`` allows it to overwrite a run in that folder. ``threads`` is the
    number of threads (default: all cores), which does not affect the results. ``progress`` switches the progress bar of
    :meth:`run` on or off; by default it is shown in terminals and notebooks.

    >>> sim = Simulation(Scene.template("collision"))
    >>> report = sim.step()
    >>> report.step
    1
    """

    def __init__(
        self,
        scene: Scene | Mapping[str, Any] | str | os.PathLike[str],
        out: str | os.PathLike[str] | None = None,
        *,
        replace: bool = False,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        path = None if out is None else os.fspath(out)
        self._begin(_riprap.Core.begin(as_scene(scene), path, replace, _thread_count(threads)), progress)

    @classmethod
    def resume(
        cls,
        folder: str | os.PathLike[str],
        control: Callable[[Simulation], Any] | None = None,
        *,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> Self:
        """Continues an interrupted run from its last good checkpoint, with bit-identical results.

        A run that had callables, or whose grains, walls or laws were changed, needs its controls again: ``control`` is
        called with the simulation before its first step, to install what controlled the run. Without it such a run raises
        :class:`ControlledError`.
        """
        core = _riprap.Core.resume(os.fspath(folder), control is not None, _thread_count(threads))
        if core is None:
            raise EndedError(f"the run in {os.fspath(folder)} is complete; there is nothing to resume")
        return cls._taken_up(core, control, progress)

    @classmethod
    def _taken_up(cls, core: Any, control: Callable[[Simulation], Any] | None, progress: bool | None) -> Self:
        simulation = cls.__new__(cls)
        simulation._begin(core, progress)
        if control is not None:
            try:
                control(simulation)
            except BaseException:
                simulation.close()
                raise
        return simulation

    def _begin(self, core: Any, progress: bool | None) -> None:
        self._core = core
        self._progress = progress
        self._version = 0
        self._is_paused = False
        self._outcome: tuple[str, str, list[str]] | None = None
        self._busy = threading.Lock()
        self._owner = 0
        self._callbacks: list[_Trigger] = []
        self._controls = Controls(self)
        self._loads: dict[str, NDArray[np.float64]] = {}
        self._wall_cache: tuple[int, dict[str, Any]] | None = None
        self._grains: Grains | None = None
        self._contacts: Contacts | None = None
        self.dimension: int = core.dimension
        """2 or 3."""
        self._finalizer = weakref.finalize(self, _close, core)

    # Stepping.

    def step(self) -> Report:
        """Takes one step and returns its report."""
        with self._alone():
            self._may_step()
            self._advance(steps=1)
        return self._last_report()

    def run(
        self,
        *,
        steps: int | None = None,
        time: float | str | None = None,
        stage: str | int | None = None,
        until: Callable[[Simulation], Any] | None = None,
    ) -> str:
        """Runs all stages; or a number of steps; or for a time (in s, or a string with a unit); or to the end of a
        stage, given by name or number; or until a function of the simulation returns true. The first limit reached ends
        it.

        Returns why it ended: ``"finished"`` if all stages are done, ``"reached"`` if one of these limits was reached,
        ``"stopped"`` if a callback ended it. Ctrl-C ends it after the current step, with everything written, and raises
        KeyboardInterrupt; the simulation can continue.
        """
        goal = _Goal(self, steps, time, stage, until)
        line = ProgressLine(self._progress)
        with self._alone():
            if self.finished and goal.is_end:
                return "finished"
            self._may_step()
            try:
                return self._run(goal, line)
            except KeyboardInterrupt:
                self._keep()
                raise
            finally:
                line.end()

    def __iter__(self) -> Iterator[Report]:
        """Takes one step after the other until all stages are done: ``for report in sim:``."""
        while not self.finished:
            yield self.step()

    def every(
        self, interval: float | str | None = None, *, steps: int | None = None
    ) -> Callable[[Callback], Callback]:
        """Calls a function with the simulation at every multiple of a simulated time, or of a number of steps::

            @sim.every("5 ms")
            def watch(sim):
                print(sim.time)

        If it returns ``False``, the run ends there. The steps at which it is called depend on the simulated time alone, also after a resume.
        """
        if (interval is None) == (steps is None):
            raise ControlError("every takes a time or steps=, and not both")
        if steps is not None:
            if not isinstance(steps, int | np.integer) or steps < 1:
                raise ControlError(f"steps must be a positive whole number, not {steps!r}")
            return self._installer("steps", int(steps))
        seconds = float(numbers(interval, (), "the interval", "s"))
        if seconds <= 0.0:
            raise ControlError("the interval must be positive")
        return self._installer("time", seconds)

    def at_stage_end(self, function: Callback) -> Callback:
        """Calls a function with the simulation whenever a stage has ended, the last one included::

            @sim.at_stage_end
            def watch(sim): ...
        """
        return self._installer("stage", 0)(function)

    def _installer(self, kind: str, interval: float) -> Callable[[Callback], Callback]:
        def install(function: Callback) -> Callback:
            if not callable(function):
                raise ControlError(f"a callback must be callable, not {function!r}")
            self._callbacks.append(_Trigger(kind, interval, function))
            return function

        return install

    def _run(self, goal: _Goal, line: ProgressLine) -> str:
        now = self._standing()
        while True:
            if goal.is_reached():
                return "reached"
            before = now
            self._advance(**self._reach(goal, before), meanwhile=line.show)
            if line.show:
                line.show(self._core.progress())
            now = self._standing()
            has_ended = self._call_back(before, now)
            if goal.until is not None and goal.until(self):
                return "finished" if now.finished else "reached"
            if now.finished:
                self._keep()
                return "finished"
            if has_ended:
                return "stopped"

    def _standing(self) -> _Standing:
        core = self._core
        return _Standing(core.step, core.time, core.stage, core.finished)

    def _reach(self, goal: _Goal, now: _Standing) -> dict[str, Any]:
        """How far the next call may go before Python is asked again."""
        if self._controls.step_by_step or goal.until is not None:
            return {"steps": 1}
        by_steps = [trigger.next_step(now.step) for trigger in self._callbacks if trigger.kind == "steps"]
        by_time = [trigger.next_time(now.time) for trigger in self._callbacks if trigger.kind == "time"]
        if goal.step is not None:
            by_steps.append(goal.step)
        if goal.time is not None:
            by_time.append(goal.time)
        stage_end = goal.stage is not None or bool(self._controls) or any(t.kind == "stage" for t in self._callbacks)
        return {
            "steps": min(by_steps) - now.step if by_steps else None,
            "time": min(by_time) if by_time else None,
            "stage_end": stage_end,
        }

    def _call_back(self, before: _Standing, now: _Standing) -> bool:
        """Calls what is due after these steps; true if one of them wants the run to end."""
        answers = [trigger.function(self) for trigger in list(self._callbacks) if trigger.is_due(before, now)]
        return any(answer is False for answer in answers)

    def _advance(self, **reach: Any) -> None:
        if self._controls:
            self._controls.apply()
        try:
            self._core.advance(**reach)
        finally:
            self._changed()
            self._tell()

    def _changed(self) -> None:
        self._version += 1
        self._is_paused = False
        self._grains = self._contacts = self._wall_cache = None

    def _tell(self) -> None:
        """Warns of what the run has to say."""
        for text in self._core.news()[1]:
            kind = NotConvergedWarning if "did not converge" in text else RunWarning
            warnings.warn(text, kind, stacklevel=5)

    @contextlib.contextmanager
    def _alone(self, or_called_back: bool = False) -> Iterator[None]:
        """No other thread steps or changes the simulation meanwhile. A callback may change it between steps, but not step
        it."""
        if not self._busy.acquire(blocking=False):
            if or_called_back and self._owner == threading.get_ident():
                yield
                return
            raise BusyError("the simulation is in the middle of a run, in another thread or in the run that called this")
        self._owner = threading.get_ident()
        try:
            yield
        finally:
            self._owner = 0
            self._busy.release()

    def _may_step(self) -> None:
        if self.finished:
            raise EndedError("all stages of the simulation are done; there is nothing left to run")

    def _last_report(self) -> Report:
        report = self.report
        assert report is not None, "a step has been taken"
        return report

    # Where it stands.

    @property
    def time(self) -> float:
        """Simulated time in s."""
        return float(self._core.time)

    @property
    def steps(self) -> int:
        """The number of steps done."""
        return int(self._core.step)

    @property
    def time_step(self) -> float:
        """The length of the last step in s; before the first, that of the longest."""
        return float(self._core.time_step)

    @property
    def next_time_step(self) -> float:
        """The length of the next step in s."""
        return float(self._core.next_time_step)

    @property
    def stage(self) -> str:
        """The name of the stage; once all are done, that of the last."""
        return str(self._core.stages[self._core.stage])

    @property
    def stages(self) -> list[str]:
        """The names of all stages."""
        return list(self._core.stages)

    @property
    def finished(self) -> bool:
        """True if all stages are done."""
        return bool(self._core.finished)

    @property
    def scene(self) -> Scene:
        """The resolved scene, with all defaults filled in."""
        return Scene.from_toml(self._core.scene)

    @property
    def folder(self) -> Path | None:
        """The output folder, if any."""
        folder: Path | None = self._core.folder
        return folder

    @property
    def state_hash(self) -> str:
        """A hash of the exact state, the same as in ``summary.json``: equal states have equal hashes."""
        return str(self._core.state_hash())

    # State.

    @property
    def grains(self) -> Grains:
        """The grains as arrays."""
        if self._grains is None:
            self._grains = Grains(Live(self))
        return self._grains

    @property
    def contacts(self) -> Contacts:
        """The contacts of the last step as arrays."""
        if self._contacts is None:
            self._contacts = Contacts(Live(self))
        return self._contacts

    @property
    def walls(self) -> Walls:
        """The walls by name."""
        return Walls(self)

    @property
    def cell(self) -> Cell:
        """The periodic cell."""
        return Cell(self)

    @property
    def materials(self) -> list[str]:
        """The names of the materials."""
        return list(self._core.names()[0])

    @property
    def laws(self) -> PairLaws:
        """The contact laws between materials, which can be changed: ``sim.laws["stone", "steel"].friction = 0.2``."""
        return PairLaws(self)

    @property
    def report(self) -> Report | None:
        """The report of the last step; ``None`` before the first."""
        report = self._core.report()
        return None if report is None else Report(report)

    @property
    def energy(self) -> Report:
        """The terms of the energy balance in J; ``error`` is its error."""
        return Report(self._core.energy())

    @property
    def exchange(self) -> Report:
        """The mass, momentum and energy added and removed by adding, removing and changing grains."""
        return Report({name: Report(part) for name, part in self._core.exchange().items()})

    @property
    def stress(self) -> Floats:
        """The mean stress (D, D) of the packed region in Pa; compression is positive."""
        return np.asarray(self._core.stress())

    @property
    def summary(self) -> dict[str, Any]:
        """The summary of the run so far, as in ``summary.json``; if there is a folder, all output is written to it."""
        self._keep()
        assert self._outcome is not None, "it was kept"
        return dict(json.loads(self._outcome[0]))

    def _wall_columns(self) -> dict[str, Any]:
        if self._wall_cache is None or self._wall_cache[0] != self._version:
            self._wall_cache = (self._version, self._core.walls())
        return self._wall_cache[1]

    def _packing(self) -> Any:
        return self._core.packing()

    # Control.

    def edit(self) -> Edit:
        """Changes, adds and removes grains::

            with sim.edit() as edit:
                edit.velocity[edit.position[:, 2] > 0.02] = 0
                edit.remove(edit.radius < 0.85e-3)
                edit.add(position=[[0.01, 0.01, 0.05]], radius=1e-3, material="stone")
        """
        return Edit(self)

    def _edit(self, *arguments: Any) -> list[int]:
        with self._alone(or_called_back=True):
            try:
                added: list[int] = self._core.edit(*arguments)
            finally:
                self._changed()
            return added

    def add_wall(self, name: str, **keys: Any) -> list[str]:
        """Adds a wall at rest; the keys are those of :meth:`Scene.wall`. It must not overlap a grain. Returns the names of what
        was added: a box is several walls::

            sim.add_wall("gate", shape="plane", point=[0, 0, "5 cm"], normal=[0, 0, -1])
        """
        given = {key.rstrip("_"): value for key, value in keys.items() if value is not None}
        text = _toml.document({"walls": [{"name": name, **given}]})
        names: list[str] = self._change_walls(lambda: self._core.add_walls(text))
        return names

    def remove_wall(self, name: str) -> None:
        """Removes a wall, of the scene or added, together with its contacts. A wall that others refer to, for
        instance by a pressure between them, cannot be removed."""
        self._change_walls(lambda: self._core.remove_wall(name))
        self._controls.forget_wall(name)

    def _change_walls(self, change: Callable[[], Any]) -> Any:
        with self._alone(or_called_back=True):
            try:
                return change()
            finally:
                self._changed()

    @property
    def forces(self) -> None:
        """Set this to the forces (N, D) on the grains in N, or to a callable that returns them before every step; ``None``
        to remove it. A constant array stays with its grains when others are added or removed."""
        raise AttributeError("forces can be set, not read; contact forces are in contacts.force")

    @forces.setter
    def forces(self, value: ArrayLike | Callable[..., Any] | None) -> None:
        self._set_load("forces", value)

    @property
    def torques(self) -> None:
        """The same for torques in N m: (N, 3) in 3D, (N,) in 2D."""
        raise AttributeError("torques can be set, not read")

    @torques.setter
    def torques(self, value: ArrayLike | Callable[..., Any] | None) -> None:
        self._set_load("torques", value)

    def _set_load(self, kind: str, value: Any) -> None:
        def apply(value: Any) -> None:
            count = self._core.grain_count()
            width = self.dimension if kind == "forces" else (1 if self.dimension == 2 else 3)
            shape = (count,) if kind == "torques" and self.dimension == 2 else (count, width)
            self._loads[kind] = numbers(value, shape, f"the {kind}").reshape(count, width)
            self._core.apply_forces(self._load("forces", count), self._load("torques", count))

        def release() -> None:
            self._loads.pop(kind, None)
            count = self._core.grain_count()
            self._core.apply_forces(self._load("forces", count), self._load("torques", count))

        self._controls.set(kind, apply, value, release)

    def _load(self, kind: str, count: int) -> Floats | None:
        load = self._loads.get(kind)
        return load if load is not None and len(load) == count else None

    @property
    def gravity(self) -> Floats:
        """Gravity (D,) in m/s². It can be set, to a constant or a callable."""
        return np.asarray(self._core.gravity())

    @gravity.setter
    def gravity(self, value: Driven) -> None:
        def apply(value: Any) -> None:
            vector = numbers(value, (self.dimension,), "gravity", "m/s2")
            self._core.set_gravity([*vector, *[0.0] * (3 - self.dimension)])

        self._controls.set("gravity", apply, value)

    def set_law(self, function: Callable[[LawContacts], Any] | None) -> None:
        """Lets a function change the law of every contact before each solve; ``None`` to remove it. Contact dynamics only.

        It gets the contacts as arrays and writes to ``friction``, ``adhesion`` or ``shift``::

            def weakening(contacts):
                slip = np.linalg.norm(contacts.velocity, axis=1)
                contacts.friction[:] = 0.2 + 0.4 * np.exp(-slip / 0.01)

            sim.set_law(weakening)

        It is called from a thread of the simulation, and cannot use the simulation itself.
        """
        if function is not None and not callable(function):
            raise ControlError(f"a law must be callable, not {function!r}")
        method = self.scene.to_dict().get("method", "cd")
        if function is not None and method != "cd":
            raise ControlError(f"the method {method!r} has laws of its own; a law of contacts needs method \"cd\"")
        with self._alone(or_called_back=True):
            self._core.control()
            self._core.set_law(None if function is None else law_caller(function))

    # Ending.

    def view(self, look: str | Mapping[str, Any] | None = None, *, height: int = 600, port: int = 0) -> View:
        """The viewer of the folder that the simulation writes to; the arguments are those of :func:`riprap.view`. The page shows
        new snapshots as they are written."""
        if self.folder is None:
            raise ControlError("a simulation without a folder has no snapshots to view: give it out=, or use plot()")
        return view(self.folder, look=look, height=height, port=port)

    def _keep(self) -> None:
        """Writes everything that is to be written when a process ends, if the run has gone on since."""
        if not self._is_paused:
            self._outcome = self._core.pause()
            self._is_paused = True
            self._tell()

    def close(self) -> None:
        """Ends the simulation, writes everything and releases its folder. This happens automatically at the end of a
        ``with`` block, when the simulation is no longer used, and when Python ends."""
        with self._alone():
            self._finalizer()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        try:
            return f"<Simulation {self._core.title!r}: {self.time:.6g} s, step {self.steps}, stage {self.stage!r}>"
        except RiprapError as error:
            return f"<Simulation: {error}>"

    def _repr_html_(self) -> str:
        energy, report = self.energy, self.report
        rows = {
            "time": f"{self.time:.6g} s, step {self.steps}",
            "stage": f"{self.stage} ({self._core.stage + 1} of {len(self.stages)})",
            "grains": len(self.grains),
            "contacts": len(self.contacts),
            "residual": "–" if report is None else f"{report.residual:.2e}",
            "deepest overlap": "–" if report is None else f"{report.max_overlap:.2e} m",
            "kinetic energy": f"{energy.kinetic:.4g} J",
            "missing in the energy balance": f"{energy.error:.2e} J",
            "folder": self.folder or "none",
        }
        body = "".join(f"<tr><th style='text-align:left'>{k}</th><td>{html.escape(str(v))}</td></tr>" for k, v in rows.items())
        picture = base64.b64encode(self.picture(width=300)).decode()
        return (
            f"<div style='display:flex;gap:1em'><table><caption><b>{html.escape(self._core.title)}</b></caption>{body}</table>"
            f"<img style='height:16em' src='data:image/png;base64,{picture}'></div>"
        )


class _Standing(NamedTuple):
    """Where a simulation stands."""

    step: int
    time: float
    stage: int
    finished: bool


class _Trigger:
    """A callback and when it is due."""

    def __init__(self, kind: str, interval: float, function: Callback) -> None:
        self.kind, self.interval, self.function = kind, interval, function

    def next_step(self, step: int) -> int:
        return (step // int(self.interval) + 1) * int(self.interval)

    def next_time(self, time: float) -> float:
        return (self._count(time) + 1) * self.interval

    def _count(self, time: float) -> int:
        # A step that ends on a multiple but for rounding counts as ending on it, as in the files of a run.
        return int(time / self.interval + 1e-6)

    def is_due(self, before: _Standing, now: _Standing) -> bool:
        if self.kind == "steps":
            return now.step // int(self.interval) > before.step // int(self.interval)
        if self.kind == "time":
            return self._count(now.time) > self._count(before.time)
        return (now.stage, now.finished) != (before.stage, before.finished)


class _Goal:
    """How far a run is to go."""

    def __init__(
        self,
        simulation: Simulation,
        steps: int | None,
        time: float | str | None,
        stage: str | int | None,
        until: Callable[[Simulation], Any] | None,
    ) -> None:
        self._simulation = simulation
        self.step = None if steps is None else simulation.steps + _count(steps)
        self.time = None if time is None else simulation.time + _duration(time)
        self.stage = None if stage is None else _stage_number(simulation, stage)
        if until is not None and not callable(until):
            raise ControlError(f"until must be callable, not {until!r}")
        self.until = until
        self.is_end = steps is None and time is None and stage is None and until is None

    def is_reached(self) -> bool:
        simulation = self._simulation
        return (
            (self.step is not None and simulation.steps >= self.step)
            or (self.time is not None and simulation.time >= self.time - 1e-6 * simulation.time_step)
            or (self.stage is not None and simulation._core.stage > self.stage)
        )


def _count(steps: Any) -> int:
    if not isinstance(steps, int | np.integer) or isinstance(steps, bool) or steps < 0:
        raise ControlError(f"steps must be a whole number, 0 or greater, not {steps!r}")
    return int(steps)


def _duration(time: Any) -> float:
    seconds = float(numbers(time, (), "the time", "s"))
    if seconds < 0.0:
        raise ControlError("the time must not be negative")
    return seconds


def _stage_number(simulation: Simulation, stage: Any) -> int:
    names = simulation.stages
    if isinstance(stage, int) and not isinstance(stage, bool) and 0 <= stage < len(names):
        number = stage
    elif isinstance(stage, str) and stage in names:
        number = names.index(stage)
    else:
        raise ControlError(f"there is no stage {stage!r}; there are {', '.join(names)}")
    if number < simulation._core.stage:
        raise ControlError(f"stage {names[number]!r} is over")
    return number


def _thread_count(threads: Any) -> int | None:
    if threads is None:
        return None
    if not isinstance(threads, int | np.integer) or isinstance(threads, bool) or not 1 <= threads <= 4096:
        raise ControlError(f"threads must be a whole number from 1 to 4096, not {threads!r}")
    return int(threads)


def _close(core: Any) -> None:
    """Ends a simulation with everything written; one that has failed has done so before, and one that another thread still
    steps when Python ends has to be resumed."""
    with contextlib.suppress(EndedError, BusyError):
        if core.folder is not None:
            core.pause()
    with contextlib.suppress(BusyError):
        core.close()
