"""The page of the viewer in a notebook, served from inside this process."""

from __future__ import annotations

import html
import os
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from riprap import _riprap
from riprap._errors import ControlError


class View:
    """The page of some runs. A notebook shows it in a frame; :attr:`url` is for a browser on this machine. It is served until
    :meth:`close`, or until it is garbage-collected."""

    def __init__(self, native: Any, look: str, height: int) -> None:
        self._native = native
        self._look = look
        self._height = height

    @property
    def url(self) -> str:
        """The address of the page, including the requested view."""
        if self._native is None:
            raise ControlError("the view was closed")
        return str(self._native.url) + (f"#{self._look}" if self._look else "")

    def close(self) -> None:
        """Stops serving the page."""
        self._native = None

    def _repr_html_(self) -> str:
        return (
            f"<iframe src='{html.escape(self.url, quote=True)}' style='width:100%;height:{self._height}px;border:0' "
            "allow='fullscreen'></iframe>"
        )

    def __repr__(self) -> str:
        return "<View, closed>" if self._native is None else f"<View {self.url}>"


def view(
    *runs: str | os.PathLike[str],
    look: str | Mapping[str, Any] | None = None,
    height: int = 600,
    port: int = 0,
) -> View:
    """The viewer of some run folders or snapshots, as ``riprap view`` shows them, on the loopback address only.

    ``look`` is the initial view: the part of a page's address after ``#``, or the same as a dict, such as ``{"array":
    "pressure", "contacts": "all"}``. ``height`` is that of the frame in a notebook, in pixels. On a remote machine,
    forward ``port`` by ssh.
    """
    if not runs:
        raise ControlError("view needs a run to show")
    if not isinstance(port, int) or isinstance(port, bool) or not 0 <= port < 65536:
        raise ControlError(f"port must be a whole number from 0 to 65535, not {port!r}")
    text = look.rpartition("#")[2] if isinstance(look, str) else urlencode(_words(look))
    return View(_riprap.Viewer.open([os.fspath(run) for run in runs], port), text, int(height))


def _words(look: Mapping[str, Any] | None) -> Sequence[tuple[str, str]]:
    def word(value: Any) -> str:
        return str(int(value)) if isinstance(value, bool) else str(value)

    return [(str(key), word(value)) for key, value in (look or {}).items()]
