"""Changes inside of things that a message says by their ids, and of things in an envelope."""

from __future__ import annotations

import json
from urllib.parse import urlsplit

import pytest
from tests.support.planned import FittingModel, filled, planned, query, select, worded

from restwright.agents.agent import Agent
from restwright.agents.rest.caller import FilledArguments
from restwright.agents.rest.kept import fill_up, would_lose
from restwright.agents.steps import Answer
from restwright.calls.approval.approval import approve_all
from restwright.jsontypes import Json, JsonObject
from restwright.net.messages import Request, Response
from restwright.openapi.api import load
from restwright.testing import RecordingTransport, Reply, document, reply
from restwright.tools.catalog.catalog import catalog
from restwright.tools.tool import Tool

TEXT: JsonObject = {"type": "string"}
NUMBER: JsonObject = {"type": "number"}
THINGS: JsonObject = {"type": "array", "items": {"type": "object", "properties": {"id": TEXT}}}
WRAPPED: JsonObject = {
    "type": "object",
    "properties": {"data": {"type": "object"}, "readers": {"type": "array", "items": TEXT}},
}


def response(schema: JsonObject) -> JsonObject:
    return {"200": {"description": "", "content": {"application/json": {"schema": schema}}}}


def operation(name: str, path: str, body: JsonObject | None = None) -> JsonObject:
    names = [part.strip("{}") for part in path.split("/") if part.startswith("{")]
    given = [{"name": one, "in": "path", "required": True, "schema": TEXT} for one in names]
    sent = {"requestBody": {"content": {"application/json": {"schema": body}}}} if body else {}
    is_list = not path.endswith("}") and body is None
    responses = response(THINGS if is_list else {"type": "object"})
    return {"operationId": name, "parameters": given, "responses": responses, **sent}


HALL, RACK = "/halls/{hall}", "/halls/{hall}/racks/{rack}"
RACKS, BOOKS = "/halls/{hall}/racks", "/halls/{hall}/racks/{rack}/books"
BOOK = f"{BOOKS}/{{book}}"
READS: JsonObject = {
    "/halls": {"get": operation("list_halls", "/halls")},
    HALL: {"get": operation("get_hall", HALL)},
    RACKS: {"get": operation("list_racks", RACKS)},
    RACK: {"get": operation("get_rack", RACK)},
    BOOKS: {"get": operation("list_books", BOOKS)},
    BOOK: {"get": operation("get_book", BOOK)},
}
CHANGES: JsonObject = {
    HALL: {"patch": operation("change_hall", HALL, WRAPPED)},
    RACK: {
        "patch": operation("change_rack", RACK, WRAPPED),
        "delete": operation("drop_rack", RACK),
    },
    BOOK: {
        "patch": operation("change_book", BOOK, WRAPPED),
        "delete": operation("drop_book", BOOK),
    },
}
REPLACED: JsonObject = {BOOK: {"put": operation("replace_book", BOOK, WRAPPED)}}
ISLES = {"id": "b-1", "title": "Isles", "year": 1912, "place": {"town": "Ulm", "shelf": 3}}
SAGAS = {"id": "b-2", "title": "Sagas", "year": 1880}
FOUND: dict[str, Json] = {
    "/guests": [{"id": "g-1", "name": "Ode"}],
    "/tomes": [ISLES, SAGAS],
    "/yards": [{"id": "north"}],
    "/halls": [{"id": "north"}, {"id": "attic"}],
    "/halls/north": {"id": "north"},
    "/halls/north/racks": [{"id": "maps"}, {"id": "tales"}],
    "/halls/north/racks/maps": {"data": {"id": "maps"}},
    "/halls/north/racks/maps/books": [ISLES, SAGAS],
    "/halls/north/racks/maps/books/b-1": {"data": ISLES, "readers": ["Ode"]},
}
CHANGE: JsonObject = {"id": 1, "kind": "change", "of": [], "quantity": "one"}
SET = "set the year of Isles on the rack maps of the hall north to 1913"
SET_YEAR = planned({**CHANGE, "effect": "update", "what": SET})
YEAR_OF_ISLES = filled(hall="north", rack="maps", book="Isles", data={"year": 1913})


