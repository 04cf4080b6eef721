"""APIs whose paths name functions, and whose responses say in their content whether it was done."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

import pytest
from tests.support.planned import FittingModel, filled, planned, query, select, worded

from restwright.agents.agent import Agent
from restwright.agents.steps import Answer
from restwright.calls.approval.approval import approve_all
from restwright.calls.approval.policy import CONFIRM, Policy
from restwright.jsontypes import Json, JsonObject
from restwright.net.messages import Request, Response
from restwright.openapi.api import load
from restwright.testing import RecordingTransport, Reply, document, reply
from restwright.tools.catalog.catalog import catalog

TEXT: JsonObject = {"type": "string"}
NUMBER: JsonObject = {"type": "integer"}


def function(name: str, *inputs: str, gives: JsonObject | None = None) -> JsonObject:
    data: JsonObject = {"type": "object", "properties": gives or {}}
    body: JsonObject = {
        "type": "object",
        "properties": {"code": NUMBER, "message": TEXT, "data": data},
    }
    return {
        "operationId": name,
        "parameters": [
            {"name": one, "in": "query", "required": True, "schema": TEXT} for one in inputs
        ],
        "responses": {
            "200": {"description": "", "content": {"application/json": {"schema": body}}}
        },
    }


IDS: JsonObject = {"noteIDs": {"type": "array", "items": TEXT}}
PATHS: JsonObject = {
    "/listNotes": {"get": function("listNotes", gives=IDS)},
    "/listNotesOfShelf": {"get": function("listNotesOfShelf", "shelfID", gives=IDS)},
    "/getText": {"get": function("getText", "noteID", gives={"text": TEXT})},
    "/searchNotes": {"post": function("searchNotes", gives=IDS)},
    "/setText": {"post": function("setText", "noteID", "text")},
    "/deleteNote": {"post": function("deleteNote", "noteID")},
}
NOTES = {"ideas": "a boat", "minutes": "at nine"}
DONE: JsonObject = {"code": 0, "message": "ok", "data": None}


def serve(request: Request) -> Response:
    """`minutes` cannot be changed."""
    parts = urlsplit(request.url)
    given, name = dict(parse_qsl(parts.query)), parts.path.rpartition("/")[2]
    if name in {"listNotes", "searchNotes"}:
        return reply(200, {**DONE, "data": {"noteIDs": [*NOTES]}})
    note = given.get("noteID", "")
    if note not in NOTES or (request.method == "POST" and note == "minutes"):
        return reply(200, {"code": 1, "message": f"{note}: no", "data": None})
    return reply(200, {**DONE, "data": {"text": NOTES[note]}} if name == "getText" else DONE)


def ask(
    question: str, *script: Reply, policy: Policy = CONFIRM
) -> tuple[Answer, FittingModel, list[str]]:
    model, send = FittingModel(script, is_small=True), RecordingTransport(serve)
    opened = catalog(load(document(PATHS), alias="desk"))
    agent = Agent(opened, model=model, send=send, kind="rest", approve=approve_all, policy=policy)
    answer = agent.ask(question)
    assert model.left == ()
    calls = [urlsplit(one.url) for one in send.sent]
    return answer, model, [f"{one.path.rpartition('/')[2]} {one.query}".strip() for one in calls]


def find(what: str, quantity: str = "one") -> JsonObject:
    return {"id": 1, "kind": "find", "what": what, "of": [], "quantity": quantity}


def change(what: str, effect: str = "update") -> JsonObject:
    return {**find(what), "kind": "change", "effect": effect}


def test_a_list_of_ids_tells_how_many_there_are() -> None:
    answer, model, calls = ask(
        "How many notes are there?",
        planned(find("the number of notes", "number")),
        select("listNotes"),
        query("data.noteIDs", give="number"),
        worded("There are 2."),
    )
    assert (answer.text, calls) == ("There are 2.", ["listNotes"])
    (asked,) = (one.messages[-1].text for one in model.asked if one.role == "reader")
    assert '- data.noteIDs (2): noteIDs "' in asked or "- data.noteIDs (2): noteIDs text" in asked
    # What stands in all responses of the API says nothing of what is asked.
    assert "code" not in asked


def test_a_function_is_called_with_the_id_that_the_message_says() -> None:
    answer, model, calls = ask(
        "What does the note ideas say?",
        planned(find("what the note ideas says")),
        select("getText"),
        query("whole", fields=["data.text"]),
        worded("It says: a boat."),
    )
    assert answer.text == "It says: a boat."
    assert calls == ["listNotes", "getText noteID=ideas"]
    (offered,) = (one.messages[-1].text for one in model.asked if one.role == "selector")
    assert "getText: GET /getText?noteID=ideas" in offered
    assert "listNotes:" not in offered


def test_a_list_of_ids_says_nothing_else_of_one_thing() -> None:
    longest = query("data.noteIDs", sort={"by": "noteIDs", "order": "highest first"}, take=1)
    answer, _, _ = ask(
        "Which note is the longest?",
        planned(find("the longest note")),
        select("listNotes"),
        longest,
        longest,
        select("none"),
    )
    assert answer.text.startswith("Not found")


@pytest.mark.parametrize("note", ["garden", "minutes"], ids=["not there", "refused"])
def test_a_change_that_was_not_made_is_not_told_as_done(note: str) -> None:
    what, is_sent = f"delete the note {note}", note == "minutes"
    answer, _, calls = ask(
        f"Please {what}.",
        planned(change(what, "delete")),
        select("deleteNote"),
        filled(noteID=note),
        *([] if is_sent else [filled()]),
    )
    assert (f"deleteNote noteID={note}" in calls) is is_sent
    assert answer.text.startswith("Not done")
    assert ("whether it is done is not known; the API says: code: 1" in answer.text) is is_sent


def test_a_change_that_was_made_is_told() -> None:
    answer, _, calls = ask(
        "Please set the text of the note ideas to “a raft”.",
        planned(change("set the text of the note ideas to “a raft”")),
        select("setText"),
        filled(noteID="ideas", text="a raft"),
        worded("It is set."),
    )
    assert calls == ["listNotes", "setText noteID=ideas&text=a%20raft"]
    assert answer.text == "It is set."


def test_of_things_that_are_ids_all_but_one_are_changed() -> None:
    drop: JsonObject = {**change("delete #1", "delete"), "id": 2, "of": [1], "quantity": "all"}
    answer, _, calls = ask(
        "Delete all notes except minutes.",
        planned(
            {**find("the notes", "all"), "except": ["minutes"]}, {**drop, "except": ["minutes"]}
        ),
        select("listNotes"),
        query("data.noteIDs"),
        select("deleteNote"),
        worded("ideas is deleted."),
    )
    assert calls == ["listNotes", "deleteNote noteID=ideas"]
    assert answer.text == "ideas is deleted."


def test_what_a_thing_has_in_its_root_is_no_envelope() -> None:
    thing: JsonObject = {"type": "object", "properties": {"name": TEXT, "code": NUMBER}}
    found: dict[str, Json] = {"/ships": [{"name": "Tern", "code": 7}]}

    def respond(request: Request) -> Response:
        return reply(200, found[urlsplit(request.url).path])

    def gives(schema: JsonObject) -> JsonObject:
        return {"200": {"description": "", "content": {"application/json": {"schema": schema}}}}

    one = {"name": "id", "in": "path", "required": True, "schema": TEXT}
    paths: JsonObject = {
        "/ships": {
            "get": {"operationId": "list", "responses": gives({"type": "array", "items": thing})},
            "post": {"operationId": "add", "responses": gives(thing)},
        },
        "/ships/{id}": {
            name: {"operationId": name, "parameters": [one], "responses": gives(thing)}
            for name in ("get", "patch")
        },
    }
    model = FittingModel(
        [
            planned(find("the code of Tern")),
            select("list"),
            query("things", fields=["code"]),
            worded("It is 7."),
        ],
        is_small=True,
    )
    opened = catalog(load(document(paths), alias="port"))
    agent = Agent(opened, model=model, send=RecordingTransport(respond), kind="rest")
    assert agent.ask("What is the code of Tern?").text == "It is 7."


def test_a_post_that_is_called_like_a_read_is_named_where_no_read_fits() -> None:
    plan = planned(find("the notes that a search finds", "all"))
    answer, model, calls = ask("Which notes does a search find?", plan, select("none"))
    assert "searchNotes" not in calls
    assert "searchNotes is called like a read" in answer.text
    assert "--class searchNotes=read" in answer.text
    offered = [one.messages[-1].text for one in model.asked if one.role == "selector"]
    assert not any("searchNotes" in one for one in offered)


def test_a_post_that_the_user_calls_a_read_is_one() -> None:
    answer, _, calls = ask(
        "Which notes does a search find?",
        planned(find("the notes that a search finds", "all")),
        select("searchNotes"),
        query("data.noteIDs"),
        policy=Policy(tools={"searchNotes": "read"}),
    )
    assert answer.text == "- ideas\n- minutes"
    assert "searchNotes" in calls
