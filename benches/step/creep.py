#!/usr/bin/env python3
"""A layer of disks on a bumpy incline that has stopped: how fast does it creep, and what does it cost?

    benches/step/creep.py --csv results.csv [--seeds 1-3] [--angles 13,15] LABEL [riprap options]

300 disks of 8 to 12 mm in a periodic direction of 24 mean diameters, on fixed disks of 10 mm, friction 0.4, at 13 and 15 degrees. After
1.5 s of coming to rest and 1.5 s of waiting, the last 1.5 s are measured: mean and largest displacement down the slope, in mean
diameters per 100 √(d/g), and root mean square speed over √(g d) at the end. Appends a row per angle and seed. One thread.
"""
import argparse
import csv
import datetime
import itertools
import json
import math
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
COLUMNS = ["date", "label", "angle_deg", "seed", "mean_creep", "largest_creep", "speed", "steps", "sweeps", "unconverged", "cpu_s"]
DIAMETER, PERIOD, GRAVITY, WAIT = 0.01, 0.24, 9.81, 1.5


def scene(angle, seed):
    x, y = GRAVITY * math.sin(math.radians(angle)), -GRAVITY * math.cos(math.radians(angle))
    rods = "".join(f'[[walls]]\nname = "rod {i}"\nshape = "rod"\nmaterial = "stone"\nradius = {DIAMETER / 2}\n'
                   f'centre = [{(i + 0.5) * DIAMETER:.3f}, 0]\n' for i in range(24))
    return f"""
title = "A layer on an incline"
dimension = 2
seed = {seed}
[domain]
gravity = [{x:.6f}, {y:.6f}]
periodic = {{ x = {PERIOD} }}
[materials.stone]
density = 2600
friction = 0.4
{rods}
[[grains]]
sample = "rain"
count = 300
radius = {{ uniform = {{ min = "4 mm", max = "6 mm" }} }}
material = "stone"
region = {{ box = {{ lower = [0, {DIAMETER / 2}], upper = [{PERIOD}, 1] }} }}
cover = 0.4
[[stages]]
name = "settle"
end = {{ time = {WAIT} }}
[[stages]]
name = "rest"
end = {{ time = {2 * WAIT} }}
[outputs]
snapshot_interval = {WAIT}
snapshot_formats = ["csv"]
"""


def measure(out):
    before, after = ({row["id"]: row for row in csv.DictReader(open(path))} for path in
                     sorted(out.glob("snapshots/*grains*.csv"))[-2:])
    moved = [float(after[key]["x"]) - float(before[key]["x"]) for key in before]
    moved = [(x - PERIOD * round(x / PERIOD)) / DIAMETER for x in moved]
    time = WAIT / math.sqrt(DIAMETER / GRAVITY) / 100
    squares = [float(row["vx"]) ** 2 + float(row["vy"]) ** 2 for row in after.values()]
    speed = math.sqrt(sum(squares) / len(squares) / (GRAVITY * DIAMETER))
    return sum(moved) / len(moved) / time, max(map(abs, moved)) / time, speed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--csv", required=True)
    parser.add_argument("--seeds", default="1-1")
    parser.add_argument("--angles", default="13,15")
    parser.add_argument("--riprap", default=ROOT / "target/release/riprap")
    parser.add_argument("label")
    arguments, options = parser.parse_known_args()
    first, last = (int(word) for word in arguments.seeds.split("-"))
    angles = [float(word) for word in arguments.angles.split(",")]
    for angle, seed in itertools.product(angles, range(first, last + 1)):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "scene.toml").write_text(scene(angle, seed))
            subprocess.run([arguments.riprap, "run", folder / "scene.toml", "--quiet", "--threads", "1", "--out", folder / "out",
                            *options], check=True)
            summary = json.loads((folder / "out/summary.json").read_text())
            values = [f"{value:.2e}" for value in measure(folder / "out")]
        with open(arguments.csv, "a", newline="") as file:
            if file.tell() == 0:
                csv.writer(file).writerow(COLUMNS)
            csv.writer(file).writerow([datetime.date.today(), arguments.label, f"{angle:g}", seed, *values, summary["steps"], summary["sweeps"],
                                       summary["unconverged_steps"], f"{summary['cpu_s']:.2f}"])


if __name__ == "__main__":
    main()