def serve(request: Request) -> Response:
    path = urlsplit(request.url).path
    if request.method != "GET":
        return reply(200, {})
    return reply(200, FOUND[path]) if path in FOUND else reply(404, {})


def ask(
    question: str, *script: Reply, more: JsonObject = CHANGES
) -> tuple[Answer, FittingModel, list[Request]]:
    paths = {path: {**READS.get(path, {}), **more.get(path, {})} for path in {**READS, **more}}
    model, send = FittingModel(script, is_small=True), RecordingTransport(serve)
    opened = catalog(load(document(paths), alias="library"))
    agent = Agent(opened, model=model, send=send, kind="rest", approve=approve_all)
    answer = agent.ask(question)
    return answer, model, send.sent


def writes(sent: list[Request]) -> list[tuple[str, Json]]:
    return [
        (f"{one.method} {urlsplit(one.url).path}", json.loads(one.body) if one.body else None)
        for one in sent
        if one.method != "GET"
    ]


def asked_of(model: FittingModel, role: str) -> list[str]:
    return [one.messages[-1].text for one in model.asked if one.role == role]


def test_a_change_is_made_inside_of_what_the_message_says() -> None:
    _, model, sent = ask(
        f"Please {SET}.",
        SET_YEAR,
        select("change_book"),
        YEAR_OF_ISLES,
        worded("It is set."),
    )
    (offered,) = asked_of(model, "selector")
    assert "change_book: PATCH /halls/north/racks/maps/books/{book}" in offered
    assert "change_rack: PATCH /halls/north/racks/maps" in offered
    # It knows of the hall alone, and the message says what is inside of that.
    assert "change_hall" not in offered
    path = "PATCH /halls/north/racks/maps/books/b-1"
    assert writes(sent) == [(path, {"data": {"year": 1913}})]


def test_what_the_message_says_in_one_api_hides_no_change_of_another() -> None:
    other: JsonObject = {
        "/yards": {"get": operation("list_yards", "/yards")},
        "/yards/{yard}": {"patch": operation("change_yard", "/yards/{yard}", WRAPPED)},
    }
    both = catalog(
        load(document({path: {**READS.get(path, {}), **CHANGES.get(path, {})} for path in READS})),
        load(document(other, title="Yards"), alias="yards"),
    )
    model = FittingModel([SET_YEAR, select("none")], is_small=True)
    send = RecordingTransport(serve)
    Agent(both, model=model, send=send, kind="rest").ask(f"Please {SET}, in the yards.")
    (offered,) = asked_of(model, "selector")
    assert "change_yard" in offered
    assert "change_hall" not in offered


def test_where_the_thing_is_none_of_those_around_it_another_is_updated() -> None:
    _, model, sent = ask(
        f"Please {SET}.",
        SET_YEAR,
        select("change_rack"),
        filled(hall="north", rack="Isles", data={"year": 1913}),
        select("change_book"),
        YEAR_OF_ISLES,
        worded("It is set."),
    )
    assert "change_rack" not in asked_of(model, "selector")[1]
    path = "PATCH /halls/north/racks/maps/books/b-1"
    assert writes(sent) == [(path, {"data": {"year": 1913}})]


def test_nothing_else_is_deleted_than_what_is_called_so() -> None:
    what = "delete Isles on the rack maps of the hall north"
    answer, model, sent = ask(
        f"Please {what}.",
        planned({**CHANGE, "effect": "delete", "what": what}),
        select("drop_rack"),
        filled(hall="north", rack="Isles"),
    )
    assert writes(sent) == []
    assert answer.stopped != "answered"
    assert len(asked_of(model, "selector")) == 1


