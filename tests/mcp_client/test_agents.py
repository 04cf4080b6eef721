"""An agent over the tools of a server: one run over all kinds, questions, journal, manifests."""

from __future__ import annotations

import json

import pytest
from tests.mcp_client.conftest import command_of

import restwright as rw
from restwright.agents.journal.codec import json_from_outcome, outcome_from_json
from restwright.agents.runtime.human_input import human_from_answers
from restwright.agents.steps import Call, Conclusion
from restwright.errors import UnusableManifest
from restwright.manifests.own.builder import build_blueprint
from restwright.manifests.own.loader import load_manifest
from restwright.testing import RecordingTransport, ScriptedModel, document, reply

SHOP = document(
    {"/orders/{id}": {"get": {"operationId": "get_order"}, "put": {"operationId": "put_order"}}}
)


def double(number: int) -> int:
    """Twice a number."""
    return 2 * number


def test_one_agent_over_an_api_a_server_and_functions(start):
    made = rw.catalog(
        rw.load(SHOP, alias="shop"), start().catalog, rw.functions(double, namespace="sums")
    )
    asked = []

    def loop(agent, question):
        read = yield Call(tool="notes__read_note", arguments={"name": "a"})
        twice = yield Call(tool="sums__double", arguments={"number": 4})
        sent = yield Call(tool="shop__put_order", arguments={"id": "8"})
        return Conclusion(text=f"{read.value} {twice.value} {sent.kind}")

    answer = rw.Agent(
        made,
        model=ScriptedModel([]),
        kind=loop,
        send=RecordingTransport(lambda request: reply(200, {})),
        connections={"shop": rw.Connection(server="https://shop.example")},
        policy=rw.Policy(default="allow"),
        approve=lambda tool, request: not asked.append(tool.name),
    ).ask("?")
    assert answer.text == 'read_note {"name": "a"} 8 ok'
    # After a server has spoken, what would be allowed is asked about elsewhere.
    assert asked == ["sums__double", "shop__put_order"]


def test_a_question_of_a_server_is_one_of_the_run(start, era):
    def loop(agent, question):
        given = yield Call(tool="notes__ask", arguments={})
        return Conclusion(text=json.dumps(given.value))

    agent = rw.Agent(
        start(era=era).catalog,
        model=ScriptedModel([]),
        kind=loop,
        approve=lambda tool, request: True,
        human=human_from_answers({"notes__ask": {"size": 7}}),
    )
    answer = agent.ask("?")
    assert json.loads(answer.text) == {"action": "accept", "content": {"size": 7}}
    asked = [step for step in answer.steps if step["step"] == "question"]
    assert asked[-1]["text"].endswith("Which size?")
    assert "7" not in json.dumps(asked)


def test_what_a_server_said_is_kept_as_such(start):
    given = rw.call(start().catalog["notes__read_note"], {}, policy=rw.Policy(default="allow"))
    step = Call(tool="notes__read_note", arguments={})
    again = outcome_from_json(step, json.loads(json.dumps(json_from_outcome(given))))
    assert (again.value, again.has_server_text) == ("read_note {}", True)


MANIFEST = """
title: Notes
mcp:
  - name: notes
    command: {command}
    include: ['*_note']
    exclude: drop_note
    policy: {{tools: {{write_note: refuse}}}}
    fixed: {{read_note: {{name: mine}}}}
"""


def write(folder):
    path = folder / "agent.yaml"
    path.write_text(MANIFEST.format(command=json.dumps(command_of("legacy", "plain"))), "utf-8")
    return load_manifest(path)


def test_a_manifest_starts_a_program_only_where_the_user_says_so(tmp_path):
    with pytest.raises(UnusableManifest) as caught:
        build_blueprint(write(tmp_path))
    assert caught.value.pointer == "/mcp/0/command"
    assert "stdio_server.py legacy plain" in caught.value.why


def test_a_manifest_chooses_tools_and_arguments(tmp_path):
    made = build_blueprint(write(tmp_path), allow_commands=True)
    assert [*made.catalog] == ["notes__read_note", "notes__write_note"]
    assert made.policy.decision(made.catalog["notes__write_note"]) == "refuse"
    assert made.policy.decision(made.catalog["notes__read_note"]) == "ask"
    assert "name" not in made.offered["notes__read_note"].properties
