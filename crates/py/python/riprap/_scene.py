"""Scenes: what is simulated, in the words of a scene file."""

from __future__ import annotations

import copy
import html
import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from riprap import _riprap, _toml
from riprap._sections import Sections


def templates() -> dict[str, str]:
    """The templates with a short description of each; :meth:`Scene.template` creates one."""
    return {name: about for name, about, _ in _riprap.templates()}


class Scene(Sections):
    """A scene file as an object.

    It is created from a file, a template or a dict, or key by key; the keys, units, defaults and checks are those of scene files.
    A simulation checks its scene, and :meth:`check` does so before.

    >>> scene = Scene(dimension=3, title="a ball on a floor")
    >>> scene = scene.material("glass", density="2500 kg/m3", friction=0.5)
    >>> scene = scene.wall("floor", shape="plane", point=[0, 0, 0], normal=[0, 0, 1])
    >>> scene = scene.grains(sample="list", positions=[[0, 0, "3 mm"]], radius="1 mm")
    >>> scene = scene.stage("fall", end={"time": "0.1 s"})
    >>> scene.check()
    """

    text: str
    """The scene as TOML."""
    file: str
    """The name of its file in messages."""
    folder: str
    """The folder from which it names files."""
    overrides: list[tuple[str, str]]
    """Values that take the place of others of the text."""

    @classmethod
    def from_file(cls, path: str | os.PathLike[str], set: Mapping[str, Any] | None = None) -> Self:
        """The scene in a file. ``set`` replaces values by their path: ``{"materials.glass.friction": 0.3}``."""
        path = Path(path)
        return cls.from_toml(path.read_text(encoding="utf-8"), set, file=str(path), folder=str(path.parent))

    @classmethod
    def from_toml(
        cls, text: str, set: Mapping[str, Any] | None = None, *, file: str = "scene.toml", folder: str = ""
    ) -> Self:
        """The scene in a text; ``file`` is its name in messages, ``folder`` the one that paths in it are relative to."""
        scene = cls.__new__(cls)
        scene.text, scene.file, scene.folder, scene.overrides = text, file, folder, []
        for key, value in (set or {}).items():
            scene.set(key, value)
        return scene

    @classmethod
    def from_dict(cls, tree: Mapping[str, Any]) -> Self:
        """The scene described by a dict of its keys."""
        return cls.from_toml(_toml.document(tree))

    @classmethod
    def template(cls, name: str, set: Mapping[str, Any] | None = None) -> Self:
        """A scene to start from, by its name; see :func:`templates`."""
        for known, _, text in _riprap.templates():
            if known == name:
                return cls.from_toml(text, set, file=f"{name}.toml")
        raise KeyError(f"there is no template {name!r}; there are {', '.join(templates())}")

    def set(self, path: str, value: Any) -> Self:
        """Replaces one value: ``scene.set("stages.0.end.time", "2 s")``. List entries are numbered from 0."""
        self.overrides.append((path, _toml.literal(value)))
        return self

    def check(self) -> None:
        """Checks the whole scene, with its grains, as a simulation does before its first step.

        Raises :class:`SceneError` with all faults at once.
        """
        _riprap.resolve(self)

    def resolved(self) -> Scene:
        """The same scene with all defaults filled in, such as the time step."""
        return Scene.from_toml(_riprap.resolve(self), file=self.file)

    def to_dict(self) -> dict[str, Any]:
        """The scene as a dict of its keys, including replaced values; the text is not checked."""
        return _parsed(self)

    def to_toml(self) -> str:
        """The scene as TOML; comments are kept unless values were replaced."""
        return _toml.document(self.to_dict()) if self.overrides else self.text

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes the scene to a file, which must not exist."""
        with open(path, "x", encoding="utf-8") as file:
            file.write(self.to_toml())

    def copy(self) -> Scene:
        """An independent copy."""
        return copy.deepcopy(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scene) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        tree = self.to_dict()
        return f"<Scene {tree.get('title') or self.file!r}, {tree.get('dimension')}D>"

    def _repr_html_(self) -> str:
        return f"<pre style='line-height:1.3'>{_coloured(self.to_toml())}</pre>"

    def _start(self, given: dict[str, Any]) -> None:
        tree = _given(given)
        self.text, self.file, self.folder, self.overrides = _toml.document(tree), "scene.toml", "", []

    def _append(self, section: str, given: dict[str, Any]) -> Self:
        return self._change(lambda tree: tree.setdefault(section, []).append(_given(given)))

    def _name(self, section: str, given: dict[str, Any]) -> Self:
        keys = _given(given)
        return self._change(lambda tree: tree.setdefault(section, {}).update({keys.pop("name"): keys}))

    def _merge(self, section: str, given: dict[str, Any]) -> Self:
        return self._change(lambda tree: tree.setdefault(section, {}).update(_given(given)))

    def _change(self, change: Any) -> Self:
        tree = self.to_dict()
        change(tree)
        self.text, self.overrides = _toml.document(tree), []
        return self


def as_scene(given: Scene | Mapping[str, Any] | str | os.PathLike[str]) -> Scene:
    """The scene that is meant: itself, a dict, or the path of a file."""
    if isinstance(given, Scene):
        return given
    if isinstance(given, Mapping):
        return Scene.from_dict(given)
    if isinstance(given, str | os.PathLike):
        return Scene.from_file(given)
    raise TypeError(f"expected a Scene, a dict or the path of a scene file, not {type(given).__name__}")


def _given(arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments that were given, by their keys; a key that Python reserves has an underscore behind it."""
    return {key.rstrip("_"): value for key, value in arguments.items() if key != "self" and value is not None}


def _parsed(scene: Scene) -> dict[str, Any]:
    try:
        tree = tomllib.loads(scene.text)
        for path, value in scene.overrides:
            _put(tree, path.split("."), tomllib.loads(f"value = {value}")["value"])
    except (tomllib.TOMLDecodeError, LookupError, ValueError, TypeError, AttributeError):
        # The scene's own reader says it better, with the line or the path.
        scene.check()
        raise
    return tree


def _put(tree: Any, path: list[str], value: Any) -> None:
    for key in path[:-1]:
        tree = tree[int(key)] if isinstance(tree, list) else tree.setdefault(key, {})
    if isinstance(tree, list):
        tree[int(path[-1])] = value
    else:
        tree[path[-1]] = value


def _coloured(text: str) -> str:
    """TOML with colours for a notebook."""
    lines = []
    for line in html.escape(text, quote=False).splitlines():
        if line.lstrip().startswith("#"):
            line = f"<span style='color:#6a737d'>{line}</span>"
        elif line.startswith("["):
            line = f"<b style='color:#1f5fa8'>{line}</b>"
        else:
            line = re.sub(r'("[^"]*")', r"<span style='color:#22863a'>\1</span>", line)
            line = re.sub(r"^(\s*[\w-]+)(\s*=)", r"<span style='color:#8a3ea3'>\1</span>\2", line)
        lines.append(line)
    return "\n".join(lines)
