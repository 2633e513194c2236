"""Calibration of friction against an angle of repose: a run for each friction, in threads, and the value in between."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

import riprap

TARGET = 12.0  # degrees
rng = np.random.default_rng(7)
rows, columns = np.divmod(np.arange(160), 8)
start = 2.1e-3 * np.stack([columns, rows], axis=1) + rng.uniform(1.1e-3, 1.5e-3, (160, 2))
radius = rng.uniform(0.7e-3, 0.85e-3, len(start))


def angle(friction: float) -> float:
    """The slope of a column of disks that has collapsed beside a wall."""
    scene = riprap.Scene(dimension=2, title="collapse of a column")
    scene.material("stone", density="2600 kg/m3", friction=friction, rolling_friction=0.1)
    scene.wall("floor", shape="plane", point=[0, 0], normal=[0, 1])
    scene.wall("side", shape="plane", point=[0, 0], normal=[1, 0])
    scene.grains(sample="list", positions=start, radii=radius)
    scene.stage("collapse", end={"time": "0.5 s"})
    sim = riprap.Simulation(scene, threads=1)
    sim.run()
    # The centre of mass of a triangle beside a wall is a third of its length away, and a third of its height above the floor.
    x, y = sim.grains.mass @ sim.grains.position
    return float(np.degrees(np.arctan2(y, x)))


frictions = [0.1, 0.3, 0.6]
with ThreadPoolExecutor() as pool:
    angles = list(pool.map(angle, frictions))
for friction, found in zip(frictions, angles, strict=True):
    print(f"friction {friction}: {found:.1f} degrees")
print(f"for {TARGET} degrees: friction {np.interp(TARGET, angles, frictions):.2f}")
