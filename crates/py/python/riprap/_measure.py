"""Measurements and pictures of simulations and snapshots."""

from __future__ import annotations

import csv
import html
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from riprap import _riprap

if TYPE_CHECKING:
    import pandas

MEASUREMENTS: tuple[str, ...] = tuple(word for word, _ in _riprap.Packing.measurements())
"""The names of all measurements, as ``riprap measure --what`` knows them."""


class Columns(Mapping[str, NDArray[Any]]):
    """A table: read-only arrays by the names of its columns."""

    def __init__(self, columns: Mapping[str, NDArray[Any]]) -> None:
        self._columns = dict(columns)
        for array in self._columns.values():
            array.flags.writeable = False

    @classmethod
    def from_csv(cls, text: str) -> Self:
        """The table in a CSV file. An incomplete last line is ignored."""
        whole = text[: text.rfind("\n") + 1]
        head, *rows = csv.reader(whole.splitlines()) if whole else [[]]
        return cls.of_cells(head, rows)

    @classmethod
    def of_cells(cls, head: Sequence[str], rows: Sequence[Sequence[str]]) -> Self:
        """The table with these rows of text; columns that consist of numbers become numbers."""
        return cls({key: _column([row[k] for row in rows]) for k, key in enumerate(head)})

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(next(iter(self._columns.values()), ()))

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a DataFrame."""
        import pandas

        return pandas.DataFrame(self._columns)

    def __repr__(self) -> str:
        return f"<{self.rows} rows: {', '.join(self._columns)}>"

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{html.escape(name)}</th>" for name in self._columns)
        shown = range(min(self.rows, 10))
        body = "".join(
            "<tr>" + "".join(f"<td>{_cell(column[row])}</td>" for column in self._columns.values()) + "</tr>"
            for row in shown
        )
        more = f"<caption>{self.rows} rows</caption>"
        return f"<table>{more}<tr>{head}</tr>{body}</table>"


def _column(cells: list[str]) -> NDArray[Any]:
    """Numbers where all cells are numbers or empty, else text."""
    try:
        return np.array([float(cell) if cell else np.nan for cell in cells])
    except ValueError:
        return np.array(cells)


def _cell(value: Any) -> str:
    return f"{value:.5g}" if isinstance(value, float | np.floating) else html.escape(str(value))


@dataclass(frozen=True)
class Value:
    """A measured number with its uncertainty and origin."""

    name: str
    unit: str
    """Its unit; empty for a pure number."""
    value: float
    """The number; NaN where there is none, and :attr:`why_not` says why."""
    uncertainty: float | None = None
    """Its standard error."""
    range: tuple[float, float] | None = None
    """For a fit, where its points lie."""
    points: int | None = None
    """For a fit, how many points it has."""
    why_not: str | None = None
    """Why there is no number."""

    def __float__(self) -> float:
        return self.value


class Drawing:
    """A drawing as SVG, which notebooks show."""

    def __init__(self, svg: str) -> None:
        self.svg = svg
        """The text of the SVG file."""

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the SVG file."""
        Path(path).write_text(self.svg, encoding="utf-8")


class Measurement(Mapping[str, Value]):
    """The result of a measurement: numbers by name, tables and plots."""

    def __init__(self, what: str, result: dict[str, Any]) -> None:
        self.what = what
        """The name of the measurement."""
        values = []
        for entry in result["values"]:
            number = np.nan if entry["value"] is None else entry["value"]
            values.append(Value(**(entry | {"value": number})))
        self._values = {value.name: value for value in values}
        self.tables = {
            name: Columns({column: np.ascontiguousarray(rows[:, k]) for k, column in enumerate(columns)})
            for name, (columns, rows) in result["tables"].items()
        }
        """Its tables, by name."""
        self._plots = result["plots"]

    def __getitem__(self, name: str) -> Value:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    @property
    def plots(self) -> list[str]:
        """The names of its plots."""
        return list(self._plots)

    def plot(self, name: str | None = None) -> Drawing:
        """One of its plots; the first if no name is given."""
        if not self._plots:
            raise KeyError(f"the measurement {self.what} has no plots")
        return Drawing(self._plots[self.plots[0] if name is None else name])

    def __repr__(self) -> str:
        return f"<{self.what}: " + ", ".join(f"{v.name} = {v.value:.5g} {v.unit}".strip() for v in self.values()) + ">"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th style='text-align:left'>{html.escape(v.name)}</th>"
            f"<td>{v.why_not or _number(v)}</td><td>{html.escape(v.unit)}</td></tr>"
            for v in self.values()
        )
        plot = self._plots[self.plots[0]] if self._plots else ""
        return f"<div style='display:flex;gap:1em'><table><caption>{self.what}</caption>{rows}</table>{plot}</div>"


def _number(value: Value) -> str:
    return f"{value.value:.5g}" + (f" ± {value.uncertainty:.2g}" if value.uncertainty is not None else "")


class Measurable:
    """Something that can be measured and drawn: a simulation or a snapshot."""

    def _packing(self) -> Any:
        raise NotImplementedError

    def measure(self, what: str, since: Measurable | None = None, **choices: Any) -> Measurement:
        """Makes one of the measurements of ``riprap measure``, by its name; :mod:`riprap.measure` has a function for
        each.

        ``since`` is an earlier state, for strain, displacements and shear band. The choices: ``inner`` (the margin to
        leave out at the sides, in diameters), ``box`` (two corners), ``force_scale``, ``tail``, ``weak``,
        ``pressure_scale``, ``profile_axis``, ``fabric_axis``.
        """
        earlier = None if since is None else since._packing()
        return Measurement(what, self._packing().measure(what, earlier, **choices))

    def picture(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        format: str | None = None,
        colour: str = "plain",
        forces: bool = False,
        axes: tuple[int, int] | None = None,
        slice: tuple[float, float] | None = None,
        width: float | None = None,
        title: str | None = None,
        since: Measurable | None = None,
    ) -> bytes:
        """Draws a picture, as ``riprap picture`` does, and returns it; with a path, it is also written there.

        ``format`` is ``png`` or ``svg``, by default that of the path, or png. ``colour`` is one of plain, speed, spin,
        pressure, pressure-sign, displacement, rotation and wear. ``forces`` draws the force of each contact as a line.
        In 3D, ``slice`` gives the position and thickness of the slice shown.
        """
        if format is None:
            format = "svg" if path is not None and Path(path).suffix == ".svg" else "png"
        earlier = None if since is None else since._packing()
        drawn: bytes = self._packing().picture(
            format=format,
            colour=colour,
            forces=forces,
            axes=axes,
            slice=slice,
            width=width,
            title=title,
            earlier=earlier,
        )
        if path is not None:
            Path(path).write_bytes(drawn)
        return drawn

    def plot(self, **choices: Any) -> Drawing:
        """The picture for a notebook; the choices are those of :meth:`picture`."""
        return Drawing(self.picture(format="svg", **choices).decode())
