"""The state as arrays: sound whatever is kept or changed, and edited explicitly."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import ball, heap

import riprap


def test_columns_have_the_shapes_that_they_say(settled):
    grains, contacts = settled.grains, settled.contacts
    count, touching = len(grains), len(contacts)
    assert count == 48
    assert touching > 40
    assert grains.position.shape == grains.velocity.shape == grains.spin.shape == (count, 3)
    assert grains.orientation.shape == (count, 4)
    assert grains.radius.shape == grains.mass.shape == grains.id.shape == (count,)
    assert set(grains.material) == {"stone"}
    assert contacts.force.shape == contacts.normal.shape == contacts.point.shape == contacts.torque.shape == (touching, 3)
    volume = 4 / 3 * np.pi * grains.radius**3
    np.testing.assert_allclose(grains.mass, 2600 * volume, rtol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(contacts.normal, axis=1), 1.0, rtol=1e-12)


def test_in_the_plane_spins_and_orientations_are_numbers():
    simulation = riprap.Simulation(heap(dimension=2))
    simulation.run(steps=40)
    grains = simulation.grains
    assert grains.position.shape == (48, 2)
    assert grains.spin.shape == grains.orientation.shape == (48,)
    assert simulation.stress.shape == (2, 2)


def test_arrays_are_copies_that_cannot_be_written_to_and_stay(settled):
    position = settled.grains.position
    before = position.copy()
    with pytest.raises(ValueError, match="read-only"):
        position[0] = 0
    settled.run(steps=5)
    np.testing.assert_array_equal(position, before)
    assert not np.array_equal(settled.grains.position, before)


def test_memory_is_used_again_only_where_no_array_refers_to_it(settled):
    names = ("body1", "body2", "gap", "point", "normal", "force")
    # A row, a view of a view, a buffer: whatever is kept keeps what it refers to.
    keepers = [lambda array: array, lambda array: array[3], lambda array: array.T[::2], memoryview]
    kept = []
    for step in range(12):
        settled.step()
        keep = keepers[step % len(keepers)]
        for array in [settled.grains.position, settled.grains.velocity, *(getattr(settled.contacts, name) for name in names)]:
            kept.append((keep(array), np.array(keep(array))))
        del array
        del kept[: 3 * (step % 2)]
    assert all(np.array_equal(np.asarray(array), copy) for array, copy in kept)
    # Dropped memory does come back.
    del keep, kept
    addresses = set()
    for _ in range(30):
        settled.step()
        addresses.add(settled.grains.position.__array_interface__["data"][0])
    assert len(addresses) <= 8


def test_a_kept_view_does_not_mix_two_states(settled):
    grains = settled.grains
    kept = grains.position
    settled.step()
    assert grains.position is kept
    with pytest.raises(riprap.StateError, match="gone on"):
        _ = grains.velocity


def test_forces_balance_weight(settled):
    settled.run(steps=100)
    weight = settled.grains.mass.sum() * 9.81
    on_walls = sum(wall.force for wall in settled.walls.values())
    np.testing.assert_allclose(on_walls[2], -weight, rtol=0.02)
    contacts = settled.contacts
    normal, tangential = contacts.normal_force, np.linalg.norm(contacts.tangential_force, axis=1)
    assert (tangential <= 0.5 * normal * (1 + 1e-9)).all()
    np.testing.assert_allclose(contacts.impulse, contacts.force * settled.time_step, rtol=1e-12)
    assert set(np.unique(contacts.status)) <= {0, 1, 2}
    assert settled.stress[2, 2] > 0


def test_reports_and_energies_are_those_of_the_step(settled):
    report = settled.step()
    assert report.step == settled.steps
    assert report["energy"]["kinetic"] == settled.energy.kinetic
    assert abs(settled.energy.error) < 1e-9
    with pytest.raises(AttributeError, match="it has step"):
        _ = report.nonsense


def test_velocities_can_be_changed_and_the_balance_says_so(settled):
    energy = settled.energy
    mass = settled.grains.mass
    momentum = mass @ settled.grains.velocity
    with settled.edit() as edit:
        edit.velocity[:] = 0
        edit.spin[:] = 0
    np.testing.assert_array_equal(settled.grains.velocity, 0)
    after = settled.energy
    assert after.kinetic == pytest.approx(0, abs=1e-18)
    assert after.exchanged == pytest.approx(-energy.kinetic)
    assert abs(after.error) < 1e-12
    np.testing.assert_allclose(settled.exchange.removed.momentum, momentum, atol=1e-15)
    settled.run(steps=3)
    assert abs(settled.energy.error) < 1e-9


def test_grains_come_and_go_with_ids_that_stay(settled):
    first = settled.grains
    gone = int(first.id[5])
    mass = first.mass
    with settled.edit() as edit:
        edit.remove([gone])
        edit.remove(edit.position[:, 2] > 1.0)
        edit.add(position=[[0.006, 0.006, 0.05]], radius="1 mm", material="steel", velocity=[0, 0, -0.1])
    new = int(edit.added[0])
    grains = settled.grains
    assert gone not in grains.id and new in grains.id and new > first.id.max()
    assert gone not in settled.contacts.body1 and gone not in settled.contacts.body2
    assert grains.material[grains.row(new)] == "steel"
    assert settled.exchange.removed.mass == pytest.approx(mass[5])
    assert settled.exchange.added.bodies == 1
    with pytest.raises(riprap.BodyError, match=f"no grain with id {gone}"):
        grains.row(gone)
    settled.run(steps=30)
    assert abs(settled.energy.error) < 1e-9
    assert new in settled.grains.id


def test_columns_know_of_grains_before_and_behind_the_walls(settled):
    """Grains of the scene, walls, and grains that were added later lie in this order; no row is lost between them."""
    before = settled.grains.position
    with settled.edit() as edit:
        edit.add(position=[[0.002 + 0.004 * i, 0.006, 0.05] for i in range(3)], radius="1 mm", velocity=[[0, 0.1 * i, 0] for i in range(3)])
    grains = settled.grains
    assert (grains.position[:-3] == before).all()
    assert grains.position[-3:, 0] == pytest.approx([0.002, 0.006, 0.010])
    assert grains.velocity[-3:, 1] == pytest.approx([0, 0.1, 0.2])
    with settled.edit() as edit:
        edit.remove([int(grains.id[1])])
    assert (settled.grains.position == np.delete(grains.position, 1, axis=0)).all()
    assert (settled.grains.id == np.delete(grains.id, 1)).all()


def test_radii_and_materials_can_be_changed(settled):
    with settled.edit() as edit:
        edit.radius *= 0.9
        edit.material[:3] = "steel"
    grains = settled.grains
    density = np.where(grains.material == "steel", 7800, 2600)
    assert (grains.material == "steel").sum() == 3
    np.testing.assert_allclose(grains.mass, density * 4 / 3 * np.pi * grains.radius**3, rtol=1e-12)
    settled.run(steps=3)


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        (lambda edit: edit.position.__setitem__((0, 0), np.nan), riprap.ControlError, "finite"),
        (lambda edit: edit.radius.__setitem__(0, -1e-3), riprap.ControlError, "positive"),
        (lambda edit: setattr(edit, "velocity", np.zeros((2, 3))), riprap.ControlError, "shape"),
        (lambda edit: edit.material.__setitem__(0, "cheese"), riprap.BodyError, "no material 'cheese'"),
        (lambda edit: edit.remove([999]), riprap.BodyError, "no grain with id 999"),
        (lambda edit: edit.remove([0.5]), riprap.ControlError, "integers"),
        (lambda edit: edit.add(edit.position[0], radius=1e-3), riprap.BodyError, "would overlap grain"),
        (lambda edit: edit.add([0.006, 0.006, 0.0], radius=1e-3), riprap.BodyError, "would overlap"),
        (lambda edit: edit.add([0, 0], radius=1e-3), riprap.ControlError, "shape"),
        (lambda edit: edit.add([0, 0, 1.0], radius=0), riprap.ControlError, "positive"),
        (lambda edit: edit.add([0, 0, 1.0], radius="1 s"), ValueError, "length"),
        (lambda edit: edit.orientation.__setitem__(0, 0), riprap.ControlError, "quaternion"),
    ],
)
def test_an_edit_that_makes_no_sense_changes_nothing(settled, change, error, words):
    before = settled.state_hash
    with pytest.raises(error, match=words), settled.edit() as edit:
        edit.velocity[1] = 7
        change(edit)
    assert settled.state_hash == before
    settled.step()


def test_a_block_that_raises_changes_nothing(settled):
    before = settled.state_hash
    with pytest.raises(KeyError), settled.edit() as edit:
        edit.velocity[:] = 0
        raise KeyError
    assert settled.state_hash == before


def test_an_edited_run_goes_on_to_the_same_bits(tmp_path):
    def change(sim):
        with sim.edit() as edit:
            edit.remove([3, 10])
            edit.radius[20] *= 0.95
            edit.add([[0.006, 0.006, 0.05], [0.006, 0.006, 0.055]], radius=1e-3, material="steel")
        with sim.edit() as edit:
            edit.remove([edit.id[-2]])

    def begin(out=None):
        simulation = riprap.Simulation(heap(), out=out, threads=1)
        simulation.run(steps=20)
        change(simulation)
        simulation.run(steps=10)
        return simulation

    whole = begin()
    whole.run()
    begin(tmp_path / "run").close()
    with pytest.raises(riprap.ControlledError, match="controlled"):
        riprap.Simulation.resume(tmp_path / "run")
    resumed = riprap.Simulation.resume(tmp_path / "run", control=lambda sim: None, threads=2)
    assert (resumed.steps, len(resumed.grains)) == (30, 47)
    resumed.run()
    assert resumed.state_hash == whole.state_hash


def test_tables_become_dataframes(settled):
    pandas = pytest.importorskip("pandas")
    frame = settled.grains.to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert {"id", "position_x", "velocity_z", "radius", "material"} <= set(frame)
    assert len(settled.contacts.to_pandas()) == len(settled.contacts)


def test_pictures_and_measurements_are_those_of_the_program():
    settled = riprap.Simulation(heap(steps=200).set("grains.0.count", 150))
    settled.run(steps=200)
    assert settled.picture().startswith(b"\x89PNG")
    assert settled.picture(format="svg", forces=True, colour="pressure").startswith(b"<")
    assert "<svg" in settled.plot(forces=True)._repr_svg_()
    for name in riprap.measure.MEASUREMENTS:
        function = getattr(riprap.measure, name.replace("-", "_"))
        assert function.__doc__
        if name in ("strain", "displacements", "shear-band", "repose", "joints", "thrust"):
            continue
        measured = function(settled)
        assert len(measured) > 0, name
        assert all(value.why_not or np.isfinite(float(value)) for value in measured.values()), name
        assert measured._repr_html_()
        if measured.plots:
            assert "<svg" in measured.plot().svg
    with pytest.raises(ValueError, match="columns of grains on the slope"):
        riprap.measure.repose(settled)
    with pytest.raises(ValueError, match="unknown measurement"):
        settled.measure("colour")
    with pytest.raises(ValueError, match="unknown colour"):
        settled.picture(colour="blue")
    with pytest.raises(ValueError, match="unknown choice"):
        settled.measure("stress", nonsense=1)


def test_one_ball_before_the_first_step():
    simulation = riprap.Simulation(ball())
    assert simulation.report is None
    assert len(simulation.contacts) == 0
    np.testing.assert_allclose(simulation.grains.position, [[0, 0, 3e-3]])
