#!/usr/bin/env python3
"""Molecular dynamics of the dense deposit, riprap and LAMMPS: the same initial state, law, stiffness and steps, one thread.

    benches/md/compare.py [--riprap PATH] [--lammps PATH] [--states FOLDER] [--rounds 3] [4000 16000 64000]

Spheres on a loose grid (benches/deposit; that of 64,000 is made here in the same way) fall into a box, simulated by
riprap, until the packing is dense; these states are kept in FOLDER, if one is given. From there both programs run
alternately, for the given number of rounds: linear springs of 200 N/m with history, friction 0.5, dashpots for a
restitution of 0.3, steps of 1/56 ms. Cost is the CPU time (user and system) of a run minus that of a run of one
millisecond, so that reading, set-up and writing do not count. The final states are compared by mean height, energies,
contacts between grains, and the distance between the positions of each grain in the two programs.

LAMMPS runs as fast as we could make it (`--tune` tries other neighbour lists and its OpenMP styles on one thread).
"""
import argparse
import csv
import math
import os
import pathlib
import random
import resource
import shutil
import statistics
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
DEPOSIT = HERE.parent / "deposit"
SPACING, JITTER = 2.6e-3, 7.5e-5
# Grains along a side of the box; how long they fall; how many windows of a millisecond are measured, so that a run takes
# about as long for every number of grains.
ALONG = {1000: 7, 4000: 12, 16000: 19, 64000: 30}
FALL = {1000: 0.2, 4000: 0.2, 16000: 0.25, 64000: 0.3}
WINDOWS = {1000: 200, 4000: 80, 16000: 30, 64000: 10}
WINDOW, SUBSTEPS = 1e-3, 56
STIFFNESS, FRICTION, RESTITUTION, DENSITY = 200.0, 0.5, 0.3, 2600.0
RATIO = 2.0 / 7.0
MEAN_MASS = DENSITY * 4.0 / 3.0 * math.pi * 1e-9
KEYS = ("x", "y", "z", "radius", "vx", "vy", "vz", "wx", "wy", "wz")


def side(count):
    return ALONG[count] * SPACING


