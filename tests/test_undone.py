"""What was asked and is not done is said in the answer, whatever the model says."""

from __future__ import annotations

from typing import Any

import pytest
from tests.rendered import asked, code, filled

from restwright.agents.agent import Agent, Limits
from restwright.agents.steps import Answer
from restwright.calls.consent import always
from restwright.calls.security import Connection
from restwright.net.message import Request, Response
from restwright.openapi.api import load
from restwright.testing import RecordingTransport, Reply, ScriptedModel, document, reply
from restwright.tools.catalog.catalog import Catalog, catalog
from restwright.typing import JsonObject

NORTH = {"id": 7, "title": "North Star", "uri": "film:7"}
SOUTH = {"id": 8, "title": "South", "uri": "film:8"}
TEXT: JsonObject = {"type": "string"}


def cinema() -> Catalog:
    """Films, of which some wait to be shown."""
    film = {"type": "object", "properties": {"id": {"type": "integer"}, "title": TEXT, "uri": TEXT}}
    listed = {"schema": {"type": "array", "items": film}}
    body = {"schema": {"type": "object", "properties": {"title": TEXT}, "required": ["title"]}}
    film_id = {"name": "film_id", "in": "path", "required": True, "schema": {"type": "integer"}}
    uri = {"name": "uri", "in": "query", "required": True, "schema": TEXT}
    paths: JsonObject = {
        "/films": {
            "get": {
                "operationId": "list_films",
                "responses": {
                    "200": {"description": "", "content": {"application/json": listed}},
                },
            },
            "post": {
                "operationId": "add_film",
                "requestBody": {"required": True, "content": {"application/json": body}},
                "responses": {},
            },
        },
        "/films/{film_id}": {
            "delete": {"operationId": "drop_film", "parameters": [film_id], "responses": {}}
        },
        "/queue": {"post": {"operationId": "show_next", "parameters": [uri], "responses": {}}},
    }
    return catalog(load(document(paths), alias="cinema"))


def ask(
    statuses: JsonObject, *script: Reply, **settings: Any
) -> tuple[Answer, ScriptedModel, RecordingTransport]:
    def respond(request: Request) -> Response:
        if request.method == "GET":
            return reply(200, [NORTH, SOUTH])
        path = request.url.partition(".test")[2]
        return reply(statuses.get(f"{request.method} {path}", 200))

    model, send = ScriptedModel(script), RecordingTransport(respond)
    connections = {"cinema": Connection(server="https://films.example.test")}
    agent = Agent(
        cinema(), model=model, send=send, approve=always, connections=connections, **settings
    )
    answer = agent.ask("Add the film South, delete film #8, and show both films next.")
    assert model.left == ()
    return answer, model, send


def select(operation: str) -> Reply:
    return ("selector", {"asked": "it", "of": "it", "operation": operation})


def says(text: str) -> Reply:
    return ("answer", {"answer": text})


ADD, DROP = ("do", "add the film South"), ("do", "delete film #8")
ADDED = (select("add_film"), filled(title="South"))


def test_what_is_not_begun_since_another_thing_failed_is_said() -> None:
    answer, _, _ = ask({"POST /films": 500}, asked(ADD, DROP, ("find", "the films")), *ADDED)
    assert answer.text == (
        "Not done: add the film South: HTTP 500 Internal Server Error; delete film #8: not begun;"
        " the films: not begun"
    )
    assert answer.stopped == "error"


def test_what_is_not_done_is_said_where_the_model_cannot_word_the_answer() -> None:
    answer, _, _ = ask(
        {"DELETE /films/8": 500},
        asked(ADD, DROP),
        *ADDED,
        select("drop_film"),
        *[("answer", "I cannot")] * 3,
    )
    assert answer.text == (
        "- add the film South (done): null\n"
        "Not done: delete film #8: HTTP 500 Internal Server Error"
    )


