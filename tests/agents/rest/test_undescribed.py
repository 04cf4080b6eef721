"""An API whose document says nothing of its responses, and has two names for one id."""

from __future__ import annotations

import json
from urllib.parse import urlsplit

import pytest
from tests.support.planned import FittingModel, filled, planned, query, select, worded

from restwright.agents.agent import Agent
from restwright.agents.rest.plan import find_plan_fault, name_exceptions
from restwright.agents.rest.provenance import normalize_text
from restwright.agents.steps import Answer
from restwright.calls.approval.approval import approve_all
from restwright.jsontypes import Json, JsonObject
from restwright.net.messages import Request, Response
from restwright.openapi.api import load
from restwright.testing import RecordingTransport, Reply, document, reply
from restwright.tools.catalog.catalog import catalog

TEXT: JsonObject = {"type": "string"}
ANY: JsonObject = {"type": "object", "properties": {"data": {"type": "object"}}}
DONE: JsonObject = {"200": {"description": ""}}
SHEDS: JsonObject = {"data": [{"since": 4, "id": "north"}, {"since": 5, "id": "south"}]}


def operation(name: str, *ids: str, is_write: bool = False) -> JsonObject:
    inputs = [{"name": one, "in": "path", "required": True, "schema": TEXT} for one in ids]
    body: JsonObject = {"content": {"application/json": {"schema": ANY}}}
    written: JsonObject = {"requestBody": body} if is_write else {}
    return {"operationId": name, "parameters": inputs, "responses": DONE, **written}


LIST: JsonObject = {"/sheds": {"get": operation("list_sheds")}}
ITEM: JsonObject = {"/sheds/{id}": {"get": operation("get_shed", "id")}}
BINS: JsonObject = {
    "/sheds/{shed_id}/bins": {"post": operation("add_bin", "shed_id", is_write=True)},
    "/sheds/{shed_id}/bins/{id}": {"delete": operation("drop_bin", "shed_id", "id")},
}
INSIDE: JsonObject = {"/sheds/{shed}/bins": {"get": operation("list_bins", "shed")}}


def serve(request: Request) -> Response:
    if request.method != "GET":
        return reply(200, {})
    found: dict[str, Json] = {
        "/sheds": SHEDS,
        "/sheds/north": {"data": {"id": "north"}},
        "/sheds/north/bins": {"data": [{"id": "b-1", "name": "Olm"}, {"id": "b-2", "name": "Ulm"}]},
    }
    path = urlsplit(request.url).path
    return reply(200, found[path]) if path in found else reply(404, {})


def ask(paths: JsonObject, question: str, *script: Reply) -> tuple[Answer, list[Request]]:
    send = RecordingTransport(serve)
    agent = Agent(
        catalog(load(document(paths), alias="yard")),
        model=FittingModel(script, is_small=True),
        send=send,
        approve=approve_all,
        kind="rest",
    )
    return agent.ask(question), list(send.sent)


def told(sent: list[Request]) -> list[str]:
    return [f"{one.method} {urlsplit(one.url).path}" for one in sent]


CHANGE: JsonObject = {"kind": "change", "effect": "create", "of": [], "quantity": "one"}
ADD = "add to the shed north a bin with label Olm, weight 7 and open false"


@pytest.mark.parametrize(
    ("paths", "read"),
    [(LIST | ITEM | BINS, "/sheds/north"), (LIST | BINS, "/sheds")],
    ids=["by a read that calls its id otherwise", "by a list of which nothing is documented"],
)
def test_the_thing_above_a_new_one_is_known(paths: JsonObject, read: str) -> None:
    bin_: JsonObject = {"label": "Olm", "weight": 7, "open": False}
    answer, sent = ask(
        paths,
        f"Please {ADD}.",
        planned({**CHANGE, "what": ADD}),
        select("add_bin"),
        filled(shed_id="north", data=bin_),
        worded("It is added."),
    )
    assert answer.stopped == "answered"
    assert told(sent) == [f"GET {read}", "POST /sheds/north/bins"]
    assert json.loads(sent[-1].body or b"") == {"data": bin_}


def test_a_thing_is_found_by_its_name_in_a_list_of_which_nothing_is_documented() -> None:
    what = "drop the bin “Ulm” of the shed north"
    change: JsonObject = {**CHANGE, "effect": "delete"}
    _, sent = ask(
        LIST | ITEM | BINS | INSIDE,
        f"Please {what}.",
        planned({**change, "what": what}),
        select("drop_bin"),
        filled(shed_id="north", id="Ulm"),
        worded("It is dropped."),
    )
    assert told(sent)[-1] == "DELETE /sheds/north/bins/b-2"


def test_a_property_that_neither_a_schema_nor_a_person_names_is_not_written() -> None:
    answer, sent = ask(
        LIST | ITEM | BINS,
        f"Please {ADD}.",
        planned({**CHANGE, "what": ADD}),
        select("add_bin"),
        filled(shed_id="north", data={"label": "Olm", "weight": 7, "closed": False}),
    )
    assert "POST" not in " ".join(told(sent))
    assert "'closed': False} was neither said nor found" in answer.text


@pytest.mark.parametrize(
    ("exception", "meant"),
    [
        ("the one with the note “Olm”", ["Olm"]),
        ("“Olm” and “Ulm”", ["Olm", "Ulm"]),
        ("the note “Olm”", ["Olm"]),
        ("the one with the note “Elm”", ["Elm"]),
        ("the others", ["the others"]),
    ],
)
def test_what_is_left_out_goes_by_its_name(exception: str, meant: list[str]) -> None:
    said = normalize_text("Drop all bins except the note “Olm” and “Ulm”.")
    step: JsonObject = {"id": 1, "kind": "change", "effect": "delete", "what": "drop them"}
    step |= {"of": [], "quantity": "all", "except": [exception]}
    plan = name_exceptions({"language": "English", "steps": [step]})
    assert plan["steps"][0]["except"] == meant
    is_said = not {"Elm", "the others"} & {*meant}
    assert (not find_plan_fault(plan, said)) == is_said


def test_a_small_model_changes_nothing_by_what_adds_to_a_list() -> None:
    items: JsonObject = {"type": "array", "items": {"type": "object", "properties": {"a": TEXT}}}
    answers = {"200": {"description": "", "content": {"application/json": {"schema": items}}}}
    bells: JsonObject = {
        "get": {**operation("list_bells"), "responses": answers},
        "post": operation("ring_bells", is_write=True),
    }
    renamed = "call the bell “Olm” “Ulm”"
    answer, sent = ask(
        {"/bells": bells, **ITEM},
        f"Please {renamed}.",
        planned({**CHANGE, "effect": "update", "what": renamed}),
    )
    assert not sent
    assert "no operation makes this change" in answer.text


def test_what_a_list_of_which_nothing_is_documented_has_is_still_read() -> None:
    answer, sent = ask(
        LIST,
        "Which sheds are there?",
        planned({"kind": "find", "what": "the sheds", "of": [], "quantity": "all"}),
        select("list_sheds"),
        query("data", fields=["id"]),
    )
    assert answer.text == "- north (since: 4)\n- south (since: 5)"
    assert told(sent) == ["GET /sheds"]