def test_several_things_are_changed_by_what_takes_their_ids() -> None:
    find: JsonObject = {"id": 1, "kind": "find", "what": "the books", "of": [], "quantity": "all"}
    drop: JsonObject = {
        **CHANGE,
        "id": 2,
        "effect": "delete",
        "what": "delete the books",
        "of": [1],
    }
    _, model, sent = ask(
        "Delete all books on the rack maps of the hall north.",
        planned(find, {**drop, "quantity": "all"}),
        select("list_books"),
        query("things"),
        select("drop_rack"),
        select("drop_book"),
        worded("They are deleted."),
    )
    offered = asked_of(model, "selector")[-1]
    assert "drop_book" in offered
    assert "drop_" not in offered.replace("drop_book", "")
    books = "DELETE /halls/north/racks/maps/books/"
    assert [call for call, _ in writes(sent)] == [f"{books}b-1", f"{books}b-2"]


def test_what_replaces_a_thing_in_an_envelope_repeats_all_of_it() -> None:
    _, _, sent = ask(
        f"Please {SET}.",
        SET_YEAR,
        select("replace_book"),
        YEAR_OF_ISLES,
        worded("It is set."),
        more=REPLACED,
    )
    whole: JsonObject = {"data": {**ISLES, "year": 1913}, "readers": ["Ode"]}
    assert writes(sent) == [("PUT /halls/north/racks/maps/books/b-1", whole)]


def test_several_things_are_not_replaced_by_what_cannot_repeat_them() -> None:
    what = "set the year of the books to 1913"
    find: JsonObject = {"id": 1, "kind": "find", "what": "the books", "of": [], "quantity": "all"}
    change: JsonObject = {
        **CHANGE,
        "id": 2,
        "effect": "update",
        "what": what,
        "of": [1],
        "quantity": "all",
    }
    answer, _, sent = ask(
        "Set the year of all books on the rack maps of the hall north to 1913.",
        planned(find, change),
        select("list_books"),
        query("things"),
        select("replace_book"),
        filled(data={"year": 1913}),
        select("none"),
        more=REPLACED,
    )
    assert writes(sent) == []
    assert "replace_book would replace all that the things have" in answer.text


def test_a_small_model_is_not_offered_to_replace_what_it_may_change_in_part() -> None:
    _, model, _ = ask(
        f"Please {SET}.",
        SET_YEAR,
        select("none"),
        more={BOOK: {**REPLACED[BOOK], **CHANGES[BOOK]}},
    )
    (offered,) = asked_of(model, "selector")
    assert "change_book" in offered
    assert "replace_book" not in offered


def test_what_replaces_a_thing_deletes_none() -> None:
    more: JsonObject = {"type": "object", "properties": {**WRAPPED["properties"], "note": TEXT}}
    what = "delete the book Isles on the rack maps of the hall north"
    _, model, _ = ask(
        f"Please {what}.",
        planned({**CHANGE, "effect": "delete", "what": what}),
        select("none"),
        more={BOOK: {**CHANGES[BOOK], "put": operation("replace_book", BOOK, more)}},
    )
    (offered,) = asked_of(model, "selector")
    assert "drop_book" in offered
    assert "replace_book" not in offered


def replacing() -> Tool:
    properties: JsonObject = {
        "name": TEXT,
        "place": {
            "type": "object",
            "properties": {
                "town": TEXT,
                "shelf": NUMBER,
                "room": {
                    "type": "object",
                    "properties": {"floor": NUMBER, "door": TEXT},
                    "additionalProperties": False,
                },
            },
            "additionalProperties": False,
        },
    }
    body: JsonObject = {"type": "object", "properties": properties}
    paths: JsonObject = {"/bins/{bin}": {"put": operation("put_bin", "/bins/{bin}", body)}}
    return catalog(load(document(paths), alias="store"))["store__put_bin"]