def test_what_is_not_done_is_said_where_a_limit_ends_the_run() -> None:
    answer, _, _ = ask(
        {},
        asked(ADD, DROP, ("do", "add the film East")),
        *ADDED,
        select("drop_film"),
        limits=Limits(calls=1),
    )
    assert answer.stopped == "limit"
    assert answer.text == (
        "- add the film South (done): null\n"
        "Not done: delete film #8: not finished; add the film East: not begun"
    )


@pytest.mark.parametrize("limits", [Limits(), Limits(calls=2)], ids=["failed", "limit"])
def test_writes_before_one_that_is_not_made_are_told(limits: Limits) -> None:
    both = "show both films next"
    answer, _, send = ask(
        {"POST /queue?uri=film%3A8": 500},
        asked(("find", "the films like South"), ("do", both)),
        code("data"),
        select("show_next"),
        *([] if limits.calls == 2 else [says("Both films are shown next.")]),
        limits=limits,
    )
    assert [each.url for each in send.sent if each.method == "POST"][:1] == [
        "https://films.example.test/queue?uri=film%3A7"
    ]
    assert f"\nNot done: {both}: " in answer.text
    if limits.calls == 2:
        assert f"- {both} (done): [null]" in answer.text


@pytest.mark.parametrize("kind", ["rest", "plan"])
def test_what_was_only_taken_in_is_not_said_to_be_finished(kind: str) -> None:
    first = {
        "rest": (asked(ADD), *ADDED),
        "plan": (
            ("planner", {"steps": [{"operation": "add_film", "task": ADD[1]}]}),
            filled(title="South"),
        ),
    }
    answer, _, _ = ask({"POST /films": 202}, *first[kind], says("South is added."), kind=kind)
    assert answer.text == (
        "South is added.\nAccepted, and not known to be finished: add the film South"
    )
    assert answer.stopped == "answered"


def test_what_a_plan_repeats_is_done_once() -> None:
    answer, _, send = ask({}, asked(ADD, ADD), *ADDED, says("South is added."))
    assert (answer.text, len(send.sent)) == ("South is added.", 1)


def test_a_prompt_that_alone_is_over_the_limit_is_not_sent() -> None:
    model = ScriptedModel([asked(ADD)])
    answer = Agent(cinema(), model=model, limits=Limits(tokens=1_000)).ask("Add it. " * 1_000)
    assert (answer.stopped, model.asked) == ("limit", [])
    assert "one prompt is over alone" in answer.reason


def think(operation: str, task: str) -> Reply:
    return ("reactor", {"thought": "next", "operation": operation, "task": task})


def test_react_says_which_write_failed_though_the_model_is_done() -> None:
    answer, _, _ = ask(
        {"DELETE /films/8": 404},
        think("drop_film", "delete film #8"),
        think("list_films", "the films"),
        code("data"),
        think("finish", ""),
        says("Film 8 is deleted."),
        kind="react",
    )
    assert answer.text == "Film 8 is deleted.\nNot done: delete film #8: HTTP 404 Not Found"
    assert answer.stopped == "error"


def test_react_says_nothing_of_a_write_that_was_made_in_the_end() -> None:
    answer, _, _ = ask(
        {"DELETE /films/7": 404},
        think("drop_film", "delete film 7"),
        think("drop_film", "delete film #8"),
        think("finish", ""),
        says("It is deleted."),
        kind="react",
    )
    assert (answer.text, answer.stopped) == ("It is deleted.", "answered")


def test_plan_says_which_steps_were_not_made() -> None:
    steps = [
        {"operation": "add_film", "task": "add the film South"},
        {"operation": "drop_film", "task": "delete film #8"},
        {"operation": "list_films", "task": "the films"},
    ]
    answer, _, _ = ask(
        {"DELETE /films/8": 404},
        ("planner", {"steps": steps}),
        filled(title="South"),
        says("South is added and film 8 is deleted."),
        kind="plan",
    )
    assert answer.text == (
        "South is added and film 8 is deleted.\n"
        "Not done: delete film #8: HTTP 404 Not Found; the films: not begun"
    )
