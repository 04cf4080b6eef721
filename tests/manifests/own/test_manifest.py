"""Our manifests: what they may say, and every mistake with its line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from restwright.errors import RestwrightError, UnusableManifest
from restwright.manifests.own.builder import build_blueprint
from restwright.manifests.own.loader import load_manifest
from restwright.manifests.own.manifest import Manifest
from restwright.manifests.text.schema_check import manifest_schema, manifest_schema_text
from restwright.testing import document

THINGS = document(
    {
        "/things": {"get": {"operationId": "list_things", "summary": "All things."}},
        "/things/{thing_id}": {
            "get": {
                "operationId": "get_thing",
                "summary": "One thing.",
                "parameters": [{"name": "thing_id", "in": "path", "required": True}],
            }
        },
    }
)
FOUR_LINES = """\
title: Things
prompt: Answer in one sentence.
apis:
  - things.json
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "things.json").write_text(json.dumps(THINGS), "utf-8")
    return tmp_path


def written(folder: Path, text: str, name: str = "agent.yaml") -> Path:
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def loaded(folder: Path, text: str) -> Manifest:
    return load_manifest(written(folder, text))


def test_four_lines_are_enough(folder: Path) -> None:
    manifest = loaded(folder, FOUR_LINES)
    assert (manifest.title, manifest.prompt) == ("Things", "Answer in one sentence.")
    assert [Path(each.document).name for each in manifest.apis] == ["things.json"]
    assert (manifest.kind, manifest.model, manifest.problems) == (None, None, ())


def test_json_is_read_too(folder: Path) -> None:
    text = json.dumps({"title": "Things", "apis": ["things.json"]}, indent="\t")
    manifest = load_manifest(written(folder, text, "agent.json"))
    assert manifest.title == "Things"
    text = text.replace('"Things"', "7")
    with pytest.raises(UnusableManifest) as caught:
        load_manifest(written(folder, text, "agent.json"))
    assert (caught.value.line, caught.value.pointer) == (2, "/title")


@pytest.mark.parametrize(
    ("more", "line", "pointer", "why"),
    [
        ("agent: plann", 5, "/agent", "one of rest, calling, react, plan, dfsdt is expected"),
        ("limits:\n  calls: 0", 6, "/limits/calls", "at least 1 is expected"),
        ("policy: yes", 5, "/policy", "one of read-only, confirm, allow is expected"),
        ("samples:\n  - name: a", 6, "/samples/0", "`text` is missing"),
        ("mcp: {}", 5, "/mcp", "a list is expected"),
        (
            "mcp:\n  - {name: a, url: 'https://a.example'}\n  - {name: a, url: 'https://a.example'}",
            7,
            "/mcp/1/name",
            "another server is named a",
        ),
        ("functions: [{name: f}, {name: f}]", 5, "/functions", "the function f stands there twice"),
        (
            "samples:\n  - text: a\n    answer: {matches: '('}",
            7,
            "/samples/0/answer/matches",
            "it cannot be checked",
        ),
    ],
)
def test_a_mistake_is_named_with_its_line(
    folder: Path, more: str, line: int, pointer: str, why: str
) -> None:
    with pytest.raises(UnusableManifest) as caught:
        loaded(folder, FOUR_LINES + more + "\n")
    error = caught.value
    assert (error.line, error.pointer) == (line, pointer)
    assert error.why.startswith(why)


@pytest.mark.parametrize(
    ("api", "pointer", "why"),
    [
        ("document: nothing.json", "/apis/0/document", "there is no file nothing.json"),
        ("document: ../things.json", "/apis/0/document", "is outside of the folder"),
        ("document: /etc/passwd", "/apis/0/document", "is outside of the folder"),
        ("{document: things.json, overlay: ../x}", "/apis/0/overlay", "is outside of the folder"),
        ("{document: things.json, pick: {a: '['}}", "/apis/0/pick/a", "cannot pick"),
        ("{document: things.json, alias: A}", "/apis/0/alias", "it must fit the pattern"),
        ("{alias: a}", "/apis/0", "`document` is missing"),
    ],
)
def test_a_mistake_about_an_api_is_named(folder: Path, api: str, pointer: str, why: str) -> None:
    with pytest.raises(UnusableManifest) as caught:
        loaded(folder, f"apis:\n  - {api}\n")
    assert (caught.value.line, caught.value.pointer) == (2, pointer)
    assert why in caught.value.why


