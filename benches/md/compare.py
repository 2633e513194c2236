#!/usr/bin/env python3
"""Molecular dynamics of the deposit beside LAMMPS and LIGGGHTS: the same initial state, stiffness and step, one thread.

    benches/md/compare.py [--riprap PATH] [--time 0.3] [1000 4000 16000]

Spheres on a loose grid (benches/deposit) fall in a box. Linear springs of 200 N/m with history, friction 0.5, dashpots
for a restitution of 0.3, steps of 18 microseconds. Cost is CPU seconds (user and system, everything included) per
simulated second and grain. LAMMPS and LIGGGHTS are taken from the system (Debian: apt-get install lammps liggghts); what
is not there is left out. Both are run as they come, with their default neighbour lists.
"""
import argparse
import csv
import json
import math
import os
import pathlib
import resource
import shutil
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
STATES = HERE.parent / "deposit"
SIDE = {1000: 18.2e-3, 4000: 31.2e-3, 16000: 49.4e-3}
STIFFNESS, STEP, FRICTION, RESTITUTION, DENSITY = 200.0, 1.8e-5, 0.5, 0.3, 2600.0
RATIO = 2.0 / 7.0
MEAN_MASS = DENSITY * 4.0 / 3.0 * math.pi * 1e-9


def damping_ratio():
    """The damping ratio of RESTITUTION without clamp, as LAMMPS has it."""
    log = -math.log(RESTITUTION)
    return log / math.hypot(math.pi, log)


def grains(count):
    with open(STATES / f"deposit_{count}.csv", newline="") as file:
        return [[float(row[key]) for key in ("x", "y", "z", "r")] for row in csv.DictReader(file)]


def measured(command, folder):
    """CPU seconds of a command; its output must not be an error."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = dict(os.environ, OMP_NUM_THREADS="1")
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise SystemExit(f"{command}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def data_file(folder, count, rows):
    side, top = SIDE[count], max(row[2] for row in rows) + 5e-3
    with open(folder / "grains.data", "w") as file:
        file.write(f"deposit\n\n{count} atoms\n1 atom types\n\n")
        file.write(f"0 {side} xlo xhi\n0 {side} ylo yhi\n-1e-3 {top} zlo zhi\n\nAtoms\n\n")
        for number, (x, y, z, r) in enumerate(rows, 1):
            file.write(f"{number} 1 {2 * r!r} {DENSITY} {x!r} {y!r} {z!r}\n")


END = """
timestep {step}
thermo {every}
thermo_style custom step atoms ke
run {steps}
compute z all contact/atom
compute mean all reduce ave c_z
thermo_style custom step atoms ke c_mean
run 0
"""


def lammps(folder, count, rows, time):
    data_file(folder, count, rows)
    # Damping in units of 1/s, times the effective mass in LAMMPS: that of two mean grains.
    gamma = 2.0 * damping_ratio() * math.sqrt(STIFFNESS / (0.5 * MEAN_MASS))
    law = f"{STIFFNESS} {RATIO * STIFFNESS} {gamma} {RATIO * gamma} {FRICTION} 1"
    steps = round(time / STEP)
    script = f"""
units si
atom_style sphere
boundary f f f
newton off
comm_modify vel yes
read_data grains.data
neighbor 0.3e-3 bin
neigh_modify delay 0 every 10 check yes
pair_style gran/hooke/history {law}
pair_coeff * *
fix 1 all nve/sphere
fix 2 all gravity 9.81 vector 0 0 -1
fix 3 all wall/gran hooke/history {law} xplane 0 {SIDE[count]}
fix 4 all wall/gran hooke/history {law} yplane 0 {SIDE[count]}
fix 5 all wall/gran hooke/history {law} zplane 0 NULL
""" + END.format(step=STEP, every=steps, steps=steps)
    (folder / "in.deposit").write_text(script)
    cpu, text = measured(["lmp", "-in", "in.deposit", "-log", "none"], folder)
    return cpu, last_row(text, count)


def liggghts(folder, count, rows, time):
    data_file(folder, count, rows)
    # Its linear law takes the stiffness from a Hertz contact at a characteristic speed, chosen here for STIFFNESS.
    young, poisson = 5e6, 0.3
    radius, mass = 0.5e-3, 0.5 * MEAN_MASS
    effective = young / (2 * (1 - poisson**2))
    hertz = 16.0 / 15.0 * math.sqrt(radius) * effective
    speed = math.sqrt((STIFFNESS / hertz) ** 5 * hertz / mass)
    steps = round(time / STEP)
    wall = "wall/gran model hooke tangential history primitive type 1"
    script = f"""
