"""Things that a message calls by their names, and the steps that speak of them."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from tests.support.planned import planned

from restwright.agents.agent import Agent
from restwright.agents.memory.referring import Reference
from restwright.agents.rest.resolving import ALIKE, _called  # pyright: ignore[reportPrivateUsage]
from restwright.agents.steps import Answer
from restwright.calls.approval.approval import approve_all
from restwright.jsontypes import Json, JsonObject
from restwright.net.messages import Request, Response
from restwright.openapi.api import load
from restwright.testing import RecordingTransport, Reply, ScriptedModel, document, reply
from restwright.tools.catalog.catalog import Catalog, catalog

PERSON: JsonObject = {"id": 4, "name": "Ana Ruiz"}
NORTH: JsonObject = {"id": 7, "title": "North", "uri": "film:7", "year": 2001}
SOUTH: JsonObject = {"id": 8, "title": "South", "uri": "film:8", "year": 2011}
FOUND: Mapping[str, Json] = {
    "/search/directors?q=Ana%20Ruiz": {"results": [{"id": 3, "name": "Ana Ruizo"}, PERSON]},
    "/search/directors?q=North": {"results": []},
    "/search/films?q=North": {"results": [SOUTH, NORTH]},
    "/search/films?q=Nort": {"results": [NORTH]},
    "/search/films?q=Ana%20Ruiz": {"results": []},
    "/directors/4/films": {"films": [NORTH, SOUTH]},
    "/films/7/reviews": {"reviews": [{"id": 70, "text": "good"}]},
    "/films/8/reviews": {"reviews": [{"id": 80, "text": "bad"}]},
    "/films/latest": SOUTH,
    "/me/lists": {"lists": [{"id": 50, "name": "Work"}, {"id": 51, "name": "Home"}]},
}


def operation(name: str, *parameters: JsonObject, **more: Json) -> JsonObject:
    return {"operationId": name, "parameters": [*parameters], **more, "responses": _RESPONSES}


_ANY: JsonObject = {"application/json": {"schema": {"type": "object"}}}
_RESPONSES: JsonObject = {"200": {"description": "", "content": _ANY}}
_Q: JsonObject = {"name": "q", "in": "query", "required": True, "schema": {"type": "string"}}


def at(name: str) -> JsonObject:
    return {"name": name, "in": "path", "required": True, "schema": {"type": "integer"}}


def listed(key: str, **properties: str) -> JsonObject:
    """A response: an object with a list of objects."""
    fields = {name: {"type": kind} for name, kind in properties.items()}
    items: JsonObject = {"type": "array", "items": {"type": "object", "properties": fields}}
    schema: JsonObject = {"type": "object", "properties": {key: items}}
    return {"200": {"description": "", "content": {"application/json": {"schema": schema}}}}


def cinema() -> Catalog:
    person = listed("results", id="integer", name="string")
    film = {"id": "integer", "title": "string", "uri": "string"}
    uris: JsonObject = {"type": "array", "items": {"type": "string"}}
    body: JsonObject = {
        "content": {
            "application/json": {
                "schema": {"type": "object", "properties": {"uris": uris}, "required": ["uris"]}
            }
        }
    }
    paths: JsonObject = {
        "/search/directors": {"get": operation("search_directors", _Q) | {"responses": person}},
        "/search/films": {
            "get": operation("search_films", _Q) | {"responses": listed("results", **film)}
        },
        "/films/latest": {"get": operation("latest_film")},
        "/directors/{director_id}/films": {
            "get": operation("films_of", at("director_id")) | {"responses": listed("films", **film)}
        },
        "/films/{film_id}/reviews": {"get": operation("reviews_of", at("film_id"))},
        "/me/lists": {
            "get": operation("my_lists")
            | {"responses": listed("lists", id="integer", name="string")}
        },
        "/lists/{list_id}": {"delete": operation("close_list", at("list_id"))},
        "/lists/{list_id}/films": {"post": operation("add_films", at("list_id"), requestBody=body)},
    }
    return catalog(load(document(paths), alias="cinema"))


def answered(request: Request) -> Response:
    path = request.url.partition("example.test")[2]
    return reply(200, FOUND.get(path, {}))


def ask(question: str, *script: Reply) -> tuple[Answer, ScriptedModel, list[Request]]:
    send = RecordingTransport(answered)
    model = ScriptedModel(script)
    agent = Agent(cinema(), model=model, send=send, approve=approve_all)
    return agent.ask(question), model, send.sent


def select(operation: str) -> Reply:
    return ("selector", {"asked": "it", "of": "it", "operation": operation})


def code(text: str) -> Reply:
    return ("parser", f"def parse(data):\n    return {text}")


def says(text: str = "Done.") -> Reply:
    return ("answer", {"answer": text})


def offered(model: ScriptedModel, number: int) -> list[str]:
    """What a selector could choose, at its `number`th time."""
    schema = [each.schema for each in model.asked if each.role == "selector"][number]
    assert schema
    return list(schema["properties"]["operation"]["enum"])


def paths(sent: list[Request]) -> list[str]:
    return [f"{each.method} {each.url.partition('example.test')[2]}" for each in sent]


def test_a_name_is_searched_for_and_steps_choose_among_what_takes_its_id() -> None:
    answer, model, sent = ask(
        "Which films did Ana Ruiz make?",
        planned("find the films of #1", named=[("Ana Ruiz", "director")]),
        select("search_directors"),
        code("[each['title'] for each in data['films']]"),
        says("North and South."),
    )
    assert answer.text == "North and South."
    assert paths(sent) == ["GET /search/directors?q=Ana%20Ruiz", "GET /directors/4/films"]
    assert offered(model, 0) == ["search_directors", "search_films"]
    # Only one operation takes her id: nothing is asked.
    assert [each.role for each in model.asked] == ["planner", "selector", "parser", "answer"]


def test_a_name_of_another_kind_than_was_said_is_found_all_the_same() -> None:
    _, _, sent = ask(
        "What do people say of North?",
        planned("find the reviews of #1", named=[("North", "author")]),
        select("search_directors"),
        code("data['reviews'][0]['text']"),
        says("good"),
    )
    assert paths(sent)[1:] == ["GET /search/films?q=North", "GET /films/7/reviews"]


def test_a_name_that_is_misspelt_is_found() -> None:
    _, _, sent = ask(
        "What do people say of the film Nort?",
        planned("find the reviews of #1", named=[("Nort", "film")]),
        select("search_films"),
        code("data['reviews'][0]['text']"),
        says("good"),
    )
    assert paths(sent) == ["GET /search/films?q=Nort", "GET /films/7/reviews"]


def test_a_later_step_gets_the_thing_that_an_earlier_one_took_a_field_of() -> None:
    _, model, sent = ask(
        "What do people say of Ana Ruiz's latest film?",
        planned(
            "find the latest film of #1",
            "find the reviews of #2",
            named=[("Ana Ruiz", "director")],
        ),
        select("search_directors"),
        code("max(data['films'], key=lambda each: each['year'])['title']"),
        code("data['reviews'][0]['text']"),
        says("bad"),
    )
    assert paths(sent)[-1] == "GET /films/8/reviews"
    parsers = [each.messages[-1].text for each in model.asked if each.role == "parser"]
    assert "Task: the latest film of this director" in parsers[0]


def test_a_change_is_made_with_what_was_found_and_with_the_list_of_the_user() -> None:
    answer, _, sent = ask(
        "Add the films of Ana Ruiz to my list 'Home'",
        planned(
            "find the films of #1",
            "do add #3 to #2",
            named=[("Ana Ruiz", "director"), ("Home", "list")],
        ),
        select("search_directors"),
        code("data['films']"),
        says(),
    )
    assert answer.stopped == "answered"
    assert paths(sent)[-2:] == ["GET /me/lists", "POST /lists/51/films"]
    assert sent[-1].body == b'{"uris":["film:7","film:8"]}'


def test_as_many_are_taken_as_a_step_asks_for() -> None:
    _, _, sent = ask(
        "Add a film of Ana Ruiz to my list 'Home'",
        planned(
            "find a film of #1",
            "do add #3 to #2",
            named=[("Ana Ruiz", "director"), ("Home", "list")],
        ),
        select("search_directors"),
        code("data['films']"),
        says(),
    )
    assert sent[-1].body == b'{"uris":["film:7"]}'


def test_nothing_is_changed_for_want_of_what_should_have_been_found() -> None:
    answer, _, sent = ask(
        "Add the worst film of Ana Ruiz to my list 'Home'",
        planned(
            "find the worst film of #1",
            "do add #3 to #2",
            named=[("Ana Ruiz", "director"), ("Home", "list")],
        ),
        select("search_directors"),
        *[code("None")] * 3,
        ("planner", {"sub_task": "the worst film"}),
        select("my_lists"),
        *[code("None")] * 3,
        ("planner", {"sub_task": "the worst film"}),
        select("latest_film"),
        ("parser", {"fields": ["none"]}),
    )
    assert all(each.method == "GET" for each in sent)
    assert answer.stopped == "error"
    assert "add " in answer.text
    assert "Not done" in answer.text


def test_nothing_is_changed_where_the_plan_does_not_say_what() -> None:
    answer, _, sent = ask(
        "Add it to my list 'Home'",
        planned("do add #7 to #1", named=[("Home", "list")]),
    )
    assert all(each.method == "GET" for each in sent)
    assert "the plan does not say what #7 is" in answer.text


def test_a_message_that_begins_with_a_kind_of_thing_orders_nothing() -> None:
    paths: JsonObject = {
        "/orders": {
            "get": operation("order_list"),
            "post": operation("order_create"),
        }
    }
    send = RecordingTransport(lambda _: reply(200, {"id": 7, "state": "sent"}))
    model = ScriptedModel(
        [
            planned("find the state of my purchase"),
            ("parser", {"fields": ["state"]}),
            says("It is sent."),
        ]
    )
    agent = Agent(
        catalog(load(document(paths), alias="shop")), model=model, send=send, approve=approve_all
    )
    assert agent.ask("Order state of my purchase").stopped == "answered"
    assert [each.method for each in send.sent] == ["GET"]


@pytest.mark.parametrize("name", ["Homes", "Work 2"])
def test_nothing_is_changed_with_a_thing_of_a_similar_name(name: str) -> None:
    answer, _, sent = ask(
        f"Close my list '{name}'",
        planned("do close #1", named=[(name, "list")]),
        select("close_list"),
        *[code("None")] * 3,
        ("planner", {"sub_task": f"close my list {name}"}),
        *[code("None")] * 3,
    )
    assert {each.method for each in sent} == {"GET"}
    assert "Not done" in answer.text


def test_the_thing_that_is_called_just_so_comes_before_others() -> None:
    body: JsonObject = {"lists": [{"id": 1, "name": "Homes"}, {"id": 2, "name": "Home"}]}
    found = _called(body, Reference.to_name("Home", "my list"), ALIKE)
    assert found == {"id": 2, "name": "Home"}


@pytest.mark.parametrize(
    ("label", "name", "is_same"),
    [
        ("north", "nort", True),
        ("backup 1", "backup 2", False),
        ("backup 2", "backup 2", True),
        ("a long name", "north", False),
    ],
)
def test_a_name_with_another_number_is_another_one(label: str, name: str, is_same: bool) -> None:
    found = _called([{"id": 1, "name": label}], Reference.to_name(name, "list"), ALIKE)
    assert bool(found) == is_same
