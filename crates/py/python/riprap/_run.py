"""Runs that exist: finished, interrupted, failed, or still going on."""

from __future__ import annotations

import base64
import html
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from riprap import _riprap
from riprap._errors import FileError
from riprap._measure import Columns, Measurable, Measurement
from riprap._scene import Scene
from riprap._state import Contacts, Grains
from riprap._view import View, view

if TYPE_CHECKING:
    import pyvista
    import xarray


def open(folder: str | os.PathLike[str]) -> Run:
    """The run in a folder. Nothing is locked: a run in progress can be read, and :meth:`Run.reload` updates
    it."""
    return Run(folder)


class Snapshot(Measurable):
    """The state of a run at one time. The file is read lazily."""

    def __init__(self, file: str | os.PathLike[str], step: int | None = None, time: float | None = None) -> None:
        self.file = Path(file)
        """The file."""
        self._step, self._time = step, time
        self._data: dict[str, Any] | None = None
        self._native: Any = None

    def _read(self) -> dict[str, Any]:
        if self._data is None:
            self._data = _riprap.snapshot(self.file)
        return self._data

    def _packing(self) -> Any:
        if self._native is None:
            self._native = _riprap.Packing.read(self.file)
        return self._native

    @property
    def time(self) -> float:
        """Simulated time in s."""
        return float(self._read()["time"] if self._time is None else self._time)

    @property
    def step(self) -> int:
        """The number of the step."""
        return int(self._read()["step"] if self._step is None else self._step)

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return int(self._read()["dimension"])

    @property
    def grains(self) -> Grains:
        """The grains as arrays."""
        return Grains(self)

    @property
    def contacts(self) -> Contacts:
        """The contacts as arrays."""
        return Contacts(self)

    @property
    def walls(self) -> Columns:
        """The walls: name, id, position, velocity, spin."""
        return Columns({name: np.asarray(column) for name, column in self._read()["walls"].items()})

    def column(self, kind: str, name: str) -> NDArray[Any]:
        """A column of grains or contacts, as stored in the file."""
        return np.asarray(self._read()[kind][name])

    def names(self, kind: str) -> list[str]:
        """The names of materials or groups."""
        return list(self._read()[kind])

    def to_pyvista(self) -> pyvista.MultiBlock:
        """Grains and contacts as points with all their columns, for pyvista."""
        import pyvista

        blocks = pyvista.MultiBlock()
        for name, table, place in (("grains", self.grains, "position"), ("contacts", self.contacts, "point")):
            points = np.zeros((len(table), 3))
            points[:, : self.dimension] = getattr(table, place)
            cloud = pyvista.PolyData(points)
            for column in table._columns:
                values = np.asarray(getattr(table, column))
                if values.dtype.kind in "iuf" and len(values):
                    cloud[column] = values
            blocks[name] = cloud
        return blocks

    def view(self, look: str | Mapping[str, Any] | None = None, *, height: int = 600, port: int = 0) -> View:
        """The viewer: in a notebook, the page in a frame; the arguments are those of :func:`riprap.view`."""
        return view(self.file, look=look, height=height, port=port)

    def _repr_png_(self) -> bytes:
        return self.picture()

    def __repr__(self) -> str:
        return f"<Snapshot of step {self.step}, {self.time:.6g} s: {self.file}>"


