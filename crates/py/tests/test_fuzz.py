"""Random calls against the interface: every one returns or raises an exception of Python, and none crashes.

The number of calls is small here; ``RIPRAP_FUZZ_CALLS=100000 pytest -k random_calls`` makes more.
"""

from __future__ import annotations

import os
import random
import warnings
from typing import Any

import numpy as np
from conftest import ball, heap

import riprap

CALLS = int(os.environ.get("RIPRAP_FUZZ_CALLS", "3000"))
SEED = int(os.environ.get("RIPRAP_FUZZ_SEED", "1"))


def value(rng: random.Random, depth: int = 0) -> Any:
    """Something that a user could hand over, sensible or not."""
    numbers = [0, 1, -1, 3, 48, 10**6, 2**63, 0.0, 1e-3, -2.5, 1e300, float("nan"), float("inf")]
    words = ["", "1 mm", "5 ms", "2 kg", "-3 N", "stone", "steel", "box.bottom", "fall", "png", "nonsense", "\x00", "🪨"]
    arrays = [
        np.zeros((48, 3)), np.ones(48), np.zeros((0, 3)), np.full((48, 3), np.nan), np.arange(5), np.eye(3), np.array("a"),
        np.zeros((2, 2, 2)), np.ones(48, bool), np.array([None]),
    ]  # fmt: skip
    calls = [
        lambda *a: None, lambda *a: 1.0, lambda *a: "x", lambda *a: (0, 0, 0), lambda *a: np.zeros((48, 3)), lambda *a: 1 / 0,
    ]  # fmt: skip
    kinds = [numbers, words, arrays, calls, [None, True, False, b"bytes", object(), {}, [], ()]]
    if depth < 2 and rng.random() < 0.2:
        return [value(rng, depth + 1) for _ in range(rng.randrange(5))]
    return rng.choice(rng.choice(kinds))


def edit(sim: riprap.Simulation, rng: random.Random) -> None:
    with sim.edit() as e:
        match rng.randrange(7):
            case 0:
                e.velocity[:] = rng.choice([0.0, 0.1, np.nan])
            case 1:
                setattr(e, rng.choice(["position", "velocity", "spin", "radius", "orientation", "material"]), value(rng))
            case 2:
                e.remove(value(rng))
            case 3:
                e.remove([int(rng.choice(list(e.id)))])
            case 4:
                e.add(value(rng), value(rng), material=rng.choice(["stone", None, value(rng)]))
            case 5:
                e.add([rng.uniform(0.002, 0.01), 0.006, rng.uniform(0.02, 0.05)], radius=1e-3)
            case 6:
                e.radius *= rng.choice([0.99, 1.01, -1])


def act(sim: riprap.Simulation, rng: random.Random) -> Any:
    """One random call."""
    if not sim.walls:
        sim.add_wall("floor", shape="plane", point=[0, 0, -1], normal=[0, 0, 1])
    wall = rng.choice(list(sim.walls.values()))
    columns = ["id", "position", "velocity", "spin", "orientation", "radius", "mass", "material", "group"]
    choices = [
        lambda: sim.step(),
        lambda: sim.run(steps=rng.randrange(4)),
        lambda: sim.run(steps=value(rng)) if rng.random() < 0.3 else sim.run(steps=1),
        lambda: sim.run(time=rng.choice(["1 ms", 0.0, -1.0, "x", None]), steps=2),
        lambda: sim.run(stage=value(rng), steps=1),
        lambda: sim.run(until=value(rng), steps=1),
        lambda: sim.every(value(rng)),
        lambda: getattr(sim.grains, rng.choice(columns)).sum(),
        lambda: sim.grains.row(value(rng)),
        lambda: sim.contacts.to_dict(),
        lambda: edit(sim, rng),
        lambda: setattr(sim, "forces", value(rng)),
        lambda: setattr(sim, "torques", value(rng)),
        lambda: setattr(sim, "gravity", value(rng)),
        lambda: setattr(wall, rng.choice(["velocity", "force", "spin", "mass"]), value(rng)),
        lambda: wall.push(value(rng), value(rng), value(rng)),
        lambda: sim.cell.press(value(rng), value(rng)),
        lambda: sim.cell.stretch(value(rng), value(rng)),
        lambda: setattr(sim.laws[value(rng)], "friction", value(rng)),
        lambda: setattr(sim.laws["stone", "steel"], rng.choice(["friction", "restitution"]), value(rng)),
        lambda: sim.set_law(value(rng)),
        lambda: sim.add_wall(value(rng), shape=rng.choice(["plane", "plate", "box", value(rng)]), point=value(rng), normal=value(rng)),
        lambda: sim.add_wall(f"lid {rng.random()}", shape="plane", point=[0, 0, rng.uniform(0.04, 0.1)], normal=[0, 0, -1]),
        lambda: sim.remove_wall(rng.choice([value(rng), wall.name]) if rng.random() < 0.3 else value(rng)),
        lambda: riprap.view(value(rng), look=value(rng), port=value(rng)),
        lambda: len(sim.contacts),
        lambda: sim.measure(rng.choice([*riprap.measure.MEASUREMENTS, "x"]), **{rng.choice(["inner", "box", "tail", "y"]): value(rng)}),
        lambda: sim.picture(format=rng.choice(["png", "svg", "x"]), width=rng.choice([50, 60.0, -1, "x"]), axes=rng.choice([None, (0, 1), (1, 1), 7])),
        lambda: (sim.report, sim.energy, sim.exchange, sim.state_hash, repr(sim)),
        lambda: sim.summary,
        lambda: riprap.solve(value(rng), value(rng), value(rng)),
        lambda: riprap.Scene(**{rng.choice(["dimension", "title", "grains", "walls", "solver"]): value(rng)}).check(),
        lambda: ball().set(rng.choice(["grains.0.radius", "stages.0.end", "a.b", ".."]), value(rng)).check(),
        lambda: riprap.Scene.from_toml(str(value(rng))).check(),
        lambda: riprap.Simulation(value(rng)),
        lambda: riprap.Simulation(ball(), threads=rng.choice([0, -1, "x", 1.5])),
        lambda: riprap.open(value(rng)),
        lambda: riprap.study(ball(), rng.choice(["study", value(rng)]), vary={rng.choice(["domain.gravity", "x"]): value(rng)}, seeds=rng.choice([None, 2, value(rng)])),
    ]  # fmt: skip
    return rng.choice(choices)()


def test_random_calls_return_or_raise_and_never_crash(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = random.Random(SEED)
    sim = riprap.Simulation(heap(steps=1000), threads=1)
    raised: dict[str, int] = {}
    for call in range(CALLS):
        if call % 150 == 0 or sim.finished:
            sim = riprap.Simulation(heap(steps=1000), threads=1)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                act(sim, rng)
        except riprap.InternalError:
            raise
        except riprap.EndedError:
            sim = riprap.Simulation(heap(steps=1000), threads=1)
        except Exception as error:
            raised[type(error).__name__] = raised.get(type(error).__name__, 0) + 1
    assert len(raised) > 3
