"""The page in a real browser: every feature once, judged by numbers that are read back."""

import base64
import json
import re
import shutil
import struct
import subprocess

import conftest
import pytest

ALONG_Y = "#camera=0+0+0+25+-1.5708+0+0"


def series_of(folder):
    rows = (folder / "snapshots.csv").read_text().splitlines()[1:]
    return [float(row.split(",")[1]) for row in rows]


def test_the_grain_under_a_pixel_is_the_one_that_is_there(view, served, three):
    view.open(served(three) + ALONG_Y + "&frame=0")
    assert view.value("view.counts.grains") == 3
    assert [view.id_at([x, 0, 0]) for x in (-3, 0, 3)] == [0, 1, 2]
    # Beside a ball there is nothing, and its edge is where its radius says.
    assert view.id_at([1.5, 0, 0]) is None
    assert view.id_at([3.4, 0, 0]) == 2 and view.id_at([3.6, 0, 0]) is None
    assert view.id_at([-3, 0, 0.95]) == 0 and view.id_at([-3, 0, 1.05]) is None


def test_with_perspective_balls_have_their_true_outline_and_hide_what_is_behind(view, served, three):
    view.open(served(three) + "#camera=0+0+0+25+-1.5708+0+1&frame=0")
    assert [view.id_at([x, 0, 0]) for x in (-3, 0, 3)] == [0, 1, 2]
    view.value("(view.camera.along(0, 1), view.isPlaced = true, view.refresh())")
    view.settle()
    # Along x the small ball is in front of the others, which show around it.
    assert view.id_at([3, 0, 0]) == 2
    assert view.id_at([0, 0, 0.9]) == 1


def test_colours_follow_the_chosen_array(view, served, three):
    view.open(served(three) + ALONG_Y + "&frame=4&array=material")
    glass, steel = view.colour_at([0, 0, 0]), view.colour_at([3, 0, 1])
    assert glass[2] > glass[0] + 30, "the first material is blue"
    assert steel[0] > steel[2] + 30, "the second material is orange"
    view.set("array", "speed")
    view.until("view.array().name === 'speed' && view.values_[2] > 0.5")
    view.settle()
    slow, fast = view.colour_at([0, 0, 0]), view.colour_at([3, 0, 1])
    assert sum(fast) > sum(slow) + 100, "fast grains are light"
    assert "m/s" in view.page.locator("#legend").inner_text()
    view.set("range", "values")
    view.set("low", 0)
    view.set("high", 10)
    assert sum(view.colour_at([3, 0, 1])) < sum(fast) - 100, "one metre per second is little of ten"


def test_displacements_are_since_a_chosen_moment(view, served, three):
    view.open(served(three) + ALONG_Y + "&frame=4&array=displacement&since=0")
    assert view.value("view.values_[2]") == pytest.approx(1.0, abs=0.02)
    view.set("since", 2)
    view.until("Math.abs(view.values_[2] - 0.5) < 0.02")


def test_grains_are_left_out_by_material_number_place_and_cut(view, served, three):
    view.open(served(three) + ALONG_Y + "&frame=4&array=speed")
    view.page.locator("[data-hide='m:steel']").uncheck()
    view.until("view.counts.grains === 2")
    view.set("hidden", "")
    view.set("above", "0.5")
    assert view.value("view.counts.grains") == 1
    view.set("above", "")
    view.set("region", "-4 -1 -1 -1 1 1")
    assert view.value("view.counts.grains") == 1 and view.id_at([-3, 0, 0]) == 0
    view.set("region", "")
    # A cut in front of the middle of a ball shows its inside: still the same grain, further from the eye.
    view.set("slice", "y")
    for cut in (0.0, 0.5):
        view.set("cut", cut)
        assert view.id_at([0, 0, 0]) == 1
    view.set("cut", 1.0)
    assert view.id_at([0, 0, 0]) is None, "everything is between the plane and the eye"


