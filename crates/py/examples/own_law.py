"""A contact law of one's own in ten lines: friction that weakens with slip velocity."""

import numpy as np

import riprap
from riprap.typing import LawContacts

sim = riprap.Simulation(riprap.Scene.template("shear", set={"stages.0.end": {"steps": 100}}))


def weakening(contacts: LawContacts) -> None:
    normal = np.einsum("ij,ij->i", contacts.velocity, contacts.normal)
    slip = np.linalg.norm(contacts.velocity - normal[:, None] * contacts.normal, axis=1)
    contacts.friction[:] = 0.2 + 0.4 * np.exp(-slip / 0.01)


sim.set_law(weakening)
sim.run(steps=100)
print(f"{sim.contacts.sliding.mean():.0%} of {len(sim.contacts)} contacts slide")
