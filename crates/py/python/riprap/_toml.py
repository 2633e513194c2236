"""Scenes as TOML text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def document(tree: Mapping[str, Any]) -> str:
    """The text of a scene: plain keys first, then a section for each table and each table of a list."""
    plain = {key: value for key, value in tree.items() if not _is_section(value)}
    lines = [f"{_key(key)} = {literal(value)}" for key, value in plain.items()]
    for key, value in tree.items():
        if key in plain:
            continue
        if not isinstance(value, Mapping):
            for entry in value:
                lines += ["", f"[[{_key(key)}]]", *_entries(entry)]
        elif value and all(isinstance(inner, Mapping) for inner in value.values()):
            for name, inner in value.items():
                lines += ["", f"[{_key(key)}.{_key(name)}]", *_entries(inner)]
        else:
            lines += ["", f"[{_key(key)}]", *_entries(value)]
    return "\n".join(lines) + "\n"


def literal(value: Any) -> str:
    """One value as TOML."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Mapping):
        inner = ", ".join(f"{_key(key)} = {literal(entry)}" for key, entry in value.items() if entry is not None)
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(literal(entry) for entry in value) + "]"
    if hasattr(value, "__fspath__"):
        return _text(str(value))
    raise TypeError(f"{value!r} is not a valid value in a scene: expected a string, a number, a list or a dict")


def _is_section(value: Any) -> bool:
    return isinstance(value, Mapping) or (
        isinstance(value, list) and bool(value) and all(isinstance(entry, Mapping) for entry in value)
    )


def _entries(table: Mapping[str, Any]) -> list[str]:
    return [f"{_key(key)} = {literal(value)}" for key, value in table.items() if value is not None]


def _key(key: Any) -> str:
    if not isinstance(key, str):
        raise TypeError(f"{key!r} cannot be a key of a scene: expected a string")
    return key if _BARE.fullmatch(key) else _text(key)


def _float(value: float) -> str:
    text = repr(value)
    return text if any(mark in text for mark in ".einf") else text + ".0"


def _text(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\u{ord(c):04X}" if ord(c) < 0x10000 else c for c in escaped) + '"'