def test_contacts_are_those_that_carry_a_force(view, served, heap):
    view.open(served(heap) + "#contacts=all&grains=0&walls=0.1")
    shown = view.value("view.counts.contacts")
    forces = view.value("Array.from(view.frame.columns.contact_force)")
    bearing = [abs(force) for force in forces if force != 0]
    assert shown == len(bearing) > 100
    mean = sum(bearing) / len(bearing)
    assert view.value("view.counts.meanForce") == pytest.approx(mean, rel=1e-6)
    view.set("strong", 1)
    assert view.value("view.counts.contacts") == sum(force >= mean for force in bearing)
    view.set("strong", 0)
    view.set("contacts", "pull")
    assert view.value("view.counts.contacts") == 0, "dry grains do not pull"
    status = view.value("Array.from(view.frame.columns.contact_status)")
    view.set("contacts", "slide")
    assert view.value("view.counts.contacts") == sum(s & 3 == 2 for s, force in zip(status, forces) if force != 0)
    view.set("contacts", "all")
    for colour in ("friction", "status", "force"):
        view.set("colour", colour)
    assert view.page.locator("#contact-colours").inner_text().split() == ["weak", "push", "pull"]


def test_the_time_line_steps_plays_and_interpolates(view, served, three):
    view.open(served(three) + ALONG_Y)
    times = series_of(three)
    assert view.value("view.overview.frames.map((frame) => frame.time)") == pytest.approx(times)
    last = len(times) - 1
    assert view.value("view.state.frame") == last
    for key, frame in (("Home", 0), ("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", last)):
        view.page.keyboard.press(key)
        view.until(f"view.frame.number === {frame}")
    view.page.keyboard.press("Home")
    view.until("view.frame.number === 0")
    view.set("speed", 60)
    view.page.keyboard.press(" ")
    view.until(f"view.frame.number === {last} && !view.isPlaying")
    # Half-way between two frames the moving ball is half-way.
    view.page.keyboard.press("Home")
    view.until("view.frame.number === 0")
    view.value("view.frames.frame(1).then((next) => { view.next = next; view.fraction = 0.5; view.fill(); })")
    middle = view.value("view.position[8]")
    ends = view.value("[view.frame.columns.position[8], view.next.columns.position[8]]")
    assert middle == pytest.approx(sum(ends) / 2, abs=1e-6)


def test_a_click_tells_a_grain_and_it_can_be_followed_and_measured(view, served, three):
    view.open(served(three) + ALONG_Y + "&frame=0")
    x, y = view.pixel_of([3, 0, 0])
    view.page.mouse.click(x, y)
    view.page.locator("#card h1", has_text="grain 2").wait_for()
    card = view.page.locator("#card").inner_text()
    assert "steel" in card and "0 contacts" in card.lower()
    view.set("follow", True)
    view.page.keyboard.press("End")
    view.until("view.frame.number === 4")
    view.settle()
    assert view.value("view.camera.target[2]") == pytest.approx(1.0, abs=0.02)
    view.set("follow", False)
    view.value("view.seek(0)")
    view.until("view.frame.number === 0")
    for row in (0, 1):
        view.value(f"view.mark({row})")
    assert view.value("view.measured.distance") == pytest.approx(3)
    view.value("view.mark(2)")
    assert view.value("view.measured.angle") == pytest.approx(180)


def test_the_address_holds_the_view(view, served, heap):
    view.open(served(heap))
    view.page.mouse.move(500, 300)
    view.page.mouse.down()
    view.page.mouse.move(580, 330)
    view.page.mouse.up()
    view.set("contacts", "all")
    view.set("array", "coordination")
    view.settle()
    seen = view.value("[view.camera.azimuth, view.camera.elevation, view.camera.distance]")
    address = view.page.url
    view.page.goto("about:blank")
    view.open(address)
    assert view.value("[view.camera.azimuth, view.camera.elevation, view.camera.distance]") == pytest.approx(seen, rel=1e-4)
    assert view.value("[view.state.contacts, view.state.array]") == ["all", "coordination"]


def test_cameras_look_along_axes_and_fit(view, served, three):
    view.open(served(three) + "#frame=0")
    for key, axis in (("1", 0), ("2", 1), ("3", 2)):
        view.page.keyboard.press(key)
        towards = view.value("view.camera.frame().towards")
        assert abs(towards[axis]) == pytest.approx(1, abs=1e-6)
    view.page.keyboard.press("0")
    view.settle()
    for point in ([-4, 0, 0], [3.5, 0, 0]):
        x, y = view.pixel_of(point)
        assert 0 <= x <= 1000 and 0 <= y <= 700
    before = view.value("view.camera.perspective")
    view.page.keyboard.press("p")
    assert view.value("view.camera.perspective") != before