def measured(command, folder):
    """CPU seconds of a command, and what it printed; it must not fail."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=folder, env=dict(os.environ, OMP_NUM_THREADS="1"), capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise SystemExit(f"{command}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def loose_grid(count, folder):
    """The file of the loose grid; made here if benches/deposit has none."""
    stored = DEPOSIT / f"deposit_{count}.csv"
    if stored.exists():
        return stored
    draw, along = random.Random(count), ALONG[count]
    path = folder / f"deposit_{count}.csv"
    with open(path, "w") as file:
        file.write("x,y,z,r\n")
        for number in range(count):
            cell = (number % along, number // along % along, number // along**2)
            place = [(i + 0.5) * SPACING + draw.uniform(-JITTER, JITTER) for i in cell]
            file.write(",".join(f"{value:.9e}" for value in [*place, draw.uniform(0.8e-3, 1.2e-3)]) + "\n")
    return path


def run_riprap(program, grains, count, time, folder, threads=1):
    """CPU seconds of a run from a file of grains, and the folder that it wrote."""
    out = folder / "run"
    shutil.rmtree(out, ignore_errors=True)
    settings = {
        "method": "md",
        "md.stiffness": STIFFNESS,
        "md.time_step": WINDOW / SUBSTEPS * 1.0001,
        "md.clamp": "false",
        "materials.stone.normal_restitution": RESTITUTION,
        "solver.time_step": WINDOW,
        "grains.0.path": grains,
        "walls.0.upper": f"[{side(count)}, {side(count)}, 0.4]",
        "stages.0.end.time": time,
        "outputs.snapshot_interval": time,
        "outputs.series_interval": time,
        "outputs.snapshot_formats": '["csv"]',
    }
    command = [program, "run", str(DEPOSIT / "deposit.toml"), "--quiet", "--threads", str(threads), "--out", str(out)]
    for key, value in settings.items():
        command += ["--set", f"{key}={value}"]
    cpu, _ = measured(command, folder)
    return cpu, out


def dense(program, count, states):
    """The file of the dense state, with velocities and spins."""
    path = states / f"dense_{count}.csv"
    if not path.exists():
        _, out = run_riprap(program, loose_grid(count, states), count, FALL[count], states)
        shutil.move(sorted((out / "snapshots").glob("snapshot_grains_*.csv"))[-1], path)
    return path


def read_grains(path):
    with open(path, newline="") as file:
        return [[float(row[key]) for key in KEYS] for row in csv.DictReader(file)]


def riprap(program, grains, count, windows, folder):
    cpu, out = run_riprap(program, grains, count, windows * WINDOW, folder)
    snapshots = out / "snapshots"
    with open(sorted(snapshots.glob("snapshot_contacts_*.csv"))[-1], newline="") as file:
        touching = sum(int(row["body1"]) < count and float(row["gap"]) < 0.0 for row in csv.DictReader(file))
    return cpu, read_grains(sorted(snapshots.glob("snapshot_grains_*.csv"))[-1]), touching


def data_file(path, count, rows):
    """The grains as LAMMPS reads them."""
    with open(path, "w") as file:
        file.write(f"deposit\n\n{count} atoms\n1 atom types\n\n")
        file.write(f"0 {side(count)} xlo xhi\n0 {side(count)} ylo yhi\n-1e-3 0.4 zlo zhi\n\nAtoms\n\n")
        for number, (x, y, z, r, *_) in enumerate(rows, 1):
            file.write(f"{number} 1 {2 * r!r} {DENSITY} {x!r} {y!r} {z!r}\n")
        file.write("\nVelocities\n\n")
        for number, (*_, vx, vy, vz, wx, wy, wz) in enumerate(rows, 1):
            file.write(f"{number} {vx!r} {vy!r} {vz!r} {wx!r} {wy!r} {wz!r}\n")


# Of those that `--tune` tries, the fastest at every number of grains.
BEST = ("0.2e-3", "delay 0 every 1 check yes", "omp")


def lammps(program, data, count, windows, folder, lists=BEST):
    skin, when, suffix = lists
    log = -math.log(RESTITUTION)
    # Its dashpots are in units of 1/s, times the effective mass: that of two mean grains has the restitution.
    gamma = 2.0 * log / math.hypot(math.pi, log) * math.sqrt(STIFFNESS / (0.5 * MEAN_MASS))
    law = f"{STIFFNESS} {RATIO * STIFFNESS} {gamma} {RATIO * gamma} {FRICTION} 1"
    # The same law for walls. Of `wall/gran hooke/history` the tangential spring has no effect in LAMMPS of 22 Jul 2025:
    # without dashpot the floor had no friction.
    wall = (
        f"wall/gran granular hooke {STIFFNESS} {gamma}"
        f" tangential linear_history {RATIO * STIFFNESS} {RATIO} {FRICTION} damping mass_velocity"
    )
    (folder / "in.deposit").write_text(f"""
