"""What a small model takes of one thing for another, and nobody said."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.planned import FittingModel, filled, planned, query, select, worded

from restwright.agents.agent import Agent
from restwright.agents.rest.facts import iterate_members
from restwright.calls.approval.approval import approve_all
from restwright.jsontypes import Json, JsonObject
from restwright.openapi.api import load
from restwright.testing import RecordingTransport, document, reply
from restwright.tools.catalog.catalog import catalog

TEXT: JsonObject = {"type": "string"}
JOB: JsonObject = {"type": "object", "properties": {"id": TEXT, "name": TEXT}}
BODY: JsonObject = {"type": "object", "properties": {"yard": TEXT, "job": TEXT, "id": TEXT}}


def paths(schema: JsonObject) -> JsonObject:
    listed = {"schema": {"type": "array", "items": JOB}}
    needed = [{"name": "job_id", "in": "path", "required": True, "schema": TEXT}]
    leave = {
        "operationId": "leave_yard",
        "parameters": needed,
        "requestBody": {"content": {"application/json": {"schema": schema}}},
        "responses": {"204": {"description": ""}},
    }
    answers = {"200": {"description": "", "content": {"application/json": listed}}}
    return {
        "/jobs": {"get": {"operationId": "list_jobs", "responses": answers}},
        "/jobs/{job_id}/leave_yard": {"post": leave},
    }


@pytest.mark.parametrize(
    ("body", "schema", "is_sent"),
    [
        ({"yard": "j-4711"}, BODY, False),
        ({"stays": [{"yard": "j-4711"}]}, {"type": "object"}, False),
        ({"job": "j-4711"}, BODY, True),
        ({"id": "j-4711"}, BODY, True),
        ({"yard": "north"}, BODY, True),
    ],
    ids=["of another kind", "deep in it", "of its own kind", "its id", "as it was said"],
)
def test_the_id_of_a_thing_is_that_of_no_other(
    body: JsonObject, schema: JsonObject, is_sent: bool
) -> None:
    what = "let #1 leave the yard north, with stays"
    step: JsonObject = {"kind": "change", "effect": "other", "of": [1], "quantity": "one"}
    given: dict[str, Any] = {**body} if "properties" in schema else {"body": body}
    send = RecordingTransport(
        lambda one: (
            reply(204) if one.method == "POST" else reply(200, [{"id": "j-4711", "name": "Olm"}])
        )
    )
    agent = Agent(
        catalog(load(document(paths(schema)), alias="port")),
        model=FittingModel(
            [
                planned({"kind": "find", "what": "the job Olm"}, {**step, "what": what}),
                select("list_jobs"),
                query(),
                select("leave_yard"),
                filled(job_id="Olm", **given),
                *([worded("It has left.")] if is_sent else []),
            ],
            is_small=True,
        ),
        send=send,
        approve=approve_all,
        kind="rest",
    )
    answer = agent.ask("Please let the job Olm leave the yard north, with stays.")
    assert ([one.method for one in send.sent].count("POST") == 1) == is_sent
    assert ("would be the very thing that the path names" in answer.text) == (not is_sent)


CRANES: list[JsonObject] = [
    {"id": "c-1", "name": "Olm", "state": "idle"},
    {"id": "c-2", "name": "Ulm", "state": "busy"},
]


@pytest.mark.parametrize(
    ("state", "said", "is_sent"),
    [("idle", "", False), ("idle", " to idle", True), ("broken", " to broken", True)],
    ids=["of one of the things", "the same, said", "of none"],
)
def test_what_one_of_several_things_has_the_others_get_where_it_is_said(
    state: str, said: str, is_sent: bool
) -> None:
    fields: JsonObject = {"type": "object", "properties": {"state": TEXT}}
    whole: JsonObject = {"type": "object", "properties": {"data": fields}}
    crane: JsonObject = {"type": "object", "properties": {"id": TEXT, "name": TEXT, "state": TEXT}}
    needed = [{"name": "crane_id", "in": "path", "required": True, "schema": TEXT}]
    listed = {"schema": {"type": "array", "items": crane}}
    answers = {"200": {"description": "", "content": {"application/json": listed}}}
    change: JsonObject = {
        "operationId": "change_crane",
        "parameters": needed,
        "requestBody": {"content": {"application/json": {"schema": whole}}},
        "responses": {"200": {"description": ""}},
    }
    offered: JsonObject = {
        "/cranes": {"get": {"operationId": "list_cranes", "responses": answers}},
        "/cranes/{crane_id}": {"patch": change},
    }
    send = RecordingTransport(
        lambda one: reply(200, {}) if one.method == "PATCH" else reply(200, [*CRANES])
    )
    step: JsonObject = {"kind": "change", "effect": "update", "of": [1], "quantity": "all"}
    script = [
        planned(
            {"kind": "find", "what": "the cranes", "quantity": "all"},
            {**step, "what": f"set the state of #1{said}"},
        ),
        select("list_cranes"),
        query(),
        select("change_crane"),
        filled(data={"state": state}),
        *([worded("They are set.")] if is_sent else []),
    ]
    agent = Agent(
        catalog(load(document(offered), alias="port")),
        model=FittingModel(script, is_small=True),
        send=send,
        approve=approve_all,
        kind="rest",
    )
    answer = agent.ask(f"Set the state of all cranes{said}.")
    assert [one.method for one in send.sent].count("PATCH") == (2 if is_sent else 0)
    assert ("nobody said 'idle'" in answer.text) == (not is_sent)


@pytest.mark.parametrize(
    ("value", "members"),
    [
        ({"a": 1, "b": {"c": None}}, [("a", 1), ("c", None)]),
        ({"a": ["x", {"b": [2]}, ["y"]]}, [("a", "x"), ("b", 2), ("a", "y")]),
        ([], []),
        ("alone", []),
    ],
)
def test_members_go_by_the_name_that_is_nearest(value: Json, members: list[Any]) -> None:
    assert list(iterate_members(value)) == members
