"""Studies: the machinery of the command, with executors of Python."""

from __future__ import annotations

import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest
from conftest import command, heap

import riprap

GRAVITY = "domain.gravity"
FRICTION = "materials.stone.friction"


def small() -> riprap.Scene:
    return heap(steps=20)


def hashes(study: riprap.Study) -> dict[str, str]:
    return {name: run.state_hash for name, run in study.items()}


@pytest.fixture
def by_command(tmp_path) -> riprap.Study:
    """The same study by the command."""
    small().write(tmp_path / "scene.toml")
    values = ["--vary", f"{GRAVITY}=1.5,9.5", "--threads", "1", "--seeds", "2", "--quiet", "--out", tmp_path / "command"]
    done = command("study", tmp_path / "scene.toml", *values)
    assert done.returncode == 0, done.stderr
    return riprap.Study(tmp_path / "command")


def slowed(sim: riprap.Simulation) -> None:
    """Every second run has its grains stopped on the way; processes find this function by its name."""
    if sim.scene.to_dict()["seed"] == 4:
        sim.forces = lambda time, sim: -1e-6 * sim.grains.velocity


def test_a_study_has_the_bits_of_the_command_with_any_executor(tmp_path, by_command):
    def executors():
        yield None
        yield ThreadPoolExecutor(2)
        yield ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn"))

    for number, executor in enumerate(executors()):
        study = riprap.study(small(), tmp_path / str(number), vary={GRAVITY: np.array([1.5, 9.5])}, seeds=2)
        assert list(study) == ["gravity=1.5,seed=3", "gravity=1.5,seed=4", "gravity=9.5,seed=3", "gravity=9.5,seed=4"]
        assert set(study.runs["status"]) == {"waiting"}
        study.run(executor, threads=1)
        if executor is not None:
            executor.shutdown()
        assert set(study.runs["status"]) == {"completed"}
        assert hashes(study) == hashes(by_command)
    assert len(set(hashes(by_command).values())) == 4


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_processes_that_are_forked_have_threads_of_their_own(tmp_path):
    # This thread is now part of a pool whose other threads are not there in a forked process.
    whole = riprap.Simulation(small(), threads=2)
    whole.run()
    study = riprap.study(small(), tmp_path / "study", seeds=[3])
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("fork")) as pool:
        study.run(pool, threads=2)
    assert study["seed=3"].state_hash == whole.state_hash


def test_a_study_that_was_interrupted_goes_on_and_grows(tmp_path, by_command):
    vary = {GRAVITY: [1.5, 9.5]}
    study = riprap.study(small(), tmp_path / "study", vary=vary, seeds=[3])
    with riprap.Simulation(small().set(GRAVITY, 1.5), out=tmp_path / "cut") as cut:
        cut.run(steps=4)
    folder = tmp_path / "study/gravity=1.5,seed=3"
    (folder / "scene.toml").unlink()
    folder.rmdir()
    (tmp_path / "cut").rename(folder)
    assert list(riprap.Study(tmp_path / "study").runs["status"]) == ["interrupted", "waiting"]
    study.run(threads=1)
    grown = riprap.study(small(), tmp_path / "study", vary=vary, seeds=2)
    assert list(grown.runs["status"]) == ["completed", "waiting", "completed", "waiting"]
    # The command goes on with a study of Python.
    assert command("study", tmp_path / "study", "--quiet", "--threads", 1).returncode == 0
    assert hashes(grown) == hashes(by_command)


