"""Arazzo documents on the command line: their workflows are tools like others."""

from __future__ import annotations

from pathlib import Path

import pytest

WORKFLOWS = """\
arazzo: 1.0.1
info: {title: Thing keeping, version: "1"}
sourceDescriptions: [{name: things, url: ./things.yaml, type: openapi}]
workflows:
  - workflowId: copy_thing
    summary: Add a thing like another one.
    inputs: {type: object, required: [old], properties: {old: {type: integer}}}
    steps:
      - stepId: look
        operationId: get_thing
        parameters: [{name: thing_id, in: path, value: $inputs.old}]
        outputs: {colour: $response.body#/colour}
      - stepId: add
        operationId: add_thing
        requestBody: {payload: {thing_id: 8, colour: $steps.look.outputs.colour}}
    outputs: {colour: $steps.look.outputs.colour}
  - workflowId: broken
    steps: [{stepId: one, operationId: nowhere}]
"""


@pytest.fixture
def workflows(things, tmp_path: Path) -> str:
    assert Path(things).parent == tmp_path
    path = tmp_path / "w.arazzo.yaml"
    path.write_text(WORKFLOWS, encoding="utf-8")
    return str(path)


def test_workflows_are_listed_as_tools(restwright, workflows):
    assert "copy_thing" in restwright("tools", workflows).out
    found = restwright("tools", workflows, "--json").json
    assert [tool["name"] for tool in found["tools"]] == ["thing_keeping__copy_thing"]


def test_a_workflow_that_cannot_be_run_is_a_problem(restwright, workflows):
    ended = restwright("tools", workflows, "--problems")
    assert ended.code == 1
    assert "no source has an operation 'nowhere' (the workflow is left out)" in ended.out


def test_a_workflow_is_shown_with_what_it_calls(restwright, workflows):
    shown = restwright("show", workflows, "copy_thing").out
    assert "It calls GET /things/{thing_id}, POST /things." in shown
    assert '"old"' in shown


def test_a_workflow_is_called_with_yes(restwright, workflows, server):
    arguments = ("copy_thing", '{"old": 7}', "--server", server.url)
    ended = restwright("call", workflows, *arguments, "--yes")
    assert (ended.code, ended.json) == (0, {"colour": "teal"})
    assert [request[:2] for request in server.requests] == [
        ("GET", "/things/7"),
        ("POST", "/things"),
    ]


def test_its_write_is_refused_without_a_word(restwright, workflows, server):
    ended = restwright("call", workflows, "copy_thing", '{"old": 7}', "--server", server.url)
    assert ended.code == 3
    assert "--yes" in ended.err
    assert [request[:2] for request in server.requests] == [("GET", "/things/7")]


def test_read_only_runs_nothing_of_what_writes(restwright, workflows, server):
    ended = restwright(
        *("call", workflows, "copy_thing", '{"old": 7}', "--server", server.url, "--read-only")
    )
    assert ended.code != 0
    assert server.requests == []


def test_workflows_stand_beside_other_documents(restwright, workflows, things):
    names = [
        tool["name"] for tool in restwright("tools", things, workflows, "--json").json["tools"]
    ]
    assert "thing_keeping__copy_thing" in names
    assert len(names) == 4


def test_a_source_elsewhere_has_to_be_named(restwright, tmp_path, workflows):
    folder = tmp_path / "apart"
    folder.mkdir()
    apart = folder / "w.arazzo.yaml"
    apart.write_text(WORKFLOWS.replace("./things", "../things"), encoding="utf-8")
    refused = restwright("tools", str(apart))
    assert refused.code != 0
    assert "--source things=FILE-or-URL" in refused.err
    named = ("--source", f"things={tmp_path / 'things.yaml'}")
    assert "copy_thing" in restwright("tools", str(apart), *named).out


def test_a_host_that_only_the_document_names_is_not_asked(restwright, workflows, tmp_path):
    text = WORKFLOWS.replace("./things.yaml", "https://evil.example/things.yaml")
    Path(workflows).write_text(text, encoding="utf-8")
    refused = restwright("tools", workflows)
    assert refused.code != 0
    assert "a host that only the Arazzo document names" in refused.err


def test_source_is_refused_without_an_arazzo_document(restwright, things):
    refused = restwright("tools", things, "--source", f"things={things}")
    assert refused.code != 0
    assert "--source is for Arazzo documents" in refused.err


TWO = (
    WORKFLOWS.replace(
        "sourceDescriptions: [",
        "sourceDescriptions: [{name: others, url: ./things.yaml, type: openapi}, ",
    )
    .replace("operationId: get_thing", "operationId: $sourceDescriptions.others.get_thing")
    .replace("operationId: add_thing", "operationId: $sourceDescriptions.things.add_thing")
)


def test_each_of_several_sources_has_its_own_connection(restwright, workflows, server, monkeypatch):
    monkeypatch.setenv("T", "t0ps3cret")
    Path(workflows).write_text(TWO, encoding="utf-8")
    ended = restwright(
        *("call", workflows, "copy_thing", '{"old": 7}', "--yes", "--auth", "things=env:T"),
        *("--server", f"things={server.url}", "--server", f"others={server.url}"),
    )
    assert ended.json == {"colour": "teal"}
    sent = [{name.lower(): value for name, value in each[2].items()} for each in server.requests]
    assert ["authorization" in headers for headers in sent] == [False, True]
