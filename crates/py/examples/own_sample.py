"""A sample of one's own: grains at the places that a program chooses, added while it runs."""

import numpy as np

import riprap

rng = np.random.default_rng(1)
scene = riprap.Scene(dimension=3, title="a heap, poured grain by grain")
scene.material("stone", density="2600 kg/m3", friction=0.5)
scene.wall("floor", shape="plane", point=[0, 0, 0], normal=[0, 0, 1])
scene.grains(sample="list", positions=[["0 mm", "0 mm", "1 mm"]], radius="1 mm")
scene.stage("pour", end={"time": "10 s"})
scene.solver(time_step="0.5 ms")

sim = riprap.Simulation(scene)


@sim.every("20 ms")
def pour(sim: riprap.Simulation) -> None:
    above = sim.grains.position[:, 2].max() + 2.5e-3
    with sim.edit() as edit:
        centre = [*rng.uniform(-0.5e-3, 0.5e-3, 2), above]
        edit.add(centre, radius=rng.uniform(0.8e-3, 1.2e-3), velocity=[0, 0, -0.2])


sim.run(time="1 s")
print(f"{len(sim.grains)} grains, {sim.exchange.added.mass:.2e} kg poured, highest at {sim.grains.position[:, 2].max():.4f} m")
