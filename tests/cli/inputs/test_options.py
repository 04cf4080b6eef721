"""The options that say how tools are read, named, laid out and shortened."""

from __future__ import annotations

import json
from typing import get_args

import pytest
from tests.support.cli.regen import FOLDER

from restwright.cli.inputs.options import BUDGET, Called, Named, Presented
from restwright.tools import options as tools_options
from restwright.tools.dialects import ALIASES, DIALECTS
from restwright.tools.options import ToolOptions
from restwright.tools.schemas import visible as shows
from restwright.tools.tool import Layout

HARBOUR = str(FOLDER / "harbour.yaml")


def test_the_choices_are_those_of_the_tools(restwright):
    # Said twice, so that the help of a command costs no import.
    whole = restwright("tools", "--help").out
    named = " ".join(whole.replace("-\n", "-").split()).replace("- ", "-")
    for name in (*get_args(Layout), *get_args(tools_options.NamingStyle), *DIALECTS, *ALIASES):
        assert name in named
    assert shows.DEFAULT_BUDGET == BUDGET
    assert Presented().tool_options() == ToolOptions()


def test_a_group_gives_what_it_has_of_the_options_of_tools():
    assert Named(naming="accessor").tool_options() == ToolOptions(naming="accessor")
    assert Called(layout="grouped").tool_options() == ToolOptions(layout="grouped")
    every = Presented(describe="full", budget=4000)
    assert every.tool_options() == ToolOptions(describe="full", budget=4000)
    assert Presented(lean=True).tool_options() == ToolOptions(lean=True)


WRONG = {
    "layout": (("--layout", "round"), "'round' is not one of 'flat', 'grouped'"),
    "naming": (("--naming", "x"), "'x' is not one of 'operation-id', 'accessor'"),
    "describe": (("--describe", "x"), "'x' is not one of 'short', 'full'"),
    "dialect": (("--dialect", "opnai"), "one of openai"),
    "budget not a number": (("--budget", "x"), "valid integer"),
    "two of which one would be ignored": (("--lean", "--describe", "full"), "exclude each other"),
    "budget too small": (("--budget", "10"), "greater than or equal to 2000"),
}


@pytest.mark.parametrize(("argv", "said"), WRONG.values(), ids=[*WRONG])
def test_a_wrong_value_is_a_usage_error_that_names_the_choices(restwright, argv, said):
    ended = restwright("tools", HARBOUR, *argv)
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err
    assert len(ended.err.splitlines()) == 1


def test_naming_by_accessor_names_by_path_and_method(restwright):
    names = [
        line.split("\t")[0]
        for line in restwright("tools", HARBOUR, "--naming", "accessor").out.splitlines()
    ]
    assert "harbour__berths_get" in names
    assert restwright("show", HARBOUR, "berths_get", "--naming", "accessor").code == 0
    assert restwright("show", HARBOUR, "berths_get").code == 2


def test_a_grouped_layout_is_shown_checked_and_called(restwright, things, server):
    grouped = ("--layout", "grouped")
    shown = restwright("show", things, "add_thing", *grouped, "--json").json["parameters"]
    assert [*shown["properties"]] == ["body"]
    arguments = '{"body": {"thing_id": 8}}'
    assert restwright("check", things, "add_thing", arguments, *grouped).code == 0
    assert restwright("check", things, "add_thing", arguments).code == 1
    to_server = ("--server", server.url, "--yes")
    assert restwright("call", things, "add_thing", arguments, *grouped, *to_server).code == 0
    assert server.requests[0][3] == '{"thing_id":8}'


def test_lean_tools_say_what_they_leave_out(restwright):
    whole = restwright("show", HARBOUR, "list_berths", "--json").json
    lean = restwright("show", HARBOUR, "list_berths", "--json", "--lean").json
    assert whole["left_out"] == []
    assert "deprecated optional properties" in lean["left_out"]
    assert lean["checks"] == whole["checks"]


def test_a_full_description_has_tag_lines(restwright):
    full = restwright("show", HARBOUR, "list_berths", "--describe", "full", "--json").json
    assert "@tag Berths" in full["description"]