def test_scenes_in_the_plane_are_seen_flat_with_their_polygons(view, served, flat):
    view.open(served(flat))
    assert view.value("view.camera.flat") and view.value("view.counts.grains") == 3
    places = view.value("Array.from(view.position)")
    assert [view.id_at(places[3 * k:3 * k + 3]) for k in range(3)] == [0, 1, 2]
    assert view.value("view.drawing.lines.count") >= 3, "three walls"


def test_curves_log_summary_and_help_are_there(view, served, heap):
    view.open(served(heap) + "#curves=1")
    view.page.locator("#curves svg path").first.wait_for()
    assert view.page.locator("#curves svg").count() == 2
    assert view.page.locator("#curves svg line.cursor").count() == 2
    view.set("text", "summary")
    view.page.locator("#text", has_text="completed").wait_for()
    view.set("text", "log")
    view.page.locator("#text", has_text="riprap").wait_for()
    view.page.keyboard.press("?")
    view.page.locator("dialog[open]").wait_for()
    view.page.keyboard.press("Escape")
    view.page.locator("dialog[open]").wait_for(state="detached")
    # A click on a curve goes to its time.
    box = view.page.locator("#curves svg").first.bounding_box()
    view.page.mouse.click(box["x"] + 0.16 * box["width"], box["y"] + 0.5 * box["height"])
    view.until("view.frame.number === 0")


def test_a_picture_is_saved_at_any_size(view, served, heap):
    view.open(served(heap))
    url = view.value("view.picture(1234, 567)")
    data = base64.b64decode(url.split(",")[1])
    assert struct.unpack(">II", data[16:24]) == (1234, 567)


def test_a_damaged_snapshot_is_told_and_the_others_are_shown(view, served, heap, tmp_path):
    copy = shutil.copytree(heap, tmp_path / "damaged")
    first = sorted((copy / "snapshots").glob("*.h5"))[0]
    first.write_bytes(first.read_bytes()[:1000])
    view.open(served(copy))
    view.value("view.seek(0)")
    view.page.locator("#notice", has_text="cannot be shown").wait_for()
    assert view.page.locator("#timeline .mark.damaged").count() == 1
    view.value("view.seek(1)")
    view.until("view.frame.number === 1")
    # If it is the newest one, the page begins with the last good one.
    last = sorted((copy / "snapshots").glob("*.h5"))[-1]
    last.write_bytes(b"nonsense")
    view.page.goto("about:blank")
    view.open(served(copy))
    assert view.value("view.frame.number") == view.value("view.overview.frames.length") - 2
    # The browser itself reports the answer that says so.
    view.errors = [error for error in view.errors if "422" not in error]


def test_an_exported_page_shows_the_same_without_a_server(view, heap, tmp_path):
    page = tmp_path / "heap.html"
    subprocess.run([conftest.RIPRAP, "view", str(heap), "--export", str(page), "--frames", "3"], check=True, capture_output=True)
    view.open(page.as_uri() + "#contacts=all")
    assert view.value("view.counts.grains") == 120 and view.value("view.counts.contacts") > 100
    assert view.value("view.overview.frames.length") == 3
    view.page.keyboard.press("Home")
    view.until("view.frame.number === 0")


def test_a_run_under_way_is_watched_paused_stepped_and_stopped(view, tmp_path):
    scene = conftest.HEAP.replace('end = { time = "0.2 s" }', 'end = { time = "1000 s" }')
    (tmp_path / "long.toml").write_text(scene)
    command = [conftest.RIPRAP, "run", "long.toml", "--out", "long", "--view", "--no-open", "--quiet"]
    run = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    address = run.stderr.readline().split("view: ")[1].strip()
    view.open(address)
    assert view.value("view.isLive")
    first = view.value("view.frame.head.step")
    view.until(f"view.frame.head.step > {first}")
    view.page.locator("button[title='pause the run']").click()
    # Two pictures in a row of the same step: it stands still.
    def step_now():
        return view.value("view.frames.frame('now').then((frame) => frame.head.step)")
    while (still := step_now()) != step_now():
        pass
    view.page.locator("button[title='one step of the run']").click()
    while step_now() == still:
        pass
    assert step_now() == still + 1
    view.page.locator("button[title^='end the run']").click()
    run.communicate()
    assert run.returncode == 130
    assert json.loads((tmp_path / "long/summary.json").read_text())["status"] == "interrupted"
    # The server is gone with the run; what the page asks for now fails.
    view.errors = [error for error in view.errors if "ERR_CONNECTION" not in error and "Failed to fetch" not in error]


