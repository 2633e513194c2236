"""What the tests share."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import riprap

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def root() -> Path:
    """The folder of the repository."""
    return ROOT


def command(*arguments: object, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """The command of the package, as a user calls it."""
    line = [sys.executable, "-m", "riprap._command", *map(str, arguments)]
    environment = os.environ | {"NO_COLOR": "1"}
    return subprocess.run(line, capture_output=True, text=True, cwd=folder, env=environment, check=False)


def ball(**changes: object) -> riprap.Scene:
    """A ball that falls on a floor."""
    scene = riprap.Scene(dimension=3, title="a ball on a floor")
    scene.material("glass", density="2500 kg/m3", friction=0.5)
    scene.wall("floor", shape="plane", point=[0, 0, 0], normal=[0, 0, 1])
    scene.grains(sample="list", positions=[[0, 0, "3 mm"]], radius="1 mm")
    scene.stage("fall", end={"time": "0.1 s"})
    scene.solver(time_step="1e-4 s")
    for path, value in changes.items():
        scene.set(path.replace("__", "."), value)
    return scene


def heap(steps: int = 40, dimension: int = 3) -> riprap.Scene:
    """Some fifty grains that fall into a box, in two stages."""
    space = dimension == 3
    scene = riprap.Scene(dimension=dimension, title="grains in a box", seed=3)
    scene.material("stone", density="2600 kg/m3", friction=0.5)
    scene.material("steel", density="7800 kg/m3", friction=0.2)
    upper = ["12 mm", "12 mm", "60 mm"] if space else ["20 mm", "80 mm"]
    scene.wall("box", shape="box", lower=[0] * dimension, upper=upper, open=["top"], material="steel")
    scene.grains(
        sample="lattice",
        count=48,
        spacing="2.6 mm",
        material="stone",
        radius={"uniform": {"min": "0.8 mm", "max": "1.2 mm"}},
    )
    scene.stage("fall", end={"steps": steps})
    scene.stage("rest", end={"steps": steps})
    scene.solver(time_step="1 ms")
    return scene


@pytest.fixture
def settled() -> riprap.Simulation:
    """A simulation of grains in a box that lie on each other."""
    simulation = riprap.Simulation(heap(steps=150), threads=1)
    simulation.run(steps=150)
    return simulation
