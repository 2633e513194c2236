"""Runs that exist."""

from __future__ import annotations

import json
import urllib.error
import urllib.request

import numpy as np
import pytest
from conftest import heap

import riprap


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "heap"
    scene = heap(steps=60).set("outputs.snapshot_interval", "20 ms").set("outputs.measure", ["coordination"])
    with riprap.Simulation(scene.set("grains.0.count", 120), out=folder) as simulation:
        simulation.run()
    return riprap.open(folder)


def test_a_run_is_a_sequence_of_snapshots(run):
    assert run.status == "completed"
    assert len(run) == 7
    assert [snapshot.step for snapshot in run] == [0, 20, 40, 60, 80, 100, 120]
    np.testing.assert_allclose(run.times, np.arange(7) * 0.02, atol=1e-12)
    assert run[-1].grains.position.shape == (120, 3)
    assert len(run[1:3]) == 2
    assert "completed" in repr(run)
    with pytest.raises(IndexError, match="7 snapshots"):
        _ = run[7]


def test_the_last_snapshot_is_the_state_of_the_simulation(run):
    simulation = riprap.Simulation(run.scene)
    simulation.run()
    np.testing.assert_array_equal(run[-1].grains.position, simulation.grains.position)
    np.testing.assert_array_equal(run[-1].contacts.force, simulation.contacts.force)
    assert run.state_hash == run.summary["state_hash"] == simulation.state_hash
    measured = run[-1].measure("coordination")
    assert float(measured["coordination"]) == pytest.approx(float(simulation.measure("coordination")["coordination"]))


def test_series_are_columns_of_numbers_and_text(run):
    series = run.series
    assert series["step"][-1] == 120
    assert series["kinetic_energy_J"].dtype == np.float64
    assert set(series["stage"]) == {"fall", "rest"}
    assert set(run.walls["wall"]) >= {"box.bottom"}
    assert "coordination" in run.measures["measurement"]
    with pytest.raises(riprap.FileError, match="no loading.csv"):
        _ = run.loading
    assert "<table>" in series._repr_html_()
    frame = pytest.importorskip("pandas") and series.to_pandas()
    assert len(frame) == series.rows


def test_contacts_of_all_snapshots_are_one_long_table(run):
    contacts = run.contacts()
    assert contacts.rows == sum(len(snapshot.contacts) for snapshot in run)
    assert contacts["snapshot"][-1] == 6


def test_grains_of_all_snapshots_are_a_dataset(run):
    pytest.importorskip("xarray")
    dataset = run.to_xarray()
    assert dict(dataset.sizes) == {"time": 7, "id": 120, "axis": 3}
    np.testing.assert_array_equal(dataset["position"][-1], run[-1].grains.position)


def test_a_snapshot_becomes_a_cloud_of_pyvista(run):
    pytest.importorskip("pyvista")
    last = run[-1]
    blocks = last.to_pyvista()
    grains, contacts = blocks["grains"], blocks["contacts"]
    assert grains.n_points == 120 and contacts.n_points == len(last.contacts)
    assert np.allclose(grains.points, last.grains.position) and np.array_equal(grains["radius"], last.grains.radius)
    assert np.array_equal(contacts["force"], last.contacts.force)


def test_measurements_compare_snapshots(run):
    moved = riprap.measure.displacements(run[-1], since=run[0])
    assert len(moved) > 0
    with pytest.raises(ValueError, match="two"):
        run[-1].measure("strain")


def test_runs_and_snapshots_show_themselves(run, tmp_path):
    assert "data:image/png" in run._repr_html_()
    assert run[-1]._repr_png_().startswith(b"\x89PNG")
    run[-1].picture(tmp_path / "a.svg", forces=True)
    assert (tmp_path / "a.svg").read_text().startswith("<")


def test_a_run_that_goes_on_can_be_read_meanwhile(tmp_path):
    scene = heap().set("outputs.snapshot_interval", "10 ms").set("outputs.series_interval", 0)
    simulation = riprap.Simulation(scene, out=tmp_path / "run")
    simulation.run(steps=25)
    run = riprap.open(tmp_path / "run")
    assert (run.status, len(run), run.summary) == ("unfinished", 3, None)
    simulation.run(steps=10)
    run.reload()
    assert len(run) == 4
    simulation.close()
    run.reload()
    assert run.status == "interrupted"


def test_what_is_no_run_is_an_exception(tmp_path):
    with pytest.raises(riprap.FileError, match="does not exist"):
        riprap.open(tmp_path / "nowhere")
    with pytest.raises(riprap.FileError, match="not a run folder"):
        riprap.open(tmp_path)
    (tmp_path / "a.h5").write_bytes(b"nonsense")
    with pytest.raises(riprap.FileError):
        _ = riprap.Snapshot(tmp_path / "a.h5").grains.position


def test_whole_runs_are_measured(tmp_path):
    with riprap.Simulation(heap(steps=60), out=tmp_path / "run") as sim:
        sim.run()
    run = riprap.open(tmp_path / "run")
    history = riprap.measure.history(run)
    assert history["rows"].value == len(run.series["time_s"]) and history.plot().svg.startswith("<svg")
    assert riprap.measure.spread(run)["starts"].value == 10
    with pytest.raises(ValueError, match="loading.csv"):
        riprap.measure.loading(run)
    with pytest.raises(ValueError, match="expected one of history, spread, loading"):
        run.measure("mood")


def test_a_run_is_viewed_in_a_frame_from_inside_the_process(tmp_path):
    with riprap.Simulation(heap(steps=20), out=tmp_path / "run") as sim:
        sim.run()
        assert sim.view().url.startswith("http://127.0.0.1:")
    view = riprap.open(tmp_path / "run").view({"array": "radius", "grains": True}, height=300)
    address, look = view.url.split("#")
    assert look == "array=radius&grains=1"
    assert f"src='{address}#array=radius&amp;grains=1'" in view._repr_html_() and "height:300px" in view._repr_html_()
    with urllib.request.urlopen(address + "run/0") as answer:
        assert len(json.load(answer)["frames"]) == len(riprap.open(tmp_path / "run"))
    with pytest.raises(urllib.error.HTTPError):
        urllib.request.urlopen(address.rstrip("/")[:-1] + "x/run/0")
    view.close()
    with pytest.raises(riprap.ControlError):
        _ = view.url
    with pytest.raises(riprap.FileError):
        riprap.view(tmp_path / "nothing")
    with pytest.raises(riprap.ControlError):
        riprap.Simulation(heap()).view()
