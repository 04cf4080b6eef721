"""What a small model is told of inputs, and what it is asked again."""

from __future__ import annotations

import pytest
from tests.support.planned import FittingModel, filled, planned, query, select, worded

from restwright.agents.agent import Agent
from restwright.agents.steps import Answer, Complete
from restwright.calls.approval.approval import approve_all
from restwright.calls.arguments.check import check_value
from restwright.jsontypes import JsonObject
from restwright.net.messages import Request, Response
from restwright.openapi.api import load
from restwright.testing import RecordingTransport, Reply, document, reply
from restwright.tools.catalog.catalog import catalog

TEXT: JsonObject = {"type": "string"}
RULE: JsonObject = {
    "type": "object",
    "properties": {"field": TEXT, "is": {"enum": ["=", "!="]}},
    "required": ["field", "is"],
}
SILENCE: JsonObject = {
    "type": "object",
    "properties": {"comment": TEXT, "rules": {"type": "array", "items": RULE}},
    "required": ["comment"],
}


def write(name: str, schema: JsonObject) -> JsonObject:
    content = {"application/json": {"schema": schema}}
    body = {"required": True, "content": content}
    return {"operationId": name, "requestBody": body, "responses": {"201": {"description": ""}}}


NOTE: JsonObject = {
    "type": "object",
    "properties": {"comment": TEXT, "signed_by": TEXT},
    "required": ["comment", "signed_by"],
}
SHIPS: JsonObject = {
    "get": {
        "operationId": "list_ships",
        "responses": {
            "200": {
                "description": "",
                "content": {
                    "application/json": {
                        "schema": {
                            "type": "array",
                            "items": {"type": "object", "properties": {"name": TEXT}},
                        }
                    }
                },
            }
        },
    }
}
GOAL: JsonObject = {
    "type": "object",
    "properties": {
        "data": {
            "type": "object",
            "properties": {
                "name": TEXT,
                "is_open": {"type": "boolean"},
                "color": {"type": ["string", "null"]},
                "port_id": {"type": "integer"},
            },
        }
    },
    "required": ["data"],
}
BOX: JsonObject = {
    "type": "object",
    "properties": {
        "data": {
            "type": "object",
            "properties": {
                "comment": TEXT,
                "rules": {"type": "array", "items": {"type": "object"}},
            },
        }
    },
    "required": ["data"],
}
PATHS: JsonObject = {
    "/boxes": {"post": write("add_box", BOX)},
    "/goals": {"post": write("add_goal", GOAL)},
    "/silences": {"post": write("add_silence", SILENCE)},
    "/notes": {"post": write("add_note", NOTE)},
    "/ships": SHIPS,
}


def serve(request: Request) -> Response:
    return reply(200, [{"name": "Tern"}]) if request.method == "GET" else reply(201, {})


def ask(
    question: str, *script: Reply, is_small: bool = True
) -> tuple[Answer, list[Complete], list[str]]:
    """The answer of a model, what it was asked, and the paths that were written to."""
    model = FittingModel(script, is_small=is_small)
    send = RecordingTransport(serve)
    agent = Agent(
        catalog(load(document(PATHS), alias="port")),
        model=model,
        send=send,
        approve=approve_all,
        kind="rest",
    )
    answer = agent.ask(question)
    written = [one.url.rpartition("/")[2] for one in send.sent if one.method != "GET"]
    return answer, model.asked, written


def change(what: str) -> Reply:
    step = {"id": 1, "kind": "change", "effect": "create", "what": what, "of": []}
    return planned({**step, "quantity": "one"})


def test_of_an_input_that_consists_of_others_its_shape_is_told() -> None:
    _, asked, _ = ask(
        "Add a silence with the comment “Calm”.",
        change("add a silence with the comment “Calm”"),
        select("add_silence"),
        filled(comment="Calm"),
        worded("It is added."),
    )
    told = next(one.messages[-1].text for one in asked if one.role == "caller")
    assert "rules: [{field: str, is: '='|'!='}]" in told


@pytest.mark.parametrize(
    ("data", "is_written"),
    [
        ({"name": "Calm", "is_open": True}, True),
        ({"name": "Storm", "is_open": True}, False),
        ({"name": "Calm", "port_id": 7}, False),
    ],
    ids=["a truth value beside what was said", "a made up name", "a made up id"],
)
def test_of_an_object_what_nobody_said_is_checked_alone(data: JsonObject, is_written: bool) -> None:
    _, _, written = ask(
        "Add an open goal that is called “Calm”.",
        change("add an open goal that is called “Calm”"),
        select("add_goal"),
        filled(data=data),
        worded("It is added.") if is_written else select("none"),
    )
    assert written == (["goals"] if is_written else [])


def test_a_property_of_which_nothing_is_said_is_null_and_left_out() -> None:
    _, asked, written = ask(
        "Add a goal that is called “Calm”.",
        change("add a goal that is called “Calm”"),
        select("add_goal"),
        filled(data={"name": "Calm", "is_open": None, "port_id": None}),
        worded("It is added."),
    )
    [caller] = [one for one in asked if one.role == "caller"]
    assert caller.schema is not None
    assert not check_value(caller.schema, {"data": {"name": "Calm", "is_open": None}})
    assert written == ["goals"]


@pytest.mark.parametrize("is_small", [True, False])
def test_null_in_an_object_says_nothing_where_a_small_model_says_it(is_small: bool) -> None:
    answer, _, _ = ask(
        "Add a goal that is called “Calm”.",
        change("add a goal that is called “Calm”"),
        select("add_goal"),
        filled(data={"name": "Calm", "color": None}),
        worded("It is added."),
        is_small=is_small,
    )
    [sent] = [one.arguments for one in answer.exchanges]
    assert sent == {"data": {"name": "Calm"} if is_small else {"name": "Calm", "color": None}}


def test_an_operation_that_needs_what_nobody_said_makes_way_for_another() -> None:
    _, _, written = ask(
        "Write down “Calm”.",
        change("write down “Calm”"),
        select("add_note"),
        filled(comment="Calm"),
        select("add_silence"),
        filled(comment="Calm"),
        worded("It is written down."),
    )
    assert written == ["silences"]


def test_a_reader_that_says_the_same_again_is_not_asked_a_third_time() -> None:
    where = [{"field": "name", "is": "=", "value": "Pelican"}]
    _, asked, _ = ask(
        "What is the name of the ship Pelican?",
        planned({"id": 1, "kind": "find", "what": "the ship Pelican", "of": [], "quantity": "one"}),
        select("list_ships"),
        query(fields=["name"], where=where),
        query(fields=["name"], where=where),
        worded("There is no ship Pelican."),
    )
    assert [one.role for one in asked].count("reader") == 2


def test_what_a_small_model_calls_itself_in_a_part_that_nobody_needs_is_left_out() -> None:
    answer, asked, written = ask(
        "Add a box with the comment “Calm”.",
        change("add a box with the comment “Calm”"),
        select("add_box"),
        filled(data={"comment": "Calm", "rules": [{"port": "Calm"}]}),
        worded("It is added."),
    )
    assert written == ["boxes"]
    assert [one.arguments for one in answer.exchanges] == [{"data": {"comment": "Calm"}}]
    assert "data.rules" in asked[-1].messages[-1].text
