"""Types for annotations, of objects that only riprap creates."""

from __future__ import annotations

from riprap._control import Cell, LawContacts, PairLaw, Wall, Walls
from riprap._edit import Edit
from riprap._errors import Fault
from riprap._measure import Columns, Drawing, Measurable
from riprap._state import Contacts, Floats, Grains, Integers, Report

__all__ = [
    "Cell",
    "Columns",
    "Contacts",
    "Drawing",
    "Edit",
    "Fault",
    "Floats",
    "Grains",
    "Integers",
    "LawContacts",
    "Measurable",
    "PairLaw",
    "Report",
    "Wall",
    "Walls",
]
