#!/usr/bin/env python3
"""How contact dynamics and molecular dynamics book one oblique impact: a sphere that sticks to a floor, and one that slides.

    benches/step/oblique.py [path of riprap]

Prints the energies lost by friction and by impact over those of the closed form, and friction's share.
"""
import json
import math
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = sys.argv[1] if len(sys.argv) > 1 else ROOT / "target/release/riprap"
SCENE = """
dimension = 3
[domain]
gravity = [0, 0, 0]
[materials.stone]
density = 2600
friction = 0.5
[[walls]]
name = "floor"
shape = "plane"
point = [0, 0, 0]
normal = [0, 0, 1]
[[grains]]
sample = "file"
path = "one.csv"
[[stages]]
name = "impact"
end = { time = "3 ms" }
[solver]
time_step = "0.1 ms"
"""
MASS, FRICTION, ALONG = 2600 * 4 / 3 * math.pi * 1e-9, 0.5, 1.0

for method in ("cd", "md"):
    for down in (1.0, 0.25):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "scene.toml").write_text(SCENE)
            (folder / "one.csv").write_text(f"x,y,z,r,vx,vy,vz\n0,0,1.23e-3,1e-3,{ALONG},0,{-down}\n")
            subprocess.run([BINARY, "run", folder / "scene.toml", "--quiet", "--out", folder / "out", "--set", f'method="{method}"'], check=True)
            energy = json.loads((folder / "out/summary.json").read_text())["energy_J"]
        impact = 0.5 * MASS * down ** 2
        sticks = 2 / 7 * ALONG <= FRICTION * down
        friction = 0.5 * 2 / 7 * MASS * ALONG ** 2 if sticks else FRICTION * MASS * down * (ALONG - 1.75 * FRICTION * down)
        share = energy["friction"] / (energy["friction"] + energy["impact"])
        print(f"{method} {'sticks' if sticks else 'slides'}: friction {energy['friction'] / friction:.4f}, impact "
              f"{energy['impact'] / impact:.4f} of the closed form, share {share:.4f} ({friction / (friction + impact):.4f})")