units si
atom_style granular
atom_modify map array
boundary f f f
newton off
communicate single vel yes
read_data grains.data
neighbor 0.3e-3 bin
neigh_modify delay 0
fix m1 all property/global youngsModulus peratomtype {young}
fix m2 all property/global poissonsRatio peratomtype {poisson}
fix m3 all property/global coefficientRestitution peratomtypepair 1 {RESTITUTION}
fix m4 all property/global coefficientFriction peratomtypepair 1 {FRICTION}
fix m5 all property/global characteristicVelocity scalar {speed}
pair_style gran model hooke tangential history
pair_coeff * *
fix 1 all nve/sphere
fix 2 all gravity 9.81 vector 0 0 -1
fix w1 all {wall} xplane 0
fix w2 all {wall} xplane {SIDE[count]}
fix w3 all {wall} yplane 0
fix w4 all {wall} yplane {SIDE[count]}
fix w5 all {wall} zplane 0
""" + END.format(step=STEP, every=steps, steps=steps)
    (folder / "in.deposit").write_text(script)
    cpu, text = measured(["liggghts", "-in", "in.deposit", "-log", "none"], folder)
    return cpu, last_row(text, count)


def last_row(text, count):
    """Kinetic energy over m g d and coordination, from the last row of the thermodynamic output."""
    rows = [line.split() for line in text.splitlines()]
    row = [row for row in rows if len(row) == 4 and row[1] == str(count) and row[0].isdigit()][-1]
    return float(row[2]) / count / (MEAN_MASS * 9.81 * 2e-3), float(row[3])


def riprap(program, folder, count, rows, time):
    side = SIDE[count]
    settings = {
        "method": "md",
        "md.stiffness": STIFFNESS,
        "md.time_step": STEP,
        "md.clamp": "false",
        "materials.stone.normal_restitution": RESTITUTION,
        "grains.0.path": STATES / f"deposit_{count}.csv",
        "walls.0.upper": f"[{side}, {side}, 0.4]",
        "stages.0.end.time": time,
        "outputs.snapshot_interval": time,
    }
    command = [program, "run", str(STATES / "deposit.toml"), "--quiet", "--threads", "1", "--out", str(folder / "run")]
    for key, value in settings.items():
        command += ["--set", f"{key}={value}"]
    cpu, _ = measured(command, folder)
    summary = json.loads((folder / "run" / "summary.json").read_text())
    energy = summary["energies_J"] if "energies_J" in summary else summary["energy_J"]
    return cpu, (energy["kinetic"] / count / (MEAN_MASS * 9.81 * 2e-3), summary["coordination"])


def version(program):
    if program == "lmp":
        text = subprocess.run([program, "-h"], capture_output=True, text=True).stdout
        return next((line.strip() for line in text.splitlines() if "Large-scale" in line), "LAMMPS")
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([program, "-log", "none"], cwd=folder, input="", capture_output=True, text=True)
    return next((line.strip() for line in done.stdout.splitlines() if "LIGGGHTS" in line), "LIGGGHTS")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", HERE.parent.parent / "target"))
    parser.add_argument("--riprap", default=str(target / "release" / "riprap"))
    parser.add_argument("--time", type=float, default=0.3, help="simulated seconds")
    parser.add_argument("counts", nargs="*", type=int, default=[])
    arguments = parser.parse_args()
    peers = [(name, run) for name, run in (("lmp", lammps), ("liggghts", liggghts)) if shutil.which(name)]
    for name, _ in peers:
        print(f"# {name}: {version(name)}")
    print(f"# {arguments.time} s in steps of {STEP} s, springs of {STIFFNESS} N/m, one thread")
    print(f"{'program':>10} {'grains':>7} {'cpu_s':>8} {'cost':>9} {'ns/step':>8} {'KE/mgd':>9} {'Z':>6}", flush=True)
    for count in arguments.counts or sorted(SIDE):
        rows = grains(count)
        runs = [("riprap", lambda *rest: riprap(arguments.riprap, *rest))] + peers
        for name, run in runs:
            with tempfile.TemporaryDirectory() as folder:
                cpu, (energy, contacts) = run(pathlib.Path(folder), count, rows, arguments.time)
            cost = cpu / arguments.time / count
            print(
                f"{name:>10} {count:>7} {cpu:>8.2f} {cost:>9.5f} {cost * STEP * 1e9:>8.1f} {energy:>9.1e} {contacts:>6.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
