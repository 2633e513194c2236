"""The overhead of Python, in CPU seconds of one thread, which a busy machine affects less than wall-clock time.

First, 1,000 grains stepped with an empty callback in every step, compared with the same run without one; the two alternate.
Second, positions and contacts of many grains handed over, against a step of 50 sweeps.
"""

import sys
import time

import numpy as np

import riprap


def scene(grains: int) -> riprap.Scene:
    """Grains in a box."""
    scene = riprap.Scene(dimension=3, seed=1)
    side = f"{2.5 * round(grains ** (1 / 3)) + 1} mm"
    scene.material("stone", density="2600 kg/m3", friction=0.5)
    scene.wall("box", shape="box", lower=[0, 0, 0], upper=[side, side, "1 m"], open=["top"])
    scene.grains(sample="lattice", count=grains, spacing="2.5 mm", radius={"uniform": {"min": "0.8 mm", "max": "1.2 mm"}})
    scene.stage("fall", end={"time": "10 s"})
    scene.solver(time_step="1 ms")
    return scene


def cpu(act) -> float:
    before = time.process_time()
    act()
    return time.process_time() - before


def empty_callback(rounds: int) -> None:
    plain, called = riprap.Simulation(scene(1000), threads=1), riprap.Simulation(scene(1000), threads=1)
    called.every(steps=1)(lambda sim: None)
    for sim in (plain, called):
        sim.run(steps=100)
    costs = np.array([(cpu(lambda: plain.run(steps=50)), cpu(lambda: called.run(steps=50))) for _ in range(rounds)])
    ratio = costs[:, 1] / costs[:, 0]
    print(f"1000 grains: {1e3 * np.median(costs[:, 0]) / 50:.3f} ms of CPU time a step; with an empty callback in every step")
    print(f"  {100 * (np.median(ratio) - 1):+.2f} % (median of {rounds} pairs, quartiles {100 * (np.quantile(ratio, 0.25) - 1):+.2f} "
          f"and {100 * (np.quantile(ratio, 0.75) - 1):+.2f} %)")


def packing(grains: int) -> riprap.Scene:
    """Spheres that touch, on a floor: some four contacts per grain, and 50 sweeps in every step."""
    scene = riprap.Scene(dimension=3, seed=1)
    side = f"{2 * (round(grains ** (1 / 3)) + 1)} mm"
    scene.material("stone", density="2600 kg/m3", friction=0.5)
    scene.wall("floor", shape="plane", point=[0, 0, 0], normal=[0, 0, 1])
    scene.grains(sample="lattice", lattice="hexagonal", count=grains, spacing="2 mm", radius="1 mm",
                 region={"box": {"lower": [0, 0, 0], "upper": [side, side, side]}})
    scene.stage("stand", end={"time": "10 s"})
    scene.solver(time_step="0.1 ms", criterion={"sweeps": 50})
    return scene


def hand_over(grains: int, rounds: int) -> None:
    costs, contacts, fresh = [], [], []
    for _ in range(rounds):
        sim = riprap.Simulation(packing(grains), threads=1)
        sim.run(steps=1)
        # The first time needs fresh memory; from then on, that of the arrays that were dropped is used again.
        fresh.append(cpu(lambda: _fetch(sim)))
        for _ in range(2):
            costs.append((cpu(lambda: sim.step()), cpu(lambda: _fetch(sim))))
            contacts.append(len(sim.contacts))
    steps, handed = np.array(costs).T
    ratio = 100 * handed / steps
    print(f"{grains} grains, {min(contacts)} to {max(contacts)} contacts: positions, bodies, points, normals and forces in "
          f"{1e3 * np.median(handed):.1f} ms of CPU time,\n  {np.median(ratio):.2f} % of the {np.median(steps):.2f} s of the step of 50 "
          f"sweeps before (medians of {len(ratio)}, quartiles {np.quantile(ratio, 0.25):.2f} and {np.quantile(ratio, 0.75):.2f} %);\n  "
          f"the first time, in fresh memory, {1e3 * np.median(fresh):.1f} ms")


def _fetch(sim: riprap.Simulation) -> None:
    _ = sim.grains.position
    contacts = sim.contacts
    _ = (contacts.body1, contacts.body2, contacts.point, contacts.normal, contacts.force)


if __name__ == "__main__":
    empty_callback(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
    hand_over(int(sys.argv[2]) if len(sys.argv) > 2 else 100_000, 5)