BONDED = """
title = "two balls that are glued, and one that only touches"
dimension = 3
[domain]
gravity = 0
[materials.glass]
density = "2500 kg/m3"
friction = 0.5
[[grains]]
sample = "list"
positions = [[0, 0, 0], [2, 0, 0], [4, 0, 0]]
radius = 1
[[bonds]]
pairs = [[0, 1]]
tensile_strength = "1 kN"
shear_strength = "1 kN"
[[stages]]
name = "rest"
end = { time = 0.02 }
[solver]
time_step = 0.01
[outputs]
snapshot_interval = 0.01
snapshot_formats = ["h5"]
"""


def test_bonds_are_there_also_without_a_force(view, served, tmp_path):
    conftest.run(tmp_path, "bonded", BONDED)
    view.open(served(tmp_path / "bonded") + "#contacts=bonds&colour=kind&grains=0&camera=1+0+0+12+-1.5708+0+0")
    assert view.value("view.counts.contacts") == 1
    red, green, blue = view.colour_at([1, 0, 0])
    assert red > green + 40 and blue > green + 20, "bonds are purple"
    view.set("contacts", "all")
    view.set("colour", "force")
    assert view.value("view.counts.contacts") == 0, "nothing presses"


def test_membranes_are_lines_between_their_grains(view, served, tmp_path):
    scene = (conftest.ROOT / "scenes/biaxial.toml").read_text()
    conftest.run(tmp_path, "biaxial", scene, "--set", "stages.0.end.time=0.01", "--set", "stages.1.end.time=0.02")
    view.open(served(tmp_path / "biaxial"))
    chains = view.value("view.frame.bodies.head.membranes")
    assert len(chains) == 2 and all(len(chain) > 10 for chain in chains)
    pieces = sum(len(chain) - 1 for chain in chains)
    assert view.value("view.drawing.lines.count") == pieces + 2, "two membranes and two walls"


def test_friction_is_mobilised_up_to_its_limit(view, served, heap):
    view.open(served(heap) + "#contacts=all&colour=friction&grains=0")
    columns = view.value("({ friction: Array.from(view.frame.columns.contact_friction), status: Array.from(view.frame.columns.contact_status) })")
    sliding = [f for f, status in zip(columns["friction"], columns["status"]) if status & 3 == 2]
    sticking = [f for f, status in zip(columns["friction"], columns["status"]) if status & 3 == 1]
    assert set(sliding) <= {255} and 0 < max(sticking) <= 255 and min(sticking) < 128


def test_unconverged_steps_and_warnings_are_marked_on_the_time_line(view, served, tmp_path):
    rough = conftest.run(tmp_path, "rough", conftest.HEAP + '[solver]\nmax_sweeps = 1\nmin_sweeps = 1\n')
    head, *rows = [line.split(",") for line in (rough / "series.csv").read_text().splitlines()]
    unconverged = sum(row[head.index("converged")] == "0" for row in rows)
    warned = [line for line in (rough / "log.txt").read_text().splitlines() if re.search(r"warning: .*step \d", line)]
    assert unconverged > 0 and warned
    view.open(served(rough))
    view.until("view.events !== undefined")
    view.settle()
    assert view.page.locator("#timeline .mark.unconverged").count() == unconverged
    assert view.page.locator("#timeline .mark.warning").count() == len(warned)
    assert "did not converge" in view.page.locator("#timeline .mark.warning").first.get_attribute("title")


SOLIDS = """
title = "a cube, a clump and a ball in a drum"
dimension = 3
[domain]
gravity = 0
[materials.stone]
density = "2600 kg/m3"
friction = 0.5
[[walls]]
name = "drum"
shape = "drum"
centre = [0, 0, 0]
axis = [0, 1, 0]
radius = 6
[[grains]]
sample = "list"
positions = [[-3, 0, 0]]
shape = { box = { edges = [2, 2, 2] } }
group = "solids"
[[grains]]
sample = "list"
positions = [[0, 0, 0]]
shape = { cluster = { balls = [{ centre = [-0.6, 0, 0], radius = 0.5 }, { centre = [0.6, 0, 0], radius = 0.5 }] } }
group = "solids"
[[grains]]
sample = "list"
positions = [[3, 0, 0]]
radius = 1
group = "balls"
[[stages]]
name = "rest"
end = { time = 0.02 }
[solver]
time_step = 0.01
[outputs]
snapshot_interval = 0.01
snapshot_formats = ["h5"]
"""


