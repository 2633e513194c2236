#!/usr/bin/env python3
"""Plane shear, the collapse of a column, a hopper and Housner's rocking at any settings, over seeds.

    benches/step/flows.py CASE --seeds 1-4 --csv results.csv LABEL [riprap options]

CASE is shear-0.1 or shear-0.01 (250 disks of `riprap reproduce plane-shear` at this inertial number), collapse, hopper or
rocking (the scenes of these names), or tilted (a block 1 m high, of 15 degrees, that falls onto its base from a tilt of 0.1).
Appends a row per seed with two numbers: friction and solid fraction; 97 % front and mean place of the deposit in m; the part of
the grains that leaves in a second while a fifth to four fifths have left, and the time until half have; the ratio of angular
velocities at the first impact, a step after it and at once, or (tilted) from the energies before and after it, and over that of
Housner. One thread.
"""
import argparse
import csv
import datetime
import json
import math
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
COLUMNS = ["date", "case", "label", "seed", "first", "second", "steps", "sweeps", "unconverged", "worst_overlap", "cpu_s"]
STRAINS = 2.0, 10.0
HOPPER_INTERVAL = 0.02


def table(path):
    return list(csv.DictReader(open(path)))


def grains(out):
    return table(sorted(out.glob("snapshots/*grains*.csv"))[-1])


def shear(number):
    """The flow of crates/cli/src/reproduce/cases/shear_flow.rs, at one inertial number."""
    rate = number / math.sqrt(math.pi * (0.25 + 0.2 ** 2 / 12.0))
    width = math.sqrt(250 * 0.8 / (0.53 * 1.9))
    changes = [f"domain.periodic={{ x = {width:.3f}, y = {1.9 * width:.3f} }}", f"stages.1.cell.shear={rate:.6f}",
               f"stages.1.end.time={STRAINS[0] / rate:.3f}", f"stages.2.end.time={STRAINS[1] / rate:.3f}"]

    def measure(out, _):
        rows = [row for row in table(out / "loading.csv") if row["stage"] == "shear"]
        def total(key): return sum(float(row[key]) for row in rows)
        density = sum(1.0 / (1.0 + float(row["void_ratio"])) for row in rows) / len(rows)
        return total("shear_stress_Pa") / total("stress_y_Pa"), density

    scene = (ROOT / "crates/cli/src/reproduce/scenes/plane_shear.toml").read_text()
    scene = "\n".join(line for line in scene.splitlines() if not line.startswith(("time_step", "gap")))
    return scene, changes, measure


def collapse():
    def measure(out, _):
        rows = grains(out)
        weights = sorted((float(row["x"]), float(row["mass"])) for row in rows)
        mass, below = sum(m for _, m in weights), 0.0
        for x, m in weights:
            below += m
            if below >= 0.97 * mass:
                break
        return x, sum(x * m for x, m in weights) / mass

    return (ROOT / "scenes/collapse.toml").read_text(), ['outputs.snapshot_formats=["csv"]'], measure


def rocking():
    def measure(out, _):
        rows = [float(row["kinetic_energy_J"]) for row in table(out / "series.csv")]
        # The energy falls at the first impact from one step to the next.
        drop = min(range(1, len(rows)), key=lambda i: rows[i] - rows[i - 1])
        # The ratio of angular velocities.
        return math.sqrt(rows[drop + 1] / rows[drop - 1]), math.sqrt(min(rows[drop], rows[drop + 1]) / rows[drop - 1])

    return (ROOT / "scenes/rocking.toml").read_text(), ["outputs.series_interval=0"], measure


def hopper():
    def measure(out, _):
        frames = [table(path) for path in sorted(out.glob("snapshots/*grains*.csv"))]
        left = [sum(float(row["y"]) < 0.0 for row in rows) / len(rows) for rows in frames]
        fitted = [(HOPPER_INTERVAL * number, part) for number, part in enumerate(left) if 0.2 < part < 0.8]
        time, part = (sum(values) / len(fitted) for values in zip(*fitted))
        rate = sum((t - time) * (p - part) for t, p in fitted) / sum((t - time) ** 2 for t, _ in fitted)
        return rate, time + (0.5 - part) / rate

    changes = ['outputs.snapshot_formats=["csv"]', f"outputs.snapshot_interval={HOPPER_INTERVAL}"]
    return (ROOT / "scenes/hopper.toml").read_text(), changes, measure


def tilted():
    slope, tilt, gravity = math.tan(math.radians(15)), 0.1, 9.81
    sin, cos = math.sin(tilt), math.cos(tilt)
    corners = [[x * cos - y * sin, x * sin + y * cos] for x, y in ((0, 0), (slope, 0), (slope, 1), (0, 1))]
    scene = f"""
title = "A block that falls onto its base"
dimension = 2
[domain]
gravity = [0, {-gravity}]
[materials.stone]
density = 1000
friction = 0.8
[[walls]]
name = "floor"
shape = "plane"
point = [0, 0]
normal = [0, 1]
[[grains]]
sample = "blocks"
corners = [{corners}]
[[stages]]
name = "rock"
end = {{ time = 0.4 }}
[outputs]
series_interval = 0
snapshot_interval = 1
"""

    def measure(out, _):
        rows = [[float(row[f"{kind}_energy_J"]) for kind in ("kinetic", "potential")] for row in table(out / "series.csv")]
        kinetic = [row[0] for row in rows]
        drop = min(range(2, len(rows) - 2), key=lambda i: kinetic[i] - kinetic[i - 1])
        upright = 1000.0 * slope * gravity * 0.5
        before, after = (sum(rows[i]) - upright for i in (drop - 2, drop + 2))
        ratio = math.sqrt(after / before)
        return ratio, ratio / (1.0 - 1.5 * math.sin(math.radians(15)) ** 2)

    return scene, [], measure


CASES = {"shear-0.1": lambda: shear(0.1), "shear-0.01": lambda: shear(0.01), "collapse": collapse,
         "hopper": hopper, "rocking": rocking, "tilted": tilted}


def run(binary, case, seed, options):
    scene, changes, measure = CASES[case]()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "scene.toml").write_text(scene)
        sets = [word for change in [f"seed={seed}", *changes] for word in ("--set", change)]
        subprocess.run([binary, "run", folder / "scene.toml", "--quiet", "--threads", "1", "--out", folder / "out", *sets, *options],
                       check=True)
        summary = json.loads((folder / "out/summary.json").read_text())
        first, second = measure(folder / "out", summary)
    return [f"{first:.6g}", f"{second:.6g}", summary["steps"], summary["sweeps"], summary["unconverged_steps"],
            f"{summary['worst_overlap_over_radius']:.1e}", f"{summary['cpu_s']:.2f}"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("case", choices=CASES)
    parser.add_argument("--seeds", default="1-4")
    parser.add_argument("--csv", required=True)
    parser.add_argument("--riprap", default=ROOT / "target/release/riprap")
    parser.add_argument("label")
    arguments, options = parser.parse_known_args()
    first, last = (int(word) for word in arguments.seeds.split("-"))
    path = pathlib.Path(arguments.csv)
    done = {(row["case"], row["label"], row["seed"]) for row in table(path)} if path.exists() else set()
    for seed in range(first, last + 1):
        if (arguments.case, arguments.label, str(seed)) in done:
            continue
        values = run(arguments.riprap, arguments.case, seed, options)
        with open(path, "a", newline="") as file:
            if file.tell() == 0:
                csv.writer(file).writerow(COLUMNS)
            csv.writer(file).writerow([datetime.date.today(), arguments.case, arguments.label, seed, *values])


if __name__ == "__main__":
    sys.exit(main())
