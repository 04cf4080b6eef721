"""SlashGPT manifests in our own form."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from tests.support.manifests.fixtures import (
    CALENDAR,
    CALENDAR_FUNCTIONS,
    CURRENCY,
    DISPATCHER,
    EVENT,
    folder,
    resource,
)

from restwright.cli import main
from restwright.jsontypes import JsonObject
from restwright.manifests.own.loader import load_manifest

HOME = """openapi: 3.0.0
info: {title: Home, version: '1'}
servers: [{url: 'https://home.example.test'}]
paths: {/lights: {get: {responses: {'200': {description: on or off}}}}}
"""
PASTING: JsonObject = {
    "title": "Home",
    "resource": "./resources/home.yml",
    "prompt": [
        "You are a home automation system.",
        "Return the series of REST calls as an array of objects.",
        "Here is the definition of API in OpenAPI format.",
        "",
        "{resource}",
    ],
    "sample": "Lights on",
}


def test_functions_and_actions_keep_their_shape(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = folder(tmp_path, currency=CURRENCY | {"about": "me"})
    assert main(["convert", "slashgpt", str(place / "currency.json")]) == 0
    made = yaml.safe_load(capsys.readouterr().out)
    assert made["actions"] == CURRENCY["actions"]
    assert made["functions"] == CURRENCY["functions"]
    assert made["prompt"] == CURRENCY["prompt"]
    assert made["samples"] == [{"name": "sample", "text": "How many yen is a dollar?"}]
    assert (made["agent"], made["temperature"]) == ("calling", 0)
    assert made["x-slashgpt"] == {"about": "me"}


def test_files_of_other_folders_are_written_beside_the_manifest(tmp_path: Path) -> None:
    place = folder(tmp_path, cal=CALENDAR)
    resource(tmp_path, "functions/calendar.json", CALENDAR_FUNCTIONS)
    resource(tmp_path, "event.ics", EVENT)
    out = tmp_path / "new" / "cal.yaml"
    out.parent.mkdir()
    assert main(["convert", "slashgpt", str(place / "cal.json"), "-o", str(out)]) == 0
    made = yaml.safe_load(out.read_text("utf-8"))
    assert made["actions"]["make_event"]["template"] == "event.ics"
    assert (out.parent / "event.ics").read_text("utf-8") == EVENT
    assert load_manifest(out).problems == ()


def test_paths_are_written_from_where_the_manifest_is_going_to_stand(tmp_path: Path) -> None:
    place = folder(tmp_path, cal=CALENDAR)
    resource(tmp_path, "functions/calendar.json", CALENDAR_FUNCTIONS)
    resource(tmp_path, "event.ics", EVENT)
    out = tmp_path / "cal.yaml"
    assert main(["convert", "slashgpt", str(place / "cal.json"), "-o", str(out)]) == 0
    made = yaml.safe_load(out.read_text("utf-8"))
    assert made["actions"]["make_event"]["template"] == "resources/event.ics"


def test_code_stays_code(tmp_path: Path) -> None:
    functions = [{"name": "double", "description": "d", "parameters": {"type": "object"}}]
    code = {"title": "C", "module": "./resources/double.py", "notebook": True}
    place = folder(tmp_path, c=code | {"functions": functions})
    resource(tmp_path, "double.py", "def double(): return 4\n")
    out = tmp_path / "new" / "c.yaml"
    out.parent.mkdir()
    assert main(["convert", "slashgpt", str(place / "c.json"), "-o", str(out)]) == 0
    manifest = load_manifest(out)
    assert (manifest.module, manifest.notebook) == (out.parent / "double.py", True)
    assert manifest.problems == ()


def test_an_openapi_document_in_a_prompt_becomes_an_api(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = folder(tmp_path, home=PASTING)
    resource(tmp_path, "home.yml", HOME)
    out = tmp_path / "home.yaml"
    assert main(["convert", "slashgpt", str(place / "home.json"), "-o", str(out), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    made = yaml.safe_load(out.read_text("utf-8"))
    assert made["apis"] == [{"document": "home.openapi.yaml", "alias": "home"}]
    assert made["prompt"] == ["You are a home automation system."]
    assert (tmp_path / "home.openapi.yaml").read_text("utf-8") == HOME
    assert said["written"] == [str(out), str(tmp_path / "home.openapi.yaml")]
    assert said["notes"] == [
        "its prompt pasted an OpenAPI document, which is an API of its own now"
    ]
    assert main(["tools", str(tmp_path / "home.openapi.yaml")]) == 0


def test_no_file_is_written_over_unless_that_is_said(tmp_path: Path) -> None:
    place = folder(tmp_path, currency=CURRENCY)
    out = tmp_path / "there.yaml"
    out.write_text("mine", "utf-8")
    argv = ["convert", "slashgpt", str(place / "currency.json"), "-o", str(out)]
    assert main(argv) == 1
    assert out.read_text("utf-8") == "mine"
    assert main([*argv, "--force"]) == 0
    assert out.read_text("utf-8").startswith("format: restwright\ntitle: Currency")


def test_a_file_that_is_no_manifest_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.json").write_text("[1]", "utf-8")
    assert main(["convert", "slashgpt", str(tmp_path / "a.json")]) == 1
    assert capsys.readouterr().err.count("\n") == 1


def test_a_file_that_is_missing_is_called_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["convert", "slashgpt", str(tmp_path / "nothere")]) == 1
    said = capsys.readouterr().err
    assert "nothere: there is no such file or folder" in said
    assert said.count("\n") == 1


def test_a_manifest_that_says_nothing_is_still_an_agent(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = folder(tmp_path, plain={"title": "Plain", "model": "gpt-3.5-turbo-instruct"})
    assert main(["convert", "slashgpt", str(place / "plain.json")]) == 0
    assert yaml.safe_load(capsys.readouterr().out)["prompt"] == ""


def test_an_old_switch_gets_its_new_name_and_its_agents(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = {"metafile": "{category}", "chained_msg": "{question}"}
    place = folder(tmp_path, d=DISPATCHER | {"actions": {"categorize": old}})
    assert main(["convert", "slashgpt", str(place / "d.json")]) == 0
    made = yaml.safe_load(capsys.readouterr().out)
    assert made["actions"]["categorize"] == {
        "type": "emit",
        "emit_method": "switch_session",
        "emit_data": {"agent": "{category}", "message": "{question}"},
    }
    assert made["agents"] == {
        name: {"manifest": f"{name}.yaml", "tool": False} for name in ("currency", "cal")
    }
    choices = made["functions"][0]["parameters"]["properties"]["category"]["enum"]
    assert choices == ["currency", "cal"]


def test_a_module_outside_of_the_root_is_not_carried_along(tmp_path: Path) -> None:
    (tmp_path / "secret.py").write_text("KEY = 's3cr3t'", "utf-8")
    raw: JsonObject = {"prompt": "x", "module": str(tmp_path / "secret.py")}
    place = folder(tmp_path / "root", m=raw | {"functions": [{"name": "f"}]})
    out = tmp_path / "out" / "m.yaml"
    out.parent.mkdir()
    assert main(["convert", "slashgpt", str(place / "m.json"), "-o", str(out)]) == 0
    assert [each.name for each in out.parent.iterdir()] == ["m.yaml"]
    assert "code" not in yaml.safe_load(out.read_text("utf-8"))


def test_files_of_one_name_stay_two_and_none_is_the_manifest(tmp_path: Path) -> None:
    actions = {
        each: {"type": "data_url", "template": f"./resources/{each}/t.yaml"} for each in ("a", "b")
    }
    raw: JsonObject = {"functions": [{"name": "a"}, {"name": "b"}], "actions": actions}
    place = folder(tmp_path / "root", m=raw)
    for each in actions:
        (tmp_path / "root" / "resources" / each).mkdir(parents=True)
        (tmp_path / "root" / "resources" / each / "t.yaml").write_text(each, "utf-8")
    (tmp_path / "out").mkdir()
    argv = ["convert", "slashgpt", str(place / "m.json"), "-o"]
    assert main([*argv, str(tmp_path / "out" / "t.yaml")]) == 2
    assert not list((tmp_path / "out").iterdir())
    (tmp_path / "out" / "t.yaml").symlink_to(tmp_path / "nowhere")
    assert main([*argv, str(tmp_path / "out" / "m.yaml")]) == 1
    (tmp_path / "out" / "t.yaml").unlink()
    assert main([*argv, str(tmp_path / "out" / "m.yaml")]) == 0
    made = load_manifest(tmp_path / "out" / "m.yaml").actions
    names = [str(made[each]["template"]) for each in ("a", "b")]
    assert [(tmp_path / "out" / each).read_text("utf-8") for each in names] == ["a", "b"]


def test_a_folder_and_every_set_are_converted_in_one_go(tmp_path: Path) -> None:
    place = folder(tmp_path, currency=CURRENCY, dispatcher=DISPATCHER)
    nurse: JsonObject = {
        "title": "Nurse",
        "functions": [
            {
                "name": "pick",
                "parameters": {
                    "type": "object",
                    "properties": {"who": {"type": "string", "enum": ["currency", "nobody"]}},
                },
            }
        ],
        "actions": {
            "pick": {
                "type": "emit",
                "emit_method": "switch_session",
                "emit_data": {"agent": "{who}", "initiate": True},
            }
        },
    }
    (place / "nurse.json").write_text(json.dumps(nurse), "utf-8")
    resource(tmp_path, "functions/calendar.json", CALENDAR_FUNCTIONS)
    resource(tmp_path, "event.ics", EVENT)
    (place / "cal.json").write_text(json.dumps(CALENDAR), "utf-8")
    assert main(["convert", "slashgpt", str(place)]) == 2
    out = tmp_path / "out"
    assert main(["convert", "slashgpt", str(place), "-o", str(out)]) == 0
    names = {"currency.yaml", "dispatcher.yaml", "nurse.yaml", "cal.yaml", "event.ics"}
    assert {each.name for each in out.iterdir()} == names
    reached = [agent.name for agent in load_manifest(out / "nurse.yaml").agents]
    assert reached == ["currency"]
    assert load_manifest(out / "dispatcher.yaml").agents
    index = {"main": {"manifests_dir": "manifests/main", "default_agent_name": "currency"}}
    (place.parent / "manifests.json").write_text(json.dumps(index), "utf-8")
    sets = tmp_path / "sets"
    assert main(["convert", "slashgpt", str(place.parent), "-o", str(sets)]) == 0
    assert {each.name for each in (sets / "main").iterdir()} == names