class Run(Sequence[Snapshot]):
    """A run on disk: a sequence of its snapshots, with all other contents of its folder."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        """The folder."""
        self._snapshots: list[Snapshot] = []
        self.status = ""
        """``completed``, ``interrupted`` or ``failed``; ``unfinished`` if it goes on or was killed."""
        self.reload()

    def reload(self) -> None:
        """Reads the contents of the folder again."""
        status, listed = _riprap.run_folder(self.folder)
        self.status = status or "unfinished"
        self._snapshots = [Snapshot(file, step, time) for step, time, file in listed if file is not None]

    @overload
    def __getitem__(self, index: int) -> Snapshot: ...
    @overload
    def __getitem__(self, index: slice) -> list[Snapshot]: ...
    def __getitem__(self, index: int | slice) -> Snapshot | list[Snapshot]:
        try:
            return self._snapshots[index]
        except IndexError:
            raise IndexError(f"the run has {len(self)} snapshots, but no number {index}") from None

    def __len__(self) -> int:
        return len(self._snapshots)

    def __iter__(self) -> Iterator[Snapshot]:
        return iter(self._snapshots)

    @property
    def times(self) -> NDArray[np.float64]:
        """The times of the snapshots in s."""
        return np.array([snapshot.time for snapshot in self._snapshots])

    @property
    def scene(self) -> Scene:
        """The resolved scene, with all defaults filled in."""
        return Scene.from_file(self.folder / "scene.toml")

    @property
    def summary(self) -> dict[str, Any] | None:
        """The numbers of ``summary.json``; ``None`` for a run in progress or one that was killed."""
        path = self.folder / "summary.json"
        return dict(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else None

    @property
    def state_hash(self) -> str:
        """The hash of the state at the last good checkpoint."""
        return str(_riprap.folder_hash(self.folder))

    @property
    def series(self) -> Columns:
        """Global quantities over time, from ``series.csv``."""
        return self._table("series.csv")

    @property
    def walls(self) -> Columns:
        """Force, torque and position of each wall over time, from ``walls.csv``."""
        return self._table("walls.csv")

    @property
    def loading(self) -> Columns:
        """Stresses and lengths of the sample over time, from ``loading.csv``."""
        return self._table("loading.csv")

    @property
    def measures(self) -> Columns:
        """The measurements made during the run, from ``measures.csv``."""
        return self._table("measures.csv")

    def contacts(self) -> Columns:
        """The contacts of all snapshots in one long table, with the number of the snapshot."""
        tables = [(number, snapshot.contacts.to_dict()) for number, snapshot in enumerate(self)]
        if not tables:
            return Columns({})
        columns: dict[str, NDArray[Any]] = {
            "snapshot": np.concatenate([np.full(len(table["gap"]), number) for number, table in tables])
        }
        for name in tables[0][1]:
            columns[name] = np.concatenate([table[name] for _, table in tables])
        return Columns(columns)

    def to_xarray(self) -> xarray.Dataset:
        """The grains of all snapshots as a dataset over time, id and axis; values of absent grains are NaN."""
        import xarray

        ids = np.unique(np.concatenate([snapshot.grains.id for snapshot in self])) if len(self) else np.empty(0, int)
        axes = list("xyz"[: self[0].dimension]) if len(self) else []
        fields = {}
        for name, axis in (("position", True), ("velocity", True), ("radius", False), ("mass", False)):
            shape = (len(self), len(ids), len(axes)) if axis else (len(self), len(ids))
            values = np.full(shape, np.nan)
            for number, snapshot in enumerate(self):
                values[number, np.searchsorted(ids, snapshot.grains.id)] = getattr(snapshot.grains, name)
            fields[name] = (("time", "id", "axis") if axis else ("time", "id"), values)
        return xarray.Dataset(fields, coords={"time": self.times, "id": ids, "axis": axes})

    def measure(self, what: str) -> Measurement:
        """Makes a measurement of the whole run: ``history`` (energies, sweeps, residuals and balances over time), ``loading``
        (stress and strain of a loading test) or ``spread`` (how much the forces of the next step vary between random starting points)."""
        return Measurement(what, _riprap.measure_run(what, self.folder))

    def view(self, look: str | Mapping[str, Any] | None = None, *, height: int = 600, port: int = 0) -> View:
        """The viewer: in a notebook, the page in a frame; the arguments are those of :func:`riprap.view`."""
        return view(self.folder, look=look, height=height, port=port)

    def _table(self, name: str) -> Columns:
        path = self.folder / name
        try:
            text = path.read_text(encoding="utf-8")
        except OSError as error:
            raise FileError(f"the run has no {name}: {error}") from error
        return Columns.from_csv(text)

    def __repr__(self) -> str:
        return f"<Run {self.folder}: {self.status}, {len(self)} snapshots>"

    def _repr_html_(self) -> str:
        summary = self.summary or {}
        numbers = {key: value for key, value in summary.items() if isinstance(value, str | int | float)}
        rows = "".join(
            f"<tr><th style='text-align:left'>{html.escape(key.replace('_', ' '))}</th><td>{html.escape(_short(value))}</td></tr>"
            for key, value in list(numbers.items())[:14]
        )
        picture = ""
        if len(self):
            drawn = base64.b64encode(self[-1].picture(width=300)).decode()
            picture = f"<img style='height:20em' src='data:image/png;base64,{drawn}'>"
        title = html.escape(f"{self.folder}: {self.status}, {len(self)} snapshots")
        return f"<div style='display:flex;gap:1em'><table><caption><b>{title}</b></caption>{rows}</table>{picture}</div>"


def _short(value: Any) -> str:
    return f"{value:.5g}" if isinstance(value, float) else str(value)
