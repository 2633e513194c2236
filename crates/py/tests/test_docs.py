"""Every script, every example of a docstring and the example of the README is run as it is written."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
import subprocess
import sys

import pytest
from conftest import ROOT

import riprap
from riprap import _reference

EXAMPLES = sorted((ROOT / "crates/py/examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_runs(path, tmp_path):
    if "matplotlib" in path.read_text():
        pytest.importorskip("matplotlib")
    done = subprocess.run([sys.executable, path], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_the_triaxial_test_has_forty_lines():
    assert len((ROOT / "crates/py/examples/triaxial.py").read_text().splitlines()) <= 40


@pytest.mark.parametrize("page", ["README.md", "docs/python.md"])
def test_the_examples_of_the_pages_run_as_they_are_written(page, tmp_path):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), flags=re.DOTALL)
    assert blocks
    script = "\n".join(blocks)
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("module", [m.name for m in pkgutil.iter_modules(riprap.__path__, "riprap.") if m.name != "riprap._riprap"])
def test_the_examples_of_docstrings_are_right(module):
    found = doctest.testmod(importlib.import_module(module))
    assert found.failed == 0


def test_the_reference_is_that_of_the_docstrings():
    page = (ROOT / "docs/python-api.md").read_text(encoding="utf-8")
    assert page == _reference.text(), "write it again: cargo xtask docs"


def test_everything_public_is_documented():
    for name in riprap.__all__:
        entry = getattr(riprap, name)
        if isinstance(entry, type) or callable(entry):
            assert entry.__doc__, name
            for attribute, member in vars(entry).items() if isinstance(entry, type) else ():
                if not attribute.startswith("_") and (callable(member) or isinstance(member, property | classmethod)):
                    assert getattr(entry, attribute).__doc__ or member.__doc__, f"{name}.{attribute}"
