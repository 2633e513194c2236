"""Simulations: the same bits and files as the command, stepped from Python."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
import types
from pathlib import Path

import numpy as np
import pytest
from conftest import ball, command, heap

import riprap
from riprap._progress import ProgressLine

STEPS = 4


def short(name: str) -> riprap.Scene:
    """A template with stages of a few steps."""
    scene = riprap.Scene.template(name)
    for number in range(len(scene.to_dict()["stages"])):
        scene.set(f"stages.{number}.end", {"steps": STEPS})
    return scene


def files(folder: Path) -> dict[str, bytes]:
    """What a run has written that does not depend on clock, machine and place."""
    varying = ("log.txt", "summary.json", "checkpoints")
    found = sorted(path for path in folder.rglob("*") if path.is_file())
    kept = [path for path in found if path.relative_to(folder).parts[0] not in varying]
    return {str(path.relative_to(folder)): path.read_bytes() for path in kept}


@pytest.mark.filterwarnings("ignore::riprap.RunWarning")
@pytest.mark.parametrize("name", riprap.templates())
def test_every_template_gives_the_hash_of_the_command(name, tmp_path):
    scene = short(name)
    scene.write(tmp_path / "scene.toml")
    run = ["run", tmp_path / "scene.toml", "--quiet", "--threads", 1, "--out"]
    done = command(*run, tmp_path / "whole")
    assert done.returncode == 0, done.stderr
    expected = json.loads((tmp_path / "whole/summary.json").read_text())["state_hash"]
    simulation = riprap.Simulation(scene, threads=2)
    assert simulation.run() == "finished"
    assert simulation.state_hash == expected
    # Begun in Python and gone on with by the command, and the other way round: its time is up at once.
    with riprap.Simulation(scene, out=tmp_path / "python", threads=1) as begun:
        begun.run(steps=STEPS - 1)
    assert command("resume", tmp_path / "python", "--quiet", "--threads", 2).returncode == 0
    assert riprap.open(tmp_path / "python").state_hash == expected
    assert command(*run, tmp_path / "command", "--max-wall", "1 us").returncode == 75
    resumed = riprap.Simulation.resume(tmp_path / "command", threads=1)
    assert resumed.steps < simulation.steps
    assert resumed.run() == "finished"
    assert resumed.state_hash == expected


def test_a_folder_holds_what_the_command_writes(tmp_path):
    scene = heap()
    scene.write(tmp_path / "scene.toml")
    assert command("run", tmp_path / "scene.toml", "--out", tmp_path / "command", "--quiet").returncode == 0
    with riprap.Simulation(tmp_path / "scene.toml", out=tmp_path / "python") as simulation:
        assert simulation.run() == "finished"
        assert simulation.folder == tmp_path / "python"
    written, expected = files(tmp_path / "python"), files(tmp_path / "command")
    assert written.keys() == expected.keys()
    assert all(written[name] == expected[name] for name in written), "some file differs"
    summaries = [json.loads((tmp_path / name / "summary.json").read_text()) for name in ("python", "command")]
    assert summaries[0]["state_hash"] == summaries[1]["state_hash"]
    assert summaries[0].keys() == summaries[1].keys()


def test_without_a_folder_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    riprap.Simulation(ball()).run(steps=5)
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_run_is_resumed_from_either_side(tmp_path):
    whole = riprap.Simulation(heap())
    whole.run()
    for name, steps in (("a", 17), ("b", 51)):
        with riprap.Simulation(heap(), out=tmp_path / name) as simulation:
            assert simulation.run(steps=steps) == "reached"
    assert command("resume", tmp_path / "a", "--quiet", "--threads", 2).returncode == 0
    resumed = riprap.Simulation.resume(tmp_path / "b", threads=1)
    assert resumed.steps == 51
    assert resumed.run() == "finished"
    assert riprap.open(tmp_path / "a").state_hash == resumed.state_hash == whole.state_hash
    with pytest.raises(riprap.EndedError, match="complete"):
        riprap.Simulation.resume(tmp_path / "a")


def endless() -> riprap.Scene:
    """A run that does not end within reach, with a row of the series for every step."""
    return heap(steps=10_000_000).set("outputs.series_interval", 0)


def wait_for_steps(folder: Path) -> None:
    """Waits until a run in another process has made some steps."""
    series = folder / "series.csv"
    while not series.exists() or series.read_text().count("\n") < 4:
        time.sleep(0.01)


def test_a_run_of_the_command_that_was_interrupted_goes_on_in_python(tmp_path):
    scene = endless()
    scene.write(tmp_path / "scene.toml")
    line = [sys.executable, "-m", "riprap._command", "run", "scene.toml", "--out", "run"]
    process = subprocess.Popen(line, cwd=tmp_path, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    wait_for_steps(tmp_path / "run")
    process.send_signal(signal.SIGINT)
    assert process.wait() == 130
    simulation = riprap.Simulation.resume(tmp_path / "run")
    reached = simulation.steps
    assert reached > 0
    simulation.run(steps=5)
    reference = riprap.Simulation(scene)
    reference.run(steps=reached + 5)
    assert simulation.state_hash == reference.state_hash


def test_how_far_a_run_goes():
    simulation = riprap.Simulation(heap(steps=20))
    report = simulation.step()
    assert (report.step, simulation.steps) == (1, 1)
    assert simulation.run(steps=4) == "reached"
    assert simulation.steps == 5
    assert simulation.run(time="3 ms") == "reached"
    assert simulation.steps == 8
    assert simulation.run(stage="fall") == "reached"
    assert (simulation.steps, simulation.stage) == (20, "rest")
    assert simulation.run(until=lambda sim: sim.steps >= 25) == "reached"
    assert simulation.steps == 25
    assert simulation.run(stage=1) == "finished"
    assert (simulation.steps, simulation.finished) == (40, True)
    assert simulation.run() == "finished"
    for act in (simulation.step, lambda: simulation.run(steps=1)):
        with pytest.raises(riprap.EndedError, match="nothing left"):
            act()


def test_iteration_takes_every_step():
    reports = list(riprap.Simulation(heap(steps=6)))
    assert [report.step for report in reports] == list(range(1, 13))


def test_callbacks_come_when_they_are_due_and_can_end_the_run():
    simulation = riprap.Simulation(heap(steps=20))
    calls = {"time": [], "steps": [], "stage": []}
    simulation.every("5 ms")(lambda sim: calls["time"].append(sim.steps))
    simulation.every(steps=7)(lambda sim: calls["steps"].append(sim.steps))
    simulation.at_stage_end(lambda sim: calls["stage"].append(sim.steps))
    assert simulation.run() == "finished"
    assert calls["time"] == [5, 10, 15, 20, 25, 30, 35, 40]
    assert calls["steps"] == [7, 14, 21, 28, 35]
    assert calls["stage"] == [20, 40]

    stopped = riprap.Simulation(heap(steps=20))
    stopped.every(steps=3)(lambda sim: sim.steps < 9)
    assert stopped.run() == "stopped"
    assert stopped.steps == 9


def test_callbacks_do_not_change_a_bit():
    plain = riprap.Simulation(heap(steps=20))
    plain.run()
    watched = riprap.Simulation(heap(steps=20))
    watched.every(steps=1)(lambda sim: len(sim.contacts))
    watched.run()
    assert watched.state_hash == plain.state_hash


def test_what_a_callback_raises_comes_out_and_the_run_can_go_on():
    simulation = riprap.Simulation(heap(steps=20))

    @simulation.every(steps=5)
    def fails(sim):
        raise ZeroDivisionError("on purpose")

    with pytest.raises(ZeroDivisionError, match="on purpose"):
        simulation.run()
    assert simulation.steps == 5
    assert simulation.step().step == 6


def test_several_simulations_in_several_threads_have_the_bits_of_one():
    reference = riprap.Simulation(heap(), threads=1)
    reference.run()
    hashes = []

    def work() -> None:
        simulation = riprap.Simulation(heap(), threads=1)
        simulation.run()
        hashes.append(simulation.state_hash)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert hashes == [reference.state_hash] * 3


def test_other_threads_run_while_it_steps_but_do_not_step_it():
    simulation = riprap.Simulation(heap(steps=100_000), threads=1)
    begun, stop = threading.Event(), threading.Event()

    @simulation.every(steps=50)
    def watch(sim):
        begun.set()
        return not stop.is_set()

    thread = threading.Thread(target=simulation.run)
    thread.start()
    begun.wait()
    refused = 0
    while refused < 20:
        assert thread.is_alive()
        try:
            simulation.step()
        except riprap.BusyError:
            refused += 1
    stop.set()
    thread.join()
    assert simulation.steps > 0


def test_a_callback_cannot_step_the_simulation_that_calls_it():
    simulation = riprap.Simulation(heap(steps=5))
    simulation.every(steps=2)(lambda sim: sim.step())
    with pytest.raises(riprap.BusyError):
        simulation.run()
    assert simulation.steps == 2


def test_ctrl_c_ends_a_run_with_everything_written(tmp_path):
    endless().write(tmp_path / "scene.toml")
    # A process that is started in the background of a shell would ignore Ctrl-C.
    script = """