def test_tools_in_a_dialect_are_a_list_in_the_shape_of_the_provider(restwright):
    tools = restwright("tools", HARBOUR, "--dialect", "anthropic", "--only", "get_*").json
    assert [set(each) for each in tools] == [{"name", "description", "input_schema"}]
    shown = restwright("tools", HARBOUR, "--dialect", "anthropic", "--only", "get_*", "--json").json
    assert shown["tools"] == tools
    assert set(shown) == {"tools", "problems", "index"}


@pytest.mark.parametrize("name", [*DIALECTS, *ALIASES])
def test_every_dialect_prints_every_tool(restwright, name):
    shown = restwright("tools", HARBOUR, "--dialect", name, "--json").json
    assert len(shown["tools"]) == 7
    for each in shown["tools"]:
        assert each["name" if "name" in each else "function"]


def test_what_a_dialect_cannot_say_is_information(restwright, tmp_path):
    path = tmp_path / "maps.yaml"
    path.write_text(
        "openapi: 3.1.0\ninfo: {title: Maps, version: '1'}\npaths:\n  /maps:\n    post:\n"
        "      operationId: add\n      requestBody: {content: {application/json: {schema:"
        " {type: object, properties: {any: {type: object, additionalProperties: true}}}}}}\n",
        encoding="utf-8",
    )
    problems = restwright("tools", str(path), "--dialect", "openai-strict", "--json").json[
        "problems"
    ]
    (said,) = [each for each in problems if "openai-strict" in each["what"]]
    assert (said["severity"], said["action"]) == ("information", "said loosely")
    assert said["pointer"] == "/paths/~1maps/post"
    assert "/properties/any" in said["what"]
    printed = restwright("tools", str(path), "--dialect", "openai-strict", "--problems").out
    assert f"information: {said['pointer']}: {said['what']} (said loosely)\n" in printed


def test_a_part_is_shown_whole(restwright):
    part = restwright("show", HARBOUR, "list_berths", "/$defs/Filter", "--lean", "--json").json
    assert set(part) == {"name", "pointer", "parameters", "left_out"}
    assert (
        part["parameters"]["description"] == "What berths have to be like. All parts have to hold."
    )
    assert part["left_out"] == []
    same = restwright("show", HARBOUR, "list_berths", "#/$defs/Filter", "--json").json
    assert same["parameters"] == part["parameters"]
    left_out = restwright("show", HARBOUR, "list_berths", "/properties/page", "--lean", "--json")
    assert left_out.json["parameters"] == {"type": "integer", "deprecated": True}


@pytest.mark.parametrize("pointer", ["/properties/filtre", "properties", "/additionalProperties/7"])
def test_a_pointer_to_nothing_names_those_that_are_near(restwright, pointer):
    ended = restwright("show", HARBOUR, "list_berths", pointer)
    assert (ended.code, ended.out) == (2, "")
    assert "/properties/filter" in ended.err


def test_show_says_which_schemes_and_scopes_are_needed(restwright):
    shown = restwright("show", HARBOUR, "list_ships", "--json").json
    assert shown["security"] == [{"key": []}, {"login": ["read"]}]


def test_the_index_counts_by_namespace_and_hashes_names_and_documents(restwright):
    whole = restwright("index", HARBOUR, f"again={HARBOUR}", "--json").json
    assert set(whole) == {"namespaces", "total", "hash"}
    assert whole["total"] == 14
    harbour = whole["namespaces"]["harbour"]
    assert (harbour["tools"], harbour["reads"], harbour["writes"]) == (7, 5, 2)
    assert {"reason", "source", "title"} <= set(harbour)
    other_order = restwright("index", f"again={HARBOUR}", HARBOUR, "--json").json
    assert other_order["hash"] == whole["hash"]
    named = restwright("index", HARBOUR, f"again={HARBOUR}", "--naming", "accessor", "--json").json
    assert named["hash"] != whole["hash"]


