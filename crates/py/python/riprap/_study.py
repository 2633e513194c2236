"""Studies: one scene at many values of its keys, a run each."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

from riprap import _riprap, _toml
from riprap._errors import RiprapError, RunWarning
from riprap._measure import Columns, Drawing
from riprap._progress import ProgressLine
from riprap._run import Run
from riprap._scene import Scene, as_scene
from riprap._simulation import Simulation, _thread_count

Control = Callable[[Simulation], Any]


class Executor(Protocol):
    """Anything that takes jobs as :class:`concurrent.futures.Executor` does; a Dask client is one."""

    def submit(self, fn: Callable[..., Any], /, *args: Any) -> Any:
        """Has a function called, and returns a future."""


def study(
    scene: Scene | Mapping[str, Any] | str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    vary: Mapping[str, Any] | None = None,
    seeds: int | Iterable[int] | None = None,
    samples: int | Mapping[str, Any] | None = None,
    cases: Mapping[str, Mapping[str, Any]] | None = None,
    set: Mapping[str, Any] | None = None,
) -> Study:
    """Prepares a study of a scene in the folder ``out``, as ``riprap study --prepare`` does; :meth:`Study.run` runs it.

    ``vary`` has a list of values for each key, or a range ``{"from": 0.1, "to": 0.5, "count": 5}`` (``"scale": "log"``
    for equal ratios); a range without ``count`` is an interval, from which ``samples`` points are drawn (a number, or
    ``{"count": 32, "kind": "random", "seed": 1}``). ``seeds`` is a number of seeds, starting with that of the scene, or
    a list of seeds. ``cases`` are values that belong together, by the name of the case; ``set`` applies to all runs.
    All combinations are run. Everything is checked before anything is written, and :class:`SceneError` lists all
    errors. A folder that contains the same study with fewer values is extended; complete runs are kept.
    """
    plan: dict[str, Any] = {"scene": "scene.toml"}
    if seeds is not None:
        plan["seeds"] = seeds if isinstance(seeds, int) else [int(seed) for seed in seeds]
    if samples is not None:
        plan["samples"] = samples
    if set:
        plan["set"] = dict(set)
    if vary:
        plan["vary"] = {key: _values(values) for key, values in vary.items()}
    if cases:
        plan["cases"] = [{"name": name, "set": dict(values)} for name, values in cases.items()]
    return Study._of(_riprap.Study.prepare(as_scene(scene), _toml.document(plan), os.fspath(out)), out)


def _values(values: Any) -> Any:
    return list(values) if isinstance(values, Iterable) and not isinstance(values, str | Mapping) else values


class Study(Mapping[str, Run]):
    """A study in its folder: its runs by their names, such as ``"friction=0.3,seed=2"``. A run can be opened once it
    has started.

    ``Study(folder)`` opens an existing one, created by Python or by the command.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._native = _riprap.Study.open(os.fspath(folder))
        self.folder = Path(folder)
        """The folder."""

    @classmethod
    def _of(cls, native: Any, folder: str | os.PathLike[str]) -> Study:
        made = cls.__new__(cls)
        made._native, made.folder = native, Path(folder)
        return made

    def __getitem__(self, name: str) -> Run:
        for known, folder, *_ in self._native.runs():
            if known == name:
                return Run(folder)
        raise KeyError(f"the study has no run {name!r}; it has {', '.join(self)}")

    def __contains__(self, name: object) -> bool:
        return name in list(self)

    def __iter__(self) -> Iterator[str]:
        return (run[0] for run in self._native.runs())

    def __len__(self) -> int:
        return len(self._native.runs())

    @property
    def varied(self) -> list[str]:
        """The names of the varied quantities, with the seed last."""
        return list(self._native.parameters)

    @property
    def runs(self) -> Columns:
        """A row per run: ``run``, ``status`` (``completed``, ``interrupted``, ``failed`` or ``waiting``), and its values."""
        rows = [(name, status or "waiting", *values) for name, _, values, status in self._native.runs()]
        return Columns.of_cells(["run", "status", *self.varied], rows)

    def run(
        self,
        executor: Executor | None = None,
        *,
        control: Control | None = None,
        threads: int | None = None,
        jobs: int | None = None,
        retry_failed: bool = False,
        progress: bool | None = None,
    ) -> None:
        """Runs everything that is not complete; interrupted runs continue where they stopped, with bit-identical
        results.

        Without an executor, ``jobs`` runs at a time share the ``threads``, as in ``riprap study`` (default: one run per
        core). With an ``executor`` of :mod:`concurrent.futures`, or a Dask client, each run is submitted as a job, with
        one thread or ``threads``; all of its processes must have access to the folder. ``control`` is called with each
        simulation before its first step, to install callbacks, forces and laws; executors with processes need a
        function that can be pickled.

        A run that fails gives a warning (:class:`RunWarning`), and the others continue; it is retried only if
        ``retry_failed`` is true. Exceptions of ``control`` or a callback are raised once the other runs are done.
        Ctrl-C ends the runs of this process, with everything written.
        """
        line = ProgressLine(progress, _words)
        try:
            if executor is None and control is None:
                failed = self._native.run(_thread_count(threads), _thread_count(jobs), retry_failed, line.show)
            else:
                failed = self._submit(executor or _Here(), control, _thread_count(threads) or 1, retry_failed, line)
        finally:
            line.end()
        for name, why in failed:
            warnings.warn(f"the run {name} failed: {why}", RunWarning, stacklevel=2)

    def _submit(
        self, executor: Executor, control: Control | None, threads: int, retry_failed: bool, line: ProgressLine
    ) -> list[tuple[str, str]]:
        done = ["completed"] if retry_failed else ["completed", "failed"]
        waiting = [(name, str(folder)) for name, folder, _, status in self._native.runs() if status not in done]
        futures = [executor.submit(take_up, folder, control, threads) for _, folder in waiting]
        failed: list[tuple[str, str]] = []
        raised: Exception | None = None
        try:
            for number, ((name, _), future) in enumerate(zip(waiting, futures, strict=True)):
                try:
                    why = future.result()
                except Exception as error:
                    raised = raised or error
                    continue
                if why is not None:
                    failed.append((name, why))
                if line.show:
                    line.show(number + 1, len(waiting), (number + 1) / len(waiting), None)
        except BaseException:
            for future in futures:
                future.cancel()
            raise
        if raised is not None:
            raise raised
        return failed

    def gather(self, measure: Iterable[str] = ()) -> StudyTable:
        """All numbers of all complete runs in one table, as made by ``riprap gather``: those of their summaries and of
        measurements of their final states, named as for ``riprap measure --what``."""
        native, missing = self._native.gather([measure] if isinstance(measure, str) else list(measure))
        for words in missing:
            warnings.warn(words, RunWarning, stacklevel=2)
        return StudyTable(native)

    def __repr__(self) -> str:
        complete = sum(status == "completed" for *_, status in self._native.runs())
        return f"<Study {self._native.title!r} in {self.folder}: {complete} of {len(self)} runs complete>"

    def _repr_html_(self) -> str:
        return self.runs._repr_html_()


