"""A first run: a scene from a template, a folder with all its files, and what is in it."""

import riprap

scene = riprap.Scene.template("deposit", set={"grains.0.count": 200, "stages.0.end": {"time": "0.1 s"}})
sim = riprap.Simulation(scene, out="runs/deposit")


@sim.every("20 ms")
def watch(sim: riprap.Simulation) -> None:
    assert sim.report is not None
    print(f"{sim.time:.3f} s: {len(sim.contacts)} contacts, residual {sim.report.residual:.1e}")


sim.run()
print(f"coordination {float(riprap.measure.coordination(sim)['coordination']):.2f}")
sim.close()

run = riprap.open("runs/deposit")
print(run, run.series["kinetic_energy_J"][-1], "J")
run[-1].picture("deposit.png", forces=True)
