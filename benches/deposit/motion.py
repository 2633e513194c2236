#!/usr/bin/env python3
"""The motion left in the deposit of LAMMPS at 0.3 s: kinetic energy of translation and rotation per grain, over m g d.

    benches/deposit/motion.py [1000 4000 16000]

Its `ke` is translational only. Hertz contacts of 5 MPa with Mindlin's tangential springs, restitution about 0.1, friction 0.5,
steps of 18 microseconds, from the same initial states as riprap. LAMMPS is taken from the system (Debian: apt-get
install lammps). For riprap, see benches/deposit/run.sh.
"""
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "md"))
from compare import MEAN_MASS, SIDE, STEP, data_file, grains, measured  # noqa: E402

LAW = "hertz/material 5e6 0.1 0.2 tangential mindlin NULL 1.0 0.5 damping tsuji"


def motion(folder, count):
    data_file(folder, count, grains(count))
    steps = round(0.3 / STEP)
    (folder / "in.deposit").write_text(f"""
units si
atom_style sphere
boundary f f f
newton off
comm_modify vel yes
read_data grains.data
neighbor 0.5e-3 bin
pair_style granular
pair_coeff * * {LAW}
timestep {STEP}
fix 1 all nve/sphere
fix 2 all gravity 9.81 vector 0 0 -1
fix 3 all wall/gran granular {LAW} xplane 0 {SIDE[count]}
fix 4 all wall/gran granular {LAW} yplane 0 {SIDE[count]}
fix 5 all wall/gran granular {LAW} zplane 0 NULL
compute rotation all erotate/sphere
thermo {steps}
thermo_style custom step atoms ke c_rotation
thermo_modify norm no
run {steps}
""")
    cpu, text = measured(["lmp", "-in", "in.deposit", "-log", "none"], folder)
    row = [line.split() for line in text.splitlines() if line.split()[:2] == [str(steps), str(count)]][-1]
    scale = count * MEAN_MASS * 9.81 * 2e-3
    return cpu / 0.3 / count, float(row[2]) / scale, float(row[3]) / scale


print(f"{'grains':>7} {'cost':>8} {'KE_t/mgd':>10} {'KE_r/mgd':>10}")
for count in [int(word) for word in sys.argv[1:]] or [1000, 4000, 16000]:
    with tempfile.TemporaryDirectory() as folder:
        cost, translation, rotation = motion(pathlib.Path(folder), count)
    print(f"{count:7} {cost:8.4f} {translation:10.1e} {rotation:10.1e}", flush=True)