def test_problems_end_with_1_where_one_is_an_error(restwright, things):
    assert restwright("tools", HARBOUR, "--problems").code == 1
    assert restwright("tools", HARBOUR, "--problems", "--json").code == 1
    assert restwright("tools", HARBOUR, "--json").code == 0
    assert restwright("tools", things, "--problems").code == 0


def test_problems_of_several_documents_say_which_it_is(restwright, things):
    lines = restwright("tools", HARBOUR, things, "--problems").out.splitlines()
    assert lines[-1].startswith("warning: things#(whole document): no server")
    assert sum(" harbour#/" in line for line in lines) == 4


def test_a_reference_to_a_file_is_followed_on_request(restwright, tmp_path):
    (tmp_path / "id.yaml").write_text("{type: integer}", encoding="utf-8")
    path = tmp_path / "main.yaml"
    path.write_text(
        "openapi: 3.1.0\ninfo: {title: Files, version: '1'}\npaths:\n  /a:\n    get:\n"
        "      parameters: [{name: id, in: query, schema: {$ref: id.yaml}}]\n"
        "      responses: {}\n",
        encoding="utf-8",
    )
    allowed = ("--allow-refs", str(tmp_path), "--json")
    shown = restwright("show", str(path), "a", *allowed).json["parameters"]
    assert '"integer"' in json.dumps(shown)
    assert '"integer"' not in json.dumps(
        restwright("show", str(path), "a", "--json").json["checks"]
    )
    assert "integer" in restwright("upgrade", str(path), *allowed).out


def test_a_protected_document_is_fetched_with_its_header(restwright, server, monkeypatch):
    monkeypatch.setenv("DOCUMENT_TOKEN", "s3cret")
    url = f"{server.url}/openapi.json"
    header = "Authorization: Bearer env:DOCUMENT_TOKEN"
    ended = restwright("tools", url, "--document-header", header, "-v")
    assert ended.code == 0
    assert server.requests[0][2]["Authorization"] == "Bearer s3cret"
    assert "s3cret" not in ended.out + ended.err
    several = (f"a={url}", f"b={url}", "--document-header", "b=X-Key: 7")
    assert restwright("tools", *several).code == 0
    assert [each[2].get("X-Key") for each in server.requests[1:]] == [None, "7"]


HEADERS = {
    "for a file": ((HARBOUR,), "X-Key: 7", 2, "is for a document at a URL"),
    "without a colon": (("http://127.0.0.1:1/x",), "s3cret", 2, "is written as"),
    "no alias": (("a=http://h/", "b=http://h/"), "X-Key: s3cret", 2, "needs the ALIAS="),
    "unknown alias": (("a=http://h/",), "b=X-Key: s3cret", 2, "no document is named b (a)"),
    "variable not set": (("http://h/",), "X-Key: env:ABSENT", 1, "env:ABSENT is not set"),
}


@pytest.mark.parametrize(("documents", "header", "code", "said"), HEADERS.values(), ids=[*HEADERS])
def test_a_header_that_cannot_be_used_is_refused(restwright, documents, header, code, said):
    ended = restwright("tools", *documents, "--document-header", header)
    assert (ended.code, ended.out) == (code, "")
    assert said in ended.err
    assert "s3cret" not in ended.err


@pytest.mark.parametrize(
    "argv",
    [
        ("tools", "http://u:s3cret@127.0.0.1:1/x"),
        ("tools", "a=ftp://u:s3cret@127.0.0.1/x"),
        ("tools", "http:/u:s3cret@127.0.0.1/x", "http://u:s3cret@h"),
        ("tools", "http://u:s3cret/s3cret@127.0.0.1:1/x"),
        ("http://u:s3cret@127.0.0.1:1/x",),
        ("show", HARBOUR, "http://u:s3cret@127.0.0.1:1/x"),
        ("tools", HARBOUR, "--dialect", "https://u:s3cret@h/"),
    ],
)
@pytest.mark.parametrize("as_json", [(), ("--json",)])
def test_a_password_in_a_url_is_never_shown(restwright, argv, as_json):
    ended = restwright(*argv, "-v", *as_json)
    assert ended.code in {1, 2}
    assert "s3cret" not in ended.out + ended.err
