"""Force chains, drawn with matplotlib: each contact a line from centre to centre, as wide as its force."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import EllipseCollection, LineCollection

import riprap

scene = riprap.Scene.template("isotropic-disks", set={"stages.0.end": {"steps": 300}})
sim = riprap.Simulation(scene)
sim.run(stage=0)

grains, contacts = sim.grains, sim.contacts
place = dict(zip(grains.id.tolist(), grains.position, strict=True))
between = np.isin(contacts.body1, grains.id) & np.isin(contacts.body2, grains.id)
pairs = zip(contacts.body1[between].tolist(), contacts.body2[between].tolist(), strict=True)
lines = np.array([[place[a], place[b]] for a, b in pairs])
force = contacts.normal_force[between]

figure, axes = plt.subplots(figsize=(6, 6))
size = 2 * grains.radius
axes.add_collection(
    EllipseCollection(size, size, 0 * size, units="xy", offsets=grains.position, transOffset=axes.transData, fc="0.9")
)
axes.add_collection(LineCollection(list(lines), linewidths=2 * force / max(force.mean(), 1e-30), colors="firebrick"))
axes.autoscale_view()
axes.set_aspect("equal")
figure.savefig("force_chains.png")
print(f"{len(force)} contacts, mean force {force.mean():.3g} N")