def test_one_table_holds_the_numbers_of_all_runs(tmp_path, by_command):
    study = riprap.study(small(), tmp_path / "study", vary={GRAVITY: [1.5, 9.5]}, seeds=2)
    study.run(jobs=1, threads=1)
    table = study.gather(["coordination", "solid-fraction"])
    assert command("gather", by_command.folder, "--measure", "coordination,solid-fraction").returncode == 0
    expected = riprap.measure.Columns.from_csv((by_command.folder / "means.csv").read_text())
    assert list(table.means) == list(expected)
    for name in ("gravity", "runs", "coordination.coordination", "coordination.coordination_error"):
        assert np.array_equal(table.means[name], expected[name])
    one = study["gravity=9.5,seed=4"]
    row = list(table.runs["run"]).index("gravity=9.5,seed=4")
    assert table.runs["steps"][row] == one.summary["steps"]
    assert table.plot("coordination.coordination", "gravity").svg.startswith("<svg")
    assert "gravity" in table._repr_html_() and "4 of 4" in repr(study) and "completed" in study._repr_html_()
    with pytest.raises(KeyError, match="no column"):
        table.plot("nothing", "gravity")
    with pytest.raises(ValueError, match="unknown measurement"):
        study.gather("nothing")
    with pytest.raises(KeyError, match="it has gravity=1.5,seed=3"):
        study["gravity=3"]


def test_ranges_samples_and_cases_are_those_of_study_files(tmp_path):
    vary = {FRICTION: {"from": 0.1, "to": 0.5, "count": 3}, "materials.steel.friction": {"from": 0.0, "to": 1.0}}
    cases = {"loose": {"grains.0.spacing": "2.8 mm"}, "dense": {"grains.0.spacing": "2.6 mm"}}
    study = riprap.study(small(), tmp_path / "a", vary=vary, samples=2, cases=cases, set={"stages.0.end": {"steps": 2}})
    assert study.varied == ["case", "stone.friction", "steel.friction"]
    assert len(study) == 12 and "case=loose,stone.friction=0.3,steel.friction=0.25" in study
    assert sorted(set(study.runs["steel.friction"])) == [0.25, 0.5]


def test_runs_of_a_study_can_be_controlled(tmp_path):
    for name, executor in (("here", None), ("there", ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")))):
        study = riprap.study(small(), tmp_path / name, seeds=2)
        study.run(executor, control=slowed)
    first, second = (hashes(riprap.Study(tmp_path / name)) for name in ("here", "there"))
    free = riprap.study(small(), tmp_path / "free", seeds=2)
    free.run(threads=1)
    assert first == second
    assert first["seed=3"] == hashes(free)["seed=3"]
    assert first["seed=4"] != hashes(free)["seed=4"]


def test_all_that_is_wrong_with_a_study_is_told_before_anything_is_written(tmp_path):
    with pytest.raises(riprap.SceneError, match="frictionn") as raised:
        riprap.study(small(), tmp_path / "study", vary={"materials.stone.frictionn": [1], "materials.steel.density": [-1]})
    assert "must be" in str(raised.value)
    for wrong in ({}, {"vary": {FRICTION: "0.1"}}, {"vary": {FRICTION: []}}, {"seeds": []}, {"vary": {FRICTION: [0.1, 0.1]}}):
        with pytest.raises(riprap.SceneError):
            riprap.study(small(), tmp_path / "study", **wrong)
    assert not (tmp_path / "study").exists()
    with pytest.raises(riprap.FileError):
        riprap.Study(tmp_path)


def test_a_run_that_fails_warns_and_the_others_go_on(tmp_path):
    scene = heap(steps=30).set("solver.min_sweeps", 1).set("solver.on_unconverged", "stop")
    vary = {"solver.max_sweeps": [1, 10_000]}
    for executor in (None, ThreadPoolExecutor(1)):
        study = riprap.study(scene, tmp_path / str(executor is None), vary=vary)
        with pytest.warns(riprap.RunWarning, match="failed"):
            study.run(executor, threads=1)
        assert list(study.runs["status"]) == ["failed", "completed"]
        assert "not converged" in study["max_sweeps=1"].summary["error"]
        study.run(executor, threads=1)  # it stays as it is, and says nothing


def test_what_a_control_raises_comes_out_when_the_others_are_done(tmp_path):
    def control(sim):
        if sim.scene.to_dict()["seed"] == 3:
            raise ZeroDivisionError("of my own")

    study = riprap.study(small(), tmp_path / "study", seeds=2)
    with pytest.raises(ZeroDivisionError, match="of my own"):
        study.run(control=control)
    assert list(study.runs["status"]) == ["interrupted", "completed"]
    study.run(control=lambda sim: None)
    assert list(study.runs["status"]) == ["completed", "completed"]
