"""`tools`, `show` and `check`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

GET_THING = {
    "name": "things__get_thing",
    "namespace": "things",
    "operation": "get_thing",
    "description": "One thing.",
    "parameters": {
        "type": "object",
        "properties": {"thing_id": {"type": "integer"}},
        "required": ["thing_id"],
        "additionalProperties": False,
    },
    "method": "GET",
    "path": "/things/{thing_id}",
    "tags": ["reading"],
    "deprecated": False,
    "read_only": True,
}


def test_tools_are_printed_one_a_line_where_there_is_no_terminal(restwright, things):
    ended = restwright("tools", things)
    assert ended.code == 0
    assert ended.out.splitlines() == [
        "things__add_thing\tPOST\t/things\tAdd a thing.",
        "things__get_thing\tGET\t/things/{thing_id}\tOne thing.",
        "things__list_things\tGET\t/things\tAll things.",
    ]


def test_tools_as_json_have_the_shape_of_the_contract(restwright, things):
    shown = restwright("tools", things, "--json").json
    assert set(shown) == {"tools", "problems", "index"}
    assert [tool["name"] for tool in shown["tools"]] == [
        "things__add_thing",
        "things__get_thing",
        "things__list_things",
    ]
    assert shown["tools"][1] == GET_THING
    assert [each["action"] for each in shown["problems"]] == ["calls need `--server URL`"]
    assert set(shown["index"]) == {"things"}


def test_only_filters_by_either_name_and_read_only_by_method(restwright, things):
    by_operation = restwright("tools", things, "--only", "get_*")
    by_name = restwright("tools", things, "--only", "things__get_*")
    assert by_operation.out == by_name.out
    assert by_operation.out.startswith("things__get_thing\t")
    reads = restwright("tools", things, "--read-only", "--json").json["tools"]
    assert [tool["read_only"] for tool in reads] == [True, True]


def test_an_alias_is_the_namespace(restwright, things):
    shown = restwright("tools", f"mine={things}", f"yours={things}", "--json").json
    assert set(shown["index"]) == {"mine", "yours"}
    assert "mine__get_thing" in {tool["name"] for tool in shown["tools"]}


def test_a_document_is_read_from_standard_input(restwright, things):
    ended = restwright("tools", "-", stdin=Path(things).read_text(encoding="utf-8"))
    assert ended.code == 0
    assert "things__get_thing" in ended.out


def test_problems_are_one_a_line(restwright, tmp_path):
    path = tmp_path / "odd.yaml"
    path.write_text(
        "openapi: 3.1.0\ninfo: {title: Odd, version: '1'}\npaths: {/a: {get: 7}}\n",
        encoding="utf-8",
    )
    shown = restwright("tools", str(path), "--json").json
    keys = {"pointer", "what", "severity", "action", "document"}
    assert [set(each) for each in shown["problems"]] == [keys, keys]
    lines = restwright("tools", str(path), "--problems").out.splitlines()
    assert len(lines) == 2
    assert "/paths/~1a/get" in lines[1]


def test_show_as_json_is_the_tool_with_its_output_security_producers_and_problems(
    restwright, things
):
    shown = restwright("show", things, "get_thing", "--json").json
    assert {key: shown[key] for key in GET_THING} == GET_THING
    assert set(shown) - set(GET_THING) == {
        "checks",
        "left_out",
        "output",
        "security",
        "servers",
        "producers",
        "problems",
    }
    assert shown["producers"]["thing_id"][0]["tool"] == "things__list_things"


def test_show_prints_the_route_and_the_schema(restwright, things):
    ended = restwright("show", things, "things__get_thing")
    assert ended.code == 0
    assert ended.out.startswith("things__get_thing\nGET /things/{thing_id}\n")
    assert '"thing_id"' in ended.out


def test_check_prints_arguments_that_fit(restwright, things):
    ended = restwright("check", things, "get_thing", '{"thing_id":7}')
    assert (ended.code, ended.json) == (0, {"thing_id": 7})


def test_check_reads_arguments_from_a_file_and_from_standard_input(restwright, things, tmp_path):
    path = tmp_path / "arguments.json"
    path.write_text('{"thing_id": 7}', encoding="utf-8")
    assert restwright("check", things, "get_thing", f"@{path}").json == {"thing_id": 7}
    assert restwright("check", things, "get_thing", "-", stdin='{"thing_id": 7}').code == 0


def test_check_prints_the_feedback_on_arguments_that_do_not_fit(restwright, things):
    ended = restwright("check", things, "get_thing", '{"thing_id": "seven"}')
    assert (ended.code, ended.out) == (1, "")
    assert ended.err == (
        "things__get_thing was not called. Fix these and call it again:\n"
        '/thing_id: expected an integer, got "seven"\n'
    )


def test_check_prints_repaired_arguments_and_says_what_was_repaired(restwright, things):
    ended = restwright("check", things, "get_thing", "{'thing_id': '7'} {'thing_id': 8}")
    assert (ended.code, ended.json) == (0, {"thing_id": 7})
    assert ended.err == (
        "read leniently: ' quotes were read as double ones\n"
        "read leniently: the text around was left out\n"
        "left out: {'thing_id': 8}\n"
        'repaired /thing_id: "7" became 7 (the text was read as a number)\n'
    )


def test_check_as_json_gives_the_feedback_as_an_error(restwright, things):
    error = restwright("check", things, "get_thing", "{}", "--json").json["error"]
    assert set(error) == {"code", "message", "hint"}
    assert error["code"] == "mismatch"
    assert "/thing_id" in error["message"]


def test_what_a_document_says_cannot_drive_the_terminal(restwright, things, tmp_path):
    path = tmp_path / "evil.yaml"
    text = Path(things).read_text(encoding="utf-8")
    path.write_text(text.replace("One thing.", '"a\\e[2Jb\\u202Ec"'), encoding="utf-8")
    out = restwright("tools", str(path)).out + restwright("show", str(path), "get_thing").out
    assert "\x1b" not in out
    assert "\u202e" not in out


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_what_a_document_says_of_arguments_cannot_drive_the_terminal(
    options, restwright, things, tmp_path
):
    path = tmp_path / "evil.yaml"
    text = Path(things).read_text(encoding="utf-8")
    evil = '{enum: ["a\\e[2J\\u009bb\\u202Ec\\x7f"]}'
    path.write_text(text.replace("{type: integer}", evil), encoding="utf-8")
    ended = restwright("check", str(path), "get_thing", '{"thing_id": 7}', *options)
    shown = ended.out + ended.err
    assert "/thing_id" in shown
    assert not set("\x1b\x9b\u202e\x7f") & set(shown)


def test_what_is_printed_as_json_cannot_drive_the_terminal(restwright, things):
    given = {"thing_id": 7, "colour": "\x9b2J\u202e\x7f"}
    ended = restwright("check", things, "add_thing", json.dumps(given))
    assert ended.json == given
    assert '"\\u009b2J\\u202e\\u007f"' in ended.out


def test_a_problem_says_which_document_it_is_in(restwright, things, tmp_path):
    other = tmp_path / "other.yaml"
    other.write_text(Path(things).read_text(encoding="utf-8"), encoding="utf-8")
    shown = restwright("tools", things, f"b={other}", "--json").json["problems"]
    assert [each["document"] for each in shown] == [things, str(other)]


def test_strict_tools_that_are_said_loosely_are_counted_on_standard_error(restwright, tmp_path):
    path = tmp_path / "loose.yaml"
    anything = "{name: a, in: query, schema: {type: object, additionalProperties: true}}"
    path.write_text(
        "openapi: 3.1.0\ninfo: {title: Loose, version: '1'}\npaths:\n"
        f"  /a: {{get: {{parameters: [{anything}], responses: {{}}}}}}\n"
        "  /b: {get: {responses: {}}}\n",
        encoding="utf-8",
    )
    ended = restwright("tools", str(path), "--dialect", "openai-strict")
    assert [each["function"]["strict"] for each in ended.json] == [False, True]
    assert ended.err == "1 of 2 tools cannot be said strictly; see --problems\n"
    assert restwright("tools", str(path), "--dialect", "openai-strict", "--quiet").err == ""
    assert restwright("tools", str(path), "--dialect", "openai").err == ""


def test_tools_are_filtered_by_tag_method_and_deprecation(restwright, things):
    assert restwright("tools", things, "--tag", "Reading").out.startswith("things__get_thing\t")
    both = restwright("tools", things, "--method", "post", "--method", "GET", "--only", "*_thing")
    assert [line.split("\t")[0] for line in both.out.splitlines()] == [
        "things__add_thing",
        "things__get_thing",
    ]
    assert restwright("tools", things, "--tag", "no").out == ""
    assert len(restwright("tools", things, "--no-deprecated").out.splitlines()) == 3
