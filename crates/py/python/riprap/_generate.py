"""Prints ``_sections.py``, made from the description of the scene format; ``cargo xtask docs`` puts it in its place.

The format is described once, in the scene crate; this module only turns it into signatures and docstrings.
"""

from __future__ import annotations

import json
import keyword
import textwrap
from typing import Any

from riprap import _riprap

HEAD = '''"""The sections of a scene as methods, written by ``cargo xtask docs`` from the description of the format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

from numpy.typing import NDArray

Number = float | str
"""A number in SI units, or text with a unit: ``"1.2 mm"``."""
List = Sequence[Any] | NDArray[Any]
"""A list or an array."""


class Sections:
    """What a scene can hold. Every argument is a key of the scene file; one that is left out has its default."""

    def _start(self, given: dict[str, Any]) -> None:
        raise NotImplementedError

    def _append(self, section: str, given: dict[str, Any]) -> Self:
        raise NotImplementedError

    def _name(self, section: str, given: dict[str, Any]) -> Self:
        raise NotImplementedError

    def _merge(self, section: str, given: dict[str, Any]) -> Self:
        raise NotImplementedError

'''

SINGULAR = {
    "materials": "material",
    "pairs": "pair",
    "inlets": "inlet",
    "outlets": "outlet",
    "gauges": "gauge",
    "walls": "wall",
    "drivers": "driver",
    "loads": "load",
    "springs": "spring",
    "membranes": "membrane",
    "bonds": "bond",
    "stages": "stage",
}


def text() -> str:
    """The text of ``_sections.py``."""
    schema = json.loads(_riprap.schema())
    methods = [_init(schema)]
    for name, section in schema["properties"].items():
        if section.get("type") == "array":
            methods.append(_method(name, section["items"], section["description"], "_append"))
        elif "additionalProperties" in section and isinstance(section["additionalProperties"], dict):
            methods.append(_method(name, section["additionalProperties"], section["description"], "_name"))
        elif section.get("type") == "object":
            methods.append(_method(name, section, section["description"], "_merge"))
    return HEAD + "\n".join(methods)


def _init(schema: dict[str, Any]) -> str:
    keys = schema["properties"]
    lines = ["    def __init__(", "        self,", "        *,"]
    lines += [f"        {_argument(key)}: {_type(value)} | None = None," for key, value in keys.items()]
    lines += ["    ) -> None:", *_doc("A scene from its keys and sections.", keys), "        self._start(locals())", ""]
    return "\n".join(lines)


def _method(name: str, section: dict[str, Any], about: str, how: str) -> str:
    keys = _keys(section)
    first = ["name"] if how == "_name" or "name" in keys else []
    lines = [f"    def {SINGULAR.get(name, name)}(", "        self,"]
    lines += [f"        {key}: str," for key in first]
    rest = {key: value for key, value in keys.items() if key not in first}
    lines += ["        *,"]
    lines += [f"        {_argument(key)}: {_type(value)} | None = None," for key, value in rest.items()]
    documented = {"name": {"description": f"The name in [{name}]."}} if how == "_name" else {}
    lines += ["    ) -> Self:", *_doc(about, documented | keys), f'        return self.{how}("{name}", locals())', ""]
    return "\n".join(lines)


def _keys(section: dict[str, Any]) -> dict[str, Any]:
    """The keys of a section; of one with variants those of all of them, with the variants that have a key named."""
    if "oneOf" not in section:
        return dict(section["properties"])
    keys: dict[str, Any] = {}
    users: dict[str, list[str]] = {}
    variants = section["oneOf"]
    for variant in variants:
        tag, choice = next((key, value) for key, value in variant["properties"].items() if "enum" in value)
        for key, value in variant["properties"].items():
            if key == tag:
                words = " or ".join(f'"{word}"' for word in value["enum"])
                described = f"{words}: {value['description']}"
                keys.setdefault(key, {"type": "string", "description": ""})
                keys[key]["description"] = (keys[key]["description"] + " " + described).strip()
            else:
                keys.setdefault(key, dict(value))
                users.setdefault(key, []).append(choice["enum"][0])
    for key, names in users.items():
        if len(names) < len(variants):
            keys[key]["description"] = f"({', '.join(names)}) {keys[key].get('description', '')}".strip()
    return keys


def _argument(key: str) -> str:
    return key + "_" if keyword.iskeyword(key) else key


def _type(schema: dict[str, Any]) -> str:
    kind = schema.get("type")
    if kind == "string":
        return "str"
    if kind == "boolean":
        return "bool"
    if kind == "integer":
        return "int"
    if kind == "array":
        return "List"
    if kind == "object":
        return "Mapping[str, Any]"
    if "title" in schema and "anyOf" in schema:
        return "Number"
    parts = sorted({_type(part) for part in schema.get("anyOf", schema.get("oneOf", []))})
    return "Any" if "Any" in parts or not parts else " | ".join(parts)


def _doc(about: str, keys: dict[str, Any]) -> list[str]:
    lines = ['        """' + about, ""]
    for key, value in keys.items():
        described = value.get("description", "").replace("\\", "\\\\").replace('"""', "'''")
        if "title" in value:
            described += f" ({value['title']})"
        lines += textwrap.wrap(f"{_argument(key)}: {described}", 112, initial_indent=" " * 8, subsequent_indent=" " * 12)
    return [*lines, '        """']


if __name__ == "__main__":
    print(text(), end="")