@pytest.mark.parametrize(
    ("given", "current", "sent"),
    [
        ({"town": "Ulm"}, {"town": "Bern", "shelf": 3}, {"town": "Ulm", "shelf": 3}),
        ({"town": "Ulm"}, {"town": "Bern", "made": "today"}, {"town": "Ulm"}),
        ({"town": "Ulm"}, "Bern", {"town": "Ulm"}),
        ({"town": "Ulm", "shelf": 1}, {"shelf": 3}, {"town": "Ulm", "shelf": 1}),
        (
            {"room": {"door": "left"}},
            {"room": {"door": "right", "made": "today", "floor": 2}},
            {"room": {"door": "left", "floor": 2}},
        ),
    ],
    ids=["the rest is repeated", "what is not valid is not", "no object", "all is given", "deeper"],
)
def test_an_object_that_is_given_in_part_keeps_the_rest(
    given: JsonObject, current: Json, sent: JsonObject
) -> None:
    filled_up = fill_up(replacing(), {"bin": "b", "place": given}, {"place": current})
    assert filled_up == {"bin": "b", "place": sent}


def test_what_would_be_lost_is_known_where_the_thing_is() -> None:
    tool, arguments = replacing(), FilledArguments({"bin": "b", "place": {"town": "Ulm"}})
    assert would_lose(tool, {"town": "Bern"}, arguments)
    assert not would_lose(tool, {}, arguments)
    assert not would_lose(tool, {"name": "Olm"}, arguments)
    assert not would_lose(tool, {"town": "Bern"}, FilledArguments({"bin": "b", "name": "Olm"}))


def test_that_a_thing_has_the_id_in_its_path_is_no_condition() -> None:
    test: JsonObject = {"field": "data.id", "is": "=", "value": "maps"}
    find: JsonObject = {
        "id": 1,
        "kind": "find",
        "what": "the rack maps",
        "of": [],
        "quantity": "one",
    }
    condition: JsonObject = {"step": 1, "is": "empty", "holds": True}
    drop: JsonObject = {**CHANGE, "id": 2, "effect": "delete", "what": "delete the rack maps"}
    asked = query("whole", give="yes or no", where=[test])
    answer, model, sent = ask(
        "In the hall north: delete the rack maps if it is empty.",
        planned(find, {**drop, "condition": condition}),
        select("get_rack"),
        asked,
        asked,
        select("none"),
        query("things", give="yes or no"),
        query("things", give="yes or no"),
        ("amount", {"asks": "that there are none"}),
        worded("It is not empty."),
    )
    assert writes(sent) == []
    assert "its condition is not met" in answer.text
    assert "a test of a field" in asked_of(model, "reader")[1]


def test_where_no_operation_is_chosen_what_is_inside_of_what_the_message_says_is_read() -> None:
    answer, _, sent = ask(
        "When was Sagas written? (rack maps, hall north)",
        planned({**CHANGE, "kind": "find", "what": "when Sagas was written"}),
        select("none"),
        select("none"),
        query("things", fields=["year"], where=[{"field": "title", "is": "=", "value": "Sagas"}]),
        worded("In 1880."),
    )
    assert [urlsplit(one.url).path for one in sent][-1] == "/halls/north/racks/maps/books"
    assert answer.text == "In 1880."


def test_a_list_of_others_says_not_that_there_are_none() -> None:
    step: JsonObject = {
        **CHANGE,
        "kind": "find",
        "what": "the books of the year 1880",
        "quantity": "some",
    }
    none = query("things", where=[{"field": "id", "is": "=", "value": "1880"}])
    answer, _, _ = ask(
        "Which books are of the year 1880?",
        planned(step),
        select("list_guests", "list_tomes"),
        none,
        none,
        query("things", where=[{"field": "year", "is": "=", "value": 1880}]),
        worded("Sagas."),
        more={
            "/guests": {"get": operation("list_guests", "/guests")},
            "/tomes": {"get": operation("list_tomes", "/tomes")},
        },
    )
    assert answer.text == "Sagas."


