#!/usr/bin/env python3
"""The deposit of benches/deposit from other random states, at any settings: solid fraction, height, coordination, energy.

    benches/step/deposit.py --seeds 0-11 --csv results.csv LABEL [riprap options, such as --set solver.time_step='"0.1 ms"']

Appends a row per seed to the CSV file, and skips those that are there already. Seeds differ by the random jitter and radii of the initial
state, which is made as that of benches/deposit/deposit_N.csv was; the same seed is the same state for all labels, so that
labels are compared in pairs (benches/step/table.py does so). One thread.
"""
import argparse
import csv
import datetime
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PITCH, JITTER, RADII = 2.6e-3, 7.5e-5, (0.8e-3, 1.2e-3)
SIDE = {1000: 7, 4000: 12, 16000: 19}
COLUMNS = ["date", "label", "grains", "seed", "phi_core", "mean_height_mm", "coordination", "friction_share", "lost_J", "max_overlap",
           "mean_overlap", "floor_force", "unbalanced", "steps", "sweeps", "unconverged", "cpu_s"]


def initial_state(count, seed):
    """Spheres on a loose grid, shaken a little."""
    draw = random.Random(f"deposit {count} {seed}").uniform
    side = SIDE[count]
    for i in range(count):
        cell = (i % side, i // side % side, i // side ** 2)
        yield [(c + 0.5) * PITCH + draw(-JITTER, JITTER) for c in cell] + [draw(*RADII)]


def cap(radius, height):
    """The volume of a sphere below a plane at a height above its centre."""
    h = min(max(height + radius, 0.0), 2.0 * radius)
    return math.pi * h * h * (3.0 * radius - h) / 3.0


def solid_fraction(grains, side):
    """Between two mean radii above the floor and three quarters of the bed's height; spheres are cut exactly."""
    mean_radius = sum(r for *_, r in grains) / len(grains)
    tops = sorted(z + r for _, _, z, r in grains)
    low, high = 2.0 * mean_radius, 0.75 * tops[int(0.99 * len(tops))]
    volume = sum(cap(r, high - z) - cap(r, low - z) for _, _, z, r in grains)
    return volume / (side * side * (high - low))


def run(binary, count, seed, options):
    side = SIDE[count] * PITCH
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        with open(folder / "grains.csv", "w") as file:
            print("x,y,z,r", file=file)
            for grain in initial_state(count, seed):
                print(",".join(f"{value!r}" for value in grain), file=file)
        scene = (ROOT / "benches/deposit/deposit.toml").read_text()
        (folder / "deposit.toml").write_text("\n".join(
            line for line in scene.replace("deposit_1000.csv", "grains.csv").splitlines() if not line.startswith(("time_step", "gap"))))
        subprocess.run([binary, "run", folder / "deposit.toml", "--quiet", "--threads", "1", "--out", folder / "out",
                        "--set", f'walls.0.upper=["{side * 1e3} mm","{side * 1e3} mm","400 mm"]',
                        "--set", 'outputs.snapshot_formats=["csv"]', "--set", 'outputs.series_interval="0.1 s"', *options], check=True)
        summary = json.loads((folder / "out/summary.json").read_text())
        last = sorted((folder / "out").glob("**/*grains*.csv"))[-1]
        grains = [[float(row[key]) for key in ("x", "y", "z", "radius")] for row in csv.DictReader(open(last))]
    return summary, grains, side


def row(label, count, seed, summary, grains, side):
    def find(name, tree=summary):
        for key, value in tree.items():
            if key == name:
                return value
            if isinstance(value, dict) and (inner := find(name, value)) is not None:
                return inner
        return None
    energy = find("energy_J")
    mass = sum(r ** 3 for *_, r in grains)
    return [datetime.date.today(), label, count, seed, f"{solid_fraction(grains, side):.5f}",
            f"{1e3 * sum(r ** 3 * z for _, _, z, r in grains) / mass:.4f}", f"{find('coordination'):.4f}",
            f"{energy['friction'] / (energy['friction'] + energy['impact']):.4f}", f"{energy['friction'] + energy['impact']:.4e}", f"{find('max_overlap_over_radius'):.2e}", f"{find('mean_overlap_over_radius'):.2e}",
            f"{find('floor_force_over_weight'):.4f}", f"{find('unbalanced_force_over_weight')['mean']:.2e}",
            find("steps"), find("sweeps"), find("unconverged_steps"), f"{find('cpu_s'):.2f}"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", default="0-5")
    parser.add_argument("--csv", required=True)
    parser.add_argument("--grains", type=int, default=1000)
    parser.add_argument("--riprap", default=ROOT / "target/release/riprap")
    parser.add_argument("label")
    arguments, options = parser.parse_known_args()
    first, last = (int(word) for word in arguments.seeds.split("-"))
    path = pathlib.Path(arguments.csv)
    done = set()
    if path.exists():
        done = {(line["label"], line["grains"], line["seed"]) for line in csv.DictReader(open(path))}
    for seed in range(first, last + 1):
        if (arguments.label, str(arguments.grains), str(seed)) in done:
            continue
        values = row(arguments.label, arguments.grains, seed, *run(arguments.riprap, arguments.grains, seed, options))
        with open(path, "a", newline="") as file:
            if file.tell() == 0:
                csv.writer(file).writerow(COLUMNS)
            csv.writer(file).writerow(values)


if __name__ == "__main__":
    sys.exit(main())
