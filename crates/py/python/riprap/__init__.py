"""riprap: granular matter by contact dynamics, from Python.

A :class:`Scene` says what is simulated, in the words of a scene file. A :class:`Simulation` steps it, hands out its state
as arrays and lets it be controlled. :func:`open` reads runs that exist. :func:`study` runs a scene at many
values of its keys. :func:`solve` solves contact problems alone.

>>> import riprap
>>> sim = riprap.Simulation(riprap.Scene.template("collision"))
>>> sim.run()
'finished'
>>> len(sim.grains)
2
"""

from riprap import measure
from riprap._errors import (
    BodyError,
    BusyError,
    ControlError,
    ControlledError,
    EndedError,
    FileError,
    InternalError,
    NotConvergedWarning,
    ProblemError,
    RiprapError,
    RunWarning,
    SceneError,
    StateError,
    StepError,
)
from riprap._measure import Measurement, Value
from riprap._riprap import __version__
from riprap._run import Run, Snapshot, open
from riprap._scene import Scene, templates
from riprap._simulation import Simulation
from riprap._solve import SOLVERS, Problem, Solution, read_problem, solve, solve_global
from riprap._study import Study, StudyTable, study
from riprap._view import View, view

__all__ = [
    "SOLVERS",
    "BodyError",
    "BusyError",
    "ControlError",
    "ControlledError",
    "EndedError",
    "FileError",
    "InternalError",
    "Measurement",
    "NotConvergedWarning",
    "Problem",
    "ProblemError",
    "RiprapError",
    "Run",
    "RunWarning",
    "Scene",
    "SceneError",
    "Simulation",
    "Snapshot",
    "Solution",
    "StateError",
    "StepError",
    "Study",
    "StudyTable",
    "Value",
    "View",
    "__version__",
    "measure",
    "open",
    "read_problem",
    "solve",
    "solve_global",
    "study",
    "templates",
    "view",
]