def test_polyhedra_and_clumps_have_their_outlines_and_groups_are_switched_off(view, served, tmp_path):
    solids = conftest.run(tmp_path, "solids", SOLIDS)
    view.open(served(solids) + ALONG_Y + "&frame=0&walls=0")
    # A cube fills its corners, a ball does not, and a clump has a waist.
    assert view.id_at([-3.95, 0, 0.95]) == 0 and view.id_at([-4.1, 0, 0]) is None
    assert [view.id_at([x, 0, 0]) for x in (-1.05, 1.05, -1.2)] == [1, 1, None]
    assert view.id_at([0, 0, 0.4]) is None
    assert view.id_at([3.95, 0, 0.95]) is None and view.id_at([3, 0, 0.95]) == 2
    assert view.value("view.drawing.walls.count") > 0 and view.value("view.drawing.walls.count % 3") == 0
    view.page.locator("[data-hide='g:solids']").uncheck()
    view.until("view.counts.grains === 1")
    # The drum is translucent: it darkens what is behind it, more and more, and a ball still shows through.
    view.value("view.along(2)")
    seen = []
    for opacity in (0, 0.3, 0.9):
        view.set("walls", opacity)
        seen.append(sum(view.colour_at([5, 0, 0])))
    assert seen[0] > seen[1] + 10 > seen[2] + 20 and view.id_at([3, 0, 0]) == 2


RAMP = """
title = "a ball above a ramp of two triangles"
dimension = 3
[domain]
gravity = 0
[materials.stone]
density = "2600 kg/m3"
friction = 0.5
[[walls]]
name = "ramp"
shape = "mesh"
vertices = [[-4, -4, -2], [4, -4, -2], [4, 4, 2], [-4, 4, 2]]
faces = [[0, 1, 2], [0, 2, 3]]
[[grains]]
sample = "list"
positions = [[0, 0, 3]]
radius = 1
[[stages]]
name = "rest"
end = { steps = 1 }
[solver]
time_step = 0.01
[outputs]
snapshot_interval = 0.01
snapshot_formats = ["h5"]
"""


def test_a_mesh_has_its_triangles_and_hides_what_is_behind_it(view, served, tmp_path):
    address = served(conftest.run(tmp_path, "ramp", RAMP))
    above, below = (f"{address}#camera=0+0+0+25+-1.5708+{tilt}+0&frame=0&walls=1" for tilt in (1.5, -1.5))
    view.open(above)
    assert view.value("view.drawing.walls.count") == 2 * 3
    # From above: the ramp is where its corners say, and there is nothing beside it.
    beside, on_ramp = view.colour_at([4.2, 3, 0]), view.colour_at([3.8, 3, 1.5])
    assert sum(abs(a - b) for a, b in zip(beside, on_ramp)) > 30
    assert view.id_at([0, 0, 3]) == 0
    # From below it hides the ball, and shows it again when it is switched off.
    view.page.goto("about:blank")
    view.open(below)
    hidden = view.colour_at([0, 0, 3])
    view.set("walls", 0)
    assert sum(abs(a - b) for a, b in zip(hidden, view.colour_at([0, 0, 3]))) > 30


def test_keys_work_while_a_box_or_a_button_has_the_focus_which_keep_the_space_bar(view, served, three):
    view.open(served(three) + ALONG_Y + "&frame=1")
    box = view.page.locator("[data-hide]").first
    box.focus()
    view.page.keyboard.press("ArrowRight")
    view.until("view.state.frame === 2")
    assert box.is_checked()
    view.page.keyboard.press(" ")
    view.until("view.counts.grains < 3")
    assert not box.is_checked() and view.value("view.state.frame") == 2


