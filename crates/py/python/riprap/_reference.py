"""Prints docs/python-api.md, made from the docstrings; ``cargo xtask docs`` puts it in its place."""

from __future__ import annotations

import inspect
from typing import Any

import riprap
from riprap import measure, typing

HEAD = """# Reference of the Python package

Written by `cargo xtask docs` from the docstrings; [python.md](python.md) is the tutorial.
"""


def text() -> str:
    """The page."""
    parts = [HEAD]
    for title, module in (("riprap", riprap), ("riprap.measure", measure), ("riprap.typing", typing)):
        parts.append(f"## {title}\n\n{inspect.cleandoc(module.__doc__ or '').splitlines()[0]}\n")
        own = [name for name in vars(module) if not name.startswith("_") and callable(getattr(module, name))]
        names = module.__all__ if module is not measure else [n for n in own if inspect.isfunction(getattr(module, n))]
        parts += [_entry(name, getattr(module, name)) for name in sorted(names, key=str.lower)]
    return "\n".join(part for part in parts if part)


def _entry(name: str, entry: Any) -> str:
    if inspect.isfunction(entry):
        return f"### `{name}{inspect.signature(entry)}`\n\n{_doc(entry)}\n"
    if not inspect.isclass(entry):
        return ""
    lines = [f"### `{name}`\n\n{_doc(entry)}\n"]
    for key, member in inspect.getmembers(entry):
        if key.startswith("_") or key not in _own(entry) or not inspect.getdoc(member):
            continue
        shown = f"{key}{_signature(member)}" if callable(member) else key
        lines.append(f"* `{shown}`: {' '.join(_doc(member).split())}")
    return "\n".join([*lines, ""])


def _own(entry: type) -> set[str]:
    """What a class and those of riprap above it define."""
    return {key for base in entry.__mro__ if base.__module__.startswith("riprap") for key in vars(base)}


def _signature(member: Any) -> str:
    try:
        return str(inspect.signature(member)).replace("(self, ", "(").replace("(self)", "()")
    except (TypeError, ValueError):
        return "(…)"


def _doc(entry: Any) -> str:
    found = inspect.getdoc(entry) or ""
    for word in (":class:", ":meth:", ":func:", ":attr:", ":mod:"):
        found = found.replace(word, "")
    return found.replace("``", "`")


if __name__ == "__main__":
    print(text(), end="")
