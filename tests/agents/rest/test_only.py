"""What there is only one of needs no choice; a function is called with the id of its thing."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from urllib.parse import parse_qsl, urlsplit

import pytest
from tests.support.planned import FittingModel, filled, planned, query, select, worded

from restwright.agents.agent import Agent
from restwright.agents.steps import Answer
from restwright.calls.approval.approval import approve_all
from restwright.jsontypes import Json, JsonObject
from restwright.net.messages import Request, Response
from restwright.openapi.api import load
from restwright.testing import RecordingTransport, Reply, document, reply
from restwright.tools.catalog.catalog import catalog

TEXT: JsonObject = {"type": "string"}
THING: JsonObject = {"type": "object", "properties": {"id": TEXT, "name": TEXT}}
DONE: JsonObject = {"200": {"description": ""}}


def gives(schema: JsonObject) -> JsonObject:
    return {"200": {"description": "", "content": {"application/json": {"schema": schema}}}}


LIST = gives({"type": "array", "items": THING})
YARD: JsonObject = {"name": "yard", "in": "path", "required": True, "schema": TEXT}
NOTE: JsonObject = {"name": "noteID", "in": "query", "schema": TEXT}
FOUND: JsonObject = {"name": "q", "in": "query", "required": True, "schema": TEXT}
MOST: JsonObject = {"name": "max", "in": "query", "required": True, "schema": {"type": "integer"}}
BODY: JsonObject = {
    "required": True,
    "content": {
        "application/json": {
            "schema": {"type": "object", "required": ["name"], "properties": {"name": TEXT}}
        }
    },
}
IDS = gives({"type": "object", "properties": {"noteIDs": {"type": "array", "items": TEXT}}})
COUNT = gives({"type": "object", "properties": {"readers": {"type": "integer"}}})
PATHS: JsonObject = {
    "/yards": {"get": {"operationId": "list_yards", "responses": LIST}},
    "/yards/{yard}": {
        "delete": {"operationId": "delete_yard", "parameters": [YARD], "responses": DONE},
    },
    "/yards/{yard}/boats": {
        "get": {"operationId": "list_boats", "parameters": [YARD], "responses": LIST},
        "post": {
            "operationId": "add_boat",
            "parameters": [YARD],
            "requestBody": BODY,
            "responses": DONE,
        },
    },
    "/yards/{yard}/search": {
        "get": {
            "operationId": "search_boats",
            "parameters": [YARD, FOUND, MOST],
            "responses": LIST,
        },
    },
}
NOTES: JsonObject = {
    "/listNotes": {"get": {"operationId": "listNotes", "responses": IDS}},
    "/readerCount": {
        "get": {"operationId": "readerCount", "parameters": [NOTE], "responses": COUNT}
    },
    "/setText": {
        "post": {
            "operationId": "setText",
            "parameters": [NOTE, {"name": "text", "in": "query", "schema": TEXT}],
            "responses": DONE,
        }
    },
}
ONE: list[JsonObject] = [{"id": "y-1", "name": "East"}]
TWO = [*ONE, {"id": "y-2", "name": "West"}]
BOATS: list[JsonObject] = [{"id": "b-1", "name": "Ode"}, {"id": "b-2", "name": "Lua"}]


def ask(
    question: str,
    *script: Reply,
    yards: Sequence[JsonObject] = ONE,
    paths: JsonObject = PATHS,
    bodies: Mapping[str, Json] = MappingProxyType({}),
) -> tuple[Answer, list[str], list[str]]:
    """The answer of a small model, the roles that were asked, and what was sent."""
    found: dict[str, Json] = {
        "/yards": [*yards],
        "/yards/y-1/boats": [*BOATS],
        "/yards/y-1/search": BOATS[:1],
        "/listNotes": {"noteIDs": ["ideas", "plans"]},
        "/readerCount": {"readers": 7},
        "/setText": {},
        **bodies,
    }

    def serve(request: Request) -> Response:
        path = urlsplit(request.url).path
        return reply(200, found[path]) if path in found else reply(404, {})

    model, send = FittingModel(script, is_small=True), RecordingTransport(serve)
    opened = catalog(load(document(paths), alias="harbour"))
    agent = Agent(opened, model=model, send=send, approve=approve_all, kind="rest")
    answer = agent.ask(question)
    sent = [
        " ".join(
            (
                one.method,
                urlsplit(one.url).path,
                *(f"{name}={value}" for name, value in parse_qsl(urlsplit(one.url).query)),
                *([json.loads(one.body)["name"]] if one.body else []),
            )
        )
        for one in send.sent
    ]
    return answer, [one.role for one in model.asked], sent


def find(what: str, quantity: str = "all") -> JsonObject:
    return {"id": 1, "kind": "find", "what": what, "of": [], "quantity": quantity}


def change(what: str, effect: str = "create") -> JsonObject:
    return {"id": 1, "kind": "change", "effect": effect, "what": what, "of": [], "quantity": "one"}


def test_what_is_inside_of_the_only_one_is_read_without_asking() -> None:
    answer, roles, sent = ask(
        "Which boats are there?",
        planned(find("the boats")),
        select("list_boats"),
        query(fields=["name"]),
    )
    assert sent == ["GET /yards", "GET /yards/y-1/boats"]
    assert "caller" not in roles
    assert "Ode" in answer.text


def test_a_new_thing_is_made_inside_of_the_only_one() -> None:
    _, _, sent = ask(
        "Add the boat “Kite”.",
        planned(change("add the boat “Kite”")),
        select("add_boat"),
        filled(name="Kite"),
        worded("It is added."),
    )
    assert sent[-1] == "POST /yards/y-1/boats Kite"


def called_none(field: str) -> Reply:
    return query(where=[{"field": field, "is": "=", "value": "none"}])


WHICH: Reply = ("lookup", {"kind": "yard", "which": "the yard", "name": None})


@pytest.mark.parametrize(
    ("question", "yards", "script"),
    [
        ("Add the boat “Kite” to the yard South.", ONE, ()),
        ("Add the boat “Kite”.", TWO, (WHICH, called_none("id"), called_none("name"), query())),
        ("Add the boat “Kite”.", [], (WHICH,)),
    ],
    ids=["one that is spoken of", "two", "none"],
)
def test_nothing_is_made_inside_of_what_may_be_another_one(
    question: str, yards: Sequence[JsonObject], script: Sequence[Reply]
) -> None:
    answer, _, sent = ask(
        question,
        planned(change("add the boat “Kite”")),
        select("add_boat"),
        filled(name="Kite", yard="South"),
        *script,
        yards=yards,
    )
    assert not [one for one in sent if one.startswith("POST")]
    assert answer.text.startswith("Not done")


def test_the_only_one_is_never_what_is_to_be_changed() -> None:
    answer, _, sent = ask(
        "Delete the mill “South”.",
        planned(change("delete the mill “South”", "delete")),
        select("delete_yard"),
        filled(yard="South"),
    )
    assert not [one for one in sent if one.startswith("DELETE")]
    assert answer.text.startswith("Not done")


def test_a_search_that_has_to_be_told_how_many_is_told_a_hundred() -> None:
    _, _, sent = ask(
        "Which boat is called “Ode”?",
        planned(find("the boat “Ode”", "one")),
        select("search_boats"),
        filled(q="Ode"),
        query(fields=["name"]),
        worded("It is Ode."),
    )
    assert sent[-1] == "GET /yards/y-1/search q=Ode max=100"


@pytest.mark.parametrize(("count", "is_part"), [(99, False), (100, True)])
def test_as_many_as_were_asked_for_may_be_a_part(count: int, is_part: bool) -> None:
    boats: list[Json] = [{"id": f"b-{number}", "name": "Ode"} for number in range(count)]
    answer, _, _ = ask(
        "How many boats are called “Ode”?",
        planned(find("the boats “Ode”")),
        select("search_boats"),
        filled(q="Ode"),
        query(fields=["name"]),
        worded("They are called Ode."),
        bodies={"/yards/y-1/search": boats},
    )
    assert ("only a part of the list was read" in answer.text) is is_part


def test_a_function_changes_no_thing_without_its_id() -> None:
    answer, _, sent = ask(
        "Set the text of the first note to “Done”.",
        planned(change("set the text of the first note to “Done”", "update")),
        select("setText"),
        filled(text="Done"),
        ("lookup", {"kind": "note", "which": "the first note", "name": None}),
        *[query("noteIDs", where=[{"field": "noteIDs", "is": "=", "value": "first"}])] * 2,
        paths=NOTES,
    )
    assert sent == ["GET /listNotes"]
    assert "which noteID setText is to be called with is not known" in answer.text


def test_a_function_tells_of_a_thing_only_with_its_id() -> None:
    answer, _, sent = ask(
        "How many readers has the note plans?",
        planned(find("the readers of the note plans", "one")),
        select("readerCount"),
        filled(),
        ("lookup", {"kind": "note", "which": "the note plans", "name": "plans"}),
        query("whole", fields=["readers"]),
        worded("It has 7."),
        paths=NOTES,
    )
    assert sent == ["GET /listNotes", "GET /readerCount noteID=plans"]
    assert answer.text == "It has 7."


def test_the_one_that_is_called_so_is_not_how_many_it_has() -> None:
    called = query("things", give="number", where=[{"field": "name", "is": "=", "value": "East"}])
    answer, _, _ = ask(
        "How many boats are in the yard “East”?",
        planned(find("the number of boats in the yard “East”", "number")),
        select("list_yards"),
        *[called] * 2,
        select("list_boats"),
        query("things", give="number"),
        worded("There are 2."),
    )
    assert answer.text == "There are 2."


def test_a_list_inside_of_what_is_called_so_is_counted_whole() -> None:
    """What a small model tests each boat for is the name of the yard that they are in."""
    called = query("things", give="number", where=[{"field": "name", "is": "=", "value": "East"}])
    answer, _, _ = ask(
        "How many boats are in the yard “East”?",
        planned(find("the number of boats in the yard “East”", "number")),
        select("list_boats"),
        called,
        worded("There are 2."),
        yards=TWO,
    )
    assert answer.text == "There are 2."


@pytest.mark.parametrize("named", ["East", "South"])
def test_what_a_new_thing_is_inside_of_is_the_one_that_is_called_so(named: str) -> None:
    """A small model makes up a number for it, which another one may have."""
    answer, _, sent = ask(
        f"Add the boat “Kite” to the yard “{named}”.",
        planned(change(f"add the boat “Kite” to the yard “{named}”")),
        select("add_boat"),
        filled(name="Kite", yard="y-2"),
        *([worded("It is added.")] if named == "East" else []),
        yards=TWO,
    )
    posted = [one for one in sent if one.startswith("POST")]
    assert posted == (["POST /yards/y-1/boats Kite"] if named == "East" else [])
    assert answer.text.startswith("Not done") is (named == "South")


def test_a_list_that_leaves_some_out_by_default_is_asked_for_all() -> None:
    state: JsonObject = {
        "name": "state",
        "in": "query",
        "schema": {"type": "string", "enum": ["open", "closed", "all"], "default": "open"},
    }
    listed = {**PATHS["/yards"]["get"], "parameters": [state]}

    def serve(request: Request) -> Response:
        url = urlsplit(request.url)
        yards = TWO if url.query == "state=all" else ONE
        return reply(200, BOATS if url.path.endswith("boats") else [*yards])

    send = RecordingTransport(serve)
    script = (
        planned(find("the boats in the yard “West”")),
        select("list_boats"),
        query(fields=["name"]),
    )
    agent = Agent(
        catalog(load(document(PATHS | {"/yards": {"get": listed}}), alias="harbour")),
        model=FittingModel(script, is_small=True),
        send=send,
        kind="rest",
    )
    answer = agent.ask("Which boats are in the yard “West”?")
    assert "Ode" in answer.text
    assert [one.url.partition("/yards")[2] for one in send.sent] == ["", "?state=all", "/y-2/boats"]


def test_nobody_is_asked_for_the_rest_of_a_call_without_a_place_for_what_was_said() -> None:
    answer, roles, sent = ask(
        "Rename the yard “East” to “North”.",
        planned(change("rename the yard “East” to “North”", "other")),
        select("add_boat"),
        filled(yard="y-1", name=None),
        yards=TWO,
    )
    assert not [one for one in sent if one.startswith("POST")]
    assert "North stands in no argument of add_boat" in answer.text
    assert roles[-1] == "caller"
