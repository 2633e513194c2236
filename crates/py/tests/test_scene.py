"""Scenes are those of scene files: one format, one check, one set of messages."""

from __future__ import annotations

import inspect
import json

import numpy as np
import pytest
from conftest import ball, command

import riprap
from riprap import _generate, _riprap, _sections


def test_a_scene_from_keywords_is_the_scene_of_the_file(tmp_path):
    scene = ball()
    text = scene.to_toml()
    assert riprap.Scene.from_toml(text) == scene == riprap.Scene.from_dict(scene.to_dict())
    path = tmp_path / "ball.toml"
    scene.write(path)
    assert riprap.Scene.from_file(path) == scene
    assert command("check", path).returncode == 0


def test_every_template_is_a_scene_that_survives_a_round_trip():
    names = riprap.templates()
    assert len(names) > 30
    for name in names:
        scene = riprap.Scene.template(name)
        again = riprap.Scene.from_dict(scene.to_dict())
        assert again == scene, name
        assert again.to_toml() != "", name


def test_all_faults_come_at_once_and_print_as_the_command_prints_them(tmp_path):
    scene = ball().set("solver.time_step", "1e-4 m").set("materials.glass.frictoin", 0.3)
    path = tmp_path / "bad.toml"
    path.write_text(scene.to_toml())
    with pytest.raises(riprap.SceneError) as caught:
        riprap.Scene.from_file(path).check()
    assert len(caught.value.faults) == 2
    assert isinstance(caught.value, ValueError)
    assert str(caught.value).strip() == command("check", path).stderr.strip()
    assert caught.value.faults[0].line > 1
    assert "friction" in "".join(fault.help or "" for fault in caught.value.faults)


def test_replaced_values_are_checked_where_they_were_given():
    with pytest.raises(riprap.SceneError, match="--set solver.time_step"):
        ball(solver__time_step="1 m").check()
    with pytest.raises(riprap.SceneError):
        ball(stages__7__end="1 s").to_dict()
    scene = riprap.Scene.template("heap", set={"stages.0.end.time": "1 ms"})
    assert scene.to_dict()["stages"][0]["end"]["time"] == "1 ms"


def test_values_may_be_of_numpy_and_nothing_else_is_taken():
    scene = ball().set("grains.0.positions", np.array([[0.0, 0.0, 0.01]])).set("materials.glass.friction", np.float64(0.25))
    scene.check()
    assert scene.to_dict()["materials"]["glass"]["friction"] == 0.25
    with pytest.raises(TypeError, match="not a valid value in a scene"):
        ball().set("title", object())
    with pytest.raises(riprap.SceneError):
        ball().set("materials.glass.friction", float("nan")).check()


def test_text_that_is_hard_to_quote_comes_back():
    for text in ['a "b" \\ c', "tab\tline\nend", "Größe µ 🪨", "\x00\x7f"]:
        assert riprap.Scene.from_dict(ball().to_dict() | {"title": text}).to_dict()["title"] == text


def test_a_text_that_is_no_toml_is_a_fault_with_its_line():
    scene = riprap.Scene.from_toml("dimension = = 3\n")
    for act in (scene.check, scene.to_dict):
        with pytest.raises(riprap.SceneError, match="not valid TOML"):
            act()


def test_resolved_scenes_say_what_was_left_open():
    scene = riprap.Scene.template("collision")
    assert "time_step" in scene.resolved().to_dict()["solver"]


def test_signatures_and_docstrings_come_from_the_format():
    assert inspect.getsource(_sections) == _generate.text(_riprap.schema()), "write it again: cargo xtask docs"
    schema = json.loads(_riprap.schema())
    keys = set(inspect.signature(riprap.Scene.material).parameters) - {"self", "name"}
    assert keys == set(schema["properties"]["materials"]["additionalProperties"]["properties"])
    assert "Coulomb friction coefficient" in riprap.Scene.material.__doc__
    with pytest.raises(TypeError, match="frictoin"):
        ball().material("ice", frictoin=0.1)


def test_scenes_show_themselves():
    assert repr(ball()) == "<Scene 'a ball on a floor', 3D>"
    assert "materials.glass" in ball()._repr_html_()


def test_unknown_templates_name_the_known_ones():
    with pytest.raises(KeyError, match="heap"):
        riprap.Scene.template("heep")