units si
atom_style sphere
boundary f f f
newton off
comm_modify vel yes
read_data {data}
neighbor {skin} bin
neigh_modify {when}
pair_style gran/hooke/history {law}
pair_coeff * *
fix 1 all nve/sphere
fix 2 all gravity 9.81 vector 0 0 -1
fix 3 all {wall} xplane 0 {side(count)}
fix 4 all {wall} yplane 0 {side(count)}
fix 5 all {wall} zplane 0 NULL
timestep {WINDOW / SUBSTEPS!r}
thermo {windows * SUBSTEPS}
run {windows * SUBSTEPS}
compute z all contact/atom
compute sum all reduce sum c_z
thermo_style custom step c_sum
run 0
write_dump all custom end.dump x y z radius vx vy vz omegax omegay omegaz modify sort id format float %.17g
""")
    command = [program, "-in", "in.deposit", "-log", "none"]
    if suffix:
        command += ["-sf", suffix, "-pk", suffix, "1"]
    cpu, text = measured(command, folder)
    rows = [line.split() for line in text.splitlines()]
    touching = [float(row[1]) for row in rows if len(row) == 2 and row[0] == str(windows * SUBSTEPS)][-1] / 2
    with open(folder / "end.dump") as file:
        lines = file.read().splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("ITEM: ATOMS")) + 1
    return cpu, [[float(value) for value in line.split()] for line in lines[first:]], touching


def found(rows, touching):
    """Mean height in mm; kinetic energy of translation and of rotation over m g d; contacts per grain."""
    count, scale = len(rows), MEAN_MASS * 9.81 * 2e-3
    height = sum(row[2] for row in rows) / count
    mass = [DENSITY * 4.0 / 3.0 * math.pi * row[3] ** 3 for row in rows]
    moving = sum(0.5 * m * sum(v * v for v in row[4:7]) for m, row in zip(mass, rows))
    turning = sum(0.2 * m * row[3] ** 2 * sum(w * w for w in row[7:10]) for m, row in zip(mass, rows))
    return 1e3 * height, moving / count / scale, turning / count / scale, 2 * touching / count


def apart(rows, others):
    """Median and largest distance of a grain in one run from the same in another, over the mean radius."""
    distances = [math.dist(one[:3], other[:3]) for one, other in zip(rows, others)]
    return statistics.median(distances) / 1e-3, max(distances) / 1e-3


def compare(count, arguments, states, folder):
    grains = dense(arguments.riprap, count, states)
    data, windows = folder / "grains.data", WINDOWS[count]
    data_file(data, count, read_grains(grains))
    runs = {
        "riprap": lambda windows: riprap(arguments.riprap, grains, count, windows, folder),
        "LAMMPS": lambda windows: lammps(arguments.lammps, data, count, windows, folder),
    }
    steps = (windows - 1) * SUBSTEPS
    costs, ends = {name: [] for name in runs}, {}
    for _ in range(arguments.rounds):
        for name, run in runs.items():
            short, *_ = run(1)
            cpu, rows, touching = run(windows)
            ends[name] = rows
            costs[name].append(cpu - short)
            height, moving, turning, contacts = found(rows, touching)
            print(
                f"{count:>7} {name:>8} {steps:>6} {cpu - short:>8.2f} {(cpu - short) / count / steps * 1e9:>8.1f}"
                f" {height:>11.6f} {moving:>10.3e} {turning:>10.3e} {contacts:>6.3f}",
                flush=True,
            )
    ratio = min(costs["riprap"]) / min(costs["LAMMPS"])
    median, largest = apart(ends["riprap"], ends["LAMMPS"])
    print(f"# {count}: best of riprap / best of LAMMPS = {ratio:.3f}; grains apart by {median:.1e} (median), {largest:.1e} (most) radii")


def tune(count, arguments, states, folder):
    """Costs of LAMMPS with other neighbour lists."""
    data, windows = folder / "grains.data", WINDOWS[count]
    data_file(data, count, read_grains(dense(arguments.riprap, count, states)))
    for suffix in ("", "omp"):
        for skin in ("0.05e-3", "0.1e-3", "0.2e-3", "0.3e-3"):
            lists = (skin, "delay 0 every 1 check yes", suffix)
            cpu = [lammps(arguments.lammps, data, count, n, folder, lists)[0] for n in (1, windows)]
            nanoseconds = (cpu[1] - cpu[0]) / count / (windows - 1) / SUBSTEPS * 1e9
            print(f"{count:>7} {skin:>8} {suffix:>4} {nanoseconds:>8.1f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", HERE.parent.parent / "target"))
    parser.add_argument("--riprap", default=str(target / "release" / "riprap"))
    parser.add_argument("--lammps", default="lmp")
    parser.add_argument("--states", type=pathlib.Path, help="folder in which dense states are kept")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tune", action="store_true", help="only try neighbour lists of LAMMPS")
    parser.add_argument("counts", nargs="*", type=int, default=[])
    arguments = parser.parse_args()
    print(f"# {WINDOW / SUBSTEPS} s a step, springs of {STIFFNESS} N/m, one thread")
    if not arguments.tune:
        print(f"# {'grains':>5} {'program':>8} {'steps':>6} {'cpu_s':>8} {'ns':>8} {'height_mm':>11} {'KE_t/mgd':>10} {'KE_r/mgd':>10} {'Z':>6}")
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        states = (arguments.states or folder).resolve()
        states.mkdir(parents=True, exist_ok=True)
        for count in arguments.counts or [4000, 16000, 64000]:
            (tune if arguments.tune else compare)(count, arguments, states, folder)


if __name__ == "__main__":
    main()
