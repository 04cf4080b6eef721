"""`run`, `test` and `new`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.support.planned import planned, query, select

from restwright.testing import Reply, ScriptedModel

LIST = "things__list_things"
SCRIPT: list[Reply] = [
    ("selector", {"tools": [{"reason": "r", "name": LIST}], "answer": ""}),
    ("caller", {"calls": [{"tool": LIST, "arguments": {}}]}),
    ("caller", {"calls": []}),
    ("describer", {"answer": "One teal thing is there."}),
]
MANIFEST = """\
title: Things
prompt: Be brief.
agent: calling
apis:
  - document: things.yaml
    alias: things
    server: {server}
samples:
  - name: all
    text: What is there?
    calls: [list_things]
    no_calls: add_*
    answer: {{contains: teal, excludes: red, matches: "^One"}}
"""

Scripted = Callable[[list[Reply]], ScriptedModel]


@pytest.fixture
def scripted(restwright) -> Scripted:
    """Put a model with a script in the place of the one that is named."""

    def put(script: list[Reply]) -> ScriptedModel:
        model = ScriptedModel(script)

        def chosen(name: str | None, _: str | None) -> ScriptedModel:
            model.name = name or "scripted"
            return model

        restwright.find_model(chosen)
        return model

    return put


@pytest.fixture
def agent(things: str, server: Any, tmp_path: Path) -> Path:
    path = tmp_path / "agent.yaml"
    path.write_text(MANIFEST.format(server=server.url), "utf-8")
    return path


def test_run_asks_the_agent_of_a_manifest(restwright, scripted, agent, server):
    model = scripted(SCRIPT)
    ended = restwright("run", str(agent), "What is there?", "--no-journal")
    assert (ended.code, ended.out) == (0, "One teal thing is there.\n")
    assert [each[1] for each in server.requests] == ["/things"]
    assert "Be brief." in model.asked[-1].messages[0].text


def test_run_reads_standard_input(restwright, scripted, tmp_path):
    path = tmp_path / "codereview.yml"
    path.write_text("title: Review\nprompt: Review the change.\n", "utf-8")
    model = scripted(["Looks good."])
    ended = restwright("run", str(path), "-", "--no-journal", "--json", stdin="+ one line\n")
    assert ended.code == 0
    assert ended.json["answer"] == "Looks good."
    assert model.asked[0].messages[-1].text == "+ one line\n"
    assert restwright("run", str(path), "-", stdin=" ").code == 2


def test_run_as_json_is_as_ask(restwright, scripted, agent):
    scripted(SCRIPT)
    shown = restwright("run", str(agent), "What is there?", "--no-journal", "--json").json
    assert {"answer", "steps", "calls", "usage", "stopped"} <= shown.keys()
    assert [each["tool"] for each in shown["calls"]] == [LIST]


def test_a_run_can_be_resumed(restwright, scripted, agent, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    scripted(SCRIPT)
    stopped = restwright("run", str(agent), "What is there?", "--max-model-calls", "2", "--json")
    assert (stopped.code, stopped.json["stopped"]) == (3, "limit")
    scripted(SCRIPT[2:])
    went_on = restwright("run", str(agent), "--resume", stopped.json["session"])
    assert (went_on.code, went_on.out) == (0, "One teal thing is there.\n")


def test_limits_and_the_model_of_the_command_line_win(restwright, scripted, agent):
    model = scripted(SCRIPT)
    agent.write_text(agent.read_text("utf-8") + "model: openai:a\n", "utf-8")
    ended = restwright("run", str(agent), "x", "--no-journal", "--max-model-calls", "1")
    assert (ended.code, model.name) == (3, "openai:a")
    model = scripted(SCRIPT)
    restwright("run", str(agent), "x", "--no-journal", "--model", "openai:b")
    assert model.name == "openai:b"


def test_the_command_line_names_another_server(restwright, scripted, agent, server):
    scripted(SCRIPT)
    text = agent.read_text("utf-8").replace(server.url, "https://other.test")
    agent.write_text(text.replace("samples:", "    auth: env:NOWHERE\nsamples:"), "utf-8")
    ended = restwright("run", str(agent), "x", "--no-journal", "--server", server.url)
    assert ended.code == 0
    assert len(server.requests) == 1


def test_a_manifest_that_cannot_be_used_is_one_line(restwright, agent):
    agent.write_text("title: 7\napis: [things.yaml]\n", "utf-8")
    ended = restwright("run", str(agent), "x")
    assert ended.code == 1
    assert ended.err == (
        f"error: {agent}, line 1 (/title): a text is expected;"
        " `restwright new --schema` prints what a manifest may say\n"
    )
    error = restwright("run", str(agent), "x", "--json").json["error"]
    assert error["code"] == "unusable_manifest"


def test_what_is_passed_over_is_said(restwright, scripted, agent):
    scripted(SCRIPT)
    agent.write_text(agent.read_text("utf-8").replace("prompt", "promt"), "utf-8")
    ended = restwright("run", str(agent), "x", "--no-journal")
    expected = f"warning: {agent}: /promt: line 2: there is no key `promt`; did you mean `prompt`?"
    assert expected in ended.err


@pytest.mark.parametrize(
    "more", [(), ("x", "--resume", "a"), ("x", "--yes", "--read-only"), ("x", "--agent", "plan")]
)
def test_a_wrong_command_line_is_refused(restwright, agent, more):
    assert restwright("run", str(agent), *more).code == 2


def test_samples_that_lead_to_what_they_must_pass(restwright, scripted, agent):
    scripted(SCRIPT)
    ended = restwright("test", str(agent))
    assert (ended.code, ended.out) == (0, "ok    all: What is there? (1 call)\n")
    assert ended.err == "1 sample, 0 failed\n"


def test_a_sample_that_does_not_is_told_and_ends_with_1(restwright, scripted, agent):
    text = agent.read_text("utf-8")
    text = text.replace("[list_things]", "[{tool: get_thing, arguments: {thing_id: 7}}]")
    agent.write_text(text.replace("contains: teal", "contains: [teal, blue]"), "utf-8")
    scripted(SCRIPT)
    ended = restwright("test", str(agent))
    assert ended.code == 1
    assert ended.out.splitlines() == [
        "FAIL  all: What is there? (1 call)",
        '      call 1 was not made: get_thing {"thing_id": 7}; called: things__list_things',
        "      the answer does not hold 'blue': One teal thing is there.",
    ]
    scripted(SCRIPT)
    shown = restwright("test", str(agent), "--json").json
    assert (shown["passed"], shown["failed"]) == (0, 1)
    assert [each["ok"] for each in shown["samples"]] == [False]


def test_only_some_samples(restwright, agent):
    ended = restwright("test", str(agent), "--only", "none*")
    assert ended.code == 2
    assert "has no samples named none*" in ended.err


def test_a_write_in_a_test_is_not_sent_without_yes(restwright, scripted, agent, server):
    add = "things__add_thing"
    script: list[Reply] = [
        ("selector", {"tools": [{"reason": "r", "name": add}], "answer": ""}),
        ("caller", {"calls": [{"tool": add, "arguments": {"thing_id": 1}}]}),
        ("caller", {"calls": []}),
        ("describer", {"answer": "One teal thing is there."}),
    ]
    scripted(script)
    assert restwright("test", str(agent)).code == 1
    assert server.requests == []


NEW = """\
# An agent over an API; `restwright run THIS_FILE "a question"` asks it.
# `restwright new --schema` prints what may stand here, for an editor.
title: Things
description: What there is.
prompt: |-
  You answer questions about Things.
  Answer in the user's language, in a few words.
