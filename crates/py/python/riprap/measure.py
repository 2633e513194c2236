"""Every measurement of ``riprap measure`` as a function of a simulation or a snapshot, or of a run.

>>> import riprap
>>> sim = riprap.Simulation(riprap.Scene.template("collision"))
>>> report = sim.step()
>>> float(riprap.measure.coordination(sim)["coordination"])
0.0

``choices`` are those of :meth:`riprap._measure.Measurable.measure`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from riprap._measure import MEASUREMENTS, Columns, Drawing, Measurable, Measurement, Value

if TYPE_CHECKING:
    from riprap._run import Run

__all__ = ["MEASUREMENTS", "Columns", "Drawing", "Measurable", "Measurement", "Value"]


def forces(of: Measurable, **choices: Any) -> Measurement:
    """Distributions of normal and tangential forces, with the fit of the exponential tail."""
    return of.measure("forces", **choices)


def networks(of: Measurable, **choices: Any) -> Measurement:
    """Strong and weak, compressive and tensile networks."""
    return of.measure("networks", **choices)


def stress(of: Measurable, **choices: Any) -> Measurement:
    """Mean stress, its principal values, pressure and deviator."""
    return of.measure("stress", **choices)


def pressures(of: Measurable, **choices: Any) -> Measurement:
    """Particle pressures, their clusters and percolation."""
    return of.measure("pressures", **choices)


def coordination(of: Measurable, **choices: Any) -> Measurement:
    """Contacts per grain."""
    return of.measure("coordination", **choices)


def solid_fraction(of: Measurable, **choices: Any) -> Measurement:
    """Solid fraction."""
    return of.measure("solid-fraction", **choices)


def fabric(of: Measurable, **choices: Any) -> Measurement:
    """Directions of contacts and forces, and their anisotropies."""
    return of.measure("fabric", **choices)


def profile(of: Measurable, **choices: Any) -> Measurement:
    """Profiles of velocity and solid fraction."""
    return of.measure("profile", **choices)


def radial(of: Measurable, **choices: Any) -> Measurement:
    """Radial distribution function."""
    return of.measure("radial", **choices)


def mixing(of: Measurable, **choices: Any) -> Measurement:
    """How well groups, materials or sizes are mixed: Lacey's index, deviation, neighbours, segregation."""
    return of.measure("mixing", **choices)


def repose(of: Measurable, **choices: Any) -> Measurement:
    """The angle of repose of a heap, or of the surface in a drum."""
    return of.measure("repose", **choices)


def strain(of: Measurable, since: Measurable, **choices: Any) -> Measurement:
    """Mean strain since an earlier state."""
    return of.measure("strain", since, **choices)


def displacements(of: Measurable, since: Measurable, **choices: Any) -> Measurement:
    """Displacements and rotations since an earlier state."""
    return of.measure("displacements", since, **choices)


def shear_band(of: Measurable, since: Measurable, **choices: Any) -> Measurement:
    """Local strains since an earlier state, and the shear band."""
    return of.measure("shear-band", since, **choices)


def joints(of: Measurable, since: Measurable, **choices: Any) -> Measurement:
    """Opening and sliding of the joints of blocks since an earlier state, and the forces in them."""
    return of.measure("joints", since, **choices)


def thrust(of: Measurable, since: Measurable | None = None, **choices: Any) -> Measurement:
    """The thrust line: where the force goes through the joints that blocks have, or had in an earlier state."""
    return of.measure("thrust", since, **choices)


def indeterminacy(of: Measurable, **choices: Any) -> Measurement:
    """Rank and null space of the contact map; for small packings."""
    return of.measure("indeterminacy", **choices)


def history(of: Run) -> Measurement:
    """Energies, sweeps, residuals and balances of a run over time."""
    return of.measure("history")


def loading(of: Run) -> Measurement:
    """Stresses and strains of a loading test over time, and the criteria of a quasi-static test."""
    return of.measure("loading")


def spread(of: Run) -> Measurement:
    """How much the forces of a run's next step vary between random starting points."""
    return of.measure("spread")