import riprap, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
sim = riprap.Simulation("scene.toml", out="run", threads=1)
try:
    sim.run()
except KeyboardInterrupt:
    before = sim.steps
    sim.run(steps=3)
    print(sim.steps - before, flush=True)
    raise
"""
    process = subprocess.Popen(
        [sys.executable, "-c", script], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    wait_for_steps(tmp_path / "run")
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate()
    assert out == "3\n", errors
    assert "KeyboardInterrupt" in errors
    run = riprap.open(tmp_path / "run")
    assert run.status == "interrupted"
    assert riprap.Simulation.resume(tmp_path / "run").steps == run[-1].step > 0


def test_folders_are_not_overwritten_or_shared(tmp_path):
    simulation = riprap.Simulation(ball(), out=tmp_path / "run")
    with pytest.raises(riprap.FileError, match="already contains a run"):
        riprap.Simulation(ball(), out=tmp_path / "run")
    with pytest.raises(riprap.FileError, match="another riprap process"):
        riprap.Simulation.resume(tmp_path / "run")
    simulation.close()
    with pytest.raises(riprap.EndedError, match="closed"):
        simulation.step()
    riprap.Simulation(ball(), out=tmp_path / "run", replace=True).close()


def test_an_unconverged_step_warns():
    scene = heap(steps=60).set("solver.max_sweeps", 1).set("solver.min_sweeps", 1)
    simulation = riprap.Simulation(scene)
    with pytest.warns(riprap.RunWarning) as caught:
        simulation.run(stage=0)
    assert any(issubclass(warning.category, riprap.NotConvergedWarning) for warning in caught)


def test_a_step_that_fails_is_an_exception_and_the_end():
    scene = heap(steps=60).set("solver.max_sweeps", 1).set("solver.min_sweeps", 1).set("solver.on_unconverged", "stop")
    simulation = riprap.Simulation(scene)

    def state():
        grains, contacts = simulation.grains.to_dict(), simulation.contacts.to_dict()
        return {"time": simulation.time, "steps": simulation.steps, "error": simulation.energy.error} | grains | contacts

    before = state()
    with pytest.raises(riprap.StepError, match="not converged"):
        while True:
            before = state()
            simulation.step()
    # The state before the step is still there.
    after = state()
    assert simulation.steps > 0 and before.keys() == after.keys()
    for name in before:
        assert np.array_equal(before[name], after[name]), name
    with pytest.raises(riprap.EndedError, match="failed"):
        simulation.step()


def test_threads_are_the_callers_or_others_and_the_bits_are_the_same():
    # A thread joins one pool for good: the second of these has to hand its steps over.
    hashes = []
    for threads in (1, 2, 3, None):
        simulation = riprap.Simulation(heap(steps=1000), threads=threads)
        simulation.run(steps=25)
        hashes.append(simulation.state_hash)
    assert len(set(hashes)) == 1


def test_the_command_of_the_package_is_the_program(tmp_path):
    assert command("--version").stdout.strip() == f"riprap {riprap.__version__}"
    assert command("run", tmp_path / "nowhere.toml").returncode == 3
    assert command("frobnicate").returncode == 2
    script = Path(sys.executable).with_name("riprap")
    assert "heap" in subprocess.run([script, "new"], capture_output=True, text=True, check=True).stdout


def test_simulations_show_themselves():
    simulation = riprap.Simulation(heap())
    simulation.run(steps=30)
    assert "step 30" in repr(simulation)
    assert "data:image/png" in simulation._repr_html_()
    assert simulation.summary["steps"] == 30


def test_a_notebook_shows_progress_in_one_place(monkeypatch):
    """As Jupyter's kernel does: what is displayed first is replaced from then on."""
    shown: list[str] = []

    class ZMQInteractiveShell:
        pass

    class Handle:
        def update(self, data, raw):
            assert raw
            shown.append(data["text/plain"])

    def display(data, raw, display_id):
        assert raw and display_id and not shown, "it is displayed once"
        shown.append(data["text/plain"])
        return Handle()

    shell, page = types.ModuleType("IPython"), types.ModuleType("IPython.display")
    shell.get_ipython, shell.display, page.display = ZMQInteractiveShell, page, display
    monkeypatch.setitem(sys.modules, "IPython", shell)
    monkeypatch.setitem(sys.modules, "IPython.display", page)
    monkeypatch.setattr("riprap._progress._EVERY", 0.0)
    riprap.Simulation(heap()).run(steps=20)
    assert shown[0].startswith("stage fall, ") and "contacts" in shown[0]
    shown.clear()
    show = ProgressLine(None, "{} of {}".format).show
    for step in range(3):
        show(step, 3)
    assert shown == ["0 of 3", "1 of 3", "2 of 3"]