def test_liquid_bridges_pull_and_the_periodic_cell_has_its_edges(view, served, tmp_path):
    scenes = conftest.ROOT / "scenes"
    wet = conftest.run(tmp_path, "wet", (scenes / "wet.toml").read_text(), "--set", "stages.0.end={ time = \"20 ms\" }",
                       "--set", "stages.1.end={ steps = 1 }", "--set", "stages.2.end={ steps = 1 }")
    cell = conftest.run(tmp_path, "cell", (scenes / "shear-cell.toml").read_text(), *(
        word for k in range((scenes / "shear-cell.toml").read_text().count("[[stages]]"))
        for word in ("--set", f"stages.{k}.end={{ steps = 1 }}")))
    view.open(served(wet) + "#contacts=bridges&colour=kind")
    bridges = sum(status & 4 != 0 for status in view.value("Array.from(view.frame.columns.contact_status)"))
    assert view.value("view.counts.contacts") == bridges > 0
    assert "liquid bridge" in view.page.locator("#contact-colours").inner_text()
    view.page.goto("about:blank")
    view.open(served(cell))
    edges = 4 if view.value("view.camera.flat") else 12
    with_cell = view.value("view.drawing.lines.count")
    view.set("cell", False)
    assert with_cell - view.value("view.drawing.lines.count") == edges


def test_several_runs_are_chosen_from_and_the_page_is_dark_where_the_system_is(view, served, three, flat):
    view.page.emulate_media(color_scheme="dark")
    view.open(served(three, flat) + ALONG_Y + "&frame=0")
    assert view.value("view.site.runs") == ["three", "flat"]
    assert sum(view.colour_at([1.5, 0, 3])) < 150, "the paper is dark"
    view.page.emulate_media(color_scheme="light")
    view.settle()
    assert sum(view.colour_at([1.5, 0, 3])) > 700, "the paper is light"
    view.page.locator("#set-run").select_option("1")
    # The page loads itself again, which this waits for.
    view.page.wait_for_function("() => Boolean(window.riprap && riprap.drawn > 0 && riprap.overview.name === 'flat')")
    # The wheel zooms, and keys are found by what they write, on any keyboard.
    far = view.value("view.camera.distance")
    view.page.mouse.move(500, 350)
    view.page.mouse.wheel(0, -500)
    view.until(f"view.camera.distance < {far}")
    near = view.value("view.camera.distance")
    view.page.keyboard.press("-")
    assert view.value("view.camera.distance") > near


def test_the_heap_of_the_readme_is_watched_live(view, tmp_path):
    command = [conftest.RIPRAP, "run", str(conftest.ROOT / "scenes/heap.toml"), "--view", "--no-open", "--quiet"]
    run = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    view.open(run.stderr.readline().split("view: ")[1].strip())
    assert view.value("view.isLive && view.counts.grains") == 3000
    if conftest.pictures():
        # In the middle of the collapse.
        view.page.set_viewport_size({"width": 1200, "height": 760})
        view.until("view.frame.head.time > 0.45")
        view.set("curves", True)
        view.settle()
        view.page.screenshot(path=f"{conftest.pictures()}/view_live.png")
    first = view.value("view.frame.head.step")
    view.until(f"view.frame.head.step > {first}")
    view.page.locator("button[title^='end the run']").click()
    run.communicate()
    assert run.returncode == 130
    view.errors = [error for error in view.errors if "ERR_CONNECTION" not in error and "Failed to fetch" not in error]


@pytest.mark.skipif(conftest.pictures() is None, reason="the pictures of the docs are drawn where PICTURES names their folder")
def test_the_pictures_of_the_docs(view, served, tmp_path):
    deposit = conftest.run(tmp_path, "deposit", (conftest.ROOT / "scenes/deposit.toml").read_text())
    address = served(deposit)
    view.page.set_viewport_size({"width": 1200, "height": 760})
    view.open(address + "#contacts=all&grains=0&strong=0.7&curves=1")
    view.until("document.querySelectorAll('#curves svg path').length === 2")
    view.page.screenshot(path=f"{conftest.pictures()}/view_forces.png")
    view.page.goto("about:blank")
    view.open(address + "#array=pressure&slice=y&contacts=all")
    x, y = view.pixel_of(view.value("Array.from(view.position.slice(0, 3))"))
    view.page.mouse.click(x, y)
    view.settle()
    view.page.screenshot(path=f"{conftest.pictures()}/view_grains.png")
