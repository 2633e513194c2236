"""The exceptions and warnings of riprap. Each is also one of Python's own, so that either can be caught."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


class RiprapError(Exception):
    """Any error of riprap."""


@dataclass(frozen=True)
class Fault:
    """An error in a scene."""

    message: str
    """What is wrong."""
    label: str
    """What was expected, in a few words."""
    help: str | None
    """What to do about it, if that is known."""
    origin: str
    """The file, or ``--set PATH`` for a value that takes the place of another."""
    line: int
    """Line, counted from 1."""
    column: int
    """Column, counted from 1."""


class SceneError(RiprapError, ValueError):
    """The scene has errors; the message lists all of them, formatted as by ``riprap check``."""

    faults: list[Fault]

    def __init__(self, text: str, faults: list[dict[str, Any]] | None = None) -> None:
        super().__init__(text)
        self.faults = [Fault(**fault) for fault in faults or []]


class StepError(RiprapError, RuntimeError):
    """A step failed: a body passed through another, a number is not finite, or the solve did not converge and the scene
    says to stop. Grains, contacts and energies are those before the step; the simulation can be inspected, but no
    longer stepped."""


class EndedError(RiprapError, RuntimeError):
    """The simulation is finished, has failed, or was closed, and cannot be stepped."""


class BusyError(RiprapError, RuntimeError):
    """The simulation is in the middle of a step started by another thread or a callback."""


class BodyError(RiprapError, LookupError):
    """There is no such body, or it cannot be added, changed or removed as requested."""


class StateError(RiprapError, RuntimeError):
    """A view of the state was used after the simulation had moved on."""


class ControlError(RiprapError, ValueError):
    """A force, a motion, a law or an edit has the wrong shape or invalid values."""


class ControlledError(RiprapError, RuntimeError):
    """The run was controlled by a program and can only be resumed together with its controls."""


class FileError(RiprapError, OSError):
    """A file or folder of a run is missing, damaged, in use, or cannot be written."""


class ProblemError(RiprapError, ValueError):
    """The matrices and vectors do not form a contact problem."""


class InternalError(RiprapError, RuntimeError):
    """A bug in riprap, caught before it could do harm."""


class RunWarning(UserWarning):
    """A warning about a run."""


class NotConvergedWarning(RunWarning):
    """A step did not converge within its limit of sweeps. Only the first such step of a run warns."""