def test_a_link_that_leaves_the_folder_is_not_followed(folder: Path) -> None:
    inner = folder / "inner"
    inner.mkdir()
    (inner / "link.json").symlink_to(folder / "things.json")
    path = written(inner, "apis: [link.json]\n")
    with pytest.raises(UnusableManifest, match="outside of the folder"):
        load_manifest(path)
    assert load_manifest(path, allow=folder).apis


def test_a_credential_that_is_written_down_is_refused_and_not_repeated(folder: Path) -> None:
    with pytest.raises(UnusableManifest) as caught:
        loaded(folder, "apis:\n  - document: things.json\n    auth: t0ps3cret\n")
    assert caught.value.line == 3
    assert "t0ps3cret" not in str(caught.value)


def test_secrets_that_stand_in_the_file_are_warned_about(folder: Path) -> None:
    text = """\
apis:
  - document: things.json
    server: https://me:t0ps3cret@a.test
    headers: {Authorization: Bearer t0ps3cret, X-Plain: yes, X-Api-Key: env:KEY}
    fixed: {api_key: t0ps3cret, page: 7}
"""
    said = [str(each) for each in loaded(folder, text).problems]
    assert len(said) == 3
    assert not any("t0ps3cret" in each for each in said)


def test_an_unknown_key_is_a_warning_with_the_nearest_name(folder: Path) -> None:
    text = FOUR_LINES.replace("prompt", "promt") + "x-mine: {any: thing}\n"
    [said] = loaded(folder, text).problems
    assert said.pointer == "/promt"
    assert said.what == "line 2: there is no key `promt`; did you mean `prompt`?"
    inner = "apis:\n  - {document: things.json, includes: a, x-b: 1}\n"
    [said] = loaded(folder, inner).problems
    assert (said.pointer, said.severity) == ("/apis/0/includes", "warning")
    assert "did you mean `include`?" in said.what


def test_a_function_without_an_action_is_a_warning_and_so_is_the_other_way(folder: Path) -> None:
    text = FOUR_LINES + "functions: [{name: f}]\nactions: {g: {type: debug}}\n"
    assert [each.what for each in loaded(folder, text).problems] == [
        "line 5: no action carries the function f out",
        "line 6: there is no function g",
    ]


def test_functions_may_stand_in_a_file(folder: Path) -> None:
    functions = [{"name": "greet", "parameters": {"type": "object", "properties": {}}}]
    (folder / "functions.json").write_text(json.dumps(functions), "utf-8")
    text = "functions: functions.json\nactions: {greet: {type: message_template, message: Hi}}\n"
    assert [each["name"] for each in loaded(folder, text).functions] == ["greet"]
    (folder / "functions.json").write_text("[{}]", "utf-8")
    with pytest.raises(UnusableManifest, match=r"in functions.json: `name` is missing"):
        loaded(folder, text)


def test_the_agents_of_a_manifest_are_read_with_it(folder: Path) -> None:
    written(folder, "title: B\ndescription: Knows B.\napis: [things.json]\n", "b.yaml")
    manifest = loaded(
        folder, FOUR_LINES + "agents:\n  b: b.yaml\n  c: {manifest: b.yaml, description: Else.}\n"
    )
    assert [(each.name, each.description) for each in manifest.agents] == [
        ("b", "Knows B."),
        ("c", "Else."),
    ]
    assert manifest.agents[0].manifest is manifest.agents[1].manifest


