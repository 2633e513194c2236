"""How far a run is: a line in a terminal, the same line in a notebook, nothing elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

_EVERY = 0.2
"""Seconds between two lines: often enough to look alive."""


class ProgressLine:
    """Shows how far a run is, if there is somewhere to show it."""

    def __init__(self, wanted: bool | None, words: Callable[..., str] | None = None) -> None:
        self._words = words or _words
        self._handle: Any = None
        self._in_notebook = _in_notebook()
        self._is_on = wanted if wanted is not None else self._in_notebook or sys.stderr.isatty()
        self._shown = time.monotonic()
        self._width = 0

    @property
    def show(self) -> Any:
        """The function that shows progress, or ``None``."""
        return self._show if self._is_on else None

    def _show(self, *progress: Any) -> None:
        now = time.monotonic()
        if now - self._shown < _EVERY:
            return
        self._shown = now
        text = self._words(*progress)
        if self._in_notebook:
            self._show_in_notebook(text)
        else:
            print("\r" + text.ljust(self._width), end="", file=sys.stderr, flush=True)
            self._width = len(text)

    def _show_in_notebook(self, text: str) -> None:
        from IPython.display import display

        data = {"text/plain": text}
        if self._handle is None:
            self._handle = display(data, raw=True, display_id=True)
        else:
            self._handle.update(data, raw=True)

    def end(self) -> None:
        """Nothing more is shown."""
        if self._width:
            print("\r" + " " * self._width, end="\r", file=sys.stderr, flush=True)
            self._width = 0


def _words(progress: dict[str, Any]) -> str:
    words = [f"stage {progress['stage']}, {progress['time']:.4g} s, step {progress['step']}"]
    words.append(f"{progress['contacts']} contacts")
    if progress["fraction"] is not None:
        words.append(f"{100 * progress['fraction']:.0f} %")
    if progress["time_left"] is not None:
        words.append(f"{progress['time_left']:.0f} s left in the stage")
    return ", ".join(words)


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    return shell is not None and type(shell.get_ipython()).__name__ == "ZMQInteractiveShell"