def test_names_that_a_translation_lost_are_asked_for_in_the_words_of_the_user() -> None:
    english = (
        "Add to the rack maps of the hall north a book with title \u2018N1\u2019 and slow true."
    )
    what = "add to the rack maps of the hall north a book with title \u2018Olm\u2019 and slow true"
    answer, model, sent = ask(
        "Ajoute au rack maps de hall north un livre avec title « Olm » et lent true.",
        ("translator", {"language": "French", "english": english}),
        planned({**CHANGE, "effect": "create", "what": what}, language="French"),
        select("add_book"),
        filled(hall="north", rack="maps", data={"title": "Olm", "slow": True}),
        filled(hall="north", rack="maps", data={"title": "Olm", "lent": True}),
        worded("Olm est là."),
        more={BOOKS: {"post": operation("add_book", BOOKS, WRAPPED)}},
    )
    first, second = asked_of(model, "caller")
    assert "lent" not in first
    assert "lent true" in second
    assert [body for _, body in writes(sent)] == [{"data": {"title": "Olm", "lent": True}}]
    assert answer.text == "Olm est là."


def test_an_answer_in_another_language_names_what_was_changed() -> None:
    english = "Delete the book \u2018N1\u2019 on the rack maps of the hall north."
    what = "delete the book \u2018Isles\u2019 on the rack maps of the hall north"
    answer, model, _ = ask(
        "Supprime le livre « Isles » du rack maps de hall north.",
        ("translator", {"language": "French", "english": english}),
        planned({**CHANGE, "effect": "delete", "what": what}, language="French"),
        select("drop_book"),
        filled(hall="north", rack="maps", book="Isles"),
        worded("The islands are not mentioned."),
        worded("« Isles » est supprimé."),
    )
    assert answer.text == "« Isles » est supprimé."
    assert "does not name" in asked_of(model, "answer")[1]


@pytest.mark.parametrize("is_kept", [True, False], ids=["kept", "passed over"])
def test_a_change_that_a_read_does_not_show_is_not_told_as_done(is_kept: bool) -> None:
    kept: dict[str, Json] = {"title": "Isles", "town": "Ulm"}

    def respond(request: Request) -> Response:
        if request.method == "PATCH" and is_kept:
            kept.update(json.loads(request.body or b"{}"))
        things: dict[str, Json] = {"tomes": [{"id": "b-1", **kept}], "b-1": {**kept}}
        found = things.get(request.url.rpartition("/")[2])
        answered = {} if request.method == "PATCH" else found
        return reply(404 if found is None else 200, answered)

    body: JsonObject = {"type": "object", "properties": {"town": TEXT}}
    paths: JsonObject = {
        "/tomes": {"get": operation("list_tomes", "/tomes")},
        "/tomes/{id}": {
            "get": operation("get_tome", "/tomes/{id}"),
            "patch": operation("change_tome", "/tomes/{id}", body),
        },
    }
    what = "set the town of the tome “Isles” to “Bern”"
    model = FittingModel(
        [
            planned({**CHANGE, "effect": "update", "what": what}),
            select("change_tome"),
            filled(id="Isles", town="Bern"),
            *([worded("The town of Isles is Bern.")] if is_kept else []),
        ],
        is_small=True,
    )
    opened = catalog(load(document(paths), alias="library"))
    send = RecordingTransport(respond)
    agent = Agent(opened, model=model, send=send, kind="rest", approve=approve_all)
    answer = agent.ask(f"Please {what}.")
    assert (answer.stopped == "answered") is is_kept
    assert ("a read shows no 'Bern'" in answer.text) is not is_kept
    assert writes(send.sent) == [("PATCH /tomes/b-1", {"town": "Bern"})]