def test_the_schema_is_valid_and_describes_every_key() -> None:
    jsonschema_rs.meta.validate(manifest_schema())
    keys = {
        key
        for key in manifest_schema()["properties"]
        if not manifest_schema()["properties"][key].get("$ref")
    }
    described = {key for key in keys if "description" in manifest_schema()["properties"][key]}
    assert keys == described
    assert manifest_schema_text().endswith("}\n")


WORDS = st.sampled_from(["things.json", "a", "rest", "env:X", "allow", "../x", "", "list_things"])
LEAVES = st.none() | st.booleans() | st.integers(-2, 40) | WORDS
NAMES = st.sampled_from(
    [
        *("title", "prompt", "apis", "document", "alias", "samples", "text", "calls", "tool"),
        *("limits", "policy", "fixed", "pick", "auth", "headers", "answer", "contains", "x-a"),
    ]
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)
OPERATIONS = st.sampled_from(["list_things", "get_thing", "x", "*"])
INPUTS = st.dictionaries(st.sampled_from(["thing_id", "x"]), LEAVES, max_size=1)
APIS = st.fixed_dictionaries(
    {"document": st.just("things.json")},
    optional={
        "alias": st.sampled_from(["a", "b", "A"]),
        "include": OPERATIONS,
        "exclude": st.lists(OPERATIONS, max_size=2),
        "read_only": st.booleans(),
        "fixed": INPUTS | st.dictionaries(OPERATIONS, INPUTS, max_size=2),
        "pick": st.dictionaries(OPERATIONS, st.sampled_from(["a", "[", "items[].b"])),
        "policy": st.fixed_dictionaries(
            {"tools": st.dictionaries(OPERATIONS, st.sampled_from(["allow", "ask", "read", "x"]))}
        ),
        "auth": st.dictionaries(NAMES, WORDS, max_size=1) | WORDS,
        "headers": st.dictionaries(NAMES, WORDS, max_size=1),
        "server": WORDS,
        "overlay": WORDS,
    },
)
MANIFESTS = st.fixed_dictionaries(
    {},
    optional={
        "apis": st.just(["things.json"]) | st.lists(APIS, min_size=1, max_size=2),
        "title": WORDS | VALUES,
        "agent": st.sampled_from(["rest", "plan", "x"]),
        "samples": st.lists(st.fixed_dictionaries({"text": WORDS}) | VALUES, max_size=2),
        "limits": st.dictionaries(st.sampled_from(["calls", "seconds"]), LEAVES, max_size=2),
        "policy": VALUES,
        "model": VALUES,
        "agents": st.dictionaries(NAMES, WORDS, max_size=2),
        "functions": VALUES,
        "actions": VALUES,
        "promt": LEAVES,
    },
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(MANIFESTS)
def test_any_manifest_loads_or_says_clearly_why_not(folder: Path, value: Any) -> None:
    path = written(folder, json.dumps(value), "agent.json")
    try:
        manifest = load_manifest(path)
        build_blueprint(manifest)
    except RestwrightError as error:
        assert error.message  # noqa: PT017
        return
    unknown = {"promt"} & value.keys()
    assert bool(manifest.problems) >= bool(unknown)


def test_no_schema_of_a_sample_is_read_from_elsewhere(folder: Path) -> None:
    away = folder.parent / "away.json"
    away.write_text('{"type": "object"}', "utf-8")
    sample = f"samples: [{{text: a, calls: [{{tool: x, schema: {{$ref: '{away.as_uri()}'}}}}]}}]\n"
    with pytest.raises(UnusableManifest, match=r"line 5.*cannot be checked"):
        loaded(folder, FOUR_LINES + sample)


def test_a_key_that_stands_twice_is_said(folder: Path) -> None:
    manifest = loaded(folder, FOUR_LINES + "policy: confirm\npolicy: allow\n")
    [problem] = manifest.problems
    assert (problem.severity, problem.what) == ("warning", "the key 'policy' stands twice, line 6")