apis:
  - document: things.yaml
    alias: things
    server: http://127.0.0.1:8000
policy: confirm
samples:
  - name: list_things
    text: All things
    calls:
      - tool: list_things
"""


def test_new_writes_a_manifest_that_can_be_tested(restwright, scripted, things, server, tmp_path):
    path = tmp_path / "made.yaml"
    ended = restwright("new", things, "-o", str(path))
    assert (ended.code, ended.out) == (0, "")
    assert path.read_text("utf-8") == NEW
    scripted(
        [
            planned("find things"),
            select("list_things"),
            query(fields=["colour"]),
            ("answer", {"answer": "A teal one."}),
        ]
    )
    assert restwright("test", str(path), "--server", server.url).code == 0
    assert restwright("new", things, "-o", str(path)).code == 2
    assert path.read_text("utf-8") == NEW


def test_new_prints_without_a_file(restwright, things, monkeypatch):
    monkeypatch.chdir(Path(things).parent)
    assert restwright("new", things).out == NEW
    assert restwright("new", things, "--json").json == {"manifest": NEW, "file": None}


def test_new_prints_the_schema(restwright):
    shown = json.loads(restwright("new", "--schema").out)
    assert shown["title"] == "Restwright manifest"
    assert restwright("new").code == 2


def test_an_agent_hands_over_in_a_run(restwright, scripted, agent, tmp_path):
    (tmp_path / "bills.yaml").write_text("title: Bills\nprompt: You know bills.\n", "utf-8")
    agent.write_text(agent.read_text("utf-8") + "agents: {bills: bills.yaml}\n", "utf-8")
    name = "agents__hand_over_to_bills"
    model = scripted(
        [
            ("selector", {"tools": [{"reason": "r", "name": name}], "answer": ""}),
            ("caller", {"calls": [{"tool": name, "arguments": {"message": "The bill?"}}]}),
            ("answer", "It is paid."),
        ]
    )
    ended = restwright("run", str(agent), "What about my bill?", "--no-journal")
    assert (ended.code, ended.out) == (0, "It is paid.\n")
    assert model.asked[-1].messages[-1].text == "The bill?"


CURRENCY = """\
{
  "title": "Currency Converter",
  "prompt": ["You convert.", "{now}"],
  "sample": "How much is a dollar?",
  "temperature": "0.0",
  "about": "me",
  "functions": [{"name": "convert", "description": "Convert.", "parameters":
    {"type": "object", "properties": {"amount": {"type": "string"}}, "required": ["amount"]}}],
  "actions": {"convert": {"type": "message_template", "message": "{amount} is a lot"}}
}
"""


def test_a_manifest_of_slashgpt_runs_as_it_is(restwright, scripted, tmp_path):
    path = tmp_path / "currency.json"
    path.write_text(CURRENCY, "utf-8")
    call = {"calls": [{"tool": "convert", "arguments": {"amount": "7"}}], "answer": ""}
    model = scripted([call, {"calls": [], "answer": "A lot."}])
    shown = restwright("run", str(path), "How much?", "--json")
    assert (shown.code, shown.json["answer"]) == (0, "A lot.")
    assert [(each["tool"], each["arguments"]) for each in shown.json["calls"]] == [
        ("convert", {"amount": "7"})
    ]
    assert "You convert." in model.asked[0].messages[0].text
    assert restwright("run", str(path), "x", "--server", "http://a.test").code == 2
    assert restwright("run", str(path), "--resume", "x").code == 2


def test_code_runs_in_a_test_where_it_is_allowed(restwright, scripted, tmp_path):
    path = tmp_path / "greeter.yaml"
    (tmp_path / "own.py").write_text("def greet():\n    return 'Hello.'\n", "utf-8")
    path.write_text(
        "agent: calling\nfunctions: [{name: greet}]\ncode: {module: own.py}\n"
        "samples: [{text: Hi, calls: [greet]}]\n",
        "utf-8",
    )
    script: list[Reply] = [
        {"calls": [{"tool": "greet", "arguments": {}}], "answer": ""},
        {"calls": [], "answer": "Hello."},
    ]
    scripted(script)
    assert restwright("test", str(path)).code == 1
    scripted(script)
    assert restwright("test", str(path), "--allow-code").code == 0


def test_new_says_what_a_run_needs_where_its_document_lies_elsewhere(
    restwright, scripted, things, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "agents").mkdir()
    ended = restwright("new", "things.yaml", "-o", "agents/a.yaml")
    assert ended.err == (
        'wrote agents/a.yaml; try it: restwright run agents/a.yaml "..." --allow-folder .\n'
    )
    scripted(SCRIPT)
    ended = restwright(
        "test", "agents/a.yaml", "--only", "x", "--allow-folder", str(Path(things).parent)
    )
    assert "has no samples named x" in ended.err


def test_new_takes_no_document_that_a_manifest_cannot_name(restwright, things, tmp_path):
    text = Path(things).read_text("utf-8")
    ended = restwright("new", "-", "-o", str(tmp_path / "a.yaml"), stdin=text)
    assert ended.code == 2
    assert "save it to a file" in ended.err
    assert not (tmp_path / "a.yaml").exists()
