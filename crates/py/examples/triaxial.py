"""A triaxial test with servo control: the sides hold their pressure while the top comes down."""

import numpy as np
import riprap
from riprap.typing import Floats

PRESSURE, SIZE, RATE = 1000.0, 12.6e-3, 0.5  # Pa, m, 1/s
corners = [(axis, side) for axis in range(3) for side in (0, 1)]

scene = riprap.Scene(dimension=3, title="triaxial test", domain={"gravity": 0}, seed=2)
scene.material("stone", density="2600 kg/m3", friction=0.4)
scene.material("plate", friction=0.0)
for axis, side in corners:
    point, normal = [0.0, 0.0, 0.0], [0, 0, 0]
    point[axis], normal[axis] = side * SIZE, 1 - 2 * side
    scene.wall("xyz"[axis] + str(side), shape="plane", point=point, normal=normal, material="plate")
radius = {"uniform": {"min": "0.7 mm", "max": "1 mm"}}
scene.grains(sample="lattice", count=216, spacing="2.1 mm", radius=radius, material="stone")
scene.stage("test", end={"time": "10 s"})
scene.solver(time_step="0.2 ms")
sim = riprap.Simulation(scene)


def lengths() -> Floats:
    return np.array([sim.walls[name].position[axis] for axis, name in enumerate(["x1", "y1", "z1"])])


for axis in range(3):  # three sides stand, the other three follow the pressure
    wall = sim.walls["xyz"[axis] + "1"]
    wall.mass = "5 g"
    wall.push(-PRESSURE, axis, area=lambda t, axis=axis: np.prod(np.delete(lengths(), axis)))
sim.run(time="60 ms")  # isotropic compression
start = lengths()
top = sim.walls["z1"]
top.push(None, 2, 0.0)
top.velocity = lambda t: (0, 0, -RATE * start[2])
while sim.time < 0.11:
    sim.run(time="10 ms")
    strain, stress = 1 - lengths()[2] / start[2], np.diag(sim.stress)
    print(f"axial strain {strain:6.4f}, q/p = {(stress[2] - stress[:2].mean()) / stress.mean():5.3f}")