class StudyTable:
    """The numbers of a study."""

    def __init__(self, native: Any) -> None:
        self._native = native
        self.runs = Columns.from_csv(native.runs())
        """A row per run, with its values and its numbers."""
        self.means = Columns.from_csv(native.means())
        """A row per combination of values, with the mean of each number over the seeds, and its standard error (``…_error``)."""

    def plot(self, y: str, x: str) -> Drawing:
        """A column against a parameter or another column: means with their standard errors."""
        return Drawing(self._native.plot(y, x))

    def __repr__(self) -> str:
        return f"<StudyTable of {self.runs.rows} runs, {self.means.rows} combinations>"

    def _repr_html_(self) -> str:
        return self.means._repr_html_()


def take_up(folder: str, control: Control | None, threads: int) -> str | None:
    """Begins or continues a run of a study and takes it to its end, in whatever process an executor calls this. Returns why it
    failed, if it did."""
    try:
        core = _riprap.Core.in_folder(folder, control is not None, threads)
        if core is not None:
            with Simulation._taken_up(core, control, False) as simulation:
                simulation.run()
    except RiprapError as error:
        return str(error)
    return None


class _Here:
    """Does each job in this thread, when its outcome is asked for."""

    def submit(self, fn: Callable[..., Any], /, *args: Any) -> Any:
        return _Job(fn, args)


class _Job:
    def __init__(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        self._function, self._arguments = function, arguments

    def result(self) -> Any:
        return self._function(*self._arguments)

    def cancel(self) -> None:
        """It is not begun."""


def _words(completed: int, runs: int, part: float, time_left: float | None) -> str:
    words = f"{completed} of {runs} runs complete, {100 * part:.0f} %"
    return words if time_left is None else f"{words}, about {time_left:.0f} s left"
