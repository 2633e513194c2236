"""Sizes and times of the viewer, in a headless Chromium that draws in software; rows go to benches/results/view.csv.

Runs of spheres are written as snapshots by `riprap run` with a single step: a hexagonal lattice of touching spheres under
gravity, so that a grain has more than three contacts on average (some gaps are rounded to above zero). The slowdown of a watched
run is measured in its CPU time, with and without a page that watches.
"""

import csv
import datetime
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request

from playwright.sync_api import sync_playwright

ROOT = pathlib.Path(__file__).resolve().parents[2]
RIPRAP = os.environ.get("RIPRAP", str(ROOT / "target/release/riprap"))
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist", "--disable-quic",
         "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"]

SCENE = """
title = "a lattice of spheres"
dimension = 3
[materials.stone]
density = "2600 kg/m3"
friction = 0.5
[[walls]]
name = "floor"
shape = "plane"
point = [0, 0, 0]
normal = [0, 0, 1]
[[grains]]
sample = "lattice"
lattice = "hexagonal"
count = COUNT
spacing = "2 mm"
radius = "1 mm"
region = { box = { lower = [0, 0, 0], upper = ["SIDE mm", "SIDE mm", "SIDE mm"] } }
[solver]
time_step = "0.1 ms"
max_sweeps = 50
[[stages]]
name = "stand"
end = { time = "0.1 ms" }
[outputs]
snapshot_interval = "0.1 ms"
snapshot_formats = ["h5"]
"""

HEAP = (ROOT / "scenes/heap.toml")


def run_of(folder, count):
    side = 2 * (round(count ** (1 / 3)) + 1)
    (folder / f"{count}.toml").write_text(SCENE.replace("COUNT", str(count)).replace("SIDE", str(side)))
    command = [RIPRAP, "run", f"{count}.toml", "--out", str(count), "--quiet"]
    subprocess.run(command, cwd=folder, check=True, stderr=subprocess.DEVNULL)
    return folder / str(count)


def serve(path):
    process = subprocess.Popen([RIPRAP, "view", str(path), "--no-open"], stderr=subprocess.PIPE, text=True)
    return process, process.stderr.readline().split("view: ")[1].strip()


def loaded(browser, address, more=""):
    """Seconds until the first picture is drawn, and the page."""
    page = browser.new_page(viewport={"width": 1000, "height": 700})
    page.set_default_timeout(600_000)
    began = time.perf_counter()
    page.goto(address + more)
    while not page.evaluate("() => Boolean(window.riprap && window.riprap.drawn > 0)"):
        page.wait_for_timeout(20)
    return time.perf_counter() - began, page


def sizes(browser, folder, count, rows):
    process, address = serve(run_of(folder, count))
    try:
        frame = len(urllib.request.urlopen(address + "run/0/frame/1").read())
        array = len(urllib.request.urlopen(address + "run/0/array/1/speed").read())
        seconds, page = loaded(browser, address, "#contacts=all&frame=1")
        grains = page.evaluate("() => riprap.frame.bodies.columns.id.length")
        contacts = page.evaluate("() => riprap.frame.columns.contact_force.length")
        drawn = page.evaluate("() => riprap.counts.contacts")
        rows.append((f"{grains} spheres, {contacts} contacts ({drawn} with a force): open", f"{seconds:.2f}", "s"))
        rows.append((f"{grains} spheres, {contacts} contacts: frame beyond 20 bytes a contact, with an array", f"{(frame + array - 20 * contacts) / grains:.1f}", "bytes a grain"))
        if count <= 20_000:
            began, pictures = time.perf_counter(), 10
            for _ in range(pictures):
                # Reading a pixel waits for the picture.
                page.evaluate("() => { riprap.camera.orbit(5, 0); riprap.draw(); riprap.drawing.gl.readPixels(0, 0, 1, 1, 6408, 5121, new Uint8Array(4)); }")
            rows.append((f"{grains} spheres: pictures in software at 1000 x 700", f"{pictures / (time.perf_counter() - began):.2f}", "1/s"))
        page.close()
    finally:
        process.terminate()
        process.communicate()


def cpu_of(command, folder, watch=None):
    """CPU seconds of a run."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True)
    if watch:
        address = process.stderr.readline().split("view: ")[1].strip()
        while process.poll() is None:
            try:
                urllib.request.urlopen(address + "run/0/frame/now", timeout=5).read()
            except OSError:
                pass
            time.sleep(0.1)
    process.communicate()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def watched(folder, rows, pairs):
    """What a run loses that a page watches, which asks for a frame ten times a second."""
    ratios = []
    for k in range(pairs):
        base = [RIPRAP, "run", str(HEAP), "--quiet", "--threads", "1", "--force", "--set", "stages.0.end={ time = \"0.05 s\" }"]
        plain = cpu_of([*base, "--out", f"plain{k}"], folder)
        seen = cpu_of([*base, "--out", f"seen{k}", "--view", "--no-open"], folder, watch=True)
        ratios.append(seen / plain)
    ratios.sort()
    rows.append((f"CPU time of a watched run of scenes/heap.toml against an unwatched one, median of {pairs} pairs", f"{100 * (ratios[len(ratios) // 2] - 1):+.1f}", "%"))


def main():
    rows = []
    counts = [int(word) for word in sys.argv[1:]] or [20_000, 100_000, 1_000_000]
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = pathlib.Path(name)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        for count in counts:
            sizes(browser, folder, count, rows)
            print(*rows, sep="\n", flush=True)
        watched(folder, rows, 3)
        browser.close()
    today = datetime.date.today().isoformat()
    with open(ROOT / "benches/results/view.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["date", "what", "value", "unit"])
        writer.writerows((today, *row) for row in rows)
    print(*rows, sep="\n")


if __name__ == "__main__":
    main()
