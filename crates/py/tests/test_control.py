"""Control from Python, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import ball, command, heap

import riprap


def falling(**changes: object) -> riprap.Scene:
    """A ball in empty space, with or without gravity."""
    scene = riprap.Scene(dimension=3, domain={"gravity": 0})
    scene.material("glass", density="2500 kg/m3", friction=0.5)
    scene.grains(sample="list", positions=[[0, 0, "0 mm"]], radius="1 mm")
    scene.stage("fly", end={"time": "10 s"})
    scene.solver(time_step="1 ms")
    for path, value in changes.items():
        scene.set(path.replace("__", "."), value)
    return scene


def box_with_lid(steps: int = 2000) -> riprap.Scene:
    """Grains in a box under a lid."""
    scene = heap(steps=steps).set("stages.1.end.steps", 1)
    tree = scene.to_dict()
    tree["walls"].append(
        {"name": "lid", "shape": "plane", "point": [0, 0, "15 mm"], "normal": [0, 0, -1], "material": "steel"}
    )
    return riprap.Scene.from_dict(tree)


def test_a_spring_by_a_callable_oscillates_at_its_frequency():
    simulation = riprap.Simulation(falling(grains__0__velocity=[0.1, 0, 0]))
    mass, stiffness = float(simulation.grains.mass[0]), 2.0e-3
    frequency = np.sqrt(stiffness / mass) / (2 * np.pi)

    def spring(time, sim):
        # The place at the middle of the step, at which forces act.
        middle = sim.grains.position + 0.5 * sim.time_step * sim.grains.velocity
        return -stiffness * middle

    simulation.forces = spring
    places = []
    simulation.every(steps=1)(lambda sim: places.append(sim.grains.position[0, 0]))
    simulation.run(time=5 / frequency)
    places = np.array(places)
    crossings = np.flatnonzero((places[:-1] < 0) & (places[1:] >= 0))
    exact = crossings + places[crossings] / (places[crossings] - places[crossings + 1])
    period = np.diff(exact).mean() * simulation.time_step
    assert period == pytest.approx(1 / frequency, rel=1e-3)
    assert abs(simulation.energy.error) < 1e-12


def test_forces_as_an_array_accelerate_and_end():
    simulation = riprap.Simulation(falling())
    mass = simulation.grains.mass[0]
    simulation.forces = [[0, 0, 3.0 * mass]]
    simulation.torques = [[1e-9, 0, 0]]
    simulation.run(steps=100)
    np.testing.assert_allclose(simulation.grains.velocity, [[0, 0, 0.3]], rtol=1e-12)
    inertia = 0.4 * mass * 1e-6
    np.testing.assert_allclose(simulation.grains.spin[0, 0], 1e-9 / inertia * 0.1, rtol=1e-9)
    simulation.forces = None
    simulation.torques = None
    simulation.run(steps=10)
    np.testing.assert_allclose(simulation.grains.velocity, [[0, 0, 0.3]], rtol=1e-12)


def test_gravity_can_be_set_and_given_back():
    simulation = riprap.Simulation(falling())
    simulation.gravity = lambda time: (0, 0, -9.81)
    simulation.run(steps=10)
    assert simulation.grains.velocity[0, 2] == pytest.approx(-0.0981)
    simulation.gravity = None
    simulation.run(steps=10)
    assert simulation.grains.velocity[0, 2] == pytest.approx(-0.0981)


def test_a_wall_moves_as_a_callable_says():
    simulation = riprap.Simulation(box_with_lid())
    start = simulation.walls["lid"].position[2]
    simulation.walls["lid"].velocity = lambda time: (0, 0, -0.02 * np.cos(20 * time))
    simulation.run(steps=50)
    # The sum of the velocities at the middle of each step.
    exact = start - 0.01 * simulation.time_step * np.sin(20 * simulation.time) / np.sin(10 * simulation.time_step)
    assert simulation.walls["lid"].position[2] == pytest.approx(exact, abs=1e-12)
    simulation.walls["lid"].velocity = None
    simulation.step()
    np.testing.assert_array_equal(simulation.walls["lid"].velocity, 0)


@pytest.mark.filterwarnings("ignore::riprap.RunWarning")
def test_a_servo_wall_holds_its_pressure():
    simulation = riprap.Simulation(box_with_lid().set("solver.stiffness", "1e4 N/m"), threads=1)
    lid, area, pressure = simulation.walls["lid"], 12e-3**2, 500.0

    def servo(time, sim):
        now = lid.force[2] / area
        return (0, 0, 1e-4 * (now - pressure) if now > 0 else -0.02)

    lid.velocity = servo
    simulation.run(steps=1000)
    held = []
    simulation.every(steps=1)(lambda sim: held.append(lid.force[2] / area))
    simulation.run(steps=200)
    np.testing.assert_allclose(held, pressure, rtol=0.01)


@pytest.mark.filterwarnings("ignore::riprap.RunWarning")
def test_a_wall_under_a_pressure_needs_a_mass_and_is_held_by_the_grains():
    simulation = riprap.Simulation(box_with_lid(), threads=1)
    lid = simulation.walls["lid"]
    with pytest.raises(riprap.ControlError, match="needs a mass"):
        lid.force = (None, None, -0.1)
    lid.mass = "20 g"
    lid.push(lambda time: -700.0, axis=2, area=12e-3**2)
    simulation.run(steps=500)
    held, before = [], lid.velocity[2]
    simulation.every(steps=1)(lambda sim: held.append(lid.force[2]))
    simulation.run(steps=500)
    # Newton's law over these steps.
    gained = 0.02 * (lid.velocity[2] - before) / (500 * simulation.time_step)
    assert np.mean(held) - gained == pytest.approx(700.0 * 12e-3**2, rel=1e-9)


def test_constants_hold_over_the_end_of_a_stage():
    simulation = riprap.Simulation(box_with_lid(steps=10).set("stages.1.end.steps", 10))
    simulation.walls["lid"].velocity = (0, 0, -1e-3)
    simulation.run()
    assert simulation.walls["lid"].position[2] == pytest.approx(0.015 - 20e-6)


def test_laws_of_pairs_can_be_changed(settled):
    law = settled.laws["stone"]
    assert law.friction == 0.5
    law.friction = 0.0
    assert settled.laws["stone", "stone"].static_friction == 0.0
    settled.run(steps=20)
    grains = settled.grains.id
    contacts = settled.contacts
    between = np.isin(contacts.body1, grains)
    np.testing.assert_allclose(contacts.tangential_force[between], 0.0, atol=1e-12)
    law.friction = None
    settled.step()
    assert law.friction == 0.5


def test_a_law_of_ones_own_for_coulomb_friction_gives_the_programs_result():
    own = heap(steps=60).set("materials.stone.friction", 0.0).set("materials.steel.friction", 0.0)
    own = riprap.Simulation(own, threads=1)
    own.set_law(lambda contacts: contacts.friction.__setitem__(slice(None), 0.3))
    programs = heap(steps=60).set("materials.stone.friction", 0.3).set("materials.steel.friction", 0.3)
    programs = riprap.Simulation(programs, threads=2)
    own.run()
    programs.run()
    np.testing.assert_array_equal(own.grains.position, programs.grains.position)
    np.testing.assert_array_equal(own.contacts.force, programs.contacts.force)


def test_a_law_that_changes_nothing_changes_no_bit():
    plain = riprap.Simulation(heap(steps=60))
    plain.run()
    watched = riprap.Simulation(heap(steps=60))
    seen = []
    watched.set_law(lambda contacts: seen.append(len(contacts)))
    watched.run()
    assert watched.state_hash == plain.state_hash
    assert len(seen) >= 120


def test_adhesion_by_a_law_holds_a_ball_under_a_ceiling():
    scene = ball()
    tree = scene.to_dict()
    tree["walls"] = [{"name": "ceiling", "shape": "plane", "point": [0, 0, "4 mm"], "normal": [0, 0, -1]}]
    weight = 2500 * 4 / 3 * np.pi * 1e-9 * 9.81

    def hangs(factor: float) -> bool:
        simulation = riprap.Simulation(tree)
        simulation.set_law(lambda contacts: contacts.adhesion.__setitem__(slice(None), factor * weight))
        simulation.run(steps=100)
        return bool(simulation.grains.position[0, 2] > 2.99e-3)

    assert hangs(1.5)
    assert not hangs(0.5)


@pytest.mark.parametrize(
    ("law", "error", "words"),
    [
        (lambda c: 1 / 0, ZeroDivisionError, "division"),
        (lambda c: c.friction.fill(-1.0), riprap.ControlError, "must not be negative"),
        (lambda c: c.adhesion.fill(np.nan), riprap.ControlError, "finite"),
        (lambda c: setattr(c, "shift", "nonsense"), riprap.ControlError, "shift"),
        (lambda c: setattr(c, "friction", np.zeros(3)), riprap.ControlError, "shape"),
    ],
)
def test_a_law_that_fails_leaves_the_state_as_it_was(settled, law, error, words):
    before = settled.state_hash
    settled.set_law(law)
    with pytest.raises(error, match=words):
        settled.step()
    assert settled.state_hash == before
    settled.set_law(None)
    settled.step()


@pytest.mark.parametrize(
    ("forces", "words"),
    [
        (lambda time: None, "shape"),
        (lambda time: [[1.0, 2.0]], "shape"),
        (lambda time: np.full((48, 3), np.nan), "finite"),
        (lambda time: "nonsense", "numbers of shape"),
    ],
)
def test_a_callable_that_returns_nonsense_leaves_the_state_as_it_was(settled, forces, words):
    before = settled.state_hash
    settled.forces = forces
    with pytest.raises(riprap.ControlError, match=words):
        settled.step()
    assert settled.state_hash == before
    settled.forces = None
    settled.step()


def test_wrong_constants_are_refused_where_they_are_set(settled):
    with pytest.raises(riprap.ControlError, match="shape"):
        settled.forces = [1.0, 2.0]
    with pytest.raises(riprap.BodyError, match="there are box.left"):
        _ = settled.walls["lid"]
    with pytest.raises(riprap.BodyError, match="no material 'ice'"):
        _ = settled.laws["ice"]
    with pytest.raises(riprap.ControlError, match="between 0.0 and 1.0"):
        settled.laws["stone"].restitution = 1.5
    with pytest.raises(riprap.ControlError, match="no \\[cell\\]"):
        settled.cell.press(0, 100.0)
    with pytest.raises(riprap.ControlError, match="velocity"):
        settled.walls["box.bottom"].velocity = ("1 m/s", "1 kg", 0)
    settled.step()


def test_a_cell_is_driven_to_a_pressure():
    scene = riprap.Scene.template("isotropic-cell-disks")
    simulation = riprap.Simulation(scene, threads=1)
    before = simulation.cell.period.copy()
    simulation.cell.stretch(0, lambda time: -0.5)
    simulation.run(steps=10)
    assert simulation.cell.period[0] == pytest.approx(before[0] * np.exp(-0.5 * simulation.time), rel=1e-3)


@pytest.mark.filterwarnings("ignore::riprap.RunWarning")
def test_a_controlled_run_is_resumed_with_its_callables_to_the_same_bits(tmp_path):
    def control(sim):
        sim.walls["box.bottom"].velocity = lambda time: (0, 0, 2e-3 * np.sin(50 * time))

    whole = riprap.Simulation(heap())
    control(whole)
    whole.run()
    with riprap.Simulation(heap(), out=tmp_path / "run") as simulation:
        control(simulation)
        simulation.run(steps=33)
    refused = command("resume", tmp_path / "run", "--quiet")
    assert refused.returncode == 2
    assert "controlled" in refused.stderr
    with pytest.raises(riprap.ControlledError, match="control="):
        riprap.Simulation.resume(tmp_path / "run")
    resumed = riprap.Simulation.resume(tmp_path / "run", control)
    resumed.run()
    assert resumed.state_hash == whole.state_hash


def test_callables_give_the_same_bits_for_any_number_of_threads():
    hashes = []
    for threads in (1, 2):
        simulation = riprap.Simulation(heap(), threads=threads)
        simulation.forces = lambda time, sim: -1e-4 * sim.grains.velocity
        simulation.run()
        hashes.append(simulation.state_hash)
    assert hashes[0] == hashes[1]


def test_walls_come_and_go_in_the_middle_of_a_run(tmp_path):
    sim = riprap.Simulation(ball(), out=tmp_path / "run")
    sim.run(time="30 ms")
    with pytest.raises(riprap.BodyError, match="overlap"):
        sim.add_wall("lid", shape="plane", point=[0, 0, "1 mm"], normal=[0, 0, -1])
    with pytest.raises(riprap.SceneError, match="did you mean `plane`"):
        sim.add_wall("lid", shape="plne")
    with pytest.raises(riprap.BodyError, match="wall \"floor\" already exists"):
        sim.add_wall("floor", shape="plane", point=[0, 0, -1], normal=[0, 0, 1])
    assert list(sim.walls) == ["floor"]
    sim.add_wall("lower floor", shape="plane", point=[0, 0, "-1 mm"], normal=[0, 0, 1])
    with pytest.raises(riprap.BodyError, match="no wall"):
        sim.remove_wall("ceiling")
    sim.remove_wall("floor")
    assert list(sim.walls) == ["lower floor"] and len(sim.contacts) == 0
    sim.run(time="30 ms")
    # The ball has fallen by a millimetre, on the new floor, which carries it.
    assert sim.grains.position[0, 2] == pytest.approx(0, abs=1e-6)
    assert sim.walls["lower floor"].force[2] == pytest.approx(-9.81 * sim.grains.mass[0], rel=1e-3)
    middle = sim.state_hash
    sim.close()
    # What was added and removed is there again after a resume, and the run ends with the same bits.
    again = riprap.Simulation.resume(tmp_path / "run", lambda sim: None)
    assert again.state_hash == middle and list(again.walls) == ["lower floor"]
    again.run()
    whole = riprap.Simulation(ball())
    whole.run(time="30 ms")
    whole.add_wall("lower floor", shape="plane", point=[0, 0, "-1 mm"], normal=[0, 0, 1])
    whole.remove_wall("floor")
    whole.run()
    assert whole.state_hash == again.state_hash


def test_a_wall_that_was_added_can_be_driven_and_given_free():
    sim = riprap.Simulation(ball())
    sim.add_wall("lid", shape="plane", point=[0, 0, "6 mm"], normal=[0, 0, -1])
    sim.walls["lid"].velocity = [0, 0, -0.01]
    sim.run(time="10 ms")
    assert sim.walls["lid"].position[2] == pytest.approx(5.9e-3, rel=1e-6)
    sim.walls["lid"].velocity = None
    sim.run(time="5 ms")
    assert sim.walls["lid"].position[2] == pytest.approx(5.9e-3, rel=1e-6)
