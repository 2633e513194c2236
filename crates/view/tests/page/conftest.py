"""Runs, servers and a browser for the tests of the page.

The program is that of the environment variable RIPRAP (default: target/release/riprap), the browser Debian's Chromium, or
that of CHROMIUM. Without a browser all tests are skipped, and say so.
"""

import json
import os
import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[4]
RIPRAP = os.environ.get("RIPRAP", str(ROOT / "target/release/riprap"))
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
# Without a graphics card, by the software renderer that Chromium brings; no network but loopback.
FLAGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist", "--disable-quic",
         "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"]

THREE = """
title = "three balls at known places"
dimension = 3
[domain]
gravity = 0
[materials.glass]
density = "2500 kg/m3"
friction = 0.5
[materials.steel]
density = "7800 kg/m3"
friction = 0.3
[[walls]]
name = "floor"
shape = "plane"
point = [0, 0, -5]
normal = [0, 0, 1]
material = "steel"
[[grains]]
sample = "list"
positions = [[-3, 0, 0], [0, 0, 0]]
radius = 1
material = "glass"
[[grains]]
sample = "list"
positions = [[3, 0, 0]]
velocities = [[0, 0, 1]]
radius = 0.5
material = "steel"
[solver]
time_step = 0.01
[[stages]]
name = "fly"
end = { time = 1 }
[outputs]
snapshot_interval = 0.25
snapshot_formats = ["h5"]
"""

HEAP = """
title = "spheres at rest"
dimension = 3
seed = 3
[materials.stone]
density = "2600 kg/m3"
friction = 0.5
[[walls]]
name = "box"
shape = "box"
lower = [0, 0, 0]
upper = ["10 mm", "10 mm", "60 mm"]
open = ["top"]
[[grains]]
sample = "lattice"
count = 120
spacing = "2.3 mm"
jitter = "0.08 mm"
radius = "1 mm"
[[stages]]
name = "fall"
end = { time = "0.2 s" }
[outputs]
snapshot_interval = "20 ms"
snapshot_formats = ["h5"]
"""

FLAT = """
title = "polygons, a clump and disks in the plane"
dimension = 2
[materials.stone]
density = "2600 kg/m3"
friction = 0.5
[[walls]]
name = "box"
shape = "box"
lower = [0, 0]
upper = [0.1, 0.2]
open = ["top"]
[[grains]]
sample = "list"
positions = [[0.02, 0.02], [0.05, 0.02]]
radius = 0.01
[[grains]]
sample = "list"
positions = [[0.08, 0.02]]
shape = { polygon = { sides = 5 } }
radius = 0.01
[[stages]]
name = "fall"
end = { time = 0.02 }
[outputs]
snapshot_interval = 0.01
snapshot_formats = ["h5"]
"""


def run(folder, name, scene, *more):
    """Simulates a scene and returns the folder of the run."""
    (folder / f"{name}.toml").write_text(scene)
    subprocess.run([RIPRAP, "run", f"{name}.toml", "--out", name, "--quiet", *more], cwd=folder, check=True)
    return folder / name


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="session")
def three(folder):
    return run(folder, "three", THREE)


@pytest.fixture(scope="session")
def heap(folder):
    return run(folder, "heap", HEAP)


@pytest.fixture(scope="session")
def flat(folder):
    return run(folder, "flat", FLAT)


@pytest.fixture(scope="session")
def browser():
    if CHROMIUM is None:
        pytest.skip("there is no Chromium: the page is not tested")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


class View:
    """A page of the viewer, with what went wrong on it."""

    def __init__(self, page):
        self.page = page
        self.errors = []
        # Long enough for a machine that does much else; only what never comes is an error.
        page.set_default_timeout(600_000)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda message: message.type == "error" and self.errors.append(message.text))

    def open(self, address):
        self.page.goto(address)
        self.until("Boolean(window.riprap && window.riprap.drawn > 0)")

    def value(self, expression):
        """The value of an expression in which `view` is the page's object."""
        return self.page.evaluate(f"() => {{ const view = window.riprap; return ({expression}); }}")

    def until(self, expression):
        """Waits as long as it takes; a test that never gets there is ended by its runner."""
        while not self.value(expression):
            self.page.wait_for_timeout(20)

    def settle(self):
        """Waits for the picture of whatever was changed."""
        drawn = self.value("view.drawn")
        self.value("view.refresh()")
        self.until(f"view.drawn > {drawn}")

    def set(self, key, value):
        self.value(f"view.controls.set({json.dumps(key)}, {json.dumps(value)})")
        self.settle()

    def pixel_of(self, point):
        """Where a point of the world is on the canvas."""
        return self.value(f"view.camera.onScreen({list(point)}, canvas.clientWidth, canvas.clientHeight)")

    def id_at(self, point):
        x, y = self.pixel_of(point)
        return self.value(f"view.pick({x}, {y})?.id ?? null")

    def colour_at(self, point):
        """The mean colour of a few pixels around a point of the world."""
        x, y = self.pixel_of(point)
        return self.value(
            f"""(() => {{
                const copy = document.createElement("canvas");
                [copy.width, copy.height] = [canvas.width, canvas.height];
                const context = copy.getContext("2d");
                context.drawImage(canvas, 0, 0);
                const data = context.getImageData(Math.round({x}) - 2, Math.round({y}) - 2, 5, 5).data;
                const sum = [0, 0, 0];
                for (let k = 0; k < data.length; k += 4) for (let c = 0; c < 3; c++) sum[c] += data[k + c] / 25;
                return sum;
            }})()"""
        )


@pytest.fixture
def view(browser):
    page = browser.new_page(viewport={"width": 1000, "height": 700})
    view = View(page)
    yield view
    assert view.errors == []
    page.close()


@pytest.fixture
def served():
    """Starts the server of some runs and returns the address of its page."""
    started = []

    def serve(*paths):
        process = subprocess.Popen([RIPRAP, "view", *map(str, paths), "--no-open"], stderr=subprocess.PIPE, text=True)
        started.append(process)
        return process.stderr.readline().split("view: ")[1].strip()

    yield serve
    for process in started:
        process.terminate()
        process.communicate()


def pictures():
    """The folder for the pictures of the docs, where they are asked for."""
    return os.environ.get("PICTURES")
